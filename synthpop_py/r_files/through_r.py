"""R's files through R itself: rpy2, or else the program Rscript; R's side is r_side.R."""

from __future__ import annotations

import errno
import gzip
import json
import math
import shutil
import subprocess
import tempfile
import zlib
from collections.abc import Callable
from importlib.resources import as_file, files
from pathlib import Path
from typing import Any

from synthpop_py.errors import InputError, SynthpopError

from .descriptions import (
    FACTORS,
    KINDS,
    NO_NUMBERS,
    Numbers,
    RFrame,
    RList,
    ROther,
    RSynDS,
    RValue,
    RVector,
    numbers,
)
from .for_r import ColumnForR, SynthesisForR
from .packages import GET_R, is_installed
from .unpacking import PIECE

NOT_FINITE = {None: math.nan, "NaN": math.nan, "Inf": math.inf, "-Inf": -math.inf}
RUN = (
    "function(script, name, ...) { side <- new.env(); sys.source(script, side); side[[name]](...);"
    " '' }"
)


class RUnusable(SynthpopError):
    """R is not installed, or cannot be used."""


def has_r() -> bool:
    """Whether R may be available; only a call shows."""
    return is_installed("rpy2") or shutil.which("Rscript") is not None


def describe(file: Path) -> dict[str, RValue]:
    """Everything in the file by name; a single object without a name under the file's stem."""
    with tempfile.TemporaryDirectory() as folder:
        answer = _ask_r("describe_saved", str(file.absolute()), folder=folder)
    if "problem" in answer:
        raise InputError(f"path: R cannot read {file.name}: {answer.get('message')}")
    names = answer.get("names", [file.stem])
    return dict(zip(names, map(_value, answer["values"])))


def write(synthesis: SynthesisForR, file: Path, save_as: str) -> None:
    """An object of class synds; as "rda" it is called ``synds``."""
    text = "\n".join(_request_lines(synthesis, save_as))
    with tempfile.TemporaryDirectory() as folder:
        request = Path(folder, "request.json")
        request.write_text(f"{text}\n", encoding="ascii")
        answer = _ask_r("write_saved", str(request), str(file.absolute()), folder=folder)
    if "problem" in answer:
        raise OSError(errno.EIO, f"R says: {answer.get('message')}")
    _check_whole(file)


def _check_whole(file: Path) -> None:
    """R says nothing where the last bytes of a file do not fit on a full disk."""
    try:
        with gzip.open(file) as content:
            while content.read(PIECE):
                pass
    except (OSError, EOFError, zlib.error):
        raise OSError(errno.ENOSPC, "R wrote a part of it; the disk may be full") from None
    if file.stat().st_size == 0:
        raise OSError(errno.ENOSPC, "R wrote nothing; the disk may be full")


def _ask_r(function: str, *arguments: str, folder: str) -> dict[str, Any]:
    """Call a function of r_side.R; it leaves its answer as JSON in a file."""
    out = Path(folder, "answer.json")
    r_side = files("synthpop_py.r_files").joinpath("r_side.R")
    with as_file(r_side) as script:
        run = _r_in_process() or _rscript()
        if run is None:
            raise RUnusable(f"R is not available: {GET_R}")
        run(str(script), function, *arguments, str(out))
    # an R that died leaves none
    if not out.is_file():
        raise RUnusable(f"R gave no answer: {GET_R}")
    try:
        answer: dict[str, Any] = json.loads(out.read_text(encoding="utf-8"))
    except (ValueError, RecursionError) as error:
        raise InputError(f"path: R's answer about the file cannot be read: {error}") from None
    if answer.get("problem") == "jsonlite":
        raise RUnusable(
            'R is installed, but its package jsonlite is not: run install.packages("jsonlite") in R'
        )
    return answer


def _r_in_process() -> Callable[..., Any] | None:
    """R's function in this process, which saves the start of R at every call."""
    if not is_installed("rpy2"):
        return None
    try:
        from rpy2.robjects import r

        function: Callable[..., Any] = r(RUN)
        return function
    except Exception:  # rpy2 raises many kinds when R is absent or built differently
        return None


def _rscript() -> Callable[..., Any] | None:
    """The same function in a process of its own."""
    program = shutil.which("Rscript")
    if program is None:
        return None
    command = [program, "-e", f"invisible(do.call({RUN}, as.list(commandArgs(TRUE))))"]

    def run(*texts: str) -> None:
        subprocess.run([*command, *texts], capture_output=True, check=False)

    return run


def _value(spec: dict[str, Any]) -> RValue:
    """An object by what R says of it."""
    kind = spec["type"]
    if kind == "NULL":
        return None
    if kind == "synds":
        special = {name: _numbers(values).tolist() for name, values in spec["cont_na"].items()}
        sets = [_value(part) for part in spec["sets"]]
        return RSynDS(sets, special, spec["meta"])
    if kind == "frame":
        columns = [(_column_name(column["name"]), _vector(column)) for column in spec["columns"]]
        return RFrame(spec["rows"], columns)
    if kind == "list":
        values = [_value(part) for part in spec["values"]]
        return RList(values, spec.get("names"))
    if kind == "other":
        return ROther(spec["class"])
    return _vector(spec)


def _column_name(name: str | None) -> str:
    return "NA" if name is None else name


def _vector(spec: dict[str, Any]) -> RVector | ROther:
    kind = spec["type"]
    if kind not in KINDS:
        return ROther(kind)
    names, dim = spec.get("names"), spec.get("dim")
    if dim is not None:
        dim = tuple(int(size) for size in dim)
    if kind == "character":
        # R sends each distinct text once
        levels = spec["levels"]
        texts = [None if code is None else levels[code - 1] for code in spec["codes"]]
        return RVector(kind, NO_NUMBERS, texts, names, dim)
    if kind in FACTORS:
        return RVector(kind, _numbers(spec["codes"]), spec["levels"], names, dim)
    return RVector(kind, _numbers(spec["values"]), [], names, dim)


def _numbers(values: list[Any]) -> Numbers:
    """Numbers from JSON, which has no word for those that are not finite."""
    return numbers([NOT_FINITE.get(value, value) for value in values])


def _request_lines(synthesis: SynthesisForR, save_as: str) -> list[str]:
    """One line about the synthesis, then two for each column of each set: what it is, and its
    numbers.
    """
    special = [{"column": name, "values": values} for name, values in synthesis.special.items()]
    about = {
        "as": save_as,
        "m": len(synthesis.sets),
        "columns": len(synthesis.names),
        "rows": synthesis.rows,
        "special": special,
        "n": synthesis.n,
        "k": synthesis.k,
    }
    lines = [json.dumps(about)]
    for columns in synthesis.sets:
        for name, column in zip(synthesis.names, columns):
            spec: dict[str, Any] = {"name": name, "type": column.kind}
            if column.levels is not None:
                spec["levels"] = list(column.levels)
            lines += [json.dumps(spec), _json_numbers(column)]
    return lines


def _json_numbers(column: ColumnForR) -> str:
    """A JSON array; Python writes the shortest digits that give the same double back."""
    pairs = zip(column.values.tolist(), column.missing.tolist())
    return json.dumps([None if gap else _json_number(value) for value, gap in pairs])


def _json_number(value: float) -> float | str:
    if math.isfinite(value):
        return value
    return "Inf" if value > 0 else "-Inf"
