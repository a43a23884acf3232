"""Many trials with one seed each, counted by what came of them."""

from __future__ import annotations

import signal
import time
import traceback
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from synthpop_py import InputError
from tests.damage.subjects import READ, REFUSED, SUBJECTS

MOST_SECONDS = 20.0  # a trial takes milliseconds


class Hangs(BaseException):
    """No reader can catch this by accident."""


@dataclass
class Tally:
    """What came of the trials of one subject."""

    outcomes: Counter[str] = field(default_factory=Counter)
    faults: list[dict[str, Any]] = field(default_factory=list)
    slowest: float = 0.0


@contextmanager
def deadline(seconds: float) -> Iterator[None]:
    if not hasattr(signal, "SIGALRM"):  # as on Windows, where nothing rings
        yield
        return

    def ring(number: int, frame: Any) -> None:
        raise Hangs

    before = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def run(subject: str, trials: range, seed: int, folder: Path) -> Tally:
    """Trials by number, so that one of them can be run again alone."""
    tally = Tally()
    for trial in trials:
        started = time.perf_counter()
        outcome, fault = one(subject, trial, seed, folder)
        tally.slowest = max(tally.slowest, time.perf_counter() - started)
        tally.outcomes[outcome] += 1
        if fault is not None:
            tally.faults.append({"trial": trial, "error": outcome, "traceback": fault})
    return tally


def one(subject: str, trial: int, seed: int, folder: Path) -> tuple[str, str | None]:
    """What came of one trial; with a traceback where that is a fault."""
    rng = np.random.default_rng([seed, trial])
    try:
        with deadline(MOST_SECONDS):
            SUBJECTS[subject](rng, folder)
    except InputError:
        return REFUSED, None
    except (Exception, Hangs) as error:
        return type(error).__name__, traceback.format_exc(limit=-6)
    return READ, None
