"""A script of R's synthpop, moved by "dots become underscores" alone: what runs, and what names the
way out.
"""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import synthpop_py
from synthpop_py import InputError, datasets, syn
from synthpop_py.r import only_there

QUIET = {"print_flag": False}


@pytest.fixture(scope="module")
def ods():
    return datasets.load("SD2011")[["sex", "age", "marital", "income", "ls"]].head(300)


def same(one, other) -> None:
    for ours, theirs in zip(one.syn, other.syn, strict=True):
        pd.testing.assert_frame_equal(ours, theirs)


# ---- what runs ---------------------------------------------------------------------------


@pytest.mark.filterwarnings("ignore::synthpop_py.DataWarning")
def test_one_method_in_a_vector_is_that_method(ods):
    """For R "cart" and c("cart") are the same."""
    same(syn(ods, method=["cart"], seed=1, **QUIET), syn(ods, seed=1, **QUIET))
    one_column = syn(ods[["sex"]], method=[""], seed=1, **QUIET)
    assert one_column.method == {"sex": ""}


def test_r_s_default_seed_means_no_seed(ods):
    one, other = (syn(ods, seed="sample", **QUIET).syn[0] for _ in range(2))
    assert not one.equals(other)
    with pytest.raises(InputError, match="seed: is not a whole number"):
        syn(ods, seed="Sample", **QUIET)


def test_the_set_up_is_changed_and_handed_on(ods):
    ini = syn(ods, m=0, **QUIET)
    matrix, methods = ini.predictor_matrix, ini.method
    matrix.loc["ls", "income"] = 0
    methods["marital"] = "sample"
    made = syn(
        ods,
        methods,
        ini.visit_sequence,
        matrix,
        seed=1,
        reproducible=True,
        models=True,
        **QUIET,
    )
    assert made.method["marital"] == "sample"
    assert "income.NA" not in [predictor.name for predictor in made.models["ls"].predictors]
    assert made.predictor_matrix.loc["ls"].tolist() == [1, 1, 1, 0, 0]


def test_models_are_kept_on_request_only(ods):
    assert list(syn(ods[["sex", "age"]], seed=1, models=True, **QUIET).models) == ["age"]
    assert syn(ods[["sex", "age"]], seed=1, **QUIET).models == {}
    assert synthpop_py.SynDS(ods).models == {}


@pytest.mark.filterwarnings("ignore::synthpop_py.DataWarning")
def test_positions_in_an_array_are_written_as_numbers(ods):
    made = syn(ods, visit_sequence=np.array([5, 1, 2]), seed=1, **QUIET)
    assert made.call == "syn(data, visit_sequence=[5, 1, 2])"
    assert made.visit_sequence == ["ls", "sex", "age"]


def test_some_of_the_sets_are_summarised(ods):
    made = syn(ods[["sex", "income"]], cont_na={"income": -8}, m=3, seed=1, **QUIET)
    last = made.choose(3)
    assert f"MALE {(made.syn[2]['sex'] == 'MALE').sum()}" in last.summary()
    assert (last.m, last.method, last.cont_na) == (1, made.method, {"income": (-8,)})
    pd.testing.assert_frame_equal(last.syn[0], made.syn[2])
    assert "means over 2 sets" in made.choose([3, 1]).summary()
    for wrong in (0, 4, 1.5, "1", True, []):
        with pytest.raises(InputError, match=r"msel: .* numbers from 1 to 3"):
            made.choose(wrong)


# ---- what is in R only -------------------------------------------------------------------


@pytest.mark.parametrize(
    "name, says",
    [
        ("compare", "table_utility()"),
        ("write_syn", "write_synds()"),
        ("write.syn", "write_synds()"),
        ("utility_gen", "propensity_utility()"),
        ("syn_strata", "each stratum"),
        ("lm_synds", "each data set in `.syn`"),
        ("SD2011", 'datasets.load("SD2011")'),
        ("syn_norm", "partial_synthesis()"),
        ("syn.pmm", "smoothing='density'"),
        ("syn_passive", "compute this one"),
        ("syn_cart", "syn(data, method='cart')"),
        ("syn.constant", "syn(data, method='constant')"),
    ],
)
def test_a_function_that_only_r_has_names_the_way_out(name, says):
    with pytest.raises(AttributeError) as caught:
        getattr(synthpop_py, name)
    assert f"no attribute {name!r}; this name exists in R. Here: " in str(caught.value)
    assert says in str(caught.value)
    assert not hasattr(synthpop_py, name)


@pytest.mark.parametrize(
    "method, says",
    [
        ("norm", "partial_synthesis() draws numbers"),
        ("polyreg", "'cart' predicts classes"),
        ("~I(weight / height^2)", "compute this one in each data set of `.syn`"),
        ("rf", "proper=True"),
    ],
)
def test_a_method_that_only_r_has_names_the_way_out(ods, method, says):
    with pytest.raises(InputError, match="exists only in R; choices here: 'cart' and") as caught:
        syn(ods, method=method)
    assert ". Instead: " in str(caught.value) and says in str(caught.value)


def test_every_method_of_r_alone_has_a_way_out():
    assert all(map(only_there.way_without_method, only_there.METHODS))
    ways = {only_there.way_without_function(f"syn.{name}") for name in only_there.METHODS}
    assert None not in ways


def test_what_is_said_to_be_in_r_only_is_not_here():
    assert not set(only_there.FUNCTIONS) & set(synthpop_py.__all__)
    told = " ".join(only_there.FUNCTIONS.values())
    for name in ("table_utility", "propensity_utility", "read_rds", "write_synds"):
        assert name in told and name in synthpop_py.__all__
