"""What was measured of `syn()` (docs/syn_speed.json) keeps its goals, and can be measured again."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
RECORD = json.loads((ROOT / "docs" / "syn_speed.json").read_text(encoding="utf-8"))
GOALS = {"SD2011, m = 1": 0.5, "SD2011, m = 5": 0.15, "Adult": 0.7}  # shares of R's seconds
LARGE = [row for row in RECORD["growth"] if row["records"] >= 10_000]


@pytest.mark.parametrize("name", GOALS)
def test_the_goal_beside_r_was_met(name):
    row = RECORD["against_r"][name]
    assert row["ratio"] == pytest.approx(row["seconds"] / row["r_seconds"], abs=0.003)
    assert row["ratio"] <= row["goal"] == GOALS[name]
    # the steps are the call
    assert sum(row["steps"].values()) == pytest.approx(row["seconds"], abs=0.05)


def test_sizes_go_from_a_thousand_to_two_hundred_thousand():
    sizes = [row["records"] for row in RECORD["growth"]]
    assert sizes == sorted(sizes)
    assert (sizes[0], sizes[-1]) == (1000, 200_000)


def test_memory_grows_as_the_records_do():
    per_record = [row["mb_needed"] / row["records"] for row in LARGE]
    assert max(per_record) < 1.25 * min(per_record)


def test_time_grows_no_faster_than_the_records():
    per_record = [row["us_per_record"] for row in LARGE]
    assert max(per_record) < 1.1 * per_record[0]


def test_a_size_is_measured_in_a_process_of_its_own():
    command = [sys.executable, str(ROOT / "benchmarks" / "bench_syn.py"), "--one-size", "300"]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    row = json.loads(done.stdout)
    assert row["records"] == 300 and row["seconds"] > 0
    assert row["mb_peak"] is None or row["mb_peak"] >= row["mb_before"] > 10
