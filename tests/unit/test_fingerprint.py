"""Fingerprints: the same for the same records wherever they live, another for other records."""

from __future__ import annotations

import hashlib
import itertools
import json
import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from synthpop_py import (
    Disclosure,
    InputError,
    SynDS,
    disclosure,
    estimand_overlap,
    identification_risk,
    key_risk,
    multi_disclosure,
    propensity_utility,
    replicated_uniques,
    ru_map,
    synorig_compare,
    table_utility,
)
from synthpop_py.estimation import Means
from tests.backends.sqlite import in_sqlite
from tests.unit.test_counted_tables import MODES, tables, written_out

KEYS = ["k", "x"]
USED = [*KEYS, "t"]


def fingerprints(released, original, **options) -> dict:
    options = {"print_flag": False, **options}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        result = disclosure(released, original, KEYS, "t", **options)
    return result.to_dict(original_fingerprint=True)["fingerprint"]


def of_frame(frame: pd.DataFrame) -> str:
    return SynDS(frame).to_dict()["fingerprint"]["synthetic"][0]


@settings(max_examples=60, deadline=None)
@given(tables(), tables(), st.sampled_from(MODES), st.randoms(use_true_random=False))
def test_order_engine_and_mode_do_not_matter(released, original, compat, random):
    records = written_out(released), written_out(original)
    expected = fingerprints(*records, compat="corrected")
    shuffled = [frame.sample(frac=1, random_state=random.randrange(1000)) for frame in records]
    assert fingerprints(*shuffled, compat="corrected") == expected
    assert fingerprints(*records, compat=compat) == expected
    assert fingerprints(released, original, counts="n", compat=compat) == expected
    assert fingerprints(*map(in_sqlite, records), compat=compat) == expected
    assert fingerprints(SynDS(records[0]), records[1], compat=compat) == expected


@settings(max_examples=60, deadline=None)
@given(tables(), tables())
def test_it_depends_on_one_table_alone(released, original):
    frames = [written_out(frame)[USED] for frame in (released, original)]
    both = fingerprints(*frames, compat="corrected")
    assert both["synthetic"] == [of_frame(frames[0])] and both["original"] == of_frame(frames[1])


@settings(max_examples=100, deadline=None)
@given(tables(), st.data())
def test_one_changed_value_changes_it(frame, data):
    records = written_out(frame)[USED]
    row = data.draw(st.integers(0, len(records) - 1))
    column = data.draw(st.sampled_from(USED))
    choices = {"k": ["a", "b", "other"], "x": [1.0, 2.5, None], "t": ["u", "v", None]}
    value = data.draw(st.sampled_from(choices[column]))
    before = records.at[row, column]
    assume(before != value and not (pd.isna(before) and value is None))
    changed = records.copy()
    changed.loc[row, column] = value
    assert of_frame(changed) != of_frame(records)


def test_one_record_more_changes_it():
    frame = pd.DataFrame({"k": ["a", "b"]})
    assert of_frame(frame.loc[[0, 1, 1]]) != of_frame(frame)


@pytest.mark.parametrize(
    "first, second",
    [
        ([1, 2, 2], [1.0, 2.0, 2.0]),
        ([1, 2, 2], ["1", "2", "2"]),
        ([100_000, 1], [1e5, 1.0]),
        ([1e5, 2.5, 1e-4], ["100000", "2.5", "0.0001"]),
        (["a", "b"], pd.Categorical(["a", "b"], categories=["c", "b", "a"])),
        ([True, False], ["TRUE", "FALSE"]),
        (pd.array([1, None], dtype="Int64"), [1.0, None]),
        (pd.to_datetime(["2020-02-01", "2021-03-04"]), ["2020-02-01", "2021-03-04"]),
    ],
)
def test_a_value_is_written_in_one_way_whatever_holds_it(first, second):
    assert of_frame(pd.DataFrame({"x": first})) == of_frame(pd.DataFrame({"x": second}))


@pytest.mark.parametrize("text", ["NA", "Missing", "nan", ""])
def test_missing_is_no_text(text):
    gap = pd.DataFrame({"x": ["a", None]})
    assert of_frame(gap) != of_frame(gap.fillna(text))


def test_names_matter_and_the_order_of_columns_does_not():
    frame = pd.DataFrame({"a": [1, 2], "b": [2, 1]})
    assert of_frame(frame) == of_frame(frame[["b", "a"]])
    assert of_frame(frame) != of_frame(frame.rename(columns={"b": "c"}))


def test_many_columns_are_more_than_64_bits():
    numbers = np.arange(6_000).reshape(300, 20) * 7
    wide = pd.DataFrame(numbers, columns=[f"x{i}" for i in range(20)])
    assert of_frame(wide) == of_frame(wide[::-1])
    assert of_frame(wide) != of_frame(wide.assign(x19=wide.x19[::-1].to_numpy()))


def test_of_the_syntheses_that_were_read():
    """R goes on with the first of several plain frames alone (D28)."""
    original = pd.DataFrame({"k": ["a", "b", "a"], "x": [1, 2, 1], "t": ["u", "v", "u"]})
    released = [original.assign(x=[1.0, 2.0, number]) for number in (1, 2)]
    read = [of_frame(frame) for frame in released]
    assert fingerprints(released, original)["synthetic"] == read[:1]
    assert fingerprints(released, original, compat="corrected")["synthetic"] == read


def a_result() -> Disclosure:
    frame = pd.DataFrame({"k": ["a", "b", "b"], "x": [1, 2, 2], "t": ["u", "v", "u"]})
    return disclosure(frame, frame, KEYS, "t", print_flag=False)


def test_the_original_only_on_request_and_never_beside_hidden_counts():
    result = a_result()
    assert set(result.to_dict()["fingerprint"]) == {"columns", "synthetic"}
    asked = json.loads(result.to_json(original_fingerprint=True))["fingerprint"]
    assert asked["original"] == asked["synthetic"][0]
    with pytest.raises(InputError, match="original_fingerprint: cannot be used with min_cell=10"):
        result.to_dict(min_cell=10, original_fingerprint=True)
    with pytest.raises(InputError, match="original_fingerprint"):
        result.to_dict(original_fingerprint="yes")


def test_a_result_that_was_read_keeps_what_it_read():
    result = a_result()
    read = Disclosure.from_dict(result.to_dict())
    assert read.to_dict() == result.to_dict()
    with pytest.raises(InputError, match="keeps nothing to make it from"):
        read.to_dict(original_fingerprint=True)
    kept = Disclosure.from_dict(result.to_dict(original_fingerprint=True))
    assert kept.to_dict() == result.to_dict()
    assert kept.to_json(original_fingerprint=True) == result.to_json(original_fingerprint=True)


@pytest.mark.parametrize("wrong", ["abc", {"columns": ["k"]}, {"columns": "k", "synthetic": []}])
def test_what_is_no_fingerprint_is_refused(wrong):
    with pytest.raises(InputError, match="content: "):
        Disclosure.from_dict(a_result().to_dict() | {"fingerprint": wrong})


def test_a_summary_has_one_of_all_its_targets():
    frame = pd.DataFrame({"k": ["a", "b", "b"], "t": ["u", "v", "u"], "f": [1, 2, 3]})
    other = frame.assign(f=[2, 1, 3])
    options = {"print_flag": False}

    def of_summary(released: pd.DataFrame) -> dict:
        summary = multi_disclosure(released, frame, ["k"], ["t", "f"], **options)
        return summary.to_dict(original_fingerprint=True)["fingerprint"]

    assert of_summary(frame)["columns"] == ["f", "k", "t"]
    assert of_summary(frame)["original"] == of_summary(frame[::-1])["synthetic"][0]
    assert of_summary(other)["synthetic"] != of_summary(frame)["synthetic"]
    assert of_summary(other)["original"] == of_summary(frame)["original"]


def test_values_that_cannot_be_compared_have_none():
    assert SynDS(pd.DataFrame({"x": [[1], [2]]})).to_dict()["fingerprint"] is None


# ---- values, not classes; texts as they are ------------------------------------------


def of_call(released, original, keys=("k",), **options) -> dict:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        result = disclosure(released, original, list(keys), "t", print_flag=False, **options)
    return result.to_dict(original_fingerprint=True)["fingerprint"]


@pytest.mark.parametrize("compat", MODES)
def test_numbers_in_classes_count_by_their_values(compat):
    frame = pd.DataFrame({"k": np.arange(100.0), "t": np.arange(100) // 50})
    other = frame.assign(k=frame.k.replace(10.0, 10.5))
    options = {"ngroups_keys": 2, "compat": compat}
    assert of_call(frame, frame, **options)["synthetic"] == [of_frame(frame)]
    assert of_call(frame, frame, **options) == of_call(frame, frame, compat=compat)
    assert of_call(frame, other, **options)["original"] == of_frame(other) != of_frame(frame)


def test_classes_of_a_target_and_of_a_summary_too():
    frame = pd.DataFrame({"k": list("ab") * 50, "t": np.arange(100.0) * 3})
    other = frame.assign(t=frame.t.replace(30.0, 31.0))
    options = {"print_flag": False, "ngroups_targets": 3}

    def of_summary(original: pd.DataFrame) -> dict:
        summary = multi_disclosure(frame, original, ["k"], ["t"], **options)
        return summary.to_dict(original_fingerprint=True)["fingerprint"]

    assert of_call(frame, frame, ngroups_target=3)["synthetic"] == [of_frame(frame)]
    assert of_summary(frame)["original"] != of_summary(other)["original"]


TEXTS = (["1e+05", "1"], ["100000", "1"], ["1e5", "1"], ["100000.0", "1"], ["1e+05", "1.0"])


@pytest.mark.parametrize("first, second", list(itertools.combinations(TEXTS, 2)))
def test_different_texts_are_different_values(first, second):
    frames = [pd.DataFrame({"k": texts, "t": ["u", "v"]}) for texts in (first, second)]
    assert of_frame(frames[0]) != of_frame(frames[1])
    originals = [of_call(frame, frame)["original"] for frame in frames]
    assert originals == [of_frame(frame) for frame in frames]


def test_two_texts_of_one_number_stay_two_beside_numbers():
    numbers = pd.DataFrame({"k": [100_000, 1, 1], "t": ["u", "v", "u"]})
    texts = numbers.assign(k=["1e+05", "100000", "1"])
    found = of_call(texts, numbers)
    assert found["synthetic"] == [of_frame(texts)] and found["original"] == of_frame(numbers)
    found = of_call(numbers, texts)
    assert found["synthetic"] == [of_frame(numbers)] and found["original"] == of_frame(texts)


def test_labels_of_a_factor_that_are_numbers_are_numbers():
    numbers = pd.DataFrame({"x": [1e5, 0.5]})
    assert of_frame(numbers.astype("category")) == of_frame(numbers)


# ---- of every function that counts ---------------------------------------------------


def of_all_functions(released, original, **options) -> list[dict | None]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        results = [
            key_risk(released, original, KEYS, "t", **options),
            key_risk(released, original, KEYS, "t", ngroups_keys=[0, 2], **options),
            replicated_uniques(released, original, USED, **options),
        ]
    return [result.to_dict(original_fingerprint=True)["fingerprint"] for result in results]


@settings(max_examples=30, deadline=None)
@given(tables(), tables())
def test_every_function_of_one_call_says_the_same(released, original):
    frames = [written_out(frame)[USED] for frame in (released, original)]
    assume(all(frame.x.notna().any() for frame in frames))
    expected = {
        "columns": sorted(USED),
        "synthetic": [of_frame(frames[0])],
        "original": of_frame(frames[1]),
    }
    assert of_all_functions(*frames) == [expected] * 3
    assert of_all_functions(released, original, counts="n") == [expected] * 3
    assert of_all_functions(*map(in_sqlite, frames)) == [expected] * 3


def test_r_and_its_correction_are_about_the_same_data():
    frame = pd.DataFrame({"k": ["a", "b", "b"]})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        result = replicated_uniques(frame, frame, ["k"])
    content = result.to_dict()
    assert content["corrected"]["fingerprint"] == content["fingerprint"]
    assert content["fingerprint"]["synthetic"] == [of_frame(frame)]


def test_too_many_values_have_none_whatever_their_order():
    many = pd.DataFrame({"a": np.arange(50_000) // 2 / 7, "b": ["x", "y"] * 25_000})
    shuffled = many.sample(frac=1, random_state=1)
    few = many.assign(a=(many.a * 7) // 20 / 7)
    found = [key_risk(frame, frame, "a", "b").to_dict() for frame in (many, shuffled, few)]
    assert [content["fingerprint"] for content in found[:2]] == [None, None]
    assert found[2]["fingerprint"]["synthetic"] == [of_frame(few)]


# ---- the definition, written out -----------------------------------------------------


def in_bytes(numbers: list[int]) -> bytes:
    width = next(bytes_ for bytes_ in (1, 2, 4, 8) if max(numbers) < 256**bytes_)
    return b"".join(number.to_bytes(width, "little") for number in numbers)


def by_definition(frame: pd.DataFrame) -> str:
    """As the docstring of `fingerprint` has it, of texts and gaps, record by record."""
    named = []
    for name in sorted(frame.columns):
        texts = [None if pd.isna(text) else text for text in frame[name]]
        distinct = sorted({text for text in texts if text is not None})
        named.append((name, [None] * (None in texts) + distinct, texts))
    head = [(name, values) for name, values, _ in named]
    digest = hashlib.sha256(json.dumps(head, separators=(",", ":")).encode())
    rows, size = [0] * len(frame), 1
    for _, values, texts in named:
        if size * len(values) > 2**62:
            so_far = sorted(set(rows))
            digest.update(in_bytes(so_far))
            rows, size = [so_far.index(row) for row in rows], len(so_far)
        rows = [row * len(values) + values.index(text) for row, text in zip(rows, texts)]
        size *= len(values)
    occurring = sorted(set(rows))
    digest.update(in_bytes(occurring))
    digest.update(in_bytes([rows.count(row) for row in occurring]))
    return digest.hexdigest()


def some_texts(columns: int, records: int, levels: int, seed: int = 1) -> pd.DataFrame:
    """Texts of which some are missing, and which are not the same in every table."""
    generator = np.random.default_rng(seed)
    values = {}
    for position in range(columns):
        codes = generator.integers(0, levels, records).tolist()
        values[f"c{position}"] = [None if code == 0 else f"v{code}" for code in codes]
    return pd.DataFrame(values)


# counted densely, by sorting, and packed because rows would pass 2^62
SHAPES = {"dense": (3, 300, 6), "sorted": (6, 300, 40), "packed": (14, 300, 60)}


@pytest.mark.parametrize("shape", SHAPES)
def test_it_is_what_the_definition_says(shape):
    released, original = (some_texts(*SHAPES[shape], seed=seed) for seed in (1, 2))
    original = original.replace({"c0": {"v3": "v99", "v4": None}})  # levels that one side has alone
    wanted = by_definition(released), by_definition(original)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        *candidates, target = original.columns
        results = [
            replicated_uniques(released, original),
            table_utility(released, original),
            key_risk(released, original, candidates, target, max_keys=1),
            disclosure(released, original, candidates, target, print_flag=False),
        ]
    for result in results:
        told = result.to_dict(original_fingerprint=True)["fingerprint"]
        assert (told["synthetic"][0], told["original"]) == wanted
    assert (of_frame(released), of_frame(original)) == wanted


# ---- arguments -----------------------------------------------------------------------


ASKED = {
    "denom_lim": 7,
    "exclude_ov_denom_lim": True,
    "not_targetlev": "u",
    "usetargetNA": False,
    "usekeysNA": [True, False],
    "exclude_keys": ["k"],
    "exclude_keylevs": ["b"],
    "exclude_targetlevs": ["v"],
    "ngroups_keys": [2, 0],
    "thresh_1way": (40, 70),
    "thresh_2way": (3, 60),
    "cont_na": {"x": -8},
    "collation": "C",
    "compare_synorig": False,
    "style": "fixed",
    "fixedBreaks": [-9, 1, 9],
    "counts": "n",
    "digits": 3,
    "to_print": ["ident", "attrib"],
    "certainty": 0.75,
    "compat": "corrected",
}


def test_a_dictionary_has_all_arguments():
    x = [1.0, 2.0, -8.0, 4.0]
    frame = pd.DataFrame({"k": list("abab"), "x": x, "t": list("uvwv"), "n": [1, 2, 3, 4]})
    result = disclosure(frame, frame, ["x", "k"], "t", print_flag=False, **ASKED)
    content = result.to_dict()
    expected = ASKED | {
        "keys": ["x", "k"],
        "target": "t",
        "not_targetlev": ["u"],
        "cont_na": {"x": [-8]},
        "thresh_1way": [40, 70],
        "thresh_2way": [3, 60],
        "ngroups_target": 0,
    }
    assert content["arguments"] == expected
    assert Disclosure.from_dict(content).to_dict() == content
    assert Disclosure.from_json(result.to_json()).to_json() == result.to_json()


def test_so_has_that_of_a_summary():
    frame = pd.DataFrame({"k": list("abab"), "x": [1.0, 2.0, -8.0, 4.0], "t": list("uvwv")})
    result = multi_disclosure(
        frame,
        frame,
        ["x", "k"],
        ["t"],
        not_targetslev=["u"],
        usekeysNA=[False, True],
        ngroups_keys=[2, 0],
        thresh_1way=(40, 70),
        exclude_keys=[["k"]],
        exclude_keylevs=[["b"]],
        exclude_targetlevs=[["v"]],
        compat="corrected",
        print_flag=False,
    )
    content = result.to_dict()
    arguments = content["arguments"]
    assert arguments["keys"] == ["x", "k"] and arguments["usekeysNA"] == [False, True]
    assert arguments["ngroups_keys"] == [2, 0] and arguments["thresh_1way"] == [40, 70]
    assert arguments["not_targetslev"] == ["u"] and arguments["exclude_keylevs"] == [["a"]]
    single = content["output_list"]["t"]
    assert single["arguments"]["thresh_1way"] == [40, 70]
    assert Disclosure.from_dict(single).to_dict() == single
    assert json.loads(result.to_json()) == content


# ---- results of functions that look at records one by one ----------------------------

SIX = pd.DataFrame({"sex": list("ffmmfm"), "town": list("AABBBA"), "age": [20, 30, 30, 40, 50, 60]})
FAKE = SIX.assign(town=list("ABBBBB"))
ONE_BY_ONE = {
    "table_utility": lambda s: table_utility(s, SIX, ["sex", "town"]),
    "propensity_utility": lambda s: propensity_utility(s, SIX, ["sex", "town"]),
    "estimand_overlap": lambda s: estimand_overlap(s[["sex", "town", "age"]], SIX, [Means("age")]),
    "synorig_compare": lambda s: synorig_compare(s[["sex", "town"]], SIX, print_flag=False),
    "identification_risk": lambda s: identification_risk(s, SIX, known="sex", synthesised="town"),
    "ru_map": lambda s: ru_map(
        {"one": s, "other": SIX}, SIX, keys=["sex", "town"], variables=["sex", "town"], risk="repU"
    ),
}


@pytest.mark.parametrize("function", ONE_BY_ONE)
def test_every_result_that_saw_the_data_can_tell_which_they_were(function):
    columns = ["sex", "town", "age"] if function == "estimand_overlap" else ["sex", "town"]
    (wanted,) = SynDS(FAKE[columns]).to_dict()["fingerprint"]["synthetic"]
    (of_people,) = SynDS(SIX[columns]).to_dict()["fingerprint"]["synthetic"]
    told = ONE_BY_ONE[function](FAKE).to_dict(original_fingerprint=True)["fingerprint"]
    assert list(told["columns"]) == sorted(columns)
    assert told["synthetic"][0] == wanted != of_people
    assert told["original"] == of_people
    if function == "ru_map":
        assert told["synthetic"][1] == of_people


def test_fractions_beside_whole_numbers_are_told_apart():
    """Wide numbers, which are looked up: 0.3 and 0.25 were both written 0 there."""
    people = pd.DataFrame({"k": [0, 50_000_000, 7] * 4, "t": list("xyz") * 4})
    found = set()
    for fraction in (0.3, 0.25, 0.0):
        fake = pd.DataFrame({"k": [fraction, 7.0] * 6, "t": list("xz") * 6})
        result = disclosure(fake, people, ["k"], "t", print_flag=False, compat="corrected")
        found |= set(result.to_dict()["fingerprint"]["synthetic"])
    assert len(found) == 3
