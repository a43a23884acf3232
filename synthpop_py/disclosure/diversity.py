"""How many target values a key combination has: the l of l-diversity.

A combination is l-diverse if its records have at least l distinct target values. Certainty, as the
paper has it, is the lack of it for l = 2. The number of values says nothing about how they are
distributed: nine records of ten that agree have two values, as have five and five. That is what
`certainty` looks at; the two are not the same question.
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
    in the original; in the synthetic data, and at least one there; those of the latter whose own
    value is among these; those of these whose combination has as few in the original too.

    How many values there are was decided on all records, as certainty is.
    """
    cells, d = one.cells, one.kept.remaining.d
    values_orig = sum_by_key(cells, cells.n_orig > 0)
    values_syn = sum_by_key(cells, cells.n_syn > 0)
    few_orig = (values_orig < diverse)[cells.group]
    few_syn = ((values_syn > 0) & (values_syn < diverse))[cells.group]
    own_value = few_syn & (cells.n_syn > 0)
    for flags in (few_orig, few_syn, own_value, own_value & few_orig):
        yield int(d @ flags)
