#!/usr/bin/env bash
# Succeeds where R is installed and its CRAN mirror answers within seconds.
set -u
here=$(cd "$(dirname "$0")" && pwd)
command -v Rscript >/dev/null || exit 1
timeout 20 Rscript --no-save --no-restore "$here/cran_answers.R" >/dev/null 2>&1
