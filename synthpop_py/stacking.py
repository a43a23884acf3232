"""The sets of a synthesis as one frame, for results that must agree in all sets, and back."""

from __future__ import annotations

from typing import Any

import pandas as pd

from .synds import SynDS
from .tables.frames import give_back
from .tables.opening import synthetic_sets


def stacked(synthesis: SynDS) -> pd.DataFrame:
    """All records, set after set; a categorical column has the categories of all sets.

    Examples
    --------
    >>> sets = SynDS([pd.DataFrame({"x": [1, 2]}), pd.DataFrame({"x": [3]})])
    >>> stacked(sets)["x"].tolist()
    [1, 2, 3]
    >>> [part["x"].tolist() for part in parted(stacked(sets) * 10, sets)]
    [[10, 20], [30]]
    """
    sets = synthetic_sets("synthetic data", synthesis)
    columns = {name: _one_column([frame[name] for frame in sets]) for name in sets[0].columns}
    return pd.DataFrame(columns, index=pd.RangeIndex(sum(map(len, sets))))


def parted(frame: pd.DataFrame, synthesis: SynDS) -> list[pd.DataFrame]:
    """A frame of all records as one for each set, with the rows' own labels."""
    parts, begin = [], 0
    for one in synthetic_sets("synthetic data", synthesis):
        part = frame.iloc[begin : begin + len(one)]
        parts.append(part.set_axis(one.index, axis=0))
        begin += len(one)
    return parts


def restored(frame: pd.DataFrame, synthesis: SynDS, *, refit: bool = True) -> SynDS:
    """A frame of all records as a synthesis, each set of the kind it was; special values of columns
    that are no longer there, or no longer numbers, are left out.
    """
    special: dict[Any, tuple[Any, ...]] = {}
    for name, values in synthesis.cont_na.items():
        if name in frame.columns and pd.api.types.is_numeric_dtype(frame[name].dtype):
            special[name] = values
    parts = zip(parted(frame, synthesis), synthesis.syn)
    sets = [give_back(part, like, refit=refit) for part, like in parts]
    return SynDS(sets, special, synthesis.meta)


def _one_column(parts: list[pd.Series]) -> pd.Series:
    if all(isinstance(part.dtype, pd.CategoricalDtype) for part in parts):
        # joined as they are: pandas would guess the type of a list again
        categories = parts[0].cat.categories
        for part in parts[1:]:
            new = part.cat.categories[~part.cat.categories.isin(categories)]
            categories = categories.append(new)
        alike = len({tuple(part.cat.categories) for part in parts}) == 1
        ordered = alike and all(part.cat.ordered for part in parts)
        parts = [part.cat.set_categories(categories, ordered=ordered) for part in parts]
    return pd.concat(parts, ignore_index=True)
