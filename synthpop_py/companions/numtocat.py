"""`numtocat_syn()`: numeric columns of one data frame put into classes."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import pandas as pd

from ..arguments import check_choice
from ..core.arrays import Floats
from ..breaks import Style
from ..disclosure.defect_text import change_note, warn_in_short
from ..disclosure.options import COLLATIONS
from ..r.both import Both, Change, Changes, Computation, as_r, ids_of, run_both
from ..r.collation import Collation
from ..r.reading import MODES, Reading
from ..show import Document, Note, Shown, fill
from ..show.plain import column_name
from ..show.text import print_notes
from ..spellings import plain_names_too
from ..synds import SynDS
from ..tables.frames import AnyFrame, give_back
from ..tables.opening import check_frame, synthetic_sets
from .numtocat_classes import FactorMade, NumericColumn, make_factor
from .numtocat_options import STYLES, columns_to_group, numeric_columns
from .stacking import Stacked

Factors: TypeAlias = dict[Hashable, FactorMade]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Grouped(Shown):
    """A data frame with numeric columns put into classes, and how that was done.

    Attributes
    ----------
    data : DataFrame or SynDS, of the kind given
        A new one; the grouped columns are categorical with the levels that occur, all others are as
        they were.
    breaks : dict of column to float64 array
        Bounds of the classes, each closed on the left, the last on both sides.
    levels : dict of column to tuple of str
        Every class in numeric order, then the special values, including those without records.
    orig : DataFrame, or a list of them for a SynDS
        The columns before grouping, called ``orig.<name>``.
    cont_na : dict of column to tuple
        Special values of each grouped column, empty where there are none (R writes NA there).
    numtocat : tuple
        Names of the grouped columns.
    ind : tuple of int
        Their positions, counted from 1 as in R.
    defects : tuple of str
        The defects of R that make `data`, `breaks` or `levels` incorrect.
    corrected : Grouped or None
        The correct grouping, where R's differs.
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
        return synthetic_sets("data", self.data)

    def _both(self) -> list[Note]:
        """Where R's grouping is wrong, each column's levels in R's order and in the correct one."""
        if self.corrected is None:
            return []
        ids = ", ".join(self.defects)
        head = f"R's grouping is not correct ({ids}); .corrected has the correct one:"
        notes = [fill.note(head, indent=2)]
        correct = self.corrected
        for name in self.numtocat:
            theirs = _Levels(self._categories(name), self.levels[name])
            ours = _Levels(correct._categories(name), correct.levels[name])
            change = theirs.change_to(ours, name)
            moved = _moved_values(name, self._values(name), correct._values(name))
            for found in (change, moved):
                if found is not None:
                    notes.append(change_note(found, several=False, behind=None, indent=2))
        return notes

    def _values(self, name: Hashable) -> pd.Series:
        return pd.concat([frame[name] for frame in self._frames()], ignore_index=True)

    def _categories(self, name: Hashable) -> tuple[str, ...]:
        return tuple(map(str, self._frames()[0][name].cat.categories))


@plain_names_too()
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
        Original or synthetic data. By name also ``original=``. The sets of a SynDS get the same
        classes, made from the values of all of them; its own special values are used unless
        `cont_na` is given.
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

    Returns
    -------
    Grouped

    Examples
    --------
    >>> import pandas as pd
    >>> ages = pd.DataFrame({"age": [8.0, 9, 12, 20, 35, 60]})
    >>> correct = numtocat_syn(ages, catgroups=3, compat="corrected", print_flag=False)
    >>> correct.data["age"].cat.categories.tolist()
    ['[8,11)', '[11,25)', '[25,60]']
    >>> correct.data["age"].tolist()
    ['[8,11)', '[8,11)', '[11,25)', '[11,25)', '[25,60]', '[25,60]']
    >>> correct.orig.columns.tolist(), correct.ind
    (['orig.age'], (1,))
    """
    if isinstance(data, SynDS):
        stacked = Stacked(data)
        frame = stacked.frame()
        if cont_na is None:
            wanted = columns_to_group(numtocat, frame)
            cont_na = {name: data.cont_na[name] for name in wanted if name in data.cont_na}
        grouped = numtocat_syn(
            frame,
            numtocat,
            print_flag=print_flag,
            cont_na=cont_na,
            catgroups=catgroups,
            style_groups=style_groups,
            compat=compat,
            collation=collation,
        )
        return _in_sets(grouped, stacked)
    frame = check_frame(data, "data")
    call = GroupingCall(
        columns=tuple(numeric_columns(frame, numtocat, catgroups, cont_na)),
        style=check_choice("style_groups", style_groups, STYLES),
        collation=check_choice("collation", collation, COLLATIONS),
    )
    reading = as_r(check_choice("compat", compat, MODES), "numtocat_syn")
    both = run_both(call, reading)
    result = _grouped(frame, call, both)
    if print_flag:
        print_notes(call.notes(both.asked))
    warn_in_short(both.findings)
    return _of_kind(result, data)


def _grouped(data: pd.DataFrame, call: GroupingCall, both: Both[Factors]) -> Grouped:
    """The result with the correct one beside it where R's differs."""
    asked = _with_factors(data, call.columns, both.asked)
    if both.corrected is None or not both.findings:
        return asked
    correct = _with_factors(data, call.columns, both.corrected)
    return replace(asked, defects=ids_of(both.findings), corrected=correct)


def _with_factors(
    data: pd.DataFrame, columns: Sequence[NumericColumn], factors: Factors
) -> Grouped:
    """The data with factors in place of numbers."""
    new = data.copy()
    for name, factor in factors.items():
        new[name] = pd.Series(factor.values, index=data.index)
    names = list(factors)
    positions = {name: position for position, name in enumerate(data.columns, start=1)}
    return Grouped(
        data=new,
        breaks={name: factor.breaks for name, factor in factors.items()},
        levels={name: factor.levels for name, factor in factors.items()},
        orig=data[names].set_axis([f"orig.{name}" for name in names], axis=1),
        cont_na={column.name: column.special for column in columns},
        numtocat=tuple(names),
        ind=tuple(positions[name] for name in names),
    )


def _of_kind(grouped: Grouped, like: AnyFrame) -> Grouped:
    """The same with data of the kind that was given."""
    correct = grouped.corrected
    return replace(
        grouped,
        data=give_back(grouped.data, like),
        orig=give_back(grouped.orig, like, _names_before(grouped)),
        corrected=None if correct is None else _of_kind(correct, like),
    )


def _names_before(grouped: Grouped) -> dict[Hashable, Hashable]:
    """What the columns of `orig` are called in the data."""
    return {f"orig.{name}": name for name in grouped.numtocat}


def _in_sets(grouped: Grouped, stacked: Stacked) -> Grouped:
    """The grouping of stacked sets, set by set, each of the kind it was."""
    correct = grouped.corrected
    return replace(
        grouped,
        data=stacked.synds(grouped.data),
        orig=[
            give_back(part, like, _names_before(grouped))
            for part, like in zip(stacked.parted(grouped.orig), stacked.synthesis.syn)
        ],
        corrected=None if correct is None else _in_sets(correct, stacked),
    )


# ---- R's classes and the correct ones ------------------------------------------------


@dataclass(frozen=True, slots=True)
class GroupingCall(Computation[Factors]):
    """One call of `numtocat_syn()`: the columns, and how they are grouped."""

    columns: tuple[NumericColumn, ...]
    style: Style
    collation: Collation

    def result(self, reading: Reading) -> Factors:
        factors = {}
        for column in self.columns:
            factors[column.name] = make_factor(column, self.style, self.collation, reading)
        return factors

    def changes(self, r: Factors, correct: Factors) -> Changes:
        changes: list[Change | None] = []
        for name, factor in r.items():
            theirs, ours = pd.Series(factor.values), pd.Series(correct[name].values)
            changes += [
                _levels_of(factor).change_to(_levels_of(correct[name]), name),
                _moved_values(name, theirs, ours),
            ]
        return tuple(change for change in changes if change is not None)

    def notes(self, factors: Factors) -> list[str]:
        """What was grouped, and where equal widths had to be used."""
        names = ", ".join(map(str, factors)) or "nothing, there is no numeric column"
        lines = [f"grouped: {names}"]
        for name, factor in factors.items():
            if factor.replaced:
                classes = f"now {len(factor.breaks) - 1}"
                reason = f"because style {self.style!r} gave too few"
                lines.append(f"{name}: classes of equal width, {reason}; {classes}")
        return lines


@dataclass(frozen=True, slots=True)
class _Levels:
    """The levels of a grouped column: those that occur, in their order, and all."""

    occurring: tuple[str, ...]
    listed: tuple[str, ...]

    def change_to(self, correct: _Levels, name: Hashable) -> Change | None:
        """How the levels differ, if they do."""
        if self == correct:
            return None
        theirs, ours = self.occurring, correct.occurring
        if theirs == ours:
            theirs, ours = self.listed, correct.listed
        return 0, str(name), " ".join(theirs), " ".join(ours)


def _moved_values(name: Hashable, theirs: pd.Series, ours: pd.Series) -> Change | None:
    """What R puts into no class (D49), or into another one of the same classes (D50)."""
    if theirs.isna().sum() != ours.isna().sum():
        return 0, f"{name}, values in no class", "some", "none"
    same_levels = set(theirs.dropna()) == set(ours.dropna())
    if same_levels and theirs.astype(str).ne(ours.astype(str)).any():
        return 0, f"{name}, values outside their class", "some", "none"
    return None


def _levels_of(factor: FactorMade) -> _Levels:
    return _Levels(tuple(factor.values.categories), factor.levels)
