"""Risk against utility: the map of releases (better is always to the lower right: an axis is
reversed where needed, and says so) and the curve of a closed form.
"""

from __future__ import annotations

import itertools
import textwrap
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from ..arguments import check_number, is_number
from ..rounding import ROUND_TO, mark, part, too_few
from ..ru_map.result import EXCLUSIONS
from .frame import (
    BLUE,
    SMALL,
    TINY,
    VERMILLION,
    axes_of,
    draw_ceiling,
    dress,
    inches_of,
    ink,
    label_points,
    note_on_zero,
    say_instead,
)

if TYPE_CHECKING:
    from ..closed_forms import RUCurve
    from ..ru_map import RUMap

__all__ = ["plot_curve", "plot_map"]

SIZE = (7.2, 5.8)  # inches
KEY = 2.9  # inches for the names of numbered places
KEY_LINES, KEY_LETTERS = 8, 6  # of them beside given axes, in an inch of the axes
MARGIN = 0.08  # of the range of the points, left free around them
MOST_NAMED = 10  # places that are named where they are
LONGEST = 34  # letters of a name written at its place
MOST_REASONS = 8
MARKED = 6  # values of the parameter written along a curve
ON_FRONT = "on the front: no other release is as safe and as useful, and better in one"
OFF_FRONT = "another release is as good in both, and better in one"
ENDS = {"original": "the original released as it is", "no data": "nothing released"}
MOST_STRETCHED = 6  # times the range of the releases


def plot_map(
    result: RUMap,
    risk: str,
    utility: str,
    ax: Any = None,
    *,
    ceiling: float | None = None,
    round_to: int = ROUND_TO,
) -> Any:
    """The map: one point per release, bars for intervals, a line through those that no other
    release dominates, a line at the highest risk you accept, where given. `result` is rounded
    already; `round_to` is what the words say.
    """
    limit = None if ceiling is None else check_number("ceiling", ceiling)
    if too_few(result.Norig, round_to):
        return say_instead(ax, too_few(result.Norig, round_to))
    (_, of_risk), (_, of_utility) = result.about(risk), result.about(utility)
    points = map_points(result, risk, utility)
    if points.empty:
        return _say_why_empty(ax, result, risk, utility)
    panel = axes_of(ax, *SIZE)
    panel.margins(MARGIN)
    on_front = points.index.isin(result.front(risk, utility))
    _draw_front(panel, points[on_front], of_utility.better == "higher")
    _dots(panel, points[on_front], "o", BLUE, ON_FRONT)
    hollow = panel.get_facecolor()
    _dots(panel, points[~on_front], "s", VERMILLION, OFF_FRONT, markerfacecolor=hollow)
    for x, y, x_low, x_high, y_low, y_high in points.to_numpy():
        look = {"color": ink(), "linewidth": 0.9, "alpha": 0.6, "zorder": 4, "clip_on": False}
        panel.plot([x_low, x_high], [y, y], **look)
        panel.plot([x, x], [y_low, y_high], **look)
    if limit is not None:
        word = "floor" if of_risk.better == "higher" else "ceiling"
        draw_ceiling(panel, limit, f"{word} {limit:g}: the risk you accept")
    anchors = _anchors(result, risk, utility)
    near = [name for name, place in anchors.items() if _leaves_room(place, points)]
    for name in near:
        x, y = anchors[name]
        marker = "*" if name == "original" else "P"
        panel.plot(x, y, marker, markersize=11, color=ink(), label=ENDS[name], clip_on=False)
    turned_x, turned_y = of_utility.better == "lower", of_risk.better == "higher"
    panel.set_xlim(_ends(panel.get_xlim(), of_utility, turned_x))
    panel.set_ylim(_ends(panel.get_ylim(), of_risk, turned_y))
    beyond = {name: place for name, place in anchors.items() if name not in near}
    dress(
        panel,
        "Risk and utility of each release",
        _subtitle(result, points, round_to, beyond) + note_on_zero(panel),
        _axis_label(of_utility, turned_x, "more useful\u00a0→"),
        _axis_label(of_risk, turned_y, "riskier\u00a0→"),
        grid="both",
    )
    _name(panel, points, {name: anchors[name] for name in near}, new=ax is None)
    return panel


def map_points(result: RUMap, risk: str, utility: str) -> pd.DataFrame:
    """Releases that have both figures, with their intervals: x is utility, y is risk."""
    tidy = result.tidy()
    columns = {}
    for axis, measure in (("x", utility), ("y", risk)):
        figures = tidy[tidy["measure"] == measure].set_index("candidate")
        for end, name in (("", "value"), ("_low", "low"), ("_high", "high")):
            columns[axis + end] = figures[name]
    frame = pd.DataFrame(columns).reindex(list(result.candidates))
    there = np.isfinite(frame[["x", "y"]].astype(float)).all(axis=1)
    return frame.loc[there, ["x", "y", "x_low", "x_high", "y_low", "y_high"]].astype(float)


def _draw_front(panel: Any, front: pd.DataFrame, upwards: bool) -> None:
    """The border of what the front dominates: from each point up to the risk of the next more
    useful one, then over to it.
    """
    ordered = front.sort_values("x", ascending=upwards)[["x", "y"]].to_numpy().tolist()
    corners = [tuple(place) for place in ordered[:1]]
    for before, place in itertools.pairwise(ordered):
        corners += [(before[0], place[1]), tuple(place)]
    if corners:
        panel.plot(*zip(*corners), color=BLUE, linewidth=1.4, linestyle=(0, (5, 2)), zorder=2)


def _dots(
    panel: Any, points: pd.DataFrame, marker: str, colour: str, label: str, **look: Any
) -> None:
    if len(points):
        look = {"markersize": 5.5, "markeredgewidth": 1.5, "clip_on": False, "zorder": 3, **look}
        panel.plot(points["x"], points["y"], marker, color=colour, label=label, **look)


def _anchors(result: RUMap, risk: str, utility: str) -> dict[str, tuple[float, float]]:
    """The original as it is and no data, where they have both figures."""
    figures = {(one.candidate, one.measure): float(one.value) for one in result.anchors}
    places = {}
    for name in dict.fromkeys(one.candidate for one in result.anchors):
        place = figures[name, utility], figures[name, risk]
        if np.isfinite(place).all():
            places[name] = place
    return places


def _leaves_room(anchor: tuple[float, float], points: pd.DataFrame) -> bool:
    """Whether the releases can still be told apart when the axes reach to this end of the map."""
    for end, values in zip(anchor, (points["x"], points["y"])):
        span = values.max() - values.min()
        if span and max(values.max(), end) - min(values.min(), end) > MOST_STRETCHED * span:
            return False
    return True


def _ends(limits: tuple[float, float], about: Any, turned: bool) -> tuple[float, float]:
    """Not beyond the range of the measure; turned so that useful is right and safe is low."""
    low, high = max(limits[0], about.low), min(limits[1], about.high)
    return (high, low) if turned else (low, high)


def _axis_label(about: Any, turned: bool, arrow: str) -> str:
    return f"{about.label}: {about.unit}{' (axis reversed)' if turned else ''}; {arrow}"


def _figures(x: float, y: float) -> str:
    return f"{y:.3g}\u00a0|\u00a0{x:.3g}"


def _subtitle(
    result: RUMap, points: pd.DataFrame, to: int, beyond: dict[str, tuple[float, float]]
) -> str:
    number = f"{result.Norig:,}" if to == 1 else part(result.Norig, to=to)
    about = [f"{number} original record{'' if result.Norig == 1 else 's'}"]
    if result.keys:
        about.append(f"keys: {', '.join(map(str, result.keys))}")
    if result.target is not None:
        about.append(f"target: {result.target}")
    if points.drop(columns=["x", "y"]).notna().any(axis=None):
        about.append(f"bars: {100 * result.level:g}\u00a0% intervals")
    about.append("figures: risk\u00a0|\u00a0utility")
    left_out = [remark for remark in result.remarks if remark.startswith(EXCLUSIONS)]
    lines = [" ".join([*left_out, "; ".join(about)])]
    if beyond:
        ends = [f"{name} ({_figures(*place)})" for name, place in beyond.items()]
        lines.append(f"far beyond the axes: {', '.join(ends)}")
    missing = [one for one in result.releases if one.candidate not in points.index]
    if missing:
        names = []
        for one in missing:
            lacks = f" (lacks {', '.join(map(str, one.lacks))})" if one.lacks else ""
            names.append(textwrap.shorten(one.candidate, LONGEST, placeholder="…") + lacks)
        lines.append(f"without a figure: {', '.join(names)}")
    return "\n".join([*lines, mark(to)])


def _name(
    panel: Any, points: pd.DataFrame, anchors: dict[str, tuple[float, float]], new: bool
) -> None:
    """Names and figures at the points; where there are too many, or too long ones, numbers and a
    key to them beside the axes. Releases with the same figures share a place.
    """
    scale = points[["x", "y"]].abs().max().replace(0, 1)
    places = (points[["x", "y"]] / scale).round(9).apply(tuple, axis=1)
    spots = []
    for alike in points.groupby(places.to_numpy(), sort=False).groups.values():
        x, y = points.loc[alike[0], ["x", "y"]]
        spots.append((x, y, " = ".join(alike)))
    spots.sort(key=lambda spot: (-spot[1], spot[0]))
    ends = [(x, y, name) for name, (x, y) in anchors.items()]
    if len(spots) <= MOST_NAMED and all(len(name) <= LONGEST for *_, name in spots):
        before = list(panel.texts)
        if label_points(
            panel, [(x, y, f"{name}\n{_figures(x, y)}") for x, y, name in spots] + ends
        ):
            return
        for text in [text for text in panel.texts if text not in before]:
            text.remove()
    said = [f"{i}  {name}  ({_figures(x, y)})" for i, (x, y, name) in enumerate(spots, start=1)]
    if new:  # a figure of our own is made large enough
        lines = [textwrap.fill(one, 40, subsequent_indent="     ") for one in said]
        rows = "\n".join(lines).count("\n") + 1
        panel.figure.set_size_inches(SIZE[0] + KEY, max(SIZE[1], 2.4 + 0.16 * rows))
    else:
        width, height = inches_of(panel)
        most = max(int(KEY_LINES * height), 2)
        lines = [textwrap.shorten(one, max(int(KEY_LETTERS * width), 12), placeholder="…")
                 for one in said[:most]]  # fmt: skip
        if len(said) > most:
            lines[-1] = f"… {len(said) - most + 1} more: see .table"
    panel.annotate(
        "\n".join(lines), (1, 1), (10, 0), xycoords="axes fraction", textcoords="offset points",
        va="top", fontsize=SMALL if new else TINY, parse_math=False, annotation_clip=False,
    )  # fmt: skip
    label_points(panel, [(x, y, str(i)) for i, (x, y, _) in enumerate(spots, start=1)] + ends)


def _say_why_empty(ax: Any, result: RUMap, risk: str, utility: str) -> Any:
    """The reasons, instead of empty axes."""
    reasons = [
        f"No {one.measure} for {one.candidate}: {one.reason}."
        for one in result.figures
        if one.measure in (risk, utility) and one.reason
    ]
    lines = [f"No release has both {risk} and {utility}.", *reasons[:MOST_REASONS]]
    if len(reasons) > MOST_REASONS:
        lines.append(f"And {len(reasons) - MOST_REASONS} more: see the map as text.")
    return say_instead(ax, "\n".join(lines))


# ---- a closed form -------------------------------------------------------------------


def plot_curve(curve: RUCurve, ceiling: float | None = None, ax: Any = None) -> Any:
    """Risk against utility along the values of a parameter; infinite risks lie beyond the upper
    edge.
    """
    panel = axes_of(ax, *SIZE)
    table = curve.table
    drawn = table[np.isfinite(table["risk"]) & np.isfinite(table["utility"])]
    panel.plot(drawn["utility"], drawn["risk"], color=BLUE, linewidth=1.6, zorder=2)
    marked = drawn
    if len(drawn):
        rows = np.linspace(0, len(drawn) - 1, min(MARKED, len(drawn))).round()
        marked = drawn.iloc[np.unique(rows.astype(int))]
    panel.plot(marked["utility"], marked["risk"], "o", markersize=6, color=BLUE, clip_on=False)
    if ceiling is not None:
        limit = check_number("ceiling", ceiling, 0)
        draw_ceiling(panel, limit, f"ceiling {limit:.4g}")
        bottom, top = panel.get_ylim()
        panel.set_ylim(bottom, top)  # fixed, so the shading reaches exactly to the edge
        shade = {"facecolor": ink(), "alpha": 0.08, "linewidth": 0, "zorder": 0}
        panel.axhspan(limit, max(top, limit), label="too risky", **shade)
    dress(
        panel,
        f"Risk and utility of {curve.form}",
        _settings(curve, len(table) - len(drawn)) + note_on_zero(panel),
        "utility: 1 / mean squared error of the user, higher is more useful\u00a0→",
        "risk: 1 / mean squared error of the snooper, higher is riskier\u00a0→",
        grid="both",
    )
    values = [f"{one:.3g}" if is_number(one) else str(one) for one in marked[curve.over]]
    label_points(panel, list(zip(marked["utility"], marked["risk"], values)))
    return panel


def _settings(curve: RUCurve, infinite: int) -> str:
    settings = []
    for name, value in curve.fixed.items():
        text = f"{value:g}" if isinstance(value, (int, float)) else value
        settings.append(f"{name} = {text}")
    beyond = ""
    if infinite:
        values = "1 value" if infinite == 1 else f"{infinite} values"
        beyond = f"\n{values} with infinite risk or utility not drawn"
    return f"Numbers along the curve: {curve.over}; {', '.join(settings)}{beyond}"
