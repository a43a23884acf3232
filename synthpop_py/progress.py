"""A progress line on a terminal; nothing where nobody would see it move."""

from __future__ import annotations

import shutil
import sys
import time
from types import TracebackType
from typing import TextIO


class Progress:
    """Shows what is being worked on, how far it is, and about how long it will still take.

    On a terminal one line is written over again and wiped in the end. In a pipe, a file or a
    notebook nothing is shown.
    """

    def __init__(self, total: int, show: bool, stream: TextIO | None = None) -> None:
        self.total, self.done, self.started = total, 0, time.monotonic()
        self.stream = sys.stderr if stream is None else stream
        self.show = show and total > 0 and bool(getattr(self.stream, "isatty", lambda: False)())
        self.width = 0

    def reach(self, done: int, what: str) -> None:
        """Say that so many pieces are done and the next one begins; for work that may skip or
        repeat pieces.
        """
        self.done = done
        self.step(what)

    def step(self, what: str) -> None:
        """Say that the next piece of work begins."""
        if self.show:
            self._write(
                f"[{'#' * self._filled():20s}] {self.done + 1} of {self.total}:"
                f" {what}{self._time_left()}"
            )
        self.done += 1

    def _filled(self) -> int:
        return round(20 * self.done / self.total)

    def _time_left(self) -> str:
        spent = time.monotonic() - self.started
        if self.done == 0 or spent < 2:
            return ""
        left = spent / self.done * (self.total - self.done)
        return f", about {left:.0f} s left" if left < 120 else f", about {left / 60:.0f} min left"

    def _write(self, text: str) -> None:
        text = text[
            : shutil.get_terminal_size().columns - 1
        ]  # a line that wraps could not be written over
        self.stream.write("\r" + text.ljust(self.width))
        self.stream.flush()
        self.width = max(self.width, len(text))

    def __enter__(self) -> Progress:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self.show and self.width:
            self._write("")
            self.stream.write("\r")
            self.stream.flush()
