"""Recorded `multi.disclosure` calls of both versions against the package."""

from __future__ import annotations

import re
import warnings

import pytest

from r_reference.case_maker.files import read_all
from r_reference.records import load_records, versions
from synthpop_py import DataWarning, InputError, RDefectWarning, multi_disclosure
from tests.judged import judged
from tests.parity.compare import differences
from tests.parity.port_side import (
    arguments_of,
    compared_fields,
    has_rows_of_na,
    in_own_words,
    port_differences,
    tables_of,
)

CASES = [c for group in read_all().values() for c in group if c["call"] == "multi.disclosure"]
MODES = {"1.9-3": "r", "1.9-2": "r-1.9-2"}
# R refuses or crashes on these, and should not: D28 (lists), D4 (missing on one side), D32 (a good
# exclusion taken for another); duplicated targets crash it, and should be refused
ANSWERED = {"ledger/D28/multi_list", "ledger/D4/multi", "multi/alone/exclude=refused"}
# exclusions given as vectors, one entry per target: R takes each text for a list of one
FIELDS = ("ident_orig", "ident_syn", "keys", "Norig", "m", "digits", "ident_meas", "attrib_meas")


def run_multi(case, mode, backend="frame"):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RDefectWarning)
        warnings.simplefilter("ignore", DataWarning)
        args = {**arguments_of(case), "print_flag": False}
        if mode == "corrected":
            args = in_own_words(args)
        return multi_disclosure(*tables_of(case, backend), compat=mode, **args)


def facts_of_table(table):
    """R's table with its sentences read as the facts they state: a level, a number of pairs."""
    columns = dict(zip(table["columns"], table["values"]))
    level = [re.sub(r"^Check  .*?  level  ", "", text) for text in columns["check1"]]
    pairs = [int(text.split()[0]) if text else None for text in columns["check2"]]
    number = {
        name: ["NaN" if v is None else v for v in columns[name]]
        for name in ("attrib.orig", "attrib.syn")
    }
    return {
        "index": table["index"],
        **number,
        "check1": level,
        "Npairs": columns["Npairs"],
        "check2": pairs,
    }


def facts_of_result(result):
    table = result.attrib_table
    return {
        "index": result.r_labels(),
        "attrib.orig": table["attrib.orig"].tolist(),
        "attrib.syn": table["attrib.syn"].tolist(),
        "check1": table["check1"].tolist(),
        "Npairs": table["Npairs"].tolist(),
        "check2": [result.output_list[target].check2 for target in table.index],
    }


def multi_differences(recorded, result):
    expected, actual = facts_of_table(recorded["attrib_table"]), facts_of_result(result)
    if any(has_rows_of_na(record) for record in recorded["output_list"].values()):
        # rows of NA count as pairs in R's summary (D11): flags and numbers of pairs are compared
        # target by target below
        for facts in (expected, actual):
            facts["index"] = [
                re.sub(r" (1&2|1|2)way checks$", "", label) for label in facts["index"]
            ]
            del facts["Npairs"], facts["check2"]
    found = differences(expected, actual, "attrib_table")
    for name in FIELDS:
        expected, actual = recorded[name], getattr(result, name)
        if name in ("ident_orig", "ident_syn"):
            expected = ["NaN" if v is None else v for v in expected]
        found += differences(expected, list(actual) if isinstance(actual, tuple) else actual, name)
    for target, record in recorded["output_list"].items():
        found += [f"{target}: {d}" for d in port_differences(record, result.output_list[target])]
    return found


def multi_fields(recorded):
    """The fields that are compared, beside those of each target."""
    table = facts_of_table(recorded["attrib_table"])
    if any(has_rows_of_na(record) for record in recorded["output_list"].values()):
        del table["Npairs"], table["check2"]
    fields = {name: recorded[name] for name in FIELDS}
    return {"answers": 0, **{f"attrib_table.{name}": table[name] for name in table}, **fields}


@pytest.fixture(scope="module")
def by_version():
    return {version: load_records(version) for version in versions()}


@pytest.mark.parametrize("backend", ["frame", "sqlite"])
@pytest.mark.parametrize("version", versions())
@pytest.mark.parametrize("case", CASES, ids=lambda c: c["id"])
def test_summary_is_what_r_gave(case, version, backend, by_version, tally):
    recorded = by_version[version][f"{case['id']} [icu]"]["result"]
    family = f"recorded multi, {backend}"
    if recorded["status"] != "ok":
        judged(family, "multi_disclosure", {"not answered by R": 0}, version)
    if recorded["status"] == "ok":
        found = multi_differences(recorded, run_multi(case, MODES[version], backend))
        assert not found, found[:10]
        tally[f"recorded summaries of synthpop {version} answered alike, from a {backend}"] += 1
        judged(family, "multi_disclosure", multi_fields(recorded), version)
        for record in recorded["output_list"].values():
            judged(family, "multi_disclosure, each target", compared_fields(record), version)
    elif case["id"] in ANSWERED:
        run_multi(case, MODES[version])
        tally["recorded summaries that R refuses or crashes on, answered by the port"] += 1
    else:
        with pytest.raises(InputError):
            run_multi(case, MODES[version], backend)
        tally["recorded summaries that R refuses or crashes on, refused by the port"] += 1
