"""`disclosure()` on tables that an engine counts, beside the engine's own two bare GROUP BYs.

    python benchmarks/bench_engines.py                     # small, some minutes
    python benchmarks/bench_engines.py --full              # 100M + 100M rows in DuckDB, and so on
    python benchmarks/bench_engines.py --only polars targets

Each line is a process of its own, so that its peak memory is its own. In it the two GROUP BYs and
the call take turns; a ratio is the median over the rounds. Writes `docs/engine_speed.json`, which
the page on speed (`docs/src/reference/speed.md`) shows, and a table of README.md. The Parquet files
are deleted afterwards.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from contextlib import ExitStack
from datetime import date
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from benchmarks.readme_table import Marks  # noqa: E402

RECORD = ROOT / "docs" / "engine_speed.json"
MARKS = Marks("<!-- engines, made by make bench-engines -->", "<!-- end of engines -->")
SIZES = (2, 80, 16, 6, 10)
TARGETS = [f"t{number}" for number in range(5)]
KEYS = [f"k{number}" for number in range(len(SIZES))]
CHUNK = 2_000_000  # rows that are generated at a time
MEMORY_LIMIT = "500MB"
MILLION = 1_000_000
WARMED_UP = ("polars", "spark1", "spark2")  # short enough for a first round that does not count
LIBRARIES = ("duckdb", "narwhals", "numpy", "pandas", "polars", "pyarrow", "pyspark")

# rows of each table: for a quick run, and for the record
ROWS = {
    "duckdb": (5 * MILLION, 100 * MILLION),
    "polars": (2 * MILLION, 10 * MILLION),
    "targets": (5 * MILLION, 20 * MILLION),
    "spark1": (1 * MILLION, 5 * MILLION),
    "spark2": (1 * MILLION, 5 * MILLION),
}
GOALS = {
    "duckdb": "at most 1.3 times, under 1 GB",
    "polars": "at most 1.5 times",
    "targets": "at most 5 times one target",
    "spark1": "shown",
    "spark2": "shown",
}
TITLES = {
    "duckdb": f"DuckDB (memory limit {MEMORY_LIMIT}), Parquet",
    "polars": "polars, Parquet read lazily",
    "targets": "DuckDB, five targets beside one",
    "spark1": "Spark local[1], Parquet",
    "spark2": "Spark local[2], Parquet",
}


# ---- data ----------------------------------------------------------------------------


def weighted(generator: np.random.Generator, levels: int, n: int) -> np.ndarray:
    weights = 1 / np.arange(1, levels + 1)
    cumulated = np.cumsum(weights / weights.sum())
    cumulated[-1] = 1
    return np.searchsorted(cumulated, generator.random(n, np.float32)).astype(np.int8)


def generated(generator: np.random.Generator, n: int) -> dict[str, np.ndarray]:
    columns = {name: weighted(generator, size, n) for name, size in zip(KEYS, SIZES)}
    return columns | {name: weighted(generator, 20, n) for name in TARGETS}


def write(path: Path, rows: int, seed: int) -> None:
    """A Parquet file, chunk by chunk."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    generator = np.random.default_rng(seed)
    with ExitStack() as stack:
        writer = None
        for begin in range(0, rows, CHUNK):
            table = pa.table(generated(generator, min(CHUNK, rows - begin)))
            if writer is None:
                writer = stack.enter_context(pq.ParquetWriter(path, table.schema))
            writer.write_table(table)


def files(folder: Path, rows: int) -> list[Path]:
    """The original and the synthetic table, made unless they are there."""
    paths = []
    for seed, side in enumerate(("original", "synthetic"), start=1):
        path = folder / f"{side}_{rows}.parquet"
        if not path.exists():
            write(path, rows, seed)
        paths.append(path)
    return paths


# ---- one line, in a process of its own -----------------------------------------------

Tables = list[Any]
Bare = Callable[[Any, list[str]], Any]  # one GROUP BY over some columns


def duckdb_tables(paths: list[Path]) -> tuple[Tables, Bare]:
    import duckdb

    folder = str(paths[0].parent / "spilled")
    settings = {"memory_limit": MEMORY_LIMIT, "temp_directory": folder, "threads": 2}
    connection = duckdb.connect(config={**settings, "preserve_insertion_order": False})

    def bare(table: Any, names: list[str]) -> Any:
        asked = ", ".join(names)
        return table.aggregate(f"{asked}, count(*) AS n", asked).to_arrow_table()

    return [connection.read_parquet(str(path)) for path in paths], bare


def polars_tables(paths: list[Path]) -> tuple[Tables, Bare]:
    import polars

    def bare(table: Any, names: list[str]) -> Any:
        return table.group_by(names).agg(polars.len()).collect().to_arrow()

    return [polars.scan_parquet(path) for path in paths], bare


def spark_tables(paths: list[Path], cores: int) -> tuple[Tables, Bare]:
    from pyspark.sql import SparkSession

    builder = SparkSession.builder.master(f"local[{cores}]")
    settings = {
        "spark.ui.enabled": "false",
        "spark.driver.memory": "2g",
        "spark.sql.shuffle.partitions": "2",
    }
    for name, value in settings.items():
        builder = builder.config(name, value)
    session = builder.getOrCreate()
    session.sparkContext.setLogLevel("ERROR")

    def bare(table: Any, names: list[str]) -> Any:
        return table.groupBy(*names).count().toArrow()

    return [session.read.parquet(str(path)) for path in paths], bare


def opened(line: str, paths: list[Path]) -> tuple[Tables, Bare]:
    if line == "polars":
        return polars_tables(paths)
    if line.startswith("spark"):
        return spark_tables(paths, cores=int(line[-1]))
    return duckdb_tables(paths)


def forget_peak() -> None:
    """Let the kernel measure the peak of memory anew."""
    Path("/proc/self/clear_refs").write_text("5", encoding="ascii")


def peak() -> float:
    """The largest memory since then, in MB."""
    lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    line = next(line for line in lines if line.startswith("VmHWM"))
    return int(line.split()[1]) / 1024


def timed(call: Callable[[], Any]) -> tuple[float, float, Any]:
    """Seconds, peak of memory, and what came of it."""
    forget_peak()
    start = time.perf_counter()
    result = call()
    return time.perf_counter() - start, peak(), result


def measured(line: str, folder: Path, rows: int, rounds: int) -> dict[str, Any]:
    """The figures of one line."""
    warnings.simplefilter("ignore")
    (original, synthetic), bare = opened(line, files(folder, rows))
    beside, call = alternatives(line, original, synthetic, bare)
    if line in WARMED_UP:
        beside(), call()
    seconds: list[tuple[float, float]] = []
    peaks: list[tuple[float, float]] = []
    for _ in range(rounds):
        # what is beside must not stay in memory while the call is measured
        bare_seconds, bare_peak, _ = timed(beside)
        our_seconds, our_peak, facts = timed(call)
        seconds.append((bare_seconds, our_seconds))
        peaks.append((bare_peak, our_peak))
    return {
        "line": line,
        "rows": rows,
        "rounds": rounds,
        "beside_seconds": statistics.median(one for one, _ in seconds),
        "seconds": statistics.median(one for _, one in seconds),
        "ratio": statistics.median(ours / theirs for theirs, ours in seconds),
        "beside_peak_mb": max(one for one, _ in peaks),
        "peak_mb": max(one for _, one in peaks),
        "goal": GOALS[line],
        **facts,
    }


def alternatives(
    line: str, original: Any, synthetic: Any, bare: Bare
) -> tuple[Callable[[], Any], Callable[[], dict[str, Any]]]:
    """What is measured beside the call, and the call; it gives facts worth a record."""
    from synthpop_py import disclosure, multi_disclosure

    tables = (synthetic, original)
    quiet: dict[str, Any] = {"print_flag": False}

    def group_by_twice() -> None:
        for table in tables:
            bare(table, [*KEYS, "t0"])

    def one_target() -> dict[str, Any]:
        result = disclosure(*tables, KEYS, "t0", **quiet)
        return {"DiSCO": float(result.attrib["DiSCO"].iloc[0])}

    def five_targets() -> dict[str, Any]:
        result = multi_disclosure(*tables, KEYS, TARGETS, **quiet)
        return {"targets": len(result.targets)}

    if line == "targets":
        return one_target, five_targets
    return group_by_twice, one_target


# ---- all lines -----------------------------------------------------------------------


def run_line(line: str, folder: Path, options: argparse.Namespace) -> dict[str, Any]:
    rows = options.rows or ROWS[line][options.full]
    files(folder, rows)  # here, so that making them is in nobody's peak
    program = [sys.executable, __file__, "--line", line, "--folder", str(folder)]
    numbers = ["--rows", rows, "--rounds", options.rounds]
    command = [*program, *map(str, numbers)]
    ran = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False, cwd=ROOT)
    if ran.returncode:
        return {"line": line, "rows": rows, "goal": GOALS[line], "failed": ran.returncode}
    found: dict[str, Any] = json.loads(ran.stdout.splitlines()[-1])
    return found


def recorded(lines: list[dict[str, Any]]) -> dict[str, Any]:
    """What is written: lines of this run, and those of an earlier one that were not asked for."""
    new = {line["line"]: {**line, "date": date.today().isoformat()} for line in lines}
    old = {}
    if RECORD.exists():
        old = {line["line"]: line for line in json.loads(RECORD.read_text("utf-8"))["lines"]}
    together = {**old, **new}
    return {
        "python": platform.python_version(),
        "cores": os.cpu_count(),
        "versions": {name: version(name) for name in LIBRARIES},
        "lines": [together[name] for name in ROWS if name in together],
    }


def table(record: dict[str, Any]) -> str:
    """The Markdown table of the page on speed."""
    rows = [
        "| engine | rows on each side | beside | call | ratio | peak memory | goal |",
        "|---|---|---|---|---|---|---|",
    ]
    for line in record["lines"]:
        begin = f"| {TITLES[line['line']]} | {line['rows'] / MILLION:g} million |"
        if "failed" in line:
            rows.append(f"{begin} | did not finish | | | {line['goal']} |")
            continue
        rows.append(
            f"{begin} {line['beside_seconds']:.1f} s | {line['seconds']:.1f} s |"
            f" {line['ratio']:.2f} | {line['peak_mb']:,.0f} MB | {line['goal']} |"
        )
    return "\n".join(rows)


def short_table(record: dict[str, Any]) -> str:
    """The table of the README: what finished."""
    rows = [
        "| records stay in | rows on each side | call | beside | call / beside | peak memory |",
        "|---|---:|---:|---:|---:|---:|",
    ]
    for line in record["lines"]:
        if "failed" not in line:
            beside = "one target" if line["line"] == "targets" else "two bare GROUP BYs"
            rows.append(
                f"| {TITLES[line['line']]} | {line['rows'] / MILLION:g} million |"
                f" {line['seconds']:.1f} s | {beside} {line['beside_seconds']:.1f} s |"
                f" {line['ratio']:.1f} | {line['peak_mb']:,.0f} MB |"
            )
    days = sorted({line["date"] for line in record["lines"]})
    return "\n".join([*rows, "", f"Measured {' and '.join(days)}; {record['cores']} cores."])


def write_record(record: dict[str, Any]) -> None:
    RECORD.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
    MARKS.write(short_table(record))


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", nargs="+", choices=list(ROWS), default=list(ROWS))
    parser.add_argument("--full", action="store_true", help="the sizes of the record")
    parser.add_argument("--rows", type=int, default=0, help="of each table, for every line")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--folder", type=Path, help="where Parquet files go, kept if given")
    parser.add_argument("--no-record", action="store_true", help="only print")
    parser.add_argument("--line", help=argparse.SUPPRESS)
    return parser.parse_args()


def main() -> None:
    options = arguments()
    if options.line:
        print(json.dumps(measured(options.line, options.folder, options.rows, options.rounds)))
        return
    lines = []
    with ExitStack() as stack:
        folder = options.folder or Path(stack.enter_context(tempfile.TemporaryDirectory()))
        for line in options.only:
            lines.append(run_line(line, folder, options))
            print(json.dumps(lines[-1]), flush=True)
    if not options.no_record:
        write_record(recorded(lines))


if __name__ == "__main__":
    main()
