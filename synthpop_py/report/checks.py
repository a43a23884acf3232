"""Can these files be compared? The values of each column, asked through `open_table` and its one
question, `count_by`, and what makes a figure too low or meaningless, with its repair.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterator, Mapping
from shlex import quote
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pandas as pd

from ..arguments import listed
from ..rounding import people, percent, shown
from ..synds import SynDS
from ..tables.api import open_table

if TYPE_CHECKING:
    from .evidence import Call, Evidence

NUMBERS, TEXT, OTHER = "numbers", "text", "other values"
KINDS = {"integer": NUMBERS, "double": NUMBERS, "factor": TEXT, "character": TEXT}
MANY_VALUES = 20  # a number with more different values is judged in classes
NUMERAL = re.compile(r"[+-]?(\d{1,3}([.\s']\d{3})+|\d+)(,\d+)?|[+-]?\d+\.\d+")
LEADING_ZERO = re.compile(r"0\d")  # a postcode, not a number
CODES = (99, 999, 9999, 99999, 999999)
Finding = dict[str, str | bool]


class Levels(NamedTuple):
    """The values of a column that are not missing: their kind, and the records of each."""

    kind: str
    n: pd.Series


class Tables:
    """The original and the synthetic tables of a call.

    Attributes
    ----------
    tables : the original, then each synthesis.
    common : columns that all of them have.
    special : codes of numeric columns, by column: given, or brought by the synthesis.
    """

    def __init__(self, synthetic: Any, original: Any, counts: Any = None, cont_na: Any = None):
        self.tables = [open_table(one) for one in (original, *as_list(synthetic))]
        self.counts = counts
        brought = synthetic.cont_na if isinstance(synthetic, SynDS) else {}
        self.special = {**brought, **(cont_na if isinstance(cont_na, Mapping) else {})}
        everywhere = set.intersection(*(set(table.columns) for table in self.tables))
        self.common = [c for c in self.tables[0].columns if c in everywhere and c != counts]
        self._known: dict[tuple[Hashable, int], Levels] = {}

    def levels(self, name: Hashable, table: int = 0) -> Levels:
        """Of the original, or of a synthesis (from 1)."""
        if (name, table) not in self._known:
            self._known[name, table] = _levels(self.tables[table], name, self.counts)
        return self._known[name, table]

    def is_number(self, name: Hashable) -> bool:
        return self.levels(name).kind == NUMBERS

    def has_many_numbers(self, name: Hashable) -> bool:
        """Whether a column holds so many different numbers that few would match."""
        values = self.levels(name).n.index.difference(listed(self.special.get(name)))
        return self.is_number(name) and len(values) > MANY_VALUES

    def is_identifier(self, name: Hashable) -> bool:
        """Whether nearly everybody has a value of their own; whole numbers must differ for all,
        because amounts of money nearly do.
        """
        kind, n = self.levels(name)
        if kind == NUMBERS:
            return len(n) == n.sum() >= MANY_VALUES and bool((n.index == np.trunc(n.index)).all())
        return kind == TEXT and n.sum() >= MANY_VALUES and len(n) >= 0.95 * n.sum()


def as_list(synthetic: Any) -> list[Any]:
    """Synthetic data in any form as a list of tables."""
    if isinstance(synthetic, SynDS):
        return list(synthetic.syn)
    if isinstance(synthetic, Mapping):
        return list(synthetic.values())
    return list(synthetic) if isinstance(synthetic, (list, tuple)) else [synthetic]


def _levels(table: Any, name: Hashable, counts: Hashable | None) -> Levels:
    weighted = counts is not None and counts in table.columns
    counted = table.count_by([name, counts] if weighted else [name])
    column = counted.columns[name]
    n = np.ones(counted.rows, dtype=np.int64) if counted.n is None else counted.n
    if weighted:
        n = n * counted.columns[counts].values.astype(np.int64)
    here = np.ones(counted.rows, dtype=bool) if column.missing is None else ~column.missing
    values, place = np.unique(column.values[here], return_inverse=True)
    texts = [column.labels[value] for value in values] if column.labels else values
    records = np.bincount(place, weights=n[here], minlength=len(values)).astype(np.int64)
    return Levels(KINDS.get(column.kind, OTHER), pd.Series(records, index=texts))


def typed(word: object, *, in_list: bool = False) -> str:
    """A word of a command that nothing in a shell changes or runs."""
    text = str(word)
    return quote(f'"{text}"' if in_list and "," in text else text)


def findings(call: Call, found: Evidence) -> list[Finding]:
    """What to look at in the columns of a call, the worst first: column, text, the option that
    repairs it in Python and on the command line, and whether figures about the column are
    meaningless (fatal). Of identifiers that are not used only that they are such.
    """
    rows: list[Finding] = []
    tables, to = call.tables, call.to
    used = [*call.keys, *call.targets]
    for name in dict.fromkeys([*used, *call.identifiers]):
        seen: list[tuple[str, ...]] = []
        in_classes = name in found.classes or name in found.first.groupings
        if name in used:
            seen = list(_mismatches(found, name)) or list(_numbers_as_text(tables, name))
            if not seen and not in_classes:
                seen = list(_rarely_met(tables, name, to))
            seen += _missing_codes(tables, name, to)
        if tables.is_identifier(name) and not in_classes:
            said = "differs for nearly everybody: an identifier, which no release should have"
            seen.append((said, "drop the column", f"--drop {typed(name, in_list=True)}"))
        for text, option, command, *fatal in seen:
            row = {"column": str(name), "text": text, "option": option, "command": command}
            rows.append(row | {"fatal": bool(fatal)})
    return sorted(rows, key=lambda row: not row["fatal"])


def _mismatches(found: Evidence, name: Hashable) -> Iterator[tuple[str, ...]]:
    """What the results say of values that cannot match, or only in part: finding; repair."""
    of_target = found.results[name].notes if name in found.results else ()
    for note in (*of_target, *found.summary.notes):
        said = note.partition(f"column {name!r}: ")[2]
        text, _, repair = said.partition("; ")
        if repair:
            how = repair.rpartition(": ")[2].partition(", for instance")[0]
            fatal = ["fatal"] if is_uncompared(note) else []
            yield text, how, "--dates" if "dates" in how else "", *fatal
            return


def is_uncompared(note: str) -> bool:
    """Whether figures about the column of a note mean nothing."""
    signs = ("in common with the original", "every value is missing", "no synthetic record is in")
    return any(sign in note for sign in signs)


def _rarely_met(tables: Tables, name: Hashable, to: int) -> Iterator[tuple[str, ...]]:
    """Amounts of which few are in both tables."""
    n = tables.levels(name).n
    everybody = int(n.sum())
    for place in range(1, len(tables.tables)):
        met = int(n[n.index.isin(tables.levels(name, place).n.index)].sum())
        if everybody and met < everybody / 2 and tables.has_many_numbers(name):
            share = percent(shown(met, everybody, to=to), shown(everybody, everybody, to=to), to)
            said = f"only {share} of the people have a value that the synthetic data have too"
            yield said, "put it into classes", f"--ngroups-keys {typed(f'{name}=5')}"
            return


def _numbers_as_text(tables: Tables, name: Hashable) -> Iterator[tuple[str, ...]]:
    for place in range(len(tables.tables)):
        kind, n = tables.levels(name, place)
        texts = [str(level).strip() for level in n.index]
        numbers = [text for text in texts if NUMERAL.fullmatch(text)]
        few = len(texts) <= MANY_VALUES or len(numbers) < 0.9 * len(texts)
        if kind == TEXT and not few and not any(map(LEADING_ZERO.match, texts)):
            said = "numbers read as text, so classes and missing codes have no effect"
            if any("," in text for text in numbers):
                yield f"{said} (decimal comma)", 'decimal=","', "--decimal ,"
            else:
                yield said, "read it as numbers", ""
            return


def _missing_codes(tables: Tables, name: Hashable, to: int) -> Iterator[tuple[str, ...]]:
    """Negative whole numbers where all others are positive, and 99, 999, ... far above them."""
    kind, n = tables.levels(name)
    if kind != NUMBERS:
        return
    usual = n[~n.index.isin(listed(tables.special.get(name)))].sort_index()
    values = usual.index.to_numpy(dtype=float)
    below, rest = values[values < 0], values[values >= 0]
    if len(rest) < 3:
        return
    codes = below.tolist() if len(below) <= 4 and (below == np.trunc(below)).all() else []
    if rest[-1] in CODES and rest[-1] - rest[-2] > 0.5 * (rest[-2] - rest[0]):
        codes.append(rest[-1])
    codes = [code for code in codes if usual[code] >= max(to, 2)]
    if codes:
        many = people(shown(int(usual[codes].sum()), int(n.sum()), to=to), to=to)
        listing = ",".join(f"{code:g}" for code in codes)
        said = f"{many} people have {listing}, far from the rest: missing codes?"
        yield (
            said,
            f"cont_na={{{str(name)!r}: [{listing}]}}",
            f"--missing {typed(f'{name}={listing}')}",
        )
