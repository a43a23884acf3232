"""`result.records(original)`: the same table is found again, another one is refused."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings

from synthpop_py import DataWarning, InputError, RDefectWarning, SynDS, disclosure
from tests.backends.sqlite import in_sqlite
from tests.unit.test_counted_tables import EXCLUSIONS, GROUPING, MODES, tables, written_out

MEASURES = ["UiO", "repU", "iS", "DiS", "DiSCO", "DiSDiO"]
OTHER = "original: its records are not those of this result"


def disclosed(synthetic, original, keys=("k",), target="t", **options):
    with warnings.catch_warnings():
        for expected in (RDefectWarning, DataWarning):
            warnings.simplefilter("ignore", expected)
        return disclosure(synthetic, original, list(keys), target, print_flag=False, **options)


# ---- the same table ------------------------------------------------------------------


@pytest.mark.parametrize("compat", MODES)
@settings(max_examples=60, deadline=None)
@given(tables(), tables(), GROUPING, EXCLUSIONS)
def test_records_are_found_again(compat, original, synthetic, grouping, exclusions):
    call = {"keys": ("k", "x"), "compat": compat, **grouping, **exclusions}
    try:
        counted = disclosed(SynDS(synthetic), original, counts="n", **call)
    except InputError:
        return
    tall = written_out(original)
    expanded = disclosed(SynDS(written_out(synthetic)), tall, **call)
    try:
        by_row = counted.records(original)
    except InputError:  # keys with " | ", which R splits there
        assert compat != "corrected"
        counted, expanded = counted.corrected, expanded.corrected
        by_row = counted.records(original)
    by_record = expanded.records(tall)
    with_records = np.flatnonzero(original.n)
    assert by_row.record.tolist() == with_records.tolist()
    assert by_row.n.tolist() == original.n[with_records].tolist()
    repeated = by_row.loc[by_row.index.repeat(by_row.n)].drop(columns=["record", "n"])
    found = repeated.reset_index(drop=True)
    pd.testing.assert_frame_equal(found, by_record.drop(columns="record"))
    if counted.corrected is not None:
        assert len(counted.corrected.records(original)) == len(by_row)


def test_numerators_are_sums_of_counts():
    frame = pd.DataFrame({"k": ["a", "a", "b", "c"], "t": ["x", "y", "x", "y"], "n": [3, 0, 2, 1]})
    result = disclosed(frame, frame, counts="n", compat="corrected")
    records = result.records(frame)
    for measure in MEASURES:
        assert records.n[records[measure]].sum() == result.shares[0][measure].numerator
    assert records.record.tolist() == [0, 2, 3]


def test_records_in_a_database_are_found_again():
    frame = pd.DataFrame({"k": ["a", "a", "b"], "t": ["x", "y", "x"]})
    result = disclosed(frame, frame, compat="corrected")
    assert len(result.records(in_sqlite(frame, "data"))) == 3


def test_records_are_found_again_where_r_groups_another_key():
    """R gives the classes of the first key asked for to the first in the data, a text (D3)."""
    original = pd.DataFrame({"k": list("aabb") * 5, "x": np.arange(20), "t": list("xyyyx") * 4})
    result = disclosed(original, original, ("x", "k"), ngroups_keys=[3, 0])
    assert not result.groupings and result.corrected.groupings
    assert len(result.records(original)) == len(result.corrected.records(original)) == 20


# ---- another table -------------------------------------------------------------------


@pytest.mark.parametrize("compat", MODES)
def test_a_filled_gap_is_another_table(compat):
    original = pd.DataFrame({"k": ["a", None, "Missing", "b"] * 3, "t": list("xyxy") * 3})
    result = disclosed(original, original, compat=compat)
    assert len(result.records(original)) == 12
    with pytest.raises(InputError, match=OTHER):
        result.records(original.fillna("Missing"))


@pytest.mark.parametrize("compat", MODES)
def test_keys_that_r_glues_into_one_text_are_other_keys(compat):
    original = pd.DataFrame({"a": ["a | b", "a", "a"], "b": ["c", "b | c", "b"], "t": list("xyx")})
    result = disclosed(original, original, ("a", "b"), compat=compat)
    if compat != "corrected":
        with pytest.raises(InputError, match=r"where R pastes keys \(D10, D12\); ask"):
            result.records(original)
        result = result.corrected
    assert len(result.records(original)) == 3
    exchanged = original.assign(a=["a", "a | b", "a"], b=["b | c", "c", "b"])
    with pytest.raises(InputError, match="original: has records that this result does not know"):
        result.records(exchanged)


@pytest.mark.parametrize("compat", MODES)
def test_other_values_of_the_same_class_are_another_table(compat):
    original = pd.DataFrame({"x": np.arange(40), "k": list("ab") * 20, "t": list("xxyy") * 10})
    result = disclosed(original, original, ("x", "k"), ngroups_keys=[4, 0], compat=compat)
    assert len(result.records(original)) == 40
    with pytest.raises(InputError, match=OTHER):
        result.records(original.assign(x=original.x.replace(1, 2)))


def test_another_count_is_another_table():
    frame = pd.DataFrame({"k": ["a", "a", "b"], "t": ["x", "y", "x"], "n": [3, 1, 2]})
    result = disclosed(frame, frame, counts="n", compat="corrected")
    with pytest.raises(InputError, match=OTHER):
        result.records(frame.assign(n=[2, 1, 2]))
    with pytest.raises(InputError, match="counts: 'n' is not a column of original"):
        result.records(frame[["k", "t"]])
