"""Identity measures over the syntheses of one result: `plot_identity`."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, NamedTuple

import pandas as pd

from ..disclosure.defect_text import two_figures
from ..r.layouts import IDENT
from ..results import Disclosure
from ..show import MIN_CELL
from .canvas import (
    BLUE,
    RECORDS,
    VERMILLION,
    Mark,
    axes_for,
    axis_end,
    end_words,
    finish,
    finite,
    ink,
    names,
    points,
    write_beside,
)
from .correct_figures import check_result, hidden_counts, if_other, refused, with_correct
from .fitting import Wording
from .left_out import identity_base_counts, identity_base_words
from .small_figures import HIDDEN, hidden_note

__all__ = ["plot_identity"]

MEANING = {
    "UiO": "unique in original",
    "UiS": "unique in synthetic",
    "UiOiS": "unique in original,\nfound in synthetic",
    "repU": "unique in both",
}
MANY = 8  # syntheses; of more, points are small and the range is written
HALF_ROW = 0.25  # syntheses are spread this far up and down
HALF_MEAN = 0.36  # the line of a mean reaches this far up and down


class Mean(NamedTuple):
    """The mean of a measure, as R gives it and the correct one; NaN where there is none, or where a
    figure that enters it is hidden.
    """

    r: float
    correct: float
    wrong: bool
    r_hidden: bool
    correct_hidden: bool

    @classmethod
    def of(cls, figures: pd.DataFrame) -> Mean:
        r_hidden = figures["hidden"]
        # where R's figure is the correct one, it is hidden once
        correct_hidden = figures["correct_hidden"] | (r_hidden & figures["correct"].isna())
        return cls(
            r=math.nan if r_hidden.any() else float(figures["value"].mean()),
            correct=math.nan if correct_hidden.any() else float(figures["corrected"].mean()),
            wrong=_is_wrong(figures),
            r_hidden=bool(r_hidden.any()),
            correct_hidden=bool(correct_hidden.any()),
        )

    def both(self, digits: int) -> str:
        """R's and the correct one in words."""
        if not (self.r_hidden or self.correct_hidden):
            return two_figures(None if math.isnan(self.r) else self.r, self.correct)
        r = HIDDEN if self.r_hidden else f"{self.r:.{digits}f}"
        correct = HIDDEN if self.correct_hidden else f"{self.correct:.{digits}f}"
        return f"R {r}, correct {correct}"


def plot_identity(result: Disclosure, ax: Any = None, *, min_cell: int = MIN_CELL) -> Any:
    """Identity measures (UiO, UiS, UiOiS, repU) over the syntheses.

    One point per synthesis, the first on top, and the mean of all as an upright line; a single
    point where all are the same, as in UiO, which is about the original alone. The values are at
    the right; for many syntheses also the range. Where R's figure is wrong, the correct one is
    drawn too. The axis starts at 0, ends where the figures end, and says so. The subtitle names the
    people the figures are about: correct ones leave out records that lack a key, R's everyone left
    out for any reason (D17).

    Parameters
    ----------
    result : what `disclosure` returned.
    ax : matplotlib axes to draw into; by default those of a new figure.
    min_cell : figures of fewer people, figures that would reveal them, and means that include them
        are not drawn; 0 draws all.

    Returns
    -------
    matplotlib axes
    """
    check_result(result)
    hidden = hidden_counts(result, tuple(IDENT), min_cell, identity_base_counts)
    figures = with_correct(result, tuple(IDENT), hidden)
    figures["corrected"] = figures["correct"].fillna(figures["value"])
    rows = {name: len(IDENT) - 1 - i for i, name in enumerate(IDENT)}
    labels = [f"{name}\n{MEANING[name]}" for name in IDENT]
    m = int(figures["synthesis"].max())
    wrong = _is_wrong(figures)
    end = axis_end(max([0.0, *_shown(figures)]))
    words = Wording(
        title="Identity risk from the keys",
        subtitle=_subtitle(result, figures, hidden, min_cell),
        xlabel=f"{RECORDS} (UiS: of synthetic records){end_words(end)}",
    )
    panel = axes_for(
        ax,
        labels,
        inches=_row_height(m, wrong) * len(IDENT),
        subtitle=words.subtitle,
        legend_lines=1 + wrong,
        beside=2.0 if wrong else 1.3,
    )
    _draw(panel, figures, rows, m)
    for name, row in rows.items():
        write_beside(panel, _text(figures[figures["measure"] == name], result.digits), row, 10)
    panel.set_xlim(0, end)
    panel.set_ylim(-0.55, len(IDENT) - 0.35)
    finish(panel, list(rows.values()), labels, words, brief=tuple(IDENT))
    return panel


def _subtitle(
    result: Disclosure, figures: pd.DataFrame, hidden: frozenset[str], min_cell: int
) -> str:
    m = int(figures["synthesis"].max())
    syntheses = "One synthesis" if m == 1 else f"{m} syntheses"
    base = identity_base_words(result, hidden, min_cell)
    base = base[0].upper() + base[1:]
    not_drawn = bool((figures["hidden"] | figures["correct_hidden"]).any())
    return (
        f"{base}. {syntheses}; higher is riskier. Keys: {names(result.keys)}{refused(result)}."
        f"{hidden_note(not_drawn, min_cell)}"
    )


def _is_wrong(figures: pd.DataFrame) -> bool:
    """Whether one of R's figures is not the correct one."""
    return bool((figures["correct"].notna() | figures["correct_hidden"]).any())


def _row_height(m: int, wrong: bool) -> float:
    """Inches; syntheses have a line each, as long as they are not many."""
    if m > MANY:
        return 1.1
    per_synthesis = 0.16 if wrong else 0.1
    return max(0.75, 0.4 + per_synthesis * m)


def _draw(ax: Any, figures: pd.DataFrame, rows: Mapping[str, int], m: int) -> None:
    """Points of all syntheses, and their means where they may be shown and differ."""
    as_r = " as R gives it" if _is_wrong(figures) else ""
    once = _once_where_the_same(figures)
    _identity_points(ax, once, _heights(once, rows, m), as_r, m)
    if m == 1:
        return
    several = set(once.loc[once.duplicated("measure"), "measure"])
    shown_rows = {name: row for name, row in rows.items() if name in several}
    _means(ax, figures, shown_rows, as_r)


def _once_where_the_same(figures: pd.DataFrame) -> pd.DataFrame:
    """Without the points of a measure that would lie on one another."""
    kept = []
    for _, of_measure in figures.groupby("measure", sort=False):
        values = of_measure[["value", "correct"]]
        the_same = len(values.drop_duplicates()) == 1 and values.notna().any(axis=None)
        kept.append(of_measure.head(1) if the_same else of_measure)
    return pd.concat(kept)


def _heights(figures: pd.DataFrame, rows: Mapping[str, int], m: int) -> list[float]:
    """Where each point lies: in the row of its measure, the first synthesis on top."""
    number = figures.groupby("measure")["measure"].transform("size")
    heights = []
    for figure, points_of_measure in zip(figures.itertuples(), number):
        spread = HALF_ROW if points_of_measure > 1 else 0.0
        down = 2 * (figure.synthesis - 1) / max(m - 1, 1)
        heights.append(rows[figure.measure] + spread * (1 - down))
    return heights


def _identity_points(
    ax: Any, figures: pd.DataFrame, heights: list[float], as_r: str, m: int
) -> None:
    many = m > MANY
    each = f"each synthesis{as_r}" if m > 1 else f"the synthesis{as_r}"
    circle = Mark("o", 4 if many else 7, BLUE, hollow=True)
    points(ax, figures["value"], heights, circle, label=each)
    label = "correct figure, where R's is wrong"
    if (figures["value"].isna() & ~figures["hidden"]).any():
        label += " or there is none"
    square = Mark("s", 6 if many else 10, None, hollow=True)
    points(ax, figures["correct"], heights, square, label=label)


def _means(ax: Any, figures: pd.DataFrame, rows: Mapping[str, int], as_r: str) -> None:
    """The mean over the syntheses as an upright line, and the correct one where it differs; none of
    figures that are hidden.
    """
    r, correct = {}, {}
    for name in rows:
        mean = Mean.of(figures[figures["measure"] == name])
        r[name] = mean.r
        correct[name] = if_other(mean.r, mean.correct) if mean.wrong else math.nan
    _mean_lines(ax, rows, r, linestyles="-", label=f"mean{as_r}", color=VERMILLION)
    _mean_lines(ax, rows, correct, linestyles=":", label="correct mean", color=ink())


def _mean_lines(ax: Any, rows: Mapping[str, int], means: Any, color: Any, **look: Any) -> None:
    shown = [name for name in rows if math.isfinite(means[name])]
    if not shown:
        return
    lines = ax.vlines(
        [means[name] for name in shown],
        [rows[name] - HALF_MEAN for name in shown],
        [rows[name] + HALF_MEAN for name in shown],
        linewidth=2.2,
        clip_on=False,
        zorder=5,
        **look,
    )
    lines.set_color(color)


def _text(figures: pd.DataFrame, digits: int) -> str:
    """The mean (or the one figure) at the right of the axes; both where R's is wrong, the range
    where there are many.
    """
    mean = Mean.of(figures)
    several = len(figures) > 1
    if mean.wrong:
        return f"mean: {mean.both(digits)}" if several else mean.both(digits)
    before = "mean " if several else ""
    if mean.r_hidden:
        return before + HIDDEN
    if math.isnan(mean.r):
        return ""
    text = f"{before}{mean.r:.{digits}f}\u00a0%"
    if len(figures) <= MANY or figures["value"].nunique() == 1:
        return text
    low, high = figures["value"].min(), figures["value"].max()
    return f"{text}\n({low:.{digits}f} to {high:.{digits}f})"


def _shown(figures: pd.DataFrame) -> list[float]:
    """All figures that are drawn, R's and correct ones."""
    return [*finite(figures["value"]), *finite(figures["correct"])]
