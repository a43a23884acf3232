"""A figure that sizes itself by matplotlib's constrained layout: axes, title, words below it, names
of rows. matplotlib is imported when a figure is asked for.

Colours are those of Okabe and Ito; markers and fill tell the same things apart without colour.
"""

from __future__ import annotations

import builtins
import sys
import textwrap
import threading
from collections.abc import Sequence
from typing import Any

from ..errors import missing_package

BLUE, VERMILLION, SKY = "#0072B2", "#D55E00", "#56B4E9"
DASHES = (0, (4, 2))
MARGIN = 0.12  # inches around all that is drawn
SMALL, TINY = 9, 7  # points
LETTERS, TITLE_LETTERS = 15, 10.5  # of small words, and of a title, in an inch
BELOW = 0.5  # inches between the axes and the legend
LONGEST = 26  # letters in a line of the name of a row
FEW_NUMBERS = 3  # inches of an axis below which its numbers would touch
LOW_FIGURE = 3.5  # inches of a figure in which all words are small
LOW = 3.2  # inches of axes below which words are small, and fewer
# points from a marker, and which corner of its name is there; the last ones are farther away
SPOTS = [
    (right * far, up * far, side, edge)
    for far in (1, 3)
    for right, up, side, edge in (
        (6, -6, "left", "top"), (-6, 6, "right", "bottom"), (8, 0, "left", "center"),
        (-8, 0, "right", "center"), (6, 6, "left", "bottom"), (-6, -6, "right", "top"),
        (0, 9, "center", "bottom"), (0, -9, "center", "top"),
    )
]  # fmt: skip
MARKER = 5  # points around the middle of a marker that a name must not cover
OUTSIDE = 5  # so many times worse is a part of a name outside the axes than one on a marker
# where an axis of percentages may end
ENDS = (1, 2, 5, 10, 15, 20, 25, 30, 40, 50, 60, 80, 100)


def matplotlib() -> Any:
    try:
        import matplotlib
        import matplotlib.colors
        import matplotlib.figure
        import matplotlib.patches
        import matplotlib.ticker
        import matplotlib.transforms
    except ImportError as error:
        raise missing_package("plots", "matplotlib", "plot") from error
    return matplotlib


def whole_figure(ax: Any) -> Any:
    """The figure, of axes in a part of it too."""
    return ax.figure.figure


def ink() -> Any:
    """The colour of text, which makes marks visible on dark themes too."""
    return matplotlib().rcParams["text.color"]


def axes_of(ax: Any, width: float, height: float) -> Any:
    """The axes to draw into, by default those of a new figure of this size (inches). A figure
    without a layout gets a constrained one: otherwise words around the axes would be cut off.
    """
    plain = matplotlib().figure.Figure
    if ax is not None:
        figure = whole_figure(ax)
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
    in_notebook = hasattr(builtins, "__IPYTHON__")
    if not in_notebook and "matplotlib.pyplot" not in sys.modules:
        return None
    if threading.current_thread() is not threading.main_thread():
        return None
    try:
        from matplotlib import pyplot
    except ImportError:  # a backend that this machine does not have
        return None
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


def axis_end(largest: float) -> float:
    """Where an axis of percentages ends that starts at 0."""
    return next((float(end) for end in ENDS if largest <= end), largest)


def dress(
    panel: Any, title: str, subtitle: str, xlabel: str = "", ylabel: str = "", grid: str = "x"
) -> None:
    """Title, words below it, a light grid, and the legend below the axes. Names of variables are
    shown as they are: a dollar sign does not start a formula.
    """
    panel.spines[["top", "right"]].set_visible(False)
    panel.spines["left"].set_visible(bool(ylabel))
    panel.set_axisbelow(True)
    panel.grid(axis=grid, alpha=0.25)
    width, height = inches_of(panel)
    is_low = in_low_figure(panel) or (bool(ylabel) and height < LOW)
    size, most = (TINY, 2) if is_low else (SMALL, None)
    panel.tick_params(length=0, labelsize=size, **({"pad": 7} if ylabel else {}))
    panel.set_xlabel(_filled(xlabel, width - 0.4, size, most), fontsize=size, parse_math=False)
    handles, entries = panel.get_legend_handles_labels()
    if handles:
        below = -(BELOW + 0.15 * panel.get_xlabel().count("\n"))
        down = matplotlib().transforms.ScaledTranslation(0, below, panel.figure.dpi_scale_trans)
        said = [_filled(entry, width - 0.5, size, most) for entry in entries]
        legend = panel.legend(
            handles, said, loc="upper left",
            bbox_to_anchor=(0, 0), bbox_transform=panel.transAxes + down, ncols=1, frameon=False,
            fontsize=size, borderaxespad=0,
        )  # fmt: skip
        for text in legend.get_texts():
            text.set(parse_math=False)
    # how large the axes are is known when names and legend have their room
    _, height = inches_of(panel)
    panel.set_ylabel(_filled(ylabel, height, size, most), fontsize=size, parse_math=False)
    width, _ = inches_of(panel)
    if ylabel and width < FEW_NUMBERS:
        locator = panel.xaxis.get_major_locator()
        if isinstance(locator, matplotlib().ticker.MaxNLocator):
            locator.set_params(nbins=4)
    lines = [_filled(line, width, size, most) for line in subtitle.split("\n")[:most]]
    below_title = "\n".join(lines)
    above = panel.annotate(
        below_title,
        (0, 1),
        (0, 6),
        xycoords="axes fraction",
        textcoords="offset points",
        va="bottom",
    )
    above.set(fontsize=size, parse_math=False, alpha=0.8)
    # the title leaves room for these words, which must not narrow the axes
    above.set_in_layout(False)
    pad = 14 + 1.25 * size * (1 + below_title.count("\n"))
    heading = textwrap.fill(title, max(20, int(TITLE_LETTERS * width)))
    large = 9 if is_low else 12
    panel.set_title(heading, loc="left", fontsize=large, weight="bold", pad=pad, parse_math=False)


def _filled(words: str, inches: float, size: float, most: int | None) -> str:
    """Words in lines of a length, in so many at most."""
    letters = max(20, int(LETTERS * inches * SMALL / size))
    return textwrap.fill(words, letters, max_lines=most, placeholder=" …")


def in_low_figure(panel: Any) -> bool:
    """Whether the figure leaves room for small words only."""
    return bool(panel.figure.figure.get_size_inches()[1] < LOW_FIGURE)


def inches_of(panel: Any) -> tuple[float, float]:
    """Width and height of the axes, once everything around them has its room."""
    panel.figure.figure.draw_without_rendering()
    extent = panel.get_window_extent()
    return extent.width / panel.figure.dpi, extent.height / panel.figure.dpi


def row_name(label: str) -> str:
    """A long name takes several lines."""
    return "\n".join(textwrap.fill(line, LONGEST) for line in label.split("\n"))


def rows_height(labels: Sequence[str]) -> float:
    """Inches of rows with these names."""
    lines = max(row_name(label).count("\n") + 1 for label in labels)
    return max(0.42, 0.1 + 0.16 * lines) * len(labels)


def name_rows(panel: Any, labels: Sequence[str], beside: Sequence[str]) -> None:
    """Names at the left, the first on top, and words at the right of the axes."""
    places = range(len(labels) - 1, -1, -1)
    size = TINY if in_low_figure(panel) else SMALL
    panel.set_yticks(list(places), list(map(row_name, labels)), fontsize=size, parse_math=False)
    panel.set_ylim(-0.6, len(labels) - 0.4)
    for y, text in zip(places, beside):
        panel.annotate(
            text, (1, y), (6, 0), xycoords=("axes fraction", "data"), va="center",
            textcoords="offset points", fontsize=size,
        )  # fmt: skip


# ---- planes of risk and utility ------------------------------------------------------


def note_on_zero(panel: Any) -> str:
    """Words for the subtitle of a risk-utility plane whose axes do not show 0."""
    cut = []
    for name, limits in (("utility", panel.get_xlim()), ("risk", panel.get_ylim())):
        if min(limits) > 0 or max(limits) < 0:
            cut.append(name)
    if len(cut) == 1:
        return f"\nThe axis of {cut[0]} does not start at 0."
    return "\nNeither axis starts at 0." if cut else ""


def draw_ceiling(panel: Any, limit: float, label: str) -> None:
    """A line at the highest acceptable risk."""
    panel.axhline(limit, color=VERMILLION, linewidth=1.4, linestyle=DASHES, label=label, zorder=2.5)


def label_points(panel: Any, spots: Sequence[tuple[float, float, str]]) -> bool:
    """The name of each point (x, y, name) beside it, where it covers least of markers and of other
    names; whether none covers any, or leaves the axes.
    """
    panel.figure.figure.draw_without_rendering()
    bbox = matplotlib().transforms.Bbox
    around = MARKER * panel.figure.dpi / 72
    taken = []
    for x, y, _ in spots:
        at = panel.transData.transform((x, y))
        taken.append(bbox([at - around, at + around]))
    everything_clear = True
    for x, y, name in spots:
        text = panel.annotate(
            name, (x, y), (0, 0), textcoords="offset points", fontsize=SMALL, parse_math=False,
            annotation_clip=False, zorder=5,
        )  # fmt: skip
        text.set_in_layout(False)
        text.set_bbox({"boxstyle": "square,pad=0.08", "facecolor": panel.get_facecolor(),
                       "edgecolor": "none", "alpha": 0.7})  # fmt: skip
        costs = []
        for spot in SPOTS:
            _place(text, spot)
            box = text.get_window_extent()
            area = box.width * box.height
            inside = _common(box, panel.bbox)
            costs.append(sum(_common(box, other) for other in taken) + OUTSIDE * (area - inside))
        best = min(range(len(SPOTS)), key=costs.__getitem__)
        _place(text, SPOTS[best])
        taken.append(text.get_window_extent())
        everything_clear &= costs[best] < 0.05 * taken[-1].width * taken[-1].height
    return everything_clear


def _place(text: Any, spot: tuple[float, float, str, str]) -> None:
    right, up, side, edge = spot
    text.set(position=(right, up), ha=side, va=edge)


def _common(box: Any, other: Any) -> float:
    """The area of what lies in both."""
    both = matplotlib().transforms.Bbox.intersection(box, other)
    return 0.0 if both is None else both.width * both.height
