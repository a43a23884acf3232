"""What a result can say: sections of notes, tables and figures, made of cells that know which
people they are about.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any, TypeAlias


@dataclass(frozen=True, slots=True)
class Count:
    """A number of people.

    Attributes
    ----------
    name : the same name is the same number, wherever it is shown.
    n : how many. A mean over syntheses or an expectation need not be a whole number.
    complement : those for whom a statement is *not* true. Then 0 reveals as much as a few: "92 of
        92" states everyone's value.
    worth : if one of several counts must be hidden to protect another, the one of least worth is.
    """

    name: str
    n: float
    complement: bool = False
    worth: int = 1


@dataclass(frozen=True, slots=True)
class Cell:
    """A figure or a text, and the counts of people it reveals.

    Attributes
    ----------
    value : a number, a text, a truth value or None.
    people : counts that can be worked out from it: of a percentage the number of people and the
        number it is out of.
    hidden : its value may not be shown.
    """

    value: Any
    people: tuple[Count, ...] = ()
    hidden: bool = False


Words: TypeAlias = tuple[str | Cell, ...]


@dataclass(frozen=True, slots=True)
class Note:
    """A paragraph, or one line of several that belong together.

    Attributes
    ----------
    words : texts, and cells where it states a figure.
    indent : blanks before it in plain text.
    strong : whether it is emphasised.
    """

    words: Words
    indent: int = 0
    strong: bool = False


@dataclass(frozen=True, slots=True)
class Column:
    """One column of a table.

    Attributes
    ----------
    name : its heading.
    cells : one for each row.
    digits : decimals that numbers are rounded to; None for R's seven significant digits.
    prose : sentences, which are aligned on the left and may be wrapped.
    """

    name: str
    cells: tuple[Cell, ...]
    digits: int | None = None
    prose: bool = False


@dataclass(frozen=True, slots=True)
class Table:
    """A table of columns.

    Attributes
    ----------
    caption : what it shows. Every table has one; HTML and Markdown always show it.
    columns : from left to right.
    labels : one for each row; None where the first column says what a row is about.
    titled : plain text prints the caption, unless the sentence above says the same.
    even : plain text makes all columns equally wide, as R prints a vector with names.
    """

    caption: Words
    columns: tuple[Column, ...]
    labels: tuple[str, ...] | None = None
    titled: bool = True
    even: bool = False


@dataclass(frozen=True, slots=True)
class Figure:
    """A picture that is kept elsewhere.

    Attributes
    ----------
    caption : what can be seen; also read aloud by screen readers.
    source : its file or address; empty where it has to be drawn first.
    drawn_by : how to draw it, such as "result.plot()".
    shows : the figures that can be read off it, for the rule on small cells.
    """

    caption: Words
    source: str = ""
    drawn_by: str = ""
    shows: tuple[Cell, ...] = ()


Block: TypeAlias = Note | Table | Figure


@dataclass(frozen=True, slots=True)
class Section:
    """Blocks that belong together; plain text puts no empty line between them."""

    blocks: tuple[Block, ...]
    heading: str = ""


@dataclass(frozen=True, slots=True)
class Relation:
    """Something anyone can work out about counts: low <= sum of factor x count <= high.

    Attributes
    ----------
    terms : factors and names of counts. A name that no cell shows is an unknown number.
    low, high : equal for a sum that must come out exactly.
    """

    terms: tuple[tuple[float, str], ...]
    low: float = 0.0
    high: float = 0.0


@dataclass(frozen=True, slots=True)
class Document:
    """Everything that a view of a result says.

    Attributes
    ----------
    title : of a page made from it.
    sections : in the order they are read.
    relations : the relations between its counts.
    headline : one or two sentences with the main figures, as `summary()` gives them.
    """

    title: str
    sections: tuple[Section, ...]
    relations: tuple[Relation, ...] = ()
    headline: tuple[Note, ...] = ()


def only_blocks(document: Document, *, tables: bool) -> Document:
    """The document with nothing but its tables, or with all but these."""
    sections = []
    for section in document.sections:
        blocks = [block for block in section.blocks if isinstance(block, Table) == tables]
        if blocks:
            sections.append(replace(section, blocks=tuple(blocks)))
    return replace(document, sections=tuple(sections))


# ---- walking over the cells ----------------------------------------------------------


def cells_of(document: Document) -> Iterator[Cell]:
    """Every cell of a document, in reading order."""
    for note in document.headline:
        yield from cells_in(note.words)
    for section in document.sections:
        for block in section.blocks:
            yield from _cells_of_block(block)


def cells_in(words: Words) -> Iterator[Cell]:
    for word in words:
        if isinstance(word, Cell):
            yield word


def _cells_of_block(block: Block) -> Iterator[Cell]:
    if isinstance(block, Note):
        yield from cells_in(block.words)
        return
    yield from cells_in(block.caption)
    if isinstance(block, Figure):
        yield from block.shows
    if isinstance(block, Table):
        for column in block.columns:
            yield from column.cells


def with_cells(document: Document, change: Callable[[Cell], Cell]) -> Document:
    """The document with every cell replaced by what `change` makes of it."""
    headline = tuple(replace(note, words=_words(note.words, change)) for note in document.headline)
    sections = tuple(
        replace(section, blocks=tuple(_block(block, change) for block in section.blocks))
        for section in document.sections
    )
    return replace(document, headline=headline, sections=sections)


def _words(words: Words, change: Callable[[Cell], Cell]) -> Words:
    return tuple(change(word) if isinstance(word, Cell) else word for word in words)


def _block(block: Block, change: Callable[[Cell], Cell]) -> Block:
    if isinstance(block, Note):
        return replace(block, words=_words(block.words, change))
    caption = _words(block.caption, change)
    if isinstance(block, Figure):
        return replace(block, caption=caption, shows=tuple(map(change, block.shows)))
    columns = tuple(
        replace(column, cells=tuple(map(change, column.cells))) for column in block.columns
    )
    return replace(block, caption=caption, columns=columns)
