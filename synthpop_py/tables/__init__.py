"""Tables: data frames, files and databases. Only this folder knows where records are stored.

Reading order: `protocol` (what a table answers), `opening` (from what a user holds to a table),
`reading` (pandas), `frames` (other libraries), `engine` and `engine_checks` (tables that an engine
counts), `files`, `csv_files`, `api` (`open_table`, the tables of a command), `comparable` (have two
columns values in common?), `bands` (records in bands and groups).
"""
