"""`syn()` with data that nobody plans for: one record, no variation, huge numbers, types of every
kind, names of every kind. A sentence or a synthesis, never a crash, never a value made up.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pandas as pd
import pytest

from synthpop_py import DataWarning, InputError, syn

QUIET: dict[str, Any] = {"seed": 1, "reproducible": True, "print_flag": False}


def people(n: int = 60) -> pd.DataFrame:
    rng = np.random.default_rng(3)
    return pd.DataFrame(
        {
            "sex": rng.choice(["f", "m"], n),
            "age": rng.integers(18, 90, n),
            "works": rng.random(n) < 0.5,
        }
    )


# ---- random frames -------------------------------------------------------------------------


def gaps(rng: np.random.Generator, values: pd.Series) -> pd.Series:
    return values.mask(rng.random(len(values)) < rng.choice([0, 0.2, 0.6]))


def codes(rng: np.random.Generator, n: int, levels: int) -> np.ndarray:
    return np.where(rng.random(n) < 0.2, -1, rng.integers(0, levels, n))


KINDS = {
    "real": lambda rng, n: pd.Series(rng.normal(0, 9, n).round(1)),
    "real with gaps": lambda rng, n: gaps(rng, pd.Series(rng.integers(0, 9, n) / 2)),
    "int8": lambda rng, n: pd.Series(rng.integers(-128, 128, n).astype("int8")),
    "few uint8": lambda rng, n: pd.Series(rng.integers(0, 2, n).astype("uint8")),
    "Int8": lambda rng, n: gaps(rng, pd.Series(rng.integers(-3, 4, n), dtype="Int8")),
    "Float64": lambda rng, n: gaps(rng, pd.Series(rng.integers(0, 9, n), dtype="Float64")),
    "bool": lambda rng, n: pd.Series(rng.random(n) < 0.5),
    "boolean": lambda rng, n: gaps(rng, pd.Series(rng.random(n) < 0.5, dtype="boolean")),
    "text": lambda rng, n: pd.Series(rng.choice(["a", "B", "", "NA", "ü"], n), dtype=object),
    "string": lambda rng, n: gaps(rng, pd.Series(rng.choice(["a", "B"], n), dtype="string")),
    "category": lambda rng, n: pd.Series(pd.Categorical.from_codes(codes(rng, n, 3), list("wvu"))),
    "ordered": lambda rng, n: pd.Series(
        pd.Categorical.from_codes(codes(rng, n, 3), [3, 1, 2], ordered=True)
    ),
    "unused levels": lambda rng, n: pd.Series(
        pd.Categorical.from_codes(rng.integers(1, 3, n), list("qrst"))
    ),
    "constant": lambda rng, n: pd.Series(["k"] * n),
    "missing": lambda rng, n: pd.Series([np.nan] * n),
    "missing category": lambda rng, n: pd.Series(pd.Categorical([None] * n, ["q"])),
}
NAMES = ["a", "b.c", "d e", "x.NA", "x.0", "x", "y", "", 0, 2.5, ("t", "u")]


def arguments(rng: np.random.Generator, names: list[Any], n: int) -> dict[str, Any]:
    visits = [names[place] for place in rng.permutation(len(names))]
    choices: dict[str, Any] = {
        "m": 2,
        "k": int(rng.choice([1, 2, 2 * n + 3])),
        "proper": True,
        "visit_sequence": visits[: int(rng.integers(1, len(names) + 1))],
        "method": {names[0]: str(rng.choice(["sample", "", "collinear"]))},
        "predictor_matrix": rng.integers(0, 2, (len(names), len(names))),
        "minnumlevels": 3,
        "cart_minbucket": int(rng.choice([0, 1, 50])),
    }
    return {name: value for name, value in choices.items() if rng.random() < 0.3}


@pytest.mark.parametrize("start", range(0, 400, 100))
def test_any_frame_is_synthesised_with_its_own_values_types_and_columns(start):
    made_of = set()
    for seed in range(start, start + 100):
        rng = np.random.default_rng(seed)
        n = int(rng.choice([1, 2, 3, 17, 60]))
        names = [NAMES[place] for place in rng.permutation(len(NAMES))[: int(rng.integers(1, 6))]]
        kinds = [str(rng.choice(list(KINDS))) for _ in names]
        data = pd.concat([KINDS[kind](rng, n) for kind in kinds], axis=1)
        data.columns = pd.Index(names, tupleize_cols=False)
        before = data.copy(deep=True)
        asked = arguments(rng, names, n)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            warnings.simplefilter("ignore", DataWarning)
            warnings.simplefilter("ignore", DataWarning)
            warnings.filterwarnings("ignore", message="data: column .* counts as constant")
            made = syn(data, **asked, **QUIET)
            assert str(made) and made.summary()
        pd.testing.assert_frame_equal(data, before)
        assert made.m == asked.get("m", 1)
        for synthetic in made.syn:
            assert synthetic.columns.tolist() == names
            assert synthetic.index.tolist() == list(range(asked.get("k", n)))
            for name in names:
                check_column(synthetic[name], data[name], (seed, name))
        made_of |= set(kinds)
    assert made_of == set(KINDS)


def check_column(synthetic: pd.Series, original: pd.Series, where: object) -> None:
    numbers_again = pd.api.types.is_numeric_dtype(original.dtype) and synthetic.dtype == "float64"
    assert synthetic.dtype == original.dtype or numbers_again, where
    observed = original.dropna()
    # of a single number R draws from 1 up to it
    if len(observed) > 1 or not pd.api.types.is_numeric_dtype(original.dtype):
        assert set(synthetic.dropna()) <= set(observed), where
    assert original.isna().any() or not synthetic.isna().any(), where


# ---- numbers -------------------------------------------------------------------------------


@pytest.mark.filterwarnings("ignore::synthpop_py.DataWarning")
def test_numbers_whose_squares_overflow_are_refused():
    data = people().assign(wealth=np.geomspace(1, 1e300, 60))
    with pytest.raises(InputError, match=r"'wealth' has values beyond 1e\+150.*power of ten"):
        syn(data, **QUIET)
    kept = syn(data, visit_sequence=["sex", "age"], **QUIET).syn[0]
    assert kept["wealth"].tolist() == data["wealth"].tolist()


@pytest.mark.filterwarnings("ignore::synthpop_py.DataWarning")
@pytest.mark.parametrize("dtype", ["int64", "uint64", "Int64"])
def test_whole_numbers_that_a_real_number_cannot_hold_are_refused(dtype):
    data = people().assign(id=pd.Series(np.arange(60) + 2**60, dtype=dtype))
    with pytest.raises(InputError, match=r"'id' has whole numbers beyond 2\^53.*make it text"):
        syn(data, **QUIET)
    kept = syn(data, visit_sequence=["sex", "age"], **QUIET).syn[0]
    assert kept["id"].tolist() == data["id"].tolist()
    nearly = people().assign(id=np.arange(60) % 7 + 2**53 - 7)
    assert set(syn(nearly, **QUIET).syn[0]["id"]) <= set(nearly["id"])


def test_numbers_that_hardly_vary_are_not_given_back_in_silence():
    """R takes a variance below 2.2e-13 for none, and a constant is returned as it was observed."""
    data = people().assign(rate=np.arange(60) * 1e-9)
    with pytest.warns(UserWarning, match="'rate' counts as constant.*multiply it by a power of"):
        made = syn(data, **QUIET)
    assert made.method["rate"] == "constant"
    assert made.syn[0]["rate"].tolist() == data["rate"].tolist()
    assert syn(data.assign(rate=data["rate"] * 1e9), **QUIET).method["rate"] == "cart"


def test_one_value_and_missing_ones_are_not_given_back_in_silence():
    data = people().assign(flag=[1.0, np.nan] * 30)
    with pytest.warns(UserWarning, match="'flag' counts as constant.*make it text or a category"):
        made = syn(data, method="sample", **QUIET)
    assert made.syn[0]["flag"].isna().tolist() == data["flag"].isna().tolist()
    cured = syn(data.astype({"flag": "category"}), method="sample", **QUIET)
    assert cured.syn[0]["flag"].isna().tolist() != data["flag"].isna().tolist()


def test_where_r_stops_a_single_number_is_no_range():
    """R's sample() of a single number draws from 1 up to it; where R would have stopped, what was
    observed is drawn.
    """
    data = pd.DataFrame({"f": list("ab") * 30, "x": [50.0] + [0.0] * 59})
    with pytest.warns(DataWarning, match=r"'x.0' has only one value; R stops here"):
        made = syn(data, semicont={"x": 0}, k=3000, **QUIET)
    assert set(made.syn[0]["x"]) == {0.0, 50.0}


def test_numbers_too_large_to_be_smoothed_stay():
    """A bandwidth needs the seventh power of a distance."""
    data = people().assign(wealth=np.arange(60) % 11 * 1e60)
    with pytest.warns(DataWarning, match="'wealth' cannot be smoothed"):
        made = syn(data, smoothing={"wealth": "density"}, **QUIET)
    assert set(made.syn[0]["wealth"]) <= set(data["wealth"])


@pytest.mark.filterwarnings("ignore::synthpop_py.DataWarning")
def test_infinite_values_that_stay_are_summarised():
    data = people().assign(ratio=[np.inf, -np.inf, 1.0] * 20)
    made = syn(data, visit_sequence=["sex", "age"], **QUIET)
    assert "ratio" in made.summary()


# ---- arguments -----------------------------------------------------------------------------


def test_names_of_a_series_are_columns():
    """R's named vectors; without names, in the order of the data."""
    by_name = pd.Series({"works": "sample", "age": "cart"})
    assert syn(people(), by_name, **QUIET).method == {
        "sex": "sample",
        "age": "cart",
        "works": "sample",
    }
    assert syn(people(), pd.Series({"works": "sample"}), **QUIET).method["age"] == "cart"
    in_order = pd.Series(["sample", "sample", "cart"])
    assert syn(people(), in_order, **QUIET).method["age"] == "sample"
    special = {"cont_na": pd.Series({"age": 18}), "smoothing": pd.Series({"age": "rmean"})}
    named = {"cont_na": {"age": 18}, "smoothing": {"age": "rmean"}}
    one, other = (syn(people(), **given, **QUIET) for given in (special, named))
    pd.testing.assert_frame_equal(one.syn[0], other.syn[0])
    assert one.call == other.call == "syn(data, cont_na={'age': 18}, smoothing={'age': 'rmean'})"


def test_numbers_of_numpy_are_written_as_numbers():
    assert syn(people(), k=np.int64(7), **QUIET).call == "syn(data, k=7)"


@pytest.mark.filterwarnings("ignore::synthpop_py.DataWarning")
def test_a_column_called_true():
    data = people().set_axis(["sex", True, 0], axis=1)
    made = syn(data, visit_sequence=["sex", True], **QUIET)
    assert made.method == {"sex": "sample", True: "cart", 0: ""}
    with pytest.raises(InputError, match="visit_sequence: False is not a column"):
        syn(data, visit_sequence=["sex", False], **QUIET)


@pytest.mark.filterwarnings("ignore::synthpop_py.DataWarning")
def test_a_date_that_is_left_as_it_is_stays():
    data = people().assign(born=pd.date_range("1970-01-01", periods=60))
    made = syn(data, {"born": ""}, k=90, **QUIET)
    assert made.method["born"] == ""
    assert made.syn[0]["born"].nunique() > 30  # rows drawn again, not one of them


def test_collinear_with_what_is_collinear_with_it():
    """The user calls `a` collinear with `b`, which is found to be collinear with `a`."""
    data = pd.DataFrame({"a": [1.0, 2, 3] * 20, "b": [2.0, 4, 6] * 20, "f": list("xy") * 30})
    matrix = [[0, 1, 0], [1, 0, 0], [1, 1, 0]]
    with pytest.warns(DataWarning, match="'a' is declared collinear, and its predictor"):
        made = syn(data, ["collinear", "", "cart"], predictor_matrix=matrix, **QUIET)
    assert made.method == {"a": "sample", "b": "collinear", "f": "cart"}
    assert (made.syn[0]["b"] == 2 * made.syn[0]["a"]).all()


BAD = {
    "no name": (lambda d: syn(d.set_axis(["sex", np.nan, "works"], axis=1)), "name of a column"),
    "no name at all": (lambda d: syn(d.set_axis([None, pd.NA, 1], axis=1)), "name of a column"),
    "nothing left": (
        lambda d: syn(d, [""] * 3, drop_not_used=True, **QUIET),
        "drop_not_used: no column is left",
    ),
    "special of truth values": (lambda d: syn(d, cont_na={"works": 1}), "'works' is not a number"),
    "nested": (lambda d: syn(d, cont_na={"age": [[18, 19]]}), "[18, 19] for 'age'"),
    "an array inside": (lambda d: syn(d, cont_na={"age": [np.ones(2)]}), "is not a number"),
    "smoothing in order": (lambda d: syn(d, smoothing=np.array(["rmean", ""])), "is unknown"),
    "smoothing twice": (lambda d: syn(d, smoothing={"age": np.ones(2)}), "is unknown"),
    "no matrix": (lambda d: syn(d, predictor_matrix=1), "is no matrix; give one row"),
    "a row": (lambda d: syn(d, predictor_matrix=[0, 1, 0]), "is no matrix; give one row"),
}


@pytest.mark.parametrize("call, says", BAD.values(), ids=BAD.keys())
def test_bad_input_gets_a_sentence(call, says):
    with pytest.raises(InputError) as caught:
        call(people())
    assert says in str(caught.value)
