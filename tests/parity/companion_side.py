"""The package's answers to cases of numtocat.syn, mergelevels.syn and synorig.compare, in the shape
of a record.
"""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np
import pandas as pd

from synthpop_py import (
    Grouped,
    RDefectWarning,
    SynorigComparison,
    mergelevels_syn,
    numtocat_syn,
    synorig_compare,
)
from tests.parity.case_frames import column_spec, pandas_frame
from tests.parity.port_side import Spec, arguments_of, object_of

CALLS = ("numtocat.syn", "mergelevels.syn", "synorig.compare")
WRITTEN_OUT = 200  # rows up to which a record holds the values (frames.R)


def run_companion(case: Spec, collation: str = "icu", compat: str = "r") -> Spec:
    """What the package answers, as fields of a record."""
    args = {**arguments_of(case), "print_flag": False}
    data = pandas_frame(case["data"])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RDefectWarning)
        if case["call"] == "numtocat.syn":
            return _grouped(numtocat_syn(data, compat=compat, collation=collation, **args))
        if case["call"] == "mergelevels.syn":
            return {"data": frame_record(mergelevels_syn(data, compat=compat, **args))}
        return _comparison(synorig_compare(object_of(case), data, collation=collation, **args))


def expected_of(result: Spec) -> Spec:
    """A record as the package should answer it: R's explicit NA level is a missing value, and NA
    for "no special value" is nothing.
    """
    fields = {k: v for k, v in result.items() if k not in ("status", "warnings")}
    for name in ("data", "orig", "syn"):
        if name in fields:
            fields[name] = {
                **fields[name],
                "columns": [_without_na_level(c) for c in fields[name]["columns"]],
            }
    if "cont_na" in fields:
        fields["cont_na"] = {
            name: [v for v in values if v is not None] for name, values in fields["cont_na"].items()
        }
    return fields


def _without_na_level(column: Spec) -> Spec:
    if None not in column.get("levels", []):
        return column
    place = column["levels"].index(None)
    levels = [level for level in column["levels"] if level is not None]
    if "counts" not in column:
        return {**column, "levels": levels}
    raise AssertionError(
        f"{column['name']}: a summed column with an NA level (place {place}) needs its sums made"
        " anew"
    )


def _grouped(answer: Grouped) -> Spec:
    return {
        "data": frame_record(answer.data),
        "breaks": {name: values.tolist() for name, values in answer.breaks.items()},
        "levels": {name: list(values) for name, values in answer.levels.items()},
        "orig": frame_record(answer.orig),
        "cont_na": {name: list(values) for name, values in answer.cont_na.items()},
        "numtocat": list(answer.numtocat),
        "ind": list(answer.ind),
    }


def _comparison(answer: SynorigComparison) -> Spec:
    return {
        "syn": frame_record(answer.syn),
        "orig": frame_record(answer.orig),
        "needsfix": answer.needsfix,
        "unchanged": answer.unchanged,
    }


# ---- frames as records hold them -----------------------------------------------------


def frame_record(frame: pd.DataFrame) -> Spec:
    describe = column_spec if len(frame) <= WRITTEN_OUT else column_summary
    return {"rows": len(frame), "columns": [describe(name, frame[name]) for name in frame.columns]}


def column_summary(name: str, column: pd.Series) -> Spec:
    """The sums that frames.R makes of a long column: factors and texts by the places of their
    levels, from 1.
    """
    spec = column_spec(name, column)
    summary: dict[str, Any] = {
        "name": name,
        "type": spec["type"],
        "missing": sum(v is None for v in spec["values"]),
    }
    values = [math.nan if v is None else v for v in spec["values"]]
    if spec["type"] in ("factor", "ordered", "character"):
        levels = spec.get("levels") or sorted(
            {v for v in spec["values"] if v is not None}, key=str.encode
        )
        place = {level: i for i, level in enumerate(levels, start=1)}
        values = [math.nan if v is None else place[v] for v in spec["values"]]
        summary |= {"levels": levels, "counts": [values.count(i) for i in place.values()]}
    elif spec["type"] == "Date":
        values = [
            math.nan if v is None else int(np.datetime64(v).astype(int)) for v in spec["values"]
        ]
    present = [(i, float(v)) for i, v in enumerate(values, start=1) if not math.isnan(float(v))]
    return summary | {
        "sum": math.fsum(v for _, v in present),
        "position_sum": math.fsum(i * v for i, v in present),
    }
