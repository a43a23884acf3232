"""Names that are not there: of arguments and columns, in every public function the same way."""

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
    risk_utility_by_m,
    ru_map,
    study,
    synthesis,
    utility,
)
from synthpop_py.names import nearest

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


def test_a_missing_argument_is_named_with_the_order():
    says = (
        "target: is not given; it is the fourth argument of disclosure(), by name target=; in"
        " order: object, data, keys, target"
    )
    refused(says, disclosure, PEOPLE, PEOPLE, KEYS)
    says = (
        "keys: is not given; it is the third argument of multi_disclosure(), by name keys=; in"
        " order: object, data, keys, targets"
    )
    refused(says, multi_disclosure, synthetic=PEOPLE, original=PEOPLE)
    says = "known: is not given; identification_risk() needs it by name, known="
    refused(says, matching.identification_risk, PEOPLE, PEOPLE)


def needs_something(function) -> bool:
    every = inspect.signature(function).parameters.values()
    return any(one.default is one.empty and one.kind is not one.VAR_KEYWORD for one in every)


@pytest.mark.parametrize("name", [n for n, f in FUNCTIONS.items() if needs_something(f)])
def test_every_function_answers_an_empty_call_with_a_sentence(name):
    with pytest.raises(InputError, match=rf"^\w+: is not given; .*{name}\(\)"):
        FUNCTIONS[name]()


def test_an_argument_given_twice():
    says = "keys: is given twice, by position and by name; leave out keys="
    refused(says, disclosure, PEOPLE, PEOPLE, KEYS, "job", keys=KEYS)


@pytest.mark.parametrize(
    "name, value, meant",
    [
        ("print.flag", False, "print_flag=False"),
        ("not.targetlev", "x", "not_targetlev='x'"),
        ("not_target", "x", "not_targetlev='x'"),
        ("exclude_over_denom_lim", True, "exclude_ov_denom_lim=True"),
        ("exclude_targetlev", ["x"], "exclude_targetlevs=['x']"),
        ("usetargetna", False, "usetargetNA=False"),
        ("Compat", "r", "compat='r'"),
        ("fixedbreaks", [1, 2], "fixedBreaks=[1, 2]"),
        ("cont.na", {"age": -8}, "cont_na"),
        ("not_target", ["a long list of levels", "that is not repeated"], "not_targetlev"),
    ],
)
def test_disclosure_says_which_argument_was_meant(name, value, meant):
    says = f"{name}: is not an argument of disclosure(); did you mean {meant}?"
    refused(says, disclosure, PEOPLE, PEOPLE, KEYS, "job", **{name: value})


@pytest.mark.parametrize(
    "name, meant",
    [
        ("print.flag", "print_flag"),
        ("not.targetslev", "not_targetslev"),
        ("not_target", "not_targetslev"),
        ("exclude_over_denom_lim", "exclude_ov_denom_lim"),
        ("exclude_targetlev", "exclude_targetlevs"),
        ("attrib.meas", "attrib_meas"),
    ],
)
def test_the_summary_says_it_too(name, meant):
    says = f"{name}: is not an argument of multi_disclosure(); did you mean {meant}=3?"
    refused(says, multi_disclosure, PEOPLE, PEOPLE, KEYS, "job", **{name: 3})


def test_the_data_by_another_functions_name_are_not_shown():
    says = "syn: is not an argument of disclosure(); did you mean object?"
    refused(says, disclosure, syn=PEOPLE, orig=PEOPLE, keys=KEYS, target="job")
    says = "syn: is not an argument of identification_risk(); did you mean synthetic?"
    refused(says, matching.identification_risk, syn=PEOPLE)


def test_arguments_passed_on_are_checked_before_anything_runs():
    says = "treshold: is not an argument of risk_utility_by_m(); did you mean threshold=0.3?"
    refused(says, risk_utility_by_m, [PEOPLE], PEOPLE, None, treshold=0.3)
    says = (
        "disclosure_options, ngroups.keys: is not an argument of disclosure(); did you mean"
        " ngroups_keys=3?"
    )
    options = {"ngroups.keys": 3}
    refused(says, ru_map, {"a": PEOPLE}, PEOPLE, keys=KEYS, disclosure_options=options)


def test_arguments_that_are_passed_on_still_are():
    shown = {"style": "equal", "type": 7, "print_flag": False, "compat": "corrected"}
    assert disclosure(PEOPLE, PEOPLE, KEYS, "job", plot=False, **shown).m == 1
    assert len(key_risk(PEOPLE, PEOPLE, KEYS, style="equal", print_flag=False).table) == 3


@pytest.mark.parametrize("name", FUNCTIONS)
def test_every_public_function_answers_in_the_same_way(name):
    function = FUNCTIONS[name]
    with pytest.raises(InputError, match=f"^zzz: is not an argument of {name}"):
        function(zzz=1)
    by_name = [
        p for p in inspect.signature(function).parameters.values() if p.kind is not p.VAR_KEYWORD
    ]
    if by_name:
        wrong = by_name[-1].name.upper() + "."
        with pytest.raises(InputError, match=f"did you mean {by_name[-1].name}=None"):
            function(**{wrong: None})


# ---- by position ---------------------------------------------------------------------


def test_a_fifth_argument_by_position_gets_a_sentence():
    refused(
        "disclosure(): 5 arguments given by position, it takes 4 (object, data, keys, target);"
        " give the others by name (cont_na, counts, print_flag, ...)",
        disclosure,
        PEOPLE,
        PEOPLE,
        KEYS,
        "job",
        False,
    )
    refused(
        "disclosure(): 6 arguments given by position, it takes 4 (object, data, keys, target);"
        " give the others by name (cont_na, counts, print_flag, ...)",
        disclosure,
        PEOPLE,
        PEOPLE,
        None,  # R's order for plain data frames
        KEYS,
        "job",
        False,
    )


@pytest.mark.parametrize("name", FUNCTIONS)
def test_every_public_function_counts_arguments_by_position(name):
    with pytest.raises(InputError, match=rf"^{name}\(\): 40 arguments given by position, it takes"):
        FUNCTIONS[name](*[None] * 40)


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


def test_of_two_names_that_differ_in_case_the_first_is_meant():
    assert nearest("dob", ["Dob", "DOB"]) == "Dob"
    assert nearest("income", [1, 2]) is None
    assert nearest("1", [1, 2]) == 1
