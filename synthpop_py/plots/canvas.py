"""What every figure of the package shares: matplotlib imported when needed, colours, markers,
panels sized by what they hold.

Colours are those of Okabe and Ito; markers, fill and hatches must tell the same apart without
colour.
"""

from __future__ import annotations

import math
import textwrap
from collections.abc import Iterable, Sequence
from typing import Any

from ..errors import missing_package

BLUE, VERMILLION, SKY = "#0072B2", "#D55E00", "#56B4E9"
TITLE, TEXT = 11, 9  # points
LINE = 0.165  # inches a line of text takes
PANEL = 5.4  # inches between the labels and the right edge
SUBTITLE_CHARACTERS = 74


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


def wrapped(text: str, width: int = SUBTITLE_CHARACTERS) -> str:
    return "\n".join(
        part
        for line in text.split("\n")
        for part in textwrap.wrap(line, width, break_on_hyphens=False) or [""]
    )


def axes_for(
    ax: Any,
    labels: Sequence[str],
    inches: float,
    subtitle: str,
    legend_lines: int,
    beside: float = 0.0,
) -> Any:
    """The axes to draw into; a new figure is as wide as its labels and as high as its rows need."""
    figure = matplotlib().figure.Figure
    if ax is not None:
        return ax
    longest = max(len(line) for label in labels for line in label.split("\n"))
    height = (
        inches
        + 0.55
        + LINE * (subtitle.count("\n") + 1)
        + 0.45
        + (0.15 + 0.2 * legend_lines if legend_lines else 0)
    )
    return figure(
        figsize=(PANEL + 0.3 + 0.078 * longest + beside, height), layout="constrained"
    ).add_subplot()


def points(
    ax: Any,
    xs: Iterable[float],
    ys: Iterable[float],
    marker: str,
    size: float,
    colour: str | None,
    *,
    hollow: bool = False,
    label: str,
) -> None:
    """A series of points, those without a figure left out; nothing, not even a legend entry, when
    none is left.
    """
    shown = [(float(x), y) for x, y in zip(xs, ys) if math.isfinite(x)]
    if shown:
        edge = ink() if colour is None else colour
        face = "none" if colour is None else ax.get_facecolor() if hollow else colour
        x, y = zip(*shown)
        ax.plot(
            x,
            y,
            linestyle="none",
            marker=marker,
            markersize=size,
            markerfacecolor=face,
            markeredgecolor=edge,
            markeredgewidth=1.8,
            label=label,
            clip_on=False,
            zorder=3 + 1.5 * (colour is None) + 0.5 * (not hollow),
        )


def text_above(ax: Any, x: float, y: float, text: str) -> None:
    """Words above a point, kept inside an axis from 0 to 100."""
    side = "left" if x < 30 else "right" if x > 70 else "center"
    ax.annotate(
        text,
        xy=(x, y),
        xytext={"left": (-6, 9), "right": (6, 9), "center": (0, 9)}[side],
        textcoords="offset points",
        ha=side,
        va="bottom",
        fontsize=TEXT,
        parse_math=False,
    )


def panel_for(ax: Any, width: float, height: float) -> Any:
    """The axes to draw into, by default those of a new figure of this size (inches)."""
    return (
        ax
        if ax is not None
        else matplotlib().figure.Figure(figsize=(width, height), layout="constrained").add_subplot()
    )


def headline(ax: Any, title: str, subtitle: str) -> None:
    """Title and, below it, what is needed to read the figure. Both may have several lines."""
    ax.set_title(
        title,
        loc="left",
        fontsize=TITLE,
        fontweight="bold",
        pad=10 + 12 * (subtitle.count("\n") + 1),
        parse_math=False,
    )
    ax.annotate(
        subtitle,
        xy=(0, 1),
        xycoords="axes fraction",
        xytext=(0, 7),
        textcoords="offset points",
        va="bottom",
        fontsize=TEXT,
        parse_math=False,
    )


def legend_below(ax: Any, columns: int, xlabel_lines: int = 1) -> None:
    """A legend below the label of the axis, where there is anything to explain."""
    if ax.get_legend_handles_labels()[0]:
        below = ax.transAxes + matplotlib().transforms.ScaledTranslation(
            0, -(25 + 13 * xlabel_lines) / 72, ax.figure.dpi_scale_trans
        )
        ax.legend(
            loc="upper left",
            bbox_to_anchor=(0, 0),
            bbox_transform=below,
            ncol=columns,
            fontsize=TEXT,
            frameon=False,
            borderaxespad=0,
            borderpad=0,
        )


def finish(
    ax: Any,
    ys: Sequence[float],
    labels: Sequence[str],
    title: str,
    subtitle: str,
    xlabel: str,
    ticks_only: bool = False,
) -> None:
    """Labels, title, grid and legend. Names of variables are shown as they are: no dollar sign
    starts a formula.
    """
    ax.set_yticks(list(ys), labels=list(labels), fontsize=TEXT, parse_math=False)
    ax.tick_params(axis="x", labelsize=TEXT)
    ax.tick_params(axis="y", length=0, pad=10)  # a marker at 0 reaches this far
    ax.set_xlabel(xlabel, fontsize=TEXT)
    headline(ax, title, subtitle)
    ax.spines[["top", "right", "left"]].set_visible(False)
    ax.set_axisbelow(True)
    ax.grid(axis="x" if ticks_only else "both", color="0.85", linewidth=0.8)
    legend_below(ax, columns=2)


def finish_plane(
    ax: Any,
    title: str,
    subtitle: str,
    xlabel: str,
    ylabel: str,
    *,
    columns: int = 1,
    grid: str = "both",
) -> None:
    """As `finish`, for axes with numbers on both sides."""
    ax.set_xlabel(xlabel, fontsize=TEXT, parse_math=False)
    ax.set_ylabel(ylabel, fontsize=TEXT, parse_math=False)
    ax.tick_params(labelsize=TEXT)
    headline(ax, title, subtitle)
    ax.spines[["top", "right"]].set_visible(False)
    ax.set_axisbelow(True)
    ax.grid(axis=grid, color="0.85", linewidth=0.8)
    legend_below(ax, columns, xlabel.count("\n") + 1)


def finite(values: Iterable[float]) -> list[float]:
    return [float(v) for v in values if math.isfinite(v)]


def names(names: Sequence[Any]) -> str:
    return ", ".join(map(str, names))
