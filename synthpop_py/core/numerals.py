"""Numbers and the texts that spell them: which of them are one value.

For a person, 1, 1.0 and 1e0 are one number, and two different identity numbers of 17 digits are
two. A double holds 15 reliable digits, so fractions are compared by those; whole numbers are exact.
"""

from __future__ import annotations

import math
import re
from decimal import Decimal
from typing import Any

import numpy as np

from ..r.text import double_text

NUMERAL = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d{1,3})?", re.ASCII)
INFINITE = re.compile(r"[+-]?inf(inity)?", re.IGNORECASE | re.ASCII)
LONGEST = 400  # digits; no table holds a longer number
EXACT_DOUBLE = 2**53  # up to here a double holds every whole number
LARGEST_WHOLE = 2**63 - 1

Number = int | float


def exact_number(value: Number) -> Number:
    """A whole number exactly, a fraction with the 15 digits that a double holds reliably.

    >>> exact_number(3.0), exact_number(0.1 + 0.2), exact_number(2**60 + 1)
    (3, 0.3, 1152921504606846977)
    """
    if isinstance(value, int):
        return value
    if value.is_integer():
        return int(value)
    return float(f"{value:.15g}")


def as_printed(value: Any) -> Any:
    """A number of NumPy as Python's. One in single precision means what it prints as, as it does in
    a column; anything else stays as it is.

    >>> as_printed(np.float32(0.1)), as_printed(np.int8(7)), as_printed("0.1")
    (0.1, 7, '0.1')
    """
    if isinstance(value, np.floating):
        return float(str(value))
    return value.item() if isinstance(value, np.number) else value


def exact_text(text: str, number: Number) -> str:
    """R's text of a number if that is exact; all its digits where R cuts some off.

    >>> exact_text("1e+05", 100000), exact_text("1e+17", 10**17 + 16)
    ('1e+05', '100000000000000016')
    """
    if isinstance(number, float) or float(text) == number:
        return text
    return str(number)


def whole_number(text: str) -> int | None:
    """The whole number that a text spells, or None.

    >>> whole_number("1152921504606846977"), whole_number("1e+05"), whole_number("2.5")
    (1152921504606846977, 100000, None)
    """
    if len(text) > LONGEST or not NUMERAL.fullmatch(text):
        return None
    value = Decimal(text)
    if value != value.to_integral_value():
        return None
    # nobody writes an identity number with an exponent: that is how a double is written
    is_double = "e" in text.lower() and abs(value) > EXACT_DOUBLE
    if is_double or abs(value) > LARGEST_WHOLE:
        number = float(text)
        return int(number) if math.isfinite(number) else None
    return int(value)


def number_key(text: str) -> str:
    """The same for all texts that spell one number; the text itself where it spells none.

    >>> len({number_key(text) for text in ("1", "1.0", "1e0", "+1.", "01")})
    1
    >>> number_key("12 B"), number_key("inf") == number_key("Inf")
    ('12 B', True)
    """
    if INFINITE.fullmatch(text):
        return f"number {double_text(float(text))}"
    whole = whole_number(text)
    if whole is not None:
        return f"number {whole}"
    if len(text) > LONGEST or not NUMERAL.fullmatch(text):
        return text
    if math.isinf(float(text)):
        return text
    return f"number {double_text(float(text))}"
