"""What `identification_risk()` says to arguments it cannot use."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pytest

from synthpop_py import DataWarning, InputError, SynDS
from synthpop_py.matching import (
    Between,
    Euclidean,
    Fixed,
    LogLinear,
    Mahalanobis,
    QuantileSD,
    Relative,
    identification_risk,
)
from synthpop_py.synthesis import Multinomial

PEOPLE = pd.DataFrame(
    {
        "sex": ["f", "m", "f", "m"],
        "town": ["A", "A", "B", "B"],
        "age": [30, 40, 50, 60],
        "income": [1.0, 2.0, 3.0, 4.0],
    }
)
FAKE = PEOPLE.assign(town=["A", "B", "B", "B"], age=[31, 40, 50, 66])
BACKWARDS = {"original": PEOPLE.iloc[::-1], "synthetic": FAKE.iloc[::-1]}
AGE, INCOME = {"synthesised": ["age"]}, {"synthesised": ["income"]}
BOTH = {"synthesised": ["age", "income"]}
YEAR = pd.to_datetime("2020-01-01")


def call(original=PEOPLE, synthetic=FAKE, known="sex", synthesised=("town",), **more):
    return identification_risk(
        synthetic, original, known=known, synthesised=list(synthesised), **more
    )


def labelled(synthetic: str) -> dict:
    return {"original": PEOPLE.set_axis(list("wxyz")), "synthetic": FAKE.set_axis(list(synthetic))}


def own(records=(0, 3), towns=("A", "B"), sex=("f", "m"), **more) -> dict:
    """Two targets of the intruder's own."""
    targets = pd.DataFrame({"sex": list(sex), "town": pd.Series(list(towns), dtype=object)})
    return {"targets": targets, "target_records": records, **more}


def rich(*incomes, **more) -> dict:
    targets = pd.DataFrame(
        {"sex": ["f"] * len(incomes), "income": pd.Series(incomes, dtype=object)}
    )
    return {"targets": targets, "target_records": [0] * len(incomes), **INCOME, **more}


# what is given, and what the message says
CASES = [
    # the release
    ({"original": [1, 2]}, "original: list cannot be the original data, which are one DataFrame"),
    ({"original": PEOPLE.iloc[:0], "synthetic": FAKE.iloc[:0]}, "original: has no rows"),
    ({"synthetic": "x.csv"}, "synthetic: there is no file 'x.csv'"),
    ({"synthetic": 7}, "synthetic: int cannot be used"),
    ({"synthetic": []}, "synthetic: list cannot be used; give a SynDS, a DataFrame of pandas"),
    ({"synthetic": [[FAKE], []]}, "synthetic, nest 2: list cannot be used"),
    ({"synthetic": FAKE.iloc[:3]}, "synthetic: has 3 rows, the original 4"),
    ({"synthetic": [FAKE, FAKE.iloc[:3]]}, "synthetic, set 2: has 3 rows"),
    (labelled("xwyz"), "synthetic: has the original's row labels in another order; .*loc"),
    (labelled("abcd"), "synthetic: has row labels that differ from the original's; .*reset both"),
    ({"synthetic": [FAKE, FAKE.iloc[::-1]]}, "set 2: has the original's row labels in another"),
    ({"original": PEOPLE.iloc[::-1]}, "synthetic: has the original's row labels .*reset both"),
    ({"synthetic": FAKE.iloc[::-1].reset_index(drop=True)}, "known: 'sex' .* in 4 of 4 records"),
    ({"synthetic": [FAKE, FAKE.assign(sex="f")]}, "synthetic data set 2 in 2 of 4 .* in row 2"),
    ({"known": "age", "intervals": {"age": 2}}, "known: 'age' differs .* in 2 of 4 records"),
    # columns of two natures
    (
        {
            "original": PEOPLE.assign(town=[True, False] * 2),
            "synthetic": FAKE.assign(town=[1, 0] * 2),
        },
        "column 'town': holds numbers, the original data hold True and False",
    ),
    ({**AGE, "synthetic": [FAKE, FAKE.assign(age=YEAR)]}, "set 2, column 'age': holds dates"),
    ({"known": "age", "synthetic": FAKE.assign(age=[True, False] * 2)}, "holds True and False"),
    ({**AGE, "population": {("f", True): 3}}, "the population, column 'age': holds True and False"),
    (rich({True, False}), "the sets among the targets, column 'income': holds True and False"),
    # keys
    ({"synthesised": ["twon"]}, "synthesised: 'twon' is not a column .*; did you mean 'town'"),
    ({"synthetic": [FAKE, FAKE.drop(columns="town")]}, "'town' is not .* synthetic data set 2"),
    ({"synthetic": FAKE.drop(columns="sex")}, "known: 'sex' is not a column of the synthetic data"),
    ({"known": ["sex", "sex"]}, "known: 'sex' is given more than once"),
    ({"synthesised": ["town", "sex"]}, "synthesised: 'sex' is also among the known keys"),
    # the intruder
    ({"attack": "guess"}, "attack: 'guess' is unknown; choices: 'probability', 'mode', 'model'"),
    ({"boundary": "half"}, "boundary: 'half' is unknown; choices: 'closed', 'open'"),
    ({"fallback": "none"}, "fallback: 'none' is unknown; choices: True"),
    *(({"threshold": t}, f"threshold: {t!r} is not a number") for t in (0, 1.0, "0.2", np.nan)),
    ({"seed": -1}, "seed: int cannot be used"),
    ({"models": []}, "models: only attack='model' uses them"),
    ({"attack": "model"}, "models: attack='model' needs the synthesis models"),
    (
        {
            "known": [],
            "synthesised": [],
            "attack": "model",
            "models": [Multinomial("town", ["sex"])],
        },
        "models: attack='model' needs .* at least one key",
    ),
    ({"draws": 0}, "draws: 0 is not a whole number of 1 or more"),
    # numbers that need only be near
    ({"intervals": 2}, "intervals: 2 is not a mapping"),
    ({"intervals": {"income": 1}}, "intervals: 'income' is not a column of the keys"),
    ({**AGE, "intervals": {"age": -1}}, "intervals.'age'.: -1 is not a number of at least 0"),
    ({**AGE, "intervals": {"age": "wide"}}, "intervals.'age'.: 'wide' cannot be used; choices"),
    ({"intervals": {"town": 1}}, "intervals: 'town' is not numeric in the original data"),
    (
        {**AGE, "synthetic": [FAKE, FAKE.assign(age="old")], "intervals": {"age": 1}},
        "intervals: 'age' is not numeric in synthetic data set 2",
    ),
    (
        {**INCOME, "synthetic": FAKE.assign(income=np.inf), "intervals": {"income": 1}},
        "column 'income' of the synthetic data holds infinite values",
    ),
    ({"distance": 5}, "distance: 5 cannot be used; give Euclidean"),
    ({"distance": Euclidean(5, ["town"])}, "distance: 'town' is not numeric"),
    ({"distance": Euclidean(5)}, "distance: no numeric synthesised key is left"),
    ({"known": "age", "distance": Euclidean(5, ["age"])}, "distance: 'age' is not a column of"),
    ({**AGE, "distance": Euclidean(5, ["age", "age"])}, "distance: .* one is given more than once"),
    ({**AGE, "intervals": {"age": 1}, "distance": Euclidean(5, ["age"])}, "distance: 'age' is not"),
    ({**BOTH, "distance": Mahalanobis(1, ["age", "income"], [[1]])}, "covariances, 2 by 2"),
    ({**BOTH, "distance": Mahalanobis(1)}, "positive definite"),
    (rich(Between(1), distance=Euclidean(1, ["income"])), "distance: 'income' is not a column of"),
    (rich({1.0, "much"}, intervals={"income": 1}), "sets among the targets: mixes values"),
    # N_t
    ({"population": {}, "weights": [1] * 4}, "population, weights: give only one of them"),
    ({"weights": [1, 2]}, "weights: 2 given for 4 rows of the original data"),
    *(
        ({"weights": [1, bad, 3, 4]}, "weights: 1 of 4 are missing, infinite or negative, .* row 2")
        for bad in (-2, None, np.inf)
    ),
    ({"weights": list("abcd")}, "weights: not all of its values are numbers"),
    ({"weights": "wgt"}, "weights: 'wgt' cannot be used; give a column of the original data"),
    ({"weights": dict.fromkeys(range(4), 1)}, "weights: dict cannot be used"),
    ({"weights": [1e19] * 4}, "more than can be counted"),
    ({"weights": PEOPLE["income"].iloc[::-1]}, "weights: has row labels .* in another order"),
    ({**BACKWARDS, "weights": PEOPLE["income"]}, "weights: has row labels"),
    ({"population": pd.DataFrame({"sex": ["f"], "n": [3]})}, "population: has no column 'town'"),
    ({"population": PEOPLE.assign(n=1)}, "unclear which of age, income, n holds the counts"),
    ({"population": {"f": 3}}, "population: not all of its keys are combinations .* sex, town"),
    ({"population": pd.Series([3], index=pd.Index(["f"], name="sex"))}, "has no column 'town'"),
    ({"population": {("f", "A"): -3}}, "population: 1 of 1 are missing, infinite or negative"),
    ({"population": {("f", "A"): 3}}, "population: says that nobody has the keys of row"),
    ({"units": 0}, "units: says that nobody has the keys of row 1"),
    ({"units": [1, 2]}, "units: 2 given for 4 rows of the targets"),
    ({"units": "N"}, "units: 'N' cannot be used"),
    ({**BACKWARDS, "units": pd.Series([9] * 4)}, "units: has row labels"),
    ({"units": pd.Series(9, index=list("abcd"))}, "units: has row labels that differ"),
    ({"abstain": True}, "abstain: needs population, weights or units"),
    ({"abstain": 1, "weights": [1] * 4}, "abstain: 1 is neither True nor False"),
    ({"fallback": "categories", "weights": [1] * 4}, "fallback: cannot be used with population"),
    # targets of the intruder's own
    ({"targets": PEOPLE[:0], "target_records": []}, "targets: has no rows"),
    ({"targets": PEOPLE[["sex"]], "target_records": [0]}, "targets: has no column 'town'"),
    ({"target_records": [0]}, "target_records: says which records the targets are"),
    (own(None), "target_records: NoneType cannot be used; give a column of the targets"),
    (own([0]), "target_records: 1 given for 2 rows of the targets"),
    (own("who"), "target_records: 'who' cannot be used"),
    (own([0, 77]), "1 of 2 are not row labels of the original data, first 77 in row 2"),
    (
        own(original=PEOPLE.set_axis([0, 0, 1, 2])),
        "target_records: row labels of the original data occur more than once",
    ),
    (own(pd.Series([0, 1], index=[1, 0])), "target_records: has row labels .* in another order"),
    (own({1: 3, 0: 0}), "target_records: dict cannot be used"),
    (own({3, 0}), "target_records: set cannot be used"),
    (own(sex=["f", set()]), "targets: the set for 'sex' in row 2 is empty"),
    (own(sex=["f", [["f"]]]), "the set for 'sex' in row 2 .* does not hold plain values"),
    (own(towns=["A", Between(1, 2)]), "targets: 'town' is not numeric in the synthetic data"),
    (rich({10**400}), "holds whole numbers beyond 64 bits"),
    # keys known in groups
    ({"coarsen": [30]}, "coarsen: .* is not a mapping"),
    ({"coarsen": {"age": [30]}}, "coarsen: 'age' is not .* of the keys"),
    ({"coarsen": {"town": 7}}, "coarsen: 'town' is neither a number nor a date"),
    (
        {**INCOME, "coarsen": {"income": [30, 20]}},
        r"coarsen: \[30, 20\] for 'income' cannot be used",
    ),
    ({**INCOME, "coarsen": {"income": ["2020-02-01"]}}, r"not texts: datetime.date\(2020, 2, 1\)"),
    ({**INCOME, "coarsen": {"income": [10**400]}}, "coarsen: .* for 'income' cannot be used"),
    ({"coarsen": {"town": {}}}, "coarsen: the mapping for 'town' is empty"),
    (
        {"coarsen": {"town": {"A": []}}},
        "coarsen: the mapping for 'town' .* a group that is no name",
    ),
    ({"coarsen": {"town": {"A": 1}}}, "no group for the values of 2 of 4 records of the original"),
    ({"coarsen": {"town": pd.Series([1, 2], ["A", "A"])}}, "two groups for the same level"),
    (
        {**INCOME, "intervals": {"income": 1}, "coarsen": {"income": [30]}},
        "coarsen: 'income' is not a column of the keys that have no interval",
    ),
    (rich(Between(1), coarsen={"income": [30]}), "coarsen: 'income' is not a column of the keys"),
    # subgroups
    ({"by": "twon"}, "by: 'twon' is not a column of the original data; did you mean 'town'"),
    ({"by": ["town", "agee"]}, "by: 'agee' is not a column .*; did you mean 'age'"),
    ({"by": np.array([1, 2])}, "by: 2 values given for 4 records"),
    ({"by": {"a": [1] * 4, "b": [1, 2]}}, "by: 2 values given for 4 records"),
    ({"by": 3.5}, "by: 3.5 is not a column of the original data"),
    ({"by": PEOPLE["town"].sort_values(ascending=False)}, "by: has the original's row labels in"),
]


@pytest.mark.parametrize("given, message", CASES)
def test_a_clear_error(given, message):
    with pytest.raises(InputError, match=message):
        call(**given)


MAKERS = [
    (lambda: Fixed(-1), "radius: -1 is not a number of at least 0"),
    (lambda: Relative(1), "share: 1 is not a number of at least 0 and below 1"),
    (lambda: Relative(-0.1), "share: -0.1"),
    (lambda: QuantileSD(0), "groups: 0 is not a whole number of 1 or more"),
    (lambda: QuantileSD(2.5), "groups: 2.5"),
    (lambda: Euclidean(-1), "radius: -1"),
    *(
        (lambda matrix=matrix: Mahalanobis(1, None, matrix), "positive definite matrix")
        for matrix in ([[1, 2]], [["a"]], [[1, 2], [2, 1]], [[-1]], [[4, 0], [0, -2]], [[0]])
    ),
    (lambda: Between(5, 3), "Between: low=5 is above high=3"),
    *((lambda end=end: Between(end), "Between: .* is not a number") for end in ("a", np.nan, True)),
    (lambda: Between(10**400), "Between: an end is too large"),
    *(
        (lambda share=share: LogLinear(share), "units, fraction: .* is not a number above 0")
        for share in (0, 1.2, -0.5, "a", np.nan)
    ),
]


@pytest.mark.parametrize("make, message", MAKERS)
def test_intervals_distances_ends_and_models_check_themselves(make, message):
    with pytest.raises(InputError, match=message):
        make()


def test_details_have_the_levels_that_messages_do_not():
    with pytest.raises(InputError) as caught:
        call(coarsen={"town": {"A": 1}})
    assert "'B'" not in str(caught.value) and caught.value.details == {"levels": ("B",)}


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
