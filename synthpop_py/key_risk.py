"""`key_risk()`: which of the columns an intruder might know are dangerous together.

Every subset of the candidates is counted in one walk, in which a subset grows out of a smaller one.
Rows that the remaining keys cannot tell apart are one row with a count, so that the cost of a subset
depends on the number of cells, not of records.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import comb
from time import perf_counter
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import pandas as pd

from .arguments import (
    check_choice,
    check_digits,
    check_flag,
    check_groups,
    check_in_every_set,
    column_named,
    is_column,
    is_number,
    listed,
    per_key,
)
from .cells import combine
from .core.arrays import Flags, Integers
from .data import Data, open_data
from .errors import InputError, found_so_far, warning_once
from .exclusions import check_pair_levels, codes_of, known, nobody_has, unknown_level
from .grouping import put_into_classes
from .levels import Variable, count, match
from .missing import MISSING
from .names import unknown_choice
from .options import Call, check_style, read_call
from .progress import Progress
from .rounding import percent, shown
from .show.people_pages import key_risk_rows, key_risk_sections
from .show.printing import Sections, Table
from .show.values import column_name
from .show.views import Drawn
from .synds import SynDS

MOST_SUBSETS = 100_000
UNIT = "% of original records"
MET = 1 - 1e-12  # a share such as 5/6 of six records must count as five despite rounding
MOST_ROWS = 10
MOST_SETS = 3
PROGRESS_STEPS = 200  # updating a line faster than anyone can read only costs time
UIO, UIS, REPU, DISCO = range(4)  # of the measures counted; DiSCO of each target from there on

# a table of all possible codes is no longer than this, or this many times the rows
SMALL = 2**12
ROOM = 4
FEW_ROWS = 2**10  # nothing is gained by fewer
MANY=2**15

Keys: TypeAlias = tuple[int, ...]


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class KeyRisk(Drawn):
    """Risk of every subset of candidate keys. Measures are percentages of original records; higher
    is riskier.

    Attributes
    ----------
    table : DataFrame
        One row per subset, the riskiest first (by repU, then the highest DiSCO, then UiO; smaller
        subsets first among equals). Columns: keys (tuple of names), text, size, and the measures
        UiO, repU and "DiSCO <target>" for each target, averaged over the syntheses.
    candidates, targets : names, in the order given.
    max_keys : size of the largest subset searched.
    share : the default of `smallest`.
    Norig, Nsyn : records of the original and of each synthesis.
    digits : decimals shown.
    notes : what to know about the data before trusting a figure: the warnings of the call.
    """

    table: pd.DataFrame
    candidates: tuple[Hashable, ...]
    targets: tuple[Hashable, ...]
    max_keys: int
    share: float
    Norig: int
    Nsyn: tuple[int, ...]
    digits: int
    # (subsets, measures, m) records in the order of `table`: UiO, UiS, repU, DiSCO of each target
    _counted: Integers
    notes: tuple[str, ...] = ()

    @property
    def m(self) -> int:
        """Number of syntheses."""
        return len(self.Nsyn)

    # ---- questions -------------------------------------------------------------------

    def of(self, keys: Any) -> pd.Series:
        """The row of `table` for these keys, given in any order.

        >>> from synthpop_py import key_risk
        >>> frame = pd.DataFrame({"a": [1, 1, 2], "b": [5, 6, 6]})
        >>> float(key_risk(frame, frame, ["a", "b"]).of(["b", "a"]).UiO)
        100.0
        """
        names = [keys] if is_column(keys, self.candidates) else listed(keys)
        for name in names:
            if not is_column(name, self.candidates):
                choices = ", ".join(map(str, self.candidates))
                raise InputError(f"keys: {name!r} is not one of the candidates; choices: {choices}")
        if not 1 <= len(set(names)) <= self.max_keys:
            raise InputError(
                f"keys: {len(set(names))} keys given; subsets of 1 to {self.max_keys} keys "
                "were searched (max_keys)"
            )
        wanted = tuple(name for name in self.candidates if name in names)
        return self.table.iloc[self.table["keys"].tolist().index(wanted)]

    def smallest(self, share: float | None = None, measure: str = "UiO") -> pd.DataFrame:
        """The minimal sets of keys for which `measure` reaches a share of the original records: no
        smaller set within them does.

        Parameters
        ----------
        share : above 0 and up to 1; by default that of the call to `key_risk`.
        measure : "UiO", "repU", or "DiSCO <target>" ("DiSCO" alone where there is one target).

        Returns
        -------
        DataFrame
            Rows of `table`, sets of fewer keys first, then by the measure; empty when no set
            reaches the share.
        """
        choices = measures_of(self.targets)
        alone = measure == "DiSCO" and len(self.targets) == 1
        column = choices[-1] if alone else check_choice("measure", measure, choices)
        wanted = check_share(self.share if share is None else share)
        place = UIO if column == "UiO" else choices.index(column) + 1  # UiS is not in the table
        reached = self._counted[:, place].sum(axis=1) >= wanted * self.Norig * self.m * MET
        subsets = self.table["keys"].tolist()
        above: set[Any] = set()  # sets that reach it, or hold one that does
        minimal = []
        for row in sorted(range(len(subsets)), key=lambda row: len(subsets[row])):
            holds_one = any(smaller in above for smaller in _without_one(subsets[row]))
            if holds_one or reached[row]:
                above.add(subsets[row])
            if reached[row] and not holds_one:
                minimal.append(row)
        found = self.table.iloc[minimal]
        return found.sort_values(["size", column], ascending=[True, False], kind="stable")

    def marginal(self) -> pd.DataFrame:
        """What each candidate adds: by how many percentage points UiO rises when it joins a set of
        other candidates.

        One row per candidate, the one that adds most first. Columns: UiO_alone (% of original
        records), mean_increase, min_increase and max_increase (percentage points, over all the sets
        it can join, the empty one included), sets (how many).
        """
        unique = dict(zip(self.table["keys"], self._counted[:, UIO, 0].tolist()))
        unique[()] = int(self.Norig == 1)
        gains: dict[Hashable, list[int]] = {name: [] for name in self.candidates}
        for keys in self.table["keys"]:
            for name, rest in zip(keys, _without_one(keys)):
                gains[name].append(unique[keys] - unique[rest])
        points = 100 / self.Norig
        rows = []
        for name, added in gains.items():
            rows.append(
                {
                    "UiO_alone": unique[(name,)] * points,
                    "mean_increase": np.mean(added) * points,
                    "min_increase": min(added) * points,
                    "max_increase": max(added) * points,
                    "sets": len(added),
                }
            )
        names = np.fromiter(self.candidates, dtype=object)
        frame = pd.DataFrame(rows, pd.Index(names, name="candidate", tupleize_cols=False))
        return frame.sort_values("mean_increase", ascending=False, kind="stable")

    def tidy(self) -> pd.DataFrame:
        """One row for each subset and measure, in the order of `table`.

        Columns: rank, keys, size, measure (here also UiS, synthetic records whose combination no
        other has), target (None unless the measure is DiSCO), value (of all syntheses together),
        min, max, unit, numerator, denominator (records, means over syntheses).
        """
        measures = ["UiO", "UiS", "repU", *["DiSCO"] * len(self.targets)]
        sets, kinds = len(self.table), len(measures)
        whole = np.full((kinds, self.m), self.Norig)
        whole[UIS] = self.Nsyn
        units = [UNIT] * kinds
        units[UIS] = "% of synthetic records"
        numerator = self._counted.mean(axis=2)
        each = self._counted / whole * 100
        columns = {
            "rank": np.repeat(self.table.index.to_numpy(), kinds),
            "keys": np.repeat(self.table["keys"].to_numpy(), kinds),
            "size": np.repeat(self.table["size"].to_numpy(), kinds),
            "measure": measures * sets,
            "target": pd.Series([None, None, None, *self.targets] * sets, dtype=object),
            "value": (numerator / whole.mean(axis=1) * 100).reshape(-1),
            "min": each.min(axis=2).reshape(-1),
            "max": each.max(axis=2).reshape(-1),
            "unit": units * sets,
            "numerator": numerator.reshape(-1),
            "denominator": np.tile(whole.mean(axis=1), sets),
        }
        return pd.DataFrame(columns)

    # ---- views -----------------------------------------------------------------------

    def plot(
        self, kind: str | None = None, measure: str = "UiO", ax: Any = None, **options: Any
    ) -> Any:
        """Draw "pairs" (the risk of every pair of keys, each key alone on the diagonal) or "sets"
        (the riskiest sets, ranked); by default pairs, where there are any. Needs matplotlib.

        Parameters
        ----------
        kind, measure : what to draw; `measure` as for `smallest`.
        ax : matplotlib axes to draw into.
        **options : `round_to` (counts of people are rounded to a multiple of this, 10 by default; 1
            draws exact figures), `most` (how many keys, or sets).

        Returns
        -------
        matplotlib axes
        """
        from .plots.key_risk import plot_pairs, plot_sets

        draw: dict[str, Callable[..., Any]] = {"pairs": plot_pairs, "sets": plot_sets}
        usual = "pairs" if self.max_keys > 1 else "sets"
        return draw[check_choice("kind", kind or usual, tuple(draw))](self, measure, ax, **options)

    def print(self, to_print: str | Sequence[str] | None = None, digits: int | None = None) -> None:
        """Show the ten riskiest sets of keys, the smallest dangerous ones, and what each candidate
        adds; `to_print` shows a part, as for every result.
        """
        decimals = self.digits if digits is None else check_digits(digits)
        self._print_parts(self._with_digits(decimals), to_print)

    def _title(self) -> str:
        return "Risk of sets of keys"

    def _everybody(self) -> int:
        return self.Norig

    def _headline(self, to: int = 1) -> list[str]:
        if to == 1:
            first, everybody = self.table.iloc[0], 100
            others = [self._smallest_sets()]
        else:
            first, everybody = key_risk_rows(self, to).iloc[0], shown(self.Norig, self.Norig, to=to)
            others = []  # which sets reach a share says more than a rounded figure
        unique = percent(first["UiO"], everybody, to, self.digits if to == 1 else None)
        keys = ", ".join(map(str, first["keys"]))
        return [
            f"Of {len(self.table)} sets of keys {keys} is the riskiest: {unique} of the original"
            " records are unique on it.",
            *others,
        ]

    def _sections(self) -> Sections:
        return self._with_digits(self.digits)

    def _with_digits(self, digits: int) -> Sections:
        number, candidates = len(self.table), len(self.candidates)
        syntheses = "1 synthesis" if self.m == 1 else f"{self.m} syntheses (averages)"
        limit = "" if self.max_keys == candidates else f" of up to {self.max_keys}"
        sets = "1 set" if number == 1 else f"{number} sets"
        keys = "1 candidate key" if candidates == 1 else f"{candidates} candidate keys"
        head = f"Risk of {sets}{limit} from {keys}; {self.Norig} original records, {syntheses}"
        which = "All" if number <= MOST_ROWS else f"The {MOST_ROWS} riskiest"
        rows = self.table.head(MOST_ROWS).drop(columns="keys").set_index("text")
        table = Table(rows, f"{which} sets of keys, in {UNIT} (higher is riskier)", digits=digits)
        more = [f"and {number - MOST_ROWS} more in .table"] if number > MOST_ROWS else []
        says = [self._smallest_sets(), self._what_keys_add(digits), self._next()]
        notes = [list(self.notes)] if self.notes else []
        return [[head], [table, *more], says, *notes]

    def _rounded(self, to: int) -> Sections:
        return key_risk_sections(self, to)

    def _smallest_sets(self) -> str:
        sets = self.smallest().text.tolist()
        share = f"{100 * self.share:g} %"
        if not sets:
            return f"No set makes {share} of the original records unique (UiO)."
        rest = len(sets) - MOST_SETS
        more = f" and {rest} more, see .smallest()" if rest > 0 else ""
        return (
            f"Smallest sets that make at least {share} of the original records unique (UiO):"
            f" {'; '.join(sets[:MOST_SETS])}{more}."
        )

    def _what_keys_add(self, digits: int) -> str:
        gains = self.marginal().mean_increase
        told = (
            f"{gains.index[0]} adds most to UiO: {gains.iloc[0]:.{digits}f} percentage points on"
            " average when it joins a set"
        )
        if len(gains) > 1:
            told += f"; {gains.index[-1]} adds least: {gains.iloc[-1]:.{digits}f}"
        return f"{told}."

    def _next(self) -> str:
        target = repr(self.targets[0]) if self.targets else "..."
        return (
            "Next: see the first set in detail with disclosure(object, data,"
            f" keys={list(self.table['keys'].iloc[0])!r}, target={target}, compat='corrected'), and"
            " coarsen or drop the candidates that add most (.marginal())."
        )

    def _content(self) -> dict[str, Any]:
        measures = measures_of([column_name(name) for name in self.targets])
        counted = np.delete(self._counted, UIS, axis=1).tolist()
        percents = self.table[measures_of(self.targets)].to_numpy().tolist()
        subsets = []
        for keys, values, records in zip(self.table["keys"], percents, counted):
            subsets.append(
                {
                    "keys": [column_name(name) for name in keys],
                    "percent": dict(zip(measures, values)),
                    "records": dict(zip(measures, records)),
                }
            )
        return {
            **self._arguments(),
            "digits": self.digits,
            "Norig": self.Norig,
            "Nsyn": list(self.Nsyn),
            "unit": UNIT,
            "subsets": subsets,
            "notes": list(self.notes),
        }

    def _arguments(self) -> dict[str, Any]:
        return {
            "candidates": [column_name(name) for name in self.candidates],
            "targets": [column_name(name) for name in self.targets],
            "max_keys": self.max_keys,
            "share": self.share,
        }

    def _records(self) -> dict[str, Any]:
        return {"original": self.Norig, "synthetic": self.Nsyn}


def measures_of(targets: Sequence[Hashable]) -> list[str]:
    """The columns of `KeyRisk.table` that hold figures."""
    return ["UiO", "repU", *(f"DiSCO {target}" for target in targets)]


def _without_one(keys: tuple[Any, ...]) -> list[tuple[Any, ...]]:
    """The sets with one key less; entry i lacks key i."""
    return [keys[:i] + keys[i + 1 :] for i in range(len(keys))]


# ---- the call ------------------------------------------------------------------------


@warning_once
def key_risk(
    synthetic: SynDS | pd.DataFrame | Sequence[pd.DataFrame],
    original: pd.DataFrame,
    candidates: Any,
    target: Any = None,
    *,
    max_keys: int | None = None,
    share: float = 0.5,
    cont_na: Mapping[Any, Any] | None = None,
    counts: Any = None,
    ngroups_keys: Any = None,
    ngroups_target: Any = None,
    not_targetlev: Any = None,
    usetargetNA: bool | Sequence[bool] = True,
    usekeysNA: bool | Sequence[bool] = True,
    exclude_keys: Any = None,
    exclude_keylevs: Any = None,
    exclude_targetlevs: Any = None,
    denom_lim: int | None = 5,
    exclude_ov_denom_lim: bool = False,
    print_flag: bool = False,
    digits: int = 2,
    **grouping_style: Any,
) -> KeyRisk:
    """Disclosure risk of every subset of candidate keys.

    For each non-empty subset of the candidates, up to `max_keys` of them:

    - UiO: original records whose combination of these keys no other original record has;
    - repU: those of them whose combination exactly one synthetic record has too (replicated
      uniques);
    - DiSCO, for each target: original records whose combination has only one target value in the
      synthetic data, and it is their own.

    All are percentages of the original records, averaged over the syntheses; higher is riskier. UiO
    never falls when a key is added, unless people who lack the key are left out (`usekeysNA`). repU
    and DiSCO may fall, because longer combinations occur less often in the synthetic data.

    Figures are those of ``disclosure(compat="corrected")`` with the same classes and exclusions: R
    has no such function, so there are no R figures to compare with. Missing values are a level like
    any other unless they are left out.

    Parameters
    ----------
    synthetic : SynDS, DataFrame or list of DataFrame
        The synthetic data: one or more syntheses of `original`.
    original : DataFrame
        The original data.
    candidates : names or positions (from 1) of the columns an intruder may know. Their order is
        kept.
    target : name or position of a column an intruder wants to learn, several of them, or None.
    max_keys : largest number of keys that an intruder may know; None for all candidates. More than
        100,000 subsets are refused.
    share : between 0 and 1; the default of `KeyRisk.smallest` for a dangerous share of records.
    cont_na, counts : as for `disclosure`.
    ngroups_keys, ngroups_target : group numeric candidates, or targets: approximate number of
        classes, one number, or one for each; 0 or None: no grouping.
    not_targetlev, exclude_keys, exclude_keylevs, exclude_targetlevs : what DiSCO leaves out, as for
        `disclosure`: levels of the target, and pairs of a key level and a target level, which count
        where the key is in the subset. With several targets a list of these, one for each target
        (None for nothing), or a mapping of targets to them, as in ``{"workab": "NO"}``.
    usetargetNA, usekeysNA : False leaves out records whose target is missing (of DiSCO), or whose
        key in the subset is missing (of every measure); one value, or one for each target or
        candidate.
    denom_lim, exclude_ov_denom_lim : if the second is True, cells of more than `denom_lim` original
        records do not count for DiSCO.
    print_flag : say how many subsets were looked at, and how long it took.
    digits : decimals shown.
    **grouping_style : `style`, `type`, `fixedBreaks`, as for `disclosure`.

    Returns
    -------
    KeyRisk

    Examples
    --------
    Five people. By sex alone nobody is unique, by town only the person in C; by sex and town three
    are unique: f in A, m in A, m in C. The synthetic data have f in A once, m in A once and nobody
    in C, so two of the three are replicated.

    >>> import pandas as pd
    >>> from synthpop_py import key_risk
    >>> people = pd.DataFrame({"sex": list("fmffm"), "town": list("AABBC"), "job": list("xyxyy")})
    >>> fake = pd.DataFrame({"sex": list("fmffm"), "town": list("AABBB"), "job": list("xxyxy")})
    >>> risk = key_risk(fake, people, ["sex", "town"], target="job")
    >>> print(risk.table.drop(columns="keys").to_string(index=False))
         text  size  UiO  repU  DiSCO job
    sex, town     2 60.0  40.0       20.0
         town     1 20.0   0.0       20.0
          sex     1  0.0   0.0        0.0
    >>> risk.smallest(share=0.5).text.tolist()
    ['sex, town']
    """
    started = perf_counter()
    data = open_data(synthetic, original, cont_na, counts, called=("synthetic", "original"))
    names = _columns("candidates", candidates, data)
    targets = _columns("target", target, data) if target is not None else ()
    for name in targets:
        if name in names:
            raise InputError(
                f"target: {name!r} is also one of the candidates; a target cannot be a key"
            )
    largest = _largest(max_keys, names)
    share, digits = check_share(share), check_digits(digits)
    use_keys = per_key("usekeysNA", usekeysNA, names, check_flag)
    of_keys = per_key("ngroups_keys", ngroups_keys, names, check_groups)
    of_targets = per_key("ngroups_target", ngroups_target, targets, check_groups)
    classes = dict(zip((*names, *targets), (*of_keys, *of_targets)))
    grouped = [("ngroups_keys", ngroups_keys, names), ("ngroups_target", ngroups_target, targets)]
    data.check_effects(True, grouped)
    variables, n = _encoded(data, classes, check_style(grouping_style), must_match=names)
    codes, everybody = _distinct(variables, n)
    # keys of many levels first: those that come late tell fewer rows apart
    order = sorted(names, key=lambda name: -variables[name].size)
    uncounted, limit = [], None
    for call in _calls(
        data,
        names,
        targets,
        usetargetNA=per_key("usetargetNA", usetargetNA, targets, check_flag),
        not_targetlev=_by_target("not_targetlev", not_targetlev, targets),
        exclude_keys=_by_target("exclude_keys", exclude_keys, targets),
        exclude_keylevs=_by_target("exclude_keylevs", exclude_keylevs, targets),
        exclude_targetlevs=_by_target("exclude_targetlevs", exclude_targetlevs, targets),
        denom_lim=[denom_lim] * len(targets),
        exclude_ov_denom_lim=[exclude_ov_denom_lim] * len(targets),
    ):
        uncounted.append(_uncounted(call, variables, codes, order))
        limit = call.limit
    lacking = []
    for name in order:
        gaps = codes[name] == variables[name].sides[0].missing
        lacking.append(None if use_keys[names.index(name)] else gaps)
    walk = _Walk.over(codes, order, targets, largest, lacking, uncounted, limit)
    found = {}
    total = number_of_subsets(len(names), largest)
    every = max(1, total // PROGRESS_STEPS)
    with Progress(total, check_flag("print_flag", print_flag)) as progress:
        for places, records in walk.below((), everybody):
            found[tuple(sorted(names.index(order[place]) for place in places))] = records
            if len(found) % every == 0 and len(found) < total:
                progress.reach(len(found), "subsets of candidate keys")
    subsets = sorted(found, key=lambda keys: (len(keys), keys))
    table, counted = _by_risk(subsets, found, names, targets, data.records[0])
    if print_flag:
        seconds = perf_counter() - started
        print(f"{total} subsets of {len(names)} candidate keys in {seconds:.1f} s")
    return KeyRisk(
        table=table,
        candidates=names,
        targets=targets,
        max_keys=largest,
        share=share,
        Norig=data.records[0],
        Nsyn=data.records[1:],
        digits=digits,
        _counted=counted,
        notes=found_so_far(),
    )


def _by_risk(subsets, found, names, targets, n):
    """Table of every subset and its records, ordered by repU, then DiSCO (the highest of the targets'), then UiO; ties stay as they are,
    the smaller subset first.
    """
    counted = np.stack([found[keys] for keys in subsets])
    total = counted.sum(axis=2)
    highest = total[:, DISCO:].max(axis=1, initial=0)
    order = np.lexsort((-total[:, UIO], -highest, -total[:, REPU]))
    counted = counted[order]
    keys = [tuple(names[place] for place in subsets[row]) for row in order]
    columns: dict[str, Any] = {
        "keys": pd.Series(keys, dtype=object),
        "text": [", ".join(map(str, subset)) for subset in keys],
        "size": [len(subset) for subset in keys],
    }
    per_cent = np.delete(counted, UIS, axis=1).mean(axis=2) / n * 100
    columns |= dict(zip(measures_of(targets), per_cent.T))
    ranks = pd.RangeIndex(1, len(keys) + 1, name="rank")
    return pd.DataFrame(columns).set_axis(ranks), counted


def _columns(argument: str, given: Any, data: Data) -> tuple[Hashable, ...]:
    """The columns named, each once, in the order given (a set has none, so in the data's)."""
    columns = list(data.original.columns)
    asked = [given] if is_column(given, columns) else listed(given)
    names = [column_named(argument, item, columns) for item in asked]
    if not names:
        raise InputError(f"{argument}: none given; choices: {', '.join(map(str, columns))}")
    twice = sorted({str(name) for name in names if names.count(name) > 1})
    if twice:
        raise InputError(f"{argument}: {', '.join(twice)} given more than once")
    for name in names:
        check_in_every_set(argument, name, data.sets)
    if isinstance(given, (set, frozenset)):
        names.sort(key=columns.index)
    return tuple(names)


def number_of_subsets(candidates: int, largest: int) -> int:
    """Non-empty subsets of at most `largest` candidates.

    >>> number_of_subsets(8, 8), number_of_subsets(8, 2)
    (255, 36)
    """
    return sum(comb(candidates, size) for size in range(1, largest + 1))


def _largest(max_keys: Any, names: Sequence[Hashable]) -> int:
    """The size of the largest subset; an error where there are too many."""
    candidates = len(names)
    if max_keys is None:
        largest = candidates
    elif is_number(max_keys) and max_keys in range(1, candidates + 1):
        largest = int(max_keys)
    else:
        raise InputError(
            f"max_keys: {max_keys!r} cannot be used; give a whole number from 1 to {candidates},"
            " the number of candidates"
        )
    number = number_of_subsets(candidates, largest)
    if number > MOST_SUBSETS:
        hint = f"give at most {MOST_SUBSETS:,} candidates"
        for size in range(1, largest):
            fewer = number_of_subsets(candidates, size)
            if fewer <= MOST_SUBSETS:
                hint = f"max_keys={size} gives {fewer:,}"
        raise InputError(
            f"candidates: {candidates} candidates have {number:,} subsets of up to {largest} keys,"
            f" more than {MOST_SUBSETS:,}; {hint}"
        )
    return largest


def check_share(value: Any) -> float:
    if is_number(value) and 0 < value <= 1:
        return float(value)
    hint = ""
    if is_number(value) and 1 < value <= 100:
        hint = f"; for {value:g} % write {value / 100:g}"
    raise InputError(
        f"share: {value!r} is not a share of records; give a number above 0 and up to 1{hint}"
    )


def _encoded(
    data: Data, classes: Mapping[Hashable, int], style: dict[str, Any], must_match: Sequence[Hashable]
) -> tuple[dict[Hashable, Variable], list[Integers | None]]:
    """The columns in codes, numbers in classes where these are asked for; records of each row."""
    read, n = data.factors(tuple(classes))
    data.check_values(read, dict(reversed(classes.items())), must_match)
    variables, groupings = {}, {}
    for name, number in classes.items():
        factors, special = read[name], data.special_of(name, every=True)
        if number and factors[0].is_number:
            factors, groupings[name] = put_into_classes(factors, number, special, style, name)
        variables[name] = match(factors)
    data.check_classes(groupings, must_match)
    return variables, n


# ---- who does not count --------------------------------------------------------------


def _by_target(argument: str, given: Any, targets: Sequence[Hashable]) -> list[Any]:
    """What is left out for each target: as for `disclosure()` if there is one target; for several a
    list, or a mapping by name.
    """
    if given is None:
        return [None] * len(targets)
    if not targets:
        raise InputError(f"{argument}: is given, but no target; name the target, or leave it out")
    if isinstance(given, Mapping):
        for name in given:
            if name not in targets:
                raise unknown_choice(argument, name, targets, "the targets")
        entries = [given.get(name) for name in targets]
    else:
        entries = [given] if len(targets) == 1 else listed(given)
    if len(entries) != len(targets):
        raise InputError(
            f"{argument}: {len(entries)} entries given; give a list with one for each of the"
            f" {len(targets)} targets ({', '.join(map(str, targets))}), or a mapping of targets"
        )
    # "" means none, as for multi_disclosure()
    return [None if isinstance(entry, str) and not entry else entry for entry in entries]


def _calls(data, names, targets, **of_targets) -> Iterator[Call]:
    """The arguments about each target, as `disclosure()` checks them."""
    for place, target in enumerate(targets):
        given = {argument: values[place] for argument, values in of_targets.items()}
        yield read_call(data.original, data.sets, keys=names, target=target, **given)


def _uncounted(
    call: Call, variables: Mapping[Hashable, Variable], codes: Mapping[Hashable, Integers], order: Sequence[Hashable]
) -> list[tuple[int | None, Flags]]:
    """The rows that DiSCO of a target leaves out, each with the place of the key that the subset
    must have, or None.
    """
    target = variables[call.target]

    def having(name: Hashable, levels: Sequence[Any]) -> Flags:
        variable = variables[name]
        return np.isin(codes[name], codes_of(variable.sides[0], variable.size, levels))

    for level in call.levels:
        if not known(target, level):
            raise unknown_level("not_targetlev", level, target, call.target, strict=True)
    levels = call.levels if call.use_target else (*call.levels, MISSING)
    found: list[tuple[int | None, Flags]] = [(None, having(call.target, levels))]
    for pair in call.pairs:
        key = variables[pair.key]
        check_pair_levels(pair, target, key, call.target, True, lambda level: [level])
        both = having(pair.key, [pair.key_level]) & having(call.target, [pair.target_level])
        if not both.any():
            nobody_has(pair, call.target, strict=True)
        found.append((order.index(pair.key), both))
    return found


# ---- the walk ------------------------------------------------------------------------


class _Code(NamedTuple):
    """A variable, or several together, by row: from 0 to size - 1."""

    codes: Integers
    size: int


def _dense(codes: Integers, size: int) -> _Code:
    """The codes renumbered to those that occur, in the same order: by a table of all possible ones
    where it is small, else by sorting.

    >>> _dense(np.array([7, 2, 7]), 10)
    _Code(codes=array([1, 0, 1]), size=2)
    """
    if size > max(SMALL, ROOM * len(codes)):
        seen, codes = np.unique(codes, return_inverse=True)
        return _Code(codes.reshape(-1), len(seen))
    there = np.zeros(size, dtype=bool)
    there[codes] = True
    return _Code((np.cumsum(there) - 1)[codes], int(np.count_nonzero(there)))


def _alike(codes: Integers, size: int, n: Integers | None) -> tuple[Integers, Integers, Integers]:
    """The codes that occur, ascending, a row that has each, and the records of all such rows."""
    place, size = _dense(codes, size)
    row = np.empty(size, dtype=np.int64)
    row[place] = np.arange(len(place))
    return codes[row], row, count(place, n, size)


def _short(codes: Integers, size: int) -> _Code:
    """The same in as few bytes as possible: lookups come in any order, so it matters how many codes
    fit in the processor's cache.
    """
    return _Code(codes.astype(np.min_scalar_type(-size)), size)


class _Node(NamedTuple):
    """A set of keys while others are added.

    Attributes
    ----------
    rows : distinct rows that may still matter, table by table, the original first. code : their
        combination, from 0 to size - 1. n : their records. bounds : where each table begins.
    alone : for each table the combinations that are unique whatever is added, and found in no other
        table.
    """

    rows: Integers
    code: Integers
    size: int
    n: Integers
    bounds: Integers
    alone: Integers

    def of(self, table: int, values: Integers) -> Integers:
        return values[self.bounds[table] : self.bounds[table + 1]]

    def only(self, kept: Flags) -> _Node:
        bounds = np.append(0, np.cumsum(kept))[self.bounds]
        return self._replace(
            rows=self.rows[kept], code=self.code[kept], n=self.n[kept], bounds=bounds
        )


def _distinct(
    variables: Mapping[Hashable, Variable], n: Sequence[Integers | None]
) -> tuple[dict[Hashable, Integers], _Node]:
    """The codes of each column in the distinct rows of all tables; these as the empty set."""
    together = combine(list(variables.values()), n)
    found = [_alike(codes, together.size, times) for codes, times in zip(together.codes, n)]
    codes = {}
    for name, variable in variables.items():
        parts = [side.place[side.factor.codes[row]] for side, (_, row, _) in zip(variable.sides, found)]
        codes[name] = np.concatenate(parts)
    records = [times for _, _, times in found]
    zeros = np.zeros(sum(map(len, records)), dtype=np.int64)
    node = _Node(
        rows=np.arange(len(zeros)),
        code=zeros,
        size=1,
        n=np.concatenate(records),
        bounds=np.append(0, np.cumsum(list(map(len, records)))),
        alone=zeros[: len(n)],
    )
    return codes, node


@dataclass(frozen=True, slots=True)
class _Walk:
    """Depth-first over subsets: each is a smaller one with one later key added.

    Attributes
    ----------
    keys, targets : the columns by row.
    later : for each key, it and all that come after it, and the targets, in one code.
    lacking : for each key the rows that lack it, if these are left out.
    uncounted : for each target the rows that its DiSCO leaves out, see `_uncounted`.
    limit : DiSCO leaves out cells of more original records.
    """

    keys: list[_Code]
    targets: list[Integers]
    later: list[_Code]
    largest: int
    lacking: list[Flags | None]
    uncounted: list[list[tuple[int | None, Flags]]]
    limit: float | None

    @classmethod
    def over(cls, codes, order, targets, largest, lacking, uncounted, limit):
        columns = {name: _dense(of_rows, int(of_rows.max()) + 1) for name, of_rows in codes.items()}
        together, later = _Code(np.zeros(len(codes[order[0]]), dtype=np.int64), 1), []
        for name in (*targets, *reversed(order)):
            of_rows, size = columns[name]
            together = _dense(of_rows * together.size + together.codes, size * together.size)
            later.append(_short(*together))
        return cls(
            keys=[_short(*columns[name]) for name in order],
            targets=[_short(*columns[name]).codes for name in targets],
            later=later[: -len(order) - 1 : -1],
            largest=largest,
            lacking=lacking,
            uncounted=uncounted,
            limit=limit,
        )

    def below(self, before: Keys, node: _Node) -> Iterator[tuple[Keys, Integers]]:
        """Every set with these keys and later ones, and its records."""
        for key in range(before[-1] + 1 if before else 0, len(self.keys)):
            keys = (*before, key)
            node = self.merged(node, key)
            grown = self.with_key(node, key)
            counts = []
            for table in range(len(node.alone)):
                counts.append(count(grown.of(table, grown.code), grown.of(table, grown.n), grown.size))
            yield keys, self.records(keys, grown, counts)
            if len(keys) < self.largest and key + 1 < len(self.keys):
                yield from self.below(keys, self.open(grown, counts))

    def with_key(self, node: _Node, key: int) -> _Node:
        """The combinations split by one more key, without rows that lack it, if these are left
        out.
        """
        lacks = self.lacking[key]
        if lacks is not None:
            node = node.only(~lacks[node.rows])
        values, levels = self.keys[key]
        code, size = _dense(node.code * levels + values[node.rows], node.size * levels)
        return node._replace(code=code, size=size)

    def records(self, keys: Keys, node: _Node, counts: list[Integers]) -> Integers:
        """(measures, m) records that count."""
        m = len(counts) - 1
        found = np.empty((DISCO + len(self.targets), m), dtype=np.int64)
        one = [of_table == 1 for of_table in counts]
        unique = node.alone + list(map(np.count_nonzero, one))
        found[UIO], found[UIS] = unique[0], unique[1:]
        found[REPU] = [np.count_nonzero(one[0] & other) for other in one[1:]]
        rows, code, n = (node.of(0, values) for values in (node.rows, node.code, node.n))
        for measure, (values, uncounted) in enumerate(zip(self.targets, self.uncounted), DISCO):
            target = values[node.rows]
            for j in range(1, m + 1):
                # what the synthetic records of each combination say: -1 where they disagree
                answer = np.full(node.size, -1, dtype=target.dtype)
                theirs, says = node.of(j, node.code), node.of(j, target)
                answer[theirs] = says
                answer[theirs[answer[theirs] != says]] = -1
                disclosed = answer[code] == node.of(0, target)
                if self.limit is not None:
                    in_cell = count(code[disclosed], n[disclosed], node.size)
                    disclosed &= in_cell[code] <= self.limit
                for key, flags in uncounted:
                    if key is None or key in keys:
                        disclosed &= ~flags[rows]
                found[measure, j - 1] = (disclosed * n).sum()
        return found

    def open(self, node: _Node, counts: list[Integers]) -> _Node:
        """The node without combinations that no further key can change: none has two records of one
        table, or records of the original and of a synthesis. Those that lack a key may yet be left
        out.
        """
        original, *syntheses = counts
        settled = original <= 1
        for synthetic in syntheses:
            settled &= synthetic <= 1 - original
        for lacks in self.lacking:
            if lacks is not None:
                settled[node.code[lacks[node.rows]]] = False
        alone = [np.count_nonzero(of_table[settled]) for of_table in counts]
        number = np.cumsum(~settled) - 1
        left = node.only(~settled[node.code])
        size = int(np.count_nonzero(~settled))
        return left._replace(code=number[left.code], size=size, alone=node.alone + alone)

    def merged(self, node: _Node, key: int) -> _Node:
        """The node with rows as one that this key and those after it cannot tell apart, where that
        takes less time than it may save.
        """
        later, number = self.later[key], len(node.rows)
        span = node.size * later.size
        size = span * len(node.alone)
        if number < FEW_ROWS or (size > 2 * number and not (number >= MANY and size < 2**62 and len(self.keys) - key >= 5)):
            return node
        starts = np.arange(len(node.bounds)) * span
        codes = node.code * later.size + later.codes[node.rows]
        codes += np.repeat(starts[:-1], np.diff(node.bounds))
        seen, row, n = _alike(codes, size, node.n)
        bounds = np.searchsorted(seen, starts)
        return node._replace(rows=node.rows[row], code=node.code[row], n=n, bounds=bounds)
