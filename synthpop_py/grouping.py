"""Grouping a numeric variable into classes, with the breaks and labels that R's synthpop gets from
classInt and ``cut``.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from .breaks import Style, class_breaks
from .core.arrays import Floats, Integers
from .errors import InputError
from .levels import Factor
from .r.text import double_text

__all__ = [
    "Classes",
    "Grouping",
    "assign_classes",
    "class_breaks",
    "class_labels",
    "covering",
    "group",
    "in_classes",
    "of_column",
    "pooled",
    "put_into_classes",
    "same_classes",
    "stretched",
    "told_apart",
]

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
        The style that made the breaks.
    changed : bool
        Whether the style asked for gave too few levels and equal widths were used instead.
    outside : tuple of int
        Of fixed breaks: how many records of each table they leave out. Empty for other styles.
    apart : bool
        Whether some synthesis has no class in common with the original.
    unused_breaks : bool
        Whether breaks were given, but too few to be used.
    """

    breaks: Floats
    labels: tuple[str, ...]
    style: Style
    changed: bool
    outside: tuple[int, ...] = ()
    apart: bool = False
    unused_breaks: bool = False


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
        Values that each become a separate level.
    median_split : bool
        Keep two quantile classes when two are asked for; only a single class is then replaced. R
        has no such mode.
    often : array of int, optional
        How many records each value stands for; one by default.
    exact : bool
        Every value lies in the class whose label holds it; R's rounding may put it elsewhere (D49,
        D50). Fixed breaks stay as they are.
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
    numbers = dict.fromkeys(special)
    special_values = [float(value) for value in numbers if not math.isnan(value)]
    values, often = _ordinary(pooled, often, special_values)
    if not values.size:
        raise InputError(
            "pooled: the variable has only missing or special values, so it cannot be grouped"
        )
    breaks = class_breaks(values, n, style, often=often, exact=exact, **options)
    classes = len(breaks) - 1
    if median_split and int(n) == 2:
        too_few = classes < 2
    else:
        # synthpop counts levels, not classes: one class beside two special values is enough
        too_few = classes + len(special_values) < FEWEST_LEVELS
    unused_breaks = too_few and style == "fixed"
    if too_few:
        style = "equal"
        # without the options of the call, as synthpop does
        breaks = class_breaks(values, n, style, often=often)
    labels = class_labels(breaks)
    if exact and style != "fixed":
        breaks, labels = told_apart(stretched(breaks, values), values)
    labels += map(double_text, special_values)
    return Grouping(breaks, tuple(labels), style, changed=too_few, unused_breaks=unused_breaks)


def _ordinary(
    pooled: Floats, often: Integers | None, special: list[float]
) -> tuple[Floats, Integers | None]:
    """Values that are neither missing nor special, and how often each occurs."""
    pooled = np.asarray(pooled, dtype=np.float64)
    keep = ~np.isnan(pooled)
    for value in special:
        keep &= pooled != value
    if often is not None:
        often = often[keep]
    return pooled[keep], often


def covering(grouping: Grouping, pooled: Floats) -> Grouping:
    """The same classes, with the outer ones stretched where a value lies outside; the grouping
    itself where none does.

    Breaks given by the user stay as they are: records outside them are counted, not moved.

    Examples
    --------
    >>> ages = np.arange(60.0)
    >>> as_in_r = group(ages, 49)
    >>> bool(as_in_r.breaks[-1] < 59), bool(covering(as_in_r, ages).breaks[-1] == 59)
    (True, True)
    """
    if grouping.style == "fixed":
        return grouping
    breaks = stretched(grouping.breaks, pooled)
    if breaks is grouping.breaks:
        return grouping
    special = grouping.labels[len(breaks) - 1 :]
    return replace(grouping, breaks=breaks, labels=(*class_labels(breaks), *special))


def stretched(breaks: Floats, values: Floats) -> Floats:
    """Breaks with the outer ones moved to the smallest and the largest value, where those lie
    outside; otherwise the same array.
    """
    low, high = float(values.min()), float(values.max())
    if breaks[0] <= low and high <= breaks[-1]:
        return breaks
    wider = breaks.copy()
    wider[0] = min(wider[0], low)
    wider[-1] = max(wider[-1], high)
    return wider


def told_apart(breaks: Floats, values: Floats) -> tuple[Floats, list[str]]:
    """Breaks and labels by which every value lies in the class whose label holds it.

    A break that twelve digits cannot tell from a value below it becomes that value: what lies
    between them is rounding. Otherwise labels get the digits that tell them apart.

    Examples
    --------
    >>> told_apart(np.array([0, 3, 5.000000000000001, 9]), np.arange(10.0))[0].tolist()
    [0.0, 3.0, 5.0, 9.0]
    >>> told_apart(np.array([0, 100_000_000.5, 3e8]), np.array([0, 1e8, 3e8]))[1]
    ['[0,100000000.5)', '[100000000.5,300000000]']
    """
    ordered = np.sort(values)
    moved, first = breaks.copy(), np.searchsorted(ordered, breaks)
    for place in range(1, len(breaks) - 1):
        text, at = _end_text(breaks[place], LABEL_DIGITS[-1]), int(first[place])
        while at and _end_text(ordered[at - 1], LABEL_DIGITS[-1]) == text:
            moved[place] = ordered[at - 1]
            at = int(np.searchsorted(ordered, moved[place]))
        first[place] = at
    if len(np.unique(moved)) < len(breaks):
        return breaks, class_labels(breaks)  # of classes narrower than twelve digits can say
    near = np.clip([first - 1, first], 0, len(ordered) - 1)
    return moved, class_labels(moved, ordered[near.ravel()])


def same_classes(values: Floats, one: Grouping, other: Grouping) -> bool:
    """Whether two groupings that hold all values put each into a class of the same name."""
    if one.labels != other.labels:
        return False
    if np.array_equal(one.breaks, other.breaks):
        return True
    ordered = np.sort(values)
    below = np.searchsorted(ordered, one.breaks[1:-1])
    return np.array_equal(below, np.searchsorted(ordered, other.breaks[1:-1]))


def class_labels(breaks: Floats, near: Floats | None = None) -> list[str]:
    """Labels of left-closed classes with at least eight significant digits, as R's ``cut(dig.lab =
    8)`` writes them.

    Digits are added, up to twelve, until neighbouring breaks differ, and the labels hold the values
    `near` the breaks, where given; if they never do, R counts the classes.

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
    # the ends of [v, v] never differ
    single_value = len(numbers) == 2 and numbers[0] == numbers[1]
    for digits in LABEL_DIGITS:
        ends = [_end_text(number, digits) for number in numbers]
        pairs = list(itertools.pairwise(ends))
        apart = all(left != right for left, right in pairs)
        if single_value or (apart and _hold(ends, digits, breaks, near)):
            return _interval_texts(pairs)
    return [f"Range_{i}" for i in range(1, len(numbers))]


def _hold(ends: list[str], digits: int, breaks: Floats, near: Floats | None) -> bool:
    """Whether bounds as they are written hold the values that the breaks hold. Values of more than
    twelve digits are written like the bounds.
    """
    if near is None:
        return True
    written = []
    for value in near.tolist():
        short = float(_end_text(value, LABEL_DIGITS[-1])) == value
        written.append(value if short else float(_end_text(value, digits)))
    classes = assign_classes(np.array(written), np.array(ends, dtype=np.float64))
    return np.array_equal(classes, assign_classes(near, breaks))


def _end_text(number: float, digits: int) -> str:
    text = f"{number:.{digits}g}"
    return text.replace("inf", "Inf")


def _interval_texts(ends: list[tuple[str, str]]) -> list[str]:
    """Intervals closed on the left, the last one on both sides."""
    *inner, (left, right) = ends
    texts = [f"[{start},{end})" for start, end in inner]
    return [*texts, f"[{left},{right}]"]


def assign_classes(values: Floats, breaks: Floats) -> Integers:
    """Class of each value, from 0: left-closed, the last class closed on both sides; -1 outside the
    breaks and for NaN.

    Examples
    --------
    >>> assign_classes(np.array([1.0, 2, 3, 4, np.nan]), np.array([1.0, 2, 3]))
    array([ 0,  1,  1, -1, -1])
    """
    values = np.asarray(values, dtype=np.float64)
    last = breaks[-1]
    codes = np.searchsorted(breaks, values, side="right").astype(np.int64) - 1
    # R's cut(right = FALSE, include.lowest = TRUE) closes the last class on the right
    codes[values == last] = len(breaks) - 2
    codes[~(values <= last)] = -1  # NaN too, which is not below anything
    return codes


# ---- a variable of several tables ----------------------------------------------------


class Classes(NamedTuple):
    """A variable in classes: the original and the syntheses, each with one level for every class,
    then the special values.
    """

    factors: list[Factor]
    grouping: Grouping


def put_into_classes(
    factors: Sequence[Factor], n: int, special: Sequence[Any], style: dict[str, Any], name: Hashable
) -> Classes:
    """Numbers in classes that are made from the values of all tables."""
    values, often = pooled(factors, special, style, name)
    try:
        made = group(
            values, n, special=special, often=often, median_split=True, exact=True, **style
        )
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
            raise InputError(
                f"ngroups: column {name!r} is numeric in the original but not in synthetic data set"
                f" {table}; it cannot be grouped"
            )
        levels = np.asarray(factor.levels, dtype=np.float64)
        records = factor.records()[:-1]
        if style.get("style") == "sd":
            # adds all values up, in the order of the records, as R does
            levels = np.append(levels, math.nan)[factor.place[factor.rows.codes]]
            records = (
                np.ones(len(levels), dtype=np.int64) if factor.rows.n is None else factor.rows.n
            )
            records = np.where(np.isnan(levels), 0, records)
        used = (records > 0) & ~np.isin(levels, special)
        values.append(levels[used])
        often.append(records[used])
    if not any(map(len, values[1:])):
        raise InputError(
            f"ngroups: column {name!r} of the synthetic data has only missing or special values; it"
            " cannot be grouped"
        )
    counted = np.concatenate(often)
    return np.concatenate(values), None if (counted == 1).all() else counted


def in_classes(factors: Sequence[Factor], made: Grouping, special: Sequence[Any]) -> Classes:
    """The factors of classes; values outside fixed breaks count as missing."""
    moved, outside, met = [], [], []
    for factor in factors:
        levels = np.asarray(factor.levels, dtype=np.float64)
        codes = class_of(levels, made, special)
        gap = len(made.labels)
        beyond = (codes < 0) & ~np.isnan(levels)
        outside.append(int(factor.records()[:-1][beyond].sum()))
        one = factor.moved("factor", made.labels, np.append(np.where(codes < 0, gap, codes), gap))
        met.append(one.occurring())
        moved.append(one)
    apart = any(not (met[0] & of_set).any() for of_set in met[1:])
    outside = outside if made.style == "fixed" else []
    return Classes(moved, replace(made, outside=tuple(outside), apart=apart))


def class_of(values: Floats, made: Grouping, special: Sequence[Any]) -> Integers:
    """The class of each value, or the level of a special value; -1 outside of all."""
    codes = assign_classes(values, made.breaks)
    for code, value in enumerate(special, start=len(made.labels) - len(special)):
        codes[values == value] = code
    return codes
