"""Random frames, random calls: every engine says what pandas says, in every figure, table, check,
defect and fingerprint, or refuses in the same words.
"""

from __future__ import annotations

from datetime import date, datetime
from decimal import Decimal
from typing import Any

import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from synthpop_py import SynDS, disclosure, key_risk, multi_disclosure, replicated_uniques
from tests.engines.conftest import NEEDS
from tests.engines.outcomes import differing, outcome
from tests.needs import is_met

# engines tell of their own future on every query (Ibis and Spark do under pandas 3)
pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning")
IN_PROCESS = ["polars", "polars, lazy", "pyarrow", "DuckDB", "DuckDB, enums", "SQLite through Ibis"]
MODES = ["r", "r-1.9-2", "corrected"]
LEVELS = ["w", "v", "Missing", "u", "never"]

# by name: values, among which None; and the pandas type that holds them
COLUMNS: dict[str, tuple[list[Any], Any]] = {
    "text": (["a", "B", "é", "x | y", "Missing", "", "NA", None], object),
    "category": (["u", "v", "w", "Missing", None], pd.CategoricalDtype(LEVELS)),
    "whole": ([1, 2, -8, 100_000, None], "Int64"),
    "real": ([1.0, 2.5, -0.0, 0.0, 0.1, 1e5, 1e-5, float("nan"), None], object),
    "flag": ([True, False, None], "boolean"),
    "day": ([date(2020, 2, 29), date(1969, 12, 31), date(2020, 3, 1), None], object),
    "moment": ([datetime(2020, 2, 29, 12, 30), datetime(1969, 12, 31, 23, 59, 1), None], None),
    "amount": ([Decimal("1.10"), Decimal("2"), Decimal("-0.5"), None], object),
}
NUMBERS = {"whole", "real", "amount"}


def column(name: str, values: list[Any]) -> pd.Series:
    dtype = COLUMNS[name][1]
    if dtype is None:
        return pd.Series(pd.to_datetime(pd.Series(values, dtype=object)))
    return pd.Series(values, dtype=dtype)


@st.composite
def frames(draw: st.DrawFn) -> pd.DataFrame:
    """One to ten records with a value in most columns."""
    rows = draw(st.integers(1, 10))
    made = {}
    for name, (values, _) in COLUMNS.items():
        some = st.lists(st.sampled_from(values), min_size=rows, max_size=rows)
        made[name] = column(name, draw(some))
    return pd.DataFrame(made)


@st.composite
def calls(draw: st.DrawFn) -> dict[str, Any]:
    """Keys, a target and options."""
    names = st.permutations(list(COLUMNS))
    target, *keys = draw(names)[: draw(st.integers(2, 4))]
    options = {
        "denom_lim": st.sampled_from([1, 2, 5]),
        "exclude_ov_denom_lim": st.just(True),
        "usetargetNA": st.booleans(),
        "usekeysNA": st.booleans(),
        "thresh_1way": st.sampled_from([(0, 40), (1, 60)]),
        "thresh_2way": st.sampled_from([(0, 40), (1, 60)]),
        "ngroups_keys": st.just([3 if key in NUMBERS else 0 for key in keys]),
        "collation": st.sampled_from(["icu", "C"]),
    }
    if target in NUMBERS:
        options["ngroups_target"] = st.sampled_from([2, 3])
    if "whole" in (target, *keys):
        options["cont_na"] = st.just({"whole": -8})
    given = draw(st.fixed_dictionaries({}, optional=options))
    return {"keys": keys, "target": target, "compat": draw(st.sampled_from(MODES)), **given}


def assert_like_pandas(engine: Any, synthetic: Any, original: pd.DataFrame, call: dict) -> None:
    stored = engine.hold(synthetic), engine.hold(original, "data")
    options = {"print_flag": False, **call}
    here = outcome(lambda: disclosure(synthetic, original, **options))
    there = outcome(lambda: disclosure(*stored, **options))
    found = differing(here, there)
    assert not found, f"{engine.name}: {found[:5]}"


# a sample in `make test`, more in `make engines`
EXAMPLES = 60 if is_met("engines") else 12
PUT_TOGETHER = st.sampled_from([list, SynDS])
RELAXED = settings(
    deadline=None,
    database=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)


@pytest.mark.parametrize(
    "name",
    [pytest.param(n, marks=pytest.mark.needs(*NEEDS.get(n, NEEDS["polars"]))) for n in IN_PROCESS],
)
@settings(RELAXED, max_examples=EXAMPLES)
@given(frames(), st.lists(frames(), min_size=1, max_size=2), calls(), PUT_TOGETHER)
def test_an_engine_says_what_pandas_says(name, engine_named, original, sets, call, wrap):
    assert_like_pandas(engine_named(name), wrap(sets), original, call)


@pytest.mark.needs(*NEEDS["PostgreSQL through Ibis"])
@settings(RELAXED, max_examples=60)
@given(frames(), st.lists(frames(), min_size=1, max_size=2), calls(), PUT_TOGETHER)
def test_postgres_says_what_pandas_says(engine_named, original, sets, call, wrap):
    assert_like_pandas(engine_named("PostgreSQL through Ibis"), wrap(sets), original, call)


@pytest.mark.needs(*NEEDS["Spark"])
@settings(RELAXED, max_examples=8)
@given(frames(), frames(), calls())
def test_spark_says_what_pandas_says(engine_named, original, synthetic, call):
    assert_like_pandas(engine_named("Spark"), synthetic, original, call)


@pytest.mark.needs("polars", "duckdb", "pyarrow")
@settings(RELAXED, max_examples=EXAMPLES // 2)
@given(frames(), frames(), calls(), st.permutations(["polars", "DuckDB", "pyarrow"]))
def test_the_two_sides_may_live_in_different_places(engine_named, original, synthetic, call, where):
    here = {"print_flag": False, **call}
    released, kept = (engine_named(name) for name in where[:2])
    stored = released.hold(synthetic), kept.hold(original, "data")
    in_memory = outcome(lambda: disclosure(synthetic, original, **here))
    assert not differing(in_memory, outcome(lambda: disclosure(*stored, **here)))


@pytest.mark.needs("polars", "duckdb", "ibis", "pyarrow")
@settings(RELAXED, max_examples=EXAMPLES // 3)
@given(frames(), frames(), st.sampled_from(MODES))
def test_summaries_searches_and_uniques_too(engine_named, original, synthetic, compat):
    asked = [
        lambda *tables: multi_disclosure(
            *tables, ["text", "whole"], print_flag=False, compat=compat
        ),
        lambda *tables: key_risk(*tables, ["text", "real", "day", "amount"], "category"),
        lambda *tables: replicated_uniques(*tables, ["flag", "whole"], compat=compat),
    ]
    for name in ("polars", "DuckDB", "SQLite through Ibis"):
        engine = engine_named(name)
        stored = engine.hold(synthetic), engine.hold(original, "data")
        for ask in asked:
            here = outcome(lambda: ask(synthetic, original))  # noqa: B023, called here
            there = outcome(lambda: ask(*stored))  # noqa: B023
            assert not differing(_of_tables(here), _of_tables(there)), name


def _of_tables(content: Any) -> Any:
    """Without marks on rows, of which an engine has none, and the name of the table in notes and
    refusals.
    """
    if isinstance(content, str):
        return content.removeprefix("synthetic").removeprefix("object")
    if not isinstance(content, dict):
        return content
    kept = {
        name: part for name, part in content.items() if name not in ("repU_rm", "synU_rm", "notes")
    }
    return {name: _of_tables(part) for name, part in kept.items()}
