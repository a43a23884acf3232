"""`ifpr()`: what a release guarantees, by hand, by enumeration, by simulation and for any data;
what it reports; bad input.
"""

from __future__ import annotations

from collections import Counter
from contextlib import suppress
from fractions import Fraction as F
from itertools import combinations
from time import perf_counter

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from synthpop_py import InputError, datasets
from synthpop_py.ifpr import IFPRRelease, ifpr, ifpr_risk, ifpr_theta, ifpr_variance, ifpr_xi
from tests.unit.texts import flat

from .ifpr_oracle import best_guess, enumerate_block

EXACT = 1e-12
# a deviation beyond so many standard errors has a chance below 1e-5; seeds are fixed, so a pass
# stays a pass
Z = 4.5


def made(frame: pd.DataFrame, keys="x", **given) -> IFPRRelease:
    return ifpr(frame, keys, **({"seed": 1, "reproducible": True} | given))


@pytest.fixture(scope="module")
def people() -> pd.DataFrame:
    """Keys sex and age: f has ages 1 to 4 (2 people of age 4), m has 1 to 3, and three people are
    alike.
    """
    frame = pd.DataFrame({"sex": list("fffffmmmmmm"), "age": [1, 2, 3, 4, 4, 1, 2, 3, 9, 9, 9]})
    frame.index = [f"id{i}" for i in range(11)]
    return frame.assign(income=np.arange(11) * 10.0)


@pytest.fixture(scope="module")
def release(people) -> IFPRRelease:
    return made(people, ["sex", "age"], theta=0.8, blocks="sex", seed=7)


def random_frame(seed: int, n: int) -> pd.DataFrame:
    """Keys of every type, with gaps."""
    rng = np.random.default_rng(seed)
    kinds = ["u", "v", "w", "unused"]
    columns = {
        "text": pd.Series(rng.choice(["a", "b", None], n), dtype=object),
        "kind": pd.Categorical.from_codes(rng.integers(-1, 3, n), kinds, ordered=True),
        "whole": rng.integers(0, 6, n).astype(np.int16),
        "gaps": pd.array(rng.choice([1, 2, None], n), dtype="Int64"),
        "real": rng.choice([0.5, 1.5, np.nan], n),
        "day": pd.to_datetime(rng.choice(["2020-01-01", "2021-05-05", None], n)),
        "flag": rng.random(n) < 0.5,
        "other": rng.random(n),
    }
    return pd.DataFrame(columns).set_axis(rng.permutation(n) * 3, axis=0)


ALL_KEYS = ["text", "kind", "whole", "gaps", "real", "day", "flag"]


def cell_counts(frame: pd.DataFrame, keys: list[str]) -> Counter:
    """Records by combination of keys, all missing values alike."""
    texts = [frame[key].astype(object).where(frame[key].notna(), "missing") for key in keys]
    return Counter(zip(*(text.astype(str) for text in texts)))


# ---- by hand -------------------------------------------------------------------------


def test_who_takes_part_by_hand(release):
    design = release.design
    assert design.index.tolist() == ["sex: f", "sex: m"]
    counts = design[["units", "cells", "cells_1", "cells_2"]].to_numpy().tolist()
    assert counts == [[5, 4, 3, 1], [3, 3, 3, 0]]
    assert design["theta"].tolist() == [0.8, 0.8]
    assert design["expected_changed"].tolist() == pytest.approx([3.2, 2.4])  # theta for each cell
    assert design["share_perturbed"].tolist() == pytest.approx([3.2 / 5, 2.4 / 3])
    assert design["changed"].sum() == release.changed.sum() > 0
    assert release.theta == {1: 0.8, 2: 0.8} and release.max_count == 2
    assert release.keys == ("sex", "age") and release.xi == pytest.approx(ifpr_xi(0.8))


def test_changed_says_which_records_have_other_keys_and_the_three_alike_stay(release, people):
    different = (release.data[["sex", "age"]] != people[["sex", "age"]]).any(axis=1)
    assert release.changed.equals(different.rename("changed"))
    assert release.data.iloc[8:].equals(people.iloc[8:]) and not release.changed.iloc[8:].any()


def test_nothing_to_do_is_done():
    crowd = pd.DataFrame({"a": [1, 1, 1, 2, 2, 2]})
    release = made(crowd, "a", xi=0.395)
    assert release.data.equals(crowd) and release.verify().ok and len(release.design) == 0
    assert "0 units" in flat(release) and "<table>" in release._repr_html_()
    assert release.audit(3, seed=1).table.isna().to_numpy().all()
    assert release.tvd()["tvd"].tolist() == [0] and len(release.tidy()) == 0
    assert release.marginals()["ifpr_sd"].tolist() == [0, 0]
    still = made(pd.DataFrame({"a": [1, 2, 3]}), "a", theta=0)
    assert still.data["a"].tolist() == [1, 2, 3] and still.xi == 1


# ---- guarantees ----------------------------------------------------------------------

BY_SIZE = {1: 0.9, 2: 1.5, 3: 0.7}
GOALS = [dict(xi=0.395), dict(xi=0.7), dict(xi=0.2), dict(theta=1), dict(theta=BY_SIZE)]


@pytest.mark.parametrize("goal", GOALS, ids=str)
def test_guarantees_on_keys_of_every_type(goal):
    frame = random_frame(3, 700)
    before = frame.copy(deep=True)
    release = made(frame, ALL_KEYS, blocks=["flag", {"whole": [3]}], seed=5, **goal)
    data = release.data
    pd.testing.assert_frame_equal(frame, before)  # the input is not touched
    kept = ["other", "flag"]
    pd.testing.assert_frame_equal(data[kept], frame[kept])
    assert ((data["whole"] >= 3) == (frame["whole"] >= 3)).all()
    assert data.dtypes.equals(frame.dtypes) and data.index.equals(frame.index)
    assert list(data) == list(frame) and data["kind"].cat.ordered
    assert data["kind"].cat.categories.equals(frame["kind"].cat.categories)
    assert release.changed.sum() > 100
    old, new = cell_counts(frame, ALL_KEYS), cell_counts(data, ALL_KEYS)
    assert set(new) <= set(old)  # no combination that was not there
    assert all(new[cell] == n for cell, n in old.items() if n > release.max_count)
    assert release.design["units"].sum() == sum(n for n in old.values() if n in release.theta)


def test_the_same_seed_gives_the_same_release():
    frame = random_frame(1, 300)
    one, two, other = (made(frame, ALL_KEYS, xi=0.395, seed=seed) for seed in (11, 11, 12))
    pd.testing.assert_frame_equal(one.data, two.data)
    assert not one.data.equals(other.data)
    a, b = (ifpr(frame, ALL_KEYS, xi=0.395, seed=np.random.default_rng(11)) for _ in range(2))
    pd.testing.assert_frame_equal(a.data, b.data)
    assert one.audit(20, seed=3).table.equals(one.audit(20, seed=3).table)


def test_changing_the_release_leaves_the_original_alone(people):
    mine = people.copy()
    release = made(mine, ["sex", "age"], theta=0.8)
    released = release.data
    released.loc[:, "income"] = -1.0
    released.loc[:, "age"] = 99
    pd.testing.assert_frame_equal(mine, people)
    pd.testing.assert_frame_equal(release.original, people)


def test_who_stays_keeps_even_the_kind_of_missing_value():
    values = pd.Series([None, np.nan, "x", "y", "x"], dtype=object)  # the first two are one cell
    release = made(pd.DataFrame({"a": values, "b": [1, 1, 1, 2, 1]}), ["a", "b"], theta=0)
    assert release.design["cells_2"].tolist() == [2]
    assert [type(v) for v in release.data["a"]] == [type(v) for v in values]


@given(
    st.integers(0, 10**6),
    st.integers(1, 60),
    st.sampled_from([0.9, 0.5, 0.395, 0.34, 0.25, 0.15]),
    st.sampled_from([(None, []), ("a", []), ({"b": [2]}, [2]), (["a", {"b": [1, 3]}], [1, 3])]),
)
@settings(max_examples=60, deadline=None)
def test_what_must_hold_for_any_data(seed, n, xi, blocks_and_cuts):
    blocks, cuts = blocks_and_cuts
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame({"a": rng.integers(0, 2, n), "b": rng.integers(0, 5, n)})
    frame = frame.assign(c=rng.choice(["x", "y", None], n), v=rng.random(n))
    keys = ["a", "b", "c"]
    release = made(frame, keys, xi=xi, blocks=blocks, seed=seed, small_blocks="keep")
    data = release.data
    assert data["v"].equals(frame["v"])
    assert "a" not in (blocks or []) or data["a"].equals(frame["a"])
    before, after = (np.searchsorted(cuts, f["b"], side="right") for f in (frame, data))
    assert (before == after).all()
    old, new = cell_counts(frame, keys), cell_counts(data, keys)
    assert set(new) <= set(old) and sum(new.values()) == n
    # every row of verify() is the formula's; the release is judged safe exactly when all blocks are
    table = release.verify().table
    for row in table[table["block"] != "not perturbed"].itertuples():
        design = release.design.loc[row.block]
        block = {T: int(design[f"cells_{T}"]) for T in release.theta if design[f"cells_{T}"]}
        expected = 1 / row.T  # where flows cannot balance nobody moves
        if sum(block.values()) > 1:
            with suppress(InputError):
                expected = ifpr_risk(release.theta, row.T, row.a, block)
        assert row.risk == pytest.approx(expected, abs=1e-9)
    assert release.verify().ok == (table["risk"] <= xi * (1 + 1e-9)).all()
    try:
        safe = made(frame, keys, xi=xi, blocks=blocks, seed=seed)
    except InputError as error:
        assert "cannot meet xi" in str(error)  # noqa: PT017  (only some examples are refused)
    else:
        assert safe.verify().ok


# ---- expected counts, theory and simulation ------------------------------------------


def grouped(groups: range, cells, units: int) -> pd.DataFrame:
    """Cells x of 1, 2, ..., `units`, 1, ... units, so many in each group g."""
    rows = [(g, f"{g}{i}") for g in groups for i in range(cells(g)) for _ in range(1 + i % units)]
    return pd.DataFrame(rows, columns=["g", "x"])


def simulated_counts(release: IFPRRelease, runs: int, seed: int) -> np.ndarray:
    exchange, rng = release._exchange, np.random.default_rng(seed)
    c, units = len(exchange.block), exchange.unit_cell
    drawn = exchange.draw(np.tile(units, runs), rng) + c * np.repeat(np.arange(runs), len(units))
    return np.bincount(drawn, minlength=runs * c).reshape(runs, c)


@pytest.mark.parametrize(
    "goal", [dict(theta=0.8), dict(xi=0.25), dict(theta={1: 0.3, 2: 1.1, 3: 2.0})], ids=str
)
def test_expected_counts_variances_and_totals_by_simulation(goal):
    frame = grouped(range(2), lambda g: 7, 3)
    release = made(frame, ["g", "x"], blocks="g", max_count=3, **goal)
    exchange, runs = release._exchange, 40_000
    counts = simulated_counts(release, runs, 5)
    size = exchange.sizes[exchange.size_at]
    for block in (0, 1):
        inside = exchange.block == block
        assert set(counts[:, inside].sum(axis=1)) == {size[inside].sum()}
    theory = np.array([ifpr_variance(release.theta, int(T), {1: 3, 2: 2, 3: 2}) for T in size])
    squares = (counts - size) ** 2
    assert (np.abs(counts.mean(axis=0) - size) < Z * np.sqrt(theory / runs)).all()
    error = np.sqrt(squares.var(axis=0) / runs)
    assert (np.abs(squares.mean(axis=0) - theory) < Z * error).all()


def test_the_randomisation_draws_what_was_enumerated():
    """Every outcome of a block of (1, 1, 2) units, with its exact chance."""
    release = made(pd.DataFrame({"x": ["a", "b", "c", "c"]}), theta=0.8)
    truth = enumerate_block([1, 1, 2], {1: F(4, 5), 2: F(2, 5)})
    counts = simulated_counts(release, 60_000, 9)
    assert counts.mean(axis=0) == pytest.approx([float(m) for m in truth.mean], abs=0.02)
    covariance = np.cov(counts.T)
    for (c, d), expected in truth.covariance.items():
        assert covariance[c, d] == pytest.approx(float(expected), abs=0.03)


@pytest.mark.parametrize("goal", [dict(xi=0.395), dict(xi=0.25), dict(theta=1)], ids=str)
def test_the_audit_agrees_with_theory(goal):
    frame = grouped(range(3), lambda g: 6 + g, 3)
    audit = made(frame, ["g", "x"], blocks="g", **goal).audit(20_000, max_s=4, seed=2)
    tidy = audit.tidy()
    known = tidy[tidy["se"] > 0]
    assert len(known) >= 10 and (known["z"].abs() < Z).all()
    exact = tidy[tidy["se"] == 0]
    assert exact["risk"].tolist() == pytest.approx(exact["theory"], abs=EXACT, nan_ok=True)


def test_what_an_audit_counts_by_hand():
    """Two blocks of two: one run's table from the definition."""
    frame = pd.DataFrame({"g": [0, 0, 0, 1, 1], "x": [1, 2, 3, 4, 5]})
    release = made(frame, ["g", "x"], theta=0.5, blocks="g", small_blocks="keep")
    audit = release.audit(1, max_s=2, seed=4)
    cells = release._exchange.unit_cell
    new = release._exchange.draw(cells, np.random.default_rng(4))
    units, matches = np.zeros(4), np.zeros(4)
    for unit, cell in enumerate(cells):
        S = int((new == cell).sum())
        units[min(S, 3)] += 1
        matches[min(S, 3)] += (new[unit] == cell) / S if S else 0
    assert audit.units[0, 0].tolist() == units.tolist()
    assert audit.matches[0, 0].tolist() == pytest.approx(matches.tolist())
    assert audit.table.loc["all S", "T=1"] == pytest.approx(matches.sum() / 5)
    assert audit.table.loc["S=1", "all T"] == pytest.approx(matches[1] / units[1])
    assert audit.se.isna().to_numpy().all()  # one run has no spread


def test_margins_of_an_audit_have_the_weights_the_slides_use():
    frame = grouped(range(1), lambda g: 30, 2)
    audit = made(frame, theta=0.8).audit(50, seed=3)
    units, matches = audit.units.sum(axis=0), audit.matches.sum(axis=0)
    table = audit.table
    by_units = matches[:, 1].sum() / units[:, 1].sum()
    assert table.loc["S=1", "all T"] == pytest.approx(by_units)
    # over all S, 0 and large ones included
    assert table.loc["all S", "T=2"] == pytest.approx(matches[1].sum() / (50 * 30))
    assert units.sum() == 50 * 45 and (table.loc["all S"] < table.loc["S=1"]).all()
    per_run = audit.matches[:, 0, 1] / audit.units[:, 0, 1]
    sd = audit.sd_of_one_run.loc["S=1", "T=1"]
    assert sd == pytest.approx(per_run.std(ddof=1), rel=0.1)
    assert audit.se.loc["S=1", "T=1"] == pytest.approx(sd / 50**0.5)


# ---- reports -------------------------------------------------------------------------


def test_risk_table_has_the_formulas_for_each_block(release):
    table = release.risk_table(max_a=3)
    assert table.index.tolist() == ["sex: f", "sex: m", "all blocks"]
    assert table["units"].tolist() == [5, 3, 8]
    blocks = {"sex: f": {1: 3, 2: 1}, "sex: m": {1: 3}}
    for label, block in blocks.items():
        for T in block:
            row = table.loc[label, [*(f"T={T} IR({a})" for a in (1, 2, 3)), f"T={T} overall"]]
            formulas = [ifpr_risk(0.8, T, a, block) for a in (1, 2, 3, None)]
            assert row.tolist() == pytest.approx(formulas, abs=EXACT)
    everybody = table.loc["all blocks"]
    assert np.isnan(table.loc["sex: m", "T=2 IR(1)"])
    assert everybody["T=2 IR(1)"] == pytest.approx(table.loc["sex: f", "T=2 IR(1)"])
    assert everybody["T=1 overall"] == pytest.approx(table["T=1 overall"].iloc[:2].mean())
    low, high = sorted(table["T=1 IR(1)"].iloc[:2])
    assert low <= everybody["T=1 IR(1)"] <= high
    worst = [ifpr_xi(0.8, block) for block in blocks.values()]
    assert table["worst"].tolist() == pytest.approx([*worst, max(worst)])


def test_tidy_has_numerators_and_denominators(release):
    tidy = release.tidy()
    columns = "block T a risk expected_matches expected_units cells units"
    assert list(tidy) == columns.split() and len(tidy) == 9
    ratio = tidy["expected_matches"] / tidy["expected_units"]
    assert tidy["risk"].tolist() == pytest.approx(ratio.tolist(), nan_ok=True)
    row = tidy[(tidy["block"] == "sex: m") & tidy["a"].isna()].iloc[0]
    assert row["expected_units"] == 3
    assert row["risk"] == pytest.approx(ifpr_risk(0.8, 1, None, {1: 3}))


def left(check) -> list[list]:
    rows = check.table[check.table["block"] == "not perturbed"]
    return rows[["cells", "T", "a", "risk", "meets"]].to_numpy().tolist()


def test_verify_against_another_goal(release):
    check = release.verify(0.3)
    says = "2 of 2 blocks and some cells left as they were exceed xi = 0.3;"
    assert check.verdict.startswith(says) and not check.ok
    assert set(check.violations["block"]) == {"sex: f", "sex: m", "not perturbed"}
    assert check.table["a"].max() == 3  # 1/4 is below 0.3 anyway
    assert left(check) == [[1, 3, 3, 1 / 3, False]]
    met = release.verify(0.9)
    assert met and "Every block (2) and every cell left as it was meets xi = 0.9" in flat(met)


def test_cells_left_as_they_are_count_for_the_highest_risk():
    """Thirty people alone, who have 0.2317 at most, and two groups of three, who have 1/3."""
    frame = pd.DataFrame({"x": [*range(30), *[100] * 3, *[101] * 3, *[102] * 4]})
    release = made(frame, theta=0.8)
    check, alone = release.verify(), ifpr_xi(0.8, {1: 30})
    assert alone < 0.24 and check.ok and check.table["risk"].max() == 1 / 3
    assert "highest risk 0.3333" in flat(check) and "highest risk 0.3333" in flat(release)
    assert left(check) == [[2, 3, 3, 1 / 3, True]]  # the smallest says it all
    shown = [line.split() for line in repr(release).split("\n") if line.startswith("T > 2")]
    assert shown == [["T", ">", "2", "3", "10", "0.0", "NaN", "NaN", "0.3000", "0.3333"]]
    worst = release.risk_table()["worst"]
    assert worst.tolist() == [pytest.approx(alone), 1 / 3]
    crowd = made(frame.iloc[30:36], xi=0.395)
    assert crowd.verify().ok and len(crowd.verify().table) == 1
    assert "highest risk 0.3333" in flat(crowd)
    assert crowd.risk_table()["worst"].tolist() == [1 / 3]


def test_blocks_where_looking_elsewhere_pays_are_named():
    """k single units: one given other cell is likelier than the own where theta / (k - 1) > 1 -
    theta, so theta > (k - 1) / k.
    """
    sizes = (3, 4, 5, 6)
    frame = pd.DataFrame([(k, i) for k in sizes for i in range(k)], columns=["k", "x"])
    for theta in (0.8, 0.6, 0.81, 0.9):
        expected = [theta > (k - 1) / k + 1e-12 for k in sizes]
        release = made(frame, ["k", "x"], theta=theta, blocks="k")
        check = release.verify()
        assert release.design["elsewhere"].tolist() == expected and check.ok
        assert check.elsewhere == tuple(f"k: {k}" for k, bad in zip(sizes, expected) if bad)
        assert len(check.notes) == any(expected)
    note = "Note: In 4 blocks"
    says = f"{note} (k: 3; k: 4; and 2 more) a unit is likelier to be under one given other"
    assert says in flat(release) and note in release._repr_html_() and note in check._repr_html_()
    pairs = made(pd.DataFrame({"x": [1, 1, 2, 2]}), theta=0.99)
    assert pairs.design["elsewhere"].tolist() == [False]  # half of them stay
    assert made(pd.DataFrame({"x": range(200)}), theta=0.99).verify().notes == ()


GUESSES = [
    (3, F(4, 5), 0.43, 0.57),
    (3, F(99, 100), 0.61, 0.98),
    (4, F(99, 100), 0.38, 0.94),
    (5, F(4, 5), 0.20, 0.20),
]


@pytest.mark.parametrize("k, theta, overall, worst", GUESSES)
def test_what_an_intruder_gains_who_looks_elsewhere(k, theta, overall, worst):
    """Singles only. Under the own keys nobody gains more than IR says; under any keys the best
    guess may.
    """
    guess = best_guess(k, theta)
    assert (round(float(guess.overall), 2), round(float(guess.worst), 2)) == (overall, worst)
    own = enumerate_block([1] * k, {1: theta})
    assert max(own.risk[1].values()) <= F(1, 3) and own.overall[1] <= guess.overall
    design = made(pd.DataFrame({"x": range(k)}), theta=float(theta)).design
    assert design["elsewhere"].tolist() == [float(guess.worst) > 0.3]


def test_block_variables_called_like_columns_of_the_design():
    names = ["units", "cells", "theta", "changed"]
    frame = pd.DataFrame({"units": list("aaabbb"), "cells": 1, "theta": 2, "changed": 3})
    frame["x"] = range(6)
    design = made(frame, list(frame), theta=0.5, blocks=names).design
    groups = design[[f"{name} (groups)" for name in names]].to_numpy().tolist()
    assert groups == [["a", "1", "2", "3"], ["b", "1", "2", "3"]] and design.columns.is_unique
    assert design[["units", "cells", "theta"]].to_numpy().tolist() == [[3, 3, 0.5]] * 2
    same = pd.DataFrame({1: list("aaabbb"), "1": list("uuuuuu"), "x": range(6)})
    design = made(same, list(same), theta=0.5, blocks=[1, "1"]).design
    assert list(design)[:2] == ["1", "1 (groups)"]


def test_small_goals_cost_what_occurs():
    """Two hundred sizes may take part, one occurs."""
    started = perf_counter()
    release = made(pd.DataFrame({"x": range(3000)}), xi=0.005)
    assert release.max_count == len(release.theta) == 199
    assert release._exchange.sizes.tolist() == [1]
    assert release.verify().ok and "T = 1" in flat(release)
    columns = ["units", "T=1 IR(1)", "T=1 IR(2)", "T=1 overall", "worst"]
    assert list(release.risk_table()) == columns
    assert release.design["cells_199"].tolist() == [0]
    assert perf_counter() - started < 2  # about 0.1 s; with all sizes it was out of reach


def test_tens_of_thousands_of_blocks_are_shown_at_once():
    n = 40_000
    frame = pd.DataFrame({"g": np.repeat(np.arange(n), 3), "x": np.arange(3 * n)})
    release = made(frame, ["g", "x"], xi=0.4, blocks="g")
    started = perf_counter()
    assert "40,000 blocks by g" in flat(release)
    assert len(release.design) == n and len(release.merged) == 0
    assert perf_counter() - started < 3  # about 0.5 s; one label after the other it was 11 s


def test_xi_uses_the_smallest_theta(people):
    release = made(people, ["sex", "age"], xi=0.395)
    assert set(release.theta.values()) == {ifpr_theta(0.395)} and release.xi == 0.395
    assert release.verify().ok
    small = made(people, ["sex", "age"], xi=0.25)
    assert small.theta == ifpr_theta(0.25) and small.max_count == 3
    assert small.design["cells_3"].tolist() == [1]
    by_size = made(people, ["sex", "age"], xi=0.395, scheme="size")
    assert by_size.theta == ifpr_theta(0.395, scheme="size") and by_size.verify().ok
    only_single = made(people, ["sex", "age"], xi=0.6, max_count=1)
    assert list(only_single.theta) == [1] and only_single.verify().ok


def test_marginals_by_hand(release, people):
    frame = release.marginals()
    assert frame["variable"].tolist() == ["sex"] * 2 + ["age"] * 5
    sex = frame[frame["variable"] == "sex"]
    assert sex[["level", "original", "released", "ifpr_sd"]].to_numpy().tolist() == [
        ["f", 5, 5, 0],
        ["m", 6, 6, 0],
    ]
    assert sex["sampling_sd"].tolist() == pytest.approx([(11 * (5 / 11) * (6 / 11)) ** 0.5] * 2)
    age = frame[frame["variable"] == "age"].set_index("level")
    assert age["original"].to_dict() == people["age"].astype(str).value_counts().to_dict()
    assert age["original_minus_released"].equals(age["original"] - age["released"])
    assert age["original_share"].sum() == pytest.approx(1)
    # age 4 is one cell of block f: its count varies as that cell's does
    f, m = {1: 3, 2: 1}, {1: 3}
    expected = {"4": ifpr_variance(0.8, 2, f), "9": 0}
    expected["1"] = ifpr_variance(0.8, 1, f) + ifpr_variance(0.8, 1, m)
    for level, variance in expected.items():
        assert age.loc[level, "ifpr_sd"] == pytest.approx(variance**0.5)
    assert release.marginals("sex").equals(sex)


def test_the_randomisations_own_sd_by_simulation():
    rows = [(i % 3, i) for i in range(9) for _ in range(1 + i % 2)]
    frame = pd.DataFrame(rows, columns=["a", "b"])
    release = made(frame, ["a", "b"], xi=0.3)
    counts = simulated_counts(release, 20_000, 3)
    level = frame["a"].to_numpy()[release._exchange.first]
    for value, expected in zip((0, 1, 2), release.marginals("a")["ifpr_sd"]):
        assert counts[:, level == value].sum(axis=1).std() == pytest.approx(expected, rel=0.03)


def test_total_variation_distance_from_the_definition(release, people):
    names = ["sex", "age", "income"]
    rows = release.tvd(names, order=[1, 2, 3])
    assert rows["variables"].tolist() == [c for r in (1, 2, 3) for c in combinations(names, r)]
    for row in rows.itertuples():
        tables = (people[list(row.variables)], release.data[list(row.variables)])
        shares = [table.value_counts(normalize=True) for table in tables]
        both = pd.concat(shares, axis=1).fillna(0)
        distance = np.abs(both.iloc[:, 0] - both.iloc[:, 1]).sum() / 2
        assert row.tvd == pytest.approx(distance, abs=EXACT) and row.occupied == len(both)
    assert rows["cells"].tolist() == [2, 5, 11, 10, 22, 55, 110] and rows["tvd"].iloc[0] == 0
    age, both = rows["tvd"].iloc[1], rows["tvd"].iloc[3]
    assert release.tvd("age")["tvd"].tolist() == [age]
    assert release.tvd([["sex", "age"], ["age"]])["tvd"].tolist() == [both, age]
    assert release.tvd()["variables"].tolist() == [("sex", "age")]
    # no event differs by more: the supremum over all sets of ages is attained by those that became
    # more frequent
    levels = sorted(people["age"].unique())
    frames = (people, release.data)
    before, after = (
        f["age"].value_counts(normalize=True).reindex(levels, fill_value=0) for f in frames
    )
    events = [list(event) for r in range(1, 6) for event in combinations(levels, r)]
    assert age == pytest.approx(max(abs(before[e].sum() - after[e].sum()) for e in events))


def test_levels_that_nobody_has_any_more_are_possible_cells():
    release = made(pd.DataFrame({"x": list("uvwxyz"), "y": range(6)}), theta=0.9)
    assert release.data["x"].nunique() < 6
    assert release.tvd(["x", "y"], order=[1, 2])["cells"].tolist() == [6, 6, 36]


SHOWN = """\
IFPR release of 11 records; keys: sex, age
Chance of a correct match among the records under the target's own keys at most xi = 0.3947
(attained in large blocks; lower is safer); theta = 0.8
8 units (72.7 % of records) share their keys with at most 2 in all; 7 of them (63.6 % of records)
have other keys now
2 blocks by sex

Risk by T, the number of units that shared their keys (0 to 1; higher is riskier):
      cells units P(leave)  IR(1)  IR(2) overall worst IR
T = 1     6     6      0.8 0.1754 0.2087  0.1324   0.2143
T = 2     1     2      0.4 0.3667 0.3283  0.2980   0.3667
T > 2     1     3      0.0    NaN    NaN  0.3333   0.3333

IR(a): chance of a correct match when a records are found, theory over all blocks; overall: whatever
is found; worst: over blocks and a. Every block (2) and every cell left as it was meets xi = 0.3947
for all T and a; highest risk 0.3667 (chance of a correct match among the records under the target's
own keys; lower is safer).
Note: In 2 blocks (sex: f; sex: m) a unit is likelier to be under one given other combination of
keys than under its own: an intruder who looks there may do better than xi; use larger blocks or a
larger xi."""


def test_what_is_shown(release):
    changed = int(release.changed.sum())
    assert repr(release) == SHOWN.replace(
        "7 of them (63.6 %", f"{changed} of them ({100 * changed / 11:.1f} %"
    )
    html = release._repr_html_()
    assert "<p>IFPR release of 11 records" in html and '<td class="number">0.3667</td>' in html


def test_sizes_that_do_not_occur_are_not_shown():
    release = made(pd.DataFrame({"a": np.repeat(np.arange(50), 7)}), "a", xi=0.05)
    shown = repr(release)  # nineteen sizes take part, all cells have seven
    by_size = "theta by size: 1: 0.9523, 2: 1.817, 3: 2.602, 4: 3.314, 5: 3.956, 6: 4.533, ...\n"
    assert by_size in shown and "1 block\n" in shown
    assert [line for line in shown.split("\n") if line.startswith("T = ")] == [
        "T = 7    50   350   0.7205 0.0495 0.048   0.041   0.0495"
    ]
    risks = [round(ifpr_risk(release.theta, 7, a, {7: 50}), 4) for a in (1, 2, None)]
    assert risks == [0.0495, 0.048, 0.041]
    table = release.risk_table()
    assert table.index.tolist() == ["whole file", "all blocks"]
    assert table["T=7 IR(1)"].nunique() == 1


def test_an_audit_is_shown_with_theory_beside_it(release):
    audit = release.audit(400, seed=1)
    assert flat(audit).startswith(
        "Chance of a correct match (higher is riskier), 400 runs beside theory; T units in the cell"
        " before, S after; standard errors up to 0.0"
    )
    heading = repr(audit).split("\n")[2].split()
    assert " ".join(heading) == "T=1 theory T=1 T=2 theory T=2 all T theory all T"
    assert "<caption>Chance of" in audit._repr_html_()
    columns = "T S risk matches units theory se sd_of_one_run z"
    assert list(audit.tidy()) == columns.split()


# ---- bad input -----------------------------------------------------------------------

BAD = [
    (dict(theta=1.2), "theta: 1.2 is not a number of at least 0 and of at most 1"),
    (dict(theta=-1), "theta: -1 is not a number of at least 0"),
    (dict(theta=None), "xi, theta: give exactly one"),
    (dict(xi=0.4), "xi, theta: give exactly one"),
    (dict(theta=None, xi=0), "xi: 0 is not a number above 0 and below 1"),
    (dict(theta=None, xi=1), "xi: 1 is not a number above 0 and below 1"),
    (
        dict(theta=None, xi=0.2, max_count=2),
        "max_count: 2 leaves cells of 3 units as they are, where the chance of a correct match is"
        " 1/3, above xi = 0.2; give max_count of at least 4, or leave it out",
    ),
    (dict(theta=None, xi=0.2, scheme="common"), "scheme: one theta for all cells cannot reach xi"),
    (dict(scheme="size"), "scheme: says how theta follows from xi, but theta is given"),
    (dict(theta={1: 0.5}, max_count=2), "theta: has no entry for cells of 2 units"),
    (dict(max_count=0), "max_count: 0 is not a whole number of 1 or more"),
    (dict(max_count="two"), "max_count: 'two' is not a whole number"),
    (dict(keys=["sex", "agee"]), "keys: 'agee' is not a column of the original data; did you mean"),
    (dict(keys=[]), "keys: none given; name at least one column"),
    (dict(keys=["sex", "sex"]), "keys: 'sex' is given more than once"),
    (dict(keys=9), "keys: 9 is not the position of a column"),
    (dict(seed="x"), "seed: str cannot be used"),
    (
        dict(small_blocks="drop"),
        "small_blocks: 'drop' is unknown; choices: 'merge', 'error', 'keep'",
    ),
    (dict(original=[1, 2]), "original: list is not a DataFrame of pandas, polars or Arrow"),
    (dict(original=pd.DataFrame({"sex": []})), "original: has no rows, so there is nobody"),
]


@pytest.mark.parametrize("given, says", BAD, ids=[str(g)[1:30] for g, _ in BAD])
def test_bad_input_is_named(people, given, says):
    with pytest.raises(InputError) as error:
        ifpr(**({"original": people, "keys": ["sex", "age"], "theta": 0.5} | given))
    assert says in str(error.value)


ASKED = [
    (lambda r: r.verify(2), "xi: 2 is not a number above 0 and below 1"),
    (lambda r: r.audit(0), "runs: 0 is not a whole number of 1 or more"),
    (lambda r: r.audit(3, max_s=0), "max_s: 0 is not a whole number"),
    (lambda r: r.risk_table(0), "max_a: 0 is not a whole number"),
    (lambda r: r.marginals("income"), "variables: 'income' is not a column of the keys"),
    (lambda r: r.tvd("incom"), "variables: 'incom' is not a column of the data; did you mean"),
    (lambda r: r.tvd(["sex"], order=2), "order: 2 variables in a table, but 1 given"),
    (lambda r: r.plot("pie"), "kind: 'pie' is unknown; choices: 'risk', 'design'"),
]


@pytest.mark.parametrize("ask, says", ASKED, ids=[s[:20] for _, s in ASKED])
def test_bad_questions_are_named(release, ask, says):
    with pytest.raises(InputError) as error:
        ask(release)
    assert says in str(error.value)


# ---- large and real data -------------------------------------------------------------


def test_a_million_records_in_seconds():
    rng = np.random.default_rng(1)
    n = 1_000_000
    frame = pd.DataFrame({"a": rng.integers(0, 2, n), "b": rng.integers(0, 90, n)})
    frame = frame.assign(c=rng.geometric(0.01, n), d=rng.geometric(0.02, n), v=rng.random(n))
    started = perf_counter()
    release = made(frame, list("abcd"), xi=0.395, blocks=["a", {"b": [18, 25, 35, 45, 55, 65]}])
    assert perf_counter() - started < 10  # about 0.4 s, so only a change of method can pass it
    assert release.changed.sum() > 100_000 and release.verify().ok


BANDS = {"age": [25, 35, 45, 55, 65]}
REAL = [
    ("SD2011", ["sex", "age", "region", "placesize"], ["sex", BANDS]),
    ("Adult", ["age", "occupation", "race", "sex"], ["sex", "race", BANDS]),
]


@pytest.mark.parametrize("name, keys, blocks", REAL)
def test_real_data(name, keys, blocks):
    data = datasets.load(name)
    for xi in (0.6, 0.395, 0.25):
        release = made(data, keys, xi=xi, blocks=blocks)
        assert release.verify().ok and release.data["sex"].equals(data["sex"])
        assert release.data.drop(columns=keys).equals(data.drop(columns=keys))
        audit = release.audit(30, seed=2).tidy()
        assert (audit[audit["units"] > 100]["z"].abs() < Z).all()
