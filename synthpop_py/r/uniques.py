"""What R makes of keys in ``replicated.uniques``: texts in place of values, numbers of records that
it remembers, and one key that it takes for one long text.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from ..core.arrays import Flags, Integers, Values, distinct_values
from ..core.coding import encode, written_alike
from ..core.columns import Column, Kind, written_out
from ..core.combinations import joint_codes, number_of_distinct
from ..core.levels import LevelRules, Variable, level_texts
from ..errors import InputError
from ..synds import SynDS
from .reading import Reading
from .text import double_text, format_padded, integer_text

GLUE = "|"
ARITHMETIC = {"logical", "integer", "double"}
TIMES = {"date", "time", "duration"}
NANOSECONDS = 1_000_000_000
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
        return (self.n, *self.k) != (self.remembered_n, *[self.remembered_k] * len(self.k))

    @property
    def height(self) -> int:
        """The number of records that R gives each of several syntheses, to put them side by
        side: it repeats short ones, and of one key cuts long ones.
        """
        return self.remembered_k if self.one_key else self.k[0]

    @property
    def r_has_an_answer(self) -> bool:
        if len(self.k) == 1:
            return True
        fits = [self.height % k == 0 or (self.one_key and k > self.height) for k in self.k]
        return all(fits) and self.height <= self.remembered_k

    @property
    def puts_side_by_side(self) -> bool:
        return self.stale and len(self.k) > 1

    def repeated(self, n: Integers | None, rows: int, j: int) -> Integers | None:
        """The counts of the rows of synthesis j; 2 stands for any number but one."""
        twice = self.puts_side_by_side and self.height >= 2 * self.k[j]
        return np.full(rows, 2) if twice else n

    def cut(self, column: Column, n: Integers | None, j: int) -> Column:
        """The only key of synthesis j, as long as R has it."""
        if not self.puts_side_by_side or self.k[j] <= self.height:
            return column
        if n is not None:
            raise InputError(
                f"counts: R takes the first {self.height} of {self.k[j]} records of a synthesis, "
                "and counts do not say which those are; give the records themselves, one per row,"
                " or compat='corrected'"
            )
        missing = None if column.missing is None else column.missing[: self.height]
        if missing is not None and not missing.any():
            missing = None
        return replace(column, values=column.values[: self.height], missing=missing)


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


def keys_as_r(
    variables: Sequence[Variable], columns: Sequence[Sequence[Column]], reading: Reading
) -> list[Variable]:
    """Keys as coded by value, matched by R's texts where that makes a difference. `columns` has for
    each key one column per table.
    """
    written = list(zip(*map(_written, zip(*columns))))
    every_kind = {column.kind for of_key in columns for column in of_key}
    matched = []
    for variable, of_key, texts in zip(variables, columns, written):
        by_kind = every_kind <= ARITHMETIC or any(c.kind in ("time", "duration") for c in of_key)
        defect = "D15" if by_kind or len(columns) == 1 else "D36"
        matched.append(_by_text(variable, of_key, texts, defect, reading))
    return matched


def _by_text(
    variable: Variable,
    columns: Sequence[Column],
    texts: Sequence[Column],
    defect: str,
    reading: Reading,
) -> Variable:
    """A key matched by texts, if these tell other records apart than the values: numbers of many
    digits (D48), numbers written in two ways (`defect`), and missing values beside the text NA
    (D38).
    """
    name = variable.name
    if reading.follow_r("D48", written_alike(columns)):
        variable = encode(name, columns, LevelRules(long_numbers_cut=True))
    if not all(column.is_plain_text for column in columns):
        by_text = encode(name, texts)
        if reading.follow_r(defect, not _same_matches(variable, by_text)):
            variable, columns = by_text, texts
    missing = any(column.has_missing for column in columns)
    if missing and any("NA" in column.labels for column in columns):
        merged = encode(name, columns, LevelRules(na_as_text=True))
        if reading.follow_r("D38", not _same_matches(variable, merged)):
            variable = merged
    return variable


def _same_matches(a: Variable, b: Variable) -> bool:
    """Whether two codings tell the same records apart."""
    tables = range(len(a.codes))
    first, second = (np.concatenate([v.own_codes(table) for table in tables]) for v in (a, b))
    pairs = number_of_distinct(first * b.size + second, a.size * b.size)
    return pairs == number_of_distinct(first, a.size) == number_of_distinct(second, b.size)


def glued(variables: Sequence[Variable], reading: Reading) -> list[Integers]:
    """One code for each record of each table: combinations told apart by the texts that R glues
    together, where some merge (D38).
    """
    codes, radix = joint_codes(variables)
    if sum(any(GLUE in text for text in v.texts()) for v in variables if not v.numeric) < 2:
        return codes
    distinct = distinct_values(np.concatenate(codes))
    parts = radix.components(distinct).T
    columns = [_key_texts(variable, part) for variable, part in zip(variables, parts)]
    numbers: dict[str, int] = {}
    for texts in zip(*columns):
        numbers.setdefault(GLUE.join(texts), len(numbers))
    if not reading.follow_r("D38", len(numbers) < len(distinct)):
        return codes
    number_of = np.array([numbers[GLUE.join(texts)] for texts in zip(*columns)])
    return [number_of[np.searchsorted(distinct, table)] for table in codes]


def _key_texts(variable: Variable, codes: Integers) -> list[str]:
    missing = (codes == variable.missing_code).tolist()
    return ["NA" if gap else text for gap, text in zip(missing, variable.texts(codes))]


def _written(columns: Sequence[Column]) -> list[Column]:
    """The keys of one table as R writes them when it makes a matrix of them: all in the widest type
    if they are numbers; beside text, numbers are padded to a common width and share their number of
    decimals.
    """
    kinds = {column.kind for column in columns}
    if kinds <= ARITHMETIC:
        widest: Kind = next(k for k in ("double", "integer", "logical") if k in kinds)
        return [_with_texts(column, widest) for column in columns]
    if len(columns) == 1:
        return [_with_texts(column, column.kind) for column in columns]
    padded = (*ARITHMETIC - {"logical"}, "duration")
    return [_with_texts(column, column.kind, pad=column.kind in padded) for column in columns]


def _with_texts(column: Column, kind: Kind, *, pad: bool = False) -> Column:
    """The column with texts for values."""
    if column.is_text:
        return Column("character", column.values, column.missing, column.labels)
    if not pad:
        return written_out(column, lambda values: _texts(kind, values))
    gap: list[Any] = [None] if column.has_missing else []  # as wide as its text NA
    unit = NANOSECONDS if kind == "duration" else 1

    def padded(values: Values) -> list[str]:
        numbers = (values / unit if unit > 1 else values).tolist()
        return format_padded([*numbers, *gap])[: len(numbers)]

    return written_out(column, padded)


def _texts(kind: Kind, values: Values) -> list[str]:
    if kind == "time":  # to the second
        return level_texts(kind, values // NANOSECONDS * NANOSECONDS)
    if kind == "duration":
        return level_texts("double", values / NANOSECONDS)
    return level_texts(kind, values.astype(np.float64) if kind == "double" else values)


# ---- one key -------------------------------------------------------------------------


class OneKey(NamedTuple):
    """The only key of a call: its coding, columns and counts of all tables. R leaves missing values
    out, and reads a table of one column as one long text. Nothing equals that text unless the table
    has only one record (D37).
    """

    variable: Variable
    columns: Sequence[Column]
    n: Sequence[Integers | None]

    def counted(self) -> list[Integers]:
        """The counts of rows, 0 where the key is missing."""
        counts = []
        for column, n in zip(self.columns, self.n):
            ones = np.ones(len(column), dtype=np.int64) if n is None else n
            counts.append(ones if column.missing is None else np.where(column.missing, 0, ones))
        return counts

    def as_r(
        self, j: int, numbers: Sequence[int], replicated: Flags, in_original: Flags
    ) -> tuple[list[int], Flags, Flags]:
        """Numbers and marks of synthesis j, given the correct ones. With several syntheses
        replicated uniques are marked all the same.
        """
        codes = self.variable.own_codes(j)
        of_original = self._code_of_only_record(0)
        found = int(self.counted()[j][codes == of_original].sum() == 1)
        if len(self.columns) > 2:
            looked_up_as_number = self.columns[j].kind in TIMES
            replicated = replicated & (not looked_up_as_number)
            in_original = (codes == of_original) & bool(found)
        else:
            own = self._code_of_only_record(j)
            replicated = np.full(len(codes), (codes[replicated][:1] == own).any())
            in_original = np.full(len(codes), bool(found) and own == of_original)
        return [*numbers[:2], found, numbers[3]], replicated, in_original

    def _code_of_only_record(self, table: int) -> int:
        column, n = self.columns[table], self.n[table]
        if len(column) != 1 or (n is not None and n[0] != 1):
            return NOBODYS
        for code in self.variable.find(_as_one_text(column)):
            if code != self.variable.missing_code:
                return int(code)
        return NOBODYS


def _as_one_text(column: Column) -> str:
    """R's text of a column of one record: of a factor the number of its level."""
    if column.has_missing:
        return "NA"
    value = column.values[0]
    if column.kind == "factor":
        return integer_text(int(value) + 1)
    if column.kind in TIMES:
        unit = 1 if column.kind == "date" else NANOSECONDS
        return double_text(float(value) / unit)
    (text,) = _with_texts(column, column.kind).labels
    return text
