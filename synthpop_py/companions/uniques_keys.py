"""Key combinations for `replicated_uniques()`: by value, and by the texts R makes of them where
those differ.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..core.arrays import Integers, Values, distinct_values, numbered
from ..core.coding import encode, written_alike
from ..core.columns import Column
from ..core.combinations import joint_codes, number_of_distinct
from ..core.levels import LevelRules, Variable
from ..r.reading import Reading
from ..r.text import double_text, format_padded, integer_text

GLUE = "|"
ARITHMETIC = ("logical", "integer", "double")
DAY_SECONDS = 86_400
NANOSECONDS = 1_000_000_000
NO_MISSING_CODE = -1
NOBODYS_CODE = -2


@dataclass(frozen=True, slots=True)
class KeyCodes:
    """One code per record. Table 0 is the original.

    Attributes
    ----------
    codes : one array per table, shape (n_table,), from 0 to size - 1.
    missing_code : for a single key the code of missing values, where there are some.
    """

    codes: list[Integers]
    size: int
    missing_code: int = NO_MISSING_CODE
    variable: Variable | None = None

    def code_of(self, text: str) -> int:
        """The code of a single key with this text; a code that no record has if there is none."""
        assert self.variable is not None
        for code in self.variable.find(text):
            if code != self.missing_code:
                return int(code)
        return NOBODYS_CODE


def coded_keys(
    by_value: Sequence[Variable], tables: list[list[Column]], compat: Reading
) -> KeyCodes:
    """Combinations of two or more keys, given as coded under the correct reading."""
    return combined_keys(coded_variables(by_value, tables, compat), compat)


def coded_variables(
    by_value: Sequence[Variable], tables: list[list[Column]], compat: Reading
) -> list[Variable]:
    """The keys one by one; their columns need not have the same rows."""
    variables = []
    for variable, columns in zip(by_value, tables):
        cut = compat.follow_r("D48", written_alike(columns))
        variables.append(_cut(variable.name, columns) if cut else variable)
    return _as_texts(variables, tables, compat) if compat.active else variables


def combined_keys(variables: list[Variable], compat: Reading) -> KeyCodes:
    """Their combinations, as R sees them where R's result is asked for."""
    return _glued(variables, compat) if may_merge(variables, compat) else _combined(variables)


def may_merge(variables: list[Variable], compat: Reading) -> bool:
    """Whether R may glue two combinations to one text."""
    return bool(compat.active) and sum(map(_has_glue, variables)) > 1


def first_pieces(variable: Variable) -> list[str]:
    """For each code, the first piece of every text that R glues with the key in front."""
    texts = _texts(variable, np.arange(variable.size))
    return [(text + GLUE).split(GLUE)[0] for text in texts]


def _cut(name: str, columns: list[Column]) -> Variable:
    """A variable whose long numbers are cut to the digits that R writes (D48)."""
    return encode(name, columns, LevelRules(long_numbers_cut=True))


def _combined(variables: list[Variable]) -> KeyCodes:
    codes, radix = joint_codes(variables)
    return KeyCodes(codes, radix.size)


def _glued(variables: list[Variable], compat: Reading) -> KeyCodes:
    """Combinations told apart by the texts that R glues together, where some merge (D38)."""
    codes, radix = joint_codes(variables)
    distinct = distinct_values(np.concatenate(codes))
    parts = radix.components(distinct).T
    columns = [_texts(variable, part) for variable, part in zip(variables, parts)]
    numbers: dict[str, int] = {}
    number_of = np.empty(len(distinct), dtype=np.int64)
    for row, texts in enumerate(zip(*columns)):
        number_of[row] = numbers.setdefault(GLUE.join(texts), len(numbers))
    if not compat.follow_r("D38", len(numbers) < len(distinct)):
        return KeyCodes(codes, radix.size)
    glued = [number_of[np.searchsorted(distinct, table)] for table in codes]
    return KeyCodes(glued, len(numbers))


def coded_single_key(name: Hashable, columns: list[Column], compat: Reading) -> KeyCodes:
    """One key, matched by R's texts where that makes a difference (D15)."""
    cut = compat.follow_r("D48", written_alike(columns))
    variable = _cut(str(name), columns) if cut else encode(str(name), columns)
    if compat.active and _may_have_two_texts(columns):
        by_text = encode(str(name), [_plain_texts(column) for column in columns])
        if compat.follow_r("D15", not _same_matches(variable, by_text)):
            variable = by_text
    codes, radix = joint_codes([variable])
    missing_code = variable.missing_code
    return KeyCodes(
        codes=codes,
        size=radix.size,
        missing_code=NO_MISSING_CODE if missing_code is None else missing_code,
        variable=variable,
    )


def _may_have_two_texts(columns: Sequence[Column]) -> bool:
    """Whether one value may be written in two ways in these columns."""
    kinds = {column.kind for column in columns}
    if len(kinds) > 1 or columns[0].kind in ("double", "time", "duration"):
        return True
    return any(column.number_labels for column in columns)


def only_value_as_text(column: Column) -> str | None:
    """R's text of a column that it reads as one value: its value if there is only one (for a factor
    the number of its level).
    """
    if len(column) != 1:
        return None
    if column.has_missing:
        return "NA"
    value = column.values[0]
    if column.kind == "factor":
        return integer_text(int(value) + 1)
    if column.kind in ("time", "duration"):
        return double_text(float(value) / NANOSECONDS)
    if column.kind == "date":
        return double_text(float(value))
    return _plain_texts(column).labels[0]


# ---- R's texts -----------------------------------------------------------------------


def _as_texts(
    variables: list[Variable], tables: list[list[Column]], compat: Reading
) -> list[Variable]:
    """Keys matched by R's texts where that makes a difference (D36, D15), and missing values by the
    text NA (D38).
    """
    written = list(zip(*(_table_texts(columns) for columns in zip(*tables))))
    every_column = [column for columns in tables for column in columns]
    arithmetic = all(column.kind in ARITHMETIC for column in every_column)
    matched = []
    for variable, columns, texts in zip(variables, tables, written):
        taken: Sequence[Column] = columns
        if not all(_is_plain_text(column) for column in columns):
            by_text = encode(variable.name, list(texts))
            defect = "D15" if arithmetic or _has_times(columns) else "D36"
            if compat.follow_r(defect, not _same_matches(variable, by_text)):
                variable, taken = by_text, texts
        if _has_missing_and_na(columns):
            merged = encode(variable.name, list(taken), LevelRules(na_as_text=True))
            if compat.follow_r("D38", not _same_matches(variable, merged)):
                variable = merged
        matched.append(variable)
    return matched


def _is_plain_text(column: Column) -> bool:
    return column.is_text and not column.number_labels


def _has_times(columns: Sequence[Column]) -> bool:
    return any(column.kind in ("time", "duration") for column in columns)


def _has_missing_and_na(columns: Sequence[Column]) -> bool:
    """Whether missing values could be taken for a genuine text NA."""
    na = any("NA" in column.labels for column in columns)
    return na and any(column.has_missing for column in columns)


def _table_texts(columns: Sequence[Column]) -> list[Column]:
    """The columns of one table as R writes them when it makes a matrix of them."""
    kinds = {column.kind for column in columns}
    if not kinds <= set(ARITHMETIC):
        return [_formatted(column) for column in columns]
    if "double" in kinds:
        return [_named(column, _double_texts) for column in columns]
    if "integer" in kinds:
        return [_named(column, _integer_texts) for column in columns]
    return [_plain_texts(column) for column in columns]


def _formatted(column: Column) -> Column:
    """Beside text, numbers are padded to a common width and share their number of decimals."""
    if not column.is_number and column.kind != "duration":
        return _plain_texts(column)
    # a missing value is as wide as its text NA
    gap: list[Any] = [None] if column.has_missing else []

    def write(values: Values) -> list[str]:
        padded = format_padded([*_numbers(column, values), *gap])
        return padded[: len(values)]

    return _named(column, write)


def _numbers(column: Column, values: Values) -> list[int] | list[float]:
    if column.kind == "integer":
        return [int(value) for value in values]
    seconds = values / NANOSECONDS if column.kind == "duration" else values
    return [float(value) for value in seconds]


def _plain_texts(column: Column) -> Column:
    """R's text of each value on its own."""
    if column.is_text:
        return Column("character", column.values, column.missing, column.labels)
    return _named(column, WRITERS[column.kind])


def _logical_texts(values: Values) -> list[str]:
    return ["TRUE" if value else "FALSE" for value in values]


def _integer_texts(values: Values) -> list[str]:
    return [integer_text(int(value)) for value in values]


def _double_texts(values: Values) -> list[str]:
    return [double_text(float(value)) for value in values]


def _duration_texts(nanoseconds: Integers) -> list[str]:
    return [double_text(value / NANOSECONDS) for value in nanoseconds.tolist()]


def _date_texts(days: Integers) -> list[str]:
    return [str(d) for d in days.astype("datetime64[D]")]


def _time_texts(nanoseconds: Integers) -> list[str]:
    """To the second, unless the whole column is at midnight."""
    seconds = nanoseconds // NANOSECONDS
    length = 19 if (seconds % DAY_SECONDS).any() else 10
    return [str(t).replace("T", " ")[:length] for t in seconds.astype("datetime64[s]")]


WRITERS: dict[str, Callable[[Values], list[str]]] = {
    "logical": _logical_texts,
    "integer": _integer_texts,
    "double": _double_texts,
    "duration": _duration_texts,
    "date": _date_texts,
    "time": _time_texts,
}


def _named(column: Column, write: Callable[[Values], list[str]]) -> Column:
    """The column with texts for values; each distinct value is written once."""
    distinct, position = numbered(column.present())
    numbers: dict[str, int] = {}
    code_of_value = np.empty(len(distinct), dtype=np.int64)
    for i, text in enumerate(write(distinct)):
        code_of_value[i] = numbers.setdefault(text, len(numbers))
    codes = np.zeros(len(column), dtype=np.int64)
    present = slice(None) if column.missing is None else ~column.missing
    codes[present] = code_of_value[position]
    return Column("character", codes, column.missing, tuple(numbers))


def _same_matches(a: Variable, b: Variable) -> bool:
    """Whether two codings tell the same records apart."""
    first, second = _all_codes(a), _all_codes(b)
    pairs = number_of_distinct(first * b.size + second, a.size * b.size)
    if pairs != number_of_distinct(first, a.size):
        return False
    return pairs == number_of_distinct(second, b.size)


def _all_codes(variable: Variable) -> Integers:
    tables = [np.asarray(codes, dtype=np.int64) - variable.shift for codes in variable.codes]
    return np.concatenate(tables)


def _texts(variable: Variable, codes: Integers) -> list[str]:
    texts = list(variable.texts(codes))
    for position in np.flatnonzero(codes == variable.missing_code):
        texts[position] = "NA"
    return texts


def _has_glue(variable: Variable) -> bool:
    return not variable.numeric and any(GLUE in text for text in variable.texts())
