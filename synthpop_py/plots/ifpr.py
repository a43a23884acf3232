"""Figures of IFPR. Sizes of cells differ by marker and line style as well as by colour."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..arguments import check_number, listed
from ..core.arrays import Floats
from ..ifpr.theta import limit_theta
from ..rounding import ROUND_TO, check_round_to, mark, people, shown
from .frame import BLUE, SKY, VERMILLION, axes_of, dress, ink, name_rows, rows_height

if TYPE_CHECKING:
    from ..ifpr import IFPRAudit, IFPRRelease

__all__ = ["plot_ifpr_audit", "plot_ifpr_design", "plot_ifpr_risk", "plot_ifpr_theta"]

# marker, line and colour of each size of cells
STYLES = (
    ("o", "-", BLUE),
    ("s", "--", VERMILLION),
    ("^", ":", "#009E73"),
    ("D", "-.", "#CC79A7"),
    ("v", (0, (1, 1)), SKY),
)
SIZE = (6.6, 5.2)  # inches
MOST_BLOCKS = 30
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
    goals = [check_number("marked", goal, 1 / 3, 1, open_high=True) for goal in listed(marked)]
    panel = axes_of(ax, *SIZE)
    for T, (_, line, colour) in zip((1, 2, 3), STYLES):
        xi = _down_to(1 / T, 0.02)
        theta = [limit_theta(x, T) for x in xi]
        label = f"cells of {_number(T, 'unit')}, theta_{T}"
        panel.plot(xi, theta, linestyle=line, color=colour, linewidth=1.8, label=label)
    above = _down_to(1, 1 / 3)
    wide = {"color": ink(), "linewidth": 5, "alpha": 0.25, "solid_capstyle": "butt"}
    panel.plot(above, list(map(_enough_for_all, above)), label="one theta for all cells", **wide)
    if goals:
        ring = {"marker": "o", "markersize": 8, "markerfacecolor": "none", "linestyle": "none"}
        enough = list(map(_enough_for_all, goals))
        panel.plot(goals, enough, markeredgecolor=ink(), label="goals marked", **ring)
    panel.axvline(1 / 3, color=ink(), linewidth=0.8)
    panel.annotate(
        "xi = 1/3: below, each size\nneeds its own theta", (1 / 3, 1), (6, -4), va="top",
        fontsize=9, xycoords=("data", "axes fraction"), textcoords="offset points",
    )  # fmt: skip
    panel.set_xlim(0, 1)
    panel.set_ylim(0, None)
    dress(
        panel,
        "How much to randomise for a goal",
        "A cell: all units with the same keys. The chance of a correct match is at most xi; limit"
        " of large blocks",
        "xi, highest accepted chance of a correct match (lower is safer)",
        "theta, units expected to leave a cell",
        grid="both",
    )
    return panel


def _number(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _down_to(end: float, start: float) -> Floats:
    """Goals from `end`, where theta becomes 0, down to `start`; close together at the end, where
    theta falls steeply.
    """
    steps = np.linspace(0, 1, 241) ** 2
    return np.maximum(end - (end - start) * steps, start)


def _enough_for_all(xi: float) -> float:
    return max(limit_theta(xi, 1), limit_theta(xi, 2))


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
    panel = axes_of(ax, *SIZE)
    a = np.arange(1, max_a + 1)
    occurring = [T for T in release.theta if _occurs(T, table)]
    drawn = occurring[: len(STYLES)]
    for number, (T, (marker, line, colour)) in enumerate(zip(drawn, STYLES)):
        at = a + APART * (number - (len(drawn) - 1) / 2)
        *by_block, over_all = table[[f"T={T} IR({count})" for count in a]].to_numpy()
        for x, of_count in zip(at, np.transpose(by_block)):
            known = of_count[~np.isnan(of_count)]
            if len(known) > 1:
                panel.vlines(x, known.min(), known.max(), color=colour, linewidth=3, alpha=0.45)
        panel.plot(
            at, over_all, marker=marker, linestyle=line, color=colour, markersize=6,
            label=f"T = {T}: {_number(T, 'unit')} before",
        )  # fmt: skip
    panel.plot(
        a, 1 / a, color=ink(), alpha=0.45, linewidth=1, marker="_", markersize=9,
        label="1 / a: for an intruder who knows that the target is among the a records",
    )  # fmt: skip
    panel.axhline(release.xi, color=ink(), linewidth=1, linestyle=(0, (6, 3)))
    panel.annotate(f"xi = {release.xi:.3g}", (max_a + 0.5, release.xi), (-4, 3), ha="right",
                   fontsize=9, textcoords="offset points")  # fmt: skip
    panel.set_xlim(0.5, max_a + 0.5)
    panel.set_ylim(0, 1)
    panel.set_xticks(a)
    more = f" (first {len(STYLES)} sizes)" if len(occurring) > len(STYLES) else ""
    units = _units(int(release.design["units"].sum()), ROUND_TO)
    dress(
        panel,
        "Chance of a correct match by records found",
        f"{units} in {_number(len(table) - 1, 'block')}{more}; theory. T: units that had the"
        f" target's keys before the exchange; xi: the goal. Keys: {_names(release.keys)}",
        "a, released records with the target's keys",
        "chance of a correct match",
        grid="both",
    )
    return panel


def _occurs(T: int, table: Any) -> bool:
    """Whether cells of this size have a risk."""
    overall = f"T={T} overall"
    return overall in table and bool(table[overall].notna().any())


def _units(units: int, to: int) -> str:
    return f"{units:,} units" if to == 1 else f"{people(shown(units, to=to), to=to)} units"


def _names(names: Any) -> str:
    return ", ".join(map(str, names))


def plot_ifpr_audit(audit: IFPRAudit, ax: Any = None) -> Any:
    """Audited chance of a correct match against theory, one row for each T and S: a point with two
    standard errors, an upright line for theory.

    The thin bar is two standard deviations of a single release to either side: what one run may
    look like.
    """
    tidy = audit.tidy()
    labels = [f"{row.T}, {row.S}" for row in tidy.itertuples()]
    panel = axes_of(ax, SIZE[0], 2.4 + 0.3 * len(labels))
    ys = np.arange(len(labels))[::-1]
    risk, error = tidy["risk"], 2 * tidy["se"].fillna(0)
    spread = 2 * tidy["sd_of_one_run"].fillna(0)
    low, high = np.clip(risk - spread, 0, 1), np.clip(risk + spread, 0, 1)
    one = "± 2 sd of a single release"
    panel.hlines(ys, low, high, color=ink(), alpha=0.4, linewidth=1.2, label=one)
    panel.hlines(ys, risk - error, risk + error, color=BLUE, linewidth=3.5)
    audited = f"audit, {_number(audit.runs, 'run')}, ± 2 se"
    panel.plot(risk, ys, "o", markersize=6, color=BLUE, label=audited)
    # an upright line, higher than the points: neither hides the other
    upright = {"marker": "|", "markersize": 17, "markeredgewidth": 2, "linestyle": "none"}
    panel.plot(tidy["theory"], ys, color=VERMILLION, label="theory", zorder=4, **upright)
    panel.set_xlim(0, None)
    name_rows(panel, labels, [""] * len(labels))
    units = _units(round(float(audit.units[0].sum())), ROUND_TO)
    dress(
        panel,
        "Chance of a correct match: simulation and theory",
        f"{units}, {_number(audit.runs, 'release')} simulated. T units in the target's cell before,"
        " S records after; 'all S' includes an empty cell, which is no match",
        "chance of a correct match (higher is riskier)",
    )
    return panel


def plot_ifpr_design(release: IFPRRelease, ax: Any = None, *, round_to: int = ROUND_TO) -> Any:
    """Share of the perturbed units whose keys change, expected and in this release, one row per
    block; the largest blocks where there are many. Shares are computed from counts rounded to a
    multiple of `round_to`, and blocks of few people are left out; 1 draws exact ones.
    """
    to = check_round_to(round_to)
    by_size = release.design.sort_values("units", ascending=False, kind="stable")
    units = np.array([shown(n, n, to=to) for n in by_size["units"]], dtype=float)
    large = units >= 2 * to if to > 1 else units > 0
    design, units = by_size[large].head(MOST_BLOCKS), units[large][:MOST_BLOCKS]
    changed = [shown(x, n, to=to) for x, n in zip(design["changed"], design["units"])]
    labels = list(map(str, design.index))
    panel = axes_of(ax, 7.4, 2.2 + (rows_height(labels) if labels else 0.5))
    ys = np.arange(len(labels))[::-1]
    expected = 100 * design["share_perturbed"]
    bars = {"height": 0.62, "color": SKY, "edgecolor": ink(), "linewidth": 0.8}
    panel.barh(ys, expected, label="expected", **bars)
    shares = 100 * np.array(changed) / units
    panel.plot(shares, ys, "D", markersize=5, color=ink(), label="in this release", clip_on=False)
    name_rows(panel, labels, [_units(number, to) for number in design["units"]])
    panel.set_xlim(0, 104)  # room for a marker at 100
    rest = ""
    if len(design) < len(by_size):
        rest = f"; the {len(design)} largest of {len(by_size)} blocks"
    everybody = _units(int(release.design["units"].sum()), to)
    dress(
        panel,
        "Units that get other keys",
        f"{everybody} that may change, in % of each block{rest}. Keys: {_names(release.keys)}\n"
        f"{mark(to)}",
        "% of the units of the block",
    )
    return panel
