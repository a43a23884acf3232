"""`mergelevels_syn()`: small levels of categorical columns merged, by size or by hand.

Levels are merged by their counts alone, so a column is read once as its levels, and written once
under the new ones.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import replace
from itertools import chain, compress
from typing import Any, cast

import numpy as np
import pandas as pd

from .arguments import check_choice, check_flag, chosen_columns, is_number, listed
from .core.arrays import Flags, Integers
from .errors import InputError, RDefectWarning, unknown_name, warn, warning_once
from .levels import Factor, factorise
from .missing import MISSING
from .r.as_r import moved
from .r.ledger import DEFECTS
from .r.reading import CORRECTED, MODES
from .show.printing import note_lines, print_notes
from .stacking import as_given, one_frame
from .tables.frames import FrameT
from .tables.opening import open_table

OTHER = "Other"
NA_TEXT = "NA"


@warning_once
def mergelevels_syn(
    data: FrameT,
    vars: Any = None,
    *,
    newlabel: bool = False,
    addNA: bool = False,
    print_flag: bool = False,
    minsize: float = 10,
    merge_byhand: bool = False,
    merge_details: Mapping[Any, Any] | None = None,
    compat: str = "r",
) -> FrameT:
    """Merge levels of categorical columns that few records have (R's ``mergelevels.syn()``).

    Levels of fewer than `minsize` records become one level, ``"Other"``, put last. If that is still
    too small, the smallest remaining level joins it (the last one if several are equally small).
    Missing values are left alone unless `addNA` is set.

    Parameters
    ----------
    data : DataFrame of pandas, polars or Arrow, or SynDS
        The records of all sets of a SynDS are counted together, so every set gets the same levels.
    vars : names or positions (from 1, as in R) of categorical columns; all of them by default. Not
        used with `merge_byhand`.
    newlabel : name the new level after the levels in it instead of "Other".
    addNA : treat missing as a level like the others, which can be merged. Where it is not merged it
        stays missing: pandas, unlike R, has no level for it.
    print_flag : show the counts before and after.
    minsize : levels of fewer records are merged.
    merge_byhand : merge what `merge_details` says instead.
    merge_details : mapping of column to a list, first the new name, then the levels that get it;
        with `addNA` missing is ``"NA"``.
    compat : "r" (or "r-1.9-2", which is the same here) for R's result, "corrected" for the
        correct one.

    Returns
    -------
    DataFrame or SynDS
        A new one, of the kind given.

    Warns
    -----
    RDefectWarning
        Where R's result is not what the call asked for (D47): a new label names other levels than
        those merged; a level stays too small because two were tied; or (with `addNA`) a level is
        merged only because a column without missing values got an empty level for them. The warning
        names the columns; the levels, which may be of one person, are not for a log.

    Examples
    --------
    >>> import pandas as pd
    >>> towns = pd.DataFrame({"town": pd.Categorical(["A"] * 5 + ["B"] * 4 + ["C", "C", "D"])})
    >>> mergelevels_syn(towns, minsize=3)["town"].value_counts(sort=False).to_dict()
    {'A': 5, 'B': 4, 'Other': 3}
    >>> mergelevels_syn(towns, minsize=3, newlabel=True)["town"].cat.categories.tolist()
    ['A', 'B', 'C D']
    >>> south = {"town": ["south", "B", "D"]}
    >>> by_hand = mergelevels_syn(towns, merge_byhand=True, merge_details=south)
    >>> by_hand["town"].value_counts(sort=False).to_dict()
    {'A': 5, 'south': 5, 'C': 2}
    """
    frame = one_frame(data, "data")
    flags = {"newlabel": newlabel, "addNA": addNA, "print_flag": print_flag}
    for argument, value in (flags | {"merge_byhand": merge_byhand}).items():
        check_flag(argument, value)
    if not is_number(minsize) or math.isnan(minsize):
        raise InputError(
            f"minsize: {minsize!r} is not a number; give the fewest records a level may have"
        )
    mode = check_choice("compat", compat, MODES)
    details = _details(merge_details, frame, merge_byhand)
    new, notes, wrong_in_r = frame.copy(), [], []
    for name in details or _categorical_columns(vars, frame):
        before = _levels(frame, name, addNA)
        if merge_byhand:
            after = _merged_by_hand(before, name, details[name])
        else:
            after = correct = _merged_by_size(before, minsize, newlabel)
            if mode != CORRECTED:
                after = _merged_by_size_as_r(before, minsize, newlabel)
            if _occurring(after) != _occurring(correct):
                wrong_in_r.append(name)
        notes += _notes(name, before, after)
        if addNA or after is not before:
            new[name] = _written(after, frame[name])
    if print_flag:
        print_notes(notes)
    if wrong_in_r:
        _warn_of(wrong_in_r)
    return cast(FrameT, as_given(new, data))


# ---- levels --------------------------------------------------------------------------


def _levels(data: pd.DataFrame, name: Hashable, add_na: bool) -> Factor:
    """A categorical column; with `add_na` missing is a level, called None."""
    factor = factorise(open_table(data, "data").count_by([name]).columns[name])
    if not add_na:
        return factor
    return replace(factor, levels=(*factor.levels, None), has_gaps=False)


def _texts(factor: Factor) -> list[str]:
    return [NA_TEXT if name is None else name for name in factor.levels]


def _counts(factor: Factor) -> Integers:
    """Records of each level."""
    return factor.records()[:-1]


def _renamed(factor: Factor, names: Sequence[Any], last: str | None = None) -> Factor:
    """Levels with the same new name become one, in the place of the first, or at the end."""
    order = list(dict.fromkeys(names))
    if last is not None:
        order.remove(last)
        order.append(last)
    return factor.moved("factor", tuple(order), moved(names, order))


def _lumped(factor: Factor, keep: Flags, label: str) -> Factor:
    """All levels not kept become one, which goes last."""
    names = [name if is_kept else label for name, is_kept in zip(factor.levels, keep)]
    return _renamed(factor, names, last=label)


def _occurring(factor: Factor) -> list[list[str | None]]:
    """The name of each level of the data that occurs, and these names in the order of levels."""
    places = factor.place[factor.rows.often > 0]
    names = [*factor.levels, MISSING]
    return [[names[place] for place in some] for some in (places, np.unique(places))]


def _written(factor: Factor, like: pd.Series) -> pd.Series:
    """As a pandas column; the explicit level for missing values becomes ordinary missing."""
    names = [name for name in factor.levels if name is not None]
    code = {name: i for i, name in enumerate(names)} | {None: -1}
    code_of = np.array([code[name] for name in (*factor.levels, None)], dtype=np.int64)
    values = pd.Categorical.from_codes(
        code_of[factor.place][factor.rows.codes],
        pd.Index(names, dtype=object),
        ordered=bool(like.dtype.ordered),
    )
    return pd.Series(values, index=like.index)


# ---- what is merged ------------------------------------------------------------------


def _merged_by_size(factor: Factor, minsize: float, newlabel: bool) -> Factor:
    """Small levels merged; if they are still too few together, the smallest of the others joins
    them.

    Levels without records do not count as small, but are dropped when something is merged. An
    existing level called "Other" joins the new one.
    """
    n = _counts(factor)
    occurs = n > 0
    merged = (n < minsize) & occurs
    if not merged.any():
        return factor
    if not newlabel:
        merged |= np.array([name == OTHER for name in factor.levels])
    others = np.flatnonzero(occurs & ~merged)
    if n[merged].sum() < minsize and len(others):
        smallest = others[n[others] == n[others].min()]
        merged[smallest[-1]] = True
    kept = occurs & ~merged
    label = " ".join(compress(_texts(factor), merged & occurs)) if newlabel else OTHER
    taken = set(compress(factor.levels, kept))
    while label in taken:  # no record may move to another level by mistake
        label += " (merged)"
    return _lumped(factor, kept, label)


def _merged_by_size_as_r(factor: Factor, minsize: float, newlabel: bool) -> Factor:
    """What R makes of it (D47): it assumes that the last level joins "Other", whichever joins, and
    merges nothing more where two are equally small.
    """
    small = _counts(factor) < minsize
    if not small.any():
        return factor
    inside = list(compress(_texts(factor), small))
    merged = _lumped(factor, ~small, OTHER)
    counts, size = _counts(merged), len(merged.levels)
    labelled, label = size - 1, " ".join(inside)
    if counts[-1] < minsize:
        labelled = size - 2
        label = " ".join(f"{_texts(merged)[labelled]} {text}" for text in inside)
        larger = np.array([(counts > count).sum() for count in counts])
        if size > 1 and (larger >= size - 2).any():
            merged = _lumped(merged, larger < size - 2, OTHER)
    names = list(merged.levels)
    if newlabel and 0 <= labelled < len(names):
        names[labelled] = label
        return _renamed(merged, names)
    return merged


def _merged_by_hand(factor: Factor, name: Hashable, entry: Sequence[str]) -> Factor:
    """Levels that get a new name: the first text of `entry` for the levels that follow."""
    new, *old = entry
    texts, names = _texts(factor), list(factor.levels)
    for text in old:
        if text not in texts:
            raise InputError(
                f"merge_details: {text!r} is not a level of {name!r}; the error's details have all"
                " levels",
                details={"levels": tuple(texts)},
            )
        names[texts.index(text)] = new  # the first, where both a level and missing are called NA
    return _renamed(factor, names) if old else factor


# ---- arguments -----------------------------------------------------------------------


def _categorical_columns(vars: Any, data: pd.DataFrame) -> list[Hashable]:
    """Names of the columns given; of all categorical ones if none are given."""
    if vars is None:
        return list(data.select_dtypes("category").columns)
    names = chosen_columns("vars", vars, data.columns)
    for name in names:
        _check_categorical("vars", name, data)
    return names


def _check_categorical(argument: str, name: Hashable, data: pd.DataFrame) -> None:
    if not isinstance(data[name].dtype, pd.CategoricalDtype):
        raise InputError(
            f"{argument}: column {name!r} is {data[name].dtype}, not categorical; convert it with"
            " .astype('category')"
        )


def _details(details: Any, data: pd.DataFrame, by_hand: bool) -> dict[Hashable, list[str]]:
    """For each column the new name and the levels that get it; none where merging is by size."""
    if not by_hand and details is not None:
        raise InputError(
            "merge_details: is given, but merge_byhand is False, so it would be ignored; set"
            " merge_byhand=True or leave it out"
        )
    if not by_hand:
        return {}
    if not isinstance(details, Mapping) or not details:
        raise InputError(
            f"merge_details: {details!r}; with merge_byhand give a mapping such as {{'town': ['new"
            " name', 'A', 'B']}"
        )
    by_column = {}
    for name, entry in details.items():
        if name not in data.columns:
            raise unknown_name("merge_details", name, list(data.columns), "the data")
        _check_categorical("merge_details", name, data)
        texts = listed(entry)
        if not texts or not all(isinstance(text, str) for text in texts):
            raise InputError(
                f"merge_details: {entry!r} for {name!r} is not a list of texts; give the new name,"
                " then the levels that get it"
            )
        by_column[name] = texts
    return by_column


# ---- what is told --------------------------------------------------------------------


def _notes(name: Hashable, before: Factor, after: Factor) -> list[str]:
    if before.levels == after.levels:
        return [f"{name}: nothing merged"]
    notes = []
    for when, factor in (("before", before), ("after", after)):
        counted = [f"{text} {count}" for text, count in zip(_texts(factor), _counts(factor))]
        notes.append(f"{name}, {when}: {', '.join(counted)}")
    return notes


def _warn_of(names: list[Hashable]) -> None:
    found = DEFECTS["D47"]
    lines = [
        "mergelevels_syn gives R's result; compat='corrected' gives the correct one:",
        f"  D47, {found.summary}: R {found.r_does}; correct: {found.correct}.",
        *(f"    {name}: R has other levels than the correct ones" for name in names),
    ]
    warn("\n".join(chain(*map(note_lines, lines))), RDefectWarning)
