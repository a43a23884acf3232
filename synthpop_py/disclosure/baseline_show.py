"""Members beside non-members as tables and sentences, and the people behind each figure.

Non-members are people too: the rule on small cells holds for them as for members.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from ..show import Block, Cell, Count, Note, Relation, Table, fill
from ..show.document import Column, Words
from .baseline import LEVEL, RATIOS, Baseline, Compared, frame_of, parts_of
from .measures import Share
from .people import EVERYBODY, NUMERATORS, WORTH, count_name, mean_count, people_of
from .result import Disclosure
from .scores import SCORES

SMALLEST_P = 0.0001
OUTSIDE = "non-members"
SAID_OF_ALL = ("target", "measure", "level")
NO_BASELINE = (
    "UiO, UiOiS, repU, Dorig, DiSDiO and CAPd have none: they depend on how many records there are."
)


@dataclass(frozen=True, slots=True)
class Outside:
    """A baseline, and the people its figures count.

    Attributes
    ----------
    result : the correct one, whose members these are.
    """

    result: Disclosure
    baseline: Baseline

    # ---- counts ----------------------------------------------------------------------

    @property
    def everybody(self) -> Count:
        n = self.baseline.records
        return Count(name="records of the holdout", n=float(n), worth=EVERYBODY)

    def of_members(self, what: str, n: float) -> Count:
        return mean_count(what, self.result.target, n, self.result.m)

    def of_others(self, what: str, n: float) -> Count:
        name = count_name(f"{what} of {OUTSIDE}", self.result.target, "the holdout", n)
        return fill.count(name, n, worth=WORTH.get(what, 1))

    @property
    def left_out(self) -> Count:
        return self.of_others("left out", self.baseline.left_out)

    @property
    def remaining(self) -> Count:
        return self.of_others("remaining", self.baseline.records - self.baseline.left_out)

    def members(self, one: Compared) -> tuple[Count, ...]:
        """The counts that the percentage of members reveals."""
        original = people_of(self.result)[0].everybody
        return self._behind(one.measure, one.members, self.of_members, original)

    def others(self, one: Compared) -> tuple[Count, ...]:
        """The counts that the percentage of non-members reveals."""
        return self._behind(one.measure, one.non_members, self.of_others, self.everybody)

    def _behind(
        self, measure: str, share: Share, named: Callable[[str, float], Count], everybody: Count
    ) -> tuple[Count, ...]:
        counts = [named(NUMERATORS.get(measure, measure), share.numerator)]
        if measure in RATIOS:
            part, whole = parts_of(measure)
            counts.append(named(whole, share.denominator))
            counts.append(_rest(named, f"{whole} without {part}", share))
        else:
            counts.append(everybody)
        if measure == "DiS":
            # together with DiSCO it reveals for how many the release is certain and wrong
            sides = self.baseline.of("TCAP_DiS")
            ratio = sides.members if named == self.of_members else sides.non_members
            counts.append(_rest(named, "DiS without DiSCO", ratio))
        return fill.known(*counts)

    def behind(self, row: int, column: str) -> tuple[Count, ...]:
        """The counts behind an entry of the frame. The interval comes from the non-members, the
        difference and the p-value from both.
        """
        if column in SAID_OF_ALL:
            return ()
        one = self.baseline.measures[row]
        members, others = self.members(one), self.others(one)
        return {
            "members": members,
            "numerator_members": members[:1],
            "n_members": members[1:2],
            "non_members": others,
            "numerator_non_members": others[:1],
            "n_non_members": others[1:2],
            "effective_n": others,
        }.get(column, (*members, *others))

    # ---- what everybody can work out -------------------------------------------------

    def relations(self) -> Iterator[Relation]:
        yield fill.total(self.everybody.name, [self.left_out.name, self.remaining.name])
        yield from self._nested([one.non_members for one in self.baseline.measures], self.of_others)
        found = self.of_others("iS", self.baseline.of("iS").non_members.numerator)
        yield fill.at_most(found.name, self.remaining.name)
        if self.result.m > 1:
            members = [one.members for one in self.baseline.measures]
            yield from self._nested(members, self.of_members)
            yield from self._means()

    def _nested(
        self, shares: Sequence[Share], named: Callable[[str, float], Count]
    ) -> Iterator[Relation]:
        """DiSCO is part of DiS, and that of iS. DCAPd counts disclosed records fully, and of the
        others found at most those for which the release is not certain.
        """
        by_name = {}
        for measure, share in zip(SCORES, shares):
            by_name[measure] = named(measure, share.numerator).name
        yield fill.at_most(by_name["DiS"], by_name["iS"])
        yield fill.at_most(by_name["DiSCO"], by_name["DiS"])
        for measure, share in zip(RATIOS, shares[len(SCORES) :]):
            part, whole = parts_of(measure)
            rest = _rest(named, f"{whole} without {part}", share)
            yield fill.total(by_name[whole], [by_name[part], rest.name])
        yield fill.at_most(by_name["DiSCO"], by_name["DCAPd"])
        terms = {"iS": 1.0, "DiS": -1.0, "DiSCO": 1.0, "DCAPd": -1.0}
        yield Relation(
            tuple((factor, by_name[measure]) for measure, factor in terms.items()), 0.0, math.inf
        )

    def _means(self) -> Iterator[Relation]:
        """Means of members are those of the syntheses."""
        people = people_of(self.result)
        for measure in SCORES:
            mean = self.of_members(measure, self.baseline.of(measure).members.numerator)
            terms = [(float(self.result.m), mean.name)]
            terms += [(-1.0, one.of(measure).name) for one in people]
            yield Relation(tuple(terms))


def _rest(named: Callable[[str, float], Count], what: str, share: Share) -> Count:
    """Those in a group who are not disclosed."""
    count = named(what, share.denominator - share.numerator)
    return Count(name=count.name, n=count.n, complement=True)


def outside_of(result: Disclosure) -> Outside | None:
    """None where there is no baseline."""
    baseline = result._compared()
    if baseline is None:
        return None
    return Outside(result if result.corrected is None else result.corrected, baseline)


# ---- of one target -------------------------------------------------------------------


def baseline_blocks(outside: Outside, digits: int) -> tuple[Block, ...]:
    """The table, and how to read it."""
    measures = outside.baseline.measures
    rows = [Row(outside, number, LEVEL, one.p_value) for number, one in enumerate(measures)]
    caption = (
        "Members of the original beside ",
        Cell(outside.baseline.records, (outside.everybody,)),
        f" {OUTSIDE}, in % of N and n people, and the difference with its {_percent(LEVEL)}"
        " interval",
    )
    labels = tuple(one.measure for one in measures)
    blocks: list[Block] = [table_of_rows(rows, caption, labels, digits)]
    if outside.baseline.left_out:
        left_out = Cell(outside.baseline.left_out, (outside.left_out, outside.remaining))
        blocks.append(fill.note(f"Left out of the {OUTSIDE}: ", left_out, "."))
    return (*blocks, *about_baselines(outside.result.m))


def about_baselines(m: int) -> Iterator[Note]:
    """How to read the table."""
    means = f" All are means over {m} syntheses." if m > 1 else ""
    yield fill.note(
        "The interval comes from the non-members alone, because the members are all counted; "
        "p tests whether membership matters at all. TCAP_DiS is precision, DiSCO is recall. "
        f"Corrected reading.{means}"
    )
    yield fill.note(NO_BASELINE)


@dataclass(frozen=True, slots=True)
class Row:
    """A measure of a baseline, by its number there, with the level and the p-value to show."""

    outside: Outside
    number: int
    level: float
    p_value: float

    def cell(self, column: str, value: Any) -> Cell:
        return Cell(value, self.outside.behind(self.number, column))

    def cells(self) -> dict[str, Cell]:
        one = self.outside.baseline.measures[self.number]
        lower, upper = one.interval(self.level)
        return {
            "members": self.cell("members", one.members.percent),
            "N": self.cell("n_members", _count(one.members.denominator)),
            OUTSIDE: self.cell("non_members", one.non_members.percent),
            "n": self.cell("n_non_members", _count(one.non_members.denominator)),
            "difference": self.cell("difference", one.difference),
            "lower": self.cell("lower", lower),
            "upper": self.cell("upper", upper),
            "p": self.cell("p_value", p_text(self.p_value)),
        }


def table_of_rows(
    rows: Sequence[Row], caption: Words, labels: tuple[str, ...], digits: int
) -> Table:
    """One row per measure, or per target and measure."""
    cells = [row.cells() for row in rows]
    columns = []
    for name in cells[0]:
        decimals = None if name in ("N", "n") else digits
        of_rows = tuple(of_row[name] for of_row in cells)
        columns.append(Column(name=name, cells=of_rows, digits=decimals))
    return Table(caption=caption, columns=tuple(columns), labels=labels)


def _count(n: float) -> float:
    """A count as text; a mean over syntheses need not be whole."""
    return int(n) if float(n).is_integer() else round(n, 1)


def p_text(p: float) -> str:
    """A p-value as a text.

    >>> p_text(0.25), p_text(1e-9), p_text(float("nan"))
    ('0.2500', '<0.0001', 'NaN')
    """
    if math.isnan(p):
        return "NaN"
    return f"<{SMALLEST_P}" if p < SMALLEST_P else f"{p:.4f}"


def _percent(level: float) -> str:
    return f"{100 * level:.4g} %"


def baseline_sentence(outside: Outside, digits: int) -> Note:
    """What being in the data adds, for the measure that decisions rest on."""
    p_value = outside.baseline.of("DiSCO").p_value
    return difference_note(Row(outside, SCORES.index("DiSCO"), LEVEL, p_value), digits, "DiSCO")


def difference_note(row: Row, digits: int, start: str) -> Note:
    """Such as "DiSCO of 17929 non-members is 2.18 %: membership makes 3.89 points"."""
    outside = row.outside
    shown = {}
    for name, cell in row.cells().items():
        value = cell.value if isinstance(cell.value, str) else f"{cell.value:.{digits}f}"
        shown[name] = Cell(value, cell.people)
    return Note(
        (
            f"{start} of ",
            Cell(outside.baseline.records, (outside.everybody,)),
            " non-members is ",
            shown[OUTSIDE],
            " %: membership makes ",
            shown["difference"],
            f" points ({_percent(row.level)} interval ",
            shown["lower"],
            " to ",
            shown["upper"],
            ").",
        )
    )


# ---- as plain values -----------------------------------------------------------------


def baseline_content(result: Disclosure) -> dict[str, Any] | None:
    """The frame, and its number of records; None without a holdout."""
    from ..show.plain import frame_content

    outside = outside_of(result)
    if outside is None:
        return None
    frame = frame_of(outside.baseline, str(result.target))
    return {
        "records": Cell(outside.baseline.records, (outside.everybody,)),
        "left_out": Cell(outside.baseline.left_out, (outside.left_out, outside.remaining)),
        "table": frame_content(frame, outside.behind),
    }
