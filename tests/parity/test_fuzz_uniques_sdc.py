"""Random calls of `replicated.uniques` and `sdc` in R and in the package side by side. `make fuzz
FUZZ=5000` for more.
"""

from __future__ import annotations

import json
import os
import warnings
from collections import Counter
from random import Random

import pytest

from r_reference.case_maker.random_calls import (
    _column_plan,
    _draw_frame,
    _synthesis_of,
    _whole_numbers_as_real,
)
from r_reference.case_maker.specs import case, column, r_list, rows_of, synds
from synthpop_py import DataWarning, InputError, RDefectWarning, replicated_uniques
from tests.judged import judged
from tests.parity.case_frames import pandas_frame, syntheses_of
from tests.parity.compare import differences
from tests.parity.live import FIXTURES
from tests.parity.uniques_sdc_side import (
    answer_or_none,
    as_record,
    correct_uniques,
    expected_of,
    port_uniques,
)

COUNT = max(int(os.environ.get("SYNTHPOP_PY_FUZZ", "300")) // 3, 1)
FIRST_SEED = int(os.environ.get("SYNTHPOP_PY_FUZZ_SEED", "1000001"))
SEEDS = range(FIRST_SEED, FIRST_SEED + COUNT)
NUMBERS = ("integer", "double")


def _world(rng: Random) -> tuple[dict, dict]:
    """Original data and a synthesis of them: two to five columns, one of them numeric, sometimes a
    long or a fine-grained one.
    """
    plans = [_column_plan(rng, f"v{i}", rng.randint(2, 5)) for i in range(rng.randint(2, 5))]
    original = _draw_frame(rng, plans, rng.choice([1, 2, 6, 12, 25, 60]), True, 1.0)
    frames = [_synthesis_of(rng, plans, original, 1.0) for _ in range(rng.choice([1, 1, 1, 2, 3]))]
    if rng.random() < 0.3:
        frames = [_whole_numbers_as_real(f) for f in frames]
    if rng.random() < 0.3 and len(frames) > 1:
        frames[1:] = [
            rows_of(f, range(max(1, len(f["columns"][0]["values"]) // 2))) for f in frames[1:]
        ]
    extra = _extra_column(rng, original)
    pool = extra["values"]
    original = {"columns": [*original["columns"], extra]}
    frames = [
        {
            "columns": [
                *f["columns"],
                {
                    **extra,
                    "values": [_near(rng, rng.choice(pool)) for _ in f["columns"][0]["values"]],
                },
            ]
        }
        for f in frames
    ]
    return original, {"frames": frames}


def _extra_column(rng: Random, frame: dict) -> dict:
    n = len(frame["columns"][0]["values"])
    draw = rng.choice(
        [
            lambda: rng.randint(1, 9),
            lambda: round(rng.expovariate(0.001)),
            lambda: rng.choice([1234567.1, 1234567.2, 5.0, 0.25]),
            lambda: round(rng.gauss(0, 1), 6),
        ]
    )
    return column("x", "double", [float(draw()) if rng.random() > 0.03 else None for _ in range(n)])


def _near(rng: Random, value: float | None) -> float | None:
    return value if value is None or rng.random() < 0.8 else value + rng.choice([1.0, 10.0, 0.1])


TIMES = [0, 3600, 60, 61, 86400, 172800]


def _with_times(rng: Random, frame: dict, midnight: bool) -> dict:
    """The frame with a column of times, in half of the frames all at midnight, which R writes
    otherwise.
    """
    pool = [t for t in TIMES if t % 86400 == 0] if midnight else TIMES
    return {
        "columns": [
            *frame["columns"],
            column("when", "POSIXct", [rng.choice(pool) for _ in frame["columns"][0]["values"]]),
        ]
    }


def _sdc_arguments(rng: Random, frame: dict, names: list[str]) -> dict:
    args: dict = {}
    numeric = [c["name"] for c in frame["columns"] if c["type"] in NUMBERS]
    if rng.random() < 0.6:
        args[rng.choice(["rm.replicated.uniques", "rm.uniques.in.orig"])] = True
        args["keys"] = rng.sample(names, rng.randint(1, len(names)))
    if rng.random() < 0.5:
        chosen = rng.sample(numeric, rng.randint(1, len(numeric)))
        limits = [[rng.choice([None, 0.3, 2, 5]), rng.choice([None, 7, 90, 5000])] for _ in chosen]
        args |= {"recode.vars": chosen, "bottom.top.coding": r_list(*limits)}
        if rng.random() < 0.5:
            args["recode.exclude"] = r_list(*[[rng.choice([1, 9, 0.1, 100000])] for _ in chosen])
    if rng.random() < 0.5 and len(frame["columns"][0]["values"]) > 5:
        args["smooth.vars"] = rng.sample(numeric, rng.randint(1, len(numeric)))
    for name, text in (("prefix", "s."), ("suffix", "_syn"), ("label", "FAKE")):
        if rng.random() < 0.3:
            args[name] = text
    return args


def _values(frame: dict, name: str) -> list:
    return next(c["values"] for c in frame["columns"] if c["name"] == name)


def random_case(seed: int) -> dict:
    rng = Random(f"uniques and sdc {seed}")
    original, sets = _world(rng)
    if seed % 2 and rng.random() < 0.2:
        original = _with_times(rng, original, rng.random() < 0.5)
        sets["frames"] = [_with_times(rng, f, rng.random() < 0.5) for f in sets["frames"]]
    names = [c["name"] for c in original["columns"]]
    special = (
        {"x": [rng.choice([v for v in _values(original, "x") if v is not None] or [0.0])]}
        if rng.random() < 0.3
        else None
    )
    obj = synds(*sets["frames"], cont_na=special)
    if seed % 2:
        return case(
            f"random/{seed}",
            "replicated.uniques",
            data=original,
            object=obj,
            args={"keys": rng.sample(names, rng.choice([1, 1, 2, len(names)]))},
        )
    return case(
        f"random/{seed}",
        "sdc",
        data=original,
        object=obj,
        args=_sdc_arguments(rng, original, names),
    )


def _without_padding(expected: dict, actual: dict) -> dict:
    """R's record without the rows of NA that it appends to syntheses shorter than it remembers; the
    port appends none (decision on D38).
    """
    if "syn" not in expected or "syn" not in actual:
        return expected
    return {
        **expected,
        "syn": [_cut(theirs, ours["rows"]) for theirs, ours in zip(expected["syn"], actual["syn"])],
    }


def _cut(frame: dict, rows: int) -> dict:
    beyond = [v for c in frame["columns"] if c["name"] != "flag" for v in c["values"][rows:]]
    if not beyond or any(v is not None for v in beyond):
        return frame
    return {
        "rows": rows,
        "columns": [{**c, "values": c["values"][:rows]} for c in frame["columns"]],
    }


@pytest.mark.requires_r
def test_random_calls_give_what_r_gives(live_r, tally):
    counts: Counter[str] = Counter()
    wrong = []
    for seed in SEEDS:
        asked = random_case(seed)
        result, mine = live_r.run(asked)["result"], answer_or_none(asked)
        call = asked["call"]
        if result["status"] != "ok":
            counts[
                f"{call}: R {result['status']}, the port {'refuses' if mine is None else 'answers'}"
            ] += 1
            if result["status"] == "refused" and mine is not None:
                wrong.append(f"random/{seed}: R refuses, the port answers")
            continue
        expected, actual = expected_of(result), None if mine is None else as_record(mine)
        if actual is not None and (cut := _without_padding(expected, actual)) != expected:
            expected = cut
            counts[f"{call}: R appends rows of NA, which the port does not"] += 1
        found = ["refused by the port"] if actual is None else differences(expected, actual)
        counts[f"{call}: {'answered alike' if not found else 'DIFFERENT'}"] += 1
        wrong += [f"random/{seed} ({call}): {d}" for d in found]
    for name, count in sorted(counts.items()):
        tally[f"fuzz of {name}"] += count
    judged("fuzz, live R", "uniques and sdc", {"calls": [0] * COUNT}, "1.9-3", "icu")
    assert not wrong, f"{len(wrong)} differences:\n" + "\n".join(wrong[:20])
    assert sum(n for name, n in counts.items() if name.endswith("alike")) > COUNT // 2, (
        f"hardly anything was compared: {dict(counts)}"
    )


def shares_nothing(asked) -> bool:
    """Whether some key has no value in common with the original in some synthesis. Columns without
    any value agree, and so do those that have values of the same declared levels.
    """
    original, *sets = (
        {column["name"]: column for column in frame["columns"]}
        for frame in (asked["data"], *syntheses_of(asked))
    )
    keys = asked["args"].get("keys") or original
    for one, other in ((original[key], of_set[key]) for of_set in sets for key in keys):
        values, others = (set(column["values"]) - {None} for column in (one, other))
        same_levels = one.get("levels") is not None and one["levels"] == other.get("levels")
        comparable = values and others and same_levels
        if values.isdisjoint(others) and (values or others) and not comparable:
            return True
    return False


def test_random_calls_corrected_give_what_the_oracle_gives(tally):
    """Correct answers need no R. Wherever R's answer is another one, a defect is named."""
    wrong, compared = [], 0
    for seed in SEEDS:
        asked = random_case(seed)
        if asked["call"] != "replicated.uniques":
            continue
        r, correct = answer_or_none(asked), answer_or_none(asked, "corrected")
        if (correct is None) != (r is None or shares_nothing(asked)):
            wrong.append(f"random/{seed}: refused without reason, or answered without comparison")
        if correct is None:
            continue
        compared += 1
        figures = {"figures": port_uniques(correct)}
        judged("fuzz", "replicated.uniques", figures, "corrected")
        wrong += [
            f"random/{seed}: {d}"
            for d in differences(correct_uniques(asked, list(correct.keys)), port_uniques(correct))
        ]
        moved = differences(as_record(r), as_record(correct))
        if bool(r.defects) != bool(moved):
            wrong.append(f"random/{seed}: named {[d.id for d in r.defects]}, moved {moved[:2]}")
    tally["fuzz: corrected answers on uniques compared with the oracle"] += compared
    assert not wrong, f"{len(wrong)} differences:\n" + "\n".join(wrong[:20])
    assert compared > COUNT // 3


UNIQUES_AFTER_SDC = """
function(case_json, fixture_dir) {
  case <- jsonlite::fromJSON(case_json, simplifyVector = FALSE)
  set_collation("icu")
  data <- build_frame(case$data, fixture_dir)
  sink(nullfile()); on.exit(sink())
  keys <- unlist(case$args$keys)
  describe <- function() {
    safer <- do.call(case$call, call_arguments(case, fixture_dir), quote = TRUE)
    describe_uniques(replicated.uniques(safer, data, keys))
  }
  answer <- tryCatch(suppressWarnings(describe()), error = function(e) NULL)
  to_json(answer)
}
"""


@pytest.mark.requires_r
def test_uniques_after_removal_give_what_r_gives(live_r, tally):
    """R's object remembers how many records it had before `sdc` (D38), and so does ours."""
    ask = live_r.r(UNIQUES_AFTER_SDC)
    wrong, compared, named = [], 0, 0
    for seed in SEEDS:
        rng = Random(f"after sdc {seed}")
        original, sets = _world(rng)
        keys = rng.sample([c["name"] for c in original["columns"]], rng.choice([1, 2, 2, 3]))
        asked = case(
            f"random/{seed}",
            "sdc",
            data=original,
            object=synds(*sets["frames"]),
            args={"keys": keys, "rm.replicated.uniques": True},
        )
        expected, removed = (
            json.loads(ask(json.dumps(asked), str(FIXTURES))[0]),
            answer_or_none(asked),
        )
        if (
            expected is None
            or removed is None
            or len({len(f["columns"][0]["values"]) for f in sets["frames"]}) > 1
        ):
            continue
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RDefectWarning)
            warnings.simplefilter("ignore", DataWarning)  # "A" beside "a"
            try:
                mine = replicated_uniques(removed, pandas_frame(original), keys)
            except InputError:
                continue
        compared += 1
        named += any(d.id == "D38" for d in mine.defects)
        wrong += [f"random/{seed}: {d}" for d in differences(expected, as_record(mine))]
    tally["fuzz of replicated.uniques after sdc: answered alike"] += compared - len(
        {w.split(":")[0] for w in wrong}
    )
    assert not wrong, f"{len(wrong)} differences:\n" + "\n".join(wrong[:20])
    assert compared > COUNT // 4 and named
