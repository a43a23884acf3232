"""What a command is."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Callable
from typing import NamedTuple

__all__ = ["BAD_INPUT", "DONE", "OVER", "STOPPED", "Command"]

# exit codes
DONE, OVER, BAD_INPUT, STOPPED = 0, 1, 2, 130


class Command(NamedTuple):
    """A command of ``synthpop-disclosure``.

    Attributes
    ----------
    name : the word to type.
    says : one sentence for the list of commands.
    example : what a user may type after the program's name.
    add_options : puts its options into a parser.
    run : does the work and returns the exit code; an `InputError` becomes one sentence and exit
        code 2.
    """

    name: str
    says: str
    example: str
    add_options: Callable[[ArgumentParser], None]
    run: Callable[[Namespace], int]
