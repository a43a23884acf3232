"""How columns of several tables become codes: equal values get equal codes, whatever their type in
each table.

There are three ways. Whole numbers in a narrow range *are* the codes, apart from a shift, and
nothing is copied. Other numbers are looked up among the distinct ones, with special care where they
are too long for a double. Factors and texts, and everything beside them, are matched by text
(`coding_by_text`), numbers among them by value (`numerals`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from ..r.text import double_text
from .arrays import Floats, Integers, Values, distinct_values
from .coding_by_text import by_text, same_factor
from .columns import Column, Kind
from .levels import (
    CORRECT,
    DAY,
    TEXT_OF,
    UNKNOWN,
    Coder,
    LevelRules,
    Namer,
    Variable,
    fill_gaps,
    level_texts,
    list_namer,
    missing_flags,
    told_apart,
)
from .numerals import Number, exact_number, exact_text

WHOLE_DOUBLES = 1e15  # below this, doubles that are whole numbers all have different texts
NUMBERS: set[Kind] = {"integer", "double"}
DOUBLES: list[set[Kind]] = [{"double"}, NUMBERS]
WRITTEN_OUT = 100_000  # below this, R writes whole numbers as digits, never as 1e+05
SHORT_RANGE = 1024  # a range that is never too long for codes, however few the records


def encode(name: str, columns: Sequence[Column], rules: LevelRules = CORRECT) -> Variable:
    """Code a variable over all tables.

    Examples
    --------
    >>> import numpy as np
    >>> original, synthetic = (Column("integer", np.array(v)) for v in ([5, 7, 5], [7, 9, 9]))
    >>> variable = encode("x", [original, synthetic])
    >>> [(codes - variable.shift).tolist() for codes in variable.codes], variable.texts()
    ([[0, 2, 0], [2, 4, 4]], ['5', '6', '7', '8', '9'])
    """
    kinds = {column.kind for column in columns}
    if kinds == {"date", "time"}:
        return _one_clock(name, columns, rules)
    # often the tables already agree: nothing is looked up
    if kinds == {"factor"} and len({column.labels for column in columns}) == 1:
        return same_factor(name, columns, rules)
    # R matches by text, and writes 100000 as 1e+05 where it is a double (D15)
    if rules.numbers_by_text and len(kinds) != 1:
        return by_text(name, columns, rules)
    narrow = _narrow_range(columns, kinds)
    if narrow is not None:
        return _shifted(name, columns, narrow, rules)
    as_doubles = rules.long_numbers_cut or rules.exact_numbers
    if kinds in DOUBLES and not as_doubles and has_long_numbers(columns):
        return _exactly_looked_up(name, columns, rules)
    all_of_one_kind = len(kinds) == 1 and not columns[0].is_text
    if kinds <= NUMBERS or all_of_one_kind:
        return _looked_up(name, columns, rules)
    return by_text(name, columns, rules)


def _one_clock(name: str, columns: Sequence[Column], rules: LevelRules) -> Variable:
    """Dates beside times are times at midnight."""
    variable = encode(name, [_as_times(column) for column in columns], rules)
    recode = variable.recode
    return replace(variable, recode=lambda column: recode(_as_times(column)))


def _as_times(column: Column) -> Column:
    if column.kind == "time":
        return column
    return replace(column, kind="time", values=column.values * DAY)


@dataclass(frozen=True, slots=True)
class _Range:
    """Whole numbers from low to high."""

    low: int
    high: int

    @property
    def size(self) -> int:
        return self.high - self.low + 1


def _narrow_range(columns: Sequence[Column], kinds: set[Kind]) -> _Range | None:
    """The range of the values when all are whole numbers and it is short beside the data; None
    otherwise.
    """
    # times are whole numbers too, but in nanoseconds, where no range is narrow
    may_be_whole = kinds <= NUMBERS or kinds in ({"logical"}, {"date"})
    if not may_be_whole:
        return None
    low, high = np.inf, -np.inf
    for column in columns:
        if not column.has_values:
            continue
        values = column.present()
        lowest, highest = values.min(), values.max()
        if column.kind == "double" and not _all_whole(values, lowest, highest):
            return None
        low = min(low, int(lowest))
        high = max(high, int(highest))
    if low > high:  # no values at all
        return _Range(0, 0)
    records = sum(len(column) for column in columns)
    # every number of the range gets a code, and tables of counts are as long as the codes
    if high - low < max(SHORT_RANGE, 4 * records):
        return _Range(int(low), int(high))
    return None


def _all_whole(values: Floats, lowest: float, highest: float) -> bool:
    """Whether doubles are whole numbers, none so large that two of them would have one text."""
    if not max(abs(lowest), abs(highest)) < WHOLE_DOUBLES:
        return False
    return bool((np.trunc(values) == values).all())


def _shifted(name: str, columns: Sequence[Column], narrow: _Range, rules: LevelRules) -> Variable:
    """Whole numbers in a narrow range, used as they are."""
    low, size = narrow.low, narrow.size
    kind = columns[0].kind
    has_missing = missing_flags(columns)
    missing_code = size if any(has_missing) else None
    # the values stay unshifted, so that the array of the data frame itself can serve
    codes = [_whole(column, low + size) for column in columns]

    def recode(column: Column) -> np.ndarray:
        codes = _whole(column, low).astype(np.int64) - low
        known = (codes >= 0) & (codes < size)
        if column.kind == "double":
            # the first table has whole numbers only; without this, 1.5 would be truncated to one of
            # them
            known &= np.where(known, codes + low, 0) == column.values
        return fill_gaps(np.where(known, codes, UNKNOWN), column.missing, missing_code)

    return Variable(
        name=name,
        size=size + any(has_missing),
        codes=tuple(codes),
        shift=low,
        missing_code=missing_code,
        declared=_ascending(size, columns),
        keeps_unused=(False,) * len(columns),
        has_missing=has_missing,
        name_codes=_whole_number_namer(kind, low, missing_code, rules.missing_label),
        numeric=kind in NUMBERS,
        whole=kind in NUMBERS,
        recode=recode,
    )


def _whole_number_namer(
    kind: Kind, low: int, missing_code: int | None, missing_label: str
) -> Namer:
    """Names codes that are whole numbers (or days, or truth values) minus `low`, one by one: the
    range may be long and few of its levels shown.
    """
    text_of = _whole_double_text if kind == "double" else TEXT_OF[kind]

    def name_codes(codes: Integers) -> list[str]:
        numbers = np.asarray(codes).tolist()
        return [missing_label if code == missing_code else text_of(code + low) for code in numbers]

    return name_codes


def _whole_double_text(number: int) -> str:
    # below this, no number needs to be tried
    if -WRITTEN_OUT < number < WRITTEN_OUT:
        return str(number)
    return double_text(float(number))


def _whole(column: Column, missing: int) -> Integers:
    """The values of a column of whole numbers as integers, with a number for missing ones."""
    if column.kind != "double":
        return fill_gaps(column.values, column.missing, missing)
    values = column.values
    if column.missing is not None:
        values = np.where(column.missing, missing, values)
    return values.astype(np.int64)


def _ascending(size: int, columns: Sequence[Column]) -> tuple[Integers, ...]:
    """Codes in the order of the values, for each table."""
    return tuple(np.arange(size) for _ in columns)


@dataclass(frozen=True, slots=True, eq=False)
class _Lookup:
    """Codes of distinct numbers.

    A number and its form with 15 digits share a code, so the number as it is must be found first
    and its level second.

    Attributes
    ----------
    numbers : as they are in the tables, ascending, shape (d,).
    codes : the code of each, shape (d,).
    real : they are doubles, whatever the type in a table.
    """

    numbers: Values
    codes: Integers
    real: bool

    def of_own(self, column: Column) -> Integers:
        """Codes of a column whose values are all among the numbers; missing values get any code."""
        values = _as_numbers(column, self.real)
        if not len(self.numbers):
            return np.zeros(len(values), np.int64)
        positions = np.searchsorted(self.numbers, values)
        return self.codes[np.minimum(positions, len(self.numbers) - 1)]

    def of_any(self, column: Column) -> Integers:
        """Codes of any column of the same kind; unknown where a number is not among them."""
        values = _as_numbers(column, self.real)
        if not len(self.numbers):
            return np.full(len(values), UNKNOWN)
        positions = np.searchsorted(self.numbers, values)
        positions[positions == len(self.numbers)] = 0
        known = self.numbers[positions] == values
        return np.where(known, self.codes[positions], UNKNOWN)


def _as_numbers(column: Column, real: bool) -> Values:
    return column.values.astype(np.float64) if real else column.values


def _looked_up(name: str, columns: Sequence[Column], rules: LevelRules) -> Variable:
    """Numbers looked up among the distinct ones."""
    kind = columns[0].kind
    # 1 and 1.0 are one value, so integers beside doubles are doubles
    real = any(column.kind == "double" for column in columns)
    numbers = _distinct(columns, real)
    forms = _forms(numbers, rules) if real else numbers
    levels = distinct_values(forms)
    size = len(levels)
    lookup = _Lookup(numbers, np.searchsorted(levels, forms), real)
    missing_code = size if any(missing_flags(columns)) else None
    codes = [fill_gaps(lookup.of_own(column), column.missing, size) for column in columns]

    def make_texts() -> list[str]:
        # made only on demand: texts of many doubles take longer than counting them
        if real and kind == "integer":
            texts = _texts_beside_doubles(levels)
        else:
            texts = level_texts(kind, levels)
        if real and rules.exact_numbers:
            texts = told_apart(texts, levels)
        return [*texts, rules.missing_label]

    def recode(column: Column) -> np.ndarray:
        return fill_gaps(lookup.of_any(column), column.missing, missing_code)

    return _of_looked_up(
        name=name, columns=columns, size=size, codes=codes, make_texts=make_texts, recode=recode
    )


def _texts_beside_doubles(levels: Floats) -> list[str]:
    """The texts of numbers that are whole ones in the first table, but not all in the others."""
    kinds: list[Kind] = ["integer" if value.is_integer() else "double" for value in levels.tolist()]
    return [TEXT_OF[kind](value) for kind, value in zip(kinds, levels.tolist())]


def _of_looked_up(
    *,
    name: str,
    columns: Sequence[Column],
    size: int,
    codes: Sequence[Integers],
    make_texts: Callable[[], list[str]],
    recode: Coder,
) -> Variable:
    """A variable of `size` levels in ascending order; missing values come after them."""
    has_missing = missing_flags(columns)
    return Variable(
        name=name,
        size=size + any(has_missing),
        codes=tuple(codes),
        shift=0,
        missing_code=size if any(has_missing) else None,
        declared=_ascending(size, columns),
        keeps_unused=(False,) * len(columns),
        has_missing=has_missing,
        name_codes=list_namer(make_texts),
        numeric=columns[0].is_number,
        recode=recode,
    )


def has_long_numbers(columns: Sequence[Column]) -> bool:
    """Whether there are whole numbers of which a double, or its text, may lose digits."""
    for column in columns:
        # what stands for a missing value is no long number, so nothing need be taken out
        values = column.values
        if column.is_number and ((values >= WHOLE_DOUBLES) | (values <= -WHOLE_DOUBLES)).any():
            return True
    return False


def written_alike(columns: Sequence[Column]) -> bool:
    """Whether R writes some whole number as another one: 1e17 + 16 as 1e+17."""
    beside_doubles = any(column.kind == "double" for column in columns)
    if not beside_doubles or not has_long_numbers(columns):
        return False
    for column in columns:
        if column.is_number:
            values = distinct_values(column.present())
            long = values[np.abs(values.astype(np.float64)) >= WHOLE_DOUBLES]
            if any(float(double_text(float(value))) != value for value in long.tolist()):
                return True
    return False


def _exactly_looked_up(name: str, columns: Sequence[Column], rules: LevelRules) -> Variable:
    """Numbers, some too long for a double. Each is compared exactly, because two identity numbers
    of 17 digits become one as doubles.
    """
    distinct = {}
    for real in (False, True):
        alike = [column for column in columns if (column.kind == "double") is real]
        if alike:
            numbers = _distinct(alike, real)
            distinct[real] = (numbers, [exact_number(value) for value in numbers.tolist()])
    levels = sorted({number for _, exact in distinct.values() for number in exact})
    code_of = {number: code for code, number in enumerate(levels)}
    lookups = {}
    for real, (numbers, exact) in distinct.items():
        codes_of_numbers = np.array([code_of[number] for number in exact], dtype=np.int64)
        lookups[real] = _Lookup(numbers, codes_of_numbers, real)
    size = len(levels)
    missing_code = size if any(missing_flags(columns)) else None
    codes = []
    for column in columns:
        of_column = lookups[column.kind == "double"].of_own(column)
        codes.append(fill_gaps(of_column, column.missing, size))
    kind = columns[0].kind

    def make_texts() -> list[str]:
        return [*(_exact_text(kind, number) for number in levels), rules.missing_label]

    def recode(column: Column) -> np.ndarray:
        lookup = lookups.get(column.kind == "double")
        if lookup is None:
            return np.full(len(column), UNKNOWN)
        return fill_gaps(lookup.of_any(column), column.missing, missing_code)

    return _of_looked_up(
        name=name, columns=columns, size=size, codes=codes, make_texts=make_texts, recode=recode
    )


def _exact_text(kind: Kind, number: Number) -> str:
    if kind == "integer" and isinstance(number, int):
        return str(number)
    return exact_text(double_text(float(number)), number)


def _distinct(columns: Sequence[Column], real: bool) -> Values:
    """The numbers that occur in any of the tables, ascending."""
    distinct = []
    for column in columns:
        values = _as_numbers(column, real)
        if column.missing is not None:
            values = values[~column.missing]
        # table by table, to avoid a copy of all values together
        distinct.append(distinct_values(values))
    return distinct_values(np.concatenate(distinct))


def _forms(numbers: Floats, rules: LevelRules) -> Floats:
    """The value a double counts as. Two fractions that R writes alike, with 15 significant digits,
    are one level unless the rules ask for exact numbers. -0 is 0.
    """
    forms = numbers + 0.0
    if rules.exact_numbers:
        return forms
    # whole numbers below 1e15 have at most 15 digits, and nothing to lose
    has_fraction = np.trunc(numbers) != numbers
    more_digits = np.flatnonzero(has_fraction | (np.abs(numbers) >= WHOLE_DOUBLES))
    forms[more_digits] = [float(double_text(number)) for number in numbers[more_digits].tolist()]
    return forms
