"""What R's synthpop does otherwise in `disclosure()`: a class that overrides steps of a call, each
under the defects it has.

R turns every column into a factor, matches levels by text and then tables by position. So here a
code is the row (or column) of a level in R's table: equal codes meet, whatever their levels.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from ..arguments import Call
from ..cells import Combinations, combine, occurring
from ..checks import above, pair_text
from ..core.arrays import Flags, Floats, Integers
from ..core.levels import MISSING_LABEL, level_texts
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
from ..levels import Factor, Rows, Side, Variable, count, is_long, match
from ..measures import Counts, Share, shares_of, sure
from ..missing import MISSING
from ..steps import Factors, Pair, Steps
from .collation import order
from .ledger import DEFECTS
from .reading import VERSIONS
from .text import double_text, format_padded

GLUE = " | "
NA = "NA"
NANOSECONDS = 1_000_000_000


@dataclass(slots=True)
class AsR(Steps):
    """R's way through a call; `met` are the defects that may have moved a figure."""

    met: set[str] = field(default_factory=set)
    factors: Factors = field(default_factory=dict)
    n: Sequence[Integers | None] = ()
    tables: dict[Any, tuple[Factor, Table]] = field(default_factory=dict)

    def meets(self, defect: str, where: bool) -> bool:
        """Note a defect where R's answer to a step is not the correct one."""
        if where:
            self.met.add(defect)
        return where

    def met_in(self, figures: Sequence[Any]) -> set[str]:
        """The defects met. D35: of several syntheses only the last in which something is flagged
        counts.
        """
        levels = {one.level.Level for one in figures if one.level is not None}
        pairs = {len(one.pairs) for one in figures if one.pairs}
        self.meets("D35", len(levels) > 1 or len(pairs) > 1)
        return self.met

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

    def adjust(self, factors: Factors, unused: Iterable[list[Factor]]) -> Factors:
        """D6, D15: columns of the original and the first synthesis are made alike. D28: if that
        changed anything, also in columns that are not used, the other syntheses are not.
        """
        alike, changed = {}, False
        for name, (original, synthetic, *_) in factors.items():
            alike[name] = self._alike(original, synthetic, name == self.call.target)
            changed |= self._changed([original, synthetic], alike[name])
        several = len(factors[self.call.target]) > 2
        if several and not changed:
            changed = any(self._changed([a, b], self._alike(a, b, False)) for a, b in unused)
        if not changed:
            return factors
        self.meets("D28", several)
        for name, made in alike.items():
            before = factors[name][:2]
            self.meets("D15", _written_anew(before, made))
            beside = any(one.is_number for one in before) and any(one.is_text for one in before)
            if beside or any(one.number_labels for one in before):
                self.met |= self.texts_tell(before)
        return alike

    def _changed(self, before: Sequence[Factor], after: Sequence[Factor]) -> bool:
        original, synthetic = before
        factor_sides = {one.kind for one in after} == {"factor"}
        gaps = original.has_gaps != synthetic.has_gaps
        one_sided = gaps and (factor_sides or synthetic.has_gaps)
        return one_sided or any(a is not b for a, b in zip(before, after))

    def _alike(self, original: Factor, synthetic: Factor, is_target: bool) -> list[Factor]:
        both, _ = same_types(synthetic, original, self.call.collation)
        if {one.kind for one in both} != {"factor"}:
            return both[::-1]
        # D6: a level without a name
        if original.has_gaps != synthetic.has_gaps and not is_target:
            both = [replace(one, levels=(*one.levels, None), has_gaps=False) for one in both]
        return (same_levels(both) if both[0].levels != both[1].levels else both)[::-1]

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
        return Classes(
            [self._special_lost(*both, special) for both in zip(factors, classes.factors)],
            classes.grouping,
        )

    def _special_lost(self, factor: Factor, grouped: Factor, special: Sequence[Any]) -> Factor:
        """Whole numbers that R writes otherwise as doubles are not found, and count as missing."""
        lost = [
            v for v in special if factor.kind == "integer" and double_text(float(v)) != str(int(v))
        ]
        gone = np.isin(np.asarray(factor.levels), lost) if lost else np.zeros(0, dtype=bool)
        if not self.meets("D15", bool(gone.any())):
            return grouped
        place = np.where(np.append(gone, False)[factor.place], len(grouped.levels), grouped.place)
        return replace(grouped, place=place, has_gaps=True)

    # ---- codes

    def encode(
        self, factors: Factors, n: Sequence[Integers | None]
    ) -> tuple[Variable, Combinations]:
        """Several keys are pasted, and meet by name; the target, and a single key, by position,
        which each synthesis decides anew (`pair`).
        """
        self.factors, self.n = factors, n
        used = [factors[key] for key in self.call.keys]
        asked = ("as R", self.call.keys, self.call.groups)
        if len(used) > 1 and asked not in self.shared:
            self.shared[asked] = combine([self.by_name(one) for one in used], n)
        target = match(factors[self.call.target])
        return target, self.shared[asked] if len(used) > 1 else combine([match(used[0])], n)

    def pair(self, target: Variable, combinations: Combinations, number: int) -> Pair:
        """Target and keys as R has them for one synthesis."""
        self.na_rows = 0
        both = [self.factors[self.call.target][table] for table in (0, number)]
        target = self._missing_target(self.by_position(*both))
        self.met |= self.texts_tell(both)
        used = [[self.factors[key][table] for table in (0, number)] for key in self.call.keys]
        n = tuple(self.n[table] for table in (0, number))
        if len(used) == 1:
            keys = [self.by_position(*used[0])]
            named = self._listed(used[0][0], used[0][1], keys[0])
            combinations = combine(keys, n)
        else:
            combinations, named = combinations.pair(number), None
            keys = list(combinations.keys)
        for key, of_key in zip(self.call.keys, used):
            asked = ("texts", key, number, self.call.groups, id(of_key[0].levels))
            if asked not in self.shared:
                self.shared[asked] = self.texts_tell(of_key)
            self.met |= self.shared[asked]
        # a text that reads "Missing" is left out with missing values
        may_lack = (self.call.use_target, *self.call.use_keys)
        for of_variable, use in zip((both, *used), may_lack):
            texts = [text for factor in of_variable for text in _levels(factor)]
            self.meets("D9", not use and MISSING_LABEL in texts)
        renamed = len(used) > 1 and number > 1 and "keys" in self.call.keys
        if self.meets("D12", renamed):
            place = self.call.keys.index("keys")
            keys = overwritten(keys, place, number - 1, n)
            combinations = combine(keys, n)
        glue = [any(GLUE in (text or "") for text in _levels(one)) for of in used for one in of]
        bars = [any("|" in (t or "") for t in _levels(one)) for of in (both, *used) for one in of]
        unnamed = any(None in _levels(one) for of_key in used for one in of_key)
        self.meets("D6", unnamed)
        if not (renamed or any(bars) or unnamed):
            return Pair(target, combinations, named)
        lookups = [_lookup(key, original) for key, (original, _) in zip(keys, used)]
        if renamed:  # the original's column holds whole combinations
            lookups[place] = {}, target.sides[0].codes
        totals = partial(self._counted_by_text, _lookup(target), lookups, n[0])
        if any(glue) and not renamed:
            self.meets("D10", True)
            parts = [first_parts(keys[0])] if len(keys) == 1 else glued(keys, n)
            combinations = combine(parts, n)
        return Pair(target, combinations, named, totals, tuple(keys))

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
        labels = {text for one in factors for text in _levels(one)}
        if same_matches(self.by_name(factors), match(factors)):
            return set()
        if MISSING_LABEL in labels:
            return {"D9"}
        numbers = {one.kind for one in factors} <= {"integer", "double"}
        return {"D48" if numbers and cut_short(factors) else "D15"}

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
        place = np.arange(len(factor.levels) + 1)
        own = texts_of(factor, beside)
        labels: list[str | None] = list(own)
        if len(set(labels)) < len(labels):  # D48: levels that R writes alike are one
            labels = list(dict.fromkeys(labels))
            place = moved(own, labels)
        with_gaps = gaps and factor.has_gaps
        if with_gaps:
            records = count(place, factor.records(), len(labels) + 1)
            used = [text for text, n in zip(labels, records) if n]
            labels = list(dict.fromkeys([*used, MISSING_LABEL]))  # D9
            known = {label: i for i, label in enumerate(labels)}
            place = np.array([known.get(text, 0) for text in (*own, MISSING_LABEL)])
        if not with_gaps and factor.kind != "character":
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
        return _variable((original, synthetic), tables, rows)

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
            names: list[str | None] = list(dict.fromkeys(texts))
            tables.append(Table(names, place if names == labels else moved(texts, names)[place]))
        names = list(dict.fromkeys(label for table in tables for label in table.labels))
        return _variable(factors, tables, [names] * len(tables))

    def _listed(self, original: Factor, synthetic: Factor, key: Variable) -> Flags:
        """D14: levels of a single key that no synthetic record has count as found, by name."""
        d, s = self.factor(original), self.factor(synthetic)
        names = self._extended(d.labels, s.labels)
        used = np.unique(s.place[synthetic.records() > 0])
        occurring = {s.labels[i] for i in used if i < len(s.labels)}
        named = set(s.labels)
        flags = np.array([name in named for name in names], dtype=bool)
        there = np.array([name in occurring for name in names], dtype=bool)
        of_original = key.sides[0].records(key.size)[: len(flags)] > 0
        self.meets("D14", bool(((flags != there) & of_original).any()))
        return np.append(flags, np.zeros(key.size - len(flags), dtype=bool))

    # ---- who is left out, figures, checks

    def no_identity(self, why: Why) -> tuple[Flags, Flags] | None:
        """D17: any exclusion, also of targets."""
        out = why.d > 0, why.s > 0
        self.meets("D17", bool((out[0] != why.no_key_d).any() or (out[1] != why.no_key_s).any()))
        return out

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
        found = int(counts.d_q @ (counts.s_q > 0))
        as_r = {
            "TCAP_DiS": ("D45", Share(int(counts.d @ certain), int(counts.d_q @ some))),
            "TCAP_iS": ("D16", Share(counts.left["DiSCO"], found)),
        }
        for name, (defect, share) in as_r.items():
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
        both, total = [], []
        weights = np.ones(len(targets), dtype=np.int64) if n is None else n
        for pair in pairs:
            words = pair_text(*pair).split("|")[:2]
            known = words[0] in of_target and words[1] in of_key
            odd = self.meets("D11", len(pair_text(*pair).split("|")) > 2)
            # R stops where no level of the target is found, or shows a row of NA
            shows = odd and self.factors[self.call.target][0].kind != "character"
            self.na_rows += shows and words[0] in of_target and words[1] not in of_key
            of, key = words if known else pair
            with_key = column == of_key.get(key, -1)
            total.append(weights[with_key].sum())
            both.append(weights[with_key & (targets == of_target[of])].sum())
        return np.array(both), np.array(total)


def texts_are_values(factors: Sequence[Factor]) -> bool:
    """Whether R, which compares texts, tells the same levels apart as their values do."""
    kinds = {one.kind for one in factors}
    if kinds <= {"factor", "character"}:
        plain = not any(one.number_labels for one in factors)
        return plain and not any({None, MISSING_LABEL} & set(one.levels) for one in factors)
    return len(kinds) == 1 and not (kinds & {"time", "duration"} or any(map(is_long, factors)))


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


# ---- synorig.compare -----------------------------------------------------------------


def same_types(
    synthetic: Factor, original: Factor, collation: Any
) -> tuple[list[Factor], list[tuple[str, str]]]:
    """Numbers beside a factor and texts become factors, integers beside doubles become doubles;
    what was done, on which side.
    """
    both, sides, done = [synthetic, original], ("syn", "orig"), []
    for i in (0, 1):
        if both[i].is_number and both[1 - i].kind == "factor":
            both[i] = made_factor(both[i], collation)
            done.append(("number to factor", sides[i]))
    for i in (0, 1):
        if both[i].kind == "character":
            both[i] = made_factor(both[i], collation)
            done.append(("text to factor", sides[i]))
    if {one.kind for one in both} == {"integer", "double"}:
        whole = [one.kind for one in both].index("integer")
        levels = np.asarray(both[whole].levels, dtype=float)
        both[whole] = replace(both[whole], kind="double", levels=levels)
        done.append(("integer to double", sides[whole]))
    return both, done


def made_factor(factor: Factor, collation: Any) -> Factor:
    """R's ``factor(x)``: texts in the order of the collation, everything else ascending and named
    by its text. Missing values stay missing.
    """
    if factor.kind == "factor":
        return factor
    texts = factor.texts
    if factor.kind == "duration":
        texts = level_texts("double", np.asarray(factor.levels) / NANOSECONDS)
    labels = list(dict.fromkeys(texts))
    if factor.kind == "character":
        labels = [labels[i] for i in order(labels, collation)]
    return factor.moved("factor", tuple(labels), moved(texts, labels))


def same_levels(factors: Sequence[Factor]) -> list[Factor]:
    """Factors with the levels of both, those of the first one first."""
    labels = tuple(dict.fromkeys(level for one in factors for level in one.levels))
    return [one.moved("factor", labels, moved(one.levels, labels)) for one in factors]


# ---- levels of R ---------------------------------------------------------------------


class Table(NamedTuple):
    """R's levels of a column in their order, and where each of the column's levels is."""

    labels: list[str | None]
    place: Integers


Lookup = tuple[dict[str, int], Integers]  # codes of the original by text, and its column


def _levels(factor: Factor) -> Sequence[str | None]:
    """Texts that are levels; numbers have none."""
    return factor.levels if factor.is_text else ()  # type: ignore[return-value]


def texts_of(factor: Factor, beside: Factor | None = None) -> list[str]:
    """D15: numbers pasted beside texts are padded; a time depends on its column."""
    levels = np.asarray(factor.levels)
    if beside is not None and factor.is_number and beside.is_text:
        return format_padded(levels.astype(float).tolist())
    if factor.kind == "time":
        seconds = [str(x).replace("T", " ") for x in (levels // 10**9).astype("datetime64[s]")]
        midnights = all(text.endswith("00:00:00") for text in seconds)
        return [text[:10] for text in seconds] if midnights else seconds
    return factor.texts


def _written_anew(before: Sequence[Factor], after: Sequence[Factor]) -> bool:
    """Whether some number now has another text: 1e+05 instead of 100000."""
    for old, new in zip(before, after):
        if (old.kind, new.kind) == ("integer", "double"):
            levels = np.asarray(old.levels)
            if level_texts("integer", levels) != level_texts("double", levels.astype(float)):
                return True
    return False


def same_matches(one: Variable, other: Variable) -> bool:
    """Whether two codings tell the same levels apart, of those that occur."""
    codes = []
    for variable in (one, other):
        sides = [side.place[side.factor.rows.often > 0] for side in variable.sides]
        codes.append(np.concatenate(sides).astype(np.int64))
    pairs = codes[0] * other.size + codes[1]
    return len({len(np.unique(of_levels)) for of_levels in (*codes, pairs)}) == 1


def cut_short(factors: Sequence[Factor]) -> bool:
    """Whether R writes some whole number as another one."""
    for factor in factors:
        for value in np.asarray(factor.levels).tolist():
            if abs(value) >= 1e15 and float(double_text(float(value))) != value:
                return True
    return False


def moved(labels: Iterable[Any], among: Sequence[Any]) -> Integers:
    """Where each label stands among others; missing stays behind them."""
    place = {label: i for i, label in enumerate(among)}
    return np.array([*(place[label] for label in labels), len(among)], dtype=np.int64)


def _variable(
    factors: Sequence[Factor], tables: Sequence[Table], rows: Sequence[list[Any]]
) -> Variable:
    sides = []
    for factor, (labels, place), names in zip(factors, tables, rows):
        place = place if names == labels else moved(labels, names)[place]
        texts = [NA if name is None else str(name) for name in names]
        gap = names.index(MISSING_LABEL) if MISSING_LABEL in names else -1
        sides.append(Side(factor, factor.through(place), partial(at, texts), gap))
    return Variable(max(max(map(len, rows)), 1), tuple(sides))


def at(texts: Sequence[str], codes: Sequence[int]) -> list[str]:
    return [texts[code] if code < len(texts) else MISSING_LABEL for code in np.asarray(codes)]


# ---- pasted keys ---------------------------------------------------------------------


def _rows_factor(codes: Integers, n: Integers | None, size: int) -> Factor:
    """Combinations, already numbered, as a factor."""
    return Factor("factor", (), np.arange(size + 1), Rows(codes, n, size + 1), False, in_order=True)


def _by_text(texts: Sequence[str], of_tables: Sequence[Integers], n: Sequence[Any]) -> Variable:
    """A variable by the texts of numbered combinations, and the combination of each row."""
    names = list(dict.fromkeys(texts))
    place = moved(texts, names)
    gap = names.index(MISSING_LABEL) if MISSING_LABEL in names else -1
    sides = []
    for codes, weights in zip(of_tables, n):
        factor = _rows_factor(codes, weights, len(texts))
        sides.append(Side(factor, place, partial(at, names), gap))
    return Variable(len(names), tuple(sides))


def pasted(combinations: Combinations, glue: str = GLUE) -> tuple[list[str], list[Integers]]:
    """The combinations that occur as R writes them, and those of the rows of all tables."""
    seen, places = occurring(combinations.codes)
    parts = combinations.parts(seen)
    by_key = [key.sides[0].texts(codes) for key, codes in zip(combinations.keys, parts)]
    return [glue.join(words) for words in zip(*by_key)], places


def overwritten(keys: list[Variable], place: int, times: int, n: Sequence[Any]) -> list[Variable]:
    """D12: after each synthesis the original's key called "keys" holds the combinations."""
    for _ in range(times):
        texts, (of_d, _) = pasted(combine(keys, n))
        size, synthetic = keys[place].size, keys[place].sides[1]
        names = synthetic.texts(range(size))
        own = _by_text([*texts, *names], [of_d, synthetic.codes + len(texts)], n)
        keys = [*keys[:place], own, *keys[place + 1 :]]
    return keys


def glued(keys: Sequence[Variable], n: Sequence[Any]) -> list[Variable]:
    """D10: combinations are one text, and its parts are read back by splitting. What is left over
    behind the last key makes one more variable, so that different texts stay apart.
    """
    texts, places = pasted(combine(keys, n))
    words = [text.split(GLUE) for text in texts]
    pieces = [[*split[: len(keys)], GLUE.join(split[len(keys) :])] for split in words]
    return [_by_text(column, places, n) for column in zip(*pieces)]


def first_parts(key: Variable) -> Variable:
    """D10: a single key keeps its levels, but only their first part is read."""
    sides = []
    for side in key.sides:
        texts = [text.split(GLUE)[0] for text in side.texts(range(key.size))]
        sides.append(side._replace(texts=partial(at, texts)))
    return Variable(key.size, tuple(sides))


def _lookup(variable: Variable, original: Factor | None = None) -> Lookup:
    """Codes of the original by text, and its column, in which a level without a name has no text
    (D6).
    """
    side = variable.sides[0]
    codes = side.codes.astype(np.int64)
    if original is not None and original.is_text and None in original.levels:
        unnamed = original.levels.index(None)  # type: ignore[union-attr]
        codes = np.where(original.place[original.rows.codes] == unnamed, variable.size, codes)
    there = [code for code in np.unique(codes).tolist() if code < variable.size]
    return dict(zip(side.texts(there), there)), codes
