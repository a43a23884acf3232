"""What R's ``mergelevels.syn`` and ``numtocat.syn`` do otherwise."""

from __future__ import annotations

from functools import partial

import numpy as np

from ..core.arrays import Integers
from ..grouping import Style, group
from ..mergelevels import OTHER, Levels, Merge, level_text, lumped, records_of
from ..numtocat import Classified, NumericColumn, in_classes
from .as_r import grouping_as_r
from .collation import Collation, order
from .reading import Met
from .text import double_text


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


def classified_as_r(
    column: NumericColumn, style: Style, collation: Collation, met: Met
) -> Classified:
    """D15: 1e+05 in the list of levels. D39: sorted like words. D22, D49, D50: `grouping_as_r`."""
    numbers, n = column.ordinary, column.classes
    split = partial(group, numbers, n, style)
    made = in_classes(column, grouping_as_r(split, numbers, n, met.meets))
    texts = made.values.categories.tolist()
    as_words = [texts[i] for i in order(texts, collation)]
    if met.meets("D39", as_words != texts):
        made = made._replace(values=made.values.reorder_categories(as_words))
    special = tuple(double_text(float(value)) for value in column.special)
    met.meets("D15", column.texts != special)
    return made._replace(levels=(*made.levels[: len(made.levels) - len(special)], *special))
