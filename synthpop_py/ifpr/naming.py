"""What blocks are called. No loop over blocks: there may be many thousands."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from ..core.arrays import Flags, Integers, Values

WHOLE = "whole file"
MOST_LABEL = 4


@dataclass(frozen=True, slots=True)
class BlockNames:
    """Variables with the labels of their groups, and b blocks before merging.

    groups : shape (b, variables), places in `labels`. run : shape (b,), ascending: the number of
    the block each became part of.
    """

    variables: tuple[Hashable, ...]
    labels: tuple[tuple[str, ...], ...]
    kept: tuple[bool, ...]
    groups: Integers
    run: Integers

    @property
    def number(self) -> int:
        """Blocks after merging."""
        return int(self.run[-1]) + 1 if len(self.run) else 0

    @property
    def joined(self) -> Flags:
        """For each block before merging whether it is part of another now, shape (b,)."""
        return np.bincount(self.run, minlength=self.number)[self.run] > 1

    def before_merging(self) -> BlockNames:
        return replace(self, run=np.arange(len(self.run)))

    def only(self, block: int) -> BlockNames:
        """One block alone."""
        mine = self.run == block
        return replace(
            self, groups=self.groups[mine], run=np.zeros(int(mine.sum()), dtype=np.int64)
        )


def group_texts(names: BlockNames) -> list[Values]:
    """For each variable the groups that every block holds, shape (blocks,)."""
    return [
        _joined_texts(names.groups[:, at], names.run, np.array(labels, dtype=object), names.number)
        for at, labels in enumerate(names.labels)
    ]


def _joined_texts(group: Integers, run: Integers, labels: Values, number: int) -> Values:
    pair = np.unique(run * max(len(labels), 1) + group)
    block, text = pair // max(len(labels), 1), labels[pair % max(len(labels), 1)]
    start = np.searchsorted(block, np.arange(number))
    held = np.bincount(block, minlength=number)
    joined: Values = text[start]
    for place in range(1, MOST_LABEL):
        more = np.flatnonzero(held > place)
        joined[more] = joined[more] + " + " + text[start[more] + place]
    rest = np.flatnonzero(held > MOST_LABEL)
    joined[rest] = (
        joined[rest] + " + " + (held[rest] - MOST_LABEL).astype(str).astype(object) + " more"
    )
    return joined


def block_label(names: BlockNames, block: int) -> str:
    return str(_plain_labels(names.only(block))[0])


def block_labels(names: BlockNames) -> Values:
    """One label a block, in their order, shape (blocks,); those that read alike (a level "Missing"
    and missing values) are numbered.
    """
    labels = _plain_labels(names)
    earlier = (
        pd.Series(labels, dtype=object).groupby(labels).cumcount().to_numpy()
        if len(labels)
        else np.zeros(0, dtype=np.int64)
    )
    again = np.flatnonzero(earlier)
    labels[again] = labels[again] + " (" + (earlier[again] + 1).astype(str).astype(object) + ")"
    return labels


def _plain_labels(names: BlockNames) -> Values:
    labels = np.full(names.number, "" if names.variables else WHOLE, dtype=object)
    for at, (name, texts) in enumerate(zip(names.variables, group_texts(names))):
        labels = labels + ((", " if at else "") + f"{name}: ") + texts
    return labels
