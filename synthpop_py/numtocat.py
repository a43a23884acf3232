"""`numtocat_syn()`: numeric columns of one data frame put into classes."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, TypeAlias

import numpy as np
import pandas as pd
from pandas.api.types import is_numeric_dtype

from . import arguments as check
from .core.arrays import Floats
from .core.columns import Column
from .errors import InputError, unknown_choice, warning_once
from .grouping import Grouping, class_of, group, of_column
from .r.ledger import findings, warn_of_defects
from .r.reading import CORRECTED, MODES, Met
from .r.text import double_text, integer_text
from .show.printing import Sections, print_notes
from .show.values import column_name
from .show.views import Shown
from .tables.frames import AnyFrame, give_back
from .tables.opening import check_frame, open_table

STYLES = ("quantile", "equal", "sd", "pretty")
# a column in classes, their bounds, and all levels
Classified: TypeAlias = tuple[pd.Categorical, Floats, tuple[str, ...]]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Grouped(Shown):
    """A data frame with numeric columns put into classes, and how that was done.

    Attributes
    ----------
    data : a new frame of the kind given; grouped columns are categorical, with levels that occur.
    breaks : by column, bounds of the classes, each closed on the left, the last on both sides.
    levels : by column, every class in numeric order, then the special values.
    orig : DataFrame; the columns before grouping, called ``orig.<name>``.
    cont_na : by column, its special values, empty where there are none (R writes NA there).
    numtocat, ind : names of the grouped columns; their positions, counted from 1 as in R.
    defects, corrected : the defects of R that make the classes incorrect, and the correct grouping.
    """

    data: AnyFrame
    breaks: dict[Hashable, Floats]
    levels: dict[Hashable, tuple[str, ...]]
    orig: AnyFrame
    cont_na: dict[Hashable, tuple[Any, ...]]
    numtocat: tuple[Hashable, ...]
    ind: tuple[int, ...]
    defects: tuple[str, ...] = ()
    corrected: Grouped | None = None

    def _title(self) -> str:
        return "Numbers put into classes"

    def _headline(self, to: int = 1) -> list[str]:
        columns = self.data.shape[1]
        names = ", ".join(map(str, self.numtocat)) or "nothing"
        return [f"{len(self.numtocat)} of {columns} columns put into classes: {names}."]

    def _sections(self) -> Sections:
        notes = [f"Grouped({self.data.shape[1]} columns, {len(self.numtocat)} grouped)"]
        notes += [f"  {name}: {' '.join(self.levels[name])}" for name in self.numtocat]
        if self.corrected is not None:
            ids = ", ".join(self.defects)
            notes.append(f"  R's grouping is not correct ({ids}); .corrected has the correct one")
        return [notes]

    def _content(self) -> dict[str, Any]:
        fields = ("ind", "breaks", "levels", "cont_na", "defects")
        content: dict[str, Any] = {name: getattr(self, name) for name in fields}
        content["numtocat"] = list(map(column_name, self.numtocat))
        content["corrected"] = None if self.corrected is None else self.corrected.to_dict()
        return content


@warning_once
def numtocat_syn(
    data: AnyFrame,
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
    data : DataFrame of pandas, polars or Arrow
    numtocat : names or positions (from 1, as in R) of the columns to group; all numeric ones by
        default.
    print_flag : say what was grouped, and where equal widths had to be used.
    cont_na : mapping of column to special values, such as ``{"income": -8}``; each becomes a
        separate level.
    catgroups : approximate number of classes, above 1: one number for all columns or one for each.
    style_groups : {"quantile", "equal", "sd", "pretty"}
        Where it gives two classes or fewer, equal widths are used instead.
    compat : "r" (or "r-1.9-2", which is the same here) for R's result, "corrected" for the correct
        one. R sorts the new levels like words (D39), never splits at the median (D22), and puts
        some values in no class (D49) or in the class below (D50); an `RDefectWarning` says where.
    collation : how R sorts texts, "icu" or "C"; it decides R's order of levels.

    Examples
    --------
    >>> import pandas as pd
    >>> ages = pd.DataFrame({"age": [8.0, 9, 12, 20, 35, 60]})
    >>> correct = numtocat_syn(ages, catgroups=3, compat="corrected", print_flag=False)
    >>> correct.data["age"].tolist()
    ['[8,11)', '[8,11)', '[11,25)', '[11,25)', '[25,60]', '[25,60]']
    """
    frame = check_frame(data, "data")
    style = check.check_choice("style_groups", style_groups, STYLES)
    words = check.check_choice("collation", collation, check.COLLATIONS)
    mode = check.check_choice("compat", compat, MODES)
    columns = _numeric_columns(frame, numtocat)
    classes = [check.check_number("catgroups", n, 2) for n in check.listed(catgroups)]
    if len(classes) not in (1, len(columns)):
        told = f"catgroups: {len(classes)} numbers for {len(columns)} columns"
        raise InputError(f"{told}; give one number, or one for each")
    special = _special_values(cont_na, columns)
    correct: dict[Hashable, Classified] = {}
    as_r: dict[Hashable, Classified] = {}
    names = ", ".join(map(str, columns))
    met, notes = {}, [f"grouped: {names or 'nothing, no column is numeric'}"]
    for at, (name, column) in enumerate(columns.items()):
        values, apart = column.values.astype(np.float64), special[name]
        if column.missing is not None:
            values[column.missing] = np.nan
        usual = values[~np.isnan(values) & ~np.isin(values, apart)]
        texts = [_number_text(value, column.kind) for value in apart]
        n = classes[at % len(classes)]
        met[name] = Met()
        split = partial(group, usual, n, style)
        try:
            made = split(exact=True, median_split=True)
        except InputError as error:
            raise of_column(error, name) from None
        correct[name] = classified(values, made, apart, texts)
        if mode != CORRECTED:
            from .r.as_r import grouping_as_r
            from .r.companions import classified_as_r

            made = grouping_as_r(split, usual, n, met[name].meets)
            as_r[name] = classified_as_r(values, made, apart, texts, words, met[name])
        if made.changed and style != "equal":
            notes.append(
                f"{name}: classes of equal width, because style {style!r} gave too few; now"
                f" {len(made.breaks) - 1}"
            )
    if print_flag:
        print_notes(notes)
    result = _grouped(data, frame, special, as_r or correct)
    wrong = [name for name, made_by_r in as_r.items() if _differ(made_by_r, correct[name])]
    if not wrong:
        return result
    defects = findings(set().union(*(met[name] for name in wrong)))
    # bounds of classes are values of the original, which are not for a log
    names = ", ".join(map(str, wrong))
    warn_of_defects(defects, f"{names}: R has other classes than the correct ones")
    ids = tuple(defect.id for defect in defects)
    return replace(result, defects=ids, corrected=_grouped(data, frame, special, correct))


def classified(
    values: Floats, made: Grouping, special: Sequence[Any], texts: Sequence[str]
) -> Classified:
    """Values in classes; special values, which are no classes, by their texts."""
    levels = (*made.labels, *texts)
    codes = class_of(values, replace(made, labels=levels), special)
    there = np.bincount(codes + 1, minlength=len(levels) + 1)[1:] > 0
    place = np.append(np.cumsum(there) - 1, -1)  # -1 is the code of missing values
    names = pd.Index(np.array(levels, dtype=object)[there], dtype=object)
    return pd.Categorical.from_codes(place[codes], names), made.breaks, levels


def _differ(r: Classified, correct: Classified) -> bool:
    """Whether R has other levels, or puts a value elsewhere."""
    (theirs, _, of_r), (ours, _, levels) = r, correct
    same_levels = of_r == levels and theirs.categories.equals(ours.categories)
    return not (same_levels and np.array_equal(theirs.codes, ours.codes))


def _grouped(
    data: AnyFrame,
    frame: pd.DataFrame,
    special: dict[Hashable, tuple[Any, ...]],
    made: Mapping[Hashable, Classified],
) -> Grouped:
    """The data with classes in place of numbers, in the form that was given."""
    before: dict[Hashable, Hashable] = {f"orig.{name}": name for name in made}
    orig = frame[list(made)].set_axis(list(before), axis=1)
    new, breaks, levels = frame.copy(), {}, {}
    for name, (column, breaks[name], levels[name]) in made.items():
        new[name] = pd.Series(column, index=frame.index)
    columns = list(frame)
    return Grouped(
        data=give_back(new, data),
        breaks=breaks,
        levels=levels,
        orig=give_back(orig, data, before),
        cont_na=special,
        numtocat=tuple(made),
        ind=tuple(columns.index(name) + 1 for name in made),
    )


def _numeric_columns(data: pd.DataFrame, numtocat: Any) -> dict[Hashable, Column]:
    """The numeric columns given, or all."""
    names = check.chosen_columns("numtocat", numtocat, data.columns)
    if numtocat is None:
        kinds = data.dtypes.items()
        names = [name for name, kind in kinds if kind == object or is_numeric_dtype(kind)]
    read = open_table(data, "data").count_by(names).columns
    for name, column in read.items():
        if numtocat is not None and not column.is_number:
            raise InputError(f"numtocat: column {name!r} is not numeric")
    return {name: column for name, column in read.items() if column.is_number}


def _special_values(
    cont_na: Any, columns: Mapping[Hashable, Column]
) -> dict[Hashable, tuple[Any, ...]]:
    given = check.special_values(cont_na)
    for name, values in given.items():
        if name not in columns:
            raise unknown_choice("cont_na", name, list(columns), "the columns being grouped")
        for value in values:
            if not check.is_number(value):
                raise InputError(f"cont_na: {value!r} for {name!r} is not a number")
    return {name: given.get(name, ()) for name in columns}


def _number_text(value: Any, kind: str) -> str:
    """A special value as R writes it in the column."""
    if kind == "integer" and float(value).is_integer():
        return integer_text(int(value))
    return double_text(float(value))
