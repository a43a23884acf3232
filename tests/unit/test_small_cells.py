"""The rule on small cells, and the audit behind it: an attacker who solves the printed sums never
pins a hidden count to fewer than `min_cell` values.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import optimize

from synthpop_py import disclosure
from synthpop_py.show import MIN_CELL, Cell, Count, Relation, fill
from synthpop_py.show.audit import Range, exposed, hide_more
from synthpop_py.show.small_cells import hidden_names, is_small
from synthpop_py.show.sums import Group, Seen
from tests.unit.every_result import made


def cells(**numbers: float) -> list[Cell]:
    return [Cell(n, (fill.count(name, n),)) for name, n in numbers.items()]


# ---- the rule ------------------------------------------------------------------------


@pytest.mark.parametrize(
    "n, small", [(0, False), (0.5, True), (1, True), (9, True), (9.99, True), (10, False)]
)
def test_counts_from_1_to_9_are_small(n, small):
    assert is_small(Count("a", n), MIN_CELL) is small


@pytest.mark.parametrize("n, small", [(0, True), (9, True), (10, False), (-1, False)])
def test_of_a_complement_none_is_as_telling_as_a_few(n, small):
    assert is_small(Count("a", n, complement=True), MIN_CELL) is small


@pytest.mark.parametrize("min_cell", [0, 1])
def test_nothing_is_hidden_when_all_may_be_shown(min_cell):
    assert hidden_names(cells(a=1, b=0), (), min_cell) == frozenset()


def test_the_last_part_of_a_sum_is_hidden_with_the_first():
    parts = fill.total("all", ["a", "b", "c"])
    assert hidden_names(cells(all=60, a=40, b=4, c=16), (parts,), 10) == {"b", "c"}


def test_two_small_ones_whose_sum_is_small_take_a_third():
    parts = fill.total("all", ["a", "b", "c"])
    # b + c = 5 is known from the others, so that each could only be 0 to 5
    assert hidden_names(cells(all=45, a=40, b=4, c=1), (parts,), 10) == {"a", "b", "c"}


def test_the_least_worthy_is_hidden():
    parts = fill.total("all", ["a", "b", "c"])
    shown = [*cells(all=60, b=4, c=40), Cell(16, (fill.count("a", 16, worth=9),))]
    assert hidden_names(shown, (parts,), 10) == {"b", "c"}


def test_a_pair_hides_its_total_where_the_threshold_would_tell():
    # listed because more than 80 % have the value: of 92 at least 74, which leaves 19 values
    part, whole = fill.count("part", 91), fill.count("whole", 92)
    rest = fill.others("rest", part, whole)
    shown = [Cell(91, (part,)), Cell(92, (whole,)), Cell(98.9, (part, whole, rest))]
    ties = (fill.total("whole", ["part", "rest"]), fill.at_least("part", 0.8, "whole"))
    assert hidden_names(shown, ties, 10) == {"part", "rest"}
    assert hidden_names(shown, ties, 30) == {"part", "rest", "whole"}


def test_everybody_in_a_pair_is_hidden_too():
    part, whole = fill.count("part", 92), fill.count("whole", 92)
    rest = fill.others("rest", part, whole)
    shown = [Cell(92, (part,)), Cell(92, (whole,)), Cell(100.0, (part, whole, rest))]
    assert len(hidden_names(shown, (fill.total("whole", ["part", "rest"]),), 10)) >= 2


def test_an_inequality_that_is_too_narrow_hides_its_other_end():
    # a lower bound of 91 and an upper one of 92 would leave two values
    ties = (fill.at_most("few", "part"), fill.at_most("part", "whole"))
    counts = {"few": Count("few", 91), "whole": Count("whole", 92), "part": Count("part", 91)}
    assert "few" in hide_more(counts, frozenset({"part"}), ties, 10)


def test_a_relation_that_r_breaks_tells_nobody_anything():
    parts = fill.total("all", ["a", "b"])
    assert hidden_names(cells(all=60, a=40, b=4), (parts,), 10) == {"b"}


def test_means_need_not_be_whole():
    parts = fill.total("all", ["a", "b", "c"])
    assert hidden_names(cells(all=60.4, a=40.2, b=4.2, c=16), (parts,), 10) == {"b", "c"}


def test_what_is_exposed_is_told_with_its_range():
    counts = {name: Count(name, n) for name, n in {"all": 60, "a": 56, "b": 4}.items()}
    found = exposed(counts, frozenset({"b"}), (fill.total("all", ["a", "b"]),), 10)
    assert list(found) == ["b"] and found["b"].values == 1
    assert found["b"].low == pytest.approx(4) and found["b"].high == pytest.approx(4)


def test_ranges():
    assert Range(0.5, 3.5).values == 3 and Range(0, math.inf).values == math.inf
    assert Range(math.inf, -math.inf).values == 0


def test_the_solver_is_asked_only_where_bounds_leave_doubt(monkeypatch):
    """Of each of five sums a part of 4 follows from bounds; with the other part hidden, lowest and
    highest value of that one are a proof for both.
    """
    solved = []
    solve = optimize.milp

    def counted(*given, **options):
        solved.append(given)
        return solve(*given, **options)

    monkeypatch.setattr(optimize, "milp", counted)
    numbers, relations = {}, []
    for i in range(5):
        numbers |= {f"all {i}": 60, f"a {i}": 56, f"b {i}": 4}
        relations.append(fill.total(f"all {i}", [f"a {i}", f"b {i}"]))
    hidden = hidden_names(cells(**numbers), relations, 10)
    assert hidden == {f"{part} {i}" for part in "ab" for i in range(5)}
    assert len(solved) <= 10


def test_sums_that_hang_together_by_printed_counts_alone_are_apart():
    """Two sums share a printed part: each has a system of its own. Hide it, and there is one."""
    numbers = {"one": 60, "two": 70, "a": 4, "b": 5, "c": 40}
    counts = {name: Count(name, n) for name, n in numbers.items()}
    relations = [fill.total("one", ["a", "c"]), fill.total("two", ["b", "c"])]
    group = Group(relations, counts)
    assert [s.unknown for s in group.systems({"a", "b"})] == [("a",), ("b",)]
    assert [s.unknown for s in group.systems({"a", "b", "c"})] == [("a", "c", "b")]


def test_bounds_are_never_narrower_than_what_fits():
    """x + y = 12, x <= 5, both whole: 0 to 5, and 7 to 12."""
    counts = {name: Count(name, n) for name, n in {"x": 3, "y": 9, "all": 12, "five": 5}.items()}
    relations = [fill.total("all", ["x", "y"]), fill.at_most("x", "five")]
    (system,) = Group(relations, counts).systems({"x", "y"})
    found = dict(zip(system.unknown, zip(*system.bounds())))
    assert found == {"x": (0, 5), "y": (7, 12)}
    seen = Seen(counts, relations)
    assert system.feasible("x", seen) == Range(0, 5) and seen.values_of("y") == 6


def test_the_solver_says_nothing_on_standard_output(capfd):
    """Sums with means left it as little room as its own tolerance: it remarked on that, from C."""
    made("Disclosure with a holdout").to_dict(min_cell=10)
    assert capfd.readouterr() == ("", "")


def test_a_level_and_a_pair_give_nobody_away_where_other_levels_are_left_out():
    """304 people have job x (88.37 % of 344), 300 of the 340 women: 4 men. That 56 people with job
    z are left out changes neither number.
    """

    def table(**often: int) -> pd.DataFrame:
        return pd.DataFrame([tuple(both) for both, n in often.items() for _ in range(n)])

    original = table(fx=300, fz=40, mx=4, my=40, mz=16)
    released = table(fx=300, mx=20, my=20, mz=20)
    for frame in (original, released):
        frame.columns = ["sex", "job"]
    result = disclosure(
        released,
        original,
        "sex",
        "job",
        not_targetlev="z",
        compat="corrected",
        print_flag=False,
    )
    content = result.to_dict(min_cell=10)
    of_level, of_pair = (content[check][0] for check in ("check_1way", "check_2way"))
    level = dict(zip(of_level["columns"], of_level["values"]))["PctLevelAll"]
    pair = dict(zip(of_pair["columns"], of_pair["values"]))
    shown = result.check_1way[0], result.check_2way[0]
    assert round(shown[0]["PctLevelAll"].iloc[0] * 3.44) - shown[1]["key_target_total"].iloc[0] == 4
    assert level == [None] or pair["key_target_total"] == pair["PctTargetKeyLevel"] == [None]


def test_base_capd_of_two_levels_and_a_pair_give_nobody_away():
    """304 people have job x and 240 have y, which is what baseCAPd of two levels says; 300 of the
    340 women have x. So 4 men have it, although no level is listed.
    """

    def table(**often: int) -> pd.DataFrame:
        people = [tuple(both) for both, n in often.items() for _ in range(n)]
        return pd.DataFrame(people, columns=["sex", "job"])

    original = table(fx=300, fy=40, mx=4, my=200)
    others = table(fx=300, fy=40, mx=44, my=160)
    for people, is_hidden in ((original, True), (others, False)):
        result = disclosure(
            [table(fx=300, my=200), table(fx=1, fy=1, mx=1, my=1)],
            people,
            "sex",
            "job",
            compat="corrected",
            print_flag=False,
        )
        content = result.to_dict(min_cell=10)
        assert content["check_1way"] == [None, None]
        assert content["check_2way"][0]["values"][3][0] == 300
        # the second synthesis lists no pair, and has the same baseCAPd
        for shares in content["shares"]:
            assert (shares["baseCAPd"][0] is None) is is_hidden
            assert (shares["DCAPd_scaled"][0] is None) is is_hidden


# ---- an attacker ---------------------------------------------------------------------


def could_have(
    number: int,
    name: str,
    counts: Mapping[str, int],
    hidden: frozenset[str],
    relations: Sequence[Relation],
) -> bool:
    """Whether the attacker cannot rule out so many values of a hidden count; each is tried."""
    unknown = sorted(hidden)
    matrix, sums = [], []
    for relation in relations:
        factors = dict.fromkeys(unknown, 0.0)
        factors |= {n: f for f, n in relation.terms if n in hidden}
        matrix.append(list(factors.values()))
        sums.append(-sum(f * counts[n] for f, n in relation.terms if n not in hidden))
    matrix.append([float(n == name) for n in unknown])
    values = 0
    for n in range(50):
        target = np.array([*sums, n])
        solved = optimize.milp(
            np.zeros(len(unknown)),
            constraints=optimize.LinearConstraint(np.array(matrix), target, target),
            integrality=np.ones(len(unknown)),
        )
        values += solved.status == 0
        if values >= number:
            return True
    return False


@st.composite
def tables(draw) -> tuple[dict[str, int], list[Relation]]:
    """A two-way table with its margins, some of them printed only as a sum of all."""
    rows, columns = draw(st.integers(1, 3)), draw(st.integers(2, 3))
    number = st.one_of(st.integers(0, 4), st.integers(0, 15))
    inside = [[draw(number) for _ in range(columns)] for _ in range(rows)]
    counts = {f"{i}{j}": inside[i][j] for i in range(rows) for j in range(columns)}
    relations = []
    for i in range(rows):
        counts[f"row {i}"] = sum(inside[i])
        relations.append(fill.total(f"row {i}", [f"{i}{j}" for j in range(columns)]))
    if draw(st.booleans()):
        for j in range(columns):
            counts[f"column {j}"] = sum(row[j] for row in inside)
            relations.append(fill.total(f"column {j}", [f"{i}{j}" for i in range(rows)]))
    return counts, relations


@settings(max_examples=40, deadline=None)
@given(tables(), st.integers(2, 12))
def test_no_attacker_pins_a_hidden_count(table, min_cell):
    counts, relations = table
    hidden = hidden_names(cells(**counts), relations, min_cell)
    for name, n in counts.items():
        if 0 < n < min_cell:
            assert name in hidden
    for name in hidden:
        assert could_have(min_cell, name, counts, hidden, relations)


@settings(max_examples=100, deadline=None)
@given(st.lists(st.integers(0, 200), min_size=2, max_size=8), st.integers(2, 20))
def test_no_attacker_pins_a_part_of_a_sum(parts, min_cell):
    counts = {f"part {i}": n for i, n in enumerate(parts)}
    relation = fill.total("all", list(counts))
    hidden = hidden_names(cells(**counts, all=sum(parts)), (relation,), min_cell)
    if not hidden or "all" in hidden:
        return
    unknown = sum(parts) - sum(n for name, n in counts.items() if name not in hidden)
    # each of two or more hidden parts could be anything from nobody to all of the unknown ones
    assert len(hidden) >= 2 and unknown + 1 >= min_cell


@settings(max_examples=100, deadline=None)
@given(st.lists(st.integers(0, 60), min_size=1, max_size=6), st.integers(2, 12))
def test_nothing_is_hidden_without_need(parts, min_cell):
    counts = {f"part {i}": n for i, n in enumerate(parts)}
    relation = fill.total("all", list(counts))
    hidden = hidden_names(cells(**counts, all=sum(parts)), (relation,), min_cell)
    assert bool(hidden) == any(0 < n < min_cell for n in (*parts, sum(parts)))
