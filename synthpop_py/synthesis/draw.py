"""The draws of `syn()`: step by step, in R's order, from R's stream."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field

import numpy as np

from ..core.arrays import Floats, Integers, Values
from .prepare import ALIKE, Coded, Place, Plan, Step, place_name, place_of_value
from .smoothing import CannotSmooth, smoothed
from .stream import RStream, WeightedTable
from .trees import Node, Outcome, Predictor, Tree, TreeRules, grow

__all__ = ["Drawing", "Records", "constant_rows", "matching_rows"]

LEAST_SPREAD = 1e-5  # variance that a predictor must exceed
LEAST_EIGENVALUE = 1e-5

Records = dict[Place, Values]


@dataclass(slots=True, eq=False)
class Drawing:
    """What all sets of one call share: the plan, the stream, and trees that need to grow once.

    Attributes
    ----------
    trees : the tree of each step; under `proper` that of the last set.
    used : uniforms used by each step of the last set, to find where a difference begins.
    notes : where R would do something else.
    not_as_asked : those of the notes on what the user asked for and does not get.
    """

    plan: Plan
    stream: RStream
    rules: TreeRules
    records: int
    proper: bool
    begin: Callable[[Step], None]
    trees: dict[Place, Tree] = field(default_factory=dict)
    used: dict[Place, int] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    not_as_asked: list[str] = field(default_factory=list)
    _predictors: dict[Place, Predictor] = field(default_factory=dict)
    _kept: dict[Place, list[Place]] = field(default_factory=dict)

    def one_set(self, copied: Integers) -> Records:
        """The synthetic values of all places; `copied` are the rows that fill columns that are not
        synthesised.
        """
        records: Records = {}
        for place, coded in self.plan.coded.items():
            records[place] = coded.values[copied]
        for step in self.plan.steps:
            self.begin(step)
            before = self.stream.used
            if step.method in ("cart", "sample"):
                records[step.place] = self._synthesised(step, records)
            elif step.method == "collinear":
                rows = matching_rows(self.plan, records, self.plan.partners[step.place[0]])
                records[step.place] = self.plan.coded[step.place].values[rows]
            elif step.method == "constant":
                values = self.plan.coded[step.place].values
                records[step.place] = values[constant_rows(values, self.records)]
            self.used[step.place] = self.stream.used - before
        return records

    def _synthesised(self, step: Step, records: Records) -> Values:
        """Values for all records; those of a number only where its kind says so, 0 elsewhere."""
        if step.rows is None:
            return self._values(step, records, np.arange(self.records))
        name = step.place[0]
        kinds = records[name, "NA"]
        has_value = place_of_value(self.plan.coded[name, "NA"])
        wanted = np.flatnonzero(kinds == has_value)
        values = np.zeros(self.records)
        values[wanted] = self._values(step, records, wanted)
        return values

    def _values(self, step: Step, records: Records, wanted: Integers) -> Values:
        coded = self.plan.coded[step.place]
        rows = np.arange(len(coded.values)) if step.rows is None else step.rows
        if not len(rows):
            if step.method == "cart" or step.place[0] in self.plan.smoothing:
                self.notes.append(f"every value of {step.place[0]!r} is special; R stops here")
            return np.zeros(len(wanted))
        predictors = self._kept_predictors(step, rows) if step.method == "cart" else []
        if not predictors:
            return self._sampled(step, coded.values[rows], len(wanted))
        tree = self._tree(step, rows, predictors)
        self.stream.pass_permutation(len(rows))  # rpart's groups for cross-validation
        columns = [_as_predictor_values(self.plan.coded[p], records[p][wanted]) for p in predictors]
        ends = tree.nodes_of(columns)
        if coded.is_factor:
            return self._classes(tree, ends)
        return self._smoothed(step, self._numbers(tree, ends), tree.outcome.values)

    def _sampled(self, step: Step, values: Values, size: int) -> Values:
        is_factor = self.plan.coded[step.place].is_factor
        # R's sample() of a single number; not where R stops and we draw observed values
        single = step.method == "sample" and not is_factor
        if self.proper:
            values = _or_up_to(values) if single else values
            values = values[self.stream.below(len(values), len(values))]
        observed = values
        values = _or_up_to(values) if single else values
        drawn = values[self.stream.below(len(values), size)]
        if is_factor or step.place[0] not in self.plan.smoothing:
            return drawn
        special = self.plan.not_smoothed.get(step.place[0], ())
        plain = ~np.isnan(drawn) & ~np.isin(drawn, special)
        without = observed[~np.isnan(observed) & ~np.isin(observed, special)]
        smooth = drawn.astype(np.float64)
        smooth[plain] = self._smoothed(step, smooth[plain], without)
        return smooth

    def _smoothed(self, step: Step, values: Floats, observed: Floats) -> Floats:
        """Numbers, smoothed if asked for."""
        how = self.plan.smoothing.get(step.place[0])
        if how is None:
            return values
        try:
            return smoothed(how, values, observed, self.stream.normals)
        except CannotSmooth:
            note = (
                f"{place_name(step.place)!r} cannot be smoothed (too few values, or too far "
                "apart); R stops here, we keep the values as drawn"
            )
            self.notes.append(note)
            self.not_as_asked.append(note)
            return values

    # ---- trees ---------------------------------------------------------------------------

    def _tree(self, step: Step, rows: Integers, predictors: list[Place]) -> Tree:
        if self.proper:
            rows = rows[self.stream.below(len(rows), len(rows))]
        elif step.place in self.trees:
            return self.trees[step.place]
        columns = [self._predictor(place, rows, step) for place in predictors]
        outcome = _outcome(self.plan.coded[step.place], rows)
        if outcome.classes == 1:
            self.notes.append(
                f"only one class of {place_name(step.place)!r} is left; R stops here, we give "
                "it to every record"
            )
        tree = grow(columns, outcome, self.rules)
        self.trees[step.place] = tree
        return tree

    def _predictor(self, place: Place, rows: Integers, step: Step) -> Predictor:
        """A predictor in rpart's order of rows; sorted once where all rows take part."""
        whole = step.rows is None and not self.proper
        if whole and place in self._predictors:
            return self._predictors[place]
        coded = self.plan.coded[place]
        predictor = Predictor.of(
            name=place_name(place),
            values=_as_predictor_values(coded, coded.values[rows]),
            levels=len(coded.labels) if coded.is_nominal else 0,
            ordered=coded.ordered,
        )
        if whole:
            self._predictors[place] = predictor
        return predictor

    def _kept_predictors(self, step: Step, rows: Integers) -> list[Place]:
        if step.place not in self._kept:
            self._kept[step.place] = self._useful(step, rows)
        return self._kept[step.place]

    def _useful(self, step: Step, rows: Integers) -> list[Place]:
        """The predictors that R passes on to the tree: not constant, not the outcome itself, not
        linear combinations of others.
        """
        coded = self.plan.coded[step.place]
        y = _outcome(coded, rows).values.astype(np.float64)
        if not coded.is_factor and np.ptp(y) == 0:
            self.notes.append(f"{place_name(step.place)!r} has only one value; R stops here")
        varying = []
        for place in step.predictors:
            x = self.plan.coded[place].as_numbers()[rows]
            is_outcome = _correlation(x, y) >= ALIKE  # a negative correlation does not count in R
            if len(x) > 1 and np.var(x, ddof=1) > LEAST_SPREAD and not is_outcome:
                varying.append((place, x))
        if not varying:
            self.notes.append(
                f"no predictor of {place_name(step.place)!r} varies; R stops here, we draw it "
                "from the observed values"
            )
            return []
        dropped, dependences = _linear_dependences(np.stack([x for _, x in varying]))
        if dependences > 1:
            self.notes.append(
                f"{dependences} linear dependences among the predictors of"
                f" {place_name(step.place)!r}: which of them R leaves out depends on its rounding"
            )
        kept = [number for number in range(len(varying)) if number not in dropped]
        return [varying[number][0] for number in kept]

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


def matching_rows(plan: Plan, records: Records, partner: Hashable) -> Integers:
    """For each record the first row with the same value of the column that determines this one; of
    a number with special values R looks at the rest, where these are 0.
    """
    place = (partner, "0" if plan.sources[partner].special else "")
    values, first_rows = np.unique(plan.coded[place].values, return_index=True)
    # a smoothed value need not have been observed: the next one has, or the last
    positions = np.searchsorted(values, records[place])
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


def _by_appearance(numbers: Integers) -> list[int]:
    return list(dict.fromkeys(numbers.tolist()))


def _as_predictor_values(coded: Coded, values: Values) -> Values:
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
    dependences = 0
    counted = len(columns)
    while counted > 1 and values[counted - 1] / values[0] < LEAST_EIGENVALUE:
        largest = int(np.argmax(np.abs(vectors[:, counted - 1])))
        if largest < len(kept):
            dropped.append(kept.pop(largest))
        dependences += 1
        counted -= 1
    return dropped, dependences
