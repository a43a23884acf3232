"""`synorig_compare()`: do synthetic and original data have the same columns, types and levels?"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from .arguments import COLLATIONS, check_choice
from .errors import InputError, warning_once
from .levels import Factor, factorise
from .r.collation import Collation
from .r.factors import made_factor, same_levels, same_types
from .show.printing import Sections, print_notes
from .show.values import column_name
from .show.views import Shown
from .tables.frames import AnyFrame, give_back
from .tables.opening import check_frame, check_original, column_names, open_table

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
# after these the order of one side means nothing any more
UNORDERED = {"levels combined", "NA level", "missing only in syn"}


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class SynorigComparison(Shown):
    """Synthetic and original data made comparable.

    Attributes
    ----------
    syn, orig : DataFrames of the kinds given
        New frames with the common columns in the original's order. pandas has no explicit level for
        NA: where R adds one, missing values stay missing; `notes` says where.
    needsfix : whether the types of some column cannot be matched; they are left as they are.
    unchanged : whether no column had to be adjusted. Columns left out do not count, as in R.
    notes : one sentence per finding.
    """

    syn: AnyFrame
    orig: AnyFrame
    needsfix: bool
    unchanged: bool
    notes: list[str]

    def _title(self) -> str:
        return "Columns of synthetic and original data"

    def _headline(self, to: int = 1) -> list[str]:
        verdict = "The common columns match after adjustment."
        if self.needsfix:
            verdict = "Some columns have types that cannot be matched."
        elif self.unchanged:
            verdict = "The common columns match as they are."
        return [f"{len(column_names(self.orig))} common columns. {verdict}"]

    def _sections(self) -> Sections:
        found = f"needsfix={self.needsfix}, unchanged={self.unchanged}"
        head = f"SynorigComparison({len(column_names(self.orig))} common columns, {found})"
        return [[head, *(f"  {note}" for note in self.notes)]]

    def _content(self) -> dict[str, Any]:
        common = list(map(column_name, column_names(self.orig)))
        found = {"needsfix": self.needsfix, "unchanged": self.unchanged, "notes": self.notes}
        return {"common": common, **found}


@warning_once
def synorig_compare(
    syn: AnyFrame,
    orig: AnyFrame,
    print_flag: bool = True,
    *,
    collation: str = "icu",
) -> SynorigComparison:
    """Compare the columns of synthetic and original data and make them match where that is possible
    (R's ``synorig.compare()``).

    In this order: columns that only one side has are left out; numbers beside a factor, and all
    texts, become factors; whole numbers beside real ones become real; levels of factors are
    combined, those of the synthetic data first. `disclosure()` needs none of this.

    Parameters
    ----------
    syn, orig : DataFrame of pandas, polars or Arrow; they need not have the same number of rows.
    print_flag : show the notes.
    collation : how R sorts texts, "icu" or "C"; it decides the order of levels made from texts.

    Examples
    --------
    >>> import pandas as pd
    >>> orig = pd.DataFrame({"sex": pd.Categorical(["f", "m"]), "age": [20.0, 30.5]})
    >>> syn = pd.DataFrame({"age": [20, 31], "sex": pd.Categorical(["f", "x"])})
    >>> synorig_compare(syn, orig, print_flag=False)
    SynorigComparison(2 common columns, needsfix=False, unchanged=False)
      sex: levels combined
      age: integers converted to floats in syn
    """
    ours, theirs = check_frame(syn, "syn"), check_original(orig, "orig")
    words = check_choice("collation", collation, COLLATIONS)
    common = [name for name in theirs.columns if name in ours.columns]
    if not common:
        told = f"syn has {_listing(ours.columns)}, orig has {_listing(theirs.columns)}"
        raise InputError(f"syn: no column in common with orig; {told}")
    notes = []
    for side, one in (("syn", ours), ("orig", theirs)):
        only = [name for name in one.columns if name not in common]
        if only:
            notes.append(f"only in {side}, left out: {_listing(only)}")
    in_syn = open_table(ours, "syn").count_by(common).columns
    in_orig = open_table(theirs, "orig").count_by(common).columns
    new_syn, new_orig = ours[common].copy(), theirs[common].copy()
    needsfix, unchanged = False, True
    for name in common:
        pair = ours[name], theirs[name]
        before = factorise(in_syn[name]), factorise(in_orig[name])
        after, steps = _made_alike(*before, words)
        done = {step for step, _ in steps}
        found = [SENTENCES[step].format(side=side) for step, side in steps if step in SENTENCES]
        if "classes differ" in done or _ordered(pair[0]) != _ordered(pair[1]):
            needsfix = True
            found.append("types differ and were left as they are; change one of them")
        notes += [f"{name}: {finding}" for finding in found]
        for frame, was, made in zip((new_syn, new_orig), before, after):
            if made is not was:
                ordered = _ordered(frame[name]) and done.isdisjoint(UNORDERED)
                frame[name] = pd.Series(_written(made, ordered), index=frame.index)
        unchanged &= done <= {"classes differ"}
    if print_flag:
        shape = f"{len(common)} columns in common; syn has {ours.shape[1]}, orig {theirs.shape[1]}"
        print_notes([shape, *(notes or ["nothing to adjust"])])
    both = give_back(new_syn, syn, refit=False), give_back(new_orig, orig, refit=False)
    return SynorigComparison(*both, needsfix, unchanged, notes)


def _listing(names: Iterable[Any]) -> str:
    return ", ".join(map(str, names))


def _made_alike(
    syn: Factor, orig: Factor, collation: Collation
) -> tuple[list[Factor], list[tuple[str, str]]]:
    """Types that match, and one set of levels; what was done as R does it, on which side."""
    (syn, orig), steps = same_types(syn, orig, collation)
    if syn.kind != orig.kind:
        steps.append(("classes differ", "both"))
    if syn.has_gaps and not orig.has_gaps:
        steps.append(("missing only in syn", "orig"))
        orig = made_factor(orig, collation)
    if syn.kind == orig.kind == "factor":
        if orig.has_gaps and not syn.has_gaps:
            steps.append(("NA level", "syn"))
        if syn.levels != orig.levels:
            steps.append(("levels combined", "both"))
        if syn.has_gaps != orig.has_gaps or syn.levels != orig.levels:
            return same_levels([syn, orig]), steps
    return [syn, orig], steps


def _ordered(series: pd.Series) -> bool:
    return isinstance(series.dtype, pd.CategoricalDtype) and bool(series.dtype.ordered)


def _written(made: Factor, ordered: bool) -> Any:
    """The values of a column after the adjustment."""
    places = made.place[made.rows.codes]
    if made.kind == "double":
        return np.append(np.asarray(made.levels), np.nan)[places]
    codes = np.where(places == len(made.levels), -1, places)
    return pd.Categorical.from_codes(codes, pd.Index(made.levels, dtype=object), ordered=ordered)
