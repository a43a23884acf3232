"""A synthesis made by `syn()` as R shows it: its call, first records, methods, order and
predictors; and a summary of its columns.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Mapping, Sequence
from itertools import zip_longest
from typing import Any

import numpy as np
import pandas as pd
from pandas.api.types import is_bool_dtype, is_numeric_dtype

from .r.text import format_column, format_padded
from .show.printing import Block, Sections, Table

FIRST_ROWS = 6
LEVELS_IN_SUMMARY = 6  # as R: what is left is counted together
SUMMARY_DIGITS = 4
MOST_DIGITS = 15
QUARTILES = ("Min.", "1st Qu.", "Median", "Mean", "3rd Qu.", "Max.")


def made(
    sets: Sequence[pd.DataFrame], meta: Mapping[str, Any], names: Sequence[Hashable]
) -> Sections:
    """First records with the named columns, methods, order and predictors."""
    positions = {name: place for place, name in enumerate(meta["method"], start=1)}
    visits = {name: positions[name] for name in meta["visit_sequence"]}
    predictors = "Predictors (predictor_matrix; 1 where the column predicts the row)"
    notes = ["Notes (notes):", *(f"  {text}" for text in meta["notes"])]
    return [
        *([first_rows(sets, names)] if sets else []),
        _methods(meta),
        [_named_values(visits, "Order of synthesis (visit_sequence)")],
        [Table(meta["predictor_matrix"], predictors)],
        *([notes] if meta["notes"] else []),
    ]


def summary(sets: Sequence[pd.DataFrame], meta: Mapping[str, Any]) -> Sections:
    """What R's summary of a synthesis says: methods, and each column in a few figures, which are
    means over the sets.
    """
    if not sets:
        return [_methods(meta)]
    described = {name: _described([frame[name] for frame in sets]) for name in sets[0].columns}
    lines = zip_longest(*described.values(), fillvalue="")
    frame = pd.DataFrame(lines, columns=list(described), dtype=object)
    caption = "Columns" if len(sets) == 1 else f"Columns, means over {len(sets)} sets"
    return [_methods(meta), [Table(frame, caption, labelled=False)]]


def without_seed(call: str) -> str:
    """A call of R with its seed left out."""
    return re.sub(r"\bseed\s*=\s*[^,()]+", "seed = ...", call)


def _methods(meta: Mapping[str, Any]) -> list[Block]:
    quoted = {name: f'"{method}"' for name, method in meta["method"].items()}
    return [_named_values(quoted, "Methods (method)")]


def _named_values(values: Mapping[Hashable, Any], caption: str) -> Table:
    """R's named vector: names above values, all equally wide."""
    frame = pd.DataFrame([list(values.values())], columns=list(values), dtype=object)
    return Table(frame, caption, labelled=False, even=True)


def first_rows(sets: Sequence[pd.DataFrame], names: Sequence[Hashable]) -> list[Block]:
    of_set = "" if len(sets) == 1 else " of the first set"
    records = sets[0].head(FIRST_ROWS)
    columns = {name: _texts(records[name]) for name in names}
    frame = pd.DataFrame(columns, index=range(1, len(records) + 1), dtype=object)
    return [Table(frame, f"First records{of_set} (syn)")] if columns else []


def _texts(column: pd.Series) -> list[str]:
    """Values as in R's print of a data frame."""
    values = [None if gap else value for value, gap in zip(column.tolist(), column.isna())]
    if is_bool_dtype(column.dtype):
        return ["NA" if value is None else str(bool(value)).upper() for value in values]
    if is_numeric_dtype(column.dtype):
        return format_column(values)
    return ["<NA>" if value is None else str(value) for value in values]


def _described(sets: Sequence[pd.Series]) -> list[str]:
    """One column in a few lines, each a name and a figure: means over the sets."""
    dtype = sets[0].dtype
    missing = float(np.mean([column.isna().sum() for column in sets]))
    gaps = {"NA's": missing} if missing else {}
    if is_bool_dtype(dtype):
        counted = {str(v).upper(): n for v, n in _counted(sets, [False, True]).items() if n}
        texts = ["logical", *_count_texts(counted | gaps)]
        return _lines(["Mode", *counted, *gaps], [text.ljust(len("logical")) for text in texts])
    if is_numeric_dtype(dtype):
        figures = np.mean([_six_figures(column) for column in sets], axis=0).tolist()
        texts = format_padded(figures, SUMMARY_DIGITS)
        texts += [text.ljust(len(texts[0])) for text in _count_texts(gaps)]
        return _lines([*QUARTILES, *gaps], texts)
    if not isinstance(dtype, pd.CategoricalDtype):
        length = str(len(sets[0])).ljust(len("character"))
        return _lines(["Length", "Class", "Mode"], [length, "character", "character"])
    named = {str(level): n for level, n in _counted(sets, dtype.categories.tolist()).items()}
    most = LEVELS_IN_SUMMARY if missing else LEVELS_IN_SUMMARY + 1
    if len(named) > most:
        frequent = sorted(named, key=lambda level: -named[level])[: most - 1]
        others = sum(named.values()) - sum(named[level] for level in frequent)
        named = {level: named[level] for level in frequent} | {"(Other)": others}
    texts = _count_texts(named | gaps)
    width = max(map(len, texts), default=0)
    return _lines([*named, *gaps], [text.rjust(width) for text in texts])


def _counted(sets: Sequence[pd.Series], levels: Sequence[Any]) -> dict[Any, float]:
    """Records of each level."""
    counts = [column.value_counts().reindex(levels, fill_value=0) for column in sets]
    return dict(zip(levels, np.mean(counts, axis=0).tolist()))


def _six_figures(column: pd.Series) -> list[float]:
    values = column.dropna().to_numpy(dtype=np.float64)
    if not len(values):
        return [np.nan] * len(QUARTILES)
    with np.errstate(invalid="ignore"):  # between infinite values the quantile is NaN
        low, first, median, third, high = np.quantile(values, (0, 0.25, 0.5, 0.75, 1)).tolist()
        return [low, first, median, float(values.mean()), third, high]


def _count_texts(counts: Mapping[str, float]) -> list[str]:
    """Counts, which are means over sets, to one decimal if they need one."""
    return format_column([round(count, 1) for count in counts.values()], MOST_DIGITS)


def _lines(labels: Sequence[str], texts: Sequence[str]) -> list[str]:
    width = max(map(len, labels))
    return [f"{label.ljust(width)}:{text}" for label, text in zip(labels, texts)]
