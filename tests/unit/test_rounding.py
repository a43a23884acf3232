"""The promise of `synthpop_py.rounding`: from one report and the released data, every count of
people keeps at least five possible values.

All feasible counts are listed, those that are shown alike are put together, and in each such group
every count must take at least five values. A reader is taken to know the number of people N, and
how many synthetic records are unique (UiS).
"""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from synthpop_py import disclosure
from synthpop_py.errors import InputError, RDefectWarning
from synthpop_py.rounding import (
    at_most,
    check_round_to,
    counts,
    means,
    over,
    people,
    percent,
    precision,
    shown,
    too_few,
)

LEAST = 5


# ---- what is feasible ----------------------------------------------------------------


def identity_counts(N: int) -> np.ndarray:
    """All (UiO, repU, iS) of N people: those who are not unique share their keys with another, so
    nobody is left alone inside or outside the synthetic data.
    """
    found = np.zeros((N + 1, N + 1, N + 1), dtype=bool)
    for unique in range(N + 1):
        others = N - unique
        for inside in range(others + 1):
            if 1 in (inside, others - inside):
                continue
            for replicated in range(unique + 1):
                found[unique, replicated, inside + replicated : inside + unique + 1] = True
    return np.argwhere(found)


def attribute_counts(N: int) -> np.ndarray:
    """All (Dorig, iS, DiS, DiSCO) of N people. A combination of keys that does not reveal the value
    in the original has two people or more, and not all of them have the value that the synthetic
    data give it.
    """
    found = np.zeros((N + 1,) * 4, dtype=bool)
    for certain in range(N + 1):
        others = N - certain
        for inside in range(others + 1):
            for revealed in range(inside + 1):
                if 1 in (others - inside, inside - revealed, revealed):
                    continue
                correct = max(revealed - 1, 0)
                for right in range(certain + 1):
                    in_syn = slice(inside + right, inside + certain + 1)
                    found[certain, in_syn, revealed + right, : correct + right + 1] = True
    return np.argwhere(found)


def fewest_values(rows: np.ndarray, printed: np.ndarray) -> int:
    """The fewest values that a column of `rows` takes among rows of which the same is printed.
    Percentages are computed from the printed counts, so they put no two rows apart.
    """
    widths = printed.max(axis=0) + 1
    _, group = np.unique(np.ravel_multi_index(printed.T, widths), return_inverse=True)
    fewest = len(rows)
    for values in rows.T:
        taken = np.zeros((group.max() + 1, values.max() + 1), dtype=bool)
        taken[group, values] = True
        fewest = min(fewest, int(taken.sum(axis=1).min()))
    return fewest


def as_shown(values: np.ndarray, *known: int, to: int = 10) -> np.ndarray:
    table = np.array([shown(x, *known, to=to) for x in range(int(values.max()) + 1)])
    return table[values]


# ---- the promise ---------------------------------------------------------------------


@pytest.mark.parametrize("N", range(20, 46))
def test_every_count_of_identity_keeps_five_values(N: int) -> None:
    everything = identity_counts(N)
    for UiS in range(N + 1):
        rows = everything[everything[:, 1] <= UiS]
        printed = np.column_stack(
            [as_shown(rows[:, 0], N), as_shown(rows[:, 1], N, UiS), as_shown(rows[:, 2], N)]
        )
        # with three unique synthetic records there are four values before anything is shown
        fewest = min(LEAST, UiS + 1)
        assert fewest_values(rows[:, [0, 2]], printed) >= LEAST, UiS
        assert fewest_values(rows[:, [1]], printed) >= fewest, UiS


@pytest.mark.parametrize("N", range(20, 33))
def test_every_count_of_attributes_keeps_five_values(N: int) -> None:
    rows = attribute_counts(N)
    assert fewest_values(rows, as_shown(rows, N)) >= LEAST


def test_without_a_known_ceiling_the_promise_would_not_hold() -> None:
    """The judge is awake: simple rounding shows 25 of 25 people as 30."""
    rows = np.arange(26)[:, None]
    assert fewest_values(rows, as_shown(rows)) == 1
    assert fewest_values(rows, as_shown(rows, 25)) >= LEAST


def test_without_the_unique_synthetic_records_the_promise_would_not_hold() -> None:
    N, UiS = 40, 5
    rows = np.arange(UiS + 1)[:, None]
    assert fewest_values(rows, as_shown(rows, N)) == 1
    assert fewest_values(rows, as_shown(rows, N, UiS)) >= LEAST


@pytest.mark.parametrize("to", [10, 11, 20, 25, 100])
def test_every_base_keeps_five_values(to: int) -> None:
    for N in range(2 * to, 3 * to + 1):
        # everyone but one cannot be unique: the last one would be too
        rows = np.array([n for n in range(N + 1) if n != N - 1])[:, None]
        assert fewest_values(rows, as_shown(rows, N, to=to)) >= LEAST


# ---- one result ----------------------------------------------------------------------


def test_counts_of_a_result_are_rounded_and_follow_the_correct_figures() -> None:
    original, synthetic = _two_tables()
    with pytest.warns(RDefectWarning):
        result = disclosure(synthetic, original, ["a"], "b", print_flag=False)
    assert result.corrected is not None
    shares = result.corrected.shares[0]
    exact = counts(result, 1)
    assert list(exact.columns) == ["N", "UiO", "repU", "iS", "Dorig", "DiS", "DiSCO"]
    assert list(exact.index) == [1]
    for measure in exact.columns[1:]:
        assert exact.loc[1, measure] == shares[measure].numerator
    rounded = counts(result, 10)
    assert rounded.loc[1, "N"] == 40  # of 43
    UiS = shares["UiS"].numerator
    for measure in exact.columns[1:]:
        known = [43, UiS] if measure == "repU" else [43]
        assert rounded.loc[1, measure] == shown(shares[measure].numerator, *known)
    assert means(result, 10).equals(rounded.mean())


def test_few_people_have_no_figures() -> None:
    original, synthetic = _two_tables()
    result = disclosure(synthetic.head(19), original.head(19), ["a"], "b", print_flag=False)
    with pytest.raises(InputError, match="fewer than 20 people"):
        counts(result, 10)
    assert len(counts(result, 1)) == 1
    assert too_few(20) == "" and too_few(5, 1) == ""


def _two_tables() -> tuple[pd.DataFrame, pd.DataFrame]:
    rng = np.random.default_rng(1)
    original = pd.DataFrame({"a": rng.integers(0, 20, 43), "b": rng.integers(0, 3, 43)})
    synthetic = pd.DataFrame({"a": rng.integers(0, 20, 43), "b": rng.integers(0, 3, 43)})
    return original, synthetic


# ---- arguments and texts -------------------------------------------------------------


@pytest.mark.parametrize("value", [0, 2, 5, 9, -10, 10.5, "10", None, True])
def test_other_bases_are_refused(value: object) -> None:
    with pytest.raises(InputError, match="round_to"):
        check_round_to(value)


def test_a_part_is_never_shown_as_nothing_or_all() -> None:
    for whole in (20, 100, 990, 1000, 48_840, 1_000_000):
        for n in {0, 10, whole - 10, whole}:
            texts = people(n, whole), percent(n, whole)
            assert not {"0", "100 %", "100.0 %", "0 %", "0.0 %"} & set(texts)
    assert percent(48_830, 48_840) == "over 99.9 %"
    assert percent(10, 48_840) == "under 0.1 %"
    assert percent(0, 1000) == "under 0.5 %"


def test_texts_of_exact_figures() -> None:
    assert people(1234, 1234, to=1) == "1,234"
    assert people(0, to=1) == "0"
    assert percent(1, 3, to=1) == "33.33 %"
    assert percent(3, 3, to=1) == "100.00 %"
    assert precision({"DiS": 4, "DiSCO": 1}, 1) == "25.00 %"
    assert precision({"DiS": 0, "DiSCO": 0}, 1) is None


def test_precision_needs_a_hundred_people() -> None:
    assert precision({"DiS": 90, "DiSCO": 90}) is None
    assert precision({"DiS": 100, "DiSCO": 100}) == "nearly all"


def test_a_limit_is_judged_by_the_largest_count_that_is_shown_alike() -> None:
    for x in range(300):
        assert x <= at_most(shown(x))
        assert shown(int(at_most(shown(x)))) == shown(x)
    assert at_most(7, to=1) == 7


def test_pairs_are_never_more_exact_than_ten_per_cent() -> None:
    assert {over(share) for share in np.linspace(80.1, 100, 50)} == {"over 80 %", "over 90 %"}
