"""Can these files be compared? What makes a figure too low or meaningless, with its repair."""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterator, Sequence

import numpy as np
import pandas as pd

from ..arguments import listed
from ..rounding import people, percent, shown
from .data import MANY_VALUES, NUMBERS, TEXT, Levels, Tables

NUMERAL = re.compile(r"[+-]?(\d{1,3}([.\s']\d{3})+|\d+)(,\d+)?|[+-]?\d+\.\d+")
LEADING_ZERO = re.compile(r"0\d")  # a postcode, not a number
DATE = re.compile(r"9{1,4}([-./])9{1,2}\1 ?9{1,4}.*")
CODES = (99, 999, 9999, 99999, 999999)
MOST_LEVELS = 500  # that are looked at to see how values are written
Finding = dict[str, str | bool]


def findings(
    tables: Tables,
    keys: Sequence[Hashable],
    targets: Sequence[Hashable],
    identifiers: Sequence[Hashable],
    in_classes: Sequence[Hashable],
    to: int,
) -> list[Finding]:
    """What to look at in the columns of a report: column, text, the option that repairs it in
    Python and on the command line, and whether figures about the column are meaningless (fatal).
    Of `identifiers` only that they are such.
    """
    found: list[Finding] = []
    for name in dict.fromkeys([*keys, *targets, *identifiers]):
        grouped = name in in_classes and tables.is_number(name)
        seen: list[tuple[str, ...]] = []
        if name not in identifiers:
            seen = list(_numbers_as_text(tables, name))
            if not grouped and not seen:
                seen = _mismatches(tables, name, to)
            seen += _missing_codes(tables, name, to)
        if tables.is_identifier(name) and not grouped:
            said = "differs for nearly everybody: an identifier, which no release should have"
            seen.append((said, "drop the column", f"--drop {name}"))
        for text, option, command, *fatal in seen:
            found.append(
                {
                    "column": str(name),
                    "text": text,
                    "option": option,
                    "command": command,
                    "fatal": bool(fatal),
                }
            )
    return sorted(found, key=lambda one: not one["fatal"])


def _mismatches(tables: Tables, name: Hashable, to: int) -> list[tuple[str, ...]]:
    """The first synthesis of which a column cannot match the original, or only in part."""
    original = tables.levels(name)
    everybody = int(original.n.sum())
    for place in range(1, len(tables.tables)):
        synthetic = tables.levels(name, place)
        of = f" (synthesis {place})" if len(tables.tables) > 2 else ""
        met = int(original.n[original.n.index.isin(synthetic.n.index)].sum())
        ways = _written_in_two_ways(original, synthetic, met, to)
        if not everybody or synthetic.n.empty:
            continue
        if not met:
            said = f"no value in common{of}, so figures about it say nothing"
            return [("; ".join([said, *ways[:1]]), *(ways[1:] or ("", "")), "fatal")]
        if ways:
            return [ways]
        if NUMBERS in (original.kind, synthetic.kind) and original.kind != synthetic.kind:
            said = f"{original.kind} in the original, {synthetic.kind} in the synthetic data{of}"
            return [(said, "give both one type", "--text, or --decimal")]
        if met < everybody / 2:
            share = percent(shown(met, everybody, to=to), shown(everybody, everybody, to=to), to)
            said = f"only {share} of the people have a value that the synthetic data have too{of}"
            is_number = original.kind == NUMBERS
            command = f"--ngroups-keys {name}=5" if is_number else ""
            return [(said, "ngroups_keys= (classes)" if is_number else "", command)]
    return []


def _written_in_two_ways(original: Levels, synthetic: Levels, met: int, to: int) -> tuple[str, ...]:
    """In what texts of two tables differ, with the repair; empty where they do not."""
    if TEXT not in (original.kind, synthetic.kind):
        return ()
    here, there = _usual_mask(original), _usual_mask(synthetic)
    if here != there and (DATE.fullmatch(here) or DATE.fullmatch(there)):
        said = f"written as {here} in the original, as {there} in the synthetic data (9: a digit)"
        return said, "write dates in one way", "--dates"
    folded = set(map(_folded, synthetic.n.index))
    near = [_folded(level) in folded for level in original.n.index]
    if int(original.n[near].sum()) - met >= to:
        return "values differ in blanks or in upper and lower case", "write them in one way", ""
    return ()


def _folded(level: object) -> str:
    return " ".join(str(level).split()).casefold()


def _usual_mask(levels: Levels) -> str:
    """How most values are written, with 9 for digits and a for letters."""
    many = levels.n.nlargest(MOST_LEVELS)
    masks = [re.sub(r"[^\W\d_]", "a", re.sub(r"\d", "9", str(level))) for level in many.index]
    return str(many.groupby(masks).sum().idxmax()) if len(many) else ""


def _numbers_as_text(tables: Tables, name: Hashable) -> Iterator[tuple[str, ...]]:
    for place in range(len(tables.tables)):
        kind, n = tables.levels(name, place)
        texts = [str(level).strip() for level in n.index]
        numbers = [text for text in texts if NUMERAL.fullmatch(text)]
        few = len(texts) <= MANY_VALUES or len(numbers) < 0.9 * len(texts)
        if kind != TEXT or few or any(map(LEADING_ZERO.match, texts)):
            continue
        said = "numbers read as text, so classes and missing codes have no effect"
        if any("," in text for text in numbers):
            yield f"{said} (decimal comma)", 'decimal=","', "--decimal ,"
        else:
            yield said, "read it as numbers", ""
        return


def _missing_codes(tables: Tables, name: Hashable, to: int) -> Iterator[tuple[str, ...]]:
    kind, n = tables.levels(name)
    if kind != NUMBERS:
        return
    usual = n[~n.index.isin(listed(tables.special.get(name)))].sort_index()
    codes = [code for code in _far_from_the_rest(usual) if usual[code] >= max(to, 2)]
    if codes:
        found = people(shown(int(usual[codes].sum()), int(n.sum()), to=to), to=to)
        listing = ",".join(f"{code:g}" for code in codes)
        said = f"{found} people have {listing}, far from the rest: missing codes?"
        yield said, f"cont_na={{{str(name)!r}: [{listing}]}}", f"--missing {name}={listing}"


def _far_from_the_rest(usual: pd.Series) -> list[float]:
    """Negative whole numbers where all others are positive, and 99, 999, ... far above them."""
    values = usual.index.to_numpy(dtype=float)
    below, rest = values[values < 0], values[values >= 0]
    if len(rest) < 3:
        return []
    codes = below.tolist() if len(below) <= 4 and (below == np.trunc(below)).all() else []
    far = rest[-1] - rest[-2] > 0.5 * (rest[-2] - rest[0])
    return [*codes, rest[-1]] if rest[-1] in CODES and far else codes
