"""What an agency told about how records were chosen for synthesis (R in Reiter and Mitra): values
that are impossible, records left as they were.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from ..arguments import chosen_columns
from ..core.arrays import Flags, Integers
from ..errors import InputError
from ..estimation.design import Coding
from ..tables.groups import group_numbers
from .chain import MOST_TRIES, Rule
from .models import SynthesisModel

__all__ = ["Restriction", "SampleUniques"]


@dataclass(frozen=True, slots=True, eq=False)
class Restriction:
    """What is known about the original values of one synthesised variable.

    Parameters
    ----------
    allowed : the values that an original value can have where it was replaced: a list of them, the
        same for all records; a DataFrame of True and False with a row for each record and a column
        for each value; or a function of `(values, records)`, both with a row for each record, that
        says for each record whether that value is possible. `records` holds what is known of each:
        the columns released unchanged, and the variables drawn before this one. Values that are not
        allowed get probability 0; the probabilities of the others keep their ratios. Numeric values
        are drawn again until they are allowed. None allows all.
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


@dataclass(frozen=True, slots=True, eq=False)
class SampleUniques:
    """Only records were synthesised that are alone with their keys in the original file.

    Then no drawn record can have the keys of a record left as it was, and all drawn ones differ.
    Drawn records that do not are drawn again; of several with the same keys one, chosen at random,
    stays.

    Parameters
    ----------
    keys : columns, unchanged and synthesised ones, whose combination was unique.
    replaced : True for the records that were synthesised, as an array or a function of the first
        released set.
    """

    keys: Any
    replaced: Any


@dataclass(frozen=True, slots=True, eq=False)
class UniqueKeys:
    """`keys` that made records unique, the `last` of them to be drawn, and which records those are:
    bool, shape (n,).
    """

    keys: tuple[Hashable, ...]
    last: Hashable
    replaced: Flags


@dataclass(frozen=True, slots=True, eq=False)
class Resolved:
    """Restrictions in the form that simulation uses."""

    rules: dict[Hashable, Rule]
    uniques: tuple[UniqueKeys, ...]


def resolve(
    restrictions: Any,
    chain: Sequence[SynthesisModel],
    coding: Coding,
    released: pd.DataFrame,
    sets: Sequence[pd.DataFrame],
) -> Resolved:
    """Check restrictions and bring them into one form. `released` holds every column an intruder
    sees, of the first set.
    """
    found: dict[Hashable, Restriction] = {}
    uniques = []
    for part in (
        []
        if restrictions is None
        else list(restrictions)
        if isinstance(restrictions, (list, tuple))
        else [restrictions]
    ):
        if isinstance(part, SampleUniques):
            uniques.append(part)
        elif isinstance(part, Mapping):
            for name, value in part.items():
                if name in found:
                    raise InputError(
                        f"restrictions: {name!r} is restricted twice; put both into one Restriction"
                    )
                found[name] = _as_restriction(name, value)
        else:
            raise InputError(
                f"restrictions: {type(part).__name__} cannot be used; give a mapping from"
                " synthesised variables to what is known of them, or SampleUniques"
            )
    responses = [model.response for model in chain]
    for name in found:
        if name not in responses:
            raise InputError(
                f"restrictions: {name!r} is not the response of a model; choices:"
                f" {', '.join(map(str, responses))}"
            )
    rules = {name: _rule(name, value, coding, released, sets) for name, value in found.items()}
    return _with_uniques(rules, uniques, responses, released, sets)


def _with_uniques(
    rules: dict[Hashable, Rule],
    uniques: Sequence[SampleUniques],
    responses: Sequence[Hashable],
    released: pd.DataFrame,
    sets: Sequence[pd.DataFrame],
) -> Resolved:
    resolved = []
    for part in uniques:
        keys = tuple(
            chosen_columns(
                "restrictions, keys", part.keys, list(released.columns), "the released data"
            )
        )
        drawn = [name for name in responses if name in keys]
        if not drawn:
            raise InputError(
                f"restrictions: none of the keys {list(keys)} is synthesised, so that nothing can"
                " be drawn again"
            )
        replaced = _flags("replaced", part.replaced, released)
        for name in drawn:
            if name in rules and rules[name].replaced is not None:
                raise InputError(
                    "restrictions: both SampleUniques and a Restriction say which records of"
                    f" {name!r} were replaced; leave it out of the Restriction"
                )
            _check_kept(name, replaced, sets)
            rules[name] = replace(rules.get(name, Rule()), replaced=replaced)
        resolved.append(UniqueKeys(keys, drawn[-1], replaced))
    return Resolved(rules, tuple(resolved))


def _as_restriction(name: Hashable, value: Any) -> Restriction:
    """Short forms: flags say which records were replaced, all else which values are allowed."""
    if isinstance(value, Restriction):
        return value
    if isinstance(value, (list, np.ndarray, pd.Series)) and np.asarray(value).dtype == bool:
        return Restriction(replaced=value)
    if callable(value) or isinstance(
        value, (list, tuple, set, frozenset, np.ndarray, pd.Series, pd.Index, pd.DataFrame)
    ):
        return Restriction(allowed=value)
    raise InputError(
        f"restrictions: {value!r} for {name!r} cannot be used; give allowed values, a function,"
        " True and False for each record, or a Restriction"
    )


def _rule(
    name: Hashable,
    restriction: Restriction,
    coding: Coding,
    released: pd.DataFrame,
    sets: Sequence[pd.DataFrame],
) -> Rule:
    replaced = (
        None
        if restriction.replaced is None
        else _flags(f"replaced of {name!r}", restriction.replaced, released)
    )
    if replaced is not None:
        _check_kept(name, replaced, sets)
    allowed = restriction.allowed
    if allowed is None:
        return Rule(replaced)
    if callable(allowed):
        return Rule(replaced, allowed=allowed)
    if name not in coding.levels:
        raise InputError(
            f"restrictions: {name!r} is numeric; give a function of (values, records) that says"
            " which values are allowed"
        )
    levels = pd.Index(coding.levels[name], dtype=object)
    if isinstance(allowed, pd.DataFrame):
        return Rule(replaced, possible=_table(name, allowed, levels, len(released)))
    return Rule(replaced, possible=_listed(name, allowed, levels))


def _listed(name: Hashable, allowed: Any, levels: pd.Index) -> Flags:
    values = pd.Index(list(allowed), dtype=object)
    if not len(values):
        raise InputError(f"restrictions: no value of {name!r} is allowed; give at least one")
    unknown = [v for v in values if v not in levels]
    if unknown:
        raise InputError(
            f"restrictions: {unknown[0]!r} is not a value of {name!r} in the released data;"
            f" choices: {', '.join(map(str, levels))}"
        )
    return np.asarray(levels.isin(values))


def _table(name: Hashable, allowed: pd.DataFrame, levels: pd.Index, count: int) -> Flags:
    missing = [level for level in levels if level not in allowed.columns]
    if (
        len(allowed) != count
        or missing
        or not all(pd.api.types.is_bool_dtype(t) for t in allowed.dtypes)
    ):
        what = (
            f"has no column for {missing[0]!r}"
            if missing
            else (
                f"has {len(allowed)} rows of type {allowed.dtypes.iloc[0]}"
                if len(allowed.columns)
                else "has no columns"
            )
        )
        wanted = (
            f"give True or False for each of {count} records (rows) and each value (columns):"
            f" {', '.join(map(str, levels))}"
        )
        raise InputError(f"restrictions: the table for {name!r} {what}; {wanted}")
    table: Flags = allowed[list(levels)].to_numpy(dtype=bool)
    if not table.any(axis=1).all():
        raise InputError(
            f"restrictions: no value of {name!r} is allowed for row"
            f" {int(np.flatnonzero(~table.any(axis=1))[0]) + 1}"
        )
    return table


def _flags(argument: str, value: Any, released: pd.DataFrame) -> Flags:
    flags = np.asarray(value(released) if callable(value) else value)
    if flags.dtype != bool or flags.shape != (len(released),):
        raise InputError(
            f"restrictions, {argument}: has type {flags.dtype} and shape {flags.shape}; give True"
            f" or False for each of {len(released)} records"
        )
    return flags


def _check_kept(name: Hashable, replaced: Flags, sets: Sequence[pd.DataFrame]) -> None:
    """Values that were not replaced are the same in every set."""
    first = sets[0][name].to_numpy(dtype=object)[~replaced]
    for number, frame in enumerate(sets[1:], start=2):
        other = frame[name].to_numpy(dtype=object)[~replaced]
        differ = np.asarray(first != other, dtype=bool) & ~(pd.isna(first) & pd.isna(other))
        if differ.any():
            row = int(np.flatnonzero(~replaced)[np.flatnonzero(differ)[0]]) + 1
            raise InputError(
                f"restrictions: {name!r} of row {row} is said not to be replaced, but sets 1 and"
                f" {number} differ there"
            )


# ---- records that were unique --------------------------------------------------------

Simulate = Callable[[Integers | None, pd.DataFrame, Mapping[Hashable, Rule]], pd.DataFrame]


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
    drawn = simulate(
        None,
        data,
        _avoiding(resolved, {entry.keys: released[~entry.replaced] for entry in resolved.uniques}),
    )
    for entry in resolved.uniques:
        for _ in range(MOST_TRIES):
            now = pd.concat([others, drawn], axis=1)
            rows = _clashing(now[list(entry.keys)], entry.replaced, rng)
            if not len(rows):
                break
            drawn = simulate(
                rows, drawn, _avoiding(resolved, {entry.keys: now.drop(index=now.index[rows])})
            )
        else:
            keys = ", ".join(map(str, entry.keys))
            raise InputError(
                f"restrictions: {len(rows)} records did not become unique in {keys} in {MOST_TRIES}"
                " draws; is the restriction right?"
            )
    return drawn


def _avoiding(
    resolved: Resolved, taken: Mapping[tuple[Hashable, ...], pd.DataFrame]
) -> dict[Hashable, Rule]:
    """The rules, with levels of the last key left out that would repeat a combination that is
    taken.
    """
    rules = dict(resolved.rules)
    for entry in resolved.uniques:
        last = entry.last
        if entry.keys in taken and isinstance(taken[entry.keys][last].dtype, pd.CategoricalDtype):
            rules[last] = replace(
                rules[last],
                preferred=_free_levels(
                    [key for key in entry.keys if key != last], last, taken[entry.keys]
                ),
            )
    return rules


def _free_levels(
    keys: list[Hashable], last: Hashable, taken: pd.DataFrame
) -> Callable[[pd.DataFrame], Flags]:
    """For records with these keys, the levels of the last key with which none of the records in
    `taken` has the same keys.
    """

    def free(records: pd.DataFrame) -> Flags:
        group = group_numbers(pd.concat([taken[keys], records[keys]]))
        used = np.zeros((group.max(initial=0) + 1, len(taken[last].cat.categories)), dtype=bool)
        used[group[: len(taken)], taken[last].cat.codes.to_numpy()] = True
        return ~used[group[len(taken) :]]

    return free


def _clashing(keys: pd.DataFrame, replaced: Flags, rng: np.random.Generator) -> Integers:
    """Rows that must be drawn again: drawn ones with the keys of a record left as it was, and all
    but one of drawn ones that share their keys.
    """
    group = group_numbers(keys)
    order = rng.permutation(len(group))
    order = order[np.argsort(replaced[order], kind="stable")]  # those left as they were come first
    first = np.zeros(len(group), dtype=bool)
    first[order[np.unique(group[order], return_index=True)[1]]] = True
    return np.flatnonzero(replaced & ~first)
