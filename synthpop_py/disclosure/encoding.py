"""From columns to codes: target and keys over the original and all syntheses, coded alike."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from ..core.arrays import Flags, Integers
from ..core.columns import Column
from ..core.crosstab import LARGEST_CODE, Radix, compact, joint_codes, room_for
from ..core.grouping import Grouping
from ..core.levels import UNKNOWN, LevelRules, Namer, Variable, encode, written_in_two_ways
from ..r.reading import Reading
from ..r.text import double_text, format_padded, integer_text
from .bins import grouped
from .options import Level, Plan
from .rows import Rows

GLUE = " | "


class Renaming(NamedTuple):
    """Codes of combinations (sorted) and the codes that took their place."""

    before: Integers
    after: Integers

    def apply(self, codes: Integers) -> Integers:
        """New codes; -1 for one that was not there."""
        place = np.searchsorted(self.before, codes)
        place[place == len(self.before)] = 0
        return np.where(self.before[place] == codes, self.after[place], UNKNOWN)


@dataclass(frozen=True)  # no slots: what is made when first asked for needs a place
class Keys:
    """The key combination of every record.

    Attributes
    ----------
    variables : the keys, in the order of the data's columns.
    codes : one array per table, shape (rows,): the combination's code.
    n : for each table how many records each row stands for; None where every row is one.
    parts : for R's glued keys (D10) the texts R reads back for each combination; None when keys are
        compared one by one.
    renamed : what was done to the original's codes after they had been combined.
    """

    variables: tuple[Variable, ...]
    codes: list[Integers]
    radix: Radix
    n: tuple[Integers | None, ...]
    parts: tuple[tuple[str, ...], ...] | None = None
    renamed: tuple[Renaming, ...] = ()

    @property
    def size(self) -> int:
        return self.radix.size if self.parts is None else len(self.parts)

    @cached_property
    def splits(self) -> tuple[bool, ...]:
        """For each key whether a label has the bar that R puts between the levels of a pair
        (numbers never do).
        """
        return tuple(not v.numeric and any("|" in t for t in v.texts()) for v in self.variables)

    def sparse_but_short(self) -> bool:
        """Whether most combinations do not occur, while they are few enough to be looked up in a
        table.
        """
        records = sum(map(len, self.codes))
        return (
            len(self.variables) > 1
            and self.parts is None
            and records < self.size <= room_for(records)
        )

    def numbered_by_occurrence(self) -> Keys:
        """The same keys with codes for the combinations that occur only, in the same order."""
        if self.radix.occurring is not None:
            return self
        codes, radix = compact(self.codes, self.radix)
        return replace(self, codes=codes, radix=radix)

    def component(self, combinations: Integers, i: int) -> Integers:
        """Codes of key i in given combinations."""
        return self.radix.components(combinations)[:, i]

    def components(self, combinations: Integers) -> Integers | None:
        """Codes of all keys, shape (len(combinations), keys); None for glued keys, which have texts
        only.
        """
        return self.radix.components(combinations) if self.parts is None else None

    def levels_of(
        self, components: Integers | None, combinations: Integers, i: int
    ) -> tuple[Namer, Integers]:
        """What gives the texts of levels of key i by number, and the number of the level that each
        given combination has.
        """
        if components is not None:
            return self.variables[i].texts, components[:, i]
        texts = self.component_texts(combinations, i)
        place = {t: n for n, t in enumerate(dict.fromkeys(texts))}
        return lambda numbers: [list(place)[n] for n in numbers], np.array(
            [place[t] for t in texts], dtype=np.int64
        )

    def original_totals(
        self, i: int, texts: Sequence[str], targets: Sequence[Sequence[int]], target: Variable
    ) -> tuple[Integers, Integers]:
        """Original records whose key i goes by each text, and those of them with one of the target
        codes: counted in the column itself, because what R reads back from texts may be another
        level, or none.
        """
        key, own = self.variables[i].own_codes(0), target.own_codes(0)
        with_level = [np.isin(key, self.variables[i].find(t)) for t in texts]
        gaps = self.variables[i].gaps_with_text
        if gaps is not None:  # R glues them like the text NA, but does not count them with it
            with_level = [w & ~gaps for w in with_level]
        both = [w & np.isin(own, codes) for w, codes in zip(with_level, targets)]
        totals = [self._original_records(w) for w in with_level]
        return np.array(totals), np.array([self._original_records(b) for b in both])

    def _original_records(self, rows: Flags) -> int:
        return int(rows.sum() if self.n[0] is None else self.n[0][rows].sum())

    def component_texts(self, combinations: Integers, i: int) -> list[str]:
        if self.parts is not None:
            return [self.parts[q][i] for q in combinations]
        return self.variables[i].texts(self.component(combinations, i))

    def is_missing(self, combinations: Integers, i: int) -> Flags:
        """Where key i is missing, bool."""
        if self.parts is not None:
            return np.array([self.parts[q][i] == "Missing" for q in combinations], dtype=bool)
        code = self.variables[i].missing_code
        return (
            np.zeros(len(combinations), dtype=bool)
            if code is None
            else self.component(combinations, i) == code
        )

    def has_level(self, combinations: Integers, i: int, level: Level, compat: Reading) -> Flags:
        """Where key i has the level that the user named, bool."""
        if self.parts is not None:
            return np.array(
                [self.parts[q][i] == level_text(level) for q in combinations], dtype=bool
            )
        return np.isin(
            self.component(combinations, i), codes_named(self.variables[i], level, compat)
        )


@dataclass(frozen=True, slots=True)
class Encoded:
    """Everything in codes: table 0 is the original, tables 1 to m are the syntheses.

    Attributes
    ----------
    rows : how many records each row stands for, by table.
    n : records of each table.
    by_table : the place for what is found out about the keys of a synthesis and serves every
        target.
    """

    target: Variable
    keys: Keys
    rows: tuple[Integers | None, ...]
    n: tuple[int, ...]
    groupings: dict[Hashable, Grouping]
    by_table: dict[int, Any] = field(default_factory=dict)


def encode_tables(
    plan: Plan,
    rows: Rows,
    special: dict[Hashable, tuple[Any, ...]],
    compat: Reading,
    memory: dict[Any, Any],
) -> Encoded:
    """Code target and keys; group the numeric ones that the plan asks for. Keys are coded once for
    all targets.
    """
    target, grouped_target = _coded(plan.target, False, plan, rows, special, compat)
    same_keys = (
        plan.keys,
        tuple(plan.groups[k] for k in plan.keys),
        plan.use_key_missing,
        compat.active,
        len(rows.n),
        rows.identity,
    )
    if same_keys not in memory:
        before = set(compat.touched)
        compat.touched.clear()
        coded = [_coded(name, True, plan, rows, special, compat) for name in plan.keys]
        keys = _combined([variable for variable, _ in coded], rows.n, plan, compat)
        if keys.sparse_but_short():
            keys = keys.numbered_by_occurrence()
        groupings = {name: made for name, (_, made) in zip(plan.keys, coded) if made is not None}
        memory[same_keys] = keys, groupings, frozenset(compat.touched), {}
        compat.touched |= before
    elif (
        len(plan.keys) > 1 and memory[same_keys][0].parts is None
    ):  # a second target: from now on fewer codes pay
        memory[same_keys] = memory[same_keys][0].numbered_by_occurrence(), *memory[same_keys][1:]
    keys, groupings, seen, by_table = memory[same_keys]
    compat.touched |= seen
    if keys.size * target.size > LARGEST_CODE:
        keys = keys.numbered_by_occurrence()
    if grouped_target is not None:
        groupings = {plan.target: grouped_target, **groupings}
    return Encoded(target, keys, rows.n, rows.records, groupings, by_table)


def _coded(
    name: Hashable,
    is_key: bool,
    plan: Plan,
    rows: Rows,
    special: dict[Hashable, tuple[Any, ...]],
    compat: Reading,
) -> tuple[Variable, Grouping | None]:
    columns = rows.columns[name]
    if plan.groups[name] and columns[0].is_number:
        return grouped(
            name,
            columns,
            rows.n,
            classes=plan.groups[name],
            style=plan.style,
            special=special.get(name, ()),
            compat=compat,
        )
    return _ungrouped(name, columns, plan, is_key, compat), None


def _ungrouped(
    name: Hashable, columns: list[Column], plan: Plan, is_key: bool, compat: Reading
) -> Variable:
    pasted = is_key and len(plan.keys) > 1
    columns, by_text, as_text = _texts_as_r_makes_them(columns, pasted, compat)
    labelled = any("Missing" in c.labels for c in columns)
    explicit = is_key and any(c.na_level for c in columns)
    rules = LevelRules(
        missing_is_text=compat.follow_r("D9", labelled),
        numbers_by_text=by_text,
        na_as_text=compat.follow_r("D6", explicit),
        na_apart=len(plan.keys) == 1,  # R makes texts only of several keys
    )
    variable = encode(str(name), columns, rules)
    if as_text is None:
        return variable
    recode = variable.recode
    return replace(variable, recode=lambda column: recode(as_text(column)))


def _texts_as_r_makes_them(
    columns: list[Column], pasted: bool, compat: Reading
) -> tuple[list[Column], bool, Callable[[Column], Column] | None]:
    """R matches texts, and one value can have two of them (D15). Says whether texts must be
    matched, and what makes those of the original.
    """
    kinds = {c.kind for c in columns}
    if kinds <= {"factor", "character"} and any(c.number_labels for c in columns):
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
    return columns, False, None


def written_differently(column: Column) -> bool:
    """Whether some whole number is written otherwise as a real one: 100000 and 1e+05."""
    values = np.unique(column.present())
    return any(
        integer_text(int(v)) != double_text(float(v)) for v in values[np.abs(values) >= 100_000]
    )


def _padded(column: Column) -> Column:
    texts = format_padded(column.present().astype(np.float64).tolist())
    return _as_text(column, texts)


def _as_text(column: Column, texts: Sequence[str]) -> Column:
    """The column with given texts for its values that are not missing."""
    labels = tuple(dict.fromkeys(texts))
    place = {t: i for i, t in enumerate(labels)}
    codes = np.zeros(len(column), dtype=np.int64)
    codes[slice(None) if column.missing is None else ~column.missing] = [place[t] for t in texts]
    return Column("character", codes, column.missing, labels)


def _moments_as_text(column: Column) -> Column:
    return _r_times(column) if column.kind in ("time", "date") else column


def _r_times(column: Column) -> Column:
    """R's text of times: dates alone where the whole column is midnights, else to the second."""
    unit = 86_400 if column.kind == "date" else 1
    seconds = (
        column.present() * unit if column.kind == "date" else column.present() // 1_000_000_000
    )
    moments = seconds.astype("datetime64[s]")
    cut = 19 if (seconds % 86_400).any() else 10
    return _as_text(column, [str(t).replace("T", " ")[:cut] for t in moments])


# ---- combinations of keys ------------------------------------------------------------


def _combined(
    variables: list[Variable],
    n: tuple[Integers | None, ...],
    plan: Plan,
    compat: Reading,
) -> Keys:
    codes, radix = joint_codes(variables)
    keys = Keys(tuple(variables), codes, radix, n)
    if _glue_matters(variables, plan) and compat.follow_r("D10"):
        keys = _glued(keys)
    if len(variables) > 1 and len(codes) > 2 and compat.follow_r("D12", "keys" in plan.keys):
        keys = _overwritten(keys)
    return keys


def _glue_matters(variables: Sequence[Variable], plan: Plan) -> bool:
    """Whether some label of a key contains the glue (numbers and classes never do)."""
    return any(not v.numeric and any(GLUE in t for t in v.texts()) for v in variables)


def _glued(keys: Keys) -> Keys:
    """Combinations as R sees them: one text, taken apart at every glue."""
    distinct = np.unique(np.concatenate(keys.codes))
    columns = [keys.component_texts(distinct, i) for i in range(len(keys.variables))]
    texts = [GLUE.join(row) for row in zip(*columns)]
    names = list(dict.fromkeys(texts))
    place = {t: i for i, t in enumerate(names)}
    new = np.array([place[t] for t in texts], dtype=np.int64)
    if len(keys.variables) == 1:
        # a single key is not glued: its levels stay what they are, only their first part is read
        # back
        parts = {int(q): (t.split(GLUE)[0],) for q, t in zip(distinct, texts)}
        return replace(keys, parts=tuple(parts.get(q, ("",)) for q in range(keys.radix.size)))
    codes = [new[np.searchsorted(distinct, c)] for c in keys.codes]
    return replace(
        keys,
        codes=codes,
        parts=tuple(tuple(t.split(GLUE)) for t in names),
        renamed=(*keys.renamed, Renaming(distinct, new)),
    )


def _overwritten(keys: Keys) -> Keys:
    """From the second synthesis on, R's original keys match nothing: give the later syntheses
    combinations of their own.
    """
    distinct = np.unique(np.concatenate(keys.codes))
    texts = list(zip(*(keys.component_texts(distinct, i) for i in range(len(keys.variables)))))
    n = len(distinct)
    codes = [
        np.searchsorted(distinct, c) + (n if table > 1 else 0) for table, c in enumerate(keys.codes)
    ]
    renaming = Renaming(distinct, np.arange(n))
    return replace(keys, codes=codes, parts=tuple(texts) * 2, renamed=(*keys.renamed, renaming))


# ---- levels by name ------------------------------------------------------------------


def level_text(level: Any) -> str:
    """The text a level given as an argument stands for in R."""
    if isinstance(level, (bool, np.bool_)):
        return str(bool(level)).upper()
    return (
        level
        if isinstance(level, str)
        else double_text(float(level))
        if isinstance(level, (int, float, np.number))
        else str(level)
    )


def codes_named(variable: Variable, level: Level, compat: Reading) -> Integers:
    """Codes of the level that the user named; a number also finds whole numbers, which R writes
    otherwise (D15).
    """
    found = variable.find(level_text(level))
    if (
        not found
        and isinstance(level, (int, float, np.number))
        and not isinstance(level, bool)
        and float(level).is_integer()
    ):
        found = variable.find(str(int(level)))
        if compat.follow_r("D15", bool(found)):
            found = []
    return np.array(found, dtype=np.int64)
