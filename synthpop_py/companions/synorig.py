"""`synorig_compare()`: do synthetic and original data have the same columns, types and levels?"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from ..arguments import check_choice
from ..core.arrays import Values, distinct_values
from ..core.columns import Column
from ..core.fingerprint import Fingerprints
from ..disclosure.harmonise import Harmonised, harmonise
from ..disclosure.options import COLLATIONS
from ..errors import InputError
from ..old_parts.fingerprints import frame_fingerprints
from ..r.collation import Collation
from ..show import Document, Shown, fill
from ..show.plain import column_name
from ..show.text import print_notes
from ..spellings import plain_names_too
from ..synds import SynDS
from ..tables.frames import AnyFrame, give_back
from ..tables.opening import check_frame, check_original, column_names, listed_sets
from ..tables.reading import read_column
from .stacking import Stacked

SENTENCES = {
    "number to factor": "numbers made categories in {side}",
    "text to factor": "texts made categories in {side}",
    "integer to double": "integers converted to floats in {side}",
    "missing only in syn": (
        "missing values in syn only, which looks wrong; R makes orig a factor with a level for NA"
    ),
    "NA level": "missing values in orig only; R gives syn a level for NA",
    "levels combined": "levels combined",
}
TYPES = {"factor": "a factor", "date": "dates", "time": "times", "duration": "durations"}


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class SynorigComparison(Shown):
    """Synthetic and original data made comparable.

    Attributes
    ----------
    syn, orig : DataFrame (syn a SynDS where one was given), of the kinds given
        New frames with the common columns in the original's order. pandas has no explicit level for
        NA: where R adds one, missing values stay missing and the categories do not change; `notes`
        says where.
    needsfix : bool
        Whether the types of some column cannot be matched; they are left as they are.
    unchanged : bool
        Whether no column had to be adjusted. Columns left out do not count, as in R.
    notes : list of str
        One sentence per finding.
    """

    syn: AnyFrame | SynDS
    orig: AnyFrame
    needsfix: bool
    unchanged: bool
    notes: list[str]
    _known_fingerprints: Fingerprints | None = None

    def _fingerprints(self, *, original: bool) -> Fingerprints | None:
        return self._known_fingerprints

    def _document(self) -> Document:
        number = len(column_names(self.orig))
        head = fill.note(
            f"SynorigComparison({number} common columns, needsfix={self.needsfix},"
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
            headline=(fill.note(f"{number} common columns. {verdict}"),),
        )

    def _content(self) -> dict[str, Any]:
        return {
            "common": [column_name(name) for name in column_names(self.orig)],
            "needsfix": self.needsfix,
            "unchanged": self.unchanged,
            "notes": list(self.notes),
        }

    def _records(self) -> dict[str, Any]:
        sets = listed_sets("syn", self.syn)
        original = fill.people("original records", len(self.orig))
        return {"original": original, "synthetic": [len(frame) for frame in sets]}


@plain_names_too()
def synorig_compare(
    syn: AnyFrame | SynDS,
    orig: AnyFrame,
    print_flag: bool = True,
    *,
    collation: str = "icu",
) -> SynorigComparison:
    """Compare the columns of synthetic and original data and make them match where that is possible
    (R's ``synorig.compare()``).

    In this order: columns that only one side has are left out; numbers beside a factor, and all
    texts, become factors; whole numbers beside real ones become real; levels of factors are
    combined, those of the synthetic data first. `disclosure()` needs none of this. The comparison
    shows what differs before anything is computed.

    Parameters
    ----------
    syn, orig : DataFrame of pandas, polars or Arrow
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
        together = synorig_compare(stacked.frame(), orig, print_flag, collation=collation)
        return replace(
            together,
            syn=stacked.synds(together.syn, refit=False),
            _known_fingerprints=frame_fingerprints(orig, syn.syn, column_names(together.orig)),
        )
    given = syn, orig
    syn, orig = check_frame(syn, "syn"), check_original(orig, "orig")
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
        pair = _read_pair(name, syn[name], orig[name], order)
        new_syn[name] = pair.syn_written()
        new_orig[name] = pair.orig_written()
        needsfix |= pair.types_differ
        unchanged &= not pair.both.changed
        notes += pair.sentences()
    if print_flag:
        shape = f"{len(common)} columns in common; syn has {syn.shape[1]}, orig {orig.shape[1]}"
        print_notes([shape, *(notes or ["nothing to adjust"])])
    return SynorigComparison(
        syn=give_back(new_syn, given[0], refit=False),
        orig=give_back(new_orig, given[1], refit=False),
        needsfix=needsfix,
        unchanged=unchanged,
        notes=notes,
        _known_fingerprints=frame_fingerprints(orig, [syn], common),
    )


def _listing(names: Iterable[Any]) -> str:
    return ", ".join(map(str, names)) or "none"


def _left_out(syn: pd.DataFrame, orig: pd.DataFrame) -> list[str]:
    """The notes on columns that only one side has."""
    only_syn = [name for name in syn.columns if name not in orig.columns]
    only_orig = [name for name in orig.columns if name not in syn.columns]
    sentences = []
    for side, names in (("syn", only_syn), ("orig", only_orig)):
        if names:
            sentences.append(f"only in {side}, left out: {_listing(names)}")
    return sentences


# ---- one column ----------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Pair:
    """A column on both sides: as given, as read, and after the adjustment."""

    name: Hashable
    syn: pd.Series
    orig: pd.Series
    syn_column: Column
    orig_column: Column
    both: Harmonised

    @property
    def types_differ(self) -> bool:
        return self.both.did("classes differ") or _ordered(self.syn) != _ordered(self.orig)

    @property
    def _combined(self) -> bool:
        """Whether levels were combined: then the order of one side means nothing any more."""
        return self.both.did("levels combined") or self.both.synthetic.na_level

    def syn_written(self) -> pd.Series:
        after = self.both.synthetic
        return _written(self.syn_column, after, self.syn, keep_order=not self._combined)

    def orig_written(self) -> pd.Series:
        after = self.both.original
        return _written(self.orig_column, after, self.orig, keep_order=not self._combined)

    def sentences(self) -> list[str]:
        """All notes on the column."""
        sentences = []
        for step, side in self.both.steps:
            if step in SENTENCES:
                sentences.append(f"{self.name}: {SENTENCES[step].format(side=side)}")
        if self.both.did("levels combined"):
            syn_levels = _levels(self.syn_column, self.both.synthetic)
            orig_levels = _levels(self.orig_column, self.both.original)
            sentences[-1] += f"; syn had {_listing(syn_levels)}, orig had {_listing(orig_levels)}"
        if self.types_differ:
            syn_type = _type(self.syn_column, self.syn)
            orig_type = _type(self.orig_column, self.orig)
            sentences.append(
                f"{self.name}: types differ and were left as they are, {syn_type} in syn, "
                f"{orig_type} in orig; change one of them"
            )
        return sentences


def _read_pair(name: Hashable, syn: pd.Series, orig: pd.Series, order: Collation) -> _Pair:
    syn_column = read_column(syn, f"syn, column {name!r}")
    orig_column = read_column(orig, f"orig, column {name!r}")
    return _Pair(
        name=name,
        syn=syn,
        orig=orig,
        syn_column=syn_column,
        orig_column=orig_column,
        both=harmonise(orig_column, syn_column, order, all_factors=True),
    )


def _ordered(series: pd.Series) -> bool:
    return isinstance(series.dtype, pd.CategoricalDtype) and bool(series.dtype.ordered)


def _written(before: Column, after: Column, series: pd.Series, keep_order: bool) -> pd.Series:
    """A column after the adjustment as a pandas column; as it was given where nothing was done."""
    if after is before:
        return series.copy()
    if after.kind == "double":
        return pd.Series(_with_gaps(after, np.nan), index=series.index, dtype="float64")
    factor = pd.Categorical.from_codes(
        _with_gaps(after, -1),
        pd.Index(after.labels, dtype=object),
        ordered=keep_order and _ordered(series),
    )
    return pd.Series(factor, index=series.index)


def _with_gaps(column: Column, gap: float) -> Values:
    """The values with something else where they are missing."""
    if column.missing is None:
        return column.values
    return np.where(column.missing, gap, column.values)


def _levels(before: Column, after: Column) -> tuple[str, ...]:
    """The levels of a column: its own, or those made from its values."""
    if before.kind == "factor":
        return before.labels
    codes = distinct_values(after.present())
    return tuple(after.labels[code] for code in codes)


def _type(column: Column, series: pd.Series) -> str:
    """What a column is called in a sentence."""
    if _ordered(series):
        return "an ordered factor"
    return TYPES.get(column.kind, column.kind)
