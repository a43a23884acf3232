"""`replicated_uniques()`: synthetic records whose keys are unique in the synthetic data and in the
original.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from ..arguments import check_choice, resolve_keys
from ..core.arrays import Flags, Integers
from ..core.coding import encode
from ..core.fingerprint import Fingerprints, fingerprints_of
from ..core.levels import Variable
from ..disclosure.rows import Rows
from ..disclosure.source import Source, read_source
from ..errors import InputError
from ..names import some
from ..progress import progress_shown
from ..r.both import Change, Changes, Computation, DefectFinding, as_r, run_both
from ..r.layouts import LAYOUTS, Layout
from ..r.reading import CORRECTED, MODES, VERSIONS, Mode, Reading
from ..show import Cell, Document, Relation, Shown
from ..show.plain import column_name
from ..spellings import plain_names_too
from ..synds import SynDS
from ..tables.frames import AnyFrame
from ..tables.opening import rows_with_records
from .uniques_counts import Sizes, count_uniques, remembered_sizes
from .uniques_parts import count_in_parts

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
        occur in the original. Of frequency tables (`counts`), one flag per row of the table. An
        error where records stay in a database or file, or were counted in parts.
    compat : whose figures these are.
    defects : tuple of DefectFinding
        R's defects that changed a figure of this call.
    corrected : ReplicatedUniques or None
        The correct result, where R's differs.
    notes : tuple of str
        What to know about the data before trusting a figure: the warnings of the call.
    """

    m: int
    n: int
    k: int
    keys: tuple[Hashable, ...]
    res_tab: list[pd.DataFrame]
    _replicated: list[Marked] | None
    _in_original: list[Marked] | None
    compat: Mode
    defects: tuple[DefectFinding, ...] = ()
    corrected: ReplicatedUniques | None = None
    notes: tuple[str, ...] = ()
    _known_fingerprints: Fingerprints | None = None

    @property
    def repU_rm(self) -> list[Flags]:
        return _flags(self._replicated)

    @property
    def synU_rm(self) -> list[Flags]:
        return _flags(self._in_original)

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

        synthetic = [int(table["from total"].iloc[1]) for table in self.res_tab]
        return {"original": Cell(self.n, (everybody(self),)), "synthetic": synthetic}

    def _fingerprints(self, *, original: bool) -> Fingerprints | None:
        return self._known_fingerprints

    def _relations(self) -> tuple[Relation, ...]:
        from .uniques_show import relations

        return tuple(relations(self))


@plain_names_too()
def replicated_uniques(
    object: SynDS | AnyFrame | Sequence[AnyFrame],
    data: AnyFrame,
    keys: Any = None,
    *,
    counts: Any = None,
    compat: str = "r",
    max_cells: int | None = None,
) -> ReplicatedUniques:
    """Records that are unique in the synthetic data and have a twin that is unique in the original
    (R's ``replicated.uniques()``).

    Parameters
    ----------
    object : SynDS, DataFrame of pandas, polars or Arrow, table of an engine, or a list of these
        The synthetic data: one or more syntheses of `data`. By name also ``synthetic=``. (R takes
        its own class only.)
    data : DataFrame of pandas, polars or Arrow, or table of an engine
        The original data. By name also ``original=``.
    keys : names or positions (from 1) of the columns to combine; all columns of `data` by default.
        Missing is a value like any other.
    counts : name of the column that says how many records a row stands for, on both sides, where
        the data are frequency tables. Rows are then marked, not records.
    compat : "r" for R's figures (synthpop 1.9-3), "r-1.9-2" for those of the earlier version, which
        gives all percentages of synthetic uniques out of the synthetic records, "corrected" for the
        correct ones. Where R's figure is wrong, an `RDefectWarning` gives both.
    max_cells : the most combinations of keys, in all tables together, to count at once. If there
        are more, the work is done in parts by values of a key, with the same numbers; which records
        they are (`repU_rm`, `synU_rm`) is then not known. The default, for records in a database or
        file, is as many as fit in memory; data in memory are counted at once.

    Returns
    -------
    ReplicatedUniques

    Notes
    -----
    R compares keys as texts. Beside text, it writes numbers to a common width with 7 digits, so
    equal numbers may differ and close ones may agree (D36). One number may have two texts (D15). A
    single key finds and marks almost nothing (D37). Labels with "|" merge, and numbers of records
    are remembered instead of counted (D38). Where R crashes, all modes give the correct result.

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
    result = find_uniques(object, data, keys, compat=compat, counts=counts, max_cells=max_cells)
    from ..disclosure.defect_text import warn_in_short

    warn_in_short(result.defects, several=result.m > 1, decimals=0)
    return result


def find_uniques(
    object: Any,
    data: Any,
    keys: Any,
    *,
    compat: str,
    counts: Hashable | None = None,
    max_cells: int | None = None,
) -> ReplicatedUniques:
    """The result without its warning."""
    mode = check_mode(compat)
    source = read_source(object, data, None, counts, max_cells, by_record=True)
    wanted = _every_column(source) if keys is None else keys
    names = resolve_keys(wanted, source.data, source.sets)
    source.check_common_values(
        dict.fromkeys(reversed(names), 0), names if mode == CORRECTED else ()
    )
    rows = source.few_rows(names)
    if rows is None and len(names) == 1:
        rows = source.margin(names[0])  # levels of one key are its combinations
    if rows is None:
        return _found_in_parts(names, object, source, mode)
    by_value = {name: encode(str(name), columns) for name, columns in rows.columns.items()}
    fingerprints = fingerprints_of(rows.columns, rows.n, rows.records, by_value)
    sizes = remembered_sizes(object, rows.records)
    kept = None
    if source.keeps_rows:
        kept = tuple(rows_with_records(table) for table in source.sets)
    call = UniquesCall(names=names, rows=rows, by_value=by_value, sizes=sizes, kept=kept)
    both = run_both(call, as_r(mode, "replicated_uniques"))
    result = replace(both.asked, _known_fingerprints=fingerprints)
    if not both.findings or both.corrected is None:
        return replace(result, defects=both.findings)
    corrected = replace(both.corrected, _known_fingerprints=fingerprints)
    return replace(result, defects=both.findings, corrected=corrected)


def _found_in_parts(
    names: tuple[Hashable, ...], object: Any, source: Source, mode: Mode
) -> ReplicatedUniques:
    """The result where combinations are too many to be counted at once."""
    sizes = remembered_sizes(object, [table.records for table in source.tables])
    call = PartsCall(names=names, source=source, sizes=sizes)
    both = run_both(call, as_r(mode, "replicated_uniques"))
    if not both.findings or both.corrected is None:
        return replace(both.asked, defects=both.findings)
    return replace(both.asked, defects=both.findings, corrected=both.corrected)


def _every_column(source: Source) -> list[Hashable]:
    """The keys if none are given: all columns of the original, as in R."""
    columns = list(source.data.columns)
    absent = [name for name in columns if any(name not in s.columns for s in source.sets)]
    if absent:
        raise InputError(
            "keys: without them all columns of the original data are keys, as in R, but the"
            f" synthetic data lack {some(absent)}; name the keys"
        )
    return columns


def check_mode(compat: Any) -> Mode:
    mode: Mode = check_choice("compat", compat, MODES)
    return mode


class Marked(NamedTuple):
    """Positions of the marked rows, and the number of all rows."""

    rows: Integers
    of: int

    def flags(self) -> Flags:
        """A flag for each row."""
        flags = np.zeros(self.of, dtype=bool)
        flags[self.rows] = True
        return flags


def _flags(marks: list[Marked] | None) -> list[Flags]:
    if marks is None:
        raise InputError(
            "repU_rm, synU_rm: not available where records stay in a database or file, or were "
            "counted in parts, because no record is marked then; call replicated_uniques() with "
            "data frames in memory and without max_cells"
        )
    return [marked.flags() for marked in marks]


def _marked(flags: Flags, kept: Flags | None) -> Marked:
    """Marks on all rows, from flags of those that were `kept` because they stand for a record."""
    rows = np.flatnonzero(flags)
    if kept is None:
        return Marked(rows, len(flags))
    return Marked(np.flatnonzero(kept)[rows], len(kept))


# ---- R's figures and the correct ones ------------------------------------------------


@dataclass(frozen=True, slots=True)
class UniquesCall(Computation[ReplicatedUniques]):
    """One call of `replicated_uniques()`: the columns that are combined, their records, and their
    codes under the correct reading. For each synthesis also the rows that stand for a record; None
    where all do. None for all of them where records stay elsewhere and cannot be marked.
    """

    names: tuple[Hashable, ...]
    rows: Rows
    by_value: Mapping[Hashable, Variable]
    sizes: Sizes
    kept: tuple[Flags | None, ...] | None

    def result(self, reading: Reading) -> ReplicatedUniques:
        counted = count_uniques(self.rows, self.by_value, self.sizes, reading)
        tables = []
        for uniques, k in zip(counted.uniques, counted.k):
            totals = _totals(counted.n, k, reading.layout)
            tables.append(_table(uniques.numbers, totals))
        replicated, in_original = None, None
        if self.kept is not None:
            pairs = list(zip(counted.uniques, self.kept))
            replicated = [_marked(uniques.replicated, kept) for uniques, kept in pairs]
            in_original = [_marked(uniques.in_original, kept) for uniques, kept in pairs]
        return ReplicatedUniques(
            m=len(counted.k),
            n=counted.n,
            k=counted.k[0],
            keys=self.names,
            res_tab=tables,
            _replicated=replicated,
            _in_original=in_original,
            compat=reading.mode,
        )

    def changes(self, r: ReplicatedUniques, correct: ReplicatedUniques) -> Changes:
        changes: list[Change] = []
        for j in range(r.m):
            changes += _numbers_that_differ(r, correct, j)
            changes += _marks_that_differ(r, correct, j)
        return tuple(changes)


@dataclass(frozen=True, slots=True)
class PartsCall(Computation[ReplicatedUniques]):
    """The same in parts, without the rows: no record is marked."""

    names: tuple[Hashable, ...]
    source: Source
    sizes: Sizes

    def result(self, reading: Reading) -> ReplicatedUniques:
        with progress_shown() as begin:
            counted = count_in_parts(self.names, self.source, self.sizes, reading, begin)
        tables = []
        for numbers, k in zip(counted.of_sets, counted.k):
            tables.append(_table(numbers, _totals(counted.n, k, reading.layout)))
        return ReplicatedUniques(
            m=len(counted.k),
            n=counted.n,
            k=counted.k[0],
            keys=self.names,
            res_tab=tables,
            _replicated=None,
            _in_original=None,
            compat=reading.mode,
        )

    def changes(self, r: ReplicatedUniques, correct: ReplicatedUniques) -> Changes:
        changes: list[Change] = []
        for j in range(r.m):
            changes += _numbers_that_differ(r, correct, j)
        return tuple(changes)


def _numbers_that_differ(
    r: ReplicatedUniques, correct: ReplicatedUniques, j: int
) -> Iterator[Change]:
    """Numbers and totals of a synthesis that differ, the correct totals being those that the
    version of `r` would show.
    """
    theirs, ours = r.res_tab[j], correct.res_tab[j]
    n, k, *_ = ours["from total"]
    totals = _totals(n, k, LAYOUTS[VERSIONS[r.compat]])
    for row, before, after in zip(ROWS, theirs["Number"], ours["Number"]):
        if before != after:
            yield j + 1, row, float(before), float(after)
    for row, before, after in zip(ROWS, theirs["from total"], totals):
        if before != after:
            yield j + 1, f"{row}, from total", float(before), float(after)


def _marks_that_differ(
    r: ReplicatedUniques, correct: ReplicatedUniques, j: int
) -> Iterator[Change]:
    if r._replicated is None:
        return
    for name in ("repU_rm", "synU_rm"):
        theirs, ours = getattr(r, name)[j], getattr(correct, name)[j]
        if np.array_equal(theirs, ours):
            continue
        what = f"records marked in {name}"
        if theirs.sum() != ours.sum():
            yield j + 1, what, float(theirs.sum()), float(ours.sum())
        elif len(theirs) != len(ours):
            yield j + 1, f"{what}, out of", float(len(theirs)), float(len(ours))
        else:
            yield j + 1, what, "some", "others"


# ---- R's table -----------------------------------------------------------------------


def _totals(n: int, k: int, layout: Layout) -> tuple[int, int, int, int]:
    """How many records each row of the table is out of."""
    base = n if layout.uniques_out_of == "original" else k
    return n, k, base, base


def _table(numbers: Sequence[int], totals: Sequence[int]) -> pd.DataFrame:
    shares = [_percent(number, total) for number, total in zip(numbers, totals)]
    columns = dict(zip(COLUMNS, (list(numbers), list(totals), shares)))
    return pd.DataFrame(columns, index=list(ROWS))


def _percent(number: int, total: int) -> float:
    if total:
        return round_as_r(number / total * 100)
    return math.inf if number else math.nan


def round_as_r(x: float, digits: int = 2) -> float:
    """R's ``round`` since version 4.0: of the two nearest decimals the nearer one, measured in
    double precision; the even one of a tie.

    >>> round_as_r(0.125), round_as_r(5.015), round_as_r(14.86)
    (0.12, 5.02, 14.86)
    """
    scale = 10.0**digits
    below, above = math.floor(x * scale), math.ceil(x * scale)
    down, up = x - below / scale, above / scale - x
    tie = down == up
    takes_below = below % 2 == 0 if tie else down < up
    return (below if takes_below else above) / scale
