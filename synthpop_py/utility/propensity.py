"""`propensity_utility()`: can a model tell the release from the original? Propensity score mean
squared error (pMSE).

Woo, Reiter, Oganian and Karr (2009); its expectation and the standardised form by Snoke, Raab,
Nowok, Dibben and Slavkovic (2018).
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from ..arguments import check_flag
from ..core.arrays import Floats, Integers, Values
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
CHUNK = 20_000  # rows of the design matrix held at a time
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
    released = read_release(synthetic, original, variables, cont_na, frames=True)
    interactions = check_flag("interactions", interactions)
    data, *sets = released.tables
    of_data, *places = released.places
    scores = []
    for frame, place in zip(sets, places):
        design = propensity_design(
            released.names,
            {of_data: data, place: frame},
            released.special,
            interactions=interactions,
        )
        scores.append(score(design))
    return PropensityUtility(
        table=pd.DataFrame(scores, index=pd.RangeIndex(1, len(scores) + 1, name="synthesis")),
        variables=tuple(released.names),
        interactions=interactions,
        Norig=len(data),
        Nsyn=tuple(map(len, sets)),
        left_out=released.left_out,
    )


# ---- the score -----------------------------------------------------------------------


class Score(NamedTuple):
    """pMSE, its expectation and their ratio (NaN where nothing varies); parameters without the
    constant; the share of the release's records in all.
    """

    pMSE: float
    expected: float
    S_pMSE: float
    parameters: int
    share: float


def score(design: Design, rows: tuple[Integers, Integers] | None = None) -> Score:
    """The figures of a design; with rows of the original and of the release, of these only."""
    kinds = design.kinds if rows is None else [of[at] for of, at in zip(design.kinds, rows)]
    n_original, n_release = (
        np.bincount(of, minlength=design.size).astype(np.float64) for of in kinds
    )
    total = n_original + n_release
    N = total.sum()
    c = n_release.sum() / N
    p = fitted_probabilities(design, total, n_release)
    pmse = float((total * (p - c) ** 2).sum() / N)
    parameters = design.rank - 1
    expected = parameters * (1 - c) ** 2 * c / N
    ratio = pmse / expected if expected > 0 else float("nan")
    return Score(pMSE=pmse, expected=expected, S_pMSE=ratio, parameters=parameters, share=c)


def fitted_probabilities(design: Design, total: Floats, n_release: Floats) -> Floats:
    """Probability that a distinct record comes from the release, shape (u,): logistic regression by
    Newton's method, each step halved until the penalised deviance does not rise. `total` and
    `n_release` say how often each record occurs in both data sets, and in the release.
    """
    import scipy

    penalty = np.full(design.width, RIDGE * total.sum())
    penalty[0] = 0.0  # of the constant

    def deviance(beta: Floats) -> float:
        value = float(penalty @ beta**2)
        for rows, X in design.chunks():
            eta = X @ beta
            value += 2 * float((total[rows] * np.logaddexp(0, eta) - n_release[rows] * eta).sum())
        return value

    def newton_step(beta: Floats) -> Floats:
        information, gradient = np.diag(penalty), -penalty * beta
        for rows, X in design.chunks():
            p = scipy.special.expit(X @ beta)
            expected = total[rows] * p
            information = information + X.T @ (X * (expected * (1 - p))[:, None])
            gradient = gradient + X.T @ (n_release[rows] - expected)
        step: Floats = scipy.linalg.cho_solve(scipy.linalg.cho_factor(information), gradient)
        return step

    beta = np.zeros(design.width)
    share = n_release.sum() / total.sum()
    beta[0] = np.log(share / (1 - share))
    after = deviance(beta)
    for _ in range(MOST_STEPS):
        before, step, size = after, newton_step(beta), 1.0
        after = deviance(beta + step)
        while after > before * (1 + NO_WORSE) and size > SMALLEST_STEP:
            size /= 2
            after = deviance(beta + size * step)
        beta = beta + size * step
        if abs(before - after) <= CONVERGED * (abs(after) + 0.1):
            return np.concatenate([scipy.special.expit(X @ beta) for _, X in design.chunks()])
    raise SynthpopError(
        f"the propensity model did not converge in {MOST_STEPS} steps; leave out variables that"
        " separate original and release completely"
    )


# ---- the design matrix ---------------------------------------------------------------


class Block(NamedTuple):
    """One variable of the model: its name, with _NA or _special where it marks such values; values,
    shape (u,); and how many columns mark its levels 1, 2, ... (level 0 has none), or 0 for an
    amount, which is one column itself.
    """

    name: str
    values: Values
    levels: int

    @property
    def width(self) -> int:
        return self.levels or 1

    def columns(self, rows: slice) -> Floats:
        """Its part of the design matrix, for these records."""
        values = self.values[rows, None]
        marks = values == np.arange(1, self.levels + 1) if self.levels else values
        return marks.astype(np.float64)


@dataclass(frozen=True)
class Design:
    """Distinct records of the original and a release together.

    Attributes
    ----------
    blocks : the variables, in the distinct records; `pairs` says which two of them interact.
    kinds : two arrays, which distinct record each record of the original, and of the release, is.
    size, width : numbers of distinct records and of columns, the constant included.
    """

    blocks: list[Block]
    pairs: list[tuple[int, int]]
    kinds: tuple[Integers, Integers]
    size: int

    @property
    def width(self) -> int:
        widths = [block.width for block in self.blocks]
        return 1 + sum(widths) + sum(widths[i] * widths[j] for i, j in self.pairs)

    def chunks(self) -> Iterator[tuple[slice, Floats]]:
        """Rows of the design matrix, as many as are held at a time, with their places."""
        if self.size <= CHUNK:
            yield slice(0, self.size), self._whole
            return
        for start in range(0, self.size, CHUNK):
            rows = slice(start, min(start + CHUNK, self.size))
            yield rows, self._matrix(rows)

    @cached_property
    def _whole(self) -> Floats:
        return self._matrix(slice(0, self.size))

    def _matrix(self, rows: slice) -> Floats:
        length = rows.stop - rows.start
        parts = [block.columns(rows) for block in self.blocks]
        products = []
        for i, j in self.pairs:
            product = parts[i][:, :, None] * parts[j][:, None, :]
            products.append(product.reshape(length, -1))
        return np.concatenate([np.ones((length, 1)), *parts, *products], axis=1)

    @cached_property
    def rank(self) -> int:
        """Number of linearly independent columns."""
        import scipy

        squares = np.zeros(self.width)
        for _, X in self.chunks():
            squares += (X**2).sum(axis=0)
        scale = np.sqrt(squares)
        scale[scale == 0] = 1.0
        triangle = np.zeros((0, self.width))
        for _, X in self.chunks():
            stacked = np.concatenate([triangle, X / scale])
            triangle = np.asarray(np.linalg.qr(stacked, mode="r"))
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
    blocks: list[Block] = []
    for name in names:
        blocks += _blocks(name, tables, special.get(name, ()))
    n_original, n_release = map(len, tables.values())
    kinds: Integers = np.zeros(n_original + n_release, dtype=np.int64)
    for block in blocks:
        _, numbers = np.unique(block.values, return_inverse=True)
        numbers = numbers.reshape(-1)
        # renumbered each time to keep codes small
        _, kinds = np.unique(kinds * (int(numbers.max()) + 1) + numbers, return_inverse=True)
        kinds = kinds.reshape(-1)
    _, first = np.unique(kinds, return_index=True)
    design = Design(
        blocks=[block._replace(values=block.values[first]) for block in blocks],
        pairs=list(combinations(range(len(blocks)), 2)) if interactions else [],
        kinds=(kinds[:n_original], kinds[n_original:]),
        size=len(first),
    )
    if design.width > MOST_PARAMETERS:
        widest = max(blocks, key=lambda block: block.width)
        products = " with all products of two variables" if interactions else ""
        raise InputError(
            f"variables: the propensity model would have {design.width} parameters{products}, more"
            f" than {MOST_PARAMETERS}; {widest.name!r} alone has {widest.width}; choose fewer"
            " variables, or group levels"
        )
    return design


def _blocks(
    name: Hashable, tables: Mapping[str, pd.DataFrame], apart: Sequence[float]
) -> list[Block]:
    """A variable as one block, or as an amount (standardised; 0 where it is missing or special) and
    the marks of these values, as in R's utility.gen(). Nothing for what does not vary.
    """
    columns = read_variable(name, list(tables.values()), list(tables))
    if not all(map(is_amount, columns)):
        return _marks(str(name), np.concatenate(encode(str(name), columns).codes))
    for column, place in zip(columns, tables):
        if not np.isfinite(column.present().astype(np.float64)).all():
            raise InputError(
                f"{place}, column {name!r}: holds infinite numbers, which a regression cannot "
                "use; replace them, for instance by missing values"
            )
    values = np.concatenate([column.values for column in columns]).astype(np.float64)
    missing = np.concatenate(
        [
            np.zeros(len(column), dtype=bool) if column.missing is None else column.missing
            for column in columns
        ]
    )
    marks = {f"{name}_NA": missing}
    for value in apart:
        marks[f"{name}_special_{value:g}"] = (values == value) & ~missing
    values = np.where(np.any(list(marks.values()), axis=0), 0.0, values)
    spread = values.std()
    blocks = []
    if spread > 0:
        blocks.append(Block(str(name), (values - values.mean()) / spread, 0))
    for label, mark in marks.items():
        blocks += _marks(label, mark.astype(np.int64))
    return blocks


def _marks(name: str, codes: Integers) -> list[Block]:
    """Levels that occur, numbered by frequency, the most frequent one 0."""
    n = np.bincount(codes)
    rank = np.empty(len(n), dtype=np.int64)
    rank[np.argsort(-n, kind="stable")] = np.arange(len(n))
    levels = int((n > 0).sum()) - 1
    return [Block(name, rank[codes], levels)] if levels > 0 else []


# ---- the result ----------------------------------------------------------------------


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
        rows = {
            "synthesis": self.table.index,
            "measure": "pMSE",
            "value": self.table["pMSE"].to_numpy(),
            "numerator": np.nan,
            "denominator": np.nan,
            "unit": "mean squared difference of probabilities",
            "direction": "lower is more useful",
        }
        ratio = {
            "measure": "S_pMSE",
            "value": self.table["S_pMSE"].to_numpy(),
            "numerator": self.table["pMSE"].to_numpy(),
            "denominator": self.table["expected"].to_numpy(),
            "unit": "ratio to expectation",
        }
        return pd.concat([pd.DataFrame(rows), pd.DataFrame(rows | ratio)], ignore_index=True)

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
