"""`replicated_uniques()`: synthetic records whose keys are unique in the synthetic data and in the
original. What R finds instead is in `r.companions`.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import numpy as np
import pandas as pd

from .arguments import check_choice, resolve_keys
from .cells import combine
from .core.arrays import Flags, Integers
from .data import Data, open_data
from .errors import found_so_far, warning_once
from .levels import match
from .r.ledger import DefectFinding, findings, warn_of_defects
from .r.reading import CORRECTED, LAYOUTS, MODES, VERSIONS, Met, Mode
from .r.rounding import rounded
from .rounding import PROMISE, people, percent, shown
from .show.printing import Sections, Table
from .show.values import column_name
from .show.views import Shown
from .synds import SynDS
from .tables.frames import AnyFrame
from .tables.opening import rows_with_records

ROWS = ("Original", "Synthetic", "Synthetic uniques in original", "Replicated uniques")
COLUMNS = ("Number", "from total", "%")
NEXT = (
    "repU_rm marks the synthetic records that are replicated uniques, synU_rm all unique ones that"
    " occur in the original; sdc() removes either."
)
Keys: TypeAlias = tuple[Hashable, ...]
# of one synthesis: the four numbers of R's table; rows that are replicated uniques, and rows of
# uniques that occur in the original
Found: TypeAlias = tuple[list[int], Flags, Flags]


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class ReplicatedUniques(Shown):
    """Unique key combinations of the original and of m syntheses, and how many they share.

    Attributes
    ----------
    m, n, k : number of syntheses, of original records, of records of the first synthesis.
    keys : names of the columns that were combined.
    res_tab : list of DataFrame
        One 4 x 3 table per synthesis: unique combinations in the original, in the synthetic data,
        those of the synthetic data that occur in the original, and those unique in both; how many
        records that is out of, and the percentage.
    repU_rm, synU_rm : list of bool arrays
        One per synthesis, true for synthetic records that are replicated uniques, or uniques that
        occur in the original. Of frequency tables (`counts`), one flag per row of the table. Empty
        where records stay in a database or file.
    compat : whose figures these are.
    defects : tuple of DefectFinding, R's defects that changed a figure of this call.
    corrected : the correct result, where R's differs.
    notes : what to know about the data before trusting a figure: the warnings of the call.
    """

    m: int
    n: int
    k: int
    keys: Keys
    res_tab: list[pd.DataFrame]
    repU_rm: list[Flags]
    synU_rm: list[Flags]
    compat: Mode
    defects: tuple[DefectFinding, ...] = ()
    corrected: ReplicatedUniques | None = None
    notes: tuple[str, ...] = ()

    def _wrong(self, j: int) -> list[str]:
        """What is wrong in R's table and marks of a synthesis."""
        if self.corrected is None:
            return []
        wrong = []
        r, correct = self.res_tab[j], self.corrected.res_tab[j]
        for column, rows in (("Number", ROWS), ("from total", ROWS[:2])):
            for row in rows:
                theirs, ours = int(r[column][row]), int(correct[column][row])
                if theirs != ours:
                    name = row if column == "Number" else f"{row}, {column}"
                    wrong.append(f"{name}: R {theirs}, correct {ours}")
        for name in ("repU_rm", "synU_rm"):
            theirs, ours = getattr(self, name), getattr(self.corrected, name)
            if theirs and not np.array_equal(theirs[j], ours[j]):
                told = f"R {theirs[j].sum()}, correct {ours[j].sum()}"
                wrong.append(f"records marked in {name}: {told}")
        return wrong

    def _title(self) -> str:
        return "Replicated uniques"

    def _about(self) -> str:
        return f"Unique combinations of {', '.join(map(str, self.keys))}"

    def _shown(self, to: int) -> list[tuple[int, int]]:
        """Uniques of the original, and replicated ones, of each synthesis, as they are shown."""
        counts = []
        for table in self.res_tab:
            unique, synthetic, _, replicated = table["Number"].astype(int)
            both = shown(unique, self.n, to=to), shown(replicated, self.n, synthetic, to=to)
            counts.append(both)
        return counts

    def _headline(self, to: int = 1) -> list[str]:
        correct = self if to == 1 else self.corrected or self
        uniques = ", ".join(people(replicated, to=to) for _, replicated in correct._shown(to))
        return [
            f"Synthetic records unique on {', '.join(map(str, self.keys))} whose combination is"
            f" also unique in the original: {uniques}."
        ]

    def _sections(self) -> Sections:
        about = self._about()
        syntheses = "1 synthesis" if self.m == 1 else f"{self.m} syntheses"
        sections: list[list[Any]] = [[f"{about}: {self.n} original records, {syntheses}"]]
        ids = ", ".join(defect.id for defect in self.defects)
        for j, table in enumerate(self.res_tab):
            section: list[Any] = [f"synthesis {j + 1}"] if self.m > 1 else []
            section.append(Table(table, f"{about}, synthesis {j + 1}", titled=False))
            wrong = self._wrong(j)
            section += [f"{one} ({ids})" for one in wrong]
            if wrong:
                section.append("See .defects; the correct result is .corrected.")
            sections.append(section)
        return [*sections, [NEXT]]

    def _notes(self) -> tuple[str, ...]:
        return self.notes

    def _everybody(self) -> int:
        return (self.corrected or self).n

    def _rounded(self, to: int) -> Sections:
        correct = self.corrected or self
        n = shown(correct.n, correct.n, to=to)
        sections: list[list[Any]] = [[f"{self._about()}: {people(n, to=to)} original records"]]
        for number, counts in enumerate(correct._shown(to), start=1):
            texts = [[people(c, n, to=to), percent(c, n, to=to)] for c in counts]
            frame = pd.DataFrame(texts, index=[ROWS[0], ROWS[3]], columns=[COLUMNS[0], COLUMNS[2]])
            sections.append([Table(frame, f"Unique combinations, synthesis {number}")])
        return [*sections, [PROMISE]]

    def _content(self) -> dict[str, Any]:
        fields = ("m", "n", "k", "res_tab", "notes")
        content = {name: getattr(self, name) for name in fields} | self._arguments()
        for name in ("repU_rm", "synU_rm"):
            content[name] = [np.flatnonzero(flags) for flags in getattr(self, name)]
        content["defects"] = [defect.content() for defect in self.defects]
        content["corrected"] = None if self.corrected is None else self.corrected.to_dict()
        return content

    def _arguments(self) -> dict[str, Any]:
        return {"keys": [column_name(key) for key in self.keys], "compat": self.compat}

    def _records(self) -> dict[str, Any]:
        return {"original": self.n, "synthetic": [t["from total"].iloc[1] for t in self.res_tab]}


@warning_once
def replicated_uniques(
    object: SynDS | AnyFrame | Sequence[AnyFrame],
    data: AnyFrame,
    keys: Any = None,
    *,
    counts: Any = None,
    compat: str = "r",
) -> ReplicatedUniques:
    """Records that are unique in the synthetic data and have a twin that is unique in the original
    (R's ``replicated.uniques()``).

    Parameters
    ----------
    object : SynDS, DataFrame of pandas, polars or Arrow, table of an engine, or a list of these
        The synthetic data: one or more syntheses of `data`. (R takes its own class only.)
    data : DataFrame or table; the original data.
    keys : names or positions (from 1) of the columns to combine; all columns of `data` by default.
        Missing is a value like any other.
    counts : name of the column that says how many records a row stands for, on both sides, where
        the data are frequency tables. Rows are then marked, not records.
    compat : "r" for R's figures (synthpop 1.9-3), "r-1.9-2" for those of the earlier version, which
        gives all percentages of synthetic uniques out of the synthetic records, "corrected" for the
        correct ones. R compares keys as texts (D15, D36, D38), finds almost nothing by a single key
        (D37), and remembers numbers of records instead of counting them (D38). Where its figure is
        wrong, an `RDefectWarning` gives both. Where R crashes, all modes give the correct result.

    Examples
    --------
    Two people are unique in the original, and the synthetic data copy the first of them.

    >>> import pandas as pd
    >>> from synthpop_py import replicated_uniques
    >>> people = pd.DataFrame({"sex": list("fmff"), "town": list("AABB")})
    >>> fake = pd.DataFrame({"sex": list("ffff"), "town": list("ABBB")})
    >>> result = replicated_uniques(fake, people)
    >>> result.res_tab[0]["Number"].tolist(), result.repU_rm[0].tolist()
    ([2, 1, 1, 1], [True, False, False, False])
    """
    mode = check_choice("compat", compat, MODES)
    opened = open_data(object, data, counts=counts, by_record=True)
    original, sets = opened.original, opened.sets
    names = resolve_keys(list(original.columns) if keys is None else keys, original, sets)
    factors, n = opened.factors(names)
    must_match = names if mode == CORRECTED else ()
    opened.check_values(factors, dict.fromkeys(reversed(names), 0), must_match)

    combinations = combine([match(factors[name]) for name in names], n)
    found = compare(combinations.codes, n, combinations.size)
    correct = _result(found, opened, opened.records, names, CORRECTED)
    if mode == CORRECTED:
        return replace(correct, notes=found_so_far())
    from .r.companions import uniques_as_r

    met, meta = Met(), object.meta if isinstance(object, SynDS) else {}
    by_r = uniques_as_r([factors[name] for name in names], n, opened.records, meta, met)
    found_by_r, records = by_r or (found, opened.records)
    r = replace(_result(found_by_r, opened, records, names, mode), notes=found_so_far())
    beside = replace(r, defects=findings(met), corrected=correct)
    for j in range(r.m):
        wrong = beside._wrong(j)
        if wrong:
            where = f"synthesis {j + 1}, " if r.m > 1 else ""
            warn_of_defects(beside.defects, f"{where}{wrong[0]}")
            return beside
    return r


def compare(codes: Sequence[Integers], n: Sequence[Integers | None], size: int) -> list[Found]:
    """Unique combinations of each synthesis and of the original, which is table 0, from the
    combination's code of each row, below `size`; `n` says how many records the rows stand for.

    >>> compare([np.array([1, 2, 3, 3]), np.array([1, 3, 9, 9])], [None, None], 10)[0][0]
    [2, 2, 2, 1]
    """
    # of doubles no sum of whole numbers is 0 or 1 by rounding
    original, *others = [np.bincount(*table, size) for table in zip(codes, n)]
    found = []
    for rows, synthetic in zip(codes[1:], others):
        unique = synthetic == 1
        in_original, replicated = unique & (original > 0), unique & (original == 1)
        flags = (original == 1, unique, in_original, replicated)
        numbers = [int(np.count_nonzero(one)) for one in flags]
        found.append((numbers, replicated[rows], in_original[rows]))
    return found


def _result(
    found: Sequence[Found], data: Data, records: Sequence[int], names: Keys, mode: Mode
) -> ReplicatedUniques:
    """`records` are those of the original and of each synthesis, as R remembers them or correct."""
    n, *sizes = records
    of_original = LAYOUTS[VERSIONS[mode]].uniques_out_of == "original"
    tables = []
    marked: tuple[list[Flags], list[Flags]] = [], []
    for (numbers, *marks), k, table in zip(found, sizes, data.sets):
        base = n if of_original else k
        totals = [n, k, base, base]
        with np.errstate(divide="ignore", invalid="ignore"):
            percents = rounded(np.array(numbers) / np.array(totals) * 100, 2)
        columns = dict(zip(COLUMNS, (numbers, totals, percents)))
        tables.append(pd.DataFrame(columns, index=list(ROWS)))
        kept = rows_with_records(table)
        for so_far, flags in zip(marked if data.in_memory else (), marks):
            every = flags
            if kept is not None:  # rows that stand for no record are not marked
                every = np.zeros(len(kept), dtype=np.bool_)
                every[kept] = flags
            so_far.append(every)
    return ReplicatedUniques(len(tables), n, sizes[0], names, tables, *marked, compat=mode)
