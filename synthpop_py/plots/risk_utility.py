"""Risk against utility: the map of releases (better is always to the lower right: an axis is
reversed where needed, and says so) and the curve of a closed form.
"""

from __future__ import annotations

import textwrap
from typing import Any

import numpy as np
import pandas as pd

from ..arguments import check_number, is_number
from ..closed_forms import RUCurve
from ..rounding import too_few
from ..ru_map import RUMap
from ..ru_map.result import EXCLUSIONS
from . import frame

SIZE = (7.2, 5.8)  # inches
KEY, KEY_LETTERS = 2.9, 40  # inches beside the axes, and letters, for the names of numbered places
MOST_NAMED = 10  # places that are named where they are
LONGEST = 34  # letters of a name written at its place
MOST_REASONS = 8
MARKED = 6  # values of the parameter written along a curve
ON_FRONT = "on the front: no other release is as safe and as useful, and better in one"
OFF_FRONT = "another release is as good in both, and better in one"
ENDS = {"original": "the original released as it is", "no data": "nothing released"}
MOST_STRETCHED = 6  # times the range of the releases


def plot_map(
    result: RUMap, risk: str, utility: str, ax: Any, *, ceiling: float | None, round_to: int
) -> Any:
    """The map: one point per release, bars for intervals, a line through those that no other
    release dominates, a line at the highest risk you accept, where given. `result` is rounded
    already; `round_to` is what the words say.
    """
    limit = 0.0 if ceiling is None else check_number("ceiling", ceiling)
    if too_few(result.Norig, round_to):
        return frame.say_instead(ax, too_few(result.Norig, round_to))
    points = map_points(result, risk, utility)
    if points.empty:
        return frame.say_instead(ax, _why_empty(result, risk, utility))
    (_, of_risk), (_, of_utility) = result.about(risk), result.about(utility)
    places = _places(points)
    key = _key([name for _, _, name in places])
    width, height = SIZE
    if key:
        places = [(x, y, str(i)) for i, (x, y, _) in enumerate(places, start=1)]
        width += KEY
        height = max(height, 2.6 + frame.LINE * key.count("\n"))
    panel = frame.axes_of(ax, width, height)
    _draw_releases(panel, points, result.front(risk, utility), of_utility.better == "higher")
    if ceiling is not None:
        word = "floor" if of_risk.better == "higher" else "ceiling"
        panel.axhline(limit, label=f"{word} {limit:g}: the risk you accept", **frame.CEILING)
    beyond = ""
    releases = points[["x", "y"]].to_numpy()
    span = np.ptp(releases, axis=0)
    for name, (x, y) in _anchors(result, risk, utility).items():
        # the releases must still be told apart when the axes reach to this end of the map
        stretched = np.ptp([*releases, (x, y)], axis=0)
        if (stretched > MOST_STRETCHED * span)[span > 0].any():
            beyond += f"\nfar beyond the axes: {name} (risk {y:.3g}, utility {x:.3g})"
            continue
        marker = "*" if name == "original" else "P"
        look = {"markersize": 12, "color": frame.GREY, "clip_on": False}
        panel.plot(x, y, marker, label=ENDS[name], **look)
        places.append((x, y, name))
    panel.margins(0.08)
    # useful is right and safe is low
    xlim, xlabel = _fitted(panel.get_xlim(), of_utility, of_utility.better == "lower")
    ylim, ylabel = _fitted(panel.get_ylim(), of_risk, of_risk.better == "higher")
    panel.set(xlim=xlim, ylim=ylim)
    panel.annotate(key, (1, 1), (10, 0), xycoords="axes fraction", va="top", **frame.NOTE)
    xlabel, ylabel = f"{xlabel}; more useful\u00a0→", f"{ylabel}; riskier\u00a0→"
    words = f"{_subtitle(result, points, round_to)}{beyond}{_without(result, points)}"
    frame.dress(panel, "Risk and utility of each release", words, xlabel, ylabel)
    frame.label_points(panel, places)
    return panel


def map_points(result: RUMap, risk: str, utility: str) -> pd.DataFrame:
    """Releases that have both figures, with their intervals: x is utility, y is risk."""
    tidy = result.tidy().set_index("candidate")
    frames = []
    for axis, measure in (("x", utility), ("y", risk)):
        figures = tidy.loc[tidy["measure"] == measure, ["value", "low", "high"]].astype(float)
        frames.append(figures.set_axis([axis, f"{axis}_low", f"{axis}_high"], axis="columns"))
    both = pd.concat(frames, axis="columns")
    return both[np.isfinite(both[["x", "y"]]).all(axis="columns")]


def _places(points: pd.DataFrame) -> list[tuple[float, float, str]]:
    """Places with the names of the releases there, the riskiest first."""
    scale = points[["x", "y"]].abs().max().replace(0, 1)
    rounded = (points[["x", "y"]] / scale).round(9)
    places = []
    for names in points.groupby([rounded["x"], rounded["y"]], sort=False).groups.values():
        x, y = points.loc[names[0], ["x", "y"]]
        places.append((x, y, " = ".join(names)))
    return sorted(places, key=lambda place: (-place[1], place[0]))


def _key(names: list[str]) -> str:
    """The names with numbers, where they are too many or too long to stand at their places."""
    if len(names) <= MOST_NAMED and max(map(len, names)) <= LONGEST:
        return ""
    lines = [f"{i}  {name}" for i, name in enumerate(names, start=1)]
    filled = [textwrap.fill(line, KEY_LETTERS, subsequent_indent="     ") for line in lines]
    return "\n".join(filled)


def _draw_releases(panel: Any, points: pd.DataFrame, names: list[str], upwards: bool) -> None:
    """Points, intervals, and the border of what the front dominates: from each point up to the risk
    of the next more useful one, then over to it.
    """
    on_front = points.index.isin(names)
    front, rest = points[on_front], points[~on_front]
    corners: list[list[float]] = []
    for place in front.sort_values("x", ascending=upwards)[["x", "y"]].to_numpy().tolist():
        if corners:
            corners.append([corners[-1][0], place[1]])
        corners.append(place)
    dashed = {"color": frame.BLUE, "linewidth": 1.4, "linestyle": frame.DASHES}
    panel.plot(*np.reshape(corners, (-1, 2)).T, zorder=2, **dashed)
    look: dict[str, Any] = {
        "markersize": 5.5,
        "markeredgewidth": 1.5,
        "clip_on": False,
        "zorder": 3,
    }
    if len(front):
        panel.plot(front["x"], front["y"], "o", color=frame.BLUE, label=ON_FRONT, **look)
    if len(rest):
        look |= {"color": frame.VERMILLION, "markerfacecolor": panel.get_facecolor()}
        panel.plot(rest["x"], rest["y"], "s", label=OFF_FRONT, **look)
    thin = {"color": frame.GREY, "linewidth": 0.9, "alpha": 0.6, "zorder": 4, "clip_on": False}
    for row in points.itertuples():
        panel.plot([row.x_low, row.x_high], [row.y, row.y], **thin)
        panel.plot([row.x, row.x], [row.y_low, row.y_high], **thin)


def _anchors(result: RUMap, risk: str, utility: str) -> dict[str, Any]:
    """The original as it is and no data, where they have both figures."""
    figures = {(one.candidate, one.measure): float(one.value) for one in result.anchors}
    places = {name: [figures.get((name, of), np.nan) for of in (utility, risk)] for name in ENDS}
    return {name: place for name, place in places.items() if np.isfinite(place).all()}


def _fitted(limits: tuple[float, float], about: Any, turned: bool) -> tuple[Any, str]:
    """Ends of an axis, not beyond the range of the measure, and its label."""
    ends = max(limits[0], about.low), min(limits[1], about.high)
    label = f"{about.label}: {about.unit}"
    return (ends[::-1], f"{label} (axis reversed)") if turned else (ends, label)


def _subtitle(result: RUMap, points: pd.DataFrame, to: int) -> str:
    facts = [remark.rstrip(".") for remark in result.remarks if remark.startswith(EXCLUSIONS)]
    if result.keys:
        facts.append(frame.listed("keys", result.keys))
    if result.target is not None:
        facts.append(f"target: {result.target}")
    if points[["x_low", "y_low"]].notna().any(axis=None):
        facts.append(f"bars: {100 * result.level:g}\u00a0% intervals")
    return frame.about(result.Norig, to, *facts)


def _without(result: RUMap, points: pd.DataFrame) -> str:
    """A line with the releases that are not drawn."""
    lacks = result.tidy().groupby("candidate", sort=False)["lacks"].first()
    missing = []
    for name, lacking in lacks.drop(points.index).items():
        why = f" (lacks {lacking})" if lacking else ""
        missing.append(textwrap.shorten(str(name), LONGEST, placeholder="…") + why)
    return f"\nwithout a figure: {', '.join(missing)}" if missing else ""


def _why_empty(result: RUMap, risk: str, utility: str) -> str:
    tidy = result.tidy()
    without = tidy[tidy["measure"].isin([risk, utility])].query("reason != ''")
    lines = [f"No release has both {risk} and {utility}."]
    for row in without.head(MOST_REASONS).itertuples():
        lines.append(f"No {row.measure} for {row.candidate}: {row.reason}.")
    return "\n".join(lines)


def plot_curve(curve: RUCurve, ceiling: float | None = None, ax: Any = None) -> Any:
    """Risk against utility along the values of a parameter; infinite ones are not drawn."""
    panel = frame.axes_of(ax, *SIZE)
    table = curve.table
    is_finite = np.isfinite(table[["risk", "utility"]]).all(axis="columns")
    drawn = table[is_finite]
    panel.plot(drawn["utility"], drawn["risk"], color=frame.BLUE, linewidth=1.6, zorder=2)
    rows = np.linspace(0, len(drawn) - 1, min(MARKED, len(drawn))).round()
    marked = drawn.iloc[np.unique(rows.astype(int))]
    x, y = marked["utility"], marked["risk"]
    panel.plot(x, y, "o", markersize=6, color=frame.BLUE, clip_on=False)
    if ceiling is not None:
        limit = check_number("ceiling", ceiling, 0)
        panel.axhline(limit, label=f"ceiling {limit:.4g}", **frame.CEILING)
        bottom, top = panel.get_ylim()
        panel.set_ylim(bottom, top)  # fixed, so the shading reaches exactly to the edge
        shade = {"facecolor": frame.GREY, "alpha": 0.15, "linewidth": 0, "zorder": 0}
        panel.axhspan(limit, max(top, limit), label="too risky", **shade)
    settings = [f"numbers along the curve: {curve.over}"]
    for name, value in curve.fixed.items():
        settings.append(f"{name} = {_number(value)}")
    subtitle = ", ".join(settings)
    infinite = len(table) - len(drawn)
    if infinite:
        values = "1 value" if infinite == 1 else f"{infinite} values"
        subtitle += f"\n{values} with infinite risk or utility not drawn"
    xlabel = "utility: 1 / mean squared error of the user; more useful\u00a0→"
    ylabel = "risk: 1 / mean squared error of the snooper; riskier\u00a0→"
    frame.dress(panel, f"Risk and utility of {curve.form}", subtitle, xlabel, ylabel)
    names = map(_number, marked[curve.over])
    frame.label_points(panel, list(zip(x, y, names)))
    return panel


def _number(value: Any) -> str:
    return f"{value:.3g}" if is_number(value) else str(value)
