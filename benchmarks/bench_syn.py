"""`syn()` by step, and as data grow. R's times were recorded once, on another day: see the README.

python benchmarks/bench_syn.py             SD2011 (m = 1 and 5) and growth up to 50 thousand records
python benchmarks/bench_syn.py --adult     Adult too, about half a minute
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

import numpy as np
import pandas as pd

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from synthpop_py import datasets, syn  # noqa: E402
from synthpop_py.synthesis.api import Drawing  # noqa: E402

NINE = ["sex", "age", "region", "placesize", "depress", "income", "ls", "marital", "workab"]
R_SECONDS = {"SD2011, m = 1": 2.8, "SD2011, m = 5": 13.2, "Adult": 58.0}  # recorded, two cores


def timed(data: pd.DataFrame, **arguments: object) -> float:
    start = time.perf_counter()
    syn(data, print_flag=False, **arguments)
    return time.perf_counter() - start


def against_r(name: str, data: pd.DataFrame, **arguments: object) -> None:
    seconds = min(timed(data, seed=8564, **arguments) for _ in range(3))
    r_seconds = R_SECONDS[name]
    print(
        f"{name:<16}{seconds:7.2f} s   R, recorded {r_seconds:6.1f} s   {seconds / r_seconds:5.2f}"
    )


def by_step(data: pd.DataFrame) -> None:
    """Seconds of each step, measured where a step begins."""
    begun: list[tuple[str, float]] = []
    original = Drawing.one_set

    def measured(drawing: Drawing, copied: np.ndarray) -> object:
        drawing.begin = lambda step: begun.append((str(step.place), time.perf_counter()))
        return original(drawing, copied)

    Drawing.one_set = measured
    try:
        syn(data, seed=8564, cont_na={"income": -8}, print_flag=False)
    finally:
        Drawing.one_set = original
    ends = [moment for _, moment in begun[1:]] + [time.perf_counter()]
    for (place, start), end in zip(begun, ends, strict=True):
        print(f"   {place:<24}{end - start:7.2f} s")


def growth(data: pd.DataFrame, sizes: list[int]) -> None:
    rng = np.random.default_rng(1)
    for size in sizes:
        rows = rng.integers(0, len(data), size)
        larger = data.iloc[rows].reset_index(drop=True)
        larger["age"] = larger["age"] + rng.normal(0, 0.5, size).round(1)
        seconds = timed(larger, seed=1)
        print(f"{size:>8,} records {seconds:8.2f} s   {1e6 * seconds / size:7.0f} µs per record")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--adult", action="store_true")
    parser.add_argument("--sizes", type=int, nargs="+", default=[1000, 5000, 20_000, 50_000])
    options = parser.parse_args()
    sd2011 = datasets.load("SD2011")[NINE]
    against_r("SD2011, m = 1", sd2011, cont_na={"income": -8})
    against_r("SD2011, m = 5", sd2011, m=5)
    by_step(sd2011)
    if options.adult:
        adult = datasets.load("Adult")
        visits = [name for name in adult.columns if name != "native.country"]
        visits.append("native.country")
        against_r("Adult", adult, visit_sequence=visits)
    growth(sd2011, options.sizes)


if __name__ == "__main__":
    main()
