"""Pictures of IFPR."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..arguments import check_number, listed
from ..ifpr import IFPRAudit, IFPRRelease
from ..ifpr.theta import limit_theta
from ..rounding import ROUND_TO, check_round_to, mark, people, shown
from . import frame

SIZE = (6.6, 5.2)  # inches
MOST_BLOCKS = 30
APART = 0.08  # of a count, between sizes that are drawn side by side


def plot_ifpr_theta(marked: Any = None, ax: Any = None) -> Any:
    """How strongly cells must be randomised to meet a goal: theta against xi in the limit of large
    blocks, for cells of one, two and three units. Goals in `marked`, each at least 1/3, are marked.

    The common theta of the slides is the upper one of the first two curves, from xi = 1/3 on.
    """
    goals = [check_number("marked", goal, 1 / 3, 1, open_high=True) for goal in listed(marked)]
    panel = frame.axes_of(ax, *SIZE)
    # close together at the end of a curve, where theta falls steeply
    steps = np.linspace(0, 1, 241) ** 2
    for T, (line, _, colour) in enumerate(frame.SERIES[:3], start=1):
        xi = 1 / T - (1 / T - 0.02) * steps
        theta = [limit_theta(x, T) for x in xi]
        label = f"cells of {_number(T, 'unit')}, theta_{T}"
        panel.plot(xi, theta, linestyle=line, color=colour, linewidth=1.8, label=label)
    third = 1 / 3
    above = np.maximum(1 - 2 * third * steps, third)
    wide = {"color": frame.GREY, "linewidth": 5, "alpha": 0.5, "solid_capstyle": "butt"}
    panel.plot(above, _enough_for_all(above), label="one theta for all cells", **wide)
    if goals:
        ring = {"color": "#CC79A7", "markersize": 9, "markerfacecolor": "none"}
        panel.plot(goals, _enough_for_all(goals), "o", label="goals marked", **ring)
    panel.axvline(third, color=frame.GREY, linewidth=0.8)
    panel.set(xlim=(0, 1), ylim=(0, None))
    note, top = "xi = 1/3: below, each size\nneeds its own theta", panel.get_ylim()[1]
    panel.annotate(note, (third, top), (6, -4), va="top", **frame.NOTE)
    title = "How much to randomise for a goal"
    subtitle = "A cell: all units with the same keys. Limit of large blocks"
    xlabel = "xi, highest accepted chance of a correct match (lower is safer)"
    frame.dress(panel, title, subtitle, xlabel, "theta, units expected to leave a cell")
    return panel


def _enough_for_all(goals: Any) -> list[float]:
    return [max(limit_theta(xi, 1), limit_theta(xi, 2)) for xi in goals]


def _number(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _units(units: Any, to: int = ROUND_TO) -> str:
    return f"{people(shown(units, to=to), to=to)} units"


def plot_ifpr_risk(release: IFPRRelease, ax: Any = None, *, max_a: int = 6) -> Any:
    """Chance of a correct match by the number of records found, up to `max_a`, for each size of
    cells, with the goal.

    Records are those with the target's own keys. Theory over all blocks; the bar at a point goes
    from the safest block to the riskiest. Grey: 1 / a, for an intruder who knows that the target is
    among them.
    """
    table = release.risk_table(max_a=max_a)
    panel = frame.axes_of(ax, *SIZE)
    a = np.arange(1, max_a + 1)
    overall = table[[column for column in table if column.endswith(" overall")]]
    sizes = overall.dropna(axis="columns", how="all").columns.str.removesuffix(" overall")
    for number, (size, (line, marker, colour)) in enumerate(zip(sizes, frame.SERIES)):
        chances = table[[f"{size} IR({count})" for count in a]]
        by_block, at = chances.iloc[:-1], a + APART * number
        panel.vlines(at, by_block.min(), by_block.max(), color=colour, linewidth=3, alpha=0.45)
        T = int(size.removeprefix("T="))
        look = {"linestyle": line, "marker": marker, "color": colour, "markersize": 6}
        label = f"T = {T}: {_number(T, 'unit')} before"
        panel.plot(at, chances.iloc[-1], label=label, **look)
    known = "1 / a: for an intruder who knows that the target is among the a records"
    faint = {"color": frame.GREY, "linewidth": 1, "marker": "_", "markersize": 9}
    panel.plot(a, 1 / a, label=known, **faint)
    panel.axhline(release.xi, **frame.CEILING)
    end = max_a + 0.5
    panel.annotate(f"xi = {release.xi:.3g}", (end, release.xi), (-4, 3), ha="right", **frame.NOTE)
    panel.set(xlim=(0.5, end), ylim=(0, 1), xticks=a)
    units, blocks = release.design["units"].sum(), len(release.design)
    what = "theory. T: units that had the target's keys before; xi: the goal"
    keys = frame.listed("keys", release.keys)
    subtitle = f"{_units(units)} in {_number(blocks, 'block')}; {what}; {keys}"
    if len(sizes) > len(frame.SERIES):
        subtitle += f"; the first {len(frame.SERIES)} sizes of cells"
    title, xlabel = "Chance of a correct match", "a, released records with the target's keys"
    frame.dress(panel, title, subtitle, xlabel, "chance of a correct match")
    return panel


def plot_ifpr_audit(audit: IFPRAudit, ax: Any = None) -> Any:
    """Audited chance of a correct match against theory, one row for each T and S: a point with two
    standard errors, an upright line for theory.

    The thin bar is two standard deviations of a single release to either side: what one run may
    look like.
    """
    tidy = audit.tidy()
    labels = [f"{T}, {S}" for T, S in zip(tidy["T"], tidy["S"])]
    panel = frame.row_axes(ax, labels)
    ys, risk = range(len(labels)), tidy["risk"]
    error = 2 * tidy["se"].fillna(0)
    spread = 2 * tidy["sd_of_one_run"].fillna(0)
    low, high = (risk - spread).clip(0), (risk + spread).clip(upper=1)
    thin = {"color": frame.GREY, "linewidth": 1.2}
    panel.hlines(ys, low, high, label="± 2 sd of a single release", **thin)
    panel.hlines(ys, risk - error, risk + error, color=frame.BLUE, linewidth=3.5)
    audited = f"audit, {_number(audit.runs, 'run')}, ± 2 se"
    panel.plot(risk, ys, "o", markersize=6, color=frame.BLUE, label=audited)
    # an upright line, higher than the points: neither hides the other
    upright = {"marker": "|", "markersize": 17, "markeredgewidth": 2, "linestyle": "none"}
    panel.plot(tidy["theory"], ys, color=frame.VERMILLION, label="theory", zorder=4, **upright)
    panel.set_xlim(0, None)
    units = round(audit.units[0].sum())
    subtitle = f"{_units(units)}, {_number(audit.runs, 'release')} simulated. T units in the"
    subtitle += " target's cell before, S records after"
    xlabel = "chance of a correct match, higher is riskier"
    frame.dress(panel, "Correct matches: simulation and theory", subtitle, xlabel)
    return panel


def plot_ifpr_design(release: IFPRRelease, ax: Any = None, *, round_to: int = ROUND_TO) -> Any:
    """Share of the perturbed units whose keys change, expected and in this release, one row per
    block; the largest blocks where there are many. Blocks of few people are left out.
    """
    to = check_round_to(round_to)
    by_size = release.design.sort_values("units", ascending=False, kind="stable")
    fewest = 1 if to == 1 else 2 * to
    design = by_size[by_size["units"] >= fewest].head(MOST_BLOCKS)
    units, shares = [], []
    for n, changed in zip(design["units"], design["changed"]):
        units.append(_units(n, to))
        share = shown(changed, n, to=to) / shown(n, n, to=to)
        shares.append(100 * share)
    panel = frame.row_axes(ax, list(map(str, design.index)), units)
    ys, expected = range(len(design)), 100 * design["share_perturbed"]
    panel.barh(ys, expected, height=0.62, color=frame.SKY, label="expected")
    diamond = {"markersize": 6, "color": frame.VERMILLION, "clip_on": False}
    panel.plot(shares, ys, "D", label="in this release", **diamond)
    panel.set_xlim(0, 104)  # room for a marker at 100
    rest = f"; the {len(design)} largest of {len(by_size)} blocks"
    more = rest if len(design) < len(by_size) else ""
    everybody, keys = _units(by_size["units"].sum(), to), frame.listed("keys", release.keys)
    subtitle = f"{everybody} that may change{more}; {keys}\n{mark(to)}"
    frame.dress(panel, "Units that get other keys", subtitle, "% of the units of the block")
    return panel
