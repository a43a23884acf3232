"""Synthesis models: fits against hand-made answers and finite differences, draws against their
distribution, partial synthesis, bad input.
"""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from synthpop_py.errors import DataWarning, InputError
from synthpop_py.estimation import design as regressions
from synthpop_py.estimation.design import (
    MISSING,
    evaluate,
    fit_multinomial,
    information,
    probabilities,
)
from synthpop_py.synthesis import (
    Estimate,
    Multinomial,
    NormalRegression,
    Posterior,
    SynthesisModel,
    fit_models,
    partial_synthesis,
)
from synthpop_py.synthesis.models import drawn_codes

TIGHT = 1e-9  # Newton's method ends at the rounding limit


def made(seed=0, n=40, levels=3, columns=4):
    """A small random problem: design with intercept, codes."""
    rng = np.random.default_rng(seed)
    design = np.column_stack([np.ones(n), rng.normal(size=(n, columns - 1))])
    return design, rng.integers(0, levels, n)


def fitted(frame, model, **arguments):
    return fit_models(frame, [model], **arguments).estimates[0]


def shares_of(frame, model):
    """The fitted probabilities of the records."""
    posterior = fit_models(frame, [model])
    data = posterior.coding.read(frame, "")
    return model.probabilities(posterior.estimates[0].mean, data)


def drawn(frame, *models, m=1, **arguments):
    """Synthetic sets of a seed; one set where m is 1."""
    given = models[0] if isinstance(models[0], Posterior) else list(models)
    sets = partial_synthesis(frame, given, m=m, **{"seed": 1, "reproducible": True} | arguments).syn
    return sets[0] if len(sets) == 1 else sets


# ---- multinomial regression: the numbers ---------------------------------------------


@pytest.mark.parametrize("ridge", [0.0, 0.1, 2.0])
def test_gradient_and_information_against_finite_differences(ridge):
    design, codes = made()
    at = np.random.default_rng(1).normal(size=(2, 4))
    _, gradient, _ = evaluate(design, codes, at, ridge)
    hessian = information(design, at, ridge)
    step = 1e-5
    for k in range(2):
        for j in range(4):
            shift = np.zeros((2, 4))
            shift[k, j] = step
            up, down = (evaluate(design, codes, at + s, ridge) for s in (shift, -shift))
            assert gradient[k, j] == pytest.approx((up[0] - down[0]) / (2 * step), abs=1e-6)
            slopes = ((up[1] - down[1]) / (2 * step)).reshape(-1)
            assert hessian[4 * k + j] == pytest.approx(slopes, abs=1e-6)


def test_information_summed_in_pieces(monkeypatch):
    design, _ = made(n=101)
    at = np.random.default_rng(1).normal(size=(2, 4))
    whole = information(design, at, 0.1)
    monkeypatch.setattr("synthpop_py.estimation.design.CHUNK", 40)  # five records at a time
    np.testing.assert_allclose(information(design, at, 0.1), whole, rtol=1e-12)


@pytest.mark.parametrize("ridge", [0.0, 0.1, 10.0])
@pytest.mark.parametrize("seed", range(5))
def test_the_fit_is_where_the_gradient_vanishes(seed, ridge):
    design, codes = made(seed, n=200, levels=4)
    fitted, converged = fit_multinomial(design, codes, 4, ridge)
    value, gradient, _ = evaluate(design, codes, fitted, ridge)
    assert converged and np.abs(gradient).max() < TIGHT
    loglik = np.log(probabilities(design, fitted)[np.arange(200), codes]).sum()
    assert ridge / 2 * (fitted**2).sum() - value == pytest.approx(loglik)


def test_probabilities_survive_huge_scores():
    shares = probabilities(np.array([[1.0], [-1.0]]), np.array([[1e6], [2e6]]))
    assert shares.tolist() == [[0, 0, 1], [1, 0, 0]]


# ---- multinomial regression: answers by hand -----------------------------------------


def test_without_predictors_coefficients_are_log_ratios():
    mean = fitted(pd.DataFrame({"y": list("aabbbbc")}), Multinomial("y", ridge=0)).mean
    assert mean == pytest.approx([np.log(4 / 2), np.log(1 / 2)], abs=TIGHT)


def test_one_binary_predictor_reproduces_the_table():
    """Odds of "yes" are 1:3 for men and 3:2 for women."""
    yes, no = ["yes"], ["no"]
    frame = pd.DataFrame({"sex": ["m"] * 4 + ["w"] * 5, "y": yes + no * 3 + yes * 3 + no * 2})
    estimate = fitted(frame, Multinomial("y", ["sex"], ridge=0))
    assert estimate.labels == ("yes: intercept", "yes: sex=w")
    assert estimate.mean == pytest.approx([np.log(1 / 3), np.log(3 / 2) - np.log(1 / 3)], abs=TIGHT)
    men, women = 1 / 1 + 1 / 3, 1 / 3 + 1 / 2  # variance of a log-odds: the inverse counts
    wanted = np.array([[men, -men], [-men, men + women]])
    assert estimate.covariance() == pytest.approx(wanted, abs=TIGHT)


def test_ridge_by_hand():
    """One level seen, one not: the intercept solves 4 / (1 + exp(-b)) + 0.5 b = 0 with ridge 0.5
    (four records, none at the second level).
    """
    coefficients, _ = fit_multinomial(np.ones((4, 1)), np.zeros(4, dtype=int), 2, 0.5)
    b = coefficients[0, 0]
    assert 4 / (1 + np.exp(-b)) + 0.5 * b == pytest.approx(0, abs=TIGHT) and b < 0


def test_units_of_a_predictor_change_its_coefficient_only():
    rng = np.random.default_rng(4)
    frame = pd.DataFrame({"x": rng.normal(size=60), "y": rng.choice(list("abc"), 60)})
    other = frame.assign(x=1000 + 20 * frame["x"])
    model = Multinomial("y", ["x"], ridge=0.3)
    slopes, moved = (fitted(f, model).mean.reshape(2, 2)[:, 1] for f in (frame, other))
    assert moved == pytest.approx(slopes / 20, rel=1e-8)
    np.testing.assert_allclose(shares_of(frame, model), shares_of(other, model), atol=1e-9)


def test_numbers_given_as_categories_are_levels():
    frame = pd.DataFrame({"facility": [10, 2, 2, 10, 7], "race": list("abbab")})
    posterior = fit_models(frame, [Multinomial("facility"), Multinomial("race", ["facility"])])
    assert posterior.coding.levels["facility"].tolist() == [2, 7, 10]
    assert posterior.estimates[1].labels == ("b: intercept", "b: facility=7", "b: facility=10")


# ---- multinomial regression: hard cases ----------------------------------------------


def separated():
    frame = pd.DataFrame({"x": list("aabb") * 3, "x2": list("ccdd") * 3, "constant": 7.0})
    return frame.assign(y=["u", "u", "v", "v"] * 3)


def test_perfect_prediction_is_finite_with_the_default_ridge():
    estimate = fitted(separated(), Multinomial("y", ["x"]))
    assert np.abs(estimate.mean).max() < 20
    assert np.isfinite(estimate.covariance()).all()


@pytest.mark.parametrize("predictors", [["x"], ["x", "x2"], ["x", "constant"]])
def test_perfect_prediction_and_repeated_columns_without_ridge(predictors):
    model = Multinomial("y", predictors, ridge=0)
    told = "model of 'y', ridge=0: its coefficients are not determined .*; give a larger ridge, suc"
    with pytest.warns(DataWarning, match=told):
        shares = shares_of(separated(), model)
    assert shares[0, 0] > 0.999 and shares[2, 1] > 0.999
    with pytest.warns(DataWarning, match=told):
        estimate = fitted(separated(), model)
    assert np.isfinite(estimate.draw(np.random.default_rng(1))).all()


def test_one_group_of_records_that_is_predicted_perfectly_is_told_too():
    frame = pd.DataFrame({"x": list("aaaabbbb"), "y": list("uvuvuuuu")})
    with pytest.warns(DataWarning, match="draws of them are noise"):
        fitted(frame, Multinomial("y", ["x"], ridge=0))
    fitted(frame, Multinomial("y", ["x"]))  # the default ridge determines them
    fitted(frame.iloc[:4], Multinomial("y", ["x"], ridge=0))


def test_a_fit_that_does_not_converge_is_told(monkeypatch):
    monkeypatch.setattr(regressions, "MOST_STEPS", 1)
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"x": rng.normal(size=50), "y": rng.choice(list("uvw"), 50)})
    with pytest.warns(DataWarning, match="the fit did not converge"):
        fitted(frame, Multinomial("y", ["x"]))


def test_repeated_columns_share_the_coefficient_and_change_no_prediction():
    rng = np.random.default_rng(5)
    frame = pd.DataFrame({"x": rng.normal(size=80), "y": rng.choice(list("ab"), 80)})
    frame["twin"] = 3 - 2 * frame["x"]
    alone, both = (
        shares_of(frame, Multinomial("y", predictors, ridge=0))
        for predictors in ("x", ["x", "twin"])
    )
    np.testing.assert_allclose(alone, both, atol=1e-7)


def test_a_level_that_never_occurs_has_a_small_chance():
    column = pd.Categorical.from_codes([0, 1] * 10, categories=["a", "b", "never"])
    data = pd.DataFrame({"y": column})
    estimate = Multinomial("y").fit(data)
    shares = Multinomial("y").probabilities(estimate.mean, data.iloc[:1])
    assert 0 < shares[0, 2] < 0.05 and np.isfinite(estimate.covariance()).all()


def test_one_level_only():
    frame = pd.DataFrame({"y": ["same"] * 5, "x": range(5)})
    assert drawn(frame, Multinomial("y", ["x"]))["y"].tolist() == ["same"] * 5


def test_missing_is_a_level_of_a_categorical_column():
    x = ["p", "q", None, "q", "p", None]
    frame = pd.DataFrame({"y": ["a", None, "b", None, "a", "a"], "x": x})
    posterior = fit_models(frame, [Multinomial("y", ["x"], ridge=1)])
    assert posterior.coding.levels["y"].tolist() == ["a", "b", MISSING]
    assert posterior.estimates[0].labels[:3] == ("b: intercept", "b: x=q", "b: x=(missing)")
    values = pd.concat([one["y"] for one in drawn(frame, posterior, m=50, seed=3)])
    assert set(values.dropna()) == {"a", "b"} and 0 < values.isna().mean() < 1


# ---- linear regression ---------------------------------------------------------------


def test_linear_regression_by_hand():
    """y = 1, 3, 3, 5 at x = 0, 0, 1, 1: means 2 and 4, residuals 1 all, s^2 = 4 / 2."""
    frame = pd.DataFrame({"x": [0.0, 0, 1, 1], "y": [1.0, 3, 3, 5]})
    estimate = fitted(frame, NormalRegression("y", ["x"], ridge=0))
    assert estimate.labels == ("intercept", "x", "log residual variance")
    assert estimate.mean == pytest.approx([2, 2, np.log(2)], abs=TIGHT)
    wanted = 2 * np.array([[0.5, -0.5, 0], [-0.5, 1, 0], [0, 0, 0.5]])  # log s^2: 2 / df = 1
    assert estimate.covariance() == pytest.approx(wanted, abs=1e-8)


def test_linear_regression_against_least_squares():
    rng = np.random.default_rng(2)
    frame = pd.DataFrame({"x": rng.normal(50, 9, 30), "g": rng.choice(list("abc"), 30)})
    frame["y"] = rng.normal(size=30)
    estimate = fitted(frame, NormalRegression("y", ["x", "g"], ridge=0))
    columns = [np.ones(30), frame["x"], frame["g"] == "b", frame["g"] == "c"]
    design = np.column_stack(columns).astype(float)
    coefficients, rest, *_ = np.linalg.lstsq(design, frame["y"], rcond=None)
    assert estimate.mean == pytest.approx([*coefficients, np.log(rest[0] / 26)], abs=1e-9)
    wanted = rest[0] / 26 * np.linalg.inv(design.T @ design)
    np.testing.assert_allclose(estimate.covariance()[:4, :4], wanted, rtol=1e-6)


def test_ridge_leaves_the_intercept_alone():
    frame = pd.DataFrame({"x": [-1.0, 1, -1, 1], "y": [99.0, 101, 99, 101]})
    mean = fitted(frame, NormalRegression("y", ["x"], ridge=4)).mean
    assert mean[:2] == pytest.approx([100, 0.5], abs=TIGHT)  # slope 4 / (4 + 4)


@pytest.mark.parametrize("ridge", [0, 0.1])
def test_repeated_columns_in_linear_regression(ridge):
    x = np.arange(8.0)
    frame = pd.DataFrame({"x": x, "twin": 2 * x, "one": 1.0, "y": x**2})
    estimate = fitted(frame, NormalRegression("y", ["x", "twin", "one"], ridge=ridge))
    assert np.isfinite(estimate.mean).all()
    assert np.isfinite(estimate.draw(np.random.default_rng(0))).all()


def test_a_perfect_line_does_not_crash():
    frame = pd.DataFrame({"x": np.arange(6.0), "y": 3 * np.arange(6.0)})
    made = drawn(frame, NormalRegression("y", ["x"], ridge=0))
    np.testing.assert_allclose(made["y"], frame["y"], atol=1e-6)


@pytest.mark.parametrize(
    "transform, values",
    [
        ("log", np.exp),
        ("cube root", lambda z: z**3),
        ((lambda y: y / 10, lambda z: 10 * z), lambda z: 10 * z),
    ],
)
def test_transformations_go_there_and_back(transform, values):
    frame = pd.DataFrame({"y": values(np.random.default_rng(3).normal(5, 1, 3000))})
    made = drawn(frame, NormalRegression("y", transform=transform), seed=8)["y"]
    quantiles = [0.05, 0.25, 0.5, 0.75, 0.95]
    np.testing.assert_allclose(made.quantile(quantiles), frame["y"].quantile(quantiles), rtol=0.12)


def test_values_vary_as_the_residuals_do():
    frame = pd.DataFrame({"y": np.random.default_rng(1).normal(10, 3, 4000)})
    made = drawn(frame, NormalRegression("y"), parameters="plugin", seed=2)["y"]
    assert made.std() == pytest.approx(frame["y"].std(), rel=0.05)
    assert made.mean() == pytest.approx(frame["y"].mean(), abs=0.2)


# ---- draws ---------------------------------------------------------------------------


def test_drawn_codes_by_hand():
    chances = np.array([[0.25, 0, 0.75]] * 5)
    uniform = np.array([0.0, 0.2499, 0.25, 0.9, 1 - 2**-53])
    assert drawn_codes(chances, uniform).tolist() == [0, 0, 2, 2, 2]


def test_drawn_codes_never_have_probability_0():
    chances = np.array([[0, 0.1, 0.2, 0, 0.7, 0]] * 4)
    codes = drawn_codes(chances, np.array([0.0, 0.3, 1 - 2**-53, np.nextafter(0.1, 0)]))
    assert set(codes.tolist()) <= {1, 2, 4}


def test_frequencies_of_draws():
    column = pd.Categorical.from_codes(np.zeros(20000, dtype=int), categories=["a", "b", "c"])
    parameters = np.log([2.0, 5.0])  # shares 1/8, 2/8, 5/8
    rng = np.random.default_rng(5)
    counts = np.bincount(
        Multinomial("y").simulate(parameters, pd.DataFrame({"y": column}), rng).codes, minlength=3
    )
    expected = 20000 * np.array([1, 2, 5]) / 8
    # chi-squared with 2 degrees of freedom, 0.1 %
    assert ((counts - expected) ** 2 / expected).sum() < 13.8


def test_drawing_in_pieces_gives_the_same_values(monkeypatch):
    frame = pd.DataFrame({"x": np.arange(50.0), "y": list("abcde") * 10})
    posterior = fit_models(frame, [Multinomial("y", ["x"])])
    whole = drawn(frame, posterior, seed=4)
    monkeypatch.setattr("synthpop_py.synthesis.models.CHUNK", 35)
    assert drawn(frame, posterior, seed=4).equals(whole)


@pytest.mark.parametrize(
    "model", [Multinomial("y", ["x"], ridge=0.5), NormalRegression("z", ["x", "y"])]
)
def test_parameters_are_drawn_with_their_covariance(model):
    """20,000 draws: mean and covariance within five standard errors of what the estimate says."""
    rng = np.random.default_rng(11)
    frame = pd.DataFrame({"x": rng.normal(30, 5, 150), "y": rng.choice(list("abc"), 150)})
    estimate = fitted(frame.assign(z=rng.normal(size=150)), model)
    draws = np.stack([estimate.draw(rng) for _ in range(20000)])
    covariance = estimate.covariance()
    sd = np.sqrt(np.diag(covariance))
    assert (np.abs(draws.mean(axis=0) - estimate.mean) / sd < 5 / np.sqrt(20000)).all()
    error = np.sqrt((covariance**2 + np.outer(sd**2, sd**2)) / 20000)
    assert (np.abs(np.cov(draws.T) - covariance) < 5 * error).all()


def test_covariance_is_that_of_predictors_as_they_are():
    """Standardising is undone: without ridge the covariance is the inverse information of the plain
    design.
    """
    rng = np.random.default_rng(12)
    frame = pd.DataFrame({"x": rng.normal(30, 5, 150), "y": rng.choice(list("abc"), 150)})
    estimate = fitted(frame, Multinomial("y", ["x"], ridge=0))
    design = np.column_stack([np.ones(150), frame["x"]])
    plain = np.linalg.inv(information(design, estimate.mean.reshape(2, 2), 0.0))
    np.testing.assert_allclose(estimate.covariance(), plain, rtol=1e-6, atol=1e-12)


def test_estimates_of_the_agency():
    estimate = Estimate([1.0, 2.0], [[4.0, 1.0], [1.0, 2.0]])
    assert estimate.covariance() == pytest.approx(np.array([[4.0, 1], [1, 2]]))
    known = estimate.fixed()
    assert known.covariance() is None
    assert known.draw(np.random.default_rng(1)).tolist() == [1, 2]
    assert Estimate([1.0], [[0.0]]).draw(np.random.default_rng(1)) == pytest.approx([1], abs=1e-5)


# ---- partial synthesis ---------------------------------------------------------------


def people(n=60, seed=6):
    rng = np.random.default_rng(seed)
    sex, rank = ["m", "f", "x"], ["low", "mid", "high"]
    return pd.DataFrame(
        {
            "age": rng.integers(18, 80, n),
            "sex": pd.Categorical(rng.choice(["f", "m"], n), categories=sex),
            "area": rng.choice([3, 11, 20], n),
            "race": rng.choice(["black", "other", "white"], n, p=[0.2, 0.2, 0.6]),
            "rank": pd.Categorical(rng.choice(["low", "high"], n), categories=rank, ordered=True),
            "member": rng.random(n) < 0.5,
            "pay": rng.lognormal(7, 1, n),
        },
        index=pd.Index(np.arange(n) + 100, name="id"),
    )


CHAIN = [
    Multinomial("area", ["age", "sex"]),
    Multinomial("race", ["sex", "area"]),
    Multinomial("rank", ["race"]),
    Multinomial("member", ["age"]),
    NormalRegression("pay", ["rank", "member"], transform="log"),
]


def test_only_responses_change_and_types_stay():
    frame = people()
    before = frame.copy(deep=True)
    synthesis = partial_synthesis(frame, CHAIN, m=3, seed=5, reproducible=True)
    pd.testing.assert_frame_equal(frame, before)
    assert synthesis.meta["synthesised"] == ["area", "race", "rank", "member", "pay"]
    for made in synthesis.syn:
        assert (made.dtypes == frame.dtypes).all() and made.index.equals(frame.index)
        assert list(made.columns) == list(frame.columns)
        pd.testing.assert_frame_equal(made[["age", "sex"]], frame[["age", "sex"]])
        assert set(made["area"]) <= {3, 11, 20} and set(made["rank"]) <= {"low", "high"}
        assert (made["pay"] > 0).all()
    assert not synthesis.syn[0]["race"].equals(synthesis.syn[1]["race"])


def test_a_seed_repeats_the_result():
    frame, posterior = people(), fit_models(people(), CHAIN)
    first, second = drawn(frame, posterior, m=2, seed=5), drawn(frame, *CHAIN, m=2, seed=5)
    assert all(a.equals(b) for a, b in zip(first, second, strict=True))
    assert not first[0].equals(drawn(frame, posterior, m=2, seed=6)[0])


def test_whole_numbers_stay_whole():
    frame = pd.DataFrame({"x": np.arange(50), "y": np.arange(50) ** 2})
    made = drawn(frame, NormalRegression("y", ["x"]))["y"]
    assert made.dtype == frame["y"].dtype and not made.equals(frame["y"])
    small = pd.DataFrame({"y": np.array([0, 5, 250, 255] * 10, dtype="uint8")})
    made = drawn(small, NormalRegression("y"))["y"]  # does not fit the type, and is not wrapped
    assert made.min() < 0 and made.dtype == float and (made == made.round()).all()
    with_room = pd.DataFrame({"y": pd.array([1, 5, 9, 4] * 5, dtype="Int64")})
    assert drawn(with_room, NormalRegression("y"))["y"].dtype == "Int64"


def test_values_follow_the_synthetic_values_before_them():
    """b equals a in the original; after synthesis of a, b follows the synthetic a."""
    frame = pd.DataFrame({"a": list("uv") * 200, "b": list("uv") * 200})
    chain = [Multinomial("a"), Multinomial("b", ["a"])]
    made = drawn(frame, *chain, parameters="plugin", seed=2)
    assert (made["a"] != frame["a"]).mean() > 0.4 and (made["a"] == made["b"]).mean() > 0.95


@pytest.mark.parametrize("how, times", [("plugin", 1), ("posterior", 2)])
def test_plugin_uses_the_estimate_and_posterior_does_not(how, times):
    """Shares of "a" over many sets: plug-in varies as a binomial share does, posterior draws add
    the estimate's own variance, which is about as large.
    """
    frame = pd.DataFrame({"y": list("ab") * 50})
    sets = drawn(frame, Multinomial("y", ridge=0), m=800, parameters=how)
    shares = [(one["y"] == "a").mean() for one in sets]
    assert np.var(shares) == pytest.approx(times * 0.25 / 100, rel=0.2)


def test_nests_share_the_first_stage():
    two = {"m": 2, "r": 3, "first_stage": ["area"]}
    synthesis = partial_synthesis(people(), CHAIN[:3], **two, seed=3, reproducible=True)
    assert (synthesis.m, synthesis.meta["m"], synthesis.meta["r"]) == (6, 2, 3)
    assert synthesis.meta["nest"] == [1, 1, 1, 2, 2, 2]
    area = [one["area"].tolist() for one in synthesis.syn]
    assert area[0] == area[1] == area[2] != area[3] == area[4] == area[5]
    assert len({tuple(one["race"]) for one in synthesis.syn}) == 6


def test_only_some_records_are_replaced_and_nothing_is_invented():
    frame = people(300)
    minority = (frame["race"] != "white").to_numpy()
    model = Multinomial("race", ["sex"])
    sets = drawn(frame, model, m=4, where=lambda f: f["race"] != "white")
    for made in sets:
        assert (made["race"][~minority] == "white").all()
        assert set(made["race"][minority]) == {"black", "other"}
    assert any((made["race"] != frame["race"]).any() for made in sets)


def test_records_to_replace_can_differ_between_responses():
    frame, first = people(), np.arange(60) < 10
    made = drawn(frame, *CHAIN[:2], where={"race": first})
    assert (made["race"][~first] == frame["race"][~first]).all()
    assert (made["area"] != frame["area"])[~first].any()


def test_the_model_is_fitted_to_the_records_it_replaces():
    frame = pd.DataFrame({"y": list("ab") * 10 + ["b"] * 80, "old": [True] * 20 + [False] * 80})
    estimate = fitted(frame, Multinomial("y", ridge=0), where=frame["old"].to_numpy())
    assert estimate.mean == pytest.approx([0], abs=TIGHT)


# ---- a model of one's own ------------------------------------------------------------


class Resample:
    """Draws from the values seen: no parameters at all, no covariance."""

    response, predictors = "race", ("sex",)

    def fit(self, data, covariance):
        return Estimate([(data["race"] == "white").mean()])

    def simulate(self, parameters, data, rng):
        return np.where(rng.random(len(data)) < parameters[0], "white", "other")


def test_a_model_of_ones_own():
    assert isinstance(Resample(), SynthesisModel)
    made = drawn(people(400), Resample(), seed=2)["race"]
    assert set(made) == {"white", "other"} and abs((made == "white").mean() - 0.6) < 0.1


@pytest.mark.parametrize(
    "name, method, answer, says",
    [
        ("race", "simulate", lambda data: np.full(len(data), "green"), "not among its categories"),
        ("race", "simulate", lambda data: ["white"], "one value for each is needed"),
        ("race", "simulate", lambda data: 3, "one value for each is needed"),
        ("race", "fit", lambda data: 3.0, "gave a float; an Estimate is needed"),
        ("pay", "fit", lambda data: 3.0, "gave a float; an Estimate is needed"),
        (
            "pay",
            "simulate",
            lambda data: np.full(len(data), np.inf),
            "'pay' gave values that are not finite numbers",
        ),
    ],
)
def test_what_a_model_gives_is_checked(name, method, answer, says):
    model = Resample()
    model.response = name
    model.fit = lambda data, covariance: Estimate([0.0])
    setattr(model, method, lambda *given, **more: answer(given[method == "simulate"]))
    with pytest.raises(InputError, match=says):
        partial_synthesis(people(), [model], m=1)


# ---- bad input -----------------------------------------------------------------------


def with_model(*models):
    return lambda: partial_synthesis(people(), list(models))


def with_arguments(**arguments):
    return lambda: partial_synthesis(people(), CHAIN[:2], **arguments)


def of_frame(frame, *models):
    return lambda: fit_models(frame, list(models))


MANY = pd.DataFrame({"y": np.arange(200), "x": np.arange(200).astype(str)})
LOSES = (lambda y: y * np.nan, np.exp)
SHORT = (lambda y: y[:1], np.exp)
TWO = pd.DataFrame({"y": [1.0, 2.0]})
BAD = [
    (lambda: Estimate([1.0, 2.0], [[1.0]]), "has the shape (1, 1); 2 parameters need (2, 2)"),
    (lambda: Estimate([1.0, 2.0], [1.0, 2.0]), "covariance: has the shape (2,); 2 parameters"),
    (lambda: Estimate([1.0, 2.0], [[1.0, 0.5], [0.2, 1.0]]), "covariance: is not symmetric"),
    (lambda: Estimate([1.0, 2.0], [[1.0, 2.0], [2.0, 1.0]]), "positive semidefinite"),
    (lambda: Estimate([1.0, np.nan]), "mean: holds missing or infinite values"),
    (lambda: Estimate([[1.0]]), "mean: has the shape (1, 1); give a vector"),
    (lambda: Estimate([1.0], None, ["a", "b"]), "a label for each number"),
    (lambda: Estimate(["a"]), "mean: cannot be read as numbers"),
    (with_model(), "models: is empty"),
    (lambda: partial_synthesis(people(), "race"), "models: str cannot be used"),
    (with_model(Multinomial("rce")), "'rce' is not a column of the original data; did you mean"),
    (
        with_model(Multinomial("race", ["agee"])),
        "models, predictors of 'race': 'agee' is not a column of the original data",
    ),
    (
        with_model(Multinomial("race", ["race"])),
        "'race' is a predictor of 'race' but not synthesised before it",
    ),
    (
        with_model(Multinomial("race", ["area"]), Multinomial("area")),
        "'area' is a predictor of 'race' but not synthesised before it",
    ),
    (with_model(Multinomial("race"), Multinomial("race")), "two models have the response 'race'"),
    (with_model(Multinomial("race", ["age", "age"])), "of 'race' is given more than once"),
    (with_model(Multinomial("race"), "area"), "models: str cannot be used"),
    (with_model(Multinomial), "models: type cannot be used"),
    (with_model(NormalRegression("race")), "'race' is not numeric; give a Multinomial"),
    (with_arguments(m=0), "m: 0 is not a whole number of 1 or more"),
    (with_arguments(m=2.5), "m: 2.5 is not a whole number"),
    (with_arguments(r=0), "r: 0 is not"),
    (with_arguments(r=2), "first_stage: is needed when r is more than 1"),
    (with_arguments(r=2, first_stage=["race"]), "name the first responses"),
    (with_arguments(r=2, first_stage=["area", "race"]), "with some left for the second stage"),
    (with_arguments(r=2, first_stage=["sex"]), "'sex' is not a column of the responses"),
    (with_arguments(parameters="mode"), "'mode' is unknown; choices: 'posterior', 'plugin'"),
    (with_arguments(where=[True]), "where, for 'area': has type bool and shape (1,)"),
    (with_arguments(where=np.arange(60)), "where, for 'area': has type int64"),
    (with_arguments(where=np.zeros(60, dtype=bool)), "no record of 'area' is replaced"),
    (with_arguments(where={"age": np.ones(60, dtype=bool)}), "'age' is not the response of a mod"),
    (with_arguments(seed="x"), "seed: str cannot be used"),
    (
        of_frame(people().assign(pay=np.nan), NormalRegression("pay")),
        "original: 60 values of the numeric column 'pay' are missing",
    ),
    (
        of_frame(people().assign(pay=np.nan), Multinomial("race", ["pay"])),
        "original: 60 values of the numeric column 'pay' are missing",
    ),
    (
        of_frame(people().assign(pay=np.inf), NormalRegression("pay")),
        "'pay' holds infinite values",
    ),
    (
        of_frame(people().assign(born=pd.Timestamp("2000-01-01")), Multinomial("race", ["born"])),
        "'born' holds times",
    ),
    (of_frame(people().iloc[:0], *CHAIN), "original: has no rows"),
    (lambda: Multinomial("y", ridge=-1), "ridge: -1 is not a number of at least 0"),
    (
        lambda: NormalRegression("y", transform="sqrt"),
        "transform: 'sqrt' is unknown; choices: 'identity', 'log', 'cube root'",
    ),
    (lambda: NormalRegression("y", transform=(np.log,)), "transform: "),
    (of_frame(TWO - 1, NormalRegression("y", transform="log")), "'log' needs positive values"),
    (of_frame(TWO, NormalRegression("y", transform=LOSES)), "not give one finite number for each"),
    (of_frame(TWO, NormalRegression("y", transform=SHORT)), "not give one finite number for each"),
    (
        of_frame(MANY, Multinomial("y", ["x"])),
        "has 39,800 coefficients (200 levels, 200 columns of predictors)",
    ),
    (
        lambda: partial_synthesis(people(), fit_models(people(), CHAIN), where=[True]),
        "where: belongs to fit_models",
    ),
]


@pytest.mark.parametrize("call, says", BAD, ids=[says for _, says in BAD])
def test_bad_input(call, says):
    with pytest.raises(InputError) as raised:
        call()
    assert says in str(raised.value)


# ---- views ---------------------------------------------------------------------------


def test_views_of_a_posterior():
    posterior = fit_models(people(), CHAIN[:2])
    assert repr(posterior) == (
        "Synthesis models in order, fitted\n"
        "     predictors parameters distribution\n"
        "area          2          6       normal\n"
        "race          2          8       normal"
    )
    assert "known" in repr(posterior.fixed()) and "<table>" in posterior._repr_html_()
    tidy = fit_models(people(), CHAIN[:1]).tidy()
    assert tidy.columns.tolist() == ["response", "parameter", "mean", "sd"]
    assert len(tidy) == 6 and (tidy["sd"] > 0).all()
    assert posterior.fixed().tidy()["sd"].isna().all()
