"""`mergelevels_syn()`: small levels of categorical columns merged, by size or by hand."""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from ..arguments import check_choice, check_flag, chosen_columns, is_number, listed
from ..core.arrays import Flags, Integers
from ..errors import InputError, RDefectWarning, warn
from ..names import named_arguments, unknown_name
from ..r.defects import BY_ID
from ..r.reading import MODES
from ..synds import SynDS
from ..tables.opening import check_frame
from ..tables.reading import read_column
from .stacking import Stacked

OTHER = "Other"
NA_TEXT = "NA"


@dataclass(frozen=True, slots=True)
class _Factor:
    """A factor: a code for each record (-1 missing) and its levels; the level None is R's explicit
    NA level.
    """

    codes: Integers
    levels: tuple[str | None, ...]

    def counts(self) -> Integers:
        return np.bincount(self.codes[self.codes >= 0], minlength=len(self.levels))

    def renamed(self, names: list[str | None]) -> _Factor:
        """New names for the levels; levels of one name become one, in the place of the first."""
        merged = {name: place for place, name in enumerate(dict.fromkeys(names))}
        place_of = np.array([*(merged[name] for name in names), -1])
        return _Factor(place_of[self.codes], tuple(merged))

    def lumped(self, keep: Integers | Flags) -> _Factor:
        """All levels not kept become the one level "Other", which goes last."""
        if keep.all():
            return self
        new = self.renamed([name if k else OTHER for name, k in zip(self.levels, keep)])
        rest = [place for place, name in enumerate(new.levels) if name != OTHER] + [
            new.levels.index(OTHER)
        ]
        place_of = np.full(len(rest) + 1, -1)
        place_of[rest] = np.arange(len(rest))
        return _Factor(place_of[new.codes], tuple(new.levels[place] for place in rest))

    def texts(self, where: Integers | Flags) -> list[str]:
        return [
            NA_TEXT if self.levels[i] is None else str(self.levels[i])
            for i in np.flatnonzero(where)
        ]

    def counted(self) -> list[tuple[str | None, int]]:
        """Levels that somebody has, with their records."""
        return [(level, int(n)) for level, n in zip(self.levels, self.counts()) if n]

    def same_as(self, other: _Factor) -> bool:
        """Whether every record has the same level by name, and the levels have the same order."""
        names = [np.array([*f.levels, None], dtype=object)[f.codes] for f in (self, other)]
        return self.counted() == other.counted() and bool((names[0] == names[1]).all())

    def described(self) -> str:
        return ", ".join(
            f"{NA_TEXT if level is None else level} {n}" for level, n in self.counted()
        )


@named_arguments()
def mergelevels_syn(
    data: pd.DataFrame | SynDS,
    vars: Any = None,
    *,
    newlabel: bool = False,
    addNA: bool = False,
    print_flag: bool = False,
    minsize: float = 10,
    merge_byhand: bool = False,
    merge_details: Mapping[Any, Any] | None = None,
    compat: str = "r",
) -> pd.DataFrame | SynDS:
    """Merge levels of categorical columns that few records have (R's ``mergelevels.syn()``).

    Levels of fewer than `minsize` records become one level, ``"Other"``, put last. If that is still
    too small, the smallest of the remaining levels joins it (the last of several that small).
    Missing values are left alone unless `addNA` is set.

    Parameters
    ----------
    data : DataFrame or SynDS
        Of a SynDS the records of all sets are counted together, so that every set has the same
        levels.
    vars : names or positions (from 1, as in R) of categorical columns; all of them by default. Not
        used with `merge_byhand`.
    newlabel : name the new level after the levels in it instead of "Other".
    addNA : take missing as a level like the others, so that it can be merged. Where it is not
        merged it stays missing: pandas has no level for it, as R has.
    print_flag : show the counts before and after.
    minsize : levels of fewer records are merged.
    merge_byhand : merge what `merge_details` says instead.
    merge_details : mapping of column to a list, first the new name, then the levels that get it;
        with `addNA` missing is ``"NA"``.
    compat : "r" (or "r-1.9-2", which is the same here) for R's result, "corrected" for the right
        one.

    Returns
    -------
    DataFrame or SynDS
        A new one, as given.

    Warns
    -----
    RDefectWarning
        Where R's result is not what was asked (D47): a new label that names other levels than those
        merged, a level left too small because two were tied, or (with `addNA`) one merged only
        because a column without missing values got an empty level for them. The warning gives both
        sets of levels.

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
        options: dict[str, Any] = {
            "newlabel": newlabel,
            "addNA": addNA,
            "print_flag": print_flag,
            "minsize": minsize,
            "merge_byhand": merge_byhand,
            "merge_details": merge_details,
            "compat": compat,
        }
        return stacked.synds(mergelevels_syn(stacked.frame(), vars, **options))
    check_frame(data, "data")
    for argument, value in (
        ("newlabel", newlabel),
        ("addNA", addNA),
        ("print_flag", print_flag),
        ("merge_byhand", merge_byhand),
    ):
        check_flag(argument, value)
    if not is_number(minsize) or math.isnan(minsize):
        raise InputError(
            f"minsize: {minsize!r} is not a number; give the fewest records a level may have"
        )
    as_r = check_choice("compat", compat, MODES) != "corrected"
    if merge_details is not None and not merge_byhand:
        raise InputError(
            "merge_details: is given, but merge_byhand is False, so it would be ignored; set"
            " merge_byhand=True or leave it out"
        )
    details = _details(merge_details, data) if merge_byhand else {}
    names = list(details) if merge_byhand else _wanted(vars, data)

    merged, oddities = data.copy(), []
    for name in names:
        before = _read(data, name, addNA)
        after = right = (
            _by_hand(name, before, details[name])
            if merge_byhand
            else _by_size(before, minsize, newlabel)
        )
        if as_r and not merge_byhand:
            after = _by_size_as_r(before, minsize, newlabel)
        if after is not right and not after.same_as(right):
            oddities.append(
                f"  {name}: R {after.described()}\n  {' ' * len(str(name))}  correct"
                f" {right.described()}"
            )
        if addNA or after is not before:
            merged[name] = _written(after, data[name])
        if print_flag:
            _show(name, before, after)
    if oddities:
        text = (
            f"mergelevels_syn does as R does (D47: R {BY_ID['D47'].r_does}). compat='corrected'"
            " gives what is right:\n"
        )
        warn(text + "\n".join(oddities), RDefectWarning)
    return merged


# ---- arguments -----------------------------------------------------------------------


def _wanted(vars: Any, data: pd.DataFrame) -> list[Hashable]:
    if vars is None:
        return [name for name in data.columns if isinstance(data[name].dtype, pd.CategoricalDtype)]
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


def _details(details: Any, data: pd.DataFrame) -> dict[Hashable, list[str]]:
    """For each column the new name and the levels that get it."""
    if not isinstance(details, Mapping) or not details:
        raise InputError(
            f"merge_details: {details!r}; with merge_byhand give a mapping such as {{'town': ['new"
            " name', 'A', 'B']}"
        )
    for name, entry in details.items():
        if name not in data.columns:
            raise unknown_name("merge_details", name, list(data.columns), "the data")
        _check_categorical("merge_details", name, data)
        if not listed(entry) or not all(isinstance(text, str) for text in listed(entry)):
            raise InputError(
                f"merge_details: {entry!r} for {name!r} is not a list of texts; give the new name,"
                " then the levels that get it"
            )
    return {name: listed(entry) for name, entry in details.items()}


# ---- merging -------------------------------------------------------------------------


def _by_size(before: _Factor, minsize: float, newlabel: bool) -> _Factor:
    """Small levels merged; where they are too few together, the smallest of the others joins them.

    Levels that nobody has do not count as small, but go where something is merged. "Other" takes in
    a level that is called so already.
    """
    counts = before.counts()
    merged = (counts < minsize) & (counts > 0)
    if not merged.any():
        return before
    if not newlabel and OTHER in before.levels:
        merged[before.levels.index(OTHER)] = True
    others = np.flatnonzero((counts > 0) & ~merged)
    if counts[merged].sum() < minsize and len(others):
        merged[others[counts[others] == counts[others].min()][-1]] = True
    kept = np.flatnonzero((counts > 0) & ~merged)
    levels = [before.levels[i] for i in kept]
    label = " ".join(before.texts(merged & (counts > 0))) if newlabel else OTHER
    while label in levels:  # nobody may be taken for a member of another level
        label += " (merged)"
    place_of = np.full(len(counts) + 1, -1)
    place_of[kept], place_of[np.flatnonzero(merged)] = np.arange(len(kept)), len(kept)
    return _Factor(place_of[before.codes], (*levels, label))


def _by_size_as_r(before: _Factor, minsize: float, newlabel: bool) -> _Factor:
    """What R makes of it (D47)."""
    small = before.counts() < minsize
    if not small.any():
        return before
    after = before.lumped(~small)
    size = len(after.levels)
    label, place = " ".join(before.texts(small)), size - 1
    if after.counts()[-1] < minsize:
        # R takes the last level for the one that will join "Other", whichever it is
        joining = after.texts(np.arange(size) == size - 2)
        label, place = (
            " ".join(f"{joining[0]} {text}" for text in before.texts(small)) if joining else "",
            size - 2,
        )
        if size > 1:
            after = after.lumped(_largest(after.counts(), size - 2))
    if not newlabel or place < 0:
        return after
    return after.renamed([label if i == place else level for i, level in enumerate(after.levels)])


def _largest(counts: Integers, n: int) -> Integers:
    """The n levels with the largest counts, and those tied with the last of them."""
    return np.array([(counts > count).sum() + 1 <= n for count in counts], dtype=bool)


def _by_hand(name: Hashable, before: _Factor, entry: list[str]) -> _Factor:
    new, *old = entry
    texts = [NA_TEXT if level is None else level for level in before.levels]
    unknown = [text for text in old if text not in texts]
    if unknown:
        raise InputError(
            f"merge_details: {unknown[0]!r} is not a level of {name!r}; choices:"
            f" {', '.join(map(repr, texts))}"
        )
    places = {texts.index(text) for text in old}
    return (
        before.renamed([new if i in places else level for i, level in enumerate(before.levels)])
        if places
        else before
    )


# ---- read, write and show ------------------------------------------------------------


def _read(data: pd.DataFrame, name: Hashable, addNA: bool) -> _Factor:
    column = read_column(data[name], f"data, column {name!r}")
    codes = np.asarray(column.values, dtype=np.int64)
    if not addNA:
        return _Factor(codes, column.labels)
    return _Factor(np.where(codes < 0, len(column.labels), codes), (*column.labels, None))


def _written(factor: _Factor, like: pd.Series) -> pd.Series:
    """As a pandas column; the explicit NA level becomes ordinary missing."""
    names = [level for level in factor.levels if level is not None]
    place_of = np.array(
        [*(-1 if level is None else names.index(level) for level in factor.levels), -1]
    )
    values = pd.Categorical.from_codes(
        place_of[factor.codes], pd.Index(names, dtype=object), ordered=bool(like.dtype.ordered)
    )
    return pd.Series(values, index=like.index)


def _show(name: Hashable, before: _Factor, after: _Factor) -> None:
    if before.levels == after.levels:
        print(f"{name}: nothing merged")
        return
    for when, factor in (("before", before), ("after", after)):
        texts = factor.texts(np.ones(len(factor.levels), bool))
        print(
            f"{name}, {when}: "
            + ", ".join(f"{text} {count}" for text, count in zip(texts, factor.counts()))
        )
