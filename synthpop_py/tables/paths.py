"""Which files a path means: one file, a folder of Parquet files, all files that a pattern matches;
and the table in it, as in ``census.duckdb::people`` or ``sqlite:census.bin::people``.

Messages name files without their folders, and show only the beginning of an address.
"""

from __future__ import annotations

import glob
import os
import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeGuard

from ..errors import InputError, nearest, some

OF_TEXT = (".csv", ".csv.gz")
OF_R = (".rds", ".rda", ".rdata")
OF_STATISTICS = (".sas7bdat", ".xpt", ".sav", ".dta")
SCANNED = (*OF_TEXT, ".parquet")  # of these, several files can be one table
DATABASES = (".duckdb", ".ddb", ".sqlite", ".sqlite3", ".db", ".db3")
READABLE = (*SCANNED, *OF_STATISTICS, *OF_R, *DATABASES)

ADDRESS = re.compile(r"(?P<scheme>[A-Za-z][A-Za-z0-9+.-]+)://")
LOCAL_SCHEMES = ("file", "sqlite", "duckdb")
STORES = ("http", "https", "ftp", "s3", "s3a", "gs", "gcs", "abfs", "abfss", "az", "hf")
WITHIN = "::"  # between a file and the table in it
DATABASE_WORDS = ("duckdb", "sqlite")


@dataclass(frozen=True, slots=True)
class Location:
    """Files that are one table, or a database file.

    Attributes
    ----------
    argument : the argument that gave the path.
    kind : the ending that all the files have.
    files : at least one, in the order of their names.
    name : what messages call it.
    table : the table named after ``::``, in a database or a file of R.
    """

    argument: str
    kind: str
    files: tuple[Path, ...]
    name: str
    table: str | None = None

    def error(self, says: str, name: str | None = None, **details: str) -> InputError:
        """An error about it, or about the file of this name."""
        return InputError(f"{self.argument}: {(name or self.name)!r} {says}", details=details)

    def same_as_now(self) -> Callable[[], bool]:
        """A function that says whether files are unchanged: the types of their columns were found
        once, and new values may not fit them.
        """
        found = self._stamps()
        return lambda: self._stamps() == found

    def _stamps(self) -> list[tuple[int, int]]:
        try:
            states = [file.stat() for file in self.files]
        except OSError:  # gone
            return []
        return [(state.st_size, state.st_mtime_ns) for state in states]


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


def located(given: str | os.PathLike[str], argument: str) -> Location:
    """The files behind a path, or an error with the way out. A file with exactly this name comes
    first, also where the name has colons.
    """
    text, table = os.fsdecode(given), None
    if not isinstance(given, str) or ADDRESS.match(text) or _exists(text):
        return _located(text, argument)
    word, colon, rest = text.partition(":")
    is_said = bool(colon) and word.lower() in DATABASE_WORDS and not rest.startswith(":")
    if is_said:
        text = rest
    if WITHIN in text:
        text, _, table = text.rpartition(WITHIN)
    if not is_said:
        return replace(_located(text, argument), table=table or None)
    path = Path(text).expanduser()
    if not path.is_file():
        raise _no_such_file(path, argument)
    return _filled(Location(argument, DATABASES[0], (path,), path.name, table or None))


def _exists(text: str) -> bool:
    try:
        return Path(text).expanduser().exists()
    except (OSError, ValueError, RuntimeError):  # too long, a zero byte, no such user
        return False


def _located(text: str, argument: str) -> Location:
    _refuse_addresses(text, argument)
    if not text.strip():
        raise InputError(f"{argument}: an empty text is not a path; give the path of a file")
    path = Path(text).expanduser()
    if path.is_dir():
        return _folder(path, argument)
    if not path.exists() and glob.has_magic(text):
        return _matched(path, argument)
    if ending(path) not in READABLE:
        near = _nearest_file(path)
        meant = f"did you mean {near!r}? " if near else ""
        raise InputError(
            f"{argument}: {path.name!r} cannot be read: its ending is unknown; {meant}choices:"
            f" {', '.join(READABLE)}, or a folder of .parquet files"
        )
    if not path.is_file():
        raise _no_such_file(path, argument)
    return _filled(Location(argument, ending(path), (path,), path.name))


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


def _no_such_file(path: Path, argument: str) -> InputError:
    if not path.parent.is_dir():
        return InputError(
            f"{argument}: the folder of {path.name!r} does not exist; a relative path starts "
            "at the folder where Python runs"
        )
    near = _nearest_file(path)
    hint = f"did you mean {near!r}?" if near else "no file with a similar name is in its folder"
    return InputError(f"{argument}: there is no file {path.name!r}; {hint}")


def _nearest_file(path: Path) -> str | None:
    """The file beside it whose name is most alike; endings, which many share, do not count."""
    if not path.parent.is_dir():
        return None
    stems: dict[str, list[str]] = {}
    for other in sorted(path.parent.iterdir()):
        if ending(other) in READABLE:
            stems.setdefault(other.name.partition(".")[0], []).append(other.name)
    stem = nearest(path.name.partition(".")[0], list(stems))
    return None if stem is None else nearest(path.name, stems[stem])


def _folder(path: Path, argument: str) -> Location:
    name = f"{path.resolve().name}/"
    files = []
    for file in sorted(path.rglob("*.parquet")):
        parts = file.relative_to(path).parts
        # writers also leave hidden files, _metadata and _temporary folders
        if file.is_file() and not any(part.startswith((".", "_")) for part in parts):
            files.append(file)
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
    return _filled(Location(argument, ".parquet", tuple(files), name))


def _matched(pattern: Path, argument: str) -> Location:
    name = pattern.name
    found = sorted(Path(file) for file in glob.glob(str(pattern), recursive=True))
    files = tuple(file for file in found if file.is_file())
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
    return _filled(Location(argument, kinds[0], files, name))


def _filled(location: Location) -> Location:
    """The location, if no file is empty and all may be read."""
    for file in location.files:
        try:
            with file.open("rb") as opened:
                first = opened.read(1)
        except OSError as error:
            reason = error.strerror or type(error).__name__
            raise location.error(f"cannot be opened ({reason})", file.name) from None
        if not first:
            raise location.error("is empty; it does not even have column names", file.name)
    return location
