"""Tables: data frames, files and databases. Only this folder knows where records are stored.

Reading order: `protocol` (what a table answers), `opening` (from what a user holds to a table),
`reading` (pandas), `frames` (other libraries), `engine`, `files`, `csv_files`, `api`
(`open_table`), `comparable` (have two columns values in common?), `bands`.
"""
