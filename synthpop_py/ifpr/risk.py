"""Identification risk under IFPR: what an intruder learns from the number of released records with
the target's keys.

A target B shares its combination of keys (its cell) with T units in all. After the randomisation S
records are in that cell. The intruder picks one of them.

    IR_T(a) = P(correct match | S = a) = P(B stayed | S = a) / a

Zhang, Nayak and You (2017), *Measuring identification risk in microdata release and its control by
post-randomization*.

Functions take a cell, or arrays of cells: `T`; `leave`, the chance of each of its units to leave;
`others`, the units outside it, and `arrival`, their chance to come to it, both by size along the
last axis. If none leaves, none comes. In the limit of large blocks the others are so many that
arrivals are Poisson.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import cache
from typing import Any

import numpy as np

from ..core.arrays import Flags, Floats, Integers
from ..errors import InputError, warning_once
from .flows import (
    Exchange,
    check_block,
    check_theta,
    kinds_of,
    movement_in,
    other_units,
    theta_of,
)

ROUNDING, LAST_DIGITS = 1e-9, 4e-15  # relative, and of numbers near 1
LIMIT_SIZES = (1, 2)  # what the slides perturb
LIMIT = 1e30  # others in the limit of large blocks: Poisson to the last digit
MOST_TERMS = 200  # in the limit, cells of up to so many units are summed term by term
WIDE, ROOM = 5.0, 25.0  # what lies outside such a window has a chance below 1e-20
EDGE = 1e-3  # beyond an interval that holds the answer, against rounding
NEAR = 1e-6
NODES = 200  # of the Gauss-Legendre rule on [0, 1]


def outcome(T: int, leave: float, others: Any, arrival: Any, a: int) -> tuple[float, float]:
    """P(S = a), and P(B stayed | S = a), NaN where S = a cannot happen.

    >>> three = 1, 0.5, [2], [0.25]  # B, and two others
    >>> [tuple(round(x, 9) for x in outcome(*three, a)) for a in range(4)]
    [(0.28125, 0.0), (0.46875, 0.6), (0.21875, 0.857142857), (0.03125, 1.0)]
    """
    if leave == 0:
        return (1.0, 1.0) if a == T else (0.0, math.nan)
    # groups of n events with the same chance, the units of B's own cell in the last one
    n = np.append(others, T).astype(float)
    come = np.asarray(arrival, dtype=float)
    with np.errstate(divide="ignore"):
        log_p = np.append(np.log(come), np.log1p(-leave))
        log_q = np.append(np.log1p(-come), np.log(leave))
    certain = np.isneginf(log_q)
    impossible = np.isneginf(log_p) | (n == 0)
    total = a - n[certain].sum()
    open_to_chance = ~(certain | impossible)
    may_stay = bool(open_to_chance[-1])
    n, log_p, log_q = n[open_to_chance], log_p[open_to_chance], log_q[open_to_chance]
    if not 0 <= total <= n.sum():
        return 0.0, math.nan
    if total == 0:
        return math.exp(n @ log_q), 0.0
    if total == n.sum():
        return math.exp(n @ log_p), float(may_stay)
    return _tilted(n, log_p, log_q, may_stay, total)


def _tilted(
    n: Floats, log_p: Floats, log_q: Floats, may_stay: bool, total: float
) -> tuple[float, float]:
    """The same for a total of groups of `n` events, none of them certain.

    All odds are multiplied by one number, exp(s), so that the total becomes the expected number.
    Given the total, the chance of an event stays the same, and the effect on P(S = a) is known:
    P(S = a) = P_s(S = a) exp(-s a) E[exp(s S)]. So nothing is lost, however unlikely the total is.
    """
    from scipy import optimize, special

    odds = log_p - log_q
    # chances are below odds, and those of the contrary below their odds
    log_n = np.log(n)
    low = math.log(total) - np.logaddexp.reduce(log_n + odds)
    high = np.logaddexp.reduce(log_n - odds) - math.log(n.sum() - total)

    def excess(s: float) -> float:
        return float(n @ special.expit(odds + s)) - total

    s = optimize.brentq(excess, low - EDGE, high + EDGE, xtol=NEAR)  # any s near it will do
    log_mean = n @ np.logaddexp(log_q, log_p + s)
    p = special.expit(odds + s)
    q = special.expit(-odds - s)
    stay, leave = (p[-1], q[-1]) if may_stay else (0.0, 1.0)
    rest = n.copy()
    rest[-1] -= may_stay  # B itself
    with_b, without = _chances_of_sum(rest, p, q, total)
    stayed = stay * with_b
    either = stayed + leave * without
    found = either * math.exp(log_mean - s * total)
    return float(found), float(stayed / either)


def _chances_of_sum(n: Floats, p: Floats, q: Floats, total: float) -> tuple[float, float]:
    """P(sum = total - 1) and P(sum = total), near the expected one, of groups of `n` events with
    the chances p = 1 - q: from the characteristic function at equal steps.
    """
    spread = math.sqrt(n @ (p * q))
    pairs = math.ceil(WIDE * spread + ROOM)
    half = np.linspace(0, np.pi, 2 * pairs + 1, endpoint=False)  # odd: pi would need a log of 0
    t = 2 * half
    height = 2 * np.sin(half) ** 2  # 1 - cos(t)
    # each event or its contrary, whichever is rarer
    often = p > q
    rare = np.minimum(p, q)[:, None]
    both = rare * (1 - rare)
    size = np.exp(n @ np.log1p(-2 * both * height) / 2)
    angle = np.arctan2(rare * np.sin(t), 1 - rare * height)
    turn = np.where(often, -n, n) @ angle
    beyond = total - n[often].sum()
    phase = turn - t * beyond
    at = size * np.cos(phase)
    before = size * np.cos(phase + t)
    return float(before.mean()), float(at.mean())


def in_the_limit(T: Integers, leave: Floats, a: Integers) -> tuple[Floats, Floats]:
    """As `outcome` for many cells of the limit, shape (q,), by all numbers j of units that stay:
    P(j stay, a - j come) relative to j = 0.
    """
    from scipy import special

    theta = T * leave
    log_theta, log_leave = np.log(theta), np.log(leave)
    j = np.arange(T.max(initial=1))
    leavers = np.maximum(T[:, None] - j, 0)
    comers = np.maximum(a[:, None] - j, 0)
    with np.errstate(divide="ignore"):
        log_odds = np.log1p(-leave) - log_leave - log_theta
        steps = np.log(leavers) + np.log(comers) - np.log1p(j)
    steps += log_odds[:, None]
    logs = np.insert(steps, 0, 0.0, axis=1).cumsum(axis=1)
    top = logs.max(axis=1)
    terms = np.exp(logs - top[:, None])
    together = terms.sum(axis=1)
    none_stays = T * log_leave + a * log_theta - theta - special.gammaln(a + 1)
    found: Floats = np.exp(none_stays + top) * together
    stayed: Floats = terms[:, 1:] @ (j + 1) / (T * together)
    return found, stayed


@cache
def _rule() -> tuple[Floats, Floats]:
    """1 - z and the weights of a rule for integrals over z in [0, 1]; no node is 0 or 1."""
    nodes, weights = np.polynomial.legendre.leggauss(NODES)
    return (1 - nodes) / 2, weights / 2


def overall(T: Any, leave: Floats, others: Integers, arrival: Floats) -> Floats:
    """P(correct match) = P(B stayed) E[1 / S]. 1 / (1 + s) is the integral of z^s over [0, 1], so
    E[1 / S] is that of the generating function of the rest of S.

    >>> overall(1, np.array(0.0), np.array([1]), np.array([0.5])).round(12).item()  # 1 or 1/2
    0.75
    """
    lacking, weights = _rule()
    stay = 1 - leave
    companions = np.asarray(T) - 1
    logs = companions[..., None] * np.log1p(-stay[..., None] * lacking)
    for j in range(arrival.shape[-1]):
        comes = arrival[..., j, None]
        logs = logs + others[..., j, None] * np.log1p(-comes * lacking)
    chance: Floats = stay * (np.exp(logs) @ weights)
    return chance


def by_count(
    T: Integers, leave: Floats, others: Integers, arrival: Floats, last: int
) -> tuple[Floats, Floats]:
    """P(S = a), and P(S = a and correct match), a from 0 to `last` along a new axis; for cells
    whose counts are not expected to be large.
    """
    arrived = _binomial_start(others[..., 0], arrival[..., 0], last)
    for j in range(1, others.shape[-1]):
        of_size = _binomial_start(others[..., j], arrival[..., j], last)
        arrived = _convolve_start(arrived, of_size)
    stay = 1 - leave
    found = _convolve_start(arrived, _binomial_start(T, stay, last))
    # at x: x others are there
    others_found = _convolve_start(arrived, _binomial_start(T - 1, stay, last))
    with_b = others_found * stay[..., None]
    matched = np.zeros_like(found)
    counts = np.arange(1, last + 1)
    matched[..., 1:] = with_b[..., :-1] / counts
    return found, matched


def _binomial_start(n: Integers, p: Floats, last: int) -> Floats:
    """Binomial probabilities of 0 to `last`, along a new axis."""
    n, p = np.broadcast_arrays(n[..., None].astype(float), p[..., None])
    sure = p == 1
    p = np.where(sure, 0.5, p)  # any number below 1: certain events are filled in at the end
    x = np.arange(last)
    more = np.maximum(n - x, 0)
    log_q = np.log1p(-p)
    with np.errstate(divide="ignore"):
        steps = np.log(more) - np.log1p(x) + np.log(p) - log_q
    logs = np.concatenate((n * log_q, steps), axis=-1)
    certain = np.arange(last + 1) == n
    chances: Floats = np.where(sure, certain, np.exp(logs.cumsum(axis=-1)))
    return chances


def _convolve_start(first: Floats, second: Floats) -> Floats:
    """Probabilities of 0, 1, ... of a sum, as many as each part has; along the last axis."""
    of_sum: Floats = np.zeros(np.broadcast_shapes(first.shape, second.shape))
    for x in range(of_sum.shape[-1]):
        ways = first[..., : x + 1] * second[..., x::-1]
        of_sum[..., x] = ways.sum(axis=-1)
    return of_sum


def profile(exchange: Exchange, last: int) -> tuple[Floats, Floats]:
    """As `by_count` for each size in each block, shape (b, r, last + 2): at the end over all a
    however large. NaN where a block has no such cell.
    """
    first, kind = kinds_of(exchange.cells)
    cells = exchange.cells[first]
    others = other_units(exchange.sizes, cells)
    design = exchange.sizes, exchange.leave[first], others, exchange.arrival[first]
    found, matched = by_count(*design, last)
    chance = overall(*design)[..., None]
    found = np.append(found, np.ones_like(chance), axis=-1)
    matched = np.append(matched, chance, axis=-1)
    absent = cells == 0
    found[absent] = matched[absent] = np.nan
    return found[kind], matched[kind]


def expected_units(exchange: Exchange, last: int) -> tuple[Floats, Floats]:
    """Units expected to find a records, and to be matched; one block more for all together."""
    expected = []
    for chances in profile(exchange, last):
        units = chances * exchange.units[..., None]
        expected.append(np.append(units, np.nansum(units, axis=0, keepdims=True), axis=0))
    return expected[0], expected[1]


def ratio(numerator: Floats, denominator: Floats) -> Floats:
    """NaN where nothing is expected."""
    quotient: Floats = np.full(numerator.shape, np.nan)
    return np.divide(numerator, denominator, out=quotient, where=denominator > 0)


def worst_risk(
    sizes: Integers, cells: Integers, leave: Floats, arrival: Floats, xi: float
) -> Floats:
    """The highest IR(a) over the counts that could pass xi, shape (b, r); 0 where there is none."""
    others = other_units(sizes, cells)
    found, matched = by_count(sizes, leave, others, arrival, highest_count(xi))
    risk = np.nan_to_num(ratio(matched, found)[..., 1:])
    highest: Floats = risk.max(axis=-1)
    return np.where(cells > 0, highest, 0.0)


def highest_count(xi: float) -> int:
    """The largest a with 1 / a above xi: IR(a) <= 1 / a, so larger counts meet the goal."""
    a = int(1 / xi)
    meets_exactly = a * xi >= 1 - 1e-12
    return a - 1 if a > 1 and meets_exactly else a


def passes(risk: Floats, xi: float) -> Flags:
    """Whether a risk is above the goal, which a theta made for it meets only up to rounding."""
    left = 1 - xi
    rounding = max(ROUNDING * min(xi, left), LAST_DIGITS)
    return risk > xi + min(rounding, left / 2)


def highest_in_the_limit(theta: Floats, sizes: Integers) -> float:
    """The highest IR_T(a) over these sizes, `theta` of each, and all a: the risk falls with a."""
    remaining = sizes - theta
    risk = remaining / (sizes * remaining + theta**2)
    return float(risk.max())


def _highest_in_block(T: int, leave: float, others: Any, arrival: Any) -> float:
    """The highest IR over all counts a. P(B stayed | S = a) never falls with a, so between two
    counts the risk is at most that chance at the upper one over the lower one.
    """
    if leave == 0:
        return 1 / T
    if leave == 1:
        return 0.0
    may_come = others[arrival > 0]
    sure = others[arrival == 1]
    most = T + int(may_come.sum())
    highest = 1 / most
    spans = [(int(sure.sum()) + 1, most)]  # B is one more than those who are sure to come
    while spans:
        low, high = spans.pop()
        if low > high or 1 / low <= highest:
            continue
        _, stayed = outcome(T, leave, others, arrival, high)
        highest = max(highest, stayed / high)
        if stayed / low > highest:
            middle = (low + high) // 2
            spans += [(middle + 1, high - 1), (low, min(middle, high - 1))]
    return highest


@warning_once
def ifpr_risk(
    theta: float | Mapping[int, float] | Any, T: Any, a: Any, block: Mapping[int, int] | None = None
) -> Any:
    """Identification risk IR_T(a) = P(correct match | S = a) for a target in a cell of T units, `a`
    released records in that cell: 0 to 1, higher is riskier, never above 1 / a; NaN where S = a
    cannot happen.

    Parameters
    ----------
    theta : number from 0 to 1, an array of them, or one for each size of cells, 0 to T, as in
        ``{1: 0.79, 2: 1.24, 3: 1.3}``. With different values the other cells are destinations in
        such proportions that every cell keeps its expected count. Cells of a size that is not named
        take no part: all their T units stay, and the risk is 1 / T.
    T : units in the target's cell before; one number or an array.
    a : released records in that cell, 1 or more; one number or an array. None for the overall
        P(correct match | T), where an empty cell is no match.
    block : cells by size, as in ``{1: 10, 2: 5}``, the target's own included, for the exact answer
        in that block; None for the limit of large blocks, where arrivals are Poisson.

    Examples
    --------
    Three people, each alone in a cell, leave with probability 1/2, so one given person comes to the
    target's cell with 1/4. One record is found there when the target stayed and nobody came, 1/2 ·
    3/4 · 3/4 = 9/32, or when the target left and one of two came, 1/2 · 2 · 1/4 · 3/4 = 6/32:
    correct in 9 of 15 cases.

    >>> round(ifpr_risk(0.5, T=1, a=1, block={1: 3}), 6)
    0.6
    >>> ifpr_risk(0.8, T=[1, 2], a=None).round(5).tolist()
    [0.13767, 0.30545]
    """
    if a is None:
        shape, (size, leave, others, arrival), _ = _asked(theta, block, T)
        chance = overall(size, leave, others, arrival)
        return _answer(np.where(leave == 0, 1 / size, chance), shape)
    shape, cells, counts = _asked(theta, block, T, a, least=1)
    _, stayed = _outcomes(cells, counts, block is None)
    return _answer(stayed / counts, shape)


@warning_once
def ifpr_found(
    theta: float | Mapping[int, float] | Any, T: Any, a: Any, block: Mapping[int, int] | None = None
) -> Any:
    """P(S = a): the chance that `a` released records, 0 included, are in a cell that had T units
    before; 0 where S = a cannot happen. The arguments are those of `ifpr_risk`.

    There, the cell is empty when its own unit left and neither of the others came: 1/2 · 3/4 · 3/4
    = 9/32.

    >>> (32 * ifpr_found(0.5, T=1, a=[0, 1, 2, 3], block={1: 3})).round(9).tolist()
    [9.0, 15.0, 7.0, 1.0]
    """
    shape, cells, counts = _asked(theta, block, T, a)
    found, _ = _outcomes(cells, counts, block is None)
    return _answer(found, shape)


@warning_once
def ifpr_variance(
    theta: float | Mapping[int, float] | Any, T: Any, block: Mapping[int, int] | None = None
) -> Any:
    """Variance of the released count of a cell with T units, given the data; its expectation is T.
    In a large block it is theta (1 - theta / T) + theta. The arguments are those of `ifpr_risk`.

    A unit alone leaves with 0.8; each of the four others comes with 0.2: 0.8 · 0.2 + 4 · 0.2 · 0.8.

    >>> round(ifpr_variance(0.8, T=1, block={1: 5}), 6), round(ifpr_variance(0.8, T=1), 6)
    (0.8, 0.96)
    """
    shape, (size, leave, others, arrival), _ = _asked(theta, block, T)
    who_come = others * arrival * (1 - arrival)
    who_stay = size * leave * (1 - leave)
    return _answer(who_stay + who_come.sum(axis=-1), shape)


@warning_once
def ifpr_xi(theta: float | Mapping[int, float], block: Mapping[int, int] | None = None) -> float:
    """The goal a theta attains: the highest IR_T(a) over all released counts a and all sizes T of
    the block; without one, T = 1 and 2, or the sizes that `theta` names. See `ifpr_risk`.

    In the smallest block both units may end in one cell, and then the intruder has an even chance,
    whatever theta below 1 is. (With theta = 1 they always trade places: no record with the target's
    own keys is the target's, but everyone knows where it is. `ifpr` does not do that.)

    >>> round(ifpr_xi(0.8), 3), round(ifpr_xi(0.8, block={1: 2}), 3)
    (0.395, 0.5)
    """
    checked = check_theta(theta)
    if block is not None:
        _, cells, _ = _asked(theta, block, list(check_block(block)))
        return float(max(_highest_in_block(*cell) for cell in zip(*cells)))
    named = list(checked) if isinstance(checked, dict) else LIMIT_SIZES
    sizes = np.array(named)
    return highest_in_the_limit(theta_of(checked, sizes), sizes)


def _asked(
    theta: Any, block: Any, T: Any, a: Any = 0, least: int = 0
) -> tuple[tuple[int, ...], Any, Integers]:
    """The common shape of the questions, and their cells and counts, one after the other."""
    by_size = check_theta(theta) if isinstance(theta, Mapping) else None
    thetas = np.zeros(())
    if by_size is None:
        numbers = np.ravel(theta).tolist()
        thetas = np.reshape(list(map(check_theta, numbers)), np.shape(theta))
    given = [thetas, _whole("T", T, 1), _whole("a", a, least)]
    try:
        questions = np.broadcast_arrays(*given)
    except ValueError:
        shapes = ", ".join(str(values.shape) for values in given)
        raise InputError(
            f"theta, T, a: arrays of the shapes {shapes} do not fit together"
        ) from None
    shape = questions[0].shape
    flat_thetas, sizes, counts = (values.ravel() for values in questions)
    if block is not None:
        asked = flat_thetas if by_size is None else by_size
        return shape, _in_block(asked, sizes, check_block(block)), counts
    if by_size is not None:
        flat_thetas = theta_of(by_size, sizes)
    others = np.full((len(sizes), 1), LIMIT)
    return shape, (sizes, flat_thetas / sizes, others, flat_thetas[:, None] / LIMIT), counts


def _in_block(theta: Any, T: Integers, block: dict[int, int]) -> Any:
    """The cells of questions about one block, for one theta each, or one by size for all."""
    sizes, cells = np.array([list(block), list(block.values())])
    strangers = np.setdiff1d(T, sizes)
    if len(strangers):
        raise InputError(
            f"T: the block has no cells of {strangers[0]} units; sizes of its cells:"
            f" {', '.join(map(str, block))}"
        )
    at, which = np.searchsorted(sizes, T), np.zeros(len(T), dtype=np.int64)
    if not isinstance(theta, dict):
        theta, which = np.unique(theta, return_inverse=True)
    leave, arrival = movement_in(theta, block)
    others = other_units(sizes, cells[None, :])
    return T, leave[which, at], others[0, at], arrival[which, at]


def _outcomes(cells: Any, counts: Integers, in_limit: bool) -> tuple[Floats, Floats]:
    """`outcome` of each question, shape (q,)."""
    T, leave, others, arrival = cells
    found, stayed = np.empty((2, len(T)))
    direct = (T <= MOST_TERMS) & (leave > 0) & in_limit
    found[direct], stayed[direct] = in_the_limit(T[direct], leave[direct], counts[direct])
    questions = list(zip(T, leave, others, arrival, counts))
    for i in np.flatnonzero(~direct).tolist():
        found[i], stayed[i] = outcome(*questions[i])
    return found, stayed


def _whole(argument: str, value: Any, least: int) -> Integers:
    """One or many whole numbers of at least `least`."""
    numbers = np.asarray(value)
    if numbers.dtype.kind in "iuf" and numbers.size:
        whole = np.isfinite(numbers) & (numbers == np.trunc(numbers))
        if (whole & (numbers >= least)).all():
            return numbers.astype(np.int64)
    raise InputError(
        f"{argument}: {value!r} cannot be used; give a whole number of {least} or more, or several"
    )


def _answer(values: Floats, shape: tuple[int, ...]) -> Any:
    return values.reshape(shape) if shape else float(values[0])
