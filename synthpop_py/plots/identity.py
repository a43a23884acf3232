"""Identity measures over the syntheses of one result: `plot_identity`."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import pandas as pd

from ..disclosure.defect_text import two_figures
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
    finish,
    finite,
    ink,
    names,
    points,
    wrapped,
    write,
)
from .correct_figures import check_result, if_other, refused, with_correct
from .small_figures import HIDDEN, hidden_note

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

    One point per synthesis, the first on top, and the mean of all as an upright line (left out when
    there is one synthesis). Where R's figure is wrong the correct one is drawn too. The axis starts
    at 0 and ends where the figures end.

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
    figures = with_correct(result, tuple(IDENT), min_cell)
    figures["corrected"] = figures["correct"].fillna(figures["value"])
    not_drawn = figures["hidden"] | figures["correct_hidden"]
    m = int(figures["synthesis"].max())
    wrong = bool((figures["correct"].notna() | figures["correct_hidden"]).any())
    labels = [f"{name}\n{MEANING[name]}" for name in IDENT]
    rows = {name: len(IDENT) - 1 - i for i, name in enumerate(IDENT)}
    syntheses = "One synthesis" if m == 1 else f"{m} syntheses"
    words = Wording(
        title="Identity risk from the keys",
        subtitle=wrapped(
            f"{syntheses}; higher is riskier. Keys: {names(result.keys)}{refused(result)}"
            f"{hidden_note(bool(not_drawn.any()), min_cell)}"
        ),
        xlabel=f"{RECORDS} (UiS: of synthetic records)",
    )
    per_synthesis = 0.16 if wrong else 0.1
    row_height = max(0.75, 0.4 + per_synthesis * m)
    panel = axes_for(
        ax,
        labels,
        inches=row_height * len(IDENT),
        subtitle=words.subtitle,
        legend_lines=1 + wrong,
    )
    as_r = " as R gives it" if wrong else ""
    _identity_points(panel, figures, _heights(figures, rows, m), as_r)
    in_part = set(figures.loc[not_drawn, "measure"])
    shown_rows = {name: row for name, row in rows.items() if name not in in_part}
    if m > 1:
        _means(panel, figures, shown_rows, as_r)
    for name, row in rows.items():
        of_measure = figures[figures["measure"] == name]
        if name in in_part:
            _hidden_text(panel, row, of_measure)
        else:
            _identity_text(panel, row, of_measure, result.digits)
    _limits(panel, figures, wrong)
    finish(panel, list(rows.values()), labels, words)
    return panel


def _heights(figures: pd.DataFrame, rows: Mapping[str, int], m: int) -> list[float]:
    """Where each point lies: in the row of its measure, the first synthesis on top."""
    spread = HALF_ROW if m > 1 else 0.0
    heights = []
    for figure in figures.itertuples():
        down = 2 * (figure.synthesis - 1) / max(m - 1, 1)
        heights.append(rows[figure.measure] + spread * (1 - down))
    return heights


def _identity_points(ax: Any, figures: pd.DataFrame, heights: list[float], as_r: str) -> None:
    circle = Mark("o", 7, BLUE, hollow=True)
    points(ax, figures["value"], heights, circle, label=f"a synthesis{as_r}")
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
    """The mean (or the one figure) at the right of the points; both where R's is wrong."""
    shown = _shown(figures)
    if not shown:
        return
    r = float(figures["value"].mean())
    correct = float(figures["corrected"].mean())
    r_is_correct = math.isnan(if_other(r, correct))
    text = f"{r:.{digits}f}" if r_is_correct else two_figures(r, correct)
    if len(figures) > 1:
        text = _as_mean(text)
    write(ax, text, (max(shown), y), (11, 0), va="center")


def _hidden_text(ax: Any, y: int, figures: pd.DataFrame) -> None:
    """That figures, and so their mean, are not drawn."""
    beside = max([0.0, *_shown(figures)])
    text = f"mean {HIDDEN}" if len(figures) > 1 else HIDDEN
    write(ax, text, (beside, y), (11, 0), va="center", style="italic")


def _as_mean(text: str) -> str:
    if text.startswith("R"):
        return text.replace("R ", "mean: R ", 1)
    return f"mean {text}"


def _shown(figures: pd.DataFrame) -> list[float]:
    """All figures that are drawn, R's and correct ones."""
    return [*finite(figures["value"]), *finite(figures["correct"])]


def _limits(ax: Any, figures: pd.DataFrame, wrong: bool) -> None:
    largest = max([1.0, *_shown(figures)])
    room = 1.5 if wrong else 1.3  # for the words at the right
    ax.set_xlim(0, largest * room)
    if largest > 70:
        ax.set_xticks(range(0, 101, 20))
    ax.set_ylim(-0.55, len(IDENT) - 0.35)
