"""Figures of risk and utility (matplotlib, imported when a figure is asked for).

Every function returns the axes, draws into `ax` if one is given and otherwise into a figure of its
own. No window is opened. Better is always to the lower right: an axis whose measure gets better
downwards is turned, and says so.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from ..arguments import check_number
from ..closed_forms.curves import RUCurve
from ..ru_map.measures import About, Role
from ..ru_map.result import RUMap
from .canvas import BLUE, LINE, TEXT, VERMILLION, finish_plane, ink, names, panel_for, wrapped
from .labels import Place, label_points, names_have_room

__all__ = ["plot_curve", "plot_map"]

SIZE = (7.2, 5.4)  # inches
MARGIN = 0.08  # of the range of the points, left free around them
MARKED = 6  # values of the parameter written along a curve
SUBTITLE = 92
MOST_NAMED = 10  # places that are named where they are
LONGEST = 34  # letters of a name written at its place
KEY_WIDTH = 40  # letters of a line of the key
MOST_REASONS = 8


def plot_map(result: RUMap, risk: str, utility: str, ax: Any = None) -> Any:
    """The map: one point per release, bars for intervals, a line through those that no other
    release dominates.
    """
    panel = panel_for(ax, *SIZE)
    points = _points(result, risk, utility)
    about: dict[Role, About] = {"risk": result.about(risk)[1], "utility": result.about(utility)[1]}
    kept = set(result.front(risk, utility))
    on, off = [p for p in points if p.name in kept], [p for p in points if p.name not in kept]
    stairs = _stairs(on, about["utility"])
    if on:
        panel.plot(*zip(*stairs), color=BLUE, linewidth=1.4, linestyle=(0, (5, 2)), zorder=2)
        _dots(
            panel,
            on,
            "o",
            BLUE,
            BLUE,
            "not dominated: no other release is as good in both and better in one",
        )
    if off:
        _dots(panel, off, "s", panel.get_facecolor(), VERMILLION, "dominated by another release")
    for point in points:
        _bars(panel, point)
    _direct(panel, about)
    finish_plane(
        panel,
        "Risk and utility of each release",
        _subtitle(result, points),
        _axis_label("utility", about["utility"]),
        _axis_label("risk", about["risk"]),
    )
    if points:
        _name(
            panel,
            _joined(points),
            [*itertools.pairwise(stairs), *(bar for p in points for bar in p.bars())],
            resize=ax is None,
        )
    else:
        _say_why_empty(panel, result, (risk, utility))
    return panel


def plot_curve(curve: RUCurve, ceiling: float | None = None, ax: Any = None) -> Any:
    """Risk against utility along the values of a parameter; infinite risks lie beyond the upper
    edge.
    """
    panel = panel_for(ax, *SIZE)
    table = curve.table
    finite = table[np.isfinite(table["risk"]) & np.isfinite(table["utility"])]
    panel.plot(finite["utility"], finite["risk"], color=BLUE, linewidth=1.6, zorder=2)
    marked = (
        finite.iloc[
            np.unique(np.linspace(0, len(finite) - 1, min(MARKED, len(finite))).round().astype(int))
        ]
        if len(finite)
        else finite
    )
    panel.plot(
        marked["utility"],
        marked["risk"],
        linestyle="none",
        marker="o",
        markersize=6,
        color=BLUE,
        zorder=3,
        clip_on=False,
    )
    for row in marked.itertuples(index=False):
        panel.annotate(
            f"{getattr(row, curve.over):.3g}",
            (row.utility, row.risk),
            xytext=(-5, 5),
            textcoords="offset points",
            ha="right",
            fontsize=TEXT,
        )
    if ceiling is not None:
        limit = check_number("ceiling", ceiling, 0)
        panel.axhline(
            limit,
            color=VERMILLION,
            linewidth=1.2,
            linestyle=(0, (4, 2)),
            label=f"ceiling {limit:.4g}",
        )
        panel.set_ylim(panel.get_ylim())  # fixed, so that the shade reaches the edge and no further
        panel.axhspan(
            limit,
            max(panel.get_ylim()[1], limit),
            facecolor="0.92",
            linewidth=0,
            zorder=0,
            label="too risky",
        )
    infinite = len(table) - len(finite)
    fixed = ", ".join(
        f"{k} = {v:g}" if isinstance(v, (int, float)) else f"{k} = {v}"
        for k, v in curve.fixed.items()
    )
    beyond = (
        f"\n{infinite} value{'s' * (infinite > 1)} with infinite risk or utility not drawn"
        if infinite
        else ""
    )
    subtitle = wrapped(f"Numbers along the curve: {curve.over}; {fixed}{beyond}", SUBTITLE)
    finish_plane(
        panel,
        f"Risk and utility of {curve.form}",
        subtitle,
        "utility: 1 / mean squared error of the user, higher is more useful →",
        "risk: 1 / mean squared error of the snooper,\nhigher is riskier →",
    )
    return panel


# ---- parts ---------------------------------------------------------------------------


class Point(NamedTuple):
    x: float
    y: float
    name: str
    x_low: float
    x_high: float
    y_low: float
    y_high: float

    def bars(self) -> list[tuple[Place, Place]]:
        """Ends of the intervals that there are."""
        both = [
            ((self.x_low, self.y), (self.x_high, self.y)),
            ((self.x, self.y_low), (self.x, self.y_high)),
        ]
        return [bar for bar in both if not any(math.isnan(v) for end in bar for v in end)]


class Spot(NamedTuple):
    """A place on the map and the releases there."""

    x: float
    y: float
    name: str


def _subtitle(result: RUMap, points: Sequence[Point]) -> str:
    notes = [
        f"{result.Norig} original records"
        + (f"; keys: {names(result.keys)}" if result.keys else "")
        + (f"; target: {result.target}" if result.target is not None else "")
    ]
    if any(p.bars() for p in points):
        notes[0] += f"; bars: {100 * result.level:g}\u00a0% intervals"
    drawn = {p.name for p in points}
    missing = [
        f"{_short(r.candidate)} (lacks {names(r.lacks)})" if r.lacks else _short(r.candidate)
        for r in result.releases
        if r.candidate not in drawn
    ]
    if missing and points:
        notes.append(f"without a figure: {', '.join(missing)}")
    return wrapped("\n".join(notes), SUBTITLE)


def _short(name: str) -> str:
    return name if len(name) <= LONGEST else f"{name[: LONGEST - 1].rstrip()}…"


def _joined(points: Sequence[Point]) -> list[Spot]:
    """Releases that have the same figures share a place and its name."""
    span = [max((abs(getattr(p, axis)) for p in points), default=0.0) or 1.0 for axis in ("x", "y")]
    at: dict[tuple[float, float], list[Point]] = {}
    for p in points:
        at.setdefault((round(p.x / span[0], 9), round(p.y / span[1], 9)), []).append(p)
    return [Spot(own[0].x, own[0].y, " = ".join(p.name for p in own)) for own in at.values()]


def _name(
    panel: Any, spots: Sequence[Spot], lines: Sequence[tuple[Place, Place]], resize: bool
) -> None:
    """Names at the points; where there are too many, or too long ones, numbers and a key to them
    beside the axes.
    """
    if (
        len(spots) <= MOST_NAMED
        and all(len(s.name) <= LONGEST for s in spots)
        and names_have_room(panel, spots, lines)
    ):
        label_points(panel, spots, lines, backed=True)
        return
    ordered = sorted(spots, key=lambda s: (-s.y, s.x))
    key = [
        f"{i}  " + wrapped(s.name, KEY_WIDTH).replace("\n", "\n     ")
        for i, s in enumerate(ordered, start=1)
    ]
    text = "\n".join(key)
    if resize:
        width, height = SIZE
        panel.figure.set_size_inches(
            width + 0.075 * max(len(line) for line in text.split("\n")),
            max(height, 1.9 + LINE * (text.count("\n") + 1)),
        )
    panel.annotate(
        text,
        xy=(1, 1),
        xycoords="axes fraction",
        xytext=(10, 0),
        textcoords="offset points",
        va="top",
        fontsize=TEXT,
        parse_math=False,
        annotation_clip=False,
    )
    label_points(
        panel, [Spot(s.x, s.y, str(i)) for i, s in enumerate(ordered, start=1)], lines, backed=True
    )


def _say_why_empty(panel: Any, result: RUMap, measures: Sequence[str]) -> None:
    """The reasons where otherwise there would be empty axes."""
    why = [
        f"No {f.measure} for {_short(f.candidate)}: {f.reason}."
        for f in result.figures
        if f.measure in measures and f.reason
    ]
    shown = why[:MOST_REASONS] + (
        [f"And {len(why) - MOST_REASONS} more: see the map as text."]
        if len(why) > MOST_REASONS
        else []
    )
    panel.set_xticks([])
    panel.set_yticks([])
    panel.annotate(
        wrapped("\n".join([f"No release has both {measures[0]} and {measures[1]}.", *shown]), 78),
        xy=(0.03, 0.95),
        xycoords="axes fraction",
        va="top",
        fontsize=TEXT,
        parse_math=False,
    )


def _points(result: RUMap, risk: str, utility: str) -> list[Point]:
    """Candidates that have both figures."""
    tidy = result.tidy()
    x, y = (tidy[tidy["measure"] == label].set_index("candidate") for label in (utility, risk))
    rows = [
        Point(x.value[c], y.value[c], c, x.low[c], x.high[c], y.low[c], y.high[c])
        for c in result.candidates
    ]
    return [p for p in rows if math.isfinite(p.x) and math.isfinite(p.y)]


def _stairs(front: Sequence[Point], utility: About) -> list[Place]:
    """The border of what the front dominates: from each point up to the risk of the next more
    useful one, then over to it.
    """
    ordered = sorted(front, key=lambda p: p.x if utility.better == "higher" else -p.x)
    corners = [(p.x, p.y) for p in ordered[:1]]
    for before, point in itertools.pairwise(ordered):
        corners += [(before.x, point.y), (point.x, point.y)]
    return corners


def _bars(panel: Any, p: Point) -> None:
    """Intervals, before the marker: one that is shorter than the marker is seen all the same."""
    for bar in p.bars():
        panel.plot(
            *zip(*bar),
            color=ink(),
            linewidth=0.9,
            alpha=0.6,
            zorder=4,
            solid_capstyle="butt",
            clip_on=False,
        )


def _dots(
    panel: Any, points: Sequence[Point], marker: str, face: Any, edge: Any, label: str
) -> None:
    panel.plot(
        [p.x for p in points],
        [p.y for p in points],
        linestyle="none",
        marker=marker,
        markersize=5.5,
        markerfacecolor=face,
        markeredgecolor=edge,
        markeredgewidth=1.5,
        label=label,
        zorder=3,
        clip_on=False,
    )


def _direct(panel: Any, about: dict[Role, About]) -> None:
    """Room around the points, but not beyond what the measures can be; axes turned so that useful
    is right and safe is low.
    """
    panel.margins(MARGIN)
    axes: tuple[tuple[Role, Any, Any], ...] = (
        ("utility", panel.get_xlim(), panel.set_xlim),
        ("risk", panel.get_ylim(), panel.set_ylim),
    )
    for role, ends, direct in axes:
        own = about[role]
        low, high = max(ends[0], own.low), min(ends[1], own.high)
        turned = (own.better == "lower") == (role == "utility")
        direct(high, low) if turned else direct(low, high)


def _axis_label(role: Role, about: About) -> str:
    turned = (about.better == "lower") == (role == "utility")
    arrow = "more useful" if role == "utility" else "riskier"
    text = (
        f"{about.label}: {about.unit}; {about.direction(role)}{' (axis turned)' if turned else ''}"
    )
    return f"{wrapped(text, 66 if role == 'utility' else 54)}\n{arrow} →"
