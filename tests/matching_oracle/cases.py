"""Random small questions, each as the oracle reads it and as a call of `identification_risk()`."""

from __future__ import annotations

import random
from dataclasses import dataclass, replace
from datetime import date
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd

from synthpop_py.matching import Euclidean, Fixed, Mahalanobis, QuantileSD, Relative

from .oracle import Question, solve

KINDS = ("text", "exact", "whole", "flag", "date", "fixed", "relative", "quantile", "joint")
THRESHOLDS = (0.2, 0.1, 0.3, 0.5, 0.25, 0.7, Fraction(1, 3), Fraction(1, 6))


@dataclass
class Case:
    question: Question
    original: pd.DataFrame
    synthetic: Any
    arguments: dict[str, Any]
    seed: int
    kinds: dict[str, str]


def random_case(seed: int) -> Case:
    """Every option in every combination, by chance."""
    rng = random.Random(seed)
    n, known, synthesised = (
        rng.randint(1, 8),
        ["d1", "d2"][: rng.choice([0, 1, 1, 1, 2])],
        ["s1", "s2", "s3"][: rng.choice([1, 1, 2, 2, 3])],
    )
    if known and rng.random() < 0.03:
        synthesised = []
    keys = known + synthesised
    kinds = {
        name: rng.choices(KINDS, [5, 1, 1, 1, 1, 2, 1, 1, 2 if name in synthesised else 0])[0]
        for name in keys
    }
    draw = {name: _drawer(rng, kinds[name]) for name in keys}
    original = [{name: draw[name]() for name in keys} for _ in range(n)]
    for name in synthesised:
        while all(record[name] is None for record in original):
            original[0][name] = draw[name]()
    nests = [
        [_released(rng, original, known, synthesised, draw) for _ in range(r)]
        for r in _nest_sizes(rng)
    ]
    # an exact key without a value in common is refused
    exact = [name for name in synthesised if kinds[name] in KINDS[:5]]
    for released in (released for nest in nests for released in nest):
        for name in exact:
            shared = rng.choice([r[name] for r in original if r[name] is not None])
            rng.choice(released)[name] = shared
    question = Question(original, nests, known, synthesised)
    arguments: dict[str, Any] = {
        "known": known,
        "synthesised": synthesised,
        "threshold": rng.choice(THRESHOLDS),
    }
    question.threshold = Fraction(str(arguments["threshold"]))
    question.closed = rng.random() < 0.6
    arguments["boundary"] = "closed" if question.closed else "open"
    _add_intervals(rng, question, arguments, kinds)
    _add_membership(rng, question, arguments, draw, kinds)
    if rng.random() < 0.3:
        arguments["attack"] = "mode"
        arguments["seed"] = seed
        picks = np.random.default_rng(seed).random((len(synthesised), n))
        question.picks = {name: picks[i].tolist() for i, name in enumerate(synthesised)}
    two_stage = any(len(nest) > 1 for nest in nests)
    synthetic = [[frame(rng, released, kinds) for released in nest] for nest in nests]
    return Case(
        question,
        frame(rng, original, kinds),
        synthetic if two_stage else [s for nest in synthetic for s in nest],
        arguments,
        seed,
        kinds,
    )


def shortened(question: Question, steps: int) -> Question:
    return replace(question, nests=question.nests[:steps])


def _nest_sizes(rng: random.Random) -> list[int]:
    m = rng.randint(1, 5)
    kind = rng.random()
    if kind < 0.75:
        return [1] * m
    return [rng.randint(1, 3)] * m if kind < 0.9 else [rng.randint(1, 3) for _ in range(m)]


def _drawer(rng: random.Random, kind: str):
    gaps = rng.random() < 0.25
    levels: list[Any] = ["a", "b", "c"][: rng.randint(1, 3)]
    if kind == "flag":
        levels = [True, False]
    elif kind == "date":
        levels = [date(1999, 12, 31), date(2000, 1, 1), date(2024, 2, 29)][: rng.randint(1, 3)]
    elif kind != "text":
        step = (
            Fraction(1)
            if kind == "whole"
            else rng.choice([Fraction(1), Fraction(1, 10), Fraction(5, 2)])
        )
        low = rng.choice([0, -3])
        levels = [step * k for k in range(low, low + rng.randint(2, 7))]

    def one() -> Any:
        return None if gaps and rng.random() < 0.2 else rng.choice(levels)

    return one


def _released(
    rng: random.Random, original: list[dict], known: list[str], synthesised: list[str], draw: dict
) -> list[dict]:
    keep = rng.choice([0, 0.3, 0.7])
    return [
        {
            name: record[name] if name in known or rng.random() < keep else draw[name]()
            for name in known + synthesised
        }
        for record in original
    ]


def _add_intervals(
    rng: random.Random, question: Question, arguments: dict[str, Any], kinds: dict[str, str]
) -> None:
    intervals: dict[str, Any] = {}
    for name, kind in kinds.items():
        if kind == "fixed":
            radius = rng.choice(
                [
                    Fraction(0),
                    Fraction(1, 10),
                    Fraction(3, 10),
                    Fraction(1),
                    Fraction(2),
                    Fraction(5, 2),
                ]
            )
            question.intervals[name] = ("fixed", radius)
            intervals[name] = rng.choice([float(radius), Fixed(float(radius))])
        elif kind == "relative":
            share = rng.choice([Fraction(1, 10), Fraction(1, 2), Fraction(3, 10)])
            question.intervals[name] = ("relative", share)
            intervals[name] = Relative(float(share))
        elif kind == "quantile":
            groups = rng.randint(1, 5)
            question.intervals[name] = ("quantile", groups)
            intervals[name] = QuantileSD(groups)
    arguments["intervals"] = intervals or None
    joint = [name for name, kind in kinds.items() if kind == "joint"]
    rng.shuffle(joint)
    if joint:
        radius = rng.choice([Fraction(0), Fraction(1, 2), Fraction(1), Fraction(2), Fraction(5)])
        covariance = _covariance(rng, question, joint) if rng.random() < 0.5 else None
        if covariance is None:
            question.distance, arguments["distance"] = (
                ("euclidean", joint, radius, None),
                Euclidean(float(radius), joint),
            )
        else:
            question.distance = ("mahalanobis", joint, radius, covariance[0])
            arguments["distance"] = Mahalanobis(float(radius), joint, covariance[1])


def _covariance(
    rng: random.Random, question: Question, joint: list[str]
) -> tuple[list[list[Fraction]], Any] | None:
    """A covariance as the oracle and the package get it: given, or that of the original (None for
    the package).
    """
    k = len(joint)
    if rng.random() < 0.6:
        given = [[Fraction(2 + i if i == j else 1) for j in range(k)] for i in range(k)]
        return given, [[float(x) for x in row] for row in given]
    complete = [
        [r[name] for name in joint]
        for r in question.original
        if all(r[name] is not None for name in joint)
    ]
    if len(complete) < 2:
        return None
    means = [sum(column) / len(complete) for column in zip(*complete)]
    matrix = [
        [
            sum((row[i] - means[i]) * (row[j] - means[j]) for row in complete) / (len(complete) - 1)
            for j in range(k)
        ]
        for i in range(k)
    ]
    try:
        for i in range(k):
            solve(matrix, [Fraction(int(i == j)) for j in range(k)])
    except StopIteration:
        return None  # singular
    return matrix, None


def _add_membership(
    rng: random.Random,
    question: Question,
    arguments: dict[str, Any],
    draw: dict,
    kinds: dict[str, str],
) -> None:
    kind = rng.random()
    keys = question.known + question.synthesised
    if kind < 0.6:
        choice = rng.choice([True, "known", "categories", "categories", False])
        arguments["fallback"] = choice
        question.fallback = {True: "known", False: None}.get(choice, choice)
        return
    question.abstain = arguments["abstain"] = rng.random() < 0.4
    amounts = [
        Fraction(0),
        Fraction(1),
        Fraction(2),
        Fraction(5),
        Fraction(5, 2),
        Fraction(13, 10),
        Fraction(1, 8),
    ]
    if kind < 0.8:
        question.weights = [rng.choice(amounts) for _ in question.original]
        arguments["weights"] = [float(w) for w in question.weights]
        return
    people = question.original + [
        {name: draw[name]() for name in keys} for _ in range(rng.randint(0, 6))
    ]
    question.population = [(record, rng.choice(amounts[1:])) for record in people]
    table = frame(rng, people, kinds)
    arguments["population"] = table.assign(count=[float(count) for _, count in question.population])


def frame(rng: random.Random, records: list[dict], kinds: dict[str, str]) -> pd.DataFrame:
    """Records as a data frame. Exact keys come in one of the types that their values may have,
    which need not be the type they have in another table.
    """
    return pd.DataFrame(
        {
            name: _column(rng, [record[name] for record in records], kind)
            for name, kind in kinds.items()
        }
    )


def _column(rng: random.Random, values: list[Any], kind: str) -> Any:
    gaps = None in values
    if kind == "whole":
        values = [None if v is None else int(v) for v in values]
    as_objects = pd.Series(values, dtype=object)
    floats = (
        np.array([np.nan if v is None else float(v) for v in values])
        if kind not in ("text", "date")
        else None
    )
    if kind == "text":
        return rng.choices(
            [as_objects, pd.Categorical(values), pd.array(values, dtype="string")], [8, 1, 1]
        )[0]
    if kind == "whole":
        plain = floats if gaps else np.array(values, dtype=np.int64)
        return rng.choice(
            [
                plain,
                plain,
                floats,
                pd.array(values, dtype="Int64"),
                as_objects,
                _texts(values, str),
                pd.Categorical(values),
            ]
        )
    if kind == "flag":
        plain = as_objects if gaps else np.array(values, dtype=bool)
        return rng.choice(
            [
                plain,
                plain,
                as_objects,
                pd.array(values, dtype="boolean"),
                _texts(values, lambda v: str(v).upper()),
                pd.Categorical(values),
            ]
        )
    if kind == "date":
        times = pd.Series(pd.to_datetime(as_objects))
        return rng.choice(
            [times, times, as_objects, _texts(values, date.isoformat), pd.Categorical(times)]
        )
    return floats


def _texts(values: list[Any], write: Any) -> pd.Series:
    return pd.Series([None if v is None else write(v) for v in values], dtype=object)
