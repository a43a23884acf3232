"""How the original records fall from all to those whose target can be learnt: `plot_funnel`."""

from __future__ import annotations

import math
from collections.abc import Sequence
from operator import index
from typing import Any, NamedTuple

from ..disclosure.result import Disclosure
from ..errors import InputError
from ..show import MIN_CELL
from .canvas import RECORDS, SKY, Wording, axes_for, finish, ink, names, wrapped, write_beside
from .correct_figures import check_result, refused, with_correct
from .small_figures import HIDDEN, are_few, hidden_note

__all__ = ["plot_funnel"]

TITLE_CHARACTERS = 66
MEANING = {
    "iS": "keys found in synthetic data",
    "DiS": "… one target value certain there",
    "DiSCO": "… and it is the true one",
    "DiSDiO": "… and certain in original too",
}


class Bar(NamedTuple):
    """Records of one step, and their share of all; the correct ones only where R's differ. Hidden
    ones are NaN.
    """

    numerator: float
    percent: float
    correct_numerator: float = math.nan
    correct: float = math.nan
    hidden: bool = False
    correct_hidden: bool = False

    @property
    def wrong(self) -> bool:
        return self.correct_hidden or not math.isnan(self.correct)

    @property
    def length(self) -> float:
        """A hidden bar is none at all: one without length would be nobody."""
        if self.hidden:
            return math.nan
        return 0.0 if math.isnan(self.percent) else self.percent

    def text(self) -> str:
        records = _records(self.numerator, self.percent, self.hidden)
        if not self.wrong:
            return records
        correct_records = _records(self.correct_numerator, self.correct, self.correct_hidden)
        return f"R {records}\ncorrect {correct_records}"


def _records(numerator: float, percent: float, hidden: bool) -> str:
    if hidden:
        return HIDDEN
    return "no figure" if math.isnan(percent) else f"{numerator:,.0f}  ({percent:.2f} %)"


def plot_funnel(
    result: Disclosure, synthesis: int = 1, ax: Any = None, *, min_cell: int = MIN_CELL
) -> Any:
    """How the original records fall from all to those whose target can be learnt: iS, DiS, DiSCO,
    DiSDiO.

    A bar each, count and per cent beside it. Where R's figure is wrong the correct one is outlined
    and written below R's.

    Parameters
    ----------
    result : what `disclosure` returned.
    synthesis : which of the m syntheses, from 1.
    ax : matplotlib axes to draw into; by default those of a new figure.
    min_cell : figures of fewer people, and what would give them away, are not drawn; 0 draws all.

    Returns
    -------
    matplotlib axes
    """
    check_result(result)
    synthesis = _which(result, synthesis)
    bars = _bars(result, synthesis, min_cell)
    some_hidden = any(bar.hidden or bar.correct_hidden for bar in bars)
    wrong = any(bar.wrong for bar in bars)
    labels = ["all original records"]
    for name, meaning in MEANING.items():
        labels.append(f"{name}\n{meaning}")
    title = f"From all records to those whose {result.target} can be learnt"
    words = Wording(
        title=wrapped(title, TITLE_CHARACTERS),
        subtitle=wrapped(_subtitle(result, synthesis) + hidden_note(some_hidden, min_cell)),
        xlabel=RECORDS,
    )
    panel = axes_for(
        ax,
        labels,
        inches=0.62 * len(labels),
        subtitle=words.subtitle,
        legend_lines=int(wrong),
        beside=1.7,
    )
    ys = list(range(len(labels) - 1, -1, -1))
    _draw_bars(panel, ys, bars, wrong)
    for y, bar in zip(ys, bars):
        write_beside(panel, bar.text(), y, 8)
    panel.set_xlim(0, 100)
    panel.set_ylim(-0.55, len(labels) - 0.45)
    finish(panel, ys, labels, words, ticks_only=True)
    return panel


def _which(result: Disclosure, synthesis: Any) -> int:
    try:
        number = index(synthesis)
    except TypeError:
        number = 0
    if 1 <= number <= result.m and not isinstance(synthesis, bool):
        return number
    choices = f"choices: 1 to {result.m}" if result.m > 1 else "there is only synthesis 1"
    raise InputError(f"synthesis: {synthesis!r}; {choices}")


def _bars(result: Disclosure, synthesis: int, min_cell: int) -> list[Bar]:
    """All original records, then those of each measure."""
    figures = with_correct(result, tuple(MEANING), min_cell)
    figures = figures[figures["synthesis"] == synthesis].set_index("measure")
    whole = Bar(numerator=result.Norig, percent=100.0, hidden=are_few(result.Norig, min_cell))
    bars = [whole]
    for measure in MEANING:
        row = figures.loc[measure]
        bars.append(
            Bar(
                numerator=row["numerator"],
                percent=row["value"],
                correct_numerator=row["correct_numerator"],
                correct=row["correct"],
                hidden=bool(row["hidden"]),
                correct_hidden=bool(row["correct_hidden"]),
            )
        )
    return bars


def _subtitle(result: Disclosure, synthesis: int) -> str:
    start = f"Synthesis {synthesis} of {result.m}; each" if result.m > 1 else "Each"
    return f"{start} bar is part of the one above it. Keys: {names(result.keys)}{refused(result)}"


def _draw_bars(ax: Any, ys: Sequence[int], bars: Sequence[Bar], wrong: bool) -> None:
    look = {"height": 0.6, "edgecolor": ink(), "linewidth": 0.8, "zorder": 2, "clip_on": False}
    ax.barh(ys[:1], [100.0], color="0.8", **look)
    lengths = [bar.length for bar in bars[1:]]
    ax.barh(ys[1:], lengths, color=SKY, label="as R gives it" if wrong else None, **look)
    if not wrong:
        return
    correct = {y: bar.correct for y, bar in zip(ys, bars) if math.isfinite(bar.correct)}
    ax.barh(
        list(correct),
        list(correct.values()),
        height=0.78,
        fill=False,
        edgecolor=ink(),
        linewidth=1.8,
        linestyle="--",
        hatch="//",
        label="correct, where R's is wrong",
        zorder=3,
    )
