"""Duncan and Keller-McNulty: printed risks against outcomes counted one by one.

Means and errors take two values each, so that every outcome can be listed and a mean squared
error is exact. The report is a scan; formulas that cannot be read are not listed.
"""

from __future__ import annotations

import itertools
import math

import numpy as np
import pandas as pd

from synthpop_py.closed_forms import noise_ru, printed_threshold, swapping_ru, synthetic_ru
from synthpop_py.masks import matrix_mask, swap_matrix

from .erratum import Erratum, figures

# alpha² is below the printed threshold, where one record should be the better guess
SAMPLES, RECORDS, VARIANCE, HYPER = 2, 3, 1.0, 0.2
SIGNS = (-1, 1)


def errata() -> list[Erratum]:
    return [one_record(), threshold(), noise(), swapping(), full_matrix()]


# ---- section 6.1: synthetic data -----------------------------------------------------


def listed_error(by: str) -> float:
    """Mean squared error of guessing the target by a record or by the mean of all, over every
    outcome of X, the means of samples and the errors of records.
    """
    sigma, alpha = math.sqrt(VARIANCE), math.sqrt(HYPER)
    size = 1 + SAMPLES + SAMPLES * RECORDS
    signs = np.array(list(itertools.product(SIGNS, repeat=size)))
    target = sigma * signs[:, 0]
    means = alpha * signs[:, 1 : 1 + SAMPLES]
    errors = sigma * signs[:, 1 + SAMPLES :].reshape(-1, SAMPLES, RECORDS)
    released = means[:, :, None] + errors
    guess = released[:, 0, 0] if by == "record" else released.mean(axis=(1, 2))
    return float(((target - guess) ** 2).mean())


def _closed(snooper: str) -> float:
    return synthetic_ru(SAMPLES, RECORDS, VARIANCE, HYPER, snooper=snooper).snooper_mse


SETTING = f"σ² = {VARIANCE:g}, α² = {HYPER:g}, m = {SAMPLES}, k = {RECORDS}"


def one_record() -> Erratum:
    return Erratum(
        name="error of one synthetic record",
        where="section 6.1",
        printed="E(X - Y_ij)² = σ² + α²",
        gives=f"{figures(_closed('record_as_printed'))} for {SETTING}",
        shows=f"{figures(listed_error('record'))}, all outcomes listed",
        ours=figures(_closed("record")),
        used="2 σ² + α²: the target varies, and so does the record",
    )


def threshold() -> Erratum:
    least = printed_threshold(SAMPLES, RECORDS, VARIANCE)
    return Erratum(
        name="record or mean",
        where="section 6.1",
        printed="the mean of all is better when α² > σ² / (k(m - 1))",
        gives=f"the record is better up to α² = {figures(least)}, so for α² = {HYPER:g}",
        shows=f"errors {figures(listed_error('record'), listed_error('mean'))} (record, mean), all"
        " outcomes listed",
        ours=figures(_closed("record"), _closed("mean")),
        used="the mean is always better",
    )


# ---- sections 6 and 6.2: masks -------------------------------------------------------

NOISE = (10, 1.0, 0.5)  # n, sigma², lambda²
SWAPPING = (0.25, 3, 2, 1.0, 1.0)  # rate, n1, n2, sigma², distance of the means


def noise() -> Erratum:
    n, variance, added = NOISE
    printed = [noise_ru(n, variance, added, snooper=snooper).risk for snooper in ("mean", "linked")]
    weight = variance / (variance + added)
    # a Y_i + (1 - a) mean(Y) - X_i, term by term: own noise and value, those of the others
    own_noise = weight + (1 - weight) / n
    own_value = own_noise - 1
    others = (1 - weight) / n
    error = (
        own_noise**2 * added + own_value**2 * variance + (n - 1) * others**2 * (variance + added)
    )
    return Erratum(
        name="noise, two snoopers",
        where="section 6",
        printed="R by the mean of Y, or by the linked Y_i",
        gives=f"{figures(*printed)} for n = {n}, σ² = {variance:g}, λ² = {added:g}",
        shows=f"{figures(1 / error)} by a weighted mean of both, a = σ² / (σ² + λ²)",
        ours=figures(noise_ru(n, variance, added).risk),
        used="the weighted mean; the printed risks are lower bounds",
        kind="extension",
    )


def swapping() -> Erratum:
    linked = swapping_ru(*SWAPPING, snooper="linked").risk
    return Erratum(
        name="swapping, linked value",
        where="section 6.2",
        printed="R = 1 / π(2 σ² + (μ₁ - μ₂)²)",
        gives=f"{figures(linked)} for π = 1/4, σ² = 1, μ₁ - μ₂ = 1, areas of 3 and 2",
        shows=f"{figures(1 / half_and_half())} by half the linked value and half the mean of the"
        " two others, all outcomes listed",
        ours=f"{figures(swapping_ru(*SWAPPING).risk)} by a weighted mean of both",
        used="the weighted mean; the printed risk is a lower bound",
        kind="extension",
    )


def half_and_half() -> float:
    """Mean squared error of that guess: X of the target, two others of the area, a partner."""
    rate, _, _, variance, distance = SWAPPING
    signs = np.array(list(itertools.product(SIGNS, repeat=4)))
    target, second, third, partner = math.sqrt(variance) * signs.T
    others = (second + third) / 2
    kept = target - (target + others) / 2
    swapped = target - (partner - distance + others) / 2
    return float(((1 - rate) * kept**2 + rate * swapped**2).mean())


# Section 2.2: three respondents in area 11, two in area 12.
RESPONDENTS = pd.DataFrame(
    {
        "Age": [37, 43, 43, 37, 37],
        "Geography": [11, 11, 11, 12, 12],
        "Income": [89, 46, 32, 55, 40],
    }
)


def records_changed(columns: str | None) -> int:
    """Respondents who are not in the released file any more, whatever their place."""
    options = {} if columns is None else {"columns": columns}
    released = matrix_mask(RESPONDENTS, A=swap_matrix(5, [(0, 3)]), **options)
    kept = set(map(tuple, released.to_numpy().tolist()))
    return sum(tuple(row) not in kept for row in RESPONDENTS.to_numpy().tolist())


def full_matrix() -> Erratum:
    return Erratum(
        name="swapping as M = WX",
        where="section 2.2",
        printed="M = WX, X the full original data matrix",
        gives=f"{records_changed(None)} of 5 records change",
        shows="incomes of two 37-year-olds are exchanged (text)",
        ours=f"{records_changed('Income')} of 5 records change",
        used="W on the protected columns only",
    )
