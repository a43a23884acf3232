"""R and Python on the same calls, alternating in one run; prints ratios and peak memory.

    python benchmarks/bench_disclosure.py                    everything that takes seconds
    python benchmarks/bench_disclosure.py --sizes 10000000   another size of generated data

Absolute times depend on the machine and on what else it does; ratios taken in one alternating run
are what to read. R's share needs the R side (`make r`); without it only Python's own scaling is
measured.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import time
import warnings
from pathlib import Path

import numpy as np
import pandas as pd

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from synthpop_py import (  # noqa: E402
    MultiDisclosure,
    RDefectWarning,
    SynDS,
    datasets,
    disclosure,
    multi_disclosure,
)
from tests.parity.live import LiveR, reason_for_no_r  # noqa: E402

KEYS = ["sex", "age", "region", "placesize"]
LEVELS = (2, 80, 16, 6, 10)
TARGETS = 20
# R 4.2.2 and synthpop on Adult, target fnlwgt, measured once: 174 s and 17,257 MB alone on the
# machine; our four recordings of such calls (`make record NAMES=slow`) took 820 s together while
# other jobs ran
R_FNLWGT = {"seconds": 174.0, "MB": 17_257}


def timed(work) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def alternating(first, second, rounds: int) -> list[tuple[float, float]]:
    """Times of both, in turns; one round before that is not counted, because the first touch of
    memory costs the one who does it.
    """
    first(), second()
    return [(timed(first), timed(second)) for _ in range(rounds)]


def report(name: str, pairs: list[tuple[float, float]], a: str, b: str) -> None:
    ratios = [x / y for x, y in pairs]
    print(
        f"{name:42s} {a} {statistics.median(p[0] for p in pairs):8.3f} s   {b}"
        f" {1000 * statistics.median(p[1] for p in pairs):8.1f} ms   ratio"
        f" {statistics.median(ratios):7.1f}  (rounds:"
        f" {', '.join(f'{r:.0f}' if r > 10 else f'{r:.2f}' for r in ratios)})"
    )


def against_r(rounds: int) -> None:
    reason = reason_for_no_r()
    if reason:
        print(f"R is not measured: {reason}")
        return
    live = LiveR()
    live.r(
        f's1 <- read_synthesis("SD2011_s1", "{ROOT}/fixtures/data"); s5 <-'
        f' read_synthesis("SD2011_s5", "{ROOT}/fixtures/data"); ods <- read_data_file("SD2011",'
        f' "{ROOT}/fixtures/data")[names(s1$syn)]'
    )
    ods = datasets.load("SD2011")
    for name in ("s1", "s5"):
        synthesis = datasets.load_synthesis(f"SD2011_{name}")
        r_call = (
            f'invisible(capture.output(disclosure({name}, ods, keys = c("sex", "age", "region",'
            ' "placesize"), target = "depress", print.flag = FALSE)))'
        )
        pairs = alternating(
            lambda: live.r(r_call),
            lambda: disclosure(synthesis, ods, KEYS, "depress", print_flag=False),
            rounds,
        )
        report(f"SD2011, depress, m = {synthesis.m}", pairs, "R", "Python")
    summary_against_r(live, ods, rounds)


def summary_against_r(live: LiveR, ods: pd.DataFrame, rounds: int) -> None:
    """The paper's summary: every synthetic column that is not a key is a target, income in 20
    groups; at least 150 is asked for.
    """
    synthesis = datasets.load_synthesis("SD2011_s1")
    targets = [c for c in synthesis.syn[0].columns if c not in KEYS]
    groups = [20 if t == "income" else 0 for t in targets]
    r_call = (
        'invisible(capture.output(multi.disclosure(s1, ods, keys = c("sex", "age", "region",'
        f' "placesize"), ngroups_targets = c({", ".join(map(str, groups))}), plot = FALSE,'
        " print.flag = FALSE)))"
    )
    pairs = alternating(
        lambda: live.r(r_call),
        lambda: multi_disclosure(synthesis, ods, KEYS, ngroups_targets=groups, print_flag=False),
        rounds,
    )
    report(f"SD2011, the paper's {len(targets)} targets", pairs, "R", "Python")
    pairs = alternating(
        lambda: live.r(r_call),
        lambda: every_table(
            multi_disclosure(synthesis, ods, KEYS, ngroups_targets=groups, print_flag=False)
        ),
        rounds,
    )
    report("the same, all tables of all targets made", pairs, "R", "Python")


def every_table(summary: MultiDisclosure) -> list:
    """What R makes in any case and we make when it is asked for."""
    parts = [
        (d.ident, d.attrib, d.allCAPs, d.attrib_denoms, d.check_1way, d.check_2way, d.Nexclusions)
        for d in summary.output_list.values()
    ]
    return [summary.attrib_table, *parts]


def weighted(generator: np.random.Generator, levels: int, n: int) -> np.ndarray:
    """Levels of unequal size, as keys have in life: the i-th has weight 1 / i."""
    weights = 1 / np.arange(1, levels + 1)
    return generator.choice(levels, n, p=weights / weights.sum()).astype(np.int8)


def generated(n: int, seed: int) -> pd.DataFrame:
    generator = np.random.default_rng(seed)
    columns = {f"k{i}": weighted(generator, size, n) for i, size in enumerate(LEVELS)}
    return pd.DataFrame({**columns, "t": weighted(generator, TARGETS, n)})


def bare_count(frames: list[pd.DataFrame]) -> list[np.ndarray]:
    """The least anybody could do: one mixed-radix code per record, counted."""
    tables = []
    for frame in frames:
        code = frame["k0"].to_numpy().astype(np.int64)
        for i in range(1, len(LEVELS)):
            code = code * LEVELS[i] + frame[f"k{i}"].to_numpy()
        tables.append(
            np.bincount(
                code * TARGETS + frame["t"].to_numpy(), minlength=int(np.prod(LEVELS)) * TARGETS
            )
        )
    return tables


def scaling(sizes: list[int], rounds: int) -> None:
    names = [f"k{i}" for i in range(len(LEVELS))]
    for n in sizes:
        original, synthetic = generated(n, 1), generated(n, 2)
        pairs = alternating(
            lambda: disclosure(SynDS(synthetic), original, names, "t", print_flag=False),
            lambda: bare_count([original, synthetic]),
            rounds,
        )
        median = statistics.median(p[0] for p in pairs)
        report(f"generated, {n:,} + {n:,} rows", pairs, "disclosure", "bare bincount")
        print(f"{'':42s} {1e9 * median / (2 * n):.0f} ns a record")


PEAK = """
import sys, json
def peak_kb():
    # of this process alone: ru_maxrss would start from what the parent held
    lines = open("/proc/self/status")
    return int(next(line.split()[1] for line in lines if line.startswith("VmHWM")))
sys.path.insert(0, {root!r})
import warnings; warnings.simplefilter("ignore")
from benchmarks.bench_disclosure import *
imported = peak_kb()
{work}
print(json.dumps([imported / 1024, peak_kb() / 1024, seconds]))
"""


def peak_memory(name: str, work: str) -> tuple[float, float]:
    out = subprocess.run(
        [sys.executable, "-c", PEAK.format(root=str(ROOT), work=work)],
        capture_output=True,
        text=True,
        check=True,
    )
    imported, peak, seconds = json.loads(out.stdout.strip().splitlines()[-1])
    print(
        f"{name:42s} peak {peak:,.0f} MB (of which {imported:,.0f} MB before any data),"
        f" {seconds:.2f} s"
    )
    return peak, seconds


FNLWGT = """
data, synthesis = datasets.load("Adult"), datasets.load_synthesis("Adult_boot")
keys = ["age", "occupation", "race", "sex"]
seconds = timed(lambda: disclosure(synthesis, data, keys, "fnlwgt", print_flag=False))
"""
GENERATED = """
original, synthetic = generated({n}, 1), generated({n}, 2)
keys = [f"k{{i}}" for i in range(5)]
seconds = timed(lambda: disclosure(SynDS(synthetic), original, keys, "t", print_flag=False))
"""


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--sizes", type=int, nargs="*", default=[100_000, 1_000_000, 10_000_000])
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    warnings.simplefilter("ignore", RDefectWarning)
    against_r(options.rounds)
    scaling(options.sizes, options.rounds)
    _, seconds = peak_memory("Adult, fnlwgt (28,523 levels), correct too", FNLWGT)
    print(
        f"{'':42s} R took {R_FNLWGT['seconds']:.0f} s and {R_FNLWGT['MB']:,} MB (recorded): ratio"
        f" {R_FNLWGT['seconds'] / seconds:,.0f}"
    )
    for n in options.sizes:
        peak_memory(f"generated, {n:,} + {n:,} rows", GENERATED.format(n=n))


if __name__ == "__main__":
    main()
