from __future__ import annotations

import dataclasses

import numpy as np
import pandas as pd
import pytest

from synthpop_py.errors import InputError, SynthpopError
from synthpop_py.synds import SynDS


@pytest.fixture
def frame() -> pd.DataFrame:
    return pd.DataFrame({"sex": ["F", "M", "F"], "income": [800.0, -8.0, np.nan]})


def test_one_frame_is_a_synthesis_with_m_1(frame):
    synthesis = SynDS(frame)
    assert synthesis.m == 1
    pd.testing.assert_frame_equal(synthesis.syn[0], frame)
    assert synthesis.cont_na == {}
    assert synthesis.meta == {}


def test_list_keeps_its_frames_in_order(frame):
    other = frame.iloc[::-1]
    synthesis = SynDS([frame, other])
    assert synthesis.m == 2
    pd.testing.assert_frame_equal(synthesis.syn[0], frame)
    pd.testing.assert_frame_equal(synthesis.syn[1], other)


def test_callers_objects_are_not_tied_to_the_synthesis(frame):
    frames, special = [frame], {"income": [-8]}
    synthesis = SynDS(frames, special)
    frames.append(frame)
    special["income"].append(-9)
    assert synthesis.m == 1
    assert synthesis.cont_na == {"income": (-8,)}


@pytest.mark.parametrize("given", [-8, [-8], (-8, -8), [np.nan, -8], np.array([-8]), [None, -8]])
def test_cont_na_becomes_a_tuple_without_missing_values(frame, given):
    assert SynDS(frame, {"income": given}).cont_na == {"income": (-8,)}


def test_cont_na_with_only_missing_values_is_dropped(frame):
    assert SynDS(frame, {"income": np.nan, "sex": None}).cont_na == {}


def test_text_is_one_special_value(frame):
    assert SynDS(frame, {"sex": "unknown"}).cont_na == {"sex": ("unknown",)}


def test_repr_is_one_short_line(frame):
    assert repr(SynDS([frame, frame])) == "SynDS(m=2, 3 rows, 2 columns)"
    assert repr(SynDS(frame, {"income": -8})) == "SynDS(m=1, 3 rows, 2 columns, cont_na: income)"


def test_is_frozen(frame):
    synthesis = SynDS(frame)
    with pytest.raises(dataclasses.FrozenInstanceError):
        synthesis.cont_na = {}


def test_meta_is_kept(frame):
    assert SynDS(frame, meta={"seed": 8564}).meta == {"seed": 8564}


@pytest.mark.parametrize(
    "arguments, message",
    [
        (
            ({"sex": ["F"]},),
            "frames: element 1 is a list, not a DataFrame of pandas, polars or Arrow or a table"
            " of an engine",
        ),
        (
            ([],),
            "frames: list cannot be used; give a SynDS, a DataFrame of pandas, polars or Arrow, a"
            " table of an engine, the path of a file, or a non-empty list of these",
        ),
        (
            ([7],),
            "frames: element 1 is a int, not a DataFrame of pandas, polars or Arrow or a table"
            " of an engine",
        ),
    ],
)
def test_unusable_frames(arguments, message):
    with pytest.raises(InputError) as caught:
        SynDS(*arguments)
    assert str(caught.value) == message


def test_sets_with_different_columns(frame):
    with pytest.raises(
        InputError, match=r"frames: element 2 has the columns \['sex'\], element 1 has"
    ):
        SynDS([frame, frame[["sex"]]])


def test_cont_na_for_an_unknown_column_suggests_the_nearest(frame):
    with pytest.raises(InputError) as caught:
        SynDS(frame, {"incom": -8})
    assert (
        str(caught.value)
        == "cont_na: 'incom' is not a column of the synthetic data; did you mean 'income'?"
    )
    with pytest.raises(InputError, match="choices: sex, income"):
        SynDS(frame, {"zzz": -8})


def test_cont_na_that_is_no_mapping(frame):
    with pytest.raises(InputError, match=r"cont_na: \[-8\] is not a mapping"):
        SynDS(frame, [-8])


def test_cont_na_with_a_nested_value(frame):
    with pytest.raises(InputError, match=r"cont_na: \[-8\] for 'income' is not a single value"):
        SynDS(frame, {"income": [[-8]]})


def test_errors_share_the_base_class_and_are_value_errors():
    assert issubclass(InputError, SynthpopError) and issubclass(InputError, ValueError)


def test_sets_of_different_lengths_are_shown_as_such():
    frame = pd.DataFrame({"x": [1, 2, 3]})
    assert repr(SynDS([frame, frame.head(2)])) == "SynDS(m=2, 2 to 3 rows, 1 columns)"
