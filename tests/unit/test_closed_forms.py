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
    assert original_ru(1, 2.0).risk == math.inf  # a single record is its own mean


def test_no_noise_is_the_original():
    for snooper in ("mean", "linked"):
        original = original_ru(7, 3.0, snooper=snooper)
        assert noise_ru(7, 3.0, 0.0, snooper=snooper).snooper_mse == original.snooper_mse
    none = noise_ru(7, 3.0, 0.0)
    assert none.risk == math.inf and none.utility == original_ru(7, 3.0).utility
    assert noise_ru(4, 0.0, 0.0).snooper_mse == 0


def test_the_mean_beats_the_link_from_equal_variances_on():
    for noise, better in ((1.9, "linked"), (2.1, "mean")):
        risks = {s: noise_ru(9, 2.0, noise, snooper=s).risk for s in ("mean", "linked")}
        assert max(risks, key=risks.get) == better
    equal = [noise_ru(9, 2.0, 2.0, snooper=s).risk for s in ("mean", "linked")]
    assert equal[0] == pytest.approx(equal[1])


def test_the_optimal_snooper_is_never_worse_and_printed_risks_are_lower_bounds():
    for n in (1, 2, 5, 1000):
        for noise in (1e-6, 0.3, 1.0, 7.0, 1e6):
            best, *two, printed = (noise_ru(n, 1.0, noise, snooper=s).risk for s in NOISE_SNOOPERS)
            assert best >= printed * (1 - 1e-12) and printed == max(two)
    assert noise_ru(5, 1.0, 1.0).risk > 1.5 * noise_ru(5, 1.0, 1.0, snooper="as_printed").risk


def test_synthetic():
    point = synthetic_ru(3, 4, 2.0, 0.6)
    assert point.utility == pytest.approx(3 * 4 / (4 * 0.6 + 2))
    assert point.snooper_mse == pytest.approx(2 + 0.6 / 3 + 2 / 12)
    assert 1 / point.risk == pytest.approx(2 + 1 / point.utility)
    for snooper, error in (("record", 4.6), ("record_as_printed", 2.6)):
        assert synthetic_ru(3, 4, 2.0, 0.6, snooper=snooper).snooper_mse == pytest.approx(error)


def test_there_is_no_threshold_except_in_print():
    m, k = 3, 4
    at = printed_threshold(m, k, 2.0)
    assert at == pytest.approx(2 / (4 * 2)) and printed_threshold(1, 4, 2.0) == math.inf
    for hyper in (0.0, at / 2, at * 0.999, at * 1.001, 5.0):
        snoopers = ("mean", "record", "record_as_printed")
        mean, record, printed = (
            synthetic_ru(m, k, 2.0, hyper, snooper=s).snooper_mse for s in snoopers
        )
        assert mean < record and (mean < printed) == (hyper > at)


def test_swapping_one_pair_and_several():
    point = swapping_ru(0.3, 3, 2, 1.5, 2.0, snooper="linked")
    assert point.user_mse == pytest.approx(5 / 6 * 1.5 + 25 / 36 * 0.3 * 4)
    assert point.snooper_mse == pytest.approx(0.3 * (3 + 4)) and point.identity_risk == 0.7
    # the sign of the difference does not matter
    assert swapping_ru(0.3, 3, 2, 1.5, -2.0).user_mse == point.user_mse
    two = swapping_ru(0.3, 3, 2, 1.5, 2.0, pairs=2)
    assert two.user_mse == pytest.approx(5 / 6 * 1.5 + 25 / 36 * 4 * (2 * 0.3 * 0.7 + 4 * 0.09))
    assert swapping_ru(0, 3, 2, 1.5, 2.0).risk == math.inf


def test_shown():
    assert repr(RiskUtility(0.5, 0.25)) == (
        "RiskUtility: utility 2 (higher is more useful), risk 4 (higher is riskier), in 1 /"
        " (unit of X)²"
    )
    assert "identity risk 0.7 (probability of a correct link)" in repr(RiskUtility(0.5, 0.25, 0.7))


# ---- simulation ----------------------------------------------------------------------


def skewed(generator: np.random.Generator, mean: float, variance: float, shape) -> np.ndarray:
    """Exponential: skewness 2."""
    return mean + math.sqrt(variance) * (generator.standard_exponential(shape) - 1)


def z(errors: np.ndarray, mse: float) -> float:
    """Of squared errors, in standard errors."""
    squares = errors**2
    return float((squares.mean() - mse) / (squares.std() / math.sqrt(len(squares))))


@pytest.mark.parametrize("n", [2, 6])
def test_original_simulated(n):
    generator = np.random.default_rng(n)
    x = skewed(generator, 3.0, 2.0, (RUNS, n))
    other = skewed(generator, 3.0, 2.0, RUNS)
    guess, point = x.mean(axis=1), original_ru(n, 2.0)
    assert abs(z(guess - 3, point.user_mse)) < CLOSE
    assert abs(z(guess - x[:, 0], point.snooper_mse)) < CLOSE
    assert abs(z(guess - other, original_ru(n, 2.0, target="outside").snooper_mse)) < CLOSE
    assert abs(z(guess - other, point.snooper_mse)) > FAR


@pytest.mark.parametrize("n, noise", [(2, 0.5), (6, 0.5), (6, 2.0), (6, 8.0)])
def test_noise_simulated(n, noise):
    generator = np.random.default_rng([n, int(10 * noise)])
    x = skewed(generator, -1.0, 2.0, (RUNS, n))
    y = x + skewed(generator, 0.0, noise, (RUNS, n))
    a, own, mean = 2.0 / (2.0 + noise), y[:, 0], y.mean(axis=1)
    guesses = {"mean": mean, "linked": own, "optimal": a * own + (1 - a) * mean}
    assert abs(z(mean + 1, noise_ru(n, 2.0, noise).user_mse)) < CLOSE
    for snooper, guess in guesses.items():
        mse = noise_ru(n, 2.0, noise, snooper=snooper).snooper_mse
        assert abs(z(guess - x[:, 0], mse)) < CLOSE
    printed = noise_ru(n, 2.0, noise, snooper="as_printed").snooper_mse
    assert z(guesses["optimal"] - x[:, 0], printed) < -FAR


@pytest.mark.parametrize("weight", [0.3, 0.45, 0.55, 0.7])
def test_no_other_weight_does_better_than_the_optimal_one(weight):
    generator = np.random.default_rng(5)
    x = skewed(generator, 0.0, 1.0, (RUNS, 4))
    y = x + generator.standard_normal((RUNS, 4))
    own, mean = y[:, 0], y.mean(axis=1)
    # the optimal weight is 1/2; both ways on the same data
    other, best = ((a * own + (1 - a) * mean - x[:, 0]) ** 2 for a in (weight, 1 / 2))
    more = other - best
    assert more.mean() / (more.std() / math.sqrt(RUNS)) > CLOSE


@pytest.mark.parametrize("m, k, hyper", [(1, 5, 0.4), (4, 3, 0.4), (3, 10, 2.0)])
def test_synthetic_simulated(m, k, hyper):
    generator = np.random.default_rng([m, k])
    centre = skewed(generator, 7.0, hyper, (RUNS, m, 1))
    y = centre + skewed(generator, 0.0, 1.5, (RUNS, m, k))
    target = skewed(generator, 7.0, 1.5, RUNS)
    grand, record = y.mean(axis=(1, 2)), y[:, 0, 0]
    point = synthetic_ru(m, k, 1.5, hyper)
    assert abs(z(grand - 7, point.user_mse)) < CLOSE
    assert abs(z(grand - target, point.snooper_mse)) < CLOSE
    by_record = synthetic_ru(m, k, 1.5, hyper, snooper="record").snooper_mse
    assert abs(z(record - target, by_record)) < CLOSE
    printed = synthetic_ru(m, k, 1.5, hyper, snooper="record_as_printed").snooper_mse
    assert z(record - target, printed) > FAR
    # the printed error is that of guessing by the sample's own mean
    assert abs(z(centre[:, 0, 0] - target, printed)) < CLOSE


@pytest.mark.parametrize(
    "n1, n2, rate, pairs", [(3, 2, 0.3, 1), (3, 2, 0.3, 2), (6, 9, 0.5, 4), (3, 2, 1.0, 1)]
)
def test_swapping_simulated(n1, n2, rate, pairs):
    generator = np.random.default_rng([n1, pairs, int(10 * rate)])
    first, second = skewed(generator, 5.0, 2.0, (RUNS, n1)), skewed(generator, 3.5, 2.0, (RUNS, n2))
    true = first[:, 0].copy()
    moved = generator.random((RUNS, pairs)) < rate
    here, there = first[:, :pairs].copy(), second[:, :pairs].copy()
    first[:, :pairs] = np.where(moved, there, here)
    second[:, :pairs] = np.where(moved, here, there)
    best, by_mean, point = (
        swapping_ru(rate, n1, n2, 2.0, 1.5, pairs=pairs, snooper=s) for s in SWAP_SNOOPERS
    )
    assert abs(z(first.mean(axis=1) - second.mean(axis=1) - 1.5, point.user_mse)) < CLOSE
    assert abs(z(first[:, 0] - true, point.snooper_mse)) < CLOSE
    assert (~moved[:, 0]).mean() == pytest.approx(point.identity_risk, abs=0.01)
    assert abs(z(first.mean(axis=1) - true, by_mean.snooper_mse)) < CLOSE
    others = first[:, 1:].mean(axis=1)
    errors = [w * first[:, 0] + (1 - w) * others - true for w in np.linspace(0, 1, 41)]
    least = min(errors, key=lambda error: (error**2).mean())
    # no weight does better, and the best of them does as well
    assert abs(z(least, best.snooper_mse)) < CLOSE
    assert (least**2).mean() > best.snooper_mse * 0.98
    assert best.snooper_mse < min(point.snooper_mse, by_mean.snooper_mse)


def test_a_snooper_who_uses_the_area_does_better_than_the_printed_one():
    """By hand: areas of 3 and 2, sigma = delta = 1, one pair."""

    def mse(rate, snooper, n1=3):
        return swapping_ru(rate, n1, 2, 1.0, 1.0, snooper=snooper).snooper_mse

    assert mse(1, "linked") == 3 and mse(1, "mean") == pytest.approx(4 / 3 + 1 / 9)
    assert mse(1, "optimal") == pytest.approx((3 * 1.5 - 1) / (3 + 1.5 - 2))
    assert mse(0, "linked") == mse(0, "optimal") == 0 and mse(0, "mean") == pytest.approx(2 / 3)
    # alone in the area: nobody to average with
    assert mse(0.4, "optimal", 1) == mse(0.4, "mean", 1) == pytest.approx(0.4 * 3)
    assert swapping_ru(0.5, 3, 2, 0.0, 0.0).snooper_mse == 0


@pytest.mark.parametrize("delta", [0.0, 0.5, 3.0, 30.0])
@pytest.mark.parametrize("n1, pairs", [(2, 1), (2, 2), (5, 3), (40, 1), (40, 40)])
def test_more_swapping_is_safer_against_every_snooper(delta, n1, pairs):
    errors = {}
    for s in SWAP_SNOOPERS:
        rates = np.linspace(0, 1, 101)
        points = [swapping_ru(r, n1, 50, 1.0, delta, pairs=pairs, snooper=s) for r in rates]
        errors[s] = np.array([point.snooper_mse for point in points])
        assert (np.diff(errors[s]) >= -1e-12 * errors[s].max()).all()
    for other in errors.values():
        assert (errors["optimal"] <= other * (1 + 1e-12)).all()


def test_a_large_area_is_the_most_careful_case_of_the_optimal_snooper():
    sizes = ((2, 1), (5, 1), (60, 1), (60, 30), (5, 4))
    for rate in (0.1, 0.5, 1.0):
        large = swapping_error("optimal", rate, math.inf, 1.0, 1.5, 1)
        errors = [swapping_ru(rate, n, 60, 1.0, 1.5, pairs=k).snooper_mse for n, k in sizes]
        assert large <= min(errors) and errors[2] == pytest.approx(large, rel=0.02)


# ---- optima --------------------------------------------------------------------------


@pytest.mark.parametrize("snooper", NOISE_SNOOPERS)
@pytest.mark.parametrize("n", [1, 2, 50, 10**6])
def test_noise_meets_the_ceiling_and_no_less_would(snooper, n):
    for ceiling in (0.05, 0.9, 1.0, 1.3, 40.0, 1e8):
        noise = optimal_noise(ceiling, n, 1.0, snooper=snooper)
        assert noise_ru(n, 1.0, noise, snooper=snooper).risk <= ceiling * (1 + 1e-9)
        less = noise_ru(n, 1.0, noise * (1 - 1e-6), snooper=snooper).risk
        assert noise == 0 or less > ceiling * (1 - 1e-9)


def test_noise_without_spread_in_the_data():
    assert optimal_noise(2.0, 4, 0.0) == pytest.approx(2.0)  # the error is noise / n
    assert optimal_noise(0.5, 10, 1.0, snooper="mean") == pytest.approx(20 - 9)


def test_samples_meet_the_ceiling_and_one_more_would_not():
    for ceiling in (0.4, 0.6, 0.8, 0.9, 0.99):
        m = int(optimal_samples(ceiling, 4, 1.0, 2.5))
        at, beyond = (synthetic_ru(number, 4, 1.0, 2.5).risk for number in (m, m + 1))
        assert at <= ceiling * (1 + 1e-12) < beyond
    assert optimal_samples(1.0, 4, 1.0, 2.5) == math.inf  # sigma² alone protects enough


def test_swapping_rate_meets_the_ceiling():
    rate = optimal_swap_rate(0.7, 1.0, 2.0, snooper="linked")
    assert swapping_ru(rate, 3, 2, 1.0, 2.0, snooper="linked").risk == pytest.approx(0.7)
    limited = optimal_swap_rate(0.7, 1.0, 2.0, snooper="linked", identity_ceiling=0.1)
    assert limited == pytest.approx(0.9)
    # exactly attainable, by swapping everybody
    assert optimal_swap_rate(1 / 6, 1.0, 2.0, snooper="linked") == 1.0
    # the wall of one who knows the area's mean: sigma²
    assert optimal_swap_rate(1.0, 1.0, 2.0) == 1.0
    # the mean errs by 2/3 without any swap
    mean = optimal_swap_rate(2.0, 1.0, 2.0, snooper="mean", n1=3, identity_ceiling=0.7)
    assert mean == pytest.approx(0.3)


@pytest.mark.parametrize("snooper", SWAP_SNOOPERS)
@pytest.mark.parametrize("n1, pairs", [(3, 1), (3, 2), (30, 1), (30, 30)])
def test_no_lower_rate_meets_the_ceiling(snooper, n1, pairs):
    def risk(rate):
        return swapping_ru(rate, n1, 40, 1.0, 1.5, pairs=pairs, snooper=snooper).risk

    for times in (1.0001, 1.2, 3, 50):
        ceiling = risk(1.0) * times
        rate = optimal_swap_rate(ceiling, 1.0, 1.5, snooper=snooper, n1=n1, pairs=pairs)
        assert risk(rate) <= ceiling * (1 + 1e-9)
        assert rate == 0 or risk(rate * (1 - 1e-6)) > ceiling * (1 - 1e-9)


# ---- curves --------------------------------------------------------------------------

AREAS = {"n1": 3, "n2": 2, "variance": 1.0, "delta": 1.0}


def test_a_curve_is_the_closed_form_at_each_value():
    curve = ru_curve("noise", [0.5, 1.0, 2.0], n=5, variance=1.0, snooper="linked")
    table = curve.table
    assert table["noise_variance"].tolist() == [0.5, 1.0, 2.0]
    assert table["risk"].tolist() == [2.0, 1.0, 0.5]
    assert table["utility"].tolist() == pytest.approx([5 / 1.5, 5 / 2, 5 / 3])
    assert float(curve.under(1.0)["noise_variance"]) == 1.0
    by_delta = ru_curve("swapping", [1, 2, 3], over="delta", rate=0.5, n1=3, n2=2, variance=1.0)
    assert by_delta.table["delta"].tolist() == [1, 2, 3]
    synthetic = ru_curve("synthetic", [1, 2], records=4, variance=1.0, hyper_variance=1.0)
    assert synthetic.over == "samples"


def test_a_curve_in_other_shapes():
    curve = ru_curve("swapping", np.linspace(0, 1, 3), **AREAS)
    tidy = curve.tidy()
    assert tidy["quantity"].tolist() == ["utility"] * 3 + ["risk"] * 3
    assert set(tidy["unit"]) == {"1 / (unit of X)²"}
    assert (tidy["value"] * tidy["mse"])[1:].dropna().tolist() == pytest.approx([1] * 4)
    directions = tidy["direction"].iloc[[0, -1]].tolist()
    assert directions == ["higher is more useful", "higher is riskier"]
    html = curve._repr_html_()
    assert "<caption>risk and utility by rate</caption>" in html and "1.2" in html


def test_a_curve_over_snoopers_is_shown():
    names = ["mean", "linked"]
    curve = ru_curve("noise", names, over="snooper", noise_variance=1.0, n=5, variance=1.0)
    assert curve.table["snooper"].tolist() == names and all(name in repr(curve) for name in names)
    low, high = sorted(curve.table["risk"])
    says = f"2 values of snooper, all with utility 2.5; risk {low:.4g} to {high:.4g}."
    assert curve.summary() == says
    assert set(names) <= {text.get_text() for text in curve.plot().texts}


def test_a_long_curve_is_shown_in_part():
    text = repr(ru_curve("swapping", np.linspace(0, 1, 101), **AREAS))
    assert text.count("\n") < 20 and text.endswith("and 91 more in .table")


# ---- bad input -----------------------------------------------------------------------

PAIRS = "pairs: 3 pairs need as many records in each area; give at most 2"
BEST = "snooper: 'best' is unknown; choices: 'optimal', 'mean', 'linked'"
BAD = {
    "n: 0 is not a whole number of 1 or more": lambda: original_ru(0, 1.0),
    "n: 2.5": lambda: original_ru(2.5, 1.0),
    "variance: -1.0 is not a number of at least 0": lambda: original_ru(3, -1.0),
    "variance: nan": lambda: original_ru(3, math.nan),
    "target: 'in' is unknown; choices: 'in_sample',": lambda: original_ru(3, 1.0, target="in"),
    "snooper: 'linked' needs a target in the sample": lambda: original_ru(
        3, 1.0, target="outside", snooper="linked"
    ),
    "noise_variance: -0.1": lambda: noise_ru(3, 1.0, -0.1),
    f"{BEST}, 'as_printed'": lambda: noise_ru(3, 1.0, 0.1, snooper="best"),
    "samples: 0": lambda: synthetic_ru(0, 3, 1.0, 1.0),
    "hyper_variance: -1.0": lambda: synthetic_ru(1, 3, 1.0, -1.0),
    "rate: 1.2 is not a number of at least 0 and of at most 1": lambda: swapping_ru(
        1.2, 3, 2, 1.0, 1.0
    ),
    "rate: -0.1": lambda: swapping_ru(-0.1, 3, 2, 1.0, 1.0),
    PAIRS: lambda: swapping_ru(0.1, 3, 2, 1.0, 1.0, pairs=3),
    BEST: lambda: swapping_ru(0.1, 3, 2, 1.0, 1.0, snooper="best"),
    "ceiling: 0 is not a number above 0": lambda: optimal_noise(0, 3, 1.0),
    "ceiling: 0.1 cannot be met; with one sample of 4 records the risk is 0.266667": lambda: (
        optimal_samples(0.1, 4, 1.0, 2.5)
    ),
    "even with every candidate swapped the risk is 0.333333 (snooper 'linked')": lambda: (
        optimal_swap_rate(0.1, 1.0, 1.0, snooper="linked")
    ),
    "even with every candidate swapped the risk is 1 (snooper 'optimal')": lambda: (
        optimal_swap_rate(0.9, 1.0, 1.0)
    ),
    "the risk is inf": lambda: optimal_swap_rate(0.1, 0.0, 0.0),
    "n1: is not given, but the error of snooper='mean' depends on it": lambda: optimal_swap_rate(
        1.0, 1.0, 1.0, snooper="mean"
    ),
    f"{PAIRS}"[:-1]: lambda: optimal_swap_rate(1.0, 1.0, 1.0, n1=2, pairs=3),
    "identity_ceiling: 2": lambda: optimal_swap_rate(1.0, 1.0, 1.0, identity_ceiling=2),
    "form: 'swaping' is unknown": lambda: ru_curve("swaping", [0]),
    "values: none given": lambda: ru_curve("swapping", [], **AREAS),
    "ceiling: 0.1 is below every risk of the curve; the lowest is 0.333333": lambda: ru_curve(
        "swapping", [0.5, 1], **AREAS, snooper="linked"
    ).under(0.1),
}


@pytest.mark.parametrize("says", BAD)
def test_bad_input(says):
    with pytest.raises(InputError) as error:
        BAD[says]()
    assert says in str(error.value)


@pytest.mark.parametrize("wrong", [{"k": 3}, {"samples": 3}, {"rate": 1}, {"over": "rates"}])
def test_arguments_of_a_curve_that_its_form_does_not_have(wrong):
    with pytest.raises(TypeError):
        ru_curve("swapping", [0], **AREAS, **wrong)
    with pytest.raises(TypeError, match="delta"):
        ru_curve("swapping", [0], n1=3, n2=2, variance=1.0)
