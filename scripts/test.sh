#!/usr/bin/env bash
# All tests on all cores. Where R has synthpop, every recorded case runs in live R in a process of its
# own at the same time: that takes as long as everything else together.
set -uo pipefail
cd "$(dirname "$0")/.."
python=.venv/bin/python
spread=""
"$python" -c 'import xdist' 2>/dev/null && spread="-n auto --dist worksteal"

if [ -n "${SYNTHPOP_PY_NO_R:-}" ] || ! ls -d r_reference/library/*/synthpop >/dev/null 2>&1; then
  # shellcheck disable=SC2086
  exec "$python" -m pytest -q $spread
fi

log=$(mktemp)
trap 'rm -f "$log"' EXIT
"$python" -m pytest -q tests/parity/test_live.py >"$log" 2>&1 &
live=$!
"$python" -m pytest -q --ignore=tests/parity/test_live.py
rest=$?
wait "$live"
with_r=$?
printf '\n---- every recorded case in live R (ran at the same time) ----\n'
cat "$log"
exit $((rest || with_r))
