"""Syntheses saved by R, read and written: ``read_synds`` and ``write_synds``.

R itself does the work where it is at hand (through rpy2, or else the program Rscript), because only
R keeps everything. Without R, reading is left to the packages ``rdata`` or ``pyreadr``. None of
them is imported before it is needed.
"""

from __future__ import annotations

import json
import math
import shutil
import subprocess
import tempfile
import warnings
from collections.abc import Callable, Mapping
from importlib.resources import as_file, files
from importlib.util import find_spec
from numbers import Real
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pandas as pd

from synthpop_py.arguments import check_choice
from synthpop_py.core.columns import Column
from synthpop_py.errors import InputError, SynthpopError, install
from synthpop_py.frames import check_frame, read_column
from synthpop_py.names import named_arguments
from synthpop_py.synds import SynDS

__all__ = ["read_synds", "write_synds"]

Reader = Literal["auto", "r", "rdata", "pyreadr"]
READERS: tuple[Reader, ...] = ("auto", "r", "rdata", "pyreadr")
LARGEST_R_INTEGER = 2**31 - 1
NANOSECONDS = 1_000_000_000
FIRST_DAY, LAST_DAY = -106_000, 106_000  # from 1970; what nanoseconds in 64 bits can hold
SUFFIXES = {".rds": "rds", ".rda": "rda", ".rdata": "rda"}
NUMBERS = {"NaN": math.nan, "Inf": math.inf, "-Inf": -math.inf}


@named_arguments()
def read_synds(path: str | Path, *, name: str | None = None, reader: Reader = "auto") -> SynDS:
    """Read a synthesis that R saved with ``saveRDS()`` or ``save()``.

    Parameters
    ----------
    path : str or Path
        A file with an object of class ``synds``, a data frame or a list of data frames.
    name : str, optional
        Which object, where a file written by ``save()`` holds several.
    reader : {"auto", "r", "rdata", "pyreadr"}
        "auto" takes the first that is there: R, which keeps everything; the package rdata; the
        package pyreadr, which reads single data frames only and loses whether a factor is ordered.

    Returns
    -------
    SynDS
        Types are those of `synthpop_py.datasets.load`; times become UTC. R's explicit NA level and
        NaN are plain missing values. `meta` has R's ``n`` (rows of the original), ``k`` and
        ``seed`` where the object has them.

    Raises
    ------
    InputError
        The file is not there, is no R file, or holds no synthesis.
    SynthpopError
        Nothing is installed that could read it.

    Examples
    --------
    What R wrote with ``saveRDS(syn(ods, m = 5), "mine.rds")``:

    >>> synthesis = read_synds("mine.rds")  # doctest: +SKIP
    >>> synthesis.m  # doctest: +SKIP
    5
    """
    file = Path(path)
    if not file.is_file():
        raise InputError(f"path: {str(path)!r} is not a file")
    check_choice("reader", reader, READERS)
    chosen = _first_reader() if reader == "auto" else reader
    if chosen == "r":
        return _read_with_r(file, name)
    read = _read_with_rdata if chosen == "rdata" else _read_with_pyreadr
    return _synthesis_of(_chosen_object(read(file), name), file)


@named_arguments()
def write_synds(synds: SynDS | pd.DataFrame | list[pd.DataFrame], path: str | Path) -> None:
    """Write a synthesis for R: an object of class ``synds`` that R's ``disclosure()`` takes. R must
    be installed.

    Parameters
    ----------
    synds : SynDS, DataFrame or list of DataFrame
        Levels, their order, ordered flags, missing values and special values are kept.
        ``meta["n"]`` (rows of the original), where given, becomes R's ``n``.
    path : str or Path
        ``.rds`` is read in R with ``readRDS()``, ``.rda`` or ``.RData`` with ``load()``, where the
        object is called ``synds``.

    Raises
    ------
    InputError
        The ending of `path` is another one, or a column has no counterpart in R.
    SynthpopError
        R is not there, or cannot write the file.

    Examples
    --------
    In R, ``disclosure(readRDS("mine.rds"), ods, keys, target)`` takes what this writes:

    >>> from synthpop_py import datasets, write_synds
    >>> write_synds(datasets.load_synthesis("SD2011_s5"), "mine.rds")  # doctest: +SKIP
    """
    synthesis = synds if isinstance(synds, SynDS) else SynDS(synds)
    file = Path(path)
    if file.suffix.lower() not in SUFFIXES:
        raise InputError(
            f"path: {str(path)!r} ends in {file.suffix!r}; choices: .rds, .rda, .RData"
        )
    if not file.absolute().parent.is_dir():
        raise InputError(f"path: the folder of {str(path)!r} does not exist")
    lines = list(_request_lines(synthesis, SUFFIXES[file.suffix.lower()]))
    with tempfile.TemporaryDirectory() as folder:
        request = Path(folder, "request.json")
        request.write_text("\n".join(lines) + "\n", encoding="ascii")
        answer = _ask_r("write_saved", str(request), str(file.absolute()), folder=folder)
    if "problem" in answer:
        raise SynthpopError(
            f"path: R could not write {str(path)!r}: {answer.get('message', answer['problem'])}"
        )


# ---- through R -----------------------------------------------------------------------

INSTALL = (
    "install R with its package jsonlite (and, to save the start of R at every call,"
    f" {install('r')})"
)
RUN = (
    "function(script, name, ...) { side <- new.env(); sys.source(script, side); side[[name]](...);"
    " '' }"
)


def _has_r() -> bool:
    return find_spec("rpy2") is not None or shutil.which("Rscript") is not None


def _ask_r(function: str, *arguments: str, folder: str) -> dict[str, Any]:
    """Call a function of _rdata.R; it leaves its answer as JSON in a file."""
    out = Path(folder, "answer.json")
    with as_file(files("synthpop_py").joinpath("_rdata.R")) as script:
        run = _r_in_process() or _rscript()
        if run is None:
            raise SynthpopError(f"R is not at hand: {INSTALL}")
        run(str(script), function, *arguments, str(out))
    if not out.is_file():
        raise SynthpopError(f"R gave no answer: {INSTALL}")
    answer = json.loads(out.read_text(encoding="utf-8"))
    if answer.get("problem") == "jsonlite":
        raise SynthpopError(
            'R is there, but its package jsonlite is not: run install.packages("jsonlite") in R'
        )
    return answer


def _r_in_process() -> Callable[..., Any] | None:
    if find_spec("rpy2") is None:
        return None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            from rpy2.robjects import r

            return r(RUN)
    except Exception:  # rpy2 raises many kinds when R is absent or built differently
        return None


def _rscript() -> Callable[..., Any] | None:
    found = shutil.which("Rscript")
    if found is None:
        return None
    program: str = found
    return lambda *texts: subprocess.run(
        [program, "-e", f"invisible(do.call({RUN}, as.list(commandArgs(TRUE))))", *texts],
        capture_output=True,
        check=False,
    )


def _read_with_r(file: Path, name: str | None) -> SynDS:
    with tempfile.TemporaryDirectory() as folder:
        answer = _ask_r("describe_saved", str(file.absolute()), name or "", folder=folder)
    if "problem" in answer:
        raise _unreadable(answer, file, name)
    frames = [_frame(spec, file) for spec in answer["frames"]]
    return SynDS(frames, answer["cont_na"], answer["meta"])


def _unreadable(answer: dict[str, Any], file: Path, name: str | None) -> InputError:
    found = ", ".join(map(str, answer.get("found") or ["nothing"]))
    sentences = {
        "no sets": (
            f"path: the synthesis in {file.name} holds no synthetic data (m = 0); synthesise with m"
            " of at least 1"
        ),
        "no such name": f"name: {name!r} is not in {file.name}; choices: {found}",
        "several": f"name: {file.name} holds several syntheses or data frames; choices: {found}",
        "nothing usable": (
            f"path: {file.name} holds {found}; a synds object, a data frame or a list of data"
            " frames is needed"
        ),
        "error": f"path: R cannot read {file.name}: {answer.get('message')}",
    }
    return InputError(sentences[answer["problem"]])


# ---- columns from R ------------------------------------------------------------------


def _frame(spec: dict[str, Any], file: Path) -> pd.DataFrame:
    columns = {column["name"]: _pandas_column(column, file) for column in spec["columns"]}
    if len(columns) < len(spec["columns"]):
        raise InputError(
            f"path: a data frame in {file.name} has two columns of the same name; rename one in R"
        )
    return pd.DataFrame(columns, index=pd.RangeIndex(spec["rows"]))


def _pandas_column(spec: dict[str, Any], file: Path) -> Any:
    kind = spec["type"]
    if kind in ("factor", "ordered"):
        return _categorical(spec["levels"], spec["codes"], ordered=kind == "ordered")
    if kind == "character":
        return pd.Series(
            [None if code is None else spec["levels"][code - 1] for code in spec["codes"]],
            dtype=object,
        )
    if kind not in ("logical", "integer", "double", "Date", "POSIXct"):
        raise InputError(
            f"path: column {spec['name']!r} in {file.name} is of type {kind}, which has no"
            " counterpart here; convert it in R"
        )
    values = spec["values"]
    if kind in ("logical", "integer"):
        plain, nullable, make = (
            ("bool", "boolean", bool) if kind == "logical" else ("int64", "Int64", int)
        )
        made = [None if value is None else make(value) for value in values]
        return pd.array(made, dtype=nullable) if None in made else np.array(made, dtype=plain)
    numbers = np.array(
        [math.nan if v is None else NUMBERS[v] if isinstance(v, str) else v for v in values],
        dtype=np.float64,
    )
    return numbers if kind == "double" else _days(numbers) if kind == "Date" else _times(numbers)


def _categorical(
    levels: list[str | None], codes: list[int | None], *, ordered: bool
) -> pd.Categorical:
    """Pandas has no missing category, so R's explicit NA level becomes an ordinary missing value."""
    names = [level for level in levels if level is not None]
    place = [-1 if level is None else names.index(level) for level in levels]
    return pd.Categorical.from_codes(
        [-1 if code is None else place[code - 1] for code in codes],
        pd.Index(names, dtype=object),
        ordered=ordered,
    )


def _days(numbers: np.ndarray) -> Any:
    missing = np.isnan(numbers)
    days = np.where(missing, 0, numbers).astype("int64").astype("datetime64[D]")
    if ((numbers < FIRST_DAY) | (numbers > LAST_DAY)).any():
        return pd.Series(
            [None if gap else day for day, gap in zip(days.tolist(), missing)], dtype=object
        )
    return np.where(missing, np.datetime64("NaT"), days).astype("datetime64[ns]")


def _times(seconds: np.ndarray) -> pd.Series:
    """In UTC, so that a column of midnights is not taken for dates. Microseconds, which is what a
    double holds.
    """
    missing = ~np.isfinite(seconds)
    moments = np.round(np.where(missing, 0, seconds) * 1e6).astype("int64").astype("datetime64[us]")
    return pd.Series(
        np.where(missing, np.datetime64("NaT"), moments).astype("datetime64[ns]")
    ).dt.tz_localize("UTC")


# ---- columns for R -------------------------------------------------------------------


def _request_lines(synthesis: SynDS, save_as: str):
    """One line about the synthesis, then two for each column of each set: what it is, and its
    numbers.
    """
    frames = [
        check_frame(frame, f"synds, set {i}") for i, frame in enumerate(synthesis.syn, start=1)
    ]
    names = [str(name) for name in frames[0].columns]
    alike = sorted({name for name in names if names.count(name) > 1})
    if alike:
        raise InputError(f"synds: two columns would both be called {alike[0]!r} in R; rename one")
    special = [
        {"column": str(name), "values": [_special_number(name, v) for v in values]}
        for name, values in synthesis.cont_na.items()
    ]
    rows = [len(frame) for frame in frames]
    n, k = (
        v if isinstance(v := synthesis.meta.get(field), int) else rows[0] for field in ("n", "k")
    )
    about = {
        "as": save_as,
        "m": len(frames),
        "columns": frames[0].shape[1],
        "rows": rows,
        "special": special,
        "n": n,
        "k": k,
    }
    yield json.dumps(about)
    for i, frame in enumerate(frames, start=1):
        for name in frame.columns:
            spec, numbers = _r_column(frame[name], f"synds, set {i}, column {name!r}")
            yield json.dumps({"name": str(name), **spec})
            yield numbers


def _special_number(name: Any, value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, Real):
        raise InputError(
            f"synds: the special value {value!r} of column {name!r} (cont_na) is not a number; R"
            " knows special values of numeric columns only"
        )
    return float(value)


def _r_column(series: pd.Series, where: str) -> tuple[dict[str, Any], str]:
    column = read_column(series, where)
    if column.is_text:
        ordered = isinstance(series.dtype, pd.CategoricalDtype) and bool(series.dtype.ordered)
        kind = "character" if column.kind == "character" else "ordered" if ordered else "factor"
        return {"type": kind, "levels": list(column.labels)}, _json_numbers(
            column, column.values.astype(np.int64) + 1
        )
    if column.kind == "duration":
        raise InputError(
            f"{where}: durations have no counterpart in R's data frames; make them numbers, for"
            " instance with .dt.total_seconds()"
        )
    if (
        column.kind == "integer"
        and len(column.present())
        and np.abs(column.present()).max() > LARGEST_R_INTEGER
    ):
        return {"type": "double"}, _json_numbers(column, column.values.astype(np.float64))
    values = _seconds(column.values) if column.kind == "time" else column.values
    return {
        "type": {"date": "Date", "time": "POSIXct"}.get(column.kind, column.kind)
    }, _json_numbers(column, values)


def _seconds(nanoseconds: np.ndarray) -> np.ndarray:
    """Whole seconds and the rest apart: together they are too long for a double."""
    return nanoseconds // NANOSECONDS + nanoseconds % NANOSECONDS / NANOSECONDS


def _json_numbers(column: Column, values: np.ndarray) -> str:
    """A JSON array; Python writes the shortest digits that give the same double back."""
    gaps = np.zeros(len(values), dtype=bool) if column.missing is None else column.missing
    return json.dumps(
        [
            None if gap else value if math.isfinite(value) else "Inf" if value > 0 else "-Inf"
            for value, gap in zip(values.tolist(), gaps.tolist())
        ]
    )


# ---- without R -----------------------------------------------------------------------


def _first_reader() -> Reader:
    if _has_r():
        return "r"
    packages: tuple[Reader, ...] = ("rdata", "pyreadr")
    for package in packages:
        if find_spec(package) is not None:
            return package
    raise SynthpopError(
        f"nothing here can read R's files: {install('rdata')}, or install R with its package"
        f" jsonlite; for single data frames {install('pyreadr')}"
    )


def _is_rds(file: Path) -> bool:
    return SUFFIXES.get(file.suffix.lower(), "rds") == "rds"


def _read_with_rdata(file: Path) -> Mapping[str | None, Any]:
    """Objects by name, a single unnamed one under None."""
    rdata = _imported("rdata")
    own = {
        "synds": lambda value, attributes: value,
        "Date": lambda value, attributes: pd.Series(_days(np.asarray(value, dtype=np.float64))),
        "POSIXct": lambda value, attributes: _times(np.asarray(value, dtype=np.float64)),
    }
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # classes of parts of a synds object that we do not need
        constructors = {**rdata.conversion.DEFAULT_CLASS_MAP, **own}
        converted = rdata.conversion.convert(rdata.parser.parse_file(str(file)), constructors)
    return {None: converted} if _is_rds(file) else converted


def _read_with_pyreadr(file: Path) -> Mapping[str | None, Any]:
    pyreadr = _imported("pyreadr")
    try:
        return dict(pyreadr.read_r(str(file)))
    except pyreadr.LibrdataError as error:
        raise InputError(
            f"path: pyreadr cannot read {file.name} ({error}); it reads single data frames only, so"
            " use R or the package rdata"
        ) from None


def _imported(package: str) -> Any:
    if find_spec(package) is None:
        raise SynthpopError(f"reader: the package {package} is not installed: {install(package)}")
    import importlib

    return importlib.import_module(package)


def _is_synds(value: Any) -> bool:
    return isinstance(value, Mapping) and "syn" in value and "m" in value


def _is_frames(value: Any) -> bool:
    parts = list(value.values()) if isinstance(value, Mapping) else value
    return (
        isinstance(parts, list)
        and bool(parts)
        and all(isinstance(part, pd.DataFrame) for part in parts)
    )


def _chosen_object(objects: Mapping[str | None, Any], name: str | None) -> Any:
    """The named object, or the only one that can be a synthesis."""
    if name is not None and name not in objects and None not in objects:
        raise InputError(
            f"name: {name!r} is not in the file; choices: {', '.join(map(str, objects))}"
        )
    usable = {
        key: value
        for key, value in objects.items()
        if (name is None or key in (name, None))
        and (isinstance(value, pd.DataFrame) or _is_synds(value) or _is_frames(value))
    }
    if not usable:
        raise InputError("path: the file holds no synds object, data frame or list of data frames")
    if len(usable) > 1:
        raise InputError(
            "name: the file holds several syntheses or data frames; choices:"
            f" {', '.join(map(str, usable))}"
        )
    return next(iter(usable.values()))


def _synthesis_of(value: Any, file: Path) -> SynDS:
    """A synthesis from an object as the packages rdata and pyreadr give it."""
    if not _is_synds(value):
        frames = (
            [value]
            if isinstance(value, pd.DataFrame)
            else list(value.values())
            if isinstance(value, Mapping)
            else value
        )
        return SynDS([_usual_types(frame) for frame in frames])
    syn = value["syn"]
    frames = (
        [syn]
        if isinstance(syn, pd.DataFrame)
        else list(syn.values())
        if isinstance(syn, Mapping)
        else list(syn)
    )
    given = value.get("cont.na")
    special = {
        name: _numbers(values)
        for name, values in (given.items() if isinstance(given, Mapping) else ())
    }  # of a stratified synthesis only R reads them
    meta = {field: _numbers(value[field]) for field in ("n", "k", "seed") if field in value}
    whole = {
        field: int(v[0]) if v[0].is_integer() else v[0] for field, v in meta.items() if len(v) == 1
    }
    return SynDS(
        [_usual_types(frame) for frame in frames],
        {name: values for name, values in special.items() if values},
        whole,
    )


def _numbers(values: Any) -> list[float]:
    """The numbers in a vector of R, without NA; R's lone NA is a truth value."""
    flat = np.ma.ravel(np.ma.asarray(values)).compressed().tolist()
    return [
        float(v)
        for v in flat
        if isinstance(v, (int, float)) and not isinstance(v, bool) and not math.isnan(v)
    ]


def _usual_types(frame: pd.DataFrame) -> pd.DataFrame:
    """Columns in the types of `datasets.load`, whatever widths the reader chose."""
    return pd.DataFrame(
        {name: _usual_type(frame[name].reset_index(drop=True)) for name in frame.columns},
        index=pd.RangeIndex(len(frame)),
    )


def _usual_type(series: pd.Series) -> pd.Series:
    dtype, gaps = series.dtype, bool(series.isna().any())
    if isinstance(dtype, pd.CategoricalDtype):
        return series.cat.rename_categories(
            pd.Index([str(c) for c in dtype.categories], dtype=object)
        )
    if pd.api.types.is_bool_dtype(dtype):
        return series.astype("boolean" if gaps else "bool")
    if pd.api.types.is_integer_dtype(dtype):
        return series.astype("Int64" if gaps else "int64")
    if pd.api.types.is_float_dtype(dtype):
        return series.astype("float64")
    if (
        pd.api.types.is_string_dtype(dtype)
        and not pd.api.types.is_object_dtype(dtype)
        or dtype == object
        and pd.api.types.infer_dtype(series, skipna=True) == "string"
    ):
        return pd.Series(
            [None if gap else str(text) for text, gap in zip(series.tolist(), series.isna())],
            dtype=object,
        )
    return series
