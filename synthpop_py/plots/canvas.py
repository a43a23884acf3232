"""What every figure of the package shares: matplotlib imported when needed, colours, markers,
panels sized by what they hold.

Colours are those of Okabe and Ito; markers, fill and hatches must tell the same apart without
colour.
"""

from __future__ import annotations

import math
import textwrap
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from ..errors import missing_package

BLUE, VERMILLION, SKY = "#0072B2", "#D55E00", "#56B4E9"
TITLE, TEXT = 11, 9  # points
LINE = 0.165  # inches a line of text takes
LETTER = 0.078  # inches a letter of a label takes
PANEL = 5.4  # inches between the labels and the right edge
SUBTITLE_CHARACTERS = 74
RECORDS = "% of original records"


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
        import matplotlib.figure
        import matplotlib.transforms
    except ImportError as error:
        raise missing_package("plots", "matplotlib", "plot") from error
    return matplotlib


def ink() -> Any:
    """The colour of text, so that marks show on dark themes too."""
    return matplotlib().rcParams["text.color"]


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
    height = inches + 0.55 + LINE * lines_of(subtitle) + 0.45 + legend
    width = PANEL + 0.3 + LETTER * longest_line(labels) + beside
    return panel_for(ax, width, height)


def panel_for(ax: Any, width: float, height: float) -> Any:
    """The axes to draw into, by default those of a new figure of this size (inches)."""
    figure = matplotlib().figure
    if ax is not None:
        return ax
    return figure.Figure(figsize=(width, height), layout="constrained").add_subplot()


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


def write_beside(ax: Any, text: str, y: float, offset: float) -> None:
    """Words at the right of the axes, at the height of a row."""
    beside = ("axes fraction", "data")
    write(ax, text, (1, y), (offset, 0), xycoords=beside, va="center")


def text_above(ax: Any, x: float, y: float, text: str) -> None:
    """Words above a point, kept inside an axis from 0 to 100."""
    side, offset = "center", (0, 9)
    if x < 30:
        side, offset = "left", (-6, 9)
    elif x > 70:
        side, offset = "right", (6, 9)
    write(ax, text, (x, y), offset, ha=side, va="bottom")


def headline(ax: Any, words: Wording) -> None:
    """Title and, below it, the subtitle."""
    ax.set_title(
        words.title,
        loc="left",
        fontsize=TITLE,
        fontweight="bold",
        pad=10 + 12 * lines_of(words.subtitle),
        parse_math=False,
    )
    top = "axes fraction"
    write(ax, words.subtitle, (0, 1), (0, 7), xycoords=top, va="bottom")


def legend_below(ax: Any, columns: int, xlabel_lines: int = 1) -> None:
    """A legend below the label of the axis, where there is anything to explain."""
    handles, _ = ax.get_legend_handles_labels()
    if not handles:
        return
    legend = ax.legend(
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
    ax.set_xlabel(words.xlabel, fontsize=TEXT, parse_math=False)
    headline(ax, words)
    ax.spines[["top", "right", "left"]].set_visible(False)
    _grid(ax, "x" if ticks_only else "both")
    legend_below(ax, columns=2)


def finish_plane(
    ax: Any, words: Wording, *, columns: int = 1, grid: Literal["x", "y", "both"] = "both"
) -> None:
    """As `finish`, for axes with numbers on both sides."""
    ax.set_xlabel(words.xlabel, fontsize=TEXT, parse_math=False)
    ax.set_ylabel(words.ylabel, fontsize=TEXT, parse_math=False)
    ax.tick_params(labelsize=TEXT)
    headline(ax, words)
    ax.spines[["top", "right"]].set_visible(False)
    _grid(ax, grid)
    legend_below(ax, columns, lines_of(words.xlabel))


def _grid(ax: Any, axis: str) -> None:
    ax.set_axisbelow(True)
    ax.grid(axis=axis, color="0.85", linewidth=0.8)


def finite(values: Iterable[float]) -> list[float]:
    return [float(value) for value in values if math.isfinite(value)]


def names(names: Sequence[Any]) -> str:
    return ", ".join(map(str, names))
