"""`propensity_utility()`: can a model tell the release from the original? Propensity score mean
squared error (pMSE).

Woo, Reiter, Oganian and Karr (2009); its expectation and the standardised form by Snoke, Raab,
Nowok, Dibben and Slavkovic (2018).
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, TypeAlias

import numpy as np
import pandas as pd

from ..arguments import check_flag
from ..core.arrays import Floats, Integers
from ..core.coding import encode
from ..errors import InputError, SynthpopError, warning_once
from ..rounding import figure, figures, part
from ..show.printing import Sections, Table
from ..show.values import column_name
from ..show.views import Shown
from ..synds import SynDS
from ..tables.frames import AnyFrame
from .variables import Special, is_amount, read_release, read_variable

MOST_PARAMETERS = 400
CHUNK = 20_000  # rows of the design matrix that are dense at a time
# of a column's length: what is left of it must be longer, or it depends on the columns before
NO_NEW_DIRECTION = 1e-9
# penalty of a squared coefficient, for each record: moves pMSE by about 1e-9 of itself, and keeps
# the coefficient of a level that only one data set has finite
RIDGE = 1e-12
MOST_STEPS = 200
SMALLEST_STEP = 1e-6  # of Newton's, below which it is not halved again
NO_WORSE = 1e-12  # relative rise of the penalised deviance that is taken for rounding
CONVERGED = 1e-11  # relative change of the penalised deviance
DIGITS = 6
FIGURES = ["pMSE", "expected", "S_pMSE", "parameters", "share"]
UNIT = (
    "S_pMSE: pMSE over its expectation if the release were drawn from the original's distribution;"
    " about 1 is as good as that, lower is more useful"
)

# a variable or a product: a number for each record, its column (-1 for none), and the columns
Block: TypeAlias = tuple[Floats, Integers, int]
# the matrix of distinct records, and which of them the records of original and release are
Design: TypeAlias = tuple[Any, Integers, Integers]


@warning_once
def propensity_utility(
    synthetic: SynDS | AnyFrame | Sequence[AnyFrame],
    original: AnyFrame,
    variables: Any = None,
    *,
    interactions: bool = False,
    cont_na: Mapping[Any, Any] | None = None,
) -> PropensityUtility:
    """Propensity score mean squared error of a release, plain and standardised.

    Original (n1 records) and release (n2) are put together, N = n1 + n2, and a logistic regression
    predicts which of the two a record comes from. With predicted probabilities p_i and c = n2 / N::

        pMSE = sum (p_i - c)^2 / N   expected = (k - 1) (1 - c)^2 c / N   S_pMSE = pMSE / expected

    where k is the number of parameters that can be estimated. The model: a constant; for each
    category its levels (missing is one); for each number its value, with marks for missing and
    special values. The figures are those of R's ``utility.gen(..., method = "logit", maxorder =
    0)``, with interactions ``maxorder = 1``.

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
    tables, places, names, special, left_out = read_release(
        synthetic, original, variables, cont_na, frames=True
    )
    interactions = check_flag("interactions", interactions)
    data, *sets = tables
    of_data, *of_sets = places
    scores = []
    for frame, place in zip(sets, of_sets):
        both = {of_data: data, place: frame}
        design = propensity_design(names, both, special, interactions=interactions)
        scores.append(score(design, rank(design[0])))
    numbers = pd.RangeIndex(1, len(scores) + 1, name="synthesis")
    return PropensityUtility(
        table=pd.DataFrame(scores, numbers, FIGURES),
        variables=tuple(names),
        interactions=interactions,
        Norig=len(data),
        Nsyn=tuple(map(len, sets)),
        left_out=left_out,
    )


def score(
    design: Design, columns: int, rows: tuple[Integers, Integers] | None = None
) -> tuple[float, float, float, int, float]:
    """pMSE, its expectation and their ratio (NaN where nothing varies), parameters without the
    constant, and the share of the release's records in all. `columns` is the rank of the design;
    with `rows` of the original and of the release, the figures of these only.
    """
    X, of_original, of_release = design
    if rows is not None:
        of_original, of_release = of_original[rows[0]], of_release[rows[1]]
    n_release = np.bincount(of_release, minlength=X.shape[0]).astype(np.float64)
    total = n_release + np.bincount(of_original, minlength=X.shape[0])
    N = total.sum()
    c = n_release.sum() / N
    p = fitted_probabilities(X, total, n_release)
    squares = total * (p - c) ** 2
    pmse = float(squares.sum() / N)
    expected = (columns - 1) * (1 - c) ** 2 * c / N
    ratio = pmse / expected if expected > 0 else float("nan")
    return pmse, expected, ratio, columns - 1, c


def fitted_probabilities(X: Any, total: Floats, n_release: Floats) -> Floats:
    """Probability that a distinct record comes from the release, shape (u,): logistic regression by
    Newton's method, each step halved until the penalised deviance does not rise. `total` and
    `n_release` say how often each record occurs in both data sets, and in the release.
    """
    import scipy

    penalty = np.full(X.shape[1], RIDGE * total.sum())
    penalty[0] = 0.0  # of the constant

    def deviance(beta: Floats) -> float:
        eta = X @ beta
        loss = total * np.logaddexp(0, eta) - n_release * eta
        return float(penalty @ beta**2 + 2 * loss.sum())

    beta = np.zeros(X.shape[1])
    beta[0] = scipy.special.logit(n_release.sum() / total.sum())
    after = deviance(beta)
    for _ in range(MOST_STEPS):
        before = after
        p = scipy.special.expit(X @ beta)
        weights = total * p * (1 - p)
        weighted = X.copy()
        weighted.data *= np.repeat(weights, np.diff(X.indptr))
        information = (X.T @ weighted).toarray() + np.diag(penalty)
        gradient = X.T @ (n_release - total * p) - penalty * beta
        step = scipy.linalg.cho_solve(scipy.linalg.cho_factor(information), gradient)
        size = 1.0
        after = deviance(beta + step)
        while after > before * (1 + NO_WORSE) and size > SMALLEST_STEP:
            size /= 2
            after = deviance(beta + size * step)
        beta = beta + size * step
        if abs(before - after) <= CONVERGED * (abs(after) + 0.1):
            fitted: Floats = scipy.special.expit(X @ beta)
            return fitted
    raise SynthpopError(
        f"the propensity model did not converge in {MOST_STEPS} steps; leave out variables that"
        " separate original and release completely"
    )


def rank(X: Any) -> int:
    """Number of linearly independent columns of a sparse matrix."""
    import scipy

    squares = np.bincount(X.indices, weights=X.data**2, minlength=X.shape[1])
    lengths = np.sqrt(np.where(squares > 0, squares, 1))
    triangle: Any = np.zeros((0, X.shape[1]))
    for start in range(0, X.shape[0], CHUNK):
        rows = X[start : start + CHUNK].toarray() / lengths
        triangle = np.linalg.qr(np.concatenate([triangle, rows]), mode="r")
    pivoted, _ = scipy.linalg.qr(triangle, mode="r", pivoting=True)
    return int((np.abs(np.diag(pivoted)) > NO_NEW_DIRECTION).sum())


def propensity_design(
    names: Sequence[Hashable],
    tables: Mapping[str, pd.DataFrame],
    special: Special,
    *,
    interactions: bool,
) -> Design:
    """The design of a release against the original; `tables` holds the two, the original first, by
    what error messages call them.
    """
    import scipy

    n_original, n_release = map(len, tables.values())
    records = n_original + n_release
    blocks: list[Block] = [(np.ones(records), np.zeros(records, dtype=np.int32), 1)]
    widest = {}
    for name in names:
        own = _blocks(name, tables, special.get(name, ()))
        widest[name] = max((width for _, _, width in own), default=0)
        blocks += own
    # every record that occurs several times is kept once; marks differ by column, amounts do not
    told_apart = [places if places.min() < 0 else values for values, places, _ in blocks]
    keys = pd.DataFrame(dict(enumerate(told_apart)))
    kinds = keys.groupby(list(keys), sort=False).ngroup().to_numpy()
    first = ~keys.duplicated().to_numpy()
    blocks = [(values[first], places[first], width) for values, places, width in blocks]
    pairs = list(combinations(blocks[1:], 2)) if interactions else []
    for (values, one, width), (others, other, more) in pairs:
        places = np.where(np.minimum(one, other) >= 0, one * more + other, -1)
        blocks.append((values * others, places, width * more))
    parameters = sum(width for _, _, width in blocks)
    if parameters > MOST_PARAMETERS:
        most = max(widest, key=lambda name: widest[name])
        products = " with all products of two variables" if interactions else ""
        raise InputError(
            f"variables: the propensity model would have {parameters} parameters{products}, more"
            f" than {MOST_PARAMETERS}; {most!r} alone has {widest[most]}; choose fewer variables,"
            " or group levels"
        )
    # a row for each record, an entry for each block, whose columns follow those of the last one
    entries = np.stack([values for values, _, _ in blocks], axis=1)
    columns = np.stack([places for _, places, _ in blocks], axis=1)
    there = columns >= 0
    columns += np.cumsum([0, *(width for _, _, width in blocks[:-1])], dtype=np.int32)
    ends = np.append(0, np.cumsum(there.sum(axis=1)))
    X = scipy.sparse.csr_array((entries[there], columns[there], ends), (len(entries), parameters))
    return X, kinds[:n_original], kinds[n_original:]


def _blocks(
    name: Hashable, tables: Mapping[str, pd.DataFrame], apart: Sequence[float]
) -> list[Block]:
    """A variable as one block, or as an amount (standardised; 0 where it is missing or special) and
    the marks of these values, as in R's utility.gen(). Nothing for what does not vary.
    """
    columns = read_variable(name, list(tables.values()), list(tables))
    if not all(map(is_amount, columns)):
        return _marks(np.concatenate(encode(str(name), columns).codes))
    values = np.concatenate([column.values for column in columns]).astype(np.float64)
    missing = np.zeros(len(values), dtype=bool)
    at = 0
    for column, place in zip(columns, tables):
        present = column.present().astype(np.float64)
        if not np.isfinite(present).all():
            raise InputError(
                f"{place}, column {name!r}: holds infinite numbers, which a regression cannot "
                "use; replace them, for instance by missing values"
            )
        if column.missing is not None:
            missing[at : at + len(column)] = column.missing
        at += len(column)
    marks = [missing, *((values == value) & ~missing for value in apart)]
    values = np.where(np.any(marks, axis=0), 0.0, values)
    spread = values.std()
    blocks: list[Block] = []
    if spread > 0:
        numbers = (values - values.mean()) / spread
        blocks.append((numbers, np.zeros(len(values), dtype=np.int32), 1))
    for mark in marks:
        blocks += _marks(mark.astype(np.int64))
    return blocks


def _marks(codes: Integers) -> list[Block]:
    """Levels that occur, a column for each but the most frequent one."""
    n = np.bincount(codes)
    by_frequency = np.argsort(-n, kind="stable")
    places = np.empty(len(n), dtype=np.int32)
    places[by_frequency] = np.arange(len(n)) - 1
    levels = int(np.count_nonzero(n)) - 1
    if levels < 1:
        return []
    return [(np.ones(len(codes)), places[codes], levels)]


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
        wide = self.table.reset_index()
        tidy = wide.melt("synthesis", ["pMSE", "S_pMSE"], "measure")
        is_ratio = tidy["measure"] == "S_pMSE"
        twice = pd.concat([wide, wide], ignore_index=True)
        units = {
            "pMSE": "mean squared difference of probabilities",
            "S_pMSE": "ratio to expectation",
        }
        return tidy.assign(
            numerator=twice["pMSE"].where(is_ratio),
            denominator=twice["expected"].where(is_ratio),
            unit=tidy["measure"].map(units),
            direction="lower is more useful",
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
        model = "with products of two variables" if self.interactions else "main effects only"
        sets = "1 data set" if len(self.Nsyn) == 1 else f"{len(self.Nsyn)} data sets"
        head = (
            f"Propensity model of {len(self.variables)} variables, {model};"
            f" {part(self.Norig, to=to)} original records, {sets}"
        )
        shown = self.table.drop(columns="share")
        if len(shown) > 1:
            shown = pd.concat([shown, shown.mean().to_frame("mean").T])
        table = Table(figures(shown, to), "Propensity scores", digits=DIGITS, titled=False)
        return [[head, *self.left_out, UNIT], [table]]

    def _content(self) -> dict[str, Any]:
        return {"pMSE": self.pMSE, "S_pMSE": self.S_pMSE, "unit": UNIT, "table": self.table}

    def _arguments(self) -> dict[str, Any]:
        variables = [column_name(name) for name in self.variables]
        return {"variables": variables, "interactions": self.interactions}

    def _records(self) -> dict[str, Any]:
        return {"original": self.Norig, "synthetic": self.Nsyn}
