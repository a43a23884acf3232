"""Attribute risk of every target of a summary: `plot_targets`.

Hollow markers are original data, filled ones synthetic data, large hollow ones in the colour of the
text are correct figures where R's are wrong.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from ..arguments import check_number
from ..disclosure.defect_text import two_figures
from ..disclosure.show import nearly_sure_words
from ..errors import InputError
from ..multi import ORIGINAL_MEASURE, MultiDisclosure
from ..show import MIN_CELL, Count
from ..summary.show import behind as people_behind
from .canvas import (
    BLUE,
    LINE,
    RECORDS,
    TEXT,
    VERMILLION,
    Mark,
    axes_for,
    axis_end,
    draw_ceiling,
    end_words,
    finish,
    finite,
    grey,
    names,
    points,
    row_names,
    ruler,
    write_beside,
)
from .correct_figures import if_other
from .fitting import Wording
from .left_out import base_counts, short_words
from .measuring import lines_of
from .small_figures import (
    HIDDEN,
    NOTHING,
    hidden_among,
    hidden_note,
    is_hidden,
    people_words,
)

__all__ = ["plot_targets"]

ROOM_FOR_ARROW = 26  # points; the points themselves say what a shorter one would
MOST_BESIDE = 2  # figures of a row, at the right of the axes
ARROW = {
    "arrowstyle": "-|>,head_length=0.6,head_width=0.3",
    "linewidth": 1.4,
    "shrinkA": 5,
    "shrinkB": 4.5,
    "mutation_scale": 13,
}
# what the legend says about people
MEANING = {
    "Dorig": "keys leave one target value in the original data",
    "DiSCO": "keys leave one in the synthetic data, and it is the true one",
    "DiSDiO": "the same in both, the original leaving one too",
    "CAPd": "chance of a correct guess from the original data",
    "DCAP": "chance of a correct guess from the synthetic data",
}
CHECKS = {
    "1way": "1way: one level of the target is most of the risk",
    "2way": "2way: a level of the target nearly always goes with one of a key",
}


class TargetFigures(NamedTuple):
    """One row of the comparison: percentages, NaN where there is none; the correct ones only where
    R's differ. Hidden ones are NaN, and their measures are named.
    """

    label: str
    original: float
    synthetic: float
    correct_original: float
    correct_synthetic: float
    hidden: tuple[str, ...] = ()

    @property
    def all_figures(self) -> list[float]:
        """Those that are drawn."""
        return finite(
            [self.original, self.synthetic, self.correct_original, self.correct_synthetic]
        )

    @property
    def wrong(self) -> bool:
        """Whether one of R's figures is not the correct one."""
        return not (math.isnan(self.correct_original) and math.isnan(self.correct_synthetic))


def plot_targets(
    multi: MultiDisclosure,
    ax: Any = None,
    *,
    ceiling: float | None = None,
    min_cell: int = MIN_CELL,
    also_hidden: frozenset[str] = NOTHING,
) -> Any:
    """Attribute risk of every target: from the original to the synthetic data.

    Two points per target, an arrow from the original to the synthetic value (none if they are close
    together), and both values at the right. Targets have R's labels, highest synthetic risk on top
    (targets without a synthetic figure above them, as in R). Where R's figure is wrong, the correct
    one is drawn and written too. Below a name: how many people exclusions left out. The axis ends
    where the figures end, and says so.

    R's own plot puts the arrow head at the smaller of the two values, whichever it is.

    Parameters
    ----------
    multi : what `multi_disclosure` returned.
    ax : matplotlib axes to draw into; by default those of a new figure.
    ceiling : the highest risk you accept, in %: a line is drawn there; None for none.
    min_cell : figures of fewer people, and figures that would reveal them, are not drawn; 0 draws
        all.
    also_hidden : names of counts that the page around the picture hides.

    Returns
    -------
    matplotlib axes
    """
    if not isinstance(multi, MultiDisclosure):
        raise InputError(
            f"multi: {type(multi).__name__} cannot be drawn here; give what multi_disclosure()"
            " returned"
        )
    limit = None if ceiling is None else check_number("ceiling", ceiling, 0, 100)
    rows = target_figures(multi, min_cell, also_hidden)
    some_hidden = any(row.hidden for row in rows)
    wrong = any(row.wrong for row in rows)
    labels = [row.label for row in rows]
    beside = [_values(row, multi.attrib_meas) for row in rows]
    subtitle = _subtitle(multi, rows, min_cell) + hidden_note(some_hidden, min_cell)
    panel = axes_for(
        ax,
        labels,
        inches=_row_height([*row_names(labels), *beside]) * (len(rows) + 0.5),
        subtitle=subtitle,
        legend_lines=2 + 2 * wrong + (limit is not None),
        beside=0.3 + ruler().widest([*beside, _header(multi)], TEXT),
    )
    end = _end(rows, limit)
    panel.set_xlim(0, end)
    panel.set_ylim(-0.6, len(rows) - 0.1)
    _draw_rows(panel, rows, beside, multi)
    if limit is not None:
        draw_ceiling(panel, limit, f"ceiling {limit:g}\u00a0%", upright=True)
    unit = "%, mean over original records" if multi.attrib_meas == "DCAP" else RECORDS
    words = Wording(
        title="Attribute risk of each target", subtitle=subtitle, xlabel=unit + end_words(end)
    )
    finish(panel, range(len(rows)), labels, words)
    return panel


def _end(rows: Sequence[TargetFigures], limit: float | None) -> float:
    """Where the axis ends, so that the figures and the ceiling are seen."""
    figures = [figure for row in rows for figure in row.all_figures]
    if not figures:
        return 100.0
    return axis_end(max([0.5, *figures, *([] if limit is None else [limit * 1.05])]))


def _draw_rows(
    panel: Any, rows: Sequence[TargetFigures], beside: Sequence[str], multi: MultiDisclosure
) -> None:
    for y, (row, values) in enumerate(zip(rows, beside)):
        _target_arrow(panel, y, row)
        write_beside(panel, values, y, 10)
    if any(row.all_figures for row in rows):
        write_beside(panel, _header(multi), len(rows) - 0.35, 10, style="italic")
    _target_points(panel, rows, multi.attrib_meas)


def _header(multi: MultiDisclosure) -> str:
    return f"{ORIGINAL_MEASURE[multi.attrib_meas]} → {multi.attrib_meas}, %"


def _subtitle(multi: MultiDisclosure, rows: Sequence[TargetFigures], min_cell: int) -> str:
    averaged = f", mean of {multi.m} syntheses" if multi.m > 1 else ""
    flags = [said for flag, said in CHECKS.items() if any(flag in row.label for row in rows)]
    # R joins both flags of a target, as in "1&2way"
    if any("1&2way" in row.label for row in rows):
        flags = list(CHECKS.values())
    checks = f"\nChecks: {'; '.join(flags)}." if flags else ""
    left_out = any(" left out)" in row.label for row in rows)
    base = f"% of {people_words(multi.Norig, min_cell)}"
    if left_out:
        base += ", those left out among them"
    certainty = next(iter(multi.output_list.values())).certainty
    subtitle = (
        f"{base}; higher is riskier. From the original to the synthetic data (arrow){averaged}."
        f" Keys: {names(multi.keys)}.{checks} {nearly_sure_words(certainty)}"
    )
    return subtitle.rstrip()


def _row_height(texts: Sequence[str]) -> float:
    """Inches that a row takes: those of the text with most lines."""
    most_lines = max(lines_of(text) for text in texts)
    return max(0.42, 0.1 + LINE * most_lines)


def target_figures(
    multi: MultiDisclosure, min_cell: int = 0, also_hidden: frozenset[str] = NOTHING
) -> list[TargetFigures]:
    """Rows of the comparison, bottom first: `attrib_table` with the correct figures beside it."""
    hidden, left_out = _hidden_figures(multi, min_cell, also_hidden)
    corrected = {} if multi.corrected is None else dict(_by_target(multi.corrected))
    figures = []
    for target, row in _by_target(multi):
        correct = corrected.get(target, row)
        of_target = TargetFigures(
            label=row.Index + left_out.get(target, "") + _other_flags(row.Index, correct.Index),
            original=row.original,
            synthetic=row.synthetic,
            correct_original=if_other(row.original, correct.original),
            correct_synthetic=if_other(row.synthetic, correct.synthetic),
        )
        figures.append(_without_hidden(of_target, multi, hidden.get(target, ())))
    return figures


def _hidden_figures(
    multi: MultiDisclosure, min_cell: int, also_hidden: frozenset[str]
) -> tuple[Mapping[Any, list[str]], Mapping[Any, str]]:
    """Which of "original" and "synthetic" may not be shown, for each target; R's figure is hidden
    with the correct one, because both are about the same people. And how many are left out, in
    words.
    """
    behind: dict[Any, dict[str, list[Count]]] = {}
    results = [multi] if multi.corrected is None else [multi, multi.corrected]
    for which in results:
        for row in which.rows:
            of_target = behind.setdefault(row.target, {"original": [], "synthetic": []})
            of_target["original"] += people_behind(which, row, "attrib_orig")
            of_target["synthetic"] += people_behind(which, row, "attrib_syn")
    people: list[Sequence[Count]] = []
    for of_target in behind.values():
        people += of_target.values()
    for result in multi.output_list.values():
        people += base_counts(result)
    names_hidden = hidden_among(people, multi._relations(), min_cell) | also_hidden
    hidden = {}
    for target, of_target in behind.items():
        hidden[target] = [f for f, counts in of_target.items() if is_hidden(counts, names_hidden)]
    return hidden, _left_out_words(multi, names_hidden)


def _left_out_words(multi: MultiDisclosure, hidden: frozenset[str]) -> Mapping[Any, str]:
    """The text below the names of targets whose figures leave someone out."""
    words = {}
    for target, result in multi.output_list.items():
        said = short_words(result, hidden)
        words[target] = f"\n{said}" if said else ""
    return words


def _without_hidden(
    row: TargetFigures, multi: MultiDisclosure, hidden: Sequence[str]
) -> TargetFigures:
    measures = {"original": ORIGINAL_MEASURE[multi.attrib_meas], "synthetic": multi.attrib_meas}
    if "original" in hidden:
        row = row._replace(original=math.nan, correct_original=math.nan)
    if "synthetic" in hidden:
        row = row._replace(synthetic=math.nan, correct_synthetic=math.nan)
    return row._replace(hidden=tuple(measures[figure] for figure in hidden))


def _by_target(multi: MultiDisclosure) -> Iterable[tuple[Any, Any]]:
    """The rows of `attrib_table`, each with its target."""
    targets = [row.target for row in multi.ordered_rows]
    table = multi.attrib_table.rename(
        columns={"attrib.orig": "original", "attrib.syn": "synthetic"}
    )
    return zip(targets, table.set_axis(multi.r_labels()).itertuples())


def _other_flags(label: str, corrected: str) -> str:
    """The correct label below R's, where they differ in more than the rank."""
    correct = _without_rank(corrected)
    return "" if correct == _without_rank(label) else f"\n(correct: {correct})"


def _without_rank(label: str) -> str:
    _, rest = label.split(" ", 1)
    return rest


def _target_points(ax: Any, rows: Sequence[TargetFigures], measure: str) -> None:
    original = ORIGINAL_MEASURE[measure]
    ys = range(len(rows))
    r_is_wrong = any(not math.isnan(row.correct_synthetic) for row in rows)
    as_r = " as R gives it" if r_is_wrong else ""
    points(
        ax,
        [row.original for row in rows],
        ys,
        Mark("o", 9, BLUE, hollow=True),
        label=_meaning("original data", original),
    )
    points(
        ax,
        [row.synthetic for row in rows],
        ys,
        Mark("D", 6, VERMILLION),
        label=_meaning("synthetic data", measure + as_r),
    )
    points(
        ax,
        [row.correct_original for row in rows],
        ys,
        Mark("^", 14, None, hollow=True),
        label=f"correct {original}, where R's is wrong",
    )
    points(
        ax,
        [row.correct_synthetic for row in rows],
        ys,
        Mark("s", 13, None, hollow=True),
        label=f"correct {measure}, where R's is wrong",
    )


def _meaning(data: str, measure: str) -> str:
    """An entry of the legend, with what the measure says about people."""
    name, *_ = measure.split(" ")
    return f"{data}: {measure} ({MEANING[name]})"


def _target_arrow(ax: Any, y: int, row: TargetFigures) -> None:
    """From original to synthetic as R gives them; from or to the correct figure where R gives none.
    None if the points are too close: only a stray mark would be left.
    """
    start = row.correct_original if math.isnan(row.original) else row.original
    end = row.correct_synthetic if math.isnan(row.synthetic) else row.synthetic
    if math.isnan(start) or math.isnan(end) or _points_between(ax, start, end) < ROOM_FOR_ARROW:
        return
    ax.annotate(
        "",
        xy=(end, y),
        xytext=(start, y),
        arrowprops={**ARROW, "color": grey(ax, 0.65)},
        zorder=2,
        annotation_clip=False,
    )


def _points_between(ax: Any, start: float, end: float) -> float:
    """How far apart two percentages will be, about, in points."""
    # labels take their part when the figure is laid out
    width = 72 * ax.bbox.width / ax.figure.dpi * 0.65
    low, high = ax.get_xlim()
    return float(abs(end - start) / (high - low) * width)


def _values(row: TargetFigures, measure: str) -> str:
    """The figures of a row, as they are written beside it; both where R's is wrong."""
    if row.hidden and len(row.hidden) == MOST_BESIDE:
        return HIDDEN
    if not row.all_figures and not row.hidden:
        return "no figure"
    original = ORIGINAL_MEASURE[measure]
    parts = [
        _value(row.original, row.correct_original, hidden=original in row.hidden),
        _value(row.synthetic, row.correct_synthetic, hidden=measure in row.hidden),
    ]
    if not row.wrong:
        return " → ".join(parts)
    return f"{parts[0]} →\n{parts[1]}"


def _value(r: float, correct: float, *, hidden: bool) -> str:
    if hidden:
        return HIDDEN
    if not math.isnan(correct):
        return two_figures(None if math.isnan(r) else r, correct)
    return "none" if math.isnan(r) else f"{r:.2f}"
