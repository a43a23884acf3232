"""What may be typed: every option once, with the form of its value."""

from __future__ import annotations

import csv
import math
import sys
from argparse import ArgumentParser, ArgumentTypeError, RawDescriptionHelpFormatter
from pathlib import Path
from typing import Any, NoReturn

from ..errors import InputError, nearest
from ..report.facts import check_limits
from ..report.result import FORMATS
from ..rounding import MEASURES, ROUND_TO

BAD_INPUT = 2
SOURCES = (
    "a file (.csv, .csv.gz, .parquet, .rds, .rda, .sas7bdat, .xpt, .sav, .dta), a folder of Parquet"
    " files, a pattern, FILE::TABLE of a DuckDB or SQLite database or of a file of R,"
    " duckdb:FILE::TABLE, sqlite:FILE::TABLE, or data:NAME for a data set of the package"
)


class Parser(ArgumentParser):
    """A parser whose errors are one sentence and name the option that was probably meant."""

    def __init__(self, **given: Any) -> None:
        super().__init__(formatter_class=RawDescriptionHelpFormatter, allow_abbrev=False, **given)

    def error(self, message: str) -> NoReturn:
        says = message.removeprefix("argument ")
        print(f"{self.prog}: {says}; see {self.prog} --help", file=sys.stderr)
        sys.exit(BAD_INPUT)

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        known = [text for text in self._option_string_actions if text.startswith("--")]
        typed = [] if self._subparsers else [str(word).partition("=")[0] for word in args]
        for word in typed:
            if word.startswith("--") and word not in known:
                near = nearest(word, known)
                meant = f"; did you mean {near}?" if near else ""
                self.error(f"{word}: is not an option of {self.prog}{meant}")
        return super().parse_known_args(args, namespace)


def names(text: str) -> list[str]:
    """Names between commas; one that holds a comma is quoted.

    >>> names("sex, age"), names('"age, in years",sex')
    (['sex', 'age'], ['age, in years', 'sex'])
    """
    words = [word.strip() for row in csv.reader([text], skipinitialspace=True) for word in row]
    if not any(words):
        raise ArgumentTypeError("none given; name at least one column")
    return list(filter(None, words))


def pair(text: str, example: str = "income=-8") -> tuple[str, str]:
    """A column and a value. A name may contain "=", a value never does."""
    name, _, value = text.rpartition("=")
    if not name:
        raise ArgumentTypeError(f"{text!r} is not written as in {example}")
    return name, value


def number(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if math.isnan(value):
        raise ArgumentTypeError(f"{text!r} is not a number")
    return value


def special(text: str) -> tuple[str, list[float]]:
    """``income=-8,-9``."""
    name, values = pair(text)
    numbers = [number(value) for value in values.split(",")]
    return name, [int(value) if value.is_integer() else value for value in numbers]


def missing(text: str) -> tuple[str, list[Any]]:
    """``income=-9`` for a column of numbers, or ``-9,unknown`` for every column of a CSV."""
    name, _, values = text.rpartition("=")
    return special(text) if name else ("", names(values))


def value_or_pair(text: str) -> tuple[str | None, str]:
    """``cart`` for all columns, or ``sex=sample`` for one."""
    return pair(text) if "=" in text else (None, text)


def classes(text: str) -> tuple[str | None, int]:
    """``8`` for all columns, or ``age=8`` for one."""
    name, value = value_or_pair(text)
    if not number(value).is_integer():
        raise ArgumentTypeError(f"{value!r} is not a whole number")
    return name, int(float(value))


def limit(text: str) -> tuple[str, float]:
    """``DiSCO=5``: the highest acceptable value of a measure, in per cent."""
    name, value = pair(text, "DiSCO=5")
    try:
        return next(iter(check_limits({name: number(value)}).items()))
    except InputError as error:
        raise ArgumentTypeError(str(error).partition(": ")[2]) from None


def excluded(text: str) -> list[tuple[str, str]]:
    """``age=16,marital=SINGLE``: a level of a key and a level of a target."""
    words = names(text)
    if len(words) != 2 or not all("=" in word for word in words):
        raise ArgumentTypeError(f"{text!r} is not KEY=LEVEL,TARGET=LEVEL")
    return [pair(word) for word in words]


def interval(text: str) -> tuple[str, float, bool]:
    """``age=2``, or ``income=10%``: a radius, and whether it is a share of the value."""
    name, value = pair(text, "age=2 or income=10%")
    return name, number(value.removesuffix("%")), value.endswith("%")


ALL: dict[str, dict[str, Any]] = {}


def option(name: str, says: str, kind: Any = str, value: str | None = None, **more: Any) -> None:
    ALL[name] = {"help": says, "type": kind, "metavar": value, **more}


def repeated(name: str, says: str, kind: Any, value: str, **more: Any) -> None:
    option(name, f"{says}; may be repeated", kind, value, action="append", default=[], **more)


def columns(name: str, says: str, default: Any = None) -> None:
    option(name, says, names, "COLUMNS", default=default)


def flag(name: str, says: str) -> None:
    ALL[name] = {"help": says, "action": "store_true"}


def add_options(parser: ArgumentParser, listed: str) -> None:
    """Options by their names, with "!" where they are needed."""
    for word in listed.split():
        name = word.removesuffix("!")
        flags = {"--output": ("-o", name), "--limit": (name, "--fail-over")}.get(name, (name,))
        asked = ALL[name] | ({"required": True} if word.endswith("!") else {})
        parser.add_argument(*flags, **asked)


SYNTHETIC = f"the synthetic data, one source for each synthesis: {SOURCES}"
option("--synthetic", SYNTHETIC, value="SOURCE", action="extend", nargs="+")
option("--original", "the original data, named in the same ways", value="SOURCE")
option("--holdout", "people of the same population whom the synthesis never saw", value="SOURCE")

# how CSV files are read: guessed from the files if not given
option("--sep", "what stands between fields of a CSV: , ; | or tab (guessed)", value="MARK")
option("--decimal", "the decimal mark in a CSV: . or , (guessed)", value="MARK")
option("--encoding", "of a CSV, such as utf-8 or latin-1 (guessed)", value="NAME")
option("--dates", "in a CSV, such as dd.mm.yyyy; text leaves them (guessed)", value="FORM")
LACKING = (
    "values that say that nothing is known: income=-9, or --missing=-9,unknown for a whole CSV"
)
repeated("--missing", LACKING, missing, "VALUE")
columns("--text", "columns of a CSV that are codes, not numbers: 007 and 7 stay two values", [])
columns("--drop", "columns not to look at, such as identifiers", [])
repeated("--cont-na", "codes in a column of numbers, such as income=-8", special, "COLUMN=VALUE")

columns("--keys", "what an intruder may know, columns between commas")
columns("--targets", "what they could learn (all other columns)")
option("--target", "what they could learn", value="COLUMN")
columns("--candidates", "columns of which they may know some (all that are not targets)")
option("--counts", "the column that says how many records a row stands for", value="COLUMN")
repeated("--ngroups-keys", "about N classes for numeric keys, or COLUMN=N", classes, "N")
repeated("--ngroups-targets", "the same for targets, 0 for none (10 if many numbers)", classes, "N")
LEVEL = "leave out a level of a target that everyone would guess, such as workab=NO"
repeated("--not-targetslev", LEVEL, pair, "COLUMN=LEVEL")
columns("--leave-out-missing", "leave out people who lack these keys or targets", [])
PAIR = "leave out people with both levels, such as age=16,marital=SINGLE"
repeated("--exclude", PAIR, excluded, "KEY=LEVEL,TARGET=LEVEL")
option("--denom-lim", "records of a large cell (5)", int, "N", default=5)
flag("--exclude-ov-denom-lim", "leave out cells that are larger")
SURE = "revealed is what this share of the records with the same keys have (1)"
option("--certainty", SURE, float, "SHARE", default=1.0)
OVER = f"exit code 1 if {', '.join(MEASURES)} may be above this percentage, such as DiSCO=5"
repeated("--limit", OVER, limit, "MEASURE=LIMIT", dest="limits")

flag("--json", "JSON instead of a text table")
flag("--csv", "CSV instead of a text table")
option("--output", "the file to write; its ending says the format", Path, "FILE")
flag("--force", "overwrite what exists")
ROUNDED = f"counts of people are rounded to multiples of this; 1: exact ({ROUND_TO})"
option("--round-to", ROUNDED, int, "N", default=ROUND_TO)
option("--format", "if the name of the file does not say it", choices=FORMATS)
option("--title", "the heading of the report", value="WORDS")
repeated("--label", "what a column is called", pair, "COLUMN=WORDS", dest="labels")

option("--max-keys", "the most keys known at once (3)", int, "N", default=3)
columns("--known", "keys that were released unchanged", [])
columns("--synthesised", "keys whose values were replaced")
NEAR = "a numeric key that need only be near: age=2, or income=10%% of the value"
repeated("--interval", NEAR, interval, "COLUMN=RADIUS")
ATTACKS = ("probability", "mode")
option("--attack", "how several syntheses are used", choices=ATTACKS, default="probability")
PERCEIVED = "a match is perceived if its probability is above this (0.2)"
option("--threshold", PERCEIVED, float, "SHARE", default=0.2)
option("--weights", "survey weights: a person may not be in the file at all", value="COLUMN")
option("--risk", "repU, DiSCO, repU_any, DiSCO_any, expected_match_rate", names, "MEASURES")
option("--utility", "tvd, tvd1, tvd2, S_pMSE (tvd)", names, "MEASURES", default=["tvd"])
columns("--variables", "columns that are compared (all)")
TRIED = "distance, distance_difference, density, density_ratio, cells (all that fit)"
option("--attacks", TRIED, names, "ATTACKS")
option("--bootstrap", "resamples for intervals (0)", int, "N", default=0)
option("--picture", "also draw the map: .png, .svg or .pdf", Path, "FILE")

SEED = "makes the same again: leave it out for data that you release. It is not written anywhere"
option("--seed", SEED, int, "N")
flag("--reproducible", "for teaching and tests: no note that a seed can be guessed")
option("--m", "number of synthetic sets (1)", int, "N", default=1)
option("--k", "number of records of each (as the original)", int, "N")
repeated("--method", "cart or sample, or COLUMN=METHOD (cart)", value_or_pair, "METHOD")
columns("--visit-sequence", "columns in the order of synthesis")
flag("--keep-unsynthesised", "write columns with original values, too, if not synthesised")
columns("--not-predictor", "columns that predict no other, such as words with many levels", [])
option("--maxfaclevels", "most levels of a column for trees (60)", int, "N", default=60)
SMOOTHING = "density, rmean or spline for all numbers, or COLUMN=WAY"
repeated("--smoothing", SMOOTHING, value_or_pair, "WAY")
flag("--proper", "grow trees on resampled records")
flag("--print-flag", "say what is done; a terminal always shows progress")
