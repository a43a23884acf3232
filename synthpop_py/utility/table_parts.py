"""Tables of one or two variables, counted in parts where the rows of all variables are too many to
be counted at once. Tables are summed over the parts before they are compared.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence

import numpy as np

from ..core.arrays import Integers
from ..core.coding import encode
from ..core.crosstab import Counts, relabel, sparse
from ..progress import Begin
from ..tables.protocol import Counted, Table
from ..tables.splitting import Margin, MarginPlaces, Margins, PartReader, split
from .table_distances import cell_counts
from .variables import CodedVariable

Which = tuple[int, ...]
Cells = Integers | Counts


def margins_of(tables: Sequence[Table], names: Sequence[Hashable]) -> Margins:
    """Each variable by itself."""
    margins = {}
    for name in names:
        counted = [table.count_by([name]) for table in tables]
        columns = [rows.columns[name] for rows in counted]
        margins[name] = Margin(columns, [rows.n for rows in counted])
    return margins


def count_in_parts(
    tables: Sequence[Table],
    coded: dict[Hashable, CodedVariable],
    margins: Margins,
    wanted: Sequence[Which],
    *,
    most: int,
    begin: Begin,
) -> dict[Which, list[Cells]]:
    """The cells of every table that is wanted, of the original and of each data set; `coded` are
    the variables with the codes of their margins. `begin` is called for each part.
    """
    names = list(coded)
    units = {}
    for name in names:
        # any split works, because tables are summed: by values, which are finer than classes
        by_value = encode(str(name), margins[name].columns)
        units[name] = [by_value.own_codes(table) for table in range(len(tables))]
    parts = split(tables, names, units, margins, most)
    places = MarginPlaces(tables, margins)
    sums: dict[Which, list[Cells]] = {}
    for counted in PartReader(tables, names, margins, parts, begin):
        of_part = [_of_part(name, coded[name], counted, places) for name in names]
        for which in wanted:
            variables = [of_part[i] for i in which]
            cells = [cell_counts(variables, table) for table in range(len(tables))]
            sums[which] = [*map(added, sums[which], cells)] if which in sums else cells
    return sums


def _of_part(
    name: Hashable, variable: CodedVariable, counted: list[Counted], places: MarginPlaces
) -> CodedVariable:
    codes = []
    for table, rows in enumerate(counted):
        place = places.of(name, table, rows.columns[name])
        codes.append(variable.codes[table][place])
    n = tuple(rows.n for rows in counted)
    return CodedVariable(name=name, size=variable.size, codes=tuple(codes), n=n)


def added(a: Cells, b: Cells) -> Cells:
    """The cells of two parts.

    >>> few = Counts(np.array([1]), np.array([5]))
    >>> both = added(np.array([2, 3]), few)
    >>> both.cells.tolist(), both.n.tolist()
    ([0, 1], [2, 8])
    """
    if isinstance(a, np.ndarray) and isinstance(b, np.ndarray):
        return a + b
    first, second = sparse(a), sparse(b)
    cells = np.concatenate((first.cells, second.cells))
    return relabel(Counts(cells, np.concatenate((first.n, second.n))), cells)
