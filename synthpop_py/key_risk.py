"""`key_risk()`: which of the columns an intruder might know are dangerous together. Every subset
grows out of a smaller one, over distinct rows.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import comb
from typing import Any, TypeAlias

import numpy as np
import pandas as pd

from . import arguments as check
from .cells import combine
from .core.arrays import Flags, Integers
from .data import Data, open_data
from .errors import InputError, found_so_far, unknown_choice, warning_once
from .exclusions import check_pair_levels, codes_of, known, nobody_has, unknown_level
from .grouping import put_into_classes
from .levels import Variable, count, match
from .missing import MISSING
from .progress import Progress
from .rounding import PROMISE, part, people, percent, shown
from .show.people_pages import HOW_TO_READ
from .show.printing import Block, Sections, Table
from .show.values import column_name
from .show.views import Drawn
from .synds import SynDS

MOST_SUBSETS = 100_000
PROGRESS_STEPS = 200  # updating a line faster than anyone can read only costs time
TABLE = 32  # a table of this many codes for each row is faster than looking codes up
SHORT = 4  # codes are renumbered unless there are this many rows for each
UNIT = "% of original records"
MOST_SHOWN, MOST_FOR_OTHERS = 10, 20  # sets
Keys: TypeAlias = tuple[Hashable, ...]
# rows that are left out where all of these keys are in a subset
LeftOut: TypeAlias = list[tuple[set[Hashable], Flags]]


@warning_once
def key_risk(
    synthetic: SynDS | pd.DataFrame | Sequence[pd.DataFrame],
    original: pd.DataFrame,
    candidates: Any,
    target: Any = None,
    *,
    max_keys: int | None = None,
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
    **grouping_style: Any,
) -> KeyRisk:
    """Disclosure risk of every subset of candidate keys.

    For each subset of up to `max_keys` candidates:

    - UiO: original records whose combination of these keys no other original record has;
    - repU: those of them whose combination exactly one synthetic record has too;
    - DiSCO, for each target: original records whose combination has only one target value in the
      synthetic data, and it is their own.

    All are percentages of the original records, averaged over the syntheses; higher is riskier. UiO
    never falls when a key is added, unless people who lack the key are left out. repU and DiSCO may
    fall, because longer combinations occur less often in the synthetic data. Figures are those of
    ``disclosure(compat="corrected")`` with the same classes and exclusions.

    Parameters
    ----------
    synthetic, original : one or more syntheses, and the original data.
    candidates : names or positions (from 1) of the columns an intruder may know.
    target : name or position of a column an intruder wants to learn, several of them, or None.
    max_keys : largest number of keys that an intruder may know; None for all candidates.
    cont_na, counts, denom_lim, exclude_ov_denom_lim : as for `disclosure`.
    ngroups_keys, ngroups_target : classes of numeric candidates, or targets: about how many, one
        number, or one for each; 0 or None: no grouping.
    not_targetlev, exclude_keys, exclude_keylevs, exclude_targetlevs : what DiSCO leaves out, as for
        `disclosure`; pairs count where the key is in the subset. For several targets a mapping, as
        in ``{"workab": "NO"}``.
    usetargetNA, usekeysNA : False leaves out records whose target is missing (of DiSCO), or whose
        key in the subset is missing (of every measure); one value, or one for each.
    print_flag : show how many subsets are done.
    **grouping_style : `style`, `type`, `fixedBreaks`, as for `disclosure`.

    Examples
    --------
    By sex and town f in A, m in A and m in C are unique, the first two in the synthetic data too.

    >>> import pandas as pd
    >>> from synthpop_py import key_risk
    >>> people = pd.DataFrame({"sex": list("fmffm"), "town": list("AABBC"), "job": list("xyxyy")})
    >>> fake = pd.DataFrame({"sex": list("fmffm"), "town": list("AABBB"), "job": list("xxyxy")})
    >>> risk = key_risk(fake, people, ["sex", "town"], target="job")
    >>> risk.table[["text", "UiO", "repU", "DiSCO job"]].values.tolist()
    [['sex, town', 60.0, 40.0, 20.0], ['town', 20.0, 0.0, 20.0], ['sex', 0.0, 0.0, 0.0]]
    >>> risk.smallest(share=0.5).text.tolist()
    ['sex, town']
    """
    data = open_data(synthetic, original, cont_na, counts, called=("synthetic", "original"))
    tables = data.original, data.sets
    names = check.resolve_keys(candidates, *tables, "candidates")
    targets = () if target is None else check.resolve_keys(target, *tables, "target")
    for name in targets:
        if name in names:
            raise InputError(f"target: {name!r} is also one of the candidates")
    largest = len(names)
    if max_keys is not None:
        largest = min(largest, check.check_whole("max_keys", max_keys, 1))
    sizes = range(1, largest + 1)
    total = sum(comb(len(names), size) for size in sizes)
    if total > MOST_SUBSETS:
        told = f"{total:,} subsets of up to {largest} keys, more than {MOST_SUBSETS:,}"
        raise InputError(f"candidates: {told}; give a smaller max_keys, or fewer candidates")
    print_flag = check.check_flag("print_flag", print_flag)
    use_keys = check.per_key("usekeysNA", usekeysNA, names, check.check_flag)
    use_targets = check.per_key("usetargetNA", usetargetNA, targets, check.check_flag)
    style = check.check_style(grouping_style)
    asked = ("ngroups_keys", ngroups_keys, names), ("ngroups_target", ngroups_target, targets)
    data.check_effects(True, asked)
    classes: dict[Hashable, int] = {}
    for argument, given, columns in asked:
        classes |= zip(columns, check.per_key(argument, given, columns, check.check_groups))
    variables, n = _encoded(data, classes, style, names)
    codes, weights, rows = _distinct_rows(variables, n)
    excluded = {
        "not_targetlev": not_targetlev,
        "exclude_keys": exclude_keys,
        "exclude_keylevs": exclude_keylevs,
        "exclude_targetlevs": exclude_targetlevs,
    }
    by_target = {name: _by_target(name, given, targets) for name, given in excluded.items()}
    asked_of: dict[str, Any] = {"keys": names, "denom_lim": denom_lim}
    asked_of["exclude_ov_denom_lim"] = exclude_ov_denom_lim
    answers = []
    for name, use in zip(targets, use_targets):
        asked_of |= {argument: given.get(name) for argument, given in by_target.items()}
        call = check.read_call(*tables, target=name, usetargetNA=use, **asked_of)
        answers.append((codes[name], _left_out(call, variables, codes), call.limit))
    lacking: LeftOut = []
    for name, use in zip(names, use_keys):
        if not use:
            missing = variables[name].sides[0].missing
            lacking.append(({name}, codes[name] == missing))
    found: dict[Keys, Integers] = {}
    keys = [(name, codes[name], variables[name].size) for name in names]
    step = max(1, total // PROGRESS_STEPS)
    with Progress(total, print_flag) as progress:
        for done, (subset, code, size) in enumerate(_subsets(keys, largest)):
            if done % step == 0:
                progress.reach(done, "sets of keys")
            records = _without(weights, lacking, subset)
            found[subset] = _counts(subset, code, size, records, answers, rows)
    of, *records_of_sets = data.records
    table, counted = _by_risk(found, measures_of(targets), of)
    return KeyRisk(
        table=table,
        candidates=names,
        targets=targets,
        max_keys=largest,
        Norig=of,
        Nsyn=tuple(records_of_sets),
        _counted=counted,
        notes=found_so_far(),
    )


def _by_target(argument: str, given: Any, targets: Keys) -> Mapping[Hashable, Any]:
    """What is left out, by target."""
    if given is None:
        return {}
    if not isinstance(given, Mapping):
        if len(targets) != 1:
            raise InputError(f"{argument}: {given!r}; give a mapping of the {len(targets)} targets")
        given = {targets[0]: given}
    for name in given:
        if name not in targets:
            raise unknown_choice(argument, name, targets, "the targets")
    return dict(given)


def _left_out(
    call: check.Call, variables: Mapping[Hashable, Variable], codes: Mapping[Hashable, Integers]
) -> LeftOut:
    """The rows that DiSCO of a target leaves out."""
    target = variables[call.target]

    def having(name: Hashable, *levels: Any) -> Flags:
        variable = variables[name]
        return np.isin(codes[name], codes_of(variable.sides[0], variable.size, levels))

    for level in call.levels:
        if not known(target, level):
            raise unknown_level("not_targetlev", level, target, call.target, strict=True)
    found: LeftOut = [(set(), having(call.target, *call.levels))] if call.levels else []
    if not call.use_target:
        found.append((set(), having(call.target, MISSING)))
    for pair in call.pairs:
        key = variables[pair.key]
        check_pair_levels(pair, target, key, call.target, True, lambda level: [level])
        both = having(pair.key, pair.key_level) & having(call.target, pair.target_level)
        if not both.any():
            nobody_has(pair, call.target, strict=True)
        found.append(({pair.key}, both))
    return found


def _encoded(
    data: Data, classes: Mapping[Hashable, int], style: dict[str, Any], must_match: Keys
) -> tuple[dict[Hashable, Variable], list[Integers | None]]:
    """The columns in codes, numbers in classes where these are asked for; records of each row."""
    read, n = data.factors(tuple(classes))
    data.check_values(read, dict(reversed([*classes.items()])), must_match)
    variables, groupings = {}, {}
    for name, number in classes.items():
        factors, special = read[name], data.special_of(name)
        if number and factors[0].is_number:
            factors, groupings[name] = put_into_classes(factors, number, special, style, name)
        variables[name] = match(factors)
    data.check_classes(groupings, must_match)
    return variables, n


def _distinct_rows(
    variables: Mapping[Hashable, Variable], n: Sequence[Integers | None]
) -> tuple[dict[Hashable, Integers], Integers, list[slice]]:
    """The columns' codes in the distinct rows of all tables; records of each; the rows by table."""
    together = combine(list(variables.values()), n)
    parts, records = [], []
    for codes, times in zip(together.codes, n):
        often = count(codes, times, together.size)
        there = np.flatnonzero(often)
        parts.append(together.parts(there))
        records.append(often[there])
    columns = []
    for variable, of_tables in zip(variables.values(), zip(*parts)):
        # in few bytes: lookups come in any order, so it matters how many fit in the cache
        kind = np.min_scalar_type(-variable.size)
        columns.append(np.concatenate(of_tables).astype(kind))
    ends = np.cumsum([0, *map(len, records)]).tolist()
    rows = [slice(*both) for both in pairwise(ends)]
    return dict(zip(variables, columns)), np.concatenate(records), rows


def _subsets(
    later: Sequence[tuple[Hashable, Integers, int]],
    largest: int,
    keys: Keys = (),
    code: Integers | int = 0,
    size: int = 1,
) -> Iterator[tuple[Keys, Integers, int]]:
    """Every subset of `keys` and some `later` ones (name, codes, size), with its codes."""
    for place, (key, values, levels) in enumerate(later, start=1):
        grown = code * np.int64(levels) + values
        number = size * levels
        if number > len(grown) // SHORT:
            grown, number = _dense(grown, number)
        yield (*keys, key), grown, number
        if len(keys) + 1 < largest:
            yield from _subsets(later[place:], largest, (*keys, key), grown, number)


def _dense(codes: Integers, size: int) -> tuple[Integers, int]:
    """Codes from 0 to size - 1 renumbered to those that occur, and how many these are."""
    if size > TABLE * len(codes):
        places, seen = pd.factorize(codes)
        return places, len(seen)
    there = np.zeros(size, dtype=bool)
    there[codes] = True
    place = np.cumsum(there) - 1
    return place[codes], int(place[-1]) + 1


def _without(n: Integers, left_out: LeftOut, keys: Keys) -> Integers:
    """The records of each row, none where these keys leave them out."""
    for needed, flags in left_out:
        if needed.issubset(keys):
            n = n * ~flags
    return n


def _counts(
    keys: Keys,
    code: Integers,
    size: int,
    n: Integers,
    answers: Sequence[tuple[Integers, LeftOut, float | None]],
    tables: Sequence[slice],
) -> Integers:
    """(measures, m) records that count: UiO, UiS, repU, and DiSCO of each target. `answers` are the
    targets in codes, whom their DiSCO leaves out, and the most original records of a cell that
    counts.
    """
    first, *others = tables
    of_original = code[first]
    unique = np.bincount(of_original, n[first], size) == 1
    found = np.empty((3 + len(answers), len(others)), dtype=np.int64)
    for j, table in enumerate(others):
        alone = np.bincount(code[table], n[table], size) == 1
        figures = (unique, alone, unique & alone)
        found[:3, j] = [np.count_nonzero(flags) for flags in figures]
    for measure, (values, left_out, limit) in enumerate(answers, start=3):
        counts = _without(n, left_out, keys)[first]
        for j, table in enumerate(others):
            # what the synthetic records of each combination say: -1 where they disagree
            of_synthetic, said = code[table], values[table]
            answer = np.full(size, -1, dtype=values.dtype)
            answer[of_synthetic] = said
            disagrees = answer[of_synthetic] != said
            answer[of_synthetic[disagrees]] = -1
            right = answer[of_original] == values[first]
            if limit is not None:
                in_cell = np.bincount(of_original[right], n[first][right], size)
                right &= in_cell[of_original] <= limit
            found[measure, j] = counts[right].sum()
    return found


def _by_risk(
    found: Mapping[Keys, Integers], measures: list[str], n: int
) -> tuple[pd.DataFrame, dict[str, Integers]]:
    """The table of all subsets, the riskiest and then the smaller first, and what was counted."""
    subsets = sorted(found, key=len)
    counted = np.stack([found[keys] for keys in subsets], axis=1)
    by_measure = dict(zip(["UiO", "UiS", *measures[1:]], counted))
    table = pd.DataFrame({"keys": pd.Series(subsets, dtype=object)})
    table["text"] = list(map(_names, subsets))
    table["size"] = list(map(len, subsets))
    for name in measures:
        table[name] = by_measure[name].mean(axis=1) / n * 100
    highest = table[measures[2:]].max(axis=1).fillna(0)
    ranked = np.lexsort((-table["UiO"], -highest, -table["repU"]))
    ranks = pd.RangeIndex(1, len(subsets) + 1, name="rank")
    return table.iloc[ranked].set_index(ranks), {name: n[ranked] for name, n in by_measure.items()}


def measures_of(targets: Sequence[Hashable]) -> list[str]:
    """The columns of `KeyRisk.table` that hold figures."""
    return ["UiO", "repU", *(f"DiSCO {target}" for target in targets)]


def column_of(measure: Any, targets: Sequence[Hashable]) -> str:
    """The column of a measure; of one target its name may be left out."""
    choices = measures_of(targets)
    if measure == "DiSCO" and len(targets) == 1:
        return choices[-1]
    return str(check.check_choice("measure", measure, choices))


def _names(keys: Sequence[Hashable]) -> str:
    return ", ".join(map(str, keys))


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class KeyRisk(Drawn):
    """Risk of every subset of candidate keys. Measures are percentages of original records; higher
    is riskier.

    Attributes
    ----------
    table : DataFrame
        One row per subset, the riskiest first (by repU, then the highest DiSCO, then UiO; smaller
        subsets first among equals): keys (tuple of names), text, size, and the measures UiO, repU
        and "DiSCO <target>" for each target, averaged over the syntheses.
    candidates, targets, max_keys : names, in the order given; the size of the largest subset.
    Norig, Nsyn : records of the original and of each synthesis.
    notes : what to know about the data before trusting a figure: the warnings of the call.
    """

    table: pd.DataFrame
    candidates: Keys
    targets: Keys
    max_keys: int
    Norig: int
    Nsyn: tuple[int, ...]
    _counted: dict[str, Integers]  # (subsets, m) records by measure, also UiS, in table's order
    notes: tuple[str, ...] = ()

    @property
    def m(self) -> int:
        """Number of syntheses."""
        return len(self.Nsyn)

    def of(self, keys: Any) -> pd.Series:
        """The row of `table` for these keys, given in any order."""
        names = check.chosen_columns("keys", keys, self.candidates, "the candidates")
        if not 1 <= len(names) <= self.max_keys:
            raise InputError(
                f"keys: {len(names)} given; sets of 1 to {self.max_keys} were searched"
            )
        wanted = tuple(name for name in self.candidates if name in names)
        return self.table.iloc[self.table["keys"].tolist().index(wanted)]

    def smallest(self, share: float = 0.5, measure: str = "UiO") -> pd.DataFrame:
        """The minimal sets of keys for which `measure` ("UiO", "repU", or "DiSCO <target>"; "DiSCO"
        alone where there is one target) reaches a share of the original records: no smaller set
        within them does. Rows of `table`, sets of fewer keys first.
        """
        column = column_of(measure, self.targets)
        share = check.check_number("share", share, 0, 1, open_low=True)
        # a share such as 5/6 of six records must count as five despite rounding
        reached = self.table[column] >= 100 * share * (1 - 1e-12)
        above: set[Keys] = set()  # sets that reach it, or hold one that does
        minimal = []
        by_size = self.table.assign(reached=reached).sort_values("size", kind="stable")
        for rank, keys, is_reached in zip(by_size.index, by_size["keys"], by_size["reached"]):
            smaller = [keys[:i] + keys[i + 1 :] for i in range(len(keys))]
            is_above = not above.isdisjoint(smaller)
            if is_above or is_reached:
                above.add(keys)
            if is_reached and not is_above:
                minimal.append(rank)
        found = self.table.loc[minimal]
        return found.sort_values(["size", column], ascending=[True, False], kind="stable")

    def marginal(self) -> pd.DataFrame:
        """By how many percentage points UiO rises when a candidate joins a set of others, the empty
        one included. One row per candidate, the one that adds most first: UiO_alone (% of original
        records), mean_increase, min_increase, max_increase, sets (how many it can join).
        """
        counted = self._counted["UiO"][:, 0].tolist()
        unique = dict(zip(self.table["keys"], counted))
        unique[()] = int(self.Norig == 1)
        gains: dict[Hashable, list[int]] = {name: [] for name in self.candidates}
        for keys, n in zip(self.table["keys"], counted):
            for i, name in enumerate(keys):
                others = keys[:i] + keys[i + 1 :]
                gains[name].append(n - unique[others])
        names = pd.Index(np.fromiter(gains, dtype=object), name="candidate", tupleize_cols=False)
        rows = [(unique[name,], np.mean(g), min(g), max(g)) for name, g in gains.items()]
        columns = ["UiO_alone", "mean_increase", "min_increase", "max_increase"]
        frame = pd.DataFrame(rows, names, columns) * (100 / self.Norig)
        frame["sets"] = list(map(len, gains.values()))
        return frame.sort_values("mean_increase", ascending=False, kind="stable")

    def tidy(self) -> pd.DataFrame:
        """One row for each subset and measure, in the order of `table`: rank, keys, size, measure
        (here also UiS, synthetic records whose combination no other has), target (None unless the
        measure is DiSCO), value (of all syntheses together), min, max, unit, numerator, denominator
        (records, means over syntheses).
        """
        parts = []
        targets = [None, None, None, *self.targets]
        for (name, n), target in zip(self._counted.items(), targets):
            of_synthetic = name == "UiS"
            whole = np.array(self.Nsyn if of_synthetic else [self.Norig] * self.m)
            each = n / whole * 100
            part = self.table[["keys", "size"]].reset_index()
            part["measure"] = name.partition(" ")[0]
            part["target"] = pd.Series([target] * len(part), dtype=object)
            part["value"] = n.mean(axis=1) / whole.mean() * 100
            part["min"], part["max"] = each.min(axis=1), each.max(axis=1)
            part["unit"] = "% of synthetic records" if of_synthetic else UNIT
            part["numerator"], part["denominator"] = n.mean(axis=1), whole.mean()
            parts.append(part)
        return pd.concat(parts).sort_values("rank", kind="stable", ignore_index=True)

    def plot(
        self, kind: str | None = None, measure: str = "UiO", ax: Any = None, **options: Any
    ) -> Any:
        """Draw "pairs" (the risk of every pair of keys, each key alone on the diagonal; the default
        where there are any) or "sets" (the riskiest sets, ranked). `measure` as for `smallest`.
        Options: `round_to` (counts of people are rounded to a multiple of this, 10 by default; 1
        draws exact figures), `most` (how many keys, or sets). Needs matplotlib; returns the axes.
        """
        from .plots.key_risk import plot_pairs, plot_sets

        draw = {"pairs": plot_pairs, "sets": plot_sets}
        usual = "pairs" if self.max_keys > 1 else "sets"
        kind = check.check_choice("kind", kind or usual, tuple(draw))
        return draw[kind](self, measure, ax, **options)

    def _title(self) -> str:
        return "Risk of sets of keys"

    def _everybody(self) -> int:
        return self.Norig

    def _notes(self) -> tuple[str, ...]:
        return self.notes

    def _headline(self, to: int = 1) -> list[str]:
        rows = self.table.assign(UiO=self._counted["UiO"].mean(axis=1))
        if to > 1:
            rows = shown_rows(self, to)
        riskiest, everybody = rows.iloc[0], shown(self.Norig, self.Norig, to=to)
        unique = percent(riskiest["UiO"], everybody, to)
        said = (
            f"Of {len(rows)} sets of keys {_names(riskiest['keys'])} is the riskiest: {unique} of"
            " the original records are unique on it."
        )
        # which sets reach a share would say more than rounded figures
        return [said, self._smallest_sets()] if to == 1 else [said]

    def _sections(self) -> Sections:
        number, candidates = len(self.table), len(self.candidates)
        sets = "1 set" if number == 1 else f"{number} sets"
        limit = "" if self.max_keys == candidates else f" of up to {self.max_keys}"
        keys = "1 candidate key" if candidates == 1 else f"{candidates} candidate keys"
        syntheses = "1 synthesis" if self.m == 1 else f"{self.m} syntheses (averages)"
        head = f"Risk of {sets}{limit} from {keys}; {self.Norig} original records, {syntheses}"
        which = "All" if number <= MOST_SHOWN else f"The {MOST_SHOWN} riskiest"
        rows = self.table.head(MOST_SHOWN).drop(columns="keys").set_index("text")
        caption = f"{which} sets of keys, in {UNIT} (higher is riskier)"
        table: list[Block] = [Table(rows, caption, digits=2)]
        if number > MOST_SHOWN:
            table.append(f"and {number - MOST_SHOWN} more in .table")
        most = self.marginal()["mean_increase"].head(1)
        adds = (
            f"{most.index[0]} adds most to UiO: {most.iloc[0]:.2f} percentage points on"
            " average when it joins a set (.marginal() has all candidates)."
        )
        return [[head], table, [self._smallest_sets(), adds]]

    def _smallest_sets(self) -> str:
        sets = self.smallest()["text"].tolist()
        if not sets:
            return "No set makes 50 % of the original records unique (UiO)."
        told = "; ".join(sets[:3])
        if len(sets) > 3:
            told += f" and {len(sets) - 3} more, see .smallest()"
        return f"Smallest sets that make at least 50 % of the original records unique: {told}."

    def _rounded(self, to: int) -> Sections:
        rows, everybody = shown_rows(self, to), shown(self.Norig, self.Norig, to=to)

        def of_all(n: float) -> str:
            told = people(n, everybody, to)
            return told if n >= everybody else f"{told} ({percent(n, everybody, to)})"

        first = rows.head(MOST_FOR_OTHERS)
        frame = first[measures_of(self.targets)].apply(lambda column: column.map(of_all))
        frame.index = pd.Index(first["keys"].map(_names), name=None)
        caption = f"People out of {part(self.Norig, to=to)} by set of keys, the riskiest first"
        table: list[Block] = [Table(frame, caption)]
        if len(rows) > MOST_FOR_OTHERS:
            table.append(f"and {len(rows) - MOST_FOR_OTHERS:,} more sets of keys")
        return [table, [HOW_TO_READ, PROMISE]]

    def _content(self) -> dict[str, Any]:
        own = {"Norig": self.Norig, "Nsyn": self.Nsyn, "notes": self.notes}
        return {**self._arguments(), **own, "figures": self.tidy()}

    def _arguments(self) -> dict[str, Any]:
        return {
            "candidates": list(map(column_name, self.candidates)),
            "targets": list(map(column_name, self.targets)),
            "max_keys": self.max_keys,
        }

    def _records(self) -> dict[str, Any]:
        return {"original": self.Norig, "synthetic": self.Nsyn}


def shown_rows(result: KeyRisk, to: int) -> pd.DataFrame:
    """Means of shown counts, sets of keys by measures, the riskiest first by what is shown."""
    frame = result.table[["keys", "size"]].copy()
    unique = result._counted["UiS"].tolist()
    measures = measures_of(result.targets)
    for name in measures:
        means = []
        for n, of_set in zip(result._counted[name].tolist(), unique):
            # anyone with the release can count its unique records
            ceilings = [[one] if name == "repU" else [] for one in of_set]
            told = [shown(x, result.Norig, *more, to=to) for x, more in zip(n, ceilings)]
            means.append(sum(told) / result.m)
        frame[name] = means
    frame = frame.sort_values("size", kind="stable")
    by = ["repU", *measures[2:], "UiO"]
    return frame.sort_values(by, ascending=False, kind="stable").reset_index(drop=True)
