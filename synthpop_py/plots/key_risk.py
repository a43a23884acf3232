"""Risk of sets of keys: `plot_pairs`, `plot_sets`."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from ..errors import InputError
from ..key_risk import KeyRisk, column_of, shown_rows
from ..rounding import ROUND_TO, check_round_to, mark, part, percent, shown, too_few
from .frame import SKY, SMALL, axes_of, axis_end, dress, ink, name_rows, rows_height, say_instead

__all__ = ["plot_pairs", "plot_sets"]

MOST_SETS = 15
MEANING = {
    "UiO": "unique in the original",
    "repU": "unique in the original and in the synthetic data",
    "DiSCO": "whose value is revealed correctly",
}


def plot_pairs(
    result: KeyRisk,
    measure: str = "UiO",
    ax: Any = None,
    *,
    most: int | None = None,
    round_to: int = ROUND_TO,
) -> Any:
    """The risk of every pair of keys, and of each key alone on the diagonal.

    Parameters
    ----------
    result : what `key_risk` returned.
    measure : "UiO", "repU", or "DiSCO <target>" ("DiSCO" alone where there is one target).
    ax : matplotlib axes to draw into; by default those of a new figure.
    most : how many keys, those of the riskiest pairs; None for all.
    round_to : counts of people are rounded to a multiple of this; 1 draws exact ones.

    Returns
    -------
    matplotlib axes
    """
    column = column_of(measure, result.targets)
    _check_pairs(result)
    to = check_round_to(round_to)
    if too_few(result.Norig, to):
        return say_instead(ax, too_few(result.Norig, to))
    rows = shown_rows(result, to)
    rows = rows[rows["size"] <= 2]
    names = _foremost(result, rows, column, most)
    place = {name: at for at, name in enumerate(names)}
    rows = rows[[all(key in place for key in keys) for keys in rows["keys"]]]
    n, everybody = len(names), shown(result.Norig, result.Norig, to=to)
    board = np.full((n, n), np.nan)
    panel = axes_of(ax, 3.2 + 0.72 * n, 2.4 + 0.6 * n)
    places = [sorted(place[key] for key in keys) for keys in rows["keys"]]
    for at, value in zip(places, rows[column]):
        board[at[-1], at[0]] = value / max(everybody, 1)
    darkest = max(float(np.nanmax(board)), 1e-9)
    panel.imshow(board, cmap="Blues", vmin=0, vmax=1.25 * darkest, aspect="auto")
    for at, value in zip(places, rows[column]):
        is_dark = board[at[-1], at[0]] > 0.7 * darkest
        panel.text(at[0], at[-1], _short(value, everybody, to), ha="center", va="center",
                   fontsize=SMALL, color="white" if is_dark else "black")  # fmt: skip
    level = max(len(str(name)) for name in names) <= 8
    tilt = {} if level else {"rotation": 35, "ha": "right", "rotation_mode": "anchor"}
    panel.set_xticks(range(n), map(str, names), fontsize=SMALL, parse_math=False, **tilt)
    panel.set_yticks(range(n), map(str, names), fontsize=SMALL, parse_math=False)
    words = _words(result, column, to)
    dress(panel, "Risk of pairs of keys", f"On the diagonal one key alone. {words}")
    panel.grid(visible=False)
    panel.spines[:].set_visible(False)
    return panel


def plot_sets(
    result: KeyRisk,
    measure: str = "UiO",
    ax: Any = None,
    *,
    most: int = MOST_SETS,
    round_to: int = ROUND_TO,
) -> Any:
    """The riskiest sets of keys, ranked: a bar each, its value at the right.

    Parameters
    ----------
    result : what `key_risk` returned.
    measure : as for `plot_pairs`.
    ax : matplotlib axes to draw into; by default those of a new figure.
    most : how many sets.
    round_to : counts of people are rounded to a multiple of this; 1 draws exact ones.

    Returns
    -------
    matplotlib axes
    """
    column = column_of(measure, result.targets)
    to = check_round_to(round_to)
    if too_few(result.Norig, to):
        return say_instead(ax, too_few(result.Norig, to))
    everything = shown_rows(result, to).sort_values(["size"], kind="stable")
    ranked = everything.sort_values(column, ascending=False, kind="stable")
    rows = ranked.head(max(int(most), 1))
    everybody = shown(result.Norig, result.Norig, to=to)
    bars = 100 * rows[column] / max(everybody, 1)
    labels = [", ".join(map(str, keys)) for keys in rows["keys"]]
    panel = axes_of(ax, 7.4, 1.9 + rows_height(labels))
    ys = list(range(len(rows) - 1, -1, -1))
    panel.barh(ys, bars, height=0.62, color=SKY, edgecolor=ink(), linewidth=0.8)
    name_rows(panel, labels, [percent(n, everybody, to) for n in rows[column]])
    end = axis_end(max(0.5, float(bars.max())))
    panel.set_xlim(0, end)
    title = "All sets of keys" if len(rows) == len(ranked) else "The riskiest sets of keys"
    if len(ranked) == 1:
        title = "Risk of one key"
    ends = "" if end >= 100 else f"; axis ends at {end:g} %"
    dress(panel, title, _words(result, column, to), f"% of all people{ends}")
    return panel


def _check_pairs(result: KeyRisk) -> None:
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


def _foremost(result: KeyRisk, rows: pd.DataFrame, column: str, most: int | None) -> list[Any]:
    """The candidates of the riskiest pairs by what is shown, in their own order."""
    if most is None or most >= len(result.candidates):
        return list(result.candidates)
    total = {
        name: sum(n for keys, n in zip(rows["keys"], rows[column]) if name in keys)
        for name in result.candidates
    }
    foremost = sorted(result.candidates, key=lambda name: -total[name])[: max(int(most), 2)]
    return [name for name in result.candidates if name in foremost]


def _short(n: float, everybody: int, to: int) -> str:
    """A percentage for a small square."""
    text = percent(n, everybody, to, None if to > 1 else 1).removesuffix(" %")
    return text.replace("under ", "<").replace("over ", ">").replace(" ", "\n")


def _words(result: KeyRisk, column: str, to: int) -> str:
    kind, _, target = column.partition(" ")
    of_target = f" ({target})" if target else ""
    averaged = f", means over {result.m} syntheses" if result.m > 1 and kind != "UiO" else ""
    number = f"{result.Norig:,}" if to == 1 else part(result.Norig, to=to)
    return (
        f"{column}: % of {number} people {MEANING[kind]}{of_target}{averaged}; higher is"
        f" riskier.\n{mark(to)}"
    )
