"""Figures of identification risk (matplotlib, imported when a figure is asked for)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..matching.result import IdentificationRisk
from .canvas import BLUE, SKY, VERMILLION, finish_plane, matplotlib, names, panel_for, wrapped

__all__ = ["plot_path"]

# measure, what it says, colour, marker, line: told apart without colour too
LINES = (
    ("perceived", "perceived: highest probability above {threshold:g}", SKY, "^", ":"),
    ("expected", "expected: right guesses", VERMILLION, "o", "-"),
    ("true", "true: right and unique", BLUE, "s", "--"),
)
WIDTH, HEIGHT = 6.4, 4.4  # inches


def plot_path(risk: IdentificationRisk, ax: Any = None, steps: Sequence[int] | None = None) -> Any:
    """Risk against the number of released sets.

    Parameters
    ----------
    risk : what `identification_risk` returned.
    ax : matplotlib axes to draw into; by default those of a new figure.
    steps : numbers of sets to show, as for `IdentificationRisk.path`.

    Returns
    -------
    matplotlib axes
    """
    path = risk.path(steps)
    ax = panel_for(ax, WIDTH, HEIGHT)
    for measure, meaning, colour, marker, line in LINES:
        face = ax.get_facecolor() if marker == "^" else colour
        style = {
            "color": colour,
            "marker": marker,
            "linestyle": line,
            "markerfacecolor": face,
            "markeredgecolor": colour,
            "markeredgewidth": 1.6,
        }
        ax.plot(
            path.index,
            path[measure],
            linewidth=1.6,
            markersize=7,
            label=meaning.format(threshold=risk.threshold),
            clip_on=False,
            zorder=3,
            **style,
        )
    keys = (
        f"Keys unchanged: {names(risk.known) or 'none'}; synthesised:"
        f" {names(risk.synthesised) or 'none'}"
    )
    subtitle = wrapped(
        f"{risk.attack.capitalize()} attack on {risk.n} records; higher is riskier. {keys}"
    )
    _count_in_whole_numbers(ax, list(path.index))
    finish_plane(
        ax,
        "Identification risk as more sets are released",
        subtitle,
        "released nests of sets" if risk.r else "released synthetic sets",
        "original records",
        grid="y",
    )
    return ax


def _count_in_whole_numbers(ax: Any, places: list[int]) -> None:
    ticker = matplotlib().ticker
    ax.set_ylim(bottom=0, top=max(ax.get_ylim()[1], 1))
    ax.xaxis.set_major_locator(
        ticker.MaxNLocator(integer=True) if len(places) > 12 else ticker.FixedLocator(places)
    )
    ax.yaxis.set_major_locator(ticker.MaxNLocator(integer=True))
