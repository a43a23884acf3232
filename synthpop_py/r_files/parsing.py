"""The bytes of a file of R, unpacked, and the objects in them, by the parsers of rdata, made to
distrust every size that a file claims.

A few kilobytes can unpack to gigabytes. Sizes stand before what they count: a damaged or hostile
file can claim gigabytes in a few bytes, and what is short in a file can be long in memory. So every
size is checked against the size of the file, and everything read or made is charged to a budget.
"""

from __future__ import annotations

import bz2
import importlib
import lzma
import math
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import InputError, SynthpopError

# what xz itself needs at its highest level is 65 MiB; a file can claim up to 4 GiB
XZ_MEMORY = 1 << 28
UNPACKERS: dict[bytes, Callable[[], Any]] = {
    b"\x1f\x8b": lambda: zlib.decompressobj(wbits=31),
    b"BZh": bz2.BZ2Decompressor,
    b"\xfd7zXZ\x00": lambda: lzma.LZMADecompressor(lzma.FORMAT_XZ, memlimit=XZ_MEMORY),
}
PARSERS = {
    b"X\n": ("_xdr", "ParserXDR"),
    b"A\n": ("_ascii", "ParserASCII"),
    b"A\r\n": ("_ascii", "ParserASCII"),
    b"B\n": ("_binary", "ParserBinary"),
}
STEPS = ("_parse_array_values", "parse_string", "_parse_bytecode", "parse_int", "parse_all")

PER_OBJECT = 256  # what rdata keeps of NULL, the smallest of R's objects: measured
PER_VALUE = 16  # a number, once as it is in the file and once as a double
PER_TEXT = 2 * PER_OBJECT  # a text has a size besides


class UnknownParser(SynthpopError):
    """A version of rdata that is built differently."""


class Budget:
    """Bytes of memory that are left of `most`."""

    def __init__(self, most: int) -> None:
        self.most = self.left = most

    def take(self, amount: float) -> None:
        if not math.isfinite(amount) or amount < 0:
            raise InputError(f"it claims a length of {amount:g}, which is impossible")
        self.left -= int(amount)
        if self.left < 0:
            raise InputError(
                f"it asks for more than {self.most:,} bytes of memory, as damaged files and traps"
                " do; if you expect it to be that large, give a larger max_bytes"
            )


def unpacked(file: Path, most: int) -> bytes:
    """What the file holds, unpacked where it is packed."""
    Budget(most).take(file.stat().st_size)
    content = rest = file.read_bytes()
    packed_as = [first for first in UNPACKERS if content.startswith(first)]
    if not packed_as:
        return content
    (first,), whole = packed_as, bytearray()
    # a packed file can be several, one after the other; zeros fill a block of a tape or disk
    while rest.strip(b"\0"):
        if not rest.startswith(first):
            raise InputError("it continues after its end")
        unpacking = UNPACKERS[first]()
        whole += unpacking.decompress(rest, most + 1 - len(whole))
        Budget(most).take(len(whole))
        if not unpacking.eof:
            raise InputError("it ends too early")
        rest = unpacking.unused_data
    return bytes(whole)


def parsed(rdata: Any, content: bytes, most: int) -> Any:
    """The object in a file, whose first bytes say how it is written."""
    for first, (module, name) in PARSERS.items():
        if content.startswith(first):
            budget = Budget(most)
            altrep = dict(rdata.parser.DEFAULT_ALTREP_MAP) | _rules(rdata, budget)
            how = {"expand_altrep": True, "altrep_constructor_dict": altrep}
            parser = _parser(rdata, module, name)(memoryview(content)[len(first) :], **how)
            parser.budget, parser.size = budget, len(content)
            found = parser.parse_all()
            if parser.file.read(1):
                raise InputError("it continues after its end")
            return found
    raise InputError("it is not an R file")


def _parser(rdata: Any, module: str, name: str) -> Any:
    """One of rdata's parsers, made cautious. They are not among its public names, and a step that
    is missing cannot be limited.
    """
    try:
        parser = getattr(importlib.import_module(f"{rdata.parser.__name__}.{module}"), name)
    except (ImportError, AttributeError):
        parser = None
    missing = [step for step in STEPS if not hasattr(parser, step)]
    if missing:
        known = "reading needs a version known here: `pip install 'rdata>=1.1,<1.2'`"
        raise UnknownParser(f"the {name} of rdata has no {missing[0]}; {known}")
    return type(name, (Bounded, parser), {})


class Bounded:
    """Put before a parser of rdata, whose `file` and steps it uses."""

    file: Any
    budget: Budget
    size: int

    def _parse_array_values(self, dtype: Any, length: int) -> Any:
        """Every object begins with a number, so this counts objects too."""
        self._charge(length, PER_OBJECT + PER_VALUE * length)
        values = super()._parse_array_values(dtype, length)  # type: ignore[misc]
        return self._complete(values, length)

    def parse_string(self, length: int) -> Any:
        self._charge(length, length)
        return self._complete(super().parse_string(length), length)  # type: ignore[misc]

    def _parse_bytecode(self, references: Any, repeated: Any = None) -> Any:
        """Functions that R compiled begin with the length of a list that is made at once."""
        if repeated is None:
            place = self.file.tell()
            length = self.parse_int()  # type: ignore[attr-defined]
            self.file.seek(place)
            self._charge(length, PER_VALUE * length)
        return super()._parse_bytecode(references, repeated)  # type: ignore[misc]

    def _charge(self, length: int, amount: int) -> None:
        """Nothing is longer than the file it is in."""
        if not 0 <= length <= self.size:
            raise InputError(f"it claims a length of {length}, which is impossible")
        self.budget.take(amount)

    def _complete(self, values: Any, length: int) -> Any:
        if len(values) != length:
            raise InputError("it ends too early")
        return values


def _rules(rdata: Any, budget: Budget) -> dict[bytes, Callable[[Any], Any]]:
    """How vectors are made that R keeps as their rule: 1:1000000000 can be three numbers."""
    texts = rdata.parser.DEFAULT_ALTREP_MAP[b"deferred_string"]
    kinds = rdata.parser.RObjectType
    plain = {"object": False, "attributes": False, "tag": False, "gp": 0, "reference": 0}

    def sequence(state: Any, kind: Any, dtype: Any) -> Any:
        length, first, step = (float(value) for value in state.value)
        budget.take(PER_VALUE * length)
        values = first + step * np.arange(int(length), dtype=np.float64)
        return rdata.parser.RObjectInfo(type=kind, **plain), values.astype(dtype)

    def deferred(state: Any) -> Any:
        budget.take(PER_TEXT * len(state.value[0].value))
        return texts(state)

    return {
        b"compact_intseq": lambda state: sequence(state, kinds.INT, np.int32),
        b"compact_realseq": lambda state: sequence(state, kinds.REAL, np.float64),
        b"deferred_string": deferred,
    }
