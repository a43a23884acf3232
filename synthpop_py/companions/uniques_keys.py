"""Key combinations for `replicated_uniques()`: by value, and by the texts R makes of them where
those differ.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..core.arrays import Integers, Values
from ..core.columns import Column
from ..core.crosstab import joint_codes
from ..core.levels import LevelRules, Variable, encode
from ..r.reading import Reading
from ..r.text import double_text, format_padded, integer_text

GLUE = "|"
ARITHMETIC = ("logical", "integer", "double")
DAY_SECONDS = 86_400
NANOSECONDS = 1_000_000_000


@dataclass(frozen=True, slots=True)
class Coded:
    """One code per record. Table 0 is the original.

    Attributes
    ----------
    codes : one array per table, shape (n_table,), from 0 to size - 1.
    missing_code : for a single key the code of missing values, -1 when there are none.
    """

    codes: list[Integers]
    size: int
    missing_code: int = -1
    variable: Variable | None = None

    def code_of(self, text: str) -> int:
        """The code of a single key that goes by this text, -2 if none does."""
        assert self.variable is not None
        found = [c for c in self.variable.find(text) if c != self.missing_code]
        return found[0] if found else -2


def coded_keys(names: Sequence[Hashable], tables: list[list[Column]], compat: Reading) -> Coded:
    """Combinations of two or more keys."""
    variables = [encode(str(name), columns) for name, columns in zip(names, tables)]
    if compat.active:
        variables = _as_texts(variables, tables, compat)
    codes, radix = joint_codes(variables)
    if compat.active and sum(_has_glue(v) for v in variables) > 1:
        distinct = np.unique(np.concatenate(codes))
        columns = [_texts(v, part) for v, part in zip(variables, radix.components(distinct).T)]
        place: dict[str, int] = {}
        glued = np.array(
            [place.setdefault(GLUE.join(row), len(place)) for row in zip(*columns)], dtype=np.int64
        )
        if compat.follow_r("D38", len(place) < len(distinct)):
            return Coded([glued[np.searchsorted(distinct, c)] for c in codes], len(place))
    return Coded(codes, radix.size)


def coded_single_key(name: Hashable, columns: list[Column], compat: Reading) -> Coded:
    variable = encode(str(name), columns)
    if compat.active and (
        len({c.kind for c in columns}) > 1
        or columns[0].kind in ("double", "time", "duration")
        or any(c.number_labels for c in columns)
    ):
        texts = encode(str(name), [_plain_texts(c) for c in columns])
        if compat.follow_r("D15", not _same_matches(variable, texts)):
            variable = texts
    codes, radix = joint_codes([variable])
    return Coded(
        codes, radix.size, -1 if variable.missing_code is None else variable.missing_code, variable
    )


def only_value_as_text(column: Column) -> str | None:
    """What R makes of a column when it takes it for one value: its value if there is but one (of a
    factor the number of its level).
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
    arithmetic = all(c.kind in ARITHMETIC for columns in tables for c in columns)
    out = []
    for variable, columns, texts in zip(variables, tables, written):
        used: Sequence[Column] = columns
        if any(not c.is_text or c.number_labels for c in columns):
            by_text = encode(variable.name, list(texts))
            defect = (
                "D15"
                if arithmetic or any(c.kind in ("time", "duration") for c in columns)
                else "D36"
            )
            if compat.follow_r(defect, not _same_matches(variable, by_text)):
                variable, used = by_text, texts
        if any("NA" in c.labels for c in columns) and any(c.has_missing for c in columns):
            merged = encode(variable.name, list(used), LevelRules(na_as_text=True))
            if compat.follow_r("D38", not _same_matches(variable, merged)):
                variable = merged
        out.append(variable)
    return out


def _table_texts(columns: Sequence[Column]) -> list[Column]:
    """The columns of one table as R writes them when it makes a matrix of them."""
    kinds = {c.kind for c in columns}
    if not kinds <= set(ARITHMETIC):
        return [_formatted(c) for c in columns]
    if "double" in kinds:
        return [_named(c, lambda v: [double_text(float(x)) for x in v]) for c in columns]
    if "integer" in kinds:
        return [_named(c, lambda v: [integer_text(int(x)) for x in v]) for c in columns]
    return [_plain_texts(c) for c in columns]


def _formatted(column: Column) -> Column:
    """Beside text, numbers are padded to a common width and share their number of decimals."""
    if not column.is_number and column.kind != "duration":
        return _plain_texts(column)
    gap: list[Any] = [None] if column.has_missing else []

    def write(values: Values) -> list[str]:
        if column.kind == "integer":
            return format_padded([int(v) for v in values] + gap)[: len(values)]
        numbers = values / NANOSECONDS if column.kind == "duration" else values
        return format_padded([float(v) for v in numbers] + gap)[: len(values)]

    return _named(column, write)


def _plain_texts(column: Column) -> Column:
    """R's text of each value on its own."""
    if column.is_text:
        return Column("character", column.values, column.missing, column.labels)
    if column.kind == "logical":
        return _named(column, lambda v: ["TRUE" if x else "FALSE" for x in v])
    if column.kind == "integer":
        return _named(column, lambda v: [integer_text(int(x)) for x in v])
    if column.kind == "double":
        return _named(column, lambda v: [double_text(float(x)) for x in v])
    if column.kind == "duration":
        return _named(column, lambda v: [double_text(x / NANOSECONDS) for x in v.tolist()])
    return _named(column, _date_texts if column.kind == "date" else _time_texts)


def _date_texts(days: Integers) -> list[str]:
    return [str(d) for d in days.astype("datetime64[D]")]


def _time_texts(nanoseconds: Integers) -> list[str]:
    """To the second, unless the whole column is at midnight."""
    seconds = nanoseconds // NANOSECONDS
    length = 19 if (seconds % DAY_SECONDS).any() else 10
    return [str(t).replace("T", " ")[:length] for t in seconds.astype("datetime64[s]")]


def _named(column: Column, write: Callable[[Values], list[str]]) -> Column:
    """The column with texts for values; each distinct value is written once."""
    distinct, place = np.unique(column.present(), return_inverse=True)
    numbers: dict[str, int] = {}
    own = np.array([numbers.setdefault(t, len(numbers)) for t in write(distinct)], dtype=np.int64)
    codes = np.zeros(len(column), dtype=np.int64)
    codes[slice(None) if column.missing is None else ~column.missing] = own[place.reshape(-1)]
    return Column("character", codes, column.missing, tuple(numbers))


def _same_matches(a: Variable, b: Variable) -> bool:
    """Whether two codings tell the same records apart."""
    x, y = (
        np.concatenate([np.asarray(c, dtype=np.int64) - v.shift for c in v.codes]) for v in (a, b)
    )
    pairs = len(np.unique(x * b.size + y))
    return pairs == len(np.unique(x)) == len(np.unique(y))


def _texts(variable: Variable, codes: Integers) -> list[str]:
    return [
        "NA" if code == variable.missing_code else text
        for code, text in zip(codes, variable.texts(codes))
    ]


def _has_glue(variable: Variable) -> bool:
    return not variable.numeric and any(GLUE in t for t in variable.texts())
