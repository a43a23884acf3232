"""Risks on the map: no figure where a figure would look like safety, and what each measure does not see."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest

from synthpop_py import datasets
from synthpop_py.ifpr import ifpr
from synthpop_py.matching import Euclidean
from synthpop_py.risk_utility import RUMap, Runs, add_noise, ru_map
from synthpop_py.risk_utility.results import Figure

KEYS = ["sex", "age", "region", "placesize"]


def of(result: RUMap, candidate: str, measure: str) -> Figure:
    return next(f for f in result.figures if f.candidate == candidate and f.measure == measure)


@pytest.fixture(scope="module")
def sd() -> pd.DataFrame:
    return datasets.load("SD2011")[list(datasets.load_synthesis("SD2011_s5").syn[0])]


# ---- what cannot match ------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def earners() -> pd.DataFrame:
    generator = np.random.default_rng(0)
    n = 500
    return pd.DataFrame({"sex": generator.choice(list("fm"), n), "income": generator.lognormal(8, 1, n).round(2), "town": generator.choice(list("ABC"), n), "job": generator.choice(list("xyz"), n)})


def test_one_cent_of_noise_is_not_safety(earners):
    releases = {"copy": earners, "one cent": add_noise(earners, "income", sd=0.01, seed=1), "strong": Runs([add_noise(earners, "income", ratio=2, seed=i) for i in range(3)])}
    result = ru_map(earners, releases, keys=["sex", "income", "town"], target="job", risk=["DiSCO", "repU", "expected_match_rate"])
    for name in ("one cent", "strong"):
        for measure in ("DiSCO", "repU", "expected_match_rate"):
            assert math.isnan(of(result, name, measure).value) and "hardly anything, can match" in of(result, name, measure).reason and "'income'" in of(result, name, measure).reason
    assert all(result.front(measure, "tvd") == ["copy"] for measure in ("DiSCO", "repU", "expected_match_rate"))
    assert result.table.loc["copy", "expected_match_rate"] > 95


def test_an_intruder_who_takes_near_values_is_compared(earners):
    cent = {"one cent": add_noise(earners, "income", sd=0.01, seed=1)}
    for near in ({"intervals": {"income": 1}}, {"distance": Euclidean(1, ["income"])}, {"distance": Euclidean(1)}):
        assert ru_map(earners, cent, keys=["sex", "income", "town"], risk="expected_match_rate", matching_options=near).table.iloc[0, 0] > 90
    other = {"lower case": cent["one cent"].assign(sex=earners["sex"].str.upper())}
    result = ru_map(earners, other, keys=["sex", "income", "town"], risk="expected_match_rate", matching_options={"intervals": {"income": 1}})
    assert "'sex': no value in common" in of(result, "lower case", "expected_match_rate").reason


@pytest.mark.parametrize("change", [{"age": lambda d: d["age"].astype(float).astype(str)}, {"sex": lambda d: d["sex"].astype(str).str.lower()}])
def test_texts_that_never_agree_have_no_match_rate(sd, change):
    people = sd.assign(age=sd["age"].astype(int).astype(str))  # "57" against "57.0"
    released = people.assign(**{name: make(people) for name, make in change.items()})
    result = ru_map(people, {"other texts": released}, keys=KEYS, risk="expected_match_rate")
    assert "no value in common" in of(result, "other texts", "expected_match_rate").reason and "candidate 'other texts'" in of(result, "other texts", "expected_match_rate").reason
    assert result.front() == []


# ---- the risk that IFPR carries ---------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def exchanged(sd) -> list:
    return [ifpr(sd, KEYS, xi=0.4, blocks=["sex", {"age": [30, 45, 60]}], seed=i) for i in range(3)]


def test_the_theory_of_one_file_is_not_that_of_several(sd, exchanged):
    result = ru_map(sd, {"one": exchanged[0], "list of one": exchanged[:1], "list": exchanged, "runs": Runs(exchanged)}, keys=KEYS, risk="IR")
    assert "files released together" in of(result, "list", "IR").reason and "Runs" in of(result, "list", "IR").reason and "list" not in result.front()
    for name in ("one", "list of one", "runs"):
        assert of(result, name, "IR").value == pytest.approx(exchanged[0].risk_table()["worst"].max()) and of(result, name, "IR").method.startswith("exact")


def test_why_files_released_together_have_no_theory(sd, exchanged):
    """What two of three files say alike about a row, where the original has it once, is true far more often than IR says."""
    keys = [frame[KEYS].astype(str).agg("|".join, axis=1).to_numpy() for frame in (sd, *(e.data for e in exchanged))]
    once = {value for value, n in pd.Series(keys[0]).value_counts().items() if n == 1}
    first, second = keys[1], keys[2]
    says = (first == second) & np.array([value in once for value in first])
    assert says.sum() > 100 and (first == keys[0])[says].mean() > 0.8  # IR is 0.4


def test_the_worst_of_the_runs_counts(sd, exchanged):
    loose = ifpr(sd, KEYS, xi=0.6, blocks=["sex", {"age": [30, 45, 60]}], seed=1)
    worst = ru_map(sd, {"a": Runs([exchanged[0], loose])}, keys=KEYS, risk="IR").table["IR"].iloc[0]
    assert worst == pytest.approx(loose.risk_table()["worst"].max()) and worst > 0.45


def test_other_keys_and_other_data_have_no_theory(sd, exchanged):
    cut = ifpr(sd, KEYS[:3], xi=0.4, blocks=["sex", {"age": [30, 45, 60]}], seed=1)
    made_elsewhere = ifpr(datasets.load_synthesis("SD2011_s5").syn[0], KEYS, xi=0.4, blocks=["sex", {"age": [30, 45, 60]}], seed=1)
    fewer = ifpr(sd.head(4000), KEYS, xi=0.4, blocks=["sex", {"age": [45]}], seed=1)
    result = ru_map(sd, {"fewer keys": cut, "elsewhere": made_elsewhere, "fewer": fewer, "turned": exchanged[0]}, keys=KEYS, risk="IR")
    assert of(result, "fewer keys", "IR").reason == "it was made for the keys sex, age, region; the theory says nothing about an intruder who knows sex, age, region, placesize"
    assert "made from other data" in of(result, "elsewhere", "IR").reason and "made from other data" in of(result, "fewer", "IR").reason
    assert result.front() == ["turned"]
    assert ru_map(sd, {"a": exchanged[0]}, keys=KEYS[::-1], risk="IR").table["IR"].notna().all()  # their order does not matter, nor do types
    assert ru_map(sd.astype({"age": "int64"}), {"a": exchanged[0]}, keys=KEYS, risk="IR").table["IR"].notna().all()
