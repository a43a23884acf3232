"""`RiskUtilityByM`: what `risk_utility_by_m()` returns."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any

import pandas as pd

from ..tables import html_table, table_text

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
class RiskUtilityByM:
    """Risk and utility of releases of different size, over replicates.

    Attributes
    ----------
    runs : one row for each replicate, design and group: replicate, m, r, sets, group, records,
        overlap (mean over the estimands that have one in every design of the replicate; NaN for
        subgroups), estimands (how many these are), perceived, expected, true, false,
        unique_matches.
    estimands : one row for each replicate, design and estimand: estimand, original, synthetic (mean
        of the sets), overlap, counted (it has an overlap in every design, so that it is in the
        mean), replicate, m, r.
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
        table = mean.loc[
            mean["group"] == ALL, ["sets", "overlap", "estimands", "perceived", "expected", "true"]
        ].astype({"sets": "int64"})
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
            for measure in (*(("overlap", "estimands") if group == ALL else ()), *MEASURES):
                values = part[measure].astype(float)
                row = {
                    "m": m,
                    "r": r,
                    "sets": m * r,
                    "group": group,
                    "measure": measure,
                    "value": values.mean(),
                    "sd": values.std(),
                    "min": values.min(),
                }
                rows.append(
                    row
                    | {
                        "max": values.max(),
                        "replicates": len(values),
                        "numerator": values.sum(),
                        "denominator": int(values.notna().sum()),
                        "unit": UNIT[measure],
                    }
                )
        return pd.DataFrame(rows)

    def _by_design(self, how: str) -> pd.DataFrame:
        numbers = (
            self.runs.groupby(["m", "r", "group"], sort=False)[
                ["sets", "overlap", "estimands", *MEASURES]
            ]
            .agg(how)
            .reset_index()
        )
        return numbers.set_axis([design_name(m, r) for m, r in zip(numbers["m"], numbers["r"])])

    # ---- views -----------------------------------------------------------------------

    def _title(self) -> str:
        keys = ", ".join(map(str, (*self.known, *self.synthesised)))
        times = (
            "one simulated release each"
            if self.replicates == 1
            else f"means of {self.replicates} simulated releases each"
        )
        return (
            f"Risk and utility by number of released sets; {self.n} original records, keys {keys};"
            f" {times}"
        )

    def _notes(self) -> str:
        used = self.runs.loc[(self.runs["group"] == ALL) & (self.runs["m"] > 1), "estimands"]
        low, high = (int(used.min()), int(used.max())) if len(used) else (0, 0)
        count = (
            f"{low if low == high else f'{low} to {high}'} of"
            f" {self.estimands['estimand'].nunique()} estimands, those that have one in every"
            " design"
        )
        what = (
            f"overlap: of {100 * self.level:g} % intervals with those from the original data, mean"
            f" of {count} (1: the same; higher is more useful)"
        )
        risk = (
            "records an intruder believes to have found, is expected to guess correctly, whose one"
            " likeliest match is right, which he cannot tell (higher is riskier)"
        )
        return f"{what}\nperceived, expected, true: {risk}"

    def __repr__(self) -> str:
        return f"{self._title()}\n{table_text(self.table, DIGITS)}\n{self._notes()}"

    def _repr_html_(self) -> str:
        return f"<div>{html_table(self.table, DIGITS, self._title())}<p>{self._notes()}</p></div>"

    def plot(self, measure: str = "expected", ax: Any = None) -> Any:
        """Risk against utility, a point for each design; needs matplotlib.

        Parameters
        ----------
        measure : "expected", "true" or "perceived".
        ax : matplotlib axes to draw into; by default those of a new figure.
        """
        from ..plots.study import plot_risk_utility_by_m

        return plot_risk_utility_by_m(self, measure, ax)


def design_name(m: int, r: int) -> str:
    return f"m = {m}" if r == 1 else f"m = {m}, r = {r}"
