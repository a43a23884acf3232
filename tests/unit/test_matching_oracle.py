"""`identification_risk()` against the oracle on random small questions of every kind."""

from __future__ import annotations

import os
import random
from fractions import Fraction

import pytest

from synthpop_py.matching import identification_risk
from tests.matching_oracle.cases import Case, random_case, shortened
from tests.matching_oracle.oracle import Answer, Question, answer

CASES = int(os.environ.get("SYNTHPOP_PY_MATCHING_CASES", "2000"))
PARTS = 8
ROUNDED = 1e-12  # probabilities are shown as floats; counts and decisions must agree exactly


def agrees(found, expected: Answer) -> None:
    rows = found.records()
    assert rows["c"].tolist() == [t.c for t in expected.targets]
    assert rows["I"].tolist() == [t.I for t in expected.targets]
    assert rows["K"].tolist() == [t.K for t in expected.targets]
    assert rows["F"].tolist() == [t.F for t in expected.targets]
    assert rows["fallback"].tolist() == [t.fallbacks for t in expected.targets]
    assert rows["highest"].tolist() == pytest.approx([float(t.highest) for t in expected.targets], abs=ROUNDED)
    assert (found.perceived, found.true, found.false, found.unique_matches) == (expected.perceived, expected.true, expected.false, expected.unique)
    assert found.expected == pytest.approx(float(expected.expected), abs=ROUNDED)


def check(case: Case) -> None:
    question, rng = case.question, random.Random(case.seed)
    expected = answer(question)
    found = identification_risk(case.original, case.synthetic, **case.arguments)
    agrees(found, expected)
    rows, n = found.records(), len(question.original)
    if question.population is None and question.weights is None:
        whole = question.fallback == "known" and not any(name in question.intervals for name in question.known)
        assert all(sum(t.probabilities) == 1 for t in expected.targets) or not whole
    else:
        assert all(sum(t.probabilities) + t.outside == 1 for t in expected.targets)
        assert rows["in_file"].tolist() == pytest.approx([float(1 - t.outside) for t in expected.targets], abs=ROUNDED)
    one = rng.randrange(n)
    listed = found.probabilities(one)
    given = {i: float(p) for i, p in enumerate(expected.targets[one].probabilities) if p}
    assert {k: v for k, v in listed.items() if k != "not in the file"} == pytest.approx(given, abs=ROUNDED)
    steps = rng.randint(1, len(question.nests))
    path = found.path([steps]).loc[steps]
    before = answer(shortened(question, steps))
    assert path[["perceived", "true", "false", "unique_matches"]].tolist() == [before.perceived, before.true, before.false, before.unique]
    assert path["expected"] == pytest.approx(float(before.expected), abs=ROUNDED)


@pytest.mark.parametrize("part", range(PARTS))
def test_agrees_with_the_oracle(part):
    for seed in range(part, CASES, PARTS):
        try:
            check(random_case(seed))
        except Exception as error:
            raise AssertionError(f"case {seed}: random_case({seed}) of tests/matching_oracle/cases.py") from error
