"""The released data first, then the original, in every public function, by either spelling."""

from __future__ import annotations

import inspect
import re

import pandas as pd
import pytest

import synthpop_py
from synthpop_py import (
    InputError,
    SynDS,
    closed_forms,
    estimation,
    masks,
    matching,
    study,
    synthesis,
    utility,
)
from synthpop_py.estimation import Means
from synthpop_py.synthesis import Multinomial

RELEASED = ("synthetic", "object", "syn")
ORIGINAL = ("original", "data", "orig")

PEOPLE = pd.DataFrame(
    {
        "sex": list("fmfmfmfm"),
        "town": list("AABBAABB"),
        "job": list("xyxyyxxy"),
        "age": [30.0, 31, 50, 52, 29, 33, 47, 55],
    }
)
CATEGORIES = PEOPLE[["sex", "town", "job"]].astype("category")
FAKE = PEOPLE.assign(town=list("ABBAABBB"), age=[30.0, 31, 50, 52, 29, 33, 47, 60])
KEYS = ["sex", "town"]
QUIET = {"compat": "corrected", "print_flag": False}

# the released data, what else the function needs
TWO_TABLES = {
    "disclosure": (FAKE, {"keys": KEYS, "target": "job", **QUIET}),
    "multi_disclosure": (FAKE, {"keys": KEYS, "targets": ["job"], **QUIET}),
    "replicated_uniques": (FAKE, {"keys": KEYS, "compat": "corrected"}),
    "sdc": (FAKE, {"keys": KEYS, "rm_replicated_uniques": True, **QUIET}),
    "synorig_compare": (FAKE, {"print_flag": False}),
    "key_risk": (FAKE, {"candidates": KEYS}),
    "report": (FAKE, {"keys": KEYS, "targets": ["job"], "path": None, "format": "md"}),
    "table_utility": (FAKE, {"variables": KEYS}),
    "propensity_utility": (FAKE, {"variables": KEYS}),
    "estimand_overlap": (FAKE, {"estimands": Means("age")}),
    "ci_overlap": ((0, 4), {"disjoint": "negative"}),
    "identification_risk": (FAKE, {"known": "sex", "synthesised": "town"}),
    "ru_map": ({"fake": FAKE}, {"keys": KEYS}),
    "risk_utility_by_m": (
        [FAKE, FAKE[::-1].reset_index(drop=True)],
        {"estimands": Means("age"), "synthesised": ["town", "age"], "designs": (1, 2)},
    ),
}
ONE_TABLE = {
    "partial_synthesis": {"models": Multinomial("town"), "m": 2, "seed": 1, "reproducible": True},
    "syn": {"seed": 1, "print_flag": False},
    "fit_models": {"models": Multinomial("town")},
    "ifpr": {"keys": KEYS, "theta": 0.5, "seed": 1, "reproducible": True},
    "add_noise": {"columns": "age", "sd": 1, "seed": 1, "reproducible": True},
    "swap": {
        "keys": ["sex", "job"],  # by sex alone nobody could be swapped
        "attribute": "town",
        "rate": 1,
        "seed": 1,
        "reproducible": True,
    },
    "swap_candidates": {"keys": "sex", "attribute": "town"},
    "matrix_mask": {"columns": "age", "C": 1},
    "numtocat_syn": {"numtocat": ["age"], "catgroups": 3, **QUIET},
    "mergelevels_syn": {"minsize": 5, **QUIET},
}
NOT_TABLES = ("ci_overlap",)  # intervals, which say nothing about where they come from

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
    )
    for name in module.__all__
    if inspect.isfunction(function := getattr(module, name))
}


def parameters(name: str) -> list[str]:
    return list(inspect.signature(FUNCTIONS[name]).parameters)


def spellings(name: str) -> list[tuple[str, str]]:
    """The names of the two tables: those of the signature, and the others."""
    own = tuple(parameters(name)[:2])
    pairs = [own, ("synthetic", "original"), ("object", "data")]
    if own == ("syn", "orig"):
        pairs.pop()
    return list(dict.fromkeys(pairs))


def original_of(name: str):
    return (1, 3) if name in NOT_TABLES else PEOPLE


def called(name: str, *tables, **more) -> str:
    """What the result says."""
    _, others = TWO_TABLES[name]
    result = FUNCTIONS[name](*tables, **more, **others)
    return repr(result.syn[0] if isinstance(result, SynDS) else result)


def refused(says: str, function, *args, **kwargs) -> None:
    with pytest.raises(InputError, match=f"^{re.escape(says)}$"):
        function(*args, **kwargs)


def in_order(name: str) -> str:
    """How an error shows what can be given by position."""
    every = inspect.signature(FUNCTIONS[name]).parameters.values()
    by_position = [one.name for one in every if one.kind is one.POSITIONAL_OR_KEYWORD]
    return f"; in order: {', '.join(by_position)}"


# ---- the order -----------------------------------------------------------------------


def test_these_are_all_public_functions_of_tables():
    released = {name for name in FUNCTIONS if set(parameters(name)) & set(RELEASED)}
    original = {name for name in FUNCTIONS if set(parameters(name)) & set(ORIGINAL)}
    assert released == set(TWO_TABLES)
    assert original == {*TWO_TABLES, *ONE_TABLE}


@pytest.mark.parametrize("name", TWO_TABLES)
def test_the_released_data_come_first(name):
    first, second, *others = parameters(name)
    assert first in RELEASED and second in ORIGINAL
    assert not {*others} & {*RELEASED, *ORIGINAL}


@pytest.mark.parametrize("name", ONE_TABLE)
def test_the_only_table_comes_first(name):
    first, *others = parameters(name)
    assert first in ORIGINAL
    assert not {*others} & {*RELEASED, *ORIGINAL}


# ---- spellings -----------------------------------------------------------------------


@pytest.mark.parametrize("name", TWO_TABLES)
def test_both_spellings_say_the_same_as_the_position(name):
    released, original = TWO_TABLES[name][0], original_of(name)
    expected = called(name, released, original)
    pairs = spellings(name)
    assert ("synthetic", "original") in pairs
    for first, second in pairs:
        assert called(name, **{second: original, first: released}) == expected
        assert called(name, released, **{second: original}) == expected
    (own, _), (_, other) = pairs[:2]
    assert called(name, **{own: released, other: original}) == expected


@pytest.mark.parametrize("name", TWO_TABLES)
def test_both_spellings_at_once_are_refused(name):
    function, (released, others) = FUNCTIONS[name], TWO_TABLES[name]
    original = original_of(name)
    (one, two), *more = spellings(name)
    for first, second in more:
        says = f"{one}, {first}: both are given, but they mean the same; give only one"
        tables = {one: released, first: released, two: original}
        refused(says, function, **tables, **others)
        says = f"{two}, {second}: both are given, but they mean the same; give only one"
        tables = {one: released, two: original, second: original}
        refused(says, function, **tables, **others)
        says = (
            f"{one}, {first}: mean the same, and the argument is already given by position; "
            f"leave out {first}="
        )
        refused(says, function, released, original, **{first: released}, **others)


@pytest.mark.parametrize("name", TWO_TABLES)
def test_a_table_that_is_not_given_is_asked_for_by_both_names(name):
    function, (released, others) = FUNCTIONS[name], TWO_TABLES[name]
    (one, two), (first, second) = spellings(name)[:2]
    order = in_order(name)
    says = f"{one}: is not given; it is the first argument of {name}(), by name {one}= or {first}="
    refused(says + order, function, **others)
    says = (
        f"{two}: is not given; it is the second argument of {name}(), by name {two}= or {second}="
    )
    says += order
    refused(says, function, released, **others)
    refused(says, function, **{first: released}, **others)


@pytest.mark.parametrize("name", ONE_TABLE)
def test_one_table_has_both_names_too(name):
    function, others = FUNCTIONS[name], ONE_TABLE[name]
    people = CATEGORIES if name == "mergelevels_syn" else PEOPLE
    own = parameters(name)[0]
    other = {"data": "original", "original": "data"}[own]
    expected = repr(function(people, **others))
    assert repr(function(**{own: people}, **others)) == expected
    assert repr(function(**{other: people}, **others)) == expected
    says = f"{own}, {other}: both are given, but they mean the same; give only one"
    refused(says, function, **{own: people, other: people}, **others)
    says = f"{own}: is not given; it is the first argument of {name}(), by name {own}= or {other}="
    refused(says + in_order(name), function, **others)


# ---- swapped by accident -------------------------------------------------------------


@pytest.mark.parametrize("name", [name for name in TWO_TABLES if name not in NOT_TABLES])
@pytest.mark.parametrize(
    "released",
    [
        SynDS(FAKE),
        [FAKE, FAKE],
        (FAKE,),
        [[FAKE], [FAKE]],
        {"fake": FAKE},
        {"fake": SynDS(FAKE)},
        synthpop_py.ifpr(PEOPLE, KEYS, theta=0.5, seed=1, reproducible=True),
    ],
    ids=lambda released: type(released).__name__,
)
def test_released_data_in_the_place_of_the_original(name, released):
    second = parameters(name)[1]
    says = (
        f"{second}: {type(released).__name__} cannot be the original data, which are one"
        " DataFrame; the released data come first, then the original"
    )
    refused(says, FUNCTIONS[name], PEOPLE, released, **TWO_TABLES[name][1])


def test_models_in_the_place_of_the_original():
    models = [Multinomial("town", ["sex"])]
    says = (
        "original: list cannot be the original data, which are one DataFrame; the released data"
        " come first, then the original"
    )
    refused(says, synthpop_py.risk_utility_by_m, PEOPLE, models, Means("age"))


@pytest.mark.parametrize("columns", [{"sex": ["f"], "data": [1]}, [{"sex": "f"}], [1, 2], []])
def test_what_holds_no_release_is_only_not_a_frame(columns):
    says = (
        f"data: {type(columns).__name__} is not a DataFrame of pandas, polars or"
        " Arrow; convert it, for instance with"
        " pandas.DataFrame(...)"
    )
    refused(says, synthpop_py.disclosure, FAKE, columns, KEYS, "job")


def test_a_frame_with_a_frame_called_data_is_a_frame():
    two_levels = pd.concat({"data": PEOPLE[["sex", "town"]]}, axis=1)
    assert isinstance(two_levels.data, pd.DataFrame)
    result = synthpop_py.table_utility(two_levels, two_levels)
    assert result.mean() == 0
