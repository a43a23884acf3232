"""Numbers put into classes, with the breaks of R's package classInt and the labels of ``cut``: one
array of values by `group`, a variable of several tables by `put_into_classes`.

R's rounding is repeated to the last bit, because a value that equals a break belongs to the class
above it: sums run in R's order and precision, and multiples are formed as R forms them.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import pairwise
from typing import Any, Literal, NamedTuple

import numpy as np

from .core.arrays import Floats, Integers, Values, distinct_sorted
from .errors import InputError
from .levels import Factor
from .r.pretty import even_steps, round_numbers
from .r.text import double_text

Style = Literal["quantile", "equal", "sd", "pretty", "fixed"]

LABEL_DIGITS = range(8, 13)  # R's cut(dig.lab = 8) adds digits up to twelve
FEWEST_LEVELS = 3
HALF, THIRD, EIGHTH = Fraction(1, 2), Fraction(1, 3), Fraction(1, 8)
# For each of the nine sample quantiles of Hyndman and Fan (1996) two constants: among N records
# that of a share p has the rank a + p (N + 1 - a - b), counted from 1.
POSITIONS: dict[int, tuple[Any, Any]] = {
    **dict.fromkeys((1, 2, 4), (0, 1)),
    3: (-HALF, 3 * HALF),
    **{type: (a, a) for type, a in {5: HALF, 6: 0, 7: 1, 8: THIRD, 9: 3 * EIGHTH}.items()},
}
FUZZY = (4, 5, 6, 8, 9)  # R computes type 7, its default, in a separate way
RANK_FUZZ = 4 * sys.float_info.epsilon  # below a whole number R takes a rank for that number


@dataclass(frozen=True, slots=True, eq=False)
class Grouping:
    """Classes of one variable."""

    breaks: Floats  # (c + 1,), increasing; equal only in the single class of one value
    labels: tuple[str, ...]  # the c classes in numeric order, then the special values as in R
    style: Style  # the one that made the breaks
    changed: bool  # the style asked for gave too few levels, and equal widths were used instead
    outside: tuple[int, ...] = ()  # how many records of each table fixed breaks leave out
    apart: bool = False  # some synthesis has no class in common with the original
    unused_breaks: bool = False  # breaks were given, but too few to be used


def group(
    pooled: Floats,
    n: float,
    style: Style = "quantile",
    special: Iterable[float] = (),
    median_split: bool = False,
    often: np.ndarray | None = None,
    exact: bool = False,
    **options: Any,
) -> Grouping:
    """Group a variable by the values it takes in the original and the synthetic data together.

    Missing (NaN) and `special` values take no part in the breaks; each special value becomes a
    separate level. Fewer than three levels, classes and special values counted together, are
    replaced by classes of equal width, made without the `options` of `class_breaks`. So two
    quantile classes are always replaced (D22), unless `median_split` keeps them, which R has not.
    `exact`: every value lies in the class whose label holds it; R's rounding may put it elsewhere
    (D49, D50). Fixed breaks stay as they are.

    >>> ages = np.array([20, 30, 40, 50, 60, -8, np.nan])
    >>> group(ages, 4, special=[-8]).labels
    ('[20,30)', '[30,40)', '[40,50)', '[50,60]', '-8')
    """
    apart = [float(value) for value in dict.fromkeys(special) if not math.isnan(value)]
    values = np.asarray(pooled, dtype=np.float64)
    ordinary = ~np.isnan(values) & ~np.isin(values, apart)
    values = values[ordinary]
    if often is not None:
        often = often[ordinary]
    if not values.size:
        raise InputError("the variable has only missing or special values, so it cannot be grouped")
    breaks = class_breaks(values, n, style, often=often, exact=exact, **options)
    # synthpop counts levels, not classes: one class beside two special values is enough
    levels, fewest = len(breaks) - 1 + len(apart), FEWEST_LEVELS
    if median_split and int(n) == 2:
        levels, fewest = len(breaks) - 1, 2
    changed, given = levels < fewest, style
    if changed:
        style = "equal"
        breaks = class_breaks(values, n, style, often=often)
    distinct = None
    if exact and style != "fixed":
        distinct = distinct_sorted(np.sort(values))
        breaks = told_apart(stretched(breaks, distinct), distinct)
    labels = class_labels(breaks, distinct)
    labels += map(double_text, apart)
    unused = changed and given == "fixed"
    return Grouping(breaks, tuple(labels), style, changed, unused_breaks=unused)


def assign_classes(values: Floats, breaks: Floats) -> Integers:
    """Class of each value, from 0: left-closed, the last class closed on both sides; -1 outside the
    breaks and for NaN.

    >>> assign_classes(np.array([1.0, 2, 3, 4, np.nan]), np.array([1.0, 2, 3]))
    array([ 0,  1,  1, -1, -1])
    """
    values = np.asarray(values, dtype=np.float64)
    codes = np.searchsorted(breaks, values, side="right").astype(np.int64) - 1
    # R's cut(right = FALSE, include.lowest = TRUE) closes the last class on the right
    last = breaks[-1]
    codes[values == last] = len(breaks) - 2
    codes[~(values <= last)] = -1  # NaN too, which is not below anything
    return codes


def class_of(values: Floats, made: Grouping, special: Sequence[Any]) -> Integers:
    """The class of each value, or the level of a special value; -1 outside of all."""
    codes = assign_classes(values, made.breaks)
    classes = len(made.labels) - len(special)
    for code, value in enumerate(special, start=classes):
        codes[values == value] = code
    return codes


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
    duplicates. For a single distinct value v, where R stops: the class ``[v, v]``.

    `often` says how many records each value stands for. `n` is cut off to a whole number, and only
    aimed at by "sd" and "pretty". If it is not below the number of distinct values, each has its
    own class. Styles: equal counts (`type` says by which quantiles); equal widths; round multiples
    of the standard deviation from the mean; round numbers; `fixed_breaks`, in any order. `exact`
    ranks of quantiles are fractions; R's are rounded, so the record that is the quantile may fall
    into the class below it (D50), and the maximum into none (D49).

    >>> class_breaks(np.array([1.0, 2, 3, 4, 100]), 2)
    array([  1.,   3., 100.])
    """
    values = np.asarray(values, dtype=np.float64)
    if not np.isfinite(values).all():
        raise InputError("only finite values can be grouped; set inf and -inf to missing first")
    if not isinstance(type, Hashable) or type not in POSITIONS:
        choices = ", ".join(map(str, sorted(POSITIONS)))
        raise InputError(f"type: {type!r} is not available; choose from {choices}")
    n = int(n)
    if often is None:
        ordered, up_to = np.sort(values), np.arange(1, len(values) + 1, dtype=np.uint64)
    else:
        order = np.argsort(values, kind="stable")
        ordered, up_to = values[order], np.cumsum(often[order], dtype=np.uint64)
    distinct = distinct_sorted(ordered)
    low, high = float(distinct[0]), float(distinct[-1])
    if distinct.size == 1:
        return np.array([low, high])
    # classInt does this for every style, the fixed one too
    if n >= distinct.size:
        breaks = _one_class_per_value(distinct)
    elif style == "quantile":
        breaks = _quantiles(ordered, up_to, n, type, exact)
    elif style == "equal":
        breaks = even_steps(low, high, n)
    elif style == "sd":
        # in the order of the records: the sum that R rounds depends on it
        times = np.ones(len(values)) if often is None else often
        breaks = _round_deviations(values, times.astype(np.longdouble), n)
    elif style == "pretty":
        breaks = round_numbers(low, high, n)
    else:
        given = [] if fixed_breaks is None else fixed_breaks
        breaks = np.unique(np.array(given, dtype=np.float64))
        if breaks.size < 2:
            raise InputError(f"fixedBreaks: {fixed_breaks!r} bound no class; give two or more")
        return breaks
    if not np.isfinite(breaks).all():
        ends = {"lowest": low, "highest": high}
        raise InputError(f"too wide or too narrow a range for style '{style}'", details=ends)
    # ties give equal breaks, of which R keeps one
    return np.unique(breaks)


def _one_class_per_value(distinct: Floats) -> Floats:
    """Midpoints between neighbours; the ends lie half the mean gap outside."""
    with np.errstate(over="ignore", invalid="ignore"):
        gaps = np.diff(distinct)
        # R's mean: in extended precision, corrected by the mean of the residuals
        mean = _ordered_sum(gaps) / gaps.size
        residuals = gaps.astype(np.longdouble) - mean
        mean += _ordered_sum(residuals) / gaps.size
        margin = float(mean) / 2
        midpoints = distinct[:-1] + gaps / 2
        return np.concatenate([[distinct[0] - margin], midpoints, [distinct[-1] + margin]])


def _ordered_sum(values: Values) -> np.longdouble:
    """Sum from left to right in C's long double, as R's; np.sum adds in another order."""
    total: np.longdouble = np.cumsum(values, dtype=np.longdouble)[-1]
    return total


def _quantiles(ordered: Floats, up_to: Values, n: int, type: int, exact: bool) -> Floats:
    """Sample quantiles at 0, 1/n, ..., 1: a weighted mean of two neighbouring records; `up_to` are
    the records up to and with each value.
    """
    size = int(up_to[-1])
    a, b = POSITIONS[type]
    if exact:
        # in whole numbers: position a + k (size + 1 - a - b) / n times the denominator
        denominator = n * a.denominator * b.denominator
        step = int((size + 1 - a - b) * denominator) // n
        position = int(a * denominator) + np.arange(n + 1, dtype=object) * step
        rank, rest = position // denominator, position % denominator / denominator
        fuzz = 0.0
    else:
        fuzz = RANK_FUZZ if type in FUZZY else 0.0
        shares = np.minimum(np.arange(n + 1) * (1 / n), 1.0)
        position = float(a) + shares * (size + 1 - float(a) - float(b))
        # as in R, which takes a position this close to a whole number for that number
        rank = np.floor(position + fuzz)
        rest = position - rank
    weight = np.where(abs(rest) < fuzz, 0, rest).astype(float)  # of the record after that rank
    if type == 1:
        weight = np.ceil(weight)
    elif type == 2:  # the middle of two
        weight = np.where(weight > 0, 1, 0.5)
    elif type == 3:  # to the nearest even rank
        weight = np.where(rank % 2 == 1, 1, np.ceil(weight))
    places = [np.clip(one, 0, size - 1).astype(np.uint64) for one in (rank - 1, rank)]
    below, above = (ordered[np.searchsorted(up_to, one, side="right")] for one in places)
    result: Floats = np.where(weight == 1, above, below)
    # only where it makes a difference: a weighted mean of two equal values may be off by one bit
    between = (weight > 0) & (weight < 1) & (below != above)
    mean = (1 - weight) * below + weight * above
    result[between] = mean[between]
    return result


def _round_deviations(values: Floats, times: Values, n: int) -> Floats:
    """Round numbers of standard deviations from the mean, on the scale of the values."""
    size = times.sum()
    # classInt standardises with R's scale(), whose means are not corrected as those of mean() are
    mean = float(_ordered_sum(values * times) / size)
    with np.errstate(over="ignore", under="ignore"):
        total = float(_ordered_sum((values - mean) ** 2 * times))
    deviation = math.sqrt(total / (float(size) - 1))
    # the caller refuses NaN with a message that names the range
    if not 0 < deviation < math.inf:
        return np.array([math.nan])
    low = (float(values.min()) - mean) / deviation
    high = (float(values.max()) - mean) / deviation
    return round_numbers(low, high, n) * deviation + mean


def stretched(breaks: Floats, values: Floats) -> Floats:
    """Breaks whose outer ones hold the smallest and the largest value."""
    first, last = min(breaks[0], values.min()), max(breaks[-1], values.max())
    if first == breaks[0] and last == breaks[-1]:
        return breaks
    wider = breaks.copy()
    wider[[0, -1]] = first, last
    return wider


def covering(grouping: Grouping, pooled: Floats) -> Grouping:
    """The grouping itself, or with stretched outer classes, unless the user gave the breaks."""
    breaks = stretched(grouping.breaks, pooled)
    if grouping.style == "fixed" or breaks is grouping.breaks:
        return grouping
    special = grouping.labels[len(breaks) - 1 :]
    return replace(grouping, breaks=breaks, labels=(*class_labels(breaks), *special))


def told_apart(breaks: Floats, distinct: Floats) -> Floats:
    """Breaks by which every value lies in the class whose label holds it: one that twelve digits
    cannot tell from a value below it becomes that value, because what lies between is rounding.

    >>> told_apart(np.array([0, 3, 5.000000000000001, 9]), np.arange(10.0)).tolist()
    [0.0, 3.0, 5.0, 9.0]
    """
    moved = breaks.copy()
    for place in range(1, len(breaks) - 1):
        text = _end_text(breaks[place])
        at = np.searchsorted(distinct, breaks[place])
        while at and _end_text(distinct[at - 1]) == text:
            at -= 1
            moved[place] = distinct[at]
    # classes may be narrower than twelve digits can say
    return moved if len(np.unique(moved)) == len(breaks) else breaks


def same_classes(values: Floats, one: Grouping, other: Grouping) -> bool:
    """Whether two groupings that hold all values put each into a class of the same name."""
    if one.labels != other.labels:
        return False
    ordered = np.sort(values)
    below = np.searchsorted(ordered, one.breaks[1:-1])
    others = np.searchsorted(ordered, other.breaks[1:-1])
    return np.array_equal(below, others)


def class_labels(breaks: Floats, distinct: Floats | None = None) -> list[str]:
    """Labels of left-closed classes with at least eight significant digits, as R's ``cut(dig.lab =
    8)`` writes them.

    Digits are added, up to twelve, until neighbouring breaks differ, and the labels hold the
    `distinct` values, where given; if they never do, R counts the classes.

    >>> class_labels(np.array([1e9 + 0.1, 1e9 + 0.4, 2e9]))
    ['[1000000000.1,1000000000.4)', '[1000000000.4,2000000000]']
    """
    single_value = len(breaks) == 2 and not np.diff(breaks).any()
    for digits in LABEL_DIGITS:
        ends = [_end_text(number, digits) for number in breaks]
        apart = all(left != right for left, right in pairwise(ends))
        # the ends of [v, v] never differ
        if single_value or (apart and _hold(ends, digits, breaks, distinct)):
            labels = [f"[{left},{right})" for left, right in pairwise(ends)]
            labels[-1] = f"[{ends[-2]},{ends[-1]}]"
            return labels
    return [f"Range_{i}" for i in range(1, len(breaks))]


def _hold(ends: list[str], digits: int, breaks: Floats, distinct: Floats | None) -> bool:
    """Whether bounds as they are written hold the values next to each break that it holds."""
    if distinct is None:
        return True
    first = np.searchsorted(distinct, breaks)
    near = distinct[np.clip([first - 1, first], 0, len(distinct) - 1)].ravel()
    written = near.copy()
    for at, value in enumerate(near.tolist()):
        if float(_end_text(value)) != value:
            written[at] = float(_end_text(value, digits))
    bounds = np.array(ends, dtype=np.float64)
    classes = assign_classes(written, bounds)
    return np.array_equal(classes, assign_classes(near, breaks))


def _end_text(number: float, digits: int = LABEL_DIGITS[-1]) -> str:
    text = f"{number + 0.0:.{digits}g}"  # + 0.0 takes the sign from a negative zero
    return text.replace("inf", "Inf")


class Classes(NamedTuple):
    """A variable in classes, original first: one level for every class, then the special values."""

    factors: list[Factor]
    grouping: Grouping


def put_into_classes(
    factors: Sequence[Factor], n: int, special: Sequence[Any], style: dict[str, Any], name: Hashable
) -> Classes:
    """Numbers in classes that are made from the values of all tables."""
    values, often = pooled(factors, special, style, name)
    correct = {"median_split": True, "exact": True, **style}
    try:
        made = group(values, n, special=special, often=often, **correct)
    except InputError as error:
        raise of_column(error, name) from error
    return in_classes(factors, made, special)


def of_column(error: InputError, name: Hashable) -> InputError:
    """The error with the column it is about."""
    return InputError(f"grouping of column {name!r}: {error}", details=error.details)


def pooled(
    factors: Sequence[Factor], special: Sequence[Any], style: dict[str, Any], name: Hashable
) -> tuple[Floats, Integers | None]:
    """The values of all tables but the special ones, and how many records have each."""
    values, often = [], []
    for table, factor in enumerate(factors):
        if not factor.is_number:
            told = (
                f"column {name!r} is numeric in the original but not in synthetic data set {table}"
            )
            raise InputError(f"ngroups: {told}; it cannot be grouped")
        levels = np.asarray(factor.levels, dtype=np.float64)
        records = factor.records()[:-1]
        if style.get("style") == "sd":
            # adds all values up, in the order of the records, as R does
            levels = np.append(levels, math.nan)[factor.place[factor.rows.codes]]
            n = factor.rows.n
            records = np.ones(len(levels), dtype=np.int64) if n is None else n
        used = (records > 0) & ~np.isnan(levels) & ~np.isin(levels, special)
        values.append(levels[used])
        often.append(records[used])
    if not any(map(len, values[1:])):
        told = f"ngroups: column {name!r} of the synthetic data"
        raise InputError(f"{told} has only missing or special values; it cannot be grouped")
    counted = np.concatenate(often)
    return np.concatenate(values), None if (counted == 1).all() else counted


def in_classes(factors: Sequence[Factor], made: Grouping, special: Sequence[Any]) -> Classes:
    """The factors of classes; values outside fixed breaks count as missing."""
    moved, outside, gap = [], [], len(made.labels)
    for factor in factors:
        levels = np.asarray(factor.levels, dtype=np.float64)
        codes = class_of(levels, made, special)
        beyond = (codes < 0) & ~np.isnan(levels)
        if made.style == "fixed":
            records = factor.records()[:-1]
            outside.append(int(records[beyond].sum()))
        codes[codes < 0] = gap
        moved.append(factor.moved("factor", made.labels, np.append(codes, gap)))
    original, *others = (factor.occurring() for factor in moved)
    apart = any(not (original & other).any() for other in others)
    return Classes(moved, replace(made, outside=tuple(outside), apart=apart))
