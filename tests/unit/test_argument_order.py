"""The released data first, then the original, in every public function."""

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
    "membership": (FAKE, {"holdout": PEOPLE[::-1], "attacks": "distance"}),
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


def refused(says: str, function, *args, **kwargs) -> None:
    with pytest.raises(InputError, match=f"^{re.escape(says)}$"):
        function(*args, **kwargs)


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
        {"sex": ["f"], "data": [1]},
        [],
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


def test_a_frame_with_a_frame_called_data_is_a_frame():
    two_levels = pd.concat({"data": PEOPLE[["sex", "town"]]}, axis=1)
    assert isinstance(two_levels.data, pd.DataFrame)
    result = synthpop_py.table_utility(two_levels, two_levels)
    assert result.mean() == 0
