"""Numeric variables cut into classes, as R does it: the rules are on the page
explanation/where-expected-figures-come-from.md.

Breaks are computed in double precision with R's own sequence of operations: whether a value equal
to a break falls to the left or the right of it can hang on the last bit, and that bit is part of
what R's users see. Corrected, positions are fractions, and a value is in the class whose label
holds it (D50).
"""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

from .levels import MISSING_LABEL, NUMERIC, Level, Variable, column, number_text, numbers


def grouped_variable(
    name: str, original: dict, synthetic: list[dict], n: int, special, style: str, convention: str
) -> Variable:
    """A numeric variable with its values replaced by classes; values in ``special`` stay levels of
    their own.
    """
    columns = [column(frame, name) for frame in [original, *synthetic]]
    if any(c["type"] not in NUMERIC for c in columns):
        raise ValueError(f"{name!r} is numeric in the original but not in every synthesis")
    values = [numbers(c) for c in columns]
    special = {float(v) for v in special or () if v is not None}
    pooled = [v for frame in values for v in frame if _is_ordinary(v, special)]
    breaks = _breaks_with_fallback(pooled, int(n), style, len(special), convention)
    told_from = pooled if convention == "corrected" else []
    classes = group_labels(breaks, told_from)
    read = [[_class_of(v, breaks, classes, special) for v in frame] for frame in values]
    labels: dict[Level, list[str]] = {None: [MISSING_LABEL], **{c: [c] for c in classes}}
    for v in special:
        labels[number_text(v)] = [number_text(v)]
    return Variable(name, read[0], read[1:], labels)


def _is_ordinary(value: float | None, special: set[float]) -> bool:
    """Neither missing (NaN counts as missing here) nor a special value."""
    return value is not None and not math.isnan(value) and value not in special


def _breaks_with_fallback(
    pooled: list[float], n: int, style: str, n_special: int, convention: str
) -> list[float]:
    """Breaks in the asked style, or equal widths where that leaves too few levels (special values
    count).

    R wants three levels, so two groups become equal widths (D22); corrected, two classes are enough
    when two were asked.
    """
    exact = convention == "corrected"
    breaks = group_breaks(pooled, n, style, exact)
    classes = len(breaks) - 1
    if exact and n == 2:
        enough = classes >= 2
    else:
        enough = classes + n_special >= 3
    if not enough:
        breaks = group_breaks(pooled, n, "equal")
    if exact:  # R may lose the largest value (D49)
        inner = [_without_rounding(b, pooled) for b in breaks[1:-1]]
        return [min(breaks[0], *pooled), *inner, max(breaks[-1], *pooled)]
    return breaks


def _without_rounding(limit: float, pooled: list[float]) -> float:
    """The limit, or the smallest value that 12 digits do not tell from it."""
    alike = [v for v in set(pooled) if v < limit and f"{v:.12g}" == f"{limit:.12g}"]
    return min(alike, default=limit)


def group_breaks(
    values: list[float], n: int, style: str = "quantile", exact: bool = False
) -> list[float]:
    """Distinct class limits for ``values``; one class per value if there are no more than ``n``
    distinct ones. `exact`: quantiles at i/n, not at R's i * (1/n).
    """
    if style not in ("quantile", "equal"):
        raise NotImplementedError(f"style {style!r}")
    distinct = sorted(set(values))
    if not all(map(math.isfinite, distinct)):
        raise ValueError("grouping needs finite values")
    if len(distinct) == 1:
        return [distinct[0], distinct[0]]  # the one class [v, v], where R stops
    if n >= len(distinct):
        limits = _midpoints(distinct)
    elif style == "quantile":
        limits = _quantiles(sorted(values), n, exact)
    else:
        limits = _equal_widths(distinct[0], distinct[-1], n)
    return list(dict.fromkeys(limits))


def _midpoints(distinct: list[float]) -> list[float]:
    """Half way between neighbours; the ends extended by half the mean gap."""
    gaps = [b - a for a, b in itertools.pairwise(distinct)]
    half_mean = float(sum(map(Fraction, gaps)) / len(gaps)) / 2
    return [
        distinct[0] - half_mean,
        *(a + gap / 2 for a, gap in zip(distinct, gaps)),
        distinct[-1] + half_mean,
    ]


def _quantiles(ordered: list[float], n: int, exact: bool) -> list[float]:
    """Type 7: quantile p lies at position 1 + (N - 1) p, linear between neighbours."""
    shares = [Fraction(i, n) if exact else min(i * (1 / n), 1.0) for i in range(n + 1)]
    return [_quantile(ordered, p) for p in shares]


def _quantile(ordered: list[float], p: float | Fraction) -> float:
    position = 1 + (len(ordered) - 1) * p
    low, high = math.floor(position), math.ceil(position)
    below, above = ordered[low - 1], ordered[high - 1]
    if position == low or below == above:
        return below
    weight = float(position - low)
    return (1 - weight) * below + weight * above


def _equal_widths(lowest: float, highest: float, n: int) -> list[float]:
    step = (highest - lowest) / n
    return [lowest, *(lowest + i * step for i in range(1, n)), highest]


def group_labels(breaks: list[float], told_from: list[float] = ()) -> list[str]:
    """``[a,b)`` for every class, ``[a,b]`` for the last; 8 significant digits, up to 12 if two
    limits would read alike, or a value of `told_from` would lie beyond what is written.
    """
    if len(breaks) == 2 and breaks[0] == breaks[1]:
        return [f"[{breaks[0]:.8g},{breaks[1]:.8g}]"]
    for digits in range(8, 13):
        texts = [f"{0.0 + b:.{digits}g}" for b in breaks]
        if not all(a != b for a, b in itertools.pairwise(texts)):
            continue
        if all(_reads_true(v, breaks, texts, digits) for v in set(told_from)):
            closing = [")"] * (len(breaks) - 2) + ["]"]
            return [f"[{a},{b}{c}" for a, b, c in zip(texts, texts[1:], closing)]
    return [f"Range_{i}" for i in range(1, len(breaks))]


def _reads_true(value: float, breaks: list[float], texts: list[str], digits: int) -> bool:
    """Whether the limits as written sort a value as the limits do. A value of more than 12 digits
    is written with as many as they are.
    """
    written = value if float(f"{value:.12g}") == value else float(f"{value:.{digits}g}")
    inner = all((value < b) == (written < float(text)) for b, text in zip(breaks, texts[:-1]))
    return inner and written <= float(texts[-1])


def _class_of(
    value: float | None, breaks: list[float], classes: list[str], special: set[float]
) -> Level:
    """The class with a <= value < b (value <= b in the last), a special value's own level, or
    missing.
    """
    if value in special:
        return number_text(value)
    if not _is_ordinary(value, special):
        return None
    for upper, name in zip(breaks[1:], classes):
        if value < upper:
            return name
    return classes[-1]
