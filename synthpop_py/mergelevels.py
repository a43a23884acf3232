"""`mergelevels_syn()`: small levels of categorical columns merged, by size or by hand.

Levels are merged by their counts alone, so a column is read once as its levels, and written once
under the new ones.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, compress
from typing import Any, cast

import numpy as np
import pandas as pd

from .arguments import check_choice, check_flag, chosen_columns, is_number, listed
from .core.arrays import Flags, Integers
from .errors import InputError, RDefectWarning, unknown_name, warn, warning_once
from .r.defects import DEFECTS
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
    check_flag("newlabel", newlabel)
    check_flag("addNA", addNA)
    check_flag("print_flag", print_flag)
    check_flag("merge_byhand", merge_byhand)
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
            if not after.same_as(correct):
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


@dataclass(frozen=True, slots=True)
class Levels:
    """Levels of a column, merged or not.

    Attributes
    ----------
    codes : int, for each record its level in the data; -1 where missing.
    n : int, for each level of the data its number of records.
    now : int, for each level of the data its place among `names`.
    names : what the levels are called now; None is R's explicit level for missing values.
    """

    codes: Integers
    n: Integers
    now: Integers
    names: list[str | None]

    def counts(self) -> Integers:
        """Records of each level as it is now."""
        counts = np.zeros(len(self.names), dtype=np.int64)
        np.add.at(counts, self.now, self.n)
        return counts

    def texts(self) -> list[str]:
        return [NA_TEXT if name is None else name for name in self.names]

    def renamed(self, names: Sequence[str | None], last: str | None = None) -> Levels:
        """Levels with the same new name become one, in the place of the first, or at the end."""
        order = list(dict.fromkeys(names))
        if last is not None:
            order.remove(last)
            order.append(last)
        place = {name: i for i, name in enumerate(order)}
        places = np.array([place[name] for name in names], dtype=np.int64)
        return replace(self, now=places[self.now], names=order)

    def lumped(self, keep: Flags, label: str) -> Levels:
        """All levels not kept become one, which goes last."""
        names = [name if is_kept else label for name, is_kept in zip(self.names, keep)]
        return self.renamed(names, last=label)

    def same_as(self, other: Levels) -> bool:
        """Whether each record has the same level by name, and the levels have the same order."""
        return self._occurring() == other._occurring()

    def _occurring(self) -> list[list[str | None]]:
        places = self.now[self.n > 0]
        return [[self.names[place] for place in some] for some in (places, np.unique(places))]


def _levels(data: pd.DataFrame, name: Hashable, add_na: bool) -> Levels:
    """The levels of a categorical column; with `add_na` missing is one of them."""
    column = open_table(data, "data").count_by([name]).columns[name]
    codes = np.asarray(column.values, dtype=np.int64)
    names: list[str | None] = list(column.labels)
    if add_na:
        codes = np.where(codes < 0, len(names), codes)
        names.append(None)
    n = np.bincount(codes[codes >= 0], minlength=len(names))
    return Levels(codes, n, np.arange(len(names)), names)


def _written(levels: Levels, like: pd.Series) -> pd.Series:
    """As a pandas column; the explicit level for missing values becomes ordinary missing."""
    names = [name for name in levels.names if name is not None]
    place = {name: i for i, name in enumerate(names)} | {None: -1}
    places = np.array([place[name] for name in levels.names], dtype=np.int64)
    code_of = np.append(places[levels.now], -1)  # the last one is for missing values
    categories = pd.Index(names, dtype=object)
    ordered = bool(like.dtype.ordered)
    values = pd.Categorical.from_codes(code_of[levels.codes], categories, ordered=ordered)
    return pd.Series(values, index=like.index)


# ---- what is merged ------------------------------------------------------------------


def _merged_by_size(levels: Levels, minsize: float, newlabel: bool) -> Levels:
    """Small levels merged; if they are still too few together, the smallest of the others joins
    them.

    Levels without records do not count as small, but are dropped when something is merged. An
    existing level called "Other" joins the new one.
    """
    occurs = levels.n > 0
    merged = (levels.n < minsize) & occurs
    if not merged.any():
        return levels
    if not newlabel and OTHER in levels.names:
        merged[levels.names.index(OTHER)] = True
    others = np.flatnonzero(occurs & ~merged)
    if levels.n[merged].sum() < minsize and len(others):
        smallest = others[levels.n[others] == levels.n[others].min()]
        merged[smallest[-1]] = True
    kept = occurs & ~merged
    label = " ".join(compress(levels.texts(), merged & occurs)) if newlabel else OTHER
    taken = set(compress(levels.names, kept))
    while label in taken:  # no record may move to another level by mistake
        label += " (merged)"
    return levels.lumped(kept, label)


def _merged_by_size_as_r(levels: Levels, minsize: float, newlabel: bool) -> Levels:
    """What R makes of it (D47): it assumes that the last level joins "Other", whichever joins, and
    merges nothing more where two are equally small.
    """
    small = levels.n < minsize
    if not small.any():
        return levels
    inside = list(compress(levels.texts(), small))
    merged = levels.lumped(~small, OTHER)
    counts, size = merged.counts(), len(merged.names)
    labelled, label = size - 1, " ".join(inside)
    if counts[-1] < minsize:
        labelled = size - 2
        label = " ".join(f"{merged.texts()[labelled]} {text}" for text in inside)
        larger = np.array([(counts > count).sum() for count in counts])
        if size > 1 and (larger >= size - 2).any():
            merged = merged.lumped(larger < size - 2, OTHER)
    if newlabel and 0 <= labelled < len(merged.names):
        names = list(merged.names)
        names[labelled] = label
        return merged.renamed(names)
    return merged


def _merged_by_hand(levels: Levels, name: Hashable, entry: Sequence[str]) -> Levels:
    """Levels that get a new name: the first text of `entry` for the levels that follow."""
    new, *old = entry
    texts = levels.texts()
    for text in old:
        if text not in texts:
            raise InputError(
                f"merge_details: {text!r} is not a level of {name!r}; the error's details have all"
                " levels",
                details={"levels": tuple(texts)},
            )
    names = list(levels.names)
    for text in old:
        names[texts.index(text)] = new  # the first, where both a level and missing are called NA
    return levels.renamed(names) if old else levels


# ---- arguments -----------------------------------------------------------------------


def _categorical_columns(vars: Any, data: pd.DataFrame) -> list[Hashable]:
    """Names of the columns given; of all categorical ones if none are given."""
    if vars is None:
        return [name for name in data.columns if _is_categorical(data[name])]
    names = chosen_columns("vars", vars, data.columns)
    for name in names:
        _check_categorical("vars", name, data)
    return names


def _is_categorical(column: pd.Series) -> bool:
    return isinstance(column.dtype, pd.CategoricalDtype)


def _check_categorical(argument: str, name: Hashable, data: pd.DataFrame) -> None:
    if not _is_categorical(data[name]):
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


def _notes(name: Hashable, before: Levels, after: Levels) -> list[str]:
    if before.names == after.names:
        return [f"{name}: nothing merged"]
    notes = []
    for when, levels in (("before", before), ("after", after)):
        counted = [f"{text} {count}" for text, count in zip(levels.texts(), levels.counts())]
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
