"""Sections of notes and tables as HTML and as Markdown. No scripts, and nothing in a text is read
as markup.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from html import escape
from itertools import groupby
from typing import Any

from .printing import Block, Sections, Table, column_texts, is_numeric, value_text

STYLE = """\
:root { color-scheme: light dark; }
body { font: 1rem/1.5 system-ui, sans-serif; margin: 0; padding: 1rem; }
main { max-width: 60rem; margin: auto; }
h1 { font-size: 1.4rem; line-height: 1.25; }
.headline { font-size: 1.1rem; }
.wide { overflow-x: auto; margin: 1rem 0; }
table { border-collapse: collapse; }
caption { text-align: left; font-weight: 600; padding: 0.25rem 0; }
th, td { padding: 0.2rem 0.6rem; border-bottom: 1px solid color-mix(in srgb, currentColor 25%, \
transparent); text-align: left; vertical-align: top; }
.number { text-align: right; font-variant-numeric: tabular-nums; }
footer { margin-top: 2rem; font-size: 0.85rem; opacity: 0.8; }
"""
FIGURE = re.compile(r"(nearly all|-|(fewer than |under |over )?[\d,.]+( %)?( \([^)]*%\))?)?")
SPECIAL = re.compile(r"([\\`*\[\]|~])")
LONE_UNDERSCORE = re.compile(r"(?<![0-9A-Za-z])_|_(?![0-9A-Za-z])")
BEGINNING = re.compile(r"^([#>+-]|\d+[.)])(\s|$)")


def _columns(table: Table) -> list[tuple[str, bool, list[str]]]:
    """Each column: its heading, whether it holds figures, its cells."""
    columns = []
    for name, values in table.columns():
        texts = column_texts(values, table.digits)
        figures = is_numeric(values) or (any(texts) and all(map(FIGURE.fullmatch, texts)))
        columns.append((name, bool(figures), texts))
    return columns


def _runs(section: Sequence[Block]) -> Iterator[tuple[bool, list[Any]]]:
    """Blocks that follow each other: whether they are indented notes, which make a list."""
    for indented, some in groupby(section, lambda b: isinstance(b, str) and b.startswith(" ")):
        run: list[Any] = list(some)
        yield indented, [note.lstrip(" ") for note in run] if indented else run


def html_fragment(sections: Sections) -> str:
    """The sections, for an existing page."""
    return f'<div class="synthpop-py">{_html_sections(sections)}</div>'


def html_page(title: str, headline: Sequence[str], sections: Sections, footer: str) -> str:
    """A small complete page: readable in light mode, in dark mode and on a phone."""
    above = "".join(f'<p class="headline">{_html_text(said)}</p>' for said in headline)
    heading = escape(title)
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{heading}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n<main>\n"
        f"<h1>{heading}</h1>\n{above}\n{_html_sections(sections)}\n"
        f"<footer>{escape(footer)}</footer>\n</main>\n</body>\n</html>\n"
    )


def _html_sections(sections: Sections) -> str:
    parts = []
    for section in sections:
        part = ""
        for indented, blocks in _runs(section):
            if indented:
                part += f"<ul>{''.join(f'<li>{_html_text(note)}</li>' for note in blocks)}</ul>"
                continue
            for block in blocks:
                is_table = isinstance(block, Table)
                part += _html_table(block) if is_table else f"<p>{_html_text(block)}</p>"
        parts.append(f"<section>{part}</section>")
    return "\n".join(parts)


def _html_text(said: str) -> str:
    return escape(value_text(said))


def _html_table(table: Table) -> str:
    corner = "<td></td>" if table.labelled else ""
    head = ""
    columns = []
    if table.labelled:
        columns = [[f'<th scope="row">{escape(label)}</th>' for label in table.labels()]]
    for name, figures, texts in _columns(table):
        aligned = ' class="number"' if figures else ""
        head += f'<th scope="col"{aligned}>{escape(name)}</th>'
        # without labels the first column says what a row is about
        tag, scope = ("td", "") if columns else ("th", ' scope="row"')
        columns.append([f"<{tag}{scope}{aligned}>{escape(cell)}</{tag}>" for cell in texts])
    rows = "".join(f"<tr>{''.join(row)}</tr>" for row in zip(*columns))
    caption = f"<caption>{_html_text(table.caption)}</caption>"
    return (
        f'<div class="wide"><table>{caption}<thead><tr>{corner}{head}</tr></thead>'
        f"<tbody>{rows}</tbody></table></div>"
    )


def markdown(title: str, headline: Sequence[str], sections: Sections, footer: str) -> str:
    """A page, with tables as GitHub and most other tools read them."""
    parts = [f"# {escaped(title)}", *map(escaped, headline)]
    for section in sections:
        for indented, blocks in _runs(section):
            texts = [_markdown_block(block) for block in blocks]
            parts += ["\n".join(f"- {text}" for text in texts)] if indented else texts
    return "\n\n".join([*parts, f"---\n\n{escaped(footer)}"]) + "\n"


def escaped(said: str) -> str:
    """A text without any markup for Markdown or HTML."""
    safe = SPECIAL.sub(r"\\\1", value_text(said))
    safe = LONE_UNDERSCORE.sub(r"\\_", safe)
    return safe.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _markdown_block(block: Block) -> str:
    if isinstance(block, Table):
        return _markdown_table(block)
    return BEGINNING.sub(r"\\\1\2", escaped(block))


def _markdown_table(table: Table) -> str:
    columns = []
    if table.labelled:
        columns = [["", "---", *map(escaped, table.labels())]]
    for name, figures, texts in _columns(table):
        columns.append([escaped(name), "---:" if figures else "---", *map(escaped, texts)])
    rows = "\n".join(f"| {' | '.join(row)} |" for row in zip(*columns))
    return f"**{escaped(table.caption)}**\n\n{rows}"
