"""Breaks between the classes of a numeric variable, in the styles of R's package classInt.

R's breaks are repeated to the last bit, because a value that equals a break belongs to the class
above it: sums run in R's order and precision, and multiples are formed as R forms them.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal, get_args

import numpy as np

from .core.arrays import Flags, Floats, Integers, Values
from .errors import InputError
from .r.pretty import even_steps, round_numbers

__all__ = ["Style", "class_breaks"]

Style = Literal["quantile", "equal", "sd", "pretty", "fixed"]

# For each type of quantile with continuous interpolation, the constants (a, b) of Hyndman and Fan.
PLOTTING_POSITIONS = {4: (0, 1), 5: (0.5, 0.5), 6: (0, 0), 8: (1 / 3, 1 / 3), 9: (3 / 8, 3 / 8)}
# The same constants without rounding.
EXACT_POSITIONS = {
    4: (Fraction(0), Fraction(1)),
    5: (Fraction(1, 2), Fraction(1, 2)),
    6: (Fraction(0), Fraction(0)),
    7: (Fraction(1), Fraction(1)),
    8: (Fraction(1, 3), Fraction(1, 3)),
    9: (Fraction(3, 8), Fraction(3, 8)),
}
# How far below a whole number a rank still counts as that number, in R's types 4 to 6, 8 and 9.
RANK_FUZZ = 4 * sys.float_info.epsilon
# Ranks among fewer records than this are R's doubles; among more, doubles miss them.
MOST_RECORDS_IN_DOUBLES = 2**50
# Sums of counts, themselves rounded, that 64 bits hold for certain.
SAFE_SUM = 2.0**62


def class_breaks(
    values: Floats,
    n: float,
    style: Style = "quantile",
    *,
    often: np.ndarray | None = None,
    type: int = 7,
    fixed_breaks: Sequence[float] | None = None,
    exact: bool = False,
) -> Floats:
    """Breaks between classes, those of R's ``classInt::classIntervals`` in increasing order without
    duplicates.

    Parameters
    ----------
    values : array of float
        Finite values in any order.
    n : number
        Number of classes asked for, truncated to an integer. Ties give fewer classes, and ``"sd"``
        and ``"pretty"`` only aim at this number. If it is not below the number of distinct values,
        every value has its own class, whatever the style.
    style : {"quantile", "equal", "sd", "pretty", "fixed"}
        Equal counts; equal widths; round multiples of the standard deviation from the mean; round
        numbers; the breaks given. ``"sd"`` and ``"pretty"`` refuse ranges that doubles cannot
        divide.
    often : array of int, optional
        How many records each value stands for; one by default.
    type : int
        One of the nine definitions of a sample quantile by Hyndman and Fan (1996); R's default is
        7.
    fixed_breaks : sequence of float, optional
        The breaks of style ``"fixed"``, in any order.
    exact : bool
        Find the ranks of quantiles in fractions. R's are rounded: 3 * (1/5) is above 0.6, so the
        record that is the quantile falls into the class below it (D50).

    Returns
    -------
    float64, shape (c + 1,)
        For a single distinct value v, where R stops, the one class ``[v, v]``.

    Notes
    -----
    R computes the quantiles' probabilities as multiples of 1/n, and 49 * (1/49) is below 1. For n =
    49 and a few others (98, 103, 107, ...) the last break can therefore fall short of the maximum,
    which then is in no class, in R as here (D49); `grouping.covering` repairs it.

    Examples
    --------
    >>> class_breaks(np.array([1.0, 2, 3, 4, 100]), 2)
    array([  1.,   3., 100.])
    >>> class_breaks(np.array([1.0, 2, 3, 5]), 4).round(3)
    array([0.333, 1.5  , 2.5  , 4.   , 5.667])
    """
    values = _checked_values(values, often)
    _check_choice("style", style, get_args(Style))
    _check_choice("type", type, range(1, 10))
    n = int(n)
    sample = _ordered(values, often)
    distinct = sample.distinct()
    low, high = float(distinct[0]), float(distinct[-1])
    # R stops here; a constant variable is no reason to refuse a call
    if distinct.size == 1:
        return np.array([low, high])
    # classInt does this for every style, the fixed one too
    if n >= distinct.size:
        breaks = _one_class_per_value(distinct)
    elif style == "quantile":
        breaks = _quantiles(sample, n, type, exact)
    elif style == "equal":
        breaks = even_steps(low, high, n)
    elif style == "sd":
        # in the order of the records: the sum that R rounds depends on it
        breaks = _round_deviations(values, often, n)
    elif style == "pretty":
        breaks = round_numbers(low, high, n)
    else:
        return _given_breaks(fixed_breaks)
    if not np.isfinite(breaks).all():
        raise InputError(
            f"values: their range is too wide or too narrow for style '{style}'",
            details={"lowest": low, "highest": high},
        )
    # ties give equal breaks, of which R keeps one
    return np.unique(breaks)


def _checked_values(values: Floats, often: Integers | None) -> Floats:
    values = np.asarray(values, dtype=np.float64)
    if not values.size:
        raise InputError("values: is empty; there is nothing to group")
    if not np.isfinite(values).all():
        raise InputError(
            "values: only finite values can be grouped, found"
            f" {_not_finite(values, often)}; set them to missing first"
        )
    return values


def _not_finite(values: Floats, often: Integers | None) -> str:
    """Which values are not finite, and how many records have them."""
    where = {"inf": np.isposinf(values), "-inf": np.isneginf(values), "nan": np.isnan(values)}
    parts = []
    for name, flags in where.items():
        records = _records(flags, often)
        if records:
            parts.append(f"{name} ({records} times)")
    return ", ".join(parts)


def _records(flags: Flags, often: Integers | None) -> int:
    """How many records the flagged values stand for."""
    if often is None:
        return int(flags.sum())
    return _sum(often[flags])


def _sum(counts: Integers) -> int:
    """The sum of whole numbers, however large."""
    return sum(counts.tolist()) if _is_large(counts) else int(counts.sum())


def _is_large(counts: Integers) -> bool:
    """Whether their sum may need more than 64 bits: several tables of 2^62 records, pooled."""
    return bool(counts.sum(dtype=np.float64) >= SAFE_SUM)


def _check_choice(argument: str, value: object, choices: Iterable[object]) -> None:
    choices = list(choices)
    if value not in choices:
        names = ", ".join(map(repr, choices))
        raise InputError(f"{argument}: {value!r} is not available; choose from {names}")


@dataclass(frozen=True, slots=True)
class _Sample:
    """Values in ascending order, the number of records up to and with each (None where every value
    is one record), and the number of all records. Numbers that 64 bits may not hold are Python's.
    """

    values: Floats
    up_to: Values | None
    size: int

    def at(self, rank: Values) -> Floats:
        """The values of the records at these ranks, counted from 0."""
        within: Values = np.minimum(np.maximum(rank, 0), self.size - 1)
        if self.up_to is None:
            return self.values[within]
        return self.values[np.searchsorted(self.up_to, within, side="right")]

    def distinct(self) -> Floats:
        differs = self.values[1:] != self.values[:-1]
        return self.values[np.flatnonzero(np.concatenate(([True], differs)))]


def _ordered(values: Floats, often: Integers | None) -> _Sample:
    if often is not None:
        # values that stand for many records are never repeated
        order = np.argsort(values, kind="stable")
        counts = often[order]
        up_to = np.cumsum(counts.astype(object) if _is_large(counts) else counts)
        return _Sample(values[order], up_to, int(up_to[-1]))
    is_sorted = (values[1:] >= values[:-1]).all()
    if not is_sorted:
        values = np.sort(values)
    return _Sample(values, None, values.size)


def _one_class_per_value(distinct: Floats) -> Floats:
    """Midpoints between neighbours; the ends lie half the mean gap outside."""
    with np.errstate(over="ignore", invalid="ignore"):
        gaps = np.diff(distinct)
        margin = _mean(gaps) / 2
        midpoints = distinct[:-1] + gaps / 2
        return np.concatenate([[distinct[0] - margin], midpoints, [distinct[-1] + margin]])


def _mean(values: Floats) -> float:
    """R's mean: in extended precision, corrected by the mean of the residuals."""
    values = values.astype(np.longdouble)
    first = _ordered_sum(values) / values.size
    correction = _ordered_sum(values - first) / values.size
    return float(first + correction)


def _ordered_sum(values: Values) -> np.longdouble:
    """Sum from left to right in C's long double, as R's; np.sum adds in another order."""
    total: np.longdouble = np.cumsum(values, dtype=np.longdouble)[-1]
    return total


def _quantiles(sample: _Sample, n: int, type: int, exact: bool) -> Floats:
    """Sample quantiles at 0, 1/n, ..., 1: a weighted mean of the order statistics j and j + 1,
    counted from 1.
    """
    if sample.size < MOST_RECORDS_IN_DOUBLES and not exact:
        probabilities = np.minimum(np.arange(n + 1) * (1 / n), 1)
        j, weight = _positions(probabilities, sample.size, type)
    else:
        j, weight = _exact_positions(n, sample.size, type)
    below = sample.at(j - 1)
    above = sample.at(j)
    result = np.where(weight == 1, above, below)
    # only where it makes a difference: a weighted mean of two equal values may be off by one bit
    between = (weight > 0) & (weight < 1) & (below != above)
    mixed = (1 - weight) * below + weight * above
    result[between] = mixed[between]
    return result


def _positions(probabilities: Floats, size: int, type: int) -> tuple[Integers, Floats]:
    """Rank j of the lower order statistic and the weight of the upper one, for each probability."""
    if type <= 3:
        return _discontinuous_positions(probabilities, size, type)
    rank: Floats
    if type == 7:
        # R 4.2 computes type 7, its default, in a separate way and without the fuzz
        rank = 1 + (size - 1) * probabilities
        j = np.floor(rank)
        weight = rank - j
    else:
        a, b = PLOTTING_POSITIONS[type]
        rank = a + probabilities * (size + 1 - a - b)
        j = np.floor(rank + RANK_FUZZ)
        weight = rank - j
        # as in R, which takes a rank this close to an order statistic for that statistic
        weight[np.abs(weight) < RANK_FUZZ] = 0
    return j.astype(np.int64), weight


def _discontinuous_positions(
    probabilities: Floats, size: int, type: int
) -> tuple[Integers, Floats]:
    """As `_positions`, for the types that take one value, or (type 2) the middle of two."""
    rank = size * probabilities
    if type == 3:
        rank = rank - 0.5
    j = np.floor(rank)
    if type == 1:
        weight = (rank > j).astype(np.float64)
    elif type == 2:
        weight = np.where(rank > j, 1.0, 0.5)
    else:  # to the nearest even rank
        is_odd = j % 2 == 1
        weight = ((rank != j) | is_odd).astype(np.float64)
    return j.astype(np.int64), weight


def _exact_positions(n: int, size: int, type: int) -> tuple[Values, Floats]:
    """As `_positions`, for the probabilities 0, 1/n, ..., 1, in whole numbers of any length."""
    ranks, weights = [], []
    for k in range(n + 1):
        j, rest = divmod(_exact_rank(Fraction(k, n), size, type), 1)
        ranks.append(j)
        weights.append(_exact_weight(j, rest, type))
    whole = np.int64 if size < MOST_RECORDS_IN_DOUBLES else object
    return np.array(ranks, dtype=whole), np.array(weights)


def _exact_rank(probability: Fraction, size: int, type: int) -> Fraction:
    if type <= 2:
        return size * probability
    if type == 3:
        return size * probability - Fraction(1, 2)
    a, b = EXACT_POSITIONS[type]
    return a + probability * (size + 1 - a - b)


def _exact_weight(j: int, rest: Fraction, type: int) -> float:
    """The weight of the upper order statistic, from the rank's whole part and the rest."""
    if type == 1:
        return float(rest > 0)
    if type == 2:
        return 1.0 if rest else 0.5
    if type == 3:  # to the nearest even rank
        return float(rest > 0 or j % 2 == 1)
    return float(rest)


def _round_deviations(values: Floats, often: Integers | None, n: int) -> Floats:
    """Round numbers on the scale of standard deviations from the mean, taken back to the scale of
    the values.
    """
    mean, deviation = _mean_and_deviation(values, often)
    # the caller refuses NaN with a message that names the range
    if not 0 < deviation < math.inf:
        return np.array([math.nan])
    low = (float(values.min()) - mean) / deviation
    high = (float(values.max()) - mean) / deviation
    return round_numbers(low, high, n) * deviation + mean


def _mean_and_deviation(values: Floats, often: Integers | None) -> tuple[float, float]:
    """Mean and standard deviation of the records, summed as R sums."""
    size = values.size
    times: Values | np.longdouble = np.longdouble(1)
    if often is not None:
        size = _sum(often)
        times = often.astype(np.longdouble)
    # classInt standardises with R's scale(), whose means are not corrected as those of mean() are
    mean = float(_ordered_sum(values * times) / np.longdouble(size))
    with np.errstate(over="ignore", under="ignore"):
        squares = (values - mean) ** 2
        total = float(_ordered_sum(squares * times))
    return mean, math.sqrt(total / (size - 1))


def _given_breaks(fixed_breaks: Sequence[float] | None) -> Floats:
    numbers = [] if fixed_breaks is None else fixed_breaks
    breaks = np.unique(np.asarray(numbers, dtype=np.float64))
    breaks = breaks[~np.isnan(breaks)]
    if breaks.size < 2:
        raise InputError(
            f"fixed_breaks: {fixed_breaks!r} does not bound a class; style 'fixed' needs two breaks"
            " or more"
        )
    return breaks
