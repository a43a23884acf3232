"""repU and DiSCO as measures of the map: of single files, and of files released together."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from ..core.arrays import Flags, Floats, Integers
from ..core.columns import Column
from ..disclosure import disclosure
from ..records import flags_by_original_cell
from ..results import Disclosure
from ..tables.comparable import NothingInCommon, check_comparable, nothing_in_common
from ..tables.opening import is_table, open_table
from ..tables.protocol import Counted, HeldTable
from .candidates import Candidate
from .key_classes import ClassesAsked, in_classes_of_original
from .measures import About, Measurement, mean_over_sets, not_measured
from .repeats import Repetition

RECORDS = "% of original records"
MEAN = "several files: mean over files; together they may reveal more"
UNION = "in at least one of the files that are released together"
ANY = "_any"

BLIND = {
    "repU": (
        "what is said about a person; records that the release repeats; values that are near but"
        " not equal (unless grouped); files compared with one another"
    ),
    "DiSCO": (
        "a target that is nearly certain, such as nine of ten records alike (unless "
        "certainty is below 1); values that are near but not equal (unless grouped); files "
        "compared with one another"
    ),
    "repU_any": (
        "what is said about a person; records that the release repeats; values that are near but"
        " not equal (unless grouped)"
    ),
    "DiSCO_any": (
        "a target that is nearly certain, such as nine of ten records alike (unless "
        "certainty is below 1); values that are near but not equal (unless grouped); which "
        "of the files is correct"
    ),
}
UNITS = {
    "repU": "that are unique in the original and in the release (replicated uniques)",
    "DiSCO": "whose target value the release reveals correctly",
    "repU_any": f"that are unique in the original and {UNION}",
    "DiSCO_any": f"whose target value is revealed correctly {UNION}",
}


@dataclass(frozen=True, slots=True)
class DisclosureRuns:
    """`disclosure()` by the published definitions, once for each candidate, whatever the measures.

    Without a target, for repU alone, only the keys are looked at, beside a column that is the same
    everywhere. Where classes are asked for they are those of the original.

    Attributes
    ----------
    classes : which columns are put into classes, and how.
    options : further arguments of disclosure().
    """

    original: Any
    keys: Sequence[Hashable]
    target: Hashable | None
    classes: ClassesAsked
    options: Mapping[str, Any]
    by_candidate: dict[str, Disclosure | str] = field(default_factory=dict)

    def of(self, candidate: Candidate) -> Disclosure | str:
        """The result, or why there is none."""
        if candidate.name not in self.by_candidate:
            self.by_candidate[candidate.name] = self._run(candidate)
        return self.by_candidate[candidate.name]

    def _run(self, candidate: Candidate) -> Disclosure | str:
        reason = key_without_values(self.original, candidate, self.keys)
        if reason:
            return reason
        original, sets, target = self._tables(candidate)
        strangers = _first_strangers(original, sets, [target, *self.keys])
        if strangers is not None:
            return nothing_matches(strangers)
        return disclosure(
            sets,
            original,
            list(self.keys),
            target,
            compat="corrected",
            print_flag=False,
            **self.options,
        )

    def _tables(self, candidate: Candidate) -> tuple[HeldTable, list[HeldTable], Hashable]:
        """The columns in use, in classes where asked for, and the target. As tables: each column is
        read once, to check its values and for disclosure().
        """
        columns = list(self.keys)
        if self.target is not None:
            columns.append(self.target)
        places = candidate.places()
        original, sets = in_classes_of_original(
            open_table(self.original, "data").count_by(columns),
            [
                open_table(one, place).count_by(columns)
                for one, place in zip(candidate.sets, places)
            ],
            places,
            self.classes,
        )
        target = self.target
        if target is None:
            target = _name_that_is_no_key(self.keys)
            original = _with_one_value(original, target)
            sets = [_with_one_value(rows, target) for rows in sets]
        tables = [HeldTable(rows, place) for rows, place in zip(sets, places)]
        return HeldTable(original, "data"), tables, target


def _with_one_value(rows: Counted, name: Hashable) -> Counted:
    """The rows with a column that is 0 everywhere."""
    zeros = Column("integer", np.zeros(rows.rows, dtype=np.int64))
    return replace(rows, columns={**rows.columns, name: zeros})


def _name_that_is_no_key(keys: Sequence[Hashable]) -> str:
    longer_than_any_key = "_" * sum(len(str(name)) for name in keys)
    return f"target{longer_than_any_key}"


def _first_strangers(
    original: HeldTable, sets: Sequence[HeldTable], names: Sequence[Hashable]
) -> NothingInCommon | None:
    """The first of these columns with hardly any value in common."""
    # all are checked before any is compared: columns of two kinds are a mistake, not a reason
    pairs = []
    for name in names:
        known = original.counted.columns[name]
        for table in sets:
            column = table.counted.columns[name]
            check_comparable(name, known, column, table.place)
            n = original.counted.n, table.counted.n
            pairs.append((name, known, column, table.place, n))
    for pair in pairs:
        strangers = nothing_in_common(*pair)
        if strangers is not None:
            return strangers
    return None


@dataclass(frozen=True, slots=True)
class DisclosureMeasure:
    """repU or DiSCO; with "_any", of files that are released together the union."""

    name: str
    runs: DisclosureRuns
    repetition: Repetition

    @property
    def about(self) -> About:
        return About(
            label=self.name,
            unit=f"{RECORDS} {UNITS[self.name]}",
            better="lower",
            low=0.0,
            high=100.0,
            blind_to=BLIND[self.name],
            aside="" if self.name.endswith(ANY) else MEAN,
        )

    @property
    def _of_one_file(self) -> str:
        """The measure of disclosure() that it is, or that the files are put together by."""
        return self.name.removesuffix(ANY)

    def read(self, candidate: Candidate) -> Measurement:
        if self._of_one_file == "repU":
            times = self.repetition.whole_file(candidate)
            if times > 1:
                return not_measured(
                    f"every record occurs {times} times in it, so nobody can be unique, but "
                    "that protects nobody (look at DiSCO)"
                )
        result = self.runs.of(candidate)
        if isinstance(result, str):
            return not_measured(result)
        if self.name.endswith(ANY) and candidate.together and candidate.m > 1:
            return self._union(result, candidate.m)
        return self._mean(result)

    def resample(
        self, candidate: Candidate, runs: int, generator: np.random.Generator
    ) -> Floats | str:
        return "a share is not resampled"

    def _mean(self, result: Disclosure) -> Measurement:
        shares = [by_name[self._of_one_file] for by_name in result.shares]
        numerators = [share.numerator for share in shares]
        denominators = [share.denominator for share in shares]
        return mean_over_sets(
            [share.percent for share in shares],
            numerator=float(np.mean(numerators)),
            denominator=float(np.mean(denominators)),
        )

    def _union(self, result: Disclosure, m: int) -> Measurement:
        share = result.shares[0][self._of_one_file]
        n = share.denominator
        flags, records = flags_by_original_cell(result, self._of_one_file)
        total = _records_in_any(flags, records)
        without_one = []
        for left_out in range(m):
            others = np.delete(flags, left_out, axis=0)
            without_one.append(_records_in_any(others, records) / n * 100)
        return Measurement(
            value=total / n * 100,
            without_one=tuple(without_one),
            numerator=total,
            denominator=float(n),
        )


def _records_in_any(flags: Flags, records: Integers) -> float:
    """Records of the cells that are flagged in at least one file; `flags` has shape (files, cells),
    `records` (cells,).
    """
    return float(records[flags.any(axis=0)].sum())


def nothing_matches(strangers: NothingInCommon) -> str:
    """The reason for no figure: "nothing could be compared" would look like safety."""
    return f"nothing, or hardly anything, can match ({strangers.finding})"


def key_without_values(original: Any, candidate: Candidate, keys: Sequence[Hashable]) -> str:
    """The reason for no figure if a key is missing in every record: nobody would match, but an
    intruder would not use that key.
    """
    for name in keys:
        if not _has_values(original, name):
            continue
        if not all(_has_values(data_set, name) for data_set in candidate.sets):
            return (
                f"its key {name!r} is missing in every record, and an intruder would not use "
                "it (leave it out of the keys)"
            )
    return ""


def _has_values(table: Any, name: Hashable) -> bool:
    if is_table(table):
        return bool(table.count_by([name]).columns[name].has_values)
    return bool(table[name].notna().any())
