"""Random calls in R and Python side by side, in one R process. `make fuzz FUZZ=5000` for more; the seed says which calls."""

from __future__ import annotations

import os
from collections import Counter

import pytest

from r_reference.case_maker.random_calls import random_call
from r_reference.records import reference_version
from tests.parity.oracle_side import disagreements, explained, oracle_result, possible_defects

COUNT = int(os.environ.get("SYNTHPOP_PY_FUZZ", "300"))
FIRST_SEED = int(os.environ.get("SYNTHPOP_PY_FUZZ_SEED", "1000001"))  # the recorded random cases use 1 to 300


@pytest.mark.requires_r
def test_random_calls_agree(live_r, tally):
    counts: Counter[str] = Counter()
    news = []
    for seed in range(FIRST_SEED, FIRST_SEED + COUNT):
        case = random_call(seed)
        result = live_r.run(case)["result"]
        if result["status"] != "ok":
            counts[f"R {result['status']}"] += 1
            continue
        found = disagreements(result, oracle_result(case), reference_version())
        defects = possible_defects(case)
        unexplained = [d for d in found if not explained(d, defects)]
        news += [f"random/{seed}: {d}" for d in unexplained]
        counts["equal" if not found else "differ by a known defect" if not unexplained else "differ"] += 1
    for name, count in counts.items():
        tally[f"fuzz: {name}"] += count
    tally["fuzz: calls"] += COUNT
    assert not news, f"{len(news)} differences that no known defect explains:\n" + "\n".join(news[:20])
    assert counts["equal"] > COUNT // 3, f"hardly anything was compared: {dict(counts)}"
