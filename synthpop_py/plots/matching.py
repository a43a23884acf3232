"""Figures of identification risk (matplotlib, imported when a figure is asked for)."""

from __future__ import annotations

from typing import Any, Sequence

from ..matching.results import IdentificationRisk
from .canvas import BLUE, SKY, TEXT, TITLE, VERMILLION, matplotlib, names, wrapped

__all__ = ["plot_path"]

# measure, what it says, colour, marker, line: told apart without colour too
LINES = (
    ("perceived", "perceived: highest probability above {threshold:g}", SKY, "^", ":"),
    ("expected", "expected: right guesses", VERMILLION, "o", "-"),
    ("true", "true: right and unique", BLUE, "s", "--"),
)
WIDTH, HEIGHT = 6.4, 4.4  # inches
LEGEND_GAP = 38 / 72


def plot_path(risk: IdentificationRisk, ax: Any = None, steps: Sequence[int] | None = None) -> Any:
    """Risk against the number of released sets.

    Parameters
    ----------
    risk : what `identification_risk` returned.
    ax : matplotlib axes to draw into; by default those of a new figure.
    steps : numbers of sets to show, as for `IdentificationRisk.path`.

    Returns
    -------
    matplotlib axes
    """
    library = matplotlib()
    path = risk.path(steps)
    if ax is None:
        ax = library.figure.Figure(figsize=(WIDTH, HEIGHT), layout="constrained").add_subplot()
    for measure, meaning, colour, marker, line in LINES:
        face = ax.get_facecolor() if marker == "^" else colour
        style = {"color": colour, "marker": marker, "linestyle": line, "markerfacecolor": face, "markeredgecolor": colour, "markeredgewidth": 1.6}
        ax.plot(path.index, path[measure], linewidth=1.6, markersize=7, label=meaning.format(threshold=risk.threshold), clip_on=False, zorder=3, **style)
    keys = f"Keys unchanged: {names(risk.known) or 'none'}; synthesised: {names(risk.synthesised) or 'none'}"
    subtitle = wrapped(f"{risk.attack.capitalize()} attack on {risk.n} records; higher is riskier. {keys}")
    _finish(ax, library, subtitle, "released nests of sets" if risk.r else "released synthetic sets", list(path.index))
    return ax


def _finish(ax: Any, library: Any, subtitle: str, xlabel: str, places: list[int]) -> None:
    ax.set_ylim(bottom=0, top=max(ax.get_ylim()[1], 1))
    ax.xaxis.set_major_locator(library.ticker.MaxNLocator(integer=True) if len(places) > 12 else library.ticker.FixedLocator(places))
    ax.yaxis.set_major_locator(library.ticker.MaxNLocator(integer=True))
    ax.tick_params(labelsize=TEXT)
    ax.set_xlabel(xlabel, fontsize=TEXT)
    ax.set_ylabel("original records", fontsize=TEXT)
    ax.set_title("Identification risk as more sets are released", loc="left", fontsize=TITLE, fontweight="bold", pad=10 + 12 * (subtitle.count("\n") + 1))
    ax.annotate(subtitle, xy=(0, 1), xycoords="axes fraction", xytext=(0, 7), textcoords="offset points", va="bottom", fontsize=TEXT, parse_math=False)
    ax.spines[["top", "right"]].set_visible(False)
    ax.set_axisbelow(True)
    ax.grid(axis="y", color="0.85", linewidth=0.8)
    below = ax.transAxes + library.transforms.ScaledTranslation(0, -LEGEND_GAP, ax.figure.dpi_scale_trans)
    ax.legend(loc="upper left", bbox_to_anchor=(0, 0), bbox_transform=below, ncol=1, fontsize=TEXT, frameon=False, borderaxespad=0, borderpad=0)
