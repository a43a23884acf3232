"""Total variation distance: by hand, against the supremum over all events, dense and sparse."""

from __future__ import annotations

import math
from itertools import chain, combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from synthpop_py.core.crosstab import Counts, count_codes
from synthpop_py.core.distance import total_variation


def test_by_hand():
    assert total_variation(np.array([3, 1]), np.array([1, 3])) == 0.5
    assert total_variation(np.array([1, 0]), np.array([0, 7])) == 1
    assert total_variation(np.array([1, 1]), np.array([10, 10])) == 0  # totals may differ
    assert total_variation(np.array([1, 0]), np.array([1, 2])) == pytest.approx(2 / 3)
    assert math.isnan(total_variation(np.array([0, 0]), np.array([1, 2])))


@given(
    st.lists(st.tuples(st.integers(0, 20), st.integers(0, 20)), min_size=1, max_size=7).filter(
        lambda p: any(a for a, _ in p) and any(b for _, b in p)
    )
)
@settings(max_examples=200, deadline=None)
def test_no_event_differs_by_more(pairs):
    p, q = (np.array(side) for side in zip(*pairs))
    events = chain.from_iterable(combinations(range(len(p)), r) for r in range(len(p) + 1))
    largest = max(abs(p[list(e)].sum() / p.sum() - q[list(e)].sum() / q.sum()) for e in events)
    distance = total_variation(p, q)
    assert distance == pytest.approx(largest, abs=1e-12) and 0 <= distance <= 1
    assert total_variation(q, p) == pytest.approx(distance, abs=1e-15)
    cells = np.arange(len(p)) * 10**12
    sparse = [Counts(cells[side > 0], side[side > 0]) for side in (p, q)]
    assert total_variation(*sparse) == pytest.approx(distance, abs=1e-15)
    codes = [np.repeat(np.arange(len(p)), side) for side in (p, q)]
    for size in (len(p), 10**15):  # counted densely, and with far more possible cells than records
        assert total_variation(*(count_codes(c, size, room=100) for c in codes)) == pytest.approx(
            distance, abs=1e-15
        )
