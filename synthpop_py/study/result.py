"""`RiskUtilityByM`: what `risk_utility_by_m()` returns."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any

import pandas as pd

from ..rounding import ROUND_TO, figure, figures, part
from ..show.printing import Sections, Table
from ..show.values import column_name
from ..show.views import Drawn

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
            of_group = mean[mean["group"] == group]
            for measure in ("expected", "true"):
                table[f"{measure} [{group}]"] = of_group[measure]
        return table

    def tidy(self) -> pd.DataFrame:
        """One row for each design, group and measure; of the whole file also the overlap and the
        number of estimands it is the mean of.

        Columns: m, r, sets, group, measure, value (mean over replicates), sd (NaN for one
        replicate), min, max, replicates, numerator (sum over replicates), denominator (replicates
        that have a value), unit.
        """
        rows = []
        for (m, r, group), runs in self.runs.groupby(["m", "r", "group"], sort=False):
            measures = ("overlap", "estimands", *MEASURES) if group == ALL else MEASURES
            design = {"m": m, "r": r, "sets": m * r, "group": group}
            for measure in measures:
                rows.append(design | {"measure": measure} | _summary(runs[measure], UNIT[measure]))
        return pd.DataFrame(rows)

    def _by_design(self, how: str) -> pd.DataFrame:
        groups = self.runs.groupby(["m", "r", "group"], sort=False)
        numbers = groups[["sets", "overlap", "estimands", *MEASURES]].agg(how).reset_index()
        names = [design_name(m, r) for m, r in zip(numbers["m"], numbers["r"])]
        return numbers.set_axis(names)

    def _head(self, to: int) -> str:
        keys = ", ".join(map(str, (*self.known, *self.synthesised)))
        times = "one simulated release each"
        if self.replicates > 1:
            times = f"means of {self.replicates} simulated releases each"
        return (
            f"Risk and utility by number of released sets; {part(self.n, to=to)} original records,"
            f" keys {keys}; {times}"
        )

    def _meanings(self) -> tuple[str, str]:
        estimands = self.estimands["estimand"].nunique()
        overlap = (
            f"overlap: of {100 * self.level:g} % intervals with those from the original data, mean"
            f" of {self._estimands_used()} of {estimands} estimands, those that have one in every"
            " design (1: the same; higher is more useful)"
        )
        risk = (
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

    def _title(self) -> str:
        return "Risk and utility by number of released sets"

    def _everybody(self) -> int:
        return self.n

    def _sections(self) -> Sections:
        return self._rounded(1)

    def _rounded(self, to: int) -> Sections:
        """Groups may add up to all records, which would undo rounding: exact views only."""
        columns = [name for name in self.table.columns if to == 1 or name.split(" [")[0] == name]
        frame = figures(self.table[columns], to, dict.fromkeys(MEASURES, self.n))
        table = Table(frame, self._title(), digits=DIGITS, titled=False)
        return [[self._head(to), table, *self._meanings()]]

    def _headline(self, to: int = 1) -> list[str]:
        table = self.table
        lines = []
        for row in sorted({0, len(table) - 1}):
            overlap, expected = (float(table[name].iloc[row]) for name in ("overlap", "expected"))
            found: Any = f"{expected:.{DIGITS}f}"
            near: Any = f"{overlap:.{DIGITS}f}"
            if to > 1:
                found, near = part(expected, self.n, to), figure(overlap, to)
            lines.append(f"{table.index[row]}: overlap {near}, expected correct matches {found}.")
        return lines

    def _content(self) -> dict[str, Any]:
        return {
            "n": self.n,
            "replicates": self.replicates,
            "level": self.level,
            "known": [column_name(name) for name in self.known],
            "synthesised": [column_name(name) for name in self.synthesised],
            "table": self.table,
        }

    def _arguments(self) -> dict[str, Any]:
        return {
            "known": [column_name(name) for name in self.known],
            "synthesised": [column_name(name) for name in self.synthesised],
            "level": self.level,
            "replicates": self.replicates,
        }

    def _records(self) -> dict[str, Any]:
        return {"original": self.n}

    def plot(self, measure: str = "expected", ax: Any = None, *, round_to: int = ROUND_TO) -> Any:
        """Risk against utility, a point for each design; needs matplotlib.

        Parameters
        ----------
        measure : "expected", "true" or "perceived".
        ax : matplotlib axes to draw into; by default those of a new figure.
        round_to : counts of people are rounded to a multiple of this; 1 draws exact ones.
        """
        from ..plots.study import plot_risk_utility_by_m

        return plot_risk_utility_by_m(self, measure, ax, round_to=round_to)


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
