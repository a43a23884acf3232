"""Risks on the map: no figure where a figure would look like safety, and what each measure does not
see.
"""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest

from synthpop_py import DataWarning, InputError, datasets
from synthpop_py.ifpr import ifpr
from synthpop_py.masks import add_noise
from synthpop_py.matching import Euclidean
from synthpop_py.ru_map import RUMap, Runs, ru_map
from synthpop_py.ru_map.intervals import MapFigure
from tests.unit.texts import flat

KEYS = ["sex", "age", "region", "placesize"]


def of(result: RUMap, candidate: str, measure: str) -> MapFigure:
    return next(f for f in result.figures if f.candidate == candidate and f.measure == measure)


@pytest.fixture(scope="module")
def sd() -> pd.DataFrame:
    return datasets.load("SD2011")[list(datasets.load_synthesis("SD2011_s5").syn[0])]


# ---- what cannot match ---------------------------------------------------------------


@pytest.fixture(scope="module")
def earners() -> pd.DataFrame:
    generator = np.random.default_rng(0)
    n = 500
    return pd.DataFrame(
        {
            "sex": generator.choice(list("fm"), n),
            "income": generator.lognormal(8, 1, n).round(2),
            "town": generator.choice(list("ABC"), n),
            "job": generator.choice(list("xyz"), n),
        }
    )


def test_one_cent_of_noise_is_not_safety(earners):
    releases = {
        "copy": earners,
        "one cent": add_noise(earners, "income", sd=0.01, seed=1, reproducible=True),
        "strong": Runs(
            [add_noise(earners, "income", ratio=2, seed=i, reproducible=True) for i in range(3)]
        ),
    }
    result = ru_map(
        releases,
        earners,
        keys=["sex", "income", "town"],
        target="job",
        risk=["DiSCO", "repU", "expected_match_rate"],
    )
    for name in ("one cent", "strong"):
        for measure in ("DiSCO", "repU", "expected_match_rate"):
            assert (
                math.isnan(of(result, name, measure).value)
                and "hardly anything, can match" in of(result, name, measure).reason
                and "'income'" in of(result, name, measure).reason
            )
    assert all(
        result.front(measure, "tvd") == ["copy"]
        for measure in ("DiSCO", "repU", "expected_match_rate")
    )
    assert result.table.loc["copy", "expected_match_rate"] > 95


def test_an_intruder_who_takes_near_values_is_compared(earners):
    cent = {"one cent": add_noise(earners, "income", sd=0.01, seed=1, reproducible=True)}
    for near in (
        {"intervals": {"income": 1}},
        {"distance": Euclidean(1, ["income"])},
        {"distance": Euclidean(1)},
    ):
        assert (
            ru_map(
                cent,
                earners,
                keys=["sex", "income", "town"],
                risk="expected_match_rate",
                matching_options=near,
            ).table.iloc[0, 0]
            > 90
        )
    other = {"lower case": cent["one cent"].assign(sex=earners["sex"].str.upper())}
    with pytest.warns(DataWarning, match="'lower case', column 'sex'"):
        result = ru_map(
            other,
            earners,
            keys=["sex", "income", "town"],
            risk="expected_match_rate",
            matching_options={"intervals": {"income": 1}},
        )
    assert "'sex': no value in common" in of(result, "lower case", "expected_match_rate").reason


@pytest.mark.parametrize(
    "change",
    [
        {"age": lambda d: d["age"].astype(float).astype(str)},
        {"sex": lambda d: d["sex"].astype(str).str.lower()},
    ],
)
def test_texts_that_never_agree_have_no_match_rate(sd, change):
    people = sd.assign(age=sd["age"].astype(int).astype(str))  # "57" against "57.0"
    released = people.assign(**{name: make(people) for name, make in change.items()})
    with pytest.warns(DataWarning, match="candidate 'other texts'"):
        result = ru_map({"other texts": released}, people, keys=KEYS, risk="expected_match_rate")
    assert (
        "no value in common" in of(result, "other texts", "expected_match_rate").reason
        and "candidate 'other texts'" in of(result, "other texts", "expected_match_rate").reason
    )
    assert result.front() == []


def test_a_key_that_is_missing_everywhere_is_not_safety(sd):
    result = ru_map(
        {"no age": sd.assign(age=np.nan)},
        sd,
        keys=KEYS,
        target="depress",
        risk=["repU", "DiSCO", "expected_match_rate"],
    )
    assert all(
        of(result, "no age", m).reason.startswith("its key 'age' is missing in every record")
        for m in ("repU", "DiSCO", "expected_match_rate")
    )
    assert (
        ru_map({"no age": sd.assign(age=np.nan)}, sd, keys=["sex", "region"], risk="repU")
        .table["repU"]
        .notna()
        .all()
    )


# ---- the risk that IFPR carries ------------------------------------------------------


@pytest.fixture(scope="module")
def exchanged(sd) -> list:
    return [
        ifpr(sd, KEYS, xi=0.4, blocks=["sex", {"age": [30, 45, 60]}], seed=i, reproducible=True)
        for i in range(3)
    ]


def test_the_theory_of_one_file_is_not_that_of_several(sd, exchanged):
    result = ru_map(
        {
            "one": exchanged[0],
            "list of one": exchanged[:1],
            "list": exchanged,
            "runs": Runs(exchanged),
        },
        sd,
        keys=KEYS,
        risk="IR",
    )
    assert (
        "files released together" in of(result, "list", "IR").reason
        and "Runs" in of(result, "list", "IR").reason
        and "list" not in result.front()
    )
    for name in ("one", "list of one", "runs"):
        assert of(result, name, "IR").value == pytest.approx(
            exchanged[0].risk_table()["worst"].max()
        ) and of(result, name, "IR").method.startswith("exact")


def test_why_files_released_together_have_no_theory(sd, exchanged):
    """What two of three files say alike about a row, where the original has it once, is true far
    more often than IR says.
    """
    keys = [
        frame[KEYS].astype(str).agg("|".join, axis=1).to_numpy()
        for frame in (sd, *(e.data for e in exchanged))
    ]
    once = {value for value, n in pd.Series(keys[0]).value_counts().items() if n == 1}
    first, second = keys[1], keys[2]
    says = (first == second) & np.array([value in once for value in first])
    assert says.sum() > 100 and (first == keys[0])[says].mean() > 0.8  # IR is 0.4


def test_the_worst_of_the_runs_counts(sd, exchanged):
    loose = ifpr(sd, KEYS, xi=0.6, blocks=["sex", {"age": [30, 45, 60]}], seed=1, reproducible=True)
    worst = ru_map({"a": Runs([exchanged[0], loose])}, sd, keys=KEYS, risk="IR").table["IR"].iloc[0]
    assert worst == pytest.approx(loose.risk_table()["worst"].max()) and worst > 0.45


def test_other_keys_and_other_data_have_no_theory(sd, exchanged):
    cut = ifpr(
        sd, KEYS[:3], xi=0.4, blocks=["sex", {"age": [30, 45, 60]}], seed=1, reproducible=True
    )
    made_elsewhere = ifpr(
        datasets.load_synthesis("SD2011_s5").syn[0],
        KEYS,
        xi=0.4,
        blocks=["sex", {"age": [30, 45, 60]}],
        seed=1,
        reproducible=True,
    )
    fewer = ifpr(
        sd.head(4000), KEYS, xi=0.4, blocks=["sex", {"age": [45]}], seed=1, reproducible=True
    )
    result = ru_map(
        {"fewer keys": cut, "elsewhere": made_elsewhere, "fewer": fewer, "turned": exchanged[0]},
        sd,
        keys=KEYS,
        risk="IR",
    )
    assert (
        of(result, "fewer keys", "IR").reason
        == "it was made for the keys sex, age, region; the theory says nothing about an intruder"
        " who knows sex, age, region, placesize"
    )
    assert (
        "made from other data" in of(result, "elsewhere", "IR").reason
        and "made from other data" in of(result, "fewer", "IR").reason
    )
    assert result.front() == ["turned"]
    assert (
        ru_map({"a": exchanged[0]}, sd, keys=KEYS[::-1], risk="IR").table["IR"].notna().all()
    )  # their order does not matter, nor do types
    assert (
        ru_map({"a": exchanged[0]}, sd.astype({"age": "int64"}), keys=KEYS, risk="IR")
        .table["IR"]
        .notna()
        .all()
    )


# ---- what each measure does not see --------------------------------------------------


def test_every_measure_says_what_it_does_not_see(sd):
    names = ["repU", "DiSCO", "repU_any", "DiSCO_any", "expected_match_rate", "IR"]
    result = ru_map(
        {"a": sd}, sd, keys=KEYS, target="depress", risk=names, utility=["tvd", "S_pMSE"]
    )
    assert all(len(result.about(name)[1].blind_to) > 20 for name in [*names, "tvd", "S_pMSE"])
    assert (
        "repeats" in result.about("repU")[1].blind_to
        and "files compared" in result.about("DiSCO")[1].blind_to
        and "near but not equal" in result.about("expected_match_rate")[1].blind_to
    )


def test_a_file_repeated_is_not_safe(sd):
    twice = pd.concat([sd, sd], ignore_index=True)
    half = pd.concat([sd.head(2500), sd.head(2500)], ignore_index=True)
    result = ru_map(
        {"twice": twice, "half": half, "copy": sd},
        sd,
        keys=KEYS,
        target="depress",
        risk=["repU", "repU_any", "DiSCO"],
    )
    for name in ("twice", "half"):
        for measure in ("repU", "repU_any"):
            assert "every record occurs 2 times in it" in of(result, name, measure).reason
    assert (
        result.front() == ["copy"]
        and result.table.loc["twice", "DiSCO"] == result.table.loc["copy", "DiSCO"]
    )  # DiSCO sees it
    assert "twice: has 10,000 records, the original 5,000" in flat(result) and "copy" not in [
        r.candidate for r in result.releases if r.remarks
    ]


def test_repeated_records_are_told(sd):
    drawn = sd.sample(5000, replace=True, random_state=1).reset_index(drop=True)
    result = ru_map({"drawn": drawn, "cart": datasets.load_synthesis("SD2011_s5")}, sd, keys=KEYS)
    remarks = {release.candidate: " ".join(release.remarks) for release in result.releases}
    share = drawn.duplicated(keep=False).mean()
    assert (
        f"{100 * share:.0f} % of its records occur more than once"
        f" ({100 * sd.duplicated(keep=False).mean():.0f} % in the original)"
        in remarks["drawn"]
        and remarks["cart"] == ""
    )
    assert remarks["drawn"] in " ".join(
        result.tidy()["remarks"]
    ) and "of its records occur" in flat(result)


def test_an_original_that_is_repeated_itself_is_no_reason():
    people = pd.DataFrame({"k": [1, 1, 2, 2], "x": list("aabb")})
    assert ru_map({"a": people}, people, keys="k").table["repU"].tolist() == [0]


# ---- several files together ----------------------------------------------------------


def test_what_any_of_the_files_gives_away():
    """Six people, all different in their keys. The first file gives away the job of 1 and 2, the
    second that of 2 and 3: together three of six, on average two.
    """
    people = pd.DataFrame({"k": range(6), "job": list("xyxyxy")})
    first, second = people.assign(k=[0, 1, 9, 9, 9, 9]), people.assign(k=[9, 1, 2, 9, 9, 9])
    result = ru_map(
        {"list": [first, second], "runs": Runs([first, second]), "one": first},
        people,
        keys="k",
        target="job",
        risk=["DiSCO", "DiSCO_any", "repU", "repU_any"],
    )
    assert result.table["DiSCO"].tolist() == pytest.approx([100 / 3] * 3) and result.table[
        "DiSCO_any"
    ].tolist() == pytest.approx([50, 100 / 3, 100 / 3])
    assert result.table["repU"].tolist() == pytest.approx([100 / 3] * 3) and result.table[
        "repU_any"
    ].tolist() == pytest.approx([50, 100 / 3, 100 / 3])
    union = of(result, "list", "DiSCO_any")
    assert (union.numerator, union.denominator, union.method) == (
        3,
        6,
        "jackknife over 2 data sets released together",
    )
    assert (
        "mean over files; together they may reveal more" in result.about("DiSCO")[1].meaning
        and "at least one of the files" in result.about("DiSCO_any")[1].unit
    )


def test_five_syntheses_give_away_more_together(sd):
    cart = datasets.load_synthesis("SD2011_s5")
    result = ru_map({"cart": cart}, sd, keys=KEYS, target="depress", risk=["DiSCO", "DiSCO_any"])
    given_away = []
    own = sd.assign(depress=sd["depress"].fillna(-1))
    # by hand: cells of the keys in which all have one score, which is correct
    for frame in cart.syn:
        score = (
            frame.assign(depress=frame["depress"].fillna(-1))
            .groupby(KEYS, observed=True)["depress"]
            .agg(["first", "nunique"])
            .reset_index()
        )
        told = own[KEYS].merge(score, on=KEYS, how="left")
        given_away.append(((told["nunique"] == 1) & (told["first"] == own["depress"])).to_numpy())
    assert (
        of(result, "cart", "DiSCO_any").numerator == np.any(given_away, axis=0).sum()
        and result.table["DiSCO_any"].iloc[0] > 1.5 * result.table["DiSCO"].iloc[0]
    )


# ---- classes -------------------------------------------------------------------------


def in_classes(original: pd.Series, other: pd.Series, n: int) -> pd.Series:
    """Classes between the original's quantiles, closed to the left; the first and the last one have
    no end.
    """
    inner = np.unique(np.quantile(original, np.arange(1, n) / n))
    return pd.Series(np.searchsorted(inner, other, side="right"), index=other.index)


def test_classes_are_those_of_the_original_alone():
    generator = np.random.default_rng(1)
    n = 300
    people = pd.DataFrame(
        {
            "income": generator.lognormal(8, 1, n),
            "town": generator.choice(list("ABCDEF"), n),
            "job": generator.choice(list("vwxyz"), n),
        }
    )
    junk = pd.DataFrame(
        {
            "income": generator.uniform(1e6, 2e6, n),
            "town": generator.choice(list("ABCDEF"), n),
            "job": generator.choice(list("vwxyz"), n),
        }
    )
    releases = {
        "copy": people,
        "junk": pd.concat([people, junk], ignore_index=True),
        "far": people.assign(income=people["income"] * 1e6),
    }
    result = ru_map(
        releases,
        people,
        keys=["income", "town"],
        target="job",
        risk=["DiSCO", "repU"],
        disclosure_options={"ngroups_keys": [40, 0]},
    )
    own = people.assign(income=in_classes(people["income"], people["income"], 40))
    for name, frame in releases.items():
        released = frame.assign(income=in_classes(people["income"], frame["income"], 40))
        n_own, n_released = (
            own.groupby(["income", "town"]).size(),
            released.groupby(["income", "town"]).size(),
        )
        unique = n_own[n_own == 1].index.intersection(n_released[n_released == 1].index)
        assert of(result, name, "repU").numerator == len(unique), name
        pure = released.groupby(["income", "town"])["job"].agg(
            lambda x: x.iloc[0] if x.nunique() == 1 else None
        )
        told = own[["income", "town"]].merge(
            pure.rename("told").reset_index(), on=["income", "town"], how="left"
        )["told"]
        assert of(result, name, "DiSCO").numerator == (told == own["job"]).sum(), name
    assert (
        result.table.loc["junk", "DiSCO"] >= 0.9 * result.table.loc["copy", "DiSCO"]
    )  # the junk lies in one class of 40


def test_a_grouped_target_and_special_values(sd):
    """Income in 4 classes of the original's, -8 and missing apart: by hand."""
    s1 = datasets.load_synthesis("SD2011_s1").syn[0]
    result = ru_map(
        {"s1": s1},
        sd,
        keys=["sex", "age"],
        target="income",
        risk="DiSCO",
        cont_na={"income": -8},
        disclosure_options={"ngroups_target": 4},
    )
    ordinary = sd["income"][(sd["income"] != -8) & sd["income"].notna()]

    def grouped(frame):
        known = frame["income"].fillna(0)
        return frame[["sex", "age"]].assign(
            y=in_classes(ordinary, known, 4)
            .astype(str)
            .mask(frame["income"] == -8, "-8")
            .mask(frame["income"].isna(), "missing")
        )

    own, released = grouped(sd), grouped(s1)
    pure = (
        released.groupby(["sex", "age"], observed=True)["y"]
        .agg(lambda x: x.iloc[0] if x.nunique() == 1 else None)
        .rename("told")
        .reset_index()
    )
    told = own.merge(pure, on=["sex", "age"], how="left")["told"]
    assert of(result, "s1", "DiSCO").numerator == (told == own["y"]).sum() > 0
    given = ru_map(
        {"s1": s1},
        sd,
        keys=["sex", "age"],
        target="income",
        risk="DiSCO",
        disclosure_options={"ngroups_target": 4, "cont_na": {"income": -8}},
    )
    assert given.table["DiSCO"].iloc[0] == result.table["DiSCO"].iloc[0]


def test_classes_of_what_is_no_number_or_cannot_be_grouped(sd):
    plain, grouped = (
        ru_map({"a": sd}, sd, keys=KEYS, disclosure_options=o).table["repU"].iloc[0]
        for o in ({}, {"ngroups_keys": [5, 0, 0, 0]})
    )
    assert plain == grouped  # sex is no number
    with pytest.raises(
        InputError, match="ngroups_keys: 2 values given; give one, or one for each of the 4 keys"
    ):
        ru_map({"a": sd}, sd, keys=KEYS, disclosure_options={"ngroups_keys": [5, 0]})
    with pytest.raises(InputError, match=r"grouping of column 'age': .*only finite values"):
        ru_map({"a": sd}, sd.assign(age=np.inf), keys=KEYS, disclosure_options={"ngroups_keys": 5})
    with pytest.raises(InputError, match="candidate 'a': column 'age' is a category"):
        ru_map(
            {"a": sd.assign(age=sd["age"].astype(str))},
            sd,
            keys=KEYS,
            disclosure_options={"ngroups_keys": [0, 5, 0, 0]},
        )
    fixed = ru_map(
        {"a": sd},
        sd,
        keys=["sex", "age"],
        disclosure_options={
            "ngroups_keys": [0, 3],
            "style": "fixed",
            "fixedBreaks": [0, 30, 60, 120],
        },
    )
    assert fixed.table["repU"].tolist() == [0]
