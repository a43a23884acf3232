"""Who is nearest to each target: the records whose match probability is the highest, or so near to
it that only exact arithmetic can tell.

A record's probability for a target depends only on the sets in which it matches. Records that match
in the same sets are counted together.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ..core.arrays import Flags, Floats, Integers
from .counting import BLOCK, Entries, blocks, expanded, pairs

__all__ = ["Leaders", "leaders", "together"]

NEAR = 1e-9  # sums of a few hundred fractions are rounded by less than 1e-13 of their size
WORD = 64
Words = npt.NDArray[np.uint64]  # rows of bits


@dataclass(frozen=True, slots=True)
class Leaders:
    """Candidates for the highest probability.

    Attributes
    ----------
    target : int64, shape (R,), ascending. bits : bool, shape (R, sets): the sets in which these
        records match and that give probability.
    count : int64, shape (R,): how many records.
    """

    target: Integers
    bits: Flags
    count: Integers


def leaders(entries: Entries, counts: Integers, worth: Floats) -> Leaders:
    """Records at or near the highest sum of `worth` (float64, shape (G, sets)) over the sets in
    which they match; `counts` are the matches, shape (G, sets).
    """
    if entries.sets == 1:
        target = np.flatnonzero((counts[:, 0] > 0) & (worth[:, 0] > 0))
        return Leaders(target, np.ones((len(target), 1), dtype=bool), counts[target, 0])
    if entries.direct and not entries.points:
        starts = np.bincount(entries.lo, minlength=entries.targets)[: entries.targets]
        parts = [
            _from_ranges(entries.within(*ends), ends, worth)
            for ends in blocks(starts, max(BLOCK * 8 // entries.sets, 1))
        ]
    else:
        parts = [_from_pairs(entries.within(*ends), worth) for ends in blocks(entries.reached())]
    return together(parts, entries.sets)


def together(parts: Sequence[Leaders], sets: int) -> Leaders:
    """Leaders of different targets as one list."""
    if not parts:
        return Leaders(
            np.zeros(0, dtype=np.int64),
            np.zeros((0, sets), dtype=bool),
            np.zeros(0, dtype=np.int64),
        )
    return Leaders(
        *(np.concatenate([getattr(p, name) for p in parts]) for name in ("target", "bits", "count"))
    )


# ---- from pairs of record and target -------------------------------------------------


def _from_pairs(entries: Entries, worth: Floats) -> Leaders:
    target, record, number = pairs(entries)
    if not len(target):
        return together([], entries.sets)
    code = target * (int(record.max()) + 1) + record
    order = np.argsort(code, kind="stable")
    target, number, code = target[order], number[order], code[order]
    first = np.append(True, code[1:] != code[:-1])
    rows = np.flatnonzero(first)
    value = np.add.reduceat(worth[target, number], rows)
    near = _near_the_top(target[rows], value)
    row = np.cumsum(first) - 1
    place = np.cumsum(near) - 1
    kept = near[row]
    bits = np.zeros((int(near.sum()), entries.sets), dtype=bool)
    bits[place[row[kept]], number[kept]] = True
    return _counted_together(target[rows][near], bits, np.ones(len(bits), dtype=np.int64), worth)


def _near_the_top(target: Integers, value: Floats) -> Flags:
    """Rows whose value is not clearly below the highest of their target; targets are in ascending
    order.
    """
    begins = np.append(True, target[1:] != target[:-1])
    top = np.maximum.reduceat(value, np.flatnonzero(begins))[np.cumsum(begins) - 1]
    near: Flags = (value > 0) & (value >= top * (1 - NEAR))
    return near


def _counted_together(target: Integers, bits: Flags, count: Integers, worth: Floats) -> Leaders:
    """Rows of one target that match in the same sets (those that give probability) as one row."""
    bits = bits & (worth[target] > 0)
    words = _words(bits)
    order = np.lexsort((*words.T, target))
    target, words = target[order], words[order]
    first = np.ones(len(order), dtype=bool)
    first[1:] = (target[1:] != target[:-1]) | (words[1:] != words[:-1]).any(axis=1)
    rows = np.flatnonzero(first)
    total = np.add.reduceat(count[order], rows) if len(rows) else count
    return Leaders(target[rows], bits[order[rows]], total)


def _words(bits: Flags) -> Words:
    """Rows of bits packed into 64-bit words."""
    packed = np.packbits(bits, axis=1)
    padded = np.zeros((len(bits), -(-packed.shape[1] // 8) * 8), dtype=np.uint8)
    padded[:, : packed.shape[1]] = packed
    return padded.view(np.uint64)


# ---- from ranges of targets ----------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Runs:
    """`count` records match the targets start..stop - 1 in exactly the sets `bits[kind]`."""

    kind: Integers
    start: Integers
    stop: Integers
    count: Integers
    bits: Flags


def _from_ranges(entries: Entries, ends: tuple[int, int], worth: Floats) -> Leaders:
    runs = _runs(*_segments(entries), entries)
    covered = np.bincount(runs.start, minlength=entries.targets + 1) - np.bincount(
        runs.stop, minlength=entries.targets + 1
    )
    parts = []
    for start, stop in blocks(
        np.cumsum(covered)[ends[0] : ends[1]], max(BLOCK * 8 // entries.sets, 1)
    ):
        start, stop = start + ends[0], stop + ends[0]
        here = (runs.start < stop) & (runs.stop > start)
        target, at = expanded(
            np.maximum(runs.start[here], start), np.minimum(runs.stop[here], stop)
        )
        order = np.argsort(target, kind="stable")
        target, at = target[order], np.flatnonzero(here)[at[order]]
        if not len(target):
            continue
        value = np.einsum("rs,rs->r", runs.bits[runs.kind[at]], worth[target])
        near = _near_the_top(target, value)
        parts.append(
            _counted_together(
                target[near], runs.bits[runs.kind[at[near]]], runs.count[at[near]], worth
            )
        )
    return together(parts, entries.sets)


def _segments(entries: Entries) -> tuple[Integers, Integers, Words]:
    """Stretches of targets over which a record matches in the same sets: (start, stop, sets as
    words of 64 bits).
    """
    position = np.concatenate([entries.lo, entries.hi])
    record, number = np.tile(entries.record, 2), np.tile(entries.set, 2)
    order = np.argsort(record * (entries.targets + 1) + position, kind="stable")
    position, record, number = position[order], record[order], number[order]
    words = np.zeros((len(order), -(-entries.sets // WORD)), dtype=np.uint64)
    words[np.arange(len(order)), number // WORD] = np.left_shift(
        np.uint64(1), (number % WORD).astype(np.uint64)
    )
    # each set is entered as often as it is left, so that nothing remains of a record when the next
    # one begins
    np.bitwise_xor.accumulate(words, axis=0, out=words)
    inside = np.flatnonzero(
        (record[1:] == record[:-1]) & (position[1:] > position[:-1]) & words[:-1].any(axis=1)
    )
    return position[inside], position[inside + 1], words[inside]


def _runs(start: Integers, stop: Integers, words: Words, entries: Entries) -> _Runs:
    """Segments with the same sets, added up."""
    kinds, kind = _kinds(words)
    room = entries.targets + 1
    order = np.argsort(
        code := np.concatenate([kind * room + start, kind * room + stop]), kind="stable"
    )
    code, step = code[order], np.where(order < len(start), 1, -1)
    if not len(code):
        nothing = np.zeros(0, dtype=np.int64)
        return _Runs(nothing, nothing, nothing, nothing, np.zeros((0, entries.sets), dtype=bool))
    rows = np.flatnonzero(np.append(True, code[1:] != code[:-1]))
    count = np.cumsum(np.add.reduceat(step, rows))[:-1]
    held = np.flatnonzero(count)
    kind, start = np.divmod(code[rows][held], room)
    return _Runs(kind, start, code[rows][held + 1] % room, count[held], _bits(kinds, entries.sets))


def _kinds(words: Words) -> tuple[Words, Integers]:
    """The distinct rows, and which of them each row is."""
    kind = np.zeros(len(words), dtype=np.int64)
    for column in words.T:
        levels, place = np.unique(column, return_inverse=True)
        kind = np.unique(kind * len(levels) + place.reshape(-1), return_inverse=True)[1].reshape(-1)
    example = np.zeros(int(kind.max(initial=-1)) + 1, dtype=np.int64)
    example[kind] = np.arange(len(kind))
    return words[example], kind


def _bits(words: Words, sets: int) -> Flags:
    number = np.arange(sets)
    return (words[:, number // WORD] >> (number % WORD).astype(np.uint64)) & np.uint64(1) > 0
