"""Tables: data frames, files and databases. Only this folder knows where records are stored.

Reading order: `protocol` (what a table answers) · `opening` (from what a user holds to a table) ·
`reading` (columns of pandas as arrays) · `frames` (frames of other libraries, through narwhals) ·
`engine` (tables that an engine counts) · `engine_checks` (what an engine could change or merge) ·
`labelling` (labels joined to their records) · `paths` (which files a path means) · `csv_files` ·
`files` (all other files, databases) · `api` (`open_table`, and tables that are read together) ·
`comparable` (do two columns have values in common?) · `bands` (records in bands and groups).
"""
