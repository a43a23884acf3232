"""Short builders for the JSON shapes of ``FORMATS.md``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

Spec = dict[str, Any]

PAPER_COLUMNS = [
    "sex",
    "age",
    "region",
    "placesize",
    "depress",
    "income",
    "ls",
    "marital",
    "workab",
]
PAPER_KEYS = ["sex", "age", "region", "placesize"]
PAPER_TARGETS = ["depress", "income", "ls", "marital", "workab"]
ADULT_KEYS = ["age", "occupation", "race", "sex"]


def factor(
    name: str,
    values: Sequence[str | None],
    levels: Sequence[str | None] | None = None,
    ordered: bool = False,
) -> Spec:
    if levels is None:
        levels = sorted({v for v in values if v is not None})
    return {
        "name": name,
        "type": "ordered" if ordered else "factor",
        "levels": list(levels),
        "values": list(values),
    }


def column(name: str, kind: str, values: Sequence[Any]) -> Spec:
    return {"name": name, "type": kind, "values": list(values)}


def frame(*columns: Spec, tibble: bool = False) -> Spec:
    spec: Spec = {"columns": list(columns)}
    if tibble:
        spec["tibble"] = True
    return spec


def rows_of(spec: Spec, rows: Sequence[int]) -> Spec:
    """The frame with only these rows (counted from 0), as R's `d[rows, ]`: levels stay."""
    return {
        **spec,
        "columns": [{**c, "values": [c["values"][i] for i in rows]} for c in spec["columns"]],
    }


def with_column(spec: Spec, replacement: Spec) -> Spec:
    """The frame with the column of that name replaced, or appended when there is none."""
    names = [c["name"] for c in spec["columns"]]
    columns = [replacement if c["name"] == replacement["name"] else c for c in spec["columns"]]
    return {**spec, "columns": columns if replacement["name"] in names else [*columns, replacement]}


def synds(*frames: Spec, cont_na: dict[str, list[float]] | None = None) -> Spec:
    spec: Spec = {"as": "synds", "frames": list(frames)}
    if cont_na:
        spec["cont_na"] = cont_na
    return spec


def plain(*frames: Spec, names: list[str] | None = None) -> Spec:
    """What a user without a synds object passes: one data frame, or a list of several."""
    spec: Spec = {
        "as": "frame" if len(frames) == 1 and names is None else "list",
        "frames": list(frames),
    }
    if names:
        spec["names"] = names
    return spec


def recorded(synthesis: str, kind: str = "synds") -> Spec:
    return {"as": kind, "synthesis": synthesis}


def sd2011(columns: list[str] | None = None) -> Spec:
    return {"dataset": "SD2011", "columns": columns or PAPER_COLUMNS}


def case(
    id: str,
    call: str,
    *,
    data: Spec,
    object: Spec | None = None,
    args: Spec | None = None,
    **more: Any,
) -> Spec:
    spec: Spec = {"id": id, "call": call, "data": data}
    if object is not None:
        spec["object"] = object
    return {**spec, "args": args or {}, **more}


def r_list(*items: Any) -> Spec:
    return {"list": list(items)}


def named(**items: Any) -> Spec:
    return {"named": items}


NA: Spec = {"na": True}
