"""How the number of original records falls from all to those whose target can be learnt:
`plot_funnel`.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from operator import index
from typing import Any, NamedTuple

from ..disclosure.baseline import LEVEL
from ..disclosure.baseline_intervals import Sample, wilson
from ..disclosure.baseline_show import Outside, outside_of
from ..disclosure.scores import SCORES
from ..disclosure.show import nearly_sure_words
from ..errors import InputError
from ..results import Disclosure
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
from .small_figures import HIDDEN, NOTHING, are_few, hidden_note, is_hidden

__all__ = ["plot_funnel"]

ROW = 0.6  # height of the bars of a step
MEANING = {
    "iS": "keys found in the synthetic data",
    "DiS": "… with only one target value there",
    "DiSCO": "… which is the true one",
    "DiSDiO": "… and the only one in the original",
}


class OtherBar(NamedTuple):
    """Non-members of one step: how many, and their share, with its interval; NaN if hidden."""

    numerator: float
    percent: float
    low: float = math.nan
    high: float = math.nan
    hidden: bool = False


class Bar(NamedTuple):
    """Records of one step, and their share of those the picture is about; the correct ones only
    where R's differ, and non-members if there is a holdout. Hidden ones are NaN.
    """

    numerator: float
    percent: float
    correct_numerator: float = math.nan
    correct: float = math.nan
    hidden: bool = False
    correct_hidden: bool = False
    others: OtherBar | None = None

    @property
    def wrong(self) -> bool:
        return self.correct_hidden or not math.isnan(self.correct)

    @property
    def length(self) -> float:
        """NaN for a hidden bar: a bar of length 0 would mean nobody."""
        if self.hidden:
            return math.nan
        return 0.0 if math.isnan(self.percent) else self.percent

    def text(self) -> str:
        records = _records(self.numerator, self.percent, self.hidden)
        lines = [records]
        if self.wrong:
            correct_records = _records(self.correct_numerator, self.correct, self.correct_hidden)
            lines = [f"R {records}", f"correct {correct_records}"]
        elif self.others is not None:
            lines = [f"members {records}"]
        if self.others is not None:
            others = _records(self.others.numerator, self.others.percent, self.others.hidden)
            lines.append(f"non-members {others}")
        return "\n".join(lines)

    def place(self, slot: int) -> tuple[float, float]:
        """Where in its row one of several bars is drawn, and how high it is; slot 0 is on top."""
        slots = 1 + self.wrong + (self.others is not None)
        height = ROW / slots
        return ((slots - 1) / 2 - slot) * height, height


def _records(numerator: float, percent: float, hidden: bool) -> str:
    if hidden:
        return HIDDEN
    return "no figure" if math.isnan(percent) else f"{numerator:,.0f}  ({percent:.2f} %)"


def plot_funnel(
    result: Disclosure,
    synthesis: int = 1,
    ax: Any = None,
    *,
    min_cell: int = MIN_CELL,
    also_hidden: frozenset[str] = NOTHING,
) -> Any:
    """How the number of original records falls from all to those whose target can be learnt: iS,
    DiS, DiSCO, DiSDiO.

    One bar per step, with count and per cent beside it. Where R's figure is wrong, the correct one
    has a separate bar below R's. With a holdout, non-members have a bar below that of members: a
    mean over syntheses, with its interval. If exclusions leave people out, bars and percentages are
    of those who remain, and the picture says so; the measures themselves are always of all original
    records.

    Parameters
    ----------
    result : what `disclosure` returned.
    synthesis : which of the m syntheses, from 1.
    ax : matplotlib axes to draw into; by default those of a new figure.
    min_cell : figures of fewer people, and figures that would reveal them, are not drawn; 0 draws
        all.
    also_hidden : names of counts that the page around the picture hides.

    Returns
    -------
    matplotlib axes
    """
    check_result(result)
    synthesis = _which(result, synthesis)
    outside = outside_of(result)
    hidden = hidden_counts(result, tuple(MEANING), min_cell) | also_hidden
    bars = _bars(result, synthesis, hidden, min_cell)
    some_hidden = any(bar.hidden or bar.correct_hidden for bar in bars)
    if outside is not None:
        bars = [*_with_others(bars, outside, hidden, min_cell)]
        some_hidden |= any(bar.others is not None and bar.others.hidden for bar in bars)
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
        legend_lines=wrong + (outside is not None),
        beside=2.3 if outside else 1.9 if wrong else 1.4,
    )
    ys = list(range(len(labels) - 1, -1, -1))
    _draw_bars(panel, ys, bars, result.m, wrong)
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
    """All people the picture is about, then those of each measure."""
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


def _with_others(
    bars: Sequence[Bar], outside: Outside, hidden: frozenset[str], min_cell: int
) -> Iterator[Bar]:
    """The bars with those of non-members, of whom nobody has a DiSDiO."""
    baseline = outside.baseline
    base = baseline.records - baseline.left_out
    base_hidden = are_few(base, min_cell) or is_hidden((outside.remaining,), hidden)
    yield bars[0]._replace(others=OtherBar(base, 100.0, hidden=bool(base_hidden)))
    for measure, bar in zip(MEANING, bars[1:]):
        if measure not in SCORES:
            yield bar
            continue
        one = baseline.of(measure)
        if is_hidden(outside.others(one), hidden) or base_hidden or not base:
            yield bar._replace(others=OtherBar(math.nan, math.nan, hidden=True))
            continue
        # the measure is a share of all, the picture is about those who are not left out
        share = one.non_members.numerator / base
        worth = one.effective_n * base / baseline.records
        low, high = wilson(Sample(mean=share, records=base, worth=worth), LEVEL)
        others = OtherBar(
            numerator=one.non_members.numerator,
            percent=100 * share,
            low=100 * low,
            high=100 * high,
        )
        yield bar._replace(others=others)


def _base(result: Disclosure) -> float:
    left = remaining(result)
    return float(result.Norig) if left is None else left.n


def _share(percent: float, numerator: float, base: float, result: Disclosure) -> float:
    """The measure itself if it is a share of all people the picture is about."""
    if base == result.Norig or math.isnan(percent):
        return float(percent)
    return 100 * numerator / base if base else math.nan


def _subtitle(result: Disclosure, synthesis: int, hidden: frozenset[str], min_cell: int) -> str:
    start = f"Synthesis {synthesis} of {result.m}; each" if result.m > 1 else "Each"
    base = base_words(result, hidden, min_cell).capitalize()
    if remaining(result):
        base += ", percentages are of the others"
    subtitle = (
        f"{base}. {start} bar is part of the one above it. Keys: {names(result.keys)}"
        f"{refused(result)}. {nearly_sure_words(result.certainty)}"
    )
    return subtitle.rstrip()


def _draw_bars(ax: Any, ys: Sequence[int], bars: Sequence[Bar], m: int, wrong: bool) -> None:
    """R's bars; where they are wrong they give the lower half of their row to the correct ones."""
    look = {"edgecolor": ink(), "linewidth": 0.8, "zorder": 2, "clip_on": False}
    first = math.nan if bars[0].hidden else 100.0
    ax.barh(ys[:1], [first], height=ROW, color=grey(ax, 0.2), **look)
    steps = list(zip(ys[1:], bars[1:]))
    members = "members" if bars[0].others is not None else None
    ax.barh(
        [y + bar.place(0)[0] for y, bar in steps],
        [bar.length for _, bar in steps],
        height=[bar.place(0)[1] for _, bar in steps],
        color=SKY,
        label="as R gives it" if wrong else members,
        **look,
    )
    correct = [(y, bar) for y, bar in steps if math.isfinite(bar.correct)]
    if correct:
        ax.barh(
            [y + bar.place(1)[0] for y, bar in correct],
            [bar.correct for _, bar in correct],
            height=[bar.place(1)[1] for _, bar in correct],
            fill=False,
            hatch="////",
            label="correct, where R's is wrong",
            **look,
        )
    if bars[0].others is not None:
        _draw_others(ax, steps, m, look)


def _draw_others(ax: Any, steps: Sequence[tuple[int, Bar]], m: int, look: dict[str, Any]) -> None:
    """The bars of non-members, with the interval of their figure."""
    shown = []
    for y, bar in steps:
        if bar.others is not None and not bar.others.hidden:
            offset, height = bar.place(1 + bar.wrong)
            shown.append((y + offset, height, bar.others))
    if not shown:
        return
    mean = f" (mean of {m} syntheses)" if m > 1 else ""
    below = [bar.percent - bar.low for _, _, bar in shown]
    above = [bar.high - bar.percent for _, _, bar in shown]
    ax.barh(
        [y for y, _, _ in shown],
        [bar.percent for _, _, bar in shown],
        height=[height for _, height, _ in shown],
        color=grey(ax, 0.1),
        hatch="....",
        xerr=[below, above],
        error_kw={"ecolor": ink(), "elinewidth": 1.0, "capsize": 2, "zorder": 3},
        label=f"non-members{mean}, with a {100 * LEVEL:g} % interval",
        **look,
    )
