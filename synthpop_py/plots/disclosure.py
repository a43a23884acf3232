"""Figures of disclosure risk (matplotlib, imported when a figure is asked for).

Every function returns the axes, draws into `ax` if one is given and otherwise into a figure of its
own, sized by what it has to hold. No window is opened and pyplot is not touched:
``plot_targets(result).figure.savefig("risk.png")`` saves a figure.

Hollow markers are original data, filled ones synthetic data, large hollow ones in the colour of the
text are right figures where R's are wrong. Colours are those of Okabe and Ito; markers, fill and
hatches tell the same apart without colour.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from operator import index
from typing import Any, NamedTuple

import pandas as pd

from ..disclosure.defect_text import two_figures
from ..disclosure.result import Disclosure
from ..errors import InputError
from ..r.layouts import IDENT
from ..summary.result import ORIGINAL_MEASURE, MultiDisclosure
from .canvas import (
    BLUE,
    LINE,
    SKY,
    TEXT,
    VERMILLION,
    axes_for,
    finish,
    finite,
    ink,
    matplotlib,
    names,
    points,
    text_above,
    wrapped,
)

__all__ = ["plot_funnel", "plot_identity", "plot_targets"]

ROOM_FOR_ARROW = 20  # points
LABEL_CHARACTERS, TITLE_CHARACTERS = 44, 66
RECORDS = "% of original records"

IDENTITY_MEANING = {
    "UiO": "unique in original",
    "UiS": "unique in synthetic",
    "UiOiS": "unique in original,\nfound in synthetic",
    "repU": "unique in both",
}
FUNNEL_MEANING = {
    "iS": "keys found in synthetic data",
    "DiS": "… one target value certain there",
    "DiSCO": "… and it is the true one",
    "DiSDiO": "… and certain in original too",
}


# ---- targets -------------------------------------------------------------------------


class TargetFigures(NamedTuple):
    """One row of the comparison: percentages, NaN where there is none; the right ones only where
    R's differ.
    """

    label: str
    original: float
    synthetic: float
    right_original: float
    right_synthetic: float


def plot_targets(multi: MultiDisclosure, ax: Any = None) -> Any:
    """Attribute risk of every target: from the original to the synthetic data.

    Two points per target, an arrow from the original to the synthetic value (below them where they
    touch); the row labels of ``multi.attrib_table``, highest synthetic risk on top (targets without
    a synthetic figure above them, as R has them). Where R's figure is wrong the right one is drawn
    too, with both written above it.

    R's own plot puts the arrow head at the smaller of the two values, whichever it is.

    Parameters
    ----------
    multi : what `multi_disclosure` returned.
    ax : matplotlib axes to draw into; by default those of a new figure.

    Returns
    -------
    matplotlib axes
    """
    if not isinstance(multi, MultiDisclosure):
        raise InputError(
            f"multi: {type(multi).__name__} cannot be drawn here; give what multi_disclosure()"
            " returned"
        )
    rows = target_figures(multi)
    original, synthetic = ORIGINAL_MEASURE[multi.attrib_meas], multi.attrib_meas
    wrong = any(not (math.isnan(r.right_original) and math.isnan(r.right_synthetic)) for r in rows)
    labels = [wrapped(r.label, LABEL_CHARACTERS) for r in rows]
    averaged = f", mean of {multi.m} syntheses" if multi.m > 1 else ""
    subtitle = wrapped(
        f"From {original} in the original data to {synthetic} in the synthetic data"
        f" (arrow){averaged}; higher is riskier. Keys: {names(multi.keys)}"
    )
    row_height = max(
        0.46 if wrong else 0.42, 0.1 + LINE * max(label.count("\n") + 1 for label in labels)
    )
    panel = axes_for(ax, labels, row_height * (len(rows) + 0.5), subtitle, 1 + wrong)

    ys = range(len(rows))
    for y, row in zip(ys, rows):
        _target_arrow(panel, y, row)
        _target_text(panel, y, row, original, synthetic)
    as_r = " as R gives it" if any(not math.isnan(r.right_synthetic) for r in rows) else ""
    points(
        panel,
        [r.original for r in rows],
        ys,
        "o",
        9,
        BLUE,
        hollow=True,
        label=f"original data: {original}",
    )
    points(
        panel,
        [r.synthetic for r in rows],
        ys,
        "D",
        6,
        VERMILLION,
        label=f"synthetic data: {synthetic}{as_r}",
    )
    points(
        panel,
        [r.right_original for r in rows],
        ys,
        "^",
        14,
        None,
        hollow=True,
        label=f"correct {original}, where R's is wrong",
    )
    points(
        panel,
        [r.right_synthetic for r in rows],
        ys,
        "s",
        13,
        None,
        hollow=True,
        label=f"correct {synthetic}, where R's is wrong",
    )

    panel.set_ylim(-0.6, len(rows) - 0.1)
    panel.set_xlim(0, 100)
    finish(
        panel,
        ys,
        labels,
        "Attribute risk of each target",
        subtitle,
        RECORDS if multi.attrib_meas != "DCAP" else "%, mean over original records",
    )
    return panel


def target_figures(multi: MultiDisclosure) -> list[TargetFigures]:
    """Rows of the comparison, bottom first: `attrib_table` with the right figures beside it."""
    right = {} if multi.corrected is None else dict(_by_target(multi.corrected))
    figures = []
    for target, row in _by_target(multi):
        other = right.get(target, row)
        label = _without_rank(row.Index)
        flags = (
            ""
            if _without_rank(other.Index) == label
            else f"\n(right: {_without_rank(other.Index)})"
        )
        figures.append(
            TargetFigures(
                row.Index + flags,
                row.original,
                row.synthetic,
                _if_other(row.original, other.original),
                _if_other(row.synthetic, other.synthetic),
            )
        )
    return figures


def _by_target(multi: MultiDisclosure) -> Iterable[tuple[Any, Any]]:
    """The rows of `attrib_table`, each with its target."""
    ordered = multi.ordered_rows
    table = multi.attrib_table.rename(
        columns={"attrib.orig": "original", "attrib.syn": "synthetic"}
    )
    return zip([row.target for row in ordered], table.itertuples())


def _without_rank(label: str) -> str:
    return label.split(" ", 1)[1]


def _target_arrow(ax: Any, y: int, row: TargetFigures) -> None:
    """From original to synthetic as R gives them; from or to the right figure where R gives none.
    Below the points where they leave it no room.
    """
    start = row.right_original if math.isnan(row.original) else row.original
    end = row.right_synthetic if math.isnan(row.synthetic) else row.synthetic
    if math.isnan(start) or math.isnan(end) or start == end:
        return
    style = {
        "arrowstyle": "-|>,head_length=0.6,head_width=0.3",
        "color": "0.35",
        "linewidth": 1.4,
        "shrinkA": 5,
        "shrinkB": 4.5,
        "mutation_scale": 13,
    }
    place = ax.transData
    points_wide = (
        72 * ax.bbox.width / ax.figure.dpi * 0.8
    )  # labels take their part when the figure is laid out
    if abs(end - start) / 100 * points_wide < ROOM_FOR_ARROW:
        place = place + matplotlib().transforms.ScaledTranslation(
            0, -11 / 72, ax.figure.dpi_scale_trans
        )
        style |= {"shrinkA": 0, "shrinkB": 0, "mutation_scale": 10}
    ax.annotate(
        "",
        xy=(end, y),
        xycoords=place,
        xytext=(start, y),
        textcoords=place,
        arrowprops=style,
        zorder=2,
        annotation_clip=False,
    )


def _target_text(ax: Any, y: int, row: TargetFigures, original: str, synthetic: str) -> None:
    pairs = [
        (original, row.original, row.right_original),
        (synthetic, row.synthetic, row.right_synthetic),
    ]
    moved = [(name, r, right) for name, r, right in pairs if not math.isnan(right)]
    if moved:
        text = "; ".join(
            f"{name}: {two_figures(None if math.isnan(r) else r, right)}"
            for name, r, right in moved
        )
        text_above(ax, moved[-1][2], y, text)
    elif math.isnan(row.original) and math.isnan(row.synthetic):
        ax.annotate(
            "no figure",
            xy=(0, y),
            xytext=(6, 0),
            textcoords="offset points",
            va="center",
            fontsize=TEXT,
            style="italic",
        )


# ---- identity ------------------------------------------------------------------------


def plot_identity(result: Disclosure, ax: Any = None) -> Any:
    """Identity measures (UiO, UiS, UiOiS, repU) over the syntheses.

    One point per synthesis, the first on top, and the mean of all as an upright line (left out when
    there is one synthesis). Where R's figure is wrong the right one is drawn too. The axis starts
    at 0 and ends where the figures end.

    Parameters
    ----------
    result : what `disclosure` returned.
    ax : matplotlib axes to draw into; by default those of a new figure.

    Returns
    -------
    matplotlib axes
    """
    _check_result(result)
    figures = _with_right(result, tuple(IDENT))
    m = int(figures["synthesis"].max())
    subtitle = wrapped(
        f"{'One synthesis' if m == 1 else f'{m} syntheses'}; higher is riskier. Keys:"
        f" {names(result.keys)}{_refused(result)}"
    )
    wrong = bool(figures["right"].notna().any())
    labels = [f"{name}\n{IDENTITY_MEANING[name]}" for name in IDENT]
    row_height = max(0.75, 0.4 + (0.16 if wrong else 0.1) * m)
    panel = axes_for(ax, labels, row_height * len(IDENT), subtitle, 1 + wrong)

    places = {name: len(IDENT) - 1 - i for i, name in enumerate(IDENT)}
    spread = 0.25 if m > 1 else 0.0
    y = [
        places[row.measure] + spread * (1 - 2 * (row.synthesis - 1) / max(m - 1, 1))
        for row in figures.itertuples()
    ]
    as_r = " as R gives it" if wrong else ""
    points(panel, figures["value"], y, "o", 7, BLUE, hollow=True, label=f"a synthesis{as_r}")
    points(
        panel,
        figures["right"],
        y,
        "s",
        10,
        None,
        hollow=True,
        label="correct figure, where R's is wrong"
        + (" or there is none" if figures["value"].isna().any() else ""),
    )
    if m > 1:
        _means(panel, figures, places, as_r)
    for name in IDENT:
        mine = figures[figures["measure"] == name]
        _identity_text(panel, places[name], mine, result.digits)

    largest = max([1.0, *finite(figures["value"]), *finite(figures["right"])])
    panel.set_xlim(0, largest * (1.3 if not wrong else 1.5))  # room for the words at the right
    if largest > 70:
        panel.set_xticks(range(0, 101, 20))
    panel.set_ylim(-0.55, len(IDENT) - 0.35)
    finish(
        panel,
        [places[n] for n in IDENT],
        labels,
        "Identity risk from the keys",
        subtitle,
        f"{RECORDS} (UiS: of synthetic records)",
    )
    return panel


def _means(ax: Any, figures: pd.DataFrame, places: dict[str, int], as_r: str) -> None:
    r = {name: float(part.mean()) for name, part in figures.groupby("measure")["value"]}
    right = {
        name: float(part.mean())
        for name, part in figures["right"].fillna(figures["value"]).groupby(figures["measure"])
    }
    ends = {
        "value": (r, "-", f"mean{as_r}"),
        "right": ({n: _if_other(r[n], right[n]) for n in r}, ":", "correct mean"),
    }
    for values, style, label in ends.values():
        shown = [n for n in places if math.isfinite(values[n])]
        if shown:
            lines = ax.vlines(
                [values[n] for n in shown],
                [places[n] - 0.36 for n in shown],
                [places[n] + 0.36 for n in shown],
                linestyles=style,
                linewidth=2.2,
                label=label,
                clip_on=False,
                zorder=5,
            )
            lines.set_color(VERMILLION if style == "-" else ink())


def _identity_text(ax: Any, y: int, mine: pd.DataFrame, digits: int) -> None:
    """The mean (or the one figure) at the right of the points; both where R's is wrong."""
    r = float(mine["value"].mean())
    right = float(mine["right"].fillna(mine["value"]).mean())
    text = two_figures(r, right) if not math.isnan(_if_other(r, right)) else f"{r:.{digits}f}"
    if len(mine) > 1:
        text = "mean " + text if text[0] != "R" else text.replace("R ", "mean: R ", 1)
    shown = [*finite(mine["value"]), *finite(mine["right"])]
    if shown:
        ax.annotate(
            text,
            xy=(max(shown), y),
            xytext=(11, 0),
            textcoords="offset points",
            va="center",
            fontsize=TEXT,
        )


# ---- funnel --------------------------------------------------------------------------


def plot_funnel(result: Disclosure, synthesis: int = 1, ax: Any = None) -> Any:
    """How the original records fall from all to those whose target can be learnt: iS, DiS, DiSCO,
    DiSDiO.

    A bar each, count and per cent beside it. Where R's figure is wrong the right one is outlined
    and written below R's.

    Parameters
    ----------
    result : what `disclosure` returned.
    synthesis : which of the m syntheses, from 1.
    ax : matplotlib axes to draw into; by default those of a new figure.

    Returns
    -------
    matplotlib axes
    """
    _check_result(result)
    synthesis = _which(result, synthesis)
    figures = _with_right(result, tuple(FUNNEL_MEANING))
    figures = (
        figures[figures["synthesis"] == synthesis].set_index("measure").loc[list(FUNNEL_MEANING)]
    )
    of = f"Synthesis {synthesis} of {result.m}; " if result.m > 1 else ""
    subtitle = wrapped(
        f"{of}{'each' if of else 'Each'} bar is part of the one above it. Keys:"
        f" {names(result.keys)}{_refused(result)}"
    )
    wrong = bool(figures["right"].notna().any())
    labels = [
        "all original records",
        *(f"{name}\n{meaning}" for name, meaning in FUNNEL_MEANING.items()),
    ]
    panel = axes_for(ax, labels, 0.62 * len(labels), subtitle, int(wrong), beside=1.7)

    ys = list(range(len(labels) - 1, -1, -1))
    bar = {"height": 0.6, "edgecolor": ink(), "linewidth": 0.8, "zorder": 2, "clip_on": False}
    panel.barh(ys[:1], [100.0], color="0.8", **bar)
    panel.barh(
        ys[1:],
        figures["value"].fillna(0),
        color=SKY,
        label="as R gives it" if wrong else None,
        **bar,
    )
    counts = [
        (result.Norig, 100.0, math.nan, math.nan),
        *figures[["numerator", "value", "right_numerator", "right"]].itertuples(
            index=False, name=None
        ),
    ]
    outlined = [(y, row[3]) for y, row in zip(ys, counts) if not math.isnan(row[3])]
    if outlined:
        panel.barh(
            *zip(*outlined),
            height=0.78,
            fill=False,
            edgecolor=ink(),
            linewidth=1.8,
            linestyle="--",
            hatch="//",
            label="correct, where R's is wrong",
            zorder=3,
        )
    for y, row in zip(ys, counts):
        panel.annotate(
            _counted(*row),
            xy=(1, y),
            xycoords=("axes fraction", "data"),
            xytext=(8, 0),
            textcoords="offset points",
            va="center",
            fontsize=TEXT,
        )

    panel.set_xlim(0, 100)
    panel.set_ylim(-0.55, len(labels) - 0.45)
    finish(
        panel,
        ys,
        labels,
        wrapped(f"From all records to those whose {result.target} can be learnt", TITLE_CHARACTERS),
        subtitle,
        RECORDS,
        ticks_only=True,
    )
    return panel


def _check_result(result: Any) -> None:
    if isinstance(result, MultiDisclosure):
        raise InputError(
            "result: a summary holds several results; give one of them, as in"
            " summary.output_list[target]"
        )
    if not isinstance(result, Disclosure):
        raise InputError(
            f"result: {type(result).__name__} cannot be drawn here; give what disclosure() returned"
        )


def _which(result: Disclosure, synthesis: Any) -> int:
    try:
        number = index(synthesis)
    except TypeError:
        number = 0
    if isinstance(synthesis, bool) or not 1 <= number <= result.m:
        raise InputError(
            f"synthesis: {synthesis!r}; choices: 1 to {result.m}"
            if result.m > 1
            else f"synthesis: {synthesis!r}; there is only synthesis 1"
        )
    return number


def _counted(n: float, percent: float, right_n: float, right: float) -> str:
    first = "no figure" if math.isnan(percent) else f"{n:,.0f}  ({percent:.2f} %)"
    return first if math.isnan(right) else f"R {first}\ncorrect {right_n:,.0f}  ({right:.2f} %)"


# ---- reading a result ----------------------------------------------------------------


def _with_right(result: Disclosure, measures: Sequence[str]) -> pd.DataFrame:
    """Rows of `tidy` for some measures with the right figure and its numerator where they differ,
    NaN elsewhere.
    """
    on = ["synthesis", "measure"]
    mine = result.tidy()
    mine = mine[mine["measure"].isin(measures)]
    other = mine if result.corrected is None else result.corrected.tidy()
    other = other[[*on, "value", "numerator"]].rename(
        columns={"value": "right", "numerator": "right_numerator"}
    )
    both = mine.merge(
        other[other["measure"].isin(measures)], on=on, how="outer"
    )  # R may have read fewer syntheses
    right = [_if_other(a, b) for a, b in zip(both["value"], both["right"])]
    return both.assign(right=pd.Series(right, index=both.index, dtype=float))


def _if_other(r: float, right: float) -> float:
    """The right figure if there is one and R's is not it."""
    if math.isnan(right) or math.isclose(r, right, rel_tol=1e-12):
        return math.nan
    return float(right)


def _refused(result: Disclosure) -> str:
    """A word on figures of R that have no right counterpart."""
    return (
        ". R's figures; under the corrected reading this call is invalid: see .defects"
        if result.defects and result.corrected is None
        else ""
    )
