"""The figure of `risk_utility_by_m`: risk against utility, a point for each release."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from ..arguments import check_choice
from ..errors import InputError
from .canvas import BLUE, TEXT, VERMILLION, axes_for, finish, names, wrapped
from .labels import Place, label_points

if TYPE_CHECKING:
    from ..study.result import RiskUtilityByM

__all__ = ["plot_risk_utility_by_m"]

MEANING = {
    "expected": "records an intruder is expected to guess correctly",
    "true": "records whose one likeliest match is right",
    "perceived": "records an intruder believes to have found",
}
UTILITY = "overlap of confidence intervals with those from the original data (1: the same)"
HEIGHT = 3.4  # inches
SINGLE, NESTED = "in one stage: m sets", "in two stages: m nests of r sets"


def plot_risk_utility_by_m(study: RiskUtilityByM, measure: str = "expected", ax: Any = None) -> Any:
    """Risk against utility: up is riskier, right is more useful; points are means over replicates.

    Releases in one stage are filled circles joined in the order of m, those in two stages hollow
    diamonds. Lines through a point reach one standard error of the mean each way, where there are
    replicates.

    Parameters
    ----------
    study : what `risk_utility_by_m` returned.
    measure : "expected", "true" or "perceived".
    ax : matplotlib axes to draw into; by default those of a new figure.

    Returns
    -------
    matplotlib axes
    """
    check_choice("measure", measure, tuple(MEANING))
    points = study_points(study, measure)
    if points.empty:
        raise InputError(
            "study: no release has an overlap (with m = 1 it is undefined), so that there is"
            " nothing to draw"
        )
    averaged = (
        ""
        if study.replicates == 1
        else f" Means of {study.replicates} simulated releases, lines: one standard error."
    )
    subtitle = wrapped(
        f"Up is riskier, right is more useful.{averaged} Keys:"
        f" {names((*study.known, *study.synthesised))}"
    )
    panel = axes_for(ax, ["00000"], HEIGHT, subtitle, 1)
    one, two = points[points["r"] == 1].sort_values("m"), points[points["r"] > 1]
    _draw(panel, one, "o", BLUE, SINGLE, joined=True)
    _draw(panel, two, "D", VERMILLION, NESTED, joined=False)
    panel.margins(x=0.16, y=0.16)
    ticks = [t for t in panel.get_yticks() if t >= 0]
    finish(
        panel,
        ticks,
        [f"{t:g}" for t in ticks],
        "Risk and utility by number of released sets",
        subtitle,
        UTILITY,
    )
    panel.set_ylabel(MEANING[measure], fontsize=TEXT)
    label_points(panel, list(points.itertuples()), _error_bars(points))
    return panel


def study_points(study: RiskUtilityByM, measure: str) -> pd.DataFrame:
    """From `tidy()`: m, r, name, x (overlap), y (risk) and their standard errors."""
    tidy = study.tidy()
    tidy = tidy[tidy["group"] == "all"]
    found = []
    for (m, r), part in tidy.groupby(["m", "r"], sort=False):
        by_name = part.set_index("measure")
        x, y = by_name.loc["overlap"], by_name.loc[measure]
        root = np.sqrt(x["replicates"])
        name = f"m = {m}" if r == 1 else f"{m} × {r}"
        found.append(
            {
                "m": m,
                "r": r,
                "name": name,
                "x": float(x["value"]),
                "y": float(y["value"]),
                "x_error": float(x["sd"] / root),
                "y_error": float(y["sd"] / root),
            }
        )
    frame = pd.DataFrame(found)
    return frame[frame["x"].notna()].reset_index(drop=True)


def _draw(
    panel: Any, points: pd.DataFrame, marker: str, colour: str, label: str, *, joined: bool
) -> None:
    if points.empty:
        return
    if points[["x_error", "y_error"]].notna().all(axis=None):
        panel.errorbar(
            points["x"],
            points["y"],
            points["y_error"],
            points["x_error"],
            fmt="none",
            ecolor=colour,
            elinewidth=1,
            alpha=0.7,
            zorder=2,
        )
    face = colour if joined else panel.get_facecolor()
    look = {
        "marker": marker,
        "markersize": 7,
        "markerfacecolor": face,
        "markeredgecolor": colour,
        "markeredgewidth": 1.6,
    }
    panel.plot(
        points["x"],
        points["y"],
        linestyle="-" if joined else "none",
        linewidth=1,
        color=colour,
        label=label,
        zorder=3,
        **look,
    )


def _error_bars(points: pd.DataFrame) -> list[tuple[Place, Place]]:
    bars = []
    for p in points.dropna(subset=["x_error", "y_error"]).itertuples():
        bars += [
            ((p.x - p.x_error, p.y), (p.x + p.x_error, p.y)),
            ((p.x, p.y - p.y_error), (p.x, p.y + p.y_error)),
        ]
    return bars
