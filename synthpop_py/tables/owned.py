"""Frames and values that a result keeps: they stay as they are when the user's own are changed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from .narwhal import is_eager_frame, unwrapped, wrapped

# from version 3 on a change of one frame never shows in another that shares its memory
COPIES_ON_WRITE = int(pd.__version__.partition(".")[0]) >= 3


def owned(frame: pd.DataFrame) -> pd.DataFrame:
    """The frame as it is now, for keeps; later changes of the one given do not show in it.

    Where pandas copies on write, memory is shared until somebody changes something. Not that of
    categories, nullable numbers and the like: pandas hands their arrays out to be written to
    (``frame["sex"].values``). What is written to the memory of numbers behind the back of pandas,
    through ``.array`` or an array that a frame was made of with ``copy=False``, does show.

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
    """A frame of any library, or a table, for keeps; what cannot be changed in place, and what an
    engine has, is left as it is.
    """
    if isinstance(given, pd.DataFrame):
        return owned(given)
    if not is_eager_frame(given) or wrapped(given).implementation.is_pyarrow():
        return given
    return unwrapped(wrapped(given).clone(), given)


def owned_values(given: Any) -> Any:
    """Values in whatever form a user gave them, for keeps; what cannot be changed, or has a type of
    its own, is left as it is.
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
