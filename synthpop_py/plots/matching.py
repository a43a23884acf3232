"""Figures of identification risk (matplotlib, imported when a figure is asked for)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pandas as pd

from ..matching.result import IdentificationRisk
from ..show import MIN_CELL
from .canvas import (
    BLUE,
    SKY,
    TEXT,
    VERMILLION,
    Wording,
    finish_plane,
    matplotlib,
    names,
    panel_for,
    wrapped,
)
from .small_figures import are_few, hidden_note

__all__ = ["plot_path"]

# measure, what it says, colour, marker, line: told apart without colour too
LINES = (
    ("perceived", "perceived: highest probability above {threshold:g}", SKY, "^", ":"),
    ("expected", "expected: correct guesses", VERMILLION, "o", "-"),
    ("true", "true: correct and unique", BLUE, "s", "--"),
)
WIDTH, HEIGHT = 6.4, 4.4  # inches
FLATTENED = 2  # times the other lines, and they could not be read
SMALLEST_TOP = 0.1  # % at which the axis ends, where there is no risk
MOST_TICKS = 12  # numbers of sets that are all marked


def plot_path(
    risk: IdentificationRisk,
    ax: Any = None,
    steps: Sequence[int] | None = None,
    *,
    min_cell: int = MIN_CELL,
) -> Any:
    """Risk against the number of released sets, in % of the original records. Perceived matches
    get an axis of their own, at the right, where they would press the other lines flat.

    Parameters
    ----------
    risk : what `identification_risk` returned.
    ax : matplotlib axes to draw into; by default those of a new figure.
    steps : numbers of sets to show, as for `IdentificationRisk.path`.
    min_cell : from 1 to one less people are not drawn; 0 draws all.

    Returns
    -------
    matplotlib axes
    """
    path = risk.path(steps)
    few = are_few(path, min_cell)
    shown = 100 * path.mask(few) / risk.n
    ax = panel_for(ax, WIDTH, HEIGHT)
    times = _times_flattened(shown)
    for measure, meaning, colour, marker, line in LINES:
        label = meaning.format(threshold=risk.threshold)
        shares = shown[measure]
        if times > 1 and measure == "perceived":
            _right_axis(ax, times)
            shares, label = shares / times, f"{label} (right axis)"
        _draw(ax, shares, colour, marker, line, label)
    _scales(ax, list(path.index))
    words = Wording(
        title="Identification risk as more sets are released",
        subtitle=_subtitle(risk) + wrapped(hidden_note(_any_few(few), min_cell)),
        xlabel="released nests of sets" if risk.r else "released synthetic sets",
        ylabel=f"% of {risk.n:,} original records" + (": expected, true" if times > 1 else ""),
    )
    finish_plane(ax, words, grid="y")
    return ax


def _times_flattened(shown: pd.DataFrame) -> float:
    """How many times the scale of the other lines perceived matches need, where they would press
    them flat; 1 where all fit on one.
    """
    others = float(shown[["expected", "true"]].max(axis=None))
    perceived = float(shown["perceived"].max())
    return perceived / others if others > 0 and perceived > FLATTENED * others else 1.0


def _right_axis(ax: Any, times: float) -> None:
    right = ax.secondary_yaxis("right", functions=(lambda y: y * times, lambda y: y / times))
    right.tick_params(labelsize=TEXT)
    right.set_ylabel("%: perceived", fontsize=TEXT)


def _draw(ax: Any, shares: pd.Series, colour: str, marker: str, line: str, label: str) -> None:
    ax.plot(
        shares.index,
        shares,
        color=colour,
        linestyle=line,
        linewidth=1.6,
        marker=marker,
        markersize=7,
        markerfacecolor=ax.get_facecolor() if marker == "^" else colour,
        markeredgecolor=colour,
        markeredgewidth=1.6,
        label=label,
        clip_on=False,
        zorder=3,
    )


def _any_few(few: pd.DataFrame) -> bool:
    """Of the lines that are drawn."""
    drawn = [measure for measure, *_ in LINES]
    return bool(few[drawn].any(axis=None))


def _subtitle(risk: IdentificationRisk) -> str:
    known = names(risk.known) or "none"
    synthesised = names(risk.synthesised) or "none"
    return wrapped(
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
