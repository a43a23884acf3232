"""Regressions: from data frames to matrices, and fits.

All frames of a release are read with one `Coding`: coefficients from different sets then mean the
same and can be averaged.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from ..core.arrays import Flags, Floats, Integers, Values
from ..errors import InputError

CHUNK = 4_000_000  # numbers held at once while the information matrix is summed over records
# a direction about which the data say less than this share of the best-known one is not determined
FLAT = 1e-10
# and one about which they say less than this share is one of dependent columns
ROUNDING = 1e-13
# singular value, as a share of the largest, below which columns are dependent
DEPENDENT = 1e-12
# share of a coefficient that the data must leave open for it to count as not determined
OPEN = 1e-3
MOST_STEPS = 100
MOST_SEARCHES = 40
ENOUGH = 1e-4  # share of the promised decrease with which a step is long enough (Armijo's rule)
SOLVED = 1e-12  # Newton decrement at which the next full step ends at the rounding limit


class _Missing:
    """The level that missing values of a categorical column have."""

    def __repr__(self) -> str:
        return "(missing)"


MISSING = _Missing()


def is_numeric(column: pd.Series) -> bool:
    """Whether a column holds numbers; truth values are levels."""
    is_number, is_bool = pd.api.types.is_numeric_dtype, pd.api.types.is_bool_dtype
    return is_number(column.dtype) and not is_bool(column.dtype)


def is_categorical(column: pd.Series) -> bool:
    return isinstance(column.dtype, pd.CategoricalDtype)


class Coding(SimpleNamespace):
    """How columns are read: by their levels, or as numbers.

    columns : all columns that are read.
    levels : for each categorical column an object array of its levels, the reference first,
        `MISSING` last where values are missing.
    """

    def __init__(self, columns: tuple[Hashable, ...], levels: Mapping[Hashable, Values]) -> None:
        super().__init__(columns=columns, levels=levels)

    def read(self, frame: pd.DataFrame, place: str) -> pd.DataFrame:
        """The columns, categorical ones as pandas Categoricals with these levels (missing is a
        separate level), numbers as float64.
        """
        columns: dict[Hashable, Any] = {}
        for name in self.columns:
            reader = self._levels_of if name in self.levels else _numbers
            columns[name] = reader(frame[name], name, place)
        return pd.DataFrame(columns, index=pd.RangeIndex(len(frame)))

    def _levels_of(self, column: pd.Series, name: Hashable, place: str) -> pd.Categorical:
        levels = self.levels[name]
        values = column.cat.categories if is_categorical(column) else column
        codes = _positions(values, levels)
        if is_categorical(column):  # pandas has the code -1 for missing, which takes the last
            codes = np.append(codes, -1)[column.cat.codes.to_numpy()]
        if len(levels) and levels[-1] is MISSING:
            codes[column.isna().to_numpy()] = len(levels) - 1
        unknown = np.flatnonzero(codes < 0)
        if len(unknown):
            raise InputError(
                f"{place}: column {name!r} has a level that the models do not know, first in row"
                f" {int(unknown[0]) + 1} (the error's details have it)",
                details={"level": column.iloc[int(unknown[0])], "levels": tuple(levels)},
            )
        return pd.Categorical.from_codes(codes, categories=pd.Index(levels, dtype=object))

    def as_given(self, values: Any, name: Hashable, like: pd.Series) -> pd.Series:
        """Values of a read column back in the type of the column it came from."""
        if name not in self.levels:
            numbers = pd.Series(np.asarray(values, dtype=float), index=like.index)
            return _as_number_type(numbers, like)
        levels, codes = self.levels[name], np.asarray(values.codes)
        if is_categorical(like):
            categories = like.cat.categories
            more = [one for one in levels if one is not MISSING and one not in categories]
            if more:
                categories = categories.append(pd.Index(more, dtype=categories.dtype))
            # a code of -1, and `MISSING`, is a gap
            positions = np.append(_positions(pd.Index(levels, dtype=object), categories), -1)[codes]
            dtype = pd.CategoricalDtype(categories, like.cat.ordered)
            return pd.Series(pd.Categorical.from_codes(positions, dtype=dtype), index=like.index)
        plain = [None if level is MISSING else level for level in levels]
        chosen = _objects([*plain, None])[codes]
        return pd.Series(chosen, index=like.index, dtype=object).astype(like.dtype)


def _as_number_type(values: pd.Series, like: pd.Series) -> pd.Series:
    """Numbers in the type of a column; those of a column of whole numbers rounded, and left as
    reals where its type cannot hold them.
    """
    if not pd.api.types.is_integer_dtype(like.dtype):
        return values.astype(like.dtype)
    whole = values.round()
    limits = np.iinfo(getattr(like.dtype, "numpy_dtype", like.dtype))
    # the largest int64 is no double but rounds up to one, hence the strict comparison
    if not len(whole) or (limits.min <= whole.min() and whole.max() < float(limits.max)):
        return whole.astype(like.dtype)
    return whole


def _positions(values: Any, levels: Any) -> Integers:
    """The position of each value among the levels, -1 if it is not one of them."""
    if not len(levels):
        return np.full(len(values), -1)
    known = pd.Index(levels, dtype=object)
    positions: Integers = known.get_indexer(pd.Index(values, dtype=object))
    return positions


def make_coding(
    frames: Sequence[pd.DataFrame], columns: Iterable[Hashable], categorical: Iterable[Hashable]
) -> Coding:
    """Levels found in any of the frames. `categorical` names columns read by level whatever their
    type; others by level unless they are numbers.
    """
    names, by_level = tuple(dict.fromkeys(columns)), set(categorical)
    levels: dict[Hashable, Values] = {}
    for name in names:
        in_frames = [frame[name] for frame in frames]
        if name in by_level or not all(is_numeric(column) for column in in_frames):
            levels[name] = _occurring_levels(in_frames, name)
    return Coding(names, levels)


def _occurring_levels(columns: Sequence[pd.Series], name: Hashable) -> Values:
    """Levels that occur, in the order of the first frame's categories where it has any, otherwise
    sorted; `MISSING` last.
    """
    occurring: set[Any] = set()
    for column in columns:
        if column.dtype.kind in "mM":
            raise InputError(
                f"models: column {name!r} holds times, which are neither levels nor numbers;"
                " convert it to a number or to text"
            )
        occurring.update(column.dropna().unique().tolist())
    declared = list(columns[0].cat.categories) if is_categorical(columns[0]) else []
    levels = [level for level in declared if level in occurring]
    rest = list(occurring.difference(declared))
    try:
        levels += sorted(rest)
    except TypeError:  # levels of mixed types have no order
        levels += sorted(rest, key=str)
    if any(column.isna().any() for column in columns):
        levels.append(MISSING)
    return _objects(levels)


def _objects(values: Sequence[Any]) -> Values:
    """An array of objects; values can be tuples, which np.array would unpack."""
    array = np.empty(len(values), dtype=object)
    array[:] = values
    return array


def _numbers(column: pd.Series, name: Hashable, place: str) -> Floats:
    gaps = int(column.isna().sum())
    if gaps:
        raise InputError(
            f"{place}: {gaps} values of the numeric column {name!r} are missing; fill them"
            " in first, or make the column categorical (missing is a level there)"
        )
    values: Floats = column.to_numpy(dtype=float)
    if not np.isfinite(values).all():
        raise InputError(f"{place}: the numeric column {name!r} holds infinite values")
    return values


def design_matrix(data: pd.DataFrame, predictors: Sequence[Hashable]) -> Floats:
    """An intercept, then for each predictor its numbers, or an indicator for each level except the
    first. Shape (n, p).
    """
    # the first level is the reference, so the intercept can stay
    blocks = [np.ones((len(data), 1))]
    for name in predictors:
        column = data[name]
        if is_categorical(column):
            codes = column.cat.codes.to_numpy()[:, None]
            indicators = codes == np.arange(1, len(column.cat.categories))
            blocks.append(indicators.astype(float))
        else:
            blocks.append(column.to_numpy(dtype=float)[:, None])
    return np.hstack(blocks)


def design_names(data: pd.DataFrame, predictors: Sequence[Hashable]) -> tuple[str, ...]:
    """The names of the columns of `design_matrix`."""
    names = ["intercept"]
    for name in predictors:
        column = data[name]
        if is_categorical(column):
            names += [f"{name}={level}" for level in column.cat.categories[1:]]
        else:
            names.append(str(name))
    return tuple(names)


def standardised(data: pd.DataFrame, predictors: Sequence[Hashable]) -> tuple[Floats, Floats]:
    """The design with numbers of mean 0 and variance 1, and the way back: this matrix @ its
    coefficients are those of the design as it was. Indicators stay 0 and 1; a column that does not
    vary becomes 0.
    """
    matrix = design_matrix(data, predictors)
    back = np.eye(matrix.shape[1])
    at = 1
    for name in predictors:
        column = data[name]
        if is_categorical(column):
            at += len(column.cat.categories) - 1
            continue
        numbers = matrix[:, at]
        centre, scale = numbers.mean(), numbers.std()
        if not scale > 1e-12 * max(abs(centre), 1e-300):  # only rounding makes it vary
            scale = 1.0
            numbers[:] = centre
        matrix[:, at] = (numbers - centre) / scale
        back[at, at] = 1 / scale
        back[0, at] = -centre / scale
        at += 1
    return matrix, back


class LinearFit(NamedTuple):
    """coefficients (p,), the first one the intercept; inverse: covariance of the coefficients
    divided by the residual variance.
    """

    coefficients: Floats
    inverse: Floats
    variance: float
    df: int


def fit_linear(design: Floats, response: Floats, ridge: float) -> LinearFit:
    """Least squares with a ridge on all coefficients but the intercept, which is column 0.

    >>> design = np.array([[1.0, 0.0], [1.0, 1.0], [1.0, 2.0]])
    >>> fit_linear(design, np.array([1.0, 3.0, 5.0]), 0.0).coefficients.round(9).tolist()
    [1.0, 2.0]
    """
    records, width = design.shape
    # around the means the intercept drops out, so the ridge does not shrink it
    centre = design[:, 1:].mean(axis=0)
    centred = design[:, 1:] - centre
    level = response.mean()
    of_slopes = symmetric_inverse(centred.T @ centred + ridge * np.eye(width - 1))
    slopes = of_slopes @ (centred.T @ (response - level))
    residuals = response - level - centred @ slopes
    df = max(records - width, 1)
    inverse = np.empty((width, width))
    inverse[1:, 1:] = of_slopes
    inverse[0, 1:] = inverse[1:, 0] = -of_slopes @ centre
    inverse[0, 0] = 1 / records + centre @ of_slopes @ centre
    coefficients = np.concatenate([[level - centre @ slopes], slopes])
    return LinearFit(coefficients, inverse, max(float(residuals @ residuals) / df, 1e-300), df)


def determined(design: Floats) -> tuple[Flags, int]:
    """Which coefficients the design determines, bool of shape (p,), and its rank. Column 0 is the
    intercept.

    A level without records, or the same variable twice, leaves coefficients open. A coefficient is
    determined when no combination of coefficients that changes no prediction contains it.

    >>> flags, rank = determined(np.array([[1.0, 0.0, 0.0], [1.0, 1.0, 1.0], [1.0, 2.0, 2.0]]))
    >>> flags.tolist(), rank
    ([True, False, False], 2)
    """
    lengths = np.linalg.norm(design, axis=0)
    scaled = design / np.where(lengths > 0, lengths, 1)
    triangle = np.linalg.qr(scaled, mode="r")
    _, singular, directions = np.linalg.svd(triangle)
    rank = int((singular > DEPENDENT * singular[0]).sum())
    unseen = directions[rank:]  # combinations that change no prediction
    return np.abs(unseen).max(axis=0, initial=0) <= OPEN, rank


def symmetric_inverse(matrix: Floats) -> Floats:
    """The inverse; directions the data do not determine get 0."""
    import scipy

    inverse: Floats = scipy.linalg.pinvh(matrix, atol=0, rtol=FLAT) if len(matrix) else matrix
    return inverse


# With K levels, the first one the reference, row i has probabilities proportional to exp(x_i'
# beta_k), beta_0 = 0. The fit minimises the negative log-likelihood plus ridge / 2 times the sum of
# squared coefficients: ridge is the precision of a normal prior around 0. (SciPy's minimisers end
# 1e-8 from the minimum, and with its conjugate gradients a separated level ends elsewhere.)


def probabilities(design: Floats, coefficients: Floats) -> Floats:
    """Shape (n, K), rows sum to 1; the reference level first."""
    scores = _scores(design, coefficients)
    np.exp(scores, out=scores)
    scores /= scores.sum(axis=1, keepdims=True)
    return scores


def _scores(design: Floats, coefficients: Floats) -> Floats:
    """x_i' beta_k, shape (n, K), less the largest of each row."""
    scores = np.empty((len(design), len(coefficients) + 1))
    scores[:, 0] = 0
    np.matmul(design, coefficients.T, out=scores[:, 1:])
    # exp() of a large score would overflow
    scores -= scores.max(axis=1, keepdims=True)
    return scores


def fit_multinomial(
    design: Floats, codes: Integers, levels: int, ridge: float
) -> tuple[Floats, bool]:
    """Coefficients, shape (K - 1, p), and whether the search for them converged. Column 0 of the
    design is the intercept.

    Newton's method; each step is solved by conjugate gradients, preconditioned with the information
    at constant probabilities. Nothing of the size of the information matrix, which has ((K - 1)
    p)^2 entries, is needed.

    Examples
    --------
    One record in four has the second level: the intercept is its log-odds.

    >>> coefficients, converged = fit_multinomial(np.ones((4, 1)), np.array([0, 0, 0, 1]), 2, 0.0)
    >>> bool(np.isclose(coefficients[0, 0], np.log(1 / 3))), converged
    (True, True)
    """
    current = np.zeros((max(levels - 1, 0), design.shape[1]))
    if levels < 2:
        return current, True
    # half a record more for each level, so none starts at the log of 0
    counts = np.bincount(codes, minlength=levels) + 0.5
    current[:, 0] = np.log(counts[1:] / counts[0])
    precondition = _preconditioner(design, counts / counts.sum(), ridge)
    value, gradient, fitted = evaluate(design, codes, current, ridge)
    for _ in range(MOST_STEPS):
        step = _newton_step(design, ridge, precondition, gradient, fitted)
        decrement = -(step * gradient).sum()
        if decrement <= 0:
            return current, True
        # the longest of the steps 1, 1/2, 1/4, ... that decreases enough; close to the minimum,
        # values differ by nothing but rounding
        start, before, length = current, value, 1.0
        for _ in range(MOST_SEARCHES):
            current = start + length * step
            value, gradient, fitted = evaluate(design, codes, current, ridge)
            if value <= before - ENOUGH * length * decrement + 1e-13 * (1 + abs(before)):
                break
            length /= 2
        if decrement < SOLVED:
            return current, True
    return current, False


def evaluate(
    design: Floats, codes: Integers, coefficients: Floats, ridge: float
) -> tuple[float, Floats, Floats]:
    """The penalised negative log-likelihood, its gradient, and the fitted probabilities without the
    reference level.
    """
    scores = _scores(design, coefficients)
    observed = scores[np.arange(len(codes)), codes].sum()
    np.exp(scores, out=scores)
    totals = scores.sum(axis=1, keepdims=True)
    penalty = ridge / 2 * (coefficients**2).sum()
    value = float(np.log(totals).sum() - observed + penalty)
    fitted = scores[:, 1:] / totals
    excess = fitted.copy()
    known = np.flatnonzero(codes > 0)
    excess[known, codes[known] - 1] -= 1
    return value, excess.T @ design + ridge * coefficients, fitted


def _newton_step(
    design: Floats,
    ridge: float,
    precondition: Callable[[Floats], Floats],
    gradient: Floats,
    fitted: Floats,
) -> Floats:
    """Solves information @ step = -gradient by conjugate gradients, the more exactly the closer the
    minimum is.
    """
    rest = -gradient
    solved = precondition(rest)
    product = (rest * solved).sum()
    # far from the minimum a rough step is as good as an exact one
    goal = min(0.1, np.sqrt(max(product, 0.0))) ** 2 * product
    step = np.zeros_like(gradient)
    direction = solved
    for _ in range(10 * gradient.size):
        if product <= goal or product == 0:
            break
        weighted = design @ direction.T
        weighted -= (fitted * weighted).sum(axis=1, keepdims=True)
        weighted *= fitted
        along = weighted.T @ design + ridge * direction
        curvature = (direction * along).sum()
        if curvature <= 0:  # flat in this direction: rank deficiency without ridge
            break
        rate = product / curvature
        step = step + rate * direction
        rest = rest - rate * along
        solved = precondition(rest)
        previous, product = product, (rest * solved).sum()
        direction = solved + product / previous * direction
    return step


def _preconditioner(design: Floats, shares: Floats, ridge: float) -> Callable[[Floats], Floats]:
    """The inverse of the information if every record had the same probabilities: (diag(s) - s s') x
    X'X + ridge, inverted through two small eigenproblems.
    """
    import scipy

    rest = shares[1:]
    weight, left = scipy.linalg.eigh(np.diag(rest) - np.outer(rest, rest))
    moment, right = scipy.linalg.eigh(design.T @ design)
    strength = np.outer(np.maximum(weight, 0), np.maximum(moment, 0)) + ridge
    most = max(strength.max(), 1e-300)
    # a direction that is only rounding would send a step anywhere: no step goes that way, and no
    # prediction depends on it
    scale = np.where(strength > ROUNDING * most, 1 / np.maximum(strength, FLAT * most), 0.0)
    return lambda matrix: left @ (scale * (left.T @ matrix @ right)) @ right.T


def information(design: Floats, coefficients: Floats, ridge: float) -> Floats:
    """Second derivatives of what is minimised, shape (q, q) with q = (K - 1) p, coefficients level
    by level. Sums over records in pieces.
    """
    count, width = coefficients.shape
    total = ridge * np.eye(count * width)
    size = max(1, CHUNK // max(count * width, 1))
    for start in range(0, len(design), size):
        x = design[start : start + size]
        fitted = probabilities(x, coefficients)[:, 1:]
        spread = (fitted[:, :, None] * x[:, None, :]).reshape(len(x), -1)
        total -= spread.T @ spread
        for level in range(count):
            block = slice(level * width, (level + 1) * width)
            total[block, block] += x.T @ (fitted[:, level, None] * x)
    return total
