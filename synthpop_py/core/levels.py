"""The texts of levels, written as R writes values of each type."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, timedelta

from ..r.text import double_text, integer_text
from .arrays import Integers, Values
from .columns import NUMERIC, Kind
from .numerals import exact_number, exact_text

# synthpop's own word for the level of missing values
MISSING_LABEL = "Missing"

EPOCH = date(1970, 1, 1)
DAY = 86_400_000_000_000  # nanoseconds
TO_THE_DAY, TO_THE_SECOND = len("1970-01-01"), len("1970-01-01 00:00:00")


def level_texts(kind: Kind, values: Values) -> list[str]:
    """The texts of values stored as numbers: every kind except factors and texts.

    >>> import numpy as np
    >>> level_texts("date", np.array([0, 31])), level_texts("double", np.array([0.5, 1e5]))
    (['1970-01-01', '1970-02-01'], ['0.5', '1e+05'])
    """
    if kind == "time":  # all in one format, to the day or to the second, so written together
        return time_texts(values)
    text_of = TEXT_OF[kind]
    return [text_of(value) for value in values.tolist()]


def exact_level_texts(kind: Kind, values: Values) -> list[str]:
    """The same with all digits of numbers that R cuts.

    >>> import numpy as np
    >>> exact_level_texts("double", np.array([0.5, 1e17 + 16]))
    ['0.5', '100000000000000016']
    """
    texts = level_texts(kind, values)
    if kind not in NUMERIC:
        return texts
    numbers = map(exact_number, values.tolist())
    return [exact_text(text, number) for text, number in zip(texts, numbers)]


def time_texts(nanoseconds: Integers) -> list[str]:
    """Times as R writes them: to the day if all are midnights, else to the second or its fraction.

    >>> import numpy as np
    >>> time_texts(np.array([0, DAY])), time_texts(np.array([0, 1_500_000_000]))
    (['1970-01-01', '1970-01-02'], ['1970-01-01 00:00:00', '1970-01-01 00:00:01.5'])
    """
    only_midnights = not (nanoseconds % DAY).any()
    length = TO_THE_DAY if only_midnights else TO_THE_SECOND
    # NumPy's own text always has nine decimals, which R does not write
    moments = nanoseconds.astype("datetime64[ns]")
    return [_time_text(str(moment), length) for moment in moments]


def _time_text(iso: str, length: int) -> str:
    """A time in ISO format cut to a length, then its fraction of a second if it has one."""
    seconds, fraction = iso.replace("T", " ").split(".")
    digits = fraction.rstrip("0")
    if not digits:
        return seconds[:length]
    return f"{seconds[:length]}.{digits}"


def _day_text(days: int) -> str:
    day = EPOCH + timedelta(days=int(days))
    return day.isoformat()


def _logical_text(value: int) -> str:
    return "TRUE" if value else "FALSE"


def _duration_text(nanoseconds: int) -> str:
    seconds = double_text(nanoseconds / 1e9)
    return f"{seconds} secs"


TEXT_OF: dict[Kind, Callable[..., str]] = {
    "integer": integer_text,
    "double": double_text,
    "logical": _logical_text,
    "date": _day_text,
    "duration": _duration_text,
}
