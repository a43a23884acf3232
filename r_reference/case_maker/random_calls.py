"""Random small data sets with random arguments, the same for a seed on every machine (Python's own
generator, not NumPy's).

One call is drawn in three steps: the world (which columns, which values), the original and m
syntheses drawn from it, the arguments.
"""

from __future__ import annotations

from dataclasses import dataclass
from random import Random
from typing import Any

from .specs import Spec, case, plain, synds

KINDS = ["factor", "factor", "factor", "ordered", "character", "logical", "integer", "double"]
PLAIN_LABELS = list("abcdefghij")
ODD_LABELS = [
    "a b",
    "A",
    "a",
    "é",
    "10",
    "9",
    "-8",
    "",
    "x,y",
    "Zz",
    "_u",
    "[1,2)",
    "a'b",
    'q"q',
    "1e+05",
    "ß",
]
SEPARATOR_LABELS = ["a | b", "b | c", "a|b", "c|", "|", "Missing", "NA"]
DOUBLES = [0.1, 0.3, 1 / 3, 2.5, 10.0, 9.0, 100.0, 1e5, 2e5, 123456.0, 1e-4, -1.5, 1e15, 7.25]


@dataclass(frozen=True)
class ColumnPlan:
    """How one column is drawn: its kind, its possible values, how often it is missing in the
    original and in the syntheses.
    """

    name: str
    kind: str
    domain: list[Any]
    missing_original: float
    missing_synthetic: float


def _domain(rng: Random, kind: str, size: int) -> list[Any]:
    if kind in ("factor", "ordered", "character"):
        roll = rng.random()
        pool = (
            PLAIN_LABELS
            if roll < 0.7
            else ODD_LABELS
            if roll < 0.96
            else ODD_LABELS + SEPARATOR_LABELS
        )
        return rng.sample(pool, min(size, len(pool)))
    if kind == "logical":
        return [True, False]
    if kind == "integer":
        return rng.sample([*range(13), 100000, 200000], size)
    return rng.sample(DOUBLES, size)


def _column_plan(rng: Random, name: str, size: int) -> ColumnPlan:
    kind = rng.choice(KINDS)
    missing = rng.choice([0, 0, 0, 0.15])
    one_sided = rng.random() < 0.15
    return ColumnPlan(
        name,
        kind,
        _domain(rng, kind, size),
        0 if one_sided and rng.random() < 0.5 else missing,
        0 if one_sided and rng.random() < 0.5 else missing,
    )


def _levels(rng: Random, plan: ColumnPlan, used: list[Any]) -> list[str]:
    """Mostly all levels of the world in one order; sometimes only the used ones, which is where R
    goes wrong (D1).
    """
    if rng.random() < 0.8:
        return list(plan.domain)
    return [v for v in plan.domain if v in used]


def _draw_column(rng: Random, plan: ColumnPlan, n: int, missing: float, keep: float) -> Spec:
    values = [rng.choice(plan.domain) for _ in range(n)]
    spec: Spec = {"name": plan.name, "type": plan.kind}
    drawn = [None if rng.random() < missing else v for v in values]
    if plan.kind in ("factor", "ordered"):
        spec["levels"] = _levels(rng, plan, drawn) if keep < 1 else list(plan.domain)
    return {**spec, "values": drawn}


def _draw_frame(rng: Random, plans: list[ColumnPlan], n: int, original: bool, keep: float) -> Spec:
    columns = [
        _draw_column(rng, p, n, p.missing_original if original else p.missing_synthetic, keep)
        for p in plans
    ]
    return {"columns": columns}


def _synthesis_of(rng: Random, plans: list[ColumnPlan], original: Spec, keep: float) -> Spec:
    """A synthesis that resembles the original: rows resampled, some cells drawn anew, sometimes of
    another length.
    """
    n = len(original["columns"][0]["values"])
    size = n if rng.random() < 0.7 else max(1, n + rng.randrange(-n // 3, n // 3 + 1))
    fresh = _draw_frame(rng, plans, size, False, keep)
    rows = [rng.randrange(n) for _ in range(size)]
    change = rng.choice([0.0, 0.1, 0.3, 0.6])
    columns = []
    for old, new, plan in zip(original["columns"], fresh["columns"], plans):
        values = [
            (
                new["values"][i]
                if rng.random() < change
                or (old["values"][r] is None and not plan.missing_synthetic)
                else old["values"][r]
            )
            for i, r in enumerate(rows)
        ]
        if "levels" in new:
            new["levels"] = [v for v in plan.domain if v in new["levels"] or v in values]
        columns.append({**new, "values": values})
    return {"columns": columns}


def _texts(spec: Spec, name: str) -> list[str]:
    """Values of a column as the text a user would type, for picking levels to exclude."""
    values = next(c["values"] for c in spec["columns"] if c["name"] == name)
    return [
        str(v).upper() if isinstance(v, bool) else f"{v:.15g}" if isinstance(v, float) else str(v)
        for v in values
        if v is not None
    ]


def _numeric(plans: list[ColumnPlan], name: str) -> bool:
    return next(p.kind for p in plans if p.name == name) in ("integer", "double")


def _arguments(
    rng: Random, plans: list[ColumnPlan], original: Spec, keys: list[str], target: str
) -> Spec:
    args: Spec = {"keys": keys, "target": target}
    if rng.random() < 0.25:
        args.update({"exclude_ov_denom_lim": True, "denom_lim": rng.choice([1, 2, 3, 5])})
    levels = _texts(original, target)
    if rng.random() < 0.25 and levels:
        args["not.targetlev"] = rng.choice(levels)
    if rng.random() < 0.25:
        args["usetargetNA"] = False
    if rng.random() < 0.25:
        args["usekeysNA"] = False if rng.random() < 0.5 else [rng.random() < 0.5 for _ in keys]
    if rng.random() < 0.2 and levels:
        picks = [k for k in keys if _texts(original, k)][: rng.randint(1, 2)]
        args["exclude.keys"] = picks
        args["exclude.keylevs"] = [rng.choice(_texts(original, k)) for k in picks]
        args["exclude.targetlevs"] = [rng.choice(levels) for _ in picks]
    if rng.random() < 0.6:
        args["thresh_1way"] = [rng.choice([0, 1, 3, 10]), rng.choice([5, 20, 50, 90])]
        args["thresh_2way"] = [rng.choice([0, 1, 2, 4]), rng.choice([0, 20, 50, 80])]
    if rng.random() < 0.5 and _numeric(plans, target):
        args["ngroups_target"] = rng.choice([2, 3, 4, 8, 0])
    if rng.random() < 0.15:
        args["ngroups_keys"] = [rng.choice([0, 2, 3, 5]) if _numeric(plans, k) else 0 for k in keys]
    return args


def random_call(seed: int) -> Spec:
    """The case of a seed: a whole `disclosure` call with its data."""
    rng = Random(seed)
    n_keys = rng.randint(1, 4)
    names = [f"k{i + 1}" for i in range(n_keys)] + ["t"]
    if rng.random() < 0.3:
        names.insert(rng.randrange(len(names)), "unused")
    plans = [_column_plan(rng, name, rng.randint(2, 5)) for name in names]
    keep = rng.choice([1.0, 1.0, 0.0])
    original = _draw_frame(rng, plans, rng.choice([6, 12, 25, 60]), True, keep)
    m = rng.choice([1, 1, 1, 2, 3])
    sets = [_synthesis_of(rng, plans, original, keep) for _ in range(m)]
    keys = [name for name in names if name.startswith("k")]
    if rng.random() < 0.4:
        rng.shuffle(keys)
    as_synds = rng.random() < 0.75
    args = _arguments(rng, plans, original, keys, "t")
    if rng.random() < 0.15:
        sets = [_whole_numbers_as_real(s) for s in sets]
    special = _special_values(rng, plans, original, args) if rng.random() < 0.3 else {}
    if ("ngroups_target" in args or "ngroups_keys" in args) and rng.random() < 0.3:
        args["style"] = rng.choice(["equal", "pretty", "quantile"])
    if special and not as_synds:
        args["cont.na"] = {"named": special}
    obj = synds(*sets, cont_na=special) if as_synds else plain(*sets)
    return case(
        f"random/{seed}", "disclosure", data=original, object=obj, args=args, collation=["icu", "C"]
    )


def _whole_numbers_as_real(frame: Spec) -> Spec:
    """The synthesis with integer columns as doubles, as `syn()` itself often returns them."""
    return {
        "columns": [
            {**c, "type": "double"} if c["type"] == "integer" else c for c in frame["columns"]
        ]
    }


def _special_values(
    rng: Random, plans: list[ColumnPlan], original: Spec, args: Spec
) -> dict[str, list[float]]:
    """A value of a numeric column in use that stands for something special."""
    names = [
        p.name
        for p in plans
        if p.kind in ("integer", "double") and p.name in (*args["keys"], args["target"])
    ]
    found = {}
    for name in names:
        values = sorted(
            {
                v
                for c in original["columns"]
                if c["name"] == name
                for v in c["values"]
                if v is not None
            }
        )
        if values:
            found[name] = [rng.choice(values)]
    return found


def cases(first: int = 1, count: int = 300) -> list[Spec]:
    return [random_call(seed) for seed in range(first, first + count)]


def random_multi_call(seed: int) -> Spec:
    """A whole `multi.disclosure` call: the world of `random_call`, its target and other columns as
    targets.
    """
    rng = Random(f"multi {seed}")
    base = random_call(seed)
    names = [c["name"] for c in base["data"]["columns"]]
    keys = list(base["args"]["keys"])[: rng.randint(1, 3)]
    targets = [n for n in names if n not in keys]
    rng.shuffle(targets)
    targets = targets[: rng.randint(1, 3)]
    args: Spec = {"keys": keys, "targets": targets if rng.random() < 0.8 else None}
    if args["targets"] is None:
        targets = [x for x in names if x not in keys]
    for name in ("denom_lim", "exclude_ov_denom_lim", "thresh_1way", "thresh_2way"):
        if name in base["args"]:
            args[name] = base["args"][name]
    if rng.random() < 0.3:
        args["usetargetsNA"] = (
            [rng.random() < 0.5 for _ in targets] if rng.random() < 0.5 else False
        )
    if rng.random() < 0.3:
        args["usekeysNA"] = [rng.random() < 0.5 for _ in keys] if rng.random() < 0.5 else False
    if rng.random() < 0.25:
        args["not.targetslev"] = [rng.choice(["", *_texts(base["data"], t)]) for t in targets]
    if rng.random() < 0.3:
        kinds = {c["name"]: c["type"] for c in base["data"]["columns"]}
        args["ngroups_targets"] = [
            rng.choice([0, 2, 3, 5]) if kinds[t] in ("integer", "double") else 0 for t in targets
        ]
    if rng.random() < 0.15:
        args["ngroups_keys"] = rng.choice([0, 3, 4])
    if rng.random() < 0.15:
        kinds = {c["name"]: c["type"] for c in base["data"]["columns"]}
        args["ngroups_keys"] = [
            rng.choice([0, 3, 4]) if kinds[k] in ("integer", "double") else 0 for k in keys
        ]
    usable = [
        (t, k) for t in targets for k in keys if _texts(base["data"], t) and _texts(base["data"], k)
    ]
    if usable and rng.random() < 0.25:
        picked = dict(usable)
        pairs = [(picked.get(t), rng.choice(_texts(base["data"], t) or [""])) for t in targets]
        args["exclude.keys"] = {"list": [[k] if k else None for k, _ in pairs]}
        args["exclude.keylevs"] = {
            "list": [[rng.choice(_texts(base["data"], k))] if k else None for k, _ in pairs]
        }
        args["exclude.targetlevs"] = {"list": [[level] if k else None for k, level in pairs]}
    if rng.random() < 0.3:
        args["attrib.meas"] = rng.choice(["DiSCO", "DiSDiO", "DCAP"])
    if rng.random() < 0.2:
        args["ident.meas"] = rng.choice(["repU", "UiSiO", "baseCAPd"])
    return case(
        f"random_multi/{seed}",
        "multi.disclosure",
        data=base["data"],
        object=base["object"],
        args=args,
    )
