"""What `ru_map()` returns."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from ..arguments import check_choice
from ..core.arrays import Floats
from ..ru_map import pareto
from ..show import Cell, Column, Count, Document, Note, Shown, Table, fill
from ..show.document import Words
from ..show.plain import column_name
from .intervals import NO_INTERVAL
from .measures import About, Role

ONE_SET = "one data set, no bootstrap"
SIGNIFICANT = 3
MOST_DECIMALS = 6
TIDY = [
    "candidate",
    "role",
    "measure",
    "value",
    "low",
    "high",
    "level",
    "interval",
    "m",
    "rows",
    "numerator",
    "denominator",
    "unit",
    "better",
    "direction",
    "front",
    "lacks",
    "reason",
    "remarks",
]


@dataclass(frozen=True, slots=True)
class Figure:
    """One measure of one release.

    Attributes
    ----------
    value, low, high : the figure and the ends of its interval; NaN where there is none.
    method : how the interval was made.
    m : data sets of the release.
    numerator, denominator : of a share, means over the data sets; NaN for anything else.
    reason : why there is no figure; empty where there is one.
    """

    candidate: str
    measure: str
    role: Role
    value: float
    low: float
    high: float
    method: str
    m: int
    numerator: float
    denominator: float
    reason: str


@dataclass(frozen=True, slots=True)
class Release:
    """What there is to know about a release besides its figures.

    Attributes
    ----------
    candidate : its name.
    rows : records of each of its data sets.
    together : its data sets are released together; otherwise they are runs, one of which would be.
    lacks : columns that utility is measured on and that it does not have.
    remarks : whatever makes its figures mean less, or how they came about.
    """

    candidate: str
    rows: tuple[int, ...]
    together: bool
    lacks: tuple[Hashable, ...]
    remarks: tuple[str, ...]

    def rows_text(self) -> str:
        return (
            str(self.rows[0])
            if min(self.rows) == max(self.rows)
            else f"{min(self.rows)}-{max(self.rows)}"
        )


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class RUMap(Shown):
    """Risk and utility of several releases of the same data.

    Attributes
    ----------
    figures : one for each candidate and measure.
    measures : role ("risk" or "utility") and description (label, unit, better, blind_to, aside) of
        each measure, in the order asked for.
    releases : one for each candidate: rows of its data sets, columns it lacks, remarks.
    keys, target, variables : what was measured on.
    left_out : columns of the original that no candidate has, and that utility therefore ignores.
    Norig : records of the original.
    level : of the intervals.
    remarks : what there is to say about all of them.
    """

    figures: tuple[Figure, ...]
    measures: tuple[tuple[Role, About], ...]
    releases: tuple[Release, ...]
    keys: tuple[Hashable, ...]
    target: Hashable | None
    variables: tuple[Hashable, ...]
    left_out: tuple[Hashable, ...]
    Norig: int
    level: float
    remarks: tuple[str, ...]

    @property
    def candidates(self) -> tuple[str, ...]:
        return tuple(release.candidate for release in self.releases)

    @property
    def table(self) -> pd.DataFrame:
        """One row per candidate, one column per measure: the figures alone."""
        labels = [about.label for _, about in self.measures]
        values = np.array([f.value for f in self.figures]).reshape(-1, len(labels))
        return pd.DataFrame(values, columns=labels, index=list(self.candidates))

    def about(self, measure: str) -> tuple[Role, About]:
        """Role and description of a measure: label, unit, better ("lower" or "higher"), low and
        high ends of its range, blind_to, what it does not see, and aside, what must be said
        besides.
        """
        labels = [about.label for _, about in self.measures]
        return self.measures[labels.index(check_choice("measure", measure, labels))]

    # ---- what is worth choosing ------------------------------------------------------

    def front(self, *measures: str) -> list[str]:
        """Candidates that no other one dominates: none is at least as good in all these measures
        and better in one.

        Without measures: the first risk and the first utility measure. Candidates without a figure
        in one of them are left out. Figures are taken as they are; `dominated` says where intervals
        leave room for doubt.
        """
        goodness = self._goodness(self._chosen(measures))
        return [name for name, kept in zip(self.candidates, pareto.front(goodness)) if kept]

    def dominated(self, *measures: str) -> pd.DataFrame:
        """Who is dominated by whom.

        Returns
        -------
        DataFrame
            One row for each pair. Columns: candidate, by, clear (in every measure even the worse
            end of the dominating one's interval is better than the better end of the other's; False
            where an interval is missing).
        """
        chosen = self._chosen(measures)
        pairs = np.argwhere(pareto.dominance(self._goodness(chosen)).T)
        worst, best = self._goodness(chosen, "worst"), self._goodness(chosen, "best")
        rows = [
            (self.candidates[i], self.candidates[j], bool((worst[j] > best[i]).all()))
            for i, j in pairs
        ]
        return pd.DataFrame(rows, columns=["candidate", "by", "clear"])

    def _chosen(self, measures: Sequence[str]) -> list[str]:
        if not measures:
            return [self.first("risk"), self.first("utility")]
        for measure in measures:
            self.about(measure)
        return list(measures)

    def first(self, role: Role) -> str:
        """The label of the first measure of a role."""
        return next(about.label for own, about in self.measures if own == role)

    def _goodness(self, measures: Sequence[str], end: str = "value") -> Floats:
        """Figures turned so that higher is better, shape (candidates, measures); `end` takes the
        worst or best end of the intervals instead.
        """
        columns = []
        for measure in measures:
            sign = 1.0 if self.about(measure)[1].better == "higher" else -1.0
            which = (
                "value" if end == "value" else "low" if (end == "worst") == (sign > 0) else "high"
            )
            own = [f for f in self.figures if f.measure == measure]
            columns.append(
                _without_last_bits(
                    np.array([sign * getattr(f, which) for f in own]),
                    np.array([f.value for f in own]),
                )
            )
        return np.array(columns).T

    # ---- other shapes ----------------------------------------------------------------

    def tidy(self) -> pd.DataFrame:
        """One row for each candidate and measure.

        Columns: candidate, role ("risk" or "utility"), measure, value, low, high (ends of the
        interval), level, interval (how it was made), m (data sets), rows (records of a data set; of
        the smallest where they differ), numerator, denominator (of a share; NaN for anything else),
        unit, better ("lower" or "higher"), direction (in words), front (not dominated in the first
        risk and utility measure), lacks (columns it does not have), reason (why there is no
        figure), remarks.
        """
        kept = set(self.front())
        releases = {release.candidate: release for release in self.releases}
        rows = []
        for f in self.figures:
            (role, about), own = self.about(f.measure), releases[f.candidate]
            rows.append(
                (
                    f.candidate,
                    role,
                    f.measure,
                    f.value,
                    f.low,
                    f.high,
                    self.level,
                    f.method,
                    f.m,
                    min(own.rows),
                    f.numerator,
                    f.denominator,
                    about.meaning,
                    about.better,
                    about.direction(role),
                    f.candidate in kept,
                    ", ".join(map(str, own.lacks)),
                    f.reason,
                    "; ".join(own.remarks),
                )
            )
        return pd.DataFrame(rows, columns=TIDY)

    # ---- views -----------------------------------------------------------------------

    def plot(self, risk: str | None = None, utility: str | None = None, ax: Any = None) -> Any:
        """Draw risk against utility: better is to the lower right, whatever the directions of the
        measures; names at the points, intervals as bars, the front as a line.

        Parameters
        ----------
        risk, utility : labels of the measures; the first ones unless given.
        ax : matplotlib axes to draw into; by default those of a new figure.

        Returns
        -------
        matplotlib axes
        """
        from ..plots.risk_utility import plot_map

        return plot_map(self, self._of_role("risk", risk), self._of_role("utility", utility), ax)

    def _of_role(self, role: Role, label: str | None) -> str:
        labels = [about.label for own, about in self.measures if own == role]
        return labels[0] if label is None else check_choice(role, label, labels)

    def _document(self) -> Document:
        return Document(
            title="Risk-utility map",
            sections=(
                fill.section(Note(self._head())),
                fill.notes_section(self._meanings()),
                fill.section(self._table()),
                fill.notes_section(self._notes()),
            ),
            headline=(fill.note(self._front_note()),),
        )

    def _table(self) -> Table:
        """Figures with intervals beside them."""
        columns = [
            Column("sets", tuple(Cell(str(len(r.rows))) for r in self.releases)),
            Column("rows", tuple(Cell(r.rows_text()) for r in self.releases)),
        ]
        for _, about in self.measures:
            figures = [f for f in self.figures if f.measure == about.label]
            cells = tuple(Cell(figure_text(f), behind(f)) for f in figures)
            columns.append(Column(about.label, cells))
        return Table(
            caption=fill.words("Risk and utility"),
            columns=tuple(columns),
            labels=self.candidates,
            titled=False,
        )

    def _head(self) -> Words:
        keys = f"; keys {', '.join(map(str, self.keys))}" if self.keys else ""
        target = f"; target {self.target}" if self.target is not None else ""
        number = len(self.candidates)
        return (
            f"Risk-utility map of {number} release{'s' * (number > 1)}; ",
            fill.people("original records", self.Norig),
            f" original records{keys}{target}",
        )

    def _content(self) -> dict[str, Any]:
        measures = []
        for role, about in self.measures:
            measures.append(
                {
                    "measure": about.label,
                    "role": role,
                    "unit": about.meaning,
                    "better": about.better,
                    "direction": about.direction(role),
                }
            )
        return {
            "measures": measures,
            "figures": [_figure_content(figure) for figure in self.figures],
            "releases": [_release_content(release) for release in self.releases],
            "front": self.front(),
            "level": self.level,
            "left_out": [column_name(name) for name in self.left_out],
            "remarks": list(self.remarks),
        }

    def _arguments(self) -> dict[str, Any]:
        return {
            "keys": [column_name(key) for key in self.keys],
            "target": None if self.target is None else column_name(self.target),
            "variables": [column_name(name) for name in self.variables],
            "level": self.level,
        }

    def _records(self) -> dict[str, Any]:
        released = {release.candidate: list(release.rows) for release in self.releases}
        return {"original": fill.people("original records", self.Norig), "released": released}

    def _meanings(self) -> list[str]:
        return [
            f"{role} {about.label}: {about.meaning}; {about.direction(role)}"
            for role, about in self.measures
        ]

    def _notes(self) -> list[str]:
        notes = [self._front_note()]
        made = list(
            dict.fromkeys(f.method for f in self.figures if not f.method.startswith(NO_INTERVAL))
        )
        if made:
            notes.append(f"In brackets: {100 * self.level:g} % intervals ({'; '.join(made)}).")
        if any(f.method == f"{NO_INTERVAL}: {ONE_SET}" for f in self.figures):
            notes.append(
                "No interval: only one data set. Pass several runs of the mask (`Runs`) or"
                " `bootstrap=200`."
            )
        without = dict.fromkeys(
            f.method.removeprefix(f"{NO_INTERVAL}: ")
            for f in self.figures
            if f.method.startswith(NO_INTERVAL) and not f.reason and not f.method.endswith(ONE_SET)
        )
        notes += [f"No interval: {reason}." for reason in without]
        notes += [
            f"No {measure} for {', '.join(names)}: {reason}."
            for (measure, reason), names in self._reasons().items()
        ]
        notes += [
            f"{', '.join(names)}: {remark}." for remark, names in self._remarks_by_text().items()
        ]
        return [*notes, *self.remarks]

    def _front_note(self) -> str:
        """Who is dominated, who is not, and who cannot be compared."""
        pair, kept = [self.first("risk"), self.first("utility")], self.front()
        beaten = list(dict.fromkeys(self.dominated()["candidate"]))
        unknown = [name for name in self.candidates if name not in kept and name not in beaten]
        if not kept:
            return f"No release has both {pair[0]} and {pair[1]}, so nothing can be compared."
        told = [f"Not dominated in {pair[0]} and {pair[1]}: {', '.join(kept)}."]
        if beaten:
            told.append(
                f"Dominated, so no safer and no more useful than one of these: {', '.join(beaten)}"
                " (.dominated())."
            )
        if unknown:
            told.append(f"Not compared, for want of a figure: {', '.join(unknown)}.")
        return " ".join(told)

    def _remarks_by_text(self) -> dict[str, list[str]]:
        told: dict[str, list[str]] = {}
        for release in self.releases:
            for remark in release.remarks:
                told.setdefault(remark, []).append(release.candidate)
        return told

    def _reasons(self) -> dict[tuple[str, str], list[str]]:
        reasons: dict[tuple[str, str], list[str]] = {}
        for f in self.figures:
            if f.reason:
                reasons.setdefault((f.measure, f.reason), []).append(f.candidate)
        return reasons


def _without_last_bits(values: Floats, figures: Floats) -> Floats:
    """Figures that differ by rounding errors only are equal: nothing is dominated by a last bit."""
    scale = np.abs(figures[np.isfinite(figures)]).max(initial=0.0)
    return values if scale == 0 else np.round(values / scale, 12)


def figure_text(figure: Figure) -> str:
    """A figure with its interval, to three significant digits of the figure."""
    if math.isnan(figure.value):
        return "-"
    size = float(
        f"{abs(figure.value):.{SIGNIFICANT}g}"
    )  # rounded first: 0.9999999 and 1 are shown alike
    decimals = (
        SIGNIFICANT
        if round(size, MOST_DECIMALS) == 0
        else min(max(SIGNIFICANT - 1 - math.floor(math.log10(size)), 0), MOST_DECIMALS)
    )
    interval = (
        ""
        if math.isnan(figure.low)
        else f" ({figure.low:.{decimals}f} to {figure.high:.{decimals}f})"
    )
    return f"{figure.value:.{decimals}f}{interval}"


# ---- people and plain values ---------------------------------------------------------


def behind(figure: Figure) -> tuple[Count, ...]:
    """The people behind a share of original records; nobody behind any other figure."""
    if not math.isfinite(figure.numerator):
        return ()
    people = fill.count(f"{figure.measure} of {figure.candidate}", figure.numerator)
    return people, fill.count(f"out of {figure.denominator:g}", figure.denominator)


def _figure_content(figure: Figure) -> dict[str, Any]:
    people = behind(figure)
    content: dict[str, Any] = {"candidate": figure.candidate, "measure": figure.measure}
    for name in ("value", "low", "high"):
        content[name] = Cell(getattr(figure, name), people)
    return content | {
        "numerator": Cell(figure.numerator, people[:1]),
        "denominator": Cell(figure.denominator, people[1:]),
        "interval": figure.method,
        "m": figure.m,
        "reason": figure.reason,
    }


def _release_content(release: Release) -> dict[str, Any]:
    return {
        "candidate": release.candidate,
        "rows": list(release.rows),
        "together": release.together,
        "lacks": [column_name(name) for name in release.lacks],
        "remarks": list(release.remarks),
    }
