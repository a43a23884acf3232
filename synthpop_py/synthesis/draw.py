"""The draws of `syn()`: step by step, in R's order, from R's stream; numbers smoothed; and columns
again, with the original's types and levels.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from ..core.arrays import Floats, Integers, Values
from ..r.bandwidth import bandwidth
from ..r.rounding import rounded
from ..r.spline import FEWEST, NotSmoothable, smooth
from ..r.text import double_text
from .plan import ALIKE, Coded, Names, Place, Plan, Smoothing, Source, Step, place_name
from .rpart import Node, Outcome, Predictor, Tree, grow
from .stream import RStream, WeightedTable

__all__ = ["CannotSmooth", "Drawing", "Records", "smoothed", "synthetic_frame"]

LEAST_SPREAD = 1e-5  # variance that a predictor must exceed
LEAST_EIGENVALUE = 1e-5
WINDOW = 5  # values that a running mean takes together
LARGE_SHARE = 0.7  # a value this frequent stays as it is
TOP_CODED = 10  # also the largest value, if it is this much more frequent than the next

Records = dict[Place, Values]


@dataclass(slots=True, eq=False)
class Drawing:
    """What all sets of one call share: the plan, the stream, and trees that need to grow once.

    Attributes
    ----------
    begin : called as a step begins.
    trees : the tree of each step; under `proper` that of the last set.
    """

    plan: Plan
    stream: RStream
    begin: Callable[[Step], None]
    trees: dict[Place, Tree] = field(default_factory=dict)
    _predictors: dict[Place, Predictor] = field(default_factory=dict)
    _kept: dict[Place, list[Place]] = field(default_factory=dict)

    def one_set(self, copied: Integers) -> Records:
        """The synthetic values of all places; `copied` are the rows that fill columns that are not
        synthesised.
        """
        coded = self.plan.coded
        records = {place: column.values[copied] for place, column in coded.items()}
        for step in self.plan.steps:
            self.begin(step)
            name, values = step.place[0], coded[step.place].values
            if step.method in ("cart", "sample"):
                records[step.place] = self._synthesised(step, records)
            elif step.method == "collinear":
                rows = _matching_rows(self.plan, records, self.plan.partners[name])
                records[step.place] = values[rows]
            else:
                records[step.place] = values[_constant_rows(values, len(copied))]
        return records

    def _synthesised(self, step: Step, records: Records) -> Values:
        """Values for all records; those of a number only where its kind says so, 0 elsewhere."""
        wanted = np.arange(self.plan.call.records)
        if step.rows is None:
            return self._values(step, records, wanted, np.arange(len(self._coded(step).values)))
        place = (step.place[0], "NA")
        wanted = np.flatnonzero(records[place] == self.plan.coded[place].place_of_value)
        values = np.zeros(self.plan.call.records)
        values[wanted] = self._values(step, records, wanted, step.rows)
        return values

    def _coded(self, step: Step) -> Coded:
        return self.plan.coded[step.place]

    def _values(self, step: Step, records: Records, wanted: Integers, rows: Integers) -> Values:
        coded = self._coded(step)
        name = step.place[0]
        if not len(rows):
            if step.method == "cart" or name in self.plan.call.smoothing:
                self.plan.notes.append(f"every value of {name!r} is special; R stops here")
            return np.zeros(len(wanted))
        predictors: list[Place] = []
        if step.method == "cart":
            if step.place not in self._kept:
                self._kept[step.place] = self._useful(step, rows)
            predictors = self._kept[step.place]
        if not predictors:
            return self._sampled(step, coded.values[rows], len(wanted))
        tree = self._tree(step, rows, predictors)
        self.stream.pass_permutation(len(rows))  # rpart's groups for cross-validation
        columns = [as_predictor_values(self.plan.coded[p], records[p][wanted]) for p in predictors]
        ends = tree.nodes_of(columns)
        if coded.is_factor:
            return self._classes(tree, ends)
        return self._smoothed(step, self._numbers(tree, ends), tree.outcome.values)

    def _sampled(self, step: Step, values: Values, size: int) -> Values:
        below, call = self.stream.below, self.plan.call
        is_factor = self._coded(step).is_factor
        # R's sample() of a single number; not where R stops and we draw observed values
        single = step.method == "sample" and not is_factor
        if call.proper:
            values = _or_up_to(values) if single else values
            values = values[below(len(values), len(values))]
        observed = values
        values = _or_up_to(values) if single else values
        drawn = values[below(len(values), size)]
        if is_factor or step.place[0] not in call.smoothing:
            return drawn
        special = call.named_special(step.place[0])
        plain = ~np.isnan(drawn) & ~np.isin(drawn, special)
        without = observed[~np.isnan(observed) & ~np.isin(observed, special)]
        drawn = drawn.astype(np.float64)
        drawn[plain] = self._smoothed(step, drawn[plain], without)
        return drawn

    def _smoothed(self, step: Step, values: Floats, observed: Floats) -> Floats:
        """Numbers, smoothed if asked for."""
        how = self.plan.call.smoothing.get(step.place[0])
        if how is None:
            return values
        try:
            return smoothed(how, values, observed, self.stream.normals)
        except CannotSmooth:
            note = (
                f"{place_name(step.place)!r} cannot be smoothed (too few values, or too far "
                "apart); R stops here, we keep the values as drawn"
            )
            self.plan.notes.append(note)
            self.plan.not_as_asked.append(note)
            return values

    # ---- trees ---------------------------------------------------------------------------

    def _tree(self, step: Step, rows: Integers, predictors: list[Place]) -> Tree:
        call = self.plan.call
        if call.proper:
            rows = rows[self.stream.below(len(rows), len(rows))]
        elif step.place in self.trees:
            return self.trees[step.place]
        # sorted once where all rows take part
        kept = self._predictors if step.rows is None and not call.proper else {}
        for place in predictors:
            if place not in kept:
                coded = self.plan.coded[place]
                values = as_predictor_values(coded, coded.values[rows])
                levels = len(coded.labels) if coded.is_nominal else 0
                kept[place] = Predictor.of(place_name(place), values, levels, coded.ordered)
        outcome = _outcome(self._coded(step), rows)
        if outcome.levels is not None and len(outcome.levels) == 1:
            self.plan.notes.append(
                f"only one class of {place_name(step.place)!r} is left; R stops here, we give "
                "it to every record"
            )
        tree = grow([kept[place] for place in predictors], outcome, call.rules)
        self.trees[step.place] = tree
        return tree

    def _useful(self, step: Step, rows: Integers) -> list[Place]:
        """The predictors that R passes on to the tree: not constant, not the outcome itself, not
        linear combinations of others.
        """
        coded, name = self._coded(step), place_name(step.place)
        y = _outcome(coded, rows).values.astype(np.float64)
        if not coded.is_factor and np.ptp(y) == 0:
            self.plan.notes.append(f"{name!r} has only one value; R stops here")
        varying = []
        for place in step.predictors:
            x = self.plan.coded[place].values[rows].astype(np.float64)
            is_outcome = _correlation(x, y) >= ALIKE  # a negative correlation does not count in R
            if len(x) > 1 and np.var(x, ddof=1) > LEAST_SPREAD and not is_outcome:
                varying.append((place, x))
        if not varying:
            self.plan.notes.append(
                f"no predictor of {name!r} varies; R stops here, we draw it from the observed"
                " values"
            )
            return []
        dropped, dependences = _linear_dependences(np.stack([x for _, x in varying]))
        if dependences > 1:
            self.plan.notes.append(
                f"{dependences} linear dependences among the predictors of {name!r}: which of them"
                " R leaves out depends on its rounding"
            )
        return [place for at, (place, _) in enumerate(varying) if at not in dropped]

    # ---- values from leaves ---------------------------------------------------------------

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
            table = WeightedTable([amount / total for amount in amounts])
            here = ends == number
            classes[here] = table.positions(uniforms[here])
        assert tree.outcome.levels is not None
        return tree.outcome.levels[classes]

    def _numbers(self, tree: Tree, ends: Integers) -> Floats:
        """For each record a value of a row of its leaf."""
        node_of = {node.number: node for node in tree.nodes()}
        ends = ends.copy()
        for number in _by_appearance(ends):
            node = node_of[number]
            if node.branch is not None:
                ends[ends == number] = self._walk_down(node)
        values = np.empty(len(ends))
        for number in _by_appearance(ends):
            here = np.flatnonzero(ends == number)
            donors = tree.outcome.values[node_of[number].rows]
            values[here] = donors[self.stream.below(len(donors), len(here))]
        return values

    def _walk_down(self, node: Node) -> int:
        """A leaf below a node at which records stayed, chosen at random at every turn."""
        while node.branch is not None:
            turns_right = self.stream.below(2, 1)[0]
            node = node.branch.right if turns_right else node.branch.left
        return node.number


def _matching_rows(plan: Plan, records: Records, partner: Hashable) -> Integers:
    """For each record the first row with the same value of the column that determines this one; of
    a number with special values R looks at the rest, where these are 0.
    """
    place = (partner, "0" if plan.sources[partner].special else "")
    values, first_rows = np.unique(plan.coded[place].values, return_index=True)
    # a smoothed value need not have been observed: the next one has, or the last
    positions = np.searchsorted(values, records[place])
    return first_rows[np.minimum(positions, len(values) - 1)]


def _constant_rows(values: Values, size: int) -> Integers:
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


def _by_appearance(numbers: Integers) -> list[int]:
    return list(dict.fromkeys(numbers.tolist()))


def as_predictor_values(coded: Coded, values: Values) -> Values:
    """Codes for a factor; numbers for numbers, ordered factors (from 1) and truth values."""
    if coded.is_nominal:
        return values
    numbers = values.astype(np.float64)
    return numbers + 1 if coded.ordered else numbers


def _outcome(coded: Coded, rows: Integers) -> Outcome:
    values = coded.values[rows]
    if not coded.is_factor:
        return Outcome(values)
    levels, places = np.unique(values, return_inverse=True)
    return Outcome(places.reshape(-1), levels)


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
    values, vectors = values[::-1], vectors[:, ::-1]
    kept = list(range(len(columns)))
    dropped = []
    counted = len(columns)
    while counted > 1 and values[counted - 1] / values[0] < LEAST_EIGENVALUE:
        largest = int(np.argmax(np.abs(vectors[:, counted - 1])))
        if largest < len(kept):
            dropped.append(kept.pop(largest))
        counted -= 1
    return dropped, len(columns) - counted


# ---- smoothing ---------------------------------------------------------------------------------


class CannotSmooth(Exception):
    """R stops here: too few values, or all alike."""


def smoothed(
    how: Smoothing, values: Floats, observed: Floats, normals: Callable[[int], Floats]
) -> Floats:
    """Synthetic numbers smoothed by a kernel density, a running mean or a spline, rounded to the
    decimals of the observed ones; `normals` draws from the standard normal distribution.
    """
    if not len(values):
        raise CannotSmooth
    digits = max(map(_decimals, np.unique(observed).tolist()))
    if how == "density":
        return _by_density(values, observed, digits, normals)
    order = np.argsort(values, kind="stable")
    result = np.empty(len(values))
    if how == "rmean":
        result[order] = _running_mean(values[order])
    elif len(values) < FEWEST:
        raise CannotSmooth
    else:
        try:
            result[order] = smooth(values[order])
        except NotSmoothable:
            raise CannotSmooth from None
    return rounded(result, digits)


def _decimals(value: float) -> int:
    """Decimals of a number as R writes it with 15 digits."""
    part = value - np.floor(value)
    if part == 0 or rounded(np.array([part]), 15)[0] % 1 == 0:
        return 0
    pieces = double_text(part).rstrip("0").split(".")
    if len(pieces) == 1:  # such as 1e-05, in which R looks for a point
        raise CannotSmooth
    return len(pieces[1])


def _running_mean(ordered: Floats) -> Floats:
    """The mean of each value and its neighbours, fewer of them at the ends."""
    reach = WINDOW // 2
    means = np.empty(len(ordered))
    for place in range(len(ordered)):
        near = ordered[max(0, place - reach) : place + reach + 1].tolist()
        means[place] = sum(near) / len(near)
    return means


def _by_density(
    values: Floats, observed: Floats, digits: int, normals: Callable[[int], Floats]
) -> Floats:
    """Each value moved at random, by a normal distribution as wide as the kernel."""
    chosen, highest = _to_be_moved(values, observed)
    try:
        width = bandwidth(values[chosen])
    except ArithmeticError:  # `NoBandwidth`, or powers beyond what a number holds
        raise CannotSmooth from None
    moved = values[chosen] + width * normals(len(chosen))
    if highest is None:
        highest = float(observed.max()) + width
    result = values.copy()
    result[chosen] = rounded(np.clip(moved, observed.min(), highest), digits)
    return result


def _to_be_moved(values: Floats, observed: Floats) -> tuple[Integers, float | None]:
    """Which values are moved, and the highest they may reach where these look top-coded."""
    distinct, times = np.unique(values, return_counts=True)
    if len(distinct) < 2:
        raise CannotSmooth
    chosen = np.arange(len(values))
    frequent = int(np.argmax(times))
    if times[frequent] / len(values) > LARGE_SHARE:
        chosen = np.flatnonzero(values != float(double_text(float(distinct[frequent]))))
    if TOP_CODED * times[-2] >= times[-1] - times[-2]:
        return chosen, None
    highest = float(observed.max())
    # R takes positions among all values for positions among the chosen ones
    at_top = np.flatnonzero(values == highest)
    if not len(at_top):
        raise CannotSmooth
    return np.delete(chosen, at_top[at_top < len(chosen)]), highest


# ---- columns again -----------------------------------------------------------------------------


def synthetic_frame(plan: Plan, records: Records, copied: Integers, names: Names) -> pd.DataFrame:
    """One synthetic data set with these columns; `copied` are the rows that fill columns that are
    not synthesised.
    """
    columns = {}
    for name in names:
        column = _column(plan, records, copied, name)
        if plan.sources[name].distinct is not None:  # was a factor in between
            column = _through_text(column)
        columns[name] = column
    frame = pd.DataFrame(columns)
    frame.columns = pd.Index(names, tupleize_cols=False)
    return frame


def _column(plan: Plan, records: Records, copied: Integers, name: Hashable) -> pd.Series:
    source = plan.sources[name]
    method = plan.methods[name]
    dtype = source.series.dtype
    if method == "constant":
        column = _observed(source, _constant_rows(source.coded.values, len(copied)))
        longer = len(copied) > len(source.series)
        return _through_text(column) if source.column.is_number and longer else column
    if method == "collinear":
        return _observed(source, _matching_rows(plan, records, plan.partners[name]))
    if not method:
        column = _observed(source, copied)
        return _special_in_15_digits(source, column) if name in plan.call.sequence else column
    if source.special:
        return _number_with_special(plan, records, name)
    values = records[name, ""]
    if source.distinct is not None:
        return pd.Series(np.append(source.distinct, np.nan)[values]).astype(dtype)
    if source.coded.is_factor:
        return _labels(source, values)
    if method == "sample" and name not in plan.call.smoothing:
        return pd.Series(values).astype(dtype)
    # whole numbers from a tree, and smoothed ones, are R's doubles
    return pd.Series(values.astype(np.float64))


def _through_text(column: pd.Series) -> pd.Series:
    """Numbers as R's texts of 15 digits give them back."""
    numbers = column.astype("Float64").to_numpy(float, na_value=np.nan).tolist()
    written = [value if np.isnan(value) else float(double_text(value)) for value in numbers]
    return pd.Series(written, dtype=float)


def _observed(source: Source, rows: Integers) -> pd.Series:
    return source.series.iloc[rows].reset_index(drop=True)


def _special_in_15_digits(source: Source, column: pd.Series) -> pd.Series:
    """A column that is visited and not synthesised: R writes its special values as texts, and reads
    them again.
    """
    for special in source.named_special:
        written = float(double_text(special))
        if written != special:
            column = column.mask((column == special).fillna(False).astype(bool), written)
    return column


def _number_with_special(plan: Plan, records: Records, name: Hashable) -> pd.Series:
    source = plan.sources[name]
    kinds = records[name, "NA"]
    values = records[name, "0"].astype(np.float64)
    for place, special in enumerate(source.named_special):
        values[kinds == place] = float(double_text(special))
    labels = plan.coded[name, "NA"].labels
    if labels[-1] is None:
        values[kinds == len(labels) - 1] = np.nan
    series = pd.Series(values)
    if source.column.kind == "integer" and np.isnan(values).any():
        series = series.astype("Int64")
    return series.astype(source.series.dtype)


def _labels(source: Source, codes: Integers) -> pd.Series:
    """Codes turned back into categories, texts or truth values."""
    dtype = source.series.dtype
    labels = source.coded.labels
    missing = codes == (len(labels) - 1 if labels[-1] is None else -1)
    if isinstance(dtype, pd.CategoricalDtype):
        return pd.Series(pd.Categorical.from_codes(np.where(missing, -1, codes), dtype=dtype))
    if source.column.kind != "logical":
        return pd.Series(np.array(labels, dtype=object)[codes], dtype=object).astype(dtype)
    is_true = np.array([label == "TRUE" for label in labels])[codes]
    if missing.any():
        return pd.Series(is_true, dtype="boolean").mask(missing).astype(dtype)
    return pd.Series(is_true).astype(dtype)
