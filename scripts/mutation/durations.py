"""A plugin of pytest: how long each test took, and which failed, written as JSON to the file that
MUTANTS_DURATIONS names.
"""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

SECONDS: dict[str, float] = {}
NOT_PASSED: set[str] = set()


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    SECONDS[report.nodeid] = SECONDS.get(report.nodeid, 0.0) + report.duration
    if not report.passed:
        NOT_PASSED.add(report.nodeid)


def pytest_sessionfinish(session: pytest.Session) -> None:
    if hasattr(session.config, "workerinput"):
        return  # a worker of pytest-xdist; the controller hears of every test
    content = {
        "passed": {test: s for test, s in SECONDS.items() if test not in NOT_PASSED},
        "not_passed": sorted(NOT_PASSED),
    }
    Path(os.environ["MUTANTS_DURATIONS"]).write_text(json.dumps(content), encoding="utf-8")
