"""Which files a path means: one file, a folder of Parquet files, all files that a pattern matches.

Messages name files without their folders, and show only the beginning of an address.
"""

from __future__ import annotations

import glob
import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeGuard

from ..errors import InputError
from ..names import nearest, some

OF_R = (".rds", ".rda", ".rdata")
OF_STATISTICS = (".sas7bdat", ".xpt", ".sav", ".dta")
SCANNED = (".csv", ".csv.gz", ".parquet")  # of these, several files can be one table
FRAME_FILES = (*SCANNED, *OF_STATISTICS, *OF_R)
DATABASES = (".duckdb", ".ddb", ".sqlite", ".sqlite3", ".db", ".db3")
READABLE = (*FRAME_FILES, *DATABASES)
ADDRESS = re.compile(r"(?P<scheme>[A-Za-z][A-Za-z0-9+.-]+)://")
LOCAL_SCHEMES = ("file", "sqlite", "duckdb")
STORES = ("http", "https", "ftp", "s3", "s3a", "gs", "gcs", "abfs", "abfss", "az", "hf")


@dataclass(frozen=True, slots=True)
class Location:
    """Files that are one table, or a database file.

    Attributes
    ----------
    argument : the argument that gave the path.
    kind : the ending that all the files have.
    files : at least one, in the order of their names.
    name : what messages call it.
    """

    argument: str
    kind: str
    files: tuple[Path, ...]
    name: str

    @property
    def place(self) -> str:
        """What messages call the table behind it."""
        return f"{self.argument} ({self.name})"

    def error(self, says: str) -> InputError:
        return InputError(f"{self.argument}: {self.name!r} {says}")


def check_case(names: Sequence[str], location: Location) -> None:
    """Raise an error for names that differ only in case, which databases treat as the same."""
    by_lower: dict[str, str] = {}
    for name in names:
        other = by_lower.setdefault(name.lower(), name)
        if other != name:
            raise InputError(
                f"{location.argument}: {location.name!r} has columns {other!r} and {name!r}, which"
                " differ only in case; rename one"
            )


def is_path(given: Any) -> TypeGuard[str | os.PathLike[str]]:
    """Whether it may name a file."""
    return isinstance(given, (str, os.PathLike))


def names_a_file(given: Any) -> bool:
    """Whether this is almost certainly a path: a text may also be a value."""
    if isinstance(given, str):
        return ending(Path(given)) in READABLE
    return isinstance(given, os.PathLike)


def ending(path: Path) -> str:
    """The ending that says what a file is, in lower case.

    Examples
    --------
    >>> ending(Path("people.CSV.gz")), ending(Path("a.b/people.parquet"))
    ('.csv.gz', '.parquet')
    """
    name = path.name.lower()
    return ".csv.gz" if name.endswith(".csv.gz") else Path(name).suffix


def located(
    given: str | os.PathLike[str], argument: str, choices: Sequence[str] = READABLE
) -> Location:
    """The files behind a path, or an error with the way out."""
    text = os.fsdecode(given)
    _refuse_addresses(text, argument)
    if not text.strip():
        raise InputError(f"{argument}: an empty text is not a path; give the path of a file")
    path = Path(text).expanduser()
    if path.is_dir():
        return _folder(path, argument)
    if not path.exists() and glob.has_magic(text):
        return _matched(path, argument)
    _check_ending(path, argument, choices)
    if not path.is_file():
        raise _no_such_file(path, argument, choices)
    return _filled(Location(argument=argument, kind=ending(path), files=(path,), name=path.name))


def located_as(given: str, argument: str, kind: str) -> Location:
    """The file behind a path whose ending is ignored, because the user said what it is."""
    path = Path(given).expanduser()
    if not path.is_file():
        raise _no_such_file(path, argument, READABLE)
    return _filled(Location(argument=argument, kind=kind, files=(path,), name=path.name))


def _refuse_addresses(text: str, argument: str) -> None:
    """Refuse a network address. It may hold a password, so only its beginning is shown."""
    address = ADDRESS.match(text)
    if address is None:
        return
    scheme = address["scheme"].lower()
    way = "connect with ibis.connect(...) and give its .table(...)"
    if scheme in LOCAL_SCHEMES:
        way = "give the path of the file without it"
    elif scheme in STORES:
        way = "download the file, or open the address with duckdb or polars and give the result"
    raise InputError(f"{argument}: an address ({scheme}://...) is not a path; {way}")


def _check_ending(path: Path, argument: str, choices: Sequence[str]) -> None:
    if ending(path) not in choices:
        near = _nearest_file(path, choices)
        meant = f"did you mean {near!r}? " if near else ""
        raise InputError(
            f"{argument}: {path.name!r} cannot be read: its ending is unknown; {meant}choices:"
            f" {', '.join(choices)}, or a folder of .parquet files"
        )


def _no_such_file(path: Path, argument: str, choices: Sequence[str]) -> InputError:
    folder = path.parent
    if not folder.is_dir():
        return InputError(
            f"{argument}: the folder of {path.name!r} does not exist; a relative path starts "
            "at the folder where Python runs"
        )
    near = _nearest_file(path, choices)
    hint = "no file with a similar name is in its folder"
    if near is not None:
        hint = f"did you mean {near!r}?"
    return InputError(f"{argument}: there is no file {path.name!r}; {hint}")


def _nearest_file(path: Path, choices: Sequence[str]) -> str | None:
    """The file beside it whose name is most alike; endings, which many share, do not count."""
    if not path.parent.is_dir():
        return None
    beside = sorted(other for other in path.parent.iterdir() if ending(other) in choices)
    stem = nearest(_stem(path), [_stem(other) for other in beside])
    return nearest(path.name, [other.name for other in beside if _stem(other) == stem])


def _stem(path: Path) -> str:
    return path.name.partition(".")[0]


def _folder(path: Path, argument: str) -> Location:
    name = f"{path.resolve().name}/"
    files = sorted(file for file in path.rglob("*.parquet") if _holds_records(file, path))
    if not files:
        raise InputError(
            f"{argument}: the folder {name!r} holds no file that ends in .parquet; give a folder of"
            " Parquet files, or a single file"
        )
    by_value = {part for file in files for part in file.relative_to(path).parts[:-1] if "=" in part}
    if by_value:
        columns = sorted({part.partition("=")[0] for part in by_value})
        raise InputError(
            f"{argument}: the folder {name!r} is split by columns that are only in its "
            f"folders' names ({some(columns)}); open it with duckdb.read_parquet or "
            "polars.scan_parquet and hive_partitioning=True, and give the result"
        )
    return _filled(Location(argument=argument, kind=".parquet", files=tuple(files), name=name))


def _holds_records(file: Path, folder: Path) -> bool:
    """Whether a file holds records; writers also leave hidden files, _metadata and _temporary
    folders.
    """
    parts = file.relative_to(folder).parts
    return file.is_file() and not any(part.startswith((".", "_")) for part in parts)


def _matched(pattern: Path, argument: str) -> Location:
    name = pattern.name
    files = sorted(Path(file) for file in glob.glob(str(pattern), recursive=True))
    files = [file for file in files if file.is_file()]
    if not files:
        raise InputError(
            f"{argument}: no file matches {name!r}; check the pattern and the folder where it "
            "starts"
        )
    kinds = sorted({ending(file) for file in files})
    if len(kinds) > 1 or kinds[0] not in SCANNED:
        raise InputError(
            f"{argument}: {name!r} matches files that end in {', '.join(kinds)}; a pattern must"
            f" match files of one kind, of {', '.join(SCANNED)}"
        )
    return _filled(Location(argument=argument, kind=kinds[0], files=tuple(files), name=name))


def _filled(location: Location) -> Location:
    """The location, if no file is empty and all may be read."""
    for file in location.files:
        try:
            with file.open("rb") as opened:
                first = opened.read(1)
        except OSError as error:
            reason = error.strerror or type(error).__name__
            raise InputError(
                f"{location.argument}: {file.name!r} cannot be opened ({reason})"
            ) from None
        if not first:
            raise InputError(
                f"{location.argument}: {file.name!r} is empty; it does not even have column names"
            )
    return location
