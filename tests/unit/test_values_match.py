"""Values match across types as a person would say they do, and levels that are only written
otherwise are told.
"""

from __future__ import annotations

import itertools
import warnings
from decimal import Decimal

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from synthpop_py import (
    DataWarning,
    InputError,
    RDefectWarning,
    SynDS,
    disclosure,
    identification_risk,
    key_risk,
    multi_disclosure,
    replicated_uniques,
    table_utility,
)
from synthpop_py.core.coding import encode
from synthpop_py.core.numerals import number_key
from synthpop_py.tables.reading import read_column

LONG = 2**60
ONE_NUMBER = {
    "one": [1, 1.0, "1", "1.0", "1e0", "+1", "01", Decimal(1), Decimal("1.00")],
    "small": [0.0001, "0.0001", "1e-4", "1e-04", ".0001", Decimal("0.0001")],
    "large": [1e22, "1e22", "1e+22", "10000000000000000000000"],
    "hundred thousand": [100_000, 100_000.0, "100000", "1e+05", "1e5"],
    "negative": [-2.5, "-2.5", "-2.50", "-25e-1", Decimal("-2.5")],
    "long": [LONG + 1, str(LONG + 1), f"{LONG + 1}.0", Decimal(LONG + 1)],
}
PAIRS = [
    pytest.param(*pair, id=f"{name}: {pair[0]!r} and {pair[1]!r}")
    for name, values in ONE_NUMBER.items()
    for pair in itertools.permutations(values, 2)
    # two texts are two levels; that they look alike is told
    if not (isinstance(pair[0], str) and isinstance(pair[1], str))
]


def codes(*columns):
    """The codes of columns that are compared, a list for each."""
    read = [read_column(pd.Series(values), "x") for values in columns]
    variable = encode("x", read)
    return [variable.own_codes(table).tolist() for table in range(len(columns))]


@pytest.mark.parametrize("one, other", PAIRS)
def test_a_number_is_one_value_however_it_is_written(one, other):
    (mine,), (theirs,) = codes([one], [other])
    assert mine == theirs


@pytest.mark.parametrize("one, other", PAIRS)
def test_both_functions_say_the_same(one, other):
    """Two people; whether they are found must not depend on who asks."""
    original = pd.DataFrame({"k": [one, one], "j": [1, 2], "t": ["a", "b"]})
    released = pd.DataFrame({"k": [other, other], "j": [1, 2], "t": ["a", "b"]})
    risk = disclosure(released, original, ["k", "j"], "t", compat="corrected", print_flag=False)
    assert risk.ident["repU"].tolist() == [100]
    found = identification_risk(released, original, known="j", synthesised="k", fallback=False)
    assert found.true == 2


@pytest.mark.parametrize(
    "one, other",
    [
        (1, "1 "),
        (1, "one"),
        (1, "1_0"),
        (10, "1_0"),
        (16, "0x10"),
        (LONG, str(LONG + 1)),
        (LONG + 1, float(LONG)),
        (float(LONG), str(LONG + 1)),
        (0.3, "0.3001"),
        (True, "True"),
    ],
)
def test_other_values_stay_apart(one, other):
    (mine,), (theirs,) = codes([one], [other])
    assert mine != theirs


def test_truth_values_go_by_rs_text():
    truths, texts = codes([True, False], ["TRUE", "FALSE"])
    assert truths == texts


def test_a_column_with_two_ways_to_write_a_number_means_two_levels():
    numbers, texts = codes([1, 2], ["1.0", "1", "01"])
    assert texts[1] == numbers[0]  # levels with the same text come first
    assert len({*texts, *numbers}) == 4


def test_whole_numbers_of_any_length_are_told_apart():
    """Four people with numbers of 19 digits, which a double cannot tell apart."""
    ids = [LONG, LONG + 1, LONG + 2, LONG + 3]
    original = pd.DataFrame({"id": ids, "t": list("abab")})
    released = original.assign(id=original["id"].astype(float))
    corrected = disclosure(released, original, ["id"], "t", compat="corrected", print_flag=False)
    assert corrected.ident["UiO"].tolist() == [100]


@given(
    st.lists(st.integers(-(2**62), 2**62), min_size=1, max_size=8),
    st.lists(st.integers(-(2**62), 2**62), min_size=1, max_size=8),
)
def test_integers_beside_doubles_match_exactly_where_python_says_so(whole, to_be_real):
    real = [float(number) for number in to_be_real]
    mine, theirs = codes(whole, real)
    for number, code in zip(whole, mine):
        for other, its_code in zip(real, theirs):
            assert (code == its_code) == (number == other)


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_every_double_matches_its_own_text(number):
    (mine,), (by_repr,) = codes([number], [repr(number)])
    assert mine == by_repr
    (mine,), (short,) = codes([number], [f"{number:.15g}"])
    assert mine == short or number != float(f"{number:.15g}")


@given(st.text(max_size=8))
def test_a_text_that_spells_no_number_is_its_own_key(text):
    key = number_key(text)
    assert key == text or float(text) is not None


def test_r_matches_by_text_and_the_defect_is_named():
    values = [1, 2, 2.5, 3.5] * 5
    people = pd.DataFrame({"k": values, "t": list("abcd") * 5})
    released = people.assign(k=people["k"].astype(str))
    as_numbers = disclosure(people, people, ["k"], "t", compat="corrected", print_flag=False)
    as_texts = disclosure(released, people, ["k"], "t", compat="corrected", print_flag=False)
    assert as_texts.attrib["DiSCO"].tolist() == as_numbers.attrib["DiSCO"].tolist() == [100]
    for given_as in (released, SynDS(released)):
        with pytest.warns(RDefectWarning, match="D15, one value, two texts"):
            r = disclosure(given_as, people, ["k"], "t", compat="r", print_flag=False)
        assert r.attrib["DiSCO"].tolist() == [50]  # "2.5" and "3.5" alone match


# ---- levels written in two ways ------------------------------------------------------

TOWNS = ["Oslo", "Bergen", "Røros", "Kafé"] * 25
WRITTEN = {
    "blanks": {"Oslo": "Oslo "},
    "upper and lower case": {"Bergen": "BERGEN"},
    "forms of one character": {"Kafé": "Kafe\u0301"},
}
QUIET = {"compat": "corrected", "print_flag": False}
CALLS = {
    "disclosure": lambda s, o: disclosure(s, o, ["k"], "t", **QUIET),
    "multi_disclosure": lambda s, o: multi_disclosure(s, o, ["k"], ["t"], **QUIET),
    "key_risk": lambda s, o: key_risk(s, o, ["k"], "t"),
    "replicated_uniques": lambda s, o: replicated_uniques(s, o, ["k"], compat="corrected"),
    "identification_risk": lambda s, o: identification_risk(s, o, known=[], synthesised="k"),
    "table_utility": lambda s, o: table_utility(s, o),
}


@pytest.mark.parametrize("way", WRITTEN)
@pytest.mark.parametrize("function", CALLS)
def test_levels_written_otherwise_are_told_whatever_their_share(function, way):
    original = pd.DataFrame({"k": TOWNS, "t": list("ab") * 50})
    released = original.assign(k=original["k"].replace(WRITTEN[way]))
    with pytest.warns(DataWarning) as caught:
        CALLS[function](released, original)
    text = str(caught[0].message)
    assert "column 'k': 25 synthetic and 30 original records" in text
    assert "they differ in case, blanks, or ways to write" in text
    for town in (*TOWNS[:4], *WRITTEN[way].values()):
        assert town not in text


def test_one_record_is_enough_and_few_original_ones_are_not_counted_out():
    original = pd.DataFrame({"k": [*TOWNS, "Vardø"], "t": list("ab") * 50 + ["a"]})
    released = original.assign(k=[*TOWNS, "vardø"])
    with pytest.warns(DataWarning, match="1 synthetic and fewer than 5 original records"):
        disclosure(released, original, ["k"], "t", **QUIET)


def test_a_level_of_the_original_alone_is_near_too():
    original = pd.DataFrame({"k": ["a"] * 20 + ["A"] * 20, "t": list("ab") * 20})
    released = original.assign(k="a")
    with pytest.warns(DataWarning, match="0 synthetic and 20 original"):
        disclosure(released, original, ["k"], "t", **QUIET)


def test_texts_of_numbers_beside_texts_of_numbers():
    original = pd.DataFrame({"k": ["1", "2", "x"] * 10, "t": list("ab") * 15})
    released = original.assign(k=["1.0", "2", "x"] * 10)
    with pytest.warns(DataWarning, match="differ in .* a number .*to_numeric"):
        disclosure(released, original, ["k"], "t", **QUIET)


def test_frequency_tables_count_records():
    original = pd.DataFrame({"k": ["a", "b"], "t": ["x", "y"], "n": [30, 40]})
    released = pd.DataFrame({"k": ["a", "B"], "t": ["x", "y"], "n": [50, 60]})
    with pytest.warns(DataWarning, match="60 synthetic and 40 original"):
        disclosure(released, original, ["k"], "t", counts="n", **QUIET)


def test_where_nothing_matches_the_repair_is_named_in_one_warning():
    original = pd.DataFrame({"k": ["f", "m"] * 10, "t": list("ab") * 10})
    released = original.assign(k=["F", "M"] * 10)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        with pytest.raises(InputError, match=r"no value in common.*\.str\.casefold\(\)"):
            disclosure(released, original, ["k"], "t", compat="corrected", print_flag=False)
        assert not caught
        disclosure(released, original, ["k"], "t", compat="r", print_flag=False)
    kinds = [warning.category for warning in caught]
    assert kinds == [DataWarning]
    assert ".str.casefold()" in str(caught[0].message)


@pytest.mark.parametrize(
    "original, released",
    [
        (["a", "b", "c"], ["c", "a", "a"]),
        (["a", "A"], ["A", "a"]),  # both sides have both
        ([1, 2], ["1.0", "2"]),  # numbers match by value
        (["New York", "Newark"], ["Newark", "York"]),
        ([None, "a"], ["a", "a"]),
    ],
)
def test_levels_that_are_the_same_or_others_are_not_suspected(original, released):
    people = pd.DataFrame({"k": original * 10, "t": "x"})
    fake = pd.DataFrame({"k": released * 10, "t": "x"}) if len(released) else people
    with warnings.catch_warnings():
        warnings.simplefilter("error", DataWarning)
        disclosure(fake, people, ["k"], "t", compat="corrected", print_flag=False)


def test_declared_levels_that_nobody_has_are_not_near():
    original = pd.DataFrame({"k": pd.Categorical(["a"] * 20, ["a", "b"]), "t": "x"})
    released = pd.DataFrame({"k": pd.Categorical(["a"] * 20, ["a", "B"]), "t": "x"})
    with warnings.catch_warnings():
        warnings.simplefilter("error", DataWarning)
        disclosure(released, original, ["k"], "t", compat="corrected", print_flag=False)


def test_unsigned_and_wide_types_keep_their_values():
    assert codes(np.array([2**62], np.uint64), [str(2**62)]) == [[0], [0]]


NUMBERS = {
    "more than 15 digits": np.array([1.0, 2.0, 3.0, 1e16 + 2]),
    "neighbours": np.array([1e16, 1e16 + 2, 1e16 + 4, 1.0]),
    "decimals": pd.Series([Decimal(100_000), Decimal("2.5"), Decimal(3), Decimal(4)], dtype=object),
}

if int(pd.__version__.partition(".")[0]) >= 2:  # before, categories are widened: 0.1 is lost
    NUMBERS["short reals"] = np.array([0.1, 0.2, 0.3, 1.5], "float32")


@pytest.mark.parametrize("kind", NUMBERS)
@pytest.mark.parametrize("form", ["category", "text", "doubles"])
def test_categories_of_numbers_are_the_numbers(kind, form):
    original = pd.DataFrame({"k": NUMBERS[kind], "t": list("abcd")})
    categories = original["k"].astype("category")
    if form == "text":
        original["k"] = original["k"].astype(str)
    elif form == "doubles" and kind != "short reals":
        original["k"] = original["k"].astype(float)
    released = original.assign(k=categories)
    for one, other in ((released, original), (original, released)):
        risk = disclosure(one, other, ["k"], "t", **QUIET)
        assert risk.ident["repU"].tolist() == [100]
        found = identification_risk(one, other, known=[], synthesised="k", fallback=False)
        assert found.true == 4


def test_declared_levels_that_look_alike_are_near_where_each_side_uses_its_own():
    levels = ["Oslo", "oslo", "Bergen"]
    original = pd.DataFrame({"k": pd.Categorical(["Oslo", "Bergen"] * 20, levels), "t": "x"})
    released = pd.DataFrame({"k": pd.Categorical(["oslo", "Bergen"] * 20, levels), "t": "x"})
    with pytest.warns(DataWarning, match="20 synthetic and 20 original"):
        disclosure(released, original, ["k"], "t", **QUIET)


@pytest.mark.parametrize("way", WRITTEN)
def test_so_they_are_in_table_utility_whatever_makes_them_alike(way):
    """Columns of one origin declare the same levels; that alone does not say that none is near."""
    levels = [*TOWNS[:4], *WRITTEN[way].values()]
    original = pd.DataFrame({"k": pd.Categorical(TOWNS, levels)})
    released = pd.DataFrame({"k": original["k"].astype(str).replace(WRITTEN[way])})
    released["k"] = pd.Categorical(released["k"], levels)
    with pytest.warns(DataWarning, match="25 synthetic and 30 original.*differ in case, blanks"):
        table_utility(released, original)


def test_a_text_that_lost_its_number_to_another_one_is_near():
    original = pd.DataFrame({"k": ["1", "1.0", "2", "3"] * 10, "t": "x"})
    released = pd.DataFrame({"k": [1, 1, 2, 3] * 10, "t": "x"})
    with pytest.warns(DataWarning, match="0 synthetic and 10 original"):
        disclosure(released, original, ["k"], "t", **QUIET)
