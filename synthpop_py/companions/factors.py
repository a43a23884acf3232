"""A categorical column as R has it: codes and levels; one level may stand for missing."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from ..core.arrays import Flags, Integers, Values
from ..tables.reading import read_column

NA_TEXT = "NA"


@dataclass(frozen=True, slots=True)
class Factor:
    """A factor: a code for each record (-1 missing) and its levels; the level None is R's explicit
    NA level.
    """

    codes: Integers
    levels: tuple[str | None, ...]

    def counts(self) -> Integers:
        """Records of each level."""
        return np.bincount(self.codes[self.codes >= 0], minlength=len(self.levels))

    def recoded(self, new_codes: Sequence[int] | Integers, levels: Sequence[str | None]) -> Factor:
        """Other levels, with the new code of each old one. Missing stays missing."""
        code_of = np.append(new_codes, -1)
        return Factor(code_of[self.codes], tuple(levels))

    def renamed(self, names: Sequence[str | None]) -> Factor:
        """New names for the levels; levels with the same name become one, in the place of the
        first.
        """
        codes = {name: code for code, name in enumerate(dict.fromkeys(names))}
        return self.recoded([codes[name] for name in names], list(codes))

    def lumped(self, keep: Flags, label: str) -> Factor:
        """All levels not kept become one, which goes last."""
        if keep.all():
            return self
        lumped = self.renamed([name if k else label for name, k in zip(self.levels, keep)])
        others = [name for name in lumped.levels if name != label]
        levels = [*others, label]
        codes = {name: code for code, name in enumerate(levels)}
        return lumped.recoded([codes[name] for name in lumped.levels], levels)

    def texts(self, where: Integers | Flags) -> list[str]:
        """The names of some levels."""
        return [_text(self.levels[code]) for code in np.flatnonzero(where)]

    def counted(self) -> list[tuple[str | None, int]]:
        """Levels that occur, with their numbers of records."""
        return [(level, int(n)) for level, n in zip(self.levels, self.counts()) if n]

    def same_as(self, other: Factor) -> bool:
        """Whether every record has the same level by name, and the levels have the same order."""
        if self.counted() != other.counted():
            return False
        return bool((self._names() == other._names()).all())

    def _names(self) -> Values:
        """The name of each record's level."""
        return np.array([*self.levels, None], dtype=object)[self.codes]

    def described(self) -> str:
        return ", ".join(f"{_text(level)} {n}" for level, n in self.counted())


def _text(level: str | None) -> str:
    return NA_TEXT if level is None else level


def read_factor(data: pd.DataFrame, name: Hashable, add_na: bool) -> Factor:
    """A categorical column; with `add_na` missing is a level."""
    column = read_column(data[name], f"data, column {name!r}")
    codes = np.asarray(column.values, dtype=np.int64)
    if not add_na:
        return Factor(codes, column.labels)
    na_code = len(column.labels)
    return Factor(np.where(codes < 0, na_code, codes), (*column.labels, None))


def written(factor: Factor, like: pd.Series) -> pd.Series:
    """As a pandas column; the explicit NA level becomes ordinary missing."""
    names = [level for level in factor.levels if level is not None]
    code_of = {name: code for code, name in enumerate(names)}
    new_codes = [-1 if level is None else code_of[level] for level in factor.levels]
    values = pd.Categorical.from_codes(
        factor.recoded(new_codes, names).codes,
        pd.Index(names, dtype=object),
        ordered=bool(like.dtype.ordered),
    )
    return pd.Series(values, index=like.index)
