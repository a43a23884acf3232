"""What a call ends in, as a value that can be compared: all that its result says, or its error."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

from synthpop_py import InputError

# relative; a sum of a few hundred doubles in another order, which follows the codes of texts
SUMMATION = 1e-12


def outcome(call: Callable[[], Any]) -> Any:
    """The dictionary of a result without the text of its call, or the sentence of its error."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            result = call()
        except InputError as error:
            return str(error)
        content = result.to_dict()
    return _without_call(content)


def _without_call(content: Any) -> Any:
    if isinstance(content, list):
        return [_without_call(part) for part in content]
    if not isinstance(content, dict):
        return content
    return {name: _without_call(part) for name, part in content.items() if name != "call"}


def differing(here: Any, there: Any, where: str = "") -> list[str]:
    """The places where two outcomes differ. Whole numbers and texts must be equal, sums of
    fractions but for the order in which they were added.
    """
    if isinstance(here, dict) and isinstance(there, dict):
        names = dict.fromkeys([*here, *there])
        parts = [(f"{where}.{name}", here.get(name), there.get(name)) for name in names]
    elif isinstance(here, (list, tuple)) and isinstance(there, (list, tuple)):
        if len(here) != len(there):
            return [f"{where}: {len(here)} entries, {len(there)} there"]
        parts = [(f"{where}[{i}]", a, b) for i, (a, b) in enumerate(zip(here, there))]
    else:
        return [] if _equal(here, there) else [f"{where}: {here!r}, {there!r} there"]
    found = []
    for place, a, b in parts:
        found += differing(a, b, place)
    return found


def _equal(here: Any, there: Any) -> bool:
    if isinstance(here, float) and isinstance(there, float):
        both_nan = here != here and there != there
        return both_nan or here == there or abs(here - there) <= SUMMATION * abs(there)
    return type(here) is type(there) and here == there
