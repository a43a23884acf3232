"""Forced parts give what one part gives: every recorded call of `disclosure()`,
`multi_disclosure()` and `replicated_uniques()`, of both versions of R and under "corrected", in
parts of several sizes, of records in a database. The earlier version, and the second size, wait
for a long run (SYNTHPOP_PY_LONG=1): together they take most of an hour.
"""

from __future__ import annotations

from functools import partial

import pytest

from tests.needs import is_met
from tests.parity.case_frames import pandas_frame
from tests.parity.port_side import run_port
from tests.parity.test_recorded import EVERY_CASE
from tests.parity.test_recorded_multi import CASES as SUMMARIES
from tests.parity.test_recorded_multi import run_multi
from tests.parity.test_recorded_uniques_sdc import UNIQUES
from tests.parity.uniques_sdc_side import in_database
from tests.parts_side import answer, differences, is_in_parts

LONG = is_met("a long run")
MODES = ("r", "r-1.9-2", "corrected") if LONG else ("r", "corrected")
FEW = 500  # records; of more of them every value its own part would take hours

pytestmark = pytest.mark.needs("engines")


def sizes_of(case):
    """The most distinct rows of a part: one, so that every value is its own; and some."""
    records = len(pandas_frame(case["data"]))
    if records <= FEW:
        return (1, records // 2 + 1) if LONG else (1,)
    return (records // 15, records // 3) if LONG else (records // 3,)


def assert_alike(call, case, tally):
    once = answer(call)
    for size in sizes_of(case):
        parts = answer(call, backend="sqlite", max_cells=size)
        found = differences(once, parts)
        assert not found, f"max_cells={size}: {found[:10]}"
        how = "in several parts" if is_in_parts(parts) else "at once, being small, or refused"
        tally[f"{case['call']}: calls answered alike where max_cells is small, {how}"] += 1


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("case", EVERY_CASE, ids=lambda case: case["id"])
def test_disclosure(case, mode, tally):
    for collation in case.get("collation", ["icu"]):
        call = partial(run_port, case, collation, mode)
        assert_alike(call, case, tally)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("case", SUMMARIES, ids=lambda case: case["id"])
def test_multi_disclosure(case, mode, tally):
    assert_alike(partial(run_multi, case, mode), case, tally)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("case", UNIQUES, ids=lambda case: case["id"])
def test_replicated_uniques(case, mode, tally):
    def call(backend="sqlite", max_cells=None):
        return in_database(case, mode, max_cells=max_cells)

    assert_alike(call, case, tally)
