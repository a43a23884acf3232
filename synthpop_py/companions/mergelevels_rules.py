"""Which levels of a factor `mergelevels_syn()` merges: by size, by size as R does it, or by
hand.
"""

from __future__ import annotations

from collections.abc import Hashable

import numpy as np

from ..core.arrays import Flags, Integers
from ..errors import InputError
from .factors import NA_TEXT, Factor

OTHER = "Other"


def merged_by_size(factor: Factor, minsize: float, newlabel: bool) -> Factor:
    """Small levels merged; if they are still too few together, the smallest of the others joins
    them.

    Levels without records do not count as small, but are dropped when something is merged. An
    existing level called "Other" joins the new one.
    """
    counts = factor.counts()
    occurs = counts > 0
    merged = (counts < minsize) & occurs
    if not merged.any():
        return factor
    if not newlabel and OTHER in factor.levels:
        merged[factor.levels.index(OTHER)] = True
    others = np.flatnonzero(occurs & ~merged)
    if counts[merged].sum() < minsize and len(others):
        smallest = counts[others] == counts[others].min()
        merged[others[smallest][-1]] = True
    kept = np.flatnonzero(occurs & ~merged)
    levels = [factor.levels[code] for code in kept]
    label = " ".join(factor.texts(merged & occurs)) if newlabel else OTHER
    while label in levels:  # no record may move to another level by mistake
        label += " (merged)"
    new_codes = np.full(len(counts), -1)
    new_codes[kept] = np.arange(len(kept))
    new_codes[merged] = len(kept)
    return factor.recoded(new_codes, [*levels, label])


def merged_by_size_as_r(factor: Factor, minsize: float, newlabel: bool) -> Factor:
    """What R makes of it (D47)."""
    small = factor.counts() < minsize
    if not small.any():
        return factor
    merged = factor.lumped(~small, OTHER)
    size = len(merged.levels)
    labelled, label = size - 1, " ".join(factor.texts(small))
    if merged.counts()[-1] < minsize:
        # R assumes that the last level will join "Other", whichever level it is
        labelled = size - 2
        joining = merged.texts(np.arange(size) == labelled)
        label = " ".join(f"{level} {text}" for level in joining for text in factor.texts(small))
        if size > 1:
            merged = merged.lumped(_largest(merged.counts(), size - 2), OTHER)
    if not newlabel or labelled < 0:
        return merged
    names = list(merged.levels)
    if labelled < len(names):
        names[labelled] = label
    return merged.renamed(names)


def _largest(counts: Integers, n: int) -> Flags:
    """The n levels with the largest counts, and those tied with the last of them."""
    larger = np.array([(counts > count).sum() for count in counts])
    largest: Flags = larger < n
    return largest


def merged_by_hand(factor: Factor, name: Hashable, entry: list[str]) -> Factor:
    """Levels that get a new name: the first text of `entry` for the levels that follow."""
    new, *old = entry
    texts = [NA_TEXT if level is None else level for level in factor.levels]
    for text in old:
        if text not in texts:
            raise InputError(
                f"merge_details: {text!r} is not a level of {name!r}; the error's details have all"
                " levels",
                details={"levels": tuple(texts)},
            )
    if not old:
        return factor
    names = list(factor.levels)
    for text in old:
        names[texts.index(text)] = new
    return factor.renamed(names)
