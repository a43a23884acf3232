"""How Reiter and Mitra's Table 1 may have been made: the plan of the experiment, its record, and
what the tutorial says of it.
"""

from __future__ import annotations

import json
from itertools import combinations
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from synthpop_py import datasets
from synthpop_py.estimation.design import design_matrix
from synthpop_py.matching import identification_risk
from tests.published import reiter_mitra_design as design
from tests.published import reiter_mitra_figures as paper
from tests.published import reiter_mitra_runs as runs
from tests.published import reiter_mitra_tables as tables
from tests.published.reiter_mitra_design import Point, Row

CHEAP = "+++--"  # 19 columns and a strong ridge: the fastest fit
# with the weak ridge some synthetic sets hardly determine a coefficient, and the fit says so
UNDETERMINED = "ignore:.*not determined:synthpop_py.errors.DataWarning"
KEYS = ["psu", "race", "ethnicty"]
PAGE = Path(__file__).resolve().parents[2] / "docs" / "pages" / "tutorials" / "youth-in-custody.md"


@pytest.fixture(scope="module")
def record():
    return design.read()


@pytest.fixture(scope="module")
def youths():
    return paper.recoded_youths()


# ---- the data ------------------------------------------------------------------------


def unique_youths(frame):
    return int((frame.groupby(KEYS, observed=True).size() == 1).sum())


def test_64_youths_are_unique_as_the_paper_says(youths):
    assert unique_youths(youths) == paper.UNIQUE_YOUTHS == 64
    assert youths.shape == (2562, 23) and not youths.isna().any(axis=None)
    assert identification_risk(youths, youths, **paper.KEYS).true == 64


def test_70_choices_of_four_facilities_have_59_youths():
    """64 is what 5 of them give with the recoding, and 13 without; ours is one of the 5."""
    found = paper.choices_of_facilities()
    assert len(found) == 70 and found.loc[[paper.REMOVED]].values.tolist() == [[64, 68]]
    recoded, levels = found["recoded"], found["levels"]
    assert (recoded.min(), recoded.max(), (recoded == 64).sum()) == (57, 65, 5)
    assert (levels.min(), levels.max(), (levels == 64).sum()) == (61, 69, 13)
    page = PAGE.read_text(encoding="utf-8")
    assert "Of the 70 choices of four facilities 5 give 64 with our rules" in page
    assert "runs from 57 to 65" in page and "13 give 64, and it runs from 61 to 69" in page


def test_one_choice_of_facilities_counted_from_the_youths():
    """Youth by youth, not facility by facility: another choice than ours."""
    found = paper.choices_of_facilities()
    four = next(four for four in found.index if four != paper.REMOVED)
    survey = datasets.load("syc")
    kept = survey.loc[~survey["psu"].isin(four), KEYS].astype(object).fillna("none")
    assert len(kept) == 2562
    assert (kept.value_counts() == 1).sum() == found.loc[[four], "levels"].item()


def test_three_of_the_four_facilities_have_no_size_and_the_fourth_has_the_missing_youths():
    survey = datasets.load("syc")
    of_facility = survey.groupby("psu")
    size, held = of_facility["psusize"].first(), of_facility.size()
    assert size.index[size == 999].tolist() == [7, 12, 25, 26] and size[46] == 99
    assert held[[12, 25, 26]].sum() == 27 and held[7] == 154
    assert held.index[held == 59 - 27].tolist() == [46]


def test_two_youths_have_no_race_and_eight_no_ethnicity(youths):
    """All that the recoding touches; one youth without race was in a facility that is left out."""
    raw = paper._selected()
    changed = raw["race"].isna() | raw["ethnicty"].isna()
    assert (youths["race"] == paper.NO_RACE).sum() == raw["race"].isna().sum() == 2
    assert (youths.loc[raw["ethnicty"].isna(), "ethnicty"] == "notHispanic").sum() == 8
    kept = raw.loc[~changed, KEYS].astype(str)
    pd.testing.assert_frame_equal(kept, youths.loc[~changed, KEYS].astype(str))


@pytest.mark.parametrize("race, unique", [("1", 62), ("2", 62), ("3", 64), ("4", 64), ("5", 62)])
def test_with_five_races_64_needs_a_rare_one(youths, race, unique):
    recoded = youths.assign(race=youths["race"].replace(paper.NO_RACE, race))
    assert unique_youths(recoded) == unique


def share_given(codes, name, others):
    """Youths whose value of a column is the most frequent one among those who agree with them on
    the others, as a share.
    """
    combined = np.zeros(len(codes[name]), dtype=np.int64)
    for other in others:
        combined = combined * (codes[other].max() + 1) + codes[other]
    _, cell = np.unique(combined, return_inverse=True)
    table = np.zeros((cell.max() + 1, codes[name].max() + 1), dtype=np.int64)
    np.add.at(table, (cell, codes[name]), 1)
    return table.max(axis=1).sum() / len(cell)


def test_repeated_predictors_are_those_that_others_give(youths):
    """At least 99 in 100 by one or two others; of the rest none comes to 95."""
    predictors = [name for name in youths.columns if name not in ("psu", "race")]
    assert len(predictors) == 21
    codes = {name: pd.factorize(youths[name])[0] for name in predictors}
    assert share_given(codes, "everviol", ["crimtype", "prviol"]) > 0.99
    assert share_given(codes, "evertime", ["corrinst"]) > 0.99
    for name in set(predictors) - set(design.REPEATED):
        others = [other for other in predictors if other != name]
        assert max(share_given(codes, name, pair) for pair in combinations(others, 2)) < 0.95


def condition_number(data, predictors):
    matrix = design_matrix(data, predictors)
    return np.linalg.cond(matrix / np.linalg.norm(matrix, axis=0))


def test_the_other_rule_drops_ages_and_schooling(youths):
    """The predictor goes without which the condition number is lowest, until it is below 30."""
    left = [name for name in youths.columns if name not in ("psu", "race")]
    dropped = []
    while condition_number(youths, left) > 30:
        numbers = {
            name: condition_number(youths, [other for other in left if other != name])
            for name in left
        }
        dropped.append(min(numbers, key=numbers.get))
        left.remove(dropped[-1])
    assert set(dropped) == set(design.AGES)


# ---- the design ----------------------------------------------------------------------


def test_the_design_is_balanced_and_its_columns_are_orthogonal():
    levels = np.array([list(run.values()) for run in design.fraction().values()])
    assert levels.shape == (8, 5) and len(np.unique(levels, axis=0)) == 8
    assert (levels.T @ levels == 8 * np.eye(5)).all() and (levels.sum(axis=0) == 0).all()


def test_the_generators_are_the_ones_named():
    for run in design.fraction().values():
        a, b, c, d, e = run.values()
        assert (d, e) == (-a * b, -a * c)


def test_todays_configuration_is_one_of_the_eight():
    today = runs.configured(design.TODAY)
    plain = paper.models(today.youths)
    assert [fitted.model for fitted in today.posterior.models] == plain
    assert today.parameters == "posterior"
    pd.testing.assert_frame_equal(today.youths, paper.recoded_youths())


def test_each_factor_changes_what_it_names():
    names = ["predictors", "codes", "ridge", "synthesis", "counts"]
    assert list(design.FACTORS) == names
    configuration = runs.configured(CHEAP)  # fewer predictors, numbers, strong ridge
    facility, race = (fitted.model for fitted in configuration.posterior.models)
    assert facility.ridge == race.ridge == 1 and len(facility.predictors) == 19
    assert not set(design.REPEATED) & set(race.predictors)
    assert configuration.youths["livewith"].max() == 9 and configuration.parameters == "posterior"
    assert len(configuration.posterior.estimates[0].mean) == 45 * 20
    logs = runs._read(paper.recoded_youths(), {"codes": -1, "counts": 1})
    before = paper.recoded_youths()
    changed = [name for name in before if not before[name].equals(logs[name])]
    assert changed == list(design.COUNTS)
    assert logs["numarr"].max() == pytest.approx(np.log(1 + before["numarr"].max()))


def test_what_is_beside_the_design_differs_from_its_nearest_in_one_choice(record):
    assert next(iter(design.screened(record))) == design.NEAREST_OF_EIGHT
    nearest = design.choices(design.NEAREST_OF_EIGHT)
    made = [design.choices(name) for name in design.BESIDE]
    assert [choices.ridge for choices in made] == [0.01, 0.001, nearest.ridge]
    assert [choices.dropped for choices in made] == [(), (), design.AGES]
    assert all(choices.levels == nearest.levels for choices in made)
    today = design.choices(design.TODAY)
    assert design.choices(design.NO_RIDGE) == today._replace(ridge=0) and design.tried() == 12


def test_stage_two_has_seeds_of_its_own():
    assert not set(design.SCREENING_SEEDS) & set(design.FINAL_SEEDS)


# ---- the distance --------------------------------------------------------------------


def test_the_distance_by_hand():
    """Roots 2 apart in one of three figures: the mean square of 4, 0, 0 is 4/3."""
    goal = design.printed()
    row = Row("nothing", "mode", 3)
    assert goal[row] == (167, 11.6, 1) and design.distance(goal) == 0
    assert design.distance({row: (167, 11.6, 4)}) == pytest.approx(np.sqrt(4 / 3))


def test_printed_has_the_14_rows():
    assert len(design.printed()) == 14
    assert len(design.rows_with(design.SCREENING_SETS)) == 10


def test_todays_configuration_is_not_counted_among_the_two_nearest():
    """A record in which configurations differ in one figure only: today's agrees with print, the
    others lie the further away the later they come.
    """
    goal = design.printed()
    made = {}
    for point in design.screening():
        perceived, expected, true = goal[point.row]
        away = list(design.fraction()).index(point.configuration)
        made[point] = (perceived + away, expected, true)
    first, second, third = list(design.fraction())[:3]
    assert list(design.screened(made))[:3] == [first, second, third] and first == design.TODAY
    assert design.final_configurations(made) == [second, third, first]


# ---- the record ----------------------------------------------------------------------


def test_the_record_is_complete(record):
    wanted = [*design.screening(), *design.final(record), *design.beside()]
    followed = 14 * len(design.FOLLOWED_SEEDS)
    assert len(wanted) == 8 * 5 * 10 + 3 * 20 * 14 + 3 * 5 * 10 + 2 + followed
    assert set(record) == set(wanted)
    lines = design.RECORD.read_text(encoding="utf-8").splitlines()
    assert len(lines) == len(record)  # no point twice


def test_figures_of_the_record_are_possible(record):
    for perceived, expected, true in record.values():
        assert 0 <= perceived <= 2562 and 0 <= true <= expected + 1e-9 <= 2562


def remade(points, record):
    for point in points:
        assert runs.figures(point) == pytest.approx(record[point], abs=1e-9), point


def test_a_cheap_run_made_again_is_the_recorded_one(record):
    points = [p for p in design.screening() if p[:2] == (CHEAP, 1) and p.row.m == 2]
    remade([p for p in points if p.row.attack != "simulated"], record)


@pytest.mark.needs("a long run")
@pytest.mark.filterwarnings(UNDETERMINED)
@pytest.mark.parametrize("configuration", design.fraction())
def test_a_run_of_stage_one_made_again_is_the_recorded_one(record, configuration):
    remade([p for p in design.screening() if p[:2] == (configuration, 5)], record)


@pytest.mark.needs("a long run")
@pytest.mark.filterwarnings(UNDETERMINED)
def test_a_run_of_stage_two_made_again_is_the_recorded_one(record):
    remade([p for p in design.final(record) if p.seed == design.FINAL_SEEDS[-1]], record)


@pytest.mark.parametrize("how", ["fixed", "simulated"])
def test_fits_that_are_remembered_change_nothing(monkeypatch, how):
    monkeypatch.setattr(runs, "DRAWS", 5)  # enough to tell: the same draws from the same fits
    configuration = runs.configured(CHEAP)
    plain = identification_risk(
        runs._sets(CHEAP, 1, 2),
        configuration.youths,
        attack="model",
        models=[fitted.model for fitted in configuration.posterior.models],
        parameters=how,
        draws=runs.DRAWS,
        seed=1,
        **paper.KEYS,
    )
    found = runs.figures(Point(CHEAP, 1, Row("models", how, 2)))
    assert found == (plain.perceived, plain.expected, plain.true)


# ---- going on ------------------------------------------------------------------------


@pytest.fixture
def counted(monkeypatch):
    """Figures that cost nothing, and the points they were asked for."""
    asked = []

    def figures(point):
        asked.append(point)
        return (1, 2.5, 1)

    monkeypatch.setattr(runs, "figures", figures)
    monkeypatch.setattr(runs, "_forget", lambda configuration: None)
    return asked


def test_only_what_is_missing_is_computed(counted, tmp_path):
    path = tmp_path / "record.jsonl"
    points = design.screening()[:5]
    runs.make(points[:2], path)
    runs.make(points, path)
    assert counted == points
    assert design.read(path) == dict.fromkeys(points, (1, 2.5, 1))


def test_a_line_that_was_cut_off_is_made_again(counted, tmp_path):
    path = tmp_path / "record.jsonl"
    points = design.screening()[:3]
    runs.make(points[:2], path)
    text = path.read_text(encoding="utf-8")
    path.write_text(text[:-9], encoding="utf-8")
    runs.make(points, path)
    assert counted == [points[0], points[1], points[1], points[2]]
    lines = path.read_text(encoding="utf-8").splitlines()
    assert len(lines) == 3 and all(map(json.loads, lines))


# ---- what the page says --------------------------------------------------------------


def test_the_page_names_the_configurations_that_the_record_gives(record):
    tried = len({point.configuration for point in record})
    planned = next(iter(design.ranked(record)))
    called = tables.names(record)
    page = PAGE.read_text(encoding="utf-8")
    assert f"Nearest to print of {tried} configurations tried and recorded: two" in page
    both = f"{called[planned]} ({design.described(planned)}) and {called[design.FOLLOWED]}."
    assert f"They are {both}" in page
    assert f"Of the eight, {called[planned]} stays nearest to print" in page


def test_neither_of_the_two_nearest_leads_everywhere(record):
    """The weaker ridge leads on ten rows, with both sets of seeds; not on all 14."""
    planned = next(iter(design.ranked(record)))
    over_all = design.compared(record)
    assert list(over_all) == [planned, design.FOLLOWED]
    first, held_out = design.compared_on_ten_rows(record)
    assert list(first) == list(held_out) == [design.FOLLOWED, planned]
    page = PAGE.read_text(encoding="utf-8")
    for found in (first, held_out):
        assert f"{found[design.FOLLOWED][0]:.2f} against {found[planned][0]:.2f}" in page
    for found in (over_all, held_out):
        (near, error), (far, other_error) = found.values()
        assert far - near < error + other_error
    (near, error), (far, other_error) = first.values()
    assert far - near > error + other_error


def test_eight_of_the_twelve_never_had_all_rows(record):
    rows = {name: set() for name in (*design.fraction(), *design.BESIDE, design.NO_RIDGE)}
    for point in record:
        rows[point.configuration].add(point.row)
    assert len(rows) == 12 and sum(len(found) < 14 for found in rows.values()) == 8
    assert "Of the others 8 never had all 14 rows" in PAGE.read_text(encoding="utf-8")


def test_the_readme_claims_what_the_record_shows(record):
    """All counts are of one configuration, the nearest."""
    nearest = next(iter(design.compared(record)))
    inside = {"nothing": [], "other": []}
    for row, band in design.bands(record, nearest).items():
        inside["nothing" if row.released == "nothing" else "other"].extend(band.inside)
    assert (sum(inside["nothing"]), len(inside["nothing"])) == (17, 18)
    assert (sum(inside["other"]), len(inside["other"])) == (12, 24) and design.tried() == 12
    readme = " ".join((PAGE.parents[3] / "README.md").read_text(encoding="utf-8").split())
    assert "nearest of 12 configurations tried and recorded has 29 of 42 figures" in readme
    assert "17 of the 18 where nothing is known of the models, 12 of the other 24" in readme
    today = design.bands(record, design.TODAY)
    assert all(band.inside.all() for row, band in today.items() if row.released == "nothing")
    assert all(
        not band.inside.all()
        for name in design.final_configurations(record)
        for row, band in design.bands(record, name).items()
        if row == Row("models", "simulated", 2)
    )


def test_print_is_farther_away_than_any_run_of_the_nearest(record):
    """So it is no run of it, and the page says so."""
    nearest, (away, _) = next(iter(design.ranked(record).items()))
    assert max(design.own_distances(record, nearest)) < away


@pytest.mark.parametrize("measure", paper.MEASURES)
def test_the_page_shows_all_rows_of_each_measure(record, measure):
    shown = tables.by_measure(record, measure)
    page = PAGE.read_text(encoding="utf-8")
    assert len(shown) == 14
    for row in shown.itertuples(index=False):
        assert "| " + " | ".join(map(str, row)) + " |" in page


def test_bands_by_hand():
    """Runs of 1 and 3 have the mean 2; print inside, at the edge after rounding, outside."""
    runs_made = np.array([[1.0, 1.04, 1.0], [3.0, 3.0, 3.0]])
    band = design._band(runs_made, np.array([2, 1.0, 4]))
    assert band.mean[0] == 2 and (band.low[0], band.high[0]) == (1, 3)
    assert band.inside.tolist() == [True, True, False]


def test_an_effect_by_hand():
    """One youth more wherever codes are numbers: an effect of 1 of that choice, 0 of the others."""
    made = {
        point: (0, 20 + (design.fraction()[point.configuration]["codes"] > 0), 0)
        for point in design.screening()
    }
    expected = {factor: float(factor == "codes") for factor in design.FACTORS}
    assert design.effects(made, "models") == pytest.approx(expected)
