"""What R's ``replicated.uniques``, ``mergelevels.syn`` and ``numtocat.syn`` do otherwise. The first
makes texts of values, remembers numbers of records from the time of the synthesis, and takes one
key for one long text.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain
from typing import Any

import numpy as np

from ..cells import combine
from ..core.arrays import Flags, Integers
from ..core.levels import level_texts
from ..errors import InputError
from ..grouping import Style, group
from ..levels import Factor, Rows, Side, Variable, match
from ..mergelevels import OTHER, Levels, Merge, level_text, lumped, records_of
from ..numtocat import Classified, NumericColumn, in_classes
from ..uniques import Found, compare
from .as_r import grouping_as_r
from .collation import Collation, order
from .factors import (
    NA,
    NANOSECONDS,
    at,
    cut_short,
    moved,
    pasted,
    same_matches,
    texts_of,
)
from .reading import Met
from .text import double_text, format_padded, integer_text

GLUE = "|"
ARITHMETIC = {"logical", "integer", "double"}
PADDED = ("integer", "double", "duration")
TIMES = ("date", "time", "duration")
NOBODYS = -2  # a code that no record has
Answer = tuple[list[Found], list[int]]


def uniques_as_r(
    correct: list[Found],
    keys: Sequence[Sequence[Factor]],
    n: Sequence[Integers | None],
    records: Sequence[int],
    meta: Mapping[str, Any],
    met: Met,
) -> Answer:
    """What R finds by keys (each with one factor per table), and out of how many records; the
    correct answer where R has none. R remembers numbers of records (D38): it puts syntheses side
    by side in tables of that height, so it repeats short ones, and of one key cuts long ones.
    """
    size, *k = records
    one_key, several = len(keys) == 1, len(k) > 1
    size_then, k_then = _remembered(meta, "n", size), _remembered(meta, "k", k[0])
    stale = size != size_then or set(k) != {k_then}
    height = k_then if one_key else k[0]
    fits = all(height % own == 0 or (one_key and own > height) for own in k)
    if several and not (fits and height <= k_then):
        return correct, [size, *k]
    first, often = list(keys[0]), list(n)
    for j, own in enumerate(k if stale and several else (), start=1):
        if one_key and own > height:
            first[j] = _cut(first[j], height, own)
        elif height >= 2 * own:
            # of repeated records none is unique: 2 stands for any number but one
            often[j] = np.full(len(first[j].rows.codes), 2)
    variables = _keys_by_text([first, *keys[1:]], met)
    glued = [any(GLUE in text for one in of if one.is_text for text in one.texts) for of in keys]
    if not (met or sum(glued) > 1 or one_key or stale):
        return correct, [size, *k]
    combinations = combine(variables, often)
    codes, number = list(combinations.codes), combinations.size
    if sum(glued) > 1:  # combinations are told apart by texts, of which some may merge
        texts, places = pasted(combinations, GLUE)
        names = list(dict.fromkeys(texts))
        met.meets("D38", len(names) < len(texts))
        codes, number = [moved(texts, names)[place] for place in places], len(names)
    found = compare(codes, often, number)
    if one_key:
        found = _of_one_key(found, variables[0], codes, often, met)
    if not met.meets("D38", stale):
        return found, [size, *k]
    for j, (numbers, *marks) in enumerate(found):
        # rows that stand for many records are marked as they are
        if n[j + 1] is None and len(first[j + 1].rows.codes) < k_then:
            found[j] = Found(numbers, *(np.resize(flags, k_then) for flags in marks))
    return found, [size_then, *[k_then] * len(k)]


def _remembered(meta: Mapping[str, Any], name: str, otherwise: int) -> int:
    value = meta.get(name)
    is_whole = isinstance(value, (int, np.integer)) and not isinstance(value, bool)
    return int(value) if is_whole else otherwise  # type: ignore[arg-type]


def _cut(key: Factor, height: int, own: int) -> Factor:
    """The first records of the only key of a synthesis."""
    if key.rows.n is not None:
        raise InputError(
            f"counts: R takes the first {height} of {own} records of a synthesis, "
            "and counts do not say which those are; give the records themselves, one per row,"
            " or compat='corrected'"
        )
    cut = replace(key, rows=Rows(key.rows.codes[:height], None, key.rows.size))
    gaps, there = bool(cut.records()[-1]), cut.occurring()
    if not key.is_text:
        # how a time is written depends on those that are left
        to = np.append(np.where(there, np.cumsum(there) - 1, -1), there.sum())
        cut = cut.moved(key.kind, np.asarray(key.levels)[there], to)
    return replace(cut, has_gaps=gaps)


def _keys_by_text(keys: Sequence[Sequence[Factor]], met: Met) -> list[Variable]:
    """Keys matched by R's texts. D38: missing values are the text NA."""
    written = zip(*map(_written, zip(*keys)))
    all_numbers = {factor.kind for key in keys for factor in key} <= ARITHMETIC
    by_text = []
    for key, texts in zip(keys, written):
        kinds = {factor.kind for factor in key}
        as_r = _by_text(key, texts, None)
        by_kind = all_numbers or len(keys) == 1 or not kinds.isdisjoint(("time", "duration"))
        defect = "D15" if by_kind else "D36"
        if "double" in kinds and cut_short([factor for factor in key if factor.is_number]):
            defect = "D48"
        met.meets(defect, not same_matches(match(key), as_r))
        if any(NA in own for own in texts) and any(factor.has_gaps for factor in key):
            merged = _by_text(key, texts, NA)
            as_r = merged if met.meets("D38", not same_matches(as_r, merged)) else as_r
        by_text.append(as_r)
    return by_text


def _by_text(key: Sequence[Factor], texts: Sequence[list[str]], gap: str | None) -> Variable:
    """A key by its texts in each table; `gap` is that of missing values, None keeps them apart."""
    labels = [[*own, gap] for own in texts]
    names = list(dict.fromkeys(chain(*labels)))
    missing = names.index(None) if gap is None else -1
    name = partial(at, [NA if text is None else text for text in names])
    places = [moved(own, names)[factor.place] for own, factor in zip(labels, key)]
    sides = [Side(factor, place, name, missing) for factor, place in zip(key, places)]
    return Variable(len(names), tuple(sides))


def _written(keys: Sequence[Factor]) -> list[list[str]]:
    """The levels of the keys of one table as R writes them when it makes a matrix of them."""
    kinds = {key.kind for key in keys}
    written = []
    for key in keys:
        levels = np.asarray(key.levels)
        numbers = levels / NANOSECONDS if key.kind == "duration" else levels
        if kinds <= ARITHMETIC and "double" in kinds:
            written.append(level_texts("double", levels.astype(float)))
        elif kinds <= ARITHMETIC and "integer" in kinds:
            written.append(level_texts("integer", levels))
        elif len(keys) > 1 and key.kind in PADDED:
            # beside text R pads to a common width and number of decimals, wide enough for NA
            gap = [None] if key.has_gaps else []
            written.append(format_padded([*numbers.tolist(), *gap])[: len(numbers)])
        elif key.kind == "duration":
            written.append(level_texts("double", numbers))
        else:
            written.append(texts_of(key))
    return written


def _of_one_key(
    found: list[Found],
    key: Variable,
    codes: Sequence[Integers],
    n: Sequence[Integers | None],
    met: Met,
) -> list[Found]:
    """What R finds by a single key, of which it leaves out missing values (D37). It reads a table
    of one column as one long text, and nothing equals that unless the table has only one record.
    With several syntheses replicated uniques are marked all the same.
    """
    only = [_only_record(key, side, often) for side, often in zip(key.sides, n)]
    known: list[Integers] = []
    for factor, often in zip((side.factor for side in key.sides), n):
        is_known = factor.place[factor.rows.codes] != len(factor.levels)
        known.append(is_known * (1 if often is None else often))
    as_r = []
    for j, one in enumerate(compare(codes, known, key.size), start=1):
        is_first = key.sides[j].codes == only[0]
        is_found = bool(known[j][is_first].sum() == 1)
        unique, synthetic, _, replicated = one.numbers
        if len(found) > 1:
            by_number = key.sides[j].factor.kind in TIMES  # which finds none
            marks = one.replicated & (not by_number), is_first & is_found
        else:
            of_marked = key.sides[j].codes[one.replicated][:1]
            every: Flags = np.ones(len(is_first), dtype=bool)
            marks = every & (of_marked == only[j]).any(), every & (is_found and only[0] == only[j])
        as_r.append(Found([unique, synthetic, int(is_found), replicated], *marks))
    pairs = list(zip(found, as_r))
    same = all(a.numbers == b.numbers and all(map(np.array_equal, a[1:], b[1:])) for a, b in pairs)
    return as_r if met.meets("D37", not same) else found


def _only_record(key: Variable, side: Side, n: Integers | None) -> int:
    """The code of what R reads a table of one record as; no record's code where there are more."""
    factor = side.factor
    if len(factor.rows.codes) != 1 or (n is not None and n[0] != 1):
        return NOBODYS
    level = int(factor.place[factor.rows.codes[0]])
    if level == len(factor.levels):
        text = NA
    elif factor.kind == "factor":
        text = integer_text(level + 1)
    elif factor.kind in TIMES:
        unit = 1 if factor.kind == "date" else NANOSECONDS
        text = double_text(float(np.asarray(factor.levels)[level]) / unit)
    else:
        text = texts_of(factor)[level]
    texts = side.texts(range(key.size))
    codes = [code for code, own in enumerate(texts) if own == text and code != side.missing]
    return codes[0] if codes else NOBODYS


def merged_as_r(levels: Levels, n: Integers, minsize: float, newlabel: bool) -> Merge:
    """D47: R assumes that the last level joins "Other", whichever joins, and merges nothing more
    where two are equally small.
    """
    small = n < minsize
    if not small.any():
        return levels, levels
    inside = [level_text(name) for name, is_small in zip(levels, small) if is_small]
    to, order = lumped(levels, ~small, OTHER)
    counts = np.array(records_of((to, order), n))
    labelled, label = len(order) - 1, " ".join(inside)
    if counts[-1] < minsize:
        labelled -= 1
        label = " ".join(f"{level_text(order[labelled])} {text}" for text in inside)
        larger = np.array([(counts > count).sum() for count in counts])
        if len(order) > 1 and (larger >= len(order) - 2).any():
            again, after = lumped(order, larger < len(order) - 2, OTHER)
            new_name = dict(zip(order, again))
            to, order = [new_name[name] for name in to], after
    if newlabel and 0 <= labelled < len(order):
        renamed = order[labelled]
        to = [label if name == renamed else name for name in to]
        order = list(dict.fromkeys(label if name == renamed else name for name in order))
    return to, order


def classified_as_r(
    column: NumericColumn, style: Style, collation: Collation, met: Met
) -> Classified:
    """D15: 1e+05 in the list of levels. D39: sorted like words. D22, D49, D50: `grouping_as_r`."""
    numbers, n = column.ordinary, column.classes
    split = partial(group, numbers, n, style)
    made = in_classes(column, grouping_as_r(split, numbers, n, met.meets))
    texts = made.values.categories.tolist()
    as_words = [texts[i] for i in order(texts, collation)]
    if met.meets("D39", as_words != texts):
        made = made._replace(values=made.values.reorder_categories(as_words))
    special = tuple(double_text(float(value)) for value in column.special)
    met.meets("D15", column.texts != special)
    return made._replace(levels=(*made.levels[: len(made.levels) - len(special)], *special))
