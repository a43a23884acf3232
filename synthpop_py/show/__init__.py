"""How results are shown: sections of notes and data frames, as text, HTML and Markdown.

Reading order: `printing` (sections as text) · `pages` (as HTML and Markdown) · `people_pages` (what
other people see of results about people) · `values` (plain values, CSV) · `views` (the methods that
<<<<<<< HEAD
every result has).
=======
every result has) · then what goes with the last room that uses it: `document`, `fill`,
`small_cells`, `audit`, `sums`, `gaps`, `text`, `html`, `markdown`, `plain`, `csv`, `shown`,
`drawn`.
>>>>>>> show
"""
