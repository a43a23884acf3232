"""The case files: one JSON object a line, in the order in which the cases are made."""

from __future__ import annotations

import json
from pathlib import Path

from . import companions, ledger, parameters, random_calls
from .specs import Spec

CASES = Path(__file__).resolve().parent.parent / "cases"


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


def render(cases: list[Spec]) -> str:
    return "".join(json.dumps(c, ensure_ascii=False) + "\n" for c in cases)


def write_all(folder: Path = CASES) -> dict[str, int]:
    folder.mkdir(exist_ok=True)
    made = all_cases()
    for name, cases in made.items():
        (folder / f"{name}.jsonl").write_text(render(cases), encoding="utf-8")
    return {f"{name}.jsonl": len(cases) for name, cases in made.items()}


def read_all(folder: Path = CASES) -> dict[str, list[Spec]]:
    return {
        p.stem: [json.loads(line) for line in p.read_text(encoding="utf-8").splitlines()]
        for p in sorted(folder.glob("*.jsonl"))
    }
