"""The uncompressed bytes of an R file, and no more of them than allowed.

A few kilobytes can unpack to gigabytes, so everything is unpacked in small steps.
"""

from __future__ import annotations

import bz2
import lzma
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

from synthpop_py.errors import InputError

PIECE = 1 << 20
# what xz itself needs at its highest level is 65 MiB; a file can claim up to 4 GiB
XZ_MEMORY = 1 << 28

UNPACKERS: dict[bytes, Callable[[], Any]] = {
    b"\x1f\x8b": lambda: zlib.decompressobj(wbits=31),
    b"BZh": bz2.BZ2Decompressor,
    b"\xfd7zXZ\x00": lambda: lzma.LZMADecompressor(lzma.FORMAT_XZ, memlimit=XZ_MEMORY),
}


class TooLarge(InputError):
    """A file that asks for more than `max_bytes`."""


def too_large(most: int) -> TooLarge:
    return TooLarge(
        f"it asks for more than {most:,} bytes of memory, as damaged files and traps do; if you"
        " expect it to be that large, give a larger max_bytes"
    )


def unpacked(file: Path, most: int) -> bytes:
    """What the file holds, unpacked where it is packed.

    Raises
    ------
    TooLarge
        That is more than `most` bytes.
    InputError
        The packed file has no end.
    """
    if file.stat().st_size > most:
        raise too_large(most)
    content = file.read_bytes()
    for first, unpacker in UNPACKERS.items():
        if content.startswith(first):
            return _whole(content, first, unpacker, most)
    return content


def _whole(content: bytes, first: bytes, unpacker: Callable[[], Any], most: int) -> bytes:
    """All that was packed: a packed file can be several, one after the other."""
    whole = bytearray()
    place = 0
    while content.startswith(first, place):
        place = _unpack_one(content, place, unpacker(), whole, most)
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
