"""A synthesis: one or more synthetic versions of a data set."""

from __future__ import annotations

import re
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from . import synds_show
from .arguments import is_number, listed, special_values
from .errors import InputError, unknown_name
from .show.printing import Sections
from .show.values import column_name
from .show.views import Shown
from .tables import opening
from .tables.frames import AnyFrame, library_of, owned_values
from .tables.opening import is_path


def _said_by_syn(name: str, otherwise: Any, doc: str) -> Any:
    """A property that only a synthesis made by `syn()` has; otherwise empty."""

    def said(self: SynDS) -> Any:
        value = self.meta.get(name, otherwise) if self._made_by_syn else otherwise
        return value.copy() if isinstance(value, pd.DataFrame) else type(otherwise)(value)

    return property(said, doc=doc)


@dataclass(frozen=True, slots=True, init=False, repr=False, eq=False)
class SynDS(Shown):
    """Synthetic data with what the disclosure functions need to know about them (R's class
    ``synds``).

    Parameters
    ----------
    frames : DataFrame of pandas, polars or Arrow, table of an engine, or a sequence of these
        One synthetic data set, or m of them with the same columns. Later changes to these frames do
        not change the synthesis. Records in an engine stay there: functions that look at single
        records refuse them.
    cont_na : values of a numeric column that stand for special cases or missing values, such as
        ``{"income": -8}``. Missing values need not be listed.
    meta : anything worth keeping about the synthesis, such as its call. No seed: anyone who has it
        can undo a release.

    Attributes
    ----------
    syn : list of the m synthetic data sets, each of the kind given.
    cont_na, meta : special values of each column that has any; a dict.
    call, method, visit_sequence, predictor_matrix, notes, models
        What `syn()` did; empty for a synthesis made in another way.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"sex": ["F", "M"], "income": [800.0, -8.0]})
    >>> SynDS([frame, frame], cont_na={"income": -8})
    SynDS(m=2, 2 rows, 2 columns, cont_na: income)
    """

    syn: list[AnyFrame]
    cont_na: dict[Hashable, tuple[Any, ...]]
    meta: dict[str, Any]

    def __init__(
        self,
        frames: AnyFrame | Sequence[AnyFrame],
        cont_na: Mapping[Any, Any] | None = None,
        meta: Mapping[str, Any] | None = None,
    ) -> None:
        known = owned_values(meta or {})
        columns = list(known.get("predictor_matrix", []))
        syn: list[AnyFrame] = []
        # without a set there may be what syn(m=0) would make one with
        if not (isinstance(frames, list) and not frames and "predictor_matrix" in known):
            syn = [owned_values(frame) for frame in _checked_frames(frames)]
            columns = opening.column_names(syn[0])
        special = special_values(cont_na)
        for name in special:
            if name not in columns:
                raise unknown_name("cont_na", name, columns, "the synthetic data")
        some = {name: values for name, values in special.items() if values}
        for field, value in (("syn", syn), ("cont_na", some), ("meta", known)):
            object.__setattr__(self, field, value)

    @property
    def m(self) -> int:
        """Number of synthetic data sets."""
        return len(self.syn)

    call = _said_by_syn("call", "", "The call of `syn()`, without its seed.")
    method = _said_by_syn("method", {}, 'How `syn()` made each column; "": left as it is.')
    visit_sequence = _said_by_syn("visit_sequence", [], "The columns in the order they were made.")
    predictor_matrix = _said_by_syn(
        "predictor_matrix", pd.DataFrame(), "1 where `syn()` used the column to predict the row."
    )
    notes = _said_by_syn(
        "notes", (), "Columns of original values; where R's `syn()` would give other data, or none."
    )
    models = _said_by_syn("models", {}, "The trees of `syn(models=True)`, with original values.")

    def choose(self, msel: Any) -> SynDS:
        """A synthesis of some of the sets, by their numbers from 1 (R's ``msel``)."""
        numbers = listed(msel)
        for number in numbers or [msel]:
            if not is_number(number) or number not in range(1, self.m + 1):
                raise InputError(f"msel: {number!r}; give whole numbers from 1 to {self.m}")
        return SynDS([self.syn[int(number) - 1] for number in numbers], self.cont_na, self.meta)

    @property
    def _made_by_syn(self) -> bool:
        return self._in_memory and "predictor_matrix" in self.meta

    @property
    def _in_memory(self) -> bool:
        return all(map(opening.is_in_memory, self.syn))

    def _columns(self) -> list[Hashable]:
        return opening.column_names(self.syn[0]) if self.syn else list(self.predictor_matrix)

    def _plain_sets(self) -> list[pd.DataFrame]:
        return [opening.check_frame(frame, "syn") for frame in self.syn]

    def _title(self) -> str:
        return "Synthetic data"

    def _headline(self, to: int = 1) -> list[str]:
        if not self.syn:
            return ["No synthetic data set, only what one would be made with."]
        sets = "1 synthetic data set" if self.m == 1 else f"{self.m} synthetic data sets"
        return [f"{sets} of {self._rows_in_words()} and {len(self._columns())} columns."]

    def _short(self) -> Sections:
        return self._rounded(1)

    def _sections(self) -> Sections:
        """With the call and first records, where they are at hand."""
        if self._made_by_syn or not self._in_memory:
            return self._rounded(1)
        sections = [*self._rounded(1)]
        call = self.meta.get("call")
        if isinstance(call, str):
            without_seed = re.sub(r"\bseed\s*=\s*[^,()]+", "seed = ...", call)
            sections.append([f"Call: {without_seed}"])
        return [*sections, synds_show.first_rows(self._plain_sets(), self._columns())]

    def _rounded(self, to: int) -> Sections:
        """Others do not see columns that were not synthesised: these hold real people."""
        if self._made_by_syn:
            names = [name for name in self._columns() if to == 1 or self.method.get(name)]
            tables = synds_show.made(self._plain_sets(), self.meta, names)
            return [[f"Call: {self.call}"], self._headline(), *tables]
        special = f", cont_na: {', '.join(map(str, self.cont_na))}" if self.cont_na else ""
        rows, columns = self._rows_in_words(), len(self._columns())
        return [[f"SynDS(m={self.m}, {rows}, {columns} columns{special})"]]

    def _rows_in_words(self) -> str:
        """How many records there are; those in an engine are not counted: that may take minutes."""
        if not self._in_memory:
            engines = [one for one in self.syn if not opening.is_in_memory(one)]
            names = dict.fromkeys(library_of(opening.native_of(one)) for one in engines)
            return f"rows in {' and '.join(names)}, not counted"
        least, *others = sorted(map(opening.number_of_records, self.syn))
        most = max(others, default=least)
        return f"{least} rows" if least == most else f"{least} to {most} rows"

    def _details(self) -> Sections:
        return synds_show.summary(self._plain_sets(), self.meta) if self._made_by_syn else []

    def _content(self) -> dict[str, Any]:
        """The contents of the synthesis. `meta` stays out: it may hold a seed."""
        columns = list(map(column_name, self._columns()))
        content = {"m": self.m, "columns": columns, "cont_na": self.cont_na}
        if self._made_by_syn:
            fields = ("call", "method", "visit_sequence", "predictor_matrix", "notes")
            content |= {name: getattr(self, name) for name in fields}
            content["visit_sequence"] = list(map(column_name, self.visit_sequence))
        return content

    def _records(self) -> dict[str, Any]:
        return {"synthetic": [opening.number_of_records(frame) for frame in self.syn]}


def _checked_frames(frames: object) -> list[AnyFrame]:
    sets = opening.listed_sets("frames", frames)
    expected = None
    for number, one in enumerate(sets, start=1):
        frame = opening.open_table(one, "frames") if is_path(one) else one
        sets[number - 1] = frame
        if not (opening.is_frame(frame) or opening.is_table(frame)):
            opening.refuse_other_frames(frame, f"frames, element {number}")
            told = f"frames: element {number} is a {type(frame).__name__}"
            raise InputError(f"{told}, not {opening.FRAMES} or a table of an engine")
        columns = opening.column_names(frame)
        expected = expected or columns
        if columns != expected:
            told = f"frames: element {number} has the columns {columns}, element 1 has {expected}"
            raise InputError(f"{told}; all sets need the same columns in the same order")
    return sets
