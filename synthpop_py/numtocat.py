"""`numtocat_syn()`: numeric columns of one data frame put into classes."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from pandas.api.types import is_numeric_dtype

from . import arguments as check
from .core.arrays import Floats
from .errors import InputError, unknown_choice, warning_once
from .grouping import Grouping, Style, class_of, group
from .r.ledger import DEFECTS, findings, warn_of_defects
from .r.reading import CORRECTED, MODES, Met
from .r.text import double_text, integer_text
from .rounding import people, shown
from .show.printing import Sections, print_notes
from .show.values import column_name
from .show.views import Shown
from .synds import SynDS, as_given, one_frame, parted
from .tables.frames import AnyFrame, give_back
from .tables.opening import open_table, synthetic_sets

STYLES = ("quantile", "equal", "sd", "pretty")


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Grouped(Shown):
    """A data frame with numeric columns put into classes, and how that was done.

    Attributes
    ----------
    data : a new one of the kind given; the grouped columns are categorical with the levels that
        occur, all others are as they were.
    breaks : by column, bounds of the classes, each closed on the left, the last on both sides.
    levels : by column, every class in numeric order, then the special values, including those
        without records.
    orig : DataFrame, or a list of them for a SynDS; the columns before grouping, called
        ``orig.<name>``.
    cont_na : by column, its special values, empty where there are none (R writes NA there).
    numtocat, ind : names of the grouped columns; their positions, counted from 1 as in R.
    defects, corrected : the defects of R that make `data`, `breaks` or `levels` incorrect, and the
        correct grouping; empty and None where nothing is incorrect.
    """

    data: AnyFrame | SynDS
    breaks: dict[Hashable, Floats]
    levels: dict[Hashable, tuple[str, ...]]
    orig: AnyFrame | list[AnyFrame]
    cont_na: dict[Hashable, tuple[Any, ...]]
    numtocat: tuple[Hashable, ...]
    ind: tuple[int, ...]
    defects: tuple[str, ...] = ()
    corrected: Grouped | None = None
    _wrong: tuple[str, ...] = ()  # a sentence for each thing in which R's differs

    def _title(self) -> str:
        return "Numbers put into classes"

    def _headline(self, to: int = 1) -> list[str]:
        columns = self._frames()[0].shape[1]
        names = ", ".join(map(str, self.numtocat)) or "nothing"
        return [f"{len(self.numtocat)} of {columns} columns put into classes: {names}."]

    def _everybody(self) -> int:
        return sum(map(len, self._frames()))

    def _sections(self) -> Sections:
        return self._rounded(1)

    def _rounded(self, to: int) -> Sections:
        frames, records = self._frames(), self._everybody()
        rows = people(shown(records, records, to=to), to=to) if to > 1 else str(records)
        sets = f" in {len(frames)} sets" if len(frames) > 1 else ""
        columns = f"{frames[0].shape[1]} columns, {len(self.numtocat)} grouped"
        notes = [f"Grouped({rows} rows{sets}, {columns})"]
        notes += [f"  {name}: {' '.join(self.levels[name])}" for name in self.numtocat]
        if self.corrected is not None:
            ids = ", ".join(self.defects)
            notes.append(f"  R's grouping is not correct ({ids}); .corrected has the correct one:")
            notes += [f"    {difference}" for difference in self._wrong]
        return [notes]

    def _content(self) -> dict[str, Any]:
        fields = ("ind", "breaks", "levels", "cont_na", "defects")
        content = self._arguments() | {name: getattr(self, name) for name in fields}
        correct = None if self.corrected is None else self.corrected.to_dict()
        return content | {"corrected": correct}

    def _arguments(self) -> dict[str, Any]:
        return {"numtocat": list(map(column_name, self.numtocat))}

    def _records(self) -> dict[str, Any]:
        return {"grouped": list(map(len, self._frames()))}

    def _frames(self) -> list[pd.DataFrame]:
        return synthetic_sets("data", self.data)


@warning_once
def numtocat_syn(
    data: AnyFrame | SynDS,
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
    data : DataFrame of pandas, polars or Arrow, or SynDS
        Original or synthetic data. The sets of a SynDS get the same classes, made from the values
        of all of them; its own special values are used unless `cont_na` is given.
    numtocat : names or positions (from 1, as in R) of the columns to group; all numeric ones by
        default.
    print_flag : say what was grouped, and where equal widths had to be used.
    cont_na : mapping of column to special values, such as ``{"income": -8}``; each becomes a
        separate level.
    catgroups : approximate number of classes, above 1: one number for all columns or one for each.
    style_groups : {"quantile", "equal", "sd", "pretty"}
        Where it gives two classes or fewer, equal widths are used instead.
    compat : "r" (or "r-1.9-2", which is the same here) for R's result, "corrected" for the correct
        one. R sorts the levels of the new columns like words (D39), never splits at the median
        (D22), loses the largest value for some numbers of classes (D49) and counts a value that is
        a bound of classes below it for others (D50); an `RDefectWarning` says where that matters.
    collation : how R sorts texts, "icu" or "C"; it decides R's order of levels.

    Examples
    --------
    >>> import pandas as pd
    >>> ages = pd.DataFrame({"age": [8.0, 9, 12, 20, 35, 60]})
    >>> correct = numtocat_syn(ages, catgroups=3, compat="corrected", print_flag=False)
    >>> correct.data["age"].tolist()
    ['[8,11)', '[8,11)', '[11,25)', '[11,25)', '[25,60]', '[25,60]']
    """
    frame = one_frame(data, "data")
    style = check.check_choice("style_groups", style_groups, STYLES)
    words = check.check_choice("collation", collation, check.COLLATIONS)
    mode = check.check_choice("compat", compat, MODES)
    of_set = data.cont_na if isinstance(data, SynDS) else {}
    columns = _numeric_columns(frame, numtocat, catgroups, cont_na, of_set)
    correct = {name: _classified(name, column, style) for name, column in columns.items()}
    met = {name: Met() for name in columns}
    made = correct
    if mode != CORRECTED:
        from .r.companions import classified_as_r

        made = {one: classified_as_r(columns[one], style, words, met[one]) for one in columns}
    if print_flag:
        names = ", ".join(map(str, made)) or "nothing, there is no numeric column"
        told = f"classes of equal width, because style {style!r} gave too few; now"
        replaced = [name for name, one in made.items() if one.replaced and style != "equal"]
        notes = [f"{name}: {told} {len(made[name].breaks) - 1}" for name in replaced]
        print_notes([f"grouped: {names}", *notes])
    result = _grouped(data, frame, columns, made)
    differences = {name: _difference(one, correct[name]) for name, one in made.items()}
    wrong = {name: difference for name, difference in differences.items() if difference}
    if not wrong:
        return result
    defects = findings(set().union(*(met[name] for name in wrong)))
    worst = min(wrong, key=lambda name: min(DEFECTS[defect].severity for defect in met[name]))
    # bounds of classes are values of the original, which are not for a log
    is_about_levels = wrong[worst].startswith(":")
    figure = ": R has other levels than the correct ones" if is_about_levels else wrong[worst]
    warn_of_defects(defects, f"{worst}{figure}")
    return replace(
        result,
        defects=tuple(defect.id for defect in defects),
        corrected=_grouped(data, frame, columns, correct),
        _wrong=tuple(f"{name}{difference}" for name, difference in wrong.items()),
    )


class NumericColumn(NamedTuple):
    """A column to group: all values and the ordinary; classes to aim at; special values."""

    values: Floats
    ordinary: Floats
    classes: float
    special: tuple[Any, ...]
    texts: tuple[str, ...]


class Classified(NamedTuple):
    """A column in classes: levels that occur; bounds; all levels; equal widths were needed."""

    values: pd.Categorical
    breaks: Floats
    levels: tuple[str, ...]
    replaced: bool


def _classified(name: Hashable, column: NumericColumn, style: Style) -> Classified:
    """The correct classes; special values are not counted among them."""
    try:
        made = group(column.ordinary, column.classes, style, exact=True, median_split=True)
    except InputError as error:
        told = f"numtocat: column {name!r} cannot be grouped: {error}"
        raise InputError(told, details=error.details) from None
    return in_classes(column, made)


def in_classes(column: NumericColumn, made: Grouping) -> Classified:
    levels = (*made.labels, *column.texts)
    codes = class_of(column.values, replace(made, labels=levels), column.special)
    there = np.bincount(codes + 1, minlength=len(levels) + 1)[1:] > 0
    place = np.append(np.cumsum(there) - 1, -1)  # -1 is the code of missing values
    texts = pd.Index(np.array(levels, dtype=object)[there], dtype=object)
    values = pd.Categorical.from_codes(place[codes], texts)
    return Classified(values, made.breaks, levels, made.changed)


def _difference(r: Classified, correct: Classified) -> str:
    """What R puts in no class (D49), other levels, or another class (D50); empty: nothing."""
    if r.values.isna().sum() != correct.values.isna().sum():
        return ", values in no class: R some, correct none"
    theirs, ours = (tuple(one.values.categories) for one in (r, correct))
    if theirs == ours:
        theirs, ours = r.levels, correct.levels
    if theirs != ours:
        return f": R {' '.join(theirs)}, correct {' '.join(ours)}"
    if (r.values.codes != correct.values.codes).any():
        return ", values outside their class: R some, correct none"
    return ""


def _grouped(
    data: AnyFrame | SynDS,
    frame: pd.DataFrame,
    columns: Mapping[Hashable, NumericColumn],
    made: Mapping[Hashable, Classified],
) -> Grouped:
    """The data with classes in place of numbers, in the form that was given."""
    before: dict[Hashable, Hashable] = {f"orig.{name}": name for name in columns}
    orig: Any = frame[list(columns)].set_axis(list(before), axis=1)
    if isinstance(data, SynDS):
        pairs = zip(parted(orig, data), data.syn)
        orig = [give_back(part, like, before) for part, like in pairs]
    else:
        orig = give_back(orig, data, before)
    new = frame.copy()
    for name, one in made.items():
        new[name] = pd.Series(one.values, index=frame.index)
    positions = {name: position for position, name in enumerate(frame.columns, start=1)}
    return Grouped(
        data=as_given(new, data),
        breaks={name: one.breaks for name, one in made.items()},
        levels={name: one.levels for name, one in made.items()},
        orig=orig,
        cont_na={name: column.special for name, column in columns.items()},
        numtocat=tuple(columns),
        ind=tuple(positions[name] for name in columns),
    )


def _numeric_columns(
    data: pd.DataFrame, numtocat: Any, catgroups: Any, cont_na: Any, of_set: Mapping[Any, Any]
) -> dict[Hashable, NumericColumn]:
    """The numeric columns given, or all, each with its number of classes and special values."""
    names = check.chosen_columns("numtocat", numtocat, data.columns)
    if numtocat is None:
        kinds = data.dtypes.items()
        names = [name for name, kind in kinds if kind == object or is_numeric_dtype(kind)]
    read = open_table(data, "data").count_by(names).columns
    columns = {name: column for name, column in read.items() if column.is_number}
    if numtocat is not None and len(columns) < len(read):
        other = ", ".join(str(name) for name in read if name not in columns)
        raise InputError(f"numtocat: {other} not numeric; only columns of numbers can be grouped")
    classes = [check.check_number("catgroups", value, 2) for value in check.listed(catgroups)]
    if len(classes) == 1:
        classes = classes * len(columns)
    if len(classes) != len(columns):
        raise InputError(
            f"catgroups: {len(classes)} numbers for {len(columns)} columns; give one number, or one"
            " for each column"
        )
    special = {name: values for name, values in of_set.items() if name in columns}
    if cont_na is not None:
        special = _special_values(cont_na, list(columns))
    found = {}
    for (name, column), n in zip(columns.items(), classes):
        numbers, apart = column.values.astype(np.float64), special.get(name, ())
        if column.missing is not None:
            numbers[column.missing] = np.nan
        ordinary = numbers[~np.isnan(numbers) & ~np.isin(numbers, apart)]
        if not ordinary.size:
            raise InputError(
                f"numtocat: column {name!r} has only missing or special values; it cannot be"
                " grouped"
            )
        texts = [_number_text(value, column.kind == "integer") for value in apart]
        found[name] = NumericColumn(numbers, ordinary, n, apart, tuple(texts))
    return found


def _special_values(cont_na: Any, columns: list[Hashable]) -> dict[Hashable, tuple[Any, ...]]:
    special = check.special_values(cont_na)
    for name, values in special.items():
        if name not in columns:
            raise unknown_choice("cont_na", name, columns, "the columns being grouped")
        for value in values:
            if not check.is_number(value):
                raise InputError(f"cont_na: {value!r} for {name!r} is not a number")
    return special


def _number_text(value: Any, among_integers: bool) -> str:
    """A special value as R writes it in the column."""
    if among_integers and float(value).is_integer():
        return integer_text(int(value))
    return double_text(float(value))
