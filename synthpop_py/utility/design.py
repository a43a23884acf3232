"""The design matrix of the propensity model: the variables of two data sets as columns of numbers,
equal records kept once.

A category gives one column for each level except the most frequent one (missing is a level). An
amount gives one column; its missing and special values are 0, each with a column that marks them,
as in R's utility.gen(). With interactions, products of the columns of every two variables follow.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np
import pandas as pd

from ..core.arrays import Flags, Floats, Integers
from ..core.coding import encode
from ..core.columns import Column
from ..errors import InputError
from .variables import Special, is_amount, read_variable

CHUNK = 20_000  # rows of the matrix held at a time
# of a column's length: what is left of it must be longer, or it depends on the columns before
NO_NEW_DIRECTION = 1e-9


@dataclass(frozen=True, slots=True)
class DesignBlock:
    """One variable of the model, in all records, or in all distinct ones.

    Attributes
    ----------
    name : of the column, with _NA or _special where it marks such values.
    codes : int64, shape (u,), or None for an amount. Code 0 is the level without a column.
    amounts : float64, shape (u,), or None for a category.
    width : number of columns.
    """

    name: str
    codes: Integers | None
    amounts: Floats | None
    width: int

    def columns(self, rows: slice) -> Floats:
        """Its part of the design matrix, for these records."""
        if self.amounts is not None:
            return self.amounts[rows, None]
        assert self.codes is not None
        levels = np.arange(1, self.width + 1)
        marks: Flags = self.codes[rows, None] == levels
        return marks.astype(np.float64)

    def of(self, records: Integers) -> DesignBlock:
        """The same variable, in these records only."""
        if self.amounts is not None:
            return replace(self, amounts=self.amounts[records])
        assert self.codes is not None
        return replace(self, codes=self.codes[records])

    def numbered(self) -> Integers:
        """Equal values by equal numbers from 0 on."""
        if self.codes is not None:
            return self.codes
        _, numbers = np.unique(np.asarray(self.amounts), return_inverse=True)
        return numbers.reshape(-1)


@dataclass(frozen=True, slots=True)
class PropensityDesign:
    """Distinct records of the original and a release together.

    Attributes
    ----------
    blocks : the variables.
    pairs : positions of blocks that interact.
    kinds : two arrays, which distinct record each record of the original, and of the release, is.
    size : number of distinct records, u.
    """

    blocks: tuple[DesignBlock, ...]
    pairs: tuple[tuple[int, int], ...]
    kinds: tuple[Integers, Integers]
    size: int

    @property
    def width(self) -> int:
        """Number of columns, the constant included."""
        widths = [block.width for block in self.blocks]
        products = [widths[i] * widths[j] for i, j in self.pairs]
        return 1 + sum(widths) + sum(products)

    def chunks(self) -> list[slice]:
        """Rows of the matrix that are held at a time."""
        starts = range(0, self.size, CHUNK)
        return [slice(start, min(start + CHUNK, self.size)) for start in starts]

    def matrix(self, rows: slice) -> Floats:
        """Rows of the design matrix, the constant first."""
        length = rows.stop - rows.start
        parts = [block.columns(rows) for block in self.blocks]
        products = []
        for i, j in self.pairs:
            product = parts[i][:, :, None] * parts[j][:, None, :]
            products.append(product.reshape(length, -1))
        constant = np.ones((length, 1))
        return np.concatenate([constant, *parts, *products], axis=1)

    def rank(self) -> int:
        """Number of linearly independent columns."""
        import scipy

        scale = self._column_lengths()
        scale[scale == 0] = 1.0
        triangle = np.zeros((0, self.width))
        for rows in self.chunks():
            stacked = np.concatenate([triangle, self.matrix(rows) / scale])
            triangle = np.asarray(np.linalg.qr(stacked, mode="r"))
        pivoted, _ = scipy.linalg.qr(triangle, mode="r", pivoting=True)
        diagonal = np.abs(np.diag(pivoted))
        return int((diagonal > NO_NEW_DIRECTION).sum())

    def _column_lengths(self) -> Floats:
        squares = np.zeros(self.width)
        for rows in self.chunks():
            squares += (self.matrix(rows) ** 2).sum(axis=0)
        return np.sqrt(squares)


def propensity_design(
    names: Sequence[Hashable],
    tables: Mapping[str, pd.DataFrame],
    special: Special,
    *,
    interactions: bool,
    most_parameters: int,
) -> PropensityDesign:
    """The design of a release against the original; `tables` holds the two, the original first, by
    what error messages call them.
    """
    blocks: list[DesignBlock] = []
    for name in names:
        blocks += _blocks(name, tables, special.get(name, ()))
    blocks = [block for block in blocks if block.width]
    n_original, n_release = [len(table) for table in tables.values()]
    first, kinds = _distinct_records(blocks, n_original + n_release)
    pairs = combinations(range(len(blocks)), 2) if interactions else ()
    design = PropensityDesign(
        blocks=tuple(block.of(first) for block in blocks),
        pairs=tuple(pairs),
        kinds=(kinds[:n_original], kinds[n_original:]),
        size=len(first),
    )
    if design.width > most_parameters:
        raise _too_many_parameters(design, interactions, most_parameters)
    return design


def _too_many_parameters(
    design: PropensityDesign, interactions: bool, most_parameters: int
) -> InputError:
    widest = max(design.blocks, key=lambda block: block.width)
    products = " with all products of two variables" if interactions else ""
    return InputError(
        f"variables: the propensity model would have {design.width} parameters{products}, more"
        f" than most_parameters={most_parameters}; {widest.name!r} alone has {widest.width};"
        " choose fewer variables, group levels, or raise most_parameters"
    )


def _blocks(
    name: Hashable, tables: Mapping[str, pd.DataFrame], apart: Sequence[float]
) -> list[DesignBlock]:
    """A variable as one block, or as an amount and the marks of values that have none."""
    columns = read_variable(name, list(tables.values()), list(tables))
    if all(is_amount(column) for column in columns):
        for column, place in zip(columns, tables):
            _check_finite(name, column, place)
        return _amount_blocks(name, columns, apart)
    variable = encode(str(name), columns)
    codes = [variable.own_codes(table) for table in range(len(columns))]
    return [_category(str(name), np.concatenate(codes))]


def _check_finite(name: Hashable, column: Column, place: str) -> None:
    if not np.isfinite(column.present().astype(np.float64)).all():
        raise InputError(
            f"{place}, column {name!r}: holds infinite numbers, which a regression cannot "
            "use; replace them, for instance by missing values"
        )


def _amount_blocks(
    name: Hashable, columns: Sequence[Column], apart: Sequence[float]
) -> list[DesignBlock]:
    values = np.concatenate([column.values for column in columns]).astype(np.float64)
    missing = np.concatenate([_missing(column) for column in columns])
    marks = {f"{name}_NA": missing}
    for value in apart:
        marks[f"{name}_special_{value:g}"] = (values == value) & ~missing
    without_amount = np.any(list(marks.values()), axis=0)
    values = np.where(without_amount, 0.0, values)
    blocks = []
    spread = values.std()
    if spread > 0:
        amounts = (values - values.mean()) / spread
        blocks.append(DesignBlock(name=str(name), codes=None, amounts=amounts, width=1))
    for label, mark in marks.items():
        blocks.append(_category(label, mark.astype(np.int64)))
    return blocks


def _missing(column: Column) -> Flags:
    if column.missing is None:
        return np.zeros(len(column), dtype=bool)
    return column.missing


def _category(name: str, codes: Integers) -> DesignBlock:
    """Levels that occur, numbered by frequency, the most frequent one 0."""
    n = np.bincount(codes)
    by_frequency = np.argsort(-n, kind="stable")
    rank = np.empty(len(n), dtype=np.int64)
    rank[by_frequency] = np.arange(len(n))
    occurring = int((n > 0).sum())
    return DesignBlock(name=name, codes=rank[codes], amounts=None, width=max(occurring - 1, 0))


def _distinct_records(blocks: Sequence[DesignBlock], n: int) -> tuple[Integers, Integers]:
    """Positions of one record of each kind, and of which kind each record is."""
    codes: Integers = np.zeros(n, dtype=np.int64)
    for block in blocks:
        values = block.numbered()
        combined = codes * (int(values.max()) + 1) + values
        # renumbered each time to keep codes small
        _, codes = np.unique(combined, return_inverse=True)
        codes = codes.reshape(-1)
    _, first, kinds = np.unique(codes, return_index=True, return_inverse=True)
    return first, kinds.reshape(-1)
