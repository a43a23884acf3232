"""This checkout against another one, alternating in one run: ratios of time and of peak memory.

    git worktree add ../before <commit>
    python benchmarks/bench_against.py ../before [--rounds 15] [--sizes 100000 1000000]
    python benchmarks/bench_against.py ../before --only ifpr syn --processor

`--only` takes the calls whose names contain one of the words; `--processor` counts processor time,
for a machine that has other work. Each side is a process of its own that keeps its data; the two
take turns, so that what else the machine does hits both alike. In its turn a side makes a few calls
and the fastest counts: the first after a pause finds cold caches. Below 1 means that this checkout
is faster.
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
from synthpop_py import identification_risk, ifpr, replicated_uniques, risk_utility_by_m, ru_map
from synthpop_py import syn
from synthpop_py.estimation import Means
from synthpop_py.matching import Euclidean, QuantileSD, Relative
from synthpop_py.synthesis import Multinomial, NormalRegression

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

def near(original, seed):
    # jobs exchanged, ages, incomes and hours with noise
    generator, n = np.random.default_rng(seed), len(original)
    return original.assign(
        job=generator.permutation(original["job"]),
        age=original["age"] + generator.integers(-10, 11, n),
        income=(original["income"] * generator.lognormal(0, 0.3, n)).round(2),
        hours=(original["hours"] + generator.normal(0, 4, n)).round(1),
    )

def people(n):
    generator = np.random.default_rng(n)
    return pd.DataFrame({{
        "sex": generator.integers(0, 2, n),
        "region": generator.integers(0, 16, n),
        "job": generator.integers(0, 12, n),
        "age": generator.integers(16, 97, n),
        "income": generator.lognormal(8, 1, n).round(2),
        "hours": generator.normal(38, 8, n).round(1),
    }})

def with_sets(n):
    original = people(n)
    return original, [near(original, seed) for seed in range(5)]

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
small, middle, many = with_sets(2_000), with_sets(20_000), with_sets(100_000)
nine = [*keys, "depress", "income", "ls", "marital", "workab"]

def risk(release, sets, known=("sex", "region"), synthesised=("job", "age"), **arguments):
    original, released = release
    arguments |= {{"known": list(known), "synthesised": list(synthesised), "seed": 1}}
    return lambda: identification_risk(released[:sets], original, **arguments)

income = {{"income": Relative(0.1)}}
wide = {{"age": 10, "income": Relative(0.5)}}
own = middle[0][["sex", "region", "job", "age"]].iloc[::20].astype({{"age": object}})
own["age"] = [{{age, age + 1}} if age % 9 == 0 else age for age in own["age"]]
census = many[0].groupby(["sex", "region", "job", "age"]).size().rename("count").reset_index()
models = [Multinomial("job", ["sex", "age"]), NormalRegression("hours", ["age", "sex"])]
partly = small[0], [released.assign(age=small[0]["age"]) for released in small[1]]
model_keys = {{"known": ["sex", "region"], "synthesised": ["job", "hours"], "models": models}}

def map_of_two():
    original, released = middle
    releases = {{"a": released[0], "b": released[1]}}
    return ru_map(releases, original, keys=["sex", "region", "age"], target="job", anchors=True)

def by_m(**arguments):
    original, means = small[0], {{"mean of hours": Means("hours")}}
    arguments |= {{"known": ["sex", "region"], "seed": 1, "intervals": {{"hours": 2}}}}
    return lambda: risk_utility_by_m(models, original, means, designs=(2, 5), **arguments)

def private(original, blocks=None):
    names, arguments = ["sex", "region", "age", "job"], {{"xi": 0.395, "blocks": blocks, "seed": 1}}
    return lambda: ifpr(original, names, reproducible=True, **arguments)

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
    "matching, 2,000, exact": risk(small, 5),
    "matching, exact": risk(many, 5),
    "matching, own targets": risk(middle, 5, targets=own, target_records=own.index, units=50),
    "matching, population": risk(many, 5, population=census),
    "matching, mode": risk(many, 5, attack="mode"),
    "matching, interval": risk(many, 1, synthesised=["job", "income"], intervals=income),
    "matching, interval, 5 sets": risk(
        middle, 5, synthesised=["job", "income"], intervals=income, fallback="categories"
    ),
    "matching, quantile groups": risk(
        middle, 5, (), ["region", "income"], intervals={{"income": QuantileSD(20)}}
    ),
    "matching, 2 wide intervals": risk(middle, 1, (), ["age", "income"], intervals=wide),
    "matching, 2 wide, 5 sets": risk(middle, 5, (), ["age", "income"], intervals=wide),
    "matching, distance": risk(
        middle, 1, synthesised=["age", "hours"], distance=Euclidean(5)
    ),
    "matching, distance, 5 sets": risk(
        small, 5, synthesised=["age", "hours"], distance=Euclidean(5)
    ),
    "matching, models": risk(
        partly, 3, attack="model", draws=20, intervals={{"hours": 2}}, **model_keys
    ),
    "ifpr": private(many[0]),
    "ifpr, blocks": private(many[0], ["sex", {{"age": [18, 25, 35, 45, 55, 65]}}]),
    "ifpr, verify": (lambda release: release.verify)(private(many[0])()),
    "ru_map": map_of_two,
    "risk_utility_by_m": by_m(),
    "risk_utility_by_m, nests": by_m(first_stage=["job"]),
    "syn": lambda: syn(ods[nine], seed=1, cont_na={{"income": -8}}, **quiet),
    "syn, m = 5": lambda: syn(ods[nine], m=5, seed=1, **quiet),
    "syn, 20,000": lambda: syn(middle[0], seed=1, **quiet),
}}

def peak():
    line = next(l for l in open("/proc/self/status") if l.startswith("VmHWM"))
    return int(line.split()[1]) / 1024

print(json.dumps(list(CALLS)), flush=True)
for line in sys.stdin:
    name, calls = json.loads(line)
    seconds = []
    for _ in range(calls):
        start = time.{clock}()
        CALLS[name]()
        seconds.append(time.{clock}() - start)
    print(json.dumps([min(seconds), peak()]), flush=True)
"""


class Side:
    """One checkout in a process of its own."""

    def __init__(self, root: Path, sizes: list[int], clock: str) -> None:
        program = SIDE.format(root=str(root), sizes=sizes, clock=clock)
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
    parser.add_argument("--only", nargs="*", default=[""], help="words of names of calls")
    parser.add_argument("--processor", action="store_true", help="processor time")
    options = parser.parse_args()
    clock = "process_time" if options.processor else "perf_counter"
    roots = options.before.resolve(), ROOT
    before, here = (Side(root, options.sizes, clock) for root in roots)
    for call in here.calls:
        if not any(word in call for word in options.only):
            continue
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
