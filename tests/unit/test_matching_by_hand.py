"""`identification_risk()` on tables that can be checked by hand: every attack, fallback, boundary,
and what is known about membership.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pandas as pd
import pytest

from synthpop_py import InputError
from synthpop_py.matching import (
    Euclidean,
    Fixed,
    IdentificationRisk,
    Mahalanobis,
    QuantileSD,
    Relative,
    identification_risk,
)

ROUNDED = 1e-12  # probabilities are fractions shown as floats
PEOPLE = pd.DataFrame({"sex": ["f", "f", "f", "m", "m"], "town": ["A", "B", "C", "A", "B"]})
FIRST = PEOPLE.assign(town=["B", "B", "B", "A", "A"])
SECOND = PEOPLE.assign(town=["A", "B", "B", "B", "A"])


def risk(synthetic, original=PEOPLE, known="sex", synthesised="town", **more) -> IdentificationRisk:
    return identification_risk(synthetic, original, known=known, synthesised=synthesised, **more)


def rows(found: IdentificationRisk, *names: str) -> list[list]:
    return found.records()[list(names)].to_numpy().tolist()


def highest(found: IdentificationRisk) -> list[float]:
    return pytest.approx(found.records()["highest"].tolist(), abs=ROUNDED)


def measures(found: IdentificationRisk) -> tuple:
    return found.perceived, found.expected, found.true, found.false, found.unique_matches


# ---- the probability attack, with and without fallback -------------------------------


def test_one_set_with_fallback():
    # f,A and f,C match nobody: 1/3 for each woman. f,B matches the three women. m,A matches both
    # men, m,B nobody: 1/2 each.
    found = risk(FIRST)
    assert [1 / 3, 1 / 3, 1 / 3, 1 / 2, 1 / 2] == highest(found)
    fallback = [[3, 1, 0, 0, 1], [3, 1, 0, 0, 0], [3, 1, 0, 0, 1], [2, 1, 0, 0, 0], [2, 1, 0, 0, 1]]
    assert rows(found, "c", "I", "K", "F", "fallback") == fallback
    assert measures(found) == (5, pytest.approx(2, abs=ROUNDED), 0, 0, 0)
    assert found.true_rate == 0 and np.isnan(found.false_rate)
    assert (found.n, found.m, found.sets, found.r) == (5, 1, 1, None)


def test_one_set_without_fallback():
    found = risk(FIRST, fallback=False)
    assert rows(found, "c", "I", "fallback") == [
        [0, 0, 0],
        [3, 1, 0],
        [0, 0, 0],
        [2, 1, 0],
        [0] * 3,
    ]
    assert measures(found) == (2, pytest.approx(1 / 3 + 1 / 2, abs=ROUNDED), 0, 0, 0)
    assert found.probabilities(0).empty


def test_two_sets_are_averaged():
    # f,A: fallback 1/3 for each woman in set 1, record 0 alone in set 2: (1/3 + 1) / 2. f,B: 1/3
    # each, then 1/2 for records 1 and 2. f,C: twice the fallback. m,A: 1/2 each, then record 4
    # alone; m,B: fallback 1/2 each, then record 3 alone: both times the wrong man.
    found = risk([FIRST, SECOND])
    assert [2 / 3, 5 / 12, 1 / 3, 3 / 4, 3 / 4] == highest(found)
    averaged = [[1, 1, 1, 0, 1], [2, 1, 0, 0, 0], [3, 1, 0, 0, 2], [1, 0, 0, 1, 0], [1, 0, 0, 1, 1]]
    assert rows(found, "c", "I", "K", "F", "fallback") == averaged
    assert measures(found) == (5, pytest.approx(1 + 1 / 2 + 1 / 3, abs=ROUNDED), 1, 2, 3)
    assert found.true_rate == pytest.approx(1 / 5) and found.false_rate == pytest.approx(2 / 3)
    of_one = {1: 5 / 12, 2: 5 / 12, 0: 1 / 6}
    assert found.probabilities(1).to_dict() == pytest.approx(of_one, abs=ROUNDED)


def test_nothing_known_falls_back_to_everybody():
    # C is in no set: 1/5 for everybody, which does not exceed 1/5
    found = risk([FIRST, FIRST], known=None)
    assert rows(found, "c", "I", "fallback", "perceived")[2] == [5, 1, 2, False]
    assert found.records()["highest"][2] == pytest.approx(1 / 5)


def test_nothing_synthesised_is_the_risk_of_the_original():
    assert measures(risk(PEOPLE, known=["sex", "town"], synthesised=[])) == (5, 5.0, 5, 0, 5)


# ---- the mode attack, and two stages -------------------------------------------------


def test_most_frequent_values_variable_by_variable():
    # record 0 is A most often and y most often, though no set has A and y together
    original = pd.DataFrame({"a": ["A", "B"], "b": ["y", "z"]})
    values = (("A", "x"), ("A", "w"), ("A", "v"), ("B", "y"), ("C", "y"))
    sets = [pd.DataFrame({"a": [a, "B"], "b": [b, "z"]}) for a, b in values]
    found = risk(sets, original, [], ["a", "b"], attack="mode", seed=1)
    assert rows(found, "highest", "c", "I", "K") == [[1, 1, 1, 1], [1, 1, 1, 1]]


def test_ties_of_the_mode_are_drawn_with_the_seed():
    # record 0 is A or B with equal chance; if A, target 0 is found, if B, record 0 shares B with
    # record 1
    original = pd.DataFrame({"a": ["A", "B"]})
    sets = [pd.DataFrame({"a": ["A", "B"]}), pd.DataFrame({"a": ["B", "B"]})]
    options = {"attack": "mode", "fallback": False}
    seen = {}
    for seed in range(20):
        draws = np.random.default_rng(seed).random((1, 2))
        by_number = rows(risk(sets, original, [], "a", seed=seed, **options), "c", "I")
        generator = np.random.default_rng(seed)
        assert by_number == rows(risk(sets, original, [], "a", seed=generator, **options), "c", "I")
        seen[draws[0, 0] < 0.5] = by_number
    assert seen == {True: [[1, 1], [1, 1]], False: [[0, 0], [2, 1]]}


def test_mode_with_and_without_fallback():
    # modes of three sets: A or B by majority: women B, B, B and men A, A
    sets, options = [FIRST, SECOND, FIRST], {"attack": "mode", "seed": 1}
    found = rows(risk(sets, **options), "c", "I", "fallback")
    assert found == [[3, 1, 1], [3, 1, 0], [3, 1, 1], [2, 1, 0], [2, 1, 1]]
    found = rows(risk(sets, fallback=False, **options), "c", "I", "fallback")
    assert found == [[0, 0, 0], [3, 1, 0], [0, 0, 0], [2, 1, 0], [0, 0, 0]]


def test_mode_counts_nests_the_same():
    # one nest of three sets says B, two nests of one set say A: A carries 2, B 1
    a, b = pd.DataFrame({"a": ["A", "B"]}), pd.DataFrame({"a": ["B", "B"]})
    found = risk([[b, b, b], [a], [a]], a, [], "a", attack="mode", seed=1)
    assert rows(found, "c", "I", "K") == [[1, 1, 1], [1, 1, 1]]


def test_nests_of_equal_size_are_all_sets_alike():
    flat, nested = risk([FIRST, SECOND, SECOND, FIRST]), risk([[FIRST, SECOND], [SECOND, FIRST]])
    pd.testing.assert_frame_equal(flat.records(), nested.records())
    assert (nested.m, nested.sets, nested.r) == (2, 4, (2, 2))
    assert (flat.m, flat.sets, flat.r) == (4, 4, None)
    assert nested.path()["sets"].tolist() == [2, 4]


def test_nests_of_unequal_size_count_the_same():
    # target f,A: fallback 1/3 in FIRST, record 0 in SECOND: nest 1 has (1/3 + 1) / 2 = 2/3, nest 2
    # has 1/3, together 1/2
    expected = pytest.approx({0: 1 / 2, 1: 1 / 4, 2: 1 / 4}, abs=ROUNDED)
    for synthetic in ([[FIRST, SECOND], [FIRST]], [[FIRST, SECOND], FIRST]):
        assert risk(synthetic).probabilities(0).to_dict() == expected


# ---- numbers that need only be near --------------------------------------------------


def near(original: dict, released: dict, known=(), **more) -> IdentificationRisk:
    """Without fallback, and every key synthesised that is not known."""
    keys = [name for name in original if name not in known]
    more = {"fallback": False} | more
    return risk(pd.DataFrame(released), pd.DataFrame(original), list(known), keys, **more)


# target 0 is 30 years old, the others are far away; of the released, 28 and 32 are at a distance of
# 2: interval, boundary and what c and I are
@pytest.mark.parametrize(
    "interval, boundary, expected",
    [
        (2, "closed", [3, 1]),
        (2, "open", [1, 0]),
        (0, "closed", [1, 0]),
        (0, "open", [0, 0]),
        (Fixed(0), "closed", [1, 0]),
    ],
)
def test_fixed_radius(interval, boundary, expected):
    ages = {"age": [30.0, 130, 230, 330]}, {"age": [28.0, 30, 32, 33]}
    assert (
        rows(near(*ages, intervals={"age": interval}, boundary=boundary), "c", "I")[0] == expected
    )


def test_boundaries_are_decimal_numbers():
    # 0.8 - 0.5 is 0.30000000000000004 in floats, 0.3 for everybody who reads the data
    assert 0.8 - 0.5 > 0.3
    for boundary, c in (("closed", 2), ("open", 0)):
        x = {"x": [0.5, 9.0]}, {"x": [0.8, 0.2]}
        assert rows(near(*x, intervals={"x": 0.3}, boundary=boundary), "c")[0] == [c]


def test_relative_radius_uses_the_size_of_a_negative_target():
    # a target of 0 asks for exactly 0
    found = near({"x": [-10.0, 0]}, {"x": [-10.5, 0.001]}, intervals={"x": Relative(0.2)})
    assert rows(found, "c", "I") == [[1, 1], [0, 0]]


INDUSTRIES = {"industry": list("AAABBB"), "size": [1, 2, 3, 10, 20, 30]}
RELEASED = {"industry": list("AABBBA"), "size": [1, 5, 3, 10, 45, 12]}
# two groups: 1, 2, 3 with standard deviation 1, and 10, 20, 30 with 10
RULE = {"intervals": {"size": QuantileSD(2)}}


def test_drechsler_and_reiters_rule():
    # (A,1): record 0. (A,2): record 0, just at 1. (A,3): A but none near, so the A records 0, 1, 5.
    # (B,10): 3 and 10 are within 10. (B,20): 10, just at 10. (B,30): none near, so the B records 2,
    # 3, 4, and record 5 is not one of them.
    found = near(INDUSTRIES, RELEASED, fallback="categories", **RULE)
    closed = [[1, 1, 0], [1, 0, 0], [3, 0, 1], [2, 1, 0], [1, 0, 0], [3, 0, 1]]
    assert rows(found, "c", "I", "fallback") == closed
    assert measures(found) == (6, 1.5, 1, 2, 3)
    # open: (A,2) and (B,20) lose the record at the boundary and fall back, to the A records 0, 1, 5
    # and the B records 2, 3, 4
    found = near(INDUSTRIES, RELEASED, fallback="categories", boundary="open", **RULE)
    opened = [[1, 1, 0], [3, 1, 1], [3, 0, 1], [2, 1, 0], [3, 1, 1], [3, 0, 1]]
    assert rows(found, "c", "I", "fallback") == opened


def test_fallbacks_to_everybody():
    known = rows(near(INDUSTRIES, RELEASED, fallback=True, **RULE), "c", "I", "fallback")
    assert known[2] == known[5] == [6, 1, 1]
    # a category that no record has
    other = INDUSTRIES | {"industry": list("CAABBB")}
    found = near(other, RELEASED, fallback="categories", **RULE)
    assert rows(found, "highest", "c", "I", "fallback")[0] == pytest.approx([1 / 6, 6, 1, 1])


def test_categories_of_one_set_beside_matches_of_another():
    # target (A, 1) matches record 0 in set 1; in set 2 nobody near, but records 1 and 2 are A:
    # record 0 has 1/2, records 1 and 2 have 1/4 each
    one = pd.DataFrame({"industry": list("ABC"), "size": [1.0, 50, 90]})
    two = pd.DataFrame({"industry": list("BAA"), "size": [1.0, 60, 90]})
    options = {"intervals": {"size": 2}, "fallback": "categories"}
    found = risk([one, two], one, [], ["industry", "size"], **options)
    assert found.probabilities(0).to_dict() == pytest.approx({0: 0.5, 1: 0.25, 2: 0.25})
    assert rows(found, "c", "I", "fallback")[0] == [1, 1, 1]


def test_quantile_groups():
    # cube roots would cut the same groups; one value in a group forces exact matching
    sizes = np.array([1.0, 2, 2, 5, 9, 9, 9, 40, 77, 1000, 1200])
    roots = np.cbrt(sizes)
    groups = QuantileSD(4).sections(sizes, sizes)
    assert groups.tolist() == QuantileSD(4).sections(roots, roots).tolist()
    sizes = np.array([7.0, 7, 7, 7, 100])
    assert QuantileSD(5).radii(sizes, sizes).tolist() == [0, 0, 0, 0, 0]


POINTS = {"x": [0.0, 100, 200], "y": [0.0, 100, 200]}
# at distance 5, 5.66 and 0 from the first point; all within a box of half-width 5
BALL = {"x": [3.0, 4, 0], "y": [4.0, 4, 0]}
# with variances 4 and 9, (2, 3) is at sqrt(2) = 1.414 from (0, 0)
ELLIPSE = {"x": [2.0, 50, 60], "y": [3.0, 50, 60]}
# variances 4 for y and 100 for x: (8, 0) is at 0.8, (0, 8) at 4
TURNED = {"x": [8.0, 0, 60], "y": [0.0, 8, 60]}
# the covariance of (0, 0), (1, 0), (0, 1) is [[1/3, -1/6], [-1/6, 1/3]], its inverse [[4, 2], [2,
# 4]]: (1, 0) is at sqrt(4) = 2, (1, -1) at sqrt(4 - 4 + 4) = 2
CORNER = {"x": [0.0, 1, 0], "y": [0.0, 0, 1]}
SKEW = {"x": [1.0, 1, 9], "y": [0.0, -1, 9]}


@pytest.mark.parametrize(
    "original, released, distance, boundary, c",
    [
        (POINTS, BALL, Euclidean(5), "closed", 2),
        (POINTS, BALL, Euclidean(5), "open", 1),
        (POINTS, ELLIPSE, Mahalanobis(1.42, ["x", "y"], [[4, 0], [0, 9]]), "closed", 1),
        (POINTS, ELLIPSE, Mahalanobis(1.41, ["x", "y"], [[4, 0], [0, 9]]), "closed", 0),
        (POINTS, TURNED, Mahalanobis(1, ["y", "x"], [[4, 0], [0, 100]]), "closed", 1),
        (CORNER, SKEW, Mahalanobis(2), "closed", 2),
        (CORNER, SKEW, Mahalanobis(2), "open", 0),
        (CORNER, SKEW, Mahalanobis(2.1), "open", 2),
    ],
)
def test_distances(original, released, distance, boundary, c):
    found = near(original, released, distance=distance, boundary=boundary)
    assert found.records()["c"][0] == c


def test_an_interval_on_a_known_key():
    # known ages 30, 31, 40 stay as they are; 30 and 31 are within 2 of each other and share the
    # probability, also when nobody matches
    original = {"age": [30, 31, 40], "town": ["A", "B", "B"]}
    released = original | {"town": ["A", "A", "A"]}
    found = near(original, released, ["age"], intervals={"age": 2}, fallback=True)
    assert rows(found, "c", "I", "fallback") == [[2, 1, 0], [2, 1, 1], [1, 1, 1]]


# ---- targets that may not be in the file ---------------------------------------------

FOUR = pd.DataFrame({"sex": ["f", "m", "f", "m"], "town": ["A", "A", "B", "B"]})
MOVED = FOUR.assign(town=["A", "A", "A", "B"])
CENSUS = {("f", "A"): 4, ("m", "A"): 10, ("f", "B"): 3, ("m", "B"): 2}


def four(**more) -> IdentificationRisk:
    return risk(MOVED, FOUR, **more)


def test_census_counts():
    # f,A: records 0 and 2, four such people: 1/4 each, 1/2 elsewhere. m,A: 1/10. f,B: nobody, so
    # elsewhere. m,B: 1/2.
    found = four(population=CENSUS)
    assert [1 / 4, 1 / 10, 0, 1 / 2] == highest(found)
    assert found.records()["in_file"].tolist() == pytest.approx([1 / 2, 1 / 10, 0, 1 / 2])
    assert rows(found, "c", "I", "fallback") == [[2, 1, 0], [1, 1, 0], [0, 0, 0], [1, 1, 0]]
    assert measures(found) == (2, 2.5, 2, 0, 2)
    assert found.probabilities(0).to_dict() == pytest.approx({0: 1 / 4, 2: 1 / 4})
    # no fewer units than records that match
    few = four(population=CENSUS | {("f", "A"): 1})
    assert rows(few, "highest", "in_file")[0] == [1 / 2, 1]
    with pytest.raises(InputError, match="nobody has the keys of row 4"):
        four(population={key: count for key, count in CENSUS.items() if key != ("m", "B")})


def test_abstaining_when_outside_is_as_likely():
    # f,A: outside 1/2 against 1/4; m,B: 1/2 against 1/2, a tie
    found = four(population=CENSUS, abstain=True)
    assert rows(found, "c", "I") == [[0, 0], [0, 0], [0, 0], [0, 0]] and found.perceived == 2
    surer = four(population=CENSUS | {("m", "B"): 1}, abstain=True)
    assert rows(surer, "c", "I") == [[0, 0], [0, 0], [0, 0], [1, 1]]


def test_ways_to_give_a_census():
    expected = four(population=CENSUS).records()
    counts = [(*key, count) for key, count in CENSUS.items()]
    table = pd.DataFrame(counts, columns=["sex", "town", "people"])
    units = table.loc[table.index.repeat(table["people"]), ["town", "sex"]]
    series = table.set_index(["town", "sex"])["people"]
    for population in (table, units, series, pd.Series(CENSUS)):
        pd.testing.assert_frame_equal(four(population=population).records(), expected)
    one_key = four(known=[], population={"A": 6, "B": 2})
    assert [1 / 6, 1 / 6, 1 / 2, 1 / 2] == highest(one_key)


def test_a_census_is_summed_over_the_interval():
    # target 30: ages 28 to 32 match; the census has 4 + 5 people there
    census = pd.DataFrame({"age": [28, 30, 33, 60], "people": [4, 5, 100, 7]})
    options = {"intervals": {"age": 2}, "population": census, "fallback": True}
    assert [1 / 9, 1 / 7] == highest(near({"age": [30, 60]}, {"age": [31, 60]}, **options))


def test_survey_weights():
    # f,A: records 0 and 2 stand for 1.5 + 2.5 people; m,A: record 1 for 0.5, floored at 1; m,B:
    # record 3 for 8
    found = four(weights=[1.5, 0.5, 2.5, 8])
    assert [1 / 4, 1, 0, 1 / 8] == highest(found)
    assert found.records()["in_file"].tolist() == pytest.approx([1 / 2, 1, 0, 1 / 8])
    named = risk(MOVED, FOUR.assign(w=[1.5, 0.5, 2.5, 8]), weights="w")
    pd.testing.assert_frame_equal(named.records(), found.records())


def test_weights_are_added_up_by_set():
    # set 1: f,A is records 0 and 2, 3 people; set 2: record 2 alone, 2 people. Record 2: (1/3 +
    # 1/2) / 2
    found = risk([MOVED, FOUR.assign(town=["B", "A", "A", "B"])], FOUR, weights=[1, 1, 2, 1])
    of_two = float((Fraction(1, 3) + Fraction(1, 2)) / 2)
    assert found.records()["highest"][0] == pytest.approx(of_two, abs=ROUNDED)
    assert rows(found, "c", "I")[0] == [1, 0]


# ---- missing values and types --------------------------------------------------------


def test_missing_is_a_level_of_its_own():
    original = {"town": ["A", None, None], "age": [1.0, np.nan, 3.0]}
    released = {"town": [None, None, "A"], "age": [np.nan, np.nan, 3.0]}
    # (A, 1): nobody. (missing, missing): records 0 and 1. (missing, 3): nobody, the 3 is in A
    found = near(original, released, intervals={"age": 1})
    assert rows(found, "c", "I") == [[0, 0], [2, 1], [0, 0]]


def test_numbers_written_as_text_are_the_same_levels():
    found = near({"code": [1, 2, 3]}, {"code": ["1", "3", "9"]})
    assert rows(found, "c", "I") == [[1, 1], [0, 0], [1, 0]]


def test_categories_with_other_levels_in_every_set():
    original = pd.DataFrame({"town": pd.Categorical(["A", "B"], categories=["A", "B", "unused"])})
    one = pd.DataFrame({"town": pd.Categorical(["B", "B"])})
    two = pd.DataFrame({"town": pd.Categorical(["Z", "A"], categories=["Z", "A"])})
    # A: record 1 in set 2 only. B: both in set 1 only
    found = risk([one, two], original, [], fallback=False)
    assert rows(found, "highest", "c", "I") == [[0.5, 1, 0], [0.25, 2, 1]]
