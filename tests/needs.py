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


NEEDS: dict[str, Callable[[], bool]] = {
    "matplotlib": _package("matplotlib"),
    "rdata": _package("rdata"),
    "pyreadr": _package("pyreadr"),
    "pyarrow": _package("pyarrow"),
    "polars": _package("polars"),
    "base R": _base_r,
    "a long run": _switched_on("SYNTHPOP_PY_LONG"),
    "a slow run": _switched_on("SYNTHPOP_PY_SLOW"),
    "engines": _switched_on("SYNTHPOP_PY_ENGINES"),
}


def is_met(need: str) -> bool:
    return NEEDS[need]()


def must_run() -> frozenset[str] | None:
    """Needs that must not lead to a skip; None outside of CI."""
    given = os.environ.get("SYNTHPOP_PY_MUST_RUN")
    return None if given is None else frozenset(filter(None, given.split(",")))
