"""One run over all syntheses under one reading (R's or the right one), in ten steps: read, plan,
encode, tabulate, pair, classify, exclude, measure, check, result.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass

from ..core.arrays import Integers
from ..core.crosstab import tabulate
from ..core.grouping import Grouping
from ..r.formulas import as_r_computes
from ..r.reading import Reading
from .cells import Cells, list_cells
from .certainty import Sums, find_certainty
from .checks import LevelCheck, PairCheck, check
from .encoding import Encoded, Special, encode_tables
from .exclusions import Kept, check_exclusion, exclude, has_level
from .measures import Share, all_shares, denominators, take_stock
from .options import Level, Plan, Request, make_plan
from .pairing import meet_as_in_r
from .records import Recoder
from .source import Preparation, Source


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
    groupings : classes of the variables that were grouped.
    recoder : finds the cell of an original record again.
    levels_not_found : what `not_targetlev` names and the target does not have.
    """

    plan: Plan
    sets: tuple[SetOutcome, ...]
    compat: Reading
    n: tuple[int, ...]
    groupings: dict[Hashable, Grouping]
    recoder: Recoder
    levels_not_found: tuple[Level, ...]


def run(
    request: Request,
    source: Source,
    compat: Reading,
    begin: Callable[[int], None] | None = None,
) -> Outcome:
    """All syntheses against the original. `begin` is told the number of each synthesis."""
    names = [request.target, *request.keys]
    rows = source.rows(names)
    special: Special = {}
    prepared: dict[Hashable, Preparation] = {}
    if source.special:
        special = source.special_values(names, every=request.mode == "corrected")
    if source.plain and request.compare_synorig and compat.active:
        rows, prepared = source.as_r_takes_it(rows, request.collation, compat)
    plan = make_plan(request, compat)
    encoded = encode_tables(plan, rows, special, compat, source.coded_keys)
    target = encoded.target
    for exclusion in plan.exclusions:
        check_exclusion(exclusion, encoded, plan, compat)
    sets = []
    tables = tabulate(encoded.keys.codes, encoded.keys.size, target, encoded.rows)
    for table, paired in enumerate(tables, start=1):
        if begin is not None:
            begin(table)
        cells = list_cells(*paired, target.size)
        cells = meet_as_in_r(cells, encoded, table, plan.collation, compat)
        certainty = find_certainty(cells, encoded, table, source.sides)
        kept = exclude(certainty, encoded, plan, compat)
        tally = take_stock((encoded.n[0], encoded.n[table]), certainty, kept)
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
    not_found = [level for level in plan.not_targetlev if not has_level(target, level, compat)]
    return Outcome(
        plan=plan,
        sets=tuple(sets),
        compat=compat,
        n=encoded.n,
        groupings=encoded.groupings,
        recoder=_recoder(plan, encoded, prepared),
        levels_not_found=tuple(not_found),
    )


def _recoder(plan: Plan, encoded: Encoded, prepared: dict[Hashable, Preparation]) -> Recoder:
    keys = encoded.keys
    return Recoder(
        target=plan.target,
        keys=plan.keys,
        code_target=encoded.target.recode,
        code_keys=tuple(variable.recode for variable in keys.variables),
        targets=encoded.target.size,
        radix=keys.radix,
        renamed=keys.renamed,
        prepared=prepared,
    )
