"""Values of options such as ``income=-8``."""

from __future__ import annotations

from collections.abc import Sequence

from ..errors import InputError

__all__ = ["listed_words", "one_or_by_name", "special_numbers"]


def listed_words(text: str | None) -> list[str] | None:
    """Words between commas; None where nothing was given.

    >>> listed_words("sex, age")
    ['sex', 'age']
    """
    if text is None:
        return None
    return [word.strip() for word in text.split(",") if word.strip()]


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


def _pair(option: str, text: str) -> tuple[str, str]:
    # a name may contain "=", a value never does
    name, sign, value = text.rpartition("=")
    if not sign or not name:
        raise InputError(f"{option}: {text!r} is not COLUMN=VALUE, such as income=-8")
    return name, value


def _number(option: str, word: str) -> float:
    try:
        return float(word)
    except ValueError:
        raise InputError(f"{option}: {word!r} is not a number; write it as in income=-8") from None
