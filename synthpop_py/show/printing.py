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
from typing import Any, NamedTuple, TypeAlias

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
        named = enumerate(map(value_text, self.frame.columns))
        return [(name, self.frame.iloc[:, at].tolist()) for at, name in named]

    def labels(self) -> list[str]:
        return [value_text(label) for label in self.frame.index]


Block: TypeAlias = str | Table
Sections: TypeAlias = Sequence[Sequence[Block]]


# ---- values --------------------------------------------------------------------------


def value_text(value: Any) -> str:
    """A value by itself. A line break would break the line it stands in."""
    if value is None:
        return ""
    return str(value).replace("\r", "\\r").replace("\n", "\\n")


def is_numeric(values: Sequence[Any]) -> bool:
    """Whether a column holds only numbers, which are then shown with common decimals."""
    return bool(values) and all(map(_is_number, values))


def _is_number(value: Any) -> bool:
    return isinstance(value, numbers.Real) and not isinstance(value, (bool, np.bool_))


def column_texts(values: Sequence[Any], digits: int | None) -> list[str]:
    """The cells of a column as R's print writes them: rounded, and padded to common decimals."""
    if not is_numeric(values):
        return [value_text(value) for value in values]
    array = np.array(values, dtype=np.float64)
    if digits is not None:
        array = np.round(array, digits)
    return [text.strip() for text in format_column(array.tolist())]


# ---- sections ------------------------------------------------------------------------


def text(sections: Sections) -> str:
    """All sections, with empty lines between them."""
    return "\n\n".join("\n".join(chain(*map(block_lines, section))) for section in sections)


def block_lines(block: Block) -> list[str]:
    return note_lines(block) if isinstance(block, str) else table_lines(block)


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
        said,
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
        part = lines[number] if number < len(lines) else ""
        return part.ljust(self.width) if self.left else part.rjust(self.width)


def table_lines(table: Table) -> list[str]:
    lines = _wrapped(f"{value_text(table.caption)}:") if table.titled else []
    for strips in _side_by_side(*_strips(table)):
        lines += _lines(strips)
    return lines


def _strips(table: Table) -> tuple[list[_Strip], list[_Strip]]:
    """Row labels (none, or one strip) and columns, none wider than the screen."""
    prose = [name in table.prose for name, _ in table.columns()]
    # sentences do without a heading
    texts = [
        ["" if in_prose else name, *column_texts(values, table.digits)]
        for in_prose, (name, values) in zip(prose, table.columns())
    ]
    labels = []
    room = WIDTH
    if table.labelled:
        beside = sum(1 + max(map(len, cells)) for at, cells in enumerate(texts) if not prose[at])
        limit = max(WIDTH - beside, NARROWEST_LABEL)
        labels = [_strip(["", *table.labels()], limit, left=True, gap=0)]
        room -= labels[0].width
    strips: list[_Strip] = []
    used = 0
    for in_prose, cells in zip(prose, texts):
        gap = 2 if in_prose else 1
        limit = room - gap
        if in_prose and limit - used >= NARROWEST_PROSE:
            limit -= used
        strips.append(_strip(cells, limit, left=in_prose, gap=gap))
        used += strips[-1].width + gap
    if table.even:
        widest = max(strip.width for strip in strips)
        strips = [strip._replace(width=widest) for strip in strips]
    return labels, strips


def _strip(texts: Sequence[str], limit: int, *, left: bool, gap: int) -> _Strip:
    lines = [_wrapped(cell, width=limit) for cell in texts]
    width = max(map(len, chain(*lines)))
    return _Strip(lines=lines, width=width, left=left, gap=gap)


def _side_by_side(labels: list[_Strip], strips: Sequence[_Strip]) -> list[list[_Strip]]:
    """Columns that fit beside each other; every block begins with the row labels."""
    blocks = [list(labels)]
    for strip in strips:
        wide = sum(s.width + s.gap for s in [*blocks[-1], strip])
        wide -= (blocks[-1] or [strip])[0].gap
        if len(blocks[-1]) > len(labels) and wide > WIDTH:
            blocks.append(list(labels))
        blocks[-1].append(strip)
    return blocks


def _lines(strips: Sequence[_Strip]) -> list[str]:
    """The rows, of several lines where a cell was wrapped."""
    lines = []
    for row in range(len(strips[0].lines)):
        for number in range(max(len(strip.lines[row]) for strip in strips)):
            first, *others = strips
            line = first.line(row, number)
            for strip in others:
                line += " " * strip.gap + strip.line(row, number)
            lines.append(line.rstrip())
    return lines
