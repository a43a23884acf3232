"""Tables: data frames, files and databases. Only this folder knows where records are stored.

Reading order: `protocol` (what a table answers) · `opening` (from what a user holds to a table) ·
`reading` (frames of pandas, and their columns as arrays) · `frames` (frames of other libraries,
through narwhals) · `engine` (tables that an engine counts) · `engine_checks` (what an engine could
change or merge) · `files` (paths, databases, all files but CSV) · `csv_files` · `api`
(`open_table`, and tables that are read together) · `comparable` (do two columns have values in
common?) · `bands` (records in bands and groups).
"""
