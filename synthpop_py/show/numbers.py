"""How the cells of a column are written, the same in text, HTML and Markdown."""

from __future__ import annotations

import numbers
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..r.text import format_column
from .document import Cell, Column, Words

HIDDEN = "hidden"


def column_texts(column: Column) -> list[str]:
    """The cells as R's print writes a column: rounded, and padded to common decimals."""
    shown = [cell.value for cell in column.cells if not cell.hidden]
    if shown and all(map(is_number, shown)):
        written = iter(_number_texts(shown, column.digits))
    else:
        written = iter([value_text(value) for value in shown])
    return [HIDDEN if cell.hidden else next(written) for cell in column.cells]


def is_number(value: Any) -> bool:
    return isinstance(value, numbers.Real) and not isinstance(value, (bool, np.bool_))


def value_text(value: Any) -> str:
    """A value by itself. A line break would break the line it stands in."""
    if value is None:
        return ""
    return str(value).replace("\r", "\\r").replace("\n", "\\n")


def words_text(words: Words) -> str:
    """Words as one text."""
    parts = []
    for word in words:
        if isinstance(word, Cell):
            parts.append(HIDDEN if word.hidden else value_text(word.value))
        else:
            parts.append(value_text(word))
    return "".join(parts)


def _number_texts(values: Sequence[Any], digits: int | None) -> list[str]:
    array = np.array(values, dtype=np.float64)
    if digits is not None:
        array = np.round(array, digits)
    return [text.strip() for text in format_column(array.tolist())]
