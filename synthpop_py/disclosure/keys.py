"""The key combination of every record, and what R makes of combinations (D10, D12)."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import NamedTuple

import numpy as np

from ..core.arrays import Flags, Integers, distinct_values
from ..core.combinations import Radix, compact
from ..core.levels import UNKNOWN, Namer, Variable
from ..r.reading import Reading
from .level_names import codes_named, level_text
from .options import Level, Plan

GLUE = " | "


class AskedKeys(NamedTuple):
    """What decides how keys are coded: equal for two targets whose keys can share their codes."""

    names: tuple[Hashable, ...]
    groups: tuple[int, ...]
    use_missing: tuple[bool, ...]
    defects: frozenset[str]
    tables: int
    rows: Hashable


class Renaming(NamedTuple):
    """Codes of combinations (sorted) and the codes that took their place."""

    before: Integers
    after: Integers

    def apply(self, codes: Integers) -> Integers:
        """New codes; -1 for an unknown code."""
        place = np.searchsorted(self.before, codes)
        place[place == len(self.before)] = 0
        return np.where(self.before[place] == codes, self.after[place], UNKNOWN)


@dataclass(frozen=True)  # no slots: cached properties need a place
class Keys:
    """The key combination of every record.

    Attributes
    ----------
    variables : the keys, in the order of the data's columns.
    codes : one array per table, shape (rows,): the combination's code.
    size : number of codes.
    n : for each table how many records each row stands for; None where every row is one.
    parts : for R's glued keys (D10) the texts R reads back for each combination; None when keys are
        compared one by one.
    renamed : what was done to the original's codes after they had been combined.
    """

    variables: tuple[Variable, ...]
    codes: Sequence[Integers]
    radix: Radix
    size: int
    n: tuple[Integers | None, ...]
    parts: tuple[tuple[str, ...], ...] | None = None
    renamed: tuple[Renaming, ...] = ()

    @cached_property
    def splits(self) -> tuple[bool, ...]:
        """For each key whether a label has the bar that R puts between the levels of a pair
        (numbers never do).
        """
        return tuple(contains(variable, "|") for variable in self.variables)

    def numbered_by_occurrence(self) -> Keys:
        """The same keys with codes for only the combinations that occur, in the same order."""
        if self.radix.occurring is not None:
            return self
        codes, radix = compact(self.codes, self.radix)
        return replace(self, codes=codes, radix=radix, size=radix.size)

    def component(self, combinations: Integers, i: int) -> Integers:
        """Codes of key i in given combinations."""
        return self.radix.component(combinations, i)

    def glued_levels(self, combinations: Integers) -> tuple[tuple[Namer, ...], list[Integers]]:
        """Of keys that have texts only: for each a function for the texts of its levels by number,
        and the number of its level in every given combination. Levels are numbered as they first
        occur.
        """
        namers, levels = [], []
        for i in range(len(self.variables)):
            texts = self.component_texts(combinations, i)
            names = list(dict.fromkeys(texts))
            number_of = {text: number for number, text in enumerate(names)}
            levels.append(np.array([number_of[text] for text in texts], dtype=np.int64))
            namers.append(partial(_names_at, names))
        return tuple(namers), levels

    def original_totals(
        self, i: int, texts: Sequence[str], targets: Sequence[Sequence[int]], target: Variable
    ) -> tuple[Integers, Integers]:
        """Original records whose key i has each text, and those of them with one of the target
        codes. They are counted in the column itself, because R may read a text back as another
        level, or none.
        """
        variable = self.variables[i]
        key_codes, target_codes = variable.own_codes(0), target.own_codes(0)
        with_level, with_both = [], []
        for text, wanted in zip(texts, targets):
            rows = np.isin(key_codes, variable.find(text))
            if variable.gaps_with_text is not None:
                # R glues missing values like the text NA, but does not count them with it
                rows &= ~variable.gaps_with_text
            with_level.append(self._original_records(rows))
            with_both.append(self._original_records(rows & np.isin(target_codes, wanted)))
        return np.array(with_level), np.array(with_both)

    def _original_records(self, rows: Flags) -> int:
        n = self.n[0]
        return int(rows.sum() if n is None else n[rows].sum())

    def component_texts(self, combinations: Integers, i: int) -> list[str]:
        if self.parts is not None:
            return [self.parts[q][i] for q in combinations]
        return self.variables[i].texts(self.component(combinations, i))

    def is_missing(self, combinations: Integers, i: int) -> Flags:
        """Where key i is missing, bool."""
        if self.parts is not None:
            return self._goes_by("Missing", combinations, i)
        code = self.variables[i].missing_code
        if code is None:
            return np.zeros(len(combinations), dtype=bool)
        missing: Flags = self.component(combinations, i) == code
        return missing

    def has_level(
        self, combinations: Integers, i: int, level: Level, plan: Plan, compat: Reading
    ) -> Flags:
        """Where key i has the level that the user named, bool."""
        if self.parts is not None:
            return self._goes_by(level_text(level), combinations, i)
        wanted = codes_named(self.variables[i], level, plan, compat)
        return np.isin(self.component(combinations, i), wanted)

    def _goes_by(self, text: str, combinations: Integers, i: int) -> Flags:
        """Where R reads this text back for key i, bool."""
        texts = self.component_texts(combinations, i)
        return np.array([part == text for part in texts], dtype=bool)


def _names_at(names: Sequence[str], numbers: Integers) -> list[str]:
    return [names[number] for number in numbers]


def contains(variable: Variable, mark: str) -> bool:
    """Whether the label of some level contains a mark; numbers never do."""
    return not variable.numeric and any(mark in text for text in variable.texts())


def glued(keys: Keys) -> Keys:
    """Combinations as R sees them: one text, split at every glue (D10)."""
    distinct = distinct_values(np.concatenate(keys.codes))
    texts = [GLUE.join(parts) for parts in _texts_of(keys, distinct)]
    if len(keys.variables) == 1:
        return _first_parts(keys, distinct, texts)
    names = list(dict.fromkeys(texts))
    code_of = {text: code for code, text in enumerate(names)}
    new_codes = np.array([code_of[text] for text in texts], dtype=np.int64)
    return replace(
        keys,
        codes=[new_codes[np.searchsorted(distinct, c)] for c in keys.codes],
        size=len(names),
        parts=tuple(tuple(name.split(GLUE)) for name in names),
        renamed=(*keys.renamed, Renaming(distinct, new_codes)),
    )


def _texts_of(keys: Keys, combinations: Integers) -> list[tuple[str, ...]]:
    """The texts of the keys in given combinations."""
    by_key = [keys.component_texts(combinations, i) for i in range(len(keys.variables))]
    return list(zip(*by_key))


def _first_parts(keys: Keys, distinct: Integers, texts: Sequence[str]) -> Keys:
    """A single key is not glued: its levels stay as they are, but R reads back only their first
    part.
    """
    parts = [("",)] * keys.size
    for code, text in zip(distinct.tolist(), texts):
        parts[code] = (text.split(GLUE)[0],)
    return replace(keys, parts=tuple(parts))


def overwritten(keys: Keys) -> Keys:
    """From the second synthesis on, R's original keys match nothing (D12): give later syntheses
    separate combinations.
    """
    distinct = distinct_values(np.concatenate(keys.codes))
    texts = tuple(_texts_of(keys, distinct))
    codes = [np.searchsorted(distinct, c) for c in keys.codes]
    # the original and the first synthesis still meet
    for later in codes[2:]:
        later += len(distinct)
    renaming = Renaming(distinct, np.arange(len(distinct)))
    return replace(
        keys,
        codes=codes,
        size=2 * len(distinct),
        parts=texts * 2,
        renamed=(*keys.renamed, renaming),
    )
