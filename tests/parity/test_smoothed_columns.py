"""Columns smoothed by a kernel density, to the last bit as base R smooths them: recorded ones, and
a thousand beside R itself.
"""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

from synthpop_py.r.bandwidth import EXTENDED, bandwidth, standard_deviation
from synthpop_py.synthesis.smoothing import smoothed
from synthpop_py.synthesis.stream import RStream
from tests.judged import judged

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = ROOT / "r_reference" / "smoothing.R"
RECORDED = ROOT / "fixtures" / "syn" / "smoothing.json"
# R adds up in numbers wider than doubles; where NumPy has none, last bits may differ
wide = pytest.mark.skipif(not EXTENDED, reason="no numbers wider than doubles here")


def differing(column: dict[str, Any]) -> list[str]:
    """Which of R's figures are not ours, bit for bit."""
    values = np.array(column["values"], dtype=float)
    normals = RStream(column["seed"]).normals
    ours = {
        "sd": standard_deviation(values),
        "width": bandwidth(values),
        "normals": normals(len(column["normals"])).tolist(),
        "smoothed": smoothed("density", values, values, RStream(column["seed"]).normals).tolist(),
    }
    return [name for name, figure in ours.items() if figure != column[name]]


@wide
def test_recorded_columns():
    columns = json.loads(RECORDED.read_text(encoding="utf-8"))["columns"]
    assert len(columns) == 30
    for column in columns:
        assert differing(column) == [], f"column {column['seed']}"
        judged("syn", "syn", {"smoothed": column["smoothed"]}, "1.9-3")


def a_column(rng: Random) -> list[float]:
    size = rng.choice([5, 12, 60, 200, 500, 501, 800])
    draw = rng.choice(
        [
            lambda: round(rng.gauss(50, 20), 1),
            lambda: float(rng.randrange(41)),
            lambda: round(rng.lognormvariate(7, 1), 2),
            lambda: rng.gauss(0, 1),
            lambda: rng.randrange(1, 400) / 8,
        ]
    )
    return [draw() for _ in range(size)]


@wide
@pytest.mark.needs("base R")
def test_a_thousand_columns_beside_r(tmp_path):
    rng = Random("smoothed columns")
    given, answered = tmp_path / "columns.json", tmp_path / "answers.json"
    given.write_text(json.dumps([a_column(rng) for _ in range(1000)]))
    subprocess.run(["Rscript", SCRIPT, answered, given], check=True, capture_output=True)
    columns = json.loads(answered.read_text())["columns"]
    wrong = {column["seed"]: differing(column) for column in columns}
    assert len(wrong) == 1000
    assert not {seed: names for seed, names in wrong.items() if names}
