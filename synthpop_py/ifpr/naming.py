"""The names of blocks. No loop over blocks: there may be many thousands."""

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
        """For each block before merging, whether it is now part of another, shape (b,)."""
        return np.bincount(self.run, minlength=self.number)[self.run] > 1

    def with_run(self, run: Integers) -> BlockNames:
        """The same blocks, merged differently."""
        return replace(self, run=run)

    def before_merging(self) -> BlockNames:
        return self.with_run(np.arange(len(self.run)))

    def only(self, block: int) -> BlockNames:
        """One block alone."""
        parts = self.run == block
        zeros = np.zeros(int(parts.sum()), dtype=np.int64)
        return replace(self, groups=self.groups[parts], run=zeros)


def group_texts(names: BlockNames) -> list[Values]:
    """For each variable the groups that every block holds, shape (blocks,)."""
    texts = []
    for at, labels in enumerate(names.labels):
        groups = names.groups[:, at]
        label_array = np.array(labels, dtype=object)
        texts.append(_joined_texts(groups, names.run, label_array, names.number))
    return texts


def _joined_texts(group: Integers, run: Integers, labels: Values, number: int) -> Values:
    """Labels of the groups of each of `number` blocks, the first few of them."""
    levels = max(len(labels), 1)
    pairs = np.unique(run * levels + group)
    block = pairs // levels
    text = labels[pairs % levels]
    start = np.searchsorted(block, np.arange(number))
    held = np.bincount(block, minlength=number)
    joined: Values = text[start]
    for nth in range(1, MOST_LABEL):
        longer = np.flatnonzero(held > nth)
        joined[longer] = joined[longer] + " + " + text[start[longer] + nth]
    longest = np.flatnonzero(held > MOST_LABEL)
    left_out = _as_texts(held[longest] - MOST_LABEL)
    joined[longest] = joined[longest] + " + " + left_out + " more"
    return joined


def _as_texts(numbers: Integers) -> Values:
    return numbers.astype(str).astype(object)


def block_label(names: BlockNames, block: int) -> str:
    return str(_plain_labels(names.only(block))[0])


def block_labels(names: BlockNames) -> Values:
    """One label per block, in their order, shape (blocks,); equal labels (a level "Missing" and
    missing values) are numbered.
    """
    labels = _plain_labels(names)
    if not len(labels):
        return labels
    earlier = pd.Series(labels, dtype=object).groupby(labels).cumcount().to_numpy()
    again = np.flatnonzero(earlier)
    labels[again] = labels[again] + " (" + _as_texts(earlier[again] + 1) + ")"
    return labels


def _plain_labels(names: BlockNames) -> Values:
    if not names.variables:
        return np.full(names.number, WHOLE, dtype=object)
    labels = np.full(names.number, "", dtype=object)
    separator = ""
    for name, texts in zip(names.variables, group_texts(names)):
        labels = labels + f"{separator}{name}: " + texts
        separator = ", "
    return labels
