"""R's files through the package rdata (1 or later): pure Python, any object, no R.

Only its parser is used, which gives R's objects as they stand in the file; nothing in a file is
ever run. Its own conversion to pandas loses ordered flags.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from synthpop_py.errors import InputError

from .bounded_parser import UnknownParser, parsed
from .descriptions import (
    FACTORS,
    NO_NUMBERS,
    Numbers,
    RFrame,
    RList,
    ROther,
    RSynDS,
    RValue,
    RVector,
    Texts,
    numbers,
)
from .packages import imported
from .unpacking import unpacked

RObject: TypeAlias = Any  # the class of this name in rdata.parser

WORKSPACES = (b"RDX2\n", b"RDX3\n", b"RDA2\n", b"RDA3\n", b"RDB2\n", b"RDB3\n")
WORKSPACE_MARK = len(WORKSPACES[0])
# codecs of Python that are no encodings of R, of which some take long for long texts
NOT_OF_R = ("idna", "punycode", "unicode_escape", "raw_unicode_escape", "utf_7", "undefined")
NO_TYPE = "is not a valid RObjectType"  # as rdata's list of R's types says
TOO_DEEP = "its lists are nested too deeply, or it holds more than some hundred objects"
R_MAY = (
    'R may be able to (reader="r", trusted=True), but R can run code that a file hides: only'
    " if you trust its maker"
)
VECTOR_KINDS = {"LGL": "logical", "INT": "integer", "REAL": "double", "STR": "character"}
FOREIGN = ("difftime", "POSIXlt", "integer64")
LIST_LIKE = ("LIST", "LANG")
CLASSES = {
    "LGL": "logical",
    "INT": "integer",
    "REAL": "numeric",
    "STR": "character",
    "CPLX": "complex",
    "RAW": "raw",
    "VEC": "list",
    "EXPR": "expression",
    "LIST": "pairlist",
    "LANG": "call",
    "SYM": "name",
    "CLO": "function",
    "SPECIAL": "function",
    "BUILTIN": "function",
    "ENV": "environment",
    "GLOBALENV": "environment",
    "BASEENV": "environment",
    "EMPTYENV": "environment",
    "NAMESPACE": "environment",
    "EXTPTR": "externalptr",
}
S4_FLAG, LATIN1_FLAG, UTF8_FLAG = 1 << 4, 1 << 2, 1 << 3


def describe(file: Path, max_bytes: int) -> dict[str, RValue]:
    """Everything in the file by name; a single object without a name under the file's stem."""
    rdata = imported("rdata", "reader")
    try:
        content = unpacked(file, max_bytes)
        is_workspace = content.startswith(WORKSPACES)
        whole = parsed(rdata, content[WORKSPACE_MARK:] if is_workspace else content, max_bytes)
        look = Look(_encoding(whole.extra.encoding))
        objects = look.pairs(whole.object) if is_workspace else [(file.stem, whole.object)]
        return {name: look.value(part) for name, part in objects}
    except (MemoryError, UnknownParser):  # not the file's fault: its claims are limited
        raise
    except Exception as error:  # a damaged file can make the parser raise anything
        raise InputError(f"path: rdata cannot read {file.name}: {_reason(error)}") from None


def _reason(error: Exception) -> str:
    """Why a file cannot be read, and what else could read it."""
    if isinstance(error, InputError):
        return str(error)
    if isinstance(error, RecursionError):
        return f"{TOO_DEEP}; {R_MAY}"
    if isinstance(error, (NotImplementedError, LookupError)) or NO_TYPE in str(error):
        return f"it is damaged, or holds something unknown to rdata, such as a promise; {R_MAY}"
    if isinstance(error, OSError) and error.strerror:
        return error.strerror
    return "it is damaged, or not an R file"


def _encoding(name: str | None) -> str:
    """The encoding of unmarked texts, by the name that R wrote down."""
    if name is None:
        return "utf-8"
    if name.lower().replace("-", "_") in NOT_OF_R:
        raise InputError(f"it claims the encoding {name!r:.40}, which R does not use")
    return name


@dataclass(frozen=True, slots=True)
class Look:
    """What the objects of a file are; `encoding` is that of unmarked texts."""

    encoding: str

    def value(self, thing: RObject) -> RValue:
        """One object of the file."""
        thing = _referred(thing)
        if thing.info.type.name in ("NIL", "NILVALUE"):
            return None
        if thing.info.type.name == "PROM":  # code that R would run to have a value
            return ROther("promise, which is code; force it in R before you save it")
        about = self.attributes(thing)
        classes = self.texts_of(about, "class") or []
        # objects of S4 can look like lists, but their parts mean something else
        is_list = thing.info.type.name == "VEC" and not _is_s4(thing)
        if is_list and "synds" in classes:
            return self.synds(self.named_parts(thing, about))
        if is_list and "data.frame" in classes:
            return self.frame(thing, about)
        if is_list and "dim" not in about and not _foreign_classes(classes):
            values = [self.value(part) for part in thing.value]
            return RList(values, self.texts_of(about, "names"))
        kind = self.kind(thing, classes)
        if kind is None:
            return ROther(self.class_of(thing, about, classes))
        return self.vector(thing, kind, about)

    def kind(self, thing: RObject, classes: Texts) -> str | None:
        """The kind of a vector, None of anything else."""
        name = thing.info.type.name
        if name not in VECTOR_KINDS or _is_s4(thing) or _foreign_classes(classes):
            return None
        if "factor" in classes:
            return "ordered" if "ordered" in classes else "factor"
        for kind in ("Date", "POSIXct"):
            if kind in classes:
                return kind
        return VECTOR_KINDS[name]

    def vector(self, thing: RObject, kind: str, about: dict[str, RObject]) -> RVector:
        """A vector with its names and dimensions."""
        names = self.texts_of(about, "names")
        dim = _dimensions(about)
        if dim is not None and len(dim) == 1:
            names = self.names_of_one_dimension(about, names)
            dim = None
        if kind == "character":
            return RVector(kind, NO_NUMBERS, self.texts(thing), names, dim)
        levels = self.texts(about["levels"]) if kind in FACTORS else []
        return RVector(kind, _numbers(thing), levels, names, dim)

    def names_of_one_dimension(
        self, about: dict[str, RObject], names: Texts | None
    ) -> Texts | None:
        """The names of the only dimension, which R takes for those of the elements."""
        parts = about["dimnames"].value if "dimnames" in about else []
        if parts and parts[0].info.type.name == "STR":
            return self.texts(parts[0])
        return names

    def frame(self, thing: RObject, about: dict[str, RObject]) -> RFrame:
        """A data frame; R counts its rows by the row names."""
        names = self.texts_of(about, "names") or []
        parts = thing.value
        if len(names) != len(parts):
            raise ValueError(f"a data frame has {len(parts)} columns and {len(names)} names")
        columns = []
        for name, part in zip(names, parts):
            column = self.column(_referred(part))
            columns.append(("NA" if name is None else name, column))
        return RFrame(_rows(about["row.names"]), columns)

    def column(self, thing: RObject) -> RVector | ROther:
        """A column of a data frame."""
        about = self.attributes(thing)
        classes = self.texts_of(about, "class") or []
        is_matrix = "dim" in about and len(about["dim"].value) > 1
        if is_matrix or "data.frame" in classes:
            return ROther("matrix")
        kind = self.kind(thing, classes)
        if kind is not None:
            return self.vector(thing, kind, about)
        foreign = _foreign_classes(classes)
        if foreign:
            return ROther(foreign[0])
        return ROther(self.class_of(thing, about, []))

    def synds(self, parts: dict[str, RObject]) -> RSynDS:
        """An object of class synds by its fields."""
        syn = self.value(parts["syn"]) if "syn" in parts else None
        sets: list[RValue] = []
        if isinstance(syn, RFrame):  # R keeps a single set without a list
            sets = [syn]
        elif isinstance(syn, RList):
            sets = syn.values
        special = self.special_values(parts["cont.na"]) if "cont.na" in parts else {}
        return RSynDS(sets, special, self.meta(parts))

    def meta(self, parts: dict[str, RObject]) -> dict[str, float]:
        """The fields of a synds that are single numbers."""
        fields: dict[str, float] = {}
        for field in ("n", "k"):
            values = self.plain_numbers(parts[field]) if field in parts else []
            if len(values) == 1 and np.isfinite(values[0]):
                fields[field] = values[0]
        return fields

    def special_values(self, thing: RObject) -> dict[str, list[float]]:
        """Of a stratified synthesis, which has a matrix with a row per stratum, the first row's:
        R's ``disclosure()`` goes by it.
        """
        if thing.info.type.name != "VEC":
            return {}
        about = self.attributes(thing)
        if "dim" in about:
            rows = int(about["dim"].value[0])
            names = self.texts(about["dimnames"].value[1])
            parts = {str(name): part for name, part in zip(names, thing.value[::rows])}
        else:
            parts = self.named_parts(thing, about)
        special: dict[str, list[float]] = {}
        for name, part in parts.items():
            values = self.plain_numbers(part)
            if values:
                special[name] = list(dict.fromkeys(values))
        return special

    def plain_numbers(self, thing: RObject) -> list[float]:
        """The numbers in a vector without NA; R's lone NA is a truth value."""
        about = self.attributes(thing)
        classes = self.texts_of(about, "class") or []
        if self.kind(thing, classes) not in ("integer", "double"):
            return []
        values = _numbers(thing)
        plain: list[float] = values[~np.isnan(values)].tolist()
        return plain

    def named_parts(self, thing: RObject, about: dict[str, RObject]) -> dict[str, RObject]:
        """The elements of a list that have names."""
        names = self.texts_of(about, "names") or []
        return {name: _referred(part) for name, part in zip(names, thing.value) if name}

    def class_of(self, thing: RObject, about: dict[str, RObject], classes: Texts) -> str:
        """What R's ``class()`` says first."""
        if classes:
            return str(classes[0])
        if "dim" in about:
            return "matrix" if len(about["dim"].value) == 2 else "array"
        name: str = thing.info.type.name
        return CLASSES.get(name, name)

    def attributes(self, thing: RObject) -> dict[str, RObject]:
        """The attributes by name."""
        if thing.attributes is None:
            return {}
        return {name: _referred(part) for name, part in self.pairs(thing.attributes)}

    def pairs(self, node: RObject) -> list[tuple[str, RObject]]:
        """The elements of a pairlist with their names."""
        elements = []
        while node.info.type.name in LIST_LIKE:
            tag = _referred(node.tag)
            name = self.text(_referred(tag.value))
            element, node = node.value
            elements.append((str(name), element))
        return elements

    def texts_of(self, about: dict[str, RObject], attribute: str) -> Texts | None:
        """The texts of an attribute; None where there is no such attribute."""
        if attribute not in about:
            return None
        return self.texts(about[attribute])

    def texts(self, thing: RObject) -> Texts:
        """The elements of a vector of texts."""
        if thing.info.type.name != "STR":
            raise ValueError("something other than text where text belongs")
        return [self.text(part) for part in thing.value]

    def text(self, thing: RObject) -> str | None:
        """A text, None for NA."""
        if thing.value is None:
            return None
        content: bytes = thing.value
        if thing.info.gp & UTF8_FLAG:
            return content.decode("utf-8")
        if not thing.info.gp & LATIN1_FLAG:
            return content.decode(self.encoding)
        try:
            return content.decode("cp1252")  # what R takes for latin1
        except UnicodeDecodeError:
            return content.decode("latin-1")


def _referred(thing: RObject) -> RObject:
    """The object itself where the file refers to one it had before."""
    while thing.info.type.name == "REF":
        thing = thing.referenced_object
    return thing


def _is_s4(thing: RObject) -> bool:
    return bool(thing.info.gp & S4_FLAG)


def _foreign_classes(classes: Texts) -> list[str]:
    """Those classes of an object that have no counterpart, whatever it is made of."""
    return [name for name in classes if name in FOREIGN]


def _dimensions(about: dict[str, RObject]) -> tuple[int, ...] | None:
    if "dim" not in about:
        return None
    return tuple(int(size) for size in _numbers(about["dim"]))


def _numbers(thing: RObject) -> Numbers:
    if thing.info.type.name not in ("LGL", "INT", "REAL"):
        raise ValueError("something other than numbers where numbers belong")
    with_gaps = np.ma.asarray(thing.value).astype(np.float64)
    values = numbers(np.ma.filled(with_gaps, np.nan))
    values[np.isnan(values)] = np.nan  # R's NA is a NaN that makes NumPy warn
    return values


def _rows(row_names: RObject) -> int:
    """R keeps plain row numbers as NA and their count, with a minus where they are its own."""
    if row_names.info.type.name == "STR":
        return len(row_names.value)
    values = _numbers(row_names)
    if len(values) == 2 and np.isnan(values[0]):
        return abs(int(values[1]))
    return len(values)
