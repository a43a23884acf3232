"""The same call counted at once and in parts, and in what the two answers differ."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

from synthpop_py import (
    Disclosure,
    InputError,
    KeyRisk,
    MultiDisclosure,
    ReplicatedUniques,
)
from synthpop_py.utility import TableUtility

SUMMATION = 1e-12  # relative: CAP sums are added up in another order, everything else is counted


def answer(call: Any, **arguments: Any) -> Any:
    """A result, or the error that the call ends in."""
    try:
        return call(**arguments)
    except InputError as error:
        return error


def differences(once: Any, parts: Any) -> list[str]:
    """What two answers do not have in common, counts exactly, sums of shares to 1e-12."""
    if isinstance(once, InputError) or isinstance(parts, InputError):
        return [] if str(once) == str(parts) else [f"{once!r} and {parts!r}"]
    return list(_unlike(facts(once), facts(parts), "result"))


def is_in_parts(result: Any) -> bool:
    """Whether a result was counted in parts."""
    if isinstance(result, Disclosure):
        return result._outcome is not None and result._outcome.split is not None
    if isinstance(result, MultiDisclosure):
        return any(map(is_in_parts, result.output_list.values()))
    return isinstance(result, ReplicatedUniques) and result._replicated is None


def facts(result: Any) -> dict[str, Any]:
    """Everything that a result says, its correct one included."""
    if isinstance(result, KeyRisk):
        return {"table": result.table.to_dict("list")}
    if isinstance(result, TableUtility):
        # tables that are equally far apart may change places with the last bit of a sum
        texts = result.table["text"].tolist()
        by_text = dict(zip(texts, result.by_set.tolist()))
        columns = result.table.set_index("text").sort_index().to_dict("list")
        return {"table": columns, "by_set": [by_text[text] for text in sorted(texts)]}
    if isinstance(result, ReplicatedUniques):
        # where records are marked or not, a defect is named only if a number moved
        changes = [c for f in result.defects for c in f.changes if "marked" not in c[1]]
        return {
            "tables": [table.to_dict("list") for table in result.res_tab],
            "sizes": (result.m, result.n, result.k),
            "changes": changes,
        }
    if isinstance(result, MultiDisclosure):
        return {
            "rows": result.rows,
            "defects": [(finding.id, finding.changes) for finding in result.defects],
            "notes": result.notes,
            "targets": {str(t): facts(one) for t, one in result.output_list.items()},
            "corrected": None if result.corrected is None else facts(result.corrected),
        }
    return {
        "shares": result.shares,
        "denominators": [(s.max_denom, s.mean_denom) for s in result._sets],
        "ledgers": [s.ledger.tolist() for s in result._sets],
        "levels": [_fields(s.level) for s in result._sets],
        "pairs": [[_fields(pair) for pair in s.pairs] for s in result._sets],
        "flagged": (result.check1, result.check2),
        "classes": {str(name): one.labels for name, one in result.groupings.items()},
        "not found": list(map(str, result._levels_not_found())),
        "records": (result.Norig, *result.Nsyn),
        "defects": [(finding.id, finding.changes) for finding in result.defects],
        "corrected": None if result.corrected is None else facts(result.corrected),
    }


def _fields(check: Any) -> dict[str, Any] | None:
    return None if check is None else {name: getattr(check, name) for name in check.__slots__}


def _unlike(a: Any, b: Any, where: str) -> Iterator[str]:
    if hasattr(a, "__dataclass_fields__"):
        a, b = _fields(a), _fields(b)
    if isinstance(a, dict) and isinstance(b, dict) and a.keys() == b.keys():
        for name in a:
            yield from _unlike(a[name], b[name], f"{where}, {name}")
    elif isinstance(a, (list, tuple)) and isinstance(b, (list, tuple)) and len(a) == len(b):
        for number, (one, other) in enumerate(zip(a, b)):
            yield from _unlike(one, other, f"{where}, {number}")
    elif not _same(a, b):
        yield f"{where}: {a!r} at once, {b!r} in parts"


def _same(a: Any, b: Any) -> bool:
    if isinstance(a, float) and isinstance(b, float):
        both_nan = math.isnan(a) and math.isnan(b)
        return both_nan or math.isclose(a, b, rel_tol=SUMMATION, abs_tol=SUMMATION)
    return type(a) is type(b) and bool(a == b)
