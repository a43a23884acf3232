"""What R's ``mergelevels.syn`` does otherwise."""

from __future__ import annotations

import numpy as np

from ..core.arrays import Integers
from ..mergelevels import OTHER, Levels, Merge, level_text, lumped, records_of


def merged_as_r(levels: Levels, n: Integers, minsize: float, newlabel: bool) -> Merge:
    """D47: R assumes that the last level joins "Other", whichever joins, and merges nothing more
    where two are equally small.
    """
    small = n < minsize
    if not small.any():
        return levels, levels
    inside = [level_text(name) for name, is_small in zip(levels, small) if is_small]
    to, order = lumped(levels, ~small, OTHER)
    counts = np.array(records_of((to, order), n))
    labelled, label = len(order) - 1, " ".join(inside)
    if counts[-1] < minsize:
        labelled -= 1
        label = " ".join(f"{level_text(order[labelled])} {text}" for text in inside)
        larger = np.array([(counts > count).sum() for count in counts])
        if len(order) > 1 and (larger >= len(order) - 2).any():
            again, after = lumped(order, larger < len(order) - 2, OTHER)
            new_name = dict(zip(order, again))
            to, order = [new_name[name] for name in to], after
    if newlabel and 0 <= labelled < len(order):
        renamed = order[labelled]
        to = [label if name == renamed else name for name in to]
        order = list(dict.fromkeys(label if name == renamed else name for name in order))
    return to, order
