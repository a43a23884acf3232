"""What all pictures share: a figure with matplotlib's constrained layout, words around the axes,
rows with names, names beside points. matplotlib is imported when a picture is asked for.

Colours are those of Okabe and Ito; markers and fill tell the same things apart without colour.
Whatever else has a colour is grey, or takes it from matplotlib's own settings, so that dark themes
work.
"""

from __future__ import annotations

import builtins
import sys
import textwrap
import threading
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from ..errors import missing_package
from ..rounding import mark, people, shown

BLUE, VERMILLION, SKY = "#0072B2", "#D55E00", "#56B4E9"
# line, marker and colour of series that are told apart without colour too
SERIES = [
    ("-", "o", BLUE), ("--", "s", VERMILLION), (":", "^", "#009E73"), ("-.", "D", "#CC79A7"),
    ((0, (1, 1)), "v", SKY),
]  # fmt: skip
GREY = "0.5"
DASHES = (0, (4, 2))
CEILING = {"color": VERMILLION, "linewidth": 1.4, "linestyle": DASHES, "zorder": 2.5}
TITLE, SMALL = 12, 9  # points
LETTERS = 14  # small ones in an inch
LONGEST = 34  # letters in a line of the name of a row
LINE = 0.16  # inches of a line of small words
NOTE = {"fontsize": SMALL, "textcoords": "offset points", "parse_math": False}
MARGIN = 0.12  # inches around all that is drawn
MARKER = 5  # points around the middle of a marker that a name must not cover
OUTSIDE = 5  # so many times worse is a part of a name outside the axes than one on a marker
ENDS = (1, 2, 5, 10, 15, 20, 25, 30, 40, 50, 60, 80, 100)  # of an axis of percentages

# where a name may be: how far it is from its point, in points, and which part of it is there
# (0: left or lower end, 0.5: middle, 1: right or upper end)
NEAR = [
    (6, -6, 0, 1), (-6, 6, 1, 0), (8, 0, 0, 0.5), (-8, 0, 1, 0.5),
    (6, 6, 0, 0), (-6, -6, 1, 1), (0, 9, 0.5, 0), (0, -9, 0.5, 1),
]  # fmt: skip
SPOTS = np.array([*NEAR, *((3 * right, 3 * up, x, y) for right, up, x, y in NEAR)])


def matplotlib() -> Any:
    try:
        import matplotlib.figure
    except ImportError as error:
        raise missing_package("plots", "matplotlib", "plot") from error
    return matplotlib


def axes_of(ax: Any, width: float, height: float) -> Any:
    """The axes to draw into, by default those of a new figure of this size (inches). A figure
    without a layout gets a constrained one: otherwise words around the axes would be cut off.
    """
    plain = matplotlib().figure.Figure
    if ax is not None:
        figure = ax.figure.figure
        if figure.get_layout_engine() is None:
            figure.set_layout_engine("constrained")
        return ax
    make = _shown_by_pyplot() or plain
    figure = make(figsize=(width, height), layout="constrained")
    figure.get_layout_engine().set(w_pad=MARGIN, h_pad=MARGIN)
    return figure.add_subplot()


def _shown_by_pyplot() -> Any:
    """The function that makes a figure which `plt.show()` and notebooks show; None if nothing would
    show it: pyplot is not imported, and no notebook is running. pyplot belongs to the main thread.
    """
    is_used = "matplotlib.pyplot" in sys.modules or hasattr(builtins, "__IPYTHON__")
    if not is_used or threading.current_thread() is not threading.main_thread():
        return None
    from matplotlib import pyplot

    return pyplot.figure


def close(figure: Any) -> None:
    """Close a figure that will not be shown."""
    pyplot = sys.modules.get("matplotlib.pyplot")
    if pyplot is not None:
        pyplot.close(figure)


def say_instead(ax: Any, sentence: str) -> Any:
    """A sentence where there is no picture."""
    panel = axes_of(ax, 6.4, 1.6)
    panel.set_axis_off()
    panel.set(xticks=[], yticks=[])
    panel.text(0.5, 0.5, sentence, ha="center", va="center", wrap=True, transform=panel.transAxes)
    return panel


def dress(panel: Any, title: str, subtitle: str, xlabel: str = "", ylabel: str = "") -> None:
    """Title, words below it, labels, a light grid, and the legend below the axes. Names of
    variables are shown as they are: a dollar sign does not start a formula.
    """
    small: dict[str, Any] = {"fontsize": SMALL, "parse_math": False}
    panel.spines[["top", "right"]].set_visible(False)
    panel.spines["left"].set_visible(bool(ylabel))
    panel.set_axisbelow(True)
    panel.grid(axis="both" if ylabel else "x", alpha=0.25)
    panel.tick_params(length=0, labelsize=SMALL, pad=6)
    panel.set_xlabel(xlabel, **small)
    panel.set_ylabel(ylabel, **small)
    # how long lines may be is known when names of rows and numbers have their room
    panel.figure.figure.draw_without_rendering()
    inside = panel.get_window_extent()
    room = panel.get_tightbbox(for_layout_only=True).x1 - inside.x0
    width, height, wide = np.array([inside.width, inside.height, room]) / panel.figure.dpi
    panel.set_xlabel(_filled(xlabel, width), **small)
    panel.set_ylabel(_filled(ylabel, height), **small)
    _legend(panel, wide)
    below_title = "\n".join(_filled(line, wide) for line in subtitle.split("\n"))
    above = panel.annotate(below_title, (0, 1), (0, 6), xycoords="axes fraction", **NOTE)
    # the title leaves room for these words, which must not narrow the axes
    above.set(alpha=0.8, in_layout=False)
    pad = 25 + 1.25 * SMALL * below_title.count("\n")
    bold = {"fontsize": TITLE, "weight": "bold", "parse_math": False}
    panel.set_title(_filled(title, 0.7 * wide), loc="left", pad=pad, **bold)


def _filled(words: str, inches: float) -> str:
    return textwrap.fill(words, max(20, int(LETTERS * inches)))


def _legend(panel: Any, width: float) -> None:
    """Below the axes and their label."""
    handles, entries = panel.get_legend_handles_labels()
    if not handles:
        return
    inches = LINE * (3 + panel.get_xlabel().count("\n"))
    down = matplotlib().transforms.ScaledTranslation(0, -inches, panel.figure.dpi_scale_trans)
    said = [_filled(entry, width - 0.5) for entry in entries]
    place = {"loc": "upper left", "bbox_to_anchor": (0, 0), "borderaxespad": 0}
    place["bbox_transform"] = panel.transAxes + down
    legend = panel.legend(handles, said, frameon=False, fontsize=SMALL, **place)
    for text in legend.get_texts():
        text.set_parse_math(False)


def about(N: int, to: int, *facts: str) -> str:
    """Of whom a picture speaks, what is to be known of it, and how their counts are rounded."""
    told = [f"{whole(N, to)} people", *filter(None, facts)]
    return f"{'; '.join(told)}\n{mark(to)}"


def whole(N: int, to: int) -> str:
    return people(shown(N, N, to=to), to=to)


def listed(what: str, names: Iterable[Any]) -> str:
    return f"{what}: {', '.join(map(str, names))}"


def row_axes(ax: Any, labels: Sequence[str], beside: Sequence[str] = ()) -> Any:
    """Axes with a row for each name, the first on top at 0, and words at the right. A new figure is
    as high as its rows need.
    """
    names = []
    for label in labels:
        lines = [textwrap.fill(line, LONGEST) for line in label.split("\n")]
        names.append("\n".join(lines))
    breaks = [text.count("\n") for text in (*names, *beside)]
    row = 0.32 + LINE * max(breaks, default=0)
    panel = axes_of(ax, 7.4, 2.4 + row * len(names))
    panel.set_yticks(range(len(names)), names, parse_math=False)
    panel.set_ylim(len(names) - 0.4, -0.6)
    at_the_right = ("axes fraction", "data")
    for y, text in enumerate(beside):
        panel.annotate(text, (1, y), (6, 0), xycoords=at_the_right, va="center", **NOTE)
    return panel


def percent_axis(panel: Any, largest: float) -> str:
    """Percentages of people from 0 on; returns the label of the axis, which says where it ends."""
    largest = max(largest, 0.5)
    end = next((float(end) for end in ENDS if largest <= end), largest)
    panel.set_xlim(0, end)
    label = "% of people, higher is riskier"
    return label if end >= 100 else f"{label}; axis ends at {end:g} %"


def label_points(panel: Any, points: Sequence[tuple[float, float, str]]) -> None:
    """The name of each point (x, y, name) beside it, where it covers least of markers and of other
    names, and leaves the axes least.
    """
    panel.figure.figure.draw_without_rendering()
    point = panel.figure.dpi / 72
    places = panel.transData.transform(np.reshape([(x, y) for x, y, _ in points], (-1, 2)))
    markers = np.hstack([places - MARKER * point, places + MARKER * point])
    # first the axes, then what must not be covered: left, low, right, high
    others = np.vstack([panel.bbox.extents, markers])
    behind = {"boxstyle": "square,pad=0.08", "edgecolor": "none", "alpha": 0.7}
    behind["facecolor"] = panel.get_facecolor()
    for (x, y, name), at in zip(points, places):
        text = panel.annotate(name, (x, y), (0, 0), bbox=behind, annotation_clip=False, **NOTE)
        text.set(in_layout=False, zorder=5)
        size = text.get_window_extent().size
        low = at + point * SPOTS[:, :2] - size * SPOTS[:, 2:]
        boxes = np.hstack([low, low + size])
        start = np.maximum(boxes[:, None, :2], others[:, :2])
        end = np.minimum(boxes[:, None, 2:], others[:, 2:])
        inside, *covered = np.clip(end - start, 0, None).prod(axis=2).T
        costs = sum(covered) - OUTSIDE * inside
        best = np.argmin(costs.round())  # of equals the nearest
        text.set(position=(low[best] - at) / point, va="bottom")
        others = np.vstack([others, boxes[best]])
