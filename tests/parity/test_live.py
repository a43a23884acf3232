"""Every case run in R now and compared with its record: a stale record fails."""

from __future__ import annotations

import pytest

from r_reference.case_maker.files import CASES as CASE_FOLDER
from r_reference.case_maker.files import SLOW, read_all
from r_reference.records import load_records, versions
from tests.conftest import no_r
from tests.parity.compare import differences
from tests.parity.live import reason_for_no_r, run_in_subprocess

GROUPS = {name: cases for name, cases in read_all().items() if name != SLOW}
WITHOUT_DATA_FILES = ["ledger", "random", "refusals"]


def _compare(cases, records, run, tally):
    stale = []
    for case in cases:
        for collation in case.get("collation", ["icu"]):
            name = f"{case['id']} [{collation}]"
            found = differences(records[name]["result"], run(case, collation)["result"])
            tally["live runs of the reference version compared with their record"] += 1
            stale += [f"{name}: {d}" for d in found]
    assert not stale, "\n".join(stale[:20])


@pytest.mark.requires_r
@pytest.mark.parametrize("group", GROUPS)
def test_r_still_says_what_was_recorded(group, live_r, records, tally):
    _compare(GROUPS[group], records, live_r.run, tally)


@pytest.mark.requires_r
@pytest.mark.parametrize("version", versions()[1:])
@pytest.mark.parametrize("group", WITHOUT_DATA_FILES)
def test_an_earlier_version_still_says_what_was_recorded(version, group, tmp_path, tally):
    reason = reason_for_no_r(version)
    if reason:
        no_r(reason)
    records = load_records(version)
    fresh = run_in_subprocess(CASE_FOLDER / f"{group}.jsonl", version, tmp_path / "out.jsonl")
    stale = [
        f"{r['id']}: {d}"
        for r in fresh
        for d in differences(records[f"{r['id']} [{r['collation']}]"]["result"], r["result"])
    ]
    tally[f"live runs of synthpop {version} compared with their record"] += len(fresh)
    assert fresh and not stale, "\n".join(stale[:20])


@pytest.mark.requires_r
@pytest.mark.needs("a slow run")  # minutes and 17 GB; `make live-slow` runs it
def test_slow_cases(live_r, records, tally):
    _compare(read_all()[SLOW], records, live_r.run, tally)
