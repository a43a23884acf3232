"""One run in parts, if there are more distinct rows in all tables than may be counted at once.

What depends on which levels occur is decided first, from the counts of single columns: levels and
classes, how levels are paired, special values, what is missing. A part then goes through the same
steps as a whole run, from its rows to sums that add up. Shares and flags are made from the sums of
all parts. Nothing else of a part is kept.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import starmap
from typing import NamedTuple

import numpy as np

from ..core.arrays import Integers, distinct_values
from ..core.combinations import LARGEST_CODE, Radix, codes_in_time, compact_if_sparse
from ..core.crosstab import tabulate, totals
from ..grouping import Grouping
from ..core.levels import Namer, Variable
from ..old_parts.splitting import Margin, MarginPlaces, Margins, PartReader, split
from ..progress import Begin
from ..r.formulas import as_r_computes
from ..r.reading import Reading
from ..tables.protocol import Counted, Table
from .baseline import Baseline, compare
from .certainty import Certainty, find_certainty, key_side
from .checks import (
    Disclosed,
    KeyPairs,
    LevelCheck,
    LevelSums,
    PairCheck,
    Pairs,
    describe_level,
    disclosed_cells,
    flag_pairs,
    large_cells,
    level_sums,
    records_at,
    summed,
    suspect_level,
)
from .encoding import Encoded, as_r_combines, coded, special_in_use
from .exclusions import Kept, check_pairs_occur, exclude, nobody_has
from .keys import Keys, contains
from .measures import Denominators, Tally, all_shares, denominators, take_stock
from .options import Plan, Request
from .pairing import Alignment, Meeting, align, list_cells, meet_as_in_r
from .run import Outcome, SetCells, SetFigures, Split, check_levels, make_plan
from .scores import Known, Scores, code_outsiders, member_scores
from .source import Source
from .splitting import paired_units, with_codes


@dataclass(frozen=True, slots=True)
class Whole:
    """What is known about all records before a part is read.

    Attributes
    ----------
    target, keys : the variables; their codes are those of the values in `as_read`.
    has_glue : some label of a key contains R's glue.
    margins : by name, the distinct values of each table, as read, with their counts.
    d_t : original records by code of the target.
    meetings : how levels of the original and of each synthesis are paired.
    """

    target: Variable
    keys: dict[Hashable, Variable]
    has_glue: bool
    groupings: dict[Hashable, Grouping]
    margins: Margins
    d_t: Integers
    meetings: tuple[Meeting, ...]
    records: tuple[int, ...]

    @property
    def variables(self) -> tuple[Variable, ...]:
        return tuple(self.keys.values())


def run_in_parts(
    request: Request, source: Source, compat: Reading, begin: Begin | None = None
) -> Outcome:
    """All syntheses against the original, part by part. `begin` is called for each part."""
    plan = make_plan(request, compat)
    whole = read_levels(request, plan, source, compat)
    not_found = check_levels(whole.target, whole.variables, plan, compat)
    units = paired_units(whole.keys, whole.meetings, has_glue=whole.has_glue, compat=compat)
    names = (plan.target, *plan.keys)
    # R may read only the first of several syntheses (D28)
    tables = source.tables[: len(whole.records)]
    most = source.most_rows(len(names))
    assert most is not None, "only then can rows be too many"
    parts = split(tables, names, units, whole.margins, most)
    reader = PartReader(tables, names, whole.margins, parts, begin)
    places = MarginPlaces(tables, whole.margins)
    sets = [SetSums(whole) for _ in whole.meetings]
    outside = None
    if source.holdout is not None and not compat.active:
        outside = OutsideSums(source.holdout, whole, plan)
    idle = list(plan.exclusions)
    for counted in reader:
        encoded = _encode_part(plan, whole, counted, places, compat)
        coded_part = encoded.target, encoded.keys.variables, plan, compat
        idle = [pair for pair in idle if nobody_has(pair, *coded_part)]
        of_part = []
        for sums, one in zip(sets, _sets_of_part(encoded, whole, plan, compat)):
            sums.add(*one, plan)
            if outside is not None:
                certainty, kept, _ = one
                of_part.append(SetCells(certainty.cells, certainty.before_exclusions, kept))
        if outside is not None:
            outside.add(encoded, of_part)
    check_pairs_occur(idle, plan)
    figures = []
    for sums, meeting in zip(sets, whole.meetings):
        pairs = sums.pairs_by_key(plan.target, source.data, places)
        level, flagged, na_rows = sums.checked(pairs, meeting, plan, compat)
        of_set = SetFigures(
            shares=as_r_computes(all_shares(sums.tally), sums.tally, compat),
            max_denom=float(sums.behind_disco.largest),
            mean_denom=sums.behind_disco.mean,
            ledger=sums.ledger,
            of_identity=(sums.tally.of_identity, sums.tally.of_identity_syn),
            level=level,
            pairs=flagged,
            na_rows=na_rows,
        )
        figures.append(of_set)
    return Outcome(
        plan=plan,
        sets=tuple(figures),
        counted=None,
        split=Split(parts.column, parts.number),
        d_t=whole.d_t,
        compat=compat,
        n=whole.records,
        counts=source.counts,
        groupings=whole.groupings,
        levels_not_found=not_found,
        baseline=None if outside is None else outside.baseline(),
    )


# ---- before the first part -----------------------------------------------------------


def read_levels(request: Request, plan: Plan, source: Source, compat: Reading) -> Whole:
    """Levels, classes and how they are paired, from the counts of single columns."""
    names = (plan.target, *plan.keys)
    as_read = {name: source.margin(name) for name in names}
    taken = as_read
    if source.plain and request.compare_synorig and compat.active:
        taken = {}
        for name, rows in as_read.items():
            taken[name] = source.as_r_takes_it(rows, request.collation, compat)
    every = compat.mode == "corrected"  # R looks only at the last special value of a column
    columns = {name: rows.columns[name] for name, rows in as_read.items()}
    special = special_in_use(source.special, columns, every=every)
    of_keys = {}
    for name in plan.keys:
        of_keys[name] = coded(name, plan, taken[name], special, compat, is_key=True)
    of_target = coded(plan.target, plan, taken[plan.target], special, compat, is_key=False)
    groupings = {}
    for name, one in {plan.target: of_target, **of_keys}.items():
        if one.grouping is not None:
            groupings[name] = one.grouping
    keys = {name: one.variable for name, one in of_keys.items()}
    target = of_target.variable
    return Whole(
        target=target,
        keys=keys,
        has_glue=any(one.has_glue for one in of_keys.values()),
        groupings=groupings,
        margins={name: Margin(rows.columns[name], rows.n) for name, rows in as_read.items()},
        d_t=totals(target.own_codes(0), taken[plan.target].n[0], target.size),
        meetings=_meetings(target, tuple(keys.values()), plan),
        records=taken[plan.target].records,
    )


def _meetings(target: Variable, keys: tuple[Variable, ...], plan: Plan) -> tuple[Meeting, ...]:
    """How levels are paired in each synthesis."""
    meetings = []
    for table in range(1, len(target.codes)):
        by_target = _aligned(target, table, plan)
        meeting = Meeting(by_target=by_target)
        if len(keys) == 1:
            in_synthetic = distinct_values(keys[0].own_codes(table))
            by_key = _aligned(keys[0], table, plan)
            meeting = Meeting(by_target, by_key, in_synthetic)
        meetings.append(meeting)
    return tuple(meetings)


def _aligned(variable: Variable, table: int, plan: Plan) -> Alignment:
    in_original = distinct_values(variable.own_codes(0))
    in_synthetic = distinct_values(variable.own_codes(table))
    return align(variable, table, in_original, in_synthetic, plan.collation)


# ---- a part --------------------------------------------------------------------------


def _encode_part(
    plan: Plan, whole: Whole, counted: list[Counted], places: MarginPlaces, compat: Reading
) -> Encoded:
    """The rows of a part in codes of the whole."""
    n = tuple(rows.n for rows in counted)
    by_name = {}
    for name, variable in {plan.target: whole.target, **whole.keys}.items():
        by_name[name] = with_codes(name, variable, counted, places)
    target = by_name.pop(plan.target)
    variables = tuple(by_name.values())
    codes, radix = codes_in_time(variables)
    if len(variables) > 1:
        codes, radix = compact_if_sparse(codes, radix)
    keys = Keys(variables=variables, codes=codes, radix=radix, size=radix.size, n=n)
    keys = as_r_combines(keys, plan, has_glue=whole.has_glue, compat=compat)
    if keys.size * target.size > LARGEST_CODE:
        keys = keys.numbered_by_occurrence()
    return Encoded(target=target, keys=keys, records_per_row=n, n=whole.records, d_t=whole.d_t)


def _sets_of_part(
    encoded: Encoded, whole: Whole, plan: Plan, compat: Reading
) -> Iterator[tuple[Certainty, Kept, Tally]]:
    """What a part contributes to each synthesis: the steps of a whole run, up to the sums."""
    keys, target = encoded.keys, encoded.target
    paired = tabulate(keys.codes, keys.size, target, encoded.records_per_row)
    tables = starmap(partial(list_cells, targets=target.size), paired)
    for table, cells in enumerate(tables, start=1):
        cells = meet_as_in_r(cells, encoded, whole.meetings[table - 1], compat)
        certainty = find_certainty(cells, key_side(cells, keys), plan.certainty)
        kept = exclude(certainty, encoded, plan, compat)
        yield certainty, kept, take_stock(encoded, table, certainty, kept)


# ---- what adds up --------------------------------------------------------------------


@dataclass(slots=True)
class LargePairs:
    """Pairs of a level of one key and a target behind large DiSCO cells, so far.

    Attributes
    ----------
    numbers : the levels by text, where R reads them back from texts; empty where codes are used.
    level, code, n : the level, the target's code and the records of each pair, part after part.
    """

    numbers: dict[str, int] = field(default_factory=dict)
    level: list[Integers] = field(default_factory=list)
    code: list[Integers] = field(default_factory=list)
    n: list[Integers] = field(default_factory=list)

    def add(self, level: Integers, code: Integers, n: Integers) -> None:
        self.level.append(level)
        self.code.append(code)
        self.n.append(n)

    def numbered(self, texts: Sequence[str]) -> Integers:
        """The number of each text; a new text gets a new number."""
        numbers = [self.numbers.setdefault(text, len(self.numbers)) for text in texts]
        return np.array(numbers, dtype=np.int64)


class SetSums:
    """What the parts of one synthesis add up to."""

    tally: Tally
    behind_disco: Denominators
    ledger: Integers
    levels: LevelSums

    def __init__(self, whole: Whole) -> None:
        self.whole = whole
        self.pairs = [LargePairs() for _ in whole.keys]
        self.texts_only = False  # R reads levels of keys back from glued texts
        self.empty = True

    def add(self, certainty: Certainty, kept: Kept, tally: Tally, plan: Plan) -> None:
        disclosed = disclosed_cells(certainty, kept)
        target = self.whole.target
        levels = level_sums(disclosed, certainty.cells, kept.remaining.d, target)
        behind_disco = denominators(kept.correct)
        if self.empty:
            self.tally, self.behind_disco = tally, behind_disco
            self.ledger, self.levels = kept.ledger, levels
            self.empty = False
        else:
            self.tally += tally
            self.behind_disco += behind_disco
            self.ledger = self.ledger + kept.ledger
            self.levels += levels
        self._add_pairs(large_cells(disclosed, plan.thresh_2way), certainty)

    def _add_pairs(self, large: Disclosed, certainty: Certainty) -> None:
        side, cells = certainty.side, certainty.cells
        self.texts_only = side.keys.parts is not None
        if not len(large.where):
            return
        group = cells.group[large.where]
        for pairs, margin in zip(self.pairs, side.margins):
            level = margin.level_of[group].astype(np.int64)
            if self.texts_only:
                level = pairs.numbered(margin.name_levels(level))
            pairs.add(level, cells.target[large.where], large.n)

    def checked(
        self, pairs: Iterable[KeyPairs], meeting: Meeting, plan: Plan, compat: Reading
    ) -> tuple[LevelCheck | None, tuple[PairCheck, ...], int]:
        """The flagged level and pairs, from the sums, and how many rows of NA R shows."""
        target = self.whole.target
        code = suspect_level(
            self.levels.disclosed,
            meeting.by_target.original,
            thresholds=plan.thresh_1way,
            compat=compat,
        )
        level = None if code is None else describe_level(self.levels, code, target)
        flagged, na_rows = flag_pairs(
            pairs,
            target,
            per_cent=plan.thresh_2way[1],
            collation=plan.collation,
            compat=compat,
        )
        return level, tuple(flagged), na_rows

    def pairs_by_key(
        self, target_name: Hashable, original: Table, places: MarginPlaces
    ) -> Iterator[KeyPairs]:
        """The pairs of each key in turn, with the original records of each. Parts without a large
        cell count too, so these records are counted separately, one key and the target at a time.
        """
        if not self.pairs[0].n:
            return
        for (name, variable), large in zip(self.whole.keys.items(), self.pairs):
            counted = original.count_by([name, target_name])
            key = _of_original(name, variable, counted, places)
            target = _of_original(target_name, self.whole.target, counted, places)
            two = TwoColumns(key, target, counted.n)
            yield _key_pairs(large, two, texts_only=self.texts_only)


class OutsideSums:
    """The scores of members and of a holdout, added up over the parts: a combination of keys is in
    one part only.
    """

    members: Scores
    others: Scores

    def __init__(self, holdout: Table, whole: Whole, plan: Plan) -> None:
        known = Known(
            target=whole.target,
            keys=whole.variables,
            columns={name: margin.columns for name, margin in whole.margins.items()},
            groupings=whole.groupings,
        )
        counted = holdout.count_by([plan.target, *plan.keys])
        self.outsiders = code_outsiders(counted, holdout.place, known, plan)
        self.empty = True

    def add(self, encoded: Encoded, sets: Sequence[SetCells]) -> None:
        members, others = member_scores(sets), self.outsiders.scores(encoded, sets)
        if self.empty:
            self.members, self.others = members, others
            self.empty = False
        else:
            self.members += members
            # the same people; each is found in at most one part
            self.others = replace(self.others, values=self.others.values + others.values)

    def baseline(self) -> Baseline:
        return compare(self.members, self.others.condensed())


def _of_original(
    name: Hashable, variable: Variable, counted: Counted, places: MarginPlaces
) -> Variable:
    """A variable with the codes of some rows of the original alone."""
    place = places.of(name, 0, counted.columns[name])
    gaps = variable.gaps_with_text
    return replace(
        variable,
        codes=(variable.codes[0][place],),
        gaps_with_text=None if gaps is None else gaps[place],
    )


class TwoColumns(NamedTuple):
    """One key beside the target: pairs of the original in codes of the whole, and how many records
    each stands for.
    """

    key: Variable
    target: Variable
    n: Integers | None

    def records(self) -> Integers:
        return np.ones(len(self.key.codes[0]), np.int64) if self.n is None else self.n

    def as_keys(self) -> Keys:
        radix = Radix((self.key.size,), (None,), self.key.size)
        return Keys(variables=(self.key,), codes=[], radix=radix, size=radix.size, n=(self.n,))


def _key_pairs(large: LargePairs, original: TwoColumns, *, texts_only: bool) -> KeyPairs:
    """The pairs of one key behind large cells, with the original records of each."""
    key, target = original.key, original.target
    level_names = list(large.numbers)
    name_levels = _by_list(level_names) if texts_only else key.texts
    size = (len(level_names) if texts_only else key.size) * target.size
    together = np.concatenate(large.level) * target.size + np.concatenate(large.code)
    pairs, npairs = summed(together, np.concatenate(large.n), size)
    level, code = np.divmod(pairs, target.size)
    count_texts = partial(original.as_keys().original_totals, 0, target=target)
    # where R's texts stand for other records than the codes do, they are counted by text
    if texts_only or key.gaps_with_text is not None:
        total, both = count_texts(name_levels(level), [[c] for c in code])
    else:
        key_codes, n = key.own_codes(0), original.records()
        both = records_at(pairs, key_codes * target.size + target.own_codes(0), n, size)
        levels = distinct_values(level)
        by_level = records_at(levels, key_codes, n, key.size)
        total = by_level[np.searchsorted(levels, level)]
    return KeyPairs(
        pairs=Pairs(level=level, code=code, npairs=npairs, both=both, total=total),
        key=key.name,
        name_levels=name_levels,
        may_split=texts_only or contains(key, "|"),
        count_texts=count_texts,
    )


def _by_list(names: list[str]) -> Namer:
    return lambda codes: [names[code] for code in codes]
