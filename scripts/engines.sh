#!/usr/bin/env bash
# Every recorded case through the engines. Installs what is missing: DuckDB, Ibis and Spark from a
# package index, PostgreSQL and Java from Debian where we are root. What cannot be had is named, and
# its tests are skipped; what is here must run.
set -uo pipefail
cd "$(dirname "$0")/.."
python=.venv/bin/python
told=$(mktemp)
trap 'rm -f "$told"' EXIT

say() { printf 'engines: %s\n' "$*"; }
has() { "$python" -c "import $1" 2>/dev/null; }

install_packages() {
  has duckdb && has ibis && has psycopg && has pyspark && return
  if command -v uv >/dev/null; then
    uv pip install -q --python "$python" -e ".[duckdb,sql,spark]" >"$told" 2>&1 && return
  elif "$python" -m pip install -q --timeout 20 -e ".[duckdb,sql,spark]" >"$told" 2>&1; then
    return
  fi
  say "DuckDB, Ibis and Spark could not be installed; the index said:"
  tail -3 "$told"
}

install_from_debian() {
  local wanted=""
  command -v java >/dev/null || wanted="$wanted default-jre-headless"
  command -v initdb >/dev/null || ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1 ||
    wanted="$wanted postgresql"
  [ -n "$wanted" ] || return
  if [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null; then
    say "not here, and only root can install it on Debian:$wanted"
    return
  fi
  say "installing from Debian:$wanted"
  # no server of the system's own: the tests start theirs
  if [ ! -e /etc/postgresql-common/createcluster.conf ]; then
    mkdir -p /etc/postgresql-common
    echo "create_main_cluster = false" >/etc/postgresql-common/createcluster.conf
  fi
  # shellcheck disable=SC2086
  { apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq \
      --no-install-recommends -o Dpkg::Options::=--force-confold $wanted; } >"$told" 2>&1 ||
    { say "Debian's packages could not be installed:$wanted"; tail -3 "$told"; }
}

install_packages
install_from_debian

export SYNTHPOP_PY_ENGINES=1
SYNTHPOP_PY_MUST_RUN=$("$python" scripts/must_run.py)
export SYNTHPOP_PY_MUST_RUN
for engine in polars pyarrow duckdb ibis pyspark postgres; do
  case ",$SYNTHPOP_PY_MUST_RUN," in
    *",$engine,"*) ;;
    *) say "not here, so not tested: $engine" ;;
  esac
done

# two processes, each with its own Spark session and PostgreSQL server
spread=""
has xdist && spread="-n 2 --dist worksteal"
# shellcheck disable=SC2086
# beside engines what takes long: the report in a real browser, plots where there is little room,
# pages that compute much
more="tests/browser tests/unit/test_plots_layout.py tests/unit/test_docs.py"
exec "$python" -m pytest -q tests/engines $more $spread "$@"
