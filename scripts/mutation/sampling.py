"""All places where the rooms can be changed, and a random sample of them."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from .operators import Mutant, mutants

PACKAGE = "synthpop_py"
ROOMS = ("core", "disclosure", "summary", "key_search", "companions", "matching", "synthesis")
ROOMS += ("ifpr", "r/formulas.py", "r/reading.py", "r/both.py")


@dataclass(frozen=True, slots=True)
class Site:
    """A mutant and the file it is of, as a path inside the repository."""

    file: str
    mutant: Mutant

    @property
    def room(self) -> str:
        """The folder of the package."""
        return self.file.split("/")[1]


def files_of(root: Path, rooms: Iterable[str]) -> list[str]:
    """The modules of some rooms; a room may be a folder or a single module."""
    paths: set[Path] = set()
    for room in rooms:
        place = root / PACKAGE / room
        paths |= {place} if place.is_file() else set(place.rglob("*.py"))
    return sorted(path.relative_to(root).as_posix() for path in paths)


def missing_rooms(root: Path, rooms: Iterable[str]) -> list[str]:
    """Rooms that are not there (any more): nothing would be sampled from them."""
    return [room for room in rooms if not (root / PACKAGE / room).exists()]


def sites(root: Path, rooms: Iterable[str]) -> list[Site]:
    """Every mutant of every module of the rooms."""
    every = []
    for file in files_of(root, rooms):
        source = (root / file).read_text(encoding="utf-8")
        every += [Site(file, mutant) for mutant in mutants(source)]
    return every


def sample(every: Sequence[Site], size: int, seed: int) -> list[Site]:
    """`size` of them, each as likely as every other; the same seed gives the same ones."""
    chosen = random.Random(seed).sample(range(len(every)), min(size, len(every)))
    return [every[i] for i in chosen]


def digest(root: Path, files: Iterable[str]) -> str:
    """Of the content of some files: what was found out about other content is out of date."""
    total = hashlib.sha256()
    for file in sorted(files):
        total.update(file.encode() + b"\0" + (root / file).read_bytes())
    return total.hexdigest()[:16]
