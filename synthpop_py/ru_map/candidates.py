"""The releases on a map: what the user gave for each, as a list of frames of the same kind."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from ..arguments import listed
from ..errors import InputError
from ..names import unknown_name
from ..synds import SynDS
from ..tables.opening import check_frame, refuse_other_frames
from .alignment import telling_columns

HOW = "give a dictionary of names and releases, as in {'cart': synthesis, 'swapped': frame}"


@dataclass(frozen=True, slots=True, eq=False)
class Runs:
    """Several runs of one way to make a release, of which only one would be released.

    On a map they show how much a release depends on chance: figures are means over the runs,
    intervals are for one more run. A list without `Runs` is taken as data sets that are released
    together: an intruder can compare them, and a user combines them. That matters for
    "expected_match_rate", "repU_any", "DiSCO_any", "IR" and "ci_overlap".

    Attributes
    ----------
    releases : the runs, each a DataFrame or an object whose ``.data`` is one.

    Examples
    --------
    >>> Runs([pd.DataFrame({"x": [1]}), pd.DataFrame({"x": [2]})])
    Runs(2 runs, one of which would be released)
    """

    releases: Sequence[Any]

    def __repr__(self) -> str:
        return f"Runs({len(self.releases)} runs, one of which would be released)"


@dataclass(frozen=True, slots=True, eq=False)
class Candidate:
    """One release.

    Attributes
    ----------
    name : what the user calls it.
    sets : its data sets, all with rows.
    carriers : what each set came from: the frame itself, or an object whose `data` it is (an IFPR
        release, say).
    cont_na : special values that a SynDS brought.
    aligned : row i of each set is about the same person as row i of the original.
    same : columns that are the same in every row, where `aligned` was concluded from them; empty
        where the user said so.
    together : the sets are released together; otherwise they are runs, one of which would be.
    """

    name: str
    sets: tuple[pd.DataFrame, ...]
    carriers: tuple[Any, ...]
    cont_na: Mapping[Hashable, tuple[Any, ...]]
    aligned: bool
    same: tuple[Hashable, ...]
    together: bool

    @property
    def m(self) -> int:
        return len(self.sets)

    def lacks(self, columns: Sequence[Hashable]) -> list[Hashable]:
        """Columns that some data set of it does not have."""
        return [name for name in columns if not all(name in frame.columns for frame in self.sets)]

    def places(self) -> list[str]:
        """What error messages call its data sets."""
        own = f"candidate {self.name!r}"
        return [own] if self.m == 1 else [f"{own}, data set {i}" for i in range(1, self.m + 1)]


def read_candidates(
    synthetic: Any, original: pd.DataFrame, needed: Sequence[tuple[str, Hashable]], aligned: Any
) -> tuple[Candidate, ...]:
    """All releases, each with rows and the columns that are needed (argument and name of each)."""
    if not isinstance(synthetic, Mapping):
        raise InputError(f"synthetic: {type(synthetic).__name__} cannot be used; {HOW}")
    if not synthetic:
        raise InputError(f"synthetic: none given; {HOW}")
    wrong = [name for name in synthetic if not isinstance(name, str) or not name.strip()]
    if wrong:
        raise InputError(
            f"synthetic: {wrong[0]!r} is not a name; give each release a text to be called by"
        )
    said = _said_aligned(aligned, list(synthetic))
    read = tuple(
        _candidate(name, release, original, said.get(name)) for name, release in synthetic.items()
    )
    for candidate in read:
        for frame, place in zip(candidate.sets, candidate.places()):
            for argument, column in needed:
                if column not in frame.columns:
                    raise unknown_name(argument, column, list(frame.columns), place)
    return read


def _said_aligned(aligned: Any, names: list[str]) -> dict[str, bool]:
    """What the user said about each release; nothing for None."""
    if aligned is None:
        return {}
    if isinstance(aligned, bool):
        return dict.fromkeys(names, aligned)
    given = listed(aligned)
    for name in given:
        if name not in names:
            raise InputError(
                f"aligned: {name!r} is not one of the candidates; choices: {', '.join(names)}; True"
                " for all, False for none"
            )
    return {name: name in given for name in names}


def _candidate(name: str, release: Any, original: pd.DataFrame, said: bool | None) -> Candidate:
    together = not isinstance(release, Runs)
    held = release if together else release.releases
    given = list(held) if isinstance(held, (list, tuple)) else [held]
    for item in given:
        if isinstance(item, SynDS) and item.m > 1 and not together:
            raise InputError(
                f"synthetic: {name!r} holds runs of {item.m} data sets each, which the map cannot"
                " average; give the runs as candidates of their own"
            )
    carriers = [
        part for item in given for part in (item.syn if isinstance(item, SynDS) else [item])
    ]
    if not carriers:
        raise InputError(f"synthetic: {name!r} is empty; give at least one data set")
    sets = tuple(_frame(name, carrier) for carrier in carriers)
    place = f"candidate {name!r}"
    for frame in sets:
        check_frame(frame, place)
        if not len(frame):
            raise InputError(f"synthetic: {name!r} has no rows; there is nothing to compare")
    if said and any(len(frame) != len(original) for frame in sets):
        raise InputError(
            f"aligned: {name!r} has another number of records than the original data"
            f" ({len(original)}), so its rows cannot be those of the original"
        )
    telling = [telling_columns(frame, original) for frame in sets] if said is None else []
    rows_alike = all(telling) if said is None else said
    same = (
        tuple(column for column in telling[0] if all(column in others for others in telling))
        if telling and rows_alike
        else ()
    )
    return Candidate(name, sets, tuple(carriers), _brought(given), rows_alike, same, together)


def _brought(given: Sequence[Any]) -> dict[Hashable, tuple[Any, ...]]:
    """Special values by column, all that the syntheses bring."""
    found: dict[Hashable, dict[Any, None]] = {}
    for item in given:
        if isinstance(item, SynDS):
            for column, values in item.cont_na.items():
                found.setdefault(column, {}).update(dict.fromkeys(values))
    return {column: tuple(values) for column, values in found.items()}


def _frame(name: str, carrier: Any) -> pd.DataFrame:
    if isinstance(carrier, pd.DataFrame):
        return carrier
    data = getattr(carrier, "data", None)
    if isinstance(data, pd.DataFrame):
        return data
    refuse_other_frames(carrier, f"synthetic, {name!r}")
    raise InputError(
        f"synthetic: {name!r} is a {type(carrier).__name__}, which holds no data; give a"
        " DataFrame, a SynDS, an object whose .data is a DataFrame, a list of these, or Runs of"
        " them"
    )
