"""Risks on the map: no figure where a figure would look like safety, and what each measure does not
see.
"""

from __future__ import annotations

import math
from typing import Any

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
BLOCKS = ["sex", {"age": [30, 45, 60]}]
RISKS = ["DiSCO", "repU", "expected_match_rate"]


def of(result: RUMap, candidate: str, measure: str) -> MapFigure:
    return next(f for f in result.figures if f.candidate == candidate and f.measure == measure)


@pytest.fixture(scope="module")
def sd() -> pd.DataFrame:
    return datasets.load("SD2011")[list(datasets.load_synthesis("SD2011_s5").syn[0])]


# ---- what cannot match ---------------------------------------------------------------


@pytest.fixture(scope="module")
def earners() -> pd.DataFrame:
    generator = np.random.default_rng(0)
    columns = {
        "sex": generator.choice(list("fm"), 500),
        "income": generator.lognormal(8, 1, 500).round(2),
        "town": generator.choice(list("ABC"), 500),
        "job": generator.choice(list("xyz"), 500),
    }
    return pd.DataFrame(columns)


def noisy(frame: pd.DataFrame, seed: int = 1, **noise: float) -> pd.DataFrame:
    return add_noise(frame, "income", seed=seed, reproducible=True, **noise)


def test_one_cent_of_noise_is_not_safety(earners):
    runs = Runs([noisy(earners, seed, ratio=2) for seed in range(3)])
    releases = {"copy": earners, "one cent": noisy(earners, sd=0.01), "strong": runs}
    keys = ["sex", "income", "town"]
    result = ru_map(releases, earners, keys=keys, target="job", risk=RISKS)
    for measure in RISKS:
        for name in ("one cent", "strong"):
            figure = of(result, name, measure)
            assert math.isnan(figure.value)
            assert "hardly anything, can match" in figure.reason and "'income'" in figure.reason
        assert result.front(measure, "tvd") == ["copy"]
    assert result.table.loc["copy", "expected_match_rate"] > 95


def test_an_intruder_who_takes_near_values_is_compared(earners):
    cent = noisy(earners, sd=0.01)
    asked = {"keys": ["sex", "income", "town"], "risk": "expected_match_rate"}
    interval = {"intervals": {"income": 1}}
    for near in (interval, {"distance": Euclidean(1, ["income"])}, {"distance": Euclidean(1)}):
        result = ru_map({"one cent": cent}, earners, matching_options=near, **asked)
        assert result.table.iloc[0, 0] > 90
    other = {"upper case": cent.assign(sex=earners["sex"].str.upper())}
    with pytest.warns(DataWarning, match="'upper case', column 'sex'"):
        result = ru_map(other, earners, matching_options=interval, **asked)
    assert "'sex': no value in common" in result.figures[0].reason


@pytest.mark.parametrize("name", ["age", "sex"])
def test_texts_that_never_agree_have_no_match_rate(sd, name):
    people = sd.assign(age=sd["age"].astype(int).astype(str))
    other = sd["age"].astype(str)  # "57" against "57.0"
    if name == "sex":
        other = people["sex"].astype(str).str.lower()
    released = {"other texts": people.assign(**{name: other})}
    with pytest.warns(DataWarning, match="candidate 'other texts'"):
        result = ru_map(released, people, keys=KEYS, risk="expected_match_rate")
    reason = result.figures[0].reason
    assert "no value in common" in reason and "candidate 'other texts'" in reason
    assert result.front() == []


def test_a_key_that_is_missing_everywhere_is_not_safety(sd):
    released = {"no age": sd.assign(age=np.nan)}
    result = ru_map(released, sd, keys=KEYS, target="depress", risk=RISKS)
    for measure in RISKS:
        reason = of(result, "no age", measure).reason
        assert "candidate 'no age', column 'age': every value is missing" in reason
    without = ru_map(released, sd, keys=["sex", "region"], risk="repU")
    assert without.table["repU"].notna().all()


# ---- the risk that IFPR carries ------------------------------------------------------


def exchanged_with(
    frame: pd.DataFrame,
    keys: list[str] = KEYS,
    xi: float = 0.4,
    seed: int = 1,
    blocks: Any = BLOCKS,
) -> Any:
    return ifpr(frame, keys, xi=xi, blocks=blocks, seed=seed, reproducible=True)


@pytest.fixture(scope="module")
def exchanged(sd) -> list:
    return [exchanged_with(sd, seed=seed) for seed in range(3)]


def test_the_theory_of_one_file_is_not_that_of_several(sd, exchanged):
    alone = {"one": exchanged[0], "list of one": exchanged[:1], "runs": Runs(exchanged)}
    result = ru_map({**alone, "list": exchanged}, sd, keys=KEYS, risk="IR")
    reason = of(result, "list", "IR").reason
    assert "files released together" in reason and "Runs" in reason
    assert "list" not in result.front()
    worst = exchanged[0].risk_table()["worst"].max()
    for name in alone:
        figure = of(result, name, "IR")
        assert figure.value == pytest.approx(worst) and figure.method.startswith("exact")


def test_why_files_released_together_have_no_theory(sd, exchanged):
    """What two of three files say alike about a row, where the original has it once, is true far
    more often than IR says.
    """
    frames = [sd, *(release.data for release in exchanged)]
    keys = [frame[KEYS].astype(str).agg("|".join, axis=1) for frame in frames]
    times = keys[0].value_counts()
    once = keys[1].isin(times.index[times == 1])
    says = once & (keys[1] == keys[2])
    assert says.sum() > 100 and (keys[0] == keys[1])[says].mean() > 0.8  # IR is 0.4


def test_the_worst_of_the_runs_counts(sd, exchanged):
    loose = exchanged_with(sd, xi=0.6)
    worst = ru_map({"a": Runs([exchanged[0], loose])}, sd, keys=KEYS, risk="IR").table["IR"].iloc[0]
    assert worst == pytest.approx(loose.risk_table()["worst"].max()) and worst > 0.45


def test_other_keys_and_other_data_have_no_theory(sd, exchanged):
    releases = {
        "fewer keys": exchanged_with(sd, KEYS[:3]),
        "elsewhere": exchanged_with(datasets.load_synthesis("SD2011_s5").syn[0]),
        "fewer": exchanged_with(sd.head(4000), blocks=["sex", {"age": [45]}]),
        "turned": exchanged[0],
    }
    result = ru_map(releases, sd, keys=KEYS, risk="IR")
    assert of(result, "fewer keys", "IR").reason == (
        "it was made for the keys sex, age, region; the theory says nothing about an intruder"
        " who knows sex, age, region, placesize"
    )
    for name in ("elsewhere", "fewer"):
        assert "made from other data" in of(result, name, "IR").reason
    assert result.front() == ["turned"]
    # the order of keys does not matter, nor do types
    for people, keys in ((sd, KEYS[::-1]), (sd.astype({"age": "int64"}), KEYS)):
        found = ru_map({"a": exchanged[0]}, people, keys=keys, risk="IR").table["IR"]
        assert found.notna().all()


# ---- what each measure does not see --------------------------------------------------


def test_every_measure_says_what_it_does_not_see(sd):
    risks = [*RISKS, "repU_any", "DiSCO_any", "IR"]
    asked = {"keys": KEYS, "target": "depress", "risk": risks, "utility": ["tvd", "S_pMSE"]}
    result = ru_map({"a": sd}, sd, **asked)
    unseen = {name: result.about(name)[1].blind_to for name in [*risks, "tvd", "S_pMSE"]}
    assert min(map(len, unseen.values())) > 20
    assert "repeats" in unseen["repU"] and "files compared" in unseen["DiSCO"]
    assert "near but not equal" in unseen["expected_match_rate"]


def test_a_longer_file_is_told(sd):
    twice = pd.concat([sd, sd], ignore_index=True)
    asked = {"keys": KEYS, "target": "depress", "risk": ["repU", "DiSCO"]}
    result = ru_map({"twice": twice, "copy": sd}, sd, **asked)
    table = result.table
    assert table.loc["twice", "DiSCO"] == table.loc["copy", "DiSCO"]  # which sees it
    assert "twice: has 10,000 records, the original 5,000" in flat(result)
    assert [release.candidate for release in result.releases if release.remarks] == ["twice"]


# ---- several files together ----------------------------------------------------------


def test_what_any_of_the_files_gives_away():
    """Six people, all different in their keys. The first file gives away the job of 1 and 2, the
    second that of 2 and 3: together three of six, on average two.
    """
    people = pd.DataFrame({"k": range(6), "job": list("xyxyxy")})
    first, second = people.assign(k=[0, 1, 9, 9, 9, 9]), people.assign(k=[9, 1, 2, 9, 9, 9])
    releases = {"list": [first, second], "runs": Runs([first, second]), "one": first}
    risks = ["DiSCO", "DiSCO_any", "repU", "repU_any"]
    result = ru_map(releases, people, keys="k", target="job", risk=risks)
    for name in ("DiSCO", "repU"):
        assert result.table[name].tolist() == pytest.approx([100 / 3] * 3)
        assert result.table[f"{name}_any"].tolist() == pytest.approx([50, 100 / 3, 100 / 3])
    union = of(result, "list", "DiSCO_any")
    assert (union.numerator, union.denominator) == (3, 6)
    assert union.method == "jackknife over 2 data sets released together"
    assert "at least one of the files" in result.about("DiSCO_any")[1].unit


def test_five_syntheses_give_away_more_together(sd):
    """By hand: cells of the keys in which all have one score, which is correct."""
    cart, own = datasets.load_synthesis("SD2011_s5"), sd.assign(depress=sd["depress"].fillna(-1))
    result = ru_map({"cart": cart}, sd, keys=KEYS, target="depress", risk=["DiSCO", "DiSCO_any"])
    given_away = []
    for frame in cart.syn:
        known = frame.assign(depress=frame["depress"].fillna(-1))
        score = known.groupby(KEYS, observed=True)["depress"].agg(["first", "nunique"])
        told = own[KEYS].merge(score.reset_index(), on=KEYS, how="left")
        given_away.append(((told["nunique"] == 1) & (told["first"] == own["depress"])).to_numpy())
    assert of(result, "cart", "DiSCO_any").numerator == np.any(given_away, axis=0).sum()
    assert result.table["DiSCO_any"].iloc[0] > 1.5 * result.table["DiSCO"].iloc[0]


# ---- classes -------------------------------------------------------------------------


def in_classes(original: pd.Series, other: pd.Series, n: int) -> pd.Series:
    """Classes between the original's quantiles, closed to the left; the first and the last one have
    no end.
    """
    inner = np.unique(np.quantile(original, np.arange(1, n) / n))
    return pd.Series(np.searchsorted(inner, other, side="right"), index=other.index)


def told_correctly(own: pd.DataFrame, released: pd.DataFrame, keys: list[str], target: str) -> int:
    """Records whose combination has one target value in the release, which is theirs."""
    values = released.groupby(keys, observed=True)[target].agg(["first", "nunique"]).reset_index()
    told = own.merge(values, on=keys, how="left")
    return int(((told["nunique"] == 1) & (told["first"] == told[target])).sum())


def test_classes_are_those_of_the_original_alone():
    generator = np.random.default_rng(1)

    def made(income: Any) -> pd.DataFrame:
        letters = {"town": "ABCDEF", "job": "vwxyz"}
        columns = {name: generator.choice(list(of), 300) for name, of in letters.items()}
        return pd.DataFrame({"income": income, **columns})

    people = made(generator.lognormal(8, 1, 300))
    junk = made(generator.uniform(1e6, 2e6, 300))
    releases = {
        "copy": people,
        "junk": pd.concat([people, junk], ignore_index=True),
        "far": people.assign(income=people["income"] * 1e6),
    }
    keys, options = ["income", "town"], {"ngroups_keys": [40, 0]}
    asked = {"target": "job", "risk": ["DiSCO", "repU"], "disclosure_options": options}
    result = ru_map(releases, people, keys=keys, **asked)
    own = people.assign(income=in_classes(people["income"], people["income"], 40))
    for name, frame in releases.items():
        released = frame.assign(income=in_classes(people["income"], frame["income"], 40))
        sizes = [classed.groupby(keys).size() for classed in (own, released)]
        alone = [size[size == 1].index for size in sizes]
        assert of(result, name, "repU").numerator == len(alone[0].intersection(alone[1])), name
        told = told_correctly(own, released, keys, "job")
        assert of(result, name, "DiSCO").numerator == told, name
    # the junk lies in one class of 40
    assert result.table.loc["junk", "DiSCO"] >= 0.9 * result.table.loc["copy", "DiSCO"]


def test_a_grouped_target_and_special_values(sd):
    """Income in 4 classes of the original's, -8 and missing apart: by hand."""
    s1 = datasets.load_synthesis("SD2011_s1").syn[0]
    ordinary = sd["income"][(sd["income"] != -8) & sd["income"].notna()]

    def grouped(frame):
        classes = in_classes(ordinary, frame["income"].fillna(0), 4).astype(str)
        classes = classes.mask(frame["income"] == -8, "-8")
        return frame[["sex", "age"]].assign(y=classes.mask(frame["income"].isna(), "missing"))

    told = told_correctly(grouped(sd), grouped(s1), ["sex", "age"], "y")
    special, options = {"cont_na": {"income": -8}}, {"ngroups_target": 4}
    asked = {"keys": ["sex", "age"], "target": "income", "risk": "DiSCO"}
    result = ru_map({"s1": s1}, sd, **asked, **special, disclosure_options=options)
    assert of(result, "s1", "DiSCO").numerator == told > 0
    given = ru_map({"s1": s1}, sd, **asked, disclosure_options=options | special)
    assert given.table["DiSCO"].iloc[0] == result.table["DiSCO"].iloc[0]


def test_classes_of_what_is_no_number_or_cannot_be_grouped(sd):
    def grouped(ngroups: Any, original: pd.DataFrame = sd, **more: Any) -> list[float]:
        options = {"ngroups_keys": ngroups, **more}
        keys = KEYS if not more else ["sex", "age"]
        return (
            ru_map({"a": sd}, original, keys=keys, disclosure_options=options)
            .table["repU"]
            .tolist()
        )

    assert grouped([5, 0, 0, 0]) == grouped(0)  # sex is no number
    with pytest.raises(InputError, match="ngroups_keys: 2 values given; give one, or one for each"):
        grouped([5, 0])
    with pytest.raises(InputError, match=r"grouping of column 'age': .*only finite values"):
        grouped(5, sd.assign(age=np.inf))
    with pytest.raises(InputError, match="candidate 'a': column 'age' is an amount"):
        grouped([0, 5, 0, 0], sd.assign(age=sd["age"].astype(str)))
    assert grouped([0, 3], style="fixed", fixedBreaks=[0, 30, 60, 120]) == [0]
