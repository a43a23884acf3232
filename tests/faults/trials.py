"""Many strikes at random lines of one call, each followed by the questions that matter."""

from __future__ import annotations

import tempfile
import warnings
import zlib
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from tests.faults.calls import CALLS, tables
from tests.faults.state import files, global_state, spelled
from tests.faults.strikes import Lines, followed, number_of_lines

ERRORS: tuple[type[BaseException], ...] = (MemoryError, KeyboardInterrupt)
BEFORE = b"what was there before"


@dataclass
class Tally:
    """What came of the strikes on one call."""

    strikes: Counter[str] = field(default_factory=Counter)
    faults: list[str] = field(default_factory=list)


@contextmanager
def quiet(folder: Path) -> Iterator[None]:
    """No warnings, and temporary files where they can be seen."""
    before, tempfile.tempdir = tempfile.tempdir, str(folder)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        tempfile.tempdir = before


def struck(name: str, number: int, seed: int, folder: Path, call: Any = None) -> Tally:
    """Strikes the call so many times; its result before and after every strike must be the same."""
    call = CALLS[name] if call is None else call
    tally = Tally()
    own, temporary = folder / "own", folder / "temporary"
    for place in (own, temporary):
        place.mkdir(parents=True)
    with quiet(temporary):
        given = tables(own)
        once = partial(call, given)
        expected = spelled(once())
        most = number_of_lines(once)
        for trial in range(number):
            rng = np.random.default_rng([seed, trial, zlib.crc32(name.encode())])
            error = ERRORS[rng.integers(len(ERRORS))]
            at = int(rng.integers(1, most + 1))
            (own / "mine.rds").write_bytes(BEFORE)
            lines = Lines(at, error())
            for fault in _one(once, lines, expected, given.inputs(), own):
                tally.faults.append(f"{name}, {error.__name__} at {lines.where}: {fault}")
            tally.strikes[error.__name__] += 1
    return tally


def _one(
    once: Callable[[], Any], lines: Lines, expected: Any, inputs: list[Any], own: Path
) -> Iterator[str]:
    """What is not as it must be after one strike."""
    state, held, given = global_state(), files(own), spelled(inputs)
    try:
        followed(once, lines)
        came = "nothing was raised"
    except BaseException as error:
        came = "" if error is lines.error else f"{type(error).__name__} was raised: {error}"
    if came:
        yield came
    for name, value in global_state().items():
        if value != state[name]:
            yield f"changed: {name}"
    left = files(own)
    if left != held:
        # a write that was complete may stay
        changed = [file for file in held.keys() | left.keys() if held.get(file) != left.get(file)]
        if not (changed == [str(own / "mine.rds")] and _is_whole(own / "mine.rds")):
            yield f"left behind: {', '.join(changed)}"
    if spelled(inputs) != given:
        yield "inputs were changed"
    if spelled(once()) != expected:
        yield "the same call gives another result"


def _is_whole(file: Path) -> bool:
    from synthpop_py import read_synds

    return read_synds(file).m == 2
