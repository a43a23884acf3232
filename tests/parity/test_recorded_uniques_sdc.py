"""Recorded R against the package, no R needed: every call of `replicated.uniques` and `sdc`, in
every recorded version.
"""

from __future__ import annotations

import pandas as pd
import pytest

from r_reference.case_maker.files import read_all
from r_reference.records import load_records, versions
from tests.judged import judged
from tests.parity.compare import differences
from tests.parity.uniques_sdc_side import (
    ANSWERED_BY_PORT_ONLY,
    CALLS,
    answer_or_none,
    as_record,
    correct_uniques,
    expected_of,
    in_database,
    port_uniques,
    run_port,
)

CASES = [c for group in read_all().values() for c in group if c["call"] in CALLS]
UNIQUES = [c for c in CASES if c["call"] == "replicated.uniques"]
MODES = {"1.9-3": "r", "1.9-2": "r-1.9-2"}


@pytest.fixture(scope="module")
def records_by_version():
    return {version: load_records(version) for version in versions()}


def test_there_are_cases():
    assert len(UNIQUES) >= 15 and len(CASES) - len(UNIQUES) >= 28


@pytest.mark.parametrize("version", versions())
@pytest.mark.parametrize("case", CASES, ids=lambda c: c["id"])
def test_port_gives_what_r_gave(case, version, records_by_version, tally):
    for collation in case.get("collation", ["icu"]):
        result = records_by_version[version][f"{case['id']} [{collation}]"]["result"]
        answer = answer_or_none(case, MODES[version])
        family = "recorded uniques and sdc"
        if result["status"] != "ok":
            judged(family, case["call"], {"not answered by R": 0}, version, collation)
            assert (answer is not None) == (case["id"] in ANSWERED_BY_PORT_ONLY)
            tally[
                f"recorded calls of {case['call']} ({version}) that R does not answer,"
                f" {'refused' if answer is None else 'answered'} by the port"
            ] += 1
            continue
        found = differences(expected_of(result), as_record(answer))
        assert not found, f"synthpop {version}, {case['id']}: {found[:10]}"
        tally[f"recorded calls of {case['call']} ({version}) that the port answers alike"] += 1
        judged(family, case["call"], {"answers": 0, **expected_of(result)}, version, collation)


@pytest.mark.parametrize("compat", ["r", "r-1.9-2", "corrected"])
@pytest.mark.parametrize("case", UNIQUES, ids=lambda c: c["id"])
def test_records_may_live_in_a_database(case, compat, tally):
    """The tables; which rows are marked is a matter of rows, and a database has others."""
    answer = answer_or_none(case, compat)
    if answer is None or "stale" in case["id"]:
        return
    stored = in_database(case, compat)
    for here, there in zip(answer.res_tab, stored.res_tab):
        pd.testing.assert_frame_equal(here, there)
    tally["calls of replicated.uniques answered alike from a database"] += 1
    counts = {"res_tab": [table["Number"].tolist() for table in answer.res_tab]}
    judged("recorded uniques and sdc", "replicated.uniques, sqlite", counts, compat)


@pytest.mark.parametrize("case", UNIQUES, ids=lambda c: c["id"])
def test_corrected_is_what_the_oracle_says(case, tally):
    answer = answer_or_none(case, "corrected")
    if answer is None:
        return
    found = differences(correct_uniques(case, list(answer.keys)), port_uniques(answer))
    assert not found, f"{case['id']}: {found[:10]}"
    tally["corrected answers on uniques equal to the oracle"] += 1
    judged("oracle", "replicated.uniques", {"figures": port_uniques(answer)}, "corrected")


@pytest.mark.parametrize("case", UNIQUES, ids=lambda c: c["id"])
def test_a_defect_is_named_wherever_r_is_not_correct(case, tally):
    r, correct = answer_or_none(case), answer_or_none(case, "corrected")
    if r is None:
        return
    same = not differences(as_record(r), as_record(correct))
    assert bool(r.defects) == (not same), (
        f"{case['id']}: differ={not same}, named={[d.id for d in r.defects]}"
    )
    assert {d.id for d in r.defects} == set(case.get("defects", []))
    judged("defects", "replicated.uniques", {"named or not": 0}, "1.9-3")
    if r.defects:
        assert not differences(as_record(r.corrected), as_record(correct))
        tally["recorded calls on uniques in which a defect of R is named, with both figures"] += 1


def test_the_earlier_version_is_corrected_to_the_present_table():
    case = next(c for c in UNIQUES if c["id"] == "ledger/D36/padding")
    assert as_record(run_port(case, "r-1.9-2").corrected) == as_record(run_port(case, "corrected"))
