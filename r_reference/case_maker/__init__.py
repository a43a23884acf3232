"""Writes the declarative case files in ``r_reference/cases``.

The cases are data; this package only spares us from typing the systematic ones by hand. ``python -m
r_reference.case_maker`` rewrites every file, and a test says that the files are what it writes.
"""
