"""The declared calls of `syn()`: they are what was recorded, every one is answered or refused as it
should be, and where R is at hand its answers are compared, for random calls too.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from random import Random

import pytest

from r_reference.case_maker import syn_calls
from r_reference.case_maker.files import SYN_CASES, all_syn_cases, render
from r_reference.records import SYN_ANSWERS
from synthpop_py import InputError
from tests.judged import judged
from tests.parity.compare import differences
from tests.parity.compare import number as number_of
from tests.parity.syn_side import (
    CASES,
    FOLDER,
    as_record,
    data_of,
    departures,
    name_of,
    recorded,
    run_syn,
)

COUNT = int(os.environ.get("SYNTHPOP_PY_FUZZ", "300")) // 3
FIRST_SEED = int(os.environ.get("SYNTHPOP_PY_FUZZ_SEED", "1000001"))
EVERY = [*CASES["recorded"], *CASES["more"]]
REFUSED = [case["id"] for case in syn_calls.refused_cases()]
NOT_IN_R = ["syn/one_column"]  # R wants two columns; one can be sampled


def r_text(value: object) -> str:
    """An argument as R writes it in a call."""
    if isinstance(value, dict):
        parts = [f"{name} = {r_text(part)}" for name, part in value["named"].items()]
        return f"list({', '.join(parts)})"
    if isinstance(value, list):
        parts = [r_text(part) for part in value]
        return parts[0] if len(parts) == 1 else f"c({', '.join(parts)})"
    return json.dumps(value) if isinstance(value, str) else str(value).upper()


def answers() -> dict[str, dict]:
    """R's recorded answers by case, as far as somebody recorded them."""
    found = {}
    for file in SYN_ANSWERS.glob("*.json"):
        for record in json.loads(file.read_text(encoding="utf-8"))["records"]:
            found[record["id"]] = record["result"]
    return found


def differs(case: dict, result: dict) -> list[str]:
    """Where the package's answer is another one than R's, and does not say so."""
    try:
        made = run_syn(case)
    except InputError:
        return ["refused by the port"] if result["status"] == "ok" else []
    if result["status"] != "ok":
        allowed = departures(made) or case["id"] in NOT_IN_R
        return [] if allowed else [f"R {result['status']}, the port answers"]
    fields = {name: part for name, part in result.items() if name not in ("status", "warnings")}
    answer = as_record(made)
    found = differences(fields, answer) or cells_differ(fields["syn"], answer["syn"])
    return [] if departures(made) else found


def cells_differ(wanted: list[dict], made: list[dict]) -> list[str]:
    """Columns that are not the same to the last bit (sums of long ones need not be)."""
    found = []
    for number, (of_r, ours) in enumerate(zip(wanted, made, strict=True)):
        for column, own in zip(of_r["columns"], ours["columns"], strict=True):
            if [*map(number_of, column.get("values", []))] != own.get("values", []):
                found.append(f"syn[{number}]: {column['name']!r}")
    return found


def test_files_are_what_the_case_maker_writes():
    written = {path.stem: path.read_text(encoding="utf-8") for path in SYN_CASES.glob("*.jsonl")}
    assert written == {name: render(cases) for name, cases in all_syn_cases().items()}


def test_every_recording_is_declared_once():
    recordings = {path.stem for path in FOLDER.glob("*.json")} - {"rng", "smoothing"}
    assert sorted(map(name_of, CASES["recorded"])) == sorted(recordings)
    ids = [case["id"] for case in EVERY]
    assert len(ids) == len(set(ids))


@pytest.mark.parametrize("case", CASES["recorded"], ids=name_of)
def test_a_declaration_is_the_call_that_was_recorded(case):
    asked = [f"{name} = {r_text(value)}" for name, value in case["args"].items()]
    call = f"syn(d, {', '.join(asked)}, models = TRUE, print.flag = FALSE)"
    assert recorded(name_of(case))["call"] == call
    assert list(data_of(case).columns) == list(recorded(name_of(case))["input"])


@pytest.mark.parametrize("case", EVERY, ids=lambda case: case["id"])
def test_every_declared_call_is_answered_or_refused(case):
    if case["id"] in REFUSED:
        with pytest.raises(InputError):
            run_syn(case)
        return
    made = run_syn(case)
    assert made.m == case["args"].get("m", 1)
    result = answers().get(case["id"])
    if result is not None:
        assert differs(case, result) == []
        judged("syn", "syn", {"answers": result.get("syn", "none")}, "1.9-3")


@pytest.mark.requires_r
def test_r_answers_the_declared_calls_alike(live_r, tally):
    wrong = []
    for case in EVERY:
        found = differs(case, live_r.run(case)["result"])
        wrong += [f"{case['id']}: {place}" for place in found]
        tally["declared calls of syn() run in R now"] += 1
    assert not wrong, "\n".join(wrong[:20])


@pytest.mark.requires_r
def test_random_calls_of_syn_give_what_r_gives(live_r, tally):
    counts: Counter[str] = Counter()
    wrong = []
    for seed in range(FIRST_SEED, FIRST_SEED + COUNT):
        case = syn_calls.random_call(Random(f"syn {seed}"), f"random/syn/{seed}")
        result = live_r.run(case)["result"]
        found = differs(case, result)
        counts["alike" if not found else "DIFFERENT"] += 1
        wrong += [f"{case['id']}: {place}" for place in found]
    for name, count in counts.items():
        tally[f"fuzz of syn: {name}"] += count
    assert not wrong, f"{len(wrong)} differences:\n" + "\n".join(wrong[:20])


def test_a_wrong_answer_would_be_noticed():
    """One value of R's changed by hand."""
    case = CASES["recorded"][0]
    result = {"status": "ok", "warnings": 0, **as_record(run_syn(case))}
    assert differs(case, result) == []
    result["syn"][0]["columns"][2]["values"][17] += 0.1
    assert len(differs(case, result)) == 1
    assert differs(case, {"status": "refused"}) == ["R refused, the port answers"]
