"""Work that grows with the square of the records: announced beforehand, shown as it proceeds,
refused if it would never finish.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..core.arrays import Integers
from ..errors import InputError, SlowWarning, warn
from ..progress import Progress
from .reach import blocks

__all__ = ["MOST_PAIRS", "announce", "announce_statements", "told_blocks"]

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


def announce_statements(groups: int, records: int, most_pairs: int) -> None:
    """The same for groups of targets with different statements, each compared with all records."""
    looks = groups * records
    if looks > most_pairs:
        raise InputError(
            f"most_pairs: the targets are known in {groups:,} different ways, so that {looks:,}"
            f" records would have to be checked, more than most_pairs={most_pairs:,}; use fewer"
            " different sets and ends (rounded ends, say), coarsen the key instead, or raise"
            " most_pairs"
        )
    if looks >= LONG:
        warn(
            f"identification_risk() compares {groups:,} groups of targets with {records:,} records"
            " each, because so many different sets and ends are known; this will take long. Fewer"
            " different ones (rounded ends, say), or a coarsened key, reduce their number",
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
