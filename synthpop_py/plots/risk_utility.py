"""Figures of risk and utility (matplotlib, imported when a figure is asked for).

Every function returns the axes, draws into `ax` if one is given and otherwise into a figure of its own. No window is opened. Better is always to the lower right: an axis whose
measure gets better downwards is turned, and says so.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple, Sequence

import numpy as np

from ..arguments import check_number
from ..risk_utility.curves import RUCurve
from ..risk_utility.measures import About, Role
from ..risk_utility.results import RUMap
from .canvas import BLUE, TEXT, VERMILLION, finish_plane, ink, names, panel_for, wrapped
from .labels import Place, label_points

__all__ = ["plot_curve", "plot_map"]

SIZE = (7.2, 5.4)  # inches
MARGIN = 0.08  # of the range of the points, left free around them
MARKED = 6  # values of the parameter written along a curve
SUBTITLE = 92


def plot_map(result: RUMap, risk: str, utility: str, ax: Any = None) -> Any:
    """The map: one point a release, bars for intervals, a line through those that no other release dominates."""
    panel = panel_for(ax, *SIZE)
    points = _points(result, risk, utility)
    kept = set(result.front(risk, utility))
    for point in points:
        _bars(panel, point)
    on, off = [p for p in points if p.name in kept], [p for p in points if p.name not in kept]
    stairs = _stairs(on, result.about(utility)[1])
    if on:
        panel.plot(*zip(*stairs), color=BLUE, linewidth=1.4, linestyle=(0, (5, 2)), zorder=2)
        _dots(panel, on, "o", BLUE, BLUE, "not dominated: nothing else is as safe and as useful")
    if off:
        _dots(panel, off, "s", panel.get_facecolor(), VERMILLION, "dominated by another release")
    about = {"risk": result.about(risk)[1], "utility": result.about(utility)[1]}
    _direct(panel, about)
    missing = [c for c in result.candidates if c not in {p.name for p in points}]
    notes = [f"{result.Norig} original records" + (f"; keys: {names(result.keys)}" if result.keys else "") + (f"; target: {result.target}" if result.target is not None else "")]
    if any(not math.isnan(v) for p in points for v in (p.x_low, p.y_low)):
        notes[0] += f"; bars: {100 * result.level:g}\u00a0% intervals"
    if missing:
        notes.append(f"without a figure: {', '.join(missing)}")
    finish_plane(panel, "Risk and utility of each release", wrapped("\n".join(notes), SUBTITLE), _axis_label("utility", about["utility"]), _axis_label("risk", about["risk"]))
    label_points(panel, points, [*zip(stairs, stairs[1:]), *(bar for p in points for bar in p.bars())])
    return panel


def plot_curve(curve: RUCurve, ceiling: float | None = None, ax: Any = None) -> Any:
    """Risk against utility along the values of a parameter; infinite risks lie beyond the upper edge."""
    panel = panel_for(ax, *SIZE)
    table = curve.table
    finite = table[np.isfinite(table["risk"]) & np.isfinite(table["utility"])]
    panel.plot(finite["utility"], finite["risk"], color=BLUE, linewidth=1.6, zorder=2)
    marked = finite.iloc[np.unique(np.linspace(0, len(finite) - 1, min(MARKED, len(finite))).round().astype(int))] if len(finite) else finite
    panel.plot(marked["utility"], marked["risk"], linestyle="none", marker="o", markersize=6, color=BLUE, zorder=3, clip_on=False)
    for row in marked.itertuples(index=False):
        panel.annotate(f"{getattr(row, curve.over):.3g}", (row.utility, row.risk), xytext=(-5, 5), textcoords="offset points", ha="right", fontsize=TEXT)
    if ceiling is not None:
        limit = check_number("ceiling", ceiling, 0)
        panel.axhline(limit, color=VERMILLION, linewidth=1.2, linestyle=(0, (4, 2)), label=f"ceiling {limit:.4g}")
        panel.set_ylim(panel.get_ylim())  # fixed, so that the shade reaches the edge and no further
        panel.axhspan(limit, max(panel.get_ylim()[1], limit), facecolor="0.92", linewidth=0, zorder=0, label="too risky")
    infinite = len(table) - len(finite)
    fixed = ", ".join(f"{k} = {v:g}" if isinstance(v, (int, float)) else f"{k} = {v}" for k, v in curve.fixed.items())
    beyond = f"\n{infinite} value{'s' * (infinite > 1)} with infinite risk or utility not drawn" if infinite else ""
    subtitle = wrapped(f"Numbers along the curve: {curve.over}; {fixed}{beyond}", SUBTITLE)
    finish_plane(panel, f"Risk and utility of {curve.form}", subtitle, "utility: 1 / mean squared error of the user, higher is more useful →", "risk: 1 / mean squared error of the snooper,\nhigher is riskier →")
    return panel


# ---- parts ----------------------------------------------------------------------------------------------------------------


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
        both = [((self.x_low, self.y), (self.x_high, self.y)), ((self.x, self.y_low), (self.x, self.y_high))]
        return [bar for bar in both if not any(math.isnan(v) for end in bar for v in end)]


def _points(result: RUMap, risk: str, utility: str) -> list[Point]:
    """Candidates that have both figures."""
    tidy = result.tidy()
    x, y = (tidy[tidy["measure"] == label].set_index("candidate") for label in (utility, risk))
    rows = [Point(x.value[c], y.value[c], c, x.low[c], x.high[c], y.low[c], y.high[c]) for c in result.candidates]
    return [p for p in rows if math.isfinite(p.x) and math.isfinite(p.y)]


def _stairs(front: Sequence[Point], utility: About) -> list[Place]:
    """The border of what the front dominates: from each point up to the risk of the next more useful one, then over to it."""
    ordered = sorted(front, key=lambda p: p.x if utility.better == "higher" else -p.x)
    corners = [(p.x, p.y) for p in ordered[:1]]
    for before, point in zip(ordered, ordered[1:]):
        corners += [(before.x, point.y), (point.x, point.y)]
    return corners


def _bars(panel: Any, p: Point) -> None:
    for bar in p.bars():
        panel.plot(*zip(*bar), color=ink(), linewidth=1.0, alpha=0.75, zorder=2.5, solid_capstyle="butt")


def _dots(panel: Any, points: Sequence[Point], marker: str, face: Any, edge: Any, label: str) -> None:
    panel.plot([p.x for p in points], [p.y for p in points], linestyle="none", marker=marker, markersize=7, markerfacecolor=face, markeredgecolor=edge, markeredgewidth=1.6, label=label, zorder=3)


def _direct(panel: Any, about: dict[Role, About]) -> None:
    """Room around the points; axes turned so that useful is right and safe is low."""
    panel.margins(MARGIN)
    if about["utility"].better == "lower":
        panel.invert_xaxis()
    if about["risk"].better == "higher":
        panel.invert_yaxis()


def _axis_label(role: Role, about: About) -> str:
    turned = (about.better == "lower") == (role == "utility")
    arrow = "more useful" if role == "utility" else "riskier"
    text = f"{about.label}: {about.unit}; {about.direction(role)}{' (axis turned)' if turned else ''}"
    return f"{wrapped(text, 66 if role == 'utility' else 54)}\n{arrow} →"
