"""Calls of `syn()`: those that are recorded in ``fixtures/syn``, more to record where CRAN is at
hand, and random ones.

They have a folder of their own, ``r_reference/syn_cases``, because what is recorded of them is more
than an answer: trees and random numbers too (`record_syn.R`).
"""

from __future__ import annotations

from math import pi
from random import Random
from typing import Any

from .specs import Spec, case, column, factor, frame, named, sd2011

NINE = ["sex", "age", "region", "placesize", "depress", "income", "ls", "marital", "workab"]
SIX = ["sex", "age", "marital", "income", "ls", "workab"]


def recorded_cases() -> list[Spec]:
    """The calls of ``fixtures/syn``; arguments in the order in which they were recorded."""
    income, nociga = named(income=[-8]), named(nociga=[-8])
    visits = ["nociga", "trust", "smoke", "bmi", "edu", "marital"]
    return [
        _recorded("iris_3", seed=3),
        _recorded("airquality_4", seed=4),
        _recorded("airquality_m2_4", m=2, seed=4),
        _recorded("esoph_7", seed=7),
        _recorded("esoph_proper_7", seed=7, proper=True),
        _recorded("nine400_8", seed=8, cont__na=income),
        _recorded("nine400_k_8", seed=8, k=150),
        _recorded("types200_10", seed=10, cont__na=nociga, visit__sequence=visits),
    ]


def _recorded(name: str, **args: Any) -> Spec:
    return _call(f"recorded/{name}", {"syn_input": name}, args)


def _call(id: str, data: Spec, args: dict[str, Any]) -> Spec:
    spelled = {name.replace("__", "."): value for name, value in args.items()}
    return case(f"syn/{id}", "syn", data=data, args=spelled)


# ---- more to record ------------------------------------------------------------------


def more_cases() -> list[Spec]:
    return [*_arguments(), *_methods(), *_columns(), *_last_digits(), *refused_cases()]


def _some(columns: list[str] = SIX, last: int = 400) -> Spec:
    return {**sd2011(columns), "rows": [1, last]}


def _arguments() -> list[Spec]:
    """Each argument in turn, on the first people of SD2011."""
    matrix = [[int(other < name) for other in range(6)] for name in range(6)]
    matrix[4] = [1, 0, 1, 0, 0, 0]
    matrix[5] = [0, 0, 0, 0, 0, 0]
    given: dict[str, dict[str, Any]] = {
        "m": {"m": 3},
        "no_sets": {"m": 0},
        "more_records": {"k": 700},
        "fewer_records_twice": {"k": 90, "m": 2},
        "proper_twice": {"proper": True, "m": 2},
        "cont_na": {"cont.na": named(income=[-8])},
        "semicont": {"semicont": named(income=[-8])},
        "both": {"cont.na": named(income=[-8]), "semicont": named(age=[18])},
        "matrix": {"predictor.matrix": {"matrix": matrix}},
        "visits": {"visit.sequence": ["ls", "income", "sex"]},
        "visits_by_position": {"visit.sequence": [6, 1, 2]},
        "drop_not_used": {"visit.sequence": ["sex", "age"], "drop.not.used": True},
        "few_numbers": {"minnumlevels": 60},
        "minbucket": {"cart.minbucket": 20},
        "cp": {"cart.cp": 0.01},
        "negative_seed": {"seed": -77},
    }
    return [_call(name, _some(), {"seed": 1, **args}) for name, args in given.items()]


def _methods() -> list[Spec]:
    given: dict[str, Any] = {
        "sample": "sample",
        "left_as_it_is": ["", "cart", "cart", "cart", "cart", "cart"],
        "two_sampled": ["sample", "cart", "sample", "cart", "cart", "cart"],
        "constant_by_name": ["sample", "constant", "cart", "cart", "cart", "cart"],
        "collinear_by_name": ["sample", "cart", "collinear", "cart", "cart", "cart"],
    }
    cases = [_call(name, _some(), {"seed": 2, "method": method}) for name, method in given.items()]
    dropped = {"seed": 2, "method": given["left_as_it_is"], "drop.pred.only": True}
    smoothed = [
        _call(f"smoothing_{how}", _some(), {"seed": 3, "smoothing": how, **income})
        for how in ("density", "rmean", "spline")
        for income in ({"cont.na": named(income=[-8])},)
    ]
    return [*cases, _call("drop_pred_only", _some(), dropped), *smoothed]


def _columns() -> list[Spec]:
    """Columns that are out of the ordinary, 40 records each."""
    rng = Random("columns of syn")
    x = [float(rng.randrange(30)) for _ in range(40)]
    base = [
        column("x", "double", x),
        factor("f", [rng.choice("abc") for _ in range(40)]),
    ]
    gaps = [float(rng.randrange(30)) if rng.random() < 0.7 else None for _ in x]
    given: dict[str, list[Spec]] = {
        "twice_as_large": [column("z", "double", [2 * value for value in x])],
        "constant": [column("z", "double", [4.0] * 40), factor("g", ["u"] * 40)],
        "missing_throughout": [column("z", "double", [None] * 40)],
        "missing_numbers": [column("z", "double", gaps)],
        "missing_whole_numbers": [
            column("z", "integer", [None if v is None else int(v) for v in gaps])
        ],
        "logical": [column("z", "logical", [rng.choice([True, False, None]) for _ in range(40)])],
        "text": [column("z", "character", [rng.choice(["a", "B", "Z", None]) for _ in range(40)])],
        "ordered": [factor("z", [rng.choice("hml") for _ in range(40)], list("lmh"), True)],
    }
    cases = [_call(name, frame(*base, *more), {"seed": 4}) for name, more in given.items()]
    alone = _call("one_column", frame(base[1]), {"seed": 4})
    return [*cases, alone]


def _last_digits() -> list[Spec]:
    """What random calls beside R found: the last digit of smoothed numbers and of special values,
    and where R stops.
    """
    rng = Random("last digits of syn")
    # with many digits, so that nothing is hidden by rounding
    numbers = [
        column(name, "double", [rng.randrange(1000, 10**6) / 700001 for _ in range(90)])
        for name in "uwx"
    ]
    group = factor("f", [rng.choice("abc") for _ in range(90)])
    smooth = {"seed": 5, "smoothing": "density"}
    given: dict[str, dict[str, Any]] = {
        "smoothed_trees": smooth,
        "smoothed_twice": {**smooth, "m": 2, "visit.sequence": ["f", "x", "u"]},
        "smoothed_samples": {**smooth, "method": "sample"},
        "smoothed_proper": {**smooth, "proper": True},
    }
    smoothed = [_call(name, frame(*numbers, group), args) for name, args in given.items()]
    special = [rng.choice([pi, 0.1 + 0.2, 1 / 3, 2.0, 5.0]) for _ in range(60)]
    pair = [column("v", "double", special), factor("f", [rng.choice("ab") for _ in range(60)])]
    kept = {"seed": 6, "method": ["", "cart"], "cont.na": named(v=[pi, 0.1 + 0.2])}
    twice = [column("v", "double", [float(rng.choice([-8, -9])) for _ in range(60)])]
    every = {"seed": 6, "visit.sequence": ["f", "v"], "cont.na": named(v=[-8, -9])}
    others = [
        _call("special_of_a_kept_column", frame(*pair), kept),
        _call("another_size_of_a_kept_column", frame(*pair), {**kept, "k": 30}),
        _call("every_value_special", frame(*twice, pair[1]), every),
        _call("one_left_that_predicts", frame(*pair), {**kept, "drop.pred.only": True}),
        _call(
            "one_left_that_is_used",
            frame(*pair),
            {"seed": 6, "visit.sequence": ["v"], "drop.not.used": True},
        ),
    ]
    return [*smoothed, *others]


def refused_cases() -> list[Spec]:
    """What R and the package refuse."""
    ids = frame(column("x", "double", list(range(70))), factor("id", [f"p{i}" for i in range(70)]))
    wrong = {"matrix": [[0, 1], [1, 0]]}
    return [
        _call("unknown_method", _some(), {"seed": 1, "method": "cat"}),
        _call("too_many_levels", ids, {"seed": 1}),
        _call("wrong_matrix", _some(), {"seed": 1, "predictor.matrix": wrong}),
        _call("unknown_visit", _some(), {"seed": 1, "visit.sequence": ["sex", "agee"]}),
    ]


# ---- random calls --------------------------------------------------------------------


def random_call(rng: Random, id: str) -> Spec:
    """A small data set of mixed columns, and arguments that fit it."""
    rows = rng.randint(30, 120)
    columns = [_random_column(rng, f"v{place}", rows) for place in range(rng.randint(2, 6))]
    args: dict[str, Any] = {"seed": rng.randrange(10**6)}
    names = [spec["name"] for spec in columns]
    if rng.random() < 0.3:
        args["m"] = rng.choice([2, 3])
    if rng.random() < 0.2:
        args["k"] = rng.choice([rows // 2, rows + 17])
    if rng.random() < 0.2:
        args["proper"] = True
    if rng.random() < 0.3:
        args["visit.sequence"] = rng.sample(names, rng.randint(2, len(names)))
    if rng.random() < 0.2:
        args["cart.minbucket"] = rng.choice([2, 10])
    if rng.random() < 0.1:
        args["method"] = "sample"
    if rng.random() < 0.3:
        args["smoothing"] = rng.choice(["density", "rmean", "spline"])
    numeric = [spec["name"] for spec in columns if spec["type"] in ("double", "integer")]
    if numeric and rng.random() < 0.3:
        args["cont.na"] = {"named": {rng.choice(numeric): [0]}}
    if numeric and rng.random() < 0.15:
        args["semicont"] = {"named": {rng.choice(numeric): [0]}}
    args |= _random_plan(rng, args, len(names))
    return case(id, "syn", data={"columns": columns}, args=args)


def _random_plan(rng: Random, args: dict[str, Any], columns: int) -> dict[str, Any]:
    """Sometimes methods by column or a matrix of predictors, and rare arguments."""
    plan: dict[str, Any] = {}
    whole = "visit.sequence" not in args and "method" not in args
    roll = rng.random()
    if whole and roll < 0.2:
        kinds = ["cart", "cart", "cart", "sample", "", "collinear", "constant"]
        plan["method"] = [rng.choice(kinds) for _ in range(columns)]
    elif whole and roll < 0.4:
        below = [
            [int(j < i and rng.random() < 0.6) for j in range(columns)] for i in range(columns)
        ]
        plan["predictor.matrix"] = {"matrix": below}
    if rng.random() < 0.15:
        plan["minnumlevels"] = rng.choice([0, 3, 8, 15])
    if rng.random() < 0.1:
        plan[rng.choice(["drop.not.used", "drop.pred.only"])] = True
    if rng.random() < 0.05:
        plan["m"] = 0
    return plan


def _random_column(rng: Random, name: str, rows: int) -> Spec:
    kind = rng.choice(["factor", "factor", "ordered", "character", "logical", "integer", "double"])
    missing = rng.choice([0, 0, 0.15])
    if kind == "double":
        values: list[Any] = [rng.choice([0.0, round(rng.gauss(50, 20), 1)]) for _ in range(rows)]
    elif kind == "integer":
        values = [rng.randrange(12) for _ in range(rows)]
    elif kind == "logical":
        values = [rng.random() < 0.4 for _ in range(rows)]
    else:
        labels = rng.sample(list("abcdEFGH"), rng.randint(2, 5))
        values = [rng.choice(labels) for _ in range(rows)]
    values = [None if rng.random() < missing else value for value in values]
    if kind in ("factor", "ordered"):
        return factor(name, values, ordered=kind == "ordered")
    return column(name, kind, values)
