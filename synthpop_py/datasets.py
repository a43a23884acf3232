"""The data sets that come with the package and syntheses of them recorded from R's ``syn()``.

The files are described in ``r_reference/FORMATS.md``; ``fixtures/data/README.md`` says where they
come from.
"""

from __future__ import annotations

import csv
import gzip
import io
import json
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.resources import files
from pathlib import Path
from typing import Any, Literal, get_args

import numpy as np
import pandas as pd

from synthpop_py.arguments import check_choice
from synthpop_py.errors import InputError, SynthpopError, nearest
from synthpop_py.synds import SynDS

__all__ = ["info", "load", "load_synthesis", "names"]

MISSING = "\\N"

Kind = Literal["all", "data", "synthesis"]

# all that a damaged file can cause; a MemoryError is not the fault of the file
DAMAGE = (
    *(OSError, EOFError, csv.Error, zlib.error),
    *(LookupError, TypeError, ValueError, AttributeError, RecursionError),
)


def names(kind: Kind = "all") -> list[str]:
    """Names of the data sets and syntheses that can be loaded.

    Parameters
    ----------
    kind : {"all", "data", "synthesis"}
        ``"data"`` for what `load` takes, ``"synthesis"`` for what `load_synthesis` takes.

    Examples
    --------
    >>> names("data")
    ['Adult', 'SD2011', 'SD2011_grouped', 'syc']
    """
    return _names_of(_manifest(), check_choice("kind", kind, get_args(Kind)))


def info(name: str) -> dict[str, Any]:
    """The manifest's entry: source, licence, size, checksums; for a synthesis also call, seed and
    versions.

    Examples
    --------
    >>> info("SD2011_s1")["seed"]
    8564
    """
    return _entry(name, "all")


def load(name: str) -> pd.DataFrame:
    """Load one of the data sets as a new data frame.

    Parameters
    ----------
    name : str
        One of ``names("data")``, for example "SD2011", "Adult" or "syc".

    Returns
    -------
    DataFrame
        R's factors are categorical with R's level order and ordered flag, text is ``object`` with
        None for missing, integers are ``int64`` (``Int64`` where some are missing), doubles
        ``float64``, logicals ``bool`` (``boolean`` where some are missing) and dates
        ``datetime64[ns]``.

    Examples
    --------
    >>> load("SD2011").shape
    (5000, 35)
    """
    _entry(name, "data")
    folder = _folder()
    with _damage_named(name):
        sidecar = _read_json(folder, f"{name}.json")
        return _read_frame(folder, f"{name}.csv.gz", sidecar)


def load_synthesis(name: str) -> SynDS:
    """Load a recorded synthesis; its ``meta`` is the manifest's entry.

    Parameters
    ----------
    name : str
        One of ``names("synthesis")``, for example "SD2011_s1".

    Examples
    --------
    >>> load_synthesis("SD2011_s1")
    SynDS(m=1, 5000 rows, 9 columns, cont_na: income)
    """
    entry = _entry(name, "synthesis")
    folder = _folder()
    with _damage_named(name):
        sidecar = _read_json(folder, f"{name}.json")
        m = sidecar["m"]
        numbers = [""] if m == 1 else [f".{number}" for number in range(1, m + 1)]
        frames = [_read_frame(folder, f"{name}{number}.csv.gz", sidecar) for number in numbers]
        return SynDS(frames, sidecar["cont_na"], entry)


def _folder() -> Any:
    """The data inside the installed package or, in a checkout, ``fixtures/data``."""
    checkout = Path(__file__).resolve().parent.parent / "fixtures" / "data"
    for folder in (files("synthpop_py").joinpath("_data"), checkout):
        if folder.joinpath("manifest.json").is_file():
            return folder
    raise SynthpopError(f"the data files are neither in the package nor in {checkout}")


def _read_json(folder: Any, file_name: str) -> dict[str, Any]:
    content: dict[str, Any] = json.loads(folder.joinpath(file_name).read_text(encoding="utf-8"))
    return content


@contextmanager
def _damage_named(name: str) -> Iterator[None]:
    """Says which of the files that come with the package are damaged."""
    try:
        yield
    except DAMAGE:
        raise SynthpopError(
            f"the files of {name!r} that come with the package are damaged; install it again"
        ) from None


def _manifest() -> dict[str, dict[str, Any]]:
    folder = _folder()
    with _damage_named("manifest"):
        content = _read_json(folder, "manifest.json")
        kinds = {entry["kind"] for entry in content.values()}
        if not kinds <= {"data", "synthesis"}:
            raise ValueError("an unknown kind")
        return content


def _names_of(manifest: dict[str, dict[str, Any]], kind: Kind) -> list[str]:
    return [name for name, entry in manifest.items() if kind in ("all", entry["kind"])]


def _entry(name: str, kind: Kind) -> dict[str, Any]:
    manifest = _manifest()
    choices = _names_of(manifest, kind)
    if not isinstance(name, str):
        raise InputError(f"name: {name!r} is not a text; choices: {', '.join(choices)}")
    if name in choices:
        return manifest[name]
    if name in manifest:
        noun = _noun(manifest[name]["kind"])
        other = "load_synthesis" if kind == "data" else "load"
        raise InputError(f"name: {name!r} is a {noun}; use {other}({name!r})")
    near = nearest(name, choices)
    hint = f"did you mean {near!r}? " if near is not None else ""
    raise InputError(f"name: {name!r} is not a {_noun(kind)}; {hint}choices: {', '.join(choices)}")


def _noun(kind: Kind) -> str:
    return {"data": "data set", "synthesis": "synthesis", "all": "data set or synthesis"}[kind]


def _read_frame(folder: Any, file_name: str, sidecar: dict[str, Any]) -> pd.DataFrame:
    packed = folder.joinpath(file_name).read_bytes()
    text = gzip.decompress(packed).decode("utf-8")
    header, *rows = csv.reader(io.StringIO(text, newline=""))
    specs = sidecar["columns"]
    if header != [spec["name"] for spec in specs] or len(rows) != sidecar["rows"]:
        raise SynthpopError(f"{file_name} does not match its sidecar {sidecar['name']}.json")
    fields = zip(*rows) if rows else ((),) * len(specs)
    return pd.DataFrame({spec["name"]: _column(of, spec) for spec, of in zip(specs, fields)})


def _column(fields: tuple[str, ...], spec: dict[str, Any]) -> Any:
    kind = spec["type"]
    if kind in ("factor", "ordered"):
        return _categorical(fields, spec["levels"], ordered=kind == "ordered")
    if kind == "character":
        return pd.Series(list(map(_text, fields)), dtype=object)
    if kind == "logical":
        flags = _values(fields, lambda field: field == "TRUE", missing=None)
        return _nullable(flags, "bool", "boolean")
    if kind == "integer":
        return _nullable(_values(fields, int, missing=None), "int64", "Int64")
    if kind == "double":
        return np.array(_values(fields, float, missing=np.nan), dtype="float64")
    if kind == "Date":
        return np.array(_values(fields, str, missing="NaT"), dtype="datetime64[ns]")
    raise SynthpopError(f"column {spec['name']!r} has the unknown type {kind!r}")


def _values(fields: tuple[str, ...], read: Callable[[str], Any], missing: Any) -> list[Any]:
    return [missing if field == MISSING else read(field) for field in fields]


def _text(field: str) -> str | None:
    if field == MISSING:
        return None
    return field[1:] if field.startswith("\\") else field


def _categorical(
    fields: tuple[str, ...], levels: list[str | None], *, ordered: bool
) -> pd.Categorical:
    # pandas has no category for missing, so R's explicit NA level becomes an ordinary missing value
    categories = [level for level in levels if level is not None]
    code_of: dict[str | None, int] = {level: code for code, level in enumerate(categories)}
    code_of[None] = -1
    codes = np.array([code_of[_text(field)] for field in fields], dtype="int64")
    index = pd.Index(categories, dtype=object)
    return pd.Categorical.from_codes(codes, categories=index, ordered=ordered)


def _nullable(values: list[Any], plain: str, nullable: str) -> Any:
    if None in values:
        return pd.array(values, dtype=nullable)
    return np.array(values, dtype=plain)
