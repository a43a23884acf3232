"""Helpers with which results fill their documents."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeAlias

import pandas as pd

from .document import Block, Cell, Column, Count, Note, Relation, Section, Table, Words

People: TypeAlias = Callable[[int, str], tuple[Count, ...]]


# ---- parts of a document -------------------------------------------------------------


def words(*parts: str | Cell) -> Words:
    return parts


def note(*parts: str | Cell, indent: int = 0, strong: bool = False) -> Note:
    return Note(words=parts, indent=indent, strong=strong)


def section(*blocks: Block, heading: str = "") -> Section:
    return Section(blocks=blocks, heading=heading)


def notes_section(lines: Iterable[str | Words]) -> Section:
    """Lines that belong together, one note each."""
    return Section(tuple(Note(_as_words(line)) for line in lines))


def _as_words(text: str | Words) -> Words:
    return (text,) if isinstance(text, str) else text


def table_of(
    frame: pd.DataFrame,
    caption: str | Words,
    *,
    digits: int | None = None,
    people: People | None = None,
    titled: bool = True,
    labelled: bool = True,
    prose: Sequence[str] = (),
) -> Table:
    """A data frame as a table.

    Parameters
    ----------
    people : which counts a cell reveals, by row (from 0) and column; None if no cell reveals any.
    labelled : the row labels are shown; otherwise the first column says what a row is about.
    prose : columns that hold sentences.
    """
    title = _as_words(caption)
    columns = []
    for position, label in enumerate(frame.columns):
        name = str(label)
        cells = cells_with(frame.iloc[:, position].tolist(), name, people)
        columns.append(Column(name=name, cells=cells, digits=digits, prose=name in prose))
    return Table(
        caption=title,
        columns=tuple(columns),
        labels=tuple(map(str, frame.index)) if labelled else None,
        titled=titled,
    )


def cells_with(values: Sequence[Any], name: str, people: People | None) -> tuple[Cell, ...]:
    """The cells of a column, each with the counts of people it reveals."""
    if people is None:
        return tuple(map(Cell, values))
    return tuple(Cell(value, people(row, name)) for row, value in enumerate(values))


# ---- counts of people ----------------------------------------------------------------


def count(name: str, n: float, *, worth: int = 1) -> Count:
    return Count(name=name, n=float(n), worth=worth)


def people(name: str, n: float, *, shown: str | None = None) -> Cell:
    """A cell that shows a number of people, by default as a whole number."""
    number: Any = int(n) if float(n).is_integer() else n
    return Cell(number if shown is None else shown, (count(name, n),))


def others(name: str, part: Count, whole: Count) -> Count:
    """Those in a group for whom a statement is not true."""
    return Count(name=name, n=whole.n - part.n, complement=True)


def known(*counts: Count) -> tuple[Count, ...]:
    """The counts that are numbers."""
    return tuple(count for count in counts if math.isfinite(count.n))


# ---- what ties counts together -------------------------------------------------------


def total(whole: str, parts: Iterable[str]) -> Relation:
    """The whole is the sum of its parts."""
    subtracted = [(-1.0, part) for part in parts]
    return Relation(terms=((1.0, whole), *subtracted))


def at_most(part: str, whole: str) -> Relation:
    """A part does not exceed the whole."""
    terms = ((1.0, whole), (-1.0, part))
    return Relation(terms, low=0.0, high=math.inf)


def at_least(part: str, share: float, whole: str) -> Relation:
    """A part is at least this share (0 to 1) of the whole."""
    terms = ((1.0, part), (-share, whole))
    return Relation(terms, low=0.0, high=math.inf)
