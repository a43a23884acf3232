"""Recorded R against numtocat_syn, mergelevels_syn and synorig_compare, no R needed: every recorded
call of every recorded version.
"""

from __future__ import annotations

import pytest

from r_reference.case_maker.files import read_all
from r_reference.records import load_records, versions
from synthpop_py import InputError
from tests.judged import judged
from tests.parity.companion_side import CALLS, expected_of, run_companion
from tests.parity.compare import differences

CASES = [case for group in read_all().values() for case in group if case["call"] in CALLS]
MODES = {"1.9-3": "r", "1.9-2": "r-1.9-2"}
# R loses the data frame when one column is left, and stops; any user would expect an answer.
ANSWERED_THOUGH_R_CRASHES = {"companions/synorig.compare/fewer_variables"}


@pytest.fixture(scope="module")
def records_by_version():
    return {version: load_records(version) for version in versions()}


@pytest.mark.parametrize("case", CASES, ids=lambda c: c["id"])
def test_companions_give_what_r_gave(case, records_by_version, tally):
    for version in versions():
        for collation in case.get("collation", ["icu"]):
            result = records_by_version[version][f"{case['id']} [{collation}]"]["result"]
            where = f"synthpop {version}, {case['id']} [{collation}]"
            figures = {"not answered by R": 0}
            if result["status"] == "ok":
                figures = {"answers": 0, **expected_of(result)}
            judged("recorded companions", case["call"], figures, version, collation)
            if result["status"] == "refused":
                with pytest.raises(InputError):
                    run_companion(case, collation, MODES[version])
                tally["recorded companion calls that R refuses, refused by the port"] += 1
            elif result["status"] == "crashed":
                assert case["id"] in ANSWERED_THOUGH_R_CRASHES, (
                    f"{where}: a new crash of R; decide what is correct"
                )
                run_companion(case, collation, MODES[version])
                tally["recorded companion calls that R crashes on, answered by the port"] += 1
            else:
                found = differences(
                    expected_of(result), run_companion(case, collation, MODES[version])
                )
                assert not found, f"{where}: {found[:10]}"
                tally[
                    f"recorded {case['call']} calls of synthpop {version} that the port answers"
                    " alike"
                ] += 1


def test_all_three_functions_have_recorded_calls():
    assert {case["call"] for case in CASES} == set(CALLS) and len(CASES) >= 47
