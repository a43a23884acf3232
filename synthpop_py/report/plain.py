"""A report as plain values that JSON can hold."""

from __future__ import annotations

import json
from typing import Any

from ..show.document import Block, Document, Note, Table
from ..show.plain import plain
from ..show.text import words_text
from .contents import Contents
from .page import slug


def render(contents: Contents, *, version: str, day: str) -> str:
    """JSON: sections with their notes and tables; hidden values are null, with a list of their
    places.
    """
    document = contents.document
    values = {
        "what": "synthpop_py.report",
        "version": version,
        "date": day,
        "title": document.title,
        "min_cell": contents.audit.min_cell,
        "headline": [words_text(note.words) for note in document.headline],
        "sections": _sections(document),
    }
    values["hidden"] = _hidden_places(document)
    return json.dumps(plain(values), ensure_ascii=False, allow_nan=False, indent=1) + "\n"


def _sections(document: Document) -> list[dict[str, Any]]:
    sections = []
    for section in document.sections:
        sections.append(
            {
                "id": slug(section.heading),
                "heading": section.heading,
                "blocks": [_block(block) for block in section.blocks],
            }
        )
    return sections


def _block(block: Block) -> dict[str, Any]:
    if isinstance(block, Note):
        return {"note": words_text(block.words)}
    caption = words_text(block.caption)
    if not isinstance(block, Table):
        return {"figure": caption}
    table: dict[str, Any] = {"table": caption}
    if block.labels is not None:
        table["rows"] = list(block.labels)
    table["columns"] = [column.name for column in block.columns]
    table["values"] = [[cell.value for cell in column.cells] for column in block.columns]
    return table


def _hidden_places(document: Document) -> list[str]:
    """Where hidden cells of tables are, as JSON pointers (RFC 6901); sentences say it."""
    places = []
    for s, section in enumerate(document.sections):
        for b, block in enumerate(section.blocks):
            if not isinstance(block, Table):
                continue
            for c, column in enumerate(block.columns):
                for r, cell in enumerate(column.cells):
                    if cell.hidden:
                        places.append(f"/sections/{s}/blocks/{b}/values/{c}/{r}")
    return places
