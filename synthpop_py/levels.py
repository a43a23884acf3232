"""A variable in several tables, in codes: equal codes for equal values, whatever the types.

Only `factorise` and `Side.codes` touch the records. Everything between them (matching, classes, R's
factors) works on levels, of which there are few, and says where each level goes: `place`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from .core.arrays import Flags, Integers, Values
from .core.columns import SINGLE, Column, Kind
from .core.levels import DAY, MISSING_LABEL, exact_level_texts, level_texts
from .core.numerals import EXACT_DOUBLE, exact_number, number_key

TEXTS = ("factor", "character")
NUMBERS = ("integer", "double")
NARROW = 4  # a range of whole numbers up to this many times the rows is counted, not sorted
SHORT = 1024  # a range that is never too wide
FIRST = 4096  # rows looked at before all others
FEW, FIRST_SEEN = 8, 128  # rows in which values of both sides are looked for first
WHOLE_DOUBLES = 1e15  # below this, doubles that are whole numbers have different texts
ROWS = 2**15  # counted at once, so that what is computed of them stays in the fastest memory


def count(codes: Integers, n: Integers | None, size: int) -> Integers:
    """The sum of n (of ones where it is None) over each code from 0 to size - 1; exact for any
    whole numbers of 64 bits.

    Examples
    --------
    >>> count(np.array([0, 2, 2]), np.array([1, 2**60, 3]), 3).tolist()
    [1, 0, 1152921504606846979]
    """
    if n is None and len(codes) <= ROWS:
        return np.bincount(codes, minlength=size)
    if n is not None:
        sums = np.bincount(codes, weights=n, minlength=size)  # adds up doubles
        if sums.sum() < EXACT_DOUBLE:
            return sums.astype(np.int64)
        size = len(sums)
    table = np.zeros(size, dtype=np.int64)
    for start in range(0, len(codes), ROWS):
        rows = slice(start, start + ROWS)
        np.add.at(table, codes[rows].astype(np.intp), 1 if n is None else n[rows])
    return table


@dataclass(slots=True, eq=False)
class Rows:
    """The rows of a column in codes from 0 to size - 1, the last for missing values; how many
    records each row stands for, None where each is one.
    """

    codes: Integers
    n: Integers | None
    size: int
    _often: Integers | None = None

    @property
    def often(self) -> Integers:
        """Records of each code, (size,)."""
        if self._often is None:
            self._often = count(self.codes, self.n, self.size)
        return self._often

    @property
    def are_counted(self) -> bool:
        return self._often is not None

    def forget(self) -> None:
        """A result that was made of them keeps nothing as long as the data."""
        self.codes, self.n = np.empty(0, dtype=np.int64), None


@dataclass(frozen=True, eq=False)
class Factor:
    """A column by its levels.

    Attributes
    ----------
    kind : what R would call the type, as in `Column`.
    levels : texts, in declared order and with those that do not occur, or values, ascending.
    place : the level behind each code of the rows, shape (size,), -1 behind one that does not
        occur; missing values have the number ``len(levels)``.
    rows : the rows in codes as they were read.
    has_gaps : some value is missing.
    in_order : the codes of rows are those of their levels.
    number_labels : the texts were numbers, which can be written in two ways.
    """

    kind: Kind
    levels: Values | tuple[str | None, ...]
    place: Integers
    rows: Rows
    has_gaps: bool
    number_labels: bool = False
    in_order: bool = False

    @property
    def is_text(self) -> bool:
        return self.kind in TEXTS

    @property
    def is_number(self) -> bool:
        return self.kind in NUMBERS

    @cached_property
    def texts(self) -> list[str]:
        """How R writes the levels."""
        if self.is_text:
            return list(self.levels)
        return level_texts(self.kind, np.asarray(self.levels))

    def records(self) -> Integers:
        """Records of each level, missing ones last."""
        often, size = self.rows.often, len(self.levels) + 1
        if len(often) == size and self.in_order:
            return often
        there = often > 0
        return count(self.place[there], often[there], size)

    def occurring(self) -> Flags:
        """Which levels some record has."""
        flags: Flags = self.records()[:-1] > 0
        return flags

    def first_values(self, rows: int) -> Values:
        """The numbers of the first rows; of texts their places among the levels."""
        places = self.place[self.rows.codes[:rows]]
        places = places[places < len(self.levels)]
        return places if self.is_text else np.asarray(self.levels)[places]

    def through(self, codes: Integers) -> Integers:
        """The code of each code of the rows, from those of levels and missing values."""
        same = self.in_order and np.array_equal(codes, self.place)
        return self.place if same else codes[self.place]

    def moved(self, kind: Kind, levels: Values | tuple[str | None, ...], to: Integers) -> Factor:
        """The same records with other levels; `to` says where each level, and missing, goes."""
        place = np.where(self.place < 0, -1, to[self.place])
        gone = place == len(levels)
        gone[-1] = False
        gaps = self.has_gaps or bool(gone.any() and self.rows.often[gone].any())
        return replace(self, kind=kind, levels=levels, place=place, has_gaps=gaps, in_order=False)


def factorise(column: Column, n: Integers | None = None) -> Factor:
    """A column by its levels; `n` says how many records each row stands for."""
    if column.kind in TEXTS:
        return _factor(column, n, column.values, column.labels)
    known = column.values if column.missing is None else column.values[~column.missing]
    if _are_narrow(column.kind, known, len(column.values)):
        return _narrow(column, int(known.min()), int(known.max()), n)
    codes, levels = pd.factorize(known, sort=True)
    if column.missing is not None:
        of_known, codes = codes, np.zeros(len(column.values), dtype=np.int64)
        codes[~column.missing] = of_known
    return _factor(column, n, codes, levels)


def _factor(column: Column, n: Integers | None, codes: Integers, levels: Any) -> Factor:
    """Levels whose codes are their places."""
    size = len(levels) + 1
    rows = Rows(_with_gaps(codes, column.missing, size - 1), n, size)
    gaps = column.missing is not None
    place = np.arange(size)
    return Factor(column.kind, levels, place, rows, gaps, column.number_labels, in_order=True)


def _narrow(column: Column, low: int, high: int, n: Integers | None) -> Factor:
    """Whole numbers that are close together are codes themselves, apart from a shift."""
    codes, missing, gap = column.values, column.missing, high - low + 1
    if codes.dtype.kind == "f":
        if missing is not None:
            codes = np.where(missing, low, codes)
        codes = codes.astype(np.int64)
    if low:
        codes = codes.astype(np.int64) - low
    rows = Rows(_with_gaps(codes, missing, gap), n, gap + 1)
    # the first rows often have all values
    there = np.bincount(rows.codes[:FIRST], minlength=gap + 1)[:-1] > 0
    if not there.all():
        there = rows.often[:-1] > 0
    in_order = bool(there.all())
    place = np.arange(gap + 1)
    if not in_order:
        number = np.cumsum(there)
        place[:-1] = np.where(there, number - 1, -1)
        place[-1] = number[-1]
    levels = there.nonzero()[0] + low
    if column.kind == "double":
        levels = levels.astype(np.float64)
    return Factor(column.kind, levels, place, rows, missing is not None, in_order=in_order)


def _with_gaps(codes: Integers, missing: Flags | None, gap: int) -> Integers:
    # before NumPy 2 a number does not widen an array, and the gap may be beyond its bytes
    return codes if missing is None else np.where(missing, gap, codes.astype(np.int64))


def _are_narrow(kind: Kind, known: Values, rows: int) -> bool:
    """Whether they are whole numbers that are close together."""
    if kind in ("time", "duration") or not len(known):
        return False
    low, high = known.min(), known.max()
    room = max(SHORT, NARROW * rows)
    if not float(high) - float(low) < room:
        return False
    if kind != "double":
        return True
    return max(-low, high) < WHOLE_DOUBLES and bool((np.trunc(known) == known).all())


def agree_at_first_sight(original: Factor, synthetic: Factor) -> bool:
    """Whether two columns have the same levels, or short numbers, and one value is among the first
    of both: then nothing need be looked up.
    """
    if original.kind != synthetic.kind:
        return False
    known, values = original.first_values(FIRST_SEEN), synthetic.first_values(FEW)
    if original.is_text:  # declared levels may be the same although nobody has the same one
        if original.levels != synthetic.levels or not _told_apart(tuple(original.levels)):
            return False
    elif original.is_number and not (is_short(original) and is_short(synthetic)):
        return False
    return bool((values[:, np.newaxis] == known).any())


@lru_cache(maxsize=64)
def _told_apart(levels: tuple[str, ...]) -> bool:
    """Whether levels differ in more than case or blanks."""
    return 0 < len(levels) == len({level.strip().casefold() for level in levels})


def is_short(factor: Factor) -> bool:
    """Whether all numbers are whole ones that single precision holds too."""
    levels = np.asarray(factor.levels)
    if len(levels) and max(-float(levels[0]), float(levels[-1])) > SINGLE:
        return False
    return levels.dtype.kind != "f" or bool((np.trunc(levels) == levels).all())


def column_of(factor: Factor) -> tuple[Column, Integers]:
    """The levels that occur as a column, a row each, and how many records have them."""
    records = factor.records()
    there = np.flatnonzero(records[:-1])
    rows, missing = there, None
    if records[-1]:
        rows = np.append(there, len(factor.levels))
        missing = rows == len(factor.levels)
    n = records[rows]
    if factor.is_text:
        labels = tuple(str(text) for text in factor.levels)
        codes = rows if missing is None else np.where(missing, 0, rows)
        column = Column(factor.kind, codes, missing, labels, number_labels=factor.number_labels)
        return column, n
    levels = np.asarray(factor.levels)
    values = np.zeros(len(rows), dtype=levels.dtype)
    values[: len(there)] = levels[there]
    return Column(factor.kind, values, missing), n


class Side(NamedTuple):
    """A variable in one table.

    Attributes
    ----------
    factor : the levels and the codes as they were read.
    place : the code of each of these, shape (k + 1,), missing last.
    texts : the texts of given codes.
    missing : the code of missing values; -1 where none stands for them.
    """

    factor: Factor
    place: Integers
    texts: Callable[[Sequence[int] | Integers], list[str]]
    missing: int

    @property
    def codes(self) -> Integers:
        """The code of each row."""
        return self.place[self.factor.rows.codes]

    def records(self, size: int) -> Integers:
        """Records by code."""
        often = self.factor.rows.often
        there = often > 0
        return count(self.place[there], often[there], size)[:size]

    def occurring(self) -> Integers:
        """The codes that some record has, ascending."""
        return np.unique(self.place[self.factor.rows.often > 0])


class Variable(NamedTuple):
    """A variable in the original, which comes first, and in syntheses: codes from 0 to size - 1,
    of which the last stands for missing where some value is.
    """

    size: int
    sides: tuple[Side, ...]

    def pair(self, number: int) -> Variable:
        """The original and one synthesis."""
        if len(self.sides) == 2:
            return self
        return Variable(self.size, (self.sides[0], self.sides[number]))


def match(factors: Sequence[Factor], exact: bool = False) -> Variable:
    """Equal codes for equal values; a number equals a text that spells it. Fractions with the same
    15 digits are equal, unless numbers are compared as `exact`.

    Examples
    --------
    >>> people = factorise(Column("integer", np.array([5, 7, 5])))
    >>> fake = factorise(Column("character", np.array([0, 1]), labels=("7.0", "x")))
    >>> variable = match([people, fake])
    >>> [side.codes.tolist() for side in variable.sides], variable.sides[0].texts([0, 1, 2])
    ([[0, 1, 0], [1, 2]], ['5', '7', 'x'])
    """
    factors = _on_one_clock(factors)
    kinds = {factor.kind for factor in factors}
    has_numbers = any(factor.is_number or factor.number_labels for factor in factors)
    if kinds == {"factor"} and len({factor.levels for factor in factors}) == 1:
        size = len(factors[0].levels)
        places = [np.arange(size) for _ in factors]
    elif kinds == set(NUMBERS) and not exact and any(map(is_long, factors)):
        size, places = _by_exact_number(factors)
    elif kinds == set(NUMBERS) or (len(kinds) == 1 and not factors[0].is_text):
        size, places = _by_number(factors, exact)
    else:
        size, places = _by_text(factors, has_numbers)
    names = _names(factors, places, size)
    gaps = any(factor.has_gaps for factor in factors)
    missing = size if gaps else -1
    sides = []
    for factor, place in zip(factors, places):
        codes = factor.through(np.append(place, size))
        sides.append(Side(factor, codes, names, missing))
    return Variable(max(size + gaps, 1), tuple(sides))


def _on_one_clock(factors: Sequence[Factor]) -> Sequence[Factor]:
    """Dates beside times are times at midnight."""
    if {factor.kind for factor in factors} != {"date", "time"}:
        return factors
    made = []
    for factor in factors:
        levels = np.asarray(factor.levels)
        times = levels if factor.kind == "time" else levels * DAY
        made.append(replace(factor, kind="time", levels=times))
    return made


def is_long(factor: Factor) -> bool:
    """Whether a double, or its text, may lose digits of some number."""
    size = np.abs(np.asarray(factor.levels, dtype=np.float64)).max(initial=0)
    return bool(size >= WHOLE_DOUBLES)


def _by_number(factors: Sequence[Factor], exact: bool) -> tuple[int, list[Integers]]:
    levels = [np.asarray(factor.levels) for factor in factors]
    first = levels[0]
    alike = all(np.array_equal(one, first) for one in levels)
    every = first if alike else np.unique(np.concatenate(levels))
    number = np.arange(len(every)) if exact else _alike(every)
    size = int(number.max(initial=-1)) + 1
    if alike:
        return size, [number] * len(levels)
    return size, [number[np.searchsorted(every, one)] for one in levels]


def _alike(levels: Values) -> Integers:
    """The number of each of ascending values: fractions with the same 15 digits are one."""
    whole: Flags = np.trunc(levels) == levels
    if whole.all() or len(levels) < 2:
        return np.arange(len(levels))
    close = np.diff(levels) <= 1e-14 * np.abs(levels[1:])
    both_whole = whole[1:] & whole[:-1]
    same = close & ~both_whole
    for i in np.flatnonzero(same):
        same[i] = f"{levels[i]:.15g}" == f"{levels[i + 1]:.15g}"
    return np.append(0, np.cumsum(~same))


def _by_exact_number(factors: Sequence[Factor]) -> tuple[int, list[Integers]]:
    """Whole numbers beside doubles, some too long for these: two identity numbers of 17 digits
    would become one.
    """
    exact = [list(map(exact_number, np.asarray(f.levels).tolist())) for f in factors]
    every = sorted({number for numbers in exact for number in numbers})
    code_of = {number: code for code, number in enumerate(every)}
    return len(every), [np.array([code_of[one] for one in numbers], int) for numbers in exact]


def _by_text(factors: Sequence[Factor], by_value: bool) -> tuple[int, list[Integers]]:
    """Levels by their texts. With `by_value`, 1, 1.0 and 1e0 are one number, unless a column has
    several of them, which then are levels of their own.
    """
    code_of: dict[str, int] = {}
    code_of_number: dict[str, int] = {}
    size, places = 0, []
    for factor in factors:
        exact = by_value and not factor.is_text
        levels = np.asarray(factor.levels)
        texts = exact_level_texts(factor.kind, levels) if exact else factor.texts
        taken = {code_of[text] for text in texts if text in code_of}
        place = []
        for text in texts:
            code = code_of.get(text)
            key = number_key(text) if by_value and code is None else text
            if code is None and by_value and code_of_number.get(key) not in taken:
                code = code_of_number.get(key)
            if code is None:
                code, size = size, size + 1
                code_of_number.setdefault(key, code)
            code_of[text] = code
            taken.add(code)
            place.append(code)
        places.append(np.array(place, dtype=np.int64))
    return size, places


def _names(
    factors: Sequence[Factor], places: Sequence[Integers], size: int
) -> Callable[[Sequence[int] | Integers], list[str]]:
    """A function for the texts of codes, as the first table that has a level writes it."""
    named = [(factor.kind, factor.levels) for factor in factors]  # results keep this, but no rows
    first: list[Integers] = []

    def texts(codes: Sequence[int] | Integers) -> list[str]:
        if not first:  # made when a level is named, which few calls do
            for place in places:
                level_of = np.full(size + 1, -1)
                level_of[place[::-1]] = np.arange(len(place))[::-1]
                first.append(level_of)
        found = np.full(len(codes), MISSING_LABEL, dtype=object)
        left = np.arange(len(codes))
        for (kind, levels), level_of in zip(named, first):
            level = level_of[np.asarray(codes, dtype=np.int64)[left]]
            there = level >= 0
            found[left[there]] = _written(kind, levels, level[there])
            left = left[~there]
        return found.tolist()

    return texts


def _written(kind: Kind, levels: Any, chosen: Integers) -> list[str]:
    """The texts of chosen levels; times are written in one format, which depends on all of them."""
    if kind == "time":
        levels = level_texts(kind, np.asarray(levels))
    if kind == "time" or kind in TEXTS:
        return [str(levels[level]) for level in chosen.tolist()]
    return exact_level_texts(kind, np.asarray(levels)[chosen])
