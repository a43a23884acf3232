"""A synthesis made by `syn()` as R shows it: first records, methods, order and predictors; and a
summary of its columns.
"""

from __future__ import annotations

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
    sections: list[list[Block]] = [first_rows(sets, names)] if sets else []
    sections.append([_methods(meta)])
    sections.append([_named_values(visits, "Order of synthesis (visit_sequence)")])
    sections.append([Table(meta["predictor_matrix"], predictors)])
    if meta["notes"]:
        sections.append(["Notes (notes):", *(f"  {text}" for text in meta["notes"])])
    return sections


def summary(sets: Sequence[pd.DataFrame], meta: Mapping[str, Any]) -> Sections:
    """What R's summary says: methods, and each column in a few figures, means over the sets."""
    if not sets:
        return [[_methods(meta)]]
    described = {name: _described([frame[name] for frame in sets]) for name in sets[0].columns}
    lines = zip_longest(*described.values(), fillvalue="")
    frame = pd.DataFrame(lines, columns=list(described), dtype=object)
    caption = "Columns" if len(sets) == 1 else f"Columns, means over {len(sets)} sets"
    return [[_methods(meta)], [Table(frame, caption, labelled=False)]]


def _methods(meta: Mapping[str, Any]) -> Table:
    quoted = {name: f'"{method}"' for name, method in meta["method"].items()}
    return _named_values(quoted, "Methods (method)")


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
    values = column.astype(object).where(column.notna(), None).tolist()
    if is_bool_dtype(column.dtype):
        return ["NA" if value is None else str(value).upper() for value in values]
    if is_numeric_dtype(column.dtype):
        return format_column(values)
    return ["<NA>" if value is None else str(value) for value in values]


def _described(sets: Sequence[pd.Series]) -> list[str]:
    """One column in a few lines, each a name and a figure: means over the sets."""
    dtype = sets[0].dtype
    missing = float(np.mean([column.isna().sum() for column in sets]))
    gaps = {"NA's": missing} if missing else {}
    if is_bool_dtype(dtype):
        counts = _counts(sets, [False, True])
        counted = {str(level).upper(): n for level, n in counts.items() if n} | gaps
        figures = {"Mode": "logical"} | dict(zip(counted, _count_texts(counted)))
        return _lines({name: text.ljust(len("logical")) for name, text in figures.items()})
    if is_numeric_dtype(dtype):
        numbers = np.mean([_six_figures(column) for column in sets], axis=0)
        texts = format_padded(numbers.tolist(), SUMMARY_DIGITS)
        texts += [text.ljust(len(texts[0])) for text in _count_texts(gaps)]
        return _lines(dict(zip([*QUARTILES, *gaps], texts)))
    if not isinstance(dtype, pd.CategoricalDtype):
        length = str(len(sets[0])).ljust(len("character"))
        return _lines({"Length": length, "Class": "character", "Mode": "character"})
    counts = _counts(sets, dtype.categories.tolist())
    named = {str(level): n for level, n in counts.items()}
    most = LEVELS_IN_SUMMARY if missing else LEVELS_IN_SUMMARY + 1
    if len(named) > most:
        ranked = sorted(named, key=lambda level: -named[level])
        others = sum(named[level] for level in ranked[most - 1 :])
        named = {level: named[level] for level in ranked[: most - 1]} | {"(Other)": others}
    named |= gaps
    texts = _count_texts(named)
    width = max(map(len, texts), default=0)
    return _lines({level: text.rjust(width) for level, text in zip(named, texts)})


def _counts(sets: Sequence[pd.Series], levels: Sequence[Any]) -> dict[Any, float]:
    """Records of each level."""
    counts = [column.value_counts().reindex(levels, fill_value=0) for column in sets]
    return dict(zip(levels, np.mean(counts, axis=0).tolist()))


def _six_figures(column: pd.Series) -> list[float]:
    values = column.dropna().to_numpy(dtype=np.float64)
    if not len(values):
        return [np.nan] * len(QUARTILES)
    with np.errstate(invalid="ignore"):  # between infinite values the quantile is NaN
        quartiles = np.quantile(values, (0, 0.25, 0.5, 0.75, 1))
        return [*quartiles[:3], values.mean(), *quartiles[3:]]


def _count_texts(counts: Mapping[str, float]) -> list[str]:
    """Counts, which are means over sets, to one decimal if they need one."""
    return format_column([round(count, 1) for count in counts.values()], MOST_DIGITS)


def _lines(texts: Mapping[str, str]) -> list[str]:
    width = max(map(len, texts))
    return [f"{label.ljust(width)}:{text}" for label, text in texts.items()]
