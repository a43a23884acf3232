"""An error at a line of the package, counted from the start of a call."""

from __future__ import annotations

import dis
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

PACKAGE = str(Path(__file__).resolve().parents[2] / "synthpop_py")


@dataclass
class Lines:
    """Follows a call line by line, and raises at one of them if asked to."""

    at: int | None = None
    error: BaseException | None = None
    seen: int = 0
    where: str = ""

    def enter(self, frame: FrameType, event: str, arg: Any) -> Any:
        """Lines of other packages are not followed."""
        return self.line if frame.f_code.co_filename.startswith(PACKAGE) else None

    def line(self, frame: FrameType, event: str, arg: Any) -> Any:
        if event == "line" and frame.f_lasti not in ends_of_with(frame.f_code):
            self.seen += 1
            if self.seen == self.at and self.error is not None:
                name = Path(frame.f_code.co_filename).relative_to(PACKAGE)
                self.where = f"{name}:{frame.f_lineno}"
                raise self.error
        return self.line


@cache
def ends_of_with(code: CodeType) -> frozenset[int]:
    """Where the blocks of ``with`` are left. Python counts that as a line, before it calls what
    cleans up: an error there would only show that no code in Python can guard it.
    """
    steps = list(dis.get_instructions(code))
    nothing = [step.opname == "LOAD_CONST" and step.argval is None for step in steps]
    ends = set()
    for place, step in enumerate(steps):
        # __exit__(None, None, None)
        if nothing[place : place + 3] == [True] * 3:
            ends.add(step.offset)
    return frozenset(ends)


def followed(call: Callable[[], Any], lines: Lines) -> Any:
    """What the call gives."""
    before = sys.gettrace()
    sys.settrace(lines.enter)
    try:
        return call()
    finally:
        sys.settrace(before)


def number_of_lines(call: Callable[[], Any]) -> int:
    lines = Lines()
    followed(call, lines)
    return lines.seen
