"""Figures of IFPR (matplotlib, imported when a figure is asked for).

Every function returns the axes, draws into `ax` if given and otherwise into a new figure. Sizes of
cells differ by marker and line style as well as by colour.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from ..arguments import check_number, listed
from ..core.arrays import Floats, Integers
from ..ifpr.check import IFPRAudit
from ..ifpr.release import IFPRRelease
from ..ifpr.theta import limit_theta
from ..rounding import ROUND_TO, check_round_to, mark, people, shown
from .canvas import (
    LINE,
    PANEL,
    TEXT,
    finish,
    finish_plane,
    grey,
    names,
    panel_for,
    row_names,
    ruler,
    write,
    write_beside,
)
from .fitting import Wording
from .frame import BLUE, SKY, VERMILLION, ink
from .measuring import lines_of

__all__ = ["plot_ifpr_audit", "plot_ifpr_design", "plot_ifpr_risk", "plot_ifpr_theta"]

GREEN, PURPLE = "#009E73", "#CC79A7"


class SizeStyle(NamedTuple):
    """How one size of cells is drawn."""

    marker: str
    line: Any
    colour: str


STYLES = (
    SizeStyle("o", "-", BLUE),
    SizeStyle("s", "--", VERMILLION),
    SizeStyle("^", ":", GREEN),
    SizeStyle("D", "-.", PURPLE),
    SizeStyle("v", (0, (1, 1)), SKY),
)
WIDTH = PANEL + 0.8  # inches
AROUND = 1.75  # inches for title, labels and legend
MOST_BLOCKS = 30
MOST_SIZES = len(STYLES)
APART = 0.08  # of a count, between sizes that are drawn side by side


def plot_ifpr_theta(marked: Any = None, ax: Any = None) -> Any:
    """How strongly cells must be randomised to meet a goal: theta against xi in the limit of large
    blocks, for cells of one, two and three units.

    The common theta of the slides is the upper one of the first two curves, from xi = 1/3 on.

    Parameters
    ----------
    marked : goals to be marked on the common curve, each at least 1/3; None for none.
    ax : matplotlib axes to draw into; by default those of a new figure.

    Returns
    -------
    matplotlib axes
    """
    goals = []
    for goal in listed(marked):
        goals.append(check_number("marked", goal, 1 / 3, 1, open_high=True))
    panel = panel_for(ax, WIDTH, 3.6 + AROUND)
    for T, style in zip((1, 2, 3), STYLES):
        xi = _down_to(1 / T, 0.02)
        panel.plot(
            xi,
            [limit_theta(x, T) for x in xi],
            linestyle=style.line,
            color=style.colour,
            linewidth=1.8,
            label=f"cells of {_number(T, 'unit')}, theta_{T}",
        )
    _common_theta(panel, goals)
    _below_one_third(panel)
    panel.set_xlim(0, 1)
    panel.set_ylim(0, None)
    words = Wording(
        title="How much to randomise for a goal",
        subtitle=(
            "A cell: all units with the same keys. Units expected to leave a cell (theta), so that"
            " the chance of a correct match is at most xi; limit of large blocks"
        ),
        xlabel="xi, highest accepted chance of a correct match (lower is safer)",
        ylabel="theta, units expected to leave a cell",
    )
    finish_plane(panel, words, columns=2)
    return panel


def _number(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _down_to(end: float, start: float) -> Floats:
    """Goals from `end`, where theta becomes 0, down to `start`; close together at the end, where
    theta falls steeply.
    """
    steps = np.linspace(0, 1, 241) ** 2
    return np.maximum(end - (end - start) * steps, start)


def _common_theta(panel: Any, goals: Sequence[float]) -> None:
    """The theta that is enough for all cells, from xi = 1/3 on, with goals marked on it."""
    above = _down_to(1, 1 / 3)
    panel.plot(
        above,
        [_enough_for_all(xi) for xi in above],
        color=ink(),
        linewidth=5,
        alpha=0.25,
        solid_capstyle="butt",
        label="one theta for all cells",
    )
    if not goals:
        return
    panel.plot(
        goals,
        [_enough_for_all(xi) for xi in goals],
        linestyle="none",
        marker="o",
        markersize=8,
        markerfacecolor="none",
        markeredgecolor=ink(),
        markeredgewidth=1.5,
        label="goals marked",
    )


def _enough_for_all(xi: float) -> float:
    return max(limit_theta(xi, 1), limit_theta(xi, 2))


def _below_one_third(panel: Any) -> None:
    """A line where one theta for all cells ends, and a word on what is below."""
    panel.axvline(1 / 3, color=ink(), linewidth=0.8)
    words = "xi = 1/3: below, each size\nneeds its own theta"
    at_the_top = ("data", "axes fraction")
    write(panel, words, (1 / 3, 1), (6, -4), xycoords=at_the_top, va="top")


def plot_ifpr_risk(release: IFPRRelease, ax: Any = None, *, max_a: int = 6) -> Any:
    """Chance of a correct match by the number of records found, for each size of cells, with the
    goal.

    Records are those with the target's own keys. Theory over all blocks; the bar at a point goes
    from the safest block to the riskiest. Grey: 1 / a, for an intruder who knows that the target is
    among them.

    Parameters
    ----------
    release : what `ifpr` returned. max_a : highest count shown. ax : matplotlib axes to draw into;
        by default those of a new figure.
    """
    table = release.risk_table(max_a=max_a)
    panel = panel_for(ax, WIDTH, 3.2 + AROUND)
    counts = np.arange(1, max_a + 1)
    occurring = [T for T in release.theta if _occurs(T, table)]
    shown = occurring[:MOST_SIZES]
    middle = (len(shown) - 1) / 2
    for number, (T, style) in enumerate(zip(shown, STYLES)):
        aside = APART * (number - middle)
        risks = table[[f"T={T} IR({a})" for a in counts]].to_numpy()
        _risks_of_size(panel, counts + aside, risks, T, style)
    panel.plot(
        counts,
        1 / counts,
        color=grey(panel, 0.45),
        linewidth=1,
        marker="_",
        markersize=9,
        label="1 / a: for an intruder who knows that the target is among the a records",
    )
    _goal_line(panel, release.xi, max_a + 0.5)
    panel.set_xlim(0.5, max_a + 0.5)
    panel.set_ylim(0, 1)
    panel.set_xticks(counts)
    blocks = _number(len(table) - 1, "block")
    more = f" (first {MOST_SIZES} sizes)" if len(occurring) > MOST_SIZES else ""
    words = Wording(
        title="Chance of a correct match by records found",
        subtitle=(
            f"{_units(release)} in {blocks}{more}; theory. T: units that had the target's keys"
            " before the exchange; xi: the goal, the highest chance accepted. Keys:"
            f" {names(release.keys)}"
        ),
        xlabel="a, released records with the target's keys",
        ylabel="chance of a correct match",
    )
    finish_plane(panel, words, columns=2)
    return panel


def _units(release: IFPRRelease, to: int = ROUND_TO) -> str:
    """The people the figure is about."""
    return _number_of_units(int(release.design["units"].sum()), to)


def _number_of_units(units: int, to: int = ROUND_TO) -> str:
    return f"{units:,} units" if to == 1 else f"{people(shown(units, to=to), to=to)} units"


def _audited_units(audit: IFPRAudit) -> str:
    return _number_of_units(round(float(audit.units[0].sum())))


def _occurs(T: int, table: pd.DataFrame) -> bool:
    """Whether cells of this size have a risk."""
    overall = f"T={T} overall"
    return overall in table and bool(table[overall].notna().any())


def _risks_of_size(panel: Any, at: np.ndarray, risks: Floats, T: int, style: SizeStyle) -> None:
    """The risks of cells of T units by count; the last row of `risks` is over all blocks."""
    *by_block, over_all = risks
    for x, of_count in zip(at, np.transpose(by_block)):
        known = of_count[~np.isnan(of_count)]
        if len(known) > 1:
            panel.vlines(x, known.min(), known.max(), color=style.colour, linewidth=3, alpha=0.45)
    panel.plot(
        at,
        over_all,
        marker=style.marker,
        linestyle=style.line,
        color=style.colour,
        markersize=6,
        label=f"T = {T}: {_number(T, 'unit')} before",
    )


def _goal_line(panel: Any, xi: float, end: float) -> None:
    panel.axhline(xi, color=ink(), linewidth=1, linestyle=(0, (6, 3)))
    write(panel, f"xi = {xi:.3g}", (end, xi), (-4, 3), ha="right", va="bottom")


def plot_ifpr_audit(audit: IFPRAudit, ax: Any = None) -> Any:
    """Audited chance of a correct match against theory, one row for each T and S: a point with two
    standard errors, an upright line for theory.

    The thin bar is two standard deviations of a single release to either side: what one run may
    look like.
    """
    tidy = audit.tidy()
    labels = [f"{row.T}, {row.S}" for row in tidy.itertuples()]
    panel = panel_for(ax, WIDTH, 0.3 * len(labels) + 0.2 + AROUND)
    ys = np.arange(len(labels))[::-1]
    _audited(panel, ys, tidy, audit.runs)
    # an upright line, higher than the points: neither hides the other
    panel.plot(
        tidy["theory"],
        ys,
        linestyle="none",
        marker="|",
        markersize=17,
        markeredgewidth=2,
        color=VERMILLION,
        label="theory",
        zorder=4,
    )
    panel.set_xlim(0, None)
    panel.set_ylim(-0.7, len(labels) - 0.3)
    words = Wording(
        title="Chance of a correct match: simulation and theory",
        subtitle=(
            f"{_audited_units(audit)}, {_number(audit.runs, 'release')} simulated. T units in the"
            " target's cell before, S records after; 'all S' includes an empty cell, which is no"
            " match"
        ),
        xlabel="chance of a correct match (higher is riskier)",
    )
    finish(panel, list(ys), labels, words, ticks_only=True)
    return panel


def _audited(panel: Any, ys: Integers, tidy: pd.DataFrame, runs: int) -> None:
    """Audited risks with twice their standard errors, and twice the spread of single releases."""
    risk = tidy["risk"]
    spread = 2 * tidy["sd_of_one_run"].fillna(0).to_numpy()
    error = 2 * tidy["se"].fillna(0)
    panel.hlines(
        ys,
        np.clip(risk - spread, 0, 1),
        np.clip(risk + spread, 0, 1),
        color=grey(panel, 0.4),
        linewidth=1.2,
        label="± 2 sd of a single release",
    )
    panel.hlines(ys, risk - error, risk + error, color=BLUE, linewidth=3.5)
    panel.plot(
        risk,
        ys,
        linestyle="none",
        marker="o",
        markersize=6,
        color=BLUE,
        label=f"audit, {_number(runs, 'run')}, ± 2 se",
    )


def plot_ifpr_design(release: IFPRRelease, ax: Any = None, *, round_to: int = ROUND_TO) -> Any:
    """Share of the perturbed units whose keys change, expected and in this release, one row per
    block; the largest blocks where there are many. Shares are computed from counts rounded to a
    multiple of `round_to`; 1 draws exact ones.
    """
    to = check_round_to(round_to)
    by_size = release.design.sort_values("units", ascending=False, kind="stable")
    design = by_size.head(MOST_BLOCKS)
    labels = [str(label) for label in design.index]
    panel = _panel_of_blocks(ax, row_names(labels))
    ys = np.arange(len(labels))[::-1]
    _shares_changed(panel, ys, design, to)
    panel.set_xlim(0, 100)
    panel.set_ylim(-0.7, max(len(labels), 1) - 0.3)
    rest = ""
    if len(by_size) > MOST_BLOCKS:
        rest = f"; the {MOST_BLOCKS} largest of {len(by_size)} blocks"
    words = Wording(
        title="Units that get other keys",
        subtitle=(
            f"{_units(release, to)} that may change, in % of each block{rest}. Keys:"
            f" {names(release.keys)}\n{mark(to)}"
        ),
        xlabel="% of the units of the block",
    )
    finish(panel, list(ys), labels, words, ticks_only=True)
    return panel


def _shares_changed(panel: Any, ys: Integers, design: pd.DataFrame, to: int) -> None:
    """Expected shares as bars, those of this release as points, and the size of each block. Of
    blocks of few people no share is drawn.
    """
    units = np.array([shown(n, n, to=to) for n in design["units"]], dtype=float)
    changed = [shown(x, n, to=to) for x, n in zip(design["changed"], design["units"])]
    share = np.divide(changed, units, out=np.full(len(units), np.nan), where=units >= 2 * to)
    panel.barh(
        ys,
        (100 * design["share_perturbed"]).where(~np.isnan(share)),
        height=0.62,
        color=SKY,
        edgecolor=ink(),
        linewidth=0.8,
        label="expected",
    )
    panel.plot(
        100 * share,
        ys,
        linestyle="none",
        marker="D",
        markersize=5,
        color=ink(),
        label="in this release",
    )
    for y, number in zip(ys, design["units"]):
        write_beside(panel, _number_of_units(number, to), y, 6)


def _panel_of_blocks(ax: Any, labels: Sequence[str]) -> Any:
    """Axes as wide as the labels and as high as the rows need; an empty design has room too."""
    most_lines = max((lines_of(label) for label in labels), default=1)
    row = max(0.24, 0.1 + LINE * most_lines)
    height = row * max(len(labels), 2) + 0.2 + AROUND
    return panel_for(ax, PANEL + ruler().widest(labels, TEXT) + 1.5, height)
