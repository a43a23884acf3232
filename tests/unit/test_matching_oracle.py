"""`identification_risk()` against the oracle on random small questions of every kind."""

from __future__ import annotations

import os
import random
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest

from synthpop_py.matching import IdentificationRisk, QuantileSD, identification_risk
from tests.matching_oracle.cases import Case, random_case, shortened
from tests.matching_oracle.oracle import Answer, Question, answer

CASES = int(os.environ.get("SYNTHPOP_PY_MATCHING_CASES", "2000"))
PARTS = 8
ROUNDED = 1e-12  # probabilities are shown as floats; counts and decisions must agree exactly


def agrees(found: IdentificationRisk, expected: Answer) -> None:
    rows = found.records()
    assert rows["c"].tolist() == [t.c for t in expected.targets]
    assert rows["I"].tolist() == [t.I for t in expected.targets]
    assert rows["K"].tolist() == [t.K for t in expected.targets]
    assert rows["F"].tolist() == [t.F for t in expected.targets]
    assert rows["fallback"].tolist() == [t.fallbacks for t in expected.targets]
    assert rows["highest"].tolist() == pytest.approx(
        [float(t.highest) for t in expected.targets], abs=ROUNDED
    )
    assert (found.perceived, found.true, found.false, found.unique_matches) == (
        expected.perceived,
        expected.true,
        expected.false,
        expected.unique,
    )
    assert found.expected == pytest.approx(float(expected.expected), abs=ROUNDED)


def check(case: Case) -> None:
    question, rng = case.question, random.Random(case.seed)
    expected = answer(question)
    found = identification_risk(case.synthetic, case.original, **case.arguments)
    agrees(found, expected)
    rows, n = found.records(), len(question.original)
    if question.population is None and question.weights is None:
        whole = question.fallback == "known" and not any(
            name in question.intervals for name in question.known
        )
        assert all(sum(t.probabilities) == 1 for t in expected.targets) or not whole
    else:
        assert all(sum(t.probabilities) + t.outside == 1 for t in expected.targets)
        assert rows["in_file"].tolist() == pytest.approx(
            [float(1 - t.outside) for t in expected.targets], abs=ROUNDED
        )
    if case.seed % 3 == 0:
        check_one_row(found, expected, rng.randrange(n))
    elif case.seed % 3 == 1:
        check_one_step(found, question, rng.randint(1, len(question.nests)))


def check_one_row(found: IdentificationRisk, expected: Answer, row: int) -> None:
    listed = found.probabilities(row)
    given = {i: float(p) for i, p in enumerate(expected.targets[row].probabilities) if p}
    assert listed.to_dict() == pytest.approx(given, abs=ROUNDED)


def check_one_step(found: IdentificationRisk, question: Question, steps: int) -> None:
    path, before = found.path([steps]).loc[steps], answer(shortened(question, steps))
    assert path[["perceived", "true", "false", "unique_matches"]].tolist() == [
        before.perceived,
        before.true,
        before.false,
        before.unique,
    ]
    assert path["expected"] == pytest.approx(float(before.expected), abs=ROUNDED)


@pytest.mark.parametrize("part", range(PARTS))
def test_agrees_with_the_oracle(part):
    for seed in range(part, CASES, PARTS):
        try:
            check(random_case(seed))
        except Exception as error:
            raise AssertionError(
                f"case {seed}: random_case({seed}) of tests/matching_oracle/cases.py"
            ) from error


@pytest.mark.parametrize("fallback", ["categories", True])
def test_skewed_establishments_agree_with_the_oracle(fallback):
    """Intervals of very different width side by side, as Drechsler and Reiter's rule makes them:
    the ends rise only within a quantile group.
    """
    rng, n = np.random.default_rng(4), 120

    def sizes(spread: float) -> np.ndarray:
        return np.maximum(np.rint(original["size"] * rng.lognormal(0, spread, n)), 1)

    original = pd.DataFrame(
        {"industry": rng.choice(list("ABC"), n), "size": np.rint(rng.lognormal(3, 1.5, n)) + 1}
    )
    sets = [
        original.assign(
            industry=np.where(rng.random(n) < 0.8, original["industry"], "A"), size=sizes(0.4)
        )
        for _ in range(2)
    ]
    found = identification_risk(
        sets,
        original,
        known=[],
        synthesised=["industry", "size"],
        intervals={"size": QuantileSD(12)},
        fallback=fallback,
    )
    records = [
        [
            {"industry": r.industry, "size": Fraction(int(r.size_))}
            for r in f.rename(columns={"size": "size_"}).itertuples()
        ]
        for f in (original, *sets)
    ]
    question = Question(
        records[0],
        [[released] for released in records[1:]],
        [],
        ["industry", "size"],
        {"size": ("quantile", 12)},
    )
    question.fallback = "known" if fallback is True else fallback
    agrees(found, answer(question))
