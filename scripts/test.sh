#!/usr/bin/env bash
# All tests, in two processes side by side: every recorded case in live R takes as long as everything else together.
set -uo pipefail
cd "$(dirname "$0")/.."
log=$(mktemp)
trap 'rm -f "$log"' EXIT
.venv/bin/python -m pytest -q tests/parity/test_live.py >"$log" 2>&1 &
live=$!
.venv/bin/python -m pytest -q --ignore=tests/parity/test_live.py; rest=$?
wait "$live"; with_r=$?
echo; echo "---- every recorded case in live R (ran at the same time) ----"
cat "$log"
exit $((rest || with_r))
