"""The map: figures are those of the measures themselves, intervals, front, views, and what is
refused.
"""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass

import matplotlib.text
import numpy as np
import pandas as pd
import pytest
from scipy import stats

from synthpop_py import DataWarning, InputError, SynDS, datasets, disclosure
from synthpop_py.closed_forms import ru_curve
from synthpop_py.estimation import Means, Proportions, Regression, estimand_overlap
from synthpop_py.ifpr import ifpr
from synthpop_py.masks import add_noise, swap
from synthpop_py.matching import identification_risk
from synthpop_py.rounding import percent, shown
from synthpop_py.ru_map import Measure, RUMap, Runs, intervals as measures, ru_map
from synthpop_py.ru_map.intervals import MapFigure
from synthpop_py.ru_map.releases import telling_columns
from synthpop_py.ru_map.result import figure_text
from synthpop_py.utility import propensity_utility, table_utility
from tests.unit.texts import flat

KEYS = ["sex", "age", "region", "placesize"]


@dataclass
class Release:
    """Anything with data."""

    data: pd.DataFrame


@pytest.fixture
def people() -> pd.DataFrame:
    return pd.DataFrame(
        {
            "sex": list("fffmmm"),
            "town": list("AABABB"),
            "job": list("xyzxyz"),
            "age": [20, 30, 40, 50, 60, 70],
        }
    )


@pytest.fixture
def anew(people) -> pd.DataFrame:
    return people.assign(town=list("AAABBB"))


@pytest.fixture(scope="module")
def sd() -> pd.DataFrame:
    return datasets.load("SD2011")[list(datasets.load_synthesis("SD2011_s5").syn[0])]


@pytest.fixture(scope="module")
def releases(sd) -> dict:
    exchanged = [
        ifpr(sd, KEYS, xi=0.4, blocks=["sex", {"age": [30, 45, 60]}], seed=i, reproducible=True)
        for i in range(3)
    ]
    swapped = [
        swap(sd, ["sex", "age", "placesize"], "region", 0.5, seed=i, reproducible=True)
        for i in range(3)
    ]
    return {
        "cart": datasets.load_synthesis("SD2011_s5"),
        "sample": datasets.load_synthesis("SD2011_sample"),
        "swapped": Runs(swapped),
        "ifpr": exchanged,
        "one": swapped[0],
        "ifpr alone": exchanged[0],
    }


@pytest.fixture(scope="module")
def whole(sd, releases) -> RUMap:
    return ru_map(
        releases,
        sd,
        keys=KEYS,
        target="depress",
        risk=["DiSCO", "repU", "expected_match_rate", "IR"],
        utility=["tvd", "tvd1", "tvd2", "S_pMSE", "ci_overlap"],
        cont_na={"income": -8},
        estimands=[Means("age"), Proportions("sex", levels="MALE"), Means("income", exclude=-8)],
    )


def of(result: RUMap, candidate: str, measure: str) -> MapFigure:
    return next(f for f in result.figures if f.candidate == candidate and f.measure == measure)


# ---- figures -------------------------------------------------------------------------


def test_by_hand(people, anew):
    result = ru_map(
        {"as it is": people, "anew": anew},
        people,
        keys=["sex", "town"],
        target="job",
        risk=["repU", "DiSCO"],
        variables=["sex", "town"],
    )
    # f in B and m in A are alone; as it is they are found again. Of the towns drawn anew nobody is
    # alone. As it is the two who are alone give their job away.
    assert result.table["repU"].tolist() == pytest.approx([100 / 3, 0]) and result.table[
        "DiSCO"
    ].tolist() == pytest.approx([100 / 3, 0])
    # sex and town by themselves are as they were, together f in B and m in A have moved: 2 of 6
    assert result.table["tvd"].tolist() == pytest.approx([0, (0 + 0 + 2 / 6) / 3])
    assert (
        of(result, "as it is", "repU").numerator == 2
        and of(result, "as it is", "repU").denominator == 6
    )


def test_risks_are_those_of_the_package(sd, releases, whole):
    for name in ("cart", "sample"):
        found = disclosure(
            releases[name], sd, KEYS, "depress", compat="corrected", print_flag=False
        )
        assert whole.table.loc[name, "DiSCO"] == pytest.approx(
            found.attrib["DiSCO"].mean()
        ) and whole.table.loc[name, "repU"] == pytest.approx(found.ident["repU"].mean())
        assert of(whole, name, "DiSCO").numerator == pytest.approx(
            np.mean([s["DiSCO"].numerator for s in found.shares])
        )
    sets = [r.data for r in releases["ifpr"]]
    match = identification_risk(sets, sd, known="sex", synthesised=KEYS[1:])
    assert (
        whole.table.loc["ifpr", "expected_match_rate"]
        == pytest.approx(100 * match.expected / len(sd))
        and of(whole, "ifpr", "expected_match_rate").numerator == match.expected
    )
    assert whole.table.loc["ifpr alone", "IR"] == pytest.approx(
        releases["ifpr"][0].risk_table()["worst"].max()
    )


def test_utilities_are_those_of_the_package(sd, releases, whole):
    special = {"income": -8}
    for name in ("cart", "sample"):
        sets = releases[name].syn
        tables = table_utility(sets, sd, cont_na=special)
        assert whole.table.loc[name, ["tvd", "tvd1", "tvd2"]].tolist() == pytest.approx(
            [tables.mean(), tables.mean(1), tables.mean(2)]
        )
        assert whole.table.loc[name, "S_pMSE"] == pytest.approx(
            propensity_utility(sets, sd, cont_na=special).S_pMSE
        )
        overlap = estimand_overlap(
            sets, sd, [Means("age"), Proportions("sex", levels="MALE"), Means("income", exclude=-8)]
        )
        assert whole.table.loc[name, "ci_overlap"] == pytest.approx(overlap.mean)


def test_special_values_are_those_that_a_synds_brings(sd):
    s1, swapped = (
        datasets.load_synthesis("SD2011_s1"),
        swap(sd, ["sex", "age"], "region", 0.5, seed=1, reproducible=True),
    )
    assert dict(s1.cont_na)["income"] == (-8,)
    both = {"swapped": swapped, "s1": s1}
    own, given, none = (
        ru_map(both, sd, keys=KEYS),
        ru_map(both, sd, keys=KEYS, cont_na={"income": -8}),
        ru_map(both, sd, keys=KEYS, cont_na={}),
    )
    pd.testing.assert_frame_equal(own.table, given.table)
    assert own.table.loc["s1", "tvd"] == pytest.approx(table_utility(s1, sd).mean())
    assert none.table.loc["s1", "tvd"] != own.table.loc["s1", "tvd"]
    assert own.remarks == (
        "Special values, kept apart in all releases: income -8 (s1). Another cont_na replaces"
        " them.",
    )
    assert own.remarks[0] in repr(own) and not given.remarks and not none.remarks


def test_special_values_of_several_releases_are_put_together():
    """Codes of the original: what one release says about them holds for all."""
    people = pd.DataFrame({"x": [-8.0, -9, 1, 2, 3, 4, 5, 6], "k": list("abababab")})
    one, two = SynDS(people, cont_na={"x": -8}), SynDS(people, cont_na={"x": [-9, -8]})
    fake = people.assign(x=[1.0, 2, 1, 2, 3, 4, 5, 6])
    found = ru_map({"one": one, "two": [two, one], "plain": fake}, people, keys=["k"])
    asked = ru_map({"plain": fake}, people, keys=["k"], cont_na={"x": [-8, -9]})
    assert found.table.loc["plain", "tvd"] == asked.table.loc["plain", "tvd"]
    assert found.remarks == (
        "Special values, kept apart in all releases: x -8 (one, two), x -9 (two). Another cont_na"
        " replaces them.",
    )


def test_special_values_that_a_synds_brings_for_other_columns_do_no_harm():
    people = pd.DataFrame({"k": list("abab"), "t": list("xyxy")})
    release = SynDS(people.assign(income=-8.0), cont_na={"income": -8})
    odd = SynDS(people, cont_na={"t": "x"})
    assert not ru_map({"one": release, "odd": odd}, people, keys=["k"]).remarks
    assert table_utility(release, people).mean() == 0


def test_runs_are_judged_one_by_one_and_lists_together(sd):
    changed = [ifpr(sd, KEYS, theta=0.8, blocks="sex", seed=i, reproducible=True) for i in range(3)]
    arguments = {
        "keys": KEYS,
        "risk": ["expected_match_rate", "repU"],
        "utility": "ci_overlap",
        "estimands": Means("age"),
    }
    together, apart = (
        ru_map({"x": changed}, sd, **arguments),
        ru_map({"x": Runs(changed)}, sd, **arguments),
    )
    single = [ru_map({"x": c}, sd, **arguments).table.iloc[0] for c in changed]
    assert apart.table.iloc[0].tolist() == pytest.approx(
        pd.DataFrame(single).mean()[list(apart.table)].tolist()
    )
    assert (
        together.table["expected_match_rate"].iloc[0]
        > 1.2 * apart.table["expected_match_rate"].iloc[0]
    )  # who sees three runs sees through them
    assert together.table["repU"].iloc[0] == pytest.approx(apart.table["repU"].iloc[0])
    assert together.table["ci_overlap"].iloc[0] == pytest.approx(
        estimand_overlap([c.data for c in changed], sd, Means("age")).mean
    )


def test_a_release_that_lacks_an_estimand_has_no_overlap(people):
    arguments = {
        "keys": ["sex", "town"],
        "utility": "ci_overlap",
        "estimands": [Means("age", by="town"), Regression("age", "sex")],
    }
    result = ru_map(
        {
            "whole": people,
            "without B": people.assign(town="A"),
            "runs": Runs([people, people.assign(town="A")]),
        },
        people,
        **arguments,
    )
    assert of(result, "whole", "ci_overlap").value == 1
    for name in ("without B", "runs"):
        assert (
            of(result, name, "ci_overlap").reason
            == "'mean age, town=B' cannot be estimated from every data set of it"
            and math.isnan(of(result, name, "ci_overlap").value)
        )
    assert "of 4 estimands" in flat(result)
    # a group of one record has no variance in the original: it is left out for every release
    alone = ru_map({"a": people}, people.assign(town=list("AAAAAB")), **arguments)
    assert "of 3 estimands" in flat(alone) and of(alone, "a", "ci_overlap").value < 1


def test_resamples_that_lack_an_estimand_do_not_count(people):
    arguments = {
        "keys": ["sex", "town"],
        "utility": "ci_overlap",
        "bootstrap": 40,
        "seed": 1,
        "aligned": True,
    }
    few = ru_map({"a": people}, people, estimands=Means("age", by="job"), **arguments).figures[1]
    # two records of each job: with fewer than two of one there is no variance
    generator = np.random.default_rng(1)
    drawn = [generator.integers(6, size=6) for _ in range(40)]
    counted = sum(all((draw % 3 == job).sum() > 1 for job in range(3)) for draw in drawn)
    assert 2 <= counted < 40 and few.method == f"bootstrap, {counted} resamples of records"


def test_a_release_may_come_in_any_form(people, anew):
    forms = {
        "frame": anew,
        "list": [anew],
        "SynDS": SynDS(anew),
        "data": Release(anew),
        "list of data": [Release(anew), Release(anew)],
        "runs": Runs((anew, Release(anew))),
    }
    forms |= {
        "list of SynDS": [SynDS(anew), SynDS([anew, anew])],
        "runs of SynDS": Runs([SynDS(anew), SynDS(anew)]),
    }
    result = ru_map(forms, people, keys=["sex", "town"])
    assert (
        len(result.table) == 8 and len(result.table.round(12).drop_duplicates()) == 1
    )  # the mean of three equal figures may differ in its last bit
    assert of(result, "list of SynDS", "repU").m == 3 and of(result, "runs of SynDS", "repU").m == 2


def test_measures_of_ones_own(people, anew):
    gap = Measure(
        "age gap",
        lambda release, original: abs(release["age"].mean() - original["age"].mean()),
        unit="years",
        better="lower",
        low=0,
    )
    shared = Measure("safe", lambda release, original: 1.0, unit="share", better="higher")
    result = ru_map(
        {"a": people, "b": [anew.assign(age=anew["age"] + 2), anew.assign(age=anew["age"] + 4)]},
        people,
        risk=shared,
        utility=gap,
    )
    assert result.table["age gap"].tolist() == [0, 3] and result.keys == ()
    assert "utility age gap: years; lower is more useful" in flat(
        result
    ) and "risk safe: share; lower is riskier" in flat(result)
    assert of(result, "b", "age gap").low == 0  # cut off where the measure ends


def test_a_measure_without_a_number_has_a_reason(people):
    none = Measure("none", lambda release, original: math.nan, unit="u", better="lower")
    result = ru_map({"a": people}, people, risk=none)
    assert (
        math.isnan(result.table["none"].iloc[0])
        and result.front() == []
        and "No none for a: the measure gave no finite number." in flat(result)
    )


def test_reasons_for_missing_figures(whole):
    for name in ("cart", "sample"):
        assert "row by row" in of(whole, name, "expected_match_rate").reason and math.isnan(
            of(whole, name, "expected_match_rate").value
        )
    assert (
        "made by ifpr()" in of(whole, "swapped", "IR").reason
        and of(whole, "ifpr alone", "IR").reason == ""
    )


def test_repu_needs_no_target(people, anew):
    one = ru_map({"a": anew, "b": people}, people, keys=["sex", "town"]).table
    for target in ("job", "age"):
        pd.testing.assert_frame_equal(
            one,
            ru_map(
                {"a": anew, "b": people}, people, keys=["sex", "town"], target=target, risk="repU"
            ).table,
        )


def test_with_a_target_the_first_risk_is_that_of_the_target(people, anew):
    given = ru_map({"a": anew, "b": people}, people, keys=["sex", "town"], target="job")
    assert [about.label for _, about in given.measures] == ["DiSCO", "repU", "tvd"]
    pd.testing.assert_frame_equal(
        given.table,
        ru_map(
            {"a": anew, "b": people},
            people,
            keys=["sex", "town"],
            target="job",
            risk=["DiSCO", "repU"],
        ).table,
    )


def test_options_reach_the_measures(people):
    noisy = people.assign(age=people["age"] + 1)
    by_value = ru_map(
        {"a": noisy},
        people,
        keys=["sex", "age"],
        aligned=True,
        risk=["repU", "expected_match_rate"],
    )
    near = ru_map(
        {"a": noisy},
        people,
        keys=["sex", "age"],
        aligned=True,
        risk=["repU", "expected_match_rate"],
        disclosure_options={"ngroups_keys": [0, 3]},
        matching_options={"intervals": {"age": 1}},
    )
    assert (
        "no value in common" in of(by_value, "a", "repU").reason and near.table["repU"].iloc[0] > 0
    )
    assert (
        "no value in common" in of(by_value, "a", "expected_match_rate").reason
        and near.table["expected_match_rate"].iloc[0] == 100
    )


def test_nothing_is_changed(people, anew):
    before = people.copy(deep=True), anew.copy(deep=True)
    ru_map(
        {"a": anew}, people, keys=["sex", "town"], utility=["tvd", "S_pMSE"], bootstrap=5, seed=1
    )
    pd.testing.assert_frame_equal(people, before[0])
    pd.testing.assert_frame_equal(anew, before[1])


def test_a_release_that_lacks_columns_is_not_perfect_on_the_rest(people, anew):
    releases = {
        "a": people.drop(columns=["job", "age"]),
        "b": anew,
        "c": [anew, anew.drop(columns="age")],
    }
    result = ru_map(releases, people, keys=["sex", "town"], utility=["tvd", "S_pMSE"])
    assert (
        of(result, "a", "tvd").reason
        == of(result, "a", "S_pMSE").reason
        == "it lacks job, age, which other releases have (give variables that all have)"
    )
    assert (
        "lacks age" in of(result, "c", "tvd").reason
        and result.variables == ("sex", "town", "job", "age")
        and result.left_out == ()
    )
    assert (
        result.table.loc["b", "tvd"]
        == ru_map({"b": anew}, people, keys=["sex", "town"]).table.loc["b", "tvd"]
    )  # whoever else is on the map
    assert (
        result.tidy().set_index("candidate")["lacks"].to_dict()
        == {
            "a": "job, age",
            "b": "",
            "c": "age",
        }
        and "a" not in result.front()
    )
    assert "No tvd for a: it lacks job, age" in flat(result) and any(
        "without a figure: a (lacks job, age), c (lacks age)" in t
        for t in texts(result.plot(round_to=1))
    )
    common = ru_map(releases, people, keys=["sex", "town"], variables=["sex", "town"])
    assert common.table.loc["a", "tvd"] == 0 and common.table["tvd"].notna().all()


def test_columns_that_only_a_release_has_are_told(people, anew):
    releases = {"a": anew.assign(zip=1, note=2), "b": people}
    said = "a: not compared, because the original lacks it: zip, note."
    assert said in flat(ru_map(releases, people, keys=["sex", "town"]))
    chosen = ru_map(releases, people, keys=["sex", "town"], variables=["sex"])
    assert "the original lacks it" not in flat(chosen)


def test_columns_that_no_release_has_are_told(people, anew):
    result = ru_map(
        {"a": anew.drop(columns="job"), "b": people.drop(columns="job")},
        people,
        keys=["sex", "town"],
    )
    assert (
        result.variables == ("sex", "town", "age")
        and result.left_out == ("job",)
        and result.table["tvd"].notna().all()
    )
    assert "No release has job: utility says nothing about it." in flat(result)


def test_rows_are_shown(people, anew):
    result = ru_map(
        {"few": people.head(2), "some": Runs([people, people.head(4)])},
        people,
        keys=["sex", "town"],
        aligned=False,
    )
    assert result.tidy().groupby("candidate")["rows"].first().to_dict() == {
        "few": 2,
        "some": 4,
    } and rows_shown(result) == ["2", "4-6"]


def rows_shown(result: RUMap) -> list[str]:
    return [release.rows_text() for release in result.releases]


def test_few_records_look_good_to_a_propensity_model_which_says_so(sd):
    s1 = datasets.load_synthesis("SD2011_s1").syn[0]
    result = ru_map(
        {"all": s1, "fifty": s1.sample(50, random_state=1)},
        sd,
        keys=KEYS,
        utility="S_pMSE",
        variables=["sex", "age", "marital", "ls"],
    )
    assert (
        result.table.loc["fifty", "S_pMSE"] < 2 * result.table.loc["all", "S_pMSE"]
        and "small numbers of records" in result.about("S_pMSE")[1].blind_to
    )
    assert rows_shown(result) == ["5000", "50"]


# ---- alignment -----------------------------------------------------------------------


def test_who_looks_aligned(people, anew):
    assert telling_columns(anew, people) == ["job"] and telling_columns(people, people) == [
        "town",
        "job",
    ]  # the six are sorted by sex and age
    assert not telling_columns(people.sample(frac=1, random_state=1), people)
    assert not telling_columns(people.head(5), people)
    shuffled = people.sample(frac=1, random_state=1).reset_index(drop=True)
    assert not telling_columns(shuffled, people)
    assert not telling_columns(
        shuffled.assign(land="PL"), people.assign(land="PL")
    )  # a column of one value says nothing


def test_a_file_made_area_by_area_is_not_the_same_people(sd):
    by = ["region", "sex"]
    ordered = (
        sd.astype({"age": "int64"})
        .sort_values(by, kind="stable")
        .reset_index(drop=True)
        .assign(id=range(5000))
    )
    for columns in (by[0], by):
        drawn = [
            part.sample(len(part), replace=True, random_state=1)
            for _, part in ordered.groupby(columns, observed=True, sort=True)
        ]
        fake = pd.concat(drawn).reset_index(drop=True).assign(id=range(5000))
        assert fake[columns].equals(ordered[columns]) and not telling_columns(fake, ordered)
    result = ru_map(
        {
            "area by area": fake,
            "masked": add_noise(ordered, "age", sd=1, seed=1, reproducible=True),
        },
        ordered,
        keys=KEYS,
        risk="expected_match_rate",
    )
    assert (
        math.isnan(result.table["expected_match_rate"]["area by area"])
        and result.table["expected_match_rate"]["masked"] > 0
    )
    assert (
        "masked: rows taken as those of the original, because placesize, depress, income, ls,"
        " marital and 1 more are the same in every row (see aligned)." in flat(result)
    )


def test_one_column_of_few_values_is_not_enough():
    generator = np.random.default_rng(1)
    frame = pd.DataFrame(
        {
            "sex": generator.choice(list("fm"), 200),
            "pay": generator.normal(size=200),
            "town": generator.choice(list("ABC"), 200),
        }
    )
    others = {"pay": 0.0, "town": "A"}
    assert not telling_columns(frame.assign(**others), frame)
    assert telling_columns(frame.assign(town="A", sex="f"), frame) == ["pay"] and telling_columns(
        frame.assign(pay=0.0), frame
    ) == ["sex", "town"]
    rising = frame.sort_values("pay", ignore_index=True)
    assert not telling_columns(rising.assign(town="A", sex="f"), rising)
    mixed = frame.assign(odd=[[1]] * 200)  # values that cannot be compared say nothing
    assert telling_columns(mixed.assign(pay=0.0), mixed) == ["sex", "town"]


def test_a_conclusion_is_told_and_what_was_said_is_not(people, anew):
    arguments = {"keys": ["sex", "town"], "risk": "expected_match_rate"}
    assert (
        "a: rows taken as those of the original, because job is the same in every row (see"
        " aligned)." in flat(ru_map({"a": anew}, people, **arguments))
    )
    assert "rows taken" not in repr(
        ru_map({"a": anew}, people, aligned=True, **arguments)
    ) and "rows taken" not in repr(ru_map({"a": anew}, people, keys=["sex", "town"]))


def test_alignment_can_be_said(people, anew):
    noisy = add_noise(people[["age"]], "age", sd=1, seed=1, reproducible=True).join(
        people[["sex"]].sample(frac=1, random_state=1).reset_index(drop=True)
    )
    arguments = {"keys": ["age", "sex"], "risk": "expected_match_rate"}
    assert math.isnan(ru_map({"a": noisy}, people, **arguments).table.iloc[0, 0])
    for said in (True, ["a"], "a"):
        assert ru_map({"a": noisy}, people, aligned=said, **arguments).table.iloc[0, 0] >= 0
    assert math.isnan(ru_map({"a": anew}, people, aligned=False, **arguments).table.iloc[0, 0])
    assert math.isnan(
        ru_map({"a": anew, "b": people}, people, aligned=["b"], **arguments).table.iloc[0, 0]
    )


# ---- intervals -----------------------------------------------------------------------


def test_intervals_from_data_sets(sd, releases, whole):
    values = (
        disclosure(releases["cart"], sd, KEYS, "depress", compat="corrected", print_flag=False)
        .attrib["DiSCO"]
        .to_numpy()
    )
    half = stats.t.ppf(0.975, 4) * values.std(ddof=1) / math.sqrt(5)
    figure = of(whole, "cart", "DiSCO")
    assert (figure.low, figure.high) == pytest.approx(
        (values.mean() - half, values.mean() + half)
    ) and figure.method == "t interval of the mean over 5 data sets released together"
    wide = ru_map(
        {"cart": releases["cart"]}, sd, keys=KEYS, target="depress", risk="DiSCO", level=0.99
    ).figures[0]
    assert (wide.high - wide.low) / (figure.high - figure.low) == pytest.approx(
        stats.t.ppf(0.995, 4) / stats.t.ppf(0.975, 4)
    )


def test_intervals_by_leaving_out(sd, releases, whole):
    sets = releases["cart"].syn
    estimands = [Means("age"), Proportions("sex", levels="MALE"), Means("income", exclude=-8)]
    without = np.array(
        [estimand_overlap(sets[:i] + sets[i + 1 :], sd, estimands).mean for i in range(5)]
    )
    half = stats.t.ppf(0.975, 4) * math.sqrt(4 / 5 * ((without - without.mean()) ** 2).sum())
    figure = of(whole, "cart", "ci_overlap")
    assert (
        figure.method == "jackknife over 5 data sets released together"
        and figure.low == pytest.approx(max(figure.value - half, 0))
        and figure.high == pytest.approx(min(figure.value + half, 1))
    )
    assert of(whole, "swapped", "ci_overlap").method == "prediction of one more run, from 3 runs"


def test_one_data_set_has_no_interval_unless_resampled(whole):
    figure = of(whole, "one", "DiSCO")
    assert math.isnan(figure.low) and figure.method == "none: one data set, no bootstrap"
    assert "No interval: only one data set" in flat(whole)


def test_theory_has_no_sampling_error(whole):
    figure = of(whole, "ifpr alone", "IR")
    assert figure.low == figure.high == figure.value and figure.method.startswith("exact")


def test_bootstrap(sd, releases):
    arguments = {
        "keys": KEYS,
        "target": "depress",
        "risk": ["DiSCO", "expected_match_rate"],
        "utility": ["tvd", "S_pMSE", "ci_overlap"],
        "estimands": Means("age"),
        "variables": ["sex", "region", "depress"],
    }
    first, again, other = (
        ru_map({"one": releases["one"]}, sd, bootstrap=60, seed=seed, **arguments)
        for seed in (1, 1, 2)
    )
    pd.testing.assert_frame_equal(first.tidy(), again.tidy())
    assert not first.tidy().equals(other.tidy()) and first.table.equals(other.table)
    assert of(first, "one", "tvd").method == "bootstrap, 60 resamples of records"
    for label in ("expected_match_rate", "tvd"):
        assert (
            of(first, "one", label).low
            < of(first, "one", label).value
            < of(first, "one", label).high
        )


def test_shares_have_exact_intervals_of_their_own(sd, releases):
    result = ru_map(
        {"one": releases["one"]},
        sd,
        keys=KEYS,
        target="depress",
        risk=["DiSCO", "repU", "DiSCO_any", "expected_match_rate"],
        bootstrap=2,
    )
    for label in ("DiSCO", "repU", "DiSCO_any"):
        figure = of(result, "one", label)
        exact = stats.binomtest(int(figure.numerator), int(figure.denominator)).proportion_ci(
            0.95, method="exact"
        )
        assert (figure.low, figure.high) == pytest.approx(
            (100 * exact.low, 100 * exact.high)
        ) and figure.method.startswith("Clopper-Pearson")
    match = of(result, "one", "expected_match_rate")
    assert 0 < match.low < match.value < match.high < 100


def test_nobody_found_is_not_nobody_ever():
    people = pd.DataFrame({"k": np.repeat(np.arange(20), 2), "x": np.arange(40.0)})
    figures = ru_map({"a": people.assign(x=0.0)}, people, keys="k", bootstrap=50, seed=1).figures
    assert (figures[0].value, figures[0].low) == (0, 0) and figures[0].high == pytest.approx(
        100 * (1 - 0.025 ** (1 / 40))
    )
    everybody = people.assign(k=range(40))
    all_found = ru_map({"a": everybody}, everybody, keys="k", bootstrap=50, seed=1).figures[0]
    assert (all_found.value, all_found.high) == (100, 100) and all_found.low == pytest.approx(
        100 * 0.025 ** (1 / 40)
    )


@pytest.mark.parametrize("n", [5, 40])
def test_shares_are_covered_whatever_they_are(n):
    """Coverage of Clopper and Pearson's interval, exactly: the probability of all counts whose
    interval holds the truth.
    """
    ends = (
        np.array([(i.low, i.high) for i in (measures.from_share(x, n, 0.95) for x in range(n + 1))])
        / 100
    )
    for p in np.linspace(0.001, 0.999, 97):
        inside = (ends[:, 0] <= p) & (p <= ends[:, 1])
        assert stats.binom.pmf(np.arange(n + 1), n, p)[inside].sum() >= 0.95


def test_the_run_that_will_be_released_is_covered_and_the_mean_of_a_list():
    """4,000 times five runs of a skewed figure and one more: at 95 % 3,730 to 3,870 are correct for
    normal figures; skewness costs a little.
    """
    generator = np.random.default_rng(3)
    drawn, more = generator.gamma(20, size=(4000, 5)), generator.gamma(20, size=4000)
    runs = [measures.from_sets(five, 0.95, together=False) for five in drawn]
    assert 0.93 < np.mean([i.low <= x <= i.high for i, x in zip(runs, more)]) < 0.97
    lists = [measures.from_sets(five, 0.95, together=True) for five in drawn]
    assert 0.93 < np.mean([i.low <= 20 <= i.high for i in lists]) < 0.97
    assert (
        np.mean([i.low <= x <= i.high for i, x in zip(lists, more)]) < 0.8
    )  # which is why a run is not judged by the interval of a mean


def test_runs_have_the_interval_of_one_more_run(sd, releases, whole):
    values = [
        ru_map({"a": frame}, sd, keys=KEYS, target="depress", risk="DiSCO").table["DiSCO"].iloc[0]
        for frame in releases["swapped"].releases
    ]
    half = stats.t.ppf(0.975, 2) * np.std(values, ddof=1) * math.sqrt(1 + 1 / 3)
    figure = of(whole, "swapped", "DiSCO")
    assert (
        figure.high == pytest.approx(np.mean(values) + half)
        and figure.method == "prediction of one more run, from 3 runs"
    )


def test_the_utility_of_one_synthesis_is_not_resampled(sd):
    s1 = datasets.load_synthesis("SD2011_s1").syn[0]
    result = ru_map(
        {"s1": s1},
        sd,
        keys=KEYS,
        utility=["tvd", "S_pMSE", "ci_overlap"],
        estimands=Means("age"),
        variables=["sex", "age"],
        bootstrap=5,
        seed=1,
    )
    assert all(
        math.isnan(of(result, "s1", label).low)
        and "give several syntheses" in of(result, "s1", label).method
        for label in ("tvd", "S_pMSE", "ci_overlap")
    )
    assert of(
        result, "s1", "repU"
    ).low > 0 and "No interval: one data set whose rows are not the original's" in flat(result)


def test_resampled_utility_of_a_mask_covers():
    """Strong noise on one number, other people each time: the interval holds the mean over surveys,
    and is no more than twice as wide as it need be.
    """

    def survey(seed):
        generator = np.random.default_rng(seed)
        return pd.DataFrame({"x": generator.normal(size=300), "y": generator.normal(size=300)})

    def figure(seed, bootstrap):
        people = survey(seed)
        masked = add_noise(people, "x", sd=2.0, seed=10_000 + seed, reproducible=True)
        return ru_map(
            {"a": masked},
            people,
            keys="x",
            risk=Measure("none", lambda d, o: 0.0, unit="u", better="lower"),
            bootstrap=bootstrap,
            seed=seed,
        ).figures[1]

    values = np.array([figure(seed, 0).value for seed in range(200)])
    found = [figure(seed, 25) for seed in range(200, 260)]
    half = np.mean([f.high - f.low for f in found]) / 2
    assert np.mean([f.low <= values.mean() <= f.high for f in found]) >= 0.85
    assert values.std() < half / 1.96 < 2 * values.std()


def test_rows_of_a_masked_release_are_resampled_with_the_originals(sd):
    arguments = {"keys": KEYS, "variables": ["sex", "age"], "bootstrap": 10, "seed": 1}
    paired = ru_map({"copy": sd}, sd, **arguments).figures[1]
    assert (paired.low, paired.high) == (0, 0)


def test_a_measure_of_ones_own_is_resampled(people, anew):
    gap = Measure(
        "gap",
        lambda release, original: release["age"].mean() - original["age"].mean(),
        unit="years",
        better="lower",
    )
    paired = ru_map({"a": anew}, people, risk=gap, bootstrap=20, seed=1).figures[0]
    apart = ru_map({"a": anew}, people, risk=gap, bootstrap=20, seed=1, aligned=False).figures[0]
    assert (paired.low, paired.high) == (0, 0) and apart.low < 0 < apart.high


def test_the_spread_of_resamples_is_that_of_new_samples():
    """A mean whose spread is known: 2 of 100 records, exponential."""
    generator = np.random.default_rng(1)
    frame = pd.DataFrame({"x": generator.exponential(1, 400), "k": range(400)})
    mean = Measure("mean", lambda release, original: release["x"].mean(), unit="u", better="lower")
    figure = ru_map({"a": frame}, frame, risk=mean, bootstrap=300, seed=2, variables="k").figures[0]
    assert (figure.high - figure.low) / 2 == pytest.approx(1.96 * frame["x"].std() / 20, rel=0.15)


# ---- front ---------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(20))
def test_the_front_against_a_plain_judge(seed):
    generator = np.random.default_rng(seed)
    points = generator.integers(0, 4, (8, generator.integers(1, 4))).astype(float)
    if seed % 3 == 0:
        points[0, 0] = np.nan
    judged = []
    for i, p in enumerate(points):
        beaten = any(
            all(q >= p) and any(q > p)
            for j, q in enumerate(points)
            if j != i and not np.isnan(q).any() and not np.isnan(p).any()
        )
        judged.append(not beaten and not np.isnan(p).any())
    number, respects = points.shape

    def measure(column: int) -> Measure:
        def value(release: pd.DataFrame, original: pd.DataFrame) -> float:
            return float(release.iloc[0, column])

        return Measure(f"m{column}", value, unit="points", better="higher")

    frames = {f"release {i}": pd.DataFrame([point]) for i, point in enumerate(points)}
    first, *others = map(measure, range(respects))
    constant = Measure("none", lambda release, original: 0.0, unit="points", better="higher")
    found = ru_map(frames, pd.DataFrame([points[1]]), risk=first, utility=[*others, constant])
    kept = found.front(*(f"m{i}" for i in range(respects)))
    assert [f"release {i}" in kept for i in range(number)] == judged


def map_of(
    values: dict[str, tuple[float, float]],
    better: tuple[str, str] = ("lower", "higher"),
    spread: float = 0.0,
) -> RUMap:
    """Releases whose risk and utility are given; with a spread, from two runs."""

    def release(pair):
        return [
            pd.DataFrame({"r": [pair[0] + s], "u": [pair[1] + s]})
            for s in ((-spread, spread) if spread else (0.0,))
        ]

    risk = Measure("r", lambda d, o: float(d["r"].iloc[0]), unit="points", better=better[0])
    utility = Measure("u", lambda d, o: float(d["u"].iloc[0]), unit="points", better=better[1])
    return ru_map(
        {name: release(pair) for name, pair in values.items()},
        pd.DataFrame({"r": [0.0], "u": [0.0]}),
        risk=risk,
        utility=utility,
    )


def test_the_front_follows_the_directions():
    values = {"low": (1, 1), "high": (2, 2), "worse": (2, 1)}
    assert map_of(values).front() == ["low", "high"]
    assert map_of(values, ("higher", "higher")).front() == ["high"]
    assert map_of(values, ("lower", "lower")).front() == ["low"]
    assert map_of(values, ("higher", "lower")).front() == ["low", "high", "worse"][2:]


def test_who_dominates_whom():
    pairs = map_of({"low": (1, 1), "high": (2, 2), "worse": (2, 1)}).dominated()
    assert (
        pairs[["candidate", "by"]].to_numpy().tolist() == [["worse", "low"], ["worse", "high"]]
        and not pairs["clear"].any()
    )
    assert map_of({"a": (1, 5), "b": (9, 1)}, spread=0.01).dominated()["clear"].tolist() == [True]
    assert map_of({"a": (1, 5), "b": (1.1, 4.9)}, spread=0.2).dominated()["clear"].tolist() == [
        False
    ]


def test_equal_releases_and_last_bits():
    assert map_of({"a": (1, 1), "b": (1, 1)}).front() == ["a", "b"]
    assert map_of({"a": (1, 1), "b": (1, 1 + 1e-15)}).front() == [
        "a",
        "b",
    ]  # a rounding error dominates nobody
    assert map_of({"a": (0.1 + 0.2, 1), "b": (0.3, 1)}).front() == ["a", "b"]
    assert map_of({"a": (1, 1), "b": (1, 1 + 1e-6)}).front() == ["b"]


def test_the_front_of_other_measures(whole):
    assert "sample" in whole.front("repU", "tvd") and whole.front("IR", "tvd") == ["ifpr alone"]
    assert set(whole.front()) <= set(whole.front("DiSCO", "repU", "tvd"))
    assert whole.front() == whole.front("DiSCO", "tvd")


def test_what_is_said_about_the_front():
    assert (
        "Not dominated in r and u: low, high. Dominated, that is, no safer and no more "
        "useful than one of these: worse (.dominated())."
        in flat(map_of({"low": (1, 1), "high": (2, 2), "worse": (2, 1)}))
    )
    assert "Not dominated in r and u: a. Not compared, because a figure is missing: b." in flat(
        map_of({"a": (1, 1), "b": (math.nan, 2)})
    )
    empty = repr(map_of({"b": (math.nan, 2)}))
    assert (
        "No release has both r and u, so nothing can be compared." in empty
        and "ominated" not in empty
    )


# ---- views ---------------------------------------------------------------------------


def test_tidy(whole):
    tidy = whole.tidy()
    assert list(tidy) == [
        "candidate",
        "role",
        "measure",
        "value",
        "low",
        "high",
        "level",
        "interval",
        "m",
        "rows",
        "numerator",
        "denominator",
        "unit",
        "better",
        "direction",
        "front",
        "lacks",
        "reason",
        "remarks",
    ]
    assert (
        (tidy["rows"] == 5000).all() and len(tidy) == 6 * 9 and (tidy["unit"].str.len() > 0).all()
    )
    shares = tidy[tidy["numerator"].notna()]
    assert set(shares["measure"]) == {"DiSCO", "repU", "expected_match_rate"}
    assert (100 * shares["numerator"] / shares["denominator"]).tolist() == pytest.approx(
        shares["value"].tolist()
    )
    assert set(tidy[tidy["measure"] == "tvd"]["direction"]) == {"lower is more useful"} and set(
        tidy[tidy["role"] == "risk"]["direction"]
    ) == {"higher is riskier"}


SHOWN = """\
Risk-utility map of 3 releases; 6 original records; keys sex, town

risk repU: % of original records that are unique in the original and in the release (replicated
uniques) (several files: mean over files; together they may reveal more); higher is riskier
risk IR: highest chance that a match is correct, given what the release shows (by the design of
IFPR), 0 to 1; higher is riskier
utility tvd: mean total variation distance of 10 one- and two-way tables, 0 to 1; lower is more
useful

         sets rows                repU IR                       tvd
as it is    1    6                33.3  -                     0.000
anew        1    6               0.000  -                     0.100
both        2    6 16.7 (0.0 to 100.0)  - 0.0500 (0.0000 to 1.0000)

Not dominated in repU and tvd: as it is, anew, both.
In brackets: 95 % intervals (prediction of one more run, from 2 runs).
No interval: only one data set. Pass several runs of the mask (`Runs`) or `bootstrap=200`.
No IR for as it is, anew, both: only a release made by ifpr() carries this risk."""


def test_shown(people, anew):
    result = ru_map(
        {"as it is": people, "anew": anew, "both": Runs([people, anew])},
        people,
        keys=["sex", "town"],
        risk=["repU", "IR"],
    )
    # anew: 1/3 of the records moves in each of the tables of town with sex, job and age, 1/10 of
    # all ten tables' distances; both: 1/20 ± 12.706 * sqrt(2) * sqrt(3/2) / 20, cut off at 0 and 1
    assert repr(result) == SHOWN
    html = result._repr_html_()
    assert (
        "16.7 (0.0 to 100.0)" in html
        and "higher is riskier" in html
        and '<th scope="row">as it is</th>' in html
        and "Not dominated" in html
    )


def test_figures_as_text():
    def text(value, low=math.nan, high=math.nan):
        return figure_text(
            MapFigure("c", "m", "risk", value, low, high, "", 1, math.nan, math.nan, "")
        )

    assert [text(v) for v in (0.0, 12.345, 0.012345, 1234.5, math.nan)] == [
        "0.000",
        "12.3",
        "0.0123",
        "1234" if f"{1234.5:.0f}" == "1234" else "1235",
        "-",
    ]
    assert (
        text(1 - 1e-12) == text(1.0) == "1.00" and text(1e-14) == text(-1e-9).lstrip("-") == "0.000"
    )  # whatever the last bits are
    assert text(0.5, 0.25, 0.75) == "0.500 (0.250 to 0.750)"


def test_names_from_the_user_are_escaped(people):
    result = ru_map({"<b>": people}, people, keys=["sex", "town"])
    assert "&lt;b&gt;" in result._repr_html_() and "<b>" not in result._repr_html_()


# ---- pictures ------------------------------------------------------------------------


def texts(ax):
    """All words of a picture, and names of releases also without the figures below them."""
    shown = [t.get_text() for t in ax.texts]
    return [*shown, *(text.split("\n")[0] for text in shown if "\u00a0|" in text)]


def test_the_picture_has_every_release_by_name(whole):
    ax = whole.plot(round_to=1)
    assert {"cart", "sample", "swapped", "ifpr", "one", "ifpr alone"} <= set(texts(ax))
    assert "DiSCO" in ax.get_ylabel() and "riskier\u00a0→" in ax.get_ylabel()
    assert (
        "(axis reversed); more useful\u00a0→" in ax.get_xlabel().replace("\n", " ")
        and ax.xaxis_inverted()
        and not ax.yaxis_inverted()
    )
    points = {
        (float(x), float(y))
        for line in ax.lines
        if line.get_linestyle() == "None"
        for x, y in zip(line.get_xdata(), line.get_ydata())
    }
    assert points == {(row["tvd"], row["DiSCO"]) for _, row in whole.table.iterrows()}


def test_the_picture_turns_with_the_directions():
    ax = map_of({"a": (1, 1), "b": (2, 2)}, ("higher", "higher")).plot(round_to=1)
    assert ax.yaxis_inverted() and not ax.xaxis_inverted()
    assert "(axis reversed); riskier\u00a0→" in ax.get_ylabel().replace("\n", " ")


def test_the_front_is_a_staircase_around_what_is_dominated():
    ax = map_of({"a": (1, 1), "b": (3, 4), "c": (2, 2), "bad": (4, 1.5)}).plot(round_to=1)
    stairs = next(line for line in ax.lines if len(line.get_xdata()) == 5)
    assert list(zip(stairs.get_xdata(), stairs.get_ydata())) == [
        (1, 1),
        (1, 2),
        (2, 2),
        (2, 3),
        (4, 3),
    ]


def test_marks_differ_without_colour(whole):
    ax = map_of({"a": (1, 1), "bad": (4, 0.5)}).plot(round_to=1)
    marks = [
        (line.get_marker(), line.get_markerfacecolor())
        for line in ax.lines
        if line.get_linestyle() == "None"
    ]
    assert len({m for m, _ in marks}) == 2 and len({str(f) for _, f in marks}) == 2
    assert [t.get_text() for t in ax.get_legend().get_texts()] == [
        "on the front: no other release is as safe and as useful, and better in one",
        "another release is as good in both, and better in one",
    ]


def test_names_do_not_lie_on_one_another(whole):
    ax = whole.plot("repU", "ci_overlap", round_to=1)
    ax.figure.draw_without_rendering()
    boxes = [
        t.get_window_extent()
        for t in ax.texts
        if t.get_text().split("\n")[0] in (*whole.candidates, "swapped = one")
    ]
    assert len(boxes) == 5  # two are in the same place
    common = [
        a.get_points().tolist() for i, a in enumerate(boxes) for b in boxes[:i] if a.overlaps(b)
    ]
    assert not common


def test_names_of_a_crowd_go_different_ways():
    crowd = {f"release {c}": (1 + 0.01 * i, 1 + 0.01 * i) for i, c in enumerate("abcd")} | {
        "far": (3, 3),
        "near": (0, 0),
    }
    ax = map_of(crowd).plot(round_to=1)
    ax.figure.draw_without_rendering()
    # of the words alone: an annotation's own box has the line to its point too
    extent = matplotlib.text.Text.get_window_extent
    boxes = [extent(t) for t in ax.texts if t.get_text().split("\n")[0] in crowd]
    assert len(boxes) == 6 and not any(
        a.overlaps(b) for i, a in enumerate(boxes) for b in boxes[:i]
    )


def test_many_releases_are_numbered_with_a_key():
    many = {f"release number {i}": (i % 5 + 0.01 * i, i / 3) for i in range(15)}
    result = map_of(many)
    ax = result.plot(round_to=1)
    ax.figure.draw_without_rendering()
    shown = texts(ax)
    assert {str(i) for i in range(1, 16)} <= set(shown) and not set(many) & set(shown)
    key = next(t for t in ax.texts if "release number 3" in t.get_text())
    places = {
        line.strip().split("  ")[1]: line.strip().split("  ")[0]
        for line in key.get_text().split("\n")
    }
    assert set(places) == set(many)
    numbers = {t.get_text(): t.xy for t in ax.texts if t.get_text() in places.values()}
    assert all(
        numbers[places[name]] == (many[name][1], many[name][0]) for name in many
    )  # the number of a name is at its point
    assert (
        key.get_window_extent().x0 > ax.get_window_extent().x1
        and key.get_window_extent().x1 <= ax.figure.bbox.x1 + 1
    )


def test_equal_releases_share_one_name():
    assert "a = b" in texts(map_of({"a": (1, 1), "b": (1, 1), "c": (2, 3)}).plot(round_to=1))


def test_long_names_go_into_the_key():
    name = (
        "a release with a very long name that goes on and on for more than eighty characters,"
        " really"
    )
    ax = map_of({name: (1, 1), "c": (2, 3)}).plot(round_to=1)
    ax.figure.draw_without_rendering()
    assert {"1", "2"} <= set(texts(ax)) and all(
        t.get_window_extent().x1 <= ax.figure.bbox.x1 + 1 for t in ax.texts
    )
    assert name in " ".join(next(t for t in texts(ax) if "a release with" in t).split())


def test_axes_end_where_the_measures_end(people, anew):
    ax = ru_map({"a": people, "b": anew}, people, keys=["sex", "town"]).plot(round_to=1)
    assert (
        min(ax.get_xlim()) == 0 and min(ax.get_ylim()) == 0 and ax.get_xlim()[0] > ax.get_xlim()[1]
    )
    whole_range = ru_map({"a": people}, people, keys=list(people)).plot(round_to=1)
    assert max(whole_range.get_ylim()) == 100
    assert (
        min(map_of({"a": (-5, -1), "b": (1, 2)}).plot(round_to=1).get_ylim()) < -5
    )  # a measure without an end


def test_intervals_are_drawn_before_the_markers():
    ax = map_of({"a": (1, 5), "b": (9, 1)}, spread=0.01).plot(round_to=1)
    bars = [line for line in ax.lines if line.get_linestyle() == "-" and len(line.get_xdata()) == 2]
    marks = [line for line in ax.lines if line.get_linestyle() == "None"]
    assert len(bars) == 4 and min(b.get_zorder() for b in bars) > max(m.get_zorder() for m in marks)


def test_a_map_without_any_figure_says_why(people):
    shuffled = people.sample(frac=1, random_state=1).reset_index(drop=True)
    ax = ru_map(
        {"shuffled": shuffled}, people, keys=["sex", "town"], risk="expected_match_rate"
    ).plot(round_to=1)
    said = " ".join(" ".join(texts(ax)).split())
    unknown = "its rows are not known to be those of the original"
    assert (
        "No release has both expected_match_rate and tvd." in said
        and f"No expected_match_rate for shuffled: {unknown}" in said
        and len(ax.get_xticks()) == 0
    )


def test_releases_without_a_figure_are_named(whole):
    ax = whole.plot(risk="IR")
    assert any(
        "without a figure: cart, sample, swapped, ifpr, one" in t for t in texts(ax)
    ) and "cart" not in texts(ax)


def test_pictures_into_given_axes_and_of_other_measures(whole):
    from matplotlib.figure import Figure as Canvas

    ax = Canvas().add_subplot()
    assert (
        whole.plot("repU", "ci_overlap", ax=ax) is ax
        and "ci_overlap" in ax.get_xlabel()
        and not ax.xaxis_inverted()
    )
    with pytest.raises(InputError, match="risk: 'tvd' is unknown; choices: 'DiSCO', 'repU'"):
        whole.plot(risk="tvd")


def test_dollar_signs_are_no_formulae(people, anew):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ax = ru_map(
            {"$x$": people.rename(columns={"sex": "$a", "town": "b$"})},
            people.rename(columns={"sex": "$a", "town": "b$"}),
            keys=["$a", "b$"],
        ).plot(round_to=1)
        ax.figure.draw_without_rendering()
    assert "$x$" in texts(ax)


def test_a_map_for_others_is_computed_from_rounded_counts(whole):
    """Also what dominates what: a decision by exact figures would say more."""
    page = whole.to_markdown()
    ax = whole.plot()
    written = " ".join(texts(ax))
    drawn = {float(y) for line in ax.lines for y in line.get_ydata()}
    assert "Counts of people are rounded to 10" in written
    exact = whole.tidy()
    shares = exact[exact["measure"] == "DiSCO"]
    for numerator, denominator in zip(shares["numerator"], shares["denominator"]):
        people, everybody = shown(numerator, int(denominator)), shown(denominator, int(denominator))
        assert percent(people, everybody) in page
        assert 100 * people / everybody in drawn
    assert " to " not in page.split("| sample |")[1].split("|")[2]  # no interval of a share


def test_a_map_of_few_people_has_no_figures(people, anew):
    result = ru_map({"a": people, "b": anew}, people, keys=["sex", "town"])
    assert "fewer than 20 people" in result.to_html() + " ".join(texts(result.plot()))
    assert "fewer than 20 people" not in result.to_html(round_to=1)


def test_a_curve_drawn():
    curve = ru_curve("swapping", np.linspace(0, 1, 21), n1=3, n2=2, variance=1.0, delta=1.0)
    ax = curve.plot(ceiling=1)
    assert ax.lines[0].get_xdata()[0] == pytest.approx(
        curve.table["utility"].iloc[1]
    )  # the infinite risk of rate 0 is not drawn
    assert any("1 value with infinite risk" in t for t in texts(ax)) and "1" in texts(ax)
    assert [t.get_text() for t in ax.get_legend().get_texts()] == ["ceiling 1", "too risky"]
    assert curve.plot(ax=ax) is ax


# ---- bad input -----------------------------------------------------------------------


@pytest.mark.parametrize(
    "change, says",
    [
        ({"original": [1]}, "original: list is not a DataFrame of pandas, polars or Arrow"),
        (
            {"original": pd.DataFrame({"sex": [], "town": []})},
            "original: has no rows, so there is nobody to protect",
        ),
        ({"synthetic": {}}, "synthetic: is empty; give a dictionary of names and releases"),
        ({"synthetic": pd.DataFrame()}, "synthetic: DataFrame cannot be used"),
        ({"synthetic": {1: pd.DataFrame({"x": [1]})}}, "synthetic: 1 is not a name"),
        ({"synthetic": {" ": pd.DataFrame({"x": [1]})}}, "synthetic: ' ' is not a name"),
        ({"synthetic": {"a": "x"}}, "synthetic, 'a': 'x' cannot be read: its ending is unknown"),
        ({"synthetic": {"a": 7}}, "synthetic: 'a' is a int, which holds no data"),
        ({"synthetic": {"a": []}}, "synthetic: 'a' is empty"),
        ({"synthetic": {"a": Runs(())}}, "synthetic: 'a' is empty"),
        ({"synthetic": {"a": [1]}}, "synthetic: 'a' is a int, which holds no data"),
        (
            {"synthetic": {"a": Runs([SynDS([pd.DataFrame({"x": [1]})] * 2)])}},
            "synthetic: 'a' holds runs of 2 data sets each, which the map cannot average",
        ),
        (
            {"synthetic": {"a": pd.DataFrame({"sex": [], "town": []})}},
            "synthetic: 'a' has no rows",
        ),
        (
            {"synthetic": {"a": pd.DataFrame({"sex": ["f"], "Town": ["A"]})}},
            "keys: 'town' is not a column of candidate 'a'; did you mean 'Town'?",
        ),
        (
            {"synthetic": {"a": pd.DataFrame([[1, 2]], columns=["sex", "sex"])}},
            "candidate 'a': the column names sex occur more than once",
        ),
        (
            {"keys": ["sexe"]},
            "keys: 'sexe' is not a column of the original data; did you mean 'sex'?",
        ),
        ({"keys": None}, "keys: is not given, but repU is about what an intruder knows"),
        ({"keys": []}, "keys: is not given"),
        ({"target": "sex"}, "target: 'sex' is also one of the keys"),
        (
            {"target": "jobs"},
            "target: 'jobs' is not a column of the original data; did you mean 'job'?",
        ),
        ({"risk": "DiSCO"}, "target: is not given, but DiSCO is about a target"),
        (
            {"risk": "disco"},
            (
                "risk: 'disco' is unknown; choices: 'repU', 'DiSCO', 'repU_any', 'DiSCO_any',"
                " 'expected_match_rate', 'IR', or a Measure of your own"
            ),
        ),
        ({"risk": "tvd"}, "risk: 'tvd' is unknown ('tvd' measures utility)"),
        ({"utility": "repU"}, "utility: 'repU' is unknown ('repU' measures risk)"),
        ({"utility": []}, "utility: is empty"),
        ({"utility": len}, "utility: a bare function says neither its unit nor its direction"),
        ({"risk": ["repU", "repU"]}, "risk, utility: 'repU' is given more than once"),
        (
            {"utility": "ci_overlap"},
            "estimands: is not given, but ci_overlap is about what users estimate",
        ),
        ({"utility": "ci_overlap", "estimands": "age"}, "estimands: 'age' cannot be used"),
        ({"variables": "wage"}, "variables: 'wage' is not a column of the original data"),
        (
            {"variables": "sex", "utility": "tvd2"},
            "orders: two-way tables need at least two variables",
        ),
        ({"classes": 0}, "classes: 0"),
        ({"cont_na": 3}, "cont_na: 3 is not a mapping"),
        (
            {"bootstrap": 1},
            "bootstrap: 1 resample has no spread; give 0 for none, or several, such as 200",
        ),
        ({"risk": "DiSCO_any"}, "target: is not given, but DiSCO_any is about a target"),
        (
            {"risk": "IR", "keys": None},
            "keys: is not given, but IR is about what an intruder knows",
        ),
        ({"bootstrap": -1}, "bootstrap: -1 is not a whole number of 0 or more"),
        ({"bootstrap": 2, "seed": "x"}, "seed: str cannot be used"),
        ({"level": 95}, "level: 95 is not a number above 0 and below 1"),
        (
            {"aligned": "b"},
            "aligned: 'b' is not one of the candidates; choices: a; True for all, False for none",
        ),
        (
            {
                "synthetic": {"a": pd.DataFrame({"sex": ["f"], "town": ["A"], "job": ["x"]})},
                "aligned": True,
            },
            "aligned: 'a' has another number of records than the original data (6)",
        ),
        ({"disclosure_options": 3}, "disclosure_options: 3 is not a mapping"),
        (
            {"disclosure_options": {"compat": "r"}},
            "disclosure_options: 'compat' is set by the map itself",
        ),
        (
            {"matching_options": {"radius": 1}, "risk": "expected_match_rate"},
            "matching_options: 'radius' is not one of the arguments of identification_risk()",
        ),
    ],
)
def test_bad_input(people, anew, change, says):
    arguments = {"original": people, "synthetic": {"a": anew}, "keys": ["sex", "town"]} | change
    with pytest.raises(InputError) as error:
        ru_map(**arguments)
    assert says in str(error.value)


@pytest.mark.parametrize(
    "arguments, says",
    [
        ({"label": "", "function": len, "unit": "u", "better": "lower"}, "label: '' is not a text"),
        (
            {"label": "a", "function": len, "unit": None, "better": "lower"},
            "unit: None is not a text; a number without its unit means nothing",
        ),
        (
            {"label": "a", "function": 3, "unit": "u", "better": "lower"},
            "function: int cannot be called",
        ),
        (
            {"label": "a", "function": len, "unit": "u", "better": "down"},
            "better: 'down' is unknown; choices: 'lower', 'higher'",
        ),
    ],
)
def test_bad_measures(arguments, says):
    with pytest.raises(InputError) as error:
        Measure(**arguments)
    assert says in str(error.value)


def test_a_measure_that_gives_no_number(people):
    odd = Measure("odd", lambda release, original: release, unit="u", better="lower")
    with pytest.raises(
        InputError, match=r"odd: gave .* for candidate 'a'; a measure must give one number"
    ):
        ru_map({"a": people}, people, risk=odd)


def test_data_grouped_otherwise_are_refused_by_name(sd):
    grouped = datasets.load_synthesis("SD2011_dp_eps1")
    with pytest.raises(
        InputError,
        match=(
            r"candidate 'dp', data set 1: column 'age' is a category \(factor\), but an amount"
            r" \(double\) in the original data"
        ),
    ):
        ru_map({"dp": grouped}, sd, keys=KEYS)


def test_every_column_a_key(people):
    assert ru_map({"a": people}, people, keys=list(people)).table["repU"].tolist() == [100]
    assert ru_map(
        {"a": people.rename(columns={"sex": "target"})},
        people.rename(columns={"sex": "target"}),
        keys=["target", "town"],
    ).table["repU"].tolist() == pytest.approx([100 / 3])


def test_texts_that_never_agree_have_no_risk_to_show(people, anew):
    other = anew.assign(town=anew["town"].str.lower())
    call = {"keys": ["sex", "town"], "target": "job", "risk": ["repU", "DiSCO"]}
    with pytest.warns(DataWarning, match="candidate 'b', column 'town': 6 synthetic"):
        result = ru_map({"a": anew, "b": other}, people, **call)
    assert result.table["repU"].notna().tolist() == [True, False]
    assert (
        of(result, "b", "DiSCO").reason.startswith(
            "nothing, or hardly anything, can match (candidate 'b', column 'town': no value in"
            " common with the original data"
        )
        and "a" in result.front()
    )


def test_questions_about_unknown_measures(whole):
    with pytest.raises(InputError, match="measure: 'x' is unknown"):
        whole.front("x")
