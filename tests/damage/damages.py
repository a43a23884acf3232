"""Damages: to bytes, to what is packed in them, and to the values of JSON."""

from __future__ import annotations

import bz2
import gzip
import lzma
from collections.abc import Callable

import numpy as np

Rng = np.random.Generator
PACKERS: dict[bytes, tuple[Callable[[bytes], bytes], Callable[[bytes], bytes]]] = {
    b"\x1f\x8b": (gzip.decompress, lambda content: gzip.compress(content, 1)),
    b"BZh": (bz2.decompress, lambda content: bz2.compress(content, 1)),
    b"\xfd7zXZ\x00": (lzma.decompress, lambda content: lzma.compress(content, preset=0)),
}
# sizes and numbers of types that are likely to be read as something else
TELLING = (0, 1, 2, 0x7F, 0x80, 0xEE, 0xEF, 0xF3, 0xF4, 0xFB, 0xFC, 0xFE, 0xFF)


def truncated(content: bytes, other: bytes, rng: Rng) -> bytes:
    return content[: rng.integers(len(content) + 1)]


def flipped(content: bytes, other: bytes, rng: Rng) -> bytes:
    """Single bits."""
    damaged = bytearray(content)
    for place in rng.integers(len(content), size=rng.integers(1, 6)) if content else ():
        damaged[place] ^= 1 << rng.integers(8)
    return bytes(damaged)


def overwritten(content: bytes, other: bytes, rng: Rng) -> bytes:
    """Some bytes in a row, with values that mean something."""
    place, length = rng.integers(len(content) + 1), rng.integers(1, 5)
    values = bytes(rng.choice(TELLING, length).tolist())
    return content[:place] + values + content[place + length :]


def spliced(content: bytes, other: bytes, rng: Rng) -> bytes:
    """The beginning of one file and the end of another one."""
    return content[: rng.integers(len(content) + 1)] + other[rng.integers(len(other) + 1) :]


def repeated(content: bytes, other: bytes, rng: Rng) -> bytes:
    """A piece that comes twice."""
    first, last = sorted(rng.integers(len(content) + 1, size=2))
    return content[:last] + content[first:]


def cut_out(content: bytes, other: bytes, rng: Rng) -> bytes:
    first, last = sorted(rng.integers(len(content) + 1, size=2))
    return content[:first] + content[last:]


OF_BYTES: tuple[Callable[[bytes, bytes, Rng], bytes], ...] = (
    truncated,
    flipped,
    overwritten,
    spliced,
    repeated,
    cut_out,
)


def damaged_bytes(content: bytes, other: bytes, rng: Rng) -> tuple[str, bytes]:
    """The name of a damage, and the damaged bytes."""
    damage = OF_BYTES[rng.integers(len(OF_BYTES))]
    return damage.__name__, damage(content, other, rng)


def damaged_inside(content: bytes, other: bytes, rng: Rng) -> tuple[str, bytes]:
    """What is packed damaged, and packed again: no checksum will notice."""
    for first, (_, pack) in PACKERS.items():
        if content.startswith(first):
            name, inside = damaged_bytes(unpacked(content), unpacked(other), rng)
            return f"{name}, then packed", pack(inside)
    return damaged_bytes(content, unpacked(other), rng)


def unpacked(content: bytes) -> bytes:
    for first, (unpack, _) in PACKERS.items():
        if content.startswith(first):
            return unpack(content)
    return content
