"""What an agency said about how records were chosen for synthesis (R in Reiter and Mitra):
impossible values, records left unchanged.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from ..arguments import chosen_columns
from ..core.arrays import Flags, Integers
from ..errors import InputError
from ..estimation.design import Coding, is_categorical
from ..tables.bands import group_numbers
from ..tables.frames import owned_values
from ..tables.opening import plain_if_frame
from .chain import MOST_TRIES, ResponseRule
from .models import SynthesisModel

__all__ = ["Restriction", "SampleUniques"]

# in what allowed values may be given
COLLECTIONS = (list, tuple, set, frozenset, np.ndarray, pd.Series, pd.Index, pd.DataFrame)


@dataclass(frozen=True, slots=True, eq=False)
class Restriction:
    """What is known about the original values of one synthesised variable.

    Parameters
    ----------
    allowed : the values that an original value can have where it was replaced: a list of them, the
        same for all records; a DataFrame of True and False with a row for each record and a column
        for each value; or a function of `(values, records)`, both with a row for each record, that
        says for each record whether that value is possible. `records` holds what is known about
        each: the columns released unchanged, and the variables drawn before this one. Values that
        are not allowed get probability 0; the probabilities of the others keep their ratios.
        Numeric values are drawn again until they are allowed. None allows all.
    replaced : True for records whose value was replaced, as an array or a function of the first
        released set. The others keep the released value, which is the original one. None: all were
        replaced.

    Examples
    --------
    Only minorities' race was synthesised, and the agency says for whom:

    >>> Restriction(allowed=["black", "other"], replaced=[True, False, True])
    Restriction(allowed=['black', 'other'], replaced=[True, False, True])
    """

    allowed: Any = None
    replaced: Any = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "allowed", owned_values(self.allowed))
        object.__setattr__(self, "replaced", owned_values(self.replaced))


@dataclass(frozen=True, slots=True, eq=False)
class SampleUniques:
    """Only records that are unique on their keys in the original file were synthesised.

    Then no drawn record can have the keys of an unchanged record, and all drawn records differ.
    Records that break this are drawn again; of several with the same keys, one chosen at random
    stays.

    Parameters
    ----------
    keys : columns, unchanged and synthesised ones, whose combination was unique.
    replaced : True for the records that were synthesised, as an array or a function of the first
        released set.
    """

    keys: Any
    replaced: Any

    def __post_init__(self) -> None:
        object.__setattr__(self, "replaced", owned_values(self.replaced))


class UniqueKeys(NamedTuple):
    """`keys` that made records unique, the `last` of them to be drawn, and which records those are:
    bool, shape (n,).
    """

    keys: tuple[Hashable, ...]
    last: Hashable
    replaced: Flags


class Resolved(NamedTuple):
    """Restrictions in the form that simulation uses."""

    rules: dict[Hashable, ResponseRule]
    uniques: tuple[UniqueKeys, ...]


def resolve(
    restrictions: Any,
    chain: Sequence[SynthesisModel],
    coding: Coding,
    sets: Sequence[pd.DataFrame],
) -> Resolved:
    """Check restrictions and bring them into one form; `sets` hold all that an intruder sees."""
    responses = [model.response for model in chain]
    parts = restrictions if isinstance(restrictions, (list, tuple)) else [restrictions]
    rules: dict[Hashable, ResponseRule] = {}
    for part in parts if restrictions is not None else []:
        if isinstance(part, SampleUniques):
            continue
        if not isinstance(part, Mapping):
            raise InputError(
                f"restrictions: {type(part).__name__} cannot be used; give a mapping from "
                "synthesised variables to what is known about them, or SampleUniques"
            )
        for name, value in part.items():
            if name in rules:
                raise InputError(
                    f"restrictions: {name!r} is restricted twice; put both into one Restriction"
                )
            if name not in responses:
                choices = ", ".join(map(str, responses))
                raise InputError(
                    f"restrictions: {name!r} is not the response of a model; choices: {choices}"
                )
            rules[name] = _rule(name, _as_restriction(name, value), coding, sets)
    uniques = [
        _unique_keys(part, rules, responses, sets)
        for part in parts
        if isinstance(part, SampleUniques)
    ]
    return Resolved(rules, tuple(uniques))


def _unique_keys(
    part: SampleUniques,
    rules: dict[Hashable, ResponseRule],
    responses: Sequence[Hashable],
    sets: Sequence[pd.DataFrame],
) -> UniqueKeys:
    """Keys that made records unique; the rules of the synthesised ones get to know which records
    were replaced.
    """
    columns = list(sets[0].columns)
    keys = tuple(chosen_columns("restrictions, keys", part.keys, columns, "the released data"))
    drawn = [name for name in responses if name in keys]
    if not drawn:
        raise InputError(
            f"restrictions: none of the keys {list(keys)} is synthesised, so nothing can be "
            "drawn again"
        )
    replaced = _flags("replaced", part.replaced, sets[0])
    for name in drawn:
        rule = rules.get(name, ResponseRule())
        if rule.replaced is not None:
            raise InputError(
                "restrictions: both SampleUniques and a Restriction say which records of"
                f" {name!r} were replaced; leave it out of the Restriction"
            )
        _check_kept(name, replaced, sets)
        rules[name] = replace(rule, replaced=replaced)
    return UniqueKeys(keys, drawn[-1], replaced)


def _as_restriction(name: Hashable, value: Any) -> Restriction:
    """Short forms: flags say which records were replaced, anything else which values are
    allowed.
    """
    if isinstance(value, Restriction):
        return value
    if isinstance(value, (list, np.ndarray, pd.Series)) and np.asarray(value).dtype == bool:
        return Restriction(replaced=value)
    if callable(value) or isinstance(value, COLLECTIONS):
        return Restriction(allowed=value)
    raise InputError(
        f"restrictions: {value!r} for {name!r} cannot be used; give allowed values, a function,"
        " True and False for each record, or a Restriction"
    )


def _rule(
    name: Hashable, restriction: Restriction, coding: Coding, sets: Sequence[pd.DataFrame]
) -> ResponseRule:
    """A restriction in the form that simulation uses."""
    released = sets[0]
    replaced = None
    if restriction.replaced is not None:
        replaced = _flags(f"replaced of {name!r}", restriction.replaced, released)
        _check_kept(name, replaced, sets)
    allowed = restriction.allowed
    if allowed is None:
        return ResponseRule(replaced)
    if callable(allowed):
        return ResponseRule(replaced, allowed=allowed)
    if name not in coding.levels:
        raise InputError(
            f"restrictions: {name!r} is numeric; give a function of (values, records) that says"
            " which values are allowed"
        )
    levels = pd.Index(coding.levels[name], dtype=object)
    allowed = plain_if_frame(allowed, "restrictions")
    if isinstance(allowed, pd.DataFrame):
        return ResponseRule(replaced, _table(name, allowed, levels, len(released)))
    values = pd.Index(list(allowed), dtype=object)
    if not len(values):
        raise InputError(f"restrictions: no value of {name!r} is allowed; give at least one")
    for value in values:
        if value not in levels:
            raise InputError(
                f"restrictions: {value!r} is not a value of {name!r} in the released data; the"
                " error's details have all values",
                details={"levels": tuple(levels)},
            )
    return ResponseRule(replaced, np.asarray(levels.isin(values)))


def _table(name: Hashable, allowed: pd.DataFrame, levels: pd.Index, count: int) -> Flags:
    """The levels that each record is allowed, shape (n, K)."""
    lacking = [level for level in levels if level not in allowed.columns]
    flags_only = all(pd.api.types.is_bool_dtype(dtype) for dtype in allowed.dtypes)
    wrong = ""
    if lacking:
        wrong = f"has no column for {lacking[0]!r}"
    elif not len(allowed.columns):
        wrong = "has no columns"
    elif len(allowed) != count or not flags_only:
        wrong = f"has {len(allowed)} rows of type {allowed.dtypes.iloc[0]}"
    if wrong:
        raise InputError(
            f"restrictions: the table for {name!r} {wrong}; give True or False for each of {count}"
            " records (rows) and each value (columns; the error's details have them)",
            details={"levels": tuple(levels)},
        )
    table: Flags = allowed[list(levels)].to_numpy(dtype=bool)
    without = np.flatnonzero(~table.any(axis=1))
    if len(without):
        raise InputError(
            f"restrictions: no value of {name!r} is allowed for row {int(without[0]) + 1}"
        )
    return table


def _flags(argument: str, value: Any, released: pd.DataFrame) -> Flags:
    """True or False for each record, given as such or by a function."""
    flags = np.asarray(value(released) if callable(value) else value)
    if flags.dtype != bool or flags.shape != (len(released),):
        raise InputError(
            f"restrictions, {argument}: has type {flags.dtype} and shape {flags.shape}; give True"
            f" or False for each of {len(released)} records"
        )
    return flags


def _check_kept(name: Hashable, replaced: Flags, sets: Sequence[pd.DataFrame]) -> None:
    """Values that were not replaced are the same in every set."""
    kept = np.flatnonzero(~replaced)
    first = sets[0][name].to_numpy(dtype=object)[kept]
    for number, frame in enumerate(sets[1:], start=2):
        other = frame[name].to_numpy(dtype=object)[kept]
        both_missing = pd.isna(first) & pd.isna(other)
        differ = np.asarray(first != other, dtype=bool) & ~both_missing
        if differ.any():
            row = int(kept[differ][0]) + 1
            raise InputError(
                f"restrictions: {name!r} of row {row} is declared not replaced, but sets 1 "
                f"and {number} differ there"
            )


Simulate = Callable[[Integers | None, pd.DataFrame, Mapping[Hashable, ResponseRule]], pd.DataFrame]


def simulate_unique(
    data: pd.DataFrame,
    others: pd.DataFrame,
    resolved: Resolved,
    simulate: Simulate,
    rng: np.random.Generator,
) -> pd.DataFrame:
    """A version in which the records of every `SampleUniques` are unique.

    simulate : gives `data` with the responses of some rows (None for all) drawn under rules for all
        rows.
    """
    released = pd.concat([others, data], axis=1)
    left_as_they_were = {unique.keys: released[~unique.replaced] for unique in resolved.uniques}
    drawn = simulate(None, data, _avoiding(resolved, left_as_they_were))
    for unique in resolved.uniques:
        for _ in range(MOST_TRIES):
            now = pd.concat([others, drawn], axis=1)
            rows = _clashing(now[list(unique.keys)], unique.replaced, rng)
            if not len(rows):
                break
            # to avoid: all records that are not drawn again
            staying = now.drop(index=now.index[rows])
            drawn = simulate(rows, drawn, _avoiding(resolved, {unique.keys: staying}))
        else:
            keys = ", ".join(map(str, unique.keys))
            raise InputError(
                f"restrictions: {len(rows)} records did not become unique in {keys} in {MOST_TRIES}"
                " draws; check the restriction"
            )
    return drawn


def _avoiding(
    resolved: Resolved, taken: Mapping[tuple[Hashable, ...], pd.DataFrame]
) -> dict[Hashable, ResponseRule]:
    """The rules without levels of the last key that would repeat an existing combination."""
    rules = dict(resolved.rules)
    for unique in resolved.uniques:
        records = taken.get(unique.keys)
        if records is not None and is_categorical(records[unique.last]):
            free = partial(_free_levels, unique, records)
            rules[unique.last] = replace(rules[unique.last], preferred=free)
    return rules


def _free_levels(unique: UniqueKeys, taken: pd.DataFrame, records: pd.DataFrame) -> Flags:
    """For records with these keys, the levels of the last key with which none of the records in
    `taken` has the same keys.
    """
    keys = [key for key in unique.keys if key != unique.last]
    last = taken[unique.last].cat
    group = group_numbers(pd.concat([taken[keys], records[keys]]))
    used = np.zeros((group.max(initial=0) + 1, len(last.categories)), dtype=bool)
    used[group[: len(taken)], last.codes.to_numpy()] = True
    return ~used[group[len(taken) :]]


def _clashing(keys: pd.DataFrame, replaced: Flags, rng: np.random.Generator) -> Integers:
    """Rows that must be drawn again: drawn ones with the keys of a record left as it was, and all
    but one of drawn ones that share their keys.
    """
    group = group_numbers(keys)
    # at random among the drawn ones; those left as they were come first, so that they stay
    order = rng.permutation(len(group))
    order = order[np.argsort(replaced[order], kind="stable")]
    _, first_in_order = np.unique(group[order], return_index=True)
    stays = np.zeros(len(group), dtype=bool)
    stays[order[first_in_order]] = True
    return np.flatnonzero(replaced & ~stays)
