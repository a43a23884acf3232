"""What is R's is in one room: the registry names its tests, a new version is two entries, and one
mechanism says what R's defects moved.
"""

from __future__ import annotations

import ast
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

import synthpop_py
from synthpop_py import InputError
from synthpop_py.r.both import Computation, DefectFinding, as_r, run_both
from synthpop_py.r.defects import BY_ID, DEFECTS
from synthpop_py.r.layouts import LAYOUTS, in_order
from synthpop_py.r.reading import MODES, VERSIONS, Reading, correctly
from synthpop_py.summary import judgement
from tests.parity import test_ledger

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = Path(synthpop_py.__file__).parent
VERSION = re.compile(r"(r-)?\d+\.\d+-\d+")


# ---- the registry --------------------------------------------------------------------


def cases_of(function_name: str) -> set[str]:
    """The ids of defects for which a test of the ledger has a case."""
    if function_name.startswith("test_d"):
        return {f"D{function_name.split('_')[1][1:]}"}
    (mark,) = [
        mark for mark in getattr(test_ledger, function_name).pytestmark if mark.args[0] == "entry"
    ]
    return {entry.id for entry in mark.args[1]}


@pytest.mark.parametrize("defect", DEFECTS, ids=lambda defect: defect.id)
def test_every_defect_names_a_test_that_has_a_case_for_it(defect):
    file, function_name = defect.test.split("::")
    assert (ROOT / file).samefile(test_ledger.__file__)
    assert defect.id in cases_of(function_name)


@pytest.mark.parametrize("defect", DEFECTS, ids=lambda defect: defect.id)
def test_every_entry_is_whole(defect):
    texts = (defect.summary, defect.r_does, defect.correct)
    assert all(texts) and defect.functions and defect.versions
    assert {defect.since, defect.until} <= {None, *LAYOUTS}


def test_ids_are_given_once():
    ids = [defect.id for defect in DEFECTS]
    assert len(set(ids)) == len(ids)


def texts_in(path: Path) -> set[str]:
    """The texts that a module acts on or shows: whole constants."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    constants = [node.value for node in ast.walk(tree) if isinstance(node, ast.Constant)]
    return {value for value in constants if isinstance(value, str)}


def test_code_names_versions_in_the_registry_and_the_layouts_only():
    named = set()
    for path in PACKAGE.rglob("*.py"):
        if any(VERSION.fullmatch(text) for text in texts_in(path)):
            named.add(path.relative_to(PACKAGE).as_posix())
    assert named == {"r/defects.py", "r/layouts.py"}


def test_defects_are_described_in_the_registry_only():
    described = {text for defect in DEFECTS for text in (defect.r_does, defect.correct)}
    sentences = {text for text in described if " " in text}
    for path in PACKAGE.rglob("*.py"):
        if path.name != "defects.py":
            assert not texts_in(path) & sentences, path


# ---- versions ------------------------------------------------------------------------


def test_modes_follow_from_the_layouts():
    assert MODES == ("r", *(f"r-{version}" for version in reversed(in_order(LAYOUTS))), "corrected")
    assert VERSIONS["r"] == VERSIONS["corrected"] == in_order(LAYOUTS)[-1]


def test_versions_have_an_order_of_their_own():
    assert in_order(["1.10-0", "1.9-3", "1.9-2"]) == ["1.9-2", "1.9-3", "1.10-0"]


LAYOUT = """
    "9.9-9": Layout(
        ident=_same(["UiO", "repU"]),
        attrib={"Dorig": "Dorig", "DiSCO_new": "DiSCO"},
        caps={"TCAP": "TCAP_iS"},
    ),
"""
DEFECT = """
    Defect(
        id="D99",
        functions=("disclosure",),
        severity="B",
        kind="bug",
        port="switch",
        summary="a made-up defect",
        r_does="does something made up",
        correct="nothing made up",
        since="9.9-9",
    ),
"""
CALL = """
import pandas as pd
from synthpop_py import disclosure, r_defects
from synthpop_py.r.both import as_r
from synthpop_py.r.reading import MODES

people = pd.DataFrame({"k": list("abcd"), "t": list("xyxy")})
assert MODES == ("r", "r-9.9-9", "r-1.9-3", "r-1.9-2", "corrected")
result = disclosure(people, people, "k", "t", compat="r-9.9-9")
assert list(result.ident.columns) == ["UiO", "repU"], result.ident
assert list(result.allCAPs.columns) == ["TCAP"] and result.attrib_denoms is None
assert result.attrib.DiSCO_new.tolist() == [100]
result.print("all")
assert "DiSCO_new" in result.to_json() and result.to_markdown() and result.to_html()
assert result.allCAPs.TCAP.tolist() == [100] and result.compat == "r-9.9-9"
assert disclosure(people, people, "k", "t").ident.shape == (1, 2)
earlier = disclosure(people, people, "k", "t", compat="r-1.9-3")
assert list(earlier.ident.columns) == ["UiO", "UiS", "UiOiS", "repU"]
assert r_defects().at["D99", "versions"] == "9.9-9"
assert as_r("r-9.9-9").reproduces("D99") and not as_r("r-1.9-3").reproduces("D99")
assert as_r("r-9.9-9").reproduces("D45") and not as_r("r-9.9-9").reproduces("D16")
assert result.to_dict()["r_version"] == "9.9-9"
assert disclosure.__module__ and "synthpop_py" in str(result.from_dict(result.to_dict()).__class__)
"""


def test_a_new_version_is_one_layout_and_its_defects(tmp_path):
    """A version that does not exist, with a defect that does not, in a copy of the package."""
    copy = tmp_path / "synthpop_py"
    shutil.copytree(PACKAGE, copy, ignore=shutil.ignore_patterns("__pycache__"))
    add_entry(copy / "r" / "layouts.py", "LAYOUTS: dict[str, Layout] = {", LAYOUT)
    add_entry(copy / "r" / "defects.py", "DEFECTS: tuple[Defect, ...] = (", DEFECT)
    run = subprocess.run(
        [sys.executable, "-c", CALL], cwd=tmp_path, capture_output=True, text=True, timeout=120
    )
    assert run.returncode == 0, run.stderr


def add_entry(path: Path, before: str, entry: str) -> None:
    text = path.read_text(encoding="utf-8")
    assert text.count(before) == 1
    path.write_text(text.replace(before, before + entry), encoding="utf-8")


# ---- run as R, run correctly, say what moved -----------------------------------------


@dataclass
class Toy(Computation[dict[str, float]]):
    """Figures that made-up defects move: A adds to a, B to b; together they move c."""

    refuses: bool = False
    runs: int = 0

    def result(self, reading: Reading) -> dict[str, float]:
        self.runs += 1
        if self.refuses and not reading.active:
            raise InputError("keys: not like this")
        a = reading.follow_r("D1")
        b = reading.follow_r("D2")
        return {"a": float(a), "b": float(b), "c": float(a or b), "d": 1.0}

    def changes(self, r, correct):
        return tuple((0, name, r[name], correct[name]) for name in r if r[name] != correct[name])


def reading_of(*defects: str) -> Reading:
    return Reading(frozenset(defects), "r")


def test_nothing_is_run_twice_unless_a_defect_mattered():
    toy = Toy()
    both = run_both(toy, correctly())
    assert (both.corrected, both.findings, toy.runs) == (None, (), 1)


def test_one_defect_moves_everything_that_moved():
    toy = Toy()
    both = run_both(toy, reading_of("D1"))
    moved = ((0, "a", 1.0, 0.0), (0, "c", 1.0, 0.0))
    assert both.findings == (DefectFinding("D1", moved),) and toy.runs == 2
    assert both.corrected == {"a": 0, "b": 0, "c": 0, "d": 1}


def test_what_only_several_move_together_goes_to_each_of_them():
    both = run_both(Toy(), reading_of("D1", "D2"))
    together = (0, "c", 1.0, 0.0)
    assert both.findings == (
        DefectFinding("D1", ((0, "a", 1.0, 0.0), together)),
        DefectFinding("D2", ((0, "b", 1.0, 0.0), together)),
    )


def test_a_call_that_is_invalid_when_corrected_keeps_its_result_and_says_why():
    both = run_both(Toy(refuses=True), reading_of("D2", "D1"))
    reason = "under the corrected reading this call is invalid: keys: not like this"
    assert both.corrected is None and both.asked["a"] == 1
    assert [finding.id for finding in both.findings] == ["D1", "D2"]
    assert {finding.changes for finding in both.findings} == {((0, reason, None, None),)}


def test_a_question_leaves_no_trace_and_an_order_does():
    reading = as_r("r")
    assert reading.reproduces("D1") and not reading.touched
    assert not reading.follow_r("D1", where=False) and not reading.touched
    assert reading.follow_r("D1") and reading.touched == {"D1"}
    mended = reading.without("D1")
    assert not mended.reproduces("D1") and not mended.touched and mended.mode == "r"


def test_what_a_defect_moves_in_the_summary_follows_from_its_entry():
    """A made-up defect of the summary: one edit, and the judgement knows it."""
    of_pairs = replace(BY_ID["D30"], id="D99")
    assert of_pairs.moved_figures(by=("repU", "DiSCO")) == ("npairs",)
    assert BY_ID["D31"].moved_figures(by=("repU", "DiSCO")) == ()
    assert BY_ID["D31"].moved_figures(by=("UiSiO", "DiSDiO")) == ("ident_syn", "attrib_orig")
    assert BY_ID["D2"].moved_figures(by=("repU", "DiSCO")) is None
    assert judgement.OF_THE_CALL == {"D2", "D3", "D32"}


def test_the_judgement_of_the_summary_names_no_defect():
    text = Path(judgement.__file__).read_text(encoding="utf-8")
    assert re.findall(r"\bD\d+\b", text) == []
