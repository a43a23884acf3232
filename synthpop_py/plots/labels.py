"""Names beside the points of a figure, placed where they cover least of what is already there."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np

from ..core.arrays import Floats
from .canvas import grey, write
from .fitting import lay_out, setting_of, whole_figure
from .measuring import Ruler, line_height, lines_of

__all__ = ["Labelled", "Line", "Place", "label_points", "names_have_room"]

HIDING = 4  # covering a name or a marker is this many times as bad as covering a line
TOUCH = 0.06  # share of a name that may be touched: letters are narrower than their boxes
# points from the marker, and which side of the name is there
SPOTS = [
    (7, 5, "left"),
    (-7, 5, "right"),
    (7, -14, "left"),
    (-7, -14, "right"),
    (0, 9, "center"),
    (0, -19, "center"),
    (12, -4, "left"),
    (-12, -4, "right"),
    # farther away, for crowds: a thin line leads from the name to its point
    (18, 14, "left"),
    (-18, 14, "right"),
    (18, -23, "left"),
    (-18, -23, "right"),
    (0, 24, "center"),
    (0, -33, "center"),
    (30, -4, "left"),
    (-30, -4, "right"),
    (32, 26, "left"),
    (-32, 26, "right"),
    (32, -35, "left"),
    (-32, -35, "right"),
]
ONE_LINE = 72 * line_height(9)  # points, for which the spots were chosen
BESIDE = -4  # the height of a name beside its point
NEAR = 8  # spots that need no line
FAR = 0.5  # of the area of a name, so much worse is a spot that needs one

Place = tuple[float, float]
Line = tuple[Place, Place]  # its two ends


class Labelled(Protocol):
    """A point and its name."""

    @property
    def x(self) -> float: ...

    @property
    def y(self) -> float: ...

    @property
    def name(self) -> str: ...


class Box(NamedTuple):
    """A part of the figure, in points."""

    left: float
    bottom: float
    right: float
    top: float

    @property
    def area(self) -> float:
        return (self.right - self.left) * (self.top - self.bottom)

    def common(self, other: Box) -> float:
        """The area of what lies in both."""
        width = min(self.right, other.right) - max(self.left, other.left)
        height = min(self.top, other.top) - max(self.bottom, other.bottom)
        return max(width, 0.0) * max(height, 0.0)


class Placing(NamedTuple):
    """Where a name goes, and whether only lines are in its way there."""

    spot: int
    clear: bool


def label_points(
    panel: Any,
    points: Sequence[Labelled],
    lines: Sequence[Line] = (),
    *,
    backed: bool = False,
) -> None:
    """The name of each point beside it; markers, names and lines (which run along an axis) are
    avoided as far as space allows. Names with a background stay readable on lines.
    """
    back = None
    if backed:
        back = {
            "boxstyle": "square,pad=0.08",
            "facecolor": panel.get_facecolor(),
            "edgecolor": "none",
            "alpha": 0.8,
        }
    for point, placing in zip(points, _placings(panel, points, lines)):
        right, up, side = _offset(placing.spot, _lines_height(panel, point.name))
        write(
            panel,
            point.name,
            (point.x, point.y),
            (right, up),
            ha=side,
            va="bottom",
            parse_math=False,
            zorder=5,
            annotation_clip=False,
            bbox=back,
            arrowprops=_leader(panel, placing),
        )


def _leader(panel: Any, placing: Placing) -> dict[str, Any] | None:
    """A line from a name that is far from its point; none from one that is near."""
    if placing.spot < NEAR:
        return None
    return {"arrowstyle": "-", "linewidth": 0.7, "color": grey(panel, 0.5), "shrinkB": 4}


def names_have_room(panel: Any, points: Sequence[Labelled], lines: Sequence[Line] = ()) -> bool:
    """Whether `label_points` could write every name without touching another one, or a marker, and
    inside the axes.
    """
    return all(placing.clear for placing in _placings(panel, points, lines))


def _placings(panel: Any, points: Sequence[Labelled], lines: Sequence[Line]) -> list[Placing]:
    """The best spot for each name; names already placed are in the way of those that follow."""
    lay_out(whole_figure(panel))  # where points will be
    edges = _edges(panel)
    drawn = [_line_box(panel, line) for line in lines]
    markers = [_in_points(panel, (point.x, point.y)) for point in points]
    taken = [_around(marker, 8) for marker in markers]
    placings = []
    for point, marker in zip(points, markers):
        boxes = _text_boxes(panel, marker, point.name)
        hidden = [_hidden(box, taken, edges) for box in boxes]
        costs = []
        for spot, (box, area) in enumerate(zip(boxes, hidden)):
            on_lines = sum(box.common(line) for line in drawn)
            far = FAR * box.area if spot >= NEAR else 0.0
            costs.append(HIDING * area + on_lines + far)
        best = int(np.argmin(costs))
        clear = hidden[best] <= TOUCH * boxes[best].area
        placings.append(Placing(best, clear))
        taken.append(boxes[best])
    return placings


def _in_points(panel: Any, place: Place) -> Floats:
    """Where a place of the data is in the figure."""
    pixels: Floats = panel.transData.transform(place)
    return pixels * _points_per_pixel(panel)


def _points_per_pixel(panel: Any) -> float:
    return float(72 / panel.figure.dpi)


def _edges(panel: Any) -> Box:
    frame = panel.get_window_extent()
    scale = _points_per_pixel(panel)
    return Box(
        left=frame.x0 * scale,
        bottom=frame.y0 * scale,
        right=frame.x1 * scale,
        top=frame.y1 * scale,
    )


def _around(middle: Floats, width: float) -> Box:
    """A square."""
    left, bottom = middle - width / 2
    right, top = middle + width / 2
    return Box(left, bottom, right, top)


def _text_boxes(panel: Any, marker: Floats, text: str) -> list[Box]:
    """What a name covers at each of the spots."""
    width = 72 * Ruler(panel.figure.dpi).inches(text, setting_of(panel).text)
    height = _lines_height(panel, text)
    boxes = []
    for spot in range(len(SPOTS)):
        right, up, side = _offset(spot, height)
        x, y = marker[0] + right, marker[1] + up
        left = {"left": x, "right": x - width, "center": x - width / 2}[side]
        boxes.append(Box(left=left, bottom=y, right=left + width, top=y + height))
    return boxes


def _lines_height(panel: Any, text: str) -> float:
    return 72 * line_height(setting_of(panel).text) * lines_of(text)


def _offset(spot: int, height: float) -> tuple[float, float, str]:
    """Where the lower edge of a name is; further lines go up from a point above it, and down from
    one below.
    """
    right, up, side = SPOTS[spot]
    further = max(height - ONE_LINE, 0.0)
    if up < BESIDE:
        return right, up - further, side
    return right, up - further / 2 if up == BESIDE else up, side


def _line_box(panel: Any, line: Line) -> Box:
    """A line that runs along an axis, two points wide."""
    first, last = [_in_points(panel, end) for end in line]
    left, bottom = np.minimum(first, last) - 1
    right, top = np.maximum(first, last) + 1
    return Box(left, bottom, right, top)


def _hidden(box: Box, taken: Sequence[Box], edges: Box) -> float:
    """How much of a name would lie on markers and names, or, which is worse, outside the axes."""
    outside = box.area - box.common(edges)
    return sum(box.common(other) for other in taken) + 5 * outside
