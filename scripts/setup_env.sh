#!/usr/bin/env bash
# Makes .venv with everything the project needs: from a package index where one answers (with uv where
# it is installed, otherwise with pip), and from Debian's packages where none does. Never calls sudo.
set -euo pipefail
trap 'exit 130' INT TERM  # pip swallows Ctrl-C: without this, the next way would be tried
cd "$(dirname "$0")/.."

here=$PWD
venv=.venv
stamp="$venv/.ready"
told=$(mktemp)  # beside .venv, which is removed before the next way is tried
trap 'rm -f "$told"' EXIT
lowest="3, 11"
extras="plot,report,rdata,pyreadr,frames,duckdb,sql"
groups="dev"
debian_packages="python3 python3-venv python3-numpy python3-pandas python3-scipy python3-matplotlib
  python3-jinja2
  python3-pytest python3-pytest-xdist python3-hypothesis"

say() { printf 'setup: %s\n' "$*"; }

has_r() { command -v R >/dev/null; }

# rpy2 3.6 wants R 4.5 or later; 3.5 is the last for earlier ones.
rpy2_for_this_r() {
  local version
  version=$(R --version | sed -n '1s/^R version \([0-9]*\.[0-9]*\).*/\1/p')
  version=${version:-99}  # R-devel says no number in this line; it is later than any
  if [ "$(printf '%s\n4.5\n' "$version" | sort -V | head -n 1)" = 4.5 ]; then
    echo "rpy2>=3.6"
  else
    echo "rpy2>=3.5,<3.6"
  fi
}

# The stamp holds what the environment was made for: when R comes to the machine, it is made again.
wanted_for() { has_r && rpy2_for_this_r || echo "without R"; }

is_ready() {
  [ -f "$stamp" ] && [ "$stamp" -nt pyproject.toml ] && [ "$stamp" -nt scripts/setup_env.sh ] &&
    [ "$(cat "$stamp")" = "$(wanted_for)" ] && imports_work
}

# From another folder: a checkout that was moved must not find the old one, or nothing.
imports_work() {
  (cd / && "$here/$venv/bin/python" - "$here" 2>/dev/null) <<'PYTHON'
import sys

import hypothesis
import numpy
import pandas
import pytest
import scipy
import synthpop_py
import xdist

raise SystemExit(not (synthpop_py.__file__ or "").startswith(sys.argv[1] + "/"))
PYTHON
}

new_enough() { "$1" -c "import sys; raise SystemExit(sys.version_info < ($lowest))" 2>/dev/null; }

find_python() {
  local python
  for python in "${PYTHON:-python3}" python3 python python3.14 python3.13 python3.12 python3.11; do
    if command -v "$python" >/dev/null && new_enough "$python"; then
      command -v "$python"
      return 0
    fi
  done
  return 1
}

log() { "$@" >>"$told" 2>&1; }

with_uv() {
  command -v uv >/dev/null || return 1
  local python
  python=$(find_python) || python=">=3.11"
  rm -rf "$venv"
  UV_PYTHON_DOWNLOADS=${UV_PYTHON_DOWNLOADS:-never} uv venv -q --python "$python" "$venv" || return 1
  local install="uv pip install -q --python $venv/bin/python"
  log $install -e ".[$extras]" --group "$groups" || return 1
  add_rpy2 $install
  touch "$venv/.from_index"
  say "packages came from the package index, with uv"
}

with_pip() {
  local python
  python=$(find_python) || return 1
  rm -rf "$venv"
  "$python" -m venv "$venv" >/dev/null 2>&1 || return 1
  local install="$venv/bin/python -m pip --disable-pip-version-check install -q --timeout 20"
  # Dependency groups are known to pip from 25.1 on. No retries: without an index this fails at once.
  log $install --retries 0 'pip>=25.1' || return 1
  log $install -e ".[$extras]" --group "$groups" || return 1
  add_rpy2 $install
  touch "$venv/.from_index"
  say "packages came from the package index, with pip"
}

add_rpy2() {
  has_r || return 0
  if ! log "$@" "$(rpy2_for_this_r)"; then
    say "rpy2 could not be installed for this R: no comparison with live R. Why:"
    tail -3 "$told"
  fi
}

missing_debian_packages() {
  local package
  for package in $debian_packages $(has_r && echo python3-rpy2); do
    dpkg-query -W -f='${Status}\n' "$package" 2>/dev/null | grep -q 'install ok installed' ||
      printf '%s ' "$package"
  done
}

from_debian() {
  command -v apt-get >/dev/null || return 1
  local missing
  missing=$(missing_debian_packages)
  if [ -n "$missing" ]; then
    if [ "$(id -u)" != 0 ]; then
      say "packages could not be had from a package index. Run this once as root, then make again:" >&2
      echo "  apt-get install --no-install-recommends ${missing% }" >&2
      exit 1
    fi
    say "packages could not be had from a package index; installing Debian's: $missing"
    [ -s "$told" ] && { say "the index said:"; tail -3 "$told"; }
    apt-get update -qq >/dev/null || return 1
    # shellcheck disable=SC2086
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $missing \
      >/dev/null || return 1
  fi
  rm -rf "$venv"
  /usr/bin/python3 -m venv --system-site-packages --without-pip "$venv" || return 1
  # The checkout goes on the path as it is: building a wheel would need tools from an index.
  local site
  site=$("$venv/bin/python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))')
  pwd >"$site/synthpop_py.pth"
  say "packages came from Debian"
}

is_ready && exit 0
with_uv || with_pip || from_debian || {
  say "FAILED. Either pip or uv must reach a package index from Python 3.11 or later," >&2
  say "or this must be a Debian system with: $(echo $debian_packages)" >&2
  [ -s "$told" ] && tail -5 "$told" >&2
  exit 1
}
"$venv/bin/python" - <<'PYTHON'
import platform

import numpy
import pandas
import scipy

parts = [("Python", platform.python_version()), ("numpy", numpy.__version__)]
parts += [("pandas", pandas.__version__), ("scipy", scipy.__version__)]
print("setup:", ", ".join(f"{name} {version}" for name, version in parts))
PYTHON
wanted_for >"$stamp"
