"""`key_risk()`: by hand on five people, against `disclosure()` on every subset, and what must hold
for any data.
"""

from __future__ import annotations

import dataclasses
import json
from functools import lru_cache
from itertools import combinations
from time import perf_counter

import numpy as np
import pandas as pd
import pytest

from synthpop_py import InputError, KeyRisk, SynDS, datasets, disclosure, key_risk

EXACT = 1e-9  # percentages from the same whole numbers; only the order of the divisions differs
LONGEST = 10.0  # seconds for 255 subsets; about 0.1 here, so only a change of method can pass it

CANDIDATES = ["sex", "age", "region", "placesize", "income", "marital", "depress", "ls"]


PEOPLE = pd.DataFrame({"sex": list("fmffm"), "town": list("AABBC"), "job": list("xyxyy")})
FAKE = pd.DataFrame({"sex": list("fmffm"), "town": list("AABBB"), "job": list("xxyxy")})


@pytest.fixture(scope="module")
def risk() -> KeyRisk:
    return key_risk(FAKE, PEOPLE, ["sex", "town"], "job")


@pytest.fixture(scope="module")
def sd2011() -> pd.DataFrame:
    return datasets.load("SD2011")


def random_frame(rng: np.random.Generator, n: int) -> pd.DataFrame:
    """Keys of every kind, each with gaps."""
    columns = {
        "text": rng.choice(["a", "b", "c"], n).astype(object),
        "whole": rng.integers(0, 4, n),
        "real": rng.choice([0.5, 1.5, np.nan], n),
        "kind": pd.Categorical.from_codes(rng.integers(-1, 3, n), ["u", "v", "w"]),
        "wide": rng.integers(0, 10**9, n) // 10**8 * 10**8,
        "t1": rng.choice(["x", "y", None], n),
        "t2": rng.choice([1.0, 2.0, 3.0, np.nan], n),
    }
    frame = pd.DataFrame(columns)
    frame.loc[rng.random(n) < 0.2, "text"] = None
    return frame


@lru_cache
def tidy_of(found: KeyRisk) -> pd.DataFrame:
    return found.tidy().set_index(["rank", "measure", "target"]).sort_index()


def assert_agrees(found: KeyRisk, sets, original, keys, target, **how) -> None:
    """A row has the figures of `disclosure()`."""
    how |= {"compat": "corrected", "print_flag": False}
    correct = disclosure(sets, original, list(keys), target, **how)
    row = found.of(keys)
    figures = [row["UiO"], row["repU"], row[f"DiSCO {target}"]]
    exact = correct.ident.UiO.mean(), correct.ident.repU.mean(), correct.attrib.DiSCO.mean()
    assert figures == pytest.approx(exact, abs=EXACT)
    tidy = tidy_of(found)
    unique = [shares["UiS"].numerator for shares in correct.shares]
    counted = tidy["numerator"].xs((row.name, "UiS"), level=(0, 1)).iloc[0]
    assert counted == pytest.approx(np.mean(unique), abs=EXACT)
    spread = tidy.loc[(row.name, "DiSCO", target), ["min", "max"]].astype(float).tolist()
    disco = correct.attrib.DiSCO
    assert spread == pytest.approx([disco.min(), disco.max()], abs=EXACT)


def subsets(names):
    return [s for size in range(1, len(names) + 1) for s in combinations(names, size)]


# ---- by hand -------------------------------------------------------------------------


def test_five_people_by_hand(risk):
    # f,A and m,A and m,C are alone; the first two are in the fake data, once each, and f,A with the
    # correct job. By town: only C is alone, not in the fake data; all fake records of A have job x,
    # correct for one of two.
    assert risk.table["keys"].tolist() == [("sex", "town"), ("town",), ("sex",)]
    assert risk.table["size"].tolist() == [2, 1, 1] and list(risk.table.index) == [1, 2, 3]
    figures = risk.table[["UiO", "repU", "DiSCO job"]].to_numpy()
    assert figures == pytest.approx(np.array([[60, 40, 20], [20, 0, 20], [0, 0, 0]]))
    # town joins nothing: 0 to 20, joins sex: 0 to 60. sex joins nothing: 0 to 0, joins town: 20 to
    # 60.
    added = risk.marginal()
    assert added.index.tolist() == ["town", "sex"]
    assert added.to_numpy() == pytest.approx(np.array([[20, 40, 20, 60, 2], [0, 20, 0, 40, 2]]))


def test_tidy_has_numerators_and_spread():
    two = key_risk([FAKE, FAKE.assign(town="B")], PEOPLE, ["sex", "town"], "job")
    tidy = two.tidy()
    names = "rank keys size measure target value min max unit numerator denominator"
    assert " ".join(tidy) == names
    rows = tidy[tidy["rank"] == 1]
    assert rows["measure"].tolist() == ["UiO", "UiS", "repU", "DiSCO"]
    assert rows["target"].tolist() == [None, None, None, "job"]
    # in the second synthesis all live in B, so nobody of A is found, and the jobs of f,B (x, y, x)
    # and m,B (x, y) are not certain. f,A and m,A and m,B are unique in the first, nobody in the
    # second
    expected = np.array([[60, 60, 60, 3], [30, 0, 60, 1.5], [20, 0, 40, 1], [10, 0, 20, 0.5]])
    assert rows[["value", "min", "max", "numerator"]].to_numpy() == pytest.approx(expected)
    assert (
        " ".join(unit.split()[2] for unit in rows["unit"]) == "original synthetic" + 2 * " original"
    )
    assert set(tidy["denominator"]) == {5}
    assert two.of(["sex", "town"])["repU"] == 20 and two.m == 2


def test_a_dictionary_that_json_can_hold(risk):
    content = json.loads(json.dumps(risk.to_dict()))
    figures = dict(zip(content["figures"]["columns"], content["figures"]["values"]))
    assert figures["keys"][:4] == [["sex", "town"]] * 4
    assert figures["measure"][:4] == ["UiO", "UiS", "repU", "DiSCO"]
    assert figures["value"][:4] == [60, 60, 40, 20] and figures["numerator"][:4] == [3, 3, 2, 1]
    assert content["candidates"] == ["sex", "town"] and content["Norig"] == 5


SHOWN = """\
Risk of 3 sets from 2 candidate keys; 5 original records, 1 synthesis

All sets of keys, in % of original records (higher is riskier):
          size UiO repU DiSCO job
sex, town    2  60   40        20
town         1  20    0        20
sex          1   0    0         0

Smallest sets that make at least 50 % of the original records unique: sex, town.
town adds most to UiO: 40.00 percentage points on average when it joins a set (.marginal() has all
candidates)."""


def test_what_is_shown(risk, sd2011):
    assert repr(risk) == str(risk) == SHOWN
    html = risk._repr_html_()
    assert '<th scope="row">sex, town</th><td class="number">2</td>' in html
    s1 = datasets.load_synthesis("SD2011_s1")
    shown = repr(key_risk(s1, sd2011, CANDIDATES[:4], max_keys=3))
    assert "The 10 riskiest sets" in shown and "and 4 more in .table" in shown
    assert "sets of up to 3 from 4" in shown and "No set makes 50 %" in shown
    with pytest.raises(dataclasses.FrozenInstanceError):
        risk.max_keys = 1


# ---- against disclosure() ------------------------------------------------------------


@pytest.mark.parametrize("seed, n, m", [(1, 12, 1), (2, 30, 1), (3, 60, 2), (4, 200, 3)])
def test_every_subset_agrees_with_disclosure(seed, n, m):
    rng = np.random.default_rng(seed)
    original, sets = random_frame(rng, n), [random_frame(rng, n + 7 * j) for j in range(m)]
    names = ["text", "whole", "real", "kind", "wide"]
    found = key_risk(sets, original, names, ["t1", "t2"])
    assert len(found.table) == 31
    for keys in subsets(names):
        for target in ("t1", "t2"):
            assert_agrees(found, sets, original, keys, target)


@pytest.mark.parametrize("name", ["SD2011_s1", "SD2011_s5"])
def test_subsets_of_sd2011_agree_with_disclosure(name, sd2011):
    synthesis = datasets.load_synthesis(name)
    started = perf_counter()
    found = key_risk(synthesis, sd2011, CANDIDATES, "workab")
    assert len(found.table) == 255 and perf_counter() - started < LONGEST
    several = ["sex", "age", "region", "placesize"], ["ls", "depress", "age"]
    for keys in (["sex"], ["income"], *several, CANDIDATES[1:], CANDIDATES):
        assert_agrees(found, synthesis, sd2011, keys, "workab")


def test_grouping_is_that_of_disclosure(sd2011):
    synthesis = datasets.load_synthesis("SD2011_s1")  # its income has the special value -8
    groups, classes = {"sex": 0, "income": 6, "age": 8}, {"marital": 0, "depress": 3}
    asked = {"ngroups_keys": [*groups.values()], "ngroups_target": [*classes.values()]}
    found = key_risk(synthesis, sd2011, [*groups], [*classes], style="equal", **asked)
    for keys in (["income"], ["age", "income"], ["sex", "income", "age"]):
        for target, n in classes.items():
            how = {"ngroups_keys": [groups[key] for key in keys], "ngroups_target": n}
            assert_agrees(found, synthesis, sd2011, keys, target, style="equal", **how)


@pytest.mark.parametrize("n, levels", [(4_000, 3), (4_000, 40), (40_000, 4)])
def test_of_many_records_every_set_agrees_with_disclosure(n, levels):
    """So many that rows which are one to all later keys are counted together."""
    rng = np.random.default_rng(7)
    sizes = {"a": levels, "b": levels, "c": 3, "d": 2, "e": 2}

    def frame(rows):
        return pd.DataFrame({name: rng.integers(0, k, rows) for name, k in sizes.items()})

    original, synthetic = frame(n), [frame(n - 100), frame(n)]
    found = key_risk(synthetic, original, list("abcd"), "e")
    for keys in subsets("abcd"):
        assert_agrees(found, synthetic, original, keys, "e")


def test_missing_is_a_level():
    original = pd.DataFrame({"a": ["x", "x", None, "Missing"], "b": [1.0, np.nan, 2.0, 2.0]})
    found = key_risk(original, original, ["a", "b"])
    # None and the text Missing are two levels: two people alone by a; by b the 1 and the gap
    assert [found.of(k)["UiO"] for k in ("a", "b", ["a", "b"])] == [50, 50, 100]
    assert found.of("a")["repU"] == 50
    gaps = original.assign(a=["x", None, None, None], b=[2.0, np.nan, np.nan, np.nan])
    nowhere = key_risk(gaps, original, ["a", "b"])
    assert nowhere.table["repU"].tolist() == [0, 0, 0]


def test_a_missing_target_can_be_learnt():
    original = pd.DataFrame({"a": [1, 1, 2], "t": ["x", None, None]})
    synthetic = pd.DataFrame({"a": [1, 2, 2], "t": ["x", None, None]})
    assert key_risk(synthetic, original, "a", "t").of("a")["DiSCO t"] == pytest.approx(200 / 3)


# ---- what holds for any data ---------------------------------------------------------


@pytest.fixture(scope="module")
def big(sd2011) -> KeyRisk:
    return key_risk(datasets.load_synthesis("SD2011_s5"), sd2011, CANDIDATES, "workab")


def test_a_further_key_never_lowers_uio(big):
    uio = {frozenset(k): v for k, v in zip(big.table["keys"], big.table["UiO"])}
    assert all(uio[keys] >= uio[keys - {key}] for keys in uio if len(keys) > 1 for key in keys)


def test_ordered_by_risk(big):
    order = [
        (-r, -d, -u)
        for r, d, u in big.table[["repU", "DiSCO workab", "UiO"]].round(9).itertuples(index=False)
    ]
    assert order == sorted(order)


def test_among_equals_the_smaller_set_first_then_the_candidates_order():
    frame = pd.DataFrame({"b": [1, 1], "a": [1, 1], "c": [2, 2]})
    ranked = key_risk(frame, frame, ["b", "a", "c"]).table["text"]
    assert " | ".join(ranked) == "b | a | c | b, a | b, c | a, c | b, a, c"


SHARES = [(0.5, "UiO"), (0.02, "UiO"), (0.99, "UiO"), (0.1, "repU"), (0.4, "DiSCO")]


@pytest.mark.parametrize("share, measure", [*SHARES, (0.6, "DiSCO workab")])
def test_smallest_are_all_the_minimal_sets(big, share, measure):
    column = "DiSCO workab" if measure == "DiSCO" else measure
    reach = {
        frozenset(k)
        for k, v in zip(big.table["keys"], big.table[column])
        if v >= 100 * share - EXACT
    }
    minimal = {keys for keys in reach if not any(other < keys for other in reach)}
    found = big.smallest(share, measure)
    assert {frozenset(k) for k in found["keys"]} == minimal and len(found) == len(minimal)
    order = list(zip(found["size"], -found[column]))
    assert order == sorted(order) and (found[column] >= 100 * share - EXACT).all()


def test_smallest_sets_by_hand(risk):
    assert risk.smallest(0.2)["text"].tolist() == ["town"]
    assert risk.smallest(0.6)["text"].tolist() == ["sex, town"]  # exactly three of five
    assert risk.smallest(0.61).empty and list(risk.smallest(0.61)) == list(risk.table)


@pytest.mark.parametrize("k, n", [(7, 100), (1, 3), (29, 100), (57, 99), (5, 7)])
def test_a_share_that_is_met_exactly_is_met(k, n):
    frame = pd.DataFrame({"a": [*range(k), *[-1] * (n - k)]})  # k people alone, the others alike
    risk = key_risk(frame, frame, "a")
    assert len(risk.smallest(k / n)) == 1 and risk.smallest((k + 0.5) / n).empty


def test_max_keys_limits_the_sets_and_changes_no_figure(big, sd2011):
    few = key_risk(datasets.load_synthesis("SD2011_s5"), sd2011, CANDIDATES, "workab", max_keys=2)
    assert len(few.table) == 36 and few.max_keys == 2
    for keys in few.table["keys"]:
        assert few.of(keys).iloc[2:].tolist() == big.of(keys).iloc[2:].tolist()
    assert few.marginal()["sets"].tolist() == [8] * 8


def test_rows_in_another_order_change_nothing(sd2011):
    synthesis = datasets.load_synthesis("SD2011_s1").syn[0]
    one = key_risk(synthesis, sd2011, CANDIDATES[:5], "ls").table
    shuffled = (frame.sample(frac=1, random_state=1) for frame in (synthesis, sd2011))
    pd.testing.assert_frame_equal(one, key_risk(*shuffled, CANDIDATES[:5], "ls").table)


def test_ways_to_name_columns():
    before = PEOPLE.copy(), FAKE.copy()
    assert key_risk(SynDS(FAKE), PEOPLE, {"town", "sex"}).candidates == ("sex", "town")
    assert key_risk(FAKE, PEOPLE, [2, 1], 3).candidates == ("town", "sex")
    odd = {"sex": ("a", 1), "town": 7}
    risk = key_risk(FAKE.rename(columns=odd), PEOPLE.rename(columns=odd), [("a", 1), 7], "job")
    assert risk.of([7, ("a", 1)])["UiO"] == 60 and risk.of(("a", 1))["UiO"] == 0
    assert risk.marginal().index.tolist() == [7, ("a", 1)]
    assert json.dumps(risk.to_dict()) and "('a', 1), 7" in repr(risk)
    pd.testing.assert_frame_equal(PEOPLE, before[0])
    pd.testing.assert_frame_equal(FAKE, before[1])


def test_one_person_is_alone_whatever_is_known():
    one = pd.DataFrame({"a": [1], "b": [2]})
    risk = key_risk(one, one, ["a", "b"])
    assert risk.table["UiO"].tolist() == [100, 100, 100]
    assert risk.marginal()["mean_increase"].tolist() == [0, 0]


# ---- bad input -----------------------------------------------------------------------

WIDE = pd.DataFrame(np.zeros((2, 20), dtype=int), columns=[f"v{i}" for i in range(20)])
BAD = [
    (dict(candidates=["sex", "twon"]), "candidates: 'twon' is not a column of the original data"),
    (dict(candidates=[]), "candidates: none given; name at least one column"),
    (dict(candidates=["sex", 1]), "candidates: 'sex' is given more than once"),
    (dict(candidates=[4]), "candidates: 4 is not the position of a column"),
    (dict(target="town"), "target: 'town' is also one of the candidates"),
    (dict(target=[]), "target: none given"),
    (
        dict(target="jobb"),
        "target: 'jobb' is not a column of the original data; did you mean 'job'",
    ),
    (dict(max_keys=0), "max_keys: 0 is not a whole number of 1 or more"),
    (dict(max_keys=1.5), "max_keys: 1.5 is not a whole number"),
    (dict(ngroups_keys=[2, 2, 2]), "ngroups_keys: 3 values given"),
    (dict(print_flag="yes"), "print_flag: 'yes' is neither True nor False"),
    (dict(synthetic=3), "synthetic: int cannot be used"),
    (dict(original=[1]), "original: list cannot be the original data"),
    (dict(original=PEOPLE.head(0)), "original: has no rows"),
    (
        dict(synthetic=[FAKE, FAKE.drop(columns="town")]),
        "candidates: 'town' is not a column of synthetic data set 2",
    ),
    (
        dict(synthetic=WIDE, original=WIDE, candidates=list(WIDE)),
        "candidates: 1,048,575 subsets of up to 20 keys, more than 100,000; give a smaller",
    ),
]


@pytest.mark.parametrize("given, says", BAD)
def test_bad_input_is_named(given, says):
    usual = {"synthetic": FAKE, "original": PEOPLE, "candidates": ["sex", "town"]}
    with pytest.raises(InputError) as error:
        key_risk(**(usual | given))
    assert says in str(error.value)


def test_a_misspelt_argument_is_an_error_of_python():
    with pytest.raises(TypeError, match="styel"):
        key_risk(FAKE, PEOPLE, ["sex"], styel="equal")


@pytest.mark.parametrize(
    "ask, says",
    [
        (
            lambda r: r.of("job"),
            "keys: 'job' is not a column of the candidates; choices: sex, town",
        ),
        (lambda r: r.of([]), "keys: 0 given; sets of 1 to 2 were searched"),
        (lambda r: r.smallest(2), "share: 2 is not a number above 0"),
        (lambda r: r.smallest(0.5, "UiS"), "measure: 'UiS' is unknown; choices: 'UiO', 'repU', 'D"),
    ],
)
def test_bad_questions_are_named(risk, ask, says):
    with pytest.raises(InputError) as error:
        ask(risk)
    assert says in str(error.value)


# ---- for other people ----------------------------------------------------------------


def test_pages_show_rounded_counts_and_no_exact_decisions():
    number = np.arange(1000)
    people = pd.DataFrame(
        {
            "k": np.where(number < 5, number, 5),
            "u": np.where(number < 400, number, number % 3 + 400),
        }
    )
    result = key_risk(people, people, ["k", "u"])
    # 5 people are unique on k: 39.75 is the mean of 40 and 40 - 0.5
    assert result.marginal().loc["u", "mean_increase"] == pytest.approx(39.75)
    for shown in (result.to_markdown(), result.to_html()):
        assert "39.75" not in shown and "adds most" not in shown and "Smallest sets" not in shown
        assert "400 (40.0 %)" in shown
    assert "u adds most to UiO: 39.75 percentage points" in result.to_markdown(round_to=1)
    assert "of up to" not in repr(result)


def test_pages_show_means_of_rounded_counts():
    """Of 100 people 14 are replicated in one set and 16 in the other: shown as 10 and 20, so 15,
    where 20 would be the mean rounded.
    """
    people = pd.DataFrame({"k": range(100)})
    sets = [pd.DataFrame({"k": [*range(n), *range(200, 250)]}) for n in (14, 16)]
    result = key_risk(sets, people, "k")
    assert result.table["repU"].tolist() == [15.0]
    assert "| k | nearly all | 15 (15 %) |" in result.to_markdown()
    assert "| k | 1 | 100 | 15 |" in result.to_markdown(round_to=1)


def test_of_few_people_pages_show_no_figure(risk):
    assert "No figures are shown" in risk.to_html() and "repU" not in risk.to_html()
    assert "exact figures, not for release" in risk.to_markdown(round_to=1)
