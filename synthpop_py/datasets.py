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
from typing import Any, Literal

import numpy as np
import pandas as pd

from synthpop_py.arguments import check_choice
from synthpop_py.errors import InputError, SynthpopError, nearest
from synthpop_py.synds import SynDS

__all__ = ["info", "load", "load_synthesis", "names"]

MISSING = "\\N"

Kind = Literal["all", "data", "synthesis"]
NOUNS = {"data": "data set", "synthesis": "synthesis"}
# of columns with no missing values, and with some
DTYPES = {
    "logical": ("bool", "boolean"),
    "integer": ("int64", "Int64"),
    "double": ("float64", "float64"),
    "Date": ("datetime64[ns]", "datetime64[ns]"),
}
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
    wanted = check_choice("kind", kind, ("all", *NOUNS))
    return [name for name, entry in _manifest().items() if wanted in ("all", entry["kind"])]


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
    with _damage_named(name):
        return _read_frame(name, _read_json(name))


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
    with _damage_named(name):
        sidecar = _read_json(name)
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
    with _damage_named("manifest"):
        content = _read_json("manifest")
        if not {entry["kind"] for entry in content.values()} <= set(NOUNS):
            raise ValueError("an unknown kind")
        return content


def _entry(name: str, kind: str) -> dict[str, Any]:
    manifest = _manifest()
    choices = [one for one, entry in manifest.items() if kind in ("all", entry["kind"])]
    told = f"choices: {', '.join(choices)}"
    if not isinstance(name, str):
        raise InputError(f"name: {name!r} is not a text; {told}")
    if name in choices:
        return manifest[name]
    if name in manifest:
        noun = NOUNS[manifest[name]["kind"]]
        other = "load_synthesis" if kind == "data" else "load"
        raise InputError(f"name: {name!r} is a {noun}; use {other}({name!r})")
    near = nearest(name, choices)
    hint = f"did you mean {near!r}? " if near is not None else ""
    noun = NOUNS.get(kind, "data set or synthesis")
    raise InputError(f"name: {name!r} is not a {noun}; {hint}{told}")


def _read_json(name: str) -> dict[str, Any]:
    text = _folder().joinpath(f"{name}.json").read_text(encoding="utf-8")
    content: dict[str, Any] = json.loads(text)
    return content


def _read_frame(file: str, sidecar: dict[str, Any]) -> pd.DataFrame:
    packed = _folder().joinpath(f"{file}.csv.gz").read_bytes()
    text = gzip.decompress(packed).decode("utf-8")
    header, *rows = csv.reader(io.StringIO(text, newline=""))
    specs = sidecar["columns"]
    if header != [spec["name"] for spec in specs] or len(rows) != sidecar["rows"]:
        raise SynthpopError(f"{file}.csv.gz does not match its sidecar {sidecar['name']}.json")
    fields = zip(*rows) if rows else ((),) * len(specs)
    return pd.DataFrame({spec["name"]: _column(of, spec) for spec, of in zip(specs, fields)})


def _column(fields: tuple[str, ...], spec: dict[str, Any]) -> Any:
    kind = spec["type"]
    numbers: dict[str, Callable[[str], Any]] = {"integer": int, "double": float, "Date": str}
    read = {"logical": "TRUE".__eq__, **numbers}.get(kind, _unescaped)
    codes, texts = pd.factorize(np.array(fields, dtype=object))
    values = [None if text == MISSING else read(text) for text in texts]
    if kind in ("factor", "ordered"):
        # pandas has no category for missing: R's explicit NA level becomes an ordinary missing one
        levels = pd.Index([level for level in spec["levels"] if level is not None], dtype=object)
        places = np.array([-1 if text is None else levels.get_loc(text) for text in values], int)
        return pd.Categorical.from_codes(places[codes], levels, ordered=kind == "ordered")
    if kind == "character":
        return pd.Series(np.array(values, dtype=object)[codes], dtype=object)
    plain, nullable = DTYPES[kind]
    if None in values and nullable != plain:
        return pd.array(values, dtype=nullable).take(codes)
    return np.array(values, dtype=plain)[codes]


def _unescaped(field: str) -> str:
    return field[1:] if field.startswith("\\") else field
