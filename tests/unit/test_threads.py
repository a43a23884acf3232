"""Every public function from several threads at once, on the same inputs, and that no call changes
what others in the process depend on. Drawing is left out: matplotlib is not made for threads,
and pyplot, which users draw with, has one current figure for the whole process.
"""

from __future__ import annotations

import ast
import decimal
import locale
import os
import random
import sys
import threading
import time
import warnings
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import synthpop_py
from tests.unit.every_call import CALLS, Inputs, inputs, is_result, told

THREADS = 4
LONG_ENOUGH = 0.03  # seconds for a function in all threads; quick ones are called more often

pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.fixture(autouse=True)
def _many_switches() -> Iterator[None]:
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    yield
    sys.setswitchinterval(before)


@pytest.fixture(scope="module")
def shared() -> Inputs:
    return inputs()


def in_threads(work: Callable[[int], Any]) -> list[Any]:
    """What each thread's work gives; they begin together. An error in one is an error here."""
    together = threading.Barrier(THREADS)
    answers: list[Any] = [None] * THREADS
    errors: list[BaseException] = []

    def run(number: int) -> None:
        try:
            together.wait()
            answers[number] = work(number)
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=run, args=(number,)) for number in range(THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if errors:
        raise errors[0]
    return answers


def said(answer: Any) -> str:
    """What an answer says, in short: the numbers of a result are all in its dictionary."""
    return repr(answer.to_dict()) if is_result(answer) else told(answer)


@cache
def alone(name: str) -> str:
    return said(CALLS[name](inputs()))


@pytest.mark.parametrize("name", CALLS)
def test_a_function_in_four_threads(name, shared):
    expected = alone(name)
    end = time.monotonic() + LONG_ENOUGH
    while True:
        answers = in_threads(lambda number: CALLS[name](shared))
        assert [said(answer) for answer in answers] == [expected] * THREADS
        if time.monotonic() > end:
            break


def test_different_functions_at_once(shared):
    """Each thread calls all of them, and begins elsewhere."""
    names = list(CALLS)
    expected = {name: alone(name) for name in names}

    def all_of_them(number: int) -> dict[str, str]:
        first = number * len(names) // THREADS
        return {name: said(CALLS[name](shared)) for name in names[first:] + names[:first]}

    before = _made_errors()
    assert in_threads(all_of_them) == [expected] * THREADS
    # pandas itself ignores warnings for a moment, and from threads may leave such a filter behind;
    # that warnings became errors could only be our doing
    assert _made_errors() == before


def _made_errors() -> list[Any]:
    return [entry for entry in warnings.filters if entry[0] == "error"]


@pytest.mark.parametrize("name", CALLS)
def test_a_result_asked_from_four_threads(name, shared):
    """Some of what a result says is worked out when it is first asked for."""
    answer = CALLS[name](shared)
    texts = in_threads(lambda number: told(answer))
    assert len(set(texts)) == 1 and texts[0] == told(CALLS[name](shared))


# ---- what belongs to everybody ---------------------------------------------------------


def _pandas_options() -> str:
    return pd.describe_option(_print_desc=False)


def _state() -> dict[str, Any]:
    return {
        "warning filters": list(warnings.filters),
        "showwarning": warnings.showwarning,
        "numpy's random numbers": str(np.random.get_state()),  # noqa: NPY002
        "Python's random numbers": random.getstate(),
        "numpy's errors": np.geterr(),
        "numpy's printing": str(np.get_printoptions()),
        "pandas' options": _pandas_options(),
        "locale": locale.setlocale(locale.LC_ALL),
        "decimals": str(decimal.getcontext()),
        "environment": dict(os.environ),
        "folder": os.getcwd(),
        "recursion": sys.getrecursionlimit(),
        "output": (sys.stdout, sys.stderr, sys.displayhook, sys.excepthook),
        "threads": threading.active_count(),
    }


@pytest.mark.parametrize("name", CALLS)
def test_a_call_leaves_what_belongs_to_everybody(name, shared):
    told(CALLS[name](shared))  # a package that is loaded for the first time may set things up
    before = _state()
    told(CALLS[name](shared))
    assert _state() == before


@pytest.mark.parametrize(
    "change",
    [
        lambda: warnings.simplefilter("error"),
        lambda: np.random.seed(1),  # noqa: NPY002
        lambda: pd.set_option("display.precision", 3),
    ],
)
def test_changes_of_what_belongs_to_everybody_are_seen(change):
    random_numbers = np.random.get_state()  # noqa: NPY002
    with warnings.catch_warnings(), pd.option_context("display.precision", 6):
        before = _state()
        change()
        assert _state() != before
    np.random.set_state(random_numbers)  # noqa: NPY002


# calls that set something for the whole process; `catch_warnings` among them, because it puts the
# filters back that it found, and so undoes or keeps what another thread set meanwhile.
# `np.errstate` is none of them: it belongs to the thread, or to the context since numpy 2.
FOR_EVERYBODY = {
    "catch_warnings",
    "simplefilter",
    "filterwarnings",
    "resetwarnings",
    "showwarning",
    "set_option",
    "option_context",
    "reset_option",
    "seterr",
    "seterrcall",
    "set_printoptions",
    "printoptions",
    "setlocale",
    "seed",
    "set_state",
    "setstate",
    "chdir",
    "putenv",
    "setrecursionlimit",
    "setcontext",
    "redirect_stdout",
    "redirect_stderr",
}


def _set_for_everybody(source: str) -> list[str]:
    """Calls of such functions, under whatever name their module goes, and global variables."""
    found = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Global):
            found += node.names
        if isinstance(node, ast.Call):
            function = node.func
            name = getattr(function, "attr", getattr(function, "id", ""))
            if name in FOR_EVERYBODY:
                found.append(name)
    return found


def test_no_module_sets_anything_for_the_whole_process():
    package = Path(synthpop_py.__file__).parent
    # a command is the whole process; pictures are drawn in one thread
    # (docs/pages/reference/shared-methods.md), and matplotlib says only by a warning that a layout
    # had no room
    for module in sorted(package.rglob("*.py")):
        place = module.relative_to(package)
        if place.parts[0] in ("cli", "cli.py", "plots"):
            continue
        found = _set_for_everybody(module.read_text(encoding="utf-8"))
        assert found == [], f"{place}: {', '.join(found)}"


def test_such_a_module_is_found():
    lines = "import warnings as w\nwith w.catch_warnings():\n    w.simplefilter('error')\n"
    assert _set_for_everybody(lines) == ["catch_warnings", "simplefilter"]
    assert _set_for_everybody("def f():\n    global x\n    np.random.seed(1)\n") == ["x", "seed"]
    assert _set_for_everybody("with np.errstate(all='ignore'):\n    f(seed=1)\n") == []
