"""`ifpr_found`, P(S = a): by hand, every outcome enumerated, closed forms in the limit, both tails.

2,500 random blocks are enumerated outcome by outcome with SYNTHPOP_PY_LONG=1 (`make
published-long`), the first 250 of them always; so it is with 2,500 sums in the limit.
"""

from __future__ import annotations

import math
from fractions import Fraction as F
from random import Random

import numpy as np
import pandas as pd
import pytest

from synthpop_py import InputError, ifpr
from synthpop_py.ifpr import ifpr_found, ifpr_risk, ifpr_variance
from synthpop_py.ifpr.risk import LIMIT, outcome

from .ifpr_oracle import enumerate_block, found_by_adding_units, random_block

EXACT = 1e-12  # absolute, of the same probability by other sums
RELATIVE = 1e-10  # in the tails, where probabilities are tiny
ALWAYS, LONG = range(250), range(250, 2_500)
SEEDS = pytest.mark.parametrize(
    "seeds",
    [ALWAYS, pytest.param(LONG, marks=pytest.mark.needs("a long run"))],
    ids=["250", "2250 more"],
)


# ---- by hand -------------------------------------------------------------------------


def test_singles_that_stay_and_come():
    """Each of three stays with 1/2 and comes with 1/4 to a given other cell: 32 P(S) = 9, 15, 7, 1.
    Two with theta 1 change places.
    """
    found = ifpr_found(0.5, T=1, a=[0, 1, 2, 3, 4], block={1: 3})
    assert (32 * found).round(12).tolist() == [9, 15, 7, 1, 0]
    assert ifpr_found(1, T=1, a=[0, 1, 2], block={1: 2}).tolist() == [0, 1, 0]


def test_nobody_moves_and_sizes_that_take_no_part_stay():
    counts = [0, 1, 2, 3]
    for block in ({1: 1, 2: 1}, None):
        assert ifpr_found(0, T=2, a=counts, block=block).tolist() == [0, 0, 1, 0]
    block = {1: 3, 4: 2}
    assert ifpr_found({1: 0.5}, T=4, a=[3, 4, 5], block=block).tolist() == [0, 1, 0]
    assert ifpr_found({1: 0.5}, T=1, a=0, block=block) == pytest.approx(9 / 32)


@pytest.mark.parametrize("theta", [0.1, 0.5, 0.8, 1.0])
def test_low_counts_in_the_limit(theta):
    """None: all T leave and nobody comes, (theta / T)^T exp(-theta). One, T = 1: it stayed and
    nobody came, or it left and one came.
    """
    found = ifpr_found(theta, T=[1, 2, 3], a=0)
    by_hand = [(theta / T) ** T * math.exp(-theta) for T in (1, 2, 3)]
    assert found.tolist() == pytest.approx(by_hand, rel=EXACT)
    one = math.exp(-theta) * ((1 - theta) + theta * theta)
    assert ifpr_found(theta, T=1, a=1) == pytest.approx(one, rel=EXACT)


# ---- oracles -------------------------------------------------------------------------


@SEEDS
def test_every_outcome_of_random_blocks(seeds):
    for seed in seeds:
        block = random_block(Random(seed))
        truth = block.enumerated()
        theta = {T: float(theta) for T, theta in block.theta.items()}
        counts = list(range(sum(block.sizes) + 2))
        for T in block.cells:
            found = ifpr_found(theta, T, counts, block.cells)
            expected = [truth.found[block.sizes.index(T)].get(a, 0) for a in counts]
            assert found == pytest.approx(np.array(expected, float), abs=EXACT), (seed, T)


@SEEDS
def test_sums_in_the_limit(seeds):
    """Binomial and Poisson, term by term in fractions but for exp(-theta)."""
    for seed in seeds:
        random = Random(seed)
        T, a = random.randint(1, 9), random.randint(0, 12)
        theta = F(random.randint(0, 20 * T), 20)
        leave = theta / T
        terms = [
            math.comb(T, j)
            * (1 - leave) ** j
            * leave ** (T - j)
            * theta ** (a - j)
            / math.factorial(a - j)
            for j in range(min(T, a) + 1)
        ]
        expected = float(sum(terms)) * math.exp(-theta)
        found = ifpr_found({T: float(theta)}, T, a)
        assert found == pytest.approx(expected, rel=RELATIVE, abs=1e-300), (T, a, theta)


@pytest.mark.parametrize("theta", [F(1, 20), F(4, 5), F(1)])
def test_both_tails_of_a_larger_block(theta):
    """30 singles and 20 doubles, all 71 counts; the last has a chance of 1e-100 or less."""
    block = {1: 30, 2: 20}
    arrivals = [theta / 49] * 30 + [theta / 98] * 38
    chances = [1 - theta / 2] * 2 + arrivals
    exact = found_by_adding_units(chances)
    found = ifpr_found(float(theta), T=2, a=range(len(exact)), block=block)
    assert found == pytest.approx(np.array(exact, float), rel=RELATIVE)
    assert 0 < exact[-1] < F(1, 10**90)


def test_numbers_without_and_with_poisson_arrivals():
    """Many rare events are nearly Poisson: the limit, from the other side."""
    n = 10**8
    few = 3, 0.75, [LIMIT], [2.5 / LIMIT]
    many = 3, 0.75, [n], [2.5 / n]
    for total in (0, 1, 5, 20):
        limit, _ = outcome(*few, total)
        assert outcome(*many, total)[0] == pytest.approx(limit, rel=1e-5)


# ---- what must hold ------------------------------------------------------------------


@pytest.mark.parametrize(
    "block", [None, {1: 3, 2: 2}, {1: 1, 2: 1}, {1: 10**6, 2: 350_000}, {1: 40, 3: 2}], ids=str
)
def test_chances_sum_to_one_and_keep_the_count(block):
    counts = np.arange(60)
    for T in block or (1, 2):
        found = ifpr_found(0.8, T, counts, block)
        assert found.sum() == pytest.approx(1, abs=EXACT)
        assert (found * counts).sum() == pytest.approx(T, abs=1e-11)
        variance = (found * (counts - T) ** 2).sum()
        assert variance == pytest.approx(ifpr_variance(0.8, T, block), rel=1e-9)


@pytest.mark.parametrize("block", [None, {1: 3, 2: 2}, {1: 100, 2: 35}], ids=str)
def test_with_the_risk_it_gives_the_overall_chance(block):
    counts = np.arange(1, 60)
    for T in (1, 2):
        risk = np.nan_to_num(ifpr_risk(0.8, T, counts, block))
        overall = (ifpr_found(0.8, T, counts, block) * risk).sum()
        assert overall == pytest.approx(ifpr_risk(0.8, T, None, block), abs=EXACT)


def test_large_blocks_approach_the_limit():
    limit = ifpr_found(0.8, T=[[1], [2]], a=range(6))
    far = ifpr_found(0.8, T=[[1], [2]], a=range(6), block={1: 10**7, 2: 4 * 10**6})
    near = ifpr_found(0.8, T=[[1], [2]], a=range(6), block={1: 10, 2: 4})
    assert np.abs(far - limit).max() < 1e-7 < 1e-3 < np.abs(near - limit).max()


def test_large_cells_and_counts():
    """A hundred thousand units, none lost to rounding: mean and variance of the window."""
    T = 100_000
    theta = {T: T / 2}
    counts = np.arange(T - 2_500, T + 2_500, 25)
    found = ifpr_found(theta, T, counts)
    assert 25 * found.sum() == pytest.approx(1, abs=1e-6)
    assert 25 * (found * counts).sum() == pytest.approx(T, rel=1e-6)


def test_arrays_are_stretched():
    found = ifpr_found([[0.5], [0.8]], T=1, a=[0, 1])
    assert found.shape == (2, 2) and found[1, 0] == ifpr_found(0.8, 1, 0)
    assert isinstance(ifpr_found(0.8, 1, 0), float)


# ---- a release -----------------------------------------------------------------------


def test_table_of_a_release():
    """One block of three singles, one of a single and a double; "all blocks" weights units."""
    people = pd.DataFrame({"sex": list("fffmmm"), "age": [30, 31, 32, 30, 31, 31]})
    release = ifpr(people, ["sex", "age"], theta=0.5, blocks="sex", small_blocks="keep")
    table = release.found_table(max_a=3)
    assert list(table.columns) == [f"T={T} P({a})" for T in (1, 2) for a in range(4)]
    f, m, everybody = (row.tolist() for _, row in table.filter(like="T=1").iterrows())
    assert [32 * p for p in f] == pytest.approx([9, 15, 7, 1])
    truth = enumerate_block([1, 2], {1: F(1, 2), 2: F(1, 4)}).found[0]
    assert m == pytest.approx([float(truth[a]) for a in range(4)])
    assert table.loc["sex: f"].filter(like="T=2").isna().all()
    assert everybody == pytest.approx([(3 * x + y) / 4 for x, y in zip(f, m)])
    assert release.found_table().shape == (3, 6)


# ---- bad input -----------------------------------------------------------------------


@pytest.mark.parametrize("a", [-1, 0.5, None, [], "1"])
def test_counts_that_are_none(a):
    with pytest.raises(InputError, match=r"a: .* cannot be used; give a whole number of 0 or more"):
        ifpr_found(0.5, 1, a)


@pytest.mark.parametrize(
    "asked, says",
    [
        ((0.5, 0, 1), "T: 0 cannot be used; give a whole number of 1 or more"),
        ((0.5, 3, 1, {1: 3, 2: 2}), "T: the block has no cells of 3 units"),
        (({1: 0.5}, 2, 1), "theta: has no entry for cells of 2 units"),
        ((0.5, [1, 2], [0, 1, 2]), "theta, T, a: arrays of the shapes"),
    ],
)
def test_other_arguments_as_in_the_risk(asked, says):
    with pytest.raises(InputError, match=says):
        ifpr_found(*asked)
