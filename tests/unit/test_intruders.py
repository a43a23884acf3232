"""Intruders with targets of their own, partial knowledge, keys known in groups, N_t per target or
by a model, and no keys at all: on tables that can be checked by hand, and what is said to arguments
that cannot be used.
"""

from __future__ import annotations

import json
import warnings
from datetime import date
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest

from synthpop_py import DataWarning, InputError, SlowWarning
from synthpop_py.matching import (
    Between,
    Euclidean,
    IdentificationRisk,
    LogLinear,
    QuantileSD,
    identification_risk,
)
from synthpop_py.synthesis import Multinomial

ROUNDED = 1e-12
# record 0 to 5; sex is released unchanged, town and income were replaced
PEOPLE = pd.DataFrame(
    {
        "sex": list("fffmmm"),
        "town": list("AABABC"),
        "income": [10.0, 20.0, 30.0, 40.0, 50.0, 60.0],
    }
)
FAKE = PEOPLE.assign(town=list("ABBACC"), income=[10.0, 30.0, 30.0, 60.0, 50.0, 50.0])


def attack(targets=None, records=None, known="sex", synthesised="town", **more):
    return identification_risk(
        more.pop("synthetic", FAKE),
        more.pop("original", PEOPLE),
        known=known,
        synthesised=synthesised,
        targets=None if targets is None else pd.DataFrame(targets),
        target_records=records,
        **more,
    )


def rows(risk: IdentificationRisk, *names: str) -> list[list]:
    return risk.records()[list(names)].to_numpy().tolist()


# ---- targets -------------------------------------------------------------------------


def test_targets_in_the_file_and_outside():
    # f, A: record 0 alone, and it is record 0. m, A: record 3 alone, but the target is not in the
    # file: a false match. m, B: nobody; the men share 1/3 each, none of them is the target.
    risk = attack({"sex": list("fmm"), "town": list("AAB")}, [0, None, None])
    assert rows(risk, "c", "I", "K", "F", "fallback") == [
        [1, 1, 1, 0, 0],
        [1, 0, 0, 1, 0],
        [3, 0, 0, 0, 1],
    ]
    assert (risk.n, risk.targets_in_file, risk.true, risk.false, risk.perceived) == (3, 1, 1, 1, 3)
    assert risk.expected == 1 and risk.true_rate == pytest.approx(1 / 3)
    assert risk.probabilities(2).to_dict() == pytest.approx({3: 1 / 3, 4: 1 / 3, 5: 1 / 3})


def test_the_original_as_targets_is_the_call_without_them():
    for more in ({}, {"attack": "mode", "seed": 1}, {"weights": [2.0, 3, 1, 4, 1.5, 1]}):
        plain = attack(**more)
        given = attack(PEOPLE, PEOPLE.index, **more)
        pd.testing.assert_frame_equal(
            given.records().rename_axis("record"), plain.records(), check_exact=True
        )


def test_nobody_agrees_on_the_known_keys_with_somebody_outside():
    risk = attack({"sex": ["x"], "town": ["A"]}, [None])
    assert rows(risk, "highest", "c", "I", "fallback") == [[0, 0, 0, 1]]


def test_one_record_may_be_several_targets_and_labels_are_the_targets_own():
    targets = pd.DataFrame({"sex": ["f", "f"], "town": ["A", "B"]}, index=["x", "y"])
    risk = attack(targets, [1, 1], original=PEOPLE.set_axis(range(6)))
    assert risk.records().index.tolist() == ["x", "y"]
    # she is f, A: "f, B" contradicts the original, but in the set record 1 is f, B
    assert rows(risk, "c", "I") == [[1, 0], [2, 1]]
    assert risk.by("town")["n"].tolist() == [1, 1]
    assert risk.probabilities("y").index.tolist() == [1, 2]


def test_a_column_of_the_targets_says_who_they_are():
    targets = pd.DataFrame({"sex": ["f", "m"], "town": ["A", "A"], "who": [0, None]})
    risk = attack(targets, "who")
    assert (risk.targets_in_file, risk.true, risk.false) == (1, 1, 1)
    labelled = PEOPLE.set_axis(list("uvwxyz"))
    again = attack(targets.assign(who=["u", None]), "who", original=labelled)
    assert (again.targets_in_file, again.true, again.false) == (1, 1, 1)


def test_a_target_who_contradicts_their_record_is_told():
    with pytest.warns(DataWarning, match="target_records: 1 of 2 targets, first in row"):
        attack({"sex": ["f", "m"], "town": ["A", "A"]}, [0, 5])


INCOMES = pd.DataFrame({"sex": list("ffmm"), "income": [100.0, 200.0, 300.0, 400.0]})


@pytest.mark.parametrize("key", ["known", "synthesised"])
def test_a_target_whose_number_is_far_from_their_record_is_told(key):
    keys = {"known": "sex", "synthesised": "sex"} | {key: "income"}
    options = {"original": INCOMES, "synthetic": INCOMES, "intervals": {"income": 5}} | keys
    # each of the four is said to be their neighbour, 100 away
    with pytest.warns(DataWarning, match="target_records: 4 of 4 targets, first in row"):
        attack(INCOMES, [1, 0, 3, 2], **options)
    # 5 away is near, whatever the boundary; 6 away is not
    near = INCOMES.assign(income=[105.0, 195.0, 300.0, 406.0])
    for boundary in ("closed", "open"):
        with pytest.warns(DataWarning, match="1 of 4 targets, first in row 4"):
            attack(near, range(4), boundary=boundary, **options)


def test_a_gap_or_a_statement_is_compared_with_the_record_too():
    options = {"synthetic": INCOMES, "synthesised": "income", "intervals": {"income": 5}}
    gap = INCOMES.assign(income=[100.0, None, 300.0, 400.0])
    with pytest.warns(DataWarning, match="1 of 4 targets, first in row 2"):
        attack(gap, range(4), original=INCOMES, **options)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        attack(gap, range(4), original=gap, **options)
        stated = INCOMES.assign(income=[Between(90), Between(), {300.0}, 404.0])
        attack(stated, range(4), original=INCOMES, **options)


def test_a_target_beyond_the_distance_from_their_record_is_told():
    both = INCOMES.assign(age=[30.0, 40.0, 50.0, 60.0])
    options = {"original": both, "synthetic": both, "synthesised": ["income", "age"]}
    # 3 and 4 away is 5 away; 4 and 4 is more
    moved = both.assign(income=[103.0, 204.0, 300.0, 400.0], age=[34.0, 44.0, 50.0, 60.0])
    with pytest.warns(DataWarning, match="1 of 4 targets, first in row 2"):
        attack(moved, range(4), distance=Euclidean(5), **options)


def test_quantile_groups_are_those_of_the_original_whoever_the_targets_are():
    everybody = attack(None, None, synthesised="income", intervals={"income": QuantileSD(2)})
    one = attack(PEOPLE.loc[[4]], [4], synthesised="income", intervals={"income": QuantileSD(2)})
    assert rows(one, "highest", "c", "I") == [rows(everybody, "highest", "c", "I")[4]]


# ---- partial knowledge ---------------------------------------------------------------


def test_a_set_of_values():
    # f, A or B: records 0, 1, 2 match. m, B or C: records 4 and 5.
    risk = attack({"sex": ["f", "m"], "town": [{"A", "B"}, ["B", "C"]]}, [2, 4])
    assert rows(risk, "c", "I", "K") == [[3, 1, 0], [2, 1, 0]]
    assert risk.expected == pytest.approx(1 / 3 + 1 / 2)


def test_an_end_or_two_of_a_synthesised_number():
    # set: 10, 30, 30, 60, 50, 50. From 50 on: records 3, 4, 5; 20 to 30: records 1, 2; up to 10: 0.
    knowledge = {
        "sex": [Between()] * 3,
        "income": [Between(50), Between(20, 30), Between(None, 10)],
    }
    risk = attack(knowledge, [4, 1, 0], synthesised="income")
    assert rows(risk, "c", "I", "K") == [[3, 1, 0], [2, 1, 0], [1, 1, 1]]
    assert risk.probabilities(1).to_dict() == {1: 0.5, 2: 0.5}


def test_ends_need_no_value_in_common():
    """A continuous key without an interval is fine where only ends are known; values are not."""
    fake = FAKE.assign(income=FAKE["income"] + 0.123)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        attack({"sex": ["f"], "income": [Between(25)]}, [2], synthesised="income", synthetic=fake)
    with pytest.raises(InputError, match="column 'income': no value in common"):
        attack({"sex": ["f"], "income": [30.0]}, [2], synthesised="income", synthetic=fake)


def test_an_end_of_a_known_number():
    # a known number above 45: records 4, 5; with town C both of them in the set
    risk = attack(
        {"income": [Between(45)], "town": ["C"]},
        [5],
        known="income",
        synthetic=FAKE.assign(income=PEOPLE["income"]),
    )
    assert rows(risk, "c", "I") == [[2, 1]]


def test_values_and_statements_side_by_side_and_intervals_for_values_only():
    # income 28 ± 5 holds 30, 30; the statement of the other target has its own ends
    knowledge = {"sex": ["f", "f"], "income": [28.0, Between(5, 15)]}
    risk = attack(knowledge, [2, 0], synthesised="income", intervals={"income": 5})
    assert rows(risk, "c", "I") == [[2, 1], [1, 1]]


def test_nothing_known_of_a_key_matches_what_is_missing_too():
    fake = FAKE.assign(town=["A", None, "B", "A", "C", "C"])
    nothing = attack({"sex": ["f"], "town": [Between()]}, [1], synthetic=fake)
    assert rows(nothing, "c") == [[3]]
    missing = attack({"sex": ["f"], "town": [{"A", None}]}, [1], synthetic=fake)
    assert sorted(missing.probabilities(0).index) == [0, 1]


def test_a_missing_number_lies_between_no_ends():
    fake = FAKE.assign(income=[np.nan, 30.0, 30.0, 60, 50, 50])
    risk = attack({"sex": ["f"], "income": [Between(0)]}, [1], synthesised="income", synthetic=fake)
    assert sorted(risk.probabilities(0).index) == [1, 2]


def test_the_fallback_to_categories_drops_ends_and_keeps_sets():
    # f, B, income from 90 on: nobody. Categories: f, B: records 1, 2. Known: all three women.
    knowledge = {"sex": ["f"], "town": [{"B"}], "income": [Between(90)]}
    options = {"synthesised": ["town", "income"]}
    steps = {False: 0, True: 3, "categories": 2}
    for fallback, c in steps.items():
        risk = attack(knowledge, [1], fallback=fallback, **options)
        assert rows(risk, "c") == [[c]]


def test_numbers_written_with_fractions_are_on_the_end():
    fake = FAKE.assign(income=[0.1 + 0.2, 0.4, 0.5, 0.6, 0.7, 0.8])
    risk = attack(
        {"sex": ["f"], "income": [Between(0, 0.3)]}, [0], synthesised="income", synthetic=fake
    )
    assert risk.probabilities(0).index.tolist() == [0]


@pytest.mark.parametrize("intervals", [None, {"income": 0.01}])
def test_a_number_of_a_set_has_fifteen_digits(intervals):
    # with and without an interval: 0.1 + 0.2 is 0.3, and 0.3001 is not
    fake = FAKE.assign(income=[0.1 + 0.2, 0.3001, 0.5, 0.6, 0.7, 60.0])
    targets = {"sex": ["f"], "income": [{0.3, 0.9}]}
    options = {"synthesised": "income", "synthetic": fake, "intervals": intervals}
    assert attack(targets, [0], **options).probabilities(0).index.tolist() == [0]


def test_many_different_statements_are_told_or_refused(monkeypatch):
    # three ways to know income, 6 records, one set: 18 records are compared
    knowledge = {"sex": ["f"] * 4, "income": [Between(1), Between(2), Between(3), Between(1)]}
    who, keys = [0, 1, 2, 0], {"synthesised": "income"}
    monkeypatch.setattr("synthpop_py.matching.matches.LONG", 19)
    attack(knowledge, who, **keys)
    monkeypatch.setattr("synthpop_py.matching.matches.LONG", 18)
    told = "18 pairs of a record and one of 3 groups of targets known in different ways"
    with pytest.warns(SlowWarning, match=f"compares {told}"):
        attack(knowledge, who, **keys)
    monkeypatch.setattr("synthpop_py.matching.matches.MOST_PAIRS", 17)
    with pytest.raises(InputError, match=f"{told} .* more than 17"):
        attack(knowledge, who, **keys)


# ---- coarsened keys ------------------------------------------------------------------


def test_bands_of_a_synthesised_key():
    # below 25, 25 to below 45, from 45 on. Original bands: 0 0 1 1 2 2; set: 0 1 1 2 2 2.
    risk = attack(synthesised="income", coarsen={"income": [25, 45]})
    assert rows(risk, "c", "I", "fallback") == [
        [1, 1, 0],
        [1, 0, 0],
        [2, 1, 0],
        [3, 1, 1],  # m, 25 to below 45: nobody in the set, so all men
        [3, 1, 0],
        [3, 1, 0],
    ]


def test_groups_of_levels_and_a_file_that_is_coarser_than_the_original():
    regions = {"A": "north", "B": "north", "C": "south"}
    plain = attack(coarsen={"town": regions})
    recoded = attack(
        original=PEOPLE.assign(town=PEOPLE["town"].map(regions)),
        synthetic=FAKE.assign(town=FAKE["town"].map(regions)),
    )
    assert rows(plain, "highest", "c", "I") == rows(recoded, "highest", "c", "I")
    # the known key is released in regions: the mapping says what each of them is
    coarse = FAKE.assign(town=PEOPLE["town"].map(regions))
    known = attack(
        known=["sex", "town"],
        synthesised=[],
        synthetic=coarse,
        coarsen={"town": regions | {"north": "north", "south": "south"}},
    )
    assert rows(known, "c") == [[3], [3], [3], [2], [2], [1]]


def test_groups_by_a_series_bands_of_dates_and_a_group_for_what_is_missing():
    days = [date(2000, 1, 1), date(2001, 1, 1), date(2002, 1, 1)] * 2
    original = PEOPLE.assign(born=pd.to_datetime(days), town=["A", None, "B", "A", None, "B"])
    risk = identification_risk(
        original,
        original,
        known=[],
        synthesised="born",
        coarsen={"born": [date(2001, 1, 1)]},
    )
    assert rows(risk, "c") == [[2], [4], [4], [2], [4], [4]]
    grouped = identification_risk(
        original,
        original,
        known="town",
        synthesised=[],
        coarsen={"town": {"A": 1, "B": 2, None: 1}},
    )
    assert rows(grouped, "c") == [[4], [4], [2], [4], [4], [2]]
    series = attack(coarsen={"town": pd.Series({"A": 1, "B": 1, "C": 2})})
    assert rows(series, "c") == rows(attack(coarsen={"town": {"A": 1, "B": 1, "C": 2}}), "c")


def test_a_mapping_may_name_numbers_and_texts():
    # ages in the original, bands in the file: the mapping names both
    original = PEOPLE.assign(age=[35, 37, 39, 40, 41, 44])
    released = original.assign(age=["35-39"] * 3 + ["40-44"] * 3)
    bands = dict.fromkeys([35, 37, 39, "35-39"], "35-39")
    bands |= dict.fromkeys([40, 41, 44, "40-44"], "40-44")
    keys = {"original": original, "synthetic": released, "synthesised": "age"}
    texts = {str(level): band for level, band in bands.items()}
    mixed = attack(coarsen={"age": bands}, **keys)
    assert rows(mixed, "c", "I") == [[3, 1]] * 6
    assert rows(attack(coarsen={"age": texts}, **keys), "c", "I") == [[3, 1]] * 6
    with pytest.raises(InputError, match="'age' has two groups for the same level"):
        attack(coarsen={"age": bands | {"37": "40-44"}}, **keys)


def test_levels_in_a_group_that_is_missing_are_missing():
    # as Series.map would recode them: A and B missing, like record 0, C by itself
    original = PEOPLE.assign(town=[None, "A", "B", "A", "B", "C"])
    options = {"original": original, "synthetic": original, "known": []}
    for nothing in ((np.nan, float("nan")), (None, pd.NA)):
        groups = {"A": nothing[0], "B": nothing[1], "C": "c"}
        risk = attack(coarsen={"town": groups}, **options)
        assert rows(risk, "c") == [[5], [5], [5], [5], [5], [1]]


def test_the_mode_attack_takes_the_most_frequent_group():
    # record 0 is 30, 31, 10: groups from 25 on, from 25 on, below: the group is "from 25 on"
    incomes = ([30.0, 10, 10, 40, 50, 60], [31.0, 10, 10, 40, 50, 60], [10.0, 10, 10, 40, 50, 60])
    sets = [PEOPLE.assign(income=income) for income in incomes]
    options = {"synthesised": "income", "coarsen": {"income": [25]}, "synthetic": sets}
    risk = attack({"sex": ["f"], "income": [99.0]}, [0], attack="mode", seed=1, **options)
    assert risk.probabilities(0).to_dict() == {0: 1.0}


# ---- N_t -----------------------------------------------------------------------------


def test_units_per_target():
    # f, A: record 0 of 4; m, A: record 3 of 10; the same keys with another N_t
    targets = {"sex": list("fmf"), "town": list("AAA")}
    risk = attack(targets, [0, None, 1], units=[4, 10, 5])
    assert risk.records()["highest"].tolist() == pytest.approx([1 / 4, 1 / 10, 1 / 5])
    assert risk.records()["in_file"].tolist() == pytest.approx([1 / 4, 1 / 10, 1 / 5])
    assert (risk.perceived, risk.true, risk.false) == (1, 1, 2)
    assert risk.probabilities(2).to_dict() == {0: pytest.approx(1 / 5)}


def test_units_of_the_original_records():
    # each of the two records f, A gets an N_t of its own
    risk = attack(units=[4, 8, 3, 5, 7, 6])
    assert risk.records()["highest"].tolist() == pytest.approx(
        [1 / 4, 1 / 8, 1 / 3, 1 / 5, 0, 1 / 6]
    )
    column = attack(original=PEOPLE.assign(N=[4, 8, 3, 5, 7, 6]), units="N")
    assert rows(column, "highest", "c", "I") == rows(risk, "highest", "c", "I")
    assert rows(attack(units=6), "highest") == rows(attack(units=[6] * 6), "highest")


def test_units_are_never_below_the_matches_of_a_set():
    # one f, B in the original, two in the set: N_t = 1 is possible and counts as 2
    risk = attack({"sex": ["f"], "town": ["B"]}, [2], units=[1])
    assert rows(risk, "highest", "in_file") == [[0.5, 1]]


def test_units_by_the_model():
    # set: 3 of 6 are women, 2 of 6 in B: mu = 6 * 1/2 * 1/3 = 1. n_t = 2, a tenth is in the file:
    # N_t = 2 + 1 * 9 = 11. m, C: mu = 6 * 1/2 * 2/6 = 1, n_t = 2. m, B: nobody matches.
    targets = {"sex": list("fmm"), "town": list("BCB")}
    risk = attack(targets, [2, 5, None], units=LogLinear(0.1))
    assert risk.records()["highest"].tolist() == pytest.approx([1 / 11, 1 / 11, 0])
    assert risk.records()["in_file"].tolist() == pytest.approx([2 / 11, 2 / 11, 0])
    # all of the population is in the file: N_t is n_t
    everybody = attack(targets, [2, 5, None], units=LogLinear(1))
    assert everybody.records()["in_file"].tolist() == [1, 1, 0]
    third = attack(targets, [2, 5, None], units=LogLinear(Fraction(1, 3)))
    assert third.records()["highest"].tolist() == pytest.approx([1 / 4, 1 / 4, 0])


def test_the_model_estimates_n_t_of_a_sample():
    """Independent keys: the model is near the census, and nearer than the weights of the records,
    which jump by 20 with each of them.
    """
    rng = np.random.default_rng(7)
    units = 40_000
    shares = [0.5, 0.3, 0.15, 0.05]
    population = pd.DataFrame(
        {"a": rng.choice(list("uvwx"), units, p=shares), "b": rng.integers(0, 12, units)}
    )
    sample = population[rng.random(units) < 0.05].reset_index(drop=True)
    sources = {
        "model": {"units": LogLinear(0.05)},
        "weights": {"weights": [20] * len(sample)},
        "census": {"population": population},
    }
    estimates = {}
    for name, source in sources.items():
        risk = identification_risk(sample, sample, known="a", synthesised="b", **source)
        estimates[name] = 1 / risk.records()["highest"]
    gap = {name: (one - estimates["census"]).abs().mean() for name, one in estimates.items()}
    assert gap["model"] < gap["weights"]
    assert estimates["model"].mean() == pytest.approx(estimates["census"].mean(), rel=0.05)


# ---- no keys -------------------------------------------------------------------------


def test_no_keys_everybody_matches():
    risk = attack(known=None, synthesised=[])
    assert rows(risk, "c", "I", "K", "F", "fallback") == [[6, 1, 0, 0, 0]] * 6
    assert (risk.expected, risk.true, risk.false) == (pytest.approx(1), 0, 0)
    assert risk.records()["highest"].tolist() == pytest.approx([1 / 6] * 6)
    assert (
        risk.perceived == 0 and attack(known=None, synthesised=None, threshold=0.1).perceived == 6
    )


def test_no_keys_in_a_population():
    # N = 60: each record 1/60, not in the file with 54/60
    for source in ({"units": 60}, {"population": {(): 60}}, {"weights": [10] * 6}):
        risk = attack(known=None, synthesised=[], **source)
        assert rows(risk, "c", "I") == [[6, 1]] * 6
        assert risk.records()["highest"].tolist() == pytest.approx([1 / 60] * 6)
        assert risk.records()["in_file"].tolist() == pytest.approx([0.1] * 6)
    model = attack(known=None, synthesised=[], units=LogLinear(0.1))
    assert model.records()["highest"].tolist() == pytest.approx([1 / 60] * 6)


def test_one_record_and_no_keys_is_a_true_match():
    risk = attack(known=None, synthesised=[], original=PEOPLE[:1], synthetic=FAKE[:1])
    assert (risk.true, risk.expected, risk.perceived) == (1, 1, 1)


# ---- the model attack ----------------------------------------------------------------


def test_the_model_attack_takes_all_of_them():
    rng = np.random.default_rng(3)
    people = pd.DataFrame({"sex": rng.choice(["f", "m"], 60), "town": rng.choice(list("ABC"), 60)})
    fake = people.assign(town=rng.choice(list("ABC"), 60))
    options = {
        "original": people,
        "synthetic": fake,
        "attack": "model",
        "models": [Multinomial("town", ["sex"])],
        "draws": 20,
        "seed": 5,
    }
    plain = attack(**options)
    given = attack(people, people.index, **options)
    assert rows(given, "highest", "c", "I") == rows(plain, "highest", "c", "I")
    # of whom nothing is known but the sex: all of that sex, whatever is drawn
    nothing = attack({"sex": ["f"], "town": [Between()]}, [None], **options)
    assert rows(nothing, "c", "I") == [[int((people["sex"] == "f").sum()), 0]]
    # one group of towns is no town
    grouped = attack(coarsen={"town": dict.fromkeys("ABC", "all")}, units=LogLinear(0.5), **options)
    women = int((people["sex"] == "f").sum())
    first = people.index[people["sex"] == "f"][0]
    assert grouped.records()["highest"][first] == pytest.approx(1 / (2 * women))


# ---- what is shown -------------------------------------------------------------------


def test_what_is_shown():
    targets = {"sex": ["f"] * 12 + ["m"] * 12, "town": ["A"] * 12 + [{"A", "C"}] * 12}
    records = [0] * 11 + [None] + [4] * 12
    groups = {"town": {"A": 1, "B": 1, "C": 2}}
    risk = attack(targets, records, coarsen=groups, units=LogLinear(0.1))
    text = risk.to_markdown(round_to=1)
    for said in (
        "Identification risk of 24 targets in 1 synthetic set",
        "Targets of the intruder: 23 in the file, 1 not in it",
        "Known in part (sets of values, or between ends): town",
        "Keys known only in groups: town",
        "targets perhaps not in the file (N_t by a log-linear model, 0.1 of the population in",
        "true, in % of targets",
    ):
        assert said in text
    content = risk.to_dict()
    assert content["targets_in_file"] == 23 and content["coarsen"] == {"town": ["1", "2"]}
    assert set(risk.tidy()["unit"]) == {"targets", "share of targets", "share of unique matches"}
    # one target outside is one person
    hidden = risk.to_markdown()
    assert "of 20 targets" in hidden and "24" not in hidden
    assert "23 in the file" not in hidden and ", 1 not in it" not in hidden


def test_what_is_shown_of_targets_who_are_taken_to_be_in_the_file():
    risk = attack({"sex": ["f", "m"], "town": ["A", "A"]}, [0, None], by="sex")
    text = risk.to_markdown(round_to=1)
    assert "targets taken to be in the file" in text and "known to be in the file" not in text
    assert "By sex (counts of targets; rates are shares)" in text
    plain = attack(by="sex").to_markdown(round_to=1)
    assert "targets known to be in the file" in plain
    assert "By sex (counts of records; rates are shares)" in plain


def test_json_has_the_size_of_the_file_the_targets_and_the_bands():
    targets = {"sex": ["f", "m"], "income": [10.0, 40.0]}
    risk = attack(targets, [0, None], synthesised="income", coarsen={"income": [25, 45.5]})
    content = json.loads(risk.to_json())
    assert content["records"] == {"original": 6, "targets": 2, "sets": 1}
    assert content["coarsen"] == {"income": [25, 45.5]}
    assert json.loads(attack().to_json())["records"] == {"original": 6, "sets": 1}
    born = PEOPLE.assign(born=pd.to_datetime([date(2000, 1, 1)] * 6))
    keys = {"known": [], "synthesised": "born", "coarsen": {"born": [date(2001, 1, 1)]}}
    dates = attack(original=born, synthetic=born, **keys)
    assert json.loads(dates.to_json())["coarsen"] == {"born": ["2001-01-01"]}


def test_the_targets_stay_as_they_were_given():
    targets = pd.DataFrame({"sex": ["f", "m"], "town": ["A", "A"], "kind": ["p", "q"]})
    risk = attack(targets, [0, None])
    targets["kind"] = "z"
    assert risk.by("kind").index.tolist() == ["p", "q"]
