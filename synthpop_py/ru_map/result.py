"""What `ru_map()` returns: figures, what they were measured on, and what is dominated."""

from __future__ import annotations

import math
from collections import namedtuple
from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pandas as pd

from ..arguments import check_choice, check_number
from ..core.arrays import Flags, Floats
from ..rounding import ROUND_TO, check_round_to, part, percent, shown
from ..show.printing import Sections, Table
from ..show.values import column_name
from ..show.views import Drawn
from .intervals import NO_INTERVAL, ONE_SET, MapFigure
from .measures import Measure, Role

EXCLUSIONS = "disclosure_options leave out"  # how the remark on them begins
TIDY = (
    *("candidate", "role", "measure", "value", "low", "high", "level", "interval", "m", "rows"),
    *("numerator", "denominator", "unit", "better", "direction", "front", "lacks", "reason"),
    "remarks",
)
SIGNIFICANT = 3
MOST_DECIMALS = 6

# Facts about a release besides its figures: records of each data set; whether these are released
# together; variables that it lacks; what limits the meaning of its figures.
ReleaseFacts = namedtuple("ReleaseFacts", "candidate rows together lacks remarks")


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class RUMap(Drawn):
    """Risk and utility of several releases of the same data.

    Attributes
    ----------
    figures : one for each candidate and measure: candidate, measure, role, value, low, high,
        method (of the interval), m, numerator, denominator, reason.
    measures : role ("risk" or "utility") and `Measure`, in the order asked for.
    releases : one for each candidate: candidate, rows of its data sets, together, lacks, remarks.
    keys, target, variables : the columns that were measured.
    left_out : columns of the original that no candidate has, and that utility therefore ignores.
    Norig : records of the original.
    level : of the intervals.
    remarks : remarks on all of them.
    anchors : figures of the original as it is, and of no data, where they were asked for.
    notes : what to know about the data before trusting a figure: the warnings of the call.
    """

    figures: tuple[MapFigure, ...]
    measures: tuple[tuple[Role, Measure], ...]
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
        return self._wide("value")

    def _wide(self, column: str) -> pd.DataFrame:
        labels = [measure.label for _, measure in self.measures]
        values = np.array([getattr(figure, column) for figure in self.figures])
        return pd.DataFrame(values.reshape(-1, len(labels)), list(self.candidates), labels)

    def about(self, measure: str) -> tuple[Role, Measure]:
        """Role and description of a measure: label, unit, better ("lower" or "higher"), low and
        high ends of its range, and blind_to (what it does not see).
        """
        by_label = {one.label: (role, one) for role, one in self.measures}
        check_choice("measure", measure, list(by_label))
        return by_label[measure]

    def first(self, role: Role) -> str:
        """The label of the first measure of a role."""
        return self._of_role(role, None)

    def _of_role(self, role: Role, label: str | None) -> str:
        """The measure asked for, which must have this role; the first one by default."""
        labels = [measure.label for of, measure in self.measures if of == role]
        if label is None:
            return labels[0]
        check_choice(role, label, labels)
        return label

    def front(self, *measures: str) -> list[str]:
        """Candidates that no other one dominates: none is at least as good in all these measures
        and better in one.

        By default for the first risk and the first utility measure. Candidates without a figure in
        one of them are left out. Only the figures count; `dominated` says where intervals leave
        doubt.
        """
        goodness = self._goodness(measures, "value", "value")
        kept = ~dominance(goodness).any(axis=0) & ~np.isnan(goodness).any(axis=1)
        return list(np.array(self.candidates, dtype=object)[kept])

    def dominated(self, *measures: str) -> pd.DataFrame:
        """Which candidate is dominated by which.

        Returns
        -------
        DataFrame
            One row for each pair. Columns: candidate, by, clear (in every measure even the worse
            end of the dominating one's interval is better than the better end of the other's; False
            where an interval is missing).
        """
        dominates = dominance(self._goodness(measures, "value", "value"))
        worst = self._goodness(measures, "high", "low")
        best = self._goodness(measures, "low", "high")
        pairs = []
        for number, other in np.argwhere(dominates.T):
            clear = bool((worst[other] > best[number]).all())
            pairs.append((self.candidates[number], self.candidates[other], clear))
        return pd.DataFrame(pairs, columns=["candidate", "by", "clear"])

    def _goodness(self, measures: tuple[str, ...], if_lower: str, if_higher: str) -> Floats:
        """Figures, or ends of their intervals, turned so that higher is better: a row for each
        candidate. Which end depends on whether a measure is better when lower or when higher.
        """
        columns = []
        for measure in measures or (self.first("risk"), self.first("utility")):
            _, about = self.about(measure)
            sign, name = (1.0, if_higher) if about.better == "higher" else (-1.0, if_lower)
            values, ends = self.table[measure].to_numpy(), self._wide(name)[measure].to_numpy()
            # figures that differ only by rounding errors are equal: nothing is dominated by a last
            # bit
            scale = np.abs(values[np.isfinite(values)]).max(initial=0.0) or 1.0
            columns.append(sign * np.round(ends / scale, 12))
        return np.array(columns).T

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
        # turned, so that lower is safer for every measure
        is_lower = self.about(of_risk)[1].better == "lower"
        sign, worst = (1, "high") if is_lower else (-1, "low")
        table = self.table[list(dict.fromkeys([of_risk, of_utility]))]
        ends = self._wide(worst)[of_risk]
        table = table.assign(whole_interval=sign * ends <= sign * limit)
        accepted = table[sign * table[of_risk] <= sign * limit]
        ascending = self.about(of_utility)[1].better == "lower"
        return accepted.sort_values(of_utility, ascending=ascending, kind="stable")

    def tidy(self) -> pd.DataFrame:
        """One row for each candidate and measure.

        Columns: candidate, role ("risk" or "utility"), measure, value, low, high (ends of the
        interval), level, interval (how it was made), m (data sets), rows (records of a data set; of
        the smallest where they differ), numerator, denominator (of a share; NaN for anything else),
        unit, better ("lower" or "higher"), direction (in words), front (not dominated in the first
        risk and utility measure), lacks (columns it does not have), reason (why there is no
        figure), remarks.
        """
        frame = pd.DataFrame(self.figures, columns=list(MapFigure._fields))
        facts = pd.DataFrame(self.releases, list(self.candidates), list(ReleaseFacts._fields))
        of_release = facts.loc[frame["candidate"]]
        about = [measure for _, measure in self.measures] * len(self.releases)
        frame["level"], frame["interval"] = self.level, frame["method"]
        frame["rows"] = [min(rows) for rows in of_release["rows"]]
        frame["unit"] = [one.unit for one in about]
        frame["better"] = [one.better for one in about]
        frame["direction"] = [one.direction(role) for one, role in zip(about, frame["role"])]
        frame["front"] = frame["candidate"].isin(self.front())
        frame["lacks"] = [", ".join(map(str, lacks)) for lacks in of_release["lacks"]]
        frame["remarks"] = ["; ".join(remarks) for remarks in of_release["remarks"]]
        return frame[list(TIDY)]

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
        """
        from ..plots.risk_utility import plot_map

        risk, utility = self._of_role("risk", risk), self._of_role("utility", utility)
        rounded = self._for_others(check_round_to(round_to))
        return plot_map(rounded, risk, utility, ax, ceiling=ceiling, round_to=round_to)

    def _title(self) -> str:
        return "Risk-utility map"

    def _everybody(self) -> int:
        return self.Norig

    def _headline(self, to: int = 1) -> list[str]:
        return [self._for_others(to)._front_note()]

    def _sections(self) -> Sections:
        return self._rounded(1)

    def _rounded(self, to: int) -> Sections:
        number = len(self.releases)
        head = (
            f"Risk-utility map of {number} {'release' if number == 1 else 'releases'};"
            f" {part(self.Norig, to=to)} original records"
        )
        if self.keys:
            head += f"; keys {', '.join(map(str, self.keys))}"
        if self.target is not None:
            head += f"; target {self.target}"
        meanings = []
        for role, measure in self.measures:
            meanings.append(f"{role} {measure.label}: {measure.unit}; {measure.direction(role)}")
        rounded = self._for_others(to)
        columns: dict[str, list[str]] = {"sets": [], "rows": []}
        for release in self.releases:
            fewest, most = min(release.rows), max(release.rows)
            columns["sets"].append(str(len(release.rows)))
            columns["rows"].append(str(most) if fewest == most else f"{fewest}-{most}")
        for figure in rounded.figures:
            columns.setdefault(figure.measure, []).append(figure_text(figure, to))
        frame = pd.DataFrame(columns, index=list(self.candidates))
        table = Table(frame, "Risk and utility", titled=False)
        return [[head], meanings, [table], rounded._all_notes()]

    def _for_others(self, to: int) -> RUMap:
        """The map that others may see: shares of people from rounded counts, and without intervals,
        which would say more; other figures with two significant digits. What dominates what
        follows from these. With 1 the map itself.
        """
        if to == 1:
            return self
        remarks = []
        for remark in self.remarks:
            if remark.startswith(EXCLUSIONS):
                remark = f"{EXCLUSIONS} some people; repU and DiSCO are still in % of all of them."
            remarks.append(remark)
        figures = tuple(_rounded_figure(figure, to) for figure in self.figures)
        anchors = tuple(_rounded_figure(figure, to) for figure in self.anchors)
        return replace(self, figures=figures, anchors=anchors, remarks=tuple(remarks))

    def _front_note(self) -> str:
        """Who is dominated, who is not, and who cannot be compared."""
        risk, utility = self.first("risk"), self.first("utility")
        kept = self.front()
        if not kept:
            return f"No release has both {risk} and {utility}, so nothing can be compared."
        dominated = self.dominated()["candidate"].unique().tolist()
        unknown = [name for name in self.candidates if name not in (*kept, *dominated)]
        sentences = [f"Not dominated in {risk} and {utility}: {', '.join(kept)}."]
        if dominated:
            sentences.append(
                "Dominated, that is, no safer and no more useful than one of these:"
                f" {', '.join(dominated)} (.dominated())."
            )
        if unknown:
            sentences.append(f"Not compared, because a figure is missing: {', '.join(unknown)}.")
        return " ".join(sentences)

    def _all_notes(self) -> list[str]:
        """The front; how intervals were made, and why there are none; why figures are missing, and
        remarks on releases, those alike together.
        """
        methods = dict.fromkeys(figure.method for figure in self.figures if not figure.reason)
        made = [method for method in methods if not method.startswith(NO_INTERVAL)]
        notes = [self._front_note()]
        if made:
            notes.append(f"In brackets: {100 * self.level:g} % intervals ({'; '.join(made)}).")
        for method in methods:
            reason = method.removeprefix(f"{NO_INTERVAL}: ")
            if reason == ONE_SET:
                reason = (
                    "only one data set. Pass several runs of the mask (`Runs`) or `bootstrap=200`"
                )
            if method not in made:
                notes.append(f"No interval: {reason}.")
        told: dict[tuple[str, str], list[str]] = {}
        for figure in self.figures:
            if figure.reason:
                said = f"No {figure.measure} for ", figure.reason
                told.setdefault(said, []).append(figure.candidate)
        for release in self.releases:
            for remark in release.remarks:
                told.setdefault(("", remark), []).append(release.candidate)
        for (what, why), names in told.items():
            notes.append(f"{what}{', '.join(names)}: {why}.")
        return [*notes, *self.remarks, *self.notes]

    def _content(self) -> dict[str, Any]:
        tidy = self.tidy()
        of_measures = tidy[["measure", "role", "unit", "better", "direction"]]
        figures = []
        for figure in self.figures:
            named = figure._asdict()
            del named["role"]
            figures.append(named | {"interval": named.pop("method")})
        releases = []
        for release in self.releases:
            lacks = list(map(column_name, release.lacks))
            releases.append(release._asdict() | {"lacks": lacks})
        return {
            "measures": of_measures.head(len(self.measures)).to_dict("records"),
            "figures": figures,
            "releases": releases,
            "front": self.front(),
            "level": self.level,
            "left_out": list(map(column_name, self.left_out)),
            "remarks": list(self.remarks),
            "notes": list(self.notes),
        }

    def _arguments(self) -> dict[str, Any]:
        return {
            "keys": list(map(column_name, self.keys)),
            "target": None if self.target is None else column_name(self.target),
            "variables": list(map(column_name, self.variables)),
            "level": self.level,
            **self._asked,
        }

    def _records(self) -> dict[str, Any]:
        released = {release.candidate: list(release.rows) for release in self.releases}
        return {"original": self.Norig, "released": released}


def _rounded_figure(one: MapFigure, to: int) -> MapFigure:
    if not math.isfinite(one.numerator):
        value, low, high = (float(f"{x:.2g}") for x in (one.value, one.low, one.high))
        return one._replace(value=value, low=low, high=high)
    whole = int(one.denominator)
    people, everybody = shown(one.numerator, whole, to=to), shown(whole, whole, to=to)
    return one._replace(
        value=100 * people / everybody if everybody else math.nan,
        low=math.nan,
        high=math.nan,
        method=f"{NO_INTERVAL}: counts of people are rounded to {to}",
        numerator=people,
        denominator=everybody,
    )


def figure_text(figure: MapFigure, to: int = 1) -> str:
    """A figure with its interval, to three significant digits of the figure."""
    if math.isnan(figure.value):
        return "-"
    if to > 1 and math.isfinite(figure.numerator):
        return percent(figure.numerator, figure.denominator, to)
    # rounded first: 0.9999999 and 1 are shown alike
    size = float(f"{abs(figure.value):.{SIGNIFICANT}g}")
    decimals = SIGNIFICANT
    if round(size, MOST_DECIMALS) > 0:
        before_the_point = math.floor(math.log10(size)) + 1
        decimals = min(max(SIGNIFICANT - before_the_point, 0), MOST_DECIMALS)
    text = f"{figure.value:.{decimals}f}"
    if math.isnan(figure.low):
        return text
    return f"{text} ({figure.low:.{decimals}f} to {figure.high:.{decimals}f})"


def dominance(goodness: Floats) -> Flags:
    """Who dominates whom, from a row for each point: entry (i, j) says that i is at least as good
    as j in every column, and better in one. A point with a NaN neither dominates nor is dominated.

    >>> dominance(np.array([[2, 2], [1, 2], [3, 0]])).tolist()
    [[False, True, False], [False, False, False], [False, False, False]]
    """
    first, second = goodness[:, None, :], goodness[None, :, :]
    dominates: Flags = np.all(first >= second, axis=2) & np.any(first > second, axis=2)
    return dominates
