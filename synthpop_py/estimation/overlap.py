"""Whether a release leads its users to the confidence intervals that the original data would have
led them to.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import pandas as pd
from scipy import special

from ..arguments import check_number
from ..core.arrays import Floats
from ..errors import InputError
from ..show import Document, Shown, fill
from ..spellings import plain_names_too
from ..synds import SynDS
from ..tables.opening import check_original, nested_sets
from .combining import ci_overlap, combine_two_stage
from .evaluation import NO_VALUE, Estimands, read_estimands

__all__ = ["EstimandOverlap", "estimand_overlap", "overlap_table"]

DIGITS = 4
UNIT = (
    "overlap of confidence intervals, from 0 (disjoint) to 1 (the same interval); higher is more"
    " useful"
)


@plain_names_too()
def estimand_overlap(
    object: SynDS | pd.DataFrame | Sequence[pd.DataFrame],
    data: pd.DataFrame,
    estimands: Any,
    *,
    level: float = 0.95,
) -> EstimandOverlap:
    """How far confidence intervals from a release agree with those from the original, for estimands
    of your choice.

    Several data sets are combined by the rules for partially synthetic data (`combine`: variance
    vbar + b / m, t interval; `combine_two_stage` for a SynDS of `partial_synthesis` in two stages).
    One data set is analysed as if it were the genuine data. Intervals of the original, and of a
    single data set, are estimate ± z sqrt(variance).

    Parameters
    ----------
    object : SynDS, DataFrame or list of DataFrame
        The release. By name also ``synthetic=``.
    data : DataFrame
        The original data. By name also ``original=``.
    estimands : one or several functions of a frame that return estimates and variances ``(q, v)``,
        such as `Means`, `Proportions` and `Regression`; a mapping gives them names.
    level : of the confidence intervals.

    Returns
    -------
    EstimandOverlap

    Examples
    --------
    The original's mean is 2 with variance 1/3; the release has the same spread around 3. Intervals
    of length 2 * 1.96 / sqrt(3) = 2.263 that are 1 apart share 1.263.

    >>> from synthpop_py.estimation import Means
    >>> people, fake = pd.DataFrame({"x": [1.0, 2.0, 3.0]}), pd.DataFrame({"x": [2.0, 3.0, 4.0]})
    >>> round(estimand_overlap(fake, people, Means("x")).mean, 3)
    0.558

    An estimand of one's own, a median with a variance that is known to be 1:

    >>> def median(frame):
    ...     return frame["x"].median(), 1.0
    >>> round(estimand_overlap(fake, people, median).mean, 3)
    0.745
    """
    nests = nested_sets("object", object)
    sets, r = [frame for nest in nests for frame in nest], len(nests[0])
    if any(len(nest) != r for nest in nests):
        raise InputError(
            f"object: its nests have {', '.join(str(len(nest)) for nest in nests)} data sets; the"
            " rule for two stages needs as many in each"
        )
    if len(nests) == 1 < r:
        raise InputError(
            "object: has one nest, and the variance between nests cannot be estimated from one;"
            " give at least two, or one data set"
        )
    wanted = read_estimands(estimands, check_original(data, "data"))
    level = check_number("level", level, 0, 1, open_low=True, open_high=True)
    found = np.array(
        [wanted.of(frame, f"data set {i} of the release") for i, frame in enumerate(sets, start=1)]
    )
    _check_any(wanted, found)
    return EstimandOverlap(
        overlap_table(wanted.labels, wanted.original, found.reshape(len(nests), r, -1, 2), level),
        level,
        len(nests),
        r,
    )


def _check_any(wanted: Estimands, sets: Floats) -> None:
    """Some estimand has a value wherever it is needed."""
    if len(wanted.lacking(sets)) < wanted.usable().sum():
        return
    lacking = next(i for i, one in enumerate(sets, start=1) if wanted.lacking(one))
    label = wanted.lacking(sets[lacking - 1])[0]
    q, v = sets[lacking - 1, wanted.labels.index(label)]
    raise InputError(
        f"estimands: {label!r} gives the estimate {q:g} with variance {v:g} for data set {lacking}"
        f" of the release, and no other has values everywhere; {NO_VALUE}"
    )


def overlap_table(
    labels: Sequence[str],
    original: Floats,
    sets: Floats,
    level: float,
    *,
    one_set: Literal["genuine", "undefined"] = "genuine",
) -> pd.DataFrame:
    """Estimates and intervals of the original and of a release, and their overlap: one row per
    estimand.

    Parameters
    ----------
    original : estimates and variances, shape (k, 2).
    sets : the same for m nests of r sets, shape (m, r, k, 2); r is 1 in one stage.
    one_set : whether one set alone has the interval that genuine data would have, or none, because
        the variance between sets is not known.
    """
    nests, count = sets.shape[:2]
    released = np.full(original.shape, np.nan)
    known = np.isfinite(original).all(axis=1) & np.isfinite(sets).all(axis=(0, 1, 3))
    if nests > 1 and known.any():
        released[known] = combine_two_stage(
            sets[:, :, known, 0], sets[:, :, known, 1], level=level
        ).interval
    elif nests == count == 1 and one_set == "genuine":
        released[known] = _interval(sets[0, 0], level)[known]
    first = _interval(original, level)
    overlap = np.full(len(original), np.nan)
    shown = np.isfinite(released).all(axis=1)
    if shown.any():
        overlap[shown] = ci_overlap(released[shown], first[shown]).each
    estimates = {
        "original": original[:, 0],
        "release": sets[..., 0].reshape(-1, len(original)).mean(axis=0),
    }
    ends = {
        "original_low": first[:, 0],
        "original_high": first[:, 1],
        "release_low": released[:, 0],
        "release_high": released[:, 1],
    }
    return pd.DataFrame(
        estimates | ends | {"overlap": overlap}, index=pd.Index(labels, name="estimand")
    )


def _interval(estimates: Floats, level: float) -> Floats:
    """estimate ± z sqrt(variance), shape (k, 2)."""
    half = special.ndtri((1 + level) / 2) * np.sqrt(estimates[:, 1])
    return np.stack([estimates[:, 0] - half, estimates[:, 0] + half], axis=1)


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class EstimandOverlap(Shown):
    """Overlap of confidence intervals of a release with the original's: from 0 (disjoint) to 1 (the
    same); higher is more useful.

    Attributes
    ----------
    table : DataFrame
        One row per estimand. Columns: original and release (estimates), the ends of their
        intervals, overlap (NaN where an interval has no length, or where some data set has no
        estimate, such as the mean of a group that it lacks).
    level : of the intervals.
    m : data sets of the release, or nests of one in two stages.
    r : data sets of each nest, 1 in one stage.
    """

    table: pd.DataFrame
    level: float
    m: int
    r: int = 1

    @property
    def mean(self) -> float:
        """Mean over the estimands that have an overlap; NaN where none has."""
        return float(self.table["overlap"].mean())

    @property
    def undefined(self) -> int:
        """Number of estimands without an overlap."""
        return int(self.table["overlap"].isna().sum())

    def tidy(self) -> pd.DataFrame:
        """One row per estimand: estimand, the columns of `table`, level, m, r, unit, direction."""
        return self.table.reset_index().assign(
            level=self.level,
            m=self.m,
            r=self.r,
            unit="overlap (0 to 1)",
            direction="higher is more useful",
        )

    def _document(self) -> Document:
        table = fill.table_of(self.table, "Estimates and intervals", digits=DIGITS, titled=False)
        return Document(
            title="Overlap of confidence intervals",
            sections=(
                fill.section(fill.note(self._head()), fill.note(UNIT)),
                fill.section(table),
                fill.section(fill.note(self._foot())),
            ),
            headline=(fill.note(f"{self._head()}: {self._foot()}."),),
        )

    def _content(self) -> dict[str, Any]:
        return {
            "mean": self.mean,
            "undefined": self.undefined,
            "m": self.m,
            "r": self.r,
            "unit": UNIT,
            "table": self.table,
        }

    def _arguments(self) -> dict[str, Any]:
        return {"level": self.level}

    def _head(self) -> str:
        sets = f"{self.m} data sets" if self.r == 1 else f"{self.m} nests of {self.r} data sets"
        made = (
            "1 data set, analysed as genuine data"
            if self.m == 1
            else f"{sets}, combined as partially synthetic data"
        )
        return (
            f"{len(self.table)} estimand{'s' * (len(self.table) > 1)}, {100 * self.level:g} %"
            f" confidence intervals; {made}"
        )

    def _foot(self) -> str:
        without = (
            f"; {self.undefined} without an overlap: no estimate in some data set, or an interval"
            " of length 0"
            if self.undefined
            else ""
        )
        return f"mean overlap {self.mean:.3f}{without}"
