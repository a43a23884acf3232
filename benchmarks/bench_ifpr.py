"""IFPR on generated data against the least anybody could do, a bare NumPy count of the same keys;
alternating in one run, ratios are what to read.

python benchmarks/bench_ifpr.py                    100 thousand and 1 million records
python benchmarks/bench_ifpr.py --sizes 10000000   another size
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

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from synthpop_py.ifpr import ifpr, ifpr_risk, ifpr_theta  # noqa: E402

LEVELS = {"sex": 2, "age": 92, "race": 9, "marital": 5, "area": 440}
KEYS = list(LEVELS)
BLOCKS = [
    "sex",
    {"age": [18, 25, 35, 45, 55, 65]},
    {"race": {0: "white", 1: "black", **dict.fromkeys(range(2, 9), "other")}},
]


def generated(n: int, seed: int = 1) -> pd.DataFrame:
    """Keys with levels of unequal size, the i-th with weight 1 / i, and a value that is no key."""
    rng = np.random.default_rng(seed)
    columns = {}
    for name, levels in LEVELS.items():
        weights = 1 / np.arange(1, levels + 1)
        columns[name] = rng.choice(levels, n, p=weights / weights.sum()).astype(np.int16)
    return pd.DataFrame(columns | {"income": rng.lognormal(10, 1, n)})


def bare_count(frame: pd.DataFrame) -> np.ndarray:
    code = np.zeros(len(frame), dtype=np.int64)
    for name, levels in LEVELS.items():
        code = code * levels + frame[name].to_numpy()
    return np.bincount(code, minlength=int(np.prod(list(LEVELS.values()))))


def timed(work: Callable[[], Any]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def against_bare(name: str, work: Callable[[], Any], bare: Callable[[], Any], rounds: int) -> None:
    """Medians of alternating rounds; one before that is not counted."""
    work(), bare()
    pairs = [(timed(work), timed(bare)) for _ in range(rounds)]
    ratio = statistics.median(a / b for a, b in pairs)
    print(
        f"{name:52s} {statistics.median(a for a, _ in pairs):8.3f} s   bare count"
        f" {1000 * statistics.median(b for _, b in pairs):7.1f} ms   ratio {ratio:6.1f}"
    )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--sizes", type=int, nargs="*", default=[100_000, 1_000_000])
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    for n in options.sizes:
        frame = generated(n)
        release = ifpr(frame, KEYS, xi=0.395, blocks=BLOCKS, seed=1, reproducible=True)
        units = int(release.design["units"].sum())
        print(
            f"{n:,} records, {units:,} of them in cells of one or two, {len(release.design)} blocks"
        )
        bare = lambda: bare_count(frame)  # noqa: E731
        against_bare(
            "  ifpr(xi=0.395), 42 blocks",
            lambda: ifpr(frame, KEYS, xi=0.395, blocks=BLOCKS, seed=1, reproducible=True),
            bare,
            options.rounds,
        )
        against_bare(
            "  ifpr(xi=0.395), no blocks",
            lambda: ifpr(frame, KEYS, xi=0.395, seed=1, reproducible=True),
            bare,
            options.rounds,
        )
        against_bare(
            "  ifpr(xi=0.2), thetas by size",
            lambda: ifpr(frame, KEYS, xi=0.2, blocks=BLOCKS, seed=1, reproducible=True),
            bare,
            options.rounds,
        )
        against_bare("  audit, 10 runs", lambda: release.audit(10, seed=1), bare, options.rounds)
        against_bare("  verify", release.verify, bare, options.rounds)
        against_bare(
            "  tvd of all 1- and 2-way tables",
            lambda: release.tvd(order=[1, 2]),
            bare,
            options.rounds,
        )
    print("formulas")
    for name, work in {
        "  risk, block of a million cells, 20 counts": lambda: ifpr_risk(
            0.8, 1, np.arange(1, 21), {1: 700_000, 2: 300_000}
        ),
        "  theta for xi = 0.395, block of a million cells": lambda: ifpr_theta(
            0.395, {1: 700_000, 2: 300_000}
        ),
        "  theta for xi = 0.25, by size, 19 cells": lambda: ifpr_theta(0.25, {1: 10, 2: 5, 3: 4}),
    }.items():
        work()
        print(f"{name:52s} {statistics.median(timed(work) for _ in range(options.rounds)):8.3f} s")


if __name__ == "__main__":
    main()
