"""R's files, read and written: ``read_r``, ``read_synds`` and ``write_synds``.

A file is read by the package ``rdata``, pure Python, which runs nothing in it. R (through rpy2, or
else the program Rscript) and ``pyreadr`` read only what the caller trusts, because R can run code
that a file hides. Every reader gives the classes of `descriptions`, which `values` turns into
Python: the same file gives the same result with every reader. Only pyreadr sees less (the order of
factors, what makes a `difftime` or a `POSIXlt`). None of the packages is imported before it is
needed.

Reading order: `api` (the functions) · `packages` (which reader is installed) · `unpacking`,
`bounded_parser` (bytes and objects, no more than allowed) · `through_rdata`, `through_pyreadr`,
`through_r` (the readers) · `descriptions` (what they give) · `values`, `columns` (Python of it) ·
`for_r`, `through_rdata_write` (the way back) · `replacing` (a file is written completely or not at
all).
"""

from .api import read_r, read_synds, write_synds

__all__ = ["read_r", "read_synds", "write_synds"]
