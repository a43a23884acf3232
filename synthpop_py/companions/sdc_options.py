"""The arguments of `sdc()`, checked and resolved to columns."""

from __future__ import annotations

import numbers
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from ..arguments import check_in_every_set, is_number, listed, resolve_keys
from ..errors import InputError
from ..names import unknown_name
from ..synds import SynDS
from ..tables.reading import read_column

FLAG = "flag"


@dataclass(frozen=True, slots=True)
class Coding:
    """How one column is bottom- and top-coded: values below `bottom` become `bottom`, those above
    `top` become `top`, except `spared` ones.
    """

    name: Hashable
    bottom: float | None
    top: float | None
    spared: tuple[float, ...]


def unique_on(
    keys: Any, data: pd.DataFrame, synthesis: SynDS, *, needed: bool
) -> tuple[Hashable, ...]:
    """The columns that make a record unique; none where no record is to be removed."""
    if needed:
        wanted = list(synthesis.syn[0].columns) if keys is None else keys
        return resolve_keys(wanted, data, synthesis.syn)
    for key in listed(keys):
        if not isinstance(key, numbers.Real):
            check_in_every_set("keys", key, synthesis.syn)
    return ()


# ---- columns of numbers --------------------------------------------------------------


def numeric_columns(argument: str, given: Any, synthesis: SynDS) -> tuple[Hashable, ...]:
    """Names of numeric columns of the synthetic data."""
    names = tuple(listed(given))
    twice = sorted({str(name) for name in names if names.count(name) > 1})
    if twice:
        raise InputError(f"{argument}: {', '.join(twice)} given more than once")
    columns = list(synthesis.syn[0].columns)
    for name in names:
        if name not in columns:
            raise unknown_name(argument, name, columns, "the synthetic data")
        for number, frame in enumerate(synthesis.syn, start=1):
            _check_numeric(argument, name, frame, number)
    return names


def _check_numeric(argument: str, name: Hashable, frame: pd.DataFrame, number: int) -> None:
    column = read_column(frame[name], f"object, element {number}, column {name!r}")
    if column.is_number or not len(column.present()):
        return
    numeric = [str(other) for other in frame.columns if _is_numeric(frame[other])]
    choices = ", ".join(numeric) or "none, no column is numeric"
    raise InputError(f"{argument}: column {name!r} is not numeric; choices: {choices}")


def _is_numeric(series: pd.Series) -> bool:
    return read_column(series, str(series.name)).is_number


# ---- bottom- and top-coding ----------------------------------------------------------


def codings_of(
    recode_vars: Any, bottom_top: Any, exclude: Any, synthesis: SynDS
) -> tuple[Coding, ...]:
    """How each column of `recode_vars` is coded."""
    names = numeric_columns("recode_vars", recode_vars, synthesis)
    if not names:
        _refuse_without_columns("bottom_top_coding", bottom_top)
        _refuse_without_columns("recode_exclude", exclude)
        return ()
    pairs = _per_column("bottom_top_coding", bottom_top, names)
    spared: list[list[Any]] = [[] for _ in names]
    if exclude is not None:
        spared = _per_column("recode_exclude", exclude, names)
    return tuple(_coding(name, pair, values) for name, pair, values in zip(names, pairs, spared))


def _refuse_without_columns(argument: str, value: Any) -> None:
    if value is not None:
        raise InputError(f"{argument}: {value!r} given, but recode_vars names no column to recode")


def _per_column(argument: str, given: Any, names: Sequence[Hashable]) -> list[list[Any]]:
    """One list for each column, from a flat list for a single column or a list of lists."""
    entries = [None] if given is None else listed(given)
    nested = any(isinstance(entry, (list, tuple, np.ndarray)) for entry in entries)
    if len(names) == 1 and not nested:
        entries = [entries]
    if len(entries) != len(names):
        raise InputError(
            f"{argument}: {len(entries)} entries given for {len(names)} columns in recode_vars"
            f" ({', '.join(map(str, names))}); give one for each"
        )
    return [[None] if entry is None else listed(entry) for entry in entries]


def _coding(name: Hashable, pair: list[Any], spared: list[Any]) -> Coding:
    if len(pair) != 2:
        raise InputError(
            f"bottom_top_coding: {pair!r} for {name!r} is not a pair; give (lowest, highest), with"
            " None where there is no limit"
        )
    bottom, top = (_limit(name, value) for value in pair)
    if bottom is not None and top is not None and bottom > top:
        raise InputError(
            f"bottom_top_coding: {pair!r} for {name!r} has its lower limit above its upper limit"
        )
    values = []
    for value in spared:
        if not _is_missing(value):
            values.append(_number("recode_exclude", name, value))
    return Coding(name=name, bottom=bottom, top=top, spared=tuple(values))


def _limit(name: Hashable, value: Any) -> float | None:
    return None if _is_missing(value) else _number("bottom_top_coding", name, value)


def _is_missing(value: Any) -> bool:
    return value is None or (pd.api.types.is_scalar(value) and bool(pd.isna(value)))


def _number(argument: str, name: Hashable, value: Any) -> float:
    if not is_number(value):
        raise InputError(f"{argument}: {value!r} for {name!r} is not a number")
    return float(value)


# ---- labels and names ----------------------------------------------------------------


def labels_of(label: Any, m: int) -> list[Any] | None:
    """One text for each synthesis, or None."""
    if label is None:
        return None
    texts = listed(label)
    scalar = all(pd.api.types.is_scalar(text) for text in texts)
    if len(texts) not in (1, m) or not scalar:
        fits = "1 synthesis; give one text"
        if m > 1:
            fits = f"{m} syntheses; give one text, or {m} of them"
        raise InputError(f"label: {label!r} does not fit {fits}")
    return texts * m if len(texts) == 1 else texts


def new_names(
    synthesis: SynDS, prefix: Any, suffix: Any, *, labelled: bool
) -> dict[Hashable, Hashable]:
    """The new name of each column."""
    for argument, value in (("prefix", prefix), ("suffix", suffix)):
        if value is not None and not isinstance(value, str):
            raise InputError(f"{argument}: {value!r} is not a text")
    names: dict[Hashable, Hashable] = {column: column for column in synthesis.syn[0].columns}
    if prefix is not None or suffix is not None:
        names = {column: f"{prefix or ''}{column}{suffix or ''}" for column in names}
    if labelled and FLAG in names.values():
        raise InputError(
            f"label: there is already a column called {FLAG!r}; rename it, or give a prefix"
        )
    return names
