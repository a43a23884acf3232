"""What a result says to somebody who types Python, said to somebody who types commands."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..show.document import Block, Document

__all__ = ["terminal_text"]

FOR_PYTHON = "Next: "  # how a note begins that says what to type
INSTEAD = {
    " in .table": ", see --csv",
    ", see .smallest()": "",
    " (.dominated())": "",
    "Pass several runs of the mask (`Runs`) or `bootstrap=200`.": "--bootstrap 200 gives some.",
}


def terminal_text(document: Document) -> str:
    """A document as text, with options in place of attributes."""
    from ..show.text import render

    sections = []
    for section in document.sections:
        blocks = [_reworded(block) for block in section.blocks if not _is_for_python(block)]
        if blocks:
            sections.append(replace(section, blocks=tuple(blocks)))
    return render(replace(document, sections=tuple(sections)))


def _is_for_python(block: Block) -> bool:
    from ..show.document import Note
    from ..show.text import words_text

    return isinstance(block, Note) and words_text(block.words).startswith(FOR_PYTHON)


def _reworded(block: Block) -> Block:
    from ..show.document import Note

    if not isinstance(block, Note):
        return block
    words = [_instead(word) if isinstance(word, str) else word for word in block.words]
    return replace(block, words=tuple(words))


def _instead(text: str) -> str:
    for words, other in INSTEAD.items():
        text = text.replace(words, other)
    return text
