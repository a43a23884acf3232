"""The table of targets, and the way from everybody to those disclosed for the worst of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from ..disclosure.baseline_show import outside_of
from ..disclosure.result import Disclosure
from ..plots.left_out import base_counts
from ..show import Block, Cell, Column, Figure, Section, Table, fill
from ..summary.show import behind
from .evidence import Evidence
from .figures import Labels, Target

HEADING = "Risk of each target"
FUNNELS = "From everybody to those disclosed"
MOST_FUNNELS = 3
DIGITS = 2
STEPS = {
    "iS": "keys found in the synthetic data",
    "DiS": "only one value of the target there",
    "DiSCO": "and it is the true one",
    "DiSDiO": "and the original itself leaves only that one",
}

Drawing = Callable[..., Any]
Drawings = dict[str, Drawing]


def section(
    evidence: Evidence, worst_first: Sequence[Target], labels: Labels, drawings: Drawings
) -> Section:
    blocks: list[Block] = [
        fill.note(
            "Each row is one thing that could be learnt about a person, the riskiest first. The"
            " higher, the riskier, with two exceptions: the original itself (Dorig) and a guess"
            " without keys (baseCAPd) are the same for every release, and are there to compare"
            " with."
        ),
        target_table(worst_first, labels),
        identity_table(worst_first[0]),
    ]
    if evidence.summary is not None and len(worst_first) > 1:
        blocks.append(_picture(evidence, drawings))
    return Section(tuple(blocks), heading=HEADING)


def target_table(worst_first: Sequence[Target], labels: Labels) -> Table:
    columns = [
        Column("target", tuple(Cell(str(target.name)) for target in worst_first)),
        _column("people disclosed (DiSCO)", worst_first, lambda t: t.number("DiSCO"), None),
        _column("% of all people", worst_first, lambda t: t.percent("DiSCO")),
        _column("certain about (DiS), people", worst_first, lambda t: t.number("DiS"), None),
        _column("of these correct (TCAP_DiS), %", worst_first, lambda t: t.percent("TCAP_DiS")),
        _column("the original itself (Dorig), %", worst_first, lambda t: t.percent("Dorig")),
        _column("a guess with keys (DCAPd), %", worst_first, lambda t: t.percent("DCAPd")),
        _column("without keys (baseCAPd), %", worst_first, lambda t: t.percent("baseCAPd")),
        Column("may be common knowledge", tuple(Cell(_flag(t.result)) for t in worst_first)),
    ]
    caption = (
        "Attribute risk from keys ",
        ", ".join(map(labels.of, worst_first[0].keys)),
        "; % of ",
        worst_first[0].everybody,
        " people unless said otherwise",
    )
    return Table(caption=caption, columns=tuple(columns))


def _column(
    name: str,
    targets: Sequence[Target],
    cell: Callable[[Target], Cell],
    digits: int | None = DIGITS,
) -> Column:
    return Column(name, tuple(map(cell, targets)), digits=digits)


def _flag(result: Disclosure) -> str:
    flags = []
    if result.check1 is not None:
        flags.append("one level")
    if result.check2 is not None:
        flags.append(f"{result.check2} pair{'s' if result.check2 != 1 else ''}")
    return ", ".join(flags) or "no"


def identity_table(target: Target) -> Table:
    """Who can be found; the same for every target."""
    meanings = {
        "UiO": "unique in the original",
        "UiOiS": "… and their combination is in the synthetic data",
        "repU": "… exactly once (replicated uniques)",
    }
    names = tuple(f"{name}: {meaning}" for name, meaning in meanings.items())
    columns = (
        Column("who", tuple(map(Cell, names))),
        Column("people", tuple(target.number(name) for name in meanings)),
        Column("% of all people", tuple(map(target.percent, meanings)), digits=DIGITS),
    )
    return Table(caption=("Identity risk, whatever the target",), columns=columns)


def _picture(evidence: Evidence, drawings: Drawings) -> Figure:
    from ..plots import plot_targets

    summary = evidence.summary
    assert summary is not None, "asked for where there is one"
    shows = []
    for row in summary.rows:
        for figure in ("attrib_orig", "attrib_syn"):
            shows.append(Cell(None, behind(summary, row, figure)))
    for result in summary.output_list.values():
        shows += [Cell(None, tuple(counts)) for counts in base_counts(result)]
    drawings["targets"] = lambda **look: plot_targets(summary, **look)
    return Figure(
        caption=(
            "Attribute risk of each target: from what the original itself leaves certain to what"
            " the synthetic data reveal. The table above has the figures.",
        ),
        drawn_by="targets",
        shows=tuple(shows),
    )


# ---- funnels -------------------------------------------------------------------------


def funnels(worst_first: Sequence[Target], labels: Labels, drawings: Drawings) -> Section:
    worst = worst_first[:MOST_FUNNELS]
    said = "the worst target" if len(worst) == 1 else f"the {len(worst)} worst targets"
    blocks: list[Block] = [
        fill.note(
            f"For {said}: how many people are left at each step. Somebody looks for a person's"
            " keys in the synthetic data, finds records with only one value of the target, and"
            " believes it."
        )
    ]
    for number, target in enumerate(worst, start=1):
        blocks += _funnel(target, f"funnel-{number}", labels, drawings)
    return Section(tuple(blocks), heading=FUNNELS)


def _of_non_members(target: Target) -> Iterator[Cell]:
    """What the picture shows about people who were not in the data."""
    outside = outside_of(target.result)
    if outside is not None:
        yield Cell(None, (outside.everybody, outside.left_out, outside.remaining))
        for one in outside.baseline.measures:
            if one.measure in STEPS:
                yield Cell(None, outside.others(one))


def _funnel(target: Target, key: str, labels: Labels, drawings: Drawings) -> Iterator[Block]:
    from ..plots import plot_funnel

    people = target.people[0]
    shows = [Cell(None, people.shares[step]) for step in STEPS]
    shows += [Cell(None, tuple(counts)) for counts in base_counts(target.result)]
    shows += _of_non_members(target)
    drawings[key] = lambda **look: plot_funnel(target.result, **look)
    of = " (first synthesis)" if target.result.m > 1 else ""
    figures: list[str | Cell] = []
    for step in STEPS:
        percent = people.figures.shares[step].percent
        shown = "no figure" if percent != percent else f"{percent:.2f} %"
        figures += [f"{', ' if figures else ''}{step} ", Cell(shown, people.shares[step])]
    yield Figure(
        caption=(f"{labels.of(target.name)}{of}, of all people: ", *figures, "."),
        drawn_by=key,
        shows=tuple(shows),
    )
