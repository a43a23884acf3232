"""A `Disclosure` as plain Python values and back; a `MultiDisclosure` as plain values."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from ..core.fingerprint import Fingerprints
from ..errors import InputError
from ..r.both import Change, DefectFinding
from ..r.defects import BY_ID
from ..r.layouts import LAYOUTS
from ..r.reading import VERSIONS
from ..show import Cell, Shown
from ..show.fill import People as Behind
from ..show.plain import column_name, frame_content, value_of
from ..summary.result import MultiDisclosure, TargetRow
from .cells import VECTORS
from .checks import LevelCheck, PairCheck
from .defect_text import Behind as BehindChange
from .exclusions import COLUMNS
from .fingerprints import Known
from .measures import Share
from .people import People
from .result import Disclosure
from .result_frames import LEVEL_FIELDS, PAIR_FIELDS
from .run import SetFigures

if TYPE_CHECKING:
    from .show import View

WHAT = "synthpop_py.Disclosure"
TEXTS = ("Level", "target_key_levs", "key")
HOW = "give what Disclosure.to_dict() or to_json() returned"

# ---- to plain values -----------------------------------------------------------------


def disclosure_content(result: Disclosure) -> dict[str, Any]:
    """All but `records()`; cells where a figure is about people."""
    from .show import people_behind_changes, view_of

    view = view_of(result)
    everybody = view.people[0].everybody
    content: dict[str, Any] = {
        "compat": result.compat,
        "r_version": VERSIONS[result.compat],
        "call": result.call,
        "keys": list(map(column_name, result.keys)),
        "target": column_name(result.target),
        "Norig": Cell(result.Norig, (everybody,)),
        "Nsyn": list(result.Nsyn),
        "digits": result.digits,
        "to_print": list(result.to_print),
    }
    content |= _tables_content(view)
    content["check1"] = result.check1
    content["check2"] = result.check2
    content["shares"] = [_shares(people) for people in view.people]
    content["defects"] = defects_content(result.defects, people_behind_changes(result))
    content["corrected"] = whole_content(result.corrected)
    return content


def whole_content(result: Shown | None) -> dict[str, Any] | None:
    """A result inside of another one, with what says which it is."""
    return None if result is None else result._header() | dict(result._content())


def _tables_content(view: View) -> dict[str, Any]:
    """R's tables by name."""
    from .show import CHECKS, check_frames, check_people, measure_people

    tables: dict[str, Any] = {}
    for name in ("ident", "attrib", "allCAPs", "attrib_denoms"):
        frame = view.tables.measures.get(name)
        tables[name] = _frame(frame, measure_people(view))
    for name in CHECKS:
        tables[name] = []
        for j, flagged in enumerate(check_frames(view, name)):
            tables[name].append(_frame(flagged, check_people(view, name, j)))
    tables["Nexclusions"] = []
    for ledger, people in zip(view.tables.ledgers, view.people):
        tables["Nexclusions"].append(frame_content(ledger, people.behind_ledger))
    return tables


def _frame(frame: pd.DataFrame | None, people: Behind) -> dict[str, Any] | None:
    return None if frame is None else frame_content(frame, people)


def _shares(people: People) -> dict[str, list[Cell]]:
    """Numerator and denominator of every measure."""
    shares = {}
    for name, share in people.figures.shares.items():
        numerator = Cell(share.numerator, people.behind_numerator(name))
        denominator = Cell(share.denominator, people.behind_denominator(name))
        shares[name] = [numerator, denominator]
    return shares


def multi_content(result: MultiDisclosure) -> dict[str, Any]:
    """A summary with the results of its targets."""
    from ..summary.show import behind_change
    from .people import everybody

    outputs = {}
    for target, single in result.output_list.items():
        outputs[str(target)] = whole_content(single)
    changes = defects_content(result.defects, lambda change: behind_change(result, change))
    return {
        "compat": result.compat,
        "r_version": VERSIONS[result.compat],
        "keys": list(map(column_name, result.keys)),
        "Norig": Cell(result.Norig, (everybody(result.Norig),)),
        "m": result.m,
        "ident_meas": result.ident_meas,
        "attrib_meas": result.attrib_meas,
        "digits": result.digits,
        "rows": [_row_content(result, row) for row in result.rows],
        "notes": list(result.notes),
        "output_list": outputs,
        "defects": changes,
        "corrected": whole_content(result.corrected),
    }


def _row_content(result: MultiDisclosure, row: TargetRow) -> dict[str, Any]:
    from ..summary.show import FIGURES, behind

    content: dict[str, Any] = {"target": column_name(row.target)}
    for figure in FIGURES:
        content[figure] = Cell(getattr(row, figure), behind(result, row, figure))
    for name in ("check1", "npairs", "check2"):
        content[name] = getattr(row, name)
    return content


def defects_content(findings: Sequence[DefectFinding], behind: BehindChange) -> list[Any]:
    """Defects with every figure they moved."""
    defects = []
    for finding in findings:
        changes = [_change_content(change, behind) for change in finding.changes]
        defects.append({"id": finding.id, "changes": changes})
    return defects


def _change_content(change: Change, behind: BehindChange) -> list[Any]:
    synthesis, name, r, correct = change
    behind_r, behind_correct = behind(change)
    return [synthesis, name, Cell(r, behind_r), Cell(correct, behind_correct)]


# ---- and back ------------------------------------------------------------------------


def disclosure_from_json(text: Any) -> Disclosure:
    try:
        content = json.loads(text)
    except (TypeError, ValueError) as error:
        raise InputError(f"text: is not JSON ({error}); {HOW}") from None
    return disclosure_from_dict(content)


def disclosure_from_dict(content: Any) -> Disclosure:
    """The result that a dictionary was made from. Content that no result has is refused."""
    _check_what(content)
    m = _number_of_syntheses(content)
    original_records = _part(content, "Norig", int)
    synthetic_records = _part(content, "Nsyn", list)
    digits = _part(content, "digits", int)
    findings = _part(content, "defects", list)
    corrected = content.get("corrected")
    asked = _part(content, "arguments", Mapping) if "arguments" in content else {}
    return Disclosure(
        _sets=tuple(_set(content, j) for j in range(m)),
        check1=_part(content, "check1", (str, type(None))),
        check2=_part(content, "check2", (int, type(None))),
        keys=tuple(_part(content, "keys", list)),
        target=_part(content, "target", (str, int, float)),
        Norig=_count(original_records, "Norig"),
        Nsyn=tuple(_count(n, "Nsyn") for n in synthetic_records),
        m=m,
        digits=_count(digits, "digits"),
        to_print=tuple(_part(content, "to_print", list)),
        call=_part(content, "call", str),
        compat=content["compat"],
        defects=tuple(map(_finding, findings)),
        corrected=None if corrected is None else disclosure_from_dict(corrected),
        _asked=asked,
        _known_fingerprints=Known(_fingerprints(content.get("fingerprint"))),
    )


def _number_of_syntheses(content: Mapping[str, Any]) -> int:
    """As many as `shares` has, and every other part that has one entry for each."""
    number = len(_part(content, "shares", list))
    if number == 0:
        raise _unreadable("shares", "is empty")
    for name in ("check_1way", "check_2way", "Nexclusions", "Nsyn"):
        entries = _part(content, name, list)
        if len(entries) != number:
            raise _unreadable(name, f"has {len(entries)} entries, shares has {number}")
    return number


def _fingerprints(entry: Any) -> Fingerprints | None:
    if entry is None:
        return None
    if not isinstance(entry, Mapping):
        raise _unreadable("fingerprint", f"is {entry!r:.60}, not a dictionary")
    columns = _part(entry, "columns", list)
    synthetic = _part(entry, "synthetic", list)
    return Fingerprints(tuple(columns), tuple(synthetic), entry.get("original"))


def _unreadable(name: str, fault: str) -> InputError:
    return InputError(f"content: {name} {fault}; {HOW}")


def _check_what(content: Any) -> None:
    if not isinstance(content, Mapping):
        raise InputError(f"content: a {type(content).__name__} is no dictionary; {HOW}")
    what = content.get("what")
    if what != WHAT:
        raise _unreadable("what", f"is {what!r}, not {WHAT!r}")
    if content.get("hidden"):
        raise _unreadable("hidden", "lists values that are left out, so that it cannot be read")
    if content.get("compat") not in VERSIONS:
        choices = ", ".join(map(repr, VERSIONS))
        raise _unreadable("compat", f"is {content.get('compat')!r}, not one of {choices}")


def _part(content: Mapping[str, Any], name: str, kind: Any) -> Any:
    """One entry, of the type it must have."""
    if name not in content:
        raise _unreadable(name, "is missing")
    value = content[name]
    if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
        raise _unreadable(name, f"is {value!r:.60}, a {type(value).__name__}")
    return value


def _count(value: Any, name: str) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise _unreadable(name, f"is {value!r}, not a whole number from 0 on")
    return value


def _number(value: Any, name: str) -> Any:
    number = value_of(value)
    if isinstance(number, bool) or not isinstance(number, (int, float)):
        raise _unreadable(name, f"holds {value!r:.60}, which is no number")
    return number


# ---- the figures of one synthesis ----------------------------------------------------


def _set(content: Mapping[str, Any], j: int) -> SetFigures:
    attrib = _part(content, "attrib", Mapping)
    denominators = _rows(attrib, "attrib", ("max_denom", "mean_denom"))
    if len(denominators) <= j:
        raise _unreadable("attrib", f"has {len(denominators)} rows, shares more")
    return SetFigures(
        shares=_shares_from(content, j),
        max_denom=denominators[j]["max_denom"],
        mean_denom=denominators[j]["mean_denom"],
        ledger=_ledger(content["Nexclusions"][j]),
        level=_level(content["check_1way"][j]),
        pairs=_pairs(content["check_2way"][j]),
    )


def _level(table: Any) -> LevelCheck | None:
    if table is None:
        return None
    first, *_ = _rows(table, "check_1way", LEVEL_FIELDS)
    return LevelCheck(**first)


def _pairs(table: Any) -> tuple[PairCheck, ...]:
    if table is None:
        return ()
    rows = _rows(table, "check_2way", PAIR_FIELDS)
    numbers = table.get("index", ())
    return tuple(PairCheck(row=number, **row) for number, row in zip(numbers, rows))


def _shares_from(content: Mapping[str, Any], j: int) -> dict[str, Share]:
    entries = content["shares"][j]
    if not isinstance(entries, Mapping):
        raise _unreadable("shares", f"holds a {type(entries).__name__}, not a dictionary")
    layout = LAYOUTS[VERSIONS[content["compat"]]]
    for name in (*layout.ident, *layout.attrib, *layout.caps.values()):
        if name not in entries:
            raise _unreadable("shares", f"lacks {name}")
    return {name: _share(name, pair) for name, pair in entries.items()}


def _share(name: str, pair: Any) -> Share:
    if not _is_list(pair, 2):
        raise _unreadable("shares", f"has {pair!r:.60} for {name}, not two numbers")
    numerator, denominator = pair
    return Share(_number(numerator, "shares"), _number(denominator, "shares"))


def _is_list(value: Any, length: int) -> bool:
    if isinstance(value, str) or not isinstance(value, Sequence):
        return False
    return len(value) == length


def _rows(table: Any, name: str, needed: Sequence[str]) -> list[dict[str, Any]]:
    """The needed columns of a table, row by row."""
    if not isinstance(table, Mapping) or "columns" not in table or "values" not in table:
        raise _unreadable(name, "is no table of index, columns and values")
    columns = dict(zip(table["columns"], table["values"]))
    chosen = []
    for column in needed:
        if column not in columns:
            raise _unreadable(name, f"lacks the column {column}")
        chosen.append(_column(columns[column], name, is_text=column in TEXTS))
    return [dict(zip(needed, row)) for row in zip(*chosen)]


def _column(values: Sequence[Any], name: str, *, is_text: bool) -> list[Any]:
    """The values of a column of the table that goes by this name."""
    if is_text:
        return list(map(str, values))
    return [_number(value, name) for value in values]


def _ledger(table: Any) -> np.ndarray:
    rows = _rows(table, "Nexclusions", COLUMNS)
    if len(rows) != len(VECTORS):
        raise _unreadable("Nexclusions", f"has {len(rows)} rows, not {len(VECTORS)}")
    counts = []
    for row in rows:
        counts.append([_count(row[column], "Nexclusions") for column in COLUMNS])
    return np.array(counts, dtype=np.int64)


# ---- R's defects ---------------------------------------------------------------------


def _finding(entry: Any) -> DefectFinding:
    if not isinstance(entry, Mapping) or entry.get("id") not in BY_ID:
        raise _unreadable("defects", f"holds {entry!r:.60}, which is no defect of R")
    changes = map(_change, _part(entry, "changes", list))
    return DefectFinding(entry["id"], tuple(changes))


def _change(entry: Any) -> Change:
    """A figure that moved; check1 is the text of a level, whatever it says."""
    if not _is_list(entry, 4):
        raise _unreadable("defects", f"holds {entry!r:.60}, not four values")
    synthesis, name, r, correct = entry
    if name == "check1":
        return synthesis, name, r, correct
    return synthesis, name, value_of(r), value_of(correct)
