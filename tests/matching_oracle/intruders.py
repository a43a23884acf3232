"""The oracle for intruders with targets of their own, partial knowledge, coarsened keys, N_t per
target or by a model, and no keys at all. Definitions only, exact fractions, every target against
every record; nothing from the package.

A piece of knowledge is ("value", v), ("between", low, high) with None for no end, or ("set",
values).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any

from .oracle import (
    Answer,
    Question,
    Record,
    Target,
    added_up,
    most_frequent,
    near,
    squared_radius,
    within_distance,
)

Knowledge = tuple[Any, ...]
DECIMALS = 10**6


@dataclass
class Intruder(Question):
    """A question with targets.

    targets : what is known of each key of each target. own : the record that each is, None for one
    outside the file.
    coarsen : by key, a function from values to groups.
    units : N_t of each target; fraction : of the population in the file, for N_t by the model.
    """

    targets: list[dict[str, Knowledge]] = field(default_factory=list)
    own: list[int | None] = field(default_factory=list)
    coarsen: dict[str, Callable[[Any], Any]] = field(default_factory=dict)
    units: list[Fraction] | None = None
    fraction: Fraction | None = None


def recoded(question: Intruder) -> Intruder:
    """Groups in place of values everywhere: in all tables and in what is known of the targets."""

    def table(records: list[Record]) -> list[Record]:
        return [{name: group(name, value) for name, value in one.items()} for one in records]

    def group(name: str, value: Any) -> Any:
        return question.coarsen[name](value) if name in question.coarsen else value

    def known(name: str, what: Knowledge) -> Knowledge:
        if what[0] == "set":
            return ("set", [group(name, value) for value in what[1]])
        return ("value", group(name, what[1])) if what[0] == "value" else what

    people = question.population
    if people is not None:
        records = table([record for record, _ in people])
        people = list(zip(records, [count for _, count in people]))
    return replace(
        question,
        original=table(question.original),
        nests=[[table(released) for released in nest] for nest in question.nests],
        population=people,
        targets=[{k: known(k, what) for k, what in one.items()} for one in question.targets],
        coarsen={},
    )


def intruder_answer(question: Intruder) -> Answer:
    question = recoded(question)
    nests = question.nests if question.picks is None else [[most_frequent(question)]]
    targets = [_one_target(question, nests, j) for j in range(len(question.targets))]
    return added_up(targets, question.threshold)


def _one_target(question: Intruder, nests: list[list[list[Record]]], j: int) -> Target:
    n = len(question.original)
    total, outside, fallbacks = [Fraction(0)] * n, Fraction(0), 0
    for nest in nests:
        for released in nest:
            share = Fraction(1, len(nests) * len(nest))
            row, rest, fell_back = _in_one_set(question, j, released)
            total = [a + share * b for a, b in zip(total, row)]
            outside += share * rest
            fallbacks += fell_back
    highest = max(total)
    best = [i for i in range(n) if total[i] == highest and highest > 0]
    if question.abstain and outside >= highest:
        best = []
    c, inside = len(best), int(question.own[j] in best)
    true, false = int(c == 1 and inside == 1), int(c == 1 and inside == 0)
    return Target(total, outside, highest, c, inside, true, false, fallbacks)


def known_to_be_in_file(question: Intruder) -> bool:
    sources = (question.population, question.weights, question.units, question.fraction)
    return all(source is None for source in sources)


def _in_one_set(
    question: Intruder, j: int, released: list[Record]
) -> tuple[list[Fraction], Fraction, bool]:
    n, nothing = len(released), Fraction(0)
    matching = matches(question, j, released, "all")
    if not known_to_be_in_file(question):
        if not matching:
            return [nothing] * n, Fraction(1), False
        units = max(_number_of_units(question, j, matching, released), Fraction(len(matching)))
        row = [1 / units if i in matching else nothing for i in range(n)]
        return row, (units - len(matching)) / units, False
    steps = {None: [], "known": ["known"], "categories": ["categories", "known"]}
    for step in ["all", *steps[question.fallback]]:
        agreeing = matches(question, j, released, step)
        if agreeing:
            share = Fraction(1, len(agreeing))
            row = [share if i in agreeing else nothing for i in range(n)]
            return row, nothing, step != "all"
    return [nothing] * n, nothing, question.fallback is not None


def matches(question: Intruder, j: int, table: list[Record], step: str) -> list[int]:
    """Rows of a table that agree with a target; of a question without groups."""
    names = question.known + (question.synthesised if step != "known" else [])
    return [i for i, record in enumerate(table) if _agree(question, j, record, names, step)]


def _agree(question: Intruder, j: int, record: Record, names: list[str], step: str) -> bool:
    knowledge = question.targets[j]
    joint = question.distance[1] if question.distance else []
    for name in names:
        if name not in joint and not _agree_on(question, name, knowledge[name], record[name], step):
            return False
    if step == "categories":
        return True
    together = [name for name in joint if name in names]
    target = {name: knowledge[name][1] for name in together}
    for name in together:
        if (target[name] is None) != (record[name] is None):
            return False
    return not together or within_distance(question, target, record)


def _agree_on(question: Intruder, name: str, known: Knowledge, z: Any, step: str) -> bool:
    dropped = step == "categories" and name in question.synthesised
    if known[0] == "between":
        _, low, high = known
        if dropped or (low is None and high is None):
            return True
        return z is not None and (low is None or low <= z) and (high is None or z <= high)
    if known[0] == "set":
        return z in known[1]
    t = known[1]
    if name not in question.intervals:
        return z == t
    if dropped or z is None or t is None:
        return dropped or (z is None and t is None)
    return near((z - t) ** 2, squared_radius(question, name, t), question.closed)


def _number_of_units(
    question: Intruder, j: int, matching: list[int], released: list[Record]
) -> Fraction:
    if question.weights is not None:
        return sum((question.weights[i] for i in matching), Fraction(0))
    if question.units is not None:
        return question.units[j]
    if question.fraction is not None:
        return len(matching) + _rounded(_expected_outside(question, j, released))
    people = [unit for unit, _ in question.population]
    counts = [count for _, count in question.population]
    return sum((counts[i] for i in matches(question, j, people, "all")), Fraction(0))


def _expected_outside(question: Intruder, j: int, released: list[Record]) -> Fraction:
    """mu_t (1 - f) / f, where mu_t is n times the shares of records that agree on each key."""
    joint = question.distance[1] if question.distance else []
    keys = question.known + question.synthesised
    alone = [[name] for name in keys if name not in joint] + ([joint] if joint else [])
    mu = Fraction(len(released))
    for names in alone:
        agreeing = sum(_agree(question, j, record, names, "all") for record in released)
        mu *= Fraction(agreeing, len(released))
    return mu * (1 - question.fraction) / question.fraction


def _rounded(value: Fraction) -> Fraction:
    """To six decimals, halves up."""
    return Fraction((value * DECIMALS + Fraction(1, 2)).__floor__(), DECIMALS)
