"""Every warning of the package points at the line of the user's own file, however deep in the
package it is raised.
"""

from __future__ import annotations

import warnings
from pathlib import Path

import pytest

import synthpop_py
from synthpop_py import (
    GuessableSeedWarning,
    NothingInCommonWarning,
    RDefectWarning,
    UndeterminedWarning,
)

SETUP = """
import numpy as np
import pandas as pd

import synthpop_py as sp
from synthpop_py.synthesis import Multinomial, fit_models
from synthpop_py.ru_map import Measure

PEOPLE = pd.DataFrame({"a": list("pqrr"), "job": list("xyxy"), "town": list("ABAB")})
FAKE = PEOPLE.assign(a=list("stuv"))
ALONE = pd.DataFrame({"a": list("pqqr")})
SKEWED = pd.DataFrame({"x": [90.0, 95, 100, 105, 1000]})
LETTERS = pd.DataFrame({"a": pd.Categorical(list("ppppppqqqqrs"))})
SPLIT = pd.DataFrame({"x": list("aabb") * 3, "y": ["u", "u", "v", "v"] * 3})
ANEW = [SPLIT.assign(y=y) for y in (["u", "v", "v", "v"] * 3, ["u", "u", "v", "u"] * 3, SPLIT["y"])]
MODELS = [Multinomial("y", ["x"], ridge=0)]
OPTIONS = {"attack": "model", "models": MODELS, "parameters": "simulated", "draws": 2, "seed": 1}
RAGGED = pd.DataFrame({"key": np.arange(1, 201) / 7})
LOST = pd.DataFrame({"key": np.nextafter(RAGGED["key"], np.inf)})
"""

# (the call on the marked line, what it warns of)
CALLS = {
    "disclosure": ("sp.disclosure(FAKE, PEOPLE, ['a'], 'job')", NothingInCommonWarning),
    "disclosure, figures of R": (
        "sp.disclosure(ALONE.assign(t='x', a='NA'), ALONE.assign(t='x'), 'a', 't',"
        " not_targetlev=['', 'x'])",
        RDefectWarning,
    ),
    "multi_disclosure": (
        "sp.multi_disclosure(FAKE, PEOPLE, ['a'], ['job', 'town'])",
        NothingInCommonWarning,
    ),
    "multi_disclosure, figures of R": (
        "sp.multi_disclosure(ALONE.assign(t='x', a='NA'), ALONE.assign(t='x'), 'a', ['t'],"
        " ident_meas='UiSiO')",
        RDefectWarning,
    ),
    "disclosure_summary": (
        "sp.disclosure_summary(FAKE, PEOPLE, ['a'], ['job'])",
        NothingInCommonWarning,
    ),
    "key_risk": ("sp.key_risk(FAKE, PEOPLE, ['a'])", NothingInCommonWarning),
    "replicated_uniques": ("sp.replicated_uniques(FAKE, PEOPLE, ['a'])", NothingInCommonWarning),
    "replicated_uniques, figures of R": (
        "sp.replicated_uniques(ALONE, PEOPLE[['a']])",
        RDefectWarning,
    ),
    "sdc": (
        "sp.sdc(FAKE, PEOPLE, ['a'], rm_replicated_uniques=True)",
        NothingInCommonWarning,
    ),
    "sdc, figures of R": (
        "sp.sdc(ALONE.assign(b=1), PEOPLE[['a']].assign(b=1), ['a'], rm_replicated_uniques=True)",
        RDefectWarning,
    ),
    "numtocat_syn": ("sp.numtocat_syn(SKEWED, catgroups=2)", RDefectWarning),
    "numtocat_syn of a SynDS": ("sp.numtocat_syn(sp.SynDS(SKEWED), catgroups=2)", RDefectWarning),
    "mergelevels_syn": (
        "sp.mergelevels_syn(LETTERS, 'a', minsize=4, newlabel=True)",
        RDefectWarning,
    ),
    "mergelevels_syn of a SynDS": (
        "sp.mergelevels_syn(sp.SynDS(LETTERS), 'a', minsize=4, newlabel=True)",
        RDefectWarning,
    ),
    "identification_risk": (
        "sp.identification_risk(FAKE, PEOPLE, known=['town'], synthesised=['a'])",
        NothingInCommonWarning,
    ),
    "identification_risk, last digits": (
        "sp.identification_risk(LOST, RAGGED, known=[], synthesised=['key'])",
        NothingInCommonWarning,
    ),
    "fit_models": ("fit_models(SPLIT, MODELS)", UndeterminedWarning),
    "partial_synthesis": ("sp.partial_synthesis(SPLIT, MODELS, 2)", UndeterminedWarning),
    "partial_synthesis, seed": (
        "sp.partial_synthesis(SPLIT, MODELS, 2, seed=1)",
        GuessableSeedWarning,
    ),
    "add_noise": ("sp.add_noise(SKEWED, 'x', sd=1, seed=1)", GuessableSeedWarning),
    "swap": ("sp.swap(PEOPLE, 'job', 'town', 1, seed=1)", GuessableSeedWarning),
    "ifpr": ("sp.ifpr(SKEWED, 'x', xi=0.4, seed=1)", GuessableSeedWarning),
    "syn": ("sp.syn(SPLIT, 'sample', seed=1, print_flag=False)", GuessableSeedWarning),
    "identification_risk, model attack": (
        "sp.identification_risk(ANEW, SPLIT, known=['x'], synthesised=['y'], **OPTIONS)",
        UndeterminedWarning,
    ),
    "risk_utility_by_m": (
        "sp.risk_utility_by_m([FAKE, FAKE], PEOPLE, sp.estimation.Proportions('job'),"
        " known=['town'], synthesised=['a'], designs=(2,))",
        NothingInCommonWarning,
    ),
    "ru_map": (
        "sp.ru_map({'one': ANEW}, SPLIT, keys=['x', 'y'], risk='expected_match_rate',"
        " aligned=True, matching_options=OPTIONS)",
        UndeterminedWarning,
    ),
}


def run(path: Path, lines: str) -> list[warnings.WarningMessage]:
    """What a user's file, run as Python runs it, makes of its warnings."""
    path.write_text(lines)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        exec(compile(lines, str(path), "exec"), {"__name__": "__main__", "__file__": str(path)})
    return caught


@pytest.mark.parametrize("name", CALLS)
def test_a_warning_points_at_the_users_line(name, tmp_path, capsys):
    call, kind = CALLS[name]
    lines = f"{SETUP}\n\ndef work():\n    return (\n        {call}\n    )\n\n\nwork()\n"
    caught = [w for w in run(tmp_path / "users_file.py", lines) if w.category is kind]
    assert caught
    first = 1 + lines[: lines.index(call)].count("\n")
    for warning in caught:
        assert warning.filename == str(tmp_path / "users_file.py")
        assert warning.lineno == first


def test_a_measure_of_the_users_own_warns_at_its_own_line(tmp_path, capsys):
    """Between the user's function and the user's call lies the package: the nearer line counts."""
    lines = f"""{SETUP}

def own(release, original):
    return sp.disclosure(FAKE, PEOPLE, ["a"], "job").attrib.DiSCO.iloc[0]


sp.ru_map({{"one": PEOPLE}}, PEOPLE, keys=["a"], risk=Measure("own", own, unit="%", better="lower"))
"""
    caught = [
        w for w in run(tmp_path / "users_file.py", lines) if w.category is NothingInCommonWarning
    ]
    assert {(w.filename, w.lineno) for w in caught} == {
        (str(tmp_path / "users_file.py"), 1 + lines[: lines.index("return sp")].count("\n"))
    }


def test_nothing_in_the_package_warns_in_another_way():
    package = Path(synthpop_py.__file__).parent
    own = [
        str(path.relative_to(package))
        for path in package.rglob("*.py")
        if "warnings.warn" in (text := path.read_text(encoding="utf-8")) or "stacklevel" in text
    ]
    assert own == ["errors.py"]
