"""Drechsler and Reiter (2009): a formula beside its text, sentences against Tables 1 to 7.

Their data are confidential, so that only what is printed can be compared.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from synthpop_py.estimation import ci_overlap
from tests.published import drechsler_reiter_figures as paper

from .erratum import Erratum, figures


def errata() -> list[Erratum]:
    return [overlap(), variation(), rounding()]


# ---- (2) -----------------------------------------------------------------------------

ORIGINAL_INTERVAL, SYNTHETIC_INTERVAL = (0.0, 1.0), (2.0, 3.0)


def overlap_as_printed(first: tuple[float, float], second: tuple[float, float]) -> float:
    """(2), the limits of the intersection taken as largest low and smallest high end."""
    width = min(first[1], second[1]) - max(first[0], second[0])
    return width / (2 * (first[1] - first[0])) + width / (2 * (second[1] - second[0]))


def overlap() -> Erratum:
    computed = ci_overlap(SYNTHETIC_INTERVAL, ORIGINAL_INTERVAL).mean
    return Erratum(
        name="overlap of disjoint intervals",
        where="section 2.3, (2)",
        printed="I = (U_i - L_i) / 2(U_o - L_o) + (U_i - L_i) / 2(U_s - L_s)",
        gives=f"{overlap_as_printed(ORIGINAL_INTERVAL, SYNTHETIC_INTERVAL):.0f} for (0, 1) and"
        " (2, 3)",
        shows="0 (text)",
        ours=f"{float(computed):.0f}",
        used='the text; the formula with `disjoint="negative"`',
        kind="extension",
    )


# ---- section 3.2 ---------------------------------------------------------------------


def nearer() -> list[int]:
    """How many of the 31 point estimates come nearer to the original's from m = 3 to 10, to 50, to
    100, and from 3 to 100 at once: not an erratum, "for most parameters" is true.
    """
    estimates = np.array([*paper.MEANS, *paper.COEFFICIENTS])
    error = np.abs(estimates[:, 1:] - estimates[:, :1])
    return _falls(error)


def more_overlap() -> list[int]:
    """How many of the 31 overlaps increase, in the same steps."""
    return _falls(-np.array([*paper.OVERLAP_OF_MEANS, *paper.OVERLAP_OF_COEFFICIENTS]))


def _falls(table: npt.NDArray[np.float64]) -> list[int]:
    # figures have three decimals; a difference of a rounding error is none
    steps = np.column_stack([np.diff(table, axis=1), table[:, -1] - table[:, 0]])
    return [int(count) for count in (steps < -1e-9).sum(axis=0)]


def variation() -> Erratum:
    spread = np.array(paper.OVERLAP_OF_SIMULATIONS).std(axis=0, ddof=1)
    return Erratum(
        name="variation of the overlap",
        where="section 3.2, on Table 5",
        printed="decreases with m",
        gives="four falling figures",
        shows=f"standard deviations {figures(*spread, digits=4)} for m = 3, 10, 50, 100 (Table 5)",
        ours="confidential data",
        used="true up to m = 50; ten simulations cannot tell the last two apart",
    )


# ---- sections 3.3 and 4.2 ------------------------------------------------------------


def rounding() -> Erratum:
    one, two = paper.ONE_STAGE[10]["true"], paper.TWO_STAGE[3, 3]["true"]
    return Erratum(
        name="true matches, rounded",
        where="sections 3.3 and 4.2",
        printed="m = 10: 83 (section 3.3), 82 (section 4.2); m = r = 3: 67",
        gives="83, 82, 67",
        shows=f"{one}, {one}, {two} (Tables 6 and 7)",
        ours="confidential data",
        used="the tables",
        kind="rounding",
    )
