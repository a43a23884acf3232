"""Work that grows with the square of the records: told beforehand, shown as it goes on, refused
where it would not end.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..core.arrays import Integers
from ..errors import InputError, SlowWarning, warn
from ..progress import Progress
from .reach import blocks

__all__ = ["MOST_PAIRS", "announce", "told_blocks"]

MOST_PAIRS = 10_000_000_000  # at five to ten million a second, half an hour
LONG = 50_000_000  # pairs from which on somebody waits, some seconds


def announce(pairs: int, most_pairs: int) -> None:
    """Refuse to look at more pairs than the user allows; tell them of many."""
    if pairs > most_pairs:
        raise InputError(
            f"most_pairs: {pairs:,} pairs of a target and a record would have to be looked at one"
            f" by one, more than most_pairs={most_pairs:,}; add a key that must agree exactly,"
            " narrow the intervals or the distance, release fewer sets, or raise most_pairs"
        )
    if pairs >= LONG:
        warn(
            f"identification_risk() looks at {pairs:,} pairs of a target and a record one by one;"
            " this will take long. A key that must agree exactly, narrower intervals or fewer sets"
            " make them fewer",
            SlowWarning,
        )


def told_blocks(work: Integers, most_pairs: int) -> Iterator[tuple[int, int]]:
    """Stretches of targets with some millions of pairs; `work` are the pairs of each target."""
    total = int(work.sum())
    announce(total, most_pairs)
    done = 0
    with Progress(total, show=True) as progress:
        for start, stop in blocks(work):
            progress.reach(done, "pairs of a target and a record")
            yield start, stop
            done += int(work[start:stop].sum())
