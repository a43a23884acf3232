"""Data swapping: frames in, frames out.

The policy is that of Duncan and Keller-McNulty. A record is a candidate if no other record with its value of the swapping attribute has its keys. Its
potential partners are the records with the same keys; the candidate being alone with them in its own area, they are all elsewhere. Candidate and
partner exchange the protected variables with a given probability.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Hashable, Sequence

import numpy as np
import pandas as pd

from ..arguments import check_number, chosen_columns, column_named, random_generator
from ..core.crosstab import combine
from ..core.levels import encode
from ..errors import InputError
from ..frames import check_frame, read_column


@dataclass(frozen=True, slots=True)
class Groups:
    """Who shares keys with whom, and who is alone in their area.

    Attributes
    ----------
    group : int64, shape (n,); records with the same keys have the same number, from 0 on without gaps.
    size : int64, shape (groups,); records in each.
    candidate : bool, shape (n,); nobody else has both these keys and this value of the attribute.
    """

    group: np.ndarray
    size: np.ndarray
    candidate: np.ndarray


def swap(data: pd.DataFrame, keys: Any, attribute: Any, rate: float, *, protected: Any = None, seed: Any = None) -> pd.DataFrame:
    """Swap the protected variables of records that stand out in their area with records elsewhere that have the same keys.

    Pairs are made first, each record in one pair at most: every candidate gets a partner drawn at random from the records with the same keys (another
    candidate, or not). Then each pair is swapped with probability `rate`, independently. So a candidate with a partner is swapped with
    probability `rate`, exactly, and no swap undoes another. Where an odd number of records share their keys one of them stays alone; it is one
    that is no candidate, if there is one.

    Keys and attribute stay as they are, and so do all counts of keys by attribute. In the paper's notation the mask is M = W X with a product
    of transpositions W that works on the protected columns (see `swap_matrix`).

    Parameters
    ----------
    data : DataFrame
        Not changed.
    keys : names or positions (from 1) of the swapping keys, what a snooper may know.
    attribute : name or position of the swapping attribute, such as a geographical area.
    rate : probability that a pair is swapped, from 0 to 1.
    protected : names or positions of the columns that are swapped; all but keys and attribute unless given.
    seed : whole number or numpy.random.Generator; the same seed gives the same data.

    Returns
    -------
    DataFrame
        The same columns, dtypes and index. Missing values of keys and attribute are a value like any other; those of protected variables move with their record.

    Examples
    --------
    The paper's five people. The 37-year-old of area 11 is a candidate and changes incomes with one of the two of area 12.

    >>> people = pd.DataFrame({"age": [37, 43, 43, 37, 37], "area": [11, 11, 11, 12, 12], "income": [89, 46, 32, 55, 40]})
    >>> swap(people, "age", "area", rate=1, seed=1)["income"].tolist()
    [40, 46, 32, 55, 89]
    >>> swap(people, "age", "area", rate=0)["income"].tolist()
    [89, 46, 32, 55, 40]
    """
    names, attribute = _named(data, keys, attribute)
    moved = _protected(data, protected, (*names, attribute))
    rate = check_number("rate", rate, 0, 1)
    generator = random_generator(seed)
    first, second = pair_up_candidates(find_groups(data, names, attribute), generator)
    chosen = generator.random(len(first)) < rate
    return exchange(data, moved, first[chosen], second[chosen])


def swap_candidates(data: pd.DataFrame, keys: Any, attribute: Any) -> pd.DataFrame:
    """Which records `swap` would look at.

    Returns
    -------
    DataFrame
        One row a record, with the index of `data`. Columns: candidate (alone with its keys in its area), partners (records elsewhere with the same keys; those of a
        candidate may be drawn as its partner, and a candidate without any is never swapped).

    Examples
    --------
    >>> people = pd.DataFrame({"age": [37, 43, 43, 37, 37], "area": [11, 11, 11, 12, 12]})
    >>> swap_candidates(people, "age", "area")
       candidate  partners
    0       True         2
    1      False         0
    2      False         0
    3      False         1
    4      False         1
    """
    names, attribute = _named(data, keys, attribute)
    groups = find_groups(data, names, attribute)
    own = _counts_by_record(_codes(data, [*names, attribute]))
    return pd.DataFrame({"candidate": groups.candidate, "partners": groups.size[groups.group] - own}, index=data.index)


def _named(data: pd.DataFrame, keys: Any, attribute: Any) -> tuple[tuple[Hashable, ...], Hashable]:
    check_frame(data, "data")
    if not len(data):
        raise InputError("data: has no rows; there is nobody to swap")
    columns = list(data.columns)
    names = tuple(chosen_columns("keys", keys, columns))
    if not names:
        raise InputError(f"keys: none given; choices: {', '.join(map(str, columns))}")
    name = column_named("attribute", attribute, columns, "the data")
    if name in names:
        raise InputError(f"attribute: {name!r} is also one of the keys; a candidate and its partner share the keys, so nothing could be swapped")
    return names, name


def _protected(data: pd.DataFrame, protected: Any, fixed: Sequence[Hashable]) -> list[Hashable]:
    columns = list(data.columns)
    if protected is None:
        moved = [name for name in columns if name not in fixed]
    else:
        moved = chosen_columns("protected", protected, columns)
    for name in moved:
        if name in fixed:
            raise InputError(f"protected: {name!r} is a key or the attribute; these stay in their place, what is protected moves")
    if not moved:
        raise InputError("protected: no column is left to be swapped; give at least one column besides keys and attribute")
    return moved


# ---- groups, pairs, exchange ------------------------------------------------------------------------------------------------


def find_groups(data: pd.DataFrame, keys: Sequence[Hashable], attribute: Hashable) -> Groups:
    """Records by keys, and candidates among them."""
    _, group = np.unique(_codes(data, keys), return_inverse=True)
    group = group.reshape(-1)
    return Groups(group, np.bincount(group), _counts_by_record(_codes(data, [*keys, attribute])) == 1)


def _codes(data: pd.DataFrame, names: Sequence[Hashable]) -> np.ndarray:
    (codes,), _ = combine([encode(str(name), [read_column(data[name], f"data, column {name!r}")]) for name in names])
    return codes


def _counts_by_record(codes: np.ndarray) -> np.ndarray:
    _, place, n = np.unique(codes, return_inverse=True, return_counts=True)
    return n[place.reshape(-1)]


def pair_up_candidates(groups: Groups, generator: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Positions of the records of each pair, drawn at random; every pair holds a candidate, no record is in two pairs.

    All records of a group can be partners of a candidate in it, so a shuffled group cut into pairs gives every candidate a partner drawn evenly from the others.
    """
    at = np.flatnonzero((groups.size[groups.group] > 1) & _with_candidate(groups)[groups.group])
    draw = generator.random(len(at))
    group, candidate = groups.group[at], groups.candidate[at]
    # the last of an odd group stays alone: the shuffled record that comes last, candidates first; the others are shuffled again
    order = np.lexsort((draw, ~candidate, group))
    last = np.append(group[order][1:] != group[order][:-1], True) if len(at) else np.zeros(0, dtype=bool)
    left_over = np.zeros(len(at), dtype=bool)
    left_over[order[last]] = groups.size[group[order[last]]] % 2 == 1
    order = np.lexsort((generator.random(len(at)), group, left_over))[: len(at) - int(left_over.sum())]
    first, second = at[order[0::2]], at[order[1::2]]
    holds = groups.candidate[first] | groups.candidate[second]
    return first[holds], second[holds]


def _with_candidate(groups: Groups) -> np.ndarray:
    return np.bincount(groups.group, weights=groups.candidate, minlength=len(groups.size)) > 0


def exchange(data: pd.DataFrame, columns: Sequence[Hashable], first: np.ndarray, second: np.ndarray) -> pd.DataFrame:
    """The data with the values of `columns` exchanged between the records first[i] and second[i]."""
    source = np.arange(len(data))
    source[first], source[second] = second, first
    swapped = data.copy()
    for name in columns:
        swapped[name] = data[name].iloc[source].set_axis(data.index)
    return swapped
