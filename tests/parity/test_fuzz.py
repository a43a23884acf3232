"""Random calls in R and in the package side by side, in one R process. `make fuzz FUZZ=5000` for
more; the seed says which calls.
"""

from __future__ import annotations

import os
from collections import Counter

import pytest

from r_reference.case_maker.random_calls import random_call
from synthpop_py import InputError
from tests.judged import judged
from tests.parity.compare import differences
from tests.parity.oracle_side import disagreements, oracle_result
from tests.parity.port_side import (
    as_oracle_labels,
    as_record,
    port_differences,
    refusal_is_a_defect,
    run_port,
)

COUNT = int(os.environ.get("SYNTHPOP_PY_FUZZ", "300"))
FIRST_SEED = int(
    os.environ.get("SYNTHPOP_PY_FUZZ_SEED", "1000001")
)  # the recorded random cases use 1 to 300
SEEDS = range(FIRST_SEED, FIRST_SEED + COUNT)


def _answer(case, compat):
    try:
        return run_port(case, compat=compat)
    except InputError:
        return None


@pytest.mark.requires_r
def test_random_calls_give_what_r_gives(live_r, tally):
    counts: Counter[str] = Counter()
    wrong = []
    for seed in SEEDS:
        case = random_call(seed)
        result, mine = live_r.run(case)["result"], _answer(case, "r")
        if result["status"] == "ok":
            found = ["refused by the port"] if mine is None else port_differences(result, mine)
            counts["answered alike" if not found else "DIFFERENT"] += 1
            wrong += [f"random/{seed}: {d}" for d in found]
        else:
            counts[
                f"R {result['status']}, the port {'refuses' if mine is None else 'answers'}"
            ] += 1
            if result["status"] == "refused" and mine is not None and not refusal_is_a_defect(case):
                wrong.append(f"random/{seed}: R refuses, the port answers")
    tally["fuzz: random calls to R and the port"] += COUNT
    for name, count in sorted(counts.items()):
        tally[f"fuzz: {name}"] += count
    judged("fuzz, live R", "disclosure", {"calls": [0] * COUNT}, "1.9-3", "icu")
    assert not wrong, f"{len(wrong)} differences:\n" + "\n".join(wrong[:20])
    assert counts["answered alike"] > COUNT // 2, f"hardly anything was compared: {dict(counts)}"


def test_random_calls_corrected_give_what_the_oracle_gives(tally):
    """Correct answers need no R. Wherever R's answer is another one, a defect is named."""
    wrong, compared = [], 0
    for seed in SEEDS:
        case = random_call(seed)
        answer, r = _answer(case, "corrected"), _answer(case, "r")
        if answer is None:
            continue
        moved = [] if r is None else differences(as_record(r), as_record(answer))
        named = {d.id for d in r.defects} if r is not None else set()
        # where R shows a row of NA (D11), the port has the pair itself, and no figure moves
        unseen = named == {"D11"} and not moved
        if r is not None and bool(named) != bool(moved) and not unseen:
            wrong.append(f"random/{seed}: named {named}, moved {moved[:2]}")
        try:
            mine = oracle_result(case, "corrected")
        except NotImplementedError:
            continue
        compared += 1
        judged("fuzz", "disclosure", {"answers": 0, **as_record(answer)}, "corrected")
        wrong += [
            f"random/{seed}: {d}"
            for d in disagreements(as_oracle_labels(as_record(answer)), mine, "1.9-3")
        ]
    tally["fuzz: corrected answers compared with the oracle"] += compared
    assert not wrong, f"{len(wrong)} differences:\n" + "\n".join(wrong[:20])
    assert compared > COUNT // 2
