"""Records that a release holds several times. Whoever is there twice is not unique, so repetition
hides from repU what it leaves open to everybody.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from .candidates import Candidate

MORE_THAN_ORIGINAL = (
    2.0,
    0.05,
)  # a share of repeated records is told from twice the original's and five percentage points on


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


def repeats_in(frame: pd.DataFrame, columns: Sequence[Hashable]) -> Repeats:
    """Repetition of whole records, as far as these columns go.

    >>> people = pd.DataFrame({"sex": ["f", "m", "f"], "age": [30, 40, 50]})
    >>> repeats_in(pd.concat([people, people]), ["sex", "age"]), repeats_in(people, ["sex"])
    (Repeats(times=2, share=1.0), Repeats(times=1, share=0.6666666666666666))
    """
    try:
        records = pd.util.hash_pandas_object(frame[list(columns)], index=False).to_numpy()
    except TypeError:  # values without a hash, such as lists
        return Repeats(1, 0.0)
    _, n = np.unique(records, return_counts=True)
    return Repeats(int(np.gcd.reduce(n)), float(n[n > 1].sum() / n.sum()))


@dataclass(frozen=True, slots=True)
class Repetition:
    """Repetition in original and releases, each looked at once; `columns` make a record."""

    original: pd.DataFrame
    keys: Sequence[Hashable]
    columns: Sequence[Hashable]
    done: dict[str, Repeats] = field(default_factory=dict)

    def whole_file(self, candidate: Candidate) -> int:
        """How often every record of a release occurs; 1 where some occur once, or where the
        original's keys are repeated alike.
        """
        return 1 if repeats_in(self.original, self.keys).times > 1 else self._of(candidate).times

    def remarks(self, candidate: Candidate) -> list[str]:
        """What makes its uniques mean less."""
        told = []
        most = max(len(frame) for frame in candidate.sets)
        if most > len(self.original):
            told.append(
                f"has {most:,} records, the original {len(self.original):,}: among more records"
                " fewer are unique, which is no protection, so read repU with care"
            )
        factor, more = MORE_THAN_ORIGINAL
        share, own = self._of(candidate).share, self._own().share
        if share > factor * own + more:
            told.append(
                f"{100 * share:.0f} % of its records occur more than once ({100 * own:.0f} % in the"
                " original): whoever is repeated is not unique for repU, and not protected either"
            )
        return told

    def _own(self) -> Repeats:
        if "" not in self.done:
            self.done[""] = repeats_in(self.original, self.columns)
        return self.done[""]

    def _of(self, candidate: Candidate) -> Repeats:
        """Its most repeated data set."""
        if candidate.name not in self.done:
            each = [
                repeats_in(frame, [name for name in self.columns if name in frame.columns])
                for frame in candidate.sets
            ]
            self.done[candidate.name] = Repeats(
                max(r.times for r in each), max(r.share for r in each)
            )
        return self.done[candidate.name]
