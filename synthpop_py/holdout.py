"""The figures of members beside those of people the synthesiser never saw. They separate the risk
of being in the data from the risk that anyone has.

A release says something about single records: whether their keys are found (iS), whether it is
certain about the target (DiS), rightly (DiSCO), and how probable it is that a guess is right
(DCAPd). These scores depend only on a record and the release, so people outside the data have them
too, and their means can be compared. Other measures depend on how many records there are (UiO,
repU) or on the original itself (Dorig, DiSDiO, CAPd).

Members are all there are: given the release their figure has no sampling error. Only the holdout is
a sample, so the interval of the difference is that of the non-members' figure. The test asks for
less: if membership does not matter, members and non-members are exchangeable.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pandas as pd

from .cells import Cells, Combinations, combine, occurring, place_among
from .core.arrays import Floats, Integers
from .core.crosstab import count
from .data import Data
from .errors import DataWarning, InputError, some, warn
from .exclusions import why_out
from .grouping import Grouping, class_of
from .levels import Factor, Variable, column_of, factorise, match
from .measures import BY_NAME, Share
from .redaction import redacted
from .show.printing import Table
from .tables.comparable import FEWEST_IN_COMMON, about, share_in_common
from .tables.protocol import Table as Records

if TYPE_CHECKING:
    from .results import Figures
    from .steps import Factors, Steps

SCORES = ("iS", "DiS", "DiSCO", "DCAPd")
RATIOS = ("TCAP_iS", "TCAP_DiS")
COMPARED = (*SCORES, *RATIOS)
LEVEL = 0.95
DRAWS = 9_999
STEPS = 100  # scores are drawn in hundredths, where there are more different ones
MORE = 4  # records; about z² of a 95 % interval, as in Wilson's own
KEY = 16  # of the generator: the same data give the same p-value
LARGEST_POOL = 10**9  # the most that NumPy draws from
SPREADS = 4  # an overlap beyond this many standard deviations is not chance
SMALLEST_P = 0.0001
OUTSIDE = "outside"  # the level of a value in no class: nobody is found there
NO_BASELINE = (
    "UiO, UiOiS, repU, Dorig, DiSDiO and CAPd have none: they depend on how many records there are."
)


class Scores(NamedTuple):
    """The scores of some records, means over the syntheses: (4, k) from 0 to 1, in the order of
    `SCORES`; how many records have them, (k,); how many are left out by exclusions (their scores
    are 0, as members' are).
    """

    values: Floats
    n: Integers
    left_out: int

    def of(self, measure: str) -> Floats:
        of_measure: Floats = self.values[SCORES.index(measure)]
        return of_measure


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


COLUMNS = [
    "target", "measure", "members", "non_members", "difference", "lower", "upper", "level",
    "p_value", "n_members", "n_non_members", "numerator_members", "numerator_non_members",
    "effective_n",
]  # fmt: skip


def with_intervals(
    baseline: pd.DataFrame,
    target: Hashable,
    level: float = LEVEL,
    p_values: Sequence[float] | None = None,
) -> pd.DataFrame:
    """What `compare` found of a target, with the difference of each measure and its interval in
    points: members are known, non-members are a sample. `p_values` are in place of its own if they
    are adjusted.
    """
    frame = baseline.copy()
    frame["target"] = [target] * len(frame)
    frame["difference"] = frame["members"] - frame["non_members"]
    ends = []
    for row in frame.itertuples():
        n = row.n_non_members
        mean = row.numerator_non_members / n if n else math.nan
        low, high = wilson(Sample(mean, n, row.effective_n), level)
        ends.append((row.members - 100 * high, row.members - 100 * low))
    frame["lower"], frame["upper"] = zip(*ends)
    frame["level"] = level
    if p_values is not None:
        frame["p_value"] = p_values
    return frame[COLUMNS]


def row_of(baseline: pd.DataFrame, measure: str) -> pd.Series:
    return baseline.loc[baseline["measure"] == measure].iloc[0]


def non_members_of(baseline: pd.DataFrame) -> int:
    """The records of the holdout."""
    return int(row_of(baseline, "DiSCO")["n_non_members"])


def sentence(
    baseline: pd.DataFrame, measure: str, digits: int, name: str = "", level: float = LEVEL
) -> str:
    """Such as "DiSCO of 17929 non-members is 2.18 %: membership makes 3.89 points"."""
    one = row_of(with_intervals(baseline, "", level), measure)
    return (
        f"{name or measure} of {non_members_of(baseline)} non-members is"
        f" {one.non_members:.{digits}f} %: membership makes {one.difference:.{digits}f}"
        f" points ({100 * level:.4g} % interval {one.lower:.{digits}f} to {one.upper:.{digits}f})."
    )


def blocks(baseline: pd.DataFrame, target: Hashable, digits: int, m: int) -> list[Any]:
    """The table, and how to read it."""
    caption = (
        f"Members of the original beside {non_members_of(baseline)} non-members, in % of N and n"
        f" people, and the difference with its {100 * LEVEL:.4g} % interval"
    )
    shown = baseline_table(with_intervals(baseline, target), digits).set_index("measure")
    shown.index.name = None
    out = baseline["left_out"].iloc[0]
    left_out = [f"Left out of the non-members: {out}."] if out else []
    return [Table(shown, caption, digits), *left_out, *about_baselines(m)]


def baseline_table(frame: pd.DataFrame, digits: int) -> pd.DataFrame:
    """The columns that are shown, with counts and p-values as text."""
    return pd.DataFrame(
        {
            "measure": frame["measure"],
            "members": frame["members"],
            "N": [count_text(n) for n in frame["n_members"]],
            "non-members": frame["non_members"],
            "n": [count_text(n) for n in frame["n_non_members"]],
            "difference": frame["difference"],
            "lower": frame["lower"],
            "upper": frame["upper"],
            "p": [p_text(p) for p in frame["p_value"]],
        }
    )


def about_baselines(m: int) -> list[str]:
    """How to read the table."""
    means = f" All are means over {m} syntheses." if m > 1 else ""
    return [
        "The interval comes from the non-members alone, because the members are all counted; "
        "p tests whether membership matters at all. TCAP_DiS is precision, DiSCO is recall. "
        f"Corrected reading.{means}",
        NO_BASELINE,
    ]


def count_text(n: float) -> str:
    """A count; a mean over syntheses need not be whole."""
    return f"{n:.0f}" if float(n).is_integer() else f"{n:.1f}"


def p_text(p: float) -> str:
    """A p-value as a text.

    >>> p_text(0.25), p_text(1e-9), p_text(float("nan"))
    ('0.2500', '<0.0001', 'NaN')
    """
    if math.isnan(p):
        return "NaN"
    return f"<{SMALLEST_P}" if p < SMALLEST_P else f"{p:.4f}"


# ---- scores --------------------------------------------------------------------------


def with_holdout(
    made: Factors,
    read: Factors,
    groupings: Mapping[Hashable, Grouping],
    special: Mapping[Hashable, Sequence[Any]],
    place: str,
) -> Factors:
    """The columns of all tables, and last those of the holdout, in the same classes."""
    together = {}
    for name, factors in made.items():
        outsiders = read[name][-1]
        if name in groupings:
            outsiders = _in_known_classes(
                outsiders, groupings[name], special.get(name, ()), name, place
            )
        together[name] = [*factors, outsiders]
    return together


def _in_known_classes(
    factor: Factor, made: Grouping, special: Sequence[Any], name: Hashable, place: str
) -> Factor:
    """Values outside fixed breaks count as missing, as for members. Other classes hold every
    member, so nobody is found outside of them.
    """
    if not factor.is_number and factor.occurring().any():
        raise InputError(
            f"{place}: column {name!r} is numeric in the original but not here, so it "
            "cannot be grouped; give numbers"
        )
    levels = np.asarray(factor.levels, dtype=np.float64) if factor.is_number else np.zeros(0)
    codes = class_of(levels, made, special)
    gap = len(made.labels) + 1
    codes = np.where(codes < 0, gap if made.style == "fixed" else gap - 1, codes)
    return factor.moved("factor", (*made.labels, OUTSIDE), np.append(codes, gap))


def baseline_of(
    figures: Sequence[Figures], target: Variable, combinations: Combinations, steps: Steps
) -> pd.DataFrame:
    """Members beside non-members, whose rows are those of the last table."""
    return compare(member_scores(figures), outsider_scores(figures, target, combinations, steps))


def member_scores(figures: Sequence[Figures]) -> Scores:
    """The scores of the original records, from the cells that they were counted in."""
    total: Any = 0
    for one in figures:
        cells = one.counts.cells
        cell = np.flatnonzero(cells.d)  # the same records in every synthesis
        kept = one.counts.d[cell] > 0
        total = total + _scores_at(one, cells.group[cell], cell) * kept
        n = cells.d[cell]
    return condensed(Scores(total / len(figures), n, int(n[~kept].sum())))


def outsider_scores(
    figures: Sequence[Figures], target: Variable, combinations: Combinations, steps: Steps
) -> Scores:
    rows, side = combinations.codes[-1], target.sides[-1]
    codes, weights = side.codes, combinations.n[-1]
    n = np.ones(len(rows), dtype=np.int64) if weights is None else weights
    each = np.arange(len(rows))
    # every row a cell of its own: who is left out follows by the rules for cells
    alone = Cells(codes, n, n, rows.astype(np.int64), each, combinations.without_rows())
    why = why_out(alone, target, combinations.keys, steps.call)
    kept = np.ones(len(rows), dtype=bool) if why is None else why.d == 0
    total = np.zeros((len(SCORES), len(rows)))
    for one in figures:
        cells = one.counts.cells
        group = place_among(cells.q, rows)
        known = cells.q[cells.group] * target.size + cells.t
        cell = place_among(known, rows.astype(np.int64) * target.size + codes)
        total += _scores_at(one, group, cell)
    return condensed(Scores(total / len(figures) * kept, n, int(n[~kept].sum())))


def _scores_at(one: Figures, group: Integers, cell: Integers) -> Floats:
    """The four scores, (4, k), of records by key combination and cell of one synthesis; -1 where
    there is none. Certainty was decided before exclusions, expectations are computed after them.
    """
    counts = one.counts
    has_group, has_cell = group >= 0, cell >= 0
    scores = np.zeros((len(SCORES), len(group)))
    if len(counts.cells.t):
        scores[0] = (counts.cells.s_q > 0)[group] & has_group
        scores[1] = counts.some_sure[group] & has_group
        scores[2] = counts.sure_s[cell] & has_cell
        scores[3] = counts.s[cell] / np.maximum(counts.s_q, 1)[group] * has_cell
    return scores


def condensed(scores: Scores) -> Scores:
    """The same with equal scores together: there are far fewer of them than cells."""
    if not len(scores.n):
        return scores
    order = np.lexsort(scores.values)
    values, n = scores.values[:, order], scores.n[order]
    first = np.append(True, (values[:, 1:] != values[:, :-1]).any(axis=0))
    starts = np.flatnonzero(first)
    return scores._replace(values=values[:, starts], n=np.add.reduceat(n, starts))


# ---- comparison ----------------------------------------------------------------------


def parts_of(measure: str) -> tuple[str, str]:
    """Numerator and denominator of a ratio, as in the registry.

    >>> parts_of("TCAP_DiS")
    ('DiSCO', 'DiS')
    """
    part, _, whole = BY_NAME[measure].formula.partition(" / ")
    return part, whole


def compare(members: Scores, others: Scores) -> pd.DataFrame:
    """Every measure of both, under the corrected reading: per cent, numerators and denominators
    (means over the syntheses), how informative the non-members are, the p-value of "membership does
    not matter", how many records of the holdout the exclusions leave out.
    """
    rows = []
    for measure in COMPARED:
        if measure in SCORES:
            mine, theirs = (of_mean(one.of(measure), one.n) for one in (members, others))
            groups = [(one.of(measure), one.n) for one in (members, others)]
        else:
            part, whole = parts_of(measure)
            mine, theirs = (of_ratio(o.of(part), o.of(whole), o.n) for o in (members, others))
            groups = _deviations(part, whole, members, others)
        ours, outside = _share(mine), _share(theirs)
        row = {
            "measure": measure,
            "members": ours.percent,
            "non_members": outside.percent,
            "p_value": exchangeable(*groups),
            "n_members": ours.denominator,
            "n_non_members": outside.denominator,
            "numerator_members": ours.numerator,
            "numerator_non_members": outside.numerator,
            "effective_n": theirs.worth,
            "left_out": others.left_out,
        }
        rows.append(row)
    return pd.DataFrame(rows)


def _deviations(
    part: str, whole: str, members: Scores, others: Scores
) -> list[tuple[Floats, Integers]]:
    """For the test: how far each record in the denominator is from the ratio of all together."""
    n = np.concatenate([members.n, others.n])
    parts, wholes = (np.concatenate([members.of(name), others.of(name)]) for name in (part, whole))
    ratio = of_ratio(parts, wholes, n).mean
    groups = []
    for scores in (members, others):
        asked = scores.of(whole) > 0
        deviations = scores.of(part)[asked] - ratio * scores.of(whole)[asked]
        groups.append((deviations, scores.n[asked]))
    return groups


def _share(sample: Sample) -> Share:
    """Counts of people are whole; dividing and multiplying back may lose the last bit."""
    if not sample.records:
        return Share(0, 0)
    return Share(_whole(sample.mean * sample.records), _whole(sample.records))


def _whole(number: float) -> float:
    nearest = round(number)
    return nearest if math.isclose(number, nearest, rel_tol=1e-12) else number


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


# ---- intervals and test --------------------------------------------------------------


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
        return float(special.ndtri((1 + level) / 2))
    return float(special.stdtrit(sample.records - 1, (1 + level) / 2))


def fewest_records(share: float, level: float) -> float:
    """How many records a holdout needs to tell a figure of 0 from this share:
    Wilson's upper end for 0 of n is z² / (n + z²).

    >>> round(fewest_records(0.1, 0.95), 1)
    34.6
    """
    from scipy import special  # most calls have no holdout

    return float(special.ndtri((1 + level) / 2)) ** 2 * (1 - share) / share


def exchangeable(members: tuple[Floats, Integers], others: tuple[Floats, Integers]) -> float:
    """The probability, if members and others are exchangeable, of means that differ as much as
    these or more, from the scores of each and how many records have them. Fisher's exact test where
    there are two scores; else by `DRAWS` other ways to deal them out, which is exact too: it counts
    the one that was met.

    >>> yes_no = np.array([0.0, 1.0])
    >>> p = exchangeable((yes_no, np.array([3, 1])), (yes_no, np.array([1, 3])))
    >>> round(p, 4)  # (1 + 16 + 16 + 1) / 70
    0.4857
    """
    if not members[1].sum() or not others[1].sum():
        return math.nan
    scores, (place, of_others) = occurring([members[0], others[0]])
    mine = count(place, members[1], len(scores))
    theirs = count(of_others, others[1], len(scores))
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
        scores, (place,) = occurring([np.rint(scores * STEPS)])
        pool = count(place, pool, len(scores))
        theirs = count(place, theirs, len(scores))
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


# ---- several targets -----------------------------------------------------------------


def level_of_several(targets: int) -> float:
    """The level of each interval that makes all of them hold together at `LEVEL`.

    >>> round(level_of_several(5), 3)
    0.99
    """
    return LEVEL if targets == 1 else 1 - (1 - LEVEL) / targets


def frame_of_several(baselines: Mapping[Hashable, pd.DataFrame]) -> pd.DataFrame:
    """The baselines of several targets, adjusted for their number: intervals by Bonferroni,
    p-values by Holm, measure by measure.
    """
    level = level_of_several(len(baselines))
    p_values = np.array([baseline["p_value"] for baseline in baselines.values()])
    adjusted = np.array([holm(of_measure) for of_measure in p_values.T]).T
    frames = [
        with_intervals(baseline, target, level, list(p))
        for (target, baseline), p in zip(baselines.items(), adjusted)
    ]
    return pd.concat(frames, ignore_index=True)


def holm(p_values: Iterable[float]) -> list[float]:
    """Holm's p-values; a target without one is not counted.

    >>> holm([0.01, 0.04, float("nan"), 0.03])
    [0.03, 0.06, nan, 0.06]
    """
    given = np.array(list(p_values), dtype=np.float64)
    adjusted = np.full(len(given), math.nan)
    order = np.argsort(given, kind="stable")  # NaN last
    known = order[: np.count_nonzero(~np.isnan(given))]
    times = np.arange(len(known), 0, -1)
    adjusted[known] = np.minimum(np.maximum.accumulate(given[known] * times), 1)
    return list(adjusted.tolist())


# ---- does it serve? ------------------------------------------------------------------


def read_holdout(data: Data, names: Sequence[Hashable], limited: bool) -> Records | None:
    """The table of the holdout, with every column of the call; None where there is none."""
    table = data.given_holdout
    if table is None:
        return None
    if limited:
        raise InputError(
            "holdout: cannot be used with exclude_ov_denom_lim=True; that limit counts the "
            "original records of a cell, which says nothing about people outside the "
            "original; leave one of the two out"
        )
    absent = [name for name in names if name not in table.columns]
    if absent:
        raise InputError(
            f"holdout: has no column {_quoted(absent)}; give records of the same"
            " population with the columns of the original data"
        )
    if not table.records:
        raise InputError("holdout: has no rows, so there is nobody to compare with")
    return table


def warn_of_holdout(
    data: Data,
    baselines: Mapping[Hashable, pd.DataFrame],
    columns: Iterable[Hashable],
    in_classes: Iterable[Hashable],
) -> None:
    """One warning with all reasons for which the holdout cannot serve. It ends up in logs, so it
    contains no value of any person.
    """
    assert data.holdout is not None, "otherwise there is nothing to check"
    names = list(dict.fromkeys(columns))
    findings = [
        *_strangers(data, [name for name in names if name not in set(in_classes)]),
        *_overlap(data, names),
        *_too_few(baselines),
    ]
    if findings:
        warn(redacted(f"holdout: {'; '.join(findings)}"), DataWarning)


def _strangers(data: Data, names: Sequence[Hashable]) -> list[str]:
    """Columns, apart from grouped ones, with hardly a known value: nobody could be found."""
    strange = []
    for name in names:
        (original, _), (outside, n) = (column_of(data.factor(t, name)) for t in (0, -1))
        if share_in_common(original, outside, n) < FEWEST_IN_COMMON:
            strange.append(name)
    if not strange:
        return []
    return [
        f"hardly any value of column {_quoted(strange)} is in the original data, so nobody is "
        "found; give both tables the same values or types"
    ]


def _overlap(data: Data, names: Sequence[Hashable]) -> list[str]:
    """Whether records of the holdout equal original ones, in all columns that both have, more often
    than chance would have it: the share of original records that have a twin among the other
    original records, applied to the holdout. The spread includes that of this expectation.
    """
    assert data.holdout is not None, "otherwise there is nothing to check"
    tables = data.original, data.holdout
    both = [name for name in data.original.columns if _is_readable(name, tables)]
    in_memory = all(table.keeps_rows for table in tables)
    columns = both if in_memory else list(names)
    counted = [table.count_by(columns) for table in tables]
    variables = []
    for name in columns:
        factors = [factorise(one.columns[name], one.n) for one in counted]
        variables.append(match(factors))
    codes = combine(variables, [one.n for one in counted]).codes
    seen, (place, of_holdout) = occurring(codes)
    often = count(place, counted[0].n, len(seen))
    twins = int(often[often > 1].sum())
    original, holdout = (one.records for one in counted)
    shared = int(count(of_holdout, counted[1].n, len(seen))[often > 0].sum())
    by_chance = holdout * twins / original
    # one twin more than counted: none among 1,000 does not mean never
    expected = by_chance + holdout / original
    if shared <= expected + SPREADS * math.sqrt(expected * (1 + 2 * holdout / original)):
        return []
    return [
        f"{about(shared, holdout)} of its {about(holdout, holdout)} records equal an original"
        f" record in all {len(columns)} columns that both have, where"
        f" {about(round(by_chance), holdout)} would by chance; give records that the synthesiser"
        " never saw"
    ]


def _is_readable(name: Hashable, tables: Sequence[Any]) -> bool:
    """Whether both tables have the column and it can be compared: a frame's column of lists cannot;
    an engine is not asked about each column.
    """
    for table in tables:
        if name not in table.columns:
            return False
        if table.keeps_rows:
            try:
                table.count_by([name])
            except InputError:
                return False
    return True


def _too_few(baselines: Mapping[Hashable, pd.DataFrame]) -> list[str]:
    """Targets for which the interval says nothing: it would include 0 even if no non-member were
    disclosed.
    """
    level = level_of_several(len(baselines))
    needed = {}
    for target, baseline in baselines.items():
        share = row_of(baseline, "DiSCO")["members"] / 100
        if share > 0 and non_members_of(baseline) <= fewest_records(share, level):
            needed[target] = fewest_records(share, level)
    if not needed:
        return []
    records = non_members_of(next(iter(baselines.values())))
    return [
        f"{records:,} records are too few to say anything about the DiSCO of "
        f"{_quoted(list(needed))}: even if none of them were disclosed, the interval of the "
        f"difference would include 0; give about {rounded_up(max(needed.values())):,} or more"
    ]


def rounded_up(number: float) -> int:
    """Rounded up to two digits: the number of records needed is only a guide.

    >>> rounded_up(1234.5), rounded_up(34.6)
    (1300, 35)
    """
    step = int(10 ** max(len(str(math.ceil(number))) - 2, 0))
    return math.ceil(number / step) * step


def _quoted(names: Sequence[Hashable]) -> str:
    return some([repr(name) for name in names])
