"""What commands read and write: tables from files, results to the screen or to a file."""

from __future__ import annotations

import csv
import glob
import io
import json
import os
import sys
import tempfile
from argparse import Namespace
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, redirect_stdout, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple
from warnings import warn

from .. import __version__, datasets
from ..errors import InputError, SynthpopError, missing_package, unknown_choice
from ..r_files import read_synds, write_synds
from ..r_files.replacing import replacement
from ..rounding import check_round_to, mark
from ..tables.api import read_both

if TYPE_CHECKING:
    import pandas as pd

    from ..synds import SynDS

BUNDLED = "data:"  # data:SD2011, a data set of the package
WRITABLE = (".csv", ".csv.gz", ".parquet", ".rds")
RUN_BY_SPREADSHEETS = ("=", "+", "-", "@", "\uff1d", "\uff0b", "\uff0d", "\uff20")
BLANKS = " \u00a0\ufeff"  # which some spreadsheets ignore before a sign
BREAKS = ("\t", "\r", "\n")


def tell(text: str) -> None:
    """A note. It waits until the work is done: a refused call prints only one sentence."""
    warn(text, UserWarning, stacklevel=2)


# ---- tables --------------------------------------------------------------------------


class Tables(NamedTuple):
    """What the files hold: frames, or tables of an engine; and the special values of columns that
    were typed or came with a synthesis.
    """

    synthetic: list[Any]
    original: Any
    holdout: Any
    cont_na: dict[str, Any] | None

    def by_place(self) -> dict[str, Any]:
        """Every table by what messages call it."""
        several = len(self.synthetic) > 1
        places = {"--original": self.original}
        for number, table in enumerate(self.synthetic, start=1):
            places[f"--synthetic, element {number}" if several else "--synthetic"] = table
        return places if self.holdout is None else places | {"--holdout": self.holdout}

    def in_all(self) -> list[Any]:
        """The columns that every table has, in the order of the original."""
        others = [set(table.columns) for table in self.by_place().values()]
        return [name for name in self.original.columns if all(name in other for other in others)]


@contextmanager
def tables_read(chosen: Namespace) -> Iterator[Tables]:
    """The tables that the options name, read together, so that a value means the same in each."""
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
    with read_both(synthetic, original, holdout=holdout, **reading(chosen)) as both:
        for note in both.notes:
            tell(note)
        special |= special_values(chosen)
        yield Tables(list(both.synthetic), both.original, both.holdout, special or None)


def reading(chosen: Namespace) -> dict[str, Any]:
    """The options that say how CSV files are written, as arguments."""
    asked = {name: getattr(chosen, name) for name in ("sep", "decimal", "encoding", "dates")}
    if chosen.sep in ("tab", r"\t"):
        asked["sep"] = "\t"
    asked["missing"] = [word for name, words in chosen.missing if not name for word in words]
    return asked | {"text": chosen.text, "drop": chosen.drop}


def special_values(chosen: Namespace) -> dict[str, Any]:
    """Special values of numeric columns."""
    special: dict[str, Any] = {}
    for name, values in (*chosen.cont_na, *chosen.missing):
        if name:
            special.setdefault(name, []).extend(values)
    return special


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
    for word in ("duckdb:", "sqlite:"):
        text = text.removeprefix(word)
    return Path(text.partition("::")[0]).expanduser()


@contextmanager
def working() -> Iterator[bool]:
    """While functions work: what they print is no result, so it goes to standard error. Yields
    whether anybody would see a progress line.
    """
    with redirect_stdout(sys.stderr):
        yield sys.stderr.isatty()


# ---- where results go ----------------------------------------------------------------


def check_first(chosen: Namespace, path: Path | None = None, option: str = "--output") -> None:
    """Refuse, before any work is done, a rounding that reveals too much and a file that would be
    overwritten or cannot be written.
    """
    if hasattr(chosen, "round_to"):
        check_round_to(chosen.round_to)
    path = chosen.output if path is None else path
    if path is None:
        return
    if path.is_dir():
        raise InputError(f"{option}: {path} is a folder; give the name of a file")
    folder = path.absolute().parent
    if not folder.is_dir():
        raise InputError(f"{option}: the folder of {path} does not exist")
    sources = [getattr(chosen, name, None) for name in ("original", "holdout", "data")]
    sources += getattr(chosen, "synthetic", [])
    files = [_file(text) for text in sources if text is not None]
    if path.exists() and any(file.exists() and path.samefile(file) for file in files):
        raise InputError(f"{option}: {path} is one of the files to read; give another name")
    if path.exists() and not chosen.force:
        raise InputError(f"{option}: {path} exists; give another name, or --force")
    try:  # permissions say little (for root, on some file systems), so a file is made and removed
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        raise InputError(
            f"{option}: {path} cannot be written: its folder refuses new files"
            f" ({error.strerror or type(error).__name__})"
        ) from None


def deliver(
    chosen: Namespace, lines: Sequence[str], rows: Sequence[Mapping[str, Any]], **about: Any
) -> None:
    """The result in the form and at the place that was asked for: lines for people, rows for
    programs.
    """
    to = chosen.round_to
    text = "\n".join([*lines, "", mark(to)])
    ending = "" if chosen.output is None else chosen.output.suffix.lower()
    if chosen.json or (ending == ".json" and not chosen.csv):
        head = {"what": f"synthpop-disclosure {chosen.command.name}", "version": __version__}
        content = head | {"rounded_to": to} | about | {"figures": rows}
        text = json.dumps(content, ensure_ascii=False, allow_nan=False, indent=2, default=str)
    elif chosen.csv or ending == ".csv":
        text = csv_text(rows)
    text = text.rstrip("\n") + "\n"
    if chosen.output is None:
        show(text)
        return
    with replacement(chosen.output) as part:
        part.write_text(text, encoding="utf-8")
    show(f"{chosen.output}: written\n")


def grid(rows: Mapping[str, Mapping[str, str]]) -> list[str]:
    """Rows by their labels as aligned lines, names of columns above."""
    columns = list(dict.fromkeys(name for row in rows.values() for name in row))
    cells = [["", *columns]]
    for label, row in rows.items():
        cells.append([str(label), *(row.get(name, "") for name in columns)])
    widths = [max(map(len, column)) for column in zip(*cells)]
    lines = []
    for label, *others in cells:
        texts = [text.rjust(width) for text, width in zip(others, widths[1:])]
        lines.append("  ".join([label.ljust(widths[0]), *texts]).rstrip())
    return lines


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
        silence()


def silence() -> None:
    """Discard what is still to be written: Python writes once more when it ends."""
    with suppress(OSError, ValueError):  # a stream without a file behind it
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


# ---- synthetic data ------------------------------------------------------------------


def set_paths(output: Path, sets: int) -> list[Path]:
    """Where each set goes: the file named, numbered files beside it, or files in a folder. R's
    format takes all sets in one file.
    """
    if output.is_dir():
        output = output / "synthetic.csv"
    kind = next((kind for kind in WRITABLE if output.name.lower().endswith(kind)), None)
    if kind is None:
        raise InputError(
            f"--output: {output} cannot be written; choices: {', '.join(WRITABLE)}, or a folder"
        )
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
            return
        for frame, part in zip(made.syn, parts, strict=True):
            write_frame(frame, part)


def write_frame(frame: pd.DataFrame, path: Path) -> None:
    if path.suffix.lower() == ".parquet":
        frame.to_parquet(path, index=False)
        return
    whole = {}  # `syn()` gives 42.0 for a whole number, as R does, and R writes 42
    for name in frame.columns:
        if frame[name].dtype.kind == "f" and (frame[name].dropna() % 1 == 0).all():
            whole[name] = "Int64"
    frame.astype(whole).to_csv(path, index=False)
