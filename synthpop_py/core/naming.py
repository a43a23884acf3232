"""The texts of levels, written as R writes values of each type."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from datetime import date, timedelta
from functools import cache

from ..r.text import double_text, integer_text
from .arrays import Floats, Integers, Values
from .columns import Kind
from .levels import Namer

EPOCH = date(1970, 1, 1)
DAY = 86_400_000_000_000  # nanoseconds
TO_THE_DAY, TO_THE_SECOND = len("1970-01-01"), len("1970-01-01 00:00:00")


def level_texts(kind: Kind, values: Values) -> list[str]:
    """The texts of values that are numbers inside: of every kind but factors and texts.

    >>> import numpy as np
    >>> level_texts("date", np.array([0, 31])), level_texts("double", np.array([0.5, 1e5]))
    (['1970-01-01', '1970-02-01'], ['0.5', '1e+05'])
    """
    if kind == "time":  # written alike, to the day or to the second, so all together
        return time_texts(values)
    text_of = TEXT_OF[kind]
    return [text_of(value) for value in values.tolist()]


def time_texts(nanoseconds: Integers) -> list[str]:
    """Times as R writes them: to the day where all are midnights, else to the second or the
    fraction that is there.

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
    """A time in ISO's way cut to a length, followed by its fraction of a second if it has one."""
    seconds, fraction = iso.replace("T", " ").split(".")
    digits = fraction.rstrip("0")
    if not digits:
        return seconds[:length]
    return f"{seconds[:length]}.{digits}"


def _day_text(days: int) -> str:
    day = EPOCH + timedelta(days=int(days))
    return day.isoformat()


def _double_text(value: float) -> str:
    return double_text(float(value))


def _logical_text(value: int) -> str:
    return "TRUE" if value else "FALSE"


def _duration_text(nanoseconds: int) -> str:
    seconds = double_text(nanoseconds / 1e9)
    return f"{seconds} secs"


TEXT_OF: dict[Kind, Callable[..., str]] = {
    "integer": integer_text,
    "double": _double_text,
    "logical": _logical_text,
    "date": _day_text,
    "duration": _duration_text,
}


def told_apart(texts: list[str], values: Floats) -> list[str]:
    """Texts of doubles; those that R writes alike get all their digits."""
    times = Counter(texts)
    return [repr(value) if times[text] > 1 else text for text, value in zip(texts, values.tolist())]


def whole_number_namer(kind: Kind, low: int, missing_code: int | None, missing_label: str) -> Namer:
    """Names codes that are whole numbers (or days, or truth values) minus `low`, one by one: the
    range may be long and few of its levels shown.
    """
    text_of = TEXT_OF[kind]

    def name_codes(codes: Integers) -> list[str]:
        return [
            missing_label if code == missing_code else text_of(int(code) + low) for code in codes
        ]

    return name_codes


def list_namer(make_texts: Callable[[], list[str]]) -> Namer:
    """Names codes by a list, which is made when the first text is asked for."""
    # made once, whoever asks and however often
    texts_of_all = cache(make_texts)

    def name_codes(codes: Integers) -> list[str]:
        texts = texts_of_all()
        return [texts[code] for code in codes]

    return name_codes
