"""A risk of 0 is a finding. Where nothing could be compared there is an error or a warning, in
every function that says something about risk.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import pandas as pd
import pytest

from synthpop_py import (
    DataWarning,
    InputError,
    disclosure,
    identification_risk,
    ifpr,
    key_risk,
    multi_disclosure,
    propensity_utility,
    replicated_uniques,
    risk_utility_by_m,
    ru_map,
    sdc,
    table_utility,
)
from synthpop_py.matching import Euclidean

PEOPLE = pd.DataFrame(
    {
        "a": list("uvw") * 8,
        "b": list("xxyz") * 6,
        "t": list("pqq") * 8,
    }
)
FAKE = PEOPLE.assign(a=list("vuw") * 8)  # rows are those of the original, one key is synthesised


def without(frame: pd.DataFrame, column: str) -> pd.DataFrame:
    return frame.assign(**{column: pd.Series([None] * len(frame), dtype=object)})


def strange(frame: pd.DataFrame, column: str) -> pd.DataFrame:
    return frame.assign(**{column: [f"other {text}" for text in frame[column]]})


class Risk(NamedTuple):
    """A function that says something about risk."""

    run: Callable[[pd.DataFrame, pd.DataFrame], object]
    has_target: bool = False
    refuses: bool = False  # keys that cannot match; R's figures only warn


RISKS = {
    "disclosure": Risk(lambda s, o: disclosure(s, o, ["a", "b"], "t", print_flag=False), True),
    "disclosure, corrected": Risk(
        lambda s, o: disclosure(s, o, ["a", "b"], "t", compat="corrected", print_flag=False),
        has_target=True,
        refuses=True,
    ),
    "multi_disclosure": Risk(
        lambda s, o: multi_disclosure(s, o, ["a", "b"], ["t"], print_flag=False), True
    ),
    "multi_disclosure, corrected": Risk(
        lambda s, o: multi_disclosure(
            s, o, ["a", "b"], ["t"], compat="corrected", print_flag=False
        ),
        has_target=True,
        refuses=True,
    ),
    "key_risk": Risk(
        lambda s, o: key_risk(s, o, ["a", "b"], target="t", print_flag=False),
        has_target=True,
        refuses=True,
    ),
    "replicated_uniques": Risk(lambda s, o: replicated_uniques(s, o, ["a", "b"])),
    "replicated_uniques, corrected": Risk(
        lambda s, o: replicated_uniques(s, o, ["a", "b"], compat="corrected"), refuses=True
    ),
    "sdc": Risk(
        lambda s, o: sdc(s, o, keys=["a", "b"], rm_replicated_uniques=True, print_flag=False)
    ),
    "identification_risk": Risk(
        lambda s, o: identification_risk(s, o, known=["b"], synthesised=["a"]), refuses=True
    ),
}
EMPTY = {
    "synthetic": (FAKE.iloc[:0], PEOPLE),
    "original": (FAKE, PEOPLE.iloc[:0]),
    "both": (FAKE.iloc[:0], PEOPLE.iloc[:0]),
}
OTHERS = {
    "table_utility": lambda s, o: table_utility(s, o, ["a", "b"]),
    "propensity_utility": lambda s, o: propensity_utility(s, o, ["a", "b"]),
    "ru_map": lambda s, o: ru_map({"s": s}, o, keys=["a", "b"]),
    "sdc, nothing removed": lambda s, o: sdc(s, o, label="synthetic", print_flag=False),
    "risk_utility_by_m": lambda s, o: risk_utility_by_m(
        [s] * 10, o, known=["b"], synthesised=["a"], estimands=lambda f: ([0.0], [1.0])
    ),
}
ALL = {name: risk.run for name, risk in RISKS.items()} | OTHERS


@pytest.mark.parametrize("side", EMPTY)
@pytest.mark.parametrize("name", ALL)
def test_an_empty_side_is_refused(name, side):
    with pytest.raises(InputError, match="rows"):
        ALL[name](*EMPTY[side])


def missing_and_strange(column: str) -> dict[str, tuple[pd.DataFrame, pd.DataFrame]]:
    return {
        f"{column} missing in the original": (FAKE, without(PEOPLE, column)),
        f"{column} missing in the synthesis": (without(FAKE, column), PEOPLE),
        f"{column} missing in both": (without(FAKE, column), without(PEOPLE, column)),
        f"{column} with other values": (strange(FAKE, column), PEOPLE),
    }


KEY, TARGET = missing_and_strange("a"), missing_and_strange("t")
TOLD = [(name, case) for name in RISKS for case in KEY]
TOLD += [(name, case) for name, risk in RISKS.items() if risk.has_target for case in TARGET]


@pytest.mark.parametrize("name, case", TOLD, ids=lambda value: value)
def test_a_column_that_cannot_be_compared_is_told(name, case):
    column = repr(case[0])
    if RISKS[name].refuses and case in KEY and case != "a missing in both":
        with pytest.raises(InputError, match=f"column {column}: (no |every value is missing)"):
            RISKS[name].run(*KEY[case])
        return
    with pytest.warns(DataWarning, match=column) as caught:
        RISKS[name].run(*(KEY | TARGET)[case])
    told = [str(w.message) for w in caught if w.category is DataWarning]
    assert len(told) == 1  # once


@pytest.mark.parametrize("case", KEY | TARGET)
def test_the_map_gives_the_reason_instead_of_a_zero(case):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        synthetic, original = (KEY | TARGET)[case]
        result = ru_map({"s": synthetic}, original, keys=["a", "b"], target="t")
    assert result.table[["DiSCO", "repU"]].isna().all(axis=None)


@pytest.mark.parametrize("run", [table_utility, propensity_utility])
def test_agreement_in_nothing_but_gaps_is_told(run):
    with pytest.warns(DataWarning, match="'a' is missing in every record"):
        run(without(FAKE, "a"), without(PEOPLE, "a"), ["a", "b"])


def test_nothing_is_said_where_everything_can_be_compared():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for risk in RISKS.values():
            risk.run(FAKE, PEOPLE)


def test_several_syntheses_are_told_of_the_original_once():
    with pytest.warns(DataWarning) as caught:
        disclosure([FAKE, FAKE], without(PEOPLE, "t"), ["a", "b"], "t", compat="corrected")
    assert len(caught) == 1


@pytest.mark.parametrize("compat", ["r", "corrected"])
def test_exclusions_that_leave_nobody_are_told(compat):
    call = {"not_targetlev": ["p", "q"], "print_flag": False, "compat": compat}
    with pytest.warns(DataWarning, match="every original and every synthetic record"):
        result = disclosure(FAKE, PEOPLE, ["a", "b"], "t", **call)
    assert result.attrib["DiSCO"].tolist() == [0]


def test_classes_that_no_synthetic_record_shares_are_told():
    """Pooled, 1 to 12 and 101 to 112 have the quartiles 6.75, 56.5 and 106.25."""
    people = pd.DataFrame({"k": np.arange(1.0, 13), "t": list("xy") * 6})
    fake = people.assign(k=people["k"] + 100)
    told = "'k': no synthetic record is in a class"
    options = {"ngroups_keys": 4, "print_flag": False}
    with pytest.warns(DataWarning, match=told):
        disclosure(fake, people, ["k"], "t", **options)
    with pytest.raises(InputError, match=told):
        disclosure(fake, people, ["k"], "t", compat="corrected", **options)
    with pytest.raises(InputError, match=told):
        key_risk(fake, people, ["k"], **options)


NEAR = {
    "missing in the release": (np.nan, 0.0, {"intervals": {"x": 1.0}}),
    "missing in the original": (0.0, np.nan, {"intervals": {"x": 1.0}}),
    "far away": (1e6, 0.0, {"intervals": {"x": 1.0}}),
    "far by distance": (1e6, 0.0, {"distance": Euclidean(1.0, ["x"])}),
}


@pytest.mark.parametrize("how", NEAR)
def test_keys_that_need_only_be_near_and_never_are(how):
    of_release, of_original, options = NEAR[how]
    numbers = np.arange(40.0)
    people = pd.DataFrame({"x": numbers + of_original})
    released = pd.DataFrame({"x": numbers + of_release})
    with pytest.warns(DataWarning):
        found = identification_risk(
            released, people, known=[], synthesised=["x"], fallback=False, **options
        )
    assert found.expected == 0


def test_a_key_of_ifpr_that_is_missing_throughout_is_told():
    people = pd.DataFrame({"a": [None] * 8, "b": list("xyxyxyxy")})
    with pytest.warns(DataWarning, match="keys: 'a' is missing in every record"):
        ifpr(people, ["a", "b"], xi=0.4)


def test_breaks_that_are_too_few_to_be_used_are_told():
    people = pd.DataFrame({"k": np.arange(100.0), "t": ["x", "y"] * 50})
    with pytest.warns(DataWarning, match="fewer than three classes of column 'k'"):
        disclosure(
            people,
            people,
            ["k"],
            "t",
            ngroups_keys=5,
            style="fixed",
            fixedBreaks=[0, 10, 49],
            compat="corrected",
            print_flag=False,
        )
