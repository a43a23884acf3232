"""What all tests share: R (or the reason why it is absent), the recorded cases, and the tally
printed at the end.
"""

from __future__ import annotations

import os
from collections import Counter

import pytest

from r_reference.case_maker.files import read_all
from r_reference.records import load_records
from tests.parity.live import LiveR, reason_for_no_r

TALLY: Counter[str] = Counter()


@pytest.fixture(scope="session")
def tally() -> Counter[str]:
    """Counts of compared cases, printed when the run ends."""
    return TALLY


def no_r(reason: str) -> None:
    """Skip with one line, or fail where R was promised."""
    if os.environ.get("SYNTHPOP_PY_REQUIRE_R") == "1":
        pytest.fail(f"SYNTHPOP_PY_REQUIRE_R is set, but {reason}")
    pytest.skip(f"no comparison with live R: {reason}")


@pytest.fixture(scope="session")
def live_r() -> LiveR:
    reason = reason_for_no_r()
    if reason:
        no_r(reason)
    return LiveR()


@pytest.fixture(scope="session")
def cases() -> dict[str, dict]:
    """Every case by id."""
    return {case["id"]: case for group in read_all().values() for case in group}


@pytest.fixture(scope="session")
def records() -> dict[str, dict]:
    """Every record of the reference version by name."""
    return load_records()


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    if TALLY:
        terminalreporter.section("parity with R")
        for name, count in TALLY.items():
            terminalreporter.write_line(f"{count:7d}  {name}")
