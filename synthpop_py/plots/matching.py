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
MOST_TICKS = 12  # numbers of sets that are all marked


def plot_path(
    risk: IdentificationRisk,
    ax: Any = None,
    steps: Sequence[int] | None = None,
    *,
    min_cell: int = MIN_CELL,
) -> Any:
    """Risk against the number of released sets.

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
    shown = path.mask(few)
    ax = panel_for(ax, WIDTH, HEIGHT)
    for measure, meaning, colour, marker, line in LINES:
        ax.plot(
            path.index,
            shown[measure],
            color=colour,
            linestyle=line,
            linewidth=1.6,
            marker=marker,
            markersize=7,
            markerfacecolor=ax.get_facecolor() if marker == "^" else colour,
            markeredgecolor=colour,
            markeredgewidth=1.6,
            label=meaning.format(threshold=risk.threshold),
            clip_on=False,
            zorder=3,
        )
    _count_in_whole_numbers(ax, list(path.index))
    words = Wording(
        title="Identification risk as more sets are released",
        subtitle=_subtitle(risk) + wrapped(hidden_note(_any_few(few), min_cell)),
        xlabel="released nests of sets" if risk.r else "released synthetic sets",
        ylabel="original records",
    )
    finish_plane(ax, words, grid="y")
    return ax


def _any_few(few: pd.DataFrame) -> bool:
    """Of the lines that are drawn."""
    drawn = [measure for measure, *_ in LINES]
    return bool(few[drawn].any(axis=None))


def _subtitle(risk: IdentificationRisk) -> str:
    known = names(risk.known) or "none"
    synthesised = names(risk.synthesised) or "none"
    return wrapped(
        f"{risk.attack.capitalize()} attack on {risk.n} records; higher is riskier. Keys unchanged:"
        f" {known}; synthesised: {synthesised}"
    )


def _count_in_whole_numbers(ax: Any, steps: list[int]) -> None:
    ticker = matplotlib().ticker
    _, top = ax.get_ylim()
    ax.set_ylim(bottom=0, top=max(top, 1))
    ax.yaxis.set_major_locator(ticker.MaxNLocator(integer=True))
    if len(steps) > MOST_TICKS:
        ax.xaxis.set_major_locator(ticker.MaxNLocator(integer=True))
    else:
        ax.xaxis.set_major_locator(ticker.FixedLocator(steps))
