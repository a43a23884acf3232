"""The study of Drechsler and Reiter (2009), rebuilt on generated establishments: their data are
confidential, so trends are compared, not figures.

Reproduced, as differences between averages of more than two standard errors: expected and true
matches rise with the number of sets, so does the overlap of confidence intervals; releases in two
stages carry less risk than those in one stage with as many sets; risk rises with the number of
nests when the number of sets stays.

Not reproduced: in the paper two stages are about as useful as one (overlap 0.867 with 3 nests of 3
sets, 0.865 with m = 10). Here they are less useful, because with three nests only three draws of
the industry enter every mean by industry. Their probit regression is a logistic one here, and they
have more than a hundred predictors, we have nine.

Default: 12 simulated releases of 700 establishments; SYNTHPOP_PY_LONG=1: 60 of 1,500, and three
standard errors.
"""

from __future__ import annotations

import os

import numpy as np
import pandas as pd
import pytest

from synthpop_py.estimation import Means, Regression
from synthpop_py.matching import QuantileSD
from synthpop_py.study import generated_establishments, risk_utility_by_m
from synthpop_py.synthesis import Multinomial, NormalRegression
from tests.published import drechsler_reiter_figures as paper

LONG = os.environ.get("SYNTHPOP_PY_LONG") == "1"
SURVEYS, REPLICATES, ESTABLISHMENTS, ERRORS = (12, 5, 1500, 3) if LONG else (4, 3, 700, 2)
DESIGNS = (3, 18, (3, 6), (6, 3))
OTHERS = ["wages", "capital", "export", "qualified", "seasonal", "east", "agreement", "training"]
MODELS = [
    Multinomial("industry", OTHERS),
    NormalRegression(
        "employees",
        [*OTHERS, "industry"],
        transform=(np.cbrt, lambda root: np.maximum(root, 1) ** 3),
    ),
]
ESTIMANDS = [
    Means("employees", by="industry"),
    Regression("training", ["employees", "qualified", "agreement", "east"], "logit"),
]


@pytest.fixture(scope="module")
def runs():
    """One row for each simulated release, columns (measure, (m, r))."""
    parts = []
    for survey in range(SURVEYS):
        frame = generated_establishments(ESTABLISHMENTS, seed=survey)
        largest = np.argsort(-frame["employees"].to_numpy(), kind="stable")[:25]
        study = risk_utility_by_m(
            MODELS,
            frame,
            ESTIMANDS,
            designs=DESIGNS,
            first_stage="industry",
            replicates=REPLICATES,
            groups={"largest": largest},
            seed=100 + survey,
            intervals={"employees": QuantileSD(20)},
            fallback="categories",
        )
        parts.append(study.runs.assign(survey=survey))
    together = pd.concat(parts)
    wide = together.pivot_table(
        index=["survey", "replicate"],
        columns=["group", "m", "r"],
        values=["overlap", "expected", "true"],
    )
    return wide


def rise(runs, measure, low, high, group="all"):
    """How many standard errors a measure is higher in one design than in another, release by
    release.
    """
    difference = runs[(measure, group, *high)] - runs[(measure, group, *low)]
    assert len(difference) == SURVEYS * REPLICATES
    return difference.mean() / (difference.std() / np.sqrt(len(difference)))


def test_more_sets_more_risk(runs):
    assert (
        rise(runs, "expected", (3, 1), (18, 1)) > ERRORS
        and rise(runs, "true", (3, 1), (18, 1)) > ERRORS
    )


def test_more_sets_more_risk_for_the_largest_establishments(runs):
    assert rise(runs, "true", (3, 1), (18, 1), "largest") > ERRORS


def test_more_sets_more_utility(runs):
    assert rise(runs, "overlap", (3, 1), (18, 1)) > ERRORS


@pytest.mark.parametrize("measure", ["expected", "true"])
def test_two_stages_lower_the_risk_of_as_many_sets(runs, measure):
    assert rise(runs, measure, (3, 6), (18, 1)) > ERRORS


@pytest.mark.parametrize("measure", ["expected", "true"])
def test_risk_rises_with_the_number_of_nests(runs, measure):
    """18 sets each: 3, 6 and 18 draws of the industry."""
    three, six, all_sets = (
        runs[(measure, "all", *design)].mean() for design in ((3, 6), (6, 3), (18, 1))
    )
    assert three < six < all_sets


def test_the_paper_reports_these_trends():
    """The trends asserted above are those of the printed tables."""
    one, two = paper.ONE_STAGE, paper.TWO_STAGE
    for measure in ("expected", "true"):
        assert one[3][measure] < one[10][measure] < one[50][measure] < one[100][measure]
        assert (
            two[3, 3][measure] < one[10][measure]
            and two[3, 16][measure]
            < two[5, 10][measure]
            < two[10, 5][measure]
            < two[16, 3][measure]
            < one[50][measure]
        )
    assert one[3]["overlap"] < one[10]["overlap"] < one[50]["overlap"]
