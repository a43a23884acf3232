"""How time grows with the records: does twice as many take twice as long, or four times?

    python benchmarks/bench_growth.py              prints, and writes docs/growth.json
    python benchmarks/bench_growth.py --only wide  two wide intervals alone; "functions", or a row

Two wide intervals of `identification_risk()` from 20 to 200 thousand records, then every public
function whose work could grow faster than the records, at 20, 40 and 80 thousand. All sizes take
turns in one run, and the best of the rounds counts, in seconds of processor time; the ratio is that
of a doubling. Times depend on the machine; the ratios are what to read.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import itertools
import json
import math
import sys
import time
import warnings
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

import synthpop_py as sp  # noqa: E402
from synthpop_py.matching import Euclidean, Relative, identification_risk  # noqa: E402
from synthpop_py.synthesis import NormalRegression  # noqa: E402

RECORD = ROOT / "docs" / "growth.json"
WIDE_SIZES = (20_000, 50_000, 100_000, 200_000)
SIZES = (20_000, 40_000, 80_000)
ROUNDS = 3
SETS = 5
Release = tuple[pd.DataFrame, list[pd.DataFrame]]


def release(n: int) -> Release:
    """Ages, incomes and hours with noise, a code with ten records per level."""
    rng = np.random.default_rng(n)
    original = pd.DataFrame(
        {
            "sex": rng.integers(0, 2, n),
            "region": rng.integers(0, 16, n),
            "job": rng.integers(0, 40, n),
            "code": rng.integers(0, n // 10, n),
            "age": rng.integers(16, 97, n),
            "income": rng.lognormal(8, 1, n).round(2),
            "hours": rng.normal(38, 8, n).round(1),
        }
    )

    def noise() -> pd.DataFrame:
        return original.assign(
            job=rng.permutation(original["job"]),
            age=original["age"] + rng.integers(-10, 11, n),
            income=(original["income"] * rng.lognormal(0, 0.3, n)).round(2),
            hours=(original["hours"] + rng.normal(0, 4, n)).round(1),
        )

    return original, [noise() for _ in range(SETS)]


# ---- what is measured ----------------------------------------------------------------

RADII = {"age": 10, "income": Relative(0.5), "hours": 5}


def near(sets: int, *keys: str) -> Callable[[Release], object]:
    """Matches within wide intervals of so many sets."""

    def call(data: Release) -> object:
        original, released = data
        return identification_risk(
            released[:sets],
            original,
            known=[],
            synthesised=list(keys),
            intervals={key: RADII[key] for key in keys},
        )

    return call


def strangers(data: Release) -> object:
    """The same where the sets have nothing to do with each other: nobody matches in all of them."""
    original, released = data
    shuffled = [frame.sample(frac=1, random_state=i) for i, frame in enumerate(released)]
    return near(SETS, "age", "income")((original, [f.reset_index(drop=True) for f in shuffled]))


def risk(sets: int, **arguments: object) -> Callable[[Release], object]:
    return lambda data: identification_risk(data[1][:sets], data[0], **arguments)


def pair(function: Callable[..., object], **arguments: object) -> Callable[[Release], object]:
    """A function of one synthesis and the original."""
    return lambda data: function(data[1][0], data[0], **arguments)


def alone(function: Callable[..., object], **arguments: object) -> Callable[[Release], object]:
    """A function of the original."""
    return lambda data: function(data[0], **arguments)


KEYS = ["sex", "region", "age"]
QUIET = {"print_flag": False}
EXACT = {"known": ["sex", "region"], "synthesised": ["job", "age"]}
MODELS = [NormalRegression("income", ["age", "hours"])]
WIDE = {
    "1 set": near(1, "age", "income"),
    f"{SETS} sets": near(SETS, "age", "income"),
}
FUNCTIONS = {
    "identification_risk(), exact keys, 5 sets": risk(5, **EXACT),
    "identification_risk(), mode, 5 sets": risk(5, **EXACT, attack="mode", seed=1),
    "identification_risk(), one wide interval, 5 sets": near(5, "income"),
    "identification_risk(), two wide intervals, 5 shuffled sets": strangers,
    "identification_risk(), three wide intervals": near(1, "age", "income", "hours"),
    "identification_risk(), a distance": risk(
        1, known=["sex", "region"], synthesised=["age", "hours"], distance=Euclidean(15)
    ),
    "disclosure()": pair(sp.disclosure, keys=KEYS, target="job", **QUIET),
    "disclosure(), target with a value per record": pair(
        sp.disclosure, keys=KEYS, target="income", **QUIET
    ),
    "multi_disclosure()": pair(sp.multi_disclosure, keys=KEYS, **QUIET),
    "key_risk(), four candidates": pair(
        sp.key_risk, candidates=[*KEYS, "code"], target="job", **QUIET
    ),
    "replicated_uniques()": pair(sp.replicated_uniques),
    "sdc()": pair(sp.sdc, rm_replicated_uniques=True),
    "numtocat_syn()": alone(sp.numtocat_syn, numtocat=["income", "hours"], **QUIET),
    "mergelevels_syn()": alone(
        lambda data: sp.mergelevels_syn(data.assign(code=data["code"].astype("category")), ["code"])
    ),
    "synorig_compare()": pair(sp.synorig_compare, **QUIET),
    "ifpr()": alone(sp.ifpr, keys=KEYS, xi=0.2, seed=1),
    "ifpr(), many combinations": alone(sp.ifpr, keys=["sex", "code"], xi=0.2, seed=1),
    "swap()": alone(sp.swap, keys=KEYS, attribute="job", rate=0.1, seed=1),
    "add_noise()": alone(sp.add_noise, columns=["income", "hours"], ratio=0.1, seed=1),
    "table_utility()": pair(sp.table_utility, variables=["sex", "region", "job", "code", "age"]),
    "propensity_utility()": pair(sp.propensity_utility, variables=["sex", "age", "income"]),
    "ru_map()": lambda data: sp.ru_map(
        {"a": data[1][0], "b": data[1][1]}, data[0], keys=KEYS, target="job"
    ),
    "partial_synthesis()": alone(sp.partial_synthesis, models=MODELS, m=2, seed=1),
    "syn()": alone(lambda data: sp.syn(data[["sex", "age", "income"]], seed=1, **QUIET)),
}

PARTS = {"wide": (WIDE, WIDE_SIZES), "functions": (FUNCTIONS, SIZES)}

# ---- measuring -----------------------------------------------------------------------


def seconds(call: Callable[[Release], object], data: Release) -> float:
    with contextlib.redirect_stdout(io.StringIO()), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        start = time.process_time()
        call(data)
        return time.process_time() - start


def grown(call: Callable[[Release], object], releases: dict[int, Release]) -> dict[int, float]:
    """The best time of each size; all sizes take turns."""
    best = dict.fromkeys(releases, math.inf)
    for _ in range(ROUNDS):
        for n, data in releases.items():
            best[n] = min(best[n], seconds(call, data))
    return best


def per_doubling(times: dict[int, float]) -> list[float]:
    """By what a time is multiplied where records double, from each size to the next."""
    steps = list(times.items())
    ratios = []
    for (n, before), (larger, after) in itertools.pairwise(steps):
        doublings = math.log2(larger / n)
        ratios.append((after / before) ** (1 / doublings))
    return ratios


def measured(
    calls: dict[str, Callable[[Release], object]], sizes: tuple[int, ...]
) -> dict[str, dict[str, list[float]]]:
    releases = {n: release(n) for n in sizes}
    results = {}
    for name, call in calls.items():
        times = grown(call, releases)
        ratios = per_doubling(times)
        results[name] = {
            "seconds": [round(value, 3) for value in times.values()],
            "per_doubling": [round(ratio, 2) for ratio in ratios],
        }
        shown = "  ".join(f"{value:8.3f} s" for value in times.values())
        print(f"{name:60s} {shown}   x {' '.join(f'{r:.2f}' for r in ratios)}", flush=True)
    return results


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    rows = [name for calls, _ in PARTS.values() for name in calls]
    parser.add_argument("--only", choices=[*PARTS, *rows], metavar="PART OR ROW")
    options = parser.parse_args()
    record = json.loads(RECORD.read_text(encoding="utf-8")) if RECORD.is_file() else {}
    record["rounds"] = ROUNDS
    for part, (calls, sizes) in PARTS.items():
        wanted = calls if options.only in (None, part) else {}
        if options.only in calls:
            wanted = {options.only: calls[options.only]}
        if not wanted:
            continue
        print(f"{part}: {', '.join(f'{n:,}' for n in sizes)} records", flush=True)
        times = {**record.get(part, {}).get("times", {}), **measured(wanted, sizes)}
        in_order = {name: times[name] for name in calls if name in times}
        record[part] = {"sizes": sizes, "times": in_order}
        RECORD.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
