"""Random small calls of numtocat.syn, mergelevels.syn and synorig.compare in R and in the package,
side by side in one R process.
"""

from __future__ import annotations

import os
from collections import Counter
from random import Random
from typing import Any

import pytest

from r_reference.case_maker.specs import case, plain
from synthpop_py import InputError
from tests.judged import judged
from tests.parity.companion_side import expected_of, run_companion
from tests.parity.compare import differences

COUNT = int(os.environ.get("SYNTHPOP_PY_FUZZ", "300")) // 3
FIRST_SEED = int(os.environ.get("SYNTHPOP_PY_FUZZ_SEED", "1000001"))
LABELS = [
    "a",
    "B",
    "b",
    "é",
    "10",
    "9",
    "-8",
    "x y",
    "Other",
    "NA",
    "Zz",
    "_u",
    "[1,2)",
    "1e+05",
    "TRUE",
    "1",
]
NUMBERS = [
    0.1,
    1 / 3,
    2.5,
    10.0,
    9.0,
    100.0,
    1e5,
    123456.0,
    1e-4,
    -1.5,
    7.25,
    -8.0,
    1.0,
    2.0,
    3.0,
    40.0,
]
WHOLE = [0, 1, 2, 3, 5, 9, 10, 40, 100, 100000, 200000, -8]

Spec = dict[str, Any]


def _with_gaps(rng: Random, values: list[Any], share: float) -> list[Any]:
    return [None if rng.random() < share else v for v in values]


def _column(rng: Random, name: str, kind: str, rows: int, domain: list[Any] | None = None) -> Spec:
    pools = {
        "integer": WHOLE,
        "double": NUMBERS,
        "logical": [True, False],
        "Date": ["2020-01-01", "2020-02-03", "1969-12-31"],
    }
    domain = domain or rng.sample(
        pools.get(kind, LABELS), min(rng.randint(1, 8), len(pools.get(kind, LABELS)))
    )
    values = _with_gaps(rng, [rng.choice(domain) for _ in range(rows)], rng.choice([0, 0, 0.2]))
    if all(v is None for v in values):
        values[0] = domain[0]
    spec: Spec = {"name": name, "type": kind, "values": values}
    if kind in ("factor", "ordered"):
        levels = rng.sample(domain, len(domain)) if rng.random() < 0.3 else list(domain)
        spec["levels"] = levels if rng.random() < 0.6 else [v for v in levels if v in values]
    return spec


def random_numtocat(rng: Random, id: str) -> Spec:
    rows, kinds = (
        rng.randint(4, 40),
        ["double", "integer", "integer", "double", "factor", "logical", "character"],
    )
    columns = [
        _column(rng, f"v{i}", rng.choice(kinds[: 4 if i == 0 else None]), rows)
        for i in range(rng.randint(1, 4))
    ]
    columns = [
        c
        for c in columns
        if c["type"] not in ("integer", "double")
        or len(set(c["values"]) - {None}) > 1
        or rng.random() < 0.1
    ] or columns
    numeric = [c for c in columns if c["type"] in ("integer", "double")]
    args: Spec = {"style.groups": rng.choice(["quantile", "quantile", "equal", "pretty", "sd"])}
    wanted = numeric
    if rng.random() < 0.5:
        wanted = (
            rng.sample(
                columns if rng.random() < 0.1 else numeric,
                rng.randint(min(1, len(numeric)), len(numeric)),
            )
            or numeric
        )
        by_position = rng.random() < 0.3
        args["numtocat"] = [columns.index(c) + 1 if by_position else c["name"] for c in wanted]
    many = rng.random() < 0.3
    args["catgroups"] = (
        [rng.randint(2, 7) for _ in wanted]
        if many
        else rng.choice([2, 2, 3, 4, 5, 9, 1 if rng.random() < 0.1 else 5])
    )
    special = {
        c["name"]: rng.sample([v for v in dict.fromkeys(c["values"]) if v is not None], 1)
        for c in wanted
        if rng.random() < 0.3
    }
    if special:
        args["cont.na"] = {"named": special}
    return case(id, "numtocat.syn", data={"columns": columns}, object=None, args=args)


def random_mergelevels(rng: Random, id: str) -> Spec:
    rows = rng.randint(5, 60)
    columns = [
        _column(
            rng,
            f"v{i}",
            rng.choice(["factor", "factor", "ordered", "double" if i else "factor"]),
            rows,
        )
        for i in range(rng.randint(1, 3))
    ]
    factors = [c for c in columns if "levels" in c]
    args: Spec = {"addNA": rng.random() < 0.3}
    if rng.random() < 0.3:
        chosen = rng.sample(factors, rng.randint(1, len(factors)))
        args |= {
            "merge.byhand": True,
            "merge.details": {
                "named": {c["name"]: _details(rng, c, args["addNA"]) for c in chosen}
            },
        }
    else:
        args |= {"minsize": rng.choice([1, 2, 3, 4, 5, 8, 10, 30]), "newlabel": rng.random() < 0.4}
        if rng.random() < 0.4:
            args["vars"] = [c["name"] for c in rng.sample(factors, rng.randint(1, len(factors)))]
    return case(id, "mergelevels.syn", data={"columns": columns}, object=None, args=args)


def _details(rng: Random, column: Spec, add_na: bool) -> list[str]:
    levels = column["levels"] + (["NA"] if add_na and "NA" not in column["levels"] else [])
    unknown = ["no such level"] if rng.random() < 0.05 else []
    return [
        rng.choice(["new", rng.choice(levels)]),
        *rng.sample(levels, rng.randint(1, len(levels))),
        *unknown,
    ]


def random_compare(rng: Random, id: str) -> Spec:
    rows = rng.randint(3, 12)
    kinds = [
        "factor",
        "factor",
        "factor",
        "ordered",
        "character",
        "integer",
        "double",
        "logical",
        "Date",
    ]
    orig = [_column(rng, f"v{i}", rng.choice(kinds), rows) for i in range(rng.randint(2, 5))]
    syn_rows = rng.choice([rows, rng.randint(3, 12)])
    syn = [_counterpart(rng, c, syn_rows) for c in orig]
    if rng.random() < 0.2 and len(syn) > 2:
        del syn[rng.randrange(len(syn))]
    if rng.random() < 0.2:
        syn.append(_column(rng, "extra", "factor", syn_rows))
    rng.shuffle(syn)
    return case(
        id, "synorig.compare", data={"columns": orig}, object=plain({"columns": syn}), args={}
    )


def _counterpart(rng: Random, column: Spec, rows: int) -> Spec:
    """Mostly the same kind over the same values, sometimes another kind."""
    kind, domain = (
        column["type"],
        [v for v in dict.fromkeys(column.get("levels", column["values"])) if v is not None],
    )
    roll = rng.random()
    if roll < 0.65 and domain:
        more = (
            [v for v in rng.sample(LABELS, 2) if v not in domain]
            if kind in ("factor", "ordered", "character") and rng.random() < 0.2
            else []
        )
        return _column(rng, column["name"], kind, rows, domain + more)
    if roll < 0.75 and kind in ("factor", "ordered") and domain:
        return _column(
            rng, column["name"], "ordered" if kind == "factor" else "factor", rows, domain
        )
    return _column(
        rng,
        column["name"],
        rng.choice(["factor", "character", "integer", "double", "logical"]),
        rows,
    )


MAKERS = {
    "numtocat.syn": random_numtocat,
    "mergelevels.syn": random_mergelevels,
    "synorig.compare": random_compare,
}


@pytest.mark.requires_r
@pytest.mark.parametrize("call", MAKERS)
def test_random_calls_of_companions_give_what_r_gives(call, live_r, tally):
    counts: Counter[str] = Counter()
    wrong = []
    for seed in range(FIRST_SEED, FIRST_SEED + COUNT):
        asked = MAKERS[call](Random(f"{call} {seed}"), f"random/{call}/{seed}")
        result = live_r.run(asked)["result"]
        try:
            mine = run_companion(asked)
        except InputError:
            mine = None
        if result["status"] == "ok":
            found = (
                ["refused by the port"] if mine is None else differences(expected_of(result), mine)
            )
            counts["answered alike" if not found else "DIFFERENT"] += 1
            wrong += [f"{asked['id']}: {d}" for d in found]
        else:
            counts[
                f"R {result['status']}, the port {'refuses' if mine is None else 'answers'}"
            ] += 1
            if result["status"] == "refused" and mine is not None:
                wrong.append(f"{asked['id']}: R refuses, the port answers")
    for name, count in sorted(counts.items()):
        tally[f"fuzz of {call}: {name}"] += count
    judged("fuzz, live R", call, {"calls": [0] * COUNT}, "1.9-3", "icu")
    assert not wrong, f"{len(wrong)} differences:\n" + "\n".join(wrong[:20])
    assert counts["answered alike"] > COUNT // 2, f"hardly anything was compared: {dict(counts)}"
