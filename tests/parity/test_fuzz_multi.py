"""Random summaries in R and in the package side by side, in one R process."""

from __future__ import annotations

import os
from collections import Counter

import pytest

from r_reference.case_maker.random_calls import random_multi_call
from synthpop_py import InputError
from tests.judged import judged
from tests.parity.test_recorded_multi import multi_differences, run_multi

COUNT = int(os.environ.get("SYNTHPOP_PY_FUZZ", "300")) // 3
FIRST_SEED = int(os.environ.get("SYNTHPOP_PY_FUZZ_SEED", "2000001"))


@pytest.mark.requires_r
def test_random_summaries_give_what_r_gives(live_r, tally):
    counts: Counter[str] = Counter()
    wrong = []
    for seed in range(FIRST_SEED, FIRST_SEED + COUNT):
        case = random_multi_call(seed)
        result = live_r.run(case)["result"]
        try:
            mine = run_multi(case, "r")
        except InputError:
            mine = None
        if result["status"] == "ok":
            found = ["refused by the port"] if mine is None else multi_differences(result, mine)
            counts["answered alike" if not found else "DIFFERENT"] += 1
            wrong += [f"random_multi/{seed}: {d}" for d in found]
        else:
            counts[
                f"R {result['status']}, the port {'refuses' if mine is None else 'answers'}"
            ] += 1
    tally["fuzz of summaries: calls"] += COUNT
    for name, count in sorted(counts.items()):
        tally[f"fuzz of summaries: {name}"] += count
    judged("fuzz, live R", "multi.disclosure", {"calls": [0] * COUNT}, "1.9-3", "icu")
    assert not wrong, f"{len(wrong)} differences:\n" + "\n".join(wrong[:20])
    assert counts["answered alike"] > COUNT // 3, f"hardly anything was compared: {dict(counts)}"
