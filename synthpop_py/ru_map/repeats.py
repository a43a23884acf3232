"""Records that a release holds several times. A record that occurs twice is not unique, so
repetition hides risk from repU that everyone can still see.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from ..core.arrays import Integers
from ..core.coding import encode
from ..core.combinations import joint_codes
from ..core.crosstab import count
from ..tables.opening import number_of_records
from ..tables.protocol import Counted
from .candidates import Candidate

# a share of repeated records is reported from twice the original's plus five percentage points
TIMES_ORIGINAL, BEYOND_ORIGINAL = 2.0, 0.05


@dataclass(frozen=True, slots=True)
class Repeats:
    """How often records occur in a file.

    Attributes
    ----------
    times : the largest number that all records' frequencies are multiples of; 1 unless the whole
        file is repeated.
    share : of records that occur more than once.
    """

    times: int
    share: float


def repeats_in(table: Any, columns: Sequence[Hashable]) -> Repeats:
    """Repetition of whole records of a frame, or a table of an engine, as far as these columns go.

    >>> people = pd.DataFrame({"sex": ["f", "m", "f"], "age": [30, 40, 50]})
    >>> repeats_in(pd.concat([people, people]), ["sex", "age"]), repeats_in(people, ["sex"])
    (Repeats(times=2, share=1.0), Repeats(times=1, share=0.6666666666666666))
    """
    if isinstance(table, pd.DataFrame):
        try:
            records = pd.util.hash_pandas_object(table[list(columns)], index=False)
        except TypeError:  # values without a hash, such as lists
            return Repeats(1, 0.0)
        _, n = np.unique(records.to_numpy(), return_counts=True)
    else:
        n = _times_of_distinct(table.count_by(list(columns)))
    repeated = n[n > 1].sum()
    return Repeats(times=int(np.gcd.reduce(n)), share=float(repeated / n.sum()))


def _times_of_distinct(counted: Counted) -> Integers:
    """How often each distinct row occurs; the rows of an engine's answer may repeat."""
    variables = [encode(str(name), [column]) for name, column in counted.columns.items()]
    (codes,), _ = joint_codes(variables)
    distinct, place = np.unique(codes, return_inverse=True)
    return count(place.reshape(-1), counted.n, len(distinct))


@dataclass(frozen=True)
class Repetition:
    """Repetition in original and releases, each looked at once; `columns` make a record."""

    original: Any
    keys: Sequence[Hashable]
    columns: Sequence[Hashable]
    by_release: dict[str, Repeats] = field(default_factory=dict)

    def whole_file(self, candidate: Candidate) -> int:
        """How often every record of a release occurs; 1 where some occur once, or where the
        original's keys are repeated alike.
        """
        return 1 if self._keys_repeated else self._of(candidate).times

    def remarks(self, candidate: Candidate) -> list[str]:
        """What makes its uniques mean less."""
        remarks = []
        most = max(candidate.records())
        in_original = number_of_records(self.original)
        if most > in_original:
            remarks.append(
                f"has {most:,} records, the original {in_original:,}: among more records"
                " fewer are unique, which does not protect anyone, so read repU with care"
            )
        share = self._of(candidate).share
        usual = self._in_original.share
        if share > TIMES_ORIGINAL * usual + BEYOND_ORIGINAL:
            remarks.append(
                f"{100 * share:.0f} % of its records occur more than once ({100 * usual:.0f} % in"
                " the original): a repeated record is not unique for repU, but not protected"
                " either"
            )
        return remarks

    @cached_property
    def _keys_repeated(self) -> bool:
        return repeats_in(self.original, self.keys).times > 1

    @cached_property
    def _in_original(self) -> Repeats:
        return repeats_in(self.original, self.columns)

    def _of(self, candidate: Candidate) -> Repeats:
        """Its most repeated data set."""
        if candidate.name not in self.by_release:
            self.by_release[candidate.name] = self._most_repeated(candidate)
        return self.by_release[candidate.name]

    def _most_repeated(self, candidate: Candidate) -> Repeats:
        by_set = []
        for frame in candidate.sets:
            present = [name for name in self.columns if name in frame.columns]
            by_set.append(repeats_in(frame, present))
        return Repeats(
            times=max(repeats.times for repeats in by_set),
            share=max(repeats.share for repeats in by_set),
        )
