"""The figure of `risk_utility_by_m`: risk against utility, a point for each release."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from ..arguments import check_choice
from ..errors import InputError
from ..rounding import ROUND_TO, check_round_to, mark, part, shown, too_few
from .frame import BLUE, VERMILLION, axes_of, dress, label_points, say_instead

if TYPE_CHECKING:
    from ..study import RiskUtilityByM

__all__ = ["plot_risk_utility_by_m"]

MEANING = {
    "expected": "records an intruder is expected to guess correctly",
    "true": "records whose one likeliest match is correct",
    "perceived": "records an intruder believes they have found",
}
UTILITY = "overlap of confidence intervals with those from the original data (1: the same)"
SIZE = (6.4, 5.2)  # inches


def plot_risk_utility_by_m(
    study: RiskUtilityByM, measure: str = "expected", ax: Any = None, *, round_to: int = ROUND_TO
) -> Any:
    """Risk against utility: up is riskier, right is more useful; points are means over replicates.

    Releases in one stage are filled circles joined in the order of m, those in two stages hollow
    diamonds. Lines through a point reach one standard error of the mean each way, where there are
    replicates.

    Parameters
    ----------
    study : what `risk_utility_by_m` returned.
    measure : "expected", "true" or "perceived".
    ax : matplotlib axes to draw into; by default those of a new figure.
    round_to : counts of people are rounded to a multiple of this; 1 draws exact ones.

    Returns
    -------
    matplotlib axes
    """
    check_choice("measure", measure, tuple(MEANING))
    points = study_points(study, measure)
    if points.empty:
        raise InputError(
            "study: no release has an overlap (with m = 1 it is undefined), so there is "
            "nothing to draw"
        )
    to = check_round_to(round_to)
    if too_few(study.n, to):
        return say_instead(ax, too_few(study.n, to))
    if to > 1:
        points = _rounded(points, study.n, to)
    panel = axes_of(ax, *SIZE)
    single = points[points["r"] == 1].sort_values("m")
    _draw(panel, single, BLUE, "in one stage: m sets", marker="o", linestyle="-")
    nested = points[points["r"] > 1]
    hollow = {"marker": "D", "linestyle": "none", "markerfacecolor": panel.get_facecolor()}
    _draw(panel, nested, VERMILLION, "in two stages: m nests of r sets", **hollow)
    panel.margins(x=0.16, y=0.16)
    bottom, top = panel.get_ylim()
    bottom = max(bottom, 0.0)
    panel.set_ylim(bottom, max(top, 1.0) if bottom == 0 else top)
    averaged = ""
    if study.replicates > 1:
        averaged = f" Means of {study.replicates} simulated releases, lines: one standard error."
    base = f"{study.n:,}" if to == 1 else part(study.n, to=to)
    keys = ", ".join(map(str, (*study.known, *study.synthesised)))
    dress(
        panel,
        "Risk and utility by number of released sets",
        f"Of {base} people. Up is riskier, right is more useful.{averaged} Keys: {keys}\n"
        f"{mark(to)}",
        UTILITY + _starts(panel.get_xlim()[0]),
        MEANING[measure] + _starts(bottom),
        grid="both",
    )
    label_points(panel, list(zip(points["x"], points["y"], points["name"])))
    return panel


def _starts(low: float) -> str:
    return f"; axis starts at {low:.3g}, not at 0" if low > 0 else ""


def _rounded(points: pd.DataFrame, n: int, to: int) -> pd.DataFrame:
    """Risks as counts of people are shown, all else with two significant digits."""
    counts = [shown(count, n, to=to) for count in points["y"]]
    others = {
        name: [float(f"{value:.2g}") for value in points[name]]
        for name in ("x", "x_error", "y_error")
    }
    return points.assign(y=counts, **others)


def study_points(study: RiskUtilityByM, measure: str) -> pd.DataFrame:
    """From `tidy()`: m, r, name, x (overlap), y (risk) and their standard errors."""
    tidy = study.tidy()
    everybody = tidy[tidy["group"] == "all"]
    rows = []
    for (m, r), design in everybody.groupby(["m", "r"], sort=False):
        by_name = design.set_index("measure")
        x, y = by_name.loc["overlap"], by_name.loc[measure]
        root = np.sqrt(x["replicates"])
        name = f"m = {m}" if r == 1 else f"{m} × {r}"
        errors = float(x["sd"] / root), float(y["sd"] / root)
        rows.append((m, r, name, float(x["value"]), float(y["value"]), *errors))
    frame = pd.DataFrame(rows, columns=["m", "r", "name", "x", "y", "x_error", "y_error"])
    return frame[frame["x"].notna()].reset_index(drop=True)


def _draw(panel: Any, points: pd.DataFrame, colour: str, label: str, **look: Any) -> None:
    """A series with its standard errors."""
    if points.empty:
        return
    x, y = points["x"], points["y"]
    if points[["x_error", "y_error"]].notna().all(axis=None):
        panel.errorbar(
            x, y, yerr=points["y_error"], xerr=points["x_error"], fmt="none", ecolor=colour,
            elinewidth=1, alpha=0.7, zorder=2,
        )  # fmt: skip
    edge = {"markersize": 7, "markeredgecolor": colour, "markeredgewidth": 1.6, "linewidth": 1}
    panel.plot(x, y, color=colour, label=label, zorder=3, clip_on=False, **edge, **look)
