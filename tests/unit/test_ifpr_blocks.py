"""Blocks: what may change into what, how small ones are found and merged, and what cannot be a
block.
"""

from __future__ import annotations

from datetime import date, datetime
from time import perf_counter

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from synthpop_py import InputError
from synthpop_py.ifpr import IFPRRelease, ifpr, ifpr_theta
from synthpop_py.ifpr.blocks import Blocks, merge_small
from tests.unit.texts import flat

RACE = {"white": "white", "black": "black", "asian": "other", "native": "other"}
KEYS = ["sex", "age", "race"]


def made(frame: pd.DataFrame, keys=("g", "x"), **given) -> IFPRRelease:
    return ifpr(frame, list(keys), **({"seed": 1, "reproducible": True} | given))


def refused(frame: pd.DataFrame, keys=("g", "x"), **given) -> InputError:
    with pytest.raises(InputError) as error:
        made(frame, keys, **given)
    return error.value


def cells_of(frame: pd.DataFrame, keys=("g", "x"), **given) -> list[int]:
    return made(frame, keys, **given).design["cells"].tolist()


def cells_by(name: str, frame: pd.DataFrame, **given) -> dict[str, int]:
    design = made(frame, list(frame), theta=0.5, small_blocks="keep", **given).design
    return dict(zip(design[name], design["cells"]))


@pytest.fixture(scope="module")
def people() -> pd.DataFrame:
    """Every combination of sex, age 16 to 23 and race once: 64 cells of one unit."""
    rows = [(s, a, r) for s in "fm" for a in range(16, 24) for r in RACE]
    frame = pd.DataFrame(rows, columns=KEYS)
    band = np.where(frame["age"] < 18, "child", "adult")
    return frame.assign(band=band, income=np.arange(len(frame)))


def moved_to(people: pd.DataFrame, blocks, column: str, runs: int = 30) -> set[tuple]:
    """Pairs (before, after) of one column over several releases."""
    pairs = set()
    for seed in range(runs):
        release = made(people, KEYS, theta=0.9, blocks=blocks, seed=seed, small_blocks="keep")
        pairs |= set(zip(people[column], release.data[column]))
    return pairs


# ---- what may change into what -------------------------------------------------------


def test_without_blocks_everything_may_change(people):
    design = made(people, KEYS, theta=0.9).design
    assert design.index.tolist() == ["whole file"] and design["cells"].tolist() == [64]
    assert moved_to(people, None, "sex") == {(a, b) for a in "fm" for b in "fm"}


def test_as_in_the_slides_sex_kept_age_in_bands_race_in_groups(people):
    blocks = ["sex", {"age": [18, 20]}, {"race": RACE}]
    design = made(people, KEYS, theta=0.9, blocks=blocks, small_blocks="keep").design
    assert len(design) == 2 * 3 * 3
    assert design["cells"].tolist() == [2, 2, 4, 2, 2, 4, 4, 4, 8] * 2
    assert design.index[0] == "sex: f, age: below 18, race: white"
    assert design["age"].unique().tolist() == ["below 18", "18 to below 20", "from 20 on"]
    assert moved_to(people, blocks, "sex") == {("f", "f"), ("m", "m")}
    others = {(a, b) for a in ("asian", "native") for b in ("asian", "native")}
    assert moved_to(people, blocks, "race") == others | {("white",) * 2, ("black",) * 2}
    bands = [range(16, 18), range(18, 20), range(20, 24)]
    assert moved_to(people, blocks, "age") == {(a, b) for band in bands for a in band for b in band}


ADULT = {a: "child" if a < 18 else "adult" for a in range(16, 24)}
SAME = ["band", ["band"], {"age": [18]}, {"band": "keep"}, {"age": ADULT}, [4], ("band",)]


@pytest.mark.parametrize("blocks", SAME, ids=str)
def test_ways_to_say_the_same(people, blocks):
    release = made(people, KEYS, theta=0.9, blocks=blocks, seed=3)
    before, after = people["age"], release.data["age"]
    assert sorted(release.design["cells"]) == [16, 48]
    assert ((after < 18) == (before < 18)).all() and not after.equals(before)


def test_a_cut_point_begins_a_band():
    ages = pd.DataFrame({"age": [17, 17.9, 18, 18.5, 24, 25, 30.0, np.nan, 99], "x": range(9)})
    expected = {"below 18": 2, "18 to below 25": 3, "from 25 on": 3, "missing": 1}
    assert cells_by("age", ages, blocks={"age": [18, 25]}) == expected


def test_a_missing_value_is_a_level_and_a_group_of_its_own():
    frame = pd.DataFrame({"race": ["white", None, "asian", "white", None, "asian"], "x": range(6)})
    groups = {"white": "w", "asian": "o"}
    assert cells_by("race", frame, blocks={"race": groups}) == {"w": 2, "o": 2, "missing": 2}
    assert cells_by("race", frame, blocks={"race": groups | {None: "o"}}) == {"w": 2, "o": 4}
    for seed in range(5):
        release = made(frame, list(frame), theta=0.6, blocks={"race": groups}, seed=seed)
        assert len(release.design) == 3
        assert (release.data["race"].isna() == frame["race"].isna()).all()


def test_levels_that_do_not_occur_may_be_named(people):
    design = made(people, KEYS, theta=0.5, blocks={"race": RACE | {"martian": "other"}}).design
    assert design["race"].tolist() == ["white", "black", "other"]


def test_a_column_that_depends_on_several_keys_may_be_a_block(people):
    both = people.assign(both=people["sex"] + people["band"])
    assert len(made(both, KEYS, theta=0.5, blocks="both").design) == 4


def test_blocks_that_read_alike_are_numbered():
    frame = pd.DataFrame({"g": ["Missing", None, "a"] * 3, "x": range(9)})
    labels = sorted(made(frame, theta=0.5, blocks="g").design.index)
    assert labels == ["g: Missing", "g: Missing (2)", "g: a"]


# ---- small blocks --------------------------------------------------------------------


def singles(groups: list[int]) -> pd.DataFrame:
    """One unit per cell, so many in each group."""
    rows = [(g, f"{g}-{i}") for g, n in enumerate(groups) for i in range(n)]
    return pd.DataFrame(rows, columns=["g", "x"])


def bands(number: int) -> dict[str, list[int]]:
    return {"g": list(range(1, number))}


def test_one_cell_is_joined_to_its_smaller_neighbour():
    release = made(singles([10, 1, 5, 4]), xi=0.395, blocks=bands(4))
    assert release.design["cells"].tolist() == [10, 6, 4] and release.verify().ok
    now = "g: 1 to below 2 + 2 to below 3"
    assert release.merged.to_numpy().tolist() == [
        ["g: 1 to below 2", now],
        ["g: 2 to below 3", now],
    ]
    assert "2 of 4 were merged because some were too small" in flat(release)


def test_what_is_too_small_depends_on_the_goal():
    assert cells_of(singles([3, 2, 3]), xi=0.6, blocks=bands(3)) == [3, 2, 3]
    assert cells_of(singles([3, 2, 3]), xi=0.395, blocks=bands(3)) == [5, 3]
    release = made(singles([4, 3, 6]), xi=0.26, blocks=bands(3))
    assert release.design["cells"].tolist() == [7, 6] and release.verify().ok


@pytest.mark.parametrize(
    "goal", [dict(xi=1 / 3), dict(theta=1), dict(theta=1, max_count=1)], ids=str
)
def test_two_alone_who_always_leave_would_only_change_places(goal):
    frame = singles([4, 2])
    merged = made(frame, blocks=bands(2), **goal)
    assert set(merged.theta.values()) == {1.0} and merged.design["cells"].tolist() == [6]
    assert merged.verify().ok
    error = refused(frame, blocks="g", **goal)
    assert "1 of 2 blocks cannot meet xi" in str(error) and "(merging does not cross" in str(error)
    for seed in range(5):
        kept = made(frame, blocks="g", seed=seed, small_blocks="keep", **goal)
        check = kept.verify()
        assert not check and check.swaps == ("g: 1",)
        wrong = check.violations[["block", "T", "a", "risk"]].to_numpy().tolist()
        assert wrong == [["g: 1", 1, 1, 1.0]]
        says = "two cells would certainly trade places, which anyone can undo, so they were left"
        assert says in flat(check) and "certainly trade places" in check._repr_html_()
        assert kept.data.iloc[4:].equals(frame.iloc[4:]) and kept.changed.iloc[:4].all()
        assert kept.design["expected_changed"].tolist() == [4, 0]


def test_the_variable_given_last_gives_way_first():
    size = {(0, 1): 1}
    rows = [(s, a, i) for s in (0, 1) for a in (0, 1) for i in range(size.get((s, a), 5))]
    frame = pd.DataFrame(rows, columns=["s", "a", "x"])
    low, high = "below 1", "from 1 on"
    first = made(frame, "sax", xi=0.395, blocks=[{"s": [1]}, {"a": [1]}]).design
    expected = [[low, f"{low} + {high}"], [high, low], [high, high]]
    assert first[["s", "a"]].to_numpy().tolist() == expected
    other = made(frame, "sax", xi=0.395, blocks=[{"a": [1]}, {"s": [1]}]).design
    expected = [[low, low], [low, high], [high, f"{low} + {high}"]]
    assert other[["a", "s"]].to_numpy().tolist() == expected


def test_kept_columns_are_never_crossed():
    frame = pd.DataFrame({"g": list("ffffm"), "x": [1, 2, 3, 4, 5]})
    error = refused(frame, xi=0.395, blocks="g")
    assert "1 of 2 blocks cannot meet xi" in str(error) and "(1 cell; .details" in str(error)
    assert error.details == {"blocks": {"g: m": "1 cell"}}
    assert cells_of(frame, xi=0.395, blocks={"g": {"f": "f", "m": "m"}}) == [5]


def test_small_blocks_can_be_an_error_or_kept():
    frame = singles([5, 1, 2])
    error = refused(frame, xi=0.395, blocks=bands(3), small_blocks="error")
    assert "2 of 3 blocks cannot meet xi" in str(error) and "(1 cell, 2 cells; " in str(error)
    assert "small_blocks='merge' to join them" in str(error)
    kept = made(frame, xi=0.395, blocks=bands(3), small_blocks="keep")
    check = kept.verify()
    assert not check and kept.design["cells"].tolist() == [5, 1, 2]
    wrong = check.violations[["block", "T", "a", "risk"]].to_numpy().tolist()
    half = ["g: from 2 on", 1, 2, pytest.approx(0.5)]
    assert wrong == [["g: 1 to below 2", 1, 1, 1.0], half]
    assert kept.data.iloc[5].equals(frame.iloc[5])
    assert kept.design["share_perturbed"].tolist()[1] == 0
    assert "2 of 3 blocks" in flat(check) and "2 of 3 blocks" in flat(kept)
    assert "<table" in check._repr_html_()


def test_one_rare_combination_in_the_whole_file():
    frame = pd.DataFrame({"a": [1, 1, 1, 2], "b": [0, 0, 0, 0]})
    error = refused(frame, ["a", "b"], xi=0.395)
    assert "1 of 1 blocks cannot meet xi" in str(error) and "a higher max_count" in str(error)
    assert cells_of(frame, ["a"], xi=0.395, max_count=3) == [2]


def test_one_cell_that_is_safe_as_it_is_needs_no_company():
    frame = pd.DataFrame({"g": [0, 0, 1, 1, 1, 1], "x": list("aabcde")})  # a pair, and four
    release = made(frame, xi=0.6, blocks="g")
    assert release.design["cells"].tolist() == [1, 4] and release.verify().ok
    assert release.design["share_perturbed"].iloc[0] == 0
    alone = pd.DataFrame({"a": [1]})
    assert made(alone, ["a"], theta=0).data.equals(alone)


def test_unequal_flows_that_cannot_balance_are_joined():
    # one cell of one and one of two: with theta .79 and 1.24 the pair would send more than the
    # single takes
    many = [(1, str(i)) for i in range(8)] + [(1, f"p{i // 2}") for i in range(8)]
    frame = pd.DataFrame([(0, "a"), (0, "b"), (0, "b"), *many], columns=["g", "x"])
    release = made(frame, xi=0.25, blocks=bands(2))
    assert release.design["cells"].tolist() == [14] and release.verify().ok


def test_larger_cells_that_need_no_change_rest():
    frame = pd.DataFrame({"x": [1, 2, 3, 4, 5, 6, 7, 7, 7, 7, 7]})
    release = made(frame, ["x"], xi=0.25, max_count=5)
    assert release.theta == ifpr_theta(0.25) | {4: 0.0, 5: 0.0} and release.verify().ok
    assert release.data["x"].iloc[6:].equals(frame["x"].iloc[6:])
    plain = made(frame, ["x"], xi=0.6, scheme="size")
    assert plain.max_count == 1 and list(plain.theta) == [1]  # what takes part is what is said


@given(st.lists(st.integers(0, 6), min_size=1, max_size=30), st.randoms(use_true_random=False))
@settings(max_examples=150, deadline=None)
def test_merging_any_blocks(cells, random):
    cells = np.array([[c] for c in cells])
    shared = np.array([random.choice([-1, 0, 1, 2]) for _ in cells[1:]], dtype=np.int64)
    run, still = merge_small(cells, np.array([1]), shared, lambda c: c.sum(axis=1) < 3)
    joined = np.diff(run) == 0
    assert set(np.diff(run)) <= {0, 1} and run[0] == 0 and not joined[shared < 0].any()
    assert still.tolist() == (np.bincount(run, weights=cells[:, 0]) < 3).tolist()
    fences = np.append(0, np.cumsum(shared < 0))
    for number in np.flatnonzero(still):  # all there is between two fences
        fence = fences[run == number][0]
        assert set(run[fences == fence]) == {number}
    for number in np.flatnonzero(np.bincount(run) > 1):  # good blocks are not joined for nothing
        assert (cells[run == number, 0] < 3).any()


def test_thousands_of_small_blocks():
    release = made(singles([1] * 5000), xi=0.395, blocks=bands(5000))
    assert release.verify().ok and release.design["cells"].between(3, 6).all()
    started = perf_counter()
    assert len(release.merged) == 5000 and "5,000 of 5,000 were merged" in flat(release)
    assert perf_counter() - started < 1  # about 0.1 s; one block after the other ten times that


def test_labels_of_joined_blocks_say_what_they_hold():
    groups = np.array([[0, 0], [0, 1], *([1, i] for i in range(6)), [2, 0]])
    blocks = Blocks(("g", "h"), 0, groups, ["abcdef"] * 2)
    assert blocks.described(blocks.run).index[:2].tolist() == ["g: a, h: a", "g: a, h: b"]
    blocks.run = np.array([0, 0, 1, 1, 1, 1, 1, 1, 2])
    expected = ["g: a, h: a + b", "g: b, h: a + b + c + d + 2 more", "g: c, h: a"]
    assert blocks.shown.index.tolist() == expected
    assert blocks.joined().tolist() == [True] * 8 + [False]
    assert Blocks((), 0, np.zeros((0, 0), dtype=np.int64), []).shown.index.tolist() == []


# ---- dates and Series ----------------------------------------------------------------

DAYS = [date(2020, 1, d) for d in range(1, 11)]
FIFTH = [
    date(2020, 1, 5),
    datetime(2020, 1, 5),
    pd.Timestamp("2020-01-05"),
    np.datetime64("2020-01-05"),
    np.datetime64("2020-01-05T00", "h"),
]
COLUMNS = {
    "date": DAYS,
    "Timestamp": pd.to_datetime(DAYS),
    "with hours": pd.to_datetime(DAYS) + pd.Timedelta("3h"),
}


@pytest.mark.parametrize("cut", FIFTH, ids=lambda c: type(c).__name__)
@pytest.mark.parametrize("column", COLUMNS.values(), ids=COLUMNS)
def test_dates_have_dates_as_cut_points(cut, column):
    frame = pd.DataFrame({"day": column, "x": range(10)})
    below, between, above = (
        "below 2020-01-05",
        "2020-01-05 to below 2020-01-08",
        "from 2020-01-08 on",
    )
    cells = cells_by("day", frame, blocks={"day": [cut, pd.Timestamp("2020-01-08")]})
    assert cells == {below: 4, between: 3, above: 3}
    assert list(cells_by("day", frame, blocks={"day": cut}).values()) == [4, 6]


def test_moments_in_a_time_zone_and_gaps():
    hours = pd.date_range("2020-01-01 00:30", periods=10, freq="h", tz="Europe/Warsaw")
    frame = pd.DataFrame({"t": pd.Series(hours), "x": range(10)})
    frame.loc[[0, 9], "t"] = pd.NaT
    cut = pd.Timestamp("2020-01-01 05:00", tz="Europe/Warsaw")
    moment = "2020-01-01 04:00:00"  # said in universal time
    expected = {f"below {moment}": 4, f"from {moment} on": 4, "missing": 2}
    assert cells_by("t", frame, blocks={"t": cut}) == expected
    error = refused(frame, "tx", theta=0.5, blocks={"t": cut.tz_localize(None)})
    assert "blocks: 't' has a time zone, but the cut point 2020-01-01 05:00:00 has none" in str(
        error
    )


def test_dates_far_away():
    days = [date(year, 1, i) for year in (1000, 9000) for i in range(1, 5)]
    frame = pd.DataFrame({"d": pd.Series(days, dtype=object)})
    design = made(frame, "d", theta=0.5, blocks={"d": [date(5000, 1, 1)]}).design
    assert design.index.tolist() == ["d: below 5000-01-01", "d: from 5000-01-01 on"]


ZONED = pd.Timestamp("2020-01-05", tz="UTC")
WRONG_KIND = [
    ("day", [18], "blocks: 'day' holds dates, so its cut points are dates"),
    ("x", [DAYS[3]], "blocks: 'x' is numeric, so its cut points are numbers"),
    ("day", [DAYS[3], DAYS[2]], "cannot be used"),
    ("day", [pd.NaT], "cannot be used"),
    ("day", [DAYS[3], 4], "cannot be used"),
    ("day", [ZONED], f"blocks: 'day' has no time zone, but the cut point {ZONED} has one"),
]


@pytest.mark.parametrize("key, cuts, says", WRONG_KIND, ids=[says[:30] for *_, says in WRONG_KIND])
def test_cut_points_of_the_wrong_kind(key, cuts, says):
    frame = pd.DataFrame({"day": DAYS, "x": range(10)})
    assert says in str(refused(frame, list(frame), theta=0.5, blocks={key: cuts}))


def test_a_series_is_a_mapping_of_its_index():
    frame = pd.DataFrame({"a": range(10)})
    parity = pd.Series(["even", "odd"] * 5)
    assert cells_by("a", frame, blocks={"a": parity}) == {"even": 5, "odd": 5}
    error = refused(frame, "a", theta=0.5, blocks={"a": pd.Series([3, 6])})  # never cut points
    assert "the mapping for 'a' has no group for 8 of the levels that occur" in str(error)
    assert error.details["levels"] == (2, 3, 4, 5, 6, 7, 8, 9) and "dtype" not in str(error)
    twice = pd.Series(["u", "v"], index=[1, 1])
    error = refused(frame, "a", theta=0.5, blocks={"a": twice})
    assert "the Series for 'a' names a level more than once" in str(error)


def test_long_values_are_cut_in_messages():
    frame = pd.DataFrame({"a": range(10)})
    says = str(refused(frame, "a", theta=0.5, blocks={"a": list(range(500, 0, -1))}))
    assert len(says) < 400 and "..." in says


# ---- bad input -----------------------------------------------------------------------

BAD = [
    ("bandd", "blocks: 'bandd' is not a column of the data; did you mean 'band'?"),
    ({"agee": [18]}, "blocks: 'agee' is not a column of the data; did you mean 'age'?"),
    ({"band": {"child": 1}}, "blocks: 'band' is not one of the keys (sex, age, race)"),
    ({"income": [10]}, "blocks: 'income' is not one of the keys"),
    (["age", {"age": [18]}], "blocks: 'age' is given more than once"),
    ({"age": [25, 18]}, "blocks: [25, 18] for 'age' cannot be used"),
    ({"age": []}, "blocks: [] for 'age' cannot be used"),
    ({"age": "band"}, "blocks: 'band' for 'age' cannot be used; give 'keep', a mapping"),
    ({"age": ["young"]}, "cannot be used"),
    ({"age": [float("inf")]}, "cannot be used"),
    ({"race": [1, 2]}, "blocks: 'race' is neither a number nor a date, so it has no cut points"),
    ({"race": {"white": "w", "blakc": "b"}}, "the mapping for 'race' has no group for 3 of the"),
    (3.5, "blocks: 3.5 is not the position of a column"),
    ([["sex"]], "blocks"),
]


@pytest.mark.parametrize("blocks, says", BAD, ids=[str(b)[:25] for b, _ in BAD])
def test_bad_blocks_are_named(people, blocks, says):
    assert says in str(refused(people, KEYS, theta=0.5, blocks=blocks))


def test_a_block_that_cuts_across_a_combination_of_keys():
    people = {"sex": ["f", "f", "m"], "age": [30, 30, 40], "income": ["low", "high", "low"]}
    error = refused(pd.DataFrame(people), ["sex", "age"], theta=0.5, blocks="income")
    assert "blocks: 'income' cuts across the keys: records 1 and 2 have the same keys" in str(error)
    woman = {"sex": "f", "age": 30}
    assert error.details["records"] == [woman | {"income": "low"}, woman | {"income": "high"}]
