"""The releases on a map: what the user gave for each, as a list of data sets; whether their rows
are those of the original; records that they repeat.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from ..arguments import listed
from ..core.arrays import Integers
from ..core.coding import encode
from ..errors import InputError
from ..synds import SynDS
from ..tables.opening import (
    FRAMES,
    check_frame,
    is_frame,
    is_in_memory,
    is_path,
    is_table,
    number_of_records,
    open_table,
    refuse_other_frames,
)

HOW = "give a dictionary of names and releases, as in {'cart': synthesis, 'swapped': frame}"
MANY_VALUES = 10  # of a column that may be the only one that tells that rows are the original's
FEWEST_IN_BLOCK = 5  # records, on average, for which a file may be said to be sorted by a column


@dataclass(frozen=True, slots=True, eq=False)
class Runs:
    """Several runs of one way to make a release, of which only one would be released.

    On a map they show how much a release depends on chance: figures are means over the runs,
    intervals are for one more run. A list without `Runs` is taken as data sets that are released
    together: an intruder can compare them, and a user combines them. That matters for
    "expected_match_rate", "repU_any", "DiSCO_any", "IR" and "ci_overlap".

    Attributes
    ----------
    releases : the runs, each a DataFrame of pandas, polars or Arrow, a table of an engine, or an
        object whose ``.data`` is one.

    Examples
    --------
    >>> import pandas as pd
    >>> Runs([pd.DataFrame({"x": [1]}), pd.DataFrame({"x": [2]})])
    Runs(2 runs, one of which would be released)
    """

    releases: Sequence[Any]

    def __repr__(self) -> str:
        return f"Runs({len(self.releases)} runs, one of which would be released)"


@dataclass(frozen=True, slots=True, eq=False)
class Release:
    """One release.

    Attributes
    ----------
    name : the user's name for it.
    sets : its data sets, all with rows: pandas data frames, or tables whose records are in an
        engine.
    carriers : what each set came from: the frame itself, or an object whose `data` it is (an IFPR
        release, say).
    cont_na : special values that a SynDS brought.
    aligned : whether row i of each set is about the same person as row i of the original.
    same : columns that are the same in every row, where `aligned` was concluded from them; empty
        where the user said so.
    together : the sets are released together; otherwise they are runs, one of which would be.
    """

    name: str
    sets: tuple[Any, ...]
    carriers: tuple[Any, ...]
    cont_na: Mapping[Hashable, Sequence[Any]]
    aligned: bool
    same: Sequence[Hashable] = ()
    together: bool = True

    @property
    def m(self) -> int:
        return len(self.sets)

    @property
    def places(self) -> list[str]:
        """What error messages call its data sets."""
        whole = f"candidate {self.name!r}"
        if self.m == 1:
            return [whole]
        return [f"{whole}, data set {number}" for number in range(1, self.m + 1)]

    def lacks(self, columns: Sequence[Hashable]) -> list[Hashable]:
        """Columns that some data set of it does not have."""
        return [name for name in columns if any(name not in one.columns for one in self.sets)]


def read_releases(synthetic: Any, original: Any, aligned: Any) -> list[Release]:
    """All releases; `aligned` is what the user said about their rows."""
    if not isinstance(synthetic, Mapping):
        raise InputError(f"synthetic: {type(synthetic).__name__} cannot be used; {HOW}")
    if not synthetic:
        raise InputError(f"synthetic: is empty; {HOW}")
    for name in synthetic:
        if not isinstance(name, str) or not name.strip():
            raise InputError(
                f"synthetic: {name!r} is not a name; give each release a text as its name"
            )
    said: dict[str, bool] = {}
    if isinstance(aligned, bool):
        said = dict.fromkeys(synthetic, aligned)
    elif aligned is not None:
        for name in listed(aligned):
            if name not in synthetic:
                raise InputError(
                    f"aligned: {name!r} is not one of the candidates; choices:"
                    f" {', '.join(synthetic)}; True for all, False for none"
                )
        said = {name: name in listed(aligned) for name in synthetic}
    return [_release(name, given, original, said.get(name)) for name, given in synthetic.items()]


def _release(name: str, given: Any, original: Any, said: bool | None) -> Release:
    together = not isinstance(given, Runs)
    held = given if together else given.releases
    carriers: list[Any] = []
    brought: dict[Hashable, list[Any]] = {}
    for part in held if isinstance(held, (list, tuple)) else [held]:
        if not isinstance(part, SynDS):
            carriers.append(part)
            continue
        if part.m > 1 and not together:
            raise InputError(
                f"synthetic: {name!r} holds runs of {part.m} data sets each, which the map "
                "cannot average; give each run as a separate candidate"
            )
        carriers.extend(part.syn)
        for column, values in part.cont_na.items():
            brought.setdefault(column, []).extend(values)
    if not carriers:
        raise InputError(f"synthetic: {name!r} is empty; give at least one data set")
    sets = tuple(_data_set(name, carrier) for carrier in carriers)
    if not all(map(number_of_records, sets)):
        raise InputError(f"synthetic: {name!r} has no rows, so there is nothing to compare")
    in_memory = all(map(is_in_memory, (original, *sets)))
    if said and not in_memory:
        raise InputError(
            f"aligned: records of {name!r} or of the original data are in an engine, where they"
            " have no order; collect them, or leave this release out of aligned"
        )
    if said and any(len(frame) != len(original) for frame in sets):
        raise InputError(
            f"aligned: {name!r} has another number of records than the original data"
            f" ({len(original)}), so its rows cannot be those of the original"
        )
    same: list[Hashable] = []
    # what the user says needs no evidence from columns
    if said is None and in_memory:
        first, *others = [telling_columns(frame, original) for frame in sets]
        said = bool(first) and all(others)
        same = [column for column in first if all(column in names for names in others)]
    return Release(
        name=name,
        sets=sets,
        carriers=tuple(carriers),
        cont_na=brought,
        aligned=bool(said),
        same=same if said else [],
        together=together,
    )


def _data_set(name: str, carrier: Any) -> Any:
    """A pandas data frame, or a table where records are in an engine."""
    if is_path(carrier):
        return open_table(carrier, f"synthetic, {name!r}")
    is_data = is_frame(carrier) or is_table(carrier)
    data = carrier if is_data else getattr(carrier, "data", None)
    if is_table(data):
        return data
    place = f"candidate {name!r}"
    if is_frame(data):
        return check_frame(data, place) if is_in_memory(data) else open_table(data, place)
    refuse_other_frames(carrier, f"synthetic, {name!r}")
    raise InputError(
        f"synthetic: {name!r} is a {type(carrier).__name__}, which holds no data; give {FRAMES}, a"
        " table of an engine, a SynDS, an object whose .data is a DataFrame, a list of these, or"
        " Runs of them"
    )


# ---- rows that are those of the original ---------------------------------------------


def telling_columns(frame: pd.DataFrame, original: pd.DataFrame) -> list[Hashable]:
    """Columns that are the same in every row, which only alignment explains; empty if they are too
    few to say so.

    A synthesis made area by area has the same areas in the same rows, and still no row belongs to
    the same person. So columns by which the file is sorted, one within the other, do not count, and
    neither does a single column of few values.

    Examples
    --------
    Sorted by age; sex and job are also the same in every row, in another order.

    >>> people = pd.DataFrame({"age": [20, 30, 40, 50], "sex": list("fmfm")})
    >>> people = people.assign(job=list("xyyx"), town=list("ABAB"))
    >>> telling_columns(people.assign(town="A"), people)
    ['sex', 'job']
    >>> telling_columns(people.assign(town="A", sex="f", job="x"), people)
    []
    """
    if len(frame) != len(original) or not frame.index.equals(original.index):
        return []
    codes = {}
    for name in frame.columns:
        if name not in original.columns or not frame[name].equals(original[name]):
            continue
        try:
            values, _ = pd.factorize(original[name], use_na_sentinel=False)
        except TypeError:  # values that cannot be compared say nothing
            continue
        if values.max(initial=0) > 0:
            codes[name] = values
    sorted_by = _sorted_by(codes)
    telling = {}
    for name, values in codes.items():
        if name not in sorted_by and not _runs_one_way(original[name]):
            telling[name] = int(values.max()) + 1
    many = min(MANY_VALUES, len(original) / 2)
    return list(telling) if len(telling) > 1 or max(telling.values(), default=0) >= many else []


def _sorted_by(codes: Mapping[Hashable, Integers]) -> list[Hashable]:
    """Columns whose equal values lie together in the file, or in every block of the columns that
    it is sorted by before; blocks must not be too small to say so.
    """
    sorted_by: list[Hashable] = []
    blocks: Any = 0
    again = True
    while again:
        again = False
        for name, values in codes.items():
            if name in sorted_by:
                continue
            combined = blocks * (values.max() + 1) + values
            distinct, joint = np.unique(combined, return_inverse=True)
            changes = np.count_nonzero(joint[1:] != joint[:-1])
            if len(distinct) * FEWEST_IN_BLOCK <= len(joint) and changes + 1 == len(distinct):
                sorted_by.append(name)
                blocks, again = joint, True
    return sorted_by


def _runs_one_way(column: pd.Series) -> bool:
    """Whether the values only rise, or only fall, along the file."""
    present = column.dropna()
    try:
        return bool(present.is_monotonic_increasing or present.is_monotonic_decreasing)
    except TypeError:
        return False


# ---- repeated records ----------------------------------------------------------------


def repeats_in(table: Any, columns: Sequence[Hashable]) -> tuple[int, float]:
    """How often every record of a frame, or a table of an engine, occurs at least as a multiple (1
    unless the whole file is repeated), and the share of records that occur more than once.

    A record that occurs twice is not unique, so repetition hides risk from repU that everyone can
    still see.

    >>> people = pd.DataFrame({"sex": ["f", "m", "f"], "age": [30, 40, 50]})
    >>> repeats_in(pd.concat([people, people]), ["sex", "age"]), repeats_in(people, ["sex"])
    ((2, 1.0), (1, 0.6666666666666666))
    """
    names, records = list(columns), None
    if isinstance(table, pd.DataFrame):
        frame = table[names]
    else:
        counted = table.count_by(names)
        records = counted.n
        codes = [encode(str(name), [counted.columns[name]]).codes[0] for name in names]
        frame = pd.DataFrame(dict(enumerate(codes)))
    try:
        hashes = pd.util.hash_pandas_object(frame, index=False).to_numpy()
    except TypeError:  # values without a hash, such as lists
        return 1, 0.0
    if records is None:
        _, n = np.unique(hashes, return_counts=True)
    else:
        n = pd.Series(records).groupby(hashes).sum().to_numpy()
    return int(np.gcd.reduce(n)), float(n[n > 1].sum() / n.sum())
