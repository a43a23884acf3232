"""Forced parts give what one part gives: every recorded call of `disclosure()`, of both versions of
R and under "corrected", in parts of several sizes.
"""

from __future__ import annotations

import pytest

from tests.parity.port_side import run_port
from tests.parity.test_recorded import EVERY_CASE
from tests.parts_side import answer, differences

SIZES = (1, 60)
MODES = ("r", "r-1.9-2", "corrected")


@pytest.mark.needs("engines")
@pytest.mark.parametrize("case", EVERY_CASE, ids=lambda case: case["id"])
def test_parts_give_what_one_part_gives(case, tally):
    for mode in MODES:
        for collation in case.get("collation", ["icu"]):
            call = {"case": case, "collation": collation, "compat": mode}
            once = answer(run_port, **call)
            for size in SIZES:
                parts = answer(run_port, **call, backend="sqlite", max_cells=size)
                found = differences(once, parts)
                assert not found, f"{mode}, [{collation}], max_cells={size}: {found[:10]}"
                tally["recorded calls answered alike in parts and at once"] += 1
