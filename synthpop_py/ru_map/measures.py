"""What a measure of the map is: a number with a name, a unit and a direction, and a function that
computes it from a release. And its figure with an interval.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np
import pandas as pd

from ..arguments import check_choice
from ..core.arrays import Floats, Integers
from ..errors import InputError
from ..measures import Share
from ..results import Disclosure
from ..tables.frames import not_collected
from ..tables.opening import is_in_memory, open_table
from ..utility.variables import ORIGINAL, Coded, Special, coded_variables
from .releases import Release, repeats_in

Better = Literal["lower", "higher"]
Role = Literal["risk", "utility"]
Rows: TypeAlias = tuple[Integers, Integers]  # drawn from the original, and from a release

NO_INTERVAL = "none"  # how the method of an interval begins where there is none; the reason follows
ONE_SET = "one data set, no bootstrap"
NOT_RESAMPLED = (
    "one data set whose rows are not the original's: resampling it with the original would "
    "exaggerate the uncertainty; give several syntheses"
)
SHARE = "% of original records"
UNION = "in at least one of the files that are released together"
RATIO = "propensity score mean squared error over its expectation"
DISTANCE = "mean total variation distance of"
NEAR = "values that are near but not equal (unless grouped)"
REPEATED = f"what is said about a person; records that the release repeats; {NEAR}"
UNSURE = (
    "a target that is nearly certain, such as nine of ten records alike (unless certainty is below"
    f" 1); {NEAR}"
)
COMPARED = "files compared with one another"
INSIDE = "three variables together; differences inside a class of a number"
FEW = "small numbers of records, where differences are hard to see"
ONE_FILE = ("repU", "DiSCO")
# what each figure is, and what it does not see; a number is filled in where there is a {}
MEANINGS = {
    "repU": (
        f"{SHARE} that are unique in the original and in the release (replicated uniques)",
        f"{REPEATED}; {COMPARED}",
    ),
    "DiSCO": (
        f"{SHARE} whose target value the release reveals correctly",
        f"{UNSURE}; {COMPARED}",
    ),
    "repU_any": (f"{SHARE} that are unique in the original and {UNION}", REPEATED),
    "DiSCO_any": (
        f"{SHARE} whose target value is revealed correctly {UNION}",
        f"{UNSURE}; which of the files is correct",
    ),
    "expected_match_rate": (
        f"{SHARE} that an intruder who knows the keys is expected to match correctly (Reiter and"
        " Mitra)",
        "values that are near but not equal (unless matching_options has intervals); what is learnt"
        " about people without identifying them",
    ),
    "IR": (
        "highest chance that a match is correct, given what the release shows (by the design of"
        " IFPR), 0 to 1",
        "cells that are not exchanged because they are large; what the other columns tell about a"
        " person",
    ),
    "tvd": (f"{DISTANCE} {{}} one- and two-way tables, 0 to 1", INSIDE),
    "tvd1": (f"{DISTANCE} {{}} one-way tables, 0 to 1", INSIDE),
    "tvd2": (f"{DISTANCE} {{}} two-way tables, 0 to 1", INSIDE),
    "S_pMSE": (
        f"{RATIO} (main effects; 1 is as good as a correct synthesis)",
        f"all associations; {FEW}",
    ),
    "S_pMSE2": (
        f"{RATIO} (main effects and products of two variables; 1 is as good as a correct"
        " synthesis)",
        f"three variables together; {FEW}",
    ),
    "ci_overlap": (
        "mean overlap of {:g} % confidence intervals of {} estimands, 0 to 1",
        "whatever is not estimated",
    ),
}


@dataclass(frozen=True, slots=True)
class About:
    """Name, unit and direction of a measure, the range of its values, what it does not see, and a
    further remark.
    """

    label: str
    unit: str
    better: Better
    low: float = -math.inf
    high: float = math.inf
    blind_to: str = ""
    aside: str = ""

    @property
    def meaning(self) -> str:
        """The unit with the further remark."""
        return f"{self.unit} ({self.aside})" if self.aside else self.unit

    def direction(self, role: Role) -> str:
        """In words, as in "higher is riskier"."""
        if role == "utility":
            return f"{self.better} is more useful"
        return f"{'higher' if self.better == 'lower' else 'lower'} is riskier"


@dataclass(frozen=True, slots=True)
class Measure:
    """A measure of your own for `ru_map`.

    Attributes
    ----------
    label : what it is called in tables and pictures.
    function : of a release (one DataFrame of pandas) and the original (another), in this order;
        gives a number. For several data sets the mean is taken.
    unit : of the number, such as "% of original records".
    better : "lower" or "higher": which numbers mean less risk or more utility.
    low, high : ends of its range, where intervals are cut off.

    Examples
    --------
    >>> def difference(release, original):
    ...     return float(abs(release["age"].mean() - original["age"].mean()))
    >>> gap = Measure("age gap", difference, unit="years", better="lower", low=0)
    >>> gap.function(pd.DataFrame({"age": [30, 50]}), pd.DataFrame({"age": [30, 40]}))
    5.0
    """

    label: str
    function: Callable[[pd.DataFrame, pd.DataFrame], float] = field(repr=False)
    unit: str
    better: Better
    low: float = -math.inf
    high: float = math.inf

    def __post_init__(self) -> None:
        for argument, lacking in (("label", "a name"), ("unit", "its unit")):
            text = getattr(self, argument)
            if not isinstance(text, str) or not text.strip():
                raise InputError(
                    f"{argument}: {text!r} is not a text; a number without {lacking} means nothing"
                )
        if not callable(self.function):
            raise InputError(
                f"function: {type(self.function).__name__} cannot be called; give a function of a"
                " release and the original"
            )
        check_choice("better", self.better, ("lower", "higher"))


def about(label: str, *numbers: float) -> About:
    """The description of a measure of the package; `numbers` go into its unit."""
    unit, blind_to = MEANINGS[label]
    high = 100.0 if unit.startswith(SHARE) else math.inf if unit.startswith(RATIO) else 1.0
    return About(
        label,
        unit.format(*numbers),
        better="higher" if label == "ci_overlap" else "lower",
        low=0.0,
        high=high,
        blind_to=blind_to,
        aside="several files: mean over files; together they may reveal more"
        if label in ONE_FILE
        else "",
    )


class NoFigure(Exception):
    """Why a release has no figure."""


class MapMeasure(NamedTuple):
    """A measure, ready to be read off any release.

    Attributes
    ----------
    about : its description.
    of : its function of a release, the numbers of the data sets to look at, and the rows drawn of
        original and release where records are resampled; a share, if it has a numerator.
    files : what several data sets that are released together have: the "mean" of their figures, or
        one figure "together". "theory": one figure without sampling error, for runs too.
    counts_only : it needs only counts, wherever the records are.
    not_finite : why there is no figure where it is not a finite number.
    any_rows : it may be resampled where rows are not those of the original.
    """

    about: About
    of: Callable[[Release, Sequence[int], Rows | None], Share | float]
    files: Literal["mean", "together", "theory"] = "mean"
    counts_only: bool = False
    not_finite: str = ""
    any_rows: bool = False


@dataclass(frozen=True, eq=False)
class Plan:
    """What a call of `ru_map()` asks for, checked, and what several measures share.

    Attributes
    ----------
    original : a pandas data frame, or a table where records are in an engine.
    releases : all that are measured, the original itself too where it is asked for as an anchor.
    variables : columns that utility is measured on.
    special : special values of numeric columns.
    results : of disclosure(), for each release that has one.
    """

    original: Any
    releases: Sequence[Release]
    keys: tuple[Hashable, ...]
    target: Hashable | None
    variables: tuple[Hashable, ...]
    special: Special
    estimands: Any
    classes: int
    level: float
    disclosure_options: Mapping[str, Any]
    matching_options: Mapping[str, Any]
    results: dict[Release, Disclosure] = field(default_factory=dict)

    @cached_property
    def coded(self) -> tuple[list[Coded], list[Integers | None], dict[Release, int]]:
        """Every variable coded over the original (table 0) and the data sets of all releases that
        have all variables; how many records rows stand for; and the first table of each release.
        """
        tables, places, first = [self.original], [ORIGINAL], {}
        for release in self.releases:
            if not release.lacks(self.variables):
                first[release] = len(tables)
                tables.extend(release.sets)
                places.extend(release.places)
        counted = [
            open_table(table, place).count_by(self.variables)
            for table, place in zip(tables, places)
        ]
        coded = coded_variables(self.variables, counted, places, self.classes, self.special)
        return coded, [rows.n for rows in counted], first

    @cached_property
    def repeats(self) -> tuple[dict[Release, tuple[int, float]], float]:
        """How often every record of a release occurs (once where the original's keys are repeated
        alike), and the share of its records that occur more than once, of its most repeated data
        set; the share in the original.
        """
        used = {*self.keys, self.target, *self.variables}
        columns = [name for name in self.original.columns if name in used]
        keys_repeated = repeats_in(self.original, self.keys)[0] > 1
        of = {}
        for release in self.releases:
            found = []
            for one in release.sets:
                found.append(repeats_in(one, [name for name in columns if name in one.columns]))
            times, shares = zip(*found)
            of[release] = 1 if keys_repeated else max(times), max(shares)
        return of, repeats_in(self.original, columns)[1]


# ---- figures and their intervals -----------------------------------------------------


@dataclass(frozen=True, slots=True)
class MapFigure:
    """One measure of one release.

    Attributes
    ----------
    value, low, high : the figure and the ends of its interval; NaN where there is none.
    method : how the interval was made.
    m : data sets of the release.
    numerator, denominator : of a share, means over the data sets; NaN for anything else.
    reason : why there is no figure; empty where there is one.
    """

    candidate: str
    measure: str
    role: Role
    value: float
    low: float
    high: float
    method: str
    m: int
    numerator: float
    denominator: float
    reason: str


def figure_of(
    release: Release,
    role: Role,
    measure: MapMeasure,
    level: float,
    draws: Iterable[Rows] | None = None,
) -> MapFigure:
    """A measure of a release, with its interval cut off at the limits of the measure; `draws` are
    rows of resamples.
    """
    about, m = measure.about, release.m
    figure = no_figure(release.name, role, about)
    try:
        found, without_one = _read(measure, release)
    except NoFigure as reason:
        return replace(figure, m=m, method=f"{NO_INTERVAL}: {reason}", reason=str(reason))
    values = list(map(_value, found))
    value = float(np.mean(values))
    is_share = isinstance(found[0], Share)
    numerator, denominator = map(float, np.mean(found, axis=0)) if is_share else (math.nan,) * 2
    if measure.files == "theory":
        interval = Interval(value, value, "exact: theory, no sampling error")
    elif without_one:
        interval = from_leaving_out(value, without_one, level)
    elif len(values) > 1:
        interval = from_sets(values, level, together=release.together)
    elif draws is None:
        interval = _none(ONE_SET)
    elif is_share:  # has an interval without resampling, also where it is 0 or 100 %
        interval = from_share(numerator, denominator, level)
    elif not (release.aligned or measure.any_rows):
        interval = _none(NOT_RESAMPLED)
    else:
        resamples = [_value(measure.of(release, [0], rows)) for rows in draws]
        interval = from_resamples(value, np.array(resamples), level)
    return replace(
        figure,
        value=value,
        low=min(max(interval.low, about.low), about.high),
        high=min(max(interval.high, about.low), about.high),
        method=interval.method,
        m=m,
        numerator=numerator,
        denominator=denominator,
    )


def _read(measure: MapMeasure, release: Release) -> tuple[list[Share | float], list[float]]:
    """One figure for each data set, or one for all together and those without each of them."""
    if not measure.counts_only:
        for one, place in zip(release.sets, release.places):
            if not is_in_memory(one):
                raise NoFigure(f"it needs single records ({not_collected(one, place)})")
    every = range(release.m)
    together = measure.files == "together" and release.together
    groups = [list(every)] if together or measure.files == "theory" else [[one] for one in every]
    found = [measure.of(release, which, None) for which in groups]
    if measure.not_finite and not np.isfinite(list(map(_value, found))).all():
        raise NoFigure(measure.not_finite)
    without_one = []
    if together and release.m > 1:
        for left_out in every:
            others = [one for one in every if one != left_out]
            without_one.append(_value(measure.of(release, others, None)))
    return found, without_one


def no_figure(name: str, role: Role, about: About) -> MapFigure:
    """A figure still without a value."""
    nan = math.nan
    return MapFigure(name, about.label, role, nan, nan, nan, "", 0, nan, nan, "")


def _value(found: Share | float) -> float:
    return found.percent if isinstance(found, Share) else found


class Interval(NamedTuple):
    """Ends of an interval and how they were found; NaN where there is none."""

    low: float
    high: float
    method: str


def _none(reason: str) -> Interval:
    return Interval(math.nan, math.nan, f"{NO_INTERVAL}: {reason}")


def from_sets(values: Sequence[float], level: float, *, together: bool) -> Interval:
    """Of figures of m data sets. Released together: mean ± t(m - 1) sd sqrt(1 / m), how far the
    mean would move if the release were made again from the same original. Otherwise, of runs: mean
    ± t(m - 1) sd sqrt(1 + 1 / m), where one more run would be, the one that will be released.

    >>> interval = from_sets([1.0, 2.0, 3.0], 0.95, together=True)
    >>> round(interval.low, 3), round(interval.high, 3)  # 2 ± 4.303 * 1 / sqrt(3)
    (-0.484, 4.484)
    """
    m = len(values)
    method = f"t interval of the mean over {m} data sets released together"
    if not together:
        method = f"prediction of one more run, from {m} runs"
    times = math.sqrt(1 / m if together else 1 + 1 / m)
    half = _t(m, level) * float(np.std(values, ddof=1)) * times
    return _around(float(np.mean(values)), half, method)


def from_leaving_out(value: float, without_one: Sequence[float], level: float) -> Interval:
    """Jackknife over m data sets, for a figure that is made from all of them together: value ± t(m
    - 1) sqrt((m - 1) / m sum (v_-i - mean)²).
    """
    x, m = np.asarray(without_one, dtype=np.float64), len(without_one)
    half = _t(m, level) * math.sqrt((m - 1) / m * ((x - x.mean()) ** 2).sum())
    return _around(value, half, f"jackknife over {m} data sets released together")


def _t(m: int, level: float) -> float:
    """How many standard errors an interval from m figures reaches each way."""
    import scipy

    return float(scipy.special.stdtrit(m - 1, (1 + level) / 2))


def _around(value: float, half: float, method: str) -> Interval:
    return Interval(float(value - half), float(value + half), method)


def from_share(numerator: float, denominator: float, level: float) -> Interval:
    """Clopper and Pearson's interval of a share, in %: shares of 0 and of 100 % have one too. For a
    sum of numbers from 0 to 1, such as chances of a match, it is wider than need be.

    Nobody among 10: 1 - 0.025^(1/10) = 30.8 %.

    >>> interval = from_share(0, 10, 0.95)
    >>> interval.low, round(interval.high, 1)
    (0.0, 30.8)
    """
    from scipy.special import betaincinv

    tail, rest = (1 - level) / 2, denominator - numerator
    low = float(betaincinv(numerator, rest + 1, tail)) if numerator > 0 else 0.0
    high = float(betaincinv(numerator + 1, rest, 1 - tail)) if rest > 0 else 1.0
    return Interval(100 * low, 100 * high, "Clopper-Pearson interval of a share of records")


def from_resamples(value: float, resamples: Floats, level: float) -> Interval:
    """value ± z sd of the figure in resampled data.

    The spread of the resamples is used, not their quantiles: a distance between two data sets is
    larger in resamples, because resampling adds noise. For the same reason the interval of a
    distance is too wide, most of all for small distances.
    """
    import scipy

    x = resamples[np.isfinite(resamples)]
    if len(x) < 2:
        return _none("the figure could not be computed in resampled data")
    half = scipy.special.ndtri((1 + level) / 2) * x.std(ddof=1)
    return _around(value, half, f"bootstrap, {len(x)} resamples of records")
