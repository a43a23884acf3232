"""The pages about identification risk name every parameter, attribute, method and column, and no other."""

from __future__ import annotations

import inspect
import re
from dataclasses import fields

import pandas as pd

from docs import build
from synthpop_py.matching import IdentificationRisk, identification_risk


def section(start: str, end: str) -> list[str]:
    """What is in code style in the first column of the tables between two headings."""
    text = (build.PAGES / "reference/identification-risk.md").read_text(encoding="utf-8").split(start)[1].split(end)[0]
    rows = [line.split("|")[1] for line in text.splitlines() if line.startswith("| `")]
    return [name for row in rows for name in re.findall(r"`([^`]+)`", row)]


def test_every_parameter_is_described_and_no_other():
    named = [name for name in section("## Parameters", "## The result") if "(" not in name]
    assert sorted(named) == sorted(inspect.signature(identification_risk).parameters)


def test_every_attribute_and_method_is_described_and_no_other():
    named = {f.name for f in fields(IdentificationRisk)} | {name for name, _ in inspect.getmembers(IdentificationRisk)}
    expected = {f"{name}()" if inspect.isfunction(getattr(IdentificationRisk, name, None)) else name for name in named if not name.startswith("_")}
    assert set(section("## The result", "### `records()`")) == expected


def test_every_column_is_described_and_no_other():
    frame = pd.DataFrame({"sex": ["f", "m"], "town": ["A", "B"]})
    risk = identification_risk(frame, frame, known="sex", synthesised="town", weights=[1, 2])
    assert section("### `records()`", "\n##") == list(risk.records())
    assert section("### `tidy()`", "\n##") == list(risk.tidy())
