"""`ifpr_theta`: the smallest theta that meets the goal, in the limit and in given blocks, with one
theta and with one for each size.
"""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from synthpop_py import InputError
from synthpop_py.ifpr import ifpr, ifpr_risk, ifpr_theta, ifpr_xi
from synthpop_py.ifpr.theta import limit_theta

EXACT = 1e-12
SOLVED = 1e-9  # of a root found on ever finer grids


# ---- the limit -----------------------------------------------------------------------


@pytest.mark.parametrize("xi", [1 / 3, 0.34, 0.395, 3 / 7, 0.5, 0.6, 0.75, 0.9, 0.999])
def test_there_and_back_in_the_limit(xi):
    theta = ifpr_theta(xi)
    assert isinstance(theta, float) and 0 < theta <= 1
    assert ifpr_xi(theta) == pytest.approx(xi, rel=EXACT)
    assert ifpr_xi(theta - 1e-6) > xi  # nothing smaller will do


@pytest.mark.parametrize("xi", [1 - 1e-9, 1 - 1e-12, 1 - 1e-13, 1 - 1e-15])
def test_goals_next_to_one(xi):
    theta = ifpr_theta(xi)
    assert theta == pytest.approx((1 - xi) ** 0.5, rel=1e-3)
    assert ifpr_theta(xi, scheme="size") == {1: theta}
    people = pd.DataFrame({"x": [1, 2, 3, 3]})
    for scheme in ("common", "size"):
        assert ifpr(people, "x", xi=xi, scheme=scheme).verify().ok
    with pytest.raises(InputError, match="cannot meet xi"):  # one unit alone is found for sure
        ifpr(people.head(1), "x", xi=xi)


def test_the_two_branches_cross_at_two_thirds():
    assert [limit_theta(3 / 7, T) for T in (1, 2)] == pytest.approx([2 / 3, 2 / 3])
    assert ifpr_theta(0.45) == limit_theta(0.45, 1) > limit_theta(0.45, 2)
    assert ifpr_theta(0.4) == limit_theta(0.4, 2) > limit_theta(0.4, 1)
    assert limit_theta(0.5, 2) == limit_theta(0.9, 3) == 0


@given(st.floats(0.001, 0.999))
@settings(max_examples=200, deadline=None)
def test_each_size_meets_its_goal_exactly(xi):
    for T in range(1, 8):
        theta = limit_theta(xi, T)
        assert 0 <= theta <= T
        if theta:
            assert ifpr_risk({T: theta}, T, 1) == pytest.approx(xi, rel=1e-9)
        else:
            assert 1 / T <= xi * (1 + EXACT)


def test_below_one_third_each_size_has_its_own():
    # IR_T(1) = xi solved for each T: docs/pages/explanation/where-expected-figures-come-from.md
    theta = ifpr_theta(0.25)
    assert list(theta) == [1, 2, 3]
    assert list(theta.values()) == pytest.approx([0.7913, 1.2361, 1.3028], abs=5e-5)
    sizes = {0.33: 3, 0.3: 3, 0.25: 3, 0.24: 4, 0.2: 4, 0.1: 9}  # ceil(1 / xi) - 1
    assert {xi: len(ifpr_theta(xi)) for xi in sizes} == sizes
    assert ifpr_xi(theta) == pytest.approx(0.25)


def test_by_size_can_be_asked_for_above_one_third():
    theta = ifpr_theta(0.395, scheme="size")
    assert theta == {T: limit_theta(0.395, T) for T in (1, 2)}
    assert max(theta.values()) == ifpr_theta(0.395)
    assert list(ifpr_theta(0.6, scheme="size")) == [1]


# ---- given blocks --------------------------------------------------------------------

BLOCKS = [{1: 3}, {1: 5}, {2: 2}, {2: 5}, {1: 3, 2: 2}, {1: 10, 2: 5}, {1: 1, 2: 4}]
BLOCKS += [{1: 100, 2: 30}, {1: 2, 2: 2, 3: 2}]


@pytest.mark.parametrize("block", BLOCKS, ids=str)
@pytest.mark.parametrize("xi", [0.35, 0.395, 0.45, 0.7])
def test_smallest_theta_of_a_block(block, xi):
    theta = ifpr_theta(xi, block)
    assert ifpr_xi(theta, block) <= xi + SOLVED
    smaller = np.linspace(0, theta - 1e-6, 40) if theta > 0 else []
    assert all(ifpr_xi(t, block) > xi for t in smaller)
    assert theta <= ifpr_theta(xi) + SOLVED  # the limit is on the safe side


def test_a_block_by_hand():
    # two alone, a = 1: (1-t)^2 / ((1-t)^2 + t^2) <= 3/5, so ((1-t)/t)^2 = 3/2; a = 2 has 1/2
    root = (3 / 2) ** 0.5
    assert ifpr_theta(0.6, {1: 2}) == pytest.approx(1 / (1 + root), abs=SOLVED)
    assert ifpr_theta(0.5, {2: 4}) == 0  # two who share a cell have 1/2 without any change


@pytest.mark.parametrize(
    "block, xi, theta, a", [({1: 2}, 0.45, 0.7, 2), ({1: 3}, 0.33, 0.9, 3), ({1: 4}, 0.24, 0.9, 4)]
)
def test_other_counts_than_one_decide_whether_it_can_be_done(block, xi, theta, a):
    # one record found would be safe
    assert ifpr_risk(theta, 1, 1, block) < xi < ifpr_risk(theta, 1, a, block)
    with pytest.raises(InputError, match=f"1/{a} whatever theta is"):
        ifpr_theta(xi, block, scheme="common")


def test_large_blocks_are_as_the_limit():
    for xi in (0.395, 0.6):
        assert ifpr_theta(xi, {1: 10**6, 2: 3 * 10**5}) == pytest.approx(ifpr_theta(xi), abs=1e-5)
    exact = ifpr_theta(0.25, {1: 10**6, 2: 10**5, 3: 10**4})
    assert exact == pytest.approx(ifpr_theta(0.25), abs=1e-4)


@pytest.mark.parametrize(
    "block", [{1: 10, 2: 5, 3: 4}, {1: 4, 2: 4}, {1: 3, 2: 3, 3: 3, 5: 2}, {3: 6}]
)
def test_by_size_in_a_block(block):
    xi = 0.25
    theta = ifpr_theta(xi, block)
    assert list(theta) == [T for T in block if T < 4]  # cells of four and more have at most 1/4
    perturbed = {T: block[T] for T in theta}
    counts = np.arange(1, sum(T * n for T, n in perturbed.items()) + 1)
    for T in theta:
        highest = np.nanmax(ifpr_risk(theta, T, counts, perturbed))
        assert highest == pytest.approx(xi, abs=1e-8)  # met, and by none more than needed
        assert theta[T] <= limit_theta(xi, T) + SOLVED


# ---- what cannot be done -------------------------------------------------------------

BAD = [
    (dict(xi=0), "xi: 0 is not a number above 0 and below 1"),
    (dict(xi=1), "xi: 1 is not a number above 0 and below 1"),
    (dict(xi=39.5), "xi: 39.5 is not a number above 0 and below 1"),
    (dict(xi=-0.2), "xi: -0.2 is not a number above 0 and below 1"),
    (dict(xi=float("nan")), "xi: nan"),
    (dict(xi="low"), "xi: 'low'"),
    (
        dict(xi=0.395, block={1: 2}),
        "block: no theta below 1 meets xi = 0.395 in {1: 2}: when all its 2 units end in one cell"
        " the chance of a correct match is 1/2 whatever theta is; merge the block with another, or"
        " raise xi",
    ),
    (dict(xi=0.395, block={1: 1}), "block: {1: 1} has 1 cells"),
    (dict(xi=0.2, block={1: 2, 2: 1}), "1/4 whatever theta is"),
    (dict(xi=0.25, scheme="common"), "scheme: one theta for all cells cannot reach xi = 0.25"),
    (dict(xi=0.4, scheme="both"), "scheme: 'both' is unknown; choices: 'common', 'size'"),
    (dict(xi=0.25, block={1: 1, 2: 1, 7: 3}), "block: no theta below 1 meets xi = 0.25"),
]


@pytest.mark.parametrize("given, says", BAD, ids=[str(g)[1:30] for g, _ in BAD])
def test_bad_input_is_named(given, says):
    with pytest.raises(InputError) as error:
        ifpr_theta(**given)
    assert says in str(error.value)
