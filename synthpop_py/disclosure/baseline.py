"""The figures of members beside those of people the synthesiser never saw. They separate the risk
of being in the data from the risk that anyone has.

Only means of a score that depends on one record and the release, and ratios of such means, can be
compared. Other measures depend on how many records there are: UiO and repU count combinations held
by one record of the table; Dorig, DiSDiO and CAPd depend on the original itself.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from .baseline_intervals import (
    Group,
    Sample,
    exchangeable,
    of_mean,
    of_ratio,
    wilson,
)
from .measures import BY_NAME, Share
from .scores import SCORES, Scores

LEVEL = 0.95
RATIOS = ("TCAP_iS", "TCAP_DiS")
COMPARED = (*SCORES, *RATIOS)
COLUMNS = (
    "target",
    "measure",
    "members",
    "non_members",
    "difference",
    "lower",
    "upper",
    "level",
    "p_value",
    "n_members",
    "n_non_members",
    "numerator_members",
    "numerator_non_members",
    "effective_n",
)


def parts_of(measure: str) -> tuple[str, str]:
    """Numerator and denominator of a ratio, as in the registry.

    >>> parts_of("TCAP_DiS")
    ('DiSCO', 'DiS')
    """
    part, _, whole = BY_NAME[measure].formula.partition(" / ")
    return part, whole


@dataclass(frozen=True, slots=True)
class Compared:
    """One measure for members and non-members.

    Attributes
    ----------
    members, non_members : numerator and denominator, means over the syntheses.
    effective_n : how many records with scores of 0 or 1 would be as informative as the non-members.
    p_value : of "membership does not matter".
    """

    measure: str
    members: Share
    non_members: Share
    effective_n: float
    p_value: float

    @property
    def difference(self) -> float:
        return self.members.percent - self.non_members.percent

    def interval(self, level: float) -> tuple[float, float]:
        """Interval of the difference, in per cent: members are known, non-members are a sample."""
        share = self.non_members
        sample = Sample(
            mean=share.numerator / share.denominator if share.denominator else math.nan,
            records=share.denominator,
            worth=self.effective_n,
        )
        low, high = wilson(sample, level)
        return self.members.percent - 100 * high, self.members.percent - 100 * low


@dataclass(frozen=True, slots=True)
class Baseline:
    """Every measure that can be compared, under the corrected reading.

    Attributes
    ----------
    records, left_out : records of the holdout, and how many of them the exclusions leave out.
    """

    measures: tuple[Compared, ...]
    records: int
    left_out: int

    def of(self, measure: str) -> Compared:
        return next(one for one in self.measures if one.measure == measure)

    def rows(
        self, target: Hashable, level: float = LEVEL, p_values: Sequence[float] | None = None
    ) -> list[dict[str, Any]]:
        """Rows of `COLUMNS`, with `p_values` in place of the row's own if they are adjusted."""
        rows = []
        for position, one in enumerate(self.measures):
            lower, upper = one.interval(level)
            row = {
                "target": target,
                "measure": one.measure,
                "members": one.members.percent,
                "non_members": one.non_members.percent,
                "difference": one.difference,
                "lower": lower,
                "upper": upper,
                "level": level,
                "p_value": one.p_value if p_values is None else p_values[position],
                "n_members": one.members.denominator,
                "n_non_members": one.non_members.denominator,
                "numerator_members": one.members.numerator,
                "numerator_non_members": one.non_members.numerator,
                "effective_n": one.effective_n,
            }
            rows.append(row)
        return rows


def compare(members: Scores, others: Scores) -> Baseline:
    """Every measure of both."""
    measures = []
    for measure in SCORES:
        mine, theirs = (
            of_mean(members.of(measure), members.n),
            of_mean(others.of(measure), others.n),
        )
        groups = [Group(scores.of(measure), scores.n) for scores in (members, others)]
        measures.append(_compared(measure, mine, theirs, groups))
    for measure in RATIOS:
        mine, theirs = (_ratio(measure, scores) for scores in (members, others))
        measures.append(_compared(measure, mine, theirs, _deviations(measure, members, others)))
    return Baseline(tuple(measures), records=others.records, left_out=others.left_out)


def _ratio(measure: str, scores: Scores) -> Sample:
    part, whole = parts_of(measure)
    return of_ratio(scores.of(part), scores.of(whole), scores.n)


def _deviations(measure: str, members: Scores, others: Scores) -> list[Group]:
    """For the test: how far each record in the denominator is from the ratio of all together."""
    part, whole = parts_of(measure)
    everybody = members + others
    ratio = of_ratio(everybody.of(part), everybody.of(whole), everybody.n).mean
    groups = []
    for scores in (members, others):
        asked = scores.of(whole) > 0
        deviations = scores.of(part)[asked] - ratio * scores.of(whole)[asked]
        groups.append(Group(deviations, scores.n[asked]))
    return groups


def _compared(measure: str, mine: Sample, theirs: Sample, groups: Sequence[Group]) -> Compared:
    return Compared(
        measure=measure,
        members=_share(mine),
        non_members=_share(theirs),
        effective_n=theirs.worth,
        p_value=exchangeable(*groups),
    )


def _share(sample: Sample) -> Share:
    """Counts of people are whole; dividing and multiplying back may lose the last bit."""
    if not sample.records:
        return Share(0, 0)
    return Share(_whole(sample.mean * sample.records), _whole(sample.records))


def _whole(number: float) -> float:
    nearest = round(number)
    return nearest if math.isclose(number, nearest, rel_tol=1e-12) else number


# ---- one target, and several ---------------------------------------------------------


def frame_of(baseline: Baseline, target: Hashable) -> pd.DataFrame:
    return pd.DataFrame(baseline.rows(target), columns=COLUMNS)


def frame_of_several(baselines: dict[Hashable, Baseline]) -> pd.DataFrame:
    """The baselines of several targets, adjusted for their number: intervals by Bonferroni,
    p-values by Holm, measure by measure.
    """
    level = level_of_several(len(baselines))
    by_measure = [
        _adjusted([b.of(measure).p_value for b in baselines.values()]) for measure in COMPARED
    ]
    rows: list[dict[str, Any]] = []
    for number, (target, baseline) in enumerate(baselines.items()):
        p_values = [of_targets[number] for of_targets in by_measure]
        rows += baseline.rows(target, level, p_values)
    return pd.DataFrame(rows, columns=COLUMNS)


def level_of_several(targets: int) -> float:
    """The level of each interval that makes all of them hold together at `LEVEL`.

    >>> round(level_of_several(5), 3)
    0.99
    """
    return LEVEL if targets == 1 else 1 - (1 - LEVEL) / targets


def _adjusted(p_values: Iterable[float]) -> list[float]:
    """Holm's p-values; a target without one is not counted.

    >>> _adjusted([0.01, 0.04, float("nan"), 0.03])
    [0.03, 0.06, nan, 0.06]
    """
    given = np.array(list(p_values), dtype=np.float64)
    adjusted = np.full(len(given), math.nan)
    order = np.argsort(given, kind="stable")  # NaN last
    known = order[: np.count_nonzero(~np.isnan(given))]
    times = np.arange(len(known), 0, -1)
    adjusted[known] = np.minimum(np.maximum.accumulate(given[known] * times), 1)
    return list(adjusted.tolist())
