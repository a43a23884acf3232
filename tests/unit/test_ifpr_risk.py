"""`ifpr_risk`, `ifpr_xi`, `ifpr_variance`: full enumeration on tiny blocks, closed forms in the
limit, tabled values, and both ends of the range.
"""

from __future__ import annotations

import itertools
import math
from fractions import Fraction as F
from time import perf_counter

import numpy as np
import pytest
from scipy import stats

from synthpop_py import InputError
from synthpop_py.ifpr import ifpr_found, ifpr_risk, ifpr_theta, ifpr_variance, ifpr_xi
from synthpop_py.ifpr.flows import movement, other_units
from synthpop_py.ifpr.risk import by_count, highest_count, overall, worst_risk

from .ifpr_oracle import enumerate_block

EXACT = 1e-12  # the same probability by other sums; a handful of roundings
TABLED = 5.1e-6  # the table below has five digits

BLOCKS = [[1, 1], [1, 1, 1], [1, 2], [2, 2], [1, 1, 2], [1, 2, 2], [1, 1, 1, 1], [1, 1, 1, 2]]
BLOCKS += [[2, 2, 2], [1, 3], [1, 2, 3]]
THETAS = [F(1, 10), F(1, 2), F(4, 5), F(99, 100), F(1)]


def as_block(sizes: list[int]) -> dict[int, int]:
    return {T: sizes.count(T) for T in sorted(set(sizes))}


def expected_risks(truth, T: int, counts: range) -> list[float]:
    """NaN for counts that cannot happen."""
    return [float(truth.risk[T].get(a, math.nan)) for a in counts]


# ---- enumeration ---------------------------------------------------------------------


@pytest.mark.parametrize("sizes", BLOCKS, ids=str)
@pytest.mark.parametrize("theta", THETAS, ids=str)
def test_every_outcome_enumerated(sizes, theta):
    truth = enumerate_block(sizes, {T: theta / T for T in set(sizes)})
    block, n, number = as_block(sizes), sum(sizes), float(theta)
    T_of, cells = np.array(list(block)), np.array([list(block.values())])
    leave, arrival, _ = movement(np.full(cells.shape, number), T_of, cells)
    design = T_of, leave, other_units(T_of, cells), arrival
    found, matched = by_count(*design, n)
    for place, T in enumerate(block):
        expected = expected_risks(truth, T, range(1, n + 2))
        risks = ifpr_risk(number, T, range(1, n + 2), block)
        assert risks.tolist() == pytest.approx(expected, abs=EXACT, nan_ok=True)
        possible = [a for a in range(1, n + 1) if a in truth.risk[T]]
        by_sums = matched[0, place, possible] / found[0, place, possible]
        assert by_sums == pytest.approx([float(truth.risk[T][a]) for a in possible], abs=EXACT)
        of_all = pytest.approx(float(truth.overall[T]), abs=EXACT)
        assert ifpr_risk(number, T, None, block) == of_all == overall(*design)[0, place]
        variance = float(truth.variance[sizes.index(T)])
        assert ifpr_variance(number, T, block) == pytest.approx(variance, abs=EXACT)
    highest = max(max(r.values(), default=0) for r in truth.risk.values())
    assert ifpr_xi(number, block) == pytest.approx(float(highest), abs=EXACT)


@pytest.mark.parametrize("sizes", BLOCKS, ids=str)
def test_enumeration_keeps_expected_counts_and_totals(sizes):
    truth = enumerate_block(sizes, {T: F(4, 5) / T for T in set(sizes)})
    assert truth.mean == sizes and truth.totals == {sum(sizes)}
    assert all(value < 0 for (c, d), value in truth.covariance.items() if c != d)


# shares x chosen so that all is rational: theta_T = H x_T (1 - x_T), leave = theta_T / T
BY_SIZE = [
    ([1, 1, 2], {1: F(1, 4), 2: F(1, 2)}, F(2)),
    ([1, 1, 1, 2], {1: F(1, 5), 2: F(2, 5)}, F(3)),
    ([1, 1, 1, 2], {1: F(1, 9), 2: F(2, 3)}, F(4)),  # one cell takes more than half: larger root
    ([1, 2, 2], {1: F(1, 5), 2: F(2, 5)}, F(5)),
    ([1, 2, 3], {1: F(1, 4), 2: F(1, 3), 3: F(5, 12)}, F(4)),
]


@pytest.mark.parametrize("sizes, share, total", BY_SIZE, ids=lambda v: str(v)[:20])
def test_one_theta_for_each_size_enumerated(sizes, share, total):
    assert sum(share[T] for T in sizes) == 1
    theta = {T: total * x * (1 - x) for T, x in share.items()}
    truth = enumerate_block(sizes, {T: theta[T] / T for T in theta}, share)
    assert truth.mean == sizes and truth.totals == {sum(sizes)}  # unbiased, by exact arithmetic
    block, ours = as_block(sizes), {T: float(value) for T, value in theta.items()}
    counts = range(1, sum(sizes) + 1)
    for T in block:
        expected = expected_risks(truth, T, counts)
        risks = ifpr_risk(ours, T, counts, block).tolist()
        assert risks == pytest.approx(expected, abs=1e-9, nan_ok=True)
        assert ifpr_risk(ours, T, None, block) == pytest.approx(float(truth.overall[T]), abs=1e-9)
        variance = float(truth.variance[sizes.index(T)])
        assert ifpr_variance(ours, T, block) == pytest.approx(variance, abs=1e-9)


# ---- tabled values -------------------------------------------------------------------

# n1, n2, T: IR(1), IR(2), IR(3), P(correct match), variance of the count; theta = .8. How they were
# found: docs/pages/explanation/where-expected-figures-come-from.md
TABLE = """
5    0   1  .20000 .20000 .20000 .13446  .8000
0    5   2  .38571 .34047 .26960 .30283 1.2000
3    2   1  .20930 .19844 .18687 .13529  .8400
3    2   2  .37762 .33510 .27207 .30070 1.1400
10   5   1  .22945 .19381 .16770 .13696  .9224
10   5   2  .39049 .34390 .26828 .30419 1.2408
20   5   1  .23263 .19323 .16523 .13722  .9361
20   5   2  .39213 .34511 .26782 .30467 1.2556
50   20  1  .23629 .19261 .16255 .13752  .9521
50   20  2  .39390 .34644 .26733 .30519 1.2720
100  35  1  .23715 .19246 .16194 .13759  .9558
100  35  2  .39430 .34675 .26722 .30532 1.2758
1000 350 1  .23800 .19232 .16135 .13766  .9596
1000 350 2  .39469 .34705 .26712 .30544 1.2796
inf  inf 1  .23810 .19231 .16129 .13767  .9600
inf  inf 2  .39474 .34708 .26710 .30545 1.2800
"""


@pytest.mark.parametrize("row", TABLE.strip().split("\n"))
def test_tabled_values(row):
    n1, n2, T, *risks, chance, variance = map(float, row.split())
    block = None if n1 == math.inf else {1: int(n1), 2: int(n2)}
    ours = ifpr_risk(0.8, T, [1, 2, 3], block).tolist()
    assert ours == pytest.approx(risks, abs=TABLED)
    assert ifpr_risk(0.8, T, None, block) == pytest.approx(chance, abs=TABLED)
    assert ifpr_variance(0.8, T, block) == pytest.approx(variance, abs=5.1e-5)


# ---- the limit of large blocks -------------------------------------------------------


def alone(theta, T):
    """IR_T(1) in the limit."""
    return (T - theta) / (T * (T - theta) + theta**2)


@pytest.mark.parametrize("theta", [1e-9, 0.1, 0.5, 2 / 3, 0.8, 0.99, 1 - 1e-12])
def test_closed_forms_in_the_limit(theta):
    a, p = np.arange(1, 30), theta / 2
    first = (1 - theta) / (a * (1 - theta) + theta**2)
    assert ifpr_risk(theta, 1, a) == pytest.approx(first, rel=EXACT)
    T = np.array([1, 2, 3, 7])
    assert ifpr_risk(theta, T, 1) == pytest.approx(alone(theta, T), rel=EXACT)
    found = (1 - p) ** 2 + 2 * p * (1 - p) * theta + p**2 * theta**2 / 2
    expected = (1 - p) * ((1 - p) + p * theta) / (2 * found)
    assert ifpr_risk(theta, 2, 2) == pytest.approx(expected, rel=EXACT)
    e1 = -math.expm1(-theta) / theta
    assert ifpr_risk(theta, 1, None) == pytest.approx((1 - theta) * e1, rel=1e-9)
    e2 = 1 / theta - e1 / theta if theta > 0.01 else 0.5
    expected = (1 - p) * (p * e1 + (1 - p) * e2)
    assert ifpr_risk(theta, 2, None) == pytest.approx(expected, rel=1e-7)


@pytest.mark.parametrize("theta, T", [(0.8, 3), (0.3, 5), (1.0, 4), (0.99, 2)])
def test_the_limit_from_poisson_and_binomial_probabilities(theta, T):
    stay, j = 1 - theta / T, np.arange(T + 1)
    for a in range(1, 12):
        with_b = stats.binom.pmf(j, T - 1, stay) @ stats.poisson.pmf(a - 1 - j, theta)
        together = stats.binom.pmf(j, T, stay) @ stats.poisson.pmf(a - j, theta)
        expected = stay * with_b / (a * together)
        assert ifpr_risk(theta, T, a) == pytest.approx(expected, rel=1e-10)


@pytest.mark.parametrize("T", [1, 2, 3])
def test_in_the_limit_the_risk_falls_with_the_count(T):
    a = np.arange(1, 200)
    for theta in (0.05, 0.5, 0.9, 1.0):
        risk = ifpr_risk(theta, T, a)
        assert (np.diff(risk) <= 0).all() and (risk <= 1 / a + EXACT).all()


def test_blocks_approach_the_limit_from_below_at_one_record():
    for theta, T in itertools.product((0.3, 0.8, 1.0), (1, 2)):
        risks = [ifpr_risk(theta, T, 1, {1: 3 * 10**k, 2: 10**k}) for k in range(7)]
        limit = ifpr_risk(theta, T, 1)
        assert all(x <= y + EXACT for x, y in itertools.pairwise([*risks, limit]))
        assert risks[-1] == pytest.approx(limit, abs=1e-6)


# ---- stable for few cells and for millions -------------------------------------------


@pytest.mark.parametrize("k", [2, 3, 10, 1000, 10**6])
def test_one_size_has_a_simple_form_whatever_the_count(k):
    # singles only: odds of having stayed against the ratio of neighbouring binomial probabilities
    theta = 0.8
    q = theta / (k - 1)
    for a in sorted({1, 2, min(3, k), max(1, k // 2), k - 1, k}):
        ratio = (k - a) / a * q / (1 - q)  # P(a of k - 1 come) / P(a - 1 come)
        expected = (1 - theta) / ((1 - theta) + theta * ratio) / a
        assert ifpr_risk(theta, 1, a, {1: k}) == pytest.approx(expected, rel=1e-9)


def test_all_in_one_cell_gives_one_over_all_units():
    for block in ({1: 2}, {1: 3, 2: 2}, {2: 40}, {1: 10**6, 2: 10**5}):
        n = sum(T * c for T, c in block.items())
        for T in block:
            assert ifpr_risk(0.8, T, n, block) == pytest.approx(1 / n, rel=EXACT)
            assert math.isnan(ifpr_risk(0.8, T, n + 1, block))


LARGE = [{1: 10**6}, {1: 10**6, 2: 10**5}, {1: 5 * 10**5, 2: 10**5, 3: 10**5}]


@pytest.mark.parametrize("block", LARGE)
def test_nothing_is_lost_for_large_counts(block):
    theta = 0.8 if 3 not in block else {1: 0.79, 2: 1.24, 3: 1.3}
    a = np.unique(np.geomspace(1, 10**5, 30).astype(int))
    for T in block:
        risk = ifpr_risk(theta, T, a, block)
        stayed = risk * a
        assert np.isfinite(risk).all() and (np.diff(stayed) >= -1e-9).all()
        assert (stayed <= 1).all() and stayed[-1] > 0.99
        limit = ifpr_risk(theta, T, a[a < 50])
        assert risk[: len(limit)] == pytest.approx(limit, rel=1e-4)


def test_tiny_theta_and_far_counts():
    counts = [1, 2, 50]
    assert ifpr_risk(1e-200, 1, counts, {1: 100}) == pytest.approx([1, 1 / 2, 1 / 50])
    assert ifpr_risk(1e-200, 1, counts) == pytest.approx([1, 1 / 2, 1 / 50])
    assert ifpr_risk(1e-200, 2, counts) == pytest.approx([1 / 2, 1 / 2, 1 / 50])


TINY = [1e-300, 1e-17, 1e-16, 1e-14, 1e-12, 1e-10, 1e-8, 1e-7, 1e-6, 1e-5]
SEVERAL = [{1: 5}, {1: 20, 2: 5}, {2: 5, 3: 2}, {1: 1000}, {1: 10**6}, {3: 2, 7: 2}]


@pytest.mark.parametrize("theta", TINY)
@pytest.mark.parametrize("block", SEVERAL, ids=str)
def test_tiny_theta_in_a_block(theta, block):
    """As theta goes to 0 a count of T or more means that all T stayed, and one below that nobody
    came: risks go to 1 / max(T, a).
    """
    n = sum(T * c for T, c in block.items())
    close = max(1e-9, 3 * n * theta)
    for T in block:
        counts = sorted({1, 2, 3, 4, 5, T, T + 1, n // 2, n - 1, n} - {0})
        expected = [1 / max(T, a) for a in counts]
        assert ifpr_risk(theta, T, counts, block) == pytest.approx(expected, rel=close)
    assert ifpr_xi(theta, block) == pytest.approx(1 / min(block), rel=1e-4)


def test_far_counts_of_the_largest_blocks_and_tiny_thetas():
    """Where nearly all of a billion come to one cell, and where chances are below 1e-300."""
    n = 10**9
    assert ifpr_risk(0.3, 1, [n - 2, n - 1], {1: n}) == pytest.approx([1 / (n - 2), 1 / (n - 1)])
    block, n = {1: 500_000, 2: 100_000}, 700_000
    assert ifpr_risk(1e-300, 1, [1, n - 1], block) == pytest.approx([1, 1 / (n - 1)])
    assert ifpr_found(1e-300, 2, [1, 2, 3], block) == pytest.approx([1e-300, 1, 1e-300], rel=1e-9)


def test_direct_sums_would_give_nothing_divided_by_nothing():
    """The chance of 200 is below 1e-600; of 4,999 others 199 or 200 came."""
    theta, k, a = 0.5, 5000, 200
    q = theta / (k - 1)
    ratio = (k - a) / a * q / (1 - q)
    expected = (1 - theta) / ((1 - theta) + theta * ratio) / a
    assert ifpr_risk(theta, T=1, a=a, block={1: k}) == pytest.approx(expected, rel=EXACT)


def test_tiny_theta_by_exact_arithmetic():
    """One of five alone, theta = 1e-8, two records: she stayed and one of four came, or she left
    and two came.
    """
    theta, q = F(1, 10**8), F(1, 4 * 10**8)
    with_her, without = (1 - theta) * 4 * q * (1 - q) ** 3, theta * 6 * q**2 * (1 - q) ** 2
    expected = float(with_her / (with_her + without) / 2)
    assert ifpr_risk(1e-8, 1, 2, {1: 5}) == pytest.approx(expected, rel=1e-14)


def test_large_cells_in_the_limit():
    started = perf_counter()
    theta = 0.5
    for T in (10**3, 10**6, 10**9):
        assert ifpr_risk(theta, T, 1) == pytest.approx(alone(theta, T), rel=1e-14)
        # T units, T records: all stayed, or as many came as left; to the first order in 1 / T,
        # E[left | S = T] is that of two Poisson numbers of mean theta that are equal
        k = np.arange(30)
        equal = stats.poisson.pmf(k, theta) ** 2
        left = (k * equal).sum() / equal.sum()
        assert 1 - T * ifpr_risk(theta, T, T) == pytest.approx(left / T, rel=10 / T + 1e-6)
    assert ifpr_risk(0.7, 5, np.arange(1, 2001)).shape == (2000,)
    assert perf_counter() - started < 1  # a few milliseconds; one unit after the other took 14 s


@pytest.mark.parametrize("theta, T", [(0.4, 60), (1.0, 90), (0.99, 200), (0.99, 201)])
def test_the_limit_of_large_cells_from_probabilities(theta, T):
    stay = 1 - theta / T
    for a in (1, 2, T // 2, T - 1, T, T + 3, 2 * T):
        j = np.arange(min(T, a) + 1)
        ways = stats.binom.logpmf(j, T, stay) + stats.poisson.logpmf(a - j, theta)
        ways = np.exp(ways - ways.max())
        expected = (ways * j / T).sum() / ways.sum() / a
        assert ifpr_risk(theta, T, a) == pytest.approx(expected, rel=1e-9)


def test_arrays_in_no_time():
    started = perf_counter()
    ifpr_risk(0.8, [[1], [2]], np.arange(1, 21), {1: 7 * 10**5, 2: 3 * 10**5})
    assert perf_counter() - started < 2  # about 0.01 s
    started = perf_counter()
    for _ in range(20):
        ifpr_risk(0.7, 5, np.arange(1, 2001))
    assert perf_counter() - started < 1  # 0.01 s; one question after the other 4 s


def test_the_highest_risk_over_all_counts():
    for block in ({1: 2}, {1: 3}, {1: 4}, {1: 1, 2: 1}, {1: 2, 2: 3}, {2: 4}, {1: 30, 2: 10}):
        counts = np.arange(1, sum(T * c for T, c in block.items()) + 1)
        for theta in (0.2, 2 / 3, 0.8, 0.99, 1.0):
            values = ifpr_risk(theta, np.array(list(block))[:, None], counts, block)
            assert ifpr_xi(theta, block) == pytest.approx(np.nanmax(values), rel=1e-12)


def test_counts_from_one_over_xi_on_need_no_look():
    counts = {1 - 1e-13: 1, 1 - 1e-16: 1, 0.999: 1, 0.5: 1, 0.4999: 2, 1 / 3: 2, 0.395: 2}
    counts |= {0.25: 3, 0.2: 4, 0.1: 9, 1 / 49: 48}
    assert {xi: highest_count(xi) for xi in counts} == counts
    sizes, cells = np.array([1, 2]), np.array([[2, 0], [3, 2], [0, 1]])
    leave, arrival, _ = movement(np.full(cells.shape, 0.8), sizes, cells)
    worst = worst_risk(sizes, cells, leave, arrival, 0.395)  # one cell: all stay
    assert worst[[0, 2]] == pytest.approx(np.array([[0.5, 0], [0, 0.5]]), abs=1e-15)
    assert worst[1] == pytest.approx([0.2093023, 0.3776224])


# ---- pitfalls of small blocks --------------------------------------------------------


def test_two_people_alone_have_even_odds_at_two_records():
    assert ifpr_risk([0.1, 0.5, 0.99], 1, 2, {1: 2}) == pytest.approx(0.5)
    assert math.isnan(ifpr_risk(1, 1, 2, {1: 2})) and ifpr_risk(1, 1, 1, {1: 2}) == 0


def test_in_tiny_blocks_the_risk_may_rise_with_the_count():
    assert ifpr_risk(0.99, 1, [1, 2, 3], {1: 3}).round(4).tolist() == [0.0051, 0.0101, 0.3333]


def test_two_singles_are_the_only_small_block_that_passes_the_limit():
    """n1, n2 up to 8, the eight thetas of the slides, as on the page
    explanation/where-expected-figures-come-from.md.
    """
    thetas = (0.4, 0.5, 2 / 3, 0.75, 0.8, 0.9, 0.95, 0.99)
    blocks = [(n1, n2) for n1 in range(9) for n2 in range(9) if n1 + n2 >= 2]
    passing = [
        (n1, n2)
        for n1, n2 in blocks
        for theta in thetas
        if ifpr_xi(theta, {1: n1, 2: n2}) > ifpr_xi(theta) + 1e-9
    ]
    assert passing == [(2, 0)] * 6


def test_what_cannot_happen_is_not_a_number():
    def same(risks, expected):
        assert risks.tolist() == pytest.approx(expected, nan_ok=True)

    nan, counts = math.nan, [1, 2, 3]
    same(ifpr_risk(1, 1, counts, {1: 3}), [0, 0, nan])
    same(ifpr_risk(0, 2, counts), [nan, 0.5, nan])
    same(ifpr_risk(0, 2, counts, {1: 4, 2: 4}), [nan, 0.5, nan])
    same(ifpr_risk({1: 0.5, 2: 0}, 2, counts, {1: 4, 2: 4}), [nan, 0.5, nan])


# ---- sizes that take no part ---------------------------------------------------------


def test_sizes_without_a_theta_take_no_part():
    block, named = {1: 5, 2: 5, 3: 5}, {1: 5, 2: 5}
    theta = ifpr_theta(0.395, block, scheme="size")
    assert list(theta) == [1, 2] and ifpr_xi(theta, block) == pytest.approx(0.395)
    counts = [1, 2, 3]
    assert (
        ifpr_risk(theta, 1, counts, block).tolist() == ifpr_risk(theta, 1, counts, named).tolist()
    )
    rest = ifpr_risk(theta, 3, [2, 3], block)
    assert rest == pytest.approx(np.array([math.nan, 1 / 3]), nan_ok=True)
    assert ifpr_risk(theta, 3, None, block) == 1 / 3 and ifpr_variance(theta, 3, block) == 0
    assert ifpr_variance(theta, 1, block) == ifpr_variance(theta, 1, named)
    assert ifpr_xi({1: 0.9}, {1: 5, 2: 5}) == 0.5  # pairs stay as they are
    assert ifpr_theta(0.5, {2: 4}, scheme="size") == {} and ifpr_xi({}, {2: 4}) == 0.5
    says = r"block: in \{1: 1, 3: 5\} .* one cell would send as many units as all others"
    with pytest.raises(InputError, match=says):
        ifpr_xi({1: 0.9}, {1: 1, 3: 5})


# ---- shapes and bad input ------------------------------------------------------------


def test_numbers_and_arrays():
    some = {1: 3, 2: 4}
    for block in (None, some):
        assert isinstance(ifpr_risk(0.8, 1, 1, block), float)
        assert isinstance(ifpr_variance(0.8, 1, block), float)
        thetas, sizes = [0.5, 0.8], [[1], [2]]
        one_by_one = [[ifpr_risk(t, T, 2, block) for t in thetas] for T in (1, 2)]
        assert ifpr_risk(thetas, sizes, 2, block) == pytest.approx(np.array(one_by_one), rel=EXACT)
        one_by_one = [[ifpr_variance(t, T, block) for t in thetas] for T in (1, 2)]
        assert ifpr_variance(thetas, sizes, block).tolist() == one_by_one
        assert ifpr_variance({1: 0.5, 2: 0.8}, [1, 2], block).shape == (2,)
    assert ifpr_risk(0.8, [1, 2], None).shape == (2,)
    assert ifpr_risk(np.float64(0.8), np.int64(1), 1.0) == ifpr_risk(0.8, 1, 1)
    with pytest.raises(InputError, match="theta, T, a: arrays of the shapes"):
        ifpr_variance([0.5, 0.8], [1, 2, 3])


FITS = "theta, T, a: arrays of the shapes (), (2,), (3,) do not fit together"
BAD = [
    (dict(theta=1.1), "theta: 1.1 is not a number of at least 0 and of at most 1"),
    (dict(theta=-0.1), "theta: -0.1 is not a number of at least 0 and of at most 1"),
    (dict(theta=float("nan")), "theta: nan is not a number"),
    (dict(theta="high"), "theta: 'high' is not a number"),
    (dict(theta=True), "theta: True is not a number"),
    (dict(theta=[0.5, 2.0]), "theta: 2.0 is not a number of at least 0 and of at most 1"),
    (dict(theta={}), "theta: has no entry for cells of 1 units; sizes given: none"),
    (dict(theta={1: 1.5}), "theta[1]: 1.5 is not a number of at least 0 and of at most 1"),
    (dict(theta={2: 1.5}), "theta: has no entry for cells of 1 units; sizes given: 2"),
    (dict(theta={0: 0.5}), "theta, a size of cells: 0 is not a whole number of 1 or more"),
    (dict(T=0), "T: 0 cannot be used; give a whole number of 1 or more"),
    (dict(T=1.5), "T: 1.5 cannot be used"),
    (dict(T="one"), "T: 'one' cannot be used"),
    (dict(a=0), "a: 0 cannot be used; give a whole number of 1 or more"),
    (dict(a=[1, -1]), "a: [1, -1] cannot be used"),
    (dict(a=[]), "a: [] cannot be used"),
    (dict(T=[1, 2], a=[1, 2, 3]), FITS),
    (dict(block={1: 1}), "block: {1: 1} has 1 cells; give 2 or more, so that units have somewhere"),
    (dict(block={}), "block: {} has 0 cells"),
    (dict(block=5), "block: 5 is not a mapping"),
    (dict(block={2: 5}), "T: the block has no cells of 1 units; sizes of its cells: 2"),
    (dict(block={1: -3}), "a number of cells: -3 is not a whole number of 0 or more"),
    (dict(block={0: 3}), "block, a size of cells: 0"),
    (dict(block={1: 10**10}), "block=None is the limit"),
    (dict(block={1: 1, 2: 1}, theta={1: 0.5, 2: 0.9}), "expected counts cannot be kept; merge the"),
]


@pytest.mark.parametrize("given, says", BAD, ids=[str(g)[1:30] for g, _ in BAD])
def test_bad_input_is_named(given, says):
    with pytest.raises(InputError) as error:
        ifpr_risk(**({"theta": 0.8, "T": 1, "a": 1} | given))
    assert says in str(error.value)
