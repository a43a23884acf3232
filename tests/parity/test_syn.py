"""`syn()` against R's recorded calls: the stream of random numbers, every node of every tree, every
cell of every synthetic set.
"""

from __future__ import annotations

from functools import cache

import numpy as np
import pandas as pd
import pytest

from synthpop_py import datasets, syn
from synthpop_py.synthesis.stream import RStream, weighted_positions
from tests.judged import judged

from .syn_side import CALLS, frame, recorded

NINE = ["sex", "age", "region", "placesize", "depress", "income", "ls", "marital", "workab"]

# ---- the stream --------------------------------------------------------------------------

STREAMS = recorded("rng")["streams"]


def permutation(stream: RStream, n: int, size: int) -> np.ndarray:
    """``sample.int(n, size)``: the last of the pool takes the place of what is drawn."""
    pool, chosen = list(range(1, n + 1)), []
    for index in stream.shrinking(n, size):
        chosen.append(pool[index])
        pool[index] = pool[-1]
        pool.pop()
    return np.array(chosen)


def drawn(stream: RStream, call: dict) -> np.ndarray | None:
    what, size = call["what"], call["size"]
    if what == "runif":
        return stream.uniforms(size)
    if what == "rnorm":
        return stream.normals(size)
    if what == "sample.replace":
        return stream.below(call["n"], size) + 1
    if what == "sample.noreplace":
        return permutation(stream, call["n"], size)
    if what == "sample.prob.replace" and len(call["prob"]) > 200:
        for _ in range(size):  # Walker's alias method, which syn() never meets: an index, a uniform
            stream.below(len(call["prob"]), 1)
            stream.uniforms(1)
        return None
    return weighted_positions(call["prob"], stream.uniforms(size)) + 1


@pytest.mark.parametrize("recorded_stream", STREAMS, ids=lambda entry: f"seed {entry['seed']}")
def test_the_stream_is_r_s_to_the_last_bit(recorded_stream):
    stream = RStream(recorded_stream["seed"])
    compared = 0
    for call in recorded_stream["calls"]:
        values = drawn(stream, call)
        if values is not None:
            assert values.tolist() == call["values"], call["what"]
            judged("syn", "syn", {"random numbers": call["values"]}, "1.9-3")
            compared += 1
    assert compared == len(recorded_stream["calls"]) - 1


# ---- trees -------------------------------------------------------------------------------

TREES = [
    (name, step)
    for name in CALLS
    for step, tree in recorded(name)["steps"].items()
    if not isinstance(tree, str)
]


def same_split(split, wanted, predictors) -> None:
    predictor = predictors[split.predictor]
    assert predictor.name == wanted["variable"]
    assert split.improvement == pytest.approx(wanted["improve"], rel=1e-15, abs=0)
    if predictor.ordered:  # R shows the side of each level
        levels = np.arange(1, len(wanted["directions"]) + 1)
        assert split.sides_of(levels, True).tolist() == wanted["directions"]
    elif "point" in wanted:
        assert (split.cut, split.sides[0]) == (wanted["point"], wanted["below"])
    else:
        assert split.sides.tolist() == wanted["directions"]


@cache
def trees_of(name):
    """The trees of the first set, which the recorder kept."""
    call = {**CALLS[name], "m": 1, "models": True, "print_flag": False}
    return syn(frame(recorded(name)["input"]), **call).meta["models"]


@pytest.mark.parametrize("name, step", TREES)
def test_every_node_of_every_tree(name, step):
    record = recorded(name)
    wanted = record["steps"][step]
    tree = trees_of(name).get(step) or trees_of(name)[f"{step}.0"]
    names = [predictor.name for predictor in tree.predictors]
    assert names == wanted["predictors"]
    nodes = tree.nodes()
    assert [node.number for node in nodes] == [node["number"] for node in wanted["nodes"]]
    root_risk = wanted["nodes"][0]["deviance"]
    shown = {}  # R shows no complexity above the parent's
    for node, recorded_node in zip(nodes, wanted["nodes"], strict=True):
        assert len(node.rows) == recorded_node["n"]
        assert node.risk == recorded_node["deviance"]
        if "counts" in recorded_node:
            assert node.counts.tolist() == recorded_node["counts"]
        if node.split is None:
            assert "primary" not in recorded_node
            continue
        shown[node.number] = min(node.complexity, shown.get(node.number // 2, np.inf))
        complexity = pytest.approx(recorded_node["complexity"], rel=1e-14, abs=0)
        assert shown[node.number] / root_risk == complexity
        same_split(node.split, recorded_node["primary"], tree.predictors)
        judged("syn", "syn", {"splits of trees": 0}, "1.9-3")
        found = tree.surrogates(node)
        assert len(found) == len(recorded_node.get("surrogates", []))
        for split, recorded_split in zip(found, recorded_node.get("surrogates", []), strict=True):
            same_split(split, recorded_split, tree.predictors)


def test_enough_trees_are_compared():
    assert len(TREES) >= 50


# ---- synthetic data ----------------------------------------------------------------------


@pytest.mark.parametrize("name", CALLS)
def test_every_cell_every_type_every_level(name):
    record = recorded(name)
    made = syn(frame(record["input"]), print_flag=False, **CALLS[name])
    assert made.m == len(record["output"])
    for synthetic, wanted in zip(made.syn, record["output"], strict=True):
        pd.testing.assert_frame_equal(synthetic, frame(wanted), check_exact=True)
        columns = {"cells": [column["values"] for column in wanted.values()]}
        judged("syn", "syn", columns, "1.9-3")


@pytest.mark.parametrize("name", CALLS)
def test_methods_and_visits(name):
    record = recorded(name)
    made = syn(frame(record["input"]), print_flag=False, **CALLS[name])
    assert made.meta["visit_sequence"] == record["visit"]
    assert made.meta["method"] == record["method"]


# ---- the bundled syntheses -----------------------------------------------------------------


@pytest.mark.parametrize(
    "name, arguments",
    [("SD2011_s1", {"cont_na": {"income": -8}}), ("SD2011_s5", {"m": 5})],
)
def test_the_paper_s_syntheses_from_the_raw_file(name, arguments):
    original = datasets.load("SD2011")[NINE]
    made = syn(original, seed=8564, print_flag=False, **arguments)
    wanted = datasets.load_synthesis(name)
    for synthetic, recorded_set in zip(made.syn, wanted.syn, strict=True):
        pd.testing.assert_frame_equal(synthetic, recorded_set, check_exact=True, check_dtype=False)


def test_independent_sampling_is_r_s_too():
    original = datasets.load("SD2011")[NINE]
    made = syn(
        original,
        method="sample",
        m=5,
        seed=8564,
        reproducible=True,
        cont_na={"income": -8},
        print_flag=False,
    )
    wanted = datasets.load_synthesis("SD2011_sample")
    for synthetic, recorded_set in zip(made.syn, wanted.syn, strict=True):
        pd.testing.assert_frame_equal(synthetic, recorded_set, check_exact=True, check_dtype=False)


def test_adult_from_the_raw_file():
    adult = datasets.load("Adult")
    visits = [name for name in adult.columns if name != "native.country"] + ["native.country"]
    made = syn(adult, visit_sequence=visits, seed=8564, print_flag=False)
    wanted = datasets.load_synthesis("Adult_cart").syn[0]
    pd.testing.assert_frame_equal(made.syn[0], wanted, check_exact=True, check_dtype=False)
