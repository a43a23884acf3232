"""The draws of `syn()`: step by step, in R's order, from R's stream; and columns again, with the
original's types and levels.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd

from ..core.arrays import Floats, Integers, Values
from ..r.text import double_text
from .columns import ALIKE, Column
from .rpart import Node, Predictor, Tree
from .smoothing import CannotSmooth, smoothed
from .splits import NONE
from .stream import RStream, weighted_positions

LEAST_SPREAD = 1e-5  # variance that a predictor must exceed
LEAST_EIGENVALUE = 1e-5

Step = tuple[Column, Column, list[Column]]  # a column, the part of it that is made, its predictors
Records = dict[Column, Values]


class Drawing:
    """What all sets of one call share: the steps, the stream, and trees that need to grow once.

    seen : all that trees meet, see `divide_in_parts`.
    rules : minbucket and cp of the trees.
    begin : called as a step begins.
    trees : the tree of each column or part; under `proper` that of the last set.
    notes : where R would do something else, and, under `not_done`, what is not done as asked.
    """

    def __init__(
        self,
        seen: list[Column],
        steps: list[Step],
        stream: RStream,
        *,
        proper: bool,
        rules: dict[str, Any],
    ) -> None:
        self.seen, self.steps, self.stream = seen, steps, stream
        self.proper, self.rules = proper, rules
        self.begin: Callable[[Column], None] = lambda part: None
        self.trees: dict[Column, Tree] = {}
        self.notes: list[str] = []
        self.not_done: list[str] = []
        self._useful: dict[Column, list[Column]] = {}
        self._sorted: dict[Column, Predictor] = {}

    def one_set(self, copied: Integers) -> Records:
        """The synthetic values of all that trees meet; `copied` are the rows that fill columns that
        are not synthesised.
        """
        records = {column: column.values[copied] for column in self.seen}
        for column, part, predictors in self.steps:
            self.begin(part)
            if column.method == "collinear":
                records[part] = part.values[matching_rows(column, records)]
            elif column.method == "constant":
                records[part] = part.values[constant_rows(part.values, len(copied))]
            else:
                wanted = np.arange(len(copied))
                if part.part == "0":  # where its kind says that there is a number, 0 elsewhere
                    kinds = records[column.parts[1]]
                    wanted = np.flatnonzero(kinds == len(column.named_special))
                records[part] = np.zeros(len(copied), dtype=part.values.dtype)
                if len(part.rows):
                    made = self._made(column, part, predictors, wanted, records)
                    records[part][wanted] = made
                elif column.method == "cart" or column.smoothing:
                    self.notes.append(f"every value of {column.name!r} is special; R stops here")
        return records

    def _made(
        self,
        column: Column,
        part: Column,
        predictors: list[Column],
        wanted: Integers,
        records: Records,
    ) -> Values:
        """Values of a part for the records wanted."""
        if column.method == "cart" and part not in self._useful:
            self._useful[part] = self._useful_predictors(part, predictors)
        useful = self._useful.get(part)
        if not useful:
            return self._sampled(column, part, len(wanted))
        tree = self._tree(part, useful)
        self.stream.shrinking(len(part.rows), len(part.rows))  # rpart's cross-validation
        ends = tree.ends_of([as_trees_see(one, records[one][wanted]) for one in useful])
        if part.labels:
            return self._classes(tree, ends)
        return self._smoothed(column, self._numbers(tree, ends), tree.y)

    def _sampled(self, column: Column, part: Column, size: int) -> Values:
        values, below = part.values[part.rows], self.stream.below
        # R's sample() of a single number; not where R stops and we draw observed values
        up_to = _or_up_to if column.method == "sample" and not part.labels else np.asarray
        if self.proper:
            values = up_to(values)
            values = values[below(len(values), len(values))]
        observed = values
        values = up_to(values)
        drawn = values[below(len(values), size)]
        if part.labels or column.smoothing is None:
            return drawn
        special = column.named
        is_plain = ~(np.isin(drawn, special) | np.isnan(drawn))
        plain = observed[~(np.isin(observed, special) | np.isnan(observed))]
        drawn = drawn.astype(np.float64)
        drawn[is_plain] = self._smoothed(column, drawn[is_plain], plain)
        return drawn

    def _smoothed(self, column: Column, values: Floats, observed: Floats) -> Floats:
        """Numbers, smoothed if asked for."""
        if column.smoothing is None:
            return values
        try:
            return smoothed(column.smoothing, values, observed, self.stream.normals)
        except CannotSmooth:
            self.not_done.append(f"{column.name!r} cannot be smoothed; R stops here")
            return values

    def _tree(self, part: Column, useful: list[Column]) -> Tree:
        rows = part.rows
        if self.proper:
            rows = rows[self.stream.below(len(rows), len(rows))]
        elif part in self.trees:
            return self.trees[part]
        # sorted once where all rows take part
        kept = {} if self.proper or part.part == "0" else self._sorted
        for one in useful:
            if one not in kept:
                values = as_trees_see(one, one.values[rows])
                levels = len(one.labels) if one.is_nominal else 0
                kept[one] = Predictor(one.label, values, levels, one.ordered)
        y, levels_of_y = part.values[rows], NONE
        if part.labels:
            levels_of_y, y = np.unique(y, return_inverse=True)
            if len(levels_of_y) == 1:
                self.notes.append(f"only one class of {part.label!r} is left; R stops here")
        tree = Tree([kept[one] for one in useful], y.reshape(-1), levels_of_y, **self.rules)
        self.trees[part] = tree
        return tree

    def _useful_predictors(self, part: Column, predictors: list[Column]) -> list[Column]:
        """The predictors that R passes on to the tree: not constant, not the outcome itself, not
        linear combinations of others.
        """
        y = part.values[part.rows]
        if part.labels:  # unused levels do not count
            y = np.unique(y, return_inverse=True)[1].reshape(-1)
        elif np.ptp(y) == 0:
            self.notes.append(f"{part.label!r} has only one value; R stops here")
        varying, numbers = [], []
        for one in predictors:
            x = one.values[part.rows].astype(np.float64)
            is_outcome = _correlation(x, y) >= ALIKE  # a negative correlation does not count in R
            varies = len(x) > 1 and np.var(x, ddof=1) > LEAST_SPREAD
            if varies and not is_outcome:
                varying.append(one)
                numbers.append(x)
        if not varying:
            self.notes.append(f"no predictor of {part.label!r} varies; R stops here, we sample it")
            return []
        dropped, dependences = _linear_dependences(np.stack(numbers))
        if dependences > 1:
            self.notes.append(
                f"{dependences} linear dependences among the predictors of {part.label!r}: which of"
                " them R leaves out depends on its rounding"
            )
        return [one for at, one in enumerate(varying) if at not in dropped]

    def _classes(self, tree: Tree, ends: Integers) -> Integers:
        """A class for each record, with the probabilities of the node where it ended."""
        uniforms = self.stream.uniforms(len(ends))
        counts_of = {node.number: node.counts for node in tree.nodes()}
        root = tree.root.counts
        weights = (root / root.sum()) / root
        classes = np.empty(len(ends), dtype=np.int64)
        for number in np.unique(ends).tolist():
            amounts = (counts_of[number] * weights).tolist()
            total = math.fsum(amounts)  # R adds up in extended precision
            shares = [amount / total for amount in amounts]
            here = ends == number
            classes[here] = weighted_positions(shares, uniforms[here])
        return tree.levels[classes]

    def _numbers(self, tree: Tree, ends: Integers) -> Floats:
        """For each record a value of a row of its leaf."""
        node_of = {node.number: node for node in tree.nodes()}
        ends = ends.copy()
        for number in pd.unique(ends).tolist():
            if node_of[number].children:
                ends[ends == number] = self._walk_down(node_of[number])
        values = np.empty(len(ends))
        for number in pd.unique(ends).tolist():
            here = np.flatnonzero(ends == number)
            donors = tree.y[node_of[number].rows]
            values[here] = donors[self.stream.below(len(donors), len(here))]
        return values

    def _walk_down(self, node: Node) -> int:
        """A leaf below a node at which records stayed, chosen at random at every turn."""
        while node.children:
            turn = self.stream.below(2, 1)[0]
            node = node.children[turn]
        return node.number


def matching_rows(column: Column, records: Records) -> Integers:
    """For each record the first row with the same value of the column that determines this one; of
    a number with special values R looks at the rest, where these are 0.
    """
    assert column.partner is not None
    partner = column.partner.parts[0]
    values, first_rows = np.unique(partner.values, return_index=True)
    # a smoothed value need not have been observed: the next one has, or the last
    positions = np.searchsorted(values, records[partner])
    return first_rows[np.minimum(positions, len(values) - 1)]


def constant_rows(values: Values, size: int) -> Integers:
    """The observed rows; where more are wanted, the most frequent value again."""
    rows = np.arange(min(size, len(values)))
    _, first_rows, times = np.unique(values, return_index=True, return_counts=True)
    most_frequent = first_rows[np.argmax(times)]
    return np.concatenate((rows, np.full(size - len(rows), most_frequent)))


def _or_up_to(values: Values) -> Values:
    """R's sample() of a single number from 1 on draws from 1, 2, … up to it."""
    if len(values) == 1 and values[0] >= 1:
        return np.arange(1.0, np.floor(values[0]) + 1)
    return values


def as_trees_see(column: Column, values: Values) -> Values:
    """Codes for a factor; numbers for numbers, ordered factors (from 1) and truth values."""
    if column.is_nominal:
        return values
    numbers = values.astype(np.float64)
    return numbers + 1 if column.ordered else numbers


def _correlation(x: Floats, y: Floats) -> float:
    if np.ptp(x) == 0 or np.ptp(y) == 0:
        return np.nan
    return float(np.corrcoef(x, y)[0, 1])


def _linear_dependences(columns: Floats) -> tuple[list[int], int]:
    """Which columns R drops because others determine them, and how many dependences there are.

    R looks at eigenvectors of the correlations, the smallest eigenvalue first, and drops the column
    with the largest entry. It should continue with the remaining columns but keeps the vectors of
    all, so from the second round on a vector's position can name another column, or none.
    """
    if len(columns) == 1:
        return [], 0
    values, vectors = np.linalg.eigh(np.corrcoef(columns))
    small = values[:-1] / values[-1] < LEAST_EIGENVALUE  # ascending
    kept = list(range(len(columns)))
    dropped = []
    for vector in vectors.T[: small.sum()]:
        largest = int(np.argmax(np.abs(vector)))
        if largest < len(kept):
            dropped.append(kept.pop(largest))
    return dropped, int(small.sum())


def synthetic_column(column: Column, records: Records, copied: Integers) -> pd.Series:
    """A column of one synthetic set; `copied` are the rows that fill what is not synthesised."""
    made = _made_column(column, records, copied)
    # R turns factors back into numbers by their texts of 15 digits
    longer = column.method == "constant" and len(copied) > len(column.series)
    if column.distinct is not None or (longer and column.kind in ("integer", "double")):
        return _through_text(made)
    return made


def _made_column(column: Column, records: Records, copied: Integers) -> pd.Series:
    if column.method == "constant":
        return _observed(column, constant_rows(column.values, len(copied)))
    if column.method == "collinear":
        return _observed(column, matching_rows(column, records))
    if not column.method:
        made = _observed(column, copied)
        return _special_in_15_digits(column, made) if column.visited else made
    if column.special:
        return _number_with_special(column, records)
    values = records[column]
    dtype = column.series.dtype
    if column.distinct is not None:
        return pd.Series(np.append(column.distinct, np.nan)[values])
    if column.labels:
        return _labels(column, values)
    if column.method == "sample" and column.smoothing is None:
        return pd.Series(values).astype(dtype)
    # whole numbers from a tree, and smoothed ones, are R's doubles
    return pd.Series(values.astype(np.float64))


def _through_text(column: pd.Series) -> pd.Series:
    """Numbers as R's texts of 15 digits give them back."""
    numbers = column.astype("Float64").to_numpy(float, na_value=np.nan).tolist()
    written = [value if np.isnan(value) else float(double_text(value)) for value in numbers]
    return pd.Series(written, dtype=float)


def _observed(column: Column, rows: Integers) -> pd.Series:
    return column.series.iloc[rows].reset_index(drop=True)


def _special_in_15_digits(column: Column, made: pd.Series) -> pd.Series:
    """A column that is visited and not synthesised: R writes its special values as texts, and reads
    them again.
    """
    for special in column.named_special:
        written = float(double_text(special))
        if written != special:
            made = made.mask((made == special).fillna(False).astype(bool), written)
    return made


def _number_with_special(column: Column, records: Records) -> pd.Series:
    rest, kinds = column.parts
    codes = records[kinds]
    values = records[rest].astype(np.float64)
    for place, special in enumerate(column.named_special):
        values[codes == place] = float(double_text(special))
    values[_is_missing(kinds, codes)] = np.nan
    series = pd.Series(values)
    if column.kind == "integer" and np.isnan(values).any():
        series = series.astype("Int64")
    return series.astype(column.series.dtype)


def _is_missing(column: Column, codes: Integers) -> Any:
    has_missing = column.labels[-1] is None
    return has_missing & (codes == len(column.labels) - 1)


def _labels(column: Column, codes: Integers) -> pd.Series:
    """Codes turned back into categories, texts or truth values."""
    dtype = column.series.dtype
    missing = _is_missing(column, codes)
    if isinstance(dtype, pd.CategoricalDtype):
        return pd.Series(pd.Categorical.from_codes(np.where(missing, -1, codes), dtype=dtype))
    if column.kind != "logical":
        return pd.Series(np.array(column.labels, dtype=object)[codes], dtype=object).astype(dtype)
    if missing.any():
        return pd.Series(codes == 1, dtype="boolean").mask(missing).astype(dtype)
    return pd.Series(codes == 1).astype(dtype)
