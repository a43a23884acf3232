"""A `KeyRisk` as a document."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from typing import Any

from ..disclosure.people import EVERYBODY
from ..show import Cell, Count, Document, Note, Relation, fill
from ..show.plain import column_name
from .result import UNIT, KeyRisk, measures_of

MOST_ROWS = 10
MOST_SETS = 3


def document(result: KeyRisk, digits: int) -> Document:
    """The riskiest sets of keys, the smallest dangerous ones, and what each candidate adds."""
    smallest = smallest_sets(result)
    notes = (smallest, what_keys_add(result, digits), _next(result))
    return Document(
        title="Risk of sets of keys",
        sections=(
            fill.section(_head(result)),
            fill.section(*riskiest_sets(result, digits)),
            fill.section(*notes),
            *([fill.notes_section(result.notes)] if result.notes else []),
        ),
        headline=(_headline(result, digits), smallest),
    )


def _head(result: KeyRisk) -> Note:
    syntheses = "1 synthesis" if result.m == 1 else f"{result.m} syntheses (averages)"
    limit = "" if result.max_keys == len(result.candidates) else f" of up to {result.max_keys}"
    sets = "1 set" if len(result.table) == 1 else f"{len(result.table)} sets"
    candidates = len(result.candidates)
    keys = "1 candidate key" if candidates == 1 else f"{candidates} candidate keys"
    return fill.note(
        f"Risk of {sets}{limit} from {keys}; ",
        Cell(result.Norig, (everybody(result),)),
        f" original records, {syntheses}",
    )


def riskiest_sets(result: KeyRisk, digits: int) -> Iterator[Any]:
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


def smallest_sets(result: KeyRisk) -> Note:
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


def what_keys_add(result: KeyRisk, digits: int, *, called: Callable[[Hashable], str] = str) -> Note:
    """Which candidate adds most, and which least; `called` gives the name of a column."""
    gains = result.marginal().mean_increase
    most, least = gains.index[0], gains.index[-1]
    first = f"{called(most)} adds most to UiO: "
    joins = " percentage points on average when it joins a set"
    highest = _gain(result, most, gains.iloc[0], digits)
    if len(gains) == 1:
        return fill.note(first, highest, joins, ".")
    lowest = _gain(result, least, gains.iloc[-1], digits)
    rest = f"{joins}; {called(least)} adds least: "
    return fill.note(first, highest, rest, lowest, ".")


def _gain(result: KeyRisk, candidate: Hashable, points: float, digits: int) -> Cell:
    """Percentage points that a candidate adds, with the people they stand for. They are a mean of
    differences, and anyone who knows all sets but one can work out the last one.
    """
    people = fill.count(f"people whom {candidate} adds", float(points) * result.Norig / 100)
    sets = _sets_behind_gain(result, candidate)
    return Cell(f"{points:.{digits}f}", (people, everybody(result), *sets))


def _sets_behind_gain(result: KeyRisk, candidate: Hashable) -> Iterator[Count]:
    """Those unique on each set that a candidate is in, and on each that it can join."""
    position = result.candidates.index(candidate)
    unique = measures_of(result.targets).index("UiO")
    for row, keys in enumerate(result._counts.subsets):
        can_join = len(keys) < result.max_keys
        if position in keys or can_join:
            yield mean_of(result, row, unique)


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


def mean_of(result: KeyRisk, row: int, measure: int) -> Count:
    """The people behind a measure of a set, mean over syntheses."""
    if result.m == 1:
        return single_of(result, row, measure, 0)
    n = float(result._counts.records[row, measure].mean())
    return fill.count(f"{_figure(result, row, measure)}, mean", n)


def single_of(result: KeyRisk, row: int, measure: int, j: int) -> Count:
    """The people behind a measure of a set in one synthesis."""
    n = float(result._counts.records[row, measure, j])
    return fill.count(f"{_figure(result, row, measure)}, {j + 1}", n)


def _figure(result: KeyRisk, row: int, measure: int) -> str:
    return f"{measures_of(result.targets)[measure]} of set {row}"


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
    """Records by synthesis, without rounding."""
    percents = result.table[measures_of(result.targets)].to_numpy().tolist()
    subsets = [_subset_content(result, row, values) for row, values in enumerate(percents)]
    return {
        "candidates": [column_name(name) for name in result.candidates],
        "targets": [column_name(name) for name in result.targets],
        "max_keys": result.max_keys,
        "share": result.share,
        "digits": result.digits,
        "Norig": Cell(result.Norig, (everybody(result),)),
        "Nsyn": list(result.Nsyn),
        "unit": UNIT,
        "subsets": subsets,
        "notes": list(result.notes),
    }


def _subset_content(result: KeyRisk, row: int, values: list[float]) -> dict[str, Any]:
    """The keys of one set and its measures, in per cent and in records."""
    keys = result._counts.subsets[row]
    targets = [column_name(name) for name in result.targets]
    percent, records = {}, {}
    for measure, name in enumerate(measures_of(targets)):
        people = mean_of(result, row, measure), everybody(result)
        percent[name] = Cell(values[measure], people)
        records[name] = _records(result, row, measure)
    return {
        "keys": [column_name(result.candidates[position]) for position in keys],
        "percent": percent,
        "records": records,
    }


def _records(result: KeyRisk, row: int, measure: int) -> list[Cell]:
    cells = []
    for j, n in enumerate(result._counts.records[row, measure].tolist()):
        cells.append(Cell(n, (single_of(result, row, measure, j),)))
    return cells
