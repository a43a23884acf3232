"""Identification risk under IFPR: what an intruder gains who finds a number of released records with the target's keys.

A target B shares its combination of keys (its cell) with T units in all. After the randomisation S records are in that cell. The intruder picks one of them.

    IR_T(a) = P(correct match | S = a) = P(B stayed | S = a) / a

Zhang, Nayak and You (2017), *Measuring identification risk in microdata release and its control by post-randomization*.
"""

from __future__ import annotations

import math
from typing import Any, Mapping

import numpy as np

from ..errors import InputError
from .chances import chance_in, mean_reciprocal, mean_reciprocal_poisson
from .flows import Flows, balance
from .scheme import check_block, check_theta, theta_of, whole_array

LIMIT_SIZES = (1, 2)  # what the slides perturb


def ifpr_risk(theta: float | Mapping[int, float] | Any, T: Any, a: Any, block: Mapping[int, int] | None = None) -> Any:
    """Identification risk IR_T(a) = P(correct match | S = a) for a target in a cell of T units, `a` released records in that cell.

    A unit of a T-cell leaves with probability theta / T for one of the other cells of its block, chosen at random. In a large block the number of units that come in is
    Poisson with mean theta; in a given block it is a sum of binomials, and the answer is exact for that block.

    Parameters
    ----------
    theta : number from 0 to 1, an array of them, or one for each size of cells, 0 to T, as in ``{1: 0.79, 2: 1.24, 3: 1.3}``.
        With different values the other cells are destinations in such proportions that every cell keeps its expected count.
    T : units in the target's cell before; one number or an array.
    a : released records in that cell, from 1 on; one number or an array. None for the overall P(correct match | T), where an empty cell is no match.
    block : cells by size, as in ``{1: 10, 2: 5}``, the target's own included; None for the limit of large blocks.

    Returns
    -------
    float, or an array of the common shape of `theta`, `T` and `a`
        A probability, 0 to 1; higher is riskier; never above 1 / a. NaN where S = a cannot happen.

    Examples
    --------
    Three people, each alone in a cell, leave with probability 1/2, so one given person comes to the target's cell with 1/4. One record is found there when the target
    stayed and nobody came, 1/2 · 3/4 · 3/4 = 9/32, or when the target left and one of two came, 1/2 · 2 · 1/4 · 3/4 = 6/32: right in 9 of 15 cases.

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
        shape = np.broadcast_shapes(np.shape(thetas) if not isinstance(thetas, dict) else (), sizes.shape, counts.shape)
    except ValueError:
        given = () if isinstance(thetas, dict) else np.shape(thetas)
        raise InputError(f"theta, T, a: arrays of the shapes {given}, {sizes.shape} and {counts.shape} do not fit together") from None
    sizes, counts = np.broadcast_to(sizes, shape), np.broadcast_to(counts, shape)
    by_theta = theta_of(thetas, sizes) if isinstance(thetas, dict) else np.broadcast_to(thetas, shape)
    if block is None:
        risk = overall_in_the_limit(by_theta, sizes) if a is None else risk_in_the_limit(by_theta, sizes, counts)
    else:
        risk = _in_block(thetas if isinstance(thetas, dict) else by_theta, sizes, None if a is None else counts, check_block(block))
    return float(risk) if shape == () else risk


def ifpr_xi(theta: float | Mapping[int, float], block: Mapping[int, int] | None = None) -> float:
    """The goal a theta attains: the highest IR_T(a) over all sizes T and all released counts a.

    Parameters
    ----------
    theta : number from 0 to 1 or one for each size, see `ifpr_risk`.
    block : cells by size; None for the limit of large blocks, there over T = 1 and 2, or the sizes that `theta` names.

    Returns
    -------
    float
        A probability; higher is riskier. Cells that are not perturbed have 1 / T and are not looked at here.

    Examples
    --------
    >>> round(ifpr_xi(0.8), 3), round(ifpr_xi(2 / 3), 3)
    (0.395, 0.429)

    In the smallest of blocks both units may end in one cell, and then the intruder has an even chance whatever theta is.

    >>> round(ifpr_xi(0.8, block={1: 2}), 3)
    0.5
    """
    checked = check_theta(theta)
    if block is None:
        sizes = np.array(sorted(checked) if isinstance(checked, dict) else LIMIT_SIZES)
        by_size = theta_of(checked, sizes)
        # in the limit the risk falls with a; without movement only a = T occurs
        return float(np.where(by_size > 0, risk_in_the_limit(by_size, sizes, np.ones(len(sizes))), 1 / sizes).max())
    cells = check_block(block)
    return max(_worst(*_flows_at(checked, cells, size)) for size in cells)


def ifpr_variance(theta: float | Mapping[int, float], T: int, block: Mapping[int, int] | None = None) -> float:
    """Variance of the released count of a cell with T units, given the data; its expectation is T.

    Parameters
    ----------
    theta, T, block : see `ifpr_risk`; one number each.

    Examples
    --------
    A unit alone leaves with 0.8; each of the four others comes with 0.2: 0.8 · 0.2 + 4 · 0.2 · 0.8.

    >>> round(ifpr_variance(0.8, T=1, block={1: 5}), 6)
    0.8
    >>> round(ifpr_variance(0.8, T=1), 6)
    0.96
    """
    thetas, sizes = _arguments(check_theta(theta), T)
    mine = float(theta_of(thetas, sizes) if isinstance(thetas, dict) else thetas)
    leave = mine / float(sizes)
    inflow = mine
    if block is not None:
        flows, place = _flows_at(thetas if isinstance(thetas, dict) else mine, check_block(block), int(sizes))
        q = flows.arrival[0, place]
        inflow = float((flows.others[0, place] * q * (1 - q)).sum())
    return float(sizes) * leave * (1 - leave) + inflow


# ---- arguments ------------------------------------------------------------------------------------------------------------------


def _arguments(theta: Any, T: Any) -> tuple[Any, np.ndarray]:
    sizes = whole_array("T", T)
    if isinstance(theta, Mapping) or np.ndim(theta) == 0:
        checked = check_theta(theta.item() if isinstance(theta, np.ndarray) else theta)
        return (checked if isinstance(checked, dict) else np.float64(checked)), sizes
    return np.reshape([check_theta(value) for value in np.ravel(theta).tolist()], np.shape(theta)), sizes


# ---- the limit of large blocks ------------------------------------------------------------------------------------------------------


def risk_in_the_limit(theta: np.ndarray, T: np.ndarray, a: np.ndarray) -> np.ndarray:
    """IR_T(a) with Poisson(theta) arrivals: the terms of both sums relative to P(no unit stayed), in logs so that none is lost for large T or a."""
    theta, T, a = (np.asarray(x, dtype=float) for x in (theta, T, a))
    leave = theta / T
    with np.errstate(divide="ignore", invalid="ignore"):
        odds = np.log1p(-leave) - np.log(leave)  # of staying
        came = np.log(theta)
        without, with_b = np.full(np.shape(theta), 0.0), np.full(np.shape(theta), -np.inf)
        ways = np.zeros(np.shape(theta))  # log of C(T, j) a (a - 1) ... (a - j + 1) / theta^j, j units of T stay
        everything = without
        for j in range(1, int(T.max()) + 1 if T.size else 1):
            ways = ways + np.log(np.maximum(T - j + 1, 0)) - math.log(j) + np.log(np.maximum(a - j + 1, 0)) - came
            term = np.where((j <= T) & (j <= a), ways + j * odds, -np.inf)
            everything = np.logaddexp(everything, term)
            with_b = np.logaddexp(with_b, term + np.log(j / T))  # B is one of the j who stay
        risk = np.exp(with_b - everything) / a
    risk = np.where(leave == 1, 0.0, risk)
    return np.where(theta == 0, np.where(a == T, 1 / T, np.nan), risk)


def overall_in_the_limit(theta: np.ndarray, T: np.ndarray) -> np.ndarray:
    """P(correct match | T) = P(B stayed) E[1 / S], by the generating functions of stayers and arrivals."""
    theta, T = np.asarray(theta, dtype=float), np.asarray(T, dtype=float)
    stay = 1 - theta / T
    return stay * mean_reciprocal_poisson(T - 1, stay, theta)


# ---- a given block ------------------------------------------------------------------------------------------------------------------


def _in_block(theta: Any, sizes: np.ndarray, counts: np.ndarray | None, block: dict[int, int]) -> np.ndarray:
    """Each distinct question once; `theta` is a mapping or an array."""
    out = np.empty(sizes.shape)
    known: dict[tuple[Any, ...], float] = {}
    for place in np.ndindex(sizes.shape):
        of = theta if isinstance(theta, dict) else float(theta[place])
        T, a = int(sizes[place]), None if counts is None else int(counts[place])
        question = (None if isinstance(of, dict) else of, T, a)
        if question not in known:
            known[question] = _one_in_block(of, T, a, block)
        out[place] = known[question]
    return out


def _one_in_block(theta: float | dict[int, float], T: int, a: int | None, block: dict[int, int]) -> float:
    flows, place = _flows_at(theta, block, T)
    if a is None:
        stay = 1 - flows.leave[0, place]
        return float(stay * mean_reciprocal(np.array(T - 1), np.array(stay), flows.others[0, place], flows.arrival[0, place]))
    return _stayed(flows, place, a) / a


def _stayed(flows: Flows, place: int, a: int) -> float:
    """P(B stayed | S = a) for B in a cell of the size at `place`, in the first block."""
    counts = np.append(flows.others[0, place], flows.sizes[place])
    chances = np.append(flows.arrival[0, place], 1 - flows.leave[0, place])
    return chance_in(counts, chances, len(counts) - 1, a)


def _worst(flows: Flows, place: int) -> float:
    """The highest IR over all counts a. P(B stayed | S = a) never falls with a, so between two counts the risk is at most that chance at the upper one over the lower one."""
    counts = np.append(flows.others[0, place], flows.sizes[place])
    chances = np.append(flows.arrival[0, place], 1 - flows.leave[0, place])
    first, last = max(1, int(counts[chances == 1].sum())), int(counts[chances > 0].sum())
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


def _flows_at(theta: float | dict[int, float], block: dict[int, int], T: int) -> tuple[Flows, int]:
    """Movement in one block, and the place of size T among its sizes."""
    if T not in block:
        raise InputError(f"T: the block has no cells of {T} units; sizes of its cells: {', '.join(map(str, block))}")
    sizes = np.array(sorted(block))
    flows = balance(theta_of(theta, sizes), sizes, np.array([[block[t] for t in sorted(block)]]))
    if not flows.possible[0]:
        raise InputError(
            f"block: in {block!r} with theta {theta!r} one cell would send as many units as all others together, or more, so expected counts cannot be kept; "
            "merge the block with another"
        )
    return flows, sorted(block).index(T)
