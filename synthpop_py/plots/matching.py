"""Figures of identification risk (matplotlib, imported when a figure is asked for)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import pandas as pd

from ..matching.result import IdentificationRisk
from ..rounding import ROUND_TO, check_round_to, mark, part, shown, too_few
from .canvas import TEXT, finish_plane, grey, names, panel_for
from .fitting import Wording
from .frame import BLUE, VERMILLION, matplotlib, say_instead

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
    round_to: int = ROUND_TO,
) -> Any:
    """Risk against the number of released sets, in % of the original records. Perceived matches get
    a separate axis at the right if they would flatten the other lines.

    Parameters
    ----------
    risk : what `identification_risk` returned.
    ax : matplotlib axes to draw into; by default those of a new figure.
    steps : numbers of sets to show, as for `IdentificationRisk.path`.
    round_to : counts of people are rounded to a multiple of this; 1 draws exact ones.

    Returns
    -------
    matplotlib axes
    """
    to = check_round_to(round_to)
    if too_few(risk.n, to):
        return say_instead(ax, too_few(risk.n, to))
    path = risk.path(steps)
    percent = _percent(path, risk.n, to)
    ax = panel_for(ax, WIDTH, HEIGHT)
    times = _times_flattened(percent)
    for look in LINES:
        label = look.meaning.format(threshold=risk.threshold)
        shares = percent[look.measure]
        if times > 1 and look.measure == "perceived":
            _right_axis(ax, times)
            shares, label = shares / times, f"{label} (right axis)"
        _draw(ax, shares, look, label)
    _scales(ax, list(path.index))
    words = Wording(
        title="Identification risk as more sets are released",
        subtitle=_subtitle(risk, to),
        xlabel="released nests of sets" if risk.r else "released synthetic sets",
        ylabel=f"% of {_number(risk.n, to)} original records"
        + (": expected, true" if times > 1 else ""),
    )
    finish_plane(ax, words, grid="y")
    return ax


def _percent(path: pd.DataFrame, n: int, to: int) -> pd.DataFrame:
    """The measures that are drawn, in per cent of all targets."""
    everybody = shown(n, n, to=to)
    columns = {}
    for look in LINES:
        counts = path[look.measure].tolist()
        # an expectation is no whole number
        values = counts if to == 1 else [shown(count, n, to=to) for count in counts]
        columns[look.measure] = [100 * value / everybody if everybody else 0.0 for value in values]
    return pd.DataFrame(columns, index=path.index)


def _number(n: int, to: int) -> str:
    return f"{n:,}" if to == 1 else part(n, to=to)


def _times_flattened(percent: pd.DataFrame) -> float:
    """How many times the scale of the other lines perceived matches need, if they would flatten
    them; 1 if all fit on one axis. A single set has no lines to flatten, and on two axes its
    highest points would cover each other.
    """
    if len(percent) == 1:
        return 1.0
    # as an array: pandas 1.5 has no maximum over both axes of a frame
    others = float(percent[["expected", "true"]].to_numpy().max())
    perceived = float(percent["perceived"].max())
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


def _subtitle(risk: IdentificationRisk, to: int) -> str:
    known = names(risk.known) or "none"
    synthesised = names(risk.synthesised) or "none"
    attack = f"{risk.attack.capitalize()} attack on {_number(risk.n, to)} records"
    keys = f"Keys unchanged: {known}; synthesised: {synthesised}"
    return f"{attack}; higher is riskier. {keys}\n{mark(to)}"


def _scales(ax: Any, steps: list[int]) -> None:
    """From 0 on upwards; whole numbers of sets."""
    ticker = matplotlib().ticker
    _, top = ax.get_ylim()
    ax.set_ylim(bottom=0, top=max(top, SMALLEST_TOP))
    if len(steps) > MOST_TICKS:
        ax.xaxis.set_major_locator(ticker.MaxNLocator(integer=True))
    else:
        ax.xaxis.set_major_locator(ticker.FixedLocator(steps))
