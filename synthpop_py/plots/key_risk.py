"""Pictures of `key_risk`: `plot_pairs`, `plot_sets`. `measure` is "UiO", "repU", or "DiSCO
<target>" ("DiSCO" alone where there is one target).
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from ..errors import InputError
from ..key_risk import KeyRisk, column_of, shown_rows
from ..rounding import ROUND_TO, check_round_to, percent, shown, too_few
from . import frame

MEANING = {
    "UiO": "unique in the original",
    "repU": "unique in the original and in the synthetic data",
    "DiSCO": "whose value is revealed correctly",
}
DARK = 0.6  # of the highest share: from here on figures are white


def plot_pairs(
    result: KeyRisk,
    measure: str = "UiO",
    ax: Any = None,
    *,
    most: Any = None,
    round_to: int = ROUND_TO,
) -> Any:
    """The risk of every pair of keys, and of each key alone on the diagonal; of the `most` keys
    with the riskiest pairs, None for all.
    """
    column, to = column_of(measure, result.targets), check_round_to(round_to)
    other_way = "; choose 'sets', or search again with"
    if len(result.candidates) < 2:
        only = "kind: 'pairs' needs two candidate keys, but there is only one"
        raise InputError(f"{only}{other_way} more candidates")
    if result.max_keys < 2:
        only = "kind: 'pairs' needs sets of two keys, but max_keys was 1"
        raise InputError(f"{only}{other_way} max_keys=2")
    if too_few(result.Norig, to):
        return frame.say_instead(ax, too_few(result.Norig, to))
    rows = shown_rows(result, to)
    rows = rows[rows["size"] <= 2]
    keys = _foremost(result, rows, column, most)
    side = len(keys)
    width, height = 3.2 + 0.72 * side, 2.4 + 0.6 * side
    panel = frame.axes_of(ax, width, height)
    everybody = shown(result.Norig, result.Norig, to=to)
    highest = max(rows[column].max(), 1)
    decimals = None if to > 1 else 1
    board = np.full((side, side), np.nan)
    for pair, n in zip(rows["keys"], rows[column]):
        if not set(pair) <= set(keys):
            continue
        places = [keys.index(key) for key in pair]
        x, y = min(places), max(places)
        board[y, x] = n / highest
        text = percent(n, everybody, to, decimals).removesuffix(" %")
        text = text.replace("under ", "<").replace("over ", ">").replace(" ", "\n")
        look = {"color": "white"} if board[y, x] > DARK else {}
        panel.text(x, y, text, ha="center", va="center", fontsize=frame.SMALL, **look)
    colours = frame.matplotlib().colors.LinearSegmentedColormap
    blues = colours.from_list("blues", [panel.get_facecolor(), frame.BLUE])
    panel.imshow(board, cmap=blues, vmin=-0.06, vmax=1, aspect="auto")
    tilted = {"rotation": 35, "ha": "right", "rotation_mode": "anchor"}
    panel.set_xticks(range(side), map(str, keys), parse_math=False, **tilted)
    panel.set_yticks(range(side), map(str, keys), parse_math=False)
    words = _words(result, column, to, "on the diagonal one key alone")
    frame.dress(panel, "Risk of pairs of keys", words)
    panel.grid(visible=False)
    panel.spines[:].set_visible(False)
    return panel


def plot_sets(
    result: KeyRisk,
    measure: str = "UiO",
    ax: Any = None,
    *,
    most: int = 15,
    round_to: int = ROUND_TO,
) -> Any:
    """The riskiest sets of keys, ranked: a bar each, its value at the right."""
    column, to = column_of(measure, result.targets), check_round_to(round_to)
    if too_few(result.Norig, to):
        return frame.say_instead(ax, too_few(result.Norig, to))
    by_size = shown_rows(result, to).sort_values("size", kind="stable")
    ranked = by_size.sort_values(column, ascending=False, kind="stable")
    rows = ranked.head(max(int(most), 1))
    everybody = shown(result.Norig, result.Norig, to=to)
    labels = [", ".join(map(str, keys)) for keys in rows["keys"]]
    panel = frame.row_axes(ax, labels, [percent(n, everybody, to) for n in rows[column]])
    bars = 100 * rows[column] / everybody
    panel.barh(range(len(rows)), bars, height=0.62, color=frame.SKY)
    title = "All sets of keys" if len(rows) == len(ranked) else "The riskiest sets of keys"
    title = "Risk of one key" if len(ranked) == 1 else title
    xlabel = frame.percent_axis(panel, bars.max())
    frame.dress(panel, title, _words(result, column, to), xlabel)
    return panel


def _foremost(result: KeyRisk, rows: pd.DataFrame, column: str, most: int | None) -> list[Any]:
    """The candidates of the riskiest pairs by what is shown, in their own order."""
    if most is None:
        return list(result.candidates)
    by_key = rows.explode("keys").groupby("keys", sort=False)
    total = by_key[column].sum()
    foremost = total.sort_values(ascending=False, kind="stable").index[: max(int(most), 2)]
    return [name for name in result.candidates if name in foremost]


def _words(result: KeyRisk, column: str, to: int, more: str = "") -> str:
    kind = column.split()[0]
    meaning = f"{column}: % of them {MEANING[kind]}"
    is_mean = result.m > 1 and kind != "UiO"
    over = f"means over {result.m} syntheses" if is_mean else ""
    return frame.about(result.Norig, to, meaning, over, more)
