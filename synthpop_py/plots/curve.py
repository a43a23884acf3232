"""The figure of a closed form: risk against utility along the values of a parameter."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from ..arguments import check_number, is_number
from ..closed_forms import RUCurve
from .canvas import draw_ceiling, finish_plane, grey, not_from_zero, panel_for
from .fitting import Wording
from .frame import BLUE
from .labels import label_points

__all__ = ["plot_curve"]

SIZE = (7.2, 5.4)  # inches
MARKED = 6  # values of the parameter written along a curve


class Marked(NamedTuple):
    """A point of the curve and its value of the parameter."""

    x: float
    y: float
    name: str


def plot_curve(curve: RUCurve, ceiling: float | None = None, ax: Any = None) -> Any:
    """Risk against utility along the values of a parameter; infinite risks lie beyond the upper
    edge.
    """
    panel = panel_for(ax, *SIZE)
    table = curve.table
    drawn = table[np.isfinite(table["risk"]) & np.isfinite(table["utility"])]
    panel.plot(drawn["utility"], drawn["risk"], color=BLUE, linewidth=1.6, zorder=2)
    marked = _mark_values(panel, drawn, curve.over)
    if ceiling is not None:
        _draw_ceiling(panel, check_number("ceiling", ceiling, 0))
    words = Wording(
        title=f"Risk and utility of {curve.form}",
        subtitle=_subtitle(curve, infinite=len(table) - len(drawn)) + not_from_zero(panel),
        xlabel="utility: 1 / mean squared error of the user, higher is more useful\u00a0→",
        ylabel="risk: 1 / mean squared error of the snooper, higher is riskier\u00a0→",
    )
    finish_plane(panel, words)
    label_points(panel, marked, backed=True)
    return panel


def _mark_values(panel: Any, drawn: pd.DataFrame, over: str) -> list[Marked]:
    """Some points along the curve, with their values of the parameter."""
    marked = drawn
    if len(drawn):
        rows = np.linspace(0, len(drawn) - 1, min(MARKED, len(drawn))).round()
        marked = drawn.iloc[np.unique(rows.astype(int))]
    panel.plot(
        marked["utility"],
        marked["risk"],
        linestyle="none",
        marker="o",
        markersize=6,
        color=BLUE,
        zorder=3,
        clip_on=False,
    )
    named = []
    for value, x, y in zip(marked[over], marked["utility"], marked["risk"]):
        text = f"{value:.3g}" if is_number(value) else str(value)
        named.append(Marked(x=x, y=y, name=text))
    return named


def _draw_ceiling(panel: Any, limit: float) -> None:
    """A line at the highest acceptable risk, with shading above it."""
    draw_ceiling(panel, limit, f"ceiling {limit:.4g}")
    bottom, top = panel.get_ylim()
    panel.set_ylim(bottom, top)  # fixed, so the shading reaches exactly to the edge
    panel.axhspan(
        limit,
        max(top, limit),
        facecolor=grey(panel, 0.08),
        linewidth=0,
        zorder=0,
        label="too risky",
    )


def _subtitle(curve: RUCurve, infinite: int) -> str:
    settings = []
    for name, value in curve.fixed.items():
        text = f"{value:g}" if isinstance(value, (int, float)) else value
        settings.append(f"{name} = {text}")
    beyond = ""
    if infinite:
        values = "1 value" if infinite == 1 else f"{infinite} values"
        beyond = f"\n{values} with infinite risk or utility not drawn"
    fixed = ", ".join(settings)
    return f"Numbers along the curve: {curve.over}; {fixed}{beyond}"
