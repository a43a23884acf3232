"""An `IdentificationRisk` as a document."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping
from typing import Any

import pandas as pd

from ..arguments import is_number, listed
from ..show import Cell, Column, Count, Document, Note, Relation, Table, fill
from ..show.audit import KEPT
from ..show.plain import column_name, plain_scalar
from .belief import Belief
from .knowledge import is_missing
from .options import AttackRequest
from .result import COUNTS, IdentificationRisk

MOST_GROUPS = 20
TITLE = "Targets, each original record in turn (higher is riskier, except false and false rate)"
OWN_TITLE = "Targets of the intruder (higher is riskier, except false and false rate)"
EVERYBODY = KEPT
ALL = "all"
MEANINGS = {
    "expected": "correct guesses among the likeliest records, at random where several tie",
    "true": "the one likeliest record is the correct one",
    "false": "the one likeliest record is a wrong one",
    "true_rate": "true, in % of original records",
}
WORTH = {"expected": 4, "true": 5, "perceived": 3}


def document(result: IdentificationRisk, digits: int) -> Document:
    """Head, measures, subgroups where asked for, and where to look further."""
    sections = [fill.notes_section(_head(result))]
    sections.append(fill.section(_measures(result, digits)))
    if result._by is not None:
        sections.append(fill.section(_groups(result, digits)))
    sections.append(fill.section(_note(result)))
    if result.notes:
        sections.append(fill.notes_section(result.notes))
    return Document(
        title="Identification risk",
        sections=tuple(sections),
        headline=(_headline(result, digits),),
    )


def _headline(result: IdentificationRisk, digits: int) -> Note:
    people = Everyone(result)
    noun = "records" if result._request.targets is None else "targets"
    expected = Cell(f"{result.expected:.{digits}f}", (people.of("expected"),))
    records = Cell(result.n, (people.all(),))
    true = Cell(result.true, (people.of("true"),))
    sentence = (
        "An intruder is expected to find ",
        expected,
        " of ",
        records,
        f" {noun} correctly; of ",
        true,
        " the one likeliest match is the correct one.",
    )
    return fill.note(*sentence)


def _head(result: IdentificationRisk) -> Iterator[Any]:
    records = Cell(result.n, (Everyone(result).all(),))
    stages = _stages(result)
    noun = "records" if result._request.targets is None else "targets"
    yield "Identification risk of ", records, f" {noun} in {stages}; attack: {result.attack}"
    if result._request.targets is not None:
        yield from _own_targets(result)
    known = _names(result.known)
    synthesised = _names(result.synthesised)
    yield (f"Keys released unchanged: {known}; synthesised: {synthesised}; {_membership(result)}")
    near = _near(result._request)
    if result._request.coarsen:
        yield f"Keys known only in groups: {_names(result._request.coarsen)}"
    if near:
        included = "included" if result._request.boundary == "closed" else "excluded"
        yield f"Numeric keys match when near: {near}; boundary {included}"


def _own_targets(result: IdentificationRisk) -> Iterator[Any]:
    """How many of the intruder's targets are in the file, and what is known only in part."""
    people = Everyone(result)
    inside = Cell(result.targets_in_file, (people.inside(),))
    outside = Cell(result.n - result.targets_in_file, (people.outside(),))
    yield "Targets of the intruder: ", inside, " in the file, ", outside, " not in it"
    statements = _request_statements(result)
    if statements:
        yield f"Known in part (sets of values, or between ends): {_names(statements)}"


def _request_statements(result: IdentificationRisk) -> list[Hashable]:
    targets = result._request.targets
    return [] if targets is None else list(targets.statements)


def _stages(result: IdentificationRisk) -> str:
    sets = _several(result.sets, "synthetic set")
    if result.r is None:
        return sets
    nests = _several(result.m, "nest")
    return f"{sets} in {nests}"


def _several(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _near(request: AttackRequest) -> str:
    """How near numeric keys must be; nothing where all keys must agree exactly."""
    near = [f"{name} {interval}" for name, interval in request.intervals.items()]
    if request.distance is not None:
        columns = _names(request.distance.columns or ())
        near.append(f"{columns}: {request.distance}")
    return "; ".join(near)


def _membership(result: IdentificationRisk) -> str:
    belief = result._request.belief
    if belief.in_file:
        # targets of the intruder's own may not be in it, whatever they believe
        known = "known" if result._request.targets is None else "taken"
        return f"targets {known} to be in the file"
    abstains = ", intruder abstains" if belief.abstain else ""
    return f"targets perhaps not in the file ({_source(belief)}){abstains}"


def _source(belief: Belief) -> str:
    """Where N_t comes from."""
    if belief.model is not None:
        return str(belief.model)
    if belief.units is not None:
        return "N_t given"
    return "survey weights" if belief.weights is not None else "population counts"


def _names(names: Iterable[Hashable]) -> str:
    return ", ".join(map(str, names)) or "none"


def _measures(result: IdentificationRisk, digits: int) -> Table:
    """The measures with what they count, as texts: counts then have no decimals."""
    people = Everyone(result)
    values = {
        "perceived": str(result.perceived),
        "expected": f"{result.expected:.{digits}f}",
        "true": str(result.true),
        "false": str(result.false),
        "true_rate": _percent(result.true_rate, digits),
        "false_rate": _percent(result.false_rate, digits),
    }
    everyone = Cell(str(result.n), (people.all(),))
    of = [Cell("") if name.endswith("rate") else everyone for name in values]
    figures = [Cell(value, people.behind(name)) for name, value in values.items()]
    meanings = [_meaning(result, name) for name in values]
    title = TITLE if result._request.targets is None else OWN_TITLE
    return Table(
        caption=fill.words(title),
        columns=(
            Column("value", tuple(figures)),
            Column("of", tuple(of)),
            Column("meaning", tuple(meanings), prose=True),
        ),
        labels=tuple(name.replace("_", " ") for name in values),
    )


def _meaning(result: IdentificationRisk, measure: str) -> Cell:
    """What a measure counts, in words."""
    if measure == "perceived":
        return Cell(f"highest match probability above {result.threshold:g}")
    if measure == "false_rate":
        text = f"false, in % of the {result.unique_matches} unique matches"
        return Cell(text, Everyone(result).behind("unique_matches"))
    if measure == "true_rate" and result._request.targets is not None:
        return Cell("true, in % of targets")
    return Cell(MEANINGS[measure])


def _percent(share: float, digits: int) -> str:
    return "not defined" if share != share else f"{100 * share:.{digits}f}"


def groups_frame(result: IdentificationRisk) -> pd.DataFrame:
    return result.by(result._by)


def _groups(result: IdentificationRisk, digits: int) -> Table:
    frame = groups_frame(result)
    noun = "records" if result._request.targets is None else "targets"
    caption = f"By {_names(frame.index.names)} (counts of {noun}; rates are shares)"
    people = group_people(frame)
    return fill.table_of(frame.head(MOST_GROUPS), caption, digits=digits, people=people)


def _note(result: IdentificationRisk) -> Note:
    grows = ", .path() how risk grows with the released sets" if result.m > 1 else ""
    see = f"See .records() for every target, .by(...) for subgroups{grows}."
    fallbacks = result._outcomes.fallbacks
    if not (result._request.belief.in_file and fallbacks.any()):
        return fill.note(see)
    some = int((fallbacks > 0).sum())
    return fill.note(
        "Fallback (no record agreed on all keys) was used for ",
        fill.people("targets with fallback", some),
        " of ",
        Cell(result.n, (Everyone(result).all(),)),
        f" targets in some set. {see}",
    )


class Everyone:
    """The counts behind the measures of one group of targets, or of all."""

    def __init__(self, figures: Any, group: str = ALL) -> None:
        self.figures = figures
        self.group = group

    def all(self) -> Count:
        worth = EVERYBODY if self.group == ALL else 2
        return fill.count(f"n of {self.group}", self.figures.n, worth=worth)

    def in_file(self) -> Count:
        """Records of the file, which are not the targets where the intruder has their own."""
        return fill.count("records of the file", len(self.figures._release.original), worth=KEPT)

    def inside(self) -> Count:
        """Targets who are in the file."""
        return fill.count(f"in file of {self.group}", self.figures.targets_in_file)

    def outside(self) -> Count:
        return fill.count(f"outside of {self.group}", self.figures.n - self.figures.targets_in_file)

    def of(self, measure: str) -> Count:
        n = float(getattr(self.figures, measure))
        return fill.count(f"{measure} of {self.group}", n, worth=WORTH.get(measure, 1))

    def wrong(self) -> Count:
        """Unique matches that are wrong. 0 would say that every unique match is correct."""
        any_match = bool(self.figures.unique_matches > 0)
        wrong = float(self.figures.false)
        return Count(f"wrong of {self.group}", wrong, complement=any_match)

    def behind(self, figure: str) -> tuple[Count, ...]:
        if figure == "n":
            return (self.all(),)
        if figure == "true_rate":
            return self.of("true"), self.all()
        if figure == "false":
            return self.of("false"), self.wrong()
        if figure == "false_rate":
            return self.of("false"), self.of("unique_matches"), self.wrong()
        return (self.of(figure),)

    def relations(self) -> Iterator[Relation]:
        everyone = self.all().name
        unique = self.of("unique_matches").name
        true = self.of("true").name
        false = self.of("false").name
        expected = self.of("expected").name
        perceived = self.of("perceived").name
        yield fill.total(unique, [true, false])
        yield fill.total(unique, [true, self.wrong().name])
        yield fill.at_most(true, expected)
        yield fill.at_most(expected, everyone)
        yield fill.at_most(perceived, everyone)


def group_people(frame: pd.DataFrame) -> fill.People:
    rows = list(frame.itertuples())
    return lambda row, column: Everyone(rows[row], f"group {row}").behind(column)


def relations(result: IdentificationRisk) -> Iterator[Relation]:
    """Measures that contain each other, and groups that add up."""
    everyone = Everyone(result)
    yield from everyone.relations()
    if result._request.targets is not None:
        inside = everyone.inside().name
        yield fill.total(everyone.all().name, [inside, everyone.outside().name])
        yield fill.at_most(everyone.of("expected").name, inside)
    if result._by is None:
        return
    rows = groups_frame(result).itertuples()
    groups = [Everyone(row, f"group {i}") for i, row in enumerate(rows)]
    for group in groups:
        yield from group.relations()
    yield fill.total(everyone.all().name, [group.all().name for group in groups])
    for measure in COUNTS:
        whole = everyone.of(measure).name
        yield fill.total(whole, [group.of(measure).name for group in groups])


def content(result: IdentificationRisk) -> dict[str, Any]:
    """Measures and settings; a rate that is not defined is None."""
    people = Everyone(result)
    figures: dict[str, Any] = {}
    for name in (*COUNTS, "true_rate", "false_rate", "n"):
        value = getattr(result, name)
        figures[name] = Cell(None if value != value else value, people.behind(name))
    if result._request.targets is not None:
        figures["targets_in_file"] = Cell(result.targets_in_file, (people.inside(),))
    figures["notes"] = list(result.notes)
    return figures | _settings(result) | _own_settings(result)


def _own_settings(result: IdentificationRisk) -> dict[str, Any]:
    """Settings that appear only if they were given."""
    request = result._request
    settings: dict[str, Any] = {}
    if request.targets is not None:
        settings["known_in_part"] = [column_name(name) for name in request.targets.statements]
    if request.coarsen:
        settings["coarsen"] = {
            column_name(name): _groups_of(rule) for name, rule in request.coarsen.items()
        }
    if request.belief.units is not None or request.belief.model is not None:
        settings["units"] = _source(request.belief)
    return settings


def _groups_of(rule: Any) -> list[Any]:
    """The cut points, or the names of the groups: levels of a mapping are those of the data."""
    if not isinstance(rule, Mapping):
        return [plain_scalar(cut) if is_number(cut) else str(cut) for cut in listed(rule)]
    names = ["missing" if is_missing(group) else str(group) for group in rule.values()]
    return list(dict.fromkeys(names))


def _settings(result: IdentificationRisk) -> dict[str, Any]:
    request = result._request
    return {
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
        "fallback": request.belief.fallback,
        "in_file": request.belief.in_file,
        "abstain": request.belief.abstain,
    }
