"""The picture of `risk_utility_by_m`: risk against utility, a point for each release."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from ..arguments import check_choice
from ..errors import InputError
from ..rounding import ROUND_TO, check_round_to, shown, too_few
from ..study import RiskUtilityByM
from . import frame

MEANING = {
    "expected": "records an intruder is expected to guess correctly",
    "true": "records whose one likeliest match is correct",
    "perceived": "records an intruder believes they have found",
}
UTILITY = "overlap of confidence intervals with those from the original data (1: the same)"


def plot_risk_utility_by_m(
    study: RiskUtilityByM, measure: str = "expected", ax: Any = None, *, round_to: int = ROUND_TO
) -> Any:
    """Risk ("expected", "true" or "perceived") against utility; points are means over replicates.

    Releases in one stage are filled circles joined in the order of m, those in two stages hollow
    diamonds. Lines through a point reach one standard error of the mean each way, where there are
    replicates.
    """
    check_choice("measure", measure, tuple(MEANING))
    points, to = study_points(study, measure), check_round_to(round_to)
    if points.empty:
        undefined = "no release has an overlap (with m = 1 it is undefined)"
        raise InputError(f"study: {undefined}, so there is nothing to draw")
    if too_few(study.n, to):
        return frame.say_instead(ax, too_few(study.n, to))
    if to > 1:
        points["y"] = [shown(count, study.n, to=to) for count in points["y"]]
        for other in ("x", "x_error", "y_error"):
            points[other] = [float(f"{value:.2g}") for value in points[other]]
    panel = frame.axes_of(ax, 6.4, 5.2)
    is_nested = points["r"] > 1
    _draw(panel, points[~is_nested], frame.BLUE, fmt="o-", label="in one stage: m sets")
    hollow = {"fmt": "D", "markerfacecolor": panel.get_facecolor()}
    hollow["label"] = "in two stages: m nests of r sets"
    _draw(panel, points[is_nested], frame.VERMILLION, **hollow)
    panel.margins(x=0.16, y=0.16)
    bottom, top = panel.get_ylim()
    if bottom <= 0:
        panel.set_ylim(0, max(top, 1.0))
    runs = f"means of {study.replicates} simulated releases, lines: one standard error"
    facts = [runs] if study.replicates > 1 else []
    facts.append(frame.listed("keys", (*study.known, *study.synthesised)))
    subtitle = frame.about(study.n, to, *facts)
    xlabel = f"{UTILITY}{_start(panel.get_xlim())}; more useful\u00a0→"
    ylabel = f"{MEANING[measure]}{_start(panel.get_ylim())}; riskier\u00a0→"
    frame.dress(panel, "Risk and utility by number of released sets", subtitle, xlabel, ylabel)
    frame.label_points(panel, points[["x", "y", "name"]].to_numpy())
    return panel


def study_points(study: RiskUtilityByM, measure: str) -> pd.DataFrame:
    """From `tidy()`: m, r, name, x (overlap), y (risk) and their standard errors."""
    tidy = study.tidy()
    everybody = tidy[tidy["group"] == "all"].set_index(["m", "r"])
    points = pd.DataFrame(index=everybody.index.unique())
    points["name"] = [f"m = {m}" if r == 1 else f"{m} × {r}" for m, r in points.index]
    for axis, name in (("x", "overlap"), ("y", measure)):
        of_measure = everybody[everybody["measure"] == name]
        points[axis] = of_measure["value"].astype(float)
        root = np.sqrt(of_measure["replicates"])
        points[f"{axis}_error"] = of_measure["sd"] / root
    return points.dropna(subset=["x"]).reset_index().sort_values(["r", "m"])


def _start(limits: tuple[float, float]) -> str:
    return f" (axis starts at {limits[0]:.3g}, not at 0)" if limits[0] > 0 else ""


def _draw(panel: Any, points: pd.DataFrame, color: str, fmt: str, **look: Any) -> None:
    """A series with its standard errors."""
    if points.empty:
        return
    x, y = points["x"], points["y"]
    errors = points[["y_error", "x_error"]]
    if errors.notna().all(axis=None):
        panel.errorbar(x, y, *errors.to_numpy().T, fmt="none", ecolor=color, elinewidth=1)
    edge = {"markersize": 7, "markeredgewidth": 1.6, "linewidth": 1, "clip_on": False}
    panel.plot(x, y, fmt, color=color, zorder=3, **edge, **look)
