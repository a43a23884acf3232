"""The bytes of a file of R, unpacked, and the objects in them, by the parsers of rdata, made to
distrust every size that a file claims.

A few kilobytes can unpack to gigabytes, so everything is unpacked in small steps. Sizes stand
before what they count: a damaged or hostile file can claim gigabytes in a few bytes, and what is
short in a file can be long in memory. So every size is checked against the size of the file, and
everything read or made is charged to a budget.
"""

from __future__ import annotations

import bz2
import importlib
import lzma
import math
import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import InputError, SynthpopError

PIECE = 1 << 20
# what xz itself needs at its highest level is 65 MiB; a file can claim up to 4 GiB
XZ_MEMORY = 1 << 28

UNPACKERS: dict[bytes, Callable[[], Any]] = {
    b"\x1f\x8b": lambda: zlib.decompressobj(wbits=31),
    b"BZh": bz2.BZ2Decompressor,
    b"\xfd7zXZ\x00": lambda: lzma.LZMADecompressor(lzma.FORMAT_XZ, memlimit=XZ_MEMORY),
}

PER_OBJECT = 256  # what rdata keeps of NULL, the smallest of R's objects: measured
PER_VALUE = 16  # a number, once as it is in the file and once as a double
PER_TEXT = 2 * PER_OBJECT  # a text has a size besides

STEPS = ("_parse_array_values", "parse_string", "_parse_bytecode", "parse_int", "parse_all")
GET_KNOWN = "reading without R needs a version known here: `pip install 'rdata>=1.1,<1.2'`"

PARSERS = {
    b"X\n": ("_xdr", "ParserXDR"),
    b"A\n": ("_ascii", "ParserASCII"),
    b"A\r\n": ("_ascii", "ParserASCII"),
    b"B\n": ("_binary", "ParserBinary"),
}


def too_large(most: int) -> InputError:
    return InputError(
        f"it asks for more than {most:,} bytes of memory, as damaged files and traps do; if you"
        " expect it to be that large, give a larger max_bytes"
    )


def unpacked(file: Path, most: int) -> bytes:
    """What the file holds, unpacked where it is packed."""
    if file.stat().st_size > most:
        raise too_large(most)
    content = file.read_bytes()
    packed_as = [first for first in UNPACKERS if content.startswith(first)]
    if not packed_as:
        return content
    (first,) = packed_as
    whole, place = bytearray(), 0
    # a packed file can be several, one after the other
    while content.startswith(first, place):
        place = _unpack_one(content, place, UNPACKERS[first](), whole, most)
    if content[place:].strip(b"\0"):  # zeros fill a block of a tape or disk
        raise InputError("it continues after its end")
    return bytes(whole)


def _unpack_one(content: bytes, place: int, unpacking: Any, whole: bytearray, most: int) -> int:
    """Adds what was packed from `place` on to `whole`, and says where it ends in `content`."""
    packed = b""
    while not unpacking.eof:
        # zlib gives back what it did not use yet, the others keep it and say so
        if not packed and getattr(unpacking, "needs_input", True):
            packed = content[place : place + PIECE]
            place += len(packed)
        piece: bytes = unpacking.decompress(packed, PIECE)
        packed = getattr(unpacking, "unconsumed_tail", b"")
        whole += piece
        if len(whole) > most:
            raise too_large(most)
        if not piece and not packed and not unpacking.eof and place == len(content):
            raise InputError("it ends too early")
    return place - len(unpacking.unused_data)


# ---- objects -------------------------------------------------------------------------


class UnknownParser(SynthpopError):
    """A version of rdata that is built differently."""


@dataclass(slots=True)
class Budget:
    """Bytes of memory that are left of `most`."""

    most: int
    left: int

    def take(self, amount: int) -> None:
        if amount > self.left:
            raise too_large(self.most)
        self.left -= amount


class Bounded:
    """Put before a parser of rdata, whose `file` and steps it uses."""

    file: Any
    budget: Budget
    size: int

    def _parse_array_values(self, dtype: Any, length: int) -> Any:
        """Every object begins with a number, so this counts objects too."""
        self._check(length)
        self.budget.take(PER_OBJECT + PER_VALUE * length)
        values = super()._parse_array_values(dtype, length)  # type: ignore[misc]
        if len(values) != length:
            raise InputError("it ends too early")
        return values

    def parse_string(self, length: int) -> bytes:
        self._check(length)
        self.budget.take(length)
        content: bytes = super().parse_string(length)  # type: ignore[misc]
        if len(content) != length:
            raise InputError("it ends too early")
        return content

    def _parse_bytecode(self, references: Any, repeated: Any = None) -> Any:
        """Functions that R compiled begin with the length of a list that is made at once."""
        if repeated is None:
            place = self.file.tell()
            length = self.parse_int()  # type: ignore[attr-defined]
            self.file.seek(place)
            self._check(length)
            self.budget.take(PER_VALUE * length)
        return super()._parse_bytecode(references, repeated)  # type: ignore[misc]

    def _check(self, length: int) -> None:
        """Check that nothing is longer than the file it is in."""
        if not 0 <= length <= self.size:
            raise InputError(f"it claims a length of {length}, which is impossible")


def parsed(rdata: Any, content: bytes, most: int) -> Any:
    """The object in a file, whose first bytes say how it is written."""
    budget = Budget(most, left=most)
    for first, (module, name) in PARSERS.items():
        if content.startswith(first):
            parser = _parser(rdata, module, name)(
                memoryview(content)[len(first) :],
                expand_altrep=True,
                altrep_constructor_dict=_constructors(rdata, budget),
            )
            parser.budget, parser.size = budget, len(content)
            found = parser.parse_all()
            if parser.file.read(1):
                raise InputError("it continues after its end")
            return found
    raise InputError("it is not an R file")


def _parser(rdata: Any, module: str, name: str) -> Any:
    """One of rdata's parsers, made cautious. They are not among its public names."""
    try:
        inside = importlib.import_module(f"{rdata.parser.__name__}.{module}")
        parser = getattr(inside, name)
    except (ImportError, AttributeError):
        raise UnknownParser(f"rdata has no {name}; {GET_KNOWN}") from None
    for step in STEPS:
        # a missing step cannot be limited
        if not hasattr(parser, step):
            raise UnknownParser(f"the {name} of rdata has no {step}; {GET_KNOWN}")
    return type(name, (Bounded, parser), {})


# ---- vectors that R keeps as their rule ----------------------------------------------


def _constructors(rdata: Any, budget: Budget) -> Mapping[bytes, Callable[[Any], Any]]:
    """R can write 1:1000000000 as three numbers."""
    known = dict(rdata.parser.DEFAULT_ALTREP_MAP)
    texts = known[b"deferred_string"]

    def whole(state: Any) -> Any:
        return _sequence(rdata, "INT", state, budget)

    def real(state: Any) -> Any:
        return _sequence(rdata, "REAL", state, budget)

    def deferred(state: Any) -> Any:
        budget.take(PER_TEXT * len(state.value[0].value))
        return texts(state)

    return known | {
        b"compact_intseq": whole,
        b"compact_realseq": real,
        b"deferred_string": deferred,
    }


def _sequence(rdata: Any, kind: str, state: Any, budget: Budget) -> tuple[Any, Any]:
    """The numbers of a sequence, of which R keeps length, first value and step."""
    length, first, step = (float(value) for value in state.value)
    if not math.isfinite(length) or length < 0:
        raise InputError(f"it claims a length of {length:g}, which is impossible")
    budget.take(PER_VALUE * int(length))
    values = first + step * np.arange(int(length), dtype=np.float64)
    if kind == "INT":
        values = values.astype(np.int32)
    info = rdata.parser.RObjectInfo(
        type=rdata.parser.RObjectType[kind],
        object=False,
        attributes=False,
        tag=False,
        gp=0,
        reference=0,
    )
    return info, values
