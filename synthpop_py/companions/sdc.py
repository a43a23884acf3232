"""`sdc()`: make synthetic data safer before they are released."""

from __future__ import annotations

import numbers
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from ..arguments import check_flag, check_in_every_set, is_number, listed, resolve_keys
from ..core.arrays import Floats, Integers
from ..disclosure.defect_text import notes_text
from ..errors import InputError, RDefectWarning, warn
from ..names import unknown_name
from ..r.reading import Mode
from ..r.spline import FEWEST, NotSmoothable, smooth
from ..show import fill
from ..spellings import plain_names_too
from ..synds import SynDS
from ..tables.opening import check_original, synthetic_sets
from ..tables.reading import read_column
from .uniques import check_mode, find_uniques
from .uniques_show import defect_notes

FLAG = "flag"


@dataclass(frozen=True, slots=True)
class Coding:
    """How one column is bottom- and top-coded: values below `bottom` become `bottom`, those above
    `top` become `top`, except `spared` ones.
    """

    name: Hashable
    bottom: float | None
    top: float | None
    spared: tuple[float, ...]


@plain_names_too()
def sdc(
    object: SynDS | pd.DataFrame | Sequence[pd.DataFrame],
    data: pd.DataFrame,
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
    object : SynDS, DataFrame or list of DataFrame
        The synthetic data. They are never changed: the result holds new frames. (R takes its own
        class only.) By name also ``synthetic=``.
    data : DataFrame
        The original data, which tell which unique records are risky. By name also ``original=``.
    keys : names or positions (from 1, in `data`) of the columns that make a record unique; all
        synthetic columns by default.
    prefix, suffix : texts to put before and after every column name.
    label : text for a first column called "flag" that marks every record as synthetic, or one text
        for each synthesis.
    rm_uniques_in_orig : remove synthetic records with a unique combination of keys that occurs in
        the original.
    rm_replicated_uniques : remove only those whose combination is unique in the original too. With
        both, the former decides.
    recode_vars : numeric columns to bottom- and top-code. They come out as real numbers, as in R.
    bottom_top_coding : a pair (lowest, highest value) for one column, a list of pairs for several;
        None where there is no limit.
    recode_exclude : values to leave alone, such as -8: for one column a value or list, for several
        a list with an entry for each.
    smooth_vars : numeric columns to smooth: sorted values are replaced by those of a smoothing
        spline over their ranks, as R's ``smooth.spline`` gives them (`synthpop_py.r.spline`
        repeats its arithmetic). Missing and special values (`cont_na`) stay. Look at the outcome:
        with fewer than 50 values the best spline often runs through every point, so that nothing is
        smoothed, in R as here.
    compat : "r" (or "r-1.9-2", which is the same here) removes the records that R removes,
        "corrected" the right ones; where they differ (D15, D36, D37, D38) an `RDefectWarning` gives
        both numbers.
    print_flag : say how many values were recoded and how many records removed.

    Returns
    -------
    SynDS
        With `cont_na` under the new names. Under compat="r" its `meta` remembers the numbers of
        records before removal as "n" and "k", as R's object does, so that `replicated_uniques` can
        tell what R would make of it (D38).

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
    synthesis = _as_synds(object)
    check_original(data, "data")
    for argument, value in (
        ("rm_uniques_in_orig", rm_uniques_in_orig),
        ("rm_replicated_uniques", rm_replicated_uniques),
        ("print_flag", print_flag),
    ):
        check_flag(argument, value)
    names = _keys(keys, data, synthesis, rm_uniques_in_orig or rm_replicated_uniques)
    codings = _codings(recode_vars, bottom_top_coding, recode_exclude, synthesis)
    smoothed = _numeric_columns("smooth_vars", smooth_vars, synthesis)
    labels = _labels(label, synthesis.m)
    renamed = _new_names(list(synthesis.syn[0].columns), prefix, suffix, label is not None)

    notes: list[str] = []
    frames = [_recoded(frame, codings, notes) for frame in synthesis.syn]
    if rm_uniques_in_orig or rm_replicated_uniques:
        current = SynDS(frames, synthesis.cont_na, synthesis.meta)
        frames = _without_uniques(
            current, data, names, "synU_rm" if rm_uniques_in_orig else "repU_rm", mode, notes
        )
    frames = [
        _smoothed(frame, smoothed, synthesis, number)
        for number, frame in enumerate(frames, start=1)
    ]
    frames = [frame.rename(columns=renamed) for frame in frames]
    if labels is not None:
        frames = [_labelled(frame, text) for frame, text in zip(frames, labels)]
    if print_flag:
        print("\n".join(notes), end="\n" if notes else "")
    return SynDS(
        frames,
        {renamed[name]: values for name, values in synthesis.cont_na.items()},
        _meta(synthesis, data, mode),
    )


# ---- arguments -----------------------------------------------------------------------


def _as_synds(object: Any) -> SynDS:
    sets = synthetic_sets("object", object)
    return object if isinstance(object, SynDS) else SynDS(sets)


def _keys(keys: Any, data: pd.DataFrame, synthesis: SynDS, needed: bool) -> tuple[Hashable, ...]:
    if needed:
        return resolve_keys(
            list(synthesis.syn[0].columns) if keys is None else keys, data, synthesis.syn
        )
    for key in listed(keys):
        if not isinstance(key, numbers.Real):
            check_in_every_set("keys", key, synthesis.syn)
    return ()


def _numeric_columns(argument: str, given: Any, synthesis: SynDS) -> tuple[Hashable, ...]:
    """Names of numeric columns of the synthetic data."""
    names = tuple(listed(given))
    twice = sorted({str(n) for n in names if names.count(n) > 1})
    if twice:
        raise InputError(f"{argument}: {', '.join(twice)} given more than once")
    columns = list(synthesis.syn[0].columns)
    for name in names:
        if name not in columns:
            raise unknown_name(argument, name, columns, "the synthetic data")
        for number, frame in enumerate(synthesis.syn, start=1):
            column = read_column(frame[name], f"object, element {number}, column {name!r}")
            if not column.is_number and len(column.present()):
                numeric = [str(c) for c in columns if read_column(frame[c], str(c)).is_number]
                raise InputError(
                    f"{argument}: column {name!r} is not numeric; choices:"
                    f" {', '.join(numeric) or 'none, no column is numeric'}"
                )
    return names


def _codings(
    recode_vars: Any, bottom_top: Any, exclude: Any, synthesis: SynDS
) -> tuple[Coding, ...]:
    names = _numeric_columns("recode_vars", recode_vars, synthesis)
    if not names:
        for argument, value in (("bottom_top_coding", bottom_top), ("recode_exclude", exclude)):
            if value is not None:
                raise InputError(
                    f"{argument}: {value!r} given, but recode_vars names no column to recode"
                )
        return ()
    pairs = _per_column("bottom_top_coding", bottom_top, names)
    spared: list[list[Any]] = (
        [[] for _ in names] if exclude is None else _per_column("recode_exclude", exclude, names)
    )
    return tuple(_coding(name, pair, values) for name, pair, values in zip(names, pairs, spared))


def _per_column(argument: str, given: Any, names: Sequence[Hashable]) -> list[list[Any]]:
    """One list for each column, from a flat list for a single column or a list of lists."""
    entries = [None] if given is None else listed(given)
    nested = any(isinstance(e, (list, tuple, np.ndarray)) for e in entries)
    if len(names) == 1 and not nested:
        entries = [entries]
    if len(entries) != len(names):
        raise InputError(
            f"{argument}: {len(entries)} entries given for {len(names)} columns in recode_vars"
            f" ({', '.join(map(str, names))}); give one for each"
        )
    return [[None] if e is None else listed(e) for e in entries]


def _coding(name: Hashable, pair: list[Any], spared: list[Any]) -> Coding:
    if len(pair) != 2:
        raise InputError(
            f"bottom_top_coding: {pair!r} for {name!r} is not a pair; give (lowest, highest), with"
            " None where there is no limit"
        )
    bottom, top = (_limit(name, value) for value in pair)
    if bottom is not None and top is not None and bottom > top:
        raise InputError(
            f"bottom_top_coding: {pair!r} for {name!r} has its lower limit above its upper one"
        )
    values = [_number("recode_exclude", name, v) for v in spared if not _is_missing(v)]
    return Coding(name, bottom, top, tuple(values))


def _is_missing(value: Any) -> bool:
    return value is None or (pd.api.types.is_scalar(value) and bool(pd.isna(value)))


def _number(argument: str, name: Hashable, value: Any) -> float:
    if not is_number(value):
        raise InputError(f"{argument}: {value!r} for {name!r} is not a number")
    return float(value)


def _limit(name: Hashable, value: Any) -> float | None:
    return None if _is_missing(value) else _number("bottom_top_coding", name, value)


def _labels(label: Any, m: int) -> list[Any] | None:
    if label is None:
        return None
    texts = listed(label)
    if len(texts) not in (1, m) or not all(pd.api.types.is_scalar(t) for t in texts):
        raise InputError(
            f"label: {label!r} does not fit {m} synthes{'is' if m == 1 else 'es'}; give one"
            f" text{'' if m == 1 else f', or {m} of them'}"
        )
    return texts * m if len(texts) == 1 else texts


def _new_names(
    columns: list[Hashable], prefix: Any, suffix: Any, labelled: bool
) -> dict[Hashable, Hashable]:
    for argument, value in (("prefix", prefix), ("suffix", suffix)):
        if value is not None and not isinstance(value, str):
            raise InputError(f"{argument}: {value!r} is not a text")
    unchanged = prefix is None and suffix is None
    names = {c: c if unchanged else f"{prefix or ''}{c}{suffix or ''}" for c in columns}
    if labelled and FLAG in names.values():
        raise InputError(
            f"label: there is a column called {FLAG!r} already; rename it, or give a prefix"
        )
    return names


# ---- steps ---------------------------------------------------------------------------


def _recoded(frame: pd.DataFrame, codings: Sequence[Coding], notes: list[str]) -> pd.DataFrame:
    new = frame.copy()
    for coding in codings:
        if coding.bottom is None and coding.top is None:
            continue
        values = _reals(new[coding.name])
        open_to_change = ~np.isnan(values) & ~np.isin(values, coding.spared)
        below = open_to_change & (values < (-np.inf if coding.bottom is None else coding.bottom))
        above = open_to_change & (values > (np.inf if coding.top is None else coding.top))
        values[below] = coding.bottom
        values[above] = coding.top
        new[coding.name] = values
        notes.append(f"{coding.name}: {below.sum()} values bottom-coded, {above.sum()} top-coded")
    return new


def _reals(column: pd.Series) -> Floats:
    """A numeric column as a new array of real numbers, NaN where missing."""
    values: Floats = column.to_numpy(dtype=np.float64, na_value=np.nan)
    return values.copy()


def _without_uniques(
    synthesis: SynDS,
    data: pd.DataFrame,
    keys: Sequence[Hashable],
    which: str,
    mode: Mode,
    notes: list[str],
) -> list[pd.DataFrame]:
    """The frames without the marked records. (R also adds empty records where it remembers more
    than there are; nobody wants those.)
    """
    found = find_uniques(synthesis, data, list(keys), mode)
    marks = [
        np.resize(marked, len(frame)) for frame, marked in zip(synthesis.syn, getattr(found, which))
    ]
    if found.corrected is not None:
        right = getattr(found.corrected, which)
        if not all(np.array_equal(a, b) for a, b in zip(marks, right)):
            counts = "; ".join(
                f"R removes {a.sum()} records{_of_set(j, synthesis.m)}, correct would be {b.sum()}"
                for j, (a, b) in enumerate(zip(marks, right), start=1)
            )
            text = fill.note(f"sdc: {counts}. compat='corrected' removes the correct ones.")
            notes_on_r = [text, *defect_notes(found, pointer=False)]
            warn(notes_text(notes_on_r), RDefectWarning)
    what = (
        "unique in the original and in the synthetic data"
        if which == "repU_rm"
        else "unique in the synthetic data and found in the original"
    )
    notes += [
        f"records removed, {what}: {a.sum()} of {len(a)}{_of_set(j, synthesis.m)}"
        for j, a in enumerate(marks, start=1)
    ]
    return [frame.loc[~marked] for frame, marked in zip(synthesis.syn, marks)]


def _of_set(number: int, m: int) -> str:
    return f" (synthesis {number})" if m > 1 else ""


def _smoothed(
    frame: pd.DataFrame, names: Sequence[Hashable], synthesis: SynDS, number: int
) -> pd.DataFrame:
    new = frame.copy()
    for name in names:
        values = _reals(frame[name])
        usual = ~np.isnan(values) & ~np.isin(values, synthesis.cont_na.get(name, ()))
        chosen = values[usual]
        place = f"column {name!r}{_of_set(number, synthesis.m)}"
        if len(chosen) < FEWEST:
            raise InputError(
                f"smooth_vars: {place} has {len(chosen)} values that are neither missing nor"
                f" special; smoothing needs at least {FEWEST}"
            )
        if not np.isfinite(chosen).all():
            raise InputError(
                f"smooth_vars: {place} holds infinite values; smoothing needs finite ones"
            )
        ordered = np.sort(chosen)
        try:
            curve = smooth(ordered)
        except NotSmoothable as error:
            raise InputError(f"smooth_vars: {place} cannot be smoothed: {error}") from None
        values[usual] = curve[_middle_ranks(ordered, chosen)]
        new[name] = values
    return new


def _middle_ranks(ordered: Floats, values: Floats) -> Integers:
    """Positions of values among the ordered ones, from 0: of equal values the middle one, rounded
    down.
    """
    first = np.searchsorted(ordered, values, side="left")
    last = np.searchsorted(ordered, values, side="right") - 1
    return (first + last) // 2


def _labelled(frame: pd.DataFrame, text: Any) -> pd.DataFrame:
    new = frame.copy()
    new.insert(0, FLAG, text)
    return new


def _meta(synthesis: SynDS, data: pd.DataFrame, mode: Mode) -> dict[str, Any]:
    kept = {name: value for name, value in synthesis.meta.items() if name not in ("n", "k")}
    if mode == "corrected":
        return kept
    return {
        **kept,
        "n": synthesis.meta.get("n", len(data)),
        "k": synthesis.meta.get("k", len(synthesis.syn[0])),
    }
