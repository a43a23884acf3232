#!/bin/bash
# $1: list of files
cd /work/wt/core
/work/main/.venv/bin/python -m pytest -q -p no:cacheprovider -x --maxfail=1000 --tb=line "$@" 2>&1
