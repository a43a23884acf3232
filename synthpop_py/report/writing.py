"""Where a report goes: checked before anything is computed, written completely or not at all."""

from __future__ import annotations

import os
from os import PathLike
from pathlib import Path

from ..arguments import check_choice
from ..errors import InputError
from ..r_files.replacing import replacement

DEFAULT_PATH = "report.html"
ENDINGS = {".html": "html", ".htm": "html", ".md": "md", ".json": "json", ".pdf": "pdf"}
FORMATS = ("html", "md", "json", "pdf")


def format_and_path(path: str | PathLike[str] | None, wanted: object) -> tuple[str, Path | None]:
    """The format, and the file. A name says its format by its ending."""
    chosen = None if wanted is None else check_choice("format", wanted, FORMATS)
    if path is None:
        return chosen or "html", None
    file = Path(path)
    if chosen is not None and str(path) == DEFAULT_PATH:
        return chosen, file.with_suffix(f".{chosen}")
    by_name = ENDINGS.get(file.suffix.lower())
    if by_name is None and chosen is not None:
        return chosen, file
    if by_name is None:
        raise InputError(
            f"path: {str(path)!r} does not say what to write; end it in"
            f" {', '.join(f'.{name}' for name in FORMATS)}"
        )
    if chosen is not None and chosen != by_name:
        raise InputError(
            f"path: {str(path)!r} does not fit format={chosen!r}; end it in .{chosen}, or leave"
            " out format"
        )
    return by_name, file


def check_free(path: Path | None, *, force: bool) -> None:
    """Raise an error if a file would be overwritten, or could not be written."""
    if path is None:
        return
    folder = path.absolute().parent
    if not folder.is_dir():
        raise InputError(f"path: the folder of {str(path)!r} does not exist")
    if path.is_dir():
        raise InputError(f"path: {str(path)!r} is a folder; give the name of a file")
    if path.exists() and not force:
        raise InputError(f"path: {str(path)!r} exists; give another name, or force=True")
    if not os.access(folder, os.W_OK):
        raise InputError(f"path: the folder of {str(path)!r} is not writable")


def write(path: Path, content: bytes) -> None:
    with replacement(path) as part:
        part.write_bytes(content)
