"""The rules by which two answers count as equal, in one place.

Texts, truth values, missing values and shapes must be equal. Numbers must agree to ``RELATIVE``;
NaN equals NaN, Inf equals Inf. A count that is off by one differs by more than ``RELATIVE`` for
every table we can hold, so the same rule makes counts equal exactly.
"""

from __future__ import annotations

import math
from typing import Any

# Both sides form quotients of whole numbers below 2**53 and add at most a few thousand of them:
# rounding stays far below this.
RELATIVE = 1e-12

SPECIAL = {"NaN": math.nan, "Inf": math.inf, "-Inf": -math.inf}


def number(value: Any) -> Any:
    """A recorded number: NaN and the infinities are kept as texts in JSON."""
    return SPECIAL.get(value, value) if isinstance(value, str) else value


def same_number(a: float, b: float) -> bool:
    if math.isnan(a) or math.isnan(b):
        return math.isnan(a) and math.isnan(b)
    if math.isinf(a) or math.isinf(b):
        return a == b
    return abs(a - b) <= RELATIVE * max(abs(a), abs(b))


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def differences(expected: Any, actual: Any, where: str = "") -> list[str]:
    """Every place where two JSON-like values differ, named by its path."""
    if isinstance(expected, dict) and isinstance(actual, dict):
        keys = list(dict.fromkeys([*expected, *actual]))
        return [
            d
            for k in keys
            for d in _member(expected, actual, k, f"{where}.{k}" if where else str(k))
        ]
    if isinstance(expected, list) and isinstance(actual, list):
        if len(expected) != len(actual):
            return [f"{where}: length {len(expected)} expected, {len(actual)} found"]
        return [
            d
            for i, (e, a) in enumerate(zip(expected, actual))
            for d in differences(e, a, f"{where}[{i}]")
        ]
    e, a = number(expected), number(actual)
    equal = same_number(e, a) if _is_number(e) and _is_number(a) else type(e) is type(a) and e == a
    return [] if equal else [f"{where}: {expected!r} expected, {actual!r} found"]


def _member(expected: dict, actual: dict, key: str, where: str) -> list[str]:
    if key not in expected:
        return [f"{where}: not expected, {actual[key]!r} found"]
    if key not in actual:
        return [f"{where}: {expected[key]!r} expected, nothing found"]
    return differences(expected[key], actual[key], where)
