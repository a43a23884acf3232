"""What R makes of keys in ``replicated.uniques``: texts in place of values, numbers of records that
it remembers, and one key that it takes for one long text.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain
from typing import Any

import numpy as np

from ..cells import Combinations
from ..core.arrays import Flags, Integers
from ..core.levels import level_texts
from ..errors import InputError
from ..levels import Factor, Rows, Side, Variable, match
from ..synds import SynDS
from .as_r import NA, NANOSECONDS, at, cut_short, moved, pasted, same_matches, texts_of
from .reading import Met
from .text import double_text, format_padded, integer_text

GLUE = "|"
ARITHMETIC = {"logical", "integer", "double"}
PADDED = ("integer", "double", "duration")
TIMES = ("date", "time", "duration")
NOBODYS = -2  # a code that no record has


# ---- numbers of records --------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Sizes:
    """Numbers of records: `n` of the original and `k` of each synthesis as they are, and as R's
    object remembers them from the time of the synthesis (D38).
    """

    n: int
    k: tuple[int, ...]
    remembered_n: int
    remembered_k: int
    one_key: bool

    @property
    def stale(self) -> bool:
        return self.n != self.remembered_n or set(self.k) != {self.remembered_k}

    @property
    def height(self) -> int:
        """The number of records that R gives each of several syntheses, to put them side by
        side: it repeats short ones, and of one key cuts long ones.
        """
        return self.remembered_k if self.one_key else self.k[0]

    @property
    def r_has_an_answer(self) -> bool:
        fits = [self.height % k == 0 or (self.one_key and k > self.height) for k in self.k]
        return len(self.k) == 1 or (all(fits) and self.height <= self.remembered_k)

    def repeats(self, j: int) -> bool:
        """Whether R repeats the records of synthesis j."""
        return self.stale and len(self.k) > 1 and self.height >= 2 * self.k[j]

    def cut(self, key: Factor, j: int) -> Factor:
        """The only key of synthesis j, as long as R has it."""
        if not (self.one_key and self.stale) or len(self.k) == 1 or self.k[j] <= self.height:
            return key
        if key.rows.n is not None:
            raise InputError(
                f"counts: R takes the first {self.height} of {self.k[j]} records of a synthesis, "
                "and counts do not say which those are; give the records themselves, one per row,"
                " or compat='corrected'"
            )
        rows = Rows(key.rows.codes[: self.height], None, key.rows.size)
        cut = replace(key, rows=rows)
        gaps, there = bool(cut.records()[-1]), cut.occurring()
        if key.is_text:
            return replace(cut, has_gaps=gaps)
        # how a time is written depends on those that are left
        to = np.append(np.where(there, np.cumsum(there) - 1, -1), there.sum())
        return replace(cut.moved(key.kind, np.asarray(key.levels)[there], to), has_gaps=gaps)


def remembered_sizes(object: Any, records: Sequence[int], *, one_key: bool) -> Sizes:
    """The numbers of records, and those that a SynDS has in its `meta`."""
    n, *k = records
    meta = object.meta if isinstance(object, SynDS) else {}
    whole = {
        name: int(value)
        for name, value in meta.items()
        if isinstance(value, (int, np.integer)) and not isinstance(value, bool)
    }
    return Sizes(n, tuple(k), whole.get("n", n), whole.get("k", k[0]), one_key)


# ---- keys as texts -------------------------------------------------------------------


def keys_as_r(keys: Sequence[Sequence[Factor]], met: Met) -> list[Variable]:
    """Keys matched by R's texts; each key has one factor per table. D48: numbers of many digits.
    D15, D36: numbers and times written in two ways. D38: missing values are the text NA.
    """
    written = zip(*map(_written, zip(*keys)))
    kinds = {factor.kind for key in keys for factor in key}
    by_text = []
    for key, texts in zip(keys, written):
        own_kinds = {factor.kind for factor in key}
        by_kind = kinds <= ARITHMETIC or not own_kinds.isdisjoint(("time", "duration"))
        as_r = _by_text(key, texts, None)
        defect = "D15" if by_kind or len(keys) == 1 else "D36"
        if "double" in own_kinds and cut_short([factor for factor in key if factor.is_number]):
            defect = "D48"
        met.meets(defect, not same_matches(match(key), as_r))
        if any(NA in own for own in texts) and any(factor.has_gaps for factor in key):
            merged = _by_text(key, texts, NA)
            as_r = merged if met.meets("D38", not same_matches(as_r, merged)) else as_r
        by_text.append(as_r)
    return by_text


def _by_text(key: Sequence[Factor], texts: Sequence[list[str]], gap: str | None) -> Variable:
    """A key by the texts of its levels in each table; `gap` is that of missing values, which stay
    apart without one.
    """
    labels = [[*own, gap] for own in texts]
    names = list(dict.fromkeys(chain(*labels)))
    missing = names.index(None) if gap is None else -1
    name = partial(at, [NA if text is None else text for text in names])
    places = [moved(own, names)[factor.place] for own, factor in zip(labels, key)]
    sides = [Side(factor, place, name, missing) for factor, place in zip(key, places)]
    return Variable(len(names), tuple(sides))


def has_glue(key: Sequence[Factor]) -> bool:
    return any(GLUE in text for factor in key if factor.is_text for text in factor.texts)


def glued(combinations: Combinations, met: Met) -> tuple[Sequence[Integers], int]:
    """One code for each record of each table, and how many codes there are: combinations told
    apart by the texts that R glues together, where some merge (D38).
    """
    texts, places = pasted(combinations, GLUE)
    names = list(dict.fromkeys(texts))
    met.meets("D38", len(names) < len(texts))
    to = moved(texts, names)
    return [to[place] for place in places], len(names)


def _written(keys: Sequence[Factor]) -> list[list[str]]:
    """The levels of the keys of one table as R writes them when it makes a matrix of them: all in
    the widest type if they are numbers; beside text, numbers are padded to a common width and share
    their number of decimals.
    """
    kinds = {key.kind for key in keys}
    if kinds <= ARITHMETIC and "double" in kinds:
        return [level_texts("double", np.asarray(key.levels, dtype=float)) for key in keys]
    if kinds <= ARITHMETIC and "integer" in kinds:
        return [level_texts("integer", np.asarray(key.levels)) for key in keys]
    return [_alone(key) if len(keys) == 1 else _beside_texts(key) for key in keys]


def _alone(key: Factor) -> list[str]:
    if key.kind == "duration":
        return level_texts("double", np.asarray(key.levels) / NANOSECONDS)
    return texts_of(key)


def _beside_texts(key: Factor) -> list[str]:
    if key.kind not in PADDED:
        return texts_of(key)
    levels = np.asarray(key.levels)
    numbers = (levels / NANOSECONDS if key.kind == "duration" else levels).tolist()
    gap = [None] if key.has_gaps else []  # as wide as its text NA
    return format_padded([*numbers, *gap])[: len(numbers)]


# ---- one key -------------------------------------------------------------------------


def known_rows(key: Factor, n: Integers | None) -> Integers:
    """The counts of rows, 0 where the only key is missing, which R leaves out."""
    ones = np.ones(len(key.rows.codes), dtype=np.int64) if n is None else n
    return np.where(key.place[key.rows.codes] == len(key.levels), 0, ones)


def of_one_key(
    key: Variable, j: int, n: Sequence[Integers | None], replicated: Flags
) -> tuple[int, Flags, Flags]:
    """How many uniques of synthesis j R finds in the original, and which records it marks as
    replicated, and as found. It reads a table of one column as one long text, and nothing equals
    that unless the table has only one record (D37). With several syntheses replicated uniques are
    marked all the same.
    """
    codes = key.sides[j].codes
    of_original = _code_of_only_record(key, 0, n)
    found = int(known_rows(key.sides[j].factor, n[j])[codes == of_original].sum() == 1)
    if len(key.sides) > 2:
        looked_up_as_number = key.sides[j].factor.kind in TIMES
        return found, replicated & (not looked_up_as_number), (codes == of_original) & bool(found)
    own = _code_of_only_record(key, j, n)
    marked = (codes[replicated][:1] == own).any()
    every = np.ones(len(codes), dtype=bool)
    return found, every & marked, every & (bool(found) and own == of_original)


def _code_of_only_record(key: Variable, table: int, n: Sequence[Integers | None]) -> int:
    """The code of what R reads a table of one record as; no record's code where there are more."""
    factor, often = key.sides[table].factor, n[table]
    if len(factor.rows.codes) != 1 or (often is not None and often[0] != 1):
        return NOBODYS
    wanted = _as_one_text(factor)
    for code, text in enumerate(key.sides[table].texts(range(key.size))):
        if text == wanted and code != key.sides[table].missing:
            return code
    return NOBODYS


def _as_one_text(key: Factor) -> str:
    """R's text of a column of one record: of a factor the number of its level."""
    level = int(key.place[key.rows.codes[0]])
    if level == len(key.levels):
        return NA
    if key.kind == "factor":
        return integer_text(level + 1)
    if key.kind in TIMES:
        unit = 1 if key.kind == "date" else NANOSECONDS
        return double_text(float(key.levels[level]) / unit)  # type: ignore[arg-type]
    return _alone(key)[level]
