"""A report as one HTML page. Jinja2 escapes whatever comes from data."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from typing import Any, NamedTuple

from ..errors import missing_package
from ..show.document import Block, Cell, Column, Figure, Note, Section, Table, Words
from ..show.text import HIDDEN, column_texts, is_numeric, value_text, words_text
from .contents import Contents
from .pictures import svg

TEMPLATE = "page.html.j2"


class Word(NamedTuple):
    text: str
    hidden: bool


class Part(NamedTuple):
    """A section, or a block of one, as the template takes it: `kind` is "points" (notes of a
    list), "note", "table" or "figure".
    """

    kind: str
    content: Any


def render(contents: Contents, *, footer: str) -> str:
    """The whole page."""
    template = _environment().get_template(TEMPLATE)
    document = contents.document
    sections = []
    for section in document.sections:
        sections.append(
            {
                "id": slug(section.heading),
                "heading": section.heading,
                "parts": _parts(section, contents),
            }
        )
    page: str = template.render(
        title=document.title,
        headline=[_words(note.words) for note in document.headline],
        sections=sections,
        footer=footer,
        hidden=HIDDEN,
    )
    return page


@cache
def _environment() -> Any:
    try:
        from jinja2 import Environment, PackageLoader, StrictUndefined
    except ImportError as error:
        raise missing_package("reports", "Jinja2", "report") from error
    return Environment(
        loader=PackageLoader("synthpop_py.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )


def check_installed() -> None:
    """Raise an error if pages cannot be made, before anything is computed."""
    from ..plots.canvas import matplotlib

    _environment()
    matplotlib()


def slug(heading: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", heading.lower()).strip("-")


def _parts(section: Section, contents: Contents) -> list[Part]:
    parts: list[Part] = []
    for block in section.blocks:
        if isinstance(block, Note) and block.indent:
            if not parts or parts[-1].kind != "points":
                parts.append(Part("points", []))
            parts[-1].content.append(_words(block.words))
        else:
            parts.append(_part(block, contents))
    return parts


def _part(block: Block, contents: Contents) -> Part:
    if isinstance(block, Note):
        return Part("note", {"words": _words(block.words), "strong": block.strong})
    if isinstance(block, Table):
        return Part("table", _table(block))
    return Part("figure", _figure(block, contents))


def _words(words: Words) -> list[Word]:
    parts = []
    for word in words:
        if isinstance(word, Cell):
            parts.append(Word(value_text(word.value), word.hidden))
        else:
            parts.append(Word(word, False))
    return parts


def _table(table: Table) -> dict[str, Any]:
    """Rows, each of which begins with its heading: a label, or the first column."""
    columns = list(table.columns)
    names = [column.name for column in columns]
    looks = [_look(column) for column in columns]
    cells = [_cells(column) for column in columns]
    if table.labels is not None:
        names.insert(0, "")
        looks.insert(0, "")
        cells.insert(0, [Word(value_text(label), False) for label in table.labels])
    return {
        "caption": _words(table.caption),
        "names": list(zip(names, looks)),
        "rows": [list(zip(row, looks)) for row in zip(*cells)],
    }


def _cells(column: Column) -> list[Word]:
    return [Word(text, cell.hidden) for cell, text in zip(column.cells, column_texts(column))]


def _look(column: Column) -> str:
    if is_numeric(column) or _all_hidden(column.cells):
        return "number"
    return "prose" if column.prose else ""


def _all_hidden(cells: Sequence[Cell]) -> bool:
    return bool(cells) and all(cell.hidden for cell in cells)


def _figure(figure: Figure, contents: Contents) -> dict[str, Any]:
    text = words_text(figure.caption)
    drawn = svg(
        contents.drawings[figure.drawn_by],
        figure.drawn_by,
        title=text.partition(":")[0],
        text=text,
        min_cell=contents.audit.min_cell,
        also_hidden=contents.hidden,
    )
    # the template takes it as it is: matplotlib escapes names, and so does `pictures`
    return {"svg": drawn, "caption": _words(figure.caption)}
