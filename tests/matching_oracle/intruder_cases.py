"""Random small questions with intruders of every kind, each as the oracle reads it and as a call of
`identification_risk()`. They begin as the cases of `cases`.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, fields
from fractions import Fraction
from typing import Any

import pandas as pd

from synthpop_py.matching import Between, LogLinear

from .cases import Case, frame, random_case
from .intruders import Intruder, Knowledge, matches, recoded

NUMBERS = ("exact", "fixed", "relative", "quantile")  # columns of these kinds are always numbers
FRACTIONS = (0.5, 0.1, 0.05, 1, 0.3, Fraction(1, 3))


@dataclass
class IntruderCase:
    question: Intruder
    case: Case
    options: set[str]


def random_intruder(seed: int) -> IntruderCase:
    """A call with some of the options, by chance."""
    case = random_case(10_000 + seed)
    rng = random.Random(seed)
    question = _with_targets(case)
    options: set[str] = set()
    if rng.random() < 0.05:
        _drop_keys(case, question)
        options.add("no keys")
    pool = _pool(question)
    _add_coarsen(rng, case, question, pool, options)
    if rng.random() < 0.75:
        _add_targets(rng, case, question, pool, options)
    _add_units(rng, case, question, options)
    return IntruderCase(question, case, options)


def _with_targets(case: Case) -> Intruder:
    """The same question; every record is a target of whom all keys are known."""
    old = {item.name: getattr(case.question, item.name) for item in fields(case.question)}
    records = case.question.original
    everything = [{name: ("value", value) for name, value in one.items()} for one in records]
    return Intruder(**old, targets=everything, own=list(range(len(records))))


def _drop_keys(case: Case, question: Intruder) -> None:
    question.known, question.synthesised = [], []
    question.intervals, question.distance = {}, None
    question.targets = [{} for _ in question.targets]
    case.arguments.update(known=None, synthesised=[], intervals=None, distance=None)
    if question.picks is not None:
        question.picks = {}
    if question.population is not None:
        case.arguments["population"] = case.arguments["population"][["count"]]


def _pool(question: Intruder) -> dict[str, list[Any]]:
    """All values of each key."""
    tables = [question.original, *(released for nest in question.nests for released in nest)]
    if question.population is not None:
        tables.append([record for record, _ in question.population])
    keys = question.known + question.synthesised
    return {name: [record[name] for table in tables for record in table] for name in keys}


# ---- coarsened keys ------------------------------------------------------------------


def _add_coarsen(
    rng: random.Random, case: Case, question: Intruder, pool: dict, options: set[str]
) -> None:
    rules = {}
    for name, values in pool.items():
        kind = case.kinds[name]
        if kind in ("fixed", "relative", "quantile", "joint") or rng.random() < 0.6:
            continue
        levels = [value for value in dict.fromkeys(values) if value is not None]
        if kind == "exact" and levels and rng.random() < 0.5:
            cuts = sorted(rng.sample(levels, min(len(levels), rng.randint(1, 2))))
            rules[name] = [float(cut) for cut in cuts]
            question.coarsen[name] = _bands(cuts)
        elif levels:
            groups = {level: rng.choice(["p", "q"]) for level in levels}
            if rng.random() < 0.3:
                groups[None] = "p"
            plain = {_plain(level, kind): group for level, group in groups.items()}
            rules[name] = pd.Series(plain) if rng.random() < 0.2 and None not in plain else plain
            question.coarsen[name] = _grouped(groups)
    if rules:
        case.arguments["coarsen"] = rules
        options.add("coarsen")


def _bands(cuts: list[Fraction]):
    return lambda value: None if value is None else sum(value >= cut for cut in cuts)


def _grouped(groups: dict[Any, str]):
    return lambda value: groups.get(value) if value is None else groups[value]


def _plain(value: Any, kind: str) -> Any:
    """A value as a user writes it."""
    if isinstance(value, Fraction):
        return int(value) if kind == "whole" else float(value)
    return value


# ---- targets -------------------------------------------------------------------------


def _add_targets(
    rng: random.Random, case: Case, question: Intruder, pool: dict, options: set[str]
) -> None:
    number, n = rng.randint(1, 8), len(question.original)
    keys = question.known + question.synthesised
    own: list[int | None] = [
        rng.randrange(n) if rng.random() < 0.6 else None for _ in range(number)
    ]
    records = []
    for record in own:
        if record is None or rng.random() < 0.05:  # some targets contradict the original
            records.append({name: rng.choice(pool[name]) for name in keys})
        else:
            records.append({name: question.original[record][name] for name in keys})
    question.own = own
    partial = [name for name in keys if case.kinds[name] != "joint" and rng.random() < 0.5]
    question.targets = [
        {
            name: _knowledge(rng, record[name], pool[name], _has_ends(case, question, name))
            if name in partial and rng.random() < 0.7
            else ("value", record[name])
            for name in keys
        }
        for record in records
    ]
    options.add("targets")
    if None in own:
        options.add("outside")
    if any(known[0] != "value" for target in question.targets for known in target.values()):
        options.add("partial")
    if question.population is not None:
        _count_targets(rng, case, question, records)
    labels = rng.choice([range(number), [f"t{i}" for i in range(number)]])
    table = frame(rng, records, {name: case.kinds[name] for name in keys}).set_axis(labels)
    for name in partial:
        cells = [_cell(rng, target[name], case.kinds[name]) for target in question.targets]
        table[name] = pd.Series(cells, index=table.index, dtype=object)
    case.arguments["targets"] = table
    if rng.random() < 0.5:
        case.arguments["target_records"] = own
    else:
        case.arguments["targets"] = table.assign(who=pd.array(own, dtype="Int64"))
        case.arguments["target_records"] = "who"


def _has_ends(case: Case, question: Intruder, name: str) -> bool:
    return case.kinds[name] in NUMBERS and name not in question.coarsen


def _knowledge(rng: random.Random, value: Any, values: list[Any], ends: bool) -> Knowledge:
    kind = rng.random()
    if kind < 0.1:
        return ("between", None, None)
    if ends and value is not None and kind < 0.6:
        there = [other for other in values if other is not None]
        low, high = min(value, rng.choice(there)), max(value, rng.choice(there))
        shape = rng.random()
        if shape < 0.3:
            return ("between", low, None)
        return ("between", None, high) if shape < 0.5 else ("between", low, high)
    return ("set", [value, *rng.choices(values, k=rng.randint(0, 2))])


def _cell(rng: random.Random, known: Knowledge, kind: str) -> Any:
    if known[0] == "value":
        return _plain(known[1], kind)
    if known[0] == "set":
        values = [_plain(value, kind) for value in known[1]]
        return rng.choice([values, tuple(values), set(values), frozenset(values)])
    low, high = (_plain(end, kind) for end in known[1:])
    return Between(low, high)


def _count_targets(
    rng: random.Random, case: Case, question: Intruder, records: list[dict[str, Any]]
) -> None:
    """Every target belongs to the population."""
    if not records[0]:
        return
    question.population = [*question.population, *((record, Fraction(2)) for record in records)]
    people = [record for record, _ in question.population]
    table = frame(rng, people, {name: case.kinds[name] for name in records[0]})
    counts = [float(count) for _, count in question.population]
    case.arguments["population"] = table.assign(count=counts)


# ---- N_t -----------------------------------------------------------------------------


def _add_units(rng: random.Random, case: Case, question: Intruder, options: set[str]) -> None:
    if question.population is not None or question.weights is not None or rng.random() < 0.4:
        return
    question.fallback = None
    case.arguments.pop("fallback", None)
    question.abstain = case.arguments["abstain"] = rng.random() < 0.3
    if rng.random() < 0.5:
        fraction = rng.choice(FRACTIONS)
        question.fraction = Fraction(str(fraction))
        case.arguments["units"] = LogLinear(fraction)
        options.add("model")
        return
    plain = recoded(question)
    least = [len(matches(plain, j, plain.original, "all")) for j in range(len(plain.targets))]
    more = [Fraction(0), Fraction(1), Fraction(5, 2), Fraction(13, 10), Fraction(4)]
    if rng.random() < 0.2:
        everywhere = max(1, *least, 1) + rng.choice(more)
        question.units = [everywhere] * len(least)
        case.arguments["units"] = float(everywhere)
    else:
        question.units = [max(count, 1) + rng.choice(more) for count in least]
        case.arguments["units"] = [float(number) for number in question.units]
    options.add("units")
