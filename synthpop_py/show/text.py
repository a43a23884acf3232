"""How values are written, the same in every view, and a document as terminal text.

No line is longer than 100 characters: notes are wrapped, and a table that is too wide is broken
into blocks of columns, as R does.
"""

from __future__ import annotations

import numbers
import textwrap
from collections.abc import Iterable, Sequence
from itertools import chain
from typing import Any, NamedTuple

import numpy as np

from ..r.text import format_column
from .document import Block, Cell, Column, Document, Figure, Note, Section, Table, Words

HIDDEN = "hidden"
WIDTH = 100
NARROWEST_LABEL = 40
NARROWEST_PROSE = 30


# ---- values --------------------------------------------------------------------------


def column_texts(column: Column) -> list[str]:
    """The cells as R's print writes a column: rounded, and padded to common decimals."""
    shown = [cell.value for cell in column.cells if not cell.hidden]
    if is_numeric(column):
        texts = iter(_number_texts(shown, column.digits))
    else:
        texts = iter([value_text(value) for value in shown])
    return [HIDDEN if cell.hidden else next(texts) for cell in column.cells]


def is_numeric(column: Column) -> bool:
    """Whether all that a column shows is numbers."""
    shown = [cell.value for cell in column.cells if not cell.hidden]
    return bool(shown) and all(map(is_number, shown))


def is_number(value: Any) -> bool:
    return isinstance(value, numbers.Real) and not isinstance(value, (bool, np.bool_))


def value_text(value: Any) -> str:
    """A value by itself. A line break would break the line it stands in."""
    if value is None:
        return ""
    return str(value).replace("\r", "\\r").replace("\n", "\\n")


def words_text(words: Words) -> str:
    """Words as one text."""
    parts = []
    for word in words:
        if isinstance(word, Cell):
            parts.append(HIDDEN if word.hidden else value_text(word.value))
        else:
            parts.append(value_text(word))
    return "".join(parts)


def _number_texts(values: Sequence[Any], digits: int | None) -> list[str]:
    array = np.array(values, dtype=np.float64)
    if digits is not None:
        array = np.round(array, digits)
    return [text.strip() for text in format_column(array.tolist())]


# ---- a document ----------------------------------------------------------------------


def render(document: Document) -> str:
    """The whole document."""
    return "\n\n".join("\n".join(section_lines(section)) for section in document.sections)


def section_lines(section: Section) -> list[str]:
    lines = wrapped(section.heading) if section.heading else []
    for block in section.blocks:
        lines += block_lines(block)
    return lines


def block_lines(block: Block) -> list[str]:
    if isinstance(block, Note):
        return note_lines(block)
    if isinstance(block, Figure):
        where = block.source or block.drawn_by
        return wrapped(f"Figure: {words_text(block.caption)} ({where})")
    return table_lines(block)


def note_lines(note: Note) -> list[str]:
    return wrapped(words_text(note.words), note.indent)


def print_notes(texts: Iterable[str]) -> None:
    """Print notes of a function while it works: each begins a new line."""
    for text in texts:
        note = Note((text,))
        print("\n".join(note_lines(note)))


def wrapped(text: str, indent: int = 0, width: int = WIDTH) -> list[str]:
    """A text in lines; what follows an indented line is indented further."""
    before = " " * indent
    if len(before + text) <= width:
        return [before + text]
    after = " " * (indent + 2) if indent else ""
    return textwrap.wrap(
        text,
        width=width,
        initial_indent=before,
        subsequent_indent=after,
        break_on_hyphens=False,
    )


# ---- tables --------------------------------------------------------------------------


class _Strip(NamedTuple):
    """One column in text: heading and cells, each a list of lines; how wide it is."""

    lines: list[list[str]]
    width: int
    left: bool
    gap: int

    def line(self, row: int, number: int) -> str:
        lines = self.lines[row]
        text = lines[number] if number < len(lines) else ""
        return text.ljust(self.width) if self.left else text.rjust(self.width)


def table_lines(table: Table) -> list[str]:
    caption = wrapped(f"{words_text(table.caption)}:") if table.titled else []
    labels, strips = _strips(table)
    lines = []
    for block in _blocks(labels, strips):
        lines += _block_lines(block)
    return caption + lines


def _strips(table: Table) -> tuple[_Strip | None, list[_Strip]]:
    """Row labels and columns, none wider than the screen."""
    texts = [_with_heading(column) for column in table.columns]
    labels = None
    room = WIDTH
    if table.labels is not None:
        labels = _label_strip(table, texts)
        room = WIDTH - labels.width
    strips = []
    used = 0
    for column, cells in zip(table.columns, texts):
        gap = 2 if column.prose else 1
        limit = room - gap
        beside_the_others = limit - used
        if column.prose and beside_the_others >= NARROWEST_PROSE:
            limit = beside_the_others
        strip = _strip(cells, limit, left=column.prose, gap=gap)
        strips.append(strip)
        used += strip.width + gap
    if table.even:
        widest = max(strip.width for strip in strips)
        strips = [strip._replace(width=widest) for strip in strips]
    return labels, strips


def _with_heading(column: Column) -> list[str]:
    """A column's heading, which sentences do without, and its cells."""
    heading = "" if column.prose else value_text(column.name)
    return [heading, *column_texts(column)]


def _label_strip(table: Table, texts: Sequence[Sequence[str]]) -> _Strip:
    """Row labels: where all fits beside shorter ones they are wrapped; otherwise the columns are
    too.
    """
    needed = 0
    for column, cells in zip(table.columns, texts):
        if not column.prose:
            needed += 1 + max(map(len, cells))
    limit = max(WIDTH - needed, NARROWEST_LABEL)
    labels = map(value_text, table.labels or ())
    return _strip(["", *labels], limit, left=True, gap=0)


def _strip(texts: Sequence[str], limit: int, *, left: bool, gap: int) -> _Strip:
    lines = [wrapped(text, width=limit) for text in texts]
    width = max(len(line) for line in chain.from_iterable(lines))
    return _Strip(lines=lines, width=width, left=left, gap=gap)


def _blocks(labels: _Strip | None, strips: Sequence[_Strip]) -> list[list[_Strip]]:
    """Columns that fit beside each other; every block begins with the row labels."""
    beginning = [] if labels is None else [labels]
    blocks = [list(beginning)]
    for strip in strips:
        has_columns = len(blocks[-1]) > len(beginning)
        if has_columns and _width([*blocks[-1], strip]) > WIDTH:
            blocks.append(list(beginning))
        blocks[-1].append(strip)
    return blocks


def _width(strips: Sequence[_Strip]) -> int:
    return sum(s.width + s.gap for s in strips) - strips[0].gap


def _block_lines(strips: Sequence[_Strip]) -> list[str]:
    lines = []
    for row in range(len(strips[0].lines)):
        height = max(len(strip.lines[row]) for strip in strips)
        for number in range(height):
            lines.append(_line(strips, row, number))
    return lines


def _line(strips: Sequence[_Strip], row: int, number: int) -> str:
    """One line of a row, which has several where a cell was wrapped."""
    first, *others = strips
    line = first.line(row, number)
    for strip in others:
        line += " " * strip.gap + strip.line(row, number)
    return line.rstrip()
