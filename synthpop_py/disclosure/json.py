"""A `Disclosure` as plain Python values and back; a `MultiDisclosure` as plain values."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from ..arguments import check_digits
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
from .baseline import COMPARED, Baseline, Compared
from .baseline_show import baseline_content
from .cells import VECTORS
from .checks import LevelCheck, PairCheck
from .defect_text import Behind as BehindChange
from .exclusions import COLUMNS
from .fingerprints import Known
from .measures import BY_NAME, Share
from .options import check_to_print
from .people import People
from .result import Disclosure
from .result_frames import LEVEL_FIELDS, PAIR_FIELDS
from .run import SetFigures

if TYPE_CHECKING:
    from .show import View

WHAT = "synthpop_py.Disclosure"
COLUMN_NAME = (str, int, float)
BEYOND_COUNTS = 2**63
DENOMINATORS = ("max_denom", "mean_denom")
COMPARED_FIGURES = (
    "numerator_members",
    "n_members",
    "numerator_non_members",
    "n_non_members",
    "effective_n",
    "p_value",
)
TEXTS = ("Level", "target_key_levs", "key")
HOW = "give what Disclosure.to_dict() or to_json() returned"

# ---- to plain values -----------------------------------------------------------------


def disclosure_content(result: Disclosure) -> dict[str, Any]:
    """All except `records()`; figures about people become cells."""
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
    content |= _people_content(view)
    content["baseline"] = None
    if result._baseline is not None:
        content["baseline"] = baseline_content(result)
    content["check1"] = result.check1
    content["check2"] = result.check2
    content["shares"] = [_shares(people) for people in view.people]
    content["defects"] = defects_content(result.defects, people_behind_changes(result))
    content["corrected"] = whole_content(result.corrected)
    content["notes"] = [note for note in result.notes if note not in result._on_order]
    return content


def whole_content(result: Shown | None) -> dict[str, Any] | None:
    """A result inside another one, with what identifies it."""
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


def _people_content(view: View) -> dict[str, list[Any]]:
    """How many people exclusions left out of attribute measures, and how many these measures are
    about, in each synthesis; `Nexclusions` has the reasons. Also the original and synthetic records
    that identity measures are about.
    """
    content: dict[str, list[Any]] = {"left_out": [], "remaining": [], "of_identity": []}
    for people in view.people:
        behind = people.behind_left_out()
        left_out, remaining = behind
        content["left_out"].append(Cell(int(left_out.n), behind))
        content["remaining"].append(Cell(int(remaining.n), behind))
        original, synthetic = people.figures.of_identity
        of_identity = Cell(original, people.behind_identity())
        content["of_identity"].append([of_identity, synthetic])
    return content


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
    from ..summary.show import baseline_of_several, behind_change
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
        "baseline": baseline_of_several(result),
        "notes": list(result.notes),
        "output_list": outputs,
        "defects": changes,
        "corrected": whole_content(result.corrected),
    }


def _row_content(result: MultiDisclosure, row: TargetRow) -> dict[str, Any]:
    from ..summary.show import FIGURES, behind
    from .people import people_of, who_decides

    content: dict[str, Any] = {"target": column_name(row.target)}
    for figure in FIGURES:
        content[figure] = Cell(getattr(row, figure), behind(result, row, figure))
    for name in ("check1", "npairs", "check2"):
        content[name] = getattr(row, name)
    people = who_decides(people_of(result.output_list[row.target]))
    content["left_out"] = Cell(row.left_out, people.behind_left_out())
    content["remaining"] = Cell(result.Norig - row.left_out, people.behind_left_out())
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
    except RecursionError:
        raise InputError(f"text: is nested too deeply; {HOW}") from None
    return disclosure_from_dict(content)


def disclosure_from_dict(content: Any) -> Disclosure:
    """The result that a dictionary was made from. Content that no result has is refused."""
    _check_plain(content)
    _check_what(content)
    corrected = content.get("corrected")
    if corrected is None:
        return _result(content, None)
    _check_what(corrected)
    if corrected.get("corrected") is not None:
        raise _unreadable("corrected", "has its own corrected result")
    return _result(content, _result(corrected, None))


def _result(content: Mapping[str, Any], corrected: Disclosure | None) -> Disclosure:
    m = _number_of_syntheses(content)
    synthetic_records = _part(content, "Nsyn", list)
    findings = _part(content, "defects", list)
    names = _names_of_changes(content)
    asked = _part(content, "arguments", Mapping) if "arguments" in content else {}
    return Disclosure(
        _sets=tuple(_set(content, j) for j in range(m)),
        check1=_part(content, "check1", (str, type(None))),
        check2=_part(content, "check2", (int, type(None))),
        keys=_keys(content),
        target=_part(content, "target", COLUMN_NAME),
        Norig=_count(_part(content, "Norig", int), "Norig"),
        Nsyn=tuple(_count(n, "Nsyn") for n in synthetic_records),
        m=m,
        digits=check_digits(_part(content, "digits", int)),
        to_print=check_to_print(_part(content, "to_print", list)),
        call=_part(content, "call", str),
        compat=content["compat"],
        certainty=_certainty(asked),
        defects=tuple(_finding(entry, names) for entry in findings),
        corrected=corrected,
        notes=tuple(map(str, content.get("notes", ()))),
        _asked=lambda: asked,
        _known_fingerprints=Known(_fingerprints(content.get("fingerprint"))),
        _baseline=_baseline(content.get("baseline")),
    )


def _certainty(asked: Mapping[str, Any]) -> float:
    """Files written before this argument existed mean full certainty."""
    share = asked.get("certainty", 1.0)
    if isinstance(share, bool) or not isinstance(share, (int, float)) or not 0.5 < share <= 1:
        raise _unreadable(
            "arguments", f"has the certainty {share!r:.60}, which is not a share above 0.5, up to 1"
        )
    return float(share)


def _check_plain(content: Any) -> None:
    """Accept only what JSON can hold: no other objects, no circular references, no lone
    surrogates.
    """
    try:
        json.dumps(content, ensure_ascii=False, default=dict).encode("utf-8")
    except (TypeError, ValueError, RecursionError):
        raise InputError(f"content: holds something that JSON cannot; {HOW}") from None


def _keys(content: Mapping[str, Any]) -> tuple[Any, ...]:
    keys = _part(content, "keys", list)
    for key in keys:
        if isinstance(key, bool) or not isinstance(key, COLUMN_NAME):
            raise _unreadable("keys", f"holds {key!r:.60}, which names no column")
    return tuple(keys)


def _number_of_syntheses(content: Mapping[str, Any]) -> int:
    """The number of syntheses in `shares`; every other part with one entry per synthesis must
    agree.
    """
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
    columns = _texts(_part(entry, "columns", list), "fingerprint")
    synthetic = _texts(_part(entry, "synthetic", list), "fingerprint")
    original = entry.get("original")
    if original is not None:
        _texts([original], "fingerprint")
    return Fingerprints(tuple(columns), tuple(synthetic), original)


def _unreadable(name: str, fault: str) -> InputError:
    return InputError(f"content: {name} {fault}; {HOW}")


def _check_what(content: Any) -> None:
    if not isinstance(content, Mapping):
        raise InputError(f"content: a {type(content).__name__} is not a dictionary; {HOW}")
    what = content.get("what")
    if what != WHAT:
        raise _unreadable("what", f"is {what!r:.60}, not {WHAT!r}")
    if content.get("hidden"):
        raise _unreadable("hidden", "lists values that were hidden, so it cannot be read")
    compat = content.get("compat")
    if not isinstance(compat, str) or compat not in VERSIONS:
        choices = ", ".join(map(repr, VERSIONS))
        raise _unreadable("compat", f"is {compat!r:.60}, not one of {choices}")


def _part(content: Mapping[str, Any], name: str, kind: Any) -> Any:
    """One entry, of the type it must have."""
    if name not in content:
        raise _unreadable(name, "is missing")
    value = content[name]
    if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
        raise _unreadable(name, f"is {value!r:.60}, a {type(value).__name__}")
    return value


def _count(value: Any, name: str) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < BEYOND_COUNTS:
        raise _unreadable(name, f"is {value!r:.60}, not a whole number of 0 or more")
    return value


def _number(value: Any, name: str) -> Any:
    number = value_of(value)
    if isinstance(number, bool) or not isinstance(number, (int, float)):
        raise _unreadable(name, f"holds {value!r:.60}, which is not a number")
    if isinstance(number, int) and abs(number) >= BEYOND_COUNTS:
        raise _unreadable(name, f"holds {number!r:.60}, which is too large")
    return number


def _texts(values: Any, name: str) -> list[str]:
    """A list of texts."""
    if not isinstance(values, list):
        raise _unreadable(name, f"has {values!r:.60}, not a list")
    for value in values:
        if not isinstance(value, str):
            raise _unreadable(name, f"holds {value!r:.60}, which is not a text")
    return values


# ---- the figures of one synthesis ----------------------------------------------------


def _set(content: Mapping[str, Any], j: int) -> SetFigures:
    attrib = _part(content, "attrib", Mapping)
    denominators = _rows(attrib, "attrib", DENOMINATORS)
    if len(denominators) <= j:
        raise _unreadable("attrib", f"has {len(denominators)} rows, shares more")
    return SetFigures(
        shares=_shares_from(content, j),
        max_denom=denominators[j]["max_denom"],
        mean_denom=denominators[j]["mean_denom"],
        ledger=_ledger(content["Nexclusions"][j]),
        of_identity=_of_identity(content, j),
        level=_level(content["check_1way"][j]),
        pairs=_pairs(content["check_2way"][j]),
    )


def _level(table: Any) -> LevelCheck | None:
    if table is None:
        return None
    rows = _rows(table, "check_1way", LEVEL_FIELDS)
    if len(rows) != 1:
        raise _unreadable("check_1way", f"has {len(rows)} rows, not one")
    return LevelCheck(**rows[0])


def _pairs(table: Any) -> tuple[PairCheck, ...]:
    if table is None:
        return ()
    rows = _rows(table, "check_2way", PAIR_FIELDS)
    numbers = [_count(number, "check_2way") for number in table["index"]]
    return tuple(_pair(number, **row) for number, row in zip(numbers, rows))


def _pair(number: int, target_key_levs: str, **figures: Any) -> PairCheck:
    """Files have R's text of both levels; of several '|' the last is taken to part them."""
    of_target, _, of_key = target_key_levs.rpartition("|")
    return PairCheck(row=number, target_level=of_target, key_level=of_key, **figures)


def _shares_from(content: Mapping[str, Any], j: int) -> dict[str, Share]:
    entries = content["shares"][j]
    if not isinstance(entries, Mapping):
        raise _unreadable("shares", f"holds a {type(entries).__name__}, not a dictionary")
    for name in BY_NAME:
        if name not in entries:
            raise _unreadable("shares", f"lacks {name}")
    for name in entries:
        if name not in BY_NAME:
            raise _unreadable("shares", f"has {name!r:.60}, which is not a measure")
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
    columns = _columns(table, name)
    chosen = []
    for column in needed:
        if column not in columns:
            raise _unreadable(name, f"lacks the column {column}")
        values = columns[column]
        if column in TEXTS:
            chosen.append(_texts(values, name))
        else:
            chosen.append([_number(value, name) for value in values])
    return [dict(zip(needed, row)) for row in zip(*chosen)]


def _columns(table: Any, name: str) -> dict[str, list[Any]]:
    """The values of each column; all are as long as the index."""
    if not isinstance(table, Mapping) or not {"index", "columns", "values"} <= set(table):
        raise _unreadable(name, "is not a table of index, columns and values")
    index, values = _part(table, "index", list), _part(table, "values", list)
    names = _texts(table["columns"], name)
    if len(values) != len(names):
        raise _unreadable(name, f"has {len(names)} names for {len(values)} columns")
    for column in values:
        if not _is_list(column, len(index)):
            raise _unreadable(name, f"has a column that is not a list of {len(index)} values")
    return dict(zip(names, values))


def _ledger(table: Any) -> np.ndarray:
    rows = _rows(table, "Nexclusions", COLUMNS)
    if len(rows) != len(VECTORS):
        raise _unreadable("Nexclusions", f"has {len(rows)} rows, not {len(VECTORS)}")
    counts = []
    for row in rows:
        counts.append([_count(row[column], "Nexclusions") for column in COLUMNS])
    return np.array(counts, dtype=np.int64)


def _of_identity(content: Mapping[str, Any], j: int) -> tuple[int, int]:
    pairs = _part(content, "of_identity", list)
    if len(pairs) <= j or not _is_list(pairs[j], 2):
        raise _unreadable("of_identity", "does not have two numbers for each synthesis")
    original, synthetic = [_count(number, "of_identity") for number in pairs[j]]
    return original, synthetic


# ---- members beside non-members ------------------------------------------------------


def _baseline(entry: Any) -> Baseline | None:
    if entry is None:
        return None
    if not isinstance(entry, Mapping):
        raise _unreadable("baseline", f"is {entry!r:.60}, not a dictionary")
    table = entry.get("table")
    columns = _columns(table, "baseline")
    if columns.get("measure") != list(COMPARED):
        raise _unreadable("baseline", f"does not have the measures {', '.join(COMPARED)}")
    rows = _rows(table, "baseline", COMPARED_FIGURES)
    return Baseline(
        measures=tuple(_compared(measure, row) for measure, row in zip(COMPARED, rows)),
        records=_count(entry.get("records"), "baseline"),
        left_out=_count(entry.get("left_out"), "baseline"),
    )


def _compared(measure: str, row: Mapping[str, Any]) -> Compared:
    shares = {}
    for side in ("members", "non_members"):
        part, whole = row[f"numerator_{side}"], row[f"n_{side}"]
        if not 0 <= part <= whole < BEYOND_COUNTS:
            raise _unreadable("baseline", f"has {part!r} of {whole!r} for {measure}")
        shares[side] = Share(part, whole)
    worth, p_value = row["effective_n"], row["p_value"]
    if not 0 <= worth < math.inf or not (0 <= p_value <= 1 or math.isnan(p_value)):
        raise _unreadable("baseline", f"has {worth!r}, {p_value!r} for {measure}")
    return Compared(
        measure=measure,
        members=shares["members"],
        non_members=shares["non_members"],
        effective_n=worth,
        p_value=p_value,
    )


# ---- R's defects ---------------------------------------------------------------------


def _names_of_changes(content: Mapping[str, Any]) -> frozenset[str]:
    """Possible names of a figure of one synthesis, apart from figures of levels and pairs."""
    layout = LAYOUTS[VERSIONS[content["compat"]]]
    entries = [f"Nexclusions[{vector}, {column}]" for vector in VECTORS for column in COLUMNS]
    return frozenset([*BY_NAME, *layout.columns, *layout.denoms, *DENOMINATORS, *entries])


def _finding(entry: Any, names: frozenset[str]) -> DefectFinding:
    if not isinstance(entry, Mapping) or not isinstance(entry.get("id"), str):
        raise _unreadable("defects", f"holds {entry!r:.60}, which is not a defect of R")
    if entry["id"] not in BY_ID:
        raise _unreadable("defects", f"holds {entry['id']!r:.60}, which is not a defect of R")
    changes = [_change(change, names) for change in _part(entry, "changes", list)]
    return DefectFinding(entry["id"], tuple(changes))


def _change(entry: Any, names: frozenset[str]) -> Change:
    """A figure that moved; check1 is the text of a level, whatever it says."""
    if not _is_list(entry, 4):
        raise _unreadable("defects", f"holds {entry!r:.60}, not four values")
    synthesis, name, r, correct = entry
    (text,) = _texts([name], "defects")
    number = _count(synthesis, "defects")
    if text == "check1":
        levels = [level if level is None else _texts([level], text)[0] for level in (r, correct)]
        return number, text, levels[0], levels[1]
    # entries about all syntheses together can be any text, for instance why a call is refused
    if number and text not in names and not text.startswith("check"):
        raise _unreadable("defects", f"holds {text!r:.60}, which is not a figure of a result")
    figures = [value if value is None else _number(value, "defects") for value in (r, correct)]
    return number, text, figures[0], figures[1]
