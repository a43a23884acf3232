"""The files that are damaged, and what reads them.

A subject makes one trial: damages one of its files, has it read, and uses what came of it. It gives
the name of the damage; anything but an `InputError` while reading goes through to the caller.
"""

from __future__ import annotations

import io
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stdout
from functools import cache
from pathlib import Path

import pandas as pd

from synthpop_py import (
    SynDS,
    read_rdata,
    read_rds,
    read_synds,
    write_synds,
)
from tests.damage.damages import (
    Rng,
    damaged_bytes,
    damaged_inside,
)

ROOT = Path(__file__).resolve().parents[2]
R_FILES = ROOT / "fixtures" / "r_files"
MOST_MEMORY = 1 << 26  # what a reader may take for a file of a few kilobytes

Subject = Callable[[Rng, Path], str]
READ, REFUSED = "read", "refused"


@contextmanager
def quiet() -> Iterator[None]:
    with warnings.catch_warnings(), redirect_stdout(io.StringIO()):
        warnings.simplefilter("ignore")
        yield


# ---- R's files -----------------------------------------------------------------------


@cache
def r_files() -> tuple[tuple[str, bytes], ...]:
    return tuple((file.name, file.read_bytes()) for file in sorted(R_FILES.iterdir()))


def _written_files(folder: Path) -> tuple[tuple[str, bytes], ...]:
    """What `write_synds` makes of a small synthesis."""
    frame = pd.DataFrame({"sex": ["F", "M", "F"], "age": [31, 62, 18], "x": [0.5, None, -8]})
    files = []
    for name in ("one.rds", "two.RData"):
        place = folder / f"whole_{name}"
        write_synds(SynDS([frame, frame[::-1]], {"x": -8}), place)
        files.append((name, place.read_bytes()))
    return tuple(files)


def read_damaged_r(rng: Rng, folder: Path, files: tuple[tuple[str, bytes], ...]) -> str:
    (name, content), (_, other) = (files[place] for place in rng.integers(len(files), size=2))
    damage = (damaged_bytes, damaged_inside)[rng.integers(2)]
    what, damaged = damage(content, other, rng)
    file = folder / name
    file.write_bytes(damaged)
    whole = read_rds if name.endswith(".rds") else read_rdata
    read = (whole, read_synds)[rng.integers(2)]
    with quiet():
        read(file, max_bytes=MOST_MEMORY)
    return what


def r_file(rng: Rng, folder: Path) -> str:
    return read_damaged_r(rng, folder, r_files())


def written_file(rng: Rng, folder: Path) -> str:
    """What the package wrote itself."""
    return read_damaged_r(rng, folder, _kept(folder))


KEPT: dict[Path, tuple[tuple[str, bytes], ...]] = {}


def _kept(folder: Path) -> tuple[tuple[str, bytes], ...]:
    if folder not in KEPT:
        KEPT[folder] = _written_files(folder)
    return KEPT[folder]


SUBJECTS: dict[str, Subject] = {
    "files that R wrote": r_file,
    "files that write_synds() wrote": written_file,
}
