"""Every warning of the package points at the line of the user's own file, however deep in the
package it is raised; a call gives one of each kind at most.
"""

from __future__ import annotations

import warnings
from pathlib import Path

import pandas as pd
import pytest

from synthpop_py import (
    DataWarning,
    InputError,
    RDefectWarning,
    SeedWarning,
    disclosure,
    ifpr,
    key_risk,
    multi_disclosure,
    ru_map,
    table_utility,
)

SETUP = """
import numpy as np
import pandas as pd

import synthpop_py as sp
from synthpop_py.synthesis import Multinomial, fit_models
from synthpop_py.ru_map import Measure

PEOPLE = pd.DataFrame({"a": list("pqrr"), "job": list("xyxy"), "town": list("ABAB")})
FAKE = PEOPLE.assign(a=list("stuv"))
NEAR = PEOPLE.assign(a=list("Pqrr"))
ALONE = pd.DataFrame({"a": list("pqqr")})
SKEWED = pd.DataFrame({"x": [90.0, 95, 100, 105, 1000]})
LETTERS = pd.DataFrame({"a": pd.Categorical(list("ppppppqqqqrs"))})
SPLIT = pd.DataFrame({"x": list("aabb") * 3, "y": ["u", "u", "v", "v"] * 3})
ANEW = [SPLIT.assign(y=y) for y in (["u", "v", "v", "v"] * 3, ["u", "u", "v", "u"] * 3, SPLIT["y"])]
MODELS = [Multinomial("y", ["x"], ridge=0)]
OPTIONS = {"attack": "model", "models": MODELS, "parameters": "simulated", "draws": 2, "seed": 1}
RAGGED = pd.DataFrame({"key": np.arange(1, 201) / 7})
WIDE = pd.DataFrame({"a": range(40), "b": range(40)})
LOST = pd.DataFrame({"key": np.nextafter(RAGGED["key"], np.inf)})
"""

# (the call on the marked line, what it warns of)
CALLS = {
    "disclosure": ("sp.disclosure(FAKE, PEOPLE, ['a'], 'job')", DataWarning),
    "disclosure, a holdout that overlaps": (
        "sp.disclosure(WIDE, WIDE, ['a'], 'b', holdout=WIDE, compat='corrected')",
        DataWarning,
    ),
    "disclosure, figures of R": (
        "sp.disclosure(ALONE.assign(t='x', a='NA'), ALONE.assign(t='x'), 'a', 't',"
        " not_targetlev=['', 'x'])",
        RDefectWarning,
    ),
    "multi_disclosure": (
        "sp.multi_disclosure(FAKE, PEOPLE, ['a'], ['job', 'town'])",
        DataWarning,
    ),
    "multi_disclosure, figures of R": (
        "sp.multi_disclosure(ALONE.assign(t='x', a='NA'), ALONE.assign(t='x'), 'a', ['t'],"
        " ident_meas='UiSiO')",
        RDefectWarning,
    ),
    "disclosure_summary": (
        "sp.disclosure_summary(FAKE, PEOPLE, ['a'], ['job'])",
        DataWarning,
    ),
    "key_risk": ("sp.key_risk(FAKE, PEOPLE, ['town'], target='a')", DataWarning),
    "replicated_uniques": ("sp.replicated_uniques(FAKE, PEOPLE, ['a'])", DataWarning),
    "replicated_uniques, figures of R": (
        "sp.replicated_uniques(ALONE, PEOPLE[['a']])",
        RDefectWarning,
    ),
    "sdc": (
        "sp.sdc(FAKE, PEOPLE, ['a'], rm_replicated_uniques=True)",
        DataWarning,
    ),
    "sdc, figures of R": (
        "sp.sdc(ALONE.assign(b=1), PEOPLE[['a']].assign(b=1), ['a'], rm_replicated_uniques=True)",
        RDefectWarning,
    ),
    "numtocat_syn": ("sp.numtocat_syn(SKEWED, catgroups=2)", RDefectWarning),
    "mergelevels_syn": (
        "sp.mergelevels_syn(LETTERS, 'a', minsize=4, newlabel=True)",
        RDefectWarning,
    ),
    "identification_risk": (
        "sp.identification_risk(NEAR, PEOPLE, known=['town'], synthesised=['a'])",
        DataWarning,
    ),
    "identification_risk, last digits": (
        "sp.identification_risk(LOST, RAGGED, known=[], synthesised=['key'])",
        DataWarning,
    ),
    "fit_models": ("fit_models(SPLIT, MODELS)", DataWarning),
    "partial_synthesis": ("sp.partial_synthesis(SPLIT, MODELS, 2)", DataWarning),
    "partial_synthesis, seed": (
        "sp.partial_synthesis(SPLIT, MODELS, 2, seed=1)",
        SeedWarning,
    ),
    "add_noise": ("sp.add_noise(SKEWED, 'x', sd=1, seed=1)", SeedWarning),
    "swap": ("sp.swap(PEOPLE, 'job', 'town', 1, seed=1)", SeedWarning),
    "swap, nobody": ("sp.swap(PEOPLE, 'job', 'town', 1)", DataWarning),
    "ifpr": ("sp.ifpr(SKEWED, 'x', xi=0.4, seed=1)", SeedWarning),
    "syn": ("sp.syn(SPLIT, 'sample', seed=1, print_flag=False)", SeedWarning),
    "syn, columns left as they are": (
        "sp.syn(SPLIT, visit_sequence=[1], print_flag=False)",
        DataWarning,
    ),
    "identification_risk, model attack": (
        "sp.identification_risk(ANEW, SPLIT, known=['x'], synthesised=['y'], **OPTIONS)",
        DataWarning,
    ),
    "risk_utility_by_m": (
        "sp.risk_utility_by_m([NEAR, NEAR], PEOPLE, sp.estimation.Proportions('job'),"
        " known=['town'], synthesised=['a'], designs=(2,))",
        DataWarning,
    ),
    "ru_map": (
        "sp.ru_map({'one': ANEW}, SPLIT, keys=['x', 'y'], risk='expected_match_rate',"
        " aligned=True, matching_options=OPTIONS)",
        DataWarning,
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
    caught = [w for w in run(tmp_path / "users_file.py", lines) if w.category is DataWarning]
    assert {(w.filename, w.lineno) for w in caught} == {
        (str(tmp_path / "users_file.py"), 1 + lines[: lines.index("return sp")].count("\n"))
    }


# ---- one of each kind ----------------------------------------------------------------

ABC = pd.DataFrame({"k": list("aabbcc"), "t": list("xxyyxy"), "u": list("ppqqpq")})
STRANGERS = ABC.assign(k=list("123456"), t=list("123456"), u=list("123456"))
# the first record of every column is written in capitals
NEAR = ABC.assign(k=list("Aabbcc"), t=list("Xxyyxy"), u=list("Ppqqpq"))
QUIET = {"print_flag": False}


def warned(call) -> dict[type[Warning], list[str]]:
    """The texts that a call gives, by kind."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        call()
    texts: dict[type[Warning], list[str]] = {}
    for warning in caught:
        texts.setdefault(warning.category, []).append(str(warning.message))
    return texts


def test_several_unknown_levels_are_one_warning():
    levels = ["v1", "v2", "v3", "v4", "v5", "v6"]
    texts = warned(lambda: disclosure(ABC, ABC, "k", "t", not_targetlev=levels, **QUIET))
    (text,) = texts[DataWarning]
    assert text.startswith("not_targetlev: 'v1' is not a level of 't', so it leaves nothing out")
    assert text.endswith(". Also: 'v2' of 't'; 'v3' of 't'; 'v4' of 't'; and 2 more.")


def test_several_columns_and_syntheses_are_one_warning():
    texts = warned(
        lambda: multi_disclosure([STRANGERS, STRANGERS], ABC, "k", ["t", "u"], compat="r", **QUIET)
    )
    (text,) = texts[DataWarning]
    assert text.startswith("object, element 1, column 'k': no value in common with the original")
    # three columns in two syntheses: one in full, three named
    assert text.count("column ") == 4
    assert text.endswith("column 't': no value in common; and 2 more.")


def test_near_levels_and_nothing_in_common_are_both_told():
    strange = STRANGERS.assign(k=ABC["k"])
    texts = warned(lambda: key_risk([NEAR, strange], ABC, ["k"], target="t"))
    told = " ".join(text for given in texts.values() for text in given)
    assert "column 'k': 1 synthetic and fewer than 20 original records have" in told
    assert "column 't': no value in common" in told


def test_a_map_warns_once_whatever_its_releases_and_measures():
    releases = {"one": NEAR, "two": NEAR, "three": [NEAR, NEAR]}
    texts = warned(lambda: ru_map(releases, ABC, keys=["k"], target="t"))
    (text,) = texts[DataWarning]
    # three columns of four data sets, each once though several measures look at it
    assert text.startswith(
        "candidate 'one', column 'k': 1 synthetic and fewer than 20 original records have"
    )
    assert text.endswith("; and 8 more.") and text.count("candidate") == 4


def test_a_map_says_once_that_breaks_leave_people_out():
    ages = pd.DataFrame({"age": [1, 20, 30, 40, 50, 99], "t": list("xxyyxy")})
    options = {"ngroups_keys": 3, "style": "fixed", "fixedBreaks": [10, 20, 30, 60]}
    releases = {"one": ages, "two": ages[::-1]}
    texts = warned(
        lambda: ru_map(releases, ages, keys=["age"], target="t", disclosure_options=options)
    )
    assert len(texts[DataWarning]) == 1
    assert "fewer than 20 of fewer than 20 original" in texts[DataWarning][0]


@pytest.mark.parametrize(
    "call",
    [
        lambda gaps: table_utility(gaps, gaps),
        lambda gaps: ifpr(gaps, ["a", "b"], xi=0.5),
    ],
    ids=["table_utility", "ifpr"],
)
def test_columns_without_values_are_one_warning(call):
    gaps = pd.DataFrame({"a": [None] * 4, "b": [None] * 4, "c": list("xxyy")})
    (text,) = warned(lambda: call(gaps))[DataWarning]
    assert "'a' is missing in every record" in text
    assert text.endswith(" Also: 'b' is missing in every record.")


def test_the_next_call_says_it_again():
    for _ in range(2):
        texts = warned(lambda: disclosure(NEAR, ABC, "k", "t", compat="corrected", **QUIET))
        assert len(texts[DataWarning]) == 1


def test_a_refused_call_says_what_it_found_before():
    def refused():
        with pytest.raises(InputError, match="not_targetlev: 'q' is not a level"):
            disclosure(NEAR, ABC, "k", "t", not_targetlev="q", compat="corrected", **QUIET)

    assert len(warned(refused)[DataWarning]) == 1


def test_an_error_instead_of_a_warning_is_raised():
    with warnings.catch_warnings():
        warnings.simplefilter("error", DataWarning)
        with pytest.raises(DataWarning, match="Also: object, column 't'"):
            disclosure(NEAR, ABC, "k", "t", compat="corrected", **QUIET)
