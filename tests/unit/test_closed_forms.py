"""Closed forms of risk and utility: by hand, against simulations of skewed data, and optima."""

from __future__ import annotations

import math

import numpy as np
import pytest

from synthpop_py import InputError
from synthpop_py.closed_forms import (
    RiskUtility,
    noise_ru,
    optimal_noise,
    optimal_samples,
    optimal_swap_rate,
    original_ru,
    printed_threshold,
    ru_curve,
    swapping_error,
    swapping_ru,
    synthetic_ru,
)

NOISE_SNOOPERS = ("optimal", "mean", "linked", "as_printed")
SWAP_SNOOPERS = ("optimal", "mean", "linked")

RUNS = 200_000  # replicates of each simulation
CLOSE = 4.0  # standard errors; 42 comparisons with fixed seeds, the largest is 2.4
FAR = 15.0  # standard errors by which a wrong formula must be refused; the smallest is 20.7

# ---- by hand -------------------------------------------------------------------------


def test_original():
    inside, outside = original_ru(5, 2.0), original_ru(5, 2.0, target="outside")
    assert (inside.utility, inside.risk) == pytest.approx((5 / 2, 5 / (4 * 2)))
    assert outside.utility == inside.utility and outside.risk == pytest.approx(5 / (6 * 2))
    linked = original_ru(5, 2.0, snooper="linked")
    assert linked.risk == math.inf and linked.snooper_mse == 0 and linked.identity_risk == 1


def test_a_single_record_is_its_own_mean():
    assert original_ru(1, 2.0).risk == math.inf


def test_no_noise_is_the_original():
    for snooper in ("mean", "linked"):
        assert (
            noise_ru(7, 3.0, 0.0, snooper=snooper).snooper_mse
            == original_ru(7, 3.0, snooper=snooper).snooper_mse
        )
    assert (
        noise_ru(7, 3.0, 0.0).risk == math.inf
        and noise_ru(7, 3.0, 0.0).utility == original_ru(7, 3.0).utility
    )
    assert noise_ru(4, 0.0, 0.0).snooper_mse == 0


def test_the_mean_beats_the_link_from_equal_variances_on():
    assert noise_ru(9, 2.0, 1.9, snooper="mean").risk < noise_ru(9, 2.0, 1.9, snooper="linked").risk
    assert noise_ru(9, 2.0, 2.0, snooper="mean").risk == pytest.approx(
        noise_ru(9, 2.0, 2.0, snooper="linked").risk
    )
    assert noise_ru(9, 2.0, 2.1, snooper="mean").risk > noise_ru(9, 2.0, 2.1, snooper="linked").risk


def test_the_optimal_snooper_is_never_worse_and_printed_risks_are_lower_bounds():
    for n in (1, 2, 5, 1000):
        for noise in (1e-6, 0.3, 1.0, 7.0, 1e6):
            best, printed = (
                noise_ru(n, 1.0, noise).risk,
                noise_ru(n, 1.0, noise, snooper="as_printed").risk,
            )
            assert best >= printed * (1 - 1e-12)
            assert printed == max(
                noise_ru(n, 1.0, noise, snooper=s).risk for s in ("mean", "linked")
            )
    assert noise_ru(5, 1.0, 1.0).risk > 1.5 * noise_ru(5, 1.0, 1.0, snooper="as_printed").risk


def test_synthetic():
    point = synthetic_ru(3, 4, 2.0, 0.6)
    assert point.utility == pytest.approx(
        3 * 4 / (4 * 0.6 + 2)
    ) and point.snooper_mse == pytest.approx(2 + 0.6 / 3 + 2 / 12)
    assert 1 / point.risk == pytest.approx(2 + 1 / point.utility)
    assert synthetic_ru(3, 4, 2.0, 0.6, snooper="record").snooper_mse == pytest.approx(4.6)
    assert synthetic_ru(3, 4, 2.0, 0.6, snooper="record_as_printed").snooper_mse == pytest.approx(
        2.6
    )


def test_there_is_no_threshold_except_in_print():
    m, k = 3, 4
    at = printed_threshold(m, k, 2.0)
    assert at == pytest.approx(2 / (4 * 2))
    for hyper in (0.0, at / 2, at * 0.999, at * 1.001, 5.0):
        by_mean = synthetic_ru(m, k, 2.0, hyper).snooper_mse
        assert by_mean < synthetic_ru(m, k, 2.0, hyper, snooper="record").snooper_mse
        assert (
            by_mean < synthetic_ru(m, k, 2.0, hyper, snooper="record_as_printed").snooper_mse
        ) == (hyper > at)
    assert printed_threshold(1, 4, 2.0) == math.inf


def test_swapping_one_pair_and_several():
    point = swapping_ru(0.3, 3, 2, 1.5, 2.0, snooper="linked")
    assert (
        point.user_mse == pytest.approx(5 / 6 * 1.5 + 25 / 36 * 0.3 * 4)
        and point.snooper_mse == pytest.approx(0.3 * (3 + 4))
        and point.identity_risk == 0.7
    )
    assert (
        swapping_ru(0.3, 3, 2, 1.5, -2.0).user_mse == point.user_mse
    )  # the sign of the difference does not matter
    two = swapping_ru(0.3, 3, 2, 1.5, 2.0, pairs=2)
    assert two.user_mse == pytest.approx(5 / 6 * 1.5 + 25 / 36 * 4 * (2 * 0.3 * 0.7 + 4 * 0.09))
    assert swapping_ru(0, 3, 2, 1.5, 2.0).risk == math.inf


def test_shown():
    assert (
        repr(RiskUtility(0.5, 0.25))
        == "RiskUtility: utility 2 (higher is more useful), risk 4 (higher is riskier), in 1 /"
        " (unit of X)²"
    )
    assert "identity risk 0.7 (probability of a correct link)" in repr(RiskUtility(0.5, 0.25, 0.7))


# ---- simulation ----------------------------------------------------------------------


def skewed(
    generator: np.random.Generator, mean: float, variance: float, shape: tuple[int, ...]
) -> np.ndarray:
    """Exponential: skewness 2."""
    return mean + math.sqrt(variance) * (generator.standard_exponential(shape) - 1)


def z(squared_errors: np.ndarray, mse: float) -> float:
    return float(
        (squared_errors.mean() - mse) / (squared_errors.std() / math.sqrt(len(squared_errors)))
    )


@pytest.mark.parametrize("n", [2, 6])
def test_original_simulated(n):
    generator = np.random.default_rng(n)
    x = skewed(generator, 3.0, 2.0, (RUNS, n))
    other = skewed(generator, 3.0, 2.0, (RUNS,))
    guess = x.mean(axis=1)
    assert abs(z((guess - 3) ** 2, original_ru(n, 2.0).user_mse)) < CLOSE
    assert abs(z((guess - x[:, 0]) ** 2, original_ru(n, 2.0).snooper_mse)) < CLOSE
    assert abs(z((guess - other) ** 2, original_ru(n, 2.0, target="outside").snooper_mse)) < CLOSE
    assert abs(z((guess - other) ** 2, original_ru(n, 2.0).snooper_mse)) > FAR


@pytest.mark.parametrize("n, noise", [(2, 0.5), (6, 0.5), (6, 2.0), (6, 8.0)])
def test_noise_simulated(n, noise):
    generator = np.random.default_rng([n, int(10 * noise)])
    x = skewed(generator, -1.0, 2.0, (RUNS, n))
    y = x + skewed(generator, 0.0, noise, (RUNS, n))
    a = 2.0 / (2.0 + noise)
    guesses = {
        "mean": y.mean(axis=1),
        "linked": y[:, 0],
        "optimal": a * y[:, 0] + (1 - a) * y.mean(axis=1),
    }
    assert abs(z((y.mean(axis=1) + 1) ** 2, noise_ru(n, 2.0, noise).user_mse)) < CLOSE
    for snooper, guess in guesses.items():
        assert (
            abs(z((guess - x[:, 0]) ** 2, noise_ru(n, 2.0, noise, snooper=snooper).snooper_mse))
            < CLOSE
        )
    assert (
        z(
            (guesses["optimal"] - x[:, 0]) ** 2,
            noise_ru(n, 2.0, noise, snooper="as_printed").snooper_mse,
        )
        < -FAR
    )


@pytest.mark.parametrize("weight", [0.3, 0.45, 0.55, 0.7])
def test_no_other_weight_does_better_than_the_optimal_one(weight):
    generator = np.random.default_rng(5)
    x = skewed(generator, 0.0, 1.0, (RUNS, 4))
    y = x + generator.standard_normal((RUNS, 4))
    errors = [(a * y[:, 0] + (1 - a) * y.mean(axis=1) - x[:, 0]) ** 2 for a in (weight, 1 / 2)]
    assert (
        z(errors[0] - errors[1], 0.0) > CLOSE
    )  # the optimal weight is 1/2; both ways on the same data


@pytest.mark.parametrize("m, k, hyper", [(1, 5, 0.4), (4, 3, 0.4), (3, 10, 2.0)])
def test_synthetic_simulated(m, k, hyper):
    generator = np.random.default_rng([m, k])
    centre = skewed(generator, 7.0, hyper, (RUNS, m, 1))
    y = centre + skewed(generator, 0.0, 1.5, (RUNS, m, k))
    target = skewed(generator, 7.0, 1.5, (RUNS,))
    grand, record = y.mean(axis=(1, 2)), y[:, 0, 0]
    assert abs(z((grand - 7) ** 2, synthetic_ru(m, k, 1.5, hyper).user_mse)) < CLOSE
    assert abs(z((grand - target) ** 2, synthetic_ru(m, k, 1.5, hyper).snooper_mse)) < CLOSE
    assert (
        abs(z((record - target) ** 2, synthetic_ru(m, k, 1.5, hyper, snooper="record").snooper_mse))
        < CLOSE
    )
    printed = synthetic_ru(m, k, 1.5, hyper, snooper="record_as_printed").snooper_mse
    assert z((record - target) ** 2, printed) > FAR
    assert (
        abs(z((centre[:, 0, 0] - target) ** 2, printed)) < CLOSE
    )  # the printed error is that of guessing by the sample's own mean


@pytest.mark.parametrize(
    "n1, n2, rate, pairs", [(3, 2, 0.3, 1), (3, 2, 0.3, 2), (6, 9, 0.5, 4), (3, 2, 1.0, 1)]
)
def test_swapping_simulated(n1, n2, rate, pairs):
    generator = np.random.default_rng([n1, pairs, int(10 * rate)])
    first, second = skewed(generator, 5.0, 2.0, (RUNS, n1)), skewed(generator, 3.5, 2.0, (RUNS, n2))
    true = first[:, 0].copy()
    moved = generator.random((RUNS, pairs)) < rate
    first[:, :pairs], second[:, :pairs] = (
        np.where(moved, second[:, :pairs], first[:, :pairs]),
        np.where(moved, first[:, :pairs], second[:, :pairs]),
    )
    point = swapping_ru(rate, n1, n2, 2.0, 1.5, pairs=pairs, snooper="linked")
    assert abs(z((first.mean(axis=1) - second.mean(axis=1) - 1.5) ** 2, point.user_mse)) < CLOSE
    assert abs(z((first[:, 0] - true) ** 2, point.snooper_mse)) < CLOSE
    assert (~moved[:, 0]).mean() == pytest.approx(point.identity_risk, abs=0.01)
    by_mean = (first.mean(axis=1) - true) ** 2
    assert (
        abs(
            z(by_mean, swapping_ru(rate, n1, n2, 2.0, 1.5, pairs=pairs, snooper="mean").snooper_mse)
        )
        < CLOSE
    )
    weights = np.linspace(0, 1, 41)
    others = first[:, 1:].mean(axis=1)
    errors = [((w * first[:, 0] + (1 - w) * others - true) ** 2).mean() for w in weights]
    best = swapping_ru(rate, n1, n2, 2.0, 1.5, pairs=pairs).snooper_mse
    w = weights[int(np.argmin(errors))]
    assert (
        abs(z((w * first[:, 0] + (1 - w) * others - true) ** 2, best)) < CLOSE
    )  # no weight does better, and the best of them does as well
    assert min(errors) > best * 0.98 and best < min(point.snooper_mse, by_mean.mean())


def test_a_snooper_who_uses_the_area_does_better_than_the_printed_one():
    """By hand: areas of 3 and 2, sigma = delta = 1, one pair."""

    def mse(rate, snooper):
        return swapping_ru(rate, 3, 2, 1.0, 1.0, snooper=snooper).snooper_mse

    assert (
        mse(1, "linked") == 3
        and mse(1, "mean") == pytest.approx(4 / 3 + 1 / 9)
        and mse(1, "optimal") == pytest.approx((3 * 1.5 - 1) / (3 + 1.5 - 2))
    )
    assert mse(0, "linked") == mse(0, "optimal") == 0 and mse(0, "mean") == pytest.approx(2 / 3)
    assert (
        swapping_ru(0.4, 1, 2, 1.0, 1.0).snooper_mse
        == swapping_ru(0.4, 1, 2, 1.0, 1.0, snooper="mean").snooper_mse
        == pytest.approx(0.4 * 3)
    )  # alone in the area: nobody to average with
    assert swapping_ru(0.5, 3, 2, 0.0, 0.0).snooper_mse == 0


@pytest.mark.parametrize("delta", [0.0, 0.5, 3.0, 30.0])
def test_more_swapping_is_safer_against_every_snooper(delta):
    for n1, pairs in ((2, 1), (2, 2), (5, 3), (40, 1), (40, 40)):
        for snooper in SWAP_SNOOPERS:
            errors = [
                swapping_ru(rate, n1, 50, 1.0, delta, pairs=pairs, snooper=snooper).snooper_mse
                for rate in np.linspace(0, 1, 101)
            ]
            assert (np.diff(errors) >= -1e-12 * max(errors)).all(), (n1, pairs, snooper)
        best, *others = (
            np.array(
                [
                    swapping_ru(rate, n1, 50, 1.0, delta, pairs=pairs, snooper=s).snooper_mse
                    for rate in np.linspace(0, 1, 21)
                ]
            )
            for s in SWAP_SNOOPERS
        )
        assert all((best <= other * (1 + 1e-12)).all() for other in others)


def test_a_large_area_is_the_most_careful_case_of_the_optimal_snooper():
    for rate in (0.1, 0.5, 1.0):
        large = swapping_error("optimal", rate, math.inf, 1.0, 1.5, 1)
        errors = [
            swapping_ru(rate, n1, 60, 1.0, 1.5, pairs=pairs).snooper_mse
            for n1, pairs in ((2, 1), (5, 1), (60, 1), (60, 30), (5, 4))
        ]
        assert large <= min(errors) and errors[2] == pytest.approx(large, rel=0.02)


# ---- optima --------------------------------------------------------------------------


@pytest.mark.parametrize("snooper", NOISE_SNOOPERS)
@pytest.mark.parametrize("n", [1, 2, 50, 10**6])
def test_noise_meets_the_ceiling_and_no_less_would(snooper, n):
    for ceiling in (0.05, 0.9, 1.0, 1.3, 40.0, 1e8):
        noise = optimal_noise(ceiling, n, 1.0, snooper=snooper)
        assert noise_ru(n, 1.0, noise, snooper=snooper).risk <= ceiling * (1 + 1e-9)
        if noise > 0:
            assert noise_ru(n, 1.0, noise * (1 - 1e-6), snooper=snooper).risk > ceiling * (1 - 1e-9)


def test_noise_without_spread_in_the_data():
    assert optimal_noise(2.0, 4, 0.0) == pytest.approx(2.0)  # the error is noise / n
    assert optimal_noise(0.5, 10, 1.0, snooper="mean") == pytest.approx(20 - 9)


def test_samples_meet_the_ceiling_and_one_more_would_not():
    for ceiling in (0.4, 0.6, 0.8, 0.9, 0.99):
        m = optimal_samples(ceiling, 4, 1.0, 2.5)
        assert (
            synthetic_ru(int(m), 4, 1.0, 2.5).risk
            <= ceiling * (1 + 1e-12)
            < synthetic_ru(int(m) + 1, 4, 1.0, 2.5).risk
        )
    assert optimal_samples(1.0, 4, 1.0, 2.5) == math.inf  # sigma² alone protects enough


def test_swapping_rate_meets_the_ceiling():
    rate = optimal_swap_rate(0.7, 1.0, 2.0, snooper="linked")
    assert swapping_ru(rate, 3, 2, 1.0, 2.0, snooper="linked").risk == pytest.approx(0.7)
    assert optimal_swap_rate(
        0.7, 1.0, 2.0, snooper="linked", identity_ceiling=0.1
    ) == pytest.approx(0.9)
    assert (
        optimal_swap_rate(1 / 6, 1.0, 2.0, snooper="linked") == 1.0
    )  # exactly attainable, by swapping everybody
    assert (
        optimal_swap_rate(1.0, 1.0, 2.0) == 1.0
    )  # the wall of one who knows the area's mean: sigma²
    assert optimal_swap_rate(
        2.0, 1.0, 2.0, snooper="mean", n1=3, identity_ceiling=0.7
    ) == pytest.approx(0.3)  # the mean errs by 2/3 without any swap


@pytest.mark.parametrize("snooper", SWAP_SNOOPERS)
@pytest.mark.parametrize("n1, pairs", [(3, 1), (3, 2), (30, 1), (30, 30)])
def test_no_lower_rate_meets_the_ceiling(snooper, n1, pairs):
    lowest = swapping_ru(1.0, n1, 40, 1.0, 1.5, pairs=pairs, snooper=snooper).risk
    for ceiling in (lowest * 1.0001, lowest * 1.2, lowest * 3, 50 * lowest):
        rate = optimal_swap_rate(ceiling, 1.0, 1.5, snooper=snooper, n1=n1, pairs=pairs)
        assert swapping_ru(rate, n1, 40, 1.0, 1.5, pairs=pairs, snooper=snooper).risk <= ceiling * (
            1 + 1e-9
        )
        if rate > 0:
            assert swapping_ru(
                rate * (1 - 1e-6), n1, 40, 1.0, 1.5, pairs=pairs, snooper=snooper
            ).risk > ceiling * (1 - 1e-9)


# ---- curves --------------------------------------------------------------------------


def test_a_curve_is_the_closed_form_at_each_value():
    curve = ru_curve("noise", [0.5, 1.0, 2.0], n=5, variance=1.0, snooper="linked")
    assert curve.table["noise_variance"].tolist() == [0.5, 1.0, 2.0]
    assert curve.table["risk"].tolist() == [2.0, 1.0, 0.5] and curve.table[
        "utility"
    ].tolist() == pytest.approx([5 / 1.5, 5 / 2, 5 / 3])
    assert float(curve.under(1.0)["noise_variance"]) == 1.0
    assert ru_curve("swapping", [1, 2, 3], over="delta", rate=0.5, n1=3, n2=2, variance=1.0).table[
        "delta"
    ].tolist() == [1, 2, 3]
    assert (
        ru_curve("synthetic", [1, 2], records=4, variance=1.0, hyper_variance=1.0).over == "samples"
    )


def test_a_curve_in_other_shapes():
    curve = ru_curve("swapping", np.linspace(0, 1, 3), n1=3, n2=2, variance=1.0, delta=1.0)
    tidy = curve.tidy()
    assert tidy["quantity"].tolist() == ["utility"] * 3 + ["risk"] * 3 and set(tidy["unit"]) == {
        "1 / (unit of X)²"
    }
    assert (tidy["value"] * tidy["mse"])[1:].dropna().tolist() == pytest.approx([1] * 4)
    assert (
        tidy["direction"].iloc[0] == "higher is more useful"
        and tidy["direction"].iloc[-1] == "higher is riskier"
    )
    assert (
        "<caption>risk and utility by rate</caption>" in curve._repr_html_()
        and "1.2" in curve._repr_html_()
    )


def test_a_curve_over_snoopers_is_shown():
    curve = ru_curve(
        "noise", ["mean", "linked"], over="snooper", noise_variance=1.0, n=5, variance=1.0
    )
    texts = curve.table["snooper"].tolist()
    assert texts == ["mean", "linked"] and all(text in repr(curve) for text in texts)
    low, high = sorted(curve.table["risk"])
    assert curve.summary() == (
        f"2 values of snooper, all with utility 2.5; risk {low:.4g} to {high:.4g}."
    )
    drawn = {text.get_text() for text in curve.plot().texts}
    assert set(texts) <= drawn


def test_a_long_curve_is_shown_in_part():
    text = repr(ru_curve("swapping", np.linspace(0, 1, 101), n1=3, n2=2, variance=1.0, delta=1.0))
    assert text.count("\n") < 20 and text.endswith("and 91 more in .table")


# ---- bad input -----------------------------------------------------------------------


@pytest.mark.parametrize(
    "call, says",
    [
        (lambda: original_ru(0, 1.0), "n: 0 is not a whole number of 1 or more"),
        (lambda: original_ru(2.5, 1.0), "n: 2.5"),
        (lambda: original_ru(3, -1.0), "variance: -1.0 is not a number of at least 0"),
        (lambda: original_ru(3, math.nan), "variance: nan"),
        (
            lambda: original_ru(3, 1.0, target="in"),
            "target: 'in' is unknown; choices: 'in_sample', 'outside'",
        ),
        (
            lambda: original_ru(3, 1.0, target="outside", snooper="linked"),
            "snooper: 'linked' needs a target in the sample",
        ),
        (lambda: noise_ru(3, 1.0, -0.1), "noise_variance: -0.1"),
        (
            lambda: noise_ru(3, 1.0, 0.1, snooper="best"),
            "snooper: 'best' is unknown; choices: 'optimal', 'mean', 'linked', 'as_printed'",
        ),
        (lambda: synthetic_ru(0, 3, 1.0, 1.0), "samples: 0"),
        (lambda: synthetic_ru(1, 3, 1.0, -1.0), "hyper_variance: -1.0"),
        (
            lambda: swapping_ru(1.2, 3, 2, 1.0, 1.0),
            "rate: 1.2 is not a number of at least 0 and of at most 1",
        ),
        (lambda: swapping_ru(-0.1, 3, 2, 1.0, 1.0), "rate: -0.1"),
        (
            lambda: swapping_ru(0.1, 3, 2, 1.0, 1.0, pairs=3),
            "pairs: 3 pairs need as many records in each area; give at most 2",
        ),
        (lambda: optimal_noise(0, 3, 1.0), "ceiling: 0 is not a number above 0"),
        (
            lambda: optimal_samples(0.1, 4, 1.0, 2.5),
            "ceiling: 0.1 cannot be met; with one sample of 4 records the risk is 0.266667",
        ),
        (
            lambda: swapping_ru(0.1, 3, 2, 1.0, 1.0, snooper="best"),
            "snooper: 'best' is unknown; choices: 'optimal', 'mean', 'linked'",
        ),
        (
            lambda: optimal_swap_rate(0.1, 1.0, 1.0, snooper="linked"),
            (
                "ceiling: 0.1 cannot be met; even with every candidate swapped the risk is 0.333333"
                " (snooper 'linked')"
            ),
        ),
        (
            lambda: optimal_swap_rate(0.9, 1.0, 1.0),
            (
                "ceiling: 0.9 cannot be met; even with every candidate swapped the risk is 1"
                " (snooper 'optimal')"
            ),
        ),
        (lambda: optimal_swap_rate(0.1, 0.0, 0.0), "the risk is inf"),
        (
            lambda: optimal_swap_rate(1.0, 1.0, 1.0, snooper="mean"),
            "n1: is not given, but the error of snooper='mean' depends on it",
        ),
        (
            lambda: optimal_swap_rate(1.0, 1.0, 1.0, n1=2, pairs=3),
            "pairs: 3 pairs need as many records in each area; give at most 2",
        ),
        (lambda: optimal_swap_rate(1.0, 1.0, 1.0, identity_ceiling=2), "identity_ceiling: 2"),
        (lambda: ru_curve("swaping", [0]), "form: 'swaping' is unknown"),
        (
            lambda: ru_curve("swapping", [], n1=3, n2=2, variance=1.0, delta=1.0),
            "values: none given",
        ),
        (
            lambda: ru_curve(
                "swapping", [0.5, 1], n1=3, n2=2, variance=1.0, delta=1.0, snooper="linked"
            ).under(0.1),
            "ceiling: 0.1 is below every risk of the curve; the lowest is 0.333333",
        ),
    ],
)
def test_bad_input(call, says):
    with pytest.raises(InputError) as error:
        call()
    assert says in str(error.value)
