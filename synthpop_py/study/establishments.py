"""Generated establishments: a survey like the one Drechsler and Reiter (2009) studied, whose data
are confidential.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from ..arguments import check_whole, random_generator
from ..core.arrays import Floats, Integers
from ..names import named_arguments

__all__ = ["generated_establishments"]

INDUSTRIES = 16
SMALL_INDUSTRIES = 4  # the last ones; each about a quarter as frequent as the others
STRENGTH = 2.0  # how well industries can be told from the other variables


@named_arguments()
def generated_establishments(n: int = 2000, *, seed: Any = 1997) -> pd.DataFrame:
    """A made-up survey of establishments, for studies and teaching: skewed sizes, 16 industries of
    which four are small.

    Nothing in it is real. What it has in common with the IAB Establishment Panel as Drechsler and
    Reiter describe it: the number of employees is heavily skewed, it and the industry can be
    predicted from other variables, and whether an establishment trains depends on its size.
    Industry follows a multinomial regression on the other variables, and the cube root of the
    number of employees a normal regression on them and the industry, so that these synthesis models
    are right.

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
    number, rng = check_whole("n", n, 1), random_generator(seed)
    wages, capital = rng.gamma(1.3, 1.0, number), rng.gamma(2.0, 0.5, number)
    export, qualified, seasonal = (
        rng.beta(0.8, 2.0, number),
        rng.beta(2.0, 2.0, number),
        rng.normal(size=number),
    )
    east = rng.random(number) < 0.25
    # what is typical of an industry follows a fixed pattern, so that industries differ in the same
    # way in every draw of the data
    place = np.arange(INDUSTRIES)
    industry = _drawn(_scores(place, wages, capital, export, qualified, seasonal), rng)
    root = (
        1.6
        + 1.35 * wages
        + 0.5 * capital
        + 0.4 * np.sin(1.7 * place)[industry]
        + 0.3 * export
        + rng.normal(0, 0.3, number)
    )
    employees = np.maximum(1, np.round(root**3)).astype(np.int64)
    agreement = rng.random(number) < 1 / (1 + np.exp(-(-1.5 + 0.5 * root - 0.5 * east)))
    training = rng.random(number) < 1 / (
        1 + np.exp(-(-2.0 + 0.006 * np.minimum(employees, 400) + 1.2 * qualified + 0.4 * agreement))
    )
    return pd.DataFrame(
        {
            "industry": pd.Categorical.from_codes(
                industry, categories=[f"{i + 1:02d}" for i in place]
            ),
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


def _scores(place: Integers, *columns: Floats) -> Floats:
    """Logarithms of how likely each industry is for each establishment, up to a constant: linear in
    what is known of it.
    """
    scores = np.where(place < INDUSTRIES - SMALL_INDUSTRIES, np.log(4.0), 0.0) * np.ones(
        (len(columns[0]), 1)
    )
    for number, column in enumerate(columns, start=1):
        scores += np.outer(
            (column - column.mean()) / max(column.std(), 1e-12),
            STRENGTH * np.cos(number * 1.9 * place + number),
        )
    return scores


def _drawn(scores: Floats, rng: np.random.Generator) -> Integers:
    """One column for each row, by the largest of score plus Gumbel noise: the same as drawing with
    probabilities proportional to exp(score).
    """
    drawn: Integers = np.argmax(scores + rng.gumbel(size=scores.shape), axis=1)
    return drawn
