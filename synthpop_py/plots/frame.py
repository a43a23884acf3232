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
SMALL = 9  # points
LETTERS, TITLE_LETTERS = 15, 10.5  # of small words, and of a title, in an inch
BELOW = 0.5  # inches between the axes and the legend
LONGEST = 26  # letters in a line of the name of a row
# where an axis of percentages may end
ENDS = (1, 2, 5, 10, 15, 20, 25, 30, 40, 50, 60, 80, 100)


def matplotlib() -> Any:
    try:
        import matplotlib
        import matplotlib.colors
        import matplotlib.figure
        import matplotlib.patches
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
    panel.text(0.5, 0.5, sentence, ha="center", va="center", wrap=True, transform=panel.transAxes)
    return panel


def axis_end(largest: float) -> float:
    """Where an axis of percentages ends that starts at 0."""
    return next((float(end) for end in ENDS if largest <= end), largest)


def dress(panel: Any, title: str, subtitle: str, xlabel: str = "") -> None:
    """Title, words below it, a light grid, and the legend below the axes. Names of variables are
    shown as they are: a dollar sign does not start a formula.
    """
    panel.spines[["top", "right", "left"]].set_visible(False)
    panel.tick_params(length=0, labelsize=SMALL)
    panel.set_axisbelow(True)
    panel.grid(axis="x", alpha=0.25)
    panel.set_xlabel(xlabel, fontsize=SMALL)
    if panel.get_legend_handles_labels()[1]:
        down = matplotlib().transforms.ScaledTranslation(0, -BELOW, panel.figure.dpi_scale_trans)
        panel.legend(
            loc="upper left", bbox_to_anchor=(0, 0), bbox_transform=panel.transAxes + down,
            ncols=1, frameon=False, fontsize=SMALL, borderaxespad=0,
        )  # fmt: skip
    # how wide the axes are is known when names and legend have their room
    panel.figure.figure.draw_without_rendering()
    inches = panel.get_window_extent().width / panel.figure.dpi
    said = [textwrap.fill(line, max(30, int(LETTERS * inches))) for line in subtitle.split("\n")]
    lines = "\n".join(said)
    above = panel.annotate(
        lines, (0, 1), (0, 6), xycoords="axes fraction", textcoords="offset points", va="bottom"
    )
    above.set(fontsize=SMALL, parse_math=False, alpha=0.8)
    # the title leaves room for these words, which must not narrow the axes
    above.set_in_layout(False)
    pad = 14 + 1.25 * SMALL * (1 + lines.count("\n"))
    heading = textwrap.fill(title, max(20, int(TITLE_LETTERS * inches)))
    panel.set_title(heading, loc="left", fontsize=12, weight="bold", pad=pad, parse_math=False)


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
    panel.set_yticks(list(places), list(map(row_name, labels)), fontsize=SMALL, parse_math=False)
    panel.set_ylim(-0.6, len(labels) - 0.4)
    for y, text in zip(places, beside):
        panel.annotate(
            text, (1, y), (6, 0), xycoords=("axes fraction", "data"), va="center",
            textcoords="offset points", fontsize=SMALL,
        )  # fmt: skip
