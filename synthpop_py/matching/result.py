"""`IdentificationRisk`: what `identification_risk()` returns, and what it says."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from ..arguments import check_digits, check_whole, is_number, listed
from ..core.arrays import Integers
from ..errors import InputError
from ..rounding import ROUND_TO, part, percent, shown
from ..show.printing import Sections, Table
from ..show.values import column_name, plain
from ..show.views import Drawn
from ..tables.bands import group_columns, group_numbers
from .attack import Outcomes
from .intruders import Intruder, Seen
from .targets import Request, is_missing

COUNTS = ("perceived", "expected", "true", "false", "unique_matches")
RATES = ("true_rate", "false_rate")
MOST_GROUPS = 20
TITLE = "Targets, each original record in turn (higher is riskier, except false and false rate)"
OWN_TITLE = "Targets of the intruder (higher is riskier, except false and false rate)"
MEANINGS = {
    "perceived": "highest match probability above {threshold:g}",
    "expected": "correct guesses among the likeliest records, at random where several tie",
    "true": "the one likeliest record is the correct one",
    "false": "the one likeliest record is a wrong one",
    "true_rate": "true, in % of {who}",
    "false_rate": "false, in % of the {number}unique matches",
}


def measures_of(outcomes: Outcomes, chosen: Integers | None = None) -> dict[str, Any]:
    """The measures of the targets chosen (positions; all by default), by name."""
    part: Any = slice(None) if chosen is None else chosen
    c, inside = outcomes.c[part], outcomes.inside[part]
    n, unique = len(c), int((c == 1).sum())
    true = int(((c == 1) & inside).sum())
    # rounded once for each distinct size and once in all
    sizes, times = np.unique(c[inside], return_counts=True)
    return {
        "perceived": int(outcomes.exceeds[part].sum()),
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
    _outcomes: Outcomes = field(repr=False)
    _request: Request = field(repr=False)
    _original: pd.DataFrame = field(repr=False)
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
        alone = outcomes.c == 1
        columns = {
            "highest": outcomes.highest,
            "perceived": outcomes.exceeds,
            "c": outcomes.c,
            "I": outcomes.inside.astype(np.int64),
            "K": (alone & outcomes.inside).astype(np.int64),
            "F": (alone & ~outcomes.inside).astype(np.int64),
            "fallback": outcomes.fallbacks,
        }
        if outcomes.in_file is not None:
            columns["in_file"] = outcomes.in_file
        default = "record" if self._request.targets is None else "target"
        return pd.DataFrame(columns, index=_labels(self._targets, default))

    def probabilities(self, record: Any) -> pd.Series:
        """Match probabilities of one target, given by its row label: the records that have any, the
        likeliest first, under the original's row labels.

        The result itself does not store them: they are computed for this one target from what the
        intruder saw; nothing is fitted or drawn again. With `population`, `weights` or `units` they
        add up to the probability that the target is in the file,
        `records().loc[record, "in_file"]`; the rest is the probability of not being in it.
        """
        place = "original data" if self._request.targets is None else "targets"
        probabilities = self._seen.probabilities(_row(record, self._targets.index, place))
        likely = np.flatnonzero(probabilities > 0)
        likely = likely[np.argsort(-probabilities[likely], kind="stable")]
        labels = _labels(self._original, "record")[likely]
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
        parts = np.split(order, np.flatnonzero(np.diff(number[order])) + 1)
        rows = [{"n": len(part), **measures_of(self._outcomes, part)} for part in parts]
        labels = frame.iloc[[part[0] for part in parts]]
        if len(labels.columns) > 1:
            return pd.DataFrame(rows, index=pd.MultiIndex.from_frame(labels))
        return pd.DataFrame(rows, index=pd.Index(labels.iloc[:, 0], name=labels.columns[0]))

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
        wanted = list(range(self._intruder.fewest_steps, self.m + 1))
        if steps is not None:
            wanted = [check_whole("steps", step, 1) for step in listed(steps)]
        rows = []
        for step in wanted:
            if step > self.m:
                what = "nests" if self.r else "sets"
                raise InputError(f"steps: {step} is more than the {self.m} {what} released")
            # the full release is not attacked again
            full = step == self.m
            outcomes = self._outcomes if full else self._intruder.look(step).attack()
            sets = sum(self._intruder.release.nests[:step])
            rows.append({"sets": sets, **measures_of(outcomes)})
        return pd.DataFrame(rows, index=pd.Index(wanted, name="m"))

    def tidy(self) -> pd.DataFrame:
        """One row per measure: measure, value, unit, numerator, denominator."""
        who = "original records" if self._request.targets is None else "targets"
        rows: list[tuple[str, float, str, float, int]] = []
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
        noun = "records" if self._request.targets is None else "targets"
        expected = f"{self.expected:.2f}" if to == 1 else part(self.expected, self.n, to)
        return [
            f"An intruder is expected to find {expected} of {part(self.n, to=to)} {noun} correctly;"
            f" of {part(self.true, self.n, to)} the one likeliest match is the correct one."
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
        targets = {} if self._request.targets is None else {"targets": self.n}
        return {"original": len(self._original), **targets, "sets": self.sets}

    def print(self, to_print: str | Sequence[str] | None = None, digits: int = 2) -> None:
        """Show the measures, what they count, and the subgroups if `by` was given; `to_print`
        shows a part, as for every result.
        """
        self._print_parts(_sections(self, check_digits(digits)), to_print)

    def plot(
        self, ax: Any = None, steps: Sequence[int] | None = None, *, round_to: int = ROUND_TO
    ) -> Any:
        """Risk against the number of released sets (matplotlib); returns the axes. `steps` as for
        `path`; counts of people are rounded to a multiple of `round_to`, 1 draws exact ones.
        """
        from ..plots.matching import plot_path

        return plot_path(self, ax, steps, round_to=round_to)


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


# ---- what a result says --------------------------------------------------------------


def _sections(result: IdentificationRisk, digits: int, to: int = 1) -> Sections:
    """Head, measures, subgroups where asked for, and where to look further. Subgroups add up to all
    targets, which would undo rounding, so they are only in exact views.
    """
    said: list[list[str | Table]] = [list(_head(result, to)), [_measures(result, digits, to)]]
    if result._by is not None and to == 1:
        frame = result.by(result._by)
        noun = "records" if result._request.targets is None else "targets"
        caption = f"By {_names(frame.index.names)} (counts of {noun}; rates are shares)"
        said.append([Table(frame.head(MOST_GROUPS), caption, digits=digits)])
    grows = ", .path() how risk grows with the released sets" if result.m > 1 else ""
    see = f"See .records() for every target, .by(...) for subgroups{grows}."
    fell_back = int((result._outcomes.fallbacks > 0).sum())
    if fell_back:
        see = (
            f"Fallback (no record agreed on all keys) was used for {part(fell_back, result.n, to)}"
            f" of {part(result.n, to=to)} targets in some set. {see}"
        )
    said.append([see])
    if result.notes:
        said.append(list(result.notes))
    return said


def _head(result: IdentificationRisk, to: int) -> Iterator[str]:
    request = result._request
    noun = "records" if request.targets is None else "targets"
    sets = f"{result.sets} synthetic set" + "s" * (result.sets != 1)
    if result.r is not None:
        sets += f" in {result.m} nest" + "s" * (result.m != 1)
    number = part(result.n, to=to)
    yield f"Identification risk of {number} {noun} in {sets}; attack: {result.attack}"
    if request.targets is not None:
        inside = part(result.targets_in_file, result.n, to)
        # the others are the rest, which rounded for itself would say more
        others = "" if to > 1 else f", {result.n - result.targets_in_file} not in it"
        yield f"Targets of the intruder: {inside} in the file{others}"
        if request.targets.statements:
            partly = _names(request.targets.statements)
            yield f"Known in part (sets of values, or between ends): {partly}"
    known, synthesised = _names(result.known), _names(result.synthesised)
    belief = request.belief
    if belief.in_file:
        # targets of the intruder's own may not be in it, whatever they believe
        sure = "known" if request.targets is None else "taken"
        membership = f"targets {sure} to be in the file"
    else:
        abstains = ", intruder abstains" if belief.abstain else ""
        membership = f"targets perhaps not in the file ({belief.source_text}){abstains}"
    yield f"Keys released unchanged: {known}; synthesised: {synthesised}; {membership}"
    if request.coarsen:
        yield f"Keys known only in groups: {_names(request.coarsen)}"
    near = [f"{name} {interval}" for name, interval in request.intervals.items()]
    if request.distance is not None:
        near.append(f"{_names(request.distance.columns or ())}: {request.distance}")
    if near:
        included = "included" if request.boundary == "closed" else "excluded"
        yield f"Numeric keys match when near: {'; '.join(near)}; boundary {included}"


def _names(names: Iterable[Hashable]) -> str:
    return ", ".join(map(str, names)) or "none"


def _measures(result: IdentificationRisk, digits: int, to: int) -> Table:
    """The measures with what they count, as texts: counts then have no decimals."""
    n = result.n
    values = {name: part(getattr(result, name), n, to) for name in COUNTS[:-1]}
    if to == 1:
        values["expected"] = f"{result.expected:.{digits}f}"
        for name in RATES:
            rate = getattr(result, name)
            values[name] = "not defined" if rate != rate else f"{100 * rate:.{digits}f}"
    else:
        # unique matches are taken as their sum: rounded for themselves they would say more
        everybody = shown(n, n, to=to)
        true, false = (shown(count, n, to=to) for count in (result.true, result.false))
        values["true_rate"] = percent(true, everybody, to)
        unique = min(true + false, everybody)
        values["false_rate"] = percent(false, unique, to) or "not defined"
    own = result._request.targets is not None
    words = {
        "threshold": result.threshold,
        "who": "targets" if own else "original records",
        "number": f"{result.unique_matches} " if to == 1 else "",
    }
    frame = pd.DataFrame(
        {
            "value": [str(value) for value in values.values()],
            "of": ["" if name in RATES else str(part(n, to=to)) for name in values],
            "meaning": [MEANINGS[name].format(**words) for name in values],
        },
        index=[name.replace("_", " ") for name in values],
    )
    return Table(frame, OWN_TITLE if own else TITLE, prose=("meaning",))


def _content(result: IdentificationRisk) -> dict[str, Any]:
    """Measures and settings; a rate that is not defined is None. Some settings appear only if they
    were given.
    """
    request, belief = result._request, result._request.belief
    content: dict[str, Any] = {}
    for name in (*COUNTS, *RATES, "n"):
        value = getattr(result, name)
        content[name] = None if value != value else value
    if request.targets is not None:
        content["targets_in_file"] = result.targets_in_file
    content |= {
        "notes": list(result.notes),
        "m": result.m,
        "sets": result.sets,
        "attack": result.attack,
        "threshold": result.threshold,
        "r": None if result.r is None else list(result.r),
        "known": [column_name(name) for name in result.known],
        "synthesised": [column_name(name) for name in result.synthesised],
        "intervals": {str(name): str(interval) for name, interval in request.intervals.items()},
        "distance": None if request.distance is None else str(request.distance),
        "boundary": request.boundary,
        "fallback": belief.fallback,
        "in_file": belief.in_file,
        "abstain": belief.abstain,
    }
    if request.targets is not None:
        content["known_in_part"] = [column_name(name) for name in request.targets.statements]
    if request.coarsen:
        rules = request.coarsen.items()
        content["coarsen"] = {column_name(name): _groups_of(rule) for name, rule in rules}
    if belief.source in ("units", "model"):
        content["units"] = belief.source_text
    return content


def _groups_of(rule: Any) -> list[Any]:
    """The cut points, or the names of the groups: levels of a mapping are those of the data."""
    if not isinstance(rule, Mapping):
        return [plain(cut) if is_number(cut) else str(cut) for cut in listed(rule)]
    names = ["missing" if is_missing(group) else str(group) for group in rule.values()]
    return list(dict.fromkeys(names))
