"""The risk-utility map as a figure.

Better is always to the lower right: an axis is reversed where needed, and says so.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import pandas as pd

from ..arguments import check_number
from ..rounding import ROUND_TO, mark, part, too_few
from ..ru_map.measures import About, MapFigure, Role
from ..ru_map.result import EXCLUSIONS, RUMap
from .canvas import (
    LINE,
    TEXT,
    Mark,
    draw_ceiling,
    finish_plane,
    names,
    not_from_zero,
    panel_for,
    ruler,
    write,
)
from .fitting import Place as Size
from .fitting import Setting, Wording, fit_with_key, is_made_for, setting_of
from .frame import BLUE, VERMILLION, ink, say_instead
from .labels import Line, Place, label_points, names_have_room
from .measuring import Ruler, line_height, lines_of

__all__ = ["plot_map"]

SIZE = (7.2, 5.4)  # inches
MARGIN = 0.08  # of the range of the points, left free around them
MOST_NAMED = 10  # places that are named where they are
LONGEST = 34  # letters of a name written at its place
KEY_WIDTH = 3.0  # inches of a line of the key
KEY_SHARE = 0.4, 0.68  # of the width and height of given axes and their words
MOST_REASONS = 8
ON_FRONT = "on the front: no other release is as safe and as useful, and better in one"
OFF_FRONT = "another release is as good in both, and better in one"
ENDS = {"original": "the original released as it is", "no data": "nothing released"}
END_MARKS = {"original": Mark("*", 11, None), "no data": Mark("P", 8, None)}
MOST_STRETCHED = 6  # times the range of the releases
ARROWS: dict[Role, str] = {"utility": "more useful\u00a0→", "risk": "riskier\u00a0→"}


class Point(NamedTuple):
    """A release on the map: utility to the right, risk upwards, with their intervals."""

    x: float
    y: float
    name: str
    x_low: float
    x_high: float
    y_low: float
    y_high: float

    def bars(self) -> list[Line]:
        """Ends of the intervals that there are."""
        bars: list[Line] = []
        if not math.isnan(self.x_low):
            bars.append(((self.x_low, self.y), (self.x_high, self.y)))
        if not math.isnan(self.y_low):
            bars.append(((self.x, self.y_low), (self.x, self.y_high)))
        return bars


class Spot(NamedTuple):
    """A place on the map and the releases there."""

    x: float
    y: float
    name: str

    @property
    def figures(self) -> str:
        """Risk and utility, short."""
        return f"{self.y:.3g}\u00a0|\u00a0{self.x:.3g}"


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
    panel = panel_for(ax, *SIZE)
    _, of_risk = result.about(risk)
    _, of_utility = result.about(utility)
    points = _points(result, risk, utility)
    kept = set(result.front(risk, utility))
    on_front = [point for point in points if point.name in kept]
    dominated = [point for point in points if point.name not in kept]
    stairs = _stairs(on_front, of_utility)
    if on_front:
        _draw_stairs(panel, stairs)
        _dots(panel, on_front, Mark("o", 5.5, BLUE), ON_FRONT)
    if dominated:
        _dots(panel, dominated, Mark("s", 5.5, VERMILLION, hollow=True), OFF_FRONT)
    bars: list[Line] = []
    for point in points:
        bars += point.bars()
    _draw_bars(panel, bars)
    if limit is not None:
        words_of = "floor" if of_risk.better == "higher" else "ceiling"
        draw_ceiling(panel, limit, f"{words_of} {limit:g}: the risk you accept")
    anchors = _anchors(result, risk, utility)
    near = [anchor for anchor in anchors if _leaves_room(anchor, points)]
    for anchor in near:
        _dots(panel, [anchor], END_MARKS[anchor.name], ENDS[anchor.name])
    _turn_axes(panel, of_risk, of_utility)
    beyond = [anchor for anchor in anchors if anchor not in near]
    starts = not_from_zero(panel) if points else ""
    words = Wording(
        title="Risk and utility of each release",
        subtitle=_subtitle(result, points, round_to, beyond) + starts,
        xlabel=_axis_label("utility", of_utility),
        ylabel=_axis_label("risk", of_risk),
    )
    finish_plane(panel, words)
    if points:
        lines = [*itertools.pairwise(stairs), *bars]
        _name(panel, _joined(points), near, lines)
    else:
        _say_why_empty(panel, result, risk, utility)
    return panel


def _points(result: RUMap, risk: str, utility: str) -> list[Point]:
    """Candidates that have both figures."""
    tidy = result.tidy()
    of_utility = _by_candidate(tidy, utility)
    of_risk = _by_candidate(tidy, risk)
    points = []
    for candidate in result.candidates:
        x, y = of_utility.loc[candidate], of_risk.loc[candidate]
        if not (math.isfinite(x["value"]) and math.isfinite(y["value"])):
            continue
        point = Point(
            x=x["value"],
            y=y["value"],
            name=candidate,
            x_low=x["low"],
            x_high=x["high"],
            y_low=y["low"],
            y_high=y["high"],
        )
        points.append(point)
    return points


def _by_candidate(tidy: pd.DataFrame, measure: str) -> pd.DataFrame:
    of_measure = tidy[tidy["measure"] == measure]
    return of_measure.set_index("candidate")[["value", "low", "high"]]


def _stairs(front: Sequence[Point], utility: About) -> list[Place]:
    """The border of what the front dominates: from each point up to the risk of the next more
    useful one, then over to it.
    """
    sign = 1 if utility.better == "higher" else -1
    ordered = sorted(front, key=lambda point: sign * point.x)
    corners = [(point.x, point.y) for point in ordered[:1]]
    for before, point in itertools.pairwise(ordered):
        corners.append((before.x, point.y))
        corners.append((point.x, point.y))
    return corners


def _draw_stairs(panel: Any, corners: Sequence[Place]) -> None:
    x, y = zip(*corners)
    panel.plot(x, y, color=BLUE, linewidth=1.4, linestyle=(0, (5, 2)), zorder=2)


def _anchors(result: RUMap, risk: str, utility: str) -> list[Spot]:
    """The original as it is and no data, where they have both figures."""
    by_place: dict[tuple[str, str], MapFigure] = {}
    for figure in result.anchors:
        by_place[figure.candidate, figure.measure] = figure
    spots = []
    for name in dict.fromkeys(figure.candidate for figure in result.anchors):
        x, y = by_place[name, utility], by_place[name, risk]
        if math.isfinite(x.value) and math.isfinite(y.value):
            spots.append(Spot(x.value, y.value, name))
    return spots


def _leaves_room(anchor: Spot, points: Sequence[Point]) -> bool:
    """Whether the releases can still be told apart when the axes reach to this end of the map."""
    for axis in ("x", "y"):
        values = [getattr(point, axis) for point in points]
        end = getattr(anchor, axis)
        span = max(values, default=end) - min(values, default=end)
        reach = max([*values, end]) - min([*values, end])
        if span and reach > MOST_STRETCHED * span:
            return False
    return True


def _dots(panel: Any, points: Sequence[Point | Spot], mark: Mark, label: str) -> None:
    colour = mark.colour or ink()
    panel.plot(
        [point.x for point in points],
        [point.y for point in points],
        linestyle="none",
        marker=mark.marker,
        markersize=mark.size,
        markerfacecolor=panel.get_facecolor() if mark.hollow else colour,
        markeredgecolor=colour,
        markeredgewidth=1.5 if mark.colour else 0.5,
        label=label,
        zorder=3,
        clip_on=False,
    )


def _draw_bars(panel: Any, bars: Sequence[Line]) -> None:
    """Intervals, drawn before the marker: one shorter than the marker is still visible."""
    for bar in bars:
        x, y = zip(*bar)
        panel.plot(
            x,
            y,
            color=ink(),
            linewidth=0.9,
            alpha=0.6,
            zorder=4,
            solid_capstyle="butt",
            clip_on=False,
        )


def _turn_axes(panel: Any, risk: About, utility: About) -> None:
    """Space around the points, but not beyond the range of the measures; axes reversed so that
    useful is right and safe is low.
    """
    panel.margins(MARGIN)
    panel.set_xlim(_ends("utility", utility, panel.get_xlim()))
    panel.set_ylim(_ends("risk", risk, panel.get_ylim()))


def _ends(role: Role, about: About, limits: tuple[float, float]) -> tuple[float, float]:
    low = max(limits[0], about.low)
    high = min(limits[1], about.high)
    return (high, low) if _is_turned(role, about) else (low, high)


def _is_turned(role: Role, about: About) -> bool:
    """Whether the axis runs downwards, so that better is to the lower right."""
    return (about.better == "lower") == (role == "utility")


def _axis_label(role: Role, about: About) -> str:
    turned = " (axis reversed)" if _is_turned(role, about) else ""
    return f"{about.label}: {about.unit}{turned}; {ARROWS[role]}"


def _subtitle(
    result: RUMap,
    points: Sequence[Point],
    to: int,
    beyond: Sequence[Spot],
) -> str:
    records = "record" if result.Norig == 1 else "records"
    number = f"{result.Norig:,}" if to == 1 else part(result.Norig, to=to)
    about = [f"{number} original {records}"]
    if result.keys:
        about.append(f"keys: {names(result.keys)}")
    if result.target is not None:
        about.append(f"target: {result.target}")
    if any(point.bars() for point in points):
        about.append(f"bars: {100 * result.level:g}\u00a0% intervals")
    about.append("figures: risk\u00a0|\u00a0utility")
    # the people the figures are about come first: there they stay if words are shortened
    left_out = [remark for remark in result.remarks if remark.startswith(EXCLUSIONS)]
    lines = [" ".join([*left_out, "; ".join(about)])]
    if beyond:
        ends = [f"{anchor.name} ({anchor.figures})" for anchor in beyond]
        lines.append(f"far beyond the axes: {', '.join(ends)}")
    missing = _not_drawn(result, points)
    if missing and points:
        lines.append(f"without a figure: {', '.join(missing)}")
    lines.append(mark(to))
    return "\n".join(lines)


def _not_drawn(result: RUMap, points: Sequence[Point]) -> list[str]:
    """Releases without a point, with the columns that they lack."""
    drawn = {point.name for point in points}
    missing = []
    for release in result.releases:
        if release.candidate in drawn:
            continue
        lacks = f" (lacks {names(release.lacks)})" if release.lacks else ""
        missing.append(_short(release.candidate) + lacks)
    return missing


def _short(name: str) -> str:
    return name if len(name) <= LONGEST else f"{name[: LONGEST - 1].rstrip()}…"


def _joined(points: Sequence[Point]) -> list[Spot]:
    """Releases that have the same figures share a place and its name."""
    x_span = max(abs(point.x) for point in points) or 1.0
    y_span = max(abs(point.y) for point in points) or 1.0
    by_place: dict[Place, list[Point]] = {}
    for point in points:
        place = round(point.x / x_span, 9), round(point.y / y_span, 9)
        by_place.setdefault(place, []).append(point)
    spots = []
    for alike in by_place.values():
        name = " = ".join(point.name for point in alike)
        spots.append(Spot(alike[0].x, alike[0].y, name))
    return spots


def _name(
    panel: Any,
    spots: Sequence[Spot],
    anchors: Sequence[Spot],
    lines: Sequence[Line],
) -> None:
    """Names and figures at the points; where there are too many, or too long ones, numbers and a
    key to them beside the axes.
    """
    short = all(len(spot.name) <= LONGEST for spot in spots)
    named = [spot._replace(name=f"{spot.name}\n{spot.figures}") for spot in spots]
    named += anchors
    if len(spots) <= MOST_NAMED and short and names_have_room(panel, named, lines):
        label_points(panel, named, lines, backed=True)
        return
    from_top = sorted(spots, key=lambda spot: (-spot.y, spot.x))
    _key_beside(panel, from_top)
    numbered = []
    for number, spot in enumerate(from_top, start=1):
        numbered.append(spot._replace(name=str(number)))
    label_points(panel, [*numbered, *anchors], lines, backed=True)


def _key_beside(panel: Any, spots: Sequence[Spot]) -> None:
    """The names of numbered places beside the axes; a figure of our own is made large enough."""

    def key(setting: Setting, size: Size, measure: Ruler) -> str:
        if is_made_for(panel):
            return _whole_key(spots, measure)
        return _short_key(spots, setting, size, measure)

    if is_made_for(panel):
        measure = ruler()
        text = _whole_key(spots, measure)
        width, height = SIZE
        needed = 1.9 + LINE * lines_of(text)
        panel.figure.set_size_inches(width + measure.inches(text, TEXT) + 0.2, max(height, needed))
    beside = write(
        panel,
        "",
        (1, 1),
        (10, 0),
        xycoords="axes fraction",
        va="top",
        annotation_clip=False,
    )
    fit_with_key(panel, key, beside)


def _whole_key(spots: Sequence[Spot], measure: Ruler) -> str:
    """All names and figures, long ones in several lines."""
    entries = []
    for number, spot in enumerate(spots, start=1):
        entry = measure.wrapped(f"{number}  {spot.name}  ({spot.figures})", KEY_WIDTH, TEXT)
        entries.append(entry.replace("\n", "\n     "))
    return "\n".join(entries)


def _short_key(spots: Sequence[Spot], setting: Setting, size: Size, measure: Ruler) -> str:
    """A line for each name, as far as there is room; long ones are shortened."""
    width, height = KEY_SHARE[0] * size.width, KEY_SHARE[1] * size.height
    most = max(int(height / line_height(setting.text)), 2)
    shown = spots if len(spots) <= most else spots[: most - 1]
    lines = []
    for number, spot in enumerate(shown, start=1):
        figures = f"  ({spot.figures})"
        rest = width - measure.inches(figures, setting.text)
        lines.append(measure.shortened(f"{number}  {spot.name}", rest, setting.text) + figures)
    if len(shown) < len(spots):
        lines.append(f"… {len(spots) - len(shown)} more: see .table")
    return "\n".join(lines)


def _say_why_empty(panel: Any, result: RUMap, risk: str, utility: str) -> None:
    """The reasons, instead of empty axes."""
    reasons = []
    for figure in result.figures:
        if figure.measure in (risk, utility) and figure.reason:
            reasons.append(f"No {figure.measure} for {_short(figure.candidate)}: {figure.reason}.")
    lines = [f"No release has both {risk} and {utility}.", *reasons[:MOST_REASONS]]
    if len(reasons) > MOST_REASONS:
        lines.append(f"And {len(reasons) - MOST_REASONS} more: see the map as text.")
    panel.set_xticks([])
    panel.set_yticks([])
    size = setting_of(panel).text
    inches = 0.94 * panel.get_window_extent().width / panel.figure.dpi
    most = int(0.9 * panel.get_window_extent().height / panel.figure.dpi / line_height(size))
    text = Ruler(panel.figure.dpi).wrapped("\n".join(lines), inches, size, most=max(most, 1))
    write(panel, text, (0.03, 0.95), (0, 0), xycoords="axes fraction", va="top")
