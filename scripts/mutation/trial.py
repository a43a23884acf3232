"""One mutant against its tests, in a copy of the repository.

Every trial is a process forked from one that has loaded NumPy, pandas and pytest, but nothing of
the package: starting them anew would take longer than most trials.
"""

from __future__ import annotations

import contextlib
import importlib
import multiprocessing
import os
import shutil
import signal
import sys
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

Result = Literal["killed", "survived", "time-out", "not covered"]
PRELOADED = ("numpy", "pandas", "scipy.optimize", "scipy.stats", "scipy.special", "hypothesis")
PRELOADED += ("pytest", "sqlite3", "matplotlib.figure", "polars", "pyarrow")
ALL_PASSED, NOTHING_RUN = 0, 5


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of a mutant: its result, the test that noticed it, and the seconds it took."""

    result: Result
    killed_by: str = ""
    seconds: float = 0.0


def preload() -> None:
    """Load what every trial needs, where it is installed."""
    os.environ |= {"SYNTHPOP_PY_NO_R": "1", "OPENBLAS_NUM_THREADS": "1"}
    for name in PRELOADED:
        with contextlib.suppress(ImportError):
            importlib.import_module(name)


def try_mutant(tree: Path, file: str, source: str, tests: Sequence[str], seconds: float) -> Outcome:
    """Put the changed module into the tree, run the tests until one fails, put it back."""
    place, original = tree / file, tree / f"{file}.original"
    shutil.copy2(place, original)  # with its time, so that compiled files stay valid
    begin = time.perf_counter()
    try:
        place.write_text(source, encoding="utf-8")
        result, killed_by = _run_in_rounds(tree, tests, seconds)
    finally:
        shutil.move(original, place)
    return Outcome(result, killed_by, round(time.perf_counter() - begin, 2))


def rounds(tests: Sequence[str]) -> list[list[str]]:
    """First the tests of the file that has most of them, then the others: most mutants die in the
    first round, and reading one file of tests takes less time than reading all.
    """
    files = Counter(test.partition("::")[0] for test in tests)
    home = f"{files.most_common(1)[0][0]}::"
    first = [test for test in tests if test.startswith(home)]
    rest = [test for test in tests if not test.startswith(home)]
    return [first, rest] if rest else [first]


def _run_in_rounds(tree: Path, tests: Sequence[str], seconds: float) -> tuple[Result, str]:
    result: Result = "survived"
    killed_by = ""
    for part in rounds(tests):
        if result == "survived":
            result, killed_by = _run(tree, part, seconds)
    return result, killed_by


def _run(tree: Path, tests: Sequence[str], seconds: float) -> tuple[Result, str]:
    told = tree / "noticed.txt"
    told.unlink(missing_ok=True)
    process = multiprocessing.get_context("fork").Process(target=_tests, args=(tree, tests, told))
    process.start()
    process.join(seconds)
    if process.is_alive():
        os.killpg(process.pid, signal.SIGKILL)
        process.join()
        return "time-out", ""
    if process.exitcode == ALL_PASSED:
        return "survived", ""
    return "killed", told.read_text(encoding="utf-8") if told.is_file() else "while loading"


def _tests(tree: Path, tests: Sequence[str], told: Path) -> None:
    """In a process of its own: run these tests and end with pytest's answer."""
    import pytest

    os.setpgrp()  # so that programs the tests start end with them
    os.chdir(tree)
    sys.path.insert(0, str(tree))
    sys.dont_write_bytecode = True
    log = os.open(tree / "trial.log", os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    os.dup2(log, 1)
    os.dup2(log, 2)
    functions = dict.fromkeys(test.partition("[")[0] for test in tests)
    options = ["-x", "-q", "-p", "no:cacheprovider", "-p", "no:xdist", "-p", "no:cov"]
    options += ["-W", "ignore::pytest.PytestAssertRewriteWarning"]  # hypothesis is loaded already
    answer = pytest.main([*options, *functions], plugins=[Chosen(tests, told)])
    os._exit(int(answer))


class Chosen:
    """A plugin of pytest: only these tests, in this order; the first that fails is written down."""

    def __init__(self, tests: Sequence[str], told: Path) -> None:
        self.tests = tests
        self.told = told

    def pytest_collection_modifyitems(self, items: list) -> None:
        by_name = {item.nodeid: item for item in items}
        items[:] = [by_name[test] for test in self.tests if test in by_name]

    def pytest_runtest_logreport(self, report: object) -> None:
        if report.failed:
            self.told.write_text(report.nodeid, encoding="utf-8")


def check_trials(tree: Path, file: str, tests: Sequence[str], seconds: float) -> None:
    """A module that was not changed must survive: otherwise trials say nothing."""
    source = (tree / file).read_text(encoding="utf-8")
    outcome = try_mutant(tree, file, source, tests, seconds)
    if outcome.result != "survived":
        raise SystemExit(f"mutants: {file} unchanged is {outcome.result}, see {tree}/trial.log")
