"""What an agency said about how records were chosen for synthesis (R in Reiter and Mitra):
impossible values, records left unchanged.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from reprlib import repr as repr_short
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from ..arguments import chosen_columns, listed
from ..core.arrays import Flags, Integers
from ..errors import InputError
from ..estimation.design import Coding, is_categorical
from ..tables.bands import group_numbers
from ..tables.frames import owned_values
from .chain import MOST_TRIES, ResponseRule, flags_of
from .models import SynthesisModel

__all__ = ["Restriction", "SampleUniques"]


@dataclass(frozen=True, slots=True, eq=False)
class Restriction:
    """What is known about the original values of one synthesised variable.

    Parameters
    ----------
    allowed : the values that an original value can have where it was replaced: a list of them, the
        same for all records; or a function of `(values, records)`, both with a row for each record,
        that says for each record whether that value is possible. `records` holds what is known
        about each: the columns released unchanged, and the variables drawn before this one. Values
        that are not allowed get probability 0; the probabilities of the others keep their ratios.
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


class Resolved(NamedTuple):
    """Restrictions in the form that simulation uses: a rule for each restricted response, in the
    order of the models, and what is unique, with a list of keys and flags.
    """

    rules: dict[Hashable, ResponseRule]
    uniques: tuple[SampleUniques, ...]


def resolve(
    restrictions: Any,
    chain: Sequence[SynthesisModel],
    coding: Coding,
    sets: Sequence[pd.DataFrame],
) -> Resolved:
    """Check restrictions and bring them into one form; `sets` hold all that an intruder sees."""
    responses = [model.response for model in chain]
    parts = restrictions if isinstance(restrictions, (list, tuple)) else listed(restrictions)
    rules: dict[Hashable, ResponseRule] = {}
    uniques = []
    for part in parts:
        if isinstance(part, SampleUniques):
            uniques.append(part)
            continue
        if not isinstance(part, Mapping):
            raise InputError(
                f"restrictions: {type(part).__name__} cannot be used; give a mapping from"
                " synthesised variables to what is known about them, or SampleUniques"
            )
        for name, value in part.items():
            if name in rules or name not in responses:
                wrong = "is restricted twice" if name in rules else "is not the response of a model"
                choices = ", ".join(map(str, responses))
                raise InputError(f"restrictions: {name!r} {wrong}; choices: {choices}")
            rules[name] = _rule(name, value, coding, sets)
    checked = []
    for part in uniques:
        columns = list(sets[0].columns)
        keys = chosen_columns("restrictions, keys", part.keys, columns, "the released data")
        replaced = flags_of("restrictions, replaced", part.replaced, sets[0])
        checked.append(SampleUniques(keys, replaced))
        drawn = [name for name in responses if name in keys]
        if not drawn:
            raise InputError(f"restrictions: none of the keys {keys} is synthesised")
        for name in drawn:
            rule = rules.get(name, ResponseRule())
            if rule.replaced is not None:
                raise InputError(
                    "restrictions: both SampleUniques and a Restriction say which records of"
                    f" {name!r} were replaced; leave it out of the Restriction"
                )
            rules[name] = replace(rule, replaced=_checked_kept(name, replaced, sets))
    in_order = {name: rules[name] for name in responses if name in rules}
    return Resolved(in_order, tuple(checked))


def _rule(name: Hashable, value: Any, coding: Coding, sets: Sequence[pd.DataFrame]) -> ResponseRule:
    """A restriction in the form that simulation uses. Short forms: flags say which records were
    replaced, anything else which values are allowed.
    """
    restriction = value
    if not isinstance(value, Restriction):
        is_flags = (
            isinstance(value, (list, np.ndarray, pd.Series)) and np.asarray(value).dtype == bool
        )
        restriction = Restriction(replaced=value) if is_flags else Restriction(allowed=value)
    allowed, replaced = restriction.allowed, restriction.replaced
    if replaced is not None:
        flags = flags_of(f"restrictions, replaced of {name!r}", replaced, sets[0])
        replaced = _checked_kept(name, flags, sets)
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
    values = pd.Index(listed(allowed), dtype=object)
    unknown = values[~values.isin(levels)]
    if len(unknown) or not len(values):
        wrong = f"{repr_short(unknown[0])} is not a value" if len(unknown) else "no value is given"
        raise InputError(
            f"restrictions: {wrong} of {name!r} in the released data; the error's details have"
            " all values",
            details={"levels": tuple(levels)},
        )
    return ResponseRule(replaced, np.asarray(levels.isin(values)))


def _checked_kept(name: Hashable, replaced: Flags, sets: Sequence[pd.DataFrame]) -> Flags:
    """The flags; values that were not replaced are the same in every set."""
    kept = np.flatnonzero(~replaced)
    first = sets[0][name].to_numpy(dtype=object)[kept]
    for number, frame in enumerate(sets[1:], start=2):
        other = frame[name].to_numpy(dtype=object)[kept]
        both_missing = pd.isna(first) & pd.isna(other)
        differ = np.asarray(first != other, dtype=bool) & ~both_missing
        if differ.any():
            row = int(kept[differ][0]) + 1
            raise InputError(
                f"restrictions: {name!r} of row {row} is declared not replaced, but sets 1 and"
                f" {number} differ there"
            )
    return replaced


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
    rules = dict(resolved.rules)
    for unique in resolved.uniques:
        rules = _avoiding(rules, unique, released[~unique.replaced])
    drawn = simulate(None, data, rules)
    for unique in resolved.uniques:
        for _ in range(MOST_TRIES):
            now = pd.concat([others, drawn], axis=1)
            rows = _clashing(now[unique.keys], unique.replaced, rng)
            if not len(rows):
                break
            # to avoid: all records that are not drawn again
            staying = now.drop(index=now.index[rows])
            drawn = simulate(rows, drawn, _avoiding(resolved.rules, unique, staying))
        else:
            keys = ", ".join(map(str, unique.keys))
            raise InputError(
                f"restrictions: {len(rows)} records did not become unique in {keys} in {MOST_TRIES}"
                " draws; check the restriction"
            )
    return drawn


def _avoiding(
    rules: dict[Hashable, ResponseRule], unique: SampleUniques, taken: pd.DataFrame
) -> dict[Hashable, ResponseRule]:
    """The rules without levels of the last key that would repeat the keys of a taken record."""
    last = [name for name in rules if name in unique.keys][-1]
    if not is_categorical(taken[last]):
        return rules
    keys = [key for key in unique.keys if key != last]
    free = partial(_free_levels, taken[keys], taken[last].cat)
    return rules | {last: replace(rules[last], preferred=free)}


def _free_levels(taken: pd.DataFrame, last: Any, records: pd.DataFrame) -> Flags:
    """For each record the levels that no taken one with the same other keys has."""
    group = group_numbers(pd.concat([taken, records[list(taken.columns)]]))
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
