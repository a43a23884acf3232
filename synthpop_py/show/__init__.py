"""How results are shown: sections of notes and data frames, as text, HTML and Markdown.

Reading order: `printing` (sections as text) · `pages` (as HTML and Markdown) · `people_pages` (what
other people see of results about people) · `values` (plain values, CSV) · `views` (the methods that
every result has).
"""
