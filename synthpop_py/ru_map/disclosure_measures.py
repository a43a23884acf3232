"""repU and DiSCO as measures of the map: of single files, and of files released together."""

from __future__ import annotations

import warnings
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from ..core.arrays import Floats
from ..disclosure.api import disclosure
from ..disclosure.records import flags_by_original_cell
from ..disclosure.result import Disclosure
from ..errors import NothingInCommonWarning
from .candidates import Candidate
from .key_classes import in_classes_of_original
from .measures import About, Reading, mean_reading, no_reading
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
        "a target that is nearly sure, such as nine records of ten alike; values that are near but"
        " not equal (unless grouped); files compared with one another"
    ),
    "repU_any": (
        "what is said about a person; records that the release repeats; values that are near but"
        " not equal (unless grouped)"
    ),
    "DiSCO_any": (
        "a target that is nearly sure, such as nine records of ten alike; values that are near but"
        " not equal (unless grouped); which of the files is right"
    ),
}
DISCLOSURE_ABOUT = {
    name: About(
        name,
        f"{RECORDS} {what}",
        "lower",
        0.0,
        100.0,
        BLIND[name],
        "" if name.endswith(ANY) else MEAN,
    )
    for name, what in {
        "repU": "that are unique in the original and in the release (replicated uniques)",
        "DiSCO": "whose target value the release reveals correctly",
        "repU_any": f"that are unique in the original and {UNION}",
        "DiSCO_any": f"whose target value is revealed correctly {UNION}",
    }.items()
}


@dataclass(frozen=True, slots=True)
class DisclosureRuns:
    """`disclosure()` by the published definitions, once for each candidate, whatever measures are
    wanted of it.

    Without a target, for repU alone, only the keys are looked at, beside a column that is the same
    everywhere. Where classes are asked for they are those of the original.

    Attributes
    ----------
    groups, special, style : numbers of classes by column, special values by column, arguments for
        the making of classes.
    options : further arguments of disclosure().
    """

    original: pd.DataFrame
    keys: Sequence[Hashable]
    target: Hashable | None
    groups: Mapping[Hashable, int]
    special: Mapping[Hashable, Sequence[float]]
    style: Mapping[str, Any]
    options: Mapping[str, Any]
    done: dict[str, Disclosure | str] = field(default_factory=dict)

    def of(self, candidate: Candidate) -> Disclosure | str:
        """The result, or why there is none."""
        if candidate.name not in self.done:
            self.done[candidate.name] = self._run(candidate)
        return self.done[candidate.name]

    def _run(self, candidate: Candidate) -> Disclosure | str:
        if gap := key_without_values(self.original, candidate, self.keys):
            return gap
        columns = [*self.keys, *([] if self.target is None else [self.target])]
        original, sets = in_classes_of_original(
            self.original[columns],
            [frame[columns] for frame in candidate.sets],
            candidate.places(),
            self.groups,
            self.special,
            self.style,
        )
        target = self.target
        if target is None:
            target = "target" + "_" * sum(
                len(str(name)) for name in self.keys
            )  # longer than any key
            original, sets = (
                original.assign(**{target: 0}),
                [frame.assign(**{target: 0}) for frame in sets],
            )
        with warnings.catch_warnings():
            warnings.simplefilter("error", NothingInCommonWarning)
            try:
                return disclosure(
                    sets,
                    original,
                    list(self.keys),
                    target,
                    compat="corrected",
                    print_flag=False,
                    **self.options,
                )
            except NothingInCommonWarning as warning:
                return nothing_matches(warning).replace(
                    "(object", f"(candidate {candidate.name!r}", 1
                )


@dataclass(frozen=True, slots=True)
class DisclosureMeasure:
    """repU or DiSCO; with "_any", of files that are released together the union."""

    name: str
    runs: DisclosureRuns
    repetition: Repetition

    @property
    def about(self) -> About:
        return DISCLOSURE_ABOUT[self.name]

    def read(self, candidate: Candidate) -> Reading:
        single = self.name.removesuffix(ANY)
        if single == "repU" and (times := self.repetition.whole_file(candidate)) > 1:
            return no_reading(
                f"every record of it is there {times} times, so that nobody can be unique in it,"
                " and that protects nobody (look at DiSCO)"
            )
        found = self.runs.of(candidate)
        if isinstance(found, str):
            return no_reading(found)
        if self.name.endswith(ANY) and candidate.together and candidate.m > 1:
            return self._union(found, single, candidate.m)
        shares = [share[single] for share in found.shares]
        return mean_reading(
            [s.percent for s in shares],
            float(np.mean([s.numerator for s in shares])),
            float(np.mean([s.denominator for s in shares])),
        )

    def resample(
        self, candidate: Candidate, runs: int, generator: np.random.Generator
    ) -> Floats | str:
        return "a share is not resampled"

    def _union(self, found: Disclosure, single: str, m: int) -> Reading:
        n = found.shares[0][single].denominator
        flags, records = flags_by_original_cell(found, single)

        def in_any(files: np.ndarray) -> float:
            return float(records[files.any(axis=0)].sum())

        without = [in_any(np.delete(flags, i, axis=0)) / n * 100 for i in range(m)]
        total = in_any(flags)
        return Reading(
            total / n * 100, without_one=tuple(without), numerator=total, denominator=float(n)
        )


def nothing_matches(warning: NothingInCommonWarning) -> str:
    """The reason for no figure: that "nothing could be compared" would look like safety."""
    return f"nothing, or hardly anything, can match ({str(warning).split(';')[0]})"


def key_without_values(
    original: pd.DataFrame, candidate: Candidate, keys: Sequence[Hashable]
) -> str:
    """The reason for no figure where a key is missing all through: nobody would match, but an
    intruder would do without that key.
    """
    for name in keys:
        if original[name].notna().any() and any(
            frame[name].isna().all() for frame in candidate.sets
        ):
            return (
                f"its key {name!r} is missing in every record, and an intruder would do without it"
                " (leave it out of the keys)"
            )
    return ""
