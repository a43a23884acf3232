"""Targets of the intruder's own, partial knowledge, coarsened keys, N_t per target and by a model,
no keys at all, in all combinations, against the oracle on random small questions.

`make oracle` takes 4,000 random calls, `make test` the first 400 of them.
"""

from __future__ import annotations

import os
import random
from collections import Counter
from dataclasses import replace

import pytest

from synthpop_py.matching import identification_risk
from tests.matching_oracle.intruder_cases import IntruderCase, random_intruder
from tests.matching_oracle.intruders import intruder_answer, known_to_be_in_file
from tests.unit.test_matching_oracle import ROUNDED, agrees

CASES = 4000 if os.environ.get("SYNTHPOP_PY_ORACLE") else 400
PARTS = 4


def check(made: IntruderCase) -> None:
    question, case = made.question, made.case
    expected = intruder_answer(question)
    found = identification_risk(case.synthetic, case.original, **case.arguments)
    agrees(found, expected)
    rows = found.records()
    if not known_to_be_in_file(question):
        assert all(sum(t.probabilities) + t.outside == 1 for t in expected.targets)
        assert rows["in_file"].tolist() == pytest.approx(
            [float(1 - t.outside) for t in expected.targets], abs=ROUNDED
        )
    assert (found.n, found.targets_in_file) == (
        len(question.own),
        sum(own is not None for own in question.own),
    )
    rng = random.Random(case.seed)
    row = rng.randrange(found.n)
    listed = found.probabilities(rows.index[row]).to_dict()
    given = {i: float(p) for i, p in enumerate(expected.targets[row].probabilities) if p}
    assert listed == pytest.approx(given, abs=ROUNDED)
    steps = rng.randint(1, len(question.nests))
    before = intruder_answer(replace(question, nests=question.nests[:steps]))
    path = found.path([steps]).loc[steps]
    assert path["expected"] == pytest.approx(float(before.expected), abs=ROUNDED)
    assert (path["perceived"], path["true"], path["false"]) == (
        before.perceived,
        before.true,
        before.false,
    )


@pytest.mark.parametrize("part", range(PARTS))
def test_agrees_with_the_oracle(part):
    for seed in range(part, CASES, PARTS):
        try:
            check(random_intruder(seed))
        except Exception as error:
            raise AssertionError(
                f"case {seed}: random_intruder({seed}) of tests/matching_oracle/intruder_cases.py"
            ) from error


def test_the_cases_have_every_option_and_many_combinations():
    """Of the first 400: otherwise the oracle would judge less than it seems to."""
    options = [frozenset(random_intruder(seed).options) for seed in range(400)]
    each = Counter(option for made in options for option in made)
    names = {"targets", "outside", "partial", "coarsen", "units", "model", "no keys"}
    assert set(each) == names and min(each.values()) >= 10
    assert len(set(options)) >= 25
