"""Masks: noise, swapping, matrices. Frames in, frames out; what must not change does not change."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from synthpop_py import DataWarning, InputError, datasets, masks
from synthpop_py.closed_forms import noise_ru, swapping_ru
from synthpop_py.masks import find_groups, matrix_mask, plan_moves, swap_candidates, swap_matrix


def same(a: pd.DataFrame, b: pd.DataFrame) -> None:
    pd.testing.assert_frame_equal(a, b)


def add_noise(frame: pd.DataFrame, columns, **given) -> pd.DataFrame:
    return masks.add_noise(frame, columns, **({"seed": 1, "reproducible": True} | given))


def swap(frame: pd.DataFrame, keys, area: str = "area", rate: float = 1, **given) -> pd.DataFrame:
    return masks.swap(frame, keys, area, rate, **({"seed": 1, "reproducible": True} | given))


@pytest.fixture
def mixed() -> pd.DataFrame:
    columns = {
        "whole": np.array([1, 2, 3, 40], dtype=np.int16),
        "real": [1.5, np.nan, -2.0, 7.0],
        "single": np.array([1, 2, 3, 4], dtype=np.float32),
        "nullable": pd.array([1, None, 3, 4], dtype="Int64"),
        "decimal": pd.array([1.0, None, 3.0, 4.5], dtype="Float64"),
        "text": ["a", "b", None, "a"],
        "sort": pd.Categorical(["x", "y", None, "x"], categories=["y", "x", "z"], ordered=True),
        "day": pd.to_datetime(["2020-01-01", "2020-01-02", None, "2020-01-04"]),
    }
    return pd.DataFrame(columns, index=[10, 5, 7, 7])


# ---- noise ---------------------------------------------------------------------------


def test_noise_keeps_types_index_other_columns_and_missing_values(mixed):
    before = mixed.copy(deep=True)
    columns = ["whole", "real", "single", "nullable", "decimal"]
    masked = add_noise(mixed, columns, sd=1.0, seed=3)
    same(mixed, before)
    assert masked.dtypes.equals(mixed.dtypes) and masked.index.equals(mixed.index)
    same(masked.drop(columns=columns), mixed.drop(columns=columns))
    assert masked.isna().equals(mixed.isna())
    for name in ("real", "single", "decimal"):
        assert (masked[name] != mixed[name])[mixed[name].notna()].all()


def test_noise_by_seed(mixed):
    seven = add_noise(mixed, "real", ratio=0.5, seed=7)
    same(seven, add_noise(mixed, "real", ratio=0.5, seed=7))
    same(seven, add_noise(mixed, "real", ratio=0.5, seed=np.random.default_rng(7)))
    assert not seven.equals(add_noise(mixed, "real", ratio=0.5, seed=8))


def test_noise_has_the_spread_asked_for():
    generator = np.random.default_rng(1)
    columns = {"x": generator.exponential(3, 40_000), "y": generator.exponential(50, 40_000)}
    frame = pd.DataFrame(columns)
    by_sd = add_noise(frame, ["x", "y"], sd={"x": 2, "y": 0.5}, seed=2) - frame
    assert by_sd.std().tolist() == pytest.approx([2, 0.5], rel=0.02)
    assert abs(by_sd["x"].mean()) < 4 * 2 / 200
    by_ratio = add_noise(frame, ["y", "x"], ratio=0.3, seed=2) - frame
    assert (by_ratio.std() / frame.std()).tolist() == pytest.approx([0.3, 0.3], rel=0.02)


def test_correlated_noise_keeps_correlations():
    generator = np.random.default_rng(2)
    x = generator.exponential(1, 40_000)
    frame = pd.DataFrame({"x": x, "y": 2 * x + generator.normal(size=40_000)})
    frame["z"] = generator.normal(size=40_000)
    frame.loc[:50, "y"] = np.nan
    true = frame.corr().to_numpy()
    plain = add_noise(frame, list(frame), ratio=1).corr().to_numpy()
    kept = add_noise(frame, list(frame), ratio=1, correlated=True)
    # noise as strong as the data halves a correlation
    assert abs(plain[0, 1] - true[0, 1] / 2) < 0.02
    assert kept.corr().to_numpy() == pytest.approx(true, abs=0.02)
    assert (kept - frame).std().tolist() == pytest.approx(frame.std().tolist(), rel=0.02)
    assert kept["y"].isna().sum() == 51


def test_correlated_noise_of_columns_that_depend_on_one_another():
    frame = pd.DataFrame({"x": np.arange(50.0), "twice": 2 * np.arange(50.0)})
    noise = add_noise(frame, ["x", "twice"], ratio=0.1, correlated=True) - frame
    assert (2 * noise["x"]).tolist() == pytest.approx(noise["twice"].tolist(), abs=1e-6)


def test_whole_numbers_stay_whole_and_huge_ones_are_not_touched_by_no_noise():
    frame = pd.DataFrame({"n": np.array([2**62 + 1, 5])})
    same(add_noise(frame, "n", sd=0), frame)
    assert add_noise(pd.DataFrame({"n": [0] * 100}), "n", sd=3)["n"].dtype == np.int64
    empty = pd.DataFrame({"x": np.zeros(0)})
    same(add_noise(empty, "x", sd=1), empty)


def test_codes_stay_codes_and_out_of_the_spread():
    frame = datasets.load("SD2011")[["income", "age"]]
    codes, coded = {"income": -8}, frame["income"] == -8
    assert coded.sum() > 100
    masked = add_noise(frame, ["income", "age"], ratio=0.1, cont_na=codes)
    assert (masked["income"] == -8).equals(coded) and masked.isna().equals(frame.isna())
    moved = (masked["income"] - frame["income"])[~coded & frame["income"].notna()]
    assert moved.std() == pytest.approx(0.1 * frame["income"][~coded].std(), rel=0.06)
    assert (moved != 0).all()
    same(add_noise(frame, "age", sd=1, cont_na=codes), add_noise(frame, "age", sd=1))


@pytest.mark.parametrize("dtype", ["int16", "float32", "Int64", "Float64"])
@pytest.mark.parametrize("correlated", [True, False])
def test_codes_of_every_type(dtype, correlated):
    column = pd.array([100, -8, 120, -9, 130], dtype=dtype)
    frame = pd.DataFrame({"x": column, "y": [1.0, 2, 3, 5, 4]}, index=[3, 1, 1, 0, 2])
    codes = {"x": [-8, -9]}
    masked = add_noise(frame, ["x", "y"], sd=5, correlated=correlated, cont_na=codes)["x"]
    assert masked.iloc[[1, 3]].tolist() == [-8, -9] and masked.dtype == frame["x"].dtype
    assert (masked != frame["x"]).tolist() == [True, False, True, False, True]
    assert masked.index.equals(frame.index)


def test_noise_and_the_closed_form_agree():
    n, runs = 4, 20_000
    frame = pd.DataFrame({"x": np.random.default_rng(4).exponential(1, n * runs)})
    y = add_noise(frame, "x", sd=math.sqrt(0.7), seed=5).to_numpy().reshape(runs, n)
    x = frame["x"].to_numpy().reshape(runs, n)
    user = (y.mean(axis=1) - 1) ** 2, noise_ru(n, 1, 0.7).user_mse
    linked = (y[:, 0] - x[:, 0]) ** 2, noise_ru(n, 1, 0.7, snooper="linked").snooper_mse
    for error, mse in (user, linked):
        assert abs(error.mean() - mse) < 4 * error.std() / math.sqrt(runs)


REAL = {"columns": "real", "sd": 1}
BOTH = {"columns": ["real", "whole"]}
BAD_NOISE = [
    ({"columns": "age", "sd": 1}, "columns: 'age' is not a column of the data"),
    ({"columns": [], "sd": 1}, "columns: is empty"),
    ({"columns": "text", "sd": 1}, "columns: 'text' is of type object, not numeric"),
    ({"columns": "sort", "sd": 1}, "not numeric"),
    ({"columns": "real"}, "sd: give either sd or ratio, not neither"),
    (REAL | {"ratio": 1}, "sd: give either sd or ratio, not both"),
    (REAL | {"sd": -1}, "sd: -1 is not a number of at least 0"),
    ({"columns": "real", "ratio": float("nan")}, "ratio: nan"),
    (REAL | {"sd": {"real": 1, "whole": 2}}, "sd: has values for 'real', 'whole'; give one number"),
    (BOTH | {"sd": {"real": 1}}, "sd: has values for 'real'; give one number, or one for each"),
    (BOTH | {"sd": {"real": 1, "whole": -1}}, "sd['whole']: -1"),
    (
        {"columns": "whole", "sd": 1e6},
        "columns: with noise, 'whole' would exceed the range of int16",
    ),
    (REAL | {"seed": "x"}, "seed: str cannot be used"),
    (REAL | {"cont_na": {"reel": -8}}, "cont_na: 'reel' is not a column"),
    (REAL | {"cont_na": {"real": "none"}}, "cont_na: 'none' for 'real' is not a number"),
    (REAL | {"cont_na": -8}, "cont_na: -8 is not a mapping"),
    (
        {"columns": "real", "ratio": 1, "cont_na": {"real": [1.5, -2, 7]}},
        "ratio: 'real' has fewer than two values",
    ),
    (REAL | {"correlated": 1}, "correlated: 1 is neither True nor False"),
    (
        {"columns": ["real", "flat"], "sd": 1, "correlated": True},
        "correlated: 'flat' does not vary among the 3 records",
    ),
    ({"columns": "empty", "ratio": 1}, "ratio: 'empty' has fewer than two values"),
    ({"columns": "endless", "sd": 1}, "columns: 'endless' holds infinite values"),
    ({"columns": "yes", "sd": 1}, "columns: 'yes' is of type bool"),
]


@pytest.mark.parametrize("arguments, says", BAD_NOISE)
def test_noise_bad_input(mixed, arguments, says):
    frame = mixed.assign(text=mixed["text"].astype(object), flat=1.0, empty=np.nan, yes=True)
    frame["endless"] = [1.0, np.inf, 2.0, 3.0]
    with pytest.raises(InputError) as error:
        add_noise(frame, **arguments)
    assert says in str(error.value)


# ---- swapping ------------------------------------------------------------------------


@pytest.fixture
def people() -> pd.DataFrame:
    """The five of the paper."""
    frame = pd.DataFrame({"age": [37, 43, 43, 37, 37], "area": [11, 11, 11, 12, 12]})
    return frame.assign(income=[89, 46, 32, 55, 40])


def test_who_is_a_candidate(people):
    found = swap_candidates(people, "age", "area")
    assert found["candidate"].tolist() == [True, False, False, False, False]
    assert found["partners"].tolist() == [2, 0, 0, 1, 1] and not found["exposed"].any()


def test_the_candidate_changes_places_with_one_of_two_partners(people):
    incomes = {tuple(swap(people, "age", seed=seed)["income"]) for seed in range(40)}
    assert incomes == {(55, 46, 32, 89, 40), (40, 46, 32, 55, 89)}


def test_each_partner_is_drawn_equally_often_and_the_rate_is_the_rate(people):
    copies = pd.concat([people.assign(copy=i) for i in range(4000)], ignore_index=True)
    released = swap(copies, ["copy", "age"], rate=0.3, protected="income", seed=9)
    incomes = released["income"].to_numpy().reshape(-1, 5)[:, 0]
    moved = incomes != 89
    assert abs(moved.mean() - 0.3) < 4 * math.sqrt(0.21 / 4000)
    assert abs((incomes[moved] == 55).mean() - 0.5) < 4 * math.sqrt(0.25 / moved.sum())


def test_what_never_changes():
    keys, protected = ["sex", "age", "placesize"], ["depress", "marital", "income"]
    frame = datasets.load("SD2011")[[*keys, "region", *protected]].copy()
    before = frame.copy(deep=True)
    released = swap(frame, keys, "region", 0.8)
    same(frame, before)
    assert released.dtypes.equals(frame.dtypes) and released.index.equals(frame.index)
    same(released[[*keys, "region"]], frame[[*keys, "region"]])
    # within the same keys the protected records are the same, so every table of keys and protected
    # variables is
    columns = [*keys, *protected]
    same(*(f[columns].sort_values(columns).reset_index(drop=True) for f in (released, frame)))
    both_missing = released[protected].isna() & frame[protected].isna()
    changed = ((released[protected] != frame[protected]) & ~both_missing).any(axis=1)
    found = swap_candidates(frame, keys, "region")
    assert changed.sum() > 500 and not changed[found["partners"] == 0].any()
    same(swap(frame, keys, "region", 0.8), released)
    only = swap(frame, keys, "region", 0.8, protected=["depress"])
    same(only, frame.assign(depress=released["depress"]))
    same(swap(frame, keys, "region", 0), frame)


def partners_of(frame: pd.DataFrame, seed: int) -> np.ndarray:
    """Whose values each record would take; -1 for nobody's."""
    _, group, candidate, _ = find_groups(frame, ["k"], "area")
    to, source, _ = plan_moves(group, candidate, np.random.default_rng(seed))
    taken = np.full(len(frame), -1)
    taken[to] = source
    return taken


@pytest.mark.parametrize("seed", range(60))
def test_moves_against_a_plain_judge(seed):
    """Small random data: who moves takes the values of somebody with the same keys who lives
    elsewhere; units are pairs or rings that hold a candidate; every candidate who can be is in
    one.
    """
    generator = np.random.default_rng(seed)
    n = int(generator.integers(1, 13))
    frame = pd.DataFrame({"a": generator.integers(0, 2, n), "b": generator.choice(["x", None], n)})
    frame["area"] = generator.integers(0, int(generator.integers(2, 13)), n)
    _, group, candidate, _ = find_groups(frame, ["a", "b"], "area")
    rows = list(zip(frame["a"], frame["b"].fillna("?"), frame["area"]))
    alike = [{j for j in range(n) if rows[j][:2] == rows[i][:2]} for i in range(n)]
    candidates = {i for i in range(n) if rows.count(rows[i]) == 1}
    assert set(np.flatnonzero(candidate)) == candidates
    to, source, units = (moved.tolist() for moved in plan_moves(group, candidate, generator))
    assert sorted(to) == sorted(source) and len(set(to)) == len(to)  # a permutation
    assert all(j in alike[i] and rows[i][2] != rows[j][2] for i, j in zip(to, source))
    for unit in set(units):
        members = {i for i, u in zip(to, units) if u == unit}
        assert len(members) in (2, 3) and members & candidates
        assert members == {j for j, u in zip(source, units) if u == unit}
        if len(members) == 3:
            group_of_unit = alike[min(members)]
            assert len(group_of_unit) % 2 == 1 and group_of_unit <= candidates
    assert {i for i in candidates if len(alike[i]) > 1} <= set(to)


def test_three_alone_in_three_areas_all_move():
    frame = pd.DataFrame({"age": [30, 30, 30], "area": list("ABC"), "income": [1, 2, 3]})
    outcomes = [tuple(swap(frame, "age", seed=seed)["income"]) for seed in range(200)]
    assert set(outcomes) == {(2, 3, 1), (3, 1, 2)} and 60 < outcomes.count((2, 3, 1)) < 140
    copies = pd.concat([frame.assign(copy=i) for i in range(4000)], ignore_index=True)
    released = swap(copies, ["copy", "age"], rate=0.3, protected="income")
    moved = (released["income"] != copies["income"]).to_numpy().reshape(-1, 3)
    assert (np.abs(moved.mean(axis=0) - 0.3) < 4 * math.sqrt(0.21 / 4000)).all()
    assert (moved.all(axis=1) == moved.any(axis=1)).all()


@pytest.mark.parametrize("rate, runs", [(0.35, 400), (1.0, 5)])
def test_every_candidate_with_a_partner_is_swapped_at_the_rate(rate, runs):
    generator = np.random.default_rng(0)
    frame = pd.DataFrame({"age": generator.integers(20, 60, 400)})
    frame = frame.assign(area=generator.integers(0, 30, 400), id=range(400))
    found = swap_candidates(frame, "age", "area")
    moves = [swap(frame, "age", rate=rate, seed=s)["id"] != frame["id"] for s in range(runs)]
    moved = np.mean(moves, axis=0)
    open_to_it = (found["candidate"] & ~found["exposed"]).to_numpy()
    close = 4.5 * math.sqrt(rate * (1 - rate) / runs)
    assert open_to_it.sum() > 250 and (np.abs(moved[open_to_it] - rate) <= close).all()
    assert not moved[found["exposed"]].any()


def test_sd2011_at_rate_one_leaves_only_who_has_no_partner():
    keys = ["sex", "age", "placesize"]
    frame = datasets.load("SD2011")[[*keys, "region"]].assign(id=range(5000))
    found = swap_candidates(frame, keys, "region")
    moved = swap(frame, keys, "region")["id"] != frame["id"]
    candidate = found["candidate"]
    assert moved[candidate].equals(~found["exposed"][candidate])
    assert 0 < found["exposed"].sum() < 200 and moved[~candidate].any()  # as partners


@pytest.mark.parametrize("size", [4, 5])
def test_partners_are_drawn_evenly_among_candidates_too(size):
    """Four people with the same keys, each alone in their area: three ways to pair them, equally
    likely. Five: each takes the values of each other equally often.
    """
    k, area = np.repeat(np.arange(3000), size), np.tile(np.arange(size), 3000)
    taken = partners_of(pd.DataFrame({"k": k, "area": area}), 3)
    assert (taken >= 0).all()
    counts = np.bincount(taken[::size] % size, minlength=size)  # whose values the first takes
    share = 1 / (size - 1)
    close = 4 * math.sqrt(3000 * share * (1 - share))
    assert counts[0] == 0 and (np.abs(counts[1:] - 3000 * share) < close).all()


def test_who_is_left_over_does_not_tilt_the_pairs():
    """Two candidates and three others: one of the others stays alone, and of the remaining three
    each is a candidate's partner equally often.
    """
    areas = np.tile([1, 2, 3, 3, 3], 4000)
    taken = partners_of(pd.DataFrame({"k": np.repeat(np.arange(4000), 5), "area": areas}), 5)
    # partner of the first candidate: 1 is the other candidate, 2, 3 and 4 the others
    shares = np.bincount(taken.reshape(-1, 5)[:, 0] % 5, minlength=5) / 4000
    assert shares[0] == 0 and abs(shares[1] - 1 / 3) < 4 * math.sqrt(2 / 9 / 4000)
    assert (np.abs(shares[2:] - 2 / 9) < 4 * math.sqrt(14 / 81 / 4000)).all()


def test_swap_and_the_closed_form_agree():
    """Two areas of three and four records, two candidates with a partner each (keys k = 1, 2);
    8,000 replicates in one frame.
    """
    runs, rate, delta = 8000, 0.4, 1.5
    one = pd.DataFrame({"k": [1, 2, 3, 1, 2, 9, 9], "area": [1, 1, 1, 2, 2, 2, 2]})
    frame = pd.concat([one] * runs, ignore_index=True).assign(run=np.repeat(np.arange(runs), 7))
    frame["x"] = np.random.default_rng(8).exponential(1, len(frame))
    frame["x"] += np.where(frame["area"] == 1, delta, 0)
    after = swap(frame, ["run", "k"], rate=rate)["x"].to_numpy().reshape(runs, 7)
    before = frame["x"].to_numpy().reshape(runs, 7)
    point = swapping_ru(rate, 3, 4, 1.0, delta, pairs=2, snooper="linked")
    user = (after[:, :3].mean(axis=1) - after[:, 3:].mean(axis=1) - delta) ** 2
    snooper = (after[:, 0] - before[:, 0]) ** 2
    for errors, mse in ((user, point.user_mse), (snooper, point.snooper_mse)):
        assert abs(errors.mean() - mse) < 4 * errors.std() / math.sqrt(runs)


def test_missing_keys_and_areas_are_values_of_their_own():
    frame = pd.DataFrame({"k": [1, 1, None, None], "area": ["A", None, "A", None]})
    frame["v"] = [1, 2, 3, 4]
    assert swap_candidates(frame, "k", "area")["partners"].tolist() == [1, 1, 1, 1]
    assert swap(frame, "k")["v"].tolist() == [2, 1, 4, 3]


def test_extension_types_move_with_their_record(mixed):
    frame = mixed.assign(k=1, area=[1, 2, 3, 4])
    released = swap(frame, "k")
    assert released.dtypes.equals(frame.dtypes) and (released["whole"] != frame["whole"]).all()
    by_whole = {row["whole"]: row for row in mixed.to_dict("records")}
    for row in released[list(mixed)].to_dict("records"):
        assert pd.DataFrame([row]).equals(pd.DataFrame([by_whole[row["whole"]]]))


def test_nobody_to_swap_with_leaves_the_data_as_they_are_and_says_so(people):
    alone, crowd = people.assign(age=range(5)), people.assign(age=1, area=1)
    with pytest.warns(DataWarning, match="gives the data back as they were"):
        same(swap(alone, "age"), alone)
    with pytest.warns(DataWarning, match=r"alone with their keys \(age\) in their area"):
        same(swap(crowd, "age"), crowd)
    same(swap(crowd, "age", rate=0), crowd)  # a rate of 0 asks for nothing else


BAD_SWAP = [
    ({"keys": "agee"}, "keys: 'agee' is not a column of the data; did you mean 'age'?"),
    ({"keys": []}, "keys: [] cannot be used with the attribute"),
    ({"area": "age"}, "keys: 'age' cannot be used with the attribute 'age'"),
    ({"area": "town"}, "attribute: 'town' is not a column of the data"),
    ({"rate": 1.01}, "rate: 1.01 is not a number of at least 0 and of at most 1"),
    ({"rate": -0.5}, "rate: -0.5"),
    ({"rate": None}, "rate: None"),
    ({"protected": "area"}, "protected: give at least one column besides keys and attribute"),
    ({"keys": ["age", "income"]}, "protected: give at least one column besides keys and attribute"),
    ({"seed": -1}, "seed: int cannot be used"),
    ({"frame": pd.DataFrame({"age": [], "area": []})}, "original: has no rows"),
    ({"frame": {}}, "original: dict is not a DataFrame of pandas, polars or Arrow"),
]


@pytest.mark.parametrize("arguments, says", BAD_SWAP)
def test_swap_bad_input(people, arguments, says):
    with pytest.raises(InputError) as error:
        swap(**({"frame": people, "keys": "age"} | arguments))
    assert says in str(error.value)


# ---- matrices ------------------------------------------------------------------------


def test_a_matrix_mask_is_the_matrix_product():
    generator = np.random.default_rng(1)
    X, A, B, C = (generator.normal(size=s) for s in ((6, 3), (6, 6), (3, 3), (6, 3)))
    frame = pd.DataFrame(X, columns=list("xyz"), index=list("abcdef"))
    before = frame.copy(deep=True)
    masked = matrix_mask(frame, A, B, C)
    same(frame, before)
    assert masked.to_numpy() == pytest.approx(A @ X @ B + C)
    assert list(masked) == list("xyz") and masked.index.equals(frame.index)
    assert matrix_mask(frame, A=sparse.csr_matrix(A)).to_numpy() == pytest.approx(A @ X)
    same(matrix_mask(frame), frame)


def test_means_of_groups_lose_no_total_and_cannot_be_undone():
    groups = np.kron(np.eye(2), np.full((3, 3), 1 / 3))  # a singular A: microaggregation
    assert np.linalg.matrix_rank(groups) == 2
    frame = pd.DataFrame({"x": [1.0, 2, 6, 10, 20, 30], "town": list("AABBCC")})
    same(matrix_mask(frame, A=groups, columns="x"), frame.assign(x=[3.0, 3, 3, 20, 20, 20]))


def test_swapping_is_a_matrix_mask_of_the_protected_columns(people):
    W = swap_matrix(5, [(0, 3)])
    assert (W @ W).toarray().tolist() == np.eye(5).tolist()
    masked = matrix_mask(people, A=W, columns=["income"])
    same(masked, people.assign(income=[55, 46, 32, 89, 40]))
    # of the whole data it only changes the order of the records, see explanation/errata.md
    whole, columns = matrix_mask(people, A=W), list(people)
    same(*(f.sort_values(columns).reset_index(drop=True) for f in (whole, people)))


@pytest.mark.parametrize("pairs", [[(0, 3), (1, 2)], [(0, 1), (1, 2)], [(0, 1), (0, 1)], []])
def test_a_swap_matrix_is_the_product_of_transpositions(pairs):
    product = np.eye(5, dtype=int)
    for i, j in pairs:
        single = np.eye(5, dtype=int)
        single[[i, j]] = single[[j, i]]
        product = product @ single
    assert swap_matrix(5, pairs).toarray().tolist() == product.tolist()


def test_swap_is_what_its_matrix_does():
    generator = np.random.default_rng(2)
    frame = pd.DataFrame({"k": generator.integers(0, 4, 40), "area": generator.integers(0, 5, 40)})
    frame = frame.assign(x=range(40), y=range(100, 140))
    released = swap(frame, "k", rate=0.7, seed=3)
    taken = released["x"].to_numpy()
    pairs, places = [], list(range(40))
    for i in range(40):  # any permutation is a product of transpositions
        j = places.index(int(taken[i]))
        if i != j:
            pairs.append((i, j))
            places[i], places[j] = places[j], places[i]
    same(released, matrix_mask(frame, A=swap_matrix(40, pairs[::-1]), columns=["x", "y"]))


def test_shapes_names_and_types():
    frame = pd.DataFrame({"x": [1, 2, 3], "y": [4, 5, 6]})
    assert matrix_mask(frame, A=[[1, 1, 1]]).to_dict("list") == {"x": [6], "y": [15]}
    assert matrix_mask(frame, B=[[1], [1]]).to_dict("list") == {"m1": [5, 7, 9]}
    total = pd.DataFrame({"s": [1, 1]})
    assert list(matrix_mask(frame.assign(z="a"), B=total, columns=["x", "y"])) == ["z", "s"]
    assert matrix_mask(frame, A=np.eye(3, dtype=int)).dtypes.tolist() == [np.dtype("int64")] * 2
    assert matrix_mask(frame, C=0.5).dtypes.tolist() == [np.dtype("float64")] * 2


UPPER = [[1, 1], [0, 1]]
OVERFLOWING = [
    {"A": UPPER},
    {"A": sparse.csr_matrix(UPPER)},
    {"B": [[4]]},
    {"C": 2**62},
    {"A": [[1, -1], [0, 1]], "C": 2**62},
]


@pytest.mark.parametrize("arguments", OVERFLOWING)
def test_large_whole_numbers_do_not_wrap(arguments):
    masked = matrix_mask(pd.DataFrame({"p": [2**62, 2**62]}), **arguments)["p"]
    A, B, C = (arguments.get(name) for name in "ABC")
    A = A.toarray().tolist() if sparse.issparse(A) else A or [[1, 0], [0, 1]]
    # Python's own whole numbers
    exact = [sum(row) * 2**62 * (B[0][0] if B else 1) + (C or 0) for row in A]
    assert masked.dtype == np.float64 and masked.tolist() == [float(value) for value in exact]
    small = matrix_mask(pd.DataFrame({"p": [2**40, -(2**40) + 1]}), A=UPPER, C=2**50)["p"]
    assert small.dtype == np.int64 and small.tolist() == [2**50 + 1, 2**50 - 2**40 + 1]


def test_missing_values_stay_in_their_place_or_are_refused():
    frame = pd.DataFrame({"x": [1.0, None, 3.0], "n": pd.array([1, None, 3], dtype="Int64")})
    assert matrix_mask(frame, C=1).isna().to_numpy().tolist() == [
        [False] * 2,
        [True] * 2,
        [False] * 2,
    ]
    with pytest.raises(InputError, match="original: 'x' has missing values, which A or B would"):
        matrix_mask(frame, A=np.eye(3))


INFINITE = "A: holds missing or infinite values"
BAD_MATRICES = [
    ({"A": np.eye(2)}, "A: has the shape (2, 2); it needs (any, 3)"),
    ({"B": np.eye(3)}, "B: has the shape (3, 3); it needs (2, any)"),
    ({"A": [1, 2, 3]}, "A: has the shape (3,)"),
    ({"A": [["a"]]}, "A: list is not a matrix of numbers"),
    ({"A": np.diag([1, 1, np.nan])}, INFINITE),
    ({"A": sparse.csr_matrix(np.diag([1, 1, np.inf]))}, INFINITE),
    ({"C": np.zeros((2, 2))}, "C: has the shape (2, 2); it needs (3, 2)"),
    ({"C": np.nan}, "C: holds missing or infinite values"),
    ({"columns": "z"}, "columns: 'z' is not a column of the data"),
    ({"columns": "t"}, "columns: 't' is of type"),
    ({"columns": []}, "columns: is empty"),
    ({"A": [[1, 1, 1]], "columns": "x"}, "A: makes 1 records of 3, so 'y' and other columns"),
    (
        {"B": pd.DataFrame({"y": [1]}), "columns": "x"},
        "B: names a new variable 'y', which is also a column outside X",
    ),
]


@pytest.mark.parametrize("arguments, says", BAD_MATRICES)
def test_matrix_bad_input(arguments, says):
    frame = pd.DataFrame({"x": [1, 2, 3], "y": [4.0, 5, 6], "t": list("abc")})
    with pytest.raises(InputError) as error:
        matrix_mask(frame, **({"columns": ["x", "y"]} | arguments))
    assert says in str(error.value)


def test_pairs_outside_the_data():
    with pytest.raises(InputError, match=r"pairs: \(0, 5\) is outside the 5 records"):
        swap_matrix(5, [(0, 5)])
