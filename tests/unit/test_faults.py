"""Interrupts, a lack of memory, a full disk, a folder that must not be written to: nothing is left
half done, and the next call gives what it always gave.
"""

from __future__ import annotations

import errno
import gzip
import inspect
import os
import re
import subprocess
import sys
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import synthpop_py
from synthpop_py import InputError, read_synds, write_synds
from tests.faults.calls import CALLS, Tables
from tests.faults.trials import struck

ROOT = Path(__file__).resolve().parents[2]
STRIKES = 4  # per call; `make faults` makes thousands
FRAME = pd.DataFrame({"sex": ["F", "M", "F"], "x": [0.5, np.nan, -8.0]})
NEEDS = {
    "rdata": ("read_rdata", "read_rds", "read_synds", "write_synds"),
    "matplotlib": ("Disclosure.plot",),
}


def with_needs(name: str) -> Any:
    needed = [package for package, names in NEEDS.items() if name in names]
    marks = [pytest.mark.needs(package) for package in needed]
    return pytest.param(name, marks=marks)


# ---- strikes at any line -------------------------------------------------------------


@pytest.mark.parametrize("name", [with_needs(name) for name in CALLS])
def test_after_an_interrupt_or_a_lack_of_memory_everything_is_as_before(name, tmp_path):
    tally = struck(name, STRIKES, seed=13, folder=tmp_path)
    assert not tally.faults, "\n".join(tally.faults)
    assert sum(tally.strikes.values()) == STRIKES


def test_every_public_function_is_struck():
    functions = [
        name for name in synthpop_py.__all__ if inspect.isfunction(getattr(synthpop_py, name))
    ]
    assert functions and not set(functions) - set(CALLS)


def leaves_a_filter(t: Tables) -> None:
    warnings.filterwarnings("ignore", message=f"{time.perf_counter()}")
    synthpop_py.ifpr_xi(0.4)


def leaves_a_file(t: Tables) -> None:
    """Removes what it left before, so that the file is new when it is struck."""
    half = t.folder / "half"
    half.unlink(missing_ok=True)
    half.write_text(f"{time.perf_counter()}")
    synthpop_py.ifpr_xi(0.4)


def changes_its_input(t: Tables) -> None:
    t.original["age"] += 1
    synthpop_py.ifpr_xi(0.4)


def swallows(t: Tables) -> None:
    try:
        synthpop_py.ifpr_xi(0.4)
    except BaseException:
        return


def draws(t: Tables) -> float:
    drawn = float(np.random.rand())  # noqa: NPY002
    synthpop_py.ifpr_xi(0.4)
    return drawn


@pytest.mark.parametrize(
    "call, says",
    [
        (leaves_a_filter, "changed: filters of warnings"),
        (leaves_a_file, "left behind: .*half"),
        (changes_its_input, "inputs were changed"),
        (swallows, "nothing was raised"),
        (draws, "changed: random numbers of NumPy"),
        (draws, "the same call gives another result"),
    ],
)
def test_the_trials_notice(call, says, tmp_path):
    np.random.seed(1)  # noqa: NPY002
    faults = struck("made up", 3, seed=13, folder=tmp_path, call=call).faults
    assert any(re.search(says, fault) for fault in faults), faults


# ---- writing -------------------------------------------------------------------------


@pytest.fixture
def mine(tmp_path: Path) -> Path:
    """A file that is there already."""
    file = tmp_path / "mine.rds"
    file.write_bytes(b"what was there before")
    return file


def assert_untouched(file: Path) -> None:
    assert file.read_bytes() == b"what was there before"
    assert list(file.parent.iterdir()) == [file]


def failing(error: OSError) -> Any:
    def fail(*args: Any, **kwargs: Any) -> Any:
        raise error

    return fail


FULL = OSError(errno.ENOSPC, "No space left on device", "/a/folder/nobody/typed")
DENIED = PermissionError(errno.EACCES, "Permission denied", "/a/folder/nobody/typed")


@pytest.mark.needs("rdata")
@pytest.mark.parametrize(
    "place, error",
    [
        ("gzip.GzipFile.write", FULL),
        ("gzip.GzipFile.close", FULL),
        ("os.fsync", FULL),
        ("tempfile.mkdtemp", DENIED),
        ("tempfile.mkdtemp", FULL),
        ("os.replace", DENIED),
        ("builtins.open", DENIED),
    ],
)
def test_what_cannot_be_written_leaves_the_old_file(place, error, mine, monkeypatch):
    with monkeypatch.context() as patched:
        patched.setattr(place, failing(error))
        with pytest.raises(InputError) as caught:
            write_synds(FRAME, mine)
    assert str(caught.value) == f"path: {str(mine)!r} cannot be written: {error.strerror}"
    assert_untouched(mine)


@pytest.mark.needs("rdata")
def test_a_disk_that_is_full_in_the_middle_of_the_file(mine):
    """Not pretended: the system allows no file of more than 400 bytes, which is less than it is."""
    code = f"""
import resource, pandas as pd, numpy as np
from synthpop_py import write_synds
resource.setrlimit(resource.RLIMIT_FSIZE, (400, 400))
frame = pd.DataFrame({{"x": np.random.default_rng(1).random(5000)}})
write_synds(frame, {str(mine)!r})
"""
    pytest.importorskip("resource")
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, "-B", "-c", code], capture_output=True, text=True, env=environment
    )
    assert done.returncode == 1
    assert f"InputError: path: {str(mine)!r} cannot be written: File too large" in done.stderr
    assert_untouched(mine)


@pytest.mark.needs("rdata")
def test_a_file_that_is_read_only_is_not_replaced(mine, monkeypatch):
    monkeypatch.setattr(os, "access", lambda path, mode: False)
    with pytest.raises(InputError, match=r"mine\.rds' cannot be written: it is read-only"):
        write_synds(FRAME, mine)
    assert_untouched(mine)


@pytest.mark.needs("rdata")
def test_a_written_file_has_the_rights_of_the_one_it_replaces(mine, tmp_path):
    mine.chmod(0o640)
    write_synds(FRAME, mine)
    assert mine.stat().st_mode & 0o777 == 0o640
    new = tmp_path / "new.rds"
    write_synds(FRAME, new)
    plain = tmp_path / "plain"
    plain.touch()
    assert new.stat().st_mode == plain.stat().st_mode


@pytest.mark.needs("rdata")
def test_a_link_stays_a_link(mine, tmp_path):
    link = tmp_path / "link.rds"
    link.symlink_to(mine)
    write_synds(FRAME, link)
    assert link.is_symlink() and read_synds(mine).m == 1
    assert gzip.decompress(mine.read_bytes()).startswith(b"X\n")
