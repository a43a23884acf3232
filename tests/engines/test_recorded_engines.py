"""Every recorded call of R through polars, Arrow, DuckDB and SQLite, chosen ones through Spark and
PostgreSQL: the same numbers wherever the records live, to the same tolerance as with pandas.

No case is left out. An engine without categories gets the recorded levels beside the table, as a
user would hand them over. Where R does not answer, the outcome must be that of pandas: the same
figures, or the same sentence.
"""

from __future__ import annotations

from typing import Any

import pandas as pd
import pytest

from r_reference.case_maker.files import read_all
from r_reference.records import load_records, versions
from tests.engines import matrix
from tests.engines.chosen import CHOSEN, CHOSEN_SUMMARIES, CHOSEN_UNIQUES
from tests.engines.conftest import NEEDS
from tests.engines.outcomes import differing, outcome
from tests.parity.port_side import (
    NO_TIBBLES_IN_PYTHON,
    REFUSED_BY_PORT_ONLY,
    port_differences,
    run_port,
)
from tests.parity.test_recorded_multi import multi_differences, run_multi
from tests.parity.uniques_sdc_side import answer_or_none, in_database

# engines tell of their own future on every query (Ibis and Spark do under pandas 3)
pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning")
EVERY_CASE = [case for group in read_all().values() for case in group]
MODES = {"1.9-3": "r", "1.9-2": "r-1.9-2"}
OF_SOME = {"Spark", "PostgreSQL through Ibis"}
# R marks rows of a table that it keeps from an earlier call (D38), a database has no such rows
ABOUT_ROWS = {case["id"] for case in EVERY_CASE if "stale" in case["id"]}


def each_engine(call: str, chosen: tuple[str, ...]) -> pytest.MarkDecorator:
    """Every case of a call with every engine; only some with those that are slow to ask."""
    cases = [case for case in EVERY_CASE if case["call"] == call]
    assert set(chosen) <= {case["id"] for case in cases}
    runs = []
    for name, needs in NEEDS.items():
        for case in cases:
            if name not in OF_SOME or case["id"] in chosen:
                mark = pytest.mark.needs("engines", *needs)
                runs.append(pytest.param(name, case, marks=mark, id=f"{name}-{case['id']}"))
    return pytest.mark.parametrize("engine, case", runs, indirect=["engine"])


@pytest.fixture(scope="module")
def records_by_version() -> dict[str, dict[str, Any]]:
    return {version: load_records(version) for version in versions()}


@each_engine("disclosure", CHOSEN)
def test_disclosure_is_what_r_gave(engine, case, records_by_version):
    for version in versions():
        for collation in case.get("collation", ["icu"]):
            result = records_by_version[version][f"{case['id']} [{collation}]"]["result"]
            _check_disclosure(engine, case, version, collation, result)


def _check_disclosure(engine, case, version, collation, result) -> None:
    where = f"{engine.name}, synthpop {version}, {case['id']} [{collation}]"
    mode = MODES[version]
    if result["status"] != "ok" or case["id"] in REFUSED_BY_PORT_ONLY | NO_TIBBLES_IN_PYTHON:
        here = outcome(lambda: run_port(case, collation, mode))
        there = outcome(lambda: run_port(case, collation, mode, engine.hold))
        assert not differing(here, there), where
        matrix.unanswered(engine.name, "disclosure", refused=isinstance(there, str))
        return
    found = port_differences(result, run_port(case, collation, mode, engine.hold))
    assert not found, f"{where}: {found[:10]}"
    matrix.equal(engine.name, "disclosure")


@each_engine("multi.disclosure", CHOSEN_SUMMARIES)
def test_summary_is_what_r_gave(engine, case, records_by_version):
    for version in versions():
        recorded = records_by_version[version][f"{case['id']} [icu]"]["result"]
        if recorded["status"] == "ok":
            found = multi_differences(recorded, run_multi(case, MODES[version], engine.hold))
            assert not found, f"{engine.name}, synthpop {version}: {found[:10]}"
            matrix.equal(engine.name, "multi_disclosure")
            continue
        here = outcome(lambda: run_multi(case, MODES[version]))  # noqa: B023, called here
        there = outcome(lambda: run_multi(case, MODES[version], engine.hold))  # noqa: B023
        assert not differing(here, there)
        matrix.unanswered(engine.name, "multi_disclosure", refused=isinstance(there, str))


@each_engine("replicated.uniques", CHOSEN_UNIQUES)
def test_uniques_are_those_of_pandas(engine, case):
    """Which are those of R's records (tests/parity); an engine has no rows to mark."""
    if case["id"] in ABOUT_ROWS:
        return
    for mode in ("r", "r-1.9-2", "corrected"):
        answer = answer_or_none(case, mode)
        if answer is None:
            there = outcome(lambda: in_database(case, mode, engine.hold))  # noqa: B023
            assert isinstance(there, str)
            matrix.unanswered(engine.name, "replicated_uniques", refused=True)
            continue
        stored = in_database(case, mode, engine.hold)
        for here, there in zip(answer.res_tab, stored.res_tab, strict=True):
            pd.testing.assert_frame_equal(here, there)
        matrix.equal(engine.name, "replicated_uniques")
