"""The releases on a map: what the user gave for each, as a list of data sets, and whether their
rows are those of the original.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from ..arguments import listed
from ..errors import InputError
from ..synds import SynDS
from ..tables.opening import (
    check_frame,
    is_frame,
    is_in_memory,
    is_path,
    is_table,
    number_of_records,
    open_table,
)

MANY_VALUES = 10  # of a column that may be the only one that tells that rows are the original's
FEWEST_IN_BLOCK = 5  # records, on average, for which a file may be said to be sorted by a column


class Runs:
    """Several runs of one way to make a release, of which only one would be released.

    On a map they show how much a release depends on chance: figures are means over the runs,
    intervals are for one more run. A list without `Runs` is taken as data sets that are released
    together: an intruder can compare them, and a user combines them. That matters for
    "expected_match_rate", "repU_any", "DiSCO_any", "IR" and "ci_overlap".

    Parameters
    ----------
    releases : the runs, each a DataFrame of pandas, polars or Arrow, a table of an engine, or an
        object whose ``.data`` is one.

    Examples
    --------
    >>> import pandas as pd
    >>> Runs([pd.DataFrame({"x": [1]}), pd.DataFrame({"x": [2]})])
    Runs(2 runs, one of which would be released)
    """

    def __init__(self, releases: Sequence[Any]) -> None:
        self.releases = releases

    def __repr__(self) -> str:
        return f"Runs({len(self.releases)} runs, one of which would be released)"


class Release:
    """One release.

    Attributes
    ----------
    carriers : what each data set came from: the frame itself, or an object whose `data` it is.
    sets : its data sets: pandas data frames, or tables whose records are in an engine.
    cont_na : special values that a SynDS brought.
    together : the sets are released together; otherwise they are runs, one of which would be.
    aligned : whether row i of each set is about the same person as row i of the original.
    same : the columns that `aligned` was concluded from; empty where the user said so.
    """

    def __init__(self, name: str, given: Any, original: Any, said: bool | None = None) -> None:
        self.name = name
        self.together = not isinstance(given, Runs)
        self.carriers: list[Any] = []
        self.cont_na: dict[Hashable, list[Any]] = {}
        held = given if self.together else given.releases
        for part in held if isinstance(held, (list, tuple)) else [held]:
            self._add(part)
        if not self.carriers:
            raise InputError(f"synthetic: {name!r} is empty; give at least one data set")
        self.sets = [_data_set(name, carrier) for carrier in self.carriers]
        self.rows = tuple(map(number_of_records, self.sets))
        if not all(self.rows):
            raise InputError(f"synthetic: {name!r} has no rows, so there is nothing to compare")
        self.m = len(self.sets)
        self.places = [f"candidate {name!r}, data set {i}" for i in range(1, self.m + 1)]
        if self.m == 1:
            self.places = [f"candidate {name!r}"]
        self.same: list[Hashable] = []
        in_memory = all(map(is_in_memory, (original, *self.sets)))
        if said is None and in_memory:
            first, *others = [telling_columns(frame, original) for frame in self.sets]
            said = bool(first) and all(others)
            common = set(first).intersection(*others)
            self.same = [column for column in first if said and column in common]
        self.aligned = bool(said)
        if self.aligned and not (in_memory and set(self.rows) == {len(original)}):
            raise InputError(
                f"aligned: records of {name!r} are not those of the original, row by row: there are"
                " more or fewer of them, or some of the data are in an engine"
            )

    def _add(self, part: Any) -> None:
        if not isinstance(part, SynDS):
            self.carriers.append(part)
            return
        if part.m > 1 and not self.together:
            raise InputError(
                f"synthetic: {self.name!r} holds runs of {part.m} data sets each, which the map "
                "cannot average; give each run as a separate candidate"
            )
        self.carriers += part.syn
        for column, values in part.cont_na.items():
            self.cont_na.setdefault(column, []).extend(values)


def read_releases(synthetic: Any, original: Any, aligned: Any) -> list[Release]:
    """All releases; `aligned` is what the user said about their rows."""
    if not isinstance(synthetic, Mapping) or not synthetic:
        raise InputError(
            f"synthetic: {type(synthetic).__name__} cannot be used; give a dictionary of names and"
            " releases, not empty, as in {'cart': synthesis, 'swapped': frame}"
        )
    for name in synthetic:
        if not isinstance(name, str) or not name.strip():
            raise InputError(
                f"synthetic: {name!r} is not a name; give each release a text as its name"
            )
    if aligned is None or isinstance(aligned, bool):
        said = dict.fromkeys(synthetic, aligned)
    else:
        wanted = listed(aligned)
        said = {name: name in wanted for name in synthetic}
        for name in wanted:
            if name not in synthetic:
                raise InputError(
                    f"aligned: {name!r} is not one of the candidates; choices:"
                    f" {', '.join(synthetic)}; True for all, False for none"
                )
    return [Release(name, given, original, said[name]) for name, given in synthetic.items()]


def _data_set(name: str, carrier: Any) -> Any:
    """A pandas data frame, or a table where records are in an engine."""
    data = carrier
    if not (is_frame(carrier) or is_table(carrier) or is_path(carrier)):
        data = getattr(carrier, "data", carrier)
    place = f"candidate {name!r}"
    return check_frame(data, place) if is_in_memory(data) else open_table(data, place)


def telling_columns(frame: pd.DataFrame, original: pd.DataFrame) -> list[Hashable]:
    """Columns that are the same in every row, which only alignment explains; empty if they are too
    few to say so.

    A synthesis made area by area has the same areas in the same rows, and still no row belongs to
    the same person. So columns by which the file is sorted, one within the other, do not count, and
    neither does a single column of few values.
    """
    if not frame.index.equals(original.index):
        return []
    telling, most = [], 0
    blocks: Any = np.zeros(len(frame), dtype=np.int64)
    for name in frame.columns:
        if name not in original.columns or not frame[name].equals(original[name]):
            continue
        try:
            values, levels = pd.factorize(original[name], sort=True, use_na_sentinel=False)
        except TypeError:  # values that cannot be compared say nothing
            continue
        steps = np.diff(values)
        runs_one_way = (steps >= 0).all() or (steps <= 0).all()
        if not runs_one_way:
            telling.append(name)
            most = max(most, len(levels))
        if not runs_one_way or _are_large(levels, frame):
            # numbered in the order of the file
            blocks, levels = pd.factorize(blocks * len(levels) + values)
    if _are_large(np.unique(blocks), frame) and (np.diff(blocks) >= 0).all():
        return []  # equal values of all these columns lie together
    if len(telling) < 2 and most < min(MANY_VALUES, len(frame) / 2):
        return []
    return telling


def _are_large(blocks: Any, frame: pd.DataFrame) -> bool:
    """Whether a file can be said to be sorted by so many values."""
    return len(blocks) * FEWEST_IN_BLOCK <= len(frame)
