"""What `disclosure()` returns."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from numbers import Integral
from typing import TYPE_CHECKING, Any, overload

import pandas as pd

from ..core.fingerprint import Fingerprints
from ..core.grouping import Grouping
from ..errors import InputError
from ..names import unknown_choice
from ..r.both import DefectFinding
from ..r.layouts import LAYOUTS
from ..r.reading import VERSIONS, Mode, Reading
from ..show import Cell, Document, Drawn, Relation
from ..show.plain import column_name
from .baseline import Baseline, frame_of
from .diversity import diversity_frame
from .fingerprints import CountedRows, Known, counted_rows
from .measure_names import OneByName
from .measures import BY_NAME, Share
from .records import record_table
from .result_frames import ledger_frame, level_frame, measure_frames, pair_frame
from .run import CountedCells, Outcome, SetFigures

NO_SHARE = Share(numerator=math.nan, denominator=math.nan)
TIDY_COLUMNS = (
    "synthesis",
    "measure",
    "value",
    "numerator",
    "denominator",
    "base",
    "left_out",
    "corrected",
    "defect",
    "unit",
    "direction",
)


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class Disclosure(Drawn, OneByName):
    """Identity and attribute disclosure of one target from a set of keys, for m syntheses.

    Measures are percentages of records (`Norig` original ones unless a measure is about synthetic
    records); higher means more risk.

    Attributes
    ----------
    ident, attrib, allCAPs, attrib_denoms : DataFrame
        One row per synthesis (index 1 to m), R's columns. `attrib_denoms` is None in the layout of
        synthpop 1.9-2.
    check_1way, check_2way : list of DataFrame or None
        One entry per synthesis: what may be common knowledge, None when nothing is flagged.
    check1, check2 : the flagged level and the number of flagged pairs as text and number, None when
        nothing is flagged.
    Nexclusions : list of DataFrame
        One 8 x 6 table per synthesis: records of each count that were removed, by reason, and what
        remained.
    keys, target, Norig, Nsyn, m, digits, to_print, call, compat : the arguments, the records of the
        original and of each synthesis, how it is printed.
    certainty : float
        The share of records with the same keys that must have one target value for it to count as
        revealed; 1 by default.
    DiSCO, repU, UiO, ... : float
        Every measure by its name (`tidy()` lists them): the mean over syntheses, in per cent.
        ``result["DiSCO"]`` has one value per synthesis. Both follow `compat`.
    shares : one dictionary per synthesis, measure to (numerator, denominator); `tidy()` shows them.
    baseline : DataFrame or None
        With `holdout`: each measure of members beside that of non-members, with an interval of the
        difference. Always under the corrected reading.
    defects : tuple of DefectFinding
        R's defects that changed a number of this call.
    corrected : Disclosure or None
        The correct result, where R's differs.
    notes : tuple of str
        What to know about the data before trusting a figure, keys first: columns that cannot match,
        values written in two ways, options without effect, texts from an engine whose order matters
        (these are not in `to_dict()`, which does not depend on where the records are stored).
    """

    _sets: tuple[SetFigures, ...]
    check1: str | None
    check2: int | None
    keys: tuple[Any, ...]
    target: Any
    Norig: int
    Nsyn: tuple[int, ...]
    m: int
    digits: int
    to_print: tuple[str, ...]
    call: str
    compat: Mode
    certainty: float = 1.0
    defects: tuple[DefectFinding, ...] = ()
    corrected: Disclosure | None = None
    notes: tuple[str, ...] = ()
    _outcome: Outcome | None = None
    _correct_rows: CountedRows | None = None
    _known_fingerprints: Known | None = None
    _baseline: Baseline | None = None
    _asked: Callable[[], Mapping[str, Any]] = dict
    _on_order: tuple[str, ...] = ()  # notes that depend on where the records are stored
    _uncompared: bool = False  # a key or the target shares hardly any value with the original

    # ---- one measure -----------------------------------------------------------------

    # hidden from type checkers, which would accept any name as a measure; `OneByName` lists them
    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> float:
            """A measure by its name: the mean over syntheses, in per cent."""
            # copying and pickling ask results for names that they do not have
            if name.startswith("_") or name not in BY_NAME:
                raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
            return mean(self[name])

    def __getitem__(self, measure: str) -> pd.Series:
        """A measure in each synthesis, in per cent; the index is the number of the synthesis."""
        if not isinstance(measure, str) or measure not in BY_NAME:
            raise unknown_measure(measure)
        values = [shares[measure].percent for shares in self.shares]
        return pd.Series(values, index=range(1, self.m + 1), name=measure)

    def __dir__(self) -> list[str]:
        return sorted({*object.__dir__(self), *BY_NAME})

    # ---- R's components, made on demand: a summary over many targets needs few of them

    @property
    def ident(self) -> pd.DataFrame:
        return self._measures("ident")["ident"]

    @property
    def attrib(self) -> pd.DataFrame:
        return self._measures("attrib")["attrib"]

    @property
    def allCAPs(self) -> pd.DataFrame:
        return self._measures("allCAPs")["allCAPs"]

    @property
    def attrib_denoms(self) -> pd.DataFrame | None:
        return self._measures("attrib_denoms").get("attrib_denoms")

    def _measures(self, table: str) -> dict[str, pd.DataFrame]:
        # not all of them: four tables for one would be half of a call
        return measure_frames(self._sets, VERSIONS[self.compat], only=table)

    @property
    def check_1way(self) -> list[pd.DataFrame | None]:
        return [level_frame(s) for s in self._sets]

    @property
    def check_2way(self) -> list[pd.DataFrame | None]:
        return [pair_frame(s) for s in self._sets]

    @property
    def Nexclusions(self) -> list[pd.DataFrame]:
        return [ledger_frame(s) for s in self._sets]

    @property
    def shares(self) -> tuple[dict[str, Share], ...]:
        return tuple(s.shares for s in self._sets)

    @property
    def baseline(self) -> pd.DataFrame | None:
        """Members beside non-members; None without a holdout.

        One row per measure (iS, DiS, DiSCO, DCAPd, TCAP_iS, TCAP_DiS). Columns: target, measure,
        members, non_members, difference (per cent, means over syntheses; TCAP is the ratio of
        means), lower, upper (interval of the difference), level, p_value ("does membership matter
        at all?"), n_members, n_non_members, numerator_members, numerator_non_members (people; means
        over syntheses), effective_n (how many records with scores of 0 or 1 would be as informative
        as the non-members).
        """
        baseline = self._compared()
        return None if baseline is None else frame_of(baseline, self.target)

    def _compared(self) -> Baseline | None:
        """Members beside non-members, always under the corrected reading; None without a
        holdout.
        """
        return self._baseline if self.corrected is None else self.corrected._baseline

    @property
    def groupings(self) -> dict[Any, Grouping]:
        """Classes of grouped variables (empty for a result read from a dictionary)."""
        return {} if self._outcome is None else self._outcome.groupings

    def _levels_not_found(self) -> list[Any]:
        """Levels given in `not_targetlev` that the target does not have."""
        return [] if self._outcome is None else list(self._outcome.levels_not_found)

    # ---- other shapes ----------------------------------------------------------------

    def tidy(self) -> pd.DataFrame:
        """One row for each synthesis and measure.

        Columns: synthesis, measure, value (per cent; max_denom and mean_denom are records),
        numerator, denominator (records; None where a measure is not a share), base (the records
        that it is about, after exclusions: original ones, but synthetic ones for UiS, Dsyn and
        CAPs), left_out (those that exclusions left out of it, which a denominator of all records
        still counts), corrected (the correct value; the same as `value` unless a defect of R
        shows), defect (its ids), unit, direction ("higher is riskier"; empty for max_denom and
        mean_denom). TCAP in both its meanings: TCAP_DiS over records certain in the synthetic data,
        TCAP_iS over records found there.
        """
        rows = []
        for j in range(self.m):
            rows += self._tidy_rows(j)
        return pd.DataFrame(rows, columns=TIDY_COLUMNS)

    def _tidy_rows(self, j: int) -> list[tuple[Any, ...]]:
        layout = LAYOUTS[VERSIONS[self.compat]]
        moved = self._moved_in(j)
        rows = []
        for measure, value, correct in self._figures_of(j):
            columns = {measure, layout.shown_as(measure)}
            ids = [defect for defect, moved_columns in moved.items() if moved_columns & columns]
            if not ids and not _same(value, correct):
                ids = list(moved)  # a measure that no table of R shows
            share = self._sets[j].shares.get(measure, NO_SHARE)
            figures = (value, share.numerator, share.denominator)
            base = self._base(measure, j)
            rows.append(
                (j + 1, measure, *figures, *base, correct, ", ".join(ids), *_reading_of(measure))
            )
        return rows

    def _base(self, figure: str, j: int) -> tuple[int, int]:
        """The records that a figure of one synthesis is about, and those left out of it."""
        measure = BY_NAME.get(figure, BY_NAME["DiSCO"])
        side = 1 if measure.counted == "synthetic records" else 0
        everybody = (self.Norig, self.Nsyn[j])[side]
        figures = self._sets[j]
        base = everybody
        if measure.leaves_out == "all excluded":
            base = int(figures.ledger[side, -1])
        elif measure.leaves_out == "left out of identity":
            base = figures.of_identity[side]
        return base, everybody - base

    def _moved_in(self, j: int) -> dict[str, set[str]]:
        """The columns of R's tables that each defect moved in one synthesis."""
        moved: dict[str, set[str]] = {}
        for finding in self.defects:
            moved[finding.id] = set()
            for synthesis, column, *_ in finding.changes:
                if synthesis in (0, j + 1):
                    moved[finding.id].add(column)
        return moved

    def _figures_of(self, j: int) -> Iterator[tuple[str, float, float]]:
        """Each measure of one synthesis with its value and the correct one."""
        figures = self._sets[j]
        correct = figures
        if self.corrected is not None and j < self.corrected.m:
            correct = self.corrected._sets[j]
        for measure, share in figures.shares.items():
            yield measure, share.percent, correct.shares[measure].percent
        for name in ("max_denom", "mean_denom"):
            yield name, float(getattr(figures, name)), float(getattr(correct, name))

    @overload
    def records(self, original: pd.DataFrame) -> pd.DataFrame: ...

    @overload
    def records(self, original: Any = None) -> Any: ...

    def records(self, original: Any = None) -> Any:
        """One row per original record and synthesis: which measures the record counts for.

        Parameters
        ----------
        original : the data of the call, again. A result keeps no data: it finds the records in this
            table, and refuses one whose fingerprint differs. Each row of a frequency table that has
            records gives one row, and `n` says how many.

        Columns: synthesis, record (position in the original data, from 0), UiO, repU, iS, DiS,
        DiSCO, DiSDiO (bool: whether the record counts for the measure, after exclusions), and the
        records that share its keys (orig_key, syn_key) or its keys and target (orig_cell,
        syn_cell). The sum of a bool column (of frequency tables: of `n` where it is true) is the
        measure's numerator.

        For a pandas frame the result is a new frame. For every other table it is a table of the
        same kind with these columns added, without `record`: a polars frame or lazy frame, an Arrow
        table, a relation of DuckDB, a data frame of Spark, a table of Ibis. An engine receives the
        flags once, one row per distinct row. Nothing is collected, and nothing is written except a
        temporary table where a database needs one. `n` is added unless the column of counts already
        has that name. A table with a column of one of these names is refused.

        The flags are those of this result. Where a defect of R shows (`defects` is not empty) they
        are R's, and the correct ones are in ``result.corrected.records(original)``.
        """
        outcome, cells = self._cells_for("records")
        if original is None:
            raise InputError(
                "original: missing; a result keeps no data, so give them again, as in"
                " result.records(original)"
            )
        known = self._fingerprints(original=True)
        fingerprint = None if known is None else known.original
        return record_table(cells, original, outcome.counts, fingerprint)

    def diversity(self, up_to: int = 5) -> pd.DataFrame:
        """How many original records have keys with few target values, in per cent: one row for each
        synthesis and each l from 2 to `up_to`.

        Columns: synthesis, l, and original records whose combination of keys has fewer than l
        target values in the original (Dorig) or in the synthetic data (DiS); those of the second
        whose own value is one of the synthetic ones (DiSCO), and whose combination also has as few
        in the original (DiSDiO). For l = 2 these are the measures themselves, where `certainty` is
        1; for l = 3 the intruder is left with at most two values. The distribution of records over
        the values does not matter here: see `certainty`. Exclusions apply here too.

        Where a defect of R shows, ``result.corrected.diversity()`` has the correct figures.

        Examples
        --------
        Keys a have one job in the original and two in the synthetic data, keys b two and one.

        >>> import pandas as pd
        >>> from synthpop_py import disclosure
        >>> people = pd.DataFrame({"town": list("aabb"), "job": list("xxxy")})
        >>> fake = pd.DataFrame({"town": list("aabb"), "job": list("xzyy")})
        >>> result = disclosure(fake, people, "town", "job", print_flag=False)
        >>> print(result.diversity(up_to=3).to_string(index=False))
         synthesis  l  Dorig   DiS  DiSCO  DiSDiO
                 1  2   50.0  50.0   25.0     0.0
                 1  3  100.0 100.0   75.0    75.0
        """
        _, cells = self._cells_for("diversity")
        if isinstance(up_to, bool) or not isinstance(up_to, Integral) or up_to < 2:
            raise InputError(f"up_to: {up_to!r} is not a whole number of 2 or more")
        return diversity_frame(cells.sets, self.Norig, int(up_to))

    def _cells_for(self, asked: str) -> tuple[Outcome, CountedCells]:
        """The run and its cells; not every result has them."""
        if self._outcome is None:
            raise InputError(
                f"{asked}: not available for a result read from a dictionary or JSON; call"
                " disclosure() again"
            )
        if self._outcome.counted is None:
            raise InputError(
                f"{asked}: not available for a result that was counted in parts, which keeps no"
                " cells; call disclosure() with a larger max_cells, where memory allows"
            )
        return self._outcome, self._outcome.counted

    @classmethod
    def from_dict(cls, content: dict[str, Any]) -> Disclosure:
        from .json import disclosure_from_dict

        return disclosure_from_dict(content)

    @classmethod
    def from_json(cls, text: str) -> Disclosure:
        from .json import disclosure_from_json

        return disclosure_from_json(text)

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickled and copied as `to_dict`: everything except `records()`, which needs the data."""
        return Disclosure.from_dict, (self.to_dict(),)

    # ---- views -----------------------------------------------------------------------

    def _document(self) -> Document:
        from .show import document

        return document(self, self.to_print, self.digits)

    def _short_document(self) -> Document:
        from .show import document

        return document(self, ("short",), self.digits)

    def _content(self) -> dict[str, Any]:
        from .json import disclosure_content

        return disclosure_content(self)

    def _arguments(self) -> dict[str, Any]:
        return {
            "keys": [column_name(key) for key in self.keys],
            "target": column_name(self.target),
            **self._asked(),
            "compat": self.compat,
            "digits": self.digits,
            "to_print": self.to_print,
        }

    def _records(self) -> dict[str, Any]:
        from .people import everybody

        return {"original": Cell(self.Norig, (everybody(self.Norig),)), "synthetic": self.Nsyn}

    def _fingerprints(self, *, original: bool) -> Fingerprints | None:
        """Fingerprints of the tables that this result is about: R may read only the first of
        several plain frames (D28).
        """
        of_all = self._fingerprints_of_all(original=original)
        return None if of_all is None else replace(of_all, synthetic=of_all.synthetic[: self.m])

    def _fingerprints_of_all(self, *, original: bool) -> Fingerprints | None:
        if self._known_fingerprints is not None:
            return self._known_fingerprints.fingerprints
        rows = self._counted_rows()
        return None if rows is None else rows.fingerprints(original=original)

    def _counted_rows(self) -> CountedRows | None:
        """None where only cells in R's reading are known, which may differ from the data."""
        if self._correct_rows is not None:
            return self._correct_rows
        if self._outcome is None or self._outcome.compat.touched:
            return None
        return counted_rows(self._outcome)

    def _relations(self) -> tuple[Relation, ...]:
        from .people import relations_of

        relations = tuple(relations_of(self))
        if self._baseline is None:
            return relations
        from .baseline_show import outside_of

        outside = outside_of(self)
        return relations if outside is None else (*relations, *outside.relations())

    def print(self, to_print: str | Sequence[str] | None = None, digits: int | None = None) -> None:
        """Show tables as R prints them, with both figures wherever R's is wrong.

        Parameters
        ----------
        to_print : one or more of "short" (alone), "ident", "attrib", "allCAPs", "check_1way",
            "check_2way", "exclusions", "all"; or what every result has, "summary", "notes",
            "tables".
        digits : decimals.
        """
        from ..arguments import check_digits
        from .options import TO_PRINT, check_to_print
        from .show import document

        decimals = self.digits if digits is None else check_digits(digits)
        self._print_parts(
            document(self, self.to_print, decimals),
            self.to_print if to_print is None else to_print,
            own=TO_PRINT,
            of_own=lambda names: document(self, check_to_print(names), decimals),
        )

    def plot(
        self, kind: str = "funnel", ax: Any = None, *, round_to: int = 10, **options: Any
    ) -> Any:
        """Draw "funnel" (how the number of records falls from all to DiSDiO; option `synthesis`) or
        "identity" (needs matplotlib). Figures of fewer than `min_cell` people are not drawn; 0
        draws all. Returns the axes.
        """
        from ..arguments import check_choice
        from ..plots import plot_funnel, plot_identity

        draw: dict[str, Callable[..., Any]] = {"funnel": plot_funnel, "identity": plot_identity}
        chosen = check_choice("kind", kind, tuple(draw))
        return draw[chosen](self, ax=ax, round_to=round_to, **options)


def unknown_measure(given: Any) -> InputError:
    """The error for an unknown measure."""
    return unknown_choice("measure", given, list(BY_NAME), "the measures")


def mean(values: pd.Series) -> float:
    """The mean over syntheses; for one synthesis the value itself."""
    return float(values.iloc[0]) if len(values) == 1 else float(values.mean(skipna=False))


def _same(a: float, b: float) -> bool:
    return a == b or (math.isnan(a) and math.isnan(b))


def _reading_of(figure: str) -> tuple[str, str]:
    """The unit of a figure and its direction. max_denom and mean_denom, records of a cell, have no
    direction: large cells often hold common knowledge.
    """
    measure = BY_NAME.get(figure)
    return ("records", "") if measure is None else (measure.unit, measure.direction)


# ---- from an outcome -----------------------------------------------------------------


def build(
    outcome: Outcome,
    *,
    mode: Mode,
    digits: int,
    to_print: tuple[str, ...],
    call: str,
    asked: Callable[[], Mapping[str, Any]],
) -> Disclosure:
    """The result object of a run."""
    n = outcome.n
    sets = outcome.sets
    check1, check2 = _check_facts(sets, outcome.compat)
    return Disclosure(
        _sets=sets,
        check1=check1,
        check2=check2,
        keys=outcome.plan.keys,
        target=outcome.plan.target,
        Norig=n[0],
        Nsyn=n[1:],
        m=len(sets),
        digits=digits,
        to_print=to_print,
        call=call,
        compat=mode,
        certainty=float(outcome.plan.certainty),
        _outcome=outcome,
        _asked=asked,
        _baseline=outcome.baseline,
    )


def _check_facts(sets: Sequence[SetFigures], compat: Reading) -> tuple[str | None, int | None]:
    """The flagged level and the number of flagged pairs over all syntheses; R keeps only the last
    flagged one (D35).
    """
    levels = [s.level.Level for s in sets if s.level is not None]
    pairs = [len(s.pairs) for s in sets if s.pairs]
    several = len(set(levels)) > 1 or len(set(pairs)) > 1
    if several and not compat.follow_r("D35"):
        return ", ".join(dict.fromkeys(levels)) or None, max(pairs, default=None)
    last_level = levels[-1] if levels else None
    last_pairs = pairs[-1] if pairs else None
    return last_level, last_pairs
