"""The sets of a synthesis as one frame, for results that must agree in all sets, and back."""

from __future__ import annotations

from dataclasses import dataclass

import pandas as pd

from ..synds import SynDS
from ..tables.frames import give_back_sets
from ..tables.opening import synthetic_sets


@dataclass(frozen=True, slots=True)
class Stacked:
    """All records of a synthesis, set after set.

    Examples
    --------
    >>> sets = SynDS([pd.DataFrame({"x": [1, 2]}), pd.DataFrame({"x": [3]})])
    >>> stacked = Stacked(sets)
    >>> stacked.frame()["x"].tolist()
    [1, 2, 3]
    >>> [part["x"].tolist() for part in stacked.parted(stacked.frame() * 10)]
    [[10, 20], [30]]
    """

    synthesis: SynDS

    @property
    def sets(self) -> list[pd.DataFrame]:
        return synthetic_sets("synthetic data", self.synthesis)

    def frame(self) -> pd.DataFrame:
        sets = self.sets
        columns = {}
        for name in sets[0].columns:
            columns[name] = _one_column([frame[name] for frame in sets])
        records = sum(map(len, sets))
        return pd.DataFrame(columns, index=pd.RangeIndex(records))

    def parted(self, frame: pd.DataFrame) -> list[pd.DataFrame]:
        """A frame of the same records as one pandas frame per set, with the rows' own labels."""
        parts = []
        begin = 0
        for single in self.sets:
            end = begin + len(single)
            parts.append(frame.iloc[begin:end].set_axis(single.index, axis=0))
            begin = end
        return parts

    def synds(self, frame: pd.DataFrame, *, refit: bool = True) -> SynDS:
        """The same as a synthesis, each set of the kind it was; special values of columns that are
        no longer there, or no longer numbers, are left out.
        """
        special = {}
        for name, values in self.synthesis.cont_na.items():
            if name in frame.columns and pd.api.types.is_numeric_dtype(frame[name].dtype):
                special[name] = values
        sets = give_back_sets(self.parted(frame), self.synthesis.syn, refit=refit)
        return SynDS(sets, special, self.synthesis.meta)


def _one_column(parts: list[pd.Series]) -> pd.Series:
    """A column of all sets; a factor has the categories of all of them."""
    if all(isinstance(part.dtype, pd.CategoricalDtype) for part in parts):
        categories = _all_categories(parts)
        ordered = _all_ordered_alike(parts)
        parts = [part.cat.set_categories(categories, ordered=ordered) for part in parts]
    return pd.concat(parts, ignore_index=True)


def _all_categories(parts: list[pd.Series]) -> pd.Index:
    """Categories of all parts, in the order of first occurrence."""
    # joined as they are: pandas would guess the type of a list again
    categories = parts[0].cat.categories
    for part in parts[1:]:
        known = part.cat.categories.isin(categories)
        categories = categories.append(part.cat.categories[~known])
    return categories


def _all_ordered_alike(parts: list[pd.Series]) -> bool:
    orders = {tuple(part.cat.categories) for part in parts}
    return len(orders) == 1 and all(part.cat.ordered for part in parts)
