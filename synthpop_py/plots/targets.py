"""Attribute risk of every target: `plot_targets`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..arguments import check_number
from ..errors import InputError
from ..rounding import ROUND_TO, check_round_to, mark, people, percent, too_few
from ..show.people_pages import common_knowledge, nearly_sure, rows_of
from .frame import (
    BLUE,
    DASHES,
    VERMILLION,
    axes_of,
    axis_end,
    dress,
    ink,
    name_rows,
    rows_height,
    say_instead,
)

if TYPE_CHECKING:
    import pandas as pd

    from ..multi import MultiDisclosure

__all__ = ["plot_targets"]

CLOSE = 3  # per cent of the axis: points this near to each other have no arrow between them


def plot_targets(
    multi: MultiDisclosure,
    ax: Any = None,
    *,
    ceiling: float | None = None,
    round_to: int = ROUND_TO,
) -> Any:
    """Attribute risk of every target: an arrow from what the original itself reveals (Dorig) to
    what the synthetic data reveal correctly (DiSCO), highest on top. The figures are the correct
    ones, means over the syntheses, whatever `attrib_meas` is printed. The axis ends where they end.

    Parameters
    ----------
    multi : what `multi_disclosure` returned.
    ax : matplotlib axes to draw into; by default those of a new figure.
    ceiling : the highest risk you accept, in %: a line is drawn there; None for none.
    round_to : counts of people are rounded to a multiple of this; 1 draws exact ones.

    Returns
    -------
    matplotlib axes
    """
    if not hasattr(multi, "output_list"):
        raise InputError(
            f"multi: {type(multi).__name__} cannot be drawn here; give what multi_disclosure()"
            " returned"
        )
    limit = None if ceiling is None else check_number("ceiling", ceiling, 0, 100)
    to = check_round_to(round_to)
    why = too_few(multi.Norig, to)
    if why:
        return say_instead(ax, why)
    rows = rows_of(list(multi.output_list.values()), to)
    everybody = rows["N"].iloc[0]
    shares = 100 * rows[["Dorig", "DiSCO"]] / max(everybody, 1)
    end = axis_end(max(0.5, float(shares.max().max()), 1.05 * (limit or 0)))
    known = [any(common_knowledge(multi.output_list[name], to)) for name in rows.index]
    labels = [f"{name}{' *' if is_known else ''}" for name, is_known in zip(rows.index, known)]
    panel = axes_of(ax, 7.6, 2.0 + rows_height(labels))
    ys = range(len(rows) - 1, -1, -1)
    _points_and_arrows(panel, shares, list(ys), end)
    if limit is not None:
        panel.axvline(limit, color=ink(), linewidth=1.2, linestyle=DASHES,
                      label=f"ceiling {limit:g} %")  # fmt: skip
    panel.set_xlim(0, end)
    name_rows(panel, labels, [_values(row, to) for row in rows.to_dict("records")])
    syntheses = f", means over {multi.m} syntheses" if multi.m > 1 else ""
    star = " * part of it may be common knowledge." if any(known) else ""
    keys = ", ".join(map(str, multi.keys))
    sure = nearly_sure(next(iter(multi.output_list.values())).certainty)
    dress(
        panel,
        "Attribute risk of each target",
        f"{people(everybody, to=to)} people{syntheses}; higher is riskier. Keys: {keys}."
        f"{star}{sure}\n{mark(to)}",
        "% of all people" + ("" if end >= 100 else f"; axis ends at {end:g} %"),
    )
    return panel


def _points_and_arrows(panel: Any, shares: pd.DataFrame, ys: list[int], end: float) -> None:
    arrow = {"arrowstyle": "-|>", "color": "grey", "shrinkA": 5, "shrinkB": 5}
    for y, (original, synthetic) in zip(ys, shares.to_numpy()):
        if abs(original - synthetic) > CLOSE * end / 100:
            panel.annotate("", (synthetic, y), (original, y), arrowprops=arrow)
    look = {"linestyle": "none", "markersize": 8, "markeredgewidth": 1.6, "clip_on": False}
    panel.plot(shares["Dorig"], ys, marker="o", color=BLUE, markerfacecolor="none",
               label="Dorig: the original itself reveals it", **look)  # fmt: skip
    panel.plot(shares["DiSCO"], ys, marker="s", color=VERMILLION,
               label="DiSCO: the synthetic data reveal it, correctly", **look)  # fmt: skip


def _values(row: dict[str, float], to: int) -> str:
    original, synthetic = (percent(row[name], row["N"], to) for name in ("Dorig", "DiSCO"))
    return f"{original} → {synthetic}"
