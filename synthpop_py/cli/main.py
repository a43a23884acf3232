"""``synthpop-disclosure``: the parser, and the list of commands."""

from __future__ import annotations

import sys
from argparse import ArgumentParser, Namespace, RawDescriptionHelpFormatter
from collections.abc import Callable, Sequence
from typing import Any, NoReturn

from .. import __version__
from ..errors import InputError, SynthpopError
from . import (
    completion,
    data,
    doctor,
    identify,
    keys,
    report,
    risk,
    risk_utility,
    synthesise,
)
from .command import BAD_INPUT, STOPPED, Command
from .config import with_config
from .messages import PROGRAM, notes_told, refuse, sentence
from .outputs import results_alone, silence
from .wording import in_options, in_options_of_synthesise

__all__ = ["COMMANDS", "main"]

COMMANDS: tuple[Command, ...] = (
    report.COMMAND,
    risk.COMMAND,
    keys.COMMAND,
    identify.COMMAND,
    risk_utility.COMMAND,
    synthesise.COMMAND,
    data.COMMAND,
    doctor.COMMAND,
    completion.COMMAND,
)
DESCRIPTION = """\
Disclosure risk of synthetic data, from files.

Results go to standard output, messages to standard error. Exit codes: 0 done, 1 a limit of
--fail-over is exceeded, 2 input that cannot be used, 130 stopped by Ctrl-C."""


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
    if arguments is None:
        with results_alone():
            return main(sys.argv[1:])
    try:
        return _run(list(arguments))
    except SystemExit as ended:  # how argparse says that help was shown, or a call refused
        return ended.code if isinstance(ended.code, int) else BAD_INPUT
    except BrokenPipeError:  # the reader of the results stopped reading
        silence(sys.stdout)
        return BAD_INPUT
    except (SynthpopError, OSError) as error:
        refuse(sentence(error))
        return BAD_INPUT
    except MemoryError:
        refuse("there is not enough memory for these data; give fewer columns, or Parquet files")
        return BAD_INPUT
    except KeyboardInterrupt:
        refuse("stopped")
        return STOPPED


def _run(words: Sequence[str]) -> int:
    whole, by_command = parsers()
    chosen = whole.parse_args(with_config(words, by_command))
    reword = _rewording(chosen)
    with notes_told(reword):
        try:
            code: int = chosen.run(chosen)
        except InputError as error:
            raise InputError(reword(str(error)), details=error.details) from None
    return code


def _rewording(chosen: Namespace) -> Callable[[str], str]:
    """How messages of functions are put into the words of a command."""
    if hasattr(chosen, "original"):
        return in_options
    return in_options_of_synthesise if hasattr(chosen, "visit_sequence") else str


def parsers() -> tuple[ArgumentParser, dict[str, ArgumentParser]]:
    """The parser of the program, and that of each command."""
    whole = _parser(prog=PROGRAM, description=DESCRIPTION)
    whole.add_argument("--version", action="version", version=f"{PROGRAM} {__version__}")
    words = whole.add_subparsers(title="commands", metavar="command", required=True)
    by_command = {}
    for command in COMMANDS:
        own = words.add_parser(
            command.name,
            help=command.says,
            description=command.says,
            epilog=f"example:\n  {PROGRAM} {command.example}",
            formatter_class=RawDescriptionHelpFormatter,
            allow_abbrev=False,
        )
        command.add_options(own)
        own.set_defaults(run=command.run)
        by_command[command.name] = own
    return whole, by_command


def _parser(**given: Any) -> ArgumentParser:
    return _Parser(formatter_class=RawDescriptionHelpFormatter, allow_abbrev=False, **given)
