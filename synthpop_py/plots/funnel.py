"""How the original records fall from all to those whose target can be learnt: `plot_funnel`."""

from __future__ import annotations

import math
from collections.abc import Sequence
from operator import index
from typing import Any, NamedTuple

from ..disclosure.result import Disclosure
from ..errors import InputError
from ..show import MIN_CELL
from .canvas import (
    RECORDS,
    SKY,
    axes_for,
    finish,
    grey,
    ink,
    names,
    write_beside,
)
from .correct_figures import check_result, hidden_counts, refused, with_correct
from .fitting import Wording
from .left_out import base_words, remaining
from .small_figures import HIDDEN, are_few, hidden_note

__all__ = ["plot_funnel"]

MEANING = {
    "iS": "keys found in the synthetic data",
    "DiS": "… with only one target value there",
    "DiSCO": "… which is the true one",
    "DiSDiO": "… and the only one in the original",
}


class Bar(NamedTuple):
    """Records of one step, and their share of those the picture speaks of; the correct ones only
    where R's differ. Hidden ones are NaN.
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

    A bar each, count and per cent beside it. Where R's figure is wrong the correct one has a bar of
    its own below R's. Where exclusions leave people out, bars and percentages are of those who
    remain, and the picture says so; the measures themselves are always of all original records.

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
    hidden = hidden_counts(result, tuple(MEANING), min_cell)
    bars = _bars(result, synthesis, hidden, min_cell)
    some_hidden = any(bar.hidden or bar.correct_hidden for bar in bars)
    wrong = any(bar.wrong for bar in bars)
    labels = ["records not left out" if remaining(result) else "all original records"]
    for name, meaning in MEANING.items():
        labels.append(f"{name}\n{meaning}")
    title = f"From all records to those whose {result.target} can be learnt"
    subtitle = _subtitle(result, synthesis, hidden, min_cell) + hidden_note(some_hidden, min_cell)
    words = Wording(
        title=title,
        subtitle=subtitle,
        xlabel="% of the records not left out" if remaining(result) else RECORDS,
    )
    panel = axes_for(
        ax,
        labels,
        inches=0.62 * len(labels),
        subtitle=words.subtitle,
        legend_lines=int(wrong),
        beside=1.9 if wrong else 1.4,
    )
    ys = list(range(len(labels) - 1, -1, -1))
    _draw_bars(panel, ys, bars, wrong)
    for y, bar in zip(ys, bars):
        write_beside(panel, bar.text(), y, 8)
    panel.set_xlim(0, 100)
    panel.set_ylim(-0.55, len(labels) - 0.45)
    brief = [label.split("\n")[0] for label in labels]
    finish(panel, ys, labels, words, brief=brief, ticks_only=True)
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


def _bars(result: Disclosure, synthesis: int, hidden: frozenset[str], min_cell: int) -> list[Bar]:
    """All whom the picture speaks of, then those of each measure."""
    figures = with_correct(result, tuple(MEANING), hidden)
    figures = figures[figures["synthesis"] == synthesis].set_index("measure")
    base = _base(result)
    correct_base = base if result.corrected is None else _base(result.corrected)
    left = remaining(result)
    is_hidden = are_few(base, min_cell) or (left is not None and left.name in hidden)
    bars = [Bar(numerator=base, percent=100.0, hidden=bool(is_hidden))]
    for measure in MEANING:
        row = figures.loc[measure]
        bars.append(
            Bar(
                numerator=row["numerator"],
                percent=_share(row["value"], row["numerator"], base, result),
                correct_numerator=row["correct_numerator"],
                correct=_share(row["correct"], row["correct_numerator"], correct_base, result),
                hidden=bool(row["hidden"]),
                correct_hidden=bool(row["correct_hidden"]),
            )
        )
    return bars


def _base(result: Disclosure) -> float:
    left = remaining(result)
    return float(result.Norig) if left is None else left.n


def _share(percent: float, numerator: float, base: float, result: Disclosure) -> float:
    """The measure itself where it is a share of all whom the picture speaks of."""
    if base == result.Norig or math.isnan(percent):
        return float(percent)
    return 100 * numerator / base if base else math.nan


def _subtitle(result: Disclosure, synthesis: int, hidden: frozenset[str], min_cell: int) -> str:
    start = f"Synthesis {synthesis} of {result.m}; each" if result.m > 1 else "Each"
    base = base_words(result, hidden, min_cell).capitalize()
    if remaining(result):
        base += ", percentages are of the others"
    return (
        f"{base}. {start} bar is part of the one above it. Keys: {names(result.keys)}"
        f"{refused(result)}."
    )


def _draw_bars(ax: Any, ys: Sequence[int], bars: Sequence[Bar], wrong: bool) -> None:
    """R's bars; where they are wrong they give the lower half of their row to the correct ones."""
    look = {"edgecolor": ink(), "linewidth": 0.8, "zorder": 2, "clip_on": False}
    first = math.nan if bars[0].hidden else 100.0
    ax.barh(ys[:1], [first], height=0.6, color=grey(ax, 0.2), **look)
    steps = list(zip(ys[1:], bars[1:]))
    ax.barh(
        [y + 0.15 * bar.wrong for y, bar in steps],
        [bar.length for _, bar in steps],
        height=[0.3 if bar.wrong else 0.6 for _, bar in steps],
        color=SKY,
        label="as R gives it" if wrong else None,
        **look,
    )
    correct = {y: bar.correct for y, bar in steps if math.isfinite(bar.correct)}
    if correct:
        ax.barh(
            [y - 0.15 for y in correct],
            list(correct.values()),
            height=0.3,
            fill=False,
            hatch="////",
            label="correct, where R's is wrong",
            **look,
        )
