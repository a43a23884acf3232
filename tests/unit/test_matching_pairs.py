"""Counting without a list of pairs gives what the list gives; where a list is needed, it is told,
shown and limited.
"""

from __future__ import annotations

import io
import sys
import warnings
from itertools import product

import numpy as np
import pandas as pd
import pytest

from synthpop_py import InputError, SlowWarning
from synthpop_py.matching import (
    Euclidean,
    IdentificationRisk,
    Mahalanobis,
    QuantileSD,
    Relative,
    attack,
    identification_risk,
    matches,
)
from synthpop_py.matching.boxes import Boxes
from synthpop_py.synthesis import NormalRegression
from tests.matching_oracle.cases import random_case
from tests.unit.test_matching_oracle import check


def without_pairs(monkeypatch) -> None:
    """Boxes and combinations wherever they can be used."""

    def pay(sources, wanted, combinations=0) -> bool:
        first = sources[0][0]
        return not any(targets is not first or targets.joint for targets, _ in sources)

    for module in (attack, matches):
        monkeypatch.setattr(module, "boxes_pay", pay)


def pairs_only(monkeypatch) -> None:
    """Every pair within reach of the sweep key is looked at."""

    def unsure(targets, table):
        return np.zeros(targets.size, dtype=np.int64), np.arange(targets.size)

    monkeypatch.setattr(matches.Targets, "_in_balls", unsure)
    for module in (attack, matches):
        monkeypatch.setattr(module, "boxes_pay", lambda *given: False)


def listed(monkeypatch) -> list[int]:
    """How many pairs match in the lists that are made, block after block."""
    numbers = []
    all_pairs = matches.pairs

    def counted(sources, wanted):
        for block in all_pairs(sources, wanted):
            numbers.append(len(block[0]))
            yield block

    for module in (attack, matches):
        monkeypatch.setattr(module, "pairs", counted)
    return numbers


# ---- boxes over points ---------------------------------------------------------------


@pytest.mark.parametrize("axes", [1, 2, 3, 4])
def test_boxes_over_points_are_what_one_comparison_each_counts(axes):
    rng = np.random.default_rng(axes)
    for _ in range(40):
        size = rng.integers(1, 10, axes)
        number = int(rng.integers(0, 15))
        sides, inside = [], np.ones((number, 12), dtype=bool)
        points = [rng.integers(0, ranks, 12) for ranks in size]
        for ranks, place in zip(size, points):
            lo = rng.integers(0, ranks, number)
            hi = rng.integers(lo + 1, ranks + 1)
            sides.append((lo, hi))
            inside &= (lo[:, None] <= place) & (place < hi[:, None])
        boxes = Boxes(np.arange(number), np.arange(number), sides)
        assert boxes.over(points).tolist() == inside.sum(axis=0).tolist()
        # amounts whose corners pass 64 bits on the way
        amounts = rng.integers(1, 2**58, number)
        assert boxes.over(points, amounts).tolist() == (amounts @ inside).tolist()


# ---- the same answers ----------------------------------------------------------------


@pytest.mark.parametrize("part", range(4))
def test_boxes_agree_with_the_oracle(part, monkeypatch):
    """Ties, boundaries, gaps, exact keys beside intervals, weights, populations, two stages: the
    cases of the oracle, none of which is large enough to be counted by boxes on its own.
    """
    without_pairs(monkeypatch)
    for seed in range(20_000 + part, 20_400, 4):
        try:
            check(random_case(seed))
        except Exception as error:
            raise AssertionError(f"random_case({seed})") from error


def release(seed: int, n: int = 100) -> tuple[pd.DataFrame, list[pd.DataFrame]]:
    """Ages with ties, sizes of very different scale, a share in tenths; gaps in two of them."""
    rng = np.random.default_rng(seed)
    original = pd.DataFrame(
        {
            "sex": rng.choice(["f", "m"], n),
            "town": rng.choice(["A", "B", None], n),
            "age": np.where(rng.random(n) < 0.1, np.nan, rng.integers(20, 60, n)),
            "size": np.where(rng.random(n) < 0.1, np.nan, rng.lognormal(3, 1.5, n).round(1)),
            "share": rng.integers(-5, 6, n) / 10,
        }
    )

    def synthesised() -> pd.DataFrame:
        return original.assign(
            town=np.where(rng.random(n) < 0.7, original["town"], "A"),
            age=original["age"] + rng.integers(-4, 5, n),
            size=(original["size"] * rng.lognormal(0, 0.3, n)).round(1),
            share=original["share"] + rng.integers(-2, 3, n) / 10,
        )

    return original, [synthesised() for _ in range(4)]


TWO = {"age": 4, "size": Relative(0.5)}
SAME = {
    "two intervals": {"intervals": TWO},
    "open": {"intervals": {"age": 2, "share": 0.3}, "boundary": "open"},
    "quantile groups": {"intervals": {"age": QuantileSD(4), "size": QuantileSD(9)}},
    "three intervals": {"intervals": TWO | {"share": 0.3}},
    "known interval": {"known": ["sex", "share"], "intervals": TWO | {"share": 0.2}},
    "categories": {"intervals": {"age": 1, "size": Relative(0.05)}, "fallback": "categories"},
    "categories, known interval": {
        "known": ["sex", "share"],
        "intervals": {"age": 1, "size": Relative(0.05), "share": 0.2},
        "fallback": "categories",
    },
    "weights": {"intervals": TWO, "weights": np.arange(100) / 4 + 1, "abstain": True},
    "population": {"intervals": TWO, "population": "original", "abstain": True},
    "mode": {"intervals": TWO, "attack": "mode", "seed": 3},
    "nests": {"intervals": TWO, "nests": (1, 3)},
    "one set": {"intervals": TWO, "nests": (1,)},
    "Euclidean": {"distance": Euclidean(3, ["age", "size"])},
    "Euclidean, open, one set": {
        "distance": Euclidean(2, ["age", "size"]),
        "boundary": "open",
        "nests": (1,),
    },
    "Mahalanobis": {"distance": Mahalanobis(1, ["age", "size", "share"])},
    "distance and interval": {"distance": Euclidean(3, ["age", "size"]), "intervals": {"share": 0}},
}


def risk_of(name: str, seed: int) -> IdentificationRisk:
    original, sets = release(seed)
    arguments = {"known": ["sex"], **SAME[name]}
    used = [*arguments.get("intervals", {}), *getattr(arguments.get("distance"), "columns", ())]
    synthesised = [key for key in ["town", *used] if key not in arguments["known"]]
    if "population" in arguments:
        arguments["population"] = original[[*arguments["known"], *synthesised]]
    unchanged = {key: original[key] for key in arguments["known"]}
    sets = [frame.assign(**unchanged) for frame in sets]
    nests = arguments.pop("nests", (1, 1, 1, 1))
    ends = np.cumsum(nests)
    given = [sets[end - size : end] for end, size in zip(ends, nests)]
    return identification_risk(given, original, synthesised=synthesised, **arguments)


@pytest.mark.parametrize("seed", [1, 2])
@pytest.mark.parametrize("name", list(SAME))
def test_nothing_changes_with_the_way_of_counting(name, seed, monkeypatch):
    with monkeypatch.context() as patch:
        pairs_only(patch)
        expected = risk_of(name, seed)
    without_pairs(monkeypatch)
    found = risk_of(name, seed)
    pd.testing.assert_frame_equal(found.records(), expected.records(), check_exact=True)
    pd.testing.assert_frame_equal(found.path(), expected.path(), check_exact=True)


def test_nothing_changes_for_the_intruder_who_knows_the_models(monkeypatch):
    rng, n = np.random.default_rng(5), 80
    frame = pd.DataFrame({"x": rng.normal(0, 1, n)})
    frame["y"] = frame["x"] + rng.normal(0, 1, n)
    frame["z"] = frame["y"] - rng.normal(0, 1, n)
    models = [NormalRegression("y", ["x"]), NormalRegression("z", ["x", "y"])]
    sets = [frame.assign(y=rng.permutation(frame["y"]), z=rng.permutation(frame["z"]))] * 2

    def records() -> pd.DataFrame:
        return identification_risk(
            sets,
            frame,
            known=[],
            synthesised=["y", "z"],
            intervals={"y": 1.0, "z": 1.5},
            attack="model",
            models=models,
            draws=6,
            seed=1,
        ).records()

    with monkeypatch.context() as patch:
        pairs_only(patch)
        expected = records()
    without_pairs(monkeypatch)
    pd.testing.assert_frame_equal(records(), expected, check_exact=True)


def on_a_grid() -> tuple[pd.DataFrame, list[pd.DataFrame]]:
    """Whole numbers: with radius 5 a step of 3 by 4 ends on the boundary."""
    original = pd.DataFrame(list(product(range(9), range(9))), columns=["a", "b"])
    return original, [original.iloc[::-1].reset_index(drop=True)]


@pytest.mark.parametrize("boundary, inside", [("closed", True), ("open", False)])
@pytest.mark.parametrize("unsure", [False, True])
def test_the_boundary_of_a_ball_is_where_pairs_have_it(boundary, inside, unsure, monkeypatch):
    if unsure:
        # every target is left to the pairs
        monkeypatch.setattr(matches, "ROUNDED", 0.5)
    original, sets = on_a_grid()
    keys = {"known": [], "synthesised": ["a", "b"], "boundary": boundary}
    risk = identification_risk(sets, original, distance=Euclidean(5), **keys)
    steps = [(a, b) for a, b in product(range(9), range(9)) if a * a + b * b <= 25 - (not inside)]
    assert risk.records()["c"].iloc[0] == len(steps) == (26 if inside else 22)


# ---- nothing is listed where that is not necessary -----------------------------------


def wide(n: int, m: int) -> tuple[pd.DataFrame, list[pd.DataFrame]]:
    rng = np.random.default_rng(2)
    original = pd.DataFrame(
        {"age": rng.integers(16, 97, n), "income": rng.lognormal(8, 1, n).round(2)}
    )

    def noise() -> pd.DataFrame:
        return original.assign(
            age=original["age"] + rng.integers(-10, 11, n),
            income=(original["income"] * rng.lognormal(0, 0.3, n)).round(2),
        )

    return original, [noise() for _ in range(m)]


def independent(n: int, m: int) -> tuple[pd.DataFrame, list[pd.DataFrame]]:
    original, _ = wide(n, 0)
    return original, [
        original.sample(frac=1, random_state=seed).reset_index(drop=True) for seed in range(m)
    ]


WIDE = {"known": [], "synthesised": ["age", "income"]}
INTERVALS = {"age": 10, "income": Relative(0.5)}


@pytest.mark.parametrize("m", [1, 3])
def test_two_wide_intervals_list_next_to_no_pairs(m, monkeypatch):
    """Each record is within reach of a quarter of the targets: six million pairs per set. What is
    left are the neighbours of a few targets whom nobody matches in all sets.
    """
    pairs = listed(monkeypatch)
    original, sets = wide(5_000, m)
    identification_risk(sets, original, **WIDE, intervals=INTERVALS)
    assert sum(pairs) < 50_000


def test_one_distance_lists_no_pairs(monkeypatch):
    pairs = listed(monkeypatch)
    original, sets = wide(3_000, 1)
    identification_risk(sets, original, **WIDE, distance=Euclidean(500))
    assert sum(pairs) == 0


def test_sets_that_have_nothing_to_do_with_each_other_list_no_pairs(monkeypatch):
    """Nobody matches in all five sets, so that combinations of them decide."""
    pairs = listed(monkeypatch)
    original, sets = independent(3_000, 5)
    identification_risk(sets, original, **WIDE, intervals={"age": 4, "income": Relative(0.2)})
    assert sum(pairs) == 0


# ---- told, shown, limited ------------------------------------------------------------

TEN = pd.DataFrame({"a": range(10), "b": range(10)})
NEAR_ALL = {"known": [], "synthesised": ["a", "b"], "distance": Euclidean(100)}


def near_everybody(sets: int = 2, **more) -> IdentificationRisk:
    """Ten people, everybody within the radius: 100 pairs in each set, counted and compared."""
    return identification_risk([TEN] * sets, TEN, **NEAR_ALL, **more)


def permuted() -> IdentificationRisk:
    """Sets that all differ: every record has a pattern of its own."""
    rng, n = np.random.default_rng(1), 40
    sets = [pd.DataFrame({"x": rng.permutation(n)}) for _ in range(12)]
    original = pd.DataFrame({"x": np.arange(n)})
    return identification_risk(sets, original, known=[], synthesised="x", intervals={"x": 10})


def combined() -> IdentificationRisk:
    """A quarter of the people within reach, in some of five sets."""
    original, sets = independent(1_500, 5)
    return identification_risk(
        sets, original, **WIDE, intervals={"age": 9, "income": Relative(0.4)}
    )


LIMITED = {
    "pairs": (near_everybody, 199, r"200 pairs .* more than 199; add a key"),
    "weights in balls": (lambda: near_everybody(1, weights=[1] * 10), 99, "100 pairs"),
    "patterns of many sets": (permuted, 100, "more than 100;"),
    "combinations of sets": (combined, 10, "more than 10;"),
    "a tree: 100 pairs in the time of two": (lambda: near_everybody(1), 1, "more than 1;"),
}


@pytest.mark.parametrize("name", list(LIMITED))
def test_more_work_than_anybody_waits_for_is_refused_with_its_amount(name, monkeypatch):
    call, most, message = LIMITED[name]
    assert call().n
    monkeypatch.setattr(matches, "MOST_PAIRS", most)
    with pytest.raises(InputError, match=message):
        call()


def test_many_pairs_are_announced_once_and_few_are_not(monkeypatch):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        near_everybody()
    monkeypatch.setattr(matches, "LONG", 150)
    with pytest.warns(SlowWarning, match="compares 200 pairs of a target and a record") as told:
        near_everybody()
    assert len(told) == 1


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_progress_is_shown(monkeypatch):
    stream = Terminal()
    monkeypatch.setattr(sys, "stderr", stream)
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.setattr(matches, "BLOCK", 100)
    near_everybody()
    assert "1 of 200: pairs of a target and a record" in stream.getvalue()
    assert "101 of 200: pairs of a target and a record" in stream.getvalue()
