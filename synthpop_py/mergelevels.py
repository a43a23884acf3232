"""`mergelevels_syn()`: small levels of categorical columns merged, by size or by hand.

Levels are merged by their counts alone: a merge is the new name of each level, and the new levels
in their order. None stands for missing values where they are a level.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from itertools import compress
from typing import Any, TypeAlias, cast

import numpy as np
import pandas as pd

from .arguments import check_choice, check_flag, check_number, chosen_columns, listed
from .core.arrays import Flags, Integers
from .errors import InputError, RDefectWarning, unknown_name, warn, warning_once
from .r.ledger import reasons
from .r.reading import CORRECTED, MODES
from .show.printing import print_notes
from .synds import as_given, one_frame
from .tables.frames import FrameT
from .tables.opening import open_table

OTHER = "Other"
Levels: TypeAlias = list[str | None]
Merge: TypeAlias = tuple[Levels, Levels]


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
    Missing values are left alone unless `addNA` is set. The result is new, and of the kind given.

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
    compat : "r" (or "r-1.9-2", which is the same here) for R's result, "corrected" for the correct
        one. An `RDefectWarning` names the columns in which they differ (D47): R's new label names
        other levels than those merged, two tied levels stay too small, or one is merged because
        `addNA` gave a column without missing values an empty level for them.

    Examples
    --------
    >>> import pandas as pd
    >>> towns = pd.DataFrame({"town": pd.Categorical(["A"] * 5 + ["B"] * 4 + ["C", "C", "D"])})
    >>> mergelevels_syn(towns, minsize=3)["town"].value_counts(sort=False).to_dict()
    {'A': 5, 'B': 4, 'Other': 3}
    >>> mergelevels_syn(towns, minsize=3, newlabel=True)["town"].cat.categories.tolist()
    ['A', 'B', 'C D']
    >>> south = {"town": ["south", "B", "D"]}
    >>> mergelevels_syn(towns, merge_byhand=True, merge_details=south)["town"].unique().tolist()
    ['A', 'south', 'C']
    """
    frame = one_frame(data, "data")
    flags = {"newlabel": newlabel, "addNA": addNA, "print_flag": print_flag}
    for argument, value in (flags | {"merge_byhand": merge_byhand}).items():
        check_flag(argument, value)
    check_number("minsize", minsize)
    mode = check_choice("compat", compat, MODES)
    details = _details(merge_details, frame, merge_byhand)
    names = list(details) or chosen_columns("vars", vars, frame.columns)
    for name in names:
        if not isinstance(frame[name].dtype, pd.CategoricalDtype):
            raise InputError(
                f"{'merge_details' if details else 'vars'}: column {name!r} is"
                f" {frame[name].dtype}, not categorical; convert it with .astype('category')"
            )
    if vars is None and not details:
        names = list(frame.select_dtypes("category").columns)
    new, notes, wrong_in_r = frame.copy(), [], []
    for name in names:
        column = open_table(frame, "data").count_by([name]).columns[name]
        levels: Levels = [*column.labels, None] if addNA else [*column.labels]
        codes, gap = column.values, len(column.labels)
        if column.missing is not None:
            codes = np.where(column.missing, gap, codes)
        n = np.bincount(codes, minlength=gap + 1)[: len(levels)]
        if merge_byhand:
            merge = merged_by_hand(levels, name, details[name])
        else:
            merge = correct = merged_by_size(levels, n, minsize, newlabel)
            if mode != CORRECTED:
                from .r.companions import merged_as_r

                merge = merged_as_r(levels, n, minsize, newlabel)
            if _occurring(merge, n) != _occurring(correct, n):
                wrong_in_r.append(str(name))
        to, order = merge
        if order == levels:
            notes.append(f"{name}: nothing merged")
        else:
            notes.append(f"{name}, before: {_counted((levels, levels), n)}")
            notes.append(f"{name}, after: {_counted(merge, n)}")
        if addNA or to != levels:
            # the explicit level for missing values becomes ordinary missing
            texts = pd.Index([level for level in order if level is not None], dtype=object)
            places = texts.get_indexer([*to, None])[codes]
            values = pd.Categorical.from_codes(places, texts, ordered=frame[name].dtype.ordered)
            new[name] = pd.Series(values, index=frame.index)
    if print_flag:
        print_notes(notes)
    if wrong_in_r:
        # which levels those are, maybe of one person, is not for a log
        warn(
            f"mergelevels_syn: R has other levels than the correct ones in column"
            f" {', '.join(wrong_in_r)}; compat='corrected' gives the correct ones."
            f" {reasons(['D47'])}.",
            RDefectWarning,
        )
    return cast(FrameT, as_given(new, data))


def merged_by_size(levels: Levels, n: Integers, minsize: float, newlabel: bool) -> Merge:
    """Small levels merged; those without records are dropped when something is merged."""
    occurs = n > 0
    merged = (n < minsize) & occurs
    if not merged.any():
        return levels, levels
    if not newlabel:
        merged |= np.array([name == OTHER for name in levels])
    others = np.flatnonzero(occurs & ~merged)
    if n[merged].sum() < minsize and len(others):
        smallest = others[n[others] == n[others].min()]
        merged[smallest[-1]] = True
    kept = occurs & ~merged
    label = OTHER
    if newlabel:
        label = " ".join(map(level_text, compress(levels, merged & occurs)))
    while label in compress(levels, kept):  # no record may move to another level by mistake
        label += " (merged)"
    return lumped(levels, kept, label)


def lumped(levels: Levels, keep: Flags, label: str) -> Merge:
    """All levels not kept become one, which goes last."""
    to = [name if is_kept else label for name, is_kept in zip(levels, keep)]
    return to, [*(name for name in dict.fromkeys(to) if name != label), label]


def merged_by_hand(levels: Levels, name: Hashable, entry: Sequence[str]) -> Merge:
    """Levels that get a new name: the first text of `entry` for the levels that follow."""
    new, *old = entry
    texts, to = list(map(level_text, levels)), list(levels)
    for text in old:
        if text not in texts:
            raise InputError(
                f"merge_details: {text!r} is not a level of {name!r}; the error's details have all"
                " levels",
                details={"levels": tuple(texts)},
            )
        to[texts.index(text)] = new  # the first, where both a level and missing are called NA
    return to, list(dict.fromkeys(to))


def level_text(name: str | None) -> str:
    return "NA" if name is None else name


def records_of(merge: Merge, n: Integers) -> list[int]:
    """Records of each new level."""
    counts: dict[str | None, int] = dict.fromkeys(merge[1], 0)
    for name, records in zip(merge[0], n.tolist()):
        counts[name] += records
    return list(counts.values())


def _counted(merge: Merge, n: Integers) -> str:
    counts = zip(merge[1], records_of(merge, n))
    return ", ".join(f"{level_text(name)} {records}" for name, records in counts)


def _occurring(merge: Merge, n: Integers) -> Merge:
    """The new name of each level that occurs, and the new levels that do, in order."""
    to = list(compress(merge[0], n > 0))
    there = set(to)
    return to, [name for name in merge[1] if name in there]


def _details(details: Any, data: pd.DataFrame, by_hand: bool) -> dict[Hashable, list[str]]:
    """For each column the new name and the levels that get it; none where merging is by size."""
    if not by_hand:
        if details is None:
            return {}
        raise InputError(
            "merge_details: is given, but merge_byhand is False, so it would be ignored; set"
            " merge_byhand=True or leave it out"
        )
    if not isinstance(details, Mapping) or not details:
        raise InputError(
            f"merge_details: {details!r}; with merge_byhand give a mapping such as {{'town': ['new"
            " name', 'A', 'B']}"
        )
    by_column = {}
    for name, entry in details.items():
        if name not in data.columns:
            raise unknown_name("merge_details", name, list(data.columns), "the data")
        by_column[name] = listed(entry)
        if not entry or not all(isinstance(text, str) for text in by_column[name]):
            raise InputError(
                f"merge_details: {entry!r} for {name!r} is not a list of texts; give the new name,"
                " then the levels that get it"
            )
    return by_column
