"""A synthesis written for R by the package rdata (1 or later), without R."""

from __future__ import annotations

from dataclasses import dataclass, field
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
    attributes: dict[str, Any] = field(default_factory=dict)


def write(synthesis: SynthesisForR, file: Path, save_as: str) -> None:
    """An object of class synds; as "rda" it is called ``synds``."""
    rdata = imported("rdata", "writer")
    if not hasattr(rdata, "write_rds"):
        raise SynthpopError(f"writer: rdata 1 or later is needed to write: {GET_RDATA}")
    synds = _synds(synthesis, rdata.missing)
    constructors = {_Object: _for_rdata}
    if save_as == "rda":
        rdata.write_rda(file, {"synds": synds}, constructor_dict=constructors)
    else:
        rdata.write_rds(file, synds, constructor_dict=constructors)


def _for_rdata(thing: _Object, converter: Any) -> Any:
    """How rdata makes R's object of ours."""
    from rdata.conversion.to_r import build_r_object
    from rdata.parser import RObjectType

    value, attributes = thing.value, None
    if thing.r_type == "VEC":
        value = [converter.convert_to_r_object(part) for part in value]
    if thing.r_type == "STR":
        value = converter.convert_to_r_object(value).value
    if thing.attributes:
        attributes = converter.convert_to_r_attributes(thing.attributes)
    return build_r_object(
        RObjectType[thing.r_type],
        value=value,
        is_object="class" in thing.attributes,
        attributes=attributes,
    )


def _synds(synthesis: SynthesisForR, missing: Any) -> _Object:
    """The synthesis as an object of class synds, with R's names for its fields."""
    frames = []
    for columns, rows in zip(synthesis.sets, synthesis.rows):
        objects = [_column(column, missing) for column in columns]
        frames.append(_frame(synthesis.names, objects, rows, missing))
    fields = {
        # R keeps a single set without a list
        "syn": frames[0] if len(frames) == 1 else _list(frames),
        "m": _numbers([len(frames)]),
        "cont.na": _special(synthesis, missing),
        "n": _integers([synthesis.n]),
        "k": _integers([synthesis.k]),
    }
    attributes = {"names": _texts(list(fields)), "class": _texts(["synds"])}
    return _list(list(fields.values()), attributes)


def _special(synthesis: SynthesisForR, missing: Any) -> _Object:
    """The special values of each column, NA where it has none."""
    nothing = _Object("LGL", np.array([missing.R_INT_NA]))
    values = []
    for name in synthesis.names:
        special = synthesis.special.get(name)
        values.append(nothing if special is None else _numbers(special))
    return _list(values, {"names": _texts(synthesis.names)})


def _frame(names: list[str], columns: list[_Object], rows: int, missing: Any) -> _Object:
    """Row numbers are kept as R keeps them: NA and minus their count, nothing for no rows."""
    row_names = [missing.R_INT_NA, -rows] if rows else []
    attributes = {
        "names": _texts(names),
        "class": _texts(["data.frame"]),
        "row.names": _integers(row_names),
    }
    return _list(columns, attributes)


def _column(column: ColumnForR, missing: Any) -> _Object:
    if column.kind == "character":
        return _texts(_text_values(column))
    r_type = R_TYPES.get(column.kind, "REAL")
    values: npt.NDArray[Any]
    if r_type == "REAL":
        values = np.where(column.missing, 0.0, column.values).astype(np.float64)
        # R tells its NA from other NaNs by their bits
        values[column.missing] = missing.R_FLOAT_NA
    else:
        # R's missing whole number is the lowest of 32 bits
        with_gaps = np.where(column.missing, missing.R_INT_NA, column.values)
        values = with_gaps.astype(np.int32)
    attributes: dict[str, Any] = {}
    if column.levels is not None:
        attributes["levels"] = _texts(list(column.levels))
    if column.kind in CLASSES:
        attributes["class"] = _texts(CLASSES[column.kind])
    if column.kind == "POSIXct":
        attributes["tzone"] = _texts(["UTC"])
    return _Object(r_type, values, attributes)


def _text_values(column: ColumnForR) -> list[str | None]:
    levels = column.levels or ()
    pairs = zip(column.values.tolist(), column.missing.tolist())
    return [None if gap else levels[code - 1] for code, gap in pairs]


def _list(values: list[_Object], attributes: dict[str, Any] | None = None) -> _Object:
    return _Object("VEC", values, attributes or {})


def _texts(values: list[Any]) -> _Object:
    texts = np.empty(len(values), dtype=object)
    texts[:] = values
    return _Object("STR", texts)


def _integers(values: list[Any]) -> _Object:
    return _Object("INT", np.array(values, dtype=np.int32))


def _numbers(values: list[Any]) -> _Object:
    return _Object("REAL", np.array(values, dtype=np.float64))
