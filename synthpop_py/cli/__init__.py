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


# what is typed after an option, by the word for it in the help; "" for nothing
KINDS = {"COLUMNS": names, "MEASURES": names, "N": int, "SHARE": float, "FILE": Path}
MAY_BE_REPEATED: dict[str, Any] = {"VALUE": missing, "CLASSES": classes, "METHOD": value_or_pair}
MAY_BE_REPEATED |= {"KEY=RADIUS": interval, "MEASURE=LIMIT": limit}
MAY_BE_REPEATED |= dict.fromkeys(("COLUMN=LEVEL", "COLUMN=WORDS"), pair)
SYNTHETIC = f"the synthetic data, one source for each synthesis: {SOURCES}"
LACKING = "codes of missing values: income=-9, or --missing=-9,unknown for every column of a CSV"
OVER = f"exit code 1 if {', '.join(MEASURES)} may be above this percentage, such as DiSCO=5"
# the word for the value, the help, and what stands where it is not given (None)
OPTIONS: dict[str, tuple[Any, ...]] = {
    "--synthetic": ("SOURCE", SYNTHETIC),
    "--original": ("SOURCE", "the original data, named in the same ways"),
    "--holdout": ("SOURCE", "people of the same population whom the synthesis never saw"),
    # how CSV files are read: guessed from the files if not given
    "--sep": ("MARK", "what stands between fields of a CSV: , ; | or tab (guessed)"),
    "--decimal": ("MARK", "the decimal mark in a CSV: . or , (guessed)"),
    "--encoding": ("NAME", "of a CSV, such as utf-8 or latin-1 (guessed)"),
    "--dates": ("FORM", "in a CSV, such as dd.mm.yyyy; text leaves them (guessed)"),
    "--missing": ("VALUE", LACKING),
    "--text": ("COLUMNS", "columns of a CSV with codes, not numbers: 007 and 7 stay two", []),
    "--drop": ("COLUMNS", "columns not to look at, such as identifiers", []),
    "--keys": ("COLUMNS", "what an intruder may know, columns between commas"),
    "--targets": ("COLUMNS", "what they could learn (all other columns)"),
    "--target": ("COLUMN", "what they could learn"),
    "--candidates": ("COLUMNS", "columns of which they may know some (all that are not targets)"),
    "--counts": ("COLUMN", "the column that says how many records a row stands for"),
    "--ngroups-keys": ("CLASSES", "how many classes for numeric keys, about: 4, or age=4"),
    "--ngroups-targets": ("CLASSES", "the same for targets, 0 for none (10 if many numbers)"),
    "--not-targetslev": ("COLUMN=LEVEL", "a level to leave out, such as workab=NO"),
    "--leave-out-missing": ("COLUMNS", "leave out people who lack these keys or targets", []),
    "--certainty": (
        "SHARE",
        "share of records with the same keys that must have one value (1)",
        1.0,
    ),
    "--limit": ("MEASURE=LIMIT", OVER),
    "--json": ("", "JSON instead of a text table"),
    "--csv": ("", "CSV instead of a text table"),
    "--output": ("FILE", "the file to write; its ending says the format"),
    "--force": ("", "overwrite what exists"),
    "--round-to": ("N", "counts are rounded to multiples of this; 1: exact (10)", ROUND_TO),
    "--title": ("WORDS", "the heading of the report"),
    "--label": ("COLUMN=WORDS", "what a column is called"),
    "--max-keys": ("N", "the most keys known at once (3)", 3),
    "--known": ("COLUMNS", "keys that were released unchanged", []),
    "--synthesised": ("COLUMNS", "keys whose values were replaced"),
    "--interval": ("KEY=RADIUS", "a key to be near: age=2, or income=10%% of it"),
    "--attack": ("WAY", "how several syntheses are used: probability or mode", "probability"),
    "--weights": ("COLUMN", "survey weights: a person may not be in the file at all"),
    "--risk": ("MEASURES", "repU, DiSCO, repU_any, DiSCO_any, expected_match_rate"),
    "--utility": ("MEASURES", "tvd, tvd1, tvd2, S_pMSE (tvd)", ["tvd"]),
    "--variables": ("COLUMNS", "columns that are compared (all)"),
    "--bootstrap": ("N", "resamples for intervals (0)", 0),
    "--seed": ("N", "makes the same again; leave it out for data that you release"),
    "--reproducible": ("", "for teaching and tests: no note that a seed can be guessed"),
    "--m": ("N", "number of synthetic sets (1)", 1),
    "--method": ("METHOD", "cart or sample, or COLUMN=METHOD (cart)"),
    "--visit-sequence": ("COLUMNS", "columns in the order of synthesis"),
    "--keep-unsynthesised": ("", "write columns with original values, too, if not synthesised"),
    "--maxfaclevels": ("N", "most levels of a column for trees (60)", 60),
}


def add_option(parser: ArgumentParser, name: str, needed: bool) -> None:
    word, says, *default = OPTIONS[name]
    how: dict[str, Any] = {"help": says, "required": needed}
    if not word:
        how["action"] = "store_true"
    elif word in MAY_BE_REPEATED:
        how |= {"type": MAY_BE_REPEATED[word], "action": "append", "default": []}
        how["help"] = f"{says}; may be repeated"
    else:
        how |= {"type": KINDS.get(word, str), "default": default[0] if default else None}
        if word == "COLUMNS":  # typed twice, they are all meant
            how["action"] = "extend"
    if word:
        how["metavar"] = word
    if name == "--synthetic":
        how |= {"action": "extend", "nargs": "+"}
    parser.add_argument(*filter(None, [name, ALSO.get(name)]), **how)


READING = "--sep --decimal --encoding --dates --missing --text --drop"
RELEASED = f"--synthetic! --original! {READING}"
CLASSED = "--counts --ngroups-keys --ngroups-targets --not-targetslev --leave-out-missing"
OF_RISK = f"{RELEASED} --holdout --targets {CLASSED} --certainty --limit --round-to"
OF_MATCHES = "--known --synthesised! --interval --attack --weights --seed"
OF_MAP = "--keys! --target --risk --utility --variables --bootstrap --seed"
OF_SYN = "--m --method --visit-sequence --keep-unsynthesised"
PRINTED = "--json --csv --output --force"
# the options of each command, which is a function in `commands`; "!" after one that is needed
COMMANDS = {
    "risk": f"--keys! {OF_RISK} {PRINTED}",
    "report": f"--keys --candidates {OF_RISK} --title --label --output --force",
    "keys": f"{RELEASED} --candidates --targets {CLASSED} --max-keys --round-to {PRINTED}",
    "identify": f"{RELEASED} {OF_MATCHES} --round-to {PRINTED}",
    "membership": f"{RELEASED} --holdout! --variables --seed --round-to {PRINTED}",
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
            add_option(own, word.removesuffix("!"), word.endswith("!"))
        own.set_defaults(command=command, run=run)
    return whole, dict(words.choices)


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
    r"(?<= )visit_sequence": "--visit-sequence",
    r"(?<= )maxfaclevels( =)?": "--maxfaclevels",
    r"\b(force|reproducible)=True": r"--\1",
    r"leave seed out": "leave --seed out",
    r"(?<=a column of )the (synthetic|original) data": r"--\1",
    r"(?<=a column of )object": "--synthetic",
    r"synthetic data set (?=\d)": "--synthetic, element ",
    r"write it with commas": "say so with --sep",
    r"(?<=write both alike), for instance with \.str.*?to_datetime\(\)": "",
    r"year-month-day for instance": "or say with --dates how they are written",
    r"; the error's details have all levels of the original data": "",
    r" in \d+ of \d+ records, first in row \d+(?=; known)": " in some records",
    r" \(the error's details have all levels\)": "",
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
