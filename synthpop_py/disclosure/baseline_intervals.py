"""How certain the figures of non-members are, and whether membership matters at all.

Members are all there are: given the release their figure has no sampling error. Only the holdout is
a sample, so the interval of the difference is that of the non-members' figure. The test asks for
less: if membership does not matter, members and non-members are exchangeable, and their scores
could have been dealt out in any other way.
"""

from __future__ import annotations

import math
import sys
from typing import NamedTuple

import numpy as np

from ..core.arrays import Floats, Integers, numbered
from ..core.crosstab import totals

DRAWS = 9_999
STEPS = 100  # scores are drawn in hundredths, where there are more different ones
MORE = 4  # records; about z² of a 95 % interval, as in Wilson's own
KEY = 16  # of the generator: the same data give the same p-value
LARGEST_POOL = 10**9  # the most that NumPy draws from


class Sample(NamedTuple):
    """What an interval is made of.

    Attributes
    ----------
    mean : the figure of the sample, from 0 to 1.
    records : how many it is of.
    worth : how many records with scores of 0 or 1 would be as informative: mean (1 - mean) over the
        variance of the mean. Other scores vary less, so that they are worth more.
    """

    mean: float
    records: float
    worth: float


def of_mean(scores: Floats, n: Integers) -> Sample:
    """The mean of scores, of which there are n each.

    >>> of_mean(np.array([0.0, 1.0]), np.array([3, 1]))
    Sample(mean=0.25, records=4.0, worth=4.0)
    >>> sample = of_mean(np.array([0.0, 0.5]), np.array([20, 20]))
    >>> round(sample.worth, 2)  # 40 * 44 / (40 / 3 + 4)
    101.54
    """
    records = float(n.sum())
    if not records:
        return Sample(math.nan, 0.0, 0.0)
    mean = float(scores @ n) / records
    variance = float(scores**2 @ n) / records - mean**2
    return Sample(mean, records, _worth(mean, variance, records))


def of_ratio(part: Floats, whole: Floats, n: Integers) -> Sample:
    """The sum of one score over that of another, given how many have the latter.

    >>> of_ratio(np.array([0.0, 0.0, 1.0]), np.array([0.0, 1.0, 1.0]), np.array([5, 3, 1]))
    Sample(mean=0.25, records=4.0, worth=4.0)
    """
    records = float(whole @ n)
    if not records:
        return Sample(math.nan, 0.0, 0.0)
    mean = float(part @ n) / records
    deviations = part - mean * whole
    # per record of the whole, so that scores of 0 and 1 give mean (1 - mean)
    variance = float(deviations**2 @ n) / records
    return Sample(mean, records, _worth(mean, variance, records))


def _worth(mean: float, variance: float, records: float) -> float:
    """The variance is that of the scores and of `MORE` records with a score of 0 or 1: a few scores
    that hardly vary do not mean that others would not.
    """
    widest = mean - mean**2
    if not widest or math.isclose(variance, widest, rel_tol=1e-9):
        return records
    share = max(variance / widest, 0.0)
    return records * (records + MORE) / (records * share + MORE)


# ---- intervals -----------------------------------------------------------------------


def wilson(sample: Sample, level: float) -> tuple[float, float]:
    """Wilson's interval of a share: all p from which the sample is no further away than chance
    would have it, (mean - p)² <= z² p (1 - p) / worth. Of scores other than 0 and 1 the variance is
    estimated too, so that Student's quantile takes the place of z.

    Of 10 none: 0 to z² / (10 + z²) = 27.75 %.

    >>> low, high = wilson(Sample(mean=0.0, records=10, worth=10), 0.95)
    >>> low, round(high, 4)
    (0.0, 0.2775)
    """
    if not sample.worth:
        return math.nan, math.nan
    square = _quantile(sample, level) ** 2
    n, p = sample.worth, sample.mean
    middle = (p + square / (2 * n)) / (1 + square / n)
    half = math.sqrt(square * (p * (1 - p) / n + square / (4 * n * n))) / (1 + square / n)
    low = 0.0 if p == 0 else max(middle - half, 0.0)
    high = 1.0 if p == 1 else min(middle + half, 1.0)
    return low, high


def _quantile(sample: Sample, level: float) -> float:
    from scipy import special  # most calls have no holdout

    if sample.worth == sample.records or sample.records < 2:
        return _normal_quantile(level)
    return float(special.stdtrit(sample.records - 1, (1 + level) / 2))


def fewest_records(share: float, level: float) -> float:
    """How many records a holdout needs to tell a figure of 0 from this share:
    Wilson's upper end for 0 of n is z² / (n + z²).

    >>> round(fewest_records(0.1, 0.95), 1)
    34.6
    """
    return _normal_quantile(level) ** 2 * (1 - share) / share


def _normal_quantile(level: float) -> float:
    from scipy import special  # most calls have no holdout

    return float(special.ndtri((1 + level) / 2))


# ---- does membership matter at all? --------------------------------------------------


class Group(NamedTuple):
    """Scores, (k,), and how many records have each."""

    scores: Floats
    n: Integers


def exchangeable(members: Group, others: Group) -> float:
    """The probability, if members and others are exchangeable, of means that differ as much as
    these or more. Fisher's exact test where there are two scores; else by `DRAWS` other ways to
    deal them out, which is exact too: it counts the one that was met.

    >>> yes_no = np.array([0.0, 1.0])
    >>> p = exchangeable(Group(yes_no, np.array([3, 1])), Group(yes_no, np.array([1, 3])))
    >>> round(p, 4)  # (1 + 16 + 16 + 1) / 70
    0.4857
    """
    if not members.n.sum() or not others.n.sum():
        return math.nan
    scores, place = numbered(np.concatenate([members.scores, others.scores]))
    mine = totals(place[: len(members.n)], members.n, len(scores))
    theirs = totals(place[len(members.n) :], others.n, len(scores))
    met = mine + theirs > 0
    scores, mine, theirs = scores[met], mine[met], theirs[met]
    if len(scores) == 1:
        return 1.0
    if len(scores) == 2:
        return _fisher(mine, theirs)
    return _permuted(scores, mine + theirs, theirs)


def _fisher(mine: Integers, theirs: Integers) -> float:
    """Of all tables with these margins, those that are as unlikely as this one, or more so."""
    from scipy import stats  # most calls have no holdout

    # the rarer score first: SciPy multiplies its records by the members, in 64 bits
    rarer_first = np.argsort(mine + theirs, kind="stable")
    counts = np.stack([mine, theirs])[:, rarer_first]
    p = float(stats.fisher_exact(counts)[1])
    if math.isnan(p):
        # for billions of records early versions of SciPy have no number; this is the same there
        p = float(stats.chi2_contingency(counts, correction=False)[1])
    return max(p, sys.float_info.min)  # never is less than doubles hold


def _permuted(scores: Floats, pool: Integers, theirs: Integers) -> float:
    """By draws of as many records as are not members from all of them."""
    if len(scores) > STEPS:
        # any function of the scores may be dealt out; so many are drawn fast
        scores, place = numbered(np.rint(scores * STEPS))
        pool = totals(place, pool, len(scores))
        theirs = totals(place, theirs, len(scores))
    records, drawn = int(pool.sum()), int(theirs.sum())
    expected = drawn * float(scores @ pool) / records
    off = abs(float(scores @ theirs) - expected)
    if records >= LARGEST_POOL:
        return _normally(scores, pool, drawn, off)
    generator = np.random.default_rng(KEY)
    # scores of few records cost as much to draw as those of many
    dealt = generator.multivariate_hypergeometric(pool, drawn, size=DRAWS, method="marginals")
    as_far = np.abs(dealt @ scores - expected) >= off * (1 - 1e-9)
    return float(1 + np.count_nonzero(as_far)) / (DRAWS + 1)


def _normally(scores: Floats, pool: Integers, drawn: int, off: float) -> float:
    """The same with the normal distribution that so many draws have."""
    records = float(pool.sum())
    mean = float(scores @ pool) / records
    variance = float((scores - mean) ** 2 @ pool) / (records - 1)
    spread = math.sqrt(drawn * variance * (1 - drawn / records))
    return math.erfc(off / spread / math.sqrt(2)) if spread else 1.0
