"""The figure of identification risk: `plot_path`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ..rounding import ROUND_TO, check_round_to, mark, part, shown, too_few
from .frame import BLUE, SMALL, VERMILLION, axes_of, dress, ink, matplotlib, say_instead

if TYPE_CHECKING:
    from ..matching import IdentificationRisk

__all__ = ["plot_path"]

# told apart without colour too, and by size where points lie on one another
LINES: dict[str, dict[str, Any]] = {
    "perceived": {"marker": "^", "markersize": 9, "linestyle": ":", "markerfacecolor": "none"},
    "expected": {"marker": "o", "markersize": 7, "linestyle": "-", "color": VERMILLION},
    "true": {"marker": "s", "markersize": 4.5, "linestyle": "--", "color": BLUE},
}
MEANING = {
    "perceived": "perceived: highest probability above {threshold:g}",
    "expected": "expected: correct guesses",
    "true": "true: correct and unique",
}
SIZE = (6.4, 4.8)  # inches
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
    percent = {name: _percent(path[name], risk.n, to) for name in LINES}
    panel = axes_of(ax, *SIZE)
    times = _times_flattened(percent)
    for name, look in LINES.items():
        label, shares = MEANING[name].format(threshold=risk.threshold), percent[name]
        if name == "perceived" and times > 1:
            label, shares = f"{label} (right axis)", [share / times for share in shares]
        faint = {} if "color" in look else {"color": ink(), "alpha": 0.6}
        panel.plot(path.index, shares, label=label, clip_on=False, zorder=3, **look, **faint)
    if times > 1:
        right = panel.secondary_yaxis("right", functions=(lambda y: y * times, lambda y: y / times))
        right.tick_params(labelsize=SMALL, length=0)
        right.set_ylabel("%: perceived", fontsize=SMALL)
    _scales(panel, list(path.index))
    number = f"{risk.n:,}" if to == 1 else part(risk.n, to=to)
    known, synthesised = (_names(keys) for keys in (risk.known, risk.synthesised))
    dress(
        panel,
        "Identification risk as more sets are released",
        f"{risk.attack.capitalize()} attack on {number} records; higher is riskier. Keys"
        f" unchanged: {known}; synthesised: {synthesised}\n{mark(to)}",
        "released nests of sets" if risk.r else "released synthetic sets",
        f"% of {number} original records" + (": expected, true" if times > 1 else ""),
        grid="y",
    )
    return panel


def _percent(counts: Any, n: int, to: int) -> list[float]:
    everybody = shown(n, n, to=to)
    # an expectation is no whole number
    values = counts.tolist() if to == 1 else [shown(count, n, to=to) for count in counts]
    return [100 * value / everybody if everybody else 0.0 for value in values]


def _times_flattened(percent: dict[str, list[float]]) -> float:
    """How many times the scale of the other lines perceived matches need, if they would flatten
    them; 1 if all fit on one axis. A single set has no lines to flatten, and on two axes its
    highest points would cover each other.
    """
    if len(percent["perceived"]) == 1:
        return 1.0
    others, perceived = max(percent["expected"] + percent["true"]), max(percent["perceived"])
    return perceived / others if others > 0 and perceived > FLATTENED * others else 1.0


def _names(names: Any) -> str:
    return ", ".join(map(str, names)) or "none"


def _scales(panel: Any, steps: list[int]) -> None:
    """From 0 on upwards; whole numbers of sets."""
    ticker = matplotlib().ticker
    panel.set_ylim(bottom=0, top=max(panel.get_ylim()[1], SMALLEST_TOP))
    if len(steps) > MOST_TICKS:
        panel.xaxis.set_major_locator(ticker.MaxNLocator(integer=True))
    else:
        panel.xaxis.set_major_locator(ticker.FixedLocator(steps))
