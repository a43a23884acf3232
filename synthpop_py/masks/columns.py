"""Which columns a mask can work on."""

from __future__ import annotations

from typing import Any

from pandas.api import types


def is_numeric(dtype: Any) -> bool:
    """Whether a column holds real numbers: neither truth values nor complex numbers."""
    if types.is_bool_dtype(dtype) or types.is_complex_dtype(dtype):
        return False
    return bool(types.is_numeric_dtype(dtype))
