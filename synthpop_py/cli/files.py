"""What commands read and write: tables from files, results to the screen or to a file."""

from __future__ import annotations

import csv
import glob
import io
import json
import os
import sys
from argparse import Namespace
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, redirect_stdout, suppress
from pathlib import Path
from typing import Any
from warnings import warn

import pandas as pd

from .. import __version__, datasets
from ..errors import InputError, SynthpopError, missing_package, unknown_choice
from ..progress import Progress
from ..r_files import read_synds, write_synds
from ..r_files.replacing import replacement
from ..report.result import check_free
from ..rounding import check_round_to, mark
from ..synds import SynDS
from ..tables.api import Both, read_both

BUNDLED = "data:"  # data:SD2011, a data set of the package
WRITABLE = (".csv", ".csv.gz", ".parquet", ".rds")
# what a spreadsheet runs, perhaps after a blank that it ignores, or after a break
RUN_BY_SPREADSHEETS = ("=", "+", "-", "@", "\uff1d", "\uff0b", "\uff0d", "\uff20")
BLANKS, BREAKS = " \u00a0\ufeff", ("\t", "\r", "\n")


def tell(text: str) -> None:
    """A note. It waits until the work is done: a refused call prints only one sentence."""
    warn(text, UserWarning, stacklevel=2)


@contextmanager
def tables_read(chosen: Namespace) -> Iterator[tuple[Both, dict[str, Any] | None]]:
    """The tables that the options name, read together, so that a value means the same in each; and
    the special values of columns that were typed or came with a synthesis.
    """
    asked, typed = reading(chosen)
    special: dict[str, Any] = {}
    synthetic: list[Any] = []
    for text in chosen.synthetic:
        sets, of_sets = held_in(text, "--synthetic")
        synthetic += sets
        special |= of_sets
    original, _ = one_table(chosen.original, "--original")
    holdout = getattr(chosen, "holdout", None)
    if holdout is not None:
        holdout, _ = one_table(holdout, "--holdout")
    _tell_of_sources(chosen)
    with read_both(synthetic, original, holdout=holdout, **asked) as both:
        for note in both.notes:
            tell(note)
        here = set(both.original.columns)
        for number, table in enumerate(both.synthetic, start=1):
            place = f"--synthetic, element {number}" if len(synthetic) > 1 else "--synthetic"
            strange = ", ".join(sorted(map(str, here ^ set(table.columns))))
            if not here & set(table.columns):
                raise InputError(f"{place}: has no column in common with --original")
            if strange and getattr(chosen, "targets", None) is None:
                tell(f"{place}: not looked at, because only one file has it: {strange}")
        yield both, special | typed or None


def reading(chosen: Namespace) -> tuple[dict[str, Any], dict[str, Any]]:
    """The options that say how CSV files are written, as arguments; special values of columns."""
    asked = {name: getattr(chosen, name) for name in ("decimal", "encoding", "dates", "text")}
    asked |= {"sep": "\t" if chosen.sep in ("tab", r"\t") else chosen.sep, "drop": chosen.drop}
    asked["missing"] = [word for name, words in chosen.missing if not name for word in words]
    special: dict[str, Any] = {}
    for name, values in (*chosen.cont_na, *chosen.missing):
        if name:
            special.setdefault(name, []).extend(values)
    return asked, special


def held_in(text: str, option: str) -> tuple[list[Any], dict[Any, Any]]:
    """The data frames of a data set of the package, or of a synthesis in a file of R, with their
    special values; of any other file its name.
    """
    if text.startswith(BUNDLED):
        name = text.removeprefix(BUNDLED)
        if name in datasets.names("data"):
            return [datasets.load(name)], {}
        if name in datasets.names("synthesis"):
            made = datasets.load_synthesis(name)
            return list(made.syn), dict(made.cont_na)
        raise unknown_choice(option, name, datasets.names(), "the data sets of the package")
    if text.lower().endswith((".rds", ".rda", ".rdata")) and Path(text).is_file():
        with suppress(SynthpopError):  # a data frame, or damaged: whoever opens it says so
            made = read_synds(text)
            return list(made.syn), dict(made.cont_na)
    return [text], {}


def one_table(text: str, option: str) -> tuple[Any, dict[Any, Any]]:
    """As `held_in`, for a source that must be a single table."""
    sets, special = held_in(text, option)
    if len(sets) != 1:
        raise InputError(f"{option}: {text!r} holds {len(sets)} tables, and one is needed")
    return sets[0], special


def _tell_of_sources(chosen: Namespace) -> None:
    """A synthesis that is also the original is a mistake, or a copy that must not be released; a
    pattern in quotes is one table, not several syntheses.
    """
    for text in chosen.synthetic:
        same_file = _file(text).resolve() == _file(chosen.original).resolve()
        if same_file and text.partition("::")[2] == chosen.original.partition("::")[2]:
            tell(
                f"--synthetic: {text!r} is also the file of --original; these figures are the risk"
                " of releasing the original data themselves"
            )
        matched = [] if Path(text).exists() else glob.glob(text)
        if len(matched) > 1:
            tell(
                f"--synthetic: {text!r} names {len(matched)} files, which are read as one table;"
                " for several syntheses write the pattern without quotes"
            )


def _file(text: str) -> Path:
    """The file of a source, without what it is said to be and the table in it."""
    if Path(text).exists():
        return Path(text)
    path = text.removeprefix("duckdb:").removeprefix("sqlite:").partition("::")[0]
    return Path(path).expanduser()


@contextmanager
def working(what: str = "") -> Iterator[None]:
    """While functions work: what they print is no result, so it goes to standard error. `what` is
    shown on a terminal, for functions that do not say it themselves.
    """
    with redirect_stdout(sys.stderr), Progress(int(bool(what)), show=True) as progress:
        progress.step(what)
        yield


def check_first(chosen: Namespace, path: Path | None = None, option: str = "--output") -> None:
    """Refuse, before any work is done, a rounding that reveals too much and a file that would be
    overwritten or cannot be written.
    """
    if hasattr(chosen, "round_to"):
        check_round_to(chosen.round_to)
    path = chosen.output if path is None else path
    sources = [getattr(chosen, name, None) for name in ("original", "holdout", "data")]
    read = [_file(text) for text in (*sources, *getattr(chosen, "synthetic", [])) if text]
    check_free(path, force=True, argument=option)
    if path is not None and path.exists():
        if any(file.exists() and path.samefile(file) for file in read):
            raise InputError(f"{option}: {path} is one of the files to read; give another name")
        check_free(path, force=chosen.force, argument=option)


def deliver(
    chosen: Namespace, lines: Iterable[str], rows: Sequence[Mapping[str, Any]], **about: Any
) -> None:
    """The result in the form and at the place that was asked for: lines for people, rows for
    programs.
    """
    to = chosen.round_to
    ending = "" if chosen.output is None else chosen.output.suffix.lower()
    if chosen.json or (ending == ".json" and not chosen.csv):
        head = {"what": f"synthpop-disclosure {chosen.command.name}", "version": __version__}
        content = head | {"rounded_to": to} | about | {"figures": rows}
        text = json.dumps(content, ensure_ascii=False, allow_nan=False, indent=2, default=str)
    elif chosen.csv or ending == ".csv":
        text = csv_text(rows)
    else:
        text = "\n".join([*lines, "", mark(to)])
    text = text.rstrip("\n") + "\n"
    if chosen.output is None:
        show(text)
        return
    with replacement(chosen.output) as part:
        part.write_text(text, encoding="utf-8")
    show(f"{chosen.output}: written\n")


def grid(rows: Mapping[str, Mapping[str, str]]) -> list[str]:
    """Rows by their labels as aligned lines, names of columns above."""
    table = pd.DataFrame(rows.values(), index=list(rows), dtype=object).fillna("")
    return [line.rstrip() for line in table.to_string().split("\n")]


def csv_text(rows: Sequence[Mapping[str, Any]]) -> str:
    """Rows as CSV that a spreadsheet shows but does not run: a text that begins like a formula gets
    an apostrophe in front, even if it is the name of a level in someone's data.

    >>> csv_text([{"target": "=1+1", "people": -10}])
    "target,people\\n'=1+1,-10\\n"
    """
    columns = list(dict.fromkeys(name for row in rows for name in row))
    written = io.StringIO()
    writer = csv.writer(written)  # quotes what holds any part of its line end
    writer.writerow(map(_cell, columns))
    writer.writerows([_cell(row.get(name)) for name in columns] for row in rows)
    return written.getvalue().replace("\r\n", "\n")


def _cell(value: Any) -> Any:
    if not isinstance(value, str):
        return value
    runs = value.lstrip(BLANKS).startswith(RUN_BY_SPREADSHEETS) or value.startswith(BREAKS)
    return f"'{value}" if runs else value


def show(text: str) -> None:
    """Print to standard output. If the reader stops early (``| head``), the exit code stays."""
    if sys.stdout is None:  # closed by the parent program
        return
    encoding = sys.stdout.encoding or "utf-8"
    try:
        sys.stdout.write(text.encode(encoding, "backslashreplace").decode(encoding))
        sys.stdout.flush()
    except BrokenPipeError:
        # Python writes once more when it ends; a stream may have no file behind it
        with suppress(OSError, ValueError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def set_paths(output: Path, sets: int) -> list[Path]:
    """Where each set goes: the file named, numbered files beside it, or files in a folder. R's
    format takes all sets in one file.
    """
    output = output / "synthetic.csv" if output.is_dir() else output
    kind = next((kind for kind in WRITABLE if output.name.lower().endswith(kind)), None)
    if kind is None:
        choices = ", ".join(WRITABLE)
        raise InputError(f"--output: {output} cannot be written; choices: {choices}, or a folder")
    if kind == ".parquet":
        try:
            import pyarrow.parquet  # noqa: F401
        except ImportError:
            raise missing_package("files that end in .parquet", "pyarrow", "frames") from None
    if sets == 1 or kind == ".rds":
        return [output]
    stem = output.name[: -len(kind)]
    return [output.with_name(f"{stem}-{number}{kind}") for number in range(1, sets + 1)]


def write_sets(made: SynDS, paths: Sequence[Path]) -> None:
    """Write all sets, or none."""
    with ExitStack() as written:
        parts = [written.enter_context(replacement(path)) for path in paths]
        if paths[0].suffix.lower() == ".rds":
            write_synds(made, parts[0])
        else:
            for frame, part in zip(made.syn, parts, strict=True):
                write_frame(frame, part)


def write_frame(frame: pd.DataFrame, path: Path) -> None:
    if path.suffix.lower() == ".parquet":
        frame.to_parquet(path, index=False)
        return
    # `syn()` gives 42.0 for a whole number, as R does, and R writes 42
    amounts = frame.select_dtypes("floating")
    whole = [name for name in amounts if (amounts[name].dropna() % 1 == 0).all()]
    frame.astype(dict.fromkeys(whole, "Int64")).to_csv(path, index=False)
