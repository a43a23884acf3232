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


def test_by_hand():
    two_and_one = [[0.5, 0.25, 0.25], [0.25, 0.5, 0.25], [0.125, 0.125, 0.75]]
    assert ifpr_matrix(0.5, {2: 1, 1: 2}) == pytest.approx(np.array(two_and_one), abs=EXACT)
    assert ifpr_matrix(1, {1: 2}).tolist() == [[0, 1], [1, 0]]  # they change places
    # sizes without a theta stay
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


@pytest.mark.parametrize(
    "theta, block, says",
    [
        (0.5, {1: 1}, r"block: .* has 1 cells"),
        ({2: 0.5}, {1: 3, 2: 1}, "one cell would send as many"),
        ({1: 0.5, 2: 1.2}, {1: 2, 2: 1}, "one cell would send as many units as all others"),
        (0.5, {1: 10_000}, r"100,000,000 entries.*give a smaller one"),
    ],
)
def test_blocks_without_a_matrix(theta, block, says):
    with pytest.raises(InputError, match=says):
        ifpr_matrix(theta, block)


# ---- of a release --------------------------------------------------------------------

AGES = [30, 31, 31, 32, 30, 31, 31, 33, 34, 34, 34]
PEOPLE = pd.DataFrame({"sex": list("ffffmmmmmmm"), "age": AGES, "income": range(11)})


def released(people: pd.DataFrame = PEOPLE, keys=("sex", "age"), **given) -> IFPRRelease:
    options = {"theta": 0.5, "blocks": "sex", "seed": 1, "reproducible": True} | given
    return ifpr(people, list(keys), **options)


def test_cells_by_their_keys():
    """The three men of 34 take no part."""
    release = released()
    cells = release.cells
    assert cells.index.names == ["sex", "age"]
    known = cells[["block", "T", "leave"]].itertuples(index=False, name=None)
    rows = dict(zip(cells.index, known))
    expected = {}
    for sex, alone in (("f", 32), ("m", 33)):
        of_size = {30: (1, 0.5), alone: (1, 0.5), 31: (2, 0.25)}
        expected |= {(sex, age): (f"sex: {sex}", *rest) for age, rest in of_size.items()}
    assert rows == expected
    after, counted = release.data.groupby(["sex", "age"]).size(), cells["S"]
    assert counted.sum() == 8 and (counted != cells["T"]).any()
    assert {keys: after.get(keys, 0) for keys in counted.index} == counted.to_dict()


def test_matrix_of_a_release_is_block_diagonal():
    release = released()
    matrix = release.matrix()
    block, nothing = ifpr_matrix(0.5, {1: 2, 2: 1}), np.zeros((3, 3))
    expected = np.block([[block, nothing], [nothing, block]])
    assert sparse.issparse(matrix) and matrix.nnz == 18
    assert matrix.toarray() == pytest.approx(expected, abs=EXACT)
    rows = (release.cells["block"] == "sex: m").to_numpy()
    part = matrix.toarray()[np.ix_(rows, rows)]
    assert release.matrix("sex: m").toarray().tolist() == part.tolist()
    whole = released(blocks=None, max_count=3)
    assert whole.matrix("whole file").toarray().tolist() == whole.matrix().toarray().tolist()


def test_blocks_where_nobody_moves_have_ones():
    """One man is alone with his town: nowhere to go."""
    people = pd.DataFrame({"sex": list("ffm"), "age": list("ABA")})
    release = released(people, small_blocks="keep")
    assert release.matrix().toarray().tolist() == [[0.5, 0.5, 0], [0.5, 0.5, 0], [0, 0, 1]]
    assert release.cells["leave"].tolist() == [0.5, 0.5, 0]


def test_thetas_by_size_in_a_release():
    theta = {1: 0.6, 2: 0.9}
    release = released(theta=theta, blocks=None)
    matrix, T = release.matrix(), release.cells["T"].to_numpy()
    assert matrix.toarray() == pytest.approx(ifpr_matrix(theta, {1: 4, 2: 2}), abs=EXACT)
    assert T @ matrix == pytest.approx(T, abs=BALANCED)
    # doubles rest, and nobody comes to them: four singles among themselves, two ones
    matrix = released(theta={1: 0.6, 2: 0}, blocks=None).matrix()
    assert matrix.nnz == 4 * 4 + 2
    assert matrix.toarray()[4:].tolist() == np.eye(6)[4:].tolist()


def test_draws_follow_the_matrix():
    """40,000 draws for each cell; beyond 5 standard deviations with 6e-7, of 36 chances."""
    release = released(theta={1: 0.6, 2: 0.9}, blocks=None)
    matrix, draws = release.matrix().toarray(), 40_000
    start = np.repeat(np.arange(6), draws)
    after = release._exchange.draw(start, np.random.default_rng(18))
    drawn = np.bincount(start * 6 + after, minlength=36).reshape(6, 6) / draws
    sd = np.sqrt(matrix * (1 - matrix) / draws)
    assert (np.abs(drawn - matrix) <= 5 * sd).all()


def test_one_key_missing_values_and_nobody_who_is_rare():
    people = pd.DataFrame({"age": [30.0, None, 31, None, 40]})
    release = released(people, ["age"], blocks=None)
    assert release.cells.index.name == "age" and release.cells["T"].tolist() == [1, 1, 1, 2]
    assert release.matrix().shape == (4, 4)
    crowd = released(pd.DataFrame({"town": ["A"] * 4 + ["B"] * 3}), ["town"], blocks=None)
    assert crowd.matrix().shape == (0, 0) and len(crowd.cells) == 0


def test_blocks_that_are_not_there_or_too_large():
    with pytest.raises(InputError, match=r"block: 'sex: x' .*sex: f"):
        released().matrix("sex: x")
    people = pd.DataFrame({"sex": ["A"] * 4_000 + ["B"] * 4_000, "age": range(8_000)})
    release = released(people)
    with pytest.raises(InputError, match=r"32,000,000 entries.*name one block"):
        release.matrix()
    assert release.matrix("sex: B").nnz == 16_000_000
    one = released(people.head(6_000), blocks=None)
    for block in (None, "whole file"):
        with pytest.raises(InputError, match=r"36,000,000 entries.*\.cells has chances"):
            one.matrix(block)
