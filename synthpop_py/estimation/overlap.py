"""Whether a release gives its users the confidence intervals that the original data would give."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import pandas as pd

from ..core.arrays import Floats
from ..errors import InputError, warning_once
from ..rounding import figure, figures
from ..show.printing import Sections, Table
from ..show.views import Shown
from ..synds import SynDS
from ..tables.frames import AnyFrame
from ..tables.opening import check_original, nested_sets
from .combining import DIGITS, check_level, ci_overlap, combine_two_stage
from .evaluation import NO_VALUE, Estimands

UNIT = (
    "overlap of confidence intervals, from 0 (disjoint) to 1 (the same interval); higher is more"
    " useful"
)


@warning_once
def estimand_overlap(
    synthetic: SynDS | AnyFrame | Sequence[AnyFrame],
    original: AnyFrame,
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
    synthetic : SynDS, DataFrame of pandas, polars or Arrow, or a list of these
        The release.
    original : DataFrame of pandas, polars or Arrow
        The original data.
    estimands : one or several functions of a frame of pandas that return estimates and variances
        ``(q, v)``, such as `Means`, `Proportions` and `Regression`; a mapping gives them names.
    level : of the confidence intervals.

    Examples
    --------
    The original's mean is 2 with variance 1/3; the release has the same spread around 3. Intervals
    of length 2 * 1.96 / sqrt(3) = 2.263 that are 1 apart share 1.263.

    >>> from synthpop_py.estimation import Means
    >>> people, fake = pd.DataFrame({"x": [1.0, 2.0, 3.0]}), pd.DataFrame({"x": [2.0, 3.0, 4.0]})
    >>> round(estimand_overlap(fake, people, Means("x")).mean, 3)
    0.558

    Your own estimand, a median with a variance that is known to be 1:

    >>> def median(frame):
    ...     return frame["x"].median(), 1.0
    >>> round(estimand_overlap(fake, people, median).mean, 3)
    0.745
    """
    nests = nested_sets("synthetic", synthetic)
    m, r = len(nests), len(nests[0])
    sizes = list(map(len, nests))
    if len(set(sizes)) > 1:
        raise InputError(
            f"synthetic: its nests have {', '.join(map(str, sizes))} data sets; the rule for two "
            "stages needs the same number in each"
        )
    if m == 1 < r:
        raise InputError(
            "synthetic: has one nest, and the variance between nests cannot be estimated from one;"
            " give at least two, or one data set"
        )
    wanted = Estimands(estimands, check_original(original, "original"))
    level = check_level(level)
    answers: list[Floats] = []
    for frame in itertools.chain.from_iterable(nests):
        answers.append(wanted.of(frame, f"data set {len(answers) + 1} of the release"))
    # some sets may lack some estimands, but not all of them
    lacking = wanted.lacking(np.array(answers))
    if len(lacking) == wanted.usable().sum():
        raise InputError(
            f"estimands: {lacking[0]!r} has no estimate, or no variance, in some data set of the"
            f" release, and no other has values everywhere; {NO_VALUE}"
        )
    by_nest = np.array(answers).reshape(m, r, -1, 2)
    table = overlap_table(wanted.labels, wanted.original, by_nest, level)
    return EstimandOverlap(table=table, level=level, m=m, r=r)


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
    original, sets : estimates and variances, shape (k, 2), and (m, r, k, 2) for m nests of r sets.
    one_set : whether one set alone has the interval that genuine data would have, or none, because
        the variance between sets is not known.
    """
    genuine = _interval(original, level)
    released = np.full(original.shape, np.nan)
    known = np.isfinite(original).all(axis=1) & np.isfinite(sets).all(axis=(0, 1, 3))
    if len(sets) > 1 and known.any():
        estimates, variances = sets[:, :, known, 0], sets[:, :, known, 1]
        released[known] = combine_two_stage(estimates, variances, level=level).interval
    # one set has no variance between sets: its users can only take it for genuine
    elif sets.shape[:2] == (1, 1) and one_set == "genuine":
        released[known] = _interval(sets[0, 0], level)[known]
    overlap = np.full(len(original), np.nan)
    has_interval = np.isfinite(released).all(axis=1)
    if has_interval.any():
        overlap[has_interval] = ci_overlap(released[has_interval], genuine[has_interval]).each
    mean = sets[..., 0].mean(axis=(0, 1))
    columns = [original[:, 0], mean, *genuine.T, *released.T, overlap]
    ends = ["original_low", "original_high", "release_low", "release_high"]
    names = ["original", "release", *ends, "overlap"]
    return pd.DataFrame(np.array(columns).T, pd.Index(labels, name="estimand"), names)


def _interval(estimates: Floats, level: float) -> Floats:
    """estimate ± z sqrt(variance), shape (k, 2)."""
    import scipy

    points, variances = estimates.T
    z = scipy.special.ndtri((1 + level) / 2)
    half = z * np.sqrt(variances)
    return np.stack([points - half, points + half], axis=1)


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

    def _title(self) -> str:
        return "Overlap of confidence intervals"

    def _headline(self, to: int = 1) -> list[str]:
        return [f"{self._head()}: {self._foot(to)}."]

    def _sections(self) -> Sections:
        return self._rounded(1)

    def _rounded(self, to: int) -> Sections:
        frame = figures(self.table, to)
        table = Table(frame, "Estimates and intervals", digits=DIGITS, titled=False)
        return [[self._head(), UNIT], [table], [self._foot(to)]]

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
        number = len(self.table)
        sets = f"{self.m} data sets" if self.r == 1 else f"{self.m} nests of {self.r} data sets"
        sets = f"{sets}, combined as partially synthetic data"
        if self.m == 1:
            sets = "1 data set, analysed as genuine data"
        return (
            f"{number} {'estimand' if number == 1 else 'estimands'}, {100 * self.level:g} %"
            f" confidence intervals; {sets}"
        )

    def _foot(self, to: int = 1) -> str:
        mean = f"mean overlap {f'{self.mean:.3f}' if to == 1 else figure(self.mean, to)}"
        if not self.undefined:
            return mean
        return (
            f"{mean}; {self.undefined} without an overlap: no estimate in some data set, or an"
            " interval of length 0"
        )
