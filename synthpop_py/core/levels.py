"""The texts of levels, written as R writes values of each type."""

from __future__ import annotations

import numpy as np

from ..r.text import double_text, integer_text
from .arrays import Integers, Values
from .columns import NUMERIC, Kind
from .numerals import exact_number

# synthpop's own word for the level of missing values
MISSING_LABEL = "Missing"

DAY = 86_400_000_000_000  # nanoseconds
TO_THE_DAY, TO_THE_SECOND = len("1970-01-01"), len("1970-01-01 00:00:00")


def level_texts(kind: Kind, values: Values) -> list[str]:
    """The texts of values stored as numbers: every kind except factors and texts."""
    if kind == "time":
        return time_texts(values)
    if kind == "date":
        texts: list[str] = np.datetime_as_string(values.astype("datetime64[D]")).tolist()
        return texts
    numbers = values.tolist()
    if kind == "integer":
        return [integer_text(number) for number in numbers]
    if kind == "double":
        return [double_text(number) for number in numbers]
    if kind == "logical":
        return ["TRUE" if number else "FALSE" for number in numbers]
    return [f"{double_text(number / 1e9)} secs" for number in numbers]


def exact_level_texts(kind: Kind, values: Values) -> list[str]:
    """The same with all digits of numbers that R cuts."""
    texts = level_texts(kind, values)
    if kind not in NUMERIC:
        return texts
    exact = []
    for text, value in zip(texts, values.tolist()):
        number = exact_number(value)
        is_cut = isinstance(number, int) and float(text) != number
        exact.append(str(number) if is_cut else text)
    return exact


def time_texts(nanoseconds: Integers) -> list[str]:
    """Times to the day if all are midnights, else to the second or its fraction, as in R."""
    only_midnights = not (nanoseconds % DAY).any()
    length = TO_THE_DAY if only_midnights else TO_THE_SECOND
    texts = []
    for iso in np.datetime_as_string(nanoseconds.astype("datetime64[ns]")).tolist():
        seconds, fraction = iso.replace("T", " ").split(".")
        digits = fraction.rstrip("0")
        texts.append(f"{seconds}.{digits}" if digits else seconds[:length])
    return texts
