"""R's files, read and written: `read_rds`, `read_rdata`, `read_synds` and `write_synds`.

The package rdata reads them, pure Python, which runs nothing in a file; pyreadr, a parser in C,
only what the caller trusts. Neither is imported before it is needed.

`reading` (the functions; pyreadr) · `parsing` (bytes and objects, no more than allowed) · `objects`
(Python of R's objects) · `writing` · `replacing` (a file is written completely or not at all).
"""

from .reading import read_rdata, read_rds, read_synds
from .writing import write_synds

__all__ = ["read_rdata", "read_rds", "read_synds", "write_synds"]
