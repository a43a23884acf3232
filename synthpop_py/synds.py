"""A synthesis: one or more synthetic versions of a data set."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from synthpop_py import synds_show
from synthpop_py.arguments import is_number, listed, special_values
from synthpop_py.errors import InputError, unknown_name
from synthpop_py.show.printing import Sections
from synthpop_py.show.values import column_name
from synthpop_py.show.views import Shown
from synthpop_py.tables.frames import AnyFrame, library_of, owned_values
from synthpop_py.tables.opening import (
    FRAMES,
    check_frame,
    column_names,
    is_frame,
    is_in_memory,
    is_path,
    is_table,
    listed_sets,
    native_of,
    number_of_records,
    open_table,
    refuse_other_frames,
)

__all__ = ["SynDS"]


@dataclass(frozen=True, slots=True, init=False, repr=False, eq=False)
class SynDS(Shown):
    """Synthetic data with what the disclosure functions need to know about them (R's class
    ``synds``).

    Parameters
    ----------
    frames : DataFrame of pandas, polars or Arrow, table of an engine, or a sequence of these
        One synthetic data set, or m of them with the same columns. Later changes to these frames do
        not change the synthesis; from pandas 3 on it shares their memory until then. Records in an
        engine (a lazy frame, a relation of DuckDB, a frame of Spark, a table of Ibis) stay there:
        functions that look at single records refuse them.
    cont_na : mapping of str to scalar or sequence, optional
        Values of a numeric column that stand for special cases or missing values, such as
        ``{"income": -8}``. Missing values need not be listed.
    meta : mapping, optional
        Anything worth keeping about the synthesis, such as its call. No seed: anyone who has it can
        undo a release.

    Attributes
    ----------
    syn : list
        The m synthetic data sets, each of the kind given.
    cont_na : dict of str to tuple
        Special values of each column that has any.
    meta : dict
    call, method, visit_sequence, predictor_matrix, notes, models
        The call of `syn()` (without its seed), what it did, what it did not synthesise or R would
        have done otherwise, and the trees that it kept if asked; empty for a synthesis made in
        another way.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"sex": ["F", "M"], "income": [800.0, -8.0]})
    >>> synthesis = SynDS([frame, frame], cont_na={"income": -8})
    >>> synthesis
    SynDS(m=2, 2 rows, 2 columns, cont_na: income)
    >>> synthesis.cont_na
    {'income': (-8,)}
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
        set_up = "predictor_matrix" in (meta or {})  # from syn(m=0), which makes no set
        no_sets = set_up and isinstance(frames, list) and not frames
        syn = [] if no_sets else [owned_values(frame) for frame in _checked_frames(frames)]
        columns = column_names(syn[0]) if syn else list((meta or {})["predictor_matrix"])
        special = _checked_cont_na(cont_na, columns)
        object.__setattr__(self, "syn", syn)
        object.__setattr__(self, "cont_na", special)
        object.__setattr__(self, "meta", owned_values(meta or {}))

    @property
    def m(self) -> int:
        """Number of synthetic data sets."""
        return len(self.syn)

    @property
    def call(self) -> str:
        """The call of `syn()`, without its seed."""
        return str(self._said_by_syn("call", ""))

    @property
    def method(self) -> dict[Hashable, str]:
        """How `syn()` made each column; "" for one that it left as it is."""
        return dict(self._said_by_syn("method", {}))

    @property
    def visit_sequence(self) -> list[Hashable]:
        """The columns that `syn()` made, in the order it made them."""
        return list(self._said_by_syn("visit_sequence", []))

    @property
    def predictor_matrix(self) -> pd.DataFrame:
        """1 where the column was used by `syn()` to predict the row."""
        return self._said_by_syn("predictor_matrix", pd.DataFrame()).copy()

    @property
    def notes(self) -> tuple[str, ...]:
        """Which columns hold original values; where R's `syn()` would have given other data, or
        none.
        """
        return tuple(self._said_by_syn("notes", ()))

    @property
    def models(self) -> dict[str, Any]:
        """The trees of `syn(models=True)` by column. They hold original values."""
        return dict(self._said_by_syn("models", {}))

    def _said_by_syn(self, name: str, otherwise: Any) -> Any:
        return self.meta.get(name, otherwise) if self._made_by_syn else otherwise

    def choose(self, msel: Any) -> SynDS:
        """A synthesis of some of the sets, by their numbers from 1 (R's ``msel``); what is known
        about how they were made stays.
        """
        numbers = listed(msel)
        if not numbers:
            raise InputError("msel: is empty; give the number of at least one set, counted from 1")
        for number in numbers:
            if not is_number(number) or number not in range(1, self.m + 1):
                raise InputError(
                    f"msel: {number!r} is not the number of a set; give whole numbers from 1 to"
                    f" {self.m}"
                )
        return SynDS([self.syn[int(number) - 1] for number in numbers], self.cont_na, self.meta)

    @property
    def _made_by_syn(self) -> bool:
        return self._in_memory and "predictor_matrix" in self.meta

    @property
    def _in_memory(self) -> bool:
        return all(map(is_in_memory, self.syn))

    def _columns(self) -> list[Hashable]:
        return column_names(self.syn[0]) if self.syn else list(self.predictor_matrix)

    def _plain_sets(self) -> list[pd.DataFrame]:
        return [check_frame(frame, "syn") for frame in self.syn]

    def _rows(self) -> list[int]:
        """Records of each data set."""
        return [number_of_records(frame) for frame in self.syn]

    def _title(self) -> str:
        return "Synthetic data"

    def _headline(self, to: int = 1) -> list[str]:
        if self._made_by_syn:
            return [f"{synds_show.number_of(self._plain_sets())}."]
        sets = "1 synthetic data set" if self.m == 1 else f"{self.m} synthetic data sets"
        return [f"{sets} of {self._rows_in_words()} and {len(self._columns())} columns."]

    def _short(self) -> Sections:
        return self._rounded(1)

    def _sections(self) -> Sections:
        """With first records, where they are at hand."""
        if self._made_by_syn or not self._in_memory:
            return self._rounded(1)
        return synds_show.as_r_prints(self._line(), self._plain_sets(), self.meta)

    def _rounded(self, to: int) -> Sections:
        if self._made_by_syn:
            return synds_show.sections(self._plain_sets(), self.meta, for_others=to > 1)
        return [[self._line()]]

    def _line(self) -> str:
        special = f", cont_na: {', '.join(map(str, self.cont_na))}" if self.cont_na else ""
        rows, columns = self._rows_in_words(), len(self._columns())
        return f"SynDS(m={self.m}, {rows}, {columns} columns{special})"

    def _rows_in_words(self) -> str:
        """How many records there are. Those in an engine are not counted to be printed: that may
        take minutes.
        """
        engines = {library_of(native_of(one)): None for one in self.syn if not is_in_memory(one)}
        if engines:
            return f"rows in {' and '.join(engines)}, not counted"
        fewest, most = min(self._rows()), max(self._rows())
        return f"{most} rows" if fewest == most else f"{fewest} to {most} rows"

    def _details(self) -> Sections:
        if not self._made_by_syn:
            return []
        return synds_show.summary_sections(self._plain_sets(), self.meta)

    def _content(self) -> dict[str, Any]:
        """The contents of the synthesis. `meta` stays out: it may hold a seed."""
        content = {
            "m": self.m,
            "columns": [column_name(name) for name in self._columns()],
            "cont_na": self.cont_na,
        }
        if self._made_by_syn:
            content |= {
                "call": self.call,
                "method": self.method,
                "visit_sequence": [column_name(name) for name in self.visit_sequence],
                "predictor_matrix": self.predictor_matrix,
                "notes": self.notes,
            }
        return content

    def _records(self) -> dict[str, Any]:
        return {"synthetic": self._rows()}


def _checked_frames(frames: object) -> list[AnyFrame]:
    sets = listed_sets("frames", frames)
    for number, one in enumerate(sets, start=1):
        frame = sets[number - 1] = open_table(one, "frames") if is_path(one) else one
        if not (is_frame(frame) or is_table(frame)):
            refuse_other_frames(frame, f"frames, element {number}")
            raise InputError(
                f"frames: element {number} is a {type(frame).__name__}, not {FRAMES} or a table of"
                " an engine"
            )
        columns, expected = column_names(frame), column_names(sets[0])
        if columns != expected:
            raise InputError(
                f"frames: element {number} has the columns {columns}, element 1 has {expected}; all"
                " sets need the same columns in the same order"
            )
    return sets


def _checked_cont_na(cont_na: object, columns: list[Hashable]) -> dict[Hashable, tuple[Any, ...]]:
    special = special_values(cont_na)
    for name in special:
        if name not in columns:
            raise unknown_name("cont_na", name, columns, "the synthetic data")
    return {name: values for name, values in special.items() if values}
