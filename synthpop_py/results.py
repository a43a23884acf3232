"""What `disclosure()` returns: figures as data frames, and their views."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import zip_longest
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import pandas as pd

from .arguments import Call, check_choice, check_digits, check_to_print, check_whole
from .checks import LEVEL_FIELDS, PAIR_FIELDS, LevelCheck, PairCheck
from .core.arrays import Integers
from .errors import InputError, unknown_choice
from .exclusions import COLUMNS
from .grouping import Grouping
from .holdout import with_intervals
from .levels import Factor, Side
from .measures import BY_NAME, EVERYBODY, IDENTITY, MEASURES, NO_SHARE, VECTORS, Counts, Share
from .r.differences import columns_of, same
from .r.ledger import DefectFinding
from .r.reading import VERSIONS, Mode
from .records import diversity_of, records_of
from .rounding import ROUND_TO
from .show import people_pages, risk
from .show.printing import Sections
from .show.values import column_name
from .show.views import Drawn

TIDY_COLUMNS = [
    *("synthesis", "measure", "value", "numerator", "denominator", "base", "left_out"),
    *("corrected", "defect", "unit", "direction"),
]
DENOMINATORS = ("max_denom", "mean_denom")  # of the DiSCO cells, in records


class ByName(Drawn):
    """What results of both functions share. Every measure is an attribute."""

    __slots__ = ()

    if TYPE_CHECKING:
        Norig: int
        notes: tuple[str, ...]
        UiO = UiS = UiOiS = repU = Dorig = Dsyn = iS = DiS = DiSCO = DiSDiO = cast(Any, None)
        baseCAPd = CAPd = CAPs = DCAPd = DCAPb = DCAPs = TCAPb = TCAPs = cast(Any, None)
        TCAP_DiS = TCAP_iS = DCAPd_scaled = TCAP_iS_scaled = cast(Any, None)
    else:

        def __getattr__(self, name: str) -> Any:
            """A measure by its name: the mean over syntheses, in per cent."""
            # copying and pickling ask results for names that they do not have
            if name.startswith("_") or name not in BY_NAME:
                raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
            return self._measure(name)

    def __dir__(self) -> list[str]:
        return sorted({*object.__dir__(self), *BY_NAME})

    def _results(self) -> list[Disclosure]:
        """Those of single targets."""
        raise NotImplementedError

    def _everybody(self) -> int:
        return self.Norig

    def _notes(self) -> Sequence[str]:
        return self.notes

    def _rounded(self, to: int) -> Sections:
        return people_pages.sections(self._results(), to)


@dataclass(frozen=True, slots=True)
class Figures:
    """Every figure about one synthesis.

    Attributes
    ----------
    ledger : (8, 6) records of each count that were removed, by reason, and what remained.
    of_identity : original, and synthetic, records that identity measures are about.
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

    @property
    def left_out(self) -> int:
        """Original records left out, for any reason."""
        return int(self.ledger[0, :-1].sum())

    def row(self, table: str, columns: Mapping[str, str]) -> list[float]:
        """The figures of one of R's tables, whose columns have these measures."""
        shares = [self.shares[measure] for measure in columns.values()]
        if table == "attrib_denoms":
            return [float(share.denominator) for share in shares]
        more = [self.max_denom, self.mean_denom] if table == "attrib" else []
        return [*(share.percent for share in shares), *more]

    def everything(self, compat: str) -> list[Any]:
        """All numbers and texts, to compare two readings."""
        found: list[Any] = [self.na_rows, *self.ledger.ravel().tolist()]
        for table in ("ident", "attrib", "allCAPs", "attrib_denoms"):
            found += self.row(table, columns_of(table, compat))
        if self.level is not None:
            found += [getattr(self.level, name) for name in LEVEL_FIELDS]
        return found + [getattr(pair, name) for pair in self.pairs for name in PAIR_FIELDS]


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class Disclosure(ByName):
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
    check1, check2 : the flagged level as text, the number of flagged pairs; None for none.
    Nexclusions : list of DataFrame
        One 8 x 6 table per synthesis: records of each count that were removed, by reason, and what
        remained.
    keys, target, Norig, Nsyn, m, digits, to_print, call, compat, certainty : the arguments, the
        records of the original and of each synthesis.
    DiSCO, repU, UiO, ... : float
        Every measure by its name (`tidy()` lists them): the mean over syntheses, in per cent.
        ``result["DiSCO"]`` has one value per synthesis. Both follow `compat`.
    shares : one dictionary per synthesis, measure to (numerator, denominator).
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

    def _measure(self, name: str) -> float:
        values = [one.shares[name].percent for one in self._sets]
        if len(values) == 1:
            return values[0]
        # as R's mean: the sum in long doubles divided by the number
        return float(np.asarray(values, dtype=np.longdouble).sum() / len(values))

    def __getitem__(self, measure: str) -> pd.Series:
        """A measure in each synthesis, in per cent; the index is the number of the synthesis."""
        if not isinstance(measure, str) or measure not in BY_NAME:
            raise unknown_choice("measure", measure, list(BY_NAME), "the measures")
        values = [one.shares[measure].percent for one in self._sets]
        return pd.Series(values, index=range(1, self.m + 1), name=measure)

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
        columns = columns_of("attrib_denoms", self.compat)
        return self._table("attrib_denoms") if columns else None

    def _table(self, name: str) -> pd.DataFrame:
        columns = columns_of(name, self.compat)
        names = [*columns, *DENOMINATORS] if name == "attrib" else list(columns)
        rows = [one.row(name, columns) for one in self._sets]
        return pd.DataFrame(np.array(rows), pd.RangeIndex(1, self.m + 1), names)

    @property
    def check_1way(self) -> list[pd.DataFrame | None]:
        # R cannot name a row with an empty text and falls back to the row's number
        levels = [[] if one.level is None else [one.level] for one in self._sets]
        return [_checks(one, LEVEL_FIELDS, [of.Level or "1" for of in one]) for one in levels]

    @property
    def check_2way(self) -> list[pd.DataFrame | None]:
        every = [one.pairs for one in self._sets]
        return [_checks(pairs, PAIR_FIELDS, [pair.row for pair in pairs]) for pairs in every]

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
        at all?"), n_members, n_non_members, numerator_members, numerator_non_members (people),
        effective_n (how many records with scores of 0 or 1 would be as informative).
        """
        return None if self._baseline is None else with_intervals(self._baseline, self.target)

    def tidy(self) -> pd.DataFrame:
        """One row for each synthesis and measure.

        Columns: synthesis, measure, value (per cent; max_denom and mean_denom are records),
        numerator, denominator (records; None where a measure is not a share), base (the records
        that it is about, after exclusions: original ones, but synthetic ones for UiS, Dsyn and
        CAPs), left_out (those that exclusions left out of it), corrected (the correct value),
        defect (the ids of R's defects, where the two differ), unit, direction ("higher is
        riskier"). TCAP_DiS is over records certain in the synthetic data, TCAP_iS over those found
        there.
        """
        rows: list[tuple[Any, ...]] = []
        ids = ", ".join(finding.id for finding in self.defects)
        right_sets = self._sets if self.corrected is None else self.corrected._sets
        # the correct reading may have fewer syntheses
        for j, (one, correct) in enumerate(zip_longest(self._sets, right_sets[: self.m]), start=1):
            correct = correct or one
            everybody = (self.Norig, self.Nsyn[j - 1])
            for measure in MEASURES:
                side = 0 if measure.people else 1
                base = int(one.ledger[side, -1])
                if measure.about == EVERYBODY:
                    base = everybody[side]
                elif measure.about == IDENTITY:
                    base = one.of_identity[side]
                share, right = one.shares[measure.name], correct.shares[measure.name].percent
                figures = (share.percent, *share, base, everybody[side] - base, right)
                defect = "" if same(share.percent, right) else ids
                rows.append((j, measure.name, *figures, defect, measure.unit, measure.direction))
            base = int(one.ledger[0, -1])
            for name in DENOMINATORS:
                value, right = getattr(one, name), getattr(correct, name)
                figures = (value, *NO_SHARE, base, self.Norig - base, right)
                rows.append((j, name, *figures, "" if same(value, right) else ids, "records", ""))
        return pd.DataFrame(rows, columns=TIDY_COLUMNS)

    def records(self, original: Any = None) -> Any:
        """One row per original record and synthesis: which measures the record counts for.

        Parameters
        ----------
        original : the data of the call, again: a result keeps none, and refuses other records. Each
            row of a frequency table that has records gives one row, and `n` says how many.

        Columns: synthesis, record (position in the original data, from 0), UiO, repU, iS, DiS,
        DiSCO, DiSDiO (bool: whether the record counts for the measure, after exclusions), and the
        records that share its keys (orig_key, syn_key) or its keys and target (orig_cell,
        syn_cell). The sum of a bool column (of frequency tables: of `n` where it is true) is the
        measure's numerator.

        For a pandas frame the result is a new frame. Any other table is given back as a table of
        the same kind with these columns added, without `record`. Nothing is collected, and nothing
        is written except a temporary table where a database needs one. `n` is added unless the
        column of counts already has that name. A table with a column of one of these names is
        refused.

        Where a defect of R shows (`defects` is not empty) the flags are R's, and the correct ones
        are in ``result.corrected.records(original)``.
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
        1. Exclusions apply here too.

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
        return diversity_of(self._kept("diversity"), check_whole("up_to", up_to, 2))

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
        for one, correct in zip(self._sets, other._sets):
            a, b = one.everything(self.compat), correct.everything(self.compat)
            if len(a) != len(b) or not all(map(same, a, b)):
                return False
        return True

    def _title(self) -> str:
        return f"Disclosure risk for {self.target}"

    def _results(self) -> list[Disclosure]:
        return [self]

    def _headline(self, to: int = 1) -> list[str]:
        return people_pages.headline([self], to) if to > 1 else risk.headline_of_target(self)

    def _sections(self) -> Sections:
        return risk.sections_of_target(self, self.to_print, self.digits)

    def _short(self) -> Sections:
        return risk.sections_of_target(self, ("short",), self.digits)

    def _content(self) -> dict[str, Any]:
        left_out = [one.left_out for one in self._sets]
        return {
            "compat": self.compat,
            "r_version": VERSIONS[self.compat],
            "call": self.call,
            "Norig": self.Norig,
            "Nsyn": self.Nsyn,
            "keys": list(map(column_name, self.keys)),
            "target": column_name(self.target),
            "digits": self.digits,
            "to_print": self.to_print,
            "left_out": left_out,
            "remaining": [self.Norig - n for n in left_out],
            "of_identity": [one.of_identity for one in self._sets],
            "ident": self.ident,
            "attrib": self.attrib,
            "allCAPs": self.allCAPs,
            "attrib_denoms": self.attrib_denoms,
            "check1": self.check1,
            "check2": self.check2,
            "check_1way": self.check_1way,
            "check_2way": self.check_2way,
            "Nexclusions": self.Nexclusions,
            "shares": self.shares,
            "baseline": self.baseline,
            "notes": list(self.notes),
            **content_of_defects(self),
        }

    def _arguments(self) -> dict[str, Any]:
        call = self._asked
        if call is None:
            return {}
        return {
            "keys": list(map(column_name, call.asked)),
            "target": column_name(call.target),
            "cont_na": self._special,
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
            "thresh_1way": call.thresh_1way,
            "thresh_2way": call.thresh_2way,
            "certainty": self.certainty,
            "digits": self.digits,
            "to_print": self.to_print,
            "compare_synorig": call.compare_synorig,
            "compat": self.compat,
            "collation": call.collation,
            **{name.replace("_b", "B"): value for name, value in call.style.items()},
        }

    def _records(self) -> dict[str, Any]:
        return {"original": self.Norig, "synthetic": list(self.Nsyn)}

    def print(self, to_print: str | Sequence[str] | None = None, digits: int | None = None) -> None:
        """Show tables as R prints them, with both figures wherever R's is wrong.

        Parameters
        ----------
        to_print : one or more of "short" (alone), "ident", "attrib", "allCAPs", "check_1way",
            "check_2way", "exclusions", "all".
        digits : decimals.
        """
        wanted = self.to_print if to_print is None else check_to_print(to_print)
        decimals = self.digits if digits is None else check_digits(digits)
        self._print(risk.sections_of_target(self, wanted, decimals))

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

    def __reduce__(self) -> tuple[Any, ...]:
        """Copied and stored without the cells: `records` and `diversity` need a new call."""
        without: dict[str, Any] = {"counts": None, "target": None}
        sets = tuple(replace(one, **without) for one in self._sets)
        kept = replace(self, _sets=sets, _as_read=None)
        return type(self), tuple(getattr(kept, name) for name in self.__dataclass_fields__)


def _checks(found: Sequence[Any], fields: Sequence[str], index: list[Any]) -> pd.DataFrame | None:
    """What is flagged; None where nothing is."""
    columns = {name: [getattr(one, name) for one in found] for name in fields}
    return pd.DataFrame(columns, index=index) if found else None


def content_of_defects(result: Any) -> dict[str, Any]:
    """Of a result of one target or of several."""
    correct = result.corrected
    return {
        "defects": [finding.content() for finding in result.defects],
        "corrected": None if correct is None else correct.to_dict(),
    }
