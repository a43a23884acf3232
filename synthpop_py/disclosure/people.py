"""Which people the figures of a result are about, for the rule on small cells.

Figures on synthetic records alone are not about people.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from ..r.layouts import LAYOUTS
from ..r.reading import VERSIONS
from ..show import Count, Relation, fill
from ..show.audit import KEPT
from .cells import VECTORS
from .checks import LevelCheck, PairCheck
from .exclusions import COLUMNS
from .measures import BY_NAME, MEASURES
from .result import Disclosure
from .run import SetFigures

NOBODY = tuple(measure.name for measure in MEASURES if measure.counted == "synthetic records")
SYNTHETIC = (*NOBODY, "synthetic")
IDENTITY = ("UiO", "UiOiS", "repU")
# measures that are other shares of the same people
NUMERATORS = {
    measure.name: measure.same_people_as for measure in MEASURES if measure.same_people_as
}
GROUPS: dict[str, str] = {"records with one answer": "DiS", "records found": "iS"}
OUT_OF_PEOPLE = {
    name: GROUPS[BY_NAME[name].of] for name in NUMERATORS if BY_NAME[name].of in GROUPS
}
OUT_OF_SYNTHETIC = tuple(
    measure.name
    for measure in MEASURES
    if measure.of == "synthetic records" and measure.counted == "people"
)
# figures that decisions rest on are the last to be hidden to protect another figure
WORTH = {"UiO": 4, "repU": 5, "Dorig": 4, "DiSCO": 5, "iS": 3}
EVERYBODY = KEPT
SCALED = "_scaled"
BASE = "baseCAPd"
NESTED = (
    ("DiSCO", "DiS"),
    ("DiS", "iS"),
    ("iS", "original"),
    ("DiSDiO", "DiSCO"),
    ("DiSDiO", "Dorig"),
    ("Dorig", "original"),
)
OF_THE_TARGET = ("excluded target", "missing target")  # reasons to leave people out
THRESHOLDS = (90.0, 80.0)  # per cent, the defaults of `disclosure()`
LARGE_GROUP = 4.0


class LevelCounts(NamedTuple):
    """All people, those with and without the level; the disclosed, those of them with it, and the
    rest.
    """

    everyone: Count
    with_level: Count
    without_level: Count
    disclosed: Count
    part: Count
    rest: Count


class PairCounts(NamedTuple):
    """Disclosed people with the pair; all with the pair, all with the key's level, the rest of
    those; people with another level of the key.
    """

    disclosed: Count
    part: Count
    whole: Count
    rest: Count
    outside: Count


class Elsewhere(NamedTuple):
    """People with another level of the key, with and without the level of the target."""

    with_level: Count
    without_level: Count


class People:
    """The counts of people behind one synthesis of a result.

    Attributes
    ----------
    shares : for every measure, the counts that its percentage reveals.
    """

    def __init__(self, result: Disclosure, j: int) -> None:
        self.result = result
        self.figures: SetFigures = result._sets[j]
        self.synthesis = j + 1
        self.layout = LAYOUTS[VERSIONS[result.compat]]
        self.everybody = everybody(result.Norig)
        self.shares: dict[str, tuple[Count, ...]] = {}
        for measure in self.figures.shares:
            counts = self._behind_share(measure)
            # R leaves some figures undefined; those count nobody
            self.shares[measure] = tuple(count for count in counts if math.isfinite(count.n))

    # ---- single counts ---------------------------------------------------------------

    def named(self, what: str, n: float) -> Count:
        """A count of this synthesis."""
        name = count_name(what, self.result.target, self.synthesis, n)
        return Count(name=name, n=float(n), worth=WORTH.get(what, 1))

    def not_true_of(self, what: str, n: float) -> Count:
        """Those in a group for whom a statement is not true."""
        name = count_name(what, self.result.target, self.synthesis, n)
        return Count(name=name, n=n, complement=True)

    def of(self, measure: str) -> Count:
        """The people a measure counts, after exclusions."""
        what, shares = NUMERATORS.get(measure, measure), self.figures.shares
        # where exclusions do not make others certain, one count: else one would reveal the other
        if what == "TCAPb" and shares[what].numerator == shares["DiSCO"].numerator:
            what = "DiSCO"
        return self.named(what, shares[measure].numerator)

    def removed(self, vector: str, column: str) -> Count:
        """An entry of the ledger of exclusions."""
        row = VECTORS.index(vector)
        n = int(self.figures.ledger[row, COLUMNS.index(column)])
        what = vector if column == "remaining" else f"{vector}, {column}"
        return self.named(what, n)

    def left_out(self) -> Count:
        """The people whom exclusions left out of the attribute measures."""
        remaining = self.removed("original", "remaining")
        return self.named("original, left out", self.everybody.n - remaining.n)

    def behind_left_out(self) -> tuple[Count, Count]:
        """The counts that the number of people left out reveals: itself, and those who remain."""
        return self.left_out(), self.removed("original", "remaining")

    def behind_identity(self) -> tuple[Count, Count]:
        """The people whom identity measures leave out, and those they are about."""
        counted = self.named("original, of identity", self.figures.of_identity[0])
        lacking = self.named("original, left out of identity", self.everybody.n - counted.n)
        return lacking, counted

    def not_disclosed(self, measure: str) -> Count:
        """Those for whom the synthetic data are certain (DiS), or who are found in them (iS), but
        who are not disclosed.
        """
        n = self._out_of(measure).n - self.of(measure).n
        return self.not_true_of(f"{OUT_OF_PEOPLE[measure]} without DiSCO", n)

    def _out_of(self, measure: str) -> Count:
        """The people that a share is taken of."""
        return self.named(OUT_OF_PEOPLE[measure], self.figures.shares[measure].denominator)

    # ---- what a cell gives away ------------------------------------------------------

    def _behind_share(self, measure: str) -> list[Count]:
        """The counts behind a percentage, or behind a numerator and its denominator."""
        if measure in SYNTHETIC:
            return []
        if measure.endswith(SCALED):
            # anyone who knows the base can work out the measure itself
            unscaled = measure.removesuffix(SCALED)
            return self._behind_share(unscaled) + self._behind_share(BASE)
        counts = [self.of(measure)]
        if measure in OUT_OF_PEOPLE:
            counts += [self._out_of(measure), self.not_disclosed(measure)]
        elif measure not in OUT_OF_SYNTHETIC:
            counts.append(self.everybody)
        if measure == BASE:
            # it determines two levels exactly, and more than two nearly
            counts.append(self._smallest_level())
            counts += self._elsewhere_by_base()
        if measure == "DiS":
            # together with DiSCO it reveals for how many the synthetic data are certain and wrong
            counts.append(self._certain_and_wrong())
        return counts

    def behind_figure(self, column: str) -> tuple[Count, ...]:
        """The counts behind an entry of one of R's tables of measures."""
        if column == "max_denom":
            return fill.known(self.named(column, self.figures.max_denom))
        if column == "mean_denom":
            # anyone with the release can count the cells, and cells times mean is DiSCO
            mean = self.named(column, self.figures.mean_denom)
            return fill.known(mean, self.of("DiSCO"))
        if column in self.layout.denoms:
            return self.behind_denominator(self.layout.denoms[column])
        measure = self.layout.columns.get(column, column)
        return self.shares[measure]

    def behind_numerator(self, measure: str) -> tuple[Count, ...]:
        if measure in SYNTHETIC:
            return ()
        if measure.endswith(SCALED) or measure == BASE:
            return self.shares[measure]
        return fill.known(self.of(measure))

    def behind_denominator(self, measure: str) -> tuple[Count, ...]:
        if measure in (*SYNTHETIC, *OUT_OF_SYNTHETIC):
            return ()
        if measure.endswith(SCALED):
            return self.shares[BASE]
        if measure in OUT_OF_PEOPLE:
            return fill.known(self._out_of(measure))
        return (self.everybody,)

    def _smallest_level(self) -> Count:
        """The fewest original records of any level of the target, ignoring exclusions: if these are
        not hidden, no level is.
        """
        if self.result._outcome is None:
            # read from a file, which has no levels: assumed to be the smallest
            return self.named("level not at hand", 1.0)
        records = self.result._outcome.d_t
        occurring = records[records > 0]
        return self.named("smallest level", occurring.min(initial=self.result.Norig))

    def _elsewhere_by_base(self) -> list[Count]:
        """What baseCAPd of two levels and the pairs together reveal: those with and without a level
        among people with another level of the key. It is the same in every synthesis, and does not
        say which level is which, so that all pairs and both levels are looked at.
        """
        if self.result._outcome is None:
            return []  # its level not at hand hides baseCAPd anyway
        occurring = [float(n) for n in self.result._outcome.d_t if n > 0]
        if len(occurring) != 2:
            return []
        counts = []
        for pair in [pair for figures in self.result._sets for pair in figures.pairs]:
            outside = self._pair_counts(pair).outside.n
            for of_level in occurring:
                with_level = of_level - pair.key_target_total
                # otherwise the pair is not one of this level
                if 0 <= with_level <= outside and outside:
                    counts.append(self.not_true_of("with a level elsewhere", with_level))
                    without = outside - with_level
                    counts.append(self.not_true_of("without a level elsewhere", without))
        return counts

    def _certain_and_wrong(self) -> Count:
        n = self.of("DiS").n - self.of("DiSCO").n
        return self.not_true_of("DiS without DiSCO", n)

    def behind_ledger(self, row: int, column: str) -> tuple[Count, ...]:
        vector = VECTORS[row]
        return () if vector in SYNTHETIC else (self.removed(vector, column),)

    def behind_level(self, column: str) -> tuple[Count, ...]:
        level = self.figures.level
        if level is None or column == "Level":
            return ()
        counts = self._level_counts(level)
        return {
            "All": (counts.everyone,),
            "PctLevelAll": (counts.everyone, counts.with_level, counts.without_level),
            "totalDisclosive": (counts.disclosed,),
            "nLevelDis": (counts.part,),
            "PctLevelDis": (counts.disclosed, counts.part, counts.rest),
        }[column]

    def _level_counts(self, level: LevelCheck) -> LevelCounts:
        everyone = self.named("original", level.All)
        with_level = self.named("with the level", round(level.All * level.PctLevelAll / 100))
        disclosed = self.named("DiSCO", level.totalDisclosive)
        part = self.named("DiSCO with the level", level.nLevelDis)
        return LevelCounts(
            everyone=everyone,
            with_level=with_level,
            without_level=fill.others(f"rest of {with_level.name}", with_level, everyone),
            disclosed=disclosed,
            part=part,
            rest=fill.others(f"rest of {part.name}", part, disclosed),
        )

    def behind_pair(self, row: int, column: str) -> tuple[Count, ...]:
        pair = self.figures.pairs[row]
        counts = self._pair_counts(pair)
        elsewhere = self._elsewhere(pair) or ()
        return {
            "npairs": (counts.disclosed,),
            "key_target_total": (counts.part, *elsewhere[:1]),
            "key_total": (counts.whole, *_some(counts.outside)),
            "PctTargetKeyLevel": (
                *(counts.part, counts.whole, counts.rest, *_some(counts.outside)),
                *elsewhere,
            ),
        }.get(column, ())

    def _pair_counts(self, pair: PairCheck) -> PairCounts:
        what = f"{pair.target_key_levs} by {pair.key}"
        disclosed = self.named(f"DiSCO with {what}", pair.npairs)
        part = self.named(f"with {what}", pair.key_target_total)
        # pairs of one level of a key are parts of one whole
        whole = self.named(f"with {pair.key_level} in {pair.key}", pair.key_total)
        rest = fill.others(f"rest of {part.name}", part, whole)
        # if a key has two levels, one reveals the other
        outside = fill.others(f"outside {whole.name}", whole, self.everybody)
        return PairCounts(disclosed=disclosed, part=part, whole=whole, rest=rest, outside=outside)

    def _elsewhere(self, pair: PairCheck) -> Elsewhere | None:
        """What a pair and the check of levels, which counts the same level of the target, together
        reveal by subtraction.
        """
        level = self.figures.level
        if level is None or not self._level_is_whole():
            return None
        if pair.target_level != level.Level:
            return None
        counts = self._pair_counts(pair)
        n = self._level_counts(level).with_level.n - counts.part.n
        # if a defect of R breaks the sum, nothing can be worked out
        if counts.outside.n <= 0 or not 0 <= n <= counts.outside.n:
            return None
        with_level = Count(name=f"with the level, {counts.outside.name}", n=n, complement=True)
        without_level = fill.others(f"rest of {with_level.name}", with_level, counts.outside)
        return Elsewhere(with_level=with_level, without_level=without_level)

    def _level_is_whole(self) -> bool:
        """Whether everybody with the level that is checked was counted: only other levels of the
        target were left out, and nobody for their keys.
        """
        removed = [self.removed("original", reason).n for reason in OF_THE_TARGET]
        return self.everybody.n - self.removed("original", "remaining").n == sum(removed)

    # ---- what everybody can work out -------------------------------------------------

    def relations(self) -> Iterator[Relation]:
        yield from self._sums_of_the_ledger()
        yield from self._nested_measures()
        if self.figures.level is not None:
            yield from self._level_relations(self.figures.level)
        pairs = [self._pair_counts(pair) for pair in self.figures.pairs]
        for pair in pairs:
            yield from self._pair_relations(pair)
        yield from self._sums_of_level_and_pairs()
        yield from self._pairs_of_one_whole(pairs)
        yield from self._pairs_of_one_key(pairs)

    def _sums_of_the_ledger(self) -> Iterator[Relation]:
        """Every original record was either removed for some reason, or remained."""
        *removed, remaining = [self.removed("original", column).name for column in COLUMNS]
        yield fill.total(self.everybody.name, [*removed, remaining])
        yield fill.total(self.left_out().name, removed)
        yield fill.total(self.everybody.name, [self.left_out().name, remaining])
        lacking, counted = [count.name for count in self.behind_identity()]
        yield fill.total(self.everybody.name, [lacking, counted])
        yield fill.at_most(remaining, counted)
        for part, whole in NESTED:
            for column in COLUMNS:
                yield fill.at_most(
                    self.removed(part, column).name, self.removed(whole, column).name
                )

    def _nested_measures(self) -> Iterator[Relation]:
        yield fill.at_most(self.of("repU").name, self.of("UiOiS").name)
        yield fill.at_most(self.of("UiOiS").name, self.of("UiO").name)
        parts = [self.of("DiSCO").name, self._certain_and_wrong().name]
        yield fill.total(self.of("DiS").name, parts)
        for measure in OUT_OF_PEOPLE:
            parts = [self.of(measure).name, self.not_disclosed(measure).name]
            yield fill.total(self._out_of(measure).name, parts)
        yield from self._expected_guesses()

    def _expected_guesses(self) -> Iterator[Relation]:
        """DCAPd counts disclosed people fully, those for whom the synthetic data are certain and
        wrong not at all, and the others found in them in part.
        """
        expected, disclosed = self.of("DCAPd"), self.of("DiSCO")
        certain, found = self.of("DiS"), self.of("iS")
        if expected.n >= disclosed.n:
            yield fill.at_most(disclosed.name, expected.name)
        if expected.n - disclosed.n <= found.n - certain.n:
            terms = ((1.0, found.name), (-1.0, certain.name), (1.0, disclosed.name))
            yield Relation((*terms, (-1.0, expected.name)), low=0.0, high=math.inf)
        all_certain = self.figures.shares["Dsyn"].percent == 100
        if all_certain and expected.n == disclosed.n:
            yield fill.total(expected.name, [disclosed.name])

    def _level_relations(self, level: LevelCheck) -> Iterator[Relation]:
        counts = self._level_counts(level)
        part, rest = counts.part.name, counts.rest.name
        with_level, without_level = counts.with_level.name, counts.without_level.name
        yield fill.total(counts.disclosed.name, [part, rest])
        yield fill.total(counts.everyone.name, [with_level, without_level])
        yield fill.at_most(part, with_level)
        if counts.rest.n <= counts.without_level.n:
            yield fill.at_most(rest, without_level)
        yield fill.at_least(part, self._thresholds()[0] / 100, counts.disclosed.name)
        smallest = self._smallest_level()
        # with two levels, baseCAPd reveals both: the checked one is the larger
        if smallest.n == counts.without_level.n and counts.everyone.n == self.everybody.n:
            yield fill.total(self.everybody.name, [with_level, smallest.name])

    def _pair_relations(self, pair: PairCounts) -> Iterator[Relation]:
        yield fill.total(pair.whole.name, [pair.part.name, pair.rest.name])
        yield fill.total(self.everybody.name, [pair.whole.name, pair.outside.name])
        yield fill.at_most(pair.disclosed.name, pair.part.name)
        # it is listed because its share exceeds the threshold, and the threshold is known
        yield fill.at_least(pair.part.name, self._thresholds()[1] / 100, pair.whole.name)

    def _sums_of_level_and_pairs(self) -> Iterator[Relation]:
        """Everyone with a level of the target has it with the key's level of a pair, or
        elsewhere.
        """
        for pair in self.figures.pairs:
            level, elsewhere = self.figures.level, self._elsewhere(pair)
            if level is None or elsewhere is None:
                continue
            counts, of_level = self._pair_counts(pair), self._level_counts(level)
            with_level = [counts.part.name, elsewhere.with_level.name]
            yield fill.total(of_level.with_level.name, with_level)
            # in terms of what is printed: then one of these is hidden, not a distant figure
            neither = elsewhere.without_level.name
            either = ((1.0, counts.whole.name), (1.0, of_level.with_level.name))
            both = (-1.0, counts.part.name)
            terms = ((1.0, neither), *either, both, (-1.0, self.everybody.name))
            yield Relation(terms, low=0.0, high=0.0)
        yield from self._level_by_key()

    def _level_by_key(self) -> Iterator[Relation]:
        """Pairs of one key and the level that is checked: those with it, and those without."""
        level = self.figures.level
        by_key: dict[str, list[PairCounts]] = {}
        for pair in self.figures.pairs:
            if level is not None and self._elsewhere(pair) is not None:
                by_key.setdefault(pair.key, []).append(self._pair_counts(pair))
        for pairs in by_key.values():
            assert level is not None
            of_level = self._level_counts(level)
            all_listed = sum(pair.whole.n for pair in pairs) == self.everybody.n
            tie = _sum_of if all_listed else _parts_of
            yield from tie(of_level.with_level, [pair.part for pair in pairs])
            if level.All == self.everybody.n:
                yield from tie(of_level.without_level, [pair.rest for pair in pairs])

    def _pairs_of_one_whole(self, pairs: Sequence[PairCounts]) -> Iterator[Relation]:
        """People with one level of a key are in at most one of its pairs."""
        parts_of: dict[Count, list[Count]] = {}
        for pair in pairs:
            parts_of.setdefault(pair.whole, []).append(pair.part)
        for whole, parts in parts_of.items():
            if len(parts) > 1:
                yield from _parts_of(whole, parts)

    def _pairs_of_one_key(self, pairs: Sequence[PairCounts]) -> Iterator[Relation]:
        """Everyone has one level of a key, and everyone disclosed is disclosed in one of its
        pairs.
        """
        wholes: dict[str, dict[Count, None]] = {}
        disclosed: dict[str, list[Count]] = {}
        for check, pair in zip(self.figures.pairs, pairs):
            wholes.setdefault(check.key, {})[pair.whole] = None
            disclosed.setdefault(check.key, []).append(pair.disclosed)
        for key, levels in wholes.items():
            yield from _parts_of(self.everybody, list(levels))
            yield from _parts_of(self.of("DiSCO"), disclosed[key])

    @property
    def large_group(self) -> float:
        """How many disclosed people with the same keys the check of pairs overlooks."""
        if self.result._outcome is None:
            return LARGE_GROUP
        return float(self.result._outcome.plan.thresh_2way[0])

    def _thresholds(self) -> tuple[float, float]:
        """Per cent above which a level, and a pair, are listed."""
        if self.result._outcome is None:
            return THRESHOLDS
        plan = self.result._outcome.plan
        return float(plan.thresh_1way[1]), float(plan.thresh_2way[1])


def _some(outside: Count) -> tuple[Count, ...]:
    """Nobody outside: the key has one level, which distinguishes no one."""
    return (outside,) if outside.n else ()


def _parts_of(whole: Count, parts: Sequence[Count]) -> Iterator[Relation]:
    """The parts do not exceed the whole; no relation where defects of R break that."""
    if sum(part.n for part in parts) <= whole.n:
        subtracted = [(-1.0, part.name) for part in parts]
        yield Relation(((1.0, whole.name), *subtracted), low=0.0, high=math.inf)


def _sum_of(whole: Count, parts: Sequence[Count]) -> Iterator[Relation]:
    yield fill.total(whole.name, [part.name for part in parts])


def people_of(result: Disclosure) -> tuple[People, ...]:
    """The people behind each synthesis."""
    return tuple(People(result, j) for j in range(result.m))


def who_decides(of_syntheses: Sequence[People]) -> People:
    """The first synthesis that leaves someone out, because the original decides who is left out;
    the first of all if none does.
    """
    for people in of_syntheses:
        if people.left_out().n:
            return people
    return of_syntheses[0]


def everybody(n: int) -> Count:
    return Count(name="original records", n=float(n), worth=EVERYBODY)


def count_name(what: str, target: object, synthesis: object, n: float) -> str:
    """The name of a count, from what it counts. The number is part of the name: if R's result and
    the correct one have the same figure, it is the same count, hidden in both or in neither.
    """
    whose = "" if what in IDENTITY else f"{target}, "
    return f"{what} of {whose}{synthesis} is {float(n)!r}"


def mean_count(what: str, target: object, records: float, m: int) -> Count:
    """A mean over m syntheses; of one synthesis the count itself."""
    synthesis = 1 if m == 1 else "mean"
    name = count_name(what, target, synthesis, records)
    return fill.count(name, records, worth=WORTH.get(what, 1))


def relations_of(result: Disclosure) -> Iterator[Relation]:
    """The relations between the counts of a result, including those of the correct one."""
    for people in people_of(result):
        yield from people.relations()
    if result.corrected is not None:
        yield from relations_of(result.corrected)
