"""Which figures of two results differ."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any, TypeAlias

from ..r.both import Change, Changes, Figure
from ..r.reading import VERSIONS
from .cells import VECTORS
from .exclusions import COLUMNS
from .result import Disclosure
from .result_frames import LEVEL_FIELDS, PAIR_FIELDS, set_figures
from .run import SetFigures

Figures: TypeAlias = dict[Figure, float | None]

SAME = 1e-12  # smaller differences come from summing in another order


def changes_between(r: Disclosure, correct: Disclosure) -> Changes:
    """Figures that differ: (synthesis, name, R's figure, the correct one), under the names that the
    tables of `r` have. Figures that only one side has count as None on the other.
    """
    version = VERSIONS[r.compat]
    before, after = figures(r, version), figures(correct, version)
    moved: list[Change] = []
    for figure in dict.fromkeys([*before, *after]):
        theirs, ours = before.get(figure), after.get(figure)
        if not same_figure(theirs, ours):
            moved.append((*figure, theirs, ours))
    if r.m != correct.m:
        moved.append((0, "m", float(r.m), float(correct.m)))
    return (*moved, *_flags_that_differ(r, correct, moved))


def same_figure(a: float | None, b: float | None) -> bool:
    if a is None or b is None:
        return a is b
    return a == b or math.isclose(a, b, rel_tol=SAME, abs_tol=0)


def _flags_that_differ(r: Disclosure, correct: Disclosure, moved: list[Change]) -> Iterator[Change]:
    """What was flagged over all syntheses, unless a figure of a check already says so."""
    if any("check" in name for _, name, *_ in moved):
        return
    for name in ("check1", "check2"):
        theirs, ours = getattr(r, name), getattr(correct, name)
        if theirs != ours:
            yield 0, name, theirs, ours
            return


def figures(result: Disclosure, version: str | None = None) -> Figures:
    """Every figure of a result by (synthesis, name), in the tables of a version of R."""
    if version is None:
        version = VERSIONS[result.compat]
    by_name = _of_tables(result, version)
    for part in (_of_ledger, _of_checks):
        for synthesis, one_set in enumerate(result._sets, start=1):
            for name, value in part(one_set):
                by_name[synthesis, name] = _number(value)
    return by_name


def _of_tables(result: Disclosure, version: str) -> Figures:
    """The figures of R's tables, measure by measure, each in all syntheses."""
    columns: dict[str, list[float]] = {}
    for one_set in result._sets:
        for table in set_figures(one_set, version).values():
            for name, value in table.items():
                columns.setdefault(name, []).append(value)
    by_name: Figures = {}
    for name, values in columns.items():
        for synthesis, value in enumerate(values, start=1):
            by_name[synthesis, name] = _number(value)
    return by_name


def _of_ledger(one_set: SetFigures) -> Iterator[tuple[str, Any]]:
    for vector, removed in zip(VECTORS, one_set.ledger.tolist()):
        for column, n in zip(COLUMNS, removed):
            yield f"Nexclusions[{vector}, {column}]", n


def _of_checks(one_set: SetFigures) -> Iterator[tuple[str, Any]]:
    level = one_set.level
    yield "check_1way rows", 0 if level is None else 1
    if level is not None:
        for field in LEVEL_FIELDS[1:]:
            yield f"check_1way {level.Level}  {field}", getattr(level, field)
    yield "check_2way rows", len(one_set.pairs)
    yield "check_2way NA rows", one_set.na_rows
    for pair in one_set.pairs:
        for field in PAIR_FIELDS:
            value = getattr(pair, field)
            if not isinstance(value, str):
                yield f"check_2way {pair.target_key_levs} {pair.key} {field}", value


def _number(value: Any) -> float | None:
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return None
    return float(value)
