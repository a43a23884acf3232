"""An `IdentificationRisk` as a document."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator
from typing import Any

import pandas as pd

from ..show import Cell, Column, Count, Document, Note, Relation, Table, fill
from ..show.audit import KEPT
from ..show.plain import column_name
from .result import COUNTS, IdentificationRisk

MOST_GROUPS = 20
TITLE = "Targets, each original record in turn (higher is riskier, except false and false rate)"
EVERYBODY = KEPT
ALL = "all"
WORTH = {"expected": 4, "true": 5, "perceived": 3}


def document(result: IdentificationRisk, digits: int) -> Document:
    sections = [fill.notes_section(_head(result)), fill.section(_measures(result, digits))]
    if result._by is not None:
        sections.append(fill.section(_groups(result, digits)))
    sections.append(fill.section(_note(result)))
    return Document(
        title="Identification risk",
        sections=tuple(sections),
        headline=(_headline(result, digits),),
    )


def _headline(result: IdentificationRisk, digits: int) -> Note:
    people = Everyone(result)
    return fill.note(
        "An intruder is expected to find ",
        Cell(f"{result.expected:.{digits}f}", (people.of("expected"),)),
        " of ",
        Cell(result.n, (people.all(),)),
        " records correctly; of ",
        Cell(result.true, (people.of("true"),)),
        " the one likeliest match is the correct one.",
    )


# ---- what was asked for --------------------------------------------------------------


def _head(result: IdentificationRisk) -> Iterator[Any]:
    stages = f"{result.sets} synthetic sets" if result.sets != 1 else "1 synthetic set"
    if result.r is not None:
        stages += f" in {result.m} nests" if result.m != 1 else " in 1 nest"
    records = Cell(result.n, (Everyone(result).all(),))
    yield "Identification risk of ", records, f" records in {stages}; attack: {result.attack}"
    yield (
        f"Keys released unchanged: {_names(result.known)}; synthesised:"
        f" {_names(result.synthesised)}; {_membership(result)}"
    )
    request = result._request
    near = [f"{name} {interval}" for name, interval in request.intervals.items()]
    if request.distance is not None:
        near.append(f"{_names(request.distance.columns or ())}: {request.distance}")
    if near:
        included = "included" if request.boundary == "closed" else "excluded"
        yield f"Numeric keys match when near: {'; '.join(near)}; boundary {included}"


def _membership(result: IdentificationRisk) -> str:
    belief = result._request.belief
    if belief.in_file:
        return "targets known to be in the file"
    source = "survey weights" if belief.weights is not None else "population counts"
    abstains = ", intruder abstains" if belief.abstain else ""
    return f"targets perhaps not in the file ({source}){abstains}"


def _names(names: Iterable[Hashable]) -> str:
    return ", ".join(map(str, names)) or "none"


# ---- tables --------------------------------------------------------------------------


def _measures(result: IdentificationRisk, digits: int) -> Table:
    """The measures with what they count; texts, so that counts keep no decimals."""
    people = Everyone(result)
    everyone = Cell(str(result.n), (people.all(),))
    nothing = Cell("")
    unique = result.unique_matches
    rows: dict[str, tuple[Cell, Cell, Cell]] = {
        "perceived": (
            Cell(str(result.perceived), people.behind("perceived")),
            everyone,
            Cell(f"highest match probability above {result.threshold:g}"),
        ),
        "expected": (
            Cell(f"{result.expected:.{digits}f}", people.behind("expected")),
            everyone,
            Cell("correct guesses among the likeliest records, at random where several tie"),
        ),
        "true": (
            Cell(str(result.true), people.behind("true")),
            everyone,
            Cell("the one likeliest record is the correct one"),
        ),
        "false": (
            Cell(str(result.false), people.behind("false")),
            everyone,
            Cell("the one likeliest record is a wrong one"),
        ),
        "true rate": (
            Cell(_percent(result.true_rate, digits), people.behind("true_rate")),
            nothing,
            Cell("true, in % of original records"),
        ),
        "false rate": (
            Cell(_percent(result.false_rate, digits), people.behind("false_rate")),
            nothing,
            Cell(f"false, in % of the {unique} unique matches", people.behind("unique_matches")),
        ),
    }
    columns = list(zip(*rows.values()))
    return Table(
        caption=fill.words(TITLE),
        columns=(
            Column("value", columns[0]),
            Column("of", columns[1]),
            Column("meaning", columns[2], prose=True),
        ),
        labels=tuple(rows),
    )


def _percent(share: float, digits: int) -> str:
    return "not defined" if share != share else f"{100 * share:.{digits}f}"


def groups_frame(result: IdentificationRisk) -> pd.DataFrame:
    return result.by(result._by)


def _groups(result: IdentificationRisk, digits: int) -> Table:
    frame = groups_frame(result)
    caption = f"By {_names(frame.index.names)} (counts of records; rates are shares)"
    people = group_people(frame)
    return fill.table_of(frame.head(MOST_GROUPS), caption, digits=digits, people=people)


def _note(result: IdentificationRisk) -> Note:
    grows = ", .path() how risk grows with the released sets" if result.m > 1 else ""
    see = f"See .records() for every target, .by(...) for subgroups{grows}."
    if not (result._request.belief.in_file and result._outcomes.fallbacks.any()):
        return fill.note(see)
    some = int((result._outcomes.fallbacks > 0).sum())
    return fill.note(
        "Fallback (no record agreed on all keys) was used for ",
        fill.people("targets with fallback", some),
        " of ",
        Cell(result.n, (Everyone(result).all(),)),
        f" targets in some set. {see}",
    )


# ---- people --------------------------------------------------------------------------


class Everyone:
    """The counts behind the measures of one group of targets, or of all."""

    def __init__(self, figures: Any, group: str = ALL) -> None:
        self.figures = figures
        self.group = group

    def all(self) -> Count:
        worth = EVERYBODY if self.group == ALL else 2
        return fill.count(f"n of {self.group}", self.figures.n, worth=worth)

    def of(self, measure: str) -> Count:
        n = float(getattr(self.figures, measure))
        return fill.count(f"{measure} of {self.group}", n, worth=WORTH.get(measure, 1))

    def wrong(self) -> Count:
        """Unique matches that are wrong. None would say that whoever finds one match is right."""
        return Count(
            f"wrong of {self.group}", float(self.figures.false), complement=self._any_match()
        )

    def _any_match(self) -> bool:
        return bool(self.figures.unique_matches > 0)

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
        unique, true = self.of("unique_matches").name, self.of("true").name
        yield fill.total(unique, [true, self.of("false").name])
        yield fill.total(unique, [true, self.wrong().name])
        yield fill.at_most(true, self.of("expected").name)
        yield fill.at_most(self.of("expected").name, self.all().name)
        yield fill.at_most(self.of("perceived").name, self.all().name)


def group_people(frame: pd.DataFrame) -> fill.People:
    rows = list(frame.itertuples())
    return lambda row, column: Everyone(rows[row], f"group {row}").behind(column)


def relations(result: IdentificationRisk) -> Iterator[Relation]:
    """Measures that contain each other, and groups that add up."""
    yield from Everyone(result).relations()
    if result._by is None:
        return
    rows = list(groups_frame(result).itertuples())
    groups = [Everyone(row, f"group {i}") for i, row in enumerate(rows)]
    for group in groups:
        yield from group.relations()
    yield fill.total(Everyone(result).all().name, [group.all().name for group in groups])
    for measure in COUNTS:
        whole = Everyone(result).of(measure).name
        yield fill.total(whole, [group.of(measure).name for group in groups])


# ---- plain values --------------------------------------------------------------------


def content(result: IdentificationRisk) -> dict[str, Any]:
    """Measures and settings; a rate that is not defined is None."""
    people = Everyone(result)
    figures: dict[str, Any] = {}
    for name in (*COUNTS, "true_rate", "false_rate", "n"):
        value = getattr(result, name)
        figures[name] = Cell(None if value != value else value, people.behind(name))
    request = result._request
    return figures | {
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
