#!/usr/bin/env bash
# Makes .venv with everything the project needs, from a package index where one answers and from Debian's packages where none does.
set -euo pipefail
cd "$(dirname "$0")/.."
venv=.venv
stamp="$venv/.ready"
# An environment made before R came to the machine lacks rpy2: make it again then.
has_what_r_needs() { ! command -v R >/dev/null || [ -f "$venv/.without_rpy2" ] || "$venv/bin/python" -c 'import importlib.util, sys; sys.exit(importlib.util.find_spec("rpy2") is None)'; }
[ -f "$stamp" ] && [ "$stamp" -nt pyproject.toml ] && [ "$stamp" -nt scripts/setup_env.sh ] && has_what_r_needs && exit 0

say() { printf 'setup: %s\n' "$*"; }
new_enough() { "$1" -c 'import sys; raise SystemExit(sys.version_info < (3, 10))' 2>/dev/null; }

from_index() {
  local python
  for python in "${PYTHON:-python3}" python3 python; do
    command -v "$python" >/dev/null && new_enough "$python" && break
    python=""
  done
  [ -n "$python" ] || return 1
  rm -rf "$venv"
  "$python" -m venv "$venv" >/dev/null 2>&1 || return 1
  "$venv/bin/python" -m pip --disable-pip-version-check install -q --retries 0 --timeout 20 -e '.[test,plot]' >"$venv/pip.log" 2>&1 || return 1
  if command -v R >/dev/null; then
    "$venv/bin/python" -m pip --disable-pip-version-check install -q -e '.[r]' >>"$venv/pip.log" 2>&1 || { touch "$venv/.without_rpy2"; say "rpy2 could not be installed: live comparison with R will be skipped"; }
  fi
  say "packages came from the package index"
}

debian_packages="python3 python3-numpy python3-pandas python3-scipy python3-pytest python3-hypothesis python3-matplotlib python3-venv"

from_debian() {
  command -v apt-get >/dev/null || return 1
  local wanted="$debian_packages" missing="" p
  command -v R >/dev/null && wanted="$wanted python3-rpy2"
  for p in $wanted; do
    dpkg-query -W -f='${Status}\n' "$p" 2>/dev/null | grep -q 'install ok installed' || missing="$missing $p"
  done
  if [ -n "$missing" ]; then
    say "installing Debian packages:$missing"
    local as_root=""
    [ "$(id -u)" = 0 ] || as_root="sudo"
    $as_root apt-get update -qq >/dev/null || return 1
    # shellcheck disable=SC2086
    DEBIAN_FRONTEND=noninteractive $as_root apt-get install -y -qq --no-install-recommends $missing >/dev/null || return 1
  fi
  rm -rf "$venv"
  /usr/bin/python3 -m venv --system-site-packages --without-pip "$venv" || return 1
  # The checkout itself goes on the path; building a wheel would need a package index for the build tools.
  pwd >"$("$venv/bin/python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))')/synthpop_py.pth"
  say "no package index answered; packages came from Debian"
}

from_index || from_debian || {
  echo "setup: FAILED. Either a package index must be reachable by pip, or this must be a Debian system with $debian_packages." >&2
  [ -f "$venv/pip.log" ] && tail -5 "$venv/pip.log" >&2
  exit 1
}
"$venv/bin/python" -c 'import numpy, pandas, scipy, pytest, hypothesis; print("setup: Python", __import__("sys").version.split()[0], "numpy", numpy.__version__, "pandas", pandas.__version__, "scipy", scipy.__version__)'
touch "$stamp"
