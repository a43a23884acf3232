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


def rows(risk: IdentificationRisk, *names: str) -> list[list]:
    return risk.records()[list(names)].to_numpy().tolist()


def measures(risk: IdentificationRisk) -> tuple:
    return risk.perceived, risk.expected, risk.true, risk.false, risk.unique_matches


@pytest.fixture(scope="module")
def people() -> pd.DataFrame:
    return pd.DataFrame({"sex": ["f", "f", "f", "m", "m"], "town": ["A", "B", "C", "A", "B"]})


@pytest.fixture(scope="module")
def first(people) -> pd.DataFrame:
    return people.assign(town=["B", "B", "B", "A", "A"])


@pytest.fixture(scope="module")
def second(people) -> pd.DataFrame:
    return people.assign(town=["A", "B", "B", "B", "A"])


# ---- the probability attack, with and without fallback -------------------------------


def test_one_set_with_fallback(people, first):
    # f,A and f,C match nobody: 1/3 for each woman. f,B matches the three women. m,A matches both
    # men, m,B nobody: 1/2 each.
    risk = identification_risk(first, people, known="sex", synthesised="town")
    assert risk.records()["highest"].tolist() == pytest.approx(
        [1 / 3, 1 / 3, 1 / 3, 1 / 2, 1 / 2], abs=ROUNDED
    )
    assert rows(risk, "c", "I", "K", "F", "fallback") == [
        [3, 1, 0, 0, 1],
        [3, 1, 0, 0, 0],
        [3, 1, 0, 0, 1],
        [2, 1, 0, 0, 0],
        [2, 1, 0, 0, 1],
    ]
    assert measures(risk) == (5, pytest.approx(2, abs=ROUNDED), 0, 0, 0)
    assert (
        risk.true_rate == 0
        and np.isnan(risk.false_rate)
        and (risk.n, risk.m, risk.sets, risk.r) == (5, 1, 1, None)
    )


def test_one_set_without_fallback(people, first):
    risk = identification_risk(first, people, known="sex", synthesised="town", fallback=False)
    assert rows(risk, "c", "I", "K", "F", "fallback") == [
        [0, 0, 0, 0, 0],
        [3, 1, 0, 0, 0],
        [0, 0, 0, 0, 0],
        [2, 1, 0, 0, 0],
        [0, 0, 0, 0, 0],
    ]
    assert measures(risk) == (2, pytest.approx(1 / 3 + 1 / 2, abs=ROUNDED), 0, 0, 0)


def test_two_sets_are_averaged(people, first, second):
    # f,A: fallback 1/3 for each woman in set 1, record 0 alone in set 2: (1/3 + 1) / 2. f,B: 1/3
    # each, then 1/2 for records 1 and 2. f,C: twice the fallback. m,A: 1/2 each, then record 4
    # alone; m,B: fallback 1/2 each, then record 3 alone: both times the wrong man.
    risk = identification_risk([first, second], people, known="sex", synthesised="town")
    assert risk.records()["highest"].tolist() == pytest.approx(
        [2 / 3, 5 / 12, 1 / 3, 3 / 4, 3 / 4], abs=ROUNDED
    )
    assert rows(risk, "c", "I", "K", "F", "fallback") == [
        [1, 1, 1, 0, 1],
        [2, 1, 0, 0, 0],
        [3, 1, 0, 0, 2],
        [1, 0, 0, 1, 0],
        [1, 0, 0, 1, 1],
    ]
    assert measures(risk) == (5, pytest.approx(1 + 1 / 2 + 1 / 3, abs=ROUNDED), 1, 2, 3)
    assert risk.true_rate == pytest.approx(1 / 5) and risk.false_rate == pytest.approx(2 / 3)
    assert risk.probabilities(1).to_dict() == pytest.approx(
        {1: 5 / 12, 2: 5 / 12, 0: 1 / 6}, abs=ROUNDED
    )


def test_nothing_known_falls_back_to_everybody(people, first):
    # C is in no set: 1/5 for everybody, which does not exceed 1/5
    risk = identification_risk([first, first], people, known=None, synthesised="town")
    assert rows(risk, "c", "I", "fallback")[2] == [5, 1, 2]
    assert (
        risk.records()["highest"][2] == pytest.approx(1 / 5) and not risk.records()["perceived"][2]
    )


def test_nothing_synthesised_is_the_risk_of_the_original(people):
    risk = identification_risk(people, people, known=["sex", "town"], synthesised=[])
    assert measures(risk) == (5, 5.0, 5, 0, 5)


def test_probabilities_without_fallback_may_be_nothing(people, first):
    risk = identification_risk(first, people, known="sex", synthesised="town", fallback=False)
    assert risk.probabilities(0).empty


# ---- the mode attack -----------------------------------------------------------------


def test_most_frequent_values_variable_by_variable():
    # record 0 is A most often and y most often, though no set has A and y together
    original = pd.DataFrame({"a": ["A", "B"], "b": ["y", "z"]})
    sets = [
        pd.DataFrame({"a": [a, "B"], "b": [b, "z"]})
        for a, b in (("A", "x"), ("A", "w"), ("A", "v"), ("B", "y"), ("C", "y"))
    ]
    risk = identification_risk(
        sets, original, known=[], synthesised=["a", "b"], attack="mode", seed=1
    )
    assert rows(risk, "highest", "c", "I", "K") == [[1, 1, 1, 1], [1, 1, 1, 1]]


def test_ties_of_the_mode_are_drawn_with_the_seed():
    # record 0 is A or B with equal chance; if A, target 0 is found, if B, record 0 shares B with
    # record 1
    original = pd.DataFrame({"a": ["A", "B"]})
    sets = [pd.DataFrame({"a": ["A", "B"]}), pd.DataFrame({"a": ["B", "B"]})]
    seen = {}
    for seed in range(20):
        draws = np.random.default_rng(seed).random((1, 2))
        risk = identification_risk(
            sets, original, known=[], synthesised="a", attack="mode", seed=seed, fallback=False
        )
        seen[draws[0, 0] < 0.5] = rows(risk, "c", "I")
        assert rows(risk, "c", "I") == rows(
            identification_risk(
                sets,
                original,
                known=[],
                synthesised="a",
                attack="mode",
                seed=np.random.default_rng(seed),
                fallback=False,
            ),
            "c",
            "I",
        )
    assert seen == {True: [[1, 1], [1, 1]], False: [[0, 0], [2, 1]]}


def test_mode_with_and_without_fallback(people, first, second):
    # modes of three sets: A or B by majority: women B, B, B and men A, A
    sets = [first, second, first]
    with_fallback = identification_risk(
        sets, people, known="sex", synthesised="town", attack="mode", seed=1
    )
    without = identification_risk(
        sets, people, known="sex", synthesised="town", attack="mode", seed=1, fallback=False
    )
    assert rows(with_fallback, "c", "I", "fallback") == [
        [3, 1, 1],
        [3, 1, 0],
        [3, 1, 1],
        [2, 1, 0],
        [2, 1, 1],
    ]
    assert rows(without, "c", "I", "fallback") == [
        [0, 0, 0],
        [3, 1, 0],
        [0, 0, 0],
        [2, 1, 0],
        [0, 0, 0],
    ]


def test_mode_counts_nests_the_same():
    # one nest of three sets says B, two nests of one set say A: A carries 2, B 1
    original = pd.DataFrame({"a": ["A", "B"]})
    a, b = pd.DataFrame({"a": ["A", "B"]}), pd.DataFrame({"a": ["B", "B"]})
    risk = identification_risk(
        [[b, b, b], [a], [a]], original, known=[], synthesised="a", attack="mode", seed=1
    )
    assert rows(risk, "c", "I", "K") == [[1, 1, 1], [1, 1, 1]]


# ---- two stages ----------------------------------------------------------------------


def test_nests_of_equal_size_are_all_sets_alike(people, first, second):
    flat = identification_risk(
        [first, second, second, first], people, known="sex", synthesised="town"
    )
    nested = identification_risk(
        [[first, second], [second, first]], people, known="sex", synthesised="town"
    )
    pd.testing.assert_frame_equal(flat.records(), nested.records())
    assert (nested.m, nested.sets, nested.r) == (2, 4, (2, 2)) and (flat.m, flat.sets, flat.r) == (
        4,
        4,
        None,
    )
    assert nested.path()["sets"].tolist() == [2, 4]


def test_nests_of_unequal_size_count_the_same(people, first, second):
    # target f,A: fallback 1/3 in `first`, record 0 in `second`: nest 1 has (1/3 + 1) / 2 = 2/3,
    # nest 2 has 1/3, together 1/2
    risk = identification_risk([[first, second], [first]], people, known="sex", synthesised="town")
    assert risk.probabilities(0).to_dict() == pytest.approx(
        {0: 1 / 2, 1: 1 / 4, 2: 1 / 4}, abs=ROUNDED
    )


# ---- numbers that need only be near --------------------------------------------------


def ages(boundary: str, interval=2, released=(28, 30, 32, 33)) -> IdentificationRisk:
    """Target 0 is 30 years old; the others are far away."""
    original = pd.DataFrame({"age": [30.0, 130, 230, 330]})
    return identification_risk(
        pd.DataFrame({"age": np.array(released, dtype=float)}),
        original,
        known=[],
        synthesised="age",
        intervals={"age": interval},
        boundary=boundary,
        fallback=False,
    )


def test_fixed_radius_closed_and_open():
    assert rows(ages("closed"), "c", "I")[0] == [3, 1]
    assert rows(ages("open"), "c", "I")[0] == [1, 0]


def test_boundaries_are_decimal_numbers():
    # 0.8 - 0.5 is 0.30000000000000004 in floats, 0.3 for everybody who reads the data
    original, synthetic = pd.DataFrame({"x": [0.5, 9.0]}), pd.DataFrame({"x": [0.8, 0.2]})
    counted = {
        b: (
            identification_risk(
                synthetic,
                original,
                known=[],
                synthesised="x",
                intervals={"x": 0.3},
                boundary=b,
                fallback=False,
            ).records()["c"][0]
        )
        for b in ("closed", "open")
    }
    assert 0.8 - 0.5 > 0.3 and counted == {"closed": 2, "open": 0}


def test_relative_radius_uses_the_size_of_a_negative_target():
    original, synthetic = pd.DataFrame({"x": [-10.0, 0.0]}), pd.DataFrame({"x": [-10.5, 0.001]})
    risk = identification_risk(
        synthetic,
        original,
        known=[],
        synthesised="x",
        intervals={"x": Relative(0.2)},
        fallback=False,
    )
    assert rows(risk, "c", "I") == [[1, 1], [0, 0]]  # a target of 0 asks for exactly 0


def test_a_radius_of_nought_is_an_exact_match_when_closed_and_none_when_open():
    assert ages("closed", 0).records()["c"].tolist()[0] == 1
    assert ages("open", 0).records()["c"].tolist()[0] == 0
    assert ages("closed", Fixed(0)).records()["c"].tolist()[0] == 1


INDUSTRIES = pd.DataFrame({"industry": list("AAABBB"), "size": [1, 2, 3, 10, 20, 30]})
RELEASED = pd.DataFrame({"industry": list("AABBBA"), "size": [1, 5, 3, 10, 45, 12]})
# two groups: 1, 2, 3 with standard deviation 1, and 10, 20, 30 with 10


def establishments(**more) -> IdentificationRisk:
    return identification_risk(
        RELEASED,
        INDUSTRIES,
        known=[],
        synthesised=["industry", "size"],
        intervals={"size": QuantileSD(2)},
        **more,
    )


def test_drechsler_and_reiters_rule():
    # (A,1): record 0. (A,2): record 0, just at 1. (A,3): A but none near, so the A records 0, 1, 5.
    # (B,10): 3 and 10 are within 10. (B,20): 10, just at 10. (B,30): none near, so the B records 2,
    # 3, 4, and record 5 is not one of them.
    risk = establishments(fallback="categories")
    assert rows(risk, "c", "I", "K", "F", "fallback") == [
        [1, 1, 1, 0, 0],
        [1, 0, 0, 1, 0],
        [3, 0, 0, 0, 1],
        [2, 1, 0, 0, 0],
        [1, 0, 0, 1, 0],
        [3, 0, 0, 0, 1],
    ]
    assert measures(risk) == (6, 1.5, 1, 2, 3)


def test_drechsler_and_reiters_rule_open():
    # (A,2) and (B,20) lose the record at the boundary and fall back, to the A records 0, 1, 5 and
    # the B records 2, 3, 4
    risk = establishments(fallback="categories", boundary="open")
    assert rows(risk, "c", "I", "fallback") == [
        [1, 1, 0],
        [3, 1, 1],
        [3, 0, 1],
        [2, 1, 0],
        [3, 1, 1],
        [3, 0, 1],
    ]


def test_fallback_to_known_keys_spreads_over_everybody():
    risk = establishments()
    assert rows(risk, "c", "I", "fallback")[2] == [6, 1, 1] and rows(risk, "c", "I", "fallback")[
        5
    ] == [6, 1, 1]


def test_a_category_that_no_record_has_falls_back_further():
    original = INDUSTRIES.assign(industry=list("CAABBB"))
    risk = identification_risk(
        RELEASED,
        original,
        known=[],
        synthesised=["industry", "size"],
        intervals={"size": QuantileSD(2)},
        fallback="categories",
    )
    assert rows(risk, "highest", "c", "I", "fallback")[0] == pytest.approx(
        [1 / 6, 6, 1, 1], abs=ROUNDED
    )


def test_categories_of_one_set_beside_matches_of_another():
    # target (A, 1) matches record 0 in set 1; in set 2 nobody near, but records 1 and 2 are A:
    # record 0 has 1/2, records 1 and 2 have 1/4 each
    original = pd.DataFrame({"industry": list("ABC"), "size": [1.0, 50, 90]})
    one, two = (
        pd.DataFrame({"industry": list("ABC"), "size": [1.0, 50, 90]}),
        pd.DataFrame({"industry": list("BAA"), "size": [1.0, 60, 90]}),
    )
    risk = identification_risk(
        [one, two],
        original,
        known=[],
        synthesised=["industry", "size"],
        intervals={"size": 2},
        fallback="categories",
    )
    assert risk.probabilities(0).to_dict() == pytest.approx({0: 0.5, 1: 0.25, 2: 0.25}, abs=ROUNDED)
    assert rows(risk, "c", "I", "fallback")[0] == [1, 1, 1]


def test_cube_roots_would_cut_the_same_groups():
    sizes = np.array([1.0, 2, 2, 5, 9, 9, 9, 40, 77, 1000, 1200])
    assert (
        QuantileSD(4).sections(sizes, sizes).tolist()
        == QuantileSD(4).sections(np.cbrt(sizes), np.cbrt(sizes)).tolist()
    )


def test_one_value_in_a_group_forces_exact_matching():
    sizes = np.array([7.0, 7, 7, 7, 100])
    assert QuantileSD(5).radii(sizes, sizes).tolist() == [0, 0, 0, 0, 0]


POINTS = pd.DataFrame({"x": [0.0, 100, 200], "y": [0.0, 100, 200]})
NEAR = pd.DataFrame(
    {"x": [3.0, 4, 0], "y": [4.0, 4, 0]}
)  # at distance 5, 5.66 and 0 from the first point; all within a box of half-width 5


def test_euclidean_distance_is_a_ball_not_a_box():
    def found(boundary):
        return rows(
            identification_risk(
                NEAR,
                POINTS,
                known=[],
                synthesised=["x", "y"],
                distance=Euclidean(5),
                boundary=boundary,
                fallback=False,
            ),
            "c",
            "I",
        )[0]

    assert found("closed") == [2, 1] and found("open") == [1, 0]


def test_mahalanobis_distance():
    # with variances 4 and 9, (2, 3) is at sqrt(2) = 1.414 from (0, 0)
    released = pd.DataFrame({"x": [2.0, 50, 60], "y": [3.0, 50, 60]})

    def found(radius):
        distance = Mahalanobis(radius, ["x", "y"], [[4, 0], [0, 9]])
        return rows(
            identification_risk(
                released,
                POINTS,
                known=[],
                synthesised=["x", "y"],
                distance=distance,
                fallback=False,
            ),
            "c",
            "I",
        )[0]

    assert found(1.42) == [1, 1] and found(1.41) == [0, 0]


def test_the_covariance_is_in_the_order_of_the_columns():
    # variances 4 for y and 100 for x: (8, 0) is at 0.8, (0, 8) at 4
    released = pd.DataFrame({"x": [8.0, 0, 60], "y": [0.0, 8, 60]})
    distance = Mahalanobis(1, ["y", "x"], [[4, 0], [0, 100]])
    assert rows(
        identification_risk(
            released, POINTS, known=[], synthesised=["x", "y"], distance=distance, fallback=False
        ),
        "c",
        "I",
    )[0] == [1, 1]


def test_mahalanobis_distance_takes_the_originals_covariance():
    # the covariance of (0, 0), (1, 0), (0, 1) is [[1/3, -1/6], [-1/6, 1/3]], its inverse [[4, 2],
    # [2, 4]]: (1, 0) is at sqrt(4) = 2, (1, -1) at sqrt(4 - 4 + 4) = 2
    original = pd.DataFrame({"x": [0.0, 1, 0], "y": [0.0, 0, 1]})
    released = pd.DataFrame({"x": [1.0, 1, 9], "y": [0.0, -1, 9]})

    def found(radius, boundary):
        return identification_risk(
            released,
            original,
            known=[],
            synthesised=["x", "y"],
            distance=Mahalanobis(radius),
            boundary=boundary,
            fallback=False,
        ).records()["c"][0]

    assert [found(2, "closed"), found(2, "open"), found(2.1, "open")] == [2, 0, 2]


def test_an_interval_on_a_known_key():
    # known ages 30, 31, 40 stay as they are; 30 and 31 are within 2 of each other and share the
    # probability, also when nobody matches
    original = pd.DataFrame({"age": [30, 31, 40], "town": ["A", "B", "B"]})
    risk = identification_risk(
        original.assign(town=["A", "A", "A"]),
        original,
        known="age",
        synthesised="town",
        intervals={"age": 2},
    )
    assert rows(risk, "c", "I", "fallback") == [[2, 1, 0], [2, 1, 1], [1, 1, 1]]


# ---- targets that may not be in the file ---------------------------------------------

FOUR = pd.DataFrame({"sex": ["f", "m", "f", "m"], "town": ["A", "A", "B", "B"]})
MOVED = FOUR.assign(town=["A", "A", "A", "B"])
CENSUS = {("f", "A"): 4, ("m", "A"): 10, ("f", "B"): 3, ("m", "B"): 2}


def test_census_counts():
    # f,A: records 0 and 2, four such people: 1/4 each, 1/2 elsewhere. m,A: 1/10. f,B: nobody, so
    # elsewhere. m,B: 1/2.
    risk = identification_risk(MOVED, FOUR, known="sex", synthesised="town", population=CENSUS)
    assert risk.records()["highest"].tolist() == pytest.approx(
        [1 / 4, 1 / 10, 0, 1 / 2], abs=ROUNDED
    )
    assert risk.records()["in_file"].tolist() == pytest.approx(
        [1 / 2, 1 / 10, 0, 1 / 2], abs=ROUNDED
    )
    assert rows(risk, "c", "I", "fallback") == [[2, 1, 0], [1, 1, 0], [0, 0, 0], [1, 1, 0]]
    assert measures(risk) == (2, 2.5, 2, 0, 2)
    assert risk.probabilities(0).to_dict() == pytest.approx({0: 1 / 4, 2: 1 / 4}, abs=ROUNDED)


def test_abstaining_when_outside_is_as_likely():
    # f,A: outside 1/2 against 1/4; m,B: 1/2 against 1/2, a tie
    risk = identification_risk(
        MOVED, FOUR, known="sex", synthesised="town", population=CENSUS, abstain=True
    )
    assert rows(risk, "c", "I") == [[0, 0], [0, 0], [0, 0], [0, 0]] and risk.perceived == 2
    surer = identification_risk(
        MOVED,
        FOUR,
        known="sex",
        synthesised="town",
        population=CENSUS | {("m", "B"): 1},
        abstain=True,
    )
    assert rows(surer, "c", "I") == [[0, 0], [0, 0], [0, 0], [1, 1]]


def test_no_fewer_units_than_records_that_match():
    risk = identification_risk(
        MOVED, FOUR, known="sex", synthesised="town", population=CENSUS | {("f", "A"): 1}
    )
    assert risk.records()["highest"][0] == 1 / 2 and risk.records()["in_file"][0] == 1


def test_ways_to_give_a_census():
    expected = identification_risk(
        MOVED, FOUR, known="sex", synthesised="town", population=CENSUS
    ).records()
    table = pd.DataFrame(
        [(*key, count) for key, count in CENSUS.items()], columns=["sex", "town", "people"]
    )
    units = table.loc[table.index.repeat(table["people"]), ["town", "sex"]]
    series = table.set_index(["town", "sex"])["people"]
    unnamed = pd.Series(CENSUS)
    for population in (table, units, series, unnamed):
        pd.testing.assert_frame_equal(
            identification_risk(
                MOVED, FOUR, known="sex", synthesised="town", population=population
            ).records(),
            expected,
        )
    one_key = identification_risk(
        MOVED, FOUR, known=[], synthesised="town", population={"A": 6, "B": 2}
    )
    assert one_key.records()["highest"].tolist() == pytest.approx(
        [1 / 6, 1 / 6, 1 / 2, 1 / 2], abs=ROUNDED
    )


def test_a_census_is_summed_over_the_interval():
    # target 30: ages 28 to 32 match; the census has 4 + 5 people there
    original = pd.DataFrame({"age": [30, 60]})
    census = pd.DataFrame({"age": [28, 30, 33, 60], "people": [4, 5, 100, 7]})
    risk = identification_risk(
        pd.DataFrame({"age": [31, 60]}),
        original,
        known=[],
        synthesised="age",
        intervals={"age": 2},
        population=census,
    )
    assert risk.records()["highest"].tolist() == pytest.approx([1 / 9, 1 / 7], abs=ROUNDED)


def test_survey_weights():
    # f,A: records 0 and 2 stand for 1.5 + 2.5 people; m,A: record 1 for 0.5, floored at 1; m,B:
    # record 3 for 8
    risk = identification_risk(
        MOVED, FOUR, known="sex", synthesised="town", weights=[1.5, 0.5, 2.5, 8]
    )
    assert risk.records()["highest"].tolist() == pytest.approx([1 / 4, 1, 0, 1 / 8], abs=ROUNDED)
    assert risk.records()["in_file"].tolist() == pytest.approx([1 / 2, 1, 0, 1 / 8], abs=ROUNDED)
    named = identification_risk(
        MOVED, FOUR.assign(w=[1.5, 0.5, 2.5, 8]), known="sex", synthesised="town", weights="w"
    )
    pd.testing.assert_frame_equal(named.records(), risk.records())


def test_weights_are_added_up_by_set():
    # set 1: f,A is records 0 and 2, 3 people; set 2: record 2 alone, 2 people. Record 2: (1/3 +
    # 1/2) / 2
    risk = identification_risk(
        [MOVED, FOUR.assign(town=["B", "A", "A", "B"])],
        FOUR,
        known="sex",
        synthesised="town",
        weights=[1, 1, 2, 1],
    )
    assert risk.records()["highest"][0] == pytest.approx(
        float((Fraction(1, 3) + Fraction(1, 2)) / 2), abs=ROUNDED
    )
    assert rows(risk, "c", "I")[0] == [1, 0]


def test_a_census_that_lacks_a_target_is_an_error():
    with pytest.raises(InputError, match="nobody has the keys of row 4"):
        identification_risk(
            MOVED,
            FOUR,
            known="sex",
            synthesised="town",
            population={k: v for k, v in CENSUS.items() if k != ("m", "B")},
        )


# ---- missing values and types --------------------------------------------------------


def test_missing_is_a_level_of_its_own():
    original = pd.DataFrame({"town": ["A", None, None], "age": [1.0, np.nan, 3.0]})
    released = pd.DataFrame({"town": [None, None, "A"], "age": [np.nan, np.nan, 3.0]})
    risk = identification_risk(
        released,
        original,
        known=[],
        synthesised=["town", "age"],
        intervals={"age": 1},
        fallback=False,
    )
    # (A, 1): nobody. (missing, missing): records 0 and 1. (missing, 3): nobody, the 3 is in A
    assert rows(risk, "c", "I") == [[0, 0], [2, 1], [0, 0]]


def test_numbers_written_as_text_are_the_same_levels():
    original = pd.DataFrame({"code": [1, 2, 3]})
    risk = identification_risk(
        pd.DataFrame({"code": ["1", "3", "9"]}),
        original,
        known=[],
        synthesised="code",
        fallback=False,
    )
    assert rows(risk, "c", "I") == [[1, 1], [0, 0], [1, 0]]


def test_categories_with_other_levels_in_every_set():
    original = pd.DataFrame({"town": pd.Categorical(["A", "B"], categories=["A", "B", "unused"])})
    one, two = (
        pd.DataFrame({"town": pd.Categorical(["B", "B"])}),
        pd.DataFrame({"town": pd.Categorical(["Z", "A"], categories=["Z", "A"])}),
    )
    risk = identification_risk([one, two], original, known=[], synthesised="town", fallback=False)
    # A: record 1 in set 2 only. B: both in set 1 only
    assert rows(risk, "highest", "c", "I") == [[0.5, 1, 0], [0.25, 2, 1]]
