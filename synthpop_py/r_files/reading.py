"""What R saved, as Python: one object, a workspace, a synthesis."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, Literal, TypeAlias

from ..arguments import check_choice, check_flag, check_whole
from ..errors import InputError, some, warn, warning_once
from ..synds import SynDS
from ..tables.protocol import needed
from .columns import NoCounterpart, PyreadrContents
from .objects import RdataContents

Reader = Literal["rdata", "pyreadr"]
Contents: TypeAlias = RdataContents | PyreadrContents

MAX_BYTES = 1 << 30
MOST_NAMED = 10  # of what is left out; a fitted model would fill a page


@warning_once
def read_rds(
    path: str | Path,
    *,
    reader: Reader = "rdata",
    trusted: bool = False,
    max_bytes: int = MAX_BYTES,
) -> Any:
    """Read the object in a file that R wrote with ``saveRDS()``.

    Nothing in the file is run.

    Parameters
    ----------
    path : str or Path
        The file, with or without compression.
    reader : {"rdata", "pyreadr"}
        rdata is pure Python, which runs nothing. pyreadr is a fast parser in C under the AGPL,
        which reads only data frames and loses whether a factor is ordered.
    trusted : bool
        Whether you trust the maker of the file, and everyone who could have changed it. Only then
        is pyreadr used: a damaged or hostile file can crash it.
    max_bytes : int
        The most memory that rdata may use for a file, and the largest unpacked size of a compressed
        file; 1 GiB by default. A number takes 16 bytes, a text in a column 512 and its length.

    Returns
    -------
    object
        A data frame is a DataFrame with the types of `synthpop_py.datasets.load` and no row names;
        times are in UTC, R's explicit NA level and NaN are plain missing values. An object of class
        ``synds`` is a SynDS. A vector, even of length 1, is an array of those types; with names, a
        Series; a matrix is an array without row and column names. A list with names is a dict,
        without names a list; NULL is None. In lists, an object without a counterpart, such as a
        function, is left out of the dict with a warning that names it; in a list it is None.

    Raises
    ------
    InputError
        The file does not exist, is damaged, asks for more than `max_bytes`, holds something without
        a counterpart or a workspace; or pyreadr is asked for, and `trusted` is False.
    SynthpopError
        The reader is not installed.

    See Also
    --------
    read_rdata : everything in a workspace.
    read_synds : a synthesis alone.

    Examples
    --------
    What R wrote with ``saveRDS(ods, "ods.rds")``:

    >>> from synthpop_py import read_rds
    >>> read_rds("ods.rds").shape  # doctest: +SKIP
    (6, 13)
    """
    file = _checked_file(path)
    contents = _contents(file, reader, trusted, max_bytes)
    if contents.is_workspace:
        raise InputError(
            f"path: {file.name} was written by save() and holds objects by name:"
            f" {some(list(contents.objects), MOST_NAMED)}; read_rdata() reads them"
        )
    (value,) = _all_of(contents, file).values()
    return value


@warning_once
def read_rdata(
    path: str | Path,
    *,
    reader: Reader = "rdata",
    trusted: bool = False,
    max_bytes: int = MAX_BYTES,
) -> dict[str, Any]:
    """Read everything in a file that R wrote with ``save()``, a workspace.

    Nothing in the file is run.

    Parameters
    ----------
    path, reader, trusted, max_bytes : as in `read_rds`.

    Returns
    -------
    dict of str to object
        Objects by name, in the order of the file, each as `read_rds` gives it. One without a
        counterpart, such as a function, is left out with a warning that names it.

    Raises
    ------
    InputError, SynthpopError
        As in `read_rds`; here a file by ``saveRDS()`` is refused.

    Examples
    --------
    What R wrote with ``save(s1, ods, small, seeds, settings, file = "workspace.RData")``:

    >>> from synthpop_py import read_rdata
    >>> list(read_rdata("workspace.RData"))  # doctest: +SKIP
    ['s1', 'ods', 'small', 'seeds', 'settings']
    """
    file = _checked_file(path)
    contents = _contents(file, reader, trusted, max_bytes)
    if not contents.is_workspace:
        raise InputError(
            f"path: {file.name} was written by saveRDS() and holds one object without a name;"
            " read_rds() reads it"
        )
    return _all_of(contents, file)


@warning_once
def read_synds(
    path: str | Path,
    *,
    name: str | None = None,
    reader: Reader = "rdata",
    trusted: bool = False,
    max_bytes: int = MAX_BYTES,
) -> SynDS:
    """Read a synthesis that R saved with ``saveRDS()`` or ``save()``.

    Nothing in the file is run.

    Parameters
    ----------
    path : str or Path
        A file with an object of class ``synds``, a data frame or a list of data frames.
    name : str, optional
        Which object, where a file written by ``save()`` holds several.
    reader, trusted, max_bytes : as in `read_rds`; pyreadr cannot read an object of class ``synds``,
        only a data frame.

    Returns
    -------
    SynDS
        Types are those of `synthpop_py.datasets.load`; times become UTC. R's explicit NA level and
        NaN are plain missing values. `meta` has R's ``n`` (rows of the original) and ``k`` where
        the object has them; its seed is a secret and is not read.

    Raises
    ------
    InputError, SynthpopError
        As in `read_rds`; or the file holds no synthesis, or several.

    Examples
    --------
    What R wrote with ``saveRDS(syn(ods, m = 5), "synds_m5.rds")``:

    >>> from synthpop_py import read_synds
    >>> read_synds("synds_m5.rds").m  # doctest: +SKIP
    5
    """
    file = _checked_file(path)
    contents = _contents(file, reader, trusted, max_bytes)
    objects = list(contents.objects)
    if name is not None and name not in objects:
        raise InputError(f"name: {name!r} is not in {file.name}; choices: {', '.join(objects)}")
    wanted = objects if name is None else [name]
    usable = [chosen for chosen in wanted if contents.can_be_synthesis(chosen)]
    if not usable:
        nouns = ", ".join(map(contents.noun, wanted)) or "nothing"
        raise InputError(
            f"path: {file.name} holds {nouns}; a synds object, a data frame or a list of data"
            " frames is needed"
        )
    if len(usable) > 1:
        raise InputError(
            f"name: {file.name} holds several syntheses or data frames; choices:"
            f" {', '.join(usable)}"
        )
    try:
        value = contents.value(usable[0])
        return value if isinstance(value, SynDS) else SynDS(value)
    except (NoCounterpart, InputError) as error:
        raise InputError(f"path: {file.name} cannot be used: {error}") from None


def all_objects(path: Path) -> dict[str, Any]:
    """Everything in a file, however R saved it; a single object under the name of the file."""
    return _all_of(_contents(path, "rdata", False, MAX_BYTES), path)


def _checked_file(path: str | Path) -> Path:
    if not isinstance(path, (str, os.PathLike)):
        raise InputError(f"path: {type(path).__name__} given; give the name of a file")
    file = Path(path)
    if not file.is_file():
        raise InputError(f"path: {str(path)!r} is not a file")
    return file


def _contents(file: Path, reader: Any, trusted: Any, max_bytes: Any) -> Contents:
    check_choice("reader", reader, ("rdata", "pyreadr"))
    most = check_whole("max_bytes", max_bytes, low=1)
    if not check_flag("trusted", trusted) and reader == "pyreadr":
        raise InputError(
            "reader: 'pyreadr' is for files that you trust: it is a parser in C, which a damaged or"
            " hostile file can crash. Leave it out to read the file with rdata, which runs nothing;"
            " or give trusted=True if you trust the maker of the file"
        )
    needed("R's files", reader, reader)
    return RdataContents(file, most) if reader == "rdata" else PyreadrContents(file)


def _all_of(contents: Contents, file: Path) -> dict[str, Any]:
    """Everything by name; a warning names what has no counterpart."""
    values: dict[str, Any] = {}
    left_out = contents.left_out
    for name in contents.objects:
        try:
            values[name] = contents.value(name)
        except NoCounterpart as error:
            left_out.append(f"{name} ({error})")
    what = f"objects without a counterpart here: {some(left_out, MOST_NAMED)}"
    if left_out and not values:
        raise InputError(f"path: {file.name} holds only {what}")
    if left_out:
        warn(f"path: left out of {file.name}: {what}", UserWarning)
    return values
