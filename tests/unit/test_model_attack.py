"""The intruder who knows the models: parameters as in Reiter and Mitra's equations, restrictions,
the limit of many draws, bad input.
"""

from __future__ import annotations

from itertools import product
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from synthpop_py.errors import InputError
from synthpop_py.matching import identification_risk
from synthpop_py.matching.models import combined_draw, draw_keys
from synthpop_py.synthesis import (
    Estimate,
    Multinomial,
    NormalRegression,
    Restriction,
    SampleUniques,
    fit_models,
    partial_synthesis,
)


def keys(sets, models, parameters="fixed", draws=1, restrictions=None, seed=1):
    asked = SimpleNamespace(
        models=models, parameters=parameters, draws=draws, restrictions=restrictions
    )
    return draw_keys(sets, asked, np.random.default_rng(seed))


def shares(frames, name):
    return pd.concat([f[name] for f in frames]).value_counts(normalize=True).to_dict()


LETTERS = [
    pd.DataFrame({"y": list("aaab"), "g": list("ppqq")}),
    pd.DataFrame({"y": list("abbb"), "g": list("ppqq")}),
]
PLAIN = [Multinomial("y", ridge=0)]


# ---- shape ---------------------------------------------------------------------------


def test_versions_are_aligned_with_the_released_file():
    sets = [frame.set_axis([7, 3, 9, 1]) for frame in LETTERS]
    made = keys(sets, [Multinomial("y", ["g"])], draws=5)
    assert len(made) == 5
    for frame in made:
        assert (
            list(frame.columns) == ["y"]
            and frame.index.tolist() == [7, 3, 9, 1]
            and set(frame["y"]) <= {"a", "b"}
        )
        assert frame["y"].dtype == sets[0]["y"].dtype


def test_types_of_the_released_columns():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"area": rng.choice([1, 5], 30), "x": np.arange(30)})
    frame["kind"] = pd.Categorical(rng.choice(["u", "v"], 30), categories=["v", "u", "w"])
    frame["pay"] = rng.integers(100, 200, 30)
    models = [
        Multinomial("area", ["x"]),
        Multinomial("kind", ["area"]),
        NormalRegression("pay", ["kind"]),
    ]
    made = keys([frame, frame], models, draws=2)[1]
    assert made.dtypes.tolist() == frame[["area", "kind", "pay"]].dtypes.tolist()


def test_the_same_seed_gives_the_same_versions():
    one, two, other = (keys(LETTERS, PLAIN, "simulated", draws=20, seed=s) for s in (1, 1, 2))
    assert all(a.equals(b) for a, b in zip(one, two)) and not all(
        a.equals(b) for a, b in zip(one, other)
    )


def test_a_level_that_one_set_lacks():
    sets = [pd.DataFrame({"y": list("abab")}), pd.DataFrame({"y": list("abac")})]
    made = shares(keys(sets, [Multinomial("y")], draws=300), "y")
    assert 0 < made["c"] < 0.25 and set(made) == {"a", "b", "c"}


# ---- parameters ----------------------------------------------------------------------


def test_fixed_takes_the_average_of_the_estimates():
    """Log-ratios 0 and -log 15 average to -log(15) / 2: "a" has the share sqrt(15) / (1 + sqrt(15))
    = 0.795, not the pooled 23/32 = 0.719.
    """
    sets = [pd.DataFrame({"y": list("ab") * 800}), pd.DataFrame({"y": (["a"] * 15 + ["b"]) * 100})]
    made = shares(keys(sets, PLAIN, draws=10), "y")
    share = np.sqrt(15) / (1 + np.sqrt(15))
    assert made["a"] == pytest.approx(share, abs=4 * np.sqrt(share * (1 - share) / 16000))


def test_simulated_parameters_have_the_covariance_of_equation_6():
    """T = mean covariance + B / m, by hand and in 20,000 draws."""
    rng = np.random.default_rng(3)
    frames = [
        pd.DataFrame({"x": np.arange(80.0), "y": rng.choice(list("ab"), 80, p=[p, 1 - p])})
        for p in (0.3, 0.5, 0.8)
    ]
    fits = [fit_models(frame, [Multinomial("y", ["x"], ridge=1)]).estimates[0] for frame in frames]
    means = np.stack([fit.mean for fit in fits])
    total = sum(fit.covariance() for fit in fits) / 3 + np.cov(means.T, ddof=1) / 3
    draws = np.stack([combined_draw(fits, rng) for _ in range(20000)])
    sd = np.sqrt(np.diag(total))
    assert (np.abs(draws.mean(axis=0) - means.mean(axis=0)) < 5 * sd / np.sqrt(20000)).all()
    assert (
        np.abs(np.cov(draws.T) - total) < 5 * np.sqrt((total**2 + np.outer(sd**2, sd**2)) / 20000)
    ).all()


def test_simulated_parameters_vary_more_than_fixed_ones():
    """Two equal sets of 100 records, half of them "a": shares vary by 1/400, and as much again
    through the parameter (B = 0, T = the variance of one log-ratio).
    """
    sets = [pd.DataFrame({"y": list("ab") * 50})] * 2

    def variance(how):
        return np.var([(frame["y"] == "a").mean() for frame in keys(sets, PLAIN, how, draws=500)])

    assert variance("fixed") == pytest.approx(1 / 400, rel=0.25) and variance(
        "simulated"
    ) == pytest.approx(2 / 400, rel=0.25)


@pytest.mark.parametrize(
    "form", [lambda mean, cov: [Estimate(mean, cov)], lambda mean, cov: [(mean, cov)]]
)
def test_released_parameters_are_used_instead_of_a_fit(form):
    sets = [pd.DataFrame({"y": list("ab") * 500})] * 2
    made = shares(keys(sets, PLAIN, form([np.log(9)], None), draws=10), "y")
    assert made["b"] == pytest.approx(0.9, abs=4 * np.sqrt(0.09 / 10000))
    each = [
        (frame["y"] == "b").mean()
        for frame in keys(sets, PLAIN, form([np.log(9)], [[4.0]]), draws=50)
    ]
    assert np.std(each) > 10 * np.sqrt(0.09 / 1000)  # far more than independent records do


def test_a_posterior_knows_levels_that_no_set_shows():
    original = pd.DataFrame({"y": list("aabbcc"), "x": range(6)})
    posterior = fit_models(original, [Multinomial("y", ["x"])])
    sets = [original.assign(y=list("aabbbb")), original.assign(y=list("abbbbb"))]
    assert "c" in shares(keys(sets, posterior.models, posterior, draws=200), "y")
    assert "c" in shares(keys(sets, posterior.models, posterior.fixed(), draws=200), "y")
    assert "c" not in shares(keys(sets, posterior.models, "fixed", draws=200), "y")


# ---- the limit of many draws ---------------------------------------------------------


def limit(chance, agrees):
    """Match probabilities of a target with known keys: q_i E[1 / (1 + number of the others that
    match)] + Pr(nothing matches) / n*, by enumeration.
    """
    n = len(chance)
    found = np.zeros(n)
    for outcome in product([0, 1], repeat=n):
        match = np.array(outcome, dtype=bool) & agrees
        weight = np.prod([q if hit else 1 - q for q, hit in zip(chance, outcome)])
        found += weight * (match / match.sum() if match.any() else agrees / agrees.sum())
    return found


def test_many_draws_reach_the_exact_limit():
    """Five records, the area of each drawn as "n" with its own probability; a target in area "n"
    with g = p.
    """
    chance = np.array([0.9, 0.5, 0.2, 0.7, 0.4])
    frame = pd.DataFrame({"record": list("vwxyz"), "g": list("ppqpp"), "area": list("nsnsn")})
    agrees = (frame["g"] == "p").to_numpy()
    # coefficients so that record i has area "n" with chance q_i: the reference level is "n", the
    # other one has the log-ratio (1 - q) / q
    logits = np.log((1 - chance) / chance)
    parameters = [(np.concatenate([[logits[0]], logits[1:] - logits[0]]), None)]
    draws = 1500
    made = keys([frame, frame], [Multinomial("area", ["record"])], parameters, draws=draws)
    match = np.stack([(f["area"] == "n").to_numpy() & agrees for f in made])
    count = match.sum(axis=1, keepdims=True)
    each = np.where(count > 0, match / np.maximum(count, 1), agrees / agrees.sum())
    exact = limit(chance, agrees)
    assert exact.sum() == pytest.approx(1)
    assert (np.abs(each.mean(axis=0) - exact) < 5 * each.std(axis=0) / np.sqrt(draws) + 1e-12).all()


def test_identification_risk_reaches_the_same_limit():
    """Through the front door: match probabilities of the first record, whose area is "n", from
    1,500 draws.
    """
    chance = np.array([0.9, 0.5, 0.2, 0.7, 0.4])
    frame = pd.DataFrame({"record": list("vwxyz"), "g": list("ppqpp"), "area": list("nsnsn")})
    logits = np.log((1 - chance) / chance)
    released = [(np.concatenate([[logits[0]], logits[1:] - logits[0]]), None)]
    risk = identification_risk(
        [frame, frame],
        frame,
        known="g",
        synthesised="area",
        attack="model",
        models=[Multinomial("area", ["record"])],
        parameters=released,
        draws=1500,
        seed=5,
    )
    exact = limit(chance, (frame["g"] == "p").to_numpy())
    found = risk.probabilities(0).reindex(range(5), fill_value=0.0)
    assert np.abs(found - exact).max() < 5 * 0.5 / np.sqrt(1500)
    assert found[2] == 0 and risk.records().loc[0, "K"] == 1


def test_knowing_the_models_helps():
    """Area follows age closely: who knows that finds more than who averages over two sets."""
    rng = np.random.default_rng(8)
    age = rng.normal(size=150)
    frame = pd.DataFrame(
        {
            "sex": rng.choice(["f", "m"], 150),
            "age": age,
            "area": pd.cut(age + rng.normal(0, 0.3, 150), 12, labels=False),
        }
    )
    models = [Multinomial("area", ["age"])]
    posterior = fit_models(frame, models)
    sets = partial_synthesis(frame, posterior, m=2, seed=3, reproducible=True)
    keys = {"known": "sex", "synthesised": "area", "seed": 1}
    plain = identification_risk(sets, frame, **keys)
    informed = identification_risk(
        sets, frame, attack="model", models=models, parameters=posterior, **keys
    )
    restricted = identification_risk(
        sets,
        frame,
        attack="model",
        models=models,
        parameters=posterior,
        restrictions={"area": lambda values, records: abs(values.astype(float) - 5.5) < 100},
        **keys,
    )
    assert informed.expected > plain.expected
    assert (informed.expected, informed.true) == (
        restricted.expected,
        restricted.true,
    )  # a restriction that forbids nothing changes nothing


# ---- restrictions --------------------------------------------------------------------


def many(n=60, m=2, seed=2):
    rng = np.random.default_rng(seed)
    known = pd.DataFrame({"age": rng.integers(20, 60, n), "sex": rng.choice(["f", "m"], n)})
    return [
        known.assign(race=rng.choice(["black", "other", "white"], n), pay=rng.normal(100, 10, n))
        for _ in range(m)
    ]


RACE = [Multinomial("race", ["age", "sex"])]


@pytest.mark.parametrize(
    "restriction",
    [
        ["black", "other"],
        {"black", "other"},
        lambda values, records: values != "white",
        Restriction(allowed=("black", "other")),
    ],
)
def test_impossible_values_are_never_drawn(restriction):
    made = keys(many(), RACE, draws=20, restrictions={"race": restriction})
    assert set(pd.concat(made)["race"]) == {"black", "other"}


def test_the_others_keep_their_ratios():
    """Without white the shares 1/2, 1/4, 1/4 become 2/3, 1/3."""
    sets = [pd.DataFrame({"race": ["black", "black", "other", "white"] * 200})] * 2
    made = shares(
        keys(
            sets,
            [Multinomial("race", ridge=0)],
            draws=10,
            restrictions={"race": ["black", "other"]},
        ),
        "race",
    )
    assert made["black"] == pytest.approx(2 / 3, abs=0.03)


def test_records_left_as_they_were_keep_their_value():
    sets = many()
    kept = np.arange(60) < 25
    sets[1].loc[kept, "race"] = sets[0].loc[kept, "race"]
    for restriction in (
        ~kept,
        Restriction(replaced=~kept),
        Restriction(replaced=lambda released: released.index.to_numpy() >= 25),
    ):
        for frame in keys(sets, RACE, draws=10, restrictions={"race": restriction}):
            assert (frame["race"][kept] == sets[0]["race"][kept]).all() and (
                frame["race"][~kept] != sets[0]["race"][~kept]
            ).any()


def test_models_are_fitted_to_the_records_that_were_replaced():
    sets = [pd.DataFrame({"y": list("ab") * 10 + ["b"] * 80})] * 2
    made = keys(sets, PLAIN, draws=500, restrictions={"y": np.arange(100) < 20})
    assert pd.concat([f["y"].iloc[:20] for f in made]).eq("a").mean() == pytest.approx(
        0.5, abs=0.03
    )


def test_a_function_sees_what_is_known_and_what_was_drawn_before():
    sets = many()
    seen = []

    def high_means_white(values, records):
        seen.append(set(records.columns))
        return (values == "high") == (records["race"] == "white")

    for number, frame in enumerate(sets):
        frame["rank"] = np.where(np.arange(60) % (2 + number) == 0, "high", "low")
    made = keys(
        sets,
        [*RACE, Multinomial("rank", ["age"])],
        draws=5,
        restrictions={"rank": high_means_white},
    )
    assert all(((frame["rank"] == "high") == (frame["race"] == "white")).all() for frame in made)
    assert all({"age", "sex", "race", "pay"} == columns for columns in seen)


def test_a_record_whose_allowed_values_have_no_chance_draws_among_them():
    sets = [pd.DataFrame({"y": list("abc"), "x": [0.0, 0, 0]})] * 2
    parameters = [([-2000.0, 0, -2000.0, 0], None)]  # exp(-2000) is 0
    assert set(
        pd.concat(
            keys(
                sets,
                [Multinomial("y", ["x"])],
                parameters,
                draws=50,
                restrictions={"y": ["b", "c"]},
            )
        )["y"]
    ) == {"b", "c"}


def test_numbers_are_drawn_again_until_they_are_allowed():
    sets = many()
    for frame in keys(
        sets,
        [NormalRegression("pay", ["sex"])],
        draws=5,
        restrictions={"pay": lambda values, records: values > 105},
    ):
        assert (frame["pay"] > 105).all()


def test_a_model_without_probabilities_is_drawn_again():
    class Resample:
        response, predictors = "race", ()

        def fit(self, data, covariance):
            return Estimate([0.0])

        def simulate(self, parameters, data, rng):
            return rng.choice(["black", "other", "white"], len(data))

    for restriction in (["other"], lambda values, records: values == "other"):
        made = keys(many(), [Resample()], draws=3, restrictions={"race": restriction})
        assert set(pd.concat(made)["race"]) == {"other"}


def test_missing_values_can_be_ruled_out():
    sets = [pd.DataFrame({"y": ["a", None, "b", None]})] * 2
    made = pd.concat(
        keys(
            sets,
            [Multinomial("y")],
            draws=200,
            restrictions={"y": lambda values, records: values.notna()},
        )
    )
    assert not made["y"].isna().any()
    assert pd.concat(keys(sets, [Multinomial("y")], draws=200))["y"].isna().any()


# ---- sample uniques ------------------------------------------------------------------


def uniques_case():
    """Ten records of two sexes and five areas; those alone with sex and area were synthesised."""
    original = pd.DataFrame({"sex": list("fffffmmmmm"), "area": list("aabbcaadde")})
    alone = ~original.duplicated(["sex", "area"], keep=False).to_numpy()
    assert original[alone].to_numpy().tolist() == [["f", "c"], ["m", "e"]]
    wide = pd.concat(
        [original, pd.DataFrame({"sex": list("ffm"), "area": list("dec")})], ignore_index=True
    )
    alone = ~wide.duplicated(["sex", "area"], keep=False).to_numpy()
    return wide, alone


def test_sample_uniques_stay_unique():
    original, alone = uniques_case()
    models = [Multinomial("area", ["sex"])]
    synthesis = partial_synthesis(original, models, m=3, where=alone, seed=2, reproducible=True)
    restriction = SampleUniques(["sex", "area"], alone)
    kept = set(map(tuple, original[~alone].to_numpy()))
    clashes = 0
    for frame in keys(synthesis.syn, models, "fixed", draws=25, restrictions=restriction):
        drawn = original.assign(area=frame["area"])
        assert (drawn["area"][~alone] == original["area"][~alone]).all()
        combinations = list(map(tuple, drawn[alone].to_numpy()))
        assert len(set(combinations)) == len(combinations) and not kept & set(combinations)
    for frame in keys(synthesis.syn, models, "fixed", draws=25, restrictions={"area": alone}):
        drawn = original.assign(area=frame["area"])
        clashes += int(drawn.duplicated(["sex", "area"], keep=False)[alone].any())
    assert clashes > 0  # without the restriction they do not stay unique


def test_sample_uniques_of_two_synthesised_keys():
    rng = np.random.default_rng(5)
    original = pd.DataFrame(
        {"area": rng.choice(list("abcdef"), 60), "race": rng.choice(list("uvwxyz"), 60)}
    )
    alone = ~original.duplicated(keep=False).to_numpy()
    models = [Multinomial("area"), Multinomial("race", ["area"])]
    synthesis = partial_synthesis(original, models, m=2, where=alone, seed=2, reproducible=True)
    for frame in keys(
        synthesis.syn,
        models,
        "simulated",
        draws=4,
        restrictions=SampleUniques(["area", "race"], alone),
    ):
        assert not frame.duplicated(keep=False)[alone].any()


def test_sample_uniques_are_drawn_among_free_combinations(monkeypatch):
    """The one free area has a chance of about 1 in 22,000: waiting for it would take long, leaving
    out what is taken does not.
    """
    monkeypatch.setattr("synthpop_py.synthesis.restrictions.MOST_TRIES", 3)
    frame = pd.DataFrame({"area": [*list("aabbcc"), "d"]})
    parameters = [([0.0, 0.0, -10.0], None)]
    for drawn in keys(
        [frame, frame],
        [Multinomial("area")],
        parameters,
        draws=5,
        restrictions=SampleUniques("area", [False] * 6 + [True]),
    ):
        assert drawn["area"].tolist() == list("aabbccd")


def test_sample_uniques_that_cannot_be(monkeypatch):
    monkeypatch.setattr("synthpop_py.synthesis.restrictions.MOST_TRIES", 50)
    original = pd.DataFrame({"area": list("abab")})
    with pytest.raises(InputError, match="2 records did not become unique in area in 50 draws"):
        keys(
            [original, original],
            [Multinomial("area")],
            restrictions=SampleUniques("area", [True] * 4),
        )


# ---- bad input -----------------------------------------------------------------------


def other(values, records):
    return values


BAD = [
    ({"parameters": "mode"}, "parameters: 'mode' is unknown; choices: 'fixed', 'simulated'"),
    ({"parameters": []}, "parameters: 0 distributions are given for 1 models"),
    ({"parameters": [([0.0], None)]}, "model of 'race' has 6 parameters for these data, 1 are"),
    ({"parameters": [([0.0] * 6, [[1.0]])]}, "has the shape (1, 1); 6 parameters need (6, 6)"),
    ({"parameters": [3]}, "parameters: holds a int; give an Estimate or a pair"),
    ({"models": [Multinomial("race", ["agee"])]}, "'agee' is not a column of the released data"),
    (
        {"models": [Multinomial("race", ["pay"]), NormalRegression("pay")]},
        "'pay' is a predictor of 'race' but not synthesised before it",
    ),
    ({"models": None}, "models: NoneType cannot be used"),
    ({"restrictions": 3}, "restrictions: int cannot be used"),
    ({"restrictions": {"sex": ["f"]}}, "'sex' is not the response of a model; choices: race"),
    ({"restrictions": {"race": []}}, "no value is given of 'race'"),
    ({"restrictions": {"race": ["green"]}}, "'green' is not a value of 'race' in the released"),
    ({"restrictions": {"race": 3}}, "restrictions: 3 is not a value of 'race'"),
    ({"restrictions": {"race": [True, False]}}, "give True or False for each of 60 records"),
    (
        {"restrictions": {"race": np.zeros(60, dtype=bool)}},
        "'race' of row 1 is declared not replaced, but sets 1 and 2 differ there",
    ),
    (
        {"restrictions": {"race": lambda values, records: False}},
        "no level of 'race' is allowed for 60 records, the first at row 1",
    ),
    ({"restrictions": {"race": other}}, "the function for 'race' gave object of shape (60,)"),
    ({"restrictions": [{"race": ["white"]}] * 2}, "'race' is restricted twice"),
    ({"restrictions": SampleUniques(["sex"], [True] * 60)}, "none of the keys ['sex'] is synth"),
    ({"restrictions": SampleUniques(["rce"], [True] * 60)}, "'rce' is not a column of the rele"),
    (
        {"restrictions": [SampleUniques(["race"], [True] * 60), {"race": [True] * 60}]},
        "both SampleUniques and a Restriction say which records of 'race'",
    ),
]


@pytest.mark.parametrize("change, says", BAD)
def test_bad_input(change, says):
    arguments = {"sets": many(), "models": RACE, "draws": 2} | change
    with pytest.raises(InputError) as raised:
        keys(**arguments)
    assert says in str(raised.value)


class Bare:
    """A model that gives no covariance."""

    response, predictors = "pay", ()

    def fit(self, data, covariance):
        return Estimate([data["pay"].mean()])

    def simulate(self, parameters, data, rng):
        return np.full(len(data), parameters[0])


def test_what_needs_more_than_it_gets(monkeypatch):
    with pytest.raises(InputError, match="'simulated' needs at least two synthetic sets"):
        keys(many(m=1), RACE, "simulated")
    assert len(keys(many(m=1), RACE, "fixed")) == 1
    with pytest.raises(InputError, match=r"'simulated' needs covariances, .* 'pay' gives none"):
        keys(many(), [Bare()], "simulated")
    assert keys(many(), [Bare()], "fixed")[0]["pay"].nunique() == 1
    with pytest.raises(InputError, match="'pay' is numeric; give a function"):
        keys(many(), [NormalRegression("pay")], restrictions={"pay": [1.0, 2.0]})
    monkeypatch.setattr("synthpop_py.synthesis.chain.MOST_TRIES", 50)
    never = {"pay": lambda values, records: values > 1e9}
    with pytest.raises(InputError, match="60 records got no allowed value of 'pay' in 50 draws"):
        keys(many(), [NormalRegression("pay")], restrictions=never)
    with pytest.raises(InputError, match="data set 1: 1 values of the numeric column 'age' are"):
        keys([frame.assign(age=[np.nan] + [30.0] * 59) for frame in many()], RACE)


def test_a_posterior_of_other_models_or_values():
    posterior, sets = fit_models(many()[0], RACE), many()
    with pytest.raises(InputError, match="or they belong to other models"):
        keys(sets, [Multinomial("race", ["age"])], posterior)
    sets[1].loc[4, "race"] = "green"
    says = "data set 2: column 'race' has a level that the models do not know, first in row 5"
    with pytest.raises(InputError, match=says):
        keys(sets, RACE, posterior)


# ---- the released file is the original's, row for row --------------------------------


def released(n=60, m=3):
    rng = np.random.default_rng(0)
    original = pd.DataFrame({"sex": rng.choice(["f", "m"], n)})
    original["age"] = rng.normal(40, 10, n).round()
    original["shoe"] = rng.normal(40, 2, n).round(1)
    original["race"] = np.where(rng.random(n) < 1 / (1 + np.exp(40 - original["age"])), "w", "b")
    models = [Multinomial("race", ["age", "shoe"])]
    return original, partial_synthesis(original, models, m=m, seed=1, reproducible=True).syn, models


def informed(synthetic, original, models, known="sex", draws=3, **more):
    options = {"attack": "model", "models": models, "draws": draws, "seed": 1} | more
    synthesised = models[0].response
    return identification_risk(synthetic, original, known=known, synthesised=synthesised, **options)


@pytest.mark.parametrize("parameters", ["fixed", "simulated", "released"])
def test_the_model_attack_checks_known_keys_like_the_others(parameters):
    original, sets, models = released()
    given = fit_models(original, models) if parameters == "released" else parameters
    wrong = [
        ([s.sort_values("age").reset_index(drop=True) for s in sets], "'sex' differs .* set 1"),
        ([sets[0], sets[1].assign(sex="f"), sets[2]], "'sex' differs .* set 2"),
        ([s.drop(columns="age") for s in sets], "known: 'age' is not .* synthetic data set 1"),
        ([s.iloc[::-1] for s in sets], "set 1: has the original's row labels in another order"),
        (
            [s.assign(race=s["race"] + " ") for s in sets],
            "set 1, column 'race': no value in common",
        ),
    ]
    assert informed(sets, original, models, ["sex", "age"], parameters=given).n == 60
    for synthetic, says in wrong:
        with pytest.raises(InputError, match=says):
            informed(synthetic, original, models, ["sex", "age"], parameters=given)


def test_predictors_that_nobody_synthesised_are_the_originals():
    original, (released_once,), models = released(m=1)
    says = "the predictor 'shoe' differs between the original and synthetic data set 1; bring"
    with pytest.raises(InputError, match=says):
        informed(
            released_once.assign(shoe=released_once["shoe"][::-1].to_numpy()), original, models
        )
    # an intruder may read numbers as levels; what he sees is what he fits
    as_text = released_once.assign(shoe=released_once["shoe"].astype(str))
    assert informed(as_text, original, models).n == 60


@pytest.mark.parametrize("dtype", ["string", object])
def test_predictors_with_missing_values_are_compared(dtype):
    """pd.NA equals nothing, not even itself."""
    predictor = pd.Series(["p", pd.NA, "q", "p"], dtype=dtype)
    original = pd.DataFrame({"y": list("aabb"), "g": predictor})
    sets = [original.assign(y=list("abab")), original.assign(y=list("abbb"))]
    models = [Multinomial("y", ["g"], ridge=1.0)]
    assert informed(sets, original, models, "g").n == 4
    with pytest.raises(InputError, match="'g' differs between the original"):
        informed(sets, original.assign(g=predictor.fillna("q")), models, [])


def test_drawn_parameters_need_two_sets_and_the_path_begins_there():
    original, sets, models = released()
    risk = informed(sets, original, models, parameters="simulated")
    assert risk.path().index.tolist() == [2, 3] and risk.path().loc[3, "expected"] == risk.expected
    assert [line.get_xdata().tolist() for line in risk.plot().lines] == [[2, 3]] * 3
    with pytest.raises(InputError, match="'simulated' needs at least two synthetic sets"):
        risk.path([1])
    assert informed(sets, original, models).path().index.tolist() == [1, 2, 3]
    # the first nest has two sets
    nested = informed([sets[:2], sets[2:]], original, models, parameters="simulated")
    assert nested.path().index.tolist() == [1, 2]


def test_sample_uniques_with_missing_categories():
    rng = np.random.default_rng(1)
    original = pd.DataFrame(
        {
            "g": pd.Categorical(rng.choice(["x", "y", None], 40)),
            "t": rng.choice(list("ABCDEFGHIJ"), 40),
            "u": rng.normal(size=40),
        }
    )
    text = original.assign(g=original["g"].astype(object).where(original["g"].notna(), "missing"))
    unique = text.groupby(["g", "t"])["u"].transform("size").eq(1).to_numpy()
    assert (original["g"].isna() & unique).sum() > 1
    models = [Multinomial("t", ["u"])]
    sets = partial_synthesis(original, models, m=2, where=unique, seed=1, reproducible=True).syn
    for drawn in keys(sets, models, draws=10, restrictions=SampleUniques(["g", "t"], unique)):
        pairs = list(zip(text["g"], drawn["t"]))
        mine, others = (
            [p for p, u in zip(pairs, unique) if u],
            {p for p, u in zip(pairs, unique) if not u},
        )
        assert len(set(mine)) == len(mine) and not others & set(mine)
