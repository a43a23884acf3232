"""Estimands: ready-made ones by hand, functions of users, overlap of confidence intervals."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from synthpop_py import InputError, SynDS
from synthpop_py.estimation import (
    Means,
    Proportions,
    Regression,
    combine,
    combine_two_stage,
    estimand_overlap,
)
from synthpop_py.estimation.design import determined
from synthpop_py.estimation.evaluation import Estimands
from synthpop_py.estimation.overlap import overlap_table

Z = stats.norm.ppf(0.975)


@pytest.fixture
def wages() -> pd.DataFrame:
    columns = {"x": [1.0, 2, 3, 4, None], "y": [2.0, 4, 7, 8, 9]}
    return pd.DataFrame({**columns, "g": ["a", "a", "b", "b", None]})


@pytest.fixture
def people() -> pd.DataFrame:
    columns = {"sex": ["f", "f", "f", "m", "m", None], "town": list("AABABB")}
    return pd.DataFrame({**columns, "age": range(20, 80, 10)})


def one(answer) -> tuple[float, float]:
    q, v = answer
    assert len(q) == len(v) == 1
    return float(q.iloc[0]), float(v.iloc[0])


# ---- means and shares ----------------------------------------------------------------


def test_means_by_hand():
    q, v = Means("x", by="g")(pd.DataFrame({"g": list("aabb"), "x": [1, 3, 5, 6]}))
    assert q.to_dict() == {"mean x, g=a": 2, "mean x, g=b": 5.5} and v.tolist() == [1, 0.25]
    assert one(Means("x")(pd.DataFrame({"x": [1, None, 3]}))) == (2, 1)
    nullable = pd.DataFrame({"x": pd.array([1, 3, -8, None], dtype="Int64")})
    assert one(Means("x", exclude=-8)(nullable)) == (2, 1)


def test_means_without_missing_and_special_values(wages):
    assert one(Means("x")(wages)) == pytest.approx((2.5, (5 / 3) / 4))
    assert one(Means("y", exclude=[9, 8])(wages)) == pytest.approx((13 / 3, (19 / 3) / 3))
    assert one(Means("y", exclude=9)(wages)) == one(Means("y")(wages.head(4)))
    q, v = Means("y", by="g", exclude=8)(wages.assign(g=list("aabbb")))
    assert q.tolist() == [3, 8] and v.tolist() == [1, 1]
    # a group without amounts has no mean
    q, v = Means("y", by="g", exclude=[7, 8])(wages)
    assert q.iloc[0] == 3 and math.isnan(q.iloc[1]) and math.isnan(v.iloc[1])


def test_shares_by_hand(wages):
    q, v = Proportions("x", by="g")(pd.DataFrame({"g": list("aaaabb"), "x": list("uvvvuu")}))
    names = ["share x=u, g=a", "share x=u, g=b", "share x=v, g=a", "share x=v, g=b"]
    assert q.to_dict() == dict(zip(names, [0.25, 1, 0.75, 0]))
    assert v.tolist() == [0.25 * 0.75 / 4, 0, 0.25 * 0.75 / 4, 0]
    # of some levels; the missing value is left out
    assert one(Proportions("g", levels="a")(wages)) == (0.5, 0.0625)
    q, v = Proportions("g", levels=["b", "c"])(wages)
    assert q.to_dict() == {"share g=b": 0.5, "share g=c": 0} and v.tolist() == [0.0625, 0]
    of_category = Proportions("g", levels="b")(wages.astype({"g": "category"}))
    assert of_category[0].to_dict() == {"share g=b": 0.5}
    with pytest.raises(InputError, match="levels: is empty"):
        Proportions("g", levels=[])


# ---- regression ----------------------------------------------------------------------


def same(first, second) -> None:
    for one_of, other in zip(first, second):
        pd.testing.assert_series_equal(one_of, other)


def test_linear_regression_by_hand(wages):
    q, v = Regression("y", ["x"])(pd.DataFrame({"x": [0, 0, 1, 1], "y": [1.0, 3, 3, 5]}))
    assert q.to_dict() == pytest.approx({"y ~ intercept": 2, "y ~ x": 2})
    assert v.tolist() == pytest.approx([1, 2])
    # y on x without the last, whose x is missing: slope 2.1, residual sum of squares 0.7, two
    # degrees of freedom, sum of squares of x 5
    q, v = Regression("y", "x")(wages)
    assert (q["y ~ x"], v["y ~ x"]) == pytest.approx((2.1, 0.35 / 5))
    # missing is a level of a category
    q, _ = Regression("y", "g")(wages.assign(x=0))
    assert q.to_dict() == pytest.approx({"y ~ intercept": 3, "y ~ g=b": 4.5, "y ~ g=(missing)": 6})
    # of two groups of the same size the pooled variance is that of Welch, s1² / n1 + s2² / n2
    q, v = Regression("y", "g")(wages.head(4))
    assert (q["y ~ g=b"], v["y ~ g=b"]) == pytest.approx((4.5, 0.5 / 2 + 2 / 2))


def test_records_with_missing_or_special_numbers_are_left_out(wages):
    columns = {"x": [-8.0, 2.0, None, 5.0], "y": [1.0, -8.0, 3.0, None], "g": list("abab")}
    more = pd.concat([wages, pd.DataFrame(columns)], ignore_index=True)
    same(Regression("y", "x")(wages.head(4)), Regression("y", "x", exclude=-8)(more))
    q, _ = Regression("y", "x", exclude=8)(wages)  # 1, 2, 3 on 2, 4, 7
    assert q["y ~ x"] == pytest.approx(2.5)


def test_slopes_against_scipy_and_with_controls():
    generator = np.random.default_rng(1)
    x, z = generator.normal(size=(2, 60))
    frame = pd.DataFrame({"y": x + 2 * z + generator.normal(size=60), "x": x, "z": z})
    frame["g"] = generator.choice(["u", "v", "w"], 60)
    line = stats.linregress(frame["x"], frame["y"])
    q, v = Regression("y", "x")(frame)
    assert (q["y ~ x"], v["y ~ x"]) == pytest.approx((line.slope, line.stderr**2))
    # partialling out: the slope given controls is that of residuals on residuals
    controls = np.column_stack([np.ones(60), z, frame["g"] == "v", frame["g"] == "w"]).astype(float)
    project = np.eye(60) - controls @ np.linalg.pinv(controls)
    rx, ry = project @ x, project @ frame["y"].to_numpy()
    slope = rx @ ry / (rx @ rx)
    variance = ((ry - slope * rx) ** 2).sum() / (60 - 5) / (rx @ rx)
    q, v = Regression("y", ["x", "z", "g"])(frame)
    assert (q["y ~ x"], v["y ~ x"]) == pytest.approx((slope, variance))


def test_logistic_regression_by_hand():
    """Log-odds of a 2 x 2 table and their variances, sums of inverse counts."""
    is_true = [True, False, False, False, True, True, True, False, False]
    frame = pd.DataFrame({"sex": list("mmmmwwwww"), "y": is_true})
    q, v = Regression("y", "sex", "logit")(frame)
    assert q.to_dict() == pytest.approx({"y ~ intercept": np.log(1 / 3), "y ~ sex=w": np.log(4.5)})
    assert v.tolist() == pytest.approx([4 / 3, 4 / 3 + 5 / 6])
    # a missing or special response does not count
    more = pd.DataFrame({"sex": ["m", "w", "w"], "y": [-8.0, None, -8.0]})
    coded = pd.concat([frame.assign(y=frame["y"].astype(float)), more])
    same((q, v), Regression("y", "sex", "logit", exclude=-8)(coded))


@pytest.mark.parametrize(
    "letters, known",
    [
        ("aabbcc", [True, True, True]),
        ("aaabbb", [True, True, False]),  # c has no records
        # without a the intercept means nothing, and the others are differences from a
        ("bbbccc", [False, False, False]),
        ("aaaaaa", [True, False, False]),
    ],
)
def test_coefficients_of_levels_without_records_are_not_known(letters, known):
    """A regression keeps the levels of the original."""
    original = pd.DataFrame({"g": list("aabbcc"), "y": [1.0, 2, 3, 5, 8, 9]})
    other = original.assign(g=list(letters))
    q, v = Regression("y", "g").prepare(original)(other)
    assert list(q.index) == ["y ~ intercept", "y ~ g=b", "y ~ g=c"]
    assert q.notna().tolist() == v.notna().tolist() == known
    if known == [True, True, False]:
        fewer = Regression("y", "g")(other)
        assert q.dropna().tolist() == pytest.approx(fewer[0].tolist())
        assert v.dropna().tolist() == pytest.approx(fewer[1].tolist())
    zero_one = [frame.assign(y=[0, 1] * 3) for frame in (original, other)]
    logit = Regression("y", "g", "logit").prepare(zero_one[0])(zero_one[1])
    assert logit[0].notna().tolist() == logit[1].notna().tolist() == known


@pytest.mark.parametrize("seed", range(60))
def test_what_a_design_determines(seed):
    """A coefficient is determined when the rank falls without its column; small whole numbers make
    many designs that are not of full rank.
    """
    generator = np.random.default_rng(seed)
    columns = generator.integers(0, 2, size=(5, 4)) * generator.integers(1, 1000, size=4)
    design = np.column_stack([np.ones(5), columns])
    rank = np.linalg.matrix_rank(design)
    without = [np.linalg.matrix_rank(np.delete(design, j, axis=1)) for j in range(5)]
    known, found = determined(design)
    assert found == rank and known.tolist() == [fewer < rank for fewer in without]


def test_a_number_far_from_zero_is_no_obstacle():
    x = 1e9 + np.arange(6.0)
    assert determined(np.column_stack([np.ones(6), x]))[0].all()
    frame = pd.DataFrame({"x": x, "y": 2 * np.arange(6.0) + [0, 0, 1, 1, 0, 0]})
    assert Regression("y", "x")(frame)[0]["y ~ x"] == pytest.approx(2)


def test_too_few_records_for_a_variance(wages):
    assert all(values.isna().all() for values in Regression("y", "x")(wages.head(2)))
    assert all(values.isna().all() for values in Regression("y", "x").prepare(wages)(wages.head(0)))


def test_columns_by_position_and_families(wages):
    frame = wages[["x", "y"]].dropna()
    same(Regression("y", "x")(frame), Regression(2, [1])(frame))
    with pytest.raises(InputError, match="family: 'probit' is unknown; choices: 'linear', 'logit'"):
        Regression("y", ["x"], "probit")


# ---- functions of users --------------------------------------------------------------


def test_labels(people):
    def oldest(frame):
        return frame["age"].max(), 1.0

    def ends(frame):
        return [frame["age"].min(), frame["age"].max()], [1.0, 1.0]

    assert Estimands(oldest, people).labels == ("oldest",)
    listed = Estimands([oldest, ends, Means("age")], people).labels
    assert listed == ("oldest 1", "ends 2 1", "ends 2 2", "mean age")
    named = Estimands({"old": oldest, 2: Means("age", by="town")}, people).labels
    assert named == ("old", "2: mean age, town=A", "2: mean age, town=B")


def test_answers_come_in_the_order_of_the_original(people):
    wanted = Estimands([Means("age", by="town"), Proportions("sex")], people)
    assert wanted.labels == ("mean age, town=A", "mean age, town=B", "share sex=f", "share sex=m")
    again = wanted.of(people.assign(town=list("BBBBBC")), "a set")
    # town A is not there, C is not asked for
    assert np.isnan(again[0]).all() and again[1].tolist() == [40, 50]
    assert again[2:].tolist() == wanted.original[2:].tolist()
    assert wanted.lacking(again) == ["mean age, town=A"]
    assert wanted.lacking(np.array([wanted.original] * 2)) == []
    # what the original does not have is not missed
    alone = Estimands(Means("age", by="town"), people.assign(town=list("AAAAAB")))
    assert alone.usable().tolist() == [True, False] and alone.lacking(alone.original) == []


# ---- overlap of confidence intervals -------------------------------------------------


def test_overlap_of_one_and_of_several_data_sets():
    original, release = pd.DataFrame({"x": [1.0, 2, 3]}), pd.DataFrame({"x": [2.0, 3, 4]})
    length = 2 * Z / math.sqrt(3)
    found = estimand_overlap(release, original, Means("x"))
    assert found.mean == pytest.approx((length - 1) / length)
    assert estimand_overlap(original, original, [Means("x")]).mean == 1
    # two sets with means 2 and 3: 2.5, T = 1/3 + (1/2)/2, df = (1 + 2 (1/3) / (1/2))^2
    both = estimand_overlap([original, release], original, Means("x"))
    half = stats.t.ppf(0.975, (1 + 4 / 3) ** 2) * math.sqrt(1 / 3 + 1 / 4)
    figures = both.table[["release", "release_low", "release_high"]].iloc[0].tolist()
    assert figures == pytest.approx([2.5, 2.5 - half, 2.5 + half])
    assert both.m == 2 and "combined as partially synthetic data" in repr(both)
    named = estimand_overlap(SynDS([original, release]), original, {"x": Means("x")}).table
    pd.testing.assert_frame_equal(named.set_axis(both.table.index), both.table)


def test_intervals_are_those_of_combine():
    generator = np.random.default_rng(2)
    sets, original = generator.exponential(size=(4, 1, 3, 2)), generator.exponential(size=(3, 2))
    table = overlap_table(["a", "b", "c"], original, sets, 0.9)
    rule = combine(sets[:, 0, :, 0], sets[:, 0, :, 1], level=0.9)
    ends = table[["release_low", "release_high"]].to_numpy()
    assert ends.tolist() == rule.interval.tolist()
    assert table["release"].tolist() == pytest.approx(rule.estimate.tolist())
    half = stats.norm.ppf(0.95) * np.sqrt(original[:, 1])
    assert table["original_low"].tolist() == pytest.approx((original[:, 0] - half).tolist())


def test_one_set_may_count_as_genuine_or_not_at_all():
    original, sets = np.array([[1.0, 1.0]]), np.array([[[[1.0, 1.0]]]])
    assert overlap_table(["a"], original, sets, 0.95)["overlap"].tolist() == [1]
    assert overlap_table(["a"], original, sets, 0.95, one_set="undefined")["overlap"].isna().all()
    one_nest = np.repeat(sets, 2, axis=1)
    assert overlap_table(["a"], original, one_nest, 0.95)["overlap"].isna().all()


def test_an_estimand_of_ones_own(wages):
    def median(frame):
        return frame["y"].median(), 1.0

    later = wages.assign(y=wages["y"] + 1)
    found = estimand_overlap(later, wages, {"median of y": median, "y": Means("y")})
    assert found.table.index.tolist() == ["median of y", "y: mean y"]
    assert set(found.tidy()["direction"]) == {"higher is more useful"}
    assert found.table["overlap"].iloc[0] == pytest.approx(1 - 1 / (2 * Z))
    assert "mean overlap" in found._repr_html_()


def test_an_interval_without_length_is_left_out(wages):
    found = estimand_overlap(wages.assign(g="a"), wages, [Proportions("g", levels="a"), Means("y")])
    assert math.isnan(found.table["overlap"].iloc[0]) and found.mean == 1 and found.undefined == 1
    why = "1 without an overlap: no estimate in some data set, or an interval of length 0"
    assert repr(found).endswith(f"mean overlap 1.000; {why}")
    assert "1 without an overlap" in found._repr_html_()


def test_an_estimand_that_one_side_lacks_has_no_overlap(people):
    asked = Means("age", by="town")
    found = estimand_overlap([people, people.assign(town="A")], people, asked)
    assert found.table["overlap"].isna().tolist() == [False, True] and found.undefined == 1
    of_b = found.table.loc["mean age, town=B", ["release", "release_low", "release_high"]]
    assert of_b.isna().all()
    # a group of one record in the original
    found = estimand_overlap(people, people.assign(town=list("AAAAAB")), asked)
    assert found.table["overlap"].isna().tolist() == [False, True]


def labelled(letters: str) -> pd.Series:
    return pd.Series([1.0, 2], list(letters))


@pytest.mark.parametrize(
    "estimands, says",
    [
        ([], "estimands: [] cannot be used; give functions of a frame that return (q, v)"),
        (None, "estimands: None cannot be used"),
        (["age"], "estimands: 'age' cannot be used"),
        ({"age": {}}, "estimands: dict cannot be used"),
        ([Means("age")] * 2, "estimands: 'mean age' is estimated twice; give names with a mapping"),
        (Means("wage"), "column: 'wage' is not a column of the data"),
        (
            [Means("sex")],
            "column: 'sex' is not numeric; use Proportions for its values (Means 1, for",
        ),
        (Means("age", exclude=range(100)), "estimands: 'mean age' gives no finite estimate"),
        (Means("age", by="nobody"), "estimands: Means gives no finite estimate"),
        (Proportions("nobody"), "estimands: Proportions gives no finite estimate"),
        (lambda d: 3, "estimands: <lambda> gave a int for the original data"),
        ({"odd": lambda d: ("a", 1)}, "estimands: odd gave a tuple for the original data"),
        (lambda d: ([1.0, 2.0], 1.0), "(q, v) is needed, estimates and one variance for each"),
        (lambda d: (labelled("ab"), labelled("ba")), "gave estimates and variances with different"),
        (lambda d: (1.0, -2.0), "gave the negative variance -2 for the original data"),
        (lambda d: (math.nan, 1.0), "estimands: '<lambda>' gives no finite estimate"),
        (Regression("age", "wage"), "estimands: 'wage' is not a column of the original data"),
        (Regression("town", ["age"]), "response: 'town' is not numeric; use family='logit'"),
        (Regression("age", "sex", "logit"), "response: 'age' has 6 values; 'logit' needs two"),
    ],
)
def test_bad_estimands(people, estimands, says):
    original = people.assign(nobody=pd.Series([None] * 6, dtype=object))
    with pytest.raises(InputError) as error:
        estimand_overlap(people, original, estimands)
    assert says in str(error.value)


@pytest.mark.parametrize(
    "change, estimands, says",
    [
        (lambda p: [p, p.head(1)], Means("age"), "'mean age' has no estimate, or no variance, in"),
        (lambda p: p[["sex"]], Means("age"), "choices: sex (Means, for data set 1 of the release)"),
        (lambda p: p[["sex"]], Regression("age", "town"), "(Regression, for data set 1 of the"),
        (lambda p: p.assign(town="C"), Regression("age", "town"), "column 'town' has a level that"),
        (
            lambda p: p.assign(age=1),
            lambda d: (pd.Series([1.0, 2.0], d["age"].head(2)),) * 2,
            "estimands: '1' is estimated twice",
        ),
        (
            lambda p: p.assign(age=1),
            lambda d: (1.0, float(d["age"].max()) - 2),
            "gave the negative variance -1 for data set 1 of the release",
        ),
    ],
)
def test_estimands_that_a_release_cannot_answer(people, change, estimands, says):
    with pytest.raises(InputError) as error:
        estimand_overlap(change(people), people, estimands)
    assert says in str(error.value)


@pytest.mark.parametrize("level", [0, 1, 95])
def test_a_bad_level(people, level):
    with pytest.raises(InputError, match=f"level: {level} is not a number"):
        estimand_overlap(people, people, Means("age"), level=level)


# ---- shares of values that a set lacks, releases in two stages -----------------------


def test_shares_are_of_the_values_of_the_original(people):
    prepared = Estimands(Proportions("town"), people)
    assert prepared.labels == ("share town=A", "share town=B")
    without_b = prepared.of(people.assign(town=["A"] * 5 + ["C"]), "")
    assert without_b.tolist() == pytest.approx(np.array([[5 / 6, 5 / 216], [0, 0]]))
    # nothing could be compared: no share, and not 0
    assert np.isnan(prepared.of(people.assign(town=[1, 2, 1, 2, 1, 2]), "")).all()
    grouped = Estimands(Proportions("town", by="sex"), people)
    found = dict(zip(grouped.labels, grouped.of(people.assign(sex="f", town="A"), "")[:, 0]))
    # a group that is there has a share of 0, one that is not has none
    assert found["share town=A, sex=f"] == 1 and found["share town=B, sex=f"] == 0
    assert math.isnan(found["share town=A, sex=m"]) and math.isnan(found["share town=B, sex=m"])


def test_a_release_in_two_stages_is_combined_nest_by_nest(people):
    sets = [people.assign(age=people["age"] + shift) for shift in (0, 1, 5, 7)]

    def nested(nests):
        return estimand_overlap(SynDS(sets, meta={"nest": nests}), people, Means("age"))

    found = nested([1, 1, 2, 2])
    estimates = np.array([one(Means("age")(frame)) for frame in sets]).reshape(2, 2, 2)
    whole = combine_two_stage(estimates[..., 0], estimates[..., 1])
    ends = found.table[["release_low", "release_high"]].iloc[0].tolist()
    assert ends == pytest.approx([whole.low, whole.high])
    assert (found.m, found.r, found.tidy()["r"].tolist()) == (2, 2, [2])
    assert "2 nests of 2 data sets, combined as partially synthetic data" in repr(found)
    flat = estimand_overlap(sets, people, Means("age")).table["release_low"].iloc[0]
    assert flat != pytest.approx(whole.low)
    with pytest.raises(InputError, match="synthetic: its nests have 3, 1 data sets"):
        nested([1, 1, 1, 2])
    with pytest.raises(InputError, match="synthetic: has one nest"):
        nested([1, 1, 1, 1])
