"""What blocks are called."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Hashable

import numpy as np

WHOLE = "whole file"
MOST_LABEL = 4


@dataclass(frozen=True, slots=True)
class BlockNames:
    """Variables with the labels of their groups, and b blocks before merging.

    groups : shape (b, variables), places in `labels`. run : shape (b,), the number of the block each became part of.
    """

    variables: tuple[Hashable, ...]
    labels: tuple[tuple[str, ...], ...]
    kept: tuple[bool, ...]
    groups: np.ndarray
    run: np.ndarray


def group_texts(names: BlockNames, block: int) -> list[str]:
    """For each variable the groups that one block holds."""
    start, end = (int(np.searchsorted(names.run, block, side=side)) for side in ("left", "right"))
    rows = names.groups[start:end]
    texts = []
    for at, labels in enumerate(names.labels):
        held = np.unique(rows[:, at])
        text = " + ".join(labels[i] for i in held[:MOST_LABEL])
        texts.append(text + (f" + {len(held) - MOST_LABEL} more" if len(held) > MOST_LABEL else ""))
    return texts


def block_label(names: BlockNames, block: int) -> str:
    return ", ".join(f"{name}: {text}" for name, text in zip(names.variables, group_texts(names, block))) or WHOLE


def block_labels(names: BlockNames) -> list[str]:
    """One label a block, in their order; those that read alike (a level "Missing" and missing values) are numbered."""
    labels = [block_label(names, block) for block in range(int(names.run[-1]) + 1 if len(names.run) else 0)]
    seen: dict[str, int] = {}
    for at, label in enumerate(labels):
        seen[label] = seen.get(label, 0) + 1
        labels[at] = label if seen[label] == 1 else f"{label} ({seen[label]})"
    return labels
