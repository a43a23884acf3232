"""What the README shows is what the code gives."""

from __future__ import annotations

import re
import warnings
from pathlib import Path

from synthpop_py import RDefectWarning, __all__, datasets, disclosure

README = (Path(__file__).resolve().parents[2] / "README.md").read_text(encoding="utf-8")


def test_python_blocks_run():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RDefectWarning)
        namespace: dict = {}
        for block in re.findall(r"```python\n(.*?)```", README, flags=re.S):
            exec(block, namespace)
    assert namespace["result"].Norig == 5000


def test_the_figures_of_the_defect_are_computed():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RDefectWarning)
        result = disclosure(
            datasets.load_synthesis("Adult_boot"),
            datasets.load("Adult"),
            ["age", "occupation", "race", "sex"],
            "hours.per.week",
            print_flag=False,
        )
    r, correct = result.attrib.DiSCO[1], result.corrected.attrib.DiSCO[1]
    assert f"DiSCO: R {r:.2f}, correct {correct:.2f}" in README
    assert f"R reports {r:.2f} % where {correct:.2f} % is correct" in README


def test_functions_named_are_public():
    named = set(re.findall(r"`(?:synthpop_py\.)?([a-z_]+)\(\)`", README))
    of_r = {"disclosure", "syn", "compare"}
    assert named - of_r <= {*__all__, "tidy", "records"}
