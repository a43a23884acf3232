"""What R saved, as Python: one object, a workspace, a synthesis."""

from __future__ import annotations

import os
from collections import Counter
from pathlib import Path
from typing import Any, Literal, TypeAlias

import numpy as np
import pandas as pd

from ..arguments import check_choice, check_flag, check_whole
from ..errors import InputError, some, warn, warning_once
from ..synds import SynDS
from ..tables.protocol import needed
from .objects import NoCounterpart, Numbers, RdataContents, Texts, array_of, objects, series

Reader = Literal["rdata", "pyreadr"]

KINDS = {"b": "logical", "i": "integer", "u": "integer", "f": "double"}  # by that of NumPy
EPOCH = np.datetime64("1970-01-01")
ONLY_FRAMES = "for anything else, such as a synds, leave out reader, and rdata reads it"
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
    names = list(contents.objects)
    if name is not None and name not in names:
        raise InputError(f"name: {name!r} is not in {file.name}; choices: {', '.join(names)}")
    wanted = names if name is None else [name]
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


# ---- pyreadr -------------------------------------------------------------------------


class PyreadrContents:
    """The data frames in a file by name. What pyreadr loses: whether a factor is ordered, and the
    type of a column in which everything is missing.
    """

    def __init__(self, file: Path) -> None:
        import pyreadr

        try:
            listed = pyreadr.list_objects(str(file))
            # where there is nothing to read it would warn, and the error below says so
            frames = pyreadr.read_r(str(file)) if listed else {}
        except Exception as error:  # its own errors, and what pandas says of damaged values
            raise InputError(
                f"path: pyreadr cannot read {file.name} ({error}); it reads only data frames:"
                f" {ONLY_FRAMES}"
            ) from None
        if not frames:
            raise InputError(f"path: pyreadr finds no data frame in {file.name}; {ONLY_FRAMES}")
        self.is_workspace = None not in frames
        self.objects = {file.stem if name is None else name: one for name, one in frames.items()}
        # of the columns of data frames; pyreadr makes frames of vectors and matrices too
        self.names: dict[str, list[str]] = {
            entry["object_name"] or file.stem: entry["columns"] for entry in listed
        }
        self.left_out: list[str] = []

    def can_be_synthesis(self, name: str) -> bool:
        return True

    def noun(self, name: str) -> str:
        return "a data frame"

    def value(self, name: str) -> pd.DataFrame:
        frame, names = self.objects[name], self.names.get(name) or []
        if isinstance(frame, pd.DataFrame) and list(frame.columns) == names:
            columns = {str(one): series(_column(one, frame[one])) for one in names}
            return pd.DataFrame(columns, index=pd.RangeIndex(len(frame)))
        twice = [one for one, times in Counter(names).items() if times > 1]
        if twice:  # pyreadr drops all but the last
            raise NoCounterpart(f"two columns are called {twice[0]!r}; rename one in R")
        raise NoCounterpart("no data frame; pyreadr reads only data frames")


def _column(name: str, column: pd.Series) -> Any:
    dtype, missing = column.dtype, column.isna().to_numpy()
    kind, values = KINDS.get(dtype.kind, ""), column
    texts: Texts = []
    known = pd.api.types.infer_dtype(column[~missing], skipna=True)
    if isinstance(dtype, pd.CategoricalDtype):
        kind, texts = "factor", [str(level) for level in dtype.categories]
        values = np.where(missing, np.nan, column.cat.codes.to_numpy() + 1.0)
    elif dtype.kind == "M":
        kind, values = "POSIXct", _since_1970(name, column.to_numpy(), missing, "POSIXct", "ns")
        values = values / 1e9
    elif not kind and known == "date":
        days = column.to_numpy(dtype="datetime64[D]", na_value=None)
        kind, values = "Date", _since_1970(name, days, missing, "Date", "D")
    elif not kind and known in ("boolean", "integer"):
        kind = "logical" if known == "boolean" else "integer"
        values = column.astype(object).where(~missing, np.nan)
    elif not kind:
        texts = [None if gap else str(one) for one, gap in zip(column.tolist(), missing.tolist())]
        return objects(texts)
    try:
        return array_of(kind, np.asarray(values, dtype=np.float64), texts)
    except NoCounterpart as error:
        raise NoCounterpart(f"column {name!r}: {error}") from None


def _since_1970(name: str, moments: Any, missing: Any, kind: str, unit: str) -> Numbers:
    """Days, or nanoseconds. Dates that R keeps as whole numbers come from pyreadr as 1970, the
    second half as whatever was in memory.
    """
    # a column that is really all 1970-01-01 is less likely, and would be refused, not misread
    half = (len(moments) + 1) // 2
    if half and (moments[:half] == EPOCH).all():
        raise NoCounterpart(
            f"column {name!r} is of type {kind} kept as whole numbers, which pyreadr misreads;"
            " convert it in R"
        )
    ticks: Any = moments.astype(f"datetime64[{unit}]").astype(np.int64)
    return np.where(missing, np.nan, ticks)


Contents: TypeAlias = RdataContents | PyreadrContents
