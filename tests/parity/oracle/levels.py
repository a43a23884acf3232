"""From the columns of a frame specification to levels that can be compared.

A level is a text, or ``None`` for a missing value; two values are the same level iff these are
equal.
"""

from __future__ import annotations

import datetime
import math
from dataclasses import dataclass, field

NUMERIC = ("integer", "double")
MISSING_LABEL = "Missing"

Level = str | None


@dataclass
class Variable:
    """One variable in the original and in every synthesis.

    ``original`` and ``synthetic[j]`` hold one level per record; ``labels`` the texts by which a
    level may be named, the original's first.
    """

    name: str
    original: list[Level]
    synthetic: list[list[Level]]
    labels: dict[Level, list[str]] = field(default_factory=dict)

    def label(self, level: Level) -> str:
        """The text R would print for the level."""
        return self.labels[level][0]

    def is_named(self, level: Level, name) -> bool:
        """Whether ``name``, a text or a number given by the user, means this level."""
        return not set(argument_texts(name)).isdisjoint(self.labels[level])


def argument_texts(value) -> list[str]:
    """The texts a level in an argument stands for; a number also for its integer form."""
    if isinstance(value, bool):
        return [str(value).upper()]
    if isinstance(value, (int, float)):
        texts = [number_text(float(value))]
        return [*texts, str(int(value))] if math.isfinite(value) and value == int(value) else texts
    return [value]


def number_text(x: float) -> str:
    """R's text of a double: the fewest of at most 15 significant digits, fixed unless scientific is
    shorter.

    >>> [number_text(v) for v in (0.1 + 0.2, 100000.0, 123456.0, 1e-4)]
    ['0.3', '1e+05', '123456', '1e-04']
    """
    if math.isnan(x):
        return "NaN"
    if math.isinf(x):
        return "Inf" if x > 0 else "-Inf"
    if x == 0:
        return "0"
    mantissa, exponent = f"{x:.14e}".split("e")
    power = int(exponent)
    digits = len(mantissa.lstrip("-").replace(".", "").rstrip("0"))
    fixed = f"{x:.{max(0, digits - power - 1)}f}"
    scientific = f"{x:.{digits - 1}e}"
    return fixed if len(fixed) <= len(scientific) else scientific


def as_list(value) -> list:
    """None, a single value or several values as a list."""
    if value is None:
        return []
    return list(value) if isinstance(value, (list, tuple, set, frozenset)) else [value]


def column(frame: dict, name: str) -> dict:
    """The column of that name."""
    for candidate in frame["columns"]:
        if candidate["name"] == name:
            return candidate
    raise ValueError(f"no column {name!r}; there are {column_names(frame)}")


def column_names(frame: dict) -> list[str]:
    """Names in the frame's order."""
    return [c["name"] for c in frame["columns"]]


def numbers(col: dict) -> list[float | None]:
    """Values of a numeric column as doubles; ``None`` is NA, NaN stays a number."""
    return [None if v is None else float(v) for v in col["values"]]


def read_variable(name: str, original: dict, synthetic: list[dict]) -> Variable:
    """Levels of an ungrouped variable in all frames."""
    columns = [column(frame, name) for frame in [original, *synthetic]]
    numeric = [c["type"] in NUMERIC for c in columns]
    mixed = any(numeric) and not all(numeric)
    labels: dict[Level, list[str]] = {None: [MISSING_LABEL]}
    read = [[_register(v, c["type"], mixed, labels) for v in c["values"]] for c in columns]
    return Variable(name, read[0], read[1:], labels)


def _register(value, kind: str, mixed: bool, labels: dict[Level, list[str]]) -> Level:
    """The level of one value, noting the text it goes by."""
    if value is None:
        return None
    label = value_label(value, kind)
    level = _level(value, kind, label, mixed)
    known = labels.setdefault(level, [])
    if label not in known:
        known.append(label)
    return level


def value_label(value, kind: str) -> str:
    """The text of a value that is not missing."""
    if kind == "integer":
        return str(int(value))
    if kind == "double":
        return number_text(float(value))
    if kind == "logical":
        return str(bool(value)).upper()
    if kind == "POSIXct":
        moment = datetime.datetime(1970, 1, 1) + datetime.timedelta(seconds=value)
        return moment.isoformat(sep=" ")
    return value


def _level(value, kind: str, label: str, mixed: bool) -> str:
    """What makes the value itself: for numbers their text as a double, else the text.

    Where one frame holds numbers and another texts, a text that is exactly how R writes a number is
    that number.
    """
    if kind in NUMERIC:
        return number_text(float(value))
    return _number_written_as(label) or label if mixed else label


def _number_written_as(text: str) -> str | None:
    """The double text of the number that R would write as ``text``, if there is one."""
    try:
        value = float(text)
    except ValueError:
        return None
    return number_text(value) if text in argument_texts(value) else None
