"""Masks and utility measures on generated data; prints seconds, and the ratio to a bare sort of as
many numbers, which depends less on the machine.

python benchmarks/bench_risk_utility.py                    1 million records
python benchmarks/bench_risk_utility.py --sizes 100000     another size
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from synthpop_py.masks import add_noise, swap
from synthpop_py.ru_map import ru_map
from synthpop_py.utility import propensity_utility, table_utility

KEYS = ["sex", "age", "place"]


def generated(n: int, seed: int) -> pd.DataFrame:
    """Six variables: three keys, an area of 400, a category and an amount."""
    generator = np.random.default_rng(seed)
    area = generator.integers(0, 400, n)
    columns: dict[str, Any] = {
        "sex": generator.integers(0, 2, n),
        "age": generator.integers(16, 96, n),
        "place": generator.integers(0, 6, n),
        "area": area,
    }
    columns["job"] = pd.Categorical.from_codes(
        generator.integers(0, 12, n), [f"job {i}" for i in range(12)]
    )
    columns["income"] = generator.lognormal(7, 0.5, n) + area
    return pd.DataFrame(columns)


def timed(work: Callable[[], Any]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def measure(name: str, work: Callable[[], Any], bare: Callable[[], Any], rounds: int) -> None:
    """Both in turns; one round before is not counted."""
    work(), bare()
    pairs = [(timed(work), timed(bare)) for _ in range(rounds)]
    seconds, ratio = (
        statistics.median(values) for values in ([w for w, _ in pairs], [w / b for w, b in pairs])
    )
    print(f"{name:64s} {seconds:7.2f} s   {ratio:7.1f} sorts")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--sizes", type=int, nargs="*", default=[1_000_000])
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    for n in options.sizes:
        original, other = generated(n, 1), generated(n, 2)
        numbers = np.random.default_rng(3).random(n)
        print(
            f"{n:,} records, 6 variables; a bare sort of as many numbers takes"
            f" {timed(lambda: np.sort(numbers)):.3f} s"
        )
        works: dict[str, Callable[[], Any]] = {
            "add_noise, income": lambda: add_noise(
                original, "income", ratio=0.2, seed=1, reproducible=True
            ),
            "add_noise, age and income, correlated": lambda: add_noise(
                original, ["age", "income"], ratio=0.2, correlated=True, seed=1, reproducible=True
            ),
            "swap, keys sex, age, place, attribute area": lambda: swap(
                original, KEYS, "area", 0.5, seed=1, reproducible=True
            ),
            "table_utility, 6 one-way and 15 two-way tables": lambda: table_utility(
                other, original
            ),
            "propensity_utility, main effects": lambda: propensity_utility(other, original),
            "ru_map of two releases, repU, DiSCO and tvd": lambda: ru_map(
                {"a": other, "b": original},
                original,
                keys=KEYS,
                target="job",
                risk=["repU", "DiSCO"],
            ),
        }
        for name, work in works.items():
            measure(name, work, lambda: np.sort(numbers), options.rounds)


if __name__ == "__main__":
    main()
