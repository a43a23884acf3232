"""Can these files be compared? What makes a figure too low or meaningless, with its repair."""

from __future__ import annotations

import re
from collections.abc import Hashable, Mapping, Sequence
from shlex import quote
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from ..arguments import listed
from ..rounding import people, shown
from ..synds import SynDS
from ..tables.api import open_table
from ..tables.comparable import MOST

if TYPE_CHECKING:
    from .study import Study

NUMBERS, TEXT = ("integer", "double"), ("factor", "character")
MANY_VALUES = 20  # a number with more different values is judged in classes
NUMERAL = re.compile(r"[+-]?(\d{1,3}([.\s']\d{3})+|\d+)(,\d+)?|[+-]?\d+\.\d+")
LEADING_ZERO = re.compile(r"0\d")  # a postcode, not a number
CODES = (99, 999, 9999, 99999, 999999)
NEVER_MET = (
    "in common with the original",
    "every value is missing",
    "no synthetic record is in",
    MOST,
)
IDENTIFIER = "differs for nearly everybody: an identifier, which no release should have"
AS_TEXT = "numbers read as text, so classes and missing codes have no effect"
Facts = dict[str, Any]


class Tables:
    """The original and the synthetic `tables`, the columns that are in all of them (`common`), and
    codes of numeric columns, given or brought by the synthesis (`special`).
    """

    def __init__(self, synthetic: Any, original: Any, counts: Any = None, cont_na: Any = None):
        self.tables: list[Any] = [open_table(one) for one in (original, *as_list(synthetic))]
        self.counts = counts
        self.special = dict(synthetic.cont_na) if isinstance(synthetic, SynDS) else {}
        self.special |= cont_na if isinstance(cont_na, Mapping) else {}
        everywhere = set.intersection(*(set(table.columns) for table in self.tables)) - {counts}
        self.common = [name for name in self.tables[0].columns if name in everywhere]
        self._known: dict[tuple[Hashable, int], pd.Series] = {}

    def levels(self, name: Hashable, table: int = 0) -> pd.Series:
        """The records of each value of a column, missing ones apart. Its name is their kind."""
        if (name, table) in self._known:
            return self._known[name, table]
        weighted = self.counts is not None and self.counts in self.tables[table].columns
        counted = self.tables[table].count_by([name, self.counts] if weighted else [name])
        column = counted.columns[name]
        n = np.ones(counted.rows, dtype=np.int64) if counted.n is None else counted.n
        if weighted:
            n = n * counted.columns[self.counts].values.astype(np.int64)
        records = pd.Series(n, index=column.values, name=column.kind)
        if column.missing is not None:
            records = records[~column.missing]
        records = records.groupby(level=0).sum()
        if column.labels:
            texts = [column.labels[code] for code in records.index]
            records.index = pd.Index(texts, dtype=object)
        self._known[name, table] = records
        return records

    def is_number(self, name: Hashable) -> bool:
        return self.levels(name).name in NUMBERS

    def has_many_numbers(self, name: Hashable) -> bool:
        """Whether a column holds so many different numbers that few would match."""
        amounts = self.levels(name).drop(listed(self.special.get(name)), errors="ignore")
        return self.is_number(name) and len(amounts) > MANY_VALUES

    def is_identifier(self, name: Hashable) -> bool:
        """Whether nearly everybody has a value of their own; of numbers all, because money does."""
        n = self.levels(name)
        share = len(n) / max(n.sum(), MANY_VALUES)
        if n.name in TEXT:
            return bool(share >= 0.95)
        return share == 1 and n.name in NUMBERS and _are_whole(n.index)


def _are_whole(values: Any) -> bool:
    return bool((values == np.trunc(values)).all())


def as_list(synthetic: Any) -> list[Any]:
    """Synthetic data in any form as a list of tables."""
    if isinstance(synthetic, SynDS):
        return list(synthetic.syn)
    if isinstance(synthetic, Mapping):
        return list(synthetic.values())
    return list(synthetic) if isinstance(synthetic, (list, tuple)) else [synthetic]


def typed(option: str, word: object) -> str:
    """An option with a value that nothing in a shell changes or runs."""
    text = str(word)
    if option == "--drop" and "," in text:  # a list of names
        text = f'"{text}"'
    return f"{option} {quote(text)}"


def findings(study: Study) -> list[Facts]:
    """What to look at in each column, the worst first; fatal: figures about it mean nothing."""
    rows: list[Facts] = []
    used = [*study.keys, *study.targets]
    for name in dict.fromkeys([*used, *study.identifiers]):
        seen = [_identifier(study, name)]
        if name in used:
            one = _mismatch(study, name) or _numbers_as_text(study, name)
            seen = [one, _missing_codes(study, name), *seen]
        about = {"column": str(name), "label": study.labels[name]}
        rows += [about | row for row in seen if row]
    return sorted(rows, key=lambda row: not row["fatal"])


def _found(text: str, option: str, command: str = "", fatal: bool = False) -> Facts:
    return {"text": text, "option": option, "command": command, "fatal": fatal}


def _mismatch(study: Study, name: Hashable) -> Facts | None:
    """What the results say of values that cannot match, or only in part."""
    for note in study.notes_on(name):
        text, _, repair = note.partition(f"column {name!r}: ")[2].partition("; ")
        if repair:
            how = repair.rpartition(": ")[2].partition(", for instance")[0]
            return _found(text, how, "--dates" if "dates" in how else "", is_uncompared([note]))
    return None


def is_uncompared(notes: Sequence[str]) -> bool:
    """Whether figures about the column of these notes mean nothing."""
    return any(sign in note for sign in NEVER_MET for note in notes)


def _identifier(study: Study, name: Hashable) -> Facts | None:
    is_in_classes = name in study.classes or name in study.first.groupings
    if is_in_classes or not study.tables.is_identifier(name):
        return None
    return _found(IDENTIFIER, "drop the column", typed("--drop", name))


def _numbers_as_text(study: Study, name: Hashable) -> Facts | None:
    for place in range(len(study.tables.tables)):
        n = study.tables.levels(name, place)
        texts = n.index.astype(str).str.strip()
        numbers = texts[texts.str.fullmatch(NUMERAL)]
        few = len(texts) <= MANY_VALUES
        mostly_words = len(numbers) < 0.9 * len(texts)
        has_postcodes = texts.str.match(LEADING_ZERO).any()
        if n.name not in TEXT or few or mostly_words or has_postcodes:
            continue
        if numbers.str.contains(",").any():
            return _found(f"{AS_TEXT} (decimal comma)", 'decimal=","', "--decimal ,")
        return _found(AS_TEXT, "read it as numbers")
    return None


def _missing_codes(study: Study, name: Hashable) -> Facts | None:
    """Negative whole numbers where all others are positive, and 99, 999, ... far above them."""
    tables, to = study.tables, study.to
    if not tables.is_number(name):
        return None
    special = listed(tables.special.get(name))
    n = tables.levels(name).drop(special, errors="ignore").sort_index()
    below, rest = n.index[n.index < 0].tolist(), n.index[n.index >= 0].tolist()
    if len(rest) < 3:
        return None
    codes = below if len(below) <= 4 and _are_whole(np.array(below)) else []
    least, (second, largest) = rest[0], rest[-2:]
    if largest in CODES and largest - second > (second - least) / 2:
        codes = [*codes, largest]
    codes = [code for code in codes if n[code] >= max(to, 2)]
    if not codes:
        return None
    have, everybody = int(n[codes].sum()), int(n.sum())
    many = people(shown(have, everybody, to=to), to=to)
    listing = ",".join(f"{code:g}" for code in codes)
    said = f"{many} people have {listing}, far from the rest: missing codes?"
    option = f"cont_na={{{str(name)!r}: [{listing}]}}"
    return _found(said, option, typed("--missing", f"{name}={listing}"))
