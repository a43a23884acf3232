"""Tables that count: where records live is known here and nowhere else.

Reading order: `protocol` (what a table answers) · `opening` (from what a user holds to a table; a
pandas data frame, record by record or as a frequency table) · `reading` (its columns as arrays) ·
`comparable` (can two columns be compared?) · `near_levels` (do they write one level in two ways?) ·
`groups` (records by values of columns) · `parts` (some of the distinct rows, where all are too
many) · `memory` (how many there is room for) · `fingerprints` (which data is a result about?) ·
`labels` (do the row labels of two frames agree?) · `owned` (frames that a result keeps).
"""
