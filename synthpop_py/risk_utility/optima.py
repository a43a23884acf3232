"""The most useful release whose risk stays under a ceiling, for the closed forms.

In every scenario less masking is more useful and riskier, so the optimum is where the risk meets the ceiling.
"""

from __future__ import annotations

import math

from ..arguments import check_choice, check_number, check_whole
from ..errors import InputError
from .closed_forms import NOISE_SNOOPERS, NoiseSnooper, check_variance, swapping_ru, synthetic_ru

ROUNDING = 1e-12  # a quotient that is a whole number up to its last bits counts as that number


def optimal_noise(ceiling: float, n: int, variance: float, *, snooper: NoiseSnooper = "optimal") -> float:
    """The smallest noise variance lambda² for which the risk of `noise_ru` is at most `ceiling`.

    Parameters
    ----------
    ceiling : highest tolerable risk, 1 / (mean squared error of the snooper); above 0.
    n, variance, snooper : as in `noise_ru`.

    Returns
    -------
    float
        0 where no noise is needed. Every ceiling can be met.

    Examples
    --------
    An error of at least 0.625 is wanted. A snooper who links needs noise of that variance, the optimal one needs more: 1, as in `noise_ru`'s example.

    >>> optimal_noise(1 / 0.625, 4, 1.0, snooper="linked"), optimal_noise(1 / 0.625, 4, 1.0)
    (0.625, 1.0)
    """
    error = 1 / check_number("ceiling", ceiling, 0, open_low=True)
    n, s = check_whole("n", n, 1), check_variance("variance", variance)
    snooper = check_choice("snooper", snooper, NOISE_SNOOPERS)
    needed = {"linked": error, "mean": max(n * error - (n - 1) * s, 0.0)}
    if snooper in needed:
        return needed[snooper]
    if snooper == "as_printed":
        return max(needed.values())
    # lambda² solves x² + n (s - error) x - n error s = 0; the root is written without a difference of near numbers
    half, product = n * (s - error) / 2, n * error * s
    root = math.sqrt(half**2 + product)
    return product / (half + root) if half > 0 else root - half


def optimal_samples(ceiling: float, records: int, variance: float, hyper_variance: float) -> float:
    """The largest number m of synthetic samples for which the risk of `synthetic_ru` (a snooper who uses the mean) is at most `ceiling`.

    Parameters
    ----------
    ceiling : highest tolerable risk, 1 / (mean squared error of the snooper); above 0.
    records, variance, hyper_variance : as in `synthetic_ru`.

    Returns
    -------
    float
        A whole number, or infinity where any number of samples will do, because sigma² alone protects enough.

    Examples
    --------
    The error is 1 + 0.5/m + 0.25/m. At least 1.25 is wanted, so m = 3.

    >>> optimal_samples(1 / 1.25, 4, 1.0, 0.5)
    3.0
    >>> optimal_samples(1.0, 4, 1.0, 0.5)
    inf
    """
    error = 1 / check_number("ceiling", ceiling, 0, open_low=True)
    k, variance, hyper = check_whole("records", records, 1), check_variance("variance", variance), check_variance("hyper_variance", hyper_variance)
    beyond = error - variance
    if beyond <= variance * ROUNDING:
        return math.inf
    most = float(math.floor((hyper + variance / k) / beyond * (1 + ROUNDING)))
    if most < 1:
        lowest = synthetic_ru(1, k, variance, hyper).risk
        raise InputError(f"ceiling: {ceiling!r} cannot be met; with one sample of {k} records the risk is {lowest:.6g}, so give at least that, or fewer records")
    return most


def optimal_swap_rate(ceiling: float, variance: float, delta: float, *, identity_ceiling: float | None = None) -> float:
    """The smallest swapping rate for which the risk of `swapping_ru` is at most `ceiling`.

    Parameters
    ----------
    ceiling : highest tolerable risk, 1 / (mean squared error of the snooper); above 0.
    variance, delta : as in `swapping_ru`.
    identity_ceiling : highest tolerable probability of a right link, from 0 to 1; None for no such limit.

    Examples
    --------
    The snooper's error is rate * (2 + 1); it shall be at least 1.5.

    >>> optimal_swap_rate(1 / 1.5, variance=1.0, delta=1.0)
    0.5
    >>> optimal_swap_rate(1 / 1.5, variance=1.0, delta=1.0, identity_ceiling=0.25)
    0.75
    """
    ceiling = check_number("ceiling", ceiling, 0, open_low=True)
    whole = swapping_ru(1.0, 1, 1, variance, delta).snooper_mse
    links = 0.0 if identity_ceiling is None else 1 - check_number("identity_ceiling", identity_ceiling, 0, 1)
    if whole * ceiling < 1 - ROUNDING:
        lowest = math.inf if whole == 0 else 1 / whole
        raise InputError(f"ceiling: {ceiling!r} cannot be met; even with every candidate swapped the risk is 1 / (2 variance + delta²) = {lowest:.6g}; give at least that, or mask otherwise")
    return max(min(1 / (whole * ceiling), 1.0), links)
