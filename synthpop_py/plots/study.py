"""The figure of `risk_utility_by_m`: risk against utility, a point for each release."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from ..arguments import check_choice
from ..errors import InputError
from ..rounding import ROUND_TO, check_round_to, mark, part, shown, too_few
from .canvas import Mark, finish_plane, names, panel_for
from .fitting import Wording
from .frame import BLUE, VERMILLION, say_instead
from .labels import Line, label_points

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
SINGLE, NESTED = "in one stage: m sets", "in two stages: m nests of r sets"


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
    panel = panel_for(ax, *SIZE)
    single = points[points["r"] == 1].sort_values("m")
    nested = points[points["r"] > 1]
    _draw(panel, single, Mark("o", 7, BLUE), SINGLE)
    _draw(panel, nested, Mark("D", 7, VERMILLION, hollow=True), NESTED)
    panel.margins(x=0.16, y=0.16)
    bottom, top = panel.get_ylim()
    bottom = max(bottom, 0.0)
    panel.set_ylim(bottom, max(top, 1.0) if bottom == 0 else top)
    starts = f"\n(axis starts at {bottom:.3g}, not at 0)" if bottom > 0 else ""
    words = Wording(
        title="Risk and utility by number of released sets",
        subtitle=_subtitle(study, to),
        xlabel=UTILITY + _utility_starts(panel, points),
        ylabel=MEANING[measure] + starts,
    )
    finish_plane(panel, words, columns=2)
    label_points(panel, list(points.itertuples()), _error_bars(points), backed=True)
    return panel


def _rounded(points: pd.DataFrame, n: int, to: int) -> pd.DataFrame:
    """Risks as counts of people are shown, all else with two significant digits."""
    counts = [shown(count, n, to=to) for count in points["y"]]
    others = {
        name: [float(f"{value:.2g}") for value in points[name]]
        for name in ("x", "x_error", "y_error")
    }
    return points.assign(y=counts, **others)


def _utility_starts(panel: Any, points: pd.DataFrame) -> str:
    low, _ = panel.get_xlim()
    return f"; axis starts at {low:.3g}, not at 0" if low > 0 and len(points) else ""


def _subtitle(study: RiskUtilityByM, to: int) -> str:
    averaged = ""
    if study.replicates > 1:
        averaged = f" Means of {study.replicates} simulated releases, lines: one standard error."
    keys = names((*study.known, *study.synthesised))
    base = f"{study.n:,}" if to == 1 else part(study.n, to=to)
    how_to_read = f"Up is riskier, right is more useful.{averaged} Keys: {keys}"
    return f"Of {base} people. {how_to_read}\n{mark(to)}"


def study_points(study: RiskUtilityByM, measure: str) -> pd.DataFrame:
    """From `tidy()`: m, r, name, x (overlap), y (risk) and their standard errors."""
    tidy = study.tidy()
    everybody = tidy[tidy["group"] == "all"]
    rows = []
    for (m, r), design in everybody.groupby(["m", "r"], sort=False):
        by_name = design.set_index("measure")
        x, y = by_name.loc["overlap"], by_name.loc[measure]
        root = np.sqrt(x["replicates"])
        row = {
            "m": m,
            "r": r,
            "name": f"m = {m}" if r == 1 else f"{m} × {r}",
            "x": float(x["value"]),
            "y": float(y["value"]),
            "x_error": float(x["sd"] / root),
            "y_error": float(y["sd"] / root),
        }
        rows.append(row)
    frame = pd.DataFrame(rows)
    return frame[frame["x"].notna()].reset_index(drop=True)


def _draw(panel: Any, points: pd.DataFrame, mark: Mark, label: str) -> None:
    """A series with its standard errors; filled points are joined."""
    if points.empty:
        return
    if points[["x_error", "y_error"]].notna().all(axis=None):
        panel.errorbar(
            points["x"],
            points["y"],
            yerr=points["y_error"],
            xerr=points["x_error"],
            fmt="none",
            ecolor=mark.colour,
            elinewidth=1,
            alpha=0.7,
            zorder=2,
        )
    panel.plot(
        points["x"],
        points["y"],
        linestyle="none" if mark.hollow else "-",
        linewidth=1,
        color=mark.colour,
        marker=mark.marker,
        markersize=mark.size,
        markerfacecolor=panel.get_facecolor() if mark.hollow else mark.colour,
        markeredgecolor=mark.colour,
        markeredgewidth=1.6,
        label=label,
        zorder=3,
        clip_on=False,
    )


def _error_bars(points: pd.DataFrame) -> list[Line]:
    bars: list[Line] = []
    for point in points.dropna(subset=["x_error", "y_error"]).itertuples():
        left, right = point.x - point.x_error, point.x + point.x_error
        low, high = point.y - point.y_error, point.y + point.y_error
        bars.append(((left, point.y), (right, point.y)))
        bars.append(((point.x, low), (point.x, high)))
    return bars
