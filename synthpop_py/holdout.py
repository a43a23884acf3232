"""The figures of members beside those of people the synthesiser never saw. They separate the risk
of being in the data from the risk that anyone has.

Whether a record's keys are found (iS), whether the release is certain about its target (DiS),
rightly (DiSCO), and how probable it is that a guess is right (DCAPd) depends only on the record and
the release, so people outside the data have these scores too, and means can be compared. Members
are all there are: only the holdout is a sample, so the interval of the difference is that of its
figure. The test asks for less: if membership does not matter, both are exchangeable.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from .cells import Combinations, combine, count_cells, occurring, place_among
from .core.arrays import Floats, Integers
from .data import Data
from .errors import DataWarning, InputError, some, warn
from .exclusions import why_out
from .grouping import Grouping, class_of
from .levels import Factor, Variable, column_of, count, factorise, match
from .measures import Counts, Share
from .redaction import redacted
from .rounding import ROUND_TO, means, too_few
from .rounding import shown as shown_count
from .show.printing import Block
from .show.printing import Table as ShownTable
from .tables.comparable import FEWEST_IN_COMMON, about, share_in_common
from .tables.protocol import Table

if TYPE_CHECKING:
    from .results import Disclosure, Figures
    from .steps import Factors, Steps

SCORES = ("iS", "DiS", "DiSCO", "DCAPd")
# measure: the sum of which score over the sum of which
COMPARED = {
    **{score: (score, "all") for score in SCORES},
    "TCAP_iS": ("DiSCO", "iS"),
    "TCAP_DiS": ("DiSCO", "DiS"),
}
LEVEL = 0.95
DRAWS = 9_999
SPREADS = 4  # an overlap beyond this many standard deviations is not chance
STEPS = 100  # scores are drawn in hundredths, where there are more different ones
MORE = 4  # records; about z² of a 95 % interval, as in Wilson's own
KEY = 16  # of the generator: the same data give the same p-value
LARGEST_POOL = 10**9  # the most that NumPy draws from
SMALLEST_P = 0.0001
OUTSIDE = "outside"  # the level of a value in no class: nobody is found there
COUNTS = ("n_members", "n_non_members", "numerator_members", "numerator_non_members")
FOUND = ["measure", "members", "non_members", "p_value", *COUNTS, "effective_n", "left_out"]
COLUMNS = [
    *("target", "measure", "members", "non_members", "difference", "lower", "upper", "level"),
    *("p_value", *COUNTS, "effective_n"),
]


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
            outsiders = _in_classes(outsiders, groupings[name], special.get(name, ()), name, place)
        together[name] = [*factors, outsiders]
    return together


def _in_classes(
    outsiders: Factor, classes: Grouping, special: Sequence[Any], name: Hashable, place: str
) -> Factor:
    """Values outside fixed breaks count as missing, as for members; other classes hold every
    member, so that nobody is found with a value outside them.
    """
    values = np.zeros(0)
    if outsiders.is_number:
        values = np.asarray(outsiders.levels, dtype=np.float64)
    elif outsiders.occurring().any():
        raise InputError(
            f"{place}: column {name!r} is numeric in the original but not here, so it cannot be"
            " grouped; give numbers"
        )
    labels = (*classes.labels, OUTSIDE)
    codes = class_of(values, classes, special)
    codes[codes < 0] = len(labels) if classes.style == "fixed" else len(labels) - 1
    return outsiders.moved("factor", labels, np.append(codes, len(labels)))


def baseline_of(
    figures: Sequence[Figures], target: Variable, combinations: Combinations, steps: Steps
) -> pd.DataFrame:
    """Every measure of members and of non-members, whose rows are those of the last table, under
    the corrected reading; `left_out` are records of the holdout.
    """
    scores, left_out = scores_of(figures, target, combinations, steps)
    rows = []
    for measure, (part, whole) in COMPARED.items():
        mine, _ = share_of(scores, "members", part, whole)
        theirs, worth = share_of(scores, "others", part, whole)
        p = exchangeable(scores, part, whole)
        counts = (mine.denominator, theirs.denominator, mine.numerator, theirs.numerator)
        rows.append((measure, mine.percent, theirs.percent, p, *counts, worth, left_out))
    return pd.DataFrame(rows, columns=FOUND)


def scores_of(
    figures: Sequence[Figures], target: Variable, combinations: Combinations, steps: Steps
) -> tuple[pd.DataFrame, int]:
    """How many members and others have the same four scores, means over syntheses; and how many
    others are left out.
    """
    pair = steps.pair(target, combinations, len(combinations.codes) - 1)
    cells = count_cells(pair.combinations, pair.target)
    why = why_out(cells, pair.target, pair.combinations.keys, steps.call)
    code = cells.q[cells.group] * target.size + cells.t
    total = np.zeros((len(SCORES), len(code)))
    for one in figures:
        known = one.counts.cells
        known_codes = known.q[known.group] * target.size + known.t
        group = place_among(known.q, cells.q)[cells.group]
        total += scores_at(one.counts, group, place_among(known_codes, code))
    left_out = 0
    if why is not None:
        total[:, why.d > 0] = 0
        left_out = int(cells.s[why.d > 0].sum())
    table = pd.DataFrame(total.T / len(figures), columns=list(SCORES))
    table["members"] = cells.d.astype(np.int64)
    table["others"] = cells.s.astype(np.int64)
    # equal scores together: there are far fewer of them than cells
    scores = table.groupby(list(SCORES), as_index=False).sum()
    scores["all"] = 1.0
    return scores, left_out


def scores_at(counts: Counts, group: Integers, cell: Integers) -> Floats:
    """The four scores, (4, k), of records by key combination and cell of one synthesis; -1 where
    there is none. Certainty was decided before exclusions, expectations are computed after them.
    """
    scores = np.zeros((len(SCORES), len(group)))
    if not len(counts.cells.t):
        return scores
    expected = counts.s[cell] / np.maximum(counts.s_q, 1)[group]
    scores[0] = (counts.cells.s_q > 0)[group]
    scores[1] = counts.some_sure[group]
    scores[2] = counts.sure_s[cell]
    scores[3] = expected
    scores[:2, group < 0] = 0
    scores[2:, cell < 0] = 0
    return scores


def share_of(scores: pd.DataFrame, who: str, part: str, whole: str) -> tuple[Share, float]:
    """A measure of some records, and how many records with scores of 0 or 1 would be as
    informative: mean (1 - mean) over the variance of the mean. `MORE` such records are added,
    because a few scores that hardly vary do not mean that others would not.
    """
    parts, wholes, n = (scores[name].to_numpy() for name in (part, whole, who))
    records = float(wholes @ n)
    if not records:
        return Share(0, 0), 0.0
    total = float(parts @ n)
    mean = total / records
    variance = float((parts - mean * wholes) ** 2 @ n) / records
    widest = mean - mean**2
    worth = records
    if widest and not math.isclose(variance, widest, rel_tol=1e-9):
        worth *= (records + MORE) / (records * variance / widest + MORE)
    return Share(_whole(total), _whole(records)), worth


def _whole(number: float) -> float:
    """Counts of people are whole, but for the last bit of a sum of means."""
    nearest = round(number)
    return nearest if math.isclose(number, nearest, rel_tol=1e-12) else number


def with_intervals(
    baseline: pd.DataFrame,
    target: Hashable,
    level: float = LEVEL,
    p_values: Sequence[float] | None = None,
) -> pd.DataFrame:
    """`baseline_of` a target, with the difference of each measure and its interval in points."""
    frame = baseline.copy()
    frame["target"] = [target] * len(frame)
    frame["level"] = level
    frame["difference"] = frame["members"] - frame["non_members"]
    columns = ["numerator_non_members", "n_non_members", "effective_n"]
    rows = frame[columns].to_numpy()
    ends = np.array([wilson(part, whole, worth, level) for part, whole, worth in rows])
    frame["lower"] = frame["members"] - 100 * ends[:, 1]
    frame["upper"] = frame["members"] - 100 * ends[:, 0]
    if p_values is not None:
        frame["p_value"] = p_values
    return frame[COLUMNS]


def wilson(part: float, records: float, worth: float, level: float) -> tuple[float, float]:
    """Wilson's interval of a share: all p from which the sample is no further away than chance
    would have it, (mean - p)² <= z² p (1 - p) / worth. Of scores other than 0 and 1 the variance is
    estimated too, so that Student's quantile takes the place of z.

    >>> round(wilson(0, 10, 10, 0.95)[1], 4)  # z² / (10 + z²)
    0.2775
    """
    from scipy import special  # most calls have no holdout

    if not worth:
        return math.nan, math.nan
    square = z_square(level)
    if worth != records and records >= 2:
        square = float(special.stdtrit(records - 1, (1 + level) / 2)) ** 2
    p, more = part / records, square / worth
    middle = p + more / 2
    half = math.sqrt(more * (p * (1 - p) + more / 4))
    low = max((middle - half) / (1 + more), 0.0) if p > 0 else 0.0
    high = min((middle + half) / (1 + more), 1.0) if p < 1 else 1.0
    return low, high


def z_square(level: float) -> float:
    from scipy import special

    return float(special.ndtri((1 + level) / 2)) ** 2


def exchangeable(scores: pd.DataFrame, part: str, whole: str) -> float:
    """The probability, if members and others are exchangeable, of figures that differ as much as
    these or more. Of a ratio each record has its deviation from the ratio of all together. Fisher's
    exact test where there are two scores; else by `DRAWS` other ways to deal them out, which is
    exact too: it counts the one that was met.
    """
    everybody = scores["members"] + scores["others"]
    deviations = scores[part]
    if whole != "all":
        total = float(scores[whole] @ everybody)
        ratio = float(scores[part] @ everybody) / (total or 1)
        deviations = scores[part] - ratio * scores[whole]
    # who has none of the whole, and rows of no records, are not dealt out
    dealt = (scores[whole] > 0) & (everybody > 0)
    table = scores[dealt].groupby(deviations[dealt])[["members", "others"]].sum()
    mine, theirs = table.to_numpy(dtype=np.int64).T
    if not mine.sum() or not theirs.sum():
        return math.nan
    if len(table) == 1:
        return 1.0
    if len(table) == 2:
        return _fisher(mine, theirs)
    return _permuted(table.index.to_numpy(), mine + theirs, theirs)


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
    """By draws of as many records as are not members from all of them; where these are too many to
    draw from, by the normal distribution that so many draws have.
    """
    if len(scores) > STEPS:
        # any function of the scores may be dealt out; so many are drawn fast
        scores, (place,) = occurring([np.rint(scores * STEPS)])
        pool = count(place, pool, len(scores))
        theirs = count(place, theirs, len(scores))
    records, drawn = int(pool.sum()), int(theirs.sum())
    mean = float(scores @ pool) / records
    expected = drawn * mean
    off = abs(float(scores @ theirs) - expected)
    if records >= LARGEST_POOL:
        variance = float((scores - mean) ** 2 @ pool) / (records - 1)
        spread = math.sqrt(drawn * variance * (1 - drawn / records))
        return math.erfc(off / spread / math.sqrt(2)) if spread else 1.0
    generator = np.random.default_rng(KEY)
    # scores of few records cost as much to draw as those of many
    dealt = generator.multivariate_hypergeometric(pool, drawn, size=DRAWS, method="marginals")
    others_off = np.abs(dealt @ scores - expected)
    as_far = np.count_nonzero(others_off >= off * (1 - 1e-9))
    return float(1 + as_far) / (DRAWS + 1)


def level_of_several(targets: int) -> float:
    """The level of each interval that makes all of them hold together at `LEVEL` (Bonferroni)."""
    return 1 - (1 - LEVEL) / targets


def frame_of_several(baselines: Mapping[Hashable, pd.DataFrame]) -> pd.DataFrame:
    """The baselines of several targets, adjusted for their number: intervals by Bonferroni,
    p-values by Holm, measure by measure.
    """
    level = level_of_several(len(baselines))
    p_values = pd.DataFrame([baseline["p_value"].tolist() for baseline in baselines.values()])
    adjusted = p_values.apply(holm)
    frames = []
    for (target, baseline), own in zip(baselines.items(), adjusted.to_numpy().tolist()):
        frames.append(with_intervals(baseline, target, level, own))
    return pd.concat(frames, ignore_index=True)


def holm(p_values: Iterable[float]) -> list[float]:
    """Holm's p-values; a target without one is not counted.

    >>> holm([0.01, 0.04, float("nan"), 0.03])
    [0.03, 0.06, nan, 0.06]
    """
    given = pd.Series(list(p_values), dtype=np.float64)
    known = given.sort_values(kind="stable").dropna()
    times = np.arange(len(known), 0, -1)
    return list((known * times).cummax().clip(upper=1).reindex(given.index))


def of_measure(baseline: pd.DataFrame, measure: str) -> Any:
    return baseline.loc[baseline["measure"] == measure].iloc[0]


def sentence(
    baseline: pd.DataFrame, measure: str, digits: int, name: str = "", level: float = LEVEL
) -> str:
    """Such as "DiSCO of 17929 non-members is 2.18 %: membership makes 3.89 points"."""
    one = of_measure(with_intervals(baseline, "", level), measure)
    return (
        f"{name or measure} of {int(of_measure(baseline, 'DiSCO').n_non_members)} non-members is"
        f" {one.non_members:.{digits}f} %: membership makes {one.difference:.{digits}f}"
        f" points ({100 * level:.4g} % interval {one.lower:.{digits}f} to {one.upper:.{digits}f})."
    )


def blocks(
    frame: pd.DataFrame, labels: Sequence[str], digits: int, m: int, adjusted: str = ""
) -> list[Block]:
    """The table of members beside non-members, and how to read it."""
    shown = pd.DataFrame(
        {
            "members": frame["members"],
            "N": frame["n_members"].map(_number_text),
            "non-members": frame["non_members"],
            "n": frame["n_non_members"].map(_number_text),
            "difference": frame["difference"],
            "lower": frame["lower"],
            "upper": frame["upper"],
            "p": frame["p_value"].map(_p_text),
        }
    )
    sample = int(of_measure(frame, "DiSCO").n_non_members)
    caption = (
        f"Members of the original beside {sample} non-members, in % of N and n people, and the"
        f" difference with its {100 * LEVEL:g} % interval{adjusted}"
    )
    means = f" All are means over {m} syntheses." if m > 1 else ""
    return [
        ShownTable(shown.set_axis(list(labels)), caption, digits),
        "The interval comes from the non-members alone, because the members are all counted; "
        "p tests whether membership matters at all. TCAP_DiS is precision, DiSCO is recall. "
        f"Corrected reading.{means}",
        "UiO, UiOiS, repU, Dorig, DiSDiO and CAPd have none: they depend on how many records there"
        " are.",
    ]


def _number_text(n: float) -> str:
    """Means need not be whole."""
    return f"{n:.1f}".removesuffix(".0")


def _p_text(p: float) -> str:
    if math.isnan(p):
        return "NaN"
    return f"<{SMALLEST_P}" if p < SMALLEST_P else f"{p:.4f}"


def read_holdout(data: Data, names: Sequence[Hashable], limited: bool) -> Table | None:
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
    results: Mapping[Hashable, Disclosure],
    columns: Iterable[Hashable],
    in_classes: Iterable[Hashable],
) -> None:
    """One warning with all reasons for which the holdout cannot serve. It ends up in logs, and in
    the notes of pages, so it contains no value of any person, and no exact count.
    """
    names, grouped = list(dict.fromkeys(columns)), set(in_classes)
    strange = []  # columns with hardly a known value: nobody could be found
    for name in names:
        original, _ = column_of(data.factor(0, name))
        outside, n = column_of(data.factor(-1, name))
        if name not in grouped and share_in_common(original, outside, n) < FEWEST_IN_COMMON:
            strange.append(name)
    findings = []
    if strange:
        findings.append(
            f"hardly any value of column {_quoted(strange)} is in the original data, so nobody is "
            "found; give both tables the same values or types"
        )
    findings += filter(None, (_overlap(data, names), _too_few(results)))
    if findings:
        warn(redacted(f"holdout: {'; '.join(findings)}"), DataWarning)


def _overlap(data: Data, names: Sequence[Hashable]) -> str:
    """Whether records of the holdout equal original ones, in all columns that both have, more often
    than chance would have it.
    """
    assert data.holdout is not None, "otherwise there is nothing to check"
    tables = data.original, data.holdout
    columns = list(names)  # an engine is not asked about each column
    if all(table.keeps_rows for table in tables):
        columns = [name for name in data.original.columns if _is_readable(name, tables)]
    counted = [table.count_by(columns) for table in tables]
    variables = []
    for name in columns:
        variables.append(match([factorise(one.columns[name], one.n) for one in counted]))
    codes = combine(variables, [one.n for one in counted]).codes
    seen, places = occurring(codes)
    often, own = (count(place, one.n, len(seen)) for place, one in zip(places, counted))
    shared, by_chance = shared_records(often, own)
    if not shared:
        return ""
    holdout = data.holdout.records
    return (
        f"{about(shared, holdout)} of its {about(holdout, holdout)} records equal an original"
        f" record in all {len(columns)} columns that both have, where"
        f" {about(round(by_chance), holdout)} would by chance; give records that the synthesiser"
        " never saw"
    )


def shared_records(often: Integers, own: Integers) -> tuple[int, float]:
    """How many records of a table equal one of another, and how many would by chance: as often as
    records of the other have a twin there. 0 where chance explains it, with the spread of this
    expectation. `often`, `own` : records of both by code.
    """
    records, others = int(own.sum()), int(often.sum())
    shared = int(own[often > 0].sum())
    by_chance = records * int(often[often > 1].sum()) / others
    # one twin more than counted: none among 1,000 does not mean never
    expected = by_chance + records / others
    spread = math.sqrt(expected * (1 + 2 * records / others))
    return (shared if shared > expected + SPREADS * spread else 0), by_chance


def _is_readable(name: Hashable, tables: Sequence[Any]) -> bool:
    """Whether both tables have the column, and it can be compared: a column of lists cannot."""
    try:
        return all(name in table.columns and table.count_by([name]) for table in tables)
    except InputError:
        return False


def _too_few(results: Mapping[Hashable, Disclosure]) -> str:
    """Targets for which the interval says nothing: it would include 0 even if no non-member were
    disclosed. Wilson's upper end for 0 of n is z² / (n + z²). A page for others has this note, so
    counts of people are those that it shows, and "fewer than 5" is 5.
    """
    square = z_square(level_of_several(len(results)))
    few, most, sample = [], 0.0, 0
    for target, one in results.items():
        assert one._baseline is not None, "there is a holdout"
        sample = int(of_measure(one._baseline, "DiSCO")["n_non_members"])
        people, revealed = ROUND_TO, 0.0
        if not too_few(one.Norig):
            people, revealed = means(one)[["N", "DiSCO"]].tolist()
        share = max(revealed, ROUND_TO / 2) / people
        needed = square * (1 - share) / share
        if shown_count(sample, sample) <= needed:
            few.append(target)
            most = max(most, needed)
    if not few:
        return ""
    digits = len(str(math.ceil(most)))
    step = 10 ** max(digits - 2, 0)  # it is only a guide
    enough = max(math.ceil(most / step) * step, 2 * ROUND_TO)  # of fewer no page has figures
    return (
        f"{about(sample, sample)} records are too few to say anything about the DiSCO of "
        f"{_quoted(few)}: even if none of them were disclosed, the interval of the "
        f"difference would include 0; give about {enough:,} or more"
    )


def _quoted(names: Sequence[Hashable]) -> str:
    return some([repr(name) for name in names])
