"""The post-randomisation matrix: by hand, against enumeration, and against draws of a release.

2,500 random blocks with SYNTHPOP_PY_LONG=1 (`make published-long`), the first 250 of them always.
"""

from __future__ import annotations

from random import Random

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from synthpop_py import InputError, ifpr
from synthpop_py.ifpr import IFPRRelease, ifpr_matrix, ifpr_variance

from .ifpr_oracle import random_block

EXACT = 1e-12  # the same numbers, multiplied in another order
BALANCED = 1e-12  # shares of thetas by size are found by halving intervals
ALWAYS, LONG = range(250), range(250, 2_500)
SEEDS = pytest.mark.parametrize(
    "seeds",
    [ALWAYS, pytest.param(LONG, marks=pytest.mark.needs("a long run"))],
    ids=["250", "2250 more"],
)


# ---- of a block ----------------------------------------------------------------------


def test_two_singles_and_a_double():
    matrix = ifpr_matrix(0.5, {2: 1, 1: 2})
    expected = [[0.5, 0.25, 0.25], [0.25, 0.5, 0.25], [0.125, 0.125, 0.75]]
    assert matrix == pytest.approx(np.array(expected), abs=EXACT)


def test_two_that_change_places():
    assert ifpr_matrix(1, {1: 2}).tolist() == [[0, 1], [1, 0]]


def test_sizes_without_a_theta_stay():
    matrix = ifpr_matrix({1: 0.5}, {1: 2, 3: 1})
    assert matrix.tolist() == [[0.5, 0.5, 0], [0.5, 0.5, 0], [0, 0, 1]]
    assert ifpr_matrix({3: 0.5}, {1: 2, 2: 1}).tolist() == np.eye(3).tolist()


@SEEDS
def test_random_blocks(seeds):
    """Chances are those of every unit enumerated, rows sum to 1, counts are kept, and covariances
    are diag(n) - P' diag(n) P.
    """
    for seed in seeds:
        block = random_block(Random(seed))
        truth = block.enumerated()
        theta = {T: float(theta) for T, theta in block.theta.items()}
        matrix = ifpr_matrix(theta, block.cells)
        assert matrix == pytest.approx(np.array(truth.matrix, float), abs=BALANCED), seed
        assert matrix.sum(axis=1) == pytest.approx(np.ones(len(matrix)), abs=BALANCED)
        n = np.array(block.sizes)
        assert n @ matrix == pytest.approx(n, abs=BALANCED)
        covariance = np.diag(n) - matrix.T @ np.diag(n) @ matrix
        for (c, d), expected in truth.covariance.items():
            assert covariance[c, d] == pytest.approx(float(expected), abs=BALANCED), (seed, c, d)


def test_a_share_of_one_half():
    """Shares 1/4, 1/4 and 1/2, H = 28/9: there x (1 - x) has a double root, and half of the digits
    were lost.
    """
    matrix = ifpr_matrix({1: 7 / 12, 2: 7 / 9}, {1: 2, 2: 1})
    leave = 7 / 12
    expected = [1 - leave, leave / 3, leave * 2 / 3]
    assert matrix[0] == pytest.approx(expected, abs=EXACT)
    assert matrix.sum(axis=1) == pytest.approx(np.ones(3), abs=EXACT)


@pytest.mark.parametrize("below", [1e-10, 1e-9, 3e-9, 1e-8, -1e-9, -1e-8])
def test_a_share_near_one_half(below):
    top = 0.5 - below
    other = (1 - top) / 2
    theta = {1: other * (1 - other), 2: top * (1 - top)}
    matrix = ifpr_matrix(theta, {1: 2, 2: 1})
    assert matrix.sum(axis=1) == pytest.approx(np.ones(3), abs=EXACT)


@pytest.mark.parametrize("theta", [0.8, {1: 0.79, 2: 1.24}], ids=str)
def test_variances_are_those_of_the_formula(theta):
    block = {1: 10, 2: 5}
    matrix = ifpr_matrix(theta, block)
    n = np.repeat([1, 2], [10, 5])
    variance = n - n @ matrix**2
    expected = np.repeat(ifpr_variance(theta, [1, 2], block), [10, 5])
    assert variance == pytest.approx(expected, abs=BALANCED)


def test_blocks_without_a_matrix():
    with pytest.raises(InputError, match=r"block: .* has 1 cells"):
        ifpr_matrix(0.5, {1: 1})
    with pytest.raises(InputError, match="one cell would send as many"):
        ifpr_matrix({2: 0.5}, {1: 3, 2: 1})
    with pytest.raises(InputError, match="one cell would send as many units as all others"):
        ifpr_matrix({1: 0.5, 2: 1.2}, {1: 2, 2: 1})
    with pytest.raises(InputError, match=r"100,000,000 entries.*give a smaller one"):
        ifpr_matrix(0.5, {1: 10_000})


# ---- of a release --------------------------------------------------------------------

PEOPLE = pd.DataFrame(
    {
        "sex": list("ffffmmmmmmm"),
        "age": [30, 31, 31, 32, 30, 31, 31, 33, 34, 34, 34],
        "income": range(11),
    }
)


def released(**given) -> IFPRRelease:
    options = {"theta": 0.5, "blocks": "sex", "seed": 1, "reproducible": True} | given
    return ifpr(PEOPLE, ["sex", "age"], **options)


def test_cells_by_their_keys():
    """The three men of 34 take no part."""
    cells = released().cells
    assert cells.index.names == ["sex", "age"]
    rows = {
        keys: (row.block, row.T, row.leave) for keys, row in zip(cells.index, cells.itertuples())
    }
    assert rows == {
        ("f", 30): ("sex: f", 1, 0.5),
        ("f", 32): ("sex: f", 1, 0.5),
        ("f", 31): ("sex: f", 2, 0.25),
        ("m", 30): ("sex: m", 1, 0.5),
        ("m", 33): ("sex: m", 1, 0.5),
        ("m", 31): ("sex: m", 2, 0.25),
    }


def test_cells_count_the_release():
    release = released()
    after = release.data.groupby(["sex", "age"]).size()
    counted = release.cells["S"]
    assert counted.sum() == 8
    assert {keys: after.get(keys, 0) for keys in counted.index} == counted.to_dict()
    assert (counted != release.cells["T"]).any()


def test_matrix_of_a_release_is_block_diagonal():
    matrix = released().matrix()
    assert sparse.issparse(matrix)
    block = ifpr_matrix(0.5, {1: 2, 2: 1})
    nothing = np.zeros((3, 3))
    expected = np.block([[block, nothing], [nothing, block]])
    assert matrix.toarray() == pytest.approx(expected, abs=EXACT)
    assert matrix.nnz == 18


def test_one_block_of_a_release():
    release = released(blocks=None, max_count=3)
    assert release.matrix("whole file").toarray().tolist() == release.matrix().toarray().tolist()
    by_sex = released()
    rows = (by_sex.cells["block"] == "sex: m").to_numpy()
    part = by_sex.matrix().toarray()[np.ix_(rows, rows)]
    assert by_sex.matrix("sex: m").toarray().tolist() == part.tolist()


def test_blocks_where_nobody_moves_have_ones():
    """One man is alone with his town: nowhere to go."""
    people = pd.DataFrame({"sex": list("ffm"), "town": list("ABA")})
    release = ifpr(
        people,
        ["sex", "town"],
        theta=0.5,
        blocks="sex",
        small_blocks="keep",
        seed=1,
        reproducible=True,
    )
    assert release.matrix().toarray().tolist() == [[0.5, 0.5, 0], [0.5, 0.5, 0], [0, 0, 1]]
    assert release.cells["leave"].tolist() == [0.5, 0.5, 0]


def test_thetas_by_size_in_a_release():
    release = released(theta={1: 0.6, 2: 0.9}, blocks=None)
    cells = release.cells
    matrix = release.matrix()
    block = {1: 4, 2: 2}
    assert matrix.toarray() == pytest.approx(ifpr_matrix({1: 0.6, 2: 0.9}, block), abs=EXACT)
    assert cells["T"].to_numpy() @ matrix == pytest.approx(cells["T"].to_numpy(), abs=BALANCED)


def test_chances_of_nothing_are_not_kept():
    """Doubles rest, and nobody comes to them: four singles among themselves, two ones."""
    matrix = released(theta={1: 0.6, 2: 0}, blocks=None).matrix()
    assert matrix.nnz == 4 * 4 + 2
    assert matrix.toarray()[4:].tolist() == np.eye(6)[4:].tolist()


def test_draws_follow_the_matrix():
    """40,000 draws for each cell; beyond 5 standard deviations with 6e-7, of 36 chances."""
    release = released(theta={1: 0.6, 2: 0.9}, blocks=None)
    matrix = release.matrix().toarray()
    draws = 40_000
    generator = np.random.default_rng(18)
    start = np.repeat(np.arange(6), draws)
    after = release._exchange.draw(start, generator)
    drawn = np.bincount(start * 6 + after, minlength=36).reshape(6, 6) / draws
    sd = np.sqrt(matrix * (1 - matrix) / draws)
    assert (np.abs(drawn - matrix) <= 5 * sd).all()


def test_one_key_and_missing_values():
    people = pd.DataFrame({"age": [30.0, None, 31, None, 40]})
    release = ifpr(people, "age", theta=0.5, seed=1, reproducible=True)
    assert release.cells.index.name == "age"
    assert release.cells["T"].tolist() == [1, 1, 1, 2]
    assert release.matrix().shape == (4, 4)


def test_nobody_is_rare():
    people = pd.DataFrame({"town": ["A"] * 4 + ["B"] * 3})
    release = ifpr(people, "town", theta=0.5, seed=1, reproducible=True)
    assert release.matrix().shape == (0, 0)
    assert len(release.cells) == 0


def test_a_block_that_is_not_there():
    with pytest.raises(InputError, match=r"block: 'sex: x' .*sex: f"):
        released().matrix("sex: x")


def test_a_release_too_large_for_one_matrix():
    people = pd.DataFrame({"town": ["A"] * 4_000 + ["B"] * 4_000, "number": range(8_000)})
    keys = ["town", "number"]
    release = ifpr(people, keys, theta=0.5, blocks="town", seed=1, reproducible=True)
    with pytest.raises(InputError, match=r"32,000,000 entries.*name one block"):
        release.matrix()
    assert release.matrix("town: B").nnz == 16_000_000


def test_a_block_too_large_for_one_matrix():
    people = pd.DataFrame({"number": range(6_000)})
    release = ifpr(people, "number", theta=0.5, seed=1, reproducible=True)
    for block in (None, "whole file"):
        with pytest.raises(InputError, match=r"36,000,000 entries.*\.cells has chances"):
            release.matrix(block)
