"""What R's `multi.disclosure()` does otherwise: how it passes arguments on, and which figures of
its summary are not those of the targets.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, TypeVar

from ..arguments import listed
from ..errors import InputError
from .ledger import DEFECTS
from .reading import VERSIONS

Answer = TypeVar("Answer")


def ask_as_r(
    ask: Callable[[dict[str, Any], Collection[str]], Answer],
    own: dict[str, Any],
    by_key: dict[str, Any],
    correct: Mapping[str, Any],
    plain: bool,
) -> Answer:
    """Ask for a target as R does; `ask` takes arguments of `disclosure()` and the defects met.
    `own` are arguments of the target, `by_key` those of keys as given: R takes them in the order of
    the data (D2, D3). It drops exclusions of plain frames, and writes the target's levels over
    those of the key (D32).
    """
    met = {"D2"} if by_key["usekeysNA"] != correct["usekeysNA"] else set()
    if listed(by_key["ngroups_keys"]) != listed(correct["ngroups_keys"]):
        met.add("D3")
    if own["exclude_keys"] is not None:
        taken = {"exclude_keylevs": own["exclude_targetlevs"]}
        if plain:
            taken = dict.fromkeys(("exclude_keys", "exclude_keylevs", "exclude_targetlevs"))
        if plain or own["exclude_keylevs"] != own["exclude_targetlevs"]:
            try:
                return ask(own | by_key | taken, {*met, "D32"})
            except InputError:
                pass  # R stops here although the user's exclusion is valid: do as asked
    return ask(own | by_key, met)


def row_as_r(
    row: dict[str, Any], repU: Sequence[float], measures: tuple[str, str], compat: str
) -> tuple[dict[str, Any], set[str]]:
    """A row of the summary as R has it, and the defects that changed it. D29: repU of the first
    synthesis. D30: pairs are 0 or 1. D31, D42: measures that are not found.
    """
    ident, attrib = measures
    changes: dict[str, dict[str, Any]] = {
        "D29": {"ident_syn": repU[0]} if ident == "repU" and len(set(repU)) > 1 else {},
        "D30": {"npairs": 1} if row["npairs"] > 1 else {},
        "D31": {"ident_syn": math.nan} if ident != "repU" else {},
        "D42": {"attrib_syn": math.nan} if attrib == "DCAP" else {},
    }
    if attrib == "DiSDiO":
        changes["D31"]["attrib_orig"] = math.nan
    if not DEFECTS["D42"].is_in(VERSIONS[compat]):
        changes["D42"] = {}
    for change in changes.values():
        row = row | change
    return row, {defect for defect, change in changes.items() if change}
