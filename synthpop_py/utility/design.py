"""The design matrix of the propensity model: the variables of two data sets as columns of numbers,
equal records kept once.

A category gives one column for each level but the most frequent one (missing is a level). An amount
gives one column, its missing values and special values 0 with a column each that marks them, as R's
utility.gen() has it. With interactions, products of the columns of every two variables follow.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import pandas as pd
from scipy import linalg

from ..core.arrays import Floats, Integers
from ..core.coding import encode
from ..errors import InputError
from .variables import AMOUNTS, Special, read_variable

CHUNK = 20_000  # rows of the matrix held at a time
# of a column's length: what is left of it must be longer, or it depends on the columns before
NO_NEW_DIRECTION = 1e-9


@dataclass(frozen=True, slots=True)
class Block:
    """One variable of the model, in all distinct records.

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
        if self.codes is None:
            assert self.amounts is not None
            return self.amounts[rows, None]
        marks: Floats = (self.codes[rows, None] == np.arange(1, self.width + 1)).astype(np.float64)
        return marks


@dataclass(frozen=True, slots=True)
class Design:
    """Distinct records of the original and a release together.

    Attributes
    ----------
    blocks : the variables.
    pairs : positions of blocks that interact.
    place : two arrays, which distinct record each record of the original, and of the release, is.
    size : number of distinct records, u.
    """

    blocks: tuple[Block, ...]
    pairs: tuple[tuple[int, int], ...]
    place: tuple[Integers, Integers]
    size: int

    @property
    def width(self) -> int:
        widths = [b.width for b in self.blocks]
        return 1 + sum(widths) + sum(widths[i] * widths[j] for i, j in self.pairs)

    def chunks(self) -> list[slice]:
        return [slice(start, min(start + CHUNK, self.size)) for start in range(0, self.size, CHUNK)]

    def matrix(self, rows: slice) -> Floats:
        """Rows of the design matrix, the constant first."""
        parts = [b.columns(rows) for b in self.blocks]
        products = [
            (parts[i][:, :, None] * parts[j][:, None, :]).reshape(len(parts[i]), -1)
            for i, j in self.pairs
        ]
        return np.concatenate([np.ones((rows.stop - rows.start, 1)), *parts, *products], axis=1)

    def rank(self) -> int:
        """Number of linearly independent columns."""
        triangle = np.zeros((0, self.width))
        length = np.sqrt(sum((self.matrix(rows) ** 2).sum(axis=0) for rows in self.chunks()))
        scale = np.where(length > 0, length, 1.0)
        for rows in self.chunks():
            triangle = np.asarray(
                np.linalg.qr(np.concatenate([triangle, self.matrix(rows) / scale]), mode="r")
            )
        diagonal = np.abs(np.diag(linalg.qr(triangle, mode="r", pivoting=True)[0]))
        return int((diagonal > NO_NEW_DIRECTION).sum())


def make_design(
    names: Sequence[Hashable],
    original: pd.DataFrame,
    release: pd.DataFrame,
    places: Sequence[str],
    special: Special,
    interactions: bool,
    most_parameters: int,
) -> Design:
    """The design of a release against the original."""
    blocks = [
        block
        for name in names
        for block in _blocks(name, [original, release], places, special.get(name, ()))
    ]
    blocks = [b for b in blocks if b.width]
    pairs = tuple(combinations(range(len(blocks)), 2)) if interactions else ()
    first, inverse = _distinct_records(blocks, len(original) + len(release))
    kept = tuple(
        Block(
            b.name,
            None if b.codes is None else b.codes[first],
            None if b.amounts is None else b.amounts[first],
            b.width,
        )
        for b in blocks
    )
    design = Design(kept, pairs, (inverse[: len(original)], inverse[len(original) :]), len(first))
    if design.width > most_parameters:
        widest = max(kept, key=lambda b: b.width)
        products = " with all products of two variables" if interactions else ""
        raise InputError(
            f"variables: the propensity model would have {design.width} parameters{products}, more"
            f" than most_parameters={most_parameters}; {widest.name!r} alone has {widest.width};"
            " choose fewer variables, group levels, or raise most_parameters"
        )
    return design


def _blocks(
    name: Hashable, tables: Sequence[pd.DataFrame], places: Sequence[str], apart: Sequence[float]
) -> list[Block]:
    columns = read_variable(name, tables, places)
    if not all(c.kind in AMOUNTS for c in columns):
        variable = encode(str(name), columns)
        return [_category(str(name), np.concatenate([variable.own_codes(t) for t in (0, 1)]))]
    for column, place in zip(columns, places):
        if not np.isfinite(column.present().astype(np.float64)).all():
            raise InputError(
                f"{place}, column {name!r}: holds infinite numbers, which no regression can use;"
                " replace them, for instance by missing values"
            )
    values = np.concatenate([c.values for c in columns]).astype(np.float64)
    missing = np.concatenate(
        [np.zeros(len(c), dtype=bool) if c.missing is None else c.missing for c in columns]
    )
    marks = {f"{name}_NA": missing} | {
        f"{name}_special_{value:g}": (values == value) & ~missing for value in apart
    }
    values = np.where(np.any(list(marks.values()), axis=0), 0.0, values)
    spread = values.std()
    blocks = [Block(str(name), None, (values - values.mean()) / spread, 1)] if spread > 0 else []
    return blocks + [_category(label, mark.astype(np.int64)) for label, mark in marks.items()]


def _category(name: str, codes: Integers) -> Block:
    """Levels that occur, numbered by frequency, the most frequent one 0."""
    n = np.bincount(codes)
    order = np.argsort(-n, kind="stable")
    rank = np.empty(len(n), dtype=np.int64)
    rank[order] = np.arange(len(n))
    return Block(name, rank[codes], None, max(int((n > 0).sum()) - 1, 0))


def _distinct_records(blocks: Sequence[Block], n: int) -> tuple[Integers, Integers]:
    """Positions of one record of each kind, and of which kind each record is."""
    code = np.zeros(n, dtype=np.int64)
    for block in blocks:
        own = (
            block.codes
            if block.codes is not None
            else np.unique(np.asarray(block.amounts), return_inverse=True)[1].reshape(-1)
        )
        code = np.unique(code * (int(own.max()) + 1) + own, return_inverse=True)[1].reshape(
            -1
        )  # renumbered each time, so that codes stay small
    _, first, inverse = np.unique(code, return_index=True, return_inverse=True)
    return first, inverse.reshape(-1)
