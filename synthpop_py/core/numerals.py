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
    """A whole number exactly, a fraction with the 15 digits that a double holds reliably."""
    if isinstance(value, int):
        return value
    if value.is_integer():
        return int(value)
    return float(f"{value:.15g}")


def as_printed(value: Any) -> Any:
    """A number of NumPy as Python's; one in single precision means what it prints as. Anything else
    stays as it is.
    """
    if isinstance(value, np.floating):
        return float(str(value))
    return value.item() if isinstance(value, np.number) else value


def whole_number(numeral: str) -> int | None:
    """The whole number that a numeral spells, or None."""
    value = Decimal(numeral)
    if value != value.to_integral_value():
        return None
    # nobody writes an identity number with an exponent: that is how a double is written
    is_double = "e" in numeral.lower() and abs(value) > EXACT_DOUBLE
    if is_double or abs(value) > LARGEST_WHOLE:
        number = float(numeral)
        return int(number) if math.isfinite(number) else None
    return int(value)


def number_key(text: str) -> str:
    """The same for all texts that spell one number; the text itself where it spells none.

    >>> len({number_key(text) for text in ("1", "1.0", "1e0", "+1.", "01")})
    1
    """
    if INFINITE.fullmatch(text):
        return f"number {double_text(float(text))}"
    if len(text) > LONGEST or not NUMERAL.fullmatch(text):
        return text
    whole = whole_number(text)
    if whole is not None:
        return f"number {whole}"
    number = float(text)
    return text if math.isinf(number) else f"number {double_text(number)}"
