"""The risk that a release carries with it: that of IFPR, computed from its design."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from ..core.arrays import Floats
from ..core.coding import encode
from ..tables.opening import check_frame
from ..tables.reading import read_column
from .candidates import Candidate
from .measures import About, Measurement, not_measured

BLIND = (
    "cells that are not exchanged because they are large; what the other columns tell about a"
    " person"
)


@dataclass(frozen=True, slots=True)
class CarriedRisk:
    """The identification risk that an IFPR release carries: a chance computed from its design, not
    estimated from its data.

    It is about one file, an intruder who knows the keys that were exchanged, and the data that the
    release was made from. If one of these differs, there is no figure.
    """

    original: pd.DataFrame
    keys: Sequence[Hashable]

    @property
    def about(self) -> About:
        return About(
            label="IR",
            unit=(
                "highest chance that a match is correct, given what the release shows (by the"
                " design of IFPR), 0 to 1"
            ),
            better="lower",
            low=0.0,
            high=1.0,
            blind_to=BLIND,
        )

    def read(self, candidate: Candidate) -> Measurement:
        reason = self._why_not(candidate)
        if reason:
            return not_measured(reason)
        worst = max(_worst_of(carrier) for carrier in candidate.carriers)
        if not np.isfinite(worst):
            return not_measured(
                "no cell was small enough to be changed, so the design promises nothing"
            )
        return Measurement(worst, exact=True)

    def _why_not(self, candidate: Candidate) -> str:
        """Why the theory does not cover a candidate; empty if it does."""
        if not all(_made_by_ifpr(carrier) for carrier in candidate.carriers):
            return "only a release made by ifpr() carries this risk"
        if candidate.together and candidate.m > 1:
            return (
                f"an intruder can compare {candidate.m} files released together, and a value "
                "that is the same in several is mostly true; the theory is about one file "
                "(give Runs if only one will be released)"
            )
        for carrier in candidate.carriers:
            if set(carrier.keys) != set(self.keys):
                return (
                    f"it was made for the keys {_listed(carrier.keys)}; the theory says nothing"
                    f" about an intruder who knows {_listed(self.keys)}"
                )
            if not self._made_from_original(carrier):
                return (
                    "it was made from other data: its original and the original of the map "
                    "differ in the keys"
                )
        return ""

    def resample(
        self, candidate: Candidate, runs: int, generator: np.random.Generator
    ) -> Floats | str:
        return "a theoretical figure is not resampled"

    def _made_from_original(self, carrier: Any) -> bool:
        source = check_frame(carrier.original, "original")
        return all(same_values(source[name], self.original[name]) for name in self.keys)


def _made_by_ifpr(carrier: Any) -> bool:
    return callable(getattr(carrier, "risk_table", None))


def _worst_of(carrier: Any) -> float:
    """The highest chance in the last row of its table, which is about all blocks."""
    worst = carrier.risk_table()["worst"]
    return float(worst.iloc[-1])


def same_values(first: pd.Series, second: pd.Series) -> bool:
    """Whether two columns have the same value in every row, whatever their types; missing is a
    value.

    >>> same_values(pd.Series([1, 2]), pd.Series([1.0, 2.0]))
    True
    >>> same_values(pd.Series([1, 2]), pd.Series([2, 1]))
    False
    """
    if len(first) != len(second):
        return False
    columns = [read_column(column, "a key") for column in (first, second)]
    variable = encode("", columns)
    return bool(np.array_equal(variable.own_codes(0), variable.own_codes(1)))


def _listed(names: Sequence[Hashable]) -> str:
    return ", ".join(map(str, names))
