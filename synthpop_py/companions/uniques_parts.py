"""`replicated_uniques()` in parts, where combinations of keys are too many to be counted at once.

Unique combinations of the parts add up. Which records they are is not kept.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import NamedTuple

import numpy as np

from ..core.arrays import Integers
from ..core.coding import encode
from ..core.levels import Variable
from ..disclosure.source import Source
from ..disclosure.splitting import own_codes, units_of, with_codes
from ..old_parts.splitting import Margin, MarginPlaces, PartReader, Units, split
from ..progress import Begin
from ..r.reading import Reading, correctly
from ..tables.protocol import Counted
from .uniques_counts import Sizes, compare, repeated_counts
from .uniques_keys import coded_variables, combined_keys, first_pieces, may_merge


class Numbers(NamedTuple):
    """The four numbers of R's table for each synthesis, and how many records they are out of."""

    n: int
    k: tuple[int, ...]
    of_sets: list[list[int]]


def count_in_parts(
    names: Sequence[Hashable], source: Source, sizes: Sizes, reading: Reading, begin: Begin
) -> Numbers:
    """The uniques of every synthesis under one reading, for two or more keys. `begin` is called for
    each part.
    """
    if not sizes.r_has_an_answer(single=False):
        reading = correctly()
    remembers = reading.follow_r("D38", sizes.stale)
    m = len(sizes.rows)
    height = sizes.height(single=False) if remembers and m > 1 else None
    margins = {name: _margin(source, name) for name in names}
    columns = [list(margins[name].columns) for name in names]
    by_value = [encode(str(name), of_key) for name, of_key in zip(names, columns)]
    variables = dict(zip(names, coded_variables(by_value, columns, reading)))
    most = source.most_rows(len(names))
    assert most is not None, "only then can combinations be too many"
    parts = split(source.tables, names, _units(variables, reading), margins, most)
    places = MarginPlaces(source.tables, margins)
    numbers = np.zeros((m, 4), dtype=np.int64)
    for counted in PartReader(source.tables, names, margins, parts, begin):
        of_part = [
            with_codes(name, variable, counted, places) for name, variable in variables.items()
        ]
        numbers += _uniques_of_part(of_part, counted, sizes, height, reading)
    if remembers:
        return Numbers(sizes.remembered_n, (sizes.remembered_k,) * m, numbers.tolist())
    return Numbers(sizes.n, sizes.rows, numbers.tolist())


def _margin(source: Source, name: Hashable) -> Margin:
    rows = source.margin(name)
    return Margin(rows.columns[name], rows.n)


def _units(variables: dict[Hashable, Variable], reading: Reading) -> Units:
    """What must stay together: equal levels, and whatever R may glue to one text (D38)."""
    if may_merge(list(variables.values()), reading):
        name, first = next(iter(variables.items()))
        return {name: units_of(first, first_pieces(first))}
    return {name: own_codes(variable) for name, variable in variables.items()}


def _uniques_of_part(
    variables: list[Variable],
    counted: list[Counted],
    sizes: Sizes,
    height: int | None,
    reading: Reading,
) -> Integers:
    """The four numbers of each synthesis, shape (m, 4)."""
    keys = combined_keys(variables, reading)
    numbers = []
    for table in range(1, len(counted)):
        n = counted[table].n
        if n is None:
            n = np.ones(counted[table].rows, dtype=np.int64)
        counts = counted[0].n, repeated_counts(n, sizes.rows[table - 1], height)
        numbers.append(compare(keys.codes[0], keys.codes[table], keys.size, counts).numbers)
    return np.array(numbers, dtype=np.int64)
