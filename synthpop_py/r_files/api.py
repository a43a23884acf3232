"""R's files: everything in one, a synthesis from one, a synthesis into one."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Literal, TypeAlias

from synthpop_py.arguments import check_choice, check_flag, check_whole
from synthpop_py.errors import InputError, SynthpopError, warn, warning_once
from synthpop_py.synds import SynDS
from synthpop_py.tables.frames import AnyFrame

from . import through_pyreadr, through_r, through_rdata, through_rdata_write
from .columns import NoCounterpart
from .descriptions import RFrame, RList, ROther, RSynDS, RValue, RVector
from .for_r import SynthesisForR, for_r
from .packages import GET_PYREADR, GET_R, GET_RDATA, is_installed
from .replacing import replacement
from .values import data_frame, python_value, synthesis

Reader = Literal["auto", "r", "rdata", "pyreadr"]
Writer = Literal["auto", "r", "rdata"]
READERS: tuple[Reader, ...] = ("auto", "r", "rdata", "pyreadr")
WRITERS: tuple[Writer, ...] = ("auto", "r", "rdata")
Describe: TypeAlias = Callable[[Path], dict[str, RValue]]
SUFFIXES = {".rds": "rds", ".rda": "rda", ".rdata": "rda"}
MOST_NAMED = 10  # of what is left out; a fitted model would fill a page
MAX_BYTES = 1 << 30
TRUST = {
    "r": "R can run code that a file hides",
    "pyreadr": "pyreadr is a parser in C, which a damaged or hostile file can crash",
}


@warning_once
def read_r(
    path: str | Path,
    *,
    reader: Reader = "auto",
    trusted: bool = False,
    max_bytes: int = MAX_BYTES,
) -> dict[str, Any]:
    """Read everything in a file that R wrote with ``saveRDS()`` or ``save()``.

    Nothing in the file is run unless you say ``trusted=True``.

    Parameters
    ----------
    path : str or Path
        The file, with or without compression.
    reader : {"auto", "r", "rdata", "pyreadr"}
        "auto" uses the package rdata: pure Python, which runs nothing. For a file that you trust it
        uses the first available of: R; rdata; the package pyreadr, a fast parser in C under the
        AGPL, which reads only data frames and loses whether a factor is ordered.
    trusted : bool
        Whether you trust the maker of the file, and everyone who could have changed it, as you
        would trust a program from them. R can run code that a file hides (a promise is enough), and
        a parser in C can crash; both are used only for a trusted file.
    max_bytes : int
        The most memory that rdata may use for a file, and the largest unpacked size of a compressed
        file; 1 GiB by default. A number takes 16 bytes, a text in a column 512 and its length.

    Returns
    -------
    dict of str to object
        Objects by name, in the order of the file. The single object of a file by ``saveRDS()``,
        which has no name there, is under the name of the file: ``ods.rds`` gives ``"ods"``.

        A data frame is a DataFrame with the types of `synthpop_py.datasets.load` and no row names;
        times are in UTC, R's explicit NA level and NaN are plain missing values. An object of class
        ``synds`` is a SynDS. A vector, even of length 1, is an array of those types; with names, a
        Series; a matrix is an array without row and column names. A list with names is a dict,
        without names a list; NULL is None. An object without a counterpart, such as a function, is
        left out with a warning that names it; inside a list without names it is None.

    Raises
    ------
    InputError
        The file does not exist, is damaged, asks for more than `max_bytes`, or holds nothing that
        has a counterpart; or it needs R or pyreadr, and `trusted` is False.
    SynthpopError
        No installed package can read it.

    See Also
    --------
    read_synds : a synthesis alone.

    Examples
    --------
    What R wrote with ``saveRDS(ods, "ods.rds")`` and ``saveRDS(syn(ods, m = 5), "synds_m5.rds")``:

    >>> from synthpop_py import read_r, read_synds
    >>> original = read_r("ods.rds")["ods"]  # doctest: +SKIP
    >>> original.shape  # doctest: +SKIP
    (6, 13)
    >>> read_synds("synds_m5.rds")  # doctest: +SKIP
    SynDS(m=5, 6 rows, 4 columns, cont_na: income)

    A workspace, by ``save(s1, ods, small, seeds, settings, file = "workspace.RData")``:

    >>> everything = read_r("workspace.RData")  # doctest: +SKIP
    >>> list(everything)  # doctest: +SKIP
    ['s1', 'ods', 'small', 'seeds', 'settings']
    """
    file = _checked_file(path)
    objects: dict[str, Any] = {}
    left_out: list[str] = []
    for name, described in _described(file, reader, trusted, max_bytes).items():
        try:
            objects[name] = python_value(described, name, left_out)
        except NoCounterpart as error:
            left_out.append(f"{name} ({error})")
        except RecursionError:
            left_out.append(f"{name} (lists that are nested too deeply)")
    if not left_out:
        return objects
    what = f"objects without a counterpart here: {_first_of(left_out)}"
    if not objects:
        raise InputError(f"path: {file.name} holds only {what}")
    warn(f"path: left out of {file.name}: {what}", UserWarning)
    return objects


def _first_of(names: list[str]) -> str:
    """The first names, and how many more there are."""
    first = ", ".join(names[:MOST_NAMED])
    more = len(names) - MOST_NAMED
    return f"{first} and {more} more" if more > 0 else first


@warning_once
def read_synds(
    path: str | Path,
    *,
    name: str | None = None,
    reader: Reader = "auto",
    trusted: bool = False,
    max_bytes: int = MAX_BYTES,
) -> SynDS:
    """Read a synthesis that R saved with ``saveRDS()`` or ``save()``.

    Nothing in the file is run unless you say ``trusted=True``.

    Parameters
    ----------
    path : str or Path
        A file with an object of class ``synds``, a data frame or a list of data frames.
    name : str, optional
        Which object, where a file written by ``save()`` holds several.
    reader : {"auto", "r", "rdata", "pyreadr"}
        As in `read_r`; pyreadr cannot read an object of class ``synds``, only a data frame.
    trusted : bool
        Whether you trust the maker of the file. Only then are R, which can run code that a file
        hides, and pyreadr used: see `read_r`.
    max_bytes : int
        The most memory that rdata may take for a file, as in `read_r`.

    Returns
    -------
    SynDS
        Types are those of `synthpop_py.datasets.load`; times become UTC. R's explicit NA level and
        NaN are plain missing values. `meta` has R's ``n`` (rows of the original) and ``k`` where
        the object has them; its seed is a secret and is not read.

    Raises
    ------
    InputError
        The file does not exist, is not an R file, asks for more than `max_bytes`, or holds no
        synthesis; or it needs R or pyreadr, and `trusted` is False.
    SynthpopError
        No installed package can read it.

    See Also
    --------
    read_r : everything in a file, and the original data.

    Examples
    --------
    What R wrote with ``saveRDS(syn(ods, m = 5), "synds_m5.rds")``:

    >>> from synthpop_py import read_synds
    >>> synthesis = read_synds("synds_m5.rds")  # doctest: +SKIP
    >>> synthesis.m  # doctest: +SKIP
    5
    """
    file = _checked_file(path)
    objects = _described(file, reader, trusted, max_bytes)
    if name is not None and name not in objects:
        raise InputError(f"name: {name!r} is not in {file.name}; choices: {', '.join(objects)}")
    wanted = objects if name is None else {name: objects[name]}
    chosen = _only_synthesis(wanted, file.name)
    try:
        if isinstance(chosen, RSynDS):
            return synthesis(chosen)
        frames = _sets(chosen) or []
        return SynDS([data_frame(frame) for frame in frames])
    except (NoCounterpart, InputError) as error:
        raise InputError(f"path: {file.name} cannot be used: {error}") from None


def _only_synthesis(objects: dict[str, RValue], file_name: str) -> RValue:
    """The one object that can be a synthesis."""
    usable = {name: value for name, value in objects.items() if _sets(value) is not None}
    if not usable:
        nouns = ", ".join(_noun(value) for value in objects.values()) or "nothing"
        raise InputError(
            f"path: {file_name} holds {nouns}; a synds object, a data frame or a list of data"
            " frames is needed"
        )
    if len(usable) > 1:
        raise InputError(
            f"name: {file_name} holds several syntheses or data frames; choices:"
            f" {', '.join(usable)}"
        )
    (chosen,) = usable.values()
    return chosen


@warning_once
def write_synds(
    synds: SynDS | AnyFrame | Sequence[AnyFrame],
    path: str | Path,
    *,
    writer: Writer = "auto",
) -> None:
    """Write a synthesis for R: an object of class ``synds`` that R's ``disclosure()`` takes.

    The file is written completely or not at all: after an error or an interrupt the old file is
    still there.

    Parameters
    ----------
    synds : SynDS, DataFrame of pandas, polars or Arrow, or a list of these
        Levels, their order, ordered flags, missing values and special values are kept.
        ``meta["n"]`` (rows of the original), where given, becomes R's ``n``.
    path : str or Path
        ``.rds`` is read in R with ``readRDS()``, ``.rda`` or ``.RData`` with ``load()``, where the
        object is called ``synds``.
    writer : {"auto", "r", "rdata"}
        "auto" uses R if it is installed, otherwise the package rdata. Both write the same object.

    Raises
    ------
    InputError
        `path` has another ending, the file cannot be written, or a column has no counterpart in R.
    SynthpopError
        Neither R nor the package rdata is installed.

    Examples
    --------
    In R, ``disclosure(readRDS("mine.rds"), ods, keys, target)`` takes what this writes:

    >>> from synthpop_py import datasets, write_synds
    >>> write_synds(datasets.load_synthesis("SD2011_s5"), "mine.rds")  # doctest: +SKIP
    """
    release = synds if isinstance(synds, SynDS) else SynDS(synds)
    check_choice("writer", writer, WRITERS)
    file = Path(path)
    suffix = file.suffix.lower()
    if suffix not in SUFFIXES:
        raise InputError(
            f"path: {str(path)!r} ends in {file.suffix!r}; choices: .rds, .rda, .RData"
        )
    if not file.absolute().parent.is_dir():
        raise InputError(f"path: the folder of {str(path)!r} does not exist")
    in_r_types, save_as = for_r(release), SUFFIXES[suffix]
    with replacement(file) as new:
        _write(in_r_types, new, save_as, writer)


def _write(in_r_types: SynthesisForR, new: Path, save_as: str, writer: Writer) -> None:
    """Writes a file that is not there yet."""
    if writer != "rdata":
        try:
            return through_r.write(in_r_types, new, save_as)
        except through_r.RUnusable as error:
            if writer == "r":
                raise
            if not is_installed("rdata"):
                raise SynthpopError(f"{error}; without R: {GET_RDATA}") from None
    through_rdata_write.write(in_r_types, new, save_as)


def _checked_file(path: str | Path) -> Path:
    if not isinstance(path, (str, os.PathLike)):
        raise InputError(f"path: {type(path).__name__} given; give the name of a file")
    file = Path(path)
    if not file.is_file():
        raise InputError(f"path: {str(path)!r} is not a file")
    return file


def _described(file: Path, reader: Reader, trusted: Any, max_bytes: Any) -> dict[str, RValue]:
    """Everything in the file, described by the reader asked for, or by one that may be used."""
    check_choice("reader", reader, READERS)
    most = check_whole("max_bytes", max_bytes, low=1)
    is_trusted = check_flag("trusted", trusted)
    if not is_trusted:
        _check_runs_nothing(reader)
    describe: dict[str, Describe] = {
        "r": through_r.describe,
        "rdata": lambda chosen: through_rdata.describe(chosen, most),
        "pyreadr": through_pyreadr.describe,
    }
    if reader != "auto":
        return describe[reader](file)
    if is_trusted:
        return _by_first_at_hand(file, describe)
    return describe["rdata"](file)


def _check_runs_nothing(reader: Reader) -> None:
    """Refuse any reader except rdata for a file that is not trusted."""
    if reader in TRUST:
        raise InputError(
            f"reader: {reader!r} is for files that you trust: {TRUST[reader]}. Leave it out "
            "to read the file with rdata, which runs nothing; or give trusted=True if you "
            "trust the maker of the file"
        )
    if reader == "auto" and not is_installed("rdata"):
        raise SynthpopError(
            f"reading R's files needs the package rdata: {GET_RDATA}. R and pyreadr are used only"
            " with trusted=True, for files of people you trust: R can run code that a file hides"
        )


def _by_first_at_hand(file: Path, describe: dict[str, Describe]) -> dict[str, RValue]:
    """A trusted file, read by the first available reader."""
    is_at_hand = {
        "r": through_r.has_r(),
        "rdata": is_installed("rdata"),
        "pyreadr": is_installed("pyreadr"),
    }
    unusable = SynthpopError(
        f"nothing here can read R's files: {GET_RDATA}; or {GET_R}; for data frames only, "
        f"{GET_PYREADR}"
    )
    for candidate, is_there in is_at_hand.items():
        if not is_there:
            continue
        try:
            return describe[candidate](file)
        except through_r.RUnusable as error:  # no jsonlite, or rpy2 without R: on to the next
            unusable = SynthpopError(f"{error}; without R: {GET_RDATA}")
    raise unusable


def _sets(value: RValue) -> list[RFrame] | None:
    """The data frames of something that can be a synthesis; empty for one with m = 0."""
    if isinstance(value, RFrame):
        return [value]
    if isinstance(value, RSynDS):
        return [part for part in value.sets if isinstance(part, RFrame)]
    if isinstance(value, RList) and value.values:
        frames = [part for part in value.values if isinstance(part, RFrame)]
        return frames if len(frames) == len(value.values) else None
    return None


def _noun(value: RValue) -> str:
    if isinstance(value, RVector):
        shape = "vector" if value.dim is None else "matrix"
        return f"a {shape} ({value.kind})"
    if isinstance(value, ROther):
        return value.what
    return "NULL" if value is None else "a list"
