"""The command line: ``synthpop-disclosure``, or ``python -m synthpop_py``. Here is what may be
typed, and how the program starts, ends and words its messages; `commands` has what each command
does. A new one is a function there, and an entry in `COMMANDS`.
"""

from __future__ import annotations

import csv
import re
import sys
import warnings
from argparse import ArgumentParser, ArgumentTypeError, Namespace, RawDescriptionHelpFormatter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NoReturn

from .. import __version__
from ..errors import InputError, SynthpopError
from ..rounding import MEASURES, ROUND_TO
from . import commands

__all__ = ["COMMANDS", "main", "parsers"]

PROGRAM = "synthpop-disclosure"
BAD_INPUT, STOPPED = 2, 130
DESCRIPTION = """\
Disclosure risk of synthetic data, from files.

Results go to standard output, messages to standard error. Exit codes: 0 done, 1 a limit is passed,
2 input that cannot be used or judged, 130 stopped by Ctrl-C."""
SOURCES = (
    "a file (.csv, .csv.gz, .parquet, .rds, .rda, .sas7bdat, .xpt, .sav, .dta), a folder of Parquet"
    " files, a pattern, FILE::TABLE of a DuckDB or SQLite database or of a file of R,"
    " duckdb:FILE::TABLE, sqlite:FILE::TABLE, or data:NAME for a data set of the package"
)

# ---- the form of values --------------------------------------------------------------


def names(text: str) -> list[str]:
    """Names between commas; one that holds a comma is quoted.

    >>> names("sex, age"), names('"age, in years",sex')
    (['sex', 'age'], ['age, in years', 'sex'])
    """
    (row,) = csv.reader([text or ","], skipinitialspace=True)
    words = [word.strip() for word in row if word.strip()]
    if not words:
        raise ArgumentTypeError("none given; name at least one column")
    return words


def pair(text: str) -> tuple[str, str]:
    """A column and a value. A name may contain "=", a value never does."""
    name, _, value = text.rpartition("=")
    if not name:
        raise ArgumentTypeError(f"{text!r} is not written as NAME=VALUE")
    return name, value


def limit(text: str) -> tuple[str, float]:
    measure, highest = pair(text)
    return measure, float(highest)


def missing(text: str) -> tuple[str, list[Any]]:
    """``income=-9`` for a column of numbers, or ``-9,unknown`` for every column of a CSV."""
    if "=" not in text:
        return "", names(text)
    name, values = pair(text)
    numbers = map(float, values.split(","))
    return name, [int(value) if value.is_integer() else value for value in numbers]


def value_or_pair(text: str) -> tuple[str | None, str]:
    """``cart`` for all columns, or ``sex=sample`` for one."""
    return pair(text) if "=" in text else (None, text)


def classes(text: str) -> tuple[str | None, int]:
    name, value = value_or_pair(text)
    return name, int(value)


def interval(text: str) -> tuple[str, float, bool]:
    """``age=2``, or ``income=10%``: a radius, and whether it is a share of the value."""
    name, value = pair(text)
    return name, float(value.removesuffix("%")), value.endswith("%")


# ---- every option --------------------------------------------------------------------

OPTIONS: dict[str, dict[str, Any]] = {}


def option(name: str, value: str | None, says: str, kind: Any = str, **more: Any) -> None:
    OPTIONS[name] = {"help": says, "type": kind, "metavar": value, **more}


def repeated(name: str, value: str, says: str, kind: Any, **more: Any) -> None:
    option(name, value, f"{says}; may be repeated", kind, action="append", default=[], **more)


def columns(name: str, says: str, default: Any = None) -> None:
    option(name, "COLUMNS", says, names, default=default)


def number(name: str, says: str, default: int | None = None) -> None:
    option(name, "N", says, int, default=default)


def flag(name: str, says: str) -> None:
    OPTIONS[name] = {"help": says, "action": "store_true"}


EACH = f"the synthetic data, one source for each synthesis: {SOURCES}"
option("--synthetic", "SOURCE", EACH, action="extend", nargs="+")
option("--original", "SOURCE", "the original data, named in the same ways")
option("--holdout", "SOURCE", "people of the same population whom the synthesis never saw")

# how CSV files are read: guessed from the files if not given
option("--sep", "MARK", "what stands between fields of a CSV: , ; | or tab (guessed)")
option("--decimal", "MARK", "the decimal mark in a CSV: . or , (guessed)")
option("--encoding", "NAME", "of a CSV, such as utf-8 or latin-1 (guessed)")
option("--dates", "FORM", "in a CSV, such as dd.mm.yyyy; text leaves them (guessed)")
LACKING = "codes of missing values: income=-9, or --missing=-9,unknown for every column of a CSV"
repeated("--missing", "VALUE", LACKING, missing)
columns("--text", "columns of a CSV that are codes, not numbers: 007 and 7 stay two values", [])
columns("--drop", "columns not to look at, such as identifiers", [])

columns("--keys", "what an intruder may know, columns between commas")
columns("--targets", "what they could learn (all other columns)")
option("--target", "COLUMN", "what they could learn")
columns("--candidates", "columns of which they may know some (all that are not targets)")
option("--counts", "COLUMN", "the column that says how many records a row stands for")
repeated("--ngroups-keys", "N", "about N classes for numeric keys, or COLUMN=N", classes)
repeated("--ngroups-targets", "N", "the same for targets, 0 for none (10 if many numbers)", classes)
repeated("--not-targetslev", "COLUMN=LEVEL", "a level to leave out, such as workab=NO", pair)
columns("--leave-out-missing", "leave out people who lack these keys or targets", [])
SURE = "the share of records with the same keys that must have one value (1)"
option("--certainty", "SHARE", SURE, float, default=1.0)
OVER = f"exit code 1 if {', '.join(MEASURES)} may be above this percentage, such as DiSCO=5"
repeated("--limit", "MEASURE=LIMIT", OVER, limit, dest="limits")

flag("--json", "JSON instead of a text table")
flag("--csv", "CSV instead of a text table")
option("--output", "FILE", "the file to write; its ending says the format", Path)
flag("--force", "overwrite what exists")
number("--round-to", "counts of people are rounded to multiples of this; 1: exact (10)", ROUND_TO)
option("--title", "WORDS", "the heading of the report")
repeated("--label", "COLUMN=WORDS", "what a column is called", pair, dest="labels")

number("--max-keys", "the most keys known at once (3)", 3)
columns("--known", "keys that were released unchanged", [])
columns("--synthesised", "keys whose values were replaced")
repeated("--interval", "KEY=RADIUS", "a key to be near: age=2, or income=10%% of it", interval)
ATTACKS = ("probability", "mode")
option("--attack", None, "how several syntheses are used", choices=ATTACKS, default="probability")
option("--threshold", "SHARE", "above it a match is perceived (0.2)", float, default=0.2)
option("--weights", "COLUMN", "survey weights: a person may not be in the file at all")
option("--risk", "MEASURES", "repU, DiSCO, repU_any, DiSCO_any, expected_match_rate", names)
option("--utility", "MEASURES", "tvd, tvd1, tvd2, S_pMSE (tvd)", names, default=["tvd"])
columns("--variables", "columns that are compared (all)")
TRIED = "distance, distance_difference, density, density_ratio, cells (all that fit)"
option("--attacks", "NAMES", TRIED, names)
number("--bootstrap", "resamples for intervals (0)", 0)

number("--seed", "makes the same again; leave it out for data that you release")
flag("--reproducible", "for teaching and tests: no note that a seed can be guessed")
number("--m", "number of synthetic sets (1)", 1)
number("--k", "number of records of each (as the original)")
repeated("--method", "METHOD", "cart or sample, or COLUMN=METHOD (cart)", value_or_pair)
columns("--visit-sequence", "columns in the order of synthesis")
flag("--keep-unsynthesised", "write columns with original values, too, if not synthesised")
number("--maxfaclevels", "most levels of a column for trees (60)", 60)
repeated("--smoothing", "WAY", "density, rmean or spline, or COLUMN=WAY", value_or_pair)
flag("--proper", "grow trees on resampled records")

# ---- every command -------------------------------------------------------------------

READING = "--sep --decimal --encoding --dates --missing --text --drop"
RELEASED = f"--synthetic! --original! {READING}"
CLASSED = "--counts --ngroups-keys --ngroups-targets --not-targetslev --leave-out-missing"
OF_RISK = f"{RELEASED} --holdout --targets {CLASSED} --certainty --limit --round-to"
OF_MATCHES = "--known --synthesised! --interval --attack --threshold --weights --seed"
OF_MAP = "--keys! --target --risk --utility --variables --bootstrap --seed"
OF_SYN = "--m --k --method --smoothing --proper --visit-sequence --keep-unsynthesised"
PRINTED = "--json --csv --output --force"
# the options of each command, which is a function in `commands`; "!" after one that is needed
COMMANDS = {
    "risk": f"--keys! {OF_RISK} {PRINTED}",
    "report": f"--keys --candidates {OF_RISK} --title --label --output --force",
    "keys": f"{RELEASED} --candidates --targets {CLASSED} --max-keys --round-to {PRINTED}",
    "identify": f"{RELEASED} {OF_MATCHES} --round-to {PRINTED}",
    "membership": f"{RELEASED} --holdout! --variables --attacks --seed --round-to {PRINTED}",
    "map": f"{RELEASED} {OF_MAP} --round-to {PRINTED}",
    "synthesise": f"--output! --force {READING} --seed --reproducible --maxfaclevels {OF_SYN}",
}
ALSO = {"--output": "-o", "--limit": "--fail-over", "--missing": "--cont-na"}


class Parser(ArgumentParser):
    """A parser whose errors are one line."""

    def error(self, message: str) -> NoReturn:
        print(f"{self.prog}: {message}; see {self.prog} --help", file=sys.stderr)
        sys.exit(BAD_INPUT)


def parsers() -> tuple[Parser, dict[str, Parser]]:
    """The parser of the program, and that of each command."""
    how: dict[str, Any] = {"formatter_class": RawDescriptionHelpFormatter, "allow_abbrev": False}
    whole = Parser(prog=PROGRAM, description=DESCRIPTION, **how)
    whole.add_argument("--version", action="version", version=f"{PROGRAM} {__version__}")
    words = whole.add_subparsers(title="commands", metavar="command", required=True)
    for command, options in COMMANDS.items():
        run = getattr(commands, f"do_{command}")
        says, _, example = run.__doc__.partition("\n")
        shown = f"example:\n  {PROGRAM} {command} {' '.join(example.split())}"
        own = words.add_parser(command, help=says, description=says, epilog=shown, **how)
        if command == "synthesise":
            own.add_argument("data", help="the original, named as --original of other commands")
        for word in options.split():
            name = word.removesuffix("!")
            asked = OPTIONS[name] | ({"required": True} if word.endswith("!") else {})
            own.add_argument(*filter(None, [name, ALSO.get(name)]), **asked)
        own.set_defaults(command=command, run=run)
    return whole, dict(words.choices)


# ---- the program ---------------------------------------------------------------------

# arguments of functions, by the options that lead to them; others are spelt like the option
ARGUMENTS = {
    **dict.fromkeys(("object", "synthetic"), "--synthetic"),
    **dict.fromkeys(("data", "original"), "--original"),
    **dict.fromkeys(("usekeysNA", "usetargetsNA", "usetargetNA"), "--leave-out-missing"),
    "path": "--output",
    "limits": "--limit",
    "cont_na": "--cont-na",
    "intervals": "--interval",
    "not_targetlev": "--not-targetslev",
    "ngroups_target": "--ngroups-targets",
}
# what functions advise, as it is typed here
ADVICE = {
    r" set its column of predictor_matrix to 0,": "",
    r"give it the method 'sample'": "give it --method COLUMN=sample",
    r"(?<= )visit_sequence": "--visit-sequence",
    r"(?<= )maxfaclevels( =)?": "--maxfaclevels",
    r"\b(force|reproducible)=True": r"--\1",
    r"leave seed out": "leave --seed out",
    r"(?<=a column of )the (synthetic|original) data": r"--\1",
    r"(?<=a column of )object": "--synthetic",
    r"synthetic data set (?=\d)": "--synthetic, element ",
    r"write it with commas": "say so with --sep",
    r"year-month-day for instance": "or say with --dates how they are written",
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
        chosen = parsers()[0].parse_args(words)
        with notes_told(chosen):
            code: int = chosen.run(chosen)
        return code
    except SystemExit as ended:  # how argparse says that help was shown, or a call refused
        return ended.code if isinstance(ended.code, int) else BAD_INPUT
    except (InputError, ImportError) as error:
        return refused(in_options(str(error), chosen))
    except (SynthpopError, OSError) as error:
        return refused(str(error))
    except KeyboardInterrupt:
        return refused("stopped", STOPPED)


def refused(text: str, code: int = BAD_INPUT) -> int:
    """Why nothing was done, in one line."""
    print(f"{PROGRAM}: {' '.join(text.split())}", file=sys.stderr)
    return code


@contextmanager
def notes_told(chosen: Namespace) -> Iterator[None]:
    """Prints warnings as notes, each once, when the work is done."""
    with warnings.catch_warnings(record=True) as given:
        warnings.simplefilter("ignore")
        warnings.simplefilter("always", UserWarning)
        yield
    for text in dict.fromkeys(str(warning.message) for warning in given):
        print(f"note: {' '.join(in_options(text, chosen).split())}", file=sys.stderr)


def in_options(text: str, chosen: Namespace) -> str:
    """A message about arguments, with options in their place."""
    for words, typed in ADVICE.items():
        text = re.sub(words, typed, text)
    name = re.split(r"[:,[]", text, maxsplit=1)[0]
    if name == "data" and hasattr(chosen, "data"):  # what `synthesise` reads has no option
        return text
    if name not in ARGUMENTS and not hasattr(chosen, name):
        return text
    spelt = ARGUMENTS.get(name, f"--{name.replace('_', '-')}")
    return spelt + text.removeprefix(name)
