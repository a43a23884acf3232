"""The package's answer to a case, in the shape of a record."""

from __future__ import annotations

import math
import warnings
from typing import Any

import pandas as pd

from synthpop_py import Disclosure, InputError, RDefectWarning, SynDS, datasets, disclosure
from tests.parity.case_frames import pandas_frame
from tests.parity.compare import differences

Spec = dict[str, Any]


def object_of(case: Spec) -> Any:
    spec = case["object"]
    if "synthesis" in spec:
        synthesis = datasets.load_synthesis(spec["synthesis"])
        return synthesis if spec["as"] == "synds" else synthesis.syn[0] if spec["as"] == "frame" else synthesis.syn
    frames = [pandas_frame(f) for f in spec["frames"]]
    if spec["as"] == "synds":
        return SynDS(frames, spec.get("cont_na"))
    return frames[0] if spec["as"] == "frame" else frames


def decode(value: Any) -> Any:
    """An argument of a case as a Python value."""
    if isinstance(value, dict):
        if "na" in value:
            return None if value is None else math.nan
        if "list" in value:
            return [decode(v) for v in value["list"]]
        return {k: decode(v) for k, v in value["named"].items()}
    return [decode(v) for v in value] if isinstance(value, list) else value


def arguments_of(case: Spec) -> Spec:
    """R's arguments under Python's names: dots become underscores, nothing else."""
    return {name.replace(".", "_"): decode(value) for name, value in case["args"].items()}


def run_port(case: Spec, collation: str = "icu", compat: str = "r") -> Disclosure:
    args = arguments_of(case)
    args["print_flag"] = False
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RDefectWarning)
        return disclosure(object_of(case), pandas_frame(case["data"]), compat=compat, collation=collation, **args)


def _number(value: Any) -> Any:
    if isinstance(value, str) or value is None:
        return value
    return value.item() if hasattr(value, "item") else value


def _table(frame: pd.DataFrame) -> Spec:
    return {"index": [str(i) for i in frame.index], "columns": list(frame.columns), "values": [[_number(v) for v in frame[c].tolist()] for c in frame.columns]}


def as_record(result: Disclosure) -> Spec:
    """The fields of a record that a `disclosure` result has."""
    fields = {name: _table(getattr(result, name)) for name in ("ident", "attrib", "allCAPs")}
    if result.attrib_denoms is not None:
        fields["attrib_denoms"] = _table(result.attrib_denoms)
    return fields | {
        "check_1way": [None if f is None else _table(f) for f in result.check_1way],
        "check_2way": [None if f is None else _table(f) for f in result.check_2way],
        "check1": result.check1,
        "check2": result.check2,
        "Nexclusions": [_table(f) for f in result.Nexclusions],
        "keys": list(result.keys),
        "target": result.target,
        "Norig": result.Norig,
        "digits": result.digits,
        "to_print": list(result.to_print),
    }


def expected_of(result: Spec) -> Spec:
    """A record as the port should answer it.

    Three things differ on purpose, and only these: R's NA is NaN in a data frame; the two swapped labels of attrib_denoms (D43) are put right;
    warnings and R's printed lines are compared elsewhere.
    """
    fields = {k: v for k, v in result.items() if k not in ("status", "warnings", "printed")}
    for name in ("ident", "attrib", "allCAPs"):
        fields[name] = {**fields[name], "values": [["NaN" if v is None else v for v in column] for column in fields[name]["values"]]}
    if "attrib_denoms" in fields:
        a, b, c, d = fields["attrib_denoms"]["values"]
        fields["attrib_denoms"] = {**fields["attrib_denoms"], "values": [a, c, b, d]}
    return fields


def port_differences(result: Spec, answer: Disclosure) -> list[str]:
    return differences(expected_of(result), as_record(answer))


__all__ = ["InputError", "port_differences", "run_port"]
