"""How results are shown: sections of notes and data frames, as text, HTML and Markdown.

Reading order: `printing` (sections as text) · `pages` (as HTML and Markdown) · `people_pages` (what
other people see of results about people) · `values` (plain values, CSV) · `views` (the methods that
every result has) · then what goes with the last room that uses it: `document`, `fill`,
`small_cells`, `audit`, `sums`, `gaps`, `text`, `html`, `markdown`, `plain`, `csv`, `shown`, `drawn`.
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
