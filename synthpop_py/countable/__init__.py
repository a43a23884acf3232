"""Tables that count: where records live is known here and nowhere else.

Reading order: `protocol` (what a table answers), `frame` (a pandas data frame, record by record or
as a frequency table), `opening` (from what a user holds to a table).
"""
