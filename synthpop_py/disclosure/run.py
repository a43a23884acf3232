"""One run over all syntheses under one reading (R's or the correct one). Of the eleven steps of a
call it does eight: plan, encode, tabulate, pair, classify, exclude, measure, check.

Before them `source` does the first, read; after them `result` and `show` do the last two.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, fields
from functools import partial
from itertools import starmap
from typing import NamedTuple

from ..core.arrays import Integers
from ..core.crosstab import tabulate
from ..core.fingerprint import Levels
from ..grouping import Grouping
from ..core.levels import Variable
from ..progress import Begin
from ..r.formulas import as_r_computes
from ..r.reading import CORRECTED, Reading
from ..tables.protocol import Table
from .baseline import Baseline, compare
from .cells import Cells
from .certainty import Sums, find_certainty, shared_side
from .checks import LevelCheck, PairCheck, check
from .encoding import EncodedTables, Recoder, encode_tables, special_in_use
from .exclusions import Kept, check_exclusion, check_pairs_occur, exclude, nobody_has
from .keys import AskedKeys
from .level_names import refuse_unknown_levels
from .measures import Share, all_shares, denominators, take_stock
from .options import Level, Plan, Request, Settled
from .pairing import list_cells, meet_as_in_r, meeting_of
from .rows import Rows
from .scores import Known, code_outsiders, member_scores
from .source import Source


@dataclass(frozen=True, slots=True)
class SetFigures:
    """Every figure about one synthesis; all tables of a result are made from these.

    Attributes
    ----------
    shares : measure to numerator and denominator.
    max_denom, mean_denom : of the DiSCO cells, in records.
    ledger : int64, shape (8, 6): records of each count that were removed, by reason, and what
        remained.
    of_identity : original, and synthetic, records that identity measures are about.
    level, pairs : what is flagged as possibly common knowledge.
    na_rows : for how many pairs R shows a row of NA (D11).
    """

    shares: dict[str, Share]
    max_denom: float
    mean_denom: float
    ledger: Integers
    of_identity: tuple[int, int]
    level: LevelCheck | None
    pairs: tuple[PairCheck, ...]
    na_rows: int = 0


@dataclass(frozen=True, slots=True)
class SetCells:
    """The cells behind the figures of one synthesis, before exclusions and after."""

    cells: Cells
    before_exclusions: Sums
    kept: Kept


@dataclass(frozen=True, slots=True)
class CountedCells:
    """What leads from a result back to the records of the original.

    Attributes
    ----------
    sets : the cells of each synthesis.
    levels : what the codes of the target, and of each key, stand for.
    recoder : finds the cell of an original record again.
    asked_keys : finds the codes of the keys again during the call.
    """

    sets: tuple[SetCells, ...]
    levels: tuple[Levels, ...]
    recoder: Recoder
    asked_keys: AskedKeys


@dataclass(frozen=True, slots=True)
class Outcome:
    """One run. Nothing in it is as long as the data.

    Attributes
    ----------
    plan : the plan of the run.
    sets : the figures of each synthesis.
    counted : the cells they were counted from; None if there were too many and they were counted in
        parts.
    split : the number of parts, and the key that splits them; None if there are no parts.
    d_t : original records by code of the target.
    n : records of the original and of each synthesis.
    counts : the column that says how many records a row stands for, None where each is one.
    groupings : classes of the variables that were grouped.
    levels_not_found : what `not_targetlev` names and the target does not have.
    baseline : members beside non-members; made under the corrected reading, where there is a
        holdout.
    """

    plan: Plan
    sets: tuple[SetFigures, ...]
    counted: CountedCells | None
    d_t: Integers
    compat: Reading
    n: tuple[int, ...]
    counts: Hashable | None
    groupings: dict[Hashable, Grouping]
    levels_not_found: tuple[Level, ...]
    split: Split | None = None
    baseline: Baseline | None = None


class Split(NamedTuple):
    """The work was done in parts, each with the records that have some values of a key."""

    key: Hashable
    parts: int


def run(
    request: Request, source: Source, as_read: Rows, compat: Reading, begin: Begin | None = None
) -> Outcome:
    """All syntheses against the original: `as_read` are the rows of all of them. `begin` is called
    for each.
    """
    rows = as_read
    if source.plain and request.compare_synorig and compat.active:
        rows = source.as_r_takes_it(as_read, request.collation, compat)
    plan = make_plan(request, compat)
    every = compat.mode == CORRECTED  # R looks only at the last special value of a column
    special = special_in_use(source.special, as_read.columns, every=every)
    encoded = encode_tables(plan, rows, special, compat, source.coded_keys)
    target = encoded.target
    not_found: tuple[Level, ...] = ()
    if plan.not_targetlev or plan.exclusions:
        variables = encoded.keys.variables
        not_found = check_levels(target, variables, plan, compat)
        idle = [p for p in plan.exclusions if nobody_has(p, target, variables, plan, compat)]
        check_pairs_occur(idle, plan)
    figures, sets = [], []
    paired = tabulate(encoded.keys.codes, encoded.keys.size, target, encoded.records_per_row)
    tables = starmap(partial(list_cells, targets=target.size), paired)
    for table, cells in enumerate(tables, start=1):
        if begin is not None:
            begin(table, len(source.sets), f"synthesis {table} of {len(source.sets)}")
        meeting = meeting_of(cells, encoded, table, plan.collation)
        cells = meet_as_in_r(cells, encoded, meeting, compat)
        side = shared_side(cells, encoded.keys, encoded.asked, table, source.sides)
        # an engine is asked again for every target (with one key, D1 pairs others each time)
        if not source.keeps_rows and cells.combinations_syn is cells.combinations:
            source.check_same_keys(encoded.asked, table, side.records)
        certainty = find_certainty(cells, side, plan.certainty)
        kept = exclude(certainty, encoded, plan, compat)
        tally = take_stock(encoded, table, certainty, kept)
        # the registry knows the published definitions; R's own figures replace some afterwards
        correct_shares = all_shares(tally)
        behind_disco = denominators(kept.correct)
        mean_denom = behind_disco.mean
        shares = as_r_computes(correct_shares, tally, compat)
        level, pairs, na_rows = check(certainty, kept, target, plan, compat)
        of_set = SetFigures(
            shares=shares,
            max_denom=float(behind_disco.largest),
            mean_denom=mean_denom,
            ledger=kept.ledger,
            of_identity=(tally.of_identity, tally.of_identity_syn),
            level=level,
            pairs=pairs,
            na_rows=na_rows,
        )
        figures.append(of_set)
        sets.append(SetCells(cells, certainty.before_exclusions, kept))
    levels = []
    for name, variable in zip((plan.target, *plan.keys), (target, *encoded.keys.variables)):
        original = as_read.columns[name][0]
        of_variable = Levels(
            name=variable.name,
            texts=variable.name_codes,
            missing_code=variable.missing_code,
            are_texts=original.is_plain_text,
        )
        levels.append(of_variable)
    baseline = None
    # R has no baseline, so it is not made under R's reading
    if source.holdout is not None and not compat.active:
        baseline = _baseline(plan, source.holdout, as_read, encoded, sets)
    return Outcome(
        plan=plan,
        sets=tuple(figures),
        counted=CountedCells(
            sets=tuple(sets),
            levels=tuple(levels),
            recoder=encoded.recoder,
            asked_keys=encoded.asked,
        ),
        d_t=encoded.d_t,
        compat=compat,
        n=encoded.n,
        counts=source.counts,
        groupings=encoded.groupings,
        levels_not_found=not_found,
        baseline=baseline,
    )


def _baseline(
    plan: Plan,
    holdout: Table,
    rows: Rows,
    encoded: EncodedTables,
    sets: Sequence[SetCells],
) -> Baseline:
    """Members beside non-members."""
    known = Known(
        target=encoded.target,
        keys=encoded.keys.variables,
        columns=rows.columns,
        groupings=encoded.groupings,
    )
    counted = holdout.count_by([plan.target, *plan.keys])
    outsiders = code_outsiders(counted, holdout.place, known, plan)
    return compare(member_scores(sets), outsiders.scores(encoded, sets))


def check_levels(
    target: Variable, keys: tuple[Variable, ...], plan: Plan, compat: Reading
) -> tuple[Level, ...]:
    """Raise an error if the plan names a level that must exist and does not. Returns the levels of
    `not_targetlev` that the target does not have, where R continues.
    """
    not_found: tuple[Level, ...] = ()
    if plan.not_targetlev:
        not_found = refuse_unknown_levels(target, plan, compat)
    for exclusion in plan.exclusions:
        key = keys[plan.keys.index(exclusion.key)]
        check_exclusion(exclusion, target, key, plan, compat)
    return not_found


SETTLED = tuple(field.name for field in fields(Settled))


def make_plan(request: Request, compat: Reading) -> Plan:
    """Give each per-key argument to its key (D2, D3: R gives some to another one)."""
    asked, keys = request.asked_keys, request.keys
    use, groups = request.use_key_missing, request.groups_keys
    # arguments come in the user's order of keys; from here on keys are in the data's
    if asked != keys:
        positions = [asked.index(key) for key in keys]
        use = tuple(request.use_key_missing[i] for i in positions)
        r_use = tuple(request.use_key_missing[keys.index(key)] for key in asked)
        if compat.follow_r("D2", r_use != use):
            use = r_use
        groups = tuple(request.groups_keys[i] for i in positions)
        r_groups = request.groups_keys
        if compat.follow_r("D3", r_groups != groups):
            groups = r_groups
    none_first = request.not_targetlev[:1] == ("",)  # R's way to say "none"
    if request.asked_mode == CORRECTED:
        none_first = False  # a level like any other
    levels = request.not_targetlev[1:] if none_first else request.not_targetlev
    if compat.follow_r("D21", none_first and bool(levels)):
        levels = ()
    settled = {name: getattr(request, name) for name in SETTLED}
    return Plan(
        use_key_missing=use,
        not_targetlev=levels,
        groups={request.target: request.groups_target, **dict(zip(keys, groups))},
        **settled,
    )
