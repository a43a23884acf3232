from __future__ import annotations

import dataclasses
import re

import numpy as np
import pandas as pd
import pytest

from synthpop_py.errors import InputError, SynthpopError
from synthpop_py.synds import SynDS

FRAME = pd.DataFrame({"sex": ["F", "M", "F"], "income": [800.0, -8.0, np.nan]})


def test_one_frame_is_a_synthesis_with_m_1():
    synthesis = SynDS(FRAME, meta={"seed": 8564})
    assert synthesis.m == 1 and synthesis.cont_na == {} and synthesis.meta == {"seed": 8564}
    pd.testing.assert_frame_equal(synthesis.syn[0], FRAME)
    with pytest.raises(dataclasses.FrozenInstanceError):
        synthesis.cont_na = {}


def test_callers_objects_are_not_tied_to_the_synthesis():
    frames, special = [FRAME, FRAME.iloc[::-1]], {"income": [-8]}
    synthesis = SynDS(frames, special)
    frames.append(FRAME)
    special["income"].append(-9)
    assert synthesis.m == 2 and synthesis.cont_na == {"income": (-8,)}
    pd.testing.assert_frame_equal(synthesis.syn[1], FRAME.iloc[::-1])


@pytest.mark.parametrize("given", [-8, [-8], (-8, -8), [np.nan, -8], np.array([-8]), [None, -8]])
def test_cont_na_becomes_a_tuple_without_missing_values(given):
    assert SynDS(FRAME, {"income": given, "sex": None}).cont_na == {"income": (-8,)}
    assert SynDS(FRAME, {"sex": "unknown"}).cont_na == {"sex": ("unknown",)}


@pytest.mark.parametrize(
    "arguments, shown",
    [
        (([FRAME, FRAME],), "SynDS(m=2, 3 rows, 2 columns)"),
        ((FRAME, {"income": -8}), "SynDS(m=1, 3 rows, 2 columns, cont_na: income)"),
        (([FRAME, FRAME.head(2)],), "SynDS(m=2, 2 to 3 rows, 2 columns)"),
    ],
)
def test_repr_is_one_short_line(arguments, shown):
    assert repr(SynDS(*arguments)) == shown


@pytest.mark.parametrize(
    "arguments, message",
    [
        (({"sex": ["F"]},), "frames: element 1 is a list, not a DataFrame of pandas, polars or"),
        (
            ([],),
            "frames: list cannot be used; give a SynDS, a DataFrame of pandas, polars or Arrow",
        ),
        (
            ([7],),
            "frames: element 1 is a int, not a DataFrame of pandas, polars or Arrow or a table",
        ),
        (([FRAME, FRAME[["sex"]]],), "frames: element 2 has the columns ['sex'], element 1 has"),
        (
            (FRAME, {"incom": -8}),
            "'incom' is not a column of the synthetic data; did you mean 'inc",
        ),
        ((FRAME, {"zzz": -8}), "choices: sex, income"),
        ((FRAME, [-8]), "cont_na: [-8] is not a mapping"),
        ((FRAME, {"income": [[-8]]}), "cont_na: [-8] for 'income' is not a single value"),
    ],
)
def test_bad_input_is_named(arguments, message):
    with pytest.raises(InputError, match=re.escape(message)):
        SynDS(*arguments)
    assert issubclass(InputError, SynthpopError) and issubclass(InputError, ValueError)
