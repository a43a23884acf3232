"""A baseline of people who were not in the data: figures by hand and by an independent count,
intervals by simulation, warnings, and Adult.
"""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from synthpop_py import (
    disclosure,
    multi_disclosure,
)
from synthpop_py.disclosure.baseline import COLUMNS, COMPARED

# the interval has nothing to say of a few records, and random tables often are alike
FEW = "ignore::synthpop_py.HoldoutWarning"
pytestmark = pytest.mark.filterwarnings(FEW)


def table(*rows: str) -> pd.DataFrame:
    """One letter each for sex, town and job."""
    return pd.DataFrame([list(row) for row in rows], columns=["sex", "town", "job"])


# Synthetic data: (f, A) has one job, x; (m, A) has jobs x and y; (f, B) has job y.
FAKE = table("fAx", "fAx", "mAx", "mAy", "fBy")
# found and certain: three (fAx, fAy, fBy); correct: fAx, fBy
PEOPLE = table("fAx", "fAy", "mAx", "fBy", "mBx")
# found: all but (m, B) and (k, A); certain: fAx, fAz, fBx; correct: fAx. Nobody else has job z.
OTHERS = table("fAx", "fAz", "mAy", "fBx", "mBx", "kAx", "mAz", "mAx")


def by_hand(**options: Any):
    given = {"compat": "corrected", "print_flag": False, **options}
    return disclosure(FAKE, PEOPLE, ["sex", "town"], "job", holdout=OTHERS, **given)


def shares(frame: pd.DataFrame) -> dict[str, tuple[float, float, float, float]]:
    """By measure: numerator and denominator of members and of non-members."""
    columns = ["numerator_members", "n_members", "numerator_non_members", "n_non_members"]
    return {row["measure"]: tuple(row[columns]) for _, row in frame.iterrows()}


# ---- by hand -------------------------------------------------------------------------


def test_figures_of_members_and_non_members_by_hand():
    assert shares(by_hand().baseline) == {
        "iS": (4, 5, 6, 8),
        "DiS": (3, 5, 3, 8),
        "DiSCO": (2, 5, 1, 8),
        # a half for each of (m, A) whose job the release has, besides those it is certain of
        "DCAPd": (2.5, 5, 2, 8),
        "TCAP_iS": (2, 4, 1, 6),
        "TCAP_DiS": (2, 3, 1, 3),
    }


def test_percentages_difference_and_interval_by_hand():
    disco = by_hand().baseline.set_index("measure").loc["DiSCO"]
    assert (disco["members"], disco["non_members"], disco["difference"]) == (40.0, 12.5, 27.5)
    # Wilson, 1 of 8: (0.125 + z²/16 ± z sqrt(0.125 0.875 / 8 + z²/256)) / (1 + z²/8)
    z = 1.959963984540054
    middle, half = 0.125 + z * z / 16, z * math.sqrt(0.125 * 0.875 / 8 + z * z / 256)
    low, high = (middle - half) / (1 + z * z / 8), (middle + half) / (1 + z * z / 8)
    assert disco["lower"] == pytest.approx(40 - 100 * high, abs=1e-12)
    assert disco["upper"] == pytest.approx(40 - 100 * low, abs=1e-12)
    # Fisher: 2 of 5 members, 1 of 8 others
    assert disco["p_value"] == pytest.approx(stats.fisher_exact([[2, 3], [1, 7]])[1], rel=1e-12)


def test_the_frame_has_its_columns_and_a_row_per_measure():
    frame = by_hand().baseline
    assert tuple(frame.columns) == COLUMNS
    assert (
        tuple(frame["measure"])
        == COMPARED
        == ("iS", "DiS", "DiSCO", "DCAPd", "TCAP_iS", "TCAP_DiS")
    )
    assert set(frame["target"]) == {"job"} and set(frame["level"]) == {0.95}
    assert by_hand(compat="r").baseline.equals(frame)


def test_members_have_the_figures_of_the_result():
    result = by_hand()
    for _, row in result.baseline.iterrows():
        assert row["members"] == pytest.approx(getattr(result, row["measure"]), rel=1e-13)


def test_without_a_holdout_there_is_no_baseline():
    result = disclosure(FAKE, PEOPLE, ["sex", "town"], "job", compat="corrected")
    assert result.baseline is None
    several = multi_disclosure(FAKE, PEOPLE, ["sex"], ["job"], compat="corrected", print_flag=False)
    assert several.baseline is None


def test_exclusions_hold_for_non_members():
    """Whom they leave out has a score of 0, and is still counted in the denominator."""
    without_x = by_hand(not_targetlev="x")
    # of the others fAz, mAy and mAz are found and have another job; in (f, A) nothing is certain
    # any more, but what is certain is decided before exclusions
    assert shares(without_x.baseline)["iS"] == (2, 5, 3, 8)
    assert shares(without_x.baseline)["DiS"] == (2, 5, 1, 8)
    assert shares(without_x.baseline)["DiSCO"] == (1, 5, 0, 8)
    assert without_x._compared().left_out == 5
    pair = {"exclude_keys": ["sex"], "exclude_keylevs": ["f"], "exclude_targetlevs": ["x"]}
    # fAx and fBx go, kAx and the men stay
    assert shares(by_hand(**pair).baseline)["iS"] == (3, 5, 4, 8)


def test_missing_values_of_non_members_by_hand():
    """Neither original nor synthetic data have a gap, so that nobody finds one; the job of a person
    without one can still be guessed, wrongly.
    """
    gaps = OTHERS.copy()
    gaps.loc[0, "job"] = None
    gaps.loc[2, "sex"] = None
    base = disclosure(
        FAKE, PEOPLE, ["sex", "town"], "job", holdout=gaps, compat="corrected", print_flag=False
    )
    assert shares(base.baseline)["iS"][2:] == (5, 8)
    assert shares(base.baseline)["DiS"][2:] == (3, 8)
    assert shares(base.baseline)["DiSCO"][2:] == (0, 8)
    left = disclosure(
        FAKE,
        PEOPLE,
        ["sex", "town"],
        "job",
        holdout=gaps,
        usetargetNA=False,
        usekeysNA=False,
        compat="corrected",
        print_flag=False,
    )
    assert shares(left.baseline)["DiS"][2:] == (2, 8)
    assert left._compared().left_out == 2


def test_classes_come_from_original_and_synthetic_data():
    """Breaks of ages 20 to 80; a person of 90 is in no class, so that nobody finds them."""
    ages = np.arange(20, 81)
    people = pd.DataFrame({"age": ages, "job": np.where(ages < 50, "x", "y")})
    others = pd.DataFrame({"age": [25, 25, 79, 90, 10], "job": ["x", "y", "y", "y", "x"]})
    result = disclosure(
        people,
        people,
        ["age"],
        "job",
        ngroups_keys=3,
        holdout=others,
        compat="corrected",
        print_flag=False,
    )
    assert shares(result.baseline)["iS"][2:] == (3, 5)
    assert shares(result.baseline)["DiSCO"][2:] == (2, 5)
    fixed = disclosure(
        people,
        people,
        ["age"],
        "job",
        ngroups_keys=3,
        style="fixed",
        fixedBreaks=[20, 40, 60, 81],
        usekeysNA=False,
        holdout=others,
        compat="corrected",
        print_flag=False,
    )
    assert fixed._compared().left_out == 2


def test_special_values_of_non_members_are_a_class_of_their_own():
    income = [-8.0] * 5 + list(np.linspace(100, 900, 40))
    people = pd.DataFrame({"income": income, "job": ["x"] * 5 + ["y"] * 20 + ["z"] * 20})
    others = pd.DataFrame({"income": [-8.0, -8.0, 500.0, -7.0], "job": ["x", "y", "y", "y"]})
    result = disclosure(
        people,
        people,
        ["income"],
        "job",
        cont_na={"income": -8},
        ngroups_keys=4,
        holdout=others,
        compat="corrected",
        print_flag=False,
    )
    assert shares(result.baseline)["iS"][2:] == (3, 4)
    assert shares(result.baseline)["DiS"][2:][0] >= 2


def test_values_meet_whatever_their_type():
    """Whole numbers, real ones, texts and categories; a level only the release has is found."""
    people = pd.DataFrame({"k": [1, 2, 2], "t": ["a", "b", "b"]})
    fake = pd.DataFrame({"k": [1, 2, 3], "t": ["a", "b", "c"]})
    wanted = None
    for k in ([1, 3, 4], [1.0, 3.0, 4.5], ["1", "3", "z"], pd.Categorical(["1", "3", "9"])):
        others = pd.DataFrame({"k": k, "t": pd.Categorical(["a", "c", "b"], ["c", "b", "a", "q"])})
        result = disclosure(
            fake, people, "k", "t", holdout=others, compat="corrected", print_flag=False
        )
        wanted = wanted or shares(result.baseline)
        assert shares(result.baseline) == wanted
    assert wanted["DiSCO"][2:] == (2, 3)


# ---- an independent count ------------------------------------------------------------

Rows = Sequence[tuple[Any, ...]]  # keys, then the target


def left_out(row: tuple[Any, ...], rules: dict[str, Any]) -> bool:
    *keys, target = row
    if target in rules["levels"] or (target is None and not rules["target_gaps"]):
        return True
    if any(key is None and not used for key, used in zip(keys, rules["key_gaps"])):
        return True
    return any(keys[i] == level and target == other for i, level, other in rules["pairs"])


def scores(row: tuple[Any, ...], release: Rows, rules: dict[str, Any]) -> tuple[float, ...]:
    """iS, DiS, DiSCO and DCAPd of one record, straight from their definitions."""
    if left_out(row, rules):
        return 0.0, 0.0, 0.0, 0.0
    alike = [other[-1] for other in release if other[:-1] == row[:-1]]
    certain = len(set(alike)) == 1
    kept = [o for o in release if o[:-1] == row[:-1] and not left_out(o, rules)]
    guessed = sum(other[-1] == row[-1] for other in kept) / len(kept) if kept else 0.0
    return (
        float(bool(alike)),
        float(certain),
        float(certain and alike[0] == row[-1]),
        guessed,
    )


def expected_shares(people: Rows, sets: Sequence[Rows], rules: dict[str, Any]):
    """Numerator and denominator of each measure, means over the syntheses."""
    sums = np.zeros(4)
    for row in people:
        for release in sets:
            sums += np.array(scores(row, release, rules)) / len(sets)
    found, certain, correct, guessed = sums.tolist()
    n = len(people)
    return {
        "iS": (found, n),
        "DiS": (certain, n),
        "DiSCO": (correct, n),
        "DCAPd": (guessed, n),
        "TCAP_iS": (correct, found),
        "TCAP_DiS": (correct, certain),
    }


def random_rows(rng: random.Random, n: int, levels: Sequence[Any], keys: int) -> Rows:
    return [tuple(rng.choice(levels) for _ in range(keys + 1)) for _ in range(n)]


def as_frame(rows: Rows) -> pd.DataFrame:
    keys = len(rows[0]) - 1
    names = [f"k{i}" for i in range(keys)] + ["t"]
    return pd.DataFrame(
        {name: pd.Series([row[i] for row in rows], dtype=object) for i, name in enumerate(names)}
    )


def random_rules(rng: random.Random, people: Rows, keys: int) -> dict[str, Any]:
    """Exclusions of levels that the original has."""
    targets = sorted({row[-1] for row in people if row[-1] is not None})
    rules = {
        "levels": [rng.choice(targets)] if targets and rng.random() < 0.3 else [],
        "target_gaps": rng.random() < 0.7,
        "key_gaps": [rng.random() < 0.7 for _ in range(keys)],
        "pairs": [],
    }
    row = rng.choice(people)
    if rng.random() < 0.4 and row[-1] is not None and row[0] is not None:
        rules["pairs"] = [(0, row[0], row[-1])]
    return rules


def arguments(rules: dict[str, Any]) -> dict[str, Any]:
    given: dict[str, Any] = {
        "not_targetlev": rules["levels"] or None,
        "usetargetNA": rules["target_gaps"],
        "usekeysNA": rules["key_gaps"],
    }
    if rules["pairs"]:
        ((i, level, other),) = rules["pairs"]
        given |= {
            "exclude_keys": [f"k{i}"],
            "exclude_keylevs": [level],
            "exclude_targetlevs": [other],
        }
    return given


def random_case(seed: int):
    """A call of random size, with gaps, several syntheses and exclusions."""
    rng = random.Random(seed)
    keys, m = rng.choice([1, 2, 3]), rng.choice([1, 1, 2, 3])
    levels = ["a", "b", "c", "d", None][: rng.choice([3, 4, 5])]
    people = random_rows(rng, rng.randint(1, 14), levels, keys)
    sets = [random_rows(rng, rng.randint(1, 14), levels, keys) for _ in range(m)]
    # the holdout may have levels that nobody else has
    others = random_rows(rng, rng.randint(1, 14), ["a", "b", "c", "q", None], keys)
    return people, sets, others, random_rules(rng, people, keys)


@pytest.mark.filterwarnings("ignore::synthpop_py.NothingInCommonWarning")
@pytest.mark.parametrize("batch", range(10))
def test_random_tables_beside_an_independent_count(batch):
    for seed in range(30 * batch, 30 * batch + 30):
        people, sets, others, rules = random_case(seed)
        result = disclosure(
            [as_frame(rows) for rows in sets],
            as_frame(people),
            [f"k{i}" for i in range(len(people[0]) - 1)],
            "t",
            holdout=as_frame(others),
            compat="corrected",
            print_flag=False,
            **arguments(rules),
        )
        found = shares(result.baseline)
        members = expected_shares(people, sets, rules)
        non_members = expected_shares(others, sets, rules)
        for measure in COMPARED:
            wanted = (*members[measure], *non_members[measure])
            assert found[measure] == pytest.approx(wanted, abs=1e-9), (seed, measure)
