"""Figures of IFPR (matplotlib, imported when a figure is asked for).

Every function returns the axes, draws into `ax` if one is given and otherwise into a figure of its
own. Sizes of cells are told apart by marker and line style as well as by colour.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..arguments import check_number, listed
from ..core.arrays import Floats
from ..ifpr.audit import IFPRAudit
from ..ifpr.release import IFPRRelease
from ..ifpr.theta import limit_theta
from .canvas import (
    BLUE,
    LINE,
    PANEL,
    SKY,
    TEXT,
    VERMILLION,
    finish,
    finish_plane,
    ink,
    names,
    panel_for,
    wrapped,
)

__all__ = ["plot_ifpr_audit", "plot_ifpr_design", "plot_ifpr_risk", "plot_ifpr_theta"]

GREEN, PURPLE = "#009E73", "#CC79A7"
STYLES = (
    ("o", "-", BLUE),
    ("s", "--", VERMILLION),
    ("^", ":", GREEN),
    ("D", "-.", PURPLE),
    ("v", (0, (1, 1)), SKY),
)
WIDTH = PANEL + 0.8  # inches
AROUND = 1.75  # inches for title, labels and legend
MOST_BLOCKS = 30
MOST_SIZES = len(STYLES)


# ---- theta against xi ----------------------------------------------------------------


def plot_ifpr_theta(marked: Any = None, ax: Any = None) -> Any:
    """How strongly cells must be randomised for a goal: theta against xi in the limit of large
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
    goals = np.array(
        [check_number("marked", value, 1 / 3, 1, open_high=True) for value in listed(marked)]
    )
    panel = panel_for(ax, WIDTH, 3.6 + AROUND)
    for T in (1, 2, 3):
        _, line, colour = STYLES[T - 1]
        xi = _down_to(1 / T, 0.02)
        panel.plot(
            xi,
            [limit_theta(x, T) for x in xi],
            linestyle=line,
            color=colour,
            linewidth=1.8,
            label=f"cells of {T} unit{'' if T == 1 else 's'}, theta_{T}",
        )
    above = _down_to(1, 1 / 3)
    panel.plot(
        above,
        [max(limit_theta(x, 1), limit_theta(x, 2)) for x in above],
        color=ink(),
        linewidth=5,
        alpha=0.25,
        solid_capstyle="butt",
        label="one theta for all cells",
    )
    if len(goals):
        ring = {
            "marker": "o",
            "markersize": 8,
            "markerfacecolor": "none",
            "markeredgecolor": ink(),
            "markeredgewidth": 1.5,
        }
        panel.plot(
            goals,
            [max(limit_theta(x, 1), limit_theta(x, 2)) for x in goals],
            linestyle="none",
            label="goals marked",
            **ring,
        )
    panel.axvline(1 / 3, color=ink(), linewidth=0.8)
    at_the_top = {
        "xy": (1 / 3, 1),
        "xycoords": ("data", "axes fraction"),
        "xytext": (6, -4),
        "textcoords": "offset points",
        "va": "top",
    }
    panel.annotate("xi = 1/3: below, sizes\nneed thetas of their own", fontsize=TEXT, **at_the_top)
    panel.set_xlim(0, 1)
    panel.set_ylim(0, None)
    subtitle = wrapped(
        "Units expected to leave a cell, so that a chance of a correct match is at most xi; limit"
        " of large blocks"
    )
    finish_plane(
        panel,
        "How much to randomise for a goal",
        subtitle,
        "xi, highest accepted chance of a correct match (lower is safer)",
        "theta, units expected to leave a cell",
        columns=2,
    )
    return panel


def _down_to(end: float, start: float) -> Floats:
    """Goals from `end`, where theta becomes 0, down to `start`; close together at the end, where
    theta falls steeply.
    """
    return np.maximum(end - (end - start) * np.linspace(0, 1, 241) ** 2, start)


# ---- risk by released count ----------------------------------------------------------


def plot_ifpr_risk(release: IFPRRelease, ax: Any = None, *, max_a: int = 6) -> Any:
    """Chance of a correct match by the number of records found, for each size of cells, with the
    goal.

    Of records found under the target's own keys. Theory over all blocks; the bar at a point goes
    from the safest block to the riskiest. Grey: 1 / a, what an intruder has who knows that the
    target is among them.

    Parameters
    ----------
    release : what `ifpr` returned. max_a : highest count shown. ax : matplotlib axes to draw into;
        by default those of a new figure.
    """
    table = release.risk_table(max_a=max_a)
    panel = panel_for(ax, WIDTH, 3.2 + AROUND)
    counts = np.arange(1, max_a + 1)
    occurring = [
        T
        for T in release.theta
        if f"T={T} overall" in table and table[f"T={T} overall"].notna().any()
    ]
    sizes = occurring[:MOST_SIZES]
    for place, T in enumerate(sizes):
        marker, line, colour = STYLES[place]
        rows = table[[f"T={T} IR({a})" for a in counts]].to_numpy()
        at = counts + 0.08 * (place - (len(sizes) - 1) / 2)
        spans = [(x, column[~np.isnan(column)]) for x, column in zip(at, rows[:-1].T)]
        for x, risks in spans:
            if len(risks) > 1:
                panel.vlines(x, risks.min(), risks.max(), color=colour, linewidth=3, alpha=0.45)
        panel.plot(
            at,
            rows[-1],
            marker=marker,
            linestyle=line,
            color=colour,
            markersize=6,
            label=f"T = {T} before",
        )
    panel.plot(
        counts, 1 / counts, color="0.55", linewidth=1, marker="_", markersize=9, label="1 / a"
    )
    _goal_line(panel, release.xi, max_a + 0.5)
    panel.set_xlim(0.5, max_a + 0.5)
    panel.set_ylim(0, 1)
    panel.set_xticks(counts)
    more = f" (first {MOST_SIZES} sizes)" if len(occurring) > MOST_SIZES else ""
    subtitle = wrapped(
        f"Theory over {len(table) - 1} block{'' if len(table) == 2 else 's'}{more}; T units shared"
        f" the target's keys before. Keys: {names(release.keys)}"
    )
    finish_plane(
        panel,
        "Chance of a correct match by records found",
        subtitle,
        "a, released records with the target's keys",
        "chance of a correct match",
        columns=2,
    )
    return panel


def _goal_line(panel: Any, xi: float, end: float) -> None:
    panel.axhline(xi, color=ink(), linewidth=1, linestyle=(0, (6, 3)))
    panel.annotate(
        f"xi = {xi:.3g}",
        xy=(end, xi),
        xytext=(-4, 3),
        textcoords="offset points",
        ha="right",
        va="bottom",
        fontsize=TEXT,
    )


# ---- audit against theory ------------------------------------------------------------


def plot_ifpr_audit(audit: IFPRAudit, ax: Any = None) -> Any:
    """Audited chance of a correct match against theory, one row for each T and S: a point with two
    standard errors, a cross for theory.

    The thin bar is two standard deviations of a single release to either side: what one run may
    look like.
    """
    tidy = audit.tidy()
    labels = [f"{row.T}, {row.S}" for row in tidy.itertuples()]
    panel = panel_for(ax, WIDTH, 0.3 * len(labels) + 0.2 + AROUND)
    ys = np.arange(len(labels))[::-1]
    spread = tidy["sd_of_one_run"].fillna(0).to_numpy()
    panel.hlines(
        ys,
        np.clip(tidy["risk"] - 2 * spread, 0, 1),
        np.clip(tidy["risk"] + 2 * spread, 0, 1),
        color="0.6",
        linewidth=1.2,
        label="± 2 sd of a single release",
    )
    panel.hlines(
        ys,
        tidy["risk"] - 2 * tidy["se"].fillna(0),
        tidy["risk"] + 2 * tidy["se"].fillna(0),
        color=BLUE,
        linewidth=3.5,
    )
    panel.plot(
        tidy["risk"],
        ys,
        linestyle="none",
        marker="o",
        markersize=6,
        color=BLUE,
        label=f"audit, {audit.runs} run{'' if audit.runs == 1 else 's'}, ± 2 se",
    )
    panel.plot(
        tidy["theory"],
        ys,
        linestyle="none",
        marker="x",
        markersize=8,
        markeredgewidth=1.8,
        color=VERMILLION,
        label="theory",
    )
    panel.set_xlim(0, None)
    panel.set_ylim(-0.7, len(labels) - 0.3)
    subtitle = wrapped(
        "T units in the target's cell before, S records after; 'all S' includes an empty cell,"
        " which is no match"
    )
    finish(
        panel,
        list(ys),
        labels,
        "Chance of a correct match: simulation and theory",
        subtitle,
        "chance of a correct match (higher is riskier)",
        ticks_only=True,
    )
    return panel


# ---- design --------------------------------------------------------------------------


def plot_ifpr_design(release: IFPRRelease, ax: Any = None) -> Any:
    """Share of the perturbed units whose keys change, expected and in this release, one row per
    block; the largest blocks where there are many.
    """
    design = release.design.sort_values("units", ascending=False, kind="stable").head(MOST_BLOCKS)
    labels = [wrapped(str(label), 48) for label in design.index]
    lines = max((label.count("\n") + 1 for label in labels), default=1)
    longest = max((len(line) for label in labels for line in label.split("\n")), default=10)
    panel = panel_for(
        ax,
        PANEL + 0.078 * longest + 0.9,
        max(0.24, 0.1 + LINE * lines) * max(len(labels), 2) + 0.2 + AROUND,
    )
    ys = np.arange(len(labels))[::-1]
    panel.barh(
        ys,
        100 * design["share_perturbed"],
        height=0.62,
        color=SKY,
        edgecolor=ink(),
        linewidth=0.8,
        label="expected",
    )
    panel.plot(
        100 * design["changed"] / design["units"],
        ys,
        linestyle="none",
        marker="D",
        markersize=5,
        color=ink(),
        label="in this release",
    )
    for y, row in zip(ys, design.itertuples()):
        panel.annotate(
            f"{row.units:,} units",
            xy=(1, y),
            xycoords=("axes fraction", "data"),
            xytext=(6, 0),
            textcoords="offset points",
            va="center",
            fontsize=TEXT,
        )
    panel.set_xlim(0, 100)
    panel.set_ylim(-0.7, max(len(labels), 1) - 0.3)
    rest = (
        f"; the {MOST_BLOCKS} largest of {len(release.design)} blocks"
        if len(release.design) > MOST_BLOCKS
        else ""
    )
    subtitle = wrapped(
        f"In % of the units of a block that may change{rest}. Keys: {names(release.keys)}"
    )
    finish(
        panel,
        list(ys),
        labels,
        "Units that get other keys",
        subtitle,
        "% of the units of the block",
        ticks_only=True,
    )
    return panel
