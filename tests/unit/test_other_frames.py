"""Columns of Arrow's types give the same result as pandas' own, and frames of libraries that are
not known here are refused with advice that keeps their names.
"""

from __future__ import annotations

import warnings
from datetime import time
from decimal import Decimal

import numpy as np
import pandas as pd
import pytest

from synthpop_py import InputError, RDefectWarning, SynDS, disclosure, key_risk, ru_map
from synthpop_py.matching import identification_risk
from synthpop_py.tables.reading import read_column

pa = pytest.importorskip("pyarrow")

N = 40
RNG = np.random.default_rng(1)
DAYS = pd.Series(pd.Timestamp("2020-01-01") + pd.to_timedelta(RNG.integers(0, 9, N), "D"))
HOURS = pd.Series(pd.Timestamp("2020-01-01") + pd.to_timedelta(RNG.integers(0, 9, N), "h"))
TEXTS = pd.Series(RNG.choice(["p", "q", "r"], N))
QUARTERS = pd.Series(RNG.integers(0, 9, N) / 4)
WHOLE = pd.Series(RNG.integers(0, 9, N))
LEVELS = ["r", "q", "p", "s"]  # in no order of words, and one that does not occur

# what it is in pandas' own types, and Arrow's
COLUMNS = {
    "string": (TEXTS, pa.string()),
    "large_string": (TEXTS, pa.large_string()),
    "int8": (WHOLE, pa.int8()),
    "int64": (WHOLE, pa.int64()),
    "uint64": (WHOLE, pa.uint64()),
    "float": (WHOLE / 10, pa.float32()),
    "double": (QUARTERS, pa.float64()),
    "bool": (WHOLE > 4, pa.bool_()),
    "date32": (DAYS, pa.date32()),
    "date64": (DAYS, pa.date64()),
    "timestamp": (HOURS, pa.timestamp("us")),
    "timestamp of days": (DAYS, pa.timestamp("s")),
    "timestamp with a zone": (HOURS.dt.tz_localize("UTC"), pa.timestamp("ns", "UTC")),
    "duration": (HOURS - HOURS[0], pa.duration("us")),
    "decimal": (QUARTERS, pa.decimal128(10, 2)),
    "dictionary": (pd.Series(pd.Categorical(TEXTS, LEVELS)), pa.dictionary(pa.int8(), pa.string())),
    "null": (pd.Series([None] * N, dtype=object), pa.null()),
}


def in_arrow(column: pd.Series, kind: pa.DataType) -> pd.Series:
    values = [None if pd.isna(v) else v for v in column]
    if pa.types.is_decimal(kind):
        values = [None if v is None else Decimal(str(v)) for v in values]
    if pa.types.is_date(kind):
        values = [None if v is None else v.date() for v in values]
    if pa.types.is_dictionary(kind):
        codes = pa.array([None if c < 0 else int(c) for c in column.cat.codes], kind.index_type)
        array = pa.DictionaryArray.from_arrays(codes, pa.array(list(column.cat.categories)))
    else:
        array = pa.array(values, kind, from_pandas=True)
    return pd.Series(pd.arrays.ArrowExtensionArray(pa.chunked_array([array[:25], array[25:]])))


def people(column: pd.Series) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Original data, and synthetic ones whose column is in another order."""
    rng = np.random.default_rng(2)
    original = pd.DataFrame({"k": rng.choice(list("ab"), N), "c": column, "t": rng.choice(2, N)})
    return original, original.assign(c=column.iloc[rng.permutation(N)].array)


def answer(column: pd.Series, keys: list[str], target: str, compat: str) -> dict:
    original, synthetic = people(column)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RDefectWarning)
        return disclosure(
            SynDS(synthetic), original, keys, target, compat=compat, print_flag=False
        ).to_dict()


@pytest.mark.parametrize("compat", ["r", "corrected"])
@pytest.mark.parametrize("gaps", [False, True], ids=["complete", "with gaps"])
@pytest.mark.parametrize("name", COLUMNS)
def test_disclosure_is_that_of_the_plain_column(name, gaps, compat):
    column, kind = COLUMNS[name]
    if gaps:
        column = column.where(np.arange(N) % 7 != 0)
    arrow = in_arrow(column, kind)
    assert isinstance(arrow.dtype, pd.ArrowDtype)
    for keys, target in ((["k", "c"], "t"), (["k"], "c")):
        assert answer(arrow, keys, target, compat) == answer(column, keys, target, compat)


@pytest.mark.parametrize("name", COLUMNS)
def test_a_plain_column_and_arrows_can_be_compared(name):
    column, kind = COLUMNS[name]
    original, synthetic = people(column)
    mixed = synthetic.assign(c=in_arrow(synthetic["c"], kind))
    results = [
        disclosure(SynDS(s), original, ["k", "c"], "t", compat="corrected", print_flag=False)
        for s in (synthetic, mixed)
    ]
    assert results[0].to_dict() == results[1].to_dict()


@pytest.mark.parametrize(
    "name", ["string", "int64", "date32", "timestamp", "decimal", "dictionary"]
)
def test_other_functions_take_them_too(name):
    column, kind = COLUMNS[name]
    frames = [people(column), people(in_arrow(column, kind))]
    found = [
        (
            key_risk(s, o, ["k", "c"], "t", print_flag=False).table["repU"].tolist(),
            identification_risk(s, o, known=["k"], synthesised=["c"]).expected,
            ru_map({"s": s}, o, keys=["k", "c"]).table.to_numpy().tolist(),
        )
        for o, s in frames
    ]
    assert found[0] == found[1]


def test_the_levels_of_a_dictionary_keep_their_order():
    column = read_column(in_arrow(*COLUMNS["dictionary"]), "c")
    assert column.kind == "factor" and column.labels == tuple(LEVELS)


def test_dictionaries_of_two_chunks_become_one():
    chunks = [pa.array(list(text)).dictionary_encode() for text in ("pq", "rp")]
    series = pd.Series(pd.arrays.ArrowExtensionArray(pa.chunked_array(chunks)))
    column = read_column(series, "c")
    assert [column.labels[i] for i in column.values] == list("pqrp")


def test_large_whole_numbers_with_gaps_keep_their_last_digit():
    large = [2**53 + 1, None, 2**53]
    series = pd.Series(pd.array(large, dtype=pd.ArrowDtype(pa.int64())))
    column = read_column(series, "c")
    assert column.kind == "integer" and column.values[[0, 2]].tolist() == [2**53 + 1, 2**53]
    assert column.missing.tolist() == [False, True, False]
    beyond = pd.Series(pd.array([2**64 - 1], dtype=pd.ArrowDtype(pa.uint64())))
    with pytest.raises(InputError, match="c: holds whole numbers beyond 64 bits"):
        read_column(beyond, "c")


@pytest.mark.parametrize("dtype", ["float32", "Float32", pd.ArrowDtype(pa.float32())], ids=str)
def test_short_real_numbers_are_what_is_written(dtype):
    column = read_column(pd.Series([0.1, 0.7], dtype=dtype), "c")
    assert column.values.tolist() == [0.1, 0.7]


def test_categories_may_be_arrows():
    texts = pd.Series(["q", "p"], dtype=pd.ArrowDtype(pa.string())).astype("category")
    assert read_column(texts, "c").labels == ("p", "q")
    days = in_arrow(DAYS, pa.date32()).astype("category")
    assert read_column(days, "c").labels == tuple(sorted({str(d.date()) for d in DAYS}))
    numbers = in_arrow(QUARTERS, pa.decimal128(10, 2)).astype("category")
    assert read_column(numbers, "c").labels[:2] == ("0", "0.25")


@pytest.mark.parametrize(
    "values, kind, says",
    [
        ([time(1)], pa.time64("us"), "holds values that cannot be compared"),
        ([b"p"], pa.binary(), "holds values that cannot be compared"),
        ([[1]], pa.list_(pa.int64()), "cannot be compared|of different types"),
    ],
)
def test_types_that_cannot_be_compared_are_refused(values, kind, says):
    series = pd.Series(pd.arrays.ArrowExtensionArray(pa.chunked_array([pa.array(values, kind)])))
    with pytest.raises(InputError, match=f"^data, column 'c': {says}"):
        read_column(series, "data, column 'c'")


# ---- frames --------------------------------------------------------------------------

PLAIN = pd.DataFrame({"k": list("abab"), "t": list("xyxy")})


def library(name: str, kind: str, *methods: str):
    """A frame of a library that is not known, as far as its name and its methods go."""
    return type(kind, (), {"__module__": f"{name}.frame", **dict.fromkeys(methods, lambda s: 0)})()


OTHERS = {
    "eager": (
        lambda: library("foreign", "DataFrame", "to_pandas"),
        "a foreign DataFrame",
        ".to_pandas()",
    ),
    "lazy": (
        lambda: library("foreign", "LazyFrame", "collect"),
        "a foreign LazyFrame",
        ".collect().to_pandas()",
    ),
    "distributed": (
        lambda: library("foreign", "DataFrame", "toPandas", "collect"),
        "a foreign DataFrame",
        ".toPandas()",
    ),
}


@pytest.mark.needs("narwhals")  # which is asked whether it knows the library
@pytest.mark.parametrize("name", OTHERS)
@pytest.mark.parametrize(
    "call, argument",
    [
        (lambda f: disclosure(f, PLAIN, ["k"], "t"), "object"),
        (lambda f: disclosure([PLAIN, f], PLAIN, ["k"], "t"), "object, element 2"),
        (lambda f: disclosure(PLAIN, f, ["k"], "t"), "data"),
        (lambda f: SynDS(f), "frames"),
        (lambda f: SynDS([f]), "frames, element 1"),
        (lambda f: ru_map({"one": f}, PLAIN, keys=["k"]), "candidate 'one'"),
        (lambda f: ru_map({"one": PLAIN}, f, keys=["k"]), "original"),
    ],
)
def test_a_frame_of_an_unknown_library_is_refused_with_good_advice(name, call, argument):
    make, what, way = OTHERS[name]
    with pytest.raises(InputError) as error:
        call(make())
    assert str(error.value) == (
        f"{argument}: {what} is not a DataFrame of pandas, polars or Arrow; convert it with {way}"
    )


@pytest.mark.needs("polars", "pyarrow")
def test_frames_of_polars_and_arrow_give_what_pandas_gives():
    import polars

    frame = polars.DataFrame({"k": list("abab"), "t": list("xyxy")})
    expected = disclosure(frame.to_pandas(), PLAIN, ["k"], "t", print_flag=False)
    for given in (frame, frame.lazy(), frame.to_arrow()):
        result = disclosure(given, PLAIN, ["k"], "t", print_flag=False)
        assert result.attrib.equals(expected.attrib)


def test_a_column_may_have_the_name_of_a_question_to_tables():
    frame = pd.DataFrame({"count_by": ["a", "b", "b"], "t": ["u", "v", "v"]})
    result = disclosure(frame, frame, ["count_by"], "t", compat="corrected", print_flag=False)
    assert result.ident["repU"].tolist() == [pytest.approx(100 / 3)]
