"""Places where a small change of the code once went unnoticed by every test.

Each test is a table of a few rows on which that change moves a figure.
"""

from __future__ import annotations

import warnings
from typing import Any

import pandas as pd
import pytest

from synthpop_py import Disclosure, SynDS, disclosure, ifpr, ru_map, sdc, table_utility
from synthpop_py.study import generated_establishments


def quietly(*args: Any, **given: Any) -> Disclosure:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return disclosure(*args, print_flag=False, **given)


# ---- what R makes of texts (D15) -----------------------------------------------------


def test_numbers_beside_a_factor_with_numbers_as_labels_are_padded_by_r():
    """R pastes 1 and 10 to " 1" and "10", and the factor's to "1" and "10"."""
    original = pd.DataFrame({"k": pd.Categorical([1, 10]), "j": ["a", "b"], "t": ["x", "y"]})
    released = original.assign(k=[1, 10])
    result = quietly(SynDS(released), original, ["k", "j"], "t", compare_synorig=False)
    assert result.ident["repU"].tolist() == [50]
    assert result.corrected.ident["repU"].tolist() == [100]
    assert [finding.id for finding in result.defects] == ["D15"]


# ---- tables compared by position (D1) ------------------------------------------------


@pytest.mark.parametrize("declared", ["original", "released"])
def test_levels_in_an_order_of_their_own_beside_levels_in_the_alphabet(declared):
    """R's rows are 9, 10 on one side and 10, 9 on the other."""
    texts = pd.DataFrame({"k": ["a", "b"], "t": ["9", "10"]})
    ordered = texts.assign(t=pd.Categorical(["9", "10"], ["9", "10"]))
    sides = (ordered, texts) if declared == "original" else (texts, ordered)
    result = quietly(SynDS(sides[1]), sides[0], ["k"], "t", compare_synorig=False)
    assert result.attrib["DiSCO"].tolist() == [0]
    assert result.corrected.attrib["DiSCO"].tolist() == [100]
    assert [finding.id for finding in result.defects] == ["D1"]


# ---- pairs whose text R takes apart (D11) --------------------------------------------


def pair(key_levels: list[str], target_levels: list[str], text: str) -> tuple[int, int]:
    """Records with both levels and with the key's, as R counts them for a flagged pair."""
    frame = pd.DataFrame({"k": key_levels, "t": target_levels})
    flagged = quietly(frame, frame, ["k"], "t", thresh_2way=(0, 50)).check_2way[0]
    row = flagged[flagged["target_key_levs"] == text].iloc[0]
    return int(row["key_target_total"]), int(row["key_total"])


def test_the_first_pieces_are_another_pair_even_of_one_record():
    """Of "x|b|c" R takes x and b, a pair of one record."""
    assert pair(["b|c", "b|c", "b"], ["x", "x", "x"], "x|b|c") == (1, 1)


def test_the_first_pieces_are_no_pair():
    """No key is called b, so that the pair keeps its own counts."""
    assert pair(["b|c", "b|c", "d"], ["x", "x", "x"], "x|b|c") == (2, 2)


def test_the_first_piece_is_no_level_of_the_target():
    """No target is called x, though a key is called y."""
    assert pair(["k", "k", "y"], ["x|y", "x|y", "z"], "x|y|k") == (2, 2)


# ---- other rooms ---------------------------------------------------------------------


@pytest.mark.parametrize(
    "given, names",
    [
        ({"prefix": "a_"}, ["a_x"]),
        ({"suffix": "_z"}, ["x_z"]),
        ({"prefix": "a_", "suffix": "_z"}, ["a_x_z"]),
        ({}, ["x"]),
        ({"prefix": ""}, ["x"]),
    ],
)
def test_a_prefix_or_a_suffix_alone(given, names):
    frame = pd.DataFrame({"x": [1, 2]})
    assert list(sdc(frame, frame, **given).syn[0].columns) == names


def test_names_that_are_numbers_stay_numbers_without_prefix_and_suffix():
    frame = pd.DataFrame({7: [1, 2]})
    assert list(sdc(frame, frame).syn[0].columns) == [7]


def test_two_files_released_together_have_no_risk_of_one():
    people = pd.DataFrame({"a": list("xxxyyyz") * 6, "b": list("uv") * 21})
    files = [ifpr(people, ["a", "b"], xi=0.5, seed=seed, reproducible=True) for seed in (1, 2)]
    figure = ru_map({"two": files}, people, keys=["a", "b"], risk="IR").table["IR"]
    assert figure.isna().all()


def test_rows_of_table_utility_say_which_synthesis_they_are_of():
    original = pd.DataFrame({"a": list("xxyy"), "b": list("uvuv")})
    other = original.assign(a=list("xxxx"))
    tidy = table_utility([original, other], original).tidy()
    assert list(tidy.columns[:5]) == ["synthesis", "variables", "order", "cells", "tvd"]
    assert tidy["synthesis"].tolist() == [1, 2] * 3
    of_a = tidy[tidy["variables"].map(lambda names: names in ("a", ("a",)))]
    assert of_a.set_index("synthesis")["tvd"].to_dict() == {1: 0.0, 2: 0.5}


def test_generated_establishments_stay_what_the_study_was_made_from():
    frame = generated_establishments(20_000, seed=1)
    counted = [int(frame[name].sum()) for name in ("employees", "agreement", "training", "east")]
    assert counted == [1_898_160, 11_315, 6_879, 5_025]
