"""What R's ``replicated.uniques``, ``mergelevels.syn`` and ``numtocat.syn`` do otherwise. The first
makes texts of values, remembers numbers of records from the time of the synthesis, and takes one
key for one long text.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import compress
from typing import Any

import numpy as np

from ..cells import combine
from ..core.arrays import Floats, Integers
from ..core.columns import Kind
from ..core.levels import level_texts
from ..errors import InputError
from ..grouping import Grouping
from ..levels import Factor, Rows, Side, Variable, match
from ..mergelevels import OTHER, Levels, Merge, level_text, lumped, records_of
from ..numtocat import Classified, classified
from ..uniques import Found, compare
from .collation import Collation, order
from .factors import NA, NANOSECONDS, at, cut_short, moved, pasted, same_matches, texts_of
from .reading import Met
from .text import double_text, format_padded, integer_text

GLUE = "|"
ARITHMETIC = {"logical", "integer", "double"}
PADDED = ("integer", "double", "duration")
TIMES = ("date", "time", "duration")
NOBODYS = -2  # a code that no record has


def uniques_as_r(
    keys: Sequence[Sequence[Factor]],
    n: Sequence[Integers | None],
    records: Sequence[int],
    meta: Mapping[str, Any],
    met: Met,
) -> tuple[list[Found], list[int]] | None:
    """What R finds by keys (each with one factor per table), and out of how many records; None
    where that is correct, or R has no answer.

    R remembers numbers of records (D38). It puts syntheses side by side in a table of that height:
    short ones are repeated, and of one key long ones are cut.
    """
    size, *k = records
    size_then, k_then = _remembered(meta, "n", size), _remembered(meta, "k", k[0])
    stale = size != size_then or set(k) != {k_then}
    one_key = len(keys) == 1
    height = k_then if one_key else k[0]
    first, often = list(keys[0]), list(n)
    for j, own in enumerate(k if len(k) > 1 else (), start=1):
        rows = first[j].rows
        is_cut = one_key and own > height
        fits = is_cut or height % own == 0
        if height > k_then or not fits:
            return None
        if is_cut and rows.n is not None:
            told = f"R takes the first {height} of {own} records, and counts do not say which"
            raise InputError(f"counts: {told}; give single records, or compat='corrected'")
        if is_cut:
            kept = Rows(rows.codes[:height], None, rows.size)
            first[j] = replace(first[j], rows=kept)
        elif own < height:
            # of repeated records none is unique: 2 stands for any number but one
            often[j] = np.full(len(rows.codes), 2)
    variables = _keys_by_text([first, *keys[1:]], met)
    with_glue = list(map(_has_glue, keys))
    merges = sum(with_glue) > 1
    if not (met or merges or one_key or stale):
        return None
    combinations = combine(variables, often)
    codes, number = combinations.codes, combinations.size
    if merges:  # combinations are told apart by texts, of which some may be one
        texts, places = pasted(combinations, GLUE)
        names = list(dict.fromkeys(texts))
        number = len(names)
        met.meets("D38", number < len(texts))
        of_text = moved(texts, names)
        codes = tuple(of_text[place] for place in places)
    found = compare(codes, often, number)
    if one_key:
        by_text = _of_one_key(variables[0], codes, often)
        met.meets("D37", not all(map(_same, found, by_text)))
        found = by_text
    if not met.meets("D38", stale):
        return found, [size, *k]
    for j, (numbers, replicated, in_original) in enumerate(found):
        # rows that stand for many records are marked as they are
        if n[j + 1] is None:
            height = max(k_then, len(replicated))
            found[j] = numbers, np.resize(replicated, height), np.resize(in_original, height)
    return found, [size_then, *[k_then] * len(k)]


def _same(one: Found, other: Found) -> bool:
    return one[0] == other[0] and all(map(np.array_equal, one[1:], other[1:]))


def _has_glue(key: Sequence[Factor]) -> bool:
    texts = [text for factor in key if factor.is_text for text in factor.texts]
    return any(GLUE in text for text in texts)


def _remembered(meta: Mapping[str, Any], name: str, otherwise: int) -> int:
    value = meta.get(name)
    is_whole = isinstance(value, (int, np.integer)) and not isinstance(value, bool)
    return int(value) if is_whole else otherwise  # type: ignore[arg-type]


def _keys_by_text(keys: Sequence[Sequence[Factor]], met: Met) -> list[Variable]:
    """Keys matched by R's texts. D38: missing values are the text NA."""
    written = [_written(of_table) for of_table in zip(*keys)]
    by_text = []
    for key, texts in zip(keys, zip(*written)):
        names = list(dict.fromkeys(text for own in texts for text in [*own, NA]))
        sides = []
        for factor, own in zip(key, texts):
            place = moved([*own, NA], names)[factor.place]
            sides.append(Side(factor, place, partial(at, names), -1))
        as_r = Variable(len(names), tuple(sides))
        met.meets(_defect(key, texts, keys), not same_matches(match(key), as_r))
        by_text.append(as_r)
    return by_text


def _defect(
    key: Sequence[Factor], texts: Sequence[list[str]], keys: Sequence[Sequence[Factor]]
) -> str:
    """Why the texts of a key do not match as its values do."""
    kinds = {factor.kind for factor in key}
    has_gaps = any(factor.has_gaps for factor in key)
    if has_gaps and any(NA in own for own in texts):
        return "D38"
    if "double" in kinds and cut_short([factor for factor in key if factor.is_number]):
        return "D48"
    together = {factor.kind for of in keys for factor in of}
    is_matrix_of_numbers = together <= ARITHMETIC or len(keys) == 1
    return "D15" if is_matrix_of_numbers or kinds & {"time", "duration"} else "D36"


def _written(keys: Sequence[Factor]) -> list[list[str]]:
    """The levels of the keys of one table as R writes them when it makes a matrix of them."""
    kinds = {key.kind for key in keys}
    numbers_only = kinds <= ARITHMETIC and kinds != {"logical"}
    common: Kind = "double" if "double" in kinds else "integer"
    written = []
    for key in keys:
        # a time is written as the others that are there allow
        there = key.occurring()
        levels = np.asarray(key.levels)
        if key.kind == "duration":
            levels = levels / NANOSECONDS
        if numbers_only:
            texts = level_texts(common, levels.astype(float) if common == "double" else levels)
        elif len(keys) > 1 and key.kind in PADDED:
            # beside text R pads to a common width and number of decimals, wide enough for NA
            gap = [None] if key.has_gaps else []
            texts = format_padded([*levels.tolist(), *gap])[: len(levels)]
        elif key.kind == "duration":
            texts = level_texts("double", levels)
        elif key.kind == "time":
            of_times = iter(texts_of(replace(key, levels=levels[there])))
            texts = [next(of_times) if is_there else "" for is_there in there]
        else:
            texts = texts_of(key)
        written.append(texts)
    return written


def _of_one_key(
    key: Variable, codes: Sequence[Integers], n: Sequence[Integers | None]
) -> list[Found]:
    """What R finds by a single key, of which it leaves out missing values (D37). It reads a table
    of one column as one long text, and nothing equals that unless the table has only one record.
    With several syntheses replicated uniques are marked all the same.
    """
    known, only = [], []
    for side, often in zip(key.sides, n):
        factor = side.factor
        is_known = factor.place[factor.rows.codes] != len(factor.levels)
        known.append(is_known * (1 if often is None else often))
        only.append(_only_record(key, side, often))
    found: list[Found] = []
    several = len(codes) > 2
    for j, (numbers, replicated, _) in enumerate(compare(codes, known, key.size), start=1):
        of_only = codes[j] == only[0]
        is_found = known[j][of_only].sum() == 1
        if several:
            by_number = key.sides[j].factor.kind in TIMES  # which finds none
            marks = replicated & (not by_number), of_only & is_found
        else:
            # the synthetic table is one long text too
            replicated_codes = codes[j][replicated]
            marked = only[j] in replicated_codes, is_found and only[0] == only[j]
            marks = np.full(len(replicated), marked[0]), np.full(len(replicated), marked[1])
        numbers[2] = int(is_found)
        found.append((numbers, *marks))
    return found


def _only_record(key: Variable, side: Side, n: Integers | None) -> int:
    """The code of what R reads a table of one record as; no record's code where there are more."""
    factor = side.factor
    rows = factor.rows.codes
    if len(rows) != 1 or (n is not None and n[0] != 1):
        return NOBODYS
    level = int(factor.place[rows[0]])
    if level == len(factor.levels):
        text = NA
    elif factor.kind == "factor":
        text = integer_text(level + 1)
    elif factor.kind in TIMES:
        number = float(np.asarray(factor.levels)[level])
        text = double_text(number if factor.kind == "date" else number / NANOSECONDS)
    else:
        text = texts_of(factor)[level]
    names = side.texts(range(key.size))
    return names.index(text) if text in names else NOBODYS


def merged_as_r(levels: Levels, n: Integers, minsize: float, newlabel: bool) -> Merge:
    """D47: R assumes that the last level joins "Other", whichever joins, and merges nothing more
    where two are equally small.
    """
    small = n < minsize
    if not small.any():
        return dict(zip(levels, levels))
    to = lumped(levels, ~small, OTHER)
    counts = records_of(to, levels, n)
    order = list(counts)
    renamed: str | None = OTHER
    inside = [level_text(name) for name in compress(levels, small)]
    if counts[OTHER] < minsize:
        place = len(order) - 2
        if place < 0:
            return to
        inside = [f"{level_text(order[place])} {text}" for text in inside]
        sizes = np.array(list(counts.values()))
        larger = np.array([(sizes > size).sum() for size in sizes])
        again = lumped(order, larger < place, OTHER)
        order = list(dict.fromkeys(again.values()))
        rank = {name: at for at, name in enumerate(order)}
        new_names = {level: again[name] for level, name in to.items()}
        to = dict(sorted(new_names.items(), key=lambda pair: rank[pair[1]]))
        renamed = order[place] if place < len(order) else None
    if newlabel and renamed in order:
        label = " ".join(inside)
        to = {level: label if name == renamed else name for level, name in to.items()}
    return to


def classified_as_r(
    values: Floats,
    made: Grouping,
    special: Sequence[Any],
    texts: Sequence[str],
    collation: Collation,
    met: Met,
) -> Classified:
    """D15: 1e+05 in the list of levels. D39: sorted like words."""
    column, breaks, _ = classified(values, made, special, texts)
    names = column.categories.tolist()
    as_words = [names[i] for i in order(names, collation)]
    if met.meets("D39", as_words != names):
        column = column.reorder_categories(as_words)
    as_doubles = [double_text(float(value)) for value in special]
    met.meets("D15", list(texts) != as_doubles)
    return column, breaks, (*made.labels, *as_doubles)
