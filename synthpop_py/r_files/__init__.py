"""R's files, read and written: ``read_r``, ``read_synds`` and ``write_synds``.

R itself does the work where it is at hand (through rpy2, or else the program Rscript), otherwise
the packages ``rdata`` and ``pyreadr``. Every reader gives the classes of `descriptions`, which
`values` turns into Python, so that the same file gives the same result whoever reads it; pyreadr
alone sees less (the order of factors, what makes a `difftime` or a `POSIXlt`). None of the packages
is imported before it is needed.

Reading order: `api` (the functions) · `packages` (which reader is at hand) · `through_rdata`,
`through_pyreadr`, `through_r` (the readers) · `descriptions` (what they give) · `values`, `columns`
(Python of it) · `for_r`, `through_rdata_write` (the way back).
"""

from .api import read_r, read_synds, write_synds

__all__ = ["read_r", "read_synds", "write_synds"]
