"""Counts for the page "Does it match R?": what was recorded, and how the port answers the quick
part of it.
"""

from __future__ import annotations

from collections import Counter
from functools import cache
from typing import Any

import pandas as pd

from r_reference.case_maker.files import read_all
from r_reference.records import load_records, versions
from synthpop_py import InputError
from tests.parity.port_side import (
    NO_TIBBLES_IN_PYTHON,
    has_lost_counts,
    has_rows_of_na,
    port_differences,
    run_port,
)

QUICK = ("random", "ledger", "refusals", "paper")
MODES = {"1.9-3": "r", "1.9-2": "r-1.9-2"}

ALIKE = "alike"
BOTH_REFUSE = "both refuse"
R_REFUSES = "R refuses, the port answers"
R_CRASHES = "R crashes, the port answers"
CRASH_REFUSED = "R crashes, the port refuses"
PORT_REFUSES = "R answers a bad call, the port refuses"
NO_COUNTERPART = "no counterpart in Python"
DIFFERENT = "different"
OUTCOMES = (
    ALIKE,
    BOTH_REFUSE,
    R_REFUSES,
    R_CRASHES,
    CRASH_REFUSED,
    PORT_REFUSES,
    NO_COUNTERPART,
    DIFFERENT,
)


@cache
def _records(version: str) -> dict[str, Any]:
    return load_records(version)


@cache
def _cases() -> dict[str, list[dict[str, Any]]]:
    return read_all()


def _runs(file: str, version: str) -> list[tuple[dict[str, Any], str, dict[str, Any]]]:
    """Every recorded run of a file: (case, collation, R's result)."""
    records = _records(version)
    return [
        (case, c, records[f"{case['id']} [{c}]"]["result"])
        for case in _cases()[file]
        for c in case.get("collation", ["icu"])
    ]


def recorded() -> pd.DataFrame:
    """Recorded runs by file: by function, by what R did, and how many differ by version."""
    rows = {}
    for file in _cases():
        new, old = (_runs(file, version) for version in versions())
        calls = Counter(
            "disclosure" if case["call"] == "disclosure" else "other functions"
            for case, _, _ in new
        )
        status = Counter(result["status"] for _, _, result in new)
        moved = sum(a != b for (_, _, a), (_, _, b) in zip(new, old))
        rows[file] = {
            "recorded": len(new),
            "of `disclosure()`": calls["disclosure"],
            "of other functions": calls["other functions"],
            "R answers": status["ok"],
            "R refuses": status["refused"],
            "R crashes": status["crashed"],
            f"differ from {versions()[1]}": moved,
        }
    frame = pd.DataFrame.from_dict(rows, orient="index")
    frame.loc["**all**"] = frame.sum()
    return frame.astype(int)


def _outcome(case: dict[str, Any], collation: str, result: dict[str, Any], mode: str) -> str:
    try:
        answer = run_port(case, collation, mode)
    except InputError:
        return {"ok": PORT_REFUSES, "refused": BOTH_REFUSE, "crashed": CRASH_REFUSED}[
            result["status"]
        ]
    if result["status"] != "ok":
        return R_REFUSES if result["status"] == "refused" else R_CRASHES
    if case["id"] in NO_TIBBLES_IN_PYTHON:
        return NO_COUNTERPART
    return DIFFERENT if port_differences(result, answer) else ALIKE


@cache
def outcomes() -> dict[tuple[str, str, str, str], str]:
    """How the port answers every quick recorded call of `disclosure()`: by (version, file, case,
    collation).
    """
    return {
        (version, file, case["id"], collation): _outcome(case, collation, result, MODES[version])
        for version in versions()
        for file in QUICK
        for case, collation, result in _runs(file, version)
        if case["call"] == "disclosure"
    }


def compared() -> pd.DataFrame:
    """Outcomes by version and file."""
    counts = Counter(
        (f"{version}, {file}", outcome) for (version, file, _, _), outcome in outcomes().items()
    )
    names = list(dict.fromkeys(name for name, _ in counts))
    frame = pd.DataFrame(
        [[counts[name, outcome] for outcome in OUTCOMES] for name in names],
        index=names,
        columns=list(OUTCOMES),
    )
    frame.insert(0, "run", frame.sum(axis=1))
    frame.loc["**all**"] = frame.sum()
    return frame


def cases_with(outcome: str) -> list[str]:
    return sorted({case for (_, _, case, _), found in outcomes().items() if found == outcome})


def partly_compared() -> tuple[int, int]:
    """Of the calls answered alike, those with counts that R lost (D6) and those with rows of NA
    (D11).
    """
    results = [
        (key, result)
        for version in versions()
        for file in QUICK
        for case, c, result in _runs(file, version)
        if outcomes().get(key := (version, file, case["id"], c)) == ALIKE
    ]
    return sum(has_lost_counts(r) for _, r in results), sum(has_rows_of_na(r) for _, r in results)
