"""Figures of `key_risk()`: pairs of keys as a chessboard, and sets of keys by rank."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

from ..errors import InputError
from ..key_risk import KeyRisk, measures_of

from ..show import MIN_CELL
from .canvas import (
    BLUE,
    LINE,
    PANEL,
    RECORDS,
    SKY,
    TEXT,
    axes_for,
    axis_end,
    end_words,
    finish,
    finite,
    grey,
    ink,
    matplotlib,
    panel_for,
    row_names,
    ruler,
    subtitle_of,
    write,
    write_beside,
)
from .fitting import Panel, Wording, fit, setting_of
from .measuring import Ruler, lines_of
from .small_figures import (
    HIDDEN,
    NOTHING,
    hidden_among,
    hidden_note,
    is_hidden,
    people_words,
)

__all__ = ["plot_pairs", "plot_sets"]

MEANING = {
    "UiO": "unique in the original data",
    "repU": "unique in the original and in the synthetic data",
    "DiSCO": "whose target value the synthetic data reveal correctly",
}
MOST_SETS = 15
LONGEST_NAME = 1.6  # inches, below the chessboard
SQUARE = 0.62  # inches
TILTED = {"rotation": 45, "ha": "right", "rotation_mode": "anchor"}
DIAGONAL = " On the diagonal: one key alone."
# of the deepest colour: from here on white figures are easier to read than black ones
DARK_ENOUGH = 0.9


class KeySet(NamedTuple):
    """Keys by position, and the mean of a measure; NaN and hidden where it may not be shown."""

    keys: tuple[int, ...]
    text: str
    value: float
    hidden: bool


def plot_pairs(
    result: KeyRisk,
    measure: str = "UiO",
    ax: Any = None,
    *,
    most: int | None = None,
    min_cell: int = MIN_CELL,
    also_hidden: frozenset[str] = NOTHING,
) -> Any:
    """The risk of every pair of keys, and of each key alone on the diagonal.

    Parameters
    ----------
    result : what `key_risk` returned.
    measure : "UiO", "repU", or "DiSCO <target>" ("DiSCO" alone where there is one target).
    ax : matplotlib axes to draw into; by default those of a new figure.
    most : how many keys, those that add most to UiO; None for all.
    min_cell : figures of fewer people are not drawn; 0 draws all.
    also_hidden : names of counts that the page around the picture hides.

    Returns
    -------
    matplotlib axes
    """
    position = result._measure_position(measure)
    if len(result.candidates) < 2:
        raise InputError(
            "kind: 'pairs' needs two candidate keys, but there is only one; choose 'sets', "
            "or search again with more candidates"
        )
    if result.max_keys < 2:
        raise InputError(
            "kind: 'pairs' needs sets of two keys, but max_keys was 1; choose 'sets', or search"
            " again with max_keys=2"
        )
    shown = keys_that_add_most(result, most)
    small = []
    for keys in _sets(result, position, min_cell, also_hidden):
        if len(keys.keys) <= 2 and set(keys.keys) <= set(shown):
            places = tuple(shown.index(key) for key in keys.keys)
            small.append(keys._replace(keys=places))
    n = len(shown)
    labels = [str(result.candidates[key]) for key in shown]
    hidden = any(keys.hidden for keys in small)
    words = _wording(result, position, "Risk of pairs of keys", hidden, min_cell, DIAGONAL)
    panel = _board_for(ax, labels, words.subtitle)
    _chessboard(panel, small, n)
    panel.set_xticks(range(n), [""] * n)
    panel.tick_params(length=0)
    panel.spines[:].set_visible(False)
    fit(panel, Panel(words, rows=labels, places=range(n), subtitle=subtitle_of(panel)))
    _name_columns(panel, labels)
    return panel


def _board_for(ax: Any, labels: Sequence[str], subtitle: str) -> Any:
    """The axes to draw into; a new figure has squares of one size."""
    measure = ruler()
    left = measure.widest(row_names(labels), TEXT)
    below = 0.75 * min(measure.widest(labels, TEXT), LONGEST_NAME)
    board = SQUARE * len(labels)
    across = max(board, PANEL * 0.75)
    lines = lines_of(measure.wrapped(subtitle, across, TEXT))
    return panel_for(ax, across + left + 0.6, board + below + LINE * lines + 1.0)


def _name_columns(panel: Any, labels: Sequence[str]) -> None:
    """Names below the chessboard: level where its squares are wide enough, otherwise tilted and
    shortened (they are written out at the left).
    """
    frame, dpi = panel.get_window_extent(), panel.figure.dpi
    size = setting_of(panel).text
    measure = Ruler(dpi)
    square = frame.width / dpi / len(labels)
    level = measure.widest(labels, size) < square - 0.08
    longest = min(LONGEST_NAME, 0.45 * frame.height / dpi)
    names = [measure.shortened(label, longest, size) for label in labels]
    shown = labels if level else names
    look = {} if level else TILTED
    panel.set_xticks(range(len(labels)), shown, fontsize=size, parse_math=False, **look)


def plot_sets(
    result: KeyRisk,
    measure: str = "UiO",
    ax: Any = None,
    *,
    most: int = MOST_SETS,
    min_cell: int = MIN_CELL,
) -> Any:
    """The riskiest sets of keys, ranked: a bar each, its value at the right.

    Parameters
    ----------
    result : what `key_risk` returned.
    measure : as for `plot_pairs`.
    ax : matplotlib axes to draw into; by default those of a new figure.
    most : how many sets.
    min_cell : figures of fewer people are not drawn; 0 draws all.

    Returns
    -------
    matplotlib axes
    """
    position = result._measure_position(measure)
    ranked = sorted(_sets(result, position, min_cell), key=_rank)
    shown = ranked[: max(int(most), 1)]
    hidden = any(keys.hidden for keys in shown)
    title = "All sets of keys" if len(shown) == len(ranked) else "The riskiest sets of keys"
    if len(ranked) == 1:
        title = "Risk of one key"
    words = _wording(result, position, title, hidden, min_cell)
    labels = [keys.text for keys in shown]
    end = axis_end(max([0.5, *finite(keys.value for keys in shown)]))
    rows = max(lines_of(label) for label in row_names(labels))
    panel = axes_for(
        ax,
        labels,
        inches=max(0.3, 0.1 + LINE * rows) * (len(shown) + 0.5),
        subtitle=words.subtitle,
        legend_lines=0,
        beside=0.8,
    )
    ys = list(range(len(shown) - 1, -1, -1))
    lengths = [keys.value for keys in shown]
    panel.barh(ys, lengths, height=0.6, color=SKY, edgecolor=ink(), linewidth=0.8, zorder=2)
    for y, keys in zip(ys, shown):
        write_beside(panel, HIDDEN if keys.hidden else f"{keys.value:.{result.digits}f}", y, 8)
    panel.set_xlim(0, end)
    panel.set_ylim(-0.7, len(shown) - 0.3)
    last = Wording(words.title, words.subtitle, xlabel=RECORDS + end_words(end))
    finish(panel, ys, labels, last, ticks_only=True)
    return panel


def keys_that_add_most(result: KeyRisk, most: int | None) -> list[int]:
    """Positions of the candidates that fit into a picture, in their own order."""
    everyone = range(len(result.candidates))
    if most is None or most >= len(everyone):
        return list(everyone)
    foremost = set(result.marginal().index[: max(int(most), 2)])
    return [position for position in everyone if result.candidates[position] in foremost]


def _rank(keys: KeySet) -> tuple[float, int]:
    """Highest first, fewer keys first among equals; hidden figures, which are small, last."""
    return (math.inf if keys.hidden else -keys.value), len(keys.keys)


def _sets(
    result: KeyRisk, position: int, min_cell: int, also_hidden: frozenset[str] = NOTHING
) -> list[KeySet]:
    """All sets, in the order of `KeyRisk.table`."""
    rows = range(len(result.table))
    behind = [(mean_of(result, row, position), everybody(result)) for row in rows]
    names_hidden = hidden_among(behind, result._relations(), min_cell) | also_hidden
    values = result.table[measures_of(result.targets)[position]]
    sets = []
    for row, people in enumerate(behind):
        hidden = is_hidden(people, names_hidden)
        sets.append(
            KeySet(
                keys=result._counts.subsets[row],
                text=str(result.table["text"].iloc[row]),
                value=math.nan if hidden else float(values.iloc[row]),
                hidden=hidden,
            )
        )
    return sets


def _wording(
    result: KeyRisk, position: int, title: str, hidden: bool, min_cell: int, more: str = ""
) -> Wording:
    measure = measures_of(result.targets)[position]
    kind, *_ = measure.split(" ", 1)
    of_original = kind == "UiO"  # the same, whatever was synthesised
    averaged = f", mean of {result.m} syntheses" if result.m > 1 and not of_original else ""
    subtitle = (
        f"{measure}: % of {people_words(result.Norig, min_cell)} {MEANING[kind]}{averaged}; higher"
        f" is riskier.{more}"
        f"{hidden_note(hidden, min_cell)}"
    )
    return Wording(title=title, subtitle=subtitle, xlabel="")


def _chessboard(panel: Any, sets: Sequence[KeySet], n: int) -> None:
    """One square for each pair, below the diagonal; on it the keys alone. Squares are drawn as
    shapes, so a page can give them another background.
    """
    top = max([1.0, *finite(keys.value for keys in sets)])
    for keys in sets:
        column, row = keys.keys[0], keys.keys[-1]
        depth = 0.0 if keys.hidden else keys.value / top
        _square(panel, column, row, depth)
        _frame(panel, column, row)
        write(
            panel,
            HIDDEN if keys.hidden else f"{keys.value:.1f}",
            (column, row),
            (0, 0),
            ha="center",
            va="center",
            color="white" if depth > DARK_ENOUGH else ink(),
            style="italic" if keys.hidden else "normal",
        )
    panel.set_xlim(-0.5, n - 0.5)
    panel.set_ylim(n - 0.5, -0.5)


def _square(panel: Any, column: int, row: int, depth: float) -> None:
    """The colour of a square, from nothing (0) to the deepest (1)."""
    corner = (column - 0.5, row - 0.5)
    square = matplotlib().patches.Rectangle(corner, 1, 1, color=BLUE, alpha=depth, linewidth=0)
    panel.add_patch(square)


def _frame(panel: Any, column: int, row: int) -> None:
    """A line around a square: one of no risk has the colour of the background."""
    left, right, top, bottom = column - 0.5, column + 0.5, row - 0.5, row + 0.5
    x, y = [left, right, right, left, left], [top, top, bottom, bottom, top]
    panel.plot(x, y, color=grey(panel, 0.25), linewidth=0.8, zorder=1.5, clip_on=False)
