"""What the tutorial on youths in custody shows of the experiment on Reiter and Mitra's Table 1."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd

from tests.published import reiter_mitra_design as design
from tests.published import reiter_mitra_figures as paper
from tests.published.reiter_mitra_design import Band, Figures, Point, Row

RELEASED = {"nothing": "nothing", "models": "models", "posterior": "models, coefficients"}
CHOICES = {
    "predictors": ("all 21", "19: without two that repeat others"),
    "codes": ("categories", "numbers 1, 2, 3, …"),
    "ridge": ("0.1", "1"),
    "coefficients in the synthesis": ("drawn for each set", "the estimate for all (plug-in)"),
    "numbers of arrests, probations, stays": ("as they are", "log1p"),
}

Record = Mapping[Point, Figures]


def names(record: Record) -> dict[str, str]:
    """Configurations by their place in stage one; the one followed up by what it changes."""
    numbered = {name: f"no. {place}" for place, name in enumerate(design.screened(record), 1)}
    numbered[design.TODAY] += " (today's)"
    ridge = design.choices(design.FOLLOWED).ridge
    numbered[design.FOLLOWED] = f"{numbered[design.NEAREST_OF_EIGHT]} with ridge {ridge:g}"
    return numbered


def choices(record: Record) -> pd.DataFrame:
    """The five choices, and what each moves."""
    table = pd.DataFrame(
        [(choice, *ways) for choice, ways in CHOICES.items()],
        columns=["choice", "so far on this page", "or"],
    )
    for released, text in RELEASED.items():
        moved = design.effects(record, released).values()
        table[f"moves, released: {text}"] = [f"{value:+.1f}" for value in moved]
    return table


def eight(record: Record) -> pd.DataFrame:
    """The configurations of stage one, nearest first."""
    called = names(record)
    return pd.DataFrame(
        [
            (called[name], design.described(name), with_error(found))
            for name, found in design.screened(record).items()
        ],
        columns=["", "choices", "distance to print"],
    )


def beside(record: Record) -> dict[str, tuple[float, float]]:
    """Distances over the rows of stage one."""
    rows = design.rows_with(design.SCREENING_SETS)
    return design.distances(record, design.BESIDE, design.SCREENING_SEEDS, rows)


def with_error(found: tuple[float, float]) -> str:
    return f"{found[0]:.2f} ± {found[1]:.2f}"


def by_measure(record: Record, measure: str) -> pd.DataFrame:
    """All 14 rows: print, and mean and band of each configuration of stage two."""
    at = paper.MEASURES.index(measure)
    called, configurations = names(record), list(design.ranked(record))
    bands = [design.bands(record, name) for name in configurations]
    rows = [
        (
            RELEASED[row.released],
            row.attack,
            row.m or "",
            f"{figures[at]:g}",
            *(_cell(of_configuration[row], at) for of_configuration in bands),
        )
        for row, figures in design.printed().items()
    ]
    headings = ["released", "intruder", "m", "print", *(called[name] for name in configurations)]
    return pd.DataFrame(rows, columns=headings)


def _cell(band: Band, at: int) -> str:
    mean, low, high = (f"{round(part[at], 1):g}" for part in (band.mean, band.low, band.high))
    text = f"{mean} ({low}–{high})"
    return text if band.inside[at] else f"**{text}**"


def inside(record: Record, configuration: str) -> tuple[int, int]:
    """Of 42 figures and of 14 rows how many lie between the lowest and highest run."""
    found = [band.inside for band in design.bands(record, configuration).values()]
    return int(np.sum(found)), int(np.all(found, axis=1).sum())


def mean(record: Record, configuration: str, measure: str, *row: object) -> float:
    """The mean of one figure over the runs of stage two."""
    band = design.bands(record, configuration)[Row(*row)]  # type: ignore[arg-type]
    return float(band.mean[paper.MEASURES.index(measure)])
