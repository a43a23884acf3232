"""How many target values a key combination has: the l of l-diversity.

A combination is l-diverse if its records have at least l distinct target values. Certainty, as the
paper defines it, means not being 2-diverse. The number of values says nothing about their
distribution: nine records against one have two values, and so have five against five. `certainty`
looks at the distribution; the two are different questions.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import pandas as pd

from .certainty import sum_by_key
from .measures import Share

if TYPE_CHECKING:
    from .run import SetCells

COLUMNS = ("synthesis", "l", "Dorig", "DiS", "DiSCO", "DiSDiO")


def diversity_frame(sets: Sequence[SetCells], n: int, up_to: int) -> pd.DataFrame:
    """One row for each synthesis and each l from 2 on, in % of n original records."""
    rows = []
    for number, one in enumerate(sets, start=1):
        for diverse in range(2, up_to + 1):
            percents = [Share(count, n).percent for count in not_diverse(one, diverse)]
            rows.append((number, diverse, *percents))
    return pd.DataFrame(rows, columns=COLUMNS)


def not_diverse(one: SetCells, diverse: int) -> Iterator[int]:
    """Original records, after exclusions, whose combination has fewer than `diverse` target values:
    in the original; in the synthetic data, where it has at least one; those of the second whose own
    value is among the synthetic ones; and those of the third whose combination has as few in the
    original too.

    The numbers of values are counted on all records, as for certainty.
    """
    cells, d = one.cells, one.kept.remaining.d
    values_orig = sum_by_key(cells, cells.n_orig > 0)
    values_syn = sum_by_key(cells, cells.n_syn > 0)
    few_orig = (values_orig < diverse)[cells.group]
    few_syn = ((values_syn > 0) & (values_syn < diverse))[cells.group]
    own_value = few_syn & (cells.n_syn > 0)
    for flags in (few_orig, few_syn, own_value, own_value & few_orig):
        yield int(d @ flags)
