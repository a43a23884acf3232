"""An engine answers with rows in any order."""

from __future__ import annotations

import pytest

from synthpop_py import multi_disclosure
from tests.engines.outcomes import differing, outcome


@pytest.mark.needs("polars", "pyarrow")
def test_an_engine_may_give_rows_in_another_order_when_asked_again():
    """Codes of keys made for the first answer must not be used with the second. polars turns rows
    at random: ten times, one at least is turned.
    """
    import polars as pl

    levels = pl.Enum(["Missing", "u"])
    original = pl.DataFrame({"k": "a", "w": [1] * 9 + [-8], "t": "u", "s": True})
    synthetic = pl.DataFrame({"k": "a", "w": [1] * 6, "t": "u", "s": True})
    tables = [frame.with_columns(t=pl.col("t").cast(levels)) for frame in (synthetic, original)]
    options = {"keys": ["k", "w"], "targets": ["t", "s"], "print_flag": False, "compat": "r-1.9-2"}
    frames = [table.to_pandas() for table in tables]
    here = outcome(lambda: multi_disclosure(*frames, **options))
    for _ in range(10):
        assert not differing(here, outcome(lambda: multi_disclosure(*tables, **options)))
