"""This checkout against another one, alternating in one run: ratios of time and of peak memory.

    git worktree add ../before <commit>
    python benchmarks/bench_against.py ../before [--rounds 15] [--sizes 100000 1000000]

Each side is a process of its own that keeps its data; the two take turns, so that what else the
machine does hits both alike. In its turn a side makes a few calls and the fastest counts: the first
after a pause finds cold caches. Below 1 means that this checkout is faster.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SIDE = """
import json, sys, time, warnings
sys.path.insert(0, {root!r})
warnings.simplefilter("ignore")
import numpy as np, pandas as pd
from synthpop_py import SynDS, datasets, disclosure, key_risk, multi_disclosure, table_utility
from synthpop_py import replicated_uniques

def weighted(generator, levels, n):
    weights = 1 / np.arange(1, levels + 1)
    return generator.choice(levels, n, p=weights / weights.sum()).astype(np.int8)

def generated(n, seed):
    generator = np.random.default_rng(seed)
    sizes = enumerate((2, 80, 16, 6, 10))
    columns = {{f"k{{i}}": weighted(generator, size, n) for i, size in sizes}}
    return pd.DataFrame({{**columns, "t": weighted(generator, 20, n)}})

def every_table(summary):
    # what R makes in any case and we make when it is asked for, as in `make bench`
    for result in summary.output_list.values():
        result.ident, result.attrib, result.allCAPs, result.attrib_denoms
        result.check_1way, result.check_2way, result.Nexclusions
    return summary.attrib_table

keys = ["sex", "age", "region", "placesize"]
ods = datasets.load("SD2011")
s1, s5 = datasets.load_synthesis("SD2011_s1"), datasets.load_synthesis("SD2011_s5")
ods = ods[list(s1.syn[0].columns)]
targets = [c for c in s1.syn[0].columns if c not in keys]
groups = [20 if t == "income" else 0 for t in targets]
adult, boot = datasets.load("Adult"), datasets.load_synthesis("Adult_boot")
adult_keys = ["age", "occupation", "race", "sex"]
large = {{size: [generated(size, seed) for seed in (1, 2)] for size in {sizes}}}
names = [f"k{{i}}" for i in range(5)]
quiet = {{"print_flag": False}}

def summary():
    return multi_disclosure(s1, ods, keys, ngroups_targets=groups, **quiet)

def of_generated(size):
    original, synthetic = large[size]
    return lambda: disclosure(SynDS(synthetic), original, names, "t", **quiet)

CALLS = {{
    "SD2011, m = 1": lambda: disclosure(s1, ods, keys, "depress", **quiet),
    "SD2011, m = 5": lambda: disclosure(s5, ods, keys, "depress", **quiet),
    "the paper's 5 targets": summary,
    "the same, every table": lambda: every_table(summary()),
    "Adult, fnlwgt": lambda: disclosure(boot, adult, adult_keys, "fnlwgt", **quiet),
    **{{f"generated, {{size:,}}": of_generated(size) for size in large}},
    "key_risk, 6 candidates": lambda: key_risk(s1, ods, [*keys, "ls", "workab"], "depress"),
    "table_utility": lambda: table_utility(s1, ods),
    "replicated_uniques": lambda: replicated_uniques(s1, ods, keys),
}}

def peak():
    line = next(l for l in open("/proc/self/status") if l.startswith("VmHWM"))
    return int(line.split()[1]) / 1024

print(json.dumps(list(CALLS)), flush=True)
for line in sys.stdin:
    name, calls = json.loads(line)
    seconds = []
    for _ in range(calls):
        start = time.perf_counter()
        CALLS[name]()
        seconds.append(time.perf_counter() - start)
    print(json.dumps([min(seconds), peak()]), flush=True)
"""


class Side:
    """One checkout in a process of its own."""

    def __init__(self, root: Path, sizes: list[int]) -> None:
        program = SIDE.format(root=str(root), sizes=sizes)
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
        self.process = subprocess.Popen([sys.executable, "-c", program], cwd=root, **pipes)
        self.calls: list[str] = self._answer()
        self.peak = 0.0

    def _answer(self) -> list:
        return json.loads(self.process.stdout.readline())

    def time(self, call: str, calls: int) -> float:
        self.process.stdin.write(json.dumps([call, calls]) + "\n")
        self.process.stdin.flush()
        seconds, self.peak = self._answer()
        return seconds

    def stop(self) -> None:
        self.process.stdin.close()
        self.process.wait()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("before", type=Path)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--calls", type=int, default=5, help="in one turn; the fastest counts")
    parser.add_argument("--sizes", type=int, nargs="*", default=[100_000, 1_000_000])
    options = parser.parse_args()
    before, here = (Side(root, options.sizes) for root in (options.before.resolve(), ROOT))
    for call in here.calls:
        turn = (call, options.calls)
        before.time(*turn), here.time(*turn)  # the first touch of memory is not counted
        pairs = [(before.time(*turn), here.time(*turn)) for _ in range(options.rounds)]
        ratio = statistics.median(new / old for old, new in pairs)
        old, new = (1000 * statistics.median(side) for side in zip(*pairs))
        print(f"{call:26s} before {old:9.1f} ms   here {new:9.1f} ms   here / before {ratio:5.2f}")
    print(f"peak memory: before {before.peak:,.0f} MB, here {here.peak:,.0f} MB")
    for side in (before, here):
        side.stop()


if __name__ == "__main__":
    main()
