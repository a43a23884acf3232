"""The package's answers to cases of `replicated.uniques` and `sdc`, in the shape of a record."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pandas as pd

from synthpop_py import (
    DataWarning,
    InputError,
    RDefectWarning,
    ReplicatedUniques,
    SynDS,
    replicated_uniques,
    sdc,
)
from tests.parity.case_frames import column_spec, original_of, pandas_frame, syntheses_of
from tests.parity.oracle import oracle_replicated_uniques
from tests.parity.port_side import Backend, arguments_of, object_of, tables_of

Spec = dict[str, Any]

CALLS = {"replicated.uniques": replicated_uniques, "sdc": sdc}
FULL_UP_TO = 200  # rows; longer frames are described by sums, as run_case.R does
# R takes its own class only; the port takes data frames too.
ANSWERED_BY_PORT_ONLY = {"companions/replicated.uniques/not_a_synds"}


def run_port(case: Spec, compat: str = "r") -> ReplicatedUniques | SynDS:
    arguments = arguments_of(case)
    if case["call"] == "sdc":
        arguments["print_flag"] = False
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RDefectWarning)
        warnings.simplefilter("ignore", DataWarning)  # "A" beside "a"
        return CALLS[case["call"]](
            object_of(case), pandas_frame(case["data"]), compat=compat, **arguments
        )


def in_database(case: Spec, compat: str, backend: Backend = "sqlite") -> ReplicatedUniques:
    """Replicated uniques of records that live in SQLite, or elsewhere."""
    arguments = {"compat": compat, **arguments_of(case)}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RDefectWarning)
        warnings.simplefilter("ignore", DataWarning)  # "A" beside "a"
        return replicated_uniques(*tables_of(case, backend), **arguments)


def answer_or_none(case: Spec, compat: str = "r") -> ReplicatedUniques | SynDS | None:
    try:
        return run_port(case, compat)
    except InputError:
        return None


def as_record(answer: ReplicatedUniques | SynDS) -> Spec:
    return (
        _uniques_record(answer) if isinstance(answer, ReplicatedUniques) else _synds_record(answer)
    )


def _uniques_record(answer: ReplicatedUniques) -> Spec:
    content = answer.to_dict()
    tables = [
        {**t, "values": [["NaN" if v is None else v for v in column] for column in t["values"]]}
        for t in content["res_tab"]
    ]
    positions = {
        name: [[i + 1 for i in rows] for rows in content[name]] for name in ("repU_rm", "synU_rm")
    }
    return {
        **{name: content[name] for name in ("m", "n", "k", "keys")},
        "res_tab": tables,
        **positions,
        "rm_rows": len(answer.repU_rm[0]),
    }


def _synds_record(answer: SynDS) -> Spec:
    return {
        "m": answer.m,
        "n": answer.meta.get("n"),
        "k": answer.meta.get("k"),
        "syn": [_frame_record(f) for f in answer.syn],
    }


def _frame_record(frame: pd.DataFrame) -> Spec:
    describe = column_spec if len(frame) <= FULL_UP_TO else _column_summary
    return {"rows": len(frame), "columns": [describe(name, frame[name]) for name in frame.columns]}


def _column_summary(name: str, column: pd.Series) -> Spec:
    spec = {
        "name": name,
        "type": column_spec(name, column[:1])["type"],
        "missing": int(column.isna().sum()),
    }
    if spec["type"] == "character":
        column = column.astype(pd.CategoricalDtype(sorted(column.dropna().unique())))
    if isinstance(column.dtype, pd.CategoricalDtype):
        codes = column.cat.codes.to_numpy().astype(float)
        spec |= {
            "levels": list(column.cat.categories),
            "counts": [int((codes == i).sum()) for i in range(len(column.cat.categories))],
        }
        value = np.where(codes < 0, np.nan, codes + 1)
    else:
        value = column.to_numpy(dtype=float, na_value=np.nan)
    here = ~np.isnan(value)
    place = np.arange(1, len(value) + 1)
    return {
        **spec,
        "sum": float(value[here].sum()),
        "position_sum": float((place[here] * value[here]).sum()),
    }


def expected_of(result: Spec) -> Spec:
    return {
        name: value
        for name, value in result.items()
        if name not in ("status", "warnings", "printed")
    }


def correct_uniques(case: Spec, keys: list[str]) -> list[Spec]:
    """The oracle's numbers and positions for each synthesis."""
    found = oracle_replicated_uniques(syntheses_of(case), original_of(case), keys)
    return [
        {
            "Number": [f.original, f.synthetic, f.synthetic_in_original, f.replicated],
            "repU_rm": f.repU_rm,
            "synU_rm": f.synU_rm,
        }
        for f in found
    ]


def port_uniques(answer: ReplicatedUniques) -> list[Spec]:
    return [
        {
            "Number": table["Number"].tolist(),
            "repU_rm": np.flatnonzero(repU).tolist(),
            "synU_rm": np.flatnonzero(synU).tolist(),
        }
        for table, repU, synU in zip(answer.res_tab, answer.repU_rm, answer.synU_rm)
    ]
