"""Reiter and Mitra's and Drechsler and Reiter's risk measures straight from their definitions
(quadratic, exact, standard library only).

A value is None (missing), a text, True or False, a date, or a Fraction. A record is a dict from
variable to value. Probabilities, radii and weights are Fractions; nothing is ever rounded, and no
distance is rooted (squares are compared).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

Record = dict[str, Any]


@dataclass
class Question:
    """One call. `nests` holds the released sets: one list a nest, a single set in each for a
    release in one stage.

    intervals : variable -> ("fixed", radius), ("relative", share) or ("quantile", number of
    groups).
    distance : None, ("euclidean", variables, radius, None) or ("mahalanobis", variables, radius,
    covariance matrix).
    fallback : None, "known" or "categories".
    population : None or a list of (record with all keys, count); weights : None or one a record.
    picks : for the mode attack, picks[variable][record] in [0, 1) chooses among tied values; None
    for the probability attack.
    """

    original: list[Record]
    nests: list[list[list[Record]]]
    known: list[str]
    synthesised: list[str]
    intervals: dict[str, tuple[str, Any]] = field(default_factory=dict)
    distance: tuple[str, list[str], Fraction, Any] | None = None
    fallback: str | None = "known"
    closed: bool = True
    population: list[tuple[Record, Fraction]] | None = None
    weights: list[Fraction] | None = None
    threshold: Fraction = Fraction(1, 5)
    abstain: bool = False
    picks: dict[str, list[float]] | None = None
    squared_radii: dict[tuple[str, Fraction], Fraction] = field(
        default_factory=dict
    )  # worked out so far


@dataclass
class Target:
    """What the intruder makes of one target: Pr(J = i) for i = 1..n, Pr(J = n + 1), and the
    declaration.
    """

    probabilities: list[Fraction]
    outside: Fraction
    highest: Fraction
    c: int
    I: int  # noqa: E741  (the letter of Reiter and Mitra)
    K: int
    F: int
    fallbacks: int


@dataclass
class Answer:
    targets: list[Target]
    perceived: int
    expected: Fraction
    true: int
    false: int
    unique: int


def answer(question: Question) -> Answer:
    nests = question.nests if question.picks is None else [[most_frequent(question)]]
    targets = [one_target(question, nests, j) for j in range(len(question.original))]
    return added_up(targets, question.threshold)


def added_up(targets: list[Target], threshold: Fraction) -> Answer:
    return Answer(
        targets,
        perceived=sum(t.highest > threshold for t in targets),
        expected=sum((Fraction(t.I, t.c) for t in targets if t.c), Fraction(0)),
        true=sum(t.K for t in targets),
        false=sum(t.F for t in targets),
        unique=sum(t.c == 1 for t in targets),
    )


def one_target(question: Question, nests: list[list[list[Record]]], j: int) -> Target:
    n, target = len(question.original), question.original[j]
    total, outside, fallbacks = [Fraction(0)] * n, Fraction(0), 0
    for nest in nests:
        for released in nest:
            share = Fraction(1, len(nests) * len(nest))
            row, rest, fell_back = in_one_set(question, target, released)
            total = [a + share * b for a, b in zip(total, row)]
            outside += share * rest
            fallbacks += fell_back
    highest = max(total)
    best = [i for i in range(n) if total[i] == highest and highest > 0]
    if question.abstain and outside >= highest:
        best = []
    inside, c = int(j in best), len(best)
    return Target(
        total,
        outside,
        highest,
        c,
        inside,
        int(c == 1 and inside == 1),
        int(c == 1 and inside == 0),
        fallbacks,
    )


def in_one_set(
    question: Question, target: Record, released: list[Record]
) -> tuple[list[Fraction], Fraction, bool]:
    """Probabilities of the records of one released set, of being outside, and whether the intruder
    fell back.
    """
    n = len(released)
    matching = [i for i in range(n) if consistent(question, target, released[i], "all")]
    if question.population is not None or question.weights is not None:
        if not matching:
            return [Fraction(0)] * n, Fraction(1), False
        units = max(number_of_units(question, target, matching), Fraction(len(matching)))
        return (
            [1 / units if i in matching else Fraction(0) for i in range(n)],
            (units - len(matching)) / units,
            False,
        )
    steps = {
        None: ["all"],
        "known": ["all", "known"],
        "categories": ["all", "categories", "known"],
    }[question.fallback]
    for step in steps:
        matching = [i for i in range(n) if consistent(question, target, released[i], step)]
        if matching:
            return (
                [Fraction(1, len(matching)) if i in matching else Fraction(0) for i in range(n)],
                Fraction(0),
                step != "all",
            )
    return [Fraction(0)] * n, Fraction(0), question.fallback is not None


def number_of_units(question: Question, target: Record, matching: list[int]) -> Fraction:
    if question.weights is not None:
        return sum((question.weights[i] for i in matching), Fraction(0))
    return sum(
        (count for unit, count in question.population if consistent(question, target, unit, "all")),
        Fraction(0),
    )


def consistent(question: Question, target: Record, record: Record, step: str) -> bool:
    """Whether a record agrees with the target on all keys, on the known ones and the categories, or
    on the known ones only.
    """
    joint = question.distance[1] if question.distance else []
    for name in question.known + (question.synthesised if step != "known" else []):
        z, t = record[name], target[name]
        numeric = name in question.intervals or name in joint
        if numeric and step == "categories" and name in question.synthesised:
            continue
        if not numeric:
            if z != t:
                return False
        elif z is None or t is None:
            if not (z is None and t is None):
                return False
        elif name in question.intervals and not near(
            (z - t) ** 2, squared_radius(question, name, t), question.closed
        ):
            return False
    return step != "all" or not joint or within_distance(question, target, record)


def near(square: Fraction, limit: Fraction, closed: bool) -> bool:
    return square <= limit if closed else square < limit


def squared_radius(question: Question, name: str, t: Fraction) -> Fraction:
    if (name, t) not in question.squared_radii:
        question.squared_radii[name, t] = work_out_squared_radius(question, name, t)
    return question.squared_radii[name, t]


def work_out_squared_radius(question: Question, name: str, t: Fraction) -> Fraction:
    kind, size = question.intervals[name]
    if kind == "fixed":
        return size**2
    if kind == "relative":
        return (size * t) ** 2
    return variance_of_group(
        sorted(r[name] for r in question.original if r[name] is not None), size, t
    )


def variance_of_group(values: list[Fraction], groups: int, t: Fraction) -> Fraction:
    """Variance (n - 1) of the values between the same two cut points as t; cut points are quantiles
    of type 7, groups are closed on the right.
    """
    cuts = sorted({quantile(values, Fraction(k, groups)) for k in range(1, groups)})

    def group(x: Fraction) -> int:
        return sum(x > cut for cut in cuts)

    same = [x for x in values if group(x) == group(t)]
    if len(same) <= 1:  # none where the target is not in the file
        return Fraction(0)
    mean = sum(same) / len(same)
    return sum((x - mean) ** 2 for x in same) / (len(same) - 1)


def quantile(values: list[Fraction], share: Fraction) -> Fraction:
    place = (len(values) - 1) * share
    below = int(place)
    above = min(below + 1, len(values) - 1)
    return values[below] + (place - below) * (values[above] - values[below])


def within_distance(question: Question, target: Record, record: Record) -> bool:
    kind, names, radius, covariance = question.distance
    gap = [Fraction(0) if target[k] is None else record[k] - target[k] for k in names]
    solved = gap if kind == "euclidean" else solve(covariance, gap)
    return near(sum((a * b for a, b in zip(gap, solved)), Fraction(0)), radius**2, question.closed)


def solve(matrix: Sequence[Sequence[Fraction]], right: Sequence[Fraction]) -> list[Fraction]:
    """The solution of a linear system, by elimination."""
    rows = [[*row, b] for row, b in zip(matrix, right)]
    for k in range(len(rows)):
        pivot = next(r for r in range(k, len(rows)) if rows[r][k] != 0)
        rows[k], rows[pivot] = rows[pivot], rows[k]
        rows[k] = [x / rows[k][k] for x in rows[k]]
        for r in range(len(rows)):
            if r != k:
                rows[r] = [x - rows[r][k] * y for x, y in zip(rows[r], rows[k])]
    return [row[-1] for row in rows]


def most_frequent(question: Question) -> list[Record]:
    """One file: for each record and synthesised variable the value that carries most weight over
    the sets; ties, in the order in which the values first occur, by the pick.
    """
    out = []
    for i, record in enumerate(question.original):
        new = {name: record[name] for name in question.known}
        for name in question.synthesised:
            weight: dict[Any, Fraction] = {}
            for nest in question.nests:
                for released in nest:
                    value = released[i][name]
                    weight[value] = weight.get(value, Fraction(0)) + Fraction(1, len(nest))
            tied = [value for value in weight if weight[value] == max(weight.values())]
            new[name] = tied[int(question.picks[name][i] * len(tied))]
        out.append(new)
    return out
