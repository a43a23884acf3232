"""Tables that count: only this folder knows where records are stored.

Reading order: `protocol` (what a table answers) · `opened` (how it prints, and closes) · `api`
(whatever holds records, as a table that a user keeps) · `opening` (from what a user holds to a
table; a pandas data frame, record by record or as a frequency table) · `reading` (its columns as
arrays) · `narwhal` (frames of other libraries) · `conversion` (in pandas and back) · `spark` (names
that mean something to Spark) · `engine` (tables that an engine counts) · `engine_parts` (some of
their rows) · `labelling` (labels joined to their records) · `declared_levels` (levels for columns
of an engine) · `engine_counts` (columns of counts there) · `engine_types` (types that only an
engine knows) · `questions` (asked in SQL) · `collations` (does the engine merge texts?) ·
`sqlite_values` (is every value of the declared type?) · `comparable` (can two columns be compared?)
· `near_levels` (do they write one level in two ways?) · `held` (rows already counted) · `groups`
(records by values of columns) · `bands` (by values between cut points) · `memory` (how many
distinct rows fit) · `parts` (some of them, if all are too many) · `splitting` (work in parts by
values of a column) · `fingerprints` (which data is a result about?) · `labels` (do the row labels
of two frames agree?) · `owned` (frames that a result keeps).
"""
