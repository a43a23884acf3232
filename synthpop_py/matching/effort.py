"""Work that grows with the square of the records: announced beforehand, shown as it proceeds,
refused if it would never finish.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..core.arrays import Integers
from ..errors import InputError, SlowWarning, warn
from ..progress import Progress
from .reach import blocks

__all__ = ["MOST_PAIRS", "announce", "told_blocks"]

MOST_PAIRS = 10_000_000_000  # half an hour, at five to ten million per second
LONG = 50_000_000  # pairs that take some seconds


def announce(pairs: int, most_pairs: int) -> None:
    """Refuse to check more pairs than the user allows; warn of many."""
    if pairs > most_pairs:
        raise InputError(
            f"most_pairs: {pairs:,} pairs of a target and a record would have to be checked "
            f"one by one, more than most_pairs={most_pairs:,}; add a key that must agree "
            "exactly, narrow the intervals or the distance, release fewer sets, or raise "
            "most_pairs"
        )
    if pairs >= LONG:
        warn(
            f"identification_risk() checks {pairs:,} pairs of a target and a record one by "
            "one; this will take long. A key that must agree exactly, narrower intervals or "
            "fewer sets reduce their number",
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
