"""Data frames as text and HTML, the way every result of the package shows them."""

from __future__ import annotations

from html import escape

import numpy as np
import pandas as pd

from .core.rtext import format_column


def table_text(frame: pd.DataFrame, digits: int | None = None) -> str:
    """A data frame as R's print shows it: columns right-aligned, each rounded and padded to common
    decimals (7 significant digits).
    """
    columns = [[str(name), *_cells(frame[name], digits)] for name in frame.columns]
    labels = ["", *map(str, frame.index)]
    left = max(map(len, labels), default=0)
    widths = [max(map(len, c)) for c in columns]
    rows = zip(labels, *columns)
    return "\n".join(
        " ".join([row[0].ljust(left), *(cell.rjust(w) for cell, w in zip(row[1:], widths))])
        for row in rows
    )


def html_table(frame: pd.DataFrame, digits: int, caption: str) -> str:
    head = "".join(f"<th>{escape(str(c))}</th>" for c in frame.columns)
    columns = [_cells(frame[c], digits) for c in frame.columns]
    body = "".join(
        f"<tr><th>{escape(str(label))}</th>"
        + "".join(f"<td>{escape(c[i])}</td>" for c in columns)
        + "</tr>"
        for i, label in enumerate(frame.index)
    )
    return (
        f"<table><caption>{escape(caption)}</caption><thead><tr><th></th>{head}</tr></thead>"
        f"<tbody>{body}</tbody></table>"
    )


def _cells(column: pd.Series, digits: int | None) -> list[str]:
    if not pd.api.types.is_numeric_dtype(column.dtype):
        return [str(v) for v in column]
    values = column.to_numpy(dtype=float)
    if digits is not None:
        values = np.round(values, digits)
    return [text.strip() for text in format_column([float(v) for v in values])]
