"""Attribute risk of every target of a summary: `plot_targets`.

Hollow markers are original data, filled ones synthetic data, large hollow ones in the colour of the
text are correct figures where R's are wrong.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from ..disclosure.defect_text import two_figures
from ..errors import InputError
from ..show import MIN_CELL, Count
from ..summary.result import ORIGINAL_MEASURE, MultiDisclosure
from ..summary.show import behind as people_behind
from .canvas import (
    BLUE,
    LINE,
    RECORDS,
    VERMILLION,
    Mark,
    Wording,
    axes_for,
    finish,
    lines_of,
    lowered,
    names,
    points,
    text_above,
    wrapped,
    write,
    write_beside,
)
from .correct_figures import if_other
from .small_figures import BESIDE, HIDDEN, hidden_among, hidden_note, is_hidden

__all__ = ["plot_targets"]

LABEL_CHARACTERS = 44
ROOM_FOR_ARROW = 20  # points
ARROW = {
    "arrowstyle": "-|>,head_length=0.6,head_width=0.3",
    "color": "0.35",
    "linewidth": 1.4,
    "shrinkA": 5,
    "shrinkB": 4.5,
    "mutation_scale": 13,
}
ARROW_BELOW = ARROW | {"shrinkA": 0, "shrinkB": 0, "mutation_scale": 10}


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
    def wrong(self) -> bool:
        """Whether one of R's figures is not the correct one."""
        return not (math.isnan(self.correct_original) and math.isnan(self.correct_synthetic))


def plot_targets(multi: MultiDisclosure, ax: Any = None, *, min_cell: int = MIN_CELL) -> Any:
    """Attribute risk of every target: from the original to the synthetic data.

    Two points per target, an arrow from the original to the synthetic value (below them where they
    touch); R's labels of the targets, highest synthetic risk on top (targets without
    a synthetic figure above them, as R has them). Where R's figure is wrong the correct one is
    drawn too, with both written above it.

    R's own plot puts the arrow head at the smaller of the two values, whichever it is.

    Parameters
    ----------
    multi : what `multi_disclosure` returned.
    ax : matplotlib axes to draw into; by default those of a new figure.
    min_cell : figures of fewer people, and what would give them away, are not drawn; 0 draws all.

    Returns
    -------
    matplotlib axes
    """
    if not isinstance(multi, MultiDisclosure):
        raise InputError(
            f"multi: {type(multi).__name__} cannot be drawn here; give what multi_disclosure()"
            " returned"
        )
    rows = target_figures(multi, min_cell)
    some_hidden = any(row.hidden for row in rows)
    wrong = any(row.wrong for row in rows)
    labels = [wrapped(row.label, LABEL_CHARACTERS) for row in rows]
    subtitle = wrapped(_subtitle(multi) + hidden_note(some_hidden, min_cell))
    panel = axes_for(
        ax,
        labels,
        inches=_row_height(labels, wrong) * (len(rows) + 0.5),
        subtitle=subtitle,
        legend_lines=1 + wrong,
        beside=BESIDE if some_hidden else 0.0,
    )
    ys = range(len(rows))
    for y, row in zip(ys, rows):
        _target_arrow(panel, y, row)
        _target_text(panel, y, row, multi.attrib_meas)
        if row.hidden:
            write_beside(panel, f"{names(row.hidden)} {HIDDEN}", y, 8)
    _target_points(panel, rows, multi.attrib_meas)
    panel.set_ylim(-0.6, len(rows) - 0.1)
    panel.set_xlim(0, 100)
    words = Wording(
        title="Attribute risk of each target",
        subtitle=subtitle,
        xlabel="%, mean over original records" if multi.attrib_meas == "DCAP" else RECORDS,
    )
    finish(panel, ys, labels, words)
    return panel


def _subtitle(multi: MultiDisclosure) -> str:
    original = ORIGINAL_MEASURE[multi.attrib_meas]
    averaged = f", mean of {multi.m} syntheses" if multi.m > 1 else ""
    return (
        f"From {original} in the original data to {multi.attrib_meas} in the synthetic data"
        f" (arrow){averaged}; higher is riskier. Keys: {names(multi.keys)}"
    )


def _row_height(labels: Sequence[str], wrong: bool) -> float:
    """Inches that a row takes: those of the longest label, and more where words lie above."""
    most_lines = max(lines_of(label) for label in labels)
    return max(0.46 if wrong else 0.42, 0.1 + LINE * most_lines)


def target_figures(multi: MultiDisclosure, min_cell: int = 0) -> list[TargetFigures]:
    """Rows of the comparison, bottom first: `attrib_table` with the correct figures beside it."""
    hidden = _hidden_figures(multi, min_cell)
    corrected = {} if multi.corrected is None else dict(_by_target(multi.corrected))
    figures = []
    for target, row in _by_target(multi):
        correct = corrected.get(target, row)
        of_target = TargetFigures(
            label=row.Index + _other_flags(row.Index, correct.Index),
            original=row.original,
            synthetic=row.synthetic,
            correct_original=if_other(row.original, correct.original),
            correct_synthetic=if_other(row.synthetic, correct.synthetic),
        )
        figures.append(_without_hidden(of_target, multi, hidden.get(target, ())))
    return figures


def _hidden_figures(multi: MultiDisclosure, min_cell: int) -> dict[Any, list[str]]:
    """Which of "original" and "synthetic" may not be shown, for each target; R's figure goes with
    the correct one, because both tell of the same people.
    """
    behind: dict[Any, dict[str, list[Count]]] = {}
    results = [multi] if multi.corrected is None else [multi, multi.corrected]
    for which in results:
        for row in which.rows:
            of_target = behind.setdefault(row.target, {"original": [], "synthetic": []})
            of_target["original"] += people_behind(which, row, "attrib_orig")
            of_target["synthetic"] += people_behind(which, row, "attrib_syn")
    people: list[list[Count]] = []
    for of_target in behind.values():
        people += of_target.values()
    names_hidden = hidden_among(people, multi._relations(), min_cell)
    hidden = {}
    for target, of_target in behind.items():
        hidden[target] = [f for f, counts in of_target.items() if is_hidden(counts, names_hidden)]
    return hidden


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
        label=f"original data: {original}",
    )
    points(
        ax,
        [row.synthetic for row in rows],
        ys,
        Mark("D", 6, VERMILLION),
        label=f"synthetic data: {measure}{as_r}",
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


def _target_arrow(ax: Any, y: int, row: TargetFigures) -> None:
    """From original to synthetic as R gives them; from or to the correct figure where R gives none.
    Below the points where they leave it no room.
    """
    start = row.correct_original if math.isnan(row.original) else row.original
    end = row.correct_synthetic if math.isnan(row.synthetic) else row.synthetic
    if math.isnan(start) or math.isnan(end) or start == end:
        return
    style, coordinates = ARROW, ax.transData
    if _points_between(ax, start, end) < ROOM_FOR_ARROW:
        style, coordinates = ARROW_BELOW, lowered(ax, ax.transData, 11)
    ax.annotate(
        "",
        xy=(end, y),
        xycoords=coordinates,
        xytext=(start, y),
        textcoords=coordinates,
        arrowprops=dict(style),
        zorder=2,
        annotation_clip=False,
    )


def _points_between(ax: Any, start: float, end: float) -> float:
    """How far apart two percentages will be, about, in points."""
    # labels take their part when the figure is laid out
    width = 72 * ax.bbox.width / ax.figure.dpi * 0.8
    return float(abs(end - start) / 100 * width)


def _target_text(ax: Any, y: int, row: TargetFigures, measure: str) -> None:
    """Both figures above the correct one, where R's is wrong; a word where there is none at all."""
    texts = []
    x = math.nan
    for name, r, correct in (
        (ORIGINAL_MEASURE[measure], row.original, row.correct_original),
        (measure, row.synthetic, row.correct_synthetic),
    ):
        if not math.isnan(correct):
            texts.append(f"{name}: {two_figures(None if math.isnan(r) else r, correct)}")
            x = correct
    if texts:
        text_above(ax, x, y, "; ".join(texts))
    elif math.isnan(row.original) and math.isnan(row.synthetic) and not row.hidden:
        write(ax, "no figure", (0, y), (6, 0), va="center", style="italic")
