"""Results as plain Python values and back."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pandas as pd

from ..r.reading import VERSIONS
from .checks import LevelCheck, PairCheck
from .engine import SetFigures
from .measures import Share
from .results import DefectFinding, Disclosure

TEXTS = ("Level", "target_key_levs", "key")
SPECIAL = {"NaN": math.nan, "Inf": math.inf, "-Inf": -math.inf}


def plain(value: Any) -> Any:
    """A value that JSON can hold: NaN and the infinities as texts."""
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN" if math.isnan(value) else "Inf" if value > 0 else "-Inf"
    return value.item() if hasattr(value, "item") else value


def _name(name: Any) -> Any:
    """A column name that JSON can hold; others as text."""
    return name if isinstance(name, (str, int, float)) else str(name)


def _value(plain: Any) -> Any:
    return SPECIAL.get(plain, plain) if isinstance(plain, str) else plain


def _change(synthesis: int, name: str, r: Any, right: Any) -> tuple[int, str, Any, Any]:
    """A figure that moved; check1 is the text of a level, whatever it says."""
    return (
        (synthesis, name, r, right)
        if name == "check1"
        else (synthesis, name, _value(r), _value(right))
    )


def _frame_to_dict(frame: pd.DataFrame | None) -> dict[str, Any] | None:
    if frame is None:
        return None
    return {
        "index": [plain(i) for i in frame.index],
        "columns": list(frame.columns),
        "values": [[plain(v) for v in frame[c].tolist()] for c in frame.columns],
    }


def _rows(content: dict[str, Any]) -> list[dict[str, Any]]:
    """The rows of a table written by `_frame_to_dict`, each by column."""
    columns = {
        c: v if c in TEXTS else [_value(x) for x in v]
        for c, v in zip(content["columns"], content["values"])
    }
    return [dict(zip(columns, row)) for row in zip(*columns.values())]


def _set_from_dict(content: dict[str, Any], j: int) -> SetFigures:
    denominators = _rows(content["attrib"])[j]
    level, pairs = content["check_1way"][j], content["check_2way"][j]
    return SetFigures(
        shares={name: Share(_value(n), _value(d)) for name, (n, d) in content["shares"][j].items()},
        max_denom=denominators["max_denom"],
        mean_denom=denominators["mean_denom"],
        ledger=np.array(content["Nexclusions"][j]["values"], dtype=np.int64).T,
        level=None if level is None else LevelCheck(**_rows(level)[0]),
        pairs=(
            ()
            if pairs is None
            else tuple(PairCheck(row=i, **row) for i, row in zip(pairs["index"], _rows(pairs)))
        ),
    )


def disclosure_to_dict(result: Disclosure) -> dict[str, Any]:
    frames = {
        name: _frame_to_dict(getattr(result, name))
        for name in ("ident", "attrib", "allCAPs", "attrib_denoms")
    }
    lists = {
        name: [_frame_to_dict(f) for f in getattr(result, name)]
        for name in ("check_1way", "check_2way", "Nexclusions")
    }
    return {
        "what": "synthpop_py.Disclosure",
        "compat": result.compat,
        "r_version": VERSIONS[result.compat],
        "call": result.call,
        "keys": [_name(k) for k in result.keys],
        "target": _name(result.target),
        "Norig": result.Norig,
        "Nsyn": list(result.Nsyn),
        "digits": result.digits,
        "to_print": list(result.to_print),
        **frames,
        **lists,
        "check1": result.check1,
        "check2": result.check2,
        "shares": [
            {name: [plain(s.numerator), plain(s.denominator)] for name, s in shares.items()}
            for shares in result.shares
        ],
        "defects": [
            {"id": d.id, "changes": [[plain(v) for v in c] for c in d.changes]}
            for d in result.defects
        ],
        "corrected": None if result.corrected is None else disclosure_to_dict(result.corrected),
    }


def disclosure_from_dict(content: dict[str, Any]) -> Disclosure:
    return Disclosure(
        _sets=tuple(_set_from_dict(content, j) for j in range(len(content["shares"]))),
        check1=content["check1"],
        check2=content["check2"],
        keys=tuple(content["keys"]),
        target=content["target"],
        Norig=content["Norig"],
        Nsyn=tuple(content["Nsyn"]),
        digits=content["digits"],
        to_print=tuple(content["to_print"]),
        call=content["call"],
        compat=content["compat"],
        defects=tuple(
            DefectFinding(d["id"], tuple(_change(*c) for c in d["changes"]))
            for d in content["defects"]
        ),
        corrected=(
            None if content["corrected"] is None else disclosure_from_dict(content["corrected"])
        ),
    )
