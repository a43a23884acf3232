"""`identification_risk()` on files of growing size: time, time a record, peak memory of a process
of its own.

    python benchmarks/bench_matching.py                 everything, about a minute
    python benchmarks/bench_matching.py --only exact    that case alone

The cases are small, exact, interval, quantiles and draws.

Times depend on the machine; time a record from 10 thousand to 1 million records, and memory, are
what to read.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pandas as pd

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from synthpop_py.matching import QuantileSD, Relative, identification_risk  # noqa: E402

LEVELS = (2, 80, 16, 6, 10)


def weighted(rng: np.random.Generator, levels: int, n: int) -> np.ndarray:
    """Levels of unequal size, as keys have in life: the i-th has weight 1 / i."""
    weights = 1 / np.arange(1, levels + 1)
    return rng.choice(levels, n, p=weights / weights.sum()).astype(np.int8)


def categorical(n: int, m: int) -> tuple[pd.DataFrame, list[pd.DataFrame]]:
    """Five keys; k1, k2 and k3 are replaced for half of the records."""
    rng = np.random.default_rng(1)
    original = pd.DataFrame({f"k{i}": weighted(rng, size, n) for i, size in enumerate(LEVELS)})
    sets = []
    for _ in range(m):
        new = {
            f"k{i}": np.where(rng.random(n) < 0.5, original[f"k{i}"], weighted(rng, LEVELS[i], n))
            for i in (1, 2, 3)
        }
        sets.append(original.assign(**new))
    return original, sets


def numeric(n: int, m: int) -> tuple[pd.DataFrame, list[pd.DataFrame]]:
    """Three exact keys, an age in years, an income to the cent."""
    rng = np.random.default_rng(2)
    original = pd.DataFrame(
        {
            "sex": rng.integers(0, 2, n),
            "region": rng.integers(0, 16, n),
            "place": rng.integers(0, 6, n),
            "age": rng.integers(16, 97, n),
            "income": np.round(rng.lognormal(8, 1, n), 2),
        }
    )
    sets = []
    for _ in range(m):
        region = np.where(rng.random(n) < 0.5, original["region"], rng.integers(0, 16, n))
        age = np.clip(original["age"] + rng.integers(-10, 11, n), 16, 97)
        sets.append(
            original.assign(
                region=region,
                age=age,
                income=np.round(original["income"] * rng.lognormal(0, 0.3, n), 2),
            )
        )
    return original, sets


CASES = {
    "small": (
        numeric,
        [(5_000, 1)],
        {"known": ["sex", "place"], "synthesised": ["region", "age"], "intervals": {"age": 2}},
    ),
    "exact": (
        categorical,
        [(10_000, 5), (100_000, 5), (1_000_000, 5)],
        {"known": ["k0", "k4"], "synthesised": ["k1", "k2", "k3"]},
    ),
    "interval": (
        numeric,
        [(10_000, 1), (100_000, 1), (1_000_000, 1), (10_000, 5), (100_000, 5)],
        {
            "known": ["sex", "place"],
            "synthesised": ["region", "income"],
            "intervals": {"income": Relative(0.1)},
        },
    ),
    "quantiles": (
        numeric,
        [(7_332, 10), (7_332, 50)],
        {
            "known": [],
            "synthesised": ["region", "income"],
            "intervals": {"income": QuantileSD()},
            "fallback": "categories",
        },
    ),
    "draws": (
        categorical,
        [(2_562, 100), (50_000, 100)],
        {"known": ["k0", "k4"], "synthesised": ["k1", "k2", "k3"]},
    ),
}
MEANING = {
    "small": "three exact keys, age ± 2",
    "exact": "five categorical keys",
    "interval": "three exact keys, income ± 10 %",
    "quantiles": "one exact key, 20 quantile groups",
    "draws": "five categorical keys, 100 draws",
}


def measure(name: str, n: int, m: int) -> dict[str, float]:
    """Median time of some calls, and the peak of memory over what the data take, here."""
    make, _, arguments = CASES[name]
    original, sets = make(n, m)
    before = peak_mb()
    times = []
    for _ in range(5 if n * m <= 1_000_000 else 2):
        start = time.perf_counter()
        identification_risk(sets, original, **arguments)
        times.append(time.perf_counter() - start)
    return {"seconds": statistics.median(times), "MB": peak_mb(), "MB_data": before}


def peak_mb() -> float:
    return (
        int(next(line.split()[1] for line in open("/proc/self/status") if line.startswith("VmHWM")))
        / 1024
    )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--only", choices=list(CASES))
    parser.add_argument("--measure", nargs=3, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.measure:
        name, n, m = options.measure
        print(json.dumps(measure(name, int(n), int(m))))
        return
    for name in [options.only] if options.only else CASES:
        for n, m in CASES[name][1]:
            # a process of its own, so that the peak of memory is that of this call
            answer = subprocess.run(
                [sys.executable, __file__, "--measure", name, str(n), str(m)],
                capture_output=True,
                text=True,
                check=True,
            ).stdout
            found = json.loads(answer)
            print(
                f"{MEANING[name]:36s} n = {n:>9,}  m = {m:>3}  {found['seconds']:8.3f} s "
                f" {1e9 * found['seconds'] / n:8.0f} ns a record  peak {found['MB']:6.0f} MB (data"
                f" {found['MB_data']:.0f})",
                flush=True,
            )


if __name__ == "__main__":
    main()
