"""Identification risk under IFPR: what an intruder gains who finds a number of released records
with the target's keys.

A target B shares its combination of keys (its cell) with T units in all. After the randomisation S
records are in that cell. The intruder picks one of them.

    IR_T(a) = P(correct match | S = a) = P(B stayed | S = a) / a

Zhang, Nayak and You (2017), *Measuring identification risk in microdata release and its control by
post-randomization*.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from ..core.arrays import Floats, Integers, Values
from ..errors import InputError
from ..names import named_arguments
from .chances import ROOM, WIDE, chance_in, mean_reciprocal, mean_reciprocal_poisson
from .flows import Flows, balance
from .scheme import check_block, check_theta, theta_of, whole_array

LIMIT_SIZES = (1, 2)  # what the slides perturb
TERMS_AT_ONCE = 2_000_000


@named_arguments()
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
    theta : number from 0 to 1, an array of them, or one for each size of cells, 0 to T, as in ``{1:
        0.79, 2: 1.24, 3: 1.3}``. With different values the other cells are destinations in such
        proportions that every cell keeps its expected count. Cells of a block whose size is not
        named take no part: all their T units stay, with 1 / T.
    T : units in the target's cell before; one number or an array.
    a : released records in that cell, from 1 on; one number or an array. None for the overall
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
    3/4 · 3/4 = 9/32, or when the target left and one of two came, 1/2 · 2 · 1/4 · 3/4 = 6/32: right
    in 9 of 15 cases.

    >>> round(ifpr_risk(0.5, T=1, a=1, block={1: 3}), 6)
    0.6
    >>> ifpr_risk(0.8, T=[1, 2], a=1).round(5).tolist()
    [0.2381, 0.39474]
    >>> round(ifpr_risk(0.8, T=2, a=None), 5)
    0.30545
    """
    thetas, sizes = _arguments(theta, T)
    counts = np.asarray(0) if a is None else whole_array("a", a)
    try:
        shape = np.broadcast_shapes(
            np.shape(thetas) if not isinstance(thetas, dict) else (), sizes.shape, counts.shape
        )
    except ValueError:
        given = () if isinstance(thetas, dict) else np.shape(thetas)
        raise InputError(
            f"theta, T, a: arrays of the shapes {given}, {sizes.shape} and {counts.shape} do not"
            " fit together"
        ) from None
    sizes, counts = np.broadcast_to(sizes, shape), np.broadcast_to(counts, shape)
    if block is None:
        by_theta = (
            theta_of(thetas, sizes) if isinstance(thetas, dict) else np.broadcast_to(thetas, shape)
        )
        risk = (
            overall_in_the_limit(by_theta, sizes)
            if a is None
            else risk_in_the_limit(by_theta, sizes, counts)
        )
    else:
        cells = check_block(block)
        risk = _each(
            lambda theta, T, a: _one_in_block(theta, T, a or None, cells), thetas, sizes, counts
        )
    return float(risk) if shape == () else risk


@named_arguments()
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

    In the smallest of blocks both units may end in one cell, and then the intruder has an even
    chance whatever theta below 1 is. (With theta = 1 they always change places: no record under the
    target's own keys is the target's, but everybody knows where it is. `ifpr` does not do that.)

    >>> round(ifpr_xi(0.8, block={1: 2}), 3)
    0.5
    """
    checked = check_theta(theta, empty=block is not None)
    if block is None:
        sizes = np.array(sorted(checked) if isinstance(checked, dict) else LIMIT_SIZES)
        by_size = theta_of(checked, sizes)
        # in the limit the risk falls with a; without movement only a = T occurs
        return float(
            np.where(
                by_size > 0, risk_in_the_limit(by_size, sizes, np.ones(len(sizes))), 1 / sizes
            ).max()
        )
    cells = check_block(block)
    return max(
        _worst(*_flows_at(checked, cells, size)) if _takes_part(checked, size) else 1 / size
        for size in cells
    )


@named_arguments()
def ifpr_variance(
    theta: float | Mapping[int, float] | Any, T: Any, block: Mapping[int, int] | None = None
) -> Any:
    """Variance of the released count of a cell with T units, given the data; its expectation is T.

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

    >>> round(ifpr_variance(0.8, T=1, block={1: 5}), 6)
    0.8
    >>> round(ifpr_variance(0.8, T=1), 6)
    0.96
    """
    thetas, sizes = _arguments(theta, T)
    try:
        shape = np.broadcast_shapes(
            () if isinstance(thetas, dict) else np.shape(thetas), sizes.shape
        )
    except ValueError:
        raise InputError(
            f"theta, T: arrays of the shapes {np.shape(thetas)} and {sizes.shape} do not fit"
            " together"
        ) from None
    sizes = np.broadcast_to(sizes, shape)
    if block is None:
        mine = (
            theta_of(thetas, sizes) if isinstance(thetas, dict) else np.broadcast_to(thetas, shape)
        )
        variance = mine * (1 - mine / sizes) + mine
    else:
        cells = check_block(block)
        variance = _each(
            lambda theta, T, _: _variance_in_block(theta, T, cells),
            thetas,
            sizes,
            np.zeros(shape, dtype=np.int64),
        )
    return float(variance) if shape == () else variance


# ---- arguments -----------------------------------------------------------------------


def _arguments(theta: Any, T: Any) -> tuple[Any, Integers]:
    sizes = whole_array("T", T)
    if isinstance(theta, Mapping) or np.ndim(theta) == 0:
        checked = check_theta(theta.item() if isinstance(theta, np.ndarray) else theta)
        return (checked if isinstance(checked, dict) else np.float64(checked)), sizes
    return (
        np.reshape([check_theta(value) for value in np.ravel(theta).tolist()], np.shape(theta)),
        sizes,
    )


# ---- the limit of large blocks -------------------------------------------------------


def risk_in_the_limit(theta: Values, T: Values, a: Values) -> Floats:
    """IR_T(a) with Poisson(theta) arrivals.

    P(S = a) is a sum over j, the units of T that stay, of terms proportional to C(T, j) a (a - 1)
    ... (a - j + 1) ((T - theta) / theta^2)^j; B is one of the j with j / T. Terms rise to one peak
    and fall, so only those around it are added up, relative to the first of them: nothing is lost
    for large T or a, nor for tiny theta.
    """
    theta, T, a = np.broadcast_arrays(*(np.asarray(x, dtype=float) for x in (theta, T, a)))
    risk = np.where(theta == 0, np.where(a == T, 1 / T, np.nan), 0.0)
    moving = (theta > 0) & (theta < T)
    if moving.any():
        risk[moving] = _stayed_in_the_limit(theta[moving], T[moving], a[moving]) / a[moving]
    return risk


def _stayed_in_the_limit(theta: Floats, T: Floats, a: Floats) -> Floats:
    """P(B stayed | S = a), shape (q,), for 0 < theta < T; some questions at a time."""
    peak = _peak(theta, T, a)
    most = np.minimum(T, a)
    spread = 1 / np.sqrt(
        1 / np.maximum(T - peak, 0.5) + 1 / np.maximum(a - peak, 0.5) + 1 / np.maximum(peak, 0.5)
    )
    reach = WIDE * spread + ROOM
    first, last = np.maximum(np.floor(peak - reach), 0), np.minimum(np.ceil(peak + reach), most)
    width = int((last - first).max()) + 1
    at_once = max(1, TERMS_AT_ONCE // width)
    parts = [slice(start, start + at_once) for start in range(0, len(theta), at_once)]
    return np.concatenate(
        [_share_that_stay(theta[p], T[p], a[p], first[p, None] + np.arange(width)) for p in parts]
    )


def _share_that_stay(theta: Floats, T: Floats, a: Floats, j: Floats) -> Floats:
    """E[j / T | S = a] over consecutive j, shape (q, width)."""
    ratio = (np.log(T - theta) - 2 * np.log(theta))[:, None]
    with np.errstate(divide="ignore"):
        steps = (
            np.log(np.maximum(T[:, None] - j, 0.0))
            + np.log(np.maximum(a[:, None] - j, 0.0))
            - np.log1p(j)
            + ratio
        )  # from j to j + 1
    logs = np.concatenate((np.zeros((len(j), 1)), np.cumsum(steps[:, :-1], axis=1)), axis=1)
    terms = np.exp(logs - logs.max(axis=1, keepdims=True))
    stayed: Floats = (terms * j).sum(axis=1) / terms.sum(axis=1) / T
    return stayed


def _peak(theta: Floats, T: Floats, a: Floats) -> Floats:
    """Where terms are largest, up to one: (T - j) (a - j) (T - theta) / theta^2 = j."""
    rest = theta * theta / (T - theta)
    return 2 * T * a / (T + a + rest + np.sqrt((T - a) ** 2 + 2 * (T + a) * rest + rest * rest))


def overall_in_the_limit(theta: Values, T: Values) -> Floats:
    """P(correct match | T) = P(B stayed) E[1 / S], by the generating functions of stayers and
    arrivals.
    """
    theta, T = np.asarray(theta, dtype=float), np.asarray(T, dtype=float)
    stay = 1 - theta / T
    return stay * mean_reciprocal_poisson(T - 1, stay, theta)


# ---- a given block -------------------------------------------------------------------


def _each(
    answer: Callable[[Any, int, int], float], theta: Any, sizes: Integers, counts: Integers
) -> Floats:
    """Each distinct question once; `theta` is a mapping, a number or an array."""
    of = None if isinstance(theta, dict) else np.broadcast_to(theta, sizes.shape)
    out = np.empty(sizes.shape)
    known: dict[tuple[Any, ...], float] = {}
    for place in np.ndindex(sizes.shape):
        question = (None if of is None else float(of[place]), int(sizes[place]), int(counts[place]))
        if question not in known:
            known[question] = answer(theta if of is None else question[0], *question[1:])
        out[place] = known[question]
    return out


def _one_in_block(
    theta: float | dict[int, float], T: int, a: int | None, block: dict[int, int]
) -> float:
    if T in block and not _takes_part(theta, T):
        return 1 / T if a in (None, T) else math.nan
    flows, place = _flows_at(theta, block, T)
    if a is None:
        stay = 1 - flows.leave[0, place]
        return float(
            stay
            * mean_reciprocal(
                np.array(T - 1), np.array(stay), flows.others[0, place], flows.arrival[0, place]
            )
        )
    return _stayed(flows, place, a) / a


def _variance_in_block(theta: float | dict[int, float], T: int, block: dict[int, int]) -> float:
    if T in block and not _takes_part(theta, T):
        return 0.0
    flows, place = _flows_at(theta, block, T)
    leave, q = flows.leave[0, place], flows.arrival[0, place]
    return float(T * leave * (1 - leave) + (flows.others[0, place] * q * (1 - q)).sum())


def _events(flows: Flows, place: int) -> tuple[Integers, Floats, Floats]:
    """What may bring a record to a cell of the size at `place`, in the first block: numbers,
    chances and their complements; its own units come last.
    """
    leave, arrival = flows.leave[0, place], flows.arrival[0, place]
    return (
        np.append(flows.others[0, place], flows.sizes[place]),
        np.append(arrival, 1 - leave),
        np.append(1 - arrival, leave),
    )


def _stayed(flows: Flows, place: int, a: int) -> float:
    """P(B stayed | S = a) for B in a cell of the size at `place`, in the first block."""
    counts, chances, complements = _events(flows, place)
    return chance_in(counts, chances, complements, len(counts) - 1, a)


def _worst(flows: Flows, place: int) -> float:
    """The highest IR over all counts a. P(B stayed | S = a) never falls with a, so between two
    counts the risk is at most that chance at the upper one over the lower one.
    """
    counts, chances, complements = _events(flows, place)
    first, last = max(1, int(counts[complements == 0].sum())), int(counts[chances > 0].sum())
    if chances[-1] == 0 or first > last:
        return 0.0
    worst = max(_stayed(flows, place, first) / first, 1 / last)
    spans = [(first + 1, last)]
    while spans:
        low, high = spans.pop()
        if low > high or 1 / low <= worst:
            continue
        at_high = _stayed(flows, place, high)
        worst = max(worst, at_high / high)
        if at_high / low > worst:
            middle = (low + high) // 2
            spans += [(middle + 1, high - 1), (low, middle)] if low < high else []
    return worst


def _takes_part(theta: float | dict[int, float], T: int) -> bool:
    return not isinstance(theta, dict) or T in theta


def _flows_at(theta: float | dict[int, float], block: dict[int, int], T: int) -> tuple[Flows, int]:
    """Movement in one block, and the place of size T among the sizes that take part."""
    if T not in block:
        raise InputError(
            f"T: the block has no cells of {T} units; sizes of its cells:"
            f" {', '.join(map(str, block))}"
        )
    taking = {size: number for size, number in block.items() if _takes_part(theta, size)}
    if sum(taking.values()) < 2:
        raise InputError(
            f"theta: names one cell only of {block!r}, so its units have nowhere to go; give a"
            " theta for other sizes too, or merge the block with another"
        )
    block = taking
    sizes = np.array(sorted(block))
    flows = balance(theta_of(theta, sizes), sizes, np.array([[block[t] for t in sorted(block)]]))
    if not flows.possible[0]:
        raise InputError(
            f"block: in {block!r} with theta {theta!r} one cell would send as many units as all"
            " others together, or more, so expected counts cannot be kept; merge the block with"
            " another"
        )
    return flows, sorted(block).index(T)
