"""Codes of key combinations: equal where the keys are, whatever the numbers are and however many
there are.
"""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from synthpop_py import SynDS, datasets, disclosure, key_risk, replicated_uniques
from synthpop_py.core.coding import encode, joint_codes
from synthpop_py.core.columns import Column

FIRST_VALUES = (
    0,
    1,
    -5,
    1920,
    -(2**31),
    20_240_000_000_000,
    -(2**50),
    2**62,
    -(2**63),
    2**63 - 10_000,
)


@st.composite
def two_tables(draw):
    """Keys of two tables: whole numbers that begin anywhere and range over up to some thousand."""
    rows = st.integers(1, 30)
    sizes = [draw(rows), draw(rows)]
    keys = draw(
        st.lists(
            st.tuples(st.sampled_from(FIRST_VALUES), st.integers(1, 900)), min_size=1, max_size=12
        )
    )
    seed = draw(st.integers(0, 10_000))
    generator = np.random.default_rng(seed)
    return [[first + generator.integers(0, levels, n) for n in sizes] for first, levels in keys]


@settings(max_examples=300, deadline=None)
@given(two_tables())
def test_codes_are_equal_where_the_keys_are(keys):
    variables = [
        encode(f"k{i}", [Column("integer", values) for values in tables])
        for i, tables in enumerate(keys)
    ]
    codes, size = joint_codes(variables)
    by_code: dict[int, tuple] = {}
    by_keys: dict[tuple, int] = {}
    for table, own in enumerate(codes):
        assert own.dtype == np.int64 and (own >= 0).all() and (own < size).all()
        for code, key in zip(own.tolist(), zip(*(tables[table].tolist() for tables in keys))):
            assert by_code.setdefault(code, key) == key and by_keys.setdefault(key, code) == code


WIDE = (334, 24, 460, 439, 508, 109, 58, 518)


def households(seed: int) -> pd.DataFrame:
    """A hundred households of four; a year of birth and eight more keys, of which only the last but
    one tells members apart.
    """
    generator = np.random.default_rng(seed)
    household = np.repeat(np.arange(100), 4)
    columns = {"year": 1920 + np.append([0, 90], generator.integers(0, 91, 98))[household]}
    for i, levels in enumerate(WIDE):
        own = generator.integers(0, levels, 400 if i == len(WIDE) - 2 else 100)
        own[:2] = 0, levels - 1
        columns[f"k{i}"] = own if len(own) == 400 else own[household]
    return pd.DataFrame(columns).assign(t=generator.integers(0, 3, 400))


def test_many_numeric_keys_single_out_what_they_do_as_text():
    # the product of all levels is beyond 64 bits, and the years lift the codes beyond them even
    # earlier
    original = households(1)
    synthetic = original.sample(400, replace=True, random_state=0).reset_index(drop=True)
    keys = [c for c in original.columns if c != "t"]
    as_text = [frame.astype(dict.fromkeys(keys, str)) for frame in (synthetic, original)]
    numbers, texts = (
        disclosure(SynDS(s), o, keys, "t", compat="corrected", print_flag=False)
        for s, o in ((synthetic, original), as_text)
    )
    assert numbers.ident["UiO"][1] == 100 * (~original.duplicated(keys, keep=False)).mean() > 90
    pd.testing.assert_frame_equal(numbers.ident, texts.ident)
    pd.testing.assert_frame_equal(numbers.attrib, texts.attrib)
    found, as_texts = (
        replicated_uniques(SynDS(s), o, keys, compat="corrected").res_tab[0]
        for s, o in ((synthetic, original), as_text)
    )
    pd.testing.assert_frame_equal(found, as_texts)


def test_a_case_number_among_the_keys():
    generator = np.random.default_rng(1)

    def frame():
        return pd.DataFrame(
            {
                "case": 20_240_000_000_000 + generator.integers(0, 300, 200),
                "age": generator.integers(0, 100, 200),
                "town": generator.integers(1, 1000, 200),
                "job": generator.integers(100, 999, 200),
                "t": 2**62 + generator.integers(0, 3, 200),
            }
        )

    original, synthetic, keys = frame(), frame(), ["case", "age", "town", "job"]
    unique = 100 * (~original.duplicated(keys, keep=False)).mean()
    assert (
        disclosure(
            SynDS(synthetic), original, keys, "t", print_flag=False, compat="corrected"
        ).ident["UiO"][1]
        == unique
    )
    copied = disclosure(SynDS(original), original, keys, "t", print_flag=False, compat="corrected")
    assert copied.attrib["DiSCO"][1] == copied.attrib["Dorig"][1] == 100
    assert replicated_uniques(SynDS(synthetic), original, keys).res_tab[0].loc[
        "Original", "%"
    ] == pytest.approx(unique)
    assert (
        key_risk(SynDS(synthetic), original, keys, print_flag=False).tidy()["value"].max() == unique
    )


def test_the_recorded_data_are_coded_as_before():
    data = datasets.load("SD2011")
    variables = [
        encode(n, [Column("integer", pd.factorize(data[n])[0])])
        for n in ("sex", "age", "region", "placesize")
    ]
    (codes,), _ = joint_codes(variables)
    assert len(np.unique(codes)) == len(data.drop_duplicates(["sex", "age", "region", "placesize"]))
