"""What a map says: its document and its figures by name."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

from ..show import Cell, Column, Count, Document, Note, Table, fill
from ..show.document import Words
from ..show.plain import column_name
from .intervals import NO_INTERVAL
from .measures import About, Role
from .result import ONE_SET, MapFigure, ReleaseFacts, RUMap, figures_of

SIGNIFICANT = 3
MOST_DECIMALS = 6


def document(result: RUMap) -> Document:
    return Document(
        title="Risk-utility map",
        sections=(
            fill.section(Note(_head(result))),
            fill.notes_section(_meanings(result)),
            fill.section(_table(result)),
            fill.notes_section(_notes(result)),
        ),
        headline=(fill.note(_front_note(result)),),
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


def _head(result: RUMap) -> Words:
    keys = f"; keys {', '.join(map(str, result.keys))}" if result.keys else ""
    target = f"; target {result.target}" if result.target is not None else ""
    number = len(result.candidates)
    releases = "release" if number == 1 else "releases"
    return (
        f"Risk-utility map of {number} {releases}; ",
        fill.people("original records", result.Norig),
        f" original records{keys}{target}",
    )


def _meanings(result: RUMap) -> list[str]:
    lines = []
    for role, about in result.measures:
        lines.append(f"{role} {about.label}: {about.meaning}; {about.direction(role)}")
    return lines


def _table(result: RUMap) -> Table:
    """Figures with intervals beside them."""
    sets = [Cell(str(len(release.rows))) for release in result.releases]
    rows = [Cell(release.rows_text()) for release in result.releases]
    columns = [Column("sets", tuple(sets)), Column("rows", tuple(rows))]
    for _, about in result.measures:
        figures = figures_of(about.label, result.figures)
        cells = [Cell(figure_text(figure), behind(figure)) for figure in figures]
        columns.append(Column(about.label, tuple(cells)))
    return Table(
        caption=fill.words("Risk and utility"),
        columns=tuple(columns),
        labels=result.candidates,
        titled=False,
    )


def _notes(result: RUMap) -> list[str]:
    return [
        _front_note(result),
        *_interval_notes(result),
        *_reasons(result),
        *_remarks_on_releases(result),
        *result.remarks,
        *result.notes,
    ]


def _front_note(result: RUMap) -> str:
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


def figure_text(figure: MapFigure) -> str:
    """A figure with its interval, to three significant digits of the figure."""
    if math.isnan(figure.value):
        return "-"
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


def behind(figure: MapFigure) -> tuple[Count, ...]:
    """The people behind a share of original records; nobody behind any other figure."""
    if not math.isfinite(figure.numerator):
        return ()
    people = fill.count(f"{figure.measure} of {figure.candidate}", figure.numerator)
    return people, fill.count(f"out of {figure.denominator:g}", figure.denominator)


def _measure_content(role: Role, about: About) -> dict[str, Any]:
    return {
        "measure": about.label,
        "role": role,
        "unit": about.meaning,
        "better": about.better,
        "direction": about.direction(role),
    }


def _figure_content(figure: MapFigure) -> dict[str, Any]:
    people = behind(figure)
    content: dict[str, Any] = {"candidate": figure.candidate, "measure": figure.measure}
    for name in ("value", "low", "high"):
        content[name] = Cell(getattr(figure, name), people)
    return content | {
        "numerator": Cell(figure.numerator, people[:1]),
        "denominator": Cell(figure.denominator, people[1:]),
        "interval": figure.method,
        "m": figure.m,
        "reason": figure.reason,
    }


def _release_content(release: ReleaseFacts) -> dict[str, Any]:
    return {
        "candidate": release.candidate,
        "rows": list(release.rows),
        "together": release.together,
        "lacks": [column_name(name) for name in release.lacks],
        "remarks": list(release.remarks),
    }
