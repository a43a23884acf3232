"""The most useful release whose risk stays under a ceiling, for the closed forms.

In every scenario less masking is more useful and riskier, so the optimum is where the risk equals
the ceiling.
"""

from __future__ import annotations

import math

from ..arguments import check_choice, check_number, check_whole
from ..errors import InputError
from .forms import (
    NOISE_SNOOPERS,
    SWAP_SNOOPERS,
    NoiseSnooper,
    SwappedArea,
    SwapSnooper,
    check_variance,
    synthetic_ru,
)

ROUNDING = 1e-12  # a quotient that is a whole number up to its last bits counts as that number


def optimal_noise(
    ceiling: float, n: int, variance: float, *, snooper: NoiseSnooper = "optimal"
) -> float:
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
    An error of at least 0.625 is wanted. A snooper who links needs noise of that variance, the
    optimal one needs more: 1, as in `noise_ru`'s example.

    >>> optimal_noise(1 / 0.625, 4, 1.0, snooper="linked"), optimal_noise(1 / 0.625, 4, 1.0)
    (0.625, 1.0)
    """
    error = _smallest_error(ceiling)
    n = check_whole("n", n, 1)
    variance = check_variance("variance", variance)
    snooper = check_choice("snooper", snooper, NOISE_SNOOPERS)
    if snooper == "linked":
        return error
    against_mean = max(n * error - (n - 1) * variance, 0.0)
    if snooper == "mean":
        return against_mean
    if snooper == "as_printed":
        return max(error, against_mean)
    # lambda² solves x² + n (sigma² - error) x - n error sigma² = 0; the root is written without a
    # difference of near numbers
    half = n * (variance - error) / 2
    product = n * error * variance
    root = math.sqrt(half**2 + product)
    return product / (half + root) if half > 0 else root - half


def optimal_samples(ceiling: float, records: int, variance: float, hyper_variance: float) -> float:
    """The largest number m of synthetic samples for which the risk of `synthetic_ru` (a snooper who
    uses the mean) is at most `ceiling`.

    Parameters
    ----------
    ceiling : highest tolerable risk, 1 / (mean squared error of the snooper); above 0.
    records, variance, hyper_variance : as in `synthetic_ru`.

    Returns
    -------
    float
        A whole number, or infinity if any number of samples is safe, because sigma² alone protects
        enough.

    Examples
    --------
    The error is 1 + 0.5/m + 0.25/m. At least 1.25 is wanted, so m = 3.

    >>> optimal_samples(1 / 1.25, 4, 1.0, 0.5)
    3.0
    >>> optimal_samples(1.0, 4, 1.0, 0.5)
    inf
    """
    error = _smallest_error(ceiling)
    k = check_whole("records", records, 1)
    variance = check_variance("variance", variance)
    hyper = check_variance("hyper_variance", hyper_variance)
    beyond = error - variance
    if beyond <= variance * ROUNDING:
        return math.inf
    of_one_sample = hyper + variance / k
    most = float(math.floor(of_one_sample / beyond * (1 + ROUNDING)))
    if most < 1:
        lowest = synthetic_ru(1, k, variance, hyper).risk
        raise InputError(
            f"ceiling: {ceiling!r} cannot be met; with one sample of {k} records the risk is"
            f" {lowest:.6g}, so give at least that, or fewer records"
        )
    return most


def optimal_swap_rate(
    ceiling: float,
    variance: float,
    delta: float,
    *,
    snooper: SwapSnooper = "optimal",
    n1: int | None = None,
    pairs: int = 1,
    identity_ceiling: float | None = None,
) -> float:
    """The smallest swapping rate for which the risk of `swapping_ru` is at most `ceiling`.

    Parameters
    ----------
    ceiling : highest tolerable risk, 1 / (mean squared error of the snooper); above 0.
    variance, delta, pairs : as in `swapping_ru`.
    snooper : as in `swapping_ru`. The default weighs the linked value and the mean of the area;
        "linked" is the paper's snooper, for whom a lower rate is enough.
    n1 : records in the target's area. The default is a large area, whose mean is known: the most
        careful case for the "optimal" snooper. "linked" does not need it, "mean" does.
    identity_ceiling : highest tolerable probability of a correct link, from 0 to 1; None for no
        such limit.

    Examples
    --------
    The error of the snooper who links is rate * (2 + 1); it must be at least 1.5. The error of one
    who also knows the area's mean is r (3 - r) / (1 + r), at most sigma² = 1: 1.5 is impossible,
    and for 0.9 the rate r must be 0.6.

    >>> optimal_swap_rate(1 / 1.5, variance=1.0, delta=1.0, snooper="linked")
    0.5
    >>> optimal_swap_rate(1 / 1.5, variance=1.0, delta=1.0, snooper="linked", identity_ceiling=0.25)
    0.75
    >>> rate = optimal_swap_rate(1 / 0.9, variance=1.0, delta=1.0)
    >>> round(rate, 4), round(rate * (3 - rate) / (1 + rate), 4)
    (0.6, 0.9)
    """
    ceiling = check_number("ceiling", ceiling, 0, open_low=True)
    variance = check_variance("variance", variance)
    delta = check_number("delta", delta)
    pairs = check_whole("pairs", pairs, 1)
    snooper = check_choice("snooper", snooper, SWAP_SNOOPERS)
    size = _size_of_area(n1, snooper, pairs)
    area = SwappedArea(n1=size, variance=variance, delta=delta, pairs=pairs)
    against_links = 0.0
    if identity_ceiling is not None:
        against_links = 1 - check_number("identity_ceiling", identity_ceiling, 0, 1)
    return max(_needed_rate(area, snooper, ceiling), against_links)


def _needed_rate(area: SwappedArea, snooper: SwapSnooper, ceiling: float) -> float:
    """The smallest rate for which the snooper's error is at least 1 / ceiling."""
    import scipy

    def beyond(rate: float) -> float:
        return area.snooper_mse(snooper, rate) * ceiling - 1

    at_most = beyond(1.0)
    if at_most < -ROUNDING:
        raise _cannot_be_met(ceiling, snooper, area.snooper_mse(snooper, 1.0))
    if beyond(0.0) >= 0:
        return 0.0
    if at_most <= 0:
        return 1.0
    if snooper == "linked":
        return min(1 / (at_most + 1), 1.0)
    return min(float(scipy.optimize.brentq(beyond, 0.0, 1.0, xtol=1e-15, rtol=1e-15)), 1.0)


def _cannot_be_met(ceiling: float, snooper: SwapSnooper, error: float) -> InputError:
    """`error` is the snooper's with every candidate swapped."""
    lowest = math.inf if error == 0 else 1 / error
    return InputError(
        f"ceiling: {ceiling!r} cannot be met; even with every candidate swapped the risk is"
        f" {lowest:.6g} (snooper {snooper!r}); give at least that, or mask in another way"
    )


def _smallest_error(ceiling: float) -> float:
    """The mean squared error that a ceiling of the risk demands."""
    return 1 / check_number("ceiling", ceiling, 0, open_low=True)


def _size_of_area(n1: int | None, snooper: SwapSnooper, pairs: int) -> float:
    if n1 is None:
        if snooper == "mean":
            raise InputError(
                "n1: is not given, but the error of snooper='mean' depends on the size of the area;"
                " give the records of the target's area"
            )
        return math.inf
    size = check_whole("n1", n1, 1)
    if pairs > size:
        raise InputError(
            f"pairs: {pairs} pairs need as many records in each area, but n1 is {size}; give at"
            f" most {size}"
        )
    return float(size)
