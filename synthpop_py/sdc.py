"""`sdc()`: make synthetic data safer before they are released."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np
import pandas as pd

from .arguments import check_choice, check_flag, chosen_columns, is_number, listed, resolve_keys
from .core.arrays import Floats
from .errors import InputError, RDefectWarning, untold, warn, warning_once
from .r.ledger import reasons
from .r.reading import CORRECTED, MODES
from .r.spline import FEWEST, NotSmoothable, smooth
from .show.printing import print_notes
from .synds import SynDS
from .tables.frames import AnyFrame, give_back
from .tables.opening import check_original, listed_sets, open_table, set_places, synthetic_sets
from .uniques import Keys, ReplicatedUniques, replicated_uniques

FLAG = "flag"
COUNTED = {
    "repU_rm": "unique in the original and in the synthetic data",
    "synU_rm": "unique in the synthetic data and found in the original",
}


@warning_once
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
    object : SynDS, DataFrame of pandas, polars or Arrow, or a list of these; the synthetic data,
        which are never changed. (R takes its own class only.)
    data : DataFrame; the original data, which show which unique records are risky.
    keys : names or positions (from 1, in `data`) of the columns that make a record unique; all
        synthetic columns by default.
    prefix, suffix : texts to put before and after every column name.
    label : text for a first column called "flag" that marks every record as synthetic, or one text
        for each synthesis.
    rm_uniques_in_orig, rm_replicated_uniques : remove synthetic records with a unique combination
        of keys that occurs in the original, or (if only the second is set) that is unique there.
    recode_vars : numeric columns to bottom- and top-code. They become floats, as in R.
    bottom_top_coding : a pair (lowest, highest value) for one column, a list of pairs for several;
        None where there is no limit.
    recode_exclude : values to leave alone, such as -8: for one column a value or list, for several
        a list with an entry for each.
    smooth_vars : numeric columns to smooth: sorted values are replaced by those of a smoothing
        spline over their ranks, as R's ``smooth.spline`` gives them. Missing and special values
        (`cont_na`) stay.
    compat : "r" (or "r-1.9-2", which is the same here) removes the records that R removes,
        "corrected" the correct ones; where they differ (D15, D36, D37, D38) an `RDefectWarning`
        gives both numbers.
    print_flag : say how many values were recoded and how many records removed.

    Returns
    -------
    SynDS
        With sets of the kind given, and `cont_na` under the new names. Under compat="r" its `meta`
        keeps the numbers of records before removal, "n" and "k", as R's object does (D38).

    Examples
    --------
    >>> import pandas as pd
    >>> from synthpop_py import sdc
    >>> people = pd.DataFrame({"sex": ["f", "m", "f", "f"], "age": [30, 71, 40, 40]})
    >>> fake = pd.DataFrame({"sex": ["f", "m", "f", "f"], "age": [30, 90, 41, 41]})
    >>> limit = {"recode_vars": "age", "bottom_top_coding": (None, 80)}
    >>> safer = sdc(fake, people, rm_replicated_uniques=True, label="synthetic", **limit)
    age: 0 values bottom-coded, 1 top-coded
    records removed, unique in the original and in the synthetic data: 1 of 4
    >>> safer.syn[0].values.tolist()
    [['synthetic', 'm', 80.0], ['synthetic', 'f', 41.0], ['synthetic', 'f', 41.0]]
    """
    mode = check_choice("compat", compat, MODES)
    given, frames = listed_sets("object", object), synthetic_sets("object", object)
    data, m = check_original(data, "data"), len(frames)
    places = [*set_places("object", m), "data"]
    for frame, place in zip([*frames, data], places):
        if not len(frame):
            raise InputError(f"{place}: has no rows; there is nobody to protect")
    found_suffices = check_flag("rm_uniques_in_orig", rm_uniques_in_orig)
    removes = check_flag("rm_replicated_uniques", rm_replicated_uniques) or found_suffices
    check_flag("print_flag", print_flag)
    columns = list(frames[0].columns)
    names: Keys = ()
    if removes or keys is not None:
        names = resolve_keys(columns if keys is None else keys, data, frames)
    recoded = _numeric_columns("recode_vars", recode_vars, frames)
    limits = _limits(recoded, bottom_top_coding)
    spared = _per_column("recode_exclude", recode_exclude, recoded)
    smoothed = _numeric_columns("smooth_vars", smooth_vars, frames)
    labels = listed(label)
    if len(labels) not in (0, 1, m):
        raise InputError(f"label: {label!r} is not one text, nor one for each of {m} syntheses")
    renamed = _new_names(columns, prefix, suffix)
    if labels and FLAG in renamed.values():
        raise InputError(f"label: there is a column called {FLAG!r}; give a prefix")
    cont_na, meta = {}, {}
    if isinstance(object, SynDS):
        cont_na, meta = object.cont_na, dict(object.meta)

    notes: list[str] = []
    changed = [frame.copy() for frame in frames]
    for frame in changed:
        for name, (bottom, top) in limits.items():
            notes.append(_recode(frame, name, bottom, top, spared[name]))
    if removes:
        which = "synU_rm" if found_suffices else "repU_rm"
        synthesis = SynDS(changed, cont_na, meta)
        with untold(RDefectWarning):  # told here by the records removed
            uniques = replicated_uniques(synthesis, data, list(names), compat=mode)
        changed, removed = _without(changed, uniques, which)
        notes += removed
    safer = []
    for j, (frame, like) in enumerate(zip(changed, given)):
        for name in smoothed:
            place = f"smooth_vars: column {name!r}{_of_set(j, m)}"
            frame[name] = _smoothed(_reals(frame[name]), cont_na.get(name, ()), place)
        new = frame.rename(columns=renamed)
        if labels:
            new.insert(0, FLAG, labels[j % len(labels)])
        safer.append(give_back(new, like, {new: old for old, new in renamed.items()}))
    if print_flag:
        print_notes(notes)
    special = {renamed[name]: values for name, values in cont_na.items()}
    sizes = {"n": meta.pop("n", len(data)), "k": meta.pop("k", len(frames[0]))}
    return SynDS(safer, special, meta if mode == CORRECTED else meta | sizes)


def _of_set(j: int, m: int) -> str:
    return f" (synthesis {j + 1})" if m > 1 else ""


def _reals(column: pd.Series) -> Floats:
    """A numeric column as a new array of real numbers, NaN where missing."""
    values: Floats = column.to_numpy(dtype=np.float64, na_value=np.nan)
    return values.copy()


def _recode(frame: Any, name: Hashable, bottom: float, top: float, spared: Sequence[Any]) -> str:
    """Replace extreme values of a column by the limits; says how many."""
    values = _reals(frame[name])
    coded = np.clip(values, bottom, top)
    left_alone = np.isin(values, np.array(spared, dtype=float))
    coded[left_alone] = values[left_alone]
    frame[name] = coded
    below, above = (coded > values).sum(), (coded < values).sum()
    return f"{name}: {below} values bottom-coded, {above} top-coded"


def _without(
    frames: Sequence[pd.DataFrame], uniques: ReplicatedUniques, which: str
) -> tuple[list[pd.DataFrame], list[str]]:
    """The frames without the records marked, as R has them or correct, and a note for each."""
    kept, notes, figures, differs = [], [], [], False
    correct = getattr(uniques.corrected or uniques, which)
    for j, (frame, marked) in enumerate(zip(frames, getattr(uniques, which))):
        out, of_set = np.resize(marked, len(frame)), _of_set(j, len(frames))
        kept.append(frame.loc[~out].copy())
        notes.append(f"records removed, {COUNTED[which]}: {out.sum()} of {len(frame)}{of_set}")
        figures.append(f"R removes {out.sum()} records{of_set}, correct is {correct[j].sum()}")
        differs |= not np.array_equal(out, correct[j])
    if differs:
        why = reasons(defect.id for defect in uniques.defects)
        told = f"sdc: {'; '.join(figures)}. compat='corrected' removes the correct ones."
        warn(f"{told} {why}.", RDefectWarning)
    return kept, notes


def _smoothed(values: Floats, special: Sequence[Any], place: str) -> Floats:
    """Usual values replaced by those of a smoothing spline at their (middle) ranks."""
    usual = ~np.isnan(values) & ~np.isin(values, special)
    ordered = np.sort(values[usual])
    if len(ordered) < FEWEST:
        raise InputError(f"{place} has {len(ordered)} usual values; smoothing needs {FEWEST}")
    if not np.isfinite(ordered).all():
        raise InputError(f"{place} holds infinite values; smoothing needs finite ones")
    try:
        curve = smooth(ordered)
    except NotSmoothable as error:
        raise InputError(f"{place} cannot be smoothed: {error}") from None
    first = np.searchsorted(ordered, values[usual], side="left")
    last = np.searchsorted(ordered, values[usual], side="right") - 1
    values[usual] = curve[(first + last) // 2]
    return values


def _numeric_columns(argument: str, given: Any, frames: Sequence[pd.DataFrame]) -> Keys:
    """Names of numeric columns of the synthetic data; one without a value passes for numeric."""
    columns = list(frames[0].columns)
    names = tuple(chosen_columns(argument, given, columns, "the synthetic data"))
    for frame, place in zip(frames, set_places("object", len(frames))):
        for name, column in open_table(frame, place).count_by(names).columns.items():
            if column.has_values and not column.is_number:
                raise InputError(f"{argument}: column {name!r} is not numeric")
    return names


def _limits(names: Keys, given: Any) -> dict[Hashable, tuple[float, float]]:
    """Lowest and highest value of the columns that have a limit."""
    limits = {}
    for name, pair in _per_column("bottom_top_coding", given, names).items():
        told = f"bottom_top_coding: {pair!r} for {name!r}"
        if len(pair) != 2:
            raise InputError(f"{told} is not a pair (lowest, highest), with None for no limit")
        low, high = np.where(np.isnan(pair), [-np.inf, np.inf], pair).tolist()
        if low > high:
            raise InputError(f"{told} has its lower limit above its upper limit")
        if np.isfinite([low, high]).any():
            limits[name] = (low, high)
    return limits


def _per_column(
    argument: str, given: Any, names: Sequence[Hashable]
) -> dict[Hashable, list[float]]:
    """The numbers given for each column of `recode_vars`, NaN where missing."""
    if given is None:
        return {name: [] for name in names}
    entries = listed(given)
    if len(names) == 1 and not any(isinstance(one, (list, tuple, np.ndarray)) for one in entries):
        entries = [entries]
    if len(entries) != len(names):
        raise InputError(f"{argument}: {len(entries)} entries for {len(names)} recode_vars")
    found: dict[Hashable, list[float]] = {}
    for name, entry in zip(names, entries):
        values = [np.nan if pd.isna(value) else value for value in listed(entry)]
        for value in values:
            if not is_number(value):
                raise InputError(f"{argument}: {value!r} for {name!r} is not a number")
        found[name] = values
    return found


def _new_names(columns: Sequence[Hashable], prefix: Any, suffix: Any) -> dict[Hashable, Hashable]:
    """The new name of each column."""
    for argument, value in (("prefix", prefix), ("suffix", suffix)):
        if not isinstance(value, (str, type(None))):
            raise InputError(f"{argument}: {value!r} is not a text")
    if not prefix and not suffix:
        return dict(zip(columns, columns))
    return {column: f"{prefix or ''}{column}{suffix or ''}" for column in columns}
