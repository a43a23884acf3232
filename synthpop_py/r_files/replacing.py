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
    ends. After an error or an interrupt everything is as it was. An InputError says that the disk
    is full, the folder or the file is not writable, or `path` is not a file.
    """
    file = path.resolve()  # a link stays, what it leads to is replaced
    why = ""
    if file.exists() and not file.is_file():
        why = "it exists and is not a file"
    elif file.exists() and not os.access(file, os.W_OK):
        why = "it is read-only"  # it could be replaced, but that is not what its owner meant
    try:
        if why:
            raise OSError(None, why)
        # a folder of its own is removed by Python even where an interrupt hits the removal
        beside = tempfile.TemporaryDirectory(
            prefix=PREFIX, dir=file.parent, ignore_cleanup_errors=True
        )
        with beside as folder:
            new = Path(folder, file.name)
            yield new
            with new.open("r+b") as content:
                os.fsync(content.fileno())
            if file.exists():
                new.chmod(stat.S_IMODE(file.stat().st_mode))
            os.replace(new, file)
    except OSError as error:
        reason = error.strerror or str(error)
        raise InputError(f"path: {str(path)!r} cannot be written: {reason}") from None
