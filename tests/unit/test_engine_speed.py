"""What README and pages say of speed is what was measured, and what makes it fast changes no
figure.
"""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest

from benchmarks import bench_disclosure, bench_engines
from synthpop_py import disclosure
from synthpop_py.core.coding import encode, joint_codes
from synthpop_py.core.columns import Column
from synthpop_py.levels import count
from synthpop_py.tables.reading import read_column


def test_every_line_on_engines_is_recorded():
    """The page on speed is made of the record, which `tests/unit/test_docs.py` compares."""
    record = json.loads(bench_engines.RECORD.read_text("utf-8"))
    assert [line["line"] for line in record["lines"]] == list(bench_engines.ROWS)
    assert bench_engines.MARKS.shown() == bench_engines.short_table(record)


# ---- beside R ------------------------------------------------------------------------

RECORD = json.loads(bench_disclosure.RECORD.read_text("utf-8"))


def test_the_table_of_the_readme_is_made_of_the_record():
    assert bench_disclosure.MARKS.shown() == bench_disclosure.table(RECORD)


def test_the_ratio_of_a_line_is_of_the_times_beside_it():
    """Of rounded times and medians, so to a tenth; a line of two runs has none."""
    in_turns = [line for line in RECORD["lines"] if "ratio" in line]
    assert len(in_turns) == 4
    for line in in_turns:
        assert line["ratio"] == pytest.approx(line["r_seconds"] / line["seconds"], rel=0.1)
    (apart,) = (line for line in RECORD["lines"] if "ratio" not in line)
    assert apart["line"] == "fnlwgt"


def test_a_new_run_replaces_a_line_as_a_whole():
    new = {"line": "one", "seconds": 9.0, "rounds": 3, "date": "2030-01-01"}
    record = bench_disclosure.recorded(RECORD, [new], [], load=0.5)
    assert record["lines"] == [new, *RECORD["lines"][1:]]


def test_the_calls_that_are_timed_are_those_of_the_table():
    named = [call.line for call in bench_disclosure.calls()]
    assert [*named, "fnlwgt"] == list(bench_disclosure.TITLES)


@pytest.mark.parametrize(
    "seconds, shown", [(0.00231, "2.3 ms"), (0.0104, "10 ms"), (0.254, "0.25 s"), (174, "174 s")]
)
def test_times_have_two_digits(seconds, shown):
    assert bench_disclosure.duration(seconds) == shown


# ---- what makes it fast --------------------------------------------------------------


@pytest.mark.parametrize("often", [65_535, 65_536, 65_537, 131_072, 200_000])
@pytest.mark.parametrize("where", [0, 1])
def test_more_records_in_a_cell_than_a_short_number_holds(often, where):
    """One cell has `often` records, another one has two, in one of the tables."""
    many = pd.DataFrame({"k": [0] * often + [1, 1], "t": [0] * often + [1, 1]})
    few = pd.DataFrame({"k": [0, 1], "t": [0, 1]})
    original, synthetic = (many, few) if where == 0 else (few, many)
    result = disclosure(synthetic, original, ["k"], "t", compat="corrected", print_flag=False)
    (shares,) = result.shares
    whole, unique = len(original), 0 if where == 0 else 2
    assert (shares["DiSCO"].numerator, shares["DiSCO"].denominator) == (whole, whole)
    assert (shares["UiO"].numerator, shares["repU"].numerator) == (unique, 0)
    assert shares["Dsyn"].numerator == len(synthetic)


@pytest.mark.parametrize("size, length", [(0, 3), (3, 3), (5, 5)])
@pytest.mark.parametrize("most", [1, 2**53, 2**62])
def test_sums_are_exact_and_as_long_as_asked(size, length, most):
    codes, n = np.array([2, 0, 2], dtype=np.uint8), np.array([1, 4, most])
    assert count(codes, n, size).tolist() == [4, 0, most + 1, 0, 0][:length]


def test_pairs_of_a_key_with_more_levels_than_a_short_number_holds_pairs():
    """Levels 0 to 199 in one byte each, times three targets more than a byte holds. Every level has
    five people, all with the same job, so that all 200 pairs of it are flagged.
    """
    level = np.repeat(np.arange(200), 5)
    job = np.array(["a", "b", "c"])[level % 3]
    people = pd.DataFrame({"k": level, "one": 1, "job": job})
    result = disclosure(people, people, ["k", "one"], "job", print_flag=False)
    (table,) = result.check_2way
    assert len(table) == 200 and set(table["key"]) == {"k"}
    assert set(table["npairs"]) == {5} and set(table["PctTargetKeyLevel"]) == {100.0}
    expected = {f"{'abc'[number % 3]}|{number}" for number in range(200)}
    assert set(table["target_key_levs"]) == expected


def test_codes_that_need_more_than_32_bits_are_not_cut():
    """Two keys of 65,536 levels have 2^32 combinations."""
    every = Column("integer", np.arange(2**16))
    (codes,), size = joint_codes([encode("a", [every]), encode("b", [every])])
    assert codes[[0, -1]].tolist() == [0, 2**32 - 1]
    assert size == 2**32


def test_a_value_that_late_records_have_is_in_common():
    """The first records of the original have none of the synthetic values, the last one has."""
    late = pd.DataFrame({"k": [*[0] * 100_000, 7], "t": 1})
    result = disclosure(pd.DataFrame({"k": [7], "t": [1]}), late, ["k"], "t", print_flag=False)
    assert result.m == 1  # a warning that nothing is in common would be an error here


@pytest.mark.needs("pyarrow")
@pytest.mark.parametrize("kind", ["string", "large_string", "string_view"])
def test_texts_of_arrow_are_numbered_as_those_of_pandas(kind):
    import pyarrow as pa

    chunks = [pa.array(["b", None, "a"], kind), pa.array(["c", "a"], kind)]
    of_arrow = read_column(pd.Series(pd.arrays.ArrowExtensionArray(pa.chunked_array(chunks))), "k")
    of_pandas = read_column(pd.Series(["b", None, "a", "c", "a"], dtype=object), "k")
    assert of_arrow.kind == of_pandas.kind == "character"
    assert of_arrow.labels == of_pandas.labels == ("b", "a", "c")
    assert of_arrow.values.tolist() == of_pandas.values.tolist() == [0, -1, 1, 2, 1]
    assert of_arrow.missing is not None and of_arrow.missing.tolist() == [False, True] + [False] * 3


@pytest.mark.needs("pyarrow")
def test_whole_numbers_of_arrow_stay_in_their_bytes_unless_some_are_missing():
    import pyarrow as pa

    full, gaps = (pd.Series(v, dtype=pd.ArrowDtype(pa.int8())) for v in ([1, 2], [1, None]))
    assert read_column(full, "k").values.dtype == np.int8
    with_gaps = read_column(gaps, "k")
    assert with_gaps.kind == "integer"
    assert with_gaps.missing is not None and with_gaps.missing.tolist() == [False, True]
