"""`RiskUtilityByM`: what `risk_utility_by_m()` returns."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import dataclass
from typing import Any

import pandas as pd

from ..show import MIN_CELL, Cell, Count, Document, Drawn, Note, Relation, fill
from ..show.document import Words
from ..show.plain import column_name, frame_content

__all__ = ["RiskUtilityByM"]

ALL = "all"
MEASURES = ("perceived", "expected", "true", "false", "unique_matches")
UNIT = {
    "overlap": "0 to 1, higher is more useful",
    "estimands": "estimands in the mean of the overlap",
    "perceived": "records, higher is riskier",
    "expected": "records, higher is riskier",
    "true": "records, higher is riskier",
    "false": "records wrongly named, higher is safer",
    "unique_matches": "records with one likeliest match",
}
DIGITS = 3


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class RiskUtilityByM(Drawn):
    """Risk and utility of releases of different size, over replicates.

    Attributes
    ----------
    runs : one row for each replicate, design and group: replicate, m, r, sets, group, records,
        overlap (mean over the estimands that have one in every design of the replicate; NaN for
        subgroups), estimands (how many these are), perceived, expected, true, false,
        unique_matches.
    estimands : one row for each replicate, design and estimand: estimand, original, synthetic (mean
        of the sets), overlap, counted (it has an overlap in every design and is in the mean),
        replicate, m, r.
    n : original records.
    level : of the confidence intervals.
    known, synthesised : the keys.
    """

    runs: pd.DataFrame
    estimands: pd.DataFrame
    n: int
    level: float
    known: tuple[Hashable, ...]
    synthesised: tuple[Hashable, ...]

    @property
    def replicates(self) -> int:
        """How often each release was simulated."""
        return int(self.runs["replicate"].max())

    @property
    def table(self) -> pd.DataFrame:
        """One row for each design, in the order asked for: sets, overlap, estimands (in the mean of
        the overlap), perceived, expected, true, and expected and true of each group; means over
        replicates.
        """
        mean = self._by_design("mean")
        columns = ["sets", "overlap", "estimands", "perceived", "expected", "true"]
        table = mean.loc[mean["group"] == ALL, columns].astype({"sets": "int64"})
        if (table["estimands"] % 1 == 0).all():
            table["estimands"] = table["estimands"].astype("int64")
        for group in self.runs["group"].unique()[1:]:
            part = mean[mean["group"] == group]
            for measure in ("expected", "true"):
                table[f"{measure} [{group}]"] = part[measure]
        return table

    def tidy(self) -> pd.DataFrame:
        """One row for each design, group and measure; of the whole file also the overlap and the
        number of estimands it is the mean of.

        Columns: m, r, sets, group, measure, value (mean over replicates), sd (NaN for one
        replicate), min, max, replicates, numerator (sum over replicates), denominator (replicates
        that have a value), unit.
        """
        rows = []
        for (m, r, group), part in self.runs.groupby(["m", "r", "group"], sort=False):
            measures = ("overlap", "estimands", *MEASURES) if group == ALL else MEASURES
            design = {"m": m, "r": r, "sets": m * r, "group": group}
            for measure in measures:
                rows.append(design | {"measure": measure} | _summary(part[measure], UNIT[measure]))
        return pd.DataFrame(rows)

    def _by_design(self, how: str) -> pd.DataFrame:
        groups = self.runs.groupby(["m", "r", "group"], sort=False)
        numbers = groups[["sets", "overlap", "estimands", *MEASURES]].agg(how).reset_index()
        names = [design_name(m, r) for m, r in zip(numbers["m"], numbers["r"])]
        return numbers.set_axis(names)

    def _title(self) -> Words:
        keys = ", ".join(map(str, (*self.known, *self.synthesised)))
        times = "one simulated release each"
        if self.replicates > 1:
            times = f"means of {self.replicates} simulated releases each"
        return (
            "Risk and utility by number of released sets; ",
            Cell(self.n, (self._everybody(),)),
            f" original records, keys {keys}; {times}",
        )

    def _notes(self) -> tuple[Note, Note]:
        estimands = self.estimands["estimand"].nunique()
        overlap = fill.note(
            f"overlap: of {100 * self.level:g} % intervals with those from the original data, mean"
            f" of {self._estimands_used()} of {estimands} estimands, those that have one in every"
            " design (1: the same; higher is more useful)"
        )
        risk = fill.note(
            "perceived: records an intruder believes they have found; expected: records they "
            "are expected to guess correctly; true: records whose one likeliest match is "
            "correct, which the intruder cannot know (higher is riskier)"
        )
        return overlap, risk

    def _estimands_used(self) -> str:
        """How many estimands are in the mean of the overlap: a number or a range."""
        whole_file = self.runs[self.runs["group"] == ALL]
        used = whole_file.loc[whole_file["m"] > 1, "estimands"]
        if not len(used):
            return "0"
        low = int(used.min())
        high = int(used.max())
        return f"{low}" if low == high else f"{low} to {high}"

    def _everybody(self) -> Count:
        return fill.count("original records", self.n)

    def _behind(self, row: int, column: str) -> tuple[Count, ...]:
        """The people behind a figure of `table`: a mean over replicates."""
        measure = column.split(" [")[0]
        if measure not in MEASURES:
            return ()
        n = float(self.table[column].iloc[row])
        return fill.known(fill.count(f"{column} of design {row}", n))

    def _document(self) -> Document:
        table = fill.table_of(
            self.table,
            "Risk and utility by number of released sets",
            digits=DIGITS,
            people=self._behind,
            titled=False,
        )
        section = fill.section(Note(self._title()), table, *self._notes())
        return Document(
            title="Risk and utility by number of released sets",
            sections=(section,),
            headline=tuple(self._headline()),
        )

    def _headline(self) -> Iterator[Note]:
        table = self.table
        for row in sorted({0, len(table) - 1}):
            overlap = float(table["overlap"].iloc[row])
            expected = float(table["expected"].iloc[row])
            yield fill.note(
                f"{table.index[row]}: overlap {overlap:.{DIGITS}f}, expected correct matches ",
                Cell(f"{expected:.{DIGITS}f}", self._behind(row, "expected")),
                ".",
            )

    def _content(self) -> dict[str, Any]:
        return {
            "n": Cell(self.n, (self._everybody(),)),
            "replicates": self.replicates,
            "level": self.level,
            "known": [column_name(name) for name in self.known],
            "synthesised": [column_name(name) for name in self.synthesised],
            "table": frame_content(self.table, self._behind),
        }

    def _arguments(self) -> dict[str, Any]:
        return {
            "known": [column_name(name) for name in self.known],
            "synthesised": [column_name(name) for name in self.synthesised],
            "level": self.level,
            "replicates": self.replicates,
        }

    def _records(self) -> dict[str, Any]:
        return {"original": Cell(self.n, (self._everybody(),))}

    def _relations(self) -> tuple[Relation, ...]:
        """If the groups cover all records, they add up to the whole file."""
        groups = self.runs["group"].unique()[1:]
        if not len(groups):
            return ()
        relations = []
        for row in range(len(self.table)):
            for measure in ("expected", "true"):
                parts = [f"{measure} [{group}] of design {row}" for group in groups]
                relations.append(fill.total(f"{measure} of design {row}", parts))
        return tuple(relations)

    def plot(self, measure: str = "expected", ax: Any = None, *, min_cell: int = MIN_CELL) -> Any:
        """Risk against utility, a point for each design; needs matplotlib.

        Parameters
        ----------
        measure : "expected", "true" or "perceived".
        ax : matplotlib axes to draw into; by default those of a new figure.
        min_cell : releases with a risk of fewer people are not drawn; 0 draws all.
        """
        from ..plots.study import plot_risk_utility_by_m

        return plot_risk_utility_by_m(self, measure, ax, min_cell=min_cell)


def _summary(column: pd.Series, unit: str) -> dict[str, Any]:
    """A measure over replicates."""
    values = column.astype(float)
    return {
        "value": values.mean(),
        "sd": values.std(),
        "min": values.min(),
        "max": values.max(),
        "replicates": len(values),
        "numerator": values.sum(),
        "denominator": int(values.notna().sum()),
        "unit": unit,
    }


def design_name(m: int, r: int) -> str:
    return f"m = {m}" if r == 1 else f"m = {m}, r = {r}"
