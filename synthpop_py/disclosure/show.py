"""A result as a document: R's tables, our sentences, and both figures wherever R's is wrong."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, TypeAlias

import pandas as pd

from ..r.both import Change
from ..r.layouts import LAYOUTS, Layout
from ..r.reading import CORRECTED, VERSIONS
from ..show import Block, Cell, Document, Note, Section, Table, fill, text
from ..show.document import Column, Count, Words
from .baseline_show import baseline_blocks, baseline_sentence, outside_of
from .cells import VECTORS
from .defect_text import (
    THE_SAME,
    Behind,
    concerning,
    finding_notes,
    warning_section,
    where_it_is,
)
from .exclusions import REASONS
from .people import People, people_of, who_decides
from .result import Disclosure
from .result_frames import Tables, tables_of

Blocks: TypeAlias = tuple[Block, ...]
ANY = "any table"


@dataclass(frozen=True, slots=True)
class View:
    """A result with everything its document needs.

    Attributes
    ----------
    people : behind each synthesis.
    correct : the view of the correct result, where R's differs.
    """

    result: Disclosure
    tables: Tables
    people: tuple[People, ...]
    correct: View | None


def view_of(result: Disclosure) -> View:
    """R's tables, and the people behind them, taken from the result in one step."""
    return View(
        result=result,
        tables=tables_of(result._sets, VERSIONS[result.compat]),
        people=people_of(result),
        correct=None if result.corrected is None else view_of(result.corrected),
    )


def document(result: Disclosure, to_print: Sequence[str], digits: int) -> Document:
    """The document with the parts asked for."""
    view = view_of(result)
    headline_notes = tuple(headline(view))
    sections = []
    for blocks in _sections(view, to_print, digits):
        sections.append(Section(blocks))
    return Document(
        title=f"Disclosure risk for {result.target}",
        sections=tuple(sections),
        headline=headline_notes,
    )


def full_text(result: Disclosure, to_print: Sequence[str], digits: int) -> str:
    """The whole printed result."""
    return text.render(document(result, to_print, digits))


def _sections(view: View, to_print: Sequence[str], digits: int) -> Iterator[Blocks]:
    """The blocks of one section after the other."""
    everything = "all" in to_print
    remarks = _remarks(view.result)
    yield (_head(view),)
    if view.result.certainty < 1:
        yield (nearly_sure(view.result.certainty),)
    if _excluded(view):
        yield (left_out(view, pointer=_is_whole(to_print)),)
    if "short" in to_print:
        yield from both(view, partial(short_table, digits=digits))
    if everything:
        yield (Note((f"Call: {view.result.call}",)),)
    for name in CAPTIONS:
        if name in to_print or everything:
            yield from both(view, partial(measure_table, name=name, digits=digits))
    if view.result._baseline is not None:
        yield from _baseline(view, digits)
    for name in CHECKS:
        if name in to_print:
            yield from _check_tables(view, name)
        elif name in remarks:
            yield remarks[name]
    if "exclusions" in to_print:
        for j in range(view.result.m):
            yield from both(view, partial(ledger_table, j=j))
    if view.result.notes:
        yield fill.notes_section(view.result.notes).blocks
    yield from _defects(view.result, to_print)


def _is_whole(to_print: Sequence[str]) -> bool:
    """Whether the result as a whole is printed, short or full, and not single tables."""
    return "short" in to_print or "all" in to_print


def _defects(result: Disclosure, to_print: Sequence[str]) -> Iterator[Blocks]:
    """What is wrong in the printed figures, and a note if defects moved other figures."""
    shown = result.defects
    if not _is_whole(to_print):
        layout = LAYOUTS[VERSIONS[result.compat]]
        shown = concerning(shown, lambda figure: _part_with(figure, layout) in (*to_print, ANY))
    if shown:
        yield warning_section(defect_notes(replace(result, defects=shown))).blocks
    told = {finding.id for finding in shown}
    others = [finding.id for finding in result.defects if finding.id not in told]
    if others:
        yield (
            fill.note(
                f"R's defects moved other figures of this result ({', '.join(others)}); see"
                " .defects."
            ),
        )


def _part_with(figure: str, layout: Layout) -> str:
    """Which of the printed tables has a figure, given by its name."""
    if figure == "m":
        return ANY
    if figure.startswith("Nexclusions"):
        return "exclusions"
    for part, short in (("check_1way", "check1"), ("check_2way", "check2")):
        if figure.startswith((part, short)):
            return part
    if figure in layout.ident:
        return "ident"
    # denominators are those of the last table
    return "allCAPs" if figure in layout.caps | layout.denoms else "attrib"


def _baseline(view: View, digits: int) -> Iterator[Blocks]:
    outside = outside_of(view.result)
    if outside is not None:
        yield baseline_blocks(outside, digits)


def _head(view: View) -> Note:
    result = view.result
    syntheses = "1 synthesis" if result.m == 1 else f"{result.m} syntheses"
    records = Cell(result.Norig, (view.people[0].everybody,))
    return Note(
        (
            "Disclosure risk for ",
            records,
            f" original records, {syntheses}; keys: {_keys(view)}",
        )
    )


def nearly_sure(certainty: float) -> Note:
    """What the figures mean if less than certainty was asked for."""
    return Note((nearly_sure_words(certainty),))


def nearly_sure_words(certainty: float) -> str:
    """The sentence; empty for full certainty."""
    if certainty == 1:
        return ""
    share = f"{100 * certainty:.10g} %"
    return (
        f"Nearly sure: a target value counts as revealed if at least {share} of the records "
        "with the same keys have it, not only if all do."
    )


def _keys(view: View) -> str:
    return ", ".join(map(str, view.result.keys))


def _excluded(view: View) -> bool:
    """Whether any original record was left out of any count."""
    for ledger in view.tables.ledgers:
        of_the_original = ledger.iloc[0, :-1]
        if of_the_original.any():
            return True
    return False


def leaves_somebody_out(of_syntheses: Sequence[People]) -> bool:
    return any(people.left_out().n for people in of_syntheses)


def left_out(view: View, *, pointer: bool) -> Note:
    """How many people the figures leave out, and why."""
    everybody = view.people[0].everybody
    more = "; result.print('exclusions') has more." if pointer else "."
    return Note(
        (
            f"{_left_out_of(view)}: ",
            *left_out_words(view.people),
            ". Percentages are still of all ",
            Cell(int(everybody.n), (everybody,)),
            more,
        )
    )


def _left_out_of(view: View) -> str:
    """Identity risk leaves out records that lack a key; in R everyone left out for any reason
    (D17).
    """
    as_in_r = view.result.compat != CORRECTED
    people = view.people[0]
    keys_alone = people.left_out().n == people.removed("original", "missing in  keys").n
    return "Left out" if as_in_r or keys_alone else "Left out of attribute risk"


def left_out_words(of_syntheses: Sequence[People]) -> Words:
    """Such as "438 of 5000 people (target missing 438)"."""
    people = who_decides(of_syntheses)
    number, everybody = people.left_out(), people.everybody
    reasons: list[str | Cell] = []
    for reason in REASONS:
        removed = people.removed("original", reason.name)
        if removed.n:
            told = reason.told or reason.name
            reasons += [f"; {told} " if reasons else f"{told} ", Cell(int(removed.n), (removed,))]
    return (
        Cell(int(number.n), people.behind_left_out()),
        " of ",
        Cell(int(everybody.n), (everybody,)),
        " people (",
        *reasons,
        ")",
    )


# ---- the headline --------------------------------------------------------------------


def headline(view: View) -> Iterator[Note]:
    """The two headline measures, in sentences."""
    result = view.result
    over = "" if result.m == 1 else f", mean of {result.m} syntheses"
    unique = (
        f" of the original records are unique on {_keys(view)} in the original and in the"
        f" synthetic data (repU{over})."
    )
    how = "with certainty" if result.certainty == 1 else "nearly surely"
    disclosed = (
        f" of the original records the synthetic data reveal the value of {result.target} {how}"
        f" and correctly (DiSCO{over})."
    )
    yield Note((*_percentage(view, "repU"), unique))
    yield Note(("For ", *_percentage(view, "DiSCO"), disclosed))
    if result._baseline is not None:
        outside = outside_of(result)
        assert outside is not None, "there is a baseline"
        yield baseline_sentence(outside, result.digits)
    if _excluded(view):
        yield Note((f"{_left_out_of(view)}: ", *left_out_words(view.people), "."))


def _percentage(view: View, measure: str) -> Words:
    """A mean percentage, with the correct one beside it where R's is wrong."""
    digits = view.result.digits
    shown = _mean(view, measure, digits)
    if view.correct is None:
        return (shown,)
    beside = _mean(view.correct, measure, digits)
    if beside.value == shown.value:
        return (shown,)
    return shown, " (R; correct: ", beside, ")"


def _mean(view: View, measure: str, digits: int) -> Cell:
    """The mean of a measure over the syntheses."""
    values = []
    counts: list[Count] = []
    for people in view.people:
        values.append(people.figures.shares[measure].percent)
        counts += people.shares[measure]
    mean = sum(values) / len(values)
    return Cell(f"{mean:.{digits}f} %", tuple(counts))


# ---- both results --------------------------------------------------------------------


def both(view: View, make: Callable[[View], Table]) -> Iterator[Blocks]:
    """A table and, where it differs, the correct one in a separate section."""
    table = make(view)
    yield (table,)
    if view.correct is None:
        return
    other = replace(make(view.correct), caption=(THE_SAME,))
    if _lines(other) != _lines(table):
        yield (other,)


def _lines(*blocks: Block) -> list[str]:
    """What plain text shows, apart from captions."""
    lines = []
    for block in blocks:
        plain = replace(block, titled=False) if isinstance(block, Table) else block
        lines += text.block_lines(plain)
    return lines


# ---- R's tables ----------------------------------------------------------------------

CAPTIONS = {
    "ident": "Identity measures from keys {keys}, in % of records",
    "attrib": (
        "Attribute measures for {target} from keys {keys}, in % of records (max_denom, mean_denom:"
        " original records per cell)"
    ),
    "allCAPs": "Correct attribution probabilities for {target} from keys {keys}, in %",
}
# columns of R's short table: the measure of the original, and that of each synthesis
SHORT = {
    "Identity (UiO/repU)": ("UiO", "repU"),
    "Attrib (Dorig/DiSCO)": ("Dorig", "DiSCO"),
}


def short_table(view: View, digits: int) -> Table:
    """UiO and Dorig of the original, repU and DiSCO of each synthesis."""
    caption = (
        f"Identity risk, and attribute risk for {view.result.target}, in % of original records"
        " (higher is riskier)"
    )
    columns = []
    for heading, (of_original, of_synthesis) in SHORT.items():
        cells = [_share_cell(view.people[0], of_original)]
        for people in view.people:
            cells.append(_share_cell(people, of_synthesis))
        columns.append(Column(name=heading, cells=tuple(cells), digits=digits))
    syntheses = [f"Synthesis {people.synthesis}" for people in view.people]
    return Table(caption=(caption,), columns=tuple(columns), labels=("Original", *syntheses))


def _share_cell(people: People, measure: str) -> Cell:
    return Cell(people.figures.shares[measure].percent, people.shares[measure])


def measure_table(view: View, name: str, digits: int) -> Table:
    caption = CAPTIONS[name].format(target=view.result.target, keys=_keys(view))
    return fill.table_of(
        view.tables.measures[name], caption, digits=digits, people=measure_people(view)
    )


def measure_people(view: View) -> fill.People:
    """The people behind the entries of `ident`, `attrib`, `allCAPs` and `attrib_denoms`."""
    return lambda row, column: view.people[row].behind_figure(column)


def ledger_table(view: View, j: int) -> Table:
    caption = f"Records removed from each count, by reason, synthesis {j + 1}"
    return fill.table_of(view.tables.ledgers[j], caption, people=view.people[j].behind_ledger)


# ---- what may be common knowledge ----------------------------------------------------


@dataclass(frozen=True, slots=True)
class Check:
    """The texts for one of R's two checks.

    Attributes
    ----------
    caption : of its tables.
    nothing : the sentence if nothing is flagged.
    """

    caption: str
    nothing: str


CHECKS = {
    "check_1way": Check(
        caption="Target level behind most disclosive records of {target}",
        nothing="No single level of the target stands out.",
    ),
    "check_2way": Check(
        caption="Pairs of {target} and a key that nearly always go together",
        nothing="No pair of target and key stands out.",
    ),
}


def _remarks(result: Disclosure) -> dict[str, Blocks]:
    """Where to find what a check has flagged, by the check."""
    remarks = {}
    if result.check1 is not None:
        remarks["check_1way"] = _look_at_the_level(result.target, result.check1)
    if result.check2 is not None:
        remarks["check_2way"] = _look_at_the_pairs(result.target, result.check2)
    return remarks


def _look_at_the_level(target: Any, level: str) -> Blocks:
    how = f"adding {level!r} to not_targetlev"
    if level == "Missing":
        how = "usetargetNA=False"
    flagged = (
        f"Look at level {level} of {target}: most disclosive records have it, so it may be common"
        " knowledge."
    )
    return Note((flagged,)), Note((f"result.print('check_1way') shows it; {how} leaves it out.",))


def _look_at_the_pairs(target: Any, number: int) -> Blocks:
    pairs = "pair" if number == 1 else "pairs"
    flagged = f"Look at {number} {pairs} of {target} and a key that nearly always go together."
    how = (
        "result.print('check_2way') shows them; exclude_keys, exclude_keylevs and"
        " exclude_targetlevs leave them out, exclude_ov_denom_lim=True leaves out large cells."
    )
    return Note((flagged,)), Note((how,))


def _check_tables(view: View, name: str) -> Iterator[Blocks]:
    caption = _check_caption(view, name)
    blocks = check_blocks(view, name)
    yield Note((f"{caption}:",)), *blocks
    if view.correct is None:
        return
    others = check_blocks(view.correct, name)
    if _lines(*others) != _lines(*blocks):
        yield Note((f"{THE_SAME}:",)), *others


def _check_caption(view: View, name: str) -> str:
    return CHECKS[name].caption.format(target=view.result.target)


def check_blocks(view: View, name: str) -> list[Block]:
    """One table per synthesis, or the sentence that there is none."""
    blocks: list[Block] = []
    frames = check_frames(view, name)
    for j, frame in enumerate(frames):
        if len(frames) > 1:
            blocks.append(Note((f"synthesis {j + 1}",)))
        if frame is None:
            blocks.append(Note((CHECKS[name].nothing,)))
            continue
        caption = f"{_check_caption(view, name)}, synthesis {j + 1}"
        people = check_people(view, name, j)
        blocks.append(fill.table_of(frame, caption, people=people, titled=False))
    return blocks


def check_frames(view: View, name: str) -> list[pd.DataFrame | None]:
    tables = view.tables
    return tables.check_1way if name == "check_1way" else tables.check_2way


def check_people(view: View, name: str, j: int) -> fill.People:
    people = view.people[j]
    if name == "check_1way":
        return lambda row, column: people.behind_level(column)
    return people.behind_pair


# ---- what is wrong in R's figures ----------------------------------------------------


def defect_notes(result: Disclosure, *, pointer: bool = True) -> Iterator[Note]:
    """What is wrong in R's figures for this call, with the correct ones."""
    if not result.defects:
        return
    yield fill.note(
        f"R's figures (synthpop {VERSIONS[result.compat]}) for target {result.target!r} are not"
        " those of the published definitions:"
    )
    yield from finding_notes(
        result.defects,
        several=result.m > 1,
        behind=people_behind_changes(result),
    )
    if pointer and result.corrected is not None:
        yield where_it_is()


def people_behind_changes(result: Disclosure) -> Behind:
    """A function for the people behind R's figure of a change, and behind the correct one."""
    as_r = people_of(result)
    correctly = as_r if result.corrected is None else people_of(result.corrected)
    # names are those of R's tables, and the tables of the earlier version have their own
    measures = LAYOUTS[VERSIONS[result.compat]].columns

    def behind(change: Change) -> tuple[tuple[Count, ...], tuple[Count, ...]]:
        synthesis, shown, r, correct = change
        measure = measures.get(shown, shown)
        return (
            _behind(as_r, synthesis, measure, r),
            _behind(correctly, synthesis, measure, correct),
        )

    return behind


def _behind(
    people: Sequence[People], synthesis: int, measure: str, value: Any
) -> tuple[Count, ...]:
    if measure in ("m", "check1", "check2") or measure.endswith(" rows") or value is None:
        return ()
    if not 1 <= synthesis <= len(people):
        return ()
    of_synthesis = people[synthesis - 1]
    if measure.startswith("Nexclusions["):
        vector, column = measure.removeprefix("Nexclusions[").removesuffix("]").split(", ", 1)
        return of_synthesis.behind_ledger(VECTORS.index(vector), column)
    if measure.startswith("check_"):
        # one figure of a level or pair without its other figures: assumed to be the smallest
        return (Count(name=f"{measure} is {value}", n=1.0),)
    if measure in of_synthesis.shares:
        return of_synthesis.shares[measure]
    return of_synthesis.behind_figure(measure)
