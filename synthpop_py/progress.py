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
    """Shows the current piece of work, how many are done, and about how long the rest will take:
    one line that is overwritten and finally wiped. A notebook, which keeps what is written, shows
    it only once the work has taken a while.
    """

    def __init__(self, total: int, show: bool, stream: TextIO | None = None) -> None:
        self.total, self.done, self.width = total, 0, 0
        self.started = time.monotonic()
        self.stream = sys.stderr if stream is None else stream
        notebook = type(self.stream).__module__.startswith("ipykernel")
        is_terminal = getattr(self.stream, "isatty", bool)()  # a stream may have no such method
        self.show = show and total > 0 and (notebook or is_terminal)
        self.after = SOON if notebook else 0

    def reach(self, done: int, what: str) -> None:
        """Say how many pieces are done, where some are skipped or repeated, and begin the next."""
        self.done = done
        self.step(what)

    def step(self, what: str) -> None:
        """Say that the next piece of work begins."""
        spent = time.monotonic() - self.started
        if self.show and spent >= self.after:
            bar = "#" * round(LENGTH * self.done / self.total)
            text = f"[{bar:{LENGTH}}] {self.done + 1} of {self.total}: {what}"
            if self.done and spent >= SOON:
                left = spent / self.done * (self.total - self.done)
                time_left = f"{left:.0f} s" if left < MINUTES_FROM else f"{left / 60:.0f} min"
                text += f", about {time_left} left"
            self._write(text)
        self.done += 1

    def _write(self, text: str) -> None:
        text = text[: shutil.get_terminal_size().columns - 1]  # a wrapped line would stay
        self.stream.write("\r" + text.ljust(self.width))
        self.stream.flush()
        self.width = max(self.width, len(text))

    def __enter__(self) -> Progress:
        return self

    def __exit__(self, *error: object) -> None:
        if self.width:
            self._write("")
            self.stream.write("\r")
            self.stream.flush()
