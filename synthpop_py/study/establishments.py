"""Generated establishments: a survey like the one Drechsler and Reiter (2009) studied, whose data
are confidential.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from ..arguments import check_whole, random_generator
from ..core.arrays import Floats, Integers
from ..errors import warning_once

__all__ = ["generated_establishments"]

INDUSTRIES = 16
SMALL_INDUSTRIES = 4  # the last ones; each about a quarter as frequent as the others
STRENGTH = 2.0  # how well industries can be told from the other variables


@warning_once
def generated_establishments(n: int = 2000, *, seed: Any = 1997) -> pd.DataFrame:
    """A made-up survey of establishments, for studies and teaching: skewed sizes, 16 industries of
    which four are small.

    Nothing in it is real. What it has in common with the IAB Establishment Panel as Drechsler and
    Reiter describe it: the number of employees is heavily skewed, it and the industry can be
    predicted from other variables, and whether an establishment trains depends on its size.
    Industry follows a multinomial regression on the other variables, and the cube root of the
    number of employees a normal regression on them and the industry. So synthesis models of this
    form are correct.

    Parameters
    ----------
    n : number of establishments.
    seed : whole number or numpy Generator. The same seed gives the same data.

    Returns
    -------
    DataFrame
        industry ("01" to "16", categorical), employees (whole numbers from 1), wages and capital
        (indices, skewed), export and qualified (shares), seasonal (an index), east, agreement
        (collective wage agreement), training.

    Examples
    --------
    >>> frame = generated_establishments(1000)
    >>> employees = frame["employees"]
    >>> frame["industry"].nunique(), bool(employees.mean() > 1.5 * employees.median())
    (16, True)
    """
    number = check_whole("n", n, 1)
    rng = random_generator(seed)
    wages = rng.gamma(1.3, 1.0, number)
    capital = rng.gamma(2.0, 0.5, number)
    export = rng.beta(0.8, 2.0, number)
    qualified = rng.beta(2.0, 2.0, number)
    seasonal = rng.normal(size=number)
    east = rng.random(number) < 0.25
    industry = _drawn(_scores([wages, capital, export, qualified, seasonal]), rng)
    # typical values of an industry follow a fixed pattern: industries differ in the same way in
    # every draw
    typical_size = 0.4 * np.sin(1.7 * np.arange(INDUSTRIES))
    root = 1.6 + 1.35 * wages + 0.5 * capital + typical_size[industry]
    root = root + 0.3 * export + rng.normal(0, 0.3, number)
    employees = np.maximum(1, np.round(root**3)).astype(np.int64)
    agreement = rng.random(number) < _logistic(-1.5 + 0.5 * root - 0.5 * east)
    size_effect = 0.006 * np.minimum(employees, 400)
    training_score = -2.0 + size_effect + 1.2 * qualified + 0.4 * agreement
    training = rng.random(number) < _logistic(training_score)
    codes = [f"{i + 1:02d}" for i in range(INDUSTRIES)]
    return pd.DataFrame(
        {
            "industry": pd.Categorical.from_codes(industry, categories=codes),
            "employees": employees,
            "wages": wages,
            "capital": capital,
            "export": export,
            "qualified": qualified,
            "seasonal": seasonal,
            "east": east,
            "agreement": agreement,
            "training": training,
        }
    )


def _logistic(score: Floats) -> Floats:
    return 1 / (1 + np.exp(-score))


def _scores(columns: Sequence[Floats]) -> Floats:
    """Logarithms of how likely each industry is for each establishment, up to a constant: linear in
    what is known of it.
    """
    industry = np.arange(INDUSTRIES)
    frequency = np.where(industry < INDUSTRIES - SMALL_INDUSTRIES, np.log(4.0), 0.0)
    scores = frequency * np.ones((len(columns[0]), 1))
    for number, column in enumerate(columns, start=1):
        standardised = (column - column.mean()) / max(column.std(), 1e-12)
        effects = STRENGTH * np.cos(number * 1.9 * industry + number)
        scores += np.outer(standardised, effects)
    return scores


def _drawn(scores: Floats, rng: np.random.Generator) -> Integers:
    """One column for each row, by the largest of score plus Gumbel noise: the same as drawing with
    probabilities proportional to exp(score).
    """
    noise = rng.gumbel(size=scores.shape)
    drawn: Integers = np.argmax(scores + noise, axis=1)
    return drawn
