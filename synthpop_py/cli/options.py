"""Values of options such as ``income=-8``."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from typing import Any

from ..errors import InputError

__all__ = [
    "by_column",
    "listed_words",
    "number_pairs",
    "one_or_by_name",
    "pairs",
    "special_numbers",
]


def listed_words(text: str | None) -> list[str] | None:
    """Words between commas; None where nothing was given. A name that holds a comma is quoted.

    >>> listed_words("sex, age"), listed_words('"age, in years",sex')
    (['sex', 'age'], ['age, in years', 'sex'])
    """
    if text is None:
        return None
    (words,) = csv.reader([text], skipinitialspace=True)
    return [word.strip() for word in words if word.strip()]


def one_or_by_name(option: str, given: Sequence[str], default: str) -> str | dict[str, str]:
    """One value for all columns, or values by column: ``cart``, or ``sex=sample age=cart``.

    >>> one_or_by_name("--method", ["sex=sample"], "cart")
    {'sex': 'sample'}
    """
    if not given:
        return default
    named = [text for text in given if "=" in text]
    if not named and len(given) == 1:
        return given[0]
    if len(named) < len(given):
        raise InputError(
            f"{option}: give one value for all columns, or COLUMN=VALUE each time; found"
            f" {', '.join(given)}"
        )
    return dict(_pair(option, text) for text in named)


def special_numbers(option: str, given: Sequence[str]) -> dict[str, list[float]]:
    """Numbers by column: ``income=-8``, several between commas.

    >>> special_numbers("--cont-na", ["income=-8,-9"])
    {'income': [-8.0, -9.0]}
    """
    numbers: dict[str, list[float]] = {}
    for text in given:
        name, values = _pair(option, text)
        numbers.setdefault(name, []).extend(_number(option, word) for word in values.split(","))
    return numbers


def pairs(option: str, given: Sequence[str]) -> dict[str, str]:
    """Texts by column: ``workab=NO``."""
    return dict(_pair(option, text) for text in given)


def number_pairs(option: str, given: Sequence[str]) -> list[tuple[str, float]]:
    """A number each: ``DiSCO=5``.

    >>> number_pairs("--fail-over", ["DiSCO=5"])
    [('DiSCO', 5.0)]
    """
    numbers = []
    for text in given:
        name, value = _pair(option, text, example="DiSCO=5", what="MEASURE=NUMBER")
        numbers.append((name, _number(option, value, example="DiSCO=5")))
    return numbers


def by_column(option: str, given: Sequence[str], columns: Sequence[Any] | None) -> Any:
    """Numbers of classes: one for all, or one for each of the columns, 0 for those not named.

    >>> by_column("--ngroups-keys", ["age=8"], ["sex", "age"])
    [0, 8]
    """
    if not given:
        return None
    chosen = one_or_by_name(option, given, "0")
    if isinstance(chosen, str):
        return _whole(option, chosen)
    if columns is None:
        raise InputError(f"{option}: names columns, so those columns must be given as well")
    for name in chosen:
        if name not in columns:
            listed = ", ".join(map(str, columns))
            raise InputError(f"{option}: {name!r} is not one of the columns given: {listed}")
    return [_whole(option, chosen.get(name, "0")) for name in columns]


def _whole(option: str, word: str) -> int:
    number = _number(option, word, example="age=8")
    if not number.is_integer():
        raise InputError(f"{option}: {word!r} is not a whole number")
    return int(number)


def _pair(
    option: str, text: str, example: str = "income=-8", what: str = "COLUMN=VALUE"
) -> tuple[str, str]:
    # a name may contain "=", a value never does
    name, sign, value = text.rpartition("=")
    if not sign or not name:
        raise InputError(f"{option}: {text!r} is not {what}, such as {example}")
    return name, value


def _number(option: str, word: str, example: str = "income=-8") -> float:
    try:
        number = float(word)
    except ValueError:
        raise InputError(f"{option}: {word!r} is not a number; write it as in {example}") from None
    if number != number:
        raise InputError(f"{option}: {word!r} is not a number; write it as in {example}")
    return number
