"""The sets of a synthesis as one frame, for what must come out alike in all of them, and back."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from ..synds import SynDS


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

    def frame(self) -> pd.DataFrame:
        sets = self.synthesis.syn
        columns = {name: _one_column([frame[name] for frame in sets]) for name in sets[0].columns}
        return pd.DataFrame(columns, index=pd.RangeIndex(sum(map(len, sets))))

    def parted(self, frame: pd.DataFrame) -> list[pd.DataFrame]:
        """A frame of the same records as one frame per set, with the rows' own labels."""
        ends = np.cumsum([len(own) for own in self.synthesis.syn])
        return [
            frame.iloc[end - len(own) : end].set_axis(own.index, axis=0)
            for own, end in zip(self.synthesis.syn, ends)
        ]

    def synds(self, frame: pd.DataFrame) -> SynDS:
        """The same as a synthesis; special values of columns that are no longer there, or no longer
        numbers, are left out.
        """
        special = {
            name: values
            for name, values in self.synthesis.cont_na.items()
            if name in frame.columns and pd.api.types.is_numeric_dtype(frame[name].dtype)
        }
        return SynDS(self.parted(frame), special, self.synthesis.meta)


def _one_column(parts: list[pd.Series]) -> pd.Series:
    """Categories of all parts, in the order in which they come up."""
    if all(isinstance(part.dtype, pd.CategoricalDtype) for part in parts):
        categories = parts[
            0
        ].cat.categories  # joined as they are: a list would have its type guessed anew
        for part in parts[1:]:
            categories = categories.append(
                part.cat.categories[~part.cat.categories.isin(categories)]
            )
        ordered = (
            all(part.cat.ordered for part in parts)
            and len({tuple(part.cat.categories) for part in parts}) == 1
        )
        parts = [part.cat.set_categories(categories, ordered=ordered) for part in parts]
    return pd.concat(parts, ignore_index=True)
