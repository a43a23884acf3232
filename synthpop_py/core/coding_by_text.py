"""Codes of factors and texts, and of any column beside them in another table. Levels are matched by
their text, as R does when it turns both sides into factors.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np

from .arrays import Integers, distinct_values
from .columns import Column
from .levels import (
    MISSING_LABEL,
    UNKNOWN,
    Coder,
    LevelRules,
    Variable,
    exact_level_texts,
    fill_gaps,
    level_texts,
    list_namer,
    missing_flags,
)
from .numerals import number_key


@dataclass(frozen=True, slots=True, eq=False)
class _Matched:
    """Levels of all tables, matched, with missing values still apart.

    Attributes
    ----------
    labels : the texts of the levels, by code.
    codes : one array per table; any code for missing values.
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
    """Levels matched by their text, and numbers beside texts by value; the original's come
    first.
    """
    by_value = numbers_meet_texts(columns) and not rules.numbers_by_text
    register = _Register(by_value)
    codes: list[Integers] = []
    declared: list[Integers | None] = []
    code_in_first: dict[str, int] = {}
    for column in columns:
        own = _own_levels(column, by_value)
        level_codes = register.enter(own)
        if not codes:
            code_in_first = dict(zip(own.texts, level_codes.tolist()))
        codes.append(_pick(level_codes, own.positions))
        # R sorts the levels it makes of texts, so they have no order of their own
        declared.append(None if column.kind == "character" else level_codes)
    matched = _Matched(
        labels=register.labels,
        codes=codes,
        declared=declared,
        recode=_coder_by_label(code_in_first, by_value),
    )
    return _variable(name, columns, matched, rules)


def numbers_meet_texts(columns: Sequence[Column]) -> bool:
    """Whether numbers of one table are compared with texts of another."""
    has_numbers = any(column.is_number or column.number_labels for column in columns)
    has_texts = any(column.is_text for column in columns)
    return has_numbers and has_texts


class _OwnLevels(NamedTuple):
    """The levels of one column, in the order of its type.

    Attributes
    ----------
    positions : of the values among the levels, shape (n,).
    texts, keys : of the levels; equal keys are one value, however it is written.
    """

    positions: Integers
    texts: list[str]
    keys: list[str]

    def named_keys(self) -> list[tuple[str, str]]:
        return list(zip(self.texts, self.keys))


@dataclass(slots=True, eq=False)
class _Register:
    """Texts in the order in which they first occur; the number of a text is its code.

    With `by_value`, 1, 1.0 and 1e0 are ways to write one number, unless one column has several of
    them, which then are levels of their own.
    """

    by_value: bool
    labels: list[str] = field(default_factory=list)
    code_of: dict[str, int] = field(default_factory=dict)
    code_of_number: dict[str, int] = field(default_factory=dict)

    def enter(self, own: _OwnLevels) -> Integers:
        """The codes of the levels of one column; new ones for texts that no column had."""
        codes = [self.code_of.get(text, UNKNOWN) for text in own.texts]
        taken = set(codes)  # levels with the same text come first
        for place, (text, key) in enumerate(own.named_keys()):
            if codes[place] == UNKNOWN:
                codes[place] = self._by_value(key, taken)
            if codes[place] == UNKNOWN:
                codes[place] = self._new(text, key)
            self.code_of[text] = codes[place]
            taken.add(codes[place])
        return np.array(codes, dtype=np.int64)

    def _by_value(self, key: str, taken: set[int]) -> int:
        code = self.code_of_number.get(key, UNKNOWN)
        return UNKNOWN if code in taken else code

    def _new(self, text: str, key: str) -> int:
        code = len(self.labels)
        self.labels.append(text)
        if self.by_value:
            self.code_of_number.setdefault(key, code)
        return code


def _own_levels(column: Column, by_value: bool) -> _OwnLevels:
    """The levels of a column; numbers are told apart by value, or as R writes them."""
    if column.is_text:
        texts = list(column.labels)
        keys = [number_key(text) for text in texts] if by_value else texts
        return _OwnLevels(column.values, texts, keys)
    distinct = distinct_values(column.present())
    if not len(distinct):
        return _OwnLevels(np.zeros(len(column), np.int64), [], [])
    write = exact_level_texts if by_value else level_texts
    texts = write(column.kind, distinct)
    level_of: dict[str, int] = {}
    levels = [level_of.setdefault(text, len(level_of)) for text in texts]
    ranks = np.searchsorted(distinct, column.values)
    # the value at a missing place can be above them all
    within = np.minimum(ranks, len(distinct) - 1)
    names = list(level_of)
    keys = [number_key(text) for text in names] if by_value else names
    return _OwnLevels(np.array(levels)[within], names, keys)


def _pick(level_codes: Integers, positions: Integers) -> Integers:
    """The codes of values by the positions of their levels, where a gap may hold a negative one."""
    if not len(level_codes):
        return np.zeros(len(positions), np.int64)
    return level_codes[np.clip(positions, 0, None)]


def _coder_by_label(code_of: dict[str, int], by_value: bool = False) -> Coder:
    """Gives codes to a column by the texts of its levels."""

    def recode(column: Column) -> np.ndarray:
        own = _own_levels(column, by_value)
        if not own.texts:
            return np.full(len(column), UNKNOWN)
        codes = [code_of.get(text, UNKNOWN) for text in own.texts]
        return _pick(np.array(codes, dtype=np.int64), own.positions)

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
    # the function below must not hold `matched`: it would keep the codes of all records alive
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
    """The code of missing values: that of the equal text where the rules join the two, otherwise a
    new one; None where nothing is missing.
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
