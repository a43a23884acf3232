"""Utility of a release: distances of tables, propensity scores (also against R's utility.gen).
Overlap of confidence intervals: test_estimands.py.
"""

from __future__ import annotations

import json
import math
import os
import subprocess
from collections import Counter
from fractions import Fraction
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import optimize

from synthpop_py import InputError, SynDS, datasets
from synthpop_py.utility import propensity_utility, table_utility
from synthpop_py.utility.variables import cut_points

RECORDED = Path(__file__).parents[2] / "fixtures" / "expected_models" / "utility_gen.json"
# relative: R's glm stops when the deviance changes by less than 1e-8 of itself, which leaves up to
# 3.1e-7 here
AS_R = 1e-6
# relative: the same model fitted by R with 1e-14; the largest difference is 1.2e-9, made by our
# penalty
AS_TIGHT_R = 5e-9

# ---- tables --------------------------------------------------------------------------


def exact_tvd(a: list, b: list) -> Fraction:
    """Half the sum of absolute differences of shares, in fractions."""
    p, q = Counter(a), Counter(b)
    return (
        sum((abs(Fraction(p[x], len(a)) - Fraction(q[x], len(b))) for x in p | q), Fraction(0)) / 2
    )


@pytest.fixture
def people() -> pd.DataFrame:
    columns = {"sex": ["f", "f", "f", "m", "m", None], "town": list("AABABB")}
    return pd.DataFrame({**columns, "age": range(20, 80, 10)})


@pytest.fixture
def fake() -> pd.DataFrame:
    columns = {"sex": ["f", "f", "m", "m"], "town": list("ABAB"), "age": [20, 25, 65, 99]}
    return pd.DataFrame(columns)


def test_tables_by_hand(people, fake):
    found = table_utility(fake, people, ["sex", "town"]).table.set_index("text")["tvd"]
    # sex: 1/2, 1/3, 1/6 missing against 1/2, 1/2, 0. town: 1/2 in both. Both: 2, 1, 1, 1, 0, 1 of 6
    # against 1 of 4 each of the first four
    assert found["sex"] == pytest.approx(1 / 6) and found["town"] == 0
    both = (abs(2 / 6 - 1 / 4) + 3 * abs(1 / 6 - 1 / 4) + 1 / 6) / 2
    assert found["sex, town"] == pytest.approx(both)
    assert table_utility(people, people).mean() == 0


def test_numbers_are_put_into_the_originals_classes(people, fake):
    # quintiles of 20..70: 30, 40, 50, 60; the fake ages 20, 25 are in the lowest class, 65 and 99
    # in the highest
    assert cut_points(np.array([20, 30, 40, 50, 60, 70]), 5).tolist() == [30, 40, 50, 60]
    found = table_utility(fake, people, ["age"])
    assert found.table["cells"].tolist() == [5]
    by_hand = (abs(2 / 6 - 1 / 2) + 3 / 6 + abs(1 / 6 - 1 / 2)) / 2
    assert found.mean() == pytest.approx(by_hand)


@pytest.mark.parametrize("seed", range(25))
def test_tables_against_fractions(seed):
    generator = np.random.default_rng(seed)
    frames = []
    for size in generator.integers(1, 12, 2):
        columns = {
            "a": generator.choice(["x", "y", None], size),
            "b": generator.integers(0, 3, size),
            "c": generator.choice([True, False], size),
        }
        frames.append(pd.DataFrame(columns))
    original, release = frames
    found = table_utility(release, original, classes=5).table.set_index("variables")["tvd"]
    # few distinct values keep them; values above the original's highest fall into its last class,
    # below into its first
    known = sorted(original["b"].unique())
    classed = [next((k for k in known if value <= k), known[-1]) for value in release["b"]]
    frames[1] = release.assign(b=classed)
    for which in [*combinations("abc", 1), *combinations("abc", 2)]:
        columns = [frame[list(which)].astype(object).fillna("missing") for frame in frames]
        rows = [list(frame.itertuples(index=False, name=None)) for frame in columns]
        assert found[which] == pytest.approx(float(exact_tvd(*rows)), abs=1e-15), which


def test_cut_points_are_rs_quantiles_of_type_7():
    generator = np.random.default_rng(1)
    for n in (6, 7, 11, 101, 1000):
        values = generator.exponential(size=n)
        for classes in (2, 3, 5, min(10, n - 1)):
            expected = np.quantile(values, np.arange(1, classes) / classes)
            assert cut_points(values, classes) == pytest.approx(expected, rel=1e-14)


def test_a_cut_at_a_value_is_that_value_exactly():
    # 0.1 * (11 - 1) is a position: the cut must be the value itself, or it would end up in the
    # class above
    values = np.arange(11) / 10
    assert cut_points(values, 10).tolist() == values[1:-1].tolist()


def test_infinite_numbers_have_a_class_but_no_slope():
    frame = pd.DataFrame({"x": [-np.inf, 1, 2, 3, 4, 5, np.inf, np.inf, np.inf, None]})
    assert table_utility(frame, frame).mean() == 0
    assert not np.isnan(cut_points(frame["x"].dropna().to_numpy(), 5)).any()
    assert cut_points(np.array([-np.inf, -np.inf, 1, np.inf]), 2).tolist() == [-np.inf]
    with pytest.raises(InputError, match="the original data, column 'x': holds infinite numbers"):
        propensity_utility(frame, frame)


@pytest.mark.parametrize(
    "values, cuts", [([0] * 90 + list(range(1, 11)), [0]), ([], []), ([3.0], [])]
)
def test_ties_make_fewer_classes(values, cuts):
    assert cut_points(np.array(values), 5).tolist() == cuts


def test_special_values_are_a_class_of_their_own():
    original = pd.DataFrame({"income": [-8, -8, 100, 200, 300, 400, 500, 600]})
    release = original.replace(-8, 20)
    # the lowest quintile is 35.2: both are in the lowest class
    assert table_utility(release, original).mean() == 0
    assert table_utility(release, original, cont_na={"income": -8}).mean() == 0.25
    assert table_utility(SynDS(release, {"income": -8}), original).mean() == 0.25


def test_dates_and_times():
    days = pd.DataFrame({"day": pd.date_range("2020-01-01", periods=20)})
    assert table_utility(days, days).mean() == 0
    later = table_utility(days + pd.Timedelta(days=100), days)
    assert later.mean() == pytest.approx(0.8)  # all in the last of five classes


def test_several_data_sets_are_averaged(people, fake):
    both = table_utility([fake, people], people)
    assert both.mean() == pytest.approx(table_utility(fake, people).mean() / 2)
    tidy = both.tidy()
    assert len(tidy) == 2 * 6 and set(tidy["synthesis"]) == {1, 2}
    assert set(tidy["direction"]) == {"lower is more useful"}
    assert tidy[tidy["synthesis"] == 2]["tvd"].sum() == 0


def test_chance_is_what_samples_of_the_original_have():
    original = datasets.load("SD2011")[["sex", "age", "placesize", "marital"]]
    samples = [original.sample(len(original), replace=True, random_state=i) for i in range(100)]
    found = table_utility(samples, original)
    means = found.by_set.mean(axis=0)  # one a sample
    assert abs(means.mean() - found.table["by_chance"].mean()) < 4 * means.std() / 10
    assert means.mean() == pytest.approx(found.table["by_chance"].mean(), rel=0.05)


def test_orders_and_means(people, fake):
    found = table_utility(fake, people)
    assert found.table["order"].value_counts().to_dict() == {1: 3, 2: 3}
    assert found.mean() == pytest.approx((found.mean(1) + found.mean(2)) / 2)
    pairs = table_utility(fake, people, orders=2)
    assert set(pairs.table["order"]) == {2} and math.isnan(pairs.mean(1))
    assert table_utility(fake, people, ["sex"]).table["order"].tolist() == [1]
    assert found.table["tvd"].is_monotonic_decreasing


def test_tables_do_not_change_the_data(people, fake):
    before = people.copy(deep=True), fake.copy(deep=True)
    table_utility(fake, people), propensity_utility(fake, people)
    pd.testing.assert_frame_equal(people, before[0])
    pd.testing.assert_frame_equal(fake, before[1])


SHOWN = """\
Tables of 2 variables, 6 original records, 1 data set
total variation distance, from 0 (the same table) to 1 (nothing in common); lower is more useful

               tables    tvd by_chance
one-way tables      2 0.0833    0.2338
two-way tables      1 0.2500    0.3914
all tables          3 0.1389    0.2863

Most different 3 of 3 tables:
          cells    tvd by_chance
sex, town     5 0.2500    0.3914
sex           3 0.1667    0.2681
town          2 0.0000    0.1995"""


def test_tables_shown(people, fake):
    found = table_utility(fake, people, ["sex", "town"])
    assert repr(found) == SHOWN
    for said in ("0.1389", "lower is more useful", '<th scope="row">sex, town</th>'):
        assert said in found._repr_html_()
    odd = pd.DataFrame({"<b>": [1, 2], ("a", 1): ["x", "y"]})
    found = table_utility(odd, odd)
    assert "&lt;b&gt;" in found._repr_html_()
    assert ("<b>", ("a", 1)) in found.table["variables"].tolist()


# ---- propensity scores ---------------------------------------------------------------

RECORDED_CASES = json.loads(RECORDED.read_text(encoding="utf-8"))["cases"]


def name_of(case: dict) -> str:
    return f"{case['synthesis']}-{case['set']}-order{case['maxorder']}-{len(case['vars'])}"


@pytest.mark.parametrize("case", RECORDED_CASES, ids=name_of)
def test_propensity_scores_are_those_of_r(case):
    """utility.gen(method = "logit") of synthpop 1.9-3, recorded by r_reference/utility_gen.R."""
    release = datasets.load_synthesis(case["synthesis"]).syn[case["set"] - 1]
    asked = {"interactions": case["maxorder"] == 1, "cont_na": case["cont.na"]}
    found = propensity_utility(release, datasets.load("SD2011"), case["vars"], **asked)
    assert found.table["parameters"].tolist() == [case["df"]]
    assert found.pMSE == pytest.approx(case["pMSE"], rel=AS_R)
    assert found.S_pMSE == pytest.approx(case["S_pMSE"], rel=AS_R)
    assert found.pMSE == pytest.approx(case["pMSE_tight"], rel=AS_TIGHT_R)


@pytest.mark.needs("a slow run")  # half a minute of R
def test_the_record_is_what_r_says_now(tmp_path):
    root, now = RECORDED.parents[2], tmp_path / "now.json"
    library = str(root / "r_reference" / "library" / "1.9-3")
    subprocess.run(
        ["Rscript", "--vanilla", str(root / "r_reference" / "utility_gen.R"), str(now)],
        check=True,
        env={**os.environ, "R_LIBS": library, "LC_ALL": "C.UTF-8"},
    )
    says = json.loads(now.read_text(encoding="utf-8"))["cases"]
    assert len(says) == len(RECORDED_CASES)
    for case, recorded in zip(says, RECORDED_CASES):
        figures = {name for name, value in recorded.items() if isinstance(value, float)}
        for name, value in recorded.items():
            assert case[name] == (pytest.approx(value, rel=1e-9) if name in figures else value)


def test_a_synds_brings_its_special_values():
    s1, original = datasets.load_synthesis("SD2011_s1"), datasets.load("SD2011")
    assert propensity_utility(s1, original).S_pMSE == pytest.approx(
        RECORDED_CASES[0]["S_pMSE"], rel=AS_R
    )
    assert propensity_utility(s1, original, cont_na={}).table["parameters"].tolist() == [41]


def test_propensity_by_hand():
    people, fake = pd.DataFrame({"sex": list("ffffmmmm")}), pd.DataFrame({"sex": list("ffffffmm")})
    found = propensity_utility(fake, people)
    assert found.pMSE == pytest.approx(1 / 60, rel=1e-7)
    assert found.S_pMSE == pytest.approx(128 / 60, rel=1e-7)
    assert found.table["expected"].tolist() == [1 / 128]
    # of two sizes
    fewer = propensity_utility(pd.DataFrame({"sex": list("fm")}), people.iloc[2:6]).table.iloc[0]
    assert fewer["pMSE"] == pytest.approx(0, abs=1e-12)
    assert fewer["expected"] == pytest.approx((2 / 3) ** 2 * (1 / 3) / 6)
    assert fewer["share"] == pytest.approx(1 / 3)


@pytest.mark.parametrize("seed", range(8))
def test_the_fit_against_a_general_optimiser(seed):
    """An independent maximum likelihood fit of a category and a number."""
    generator = np.random.default_rng(seed)
    frames = []
    for i, n in enumerate((120, 90)):
        columns = {"g": generator.choice(list("abc"), n), "x": generator.normal(0.2 * i, 1, n)}
        frames.append(pd.DataFrame(columns))
    rows = pd.concat(frames)
    X = np.column_stack([np.ones(210), rows["g"] == "b", rows["g"] == "c", rows["x"]]).astype(float)
    y = np.repeat([0, 1], [120, 90])
    fit = optimize.minimize(
        lambda b: np.logaddexp(0, X @ b).sum() - y @ X @ b,
        np.zeros(4),
        jac=lambda b: X.T @ (1 / (1 + np.exp(-X @ b)) - y),
        method="BFGS",
        options={"gtol": 1e-9},
    )
    pmse = ((1 / (1 + np.exp(-X @ fit.x)) - 90 / 210) ** 2).mean()
    found = propensity_utility(frames[1], frames[0])
    assert found.pMSE == pytest.approx(pmse, rel=1e-6) and found.table["parameters"].tolist() == [3]


def parameters(release: pd.DataFrame, original: pd.DataFrame, *args: Any, **asked: Any) -> int:
    return int(propensity_utility(release, original, *args, **asked).table["parameters"].iloc[0])


def test_missing_and_special_values_have_their_own_marks():
    people = pd.DataFrame({"x": [1.0, 2.0, None, -8.0] * 10})
    fake = pd.DataFrame({"x": [1.0, 2.0, -8.0, -8.0] * 10})
    assert parameters(fake, people) == 2  # the number and its missing values
    assert parameters(fake, people, cont_na={"x": -8}) == 3
    # with marks the shares of missing, -8 and other values are fitted exactly: 10 against 0, 10
    # against 20, 20 against 20
    marked = propensity_utility(fake, people, cont_na={"x": -8}).pMSE
    assert marked == pytest.approx((10 * 0.5**2 + 30 * (2 / 3 - 1 / 2) ** 2) / 80, rel=1e-5)


def test_columns_that_say_the_same_count_once_and_nearly_the_same_twice():
    generator = np.random.default_rng(1)
    x = generator.normal(size=200)
    columns = {"x": x, "twice": 2 * x + 5, "near": x + 1e-5 * generator.normal(size=200)}
    columns |= {"g": np.where(x > 0, "a", "b"), "h": np.where(x > 0, "u", "v")}
    frame = pd.DataFrame(columns)
    other = frame.sample(200, replace=True, random_state=1)
    for names, number in (("x twice", 1), ("x near", 2), ("g h", 1), ("x g h twice", 2)):
        assert parameters(other, frame, names.split()) == number


def test_what_only_one_data_set_has_is_no_obstacle():
    people = pd.DataFrame({"g": list("aabb"), "x": [1.0, 2, 3, 4]})
    fake = pd.DataFrame({"g": list("ccdd"), "x": [9.0, 8, 7, 6]})
    # told apart completely
    assert propensity_utility(fake, people).pMSE == pytest.approx(0.25, rel=1e-5)


def test_without_interactions_associations_do_not_count():
    generator = np.random.default_rng(3)
    a = generator.integers(0, 2, 3000)
    people = pd.DataFrame({"a": a, "b": a}).astype(str)
    fake = pd.DataFrame({"a": generator.permutation(a), "b": generator.permutation(a)}).astype(str)
    assert propensity_utility(fake, people).S_pMSE < 1e-6
    assert propensity_utility(fake, people, interactions=True).S_pMSE > 100


def test_a_copy_cannot_be_told_apart_and_a_bootstrap_is_near_one():
    original = datasets.load("SD2011")[["sex", "age", "placesize", "marital", "depress"]]
    assert propensity_utility(original, original).S_pMSE == pytest.approx(0, abs=1e-9)
    samples = [original.sample(len(original), replace=True, random_state=i) for i in range(40)]
    found = propensity_utility(samples, original).table
    # 1 for sex, 1 for age, 5 for placesize, 6 for marital (missing is a level), 2 for depress and
    # its missing values. pMSE over its expectation is about chi-squared / df; 40 of them, four
    # standard errors
    assert found["parameters"].iloc[0] == 15
    assert abs(found["S_pMSE"].mean() - 1) < 4 * math.sqrt(2 / 15 / 40)


def test_propensity_shown(people, fake):
    two = propensity_utility([fake, people], people, ["town"])
    head = "Propensity model of 1 variables, main effects only; 6 original records, 2 data sets"
    assert repr(two).startswith(f"{head}\nS_pMSE: pMSE over its expectation")
    assert "mean" in repr(two) and "lower is more useful" in two._repr_html_()
    tidy = two.tidy()
    assert tidy["measure"].tolist() == ["pMSE", "pMSE", "S_pMSE", "S_pMSE"]
    ratio = tidy[tidy["measure"] == "S_pMSE"]
    values = ratio["numerator"] / ratio["denominator"]
    assert values.tolist() == pytest.approx(ratio["value"].tolist())


# ---- bad input -----------------------------------------------------------------------


@pytest.mark.parametrize(
    "call, says",
    [
        (lambda p, f: table_utility("x", p), "synthetic: 'x' cannot be read: its ending"),
        (lambda p, f: table_utility([], p), "synthetic: list cannot be used"),
        (lambda p, f: table_utility(f, [p]), "original: list cannot be the original data"),
        (lambda p, f: table_utility(f.head(0), p), "synthetic: the release has no rows"),
        (lambda p, f: table_utility([f, f.head(0)], p), "synthetic: data set 2 of the release has"),
        (lambda p, f: table_utility(f, p.head(0)), "original: has no rows"),
        (lambda p, f: table_utility(f, p, "towns"), "'towns' is not a column of the original data"),
        (lambda p, f: table_utility(f, p, []), "variables: is empty"),
        (
            lambda p, f: table_utility(f[["sex"]], p, "town"),
            "'town' is not a column of the release",
        ),
        (lambda p, f: table_utility(f.rename(columns=str.upper), p), "have no column in common"),
        (lambda p, f: table_utility(f, p, orders=3), "orders: 3 cannot be used; give 1, 2 or"),
        (lambda p, f: table_utility(f, p, orders=()), "orders: () cannot be used"),
        (lambda p, f: table_utility(f, p, "sex", orders=2), "orders: two-way tables need at least"),
        (lambda p, f: table_utility(f, p, classes=1), "classes: 1 is not a whole number of 2"),
        (lambda p, f: table_utility(f, p, cont_na=-8), "cont_na: -8 is not a mapping"),
        (lambda p, f: table_utility(f, p, cont_na={"wage": -8}), "cont_na: 'wage' is not a column"),
        (lambda p, f: table_utility(f, p, cont_na={"age": "x"}), "cont_na: 'x' for 'age' is not a"),
        (
            lambda p, f: table_utility(f.assign(age="old"), p),
            "the release: column 'age' is a category (character), but an amount (integer) in the",
        ),
        (lambda p, f: table_utility(f, p).mean(3), "order: 3 is unknown"),
        (lambda p, f: propensity_utility(f, p, interactions=1), "interactions: 1 is neither True"),
    ],
)
def test_bad_input(people, fake, call, says):
    with pytest.raises(InputError) as error:
        call(people, fake)
    assert says in str(error.value)


def test_many_levels_are_refused_by_name():
    frame = pd.DataFrame({"id": [f"p{i}" for i in range(500)], "x": range(500)})
    with pytest.raises(InputError, match="'id' alone has 499"):
        propensity_utility(frame, frame)
    assert propensity_utility(frame, frame, "x").S_pMSE == pytest.approx(0, abs=1e-9)


@pytest.mark.parametrize("kind", ["int64", "int16", "int8", "float64"])
def test_classes_of_small_types(kind):
    original, release = [120, 100, 100, -127, -127, -120], [-127, -50, -128, -127, -128, -50]
    frames = [pd.DataFrame({"x": np.array(v, dtype=kind)}) for v in (release, original)]
    assert table_utility(*frames, classes=2).mean() == 0.5


# ---- what others see ---------------------------------------------------------------------


def test_distances_have_two_significant_digits_in_exports():
    number = np.arange(1000)
    original = pd.DataFrame({"k": number // 20, "t": np.where(number < 997, "no", "yes")})
    release = original.assign(t="no", k=(original["k"] * 3) % 60)
    result = table_utility(release, original, orders=1)
    mean = result.mean()
    assert f"{mean:.4f}" in result.summary() + result.to_markdown(round_to=1)
    assert f"{mean:.2g}" in result.to_markdown() and f"{mean:.4f}" not in result.to_markdown()
    assert result.to_dict()["by_set"] == result.by_set.tolist()


@pytest.mark.parametrize("function", [table_utility, propensity_utility])
def test_columns_that_one_side_lacks_are_named(function):
    people = pd.DataFrame({"sex": list("fmfm") * 10, "job": list("xxyy") * 10})
    told = str(function(people.assign(id=1), people.assign(town="A")))
    assert "because the release lacks it: town" in told
    assert "because the original lacks it: id" in told
    assert "Not compared" not in str(function(people, people))
