"""`syn()`: trees that a reader can check by hand, what must hold for any data, where R would do
something else, and bad input: a sentence or a synthesis, never a crash, never a value made up.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from synthpop_py import DataWarning, InputError, SlowWarning, SynDS, syn
from synthpop_py.synthesis.rpart import Predictor, Tree, rpart_order
from synthpop_py.synthesis.splits import LEFT, RIGHT
from synthpop_py.synthesis.stream import RStream

QUIET: dict[str, Any] = {"seed": 1, "reproducible": True, "print_flag": False}
QUIETLY = pytest.mark.filterwarnings("ignore::synthpop_py.DataWarning")


def people(n: int = 200, seed: int = 1) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    age = rng.integers(18, 80, n)
    special = rng.random(n) < 0.2
    return pd.DataFrame(
        {
            "sex": pd.Categorical(rng.choice(["f", "m"], n)),
            "age": age,
            "income": np.where(special, -8.0, np.round(age * 30 + rng.normal(0, 90, n))),
            "job": rng.choice(["baker", "Clerk", "nurse"], n),
            "works": rng.random(n) < 0.6,
        }
    )


def made(data: pd.DataFrame, *arguments: Any, **more: Any) -> SynDS:
    return syn(data, *arguments, **QUIET | more)


# ---- trees by hand -----------------------------------------------------------------------


def test_a_tree_of_six_rows_has_the_cut_that_anybody_would_choose():
    x = np.array([1.0, 2, 3, 11, 12, 13])
    y = np.array([5.0, 5, 6, 20, 21, 20])
    split = Tree([Predictor("x", x)], y, minbucket=1).root.split
    assert split.cut == 7.0  # halfway between 3 and 11
    assert split.sides.tolist() == [LEFT, RIGHT]  # the smaller mean goes left
    around_mean = ((y - y.mean()) ** 2).sum()
    within = ((y[:3] - y[:3].mean()) ** 2).sum() + ((y[3:] - y[3:].mean()) ** 2).sum()
    assert split.improvement == pytest.approx(1 - within / around_mean)


def test_levels_are_grouped_by_their_mean():
    codes = np.array([0, 0, 1, 1, 2, 2])
    y = np.array([1.0, 1, 9, 9, 2, 2])
    tree = Tree([Predictor("x", codes, levels=4)], y, minbucket=2)
    # levels 0 and 2 have small means; level 3 does not occur
    assert tree.root.split.sides.tolist() == [LEFT, RIGHT, LEFT, 0]


def test_classes_are_divided_by_gini():
    x, y = np.array([1.0, 2, 3, 4, 5, 6]), np.array([0, 0, 0, 1, 1, 1])
    tree = Tree([Predictor("x", x)], y, np.array([0, 1]), minbucket=1)
    assert tree.root.split.cut == 3.5
    assert tree.root.split.improvement == pytest.approx(3.0)  # 6 * 2 * 1/2 * 1/2 to 0
    assert [node.number for node in tree.nodes()] == [1, 2, 3]


def test_a_level_that_a_node_has_not_seen_follows_the_surrogate():
    rng = np.random.default_rng(3)
    group = np.repeat([0, 1], 20)
    other = group * 10.0 + rng.random(40)
    predictors = [Predictor("group", group, levels=3), Predictor("other", other)]
    tree = Tree(predictors, group * 100.0 + rng.random(40), minbucket=10)
    ends = tree.ends_of([np.array([0, 1, 2, 2]), np.array([0.5, 10.5, 0.5, 10.5])])
    assert ends[0] == ends[2] != ends[1] == ends[3]


def test_a_level_between_two_present_ones_belongs_below_the_cut():
    codes = np.repeat([1.0, 2, 4, 5], 5)  # the third of five ordered levels does not occur
    tree = Tree([Predictor("x", codes, ordered=True)], np.where(codes < 3, 0.0, 9.0))
    assert tree.root.split.cut == 3.0
    second, third, fourth = tree.ends_of([np.array([2.0, 3, 4])])
    assert second == third != fourth


@given(st.lists(st.integers(0, 9), max_size=80))
def test_the_order_of_rows_sorts(values):
    numbers = np.array(values, dtype=np.float64)
    order = rpart_order(numbers)
    assert sorted(order.tolist()) == list(range(len(values)))
    assert (np.diff(numbers[order]) >= 0).all()


def test_the_stream_counts_what_it_gives():
    stream = RStream(1)
    stream.uniforms(5)
    stream.below(1, 3)  # one value possible, and still one uniform each
    assert stream.used == 8


# ---- what must hold ------------------------------------------------------------------------


def test_the_same_seed_gives_the_same_data_and_another_one_does_not():
    first, again, other = (made(people(), seed=s).syn[0] for s in (7, 7, 8))
    pd.testing.assert_frame_equal(first, again)
    assert not first.equals(other)
    without = [syn(people(), print_flag=False).syn[0] for _ in range(2)]
    assert not without[0].equals(without[1])  # no seed: a fresh one each time


def test_types_columns_and_levels_are_the_original_s():
    data = people()
    result = made(data, seed=3, cont_na={"income": -8})
    synthetic = result.syn[0]
    assert isinstance(result, SynDS) and list(synthetic) == list(data)
    for name in ("sex", "job", "works"):
        assert synthetic[name].dtype == data[name].dtype
    assert synthetic["age"].dtype == "float64"  # whole numbers from a tree, as in R
    assert result.cont_na == {"income": (-8.0,)}
    assert "seed" not in result.meta


CODES = {"sex": ["f", "m"], "job": ["baker", "Clerk", "nurse"], "works": [False, True]}


def as_tree_sees(synthetic, name):
    if name in CODES:
        return pd.Categorical(synthetic[name], CODES[name]).codes.astype(np.int64)
    return synthetic[name].to_numpy(float)


@pytest.mark.parametrize("proper", [False, True])
@pytest.mark.parametrize("column", ["age", "income", "job", "works"])
def test_synthetic_values_are_values_of_the_leaf(column, proper):
    for seed in range(5):
        result = made(people(120), seed=seed, proper=proper, models=True)
        tree = result.meta["models"][column]
        ends = tree.ends_of([as_tree_sees(result.syn[0], p.name) for p in tree.predictors])
        observed = tree.levels[tree.y] if tree.classes else tree.y
        values_of = {node.number: set(observed[node.rows].tolist()) for node in tree.nodes()}
        drawn = as_tree_sees(result.syn[0], column).tolist()
        assert all(value in values_of[end] for end, value in zip(ends.tolist(), drawn, strict=True))
        every = len(set(observed.tolist()))
        assert len(values_of) == 1 or any(len(found) < every for found in values_of.values())


def test_margins_are_those_of_the_original_over_many_seeds():
    """Within sampling error: spread, bias and coverage of every mean and share over 200 seeds."""
    data = people(150)
    sets = [made(data, seed=seed).syn[0] for seed in range(200)]
    compared = 0
    for name in data:
        numeric = pd.api.types.is_numeric_dtype(data[name])
        for value in [None] if numeric and name != "works" else data[name].unique():
            original = data[name] if value is None else data[name] == value
            drawn = [one[name] if value is None else one[name] == value for one in sets]
            error = original.std() / np.sqrt(len(data))
            apart = (np.array([column.mean() for column in drawn]) - original.mean()) / error
            assert abs(apart.mean()) < 0.3, (name, value)
            assert 0.8 < apart.std() < 1.25, (name, value)
            assert (abs(apart) < 2).mean() > 0.88, (name, value)
            compared += 1
    assert compared == 9  # two means, the shares of seven levels


@pytest.mark.parametrize("proper", [False, True])
def test_sets_differ_k_is_kept_and_the_first_is_that_of_a_single_set(proper):
    frames = made(people(), seed=2, m=4, k=50, proper=proper).syn
    assert [len(frame) for frame in frames] == [50] * 4
    for number, frame in enumerate(frames):
        for name in frame:
            assert not any(frame[name].equals(other[name]) for other in frames[:number])
    alone = made(people(), seed=2, k=50, proper=proper).syn[0]
    pd.testing.assert_frame_equal(frames[0], alone)  # nothing is drawn ahead


@QUIETLY
def test_what_is_not_synthesised_stays_or_goes():
    data = people().assign(
        job=lambda d: d["job"].astype("category"),
        ratio=[np.inf] + [1.0] * 199,
        id=np.arange(200) + 2**60,
        born=pd.date_range("1970-01-01", periods=200),
    )
    visits = ["sex", "age"]
    kept = made(data, visit_sequence=visits)
    pd.testing.assert_frame_equal(kept.syn[0].drop(columns=visits), data.drop(columns=visits))
    assert "ratio" in kept.summary()
    assert list(made(data, visit_sequence=visits, drop_not_used=True).syn[0]) == visits
    drawn_again = made(data, visit_sequence=visits, k=300).syn[0]["born"]
    assert drawn_again.nunique() > 100  # rows drawn again, not one of them
    predicts = made(people(), {"sex": ""}).syn[0]
    pd.testing.assert_series_equal(predicts["sex"], people()["sex"])
    assert "sex" not in made(people(), {"sex": ""}, drop_pred_only=True).syn[0]


def test_a_predictor_matrix_says_who_predicts():
    data = people()
    matrix = pd.DataFrame(0, index=list(data), columns=list(data))
    matrix.loc["income", "age"] = 1
    result = made(data, predictor_matrix=matrix, models=True)
    assert [p.name for p in result.meta["models"]["income"].predictors] == ["age"]
    assert result.method["job"] == "sample"


def test_a_collinear_column_follows_its_partner():
    data = people().assign(months=lambda d: 12 * d["age"])
    result = made(data)
    assert result.method["months"] == "collinear"
    assert (result.syn[0]["months"] == 12 * result.syn[0]["age"]).all()
    # by name: the value of the first row with the same value of the first column before it
    data = pd.DataFrame({"a": list("uvw") * 20, "b": range(60), "c": list("xy") * 30})
    result = made(data, ["sample", "collinear", "cart"])
    assert result.method["b"] == "collinear"
    assert result.syn[0]["b"].tolist() == [{"u": 0, "v": 1, "w": 2}[a] for a in result.syn[0]["a"]]
    assert made(data, ["collinear", "cart", "cart"]).method["a"] == "sample"


def test_constants_stay_and_missing_throughout_is_one():
    data = people().assign(
        country="PL",
        year=2011,
        gap=np.nan,
        blank=pd.Series([None] * 200, dtype=object),
        level=pd.Categorical([None] * 200, ["a", "b"]),
        flag=pd.Series([None] * 200, dtype="boolean"),
    )
    result = made(data, k=300)
    constants = list(data)[5:]
    assert {result.method[name] for name in constants} == {"constant"}
    assert set(result.syn[0]["country"]) == {"PL"} and set(result.syn[0]["year"]) == {2011}
    assert result.syn[0][constants[2:]].isna().all(axis=None)


def test_missing_values_are_synthesised_as_such():
    data = people(400)
    gaps = np.random.default_rng(1).random((400, 3)) < 0.3
    data["income"] = data["income"].mask(gaps[:, 0])
    data["job"] = data["job"].mask(gaps[:, 1])
    data["works"] = data["works"].astype("boolean").mask(gaps[:, 2])
    synthetic = made(data, seed=9, cont_na={"income": -8}).syn[0]
    for name in ("income", "job", "works"):
        assert 0.15 < synthetic[name].isna().mean() < 0.45
        assert synthetic[name].dtype == data[name].dtype


# ---- any frame -------------------------------------------------------------------------------


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
            warnings.filterwarnings("ignore", message="data: column .* counts as constant")
            result = made(data, **asked)
            assert str(result) and result.summary()
        pd.testing.assert_frame_equal(data, before)
        assert result.m == asked.get("m", 1)
        for synthetic in result.syn:
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


COLUMNS = st.fixed_dictionaries(
    {
        "number": st.lists(
            st.sampled_from([0.5, 1.0, 2.5, -8.0, np.nan]), min_size=30, max_size=30
        ),
        "text": st.lists(st.sampled_from(["a", "B", "ü", None]), min_size=30, max_size=30),
        "flag": st.lists(st.booleans(), min_size=30, max_size=30),
        "whole": st.lists(st.integers(0, 4), min_size=30, max_size=30),
    }
)


@settings(max_examples=60, deadline=None)
@given(COLUMNS, st.integers(0, 999), st.booleans())
def test_any_small_frame_is_synthesised_with_its_own_values(columns, seed, proper):
    data = pd.DataFrame(columns).assign(size=pd.Categorical(["s", "m", "l"] * 10, ["s", "m", "l"]))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        synthetic = made(data, seed=seed, proper=proper).syn[0]
    for name in data:
        values = set(data[name].dropna().tolist())
        assert set(synthetic[name].dropna().tolist()) <= values


# ---- found by running R's own functions beside ours on random calls -----------------------------


def test_a_column_kept_as_it_is_may_still_be_collinear_or_constant():
    x = np.arange(60) % 7 + 1.0
    data = pd.DataFrame({"x": x, "z": x + 1, "c": 4, "f": list("ab") * 30})
    result = made(data, method=["sample", "", "", "cart"])
    assert result.method == {"x": "sample", "z": "collinear", "c": "constant", "f": "cart"}
    assert (result.syn[0]["z"] == result.syn[0]["x"] + 1).all()


def test_few_numbers_are_factors_told_apart_by_fifteen_digits_and_real_numbers_again():
    whole = made(people().assign(few=np.arange(200) % 3), minnumlevels=5).syn[0]["few"]
    assert whole.dtype == "float64" and set(whole) == {0.0, 1.0, 2.0}
    data = people().assign(few=[0.3, 0.1 + 0.2, 1 / 3, 2.0] * 50)
    assert set(made(data, minnumlevels=3).syn[0]["few"]) == {0.3, 0.333333333333333, 2.0}
    same = made(people().assign(same=1 / 3)).syn[0]
    assert set(same["same"]) == {0.333333333333333}


def test_a_single_number_means_all_up_to_it_as_in_r():
    data = pd.DataFrame({"x": [5.0] + [-8.0] * 59, "f": list("ab") * 30})
    drawn = made(data, cont_na={"x": -8}, k=2000, seed=7).syn[0]
    assert set(drawn["x"]) == {-8.0, 1.0, 2.0, 3.0, 4.0, 5.0}
    # not where R would have stopped: there, what was observed is drawn
    data = pd.DataFrame({"f": list("ab") * 30, "x": [50.0] + [0.0] * 59})
    with pytest.warns(DataWarning, match=r"'x.0' has only one value; R stops here"):
        result = made(data, semicont={"x": 0}, k=3000)
    assert set(result.syn[0]["x"]) == {0.0, 50.0}


def test_every_value_special():
    data = people().assign(gone=np.where(np.arange(200) % 2, -8.0, -9.0))
    order = ["gone", "sex", "age", "income", "job", "works"]
    drawn = made(data, cont_na={"gone": [-8, -9]}, visit_sequence=order).syn[0]["gone"]
    assert set(drawn) == {-8.0, -9.0}


def kept(values, **arguments):
    """A number that is not synthesised and predicts one that is."""
    data = pd.DataFrame({"v": values, "f": list("ab") * (len(values) // 2)})
    return made(data, ["", "cart"], **arguments)


@pytest.mark.filterwarnings("ignore:visit_sequence")
def test_special_values_of_a_kept_column_have_fifteen_digits_as_in_r():
    synthetic = kept([np.pi, 1 / 3, 2.5, 7.0] * 10, cont_na={"v": [np.pi, 7]}).syn[0]["v"]
    assert synthetic.tolist() == [3.14159265358979, 1 / 3, 2.5, 7.0] * 10
    whole = kept([3, 1, 2, 3] * 10, cont_na={"v": 3}).syn[0]["v"]
    assert whole.tolist() == [3, 1, 2, 3] * 10 and whole.dtype == "int64"


# ---- where R would do something else -------------------------------------------------------


def dependent_columns():
    """Two columns are sums of others, so six later ones have predictors with two dependences."""
    rng = np.random.default_rng(0)
    data = pd.DataFrame(rng.random((80, 3)), columns=["a", "b", "c"])
    data["ab"] = data["a"] + data["b"]
    data["bc"] = data["b"] - data["c"]
    return data.assign(**{name: rng.random(80) for name in "defghi"})


def test_of_many_notes_the_first_is_told_in_full_and_the_rest_counted():
    with pytest.warns(DataWarning) as caught:
        result = made(dependent_columns())
    (told,) = [str(warning.message) for warning in caught]
    assert len(result.notes) == 6 and "2 linear dependences among" in result.notes[0]
    assert told.startswith(f"R would give other data at this seed: {result.notes[0]}. Also: ")
    assert result.notes[3] in told and result.notes[4] not in told
    assert told.endswith("; and 2 more.")
    # without a seed nobody expects R's data: warnings are errors here
    assert len(syn(dependent_columns(), print_flag=False).notes) == 6


def with_gaps(*names: str) -> pd.DataFrame:
    number = pd.Series(np.arange(60.0) % 7).mask(np.arange(60) % 5 == 0)
    parts = {name: number if "." not in name else range(60) for name in names}
    return pd.DataFrame({**parts, "f": list("abc") * 20, "z": np.arange(60) % 4})


SIXTY = pd.DataFrame({"x": np.arange(60) / 7, "z": range(60), "f": list("ab") * 30})
TWICE = pd.DataFrame({"a": [1.0, 2, 3] * 20, "b": [2.0, 4, 6] * 20, "f": list("xy") * 30})
ALL_SPECIAL = pd.DataFrame({"f": list("ab") * 30, "v": [-8.0, -9.0, -8.0] * 20})
NOTED = {
    "types mixed up": (
        lambda: made(people(), visit_sequence=["sex", "job"], drop_not_used=True),
        "types of columns after some were dropped",
    ),
    "y": (lambda: made(people().rename(columns={"age": "y"})), "a column named 'y'"),
    "x.NA is taken": (lambda: made(with_gaps("x", "x.NA")), "calls its parts 'x.0', 'x.NA'"),
    "x.0 is taken": (lambda: made(with_gaps("x.0", "x")), "R stops at 'x', because it calls"),
    "a blank": (lambda: made(with_gaps("x of all")), "R stops at 'x of all'"),
    "another k": (lambda: kept([1.0, 2, 3, 4] * 10, k=10), "where a column has the method ''"),
    "one is left": (
        lambda: kept([1.0, 2, 3, 4] * 10, drop_pred_only=True),
        "R stops where dropping columns leaves one, as here 'f'",
    ),
    "every value special": (
        lambda: made(ALL_SPECIAL, cont_na={"v": [-8, -9]}, m=2),
        "every value of 'v' is special; R stops here",
    ),
    "nothing synthesised": (lambda: made(people(), [""] * 5), "no column is synthesised"),
    "longer constant": (
        lambda: made(SIXTY, ["constant", "collinear", "cart"], k=70),
        "'z' is collinear with 'x', which need not have observed values",
    ),
    "collinear with each other": (
        lambda: made(
            TWICE, ["collinear", "", "cart"], predictor_matrix=[[0, 1, 0], [1, 0, 0], [1, 1, 0]]
        ),
        "'a' is collinear with what is collinear",
    ),
    "special constant": (
        lambda: made(people(), {"income": "constant"}, cont_na={"income": -8}),
        "'income' is declared constant and has special values",
    ),
    "named twice": (
        lambda: made(with_gaps("x"), cont_na={"x": 1}, semicont={"x": 2}),
        "'x' has missing values, named in neither cont_na nor semicont",
    ),
    "collinear codes": (
        lambda: made(with_gaps("x").assign(u=lambda d: 2 * d["x"])),
        "'u' is collinear and has special values",
    ),
}


@pytest.mark.filterwarnings("ignore:data. column .* counts as constant")
@pytest.mark.parametrize("call, says", NOTED.values(), ids=NOTED)
def test_where_r_does_something_else_is_said_once(call, says):
    with pytest.warns(DataWarning, match=says) as caught:
        result = call()
    assert sum(says in note for note in result.notes) == 1
    assert sum(issubclass(warning.category, DataWarning) for warning in caught) == 1
    assert result.syn[0].filter(["a", "b", "f", "z"]).notna().all(axis=None)


@pytest.mark.parametrize(
    "data, arguments, cure",
    [
        (people(60).assign(it=np.arange(60) * 1e-9), {}, {"it": lambda d: d["it"] * 1e9}),
        (
            people(60).assign(it=[1.0, np.nan] * 30),
            {"method": "sample"},
            {"it": lambda d: d["it"].astype("category")},
        ),
        (people(60).assign(it=range(60)), {"method": {"it": "constant"}}, None),
    ],
)
def test_what_counts_as_constant_is_not_given_back_in_silence(data, arguments, cure):
    """R takes a variance below 2.2e-13 for none, and a constant is returned as it was observed."""
    with pytest.warns(
        UserWarning, match="'it' counts as constant.*a power of ten, or make it text"
    ):
        result = made(data, **arguments)
    pd.testing.assert_series_equal(result.syn[0]["it"], data["it"])
    assert result.notes[0] == "original values, record by record: 'it'"
    if cure:
        cured = made(data.assign(**cure), **arguments)
        assert cured.syn[0]["it"].tolist() != data["it"].tolist()


def test_a_search_that_takes_long_is_announced_and_one_that_would_not_end_refused():
    rng = np.random.default_rng(0)
    town = np.resize([f"town {number:02}" for number in range(23)], 90)
    job = pd.Categorical(rng.choice(list("xyz"), 90))
    order = {"visit_sequence": ["job", "town"]}  # the cure
    data = pd.DataFrame({"town": town, "job": job})
    with pytest.warns(
        SlowWarning, match=r"'town' has 23 levels .* tries 2\^22 subsets; put it las"
    ):
        made(data)
    made(data, **order)
    data["town"] = np.resize([f"town {number:02}" for number in range(26)], 90)
    with pytest.raises(InputError, match=r"visit_sequence: 'town' has 26 levels.*matrix to 0"):
        made(data)
    set_up = made(data, m=0)
    assert set_up.visit_sequence == ["town", "job"]  # to be changed
    matrix = set_up.predictor_matrix
    matrix["town"] = 0
    assert made(data, predictor_matrix=matrix).m == made(data, **order).m == 1


# ---- arguments -----------------------------------------------------------------------------


def test_numbers_of_numpy_are_written_as_numbers():
    given = {"k": np.int64(7), "cont_na": {"age": 18}, "smoothing": {"age": "rmean"}}
    written = "syn(data, k=7, cont_na={'age': 18}, smoothing={'age': 'rmean'})"
    assert made(people(), **given).call == written


@QUIETLY
def test_a_column_called_true():
    data = people()[["sex", "age", "works"]].set_axis(["sex", True, 0], axis=1)
    assert made(data, visit_sequence=["sex", True]).method == {"sex": "sample", True: "cart", 0: ""}
    with pytest.raises(InputError, match="visit_sequence: False is not a column"):
        made(data, visit_sequence=["sex", False])


NO_FRAME = "data: list is not a DataFrame of pandas, polars or Arrow"
BIG = np.arange(200) + 2**60
BAD = {
    "empty": (lambda d: syn(d.iloc[:0]), "data: has no rows"),
    "no columns": (lambda d: syn(d[[]]), "data: has no rows or no columns"),
    "no frame": (lambda d: syn([1, 2]), NO_FRAME),
    "no name": (lambda d: syn(d.set_axis([None, pd.NA, 1, 2, 3], axis=1)), "name of a column"),
    "twice": (lambda d: syn(d.rename(columns={"age": "sex"})), "names sex occur more than once"),
    "times": (lambda d: syn(d.assign(at=pd.Timedelta("1h"))), "'at' holds dates or times"),
    "dates": (lambda d: syn(d.assign(day=pd.Timestamp("2011-01-01"))), "'day' holds dates"),
    "infinite": (lambda d: syn(d.assign(age=np.inf)), "'age' has infinite values"),
    "squares": (lambda d: syn(d.assign(age=np.geomspace(1, 1e300, 200))), "a power of ten"),
    "int64": (lambda d: syn(d.assign(id=BIG)), "'id' has infinite values, values beyond"),
    "uint64": (lambda d: syn(d.assign(id=BIG.astype("uint64"))), "whole numbers beyond 2^53"),
    "Int64": (lambda d: syn(d.assign(id=pd.Series(BIG, dtype="Int64"))), "make it text"),
    "many levels": (
        lambda d: syn(d.assign(id=[f"p{i}" for i in range(len(d))])),
        "'id' has 200 levels, more than maxfaclevels = 60",
    ),
    "in R only": (lambda d: syn(d, method="ctree"), "'ctree' exists only in R"),
    "of a column": (lambda d: syn(d, method={"age": "ctree"}), "method of 'age': 'ctree' exists"),
    "nested": (lambda d: syn(d, ["cart"] * 4 + ["nested.a"]), "compute this one in each"),
    "unknown method": (lambda d: syn(d, method="cat"), "did you mean 'cart'"),
    "method by name": (lambda d: syn(d, method={"aeg": "cart"}), "did you mean 'age'"),
    "methods too few": (lambda d: syn(d, method=["cart", "cart"]), "2 methods for 5 columns"),
    "nothing left": (lambda d: syn(d, [""] * 5, drop_not_used=True), "no column is left"),
    "matrix": (lambda d: syn(d, predictor_matrix=np.ones((2, 2))), "is 2 x 2; give 5 x 5"),
    "matrix of twos": (lambda d: syn(d, predictor_matrix=np.full((5, 5), 2)), "values 0 and 1"),
    "ragged": (lambda d: syn(d, predictor_matrix=[[1], [1, 0]]), "is no matrix"),
    "a row": (lambda d: syn(d, predictor_matrix=[0, 1, 0]), "is no matrix"),
    "matrix of names": (
        lambda d: syn(d, predictor_matrix=pd.DataFrame(0, list("abcde"), list("abcde"))),
        "without names or with those of the data",
    ),
    "visits": (lambda d: syn(d, visit_sequence=["sex", "agee"]), "did you mean 'age'"),
    "visits twice": (lambda d: syn(d, visit_sequence=["sex", "sex"]), "more than once"),
    "cont_na": (lambda d: syn(d, cont_na={"incme": -8}), "did you mean 'income'"),
    "cont_na text": (lambda d: syn(d, cont_na={"job": -8}), "'job' is not a number"),
    "truth values": (lambda d: syn(d, cont_na={"works": 1}), "'works' is not a number"),
    "cont_na list": (lambda d: syn(d, cont_na=[-8]), "not a mapping"),
    "a list inside": (lambda d: syn(d, cont_na={"age": [[18, 19]]}), "[18, 19] for 'age'"),
    "an array inside": (lambda d: syn(d, cont_na={"age": [np.ones(2)]}), "is not a number"),
    "m": (lambda d: syn(d, m=-1), "m: -1"),
    "k": (lambda d: syn(d, k=-1), "k: -1"),
    "seed": (lambda d: syn(d, seed="x"), "seed: is not a whole number"),
    "seed too large": (lambda d: syn(d, seed=2**40), "set.seed"),
    "minbucket": (lambda d: syn(d, cart_minbucket=-1), "cart_minbucket: -1"),
}


@pytest.mark.parametrize("call, says", BAD.values(), ids=BAD)
def test_bad_input_gets_a_sentence(call, says):
    with pytest.raises(InputError) as caught:
        call(people())
    assert says in str(caught.value)


def test_one_column_is_sampled():
    result = made(people()[["job"]])
    assert result.method == {"job": "sample"}
    assert set(result.syn[0]["job"]) <= {"baker", "Clerk", "nurse"}
