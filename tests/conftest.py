"""What all tests share: R (or the reason why it is absent), the recorded cases, and the tally
printed at the end.
"""

from __future__ import annotations

import os
import re
import sys
from collections import Counter

import pytest

from r_reference.case_maker.files import read_all
from r_reference.records import load_records
from tests import judged
from tests.needs import is_met, must_run
from tests.parity.live import LiveR, reason_for_no_r

TALLY: Counter[str] = Counter()
FEWER: list[str] = []
NO_LIVE_R = "no comparison with live R"  # SYNTHPOP_PY_REQUIRE_R guards these skips


@pytest.fixture(autouse=True)
def no_picture_stays_open():
    """Where a test imported pyplot, it would keep the figures of all later ones."""
    yield
    pyplot = sys.modules.get("matplotlib.pyplot")
    if pyplot is not None:
        pyplot.close("all")


def pytest_runtest_setup(item: pytest.Item) -> None:
    absent = [need for need in _needs(item) if not is_met(need)]
    if absent:
        pytest.skip(f"not here: {', '.join(absent)}")


def _needs(item: pytest.Item) -> list[str]:
    return [need for mark in item.iter_markers("needs") for need in mark.args]


@pytest.hookimpl(hookwrapper=True)
def pytest_make_collect_report(collector: pytest.Collector):
    """The same for a whole file that is skipped while it is read; one that wants a package which
    need not be here may be.
    """
    report = (yield).get_result()
    at_hand = must_run()
    if report.outcome == "skipped" and at_hand is not None:
        wanted = re.search(r"could not import '(\w+)", str(report.longrepr))
        if wanted is not None and wanted.group(1) not in at_hand:
            return
        report.outcome = "failed"
        report.longrepr = (
            f"{collector.nodeid} must run here (SYNTHPOP_PY_MUST_RUN), but was skipped"
        )


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call):
    """In CI a skip that nothing explains is a failure."""
    report = (yield).get_result()
    at_hand = must_run()
    if not report.skipped or at_hand is None or hasattr(report, "wasxfail"):
        return
    if NO_LIVE_R in str(report.longrepr):
        return
    if set(_needs(item)) <= at_hand:
        report.outcome = "failed"
        report.longrepr = f"{item.nodeid} must run here (SYNTHPOP_PY_MUST_RUN), but was skipped"


@pytest.fixture(scope="session")
def tally() -> Counter[str]:
    """Counts of compared cases, printed when the run ends."""
    return TALLY


def no_r(reason: str) -> None:
    """Skip with one line, or fail where R was promised."""
    if os.environ.get("SYNTHPOP_PY_REQUIRE_R") == "1":
        pytest.fail(f"SYNTHPOP_PY_REQUIRE_R is set, but {reason}")
    pytest.skip(f"{NO_LIVE_R}: {reason}")


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


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Under pytest-xdist the counts are made in the workers and shown by the controller."""
    output = getattr(session.config, "workeroutput", None)
    if output is not None:
        output["tally"] = dict(TALLY)
        output["judged"] = judged.to_send()
        return
    whole = judged.ran_whole(session.config) if session.exitstatus == 0 else []
    FEWER.extend(judged.fewer(judged.recorded(), judged.counted(), whole))
    if FEWER:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED
    elif whole and "SYNTHPOP_PY_COUNT_JUDGES" in os.environ:
        judged.write(whole)


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node, error) -> None:
    sent = getattr(node, "workeroutput", {})
    TALLY.update(sent.get("tally", {}))
    judged.receive(sent.get("judged", []))


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """With pytest-xdist the controller hears of every test, a worker of its own only."""
    heard = report.when == "call" and "PYTEST_XDIST_WORKER" not in os.environ
    # a test that needs what is not everywhere is no measure of what is compared
    if heard and report.passed and "needs" not in report.keywords:
        judged.judged_by_test(report.nodeid)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    if FEWER:
        terminalreporter.section("compared less than recorded in tests/judges.json", red=True)
        for line in FEWER:
            terminalreporter.write_line(line)
    if TALLY:
        terminalreporter.section("parity with R")
        for name, count in TALLY.items():
            terminalreporter.write_line(f"{count:7d}  {name}")
