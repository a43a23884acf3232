#!/usr/bin/env bash
# Installs, where missing, everything the parity harness needs on the R side. Run it as often as you like.
#   Debian's ready-built r-cran-* packages     for the many dependencies
#   CRAN source packages                       cmm, mipfp, broman, SDaA
#   synthpop, one library for each version     r_reference/library/<version>/
# `install.sh --check` installs nothing: it says what is missing and fails if anything is.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
check_only=${1:-}

debian_packages="r-base-core r-base-dev r-cran-rpart r-cran-party r-cran-classint r-cran-proto r-cran-polspline r-cran-randomforest
  r-cran-ranger r-cran-stringr r-cran-ggplot2 r-cran-foreign r-cran-plyr r-cran-forcats r-cran-nnet r-cran-mass r-cran-survival
  r-cran-lattice r-cran-jsonlite r-cran-numderiv r-cran-rmutil r-cran-rsolnp r-cran-tibble"

say() { printf 'r_reference: %s\n' "$*"; }
fail() { printf 'r_reference: FAILED: %s\n' "$*" >&2; exit 1; }

missing_debian() {
  for p in $debian_packages; do
    dpkg-query -W -f='${Status}\n' "$p" 2>/dev/null | grep -q 'install ok installed' || printf '%s ' "$p"
  done
}

install_debian() {
  command -v dpkg-query >/dev/null || return 0
  local missing; missing=$(missing_debian)
  [ -z "$missing" ] && return 0
  [ "$check_only" = "--check" ] && { say "missing Debian packages: $missing"; return 0; }
  say "installing Debian packages: $missing"
  [ "$(id -u)" = 0 ] || fail "run this once as root: apt-get install --no-install-recommends $missing"
  apt-get update -qq >/dev/null || fail "apt-get update"
  # shellcheck disable=SC2086
  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $missing >/dev/null || fail "apt-get install $missing"
}

install_debian
command -v Rscript >/dev/null || fail "R is not installed. On Debian or Ubuntu run this script as root; elsewhere see r_reference/README.md"
Rscript --no-save --no-restore "$here/install.R" "$here" "$check_only" || fail "see the lines above; r_reference/README.md says what each package is for"
