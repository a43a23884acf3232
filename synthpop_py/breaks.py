"""Breaks between the classes of a numeric variable, in the styles of R's package classInt.

R's rounding is repeated to the last bit, because a value that equals a break belongs to the class
above it: sums run in R's order and precision, and multiples are formed as R forms them.
"""

from __future__ import annotations

import math
import sys
from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from typing import Any, Literal, get_args

import numpy as np

from .arguments import check_choice
from .core.arrays import Floats, Integers, Values, distinct_sorted
from .errors import InputError
from .r.pretty import even_steps, round_numbers

Style = Literal["quantile", "equal", "sd", "pretty", "fixed"]

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
# Ranks among fewer records than this are R's doubles; among more, doubles miss them.
MOST_RECORDS_IN_DOUBLES = 2**50
SAFE_SUM = 2.0**62  # sums of counts, themselves rounded, that 64 bits hold for certain


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
    duplicates, shape (c + 1,). For a single distinct value v, where R stops: the class ``[v, v]``.

    `values` are finite and in any order; `often` says how many records each stands for. `n` is cut
    off to a whole number; ties give fewer classes, and ``"sd"`` and ``"pretty"`` only aim at it. If
    it is not below the number of distinct values, each has its own class, whatever the style.
    Styles: equal counts (`type` says by which quantiles); equal widths; round multiples of the
    standard deviation from the mean; round numbers; `fixed_breaks`, in any order. `exact` ranks of
    quantiles are fractions. R's are rounded: 3 * (1/5) is above 0.6, so the record that is the
    quantile falls into the class below it (D50), and 49 * (1/49) is below 1, so the last break can
    miss the maximum, which then is in no class (D49).

    >>> class_breaks(np.array([1.0, 2, 3, 4, 100]), 2)
    array([  1.,   3., 100.])
    """
    values = np.asarray(values, dtype=np.float64)
    _check_finite(values, often)
    check_choice("style", style, get_args(Style))
    if type not in range(1, 10):
        known = ", ".join(map(str, sorted(POSITIONS)))
        raise InputError(f"type: {type!r} is not available; choose from {known}")
    n = int(n)
    ordered, up_to = _ordered(values, often)
    distinct = distinct_sorted(ordered)
    low, high = float(distinct[0]), float(distinct[-1])
    # R stops here; a constant variable is no reason to refuse a call
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
        breaks = _round_deviations(values, often, int(up_to[-1]), n)
    elif style == "pretty":
        breaks = round_numbers(low, high, n)
    else:
        breaks = np.unique(np.array([] if fixed_breaks is None else fixed_breaks, dtype=np.float64))
        breaks = breaks[~np.isnan(breaks)]
        if breaks.size < 2:
            raise InputError(
                f"fixed_breaks: {fixed_breaks!r} does not bound a class; style 'fixed' needs two"
                " breaks or more"
            )
        return breaks
    if not np.isfinite(breaks).all():
        raise InputError(
            f"values: their range is too wide or too narrow for style '{style}'",
            details={"lowest": low, "highest": high},
        )
    # ties give equal breaks, of which R keeps one
    return np.unique(breaks)


def _check_finite(values: Floats, often: Integers | None) -> None:
    if not values.size:
        raise InputError("values: is empty; there is nothing to group")
    odd = ~np.isfinite(values)
    if odd.any():
        found: Counter[str] = Counter()
        times = odd.astype(np.int64) if often is None else often
        for value, records in zip(values[odd].tolist(), times[odd].tolist()):
            found[str(value)] += records
        told = ", ".join(f"{name} ({records} times)" for name, records in found.items())
        raise InputError(
            f"values: only finite values can be grouped, found {told}; set them to missing first"
        )


def _ordered(values: Floats, often: Integers | None) -> tuple[Floats, Values]:
    """Values in ascending order, and how many records there are up to and with each: whole numbers
    of Python where 64 bits may not hold them.
    """
    if often is None:
        return np.sort(values), np.arange(1, values.size + 1)
    order = np.argsort(values, kind="stable")
    counts = often[order]
    if counts.sum(dtype=np.float64) >= SAFE_SUM:
        counts = counts.astype(object)
    return values[order], np.cumsum(counts)


def _one_class_per_value(distinct: Floats) -> Floats:
    """Midpoints between neighbours; the ends lie half the mean gap outside."""
    with np.errstate(over="ignore", invalid="ignore"):
        gaps = np.diff(distinct)
        # R's mean: in extended precision, corrected by the mean of the residuals
        mean = _ordered_sum(gaps) / gaps.size
        margin = float(mean + _ordered_sum(gaps.astype(np.longdouble) - mean) / gaps.size) / 2
        midpoints = distinct[:-1] + gaps / 2
        return np.concatenate([[distinct[0] - margin], midpoints, [distinct[-1] + margin]])


def _ordered_sum(values: Values) -> np.longdouble:
    """Sum from left to right in C's long double, as R's; np.sum adds in another order."""
    total: np.longdouble = np.cumsum(values, dtype=np.longdouble)[-1]
    return total


def _quantiles(ordered: Floats, up_to: Values, n: int, type: int, exact: bool) -> Floats:
    """Sample quantiles at 0, 1/n, ..., 1: a weighted mean of two neighbouring records."""
    size = int(up_to[-1])
    shares: list[float | Fraction] = [min(k * (1 / n), 1.0) for k in range(n + 1)]
    if exact or size >= MOST_RECORDS_IN_DOUBLES:
        shares = [Fraction(k, n) for k in range(n + 1)]
    positions = [_position(share, size, type) for share in shares]
    rank = np.array([rank for rank, _ in positions], dtype=up_to.dtype)
    weight = np.array([weight for _, weight in positions])
    within = [np.minimum(np.maximum(at, 0), size - 1) for at in (rank - 1, rank)]
    below, above = (ordered[np.searchsorted(up_to, at, side="right")] for at in within)
    result: Floats = np.where(weight == 1, above, below)
    # only where it makes a difference: a weighted mean of two equal values may be off by one bit
    between = (weight > 0) & (weight < 1) & (below != above)
    result[between] = ((1 - weight) * below + weight * above)[between]
    return result


def _position(share: float | Fraction, size: int, type: int) -> tuple[int, float]:
    """The rank of the record that is the quantile, or below it, and the weight of the next one."""
    (a, b), fuzz = POSITIONS[type], 0.0
    if isinstance(share, float):
        a, b, fuzz = float(a), float(b), RANK_FUZZ if type in FUZZY else 0.0
    rank = a + share * (size + 1 - a - b)
    whole = math.floor(rank + fuzz) if fuzz else math.floor(rank)
    rest = rank - whole
    if abs(rest) < fuzz:
        rest = 0  # as in R, which takes a rank this close to an order statistic for that statistic
    if type == 3:  # to the nearest even rank
        return whole, float(rest > 0 or whole % 2 == 1)
    if type == 2:  # the middle of two
        return whole, 1.0 if rest else 0.5
    return whole, float(rest > 0) if type == 1 else float(rest)


def _round_deviations(values: Floats, often: Integers | None, size: int, n: int) -> Floats:
    """Round numbers on the scale of standard deviations from the mean, taken back to the scale of
    the values.
    """
    times = np.longdouble(1) if often is None else often.astype(np.longdouble)
    # classInt standardises with R's scale(), whose means are not corrected as those of mean() are
    mean = float(_ordered_sum(values * times) / np.longdouble(size))
    with np.errstate(over="ignore", under="ignore"):
        total = float(_ordered_sum((values - mean) ** 2 * times))
    deviation = math.sqrt(total / (size - 1))
    # the caller refuses NaN with a message that names the range
    if not 0 < deviation < math.inf:
        return np.array([math.nan])
    low, high = ((float(end) - mean) / deviation for end in (values.min(), values.max()))
    return round_numbers(low, high, n) * deviation + mean
