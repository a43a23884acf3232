"""How well attacks tell members from non-members: `plot_membership`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..rounding import mark
from .frame import BLUE, DASHES, SKY, VERMILLION, axes_of, dress, ink

if TYPE_CHECKING:
    from ..membership import Membership

__all__ = ["plot_membership"]

LOOKS = (("-", BLUE), ("--", VERMILLION), ("-.", SKY), (":", "#009E73"), ((0, (1, 1)), "#CC79A7"))


def plot_membership(result: Membership, ax: Any = None) -> Any:
    """True against false positive rates, a line for each attack, both axes in powers of ten: what
    counts is whether anybody can be accused with hardly a mistake.

    Parameters
    ----------
    result : what `membership` returned.
    ax : matplotlib axes to draw into; by default those of a new figure.

    Returns
    -------
    matplotlib axes
    """
    least = 1 / (10 * max(result.members, result.non_members))
    lowest = max(10 ** -len(str(result.non_members)), 1e-4)
    panel = axes_of(ax, 5.6, 6.0)
    for (line, colour), (attack, row) in zip(LOOKS, result.table.iterrows()):
        curve = result.roc(attack).clip(lower=least)
        panel.plot(
            curve["fpr"], curve["tpr"], linestyle=line, color=colour, linewidth=1.8,
            drawstyle="steps-post", label=f"{attack}: AUC {row['auc']:.2f}",
        )  # fmt: skip
    guessed = [lowest, 1]
    panel.plot(guessed, guessed, color=ink(), linewidth=1, linestyle=DASHES, label="guessing")
    panel.set(xscale="log", yscale="log", xlim=(lowest, 1), ylim=(lowest, 1.2))
    dress(
        panel,
        "Who was in the data?",
        "Above the dashed line an attack finds members; further up is riskier. Variables: "
        + ", ".join(map(str, result.variables))
        + f"\n{mark(1)}",
        "share of non-members accused (log scale)",
        "share of members found (log scale)",
        grid="both",
    )
    return panel
