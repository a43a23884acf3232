"""The parsers of rdata, made to distrust every size that a file claims.

Sizes in a file of R stand before what they count. A damaged or hostile file can claim gigabytes in
a few bytes, and what is short in a file can be long in memory. So every size is checked against the
size of the file, and everything read or made is charged to a budget.
"""

from __future__ import annotations

import importlib
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from synthpop_py.errors import InputError, SynthpopError

from .unpacking import too_large

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
    """The object in a file, whose first bytes say how it is written.

    Raises
    ------
    InputError
        It claims something impossible, ends too early, or continues after its end.
    TooLarge
        It would take more than `most` bytes.
    """
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
