"""Smoothing in `syn()`, and what it takes from R: a bandwidth, a root, rounding. The figures of R
were written down from R 4.2 with 17 digits.
"""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from synthpop_py import DataWarning, InputError, syn
from synthpop_py.r.bandwidth import NoBandwidth, bandwidth, root_between
from synthpop_py.r.rounding import rounded
from synthpop_py.synthesis.smoothing import CannotSmooth, smoothed
from synthpop_py.synthesis.stream import RStream

QUIET = {"print_flag": False}


def spread(n: int) -> np.ndarray:
    return np.arange(1, n + 1) * 37 % 101 / 10


BANDWIDTHS = [
    (spread(60), 1.3034704819722187),
    (spread(700), 0.53195728586213364),  # from 501 values on they are put into bins
    (np.array([1.0, 2, 2, 3, 3, 3, 10, 11]), 0.86795821329437217),
    (np.tile([-8.0, 100, 200, 5000], 175), 20.203168772998268),  # the search has to be widened
]


@pytest.mark.parametrize("values, wanted", BANDWIDTHS, ids=["60", "700", "8", "four values"])
def test_the_bandwidth_is_r_s_to_the_last_bit(values, wanted):
    assert bandwidth(values) == wanted


def test_normals_are_r_s_to_the_last_bit():
    """`set.seed(7); rnorm(30)[19]`: a coefficient of the quantile was wrong in its 13th digit."""
    assert RStream(7).normals(30)[18] == -0.0048224222675704127


@pytest.mark.parametrize("values", [[1.0], [], [3.0, 3.0, 3.0]])
def test_no_bandwidth_for_too_few_values(values):
    with pytest.raises(NoBandwidth):
        bandwidth(np.array(values))


def test_a_root_at_an_end_is_found():
    assert root_between(lambda x: x - 1, 1.0, 3.0, 1e-9) == 1.0
    assert root_between(lambda x: x - 3, 1.0, 3.0, 1e-9) == 3.0


def test_rounding_is_r_s():
    values = np.array([0.15, 0.25, 0.35, 2.675, -1.005, 1234.5675, 5e-5, 1e15 + 0.3])
    assert rounded(values, 1).tolist() == [0.1, 0.2, 0.3, 2.7, -1.0, 1234.6, 0.0, 1e15 + 0.3]
    assert rounded(values, 2).tolist() == [0.15, 0.25, 0.35, 2.67, -1.0, 1234.57, 0.0, 1e15 + 0.3]
    assert rounded(values, 3)[5] == 1234.568
    assert rounded(np.array([0.5, 1.5, 2.5, -0.5]), 0).tolist() == [0.0, 2.0, 2.0, -0.0]


OBSERVED = np.array([1.5, 2, 2.25, 3, 4, 7, 7, 9, 12, 20])
DRAWN = OBSERVED[[2, 0, 9, 4, 4, 6, 1, 8, 7, 3, 5, 0]]
SMOOTHED = {
    "density": [1.5, 1.54, 17.63, 1.87, 5.84, 5.54, 4.07, 12.98, 8.93, 1.5, 5.71, 1.5],
    "rmean": [2.55, 1.67, 13.67, 4.05, 5.0, 6.2, 2.05, 12.0, 11.0, 3.05, 7.8, 1.81],
    "spline": [2.33, 1.46, 19.56, 3.74, 4.61, 6.3, 1.91, 12.67, 8.86, 3.0, 7.22, 1.58],
}


@pytest.mark.parametrize("how", SMOOTHED)
def test_ten_values_smoothed_as_r_does_it(how):
    result = smoothed(how, DRAWN, OBSERVED, RStream(11).normals)
    assert result.tolist() == SMOOTHED[how]


def test_a_running_mean_by_hand():
    values = np.array([10.0, 1, 2, 3, 4, 5])
    result = smoothed("rmean", values, values, RStream(1).normals)
    # sorted 1 2 3 4 5 10: (1+2+3)/3, (1+2+3+4)/4, (1+…+5)/5, (2+…+10)/5, (3+…+10)/4, (4+5+10)/3
    assert result.tolist() == [6.0, 2.0, 2.0, 3.0, 5.0, 6.0]


def test_a_top_code_stays():
    values = np.array([*range(1, 10), 4, 6, *[10] * 30], dtype=float)
    result = smoothed("density", values, values, RStream(11).normals)
    assert result[:11].tolist() == [1, 2, 1, 1, 7, 4, 10, 9, 9, 2, 4]
    assert (result[11:] == 10).all()


def test_a_value_that_most_have_stays():
    values = np.array([*[0.0] * 40, *(np.arange(1, 10) + 0.5)])
    result = smoothed("density", values, values, RStream(11).normals)
    assert (result[:40] == 0).all()
    assert result[40:].tolist() == [0.2, 2.6, 0.1, 1.4, 8.2, 4.4, 10.5, 9.9, 9.4]


@pytest.mark.parametrize("how, values", [("density", [4.0, 4.0]), ("spline", [1.0, 2.0])])
def test_where_r_stops(how, values):
    with pytest.raises(CannotSmooth):
        smoothed(how, np.array(values), np.array(values), RStream(1).normals)


# ---- in syn() ----------------------------------------------------------------------------


def people() -> pd.DataFrame:
    rng = np.random.default_rng(1)
    income = np.where(rng.random(200) < 0.2, -8.0, np.round(rng.normal(900, 200, 200)))
    return pd.DataFrame(
        {
            "sex": pd.Categorical(rng.choice(["f", "m"], 200)),
            "age": rng.integers(18, 80, 200),
            "income": income,
        }
    )


@pytest.mark.parametrize("how", ["density", "rmean", "spline"])
def test_smoothed_numbers_need_not_be_observed_and_special_ones_stay(how):
    data = people()
    made = syn(data, smoothing={"income": how}, cont_na={"income": -8}, seed=1, **QUIET).syn[0]
    values = made.loc[made["income"] != -8, "income"]
    assert not values.isin(data["income"]).all()
    assert (values % 1 == 0).all()  # as many decimals as the original
    assert 0.1 < (made["income"] == -8).mean() < 0.3
    assert made["age"].isin(data["age"]).all()  # only what was asked for


@pytest.mark.parametrize("argument", ["cont_na", "semicont"])
def test_special_values_of_a_sampled_number_stay(argument):
    """Found by running R beside it: semicont counts as cont_na does."""
    data = people()[["income", "sex"]]
    given = {argument: {"income": -8}}
    whole = syn(data, method="sample", **given, reproducible=True, seed=1, **QUIET).syn[0]
    smooth = {"smoothing": "rmean", "reproducible": True}
    made = syn(data, method="sample", **given, **smooth, seed=1, **QUIET).syn[0]
    assert ((made["income"] == -8) == (whole["income"] == -8)).all()
    assert not made["income"].equals(whole["income"])


def test_one_way_for_all_numbers():
    made = syn(people(), smoothing="rmean", seed=1, **QUIET)
    assert made.call == "syn(data, smoothing='rmean')"
    assert not made.syn[0]["income"].isin(people()["income"]).all()


@pytest.mark.parametrize(
    "smoothing, says",
    [
        ("splines", "did you mean 'spline'"),
        ({"incme": "density"}, "did you mean 'income'"),
        ({"sex": "density"}, "column 'sex' is not a number; leave it out"),
        ({"age": "loess"}, "choices: 'density', 'rmean', 'spline'"),
    ],
)
def test_bad_smoothing(smoothing, says):
    with pytest.raises(InputError, match=says):
        syn(people(), smoothing=smoothing, **QUIET)


def test_what_cannot_be_smoothed_is_said():
    data = people()[["sex"]].assign(few=[1.0] * 198 + [2.0] * 2)
    visits = ["few", "sex"]
    with pytest.warns(DataWarning, match="'few' cannot be smoothed"):
        syn(data, visit_sequence=visits, smoothing="density", seed=1, **QUIET)
    # what was asked for is told of without a seed, too
    with pytest.warns(DataWarning, match="R would do otherwise: 'few' cannot be smoothed"):
        syn(data, visit_sequence=visits, smoothing="density", **QUIET)


def test_a_collinear_column_of_a_smoothed_one_is_said():
    data = people().assign(months=lambda d: 12 * d["age"])
    with pytest.warns(DataWarning, match="'months' is collinear with 'age', which need not"):
        made = syn(data, smoothing={"age": "density"}, seed=1, **QUIET).syn[0]
    assert not made["months"].isna().any()


def test_a_machine_without_wide_numbers_says_so(monkeypatch):
    monkeypatch.setattr("synthpop_py.synthesis.api.EXTENDED", False)
    with pytest.warns(DataWarning, match="no numbers wider than doubles"):
        syn(people(), smoothing="density", seed=1, **QUIET)
