"""What `ru_map()` returns: figures, what they were measured on, and what is dominated."""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

import numpy as np
import pandas as pd

from ..arguments import check_choice, check_number
from ..core.arrays import Flags, Floats
from ..rounding import ROUND_TO, check_round_to, part, percent, shown
from ..show.printing import Sections, Table
from ..show.values import column_name
from ..show.views import Drawn
from .measures import NO_INTERVAL, ONE_SET, About, MapFigure, Role

EXCLUSIONS = "disclosure_options leave out"  # how the remark on them begins
SIGNIFICANT = 3
MOST_DECIMALS = 6


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
        return next(about.label for of_role, about in self.measures if of_role == role)

    def front(self, *measures: str) -> list[str]:
        """Candidates that no other one dominates: none is at least as good in all these measures
        and better in one.

        By default for the first risk and the first utility measure. Candidates without a figure in
        one of them are left out. Only the figures count; `dominated` says where intervals leave
        doubt.
        """
        goodness = self._goodness(measures, "value", "value")
        kept: Flags = ~np.any(dominance(goodness), axis=0) & ~np.isnan(goodness).any(axis=1)
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
        dominates = dominance(self._goodness(measures, "value", "value"))
        # the worse, and the better, ends of measures that are better when lower, then when higher
        worst, best = (
            self._goodness(measures, *ends) for ends in (("high", "low"), ("low", "high"))
        )
        rows = []
        for dominated, by in np.argwhere(dominates.T):
            clear = (worst[by] > best[dominated]).all()
            rows.append((self.candidates[dominated], self.candidates[by], bool(clear)))
        return pd.DataFrame(rows, columns=["candidate", "by", "clear"])

    def _goodness(self, measures: Sequence[str], if_lower: str, if_higher: str) -> Floats:
        """Figures turned so that higher is better, shape (candidates, measures): of measures that
        are better when lower this field of a figure, of the others that one.
        """
        columns = []
        for measure in measures or (self.first("risk"), self.first("utility")):
            _, about = self.about(measure)
            of_measure = [figure for figure in self.figures if figure.measure == measure]
            sign, name = (1.0, if_higher) if about.better == "higher" else (-1.0, if_lower)
            values = np.array([figure.value for figure in of_measure])
            ends = np.array([getattr(figure, name) for figure in of_measure])
            # figures that differ only by rounding errors are equal: nothing is dominated by a last
            # bit
            scale = np.abs(values[np.isfinite(values)]).max(initial=0.0)
            columns.append(sign * (ends if scale == 0 else np.round(ends / scale, 12)))
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

        risk, utility = self._of_role("risk", risk), self._of_role("utility", utility)
        rounded = self._for_others(check_round_to(round_to))
        return plot_map(rounded, risk, utility, ax, ceiling=ceiling, round_to=round_to)

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
        """The measure asked for, which must have this role; the first one by default."""
        if label is None:
            return self.first(role)
        check_choice(role, label, [about.label for of, about in self.measures if of == role])
        return label

    # ---- what it shows ---------------------------------------------------------------

    def _title(self) -> str:
        return "Risk-utility map"

    def _everybody(self) -> int:
        return self.Norig

    def _headline(self, to: int = 1) -> list[str]:
        return [self._for_others(to)._front_note()]

    def _sections(self) -> Sections:
        return self._rounded(1)

    def _rounded(self, to: int) -> Sections:
        keys = f"; keys {', '.join(map(str, self.keys))}" if self.keys else ""
        target = f"; target {self.target}" if self.target is not None else ""
        releases = "release" if len(self.releases) == 1 else "releases"
        head = (
            f"Risk-utility map of {len(self.releases)} {releases}; {part(self.Norig, to=to)}"
            f" original records{keys}{target}"
        )
        meanings = []
        for role, about in self.measures:
            meanings.append(f"{role} {about.label}: {about.meaning}; {about.direction(role)}")
        rounded = self._for_others(to)
        columns = {
            "sets": [str(len(release.rows)) for release in self.releases],
            "rows": [release.rows_text() for release in self.releases],
        }
        for figure in rounded.figures:
            columns.setdefault(figure.measure, []).append(figure_text(figure, to))
        table = Table(
            pd.DataFrame(columns, index=list(self.candidates)), "Risk and utility", titled=False
        )
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
        dominated = list(dict.fromkeys(self.dominated()["candidate"]))
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
        methods: dict[str, None] = {}
        without: dict[str, None] = {}
        missing: dict[tuple[str, str], list[str]] = {}
        for figure in self.figures:
            if figure.reason:
                alike = missing.setdefault((figure.measure, figure.reason), [])
                alike.append(figure.candidate)
            elif figure.method.startswith(NO_INTERVAL):
                without[figure.method.removeprefix(f"{NO_INTERVAL}: ")] = None
            else:
                methods[figure.method] = None
        notes = [self._front_note()]
        if methods:
            notes.append(f"In brackets: {100 * self.level:g} % intervals ({'; '.join(methods)}).")
        if ONE_SET in without:
            notes.append(
                "No interval: only one data set. Pass several runs of the mask (`Runs`) or"
                " `bootstrap=200`."
            )
        notes += [f"No interval: {reason}." for reason in without if reason != ONE_SET]
        for (measure, reason), names in missing.items():
            notes.append(f"No {measure} for {', '.join(names)}: {reason}.")
        remarks: dict[str, list[str]] = {}
        for release in self.releases:
            for remark in release.remarks:
                remarks.setdefault(remark, []).append(release.candidate)
        notes += [f"{', '.join(names)}: {remark}." for remark, names in remarks.items()]
        return [*notes, *self.remarks, *self.notes]

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
        figures, releases = [], []
        for figure in self.figures:
            named = asdict(figure)
            del named["role"]
            figures.append(named | {"interval": named.pop("method")})
        for release in self.releases:
            releases.append(
                asdict(release) | {"lacks": [column_name(name) for name in release.lacks]}
            )
        return {
            "measures": measures,
            "figures": figures,
            "releases": releases,
            "front": self.front(),
            "level": self.level,
            "left_out": [column_name(name) for name in self.left_out],
            "remarks": list(self.remarks),
            "notes": list(self.notes),
        }

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


def _rounded_figure(one: MapFigure, to: int) -> MapFigure:
    if not math.isfinite(one.numerator):
        value, low, high = (float(f"{x:.2g}") for x in (one.value, one.low, one.high))
        return replace(one, value=value, low=low, high=high)
    whole = int(one.denominator)
    people, everybody = shown(one.numerator, whole, to=to), shown(whole, whole, to=to)
    return replace(
        one,
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
    """Who dominates whom.

    Parameters
    ----------
    goodness : shape (points, respects); higher is better. A point with a NaN neither dominates nor
        is dominated.

    Returns
    -------
    bool, shape (points, points)
        Entry (i, j): i is at least as good as j in every respect, and better in one.

    Examples
    --------
    >>> dominance(np.array([[2, 2], [1, 2], [3, 0]])).tolist()
    [[False, True, False], [False, False, False], [False, False, False]]
    """
    first, second = goodness[:, None, :], goodness[None, :, :]
    dominates: Flags = np.all(first >= second, axis=2) & np.any(first > second, axis=2)
    return dominates
