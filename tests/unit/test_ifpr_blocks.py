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
from synthpop_py.ifpr import ifpr, ifpr_theta
from synthpop_py.ifpr.blocks import Blocks, merge_small
from tests.unit.texts import flat

RACE = {"white": "white", "black": "black", "asian": "other", "native": "other"}


@pytest.fixture(scope="module")
def people() -> pd.DataFrame:
    """Every combination of sex, age 16 to 23 and race once: 64 cells of one unit."""
    frame = pd.DataFrame(
        [(s, a, r) for s in "fm" for a in range(16, 24) for r in RACE],
        columns=["sex", "age", "race"],
    )
    return frame.assign(
        band=np.where(frame["age"] < 18, "child", "adult"), income=np.arange(len(frame))
    )


KEYS = ["sex", "age", "race"]


def moved_to(people: pd.DataFrame, blocks, column: str, runs: int = 30) -> set[tuple]:
    """Pairs (before, after) of one column over several releases."""
    pairs = set()
    for seed in range(runs):
        pairs |= set(
            zip(
                people[column],
                ifpr(
                    people,
                    KEYS,
                    theta=0.9,
                    blocks=blocks,
                    seed=seed,
                    reproducible=True,
                    small_blocks="keep",
                ).data[column],
            )
        )
    return pairs


# ---- what may change into what -------------------------------------------------------


def test_without_blocks_everything_may_change(people):
    release = ifpr(people, KEYS, theta=0.9, seed=1, reproducible=True)
    assert release.design.index.tolist() == ["whole file"] and release.design["cells"].tolist() == [
        64
    ]
    assert moved_to(people, None, "sex") == {(a, b) for a in "fm" for b in "fm"}


def test_as_in_the_slides_sex_kept_age_in_bands_race_in_groups(people):
    blocks = ["sex", {"age": [18, 20]}, {"race": RACE}]
    release = ifpr(
        people, KEYS, theta=0.9, blocks=blocks, seed=1, reproducible=True, small_blocks="keep"
    )
    assert (
        len(release.design) == 2 * 3 * 3
        and release.design["cells"].tolist() == [2, 2, 4, 2, 2, 4, 4, 4, 8] * 2
    )
    assert release.design.index[0] == "sex: f, age: below 18, race: white"
    assert release.design["age"].unique().tolist() == ["below 18", "18 to below 20", "from 20 on"]
    assert moved_to(people, blocks, "sex") == {("f", "f"), ("m", "m")}
    race = moved_to(people, blocks, "race")
    assert race == {
        ("white", "white"),
        ("black", "black"),
        *((a, b) for a in ("asian", "native") for b in ("asian", "native")),
    }
    bands = [range(16, 18), range(18, 20), range(20, 24)]
    assert moved_to(people, blocks, "age") == {(a, b) for band in bands for a in band for b in band}


@pytest.mark.parametrize(
    "blocks",
    [
        "band",
        ["band"],
        {"age": [18]},
        {"band": "keep"},
        {"age": {a: "child" if a < 18 else "adult" for a in range(16, 24)}},
        [4],
        ("band",),
    ],
    ids=str,
)
def test_ways_to_say_the_same(people, blocks):
    release = ifpr(people, KEYS, theta=0.9, blocks=blocks, seed=3, reproducible=True)
    assert sorted(release.design["cells"]) == [16, 48]
    assert ((release.data["age"] < 18) == (people["age"] < 18)).all() and not release.data[
        "age"
    ].equals(people["age"])


def test_a_cut_point_begins_a_band():
    ages = pd.DataFrame({"age": [17, 17.9, 18, 18.5, 24, 25, 30.0, np.nan, 99], "x": range(9)})
    design = ifpr(
        ages,
        ["age", "x"],
        theta=0.5,
        blocks={"age": [18, 25]},
        seed=1,
        reproducible=True,
        small_blocks="keep",
    ).design
    assert dict(zip(design["age"], design["cells"])) == {
        "below 18": 2,
        "18 to below 25": 3,
        "from 25 on": 3,
        "missing": 1,
    }


def test_a_missing_value_is_a_level_and_a_group_of_its_own():
    frame = pd.DataFrame({"race": ["white", None, "asian", "white", None, "asian"], "x": range(6)})
    groups = {"white": "w", "asian": "o"}
    design = ifpr(
        frame, ["race", "x"], theta=0.5, blocks={"race": groups}, seed=1, reproducible=True
    ).design
    assert design["race"].tolist() == ["w", "o", "missing"] and design["cells"].tolist() == [
        2,
        2,
        2,
    ]
    design = ifpr(
        frame,
        ["race", "x"],
        theta=0.5,
        blocks={"race": groups | {None: "o"}},
        seed=1,
        reproducible=True,
    ).design
    assert design["race"].tolist() == ["w", "o"] and design["cells"].tolist() == [2, 4]
    for seed in range(5):
        release = ifpr(
            frame, ["race", "x"], theta=0.6, blocks={"race": groups}, seed=seed, reproducible=True
        )
        assert (
            len(release.design) == 3 and (release.data["race"].isna() == frame["race"].isna()).all()
        )


def test_levels_that_do_not_occur_may_be_named(people):
    design = ifpr(
        people,
        KEYS,
        theta=0.5,
        blocks={"race": RACE | {"martian": "other"}},
        seed=1,
        reproducible=True,
    ).design
    assert design["race"].tolist() == ["white", "black", "other"]


def test_a_column_that_depends_on_several_keys_may_be_a_block(people):
    both = people.assign(both=people["sex"] + people["band"])
    assert len(ifpr(both, KEYS, theta=0.5, blocks="both", seed=1, reproducible=True).design) == 4


def test_blocks_that_read_alike_are_numbered():
    frame = pd.DataFrame({"g": ["Missing", None, "a"] * 3, "x": range(9)})
    assert sorted(
        ifpr(frame, ["g", "x"], theta=0.5, blocks="g", seed=1, reproducible=True).design.index
    ) == [
        "g: Missing",
        "g: Missing (2)",
        "g: a",
    ]


# ---- small blocks --------------------------------------------------------------------


def singles(groups: list[int], pairs: int = 0) -> pd.DataFrame:
    """One unit per cell, so many in each group; `pairs` further cells of two in group 0."""
    rows = [(g, f"{g}-{i}") for g, n in enumerate(groups) for i in range(n)]
    return pd.DataFrame(
        rows + [(0, f"pair-{i}") for i in range(pairs) for _ in (1, 2)], columns=["g", "x"]
    )


def bands(number: int) -> dict[str, list[int]]:
    return {"g": list(range(1, number))}


def test_one_cell_is_joined_to_its_smaller_neighbour():
    release = ifpr(
        singles([10, 1, 5, 4]), ["g", "x"], xi=0.395, blocks=bands(4), seed=1, reproducible=True
    )
    assert release.design["cells"].tolist() == [10, 6, 4] and release.verify().ok
    assert release.merged["was"].tolist() == ["g: 1 to below 2", "g: 2 to below 3"] and set(
        release.merged["block"]
    ) == {"g: 1 to below 2 + 2 to below 3"}
    assert "2 of 4 were merged because some were too small" in flat(release)


def test_two_alone_are_joined_where_the_goal_needs_it():
    frame = singles([3, 2, 3])
    assert ifpr(frame, ["g", "x"], xi=0.6, blocks=bands(3), seed=1, reproducible=True).design[
        "cells"
    ].tolist() == [
        3,
        2,
        3,
    ]
    assert ifpr(frame, ["g", "x"], xi=0.395, blocks=bands(3), seed=1, reproducible=True).design[
        "cells"
    ].tolist() == [
        5,
        3,
    ]


@pytest.mark.parametrize(
    "goal", [dict(xi=1 / 3), dict(theta=1), dict(theta=1, max_count=1)], ids=str
)
def test_two_alone_who_always_leave_would_only_change_places(goal):
    frame = singles([4, 2])
    merged = ifpr(frame, ["g", "x"], blocks=bands(2), seed=1, reproducible=True, **goal)
    assert (
        set(merged.theta.values()) == {1.0}
        and merged.design["cells"].tolist() == [6]
        and merged.verify().ok
    )
    with pytest.raises(
        InputError,
        match=(
            r"1 of 2 blocks cannot meet xi .*\(2 cells; .details lists the blocks\); .*\(merging"
            " does not cross"
        ),
    ):
        ifpr(frame, ["g", "x"], blocks="g", seed=1, reproducible=True, **goal)
    for seed in range(5):
        kept = ifpr(
            frame, ["g", "x"], blocks="g", seed=seed, reproducible=True, small_blocks="keep", **goal
        )
        check = kept.verify()
        assert (
            not check
            and check.swaps == ("g: 1",)
            and check.violations[["block", "T", "a", "risk"]].to_numpy().tolist()
            == [["g: 1", 1, 1, 1.0]]
        )
        assert (
            "two cells would certainly trade places, which anyone can undo, so they were "
            "left as they are"
            in flat(check)
            and "certainly trade places" in check._repr_html_()
        )
        assert (
            kept.data.iloc[4:].equals(frame.iloc[4:])
            and kept.changed.iloc[:4].all()
            and kept.design["expected_changed"].tolist() == [4, 0]
        )


def test_at_smaller_goals_larger_blocks_are_too_small():
    release = ifpr(
        singles([4, 3, 6]), ["g", "x"], xi=0.26, blocks=bands(3), seed=1, reproducible=True
    )
    assert release.design["cells"].tolist() == [7, 6] and release.verify().ok


def test_the_variable_given_last_gives_way_first():
    frame = pd.DataFrame(
        [
            (s, a, i)
            for s in range(2)
            for a in range(2)
            for i in range(1 if (s, a) == (0, 1) else 5)
        ],
        columns=["s", "a", "x"],
    )
    first = ifpr(
        frame, ["s", "a", "x"], xi=0.395, blocks=[{"s": [1]}, {"a": [1]}], seed=1, reproducible=True
    ).design
    assert first["s"].tolist() == ["below 1", "from 1 on", "from 1 on"] and first["a"].tolist() == [
        "below 1 + from 1 on",
        "below 1",
        "from 1 on",
    ]
    other = ifpr(
        frame, ["s", "a", "x"], xi=0.395, blocks=[{"a": [1]}, {"s": [1]}], seed=1, reproducible=True
    ).design
    assert other["a"].tolist() == ["below 1", "below 1", "from 1 on"] and other["s"].tolist() == [
        "below 1",
        "from 1 on",
        "below 1 + from 1 on",
    ]


def test_kept_columns_are_never_crossed():
    frame = pd.DataFrame({"sex": list("ffffm"), "age": [1, 2, 3, 4, 5]})
    with pytest.raises(
        InputError,
        match=(
            r"1 of 2 blocks cannot meet xi .*\(1 cell; .details lists the blocks\); .* fewer"
            " columns that are kept"
        ),
    ):
        ifpr(frame, ["sex", "age"], xi=0.395, blocks="sex", seed=1, reproducible=True)
    merged = ifpr(
        frame,
        ["sex", "age"],
        xi=0.395,
        blocks={"sex": {"f": "f", "m": "m"}},
        seed=1,
        reproducible=True,
    )
    assert merged.design["cells"].tolist() == [5]


def test_small_blocks_can_be_an_error_or_kept():
    frame = singles([5, 1, 2])
    with pytest.raises(
        InputError,
        match=(
            r"2 of 3 blocks cannot meet xi .*\(1 cell, 2 cells; .*\); give small_blocks='merge'"
        ),
    ):
        ifpr(
            frame,
            ["g", "x"],
            xi=0.395,
            blocks=bands(3),
            small_blocks="error",
            seed=1,
            reproducible=True,
        )
    kept = ifpr(
        frame, ["g", "x"], xi=0.395, blocks=bands(3), small_blocks="keep", seed=1, reproducible=True
    )
    check = kept.verify()
    assert not check and kept.design["cells"].tolist() == [5, 1, 2]
    assert list(
        check.violations[["block", "T", "a", "risk"]].itertuples(index=False, name=None)
    ) == [("g: 1 to below 2", 1, 1, 1.0), ("g: from 2 on", 1, 2, pytest.approx(0.5))]
    assert (
        kept.data.iloc[5].tolist() == frame.iloc[5].tolist()
        and kept.design["share_perturbed"].tolist()[1] == 0
    )
    assert (
        "2 of 3 blocks" in flat(check)
        and "2 of 3 blocks" in flat(kept)
        and "<table" in check._repr_html_()
    )


def test_one_rare_combination_in_the_whole_file():
    frame = pd.DataFrame({"a": [1, 1, 1, 2], "b": [0, 0, 0, 0]})
    with pytest.raises(
        InputError,
        match=(r"1 of 1 blocks cannot meet xi .* fewer keys, a higher max_count"),
    ):
        ifpr(frame, ["a", "b"], xi=0.395, seed=1, reproducible=True)
    assert ifpr(frame, ["a"], xi=0.395, max_count=3, seed=1, reproducible=True).design[
        "cells"
    ].tolist() == [2]


def test_one_cell_that_is_safe_as_it_is_needs_no_company():
    frame = pd.DataFrame(
        {"g": [0, 0, 1, 1, 1, 1], "x": ["a", "a", "b", "c", "d", "e"]}
    )  # one pair in the first group
    release = ifpr(frame, ["g", "x"], xi=0.6, blocks="g", seed=1, reproducible=True)
    assert (
        release.design["cells"].tolist() == [1, 4]
        and release.design["share_perturbed"].iloc[0] == 0
        and release.verify().ok
    )
    assert ifpr(pd.DataFrame({"a": [1]}), "a", theta=0, seed=1, reproducible=True).data[
        "a"
    ].tolist() == [1]


def test_unequal_flows_that_cannot_balance_are_joined():
    # one cell of one and one of two: with theta .79 and 1.24 the pair would send more than the
    # single takes
    frame = pd.DataFrame(
        [
            (0, "a"),
            (0, "b"),
            (0, "b"),
            *((1, i) for i in range(8)),
            *((1, f"p{i // 2}") for i in range(8)),
        ],
        columns=["g", "x"],
    ).astype({"x": str})
    release = ifpr(frame, ["g", "x"], xi=0.25, blocks=bands(2), seed=1, reproducible=True)
    assert release.design["cells"].tolist() == [14] and release.verify().ok


def test_larger_cells_that_need_no_change_rest():
    frame = pd.DataFrame({"x": [1, 2, 3, 4, 5, 6, 7, 7, 7, 7, 7]})
    release = ifpr(frame, "x", xi=0.25, max_count=5, seed=1, reproducible=True)
    assert release.theta == ifpr_theta(0.25) | {4: 0.0, 5: 0.0} and release.verify().ok
    assert release.data["x"].iloc[6:].equals(frame["x"].iloc[6:])
    plain = ifpr(frame, "x", xi=0.6, scheme="size", seed=1, reproducible=True)
    assert plain.max_count == 1 and list(plain.theta) == [1]  # what takes part is what is said


@given(st.lists(st.integers(0, 6), min_size=1, max_size=30), st.randoms(use_true_random=False))
@settings(max_examples=150, deadline=None)
def test_merging_any_blocks(cells, random):
    cells = np.array([[c] for c in cells])
    shared = np.array([random.choice([-1, 0, 1, 2]) for _ in cells[1:]], dtype=np.int64)
    run, still = merge_small(cells, np.array([1]), shared, lambda c: c.sum(axis=1) < 3)
    joined = np.diff(run) == 0
    assert set(np.diff(run)) <= {0, 1} and run[0] == 0 and not joined[shared < 0].any()
    totals = np.bincount(run, weights=cells[:, 0])
    assert still.tolist() == (totals < 3).tolist()
    fences = np.concatenate(([0], np.cumsum(shared < 0)))
    for number in np.flatnonzero(
        still
    ):  # what is still too small is all there is between two fences
        fence = fences[run == number][0]
        assert set(run[fences == fence]) == {number}
    for number in np.flatnonzero(np.bincount(run) > 1):  # good blocks are not joined for nothing
        assert (cells[run == number, 0] < 3).any()


def test_thousands_of_small_blocks():
    frame = singles([1] * 5000)
    release = ifpr(frame, ["g", "x"], xi=0.395, blocks=bands(5000), seed=1, reproducible=True)
    assert release.verify().ok and release.design["cells"].between(3, 6).all()
    started = perf_counter()
    assert len(release.merged) == 5000 and "5,000 of 5,000 were merged" in flat(release)
    assert (
        perf_counter() - started < 1
    )  # about 0.1 s; one block after the other it was ten times that


def test_labels_of_joined_blocks_say_what_they_hold():
    groups = np.array([[0, 0], [0, 1], *([1, i] for i in range(6)), [2, 0]])
    blocks = Blocks(("g", "h"), 0, groups, ["abcdef"] * 2)
    assert blocks.described(blocks.run).index[:2].tolist() == ["g: a, h: a", "g: a, h: b"]
    blocks.run = np.array([0, 0, 1, 1, 1, 1, 1, 1, 2])
    assert blocks.described(blocks.run).index.tolist() == [
        "g: a, h: a + b",
        "g: b, h: a + b + c + d + 2 more",
        "g: c, h: a",
    ]
    assert blocks.joined().tolist() == [True] * 8 + [False]
    nothing = Blocks((), 0, np.zeros((0, 0), dtype=np.int64), [])
    assert nothing.described(nothing.run).index.tolist() == []


# ---- dates and Series ----------------------------------------------------------------

DAYS = [date(2020, 1, d) for d in range(1, 11)]
FIFTH = [
    date(2020, 1, 5),
    datetime(2020, 1, 5),
    pd.Timestamp("2020-01-05"),
    np.datetime64("2020-01-05"),
    np.datetime64("2020-01-05T00", "h"),
]


@pytest.mark.parametrize("cut", FIFTH, ids=lambda c: type(c).__name__)
@pytest.mark.parametrize(
    "column",
    [DAYS, pd.to_datetime(DAYS), pd.to_datetime(DAYS) + pd.Timedelta("3h")],
    ids=["date", "Timestamp", "with hours"],
)
def test_dates_have_dates_as_cut_points(cut, column):
    frame = pd.DataFrame({"day": column, "x": range(10)})
    design = ifpr(
        frame,
        ["day", "x"],
        theta=0.5,
        blocks={"day": [cut, pd.Timestamp("2020-01-08")]},
        seed=1,
        reproducible=True,
    ).design
    assert dict(zip(design["day"], design["cells"])) == {
        "below 2020-01-05": 4,
        "2020-01-05 to below 2020-01-08": 3,
        "from 2020-01-08 on": 3,
    }
    assert ifpr(
        frame, ["day", "x"], theta=0.5, blocks={"day": cut}, seed=1, reproducible=True
    ).design["cells"].tolist() == [4, 6]


def test_moments_in_a_time_zone_and_gaps():
    day = pd.Series(
        pd.date_range("2020-01-01 00:30", periods=10, freq=pd.Timedelta("1h"), tz="Europe/Warsaw")
    )
    day.iloc[[0, 9]] = pd.NaT
    frame = pd.DataFrame({"t": day, "x": range(10)})
    design = ifpr(
        frame,
        ["t", "x"],
        theta=0.5,
        blocks={"t": pd.Timestamp("2020-01-01 05:00", tz="Europe/Warsaw")},
        seed=1,
        reproducible=True,
    ).design
    assert dict(zip(design["t"], design["cells"])) == {
        "below 2020-01-01 04:00:00": 4,
        "from 2020-01-01 04:00:00 on": 4,
        "missing": 2,
    }  # said in universal time
    with pytest.raises(
        InputError,
        match="blocks: 't' has a time zone, but the cut point 2020-01-01 05:00:00 has none",
    ):
        ifpr(
            frame,
            ["t", "x"],
            theta=0.5,
            blocks={"t": pd.Timestamp("2020-01-01 05:00")},
            seed=1,
            reproducible=True,
        )


def test_dates_far_away():
    frame = pd.DataFrame(
        {
            "d": pd.Series(
                [date(1000, 1, i) for i in range(1, 5)] + [date(9000, 1, i) for i in range(1, 5)],
                dtype=object,
            )
        }
    )
    assert ifpr(
        frame, "d", theta=0.5, blocks={"d": [date(5000, 1, 1)]}, seed=1, reproducible=True
    ).design.index.tolist() == ["d: below 5000-01-01", "d: from 5000-01-01 on"]


WRONG_KIND = [
    ("day", [18], "blocks: 'day' holds dates, so its cut points are dates"),
    ("x", [DAYS[3]], "blocks: 'x' is numeric, so its cut points are numbers"),
    ("day", [DAYS[3], DAYS[2]], "cannot be used"),
    ("day", [pd.NaT], "cannot be used"),
    ("day", [DAYS[3], 4], "cannot be used"),
    (
        "day",
        [pd.Timestamp("2020-01-05", tz="UTC")],
        "blocks: 'day' has no time zone, but the cut point 2020-01-05 00:00:00+00:00 has one",
    ),
]


@pytest.mark.parametrize("key, cuts, says", WRONG_KIND, ids=[says[:30] for *_, says in WRONG_KIND])
def test_cut_points_of_the_wrong_kind(key, cuts, says):
    with pytest.raises(InputError) as error:
        ifpr(
            pd.DataFrame({"day": DAYS, "x": range(10)}),
            ["day", "x"],
            theta=0.5,
            blocks={key: cuts},
            seed=1,
            reproducible=True,
        )
    assert says in str(error.value)


def test_a_series_is_a_mapping_of_its_index():
    frame = pd.DataFrame({"a": range(10)})
    design = ifpr(
        frame,
        "a",
        theta=0.5,
        blocks={"a": pd.Series({i: "even" if i % 2 == 0 else "odd" for i in range(10)})},
        seed=1,
        reproducible=True,
    ).design
    assert dict(zip(design["a"], design["cells"])) == {"even": 5, "odd": 5}
    with pytest.raises(InputError) as error:  # never cut points
        ifpr(frame, "a", theta=0.5, blocks={"a": pd.Series([3, 6])}, seed=1, reproducible=True)
    assert "the mapping for 'a' has no group for 8 of the levels that occur" in str(error.value)
    assert error.value.details["levels"] == (2, 3, 4, 5, 6, 7, 8, 9)
    assert "dtype" not in str(error.value)
    with pytest.raises(InputError, match="the Series for 'a' names a level more than once"):
        ifpr(
            frame,
            "a",
            theta=0.5,
            blocks={"a": pd.Series(["u", "v"], index=[1, 1])},
            seed=1,
            reproducible=True,
        )


def test_long_values_are_cut_in_messages():
    with pytest.raises(InputError) as error:
        ifpr(
            pd.DataFrame({"a": range(10)}),
            "a",
            theta=0.5,
            blocks={"a": list(range(500, 0, -1))},
            seed=1,
            reproducible=True,
        )
    assert len(str(error.value)) < 400 and "..." in str(error.value)


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
    (
        {"race": [1, 2]},
        (
            "blocks: 'race' is neither a number nor a date, so it has no cut points; give a mapping"
            " of its levels to groups"
        ),
    ),
    (
        {"race": {"white": "w", "blakc": "b"}},
        ("blocks: the mapping for 'race' has no group for 3 of the levels that occur"),
    ),
    (3.5, "blocks: 3.5 is not the position of a column"),
    ([["sex"]], "blocks"),
]


@pytest.mark.parametrize("blocks, says", BAD, ids=[str(b)[:25] for b, _ in BAD])
def test_bad_blocks_are_named(people, blocks, says):
    with pytest.raises(InputError) as error:
        ifpr(people, KEYS, theta=0.5, blocks=blocks, seed=1, reproducible=True)
    assert says in str(error.value)


def test_a_block_that_cuts_across_a_combination_of_keys():
    frame = pd.DataFrame(
        {"sex": ["f", "f", "m"], "age": [30, 30, 40], "income": ["low", "high", "low"]}
    )
    with pytest.raises(InputError) as error:
        ifpr(frame, ["sex", "age"], theta=0.5, blocks="income", seed=1, reproducible=True)
    assert (
        "blocks: 'income' cuts across the keys: records 1 and 2 have the same keys, but not the"
        " same 'income'" in str(error.value)
    )
    assert error.value.details["records"] == [
        {"sex": "f", "age": 30, "income": "low"},
        {"sex": "f", "age": 30, "income": "high"},
    ]
