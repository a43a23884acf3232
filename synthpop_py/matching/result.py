"""`IdentificationRisk`: what `identification_risk()` returns, and what it says."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd

from ..arguments import check_digits, check_whole, is_number, listed
from ..errors import InputError
from ..rounding import ROUND_TO, part, percent, shown
from ..show.printing import Sections, Table
from ..show.values import column_name, plain
from ..show.views import Drawn
from ..tables.bands import group_columns, group_numbers
from .intruders import Intruder
from .targets import is_missing

COUNTS = ("perceived", "expected", "true", "false", "unique_matches")
RATES = ("true_rate", "false_rate")
MOST_GROUPS = 20
SOURCES = {"weights": "survey weights", "population": "population counts", "units": "N_t given"}
MEANINGS = {
    "perceived": "highest match probability above {threshold:g}",
    "expected": "correct guesses among the likeliest records, at random where several tie",
    "true": "the one likeliest record is the correct one",
    "false": "the one likeliest record is a wrong one",
    "true_rate": "true, in % of {who}",
    "false_rate": "false, in % of the {number}unique matches",
}


def measures_of(outcomes: pd.DataFrame) -> dict[str, Any]:
    """The measures of targets, by name."""
    c, inside, exceeds = (outcomes[name].to_numpy() for name in ("c", "I", "perceived"))
    n, unique = c.size, int((c == 1).sum())
    true = int(((c == 1) & inside).sum())
    # rounded once for each distinct size and once in all
    sizes, times = np.unique(c[inside], return_counts=True)
    return {
        "perceived": int(exceeds.sum()),
        "expected": math.fsum(times / sizes),
        "true": true,
        "false": unique - true,
        "unique_matches": unique,
        "true_rate": true / n if n else math.nan,
        "false_rate": (unique - true) / unique if unique else math.nan,
    }


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class IdentificationRisk(Drawn):
    """How many original records an intruder could find in partially synthetic data.

    Attributes
    ----------
    perceived : targets whose highest match probability exceeds the threshold.
    expected : sum of I / c over the targets: the expected number of correct guesses when the
        intruder picks one of the c likeliest records at random.
    true, false : targets whose one likeliest record is the correct one (sum of K), or a wrong one.
    true_rate : true / n. false_rate : false / unique_matches; NaN when there are none.
    unique_matches : targets with one likeliest record (c = 1); true + false.
    n : targets. targets_in_file : how many of them are in the file.
    m : released sets, or nests of sets. sets : released sets in all. r : sets in each nest, None
        for a release in one stage.
    attack, known, synthesised, threshold : as asked for.
    notes : what to know about the data before trusting a figure: the warnings of the call.

    Higher is riskier, except for false and false_rate.
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
    _outcomes: pd.DataFrame = field(repr=False)
    _intruder: Intruder = field(repr=False)
    notes: tuple[str, ...] = ()

    @classmethod
    def _of(
        cls, intruder: Intruder, outcomes: pd.DataFrame, notes: tuple[str, ...]
    ) -> IdentificationRisk:
        """What the intruder achieves with all released sets."""
        asked, nests = intruder.asked, intruder.nests
        return cls(
            **measures_of(outcomes),
            n=len(outcomes),
            targets_in_file=int((asked.records >= 0).sum()),
            m=len(nests),
            sets=sum(nests),
            r=nests if asked.two_stage else None,
            attack=asked.attack,
            known=asked.known,
            synthesised=asked.synthesised,
            threshold=float(asked.threshold),
            notes=notes,
            _outcomes=outcomes,
            _intruder=intruder,
        )

    @property
    def _asked(self) -> SimpleNamespace:
        return self._intruder.asked

    @property
    def _targets(self) -> pd.DataFrame:
        given: pd.DataFrame | None = self._asked.given
        return self._asked.original if given is None else given

    @property
    def _noun(self) -> str:
        return "records" if self._asked.given is None else "targets"

    def records(self) -> pd.DataFrame:
        """One row per target, under its row label: the original's, or that of `targets`.

        Columns: highest (the highest match probability of any record), perceived (it exceeds the
        threshold), c, I, K, F (0 or 1), fallback (released sets, or drawn ones, in which no record
        matched and weaker agreement was used), and in_file (probability of being in the file) where
        that is not known.
        """
        frame = self._outcomes.set_axis(_labels(self._targets, self._noun[:-1]))
        alone, inside = frame["c"] == 1, frame["I"]
        frame["I"] = inside.astype(np.int64)
        frame.insert(4, "K", (alone & inside).astype(np.int64))
        frame.insert(5, "F", (alone & ~inside).astype(np.int64))
        return frame

    def probabilities(self, record: Any) -> pd.Series:
        """Match probabilities of one target, given by its row label: the records that have any, the
        likeliest first, under the original's row labels.

        They are computed for this one target from what the intruder saw; nothing is fitted or drawn
        again. With `population`, `weights` or `units` they add up to the probability that the
        target is in the file, ``records().loc[record, "in_file"]``.
        """
        index = self._targets.index
        try:
            rows = np.atleast_1d(np.arange(len(index))[index.get_loc(record)])
        except (KeyError, TypeError, pd.errors.InvalidIndexError):
            rows = np.zeros(0)
        if rows.size != 1:
            raise InputError(
                f"record: {record!r} is not a row label of the {self._noun}, or the label of"
                " several rows; .details has some",
                details={"labels": tuple(index[:3])},
            )
        found = self._intruder.probabilities(int(rows[0]))
        series = pd.Series(found, _labels(self._asked.original, "record"), name="probability")
        return series[found > 0].sort_values(ascending=False, kind="stable")

    def by(self, groups: Any) -> pd.DataFrame:
        """The measures of subgroups of the targets, one row per group: n, the five counts, the two
        rates. Missing values are a group, the last one; categories come in their order.

        `groups` is the name of a column of the original, several names, or any values aligned with
        its rows, such as ``original["size"].rank() > 100``; of `targets`, where these were given.
        """
        frame = group_columns(groups, self._targets)
        parts = [part for _, part in self._outcomes.groupby(group_numbers(frame))]
        rows = [{"n": len(part), **measures_of(part)} for part in parts]
        labels = frame.iloc[[part.index[0] for part in parts]]
        if len(labels.columns) > 1:
            return pd.DataFrame(rows, index=pd.MultiIndex.from_frame(labels))
        return pd.DataFrame(rows, index=pd.Index(labels.iloc[:, 0], name=labels.columns[0]))

    def path(self, steps: Sequence[int] | None = None) -> pd.DataFrame:
        """The measures when only the first 1, 2, ... m sets are released (nests, in a release in
        two stages): a row for each m, or for those of `steps`, such as ``[2, 5, 10]``; columns
        sets, the five counts, the two rates.

        It begins at 2 for the intruder with parameters="simulated", who learns nothing from one set
        about how much sets vary. The model-aware intruder fits and draws again for each row.
        """
        wanted = list(range(self._intruder.fewest_steps, self.m + 1))
        if steps is not None:
            wanted = [check_whole("steps", step, 1) for step in listed(steps)]
        rows = []
        for step in wanted:
            if step > self.m:
                what = "nests" if self.r else "sets"
                raise InputError(f"steps: {step} is more than the {self.m} {what} released")
            # the full release is not attacked again
            outcomes = self._outcomes if step == self.m else self._intruder.attack(step)
            rows.append({"sets": sum(self._intruder.nests[:step]), **measures_of(outcomes)})
        return pd.DataFrame(rows, index=pd.Index(wanted, name="m"))

    def tidy(self) -> pd.DataFrame:
        """One row per measure: measure, value, unit, numerator, denominator."""
        who = "targets" if self._noun == "targets" else "original records"
        frame = pd.DataFrame({"measure": [*COUNTS, *RATES], "value": 0.0, "unit": who})
        frame["value"] = [float(getattr(self, name)) for name in frame["measure"]]
        frame["numerator"] = [float(getattr(self, name)) for name in (*COUNTS, "true", "false")]
        frame["denominator"] = self.n
        frame.loc[5, "unit"] = f"share of {who}"
        frame.loc[6, ["unit", "denominator"]] = "share of unique matches", self.unique_matches
        return frame

    def print(self, digits: int = 2) -> None:
        """Show the measures, what they count, and the subgroups if `by` was given."""
        self._print(_sections(self, check_digits(digits)))

    def plot(
        self, ax: Any = None, steps: Sequence[int] | None = None, *, round_to: int = ROUND_TO
    ) -> Any:
        """Risk against the number of released sets (matplotlib); returns the axes. `steps` as for
        `path`; counts of people are rounded to a multiple of `round_to`, 1 draws exact ones.
        """
        from ..plots.matching import plot_path

        return plot_path(self, ax, steps, round_to=round_to)

    def _title(self) -> str:
        return "Identification risk"

    def _everybody(self) -> int:
        return self.n

    def _headline(self, to: int = 1) -> list[str]:
        expected = f"{self.expected:.2f}" if to == 1 else part(self.expected, self.n, to)
        everybody, true = part(self.n, to=to), part(self.true, self.n, to)
        return [
            f"An intruder is expected to find {expected} of {everybody} {self._noun} correctly;"
            f" of {true} the one likeliest match is the correct one."
        ]

    def _sections(self) -> Sections:
        return self._rounded(1)

    def _rounded(self, to: int) -> Sections:
        return _sections(self, 2, to)

    def _content(self) -> dict[str, Any]:
        return _content(self)

    def _arguments(self) -> dict[str, Any]:
        return {
            "known": [column_name(name) for name in self.known],
            "synthesised": [column_name(name) for name in self.synthesised],
            "attack": self.attack,
            "threshold": self.threshold,
        }

    def _records(self) -> dict[str, Any]:
        targets = {"targets": self.n} if self._noun == "targets" else {}
        return {"original": len(self._asked.original), **targets, "sets": self.sets}


def _labels(frame: pd.DataFrame, default: str) -> pd.Index:
    """The row labels of a frame, under a name."""
    index = frame.index
    named = index.nlevels > 1 or index.name is not None
    return index if named else index.rename(default)


def _sections(result: IdentificationRisk, digits: int, to: int = 1) -> Sections:
    """Head, measures, subgroups where asked for, and where to look further. Subgroups add up to all
    targets, which would undo rounding, so they are only in exact views.
    """
    said: list[list[str | Table]] = [list(_head(result, to)), [_measures(result, digits, to)]]
    groups = result._asked.by
    if groups is not None and to == 1:
        frame = result.by(groups)
        caption = f"By {_names(frame.index.names)} (counts of {result._noun}; rates are shares)"
        said.append([Table(frame.head(MOST_GROUPS), caption, digits=digits)])
    grows = ", .path() how risk grows with the released sets" if result.m > 1 else ""
    see = f"See .records() for every target, .by(...) for subgroups{grows}."
    fell_back = int((result._outcomes["fallback"] > 0).sum())
    if fell_back:
        number, everybody = part(fell_back, result.n, to), part(result.n, to=to)
        see = (
            f"Fallback (no record agreed on all keys) was used for {number} of {everybody} targets"
            f" in some set. {see}"
        )
    said.append([see])
    if result.notes:
        said.append(list(result.notes))
    return said


def _head(result: IdentificationRisk, to: int) -> list[str]:
    asked, n = result._asked, result.n
    own = asked.given is not None
    sets = f"{result.sets} synthetic set" + "s" * (result.sets != 1)
    if result.r is not None:
        sets += f" in {result.m} nest" + "s" * (result.m != 1)
    people = f"{part(n, to=to)} {result._noun}"
    said = [f"Identification risk of {people} in {sets}; attack: {result.attack}"]
    if own:
        inside = part(result.targets_in_file, n, to)
        # the others are the rest, which rounded for itself would say more
        others = "" if to > 1 else f", {n - result.targets_in_file} not in it"
        said.append(f"Targets of the intruder: {inside} in the file{others}")
    if asked.statements:
        partly = _names(asked.statements)
        said.append(f"Known in part (sets of values, or between ends): {partly}")
    # targets of the intruder's own may not be in it, whatever they believe
    membership = f"targets {'taken' if own else 'known'} to be in the file"
    if asked.source is not None:
        membership = f"targets perhaps not in the file ({_source(asked)})"
        membership += ", intruder abstains" * asked.abstain
    known, synthesised = _names(result.known), _names(result.synthesised)
    said.append(f"Keys released unchanged: {known}; synthesised: {synthesised}; {membership}")
    if asked.coarsen:
        said.append(f"Keys known only in groups: {_names(asked.coarsen)}")
    near = [f"{name} {interval}" for name, interval in asked.intervals.items()]
    if asked.distance is not None:
        near.append(f"{_names(asked.together)}: {asked.distance}")
    if near:
        included = "included" if asked.boundary == "closed" else "excluded"
        said.append(f"Numeric keys match when near: {'; '.join(near)}; boundary {included}")
    return said


def _source(asked: SimpleNamespace) -> str:
    """Where N_t comes from, in words."""
    return str(asked.model) if asked.source == "model" else SOURCES[asked.source]


def _names(names: Iterable[Hashable]) -> str:
    return ", ".join(map(str, names)) or "none"


def _measures(result: IdentificationRisk, digits: int, to: int) -> Table:
    """The measures with what they count, as texts: counts then have no decimals."""
    n, own = result.n, result._noun == "targets"
    values = {name: str(part(getattr(result, name), n, to)) for name in COUNTS[:-1]}
    if to == 1:
        values["expected"] = f"{result.expected:.{digits}f}"
        for name in RATES:
            rate = getattr(result, name)
            values[name] = "not defined" if rate != rate else f"{100 * rate:.{digits}f}"
    else:
        # unique matches are taken as their sum: rounded for themselves they would say more
        everybody, true, false = (shown(one, n, to=to) for one in (n, result.true, result.false))
        unique = min(true + false, everybody)
        values["true_rate"] = percent(true, everybody, to)
        values["false_rate"] = percent(false, unique, to) or "not defined"
    frame = pd.DataFrame({"value": values})
    frame["of"] = str(part(n, to=to))
    frame.loc[list(RATES), "of"] = ""
    words = {
        "threshold": result.threshold,
        "who": "targets" if own else "original records",
        "number": f"{result.unique_matches} " if to == 1 else "",
    }
    frame["meaning"] = [MEANINGS[name].format(**words) for name in frame.index]
    frame.index = frame.index.str.replace("_", " ")
    title = "Targets of the intruder" if own else "Targets, each original record in turn"
    title += " (higher is riskier, except false and false rate)"
    return Table(frame, title, prose=("meaning",))


def _content(result: IdentificationRisk) -> dict[str, Any]:
    """Measures and settings; a rate that is not defined is None. Some settings appear only if they
    were given.
    """
    asked = result._asked
    content = {name: getattr(result, name) for name in (*COUNTS, *RATES, "n", "m", "sets")}
    for name in RATES:
        content[name] = None if content[name] != content[name] else content[name]
    content |= result._arguments()
    content |= {name: getattr(asked, name) for name in ("boundary", "fallback", "abstain")}
    content["notes"], content["in_file"] = list(result.notes), asked.source is None
    content["r"] = None if result.r is None else list(result.r)
    content["intervals"] = {str(name): str(one) for name, one in asked.intervals.items()}
    content["distance"] = None if asked.distance is None else str(asked.distance)
    if asked.given is not None:
        content["targets_in_file"] = result.targets_in_file
        content["known_in_part"] = [column_name(name) for name in asked.statements]
    if asked.coarsen:
        rules = asked.coarsen.items()
        content["coarsen"] = {column_name(name): _groups_of(rule) for name, rule in rules}
    if asked.source in ("units", "model"):
        content["units"] = _source(asked)
    return content


def _groups_of(rule: Any) -> list[Any]:
    """The cut points, or the names of the groups: levels of a mapping are those of the data."""
    if not isinstance(rule, (Mapping, pd.Series)):
        return [plain(cut) if is_number(cut) else str(cut) for cut in listed(rule)]
    groups = [group for _, group in rule.items()]
    return list(dict.fromkeys("missing" if is_missing(one) else str(one) for one in groups))
