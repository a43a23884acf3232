"""Recorded R against the package, no R needed: every `disclosure` call of every recorded version,
and the correct answers by the oracle.

`compat="r"` must give what R gave. `compat="corrected"` must give what the oracle gives. Where the
two differ, a defect must be named.
"""

from __future__ import annotations

import os

import pytest

from r_reference.case_maker.files import read_all
from r_reference.records import load_records, versions
from synthpop_py import InputError
from tests.judged import judged
from tests.parity.compare import differences
from tests.parity.oracle_side import disagreements, oracle_result
from tests.parity.port_side import (
    NO_TIBBLES_IN_PYTHON,
    REFUSED_BY_PORT_ONLY,
    as_oracle_labels,
    as_record,
    compared_fields,
    has_rows_of_na,
    port_differences,
    refusal_is_a_defect,
    run_port,
)

EVERY_CASE = [c for group in read_all().values() for c in group if c["call"] == "disclosure"]
CASES = [c for c in EVERY_CASE if not c.get("slow")]
MODES = {"1.9-3": "r", "1.9-2": "r-1.9-2"}
# The oracle is slow on purpose: in the normal run it judges small data and the paper's targets,
# `make oracle` has it judge everything.
JUDGED = [
    c
    for c in CASES
    if os.environ.get("SYNTHPOP_PY_ORACLE")
    or c["id"].startswith(("random/", "ledger/", "refused/", "paper/s1/", "paper/s1_denom_lim_1/"))
]


@pytest.fixture(scope="module")
def records_by_version():
    return {version: load_records(version) for version in versions()}


@pytest.mark.parametrize("backend", ["frame", "sqlite"])
@pytest.mark.parametrize("case", EVERY_CASE, ids=lambda c: c["id"])
def test_port_gives_what_r_gave(case, backend, records_by_version, tally):
    for version in versions():
        for collation in case.get("collation", ["icu"]):
            result = records_by_version[version][f"{case['id']} [{collation}]"]["result"]
            where = f"synthpop {version}, {case['id']} [{collation}]"
            if (
                result["status"] != "ok"
                or case["id"] in REFUSED_BY_PORT_ONLY | NO_TIBBLES_IN_PYTHON
            ):
                _unanswered(case, result["status"], where, MODES[version], backend, tally)
                family = f"recorded disclosure, {backend}"
                judged(family, "disclosure", {"not answered by R": 0}, version, collation)
                continue
            found = port_differences(result, run_port(case, collation, MODES[version], backend))
            assert not found, f"{where}: {found[:10]}"
            tally[f"recorded calls of synthpop {version} answered alike, from a {backend}"] += 1
            judged(
                f"recorded disclosure, {backend}",
                "disclosure",
                {"answers": 0, **compared_fields(result)},
                version,
                collation,
            )


def _unanswered(case, status, where, mode, backend, tally):
    """R refused, crashed, or answered what should not be answered."""
    try:
        run_port(case, "icu", mode, backend)
        answered = True
    except InputError:
        answered = False
    if case["id"] in REFUSED_BY_PORT_ONLY:
        assert not answered, f"{where}: a bad call was answered"
    elif status == "refused":
        assert not answered or refusal_is_a_defect(case), f"{where}: R refuses, the port answers"
    r_does = {"refused": "refuses", "crashed": "crashes on"}.get(status, "should not answer")
    if backend == "frame":
        port_does = "answered" if answered else "refused"
        tally[f"recorded calls that R {r_does}, {port_does} by the port"] += 1


@pytest.mark.parametrize("case", JUDGED, ids=lambda c: c["id"])
def test_corrected_is_what_the_oracle_says(case, tally):
    try:
        answer = run_port(case, compat="corrected")
    except InputError:
        return
    try:
        mine = oracle_result(case, "corrected")
    except NotImplementedError:
        tally[
            "corrected answers the oracle does not judge (styles of grouping, quantile types)"
        ] += 1
        return
    found = disagreements(as_oracle_labels(as_record(answer)), mine, "1.9-3")
    assert not found, f"{case['id']}: {found[:10]}"
    tally["corrected answers equal to the oracle"] += 1
    judged("oracle", "disclosure", {"answers": 0, **as_record(answer)}, "corrected")


@pytest.mark.parametrize("case", CASES, ids=lambda c: c["id"])
def test_a_defect_is_named_wherever_r_is_not_correct(case, records_by_version, tally):
    try:
        r, correct = run_port(case), run_port(case, compat="corrected")
    except InputError:
        return
    same = not differences(as_record(r), as_record(correct))
    collation = case.get("collation", ["icu"])[0]
    record = records_by_version["1.9-3"][f"{case['id']} [{collation}]"]["result"]
    if record["status"] == "ok" and has_rows_of_na(record):
        same = False  # the port has the pair itself there
    assert bool(r.defects) == (not same), (
        f"{case['id']}: differ={not same}, named={[d.id for d in r.defects]}"
    )
    judged("defects", "disclosure", {"named or not": 0}, "1.9-3")
    assert (r.corrected is not None) == bool(r.defects)
    if r.defects:
        assert not differences(as_record(r.corrected), as_record(correct))
        tally["recorded calls in which a defect of R is named, with both figures"] += 1
