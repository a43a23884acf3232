"""`syn()`: trees that a reader can check by hand, what must hold for any data, and bad input."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from synthpop_py import DataWarning, InputError, SlowWarning, SynDS, datasets, syn
from synthpop_py.synthesis.rpart import Predictor, Tree, rpart_order
from synthpop_py.synthesis.splits import LEFT, RIGHT
from synthpop_py.synthesis.stream import RStream

QUIET = {"print_flag": False}


def people(n: int = 200, seed: int = 1) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    age = rng.integers(18, 80, n)
    return pd.DataFrame(
        {
            "sex": pd.Categorical(rng.choice(["f", "m"], n)),
            "age": age,
            "income": np.where(
                rng.random(n) < 0.2, -8.0, np.round(age * 30 + rng.normal(0, 90, n))
            ),
            "job": rng.choice(["baker", "Clerk", "nurse"], n),
            "works": rng.random(n) < 0.6,
        }
    )


# ---- trees by hand -----------------------------------------------------------------------


def test_a_tree_of_six_rows_has_the_cut_that_anybody_would_choose():
    x = np.array([1.0, 2, 3, 11, 12, 13])
    y = np.array([5.0, 5, 6, 20, 21, 20])
    tree = Tree([Predictor("x", x)], y, minbucket=1)
    split = tree.root.split
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
    x = np.array([1.0, 2, 3, 4, 5, 6])
    y = np.array([0, 0, 0, 1, 1, 1])
    tree = Tree([Predictor("x", x)], y, np.array([0, 1]), minbucket=1)
    assert tree.root.split.cut == 3.5
    assert tree.root.split.improvement == pytest.approx(3.0)  # 6 * 2 * 1/2 * 1/2 to 0
    assert [node.number for node in tree.nodes()] == [1, 2, 3]


def test_a_level_that_a_node_has_not_seen_follows_the_surrogate():
    rng = np.random.default_rng(3)
    group = np.repeat([0, 1], 20)
    other = group * 10.0 + rng.random(40)
    y = group * 100.0 + rng.random(40)
    predictors = [Predictor("group", group, levels=3), Predictor("other", other)]
    tree = Tree(predictors, y, minbucket=10)
    ends = tree.ends_of([np.array([0, 1, 2, 2]), np.array([0.5, 10.5, 0.5, 10.5])])
    assert ends[0] == ends[2]
    assert ends[1] == ends[3]
    assert ends[0] != ends[1]


def test_a_level_between_two_present_ones_belongs_below_the_cut():
    codes = np.repeat([1.0, 2, 4, 5], 5)  # the third of five ordered levels does not occur
    y = np.where(codes < 3, 0.0, 9.0)
    tree = Tree([Predictor("x", codes, ordered=True)], y)
    assert tree.root.split.cut == 3.0
    second, third, fourth = tree.ends_of([np.array([2.0, 3, 4])])
    assert second == third != fourth


@given(st.lists(st.integers(0, 9), max_size=80))
def test_the_order_of_rows_sorts(values):
    numbers = np.array(values, dtype=np.float64)
    order = rpart_order(numbers)
    assert sorted(order.tolist()) == list(range(len(values)))
    assert (np.diff(numbers[order]) >= 0).all()


# ---- what must hold ------------------------------------------------------------------------


def test_the_same_seed_gives_the_same_data_and_another_one_does_not():
    data = people()
    first, again, other = (syn(data, seed=s, **QUIET).syn[0] for s in (7, 7, 8))
    pd.testing.assert_frame_equal(first, again)
    assert not first.equals(other)
    without = [syn(data, **QUIET).syn[0] for _ in range(2)]
    assert not without[0].equals(without[1])  # no seed: a fresh one each time


def test_types_columns_and_levels_are_the_original_s():
    data = people()
    made = syn(data, seed=3, cont_na={"income": -8}, **QUIET)
    synthetic = made.syn[0]
    assert isinstance(made, SynDS)
    assert list(synthetic) == list(data)
    assert synthetic["sex"].dtype == data["sex"].dtype
    assert synthetic["job"].dtype == data["job"].dtype
    assert synthetic["works"].dtype == bool
    assert synthetic["age"].dtype == "float64"  # whole numbers from a tree, as in R
    assert made.cont_na == {"income": (-8.0,)}
    assert "seed" not in made.meta


def test_the_user_s_data_stay_as_they_are():
    data = people()
    before = data.copy(deep=True)
    syn(data, seed=1, m=2, proper=True, **QUIET)
    pd.testing.assert_frame_equal(data, before)


CODES = {"sex": ["f", "m"], "job": ["baker", "Clerk", "nurse"], "works": [False, True]}


@pytest.mark.parametrize("proper", [False, True])
@pytest.mark.parametrize("column", ["age", "income", "job", "works"])
def test_synthetic_values_are_values_of_the_leaf(column, proper):
    data = people(120)
    for seed in range(5):
        made = syn(data, seed=seed, proper=proper, models=True, **QUIET)
        tree = made.meta["models"][column]
        synthetic = made.syn[0]
        ends = tree.ends_of([_as_tree_sees(synthetic, p.name) for p in tree.predictors])
        observed = tree.levels[tree.y] if tree.classes else tree.y
        values_of = {node.number: set(observed[node.rows].tolist()) for node in tree.nodes()}
        drawn = _as_tree_sees(synthetic, column).tolist()
        assert all(value in values_of[end] for end, value in zip(ends.tolist(), drawn, strict=True))
        assert len(values_of) == 1 or any(
            len(found) < len(set(observed.tolist())) for found in values_of.values()
        )


def _as_tree_sees(synthetic, name):
    if name in CODES:
        return pd.Categorical(synthetic[name], CODES[name]).codes.astype(np.int64)
    return synthetic[name].to_numpy(float)


def test_margins_are_those_of_the_original_over_many_seeds():
    """Within sampling error: spread, bias and coverage of every mean and share over 200 seeds."""
    data = people(150)
    sets = [syn(data, seed=seed, **QUIET).syn[0] for seed in range(200)]
    compared = 0
    for name in data:
        numeric = pd.api.types.is_numeric_dtype(data[name])
        for value in [None] if numeric and name != "works" else data[name].unique():
            original = data[name] if value is None else data[name] == value
            drawn = [made[name] if value is None else made[name] == value for made in sets]
            error = original.std() / np.sqrt(len(data))
            apart = (np.array([column.mean() for column in drawn]) - original.mean()) / error
            assert abs(apart.mean()) < 0.3, (name, value)
            assert 0.8 < apart.std() < 1.25, (name, value)
            assert (abs(apart) < 2).mean() > 0.88, (name, value)
            compared += 1
    assert compared == 9  # two means, the shares of seven levels


@pytest.mark.parametrize("proper", [False, True])
def test_sets_differ_and_k_is_kept(proper):
    made = syn(people(), seed=2, m=4, k=50, proper=proper, **QUIET)
    assert [len(frame) for frame in made.syn] == [50] * 4
    for number, frame in enumerate(made.syn):
        assert not any(frame.equals(other) for other in made.syn[:number])
        for name in frame:
            assert not any(frame[name].equals(other[name]) for other in made.syn[:number])


def test_the_first_of_several_sets_is_the_one_of_a_single_set():
    """The stream goes on from set to set; nothing is drawn ahead."""
    one, several = (syn(people(), seed=2, m=m, **QUIET).syn[0] for m in (1, 3))
    pd.testing.assert_frame_equal(one, several)


@pytest.mark.filterwarnings("ignore::synthpop_py.DataWarning")
def test_what_is_not_visited_stays_or_goes():
    data = people().astype({"job": "category"})
    kept = syn(data, visit_sequence=["sex", "age"], seed=1, **QUIET).syn[0]
    pd.testing.assert_series_equal(kept["job"], data["job"])
    dropped = syn(data, visit_sequence=["sex", "age"], drop_not_used=True, seed=1, **QUIET).syn[0]
    assert list(dropped) == ["sex", "age"]


@pytest.mark.filterwarnings("ignore::synthpop_py.DataWarning")
def test_infinite_values_stay_where_nothing_is_synthesised():
    data = people().assign(ratio=[np.inf] + [1.0] * 199)
    made = syn(data, visit_sequence=["sex", "age"], seed=1, **QUIET).syn[0]
    pd.testing.assert_series_equal(made["ratio"], data["ratio"])


@pytest.mark.filterwarnings("ignore::synthpop_py.DataWarning")
def test_a_column_that_only_predicts():
    data = people().astype({"job": "category"})
    method = {"sex": ""}
    made = syn(data, method, seed=1, **QUIET).syn[0]
    pd.testing.assert_series_equal(made["sex"], data["sex"])
    without = syn(data, method, drop_pred_only=True, seed=1, **QUIET).syn[0]
    assert "sex" not in without


def test_a_predictor_matrix_says_who_predicts():
    data = people()
    matrix = pd.DataFrame(0, index=list(data), columns=list(data))
    matrix.loc["income", "age"] = 1
    made = syn(data, predictor_matrix=matrix, seed=1, reproducible=True, models=True, **QUIET)
    assert [p.name for p in made.meta["models"]["income"].predictors] == ["age"]
    assert made.meta["method"]["job"] == "sample"


def test_a_collinear_column_follows_its_partner():
    data = people()
    data["age_in_months"] = 12 * data["age"]
    made = syn(data, seed=1, **QUIET)
    assert made.meta["method"]["age_in_months"] == "collinear"
    assert (made.syn[0]["age_in_months"] == 12 * made.syn[0]["age"]).all()


def test_a_constant_stays_a_constant():
    data = people().assign(country="PL", year=2011)
    made = syn(data, seed=1, k=300, **QUIET)
    assert made.meta["method"]["country"] == made.meta["method"]["year"] == "constant"
    assert set(made.syn[0]["country"]) == {"PL"}
    assert set(made.syn[0]["year"]) == {2011}


def test_missing_values_are_synthesised_as_such():
    data = people(400)
    rng = np.random.default_rng(1)
    gaps = rng.random((400, 3)) < 0.3
    data["income"] = data["income"].mask(gaps[:, 0])
    data["job"] = data["job"].mask(gaps[:, 1])
    data["works"] = data["works"].astype("boolean").mask(gaps[:, 2])
    synthetic = syn(data, seed=9, cont_na={"income": -8}, **QUIET).syn[0]
    for name in ("income", "job", "works"):
        assert 0.15 < synthetic[name].isna().mean() < 0.45
        assert synthetic[name].dtype == data[name].dtype


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
        synthetic = syn(data, seed=seed, proper=proper, **QUIET).syn[0]
    for name in data:
        values = set(data[name].dropna().tolist())
        assert set(synthetic[name].dropna().tolist()) <= values


# ---- found by running R's own functions beside ours on 1,600 random calls -----------------------


def test_a_column_kept_as_it_is_may_still_be_collinear_or_constant():
    x = np.arange(60) % 7 + 1.0
    data = pd.DataFrame({"x": x, "z": x + 1, "c": 4, "f": list("ab") * 30})
    made = syn(data, method=["sample", "", "", "cart"], seed=1, **QUIET)
    assert made.meta["method"] == {"x": "sample", "z": "collinear", "c": "constant", "f": "cart"}
    assert (made.syn[0]["z"] == made.syn[0]["x"] + 1).all()


def test_whole_numbers_that_were_factors_come_back_as_real_numbers():
    data = people().assign(few=np.arange(200) % 3)
    made = syn(data, minnumlevels=5, seed=1, **QUIET).syn[0]
    assert made["few"].dtype == "float64"
    assert set(made["few"]) == {0.0, 1.0, 2.0}


def test_few_numbers_are_told_apart_by_fifteen_digits():
    data = people().assign(few=[0.3, 0.1 + 0.2, 1 / 3, 2.0] * 50)
    made = syn(data, minnumlevels=3, seed=1, **QUIET).syn[0]
    assert set(made["few"]) == {0.3, 0.333333333333333, 2.0}
    same = syn(people().assign(same=1 / 3), seed=1, **QUIET).syn[0]
    assert set(same["same"]) == {0.333333333333333}


def test_every_value_special():
    data = people().assign(gone=np.where(np.arange(200) % 2, -8.0, -9.0))
    order = ["gone", "sex", "age", "income", "job", "works"]
    arguments = {"cont_na": {"gone": [-8, -9]}, "visit_sequence": order}
    made = syn(data, seed=1, **arguments, **QUIET).syn[0]
    assert set(made["gone"]) == {-8.0, -9.0}


def test_a_single_number_means_all_up_to_it_as_in_r():
    data = pd.DataFrame({"x": [5.0] + [-8.0] * 59, "f": list("ab") * 30})
    made = syn(data, cont_na={"x": -8}, k=2000, seed=7, **QUIET).syn[0]
    assert set(made["x"]) == {-8.0, 1.0, 2.0, 3.0, 4.0, 5.0}


def test_types_mixed_up_by_r_after_dropping_are_said():
    with pytest.warns(DataWarning, match="types of columns after some were dropped"):
        syn(people(), visit_sequence=["sex", "job"], drop_not_used=True, seed=1, **QUIET)


# ---- where R would do something else -------------------------------------------------------


def test_several_linear_dependences_are_said():
    rng = np.random.default_rng(0)
    base = rng.random((100, 3))
    data = pd.DataFrame(base, columns=["a", "b", "c"])
    data["ab"] = data["a"] + data["b"]
    data["bc"] = data["b"] - data["c"]
    data["y_"] = rng.random(100)
    with pytest.warns(DataWarning, match="linear dependences"):
        made = syn(data, seed=1, **QUIET)
    assert any("linear dependences" in note for note in made.meta["notes"])


def dependent_columns():
    """Two columns are sums of others, so six later ones have predictors with two dependences."""
    rng = np.random.default_rng(0)
    base = rng.random((80, 3))
    data = pd.DataFrame(base, columns=["a", "b", "c"])
    data["ab"] = data["a"] + data["b"]
    data["bc"] = data["b"] - data["c"]
    return data.assign(**{name: rng.random(80) for name in "defghi"})


def test_of_many_notes_the_first_is_told_in_full_and_the_rest_counted():
    with pytest.warns(DataWarning) as caught:
        made = syn(dependent_columns(), seed=1, **QUIET)
    (told,) = [str(warning.message) for warning in caught]
    assert len(made.notes) == 6
    assert told.startswith(f"R would give other data at this seed: {made.notes[0]}. Also: ")
    assert made.notes[3] in told and made.notes[4] not in told
    assert told.endswith("; and 2 more.")


def test_nothing_is_said_of_r_s_data_without_a_seed():
    """Warnings are errors here."""
    made = syn(dependent_columns(), **QUIET)
    assert len(made.notes) == 6


def test_a_column_named_y_is_said():
    data = people().rename(columns={"age": "y"})
    with pytest.warns(DataWarning, match="'y'"):
        syn(data, seed=1, **QUIET)


@pytest.mark.parametrize(
    "names, says",
    [
        (["x", "x.NA"], "it calls a part of 'x' 'x.NA' as well"),
        (["x.0", "x"], "it calls a part of 'x' 'x.0' as well"),
        (["x of all", "z"], "R stops at 'x of all'"),
    ],
)
def test_names_that_stand_in_the_way_of_r_are_said(names, says):
    gaps = pd.Series(np.arange(60.0) % 7).mask(np.arange(60) % 5 == 0)
    data = pd.DataFrame({name: gaps if "." not in name else range(60) for name in names})
    data["f"] = list("abc") * 20
    with pytest.warns(DataWarning, match=says):
        made = syn(data.assign(z=np.arange(60) % 4), seed=1, **QUIET)
    assert list(made.syn[0]) == [*data.assign(z=0)] and made.notes


def kept(values, **arguments):
    """A number that is not synthesised and predicts one that is."""
    data = pd.DataFrame({"v": values, "f": list("ab") * (len(values) // 2)})
    return syn(data, ["", "cart"], seed=1, **arguments, **QUIET)


@pytest.mark.filterwarnings("ignore:visit_sequence")
def test_special_values_of_a_kept_column_have_fifteen_digits_as_in_r():
    values = [np.pi, 1 / 3, 2.5, 7.0] * 10
    made = kept(values, cont_na={"v": [np.pi, 7]}).syn[0]["v"]
    assert made.tolist() == [3.14159265358979, 1 / 3, 2.5, 7.0] * 10
    whole = kept([3, 1, 2, 3] * 10, cont_na={"v": 3}).syn[0]["v"]
    assert whole.tolist() == [3, 1, 2, 3] * 10 and whole.dtype == "int64"


@pytest.mark.parametrize(
    "arguments, says",
    [
        ({"k": 10}, "stops where a column has the method '' and k is not the number of records"),
        ({"drop_pred_only": True}, "R stops where dropping columns leaves one, as here 'f'"),
    ],
)
def test_where_r_stops_at_a_kept_column(arguments, says):
    with pytest.warns(DataWarning, match=says):
        made = kept([1.0, 2, 3, 4] * 10, **arguments)
    assert any(says in note for note in made.notes)


def test_where_r_stops_because_every_value_is_special():
    data = pd.DataFrame({"f": list("ab") * 30, "v": [-8.0, -9.0, -8.0] * 20})
    with pytest.warns(DataWarning, match="every value of 'v' is special; R stops here"):
        made = syn(data, cont_na={"v": [-8, -9]}, m=2, seed=1, **QUIET)
    assert len(made.notes) == 1  # not once for each set
    assert set(made.syn[1]["v"]) == {-8.0, -9.0}


def test_where_nothing_is_synthesised():
    with pytest.warns(DataWarning, match="no column is synthesised: R still lists the predictors"):
        syn(people(), [""] * 5, seed=1, **QUIET)


@pytest.mark.parametrize("method", ["nested", "nested.a"])
def test_nested_exists_only_in_r(method):
    with pytest.raises(InputError, match=f"'{method}' exists only in R.*compute this one in each"):
        syn(people(), ["cart"] * 4 + [method], **QUIET)


def test_a_collinear_column_by_name_follows_its_first_predictor():
    """As R: the value of the first row with the same value of the first column before it."""
    data = pd.DataFrame({"a": list("uvw") * 20, "b": range(60), "c": list("xy") * 30})
    made = syn(data, ["sample", "collinear", "cart"], seed=1, **QUIET)
    assert made.method["b"] == "collinear"
    assert made.syn[0]["b"].tolist() == [{"u": 0, "v": 1, "w": 2}[a] for a in made.syn[0]["a"]]


@pytest.mark.filterwarnings("ignore:method. 'constant'")
def test_a_collinear_column_of_a_constant_made_longer_is_said():
    data = pd.DataFrame({"x": np.arange(60) / 7, "z": range(60), "f": list("ab") * 30})
    methods = ["constant", "collinear", "cart"]
    with pytest.warns(DataWarning, match="'z' is collinear with 'x', a constant that is made long"):
        made = syn(data, methods, k=70, seed=1, **QUIET).syn[0]
    assert made["z"].tolist()[:60] == list(range(60))


def test_a_collinear_column_without_predictors_is_sampled():
    data = pd.DataFrame({"a": list("uvw") * 20, "b": range(60)})
    assert syn(data, ["collinear", "cart"], seed=1, **QUIET).method["a"] == "sample"


def test_a_constant_by_name_that_is_none_is_given_back_with_a_warning():
    data = people()
    with pytest.warns(UserWarning, match="'constant' returns 'age' as observed"):
        made = syn(data, {"age": "constant"}, k=30, seed=1, **QUIET).syn[0]
    assert made["age"].tolist() == data["age"].tolist()[:30]


def test_a_constant_by_name_with_special_values_is_said():
    with pytest.warns((DataWarning, UserWarning)) as caught:
        made = syn(people(), {"income": "constant"}, cont_na={"income": -8}, seed=1, **QUIET)
    assert any("'income' is declared constant and has missing" in str(w.message) for w in caught)
    assert made.notes[0] == "original values, record by record: 'income'"
    assert len(made.notes) == 2


def test_all_values_missing_in_every_kind_of_column():
    data = people().assign(
        gap=np.nan,
        blank=pd.Series([None] * 200, dtype=object),
        level=pd.Categorical([None] * 200, ["a", "b"]),
        flag=pd.Series([None] * 200, dtype="boolean"),
    )
    made = syn(data, seed=1, **QUIET)
    assert made.syn[0][["gap", "blank", "level", "flag"]].isna().all(axis=None)
    assert {made.method[name] for name in ("gap", "blank", "level", "flag")} == {"constant"}


def towns_and_jobs(levels: int, jobs: int = 1) -> pd.DataFrame:
    rng = np.random.default_rng(0)
    towns = np.resize([f"town {number:02}" for number in range(levels)], 90)
    more = {f"job {number}": rng.choice(list("xyz"), 90) for number in range(1, jobs + 1)}
    return pd.DataFrame({"town": towns, **more})


def test_a_search_that_takes_long_is_announced_with_an_estimate(monkeypatch):
    """2^20 subsets at 80 ns: 0.084 s for each of 90 // 21 = 4 nodes of two trees, 0.67 s in all."""
    data = towns_and_jobs(21, jobs=2)
    monkeypatch.setattr("synthpop_py.synthesis.columns.LONG", 0.67)
    with pytest.warns(SlowWarning) as caught:
        syn(data, seed=1, **QUIET)
    assert [str(warning.message) for warning in caught] == [
        "'town' has 21 levels and predicts three or more classes (of job 1, job 2), so a "
        "node tries 2^20 subsets, which needs 0.063 GB; this can take about 1 s. Put such a "
        "factor last in visit_sequence, set its column of predictor_matrix to 0, or merge "
        "its levels"
    ]
    syn(data, visit_sequence=["job 1", "job 2", "town"], seed=1, **QUIET)  # the cure
    monkeypatch.setattr("synthpop_py.synthesis.columns.LONG", 0.68)
    syn(data, seed=1, **QUIET)
    with pytest.warns(SlowWarning, match="about 1 s"):  # trees anew for every set
        syn(data, seed=1, m=2, proper=True, **QUIET)


def test_a_search_that_would_not_end_is_refused():
    data = towns_and_jobs(26)
    with pytest.raises(InputError, match=r"visit_sequence: 'town' has 26 levels.*2 GB.*last in"):
        syn(data, seed=1, **QUIET)
    assert syn(data, m=0, **QUIET).visit_sequence == ["town", "job 1"]  # to be changed
    assert len(syn(data, visit_sequence=["job 1", "town"], seed=1, **QUIET).syn[0]) == 90


def test_all_searches_that_would_not_end_are_named_and_cured():
    """Of two such factors only one can be last."""
    data = towns_and_jobs(26).assign(village=np.resize([f"v{number}" for number in range(30)], 90))
    order = ["job 1", "town", "village"]
    with pytest.raises(InputError, match=r"'town' has 26 levels.*\(of village\)") as caught:
        syn(data, visit_sequence=order, seed=1, **QUIET)
    assert "'village'" not in str(caught.value)
    with pytest.raises(InputError, match=r"'village' has 30.*'town' has 26.*predictor_matrix to 0"):
        syn(data, visit_sequence=order[::-1], seed=1, **QUIET)
    matrix = syn(data, visit_sequence=order, m=0, **QUIET).predictor_matrix
    matrix["town"] = 0
    arguments = {"visit_sequence": order, "predictor_matrix": matrix, "seed": 1}
    assert len(syn(data, **arguments, **QUIET).syn[0]) == 90


# ---- bad input -----------------------------------------------------------------------------

BAD = {
    "empty": (lambda d: syn(d.iloc[:0]), "data: has no rows"),
    "no columns": (lambda d: syn(d[[]]), "data: has no rows or no columns"),
    "no frame": (lambda d: syn([1, 2]), "data: list is not a DataFrame of pandas, polars or Arrow"),
    "times": (
        lambda d: syn(d.assign(at=pd.Timedelta("1h"))),
        "'at' holds dates or times, which a tree cannot predict; convert it to a number",
    ),
    "matrix of names": (
        lambda d: syn(d, predictor_matrix=pd.DataFrame(0, list("abcde"), list("abcde"))),
        "row and column names are not those of the data",
    ),
    "method of a column": (
        lambda d: syn(d, method={"age": "ctree"}),
        "method of 'age': 'ctree' exists only in R",
    ),
    "twice": (
        lambda d: syn(d.rename(columns={"age": "sex"})),
        "the column names sex occur more than once",
    ),
    "dates": (lambda d: syn(d.assign(day=pd.Timestamp("2011-01-01"))), "'day' holds dates"),
    "infinite": (lambda d: syn(d.assign(age=np.inf)), "'age' has infinite"),
    "many levels": (
        lambda d: syn(d.assign(id=[f"p{i}" for i in range(len(d))])),
        "'id' has 200 levels, more than maxfaclevels = 60",
    ),
    "in R only": (lambda d: syn(d, method="ctree"), "'ctree' exists only in R"),
    "unknown method": (lambda d: syn(d, method="cat"), "did you mean 'cart'"),
    "method by name": (lambda d: syn(d, method={"aeg": "cart"}), "did you mean 'age'"),
    "methods too few": (lambda d: syn(d, method=["cart", "cart"]), "2 methods for 5 columns"),
    "smoothing": (lambda d: syn(d, smoothing="loess"), "smoothing: 'loess' is unknown"),
    "matrix": (lambda d: syn(d, predictor_matrix=np.ones((2, 2))), "is 2 x 2"),
    "matrix of twos": (lambda d: syn(d, predictor_matrix=np.full((5, 5), 2)), "0 and 1"),
    "visits": (lambda d: syn(d, visit_sequence=["sex", "agee"]), "did you mean 'age'"),
    "visits twice": (lambda d: syn(d, visit_sequence=["sex", "sex"]), "more than once"),
    "cont_na": (lambda d: syn(d, cont_na={"incme": -8}), "did you mean 'income'"),
    "cont_na text": (lambda d: syn(d, cont_na={"job": -8}), "'job' is not a number"),
    "cont_na list": (lambda d: syn(d, cont_na=[-8]), "not a mapping"),
    "m": (lambda d: syn(d, m=-1), "m: -1"),
    "k": (lambda d: syn(d, k=-1), "k: -1"),
    "seed": (lambda d: syn(d, seed="x"), "seed: is not a whole number"),
    "seed too large": (lambda d: syn(d, seed=2**40), "set.seed"),
    "minbucket": (lambda d: syn(d, cart_minbucket=-1), "cart_minbucket: -1"),
    "ragged": (lambda d: syn(d, predictor_matrix=[[1], [1, 0]]), "unequal lengths"),
}


@pytest.mark.parametrize("call, says", BAD.values(), ids=BAD.keys())
def test_bad_input_gets_a_sentence(call, says):
    with pytest.raises(InputError) as caught:
        call(people())
    assert says in str(caught.value)


def test_one_column_is_sampled():
    made = syn(people()[["job"]], seed=1, **QUIET)
    assert made.meta["method"] == {"job": "sample"}
    assert set(made.syn[0]["job"]) <= {"baker", "Clerk", "nurse"}


def test_a_column_missing_throughout():
    made = syn(people().assign(gap=np.nan), seed=1, **QUIET)
    assert made.syn[0]["gap"].isna().all()


def test_the_stream_counts_what_it_gives():
    stream = RStream(1)
    stream.uniforms(5)
    stream.below(1, 3)  # one value possible, and still one uniform each
    assert stream.used == 8


def test_sd2011_reads_as_in_the_docstring():
    made = syn(datasets.load("SD2011")[["sex", "age"]], seed=8564, **QUIET)
    assert len(made.syn[0]) == 5000
