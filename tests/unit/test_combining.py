"""Combining rules and overlap of intervals against fractions worked out by hand."""

from __future__ import annotations

from fractions import Fraction as F
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from synthpop_py import estimation, matching
from synthpop_py.errors import InputError
from synthpop_py.estimation import ci_overlap, combine, combine_two_stage

Q, V = [F(1), F(6, 5), F(9, 10)], [F(4, 100), F(5, 100), F(45, 1000)]
EXACT = 1e-12  # relative: the rules are a handful of additions and divisions


def floats(values):
    return [float(v) for v in values]


def by_hand(q, v):
    """The one-stage rule in fractions: estimate, b, vbar, T, df (None where infinite)."""
    m = len(q)
    mean, within = sum(q) / m, sum(v) / m
    b = sum((x - mean) ** 2 for x in q) / (m - 1)
    return mean, b, within, within + b / m, None if b == 0 else (m - 1) * (1 + m * within / b) ** 2


# ---- one stage -----------------------------------------------------------------------


def test_the_worked_example():
    assert by_hand(Q, V) == (F(31, 30), F(7, 300), F(45, 1000), F(19, 360), F(9025, 98))
    result = combine(floats(Q), floats(V))
    for name, exact in zip(("estimate", "between", "within", "T", "df"), by_hand(Q, V)):
        assert getattr(result, name) == pytest.approx(float(exact), rel=EXACT)
    assert round(result.low, 5) == 0.57707 and round(result.high, 5) == 1.48960


@pytest.mark.parametrize("seed", range(20))
def test_random_fractions(seed):
    rng = np.random.default_rng(seed)
    m = int(rng.integers(2, 8))
    q = [F(int(x), 7) for x in rng.integers(-20, 20, m)]
    v = [F(int(x), 11) for x in rng.integers(0, 9, m)]
    mean, b, within, total, df = by_hand(q, v)
    result = combine(floats(q), floats(v), level=0.9)
    assert [result.estimate, result.between, result.within, result.T] == pytest.approx(
        floats([mean, b, within, total]), rel=EXACT, abs=1e-12
    )
    if df is None:
        assert result.df == np.inf
    else:
        assert result.df == pytest.approx(float(df), rel=1e-9)
        assert result.high - result.low == pytest.approx(
            2 * stats.t.ppf(0.95, float(df)) * float(total) ** 0.5, rel=1e-9
        )


def test_all_sets_agree():
    # 0.1 + 0.1 + 0.1 is not 0.3, so a naive mean differs from 0.1
    result = combine([0.1, 0.1, 0.1], [0.04, 0.04, 0.04])
    assert result.between == 0 and result.df == np.inf
    assert result.T == pytest.approx(0.04, rel=EXACT)
    assert result.high - result.low == pytest.approx(2 * 1.959963984540054 * 0.2, rel=EXACT)


def test_no_variance_within_or_at_all():
    result = combine([1.0, 3.0, 5.0], [0.0, 0.0, 0.0])  # b = 4
    assert result.df == 2 and result.T == pytest.approx(4 / 3, rel=EXACT)
    result = combine([2.0, 2.0], [0.0, 0.0])
    assert (result.T, result.df, result.low, result.high) == (0, np.inf, 2, 2)


def test_many_estimands_are_each_combined_alone():
    q = pd.DataFrame({"mean": floats(Q), "share": [0.5, 0.5, 0.5], "slope": [1.0, 3.0, 5.0]})
    v = pd.DataFrame({"mean": floats(V), "share": [0.01] * 3, "slope": [0.0] * 3})
    together = combine(q, v)
    assert together.names == ("mean", "share", "slope") and together.interval.shape == (3, 2)
    for at, name in enumerate(q):
        alone = combine(q[name], v[name])
        for figure in ("estimate", "T", "df", "low", "high", "between", "within"):
            assert getattr(together, figure)[at] == pytest.approx(getattr(alone, figure), rel=EXACT)


# ---- two stages ----------------------------------------------------------------------


def test_two_stages_by_hand():
    q = [[F(1), F(2)], [F(3), F(5)], [F(0), F(1)]]
    v = [[F(1, 2), F(1, 4)], [F(1, 3), F(1, 3)], [F(1), F(1, 6)]]
    nests = [sum(row) / 2 for row in q]
    mean, b, _, _, _ = by_hand(nests, [F(0)] * 3)
    within = sum(sum(row) for row in v) / 6
    assert (mean, b, within) == (F(2), F(13, 4), F(31, 72))
    result = combine_two_stage([floats(row) for row in q], [floats(row) for row in v])
    assert result.estimate == pytest.approx(2, rel=EXACT)
    assert result.between == pytest.approx(13 / 4, rel=EXACT)
    assert result.T == pytest.approx(float(within + b / 3), rel=EXACT)
    assert result.df == pytest.approx(float(2 * (1 + 3 * within / b) ** 2), rel=EXACT)


def test_nests_of_one_set_are_one_stage_and_how_their_sets_differ_does_not_matter():
    q, v = floats(Q), floats(V)
    one, two = combine(q, v), combine_two_stage([[x] for x in q], [[x] for x in v])
    for name in ("estimate", "T", "df", "low", "high"):
        assert getattr(one, name) == getattr(two, name)
    calm = combine_two_stage([[1.0, 1.0], [2.0, 2.0]], np.ones((2, 2)))
    wild = combine_two_stage([[-9.0, 11.0], [2.0, 2.0]], np.ones((2, 2)))
    assert (calm.T, calm.df) == (wild.T, wild.df)


def test_two_stages_many_estimands():
    rng = np.random.default_rng(3)
    q, v = rng.normal(size=(3, 4, 2)), rng.random((3, 4, 2))
    together = combine_two_stage(q, v)
    for at in (0, 1):
        alone = combine_two_stage(q[:, :, at], v[:, :, at])
        found = [together.T[at], together.df[at], together.low[at]]
        assert found == pytest.approx([alone.T, alone.df, alone.low], rel=EXACT)


# ---- what cannot be combined ---------------------------------------------------------


@pytest.mark.parametrize(
    "rule, q, v, says",
    [
        (combine, [1.0], [0.1], "comes from one synthetic set"),
        (combine_two_stage, [[1.0, 2.0]], [[0.1, 0.1]], "comes from one nest"),
        (combine, [1.0, 2.0], [0.1], "v: has the shape (1,), q has (2,)"),
        (combine, [1.0, 2.0], [0.1, -0.1], "negative value -0.1"),
        (combine, [1.0, np.nan], [0.1, 0.1], "missing or infinite"),
        (combine, [1.0, 2.0], [0.1, np.inf], "missing or infinite"),
        (combine, 1.0, 0.1, "give (m,)"),
        (combine, ["a", "b"], [1, 2], "cannot be read as numbers"),
        (combine, [[1, 2], [3]], [[1, 2], [3]], "cannot be read as numbers"),
        (combine, np.empty((3, 0)), np.empty((3, 0)), "q: has the shape (3, 0)"),
        (combine_two_stage, [1.0, 2.0], [0.1, 0.1], "give (m, r)"),
    ],
)
def test_bad_input(rule, q, v, says):
    with pytest.raises(InputError) as raised:
        rule(q, v)
    assert says in str(raised.value)


@pytest.mark.parametrize("level", [0, 1, 95, None, float("nan")])
def test_bad_level(level):
    with pytest.raises(InputError, match=r"^level: "):
        combine([1.0, 2.0], [0.1, 0.1], level=level)


# ---- overlap -------------------------------------------------------------------------


@pytest.mark.parametrize(
    "original, synthetic, overlap",
    [
        ((0, 1), (0, 1), 1),
        ((0, 2), (-1, 3), 0.75),
        ((0, 2), (-4, 6), 0.6),
        ((0, 4), (1, 2), 0.625),
        ((0, 1), (1, 2), 0),  # they touch
        ((0, 1), (2, 3), 0),
        ((0, 2), (1, 3), 0.5),
    ],
)
def test_overlap_by_hand(original, synthetic, overlap):
    result = ci_overlap(synthetic, original)
    assert result.mean == overlap and float(result) == overlap and result.each.tolist() == [overlap]
    assert ci_overlap(original, synthetic).mean == overlap


def test_the_formula_runs_below_zero_when_asked():
    assert ci_overlap((2, 3), (0, 1), disjoint="negative").mean == -1


def test_overlap_is_averaged_over_estimands():
    result = ci_overlap([(-1, 3), (1, 2), (2, 3)], [(0, 2), (0, 4), (0, 1)])
    assert result.each.tolist() == [0.75, 0.625, 0] and result.mean == pytest.approx(1.375 / 3)


def test_an_interval_of_length_0_has_no_overlap():
    result = ci_overlap([(0, 2), (0, 2)], [(0, 2), (1, 1)])
    assert result.undefined == 1 and np.isnan(result.each[1]) and result.mean == 1
    assert np.isnan(ci_overlap((1, 1), (1, 1)).mean)


def test_combined_results_can_be_compared_as_they_are():
    first, second = combine([1.0, 2.0], [0.5, 0.5]), combine([1.5, 2.5], [0.5, 0.5])
    assert (
        ci_overlap(second, first).mean == ci_overlap((second.low, second.high), first.interval).mean
    )


@pytest.mark.parametrize(
    "original, synthetic, says",
    [
        ((1, 0), (0, 1), "interval 1 ends at 0, below its start 1"),
        ((0, 1, 2), (0, 1), "give (low, high)"),
        ([(0, 1)], [(0, 1), (1, 2)], "synthetic: has 2 intervals, original has 1"),
        ((0, np.nan), (0, 1), "missing or infinite"),
        ((0, np.inf), (0, 1), "missing or infinite"),
    ],
)
def test_bad_intervals(original, synthetic, says):
    with pytest.raises(InputError) as raised:
        ci_overlap(synthetic, original)
    assert says in str(raised.value)


def test_unknown_treatment_of_disjoint_intervals():
    with pytest.raises(InputError, match="choices: 'zero', 'negative'"):
        ci_overlap((0, 1), (0, 1), disjoint="ignore")


# ---- views ---------------------------------------------------------------------------


def test_shown():
    q, v = pd.DataFrame({"age": [1.0, 3.0], "sex": [2.0, 2.0]}), np.full((2, 2), 0.25)
    head = "Combined from 2 synthetic sets; T is the variance of the estimate, low and high end the"
    table = """\
    estimate    T     df     low   high
age        2 1.25 1.5625 -4.3626 8.3626
sex        2 0.25    Inf  1.0200 2.9800"""
    assert repr(combine(q, v)) == f"{head} 95 %\ninterval\n{table}"
    html = combine([1.0, 3.0], [0.25, 0.25])._repr_html_()
    assert "<p>Combined from 2 synthetic sets" in html and '<td class="number">1.25</td>' in html
    tidy = combine_two_stage([[1.0, 3.0], [2.0, 2.0]], np.ones((2, 2))).tidy()
    assert " ".join(tidy.columns) == "estimand estimate T df low high between within m r level"
    assert tidy.loc[0, ["estimate", "T", "m", "r"]].tolist() == [2, 1, 2, 2]
    overlap = ci_overlap([(-1, 3), (0, 2), (0, 1)], [(0, 2), (1, 1), (0, 1)])
    assert repr(overlap) == (
        "Overlap of confidence intervals (1: the same, 0: disjoint): mean 0.875 over 2"
        " estimands, from 0.750\nto 1.000, 1 more undefined (an interval of length 0)"
    )


# ---- names belong together -----------------------------------------------------------

ESTIMATES = pd.DataFrame({"a": [1.0, 2.0, 3.0], "b": [4.0, 4.5, 5.0]})
VARIANCES = pd.DataFrame({"a": [0.1, 0.1, 0.1], "b": [0.9, 0.9, 0.9]})


def test_columns_of_variances_belong_to_estimates_by_name():
    turned = combine(ESTIMATES, VARIANCES[["b", "a"]])
    assert turned.within.tolist() == pytest.approx([0.1, 0.9]) and turned.names == ("a", "b")
    assert combine(ESTIMATES.to_numpy(), VARIANCES).names == ("a", "b")
    says = "v: its estimands are c, b, those of q are a, b; give both the same names"
    with pytest.raises(InputError, match=says):
        combine(ESTIMATES, VARIANCES.rename(columns={"a": "c"}))
    with pytest.raises(InputError, match="v: its estimands are a, those of q are a, b"):
        combine(ESTIMATES, VARIANCES[["a"]])


def test_intervals_belong_together_by_name():
    one, two = combine(ESTIMATES, VARIANCES), combine(ESTIMATES[["b", "a"]], VARIANCES)
    as_frame = pd.DataFrame(two.interval, index=list(two.names))
    by_position = combine(ESTIMATES.to_numpy(), VARIANCES.to_numpy())
    for other in (two, as_frame, one.interval, by_position):
        assert ci_overlap(other, one).each.tolist() == pytest.approx([1, 1])
    others = combine(ESTIMATES.rename(columns={"a": "c"}), VARIANCES.rename(columns={"a": "c"}))
    with pytest.raises(InputError, match="synthetic: its estimands are c, b, those of original"):
        ci_overlap(others, one)


# ---- quantiles without scipy.stats ---------------------------------------------------


def test_quantiles_are_those_of_scipy_stats():
    """Importing scipy.stats takes a third of a second; the functions behind it do not."""
    for level in (0.5, 0.8, 0.95, 0.999):
        for q, v in (
            ([1, 1.2, 0.9], [0.04, 0.05, 0.045]),
            ([1, 5], [0.1, 0.1]),
            ([1, 1.001, 1], [3, 3, 3]),
        ):
            found = combine(q, v, level=level)
            assert found.high - found.estimate == pytest.approx(
                stats.t.ppf((1 + level) / 2, found.df) * found.T**0.5, rel=1e-12
            )
        assert combine([1, 1], [2, 2], level=level).high == pytest.approx(
            1 + stats.norm.ppf((1 + level) / 2) * 2**0.5, rel=1e-13
        )


def test_nothing_here_imports_scipy_stats():
    sources = [
        path
        for family in (estimation, matching)
        for path in Path(family.__file__).parent.glob("*.py")
    ]
    assert len(sources) > 10 and not [
        path.name for path in sources if "stats" in path.read_text(encoding="utf-8")
    ]
