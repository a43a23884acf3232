"""`mergelevels_syn()`: small levels of categorical columns merged, by size or by hand.

Levels are merged by their counts alone: a merge says the new name of each level, in the order of
the new ones. None stands for missing values where they are a level.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from itertools import compress
from typing import Any, TypeAlias

import numpy as np
import pandas as pd

from .arguments import check_choice, check_flag, check_number, chosen_columns, listed
from .core.arrays import Flags, Integers
from .errors import InputError, RDefectWarning, unknown_name, warn, warning_once
from .r.ledger import reasons
from .r.reading import CORRECTED, MODES
from .show.printing import print_notes
from .tables.frames import FrameT, give_back
from .tables.opening import check_frame, open_table

OTHER = "Other"
Levels: TypeAlias = list[str | None]
Merge: TypeAlias = dict[str | None, str | None]


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
    The result is new, and of the kind given.

    Parameters
    ----------
    data : DataFrame of pandas, polars or Arrow
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
        other levels than those merged, tied levels stay too small, or an empty one is merged.

    Examples
    --------
    >>> import pandas as pd
    >>> towns = pd.DataFrame({"town": pd.Categorical(["A"] * 5 + ["B"] * 4 + ["C", "C", "D"])})
    >>> mergelevels_syn(towns, minsize=3)["town"].value_counts(sort=False).to_dict()
    {'A': 5, 'B': 4, 'Other': 3}
    >>> south = {"town": ["south", "B", "D"]}
    >>> mergelevels_syn(towns, merge_byhand=True, merge_details=south)["town"].unique().tolist()
    ['A', 'south', 'C']
    """
    frame = check_frame(data, "data")
    flags = {"newlabel": newlabel, "addNA": addNA, "print_flag": print_flag}
    for argument, value in (flags | {"merge_byhand": merge_byhand}).items():
        check_flag(argument, value)
    check_number("minsize", minsize)
    mode = check_choice("compat", compat, MODES)
    details = _details(merge_details, frame, merge_byhand)
    names = list(details) or chosen_columns("vars", vars, frame.columns)
    if vars is None and not details:
        names = list(frame.select_dtypes("category").columns)
    new, notes, wrong_in_r = frame.copy(), [], []
    for name in names:
        if not isinstance(frame[name].dtype, pd.CategoricalDtype):
            argument = "merge_details" if details else "vars"
            raise InputError(f"{argument}: column {name!r} is not categorical, see .astype()")
        column = open_table(frame, "data").count_by([name]).columns[name]
        levels: Levels = [*column.labels, None] if addNA else [*column.labels]
        codes, gap = column.values, len(column.labels)
        if column.missing is not None:
            codes = np.where(column.missing, gap, codes)
        n = np.bincount(codes, minlength=gap + 1)[: len(levels)]
        if merge_byhand:
            to = _merged_by_hand(levels, name, details[name])
        else:
            to = correct = _merged_by_size(levels, n, minsize, newlabel)
            if mode != CORRECTED:
                from .r.companions import merged_as_r

                to = merged_as_r(levels, n, minsize, newlabel)
            there = set(compress(levels, n > 0))
            if _names_of(to, there) != _names_of(correct, there):
                wrong_in_r.append(str(name))
        if list(to.values()) == levels:
            notes.append(f"{name}: nothing merged")
        else:
            before = dict(zip(levels, levels))
            notes.append(f"{name}, before: {_counted(before, levels, n)}")
            notes.append(f"{name}, after: {_counted(to, levels, n)}")
            # the explicit level for missing values becomes ordinary missing
            names_in_order = [name for name in dict.fromkeys(to.values()) if name is not None]
            texts = pd.Index(names_in_order, dtype=object)
            places = texts.get_indexer([*map(to.get, levels), None])[codes]
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
    return give_back(new, data)


def _merged_by_size(levels: Levels, n: Integers, minsize: float, newlabel: bool) -> Merge:
    """Small levels merged; those without records are dropped when something is merged."""
    occurs = n > 0
    merged = (n < minsize) & occurs
    if not merged.any():
        return dict(zip(levels, levels))
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
    to = {name: name for name in compress(levels, keep) if name != label}
    for name in levels:
        to.setdefault(name, label)
    return to


def _merged_by_hand(levels: Levels, name: Hashable, entry: Sequence[str]) -> Merge:
    """Levels that get a new name: the first text of `entry` for the levels that follow."""
    new, *old = entry
    to: Merge = dict(zip(levels, levels))
    for text in old:
        # where both a level and missing are called NA, the level
        level = None if text == "NA" and text not in to else text
        if level not in to:
            told = f"merge_details: {text!r} is not a level of {name!r}; see the error's details"
            raise InputError(told, details={"levels": tuple(map(level_text, levels))})
        to[level] = new
    return to


def level_text(name: str | None) -> str:
    return "NA" if name is None else name


def records_of(to: Merge, levels: Levels, n: Integers) -> Counter[str | None]:
    """Records of each new level, in order."""
    counts = Counter(dict.fromkeys(to.values(), 0))
    for level, records in zip(levels, n.tolist()):
        counts[to[level]] += records
    return counts


def _counted(to: Merge, levels: Levels, n: Integers) -> str:
    counts = records_of(to, levels, n).items()
    return ", ".join(f"{level_text(name)} {records}" for name, records in counts)


def _names_of(to: Merge, there: set[str | None]) -> tuple[Merge, Levels]:
    """The new names of levels that occur, and their order."""
    names = {level: name for level, name in to.items() if level in there}
    return names, list(dict.fromkeys(names.values()))


def _details(details: Any, data: pd.DataFrame, by_hand: bool) -> dict[Hashable, list[str]]:
    """For each column the new name and the levels that get it; none where merging is by size."""
    if details is None and not by_hand:
        return {}
    if not (by_hand and details and isinstance(details, Mapping)):
        told = f"merge_details: {details!r} with merge_byhand={by_hand}"
        raise InputError(f"{told}; give True and a mapping such as {{'town': ['new', 'A', 'B']}}")
    for name, entry in details.items():
        if name not in data.columns:
            raise unknown_name("merge_details", name, list(data.columns), "the data")
        if not listed(entry):
            raise InputError(f"merge_details: {entry!r} for {name!r} has no new name")
    return {name: listed(entry) for name, entry in details.items()}
