"""What some tests need that not every machine has: packages, programs, live R, much time.

A test says it with a mark, ``@pytest.mark.needs("rdata")``, and is skipped where that is absent. CI
sets ``SYNTHPOP_PY_MUST_RUN`` to the needs that its machine meets (``scripts/must_run.py``): a test
skipped although all its needs are on that list, or skipped without any mark, counts as failed
there.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable
from functools import cache
from importlib.util import find_spec
from pathlib import Path


def _package(name: str) -> Callable[[], bool]:
    return lambda: find_spec(name) is not None


def _program(name: str) -> Callable[[], bool]:
    return lambda: shutil.which(name) is not None


@cache
def _base_r() -> bool:
    """R as a program, with the package jsonlite; synthpop is not asked for."""
    program = shutil.which("Rscript")
    if program is None:
        return False
    look = 'quit(status = !requireNamespace("jsonlite", quietly = TRUE))'
    return subprocess.run([program, "-e", look], capture_output=True, check=False).returncode == 0


def _switched_on(variable: str) -> Callable[[], bool]:
    return lambda: bool(os.environ.get(variable))


def postgres_programs() -> Path | None:
    """The folder with `initdb` and `pg_ctl`: Debian keeps them off the path, newest last."""
    on_path = shutil.which("initdb")
    if on_path is not None:
        return Path(on_path).resolve().parent
    folders = Path("/usr/lib/postgresql").glob("*/bin/initdb")
    newest = sorted(folders, key=lambda program: float(program.parts[-3]))
    return newest[-1].parent if newest else None


def _spark() -> bool:
    return find_spec("pyspark") is not None and shutil.which("java") is not None


def _notebooks() -> bool:
    """What runs a notebook, and the kernel it runs in."""
    return all(find_spec(name) is not None for name in ("nbformat", "nbclient", "ipykernel"))


def _postgres() -> bool:
    return find_spec("psycopg") is not None and postgres_programs() is not None


def _chromium() -> bool:
    from synthpop_py.report.render import find_browser

    return find_browser() is not None


# data that others published, in folders beside the repository or where the variable says
PUBLISHED_DATA = Path(
    os.environ.get("SYNTHPOP_PY_PUBLISHED", Path(__file__).resolve().parents[2] / "shared")
)


def _data(folder: str) -> Callable[[], bool]:
    return lambda: (PUBLISHED_DATA / folder).is_dir()


NEEDS: dict[str, Callable[[], bool]] = {
    "nist": _data("nist"),
    "synth-mia": _data("synth-mia"),
    "zensical": _package("zensical"),
    "nbclient": _notebooks,
    "matplotlib": _package("matplotlib"),
    "jinja2": _package("jinja2"),
    "chromium": _chromium,
    "rdata": _package("rdata"),
    "pyreadr": _package("pyreadr"),
    "pyarrow": _package("pyarrow"),
    "polars": _package("polars"),
    "narwhals": _package("narwhals"),
    "duckdb": _package("duckdb"),
    "ibis": _package("ibis"),
    "pyspark": _spark,
    "postgres": _postgres,
    "engines": _switched_on("SYNTHPOP_PY_ENGINES"),
    "base R": _base_r,
    "a long run": _switched_on("SYNTHPOP_PY_LONG"),
    "a slow run": _switched_on("SYNTHPOP_PY_SLOW"),
    "Maryland PUMS": _switched_on("SYNTHPOP_PY_MARYLAND_PUMS"),
}


def is_met(need: str) -> bool:
    return NEEDS[need]()


def must_run() -> frozenset[str] | None:
    """Needs that must not lead to a skip; None outside of CI."""
    given = os.environ.get("SYNTHPOP_PY_MUST_RUN")
    return None if given is None else frozenset(filter(None, given.split(",")))
