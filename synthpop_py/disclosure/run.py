"""One run over all syntheses under one reading (R's or the correct one). Of the eleven steps of a
call it takes eight: plan, encode, tabulate, pair, classify, exclude, measure, check.

Before them `source` does the first, read; after them `result` and `show` do the last two.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass, fields

from ..core.arrays import Integers
from ..core.crosstab import tabulate
from ..core.fingerprint import Levels
from ..core.grouping import Grouping
from ..r.formulas import as_r_computes
from ..r.reading import CORRECTED, Reading
from .cells import Cells
from .certainty import Sums, find_certainty
from .checks import LevelCheck, PairCheck, check
from .encoding import Recoder, encode_tables, special_in_use
from .exclusions import Kept, check_exclusion, exclude
from .keys import AskedKeys
from .level_names import refuse_unknown_levels
from .measures import Share, all_shares, denominators, take_stock
from .options import Level, Plan, Request, Settled
from .pairing import list_cells, meet_as_in_r
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
    level, pairs : what is flagged as possibly common knowledge.
    """

    shares: dict[str, Share]
    max_denom: float
    mean_denom: float
    ledger: Integers
    level: LevelCheck | None
    pairs: tuple[PairCheck, ...]


@dataclass(frozen=True, slots=True)
class SetOutcome:
    """The figures of one synthesis and the cells they were counted from, before exclusions and
    after.
    """

    figures: SetFigures
    cells: Cells
    before_exclusions: Sums
    kept: Kept


@dataclass(frozen=True, slots=True)
class Outcome:
    """One run. Nothing in it is as long as the data.

    Attributes
    ----------
    plan : what it followed.
    sets : one outcome per synthesis.
    n : records of the original and of each synthesis.
    counts : the column that says how many records a row stands for, None where each is one.
    groupings : classes of the variables that were grouped.
    recoder : finds the cell of an original record again.
    levels_not_found : what `not_targetlev` names and the target does not have.
    levels : what the codes of the target, and of each key, stand for.
    asked_keys : by what the codes of the keys are found again while the call lasts.
    """

    plan: Plan
    sets: tuple[SetOutcome, ...]
    compat: Reading
    n: tuple[int, ...]
    counts: Hashable | None
    groupings: dict[Hashable, Grouping]
    recoder: Recoder
    levels_not_found: tuple[Level, ...]
    levels: tuple[Levels, ...]
    asked_keys: AskedKeys


def run(
    request: Request,
    source: Source,
    compat: Reading,
    begin: Callable[[int], None] | None = None,
) -> Outcome:
    """All syntheses against the original. `begin` is told the number of each synthesis."""
    as_read = source.rows([request.target, *request.keys])
    rows = as_read
    if source.plain and request.compare_synorig and compat.active:
        rows = source.as_r_takes_it(as_read, request.collation, compat)
    plan = make_plan(request, compat)
    every = compat.mode == "corrected"  # R looks at the last special value of a column only
    special = special_in_use(source.special, as_read.columns, every=every)
    encoded = encode_tables(plan, rows, special, compat, source.coded_keys)
    target = encoded.target
    not_found: tuple[Level, ...] = ()
    if plan.not_targetlev:
        not_found = refuse_unknown_levels(target, plan, compat)
    for exclusion in plan.exclusions:
        check_exclusion(exclusion, encoded, plan, compat)
    sets = []
    tables = tabulate(encoded.keys.codes, encoded.keys.size, target, encoded.records_per_row)
    for table, paired in enumerate(tables, start=1):
        if begin is not None:
            begin(table)
        cells = list_cells(*paired, target.size)
        cells = meet_as_in_r(cells, encoded, table, plan.collation, compat)
        certainty = find_certainty(cells, encoded, table, source.sides)
        kept = exclude(certainty, encoded, plan, compat)
        tally = take_stock((encoded.n[0], encoded.n[table]), certainty, kept)
        # the registry knows the published definitions; R's own figures replace some afterwards
        correct_shares = all_shares(tally)
        max_denom, mean_denom = denominators(kept.correct)
        shares = as_r_computes(correct_shares, tally, compat)
        level, pairs = check(certainty, kept, target, plan, compat)
        figures = SetFigures(
            shares=shares,
            max_denom=max_denom,
            mean_denom=mean_denom,
            ledger=kept.ledger,
            level=level,
            pairs=pairs,
        )
        sets.append(SetOutcome(figures, cells, certainty.before_exclusions, kept))
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
    return Outcome(
        plan=plan,
        sets=tuple(sets),
        compat=compat,
        n=encoded.n,
        counts=source.counts,
        groupings=encoded.groupings,
        recoder=encoded.recoder,
        levels_not_found=not_found,
        levels=tuple(levels),
        asked_keys=encoded.asked,
    )


def make_plan(request: Request, compat: Reading) -> Plan:
    """Give each per-key argument to its key (D2, D3: R gives some to another one)."""
    asked, keys = request.asked_keys, request.keys
    # arguments come in the user's order of keys; from here on keys are in the data's
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
    settled = {field.name: getattr(request, field.name) for field in fields(Settled)}
    return Plan(
        use_key_missing=use,
        not_targetlev=levels,
        groups={request.target: request.groups_target, **dict(zip(keys, groups))},
        **settled,
    )
