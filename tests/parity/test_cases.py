"""The case files are what the case maker writes, and they cover what they should."""

from __future__ import annotations

import re
from itertools import combinations

import pytest

from r_reference.case_maker.files import CASES, all_cases, read_all, render

DISCLOSURE_PARAMETERS = {
    "keys",
    "target",
    "print.flag",
    "denom_lim",
    "exclude_ov_denom_lim",
    "not.targetlev",
    "usetargetNA",
    "usekeysNA",
    "exclude.keys",
    "exclude.keylevs",
    "exclude.targetlevs",
    "ngroups_target",
    "ngroups_keys",
    "thresh_1way",
    "thresh_2way",
    "digits",
    "to.print",
    "compare.synorig",
    "cont.na",
    "style",
}
MULTI_PARAMETERS = {
    "keys",
    "targets",
    "denom_lim",
    "exclude_ov_denom_lim",
    "not.targetslev",
    "usetargetsNA",
    "usekeysNA",
    "exclude.keys",
    "exclude.keylevs",
    "exclude.targetlevs",
    "ngroups_targets",
    "ngroups_keys",
    "ident.meas",
    "attrib.meas",
    "thresh_1way",
    "thresh_2way",
    "digits",
    "plot",
    "print.flag",
    "compare.synorig",
    "cont.na",
}
ALWAYS_GIVEN = {
    "keys",
    "target",
    "targets",
    "print.flag",
    "plot",
}  # in every call, or without any effect on figures
ONE_GROUP = {"exclude.keys", "exclude.keylevs", "exclude.targetlevs"}
NOT_SHOWN_BY_A_CALL = {"D18"}  # the id is not used


def _used(call: str) -> set[str]:
    return {
        name
        for group in read_all().values()
        for c in group
        if c["call"] == call
        for name in c["args"]
    }


def test_files_are_what_the_case_maker_writes():
    assert {p.stem: p.read_text(encoding="utf-8") for p in CASES.glob("*.jsonl")} == {
        name: render(cases) for name, cases in all_cases().items()
    }


def test_ids_are_unique():
    ids = [c["id"] for group in read_all().values() for c in group]
    assert len(ids) == len(set(ids))


def test_every_parameter_is_used():
    assert DISCLOSURE_PARAMETERS <= _used("disclosure")
    assert MULTI_PARAMETERS <= _used("multi.disclosure")


@pytest.mark.parametrize(
    "call, parameters",
    [("disclosure", DISCLOSURE_PARAMETERS), ("multi.disclosure", MULTI_PARAMETERS)],
)
def test_every_parameter_has_an_answer_and_every_pair_a_case(call, parameters, records):
    """Alone at least one call with the parameter is answered by R; in pairs every two parameters
    meet in some call on SD2011.
    """
    calls = [c for group in read_all().values() for c in group if c["call"] == call]
    answered = {
        name
        for c in calls
        if records[f"{c['id']} [icu]"]["result"]["status"] == "ok"
        for name in c["args"]
    }
    assert parameters <= answered
    varied = sorted(parameters - ALWAYS_GIVEN)
    met = {
        pair
        for c in calls
        if "dataset" in c["data"]
        for pair in combinations(sorted(set(c["args"]) & set(varied)), 2)
    }
    missing = [
        pair for pair in combinations(varied, 2) if pair not in met and not set(pair) <= ONE_GROUP
    ]
    assert missing == []


def test_every_defect_of_the_ledger_has_a_case():
    shown = {d for group in read_all().values() for c in group for d in c.get("defects", [])}
    assert {f"D{i}" for i in range(1, 48)} - NOT_SHOWN_BY_A_CALL <= shown


def test_random_cases_cover_the_kinds_of_data():
    group = read_all()["random"]
    kinds = {col["type"] for c in group for col in c["data"]["columns"]}
    assert {"factor", "ordered", "character", "logical", "integer", "double"} <= kinds
    assert {len(c["args"]["keys"]) for c in group} == {1, 2, 3, 4}
    assert {len(c["object"]["frames"]) for c in group} == {1, 2, 3}
    assert any(None in col["values"] for c in group for col in c["data"]["columns"])
    labels = {
        v
        for c in group
        for col in c["data"]["columns"]
        for v in col["values"]
        if isinstance(v, str)
    }
    assert (
        any(re.search(r"[|]", v) for v in labels)
        and any(re.search(r"[^\x00-\x7f]", v) for v in labels)
        and "" in labels
    )
