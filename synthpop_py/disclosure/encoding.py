"""From columns to codes: target and keys over the original and all syntheses, coded alike."""

from __future__ import annotations

import numbers
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from ..core.arrays import Integers, distinct_values
from ..core.coding import encode, written_alike
from ..core.coding_by_text import (
    matched_by_value_only,
    numbers_meet_texts,
    written_in_two_ways,
)
from ..core.columns import Column
from ..core.combinations import LARGEST_CODE, Radix, codes_in_time, compact_if_sparse
from ..core.crosstab import totals
from ..grouping import Grouping
from ..core.levels import UNKNOWN, Coder, LevelRules, Variable
from ..errors import InputError, UnknownLevelWarning, warn
from ..r.reading import Reading
from ..r.text import double_text, format_padded, integer_text
from .bins import grouped
from .keys import GLUE, AskedKeys, Keys, Renaming, glued, overwritten
from .options import Plan
from .rows import Columns, Preparations, Rows

FIRST_OF_TWO_TEXTS = 100_000  # from here on R writes integers and doubles differently

Special = dict[Hashable, tuple[Any, ...]]  # special values by column


def special_in_use(special: Special, columns: Columns, *, every: bool) -> Special:
    """Special values of the columns in use. They must occur in the original: all of them, or in R
    only the last of a column (D25).
    """
    used = {name: values for name, values in special.items() if name in columns and values}
    for name, values in used.items():
        original = columns[name][0]
        if original.is_number:
            _check_special(name, original, values, values if every else values[-1:])
    return used


def _check_special(
    name: Hashable, original: Column, values: Sequence[Any], must_occur: Sequence[Any]
) -> None:
    for value in values:
        if not isinstance(value, numbers.Real):
            raise InputError(
                f"cont_na: {value!r} is not a number, but column {name!r} holds numbers"
            )
    for value in values:
        if (original.present() == value).any():
            continue
        found = f"cont_na: {value!r} does not occur in column {name!r} of the original data"
        if value in must_occur:
            raise InputError(f"{found}; a special value that never occurs is probably a mistake")
        warn(f"{found}, and has no effect", UnknownLevelWarning, short=found)


@dataclass(frozen=True, slots=True)
class Recoder:
    """Codes for the cells of original records.

    Attributes
    ----------
    target, keys : names of the columns.
    code_target, code_keys : functions that give codes to their values.
    targets : number of target codes.
    radix, renamed : how codes of keys become one.
    prepared : what R did to columns before it compared them.
    """

    target: Hashable
    keys: tuple[Hashable, ...]
    code_target: Coder
    code_keys: tuple[Coder, ...]
    targets: int
    radix: Radix
    renamed: tuple[Renaming, ...]
    prepared: Preparations

    def cells(self, columns: dict[Hashable, Column]) -> Integers:
        """The cell of each row; -1 where a value, or a combination of keys, did not occur."""
        target = self.code_target(self._prepared(self.target, columns))
        parts = []
        for name, code in zip(self.keys, self.code_keys):
            parts.append(code(self._prepared(name, columns)))
        keys = self.radix.together(parts)
        for renaming in self.renamed:
            keys = renaming.apply(keys)
        known = (target != UNKNOWN) & (keys != UNKNOWN)
        for part in parts:
            known &= part != UNKNOWN
        return np.where(known, keys * self.targets + target, UNKNOWN)

    def _prepared(self, name: Hashable, columns: dict[Hashable, Column]) -> Column:
        prepare = self.prepared.get(name)
        return columns[name] if prepare is None else prepare(columns[name])


@dataclass(frozen=True, slots=True)
class Encoded:
    """Rows in codes: table 0 is the original, tables 1 to m are the syntheses.

    Attributes
    ----------
    records_per_row : how many records each row stands for, by table; None where each is one.
    n : records of each table.
    d_t : all original records by code of the target, shape (targets,).
    """

    target: Variable
    keys: Keys
    records_per_row: tuple[Integers | None, ...]
    n: tuple[int, ...]
    d_t: Integers


@dataclass(frozen=True, slots=True)
class EncodedTables(Encoded):
    """All rows in codes.

    Attributes
    ----------
    asked : equal for targets with the same codes of keys.
    groupings : classes of the variables that were grouped.
    recoder : finds the cell of an original record again.
    """

    asked: AskedKeys
    groupings: dict[Hashable, Grouping]
    recoder: Recoder


class CodedKeys(NamedTuple):
    """Keys that were coded for one target and serve the others, with their classes and the defects
    of R that affected them.
    """

    keys: Keys
    groupings: dict[Hashable, Grouping]
    touched: frozenset[str]


KeyMemory = dict[AskedKeys, CodedKeys]


class Coded(NamedTuple):
    """A variable, its classes where it was grouped, and whether some label has R's glue in it."""

    variable: Variable
    grouping: Grouping | None = None
    has_glue: bool = False


def encode_tables(
    plan: Plan, rows: Rows, special: Special, compat: Reading, memory: KeyMemory
) -> EncodedTables:
    """Code target and keys; group the numeric ones that the plan asks for. Keys are coded once for
    all targets.
    """
    asked = AskedKeys(
        names=plan.keys,
        groups=tuple(plan.groups[name] for name in plan.keys),
        use_missing=plan.use_key_missing,
        defects=compat.active,
        tables=len(rows.n),
        rows=rows.identity,
    )
    # keys come first: what is wrong with them is the same for every target
    if asked not in memory:
        memory[asked] = code_keys(plan, rows, special, compat)
    elif len(plan.keys) > 1 and memory[asked].keys.parts is None:
        # a second target: from now on compact codes are worth the work
        fewer = memory[asked].keys.numbered_by_occurrence()
        memory[asked] = memory[asked]._replace(keys=fewer)
    keys, groupings, touched = memory[asked]
    compat.touched |= touched
    target, target_grouping, _ = coded(plan.target, plan, rows, special, compat, is_key=False)
    if keys.size * target.size > LARGEST_CODE:
        keys = keys.numbered_by_occurrence()
    if target_grouping is not None:
        groupings = {plan.target: target_grouping, **groupings}
    return EncodedTables(
        target=target,
        keys=keys,
        asked=asked,
        records_per_row=rows.n,
        n=rows.records,
        d_t=totals(target.own_codes(0), rows.n[0], target.size),
        groupings=groupings,
        recoder=Recoder(
            target=plan.target,
            keys=plan.keys,
            code_target=target.recode,
            code_keys=tuple(variable.recode for variable in keys.variables),
            targets=target.size,
            radix=keys.radix,
            renamed=keys.renamed,
            prepared=rows.prepared,
        ),
    )


def code_keys(plan: Plan, rows: Rows, special: Special, compat: Reading) -> CodedKeys:
    """The keys in codes, and one code for each combination of them."""
    reading = Reading(compat.active)  # what affects the keys alone
    by_name = {}
    for name in plan.keys:
        by_name[name] = coded(name, plan, rows, special, reading, is_key=True)
    variables = tuple(one.variable for one in by_name.values())
    has_glue = any(one.has_glue for one in by_name.values())
    codes, radix = codes_in_time(variables)
    # a single key keeps the codes of its levels, which R compares one by one (D1, D14)
    if len(variables) > 1:
        codes, radix = compact_if_sparse(codes, radix)
    keys = Keys(variables=variables, codes=codes, radix=radix, size=radix.size, n=rows.n)
    if has_glue or "keys" in plan.keys:
        keys = as_r_combines(keys, plan, has_glue=has_glue, compat=reading)
    groupings = {name: one.grouping for name, one in by_name.items() if one.grouping is not None}
    return CodedKeys(keys, groupings, frozenset(reading.touched))


def as_r_combines(keys: Keys, plan: Plan, *, has_glue: bool, compat: Reading) -> Keys:
    """The combinations as R sees them, where R is reproduced; `has_glue`: some label of a key
    contains R's glue.
    """
    if compat.follow_r("D10", has_glue):
        keys = glued(keys)
    several_sets = len(keys.variables) > 1 and len(keys.codes) > 2
    if several_sets and compat.follow_r("D12", "keys" in plan.keys):
        keys = overwritten(keys)
    return keys


def coded(
    name: Hashable, plan: Plan, rows: Rows, special: Special, compat: Reading, *, is_key: bool
) -> Coded:
    """The variable of a target or a key, in classes where the plan asks for them."""
    columns = rows.columns[name]
    if not (plan.groups[name] and columns[0].is_number):
        return _ungrouped(name, columns, plan, compat, is_key=is_key)
    variable, grouping = grouped(
        name,
        columns,
        rows.n,
        classes=plan.groups[name],
        style=plan.style,
        special=special.get(name, ()),
        compat=compat,
    )
    return Coded(variable, grouping)


def _ungrouped(
    name: Hashable, columns: list[Column], plan: Plan, compat: Reading, *, is_key: bool
) -> Coded:
    several_keys = len(plan.keys) > 1
    columns, by_text, as_text = _texts_as_r_makes_them(columns, is_key and several_keys, compat)
    labelled = any("Missing" in column.labels for column in columns)
    explicit = is_key and any(column.na_level for column in columns)
    rules = LevelRules(
        missing_is_text=compat.follow_r("D9", labelled),
        numbers_by_text=by_text,
        na_as_text=compat.follow_r("D6", explicit),
        na_apart=not several_keys,  # R makes texts only of several keys
        long_numbers_cut=compat.follow_r("D48", written_alike(columns)),
    )
    variable = encode(str(name), columns, rules)
    has_glue = False
    if is_key and not variable.numeric:
        has_glue = any(GLUE in text for text in variable.texts())
    if as_text is not None:
        recode = variable.recode
        variable = replace(variable, recode=lambda column: recode(as_text(column)))
    return Coded(variable, has_glue=has_glue)


def _texts_as_r_makes_them(
    columns: list[Column], pasted: bool, compat: Reading
) -> tuple[list[Column], bool, Callable[[Column], Column] | None]:
    """R matches texts, and one value can have two texts (D15). Returns whether texts must be
    matched, and the function that makes those of the original.
    """
    kinds = {c.kind for c in columns}
    number_labels = any(c.number_labels for c in columns)
    if len(kinds) == 1 and not number_labels and kinds.isdisjoint({"time", "duration"}):
        return columns, False, None  # one kind has one text for each value
    if kinds <= {"factor", "character"} and number_labels:
        return columns, compat.follow_r("D15", written_in_two_ways(columns)), None
    if "time" in kinds or "duration" in kinds:
        if not compat.follow_r("D15"):
            return columns, False, None
        return [_moments_as_text(c) for c in columns], True, _moments_as_text
    if kinds == {"integer", "double"}:
        matters = any(written_differently(c) for c in columns if c.kind == "integer")
        return columns, compat.follow_r("D15", matters), None
    glued = pasted and columns[0].is_text and any(c.is_number for c in columns)
    if glued and compat.follow_r("D15"):
        # the original's are texts already
        return [_padded(c) if c.is_number else c for c in columns], True, None
    if not numbers_meet_texts(columns):
        return columns, False, None
    return columns, compat.follow_r("D15", matched_by_value_only(columns)), None


def written_differently(column: Column) -> bool:
    """Whether some number is written differently as integer and as double: 100000 and 1e+05."""
    values = distinct_values(column.present())
    large = values[np.abs(values) >= FIRST_OF_TWO_TEXTS]
    return any(integer_text(int(value)) != double_text(float(value)) for value in large)


def _padded(column: Column) -> Column:
    numbers = column.present().astype(np.float64)
    return _as_text(column, format_padded(numbers.tolist()))


def _as_text(column: Column, texts: Sequence[str]) -> Column:
    """The column with given texts for its values that are not missing."""
    labels = tuple(dict.fromkeys(texts))
    code_of = {label: code for code, label in enumerate(labels)}
    there = slice(None) if column.missing is None else ~column.missing
    codes = np.zeros(len(column), dtype=np.int64)
    codes[there] = [code_of[text] for text in texts]
    return Column("character", codes, column.missing, labels)


def _moments_as_text(column: Column) -> Column:
    return _r_times(column) if column.kind in ("time", "date") else column


def _r_times(column: Column) -> Column:
    """R's text of times: dates alone where the whole column is midnights, else to the second."""
    values = column.present()
    seconds = values * 86_400 if column.kind == "date" else values // 1_000_000_000
    length = 19 if (seconds % 86_400).any() else 10
    moments = [str(moment) for moment in seconds.astype("datetime64[s]")]
    return _as_text(column, [moment.replace("T", " ")[:length] for moment in moments])
