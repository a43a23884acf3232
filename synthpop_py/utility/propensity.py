"""`propensity_utility()`: can a model tell the release from the original? Propensity score mean
squared error (pMSE).

Woo, Reiter, Oganian and Karr (2009); its expectation and the standardised form by Snoke, Raab,
Nowok, Dibben and Slavkovic (2018).
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from ..arguments import check_flag, check_whole
from ..core.arrays import Floats, Integers
from ..errors import warning_once
from ..rounding import figure, figures, part
from ..show.printing import Sections, Table
from ..show.values import column_name
from ..show.views import Shown
from ..synds import SynDS
from ..tables.frames import AnyFrame
from .design import PropensityDesign, propensity_design
from .logistic import fitted_probabilities
from .release import read_frames

MOST_PARAMETERS = 400
DIGITS = 6
UNIT = (
    "S_pMSE: pMSE over its expectation if the release were drawn from the original's distribution;"
    " about 1 is as good as that, lower is more useful"
)


@warning_once
def propensity_utility(
    synthetic: SynDS | AnyFrame | Sequence[AnyFrame],
    original: AnyFrame,
    variables: Any = None,
    *,
    interactions: bool = False,
    cont_na: Mapping[Any, Any] | None = None,
    most_parameters: int = MOST_PARAMETERS,
) -> PropensityUtility:
    """Propensity score mean squared error of a release, plain and standardised.

    Original (n1 records) and release (n2) are put together, N = n1 + n2, and a logistic regression
    predicts which of the two a record comes from. With predicted probabilities p_i and c = n2 / N::

        pMSE = sum (p_i - c)^2 / N   expected = (k - 1) (1 - c)^2 c / N   S_pMSE = pMSE / expected

    where k is the number of parameters that can be estimated. The model: a constant; for each
    category its levels (missing is one); for each number its value, with marks for missing and
    special values. Newton's method with a penalty of 1e-12 per record on squared coefficients of
    standardised columns.

    The figures are those of R's ``utility.gen(..., method = "logit", maxorder = 0)``, with
    interactions ``maxorder = 1``.

    Parameters
    ----------
    synthetic : SynDS, DataFrame of pandas, polars or Arrow, or a list of these
        The release: one or more synthetic, or masked, data sets; one model for each.
    original : DataFrame of pandas, polars or Arrow
        The original data.
    variables : names or positions (from 1) of the columns in the model; by default all that both
        have.
    interactions : add all products of two variables. Without them the model sees only single
        variables: a release that draws every variable separately, and so destroys all associations,
        looks perfect.
    cont_na : special values of numeric columns, as in ``{"income": -8}``. A SynDS brings its own.
    most_parameters : refuse larger models.

    Returns
    -------
    PropensityUtility

    Notes
    -----
    The expectation is that of a synthesis from the correct model. A mask that leaves most records
    as they are can have an S_pMSE far below 1: its records are not new draws.

    Examples
    --------
    Of four f and four m the release makes six f and two m. The model predicts 6/10 for f and 2/6
    for m, c is 1/2, so pMSE = (10 (1/10)^2 + 6 (1/6)^2) / 16 = 1/60; expected is 1 * 1/8 / 16 =
    1/128.

    >>> people = pd.DataFrame({"sex": list("ffffmmmm")})
    >>> result = propensity_utility(pd.DataFrame({"sex": list("ffffffmm")}), people)
    >>> result.table[["pMSE", "expected", "S_pMSE"]].round(6).to_numpy().tolist()
    [[0.016667, 0.007812, 2.133333]]
    """
    released = read_frames(synthetic, original, variables, cont_na)
    interactions = check_flag("interactions", interactions)
    most_parameters = check_whole("most_parameters", most_parameters, 1)
    scores = []
    for frame, place in zip(released.sets, released.places):
        design = propensity_design(
            released.names,
            {"the original data": released.original, place: frame},
            released.special,
            interactions=interactions,
            most_parameters=most_parameters,
        )
        scores.append(score(design))
    return PropensityUtility(
        table=pd.DataFrame(scores, index=pd.RangeIndex(1, len(scores) + 1, name="synthesis")),
        variables=tuple(released.names),
        interactions=interactions,
        Norig=len(released.original),
        Nsyn=tuple(len(frame) for frame in released.sets),
        left_out=released.left_out,
    )


class Score(NamedTuple):
    """The figures of a propensity model for a release.

    Attributes
    ----------
    pMSE, expected, S_pMSE : mean squared error, its expectation, their ratio (NaN where nothing
        varies).
    parameters : without the constant.
    share : of the release's records in all.
    """

    pMSE: float
    expected: float
    S_pMSE: float
    parameters: int
    share: float


def score(
    design: PropensityDesign,
    rows_original: Integers | None = None,
    rows_release: Integers | None = None,
    rank: int | None = None,
) -> Score:
    """The figures of a design; with rows, of these records only."""
    of_original, of_release = design.kinds
    n_original = _times(of_original, rows_original, design.size)
    n_release = _times(of_release, rows_release, design.size)
    total = n_original + n_release
    N = total.sum()
    c = n_release.sum() / N
    parameters = (design.rank() if rank is None else rank) - 1
    p = fitted_probabilities(design, n_original, n_release)
    pmse = float((total * (p - c) ** 2).sum() / N)
    expected = parameters * (1 - c) ** 2 * c / N
    ratio = pmse / expected if expected > 0 else float("nan")
    return Score(pMSE=pmse, expected=expected, S_pMSE=ratio, parameters=parameters, share=c)


def _times(kinds: Integers, rows: Integers | None, size: int) -> Floats:
    """How often each distinct record occurs, in all rows or in those given."""
    chosen = kinds if rows is None else kinds[rows]
    return np.bincount(chosen, minlength=size).astype(np.float64)


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class PropensityUtility(Shown):
    """Propensity score mean squared error. pMSE: from 0 (cannot be told apart) on; S_pMSE: its
    ratio to what is expected of a correct synthesis. Lower is more useful.

    Attributes
    ----------
    table : DataFrame
        One row per data set (index from 1). Columns: pMSE, expected, S_pMSE, parameters (k - 1:
        estimable ones besides the constant), share (of the release's records in all).
    variables, interactions : what the model holds.
    Norig, Nsyn : records of the original, and of each data set.
    left_out : sentences on columns that not every table has.
    """

    table: pd.DataFrame
    variables: tuple[Hashable, ...]
    interactions: bool
    Norig: int
    Nsyn: tuple[int, ...]
    left_out: tuple[str, ...] = ()

    @property
    def pMSE(self) -> float:
        """Mean over the data sets."""
        return float(self.table["pMSE"].mean())

    @property
    def S_pMSE(self) -> float:
        """Mean over the data sets; NaN where nothing varies."""
        return float(self.table["S_pMSE"].mean())

    def tidy(self) -> pd.DataFrame:
        """One row for each data set and measure. Columns: synthesis, measure ("pMSE" or "S_pMSE"),
        value, numerator, denominator (of S_pMSE), unit, direction.
        """
        mean = self._tidy_part("pMSE", "mean squared difference of probabilities")
        ratio = self._tidy_part("S_pMSE", "ratio to expectation")
        ratio["numerator"] = self.table["pMSE"].to_numpy()
        ratio["denominator"] = self.table["expected"].to_numpy()
        return pd.concat([mean, ratio], ignore_index=True)

    def _tidy_part(self, measure: str, unit: str) -> pd.DataFrame:
        return pd.DataFrame(
            {
                "synthesis": self.table.index,
                "measure": measure,
                "value": self.table[measure].to_numpy(),
                "numerator": np.nan,
                "denominator": np.nan,
                "unit": unit,
                "direction": "lower is more useful",
            }
        )

    def _title(self) -> str:
        return "Utility by propensity scores"

    def _everybody(self) -> int:
        return self.Norig

    def _headline(self, to: int = 1) -> list[str]:
        ratio = f"{self.S_pMSE:.4g}" if to == 1 else figure(self.S_pMSE, to)
        return [
            f"S_pMSE is {ratio}: about 1 is as good as a draw from the original's"
            " distribution, lower is more useful."
        ]

    def _sections(self) -> Sections:
        return self._rounded(1)

    def _rounded(self, to: int) -> Sections:
        frame = figures(self._shown(), to)
        table = Table(frame, "Propensity scores", digits=DIGITS, titled=False)
        return [[self._head(to), *self.left_out, UNIT], [table]]

    def _head(self, to: int) -> str:
        model = "with products of two variables" if self.interactions else "main effects only"
        sets = "1 data set" if len(self.Nsyn) == 1 else f"{len(self.Nsyn)} data sets"
        return (
            f"Propensity model of {len(self.variables)} variables, {model};"
            f" {part(self.Norig, to=to)} original records, {sets}"
        )

    def _content(self) -> dict[str, Any]:
        return {"pMSE": self.pMSE, "S_pMSE": self.S_pMSE, "unit": UNIT, "table": self.table}

    def _arguments(self) -> dict[str, Any]:
        variables = [column_name(name) for name in self.variables]
        return {"variables": variables, "interactions": self.interactions}

    def _records(self) -> dict[str, Any]:
        return {"original": self.Norig, "synthetic": self.Nsyn}

    def _shown(self) -> pd.DataFrame:
        shown = self.table.drop(columns="share")
        if len(shown) == 1:
            return shown
        mean = shown.mean().to_frame("mean")
        return pd.concat([shown, mean.T])
