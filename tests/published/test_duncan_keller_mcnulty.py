"""Duncan and Keller-McNulty, "Bayesian insights on disclosure limitation: mask or impute?": their
example and their formulae. Section 6.2 has symbols only; the values of the curve are inferred from
the axis of the figure.
"""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest

from synthpop_py.closed_forms import (
    noise_ru,
    optimal_swap_rate,
    original_ru,
    printed_threshold,
    ru_curve,
    swapping_ru,
    synthetic_ru,
)
from synthpop_py.masks import matrix_mask, swap, swap_candidates, swap_matrix

AXIS = (0.6, 1.2)  # the ends of the data utility axis of their last figure


@pytest.fixture
def table() -> pd.DataFrame:
    """Section 2.2: three respondents in area 11, two in area 12. Age is the swapping key, geography
    the attribute, income (in thousands) protected.
    """
    return pd.DataFrame(
        {
            "Age": [37, 43, 43, 37, 37],
            "Geography": [11, 11, 11, 12, 12],
            "Income": [89, 46, 32, 55, 40],
        }
    )


# ---- section 2.2: swapping as a mask -------------------------------------------------


def test_the_37_year_old_of_area_11_is_the_one_candidate(table):
    found = swap_candidates(table, "Age", "Geography")
    assert found["candidate"].tolist() == [True, False, False, False, False]
    assert found["partners"].iloc[0] == 2  # the two 37-year-olds of area 12


def test_incomes_are_swapped_with_area_12_and_nothing_else_moves(table):
    outcomes = [
        swap(table, "Age", "Geography", 1, seed=seed, reproducible=True) for seed in range(30)
    ]
    assert {tuple(o["Income"]) for o in outcomes} == {(55, 46, 32, 89, 40), (40, 46, 32, 55, 89)}
    assert all(o[["Age", "Geography"]].equals(table[["Age", "Geography"]]) for o in outcomes)


def test_the_mask_is_a_permutation_of_the_protected_column_only(table):
    """The paper writes M = WX with the full X. That only changes the order of the records; W must
    work on the protected columns.
    """
    W = swap_matrix(5, [(0, 3)])
    full = matrix_mask(table, A=W)
    assert sorted(map(tuple, full.to_numpy())) == sorted(map(tuple, table.to_numpy()))
    protected = matrix_mask(table, A=W, columns="Income")
    assert protected["Income"].tolist() == [55, 46, 32, 89, 40]
    assert sorted(map(tuple, protected.to_numpy())) != sorted(map(tuple, table.to_numpy()))


# ---- section 6.2: the swapping example -----------------------------------------------


@pytest.mark.parametrize("rate", [Fraction(0), Fraction(1, 10), Fraction(1, 2), Fraction(1)])
@pytest.mark.parametrize("variance, delta", [(1, 1), (2, 3), (5, 0)])
def test_mean_squared_errors_of_the_example(rate, variance, delta):
    """The paper's snooper takes the linked value. n1 = 3, n2 = 2: 5/6 sigma² without swapping, plus
    (5/6)² pi (mu1 - mu2)² with it; the snooper's loss is pi (2 sigma² + (mu1 - mu2)²).
    """
    point = swapping_ru(float(rate), 3, 2, variance, delta, snooper="linked")
    assert point.user_mse == pytest.approx(
        float(Fraction(5, 6) * variance + Fraction(25, 36) * rate * delta**2), rel=1e-14
    )
    assert point.snooper_mse == pytest.approx(float(rate * (2 * variance + delta**2)), rel=1e-14)
    assert point.identity_risk == pytest.approx(
        float(1 - rate)
    )  # expected identity disclosure loss


def test_the_curve_of_the_figure():
    curve = ru_curve(
        "swapping", np.linspace(0, 1, 101), n1=3, n2=2, variance=1.0, delta=1.0, snooper="linked"
    ).table
    assert curve["utility"].iloc[0] == pytest.approx(
        1.2
    )  # rate 0: the right end of the printed axis
    assert curve["risk"].iloc[0] == math.inf
    assert (
        AXIS[0] <= curve["utility"].min() == pytest.approx(36 / 55)
        and curve["utility"].max() <= AXIS[1] + 1e-12
    )
    assert (
        curve["utility"].is_monotonic_decreasing and curve["risk"].is_monotonic_decreasing
    )  # more swapping: safer and less useful


def test_a_maximum_tolerable_risk_yields_an_optimal_rate():
    for ceiling in (0.5, 1.0, 2.0):
        rate = optimal_swap_rate(ceiling, 1.0, 1.0, snooper="linked")
        assert rate == pytest.approx(1 / (3 * ceiling)) and swapping_ru(
            rate, 3, 2, 1.0, 1.0, snooper="linked"
        ).risk == pytest.approx(ceiling)
        assert (
            swapping_ru(rate - 1e-6, 3, 2, 1.0, 1.0, snooper="linked").risk > ceiling
            and swapping_ru(rate + 1e-6, 3, 2, 1.0, 1.0).utility
            < swapping_ru(rate, 3, 2, 1.0, 1.0).utility
        )


def test_swapped_data_have_the_errors_of_the_example(table):
    """20,000 copies of the five, with incomes drawn from a skewed distribution, swapped by the mask
    itself.
    """
    runs, rate, mean = 20_000, 0.35, {11: 4.0, 12: 2.5}
    copies = pd.concat([table] * runs, ignore_index=True).assign(copy=np.repeat(np.arange(runs), 5))
    copies["Income"] = (
        np.random.default_rng(1).exponential(1.0, 5 * runs) - 1 + copies["Geography"].map(mean)
    )
    released = (
        swap(
            copies,
            ["copy", "Age"],
            "Geography",
            rate,
            protected="Income",
            seed=2,
            reproducible=True,
        )["Income"]
        .to_numpy()
        .reshape(runs, 5)
    )
    point = swapping_ru(rate, 3, 2, 1.0, 1.5, snooper="linked")
    user = (released[:, :3].mean(axis=1) - released[:, 3:].mean(axis=1) - 1.5) ** 2
    snooper = (released[:, 0] - copies["Income"].to_numpy().reshape(runs, 5)[:, 0]) ** 2
    for errors, mse in ((user, point.user_mse), (snooper, point.snooper_mse)):
        assert abs(errors.mean() - mse) < 4 * errors.std() / math.sqrt(runs)
    assert abs((snooper == 0).mean() - point.identity_risk) < 4 * math.sqrt(
        rate * (1 - rate) / runs
    )
    by_mean = (
        released[:, :3].mean(axis=1) - copies["Income"].to_numpy().reshape(runs, 5)[:, 0]
    ) ** 2
    assert abs(
        by_mean.mean() - swapping_ru(rate, 3, 2, 1.0, 1.5, snooper="mean").snooper_mse
    ) < 4 * by_mean.std() / math.sqrt(runs)


# ---- section 6: the other three ways to release data ---------------------------------


@pytest.mark.parametrize("n", [2, 10, 500])
@pytest.mark.parametrize("variance", [0.5, 4.0])
def test_original_and_masked_data(n, variance):
    original = original_ru(n, variance)
    assert original.utility == pytest.approx(n / variance) and original.risk == pytest.approx(
        n / (n - 1) / variance
    )
    assert (
        original_ru(n, variance, snooper="linked").risk == math.inf
    )  # the upper bound, if the snooper can link with certainty
    for noise in (0.3, 4.0, 20.0):
        assert noise_ru(n, variance, noise).utility == pytest.approx(n / (variance + noise))
        by_mean, linked = (noise_ru(n, variance, noise, snooper=s).risk for s in ("mean", "linked"))
        assert by_mean == pytest.approx(
            n / ((n - 1) * variance + noise)
        ) and linked == pytest.approx(1 / noise)
        assert (by_mean >= linked * (1 - 1e-12)) == (
            noise >= variance
        )  # "the data snooper gains by using the mean whenever lambda² >= sigma²"


@pytest.mark.parametrize("m, k", [(2, 10), (5, 3)])
def test_synthetic_data(m, k):
    variance, hyper = 2.0, 0.3
    assert synthetic_ru(m, k, variance, hyper).utility == pytest.approx(
        m * k / (k * hyper + variance)
    )
    # as printed: 1 / (sigma² + alpha²) for one synthetic record, and the mean is better when alpha²
    # > sigma² / (k (m - 1))
    threshold = printed_threshold(m, k, variance)
    assert threshold == pytest.approx(variance / (k * (m - 1)))
    for factor in (0.99, 1.01):
        printed = synthetic_ru(m, k, variance, factor * threshold, snooper="record_as_printed")
        assert printed.risk == pytest.approx(1 / (variance + factor * threshold))
        assert (synthetic_ru(m, k, variance, factor * threshold).risk > printed.risk) == (
            factor > 1
        )
