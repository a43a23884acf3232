"""Names that are not there, of arguments, columns and choices: none is passed over in silence."""

from __future__ import annotations

import inspect
import re

import pandas as pd
import pytest

import synthpop_py
from synthpop_py import (
    InputError,
    closed_forms,
    datasets,
    disclosure,
    estimation,
    key_risk,
    masks,
    matching,
    multi_disclosure,
    ru_map,
    study,
    synthesis,
    utility,
)

PEOPLE = pd.DataFrame({"sex": list("fmff"), "DOB": list("pqrr"), "job": list("xyxy")})
KEYS = ["sex", "DOB"]

FUNCTIONS = {
    function.__name__: function
    for module in (
        synthpop_py,
        matching,
        synthesis,
        study,
        estimation,
        masks,
        utility,
        closed_forms,
        datasets,
    )
    for name in module.__all__
    if inspect.isfunction(function := getattr(module, name))
}


def refused(says: str, function, *args, **kwargs) -> None:
    with pytest.raises(InputError, match=f"^{re.escape(says)}$"):
        function(*args, **kwargs)


# ---- arguments -----------------------------------------------------------------------


# what functions that take arguments by ** need before they look at these
NEEDED = {
    "disclosure": (PEOPLE, PEOPLE, KEYS, "job"),
    "key_risk": (PEOPLE, PEOPLE, KEYS),
    "report": (PEOPLE, PEOPLE, KEYS),
    "risk_utility_by_m": ([PEOPLE, PEOPLE], PEOPLE, len),
    "ru_curve": ("noise", [1]),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_no_public_function_passes_over_an_argument_that_it_does_not_have(name):
    function = FUNCTIONS[name]
    kinds = {parameter.kind for parameter in inspect.signature(function).parameters.values()}
    assert (inspect.Parameter.VAR_KEYWORD in kinds) == (name in NEEDED)
    if name in NEEDED:
        with pytest.raises((TypeError, InputError), match="zzz"):
            function(*NEEDED[name], zzz=1)


@pytest.mark.parametrize("wrong", ["stile", "print.flag", "not_target"])
@pytest.mark.parametrize("function", [disclosure, key_risk])
def test_nor_one_beside_styles_of_grouping(function, wrong):
    with pytest.raises((TypeError, InputError), match=re.escape(wrong)):
        function(PEOPLE, PEOPLE, KEYS, "job", **{wrong: "x"})


def test_arguments_that_are_passed_on_still_are():
    shown = {"style": "equal", "type": 7, "print_flag": False, "compat": "corrected"}
    assert disclosure(PEOPLE, PEOPLE, KEYS, "job", plot=False, **shown).m == 1
    assert len(key_risk(PEOPLE, PEOPLE, KEYS, style="equal", print_flag=False).table) == 3


# ---- columns and choices -------------------------------------------------------------


@pytest.mark.parametrize(
    "call",
    [
        lambda: disclosure(PEOPLE, PEOPLE, ["sex", "dob"], "job"),
        lambda: multi_disclosure(PEOPLE, PEOPLE, ["sex", "dob"]),
        lambda: ru_map({"a": PEOPLE}, PEOPLE, keys=["sex", "dob"]),
        lambda: matching.identification_risk(PEOPLE, PEOPLE, known="sex", synthesised="dob"),
        lambda: synthpop_py.replicated_uniques(PEOPLE, PEOPLE, ["dob"]),
        lambda: synthpop_py.ifpr(PEOPLE, ["dob"]),
    ],
)
def test_a_column_in_the_wrong_case_is_recognised(call):
    with pytest.raises(InputError, match=r"'dob' is not a column of .*; did you mean 'DOB'?"):
        call()


def test_a_column_in_the_wrong_case_on_one_side():
    with pytest.raises(InputError, match=r"'DOB' is not a column of the synthetic.*mean 'dob'?"):
        disclosure(PEOPLE.rename(columns={"DOB": "dob"}), PEOPLE, KEYS, "job")


def test_a_choice_in_the_wrong_case_is_recognised():
    says = (
        "compat: 'R' is unknown; choices: 'r', 'r-1.9-3', 'r-1.9-2', 'corrected'; did you mean 'r'?"
    )
    refused(says, disclosure, PEOPLE, PEOPLE, KEYS, "job", compat="R")


@pytest.mark.parametrize(
    "names, wrong, told",
    [
        (["Dob", "DOB"], "dob", " 'Dob'?"),
        ([1, 2], "1", " 1?"),
        ([1, 2], "income", ""),
    ],
)
def test_the_column_that_may_be_meant(names, wrong, told):
    people = pd.DataFrame({names[0]: list("ab"), names[1]: list("ba"), "t": list("xy")})
    with pytest.raises(InputError) as error:
        disclosure(people, people, [wrong], "t")
    assert str(error.value).partition("did you mean")[2] == told
