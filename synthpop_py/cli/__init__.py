"""The command line: ``synthpop-disclosure``, or ``python -m synthpop_py``.

Reading order: `options` (what may be typed, every option once) · `files` (what is read and written)
· `commands` (what each command asks and shows). Here: how the program starts, ends, and words its
messages.

Commands are built from public functions and public fields of their results only. A new one is a
function in `commands` and an entry in the list at its end.
"""

from __future__ import annotations

import re
import sys
import warnings
from argparse import Namespace
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from .. import __version__
from ..errors import InputError, SynthpopError
from .commands import COMMANDS
from .options import BAD_INPUT, Parser, add_options

__all__ = ["COMMANDS", "main", "parsers"]

PROGRAM = "synthpop-disclosure"
STOPPED = 130
DESCRIPTION = """\
Disclosure risk of synthetic data, from files.

Results go to standard output, messages to standard error. Exit codes: 0 done, 1 a limit is passed,
2 input that cannot be used or judged, 130 stopped by Ctrl-C."""

# arguments of functions, by the options that lead to them; others are spelt like the option
OPTIONS = {
    **dict.fromkeys(("object", "synthetic"), "--synthetic"),
    **dict.fromkeys(("data", "original"), "--original"),
    **dict.fromkeys(("usekeysNA", "usetargetsNA", "usetargetNA"), "--leave-out-missing"),
    **dict.fromkeys(("exclude_keys", "exclude_keylevs", "exclude_targetlevs"), "--exclude"),
    "path": "--output",
    "intervals": "--interval",
    "not_targetlev": "--not-targetslev",
    "ngroups_target": "--ngroups-targets",
    "predictor_matrix": "--not-predictor",
}
# what functions advise, as it is typed here
ADVICE = {
    r"set its column of predictor_matrix to 0": "name it in --not-predictor",
    r"give it the method 'sample'": "give it --method COLUMN=sample",
    r"leave seed out": "leave --seed out",
    r"reproducible=True": "--reproducible",
    r"force=True": "--force",
    r"exclude_ov_denom_lim=True": "--exclude-ov-denom-lim",
    r"ngroups_keys and ngroups_target do": "--ngroups-keys and --ngroups-targets do",
    r"a column of (object|the synthetic data)": "a column of --synthetic",
    r"a column of (data|the original data)": "a column of --original",
    r"synthetic data set (?=\d)": "--synthetic, element ",
    r"write it with commas": "say so with --sep",
    r"year-month-day for instance": "or say with --dates how they are written",
    r"in visit_sequence": "in --visit-sequence",
    r"(more than|raise) maxfaclevels( =)?": r"\1 --maxfaclevels",
    r"; the error's details have all levels of the original data": "",
    r", for instance with \S*\(.*\)": "",  # a call of pandas
}


def main(words: Sequence[str] | None = None) -> int:
    """Run a command; the exit code.

    Parameters
    ----------
    words : what was typed after the program's name; by default what Python was started with.
    """
    try:
        chosen = parsers()[0].parse_args(sys.argv[1:] if words is None else list(words))
        with notes_told(chosen):
            code: int = chosen.command.run(chosen)
        return code
    except SystemExit as ended:  # how argparse says that help was shown, or a call refused
        return ended.code if isinstance(ended.code, int) else BAD_INPUT
    except InputError as error:
        return refused(in_options(str(error), chosen))
    except OSError as error:
        says = f"{error.filename}: {error.strerror}" if error.filename else str(error)
        return refused(says)
    except SynthpopError as error:
        return refused(str(error))
    except MemoryError:
        return refused("there is not enough memory for these data; give fewer columns, or Parquet")
    except KeyboardInterrupt:
        return refused("stopped", STOPPED)


def parsers() -> tuple[Parser, dict[str, Parser]]:
    """The parser of the program, and that of each command."""
    whole = Parser(prog=PROGRAM, description=DESCRIPTION)
    whole.add_argument("--version", action="version", version=f"{PROGRAM} {__version__}")
    words = whole.add_subparsers(title="commands", metavar="command", required=True)
    by_name = {}
    for command in COMMANDS:
        example = f"example:\n  {PROGRAM} {command.name} {command.example}"
        says = command.says
        own = words.add_parser(command.name, help=says, description=says, epilog=example)
        if command.name == "synthesise":
            own.add_argument("data", help="the original, named as --original of other commands")
        add_options(own, command.options)
        own.set_defaults(command=command)
        by_name[command.name] = own
    return whole, by_name


def refused(text: str, code: int = BAD_INPUT) -> int:
    """Why nothing was done, in one line."""
    print(f"{PROGRAM}: {_one_line(text)}", file=sys.stderr)
    return code


@contextmanager
def notes_told(chosen: Namespace) -> Iterator[None]:
    """Prints warnings as notes, each once, when the work is done."""
    with warnings.catch_warnings(record=True) as given:
        warnings.simplefilter("ignore")
        warnings.simplefilter("always", UserWarning)
        yield
    for text in dict.fromkeys(str(warning.message) for warning in given):
        print(f"note: {_one_line(in_options(text, chosen))}", file=sys.stderr)


def in_options(text: str, chosen: Namespace) -> str:
    """A message about arguments, with options in their place."""
    for words, typed in ADVICE.items():
        text = re.sub(words, typed, text)
    name = re.split("[:,]", text, maxsplit=1)[0]
    if name == "data" and hasattr(chosen, "data"):  # what `synthesise` reads has no option
        return text
    is_option = name in OPTIONS or hasattr(chosen, name)
    option = OPTIONS.get(name, f"--{name.replace('_', '-')}")
    return option + text.removeprefix(name) if is_option else text


def _one_line(text: str) -> str:
    return " ".join(text.split())
