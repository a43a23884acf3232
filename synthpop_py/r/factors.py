"""R's factors: levels as R writes, sorts and pastes them, and where each level of ours goes.

R matches levels by text and then tables by position. So a code of these variables is the row of a
level in R's table: equal codes meet, whatever their levels.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from ..cells import Combinations, combine, occurring
from ..core.arrays import Integers
from ..core.levels import MISSING_LABEL, level_texts
from ..levels import Factor, Rows, Side, Variable, is_long
from .collation import Collation, order
from .text import double_text, format_padded

GLUE = " | "
NA = "NA"
NANOSECONDS = 1_000_000_000
LONG = 1e15  # from here on R may write a whole number as another one


class Table(NamedTuple):
    """R's levels of a column in their order, and where each of the column's levels is."""

    labels: list[str | None]
    place: Integers


# codes of the original by text, and its column
Lookup = tuple[dict[str, int], Integers]


def moved(labels: Iterable[Any], among: Sequence[Any]) -> Integers:
    """Where each label stands among others; missing stays behind them."""
    place = {label: i for i, label in enumerate(among)}
    return np.array([*(place[label] for label in labels), len(among)], dtype=np.int64)


def same_types(
    synthetic: Factor, original: Factor, collation: Collation
) -> tuple[list[Factor], list[tuple[str, str]]]:
    """Numbers beside a factor and texts become factors, integers beside doubles become doubles;
    what was done, on which side.
    """
    both, sides, done = [synthetic, original], ("syn", "orig"), []
    for i, side in enumerate(sides):
        if both[i].is_number and both[1 - i].kind == "factor":
            both[i] = made_factor(both[i], collation)
            done.append(("number to factor", side))
    for i, side in enumerate(sides):
        if both[i].kind == "character":
            both[i] = made_factor(both[i], collation)
            done.append(("text to factor", side))
    kinds = [one.kind for one in both]
    if set(kinds) == {"integer", "double"}:
        whole = kinds.index("integer")
        levels = np.asarray(both[whole].levels, dtype=float)
        both[whole] = replace(both[whole], kind="double", levels=levels)
        done.append(("integer to double", sides[whole]))
    return both, done


def made_factor(factor: Factor, collation: Collation) -> Factor:
    """R's ``factor(x)``: texts in the order of the collation, everything else ascending and named
    by its text. Missing values stay missing.
    """
    if factor.kind == "factor":
        return factor
    texts = factor.texts
    if factor.kind == "duration":
        texts = level_texts("double", np.asarray(factor.levels) / NANOSECONDS)
    labels = list(dict.fromkeys(texts))
    if factor.kind == "character":
        labels = [labels[i] for i in order(labels, collation)]
    return factor.moved("factor", tuple(labels), moved(texts, labels))


def same_levels(factors: Sequence[Factor]) -> list[Factor]:
    """Factors with the levels of both, those of the first one first."""
    labels = tuple(dict.fromkeys(level for one in factors for level in one.levels))
    return [one.moved("factor", labels, moved(one.levels, labels)) for one in factors]


def written_anew(before: Sequence[Factor], after: Sequence[Factor]) -> bool:
    """Whether some number now has another text: 1e+05 instead of 100000."""
    for old, new in zip(before, after):
        if old.kind == "integer" and new.kind == "double":
            levels = np.asarray(old.levels)
            if level_texts("integer", levels) != level_texts("double", levels.astype(float)):
                return True
    return False


def level_labels(factor: Factor) -> Sequence[str | None]:
    """Texts that are levels; numbers have none."""
    return factor.levels if factor.is_text else ()  # type: ignore[return-value]


def texts_of(factor: Factor, beside: Factor | None = None) -> list[str]:
    """D15: numbers pasted beside texts are padded; a time depends on its column."""
    levels = np.asarray(factor.levels)
    if beside is not None and factor.is_number and beside.is_text:
        return format_padded(levels.astype(float).tolist())
    if factor.kind != "time":
        return factor.texts
    moments = (levels // NANOSECONDS).astype("datetime64[s]")
    texts = [str(moment).replace("T", " ") for moment in moments]
    if all(text.endswith("00:00:00") for text in texts):
        return [text[:10] for text in texts]
    return texts


def texts_are_values(factors: Sequence[Factor]) -> bool:
    """Whether R, which compares texts, tells the same levels apart as their values do."""
    kinds = {one.kind for one in factors}
    if kinds <= {"factor", "character"}:
        odd = any(None in one.levels or MISSING_LABEL in one.levels for one in factors)
        return not odd and not any(one.number_labels for one in factors)
    if len(kinds) > 1 or kinds <= {"time", "duration"}:
        return False
    return not any(is_long(one) for one in factors)


def same_matches(one: Variable, other: Variable) -> bool:
    """Whether two codings tell the same levels apart, of those that occur."""
    codes = []
    for variable in (one, other):
        sides = [side.place[side.factor.rows.often > 0] for side in variable.sides]
        codes.append(np.concatenate(sides).astype(np.int64))
    pairs = codes[0] * other.size + codes[1]
    apart = [len(np.unique(of_levels)) for of_levels in (*codes, pairs)]
    return len(set(apart)) == 1


def cut_short(factors: Sequence[Factor]) -> bool:
    """Whether R writes some whole number as another one."""
    for factor in factors:
        for value in np.asarray(factor.levels).tolist():
            if abs(value) >= LONG and float(double_text(float(value))) != value:
                return True
    return False


def at(texts: Sequence[str], codes: Sequence[int]) -> list[str]:
    return [texts[code] if code < len(texts) else MISSING_LABEL for code in np.asarray(codes)]


def gap_among(labels: Sequence[Any]) -> int:
    """The row for missing values; -1 where there is none."""
    return labels.index(MISSING_LABEL) if MISSING_LABEL in labels else -1


def variable_of(
    factors: Sequence[Factor], tables: Sequence[Table], rows: Sequence[list[Any]]
) -> Variable:
    """A variable whose codes are rows of R's tables; each table has rows of its own."""
    sides = []
    for factor, table, names in zip(factors, tables, rows):
        place = table.place
        if names != table.labels:
            place = moved(table.labels, names)[place]
        texts = [NA if name is None else str(name) for name in names]
        sides.append(Side(factor, factor.through(place), partial(at, texts), gap_among(names)))
    size = max(len(names) for names in rows)
    return Variable(max(size, 1), tuple(sides))


def lookup_of(variable: Variable, original: Factor | None = None) -> Lookup:
    """Codes of the original by text, and its column, in which a level without a name has no text
    (D6).
    """
    side = variable.sides[0]
    codes = side.codes.astype(np.int64)
    if original is not None and None in level_labels(original):
        unnamed = list(original.levels).index(None)
        codes[original.place[original.rows.codes] == unnamed] = variable.size
    there = [code for code in np.unique(codes).tolist() if code < variable.size]
    return dict(zip(side.texts(there), there)), codes


def pasted(combinations: Combinations, glue: str = GLUE) -> tuple[list[str], list[Integers]]:
    """The combinations that occur as R writes them, and those of the rows of all tables."""
    seen, places = occurring(combinations.codes)
    parts = combinations.parts(seen)
    by_key = [key.sides[0].texts(codes) for key, codes in zip(combinations.keys, parts)]
    return [glue.join(words) for words in zip(*by_key)], places


def by_text(texts: Sequence[str], of_tables: Sequence[Integers], n: Sequence[Any]) -> Variable:
    """A variable by the texts of numbered combinations, and the combination of each row."""
    names = list(dict.fromkeys(texts))
    place, numbered = moved(texts, names), np.arange(len(texts) + 1)
    sides = []
    for codes, weights in zip(of_tables, n):
        rows = Rows(codes, weights, len(numbered))
        factor = Factor("factor", (), numbered, rows, False, in_order=True)
        sides.append(Side(factor, place, partial(at, names), gap_among(names)))
    return Variable(len(names), tuple(sides))


def overwritten(keys: list[Variable], place: int, times: int, n: Sequence[Any]) -> list[Variable]:
    """D12: after each synthesis the original's key called "keys" holds the combinations."""
    for _ in range(times):
        texts, (of_d, _) = pasted(combine(keys, n))
        size, synthetic = keys[place].size, keys[place].sides[1]
        names = [*texts, *synthetic.texts(range(size))]
        own = by_text(names, [of_d, synthetic.codes + len(texts)], n)
        keys = [*keys[:place], own, *keys[place + 1 :]]
    return keys


def glued(keys: Sequence[Variable], n: Sequence[Any]) -> list[Variable]:
    """D10: combinations are one text, and its parts are read back by splitting. What is left over
    behind the last key makes one more variable, so that different texts stay apart.
    """
    texts, places = pasted(combine(keys, n))
    pieces = []
    for text in texts:
        words = text.split(GLUE)
        left_over = GLUE.join(words[len(keys) :])
        pieces.append([*words[: len(keys)], left_over])
    return [by_text(column, places, n) for column in zip(*pieces)]


def first_parts(key: Variable) -> Variable:
    """D10: a single key keeps its levels, but only their first part is read."""
    sides = []
    for side in key.sides:
        texts = [text.split(GLUE)[0] for text in side.texts(range(key.size))]
        sides.append(side._replace(texts=partial(at, texts)))
    return Variable(key.size, tuple(sides))
