"""Files for the tests of the command line, and ways to run it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd

ROOT = Path(__file__).resolve().parents[2]
TABLES = ["--synthetic", "synthetic.csv", "--original", "original.csv"]
ASK = [*TABLES, "--keys", "sex,age", "--targets", "job"]


def people(seed: int, records: int = 300) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            "sex": rng.choice(["f", "m"], records),
            "age": rng.integers(20, 60, records),
            "town": rng.choice(list("ABCDE"), records),
            "job": rng.choice(["x", "y"], records),
        }
    )


def write_people() -> None:
    """original.csv, synthetic.csv and synthetic-2.csv in the current folder."""
    people(1).to_csv("original.csv", index=False)
    people(2).to_csv("synthetic.csv", index=False)
    people(3).to_csv("synthetic-2.csv", index=False)


def process(*words: str, **given: object) -> subprocess.CompletedProcess[str]:
    """The program in a process of its own, as a shell starts it."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    return subprocess.run(
        [sys.executable, "-m", "synthpop_py", *words],
        capture_output=True,
        text=True,
        check=False,
        env=environment,
        **given,
    )
