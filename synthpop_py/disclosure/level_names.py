"""The levels that a user names in `not_targetlev` and the three `exclude_...`: which codes they
mean, and the message if they mean none.

A message does not list the levels of the original, because a rare level may be one person. It
suggests the nearest level that many people have, or that is released anyway.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core.arrays import Integers
from ..core.levels import MISSING_LABEL, Variable
from ..core.numerals import EXACT_DOUBLE, exact_number, number_key
from ..errors import InputError, UnknownLevelWarning, warn
from ..missing import MISSING
from ..names import nearest
from ..r.reading import CORRECTED, Mode, Reading
from ..r.text import double_text
from ..tables.comparable import FEWEST_SAID
from .options import Level, Plan

NUMBERS = (int, float, np.number)


def level_text(level: Any) -> str:
    """The text a level given as an argument stands for in R; whole numbers that a double cannot
    hold keep all their digits.

    >>> level_text(True), level_text(100000), level_text(2**60 + 1)
    ('TRUE', '1e+05', '1152921504606846977')
    """
    if level is MISSING:
        return MISSING_LABEL
    if isinstance(level, str):
        return level
    if isinstance(level, (bool, np.bool_)):
        return str(bool(level)).upper()
    if isinstance(level, NUMBERS):
        if _is_whole(level) and abs(int(level)) > EXACT_DOUBLE:
            return str(int(level))
        return double_text(float(level))
    return str(level)


def codes_named(variable: Variable, level: Level, plan: Plan, compat: Reading) -> Integers:
    """Codes of the level that the user named. A number also finds the same number written
    differently; in R it does not (D15).
    """
    if level is MISSING:
        codes = [] if variable.missing_code is None else [variable.missing_code]
        return np.array(codes, dtype=np.int64)
    codes = variable.find(level_text(level))
    if not codes and isinstance(level, NUMBERS) and not isinstance(level, bool):
        codes = _by_value(variable, level)
        if compat.follow_r("D15", bool(codes)):
            codes = []
    if not plan.missing_by_text:
        codes = [code for code in codes if code != variable.missing_code]
    return np.array(codes, dtype=np.int64)


def _by_value(variable: Variable, level: Any) -> list[int]:
    """Codes of the levels that spell this number."""
    number = exact_number(level.item() if isinstance(level, np.generic) else level)
    # 100000 given as a number has R's text 1e+05, which no integer level has
    codes = variable.find(str(number))
    if codes or variable.whole:
        return codes
    wanted = number_key(str(number))
    return [code for code, text in enumerate(variable.texts()) if number_key(text) == wanted]


def _is_whole(level: Any) -> bool:
    return isinstance(level, (int, np.integer)) or float(level).is_integer()


def has_level(variable: Variable, level: Level, plan: Plan, compat: Reading) -> bool:
    """Whether the variable has the level that the user named; R's defects are not recorded here.
    The empty text means no level, as in R, where no level has this name.
    """
    asking = Reading(compat.active)
    return level == "" or len(codes_named(variable, level, plan, asking)) > 0


def unknown_level(argument: str, level: Level, variable: Variable, plan: Plan) -> InputError:
    """The error for an unknown level. Its `details` have all levels of the original."""
    occurring = np.unique(variable.own_codes(0))
    return InputError(
        f"{argument}: {level!r} is not a level of {variable.name!r}{_hint(level, variable, plan)}",
        details={"levels": tuple(variable.texts(occurring))},
    )


def refuse_unknown_levels(variable: Variable, plan: Plan, compat: Reading) -> tuple[Level, ...]:
    """The levels of `not_targetlev` that the target does not have, where R continues without saying
    so; an error in other modes.
    """
    unknown = [
        level for level in plan.not_targetlev if not has_level(variable, level, plan, compat)
    ]
    if unknown and plan.asked_mode == CORRECTED:
        raise unknown_level("not_targetlev", unknown[0], variable, plan)
    return tuple(unknown)


def no_effect(mode: Mode, finding: str, way_out: str) -> None:
    """The error for an option that has no effect; a warning in R's modes, where R continues."""
    if mode == CORRECTED:
        raise InputError(f"{finding}, so the option has no effect; {way_out}")
    warn(
        f"{finding}, so the option has no effect, as in R; compat='corrected' refuses it",
        UnknownLevelWarning,
        short=finding,
    )


def warn_of_unknown_level(level: Level, target: Any) -> None:
    warn(
        f"not_targetlev: {level!r} is not a level of {str(target)!r}, so it leaves nothing out;"
        " compat='corrected' refuses it",
        UnknownLevelWarning,
        short=f"{level!r} of {str(target)!r}",
    )


def _hint(level: Level, variable: Variable, plan: Plan) -> str:
    if level is MISSING:
        return ", because no value is missing; leave it out"
    if level == MISSING_LABEL and variable.missing_code is not None and not plan.missing_by_text:
        return f"; use {MISSING!r} for missing values"
    near = nearest(level_text(level), sayable_levels(variable))
    if near is None:
        return "; the error's details have all levels of the original data"
    return f"; did you mean {near!r}? (the error's details have all levels)"


def sayable_levels(variable: Variable) -> list[str]:
    """Levels that a message may name: of at least 10 original records, or of a synthetic one.

    Examples
    --------
    >>> from ..core.coding import encode
    >>> from ..core.columns import Column
    >>> people = Column("character", np.array([0] * 10 + [1]), labels=("baker", "bishop"))
    >>> fake = Column("character", np.array([0, 1]), labels=("baker", "miner"))
    >>> sayable_levels(encode("job", [people, fake]))
    ['baker', 'miner']
    """
    sayable = np.bincount(variable.own_codes(0), minlength=variable.size) >= FEWEST_SAID
    for table in range(1, len(variable.codes)):
        sayable[variable.own_codes(table)] = True
    if variable.missing_code is not None:
        sayable[variable.missing_code] = False
    return variable.texts(np.flatnonzero(sayable))
