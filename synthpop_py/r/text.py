"""Numbers as R 4.2 writes them: ``as.character`` (labels of levels) and ``format`` (printed
columns).

R finds out how many significant digits a number needs, at most 15 for a label and 7 in print, and
then uses fixed notation unless scientific notation is shorter. The digits needed are found in
64-bit extended precision, so a number very close to the middle between two roundings may be seen as
exactly in the middle and lose its last digit. That arithmetic is repeated here with integers, the
same on every machine.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache

import numpy as np

from ..core.arrays import Values

__all__ = [
    "double_text",
    "format_column",
    "format_padded",
    "integer_text",
]

Numbers = Values | Sequence[float | int | None]

LABEL_DIGITS = 15
PRINT_DIGITS = 7
ORDINARY = (1e-3, 1e15)  # numbers in between are divided by exact powers of ten
# R keeps these powers of ten in a table, as doubles, so those above 10^22 are not exact; still
# larger ones are computed.
POWERS = [int(float(f"1e{power}")) for power in range(28)]


def integer_text(x: int) -> str:
    """R's ``as.character`` of an integer: never in scientific notation."""
    return str(int(x))


@lru_cache(maxsize=8192)
def double_text(x: float) -> str:
    """R's ``as.character`` of a double: at most 15 significant digits, fixed notation unless
    scientific is shorter.

    >>> [double_text(x) for x in (0.1 + 0.2, 1 / 3, 100000.0, 150000.0, 1e-4, -0.0)]
    ['0.3', '0.333333333333333', '1e+05', '150000', '1e-04', '0']
    """
    if not math.isfinite(x):
        return _not_finite(x)
    text = _plain_text(x)
    if text is None:
        text = _without_last_zeros(_shorter_notation(x))
    return text


def _plain_text(x: float) -> str | None:
    """The text of an ordinary number, found at once; None where R's rules need a closer look."""
    size = abs(x)
    if not ORDINARY[0] <= size < ORDINARY[1]:
        return None
    text = "%.15g" % x
    is_exact = float(text) == x
    if "." not in text:
        # 100000 is shorter as 1e+05
        is_shortest = len(text) <= 5 or text[-1] != "0"
        return text if is_exact and is_shortest else None
    if is_exact:
        return text
    beyond = ("%.17e" % size)[16:19]  # the digits after the fifteenth: R may round otherwise
    return None if "498" <= beyond <= "502" else text


def _shorter_notation(x: float) -> str:
    """Fixed notation unless scientific is shorter."""
    size = abs(x)
    exponent, digits = _scientific(size, LABEL_DIGITS)
    scientific = _encode(x, digits - 1, True)
    if not -6 < exponent < 21:  # here fixed notation is always longer
        return scientific
    # rounded up, the number has a digit more before the point than in fixed notation
    widened = _rounds_up_only_in_scientific(size, exponent, LABEL_DIGITS)
    decimals = digits - exponent - 1 + widened
    fixed = _encode(x, max(0, decimals), False)
    return fixed if len(fixed) <= len(scientific) else scientific


def format_padded(values: Numbers, digits: int = PRINT_DIGITS) -> list[str]:
    """R's ``format(x, digits)``: the same number of decimals everywhere, padded on the left to a
    common width.

    Integers (an integer array, or Python integers throughout) are written as R's integers,
    everything else as doubles. ``None`` is R's NA. The common width is R's, in rare cases one more
    than the longest text needs.

    >>> format_padded([1.5, None, 100])
    ['  1.5', '   NA', '100.0']
    """
    numbers = values.tolist() if isinstance(values, np.ndarray) else list(values)
    present = [x for x in numbers if x is not None]
    # 1L and 1 print alike in R, but a column with one double is a column of doubles
    if present and all(isinstance(x, (int, np.integer)) for x in present):
        texts = ["NA" if x is None else str(int(x)) for x in numbers]
    else:
        width, decimals, scientific = _layout([float(x) for x in present], digits)
        texts = [_encode(x, decimals, scientific).rjust(width) for x in numbers]
    width = max(map(len, texts), default=0)
    return [text.rjust(width) for text in texts]


def format_column(values: Numbers, digits: int = PRINT_DIGITS) -> list[str]:
    """The entries of a numeric column in R's ``print`` of a data frame, without padding.

    >>> format_column([0.5, float("nan"), 12.25])
    ['0.50', 'NaN', '12.25']
    """
    return [text.lstrip() for text in format_padded(values, digits)]


def _layout(numbers: list[float], digits: int) -> tuple[int, int, bool]:
    """Width, decimals, and whether in scientific notation: the narrowest common layout that shows
    `digits` significant digits of each number; fixed if it is as narrow.
    """
    finite = [x for x in numbers if math.isfinite(x)]
    if not finite:
        return 0, 0, False
    before, after, needed = [], [], []
    for x in finite:
        exponent, own = _scientific(abs(x), digits)
        # 0 and less where zeros follow the point
        left = exponent + 1 - _rounds_up_only_in_scientific(abs(x), exponent, digits)
        before.append(left)
        after.append(own - left)
        needed.append(own)
    decimals = max(0, *after)
    # a sign, and at least the zero before the point
    whole_parts = [(x < 0) + max(left, 1) for x, left in zip(finite, before)]
    fixed = max(whole_parts) + decimals + (decimals > 0)
    more = max(needed) - 1
    sign = any(x < 0 for x in finite)
    # R has two digits for the exponent, three where one needs them
    exponents = 3 if max(before) > 100 or min(before) <= -99 else 2
    scientific = sign + 1 + (more > 0) + more + len("e+") + exponents
    return (fixed, decimals, False) if fixed <= scientific else (scientific, more, True)


def _encode(x: float | None, decimals: int, scientific: bool) -> str:
    if x is None or not math.isfinite(x):
        return _not_finite(x)
    pattern = "%.*e" if scientific else "%.*f"
    return pattern % (decimals, x or 0.0)  # no sign on zero


def _without_last_zeros(text: str) -> str:
    mantissa, e, exponent = text.partition("e")
    if "." in mantissa:
        mantissa = mantissa.rstrip("0").rstrip(".")
    return mantissa + e + exponent


def _not_finite(x: float | None) -> str:
    if x is None:
        return "NA"
    if math.isnan(x):
        return "NaN"
    return "Inf" if x > 0 else "-Inf"


def _rounds_up_only_in_scientific(size: float, exponent: int, digits: int) -> bool:
    """9996 with 3 digits is 1e+04 in scientific notation but stays 9996, with one digit less, in
    fixed notation.
    """
    if digits > LABEL_DIGITS or not 0 < exponent < len(POWERS):
        return False
    power = POWERS[exponent]
    if size >= power:
        return False
    scale = 2 * POWERS[max(digits - exponent, 0)]
    numerator, denominator = size.as_integer_ratio()
    # size < power - 1/scale, multiplied out so that no fraction is rounded
    limit = scale * power - 1
    return numerator * scale < limit * denominator


def _scientific(size: float, digits: int) -> tuple[int, int]:
    """Exponent and how many digits (at most `digits`) a number that is not negative needs. Each
    step is rounded to 64 bits as R on x86 does; more digits than a label has are those of C.
    """
    if size == 0:
        return 0, 1
    mantissa, exponent = ("%.*e" % (digits + 2, size)).split("e")
    # C rounds as R does, unless the next digits are nearly 5
    is_clear = ORDINARY[0] <= size < ORDINARY[1] and not "498" <= mantissa[-3:] <= "502"
    if is_clear or digits > LABEL_DIGITS:
        mantissa, exponent = ("%.*e" % (digits - 1, size)).split("e")
        return int(exponent), _needed(mantissa.replace(".", ""))
    power = math.floor(math.log10(size)) - digits + 1
    shifted = _in_64_bits(Fraction(size) / _power_of_ten(power))
    # as R does where log10 was rounded up to the next whole number
    if shifted < 10 ** (digits - 1):
        shifted = _in_64_bits(shifted * 10)
        power -= 1
    rounded = str(round(shifted))  # half to even
    return power + len(rounded) - 1, _needed(rounded)


def _needed(digits: str) -> int:
    """How many digits there are without zeros at the end."""
    return len(digits.rstrip("0"))


def _power_of_ten(power: int) -> Fraction:
    """R's power of ten: from its table, or computed and rounded."""
    if abs(power) >= len(POWERS):
        return _in_64_bits(Fraction(10) ** power)
    return Fraction(POWERS[power]) if power > 0 else Fraction(1, POWERS[-power])


def _in_64_bits(x: Fraction) -> Fraction:
    """The nearest number with a mantissa of 64 bits."""
    lowest = x.numerator.bit_length() - x.denominator.bit_length() - 64
    # the number of bits is estimated from below, so that a second try may be needed
    for shift in (lowest, lowest + 1):
        unit = Fraction(2) ** shift
        mantissa = round(x / unit)
        if mantissa <= 1 << 64:
            break
    return mantissa * unit
