"""Identity measures over the syntheses of one result: `plot_identity`."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import pandas as pd

from ..disclosure.defect_text import two_figures
from ..disclosure.exclusions import REASONS
from ..disclosure.people import people_of
from ..disclosure.result import Disclosure
from ..r.layouts import IDENT
from ..show import MIN_CELL
from .canvas import (
    BLUE,
    RECORDS,
    VERMILLION,
    Mark,
    Wording,
    axes_for,
    axis_end,
    end_words,
    finish,
    finite,
    ink,
    names,
    points,
    wrapped,
    write_beside,
)
from .correct_figures import check_result, hidden_counts, if_other, refused, with_correct
from .small_figures import HIDDEN, hidden_note, people_words

__all__ = ["plot_identity"]

MEANING = {
    "UiO": "unique in original",
    "UiS": "unique in synthetic",
    "UiOiS": "unique in original,\nfound in synthetic",
    "repU": "unique in both",
}
HALF_ROW = 0.25  # syntheses are spread this far up and down
HALF_MEAN = 0.36  # the line of a mean reaches this far up and down


def plot_identity(result: Disclosure, ax: Any = None, *, min_cell: int = MIN_CELL) -> Any:
    """Identity measures (UiO, UiS, UiOiS, repU) over the syntheses.

    One point per synthesis, the first on top, and the mean of all as an upright line; a single
    point where all are the same, as in UiO, which is about the original alone. The values are at
    the right. Where R's figure is wrong the correct one is drawn too. The axis starts at 0, ends
    where the figures end, and says so.

    Parameters
    ----------
    result : what `disclosure` returned.
    ax : matplotlib axes to draw into; by default those of a new figure.
    min_cell : figures of fewer people, and what would give them away, are not drawn, nor means
        that they enter; 0 draws all.

    Returns
    -------
    matplotlib axes
    """
    check_result(result)
    figures = with_correct(result, tuple(IDENT), hidden_counts(result, tuple(IDENT), min_cell))
    figures["corrected"] = figures["correct"].fillna(figures["value"])
    not_drawn = figures["hidden"] | figures["correct_hidden"]
    m = int(figures["synthesis"].max())
    wrong = bool((figures["correct"].notna() | figures["correct_hidden"]).any())
    labels = [f"{name}\n{MEANING[name]}" for name in IDENT]
    rows = {name: len(IDENT) - 1 - i for i, name in enumerate(IDENT)}
    syntheses = "One synthesis" if m == 1 else f"{m} syntheses"
    everybody = people_words(result.Norig, min_cell)
    end = axis_end(max([0.0, *_shown(figures)]))
    words = Wording(
        title="Identity risk from the keys",
        subtitle=wrapped(
            f"{syntheses}, {everybody}{_without_keys(result)}; higher is riskier."
            f" Keys: {names(result.keys)}{refused(result)}."
            f"{hidden_note(bool(not_drawn.any()), min_cell)}"
        ),
        xlabel=f"{RECORDS} (UiS: of synthetic records){end_words(end)}",
    )
    per_synthesis = 0.16 if wrong else 0.1
    row_height = max(0.75, 0.4 + per_synthesis * m)
    panel = axes_for(
        ax,
        labels,
        inches=row_height * len(IDENT),
        subtitle=words.subtitle,
        legend_lines=1 + wrong,
        beside=2.0 if wrong else 1.3,
    )
    as_r = " as R gives it" if wrong else ""
    once = _once_where_the_same(figures)
    _identity_points(panel, once, _heights(once, rows, m), as_r, m)
    in_part = set(figures.loc[not_drawn, "measure"])
    several = set(once.loc[once.duplicated("measure"), "measure"]) - in_part
    shown_rows = {name: row for name, row in rows.items() if name in several}
    if m > 1:
        _means(panel, figures, shown_rows, as_r)
    for name, row in rows.items():
        of_measure = figures[figures["measure"] == name]
        if name in in_part:
            _hidden_text(panel, row, of_measure)
        else:
            _identity_text(panel, row, of_measure, result.digits)
    panel.set_xlim(0, end)
    panel.set_ylim(-0.55, len(IDENT) - 0.35)
    finish(panel, list(rows.values()), labels, words)
    return panel


def _without_keys(result: Disclosure) -> str:
    """A word on people whom the keys themselves leave out; no number, since a record that is left
    out for several reasons is booked under one of them.
    """
    reasons = [reason.name for reason in REASONS if reason.about_keys]
    for people in people_of(result):
        if any(people.removed("original", reason).n for reason in reasons):
            return ", those with a missing key left out"
    return ""


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
    circle = Mark("o", 7, BLUE, hollow=True)
    each = f"each synthesis{as_r}" if m > 1 else f"the synthesis{as_r}"
    points(ax, figures["value"], heights, circle, label=each)
    label = "correct figure, where R's is wrong"
    if figures["value"].isna().any():
        label += " or there is none"
    square = Mark("s", 10, None, hollow=True)
    points(ax, figures["correct"], heights, square, label=label)


def _means(ax: Any, figures: pd.DataFrame, rows: Mapping[str, int], as_r: str) -> None:
    """The mean over the syntheses as an upright line, and the correct one where it differs."""
    means = figures.groupby("measure")[["value", "corrected"]].mean()
    r, correct = means["value"], means["corrected"]
    differing = {name: if_other(r[name], correct[name]) for name in rows}
    _mean_lines(ax, rows, r, linestyles="-", label=f"mean{as_r}", color=VERMILLION)
    _mean_lines(ax, rows, differing, linestyles=":", label="correct mean", color=ink())


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


def _identity_text(ax: Any, y: int, figures: pd.DataFrame, digits: int) -> None:
    """The mean (or the one figure) at the right of the axes; both where R's is wrong."""
    if not _shown(figures):
        return
    r = float(figures["value"].mean())
    correct = float(figures["corrected"].mean())
    r_is_correct = math.isnan(if_other(r, correct))
    text = f"{r:.{digits}f}\u00a0%" if r_is_correct else two_figures(r, correct)
    if len(figures) > 1:
        text = _as_mean(text)
    write_beside(ax, text, y, 10)


def _hidden_text(ax: Any, y: int, figures: pd.DataFrame) -> None:
    """That figures, and so their mean, are not drawn."""
    write_beside(ax, f"mean {HIDDEN}" if len(figures) > 1 else HIDDEN, y, 10)


def _as_mean(text: str) -> str:
    if text.startswith("R"):
        return text.replace("R ", "mean: R ", 1)
    return f"mean {text}"


def _shown(figures: pd.DataFrame) -> list[float]:
    """All figures that are drawn, R's and correct ones."""
    return [*finite(figures["value"]), *finite(figures["correct"])]
