"""What a command is."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Callable
from typing import NamedTuple

__all__ = ["Command"]


class Command(NamedTuple):
    """A command of ``synthpop-disclosure``.

    Attributes
    ----------
    name : the word to type.
    says : one sentence for the list of commands.
    add_options : puts its options into a parser.
    run : does it; an `InputError` becomes one sentence and exit code 2.
    """

    name: str
    says: str
    add_options: Callable[[ArgumentParser], None]
    run: Callable[[Namespace], None]
