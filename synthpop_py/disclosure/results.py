"""What `disclosure()` returns."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass, field
from typing import Any, Sequence

import numpy as np
import pandas as pd

from ..core.grouping import Grouping
from ..errors import InputError
from .cells import VECTORS, cell_vectors
from .encoding import codes_named
from .engine import Outcome, SetOutcome
from .exclusions import COLUMNS
from .measures import Share
from .rcompat import BY_ID, VERSIONS, Compat, Mode

IDENT = ("UiO", "UiS", "UiOiS", "repU")
ATTRIB = {"1.9-3": ("Dorig", "Dsyn", "iS", "DiS", "DiSCO", "DCAPd", "DiSDiO"), "1.9-2": ("Dorig", "Dsyn", "iS", "DiS", "DiSCO", "DiSDiO")}
CAPS = {
    "1.9-3": {"baseCAPd": "baseCAPd", "CAPd": "CAPd", "CAPs": "CAPs", "DCAPb": "DCAPb", "DCAPs": "DCAPs", "TCAPb": "TCAPb", "TCAPs": "TCAPs", "TCAP": "TCAP_DiS"},
    "1.9-2": {"baseCAPd": "baseCAPd", "CAPd": "CAPd", "CAPs": "CAPs", "DCAP": "DCAPd", "TCAP": "TCAP_iS"},
}
DENOMS = ("denom_DiSCO", "denom_TCAPb", "denom_TCAPs", "denom_TCAP")
FRAMES = ("ident", "attrib", "allCAPs", "attrib_denoms")


@dataclass(frozen=True, slots=True)
class DefectFinding:
    """A defect of R that changed numbers of this call.

    Attributes
    ----------
    id : its entry in the ledger, see `synthpop_py.r_defects`.
    summary, r_does, right : what it is about.
    changes : one row for each figure it moved: synthesis, measure, R's figure, the right one.
    """

    id: str
    changes: tuple[tuple[int, str, float | str | None, float | str | None], ...]

    @property
    def summary(self) -> str:
        return BY_ID[self.id].summary

    @property
    def r_does(self) -> str:
        return BY_ID[self.id].r_does

    @property
    def right(self) -> str:
        return BY_ID[self.id].right

    def frame(self) -> pd.DataFrame:
        return pd.DataFrame(self.changes, columns=["synthesis", "measure", "r", "right"])


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class Disclosure:
    """Identity and attribute disclosure of one target from a set of keys, for m syntheses.

    Measures are percentages of records (`Norig` original ones unless a measure is about synthetic records); higher means more risk.

    Attributes
    ----------
    ident, attrib, allCAPs, attrib_denoms : DataFrame
        One row a synthesis (index 1 to m), R's columns. `attrib_denoms` is None in the layout of synthpop 1.9-2.
    check_1way, check_2way : list of DataFrame or None
        One entry a synthesis: what may be common knowledge, None when nothing is flagged.
    check1, check2 : the flagged level and the number of flagged pairs as text and number, None when nothing is flagged.
    Nexclusions : list of DataFrame
        One 8 x 6 table a synthesis: records of each count that were removed, by reason, and what remained.
    keys, target, Norig, Nsyn, m, digits, to_print, call, compat
    shares : one dictionary a synthesis, measure to (numerator, denominator); `tidy()` shows them.
    defects : tuple of DefectFinding
        R's defects that changed a number of this call.
    corrected : Disclosure or None
        The right result, where R's differs.
    """

    ident: pd.DataFrame
    attrib: pd.DataFrame
    allCAPs: pd.DataFrame
    attrib_denoms: pd.DataFrame | None
    check_1way: list[pd.DataFrame | None]
    check_2way: list[pd.DataFrame | None]
    check1: str | None
    check2: int | None
    Nexclusions: list[pd.DataFrame]
    keys: tuple[Any, ...]
    target: Any
    Norig: int
    Nsyn: tuple[int, ...]
    digits: int
    to_print: tuple[str, ...]
    call: str
    compat: Mode
    shares: tuple[dict[str, Share], ...] = field(default=())
    defects: tuple[DefectFinding, ...] = ()
    corrected: "Disclosure | None" = None
    _outcome: Outcome | None = None

    @property
    def m(self) -> int:
        """Number of syntheses."""
        return len(self.ident)

    @property
    def groupings(self) -> dict[Any, Grouping]:
        """Classes of the variables that were grouped (empty for a result read from a dictionary)."""
        return {} if self._outcome is None else self._outcome.encoded.groupings

    def _levels_not_found(self) -> list[Any]:
        """Levels given in `not_targetlev` that the target does not have."""
        if self._outcome is None:
            return []
        outcome = self._outcome
        return [level for level in outcome.plan.not_targetlev if not len(codes_named(outcome.encoded.target, level, Compat(outcome.compat.active)))]

    # ---- other shapes ------------------------------------------------------------------------------------------------

    def tidy(self) -> pd.DataFrame:
        """One row for each synthesis and measure.

        Columns: synthesis, measure, value (per cent; max_denom and mean_denom are records), numerator, denominator (records; None where
        a measure is no share), corrected (the right value; the same as `value` unless a defect of R shows), defect (its ids).
        TCAP in both its meanings: TCAP_DiS over records certain in the synthetic data, TCAP_iS over records found there.
        """
        rows = [row for j in range(self.m) for row in self._tidy_rows(j)]
        return pd.DataFrame(rows, columns=["synthesis", "measure", "value", "numerator", "denominator", "corrected", "defect"])

    def _tidy_rows(self, j: int) -> list[tuple]:
        version = VERSIONS[self.compat]
        right = self.corrected if self.corrected is not None and j < self.corrected.m else self
        here = {d.id: {name for synthesis, name, *_ in d.changes if synthesis in (0, j + 1)} for d in self.defects}
        measures = [(name, share.percent, share.numerator, share.denominator, right.shares[j][name].percent) for name, share in self.shares[j].items()]
        measures += [(name, float(self.attrib[name].iloc[j]), math.nan, math.nan, float(right.attrib[name].iloc[j])) for name in ("max_denom", "mean_denom")]
        rows = []
        for name, value, numerator, denominator, corrected in measures:
            ids = [d for d, names in here.items() if name in names or _shown_as(name, version) in names]
            if not ids and not (value == corrected or math.isnan(value) and math.isnan(corrected)):
                ids = list(here)  # a measure that no table of R shows
            rows.append((j + 1, name, value, numerator, denominator, corrected, ", ".join(ids)))
        return rows

    def records(self) -> pd.DataFrame:
        """One row for each original record and synthesis: what can be found out about whom.

        Columns: synthesis, record (position in the original data, from 0), UiO, repU, iS, DiS, DiSCO, DiSDiO (bool: does the record count for
        the measure, after exclusions), and the records that share its keys (orig_key, syn_key) or its keys and target
        (orig_cell, syn_cell). The sum of a bool column is the measure's numerator.

        The flags are those of this result. Where a defect of R shows (`defects` is not empty) they are R's, and the right ones are in
        ``result.corrected.records()``.
        """
        if self._outcome is None:
            raise InputError("records: not available for a result read from a dictionary or JSON; call disclosure() again")
        return record_table(self._outcome)

    def to_dict(self) -> dict[str, Any]:
        """Everything but `records()` as plain Python values; `Disclosure.from_dict` reads it back."""
        from .exchange import disclosure_to_dict

        return disclosure_to_dict(self)

    @classmethod
    def from_dict(cls, content: dict[str, Any]) -> "Disclosure":
        from .exchange import disclosure_from_dict

        return disclosure_from_dict(content)

    def to_json(self) -> str:
        """`to_dict` as JSON text (NaN and infinities as texts, so that every reader can read it)."""
        return json.dumps(self.to_dict(), ensure_ascii=False)

    @classmethod
    def from_json(cls, text: str) -> "Disclosure":
        return cls.from_dict(json.loads(text))

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickled and copied as `to_dict`: everything but `records()`, which needs the data."""
        return Disclosure.from_dict, (self.to_dict(),)

    # ---- views ---------------------------------------------------------------------------------------------------------

    def __repr__(self) -> str:
        from .render import short_text

        return short_text(self)

    def __str__(self) -> str:
        from .render import full_text

        return full_text(self, self.to_print, self.digits)

    def _repr_html_(self) -> str:
        from .render import short_html

        return short_html(self)

    def print(self, to_print: str | Sequence[str] | None = None, digits: int | None = None) -> None:
        """Show tables as R prints them, with both figures wherever R's is wrong.

        Parameters
        ----------
        to_print : one or more of "short" (alone), "ident", "attrib", "allCAPs", "check_1way", "check_2way", "exclusions", "all".
        digits : decimals.
        """
        from ..arguments import check_digits
        from .options import check_to_print
        from .render import full_text

        wanted = self.to_print if to_print is None else check_to_print(to_print)
        print(full_text(self, wanted, self.digits if digits is None else check_digits(digits)))

    def plot(self, kind: str = "funnel", ax: Any = None, **options: Any) -> Any:
        """Draw "funnel" (how records fall from all to DiSDiO; option `synthesis`) or "identity" (needs matplotlib). Returns the axes."""
        from ..plots import plot_funnel, plot_identity
        from ..arguments import check_choice

        draw = {"funnel": plot_funnel, "identity": plot_identity}[check_choice("kind", kind, ("funnel", "identity"))]
        return draw(self, ax=ax, **options)


def _shown_as(name: str, version: str) -> str:
    """The column under which a table of this version shows a share."""
    return next((shown for shown, source in CAPS[version].items() if source == name), name)


# ---- from an outcome ----------------------------------------------------------------------------------------------------------


def build(outcome: Outcome, *, mode: Mode, digits: int, to_print: tuple[str, ...], call: str) -> Disclosure:
    """The result object of a run."""
    version = VERSIONS[mode]
    sets = outcome.sets
    n = outcome.encoded.n
    check1, check2 = _check_facts(outcome)
    return Disclosure(
        ident=_table([[s.shares[c].percent for c in IDENT] for s in sets], IDENT),
        attrib=_attrib(sets, version),
        allCAPs=_table([[s.shares[source].percent for source in CAPS[version].values()] for s in sets], tuple(CAPS[version])),
        attrib_denoms=_denominators(outcome) if version != "1.9-2" else None,
        check_1way=[_level_frame(s) for s in sets],
        check_2way=[_pair_frame(s) for s in sets],
        check1=check1,
        check2=check2,
        Nexclusions=[pd.DataFrame(s.kept.ledger, index=list(VECTORS), columns=list(COLUMNS)) for s in sets],
        keys=outcome.plan.keys,
        target=outcome.plan.target,
        Norig=n[0],
        Nsyn=n[1:],
        digits=digits,
        to_print=to_print,
        call=call,
        compat=mode,
        shares=tuple(s.shares for s in sets),
        _outcome=outcome,
    )


def _table(rows: Sequence[Sequence[float]], columns: Sequence[str]) -> pd.DataFrame:
    """One row a synthesis, numbered from 1; made from one array, which is much cheaper than from columns."""
    return pd.DataFrame(np.array(rows, dtype=np.float64), columns=list(columns), index=pd.RangeIndex(1, len(rows) + 1))


def _attrib(sets: Sequence[SetOutcome], version: str) -> pd.DataFrame:
    rows = [[*(s.shares[c].percent for c in ATTRIB[version]), s.max_denom, s.mean_denom] for s in sets]
    return _table(rows, (*ATTRIB[version], "max_denom", "mean_denom"))


def _denominators(outcome: Outcome) -> pd.DataFrame:
    """The denominators of DiSCO, TCAPb, TCAPs and TCAP, each under its own name (R swaps the names of the two in the middle, D43)."""
    rows = [[float(s.shares[name].denominator) for name in ("DiSCO", "TCAPb", "TCAPs", "TCAP_DiS")] for s in outcome.sets]
    return _table(rows, DENOMS)


def _level_frame(s: SetOutcome) -> pd.DataFrame | None:
    if s.level is None:
        return None
    fields = ("Level", "All", "PctLevelAll", "totalDisclosive", "nLevelDis", "PctLevelDis")
    # R cannot name a row with an empty text and falls back to the row's number
    return pd.DataFrame({f: [getattr(s.level, f)] for f in fields}, index=[s.level.Level or "1"])


def _pair_frame(s: SetOutcome) -> pd.DataFrame | None:
    if not s.pairs:
        return None
    fields = ("target_key_levs", "npairs", "key", "key_target_total", "key_total", "PctTargetKeyLevel")
    return pd.DataFrame({f: [getattr(p, f) for p in s.pairs] for f in fields}, index=[p.row for p in s.pairs])


def _check_facts(outcome: Outcome) -> tuple[str | None, int | None]:
    """The flagged level and the number of flagged pairs over all syntheses; R knows only the last flagged one (D35)."""
    levels = [s.level.Level for s in outcome.sets if s.level is not None]
    pairs = [len(s.pairs) for s in outcome.sets if s.pairs]
    several = len(set(levels)) > 1 or len(set(pairs)) > 1
    if outcome.compat.shows("D35", several) or not several:
        return (levels[-1] if levels else None), (pairs[-1] if pairs else None)
    return ", ".join(dict.fromkeys(levels)) or None, max(pairs, default=None)


# ---- one row a record -----------------------------------------------------------------------------------------------------------


def record_table(outcome: Outcome) -> pd.DataFrame:
    own = outcome.original_cells
    parts = []
    for number, s in enumerate(outcome.sets, start=1):
        cells = s.cells
        place = np.searchsorted(cells.key * outcome.encoded.target.size + cells.target, own)
        who, all_ = s.counted, s.everybody
        unique = (who.d_q == 1)[cells.group] & (who.d > 0)
        columns: dict[str, np.ndarray] = {
            "synthesis": np.full(len(own), number),
            "record": np.arange(len(own)),
            "UiO": unique[place],
            "repU": (unique & (who.s_q == 1)[cells.group])[place],
        }
        columns |= {name: (vector > 0)[place] for name, vector in cell_vectors(cells, all_, s.kept.d).items()}
        columns |= {"orig_key": all_.d_q[cells.group][place], "syn_key": all_.s_q[cells.group][place], "orig_cell": cells.n_orig[place], "syn_cell": cells.n_syn[place]}
        parts.append(pd.DataFrame(columns))
    return pd.concat(parts, ignore_index=True)
