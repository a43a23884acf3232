"""What `key_risk()` returns."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from ..arguments import check_choice, check_digits, is_column, is_number, listed
from ..core.fingerprint import Fingerprints
from ..errors import InputError
from ..show import Cell, Document, Drawn, Relation
from ..show.plain import column_name
from .search import Subset, SubsetCounts

UNIT = "% of original records"
ROUNDING = 1e-12  # a share such as 5/6 of six records must count as five despite rounding


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class KeyRisk(Drawn):
    """Risk of every subset of candidate keys. Measures are percentages of original records; higher
    is riskier.

    Attributes
    ----------
    table : DataFrame
        One row per subset, the riskiest first (by repU, then the highest DiSCO, then UiO; smaller
        subsets first among equals). Columns: keys (tuple of names), text, size, and the measures
        UiO, repU and "DiSCO <target>" for each target, averaged over the syntheses.
    candidates, targets : names, in the order given.
    max_keys : size of the largest subset searched.
    share : the default of `smallest`.
    Norig, Nsyn : records of the original and of each synthesis.
    digits : decimals shown.
    notes : what to know about the data before trusting a figure: the warnings of the call.
    """

    table: pd.DataFrame
    candidates: tuple[Hashable, ...]
    targets: tuple[Hashable, ...]
    max_keys: int
    share: float
    Norig: int
    Nsyn: tuple[int, ...]
    digits: int
    _counts: SubsetCounts
    _known_fingerprints: Fingerprints | None = None
    notes: tuple[str, ...] = ()

    @property
    def m(self) -> int:
        """Number of syntheses."""
        return len(self.Nsyn)

    # ---- questions -------------------------------------------------------------------

    def of(self, keys: Any) -> pd.Series:
        """The row of `table` for these keys, given in any order.

        >>> from synthpop_py import key_risk
        >>> frame = pd.DataFrame({"a": [1, 1, 2], "b": [5, 6, 6]})
        >>> float(key_risk(frame, frame, ["a", "b"]).of(["b", "a"]).UiO)
        100.0
        """
        names = [keys] if is_column(keys, self.candidates) else listed(keys)
        for name in names:
            if not is_column(name, self.candidates):
                choices = ", ".join(map(str, self.candidates))
                raise InputError(f"keys: {name!r} is not one of the candidates; choices: {choices}")
        positions = {self.candidates.index(name) for name in names}
        if not 1 <= len(positions) <= self.max_keys:
            raise InputError(
                f"keys: {len(positions)} keys given; subsets of 1 to {self.max_keys} keys "
                "were searched (max_keys)"
            )
        row = self._counts.subsets.index(tuple(sorted(positions)))
        return self.table.iloc[row]

    def smallest(self, share: float | None = None, measure: str = "UiO") -> pd.DataFrame:
        """The minimal sets of keys for which `measure` reaches a share of the original records: no
        smaller set within them does.

        Parameters
        ----------
        share : above 0 and up to 1; by default that of the call to `key_risk`.
        measure : "UiO", "repU", or "DiSCO <target>" ("DiSCO" alone where there is one target).

        Returns
        -------
        DataFrame
            Rows of `table`, sets of fewer keys first, then by the measure; empty when no set
            reaches the share.
        """
        position = self._measure_position(measure)
        wanted = check_share(self.share if share is None else share)
        needed = wanted * self.Norig * self.m * (1 - ROUNDING)
        records = self._counts.records[:, position].sum(axis=1)
        rows = self.table.iloc[self._minimal(records >= needed)]
        column = measures_of(self.targets)[position]
        return rows.sort_values(["size", column], ascending=[True, False], kind="stable")

    def _minimal(self, reached: np.ndarray[Any, np.dtype[np.bool_]]) -> list[int]:
        """Rows of the subsets that reach the share while no smaller set within them does."""
        subsets = self._counts.subsets
        above: set[Subset] = set()  # sets that reach it, or hold one that does
        minimal = []
        for row in sorted(range(len(subsets)), key=lambda row: len(subsets[row])):
            subset = subsets[row]
            holds_one = any(smaller in above for smaller in _without_one(subset))
            if holds_one or reached[row]:
                above.add(subset)
            if reached[row] and not holds_one:
                minimal.append(row)
        return minimal

    def marginal(self) -> pd.DataFrame:
        """What each candidate adds: by how many percentage points UiO rises when it joins a set of
        other candidates.

        One row per candidate, the one that adds most first. Columns: UiO_alone (% of original
        records), mean_increase, min_increase and max_increase (percentage points, over all the sets
        it can join, the empty one included), sets (how many).
        """
        unique = dict(zip(self._counts.subsets, self._counts.records[:, 0, 0].tolist()))
        unique[()] = int(self.Norig == 1)
        points = 100 / self.Norig
        rows = []
        for candidate, gains in enumerate(self._gains(unique)):
            rows.append(
                {
                    "UiO_alone": unique[(candidate,)] * points,
                    "mean_increase": np.mean(gains) * points,
                    "min_increase": min(gains) * points,
                    "max_increase": max(gains) * points,
                    "sets": len(gains),
                }
            )
        names = np.fromiter(self.candidates, dtype=object)
        index = pd.Index(names, name="candidate", tupleize_cols=False)
        frame = pd.DataFrame(rows, index=index)
        return frame.sort_values("mean_increase", ascending=False, kind="stable")

    def _gains(self, unique: dict[Subset, int]) -> list[list[int]]:
        """For each candidate how many more records are unique in every set that it joins."""
        gains: list[list[int]] = [[] for _ in self.candidates]
        for subset in self._counts.subsets:
            for candidate, rest in zip(subset, _without_one(subset)):
                gains[candidate].append(unique[subset] - unique[rest])
        return gains

    def _measure_position(self, measure: Any) -> int:
        """Where a measure stands among those of `table`."""
        choices = measures_of(self.targets)
        if measure == "DiSCO" and len(self.targets) == 1:
            return 2
        return choices.index(check_choice("measure", measure, choices))

    # ---- other shapes ----------------------------------------------------------------

    def tidy(self) -> pd.DataFrame:
        """One row for each subset and measure, in the order of `table`.

        Columns: rank, keys, size, measure, target (None for UiO and repU), value (mean over
        syntheses), min, max, unit, numerator (records, mean over syntheses), denominator (original
        records).
        """
        sets, kinds = len(self.table), 2 + len(self.targets)
        measures = ["UiO", "repU", *["DiSCO"] * len(self.targets)]
        targets = [None, None, *self.targets]
        records = self._counts.records
        mean = records.mean(axis=2).reshape(-1)
        columns = {
            "rank": np.repeat(self.table.index.to_numpy(), kinds),
            "keys": np.repeat(self.table["keys"].to_numpy(), kinds),
            "size": np.repeat(self.table["size"].to_numpy(), kinds),
            "measure": measures * sets,
            "target": pd.Series(targets * sets, dtype=object),
            "value": self._percent(mean),
            "min": self._percent(records.min(axis=2).reshape(-1)),
            "max": self._percent(records.max(axis=2).reshape(-1)),
            "unit": UNIT,
            "numerator": mean,
            "denominator": self.Norig,
        }
        return pd.DataFrame(columns)

    def _percent(self, records: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        return records / self.Norig * 100

    # ---- views -----------------------------------------------------------------------

    def plot(
        self,
        kind: str | None = None,
        measure: str = "UiO",
        ax: Any = None,
        *,
        round_to: int = 10,
        **options: Any,
    ) -> Any:
        """Draw "pairs" (the risk of every pair of keys, each key alone on the diagonal) or "sets"
        (the riskiest sets, ranked; option `most`); by default pairs, where there are any. `measure`
        as for `smallest`. Figures of fewer than `min_cell` people are not drawn; 0 draws all. Needs
        matplotlib; returns the axes.
        """
        from ..plots.key_risk import plot_pairs, plot_sets

        draw: dict[str, Callable[..., Any]] = {"pairs": plot_pairs, "sets": plot_sets}
        usual = "pairs" if self.max_keys > 1 else "sets"
        chosen = check_choice("kind", usual if kind is None else kind, tuple(draw))
        return draw[chosen](self, measure, ax, round_to=round_to, **options)

    def _document(self) -> Document:
        from .show import document

        return document(self, self.digits)

    def _content(self) -> dict[str, Any]:
        from .show import content

        return content(self)

    def _arguments(self) -> dict[str, Any]:
        return {
            "candidates": [column_name(name) for name in self.candidates],
            "targets": [column_name(name) for name in self.targets],
            "max_keys": self.max_keys,
            "share": self.share,
        }

    def _records(self) -> dict[str, Any]:
        from .show import everybody

        return {"original": Cell(self.Norig, (everybody(self),)), "synthetic": self.Nsyn}

    def _fingerprints(self, *, original: bool) -> Fingerprints | None:
        return self._known_fingerprints

    def _relations(self) -> tuple[Relation, ...]:
        from .show import relations

        return tuple(relations(self))

    def print(self, to_print: str | Sequence[str] | None = None, digits: int | None = None) -> None:
        """Show the ten riskiest sets of keys, the smallest dangerous ones, and what each candidate
        adds; `to_print` shows a part, as for every result.
        """
        from .show import document

        decimals = self.digits if digits is None else check_digits(digits)
        self._print_parts(document(self, decimals), to_print)


def _without_one(subset: Subset) -> list[Subset]:
    """The subsets with one key less; entry i lacks key i."""
    return [subset[:i] + subset[i + 1 :] for i in range(len(subset))]


def measures_of(targets: Sequence[Hashable]) -> list[str]:
    """The columns of `KeyRisk.table` that hold figures."""
    return ["UiO", "repU", *(f"DiSCO {target}" for target in targets)]


def check_share(value: Any) -> float:
    if is_number(value) and 0 < value <= 1:
        return float(value)
    hint = ""
    if is_number(value) and 1 < value <= 100:
        hint = f"; for {value:g} % write {value / 100:g}"
    raise InputError(
        f"share: {value!r} is not a share of records; give a number above 0 and up to 1{hint}"
    )


# ---- from counts ---------------------------------------------------------------------


def key_risk_of(
    counts: SubsetCounts,
    *,
    candidates: tuple[Hashable, ...],
    targets: tuple[Hashable, ...],
    records: Sequence[int],
    max_keys: int,
    share: float,
    digits: int,
    fingerprints: Fingerprints | None = None,
) -> KeyRisk:
    """The result of a search; `records` are those of the original and of each synthesis."""
    n, *n_syntheses = records
    ordered = _by_risk(counts)
    return KeyRisk(
        table=_table(ordered, candidates, targets, n),
        candidates=candidates,
        targets=targets,
        max_keys=max_keys,
        share=share,
        Norig=n,
        Nsyn=tuple(n_syntheses),
        digits=digits,
        _counts=ordered,
        _known_fingerprints=fingerprints,
    )


def _by_risk(counts: SubsetCounts) -> SubsetCounts:
    """Ordered by repU, then DiSCO (the highest of the targets'), then UiO; ties stay as they are,
    the smaller subset first.
    """
    total = counts.records.sum(axis=2)
    unique, replicated, disclosed = total[:, 0], total[:, 1], total[:, 2:]
    highest = disclosed.max(axis=1, initial=0)
    order = np.lexsort((-unique, -highest, -replicated))
    subsets = tuple(counts.subsets[row] for row in order)
    return SubsetCounts(subsets, counts.records[order])


def _table(
    counts: SubsetCounts, names: Sequence[Hashable], targets: Sequence[Hashable], n: int
) -> pd.DataFrame:
    keys = []
    for subset in counts.subsets:
        keys.append(tuple(names[position] for position in subset))
    columns: dict[str, Any] = {
        "keys": pd.Series(keys, dtype=object),
        "text": [", ".join(map(str, subset)) for subset in keys],
        "size": [len(subset) for subset in keys],
    }
    percent = counts.records.mean(axis=2) / n * 100
    for position, measure in enumerate(measures_of(targets)):
        columns[measure] = percent[:, position]
    ranks = pd.RangeIndex(1, len(keys) + 1, name="rank")
    return pd.DataFrame(columns).set_axis(ranks)
