"""`IdentificationRisk`: what `identification_risk()` returns."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from ..arguments import check_digits, check_whole, listed
from ..core.arrays import Integers
from ..errors import InputError
from ..rounding import ROUND_TO
from ..show.printing import Sections
from ..show.values import column_name
from ..show.views import Drawn
from ..tables.bands import group_columns, group_numbers
from .declare import TargetOutcomes
from .intruders import Intruder, Seen
from .options import AttackRequest
from .release import ReleasedSets

__all__ = ["IdentificationRisk", "Measures", "measures_of"]

COUNTS = ("perceived", "expected", "true", "false", "unique_matches")


@dataclass(frozen=True, slots=True)
class Measures:
    """The measures of some targets; counts of these."""

    n: int
    perceived: int
    expected: float
    true: int
    false: int
    unique_matches: int

    @property
    def true_rate(self) -> float:
        return self.true / self.n if self.n else math.nan

    @property
    def false_rate(self) -> float:
        return self.false / self.unique_matches if self.unique_matches else math.nan

    def as_row(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in (*COUNTS, "true_rate", "false_rate")}


def measures_of(outcomes: TargetOutcomes, chosen: Integers | None = None) -> Measures:
    """Add up the targets chosen (positions; all by default)."""
    part: Any = slice(None) if chosen is None else chosen
    c = outcomes.c[part]
    inside = outcomes.inside[part]
    unique = int((c == 1).sum())
    true = int(((c == 1) & inside).sum())
    return Measures(
        n=len(c),
        perceived=int(outcomes.exceeds[part].sum()),
        expected=_sum_of_reciprocals(c[inside]),
        true=true,
        false=unique - true,
        unique_matches=unique,
    )


def _sum_of_reciprocals(sizes: Integers) -> float:
    """The sum of 1 / size, rounded once for each distinct size and once in all."""
    distinct, times = np.unique(sizes, return_counts=True)
    return math.fsum((times / distinct).tolist())


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class IdentificationRisk(Drawn):
    """How many original records an intruder could find in partially synthetic data.

    Attributes
    ----------
    perceived : targets whose highest match probability exceeds the threshold. What the intruder may
        believe, correctly or not.
    expected : sum of I / c over the targets: the expected number of correct guesses when the
        intruder picks one of the c likeliest records at random.
    true : targets whose one likeliest record is the correct one (sum of K).
    false : targets whose one likeliest record is a wrong one (sum of F).
    true_rate : true / n. false_rate : false / unique_matches; NaN when there are none.
    unique_matches : targets with one likeliest record (c = 1); true + false.
    n : targets: all original records, unless `targets` were given. targets_in_file : how many of
        them are in the file. m : released sets, or nests in a release in two stages. sets :
        released sets in all.
    r : sets in each nest, None for a release in one stage.
    attack, known, synthesised, threshold : as asked for.
    notes : what to know about the data before trusting a figure: the warnings of the call.

    Higher is riskier for perceived, expected, true and true_rate. A high false_rate means that most
    unique matches are wrong, which protects.
    """

    perceived: int
    expected: float
    true: int
    false: int
    true_rate: float
    false_rate: float
    unique_matches: int
    n: int
    targets_in_file: int
    m: int
    sets: int
    r: tuple[int, ...] | None
    attack: str
    known: tuple[Hashable, ...]
    synthesised: tuple[Hashable, ...]
    threshold: float
    _by: Any = field(repr=False)
    _outcomes: TargetOutcomes = field(repr=False)
    _request: AttackRequest = field(repr=False)
    _release: ReleasedSets = field(repr=False)
    _targets: pd.DataFrame = field(repr=False)
    _intruder: Intruder = field(repr=False)
    _seen: Seen = field(repr=False)
    notes: tuple[str, ...] = ()

    def records(self) -> pd.DataFrame:
        """One row per target, under its row label: the original's, or that of `targets`.

        Columns: highest (the highest match probability of any record), perceived (it exceeds the
        threshold), c, I, K, F (0 or 1), fallback (released sets, or drawn ones, in which no record
        matched and weaker agreement was used), and in_file (probability of being in the file) where
        that is not known.
        """
        outcomes = self._outcomes
        columns = {
            "highest": outcomes.highest,
            "perceived": outcomes.exceeds,
            "c": outcomes.c,
            "I": outcomes.inside.astype(np.int64),
            "K": outcomes.K.astype(np.int64),
            "F": outcomes.F.astype(np.int64),
            "fallback": outcomes.fallbacks,
        }
        if outcomes.in_file is not None:
            columns["in_file"] = outcomes.in_file
        return pd.DataFrame(columns, index=self._target_labels())

    def _target_labels(self) -> pd.Index:
        default = "record" if self._request.targets is None else "target"
        return _labels(self._targets, default)

    def probabilities(self, record: Any) -> pd.Series:
        """Match probabilities of one target, given by its row label: the records that have any, the
        likeliest first, under the original's row labels.

        The result itself does not store them: they are computed for this one target from what the
        intruder saw; nothing is fitted or drawn again. With `population`, `weights` or `units` they
        add up to the probability that the target is in the file,
        `records().loc[record, "in_file"]`; the rest is the probability of not being in it.
        """
        original = self._release.original
        place = "original data" if self._request.targets is None else "targets"
        row = _row(record, self._targets.index, place)
        # the last is that of not being in the file
        probabilities = self._seen.probabilities(row)[:-1]
        likely = np.flatnonzero(probabilities > 0)
        likely = likely[np.argsort(-probabilities[likely], kind="stable")]
        labels = _labels(original, "record")[likely]
        return pd.Series(probabilities[likely], index=labels, name="probability")

    def by(self, groups: Any) -> pd.DataFrame:
        """The measures of subgroups of the targets.

        Parameters
        ----------
        groups : name of a column of the original, several names, or any values aligned with its
            rows, such as ``original["size"].rank() > 100``; of `targets`, where these were given.

        Returns
        -------
        DataFrame
            One row per group: n, the five counts, the two rates. Missing values are a group, the
            last one; categories come in their order.
        """
        frame = group_columns(groups, self._targets)
        number = group_numbers(frame)
        order = np.argsort(number, kind="stable")
        begins = np.flatnonzero(np.diff(number[order])) + 1
        parts = np.split(order, begins)
        rows = []
        for part in parts:
            measures = measures_of(self._outcomes, part)
            rows.append({"n": measures.n, **measures.as_row()})
        labels = frame.iloc[[part[0] for part in parts]]
        return pd.DataFrame(rows, index=_group_labels(labels))

    def path(self, steps: Sequence[int] | None = None) -> pd.DataFrame:
        """The measures when only the first 1, 2, ... m sets are released (nests, in a release in
        two stages).

        Parameters
        ----------
        steps : some numbers of sets only, such as ``[2, 5, 10]``; None for 1 to m. It begins at 2
            for the intruder with parameters="simulated", who learns nothing from one set about how
            much sets vary.

        Returns
        -------
        DataFrame
            Index m; columns sets, the five counts, the two rates. The row of the full release
            equals the result itself. The model-aware intruder fits and draws again for each row.
        """
        rows = []
        wanted = self._steps(steps)
        for step in wanted:
            # the full release is not attacked again
            outcomes = self._outcomes
            if step < self.m:
                outcomes, _ = self._intruder.attack(step)
            sets = sum(self._release.nests[:step])
            rows.append({"sets": sets, **measures_of(outcomes).as_row()})
        return pd.DataFrame(rows, index=pd.Index(wanted, name="m"))

    def _steps(self, steps: Sequence[int] | None) -> list[int]:
        """How many sets, or nests, are released in each row of the path."""
        if steps is None:
            return list(range(self._intruder.fewest_steps, self.m + 1))
        wanted = [check_whole("steps", step, 1) for step in listed(steps)]
        for step in wanted:
            if step > self.m:
                what = "nests" if self.r else "sets"
                raise InputError(f"steps: {step} is more than the {self.m} {what} released")
        return wanted

    def tidy(self) -> pd.DataFrame:
        """One row per measure: measure, value, unit, numerator, denominator."""
        rows: list[tuple[str, float, str, float, int]] = []
        who = "original records" if self._request.targets is None else "targets"
        for name in COUNTS:
            count = float(getattr(self, name))
            rows.append((name, count, who, count, self.n))
        true, false = float(self.true), float(self.false)
        rows += [
            ("true_rate", self.true_rate, f"share of {who}", true, self.n),
            ("false_rate", self.false_rate, "share of unique matches", false, self.unique_matches),
        ]
        return pd.DataFrame(rows, columns=["measure", "value", "unit", "numerator", "denominator"])

    def _title(self) -> str:
        return "Identification risk"

    def _everybody(self) -> int:
        return self.n

    def _headline(self, to: int = 1) -> list[str]:
        from .show import headline

        return [headline(self, 2, to)]

    def _sections(self) -> Sections:
        return self._rounded(1)

    def _rounded(self, to: int) -> Sections:
        from .show import sections

        return sections(self, 2, to)

    def _content(self) -> dict[str, Any]:
        from .show import content

        return content(self)

    def _arguments(self) -> dict[str, Any]:
        return {
            "known": [column_name(name) for name in self.known],
            "synthesised": [column_name(name) for name in self.synthesised],
            "attack": self.attack,
            "threshold": self.threshold,
        }

    def _records(self) -> dict[str, Any]:
        if self._request.targets is None:
            return {"original": self.n, "sets": self.sets}
        return {"original": len(self._release.original), "targets": self.n, "sets": self.sets}

    def print(self, to_print: str | Sequence[str] | None = None, digits: int = 2) -> None:
        """Show the measures, what they count, and the subgroups if `by` was given; `to_print`
        shows a part, as for every result.
        """
        from .show import sections

        self._print_parts(sections(self, check_digits(digits)), to_print)

    def plot(
        self, ax: Any = None, steps: Sequence[int] | None = None, *, round_to: int = ROUND_TO
    ) -> Any:
        """Risk against the number of released sets (matplotlib); returns the axes. `steps` as for
        `path`; counts of people are rounded to a multiple of `round_to`, 1 draws exact ones.
        """
        from ..plots.matching import plot_path

        return plot_path(self, ax, steps, round_to=round_to)


def _group_labels(labels: pd.DataFrame) -> pd.Index:
    """Row labels from one column or several."""
    if len(labels.columns) > 1:
        return pd.MultiIndex.from_frame(labels)
    return pd.Index(labels.iloc[:, 0], name=labels.columns[0])


def _labels(frame: pd.DataFrame, default: str) -> pd.Index:
    """The row labels of a frame, under a name."""
    index = frame.index
    if index.nlevels > 1 or any(name is not None for name in index.names):
        return index
    return index.rename(default)


def _row(record: Any, index: pd.Index, place: str) -> int:
    """The position of a row label."""
    rows = np.arange(len(index))
    try:
        labelled = np.atleast_1d(rows[index.get_loc(record)])
    except (KeyError, TypeError, pd.errors.InvalidIndexError):
        raise InputError(
            f"record: {record!r} is not a row label of the {place}; .details has some",
            details={"labels": tuple(index[:3])},
        ) from None
    if len(labelled) != 1:
        raise InputError(f"record: {record!r} is the label of several rows of the {place}")
    return int(labelled[0])
