"""From what a user holds to tables."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

from ..errors import InputError
from .frame import FrameTable
from .protocol import Table, is_table


def open_table(given: Any, place: str, counts: Hashable | None = None) -> Table:
    """The table behind a data frame; what counts by itself is a table already."""
    if is_table(given):
        if counts is not None:
            raise InputError(f"counts: {place} counts its records by itself; leave counts out")
        return given
    return FrameTable(given, place, counts)
