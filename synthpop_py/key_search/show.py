"""A `KeyRisk` as a document."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ..disclosure.people import EVERYBODY
from ..show import Cell, Count, Document, Note, Relation, Section, fill
from ..show.plain import column_name
from .result import UNIT, KeyRisk, measures_of

MOST_ROWS = 10
MOST_SETS = 3


def document(result: KeyRisk, digits: int) -> Document:
    return Document(
        title="Risk of sets of keys",
        sections=(
            fill.section(_head(result)),
            Section(tuple(_riskiest(result, digits))),
            fill.section(*_notes(result, digits)),
        ),
        headline=(_headline(result, digits), _smallest(result)),
    )


def _head(result: KeyRisk) -> Note:
    syntheses = "1 synthesis" if result.m == 1 else f"{result.m} syntheses (averages)"
    limit = "" if result.max_keys == len(result.candidates) else f" of up to {result.max_keys}"
    return fill.note(
        f"Risk of {len(result.table)} sets{limit} from {len(result.candidates)} candidate keys; ",
        Cell(result.Norig, (everybody(result),)),
        f" original records, {syntheses}",
    )


def _riskiest(result: KeyRisk, digits: int) -> Iterator[Any]:
    number = len(result.table)
    which = "All" if number <= MOST_ROWS else f"The {MOST_ROWS} riskiest"
    rows = result.table.head(MOST_ROWS).drop(columns="keys").set_index("text")
    measures = measures_of(result.targets)

    def people(row: int, column: str) -> tuple[Count, ...]:
        if column not in measures:
            return ()
        return mean_of(result, row, measures.index(column)), everybody(result)

    yield fill.table_of(
        rows,
        f"{which} sets of keys, in {UNIT} (higher is riskier)",
        digits=digits,
        people=people,
    )
    if number > MOST_ROWS:
        yield fill.note(f"and {number - MOST_ROWS} more in .table")


def _headline(result: KeyRisk, digits: int) -> Note:
    first = result.table.iloc[0]
    figure = Cell(f"{first['UiO']:.{digits}f} %", (mean_of(result, 0, 0), everybody(result)))
    return fill.note(
        f"Of {len(result.table)} sets of keys {first['text']} is the riskiest: ",
        figure,
        " of the original records are unique on it.",
    )


# ---- notes ---------------------------------------------------------------------------


def _notes(result: KeyRisk, digits: int) -> Iterator[Note]:
    """The smallest dangerous sets, what a candidate adds, and what to do next."""
    yield _smallest(result)
    yield _adds(result, digits)
    yield _next(result)


def _smallest(result: KeyRisk) -> Note:
    sets = result.smallest().text.tolist()
    percent = f"{100 * result.share:g} %"
    if not sets:
        return fill.note(f"No set makes {percent} of the original records unique (UiO).")
    rest = len(sets) - MOST_SETS
    more = f" and {rest} more, see .smallest()" if rest > 0 else ""
    return fill.note(
        f"Smallest sets that make at least {percent} of the original records unique (UiO):"
        f" {'; '.join(sets[:MOST_SETS])}{more}."
    )


def _adds(result: KeyRisk, digits: int) -> Note:
    gains = result.marginal().mean_increase

    def gain(place: int) -> Cell:
        points = float(gains.iloc[place])
        people = fill.count(f"people whom {gains.index[place]} adds", points * result.Norig / 100)
        return Cell(f"{points:.{digits}f}", (people, everybody(result)))

    first = f"{gains.index[0]} adds most to UiO: "
    joins = " percentage points on average when it joins a set"
    if len(gains) == 1:
        return fill.note(first, gain(0), joins, ".")
    return fill.note(first, gain(0), joins, f"; {gains.index[-1]} adds least: ", gain(-1), ".")


def _next(result: KeyRisk) -> Note:
    target = repr(result.targets[0]) if result.targets else "..."
    keys = list(result.table["keys"].iloc[0])
    return fill.note(
        f"Next: see the first set in detail with disclosure(object, data, keys={keys!r},"
        f" target={target}, compat='corrected'), and coarsen or drop the candidates that add most"
        " (.marginal())."
    )


# ---- people --------------------------------------------------------------------------


def everybody(result: KeyRisk) -> Count:
    return fill.count("original records", result.Norig, worth=EVERYBODY)


def _count(result: KeyRisk, row: int, measure: int, synthesis: object, n: float) -> Count:
    name = measures_of(result.targets)[measure]
    return fill.count(f"{name} of set {row}, {synthesis}", n)


def mean_of(result: KeyRisk, row: int, measure: int) -> Count:
    """The people behind a measure of a set, mean over syntheses."""
    records = result._counts.records[row, measure]
    return _count(result, row, measure, 1 if result.m == 1 else "mean", float(records.mean()))


def single_of(result: KeyRisk, row: int, measure: int, j: int) -> Count:
    n = float(result._counts.records[row, measure, j])
    return _count(result, row, measure, j + 1, n)


def relations(result: KeyRisk) -> Iterator[Relation]:
    """A mean over syntheses and the single ones."""
    if result.m == 1:
        return
    sets, measures = result._counts.records.shape[:2]
    for row in range(sets):
        for measure in range(measures):
            terms = [(float(result.m), mean_of(result, row, measure).name)]
            for j in range(result.m):
                terms.append((-1.0, single_of(result, row, measure, j).name))
            yield Relation(tuple(terms))


# ---- plain values --------------------------------------------------------------------


def content(result: KeyRisk) -> dict[str, Any]:
    """Records by synthesis, so that nothing is rounded."""
    candidates = [column_name(name) for name in result.candidates]
    targets = [column_name(name) for name in result.targets]
    percent = result.table[measures_of(result.targets)].to_numpy()
    subsets = []
    for row, subset in enumerate(result._counts.subsets):
        subsets.append(
            {
                "keys": [candidates[i] for i in subset],
                "percent": dict(zip(measures_of(targets), _percents(result, row, percent[row]))),
                "records": dict(zip(measures_of(targets), _records(result, row))),
            }
        )
    return {
        "candidates": candidates,
        "targets": targets,
        "max_keys": result.max_keys,
        "share": result.share,
        "digits": result.digits,
        "Norig": Cell(result.Norig, (everybody(result),)),
        "Nsyn": list(result.Nsyn),
        "unit": UNIT,
        "subsets": subsets,
    }


def _percents(result: KeyRisk, row: int, values: np.ndarray[Any, Any]) -> list[Cell]:
    cells = []
    for measure, value in enumerate(values.tolist()):
        cells.append(Cell(value, (mean_of(result, row, measure), everybody(result))))
    return cells


def _records(result: KeyRisk, row: int) -> list[list[Cell]]:
    records = []
    for measure, numbers in enumerate(result._counts.records[row].tolist()):
        cells = [Cell(n, (single_of(result, row, measure, j),)) for j, n in enumerate(numbers)]
        records.append(cells)
    return records
