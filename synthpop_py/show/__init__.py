"""How results are shown. `printing` (sections of notes and tables, as text) · `pages` (HTML and
Markdown) · `people_pages` (what other people see of results about people) · `values` (plain values,
CSV) · `views` (the methods that every result has). What follows goes with the last room that uses
it.

One way to show: every result fills a document once, and renderers turn it into text, HTML,
Markdown and plain values.

Reading order: `document` (what a result can say) · `fill` (helpers that make its parts) ·
`small_cells` (the rule on small counts of people) · `audit` (what the printed sums reveal) ·
`sums` (which values of a hidden count fit them) · `gaps` (which between those do not) ·
`text` (values as they are written, and terminal text) · `html`, `markdown`, `plain` (other
renderers) · `csv` (tables that a spreadsheet shows but does not run) · `shown` (the methods that
every result has) · `drawn` (those of results with a picture).
"""

from .document import Block, Cell, Column, Count, Document, Figure, Note, Relation, Section, Table
from .drawn import Drawn
from .shown import Shown
from .small_cells import MIN_CELL

__all__ = [
    "MIN_CELL",
    "Block",
    "Cell",
    "Column",
    "Count",
    "Document",
    "Drawn",
    "Figure",
    "Note",
    "Relation",
    "Section",
    "Shown",
    "Table",
]
