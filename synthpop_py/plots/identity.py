"""Identity risk over the syntheses: `plot_identity`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..rounding import ROUND_TO, check_round_to, counts, mark, people, percent, too_few
from .frame import BLUE, VERMILLION, axes_of, axis_end, dress, name_rows, say_instead
from .funnel import _checked

if TYPE_CHECKING:
    from ..results import Disclosure

__all__ = ["plot_identity"]

ROWS = {
    "UiO": "unique in the original",
    "repU": "unique in the original and in the synthetic data",
    "iS": "keys found in the synthetic data",
}


def plot_identity(result: Disclosure, ax: Any = None, *, round_to: int = ROUND_TO) -> Any:
    """Identity measures over the syntheses: a point for each, the first on top, and the mean as an
    upright line. The figures are the correct ones. The axis ends where the figures end.

    Parameters
    ----------
    result : what `disclosure` returned.
    ax : matplotlib axes to draw into; by default those of a new figure.
    round_to : counts of people are rounded to a multiple of this; 1 draws exact ones.

    Returns
    -------
    matplotlib axes
    """
    correct = _checked(result)
    to = check_round_to(round_to)
    why = too_few(correct.Norig, to)
    if why:
        return say_instead(ax, why)
    table = counts(correct, to)
    everybody = int(table["N"].iloc[0])
    panel = axes_of(ax, 7.4, 3.8)
    largest = 0.0
    beside = []
    for y, name in zip(range(len(ROWS) - 1, -1, -1), ROWS):
        shares = 100 * table[name] / max(everybody, 1)
        largest = max(largest, float(shares.max()))
        several = correct.m > 1 and shares.nunique() > 1
        spread = [0.28 * (1 - 2 * j / (correct.m - 1)) if several else 0 for j in range(correct.m)]
        look = {"marker": "o", "markersize": 6, "markeredgecolor": BLUE, "markeredgewidth": 1.6}
        label = None if y else "each synthesis" if correct.m > 1 else "the synthesis"
        drawn = shares if several else shares.head(1)
        panel.plot(drawn, [y + up for up in spread][: len(drawn)], linestyle="none", label=label,
                   markerfacecolor="none", clip_on=False, **look)  # fmt: skip
        if several:
            panel.plot([shares.mean()] * 2, [y - 0.36, y + 0.36], color=VERMILLION, linewidth=2.2,
                       label="mean" if name == "repU" else None)  # fmt: skip
        mean = float(table[name].mean())
        before = "mean " if several else ""
        beside.append(f"{before}{people(mean, everybody, to)}\n({percent(mean, everybody, to)})")
    name_rows(panel, [f"{name}\n{meaning}" for name, meaning in ROWS.items()], beside)
    end = axis_end(largest or 0.5)
    panel.set_xlim(0, end)
    syntheses = "One synthesis" if correct.m == 1 else f"{correct.m} syntheses"
    keys = ", ".join(map(str, correct.keys))
    dress(
        panel,
        "Identity risk from the keys",
        f"{people(everybody, to=to)} people; {syntheses}; higher is riskier. Keys: {keys}.\n"
        f"{mark(to)}",
        "% of all people" + ("" if end >= 100 else f"; axis ends at {end:g} %"),
    )
    return panel
