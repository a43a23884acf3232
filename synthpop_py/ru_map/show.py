"""What a map says: its document and its figures by name."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pandas as pd

from ..rounding import part, percent, shown
from ..show.printing import Sections, Table
from ..show.values import column_name
from .intervals import NO_INTERVAL
from .measures import About, Role
from .remarks import EXCLUSIONS
from .result import ONE_SET, MapFigure, ReleaseFacts, RUMap, figures_of

SIGNIFICANT = 3
MOST_DECIMALS = 6


def sections(result: RUMap, to: int = 1) -> Sections:
    return [[_head(result, to)], _meanings(result), [_table(result, to)], _notes(result)]


def rounded(result: RUMap, to: int) -> RUMap:
    """The map that others may see: shares of people from rounded counts, and without intervals,
    which would say more; other figures with two significant digits. What dominates what follows
    from these.
    """
    if to == 1:
        return result
    remarks = tuple(
        f"{EXCLUSIONS} some people; repU and DiSCO are still in % of all of them."
        if remark.startswith(EXCLUSIONS)
        else remark
        for remark in result.remarks
    )
    figures, anchors = (
        tuple(_rounded_figure(one, to) for one in some) for some in (result.figures, result.anchors)
    )
    return replace(result, figures=figures, anchors=anchors, remarks=remarks)


def _rounded_figure(one: MapFigure, to: int) -> MapFigure:
    if not math.isfinite(one.numerator):
        value, low, high = (float(f"{x:.2g}") for x in (one.value, one.low, one.high))
        return replace(one, value=value, low=low, high=high)
    whole = int(one.denominator)
    people, everybody = shown(one.numerator, whole, to=to), shown(whole, whole, to=to)
    return replace(
        one,
        value=100 * people / everybody if everybody else math.nan,
        low=math.nan,
        high=math.nan,
        method=f"{NO_INTERVAL}: counts of people are rounded to {to}",
        numerator=people,
        denominator=everybody,
    )


def content(result: RUMap) -> dict[str, Any]:
    return {
        "measures": [_measure_content(role, about) for role, about in result.measures],
        "figures": [_figure_content(figure) for figure in result.figures],
        "releases": [_release_content(release) for release in result.releases],
        "front": result.front(),
        "level": result.level,
        "left_out": [column_name(name) for name in result.left_out],
        "remarks": list(result.remarks),
        "notes": list(result.notes),
    }


def _head(result: RUMap, to: int) -> str:
    keys = f"; keys {', '.join(map(str, result.keys))}" if result.keys else ""
    target = f"; target {result.target}" if result.target is not None else ""
    number = len(result.candidates)
    releases = "release" if number == 1 else "releases"
    records = f"{part(result.Norig, to=to)} original records"
    return f"Risk-utility map of {number} {releases}; {records}{keys}{target}"


def _meanings(result: RUMap) -> list[str]:
    lines = []
    for role, about in result.measures:
        lines.append(f"{role} {about.label}: {about.meaning}; {about.direction(role)}")
    return lines


def _table(result: RUMap, to: int) -> Table:
    """Figures with intervals beside them."""
    columns = {
        "sets": [str(len(release.rows)) for release in result.releases],
        "rows": [release.rows_text() for release in result.releases],
    }
    for _, about in result.measures:
        figures = figures_of(about.label, result.figures)
        columns[about.label] = [figure_text(one, to) for one in figures]
    frame = pd.DataFrame(columns, index=list(result.candidates))
    return Table(frame, "Risk and utility", titled=False)


def _notes(result: RUMap) -> list[str]:
    return [
        front_note(result),
        *_interval_notes(result),
        *_reasons(result),
        *_remarks_on_releases(result),
        *result.remarks,
        *result.notes,
    ]


def front_note(result: RUMap) -> str:
    """Who is dominated, who is not, and who cannot be compared."""
    risk, utility = result.first("risk"), result.first("utility")
    kept = result.front()
    if not kept:
        return f"No release has both {risk} and {utility}, so nothing can be compared."
    dominated = list(dict.fromkeys(result.dominated()["candidate"]))
    compared = {*kept, *dominated}
    unknown = [name for name in result.candidates if name not in compared]
    sentences = [f"Not dominated in {risk} and {utility}: {', '.join(kept)}."]
    if dominated:
        sentences.append(
            "Dominated, that is, no safer and no more useful than one of these:"
            f" {', '.join(dominated)} (.dominated())."
        )
    if unknown:
        sentences.append(f"Not compared, because a figure is missing: {', '.join(unknown)}.")
    return " ".join(sentences)


def _interval_notes(result: RUMap) -> Iterator[str]:
    """How the intervals were made, and why some figures have none."""
    methods, reasons = _methods(result)
    if methods:
        yield f"In brackets: {100 * result.level:g} % intervals ({'; '.join(methods)})."
    if ONE_SET in reasons:
        yield (
            "No interval: only one data set. Pass several runs of the mask (`Runs`) or"
            " `bootstrap=200`."
        )
    for reason in reasons:
        if reason != ONE_SET:
            yield f"No interval: {reason}."


def _methods(result: RUMap) -> tuple[list[str], list[str]]:
    """How intervals were made, and why some figures have none; each once."""
    methods: dict[str, None] = {}
    reasons: dict[str, None] = {}
    for figure in result.figures:
        if not figure.method.startswith(NO_INTERVAL):
            methods[figure.method] = None
        elif not figure.reason:
            reasons[figure.method.removeprefix(f"{NO_INTERVAL}: ")] = None
    return list(methods), list(reasons)


def _reasons(result: RUMap) -> list[str]:
    """Why releases have no figure, those with the same reason together."""
    names: dict[tuple[str, str], list[str]] = {}
    for figure in result.figures:
        if figure.reason:
            alike = names.setdefault((figure.measure, figure.reason), [])
            alike.append(figure.candidate)
    lines = []
    for (measure, reason), candidates in names.items():
        lines.append(f"No {measure} for {', '.join(candidates)}: {reason}.")
    return lines


def _remarks_on_releases(result: RUMap) -> list[str]:
    """Remarks, each with the releases that it is about."""
    names: dict[str, list[str]] = {}
    for release in result.releases:
        for remark in release.remarks:
            names.setdefault(remark, []).append(release.candidate)
    return [f"{', '.join(candidates)}: {remark}." for remark, candidates in names.items()]


def figure_text(figure: MapFigure, to: int = 1) -> str:
    """A figure with its interval, to three significant digits of the figure."""
    if math.isnan(figure.value):
        return "-"
    if to > 1 and math.isfinite(figure.numerator):
        return percent(figure.numerator, figure.denominator, to)
    decimals = _decimals(figure.value)
    text = f"{figure.value:.{decimals}f}"
    if math.isnan(figure.low):
        return text
    return f"{text} ({figure.low:.{decimals}f} to {figure.high:.{decimals}f})"


def _decimals(value: float) -> int:
    """How many decimals give three significant digits."""
    # rounded first: 0.9999999 and 1 are shown alike
    size = float(f"{abs(value):.{SIGNIFICANT}g}")
    if round(size, MOST_DECIMALS) == 0:
        return SIGNIFICANT
    before_the_point = math.floor(math.log10(size)) + 1
    return min(max(SIGNIFICANT - before_the_point, 0), MOST_DECIMALS)


def _measure_content(role: Role, about: About) -> dict[str, Any]:
    return {
        "measure": about.label,
        "role": role,
        "unit": about.meaning,
        "better": about.better,
        "direction": about.direction(role),
    }


def _figure_content(figure: MapFigure) -> dict[str, Any]:
    content: dict[str, Any] = {"candidate": figure.candidate, "measure": figure.measure}
    for name in ("value", "low", "high", "numerator", "denominator"):
        content[name] = getattr(figure, name)
    return content | {"interval": figure.method, "m": figure.m, "reason": figure.reason}


def _release_content(release: ReleaseFacts) -> dict[str, Any]:
    return {
        "candidate": release.candidate,
        "rows": list(release.rows),
        "together": release.together,
        "lacks": [column_name(name) for name in release.lacks],
        "remarks": list(release.remarks),
    }
