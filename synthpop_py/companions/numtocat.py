"""`numtocat_syn()`: numeric columns of one data frame put into classes."""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from ..arguments import check_choice, chosen_columns, is_number, listed, special_values
from ..core.arrays import Flags, Floats, Values
from ..core.columns import Column
from ..core.grouping import Style, assign_classes, class_breaks, class_labels
from ..disclosure.defect_text import notes_text
from ..disclosure.options import COLLATIONS
from ..errors import InputError, RDefectWarning, warn
from ..names import named_arguments
from ..r.collation import Collation, order
from ..r.reading import MODES, Mode, Reading, as_r, correctly
from ..r.text import double_text, integer_text
from ..show import Document, Note, Shown, fill
from ..show.plain import column_name
from ..synds import SynDS
from ..tables.opening import check_frame
from ..tables.reading import read_column
from .stacking import Stacked

STYLES = ("quantile", "equal", "sd", "pretty")
FEWEST_CLASSES = 3
# The defects that touch this function; `disclosure()` has its own list.


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Grouped(Shown):
    """A data frame with numeric columns put into classes, and how that was done.

    Attributes
    ----------
    data : DataFrame or SynDS, as given
        A new one; the grouped columns are categorical with the levels that occur, all others are as
        they were.
    breaks : dict of column to float64 array
        Bounds of the classes, each closed on the left, the last on both sides.
    levels : dict of column to tuple of str
        Every class in numeric order, then the special values; also those that no record has.
    orig : DataFrame, or a list of them for a SynDS
        The columns before grouping, called ``orig.<name>``.
    cont_na : dict of column to tuple
        Special values of each grouped column, empty where there are none (R writes NA there).
    numtocat : tuple
        Names of the grouped columns.
    ind : tuple of int
        Their positions, counted from 1 as in R.
    defects : tuple of str
        The defects of R that made `data`, `breaks` or `levels` other than right (compat="r" only).
    corrected : Grouped or None
        The right grouping, where R's differs.
    """

    data: pd.DataFrame | SynDS
    breaks: dict[Hashable, Floats]
    levels: dict[Hashable, tuple[str, ...]]
    orig: pd.DataFrame | list[pd.DataFrame]
    cont_na: dict[Hashable, tuple[Any, ...]]
    numtocat: tuple[Hashable, ...]
    ind: tuple[int, ...]
    defects: tuple[str, ...] = ()
    corrected: Grouped | None = None

    def _document(self) -> Document:
        frames = self._frames()
        rows, columns = sum(map(len, frames)), frames[0].shape[1]
        sets = f" in {len(frames)} sets" if len(frames) > 1 else ""
        number = len(self.numtocat)
        notes = [
            fill.note(
                "Grouped(",
                fill.people("rows", rows),
                f" rows{sets}, {columns} columns, {number} grouped)",
            )
        ]
        for name in self.numtocat:
            notes.append(fill.note(f"{name}: {' '.join(self.levels[name])}", indent=2))
        names = ", ".join(map(str, self.numtocat)) or "nothing"
        return Document(
            title="Numbers put into classes",
            sections=(fill.section(*notes, *self._both()),),
            headline=(fill.note(f"{number} of {columns} columns put into classes: {names}."),),
        )

    def _content(self) -> dict[str, Any]:
        corrected = self.corrected
        return {
            "numtocat": [column_name(name) for name in self.numtocat],
            "ind": list(self.ind),
            "breaks": self.breaks,
            "levels": self.levels,
            "cont_na": self.cont_na,
            "defects": list(self.defects),
            "corrected": None if corrected is None else corrected._header() | corrected._content(),
        }

    def _arguments(self) -> dict[str, Any]:
        return {"numtocat": [column_name(name) for name in self.numtocat]}

    def _records(self) -> dict[str, Any]:
        return {"grouped": [len(frame) for frame in self._frames()]}

    def _frames(self) -> list[pd.DataFrame]:
        return list(self.data.syn) if isinstance(self.data, SynDS) else [self.data]

    def _both(self) -> list[Note]:
        """Where R's grouping is wrong, each column's levels in R's order and in the correct one."""
        if self.corrected is None:
            return []
        notes = [
            fill.note(
                f"R's grouping is not correct ({', '.join(self.defects)}); .corrected has the"
                " correct one:",
                indent=2,
            )
        ]
        correct = self.corrected
        for name in self.numtocat:
            theirs, ours = self._categories(name), correct._categories(name)
            if theirs == ours:
                theirs, ours = list(self.levels[name]), list(correct.levels[name])
            if theirs != ours:
                told = f"{name}: R {' '.join(theirs)}; correct {' '.join(ours)}"
                notes.append(fill.note(told, indent=2))
        return notes

    def _categories(self, name: Hashable) -> list[str]:
        return [str(category) for category in self._frames()[0][name].cat.categories]


class _Classes(NamedTuple):
    """Classes of one column: breaks, texts of classes, and whether equal widths replaced the style
    asked for.
    """

    breaks: Floats
    labels: list[str]
    replaced: bool


@named_arguments()
def numtocat_syn(
    data: pd.DataFrame | SynDS,
    numtocat: Any = None,
    *,
    print_flag: bool = True,
    cont_na: Mapping[Any, Any] | None = None,
    catgroups: float | Sequence[float] = 5,
    style_groups: str = "quantile",
    compat: str = "r",
    collation: str = "icu",
) -> Grouped:
    """Group numeric columns of a data frame into classes (R's ``numtocat.syn()``).

    Parameters
    ----------
    data : DataFrame or SynDS
        Original or synthetic data. The sets of a SynDS get the same classes, made from the values
        of all of them; its own special values are used unless `cont_na` is given.
    numtocat : names or positions (from 1, as in R) of the columns to group; all numeric ones by
        default.
    print_flag : say what was grouped, and where equal widths had to be used.
    cont_na : mapping of column to special values, such as ``{"income": -8}``, which become levels
        of their own.
    catgroups : how many classes to aim at, one number above 1 or one for each column.
    style_groups : {"quantile", "equal", "sd", "pretty"}
        Where it gives two classes or fewer, equal widths are used instead.
    compat : "r" (or "r-1.9-2", which is the same here) for R's result, "corrected" for the right
        one. R sorts the levels of the new columns like words (D39) and never splits at the median
        (D22); an `RDefectWarning` says where that matters.
    collation : how R sorts texts, "icu" or "C"; it decides R's order of levels.

    Returns
    -------
    Grouped

    Examples
    --------
    >>> import pandas as pd
    >>> ages = pd.DataFrame({"age": [8.0, 9, 12, 20, 35, 60]})
    >>> right = numtocat_syn(ages, catgroups=3, compat="corrected", print_flag=False)
    >>> right.data["age"].cat.categories.tolist()
    ['[8,11)', '[11,25)', '[25,60]']
    >>> right.data["age"].tolist()
    ['[8,11)', '[8,11)', '[11,25)', '[11,25)', '[25,60]', '[25,60]']
    >>> right.orig.columns.tolist(), right.ind
    (['orig.age'], (1,))
    """
    if isinstance(data, SynDS):
        stacked = Stacked(data)
        frame = stacked.frame()
        own = (
            {
                name: values
                for name, values in data.cont_na.items()
                if name in _wanted(numtocat, frame)
            }
            if cont_na is None
            else cont_na
        )
        options: dict[str, Any] = {
            "print_flag": print_flag,
            "cont_na": own,
            "catgroups": catgroups,
            "style_groups": style_groups,
            "compat": compat,
            "collation": collation,
        }
        return _in_sets(numtocat_syn(frame, numtocat, **options), stacked)
    check_frame(data, "data")
    check_choice("style_groups", style_groups, STYLES)
    mode: Mode = check_choice("compat", compat, MODES)
    check_choice("collation", collation, COLLATIONS)
    columns = {
        name: read_column(data[name], f"data, column {name!r}") for name in _wanted(numtocat, data)
    }
    names = list(columns)
    _check_numeric(columns)
    groups = _class_numbers(catgroups, names)
    special = _special_values(cont_na, names)
    how: tuple[Any, Any] = style_groups, collation  # checked above
    made = _grouped(
        data,
        columns,
        groups,
        special,
        *how,
        as_r(mode, "numtocat_syn"),
    )
    result = made.result
    if result.defects:
        right = _grouped(data, columns, groups, special, *how, correctly())
        result = replace(result, corrected=right.result)
    if print_flag:
        print(
            "\n".join(
                [
                    (
                        "grouped:"
                        f" {', '.join(map(str, names)) or 'nothing, there is no numeric column'}"
                    ),
                    *made.notes,
                ]
            )
        )
    if result.defects:
        reasons = "; ".join(MEANINGS[defect] for defect in result.defects)
        does_as_r = f"numtocat_syn does as R does: {reasons}. compat='corrected' does it correctly."
        warn(
            notes_text([fill.note(does_as_r), *result._both()[1:]]),
            RDefectWarning,
        )
    return result


def _in_sets(grouped: Grouped, stacked: Stacked) -> Grouped:
    """The grouping of stacked sets, set by set."""
    right = None if grouped.corrected is None else _in_sets(grouped.corrected, stacked)
    return replace(
        grouped,
        data=stacked.synds(grouped.data),
        orig=stacked.parted(grouped.orig),
        corrected=right,
    )


class _Made(NamedTuple):
    """A grouping and what there is to say about it."""

    result: Grouped
    notes: list[str]


def _grouped(
    data: pd.DataFrame,
    columns: dict[Hashable, Column],
    groups: list[float],
    special: dict[Hashable, tuple[Any, ...]],
    style: Style,
    collation: Collation,
    switches: Reading,
) -> _Made:
    """Every column grouped under one reading of R's rules."""
    names = list(columns)
    grouped, breaks, levels, notes = data.copy(), {}, {}, []
    for name, n in zip(names, groups):
        ordinary = _ordinary(columns[name], special[name])
        made = _classes(name, columns[name].values[ordinary].astype(np.float64), n, style, switches)
        grouped[name] = _as_factor(
            columns[name], ordinary, made, special[name], collation, switches
        ).set_axis(data.index)
        breaks[name] = made.breaks
        levels[name] = (*made.labels, *_special_texts(columns[name], special[name], switches))
        notes += [_note(name, made, style)] if made.replaced else []

    result = Grouped(
        data=grouped,
        breaks=breaks,
        levels=levels,
        orig=data[names].set_axis([f"orig.{name}" for name in names], axis=1),
        cont_na=special,
        numtocat=tuple(names),
        ind=tuple(list(data.columns).index(name) + 1 for name in names),
        defects=tuple(sorted(switches.touched)),
    )
    return _Made(result, notes)


# ---- arguments -----------------------------------------------------------------------


def _wanted(numtocat: Any, data: pd.DataFrame) -> list[Hashable]:
    if numtocat is not None:
        return chosen_columns("numtocat", numtocat, data.columns)
    kinds = {name: data[name].dtype for name in data.columns}
    return [
        name
        for name, kind in kinds.items()
        if _may_be_numeric(kind) and read_column(data[name], f"data, column {name!r}").is_number
    ]


def _may_be_numeric(kind: Any) -> bool:
    return kind == object or (
        pd.api.types.is_numeric_dtype(kind) and not pd.api.types.is_bool_dtype(kind)
    )


def _check_numeric(columns: dict[Hashable, Column]) -> None:
    other = [str(name) for name, column in columns.items() if not column.is_number]
    if other:
        raise InputError(
            f"numtocat: {', '.join(other)} not numeric; only columns of numbers can be grouped"
        )


def _class_numbers(catgroups: Any, names: list[Hashable]) -> list[float]:
    values = listed(catgroups)
    for value in values:
        if not is_number(value) or not math.isfinite(value) or value < 2:
            raise InputError(
                f"catgroups: {value!r} is not a number of classes; give a number of 2 or more"
            )
    if len(values) == 1:
        return values * len(names)
    if len(values) != len(names):
        raise InputError(
            f"catgroups: {len(values)} numbers for {len(names)} columns; give one number, or one"
            " for each column"
        )
    return values


def _special_values(cont_na: Any, names: list[Hashable]) -> dict[Hashable, tuple[Any, ...]]:
    given = special_values(cont_na)
    for name, values in given.items():
        if name not in names:
            raise InputError(
                f"cont_na: {name!r} is not among the columns being grouped:"
                f" {', '.join(map(str, names))}"
            )
        for value in values:
            if not is_number(value):
                raise InputError(f"cont_na: {value!r} for {name!r} is not a number")
    return {name: given.get(name, ()) for name in names}


# ---- classes -------------------------------------------------------------------------


def _ordinary(column: Column, special: tuple[Any, ...]) -> Flags:
    """Neither missing nor a special value."""
    usual = ~np.isin(column.values, special) if special else np.ones(len(column), dtype=bool)
    return usual if column.missing is None else usual & ~column.missing


def _classes(name: Hashable, values: Values, n: float, style: Style, switches: Reading) -> _Classes:
    """Classes in the style asked for; equal widths where fewer than three come out, special values
    not counted.

    When two are asked for, two are enough. R does not see that and replaces them too (D22).
    """
    if not values.size:
        raise InputError(
            f"numtocat: column {name!r} has only missing or special values; it cannot be grouped"
        )
    try:
        breaks = class_breaks(values, n, style)
        even = class_breaks(values, n, "equal")
    except InputError as error:
        raise InputError(f"numtocat: column {name!r} cannot be grouped: {error}") from None
    too_few = len(breaks) - 1 < min(FEWEST_CLASSES, int(n))
    only_in_r = (
        not too_few and len(breaks) - 1 < FEWEST_CLASSES and not np.array_equal(breaks, even)
    )
    if too_few or switches.follow_r("D22", only_in_r):
        return _Classes(even, class_labels(even), not np.array_equal(breaks, even))
    return _Classes(breaks, class_labels(breaks), False)


def _as_factor(
    column: Column,
    ordinary: Flags,
    made: _Classes,
    special: tuple[Any, ...],
    collation: Collation,
    switches: Reading,
) -> pd.Series:
    """The column as a factor of occurring levels: in numeric order, or sorted as words (D39)."""
    texts = [*made.labels, *(_own_text(column, value) for value in special)]
    codes = np.full(len(column), -1, dtype=np.int64)
    codes[ordinary] = assign_classes(column.values[ordinary].astype(np.float64), made.breaks)
    for place, value in enumerate(special, start=len(made.labels)):
        here = column.values == value
        codes[here if column.missing is None else here & ~column.missing] = place
    used = np.flatnonzero(np.bincount(codes[codes >= 0], minlength=len(texts)))
    as_words = used[order([texts[i] for i in used], collation)]
    if switches.follow_r("D39", not np.array_equal(as_words, used)):
        used = as_words
    place_of = np.full(len(texts) + 1, -1)
    place_of[used] = np.arange(len(used))
    return pd.Series(
        pd.Categorical.from_codes(place_of[codes], pd.Index([texts[i] for i in used], dtype=object))
    )


def _own_text(column: Column, value: Any) -> str:
    """The text of a special value as the column writes it."""
    whole = column.kind == "integer" and float(value).is_integer()
    return integer_text(int(value)) if whole else double_text(float(value))


def _special_texts(column: Column, special: tuple[Any, ...], switches: Reading) -> list[str]:
    """Texts of the special values; R writes 100000 as 1e+05 here, but 100000 in the data, where
    these are whole numbers (D15).
    """
    own, as_double = (
        [_own_text(column, v) for v in special],
        [double_text(float(v)) for v in special],
    )
    return as_double if switches.follow_r("D15", own != as_double) else own


# ---- show ----------------------------------------------------------------------------


def _note(name: Hashable, made: _Classes, style: str) -> str:
    return (
        f"{name}: classes of equal width, because style {style!r} gave too few; now"
        f" {len(made.labels)}"
    )


MEANINGS = {
    "D15": "a special value has another text in `levels` than in the data (D15)",
    "D22": "two quantile classes were replaced by two of equal width (D22)",
    "D39": "levels are sorted like words, not by size (D39)",
}
