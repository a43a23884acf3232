"""Frames and values that a result keeps: they stay the same when the user changes their own."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from .narwhal import is_eager_frame, unwrapped, wrapped

# from version 3 on a change of one frame never shows in another that shares its memory
COPIES_ON_WRITE = int(pd.__version__.partition(".")[0]) >= 3


def owned(frame: pd.DataFrame) -> pd.DataFrame:
    """The frame as it is now; later changes to the given frame do not affect it.

    If pandas copies on write, memory is shared until something changes. Categories, nullable
    numbers and similar columns are copied, because pandas gives out their arrays for writing
    (``frame["sex"].values``). Writing to the memory of numbers without pandas noticing, through
    ``.array`` or an array that a frame was made from with ``copy=False``, does show.

    Examples
    --------
    >>> people = pd.DataFrame({"age": [31, 45], "sex": pd.Categorical(["f", "m"])})
    >>> kept = owned(people)
    >>> people.loc[0, "age"] = 99
    >>> people["sex"].values[0] = "m"
    >>> kept.to_numpy().tolist()
    [[31, 'f'], [45, 'm']]
    """
    if not COPIES_ON_WRITE:
        kept = frame.copy()
        kept.index = frame.index.copy(deep=True)  # its values could be written to as well
        return kept
    kept = frame.copy(deep=False)
    for at, dtype in enumerate(frame.dtypes):
        if pd.api.types.is_extension_array_dtype(dtype):
            kept.isetitem(at, frame.iloc[:, at].copy())
    return kept


def kept_frame(given: Any) -> Any:
    """A frame of any library, or a table, safe from later changes; what cannot be changed in place,
    and tables of an engine, stay as they are.
    """
    if isinstance(given, pd.DataFrame):
        return owned(given)
    if not is_eager_frame(given) or wrapped(given).implementation.is_pyarrow():
        return given
    return unwrapped(wrapped(given).clone(), given)


def owned_values(given: Any) -> Any:
    """Values in any form a user gave them, safe from later changes; values that cannot be changed,
    or have an unknown type, stay as they are.
    """
    if isinstance(given, pd.DataFrame) or is_eager_frame(given):
        return kept_frame(given)
    if isinstance(given, Mapping):
        return {name: owned_values(values) for name, values in given.items()}
    if isinstance(given, (list, tuple)):
        return type(given)(map(owned_values, given)) if type(given) in (list, tuple) else given
    if isinstance(given, (np.ndarray, pd.Series, pd.Index)):
        return given.copy()
    return given
