"""Grouping a numeric variable into classes, with the breaks and labels that R's synthpop gets from
classInt and ``cut``.
"""

from __future__ import annotations

import itertools
import math
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np

from synthpop_py.errors import InputError
from synthpop_py.r.text import double_text

from .arrays import Floats, Integers, Values

__all__ = ["Grouping", "Style", "assign_classes", "class_breaks", "class_labels", "group"]

Style = Literal["quantile", "equal", "sd", "pretty", "fixed"]

LABEL_DIGITS = range(8, 13)
FEWEST_LEVELS = 3


@dataclass(frozen=True, slots=True, eq=False)
class Grouping:
    """Classes of one variable.

    Attributes
    ----------
    breaks : float64, shape (c + 1,)
        Increasing; equal only in the single class of a variable with one distinct value.
    labels : tuple of str
        The c classes in numeric order, then the special values as R writes them.
    style : str
        How the breaks were made in the end.
    changed : bool
        Whether the style asked for gave too few levels and equal widths were used instead.
    """

    breaks: Floats
    labels: tuple[str, ...]
    style: Style
    changed: bool


def group(
    pooled: Floats,
    n: float,
    style: Style = "quantile",
    special: Iterable[float] = (),
    median_split: bool = False,
    often: np.ndarray | None = None,
    **options: Any,
) -> Grouping:
    """Group a variable by the values it takes in the original and the synthetic data together.

    Fewer than three declared levels, classes and special values counted together, are replaced by
    classes of equal width, made without the options. So two quantile classes are always replaced
    (D22).

    Parameters
    ----------
    pooled : array of float
        Values of the original and of all syntheses. Missing (NaN) and special values take no part
        in the breaks.
    n : number
        Number of classes asked for; a fraction is cut off, as in R.
    style : {"quantile", "equal", "sd", "pretty", "fixed"}
    special : iterable of float
        Values that become levels of their own.
    median_split : bool
        Keep two quantile classes when two are asked for; only a single class is then replaced. R
        has no such mode.
    often : array of int, optional
        How many records each value stands for; one by default.
        **options
        ``type`` and ``fixed_breaks`` of :func:`class_breaks`.

    Examples
    --------
    >>> ages = np.array([20, 30, 40, 50, 60, -8, np.nan])
    >>> group(ages, 4, special=[-8]).labels
    ('[20,30)', '[30,40)', '[40,50)', '[50,60]', '-8')
    >>> group(np.array([1.0, 2, 3, 100]), 2).labels
    ('[1,50.5)', '[50.5,100]')
    >>> group(np.array([1.0, 2, 3, 100]), 2, median_split=True).labels
    ('[1,2.5)', '[2.5,100]')
    """
    codes = [float(value) for value in dict.fromkeys(special) if not math.isnan(value)]
    values, often = _ordinary(pooled, often, codes)
    if not values.size:
        raise InputError(
            "pooled: the variable has only missing or special values, so it cannot be grouped"
        )

    breaks = class_breaks(values, n, style, often=often, **options)
    classes = len(breaks) - 1
    if median_split and int(n) == 2:
        too_few = classes < 2
    else:
        too_few = classes + len(codes) < FEWEST_LEVELS
    if too_few:
        style = "equal"
        breaks = class_breaks(values, n, style, often=often)
    labels = (*class_labels(breaks), *map(double_text, codes))
    return Grouping(breaks, labels, style, changed=too_few)


def class_breaks(
    values: Floats,
    n: float,
    style: Style = "quantile",
    *,
    often: np.ndarray | None = None,
    type: int = 7,
    fixed_breaks: Sequence[float] | None = None,
) -> Floats:
    """Breaks between classes, those of R's ``classInt::classIntervals`` in increasing order without
    duplicates.

    Parameters
    ----------
    values : array of float
        Finite values in any order.
    n : number
        Number of classes asked for, cut off to an integer. Fewer come out where values are tied,
        and ``"sd"`` and ``"pretty"`` only aim at it. If it is not below the number of distinct
        values, every value has its own class, whatever the style.
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

    Returns
    -------
    float64, shape (c + 1,)
        For a single distinct value v, where R stops, the one class ``[v, v]``.

    Notes
    -----
    R computes the quantiles' probabilities as multiples of 1/n, and 49 * (1/49) is below 1. For n =
    49 and a few others (98, 103, 107, ...) the last break can therefore fall short of the maximum,
    which then is in no class, in R as here.

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
    ordered = sample.values
    distinct = ordered[np.flatnonzero(np.concatenate(([True], ordered[1:] != ordered[:-1])))]
    low, high = float(ordered[0]), float(ordered[-1])

    if distinct.size == 1:
        return np.array([low, high])
    if n >= distinct.size:
        breaks = _one_class_per_value(distinct)
    elif style == "quantile":
        breaks = _quantiles(sample, n, type)
    elif style == "equal":
        breaks = _even_steps(low, high, n)
    elif style == "sd":
        breaks = _round_deviations(values, often, n)
    elif style == "pretty":
        breaks = _round_numbers(low, high, n)
    else:
        return _given_breaks(fixed_breaks)
    if not np.isfinite(breaks).all():
        raise InputError(
            f"values: the range from {low!r} to {high!r} is too wide or too narrow for style"
            f" '{style}'"
        )
    return np.unique(breaks)


def class_labels(breaks: Floats) -> list[str]:
    """Labels of left-closed classes with at least eight significant digits, as R's ``cut(dig.lab =
    8)`` writes them.

    Digits are added, up to twelve, until neighbouring breaks differ; if they never do, R counts the
    classes.

    Examples
    --------
    >>> class_labels(np.array([0, 1 / 3, 1]))
    ['[0,0.33333333)', '[0.33333333,1]']
    >>> class_labels(np.array([1e9 + 0.1, 1e9 + 0.4, 2e9]))
    ['[1000000000.1,1000000000.4)', '[1000000000.4,2000000000]']
    >>> class_labels(np.array([1, 1 + 1e-14, 1 + 2e-14]))
    ['Range_1', 'Range_2']
    """
    numbers = [float(value) + 0.0 for value in breaks]  # + 0.0 takes the sign from a negative zero
    single_value = len(numbers) == 2 and numbers[0] == numbers[1]
    for digits in LABEL_DIGITS:
        ends = [f"{value:.{digits}g}".replace("inf", "Inf") for value in numbers]
        pairs = list(itertools.pairwise(ends))
        if single_value or all(left != right for left, right in pairs):
            labels = [f"[{left},{right})" for left, right in pairs]
            return [*labels[:-1], labels[-1][:-1] + "]"]
    return [f"Range_{i + 1}" for i in range(len(pairs))]


def assign_classes(values: Floats, breaks: Floats) -> Integers:
    """Class of each value, from 0: left-closed, the last class closed on both sides; -1 outside the
    breaks and for NaN.

    Examples
    --------
    >>> assign_classes(np.array([1.0, 2, 3, 4, np.nan]), np.array([1.0, 2, 3]))
    array([ 0,  1,  1, -1, -1])
    """
    values = np.asarray(values, dtype=np.float64)
    codes = np.searchsorted(breaks, values, side="right").astype(np.int64) - 1
    codes[values == breaks[-1]] = len(breaks) - 2
    codes[~(values <= breaks[-1])] = -1
    return codes


def _ordinary(
    pooled: np.ndarray, often: np.ndarray | None, special: list[float]
) -> tuple[np.ndarray, np.ndarray | None]:
    """Values that are neither missing nor special, and how often each occurs."""
    pooled = np.asarray(pooled, dtype=np.float64)
    keep = ~np.isnan(pooled)
    for value in special:
        keep &= pooled != value
    return pooled[keep], None if often is None else often[keep]


def _checked_values(values: np.ndarray, often: np.ndarray | None) -> np.ndarray:
    values = np.asarray(values, dtype=np.float64)
    if not values.size:
        raise InputError("values: there are none, so they cannot be grouped")
    if not np.isfinite(values).all():
        found = {"inf": np.isposinf(values), "-inf": np.isneginf(values), "nan": np.isnan(values)}
        times = {
            name: where.sum() if often is None else often[where].sum()
            for name, where in found.items()
        }
        text = ", ".join(f"{name} ({n} times)" for name, n in times.items() if n)
        raise InputError(
            f"values: only finite values can be grouped, found {text}; set them to missing first"
        )
    return values


@dataclass(frozen=True, slots=True)
class _Sample:
    """Values in ascending order, the number of records up to and with each (None where every value
    is one record), and the number of all records.
    """

    values: Floats
    up_to: Integers | None
    size: int

    def at(self, rank: Integers) -> Floats:
        """The values of the records at these ranks, counted from 0."""
        within: Integers = np.minimum(np.maximum(rank, 0), self.size - 1)
        if self.up_to is None:
            return self.values[within]
        return self.values[np.searchsorted(self.up_to, within, side="right")]


def _ordered(values: np.ndarray, often: np.ndarray | None) -> _Sample:
    if often is not None:
        order = np.argsort(values, kind="stable")
        up_to = np.cumsum(often[order])
        return _Sample(values[order], up_to, int(up_to[-1]))
    is_sorted = (values[1:] >= values[:-1]).all()
    return _Sample(values if is_sorted else np.sort(values), None, values.size)


def _check_choice(argument: str, value: object, choices: Iterable[object]) -> None:
    choices = list(choices)
    if value not in choices:
        raise InputError(
            f"{argument}: {value!r} is not available; choose from {', '.join(map(repr, choices))}"
        )


def _one_class_per_value(distinct: Floats) -> Floats:
    """Midpoints between neighbours; the ends lie half the mean gap outside."""
    with np.errstate(over="ignore", invalid="ignore"):
        gaps = np.diff(distinct)
        margin = _mean(gaps) / 2
        return np.concatenate(
            [[distinct[0] - margin], distinct[:-1] + gaps / 2, [distinct[-1] + margin]]
        )


def _mean(values: Floats) -> float:
    """R's mean: in extended precision, corrected by the mean of the residuals."""
    values = values.astype(np.longdouble)
    first = _ordered_sum(values) / values.size
    return float(first + _ordered_sum(values - first) / values.size)


def _ordered_sum(values: Values) -> np.longdouble:
    """Sum from left to right in C's long double, as R's; np.sum adds in another order."""
    total: np.longdouble = np.cumsum(values, dtype=np.longdouble)[-1]
    return total


# For each type of quantile with continuous interpolation, the constants (a, b) of Hyndman and Fan.
PLOTTING_POSITIONS = {4: (0, 1), 5: (0.5, 0.5), 6: (0, 0), 8: (1 / 3, 1 / 3), 9: (3 / 8, 3 / 8)}


def _quantiles(sample: _Sample, n: int, type: int) -> np.ndarray:
    """Sample quantiles at 0, 1/n, ..., 1: a weighted mean of the order statistics j and j + 1,
    counted from 1.
    """
    probabilities = np.minimum(np.arange(n + 1) * (1 / n), 1)
    j, weight = _positions(probabilities, sample.size, type)
    below, above = sample.at(j - 1), sample.at(j)
    result = np.where(weight == 1, above, below)
    between = (weight > 0) & (weight < 1) & (below != above)
    mixed = (1 - weight) * below + weight * above
    result[between] = mixed[between]
    return result


def _positions(probabilities: Floats, size: int, type: int) -> tuple[Integers, Floats]:
    """Rank j of the lower order statistic and the weight of the upper one, for each probability."""
    rank: Floats
    if type <= 3:
        rank = size * probabilities - (0.5 if type == 3 else 0)
        j = np.floor(rank)
        if type == 1:
            weight = (rank > j).astype(np.float64)
        elif type == 2:
            weight = np.where(rank > j, 1.0, 0.5)
        else:
            weight = ((rank != j) | (j % 2 == 1)).astype(np.float64)
    elif type == 7:
        rank = 1 + (size - 1) * probabilities
        j = np.floor(rank)
        weight = rank - j
    else:
        a, b = PLOTTING_POSITIONS[type]
        fuzz = 4 * sys.float_info.epsilon
        rank = a + probabilities * (size + 1 - a - b)
        j = np.floor(rank + fuzz)
        weight = rank - j
        weight[np.abs(weight) < fuzz] = 0
    return j.astype(np.int64), weight


def _even_steps(low: float, high: float, n: int) -> Floats:
    """n + 1 equidistant numbers, the ends exactly as given."""
    scale = 1 if math.isfinite(high - low) else 4
    start, end = low / scale, high / scale
    inner = start + np.arange(1, n) * ((end - start) / n)
    return np.concatenate([[start], inner, [end]]) * scale


def _round_deviations(values: np.ndarray, often: np.ndarray | None, n: int) -> np.ndarray:
    """Round numbers on the scale of standard deviations from the mean, taken back to the scale of
    the values.
    """
    times = np.longdouble(1) if often is None else often.astype(np.longdouble)
    size = values.size if often is None else int(often.sum())
    low, high = float(values.min()), float(values.max())
    mean = float(_ordered_sum(values * times) / size)
    with np.errstate(over="ignore", under="ignore"):
        squares = float(_ordered_sum((values - mean) ** 2 * times))
    deviation = math.sqrt(squares / (size - 1))
    if not 0 < deviation < math.inf:
        return np.array([math.nan])
    return _round_numbers((low - mean) / deviation, (high - mean) / deviation, n) * deviation + mean


def _round_numbers(low: float, high: float, n: int) -> Floats:
    """About n steps of 1, 2 or 5 times a power of ten that cover the range: R's ``pretty`` with its
    default settings.
    """
    unit = _round_unit(low, high, n)
    fewest, tolerance = n // 3, 1e-10
    first = math.floor(low / unit + tolerance)
    last = math.ceil(high / unit - tolerance)
    while first * unit > low + tolerance * unit:
        first -= 1
    while last * unit < high - tolerance * unit:
        last += 1
    steps = last - first
    if steps < fewest:
        first, last = _widened(first, last, fewest - steps, low, high)
        steps = fewest
    start, end = min(low, first * unit), max(high, last * unit)
    if steps == 0 or not math.isfinite(end - start):
        return np.array([math.nan])
    breaks = _even_steps(start, end, steps)
    breaks[np.abs(breaks) < 1e-14 * (end / steps - start / steps)] = 0
    return breaks


def _round_unit(low: float, high: float, n: int) -> float:
    """Step of 1, 2, 5 or 10 times a power of ten that is closest to an n-th of the range, with R's
    bias to larger ones.
    """
    bias, bias_to_5 = 1.5, 2.75
    size = max(abs(low), abs(high))
    range_ = high - low
    relative_limit = (1 + 1 / (1 + bias)) * max(1, n) * sys.float_info.epsilon * 3
    if range_ < size * relative_limit:
        cell = (9 + size / 10 if size > 10 else size) * 0.75 / max(1, n // 3)
    else:
        cell = range_ / n
    smallest, largest = 2.0**-20 * sys.float_info.min, sys.float_info.max / 1.25
    cell = min(max(cell, smallest), largest)

    power = 10.0 ** math.floor(math.log10(cell))
    unit = power
    for multiple, factor in ((2, bias), (5, bias_to_5), (10, bias)):
        if not multiple * power - cell < factor * (cell - unit):
            break
        unit = multiple * power
    return unit


def _widened(first: int, last: int, by: int, low: float, high: float) -> tuple[int, int]:
    """Add steps on both sides, but never beyond a zero that bounds the values."""
    if low == 0 and first == 0 and high != 0:
        return first, last + by
    if high == 0 and last == 0 and low != 0:
        return first - by, last
    half, rest = divmod(by, 2)
    return (first - half - rest, last + half) if first >= 0 else (first - half, last + half + rest)


def _given_breaks(fixed_breaks: Sequence[float] | None) -> Floats:
    breaks = np.unique(np.asarray([] if fixed_breaks is None else fixed_breaks, dtype=np.float64))
    breaks = breaks[~np.isnan(breaks)]
    if breaks.size < 2:
        raise InputError(
            f"fixed_breaks: {fixed_breaks!r} does not bound a class; style 'fixed' needs two breaks"
            " or more"
        )
    return breaks
