"""`key_risk()`: which of the columns an intruder might know are dangerous together.

Reading order: `api` (the call, its arguments, the codes of its columns) · `search` (every subset,
each counted once) · `distinct` (rows that no further key tells apart, as one) · `parts` (the same
if there are too many rows) · `result` (the table, and the questions it answers) · `show`.
"""
