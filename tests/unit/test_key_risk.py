"""`key_risk()`: by hand on five people, against `disclosure()` on every subset, and what must hold
for any data.
"""

from __future__ import annotations

import dataclasses
import json
from itertools import combinations
from time import perf_counter

import numpy as np
import pandas as pd
import pytest

from synthpop_py import InputError, KeyRisk, SynDS, datasets, disclosure, key_risk

EXACT = 1e-9  # percentages from the same whole numbers; only the order of the divisions differs
LONGEST = 10.0  # seconds for 255 subsets; about 0.1 here, so only a change of method can pass it

CANDIDATES = ["sex", "age", "region", "placesize", "income", "marital", "depress", "ls"]


@pytest.fixture(scope="module")
def people() -> pd.DataFrame:
    return pd.DataFrame(
        {
            "sex": ["f", "m", "f", "f", "m"],
            "town": ["A", "A", "B", "B", "C"],
            "job": ["x", "y", "x", "y", "y"],
        }
    )


@pytest.fixture(scope="module")
def fake() -> pd.DataFrame:
    return pd.DataFrame(
        {
            "sex": ["f", "m", "f", "f", "m"],
            "town": ["A", "A", "B", "B", "B"],
            "job": ["x", "x", "y", "x", "y"],
        }
    )


@pytest.fixture(scope="module")
def risk(people, fake) -> KeyRisk:
    return key_risk(fake, people, ["sex", "town"], "job")


@pytest.fixture(scope="module")
def sd2011() -> pd.DataFrame:
    return datasets.load("SD2011")


def random_frame(rng: np.random.Generator, n: int) -> pd.DataFrame:
    """Keys of every kind, each with gaps."""
    frame = pd.DataFrame(
        {
            "text": rng.choice(["a", "b", "c"], n).astype(object),
            "whole": rng.integers(0, 4, n),
            "real": rng.choice([0.5, 1.5, np.nan], n),
            "kind": pd.Categorical.from_codes(rng.integers(-1, 3, n), ["u", "v", "w"]),
            "wide": rng.integers(0, 10**9, n) // 10**8 * 10**8,
            "t1": rng.choice(["x", "y", None], n),
            "t2": rng.choice([1.0, 2.0, 3.0, np.nan], n),
        }
    )
    frame.loc[rng.random(n) < 0.2, "text"] = None
    return frame


def subsets(names):
    return [s for size in range(1, len(names) + 1) for s in combinations(names, size)]


# ---- by hand -------------------------------------------------------------------------


def test_five_people_by_hand(risk):
    # f,A and m,A and m,C are alone; the first two are in the fake data, once each, and f,A with the
    # correct job.
    # By town: only C is alone, not in the fake data; all fake records of A have job x, correct for
    # one of two.
    assert risk.table["keys"].tolist() == [("sex", "town"), ("town",), ("sex",)]
    assert risk.table["text"].tolist() == ["sex, town", "town", "sex"]
    assert risk.table["size"].tolist() == [2, 1, 1]
    assert risk.table[["UiO", "repU", "DiSCO job"]].to_numpy() == pytest.approx(
        np.array([[60, 40, 20], [20, 0, 20], [0, 0, 0]])
    )
    assert list(risk.table.index) == [1, 2, 3]


def test_what_each_candidate_adds_by_hand(risk):
    # town joins nothing: 0 to 20, joins sex: 0 to 60. sex joins nothing: 0 to 0, joins town: 20 to
    # 60.
    added = risk.marginal()
    assert added.index.tolist() == ["town", "sex"]
    assert added.to_numpy() == pytest.approx(np.array([[20, 40, 20, 60, 2], [0, 20, 0, 40, 2]]))


def test_tidy_has_numerators_and_spread(people, fake):
    two = key_risk([fake, fake.assign(town="B")], people, ["sex", "town"], "job")
    tidy = two.tidy()
    assert list(tidy) == [
        "rank",
        "keys",
        "size",
        "measure",
        "target",
        "value",
        "min",
        "max",
        "unit",
        "numerator",
        "denominator",
    ]
    rows = tidy[tidy["rank"] == 1]
    assert rows["measure"].tolist() == ["UiO", "UiS", "repU", "DiSCO"]
    assert rows["target"].tolist() == [None, None, None, "job"]
    # in the second synthesis all live in B, so nobody of A is found, and the jobs of f,B (x, y, x)
    # and m,B (x, y) are not certain. f,A and m,A and m,B are unique in the first, nobody in the
    # second
    assert rows[["value", "min", "max", "numerator"]].to_numpy() == pytest.approx(
        np.array([[60, 60, 60, 3], [30, 0, 60, 1.5], [20, 0, 40, 1], [10, 0, 20, 0.5]])
    )
    units = ["% of original records", "% of synthetic records"]
    assert rows["unit"].tolist() == [units[0], units[1], units[0], units[0]]
    assert set(tidy["denominator"]) == {5}
    assert two.of(["sex", "town"])["repU"] == 20 and two.m == 2


def test_a_dictionary_that_json_can_hold(risk):
    content = json.loads(json.dumps(risk.to_dict()))
    assert content["subsets"][0] == {
        "keys": ["sex", "town"],
        "percent": {"UiO": 60.0, "repU": 40.0, "DiSCO job": 20.0},
        "records": {"UiO": [3], "repU": [2], "DiSCO job": [1]},
    }
    assert (
        content["candidates"] == ["sex", "town"]
        and content["Norig"] == 5
        and content["unit"] == "% of original records"
    )


SHOWN = """\
Risk of 3 sets from 2 candidate keys; 5 original records, 1 synthesis

All sets of keys, in % of original records (higher is riskier):
          size UiO repU DiSCO job
sex, town    2  60   40        20
town         1  20    0        20
sex          1   0    0         0

Smallest sets that make at least 50 % of the original records unique (UiO): sex, town.
town adds most to UiO: 40.00 percentage points on average when it joins a set; sex adds least:
20.00.
Next: see the first set in detail with disclosure(object, data, keys=['sex', 'town'], target='job',
compat='corrected'), and coarsen or drop the candidates that add most (.marginal())."""


def test_what_is_shown(risk, capsys):
    assert repr(risk) == str(risk) == SHOWN
    risk.print(digits=0)
    assert "town adds most to UiO: 40 percentage points" in capsys.readouterr().out
    html = risk._repr_html_()
    assert (
        '<th scope="row">sex, town</th><td class="number">2</td><td class="number">60</td>' in html
        and "Smallest sets" in html
    )


def test_only_the_ten_riskiest_are_shown(sd2011):
    shown = repr(key_risk(datasets.load_synthesis("SD2011_s1"), sd2011, CANDIDATES[:4], max_keys=3))
    assert (
        "The 10 riskiest sets" in shown
        and "and 4 more in .table" in shown
        and "sets of up to 3 from 4" in shown
    )
    assert "No set makes 50 %" in shown and "target=...," in shown


def test_one_line_when_asked(people, fake, capsys):
    key_risk(fake, people, "sex")
    assert capsys.readouterr().out == ""
    key_risk(fake, people, "sex", print_flag=True)
    assert capsys.readouterr().out.startswith("1 subsets of 1 candidate keys in ")


def test_the_result_cannot_be_changed(risk):
    with pytest.raises(dataclasses.FrozenInstanceError):
        risk.share = 1


# ---- against disclosure() ------------------------------------------------------------


@pytest.mark.parametrize("seed, n, m", [(1, 12, 1), (2, 30, 1), (3, 60, 2), (4, 200, 3)])
def test_every_subset_agrees_with_disclosure(seed, n, m):
    rng = np.random.default_rng(seed)
    original, sets = random_frame(rng, n), [random_frame(rng, n + 7 * j) for j in range(m)]
    names = ["text", "whole", "real", "kind", "wide"]
    found = key_risk(sets, original, names, ["t1", "t2"])
    assert len(found.table) == 31
    tidy = found.tidy().set_index(["rank", "measure", "target"])
    counted = found.tidy().query("measure == 'UiS'").set_index(["rank", "measure"])["numerator"]
    for keys in subsets(names):
        row = found.of(keys)
        for target in ("t1", "t2"):
            correct = disclosure(
                sets, original, list(keys), target, compat="corrected", print_flag=False
            )
            assert [row["UiO"], row["repU"], row[f"DiSCO {target}"]] == pytest.approx(
                [correct.ident.UiO.mean(), correct.ident.repU.mean(), correct.attrib.DiSCO.mean()],
                abs=EXACT,
            )
            unique = [shares["UiS"].numerator for shares in correct.shares]
            assert counted.loc[(row.name, "UiS")] == pytest.approx(np.mean(unique), abs=EXACT)
            spread = tidy.loc[(row.name, "DiSCO", target), ["min", "max"]].astype(float).tolist()
            assert spread == pytest.approx(
                [correct.attrib.DiSCO.min(), correct.attrib.DiSCO.max()], abs=EXACT
            )


@pytest.mark.parametrize("name", ["SD2011_s1", "SD2011_s5"])
def test_subsets_of_sd2011_agree_with_disclosure(name, sd2011):
    synthesis = datasets.load_synthesis(name)
    found = key_risk(synthesis, sd2011, CANDIDATES, "workab")
    for keys in (
        ["sex"],
        ["income"],
        ["sex", "age", "region", "placesize"],
        ["ls", "depress", "age"],
        CANDIDATES[1:],
        CANDIDATES,
    ):
        correct = disclosure(
            synthesis, sd2011, keys, "workab", compat="corrected", print_flag=False
        )
        row = found.of(keys)
        assert [row["UiO"], row["repU"], row["DiSCO workab"]] == pytest.approx(
            [correct.ident.UiO.mean(), correct.ident.repU.mean(), correct.attrib.DiSCO.mean()],
            abs=EXACT,
        )


def test_grouping_is_that_of_disclosure(sd2011):
    synthesis = datasets.load_synthesis("SD2011_s1")  # its income has the special value -8
    found = key_risk(
        synthesis,
        sd2011,
        ["sex", "income", "age"],
        ["marital", "depress"],
        ngroups_keys=[0, 6, 8],
        ngroups_target=[0, 3],
        style="equal",
    )
    for keys, groups in (
        (["income"], [6]),
        (["age", "income"], [8, 6]),
        (["sex", "income", "age"], [0, 6, 8]),
    ):
        for target, classes in (("marital", 0), ("depress", 3)):
            correct = disclosure(
                synthesis,
                sd2011,
                keys,
                target,
                ngroups_keys=groups,
                ngroups_target=classes,
                style="equal",
                compat="corrected",
                print_flag=False,
            )
            row = found.of(keys)
            assert [row["UiO"], row["repU"], row[f"DiSCO {target}"]] == pytest.approx(
                [correct.ident.UiO[1], correct.ident.repU[1], correct.attrib.DiSCO[1]], abs=EXACT
            )


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
    assert key_risk(frame, frame, ["b", "a", "c"]).table["text"].tolist() == [
        "b",
        "a",
        "c",
        "b, a",
        "b, c",
        "a, c",
        "b, a, c",
    ]


@pytest.mark.parametrize(
    "share, measure",
    [
        (0.5, "UiO"),
        (0.02, "UiO"),
        (0.99, "UiO"),
        (0.1, "repU"),
        (0.4, "DiSCO"),
        (0.6, "DiSCO workab"),
    ],
)
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


def test_smallest_takes_the_share_of_the_call(people, fake):
    risk = key_risk(fake, people, ["sex", "town"], share=0.2)
    assert risk.smallest()["text"].tolist() == ["town"]
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
    other = key_risk(
        synthesis.sample(frac=1, random_state=1),
        sd2011.sample(frac=1, random_state=2),
        CANDIDATES[:5],
        "ls",
    ).table
    pd.testing.assert_frame_equal(one, other)


def test_frames_are_not_changed(people, fake):
    before = people.copy(), fake.copy()
    key_risk(SynDS(fake), people, {"town", "sex"}, "job")
    pd.testing.assert_frame_equal(people, before[0])
    pd.testing.assert_frame_equal(fake, before[1])


def test_ways_to_name_columns(people, fake):
    assert key_risk(fake, people, {"town", "sex"}).candidates == ("sex", "town")
    assert key_risk(fake, people, [2, 1], 3).candidates == ("town", "sex")
    odd = {"sex": ("a", 1), "town": 7}
    risk = key_risk(fake.rename(columns=odd), people.rename(columns=odd), [("a", 1), 7], "job")
    assert risk.of([7, ("a", 1)])["UiO"] == 60 and risk.of(("a", 1))["UiO"] == 0
    assert risk.marginal().index.tolist() == [7, ("a", 1)]
    assert json.dumps(risk.to_dict()) and "('a', 1), 7" in repr(risk)


def test_one_person_is_alone_whatever_is_known():
    one = pd.DataFrame({"a": [1], "b": [2]})
    risk = key_risk(one, one, ["a", "b"])
    assert risk.table["UiO"].tolist() == [100, 100, 100] and risk.marginal()[
        "mean_increase"
    ].tolist() == [0, 0]


@pytest.mark.parametrize("name", ["SD2011_s1", "SD2011_s5"])
def test_255_subsets_of_sd2011_in_time(name, sd2011):
    synthesis = datasets.load_synthesis(name)
    started = perf_counter()
    assert len(key_risk(synthesis, sd2011, CANDIDATES, "workab").table) == 255
    assert perf_counter() - started < LONGEST


# ---- bad input -----------------------------------------------------------------------

BAD = [
    (
        dict(candidates=["sex", "twon"]),
        "candidates: 'twon' is not a column of the original data; did you mean 'town'?",
    ),
    (dict(candidates=[]), "candidates: none given; name at least one column"),
    (dict(candidates=None), "candidates: none given"),
    (dict(candidates=["sex", "sex"]), "candidates: 'sex' is given more than once"),
    (dict(candidates=["sex", 1]), "candidates: 'sex' is given more than once"),
    (dict(candidates=[4]), "candidates: 4 is not the position of a column"),
    (dict(target="town"), "target: 'town' is also one of the candidates"),
    (dict(target=[]), "target: none given"),
    (dict(target=["job", "job"]), "target: 'job' is given more than once"),
    (
        dict(target="jobb"),
        "target: 'jobb' is not a column of the original data; did you mean 'job'?",
    ),
    (dict(max_keys=0), "max_keys: 0 cannot be used; give a whole number from 1 to 2"),
    (dict(max_keys=3), "max_keys: 3 cannot be used"),
    (dict(max_keys=1.5), "max_keys: 1.5 cannot be used"),
    (dict(max_keys=True), "max_keys: True cannot be used"),
    (dict(max_keys="all"), "max_keys: 'all' cannot be used"),
    (dict(share=0), "share: 0 is not a number above 0 and of at most 1"),
    (dict(share=50), "share: 50 is not a number above 0 and of at most 1"),
    (dict(share=float("nan")), "share: nan is not a number"),
    (dict(share="half"), "share: 'half' is not a number"),
    (dict(ngroups_keys=[2, 2, 2]), "ngroups_keys: 3 values given"),
    (dict(print_flag="yes"), "print_flag: 'yes' is neither True nor False"),
    (dict(digits=-1), "digits: -1"),
    (dict(synthetic=3), "synthetic: int cannot be used"),
    (dict(synthetic=[]), "synthetic: list cannot be used"),
    (dict(original=[1]), "original: list cannot be the original data"),
]


@pytest.mark.parametrize(
    "given, says", BAD, ids=[next(iter(g)) + f"={str(next(iter(g.values())))[:12]}" for g, _ in BAD]
)
def test_bad_input_is_named(given, says, people, fake):
    with pytest.raises(InputError) as error:
        key_risk(**({"synthetic": fake, "original": people, "candidates": ["sex", "town"]} | given))
    assert says in str(error.value)


def test_too_many_subsets_suggests_max_keys():
    frame = pd.DataFrame(np.zeros((2, 20), dtype=int), columns=[f"v{i}" for i in range(20)])
    with pytest.raises(
        InputError,
        match=(
            r"20 candidates have 1,048,575 subsets .* more than 100,000; max_keys=6 gives 60,459"
        ),
    ):
        key_risk(frame, frame, list(frame))


def test_a_misspelt_argument_is_an_error_of_python(people, fake):
    with pytest.raises(TypeError, match="styel"):
        key_risk(fake, people, ["sex"], styel="equal")


def test_no_rows_and_columns_missing_from_a_synthesis(people, fake):
    with pytest.raises(InputError, match="original: has no rows"):
        key_risk(fake, people.head(0), ["sex"])
    with pytest.raises(
        InputError, match="candidates: 'town' is not a column of synthetic data set 2"
    ):
        key_risk([fake, fake.drop(columns="town")], people, ["town"])


@pytest.mark.parametrize(
    "ask, says",
    [
        (
            lambda r: r.of("job"),
            "keys: 'job' is not a column of the candidates; choices: sex, town",
        ),
        (lambda r: r.of([]), "keys: 0 keys given; subsets of 1 to 2 keys were searched"),
        (lambda r: r.smallest(2), "share: 2 is not a number above 0"),
        (
            lambda r: r.smallest(0.5, "UiS"),
            "measure: 'UiS' is unknown; choices: 'UiO', 'repU', 'DiSCO job'",
        ),
        (lambda r: r.print(digits=99), "digits: 99"),
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


# ---- distinct rows -------------------------------------------------------------------


@pytest.mark.parametrize("n, levels", [(4_000, 3), (4_000, 40), (40_000, 4)])
def test_of_many_records_every_set_agrees_with_disclosure(n, levels):
    """So many that rows which are one to all later keys are counted together."""
    rng = np.random.default_rng(7)
    names = list("abcde")
    sizes = [levels, levels, 3, 2, 2]

    def frame(rows):
        return pd.DataFrame({name: rng.integers(0, k, rows) for name, k in zip(names, sizes)})

    original, synthetic = frame(n), [frame(n - 100), frame(n)]
    found = key_risk(synthetic, original, names[:4], "e")
    tidy = found.tidy().set_index(["rank", "measure"])["value"]
    for keys in subsets(names[:4]):
        correct = disclosure(
            synthetic, original, list(keys), "e", compat="corrected", print_flag=False
        )
        row = found.of(keys)
        assert [row["UiO"], row["repU"], row["DiSCO e"]] == pytest.approx(
            [correct.UiO, correct.repU, correct.DiSCO], abs=EXACT
        )
        unique = np.mean([shares["UiS"].numerator for shares in correct.shares])
        assert tidy[row.name, "UiS"] == pytest.approx(unique / (n - 50) * 100, abs=EXACT)
