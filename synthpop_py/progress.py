"""A progress line on a terminal and in a notebook; nothing elsewhere."""

from __future__ import annotations

import shutil
import sys
import time
from collections.abc import Callable
from typing import TextIO

LENGTH = 20  # width of the bar
SOON = 2  # seconds before the time left can be estimated, and before a notebook shows anything
MINUTES_FROM = 120  # seconds

# called as a piece of work begins, with how many are done and what it is
Begin = Callable[[int, str], None]


class Progress:
    """Shows the current piece of work, how many are done, and about how long the rest will take.

    One line is overwritten and finally wiped; in a notebook, which keeps what is written, only once
    the work has taken a while. In a pipe or a file nothing is shown.
    """

    def __init__(self, total: int, show: bool, stream: TextIO | None = None) -> None:
        self.total = total
        self.done = 0
        self.started = time.monotonic()
        self.stream = sys.stderr if stream is None else stream
        notebook = type(self.stream).__module__.partition(".")[0] == "ipykernel"
        is_terminal = getattr(self.stream, "isatty", bool)()  # a stream may have no such method
        self.show = show and total > 0 and (notebook or is_terminal)
        self.after = SOON if notebook else 0
        self.width = 0

    def reach(self, done: int, what: str) -> None:
        """Say how many pieces are done, where some are skipped or repeated, and begin the next."""
        self.done = done
        self.step(what)

    def step(self, what: str) -> None:
        """Say that the next piece of work begins."""
        spent = time.monotonic() - self.started
        if self.show and spent >= self.after:
            bar = ("#" * round(LENGTH * self.done / self.total)).ljust(LENGTH)
            left = ""
            if self.done and spent >= SOON:
                seconds = spent / self.done * (self.total - self.done)
                time_left = f"{seconds:.0f} s"
                if seconds >= MINUTES_FROM:
                    time_left = f"{seconds / 60:.0f} min"
                left = f", about {time_left} left"
            self._write(f"[{bar}] {self.done + 1} of {self.total}: {what}{left}")
        self.done += 1

    def _write(self, text: str) -> None:
        room = shutil.get_terminal_size().columns - 1
        text = text[:room]  # a line that wraps could not be overwritten
        self.stream.write("\r" + text.ljust(self.width))
        self.stream.flush()
        self.width = max(self.width, len(text))

    def __enter__(self) -> Progress:
        return self

    def __exit__(self, *error: object) -> None:
        if self.show and self.width:
            self._write("")
            self.stream.write("\r")
            self.stream.flush()
