"""A `Disclosure` as plain Python values and back; a `MultiDisclosure` as plain values."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from ..core.fingerprint import Fingerprints
from ..errors import InputError
from ..r.defects import BY_ID
from ..r.layouts import LAYOUTS
from ..r.reading import VERSIONS
from ..show import Cell
from ..show.fill import People as Behind
from ..show.plain import column_name, frame_content, value_of
from ..summary.result import MultiDisclosure
from .cells import VECTORS
from .checks import LevelCheck, PairCheck
from .defect_text import Behind as BehindChange
from .exclusions import COLUMNS
from .measures import Share
from .people import People
from .result import DefectFinding, Disclosure
from .result_frames import LEVEL_FIELDS, PAIR_FIELDS
from .run import SetFigures

WHAT = "synthpop_py.Disclosure"
TEXTS = ("Level", "target_key_levs", "key")
HOW = "give what Disclosure.to_dict() or to_json() returned"

# ---- to plain values -----------------------------------------------------------------


def disclosure_content(result: Disclosure) -> dict[str, Any]:
    """All but `records()`; cells where a figure is about people."""
    from .show import check_frames, check_people, measure_people, people_behind_changes, view_of

    view = view_of(result)

    def measures(name: str) -> dict[str, Any] | None:
        return _frame(view.tables.measures.get(name), measure_people(view))

    def checks(name: str) -> list[dict[str, Any] | None]:
        frames = check_frames(view, name)
        return [_frame(f, check_people(view, name, j)) for j, f in enumerate(frames)]

    ledgers = []
    for ledger, people in zip(view.tables.ledgers, view.people):
        ledgers.append(_frame(ledger, people.behind_ledger))
    corrected = result.corrected
    return {
        "compat": result.compat,
        "r_version": VERSIONS[result.compat],
        "call": result.call,
        "keys": [column_name(key) for key in result.keys],
        "target": column_name(result.target),
        "Norig": Cell(result.Norig, (view.people[0].everybody,)),
        "Nsyn": list(result.Nsyn),
        "digits": result.digits,
        "to_print": list(result.to_print),
        "ident": measures("ident"),
        "attrib": measures("attrib"),
        "allCAPs": measures("allCAPs"),
        "attrib_denoms": measures("attrib_denoms"),
        "check_1way": checks("check_1way"),
        "check_2way": checks("check_2way"),
        "Nexclusions": ledgers,
        "check1": result.check1,
        "check2": result.check2,
        "shares": [_shares(people) for people in view.people],
        "defects": defects_content(result.defects, people_behind_changes(result)),
        "corrected": None if corrected is None else corrected._header() | corrected._content(),
    }


def _frame(frame: pd.DataFrame | None, people: Behind) -> dict[str, Any] | None:
    return None if frame is None else frame_content(frame, people)


def _shares(people: People) -> dict[str, list[Cell]]:
    """Numerator and denominator of every measure."""
    shares = {}
    for name, share in people.figures.shares.items():
        numerator = Cell(share.numerator, people.behind_numerator(name))
        shares[name] = [numerator, Cell(share.denominator, people.behind_denominator(name))]
    return shares


def multi_content(result: MultiDisclosure) -> dict[str, Any]:
    """A summary with the results of its targets."""
    from ..summary.show import FIGURES, behind, behind_change
    from .people import everybody

    rows = []
    for row in result.rows:
        entry: dict[str, Any] = {"target": column_name(row.target)}
        for figure in FIGURES:
            entry[figure] = Cell(getattr(row, figure), behind(result, row, figure))
        rows.append(entry | {"check1": row.check1, "npairs": row.npairs, "check2": row.check2})
    outputs = {}
    for target, single in result.output_list.items():
        outputs[str(target)] = single._header() | single._content()
    corrected = result.corrected
    return {
        "compat": result.compat,
        "r_version": VERSIONS[result.compat],
        "keys": [column_name(key) for key in result.keys],
        "Norig": Cell(result.Norig, (everybody(result.Norig),)),
        "m": result.m,
        "ident_meas": result.ident_meas,
        "attrib_meas": result.attrib_meas,
        "digits": result.digits,
        "rows": rows,
        "notes": list(result.notes),
        "output_list": outputs,
        "defects": defects_content(result.defects, lambda change: behind_change(result, change)),
        "corrected": None if corrected is None else corrected._header() | corrected._content(),
    }


def defects_content(findings: Sequence[DefectFinding], behind: BehindChange) -> list[Any]:
    """Defects with every figure they moved."""
    defects = []
    for finding in findings:
        changes = []
        for change in finding.changes:
            people = behind(change)
            r, correct = Cell(change[2], people[0]), Cell(change[3], people[1])
            changes.append([change[0], change[1], r, correct])
        defects.append({"id": finding.id, "changes": changes})
    return defects


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
    number = len(_part(content, "shares", list))
    for name in ("check_1way", "check_2way", "Nexclusions", "Nsyn"):
        if len(_part(content, name, list)) != number:
            raise _unreadable(name, f"has {len(content[name])} entries, shares has {number}")
    defects = tuple(_finding(d) for d in _part(content, "defects", list))
    corrected = content.get("corrected")
    return Disclosure(
        _sets=tuple(_set(content, j) for j in range(number)),
        check1=_part(content, "check1", (str, type(None))),
        check2=_part(content, "check2", (int, type(None))),
        keys=tuple(_part(content, "keys", list)),
        target=_part(content, "target", (str, int, float)),
        Norig=_count(_part(content, "Norig", int), "Norig"),
        Nsyn=tuple(_count(n, "Nsyn") for n in content["Nsyn"]),
        m=number,
        digits=_count(_part(content, "digits", int), "digits"),
        to_print=tuple(_part(content, "to_print", list)),
        call=_part(content, "call", str),
        compat=content["compat"],
        defects=defects,
        corrected=None if corrected is None else disclosure_from_dict(corrected),
        _read_fingerprints=_fingerprints(content.get("fingerprint")),
    )


def _fingerprints(entry: Any) -> Fingerprints | None:
    if entry is None:
        return None
    if not isinstance(entry, Mapping):
        raise _unreadable("fingerprint", f"is {entry!r:.60}, not a dictionary")
    return Fingerprints(
        columns=tuple(_part(entry, "columns", list)),
        synthetic=tuple(_part(entry, "synthetic", list)),
        original=entry.get("original"),
    )


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


def _set(content: Mapping[str, Any], j: int) -> SetFigures:
    rows = _rows(_part(content, "attrib", Mapping), "attrib", ("max_denom", "mean_denom"))
    if len(rows) <= j:
        raise _unreadable("attrib", f"has {len(rows)} rows, shares more")
    level, pairs = content["check_1way"][j], content["check_2way"][j]
    found = []
    if pairs is not None:
        entries = _rows(pairs, "check_2way", PAIR_FIELDS)
        for number, row in zip(pairs.get("index", ()), entries):
            found.append(PairCheck(row=number, **row))
    return SetFigures(
        shares=_shares_from(content, j),
        max_denom=rows[j]["max_denom"],
        mean_denom=rows[j]["mean_denom"],
        ledger=_ledger(content["Nexclusions"][j]),
        level=None if level is None else LevelCheck(**_rows(level, "check_1way", LEVEL_FIELDS)[0]),
        pairs=tuple(found),
    )


def _shares_from(content: Mapping[str, Any], j: int) -> dict[str, Share]:
    given = content["shares"][j]
    if not isinstance(given, Mapping):
        raise _unreadable("shares", f"holds a {type(given).__name__}, not a dictionary")
    layout = LAYOUTS[VERSIONS[content["compat"]]]
    for name in (*layout.ident, *layout.attrib, *layout.caps.values()):
        if name not in given:
            raise _unreadable("shares", f"lacks {name}")
    shares = {}
    for name, pair in given.items():
        if not isinstance(pair, Sequence) or isinstance(pair, str) or len(pair) != 2:
            raise _unreadable("shares", f"has {pair!r:.60} for {name}, not two numbers")
        shares[name] = Share(_number(pair[0], "shares"), _number(pair[1], "shares"))
    return shares


def _rows(table: Any, name: str, needed: Sequence[str]) -> list[dict[str, Any]]:
    """The needed columns of a table, row by row."""
    if not isinstance(table, Mapping) or "columns" not in table or "values" not in table:
        raise _unreadable(name, "is no table of index, columns and values")
    columns = {}
    for column, values in zip(table["columns"], table["values"]):
        columns[column] = values
    chosen = []
    for column in needed:
        if column not in columns:
            raise _unreadable(name, f"lacks the column {column}")
        values = columns[column]
        if column in TEXTS:
            chosen.append([str(value) for value in values])
        else:
            chosen.append([_number(value, name) for value in values])
    return [dict(zip(needed, row)) for row in zip(*chosen)]


def _ledger(table: Any) -> np.ndarray:
    rows = _rows(table, "Nexclusions", COLUMNS)
    if len(rows) != len(VECTORS):
        raise _unreadable("Nexclusions", f"has {len(rows)} rows, not {len(VECTORS)}")
    counts = [[_count(row[column], "Nexclusions") for column in COLUMNS] for row in rows]
    return np.array(counts, dtype=np.int64)


def _finding(given: Any) -> DefectFinding:
    if not isinstance(given, Mapping) or given.get("id") not in BY_ID:
        raise _unreadable("defects", f"holds {given!r:.60}, which is no defect of R")
    changes = []
    for change in _part(given, "changes", list):
        if not isinstance(change, Sequence) or len(change) != 4:
            raise _unreadable("defects", f"holds {change!r:.60}, not four values")
        changes.append(_change(*change))
    return DefectFinding(given["id"], tuple(changes))


def _change(synthesis: int, name: str, r: Any, right: Any) -> tuple[int, str, Any, Any]:
    """A figure that moved; check1 is the text of a level, whatever it says."""
    if name == "check1":
        return synthesis, name, r, right
    return synthesis, name, value_of(r), value_of(right)
