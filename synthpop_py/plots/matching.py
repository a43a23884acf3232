"""Figures of identification risk (matplotlib, imported when a figure is asked for)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import pandas as pd

from ..matching.result import IdentificationRisk
from ..show import MIN_CELL
from .canvas import (
    BLUE,
    TEXT,
    VERMILLION,
    finish_plane,
    grey,
    matplotlib,
    names,
    panel_for,
)
from .fitting import Wording
from .small_figures import are_few, hidden_note

__all__ = ["plot_path"]


class Look(NamedTuple):
    """How a measure is drawn: told apart without colour too, and by size where points lie on one
    another. Without a colour it is grey.
    """

    measure: str
    meaning: str
    colour: str | None
    marker: str
    size: float
    line: str


LINES = (
    Look("perceived", "perceived: highest probability above {threshold:g}", None, "^", 9, ":"),
    Look("expected", "expected: correct guesses", VERMILLION, "o", 7, "-"),
    Look("true", "true: correct and unique", BLUE, "s", 4.5, "--"),
)
WIDTH, HEIGHT = 6.4, 4.4  # inches
FLATTENED = 2  # times the other lines, which then could not be read
SMALLEST_TOP = 0.1  # % at which the axis ends, where there is no risk
MOST_TICKS = 12  # numbers of sets that are all marked


def plot_path(
    risk: IdentificationRisk,
    ax: Any = None,
    steps: Sequence[int] | None = None,
    *,
    min_cell: int = MIN_CELL,
) -> Any:
    """Risk against the number of released sets, in % of the original records. Perceived matches get
    a separate axis at the right if they would flatten the other lines.

    Parameters
    ----------
    risk : what `identification_risk` returned.
    ax : matplotlib axes to draw into; by default those of a new figure.
    steps : numbers of sets to show, as for `IdentificationRisk.path`.
    min_cell : figures of 1 to min_cell - 1 people are not drawn; 0 draws all.

    Returns
    -------
    matplotlib axes
    """
    path = risk.path(steps)
    few = are_few(path, min_cell)
    shown = 100 * path.mask(few) / risk.n
    ax = panel_for(ax, WIDTH, HEIGHT)
    times = _times_flattened(shown)
    for look in LINES:
        label = look.meaning.format(threshold=risk.threshold)
        shares = shown[look.measure]
        if times > 1 and look.measure == "perceived":
            _right_axis(ax, times)
            shares, label = shares / times, f"{label} (right axis)"
        _draw(ax, shares, look, label)
    _scales(ax, list(path.index))
    words = Wording(
        title="Identification risk as more sets are released",
        subtitle=_subtitle(risk) + hidden_note(_any_few(few), min_cell),
        xlabel="released nests of sets" if risk.r else "released synthetic sets",
        ylabel=f"% of {risk.n:,} original records" + (": expected, true" if times > 1 else ""),
    )
    finish_plane(ax, words, grid="y")
    return ax


def _times_flattened(shown: pd.DataFrame) -> float:
    """How many times the scale of the other lines perceived matches need, if they would flatten
    them; 1 if all fit on one axis. A single set has no lines to flatten, and on two axes its
    highest points would cover each other.
    """
    if len(shown) == 1:
        return 1.0
    # as an array: pandas 1.5 has no maximum over both axes of a frame
    others = float(shown[["expected", "true"]].to_numpy().max())
    perceived = float(shown["perceived"].max())
    return perceived / others if others > 0 and perceived > FLATTENED * others else 1.0


def _right_axis(ax: Any, times: float) -> None:
    right = ax.secondary_yaxis("right", functions=(lambda y: y * times, lambda y: y / times))
    right.tick_params(labelsize=TEXT)
    right.set_ylabel("%: perceived", fontsize=TEXT)


def _draw(ax: Any, shares: pd.Series, look: Look, label: str) -> None:
    colour = look.colour or grey(ax, 0.6)
    ax.plot(
        shares.index,
        shares,
        color=colour,
        linestyle=look.line,
        linewidth=1.6,
        marker=look.marker,
        markersize=look.size,
        markerfacecolor=colour if look.colour else ax.get_facecolor(),
        markeredgecolor=colour,
        markeredgewidth=1.6,
        label=label,
        clip_on=False,
        zorder=3,
    )


def _any_few(few: pd.DataFrame) -> bool:
    """Of the lines that are drawn."""
    drawn = [look.measure for look in LINES]
    return bool(few[drawn].any(axis=None))


def _subtitle(risk: IdentificationRisk) -> str:
    known = names(risk.known) or "none"
    synthesised = names(risk.synthesised) or "none"
    return (
        f"{risk.attack.capitalize()} attack on {risk.n:,} records; higher is riskier. Keys"
        f" unchanged: {known}; synthesised: {synthesised}"
    )


def _scales(ax: Any, steps: list[int]) -> None:
    """From 0 on upwards; whole numbers of sets."""
    ticker = matplotlib().ticker
    _, top = ax.get_ylim()
    ax.set_ylim(bottom=0, top=max(top, SMALLEST_TOP))
    if len(steps) > MOST_TICKS:
        ax.xaxis.set_major_locator(ticker.MaxNLocator(integer=True))
    else:
        ax.xaxis.set_major_locator(ticker.FixedLocator(steps))
