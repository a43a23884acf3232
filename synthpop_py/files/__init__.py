"""Files and databases: from a path to a frame, or to a table that an engine scans.

A file is never changed. Large ones are not read where an engine can scan them: DuckDB scans Parquet
and CSV, polars scans Parquet; without them both are read into memory. The type of a CSV column does
not depend on the reader (decision 0020).

Reading order: `opening` (from a path to an origin; several that are compared) · `origin` (what a
path leads to) · `sources` (how a text names a table) · `locations` (which files a path means) ·
`text_types` (what a column of a CSV is) · `agreed_kinds` (what it is in several files) ·
`sql_types` (the same for DuckDB) · `csv_files` (its header, its rows) · `parquet_files` (its
columns, its categories) · `statistical` (files of SAS, SPSS, Stata and R) · `scans` (tables that
DuckDB and polars scan) · `databases` (a table in a database file).
"""
