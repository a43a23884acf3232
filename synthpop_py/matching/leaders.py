"""The leaders for each target: the records with the highest match probability, or so close to it
that only exact arithmetic can decide.

A record's probability for a target depends only on the sets in which it matches. Records that match
in the same sets are counted together.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ..core.arrays import Flags, Floats, Integers
from ..progress import Progress
from .boxes import Space, space_of
from .combinations import cost_of_combinations, leaders_by_combination, matching_everywhere
from .effort import announce, told_blocks
from .leader_rows import NEAR, Leaders, all_leaders
from .reach import BLOCK, Entries, blocks, covered, expanded, pairs
from .targets import new_values

__all__ = ["leaders"]

WORD = 64
Words = npt.NDArray[np.uint64]  # rows of bits


def leaders(entries: Entries, counts: Integers, worth: Floats) -> Leaders:
    """Records at or near the highest sum of `worth` (float64, shape (G, sets)) over the sets in
    which they match; `counts` are the matches, shape (G, sets).
    """
    if entries.sets == 1:
        return _in_one_set(counts[:, 0], worth[:, 0])
    if entries.direct and not entries.points:
        return _from_all_ranges(entries, worth)
    space = space_of(entries)
    if space is not None and space.cost < entries.reached().sum():
        return _from_boxes(space, worth)
    return _from_all_pairs(entries, worth)


def _from_all_ranges(entries: Entries, worth: Floats) -> Leaders:
    """For ranges that hold many targets each: listing their pairs would waste memory."""
    starts = np.bincount(entries.lo, minlength=entries.targets)[: entries.targets]
    parts = []
    with Progress(entries.targets, show=True) as progress:
        for first, last in blocks(starts, _most_rows(entries.sets)):
            within = entries.within(first, last)
            runs = _runs(_segments(within), within)
            work = covered(runs.start, runs.stop, entries.targets)[first:last]
            if first == 0:
                # the first block stands for all
                announce(int(work.sum() / last * entries.targets), entries.most_pairs)
            for start, stop in blocks(work, _most_rows(entries.sets)):
                progress.reach(start + first, "targets")
                parts.append(_among_runs(runs, start + first, stop + first, worth))
    return all_leaders(parts, entries.sets)


def _from_all_pairs(entries: Entries, worth: Floats) -> Leaders:
    parts = []
    for ends in _stretches(entries):
        parts.append(_from_pairs(entries.within(*ends), worth))
    return all_leaders(parts, entries.sets)


def _stretches(entries: Entries) -> Iterator[tuple[int, int]]:
    """Stretches of targets, a block of pairs each."""
    reached = entries.reached()
    # where every range is one target there are no more pairs than records
    if entries.points:
        return blocks(reached)
    return told_blocks(reached, entries.most_pairs)


def _from_boxes(space: Space, worth: Floats) -> Leaders:
    """A record that matches in every set leads. If none does, records with some combination of sets
    lead.
    """
    everywhere = np.where((worth > 0).all(axis=1), matching_everywhere(space), 0)
    led = np.flatnonzero(everywhere)
    in_all_sets = np.ones((len(led), space.entries.sets), dtype=bool)
    decided = Leaders(led, in_all_sets, everywhere[led])
    others = np.flatnonzero(everywhere == 0)
    undecided = _from_combinations(space.entries.among(everywhere == 0), worth[others])
    both = [decided, undecided.renumbered(others)]
    return all_leaders(both, space.entries.sets).in_order()


def _from_combinations(entries: Entries, worth: Floats) -> Leaders:
    """By combination or by pairs, whichever takes less time."""
    space = space_of(entries)
    if space is not None:
        cost = cost_of_combinations(space)
        if cost is not None and cost < entries.reached().sum():
            announce(cost, entries.most_pairs)
            return leaders_by_combination(space, worth)
    return _from_all_pairs(entries, worth)


def _in_one_set(counts: Integers, worth: Floats) -> Leaders:
    """Where there is one set, all that match lead."""
    target = np.flatnonzero((counts > 0) & (worth > 0))
    bits = np.ones((len(target), 1), dtype=bool)
    return Leaders(target, bits, counts[target])


def _most_rows(sets: int) -> int:
    """Rows of bits, one for each set, held at once."""
    return max(BLOCK * 8 // sets, 1)


def _from_pairs(entries: Entries, worth: Floats) -> Leaders:
    target, record, number = pairs(entries)
    if not len(target):
        return all_leaders([], entries.sets)
    # the sets in which one record matches one target become neighbours
    code = target * (int(record.max()) + 1) + record
    order = np.argsort(code, kind="stable")
    target = target[order]
    number = number[order]
    first = new_values(code[order])
    rows = np.flatnonzero(first)
    value = np.add.reduceat(worth[target, number], rows)
    near = _near_the_top(target[rows], value)
    bits = _bits_of_rows(near, first, number, entries.sets)
    one_each = np.ones(len(bits), dtype=np.int64)
    return _counted_together(target[rows][near], bits, one_each, worth)


def _bits_of_rows(near: Flags, first: Flags, number: Integers, sets: int) -> Flags:
    """The sets of the rows that are near; rows begin where `first` says, with a set `number` for
    each entry.
    """
    row = np.cumsum(first) - 1
    kept = near[row]
    near_row = (np.cumsum(near) - 1)[row[kept]]
    bits = np.zeros((int(near.sum()), sets), dtype=bool)
    bits[near_row, number[kept]] = True
    return bits


def _near_the_top(target: Integers, value: Floats) -> Flags:
    """Rows whose value is not clearly below the highest of their target; targets are in ascending
    order.
    """
    begins = new_values(target)
    highest = np.maximum.reduceat(value, np.flatnonzero(begins))
    top = highest[np.cumsum(begins) - 1]
    near: Flags = (value > 0) & (value >= top * (1 - NEAR))
    return near


def _counted_together(target: Integers, bits: Flags, count: Integers, worth: Floats) -> Leaders:
    """Rows of one target that match in the same sets (those that give probability) as one row."""
    bits = bits & (worth[target] > 0)
    words = _words(bits)
    order = np.lexsort((*words.T, target))
    target = target[order]
    first = new_values(target, *words[order].T)
    rows = np.flatnonzero(first)
    total = np.add.reduceat(count[order], rows) if len(rows) else count
    return Leaders(target[rows], bits[order[rows]], total)


def _words(bits: Flags) -> Words:
    """Rows of bits packed into 64-bit words."""
    packed = np.packbits(bits, axis=1)
    width = packed.shape[1]
    whole_words = -(-width // 8) * 8
    padded = np.zeros((len(bits), whole_words), dtype=np.uint8)
    padded[:, :width] = packed
    return padded.view(np.uint64)


@dataclass(frozen=True, slots=True)
class _Segments:
    """Stretches of targets, start..stop - 1, over which a record matches in the same sets, the bits
    of `words`.
    """

    start: Integers
    stop: Integers
    words: Words


@dataclass(frozen=True, slots=True)
class _Runs:
    """`count` records match the targets start..stop - 1 in exactly the sets `bits[kind]`."""

    kind: Integers
    start: Integers
    stop: Integers
    count: Integers
    bits: Flags


def _among_runs(runs: _Runs, start: int, stop: int, worth: Floats) -> Leaders:
    """Leaders of the targets from start to stop - 1."""
    target, run = _by_target(runs, start, stop)
    if not len(target):
        return all_leaders([], worth.shape[1])
    value = np.einsum("rs,rs->r", runs.bits[runs.kind[run]], worth[target])
    near = _near_the_top(target, value)
    run = run[near]
    return _counted_together(target[near], runs.bits[runs.kind[run]], runs.count[run], worth)


def _by_target(runs: _Runs, start: int, stop: int) -> tuple[Integers, Integers]:
    """Targets from start to stop - 1 with the runs that cover them, target after target."""
    here = np.flatnonzero((runs.start < stop) & (runs.stop > start))
    lo = np.maximum(runs.start[here], start)
    hi = np.minimum(runs.stop[here], stop)
    target, owner = expanded(lo, hi)
    order = np.argsort(target, kind="stable")
    return target[order], here[owner[order]]


def _segments(entries: Entries) -> _Segments:
    position = np.concatenate([entries.lo, entries.hi])
    record = np.tile(entries.record, 2)
    number = np.tile(entries.set, 2)
    order = np.argsort(record * (entries.targets + 1) + position, kind="stable")
    position = position[order]
    record = record[order]
    words = _single_bits(number[order], entries.sets)
    # a set switches its bit on where the record's range begins and off where it ends; each is
    # entered as often as it is left, so that nothing remains of a record when the next one begins
    np.bitwise_xor.accumulate(words, axis=0, out=words)
    same_record = record[1:] == record[:-1]
    goes_on = position[1:] > position[:-1]
    inside = np.flatnonzero(same_record & goes_on & words[:-1].any(axis=1))
    return _Segments(position[inside], position[inside + 1], words[inside])


def _single_bits(number: Integers, sets: int) -> Words:
    """Rows of words with the bit of one set."""
    words = np.zeros((len(number), -(-sets // WORD)), dtype=np.uint64)
    place_in_word = (number % WORD).astype(np.uint64)
    rows = np.arange(len(number))
    words[rows, number // WORD] = np.left_shift(np.uint64(1), place_in_word)
    return words


def _runs(segments: _Segments, entries: Entries) -> _Runs:
    """Segments with the same sets, added up."""
    kinds, kind = _kinds(segments.words)
    bits = _bits(kinds, entries.sets)
    if not len(kind):
        nothing = np.zeros(0, dtype=np.int64)
        return _Runs(kind=nothing, start=nothing, stop=nothing, count=nothing, bits=bits)
    room = entries.targets + 1
    code = np.concatenate([kind * room + segments.start, kind * room + segments.stop])
    order = np.argsort(code, kind="stable")
    code = code[order]
    # the first half are beginnings, the second half ends
    step = np.where(order < len(kind), 1, -1)
    rows = np.flatnonzero(new_values(code))
    code = code[rows]
    count = np.cumsum(np.add.reduceat(step, rows))[:-1]
    # where as many have ended as begun, nobody is left
    held = np.flatnonzero(count)
    kind, start = np.divmod(code[held], room)
    stop = code[held + 1] % room
    return _Runs(kind=kind, start=start, stop=stop, count=count[held], bits=bits)


def _kinds(words: Words) -> tuple[Words, Integers]:
    """The distinct rows, and which of them each row is."""
    kind = np.zeros(len(words), dtype=np.int64)
    for column in words.T:
        levels, level = np.unique(column, return_inverse=True)
        # renumbered after each word, so that the product never passes 64 bits
        code = kind * len(levels) + level.reshape(-1)
        kind = np.unique(code, return_inverse=True)[1].reshape(-1)
    example = np.zeros(int(kind.max(initial=-1)) + 1, dtype=np.int64)
    example[kind] = np.arange(len(kind))
    return words[example], kind


def _bits(words: Words, sets: int) -> Flags:
    """The reverse of `_single_bits`: bool, shape (rows, sets)."""
    number = np.arange(sets)
    place_in_word = (number % WORD).astype(np.uint64)
    bits = words[:, number // WORD] >> place_in_word
    return bits & np.uint64(1) > 0
