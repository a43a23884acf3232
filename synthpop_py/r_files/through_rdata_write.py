"""A synthesis written for R by the package rdata (1 or later), without R."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from synthpop_py.errors import SynthpopError

from .for_r import ColumnForR, SynthesisForR
from .packages import GET_RDATA, imported

R_TYPES = {"logical": "LGL", "integer": "INT", "factor": "INT", "ordered": "INT"}
CLASSES = {
    "factor": ["factor"],
    "ordered": ["ordered", "factor"],
    "Date": ["Date"],
    "POSIXct": ["POSIXct", "POSIXt"],
}


@dataclass(frozen=True, slots=True)
class _Object:
    """An object of R: its type as rdata calls it, value and attributes."""

    r_type: str
    value: Any
    attributes: dict[str, Any]


def write(synthesis: SynthesisForR, file: Path, save_as: str) -> None:
    """An object of class synds; as "rda" it is called ``synds``."""
    rdata = imported("rdata", "writer")
    if not hasattr(rdata, "write_rds"):
        raise SynthpopError(f"writer: rdata 1 or later is needed to write: {GET_RDATA}")
    made = _synds(synthesis, rdata.missing)
    try:
        if save_as == "rda":
            rdata.write_rda(file, {"synds": made}, constructor_dict={_Object: _for_rdata})
        else:
            rdata.write_rds(file, made, constructor_dict={_Object: _for_rdata})
    except OSError as error:
        raise SynthpopError(f"path: {str(file)!r} cannot be written: {error}") from None


def _for_rdata(thing: _Object, converter: Any) -> Any:
    """How rdata makes R's object of ours."""
    from rdata.conversion.to_r import build_r_object
    from rdata.parser import RObjectType

    value = thing.value
    if thing.r_type == "VEC":
        value = [converter.convert_to_r_object(part) for part in value]
    if thing.r_type == "STR":
        value = converter.convert_to_r_object(value).value
    return build_r_object(
        RObjectType[thing.r_type],
        value=value,
        is_object="class" in thing.attributes,
        attributes=(
            converter.convert_to_r_attributes(thing.attributes) if thing.attributes else None
        ),
    )


def _synds(synthesis: SynthesisForR, missing: Any) -> _Object:
    names = _texts(synthesis.names)
    frames = [
        _frame(names, [_column(c, missing) for c in columns], rows, missing)
        for columns, rows in zip(synthesis.sets, synthesis.rows)
    ]
    nothing = _Object("LGL", np.array([missing.R_INT_NA]), {})
    special = [
        _numbers(synthesis.special[name]) if name in synthesis.special else nothing
        for name in synthesis.names
    ]
    fields = {
        "syn": frames[0] if len(frames) == 1 else _Object("VEC", frames, {}),
        "m": _numbers([len(frames)]),
        "cont.na": _Object("VEC", special, {"names": names}),
        "n": _Object("INT", np.array([synthesis.n], dtype=np.int32), {}),
        "k": _Object("INT", np.array([synthesis.k], dtype=np.int32), {}),
    }
    return _Object(
        "VEC", list(fields.values()), {"names": _texts(list(fields)), "class": _texts(["synds"])}
    )


def _frame(names: _Object, columns: list[_Object], rows: int, missing: Any) -> _Object:
    """Row numbers are kept as R keeps them: NA and minus their count, nothing for no rows."""
    row_names = np.array([missing.R_INT_NA, -rows] if rows else [], dtype=np.int32)
    return _Object(
        "VEC",
        columns,
        {
            "names": names,
            "class": _texts(["data.frame"]),
            "row.names": _Object("INT", row_names, {}),
        },
    )


def _column(column: ColumnForR, missing: Any) -> _Object:
    if column.kind == "character":
        return _texts(_picked(column))
    r_type = R_TYPES.get(column.kind, "REAL")
    values: npt.NDArray[Any]
    if r_type == "REAL":
        values = np.where(column.missing, 0.0, column.values).astype(np.float64)
        values[column.missing] = missing.R_FLOAT_NA
    else:
        values = np.where(column.missing, missing.R_INT_NA, column.values).astype(np.int32)
    attributes: dict[str, Any] = {}
    if column.levels is not None:
        attributes["levels"] = _texts(list(column.levels))
    if column.kind in CLASSES:
        attributes["class"] = _texts(CLASSES[column.kind])
    if column.kind == "POSIXct":
        attributes["tzone"] = _texts(["UTC"])
    return _Object(r_type, values, attributes)


def _picked(column: ColumnForR) -> list[str | None]:
    levels = column.levels or ()
    return [
        None if gap else levels[place - 1]
        for place, gap in zip(column.values.tolist(), column.missing.tolist())
    ]


def _texts(values: list[Any]) -> _Object:
    texts = np.empty(len(values), dtype=object)
    texts[:] = values
    return _Object("STR", texts, {})


def _numbers(values: list[Any]) -> _Object:
    return _Object("REAL", np.array(values, dtype=np.float64), {})
