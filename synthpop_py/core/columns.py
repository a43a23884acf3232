"""A column of one table, independent of the data frame it came from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from .arrays import Flags, Values

Kind = Literal["factor", "character", "logical", "integer", "double", "date", "time", "duration"]

SINGLE = 2**24  # up to here single precision holds every whole number
NUMERIC: tuple[Kind, ...] = ("integer", "double")
TEXTS: tuple[Kind, ...] = ("factor", "character")


@dataclass(frozen=True, slots=True)
class Column:
    """Values of one variable in one table.

    Attributes
    ----------
    kind : what R would call the type; "factor" covers ordered factors too.
    values : shape (n,). For "factor" and "character" positions in `labels` (missing: any value),
        otherwise the numbers themselves: logical 0/1, dates in days, times and durations in
        nanoseconds.
    missing : bool, shape (n,), or None when nothing is missing.
    labels : texts, for "factor" in declared order and including levels that do not occur.
    number_labels : the labels of a factor were numbers, which can be written in two ways (100000,
        1e+05).
    """

    kind: Kind
    values: Values
    missing: Flags | None = None
    labels: tuple[str, ...] = ()
    number_labels: bool = False

    @property
    def is_text(self) -> bool:
        return self.kind in TEXTS

    @property
    def is_number(self) -> bool:
        return self.kind in NUMERIC

    @property
    def has_values(self) -> bool:
        """Whether any value is not missing."""
        return len(self.present()) > 0

    def __len__(self) -> int:
        return len(self.values)

    def present(self) -> Values:
        """The values that are not missing."""
        return self.values if self.missing is None else self.values[~self.missing]
