"""What R's synthpop does otherwise in `disclosure()`: a class that overrides steps of a call, each
under the defects it has. What R makes of columns is in `factors`.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from ..arguments import Call
from ..cells import Combinations, combine
from ..checks import above, pair_text
from ..core.arrays import Flags, Floats, Integers
from ..core.levels import MISSING_LABEL
from ..errors import InputError
from ..exclusions import Why, level_text
from ..grouping import (
    Classes,
    Grouping,
    covering,
    group,
    in_classes,
    of_column,
    pooled,
    same_classes,
)
from ..levels import Factor, Variable, count, match
from ..measures import Counts, Share, shares_of, sure
from ..missing import MISSING
from ..steps import Factors, Pair, Steps
from .collation import order
from .factors import (
    GLUE,
    NA,
    Lookup,
    Table,
    cut_short,
    first_parts,
    glued,
    level_labels,
    lookup_of,
    moved,
    overwritten,
    same_levels,
    same_matches,
    same_types,
    texts_are_values,
    texts_of,
    variable_of,
    written_anew,
)
from .ledger import DEFECTS
from .reading import VERSIONS
from .text import double_text

if TYPE_CHECKING:
    from ..data import Data


@dataclass(slots=True)
class AsR(Steps):
    """R's way through a call; `met` are the defects that may have moved a figure."""

    factors: Factors = field(default_factory=dict)
    n: Sequence[Integers | None] = ()
    tables: dict[Any, tuple[Factor, Table]] = field(default_factory=dict)

    def meets(self, defect: str, where: bool) -> bool:
        """Note a defect where R's answer to a step is not the correct one."""
        if where:
            self.met.add(defect)
        return where

    def flagged(self, levels: list[str], pairs: list[int]) -> tuple[str | None, int | None]:
        """D35: of several syntheses only the last in which something is flagged counts."""
        self.meets("D35", len(set(levels)) > 1 or len(set(pairs)) > 1)
        return levels[-1] if levels else None, pairs[-1] if pairs else None

    @classmethod
    def of(cls, call: Call, shared: dict[Any, Any]) -> AsR:
        """D2: usekeysNA is permuted the wrong way round. D3: ngroups_keys are taken in the order of
        the data. D21: an empty first level switches off all. D15: a number has one text.
        """
        correct = Steps.of(call, shared).call
        steps = cls(call, shared)
        use = tuple(call.use_keys[call.keys.index(key)] for key in call.asked)
        steps.meets("D2", use != correct.use_keys)
        steps.meets("D3", call.groups != correct.groups)
        off = call.levels[:1] == ("",)
        steps.meets("D21", off and len(call.levels) > 1)
        steps.call = replace(call, use_keys=use)
        steps._take(() if off else call.levels)
        return steps

    def names(self, level: Any) -> list[Any]:
        """A level as R finds it: by text, which for a gap is an ordinary one (D9)."""
        text = MISSING_LABEL if level is MISSING else level_text(level)
        return [text, MISSING] if text == MISSING_LABEL else [text]

    # ---- columns of plain frames: synorig.compare

    def adjust(self, factors: Factors, data: Data) -> Factors:
        """D6, D15: columns of plain frames, of the original and the first synthesis, are made
        alike. D28: if that changed anything, also in columns that are not used, the other
        syntheses are not.
        """
        if not (data.plain and self.call.compare_synorig):
            return factors
        alike, changed = {}, False
        for name, (original, synthetic, *_) in factors.items():
            alike[name] = self._alike(original, synthetic, name == self.call.target)
            changed |= self._changed([original, synthetic], alike[name])
        several = len(factors[self.call.target]) > 2
        if several and not changed:
            changed = any(
                self._changed([a, b], self._alike(a, b, False)) for a, b in data.unused(factors)
            )
        if not changed:
            return factors
        self.meets("D28", several)
        for name, made in alike.items():
            before = factors[name][:2]
            self.meets("D15", written_anew(before, made))
            numbers = any(one.is_number for one in before)
            texts = any(one.is_text for one in before)
            if (numbers and texts) or any(one.number_labels for one in before):
                self.met |= self.texts_tell(before)
        return alike

    def _changed(self, before: Sequence[Factor], after: Sequence[Factor]) -> bool:
        if any(a is not b for a, b in zip(before, after)):
            return True
        original, synthetic = before
        are_factors = all(one.kind == "factor" for one in after)
        one_sided = original.has_gaps != synthetic.has_gaps
        return one_sided and (are_factors or synthetic.has_gaps)

    def _alike(self, original: Factor, synthetic: Factor, is_target: bool) -> list[Factor]:
        (synthetic, original), _ = same_types(synthetic, original, self.call.collation)
        if synthetic.kind != "factor" or original.kind != "factor":
            return [original, synthetic]
        # D6: a level without a name
        if original.has_gaps != synthetic.has_gaps and not is_target:
            original = replace(original, levels=(*original.levels, None), has_gaps=False)
            synthetic = replace(synthetic, levels=(*synthetic.levels, None), has_gaps=False)
        if synthetic.levels != original.levels:
            synthetic, original = same_levels([synthetic, original])
        return [original, synthetic]

    def special(self, name: Hashable, data: Data) -> tuple[Any, ...]:
        """D25: only the last special value must occur."""
        return data.special_of(name, lambda values: values[-1:])

    # ---- classes

    def classes(
        self, factors: Sequence[Factor], n: int, special: Sequence[Any], name: Hashable
    ) -> Classes:
        """D15: a special value of whole numbers is looked for by the text of a double."""
        values, often = pooled(factors, special, self.call.style, name)
        split = partial(group, values, n, special=special, often=often, **self.call.style)
        try:
            made = grouping_as_r(split, values, n, self.meets)
        except InputError as error:
            raise of_column(error, name) from error
        classes = in_classes(factors, made, special)
        both = zip(factors, classes.factors)
        return Classes([self._special_lost(*one, special) for one in both], classes.grouping)

    def _special_lost(self, factor: Factor, grouped: Factor, special: Sequence[Any]) -> Factor:
        """Whole numbers that R writes otherwise as doubles are not found, and count as missing."""
        if factor.kind != "integer":
            return grouped
        lost = [value for value in special if double_text(float(value)) != str(int(value))]
        gone = np.append(np.isin(np.asarray(factor.levels), lost), False)
        if not self.meets("D15", bool(gone.any())):
            return grouped
        place = np.where(gone[factor.place], len(grouped.levels), grouped.place)
        return replace(grouped, place=place, has_gaps=True)

    # ---- codes

    def encode(
        self, factors: Factors, n: Sequence[Integers | None]
    ) -> tuple[Variable, Combinations]:
        """Several keys are pasted, and meet by name; the target, and a single key, by position,
        which each synthesis decides anew (`pair`).
        """
        self.factors, self.n = factors, n
        target = match(factors[self.call.target])
        used = [factors[key] for key in self.call.keys]
        if len(used) == 1:
            return target, combine([match(used[0])], n)
        asked = ("as R", self.call.keys, self.call.groups)
        if asked not in self.shared:
            self.shared[asked] = combine([self.by_name(one) for one in used], n)
        return target, self.shared[asked]

    def pair(self, target: Variable, combinations: Combinations, number: int) -> Pair:
        """Target and keys as R has them for one synthesis."""
        self.na_rows = 0
        names = self.call.keys
        both, *used = (self._of(name, number) for name in (self.call.target, *names))
        self._texts_met(both, used, number)
        target = self._missing_target(self.by_position(*both))
        n = self.n[0], self.n[number]
        named = None
        if len(used) == 1:
            keys = [self.by_position(*used[0])]
            named = self._listed(used[0], keys[0])
            combinations = combine(keys, n)
        else:
            combinations = combinations.pair(number)
            keys = list(combinations.keys)
        place = names.index("keys") if "keys" in names and len(names) > 1 and number > 1 else -1
        if self.meets("D12", place >= 0):
            keys = overwritten(keys, place, number - 1, n)
            combinations = combine(keys, n)
        labels = [label for factors in used for one in factors for label in level_labels(one)]
        unnamed = self.meets("D6", None in labels)
        of_target = [label for one in both for label in level_labels(one)]
        texts = "\n".join(map(str, labels))
        bars = "|" in texts or "|" in "\n".join(map(str, of_target))
        if place < 0 and not bars and not unnamed:
            return Pair(target, combinations, named)
        lookups = [lookup_of(key, original) for key, (original, _) in zip(keys, used)]
        if place >= 0:  # the original's column holds whole combinations
            lookups[place] = {}, target.sides[0].codes
        elif self.meets("D10", GLUE in texts):
            parts = [first_parts(keys[0])] if len(keys) == 1 else glued(keys, n)
            combinations = combine(parts, n)
        totals = partial(self._counted_by_text, lookup_of(target), lookups, n[0])
        return Pair(target, combinations, named, totals, tuple(keys))

    def _of(self, name: Hashable, number: int) -> list[Factor]:
        """A column of the original and of one synthesis."""
        return [self.factors[name][0], self.factors[name][number]]

    def _texts_met(
        self, target: Sequence[Factor], keys: Sequence[Sequence[Factor]], number: int
    ) -> None:
        """D9, D15, D48: texts tell other levels apart than values. D9: a text that reads "Missing"
        is left out with missing values.
        """
        self.met |= self.texts_tell(target)
        for name, factors in zip(self.call.keys, keys):
            asked = ("texts", name, number, self.call.groups, id(factors[0].levels))
            if asked not in self.shared:
                self.shared[asked] = self.texts_tell(factors)
            self.met |= self.shared[asked]
        for factors, use in zip((target, *keys), (self.call.use_target, *self.call.use_keys)):
            if not use:
                self.meets("D9", any(MISSING_LABEL in level_labels(one) for one in factors))

    def _missing_target(self, target: Variable) -> Variable:
        """D8: missing targets of the synthetic data alone are not left out."""
        original, synthetic = target.sides
        if original.missing >= 0 and original.records(target.size)[original.missing]:
            return target
        self.meets("D8", not self.call.use_target and synthetic.missing >= 0)
        return Variable(target.size, tuple(side._replace(missing=-1) for side in target.sides))

    def texts_tell(self, factors: Sequence[Factor]) -> set[str]:
        """D9, D15, D48: whether texts tell other levels apart than values do."""
        if texts_are_values(factors):
            return set()
        if same_matches(self.by_name(factors), match(factors)):
            return set()
        if any(MISSING_LABEL in level_labels(one) for one in factors):
            return {"D9"}
        numbers = all(one.is_number for one in factors)
        return {"D48"} if numbers and cut_short(factors) else {"D15"}

    def factor(self, factor: Factor, beside: Factor | None = None, gaps: bool = True) -> Table:
        """R's factor of a column, which may be pasted `beside` others. One with missing values
        becomes text, in alphabetical order.
        """
        padded = beside is not None and factor.is_number and beside.is_text
        asked = (id(factor), gaps, id(beside) if padded else None)
        if asked not in self.tables:
            self.tables[asked] = factor, self._factor(factor, beside, gaps)
        return self.tables[asked][1]

    def _factor(self, factor: Factor, beside: Factor | None, gaps: bool) -> Table:
        own = texts_of(factor, beside)
        labels: list[str | None] = list(dict.fromkeys(own))
        place = np.arange(len(own) + 1)
        if len(labels) < len(own):  # D48: levels written alike are one
            place = moved(own, labels)
        if gaps and factor.has_gaps:
            records = count(place, factor.records(), len(labels) + 1)
            used = [text for text, n in zip(labels, records) if n]
            labels = list(dict.fromkeys([*used, MISSING_LABEL]))  # D9
            known = {label: i for i, label in enumerate(labels)}
            place = np.array([known.get(text, 0) for text in (*own, MISSING_LABEL)])
        elif factor.kind != "character":
            return Table(labels, place)
        in_order = self._sorted(labels)
        return Table(in_order, moved(labels, in_order)[place])

    def _sorted(self, labels: Sequence[str | None]) -> list[str | None]:
        """In alphabetical order, a level without a name last."""
        texts = [label for label in labels if label is not None]
        unnamed = [None] * (len(labels) - len(texts))
        return [*(texts[i] for i in order(texts, self.call.collation)), *unnamed]

    def by_position(self, original: Factor, synthetic: Factor) -> Variable:
        """D1: a table that lacks levels of the other gets them and is sorted; one that lacks none
        keeps its order. Then rows meet by position.
        """
        tables = self.factor(original), self.factor(synthetic)
        d, s = (table.labels for table in tables)
        rows = self._extended(d, s), self._extended(s, d)
        self.meets("D1", rows[0] != rows[1])
        return variable_of((original, synthetic), tables, rows)

    def _extended(self, own: list[Any], others: list[Any]) -> list[Any]:
        have = set(own)
        lacking = [label for label in others if label not in have]
        return self._sorted([*own, *lacking]) if lacking else own

    def by_name(self, factors: Sequence[Factor]) -> Variable:
        """One of several keys, which are pasted. D6: a level without a name is the text "NA"."""
        if texts_are_values(factors):
            return match(factors)
        tables = []
        for factor in factors:
            labels, place = self.factor(factor, beside=factors[0])
            texts = [NA if label is None else label for label in labels]
            own: list[str | None] = list(dict.fromkeys(texts))
            tables.append(Table(own, moved(texts, own)[place]))
        names = list(dict.fromkeys(label for table in tables for label in table.labels))
        return variable_of(factors, tables, [names] * len(tables))

    def _listed(self, factors: Sequence[Factor], key: Variable) -> Flags:
        """D14: levels of a single key that no synthetic record has count as found, by name."""
        d, s = (self.factor(one) for one in factors)
        named = set(s.labels)
        used = np.unique(s.place[factors[1].records() > 0]).tolist()
        occurring = {s.labels[row] for row in used if row < len(s.labels)}
        flags, there = np.zeros((2, key.size), dtype=bool)
        for row, name in enumerate(self._extended(d.labels, s.labels)):
            flags[row] = name in named
            there[row] = name in occurring
        records = key.sides[0].records(key.size)
        self.meets("D14", bool(((flags != there) & (records > 0)).any()))
        return flags

    # ---- who is left out, figures, checks

    def no_identity(self, why: Why) -> tuple[Flags, Flags] | None:
        """D17: any exclusion, also of targets."""
        d, s = why.d > 0, why.s > 0
        self.meets("D17", bool((d != why.no_key_d).any() or (s != why.no_key_s).any()))
        return d, s

    def shares(self, counts: Counts) -> dict[str, Share]:
        """D45: who is certain is decided again after exclusions; D16: one quotient of two filters.
        No version has both.
        """
        shares = shares_of(counts)
        if counts.why is None:
            return shares
        version = VERSIONS[self.call.asked_mode]
        certain = sure(counts.cells, counts.s, counts.s_q, counts.least)
        some = counts.cells.by_q(certain) > 0
        again = Share(int(counts.d @ certain), int(counts.d_q @ some))
        found = Share(counts.left["DiSCO"], int(counts.d_q @ (counts.s_q > 0)))
        for name, defect, share in (("TCAP_DiS", "D45", again), ("TCAP_iS", "D16", found)):
            here = DEFECTS[defect].is_in(version)
            if self.meets(defect, here and share != shares[name]):
                shares[name] = share
        return shares

    def above(self, part: int, total: int, per_cent: float) -> bool:
        """D46: of a rounded quotient."""
        as_r = part / total * 100 > per_cent
        self.meets("D46", as_r != above(part, total, per_cent))
        return as_r

    def first(self, codes: Integers, target: Variable) -> int:
        return int(codes[0])  # codes are rows of R's table

    def _counted_by_text(
        self,
        target: Lookup,
        keys: Sequence[Lookup],
        n: Integers | None,
        i: int,
        pairs: list[tuple[str, str]],
    ) -> tuple[Integers, Integers]:
        """D11: the text of a pair is split at every "|", and its first two pieces are counted, in
        the columns themselves. Where they name nothing R has no number, and the pair keeps its own.
        """
        (of_target, targets), (of_key, column) = target, keys[i]
        weights = np.ones(len(targets), dtype=np.int64) if n is None else n
        both, total = [], []
        for of, level in pairs:
            first, second, *others = pair_text(of, level).split("|")
            target_found, key_found = first in of_target, second in of_key
            # R stops where no level of the target is found, or shows a row of NA
            if self.meets("D11", bool(others)) and target_found and not key_found:
                self.na_rows += self.factors[self.call.target][0].kind != "character"
            if target_found and key_found:
                of, level = first, second
            with_key = column == of_key.get(level, -1)
            total.append(weights[with_key].sum())
            both.append(weights[with_key & (targets == of_target[of])].sum())
        return np.array(both), np.array(total)


def grouping_as_r(
    split: Callable[..., Grouping], values: Floats, n: float, meets: Callable[[str, bool], bool]
) -> Grouping:
    """The classes that `split` makes of n. D22: two classes are replaced by equal widths. D49: the
    largest value may be in no class. D50: a value that is a bound may be in the class below.
    """
    as_r, exact = split(), split(exact=True)
    halves = split(exact=True, median_split=True) if int(n) == 2 else exact
    meets("D22", not np.array_equal(exact.breaks, halves.breaks))
    wider = covering(as_r, values)
    if meets("D49", wider is not as_r):
        return as_r
    return wider if meets("D50", not same_classes(values, wider, exact)) else exact
