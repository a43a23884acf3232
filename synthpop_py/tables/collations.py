"""Databases can be told that "a" and "A" are one value. A GROUP BY then merges levels, and risk is
understated without a word: such columns are refused.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any


def check_collations(frame: Any, names: Sequence[str], place: str) -> None:
    """An error where the engine compares texts of a column by anything but their letters."""
