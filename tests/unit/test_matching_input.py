"""What `identification_risk()` says to arguments it cannot use."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pytest

from synthpop_py import DataWarning, InputError, SynDS
from synthpop_py.matching import (
    Euclidean,
    Fixed,
    Mahalanobis,
    QuantileSD,
    Relative,
    identification_risk,
)

PEOPLE = pd.DataFrame(
    {
        "sex": ["f", "m", "f", "m"],
        "town": ["A", "A", "B", "B"],
        "age": [30, 40, 50, 60],
        "income": [1.0, 2.0, 3.0, 4.0],
    }
)
FAKE = PEOPLE.assign(town=["A", "B", "B", "B"], age=[31, 40, 50, 66])


def call(original=PEOPLE, synthetic=FAKE, known="sex", synthesised=("town",), **more):
    return identification_risk(
        synthetic, original, known=known, synthesised=list(synthesised), **more
    )


CASES = {
    "original is not a frame": (
        {"original": [1, 2]},
        "original: list cannot be the original data, which are one DataFrame",
    ),
    "no rows": ({"original": PEOPLE.iloc[:0], "synthetic": FAKE.iloc[:0]}, "original: has no rows"),
    "synthetic is not a file": ({"synthetic": "x.csv"}, "synthetic: there is no file 'x.csv'"),
    "synthetic is not a frame": ({"synthetic": 7}, "synthetic: int cannot be used"),
    "no sets": (
        {"synthetic": []},
        "synthetic: list cannot be used; give a SynDS, a DataFrame of pandas",
    ),
    "an empty nest": ({"synthetic": [[FAKE], []]}, "synthetic, nest 2: list cannot be used"),
    "frames among lists": (
        {"synthetic": [[FAKE], FAKE]},
        "synthetic: element 2 is a DataFrame among lists",
    ),
    "another length": ({"synthetic": FAKE.iloc[:3]}, "synthetic: has 3 rows, the original 4"),
    "another length of one set": (
        {"synthetic": [FAKE, FAKE.iloc[:3]]},
        "synthetic, set 2: has 3 rows",
    ),
    "labels in another order": (
        {"original": PEOPLE.set_axis(list("wxyz")), "synthetic": FAKE.set_axis(list("xwyz"))},
        "synthetic: has the original's row labels in another order; .*loc",
    ),
    "other labels": (
        {"original": PEOPLE.set_axis(list("wxyz")), "synthetic": FAKE.set_axis(list("abcd"))},
        "synthetic: has row labels that differ from the original's; .*reset both",
    ),
    "plain labels in another order": (
        {"synthetic": [FAKE, FAKE.iloc[::-1]]},
        "synthetic, set 2: has the original's row labels in another order",
    ),
    "plain labels beside an original in another order": (
        {"original": PEOPLE.iloc[::-1]},
        "synthetic: has the original's row labels in another order; .*reset both",
    ),
    "plain weights beside an original in another order": (
        {"original": PEOPLE.iloc[::-1], "synthetic": FAKE.iloc[::-1], "weights": PEOPLE["income"]},
        "weights: has the original's row labels",
    ),
    "flags beside numbers": (
        {
            "original": PEOPLE.assign(town=[True, False, True, False]),
            "synthetic": FAKE.assign(town=[1, 0, 1, 1]),
        },
        "the synthetic data, column 'town': holds numbers, the original data hold True and False",
    ),
    "numbers beside dates in one set": (
        {
            "synthesised": ["age"],
            "synthetic": [FAKE, FAKE.assign(age=pd.to_datetime("2020-01-01"))],
        },
        "synthetic data set 2, column 'age': holds dates, the original data hold numbers",
    ),
    "a known key of another nature": (
        {"known": "age", "synthetic": FAKE.assign(age=[True, False, True, False])},
        "the synthetic data, column 'age': holds True and False, the original data hold numbers",
    ),
    "a population of another nature": (
        {"synthesised": ["age"], "population": {("f", True): 3}},
        "the population, column 'age': holds True and False",
    ),
    "weights in another order": (
        {"weights": PEOPLE["income"].iloc[::-1]},
        "weights: has the original's row labels in another order",
    ),
    "groups in another order": (
        {"by": PEOPLE["town"].sort_values(ascending=False)},
        "by: has the original's row labels in another order",
    ),
    "rows in another order": (
        {"synthetic": FAKE.iloc[::-1].reset_index(drop=True)},
        (
            "known: 'sex' differs between the original and the synthetic data in 4 of 4 records,"
            " first in row 1"
        ),
    ),
    "a known key was changed": (
        {"synthetic": [FAKE, FAKE.assign(sex="f")]},
        (
            "known: 'sex' differs between the original and synthetic data set 2 in 2 of 4 records,"
            " first in row 2"
        ),
    ),
    "a known number was changed": (
        {"known": "age", "intervals": {"age": 2}},
        "known: 'age' differs .* in 2 of 4 records",
    ),
    "an unknown key": (
        {"synthesised": ["twon"]},
        "synthesised: 'twon' is not a column of the original data; did you mean 'town'",
    ),
    "a key missing in one set": (
        {"synthetic": [FAKE, FAKE.drop(columns="town")]},
        "synthesised: 'town' is not a column of synthetic data set 2",
    ),
    "a known key missing in the set": (
        {"synthetic": FAKE.drop(columns="sex")},
        "known: 'sex' is not a column of the synthetic data",
    ),
    "a key twice": ({"known": ["sex", "sex"]}, "known: 'sex' is given more than once"),
    "a key known and synthesised": (
        {"synthesised": ["town", "sex"]},
        "synthesised: 'sex' is also among the known keys",
    ),
    "an unknown attack": (
        {"attack": "guess"},
        "attack: 'guess' is unknown; choices: 'probability', 'mode', 'model'",
    ),
    "an unknown boundary": (
        {"boundary": "half"},
        "boundary: 'half' is unknown; choices: 'closed', 'open'",
    ),
    "an unknown fallback": ({"fallback": "none"}, "fallback: 'none' is unknown; choices: True"),
    "threshold 0": ({"threshold": 0}, "threshold: 0 is not a probability between 0 and 1"),
    "threshold 1": ({"threshold": 1.0}, "threshold: 1.0 is not a probability"),
    "threshold as text": ({"threshold": "0.2"}, "threshold: '0.2' is not a probability"),
    "threshold not a number": ({"threshold": float("nan")}, "threshold: nan is not a probability"),
    "intervals not a mapping": ({"intervals": 2}, "intervals: 2 is not a mapping"),
    "an interval for no key": (
        {"intervals": {"income": 1}},
        "intervals: 'income' is not a column of the keys; choices: sex, town",
    ),
    "a negative radius": (
        {"synthesised": ["age"], "intervals": {"age": -1}},
        "intervals.'age'.: -1 is not a number of at least 0",
    ),
    "a radius that is no interval": (
        {"synthesised": ["age"], "intervals": {"age": "wide"}},
        "intervals.'age'.: 'wide' cannot be used; choices: a radius",
    ),
    "an interval for a text": (
        {"intervals": {"town": 1}},
        "intervals: 'town' is not numeric in the original data",
    ),
    "an interval for a text in one set": (
        {
            "synthesised": ["age"],
            "synthetic": [FAKE, FAKE.assign(age="old")],
            "intervals": {"age": 1},
        },
        "intervals: 'age' is not numeric in synthetic data set 2",
    ),
    "infinite numbers": (
        {
            "synthesised": ["income"],
            "synthetic": FAKE.assign(income=np.inf),
            "intervals": {"income": 1},
        },
        "column 'income' of the synthetic data holds infinite values",
    ),
    "a distance that is none": ({"distance": 5}, "distance: 5 cannot be used; give Euclidean"),
    "a distance over texts": (
        {"distance": Euclidean(5, ["town"])},
        "distance: 'town' is not numeric",
    ),
    "a distance over nothing": (
        {"distance": Euclidean(5)},
        "distance: no numeric synthesised key is left",
    ),
    "a distance over a known key": (
        {"known": "age", "distance": Euclidean(5, ["age"])},
        "distance: 'age' is not a column of the synthesised keys",
    ),
    "a distance over a column twice": (
        {"synthesised": ["age"], "distance": Euclidean(5, ["age", "age"])},
        "distance: a column is given more than once",
    ),
    "a distance and an interval": (
        {"synthesised": ["age"], "intervals": {"age": 1}, "distance": Euclidean(5, ["age"])},
        "distance: 'age' also has an interval",
    ),
    "a covariance of another size": (
        {"synthesised": ["age", "income"], "distance": Mahalanobis(1, ["age", "income"], [[1]])},
        "the covariance has the shape .1, 1., the distance is over 2 columns",
    ),
    "a singular covariance": (
        {"synthesised": ["age", "income"], "synthetic": FAKE, "distance": Mahalanobis(1)},
        "not positive definite",
    ),
    "population and weights": (
        {"population": {}, "weights": [1] * 4},
        "population, weights: give only one of them",
    ),
    "weights of another length": ({"weights": [1, 2]}, "weights: 2 given for 4 records"),
    "negative weights": (
        {"weights": [1, -2, 3, -4]},
        "weights: 2 of 4 are negative, first in row 2",
    ),
    "missing weights": (
        {"weights": [1, None, 3, 4]},
        "weights: 1 of 4 are missing, first in row 2",
    ),
    "infinite weights": ({"weights": [1, np.inf, 3, 4]}, "weights: 1 of 4 are infinite"),
    "weights as text": ({"weights": list("abcd")}, "weights: not all of its values are numbers"),
    "an unknown column of weights": (
        {"weights": "wgt"},
        "weights: 'wgt' is not a column of the original data",
    ),
    "weights too large": ({"weights": [1e19] * 4}, "more than can be counted"),
    "a population without a key": (
        {"population": pd.DataFrame({"sex": ["f"], "n": [3]})},
        "population: has no column 'town'",
    ),
    "a population with two counts": (
        {"population": PEOPLE.assign(n=1)},
        "population: it is unclear which of age, income, n holds the counts",
    ),
    "a population with wrong combinations": (
        {"population": {"f": 3}},
        "population: 'f' is not a combination of sex, town",
    ),
    "a population with other levels": (
        {"population": pd.Series([3], index=pd.Index(["f"], name="sex"))},
        "population: its index has the levels",
    ),
    "a negative population": ({"population": {("f", "A"): -3}}, "population: 1 of 1 are negative"),
    "a population that lacks targets": (
        {"population": {("f", "A"): 3}},
        "population: nobody in it has the keys of row",
    ),
    "abstaining from what is certain": (
        {"abstain": True},
        "abstain: needs population, weights or units",
    ),
    "abstain is not a flag": (
        {"abstain": 1, "weights": [1] * 4},
        "abstain: 1 is neither True nor False",
    ),
    "categories with weights": (
        {"fallback": "categories", "weights": [1] * 4},
        "fallback: cannot be used with population, weights or units",
    ),
    "a bad seed": ({"seed": -1}, "seed: int cannot be used"),
    "models without the model attack": ({"models": []}, "models: only attack='model' uses them"),
    "the model attack without models": (
        {"attack": "model"},
        "models: attack='model' needs the synthesis models",
    ),
    "no draws": ({"draws": 0}, "draws: 0 is not a whole number of 1 or more"),
    "groups by an unknown column": (
        {"by": "twon"},
        "by: 'twon' is not a column of the original data; did you mean 'town'",
    ),
    "groups by some unknown columns": (
        {"by": ["town", "agee"]},
        "by: 'agee' is not a column of the original data; did you mean 'age'",
    ),
    "groups of another length": ({"by": np.array([1, 2])}, "by: 2 values given for 4 records"),
    "groups of unequal lengths": (
        {"by": {"a": [1] * 4, "b": [1, 2]}},
        "by: 2 values given for 4 records",
    ),
    "groups that are none": ({"by": 3.5}, "by: 3.5 is not a column of the original data"),
}


@pytest.mark.parametrize("name", CASES)
def test_a_clear_error(name):
    arguments, message = CASES[name]
    with pytest.raises(InputError, match=message):
        call(**arguments)


@pytest.mark.parametrize(
    "make, message",
    [
        (lambda: Fixed(-1), "radius: -1 is not a number of at least 0"),
        (lambda: Relative(1), "share: 1 is not a number of at least 0 and below 1"),
        (lambda: Relative(-0.1), "share: -0.1"),
        (lambda: QuantileSD(0), "groups: 0 is not a whole number of 1 or more"),
        (lambda: QuantileSD(2.5), "groups: 2.5"),
        (lambda: Euclidean(-1), "radius: -1"),
        (lambda: Mahalanobis(1, None, [[1, 2]]), "square symmetric matrix"),
        (lambda: Mahalanobis(1, None, [["a"]]), "not a matrix of numbers"),
        (lambda: Mahalanobis(1, None, [[1, 2], [2, 1]]), "not positive definite"),
        (lambda: Mahalanobis(1, ["u"], [[-1]]), "the negative variance -1 on its diagonal"),
        (lambda: Mahalanobis(1, ["u", "v"], [[4, 0], [0, -2]]), "the negative variance -2"),
        (lambda: Mahalanobis(1, ["u"], [[0]]), "not positive definite"),
    ],
)
def test_intervals_and_distances_check_themselves(make, message):
    with pytest.raises(InputError, match=message):
        make()


# ---- columns that can hardly agree ---------------------------------------------------

ZIP = [f"0{i}" for i in range(1000, 1200)]
NUMBERS_AS_TEXT = {
    "leading zeros lost": (ZIP, [int(z) for z in ZIP]),
    "decimals": ([1.0, 2.0] * 100, ["1.0", "2.0"] * 100),
}
RAGGED = np.random.default_rng(0).normal(size=200)
STRANGERS = {
    "flags as text": ([True, False] * 100, ["True", "False"] * 100),
    "trailing blanks": (["a", "b"] * 100, ["a ", "b "] * 100),
    "reals that are never equal": (RAGGED, RAGGED * 1.001),
}


@pytest.mark.parametrize("attack", ["probability", "mode"])
@pytest.mark.parametrize("name", STRANGERS)
def test_a_key_that_cannot_match_is_refused(name, attack):
    original, released = (pd.DataFrame({"key": values}) for values in STRANGERS[name])
    with pytest.raises(InputError, match="the synthetic data, column 'key': no value in common"):
        identification_risk(released, original, known=[], synthesised="key", attack=attack, seed=1)
    with pytest.raises(InputError, match="synthetic data set 2, column 'key': no value in common"):
        identification_risk(
            [original, released], original, known=[], synthesised="key", attack=attack, seed=1
        )


@pytest.mark.parametrize("name", NUMBERS_AS_TEXT)
def test_numbers_and_their_texts_are_one_value(name):
    original, released = (pd.DataFrame({"key": values}) for values in NUMBERS_AS_TEXT[name])
    as_numbers = original.assign(key=original["key"].astype(float))
    found = identification_risk(released, original, known=[], synthesised="key")
    assert (
        found.expected
        == identification_risk(as_numbers, as_numbers, known=[], synthesised="key").expected
    )


def test_numbers_that_need_only_be_near_are_not_expected_to_agree():
    original, released = (
        pd.DataFrame({"key": values, "other": values})
        for values in STRANGERS["reals that are never equal"]
    )
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        near = identification_risk(
            released,
            original,
            known=[],
            synthesised=["key", "other"],
            intervals={"key": 0.1},
            distance=Euclidean(0.1, ["other"]),
        )
    assert near.expected > 0


def test_last_digits_lost_in_a_file(tmp_path):
    """Older pandas reads a third of such numbers with another last digit than it wrote. Numbers
    match with 15 digits, so that most of them still do; those that do not are told.
    """
    original = pd.DataFrame({"key": RAGGED, "town": "A"})
    original.to_csv(tmp_path / "released.csv", index=False)
    exactly = pd.read_csv(tmp_path / "released.csv", dtype=str).astype({"key": float})
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert identification_risk(exactly, original, known=[], synthesised="key").true == 200
        for interval in ({"key": 1e-6}, None):
            assert (
                identification_risk(
                    exactly, original, known="key", synthesised="town", intervals=interval
                ).true
                > 0
            )
    rounded = exactly.assign(
        key=np.where(np.arange(200) < 60, np.nextafter(exactly["key"], np.inf), exactly["key"])
    )
    pairs = zip(exactly["key"], rounded["key"])
    lost = sum(f"{before:.15g}" != f"{after:.15g}" for before, after in pairs)
    assert 0 < lost < 20
    told = f"the synthetic data, column 'key': {lost} synthetic and .*the last digits of numbers"
    with pytest.warns(DataWarning, match=told):
        found = identification_risk(rounded, original, known=[], synthesised="key")
    assert found.true == 200 - lost
    same = [
        f"{before:.15g}" == f"{after:.15g}"
        for before, after in zip(original["key"], rounded["key"])
    ]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        unchanged = identification_risk(
            rounded[same], original[same], known="key", synthesised="town"
        )
    assert unchanged.true == sum(same)
    odd = pd.DataFrame({"key": [np.inf, -np.inf, 0.5, 2.0**60]})
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert identification_risk(odd.copy(), odd, known=[], synthesised="key").true == 4


def test_doubles_are_compared_with_15_digits_as_in_disclosure():
    apart = pd.DataFrame({"at": [0.1 + 0.2, 1.0]}), pd.DataFrame({"at": [0.3, 1.0]})
    assert identification_risk(*apart, known=[], synthesised="at", fallback=False).true == 2
    longer = pd.DataFrame({"at": [0.3001, 1.0]}), pd.DataFrame({"at": [0.3, 1.0]})
    assert identification_risk(*longer, known=[], synthesised="at", fallback=False).true == 1
    with_x = [frame.assign(x=1) for frame in longer]
    with pytest.raises(InputError, match=r"known: 'at' differs .* in 1 of 2 records"):
        identification_risk(*with_x, known="at", synthesised="x")


# ---- what may look wrong and is correct ------------------------------------------------


def test_labels_matter_only_where_both_have_them():
    labelled = PEOPLE.set_axis([10, 20, 30, 40])
    for synthetic in (FAKE, FAKE.set_axis([10, 20, 30, 40]), SynDS(FAKE)):
        risk = call(original=labelled, synthetic=synthetic)
        assert call(synthetic=FAKE.set_axis([10, 20, 30, 40])).true == risk.true
        assert (
            risk.records().index.tolist() == [10, 20, 30, 40]
            and risk.records()["c"].tolist() == call().records()["c"].tolist()
        )


def test_data_are_not_modified():
    original, synthetic = PEOPLE.copy(), [FAKE.copy(), FAKE.copy()]
    risk = identification_risk(
        synthetic,
        original,
        known="sex",
        synthesised=["town", "age"],
        intervals={"age": 2},
        weights=[1, 2, 3, 4],
        by="town",
    )
    risk.path(), risk.records(), risk.by("sex"), repr(risk)
    pd.testing.assert_frame_equal(original, PEOPLE)
    pd.testing.assert_frame_equal(synthetic[0], FAKE)


def test_positions_and_one_record():
    assert call(known=1, synthesised=[2]).known == ("sex",)
    alone = identification_risk(FAKE.iloc[[0]], PEOPLE.iloc[[0]], known="sex", synthesised="town")
    assert (alone.n, alone.true, alone.expected) == (1, 1, 1.0)


def test_names_that_are_no_texts():
    odd = PEOPLE.rename(columns={"sex": 0, "town": ("a", "b")})
    risk = identification_risk(odd, odd, known=[0], synthesised=[("a", "b")])
    assert risk.known == (0,) and risk.synthesised == (("a", "b"),) and risk.true == 4
    assert risk.to_dict()["synthesised"] == ["('a', 'b')"]


def test_population_keys_may_have_the_name_of_the_count():
    people = PEOPLE.rename(columns={"town": "count"})
    risk = identification_risk(
        people,
        people,
        known="sex",
        synthesised="count",
        population={("f", "A"): 2, ("m", "A"): 2, ("f", "B"): 2, ("m", "B"): 2},
    )
    assert risk.records()["highest"].tolist() == [0.5] * 4
