"""A file that is written completely or not at all."""

from __future__ import annotations

import os
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ..errors import InputError

PREFIX = ".synthpop_py-"


@contextmanager
def replacement(path: Path) -> Iterator[Path]:
    """A place to write to, beside `path`: what is there takes the place of `path` when the block
    ends. After an error or an interrupt everything is as it was.

    Raises
    ------
    InputError
        The disk is full, the folder or the file is not writable, or `path` is not a file.
    """
    # a link stays, what it leads to is replaced
    file = path.resolve()
    _check_writable(path, file)
    try:
        # a folder of its own is removed by Python even where an interrupt hits the removal
        with tempfile.TemporaryDirectory(
            prefix=PREFIX, dir=file.parent, ignore_cleanup_errors=True
        ) as folder:
            new = Path(folder, file.name)
            yield new
            _settle(new, file)
            os.replace(new, file)
    except OSError as error:
        raise _not_written(path, error.strerror or str(error)) from None


def _check_writable(path: Path, file: Path) -> None:
    """Refuse a read-only file: it could be replaced, but that is not what its owner meant."""
    if not file.exists():
        return
    if not file.is_file():
        raise _not_written(path, "it exists and is not a file")
    if not os.access(file, os.W_OK):
        raise _not_written(path, "it is read-only")


def _settle(new: Path, file: Path) -> None:
    """All of it on the disk, with the rights of the file it replaces."""
    with new.open("r+b") as content:
        os.fsync(content.fileno())
    if file.exists():
        new.chmod(stat.S_IMODE(file.stat().st_mode))


def _not_written(path: Path, why: str) -> InputError:
    return InputError(f"path: {str(path)!r} cannot be written: {why}")
