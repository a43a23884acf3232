"""`synorig_compare()`: do synthetic and original data have the same columns, types and levels?"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from ..arguments import check_choice
from ..core.columns import Column
from ..disclosure.harmonise import Harmonised, harmonise
from ..disclosure.options import COLLATIONS
from ..errors import InputError
from ..show import Document, Shown, fill
from ..show.plain import column_name
from ..spellings import plain_names_too
from ..synds import SynDS
from ..tables.opening import check_frame, check_original
from ..tables.reading import read_column
from .stacking import Stacked


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class SynorigComparison(Shown):
    """Synthetic and original data made comparable.

    Attributes
    ----------
    syn, orig : DataFrame (syn a SynDS where one was given)
        New ones with the common columns in the original's order. Where R adds an explicit level for
        NA, values that are missing stay missing and the categories do not change, because pandas
        has no such level; `notes` says where R has one.
    needsfix : bool
        Some column has types that cannot be matched; they were left as they are.
    unchanged : bool
        No column had to be adjusted. Columns left out do not count, as in R.
    notes : list of str
        One sentence for everything found.
    """

    syn: pd.DataFrame | SynDS
    orig: pd.DataFrame
    needsfix: bool
    unchanged: bool
    notes: list[str]

    def _document(self) -> Document:
        head = fill.note(
            f"SynorigComparison({self.orig.shape[1]} common columns, needsfix={self.needsfix},"
            f" unchanged={self.unchanged})"
        )
        notes = [fill.note(note, indent=2) for note in self.notes]
        if self.needsfix:
            verdict = "Some columns have types that cannot be matched."
        elif self.unchanged:
            verdict = "The common columns match as they are."
        else:
            verdict = "The common columns match after adjustment."
        return Document(
            title="Columns of synthetic and original data",
            sections=(fill.section(head, *notes),),
            headline=(fill.note(f"{self.orig.shape[1]} common columns. {verdict}"),),
        )

    def _content(self) -> dict[str, Any]:
        return {
            "common": [column_name(name) for name in self.orig.columns],
            "needsfix": self.needsfix,
            "unchanged": self.unchanged,
            "notes": list(self.notes),
        }

    def _records(self) -> dict[str, Any]:
        sets = self.syn.syn if isinstance(self.syn, SynDS) else [self.syn]
        original = fill.people("original records", len(self.orig))
        return {"original": original, "synthetic": [len(frame) for frame in sets]}


@plain_names_too()
def synorig_compare(
    syn: pd.DataFrame | SynDS,
    orig: pd.DataFrame,
    print_flag: bool = True,
    *,
    collation: str = "icu",
) -> SynorigComparison:
    """Compare the columns of synthetic and original data and make them match where that is possible
    (R's ``synorig.compare()``).

    In this order: columns that only one side has are left out; numbers beside a factor, and all
    texts, become factors; whole numbers beside real ones become real; levels of factors are
    combined, those of the synthetic data first. `disclosure()` needs none of this. It tells what is
    different before anything is computed.

    Parameters
    ----------
    syn, orig : DataFrame
        Synthetic and original data; they are not changed, and need not have the same number of
        rows. All sets of a SynDS are compared together. By name also ``synthetic=``,
        ``original=``.
    print_flag : show the notes.
    collation : how R sorts texts, "icu" or "C"; it decides the order of levels made from texts.

    Returns
    -------
    SynorigComparison

    Examples
    --------
    >>> import pandas as pd
    >>> orig = pd.DataFrame({"sex": pd.Categorical(["f", "m"]), "age": [20.0, 30.5]})
    >>> syn = pd.DataFrame({"age": [20, 31], "sex": pd.Categorical(["f", "x"])})
    >>> synorig_compare(syn, orig, print_flag=False)
    SynorigComparison(2 common columns, needsfix=False, unchanged=False)
      sex: levels combined; syn had f, x, orig had f, m
      age: integers converted to floats in syn
    """
    if isinstance(syn, SynDS):
        stacked = Stacked(syn)
        compared = synorig_compare(stacked.frame(), orig, print_flag, collation=collation)
        return replace(compared, syn=stacked.synds(compared.syn))
    check_frame(syn, "syn")
    check_original(orig, "orig")
    order = check_choice("collation", collation, COLLATIONS)
    common = [name for name in orig.columns if name in syn.columns]
    if not common:
        raise InputError(
            f"syn: no column in common with orig; syn has {_listing(syn.columns)}, orig has"
            f" {_listing(orig.columns)}"
        )

    new_syn, new_orig = syn[common].copy(), orig[common].copy()
    notes, needsfix, unchanged = _left_out(syn, orig), False, True
    for name in common:
        s, o = (
            read_column(syn[name], f"syn, column {name!r}"),
            read_column(orig[name], f"orig, column {name!r}"),
        )
        both = harmonise(o, s, order, all_factors=True)
        types_differ = both.did("classes differ") or _ordered(syn[name]) != _ordered(orig[name])
        needsfix |= types_differ
        unchanged &= not both.changed
        combined = both.did("levels combined") or both.synthetic.na_level
        new_syn[name] = _written(s, both.synthetic, syn[name], keep_order=not combined)
        new_orig[name] = _written(o, both.original, orig[name], keep_order=not combined)
        notes += _sentences(name, s, o, both, types_differ, syn[name], orig[name])
    if print_flag:
        print(
            "\n".join(
                [
                    (
                        f"{len(common)} columns in common; syn has {syn.shape[1]}, orig"
                        f" {orig.shape[1]}"
                    ),
                    *(notes or ["nothing to adjust"]),
                ]
            )
        )
    return SynorigComparison(new_syn, new_orig, needsfix, unchanged, notes)


def _ordered(series: pd.Series) -> bool:
    return isinstance(series.dtype, pd.CategoricalDtype) and bool(series.dtype.ordered)


def _written(before: Column, after: Column, series: pd.Series, keep_order: bool) -> pd.Series:
    """A column after the adjustment as a pandas column; the given one where nothing was done."""
    if after is before:
        return series
    if after.kind == "double":
        values = (
            after.values if after.missing is None else np.where(after.missing, np.nan, after.values)
        )
        return pd.Series(values, index=series.index, dtype="float64")
    codes = after.values if after.missing is None else np.where(after.missing, -1, after.values)
    factor = pd.Categorical.from_codes(
        codes, pd.Index(after.labels, dtype=object), ordered=keep_order and _ordered(series)
    )
    return pd.Series(factor, index=series.index)


# ---- sentences -----------------------------------------------------------------------


def _listing(names: Iterable[Any]) -> str:
    return ", ".join(map(str, names)) or "none"


def _left_out(syn: pd.DataFrame, orig: pd.DataFrame) -> list[str]:
    only = {
        "syn": [c for c in syn.columns if c not in orig.columns],
        "orig": [c for c in orig.columns if c not in syn.columns],
    }
    return [f"only in {side}, left out: {_listing(names)}" for side, names in only.items() if names]


def _sentences(
    name: Hashable,
    s: Column,
    o: Column,
    both: Harmonised,
    types_differ: bool,
    syn: pd.Series,
    orig: pd.Series,
) -> list[str]:
    texts = {
        "number to factor": "numbers made categories in {side}",
        "text to factor": "texts made categories in {side}",
        "integer to double": "integers converted to floats in {side}",
        "missing only in syn": (
            "missing in syn only, which looks wrong; R makes orig a factor with a level for NA"
        ),
        "NA level": "missing in orig only; R gives syn a level for NA",
        "levels combined": "levels combined",
    }
    found = [
        f"{name}: {texts[step].format(side=side)}" for step, side in both.steps if step in texts
    ]
    if both.did("levels combined"):
        found[-1] += (
            f"; syn had {_listing(_levels(s, both.synthetic))}, orig had"
            f" {_listing(_levels(o, both.original))}"
        )
    if types_differ:
        found.append(
            f"{name}: types differ and were left so, {_type(s, syn)} in syn, {_type(o, orig)} in"
            " orig; change one of them"
        )
    return found


def _levels(before: Column, after: Column) -> tuple[str, ...]:
    """The levels a column brought along: its own, or those made from its values."""
    if before.kind == "factor":
        return before.labels
    return tuple(
        after.labels[i]
        for i in np.unique(after.values if after.missing is None else after.values[~after.missing])
    )


def _type(column: Column, series: pd.Series) -> str:
    return (
        "an ordered factor"
        if _ordered(series)
        else {"factor": "a factor", "date": "dates", "time": "times", "duration": "durations"}.get(
            column.kind, column.kind
        )
    )
