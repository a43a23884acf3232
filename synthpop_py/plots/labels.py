"""Names beside the points of a figure, placed where they cover least of what is already there."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np

from ..core.arrays import Floats
from .canvas import TEXT

__all__ = ["Labelled", "Place", "label_points", "names_have_room"]

CHARACTER = 0.62  # width of a letter over its height, about
HIDING = 4  # times as bad to lie on a name or a marker as on a line
TOUCH = 0.06  # share of a name that may be touched: letters are narrower than their boxes
SPOTS = [
    (7, 5, "left"),
    (-7, 5, "right"),
    (7, -14, "left"),
    (-7, -14, "right"),
    (0, 9, "center"),
    (0, -19, "center"),
    (12, -4, "left"),
    (-12, -4, "right"),
]  # points from the marker

Place = tuple[float, float]
Box = tuple[float, float, float, float]  # left, bottom, right, top, in points


class Labelled(Protocol):
    """A point and its name."""

    @property
    def x(self) -> float: ...

    @property
    def y(self) -> float: ...

    @property
    def name(self) -> str: ...


def label_points(
    panel: Any,
    points: Sequence[Labelled],
    lines: Sequence[tuple[Place, Place]] = (),
    *,
    backed: bool = False,
) -> None:
    """The name of each point beside it; markers, names and lines (which run along an axis) are
    avoided as far as there is room. Backed names show before lines they must lie on.
    """
    back = (
        {
            "boxstyle": "square,pad=0.08",
            "facecolor": panel.get_facecolor(),
            "edgecolor": "none",
            "alpha": 0.8,
        }
        if backed
        else None
    )
    for p, placing in zip(points, _placings(panel, points, lines)):
        dx, dy, side = SPOTS[placing.spot]
        panel.annotate(
            p.name,
            (p.x, p.y),
            xytext=(dx, dy),
            textcoords="offset points",
            ha=side,
            fontsize=TEXT,
            parse_math=False,
            zorder=5,
            annotation_clip=False,
            bbox=back,
        )


def names_have_room(
    panel: Any, points: Sequence[Labelled], lines: Sequence[tuple[Place, Place]] = ()
) -> bool:
    """Whether `label_points` could write every name without touching another one, or a marker, and
    inside the axes.
    """
    return all(placing.clear for placing in _placings(panel, points, lines))


class Placing(NamedTuple):
    """Where a name goes, and whether nothing but lines is in its way there."""

    spot: int
    clear: bool


def _placings(
    panel: Any, points: Sequence[Labelled], lines: Sequence[tuple[Place, Place]]
) -> list[Placing]:
    panel.figure.draw_without_rendering()  # so that the layout is what it will be
    to_points = 72 / panel.figure.dpi
    places = [panel.transData.transform((p.x, p.y)) * to_points for p in points]
    taken = [_box(x, y, 8, 8) for x, y in places]
    drawn = [
        _line_box(*(panel.transData.transform(end) * to_points for end in line)) for line in lines
    ]
    frame = panel.get_window_extent()
    edges = (frame.x0 * to_points, frame.y0 * to_points, frame.x1 * to_points, frame.y1 * to_points)
    found = []
    for p, (x, y) in zip(points, places):
        width, height = CHARACTER * TEXT * len(p.name), TEXT * 1.2
        boxes = [_text_box(x + dx, y + dy, width, height, side) for dx, dy, side in SPOTS]
        hidden = [
            sum(_common(box, other) for other in taken) + 5 * _outside(box, edges) for box in boxes
        ]
        costs = [
            HIDING * own + sum(_common(box, line) for line in drawn)
            for own, box in zip(hidden, boxes)
        ]
        best = int(np.argmin(costs))
        found.append(Placing(best, hidden[best] <= TOUCH * width * height))
        taken.append(boxes[best])
    return found


def _box(x: float, y: float, width: float, height: float) -> Box:
    return x - width / 2, y - height / 2, x + width / 2, y + height / 2


def _text_box(x: float, y: float, width: float, height: float, side: str) -> Box:
    left = {"left": x, "right": x - width, "center": x - width / 2}[side]
    return left, y, left + width, y + height


def _line_box(first: Floats, last: Floats) -> Box:
    """A line that runs along an axis, two points wide."""
    (x0, y0), (x1, y1) = np.minimum(first, last) - 1, np.maximum(first, last) + 1
    return x0, y0, x1, y1


def _common(a: Box, b: Box) -> float:
    return max(min(a[2], b[2]) - max(a[0], b[0]), 0.0) * max(min(a[3], b[3]) - max(a[1], b[1]), 0.0)


def _outside(box: Box, edges: Box) -> float:
    return (box[2] - box[0]) * (box[3] - box[1]) - _common(box, edges)
