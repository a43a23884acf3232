"""Data swapping: frames in, frames out.

The policy is that of Duncan and Keller-McNulty. A record is a candidate if no other record with its
value of the swapping attribute has its keys. Its potential partners are the records with the same
keys. Because the candidate is the only one with these keys in its area, they are all in other
areas. Candidate and partner exchange the protected variables with a given probability.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from ..arguments import check_number, chosen_columns, column_named
from ..core.arrays import Flags, Integers, Values
from ..core.coding import encode
from ..core.combinations import joint_codes
from ..errors import DataWarning, InputError, warn, warning_once
from ..release_seed import release_generator
from ..tables.frames import FrameT, give_back
from ..tables.opening import check_frame
from ..tables.reading import read_column


@dataclass(frozen=True, slots=True)
class KeyGroups:
    """Which records share keys, and which are alone in their area.

    Attributes
    ----------
    group : int64, shape (n,); records with the same keys have the same number, from 0 on without
        gaps.
    size : int64, shape (groups,); records in each.
    candidate : bool, shape (n,); no other record has both these keys and this value of the
        attribute.
    """

    group: Integers
    size: Integers
    candidate: Flags


@dataclass(frozen=True, slots=True)
class Moves:
    """Which record takes the protected values of which.

    Attributes
    ----------
    to, source : int64, shape (moves,); the record to[i] takes the values of the record source[i].
        No record is twice in either.
    unit : int64, shape (moves,); moves of the same unit, a pair or a ring of three, are made
        together or not at all. Numbers from 0 on without gaps.
    """

    to: Integers
    source: Integers
    unit: Integers

    @property
    def units(self) -> int:
        return int(self.unit.max(initial=-1)) + 1

    def chosen(self, units: Flags) -> Moves:
        """Those of some units only, given as bool, shape (units,)."""
        kept = units[self.unit]
        return Moves(self.to[kept], self.source[kept], self.unit[kept])


@warning_once
def swap(
    original: FrameT,
    keys: Any,
    attribute: Any,
    rate: float,
    *,
    protected: Any = None,
    seed: Any = None,
    reproducible: bool = False,
) -> FrameT:
    """Swap the protected variables of records that are unique in their area with records elsewhere
    that have the same keys.

    Pairs are made first, each record in at most one pair. Every candidate gets a partner drawn
    evenly from the records with the same keys; the partner may be a candidate or not. A record that
    is not a candidate moves only as the partner of a candidate. Then each pair is swapped with
    probability `rate`, independently. If an odd number of records share their keys, one that is not
    a candidate stays out. If all of them are candidates, three form a ring: each takes the values
    of the next, together or not at all. So every candidate with a partner gets the values of a
    record in another area with probability exactly `rate`, and no swap undoes another. A snooper
    who links such a candidate has the correct person's values with probability 1 - rate, as in
    `swapping_ru`. The values may still be equal by chance.

    **A candidate without a partner is never swapped**, whatever the rate, and stays as exposed as
    in the original: `swap_candidates` lists them. If nobody at all can be swapped, the original
    comes back, and a `DataWarning` says so.

    Keys and attribute stay as they are, and so do all counts of keys by attribute. In the paper's
    notation the mask is M = W X with a product of transpositions W that works on the protected
    columns (see `swap_matrix`; a ring is the product of two).

    Parameters
    ----------
    original : DataFrame of pandas, polars or Arrow
        Not changed.
    keys : names or positions (from 1) of the swapping keys, what a snooper may know.
    attribute : name or position of the swapping attribute, such as a geographical area.
    rate : probability that a candidate with a partner is swapped, from 0 to 1.
    protected : names or positions of the columns that are swapped; by default all except keys and
        attribute.
    seed : leave it out for a release; the operating system draws. Anyone who has the seed, a whole
        number or a numpy.random.Generator, can make the same data again and undo the release. A
        seed of fewer than 100 bits can be guessed and gives a warning; `secrets.randbits(128)`,
        kept secret, cannot be guessed.
    reproducible : True for teaching and tests, where nothing is released: a short seed then gives
        no warning.

    Returns
    -------
    DataFrame
        Of the kind given, with the same columns, types and row labels. Missing values of keys and
        attribute are a value like any other; those of protected variables move with their record.

    Examples
    --------
    The paper's five people. The 37-year-old in area 11 is a candidate and exchanges incomes with
    one of the two in area 12.

    >>> people = pd.DataFrame({"age": [37, 43, 43, 37, 37], "area": [11, 11, 11, 12, 12]})
    >>> people["income"] = [89, 46, 32, 55, 40]
    >>> swap(people, "age", "area", rate=1, seed=1, reproducible=True)["income"].tolist()
    [40, 46, 32, 55, 89]
    >>> swap(people, "age", "area", rate=0)["income"].tolist()
    [89, 46, 32, 55, 40]
    """
    frame = check_frame(original, "original")
    names, attribute = _named(frame, keys, attribute)
    columns = _protected(frame, protected, (*names, attribute))
    rate = check_number("rate", rate, 0, 1)
    generator = release_generator(seed, reproducible)
    groups = find_groups(frame, names, attribute)
    moves = plan_moves(groups, generator)
    if len(frame) and rate > 0 and not moves.units:
        _tell_that_nobody_moves(names, attribute)
    swapped_units = generator.random(moves.units) < rate
    swapped = _with_moved_values(frame, columns, moves.chosen(swapped_units))
    return give_back(swapped, original)


def _tell_that_nobody_moves(keys: Sequence[Any], attribute: Any) -> None:
    named = ", ".join(map(str, keys))
    warn(
        f"swap() gives the data back as they were: nobody is alone with their keys ({named}) in"
        f" their {attribute} and has a partner elsewhere. masks.swap_candidates() says who could be"
        " swapped; other keys give other candidates.",
        DataWarning,
    )


@warning_once
def swap_candidates(original: FrameT, keys: Any, attribute: Any) -> FrameT:
    """Which records `swap` would consider; the arguments are the same.

    Returns
    -------
    DataFrame
        Of the kind given; one row per record, with the row labels of `original`. Columns: candidate
        (alone with its keys in its area), partners (records elsewhere with the same keys; those of
        a candidate may be drawn as its partner), exposed (a candidate without a partner: `swap`
        never moves it, at any rate, so mask it in another way).

    Examples
    --------
    The paper's five people, and an 80-year-old without a partner:

    >>> people = pd.DataFrame({"age": [37, 43, 43, 37, 37, 80], "area": [11, 11, 11, 12, 12, 12]})
    >>> swap_candidates(people, "age", "area")
       candidate  partners  exposed
    0       True         2    False
    1      False         0    False
    2      False         0    False
    3      False         1    False
    4      False         1    False
    5       True         0     True
    """
    frame = check_frame(original, "original")
    names, attribute = _named(frame, keys, attribute)
    groups = find_groups(frame, names, attribute)
    in_own_area = _counts_by_record(_codes(frame, [*names, attribute]))
    partners = groups.size[groups.group] - in_own_area
    columns = {
        "candidate": groups.candidate,
        "partners": partners,
        "exposed": groups.candidate & (partners == 0),
    }
    return give_back(pd.DataFrame(columns, index=frame.index), original)


def _named(data: pd.DataFrame, keys: Any, attribute: Any) -> tuple[tuple[Hashable, ...], Hashable]:
    if not len(data):
        raise InputError("original: has no rows, so there is nobody to swap")
    columns = list(data.columns)
    names = tuple(chosen_columns("keys", keys, columns))
    if not names:
        choices = ", ".join(map(str, columns))
        raise InputError(f"keys: none given; choices: {choices}")
    name = column_named("attribute", attribute, columns, "the data")
    if name in names:
        raise InputError(
            f"attribute: {name!r} is also one of the keys; a candidate and its partner share the"
            " keys, so nothing could be swapped"
        )
    return names, name


def _protected(data: pd.DataFrame, protected: Any, fixed: Sequence[Hashable]) -> list[Hashable]:
    columns = list(data.columns)
    if protected is None:
        moved = [name for name in columns if name not in fixed]
    else:
        moved = chosen_columns("protected", protected, columns)
    for name in moved:
        if name in fixed:
            raise InputError(
                f"protected: {name!r} is a key or the attribute; those stay in place, "
                "protected columns move"
            )
    if not moved:
        raise InputError(
            "protected: no column is left to be swapped; give at least one column besides keys and"
            " attribute"
        )
    return moved


def find_groups(data: pd.DataFrame, keys: Sequence[Hashable], attribute: Hashable) -> KeyGroups:
    """Records by keys, and candidates among them."""
    _, group = np.unique(_codes(data, keys), return_inverse=True)
    group = group.reshape(-1)
    in_area = _counts_by_record(_codes(data, [*keys, attribute]))
    return KeyGroups(group, np.bincount(group), in_area == 1)


def _codes(data: pd.DataFrame, names: Sequence[Hashable]) -> Integers:
    """One number for each record, the same where all these columns are the same."""
    variables = []
    for name in names:
        column = read_column(data[name], f"original, column {name!r}")
        variables.append(encode(str(name), [column]))
    (codes,), _ = joint_codes(variables)
    return codes


def _counts_by_record(codes: Integers) -> Integers:
    """How many records have the code of each."""
    _, number, counts = np.unique(codes, return_inverse=True, return_counts=True)
    return counts[number.reshape(-1)]


def plan_moves(groups: KeyGroups, generator: np.random.Generator) -> Moves:
    """Pairs, and rings of three, drawn at random; every one holds a candidate, no record is in two,
    every candidate with a partner is in one.

    All records of a group can be partners of a candidate in it, so a shuffled group cut into pairs
    gives every candidate a partner drawn evenly from the others. Of an odd group of candidates the
    first three make a ring.
    """
    members = np.flatnonzero(_has_candidate_and_partner(groups)[groups.group])
    paired = members[~_left_over(groups, members, generator)]
    shuffled = np.lexsort((generator.random(len(paired)), groups.group[paired]))
    records = paired[shuffled]
    unit = _units(groups.group[records])
    candidates = np.bincount(unit, weights=groups.candidate[records])
    needed = candidates[unit] > 0
    return _moves_within(records[needed], unit[needed])


def _has_candidate_and_partner(groups: KeyGroups) -> Flags:
    """Shape (groups,)."""
    number = len(groups.size)
    candidates: Values = np.bincount(groups.group, weights=groups.candidate, minlength=number)
    return (groups.size > 1) & (candidates > 0)


def _moves_within(records: Integers, unit: Integers) -> Moves:
    """Each record takes from the next of its unit, the last from the first; units lie together."""
    if not len(records):
        return Moves(records, records, records)
    starts, ends = _runs(unit)
    following = np.arange(1, len(records) + 1)
    following[ends - 1] = starts
    renumbered = np.repeat(np.arange(len(starts)), ends - starts)
    return Moves(records, records[following], renumbered)


def _left_over(groups: KeyGroups, members: Integers, generator: np.random.Generator) -> Flags:
    """One record of each odd group that holds non-candidates: one of them, drawn evenly. Shape
    (members,).
    """
    group, candidate = groups.group[members], groups.candidate[members]
    # in each group non-candidates come last, in random order
    order = np.lexsort((generator.random(len(members)), ~candidate, group))
    _, ends = _runs(group[order])
    last = order[ends - 1]
    odd = groups.size[group[last]] % 2 == 1
    left = np.zeros(len(members), dtype=bool)
    left[last] = odd & ~candidate[last]
    return left


def _units(group: Integers) -> Integers:
    """Numbers of pairs along groups that lie together; the first three of an odd group have one
    number.

    >>> _units(np.array([5, 5, 5, 5, 5, 8, 8])).tolist()
    [0, 0, 0, 1, 1, 2, 2]
    """
    starts, ends = _runs(group)
    sizes = ends - starts
    nth = np.arange(len(group)) - np.repeat(starts, sizes)
    odd = np.repeat(sizes % 2 == 1, sizes)
    within = np.where(odd, np.maximum(nth - 1, 0) // 2, nth // 2)
    pairs = sizes // 2
    earlier_pairs = np.cumsum(pairs) - pairs
    unit: Integers = within + np.repeat(earlier_pairs, sizes)
    return unit


def _runs(values: Integers) -> tuple[Integers, Integers]:
    """Where runs of equal values begin and end, the end being the position after the last."""
    if not len(values):
        none = np.zeros(0, dtype=np.int64)
        return none, none
    changes = np.flatnonzero(values[1:] != values[:-1]) + 1
    return np.append(0, changes), np.append(changes, len(values))


def _with_moved_values(
    data: pd.DataFrame, columns: Sequence[Hashable], moves: Moves
) -> pd.DataFrame:
    """A copy of the data with the values of `columns` moved."""
    source = np.arange(len(data))
    source[moves.to] = moves.source
    swapped = data.copy()
    for name in columns:
        values = data[name].iloc[source]
        swapped[name] = values.set_axis(data.index)
    return swapped
