"""The pages about identification risk name every parameter, attribute, method and column, and no
other.
"""

from __future__ import annotations

import inspect
import re
from dataclasses import fields

import pandas as pd
import pytest

from docs import build
from synthpop_py import estimation, study, synthesis
from synthpop_py.matching import IdentificationRisk, identification_risk


def section(start: str, end: str) -> list[str]:
    """What is in code style in the first column of the tables between two headings."""
    text = (
        (build.PAGES / "reference/identification-risk.md")
        .read_text(encoding="utf-8")
        .split(start)[1]
        .split(end)[0]
    )
    rows = [line.split("|")[1] for line in text.splitlines() if line.startswith("| `")]
    return [name for row in rows for name in re.findall(r"`([^`]+)`", row)]


def test_every_parameter_is_described_and_no_other():
    named = [name for name in section("## Parameters", "## The result") if "(" not in name]
    assert sorted(named) == sorted(inspect.signature(identification_risk).parameters)


def test_every_attribute_and_method_is_described_and_no_other():
    named = {f.name for f in fields(IdentificationRisk)} | {
        name for name, _ in inspect.getmembers(IdentificationRisk)
    }
    expected = {
        f"{name}()" if inspect.isfunction(getattr(IdentificationRisk, name, None)) else name
        for name in named
        if not name.startswith("_")
    }
    assert set(section("## The result", "### `records()`")) == expected


def test_every_column_is_described_and_no_other():
    frame = pd.DataFrame({"sex": ["f", "m"], "town": ["A", "B"]})
    risk = identification_risk(frame, frame, known="sex", synthesised="town", weights=[1, 2])
    assert section("### `records()`", "\n##") == list(risk.records())
    assert section("### `tidy()`", "\n##") == list(risk.tidy())


# ---- synthesis models and estimation -------------------------------------------------

ONLY_RETURNED = {
    "Posterior",
    "RiskUtilityByM",
    "Combined",
    "IntervalOverlap",
    "EstimandOverlap",
    "SynthesisModel",
}


@pytest.mark.parametrize(
    "home, name",
    [(home, name) for home in (estimation, synthesis, study) for name in home.__all__],
)
def test_the_page_of_synthesis_and_estimation_describes_every_name_and_parameter(home, name):
    text = (build.PAGES / "reference/synthesis-and-estimation.md").read_text(encoding="utf-8")
    entry = text.split(f"### `{name}`\n")[1].split("\n##")[0]
    if name not in ONLY_RETURNED:
        table = entry.split("| parameter | meaning |")[1].split("\n\n")[0]
        named = [
            n.strip("*")
            for row in table.splitlines()
            if row.startswith("| `")
            for n in re.findall(r"`([^`]+)`", row.split("|")[1])
        ]
        assert sorted(named) == sorted(inspect.signature(getattr(home, name)).parameters)


def test_the_arguments_of_the_model_attack_have_their_own_table():
    text = (
        (build.PAGES / "reference/synthesis-and-estimation.md")
        .read_text(encoding="utf-8")
        .split("## The intruder who knows the models")[1]
        .split("\n###")[0]
    )
    assert re.findall(r"^\| `(\w+)` \|", text, flags=re.M) == [
        "models",
        "parameters",
        "draws",
        "restrictions",
    ]
