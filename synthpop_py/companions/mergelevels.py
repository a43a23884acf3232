"""`mergelevels_syn()`: small levels of categorical columns merged, by size or by hand."""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias, cast

import pandas as pd

from ..arguments import check_choice, check_flag, chosen_columns, is_number, listed
from ..disclosure.defect_text import finding_notes, warn_of
from ..errors import InputError
from ..names import unknown_name
from ..r.both import Change, Changes, Computation, as_r, run_both
from ..r.reading import MODES, Reading
from ..show import fill
from ..show.text import print_notes
from ..spellings import plain_names_too
from ..synds import SynDS
from ..tables.frames import FrameT, give_back
from ..tables.opening import check_frame
from .factors import NA_TEXT, Factor, read_factor, written
from .mergelevels_rules import merged_by_hand, merged_by_size, merged_by_size_as_r
from .stacking import Stacked

Factors: TypeAlias = dict[Hashable, Factor]


@plain_names_too()
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
        By name also ``original=``. The records of all sets of a SynDS are counted together, so
        every set gets the same levels.
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
        gives both sets of levels.

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
    if isinstance(data, SynDS):
        stacked = Stacked(data)
        merged = mergelevels_syn(
            stacked.frame(),
            vars,
            newlabel=newlabel,
            addNA=addNA,
            print_flag=print_flag,
            minsize=minsize,
            merge_byhand=merge_byhand,
            merge_details=merge_details,
            compat=compat,
        )
        merged_sets: FrameT = cast(Any, stacked.synds(merged))
        return merged_sets
    frame = check_frame(data, "data")
    check_flag("newlabel", newlabel)
    check_flag("addNA", addNA)
    check_flag("print_flag", print_flag)
    check_flag("merge_byhand", merge_byhand)
    _check_minsize(minsize)
    mode = check_choice("compat", compat, MODES)
    if merge_byhand:
        details = _details(merge_details, frame)
        names = list(details)
    else:
        _check_no_details(merge_details)
        details, names = None, _categorical_columns(vars, frame)
    before = {name: read_factor(frame, name, addNA) for name in names}
    call = MergingCall(before, minsize=minsize, newlabel=newlabel, details=details)
    both = run_both(call, as_r(mode, "mergelevels_syn"))
    after = both.asked
    if print_flag:
        for name in names:
            _show(name, before[name], after[name])
    if both.findings:
        head = fill.note(
            "mergelevels_syn gives R's result; compat='corrected' gives the correct one:"
        )
        warn_of([head, *finding_notes(both.findings, several=False, in_message=True)])
    new = frame.copy()
    for name in names:
        if addNA or after[name] is not before[name]:
            new[name] = written(after[name], like=frame[name])
    return give_back(new, data)


# ---- R's levels and the correct ones -------------------------------------------------


@dataclass(frozen=True, slots=True)
class MergingCall(Computation[Factors]):
    """One call of `mergelevels_syn()`: the columns, and how levels are merged. `details` says what
    is merged by hand, column by column; None: levels are merged by size.
    """

    before: Factors
    minsize: float
    newlabel: bool
    details: dict[Hashable, list[str]] | None

    def result(self, reading: Reading) -> Factors:
        after = {}
        for name, factor in self.before.items():
            if self.details is not None:
                after[name] = merged_by_hand(factor, name, self.details[name])
            else:
                after[name] = self._by_size(factor, reading)
        return after

    def _by_size(self, factor: Factor, reading: Reading) -> Factor:
        if not reading.reproduces("D47"):
            return merged_by_size(factor, self.minsize, self.newlabel)
        as_r = merged_by_size_as_r(factor, self.minsize, self.newlabel)
        reading.follow_r("D47", where=as_r is not factor)
        return as_r

    def changes(self, r: Factors, correct: Factors) -> Changes:
        changes: list[Change] = []
        for name, factor in r.items():
            if not factor.same_as(correct[name]):
                texts = factor.described(), correct[name].described()
                changes.append((0, str(name), *texts))
        return tuple(changes)


# ---- arguments -----------------------------------------------------------------------


def _check_minsize(minsize: Any) -> None:
    if not is_number(minsize) or math.isnan(minsize):
        raise InputError(
            f"minsize: {minsize!r} is not a number; give the fewest records a level may have"
        )


def _check_no_details(details: Any) -> None:
    if details is not None:
        raise InputError(
            "merge_details: is given, but merge_byhand is False, so it would be ignored; set"
            " merge_byhand=True or leave it out"
        )


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


def _details(details: Any, data: pd.DataFrame) -> dict[Hashable, list[str]]:
    """For each column the new name and the levels that get it."""
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
        by_column[name] = _texts_of(entry, name)
    return by_column


def _texts_of(entry: Any, name: Hashable) -> list[str]:
    texts = listed(entry)
    if not texts or not all(isinstance(text, str) for text in texts):
        raise InputError(
            f"merge_details: {entry!r} for {name!r} is not a list of texts; give the new name,"
            " then the levels that get it"
        )
    return texts


def _show(name: Hashable, before: Factor, after: Factor) -> None:
    if before.levels == after.levels:
        print_notes([f"{name}: nothing merged"])
        return
    for when, factor in (("before", before), ("after", after)):
        counted = zip(factor.levels, factor.counts())
        texts = [f"{NA_TEXT if level is None else level} {count}" for level, count in counted]
        print_notes([f"{name}, {when}: {', '.join(texts)}"])
