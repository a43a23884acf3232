"""What every figure of the package shares: matplotlib imported when needed, colours, markers,
panels sized by what they hold, words that stay inside.

Colours are those of Okabe and Ito; markers, fill and hatches must tell the same apart without
colour. Greys are mixed from the colours of text and background, so that dark themes work.
"""

from __future__ import annotations

import builtins
import math
import sys
import textwrap
import threading
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from ..errors import missing_package

BLUE, VERMILLION, SKY = "#0072B2", "#D55E00", "#56B4E9"
TITLE, TEXT = 11, 9  # points
LINE = 0.165  # inches a line of text takes
LETTER = 0.078  # inches a letter of a label takes
NARROW_LETTER = 0.063  # inches a letter of running text takes
PANEL = 5.4  # inches between the labels and the right edge
SUBTITLE_CHARACTERS = 84
FEWEST_LETTERS = 24  # of a line, however narrow the axes are
MARGIN = 0.12  # inches around all that is drawn
LEGEND_MARK = 0.45  # inches of the mark of an entry of the legend
RECORDS = "% of original records"
# where an axis of percentages may end
ENDS = (1, 2, 5, 10, 15, 20, 25, 30, 40, 50, 60, 80, 100)
DASHES = (0, (4, 2))


@dataclass(frozen=True, slots=True)
class Wording:
    """What is written around a panel. Title and subtitle may have several lines; the subtitle says
    what is needed to read the figure.
    """

    title: str
    subtitle: str
    xlabel: str
    ylabel: str = ""


@dataclass(frozen=True, slots=True)
class Mark:
    """How points of a series look; without a colour they are outlines in the colour of the text."""

    marker: str
    size: float
    colour: str | None
    hollow: bool = False


def matplotlib() -> Any:
    try:
        import matplotlib
        import matplotlib.colors
        import matplotlib.figure
        import matplotlib.transforms
    except ImportError as error:
        raise missing_package("plots", "matplotlib", "plot") from error
    return matplotlib


def ink() -> Any:
    """The colour of text, so that marks show on dark themes too."""
    return matplotlib().rcParams["text.color"]


def grey(ax: Any, share: float) -> Any:
    """The colour of text mixed into that of the background: 0 is background, 1 is text."""
    colours = matplotlib().colors
    paper = colours.to_rgb(ax.get_facecolor())
    text = colours.to_rgb(ink())
    return tuple(share * t + (1 - share) * p for t, p in zip(text, paper))


def lines_of(text: str) -> int:
    return text.count("\n") + 1


def longest_line(texts: Iterable[str]) -> int:
    """Letters of the longest line of any text; 0 where there is none."""
    longest = 0
    for text in texts:
        for line in text.split("\n"):
            longest = max(longest, len(line))
    return longest


def wrapped(text: str, width: int = SUBTITLE_CHARACTERS) -> str:
    """The text in lines of so many letters; its own lines stay apart."""
    lines: list[str] = []
    for line in text.split("\n"):
        parts = textwrap.wrap(line, width, break_on_hyphens=False)
        lines.extend(parts or [""])
    return "\n".join(lines)


def axes_for(
    ax: Any,
    labels: Sequence[str],
    *,
    inches: float,
    subtitle: str,
    legend_lines: int,
    beside: float = 0.0,
) -> Any:
    """The axes to draw into; a new figure is as wide as its labels and as high as its rows need."""
    legend = 0.15 + 0.2 * legend_lines if legend_lines else 0
    height = inches + 0.55 + LINE * lines_of(subtitle) + 0.45 + legend + 2 * MARGIN
    width = PANEL + 0.3 + LETTER * longest_line(labels) + beside + 2 * MARGIN
    return panel_for(ax, width, height)


def panel_for(ax: Any, width: float, height: float) -> Any:
    """The axes to draw into, by default those of a new figure of this size (inches).

    A figure that has given axes and no layout of its own gets a constrained one: otherwise the
    words around the axes would be cut off.
    """
    plain = matplotlib().figure.Figure
    if ax is not None:
        figure = ax.figure.figure  # the whole one, of a part of it too
        if figure.get_layout_engine() is None:
            figure.set_layout_engine("constrained")
        return ax
    make = _shown_by_pyplot() or plain
    figure = make(figsize=(width, height), layout="constrained")
    figure.get_layout_engine().set(w_pad=MARGIN, h_pad=MARGIN)
    return figure.add_subplot()


def _shown_by_pyplot() -> Any:
    """What makes a figure that `plt.show()` and notebooks show; None where nobody would show it:
    nobody imported pyplot, and no notebook is running. pyplot belongs to the main thread.
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
    """Forget a figure that nobody will show."""
    pyplot = sys.modules.get("matplotlib.pyplot")
    if pyplot is not None:
        pyplot.close(figure)


def letters_across(ax: Any) -> int:
    """Letters that a line above the axes, or below, has room for."""
    spec = ax.get_subplotspec()
    if spec is None:
        inches = ax.get_window_extent().width / ax.figure.dpi
    else:
        share = len(spec.colspan) / spec.get_gridspec().ncols
        labels = [label.get_text() for label in ax.get_yticklabels()]
        inches = ax.figure.bbox.width / ax.figure.dpi * share
        # numbers of an axis are written when it is drawn, and need room with its label
        inches -= max(LETTER * longest_line(labels), 0.75) + 0.3
    return max(int(inches / NARROW_LETTER), FEWEST_LETTERS)


def fitted(text: str, letters: int) -> str:
    """The text as it is, or in shorter lines where there is less room."""
    if longest_line([text]) <= letters:
        return text
    return wrapped(text.replace("\n", " "), letters)


def axis_end(largest: float) -> float:
    """Where an axis of percentages ends that starts at 0."""
    return next((float(end) for end in ENDS if largest <= end), largest)


def end_words(end: float) -> str:
    """What the label of an axis says where it does not show all of 100 %."""
    return "" if end >= 100 else f"; axis ends at {end:g}\u00a0%"


def points(ax: Any, xs: Iterable[float], ys: Iterable[float], mark: Mark, *, label: str) -> None:
    """A series of points, those without a figure left out; nothing, not even a legend entry, when
    none is left.
    """
    shown = [(float(x), y) for x, y in zip(xs, ys) if math.isfinite(x)]
    if not shown:
        return
    outline = mark.colour is None
    x, y = zip(*shown)
    ax.plot(
        x,
        y,
        linestyle="none",
        marker=mark.marker,
        markersize=mark.size,
        markerfacecolor=_face(ax, mark),
        markeredgecolor=ink() if outline else mark.colour,
        markeredgewidth=1.8,
        label=label,
        clip_on=False,
        zorder=3 + 1.5 * outline + 0.5 * (not mark.hollow),
    )


def _face(ax: Any, mark: Mark) -> Any:
    if mark.colour is None:
        return "none"
    return ax.get_facecolor() if mark.hollow else mark.colour


def write(ax: Any, text: str, at: Any, offset: tuple[float, float], **look: Any) -> None:
    """Words so many points away from a place, in the size of all words beside marks; no dollar
    sign starts a formula.
    """
    look = {"textcoords": "offset points", "fontsize": TEXT, "parse_math": False, **look}
    ax.annotate(text, xy=at, xytext=offset, **look)


def write_beside(ax: Any, text: str, y: float, offset: float, **look: Any) -> None:
    """Words at the right of the axes, at the height of a row."""
    beside = ("axes fraction", "data")
    write(ax, text, (1, y), (offset, 0), xycoords=beside, va="center", **look)


def headline(ax: Any, words: Wording) -> None:
    """Title and, below it, the subtitle."""
    letters = letters_across(ax)
    subtitle = fitted(words.subtitle, letters)
    ax.set_title(
        fitted(words.title, int(letters * 0.8)),  # bold and larger
        loc="left",
        fontsize=TITLE,
        fontweight="bold",
        pad=10 + 12 * lines_of(subtitle),
        parse_math=False,
    )
    top = "axes fraction"
    # not in the layout, which would narrow the axes: the title above it reserves the height
    write(ax, subtitle, (0, 1), (0, 7), xycoords=top, va="bottom", in_layout=False)


def legend_below(ax: Any, columns: int, xlabel_lines: int = 1) -> None:
    """A legend below the label of the axis, where there is anything to explain."""
    handles, labels = ax.get_legend_handles_labels()
    if not handles:
        return
    letters = letters_across(ax)
    mark = LEGEND_MARK / LETTER
    labels = [fitted(label, int(letters - mark)) for label in labels]
    if columns * (longest_line(labels) + mark) > letters:
        columns = 1
    legend = ax.legend(
        handles,
        labels,
        loc="upper left",
        bbox_to_anchor=(0, 0),
        bbox_transform=lowered(ax, ax.transAxes, 25 + 13 * xlabel_lines),
        ncol=columns,
        fontsize=TEXT,
        frameon=False,
        borderaxespad=0,
        borderpad=0,
    )
    for text in legend.get_texts():
        text.set_parse_math(False)


def lowered(ax: Any, coordinates: Any, points: float) -> Any:
    """The same coordinates, so many points further down."""
    translation = matplotlib().transforms.ScaledTranslation
    return coordinates + translation(0, -points / 72, ax.figure.dpi_scale_trans)


def finish(
    ax: Any,
    ys: Sequence[float],
    labels: Sequence[str],
    words: Wording,
    *,
    ticks_only: bool = False,
) -> None:
    """Labels, title, grid and legend. Names of variables are shown as they are: no dollar sign
    starts a formula.
    """
    ax.set_yticks(list(ys), labels=list(labels), fontsize=TEXT, parse_math=False)
    ax.tick_params(axis="x", labelsize=TEXT)
    ax.tick_params(axis="y", length=0, pad=10)  # a marker at 0 reaches this far
    xlabel = fitted(words.xlabel, letters_across(ax))
    ax.set_xlabel(xlabel, fontsize=TEXT, parse_math=False)
    headline(ax, words)
    ax.spines[["top", "right", "left"]].set_visible(False)
    _grid(ax, "x" if ticks_only else "both")
    legend_below(ax, columns=2, xlabel_lines=lines_of(xlabel))


def finish_plane(
    ax: Any, words: Wording, *, columns: int = 1, grid: Literal["x", "y", "both"] = "both"
) -> None:
    """As `finish`, for axes with numbers on both sides."""
    xlabel = fitted(words.xlabel, letters_across(ax))
    ax.set_xlabel(xlabel, fontsize=TEXT, parse_math=False)
    ax.set_ylabel(words.ylabel, fontsize=TEXT, parse_math=False)
    ax.tick_params(labelsize=TEXT)
    headline(ax, words)
    ax.spines[["top", "right"]].set_visible(False)
    _grid(ax, grid)
    legend_below(ax, columns, lines_of(xlabel))


def _grid(ax: Any, axis: str) -> None:
    ax.set_axisbelow(True)
    ax.grid(axis=axis, color=grey(ax, 0.15), linewidth=0.8)


def draw_ceiling(ax: Any, limit: float, label: str, *, upright: bool = False) -> None:
    """A line at the highest risk that is accepted."""
    line = ax.axvline if upright else ax.axhline
    line(limit, color=VERMILLION, linewidth=1.4, linestyle=DASHES, label=label, zorder=2.5)


def finite(values: Iterable[float]) -> list[float]:
    return [float(value) for value in values if math.isfinite(value)]


def names(names: Sequence[Any]) -> str:
    return ", ".join(map(str, names))
