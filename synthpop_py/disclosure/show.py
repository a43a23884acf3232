"""A result as a document: R's tables, our sentences, and both figures wherever R's is wrong."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import pandas as pd

from ..r.both import Change
from ..r.layouts import LAYOUTS
from ..r.reading import VERSIONS
from ..show import Block, Cell, Document, Note, Section, Table, fill, text
from ..show.document import Count, Words
from .defect_text import (
    THE_SAME,
    finding_notes,
    warning_section,
    where_it_is,
)
from .people import People, everybody
from .result import Disclosure

CHECKED = ("check_1way", "check_2way")


def document(result: Disclosure, to_print: Sequence[str], digits: int) -> Document:
    """All that is asked for."""
    return Document(
        title=f"Disclosure risk for {result.target}",
        sections=tuple(_sections(result, to_print, digits)),
        headline=tuple(headline(result)),
    )


def full_text(result: Disclosure, to_print: Sequence[str], digits: int) -> str:
    """The whole printed result."""
    return text.render(document(result, to_print, digits))


def _sections(result: Disclosure, to_print: Sequence[str], digits: int) -> Iterator[Section]:
    everything = "all" in to_print
    yield fill.section(_head(result))
    if _excluded(result) and "exclusions" not in to_print:
        yield fill.section(
            fill.note(
                "Some records were excluded; result.print('exclusions') shows how many and why."
            )
        )
    if "short" in to_print:
        yield from both(result, partial(short_table, digits=digits))
    if everything:
        yield fill.section(fill.note(f"Call: {result.call}"))
    for name in _CAPTIONS:
        if name in to_print or everything:
            yield from both(result, partial(measure_table, name=name, digits=digits))
    yield from _checks(result, to_print)
    if "exclusions" in to_print:
        for j in range(result.m):
            yield from both(result, partial(ledger_table, j=j))
    if result.defects:
        yield warning_section(defect_notes(result))


def _keys(result: Disclosure) -> str:
    return ", ".join(map(str, result.keys))


def _head(result: Disclosure) -> Note:
    syntheses = "1 synthesis" if result.m == 1 else f"{result.m} syntheses"
    records = Cell(result.Norig, (everybody(result.Norig),))
    return fill.note(
        "Disclosure risk for ", records, f" original records, {syntheses}; keys: {_keys(result)}"
    )


def _excluded(result: Disclosure) -> bool:
    """Whether any original record was left out of any count."""
    return any(int(table.iloc[0, :-1].sum()) for table in result.Nexclusions)


def headline(result: Disclosure) -> Iterator[Note]:
    """The two measures people decide on, in sentences."""
    over = "" if result.m == 1 else f", mean of {result.m} syntheses"
    yield fill.note(
        *_percentage(result, "repU"),
        f" of the original records are unique on {_keys(result)} in the original and in the"
        f" synthetic data (repU{over}).",
    )
    yield fill.note(
        "Of ",
        *_percentage(result, "DiSCO"),
        f" the synthetic data reveal the value of {result.target} with certainty and correctly"
        f" (DiSCO{over}).",
    )


def _percentage(result: Disclosure, measure: str) -> Words:
    """A mean percentage, with the correct one beside it where R's is wrong."""
    value, people = _mean(result, measure)
    shown = f"{value:.{result.digits}f} %"
    if result.corrected is None:
        return (Cell(shown, people),)
    correct, others = _mean(result.corrected, measure)
    beside = f"{correct:.{result.digits}f} %"
    if beside == shown:
        return (Cell(shown, people),)
    return Cell(shown, people), " (R; correct: ", Cell(beside, others), ")"


def _mean(result: Disclosure, measure: str) -> tuple[float, tuple[Count, ...]]:
    values = []
    people: list[Count] = []
    for j in range(result.m):
        values.append(result.shares[j][measure].percent)
        people += People(result, j).behind_share(measure)
    return sum(values) / len(values), tuple(people)


# ---- both results --------------------------------------------------------------------


def both(result: Disclosure, make: Callable[[Disclosure], Table]) -> Iterator[Section]:
    """A table and, where it differs, the correct one below it."""
    table = make(result)
    yield fill.section(table)
    if result.corrected is None:
        return
    other = replace(make(result.corrected), caption=fill.words(THE_SAME))
    if _lines(other) != _lines(table):
        yield fill.section(other)


def _lines(*blocks: Block) -> list[str]:
    """What plain text shows, apart from captions."""
    lines = []
    for block in blocks:
        plain = replace(block, titled=False) if isinstance(block, Table) else block
        lines += text.block_lines(plain)
    return lines


# ---- R's tables ----------------------------------------------------------------------

_CAPTIONS = {
    "ident": "Identity measures from keys {keys}, in % of records",
    "attrib": (
        "Attribute measures for {target} from keys {keys}, in % of records (max_denom, mean_denom:"
        " original records per cell)"
    ),
    "allCAPs": "Correct attribution probabilities for {target} from keys {keys}, in %",
}


def short_frame(result: Disclosure) -> pd.DataFrame:
    """R's short table: UiO and Dorig of the original, repU and DiSCO of each synthesis."""
    labels = ["Original", *(f"Synthesis {j}" for j in result.ident.index)]
    return pd.DataFrame(
        {
            "Identity (UiO/repU)": [result.ident["UiO"].iloc[0], *result.ident["repU"]],
            "Attrib (Dorig/DiSCO)": [result.attrib["Dorig"].iloc[0], *result.attrib["DiSCO"]],
        },
        index=labels,
    )


def short_table(result: Disclosure, digits: int) -> Table:
    measures = {
        "Identity (UiO/repU)": ("UiO", "repU"),
        "Attrib (Dorig/DiSCO)": ("Dorig", "DiSCO"),
    }

    def people(row: int, column: str) -> tuple[Count, ...]:
        of_original, of_synthesis = measures[column]
        if row == 0:
            return People(result, 0).behind_share(of_original)
        return People(result, row - 1).behind_share(of_synthesis)

    caption = (
        f"Identity risk, and attribute risk for {result.target}, in % of original records (higher"
        " is riskier)"
    )
    return fill.table_of(short_frame(result), caption, digits=digits, people=people)


def measure_people(result: Disclosure) -> fill.People:
    """Behind the entries of `ident`, `attrib`, `allCAPs` and `attrib_denoms`."""
    return lambda row, column: People(result, row).behind_figure(column)


def measure_table(result: Disclosure, name: str, digits: int) -> Table:
    caption = _CAPTIONS[name].format(target=result.target, keys=_keys(result))
    frame: pd.DataFrame = getattr(result, name)
    return fill.table_of(frame, caption, digits=digits, people=measure_people(result))


def ledger_table(result: Disclosure, j: int) -> Table:
    caption = f"Records removed from each count, by reason, synthesis {j + 1}"
    people = People(result, j).behind_ledger
    return fill.table_of(result.Nexclusions[j], caption, people=people)


# ---- what may be common knowledge ----------------------------------------------------


def _checks(result: Disclosure, to_print: Sequence[str]) -> Iterator[Section]:
    if "check_1way" in to_print:
        yield from _check_sections(result, "check_1way")
    elif result.check1 is not None:
        yield fill.section(
            fill.note(
                f"Look at level {result.check1} of {result.target}: most disclosive records have"
                " it, so it may be common knowledge."
            ),
            fill.note(
                f"result.print('check_1way') shows it; {_leave_out(result.check1)} leaves it out."
            ),
        )
    if "check_2way" in to_print:
        yield from _check_sections(result, "check_2way")
    elif result.check2 is not None:
        pairs = "pair" if result.check2 == 1 else "pairs"
        yield fill.section(
            fill.note(
                f"Look at {result.check2} {pairs} of {result.target} and a key that nearly always"
                " go together."
            ),
            fill.note(
                "result.print('check_2way') shows them; exclude_keys, exclude_keylevs and"
                " exclude_targetlevs leave them out, exclude_ov_denom_lim=True leaves out large"
                " cells."
            ),
        )


def _leave_out(level: str) -> str:
    return "usetargetNA=False" if level == "Missing" else f"adding {level!r} to not_targetlev"


def _check_sections(result: Disclosure, name: str) -> Iterator[Section]:
    blocks = check_blocks(result, name)
    yield fill.section(fill.note(f"{_check_caption(result, name)}:"), *blocks)
    if result.corrected is None:
        return
    others = check_blocks(result.corrected, name)
    if _lines(*others) != _lines(*blocks):
        yield fill.section(fill.note(f"{THE_SAME}:"), *others)


def _check_caption(result: Disclosure, name: str) -> str:
    if name == "check_1way":
        return f"Target level behind most disclosive records of {result.target}"
    return f"Pairs of {result.target} and a key that nearly always go together"


_NOTHING = {
    "check_1way": "No single level of the target stands out.",
    "check_2way": "No pair of target and key stands out.",
}


def check_blocks(result: Disclosure, name: str) -> list[Block]:
    """One table per synthesis, or the sentence that there is none."""
    blocks: list[Block] = []
    frames: list[pd.DataFrame | None] = getattr(result, name)
    for j, frame in enumerate(frames):
        if len(frames) > 1:
            blocks.append(fill.note(f"synthesis {j + 1}"))
        if frame is None:
            blocks.append(fill.note(_NOTHING[name]))
            continue
        caption = f"{_check_caption(result, name)}, synthesis {j + 1}"
        people = check_people(result, name, j)
        blocks.append(fill.table_of(frame, caption, people=people, titled=False))
    return blocks


def check_people(result: Disclosure, name: str, j: int) -> fill.People:
    people = People(result, j)
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
        result.defects, several=result.m > 1, behind=lambda change: behind_change(result, change)
    )
    if pointer and result.corrected is not None:
        yield where_it_is()


def behind_change(
    result: Disclosure, change: Change
) -> tuple[tuple[Count, ...], tuple[Count, ...]]:
    """The people behind R's figure and the correct one."""
    correct = result if result.corrected is None else result.corrected
    # names are those of R's tables, and the tables of the earlier version have their own
    names = LAYOUTS[VERSIONS[result.compat]].caps
    synthesis, measure = change[0], names.get(change[1], change[1])
    return (
        _behind(result, synthesis, measure, change[2]),
        _behind(correct, synthesis, measure, change[3]),
    )


def _behind(result: Disclosure, synthesis: int, measure: str, value: Any) -> tuple[Count, ...]:
    if measure in ("m", "check1", "check2") or measure.endswith(" rows") or value is None:
        return ()
    if not 1 <= synthesis <= result.m:
        return ()
    people = People(result, synthesis - 1)
    if measure.startswith("Nexclusions["):
        vector = measure.removeprefix("Nexclusions[").split(",")[0]
        row = list(result.Nexclusions[0].index).index(vector)
        column = measure.removesuffix("]").split(", ", 1)[1]
        return people.behind_ledger(row, column)
    if measure.startswith("check_"):
        # one figure of a level or pair, whose other figures are not at hand: taken as the smallest
        return (fill.count(f"{measure} is {value}", 1),)
    if measure in result.shares[synthesis - 1]:
        return people.behind_share(measure)
    return people.behind_figure(measure)
