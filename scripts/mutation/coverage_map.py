"""Which tests reach a line, and how long each of them takes: one run of all tests, kept until the
code or the tests change.

The run happens in a copy of the repository, where the trials happen too. A test that does not pass
there is not used.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from .operators import Mutant

FEW_TESTS = 10


@dataclass(frozen=True)
class CoverageMap:
    """What one run of the tests found out.

    Attributes
    ----------
    tree : the copy of the repository that the tests ran in.
    data : coverage's file, with one context per test.
    seconds : of every test that passed.
    cost : seconds that the whole run took.
    """

    tree: Path
    data: Path
    seconds: dict[str, float]
    cost: float

    @cached_property
    def _coverage(self) -> object:
        from coverage import CoverageData

        data = CoverageData(basename=str(self.data))
        data.read()
        return data

    def tests_by_line(self, file: str) -> dict[int, set[str]]:
        """For each line of a module the tests that run it."""
        by_line = self._coverage.contexts_by_lineno(str(self.tree / file))
        return {line: self._passing(contexts) for line, contexts in by_line.items()}

    def _passing(self, contexts: Iterable[str]) -> set[str]:
        names = {context.rpartition("|")[0] for context in contexts}
        return names & self.seconds.keys()

    def in_order(self, tests: Iterable[str], most: int, budget: float) -> list[str]:
        """At most so many tests of at most so many seconds together: the fastest case of every test
        function before the second of any.
        """
        by_function: dict[str, list[str]] = {}
        for test in sorted(tests, key=self._speed):
            by_function.setdefault(test.partition("[")[0], []).append(test)
        rounds = []
        for cases in by_function.values():
            rounds += [(place, *self._speed(test)) for place, test in enumerate(cases)]
        chosen, spent = [], 0.0
        for _, seconds, test in sorted(rounds)[:most]:
            if spent + seconds <= budget or not chosen:
                chosen.append(test)
                spent += seconds
        return sorted(chosen, key=self._speed)

    def _speed(self, test: str) -> tuple[float, str]:
        return self.seconds[test], test


def tests_for(mutant: Mutant, by_line: dict[int, set[str]]) -> set[str]:
    """The tests that reach the changed text. A line that runs once only (when the module is loaded,
    or because its answer is kept) is reached by few: then all tests of the module are used.
    """
    reaching: set[str] = set()
    for line in range(mutant.line, mutant.last_line + 1):
        reaching |= by_line.get(line, set())
    reached = any(line in by_line for line in range(mutant.line, mutant.last_line + 1))
    if reached and len(reaching) < FEW_TESTS:
        reaching = reaching.union(*by_line.values())
    return reaching


def copy_tree(root: Path, tree: Path) -> None:
    """All files of the repository that git does not ignore."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=root,
        capture_output=True,
        check=True,
    )
    for name in listed.stdout.decode().split("\0"):
        if name and (root / name).is_file():
            (tree / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(root / name, tree / name)


def coverage_map(root: Path, cache: Path, tests: Iterable[str], processes: int) -> CoverageMap:
    """The map from the cache, made first where it is not there."""
    tree, data, told = cache / "tree-0", cache / "contexts.sqlite", cache / "durations.json"
    cost = cache / "cost.json"
    if not cost.is_file():
        shutil.rmtree(cache, ignore_errors=True)
        cache.mkdir(parents=True)
        copy_tree(root, tree)
        begin = time.perf_counter()
        _run_all(tree, data, told, tests, processes)
        cost.write_text(json.dumps(time.perf_counter() - begin), encoding="utf-8")
    content = json.loads(told.read_text(encoding="utf-8"))
    return CoverageMap(
        tree=tree,
        data=data,
        seconds=content["passed"],
        cost=json.loads(cost.read_text(encoding="utf-8")),
    )


def _run_all(tree: Path, data: Path, told: Path, tests: Iterable[str], processes: int) -> None:
    command = [sys.executable, "-m", "pytest", "-q", "-p", "scripts.mutation.durations"]
    command += ["-n", str(processes), "--dist", "worksteal"]
    command += ["--cov=synthpop_py", "--cov-branch", "--cov-context=test", "--cov-report=", *tests]
    settings = {
        "COVERAGE_FILE": str(data),
        "COVERAGE_CORE": "ctrace",  # sys.monitoring does not know contexts
        "MUTANTS_DURATIONS": str(told),
        "SYNTHPOP_PY_NO_R": "1",
    }
    subprocess.run(command, cwd=tree, env=os.environ | settings, check=False)
    if not told.is_file():
        raise SystemExit("mutants: the tests could not be run")
