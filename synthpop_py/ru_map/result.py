"""What `ru_map()` returns: figures, what they were measured on, and what is dominated."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
import pandas as pd

from ..arguments import check_choice, check_number
from ..core.arrays import Floats
from ..rounding import ROUND_TO, check_round_to
from ..show.printing import Sections
from ..show.values import column_name
from ..show.views import Drawn
from . import pareto
from .measures import About, Role

ONE_SET = "one data set, no bootstrap"

End = Literal["value", "worst", "best"]  # of the interval of a figure, or the figure itself


@dataclass(frozen=True, slots=True)
class MapFigure:
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


def figures_of(measure: str, figures: Sequence[MapFigure]) -> list[MapFigure]:
    """The figures of one measure, in the order of the candidates."""
    return [figure for figure in figures if figure.measure == measure]


@dataclass(frozen=True, slots=True)
class ReleaseFacts:
    """Facts about a release besides its figures.

    Attributes
    ----------
    candidate : its name.
    rows : records of each of its data sets.
    together : its data sets are released together; otherwise they are runs, one of which would be.
    lacks : columns that utility is measured on and that it does not have.
    remarks : what limits the meaning of its figures, or how they were made.
    """

    candidate: str
    rows: tuple[int, ...]
    together: bool
    lacks: tuple[Hashable, ...]
    remarks: tuple[str, ...]

    def rows_text(self) -> str:
        fewest, most = min(self.rows), max(self.rows)
        return str(fewest) if fewest == most else f"{fewest}-{most}"


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class RUMap(Drawn):
    """Risk and utility of several releases of the same data.

    Attributes
    ----------
    figures : one for each candidate and measure.
    measures : role ("risk" or "utility") and description (label, unit, better, blind_to, aside) of
        each measure, in the order asked for.
    releases : one for each candidate: rows of its data sets, columns it lacks, remarks.
    keys, target, variables : the columns that were measured.
    left_out : columns of the original that no candidate has, and that utility therefore ignores.
    Norig : records of the original.
    level : of the intervals.
    remarks : remarks on all of them.
    anchors : figures of the original as it is, and of no data, where they were asked for.
    notes : what to know about the data before trusting a figure: the warnings of the call.
    """

    figures: tuple[MapFigure, ...]
    measures: tuple[tuple[Role, About], ...]
    releases: tuple[ReleaseFacts, ...]
    keys: tuple[Hashable, ...]
    target: Hashable | None
    variables: tuple[Hashable, ...]
    left_out: tuple[Hashable, ...]
    Norig: int
    level: float
    remarks: tuple[str, ...]
    anchors: tuple[MapFigure, ...] = ()
    notes: tuple[str, ...] = ()
    _asked: Mapping[str, Any] = field(default_factory=dict)

    @property
    def candidates(self) -> tuple[str, ...]:
        return tuple(release.candidate for release in self.releases)

    @property
    def table(self) -> pd.DataFrame:
        """One row per candidate, one column per measure: the figures alone."""
        labels = [about.label for _, about in self.measures]
        values = np.array([figure.value for figure in self.figures])
        by_candidate = values.reshape(-1, len(labels))
        return pd.DataFrame(by_candidate, columns=labels, index=list(self.candidates))

    def about(self, measure: str) -> tuple[Role, About]:
        """Role and description of a measure: label, unit, better ("lower" or "higher"), low and
        high ends of its range, blind_to (what it does not see), and aside (a further remark).
        """
        by_label = {about.label: (role, about) for role, about in self.measures}
        check_choice("measure", measure, list(by_label))
        return by_label[measure]

    def first(self, role: Role) -> str:
        """The label of the first measure of a role."""
        return self._labels(role)[0]

    def _labels(self, role: Role) -> list[str]:
        return [about.label for of_role, about in self.measures if of_role == role]

    def front(self, *measures: str) -> list[str]:
        """Candidates that no other one dominates: none is at least as good in all these measures
        and better in one.

        By default for the first risk and the first utility measure. Candidates without a figure in
        one of them are left out. Only the figures count; `dominated` says where intervals leave
        doubt.
        """
        kept = pareto.front(self._goodness(self._chosen(measures)))
        return [name for name, is_kept in zip(self.candidates, kept) if is_kept]

    def dominated(self, *measures: str) -> pd.DataFrame:
        """Which candidate is dominated by which.

        Returns
        -------
        DataFrame
            One row for each pair. Columns: candidate, by, clear (in every measure even the worse
            end of the dominating one's interval is better than the better end of the other's; False
            where an interval is missing).
        """
        chosen = self._chosen(measures)
        dominates = pareto.dominance(self._goodness(chosen))
        worst = self._goodness(chosen, "worst")
        best = self._goodness(chosen, "best")
        rows = []
        for dominated, by in np.argwhere(dominates.T):
            clear = (worst[by] > best[dominated]).all()
            rows.append((self.candidates[dominated], self.candidates[by], bool(clear)))
        return pd.DataFrame(rows, columns=["candidate", "by", "clear"])

    def _chosen(self, measures: Sequence[str]) -> list[str]:
        if not measures:
            return [self.first("risk"), self.first("utility")]
        for measure in measures:
            self.about(measure)
        return list(measures)

    def _goodness(self, measures: Sequence[str], end: End = "value") -> Floats:
        """Figures turned so that higher is better, shape (candidates, measures); `end` takes the
        worst or best end of the intervals instead.
        """
        columns = []
        for measure in measures:
            _, about = self.about(measure)
            figures = figures_of(measure, self.figures)
            values = np.array([figure.value for figure in figures])
            ends = np.array([_end_of(figure, about, end) for figure in figures])
            sign = 1.0 if about.better == "higher" else -1.0
            columns.append(sign * _without_last_bits(ends, values))
        return np.array(columns).T

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
        for figure in self.figures:
            role, about = self.about(figure.measure)
            release = releases[figure.candidate]
            row = {
                "candidate": figure.candidate,
                "role": role,
                "measure": figure.measure,
                "value": figure.value,
                "low": figure.low,
                "high": figure.high,
                "level": self.level,
                "interval": figure.method,
                "m": figure.m,
                "rows": min(release.rows),
                "numerator": figure.numerator,
                "denominator": figure.denominator,
                "unit": about.meaning,
                "better": about.better,
                "direction": about.direction(role),
                "front": figure.candidate in kept,
                "lacks": ", ".join(map(str, release.lacks)),
                "reason": figure.reason,
                "remarks": "; ".join(release.remarks),
            }
            rows.append(row)
        return pd.DataFrame(rows)

    def plot(
        self,
        risk: str | None = None,
        utility: str | None = None,
        ax: Any = None,
        *,
        ceiling: float | None = None,
        round_to: int = ROUND_TO,
    ) -> Any:
        """Draw risk against utility: better is to the lower right, whatever the directions of the
        measures; names and figures at the points, intervals as bars, the front as a line.

        Parameters
        ----------
        risk, utility : labels of the measures; by default the first ones.
        ax : matplotlib axes to draw into; by default those of a new figure.
        ceiling : the highest risk you accept (the lowest, of a measure that is better when higher),
            in the unit of `risk`: a line is drawn there. `under` has the releases below it.
        round_to : counts of people are rounded to a multiple of this; 1 draws exact figures.

        Returns
        -------
        matplotlib axes
        """
        from ..plots.risk_utility import plot_map
        from .show import rounded

        shown = rounded(self, check_round_to(round_to))
        risk = self._of_role("risk", risk)
        utility = self._of_role("utility", utility)
        return plot_map(shown, risk, utility, ax, ceiling=ceiling, round_to=round_to)

    def under(
        self, ceiling: float, risk: str | None = None, utility: str | None = None
    ) -> pd.DataFrame:
        """The releases whose risk you accept, the most useful first.

        Parameters
        ----------
        ceiling : the highest risk you accept (the lowest, of a measure that is better when higher),
            in the unit of `risk`.
        risk, utility : labels of the measures; by default the first ones.

        Returns
        -------
        DataFrame
            One row per release: its risk, its utility, and `whole_interval`, whether all of the
            interval of the risk is accepted too (False where there is no interval). Releases
            without a figure are left out: an unknown risk is not accepted.

        Examples
        --------
        >>> people = pd.DataFrame({"sex": list("fffmmm"), "town": list("AABABB")})
        >>> people = people.assign(job=list("xyzxyz"))
        >>> anew = people.assign(town=list("AAABBB"))
        >>> from synthpop_py import ru_map
        >>> result = ru_map({"as it is": people, "anew": anew}, people, keys=["sex", "town"])
        >>> result.under(10).round(2)
              repU   tvd  whole_interval
        anew   0.0  0.11           False
        """
        limit = check_number("ceiling", ceiling)
        of_risk, of_utility = self._of_role("risk", risk), self._of_role("utility", utility)
        _, about = self.about(of_risk)
        # turned, so that lower is safer for every measure
        sign = 1 if about.better == "lower" else -1
        worst = "high" if about.better == "lower" else "low"
        tidy = self.tidy()
        ends = tidy[tidy["measure"] == of_risk].set_index("candidate")
        table = self.table[list(dict.fromkeys([of_risk, of_utility]))]
        table = table.assign(whole_interval=sign * ends[worst] <= sign * limit)
        accepted = table[sign * table[of_risk] <= sign * limit]
        _, about_utility = self.about(of_utility)
        ascending = about_utility.better == "lower"
        return accepted.sort_values(of_utility, ascending=ascending, kind="stable")

    def _of_role(self, role: Role, label: str | None) -> str:
        if label is None:
            return self.first(role)
        check_choice(role, label, self._labels(role))
        return label

    def _title(self) -> str:
        return "Risk-utility map"

    def _everybody(self) -> int:
        return self.Norig

    def _headline(self, to: int = 1) -> list[str]:
        from .show import front_note, rounded

        return [front_note(rounded(self, to))]

    def _sections(self) -> Sections:
        return self._rounded(1)

    def _rounded(self, to: int) -> Sections:
        from .show import rounded, sections

        return sections(rounded(self, to), to)

    def _content(self) -> dict[str, Any]:
        from .show import content

        return content(self)

    def _arguments(self) -> dict[str, Any]:
        return {
            "keys": [column_name(key) for key in self.keys],
            "target": None if self.target is None else column_name(self.target),
            "variables": [column_name(name) for name in self.variables],
            "level": self.level,
            **self._asked,
        }

    def _records(self) -> dict[str, Any]:
        released = {release.candidate: list(release.rows) for release in self.releases}
        return {"original": self.Norig, "released": released}


def _end_of(figure: MapFigure, about: About, end: End) -> float:
    if end == "value":
        return figure.value
    low_is_worst = about.better == "higher"
    return figure.low if (end == "worst") == low_is_worst else figure.high


def _without_last_bits(values: Floats, figures: Floats) -> Floats:
    """Figures that differ only by rounding errors are equal: nothing is dominated by a last bit."""
    known = np.abs(figures[np.isfinite(figures)])
    scale = known.max(initial=0.0)
    return values if scale == 0 else np.round(values / scale, 12)
