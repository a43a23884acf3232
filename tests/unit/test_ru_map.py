"""The map: figures are those of the measures themselves, intervals, front, views, and what is
refused.
"""

from __future__ import annotations

import math
import warnings
from types import SimpleNamespace
from typing import Any

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
from synthpop_py.ru_map import Measure, RUMap, Runs, ru_map
from synthpop_py.ru_map.intervals import MapFigure, from_sets, from_share
from synthpop_py.ru_map.releases import telling_columns
from synthpop_py.ru_map.result import figure_text
from synthpop_py.utility import propensity_utility, table_utility
from tests.unit.texts import flat

KEYS = ["sex", "age", "region", "placesize"]
PEOPLE = pd.DataFrame(
    {"sex": list("fffmmm"), "town": list("AABABB"), "job": list("xyzxyz"), "age": range(20, 80, 10)}
)
ANEW = PEOPLE.assign(town=list("AAABBB"))
ESTIMANDS = [Means("age"), Proportions("sex", levels="MALE"), Means("income", exclude=-8)]


def mapped(releases: dict[str, Any], original: pd.DataFrame = PEOPLE, **asked: Any) -> RUMap:
    return ru_map(releases, original, **{"keys": ["sex", "town"], **asked})


def of(result: RUMap, candidate: str, measure: str) -> MapFigure:
    return next(f for f in result.figures if f.candidate == candidate and f.measure == measure)


def own(label: str, function: Any, better: str = "lower", **more: Any) -> Measure:
    return Measure(label, function, unit="units", better=better, **more)


NOTHING = own("none", lambda release, original: 0.0)


@pytest.fixture(scope="module")
def sd() -> pd.DataFrame:
    return datasets.load("SD2011")[list(datasets.load_synthesis("SD2011_s5").syn[0])]


@pytest.fixture(scope="module")
def releases(sd) -> dict:
    blocks = ["sex", {"age": [30, 45, 60]}]
    seeds = [{"seed": i, "reproducible": True} for i in range(3)]
    exchanged = [ifpr(sd, KEYS, xi=0.4, blocks=blocks, **seed) for seed in seeds]
    swapped = [swap(sd, ["sex", "age", "placesize"], "region", 0.5, **seed) for seed in seeds]
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
        estimands=ESTIMANDS,
    )


# ---- figures -------------------------------------------------------------------------


def test_by_hand():
    asked = {"target": "job", "risk": ["repU", "DiSCO"], "variables": ["sex", "town"]}
    result = mapped({"as it is": PEOPLE, "anew": ANEW}, **asked)
    # f in B and m in A are alone; as it is they are found again and give their job away. Of the
    # towns drawn anew nobody is alone.
    assert result.table["repU"].tolist() == pytest.approx([100 / 3, 0])
    assert result.table["DiSCO"].tolist() == pytest.approx([100 / 3, 0])
    # sex and town by themselves are as they were, together f in B and m in A have moved: 2 of 6
    assert result.table["tvd"].tolist() == pytest.approx([0, (0 + 0 + 2 / 6) / 3])
    assert of(result, "as it is", "repU")[-3:-1] == (2, 6)


@pytest.mark.parametrize("name", ["cart", "sample"])
def test_figures_are_those_of_the_package(name, sd, releases, whole):
    figures, sets, special = whole.table.loc[name], releases[name].syn, {"income": -8}
    found = disclosure(releases[name], sd, KEYS, "depress", compat="corrected", print_flag=False)
    assert figures["DiSCO"] == pytest.approx(found.attrib["DiSCO"].mean())
    assert figures["repU"] == pytest.approx(found.ident["repU"].mean())
    people = [shares["DiSCO"].numerator for shares in found.shares]
    assert of(whole, name, "DiSCO").numerator == pytest.approx(np.mean(people))
    tables = table_utility(sets, sd, cont_na=special)
    means = [tables.mean(), tables.mean(1), tables.mean(2)]
    assert figures[["tvd", "tvd1", "tvd2"]].tolist() == pytest.approx(means)
    scores = propensity_utility(sets, sd, cont_na=special)
    assert figures["S_pMSE"] == pytest.approx(scores.S_pMSE)
    assert figures["ci_overlap"] == pytest.approx(estimand_overlap(sets, sd, ESTIMANDS).mean)


def test_risks_of_matching_and_of_ifpr(sd, releases, whole):
    sets = [release.data for release in releases["ifpr"]]
    match = identification_risk(sets, sd, known="sex", synthesised=KEYS[1:])
    figure = of(whole, "ifpr", "expected_match_rate")
    assert figure.value == pytest.approx(100 * match.expected / len(sd))
    assert figure.numerator == match.expected
    theory = of(whole, "ifpr alone", "IR")
    assert theory.value == pytest.approx(releases["ifpr"][0].risk_table()["worst"].max())
    assert theory.low == theory.high == theory.value and theory.method.startswith("exact")


def test_special_values_are_those_that_a_synds_brings(sd):
    s1 = datasets.load_synthesis("SD2011_s1")
    swapped = swap(sd, ["sex", "age"], "region", 0.5, seed=1, reproducible=True)
    both = {"swapped": swapped, "s1": s1}
    brought, given, none = (
        ru_map(both, sd, keys=KEYS, cont_na=special) for special in (None, {"income": -8}, {})
    )
    pd.testing.assert_frame_equal(brought.table, given.table)
    assert brought.table.loc["s1", "tvd"] == pytest.approx(table_utility(s1, sd).mean())
    assert none.table.loc["s1", "tvd"] != brought.table.loc["s1", "tvd"]
    said = "Special values, kept apart in all releases: income -8 (s1). Another cont_na replaces"
    assert said in flat(brought) and not given.remarks and not none.remarks


def test_special_values_of_several_releases_are_put_together():
    """Codes of the original: what one release says about them holds for all; of other columns, and
    of texts, they do no harm.
    """
    people = pd.DataFrame({"x": [-8.0, -9, 1, 2, 3, 4, 5, 6], "k": list("abababab")})
    one, two = SynDS(people, cont_na={"x": -8}), SynDS(people, cont_na={"x": [-9, -8]})
    fake = people.assign(x=[1.0, 2, 1, 2, 3, 4, 5, 6])
    found = mapped({"one": one, "two": [two, one], "plain": fake}, people, keys=["k"])
    asked = mapped({"plain": fake}, people, keys=["k"], cont_na={"x": [-8, -9]})
    assert found.table.loc["plain", "tvd"] == asked.table.loc["plain", "tvd"]
    assert "kept apart in all releases: x -8 (one, two), x -9 (two)." in flat(found)
    other = SynDS(people.assign(income=-8.0), cont_na={"income": -8})
    odd = SynDS(people, cont_na={"k": "a"})
    assert not mapped({"other": other, "odd": odd}, people, keys=["k"]).remarks
    assert table_utility(other, people).mean() == 0


def test_runs_are_judged_one_by_one_and_lists_together(sd):
    changed = [ifpr(sd, KEYS, theta=0.8, blocks="sex", seed=i, reproducible=True) for i in range(3)]
    asked = {"keys": KEYS, "risk": ["expected_match_rate", "repU"], "utility": "ci_overlap"}
    asked["estimands"] = Means("age")
    together, apart, *single = (
        ru_map({"x": release}, sd, **asked).table.iloc[0]
        for release in (changed, Runs(changed), *changed)
    )
    pd.testing.assert_series_equal(apart, pd.DataFrame(single).mean(), check_names=False)
    # who sees three runs sees through them
    assert together["expected_match_rate"] > 1.2 * apart["expected_match_rate"]
    assert together["repU"] == pytest.approx(apart["repU"])
    overlap = estimand_overlap([release.data for release in changed], sd, Means("age"))
    assert together["ci_overlap"] == pytest.approx(overlap.mean)


def test_a_release_that_lacks_an_estimand_has_no_overlap():
    asked = {
        "utility": "ci_overlap",
        "estimands": [Means("age", by="town"), Regression("age", "sex")],
    }
    lacks = PEOPLE.assign(town="A")
    result = mapped({"whole": PEOPLE, "without": lacks, "runs": Runs([PEOPLE, lacks])}, **asked)
    assert of(result, "whole", "ci_overlap").value == 1 and "of 4 estimands" in flat(result)
    for name in ("without", "runs"):
        figure = of(result, name, "ci_overlap")
        assert figure.reason == "'mean age, town=B' cannot be estimated from every data set of it"
        assert math.isnan(figure.value)
    # a group of one record has no variance in the original: it is left out for every release
    alone = mapped({"a": PEOPLE}, PEOPLE.assign(town=list("AAAAAB")), **asked)
    assert "of 3 estimands" in flat(alone) and of(alone, "a", "ci_overlap").value < 1


def test_resamples_that_lack_an_estimand_do_not_count():
    asked = {"utility": "ci_overlap", "estimands": Means("age", by="job"), "aligned": True}
    figure = mapped({"a": PEOPLE}, bootstrap=40, seed=1, **asked).figures[1]
    # two records of each job: with fewer than two of one there is no variance
    generator = np.random.default_rng(1)
    drawn = [generator.integers(6, size=6) for _ in range(40)]
    counted = sum(all((draw % 3 == job).sum() > 1 for job in range(3)) for draw in drawn)
    assert 2 <= counted < 40 and figure.method == f"bootstrap, {counted} resamples of records"


def test_a_release_may_come_in_any_form():
    carried = SimpleNamespace(data=ANEW)
    forms = {
        "frame": ANEW,
        "list": [ANEW],
        "SynDS": SynDS(ANEW),
        "data": carried,
        "list of data": [carried, carried],
        "runs": Runs((ANEW, carried)),
        "list of SynDS": [SynDS(ANEW), SynDS([ANEW, ANEW])],
        "runs of SynDS": Runs([SynDS(ANEW), SynDS(ANEW)]),
    }
    result = mapped(forms)
    # the mean of three equal figures may differ in its last bit
    assert len(result.table) == 8 and len(result.table.round(12).drop_duplicates()) == 1
    assert of(result, "list of SynDS", "repU").m == 3 and of(result, "runs of SynDS", "repU").m == 2


def test_measures_of_ones_own():
    def gap(release, original):
        return abs(release["age"].mean() - original["age"].mean())

    gap = own("age gap", gap, low=0)
    safe = own("safe", lambda release, original: 1.0, "higher")
    later = [ANEW.assign(age=ANEW["age"] + years) for years in (2, 4)]
    result = mapped({"a": PEOPLE, "b": later}, risk=safe, utility=gap, keys=None)
    assert result.table["age gap"].tolist() == [0, 3] and result.keys == ()
    assert "utility age gap: units; lower is more useful" in flat(result)
    assert "risk safe: units; lower is riskier" in flat(result)
    assert of(result, "b", "age gap").low == 0  # cut off where the measure ends
    none = mapped({"a": PEOPLE}, risk=own("none", lambda release, original: math.nan))
    assert math.isnan(none.table["none"].iloc[0]) and none.front() == []
    assert "No none for a: the measure gave no finite number." in flat(none)
    with pytest.raises(TypeError):
        mapped({"a": PEOPLE}, risk=own("odd", lambda release, original: release))


def test_reasons_for_missing_figures(whole):
    for name in ("cart", "sample"):
        figure = of(whole, name, "expected_match_rate")
        assert "row by row" in figure.reason and math.isnan(figure.value)
    assert "made by ifpr()" in of(whole, "swapped", "IR").reason
    assert of(whole, "ifpr alone", "IR").reason == ""


def test_risks_with_and_without_a_target():
    both = {"a": ANEW, "b": PEOPLE}
    alone = mapped(both).table
    for target in ("job", "age"):
        pd.testing.assert_frame_equal(alone, mapped(both, target=target, risk="repU").table)
    given = mapped(both, target="job")
    assert [measure.label for _, measure in given.measures] == ["DiSCO", "repU", "tvd"]
    named = mapped(both, target="job", risk=["DiSCO", "repU"])
    pd.testing.assert_frame_equal(given.table, named.table)
    every = mapped({"a": PEOPLE}, keys=list(PEOPLE))
    assert every.table["repU"].tolist() == [100]
    renamed = PEOPLE.rename(columns={"sex": "target"})
    found = mapped({"a": renamed}, renamed, keys=["target", "town"])
    assert found.table["repU"].tolist() == pytest.approx([100 / 3])


def test_options_reach_the_measures():
    noisy = {"a": PEOPLE.assign(age=PEOPLE["age"] + 1)}
    asked = {"keys": ["sex", "age"], "aligned": True, "risk": ["repU", "expected_match_rate"]}
    by_value = mapped(noisy, **asked)
    for measure in asked["risk"]:
        assert "no value in common" in of(by_value, "a", measure).reason
    options = {"disclosure_options": {"ngroups_keys": [0, 3]}}
    near = mapped(noisy, **asked, **options, matching_options={"intervals": {"age": 1}})
    assert near.table["repU"].iloc[0] > 0 and near.table["expected_match_rate"].iloc[0] == 100
    for options in ({"disclosure_options": {"compat": "r"}}, {"disclosure_options": {"radius": 1}}):
        with pytest.raises(TypeError):
            mapped({"a": PEOPLE}, **options)


def test_nothing_is_changed():
    people, anew = PEOPLE.copy(deep=True), ANEW.copy(deep=True)
    mapped({"a": anew}, people, utility=["tvd", "S_pMSE"], bootstrap=5, seed=1)
    pd.testing.assert_frame_equal(people, PEOPLE)
    pd.testing.assert_frame_equal(anew, ANEW)


def test_a_release_that_lacks_columns_is_not_perfect_on_the_rest():
    fewer = ANEW.drop(columns="age")
    releases = {"a": PEOPLE.drop(columns=["job", "age"]), "b": ANEW, "c": [ANEW, fewer]}
    result = mapped(releases, utility=["tvd", "S_pMSE"])
    lacks = "it lacks job, age, which other releases have (give variables that all have)"
    assert of(result, "a", "tvd").reason == of(result, "a", "S_pMSE").reason == lacks
    assert "lacks age" in of(result, "c", "tvd").reason
    assert result.variables == ("sex", "town", "job", "age") and result.left_out == ()
    # whoever else is on the map
    assert result.table.loc["b", "tvd"] == mapped({"b": ANEW}).table.loc["b", "tvd"]
    told = result.tidy().set_index("candidate")["lacks"].to_dict()
    assert told == {"a": "job, age", "b": "", "c": "age"} and "a" not in result.front()
    assert "No tvd for a: it lacks job, age" in flat(result)
    said = "without a figure: a (lacks job, age), c (lacks age)"
    assert any(said in text for text in texts(result.plot(round_to=1)))
    common = mapped(releases, variables=["sex", "town"])
    assert common.table.loc["a", "tvd"] == 0 and common.table["tvd"].notna().all()


def test_columns_that_only_one_side_has_are_told():
    more = {"a": ANEW.assign(zip=1, note=2), "b": PEOPLE}
    said = "a: not compared, because the original lacks it: zip, note."
    assert said in flat(mapped(more))
    assert "the original lacks it" not in flat(mapped(more, variables=["sex"]))
    result = mapped({"a": ANEW.drop(columns="job"), "b": PEOPLE.drop(columns="job")})
    assert result.variables == ("sex", "town", "age") and result.left_out == ("job",)
    assert result.table["tvd"].notna().all()
    assert "No release has job: utility says nothing about it." in flat(result)


def test_rows_are_shown_because_few_records_look_good_to_a_propensity_model(sd):
    runs = {"few": PEOPLE.head(2), "some": Runs([PEOPLE, PEOPLE.head(4)])}
    result = mapped(runs, aligned=False)
    rows = result.tidy().groupby("candidate")["rows"].first()
    assert rows.to_dict() == {"few": 2, "some": 4}
    assert [release.rows for release in result.releases] == [(2,), (6, 4)]
    assert " 4-6 " in str(result)
    s1 = datasets.load_synthesis("SD2011_s1").syn[0]
    both = {"all": s1, "fifty": s1.sample(50, random_state=1)}
    asked = {"utility": "S_pMSE", "variables": ["sex", "age", "marital", "ls"]}
    scores = ru_map(both, sd, keys=KEYS, **asked)
    assert scores.table.loc["fifty", "S_pMSE"] < 2 * scores.table.loc["all", "S_pMSE"]
    assert "small numbers of records" in scores.about("S_pMSE")[1].blind_to


# ---- alignment -----------------------------------------------------------------------


def test_who_looks_aligned():
    # the six are sorted by sex and age
    assert telling_columns(ANEW, PEOPLE) == ["job"]
    assert telling_columns(PEOPLE, PEOPLE) == ["town", "job"]
    shuffled = PEOPLE.sample(frac=1, random_state=1)
    plain = shuffled.reset_index(drop=True)
    for other in (shuffled, PEOPLE.head(5), plain):
        assert not telling_columns(other, PEOPLE)
    # a column of one value says nothing
    assert not telling_columns(plain.assign(land="PL"), PEOPLE.assign(land="PL"))


def test_a_file_made_area_by_area_is_not_the_same_people(sd):
    by = ["region", "sex"]
    ordered = sd.astype({"age": "int64"}).sort_values(by, kind="stable", ignore_index=True)
    ordered["id"] = range(5000)
    for columns in (by[0], by):
        parts = ordered.groupby(columns, observed=True, sort=True)
        drawn = [part.sample(len(part), replace=True, random_state=1) for _, part in parts]
        fake = pd.concat(drawn, ignore_index=True).assign(id=range(5000))
        assert fake[columns].equals(ordered[columns]) and not telling_columns(fake, ordered)
    masked = add_noise(ordered, "age", sd=1, seed=1, reproducible=True)
    both = {"area by area": fake, "masked": masked}
    result = ru_map(both, ordered, keys=KEYS, risk="expected_match_rate")
    assert result.table["expected_match_rate"].notna().tolist() == [False, True]
    assert (
        "masked: rows taken as those of the original, because sex, placesize, depress, income, ls"
        " and 2 more are the same in every row (see aligned)." in flat(result)
    )


def test_one_column_of_few_values_is_not_enough():
    generator = np.random.default_rng(1)
    letters = {
        name: generator.choice(list(of), 200) for name, of in {"sex": "fm", "town": "ABC"}.items()
    }
    frame = pd.DataFrame({**letters, "pay": generator.normal(size=200)})
    assert not telling_columns(frame.assign(pay=0.0, town="A"), frame)
    assert telling_columns(frame.assign(town="A", sex="f"), frame) == ["pay"]
    assert telling_columns(frame.assign(pay=0.0), frame) == ["sex", "town"]
    rising = frame.sort_values("pay", ignore_index=True)
    assert not telling_columns(rising.assign(town="A", sex="f"), rising)
    mixed = frame.assign(odd=[[1]] * 200)  # values that cannot be compared say nothing
    assert telling_columns(mixed.assign(pay=0.0), mixed) == ["sex", "town"]


def test_alignment_can_be_said():
    risk = {"risk": "expected_match_rate"}
    concluded = "a: rows taken as those of the original, because job is the same in every row (see"
    assert concluded in flat(mapped({"a": ANEW}, **risk))
    for quiet in ({"aligned": True, **risk}, {}):
        assert "rows taken" not in repr(mapped({"a": ANEW}, **quiet))
    noisy = add_noise(PEOPLE[["age"]], "age", sd=1, seed=1, reproducible=True)
    noisy["sex"] = PEOPLE["sex"].sample(frac=1, random_state=1).to_numpy()
    asked = {"keys": ["age", "sex"], **risk}
    assert math.isnan(mapped({"a": noisy}, **asked).table.iloc[0, 0])
    for said in (True, ["a"], "a"):
        assert mapped({"a": noisy}, aligned=said, **asked).table.iloc[0, 0] >= 0
    for said in (False, ["b"]):
        both = mapped({"a": ANEW, "b": PEOPLE}, aligned=said, **asked)
        assert math.isnan(both.table.iloc[0, 0])


# ---- intervals -----------------------------------------------------------------------


def test_intervals_from_data_sets(sd, releases, whole):
    cart = {"cart": releases["cart"]}
    found = disclosure(cart["cart"], sd, KEYS, "depress", compat="corrected", print_flag=False)
    values = found.attrib["DiSCO"].to_numpy()
    half = stats.t.ppf(0.975, 4) * values.std(ddof=1) / math.sqrt(5)
    figure = of(whole, "cart", "DiSCO")
    ends = values.mean() - half, values.mean() + half
    assert (figure.low, figure.high) == pytest.approx(ends)
    assert figure.method == "t interval of the mean over 5 data sets released together"
    wide = ru_map(cart, sd, keys=KEYS, target="depress", risk="DiSCO", level=0.99).figures[0]
    times = stats.t.ppf(0.995, 4) / stats.t.ppf(0.975, 4)
    assert (wide.high - wide.low) / (figure.high - figure.low) == pytest.approx(times)


def test_intervals_by_leaving_out(sd, releases, whole):
    sets = releases["cart"].syn
    without = [estimand_overlap(sets[:i] + sets[i + 1 :], sd, ESTIMANDS).mean for i in range(5)]
    half = stats.t.ppf(0.975, 4) * math.sqrt(4 * np.var(without))
    figure = of(whole, "cart", "ci_overlap")
    assert figure.method == "jackknife over 5 data sets released together"
    assert figure.low == pytest.approx(max(figure.value - half, 0))
    assert figure.high == pytest.approx(min(figure.value + half, 1))


def test_runs_have_the_interval_of_one_more_run(sd, releases, whole):
    asked = {"keys": KEYS, "target": "depress", "risk": "DiSCO"}
    runs = releases["swapped"].releases
    values = [ru_map({"a": frame}, sd, **asked).table["DiSCO"].iloc[0] for frame in runs]
    half = stats.t.ppf(0.975, 2) * np.std(values, ddof=1) * math.sqrt(1 + 1 / 3)
    for measure in ("DiSCO", "ci_overlap"):
        assert of(whole, "swapped", measure).method == "prediction of one more run, from 3 runs"
    assert of(whole, "swapped", "DiSCO").high == pytest.approx(np.mean(values) + half)


def test_one_data_set_has_no_interval_unless_resampled(whole):
    figure = of(whole, "one", "DiSCO")
    assert math.isnan(figure.low) and figure.method == "none: one data set, no bootstrap"
    assert "No interval: only one data set" in flat(whole)


def test_bootstrap(sd, releases):
    asked = {
        "keys": KEYS,
        "target": "depress",
        "risk": ["DiSCO", "repU", "DiSCO_any", "expected_match_rate"],
        "utility": ["tvd", "S_pMSE", "ci_overlap"],
        "estimands": Means("age"),
        "variables": ["sex", "region", "depress"],
        "bootstrap": 60,
    }
    first, again, other = (ru_map({"one": releases["one"]}, sd, seed=i, **asked) for i in (1, 1, 2))
    pd.testing.assert_frame_equal(first.tidy(), again.tidy())
    assert not first.tidy().equals(other.tidy()) and first.table.equals(other.table)
    assert of(first, "one", "tvd").method == "bootstrap, 60 resamples of records"
    for label in ("expected_match_rate", "tvd"):
        figure = of(first, "one", label)
        assert 0 < figure.low < figure.value < figure.high < 100
    for label in ("DiSCO", "repU", "DiSCO_any"):
        figure = of(first, "one", label)
        found = stats.binomtest(int(figure.numerator), int(figure.denominator))
        exact = found.proportion_ci(0.95, method="exact")
        assert (figure.low, figure.high) == pytest.approx((100 * exact.low, 100 * exact.high))
        assert figure.method.startswith("Clopper-Pearson")


def test_nobody_found_is_not_nobody_ever():
    people = pd.DataFrame({"k": np.repeat(np.arange(20), 2), "x": np.arange(40.0)})
    asked = {"keys": "k", "bootstrap": 50, "seed": 1}
    nobody = mapped({"a": people.assign(x=0.0)}, people, **asked).figures[0]
    assert (nobody.value, nobody.low) == (0, 0)
    assert nobody.high == pytest.approx(100 * (1 - 0.025 ** (1 / 40)))
    alone = people.assign(k=range(40))
    everybody = mapped({"a": alone}, alone, **asked).figures[0]
    assert (everybody.value, everybody.high) == (100, 100)
    assert everybody.low == pytest.approx(100 * 0.025 ** (1 / 40))


@pytest.mark.parametrize("n", [5, 40])
def test_shares_are_covered_whatever_they_are(n):
    """Coverage of Clopper and Pearson's interval, exactly: the probability of all counts whose
    interval holds the truth.
    """
    ends = np.array([from_share(x, n, 0.95)[:2] for x in range(n + 1)]) / 100
    for p in np.linspace(0.001, 0.999, 97):
        inside = (ends[:, 0] <= p) & (p <= ends[:, 1])
        assert stats.binom.pmf(np.arange(n + 1), n, p)[inside].sum() >= 0.95


def test_the_run_that_will_be_released_is_covered_and_the_mean_of_a_list():
    """4,000 times five runs of a skewed figure and one more: at 95 % 3,730 to 3,870 are correct for
    normal figures; skewness costs a little.
    """
    generator = np.random.default_rng(3)
    drawn, more = generator.gamma(20, size=(4000, 5)), generator.gamma(20, size=4000)

    def covered(truth, together):
        ends = np.array([from_sets(five, 0.95, together=together)[:2] for five in drawn])
        return np.mean((ends[:, 0] <= truth) & (truth <= ends[:, 1]))

    assert 0.93 < covered(more, together=False) < 0.97
    assert 0.93 < covered(20, together=True) < 0.97
    # which is why a run is not judged by the interval of a mean
    assert covered(more, together=True) < 0.8


def test_the_utility_of_one_synthesis_is_not_resampled(sd):
    s1 = datasets.load_synthesis("SD2011_s1").syn[0]
    labels = ["tvd", "S_pMSE", "ci_overlap"]
    asked = {"utility": labels, "estimands": Means("age"), "variables": ["sex", "age"]}
    result = ru_map({"s1": s1}, sd, keys=KEYS, bootstrap=5, seed=1, **asked)
    for label in labels:
        figure = of(result, "s1", label)
        assert math.isnan(figure.low) and "give several syntheses" in figure.method
    assert of(result, "s1", "repU").low > 0
    assert "No interval: one data set whose rows are not the original's" in flat(result)


def test_resampled_utility_of_a_mask_covers():
    """Strong noise on one number, other people each time: the interval holds the mean over surveys,
    and is no more than twice as wide as it need be.
    """

    def figure(seed, bootstrap):
        generator = np.random.default_rng(seed)
        people = pd.DataFrame({name: generator.normal(size=300) for name in "xy"})
        masked = add_noise(people, "x", sd=2.0, seed=10_000 + seed, reproducible=True)
        asked = {"keys": "x", "risk": NOTHING, "bootstrap": bootstrap, "seed": seed}
        return mapped({"a": masked}, people, **asked).figures[1]

    values = np.array([figure(seed, 0).value for seed in range(200)])
    found = [figure(seed, 25) for seed in range(200, 260)]
    half = np.mean([f.high - f.low for f in found]) / 2
    assert np.mean([f.low <= values.mean() <= f.high for f in found]) >= 0.85
    assert values.std() < half / 1.96 < 2 * values.std()


def test_rows_of_a_masked_release_are_resampled_with_the_originals(sd):
    asked = {"keys": KEYS, "variables": ["sex", "age"], "bootstrap": 10, "seed": 1}
    paired = ru_map({"copy": sd}, sd, **asked).figures[1]
    assert (paired.low, paired.high) == (0, 0)
    gap = own("gap", lambda release, original: release["age"].mean() - original["age"].mean())
    asked = {"risk": gap, "bootstrap": 20, "seed": 1}
    paired = mapped({"a": ANEW}, **asked).figures[0]
    apart = mapped({"a": ANEW}, aligned=False, **asked).figures[0]
    assert (paired.low, paired.high) == (0, 0) and apart.low < 0 < apart.high


def test_the_spread_of_resamples_is_that_of_new_samples():
    """A mean whose spread is known: 2 of 100 records, exponential."""
    generator = np.random.default_rng(1)
    frame = pd.DataFrame({"x": generator.exponential(1, 400), "k": range(400)})
    mean = own("mean", lambda release, original: release["x"].mean())
    asked = {"risk": mean, "bootstrap": 300, "seed": 2, "variables": "k", "keys": None}
    figure = mapped({"a": frame}, frame, **asked).figures[0]
    assert (figure.high - figure.low) / 2 == pytest.approx(1.96 * frame["x"].std() / 20, rel=0.15)


# ---- front ---------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(20))
def test_the_front_against_a_plain_judge(seed):
    generator = np.random.default_rng(seed)
    points = generator.integers(0, 4, (8, generator.integers(1, 4))).astype(float)
    if seed % 3 == 0:
        points[0, 0] = np.nan
    judged = []
    for p in points:
        known = [q for q in points if not np.isnan(q).any()]
        beaten = any(all(q >= p) and any(q > p) for q in known)
        judged.append(not beaten and not np.isnan(p).any())

    def measure(column: int) -> Measure:
        def value(release: pd.DataFrame, original: pd.DataFrame) -> float:
            return float(release.iloc[0, column])

        return own(f"m{column}", value, "higher")

    frames = {f"release {i}": pd.DataFrame([point]) for i, point in enumerate(points)}
    first, *others = map(measure, range(points.shape[1]))
    original = pd.DataFrame([points[1]])
    found = ru_map(frames, original, risk=first, utility=[*others, NOTHING])
    kept = found.front(*(one.label for one in (first, *others)))
    assert [name in kept for name in frames] == judged


def map_of(
    values: dict[str, tuple[float, float]],
    better: tuple[str, str] = ("lower", "higher"),
    spread: float = 0.0,
) -> RUMap:
    """Releases whose risk and utility are given; with a spread, from two runs."""
    shifts = (-spread, spread) if spread else (0.0,)
    releases = {}
    for name, (r, u) in values.items():
        releases[name] = [pd.DataFrame({"r": [r + s], "u": [u + s]}) for s in shifts]
    risk = Measure("r", lambda d, o: float(d["r"].iloc[0]), unit="points", better=better[0])
    utility = Measure("u", lambda d, o: float(d["u"].iloc[0]), unit="points", better=better[1])
    return ru_map(releases, pd.DataFrame({"r": [0.0], "u": [0.0]}), risk=risk, utility=utility)


THREE = {"low": (1, 1), "high": (2, 2), "worse": (2, 1)}


@pytest.mark.parametrize(
    "values, better, front",
    [
        (THREE, ("lower", "higher"), ["low", "high"]),
        (THREE, ("higher", "higher"), ["high"]),
        (THREE, ("lower", "lower"), ["low"]),
        (THREE, ("higher", "lower"), ["worse"]),
        ({"a": (1, 1), "b": (1, 1)}, ("lower", "higher"), ["a", "b"]),
        # a rounding error dominates nobody
        ({"a": (1, 1), "b": (1, 1 + 1e-15)}, ("lower", "higher"), ["a", "b"]),
        ({"a": (0.1 + 0.2, 1), "b": (0.3, 1)}, ("lower", "higher"), ["a", "b"]),
        ({"a": (1, 1), "b": (1, 1 + 1e-6)}, ("lower", "higher"), ["b"]),
    ],
)
def test_the_front_follows_the_directions(values, better, front):
    assert map_of(values, better).front() == front


def test_who_dominates_whom():
    pairs = map_of(THREE).dominated()
    assert pairs[["candidate", "by"]].to_numpy().tolist() == [["worse", "low"], ["worse", "high"]]
    assert not pairs["clear"].any()
    assert map_of({"a": (1, 5), "b": (9, 1)}, spread=0.01).dominated()["clear"].tolist() == [True]
    near = map_of({"a": (1, 5), "b": (1.1, 4.9)}, spread=0.2)
    assert near.dominated()["clear"].tolist() == [False]


def test_the_front_of_other_measures(whole):
    assert "sample" in whole.front("repU", "tvd") and whole.front("IR", "tvd") == ["ifpr alone"]
    assert set(whole.front()) <= set(whole.front("DiSCO", "repU", "tvd"))
    assert whole.front() == whole.front("DiSCO", "tvd")
    with pytest.raises(InputError, match="measure: 'x' is unknown"):
        whole.front("x")


def test_what_is_said_about_the_front():
    dominated = "Dominated, that is, no safer and no more useful than one of these: worse"
    assert f"Not dominated in r and u: low, high. {dominated} (.dominated())." in flat(
        map_of(THREE)
    )
    unknown = map_of({"a": (1, 1), "b": (math.nan, 2)})
    said = "Not dominated in r and u: a. Not compared, because a figure is missing: b."
    assert said in flat(unknown)
    empty = repr(map_of({"b": (math.nan, 2)}))
    assert "No release has both r and u, so nothing can be compared." in empty
    assert "ominated" not in empty


# ---- views ---------------------------------------------------------------------------


def test_tidy(whole):
    tidy = whole.tidy()
    assert " ".join(tidy) == (
        "candidate role measure value low high level interval m rows numerator denominator unit"
        " better direction front lacks reason remarks"
    )
    assert (tidy["rows"] == 5000).all() and len(tidy) == 6 * 9 and tidy["unit"].str.len().min() > 0
    shares = tidy[tidy["numerator"].notna()]
    assert set(shares["measure"]) == {"DiSCO", "repU", "expected_match_rate"}
    values = 100 * shares["numerator"] / shares["denominator"]
    assert values.tolist() == pytest.approx(shares["value"].tolist())
    assert set(tidy["direction"][tidy["measure"] == "tvd"]) == {"lower is more useful"}
    assert set(tidy["direction"][tidy["role"] == "risk"]) == {"higher is riskier"}


SHOWN = """\
Risk-utility map of 3 releases; 6 original records; keys sex, town

risk repU: % of original records that are unique in the original and in the release (replicated
uniques); higher is riskier
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


def test_shown():
    releases = {"as it is": PEOPLE, "anew": ANEW, "both": Runs([PEOPLE, ANEW])}
    result = mapped(releases, risk=["repU", "IR"])
    # anew: 1/3 of the records moves in each of the tables of town with sex, job and age, 1/10 of
    # all ten tables' distances; both: 1/20 ± 12.706 * sqrt(2) * sqrt(3/2) / 20, cut off at 0 and 1
    assert repr(result) == SHOWN
    html = result._repr_html_()
    for said in ("16.7 (0.0 to 100.0)", "is riskier", '<th scope="row">as it is', "Not dominated"):
        assert said in html
    evil = mapped({"<b>": PEOPLE})._repr_html_()
    assert "&lt;b&gt;" in evil and "<b>" not in evil


def test_figures_as_text():
    def text(value, low=math.nan, high=math.nan):
        figure = MapFigure("c", "m", "risk", value, low, high, "", 1, math.nan, math.nan, "")
        return figure_text(figure)

    values = (0.0, 12.345, 0.012345, 1234.5, math.nan)
    assert list(map(text, values)) == ["0.000", "12.3", "0.0123", f"{1234.5:.0f}", "-"]
    # whatever the last bits are
    assert text(1 - 1e-12) == text(1.0) == "1.00"
    assert text(1e-14) == text(-1e-9).lstrip("-") == "0.000"
    assert text(0.5, 0.25, 0.75) == "0.500 (0.250 to 0.750)"


# ---- pictures ------------------------------------------------------------------------


def texts(ax):
    """All words of a picture, and names of releases also without the figures below them."""
    shown = [t.get_text() for t in ax.texts]
    return [*shown, *(text.split("\n")[0] for text in shown if "\u00a0|" in text)]


def drawn(values: dict[str, tuple[float, float]], *args: Any, **options: Any) -> Any:
    ax = map_of(values, *args, **options).plot(round_to=1)
    ax.figure.draw_without_rendering()
    return ax


def marks(ax):
    return [line for line in ax.lines if line.get_linestyle() == "None"]


def overlapping(boxes) -> bool:
    return any(a.overlaps(b) for i, a in enumerate(boxes) for b in boxes[:i])


def test_the_picture_has_every_release_by_name(whole):
    ax = whole.plot(round_to=1)
    assert set(whole.candidates) <= set(texts(ax))
    assert "DiSCO" in ax.get_ylabel() and "riskier\u00a0→" in ax.get_ylabel()
    assert "(axis reversed); more useful\u00a0→" in ax.get_xlabel().replace("\n", " ")
    assert ax.xaxis_inverted() and not ax.yaxis_inverted()
    points = {tuple(map(float, p)) for line in marks(ax) for p in zip(*line.get_data())}
    assert points == {(row["tvd"], row["DiSCO"]) for _, row in whole.table.iterrows()}
    named = whole.plot(risk="IR")
    assert any("without a figure: cart, sample, swapped, ifpr, one" in t for t in texts(named))
    assert "cart" not in texts(named)


def test_the_picture_turns_with_the_directions():
    ax = drawn({"a": (1, 1), "b": (2, 2)}, ("higher", "higher"))
    assert ax.yaxis_inverted() and not ax.xaxis_inverted()
    assert "(axis reversed); riskier\u00a0→" in ax.get_ylabel().replace("\n", " ")


def test_the_front_is_a_staircase_around_what_is_dominated():
    ax = drawn({"a": (1, 1), "b": (3, 4), "c": (2, 2), "bad": (4, 1.5)})
    stairs = next(line for line in ax.lines if len(line.get_xdata()) == 5)
    assert list(zip(*stairs.get_data())) == [(1, 1), (1, 2), (2, 2), (2, 3), (4, 3)]


def test_marks_differ_without_colour_and_lie_below_the_bars():
    ax = drawn({"a": (1, 5), "bad": (9, 1)}, spread=0.01)
    looks = [(line.get_marker(), str(line.get_markerfacecolor())) for line in marks(ax)]
    assert len({mark for mark, _ in looks}) == len({face for _, face in looks}) == 2
    assert [text.get_text() for text in ax.get_legend().get_texts()] == [
        "on the front: no other release is as safe and as useful, and better in one",
        "another release is as good in both, and better in one",
    ]
    bars = [line for line in ax.lines if line.get_linestyle() == "-" and len(line.get_xdata()) == 2]
    lowest = min(bar.get_zorder() for bar in bars)
    assert len(bars) == 4 and lowest > max(mark.get_zorder() for mark in marks(ax))


def test_names_do_not_lie_on_one_another(whole):
    ax = whole.plot("repU", "ci_overlap", round_to=1)
    ax.figure.draw_without_rendering()
    names = (*whole.candidates, "swapped = one")
    boxes = [t.get_window_extent() for t in ax.texts if t.get_text().split("\n")[0] in names]
    assert len(boxes) == 5 and not overlapping(boxes)  # two are in the same place
    crowd = {f"release {c}": (1 + 0.01 * i, 1 + 0.01 * i) for i, c in enumerate("abcd")}
    crowd |= {"far": (3, 3), "near": (0, 0)}
    ax = drawn(crowd)
    # of the words alone: an annotation's own box has the line to its point too
    extent = matplotlib.text.Text.get_window_extent
    boxes = [extent(t) for t in ax.texts if t.get_text().split("\n")[0] in crowd]
    assert len(boxes) == 6 and not overlapping(boxes)
    assert "a = b" in texts(drawn({"a": (1, 1), "b": (1, 1), "c": (2, 3)}))


def test_many_releases_are_numbered_with_a_key():
    many = {f"release number {i}": (i % 5 + 0.01 * i, i / 3) for i in range(15)}
    ax = drawn(many)
    words = set(texts(ax))
    assert {str(i) for i in range(1, 16)} <= words and not set(many) & words
    key = next(t for t in ax.texts if "release number 3" in t.get_text())
    lines = [line.strip().split("  ") for line in key.get_text().split("\n")]
    places = {name: number for number, name, *_ in lines}
    assert set(places) == set(many)
    numbers = {t.get_text(): t.xy for t in ax.texts if t.get_text() in places.values()}
    # the number of a name is at its point
    assert all(numbers[places[name]] == (many[name][1], many[name][0]) for name in many)
    box = key.get_window_extent()
    assert box.x0 > ax.get_window_extent().x1 and box.x1 <= ax.figure.bbox.x1 + 1


def test_long_names_go_into_the_key():
    name = "a release with a very long name that goes on for more than eighty characters, really"
    ax = drawn({name: (1, 1), "c": (2, 3)})
    assert {"1", "2"} <= set(texts(ax))
    assert all(t.get_window_extent().x1 <= ax.figure.bbox.x1 + 1 for t in ax.texts)
    assert name in " ".join(next(t for t in texts(ax) if "a release with" in t).split())


def test_axes_end_where_the_measures_end():
    ax = mapped({"a": PEOPLE, "b": ANEW}).plot(round_to=1)
    assert min(ax.get_xlim()) == min(ax.get_ylim()) == 0 and ax.get_xlim()[0] > ax.get_xlim()[1]
    whole_range = mapped({"a": PEOPLE}, keys=list(PEOPLE)).plot(round_to=1)
    assert max(whole_range.get_ylim()) == 100
    # a measure without an end
    assert min(drawn({"a": (-5, -1), "b": (1, 2)}).get_ylim()) < -5


def test_a_map_without_any_figure_says_why():
    shuffled = PEOPLE.sample(frac=1, random_state=1).reset_index(drop=True)
    ax = mapped({"shuffled": shuffled}, risk="expected_match_rate").plot(round_to=1)
    said = " ".join(" ".join(texts(ax)).split())
    assert "No release has both expected_match_rate and tvd." in said
    unknown = "its rows are not known to be those of the original"
    assert f"No expected_match_rate for shuffled: {unknown}" in said and len(ax.get_xticks()) == 0


def test_pictures_into_given_axes_and_of_other_measures(whole):
    from matplotlib.figure import Figure as Canvas

    ax = Canvas().add_subplot()
    assert whole.plot("repU", "ci_overlap", ax=ax) is ax
    assert "ci_overlap" in ax.get_xlabel() and not ax.xaxis_inverted()
    with pytest.raises(InputError, match="risk: 'tvd' is unknown; choices: 'DiSCO', 'repU'"):
        whole.plot(risk="tvd")


def test_dollar_signs_are_no_formulae():
    odd = PEOPLE.rename(columns={"sex": "$a", "town": "b$"})
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ax = mapped({"$x$": odd}, odd, keys=["$a", "b$"]).plot(round_to=1)
        ax.figure.draw_without_rendering()
    assert "$x$" in texts(ax)


def test_a_map_for_others_is_computed_from_rounded_counts(whole):
    """Also what dominates what: a decision by exact figures would say more."""
    page, ax = whole.to_markdown(), whole.plot()
    heights = {float(y) for line in ax.lines for y in line.get_ydata()}
    assert "Counts of people are rounded to 10" in " ".join(texts(ax))
    exact = whole.tidy()
    shares = exact[exact["measure"] == "DiSCO"]
    for numerator, denominator in zip(shares["numerator"], shares["denominator"]):
        people, everybody = shown(numerator, int(denominator)), shown(denominator, int(denominator))
        assert percent(people, everybody) in page and 100 * people / everybody in heights
    assert " to " not in page.split("| sample |")[1].split("|")[2]  # no interval of a share
    few = mapped({"a": PEOPLE, "b": ANEW})
    assert "fewer than 20 people" in few.to_html() and "fewer than 20" in " ".join(
        texts(few.plot())
    )
    assert "fewer than 20 people" not in few.to_html(round_to=1)


def test_a_curve_drawn():
    curve = ru_curve("swapping", np.linspace(0, 1, 21), n1=3, n2=2, variance=1.0, delta=1.0)
    ax = curve.plot(ceiling=1)
    # the infinite risk of rate 0 is not drawn
    assert ax.lines[0].get_xdata()[0] == pytest.approx(curve.table["utility"].iloc[1])
    assert any("1 value with infinite risk" in t for t in texts(ax)) and "1" in texts(ax)
    assert [t.get_text() for t in ax.get_legend().get_texts()] == ["ceiling 1", "too risky"]
    assert curve.plot(ax=ax) is ax


# ---- bad input -----------------------------------------------------------------------

ROW = pd.DataFrame({"sex": ["f"], "town": ["A"], "job": ["x"]})
TWICE = ROW.set_axis(["sex", "sex", "town"], axis=1)
MISTAKES = [
    ({"original": [1]}, "original: list cannot be the original data, which are one DataFrame"),
    ({"original": ROW.head(0)}, "original: has no rows, so there is nobody to protect"),
    ({"synthetic": {}}, "synthetic: dict cannot be used; give a dictionary of names and releases"),
    ({"synthetic": pd.DataFrame()}, "synthetic: DataFrame cannot be used"),
    ({"synthetic": {1: ROW}}, "synthetic: 1 is not a name"),
    ({"synthetic": {" ": ROW}}, "synthetic: ' ' is not a name"),
    ({"synthetic": {"a": "x"}}, "candidate 'a': 'x' cannot be read: its ending is unknown"),
    ({"synthetic": {"a": 7}}, "candidate 'a': int is not a DataFrame of pandas, polars or Arrow"),
    ({"synthetic": {"a": []}}, "synthetic: 'a' is empty"),
    ({"synthetic": {"a": Runs(())}}, "synthetic: 'a' is empty"),
    ({"synthetic": {"a": Runs([SynDS([ROW] * 2)])}}, "'a' holds runs of 2 data sets each"),
    ({"synthetic": {"a": ROW.head(0)}}, "synthetic: 'a' has no rows"),
    ({"synthetic": {"a": ROW.rename(columns=str.title)}}, "'sex' is not a column of candidate 'a'"),
    ({"synthetic": {"a": TWICE}}, "candidate 'a': the column names sex occur more than once"),
    ({"synthetic": {"a": ROW}, "aligned": True}, "aligned: records of 'a' are not those of the"),
    ({"aligned": "b"}, "aligned: 'b' is not one of the candidates; choices: a; True for all"),
    ({"keys": ["sexe"]}, "keys: 'sexe' is not a column of the original data; did you mean 'sex'?"),
    ({"keys": None}, "keys: is not given, but repU is about what an intruder knows"),
    ({"keys": [], "risk": "IR"}, "keys: is not given, but IR is about what an intruder knows"),
    ({"target": "sex"}, "target: 'sex' is also one of the keys"),
    ({"target": "jobs"}, "target: 'jobs' is not a column of the original data; did you mean 'job"),
    ({"risk": "DiSCO"}, "target: is not given, but DiSCO is about a target"),
    ({"risk": "DiSCO_any"}, "target: is not given, but DiSCO_any is about a target"),
    (
        {"risk": "disco"},
        "risk: 'disco' is unknown; choices: 'repU', 'DiSCO', 'repU_any', 'DiSCO_an",
    ),
    ({"utility": "repU"}, "utility: 'repU' is unknown; choices: 'tvd', 'tvd1', 'tvd2'"),
    ({"utility": []}, "utility: [] is unknown"),
    (
        {"utility": len},
        "or a Measure of your own, which says its unit and which numbers are better",
    ),
    ({"risk": ["repU", "repU"]}, "risk, utility: 'repU' is given more than once"),
    ({"utility": "ci_overlap"}, "estimands: None cannot be used; give functions"),
    ({"utility": "ci_overlap", "estimands": "age"}, "estimands: 'age' cannot be used"),
    ({"variables": "wage"}, "variables: 'wage' is not a column of the original data"),
    ({"variables": "sex", "utility": "tvd2"}, "orders: two-way tables need at least two variables"),
    ({"classes": 0}, "classes: 0"),
    ({"cont_na": 3}, "cont_na: 3 is not a mapping"),
    ({"bootstrap": 1}, "bootstrap: 1 resample has no spread; give 0 for none, or several"),
    ({"bootstrap": -1}, "bootstrap: -1 is not a whole number of 0 or more"),
    ({"bootstrap": 2, "seed": "x"}, "seed: str cannot be used"),
    ({"level": 95}, "level: 95 is not a number above 0 and below 1"),
]


@pytest.mark.parametrize("change, says", MISTAKES)
def test_bad_input(change, says):
    arguments = {"original": PEOPLE, "synthetic": {"a": ANEW}, "keys": ["sex", "town"]} | change
    with pytest.raises(InputError) as error:
        ru_map(**arguments)
    assert says in str(error.value)


@pytest.mark.parametrize(
    "change, says",
    [
        ({"label": ""}, "label: '' is not a text"),
        ({"unit": None}, "unit: None is not a text, which every measure needs"),
        ({"better": "down"}, "better: 'down' is unknown; choices: 'lower', 'higher'"),
    ],
)
def test_bad_measures(change, says):
    with pytest.raises(InputError) as error:
        Measure(**{"label": "a", "function": len, "unit": "u", "better": "lower"} | change)
    assert says in str(error.value)


def test_data_grouped_otherwise_are_refused_by_name(sd):
    says = (
        r"candidate 'dp', data set 1: column 'age' is a category \(factor\), but an amount"
        r" \(double\) in the original data"
    )
    with pytest.raises(InputError, match=says):
        ru_map({"dp": datasets.load_synthesis("SD2011_dp_eps1")}, sd, keys=KEYS)


def test_texts_that_never_agree_have_no_risk_to_show():
    both = {"a": ANEW, "b": ANEW.assign(town=ANEW["town"].str.lower())}
    with pytest.warns(
        DataWarning, match="candidate 'b', column 'town': half of the records or more, 6 synthetic"
    ):
        result = mapped(both, target="job", risk=["repU", "DiSCO"])
    assert result.table["repU"].notna().tolist() == [True, False] and "a" in result.front()
    assert of(result, "b", "DiSCO").reason.startswith(
        "nothing, or hardly anything, can match (candidate 'b', column 'town': no value in common"
    )
