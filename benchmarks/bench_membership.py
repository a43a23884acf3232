"""How long `membership()` takes as the records grow: as many members as non-members, the attacks
that a call makes by default, on categories beside numbers and on eight normal columns.

    python benchmarks/bench_membership.py          prints, and writes docs/membership_speed.json
"""

from __future__ import annotations

import json
import os
import sys
import time
from pathlib import Path

import numpy as np
import pandas as pd

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from synthpop_py import membership  # noqa: E402

RECORD = ROOT / "docs" / "membership_speed.json"
SIZES = (25_000, 50_000, 100_000)


def people(n: int, seed: int) -> pd.DataFrame:
    generator = np.random.default_rng(seed)

    def levels(number: int) -> np.ndarray:
        weights = 1 / np.arange(1, number + 1)
        return generator.choice([f"l{i}" for i in range(number)], n, p=weights / weights.sum())

    return pd.DataFrame(
        {
            "sex": levels(2),
            "region": levels(16),
            "education": levels(5),
            "marital": levels(5),
            "age": generator.integers(16, 97, n),
            "income": generator.lognormal(8, 1, n).round(-1),
            "hours": generator.normal(38, 8, n).round(),
        }
    )


def numbers(n: int, seed: int) -> pd.DataFrame:
    return pd.DataFrame(np.random.default_rng(seed).normal(size=(n, 8))).rename(columns=str)


def main() -> None:
    seconds: dict[str, dict[str, float]] = {}
    for kind, make in {"four categories, three numbers": people, "eight numbers": numbers}.items():
        for n in SIZES:
            synthetic, original, holdout = (make(n, seed) for seed in range(3))
            start = time.perf_counter()
            membership(synthetic, original, holdout, seed=1)
            seconds.setdefault(kind, {})[f"{n:,}"] = round(time.perf_counter() - start, 1)
        print(kind, seconds[kind])
    made = {"seconds": seconds, "cores": os.cpu_count(), "date": time.strftime("%Y-%m-%d")}
    RECORD.write_text(json.dumps(made, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
