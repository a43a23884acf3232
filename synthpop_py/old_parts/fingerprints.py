"""Which data a result is about, for results of functions that look at records one by one."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

from ..core.fingerprint import Fingerprints, fingerprints_of
from ..errors import InputError
from ..tables.opening import open_table


def frame_fingerprints(
    original: Any, sets: Sequence[Any], names: Sequence[Hashable]
) -> Fingerprints | None:
    """Fingerprints of these columns of the original and of each data set; None if a column holds
    values that cannot be compared, or too many values.

    Examples
    --------
    >>> import pandas as pd
    >>> people = pd.DataFrame({"sex": ["f", "m", "m"], "age": [20, 30, 40]})
    >>> shuffled = people.iloc[::-1]
    >>> found = frame_fingerprints(people, [shuffled, people.assign(age=9)], ["sex", "age"])
    >>> found.columns, [one == found.original for one in found.synthetic]
    (('age', 'sex'), [True, False])
    """
    opened = [open_table(frame, "data") for frame in (original, *sets)]
    try:
        counted = [table.count_by(names) for table in opened]
    except InputError:
        return None
    columns = {name: [rows.columns[name] for rows in counted] for name in names}
    return fingerprints_of(
        columns,
        [rows.n for rows in counted],
        [table.records for table in opened],
    )
