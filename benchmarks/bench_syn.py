"""`syn()` beside R's recorded times, by step, and as data grow.

    python benchmarks/bench_syn.py                 prints, and writes docs/syn_speed.json
    python benchmarks/bench_syn.py --sizes 1000    other sizes; prints only

R's times were recorded once, with two cores, on another day. Each size of the growth table has a
process of its own, whose peak memory is read at its end (Linux). The record says how busy the
machine was, because a busy one takes longer.
"""

from __future__ import annotations

import argparse
import datetime
import json
import os
import re
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pandas as pd

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from synthpop_py import datasets, syn  # noqa: E402
from synthpop_py.synthesis.columns import Column  # noqa: E402
from synthpop_py.synthesis.draw import Drawing, Records  # noqa: E402

RECORD = ROOT / "docs" / "syn_speed.json"
NINE = ["sex", "age", "region", "placesize", "depress", "income", "ls", "marital", "workab"]
SIZES = [1000, 2000, 5000, 10_000, 20_000, 50_000, 100_000, 200_000]
ROUNDS = 3  # the best of them counts
R_SECONDS = {"SD2011, m = 1": 2.8, "SD2011, m = 5": 13.2, "Adult": 58.0}
GOALS = {"SD2011, m = 1": 0.5, "SD2011, m = 5": 0.15, "Adult": 0.7}
PEAK = re.compile(r"VmHWM:\s+(\d+) kB")  # of this program alone; getrusage() has the parent's too
NOW = re.compile(r"VmRSS:\s+(\d+) kB")


class Timed(Drawing):
    """A drawing that notes when each step begins."""

    begun: ClassVar[list[tuple[str, float]]] = []

    def one_set(self, copied: np.ndarray) -> Records:
        def note(part: Column) -> None:
            self.begun.append((part.label, time.perf_counter()))

        self.begin = note
        return super().one_set(copied)


def timed(data: pd.DataFrame, **arguments: object) -> tuple[float, dict[str, float]]:
    """Seconds of a call, and of its steps, all sets together."""
    Timed.begun.clear()
    start = time.perf_counter()
    syn(data, print_flag=False, **arguments)
    end = time.perf_counter()
    steps = {"before the first step": Timed.begun[0][1] - start}
    ends = [moment for _, moment in Timed.begun[1:]] + [end]
    for (name, begin), finish in zip(Timed.begun, ends, strict=True):
        steps[name] = steps.get(name, 0.0) + finish - begin
    return end - start, steps


def cases() -> dict[str, tuple[pd.DataFrame, dict[str, object]]]:
    """The calls whose times in R were recorded."""
    sd2011 = datasets.load("SD2011")[NINE]
    adult = datasets.load("Adult")
    last = "native.country"
    visits = [*(name for name in adult.columns if name != last), last]
    return {
        "SD2011, m = 1": (sd2011, {"cont_na": {"income": -8}}),
        "SD2011, m = 5": (sd2011, {"m": 5}),
        "Adult": (adult, {"visit_sequence": visits}),
    }


def against_r() -> dict[str, dict[str, Any]]:
    rows = {}
    for name, (data, arguments) in cases().items():
        runs = [timed(data, seed=8564, **arguments) for _ in range(ROUNDS)]
        seconds, steps = min(runs, key=lambda run: run[0])
        rows[name] = {
            "seconds": round(seconds, 2),
            "r_seconds": R_SECONDS[name],
            "ratio": round(seconds / R_SECONDS[name], 3),
            "goal": GOALS[name],
            "steps": {step: round(value, 3) for step, value in steps.items()},
        }
        print(f"{name:<16}{seconds:7.2f} s   of R's {seconds / R_SECONDS[name]:5.2f}", flush=True)
        for step, value in steps.items():
            print(f"   {step:<24}{value:7.2f} s", flush=True)
    return rows


# ---- growth ----------------------------------------------------------------------------


def grown(size: int) -> pd.DataFrame:
    """People of SD2011 drawn again, with ages to a tenth of a year, so that values grow too."""
    data = datasets.load("SD2011")[NINE]
    rng = np.random.default_rng(1)
    larger = data.iloc[rng.integers(0, len(data), size)].reset_index(drop=True)
    larger["age"] = larger["age"] + rng.normal(0, 0.5, size).round(1)
    return larger


def megabytes(pattern: re.Pattern[str]) -> float | None:
    status = Path("/proc/self/status")
    found = pattern.search(status.read_text()) if status.is_file() else None
    return int(found.group(1)) / 1024 if found else None


def forget_peak() -> None:
    """From now on the peak is that of what follows."""
    if Path("/proc/self/clear_refs").exists():
        Path("/proc/self/clear_refs").write_text("5")


def one_size(size: int) -> None:
    """Seconds and memory of one call, as JSON; in a process of its own."""
    data = grown(size)
    syn(data.head(200), seed=1, print_flag=False)  # what is loaded at first use
    forget_peak()
    before = megabytes(NOW)
    seconds, _ = timed(data, seed=1)
    row = {"records": size, "seconds": seconds, "mb_before": before, "mb_peak": megabytes(PEAK)}
    print(json.dumps(row))


def growth(sizes: list[int]) -> list[dict[str, Any]]:
    rows = []
    for size in sizes:
        command = [sys.executable, __file__, "--one-size", str(size)]
        done = subprocess.run(command, check=True, capture_output=True, text=True)
        row = json.loads(done.stdout)
        row["us_per_record"] = 1e6 * row["seconds"] / size
        if row["mb_peak"] is not None:
            row["mb_needed"] = row["mb_peak"] - row["mb_before"]
        rows.append({name: _rounded(value) for name, value in row.items()})
        print(json.dumps(rows[-1]), flush=True)
    return rows


def _rounded(value: Any) -> Any:
    return round(value, 2) if isinstance(value, float) else value


# ---- the record ------------------------------------------------------------------------


def circumstances() -> dict[str, Any]:
    command = ["git", "describe", "--always", "--dirty", "--exclude=*"]
    answer = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    return {
        "date": datetime.date.today().isoformat(),
        "commit": answer.stdout.strip() or "unknown",
        "cores": os.cpu_count(),
        # processes that wanted to run in the minute before
        "busy_before": round(os.getloadavg()[0], 1),
        "rounds": ROUNDS,
    }


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--sizes", type=int, nargs="+")
    parser.add_argument("--one-size", type=int, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one_size:
        one_size(options.one_size)
        return
    if options.sizes:
        growth(options.sizes)
        return
    record = circumstances()
    record |= {"against_r": against_r(), "growth": growth(SIZES)}
    record["busy_after"] = round(os.getloadavg()[0], 1)
    RECORD.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    # the one place where a drawing is made
    sys.modules["synthpop_py.synthesis.api"].Drawing = Timed  # type: ignore[attr-defined]
    main()
