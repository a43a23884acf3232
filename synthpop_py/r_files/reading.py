"""What R saved, as Python: one object, a workspace, a synthesis."""

from __future__ import annotations

import os
from collections import Counter
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pandas as pd

from ..arguments import check_choice, check_flag, check_whole
from ..errors import InputError, some, warn, warning_once
from ..synds import SynDS
from ..tables.protocol import needed
from .objects import NoCounterpart, RdataFile, array_of, objects, series

Reader = Literal["rdata", "pyreadr"]

MAX_BYTES = 1 << 30
MOST_NAMED = 10  # of what is left out; a fitted model would fill a page
KINDS = {"b": "logical", "i": "integer", "u": "integer", "f": "double"}  # by that of NumPy
EPOCH = np.datetime64("1970-01-01")
ONLY_FRAMES = "pyreadr reads only data frames; for anything else leave out reader, and rdata reads"


@warning_once
def read_rds(
    path: str | Path,
    *,
    reader: Reader = "rdata",
    trusted: bool = False,
    max_bytes: int = MAX_BYTES,
) -> Any:
    """Read the object in a file that R wrote with ``saveRDS()``. Nothing in the file is run.

    Parameters
    ----------
    path : the file, with or without compression.
    reader : "rdata" is pure Python, which runs nothing. "pyreadr" is a fast parser in C under the
        AGPL, which reads only data frames and loses whether a factor is ordered.
    trusted : whether you trust the maker of the file, and everyone who could have changed it. Only
        then is pyreadr used: a damaged or hostile file can crash it.
    max_bytes : the most memory that rdata may use for a file, and the largest unpacked size of a
        compressed file; 1 GiB by default. A number takes 16 bytes, a text in a column 512 and its
        length.

    Returns
    -------
    object
        A data frame is a DataFrame with the types of `synthpop_py.datasets.load` and no row names;
        times are in UTC, R's explicit NA level and NaN are plain missing values. An object of class
        ``synds`` is a SynDS. A vector, even of length 1, is an array of those types; with names, a
        Series; a matrix is an array without row and column names. A list with names is a dict,
        without names a list; NULL is None. In lists, an object without a counterpart, such as a
        function, is left out of the dict with a warning that names it; in a list it is None.

    Examples
    --------
    What R wrote with ``saveRDS(ods, "ods.rds")``:

    >>> from synthpop_py import read_rds
    >>> read_rds("ods.rds").shape  # doctest: +SKIP
    (6, 13)
    """
    held = _opened(path, reader, trusted, max_bytes)
    if held.is_workspace:
        names = some(list(held.objects), MOST_NAMED)
        raise held.refused(f"was written by save() and holds {names}; read_rdata() reads them")
    return _all_of(held).popitem()[1]


@warning_once
def read_rdata(
    path: str | Path,
    *,
    reader: Reader = "rdata",
    trusted: bool = False,
    max_bytes: int = MAX_BYTES,
) -> dict[str, Any]:
    """Read everything in a file that R wrote with ``save()``, a workspace: a dict of objects by
    name, each as `read_rds` gives it. One without a counterpart, such as a function, is left out
    with a warning that names it. Nothing in the file is run.

    Parameters
    ----------
    path, reader, trusted, max_bytes : as in `read_rds`.

    Examples
    --------
    What R wrote with ``save(s1, ods, small, seeds, settings, file = "workspace.RData")``:

    >>> from synthpop_py import read_rdata
    >>> list(read_rdata("workspace.RData"))  # doctest: +SKIP
    ['s1', 'ods', 'small', 'seeds', 'settings']
    """
    held = _opened(path, reader, trusted, max_bytes)
    if not held.is_workspace:
        raise held.refused("was written by saveRDS(); read_rds() reads it")
    return _all_of(held)


@warning_once
def read_synds(
    path: str | Path,
    *,
    name: str | None = None,
    reader: Reader = "rdata",
    trusted: bool = False,
    max_bytes: int = MAX_BYTES,
) -> SynDS:
    """Read a synthesis that R saved with ``saveRDS()`` or ``save()``: an object of class ``synds``,
    a data frame or a list of data frames. Nothing in the file is run.

    Types are those of `synthpop_py.datasets.load`; times become UTC. R's explicit NA level and NaN
    are plain missing values. `meta` has R's ``n`` (rows of the original) and ``k`` where the object
    has them; its seed is a secret and is not read.

    Parameters
    ----------
    name : which object, where a file written by ``save()`` holds several.
    path, reader, trusted, max_bytes : as in `read_rds`; pyreadr reads only a data frame.

    Examples
    --------
    What R wrote with ``saveRDS(syn(ods, m = 5), "synds_m5.rds")``:

    >>> from synthpop_py import read_synds
    >>> read_synds("synds_m5.rds").m  # doctest: +SKIP
    5
    """
    held = _opened(path, reader, trusted, max_bytes)
    if name is not None:
        check_choice("name", name, list(held.objects))
    found, reasons = {}, []
    for one in held.objects if name is None else [name]:
        try:
            value = held.value(one)
            if held.left_out:  # a list would have lost a set
                raise NoCounterpart(held.left_out.pop())
            if isinstance(value, (dict, list)):
                value = SynDS(list(value.values() if isinstance(value, dict) else value))
            found[one] = value if isinstance(value, SynDS) else SynDS(value)
        except (NoCounterpart, InputError) as error:
            reasons.append(f"{one} ({error})")
    if len(found) == 1:
        return found.popitem()[1]
    if found:
        raise InputError(
            f"name: {held.file.name} holds several syntheses; choices: {', '.join(found)}"
        )
    what = "no synds object, data frame or list of data frames"
    raise held.refused(f"holds {what}: {some(reasons, MOST_NAMED)}")


def all_objects(path: Path) -> dict[str, Any]:
    """Everything in a file, however R saved it; a single object under the name of the file."""
    return _all_of(RdataFile(path, MAX_BYTES))


def _opened(path: Any, reader: Any, trusted: Any, max_bytes: Any) -> RdataFile | PyreadrFile:
    if not isinstance(path, (str, os.PathLike)):
        raise InputError(f"path: {type(path).__name__} given; give the name of a file")
    file = Path(path)
    if not file.is_file():
        raise InputError(f"path: {str(path)!r} is not a file")
    check_choice("reader", reader, ("rdata", "pyreadr"))
    most = check_whole("max_bytes", max_bytes, low=1)
    if not check_flag("trusted", trusted) and reader == "pyreadr":
        raise InputError(
            "reader: 'pyreadr' is for files that you trust: it is a parser in C, which a damaged or"
            " hostile file can crash. Leave it out to read the file with rdata, which runs nothing;"
            " or give trusted=True if you trust the maker of the file"
        )
    needed("R's files", reader, reader)
    return RdataFile(file, most) if reader == "rdata" else PyreadrFile(file)


def _all_of(held: RdataFile | PyreadrFile) -> dict[str, Any]:
    """Everything by name; a warning names what has no counterpart."""
    values: dict[str, Any] = {}
    for name in held.objects:
        try:
            values[name] = held.value(name)
        except NoCounterpart as error:
            held.left_out.append(f"{name} ({error})")
    what = f"objects without a counterpart here: {some(held.left_out, MOST_NAMED)}"
    if held.left_out and not values:
        raise held.refused(f"holds only {what}")
    if held.left_out:
        warn(f"path: left out of {held.file.name}: {what}", UserWarning)
    return values


class PyreadrFile:
    """The data frames in a file by name, as `RdataFile` gives them. What pyreadr loses: whether a
    factor is ordered, and the type of a column in which everything is missing.
    """

    def __init__(self, file: Path) -> None:
        import pyreadr

        self.file = file
        self.left_out: list[str] = []
        try:
            listed = pyreadr.list_objects(str(file))
            # where there is nothing to read it would warn, and the error below says so
            frames = pyreadr.read_r(str(file)) if listed else {}
        except Exception as error:  # its own errors, and what pandas says of damaged values
            says = f"path: pyreadr cannot read {file.name} ({error}); {ONLY_FRAMES}"
            raise InputError(says) from None
        if not frames:
            raise self.refused(f"holds nothing to read; {ONLY_FRAMES}")
        self.is_workspace = None not in frames
        self.objects = {name or file.stem: frame for name, frame in frames.items()}
        # of the columns of data frames; pyreadr makes frames of vectors and matrices too
        self.names = {one["object_name"] or file.stem: one["columns"] for one in listed}

    def refused(self, why: str) -> InputError:
        return InputError(f"path: {self.file.name} {why}")

    def value(self, name: str) -> pd.DataFrame:
        frame, names = self.objects[name], self.names.get(name) or []
        twice = [one for one, times in Counter(names).items() if times > 1]
        if twice:  # pyreadr drops all but the last
            raise NoCounterpart(f"two columns are called {twice[0]!r}; rename one in R")
        if not isinstance(frame, pd.DataFrame) or list(frame.columns) != names:
            raise NoCounterpart(ONLY_FRAMES)
        columns = {}
        for column in names:
            try:
                columns[column] = series(_column(frame[column]))
            except NoCounterpart as error:
                raise NoCounterpart(f"column {column!r}: {error}") from None
        return pd.DataFrame(columns, index=pd.RangeIndex(len(frame)))


def _column(column: pd.Series) -> Any:
    missing, dtype = column.isna().to_numpy(), column.dtype
    if isinstance(dtype, pd.CategoricalDtype):
        places = np.where(missing, np.nan, column.cat.codes.to_numpy() + 1.0)
        return array_of("factor", places, [str(level) for level in dtype.categories])
    if dtype.kind == "M":
        return array_of("POSIXct", _since_1970(column.to_numpy("M8[ns]"), missing) / 1e9)
    known = pd.api.types.infer_dtype(column[~missing])
    if known == "date":
        return array_of("Date", _since_1970(column.to_numpy("M8[D]", na_value=None), missing))
    kind = KINDS.get(dtype.kind, {"boolean": "logical"}.get(known, known))
    if kind not in KINDS.values():
        return objects([None if gap else str(one) for one, gap in zip(column, missing)])
    return array_of(kind, column.astype(object).where(~missing, np.nan).to_numpy(np.float64))


def _since_1970(moments: Any, missing: Any) -> Any:
    """Days, or nanoseconds. Dates that R keeps as whole numbers come from pyreadr as 1970, the
    second half as whatever was in memory.
    """
    # a column that is really all 1970-01-01 is less likely, and would be refused, not misread
    half = moments[: (len(moments) + 1) // 2]
    if len(half) and (half == EPOCH).all():
        raise NoCounterpart("dates kept as whole numbers, which pyreadr misreads; convert it in R")
    return np.where(missing, np.nan, moments.astype(np.int64))
