"""`replicated_uniques()`: synthetic records whose keys single out one record, in the synthetic data
and in the original.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from ..arguments import check_choice, resolve_keys
from ..core.arrays import Flags, Integers
from ..core.columns import Column
from ..core.crosstab import count_codes, pair_up
from ..disclosure.findings import findings
from ..disclosure.result import DefectFinding
from ..disclosure.rows import Rows
from ..disclosure.source import read_source
from ..errors import RDefectWarning, warn
from ..r.reading import MODES, VERSIONS, Mode, Reading, as_r, correctly
from ..show import Cell, Document, Relation, Shown
from ..show.plain import column_name
from ..spellings import plain_names_too
from ..synds import SynDS
from .uniques_keys import Coded, coded_keys, coded_single_key, only_value_as_text

ROWS = ("Original", "Synthetic", "Synthetic uniques in original", "Replicated uniques")
COLUMNS = ("Number", "from total", "%")


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class ReplicatedUniques(Shown):
    """Unique key combinations of the original and of m syntheses, and how many they share.

    Attributes
    ----------
    m, n, k : number of syntheses, of original records, of records of a synthesis (of the first one
        where they differ).
    keys : names of the columns that were combined.
    res_tab : list of DataFrame
        One 4 x 3 table per synthesis: unique combinations in the original, in the synthetic data,
        those of the synthetic data that occur in the original, and those unique in both; how many
        records that is out of, and the percentage.
    repU_rm, synU_rm : list of bool arrays
        One per synthesis, true for synthetic records that are replicated uniques, or uniques that
        occur in the original.
    compat : whose figures these are.
    defects : tuple of DefectFinding
        R's defects that changed a figure of this call.
    corrected : ReplicatedUniques or None
        The right result, where R's differs.
    """

    m: int
    n: int
    k: int
    keys: tuple[Hashable, ...]
    res_tab: list[pd.DataFrame]
    _replicated: list[Marked]
    _in_original: list[Marked]
    compat: Mode
    defects: tuple[DefectFinding, ...] = ()
    corrected: ReplicatedUniques | None = None

    @property
    def repU_rm(self) -> list[Flags]:
        return [marked.flags() for marked in self._replicated]

    @property
    def synU_rm(self) -> list[Flags]:
        return [marked.flags() for marked in self._in_original]

    def _document(self) -> Document:
        from .uniques_show import document

        return document(self)

    def _content(self) -> dict[str, Any]:
        from .uniques_show import content

        return content(self)

    def _arguments(self) -> dict[str, Any]:
        return {"keys": [column_name(key) for key in self.keys], "compat": self.compat}

    def _records(self) -> dict[str, Any]:
        from .uniques_show import everybody

        synthetic = [len(flags) for flags in self.repU_rm]
        return {"original": Cell(self.n, (everybody(self),)), "synthetic": synthetic}

    def _relations(self) -> tuple[Relation, ...]:
        from .uniques_show import relations

        return tuple(relations(self))

    def print(self) -> None:
        """Show R's table for each synthesis, with the right one wherever R's is wrong."""
        print(repr(self))


@plain_names_too()
def replicated_uniques(
    object: SynDS | pd.DataFrame | Sequence[pd.DataFrame],
    data: pd.DataFrame,
    keys: Any = None,
    *,
    counts: Any = None,
    compat: str = "r",
) -> ReplicatedUniques:
    """Records that are unique in the synthetic data and have a twin that is unique in the original
    (R's ``replicated.uniques()``).

    Parameters
    ----------
    object : SynDS, DataFrame or list of DataFrame
        The synthetic data: one or more syntheses of `data`. By name also ``synthetic=``. (R takes
        its own class only.)
    data : DataFrame
        The original data. By name also ``original=``.
    keys : names or positions (from 1) of the columns to combine; all columns of `data` by default.
        Missing is a value like any other.
    counts : name of the column that says how many records a row stands for, on both sides, where
        the data are frequency tables. Rows are then marked, not records.
    compat : "r" for R's figures (synthpop 1.9-3), "r-1.9-2" for those of the earlier version, which
        takes all percentages of synthetic uniques out of the synthetic records, "corrected" for the
        right ones. Where R's figure is wrong, an `RDefectWarning` gives both.

    Returns
    -------
    ReplicatedUniques

    Notes
    -----
    R compares keys as texts. A number beside text is written to a common width with 7 digits, so
    that equal numbers may differ and close ones may agree (D36); one number may have two texts
    (D15); a single key finds and marks next to nothing (D37); labels with "|" merge, and numbers of
    records are remembered instead of counted (D38). Where R crashes, all modes give the right
    result.

    Examples
    --------
    Two people are unique in the original; the synthetic data copy the first of them.

    >>> import pandas as pd
    >>> from synthpop_py.companions.uniques import replicated_uniques
    >>> people = pd.DataFrame({"sex": ["f", "m", "f", "f"], "town": ["A", "A", "B", "B"]})
    >>> fake = pd.DataFrame({"sex": ["f", "f", "f", "f"], "town": ["A", "B", "B", "B"]})
    >>> result = replicated_uniques(fake, people)
    >>> result.res_tab[0]["Number"].tolist(), result.repU_rm[0].tolist()
    ([2, 1, 1, 1], [True, False, False, False])
    """
    result = find_uniques(object, data, keys, compat, counts)
    if result.defects:
        from ..disclosure.defect_text import notes_text
        from .uniques_show import defect_notes

        warn(notes_text(defect_notes(result)), RDefectWarning)
    return result


def find_uniques(
    object: Any, data: Any, keys: Any, compat: str, counts: Hashable | None = None
) -> ReplicatedUniques:
    """The result without its warning."""
    mode = check_mode(compat)
    source = read_source(object, data, None, counts)
    table = source.data
    names = resolve_keys(list(table.columns) if keys is None else keys, table, source.sets)
    source.warn_of_strangers(dict.fromkeys(names, 0))
    tables = source.rows(names)
    sizes = _remembered_sizes(object, tables)
    if mode != "corrected" and (sizes.stale or len(names) == 1):
        tables = _written_out(tables)  # what R makes of these depends on every single record
    switch = as_r(mode, "replicated_uniques")
    result = _run(names, tables, sizes, switch, mode)
    if not switch.touched:
        return result
    right = _run(names, tables, sizes, correctly(VERSIONS[mode]), mode)
    moved = _changes(result, right)
    if not moved:
        return result

    def without(defect: str) -> tuple[Any, ...]:
        return _changes(
            _run(names, tables, sizes, Reading(switch.active - {defect}, VERSIONS[mode]), mode),
            result,
        )

    right = replace(
        right,
        compat="corrected",
        res_tab=(
            right.res_tab
            if mode == "r"
            else _run(names, tables, sizes, correctly(), "corrected").res_tab
        ),
    )
    return replace(result, defects=findings(switch.touched, moved, without), corrected=right)


def check_mode(compat: Any) -> Mode:
    mode: Mode = check_choice("compat", compat, MODES)
    return mode


# ---- numbers of records --------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Sizes:
    """Records that there are, and that the object remembers from the time of the synthesis."""

    n: int
    rows: tuple[int, ...]
    remembered_n: int
    remembered_k: int

    @property
    def stale(self) -> bool:
        return (self.remembered_n, self.remembered_k) != (self.n, self.rows[0]) or len(
            set(self.rows)
        ) > 1


def _remembered_sizes(object: Any, tables: Rows) -> _Sizes:
    meta = object.meta if isinstance(object, SynDS) else {}
    there, *rows = tables.records
    n = meta["n"] if _is_count(meta.get("n")) else there
    k = meta["k"] if _is_count(meta.get("k")) else rows[0]
    return _Sizes(there, tuple(rows), n, k)


def _written_out(tables: Rows) -> Rows:
    """Every record as a row of its own."""
    if all(n is None for n in tables.n):
        return tables
    columns = {
        name: [_repeated(column, n) for column, n in zip(own, tables.n)]
        for name, own in tables.columns.items()
    }
    return replace(tables, columns=columns, n=(None,) * len(tables.n))


def _repeated(column: Column, n: Integers | None) -> Column:
    if n is None:
        return column
    missing = None if column.missing is None else np.repeat(column.missing, n)
    return replace(column, values=np.repeat(column.values, n), missing=missing)


def _is_count(value: Any) -> bool:
    return isinstance(value, (int, np.integer)) and not isinstance(value, bool)


def _r_has_an_answer(sizes: _Sizes, single: bool) -> bool:
    """Whether R gets through with several syntheses: it puts them side by side, repeating short
    ones if they fit, and cutting long ones of one key.
    """
    if len(sizes.rows) == 1:
        return True
    height = sizes.remembered_k if single else sizes.rows[0]
    return height <= sizes.remembered_k and all(
        r == 0 or (single and r > height) or height % r == 0 for r in sizes.rows
    )


# ---- counting ------------------------------------------------------------------------


class Marked(NamedTuple):
    """Rows that are marked, by position, of so many."""

    rows: Integers
    of: int

    def flags(self) -> Flags:
        """A flag for each row."""
        flags = np.zeros(self.of, dtype=bool)
        flags[self.rows] = True
        return flags


def _marked(flags: Flags) -> Marked:
    return Marked(np.flatnonzero(flags), len(flags))


@dataclass(frozen=True, slots=True)
class _Found:
    """What one synthesis has: the four numbers of R's table, and the records concerned."""

    numbers: tuple[int, int, int, int]
    replicated: Flags
    in_original: Flags


def _run(
    names: Sequence[Hashable], rows: Rows, sizes: _Sizes, compat: Reading, mode: Mode
) -> ReplicatedUniques:
    tables = list(rows.columns.values())
    single = len(names) == 1
    answered = _r_has_an_answer(sizes, single)
    reproduce = compat if answered else correctly(compat.version)
    remembered = reproduce.follow_r("D38", sizes.stale)
    n, k = (sizes.remembered_n, sizes.remembered_k) if remembered else (sizes.n, sizes.rows[0])
    m = len(sizes.rows)
    height = None if m == 1 or not remembered else k if single else sizes.rows[0]
    if (
        single and height is not None
        # R writes the values of one key after it has cut or repeated them, and how depends on all
        # of them
    ):
        tables = [[tables[0][0], *(_of_height(column, height) for column in tables[0][1:])]]
    keys = (
        coded_single_key(names[0], tables[0], reproduce)
        if single
        else coded_keys(names, tables, reproduce)
    )
    wrong_way = single and reproduce.follow_r("D37")
    found = []
    for j in range(1, m + 1):
        own = (
            keys.codes[j]
            if height is None or not len(keys.codes[j])
            else np.resize(keys.codes[j], height)
        )
        one = (
            _single_key_as_r(keys, own, tables[0], j, m)
            if wrong_way
            else _compare(keys.codes[0], own, keys.size, rows.n[0], rows.n[j])
        )
        found.append(
            replace(
                one,
                replicated=_stretched(one.replicated, k),
                in_original=_stretched(one.in_original, k),
            )
            if remembered
            else one
        )
    totals = [_totals(n, k if remembered else sizes.rows[j], mode) for j in range(m)]
    return ReplicatedUniques(
        m,
        n,
        k,
        tuple(names),
        [_table(f.numbers, t) for f, t in zip(found, totals)],
        [_marked(f.replicated) for f in found],
        [_marked(f.in_original) for f in found],
        mode,
    )


def _of_height(column: Column, height: int) -> Column:
    """The column repeated or cut to a number of records; an empty one stays empty."""
    if not len(column):
        return column
    missing = None if column.missing is None else np.resize(column.missing, height)
    return replace(
        column,
        values=np.resize(column.values, height),
        missing=missing if missing is not None and missing.any() else None,
    )


def _compare(
    original: Integers,
    synthetic: Integers,
    size: int,
    n: Integers | None = None,
    k: Integers | None = None,
) -> _Found:
    """Unique combinations of two tables, from the combination's code of each row; n and k say how
    many records the rows stand for.
    """
    room = 4 * (len(original) + len(synthetic)) + 1024
    first, second = count_codes(original, size, room, n), count_codes(synthetic, size, room, k)
    cells, n_orig, n_syn = pair_up(first, second)
    in_original, replicated = (n_syn == 1) & (n_orig > 0), (n_syn == 1) & (n_orig == 1)
    place = np.searchsorted(cells, synthetic)
    numbers = (
        int((n_orig == 1).sum()),
        int((n_syn == 1).sum()),
        int(in_original.sum()),
        int(replicated.sum()),
    )
    return _Found(numbers, replicated[place], in_original[place])


def _single_key_as_r(
    keys: Coded, synthetic: Integers, columns: list[Column], j: int, m: int
) -> _Found:
    """One key as R takes it (D37): missing values are left out, and a table of one column is taken
    for one long text, which nothing equals unless it has but one record. With several syntheses
    the replicated ones are marked all the same.
    """
    own = synthetic[synthetic != keys.missing_code]
    whole = _compare(keys.codes[0][keys.codes[0] != keys.missing_code], own, keys.size)
    only = only_value_as_text(columns[0])
    code = None if only is None else keys.code_of(only)
    in_original = 0 if code is None else int((_uniques(own) == code).sum())
    replicated = np.zeros(len(synthetic), dtype=bool)
    if m > 1 and columns[j].kind not in (
        "date",
        "time",
        "duration",
    ):  # these R looks up as numbers among texts
        replicated[synthetic != keys.missing_code] = whole.replicated
    elif m == 1 and (text := only_value_as_text(columns[j])) is not None and whole.replicated.any():
        replicated[:] = int(own[whole.replicated][0]) == keys.code_of(text)
    marked = np.zeros(len(synthetic), dtype=bool)
    if in_original and m > 1:
        marked[:] = synthetic == code
    elif in_original and (text := only_value_as_text(columns[j])) is not None:
        marked[:] = keys.code_of(text) == code
    return _Found((*whole.numbers[:2], in_original, whole.numbers[3]), replicated, marked)


def _uniques(codes: Integers) -> Integers:
    values, counts = np.unique(codes, return_counts=True)
    alone: Integers = values[counts == 1]
    return alone


def _stretched(flags: Flags, k: int) -> Flags:
    """Flags as long as R remembers the synthesis to be: it repeats short ones."""
    return np.resize(flags, k) if len(flags) < k else flags


def _totals(n: int, k: int, mode: Mode) -> tuple[int, int, int, int]:
    return (n, k, k, k) if VERSIONS[mode] == "1.9-2" else (n, k, n, n)


def _table(numbers: Sequence[int], totals: Sequence[int]) -> pd.DataFrame:
    shares = [
        round_as_r(a / b * 100) if b else math.nan if a == 0 else math.inf
        for a, b in zip(numbers, totals)
    ]
    return pd.DataFrame(
        {"Number": list(numbers), "from total": list(totals), "%": shares},
        index=list(ROWS),
        columns=list(COLUMNS),
    )


def round_as_r(x: float, digits: int = 2) -> float:
    """R's ``round`` since version 4.0: of the two nearest decimals the nearer one, measured in
    double precision; the even one of a tie.

    >>> round_as_r(0.125), round_as_r(5.015), round_as_r(14.86)
    (0.12, 5.02, 14.86)
    """
    scale = 10.0**digits
    below, above = math.floor(x * scale), math.ceil(x * scale)
    down, up = x - below / scale, above / scale - x
    return (below if down < up or (down == up and below % 2 == 0) else above) / scale


# ---- R's figures and the right ones --------------------------------------------------


def _changes(
    r: ReplicatedUniques, right: ReplicatedUniques
) -> tuple[tuple[int, str, float | None, float | None], ...]:
    """Figures that differ: (synthesis, name, R's figure, the right one)."""
    moved: list[tuple[int, str, float | None, float | None]] = []
    for j in range(r.m):
        a, b = r.res_tab[j], right.res_tab[j]
        for column in COLUMNS[:2]:
            for row in ROWS:
                if a.at[row, column] != b.at[row, column]:
                    moved.append(
                        (
                            j + 1,
                            row if column == "Number" else f"{row}, {column}",
                            float(a.at[row, column]),
                            float(b.at[row, column]),
                        )
                    )
        for name in ("repU_rm", "synU_rm"):
            x, y = getattr(r, name)[j], getattr(right, name)[j]
            if not np.array_equal(x, y):
                moved.append((j + 1, f"records marked in {name}", float(x.sum()), float(y.sum())))
    return tuple(moved)
