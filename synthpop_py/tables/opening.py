"""From what a user has to tables, or to data frames if single records are needed: the forms of
released data, paths, frames of every library, and pandas data frames, one record per row or with a
column of counts.

Columns of a frame are read when first needed and kept as arrays, so later changes to the user's
frame do not matter. The frame itself is passed on row by row: grouping it would take longer than
everything that follows.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any, TypeGuard

import numpy as np
import pandas as pd

from ..core.arrays import Flags, Integers
from ..core.columns import Column
from ..errors import InputError, unknown_name
from .csv_files import CsvTable, frames_together
from .engine import LARGEST_TOTAL, EngineTable
from .engine_checks import too_many
from .files import origin_of
from .frames import (
    in_arrow_types,
    in_pandas,
    is_eager_frame,
    is_foreign_frame,
    is_lazy,
    looks_like_frame,
    not_collected,
    wrapped,
)
from .paths import OF_TEXT, Location, is_path, located, names_a_file
from .protocol import Counted, Opened, Origin, Table
from .reading import read_column, with_level_columns

# by the name of a method
WAYS_TO_PANDAS = {
    "to_pandas": ".to_pandas()",
    "toPandas": ".toPandas()",
    "collect": ".collect().to_pandas()",
}
SAFE_TOTAL = 2.0**62  # sums of doubles below are certain to fit, however they were rounded
COUNTED = "counts: {} already counts its records; leave counts out"
FRAMES = "a DataFrame of pandas, polars or Arrow"


def is_table(thing: Any) -> TypeGuard[Table]:
    """Whether it answers as a table; only one name is checked, because calls ask this often."""
    # frames and relations look for unknown names among their columns, and one may be there
    return hasattr(type(thing), "count_by")


def is_frame(given: Any) -> bool:
    """Whether it is a data frame of a library that is known here, eager or not."""
    return isinstance(given, pd.DataFrame) or is_foreign_frame(given)


def listed_sets(argument: str, object: Any) -> list[Any]:
    """Synthetic data in any form a user may have, as a list; its elements are not checked."""
    from ..synds import SynDS  # which checks its own arguments with this module

    if isinstance(object, SynDS):
        check_sets(argument, object.syn)
        return list(object.syn)
    if isinstance(object, pd.DataFrame) or is_table(object) or is_path(object):
        return [object]
    if isinstance(object, Mapping):
        object = list(object.values())
    if isinstance(object, (list, tuple)) and object:
        return list(object)
    if is_foreign_frame(object):
        return [object]
    refuse_other_frames(object, argument)
    raise InputError(
        f"{argument}: {type(object).__name__} cannot be used; give a SynDS, {FRAMES}, a table of an"
        " engine, the path of a file, or a non-empty list of these"
    )


def check_sets(argument: str, sets: Sequence[Any]) -> None:
    """Raise an error for the result of `syn(m=0)`."""
    if not sets:
        raise InputError(
            f"{argument}: holds no synthetic data set, because syn() was called with m=0; call it"
            " with m=1 or more"
        )


def set_places(argument: str, sets: int) -> list[str]:
    """The names in messages of the synthetic data sets given as one argument."""
    if sets == 1:
        return [argument]
    return [f"{argument}, element {number}" for number in range(1, sets + 1)]


def synthetic_sets(argument: str, object: Any) -> list[pd.DataFrame]:
    """Synthetic data in any of the forms a user may have, as a list of pandas data frames, for
    methods that need single records.
    """
    sets = listed_sets(argument, object)
    places = set_places(argument, len(sets))
    return [check_frame(frame, place) for frame, place in zip(sets, places)]


def nested_sets(argument: str, object: Any) -> list[list[pd.DataFrame]]:
    """Synthetic data as the nests they were made in: one set each, unless a SynDS says otherwise
    (``meta["nest"]``, a number for each set).
    """
    sets = synthetic_sets(argument, object)
    meta = getattr(object, "meta", {})
    nest_of_set = list(meta.get("nest", range(len(sets))))
    if len(nest_of_set) != len(sets):
        raise InputError(
            f"{argument}: its meta gives the nests of {len(nest_of_set)} sets, it holds"
            f" {len(sets)}; give lists of sets, one per nest, or a SynDS without 'nest' in its meta"
        )
    nests: dict[Any, list[pd.DataFrame]] = {}
    for frame, nest in zip(sets, nest_of_set):
        nests.setdefault(nest, []).append(frame)
    return list(nests.values())


def check_original(given: Any, argument: str) -> pd.DataFrame:
    """The original data; an error that gives the order of arguments if they are released data."""
    refuse_released(given, argument)
    return check_frame(given, argument)


def refuse_released(given: Any, argument: str) -> None:
    """Raise an error for a synthesis, or a list or dictionary of releases."""
    if _is_released(given):
        raise out_of_order(given, argument)


def out_of_order(given: Any, argument: str) -> InputError:
    """The error for released data where the original ones belong."""
    return InputError(
        f"{argument}: {type(given).__name__} cannot be the original data, which are one DataFrame;"
        " the released data come first, then the original"
    )


def _is_released(given: Any) -> bool:
    # of relations every attribute is a column, and asking for one may fail
    if is_frame(given) or looks_like_frame(given):
        return False
    from ..synds import SynDS  # which checks its own arguments with this module

    if isinstance(given, SynDS):
        return True
    if isinstance(given, Mapping):
        given = list(given.values())
    if isinstance(given, (list, tuple)):
        return any(_is_one_table(part) or _is_released(part) for part in given)
    return is_frame(getattr(given, "data", None))  # what ifpr() returns


def _is_one_table(given: Any) -> bool:
    return is_frame(given) or isinstance(given, Opened) or names_a_file(given)


def open_table(
    given: Any, place: str, counts: Hashable | None = None, *, by_record: bool = False
) -> Table:
    """The table behind what a user has: a data frame of any library, the path of a file, or a
    table. With `by_record` the rows of an eager frame stay as they are, even if an engine could
    count them faster.
    """
    if isinstance(given, pd.DataFrame):
        return FrameTable(given, place, counts)
    if isinstance(given, (EngineTable, FrameTable)):
        return given.opened_as(place, counts)
    if is_path(given):
        return open_tables([given], [place], counts)[0]
    if is_table(given):
        if counts is not None:
            raise InputError(COUNTED.format(place))
        return given
    if not is_foreign_frame(given):
        check_frame(given, place)
    if is_lazy(given) and not (by_record and is_eager_frame(given)):
        return EngineTable(given, place, counts)
    return FrameTable(in_arrow_types(given), place, counts)


def open_tables(
    givens: Sequence[Any],
    places: Sequence[str],
    counts: Hashable | None = None,
    *,
    by_record: bool = False,
) -> list[Table]:
    """The tables of a call, which are compared: a CSV does not give the types of its columns, so
    all files together decide them.
    """
    origins = origins_of(givens, places)
    tables: list[Table] = []
    for at, (given, place) in enumerate(zip(givens, places)):
        if at in origins:
            tables.append(table_of(origins[at], f"{place} ({origins[at].name})", counts))
        else:
            tables.append(open_table(given, place, counts, by_record=by_record))
    return tables


def origins_of(
    givens: Sequence[Any],
    places: Sequence[str],
    *,
    scan_from: float = 0,
    read_csv: Callable[[list[Location]], list[pd.DataFrame]] | None = None,
) -> dict[int, Origin]:
    """Where the paths among the tables of a call lead to. Files of fewer bytes than `scan_from` are
    read into memory; `read_csv` reads the CSV files together.
    """
    locations = {}
    for at, (given, place) in enumerate(zip(givens, places)):
        if is_path(given):
            locations[at] = located(given, place)
    of_text = {
        at: one for at, one in locations.items() if one.kind in OF_TEXT and one.table is None
    }
    read = read_csv or (lambda files: frames_together(list(map(CsvTable, files))))
    frames = dict(zip(of_text, read(list(of_text.values()))))
    origins = {}
    for at, one in locations.items():
        if at in frames:
            origins[at] = Origin(frames[at], one.name, "pandas")
        else:
            size = sum(file.stat().st_size for file in one.files)
            origins[at] = origin_of(one, scan=size >= scan_from)
    return origins


def table_of(
    origin: Origin,
    place: str,
    counts: Hashable | None = None,
    levels: Mapping[Hashable, Sequence[str]] | None = None,
) -> FrameTable | EngineTable:
    """The table at an origin; `levels` as in `EngineTable`."""
    if isinstance(origin.native, pd.DataFrame):
        frame = with_level_columns(origin.native, levels or {}, place)
        return FrameTable(frame, place, counts, origin)
    return EngineTable(origin.native, place, counts, levels, origin)


class FrameTable(Opened):
    """A data frame; `counts` names the column that says how many records a row stands for, `origin`
    where it was opened from.
    """

    keeps_rows = True

    def __init__(
        self,
        frame: pd.DataFrame,
        place: str,
        counts: Hashable | None = None,
        origin: Origin | None = None,
    ) -> None:
        self.frame = check_frame(frame, place)
        self.place = place
        self.counts = counts
        self.origin = origin
        self.columns: list[Hashable] = list(self.frame.columns)
        self.rows = self.records = len(self.frame)
        # columns are read when asked for: most of a wide frame is never needed
        self._columns: dict[Hashable, Column] = {}
        self._n: Integers | None = None
        self.kept: Flags | None = None  # rows that stand for at least one record
        if counts is not None:
            self._read_counts(counts)
            self.columns.remove(counts)

    def opened_as(self, place: str, counts: Hashable | None) -> FrameTable:
        """The same table, with a column of counts where there is one."""
        if counts == self.counts:
            return self
        if self.counts is not None:
            raise InputError(COUNTED.format(place))
        return FrameTable(self.frame, self.place, counts, self.origin)

    def count_by(self, names: Sequence[Hashable]) -> Counted:
        columns = {name: self._column(name) for name in names}
        return Counted(columns, self._n, self.rows)

    def _column(self, name: Hashable) -> Column:
        if name not in self._columns:
            series = self.frame[name]
            if self.kept is not None:
                series = series[self.kept]
            self._columns[name] = read_column(series, f"{self.place}, column {name!r}")
        return self._columns[name]

    def _read_counts(self, counts: Hashable) -> None:
        if counts not in self.frame.columns:
            raise unknown_name("counts", counts, list(self.frame.columns), self.place)
        column = read_column(self.frame[counts], f"{self.place}, column {counts!r}")
        what = f"counts: column {counts!r} of {self.place}"
        if not column.is_number or column.has_missing:
            raise InputError(f"{what} must hold whole numbers of 0 or more, none missing")
        n = column.values.astype(np.int64)
        if not (n == column.values).all() or (n < 0).any():
            raise InputError(f"{what} must hold whole numbers of 0 or more")
        near = n.sum(dtype=np.float64) >= SAFE_TOTAL
        if near and sum(n.tolist()) > LARGEST_TOTAL:
            raise too_many(what)
        # a row without records must not add a level or a cell
        kept = n > 0
        if not kept.all():
            self.kept, n = kept, n[kept]
        self._n, self.rows, self.records = n, len(n), int(n.sum())


def rows_with_records(table: Table) -> Flags | None:
    """Which rows of a user's frame stand for a record; None where all do, or there is no frame."""
    return table.kept if isinstance(table, FrameTable) else None


def check_frame(given: Any, argument: str) -> pd.DataFrame:
    """A pandas data frame with distinct column names, made from an eager frame of another library,
    a file or an opened table where one is given; or a clear error.
    """
    frame = given if isinstance(given, pd.DataFrame) else _frame_of(given, argument)
    if not frame.columns.is_unique:
        repeated = frame.columns[frame.columns.duplicated()]
        twice = sorted(set(map(str, repeated)))
        raise InputError(
            f"{argument}: the column names {', '.join(twice)} occur more than once; rename them"
        )
    return frame


def check_frames(givens: Sequence[Any], arguments: Sequence[str]) -> list[pd.DataFrame]:
    """The same for the tables of a call, which are compared."""
    origins = origins_of(givens, arguments, scan_from=math.inf)
    frames = []
    for at, (given, argument) in enumerate(zip(givens, arguments)):
        if at in origins:
            given = table_of(origins[at], argument)
        frames.append(check_frame(given, argument))
    return frames


def _frame_of(given: Any, argument: str) -> pd.DataFrame:
    if is_path(given):
        return check_frames([given], [argument])[0]
    if isinstance(given, FrameTable):
        return given.frame
    if isinstance(given, EngineTable) and given.origin is not None:
        load = given.origin.load
        frame = in_arrow_types(given.given) if load is None else load()
        return with_level_columns(frame, given.levels, given.place)
    if is_table(given):
        raise not_collected(given, argument)
    if is_foreign_frame(given):
        return in_pandas(given, argument)
    refuse_other_frames(given, argument)
    raise InputError(
        f"{argument}: {type(given).__name__} is not {FRAMES}; convert it, for instance with"
        " pandas.DataFrame(...)"
    )


def plain_if_frame(given: Any, argument: str) -> Any:
    """A frame of another library in pandas; anything else as it is."""
    return check_frame(given, argument) if is_foreign_frame(given) else given


def column_names(frame: Any) -> list[Hashable]:
    """The names of the columns of a frame of any library, or of a table."""
    if isinstance(frame, pd.DataFrame) or is_table(frame):
        return list(frame.columns)
    return list(wrapped(frame).collect_schema().names())


def native_of(table: Any) -> Any:
    """What the user holds where an engine counts; anything else as it is."""
    return table.given if isinstance(table, EngineTable) else table


def is_in_memory(table: Any) -> bool:
    """Whether its records are in memory, not in an engine."""
    return isinstance(table, pd.DataFrame) or is_eager_frame(table)


def number_of_records(table: Any) -> int:
    """How many records a frame of any library has, or a table; an engine is asked."""
    if isinstance(table, pd.DataFrame):
        return len(table)
    if is_eager_frame(table):
        return len(wrapped(table))
    opened = table if is_table(table) else open_table(table, "data")
    return int(opened.records)


def refuse_other_frames(given: Any, argument: str) -> None:
    """Raise an error for a frame of an unknown library; it says how to convert it to pandas with
    its names and types.
    """
    kind = type(given)
    for method, way in WAYS_TO_PANDAS.items():
        if hasattr(kind, method):
            library = kind.__module__.partition(".")[0]
            raise InputError(
                f"{argument}: a {library} {kind.__name__} is not {FRAMES}; convert it with {way}"
            )
