"""Results: to standard output, or to a file, written completely or not at all."""

from __future__ import annotations

import json
import os
import sys
import tempfile
from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple, TextIO

from ..errors import InputError
from ..tables.paths import ending

__all__ = [
    "Views",
    "add_file",
    "add_min_cell",
    "add_output",
    "check_writable",
    "deliver",
    "json_text",
    "results_alone",
    "show",
    "silence",
    "write_text",
]

FORMATS = {".json": "json", ".csv": "csv"}


class Views(NamedTuple):
    """What a result looks like; each is made when it is asked for."""

    table: Callable[[], str]
    json: Callable[[], str]
    csv: Callable[[], str]


def add_output(parser: ArgumentParser) -> None:
    """Options of a command that prints a table."""
    forms = parser.add_mutually_exclusive_group()
    forms.add_argument("--json", action="store_true", help="JSON instead of a text table")
    forms.add_argument("--csv", action="store_true", help="CSV instead of a text table")
    add_file(parser, "write to this file; the ending .json or .csv sets the format")
    add_min_cell(parser)


def add_file(parser: ArgumentParser, says: str, *, required: bool = False) -> None:
    """Options of a command that writes: where, and whether to overwrite."""
    parser.add_argument("-o", "--output", type=Path, required=required, metavar="FILE", help=says)
    parser.add_argument("--force", action="store_true", help="overwrite what exists")


def add_min_cell(parser: ArgumentParser) -> None:
    """The rule on small cells."""
    parser.add_argument(
        "--min-cell",
        type=int,
        default=10,
        metavar="N",
        help="hide counts of people from 1 to N-1 and figures that reveal them; 0 shows all (10)",
    )


def check_writable(path: Path | None, inputs: Sequence[Path], *, force: bool) -> None:
    """Raise an error if a file would be overwritten or cannot be written, before any work is
    done.
    """
    if path is None:
        return
    if path.is_dir():
        raise InputError(f"--output: {path} is a folder; give the name of a file")
    folder = path.absolute().parent
    if not folder.is_dir():
        raise InputError(f"--output: the folder of {path} does not exist")
    if path.exists() and any(path.samefile(file) for file in inputs if file.exists()):
        raise InputError(f"--output: {path} is one of the files to read; give another name")
    if path.exists() and not force:
        raise InputError(f"--output: {path} exists; give another name, or --force")
    _try_folder(folder, path)


def _try_folder(folder: Path, path: Path) -> None:
    """Permissions say little (for root, on some file systems), so a file is made and removed."""
    try:
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        raise InputError(
            f"--output: {path} cannot be written: its folder refuses new files"
            f" ({error.strerror or type(error).__name__})"
        ) from None


def deliver(views: Views, chosen: Namespace) -> None:
    """The result in the form and at the place that was asked for."""
    form = FORMATS.get(ending(chosen.output), "table") if chosen.output else "table"
    if chosen.json or chosen.csv:
        form = "json" if chosen.json else "csv"
    text = getattr(views, form)()
    if not text.endswith("\n"):
        text += "\n"
    if chosen.output is None:
        show(text)
        return
    write_text(text, chosen.output)
    show(f"{chosen.output}: written\n")


def write_text(text: str, path: Path) -> None:
    from ..r_files.replacing import replacement

    with replacement(path) as part:
        part.write_text(text, encoding="utf-8")


def show(text: str) -> None:
    """Print to standard output. If the reader stops early (``| head``), the exit code stays the
    same.
    """
    if sys.stdout is None:  # closed by the parent program
        return
    try:
        sys.stdout.write(_writable(text, sys.stdout.encoding))
        sys.stdout.flush()
    except BrokenPipeError:
        silence(sys.stdout)


@contextmanager
def results_alone() -> Iterator[None]:
    """While the program runs: the solver behind the rule on small cells prints remarks from C,
    where Python cannot stop them. They would end up inside JSON, so only Python keeps standard
    output.
    """
    before, place = sys.stdout, _descriptor(sys.stdout)
    if place is None:
        yield
        return
    before.flush()
    kept = os.dup(place)
    with open(os.devnull, "wb") as nowhere:
        os.dup2(nowhere.fileno(), place)
    sys.stdout = os.fdopen(kept, "w", encoding=before.encoding, errors=before.errors)
    try:
        yield
    finally:
        with suppress(OSError):  # nobody reads any more
            sys.stdout.flush()
        os.dup2(kept, place)
        with suppress(OSError):
            sys.stdout.close()
        sys.stdout = before


def _descriptor(stream: TextIO | None) -> int | None:
    """The file behind a stream; None where there is none."""
    if stream is None:
        return None
    try:
        return stream.fileno()
    except (OSError, ValueError):
        return None


def _writable(text: str, encoding: str | None) -> str:
    """The text with escapes for characters that the terminal cannot show."""
    name = encoding or "utf-8"
    return text.encode(name, "backslashreplace").decode(name)


def silence(stream: TextIO) -> None:
    """Discard what is still to be written: Python writes once more when it ends."""
    with suppress(OSError, ValueError):  # a stream without a file behind it
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def json_text(content: Any) -> str:
    return json.dumps(content, ensure_ascii=False, allow_nan=False, indent=2)
