"""A release and the original as `table_utility()` and `propensity_utility()` take them: tables that
count, or data frames.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from ..arguments import chosen_columns
from ..errors import InputError, some
from ..synds import SynDS
from ..tables.opening import (
    check_frames,
    is_table,
    listed_sets,
    open_tables,
    refuse_released,
    set_places,
)
from .variables import brought_numbers, special_numbers


@dataclass(frozen=True, slots=True)
class Compared:
    """What is compared with the original.

    Attributes
    ----------
    original, sets, places : the original and the data sets of the release, as tables or as frames;
        what error messages call the sets.
    names : columns that are compared.
    left_out : a sentence for each side that has columns the other lacks, if none were chosen.
    special : special values of these.
    """

    original: Any
    sets: list[Any]
    places: list[str]
    names: list[Hashable]
    left_out: tuple[str, ...]
    special: dict[Hashable, tuple[float, ...]]


def read_frames(synthetic: Any, original: Any, variables: Any, cont_na: Any) -> Compared:
    """The release and the columns compared, for functions that need single records."""
    given = listed_sets("synthetic", synthetic)
    refuse_released(original, "original")
    places = ["original", *set_places("synthetic", len(given))]
    frame, *sets = check_frames([original, *given], places)
    return _compared(synthetic, frame, sets, variables, cont_na)


def read_tables(
    synthetic: Any, original: Any, variables: Any, cont_na: Any, counts: Any
) -> Compared:
    """The release and the columns compared, for functions that count records; the column of
    `counts` is not compared.
    """
    given = listed_sets("synthetic", synthetic)
    refuse_released(original, "original")
    places = ["original", *set_places("synthetic", len(given))]
    table, *sets = open_tables([original, *given], places, counts)
    return _compared(synthetic, table, sets, variables, cont_na)


def _compared(
    synthetic: Any, original: Any, sets: list[Any], variables: Any, cont_na: Any
) -> Compared:
    places = _places(len(sets))
    _check_records(original, "original:")
    for frame, place in zip(sets, places):
        _check_records(frame, f"synthetic: {place}")
    names = compared_columns("variables", variables, original, sets, places)
    columns = list(original.columns)
    if cont_na is None and isinstance(synthetic, SynDS):
        special = brought_numbers(synthetic.cont_na, columns)
    else:
        special = special_numbers(cont_na, columns)
    of_names = {name: values for name, values in special.items() if name in names}
    left_out = _left_out(original, sets) if variables is None else ()
    return Compared(
        original=original,
        sets=sets,
        places=places,
        names=names,
        left_out=left_out,
        special=of_names,
    )


def _left_out(data: Any, sets: Sequence[Any]) -> tuple[str, ...]:
    """The columns not compared because not every table has them."""
    original = list(data.columns)
    released: dict[Hashable, None] = {}  # in order, each once
    for table in sets:
        released |= dict.fromkeys(table.columns)
    lacking = [name for name in original if any(name not in s.columns for s in sets)]
    extra = [name for name in released if name not in original]
    sentences = []
    if lacking:
        sentences.append(f"Not compared, because the release lacks it: {some(lacking)}.")
    if extra:
        sentences.append(f"Not compared, because the original lacks it: {some(extra)}.")
    return tuple(sentences)


def _places(number: int) -> list[str]:
    """What error messages call the data sets of a release."""
    if number == 1:
        return ["the release"]
    return [f"data set {i} of the release" for i in range(1, number + 1)]


def _check_records(table: Any, place: str) -> None:
    records = table.records if is_table(table) else len(table)
    if not records:
        raise InputError(f"{place} has no rows, so there is nothing to compare")


def compared_columns(
    argument: str,
    asked: Any,
    data: pd.DataFrame,
    sets: Sequence[pd.DataFrame],
    places: Sequence[str],
) -> list[Hashable]:
    """The columns asked for, which every table must have; all common columns by default."""
    if asked is None:
        return _common_columns(argument, data, sets, places)
    columns = list(data.columns)
    names = chosen_columns(argument, asked, columns, "the original data")
    if not names:
        raise InputError(f"{argument}: is empty; choices: {', '.join(map(str, columns))}")
    for name in names:
        for frame, place in zip(sets, places):
            if name not in frame.columns:
                raise InputError(
                    f"{argument}: {name!r} is not a column of {place}; its columns are"
                    f" {', '.join(map(str, frame.columns))}"
                )
    return names


def _common_columns(
    argument: str, data: pd.DataFrame, sets: Sequence[pd.DataFrame], places: Sequence[str]
) -> list[Hashable]:
    common = []
    for name in data.columns:
        if all(name in frame.columns for frame in sets):
            common.append(name)
    if not common:
        raise InputError(
            f"{argument}: {places[0]} and the original data have no column in common;"
            f" the original's are {', '.join(map(str, data.columns))}"
        )
    return common
