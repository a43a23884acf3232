"""The data sets that come with the package, and syntheses of them recorded from R's ``syn()``."""

from __future__ import annotations

import csv
import gzip
import io
import json
from collections.abc import Callable, Sequence
from importlib.resources import files
from operator import methodcaller
from pathlib import Path
from typing import Any, Literal, get_args

import numpy as np
import pandas as pd

from synthpop_py.arguments import check_choice
from synthpop_py.errors import SynthpopError
from synthpop_py.synds import SynDS

__all__ = ["info", "load", "load_synthesis", "names"]

MISSING = "\\N"

Kind = Literal["all", "data", "synthesis"]
READERS: dict[str, Callable[[str], Any]] = {
    "logical": "TRUE".__eq__,
    "integer": int,
    "double": float,
    "Date": str,
}
# of columns with no missing values, and with some
DTYPES = {
    "logical": ("bool", "boolean"),
    "integer": ("int64", "Int64"),
    "double": ("float64", "float64"),
    "Date": ("datetime64[ns]", "datetime64[ns]"),
}


def names(kind: Kind = "all") -> list[str]:
    """Names of the data sets and syntheses: of all, of what `load` takes ("data"), or of what
    `load_synthesis` takes ("synthesis").

    Examples
    --------
    >>> names("data")
    ['Adult', 'SD2011', 'SD2011_grouped', 'syc']
    """
    wanted = check_choice("kind", kind, get_args(Kind))
    entries = _read_json("manifest").items()
    return [name for name, entry in entries if wanted in ("all", entry["kind"])]


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
    """Load one of the data sets, such as "SD2011", "Adult" or "syc", as a new data frame.

    R's factors are categorical with R's level order and ordered flag, text is ``object`` with None
    for missing, integers are ``int64`` (``Int64`` where some are missing), doubles ``float64``,
    logicals ``bool`` (``boolean`` where some are missing) and dates ``datetime64[ns]``.

    Examples
    --------
    >>> load("SD2011").shape
    (5000, 35)
    """
    _entry(name, "data")
    return _read_frame(name, _read_json(name))


def load_synthesis(name: str) -> SynDS:
    """Load a recorded synthesis, such as "SD2011_s1"; its ``meta`` is the manifest's entry.

    Examples
    --------
    >>> load_synthesis("SD2011_s1")
    SynDS(m=1, 5000 rows, 9 columns, cont_na: income)
    """
    entry, sidecar = _entry(name, "synthesis"), _read_json(name)
    m = sidecar["m"]
    files = [name] if m == 1 else [f"{name}.{number}" for number in range(1, m + 1)]
    frames = [_read_frame(file, sidecar) for file in files]
    return SynDS(frames, sidecar["cont_na"], entry)


def _folder() -> Any:
    """The data inside the installed package or, in a checkout, ``fixtures/data``."""
    checkout = Path(__file__).resolve().parent.parent / "fixtures" / "data"
    for folder in (files("synthpop_py").joinpath("_data"), checkout):
        if folder.joinpath("manifest.json").is_file():
            return folder
    raise SynthpopError(f"the data files are neither in the package nor in {checkout}")


def _entry(name: str, kind: Kind) -> dict[str, Any]:
    """What the manifest says of a data set or synthesis."""
    check_choice("name", name, names(kind))
    entry: dict[str, Any] = _read_json("manifest")[name]
    return entry


def _read_json(name: str) -> dict[str, Any]:
    text = _folder().joinpath(f"{name}.json").read_text(encoding="utf-8")
    content: dict[str, Any] = json.loads(text)
    return content


def _read_frame(file: str, sidecar: dict[str, Any]) -> pd.DataFrame:
    packed = _folder().joinpath(f"{file}.csv.gz").read_bytes()
    text = gzip.decompress(packed).decode("utf-8")
    header, *rows = csv.reader(io.StringIO(text, newline=""))
    specs = {spec["name"]: spec for spec in sidecar["columns"]}
    if header != list(specs) or len(rows) != sidecar["rows"]:
        raise SynthpopError(f"{file}.csv.gz does not match its sidecar {sidecar['name']}.json")
    columns = {}
    for name, fields in zip(header, zip(*rows)):
        columns[name] = _column(fields, specs[name])
    return pd.DataFrame(columns)


def _column(fields: Sequence[str], spec: dict[str, Any]) -> Any:
    kind = spec["type"]
    read = READERS.get(kind, methodcaller("removeprefix", "\\"))
    codes, texts = pd.factorize(np.array(fields, dtype=object))
    values = [None if text == MISSING else read(text) for text in texts]
    if kind in ("factor", "ordered"):
        # pandas has no category for missing: R's explicit NA level becomes an ordinary missing one
        levels = pd.Index([level for level in spec["levels"] if level is not None], dtype=object)
        places = levels.get_indexer(pd.Index(values, dtype=object))
        return pd.Categorical.from_codes(places[codes], levels, ordered=kind == "ordered")
    if kind == "character":
        return pd.Series(np.array(values, dtype=object)[codes], dtype=object)
    plain, nullable = DTYPES[kind]
    if None in values and nullable != plain:
        return pd.array(values, dtype=nullable).take(codes)
    return np.array(values, dtype=plain)[codes]
