"""How many distinct rows fit in memory, if the records are stored elsewhere."""

from __future__ import annotations

import os
from pathlib import Path

LEAST_ROWS = 100_000  # below, parts would be many and save nothing
SHARE = 0.4  # of the memory that is free: the engine that counts needs some too
UNKNOWN_MEMORY = 2**31  # where a system does not tell
# a row while it is read, coded, sorted and counted: measured were 140 bytes with 4 columns and 245
# with 7; twice that, because the engine's answer is held as well
BYTES_PER_ROW = 100
BYTES_PER_COLUMN = 60

MEMINFO = Path("/proc/meminfo")
GROUP = Path("/sys/fs/cgroup")


def rows_that_fit(columns: int) -> int:
    """How many distinct rows of this number of columns are counted at once, in all tables together.

    >>> rows_that_fit(3) >= 100_000
    True
    """
    room = int(SHARE * available_memory())
    return max(LEAST_ROWS, room // (BYTES_PER_ROW + BYTES_PER_COLUMN * columns))


def available_memory() -> int:
    """Bytes available without harm to other programs; in a container those left to it."""
    limits = [_of_machine(), _of_container()]
    return min(limit for limit in limits if limit is not None)


def _of_machine() -> int:
    try:
        for line in MEMINFO.read_text().splitlines():
            if line.startswith("MemAvailable:"):
                return int(line.split()[1]) * 1024
    except (OSError, ValueError):
        pass  # not Linux
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // 2
    except (AttributeError, OSError, ValueError):
        return UNKNOWN_MEMORY


def _of_container() -> int | None:
    """What a control group leaves; None where it sets no limit."""
    try:
        limit = int((GROUP / "memory.max").read_text())
        used = int((GROUP / "memory.current").read_text())
    except (OSError, ValueError):  # no control group, or "max"
        return None
    return max(0, limit - used)
