"""Pictures of attacks: `plot_path` (who is found in released sets), `plot_membership`."""

from __future__ import annotations

from typing import Any

from ..matching import IdentificationRisk
from ..membership import Membership
from ..rounding import ROUND_TO, check_round_to, mark, shown, too_few
from . import frame

# told apart without colour too, and by size where points lie on one another
LINES: dict[str, dict[str, Any]] = {
    "perceived": {"marker": "^", "markersize": 9, "linestyle": ":", "markerfacecolor": "none"},
    "expected": {"marker": "o", "markersize": 7, "linestyle": "-", "color": frame.VERMILLION},
    "true": {"marker": "s", "markersize": 4.5, "linestyle": "--", "color": frame.BLUE},
}
FLATTENED = 2  # times the other lines, which then could not be read


def plot_path(
    risk: IdentificationRisk, ax: Any = None, steps: Any = None, *, round_to: int = ROUND_TO
) -> Any:
    """Risk against the number of released sets, in % of the original records; `steps` as for
    `IdentificationRisk.path`. Perceived matches get a separate axis at the right if they would
    flatten the other lines.
    """
    to = check_round_to(round_to)
    if too_few(risk.n, to):
        return frame.say_instead(ax, too_few(risk.n, to))
    path = risk.path(steps)[list(LINES)]
    if to > 1:
        path = path.apply(lambda counts: [shown(count, risk.n, to=to) for count in counts])
    percent = 100 * path / shown(risk.n, risk.n, to=to)
    highest = percent.max()
    others = highest[["expected", "true"]].max()
    # a single set has no lines to flatten, and on two axes its points would cover each other
    is_flat = len(percent) > 1 and highest["perceived"] > FLATTENED * others > 0
    times = highest["perceived"] / others if is_flat else 1.0
    percent["perceived"] /= times
    panel = frame.axes_of(ax, 6.4, 4.8)
    meaning = {"expected": "correct guesses", "true": "correct and unique"}
    at_right = " (right axis)" if is_flat else ""
    meaning["perceived"] = f"highest probability above {risk.threshold:g}{at_right}"
    for name, look in LINES.items():
        faint = {"color": frame.GREY} if name == "perceived" else {}
        label = f"{name}: {meaning[name]}"
        panel.plot(path.index, percent[name], label=label, clip_on=False, **look, **faint)
    if is_flat:
        right = panel.secondary_yaxis("right", functions=(lambda y: y * times, lambda y: y / times))
        right.tick_params(labelsize=frame.SMALL, length=0)
        right.set_ylabel("%: perceived", fontsize=frame.SMALL)
        right.spines["right"].set_visible(False)
    # where there is no risk, the axis ends at a tenth of a per cent
    panel.set_ylim(bottom=0, top=max(panel.get_ylim()[1], 0.1))
    whole_numbers = frame.matplotlib().ticker.MaxNLocator(integer=True, min_n_ticks=1)
    panel.xaxis.set_major_locator(whole_numbers)
    facts = [f"{risk.attack} attack", frame.listed("keys unchanged", risk.known or ["none"])]
    facts.append(frame.listed("synthesised", risk.synthesised or ["none"]))
    which = ": expected, true" if is_flat else ""
    ylabel = f"% of {frame.whole(risk.n, to)} original records{which}"
    xlabel = "released nests of sets" if risk.r else "released synthetic sets"
    title = "Identification risk as more sets are released"
    frame.dress(panel, title, frame.about(risk.n, to, *facts), xlabel, ylabel)
    return panel


def plot_membership(result: Membership, ax: Any = None) -> Any:
    """True against false positive rates, a line for each attack, both axes in powers of ten: what
    counts is whether anybody can be accused with hardly a mistake.
    """
    least = 1 / (10 * max(result.members, result.non_members))
    lowest = max(10 ** -len(str(result.non_members)), 1e-4)
    panel = frame.axes_of(ax, 5.6, 6.0)
    for (line, _, colour), (attack, row) in zip(frame.SERIES, result.table.iterrows()):
        curve = result.roc(attack).clip(lower=least)
        look = {"linestyle": line, "color": colour, "linewidth": 1.8, "drawstyle": "steps-post"}
        panel.plot(curve["fpr"], curve["tpr"], label=f"{attack}: AUC {row['auc']:.2f}", **look)
    guessed = {"color": frame.GREY, "linewidth": 1, "linestyle": frame.DASHES}
    panel.plot([lowest, 1], [lowest, 1], label="guessing", **guessed)
    panel.set(xscale="log", yscale="log", xlim=(lowest, 1), ylim=(lowest, 1.2))
    variables = frame.listed("variables", result.variables)
    subtitle = f"Above the dashed line an attack finds members; {variables}\n{mark(1)}"
    xlabel = "share of non-members accused (log scale)"
    ylabel = "share of members found (log scale); riskier\u00a0→"
    frame.dress(panel, "Who was in the data?", subtitle, xlabel, ylabel)
    return panel
