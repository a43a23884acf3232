"""A document as Markdown, with tables as GitHub and most other tools read them."""

from __future__ import annotations

import re

from .document import Block, Cell, Document, Figure, Note, Section, Table, Words
from .text import HIDDEN, column_texts, is_numeric, value_text

HIDDEN_TEXT = f"*{HIDDEN}*"
SPECIAL = re.compile(r"([\\`*\[\]|~])")
LONE_UNDERSCORE = re.compile(r"(?<![0-9A-Za-z])_|_(?![0-9A-Za-z])")
BEGINNING = re.compile(r"^([#>+-]|\d+[.)])(\s|$)")


def render(document: Document, footer: str) -> str:
    parts = [f"# {escaped(document.title)}"]
    parts += [_words(note.words) for note in document.headline]
    for section in document.sections:
        parts += _section(section)
    return "\n\n".join([*parts, f"---\n\n{escaped(footer)}"]) + "\n"


def escaped(text: str) -> str:
    """A text without any markup for Markdown or HTML."""
    safe = SPECIAL.sub(r"\\\1", value_text(text))
    safe = LONE_UNDERSCORE.sub(r"\\_", safe)
    return safe.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _section(section: Section) -> list[str]:
    parts = [f"## {escaped(section.heading)}"] if section.heading else []
    points: list[str] = []
    for block in section.blocks:
        if isinstance(block, Note) and block.indent:
            points.append(f"- {_block(block)}")
            continue
        if points:
            parts.append("\n".join(points))
            points = []
        parts.append(_block(block))
    if points:
        parts.append("\n".join(points))
    return parts


def _block(block: Block) -> str:
    if isinstance(block, Table):
        return _table(block)
    if isinstance(block, Figure):
        return _figure(block)
    text = _words(block.words)
    if block.strong:
        return f"**{text}**"
    return BEGINNING.sub(r"\\\1\2", text)


def _words(words: Words) -> str:
    parts = []
    for word in words:
        if isinstance(word, Cell):
            parts.append(HIDDEN_TEXT if word.hidden else escaped(value_text(word.value)))
        else:
            parts.append(escaped(word))
    return "".join(parts)


def _figure(figure: Figure) -> str:
    caption = _words(figure.caption)
    if not figure.source:
        return f"Figure: {caption} ({escaped(figure.drawn_by)})"
    return f"![{caption}]({figure.source.replace(' ', '%20')})"


def _table(table: Table) -> str:
    columns = []
    for column in table.columns:
        rule = "---:" if is_numeric(column) else "---"
        texts = []
        for cell, text in zip(column.cells, column_texts(column)):
            texts.append(HIDDEN_TEXT if cell.hidden else escaped(text))
        columns.append([escaped(column.name), rule, *texts])
    if table.labels is not None:
        columns.insert(0, ["", "---", *map(escaped, table.labels)])
    rows = "\n".join(f"| {' | '.join(row)} |" for row in zip(*columns))
    return f"**{_words(table.caption)}**\n\n{rows}"
