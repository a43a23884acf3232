"""Identification risk under IFPR: what an intruder learns from the number of released records with
the target's keys.

A target B shares its combination of keys (its cell) with T units in all. After the randomisation S
records are in that cell. The intruder picks one of them.

    IR_T(a) = P(correct match | S = a) = P(B stayed | S = a) / a

Zhang, Nayak and You (2017), *Measuring identification risk in microdata release and its control by
post-randomization*.

S is a sum of independent yes/no events, and of Poisson arrivals in the limit of large blocks. Its
chances are exact for a few events and for millions, in the middle and far out in the tails
(`outcome`).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from ..core.arrays import Flags, Floats, Integers
from ..errors import InputError, warning_once
from .flows import Flows, Theta, check_block, check_theta, flows_in_block, takes_part, theta_of

ROUNDING, LAST_DIGITS = 1e-9, 4e-15  # relative, and of numbers near 1
LIMIT_SIZES = (1, 2)  # what the slides perturb
WIDE, ROOM = 10.0, 40.0  # what lies outside such a window is below 1e-20 of the centre
FAR = 600.0  # beyond this, log odds are as good as certain, and their exponentials would overflow
EDGE = 1e-3  # beyond an interval that holds the answer, against rounding
NODES = 200  # of the Gauss-Legendre rule on [0, 1]


# ---- one cell ------------------------------------------------------------------------


class Cell(NamedTuple):
    """A cell of T units, and what may bring records to it: each of its units leaves with the chance
    `leave`; `others` come with the chance `arrival` each, shape (r,), and a Poisson number with the
    mean `mean`. If none leaves, none comes.
    """

    T: int
    leave: float
    others: Integers
    arrival: Floats
    mean: float


def cell_of(theta: Theta, T: int, block: dict[int, int] | None) -> Cell:
    """A cell of T units of a block, or of the limit of large ones."""
    nobody = np.zeros(0, dtype=np.int64), np.zeros(0)
    if block is None:
        mean = float(theta_of(theta, [T])[0])
        return Cell(T, mean / T, *nobody, mean)
    if T not in block:
        sizes = ", ".join(map(str, block))
        raise InputError(f"T: the block has no cells of {T} units; sizes of its cells: {sizes}")
    if not takes_part(theta, T):
        return Cell(T, 0.0, *nobody, 0.0)
    flows = flows_in_block(theta, block)
    at = flows.sizes.tolist().index(T)
    return Cell(T, float(flows.leave[0, at]), flows.others[0, at], flows.arrival[0, at], 0.0)


def outcome(cell: Cell, a: int) -> tuple[float, float]:
    """P(S = a), and P(B stayed | S = a), NaN where S = a cannot happen.

    >>> three = Cell(1, 0.5, np.array([2]), np.array([0.25]), 0.0)  # B, and two others
    >>> [tuple(round(x, 9) for x in outcome(three, a)) for a in range(4)]
    [(0.28125, 0.0), (0.46875, 0.6), (0.21875, 0.857142857), (0.03125, 1.0)]
    """
    if cell.leave == 0:
        return (1.0, 1.0) if a == cell.T else (0.0, math.nan)
    n = np.append(cell.others, cell.T)
    p = np.append(cell.arrival, 1 - cell.leave)
    q = np.append(1 - cell.arrival, cell.leave)  # which a chance near 1 would lose
    total = a - int(n[q == 0].sum())
    uncertain = (p > 0) & (q > 0) & (n > 0)
    n, p, q = n[uncertain], p[uncertain], q[uncertain]
    log_p = np.where(q < 0.5, np.log1p(-np.minimum(q, 0.5)), np.log(p))
    log_q = np.where(p < 0.5, np.log1p(-np.minimum(p, 0.5)), np.log(q))
    most = math.inf if cell.mean else int(n.sum())
    if not 0 <= total <= most:
        return 0.0, math.nan
    if total == 0:
        return math.exp((n * log_q).sum() - cell.mean), 0.0
    may_stay = cell.leave < 1
    if total == most:
        return math.exp((n * log_p).sum()), float(may_stay)
    return _tilted(n, log_p, log_q, cell.mean, may_stay, total)


def _tilted(
    n: Integers, log_p: Floats, log_q: Floats, mean: float, may_stay: bool, total: int
) -> tuple[float, float]:
    """The same, for a total of groups of `n` events and Poisson arrivals, none of them certain; B
    is one of the last group if it may stay.

    All odds are multiplied by one number, exp(s), so that the total becomes the expected number; a
    window around it then holds everything that matters, however unlikely it is. Given the total,
    the chance of an event stays the same, and the effect on P(S = a) is known and undone:

        P(S = a) = P_s(S = a) exp(-s a) E[exp(s S)]
    """
    import scipy

    odds = log_p - log_q
    log_mean = math.log(mean) if mean else -math.inf

    def excess(s: float) -> float:
        expected = float((n * scipy.special.expit(odds + s)).sum())
        return expected + math.exp(log_mean + s) - total

    # at `low` not even the odds, which are above the chances, add up to the total
    low = math.log(total) - np.logaddexp.reduce([*(np.log(n) + odds), log_mean])
    high = math.log(total) - log_mean
    if not mean:
        high = math.log(total) - math.log(n.sum() - total) - odds.min()
    s = float(scipy.optimize.brentq(excess, low - EDGE, high + EDGE))
    arrivals = math.exp(log_mean + s)
    rest = n.copy()
    stay = 0.0
    if may_stay:
        rest[-1] -= 1  # B itself
        stay = scipy.special.expit(odds[-1] + s)
    windows = [_binomial(*group) for group in zip(rest.tolist(), (odds + s).tolist())]
    if mean:
        windows.append(
            _window(arrivals, math.sqrt(arrivals), math.inf, lambda x: arrivals / (x + 1))
        )
    with_b, without = _chances_of_sum(windows, [total - 1, total])
    stayed = stay * with_b
    left = without
    if may_stay:
        left *= scipy.special.expit(-odds[-1] - s)
    log_mean_of_events = (n * np.logaddexp(log_q, log_p + s)).sum()
    log_factor = log_mean_of_events + arrivals - mean - s * total
    both = stayed + left
    return float(both * math.exp(log_factor)), float(stayed / both)


Window = tuple[int, Floats]  # a number, and the chances of it and the following ones


def _binomial(n: int, log_odds: float) -> Window:
    odds = math.exp(min(max(log_odds, -FAR), FAR))
    mean = n / (1 + 1 / odds)
    spread = math.sqrt(mean / (1 + odds))
    return _window(mean, spread, n, lambda x: (n - x) / (x + 1) * odds)


def _window(mean: float, spread: float, most: float, ratio: Callable[[Floats], Floats]) -> Window:
    """Where a window around the mean begins, and the chances in it: from the ratios of neighbours,
    then scaled to sum to one.
    """
    reach = WIDE * spread + ROOM
    first = max(0, math.floor(mean - reach))
    last = int(min(most, math.ceil(mean + reach)))
    top = min(max(round(mean), first), last) - first
    ratios = ratio(np.arange(first, last, dtype=float))
    up = np.cumprod(ratios[top:])
    down = np.cumprod(1 / ratios[:top][::-1])
    mass = np.concatenate((down[::-1], [1.0], up))
    return first, mass / mass.sum()


def _chances_of_sum(windows: list[Window], totals: list[int]) -> list[float]:
    """P(sum of independent numbers = total) for some totals, of those inside their windows."""
    first, mass = 0, np.ones(1)
    *others, (start, last_mass) = windows
    for begin, of_number in others:
        first += begin
        mass = np.convolve(mass, of_number)
    # a few values of the last convolution are enough
    chances = []
    for total in totals:
        needed = total - start - first - np.arange(len(last_mass))
        inside = (needed >= 0) & (needed < len(mass))
        chances.append(float(last_mass[inside] @ mass[needed[inside]]))
    return chances


@cache
def _rule() -> tuple[Floats, Floats]:
    """1 - z and the weights of a rule for integrals over z in [0, 1]. No node is 0 or 1, so no
    logarithm of 0 occurs.
    """
    nodes, weights = np.polynomial.legendre.leggauss(NODES)
    return (1 - nodes) / 2, weights / 2


def overall_chance(
    companions: Any, leave: Any, others: Integers, arrival: Floats, mean: float = 0.0
) -> Floats:
    """P(correct match) = P(B stayed) E[1 / S], S with B, the companions who stay and the others who
    come, which are along the last axis; `mean` is that of Poisson arrivals.

    1 / (1 + s) is the integral of z^s over [0, 1], so E[1 / S] is the integral of the generating
    function of the rest of S.

    >>> overall_chance(0, 0.0, np.array([1]), np.array([0.5])).round(12).item()  # 1 or 1/2
    0.75
    """
    lacking, weights = _rule()
    stay = 1 - np.asarray(leave)[..., None]
    companions = np.asarray(companions)[..., None]
    logs = companions * np.log1p(-stay * lacking)
    for j in range(arrival.shape[-1]):
        logs = logs + others[..., j, None] * np.log1p(-arrival[..., j, None] * lacking)
    reciprocal = (np.exp(logs - mean * lacking) * weights).sum(axis=-1)
    chance: Floats = stay[..., 0] * reciprocal
    return chance


# ---- all blocks at once --------------------------------------------------------------


def profile(flows: Flows, last: int) -> tuple[Floats, Floats]:
    """P(S = a), and P(S = a and correct match), of a target in a cell of the i-th size in block b;
    shape (b, r, last + 2): a from 0 to `last`, and at the end over all a however large. NaN where a
    block has no such cell. In a block that cannot exchange units all stay.

    >>> from .flows import balance
    >>> block = balance(np.array([0.8, 0.8]), np.array([1, 2]), np.array([[3, 2]]))
    >>> found, matched = profile(block, 2)
    >>> ratio(matched, found)[0].round(5).tolist()  # IR(0), which is none, IR(1), IR(2), overall
    [[0.0, 0.2093, 0.19844, 0.13529], [0.0, 0.37762, 0.3351, 0.3007]]
    """
    kinds, kind_of_block = _distinct_blocks(flows)
    found, matched = _by_count(kinds, last)
    overall = overall_chance(kinds.sizes - 1, kinds.leave, kinds.others, kinds.arrival)
    found = np.append(found, np.ones((*overall.shape, 1)), axis=-1)
    matched = np.append(matched, overall[..., None], axis=-1)
    absent = kinds.cells == 0
    found[absent] = matched[absent] = np.nan
    return found[kind_of_block], matched[kind_of_block]


def expected_units(flows: Flows, last: int) -> tuple[Floats, Floats]:
    """Units that are expected to find a records, and to be matched among those; as in `profile`,
    with one block more for all of them together.
    """
    weights = flows.units[..., None].astype(float)
    finders, matched = (chances * weights for chances in profile(flows, last))
    of_all = np.nansum((finders, matched), axis=1)[:, None]
    return np.append(finders, of_all[0], axis=0), np.append(matched, of_all[1], axis=0)


def ratio(numerator: Floats, denominator: Floats) -> Floats:
    """NaN where nothing is expected."""
    quotient: Floats = np.full(numerator.shape, np.nan)
    return np.divide(numerator, denominator, out=quotient, where=denominator > 0)


def worst_risk(flows: Flows, xi: float) -> Floats:
    """The highest IR(a) over the counts that could pass xi, shape (b, r); 0 where there is none or
    no such cell.
    """
    kinds, kind_of_block = _distinct_blocks(flows)
    found, matched = _by_count(kinds, highest_count(xi))
    usable = (found > 0) & (kinds.cells > 0)[..., None]
    risk = np.divide(matched, found, out=np.zeros_like(found), where=usable)
    highest: Floats = risk[..., 1:].max(axis=-1)
    return highest[kind_of_block]


def highest_count(xi: float) -> int:
    """The largest a with 1 / a above xi: IR(a) <= 1 / a, so larger counts meet the goal by
    themselves.
    """
    a = int(1 / xi)
    meets_exactly = a * xi >= 1 - 1e-12
    return a - 1 if a > 1 and meets_exactly else a


def passes(risk: Floats, xi: float) -> Flags:
    """Whether a risk is above the goal. A theta made for xi meets it only up to rounding, near 0
    and near 1 as well.
    """
    rounding = max(ROUNDING * min(xi, 1 - xi), LAST_DIGITS)
    tolerance = min(rounding, (1 - xi) / 2)
    return risk > xi + tolerance


def _distinct_blocks(flows: Flows) -> tuple[Flows, Integers]:
    """Blocks with the same cells and thetas once, and for each block its place among them."""
    alike = np.column_stack((flows.cells.astype(float), flows.theta))
    _, first, kind_of_block = np.unique(alike, axis=0, return_index=True, return_inverse=True)
    return flows.at(first), kind_of_block.reshape(-1)  # numpy 2.0 gave it a second axis


def _by_count(flows: Flows, last: int) -> tuple[Floats, Floats]:
    """P(S = a) and P(S = a and correct match), a from 0 to `last`."""
    stay, others, arrival = 1 - flows.leave, flows.others, flows.arrival
    arrived = _binomial_start(others[:, :, 0], arrival[:, :, 0], last)
    for j in range(1, len(flows.sizes)):
        of_size = _binomial_start(others[:, :, j], arrival[:, :, j], last)
        arrived = _convolve_start(arrived, of_size)
    found = _convolve_start(arrived, _binomial_start(flows.sizes, stay, last))
    # at x: B stayed and x others are there
    companions = _binomial_start(flows.sizes - 1, stay, last)
    with_target = stay[..., None] * _convolve_start(arrived, companions)
    matched = np.zeros_like(found)
    matched[..., 1:] = with_target[..., :-1] / np.arange(1, last + 1)
    return found, matched


def _binomial_start(n: Integers, p: Floats, last: int) -> Floats:
    """Binomial probabilities of 0 to `last`, shape (..., last + 1), for means that are not large; n
    and p broadcast.
    """
    n, p = np.broadcast_arrays(n.astype(float)[..., None], p[..., None])
    sure = p == 1
    q = np.where(sure, 0.5, p)  # any number below 1: certain events are filled in at the end
    x = np.arange(last, dtype=float)
    with np.errstate(divide="ignore"):
        log_odds = np.log(q) - np.log1p(-q)
        steps = np.log(np.maximum(n - x, 0.0)) - np.log(x + 1) + log_odds
    logs = np.concatenate((n * np.log1p(-q), steps), axis=-1)
    certain = (np.arange(last + 1) == n).astype(float)
    chances: Floats = np.where(sure, certain, np.exp(np.cumsum(logs, axis=-1)))
    return chances


def _convolve_start(first: Floats, second: Floats) -> Floats:
    """Probabilities of 0, 1, ... of a sum, as many as each part has; along the last axis."""
    of_sum: Floats = np.zeros(np.broadcast_shapes(first.shape, second.shape))
    for x in range(of_sum.shape[-1]):
        of_sum[..., x] = (first[..., : x + 1] * second[..., x::-1]).sum(axis=-1)
    return of_sum


# ---- what the public functions answer ------------------------------------------------


@warning_once
def ifpr_risk(
    theta: float | Mapping[int, float] | Any, T: Any, a: Any, block: Mapping[int, int] | None = None
) -> Any:
    """Identification risk IR_T(a) = P(correct match | S = a) for a target in a cell of T units, `a`
    released records in that cell.

    A unit of a T-cell leaves with probability theta / T for one of the other cells of its block,
    chosen at random. In a large block the number of units that come in is Poisson with mean theta;
    in a given block it is a sum of binomials, and the answer is exact for that block.

    Parameters
    ----------
    theta : number from 0 to 1, an array of them, or one for each size of cells, 0 to T, as in
        ``{1: 0.79, 2: 1.24, 3: 1.3}``. With different values the other cells are destinations in
        such proportions that every cell keeps its expected count. Cells of a size that is not named
        take no part: all their T units stay, and the risk is 1 / T.
    T : units in the target's cell before; one number or an array.
    a : released records in that cell, 1 or more; one number or an array. None for the overall
        P(correct match | T), where an empty cell is no match.
    block : cells by size, as in ``{1: 10, 2: 5}``, the target's own included; None for the limit of
        large blocks.

    Returns
    -------
    float, or an array of the common shape of `theta`, `T` and `a`
        A probability, 0 to 1; higher is riskier; never above 1 / a. NaN where S = a cannot happen.

    Examples
    --------
    Three people, each alone in a cell, leave with probability 1/2, so one given person comes to the
    target's cell with 1/4. One record is found there when the target stayed and nobody came, 1/2 ·
    3/4 · 3/4 = 9/32, or when the target left and one of two came, 1/2 · 2 · 1/4 · 3/4 = 6/32:
    correct in 9 of 15 cases.

    >>> round(ifpr_risk(0.5, T=1, a=1, block={1: 3}), 6)
    0.6
    >>> ifpr_risk(0.8, T=[1, 2], a=1).round(5).tolist()
    [0.2381, 0.39474]
    >>> round(ifpr_risk(0.8, T=2, a=None), 5)
    0.30545
    """
    if a is None:
        return _each(_overall, theta, T, block)
    return _each(lambda cell, a: outcome(cell, a)[1] / a, theta, T, block, a, 1)


def _overall(cell: Cell, _: int) -> float:
    if cell.leave == 0:
        return 1 / cell.T
    return float(overall_chance(cell.T - 1, *cell[1:]))


@warning_once
def ifpr_found(
    theta: float | Mapping[int, float] | Any, T: Any, a: Any, block: Mapping[int, int] | None = None
) -> Any:
    """P(S = a): the chance that `a` released records are in a cell that had T units before, 0
    included.

    S is the number of units that stay plus the number that arrive. Each of the T units stays with
    probability 1 - theta / T. In a large block arrivals are Poisson with mean theta; in a given
    block they are sums of binomials, and the answer is exact for that block.

    Parameters
    ----------
    theta, T, block : see `ifpr_risk`.
    a : released records in the cell, 0 or more; one number or an array.

    Returns
    -------
    float, or an array of the common shape of `theta`, `T` and `a`
        A probability, 0 to 1; 0 where S = a cannot happen. Over all a they sum to 1, and a P(S = a)
        sums to T: every cell keeps its expected count.

    Examples
    --------
    Three people, each alone in a cell, leave with probability 1/2. A cell is empty when its own
    unit left and neither of the others came: 1/2 · 3/4 · 3/4 = 9/32. One record is there in 15 of
    32 cases.

    >>> (32 * ifpr_found(0.5, T=1, a=[0, 1, 2, 3], block={1: 3})).round(9).tolist()
    [9.0, 15.0, 7.0, 1.0]
    """
    return _each(lambda cell, a: outcome(cell, a)[0], theta, T, block, a, 0)


@warning_once
def ifpr_variance(
    theta: float | Mapping[int, float] | Any, T: Any, block: Mapping[int, int] | None = None
) -> Any:
    """Variance of the released count of a cell with T units, given the data; its expectation is T.

    In a large block, the units that stay are binomial and those that arrive Poisson: theta (1 -
    theta / T) + theta.

    Parameters
    ----------
    theta, T, block : see `ifpr_risk`.

    Returns
    -------
    float, or an array of the common shape of `theta` and `T`
        In squared units; 0 for cells that take no part.

    Examples
    --------
    A unit alone leaves with 0.8; each of the four others comes with 0.2: 0.8 · 0.2 + 4 · 0.2 · 0.8.

    >>> round(ifpr_variance(0.8, T=1, block={1: 5}), 6), round(ifpr_variance(0.8, T=1), 6)
    (0.8, 0.96)
    """
    return _each(_variance, theta, T, block)


def _variance(cell: Cell, _: int) -> float:
    of_those_who_come = (cell.others * cell.arrival * (1 - cell.arrival)).sum() + cell.mean
    return float(cell.T * cell.leave * (1 - cell.leave) + of_those_who_come)


@warning_once
def ifpr_xi(theta: float | Mapping[int, float], block: Mapping[int, int] | None = None) -> float:
    """The goal a theta attains: the highest IR_T(a) over all sizes T and all released counts a.

    Parameters
    ----------
    theta : number from 0 to 1 or one for each size, see `ifpr_risk`.
    block : cells by size; None for the limit of large blocks, there over T = 1 and 2, or the sizes
        that `theta` names.

    Returns
    -------
    float
        A probability; higher is riskier. Cells of the block whose size `theta` does not name are
        not perturbed and have 1 / T.

    Examples
    --------
    >>> round(ifpr_xi(0.8), 3), round(ifpr_xi(2 / 3), 3)
    (0.395, 0.429)

    In the smallest block both units may end in one cell, and then the intruder has an even chance,
    whatever theta below 1 is. (With theta = 1 they always trade places: no record with the target's
    own keys is the target's, but everyone knows where it is. `ifpr` does not do that.)

    >>> round(ifpr_xi(0.8, block={1: 2}), 3)
    0.5
    """
    checked = check_theta(theta, empty=block is not None)
    if block is not None:
        cells = check_block(block)
        return max(_highest_risk(cell_of(checked, T, cells)) for T in cells)
    sizes = np.array(list(checked) if isinstance(checked, dict) else LIMIT_SIZES)
    return highest_in_the_limit(theta_of(checked, sizes.tolist()), sizes)


def highest_in_the_limit(theta: Floats, sizes: Integers) -> float:
    """The highest IR_T(a) over these sizes, `theta` of each, and all a: the risk falls with a."""
    remaining = sizes - theta
    return float((remaining / (sizes * remaining + theta**2)).max())


def _highest_risk(cell: Cell) -> float:
    """The highest IR over all counts a. P(B stayed | S = a) never falls with a, so between two
    counts the risk is at most that chance at the upper one over the lower one.
    """
    if cell.leave == 0:
        return 1 / cell.T
    most = int(cell.others[cell.arrival > 0].sum()) + cell.T * (cell.leave < 1)
    fewest = max(1, int(cell.others[cell.arrival == 1].sum()))
    if cell.leave == 1 or fewest > most:
        return 0.0
    highest = max(outcome(cell, fewest)[1] / fewest, 1 / most)
    spans = [(fewest + 1, most)]
    while spans:
        low, high = spans.pop()
        if low > high or 1 / low <= highest:
            continue
        stayed = outcome(cell, high)[1]
        highest = max(highest, stayed / high)
        if stayed / low > highest and low < high:
            middle = (low + high) // 2
            spans += [(middle + 1, high - 1), (low, middle)]
    return highest


def _each(
    answer: Callable[[Cell, int], float],
    theta: Any,
    T: Any,
    block: Mapping[int, int] | None,
    a: Any = None,
    least: int | None = None,
) -> Any:
    """The answer to each question (theta, T, a), which may be arrays; every distinct one is asked
    once. `least` is the lowest count `a`, None if the questions have none.
    """
    sizes = _whole_array("T", T, 1)
    thetas, by_size = _thetas(theta)
    given = {"theta": thetas, "T": sizes}
    if least is not None:
        given["a"] = _whole_array("a", a, least)
    try:
        questions = np.broadcast(*given.values())
    except ValueError:
        *first, last = (str(values.shape) for values in given.values())
        raise InputError(
            f"{', '.join(given)}: arrays of the shapes {', '.join(first)} and {last} do not fit"
            " together"
        ) from None
    cells = None if block is None else check_block(block)
    cell = cache(lambda theta, T: cell_of(by_size or theta, T, cells))
    known = cache(lambda theta, T, a=0: answer(cell(theta, T), a))
    answers = [known(*(value.item() for value in question)) for question in questions]
    return np.array(answers).reshape(questions.shape) if questions.shape else float(answers[0])


def _thetas(theta: Any) -> tuple[Floats, dict[int, float] | None]:
    """Numbers, or any number and a mapping by size, which is one theta whatever it names."""
    if isinstance(theta, Mapping):
        checked = check_theta(theta)
        return np.zeros(()), checked if isinstance(checked, dict) else None
    values = [check_theta(number) for number in np.ravel(theta).tolist()]
    return np.array(values).reshape(np.shape(theta)), None


def _whole_array(argument: str, value: Any, least: int) -> Integers:
    """One or many whole numbers of at least `least`."""
    numbers = np.asarray(value)
    if numbers.dtype.kind in "iuf" and numbers.size:
        whole = np.isfinite(numbers) & (numbers == np.trunc(numbers))
        if (whole & (numbers >= least)).all():
            return numbers.astype(np.int64)
    raise InputError(
        f"{argument}: {value!r} cannot be used; give a whole number of {least} or more, or several"
    )
