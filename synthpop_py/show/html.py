"""A document as HTML: a fragment for notebooks, and a complete page. No scripts."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from .document import Block, Cell, Column, Document, Figure, Note, Section, Table, Words
from .text import HIDDEN, column_texts, is_numeric, value_text

HIDDEN_CELL = f"<em>{HIDDEN}</em>"

STYLE = """\
:root { color-scheme: light dark; }
body { font: 1rem/1.5 system-ui, sans-serif; margin: 0; padding: 1rem; }
main { max-width: 60rem; margin: auto; }
h1 { font-size: 1.4rem; line-height: 1.25; }
h2 { font-size: 1.15rem; }
.headline { font-size: 1.1rem; }
.wide { overflow-x: auto; margin: 1rem 0; }
table { border-collapse: collapse; }
caption { text-align: left; font-weight: 600; padding: 0.25rem 0; }
th, td { padding: 0.2rem 0.6rem; border-bottom: 1px solid color-mix(in srgb, currentColor 25%, \
transparent); text-align: left; vertical-align: top; }
.number { text-align: right; font-variant-numeric: tabular-nums; }
footer { margin-top: 2rem; font-size: 0.85rem; opacity: 0.8; }
"""


def fragment(document: Document) -> str:
    """The sections, for an existing page."""
    return f'<div class="synthpop-py">{_sections(document.sections)}</div>'


def page(document: Document, footer: str) -> str:
    """A small complete page: readable in light mode, in dark mode and on a phone."""
    headline = "".join(
        f'<p class="headline">{_words(note.words)}</p>' for note in document.headline
    )
    title = escape(document.title)
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{title}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n<main>\n"
        f"<h1>{title}</h1>\n{headline}\n{_sections(document.sections)}\n"
        f"<footer>{escape(footer)}</footer>\n</main>\n</body>\n</html>\n"
    )


def _sections(sections: Sequence[Section]) -> str:
    return "\n".join(f"<section>{_section(section)}</section>" for section in sections)


def _section(section: Section) -> str:
    parts = [f"<h2>{escape(section.heading)}</h2>"] if section.heading else []
    in_list = False
    for block in section.blocks:
        indented = isinstance(block, Note) and block.indent > 0
        if indented != in_list:
            parts.append("<ul>" if indented else "</ul>")
        in_list = indented
        parts.append(_block(block))
    if in_list:
        parts.append("</ul>")
    return "".join(parts)


def _block(block: Block) -> str:
    if isinstance(block, Table):
        return _table(block)
    if isinstance(block, Figure):
        return _figure(block)
    inside = _words(block.words)
    if block.strong:
        inside = f"<strong>{inside}</strong>"
    return f"<li>{inside}</li>" if block.indent else f"<p>{inside}</p>"


def _words(words: Words) -> str:
    parts = []
    for word in words:
        if isinstance(word, Cell):
            parts.append(HIDDEN_CELL if word.hidden else escape(value_text(word.value)))
        else:
            parts.append(escape(word))
    return "".join(parts)


def _figure(figure: Figure) -> str:
    caption = _words(figure.caption)
    if not figure.source:
        return f"<p>Figure: {caption} ({escape(figure.drawn_by)})</p>"
    picture = f'<img src="{escape(figure.source)}" alt="{caption}">'
    return f"<figure>{picture}<figcaption>{caption}</figcaption></figure>"


# ---- tables --------------------------------------------------------------------------


def _table(table: Table) -> str:
    corner = [] if table.labels is None else ["<td></td>"]
    names = [f'<th scope="col"{_alignment(c)}>{escape(c.name)}</th>' for c in table.columns]
    columns = [_cells(column) for column in table.columns]
    if table.labels is None:
        # the first column says what a row is about
        columns[0] = [_row_heading(text) for text in columns[0]]
    else:
        columns = [[f'<th scope="row">{escape(label)}</th>' for label in table.labels], *columns]
    rows = "".join(f"<tr>{''.join(row)}</tr>" for row in zip(*columns))
    head = f"<thead><tr>{''.join([*corner, *names])}</tr></thead>"
    caption = f"<caption>{_words(table.caption)}</caption>"
    return f'<div class="wide"><table>{caption}{head}<tbody>{rows}</tbody></table></div>'


def _cells(column: Column) -> list[str]:
    alignment = _alignment(column)
    texts = []
    for cell, text in zip(column.cells, column_texts(column)):
        inside = HIDDEN_CELL if cell.hidden else escape(text)
        texts.append(f"<td{alignment}>{inside}</td>")
    return texts


def _row_heading(cell: str) -> str:
    return '<th scope="row"' + cell.removeprefix("<td").removesuffix("</td>") + "</th>"


def _alignment(column: Column) -> str:
    return ' class="number"' if is_numeric(column) else ""
