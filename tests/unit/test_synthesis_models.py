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


def mean_of(frame, model):
    return fit_models(frame, [model]).estimates[0].mean


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
            up, down = (
                evaluate(design, codes, at + shift, ridge),
                evaluate(design, codes, at - shift, ridge),
            )
            assert gradient[k, j] == pytest.approx((up[0] - down[0]) / (2 * step), abs=1e-6)
            assert hessian[4 * k + j] == pytest.approx(
                ((up[1] - down[1]) / (2 * step)).reshape(-1), abs=1e-6
            )


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
    frame = pd.DataFrame({"y": list("aabbbbc")})
    assert mean_of(frame, Multinomial("y", ridge=0)) == pytest.approx(
        [np.log(4 / 2), np.log(1 / 2)], abs=TIGHT
    )


def test_one_binary_predictor_reproduces_the_table():
    """Odds of "yes" are 1:3 for men and 3:2 for women."""
    frame = pd.DataFrame(
        {
            "sex": ["m"] * 4 + ["w"] * 5,
            "y": ["yes", "no", "no", "no", "yes", "yes", "yes", "no", "no"],
        }
    )
    posterior = fit_models(frame, [Multinomial("y", ["sex"], ridge=0)])
    estimate = posterior.estimates[0]
    assert estimate.labels == ("yes: intercept", "yes: sex=w")
    assert estimate.mean == pytest.approx([np.log(1 / 3), np.log(3 / 2) - np.log(1 / 3)], abs=TIGHT)
    men, women = 1 / 1 + 1 / 3, 1 / 3 + 1 / 2  # variance of a log-odds: the inverse counts
    assert estimate.covariance() == pytest.approx(
        np.array([[men, -men], [-men, men + women]]), abs=TIGHT
    )


def test_ridge_by_hand():
    """One level seen, one not: the intercept solves 4 / (1 + exp(-b)) + 0.5 b = 0 with ridge 0.5
    (four records, none at the second level).
    """
    fitted, _ = fit_multinomial(np.ones((4, 1)), np.zeros(4, dtype=int), 2, 0.5)
    b = fitted[0, 0]
    assert 4 / (1 + np.exp(-b)) + 0.5 * b == pytest.approx(0, abs=TIGHT) and b < 0


def test_units_of_a_predictor_change_its_coefficient_only():
    rng = np.random.default_rng(4)
    frame = pd.DataFrame({"x": rng.normal(size=60), "y": rng.choice(list("abc"), 60)})
    other = frame.assign(x=1000 + 20 * frame["x"])
    first, second = (fit_models(f, [Multinomial("y", ["x"], ridge=0.3)]) for f in (frame, other))
    slopes, moved = (
        first.estimates[0].mean.reshape(2, 2)[:, 1],
        second.estimates[0].mean.reshape(2, 2)[:, 1],
    )
    assert moved == pytest.approx(slopes / 20, rel=1e-8)
    shares = [
        m.models[0].probabilities(m.estimates[0].mean, m.coding.read(f, ""))
        for m, f in ((first, frame), (second, other))
    ]
    np.testing.assert_allclose(shares[0], shares[1], atol=1e-9)


def test_numbers_given_as_categories_are_levels():
    frame = pd.DataFrame({"facility": [10, 2, 2, 10, 7], "race": list("abbab")})
    posterior = fit_models(frame, [Multinomial("facility"), Multinomial("race", ["facility"])])
    assert posterior.coding.levels["facility"].tolist() == [2, 7, 10]
    assert posterior.estimates[1].labels == ("b: intercept", "b: facility=7", "b: facility=10")


# ---- multinomial regression: hard cases ----------------------------------------------


def test_perfect_prediction_is_finite_with_the_default_ridge():
    frame = pd.DataFrame({"x": list("aabb") * 3, "y": ["u", "u", "v", "v"] * 3})
    posterior = fit_models(frame, [Multinomial("y", ["x"])])
    assert np.abs(posterior.estimates[0].mean).max() < 20
    assert np.isfinite(posterior.estimates[0].covariance()).all()


@pytest.mark.parametrize("predictors", [["x"], ["x", "x2"], ["x", "constant"]])
def test_perfect_prediction_and_repeated_columns_without_ridge(predictors):
    frame = pd.DataFrame(
        {
            "x": list("aabb") * 3,
            "x2": list("ccdd") * 3,
            "constant": 7.0,
            "y": ["u", "u", "v", "v"] * 3,
        }
    )
    with pytest.warns(
        DataWarning,
        match=(
            "model of 'y', ridge=0: its coefficients are not determined .*; give a larger ridge,"
            " such as 0.1"
        ),
    ):
        posterior = fit_models(frame, [Multinomial("y", predictors, ridge=0)])
    shares = posterior.models[0].probabilities(
        posterior.estimates[0].mean, posterior.coding.read(frame, "")
    )
    assert shares[0, 0] > 0.999 and shares[2, 1] > 0.999
    drawn = posterior.estimates[0].draw(np.random.default_rng(1))
    assert np.isfinite(drawn).all()


def test_one_group_of_records_that_is_predicted_perfectly_is_told_too():
    frame = pd.DataFrame({"x": list("aaaabbbb"), "y": list("uvuvuuuu")})
    with pytest.warns(DataWarning, match="draws of them are noise"):
        fit_models(frame, [Multinomial("y", ["x"], ridge=0)])
    fit_models(frame, [Multinomial("y", ["x"])])  # the default ridge determines them
    fit_models(frame.iloc[:4], [Multinomial("y", ["x"], ridge=0)])


def test_a_fit_that_does_not_converge_is_told(monkeypatch):
    monkeypatch.setattr(regressions, "MOST_STEPS", 1)
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"x": rng.normal(size=50), "y": rng.choice(list("uvw"), 50)})
    with pytest.warns(DataWarning, match="the fit did not converge"):
        fit_models(frame, [Multinomial("y", ["x"])])


def test_repeated_columns_share_the_coefficient_and_change_no_prediction():
    rng = np.random.default_rng(5)
    frame = pd.DataFrame({"x": rng.normal(size=80), "y": rng.choice(list("ab"), 80)})
    frame["twin"] = 3 - 2 * frame["x"]
    alone, both = (
        fit_models(frame, [Multinomial("y", ["x"], ridge=0)]),
        fit_models(frame, [Multinomial("y", ["x", "twin"], ridge=0)]),
    )
    shares = [
        m.models[0].probabilities(m.estimates[0].mean, m.coding.read(frame, ""))
        for m in (alone, both)
    ]
    np.testing.assert_allclose(shares[0], shares[1], atol=1e-7)


def test_a_level_that_never_occurs_has_a_small_chance():
    data = pd.DataFrame(
        {"y": pd.Categorical.from_codes([0, 1] * 10, categories=["a", "b", "never"])}
    )
    estimate = Multinomial("y").fit(data)
    shares = Multinomial("y").probabilities(estimate.mean, data.iloc[:1])
    assert 0 < shares[0, 2] < 0.05 and np.isfinite(estimate.covariance()).all()


def test_one_level_only():
    frame = pd.DataFrame({"y": ["same"] * 5, "x": range(5)})
    synthesis = partial_synthesis(frame, [Multinomial("y", ["x"])], m=2, seed=1, reproducible=True)
    assert all(s["y"].tolist() == ["same"] * 5 for s in synthesis.syn)


def test_missing_is_a_level_of_a_categorical_column():
    frame = pd.DataFrame(
        {"y": ["a", None, "b", None, "a", "a"], "x": ["p", "q", None, "q", "p", None]}
    )
    posterior = fit_models(frame, [Multinomial("y", ["x"], ridge=1)])
    assert posterior.coding.levels["y"].tolist() == ["a", "b", MISSING]
    assert posterior.estimates[0].labels[:3] == ("b: intercept", "b: x=q", "b: x=(missing)")
    values = pd.concat(
        [s["y"] for s in partial_synthesis(frame, posterior, m=50, seed=3, reproducible=True).syn]
    )
    assert set(values.dropna()) == {"a", "b"} and 0 < values.isna().mean() < 1


# ---- linear regression ---------------------------------------------------------------


def test_linear_regression_by_hand():
    """y = 1, 3, 3, 5 at x = 0, 0, 1, 1: means 2 and 4, residuals 1 all, s^2 = 4 / 2."""
    frame = pd.DataFrame({"x": [0.0, 0, 1, 1], "y": [1.0, 3, 3, 5]})
    estimate = fit_models(frame, [NormalRegression("y", ["x"], ridge=0)]).estimates[0]
    assert estimate.labels == ("intercept", "x", "log residual variance")
    assert estimate.mean == pytest.approx([2, 2, np.log(2)], abs=TIGHT)
    assert estimate.covariance() == pytest.approx(
        2 * np.array([[0.5, -0.5, 0], [-0.5, 1, 0], [0, 0, 0.5]]), abs=1e-8
    )  # log s^2: 2 / df = 1


def test_linear_regression_against_least_squares():
    rng = np.random.default_rng(2)
    frame = pd.DataFrame(
        {"x": rng.normal(50, 9, 30), "g": rng.choice(list("abc"), 30), "y": rng.normal(size=30)}
    )
    estimate = fit_models(frame, [NormalRegression("y", ["x", "g"], ridge=0)]).estimates[0]
    design = np.column_stack(
        [np.ones(30), frame["x"], frame["g"] == "b", frame["g"] == "c"]
    ).astype(float)
    coefficients, rest, *_ = np.linalg.lstsq(design, frame["y"], rcond=None)
    assert estimate.mean == pytest.approx([*coefficients, np.log(rest[0] / 26)], abs=1e-9)
    np.testing.assert_allclose(
        estimate.covariance()[:4, :4], rest[0] / 26 * np.linalg.inv(design.T @ design), rtol=1e-6
    )


def test_ridge_leaves_the_intercept_alone():
    frame = pd.DataFrame({"x": [-1.0, 1, -1, 1], "y": [99.0, 101, 99, 101]})
    estimate = fit_models(frame, [NormalRegression("y", ["x"], ridge=4)]).estimates[0]
    assert estimate.mean[:2] == pytest.approx([100, 0.5], abs=TIGHT)  # slope 4 / (4 + 4)


def test_repeated_columns_in_linear_regression():
    frame = pd.DataFrame(
        {"x": np.arange(8.0), "twin": 2 * np.arange(8.0), "one": 1.0, "y": np.arange(8.0) ** 2}
    )
    for ridge in (0, 0.1):
        posterior = fit_models(frame, [NormalRegression("y", ["x", "twin", "one"], ridge=ridge)])
        assert (
            np.isfinite(posterior.estimates[0].mean).all()
            and np.isfinite(posterior.estimates[0].draw(np.random.default_rng(0))).all()
        )


def test_a_perfect_line_does_not_crash():
    frame = pd.DataFrame({"x": np.arange(6.0), "y": 3 * np.arange(6.0)})
    synthesis = partial_synthesis(
        frame, [NormalRegression("y", ["x"], ridge=0)], m=1, seed=1, reproducible=True
    )
    np.testing.assert_allclose(synthesis.syn[0]["y"], frame["y"], atol=1e-6)


@pytest.mark.parametrize(
    "transform, values",
    [
        ("log", np.exp),
        ("cube root", lambda z: z**3),
        ((lambda y: y / 10, lambda z: 10 * z), lambda z: 10 * z),
    ],
)
def test_transformations_go_there_and_back(transform, values):
    scores = np.random.default_rng(3).normal(5, 1, 3000)
    frame = pd.DataFrame({"y": values(scores)})
    drawn = partial_synthesis(
        frame, [NormalRegression("y", transform=transform)], m=1, seed=8, reproducible=True
    ).syn[0]["y"]
    quantiles = [0.05, 0.25, 0.5, 0.75, 0.95]
    np.testing.assert_allclose(drawn.quantile(quantiles), frame["y"].quantile(quantiles), rtol=0.12)


def test_values_vary_as_the_residuals_do():
    frame = pd.DataFrame({"y": np.random.default_rng(1).normal(10, 3, 4000)})
    drawn = partial_synthesis(
        frame, [NormalRegression("y")], m=1, parameters="plugin", seed=2, reproducible=True
    ).syn[0]["y"]
    assert drawn.std() == pytest.approx(
        frame["y"].std(), rel=0.05
    ) and drawn.mean() == pytest.approx(frame["y"].mean(), abs=0.2)


# ---- draws ---------------------------------------------------------------------------


def test_drawn_codes_by_hand():
    chances = np.array([[0.25, 0, 0.75]] * 5)
    assert drawn_codes(chances, np.array([0.0, 0.2499, 0.25, 0.9, 1 - 2**-53])).tolist() == [
        0,
        0,
        2,
        2,
        2,
    ]


def test_drawn_codes_never_have_probability_0():
    chances = np.array([[0, 0.1, 0.2, 0, 0.7, 0]] * 4)
    drawn = drawn_codes(chances, np.array([0.0, 0.3, 1 - 2**-53, np.nextafter(0.1, 0)]))
    assert set(drawn.tolist()) <= {1, 2, 4}


def test_frequencies_of_draws():
    data = pd.DataFrame(
        {"y": pd.Categorical.from_codes(np.zeros(20000, dtype=int), categories=["a", "b", "c"])}
    )
    parameters = np.log([2.0, 5.0])  # shares 1/8, 2/8, 5/8
    drawn = Multinomial("y").simulate(parameters, data, np.random.default_rng(5))
    counts = np.bincount(drawn.codes, minlength=3)
    expected = 20000 * np.array([1, 2, 5]) / 8
    assert (
        (counts - expected) ** 2 / expected
    ).sum() < 13.8  # chi-squared with 2 degrees of freedom, 0.1 %


def test_drawing_in_pieces_gives_the_same_values(monkeypatch):
    frame = pd.DataFrame({"x": np.arange(50.0), "y": list("abcde") * 10})
    posterior = fit_models(frame, [Multinomial("y", ["x"])])
    whole = partial_synthesis(frame, posterior, m=1, seed=4, reproducible=True).syn[0]
    monkeypatch.setattr("synthpop_py.synthesis.models.CHUNK", 35)
    assert partial_synthesis(frame, posterior, m=1, seed=4, reproducible=True).syn[0].equals(whole)


@pytest.mark.parametrize(
    "model", [Multinomial("y", ["x"], ridge=0.5), NormalRegression("z", ["x", "y"])]
)
def test_parameters_are_drawn_with_their_covariance(model):
    """20,000 draws: mean and covariance within five standard errors of what the estimate says."""
    rng = np.random.default_rng(11)
    frame = pd.DataFrame(
        {"x": rng.normal(30, 5, 150), "y": rng.choice(list("abc"), 150), "z": rng.normal(size=150)}
    )
    estimate = fit_models(frame, [model]).estimates[0]
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
    estimate = fit_models(frame, [Multinomial("y", ["x"], ridge=0)]).estimates[0]
    design = np.column_stack([np.ones(150), frame["x"]])
    plain = np.linalg.inv(information(design, estimate.mean.reshape(2, 2), 0.0))
    np.testing.assert_allclose(estimate.covariance(), plain, rtol=1e-6, atol=1e-12)


def test_estimates_of_the_agency():
    estimate = Estimate([1.0, 2.0], [[4.0, 1.0], [1.0, 2.0]])
    assert estimate.covariance() == pytest.approx(np.array([[4.0, 1], [1, 2]]))
    assert estimate.fixed().covariance() is None and estimate.fixed().draw(
        np.random.default_rng(1)
    ).tolist() == [1, 2]
    assert Estimate([1.0], [[0.0]]).draw(np.random.default_rng(1)) == pytest.approx([1], abs=1e-5)


@pytest.mark.parametrize(
    "mean, covariance, says",
    [
        ([1.0, 2.0], [[1.0]], "covariance: has the shape (1, 1); 2 parameters need (2, 2)"),
        ([1.0, 2.0], [1.0, 2.0], "covariance: has the shape (2,); 2 parameters need (2, 2)"),
        ([1.0, 2.0], [[1.0, 0.5], [0.2, 1.0]], "covariance: is not symmetric"),
        (
            [1.0, 2.0],
            [[1.0, 2.0], [2.0, 1.0]],
            "covariance: is not symmetric and positive semidefinite",
        ),
        ([1.0, np.nan], None, "mean: holds missing or infinite values"),
        ([[1.0]], None, "mean: has the shape (1, 1); give a vector"),
        (["a"], None, "mean: cannot be read as numbers"),
    ],
)
def test_bad_estimates(mean, covariance, says):
    with pytest.raises(InputError) as raised:
        Estimate(mean, covariance)
    assert says in str(raised.value)


# ---- partial synthesis ---------------------------------------------------------------


def people(n=60, seed=6):
    rng = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            "age": rng.integers(18, 80, n),
            "sex": pd.Categorical(rng.choice(["f", "m"], n), categories=["m", "f", "x"]),
            "area": rng.choice([3, 11, 20], n),
            "race": rng.choice(["black", "other", "white"], n, p=[0.2, 0.2, 0.6]),
            "rank": pd.Categorical(
                rng.choice(["low", "high"], n), categories=["low", "mid", "high"], ordered=True
            ),
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
    assert synthesis.m == 3 and synthesis.meta["synthesised"] == [
        "area",
        "race",
        "rank",
        "member",
        "pay",
    ]
    for made in synthesis.syn:
        assert (
            (made.dtypes == frame.dtypes).all()
            and made.index.equals(frame.index)
            and list(made.columns) == list(frame.columns)
        )
        pd.testing.assert_frame_equal(made[["age", "sex"]], frame[["age", "sex"]])
        assert (
            set(made["area"]) <= {3, 11, 20}
            and set(made["rank"]) <= {"low", "high"}
            and (made["pay"] > 0).all()
        )
    assert not synthesis.syn[0]["race"].equals(synthesis.syn[1]["race"])


def test_a_seed_repeats_the_result():
    frame, posterior = people(), fit_models(people(), CHAIN)
    first, second = (
        partial_synthesis(frame, posterior, m=2, seed=5, reproducible=True),
        partial_synthesis(frame, CHAIN, m=2, seed=5, reproducible=True),
    )
    assert all(a.equals(b) for a, b in zip(first.syn, second.syn))
    assert not first.syn[0].equals(
        partial_synthesis(frame, posterior, m=2, seed=6, reproducible=True).syn[0]
    )


def test_whole_numbers_stay_whole():
    frame = pd.DataFrame({"x": np.arange(50), "y": np.arange(50) ** 2})
    drawn = partial_synthesis(
        frame, [NormalRegression("y", ["x"])], m=1, seed=1, reproducible=True
    ).syn[0]["y"]
    assert drawn.dtype == frame["y"].dtype and not drawn.equals(frame["y"])


def test_whole_numbers_that_do_not_fit_their_type_are_not_wrapped():
    frame = pd.DataFrame({"y": np.array([0, 5, 250, 255] * 10, dtype="uint8")})
    drawn = partial_synthesis(frame, [NormalRegression("y")], m=1, seed=1, reproducible=True).syn[
        0
    ]["y"]
    assert drawn.min() < 0 and drawn.dtype == float and (drawn == drawn.round()).all()


def test_whole_numbers_with_room_for_missing_ones():
    frame = pd.DataFrame({"y": pd.array([1, 5, 9, 4] * 5, dtype="Int64")})
    assert (
        partial_synthesis(frame, [NormalRegression("y")], m=1, seed=1, reproducible=True)
        .syn[0]["y"]
        .dtype
        == "Int64"
    )


def test_values_follow_the_synthetic_values_before_them():
    """b equals a in the original; after synthesis of a, b follows the synthetic a."""
    frame = pd.DataFrame({"a": list("uv") * 200, "b": list("uv") * 200})
    made = partial_synthesis(
        frame,
        [Multinomial("a"), Multinomial("b", ["a"])],
        m=1,
        parameters="plugin",
        seed=2,
        reproducible=True,
    ).syn[0]
    assert (made["a"] != frame["a"]).mean() > 0.4 and (made["a"] == made["b"]).mean() > 0.95


def test_plugin_uses_the_estimate_and_posterior_does_not():
    """Shares of "a" over many sets: plug-in varies as a binomial share does, posterior draws add
    the estimate's own variance, which is about as large.
    """
    frame = pd.DataFrame({"y": list("ab") * 50})
    posterior = fit_models(frame, [Multinomial("y", ridge=0)])
    shares = {
        how: np.var(
            [
                (s["y"] == "a").mean()
                for s in partial_synthesis(
                    frame, posterior, m=800, parameters=how, seed=1, reproducible=True
                ).syn
            ]
        )
        for how in ("plugin", "posterior")
    }
    assert shares["plugin"] == pytest.approx(0.25 / 100, rel=0.2) and shares[
        "posterior"
    ] == pytest.approx(2 * 0.25 / 100, rel=0.2)


def test_nests_share_the_first_stage():
    synthesis = partial_synthesis(
        people(), CHAIN[:3], m=2, r=3, first_stage=["area"], seed=3, reproducible=True
    )
    assert (synthesis.m, synthesis.meta["m"], synthesis.meta["r"], synthesis.meta["nest"]) == (
        6,
        2,
        3,
        [1, 1, 1, 2, 2, 2],
    )
    area, race = (
        [s["area"].tolist() for s in synthesis.syn],
        [s["race"].tolist() for s in synthesis.syn],
    )
    assert area[0] == area[1] == area[2] != area[3] == area[4] == area[5]
    assert len({tuple(r) for r in race}) == 6


def test_only_some_records_are_replaced_and_nothing_is_invented():
    frame = people(300)
    minority = (frame["race"] != "white").to_numpy()
    synthesis = partial_synthesis(
        frame,
        [Multinomial("race", ["sex"])],
        m=4,
        where=lambda f: f["race"] != "white",
        seed=1,
        reproducible=True,
    )
    for made in synthesis.syn:
        assert (made["race"][~minority] == "white").all() and set(made["race"][minority]) == {
            "black",
            "other",
        }
    assert any((made["race"] != frame["race"]).any() for made in synthesis.syn)


def test_records_to_replace_can_differ_between_responses():
    frame = people()
    first = np.arange(60) < 10
    made = partial_synthesis(
        frame, CHAIN[:2], m=1, where={"race": first}, seed=1, reproducible=True
    ).syn[0]
    assert (made["race"][~first] == frame["race"][~first]).all() and (
        made["area"] != frame["area"]
    )[~first].any()


def test_the_model_is_fitted_to_the_records_it_replaces():
    frame = pd.DataFrame({"y": list("ab") * 10 + ["b"] * 80, "old": [True] * 20 + [False] * 80})
    estimate = fit_models(
        frame, [Multinomial("y", ridge=0)], where=frame["old"].to_numpy()
    ).estimates[0]
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
    made = partial_synthesis(people(400), [Resample()], m=1, seed=2, reproducible=True).syn[0]
    assert (
        set(made["race"]) == {"white", "other"}
        and abs((made["race"] == "white").mean() - 0.6) < 0.1
    )


@pytest.mark.parametrize(
    "answer, says",
    [
        (lambda data: np.full(len(data), "green"), "not among its categories"),
        (lambda data: ["white"], "one value for each is needed"),
        (lambda data: 3, "one value for each is needed"),
    ],
)
def test_what_a_model_simulates_is_checked(answer, says):
    class Odd(Resample):
        def simulate(self, parameters, data, rng):
            return answer(data)

    with pytest.raises(InputError, match=says):
        partial_synthesis(people(), [Odd()], m=1)


def test_what_a_fit_gives_is_checked():
    class Odd(Resample):
        def fit(self, data, covariance):
            return 3.0

    with pytest.raises(InputError, match="gave a float; an Estimate is needed"):
        partial_synthesis(people(), [Odd()], m=1)


def test_numbers_of_a_model_of_ones_own_are_checked():
    class Odd:
        response, predictors = "pay", ()

        def fit(self, data, covariance):
            return Estimate([0.0])

        def simulate(self, parameters, data, rng):
            return np.full(len(data), np.inf)

    with pytest.raises(InputError, match="'pay' gave values that are not finite numbers"):
        partial_synthesis(people(), [Odd()], m=1)


# ---- bad input -----------------------------------------------------------------------


@pytest.mark.parametrize(
    "models, says",
    [
        ([], "models: is empty"),
        ("race", "models: str cannot be used"),
        (
            [Multinomial("rce")],
            "models: 'rce' is not a column of the original data; did you mean 'race'?",
        ),
        (
            [Multinomial("race", ["agee"])],
            "models, predictors of 'race': 'agee' is not a column of the original data",
        ),
        (
            [Multinomial("race", ["race"])],
            "'race' is a predictor of 'race' but not synthesised before it",
        ),
        (
            [Multinomial("race", ["area"]), Multinomial("area")],
            "'area' is a predictor of 'race' but not synthesised before it",
        ),
        ([Multinomial("race"), Multinomial("race")], "two models have the response 'race'"),
        ([Multinomial("race", ["age", "age"])], "a predictor of 'race' is given more than once"),
        ([Multinomial("race"), "area"], "models: str cannot be used"),
        ([Multinomial], "models: type cannot be used"),
        (Multinomial, "models: type cannot be used"),
        ([NormalRegression("race")], "'race' is not numeric; give a Multinomial"),
    ],
)
def test_bad_models(models, says):
    with pytest.raises(InputError) as raised:
        partial_synthesis(people(), models)
    assert says in str(raised.value)


@pytest.mark.parametrize(
    "arguments, says",
    [
        ({"m": 0}, "m: 0 is not a whole number of 1 or more"),
        ({"m": 2.5}, "m: 2.5 is not a whole number"),
        ({"r": 0}, "r: 0 is not"),
        ({"r": 2}, "first_stage: is needed when r is more than 1"),
        ({"r": 2, "first_stage": ["race"]}, "name the first responses"),
        ({"r": 2, "first_stage": ["area", "race"]}, "with some left for the second stage"),
        ({"r": 2, "first_stage": ["sex"]}, "first_stage: 'sex' is not a column of the responses"),
        ({"parameters": "mode"}, "parameters: 'mode' is unknown; choices: 'posterior', 'plugin'"),
        ({"where": [True]}, "where, for 'area': has type bool and shape (1,)"),
        ({"where": np.zeros(60, dtype=bool)}, "no record of 'area' is replaced"),
        (
            {"where": {"age": np.ones(60, dtype=bool)}},
            "where: 'age' is not the response of a model",
        ),
        ({"where": np.arange(60)}, "where, for 'area': has type int64"),
        ({"seed": "x"}, "seed: str cannot be used"),
    ],
)
def test_bad_arguments(arguments, says):
    with pytest.raises(InputError) as raised:
        partial_synthesis(people(), CHAIN[:2], **arguments)
    assert says in str(raised.value)


def test_missing_numbers_are_refused():
    frame = people().assign(pay=np.nan)
    for model in (NormalRegression("pay"), Multinomial("race", ["pay"])):
        with pytest.raises(
            InputError, match="original: 60 values of the numeric column 'pay' are missing"
        ):
            fit_models(frame, [model])


def test_infinite_numbers_are_refused():
    with pytest.raises(InputError, match="'pay' holds infinite values"):
        fit_models(people().assign(pay=np.inf), [NormalRegression("pay")])


def test_times_are_refused():
    with pytest.raises(InputError, match="'born' holds times"):
        fit_models(
            people().assign(born=pd.Timestamp("2000-01-01")), [Multinomial("race", ["born"])]
        )


@pytest.mark.parametrize(
    "make, says",
    [
        (lambda: Multinomial("y", ridge=-1), "ridge: -1 is not a number of at least 0"),
        (
            lambda: NormalRegression("y", transform="sqrt"),
            "transform: 'sqrt' is unknown; choices: 'identity', 'log', 'cube root'",
        ),
        (lambda: NormalRegression("y", transform=(np.log,)), "transform: "),
    ],
)
def test_bad_parameters_of_models(make, says):
    with pytest.raises(InputError) as raised:
        make()
    assert says in str(raised.value)


def test_log_of_what_is_not_positive():
    with pytest.raises(
        InputError, match="transform: 'log' does not give one finite number for each value of 'y'"
    ):
        fit_models(pd.DataFrame({"y": [0.0, 1.0]}), [NormalRegression("y", transform="log")])


@pytest.mark.parametrize("transform", [(lambda y: y * np.nan, np.exp), (lambda y: y[:1], np.exp)])
def test_a_transformation_that_loses_values(transform):
    with pytest.raises(InputError, match="does not give one finite number for each value of 'y'"):
        fit_models(pd.DataFrame({"y": [1.0, 2.0]}), [NormalRegression("y", transform=transform)])


def test_an_empty_frame():
    with pytest.raises(InputError, match="original: has no rows"):
        fit_models(people().iloc[:0], CHAIN)


def test_where_belongs_to_the_fit():
    posterior = fit_models(people(), CHAIN[:1])
    with pytest.raises(InputError, match="where: belongs to fit_models"):
        partial_synthesis(people(), posterior, where=np.ones(60, dtype=bool))


def test_too_many_coefficients():
    frame = pd.DataFrame({"y": np.arange(200), "x": np.arange(200).astype(str)})
    with pytest.raises(
        InputError, match=r"has 39,800 coefficients \(200 levels, 200 columns of predictors\)"
    ):
        fit_models(frame, [Multinomial("y", ["x"])])


# ---- views ---------------------------------------------------------------------------


def test_text_of_a_posterior():
    posterior = fit_models(people(), CHAIN[:2])
    assert isinstance(posterior, Posterior)
    assert (
        repr(posterior) == "Synthesis models in order, fitted\n"
        "     predictors parameters distribution\n"
        "area          2          6       normal\n"
        "race          2          8       normal"
    )
    assert "known" in repr(posterior.fixed()) and "<table>" in posterior._repr_html_()


def test_tidy_of_a_posterior():
    tidy = fit_models(people(), CHAIN[:1]).tidy()
    assert (
        tidy.columns.tolist() == ["response", "parameter", "mean", "sd"]
        and len(tidy) == 6
        and (tidy["sd"] > 0).all()
    )
    assert fit_models(people(), CHAIN[:1]).fixed().tidy()["sd"].isna().all()
