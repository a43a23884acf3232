"""The case files: one JSON object a line, in the order in which the cases are made."""

from __future__ import annotations

import json
from pathlib import Path

from . import companions, ledger, parameters, random_calls, syn_calls
from .specs import Spec

CASES = Path(__file__).resolve().parent.parent / "cases"
SYN_CASES = Path(__file__).resolve().parent.parent / "syn_cases"


SLOW = "slow"


def all_cases() -> dict[str, list[Spec]]:
    """Cases by file; those that need minutes of R's time are gathered in a file of their own."""
    made = {
        **parameters.cases_by_file(),
        "ledger": ledger.cases(),
        "companions": companions.cases(),
        "random": random_calls.cases(),
    }
    quick = {name: [c for c in cases if not c.get("slow")] for name, cases in made.items()}
    return {**quick, SLOW: [c for cases in made.values() for c in cases if c.get("slow")]}


def all_syn_cases() -> dict[str, list[Spec]]:
    """Calls of `syn()` by file: recorded in ``fixtures/syn``, and more that could be."""
    return {"recorded": syn_calls.recorded_cases(), "more": syn_calls.more_cases()}


def render(cases: list[Spec]) -> str:
    return "".join(json.dumps(c, ensure_ascii=False) + "\n" for c in cases)


def write_all() -> dict[str, int]:
    """Write all case files; how many cases each has."""
    written = {}
    for folder, made in ((CASES, all_cases()), (SYN_CASES, all_syn_cases())):
        folder.mkdir(exist_ok=True)
        for name, cases in made.items():
            (folder / f"{name}.jsonl").write_text(render(cases), encoding="utf-8")
            written[f"{folder.name}/{name}.jsonl"] = len(cases)
    return written


def read_all(folder: Path = CASES) -> dict[str, list[Spec]]:
    return {
        p.stem: [json.loads(line) for line in p.read_text(encoding="utf-8").splitlines()]
        for p in sorted(folder.glob("*.jsonl"))
    }
