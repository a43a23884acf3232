"""Who is left out, and why. Cells are masked; which target is certain was decided before, on all
records, so here counts are only filtered.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from .cells import Cells
from .core.arrays import Flags, Integers
from .core.levels import MISSING_LABEL
from .core.numerals import EXACT_DOUBLE, as_printed, exact_number, number_key
from .errors import DataWarning, InputError, nearest, warn
from .levels import Side, Variable
from .missing import MISSING
from .r.text import double_text

if TYPE_CHECKING:
    from .arguments import Call

FEWEST_SAID = 10  # original records; a message names no level that fewer have


class Reason(NamedTuple):
    """A column of the ledger: its name in R, and what a sentence calls it."""

    name: str
    told: str


REASONS = (
    Reason("excluded target", "target level in not_targetlev"),
    Reason("missing target", "target missing"),
    Reason("missing in  keys", "a key missing"),
    Reason("set to exclude", "key and target level in exclude_*"),
    Reason("over denom_lim", "cell over denom_lim"),
)
COLUMNS = (*(reason.name for reason in REASONS), "remaining")


class Pair(NamedTuple):
    """Records with this key level and this target level are left out."""

    key: Hashable
    key_level: Any
    target_level: Any


@dataclass(frozen=True, slots=True, eq=False)
class Why:
    """Why records of the original and of the synthetic data are left out, cell by cell, (c,): the
    number of the first reason, 0 where none applies. `no_key`: a key is missing that must not be.
    """

    d: Integers
    s: Integers
    no_key_d: Flags
    no_key_s: Flags


def why_out(cells: Cells, target: Variable, keys: Sequence[Variable], call: Call) -> Why | None:
    """Why cells are left out, for both tables; None if nothing can be left out. Arguments for each
    key are in the order of the keys.
    """
    everybody = call.use_target and all(call.use_keys) and call.limit is None
    if everybody and not call.levels and not call.pairs:
        return None
    reasons, gaps = [], []
    for table, n in enumerate((cells.d, cells.s)):
        side, sides = target.sides[table], [key.sides[table] for key in keys]
        nobody = np.zeros(len(cells.t), dtype=bool)
        no_key, paired = nobody.copy(), nobody.copy()
        for of_q, key, use in zip(cells.keys, sides, call.use_keys):
            if not use:
                no_key |= (of_q == key.missing)[cells.group]
        for pair in call.pairs:
            paired |= has_pair(cells, side, sides, call.keys, pair, target.size)
        masks = (
            np.isin(cells.t, codes_of(side, target.size, call.levels)) if call.levels else nobody,
            nobody if call.use_target else cells.t == side.missing,
            no_key,
            paired,
            nobody if call.limit is None else n > call.limit,
        )
        reasons.append(np.select(masks, range(1, len(masks) + 1), 0))
        gaps.append(no_key)
    return Why(*reasons, *gaps)


def has_pair(
    cells: Cells,
    target: Side,
    keys: Sequence[Side],
    names: Sequence[Hashable],
    pair: Pair,
    targets: int,
) -> Flags:
    """The cells with both levels of a pair, (c,)."""
    place = list(names).index(pair.key)
    key, size = keys[place], cells.combinations.keys[place].size
    with_key = np.isin(cells.keys[place], codes_of(key, size, [pair.key_level]))
    return with_key[cells.group] & np.isin(cells.t, codes_of(target, targets, [pair.target_level]))


def codes_of(side: Side, size: int, levels: Sequence[Any]) -> list[int]:
    """The codes of levels that the user named: by text, and a number by its value too."""
    found: list[int] = []
    texts: list[str] = []
    for level in levels:
        if level is MISSING:
            found += [side.missing] if side.missing >= 0 else []
            continue
        texts = texts or side.texts(range(size))
        wanted = level_text(level)
        codes = [code for code, text in enumerate(texts) if text == wanted]
        if not [code for code in codes if code != side.missing] and is_numeric(level):
            number = number_key(str(exact_number(as_printed(level))))
            codes = [code for code, text in enumerate(texts) if number_key(text) == number]
        found += [code for code in codes if code != side.missing]
    return found


def is_numeric(level: Any) -> bool:
    return isinstance(level, (int, float, np.number)) and not isinstance(level, bool)


def level_text(level: Any) -> str:
    """The text of a level that a user names.

    >>> level_text(True), level_text(100000), level_text(2**60 + 1)
    ('TRUE', '1e+05', '1152921504606846977')
    """
    if level is MISSING:
        return MISSING_LABEL
    if isinstance(level, (bool, np.bool_)):
        return str(bool(level)).upper()
    if is_numeric(level):
        level = as_printed(level)
        whole = isinstance(level, (int, np.integer)) or float(level).is_integer()
        if whole and abs(int(level)) > EXACT_DOUBLE:
            return str(int(level))
        return double_text(float(level))
    return str(level)


def check_pair_levels(
    pair: Pair,
    target: Variable,
    key: Variable,
    name: Hashable,
    strict: bool,
    names: Callable[[Any], list[Any]],
) -> None:
    """Levels named in an exclusion must be levels that some original record has; `names` gives all
    that a level may be called.
    """
    named = (
        ("exclude_targetlevs", pair.target_level, target, name),
        ("exclude_keylevs", pair.key_level, key, pair.key),
    )
    for argument, level, variable, of in named:
        original = variable.sides[0]
        records = original.records(variable.size)
        codes = codes_of(original, variable.size, names(level))
        if not any(records[code] for code in codes):
            raise unknown_level(argument, level, variable, of, strict)


def known(variable: Variable, level: Any) -> bool:
    """Whether the variable has the level; missing values must occur, for others stand declared
    levels.
    """
    if level is MISSING:
        return any(side.factor.has_gaps for side in variable.sides)
    return bool(codes_of(variable.sides[0], variable.size, [level]))


def unknown_level(
    argument: str, level: Any, variable: Variable, name: Hashable, strict: bool
) -> InputError:
    """The error for an unknown level. Its `details` have all levels of the original; the message
    names only one that many people have, or that is released anyway.
    """
    original = variable.sides[0]
    hint = _hint(level, variable, strict)
    return InputError(
        f"{argument}: {level!r} is not a level of {str(name)!r}{hint}",
        details={"levels": tuple(original.texts(np.flatnonzero(original.records(variable.size))))},
    )


def _hint(level: Any, variable: Variable, strict: bool) -> str:
    original = variable.sides[0]
    gaps = original.missing >= 0
    if level is MISSING:
        return ", because no value is missing; leave it out"
    if level == MISSING_LABEL and gaps and strict:
        return f"; use {MISSING!r} for missing values"
    sayable = original.records(variable.size) >= FEWEST_SAID
    for side in variable.sides[1:]:
        sayable |= side.records(variable.size) > 0
    if gaps:
        sayable[original.missing] = False
    near = nearest(level_text(level), original.texts(np.flatnonzero(sayable)))
    if near is None:
        return "; the error's details have all levels of the original data"
    return f"; did you mean {near!r}? (the error's details have all levels)"


def nobody_has(pair: Pair, target: Hashable, strict: bool) -> None:
    """The error for a pair that no record has."""
    no_effect(
        strict,
        f"exclude_keys: no record has {pair.key_level!r} for {str(pair.key)!r} and"
        f" {pair.target_level!r} for {str(target)!r}",
        "leave the pair out",
    )


def no_effect(strict: bool, finding: str, way_out: str) -> None:
    """The error for an option that has no effect; a warning in R's modes, where R continues."""
    if strict:
        raise InputError(f"{finding}, so the option has no effect; {way_out}")
    warn(
        f"{finding}, so the option has no effect, as in R; compat='corrected' refuses it",
        DataWarning,
        short=finding,
    )
