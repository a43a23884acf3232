"""`membership()`: figures counted by hand, coverage of its interval, people who are known to be in
the data, and bad input.
"""

from __future__ import annotations

import json
import warnings

import numpy as np
import pandas as pd
import pytest

from synthpop_py import DataWarning, InputError, datasets, membership, report, syn
from synthpop_py.cli import main
from synthpop_py.cli.commands import _attack_rows
from synthpop_py.membership import auc, auc_interval
from synthpop_py.synthesis.stream import RStream

SYNTHETIC = pd.DataFrame({"age": [0.0, 10.0], "sex": ["f", "m"]})
MEMBERS = pd.DataFrame({"age": [0.0, 10.0, 13.0], "sex": ["f", "m", "m"]})
OTHERS = pd.DataFrame({"age": [0.0, 4.0], "sex": ["m", "f"]})


def quietly(*args, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return membership(*args, **options)


def normal(n: int, seed: int) -> pd.DataFrame:
    generator = np.random.default_rng(seed)
    return pd.DataFrame({"x": generator.normal(size=n), "y": generator.normal(size=n)})


# ---- by hand -------------------------------------------------------------------------


def test_distances_by_hand():
    result = quietly(SYNTHETIC, MEMBERS, OTHERS, attacks="distance", scale=False)
    members, others = result.scores["distance"]
    assert members == pytest.approx([0, 0, -3])
    # another sex is one indicator more and one less
    assert others == pytest.approx([-np.sqrt(2), -4])
    # of six pairs the last member loses one: 5 of 6
    assert result.table.loc["distance", "auc"] == pytest.approx(5 / 6)
    assert result.roc()["fpr"].tolist() == [0, 0, 0.5, 0.5, 1]
    assert result.roc()["tpr"].tolist() == pytest.approx([0, 2 / 3, 2 / 3, 1, 1])
    assert result.table.loc["distance", "tpr_at_0.001"] == pytest.approx(2 / 3)
    assert result.table.loc["distance", "advantage"] == pytest.approx(2 / 3)


def test_a_rate_at_its_limit_counts():
    """One of ten non-members is closer than both members: 10 %, and not a record more."""
    synthetic, members = pd.DataFrame({"x": [0.0, 90.0]}), pd.DataFrame({"x": [1.0, 1.0]})
    others = pd.DataFrame({"x": [0.5, *range(2, 11)]})
    result = quietly(synthetic, members, others, attacks="distance", scale=False)
    row = result.table.loc["distance"]
    assert (row["tpr_at_0.1"], row["tpr_at_0.01"]) == (1, 0)


def test_numbers_are_scaled_by_the_synthetic_standard_deviation():
    result = quietly(SYNTHETIC, MEMBERS, OTHERS, attacks="distance", variables="age")
    assert result.scores["distance"][0] == pytest.approx([0, 0, -3 / 5])


def test_distance_difference_by_hand():
    reference = pd.DataFrame({"age": [4.0], "sex": ["f"]})
    result = quietly(
        SYNTHETIC, MEMBERS, OTHERS,
        attacks="distance_difference", variables="age", reference=reference, scale=False,
    )  # fmt: skip
    members, others = result.scores["distance_difference"]
    assert members == pytest.approx([4 - 0, 6 - 0, 9 - 3])
    assert others == pytest.approx([4 - 0, 0 - 4])


def test_cells_by_hand():
    synthetic = pd.DataFrame({"t": ["x", "x", "y"]})
    reference = pd.DataFrame({"t": ["y", "z"]})
    people = pd.DataFrame({"t": ["x", "z"]}), pd.DataFrame({"t": ["y"]})
    result = quietly(synthetic, *people, attacks="cells", reference=reference)
    # with one record more in each of three cells: synthetic 3, 2, 1 of 6; reference 1, 2, 2 of 5
    share = {"x": (3 / 6) / (1 / 5), "y": (2 / 6) / (2 / 5), "z": (1 / 6) / (2 / 5)}
    members, others = result.scores["cells"]
    assert members == pytest.approx(np.log([share["x"], share["z"]]))
    assert others == pytest.approx(np.log([share["y"]]))


def test_a_missing_value_is_a_level_of_its_own():
    synthetic = pd.DataFrame({"age": [1.0, np.nan], "t": ["a", None]})
    people = pd.DataFrame({"age": [np.nan, 1.0], "t": [None, "a"]})
    others = pd.DataFrame({"age": [np.nan, 1.0], "t": ["a", None]})
    result = quietly(synthetic, people, others, attacks="distance", scale=False)
    members, strangers = result.scores["distance"]
    assert members == pytest.approx([0, 0]) and (strangers < 0).all()


def test_precision_by_hand():
    result = quietly(SYNTHETIC, MEMBERS, OTHERS, attacks="distance", scale=False)
    assert result.precision(0.1, fpr=0) == 1.0
    # two of three members and half of the others: (0.1 * 2/3) / (0.1 * 2/3 + 0.9 * 1/2), or all
    # three members at the same price
    assert result.precision(0.1, fpr=0.5) == pytest.approx(0.1 / (0.1 + 0.45))


def test_records_are_the_most_exposed():
    result = quietly(SYNTHETIC, MEMBERS, OTHERS, attacks="distance", scale=False)
    assert result.records(most=2).to_dict("list") == {
        "record": [0, 1],
        "score": [0.0, 0.0],
        "as_high": [0.0, 0.0],
    }
    assert result.records().loc[2, "as_high"] == 0.5  # one of two others is closer


# ---- against a second count ----------------------------------------------------------


def test_auc_and_rates_are_those_counted_pair_by_pair():
    generator = np.random.default_rng(5)
    frames = [pd.DataFrame({"t": generator.integers(0, 6, n)}) for n in (40, 30, 25, 20)]
    result = quietly(*frames[:3], attacks="cells", reference=frames[3])
    members, others = result.scores["cells"]
    wins = sum((m > o) + 0.5 * (m == o) for m in members for o in others)
    row = result.table.loc["cells"]
    assert row["auc"] == pytest.approx(wins / (len(members) * len(others)))
    best = 0.0
    for threshold in [*members, *others]:
        if np.mean(others >= threshold) <= 0.1:
            best = max(best, float(np.mean(members >= threshold)))
    assert row["tpr_at_0.1"] == pytest.approx(best)


# ---- where the truth is known --------------------------------------------------------


def test_the_interval_covers_one_half_where_nothing_leaks():
    """200 releases that have nothing to do with the members."""
    covered = 0
    for seed in range(200):
        frames = [normal(150, 1000 * seed + i) for i in range(3)]
        row = quietly(*frames, attacks="distance").table.loc["distance"]
        covered += row["auc_low"] <= 0.5 <= row["auc_high"]
    assert 0.90 <= covered / 200 <= 0.99


@pytest.mark.parametrize("sizes", [(100, 100), (100, 1000), (1000, 100), (400, 400)])
@pytest.mark.parametrize("copied", [0.02, 0.4, 0.8, 0.96])
def test_the_interval_covers_where_some_members_are_copied(sizes, copied):
    """The score of a copy is above all others: an AUC of 0.51, 0.7, 0.9, 0.98."""
    generator = np.random.default_rng(4)
    covered = 0
    for _ in range(600):
        members, others = (generator.normal(size=n) for n in sizes)
        members[generator.random(len(members)) < copied] = 9
        low, high = auc_interval(members, others)
        covered += low <= (1 + copied) / 2 <= high
    assert covered / 600 >= 0.925


def test_an_interval_has_a_width_where_nothing_varies():
    for scores in ([1.0] * 100, [0.0] * 100), ([0.0] * 100, [0.0] * 100), ([1.0], [0.0]):
        low, high = auc_interval(*map(np.array, scores))
        area = auc(*map(np.array, scores))
        assert 0 <= low <= area <= high <= 1 and high - low > 0.01
    # three against three, all told apart: one in twenty by chance, on one side
    assert auc_interval(np.array([3.0, 4, 5]), np.array([0.0, 1, 2]))[0] < 0.5


def test_a_copy_is_found():
    people = datasets.load("SD2011")[["sex", "age", "region", "income"]]
    members, others = people.iloc[:2000], people.iloc[2000:4000]
    result = quietly(members, members, others, seed=1)
    assert result.table.loc["distance", "auc"] > 0.8
    assert result.table.loc["distance", "auc_low"] > 0.78
    numbers = normal(300, 1), normal(300, 2)
    row = quietly(numbers[0], *numbers, attacks="distance").table.loc["distance"]
    assert row["auc"] == 1 and 0.97 < row["auc_low"] < 1 and row["tpr_at_0.001"] == 1


def test_a_bootstrap_of_adult_tells_its_members():
    """A resample holds about 63 % of its members, so about 37 % score as non-members do."""
    columns = ["age", "education", "occupation", "hours.per.week", "fnlwgt"]
    adult = datasets.load("Adult")[columns].dropna()
    members, others = adult.iloc[:3000], adult.iloc[3000:6000]
    copy = members.sample(3000, replace=True, random_state=1)
    row = quietly(copy, members, others, attacks="distance").table.loc["distance"]
    assert row["auc_low"] < 1 - 0.368 / 2 < row["auc_high"]
    assert row["tpr_at_0.01"] == pytest.approx(0.632, abs=0.03)


def test_several_syntheses_are_searched_together():
    first, second = normal(200, 1), normal(200, 2)
    both = pd.concat([first, second], ignore_index=True)
    result = quietly([first, second], both, normal(400, 3), attacks="distance")
    assert result.m == 2 and result.table.loc["distance", "auc"] == 1


def test_syn_hardly_tells():
    people = datasets.load("SD2011")[["sex", "age", "edu", "marital"]].dropna()
    members, others = people.iloc[:2000], people.iloc[2000:4000]
    synthesis = syn(members, seed=3, reproducible=True, print_flag=False)
    assert quietly(synthesis, members, others, seed=1).table.loc["cells", "auc"] < 0.6


# ---- input and views -----------------------------------------------------------------


def test_half_of_the_holdout_is_the_reference():
    frames = normal(120, 1), normal(120, 2), normal(241, 3)
    result = membership(*frames, seed=1)
    assert (result.non_members, result.reference) == (121, 120)
    assert any("half of the holdout, drawn at random" in note for note in result.notes)
    again = membership(*frames, seed=1)
    pd.testing.assert_frame_equal(result.table, again.table)
    assert list(result.table.index) == [
        "distance", "distance_difference", "density", "density_ratio", "cells",
    ]  # fmt: skip
    assert list(result.tidy()) == [
        "attack", "auc", "auc_low", "auc_high", "tpr_at_0.001", "tpr_at_0.01", "tpr_at_0.1",
        "advantage",
    ]  # fmt: skip


@pytest.mark.parametrize(
    "options, said",
    [
        ({"holdout": None}, "holdout: is None"),
        ({"attacks": "distanz"}, "attacks: 'distanz' is unknown; .*did you mean 'distance'"),
        ({"attacks": []}, "attacks: is empty"),
        ({"variables": "agee"}, "variables: 'agee' is not a column .*did you mean 'age'"),
        ({"variables": []}, "variables: none given"),
        ({"attacks": "density"}, "'density' needs variables that are numbers"),
        ({"holdout": OTHERS[["age"]], "variables": "sex"}, "'sex' is not a column of holdout"),
        ({"holdout": OTHERS.rename(columns=str.upper)}, "variables: no column is in all tables"),
        ({"holdout": OTHERS.head(0)}, "holdout: has no rows"),
        ({"holdout": OTHERS.head(1)}, "holdout: one record cannot also serve as the reference"),
    ],
)
def test_bad_input(options, said):
    with pytest.raises(InputError, match=said):
        quietly(**{"synthetic": SYNTHETIC, "original": MEMBERS, "holdout": OTHERS, **options})


def test_too_many_levels_are_refused():
    frames = [pd.DataFrame({"id": [f"{kind}{i}" for i in range(300)]}) for kind in "sod"]
    with pytest.raises(InputError, match="'id' has 300 levels"):
        quietly(*frames, attacks="distance")


def test_members_among_the_non_members_are_told():
    members = normal(200, 1)
    others = pd.concat([normal(150, 2), members.head(50)])
    with pytest.warns(DataWarning, match="50 of its 200 records equal an original record"):
        membership(normal(200, 3), members, others, attacks="distance")


def test_people_of_the_reference_who_are_in_another_table_are_told():
    release, members, others = (normal(200, seed) for seed in range(3))
    for reference, where in (members, "an original"), (others, "a holdout"):
        with pytest.warns(DataWarning, match=f"reference: 200 of .* equal {where} record"):
            membership(release, members, others, reference=reference)


@pytest.mark.parametrize("size", [1, 2, 150])
def test_densities_that_cannot_be_computed_are_left_out(size):
    """A constant column, one that follows from another, too few records."""
    frames = [normal(n, n).assign(constant=1.0) for n in (size, 120, 121)]
    result = quietly(*frames, seed=1)
    assert list(result.table.index) == ["distance", "distance_difference", "cells"]
    assert any("Densities are left out" in note for note in result.notes)
    with pytest.raises(InputError, match="attacks: no density can be computed"):
        quietly(*frames, attacks="density")


@pytest.mark.parametrize("scale", [True, False])
def test_a_constant_stays_one_where_its_mean_is_rounded(scale):
    """The mean of 51 times 0.1 is not 0.1: a standard deviation of 1e-17 would be divided by, and
    kernels be as narrow.
    """
    frames = [normal(n, n).assign(constant=0.1) for n in (51, 120, 121)]
    assert np.full(51, 0.1).std() > 0
    result = quietly(*frames, seed=1, scale=scale)
    assert list(result.table.index) == ["distance", "distance_difference", "cells"]
    frames[1]["constant"] = 0.2
    moved = quietly(*frames, attacks="distance", scale=scale).scores["distance"]
    assert min(map(np.min, moved)) > -20
    only = [frame[["constant"]] for frame in frames]
    with pytest.raises(InputError, match="no density can be computed"):
        quietly(*only, attacks="density", scale=scale)


@pytest.mark.parametrize("value", [np.inf, 1e200])
@pytest.mark.parametrize("where", [0, 1])
def test_numbers_without_a_distance_are_refused(value, where):
    frames = [normal(120, seed) for seed in range(3)]
    frames[where].loc[3, "x"] = value
    with pytest.raises(InputError, match="'x' has infinite numbers, or some too large") as told:
        quietly(*frames)
    assert "1e" not in str(told.value)
    assert list(quietly(*frames, attacks="cells", seed=1).scores) == ["cells"]


def test_columns_that_cannot_be_compared():
    """Tables that write a category in two ways are told apart, not people."""
    frames = [pd.DataFrame({"t": list("ab") * 100}) for _ in range(3)]
    frames[2] = pd.DataFrame({"t": ["A.", "B."] * 100})
    with pytest.warns(DataWarning, match="holdout, column 't': no value in common"):
        membership(*frames, attacks="distance")
    days = frames[2].assign(t=pd.Timestamp("2001-01-01"))
    with pytest.raises(InputError, match="column 't': holds"):
        quietly(frames[0].assign(t=range(200)), frames[0].assign(t=range(200)), days)


def test_dates_are_compared_by_their_difference():
    days = pd.date_range("2001-01-01", periods=601)
    synthetic, members, others = (pd.DataFrame({"d": days[i:600:5]}) for i in (0, 1, 2))
    result = quietly(synthetic, members, others, attacks="distance", scale=False)
    assert (result.scores["distance"][0] == -1).all()
    assert (result.scores["distance"][1] == -2).all()
    assert list(quietly(synthetic, members, others, seed=1).scores) == [
        "distance", "distance_difference", "cells",
    ]  # fmt: skip


def test_few_people_are_told():
    with pytest.warns(DataWarning, match="fewer than 100 records"):
        membership(normal(200, 3), normal(99, 1), normal(200, 2), attacks="distance")


def test_other_frames_and_paths(tmp_path):
    frames = [normal(120, i) for i in range(3)]
    paths = []
    for number, frame in enumerate(frames):
        paths.append(tmp_path / f"{number}.csv")
        frame.to_csv(paths[-1], index=False)
    expected = membership(*frames, attacks="distance").table
    pd.testing.assert_frame_equal(membership(*paths, attacks="distance").table, expected)


def test_what_is_shown():
    result = membership(normal(200, 1), normal(200, 1), normal(200, 2), attacks="distance")
    assert "AUC 1.000 (95 % interval" in str(result)
    page = result.to_html()
    assert "AUC 1.00 " in page and "200 members" not in page
    assert result.to_dict()["attacks"]["values"][0] == ["distance"]


def one_copied(n: int):
    """A release that tells one of n members, and n non-members."""
    release, members, others = (normal(n, seed) for seed in range(3))
    members.iloc[0] = release.iloc[0]
    return release, members, others


def test_other_people_see_no_count_that_is_not_rounded():
    """One of 150 is 0.67 %: a share with two digits would tell that it is one."""
    result = quietly(*one_copied(150), attacks="distance")
    assert result.table.loc["distance", "tpr_at_0.001"] == pytest.approx(1 / 150)
    assert "0.67 %" not in result.to_html() and "under 4 %" in result.to_html()
    [row] = _attack_rows(result, 10)
    for name in ("tpr_at_0.001", "tpr_at_0.01", "tpr_at_0.1", "advantage"):
        assert round(150 * row[name]) % 10 == 0
    assert row["tpr_at_0.001"] == 0
    assert _attack_rows(result, 1)[0]["tpr_at_0.001"] == pytest.approx(1 / 150)
    others = pd.concat([normal(147, 2), normal(200, 1).head(53)])
    told = quietly(normal(200, 3), normal(200, 1), others, attacks="distance")
    assert "50 of its 200 records" in told.to_markdown() and "53 of" not in told.to_markdown()


def test_one_attack_was_not_chosen_for_its_result():
    frames = one_copied(150)
    assert "chosen" not in quietly(*frames, attacks="distance").summary()
    assert "chosen as the strongest" in quietly(*frames, seed=1).summary()


def test_what_programs_read_says_that_the_strongest_was_chosen(tmp_path, capsys):
    frames = one_copied(150)
    assert quietly(*frames, seed=1).to_dict()["strongest_was_chosen"]
    assert not quietly(*frames, attacks="distance").to_dict()["strongest_was_chosen"]
    asked = ["membership", "--json", "--seed", "1"]
    for name, frame in zip(("synthetic", "original", "holdout"), frames):
        frame.to_csv(tmp_path / f"{name}.csv", index=False)
        asked += [f"--{name}", str(tmp_path / f"{name}.csv")]
    assert main(asked) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["strongest_was_chosen"] and "half of the holdout" in told["notes"][0]
    assert all(round(150 * row["tpr_at_0.1"]) % 10 == 0 for row in told["figures"])


def test_a_report_rounds_and_says_what_was_compared():
    frames = []
    for frame in one_copied(300):
        generator = np.random.default_rng(len(frames))
        frames.append(frame.assign(t=generator.choice(list("ab"), 300), x=frame["x"].round(1)))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        made = report(*frames[:2], ["x"], ["t"], path=None, holdout=frames[2])
        few = report(*frames[:2], ["x"], ["t"], path=None, holdout=frames[2].head(30))
    page = made.to_markdown()
    assert "so its interval is too narrow" in page and "half of the holdout" in page
    for row in made.content["membership"]["attacks"]:
        for name in ("tpr_at_0.001", "tpr_at_0.01", "tpr_at_0.1", "advantage"):
            assert row[name]["people"] % 10 == 0
    # half of 30 people: fewer than 20 non-members
    assert set(few.content["membership"]) == {"no_figures"}


@pytest.mark.needs("matplotlib")
def test_the_picture_has_a_line_for_each_attack():
    result = membership(normal(200, 1), normal(200, 1), normal(200, 2))
    axes = result.plot()
    assert len(axes.get_lines()) == len(result.table) + 1
    assert axes.get_xscale() == axes.get_yscale() == "log"
    # a step of a curve is one person
    said = [text.get_text() for text in [*axes.texts, *axes.figure.texts]]
    assert any("not for release" in text for text in [*said, axes.get_title(loc="left")])


def test_columns_that_only_some_tables_have_are_told():
    frames = [normal(150, i) for i in range(3)]
    with pytest.warns(DataWarning, match="not compared, because not in every table: z"):
        result = membership(frames[0], frames[1].assign(z=1), frames[2], attacks="distance")
    assert result.variables == ("x", "y")


def test_everybody_drawn_into_the_bootstrap_of_adult_is_found():
    """R's generator is part of the package, so we know who was drawn."""
    adult, copy = datasets.load("Adult"), datasets.load_synthesis("Adult_boot")
    is_member = np.isin(np.arange(len(adult)), RStream(8564).below(len(adult), len(adult)))
    members, others = adult[is_member].head(2000), adult[~is_member].head(2000)
    columns = ["age", "fnlwgt", "education", "occupation", "hours.per.week"]
    result = quietly(copy, members, others, variables=columns, attacks="distance")
    assert (result.scores["distance"][0] == 0).all()
    row = result.table.loc["distance"]
    assert row["auc_low"] > 0.98 and row["tpr_at_0.01"] == 1
