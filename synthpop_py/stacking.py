"""The sets of a synthesis as one frame, for results that must agree in all sets, and back."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from pandas.api.types import is_numeric_dtype

from .synds import SynDS
from .tables.frames import give_back
from .tables.opening import check_frame, synthetic_sets


def one_frame(given: Any, argument: str) -> pd.DataFrame:
    """A frame in pandas; of a SynDS all records, set after set, where a categorical column has the
    categories of all sets.

    >>> sets = SynDS([pd.DataFrame({"x": [1, 2]}), pd.DataFrame({"x": [3]})])
    >>> [part["x"].tolist() for part in parted(one_frame(sets, "data") * 10, sets)]
    [[10, 20], [30]]
    """
    if not isinstance(given, SynDS):
        return check_frame(given, argument)
    sets = synthetic_sets("synthetic data", given)
    columns = {name: _one_column([frame[name] for frame in sets]) for name in sets[0].columns}
    return pd.DataFrame(columns, index=pd.RangeIndex(sum(map(len, sets))))


def parted(frame: pd.DataFrame, synthesis: SynDS) -> list[pd.DataFrame]:
    """A frame of all records as one for each set, with the rows' own labels."""
    sets = synthetic_sets("synthetic data", synthesis)
    ends = np.cumsum(list(map(len, sets)))
    parts = [frame.iloc[end - len(one) : end] for one, end in zip(sets, ends)]
    return [part.set_axis(one.index, axis=0) for part, one in zip(parts, sets)]


def as_given(frame: pd.DataFrame, given: Any, *, refit: bool = True) -> Any:
    """A frame of all records in the form they were given in. Special values of columns that are no
    longer there, or no longer numbers, are left out.
    """
    if not isinstance(given, SynDS):
        return give_back(frame, given, refit=refit)
    numbers = [name for name in frame.columns if is_numeric_dtype(frame[name].dtype)]
    special = {name: values for name, values in given.cont_na.items() if name in numbers}
    parts = zip(parted(frame, given), given.syn)
    return SynDS([give_back(*part, refit=refit) for part in parts], special, given.meta)


def _one_column(parts: list[pd.Series]) -> pd.Series:
    if not all(isinstance(part.dtype, pd.CategoricalDtype) for part in parts):
        return pd.concat(parts, ignore_index=True)
    alike = len({tuple(part.cat.categories) for part in parts}) == 1
    ordered = alike and all(part.cat.ordered for part in parts)
    categories = parts[0].cat.categories  # as they are: pandas would guess the type of a list again
    for part in parts[1:]:
        own = part.cat.categories
        categories = categories.append(own[~own.isin(categories)])
    joined = [part.cat.set_categories(categories, ordered=ordered) for part in parts]
    return pd.concat(joined, ignore_index=True)
