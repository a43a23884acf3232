"""``synthpop-disclosure``: the parser, and the list of commands."""

from __future__ import annotations

import sys
import warnings
from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from typing import NoReturn

from .. import __version__
from ..errors import SynthpopError
from . import synthesise
from .command import Command

__all__ = ["COMMANDS", "main"]

PROGRAM = "synthpop-disclosure"
COMMANDS: tuple[Command, ...] = (synthesise.COMMAND,)
DONE, BAD_INPUT, STOPPED = 0, 2, 130


class _Parser(ArgumentParser):
    """A parser whose errors are one sentence."""

    def error(self, message: str) -> NoReturn:
        print(f"{self.prog}: {message}; see {self.prog} --help", file=sys.stderr)
        sys.exit(BAD_INPUT)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; the exit code.

    Parameters
    ----------
    arguments : what was typed after the program's name; by default what Python was started with.
    """
    chosen = _parser().parse_args(arguments)
    try:
        _run(chosen)
    except (SynthpopError, OSError) as error:
        return _refuse(_sentence(error))
    except KeyboardInterrupt:
        _refuse("stopped")
        return STOPPED
    return DONE


def _run(chosen: Namespace) -> None:
    """The command, with what it warns of as notes."""
    with warnings.catch_warnings(record=True) as given:
        warnings.simplefilter("always", UserWarning)
        chosen.run(chosen)
    for warning in given:
        print(f"note: {warning.message}", file=sys.stderr)


def _parser() -> ArgumentParser:
    parser = _Parser(
        prog=PROGRAM,
        description="Synthetic data and their disclosure risk, from files.",
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=f"{PROGRAM} {__version__}")
    words = parser.add_subparsers(title="commands", metavar="command", required=True)
    for command in COMMANDS:
        own = words.add_parser(
            command.name, help=command.says, description=command.says, allow_abbrev=False
        )
        command.add_options(own)
        own.set_defaults(run=command.run)
    return parser


def _sentence(error: Exception) -> str:
    if isinstance(error, OSError) and error.filename is not None:
        return f"{error.filename}: {error.strerror}"
    return " ".join(str(error).split())


def _refuse(sentence: str) -> int:
    print(f"{PROGRAM}: {sentence}", file=sys.stderr)
    return BAD_INPUT
