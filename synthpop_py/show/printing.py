"""Sections of notes and tables as terminal text, as R prints them.

A section is a list of blocks: a `str` is a note (blanks before it indent it, and HTML and Markdown
make a list of such notes), a `Table` is a data frame. No line is longer than 100 characters: notes
are wrapped, and a table that is too wide is broken into blocks of columns, as R does.
"""

from __future__ import annotations

import numbers
import textwrap
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any, TypeAlias

import numpy as np
import pandas as pd

from ..r.text import format_column

WIDTH = 100
NARROWEST_LABEL = 40
NARROWEST_PROSE = 30


@dataclass(frozen=True, slots=True)
class Table:
    """A data frame to be shown.

    Attributes
    ----------
    frame : columns of numbers are shown as R prints them, anything else as text.
    caption : what it shows; HTML and Markdown always have it.
    digits : decimals that numbers are rounded to; None for R's seven significant digits.
    labelled : the row labels are shown; otherwise the first column says what a row is about.
    titled : plain text has the caption, unless the sentence above says the same.
    prose : columns of sentences: aligned on the left, wrapped, without a heading in plain text.
    even : plain text makes all columns equally wide, as R prints a vector with names.
    """

    frame: pd.DataFrame
    caption: str
    digits: int | None = None
    labelled: bool = True
    titled: bool = True
    prose: tuple[str, ...] = ()
    even: bool = False

    def columns(self) -> list[tuple[str, list[Any]]]:
        """Heading and values of each column."""
        names = map(value_text, self.frame.columns)
        return [(name, values.tolist()) for name, (_, values) in zip(names, self.frame.items())]

    def labels(self) -> list[str]:
        return [value_text(label) for label in self.frame.index]


Block: TypeAlias = str | Table
Sections: TypeAlias = Sequence[Sequence[Block]]
# one column in text: the gap before it; heading and cells, each in lines of the same width
Strip: TypeAlias = tuple[int, list[list[str]]]


def value_text(value: Any) -> str:
    """A value by itself. A line break would break the line it stands in."""
    if value is None:
        return ""
    return str(value).replace("\r", "\\r").replace("\n", "\\n")


def is_numeric(values: Sequence[Any]) -> bool:
    """Whether a column holds only numbers, which are then shown with common decimals."""
    for value in values:
        if isinstance(value, bool) or not isinstance(value, numbers.Real):
            return False
    return bool(values)


def column_texts(values: Sequence[Any], digits: int | None) -> list[str]:
    """The cells of a column as R's print writes them: rounded, and padded to common decimals."""
    if not is_numeric(values):
        return [value_text(value) for value in values]
    array = np.array(values, dtype=np.float64)
    if digits is not None:
        array = np.round(array, digits)
    return [text.strip() for text in format_column(array.tolist())]


def text(sections: Sections) -> str:
    """All sections, with empty lines between them."""
    parts = []
    for section in sections:
        lines = [note_lines(b) if isinstance(b, str) else table_lines(b) for b in section]
        parts.append("\n".join(chain(*lines)))
    return "\n\n".join(parts)


def note_lines(note: str) -> list[str]:
    """A note in lines; what follows an indented line is indented further."""
    said = value_text(note).lstrip(" ")
    return _wrapped(said, len(note) - len(note.lstrip(" ")))


def print_notes(texts: Iterable[str]) -> None:
    """Print notes of a function while it works: each begins a new line."""
    for note in texts:
        print("\n".join(note_lines(note)))


def _wrapped(said: str, indent: int = 0, width: int = WIDTH) -> list[str]:
    before = " " * indent
    if len(before + said) <= width:
        return [before + said]
    after = " " * (indent + 2) if indent else ""
    return textwrap.wrap(
        said, width, initial_indent=before, subsequent_indent=after, break_on_hyphens=False
    )


def table_lines(table: Table) -> list[str]:
    """Columns that fit beside each other; every block of them begins with the row labels."""
    lines = _wrapped(f"{value_text(table.caption)}:") if table.titled else []
    labels, strips = _strips(table)
    room = WIDTH - sum(map(_width, labels))
    blocks: list[list[Strip]] = [[]]
    used = 0
    for strip in strips:
        gap, width = strip[0], _width(strip)
        if blocks[-1] and used + gap + width > room:
            blocks.append([])
            used = 0
        first = not labels and not blocks[-1]
        used += width if first else gap + width
        blocks[-1].append(strip)
    for block in blocks:
        shown = [*labels, *block]
        margin = shown[0][0]
        for row in zip(*(cells for _, cells in shown)):
            for at in range(max(map(len, row))):
                line = ""
                for (gap, _), cell in zip(shown, row):
                    blank = " " * len(cell[0])
                    line += " " * gap + (cell[at] if at < len(cell) else blank)
                lines.append(line[margin:].rstrip())
    return lines


def _width(strip: Strip) -> int:
    return len(strip[1][0][0])


def _strip(texts: Sequence[str], limit: int, left: bool, gap: int, even: int = 0) -> Strip:
    cells = [_wrapped(cell, width=limit) or [""] for cell in texts]
    width = max(min(even, limit), *map(len, chain(*cells)))
    aligned = str.ljust if left else str.rjust
    return gap, [[aligned(line, width) for line in cell] for cell in cells]


def _strips(table: Table) -> tuple[list[Strip], list[Strip]]:
    """Row labels (none, or one strip) and columns, none wider than the screen."""
    columns = []
    for name, values in table.columns():
        prose = name in table.prose  # sentences do without a heading
        columns.append((prose, ["" if prose else name, *column_texts(values, table.digits)]))
    widest = [max(map(len, texts)) for _, texts in columns]
    labels, room = [], WIDTH
    if table.labelled:
        beside = sum(1 + width for (prose, _), width in zip(columns, widest) if not prose)
        labels = [_strip(["", *table.labels()], max(WIDTH - beside, NARROWEST_LABEL), True, 0)]
        room -= _width(labels[0])
    strips: list[Strip] = []
    used = 0
    for prose, texts in columns:
        gap = 2 if prose else 1
        limit = room - gap
        if prose and limit - used >= NARROWEST_PROSE:
            limit -= used
        strips.append(_strip(texts, limit, prose, gap, max(widest) if table.even else 0))
        used += _width(strips[-1]) + gap
    return labels, strips
