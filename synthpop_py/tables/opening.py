"""From what a user has to tables, or to data frames if single records are needed."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any, TypeGuard

import pandas as pd

from ..core.arrays import Flags
from ..errors import InputError
from .csv_files import CsvTable, frames_together
from .engine import EngineTable
from .files import Location, located, origin_of
from .frames import (
    arrow_of,
    in_arrow_types,
    in_pandas,
    is_eager_frame,
    is_foreign_frame,
    is_lazy,
    not_collected,
    wrapped,
)
from .protocol import Origin, Table
from .reading import FrameTable, check_distinct, with_level_columns

FRAMES = "a DataFrame of pandas, polars or Arrow"


def is_table(thing: Any) -> TypeGuard[Table]:
    """Whether it answers as a table; only one name is checked, because calls ask this often."""
    # frames and relations look for unknown names among their columns, and one may be there
    return hasattr(type(thing), "count_by")


def is_frame(given: Any) -> bool:
    """Whether it is a data frame of a library that is known here, eager or not."""
    return isinstance(given, pd.DataFrame) or is_foreign_frame(given)


def is_path(given: Any) -> TypeGuard[str | os.PathLike[str]]:
    """Whether it may name a file."""
    return isinstance(given, (str, os.PathLike))


def is_in_memory(table: Any) -> bool:
    """Whether it is a frame whose records are in memory, not in an engine."""
    return isinstance(table, pd.DataFrame) or is_eager_frame(table)


def native_of(table: Any) -> Any:
    """What the user holds where an engine counts; anything else as it is."""
    return table.given if isinstance(table, EngineTable) else table


def column_names(frame: Any) -> list[Hashable]:
    """The names of the columns of a frame of any library, or of a table."""
    is_ours = isinstance(frame, pd.DataFrame) or is_table(frame)
    return list(frame.columns if is_ours else wrapped(frame).collect_schema().names())


def number_of_records(table: Any) -> int:
    """How many records a frame of any library has, or a table; an engine is asked."""
    if isinstance(table, pd.DataFrame):
        return len(table)
    if is_eager_frame(table):
        return len(wrapped(table))
    opened = table if is_table(table) else open_table(table, "data")
    return int(opened.records)


def rows_with_records(table: Table) -> Flags | None:
    """Which rows of a user's frame stand for a record; None where all do, or there is no frame."""
    return table.kept if isinstance(table, FrameTable) else None


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
    way = f"give a SynDS, {FRAMES}, a table of an engine, the path of a file, or a non-empty list"
    raise InputError(f"{argument}: {type(object).__name__} cannot be used; {way} of these")


def check_sets(argument: str, sets: Sequence[Any]) -> None:
    """Raise an error for the result of `syn(m=0)`."""
    if not sets:
        says = "holds no synthetic data set, because syn() was called with m=0"
        raise InputError(f"{argument}: {says}; call it with m=1 or more")


def set_places(argument: str, sets: int) -> list[str]:
    """The names in messages of the synthetic data sets given as one argument."""
    if sets == 1:
        return [argument]
    return [f"{argument}, element {number}" for number in range(1, sets + 1)]


def synthetic_sets(argument: str, object: Any) -> list[pd.DataFrame]:
    """Synthetic data in any form as pandas data frames, for methods that need single records."""
    sets = listed_sets(argument, object)
    return check_frames(sets, set_places(argument, len(sets)))


def nested_sets(argument: str, object: Any) -> list[list[pd.DataFrame]]:
    """Synthetic data in nests, one set each unless a SynDS says otherwise (``meta["nest"]``)."""
    sets = synthetic_sets(argument, object)
    nest_of_set = list(getattr(object, "meta", {}).get("nest", range(len(sets))))
    if len(nest_of_set) != len(sets):
        says = f"its meta gives the nests of {len(nest_of_set)} sets, it holds {len(sets)}"
        raise InputError(f"{argument}: {says}; give a SynDS without 'nest' in its meta")
    nests: dict[Any, list[pd.DataFrame]] = {nest: [] for nest in nest_of_set}
    for frame, nest in zip(sets, nest_of_set):
        nests[nest].append(frame)
    return list(nests.values())


def check_original(given: Any, argument: str) -> pd.DataFrame:
    """The original data; an error that gives the order of arguments if they are released data."""
    refuse_released(given, argument)
    return check_frame(given, argument)


def refuse_released(given: Any, argument: str) -> None:
    """Raise an error for a synthesis, or a list or dictionary of releases."""
    from ..synds import SynDS  # which checks its own arguments with this module

    if isinstance(given, (SynDS, Mapping, list, tuple)):
        raise out_of_order(given, argument)


def out_of_order(given: Any, argument: str) -> InputError:
    """The error for released data where the original ones belong."""
    says = f"{type(given).__name__} cannot be the original data, which are one DataFrame"
    return InputError(f"{argument}: {says}; the released data come first, then the original")


def open_table(
    given: Any, place: str, counts: Hashable | None = None, *, by_record: bool = False
) -> Table:
    """The table behind what a user has. With `by_record` the rows of an eager frame stay as they
    are, even if an engine could count them faster.
    """
    if isinstance(given, pd.DataFrame):
        return FrameTable(given, place, counts)
    if is_path(given):
        (given,) = with_files([given], [place])
    if isinstance(given, (EngineTable, FrameTable)):
        return given.opened_as(counts)
    if is_table(given):
        if counts is not None:
            raise InputError(f"counts: {place} already counts its records; leave counts out")
        return given
    if not is_foreign_frame(given):
        check_frame(given, place)
    if is_lazy(given) and not (by_record and is_eager_frame(given)):
        return EngineTable(given, place, counts)
    return FrameTable(in_arrow_types(given), place, counts)


def open_tables(
    givens: Sequence[Any], places: Sequence[str], counts: Hashable | None = None, **how: bool
) -> list[Table]:
    """The tables of a call, which are compared."""
    found = with_files(givens, places)
    return [open_table(given, place, counts, **how) for given, place in zip(found, places)]


def read_csv_files(locations: list[Location]) -> list[pd.DataFrame]:
    return frames_together([CsvTable(location).read() for location in locations])


def with_files(
    givens: Sequence[Any],
    places: Sequence[str],
    *,
    scan_from: float = 0,
    read_csv: Callable[[list[Location]], list[pd.DataFrame]] = read_csv_files,
) -> list[Any]:
    """What was given, with tables in place of paths. Files of fewer bytes than `scan_from` are read
    into memory, CSV files together: all that are compared decide what their columns are.
    """
    found = list(givens)
    locations = {at: located(one, places[at]) for at, one in enumerate(givens) if is_path(one)}
    of_text = [location for location in locations.values() if location.is_text]
    frames = iter(read_csv(of_text) if of_text else ())
    for at, location in locations.items():
        if location.is_text:
            origin = Origin(next(frames), location.name, "pandas")
        else:
            size = sum(file.stat().st_size for file in location.files)
            origin = origin_of(location, scan=size >= scan_from)
        found[at] = table_of(origin, f"{places[at]} ({origin.name})")
    return found


def table_of(
    origin: Origin, place: str, levels: Mapping[Hashable, Sequence[str]] | None = None
) -> FrameTable | EngineTable:
    """The table at an origin; `levels` as in `EngineTable`."""
    if isinstance(origin.native, pd.DataFrame):
        frame = with_level_columns(origin.native, levels or {}, place)
        return FrameTable(frame, place, None, origin)
    return EngineTable(origin.native, place, None, levels, origin)


def check_frames(givens: Sequence[Any], arguments: Sequence[str]) -> list[pd.DataFrame]:
    """Pandas data frames of the tables of a call, which are compared."""
    found = with_files(givens, arguments, scan_from=math.inf)
    return [_frame_of(given, argument) for given, argument in zip(found, arguments)]


def check_frame(given: Any, argument: str) -> pd.DataFrame:
    """A pandas data frame of what was given, with distinct column names; or a clear error."""
    return check_frames([given], [argument])[0]


def _frame_of(given: Any, argument: str) -> pd.DataFrame:
    if isinstance(given, pd.DataFrame):
        frame = given
    elif isinstance(given, FrameTable):
        frame = given.given
    elif isinstance(given, EngineTable) and given.origin is not None:
        table = given.asked(lambda: arrow_of(wrapped(given.given)), "hand over its records")
        frame = in_pandas(table, argument)
        frame = with_level_columns(frame, given.levels(given.columns), given.place)
    elif is_table(given):
        raise not_collected(given, argument)
    elif is_foreign_frame(given):
        frame = in_pandas(given, argument)
    else:
        refuse_other_frames(given, argument)
        says = f"{type(given).__name__} is not {FRAMES}"
        raise InputError(f"{argument}: {says}; convert it, for instance with pandas.DataFrame(...)")
    check_distinct(frame.columns.tolist(), argument)
    return frame


def plain_if_frame(given: Any, argument: str) -> Any:
    """A frame of another library in pandas; anything else as it is."""
    return check_frame(given, argument) if is_foreign_frame(given) else given


def refuse_other_frames(given: Any, argument: str) -> None:
    """Raise an error for a frame of an unknown library; it says how to convert it."""
    kind = type(given)
    for way in ("to_pandas()", "toPandas()", "collect().to_pandas()"):
        if hasattr(kind, way.partition("(")[0]):
            says = f"a {kind.__module__.partition('.')[0]} {kind.__name__} is not {FRAMES}"
            raise InputError(f"{argument}: {says}; convert it with .{way}")
