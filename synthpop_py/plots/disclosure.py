"""Pictures of `disclosure` and `multi_disclosure`: `plot_funnel`, `plot_identity`, `plot_targets`.
They show the correct figures, not R's.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..arguments import check_number
from ..errors import InputError
from ..multi import MultiDisclosure
from ..results import Disclosure
from ..rounding import ROUND_TO, check_round_to, counts, people, percent, too_few
from ..show.people_pages import common_knowledge, nearly_sure, non_members, rows_of
from . import frame

STEPS = {
    "iS": "keys found in the synthetic data",
    "DiS": "… with only one target value there",
    "DiSCO": "… which is the true one",
}
IDENTITY = {
    "UiO": "unique in the original",
    "repU": "unique in the original and in the synthetic data",
    "iS": "keys found in the synthetic data",
}
CLOSE = 0.03  # of the axis: points this near to each other have no arrow between them
SPREAD = 0.28  # of a row, which points of several syntheses take to either side


def plot_funnel(
    result: Disclosure, synthesis: int = 1, ax: Any = None, *, round_to: int = ROUND_TO
) -> Any:
    """How the number of people falls from all to those whose target is revealed, in one synthesis,
    counted from 1: iS, DiS, DiSCO. With a holdout, a line marks the share of non-members.
    """
    correct, to = result.corrected or result, check_round_to(round_to)
    if synthesis not in range(1, correct.m + 1) or isinstance(synthesis, bool):
        raise InputError(f"synthesis: {synthesis!r}; choices: 1 to {correct.m}")
    if too_few(correct.Norig, to):
        return frame.say_instead(ax, too_few(correct.Norig, to))
    row = counts(correct, to).loc[synthesis]
    labels, beside = ["all people"], [people(row["N"], to=to)]
    for name, meaning in STEPS.items():
        if name == "DiS" and correct.certainty < 1:
            meaning = "… nearly sure of one value there"
        labels.append(f"{name}\n{meaning}")
        beside.append(_of_all(row[name], row["N"], to))
    panel = frame.row_axes(ax, labels, beside)
    shares = 100 * row[["N", *STEPS]] / row["N"]
    panel.barh(range(len(shares)), shares, height=0.62, color=frame.SKY)
    outside = non_members(result, to)
    label: str | None = "non-members (holdout), mean over syntheses"
    upright = {"color": frame.VERMILLION, "linewidth": 2.4}
    for y, name in enumerate(STEPS if outside else (), start=1):
        share = 100 * outside[name] / outside["N"]
        panel.plot([share, share], [y - 0.4, y + 0.4], label=label, **upright)
        label = None
    which = f"synthesis {synthesis} of {correct.m}" if correct.m > 1 else ""
    facts = frame.listed("keys", correct.keys), which, nearly_sure(correct.certainty)
    title = f"From all people to those whose {correct.target} is revealed"
    xlabel = frame.percent_axis(panel, 100)
    frame.dress(panel, title, frame.about(correct.Norig, to, *facts), xlabel)
    return panel


def plot_identity(result: Disclosure, ax: Any = None, *, round_to: int = ROUND_TO) -> Any:
    """Identity measures over the syntheses: a point for each, and the mean as an upright line. The
    axis ends where the figures end.
    """
    correct, to = result.corrected or result, check_round_to(round_to)
    if too_few(correct.Norig, to):
        return frame.say_instead(ax, too_few(correct.Norig, to))
    table = counts(correct, to)
    means = table.mean()
    everybody = means["N"]
    shares = 100 * table[list(IDENTITY)] / everybody
    differs = shares.nunique() > 1
    told = [_of_all(means[name], everybody, to) for name in IDENTITY]
    beside = [f"mean {text}" if several else text for text, several in zip(told, differs)]
    labels = [f"{name}\n{meaning}" for name, meaning in IDENTITY.items()]
    panel = frame.row_axes(ax, labels, beside)
    mean: dict[str, Any] = {"color": frame.VERMILLION, "linewidth": 2.4, "label": "mean"}
    ring = {"color": frame.BLUE, "markerfacecolor": "none", "markeredgewidth": 1.6}
    ring["label"] = "each synthesis" if correct.m > 1 else "the synthesis"
    for y, name in enumerate(IDENTITY):
        drawn, ups = shares[name].head(1), np.zeros(1)  # equal points are one
        if differs[name]:
            drawn, ups = shares[name], np.linspace(-SPREAD, SPREAD, correct.m)
            middle = drawn.mean()
            panel.plot([middle, middle], [y - 0.36, y + 0.36], **mean)
            mean["label"] = None
        panel.plot(drawn, y + ups, "o", clip_on=False, **ring)
        ring["label"] = None
    xlabel = frame.percent_axis(panel, shares.max().max())
    sets = "one synthesis" if correct.m == 1 else f"{correct.m} syntheses"
    subtitle = frame.about(correct.Norig, to, frame.listed("keys", correct.keys), sets)
    frame.dress(panel, "Identity risk from the keys", subtitle, xlabel)
    return panel


def plot_targets(
    multi: MultiDisclosure, ax: Any = None, *, ceiling: Any = None, round_to: int = ROUND_TO
) -> Any:
    """Attribute risk of every target, means over the syntheses: an arrow from what the original
    itself reveals (Dorig) to what the synthetic data reveal correctly (DiSCO), highest on top. A
    line at `ceiling`, the highest risk you accept, in %. The axis ends where the figures end.
    """
    limit = 0.0 if ceiling is None else check_number("ceiling", ceiling, 0, 100)
    to = check_round_to(round_to)
    if too_few(multi.Norig, to):
        return frame.say_instead(ax, too_few(multi.Norig, to))
    results = list(multi.output_list.values())
    rows = rows_of(results, to)
    labels, beside, common = [], [], ""
    for name, row in rows.iterrows():
        star = " *" if common_knowledge(multi.output_list[name], to) else ""
        common = "*: part of it may be common knowledge" if star else common
        labels.append(f"{name}{star}")
        before, after = (percent(row[one], row["N"], to) for one in ("Dorig", "DiSCO"))
        beside.append(f"{before} → {after}")
    panel = frame.row_axes(ax, labels, beside)
    everybody = rows["N"].iloc[0]
    shares = 100 * rows[["Dorig", "DiSCO"]] / everybody
    largest = max(shares.max().max(), 1.05 * limit)
    xlabel = frame.percent_axis(panel, largest)
    arrow = {"arrowstyle": "-|>", "color": "grey", "shrinkA": 5, "shrinkB": 5}
    nearest = CLOSE * panel.get_xlim()[1]
    for y, (original, synthetic) in enumerate(shares.to_numpy()):
        if abs(original - synthetic) > nearest:
            panel.annotate("", (synthetic, y), (original, y), arrowprops=arrow)
    ring = {"color": frame.BLUE, "markerfacecolor": "none", "markeredgewidth": 1.6}
    ring["label"] = "Dorig: the original itself reveals it"
    square = {"color": frame.VERMILLION, "label": "DiSCO: the synthetic data reveal it, correctly"}
    ys = range(len(rows))
    panel.plot(shares["Dorig"], ys, "o", markersize=8, clip_on=False, **ring)
    panel.plot(shares["DiSCO"], ys, "s", markersize=8, clip_on=False, **square)
    if ceiling is not None:
        panel.axvline(limit, label=f"ceiling {limit:g} %", **frame.CEILING)
    over = f"means over {multi.m} syntheses" if multi.m > 1 else ""
    sure = nearly_sure(results[0].certainty)
    facts = frame.listed("keys", multi.keys), over, common, sure
    subtitle = frame.about(multi.Norig, to, *facts)
    frame.dress(panel, "Attribute risk of each target", subtitle, xlabel)
    return panel


def _of_all(n: float, everybody: float, to: int) -> str:
    return f"{people(n, everybody, to)}\n({percent(n, everybody, to)})"
