"""The releases on a map: what the user gave for each, as a list of data sets, pandas data frames or
tables of an engine.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..arguments import listed
from ..errors import InputError, unknown_name
from ..synds import SynDS
from ..tables.opening import (
    FRAMES,
    check_frame,
    is_frame,
    is_in_memory,
    is_path,
    is_table,
    number_of_records,
    open_table,
    refuse_other_frames,
)
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
    releases : the runs, each a DataFrame of pandas, polars or Arrow, a table of an engine, or an
        object whose ``.data`` is one.

    Examples
    --------
    >>> import pandas as pd
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
    name : the user's name for it.
    sets : its data sets, all with rows: pandas data frames, or tables whose records are in an
        engine.
    carriers : what each set came from: the frame itself, or an object whose `data` it is (an IFPR
        release, say).
    cont_na : special values that a SynDS brought.
    aligned : whether row i of each set is about the same person as row i of the original.
    same : columns that are the same in every row, where `aligned` was concluded from them; empty
        where the user said so.
    together : the sets are released together; otherwise they are runs, one of which would be.
    """

    name: str
    sets: tuple[Any, ...]
    carriers: tuple[Any, ...]
    cont_na: Mapping[Hashable, tuple[Any, ...]]
    aligned: bool
    same: tuple[Hashable, ...]
    together: bool

    @property
    def m(self) -> int:
        return len(self.sets)

    @property
    def in_memory(self) -> bool:
        """Whether single records of it can be looked at."""
        return all(map(is_in_memory, self.sets))

    def records(self) -> tuple[int, ...]:
        """How many each data set has."""
        return tuple(map(number_of_records, self.sets))

    def lacks(self, columns: Sequence[Hashable]) -> list[Hashable]:
        """Columns that some data set of it does not have."""
        return [name for name in columns if not self.has(name)]

    def adds(self, columns: Sequence[Hashable]) -> list[Hashable]:
        """Columns that some data set of it has besides these, each once."""
        every = dict.fromkeys(name for frame in self.sets for name in frame.columns)
        return [name for name in every if name not in columns]

    def has(self, column: Hashable) -> bool:
        """Whether every data set of it has this column."""
        return all(column in frame.columns for frame in self.sets)

    def places(self) -> list[str]:
        """What error messages call its data sets."""
        whole = f"candidate {self.name!r}"
        if self.m == 1:
            return [whole]
        return [f"{whole}, data set {number}" for number in range(1, self.m + 1)]

    def named_sets(self) -> Iterator[tuple[Any, str]]:
        """Its data sets, each with what error messages call it."""
        return zip(self.sets, self.places())


def read_candidates(
    synthetic: Any, original: Any, needed: Sequence[tuple[str, Hashable]], aligned: Any
) -> tuple[Candidate, ...]:
    """All releases, each with rows and the columns that are needed (argument and name of each)."""
    _check_names(synthetic)
    said = _said_aligned(aligned, list(synthetic))
    candidates = []
    for name, release in synthetic.items():
        candidates.append(_candidate(name, release, original, said.get(name)))
    for candidate in candidates:
        for frame, place in candidate.named_sets():
            _check_columns(frame, place, needed)
    return tuple(candidates)


def _check_names(synthetic: Any) -> None:
    if not isinstance(synthetic, Mapping):
        raise InputError(f"synthetic: {type(synthetic).__name__} cannot be used; {HOW}")
    if not synthetic:
        raise InputError(f"synthetic: is empty; {HOW}")
    for name in synthetic:
        if not isinstance(name, str) or not name.strip():
            raise InputError(
                f"synthetic: {name!r} is not a name; give each release a text as its name"
            )


def _check_columns(frame: Any, place: str, needed: Sequence[tuple[str, Hashable]]) -> None:
    for argument, column in needed:
        if column not in frame.columns:
            raise unknown_name(argument, column, list(frame.columns), place)


def _said_aligned(aligned: Any, names: list[str]) -> dict[str, bool]:
    """What the user said about each release; nothing for None."""
    if aligned is None:
        return {}
    if isinstance(aligned, bool):
        return dict.fromkeys(names, aligned)
    named = listed(aligned)
    for name in named:
        if name not in names:
            raise InputError(
                f"aligned: {name!r} is not one of the candidates; choices: {', '.join(names)}; True"
                " for all, False for none"
            )
    return {name: name in named for name in names}


def _candidate(name: str, release: Any, original: Any, said: bool | None) -> Candidate:
    together = not isinstance(release, Runs)
    parts = _parts(release)
    if not together:
        _refuse_runs_of_several(name, parts)
    carriers = _carriers(parts)
    if not carriers:
        raise InputError(f"synthetic: {name!r} is empty; give at least one data set")
    sets = tuple(_data_set(name, carrier) for carrier in carriers)
    for data_set in sets:
        if not number_of_records(data_set):
            raise InputError(f"synthetic: {name!r} has no rows, so there is nothing to compare")
    if said:
        _check_lengths(name, sets, original)
    # what the user says needs no evidence from columns
    same: tuple[Hashable, ...] = ()
    aligned = bool(said)
    if said is None and all(map(is_in_memory, (original, *sets))):
        telling = [telling_columns(frame, original) for frame in sets]
        aligned = all(telling)
        same = _in_all(telling) if aligned else ()
    return Candidate(
        name=name,
        sets=sets,
        carriers=tuple(carriers),
        cont_na=_brought(parts),
        aligned=aligned,
        same=same,
        together=together,
    )


def _parts(release: Any) -> list[Any]:
    """What a release consists of, as the user gave it."""
    held = release.releases if isinstance(release, Runs) else release
    return list(held) if isinstance(held, (list, tuple)) else [held]


def _refuse_runs_of_several(name: str, parts: Sequence[Any]) -> None:
    for part in parts:
        if isinstance(part, SynDS) and part.m > 1:
            raise InputError(
                f"synthetic: {name!r} holds runs of {part.m} data sets each, which the map "
                "cannot average; give each run as a separate candidate"
            )


def _carriers(parts: Sequence[Any]) -> list[Any]:
    """What holds the data sets, one each: those of a SynDS are frames."""
    carriers: list[Any] = []
    for part in parts:
        if isinstance(part, SynDS):
            carriers.extend(part.syn)
        else:
            carriers.append(part)
    return carriers


def _check_lengths(name: str, sets: Sequence[Any], original: Any) -> None:
    if not all(map(is_in_memory, (original, *sets))):
        raise InputError(
            f"aligned: records of {name!r} or of the original data are in an engine, where they"
            " have no order; collect them, or leave this release out of aligned"
        )
    if any(len(frame) != len(original) for frame in sets):
        raise InputError(
            f"aligned: {name!r} has another number of records than the original data"
            f" ({len(original)}), so its rows cannot be those of the original"
        )


def _in_all(telling: Sequence[Sequence[Hashable]]) -> tuple[Hashable, ...]:
    """Columns that tell, in every data set, that rows are those of the original."""
    first, *others = telling
    return tuple(column for column in first if all(column in names for names in others))


def _brought(parts: Sequence[Any]) -> dict[Hashable, tuple[Any, ...]]:
    """Special values by column, all that the syntheses bring."""
    by_column: dict[Hashable, dict[Any, None]] = {}
    for part in parts:
        if isinstance(part, SynDS):
            for column, values in part.cont_na.items():
                distinct = by_column.setdefault(column, {})
                distinct.update(dict.fromkeys(values))
    return {column: tuple(values) for column, values in by_column.items()}


def _data_set(name: str, carrier: Any) -> Any:
    """A pandas data frame, or a table where records are in an engine."""
    if is_path(carrier):
        return open_table(carrier, f"synthetic, {name!r}")
    data = carrier
    if not is_frame(carrier) and not is_table(carrier):
        data = getattr(carrier, "data", None)
    if is_table(data):
        return data
    place = f"candidate {name!r}"
    if is_frame(data):
        return check_frame(data, place) if is_in_memory(data) else open_table(data, place)
    refuse_other_frames(carrier, f"synthetic, {name!r}")
    raise InputError(
        f"synthetic: {name!r} is a {type(carrier).__name__}, which holds no data; give {FRAMES}, a"
        " table of an engine, a SynDS, an object whose .data is a DataFrame, a list of these, or"
        " Runs of them"
    )
