"""Ties and the threshold are decided exactly, where floats are wrong, and on large files."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pandas as pd
import pytest

from synthpop_py.matching import identification_risk
from synthpop_py.matching.attack import above, exact_sums
from tests.matching_oracle.oracle import Question, answer


def naive(
    original: pd.DataFrame, sets: list[pd.DataFrame], known: str, synthesised: str
) -> tuple[int, float, int]:
    """Perceived, expected and true risk as plain floating point code has them."""
    n = len(original)
    row = np.zeros((n, n))
    for released in sets:
        same_d = original[known].to_numpy()[:, None] == released[known].to_numpy()[None, :]
        same = same_d & (
            original[synthesised].to_numpy()[:, None] == released[synthesised].to_numpy()[None, :]
        )
        used = np.where(same.any(axis=1)[:, None], same, same_d)
        row += used / used.sum(axis=1)[:, None]
    row /= len(sets)
    top = row.max(axis=1)
    best = row == top[:, None]
    c, inside = best.sum(axis=1), best.diagonal()
    return int((top > 0.2).sum()), float((inside / c).sum()), int((inside & (c == 1)).sum())


def as_question(
    original: pd.DataFrame, sets: list[pd.DataFrame], known: str, synthesised: str
) -> Question:
    return Question(
        original.to_dict("records"), [[s.to_dict("records")] for s in sets], [known], [synthesised]
    )


# ---- one sixth -----------------------------------------------------------------------


def one_sixth(copies: int) -> tuple[pd.DataFrame, list[pd.DataFrame]]:
    """In every copy (a street of its own) the target, record 0, matches among 10 in set 1 and among
    15 in set 2, and record 1 among 6 in set 3: 1/10 + 1/15 = 1/6.
    """
    size, in_sets = 30, ((0, *range(2, 11)), (0, *range(11, 25)), (1, *range(25, 30)))
    town = np.full((len(in_sets), size), "elsewhere", dtype=object)
    for number, chosen in enumerate(in_sets):
        town[number, list(chosen)] = "A"
    home = np.array(["A", *["B"] * (size - 1)], dtype=object)
    street = np.repeat(np.arange(copies), size)
    return pd.DataFrame({"street": street, "town": np.tile(home, copies)}), [
        pd.DataFrame({"street": street, "town": np.tile(t, copies)}) for t in town
    ]


def test_one_sixth_is_one_tenth_and_one_fifteenth():
    original, sets = one_sixth(1)
    assert 1 / 10 + 1 / 15 != 1 / 6
    risk = identification_risk(sets, original, known="street", synthesised="town")
    assert risk.records().loc[0, ["c", "I", "K"]].tolist() == [
        7,
        1,
        0,
    ]  # record 0 and the six of set 3
    assert risk.records()["highest"][0] == pytest.approx(1 / 18)
    assert naive(original, sets, "street", "town")[2] == 1  # floats find record 0 alone


def test_one_sixth_on_a_large_file():
    copies = 2000  # 60,000 records
    original, sets = one_sixth(copies)
    risk = identification_risk(sets, original, known="street", synthesised="town")
    targets = risk.records().iloc[::30]
    assert (targets["c"] == 7).all() and (targets["I"] == 1).all()
    # all others live in B, where nobody is in any set: fallback to the 30 of the street
    assert risk.expected == pytest.approx(copies * (1 / 7 + 29 / 30), rel=1e-12) and risk.true == 0


def test_more_sets_than_a_machine_word_has_bits():
    # 3 sets decide as above; in 97 more nobody is in A, and fallback gives 1/30 to everybody
    original, sets = one_sixth(1)
    nobody = original.assign(town="B")
    many = [nobody] * 40 + sets[:1] + [nobody] * 57 + sets[1:]
    risk = identification_risk(many, original, known="street", synthesised="town")
    assert risk.records().loc[0, ["c", "I", "fallback"]].tolist() == [7, 1, 97]
    assert risk.records()["highest"][0] == pytest.approx((1 / 6 + 97 / 30) / 100)


def sums(rows: list[list[int]]) -> list[Fraction]:
    """Sums of 1 / d over the rows, as the package adds them."""
    found, place = exact_sums(np.ones((len(rows), len(rows[0])), dtype=np.int64), np.array(rows))
    return [found[at] for at in place]


def test_large_denominators_are_compared_in_whole_numbers():
    # 1/p over primes near 10^6: sums that differ by far less than floats can see, and equal sums of
    # other fractions
    p, q, r = 999_883, 999_979, 999_907
    one, other, third = sums([[p, q, 0], [q, 2 * p, 2 * p], [r, q, 0]])
    assert one == other == Fraction(1, p) + Fraction(1, q) != third


def test_sums_that_differ_in_the_twentieth_digit():
    # 1/a - 1/(a+1) = 1/(a (a+1)): with a = 10^9 + 6, floats cannot tell 1/a + 1/(a+2) from 2/(a+1)
    a = 10**9 + 6
    assert 1 / a + 1 / (a + 2) == 2 / (a + 1)
    more, less = sums([[a, a + 2], [a + 1, a + 1]])
    assert more > less


# ---- the threshold -------------------------------------------------------------------


def test_three_fifths_by_three_do_not_exceed_a_fifth():
    five = pd.DataFrame({"sex": ["f"] * 5, "town": ["A"] * 5})
    assert (1 / 5 + 1 / 5 + 1 / 5) / 3 > 0.2
    risk = identification_risk([five] * 3, five, known="sex", synthesised="town")
    assert risk.perceived == 0 and naive(five, [five] * 3, "sex", "town")[0] == 5


def test_a_threshold_is_read_as_it_is_written():
    # (1/2 + 1/10) / 2 = 3/10; the double 0.3 is a little less than 3/10
    original = pd.DataFrame({"town": ["A"] * 2 + ["B"] * 8})
    sets = [original, pd.DataFrame({"town": ["A"] * 10})]
    highest_a = identification_risk(
        sets, original, known=[], synthesised="town", threshold=0.3
    ).records()
    assert (
        Fraction(0.3) < Fraction(3, 10)
        and highest_a["highest"][0] == pytest.approx(0.3)
        and not highest_a["perceived"][0]
    )
    three = pd.DataFrame({"town": ["A"] * 3})
    for threshold, perceived in (
        (Fraction(1, 3), 0),
        (1 / 3, 3),
        (0.34, 0),
    ):  # 1/3 as a float is 0.3333333333333333, below one third
        assert (
            identification_risk(
                three, three, known=[], synthesised="town", threshold=threshold
            ).perceived
            == perceived
        )


def test_which_sums_are_above():
    numerator = np.ones((3, 3), dtype=np.int64)
    denominator = np.array([[15, 15, 15], [10, 15, 0], [10, 15, 1000]])
    assert above(numerator, denominator, Fraction(1, 5)).tolist() == [False, False, False]
    assert above(numerator, denominator, Fraction(1, 6)).tolist() == [True, False, True]


def test_weights_tie_in_decimals():
    # target x: records 0 and 1 in set 1 with 1.1 + 2.2 people, record 2 in set 2 with 3.3; as
    # floats the two sums differ
    original = pd.DataFrame({"a": ["x", "y", "y", "y"], "w": [1.1, 2.2, 3.3, 5.0]})
    sets = [pd.DataFrame({"a": ["x", "x", "y", "y"]}), pd.DataFrame({"a": ["y", "y", "x", "y"]})]
    assert 1.1 + 2.2 != 3.3
    risk = identification_risk(sets, original, known=[], synthesised="a", weights="w")
    assert risk.records().loc[0, ["c", "I"]].tolist() == [3, 1]


# ---- where plain floats change published figures -------------------------------------


def random_release(seed: int, n: int, m: int) -> tuple[pd.DataFrame, list[pd.DataFrame]]:
    rng = np.random.default_rng(seed)
    original = pd.DataFrame(
        {"d": rng.choice(["p", "q"], n), "s": rng.choice(list("abcdefghij"), n)}
    )
    return original, [
        original.assign(
            s=np.where(rng.random(n) < 0.3, original["s"], rng.choice(list("abcdefghij"), n))
        )
        for _ in range(m)
    ]


@pytest.mark.parametrize("seed, n, m", [(0, 120, 5), (1, 120, 5), (2, 200, 7), (3, 60, 3)])
def test_random_categorical_files_agree_with_the_oracle(seed, n, m):
    original, sets = random_release(seed, n, m)
    risk, correct = (
        identification_risk(sets, original, known="d", synthesised="s"),
        answer(as_question(original, sets, "d", "s")),
    )
    assert (risk.perceived, risk.true, risk.false) == (
        correct.perceived,
        correct.true,
        correct.false,
    )
    assert risk.expected == pytest.approx(float(correct.expected), rel=1e-12)
    assert risk.records()["c"].tolist() == [t.c for t in correct.targets]


def test_plain_floats_are_wrong_on_some_of_them():
    wrong = 0
    for seed in range(40):
        original, sets = random_release(seed, 60, 5)
        risk = identification_risk(sets, original, known="d", synthesised="s")
        wrong += naive(original, sets, "d", "s") != pytest.approx(
            (risk.perceived, risk.expected, risk.true), rel=1e-9
        )
    assert wrong > 0
