"""The files that are damaged, and what reads them.

A subject makes one trial: damages one of its files, has it read, and uses what came of it. It gives
the name of the damage; anything but an `InputError` while reading goes through to the caller.
"""

from __future__ import annotations

import gzip
import io
import json
import shutil
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stdout
from functools import cache
from pathlib import Path
from unittest.mock import patch

import pandas as pd

from synthpop_py import (
    InputError,
    SynDS,
    SynthpopError,
    datasets,
    read_rdata,
    read_rds,
    read_synds,
    write_synds,
)
from tests.damage.damages import (
    Rng,
    damaged_bytes,
    damaged_inside,
    damaged_values,
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


# ---- the data that come with the package ---------------------------------------------

DATA = ("SD2011_grouped", "SD2011_s1")


def data_file(rng: Rng, folder: Path) -> str:
    """A table, its types, or the list of all, damaged on the disk."""
    _copy_data(folder)
    names = [*(f"{name}.csv.gz" for name in DATA), *(f"{name}.json" for name in DATA)]
    names += ["manifest.json"]
    name = names[rng.integers(len(names))]
    file, other = folder / name, folder / names[rng.integers(len(names))]
    whole = file.read_bytes()
    what, damaged = _damaged_data(whole, other.read_bytes(), name, rng)
    file.write_bytes(damaged)
    try:
        with patch.object(datasets, "_folder", lambda: folder), quiet():
            datasets.load(DATA[0])
            datasets.load_synthesis(DATA[1])
    finally:
        file.write_bytes(whole)
    return what


def _copy_data(folder: Path) -> None:
    """The first rows of two tables."""
    if (folder / "manifest.json").is_file():
        return
    source = ROOT / "fixtures" / "data"
    for name in DATA:
        content = json.loads((source / f"{name}.json").read_text(encoding="utf-8"))
        lines = gzip.decompress((source / f"{name}.csv.gz").read_bytes()).splitlines(True)[:31]
        (folder / f"{name}.csv.gz").write_bytes(gzip.compress(b"".join(lines)))
        text = json.dumps(content | {"rows": len(lines) - 1})
        (folder / f"{name}.json").write_text(text, encoding="utf-8")
    shutil.copy(source / "manifest.json", folder)


def _damaged_data(content: bytes, other: bytes, name: str, rng: Rng) -> tuple[str, bytes]:
    if name.endswith(".json") and rng.integers(2):
        what, values = damaged_values(json.loads(content), rng)
        return what, json.dumps(values).encode()
    return (damaged_bytes, damaged_inside)[rng.integers(2)](content, other, rng)


SUBJECTS: dict[str, tuple[Subject, type[SynthpopError]]] = {
    "files that R wrote": (r_file, InputError),
    "files that write_synds() wrote": (written_file, InputError),
    # nobody gave these as an argument
    "tables in CSV with their types in JSON": (data_file, SynthpopError),
}
