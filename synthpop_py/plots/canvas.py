"""What every figure of the package shares: matplotlib imported when needed, colours, markers,
panels sized by what they hold.

Colours are those of Okabe and Ito; markers, fill and hatches must distinguish the same things
without colour. Greys are mixed from the colours of text and background, so dark themes work.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from .fitting import (
    ABOVE_AXES,
    MOST_FOR_NAMES,
    SETTINGS,
    Panel,
    Wording,
    fit,
    made_for,
    setting_of,
)
from .frame import (
    DASHES,
    VERMILLION,
    axes_of,
    ink,
    matplotlib,
)
from .measuring import Ruler, line_height

TEXT = SETTINGS[0].text  # points
LINE = line_height(TEXT)  # inches
PANEL = 5.4  # inches between the labels and the right edge
RECORDS = "% of original records"


@dataclass(frozen=True, slots=True)
class Mark:
    """How points of a series look; without a colour they are outlines in the colour of the text."""

    marker: str
    size: float
    colour: str | None
    hollow: bool = False


def grey(ax: Any, share: float) -> Any:
    """The colour of text mixed into that of the background: 0 is background, 1 is text."""
    colours = matplotlib().colors
    paper = colours.to_rgb(ax.get_facecolor())
    text = colours.to_rgb(ink())
    return tuple(share * t + (1 - share) * p for t, p in zip(text, paper))


def ruler() -> Ruler:
    """Measures words for a figure that does not exist yet."""
    return Ruler(matplotlib().rcParams["figure.dpi"])


def row_names(labels: Iterable[str]) -> list[str]:
    """Names of rows in a new figure: long ones take several lines."""
    measure = ruler()
    return [measure.wrapped(label, MOST_FOR_NAMES, TEXT) for label in labels]


def panel_for(ax: Any, width: float, height: float) -> Any:
    """The axes to draw into, by default those of a new figure of this size (inches).

    If the given axes belong to a figure without a layout, it gets a constrained one: otherwise the
    words around the axes would be cut off.
    """
    if ax is not None:
        return axes_of(ax, width, height)
    panel = axes_of(None, width, height)
    made_for(panel)
    return panel


def not_from_zero(ax: Any) -> str:
    """Words for the subtitle of a risk-utility plane whose axes do not show 0."""
    cut = []
    for name, limits in (("utility", ax.get_xlim()), ("risk", ax.get_ylim())):
        if min(limits) > 0 or max(limits) < 0:
            cut.append(name)
    if len(cut) == 1:
        return f"\nThe axis of {cut[0]} does not start at 0."
    return "\nNeither axis starts at 0." if cut else ""


def points(ax: Any, xs: Iterable[float], ys: Iterable[float], mark: Mark, *, label: str) -> None:
    """A series of points without those that have no figure; nothing, not even a legend entry, if
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


def write(ax: Any, text: str, at: Any, offset: tuple[float, float], **look: Any) -> Any:
    """Words at a distance (points) from a place, in the size of all words beside marks; a dollar
    sign does not start a formula.
    """
    size = setting_of(ax).text
    look = {"textcoords": "offset points", "fontsize": size, "parse_math": False, **look}
    return ax.annotate(text, xy=at, xytext=offset, **look)


def write_beside(ax: Any, text: str, y: float, offset: float, **look: Any) -> None:
    """Words at the right of the axes, at the height of a row."""
    beside = ("axes fraction", "data")
    write(ax, text, (1, y), (offset, 0), xycoords=beside, va="center", **look)


def subtitle_of(ax: Any) -> Any:
    """Where the subtitle is written; `fit` fills it in."""
    top = "axes fraction"
    # not in the layout, which would narrow the axes: the title above it reserves the height
    return write(ax, "", (0, 1), (0, ABOVE_AXES), xycoords=top, va="bottom", in_layout=False)


def finish(
    ax: Any,
    ys: Sequence[float],
    labels: Sequence[str],
    words: Wording,
    *,
    brief: Sequence[str] = (),
    ticks_only: bool = False,
) -> None:
    """Labels, title, grid and legend; `brief` labels where there is little space. Names of
    variables are shown as they are: a dollar sign does not start a formula.
    """
    ax.tick_params(axis="y", length=0, pad=10)  # a marker at 0 reaches this far
    ax.spines[["top", "right", "left"]].set_visible(False)
    _grid(ax, "x" if ticks_only else "both")
    panel = Panel(
        words=words,
        rows=list(labels),
        brief=list(brief),
        places=list(ys),
        columns=2,
        subtitle=subtitle_of(ax),
    )
    fit(ax, panel)


def finish_plane(
    ax: Any, words: Wording, *, columns: int = 1, grid: Literal["x", "y", "both"] = "both"
) -> None:
    """As `finish`, for axes with numbers on both sides."""
    ax.spines[["top", "right"]].set_visible(False)
    _grid(ax, grid)
    fit(ax, Panel(words=words, columns=columns, subtitle=subtitle_of(ax)))


def _grid(ax: Any, axis: str) -> None:
    ax.set_axisbelow(True)
    ax.grid(axis=axis, color=grey(ax, 0.15), linewidth=0.8)


def draw_ceiling(ax: Any, limit: float, label: str, *, upright: bool = False) -> None:
    """A line at the highest acceptable risk."""
    line = ax.axvline if upright else ax.axhline
    line(limit, color=VERMILLION, linewidth=1.4, linestyle=DASHES, label=label, zorder=2.5)


def finite(values: Iterable[float]) -> list[float]:
    return [float(value) for value in values if math.isfinite(value)]


def names(names: Sequence[Any]) -> str:
    return ", ".join(map(str, names))
