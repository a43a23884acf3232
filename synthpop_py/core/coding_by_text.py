"""Codes of factors and texts, and of whatever is beside them in another table: levels are matched
by their text, as R does when it makes factors of both sides.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from ..r.text import double_text
from .arrays import Integers, distinct_values
from .columns import Column
from .levels import (
    MISSING_LABEL,
    UNKNOWN,
    Coder,
    LevelRules,
    Variable,
    fill_gaps,
    level_texts,
    list_namer,
    missing_flags,
)


@dataclass(frozen=True, slots=True, eq=False)
class _Matched:
    """Levels of all tables, matched, with missing values still apart.

    Attributes
    ----------
    labels : the texts of the levels, by code.
    codes : one array per table; of missing values anything.
    declared : for each table its levels in the order of its type, None for texts.
    recode : codes of columns like the first, gaps apart.
    """

    labels: list[str]
    codes: list[Integers]
    declared: list[Integers | None]
    recode: Coder


def same_factor(name: str, columns: Sequence[Column], rules: LevelRules) -> Variable:
    """A factor that has the same levels in all tables: its codes are used as they are."""
    labels = list(columns[0].labels)
    code_of = {label: code for code, label in enumerate(labels)}
    matched = _Matched(
        labels=labels,
        codes=[column.values for column in columns],
        declared=[np.arange(len(labels)) for _ in columns],
        recode=_coder_by_label(code_of),
    )
    return _variable(name, columns, matched, rules)


def by_text(name: str, columns: Sequence[Column], rules: LevelRules) -> Variable:
    """Levels matched by their text; the original's come first."""
    numbers_too = _numbers_meet_texts(columns) and not rules.numbers_by_text
    register = _Register(numbers_too)
    codes: list[Integers] = []
    declared: list[Integers | None] = []
    code_in_first: dict[str, int] = {}
    for column in columns:
        positions, texts = _own_levels(column)
        level_codes = register.enter(texts)
        if not codes:
            code_in_first = dict(zip(texts, level_codes.tolist()))
        codes.append(_pick(level_codes, positions))
        # R sorts the levels it makes of texts, so they have no order of their own
        declared.append(None if column.kind == "character" else level_codes)
    matched = _Matched(
        labels=register.labels,
        codes=codes,
        declared=declared,
        recode=_coder_by_label(code_in_first),
    )
    return _variable(name, columns, matched, rules)


def written_in_two_ways(columns: Sequence[Column]) -> bool:
    """Whether some number is among the labels of factors in two ways.

    >>> nothing = np.array([], dtype=np.int64)
    >>> written_in_two_ways([Column("factor", nothing, labels=("1e+05", "100000"))])
    True
    """
    texts: set[str] = set()
    for column in columns:
        if column.is_text:
            texts.update(column.labels)
    numbers = {_number_key(text) for text in texts}
    return len(numbers) < len(texts)


def _numbers_meet_texts(columns: Sequence[Column]) -> bool:
    """Whether numbers of one table are compared with texts of another."""
    has_numbers = any(column.is_number or column.number_labels for column in columns)
    has_texts = any(column.is_text for column in columns)
    return has_numbers and has_texts


@dataclass(slots=True, eq=False)
class _Register:
    """Texts in the order in which they first occur; the number of a text is its code.

    With `numbers_too`, 1e+05 and 100000 are two ways to write one number, unless one column has
    both.
    """

    numbers_too: bool
    labels: list[str] = field(default_factory=list)
    code_of: dict[str, int] = field(default_factory=dict)

    def enter(self, texts: Iterable[str]) -> Integers:
        """The codes of the levels of one column; new ones for texts that no column had."""
        taken: set[int] = set()
        codes = []
        for text in texts:
            code = self._known(text)
            # a column that has both 1e+05 and 100000 means two levels by them
            if code is None or code in taken:
                code = self._new(text)
            self.code_of[text] = code
            taken.add(code)
            codes.append(code)
        return np.array(codes, dtype=np.int64)

    def _known(self, text: str) -> int | None:
        code = self.code_of.get(text)
        if code is None and self.numbers_too:
            return self.code_of.get(_number_key(text))
        return code

    def _new(self, text: str) -> int:
        code = len(self.labels)
        self.labels.append(text)
        if self.numbers_too:
            self.code_of.setdefault(_number_key(text), code)
        return code


def _number_key(text: str) -> str:
    """The same for all ways in which R writes a number; the text itself for everything else."""
    try:
        value = float(text)
    except ValueError:
        return text
    # 1.50 or 1e5 are texts that R would not write for a number, so they stay texts
    as_double = text == double_text(value)
    as_integer = value.is_integer() and text == str(int(value))
    if as_double or as_integer:
        return f"number {value!r}"
    return text


def _own_levels(column: Column) -> tuple[Integers, list[str]]:
    """Positions of a column's values among its own levels, and the texts of those, in the order of
    its type.
    """
    if column.is_text:
        return column.values, list(column.labels)
    distinct = distinct_values(column.present())
    if not len(distinct):
        return np.zeros(len(column), np.int64), []
    # numbers that R writes alike are one level
    level_of: dict[str, int] = {}
    levels = [
        level_of.setdefault(text, len(level_of)) for text in level_texts(column.kind, distinct)
    ]
    ranks = np.searchsorted(distinct, column.values)
    within = np.minimum(ranks, len(distinct) - 1)  # what stands in a gap can be above them all
    return np.array(levels)[within], list(level_of)


def _pick(level_codes: Integers, positions: Integers) -> Integers:
    """The codes of values by the positions of their levels, where a gap may hold a negative one."""
    if not len(level_codes):
        return np.zeros(len(positions), np.int64)
    return level_codes[np.clip(positions, 0, None)]


def _coder_by_label(code_of: dict[str, int]) -> Coder:
    """Gives codes to a column by the texts of its levels."""

    def recode(column: Column) -> np.ndarray:
        positions, texts = _own_levels(column)
        if not texts:
            return np.full(len(column), UNKNOWN)
        codes = [code_of.get(text, UNKNOWN) for text in texts]
        return _pick(np.array(codes, dtype=np.int64), positions)

    return recode


def _variable(
    name: str, columns: Sequence[Column], matched: _Matched, rules: LevelRules
) -> Variable:
    """A variable of matched levels, with missing values put in."""
    labels = matched.labels
    gap_code = _gap_code(labels, columns, rules)
    # missing values have a level of their own where no text shares it
    size = len(labels) + (gap_code == len(labels))
    codes = [
        fill_gaps(table_codes, column.missing, gap_code)
        for table_codes, column in zip(matched.codes, columns)
    ]
    # not `matched` itself in the function below: it would keep the codes of all records alive
    code_levels = matched.recode

    def recode(column: Column) -> np.ndarray:
        return fill_gaps(code_levels(column), column.missing, gap_code)

    variable = Variable(
        name=name,
        size=max(size, 1),
        codes=tuple(codes),
        shift=0,
        missing_code=gap_code,
        declared=tuple(matched.declared),
        keeps_unused=tuple(column.kind == "factor" for column in columns),
        has_missing=missing_flags(columns),
        name_codes=list_namer(lambda: [*labels, rules.missing_label]),
        recode=recode,
    )
    if rules.na_as_text:
        return _with_missing_as_level(variable, columns[0], labels, rules)
    return variable


def _gap_code(labels: list[str], columns: Sequence[Column], rules: LevelRules) -> int | None:
    """The code of missing values: that of the text that reads like them where the rules join the
    two, a new one otherwise, none where nothing is missing.
    """
    if rules.missing_joins_text and rules.missing_label in labels:
        return labels.index(rules.missing_label)
    if any(missing_flags(columns)):
        return len(labels)
    return None


def _with_missing_as_level(
    variable: Variable, first: Column, labels: list[str], rules: LevelRules
) -> Variable:
    """The variable where a missing value is a level like any other (D6)."""
    gap_code = variable.missing_code
    # R glues gaps and this text alike, but does not count them alike, so both must be known
    shares_text = "NA" in labels and not (rules.na_apart and gap_code is not None)
    missing_code = None
    if rules.missing_is_text and MISSING_LABEL in labels:
        missing_code = labels.index(MISSING_LABEL)
    declared = [_with_code(codes, gap_code) for codes in variable.declared]
    return replace(
        variable,
        declared=tuple(declared),
        has_missing=(False,) * len(variable.codes),
        missing_code=missing_code,
        unnamed_code=gap_code if rules.na_apart else None,
        gaps_with_text=first.missing if shares_text else None,
    )


def _with_code(declared: Integers | None, code: int | None) -> Integers | None:
    if declared is None or code is None or code in declared:
        return declared
    return np.append(declared, code)
