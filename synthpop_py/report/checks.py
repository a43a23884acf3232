"""Can these files be compared? What makes a figure too low or meaningless, with its repair."""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from ..arguments import listed
from ..rounding import people, percent, shown
from .data import NUMBER, TEXT, Levels, Tables

NUMERAL = re.compile(r"[+-]?(?:\d{1,3}(?:[.\s']\d{3})+|\d+)(?:,\d+)?|[+-]?\d+\.\d+")
LEADING_ZERO = re.compile(r"0\d")  # a postcode, not a number
FEW_VALUES = 20  # texts of so few digits are codes
LARGEST_CODES = (99, 999, 9999, 99999, 999999)
LONG_DATE = re.compile(r"\d{1,4}([-./])\d{1,2}\1\d{1,4}")


class Finding(NamedTuple):
    """One thing to look at.

    Attributes
    ----------
    column : which column it is about.
    text : what is seen there.
    python, command : the option that repairs it; empty where there is none.
    is_fatal : the figures of this column say nothing.
    """

    column: Hashable
    text: str
    python: str = ""
    command: str = ""
    is_fatal: bool = False


def findings(
    tables: Tables,
    keys: Sequence[Hashable],
    targets: Sequence[Hashable],
    in_classes: Sequence[Hashable],
    to: int,
) -> list[Finding]:
    """What to look at in the columns of a report, worst first."""
    found: list[Finding] = []
    for name in dict.fromkeys([*keys, *targets]):
        found += _cannot_match(tables, name, name in in_classes, to)
        found += _numbers_as_text(tables, name)
        found += _missing_codes(tables, name, to)
        if tables.is_identifier(name) and not (name in targets and name in in_classes):
            text = (
                "nearly everybody has a value of their own: an identifier, which no release should"
                " have"
            )
            found.append(Finding(name, text, "drop the column", f"--drop {name}"))
    return sorted(found, key=lambda one: not one.is_fatal)


# ---- values that do not match --------------------------------------------------------


def _cannot_match(tables: Tables, name: Hashable, grouped: bool, to: int) -> Iterator[Finding]:
    original = tables.levels(name)
    for place in range(1, len(tables.synthetic) + 1):
        synthetic = tables.levels(name, place)
        of = f" (synthesis {place})" if len(tables.synthetic) > 1 else ""
        if not len(original.n) or not len(synthetic.n):
            continue
        if NUMBER in (original.kind, synthetic.kind) and original.kind != synthetic.kind:
            text = f"{original.kind} in the original, {synthetic.kind} in the synthetic data{of}"
            text += "; values may not match"
            yield Finding(name, text, "give both one type", "--decimal, or --text")
            return
        if grouped and original.kind == NUMBER:
            continue  # other numbers fall into the same classes
        everybody = int(original.n.sum())
        met = int(original.n[original.n.index.isin(synthetic.n.index)].sum())
        ways = _written_in_two_ways(original, synthetic, met, to)
        if not met:
            text = f"no value in common{of}, so the figures about it say nothing"
            yield Finding(name, text + (f"; {ways[0]}" if ways else ""), *ways[1:], is_fatal=True)
        elif ways:
            yield Finding(name, ways[0] + of, *ways[1:])
        elif met < everybody / 2:
            yield _few_match(name, original, met, everybody, to)
        else:
            continue
        return


def _few_match(name: Hashable, original: Levels, met: int, everybody: int, to: int) -> Finding:
    all_shown = shown(everybody, everybody, to=to)
    share = percent(shown(met, everybody, to=to), all_shown, to=to)
    text = f"only {share} of the people have a value that the synthetic data have too"
    if original.kind != NUMBER:
        return Finding(name, text)
    return Finding(name, text + "; classes would match", "ngroups_keys=", f"--ngroups-keys {name}=5")


def _written_in_two_ways(
    original: Levels, synthetic: Levels, met: int, to: int
) -> tuple[str, ...]:
    """In what the values of two tables differ, with the repair; empty where they do not."""
    if TEXT not in (original.kind, synthetic.kind):
        return ()
    here, there = _masks(original), _masks(synthetic)
    dates = [mask for mask in (here, there) if LONG_DATE.fullmatch(mask.replace("9", "1"))]
    if dates and here != there:
        return (
            f"written as {here} in the original and as {there} in the synthetic data (9 is any"
            " digit)",
            "write the dates of both tables in one way",
            "--dates",
        )
    folded = {" ".join(str(level).split()).casefold() for level in synthetic.n.index}
    near = [" ".join(str(level).split()).casefold() in folded for level in original.n.index]
    if int(original.n[near].sum()) - met >= max(to, 1):
        return (
            "the same values are written in two ways (blanks, upper and lower case)",
            "write them in one way",
            "",
        )
    return ()


def _masks(levels: Levels) -> str:
    """How most values are written, digits as 9 and letters as a."""
    sample = levels.n.nlargest(500)
    masks = [re.sub(r"[^\W\d_]", "a", re.sub(r"\d", "9", str(level))) for level in sample.index]
    usual = sample.groupby(masks).sum()
    return str(usual.idxmax()) if len(usual) else ""


# ---- numbers -------------------------------------------------------------------------


def _numbers_as_text(tables: Tables, name: Hashable) -> Iterator[Finding]:
    for place in range(len(tables.synthetic) + 1):
        levels = tables.levels(name, place)
        texts = [str(level).strip() for level in levels.n.index]
        if levels.kind != TEXT or len(texts) <= FEW_VALUES:
            continue
        numbers = [t for t in texts if NUMERAL.fullmatch(t) and not LEADING_ZERO.match(t)]
        if any(LEADING_ZERO.match(t) for t in texts) or len(numbers) < 0.9 * len(texts):
            continue
        text = "numbers read as text, so that classes and missing codes have no effect"
        if any("," in t for t in numbers):
            yield Finding(name, text + " (decimal comma)", 'decimal=","', "--decimal ,")
        else:
            yield Finding(name, text, "read the column as numbers", "")
        return


def _missing_codes(tables: Tables, name: Hashable, to: int) -> Iterator[Finding]:
    levels = tables.levels(name)
    if levels.kind != NUMBER or not len(levels.n):
        return
    declared = set(listed(tables.special.get(name)))
    usual = levels.n[~levels.n.index.isin(declared)].sort_index()
    codes = [code for code in _far_codes(usual) if usual[code] >= max(to, 2)]
    if codes:
        n = shown(int(usual[codes].sum()), levels.records, to=to)
        listing = ", ".join(f"{code:g}" for code in codes)
        text = f"{people(n, to=to)} people have {listing}, far from the rest: missing codes?"
        python = f"cont_na={{{str(name)!r}: [{listing}]}}"
        yield Finding(name, text, python, f"--missing {name}={listing.replace(' ', '')}")


def _far_codes(usual: pd.Series) -> list[Any]:
    """Values that look like codes: negative whole numbers where all others are positive, and 99,
    999, ... far above the others.
    """
    values = usual.index.to_numpy(dtype=float)
    negative = values[values < 0]
    rest = values[values >= 0]
    codes: list[Any] = []
    if len(rest) > 2 and 0 < len(negative) <= 4 and (negative == np.trunc(negative)).all():
        codes += negative.tolist()
    if len(rest) > 2 and rest[-1] in LARGEST_CODES:
        spread = rest[-2] - rest[0]
        if spread > 0 and rest[-1] - rest[-2] > 0.5 * spread:
            codes.append(rest[-1])
    return codes
