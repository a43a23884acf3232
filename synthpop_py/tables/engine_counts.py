"""Columns of counts in an engine: sums of groups would hide a negative number, a fraction or a
missing one, and some engines wrap around beyond 64 bits. So the column is checked first.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ..errors import InputError
from .narwhal import Frame

if TYPE_CHECKING:
    import pyarrow as pa

LARGEST_TOTAL = 2**63 - 1


def whole_number(frame: Frame, name: str) -> Any:
    """The expression for a column of counts that has passed `check_counts`."""
    import narwhals.stable.v2 as nw

    number = nw.col(name)
    return number if frame.collect_schema()[name] == nw.Int64 else number.cast(nw.Int64)


def check_counts(
    frame: Frame, name: str, what: str, collected: Callable[[Frame], pa.Table]
) -> None:
    """Raise an error for a column that cannot be a column of counts; `what` names it."""
    import narwhals.stable.v2 as nw

    dtype = frame.collect_schema()[name]
    if not dtype.is_numeric():
        raise InputError(f"{what} must hold whole numbers of 0 or more, none missing")
    number = nw.col(name)
    looks = {
        "missing": number.is_null().cast(nw.Int64).sum(),
        "lowest": number.min(),
        "about": number.cast(nw.Float64).sum(),
    }
    if not dtype.is_integer():
        looks["fractions"] = (number.floor() != number).cast(nw.Int64).sum()
    seen = collected(frame.select(*[look.alias(name) for name, look in looks.items()]))
    found = {name: value or 0 for name, value in seen.to_pylist()[0].items()}
    about = float(found["about"])
    if found["missing"] or math.isnan(about):
        raise InputError(f"{what} must hold whole numbers of 0 or more, none missing")
    if found.get("fractions") or found["lowest"] < 0:
        raise InputError(f"{what} must hold whole numbers of 0 or more")
    # the sum of doubles is off by less than this; what is near the limit is summed exactly later
    if about > LARGEST_TOTAL * (1 + 1e-6):
        raise too_many(what)


def too_many(what: str) -> InputError:
    """The error for more records than 64 bits count."""
    return InputError(f"{what} adds up to more than 64 bits hold")
