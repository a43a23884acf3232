"""Work in parts: what is counted part by part is what is counted at once, and no part is larger
than it may be.
"""

from __future__ import annotations

import warnings
from functools import partial

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from synthpop_py import (
    InputError,
    SynDS,
    disclosure,
    key_risk,
    multi_disclosure,
    replicated_uniques,
    table_utility,
)
from synthpop_py.core.columns import Column
from synthpop_py.disclosure import source
from synthpop_py.progress import Progress
from synthpop_py.tables import memory
from synthpop_py.tables.opening import FrameTable
from synthpop_py.tables.parts import Places, count_part
from synthpop_py.tables.splitting import packed
from tests.backends.sqlite import SqliteTable, in_sqlite
from tests.parts_side import answer, differences, is_in_parts
from tests.unit.test_counted_tables import (
    ARGUMENTS,
    EXCLUSIONS,
    GROUPING,
    MODES,
    TARGET_GROUPING,
    tables,
    written_out,
)

SIZES = st.integers(1, 6)
QUIET = {"print_flag": False}


def quietly(function, *given_tables, **arguments):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return answer(partial(function, *given_tables), **arguments)


def assert_alike(function, synthetic, original, size, *asked, **arguments) -> None:
    """A call says the same at once and in parts, of frames and of records in a database."""
    once = quietly(function, synthetic, original, *asked, **arguments)
    for stored in ((synthetic, original), (in_sqlite(synthetic), in_sqlite(original, "data"))):
        parts = quietly(function, *stored, *asked, max_cells=size, **arguments)
        assert not differences(once, parts)


# ---- the same figures ----------------------------------------------------------------


@settings(max_examples=40, deadline=None)
@given(tables(), st.lists(tables(), min_size=1, max_size=2), ARGUMENTS, GROUPING, SIZES, st.data())
def test_disclosure(original, sets, arguments, grouping, size, data):
    wrap = data.draw(st.sampled_from([SynDS, list]))
    options = {**arguments, **grouping, **data.draw(EXCLUSIONS), **QUIET}
    keys = data.draw(st.sampled_from([["k", "x"], ["f", "x", "k"]]))
    if len(keys) == 3 and "ngroups_keys" in options:
        options["ngroups_keys"] = [0, options["ngroups_keys"][1], 0]
    options["compat"] = data.draw(st.sampled_from(MODES))
    records = wrap([written_out(frame) for frame in sets])
    assert_alike(disclosure, records, written_out(original), size, keys, "t", **options)


@settings(max_examples=20, deadline=None)
@given(tables(), tables(), TARGET_GROUPING, st.sampled_from(["k", "t"]), SIZES, st.data())
def test_a_single_key_and_a_target_in_classes(original, synthetic, grouping, key, size, data):
    options = {"compat": data.draw(st.sampled_from(MODES)), **grouping, **QUIET}
    frames = SynDS(written_out(synthetic)), written_out(original)
    assert_alike(disclosure, *frames, size, key, "x", **options)


@settings(max_examples=12, deadline=None)
@given(tables(), tables(), st.sampled_from(MODES), SIZES)
def test_summaries_and_uniques(original, synthetic, compat, size):
    frames = written_out(synthetic), written_out(original)
    asked = {"compat": compat, **QUIET}
    assert_alike(multi_disclosure, *frames, size, ["k", "x"], ["t", "f"], **asked)
    for names in (["k", "x"], ["k"], ["k", "t", "f"]):
        assert_alike(replicated_uniques, *frames, size, names, compat=compat)


@settings(max_examples=12, deadline=None)
@given(tables(), st.lists(tables(), min_size=1, max_size=2), SIZES, st.integers(1, 4))
def test_the_search_for_keys(original, sets, size, max_keys):
    frames = [written_out(frame) for frame in sets], written_out(original)
    options = {"max_keys": max_keys, "ngroups_keys": [0, 3, 0, 0]}
    assert_alike(key_risk, *frames, size, ["k", "x", "f", "t"], **options)
    assert_alike(key_risk, *frames, size, ["k", "x", "f"], ["t"])


@settings(max_examples=12, deadline=None)
@given(tables(), st.lists(tables(), min_size=1, max_size=2), SIZES)
def test_utility_of_tables(original, sets, size):
    frames = [written_out(frame) for frame in sets], written_out(original)
    assert_alike(table_utility, *frames, size, ["k", "x", "t", "f"], classes=2)


@settings(max_examples=12, deadline=None)
@given(tables(), tables(), SIZES)
def test_frequency_tables(original, synthetic, size):
    asked = {"keys": ["k", "x"], "target": "t", "counts": "n", **QUIET}
    once = quietly(disclosure, synthetic, original, **asked)
    assert not differences(once, quietly(disclosure, synthetic, original, max_cells=size, **asked))


# ---- what must stay together ---------------------------------------------------------


def people(**columns) -> pd.DataFrame:
    return pd.DataFrame(columns)


def assert_parts_of_one(synthetic, original, keys, target, **options) -> None:
    """Every level of a key is a part by itself; the figures are those of all."""
    options = {**QUIET, **options}
    once = quietly(disclosure, synthetic, original, keys, target, **options)
    parts = quietly(disclosure, synthetic, original, keys, target, max_cells=1, **options)
    assert is_in_parts(parts)
    assert parts._outcome.split.parts > 1
    assert not differences(once, parts)
    return parts


def test_one_value_of_three_types_is_in_one_part():
    original = people(k=[1, 2, 3, 3], t=["a", "b", "a", "b"])
    sets = [people(k=["3", "1", "x"], t=["a", "a", "b"]), people(k=[3.0, 2.0, 9.5], t=["b"] * 3)]
    result = assert_parts_of_one(sets, original, "k", "t", compat="corrected")
    # 1 and 3 are in the first synthesis, 2 and 3 in the second
    assert [shares["iS"].numerator for shares in result.shares] == [3, 3]


def test_what_meets_by_position_is_in_one_part():
    # R extends and sorts the levels of the synthetic table only: b meets a, a meets b (D1)
    original = people(k=pd.Categorical(list("bbaac"), ["b", "a", "c"]), t=list("xxyyx"))
    synthetic = people(k=pd.Categorical(list("bba"), ["b", "a"]), t=list("xxy"))
    result = assert_parts_of_one(SynDS(synthetic), original, "k", "t", compat="r")
    assert "D1" in [finding.id for finding in result.defects]


def test_what_is_glued_to_one_text_is_in_one_part():
    # "p | q" beside "r", and "p" beside "q | r", are one combination in R (D10)
    original = people(a=["p | q", "p", "z", "z"], b=["r", "q | r", "r", "s"], t=list("xxxy"))
    synthetic = people(a=["p", "z", "z"], b=["q | r", "r", "s"], t=list("xxy"))
    result = assert_parts_of_one(SynDS(synthetic), original, ["a", "b"], "t", compat="r")
    assert "D10" in [finding.id for finding in result.defects]


def test_what_is_glued_to_one_text_is_one_unique():
    # p|q beside r, and p beside q|r, are both p|q|r in R, so that neither is unique (D38)
    original = people(a=["p|q", "p", "z"], b=["r", "q|r", "s"])
    synthetic = people(a=["p", "z"], b=["q|r", "s"])
    for stored in ((synthetic, original), (in_sqlite(synthetic), in_sqlite(original, "data"))):
        parts = quietly(replicated_uniques, *stored, ["a", "b"], max_cells=1)
        assert is_in_parts(parts)
        assert parts.res_tab[0]["Number"].tolist() == [1, 2, 2, 1]
        assert [finding.id for finding in parts.defects] == ["D38"]
        assert parts.corrected.res_tab[0]["Number"].tolist() == [3, 2, 2, 2]


def test_subsets_with_and_without_the_key_that_was_split_by():
    # the example of key_risk(): sex and town single out three of five, town alone one, sex nobody
    original = people(sex=list("fmffm"), town=list("AABBC"), job=list("xyxyy"))
    synthetic = people(sex=list("fmffm"), town=list("AABBB"), job=list("xxyxy"))
    for size in (1, 3, 8, 100):
        risk = key_risk(synthetic, original, ["sex", "town"], "job", max_cells=size)
        figures = risk.table.set_index("text")[["UiO", "repU", "DiSCO job"]]
        assert figures.loc["sex, town"].tolist() == [60, 40, 20]
        assert figures.loc["town"].tolist() == [20, 0, 20]
        assert figures.loc["sex"].tolist() == [0, 0, 0]


def test_tables_are_summed_before_they_are_compared():
    # the example of table_utility(): of sex and town together one cell in four is lost
    original = people(sex=["f", "f", "m", "m"], town=["A", "B", "A", "B"])
    synthetic = people(sex=["f", "f", "f", "m"], town=["A", "A", "B", "B"])
    utility = table_utility(synthetic, original, max_cells=1)
    assert utility.table.set_index("text")["tvd"].to_dict() == {
        "sex": 0.25,
        "sex, town": 0.25,
        "town": 0,
    }


def test_missing_targets_of_one_part_are_missing_targets():
    # R leaves missing targets in where only the synthetic data have some (D8)
    original = people(k=list("aabb"), t=["x", None, "x", "y"])
    synthetic = people(k=list("aabb"), t=["x", "x", None, "y"])
    options = {"usetargetNA": False, "compat": "r"}
    result = assert_parts_of_one(SynDS(synthetic), original, "k", "t", **options)
    assert result.Nexclusions[0].loc["synthetic", "missing target"] == 1


def test_one_exclusion_in_any_part_is_an_exclusion():
    # the scaled measures have no figure once somebody is left out, here in the first part alone
    original = people(k=list("aabb"), t=list("xyxy"))
    options = {"not_targetlev": "z", "compat": "corrected"}
    original.loc[0, "t"] = "z"
    result = assert_parts_of_one(original, original, "k", "t", **options)
    assert np.isnan(result.shares[0]["DCAPd_scaled"].numerator)


def test_of_several_frames_r_may_read_the_first_alone():
    # texts are made factors, so that R goes on with one synthesis (D28)
    original = people(k=list("aab"), t=list("xyx"))
    sets = [people(k=list("ab"), t=list("xy")), people(k=list("bb"), t=list("xx"))]
    result = assert_parts_of_one(sets, original, "k", "t", compat="r")
    assert result.m == 1
    assert result.corrected.m == 2


def test_missing_keys_are_in_a_part_of_a_database():
    original = people(k=["a", None, "b", None], t=list("xyxy"))
    stored = in_sqlite(original), in_sqlite(original, "data")
    result = assert_parts_of_one(*stored, "k", "t", compat="corrected")
    assert result.shares[0]["DiSCO"].numerator == 4


def test_flags_are_about_all_parts():
    # 8 of 9 disclosed records have x, 5 in one part and 3 in the other; the level is flagged, as is
    # the pair of x and p, 8 of 9 records: no part alone has more than 6 of either
    original = people(k=["a"] * 5 + ["b"] * 3 + ["c"], s=["p"] * 9, t=["x"] * 5 + ["x"] * 3 + ["y"])
    options = {"thresh_1way": (6, 80), "thresh_2way": (2, 80), "compat": "corrected"}
    result = assert_parts_of_one(original, original, ["k", "s"], "t", **options)
    assert result.check_1way[0].iloc[0][["Level", "nLevelDis"]].tolist() == ["x", 8]
    flagged = result.check_2way[0].set_index("target_key_levs")
    assert flagged.loc["x|p", ["npairs", "key_target_total", "key_total"]].tolist() == [8, 8, 9]


# ---- how large a part is -------------------------------------------------------------


class Watched(SqliteTable):
    """A table that remembers how many rows it handed over each time."""

    def __init__(self, frame, place):
        super().__init__(frame, place)
        self.handed_over = []

    def _counted(self, names, **how):
        counted = super()._counted(names, **how)
        if len(names) > 2:
            self.handed_over.append(counted.rows)
        return counted


@pytest.fixture
def hundred():
    """100 records, all different, 10 with each value of a and 5 with each of b."""
    numbers = np.arange(100)
    return people(a=numbers % 10, b=numbers // 5, c=numbers, t=numbers % 3)


@pytest.mark.parametrize("size, parts", [(200, None), (100, 2), (20, 10), (10, 20)])
def test_no_part_is_larger_than_asked_for(hundred, size, parts):
    original, synthetic = Watched(hundred, "data"), Watched(hundred, "object")
    keys = ["a", "b"]
    result = disclosure(synthetic, original, keys, "c", max_cells=size, compat="corrected", **QUIET)
    split = result._outcome.split
    assert (split.parts if split else None) == parts
    # one row more is looked at to find out that there are too many
    assert max(original.handed_over) <= size + 1
    by_part = zip(original.handed_over[-(parts or 1) :], synthetic.handed_over[-(parts or 1) :])
    assert all(a + b <= size for a, b in by_part)


def test_parts_are_closed_before_they_are_too_large():
    assert packed(np.array([3, 2, 4, 9, 1]), 6).tolist() == [0, 0, 1, 2, 3]
    assert packed(np.array([3, 2, 1]), 6).tolist() == [0, 0, 0]


def test_what_is_in_memory_is_counted_at_once_unless_asked(hundred, monkeypatch):
    monkeypatch.setattr(source, "rows_that_fit", lambda columns: 50)
    asked = {"keys": ["a", "b"], "target": "t", "compat": "corrected", **QUIET}
    assert not is_in_parts(disclosure(hundred, hundred, **asked))
    stored = in_sqlite(hundred), in_sqlite(hundred, "data")
    assert is_in_parts(disclosure(*stored, **asked))
    assert is_in_parts(disclosure(hundred, stored[1], **asked))
    assert not is_in_parts(disclosure(*stored, max_cells=200, **asked))


@pytest.mark.parametrize("value", [0, -1, 2.5, "many", True])
def test_max_cells_is_a_number_of_rows(hundred, value):
    with pytest.raises(InputError, match=r"max_cells: .* is not a whole number of 1 or more"):
        disclosure(hundred, hundred, "a", "t", max_cells=value, **QUIET)


def test_memory_that_is_left(tmp_path, monkeypatch):
    machine = tmp_path / "meminfo"
    machine.write_text("MemTotal: 8000000 kB\nMemAvailable: 4000000 kB\n")
    monkeypatch.setattr(memory, "MEMINFO", machine)
    monkeypatch.setattr(memory, "GROUP", tmp_path)
    assert memory.available_memory() == 4_096_000_000
    # a container that may use 1 GB and uses half of it
    (tmp_path / "memory.max").write_text("1000000000\n")
    (tmp_path / "memory.current").write_text("500000000\n")
    assert memory.available_memory() == 500_000_000
    few, many = memory.rows_that_fit(20), memory.rows_that_fit(2)
    assert 100_000 < few < many < 1_000_000
    (tmp_path / "memory.max").write_text("max\n")
    assert memory.available_memory() == 4_096_000_000


# ---- what a result in parts has ------------------------------------------------------


@pytest.fixture
def in_parts(hundred):
    return disclosure(hundred, hundred, ["a", "b"], "t", max_cells=30, **QUIET)


def test_single_records_are_not_at_hand(in_parts, hundred):
    with pytest.raises(InputError, match=r"counted in parts.*larger max_cells"):
        in_parts.records(hundred)
    uniques = replicated_uniques(hundred, hundred, ["a", "b"], max_cells=30)
    with pytest.raises(InputError, match=r"counted in parts.*without max_cells"):
        uniques.repU_rm  # noqa: B018
    assert uniques.to_dict(min_cell=0)["repU_rm"] is None


def test_everything_else_is(in_parts, hundred):
    once = disclosure(hundred, hundred, ["a", "b"], "t", **QUIET)
    assert str(in_parts).replace(", max_cells=30", "") == str(once)
    pd.testing.assert_frame_equal(in_parts.tidy(), once.tidy())
    again = type(in_parts).from_dict(in_parts.to_dict())
    pd.testing.assert_frame_equal(again.tidy(), once.tidy())


# ---- while it runs -------------------------------------------------------------------


class Struck(SqliteTable):
    """A table whose second part is interrupted, or is another one by then."""

    error: BaseException | None = None
    asked = 0

    def count_part(self, names, column, values):
        self.asked += 1
        counted = super().count_part(names, column, values)
        if self.asked == 2:
            if self.error is not None:
                raise self.error
            self._database.execute("DELETE FROM records WHERE c0 = 9")
        return counted


def test_an_interrupt_leaves_nothing_behind(hundred):
    original = Struck(hundred, "data")
    original.error = KeyboardInterrupt()
    call = partial(disclosure, hundred, original, ["a", "b"], "t", max_cells=30, **QUIET)
    with pytest.raises(KeyboardInterrupt):
        call()
    assert original._database.execute("SELECT COUNT(*) FROM sqlite_temp_master").fetchone() == (0,)
    once = disclosure(hundred, hundred, ["a", "b"], "t", **QUIET)
    assert not differences(once, call())


def test_a_table_that_changes_meanwhile_is_refused(hundred):
    original = Struck(hundred, "data")
    with pytest.raises(InputError, match="data: changed while it was counted in parts"):
        disclosure(hundred, original, ["a", "b"], "t", max_cells=30, **QUIET)


def test_a_part_that_one_synthesis_has_nobody_in_beside_people_who_are_no_members():
    """Key c is in the second synthesis alone: the first has nothing in that part."""
    people = pd.DataFrame({"k": ["a", "b"], "t": ["u", "v"]})
    other = pd.DataFrame({"k": ["a", "c"], "t": ["u", "v"]})
    call = partial(disclosure, [people, other], people, ["k"], "t", holdout=people)
    whole = call(compat="corrected", **QUIET)
    for cells in (1, 2):
        parts = call(compat="corrected", max_cells=cells, **QUIET)
        pd.testing.assert_frame_equal(parts.baseline, whole.baseline)


IN_TWO_PARTS = {
    "disclosure": lambda frame: disclosure(frame, frame, ["a", "b"], "t", max_cells=100),
    "replicated_uniques": lambda frame: replicated_uniques(frame, frame, ["a", "b"], max_cells=100),
    "table_utility": lambda frame: table_utility(frame, frame, ["a", "b"], max_cells=100),
}


@pytest.mark.parametrize("function", IN_TWO_PARTS)
def test_progress_is_told_in_parts(hundred, monkeypatch, function):
    told = []
    monkeypatch.setattr(Progress, "step", lambda self, what: told.append((self.total, what)))
    IN_TWO_PARTS[function](hundred)
    assert told[:2] == [(2, "part 1 of 2"), (2, "part 2 of 2")]


# ---- values by themselves ------------------------------------------------------------


def test_places_of_values():
    texts = Column("character", np.array([1, 0, 0]), np.array([False, False, True]), ("b", "a"))
    others = Column("character", np.array([0, 1, 2]), labels=("z", "b", "a"))
    assert Places(texts).of(others).tolist() == [-1, 1, 0]
    gap = Column("factor", np.array([0, -1]), np.array([False, True]), ("a", "b"))
    assert Places(texts).of(gap).tolist() == [0, 2]
    numbers = Column("double", np.array([2.5, -1.0, 0.0]), np.array([False, False, True]))
    asked = Column("double", np.array([-1.0, 2.5, 7.0, 0.0]), np.array([False] * 3 + [True]))
    assert Places(numbers).of(asked).tolist() == [1, 0, -1, 2]


def test_a_table_without_parts_of_its_own_is_filtered():
    table = FrameTable(people(k=["a", None, "b"], t=[1, 2, 3]), "data")
    values = Column("factor", np.array([0, 0]), np.array([False, True]), ("b",))
    part = count_part(table, ["k", "t"], "k", values)
    assert (part.rows, part.columns["t"].values.tolist()) == (2, [2, 3])
