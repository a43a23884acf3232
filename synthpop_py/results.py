"""What `disclosure()` and `multi_disclosure()` return: figures as data frames, and their views."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from numbers import Integral
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from .arguments import TO_PRINT, Call, check_choice, check_digits, check_to_print
from .cells import VECTORS, Counts
from .checks import LEVEL_FIELDS, PAIR_FIELDS, LevelCheck, PairCheck
from .core.arrays import Integers
from .errors import InputError, unknown_choice
from .exclusions import COLUMNS, REASONS
from .grouping import Grouping
from .holdout import blocks, sentence, with_intervals
from .levels import Factor, Side
from .measures import BY_NAME, Share
from .r.ledger import DefectFinding
from .r.reading import CORRECTED, LAYOUTS, VERSIONS, Mode
from .records import diversity_of, records_of
from .rounding import ROUND_TO
from .show import people_pages
from .show.printing import Block, Sections, Table
from .show.values import column_name
from .show.views import Drawn

SAME = 1e-12  # smaller differences come from summing in another order
MOST_DECIMALS = 12
TIDY_COLUMNS = (
    "synthesis", "measure", "value", "numerator", "denominator", "base", "left_out", "corrected",
    "defect", "unit", "direction",
)  # fmt: skip
HEADLINES = ("repU", "DiSCO", "UiO", "Dorig")
SHORT = {"Identity (UiO/repU)": ("UiO", "repU"), "Attrib (Dorig/DiSCO)": ("Dorig", "DiSCO")}
CAPTIONS = {
    "ident": "Identity measures from keys {keys}, in % of records",
    "attrib": (
        "Attribute measures for {target} from keys {keys}, in % of records (max_denom, mean_denom:"
        " original records per cell)"
    ),
    "allCAPs": "Correct attribution probabilities for {target} from keys {keys}, in %",
}
CHECKS = {
    "check_1way": (
        "Target level behind most disclosive records of {target}",
        "No single level of the target stands out.",
    ),
    "check_2way": (
        "Pairs of {target} and a key that nearly always go together",
        "No pair of target and key stands out.",
    ),
}
CORRECT_IS = " The correct result: .corrected, or compat='corrected'."


class ByName:
    """Every measure of a result as an attribute; type checkers know their names from here."""

    __slots__ = ()

    if TYPE_CHECKING:
        UiO: Any
        UiS: Any
        UiOiS: Any
        repU: Any
        Dorig: Any
        Dsyn: Any
        iS: Any
        DiS: Any
        DiSCO: Any
        DiSDiO: Any
        baseCAPd: Any
        CAPd: Any
        CAPs: Any
        DCAPd: Any
        DCAPb: Any
        DCAPs: Any
        TCAPb: Any
        TCAPs: Any
        TCAP_DiS: Any
        TCAP_iS: Any
        DCAPd_scaled: Any
        TCAP_iS_scaled: Any
    else:

        def __getattr__(self, name: str) -> Any:
            """A measure by its name: the mean over syntheses, in per cent."""
            # copying and pickling ask results for names that they do not have
            if name.startswith("_") or name not in BY_NAME:
                raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
            return self._measure(name)

    def __dir__(self) -> list[str]:
        return sorted({*object.__dir__(self), *BY_NAME})


@dataclass(frozen=True, slots=True)
class Figures:
    """Every figure about one synthesis.

    Attributes
    ----------
    shares : measure to numerator and denominator.
    max_denom, mean_denom : of the DiSCO cells, in records.
    ledger : (8, 6) records of each count that were removed, by reason, and what remained.
    of_identity : original, and synthetic, records that identity measures are about.
    level, pairs : what is flagged as possibly common knowledge.
    na_rows : for how many pairs R shows a row of NA (D11).
    counts, target : the cells behind them, and the original's levels of the target; None in a copy.
    """

    shares: dict[str, Share]
    max_denom: float
    mean_denom: float
    ledger: Integers
    of_identity: tuple[int, int]
    level: LevelCheck | None
    pairs: tuple[PairCheck, ...]
    na_rows: int
    counts: Counts
    target: Side

    def tables(self, version: str) -> dict[str, dict[str, float]]:
        """The figures by table and column, as a version of R's package lays them out."""
        layout = LAYOUTS[version]
        tables = {
            "ident": self._percent(layout.ident),
            "attrib": self._percent(layout.attrib)
            | {"max_denom": self.max_denom, "mean_denom": self.mean_denom},
            "allCAPs": self._percent(layout.caps),
        }
        if layout.denoms:
            denoms = layout.denoms.items()
            tables["attrib_denoms"] = {
                shown: float(self.shares[name].denominator) for shown, name in denoms
            }
        return tables

    def _percent(self, columns: Mapping[str, str]) -> dict[str, float]:
        return {shown: self.shares[measure].percent for shown, measure in columns.items()}

    def everything(self, version: str) -> list[Any]:
        """All numbers and texts, to compare two readings."""
        found: list[Any] = [self.na_rows, *self.ledger.ravel().tolist()]
        for table in self.tables(version).values():
            found += table.values()
        if self.level is not None:
            found += [getattr(self.level, name) for name in LEVEL_FIELDS]
        for pair in self.pairs:
            found += [getattr(pair, name) for name in PAIR_FIELDS]
        return found


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class Disclosure(Drawn, ByName):
    """Identity and attribute disclosure of one target from a set of keys, for m syntheses.

    Measures are percentages of records (`Norig` original ones unless a measure is about synthetic
    records); higher means more risk.

    Attributes
    ----------
    ident, attrib, allCAPs, attrib_denoms : DataFrame
        One row per synthesis (index 1 to m), R's columns. `attrib_denoms` is None in the layout of
        synthpop 1.9-2.
    check_1way, check_2way : list of DataFrame or None
        One entry per synthesis: what may be common knowledge, None when nothing is flagged.
    check1, check2 : the flagged level and the number of flagged pairs as text and number, None when
        nothing is flagged.
    Nexclusions : list of DataFrame
        One 8 x 6 table per synthesis: records of each count that were removed, by reason, and what
        remained.
    keys, target, Norig, Nsyn, m, digits, to_print, call, compat : the arguments, the records of the
        original and of each synthesis, how it is printed.
    certainty : float
        The share of records with the same keys that must have one target value for it to count as
        revealed; 1 by default.
    DiSCO, repU, UiO, ... : float
        Every measure by its name (`tidy()` lists them): the mean over syntheses, in per cent.
        ``result["DiSCO"]`` has one value per synthesis. Both follow `compat`.
    shares : one dictionary per synthesis, measure to (numerator, denominator); `tidy()` shows them.
    baseline : DataFrame or None
        With `holdout`: each measure of members beside that of non-members, with an interval of the
        difference. Always under the corrected reading.
    defects : tuple of DefectFinding
        R's defects that took effect in this call.
    corrected : Disclosure or None
        The correct result, where R's differs.
    notes : tuple of str
        What to know about the data before trusting a figure, keys first: columns that cannot match,
        values written in two ways, options without effect.
    """

    _sets: tuple[Figures, ...]
    check1: str | None
    check2: int | None
    keys: tuple[Any, ...]
    target: Any
    Norig: int
    Nsyn: tuple[int, ...]
    m: int
    digits: int
    to_print: tuple[str, ...]
    call: str
    compat: Mode
    certainty: float = 1.0
    groupings: Mapping[Hashable, Grouping] = field(default_factory=dict)
    defects: tuple[DefectFinding, ...] = ()
    corrected: Disclosure | None = None
    notes: tuple[str, ...] = ()
    _asked: Call | None = None
    _special: Mapping[Hashable, Any] = field(default_factory=dict)
    _as_read: Mapping[Hashable, Factor] | None = None  # the original's columns; None in a copy
    _counts: Hashable | None = None
    _pasted: bool = False  # R pastes keys so that their levels do not lead to a cell
    _baseline: pd.DataFrame | None = None
    _on_order: tuple[str, ...] = ()  # notes that depend on where the records are stored

    # ---- one measure -----------------------------------------------------------------

    def _measure(self, name: str) -> float:
        return mean_as_r([one.shares[name].percent for one in self._sets])

    def __getitem__(self, measure: str) -> pd.Series:
        """A measure in each synthesis, in per cent; the index is the number of the synthesis."""
        if not isinstance(measure, str) or measure not in BY_NAME:
            raise unknown_choice("measure", measure, list(BY_NAME), "the measures")
        values = [shares[measure].percent for shares in self.shares]
        return pd.Series(values, index=range(1, self.m + 1), name=measure)

    # ---- R's components --------------------------------------------------------------

    @property
    def ident(self) -> pd.DataFrame:
        return self._table("ident")

    @property
    def attrib(self) -> pd.DataFrame:
        return self._table("attrib")

    @property
    def allCAPs(self) -> pd.DataFrame:
        return self._table("allCAPs")

    @property
    def attrib_denoms(self) -> pd.DataFrame | None:
        return self._table("attrib_denoms") if LAYOUTS[VERSIONS[self.compat]].denoms else None

    def _table(self, name: str) -> pd.DataFrame:
        rows = [one.tables(VERSIONS[self.compat])[name] for one in self._sets]
        return pd.DataFrame(rows, index=pd.RangeIndex(1, self.m + 1), dtype=np.float64)

    @property
    def check_1way(self) -> list[pd.DataFrame | None]:
        return [level_frame(one.level) for one in self._sets]

    @property
    def check_2way(self) -> list[pd.DataFrame | None]:
        return [pair_frame(one.pairs) for one in self._sets]

    @property
    def Nexclusions(self) -> list[pd.DataFrame]:
        return [pd.DataFrame(one.ledger, list(VECTORS), list(COLUMNS)) for one in self._sets]

    @property
    def shares(self) -> tuple[dict[str, Share], ...]:
        return tuple(one.shares for one in self._sets)

    @property
    def baseline(self) -> pd.DataFrame | None:
        """Members beside non-members; None without a holdout.

        One row per measure (iS, DiS, DiSCO, DCAPd, TCAP_iS, TCAP_DiS). Columns: target, measure,
        members, non_members, difference (per cent, means over syntheses; TCAP is the ratio of
        means), lower, upper (interval of the difference), level, p_value ("does membership matter
        at all?"), n_members, n_non_members, numerator_members, numerator_non_members (people; means
        over syntheses), effective_n (how many records with scores of 0 or 1 would be as informative
        as the non-members).
        """
        return None if self._baseline is None else with_intervals(self._baseline, self.target)

    # ---- other shapes ----------------------------------------------------------------

    def tidy(self) -> pd.DataFrame:
        """One row for each synthesis and measure.

        Columns: synthesis, measure, value (per cent; max_denom and mean_denom are records),
        numerator, denominator (records; None where a measure is not a share), base (the records
        that it is about, after exclusions: original ones, but synthetic ones for UiS, Dsyn and
        CAPs), left_out (those that exclusions left out of it, which a denominator of all records
        still counts), corrected (the correct value; the same as `value` unless a defect of R
        shows), defect (the ids of those that took effect, where the two differ), unit, direction
        ("higher is riskier"; empty for max_denom and mean_denom). TCAP in both its meanings:
        TCAP_DiS over records certain in the synthetic data, TCAP_iS over records found there.
        """
        rows = []
        for j, one in enumerate(self._sets):
            correct = one
            if self.corrected is not None and j < self.corrected.m:
                correct = self.corrected._sets[j]
            for name in (*BY_NAME, "max_denom", "mean_denom"):
                rows.append(self._tidy_row(j, name, one, correct))
        return pd.DataFrame(rows, columns=TIDY_COLUMNS)

    def _tidy_row(self, j: int, name: str, one: Figures, correct: Figures) -> tuple[Any, ...]:
        measure = BY_NAME.get(name)
        share = Share.none() if measure is None else one.shares[name]
        values = [
            getattr(of, name) if measure is None else of.shares[name].percent
            for of in (one, correct)
        ]
        side = 0 if measure is None or measure.people else 1
        everybody = (self.Norig, self.Nsyn[j])[side]
        base = int(one.ledger[side, -1])
        if measure is not None and measure.about != "what exclusions leave":
            base = everybody if measure.about == "everybody" else one.of_identity[side]
        ids = "" if same(*values) else ", ".join(finding.id for finding in self.defects)
        unit = ("records", "") if measure is None else (measure.unit, measure.direction)
        figures = (values[0], share.numerator, share.denominator)
        return (j + 1, name, *figures, base, everybody - base, values[1], ids, *unit)

    def records(self, original: Any = None) -> Any:
        """One row per original record and synthesis: which measures the record counts for.

        Parameters
        ----------
        original : the data of the call, again. A result keeps no data: it finds the records in this
            table, and refuses one with other records. Each row of a frequency table that has
            records gives one row, and `n` says how many.

        Columns: synthesis, record (position in the original data, from 0), UiO, repU, iS, DiS,
        DiSCO, DiSDiO (bool: whether the record counts for the measure, after exclusions), and the
        records that share its keys (orig_key, syn_key) or its keys and target (orig_cell,
        syn_cell). The sum of a bool column (of frequency tables: of `n` where it is true) is the
        measure's numerator.

        For a pandas frame the result is a new frame. For every other table it is a table of the
        same kind with these columns added, without `record`: a polars frame or lazy frame, an Arrow
        table, a relation of DuckDB, a data frame of Spark, a table of Ibis. An engine receives the
        flags once, one row per distinct row. Nothing is collected, and nothing is written except a
        temporary table where a database needs one. `n` is added unless the column of counts already
        has that name. A table with a column of one of these names is refused.

        The flags are those of this result. Where a defect of R shows (`defects` is not empty) they
        are R's, and the correct ones are in ``result.corrected.records(original)``.
        """
        if original is None:
            raise InputError(
                "original: missing; a result keeps no data, so give them again, as in"
                " result.records(original)"
            )
        return records_of(self._kept("records"), original)

    def diversity(self, up_to: int = 5) -> pd.DataFrame:
        """How many original records have keys with few target values, in per cent: one row for each
        synthesis and each l from 2 to `up_to`.

        Columns: synthesis, l, and original records whose combination of keys has fewer than l
        target values in the original (Dorig) or in the synthetic data (DiS); those of the second
        whose own value is one of the synthetic ones (DiSCO), and whose combination also has as few
        in the original (DiSDiO). For l = 2 these are the measures themselves, where `certainty` is
        1; for l = 3 the intruder is left with at most two values. The distribution of records over
        the values does not matter here: see `certainty`. Exclusions apply here too.

        Where a defect of R shows, ``result.corrected.diversity()`` has the correct figures.

        Examples
        --------
        Keys a have one job in the original and two in the synthetic data, keys b two and one.

        >>> import pandas as pd
        >>> from synthpop_py import disclosure
        >>> people = pd.DataFrame({"town": list("aabb"), "job": list("xxxy")})
        >>> fake = pd.DataFrame({"town": list("aabb"), "job": list("xzyy")})
        >>> result = disclosure(fake, people, "town", "job", print_flag=False)
        >>> print(result.diversity(up_to=3).to_string(index=False))
         synthesis  l  Dorig   DiS  DiSCO  DiSDiO
                 1  2   50.0  50.0   25.0     0.0
                 1  3  100.0 100.0   75.0    75.0
        """
        if isinstance(up_to, bool) or not isinstance(up_to, Integral) or up_to < 2:
            raise InputError(f"up_to: {up_to!r} is not a whole number of 2 or more")
        return diversity_of(self._kept("diversity"), int(up_to))

    def _kept(self, asked: str) -> Disclosure:
        if self._as_read is None:
            raise InputError(
                f"{asked}: not available for a result that was copied or stored; call disclosure()"
                " again"
            )
        return self

    def _same_figures(self, other: Disclosure) -> bool:
        """Whether every figure is the same, in the tables of this result's version of R."""
        if (self.m, self.check1, self.check2) != (other.m, other.check1, other.check2):
            return False
        version = VERSIONS[self.compat]
        both = [[one.everything(version) for one in result._sets] for result in (self, other)]
        pairs = list(zip(*both))
        return all(len(a) == len(b) and all(map(same, a, b)) for a, b in pairs)

    # ---- views -----------------------------------------------------------------------

    def _title(self) -> str:
        return f"Disclosure risk for {self.target}"

    def _everybody(self) -> int:
        return self.Norig

    def _notes(self) -> list[str]:
        return list(self.notes)

    def _headline(self, to: int = 1) -> list[str]:
        if to > 1:
            return people_pages.disclosure_headline(self, to)
        over = "" if self.m == 1 else f", mean of {self.m} syntheses"
        how = "with certainty" if self.certainty == 1 else "nearly surely"
        keys = ", ".join(map(str, self.keys))
        lines = [
            f"{self._both_figures('repU')} of the original records are unique on {keys} in the"
            f" original and in the synthetic data (repU{over}).",
            f"For {self._both_figures('DiSCO')} of the original records the synthetic data reveal"
            f" the value of {self.target} {how} and correctly (DiSCO{over}).",
        ]
        if self._baseline is not None:
            lines.append(sentence(self._baseline, "DiSCO", self.digits))
        if self._excluded():
            lines.append(f"{self._left_out_of()}: {left_out_words(self)}.")
        return lines

    def _both_figures(self, measure: str) -> str:
        """A mean percentage, with the correct one beside it where R's is wrong."""
        shown = f"{getattr(self, measure):.{self.digits}f} %"
        if self.corrected is None:
            return shown
        beside = f"{getattr(self.corrected, measure):.{self.digits}f} %"
        return shown if beside == shown else f"{shown} (R; correct: {beside})"

    def _sections(self) -> Sections:
        return self._parts(self.to_print, self.digits)

    def _short(self) -> Sections:
        return self._parts(("short",), self.digits)

    def _rounded(self, to: int) -> Sections:
        return people_pages.disclosure_sections(self, to)

    def _parts(self, to_print: Sequence[str], digits: int) -> Sections:
        return list(_parts(self, to_print, digits))

    def _excluded(self) -> bool:
        """Whether any original record was left out of any count."""
        return any(one.ledger[0, :-1].any() for one in self._sets)

    def _left_out_of(self) -> str:
        """Identity risk leaves out records that lack a key; in R everyone left out for any reason
        (D17).
        """
        removed = self._sets[0].ledger[0]
        no_key = COLUMNS.index("missing in  keys")
        keys_alone = removed[:-1].sum() == removed[no_key]
        all_alike = self.compat != CORRECTED or keys_alone
        return "Left out" if all_alike else "Left out of attribute risk"

    def _content(self) -> dict[str, Any]:
        left_out = [int(one.ledger[0, :-1].sum()) for one in self._sets]
        return {
            "compat": self.compat,
            "r_version": VERSIONS[self.compat],
            "call": self.call,
            "keys": list(map(column_name, self.keys)),
            "target": column_name(self.target),
            "Norig": self.Norig,
            "Nsyn": list(self.Nsyn),
            "digits": self.digits,
            "to_print": list(self.to_print),
            **{name: getattr(self, name) for name in ("ident", "attrib", "allCAPs")},
            "attrib_denoms": self.attrib_denoms,
            "check_1way": self.check_1way,
            "check_2way": self.check_2way,
            "Nexclusions": self.Nexclusions,
            "left_out": left_out,
            "remaining": [self.Norig - n for n in left_out],
            "of_identity": [list(one.of_identity) for one in self._sets],
            "baseline": self.baseline,
            "check1": self.check1,
            "check2": self.check2,
            "shares": [{name: list(one) for name, one in of.items()} for of in self.shares],
            "defects": [finding.content() for finding in self.defects],
            "corrected": None if self.corrected is None else self.corrected.to_dict(),
            "notes": [note for note in self.notes if note not in self._on_order],
        }

    def _arguments(self) -> dict[str, Any]:
        call = self._asked
        if call is None:
            return {}
        style = dict(call.style)
        if "fixed_breaks" in style:
            style["fixedBreaks"] = style.pop("fixed_breaks")
        names = ("thresh_1way", "thresh_2way", "compare_synorig", "collation")
        return {
            "keys": [column_name(key) for key in call.asked],
            "target": column_name(call.target),
            "cont_na": {str(name): values for name, values in self._special.items()},
            "counts": None if self._counts is None else column_name(self._counts),
            "denom_lim": call.given_limit,
            "exclude_ov_denom_lim": call.limit is not None,
            "not_targetlev": call.levels,
            "usetargetNA": call.use_target,
            "usekeysNA": call.use_keys,
            "exclude_keys": [column_name(pair.key) for pair in call.pairs],
            "exclude_keylevs": [pair.key_level for pair in call.pairs],
            "exclude_targetlevs": [pair.target_level for pair in call.pairs],
            "ngroups_target": call.groups_target,
            "ngroups_keys": call.groups,
            **{name: getattr(call, name) for name in names},
            "certainty": self.certainty,
            **style,
            "compat": self.compat,
            "digits": self.digits,
            "to_print": self.to_print,
        }

    def _records(self) -> dict[str, Any]:
        return {"original": self.Norig, "synthetic": list(self.Nsyn)}

    def print(self, to_print: str | Sequence[str] | None = None, digits: int | None = None) -> None:
        """Show tables as R prints them, with both figures wherever R's is wrong.

        Parameters
        ----------
        to_print : one or more of "short" (alone), "ident", "attrib", "allCAPs", "check_1way",
            "check_2way", "exclusions", "all"; or what every result has, "summary", "notes",
            "tables".
        digits : decimals.
        """
        decimals = self.digits if digits is None else check_digits(digits)
        self._print_parts(
            self._parts(self.to_print, decimals),
            self.to_print if to_print is None else to_print,
            own=TO_PRINT,
            of_own=lambda names: self._parts(check_to_print(names), decimals),
        )

    def plot(
        self, kind: str = "funnel", ax: Any = None, *, round_to: int = ROUND_TO, **options: Any
    ) -> Any:
        """Draw "funnel" (how the number of records falls from all to DiSDiO; option `synthesis`) or
        "identity" (needs matplotlib). Counts of people are rounded to a multiple of `round_to`; 1
        shows them as they are. Returns the axes.
        """
        from .plots import plot_funnel, plot_identity

        draw: dict[str, Any] = {"funnel": plot_funnel, "identity": plot_identity}
        chosen = check_choice("kind", kind, tuple(draw))
        return draw[chosen](self, ax=ax, round_to=round_to, **options)

    def __getstate__(self) -> dict[str, Any]:
        """Copied and stored without the cells: `records` and `diversity` need a new call."""
        state = {name: getattr(self, name) for name in self.__dataclass_fields__}
        without: dict[str, Any] = {"counts": None, "target": None}
        sets = tuple(replace(one, **without) for one in self._sets)
        return {**state, "_sets": sets, "_as_read": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        for name, value in state.items():
            object.__setattr__(self, name, value)


# ---- printing ------------------------------------------------------------------------


def _parts(result: Disclosure, to_print: Sequence[str], digits: int) -> Iterator[Sequence[Block]]:
    """The blocks of one section after the other."""
    everything, short = "all" in to_print, "short" in to_print
    keys = ", ".join(map(str, result.keys))
    syntheses = "1 synthesis" if result.m == 1 else f"{result.m} syntheses"
    yield [f"Disclosure risk for {result.Norig} original records, {syntheses}; keys: {keys}"]
    if result.certainty < 1:
        yield [nearly_sure(result.certainty)]
    if result._excluded():
        more = "; result.print('exclusions') has more." if short or everything else "."
        yield [
            f"{result._left_out_of()}: {left_out_words(result)}. Percentages are still of all"
            f" {result.Norig}{more}"
        ]
    if short:
        yield [short_table(result, digits)]
    if everything:
        yield [f"Call: {result.call}"]
    for name, caption in CAPTIONS.items():
        if name in to_print or everything:
            yield from both(
                result,
                lambda of, name=name, caption=caption: Table(
                    of._table(name), caption.format(target=result.target, keys=keys), digits
                ),
            )
    if result._baseline is not None:
        frame = with_intervals(result._baseline, result.target)
        out = result._baseline["left_out"].iloc[0]
        table, *about = blocks(frame, frame["measure"], digits, result.m)
        yield [table, *([f"Left out of the non-members: {out}."] if out else []), *about]
    for name in CHECKS:
        if name in to_print:
            yield from _check_tables(result, name)
        elif getattr(result, name.replace("_", "")[:5] + name[6]) is not None:
            yield _remark(result, name)
    if "exclusions" in to_print:
        for j in range(result.m):
            caption = f"Records removed from each count, by reason, synthesis {j + 1}"
            yield from both(result, lambda of, j=j, c=caption: Table(of.Nexclusions[j], c), j)
    if result.defects:
        yield defect_lines(result, to_print)


def both(result: Disclosure, make: Any, j: int = 0) -> Iterator[Sequence[Block]]:
    """A table and, where it differs, the correct one."""
    table = make(result)
    yield [table]
    correct = result.corrected
    if correct is None or j >= correct.m:
        return
    other = make(correct)
    if not other.frame.round(MOST_DECIMALS).equals(table.frame.round(MOST_DECIMALS)):
        yield [Table(other.frame, "The same with R's defects corrected", table.digits)]


def short_table(result: Disclosure, digits: int) -> Table:
    """UiO and Dorig of the original, repU and DiSCO of each synthesis."""
    columns, sets = {}, result._sets
    for heading, (of_original, of_synthesis) in SHORT.items():
        shown = [sets[0].shares[of_original], *(one.shares[of_synthesis] for one in sets)]
        columns[heading] = [share.percent for share in shown]
    labels = ["Original", *(f"Synthesis {j}" for j in range(1, result.m + 1))]
    caption = (
        f"Identity risk, and attribute risk for {result.target}, in % of original records"
        " (higher is riskier)"
    )
    return Table(pd.DataFrame(columns, index=labels), caption, digits)


def nearly_sure(certainty: float) -> str:
    """What the figures mean if less than certainty was asked for."""
    return (
        f"Nearly sure: a target value counts as revealed if at least {100 * certainty:.10g} % of"
        " the records with the same keys have it, not only if all do."
    )


def left_out_words(result: Disclosure) -> str:
    """Such as "438 of 5000 people (target missing 438)"."""
    ledgers = [one.ledger[0, :-1] for one in result._sets]
    # the original decides who is left out
    removed = next((ledger for ledger in ledgers if ledger.any()), ledgers[0])
    told = [f"{reason.told} {n}" for reason, n in zip(REASONS, removed.tolist()) if n]
    return f"{int(removed.sum())} of {result.Norig} people ({'; '.join(told)})"


def _check_tables(result: Disclosure, name: str) -> Iterator[Sequence[Block]]:
    caption, nothing = CHECKS[name]
    for j, frame in enumerate(getattr(result, name), start=1):
        of_several = f", synthesis {j}" if result.m > 1 else ""
        if frame is None:
            yield [f"{nothing[:-1]}{of_several}."]
        else:
            yield [Table(frame, caption.format(target=result.target) + of_several)]


def _remark(result: Disclosure, name: str) -> list[str]:
    """Where to find what a check has flagged."""
    if name == "check_1way":
        level = result.check1
        missing = level == "Missing"
        how = "usetargetNA=False" if missing else f"adding {level!r} to not_targetlev"
        return [
            f"Look at level {level} of {result.target}: most disclosive records have it, so it may"
            " be common knowledge.",
            f"result.print('check_1way') shows it; {how} leaves it out.",
        ]
    pairs = "pair" if result.check2 == 1 else "pairs"
    return [
        f"Look at {result.check2} {pairs} of {result.target} and a key that nearly always go"
        " together.",
        "result.print('check_2way') shows them; exclude_keys, exclude_keylevs and"
        " exclude_targetlevs leave them out, exclude_ov_denom_lim=True leaves out large cells.",
    ]


def level_frame(level: LevelCheck | None) -> pd.DataFrame | None:
    """The flagged level of the target."""
    if level is None:
        return None
    row = {name: [getattr(level, name)] for name in LEVEL_FIELDS}
    # R cannot name a row with an empty text and falls back to the row's number
    return pd.DataFrame(row, index=[level.Level or "1"])


def pair_frame(pairs: Sequence[PairCheck]) -> pd.DataFrame | None:
    """The flagged pairs of target and key."""
    if not pairs:
        return None
    columns = {name: [getattr(pair, name) for pair in pairs] for name in PAIR_FIELDS}
    return pd.DataFrame(columns, index=[pair.row for pair in pairs])


# ---- R's figures beside the correct ones ---------------------------------------------


def same(a: Any, b: Any) -> bool:
    """Whether two figures are equal but for the order of sums; NaN equals NaN."""
    if isinstance(a, str) or isinstance(b, str):
        return bool(a == b)
    return a == b or math.isclose(a, b, rel_tol=SAME, abs_tol=0) or (a != a and b != b)


def differing(result: Disclosure, correct: Disclosure) -> Iterator[tuple[str, float, float]]:
    """The measures that differ, with both means, those first on which people decide."""
    layout = LAYOUTS[VERSIONS[result.compat]]
    tables = (*layout.ident.values(), *layout.attrib.values(), *layout.caps.values())
    for name in dict.fromkeys([*HEADLINES, *tables]):
        a, b = getattr(result, name), getattr(correct, name)
        if not same(a, b):
            yield name, a, b


def both_texts(a: float, b: float, decimals: int = 2) -> tuple[str, str]:
    """Two figures with enough decimals to tell them apart."""
    while decimals < MOST_DECIMALS and f"{a:.{decimals}f}" == f"{b:.{decimals}f}":
        decimals += 1
    first, second = ("none" if x != x else f"{x:.{decimals}f} %" for x in (a, b))
    return first, second


def reports(version: str, name: str, a: float, b: float, ids: str) -> str:
    """R's figure and the correct one, in a sentence; whole numbers are counts."""
    r, correct = (str(a), str(b)) if isinstance(a, int) else both_texts(a, b)
    return f"R's synthpop {version} reports {name} {r}; {correct} is correct ({ids})."


def change(result: Disclosure) -> str:
    """The figure that matters most, for a warning, which ends up in logs: no level is named."""
    assert result.defects
    if result.corrected is None:
        return result.defects[0].refused
    wrong = list(differing(result, result.corrected))
    if not wrong:
        return "checks, exclusions or single syntheses"
    more = f"; {len(wrong) - 1} more" if len(wrong) > 1 else ""
    name, a, b = wrong[0]
    r, correct = (text.removesuffix(" %") for text in both_texts(a, b))
    return f"{name}: R {r}, correct {correct}{more}"


def defect_lines(result: Disclosure, to_print: Sequence[str] = ("all",)) -> list[str]:
    """What is wrong in R's figures, of those that are printed."""
    ids = ", ".join(finding.id for finding in result.defects)
    version = VERSIONS[result.compat]
    if result.corrected is None:
        return [f"{result.defects[0].refused} ({ids})."]
    wrong = list(differing(result, result.corrected))
    whole = "short" in to_print or "all" in to_print
    if not whole:
        layout = LAYOUTS[version]
        tables = {"ident": layout.ident, "attrib": layout.attrib, "allCAPs": layout.caps}
        printed = {name for part in to_print for name in tables.get(part, {}).values()}
        wrong = [one for one in wrong if one[0] in printed]
    most = max(1, sum(name in HEADLINES for name, *_ in wrong))
    lines = [reports(version, *one, ids) for one in wrong[:most]]
    if not lines:
        where = "other figures of this result"
        if whole:
            where = "checks, exclusions or single syntheses"
        lines = [f"R's synthpop {version} has {where} wrong ({ids})."]
    more = len(wrong) - most
    others = f"{more} more {'differs' if more == 1 else 'differ'}, see .tidy(). "
    return [*lines, f"{others if more > 0 else ''}Why: .defects.{CORRECT_IS}"]


def mean_as_r(values: Sequence[float]) -> float:
    """R's mean: the long-double sum divided by the number, so one value stays itself."""
    if len(values) == 1:
        return float(values[0])
    array = np.asarray(values, dtype=np.longdouble)
    return float(array.sum() / len(array)) if len(array) else math.nan
