"""How the number of people falls from all to those whose target is revealed: `plot_funnel`."""

from __future__ import annotations

from operator import index
from typing import TYPE_CHECKING, Any

from ..errors import InputError
from ..rounding import ROUND_TO, check_round_to, counts, mark, people, percent, too_few
from ..show.people_pages import nearly_sure, non_members
from .frame import SKY, VERMILLION, axes_of, dress, ink, name_rows, say_instead

if TYPE_CHECKING:
    from ..results import Disclosure

__all__ = ["plot_funnel"]

STEPS = {
    "iS": "keys found in the synthetic data",
    "DiS": "… with only one target value there",
    "DiSCO": "… which is the true one",
}


def plot_funnel(
    result: Disclosure, synthesis: int = 1, ax: Any = None, *, round_to: int = ROUND_TO
) -> Any:
    """How the number of people falls from all to those whose target is revealed: iS, DiS, DiSCO.
    The figures are the correct ones. With a holdout, a line marks the share of non-members.

    Parameters
    ----------
    result : what `disclosure` returned.
    synthesis : which of the m syntheses, from 1.
    ax : matplotlib axes to draw into; by default those of a new figure.
    round_to : counts of people are rounded to a multiple of this; 1 draws exact ones.

    Returns
    -------
    matplotlib axes
    """
    correct = _checked(result)
    number = _which(correct, synthesis)
    to = check_round_to(round_to)
    why = too_few(correct.Norig, to)
    if why:
        return say_instead(ax, why)
    row = counts(correct, to).loc[number]
    everybody = int(row["N"])
    numbers = [everybody, *(int(row[name]) for name in STEPS)]
    panel = axes_of(ax, 7.4, 4.6)
    ys = range(len(numbers) - 1, -1, -1)
    bars = [100 * n / everybody if everybody else 0 for n in numbers]
    panel.barh(list(ys), bars, height=0.62, color=SKY, edgecolor=ink(), linewidth=0.8)
    outside = non_members(result, to)
    for y, name in zip(ys, ["", *STEPS]):
        if name in outside:
            share = 100 * outside[name] / outside["N"]
            label = "non-members (holdout), mean over syntheses" if y == len(STEPS) - 1 else None
            panel.plot([share] * 2, [y - 0.4, y + 0.4], color=VERMILLION, linewidth=2.4,
                       label=label)  # fmt: skip
    beside = [f"{people(everybody, to=to)}"]
    for n in numbers[1:]:
        beside.append(f"{people(n, everybody, to)}\n({percent(n, everybody, to)})")
    steps = STEPS if correct.certainty == 1 else STEPS | {"DiS": "… nearly sure of one value there"}
    labels = ["all people", *(f"{name}\n{meaning}" for name, meaning in steps.items())]
    name_rows(panel, labels, beside)
    panel.set_xlim(0, 100)
    which = f"Synthesis {number} of {correct.m}. " if correct.m > 1 else ""
    keys = ", ".join(map(str, correct.keys))
    dress(
        panel,
        f"From all people to those whose {correct.target} is revealed",
        f"{which}Keys: {keys}. Higher is riskier.{nearly_sure(result.certainty)}\n{mark(to)}",
        "% of all people",
    )
    return panel


def _checked(result: Any) -> Disclosure:
    """The correct figures of a result."""
    if not hasattr(result, "shares"):
        raise InputError(
            f"result: {type(result).__name__} cannot be drawn here; give what disclosure() returned"
        )
    correct: Disclosure = result.corrected or result
    return correct


def _which(result: Disclosure, synthesis: Any) -> int:
    try:
        number = index(synthesis)
    except TypeError:
        number = 0
    if 1 <= number <= result.m and not isinstance(synthesis, bool):
        return number
    choices = f"choices: 1 to {result.m}" if result.m > 1 else "there is only synthesis 1"
    raise InputError(f"synthesis: {synthesis!r}; {choices}")
