"""What must hold for any data, the seam to the model-aware intruder, and how the R packages'
figures relate to ours.
"""

from __future__ import annotations

from time import perf_counter

import numpy as np
import pandas as pd
import pytest

from synthpop_py import InputError, datasets
from synthpop_py.matching import (
    Euclidean,
    IdentificationRisk,
    QuantileSD,
    Relative,
    identification_risk,
    intruders,
    matches,
)
from synthpop_py.synthesis import Multinomial

LONGEST = 20.0  # seconds; about 0.2 here, so only a change of method can pass it
COUNTS = ["perceived", "expected", "true", "false", "unique_matches"]


def random_release(seed: int, n: int, m: int) -> tuple[pd.DataFrame, list[pd.DataFrame]]:
    rng = np.random.default_rng(seed)
    original = pd.DataFrame(
        {
            "sex": rng.choice(["f", "m"], n),
            "town": rng.choice(["A", "B", "C", None], n),
            "age": rng.integers(20, 60, n).astype(float),
            "size": np.where(rng.random(n) < 0.05, np.nan, rng.lognormal(3, 1, n).round()),
        }
    )
    sets = []
    for _ in range(m):
        town = np.where(rng.random(n) < 0.6, original["town"], rng.permutation(original["town"]))
        sets.append(
            original.assign(
                town=town,
                age=original["age"] + rng.integers(-3, 4, n),
                size=(original["size"] * rng.lognormal(0, 0.2, n)).round(),
            )
        )
    return original, sets


CALLS = {
    "exact keys": {"synthesised": ["town"]},
    "one interval": {"synthesised": ["town", "age"], "intervals": {"age": 2}},
    "relative, open": {
        "synthesised": ["town", "size"],
        "intervals": {"size": Relative(0.1)},
        "boundary": "open",
    },
    "quantile groups, categories": {
        "synthesised": ["town", "size"],
        "intervals": {"size": QuantileSD(5)},
        "fallback": "categories",
    },
    "two intervals": {
        "synthesised": ["town", "age", "size"],
        "intervals": {"age": 2, "size": Relative(0.3)},
    },
    "a distance, categories": {
        "synthesised": ["town", "age", "size"],
        "distance": Euclidean(4),
        "fallback": "categories",
    },
    "weights": {"synthesised": ["town", "age"], "intervals": {"age": 1}, "weights": True},
}


def call(
    name: str, original: pd.DataFrame, sets: list[pd.DataFrame], weights: np.ndarray
) -> IdentificationRisk:
    arguments = dict(CALLS[name])
    if "weights" in arguments:
        arguments["weights"] = weights
    return identification_risk(sets, original, known="sex", **arguments)


def alike(found: IdentificationRisk, records: pd.DataFrame) -> None:
    pd.testing.assert_frame_equal(found.records(), records, check_exact=False, rtol=1e-12)


@pytest.mark.parametrize("name", CALLS)
def test_the_order_of_records_does_not_matter(name):
    original, sets = random_release(1, 80, 3)
    weights = np.random.default_rng(9).integers(1, 5, 80) / 2
    order = np.random.default_rng(2).permutation(80)
    first, *others = (frame.iloc[order].reset_index(drop=True) for frame in (original, *sets))
    expected = call(name, original, sets, weights).records().iloc[order].reset_index(drop=True)
    alike(call(name, first, others, weights[order]), expected.rename_axis("record"))


@pytest.mark.parametrize("name", CALLS)
def test_names_of_levels_and_order_of_sets_and_keys_do_not_matter(name):
    original, sets = random_release(3, 60, 3)
    weights = np.ones(60) * 1.5
    towns, sexes = {"A": "zebra", "B": "10", "C": "2"}, {"f": 2, "m": 1}
    renamed = [
        frame.assign(town=frame["town"].map(towns), sex=frame["sex"].map(sexes))
        for frame in (original, *sets)
    ]
    records = call(name, original, sets, weights).records()
    alike(call(name, renamed[0], renamed[1:][::-1], weights), records)
    arguments = dict(CALLS[name], synthesised=CALLS[name]["synthesised"][::-1])
    if "weights" in arguments:
        arguments["weights"] = weights
    alike(identification_risk(sets, original, known="sex", **arguments), records)


@pytest.mark.parametrize("name", CALLS)
def test_measures_fit_together(name):
    original, sets = random_release(5, 120, 4)
    risk = call(name, original, sets, np.ones(120))
    records = risk.records()
    c, highest = records["c"], records["highest"]
    assert 0 <= risk.true <= risk.expected <= risk.n
    assert risk.true + risk.false == risk.unique_matches
    assert ((c == 0) | (highest > 0)).all() and (highest <= 1 + 1e-12).all()
    assert (records["I"] <= (c > 0)).all() and (records["K"] + records["F"] == (c == 1)).all()
    # c records share at most all of the probability
    assert (c * highest <= 1 + 1e-9).all()
    assert risk.path().iloc[-1][COUNTS].tolist() == [getattr(risk, c) for c in COUNTS]


@pytest.mark.parametrize(
    "name", ["exact keys", "one interval", "two intervals", "quantile groups, categories"]
)
@pytest.mark.parametrize("size", [1, 50])
def test_blocks_of_work_do_not_change_anything(name, size, monkeypatch):
    original, sets = random_release(7, 70, 3)
    whole = call(name, original, sets, np.ones(70)).records()
    monkeypatch.setattr(matches, "BLOCK", size)
    pd.testing.assert_frame_equal(call(name, original, sets, np.ones(70)).records(), whole)


def test_nothing_is_listed_pair_by_pair():
    # 50,000 records, each of which could be each target: 2.5 billion pairs a set, in about a tenth
    # of a second
    n = 50_000
    rng, started = np.random.default_rng(1), perf_counter()
    original = pd.DataFrame({"sex": ["f"] * n, "code": np.arange(n), "x": rng.permutation(n) / 7})
    original.loc[n] = ["m", n, 0]
    # a man has a woman's code: a value in common, and nobody who matches
    nobody = [original.assign(code=[-1] * n + [0])] * 3
    fallback = identification_risk(nobody, original, known="sex", synthesised="code")
    assert fallback.records()["c"].tolist() == [n] * n + [1]
    assert fallback.expected == pytest.approx(2)
    moved = [original.assign(x=rng.random(n + 1)) for _ in range(3)]
    near = identification_risk(
        moved, original, known="sex", synthesised="x", intervals={"x": float(n)}
    )
    assert near.records()["c"].tolist() == [n] * n + [1] and near.expected == pytest.approx(2)
    assert perf_counter() - started < LONGEST


# ---- what is known of the answer -----------------------------------------------------


@pytest.mark.parametrize("m", [1, 4])
def test_data_released_as_they_are_give_one_guess_for_each_distinct_key(m):
    original, _ = random_release(11, 200, 1)
    keys = original.groupby(["sex", "town", "age"], dropna=False).size()
    risk = identification_risk([original] * m, original, known="sex", synthesised=["town", "age"])
    assert (
        risk.expected == pytest.approx(len(keys))
        and risk.true == (keys == 1).sum()
        and risk.false == 0
    )
    assert risk.perceived == keys[keys < 5].sum()


def youths() -> pd.DataFrame:
    data = datasets.load("syc")
    return data[~data["psu"].isin([12, 25, 26, 46])].reset_index(drop=True)


def released_as_they_are(data: pd.DataFrame) -> tuple[int, float, int]:
    risk = identification_risk(data, data, known="ethnicty", synthesised=["psu", "race"])
    return risk.perceived, risk.expected, risk.true


def test_youths_in_custody_released_as_they_are():
    data = youths()
    keys = ["psu", "race", "ethnicty"]
    assert released_as_they_are(data)[1:] == (226, 68)  # missing values as levels: 68 unique youths
    assert released_as_they_are(data.dropna(subset=keys).reset_index(drop=True))[1:] == (218, 62)
    decks = []
    for seed in range(20):
        rng, filled = np.random.default_rng(seed), data.copy()
        for name in ("race", "ethnicty"):
            values = filled[name].astype(object).to_numpy(copy=True)
            gap = pd.isna(values)
            values[gap] = rng.choice(values[~gap], gap.sum())
            filled[name] = values
        size = filled.groupby(keys).size()
        decks.append(released_as_they_are(filled))
        assert decks[-1] == (size[size < 5].sum(), len(size), (size == 1).sum())
    assert (203, 218.0, 62) in decks  # the reference's hot deck is one of those that chance makes


# ---- the model-aware intruder --------------------------------------------------------

TOWN = [Multinomial("town", ["sex"])]


@pytest.fixture
def drawn(monkeypatch):
    """A stand-in for the draws from fitted models: towns at random, 100 times; what it was asked is
    kept.
    """
    asked = []

    def draw_keys(sets, call, rng):
        asked.append((len(sets), call.models, call.parameters, call.draws, call.restrictions))
        towns = [rng.choice(["A", "B", "C"], len(sets[0])) for _ in range(call.draws)]
        return [pd.DataFrame({"town": drawn}) for drawn in towns]

    monkeypatch.setattr(intruders, "draw_keys", draw_keys)
    return asked


def test_the_model_attack_is_the_probability_attack_on_the_draws(drawn):
    original, sets = random_release(13, 50, 2)
    risk = identification_risk(
        sets,
        original,
        known="sex",
        synthesised="town",
        attack="model",
        models=TOWN,
        parameters="fixed",
        restrictions=["r"],
        seed=5,
    )
    assert drawn == [(2, TOWN, "fixed", 100, ["r"])]
    rng = np.random.default_rng(int(np.random.default_rng(5).integers(2**63)))
    frames = [original[["sex"]].assign(town=rng.choice(["A", "B", "C"], 50)) for _ in range(100)]
    averaged = identification_risk(frames, original, known="sex", synthesised="town")
    pd.testing.assert_frame_equal(risk.records(), averaged.records())
    assert (risk.m, risk.sets, risk.attack) == (2, 2, "model")
    path = risk.path()
    assert [asked[0] for asked in drawn[1:]] == [1] and path.loc[2, "expected"] == risk.expected
    assert risk.probabilities(0).sum() == pytest.approx(1)


def test_every_synthesised_key_needs_a_model(drawn):
    original, sets = random_release(13, 50, 2)
    with pytest.raises(InputError, match="models: none of them draws the synthesised key 'age'"):
        identification_risk(
            sets,
            original,
            known="sex",
            synthesised=["town", "age"],
            attack="model",
            models=TOWN,
            seed=5,
        )


# ---- the two R packages --------------------------------------------------------------

SIX = pd.DataFrame({"sex": list("fffmmm"), "town": list("AABABC")})
SIX_SETS = [SIX.assign(town=list(towns)) for towns in ("ABBACC", "AABABA")]


def six(synthetic, **more) -> IdentificationRisk:
    return identification_risk(synthetic, SIX, known="sex", synthesised="town", **more)


def test_one_set_at_a_time_is_not_the_measure():
    # Set 1: f,A matches record 0; f,B matches 1 and 2; m,A matches 3; m,B nobody; m,C matches 4 and
    # 5. Without fallback: expected 1 + 0 + 1/2 + 1 + 0 + 1/2 = 3, true 2, false 1. Set 2: f,A
    # matches 0 and 1; f,B matches 2; m,A 3 and 5; m,B 4; m,C nobody: expected 1/2 + 1/2 + 1 + 1/2 +
    # 1 + 0 = 3.5, true 2, false 0.
    alone = [six(released, fallback=False, boundary="open") for released in SIX_SETS]
    assert [(r.expected, r.true, r.false) for r in alone] == [(3.0, 2, 1), (3.5, 2, 0)]
    # Both sets: f,A: record 0 (1 + 1/2). f,B: record 2 (1/2 + 1). m,A: record 3. m,B: record 4.
    # m,C: 4 and 5, 1/4 each.
    both = six(SIX_SETS, fallback=False)
    assert both.records()["c"].tolist() == [1, 1, 1, 1, 1, 2]
    assert both.records()["I"].tolist() == [1, 0, 1, 1, 1, 1]
    assert (both.expected, both.true) == (4.5, 4)


def test_nobody_matches_counts_nothing_there_and_the_fallback_here():
    # target m,B in set 1: the packages add 0, Reiter and Mitra 1/3
    without, with_fallback = (six(SIX_SETS[0], fallback=f).expected for f in (False, True))
    assert with_fallback - without == pytest.approx(1 / 3)


@pytest.mark.parametrize("offset", [0, 10**9, 1_700_000_000_000, 10**15])
@pytest.mark.parametrize(
    "boundary, radius, expected",
    [("closed", 1, 20.0), ("closed", 2, 7.0), ("open", 2, 20.0), ("closed", 0, 20.0)],
)
def test_adding_a_number_to_everything_changes_nothing(offset, boundary, radius, expected):
    # 0, 2, ..., 38: within 1 there is nobody else; within 2, ends included, 18 have two neighbours
    # and 2 have one: 18 / 3 + 2 / 2
    numbers = pd.DataFrame({"x": offset + 2 * np.arange(20)})
    risk = identification_risk(
        numbers, numbers, known=[], synthesised="x", intervals={"x": radius}, boundary=boundary
    )
    assert risk.expected == pytest.approx(expected)
