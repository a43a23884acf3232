"""Replicated uniques as a document: R's table, our sentences, and both figures wherever R's is
wrong.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

from ..disclosure.defect_text import THE_SAME, finding_notes, warning_section, where_it_is
from ..disclosure.json import defects_content
from ..disclosure.people import EVERYBODY
from ..r.both import Change
from ..r.reading import VERSIONS
from ..show import Block, Cell, Count, Document, Note, Relation, Section, Table, fill
from ..show.plain import column_name, frame_content
from .uniques import COLUMNS, ROWS, Marked, ReplicatedUniques

NUMBER, TOTAL, PERCENT = COLUMNS
SYNTHETIC = ROWS[1]
NEXT = (
    "repU_rm marks the synthetic records that are replicated uniques, synU_rm all unique ones that"
    " occur in the original; sdc() removes either."
)


def document(result: ReplicatedUniques) -> Document:
    return Document(
        title="Replicated uniques",
        sections=tuple(_sections(result)),
        headline=(_headline(result),),
    )


def _sections(result: ReplicatedUniques) -> Iterator[Section]:
    syntheses = "1 synthesis" if result.m == 1 else f"{result.m} syntheses"
    yield fill.section(
        fill.note(
            f"Unique combinations of {_keys(result)}: ",
            Cell(result.n, (everybody(result),)),
            f" original records, {syntheses}",
        )
    )
    for j in range(result.m):
        yield from _tables(result, j)
    if result.notes:
        yield fill.notes_section(result.notes)
    yield fill.section(fill.note(NEXT))
    if result.defects:
        yield warning_section(defect_notes(result))


def _keys(result: ReplicatedUniques) -> str:
    return ", ".join(map(str, result.keys))


def _tables(result: ReplicatedUniques, j: int) -> Iterator[Section]:
    """R's table of a synthesis and, where it differs, the correct one."""
    blocks: list[Block] = [fill.note(f"synthesis {j + 1}")] if result.m > 1 else []
    yield fill.section(*blocks, table(result, j))
    correct = result.corrected
    if correct is not None and not result.res_tab[j].equals(correct.res_tab[j]):
        yield fill.section(fill.note(f"{THE_SAME}:"), table(correct, j))


def table(result: ReplicatedUniques, j: int) -> Table:
    caption = f"Unique combinations of {_keys(result)}, synthesis {j + 1}"
    return fill.table_of(
        result.res_tab[j],
        caption,
        people=partial(behind, result, j),
        titled=False,
    )


def _headline(result: ReplicatedUniques) -> Note:
    row = ROWS.index("Replicated uniques")
    numbers: list[str | Cell] = []
    for j in range(result.m):
        if j:
            numbers.append(", ")
        number = result.res_tab[j][NUMBER].iloc[row]
        numbers.append(Cell(number, behind(result, j, row, NUMBER)))
    told = (
        f"Synthetic records unique on {_keys(result)} whose combination is also unique in the "
        "original: "
    )
    return fill.note(told, *numbers, ".")


# ---- people --------------------------------------------------------------------------


def everybody(result: ReplicatedUniques) -> Count:
    return fill.count("original records", result.n, worth=EVERYBODY)


def behind(result: ReplicatedUniques, j: int, row: int, column: str) -> tuple[Count, ...]:
    """The people behind a figure. Unique synthetic records alone are not people."""
    total = float(result.res_tab[j][TOTAL].iloc[row])
    base = (everybody(result),) if total == result.n else ()
    if column == TOTAL:
        return base
    if ROWS[row] == SYNTHETIC:
        return ()
    number = _number(result, j, row)
    return (number,) if column == NUMBER else (number, *base)


def _number(result: ReplicatedUniques, j: int, row: int) -> Count:
    n = float(result.res_tab[j][NUMBER].iloc[row])
    return fill.count(f"{ROWS[row]} of {j + 1} is {n!r}", n)


def relations(result: ReplicatedUniques) -> Iterator[Relation]:
    """Replicated uniques are some of the uniques of either side."""
    for j in range(result.m):
        replicated = _number(result, j, 3).name
        yield fill.at_most(replicated, _number(result, j, 0).name)
        yield fill.at_most(replicated, _number(result, j, 2).name)
    if result.corrected is not None:
        yield from relations(result.corrected)


# ---- what is wrong in R's figures ----------------------------------------------------


def defect_notes(result: ReplicatedUniques, *, pointer: bool = True) -> Iterator[Note]:
    yield fill.note(
        f"R's figures (synthpop {VERSIONS[result.compat]}) on uniques from {_keys(result)} are not"
        " correct:"
    )
    yield from finding_notes(
        result.defects,
        several=result.m > 1,
        behind=partial(behind_change, result),
        decimals=0,
    )
    if pointer:
        yield where_it_is()


def behind_change(
    result: ReplicatedUniques, change: Change
) -> tuple[tuple[Count, ...], tuple[Count, ...]]:
    """Any of these figures may be about people; each by its own number."""
    synthesis, figure, r, correct = change
    name = f"{figure} of {synthesis}"
    return _people(name, r), _people(name, correct)


def _people(name: str, value: float | str | None) -> tuple[Count, ...]:
    number = value if isinstance(value, (int, float)) else 0
    return (fill.count(f"{name} is {number}", number),)


# ---- plain values --------------------------------------------------------------------


def content(result: ReplicatedUniques) -> dict[str, Any]:
    tables = []
    for j, frame in enumerate(result.res_tab):
        tables.append(frame_content(frame, partial(behind, result, j)))
    corrected = None
    if result.corrected is not None:
        corrected = result.corrected._header() | result.corrected._content()
    return {
        "m": result.m,
        "n": Cell(result.n, (everybody(result),)),
        "k": result.k,
        "keys": [column_name(key) for key in result.keys],
        "res_tab": tables,
        "repU_rm": _lists(result._replicated, "repU_rm"),
        "synU_rm": _lists(result._in_original, "synU_rm"),
        "compat": result.compat,
        "defects": defects_content(result.defects, partial(behind_change, result)),
        "corrected": corrected,
        "notes": list(result.notes),
    }


def _lists(marks: list[Marked] | None, name: str) -> list[Cell] | None:
    """For each synthesis the marked records; None where they were not kept."""
    return None if marks is None else [_listed(marked, name) for marked in marks]


def _listed(marked: Marked, name: str) -> Cell:
    """Which records are marked. Each stands for one person, so the list is hidden whatever its
    length.
    """
    return Cell(marked.rows.tolist(), (fill.count(f"records of {name}", 1),))
