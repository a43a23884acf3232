"""R and Python on the same calls, alternating in one run; prints ratios and peak memory.

    python benchmarks/bench_disclosure.py                    everything that takes seconds
    python benchmarks/bench_disclosure.py --sizes 10000000   another size of generated data
    python benchmarks/bench_disclosure.py --no-record        only print

Absolute times depend on the machine and on what else it does; ratios taken in one alternating run
are what to read. Writes `docs/speed.json` and the table in README.md that is made of it. The lines
beside R need the R side (`make r`); without it they stay as recorded, so that R's time, ours and
the ratio of a line are always of one run.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import statistics
import subprocess
import sys
import time
import warnings
from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from benchmarks.readme_table import Marks  # noqa: E402
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
R_KEYS = 'c("sex", "age", "region", "placesize")'
RECORD = ROOT / "docs" / "speed.json"
MARKS = Marks("<!-- speed, made by make bench -->", "<!-- end of speed -->")
# R 4.2.2 and synthpop on Adult, target fnlwgt, were measured once: 174 s and 17,257 MB alone on the
# machine; our four recordings of such calls (`make record NAMES=slow`) took 820 s together while
# other jobs ran
TITLES = {
    "one": "SD2011 (5,000 records), 4 keys, target depress, 1 synthesis",
    "five": "the same, 5 syntheses",
    "summary": "the paper's summary, 5 targets",
    "tables": "the same, and every table of every target, which R always makes",
    "fnlwgt": "Adult, target fnlwgt (28,523 levels); R was measured once, apart",
}
Line = dict[str, Any]


def timed(work: Callable[[], Any]) -> float:
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


class Call(NamedTuple):
    """One line of the table: what R is asked, and what we do."""

    line: str
    r_call: str
    ours: Callable[[], Any]


def calls() -> list[Call]:
    """One target with one and five syntheses; then the paper's summary: every synthetic column that
    is not a key is a target, income in 20 groups.
    """
    ods = datasets.load("SD2011")
    s1, s5 = datasets.load_synthesis("SD2011_s1"), datasets.load_synthesis("SD2011_s5")
    targets = [name for name in s1.syn[0].columns if name not in KEYS]
    groups = [20 if target == "income" else 0 for target in targets]
    one_target = 'disclosure({}, ods, keys = {}, target = "depress", print.flag = FALSE)'
    r_summary = (
        f"multi.disclosure(s1, ods, keys = {R_KEYS}, plot = FALSE, print.flag = FALSE,"
        f" ngroups_targets = c({', '.join(map(str, groups))}))"
    )

    def ours(synthesis: SynDS) -> Any:
        return disclosure(synthesis, ods, KEYS, "depress", print_flag=False)

    def summary() -> MultiDisclosure:
        return multi_disclosure(s1, ods, KEYS, ngroups_targets=groups, print_flag=False)

    return [
        Call("one", one_target.format("s1", R_KEYS), lambda: ours(s1)),
        Call("five", one_target.format("s5", R_KEYS), lambda: ours(s5)),
        Call("summary", r_summary, summary),
        Call("tables", r_summary, lambda: every_table(summary())),
    ]


def beside_r(rounds: int) -> list[Line]:
    """The calls in R and here in turns; none where there is no R."""
    reason = reason_for_no_r()
    if reason:
        print(f"Not measured, stays as recorded: the calls beside R ({reason})")
        return []
    live = LiveR()
    live.r(
        f's1 <- read_synthesis("SD2011_s1", "{ROOT}/fixtures/data"); s5 <-'
        f' read_synthesis("SD2011_s5", "{ROOT}/fixtures/data"); ods <- read_data_file("SD2011",'
        f' "{ROOT}/fixtures/data")[names(s1$syn)]'
    )
    return [in_turns(live, call, rounds) for call in calls()]


def in_turns(live: LiveR, call: Call, rounds: int) -> Line:
    r_call = f"invisible(capture.output({call.r_call}))"
    pairs = alternating(lambda: live.r(r_call), call.ours, rounds)
    report(call.line, pairs, "R", "Python")
    return {
        "line": call.line,
        "r_seconds": statistics.median(pair[0] for pair in pairs),
        "seconds": statistics.median(pair[1] for pair in pairs),
        "ratio": statistics.median(r / ours for r, ours in pairs),
        "rounds": rounds,
        "date": today(),
    }


def every_table(summary: MultiDisclosure) -> list[Any]:
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


class Apart:
    """Calls in a process of its own: in one process, what one side gives back to the system the
    other must get anew, and who pays is a matter of luck.
    """

    def __init__(self, work: str, n: int) -> None:
        program = APART.format(root=str(ROOT), n=n, work=work)
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
        self.process = subprocess.Popen([sys.executable, "-c", program], **pipes)

    def __call__(self) -> float:
        self.process.stdin.write("\n")
        self.process.stdin.flush()
        return float(self.process.stdout.readline())

    def stop(self) -> None:
        self.process.stdin.close()
        self.process.wait()


def in_two_processes(n: int, rounds: int) -> list[tuple[float, float]]:
    """Times of the call and of the bare count, in turns."""
    ours, bare = Apart(OURS, n), Apart(BARE, n)
    for side in (ours, bare):
        side()
    pairs = [(ours(), bare()) for _ in range(rounds)]
    for side in (ours, bare):
        side.stop()
    return pairs


def scaling(sizes: list[int], rounds: int) -> list[Line]:
    lines = []
    for n in sizes:
        pairs = in_two_processes(n, rounds)
        median = statistics.median(p[0] for p in pairs)
        report(f"generated, {n:,} + {n:,} rows", pairs, "disclosure", "bare bincount")
        print(f"{'':42s} {1e9 * median / (2 * n):.0f} ns a record")
        peak, _ = peak_memory(f"generated, {n:,} + {n:,} rows", GENERATED.format(n=n))
        ratios = [ours / bare for ours, bare in pairs]
        line = {"rows": n, "seconds": median, "ratio": statistics.median(ratios)}
        line |= {"lowest": min(ratios), "highest": max(ratios)}
        lines.append({**line, "peak_mb": peak, "date": today()})
    return lines


def many_levels(before: Line) -> Line:
    """Adult's fnlwgt; R's time and memory were measured once, in another run: no ratio."""
    peak, seconds = peak_memory("Adult, fnlwgt (28,523 levels), correct too", FNLWGT)
    return {**before, "seconds": seconds, "peak_mb": peak, "rounds": 1, "date": today()}


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
OURS = 'disclosure(SynDS(synthetic), original, names, "t", print_flag=False)'
BARE = "bare_count([original, synthetic])"
GENERATED = f"""
original, synthetic = generated({{n}}, 1), generated({{n}}, 2)
names = [f"k{{{{i}}}}" for i in range(len(LEVELS))]
seconds = timed(lambda: {OURS})
"""
APART = """
import sys
sys.path.insert(0, {root!r})
from benchmarks.bench_disclosure import *
warnings.simplefilter("ignore")
original, synthetic = generated({n}, 1), generated({n}, 2)
names = [f"k{{i}}" for i in range(len(LEVELS))]
for _ in sys.stdin:
    print(timed(lambda: {work}), flush=True)
"""


# ---- record --------------------------------------------------------------------------


def recorded(
    before: dict[str, Any], lines: list[Line], generated: list[Line], load: float
) -> dict[str, Any]:
    """The new record: what was not measured now stays as it was. The load of the machine when it
    began says how far times can be trusted.
    """
    known = {line["line"]: line for line in [*before["lines"], *lines]}
    sizes = {line["rows"]: line for line in [*before["generated"], *generated]}
    return {
        "python": platform.python_version(),
        "cores": os.cpu_count(),
        "load": round(load, 1),
        "lines": [known[name] for name in TITLES],
        "generated": [sizes[rows] for rows in sorted(sizes)],
    }


def table(record: dict[str, Any]) -> str:
    """The table of the README; a ratio only where R and we took turns in one run."""
    rows = ["| call | R | here | R / here |", "|---|---:|---:|---:|"]
    for line in record["lines"]:
        r, ours = duration(line["r_seconds"]), duration(line["seconds"])
        if "r_mb" in line:
            r += f", {line['r_mb'] / 1000:.0f} GB"
            ours += f", {line['peak_mb']:.0f} MB"
        ratio = f"{line['ratio']:,.0f}" if "ratio" in line else "–"
        rows.append(f"| {TITLES[line['line']]} | {r} | {ours} | {ratio} |")
    return "\n".join([*rows, "", dates(record)])


def dates(record: dict[str, Any]) -> str:
    """When the lines were measured, and which of them in turns with R."""
    in_turns = [line for line in record["lines"] if "ratio" in line]
    apart = [line for line in record["lines"] if "ratio" not in line]
    return (
        f"R and we took turns, {_span([line['date'] for line in in_turns])}: medians of the rounds,"
        f" also of R / here. The last line is of two runs (R {_span([x['r_date'] for x in apart])},"
        f" here {_span([x['date'] for x in apart])}), so it has no ratio; {record['cores']} cores."
    )


def _span(days: list[str]) -> str:
    first, last = min(days), max(days)
    return first if first == last else f"{first} to {last}"


def duration(seconds: float) -> str:
    """Two digits; milliseconds below a tenth of a second."""
    if seconds < 0.1:
        return f"{float(f'{1000 * seconds:.2g}'):g} ms"
    return f"{float(f'{seconds:.2g}'):g} s" if seconds < 100 else f"{seconds:.0f} s"


def write_record(record: dict[str, Any]) -> None:
    RECORD.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
    MARKS.write(table(record))


def today() -> str:
    return date.today().isoformat()


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--sizes", type=int, nargs="*", default=[100_000, 1_000_000, 10_000_000])
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--no-record", action="store_true", help="only print")
    options = parser.parse_args()
    warnings.simplefilter("ignore", RDefectWarning)
    before = json.loads(RECORD.read_text("utf-8"))
    load = os.getloadavg()[0]
    (fnlwgt,) = (line for line in before["lines"] if line["line"] == "fnlwgt")
    lines = [*beside_r(options.rounds), many_levels(fnlwgt)]
    sizes = scaling(options.sizes, options.rounds)
    if not options.no_record:
        write_record(recorded(before, lines, sizes, load))


if __name__ == "__main__":
    main()
