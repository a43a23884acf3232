"""Do the tests notice when the code is changed? A random sample of small changes, one at a time.

python scripts/mutants.py                      300 mutants, seed 12 (make mutants)
python scripts/mutants.py --size 20 --seed 3   another sample
python scripts/mutants.py --report             count again, with the verdicts written by hand
python scripts/mutants.py --again tests/unit/test_new.py
                                               the survivors against new tests only

The record, docs/mutants.json, is written after every mutant: a run that was stopped goes on where
it ended, as long as the code is the same (--fresh replaces the record of other code). Give a
survivor a field "verdict": "equivalent: why" takes it out of the count, "killed by new test: which"
counts it as killed. The working tree is never changed. Which tests reach which line is found out
once (minutes) and kept in .mutants until code or tests change.
"""

from __future__ import annotations

import argparse
import hashlib
import multiprocessing
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path[0] = str(ROOT)  # not scripts, where coverage.py hides the package of that name

from scripts.mutation import record as records  # noqa: E402
from scripts.mutation import sampling, trial  # noqa: E402
from scripts.mutation.coverage_map import CoverageMap, coverage_map, tests_for  # noqa: E402
from scripts.mutation.sampling import Site  # noqa: E402

CACHE = ROOT / ".mutants"
MOST_TESTS = 120
BUDGET = 45.0  # seconds that the tests of one mutant take without it
PROCESSES = 2


def main(arguments: Sequence[str] | None = None) -> int:
    asked = parse(arguments)
    if asked.report:
        return print_report(asked.record)
    sites = sampling.sites(ROOT, asked.rooms)
    for room in sampling.missing_rooms(ROOT, asked.rooms):
        print(f"mutants: there is no {room}")
    chosen = sampling.sample(sites, asked.size, asked.seed)
    record = opened(asked, chosen, len(sites))
    if asked.again:
        again(record, chosen, asked)
    else:
        try_all(record, chosen, asked)
    return print_report(asked.record)


def parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--size", type=int, default=300, help="how many mutants")
    parser.add_argument("--seed", type=int, default=12)
    parser.add_argument("--rooms", nargs="+", default=list(sampling.ROOMS))
    parser.add_argument("--tests", nargs="+", default=["tests"], help="tests to use")
    parser.add_argument("--record", type=Path, default=ROOT / "docs" / "mutants.json")
    parser.add_argument("--report", action="store_true", help="only count and print")
    parser.add_argument("--fresh", action="store_true", help="replace the record of other code")
    parser.add_argument("--again", nargs="+", help="survivors against these tests")
    return parser.parse_args(arguments)


def print_report(path: Path) -> int:
    """Print the tables, and write the counts into the record."""
    record = records.read(path)
    if record is None:
        print(f"mutants: {path} is not there")
        return 1
    save(path, record)
    print(records.report(record))
    return 0


def save(path: Path, record: dict[str, Any]) -> None:
    rows = record["mutants"]
    records.write(path, record | {"summary": records.summary(rows), "mutants": rows})


# ---- the record ----------------------------------------------------------------------


def opened(asked: argparse.Namespace, chosen: Sequence[Site], sites: int) -> dict[str, Any]:
    """The record that is there, if it is of the same sample; otherwise a new one."""
    head = {
        "seed": asked.seed,
        "size": len(chosen),
        "sites": sites,
        "rooms": list(asked.rooms),
        "sources": sampling.digest(ROOT, sampling.files_of(ROOT, asked.rooms)),
    }
    known = records.read(asked.record)
    if known is not None and all(known.get(name) == value for name, value in head.items()):
        return known
    if known is not None and not asked.fresh:
        raise SystemExit(
            f"mutants: {asked.record} is of another sample or of other code, and may hold verdicts;"
            " --fresh starts a new one in its place"
        )
    return head | {"commit": commit(), "mutants": [records.new_row(site) for site in chosen]}


def commit() -> str:
    def git(*command: str) -> str:
        done = subprocess.run(["git", *command], cwd=ROOT, capture_output=True, text=True)
        return done.stdout.strip()

    changed = git("status", "--porcelain", "--", sampling.PACKAGE)
    return git("rev-parse", "--short", "HEAD") + (" with changes" if changed else "")


# ---- running -------------------------------------------------------------------------


def try_all(record: dict[str, Any], chosen: Sequence[Site], asked: argparse.Namespace) -> None:
    """Every mutant that was not tried yet against the tests that reach it."""
    covered = covered_lines(asked)
    record["coverage_seconds"] = round(covered.cost)
    pending = [i for i, row in enumerate(record["mutants"]) if not row["outcome"]]
    tasks = {}
    for i, tests in chosen_tests(covered, chosen, pending):
        tasks[i] = tests
        if not tests:
            record["mutants"][i]["outcome"] = "not covered"
    save(asked.record, record)
    limits = {i: 30 + 3 * sum(map(covered.seconds.get, tests)) for i, tests in tasks.items()}
    for i, outcome in outcomes(covered.tree, chosen, tasks, limits):
        row = record["mutants"][i]
        row |= {"outcome": outcome.result, "seconds": outcome.seconds, "tests": len(tasks[i])}
        if outcome.killed_by:
            row["killed_by"] = outcome.killed_by
        save(asked.record, record)
        print(f"{outcome.result:<10}{outcome.seconds:7.1f} s  {row['file']}:{row['line']}")


def covered_lines(asked: argparse.Namespace) -> CoverageMap:
    files = sampling.files_of(ROOT, ["."])
    files += [p.relative_to(ROOT).as_posix() for p in (ROOT / "tests").rglob("*.py")]
    chosen = hashlib.sha256(" ".join(asked.tests).encode()).hexdigest()[:6]
    folder = CACHE / f"{sampling.digest(ROOT, files)}-{chosen}"
    return coverage_map(ROOT, folder, asked.tests, PROCESSES)


def chosen_tests(
    covered: CoverageMap, chosen: Sequence[Site], pending: Sequence[int]
) -> Iterator[tuple[int, list[str]]]:
    """The tests of every pending mutant, module by module: the map of a module is large."""
    by_file: dict[str, list[int]] = {}
    for i in pending:
        by_file.setdefault(chosen[i].file, []).append(i)
    for file, places in sorted(by_file.items()):
        by_line = covered.tests_by_line(file)
        for i in places:
            tests = tests_for(chosen[i].mutant, by_line)
            yield i, covered.in_order(tests, MOST_TESTS, BUDGET)


def outcomes(
    tree: Path, chosen: Sequence[Site], tasks: dict[int, list[str]], limits: dict[int, float]
) -> Iterator[tuple[int, trial.Outcome]]:
    """What comes of the mutants, as each is done; every process has a copy of the tree."""
    context = multiprocessing.get_context("spawn")
    trees = context.Queue()
    for number in range(1, PROCESSES + 1):
        trees.put(copied(tree, number))
    checked = next((i for i, tests in tasks.items() if tests), None)
    if checked is None:
        return
    check = (chosen[checked].file, tasks[checked][:20], 300.0)
    with ProcessPoolExecutor(PROCESSES, context, begin, (trees, check)) as pool:
        futures: dict[Future, int] = {}
        for i, tests in tasks.items():
            if tests:
                site = chosen[i]
                task = (site.file, site.mutant.source, tests, limits[i])
                futures[pool.submit(attempt, *task)] = i
        for future in as_completed(futures):
            yield futures[future], future.result()


def copied(tree: Path, number: int) -> Path:
    place = tree.with_name(f"tree-{number}")
    shutil.rmtree(place, ignore_errors=True)
    return shutil.copytree(tree, place)


TREE: list[Path] = []  # of this process


def begin(trees: multiprocessing.Queue, check: tuple[str, list[str], float]) -> None:
    """When a process starts: it takes a tree, loads what trials need and checks that they work."""
    TREE.append(trees.get())
    trial.preload()
    trial.check_trials(TREE[0], *check)


def attempt(file: str, source: str, tests: list[str], seconds: float) -> trial.Outcome:
    return trial.try_mutant(TREE[0], file, source, tests, seconds)


def again(record: dict[str, Any], chosen: Sequence[Site], asked: argparse.Namespace) -> None:
    """Survivors against new tests; the verdict says which of them noticed."""
    asked.tests = asked.again
    covered = covered_lines(asked)
    every = covered.in_order(covered.seconds, len(covered.seconds), float("inf"))
    alive = [
        i
        for i, row in enumerate(record["mutants"])
        if records.final(row) in ("survived", "not covered")
    ]
    limit = 60 + 3 * sum(covered.seconds.values())
    tasks = dict.fromkeys(alive, every)
    for i, outcome in outcomes(covered.tree, chosen, tasks, dict.fromkeys(alive, limit)):
        if outcome.result in ("killed", "time-out"):
            record["mutants"][i]["verdict"] = f"{records.NEW_TEST}: {outcome.killed_by}"
            save(asked.record, record)


if __name__ == "__main__":
    sys.exit(main())
