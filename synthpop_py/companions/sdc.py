"""`sdc()`: make synthetic data safer before they are released."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from ..arguments import check_flag
from ..core.arrays import Flags, Floats, Integers
from ..errors import InputError, RDefectWarning, warn
from ..r.reading import CORRECTED, Mode
from ..r.spline import FEWEST, NotSmoothable, smooth
from ..show.text import print_notes
from ..spellings import plain_names_too
from ..synds import SynDS
from ..tables.frames import AnyFrame, give_back
from ..tables.opening import check_original, listed_sets, set_places, synthetic_sets
from .sdc_options import FLAG, Coding, codings_of, labels_of, new_names, numeric_columns, unique_on
from .uniques import ReplicatedUniques, check_mode, find_uniques

UNIQUE_IN_BOTH = "unique in the original and in the synthetic data"
UNIQUE_AND_FOUND = "unique in the synthetic data and found in the original"


@plain_names_too()
def sdc(
    object: SynDS | AnyFrame | Sequence[AnyFrame],
    data: AnyFrame,
    keys: Any = None,
    *,
    prefix: str | None = None,
    suffix: str | None = None,
    label: Any = None,
    rm_uniques_in_orig: bool = False,
    rm_replicated_uniques: bool = False,
    recode_vars: Any = None,
    bottom_top_coding: Any = None,
    recode_exclude: Any = None,
    smooth_vars: Any = None,
    compat: str = "r",
    print_flag: bool = True,
) -> SynDS:
    """Statistical disclosure control of synthetic data (R's ``sdc()``): recode, remove uniques,
    smooth, rename, label, in this order.

    Parameters
    ----------
    object : SynDS, DataFrame of pandas, polars or Arrow, or a list of these
        The synthetic data. They are never changed: the result holds new frames. (R takes its own
        class only.) By name also ``synthetic=``.
    data : DataFrame of pandas, polars or Arrow
        The original data, which show which unique records are risky. By name also ``original=``.
    keys : names or positions (from 1, in `data`) of the columns that make a record unique; all
        synthetic columns by default.
    prefix, suffix : texts to put before and after every column name.
    label : text for a first column called "flag" that marks every record as synthetic, or one text
        for each synthesis.
    rm_uniques_in_orig : remove synthetic records with a unique combination of keys that occurs in
        the original.
    rm_replicated_uniques : remove only those whose combination is unique in the original too. If
        both are set, `rm_uniques_in_orig` decides.
    recode_vars : numeric columns to bottom- and top-code. They become floats, as in R.
    bottom_top_coding : a pair (lowest, highest value) for one column, a list of pairs for several;
        None where there is no limit.
    recode_exclude : values to leave alone, such as -8: for one column a value or list, for several
        a list with an entry for each.
    smooth_vars : numeric columns to smooth: sorted values are replaced by those of a smoothing
        spline over their ranks, as R's ``smooth.spline`` gives them (`synthpop_py.r.spline` repeats
        its arithmetic). Missing and special values (`cont_na`) stay. Check the outcome: with fewer
        than 50 values the best spline often runs through every point and smooths nothing, in R as
        here.
    compat : "r" (or "r-1.9-2", which is the same here) removes the records that R removes,
        "corrected" the correct ones; where they differ (D15, D36, D37, D38) an `RDefectWarning`
        gives both numbers.
    print_flag : say how many values were recoded and how many records removed.

    Returns
    -------
    SynDS
        With sets of the kind given, and `cont_na` under the new names. Under compat="r" its `meta`
        keeps the numbers of records before removal as "n" and "k", as R's object does. From these
        `replicated_uniques` works out what R would report (D38).

    Examples
    --------
    >>> import pandas as pd
    >>> from synthpop_py.companions.sdc import sdc
    >>> people = pd.DataFrame({"sex": ["f", "m", "f", "f"], "age": [30, 71, 40, 40]})
    >>> fake = pd.DataFrame({"sex": ["f", "m", "f", "f"], "age": [30, 90, 41, 41]})
    >>> safer = sdc(
    ...     fake,
    ...     people,
    ...     rm_replicated_uniques=True,
    ...     recode_vars="age",
    ...     bottom_top_coding=(None, 80),
    ...     label="synthetic",
    ... )
    age: 0 values bottom-coded, 1 top-coded
    records removed, unique in the original and in the synthetic data: 1 of 4
    >>> safer.syn[0]
            flag sex   age
    1  synthetic   m  80.0
    2  synthetic   f  41.0
    3  synthetic   f  41.0
    """
    mode = check_mode(compat)
    given = listed_sets("object", object)
    synthesis = _as_synds(object)
    data = check_original(data, "data")
    _check_rows(synthesis, data)
    check_flag("rm_uniques_in_orig", rm_uniques_in_orig)
    check_flag("rm_replicated_uniques", rm_replicated_uniques)
    check_flag("print_flag", print_flag)
    removes = rm_uniques_in_orig or rm_replicated_uniques
    names = unique_on(keys, data, synthesis, needed=removes)
    codings = codings_of(recode_vars, bottom_top_coding, recode_exclude, synthesis)
    smoothed = numeric_columns("smooth_vars", smooth_vars, synthesis)
    labels = labels_of(label, synthesis.m)
    renamed = new_names(synthesis, prefix, suffix, labelled=label is not None)

    notes: list[str] = []
    frames = [_recoded(frame, codings, notes) for frame in synthesis.syn]
    if removes:
        recoded = SynDS(frames, synthesis.cont_na, synthesis.meta)
        removal = _Removal(recoded, data, names, found_suffices=rm_uniques_in_orig)
        frames = removal.kept(mode, notes)
    safer = []
    names_before = {new: old for old, new in renamed.items()}
    for number, (frame, like) in enumerate(zip(frames, given), start=1):
        changed = _smoothed(frame, smoothed, synthesis, number).rename(columns=renamed)
        if labels is not None:
            changed.insert(0, FLAG, labels[number - 1])
        safer.append(give_back(changed, like, names_before))
    if print_flag:
        print_notes(notes)
    special = {renamed[name]: values for name, values in synthesis.cont_na.items()}
    return SynDS(safer, special, _meta(synthesis, data, mode))


def _as_synds(object: Any) -> SynDS:
    """The synthesis with its sets in pandas."""
    sets = synthetic_sets("object", object)
    if isinstance(object, SynDS):
        return SynDS(sets, object.cont_na, object.meta)
    return SynDS(sets)


def _check_rows(synthesis: SynDS, data: pd.DataFrame) -> None:
    """Refuse an empty table, which needs no protection and gives none."""
    for frame, place in zip(synthesis.syn, set_places("object", synthesis.m)):
        if not len(frame):
            raise InputError(f"{place}: has no rows; there is nothing to make safer")
    if not len(data):
        raise InputError("data: has no rows; there is nobody to protect")


def _of_set(number: int, m: int) -> str:
    return f" (synthesis {number})" if m > 1 else ""


def _reals(column: pd.Series) -> Floats:
    """A numeric column as a new array of real numbers, NaN where missing."""
    values: Floats = column.to_numpy(dtype=np.float64, na_value=np.nan)
    return values.copy()


# ---- recode --------------------------------------------------------------------------


def _recoded(frame: pd.DataFrame, codings: Sequence[Coding], notes: list[str]) -> pd.DataFrame:
    """The frame with extreme values replaced by the limits."""
    new = frame.copy()
    for coding in codings:
        if coding.bottom is None and coding.top is None:
            continue
        values = _reals(new[coding.name])
        open_to_change = ~np.isnan(values) & ~np.isin(values, coding.spared)
        bottom = -np.inf if coding.bottom is None else coding.bottom
        top = np.inf if coding.top is None else coding.top
        below = open_to_change & (values < bottom)
        above = open_to_change & (values > top)
        values[below] = bottom
        values[above] = top
        new[coding.name] = values
        notes.append(f"{coding.name}: {below.sum()} values bottom-coded, {above.sum()} top-coded")
    return new


# ---- remove uniques ------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Removal:
    """Which records are removed: unique ones found in the original, or only those that are unique
    there too.
    """

    synthesis: SynDS
    data: pd.DataFrame
    keys: tuple[Hashable, ...]
    found_suffices: bool

    def kept(self, mode: Mode, notes: list[str]) -> list[pd.DataFrame]:
        """The frames without the marked records. (R also adds empty records where it remembers more
        than there are; we do not.)
        """
        uniques = find_uniques(self.synthesis, self.data, list(self.keys), compat=mode)
        marks = []
        for frame, marked in zip(self.synthesis.syn, self._marks(uniques)):
            marks.append(np.resize(marked, len(frame)))
        self._warn_where_r_removes_others(uniques, marks)
        reason = UNIQUE_AND_FOUND if self.found_suffices else UNIQUE_IN_BOTH
        for number, marked in enumerate(marks, start=1):
            told = f"records removed, {reason}: {marked.sum()} of {len(marked)}"
            notes.append(told + _of_set(number, self.synthesis.m))
        return [frame.loc[~marked] for frame, marked in zip(self.synthesis.syn, marks)]

    def _marks(self, uniques: ReplicatedUniques) -> list[Flags]:
        return uniques.synU_rm if self.found_suffices else uniques.repU_rm

    def _warn_where_r_removes_others(
        self, uniques: ReplicatedUniques, marks: Sequence[Flags]
    ) -> None:
        if uniques.corrected is None:
            return
        correct_marks = self._marks(uniques.corrected)
        if all(np.array_equal(r, correct) for r, correct in zip(marks, correct_marks)):
            return
        counts = []
        for number, (r, correct) in enumerate(zip(marks, correct_marks), start=1):
            of_set = _of_set(number, self.synthesis.m)
            counts.append(f"R removes {r.sum()} records{of_set}, correct is {correct.sum()}")
        told = f"sdc: {'; '.join(counts)}. compat='corrected' removes the correct ones."
        reasons = dict.fromkeys(f"{found.id}, {found.summary}" for found in uniques.defects)
        warn(f"{told} {'; '.join(reasons)}.", RDefectWarning)


# ---- smooth --------------------------------------------------------------------------


def _smoothed(
    frame: pd.DataFrame, names: Sequence[Hashable], synthesis: SynDS, number: int
) -> pd.DataFrame:
    """The frame with columns smoothed, missing and special values left alone."""
    new = frame.copy()
    for name in names:
        values = _reals(frame[name])
        special = synthesis.cont_na.get(name, ())
        usual = ~np.isnan(values) & ~np.isin(values, special)
        column = f"column {name!r}{_of_set(number, synthesis.m)}"
        values[usual] = _on_the_curve(values[usual], column)
        new[name] = values
    return new


def _on_the_curve(values: Floats, column: str) -> Floats:
    """Each value replaced by that of a smoothing spline at its rank."""
    if len(values) < FEWEST:
        raise InputError(
            f"smooth_vars: {column} has {len(values)} values that are neither missing nor"
            f" special; smoothing needs at least {FEWEST}"
        )
    if not np.isfinite(values).all():
        raise InputError(
            f"smooth_vars: {column} holds infinite values; smoothing needs finite ones"
        )
    ordered = np.sort(values)
    try:
        curve = smooth(ordered)
    except NotSmoothable as error:
        raise InputError(f"smooth_vars: {column} cannot be smoothed: {error}") from None
    at_rank: Floats = curve[_middle_ranks(ordered, values)]
    return at_rank


def _middle_ranks(ordered: Floats, values: Floats) -> Integers:
    """Positions of values among the ordered ones, from 0: of equal values the middle one, rounded
    down.
    """
    first = np.searchsorted(ordered, values, side="left")
    last = np.searchsorted(ordered, values, side="right") - 1
    return (first + last) // 2


def _meta(synthesis: SynDS, data: pd.DataFrame, mode: Mode) -> dict[str, Any]:
    """What the result keeps: as in R's object, the numbers of records before removal."""
    meta = dict(synthesis.meta)
    n, k = meta.pop("n", len(data)), meta.pop("k", len(synthesis.syn[0]))
    return meta if mode == CORRECTED else meta | {"n": n, "k": k}
