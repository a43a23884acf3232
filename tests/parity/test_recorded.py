"""Recorded R against Python, no R needed: every `disclosure` call of every recorded version.

Python's side is the oracle for now. It gives right numbers, so R's known defects show as differences; each must lie in a field that a
defect which the input can trigger is known to change.
"""

from __future__ import annotations

import pytest

from r_reference.case_maker.files import SLOW, read_all
from r_reference.records import load_records, versions
from tests.parity.oracle_side import disagreements, explained, oracle_result, possible_defects

CASES = [c for name, group in read_all().items() if name != SLOW for c in group if c["call"] == "disclosure"]


@pytest.fixture(scope="module")
def records_by_version():
    return {version: load_records(version) for version in versions()}


@pytest.mark.parametrize("case", CASES, ids=lambda c: c["id"])
def test_record_agrees_with_the_oracle(case, records_by_version, tally):
    names = [f"{case['id']} [{collation}]" for collation in case.get("collation", ["icu"])]
    answered = [(v, n, r) for v in versions() for n in names if (r := records_by_version[v][n]["result"])["status"] == "ok"]
    tally["recorded calls that R refuses or that crash it"] += len(names) * len(versions()) - len(answered)
    if not answered:
        return
    try:
        mine, defects = oracle_result(case), possible_defects(case)
    except NotImplementedError:
        tally["recorded calls the oracle does not judge (styles of grouping, quantile types)"] += len(answered)
        return
    except ValueError:
        # the oracle refuses lists of unequal length, which R lets through with a wrong result
        assert case["defects"] == ["D20"]
        return
    for version, name, result in answered:
        found = disagreements(result, mine, version)
        news = [d for d in found if not explained(d, defects)]
        assert not news, f"synthpop {version}, {name}: {news}"
        tally["recorded calls equal to the oracle" if not found else "recorded calls that differ where a known defect of R shows"] += 1
