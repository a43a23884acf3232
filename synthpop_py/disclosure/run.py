"""One run over all syntheses under one reading (R's or the right one): encode, tabulate, classify,
exclude, measure, check.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass, replace

import numpy as np

from ..core.arrays import Flags, Integers
from ..core.crosstab import Counts, count, pair_up, relabel, room_for, sparse
from ..core.fingerprint import Levels
from ..core.grouping import Grouping
from ..core.levels import Variable
from ..errors import InputError
from ..r.formulas import as_r_computes
from ..r.reading import Reading
from .cells import Cells, Combinations, Sums, list_cells, sum_up
from .checks import KeySide, LevelCheck, PairCheck, check_level, check_pairs, disclosed_cells
from .encoding import Encoded, codes_named, encode_tables
from .exclusions import KEY_REASON, REASONS, Kept, Rule, exclude
from .measures import Share, Tally, all_shares, denominators
from .options import Level, Plan, Request, make_plan
from .pairing import Alignment, align, level_order
from .records import Recoder, make_recoder
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
    """The figures of one synthesis and the cells they were counted from."""

    figures: SetFigures
    kept: Kept
    cells: Cells
    everybody: Sums
    counted: Sums


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
    levels : what the codes of the target, and of each key, stand for.
    """

    plan: Plan
    sets: tuple[SetOutcome, ...]
    compat: Reading
    n: tuple[int, ...]
    groupings: dict[Hashable, Grouping]
    recoder: Recoder
    levels_not_found: tuple[Level, ...]
    levels: tuple[Levels, ...]


def run(
    request: Request,
    source: Source,
    compat: Reading,
    begin: Callable[[int], None] | None = None,
) -> Outcome:
    """All syntheses against the original. `begin` is told the number of each synthesis."""
    plan = make_plan(request, compat)
    rows, prepared = source.as_r_takes_it(request, compat)
    special = source.special_values(
        [request.target, *request.keys], every=request.mode == "corrected"
    )
    encoded = encode_tables(plan, rows, special, compat, source.memory)
    original, *syntheses = tabulate(encoded)
    check_levels(plan, encoded, compat)
    sets = []
    for table, synthetic in enumerate(syntheses, start=1):
        if begin is not None:
            begin(table)
        cells, order = pair_tables(original, synthetic, encoded, table, plan, compat)
        sets.append(judge(cells, order, encoded, table, plan, compat))
    variables = (encoded.target, *encoded.keys.variables)
    return Outcome(
        plan=plan,
        sets=tuple(sets),
        compat=compat,
        n=encoded.n,
        groupings=encoded.groupings,
        recoder=make_recoder(plan, encoded, prepared),
        levels_not_found=_levels_not_found(plan, encoded.target, compat),
        levels=tuple(Levels(v.name, v.name_codes, v.missing_code) for v in variables),
    )


def _levels_not_found(plan: Plan, target: Variable, compat: Reading) -> tuple[Level, ...]:
    asking = Reading(compat.active)  # what is only asked here shows no defect
    return tuple(
        level for level in plan.not_targetlev if not len(codes_named(target, level, asking))
    )


# ---- tabulate ------------------------------------------------------------------------


def tabulate(encoded: Encoded) -> list[Integers | Counts]:
    """Records by cell (key combination, target), for the original and for each synthesis."""
    size = encoded.keys.size * encoded.target.size
    room = room_for(sum(map(len, encoded.keys.codes)))
    return [
        count(cell_codes(encoded, table), size, room, n) for table, n in enumerate(encoded.rows)
    ]


def cell_codes(encoded: Encoded, table: int) -> Integers:
    """One code per row: key combination times number of targets, plus target."""
    codes = encoded.keys.codes[table] * encoded.target.size
    codes += encoded.target.codes[table]
    if encoded.target.shift:
        codes -= encoded.target.shift
    return codes


def pair_tables(
    original: Integers | Counts,
    synthetic: Integers | Counts,
    encoded: Encoded,
    table: int,
    plan: Plan,
    compat: Reading,
) -> tuple[Cells, Integers]:
    """The cells of original and one synthesis side by side, and the target's rows in R's order."""
    targets = encoded.target.size
    cells = list_cells(*pair_up(original, synthetic), targets)
    by_target = align(
        encoded.target, table, np.flatnonzero(cells.d_t), np.flatnonzero(cells.s_t), plan.collation
    )
    by_key = None
    if len(encoded.keys.variables) == 1:
        by_key = align(
            encoded.keys.variables[0],
            table,
            np.unique(cells.key[cells.n_orig > 0]),
            np.unique(cells.key[cells.n_syn > 0]),
            plan.collation,
        )
    if (by_target.differs or (by_key is not None and by_key.differs)) and compat.follow_r("D1"):
        cells = _met_by_position(original, synthetic, encoded, by_target, by_key)
    if by_key is not None:
        cells = _named_levels(cells, by_key, compat)
    return cells, by_target.original


def _occurring(codes: Integers, size: int) -> Integers:
    seen = np.zeros(size, dtype=bool)
    seen[codes] = True
    return np.flatnonzero(seen)


def _met_by_position(
    original: Integers | Counts,
    synthetic: Integers | Counts,
    encoded: Encoded,
    by_target: Alignment,
    by_key: Alignment | None,
) -> Cells:
    """Cells as R pairs them: a synthetic level counts for the original level at its position."""
    targets = encoded.target.size
    meets_target = by_target.met_by(targets)
    meets_key = by_key.met_by(encoded.keys.size) if by_key is not None else None
    own = sparse(synthetic).cells
    key, target = own // targets, own % targets
    moved = (key if meets_key is None else meets_key[key]) * targets + meets_target[target]
    cells = list_cells(*pair_up(sparse(original), relabel(synthetic, moved)), targets)
    back_target = np.argsort(meets_target)
    key_syn = cells.key if meets_key is None else np.argsort(meets_key)[cells.key]
    return replace(cells, key_syn=key_syn, target_syn=back_target[cells.target])


def _named_levels(cells: Cells, by_key: Alignment, compat: Reading) -> Cells:
    """For a single key: which combinations count as present in the synthetic data. R goes by level
    names, unused ones included (D14).
    """
    combinations = cells.key[cells.starts]
    occurring = np.unique(cells.key_syn[cells.n_syn > 0])
    named = np.isin(combinations, occurring)
    as_r = np.isin(combinations, by_key.named_in_synthetic)
    if compat.follow_r("D14", bool((named != as_r).any())):
        named = as_r
    return replace(cells, named_in_syn=named)


# ---- exclude, measure, check ---------------------------------------------------------


def check_levels(plan: Plan, encoded: Encoded, compat: Reading) -> None:
    """Levels named in exclusions must be levels of the original data."""
    for exclusion in plan.exclusions:
        i = plan.keys.index(exclusion.key)
        _check_level("exclude_targetlevs", exclusion.target_level, encoded.target, plan, compat)
        _check_level(
            "exclude_keylevs", exclusion.key_level, encoded.keys.variables[i], plan, compat
        )


def _check_level(
    argument: str, level: Level, variable: Variable, plan: Plan, compat: Reading
) -> None:
    occurring = _occurring(variable.own_codes(0), variable.size)
    levels = level_order(variable, 0, occurring, plan.collation)
    if not np.isin(codes_named(variable, level, compat), levels).any():
        shown = variable.texts(levels[:12])
        raise InputError(
            f"{argument}: {level!r} is not a level of {variable.name!r} in the original data;"
            f" choices: {', '.join(shown)}{', …' if len(levels) > 12 else ''}"
        )


def exclusion_rules(cells: Cells, encoded: Encoded, plan: Plan, compat: Reading) -> list[Rule]:
    """The user's exclusions as masks over cells, in R's order."""
    target, keys = encoded.target, encoded.keys
    rules = []

    def rule(reason: str, mask: Callable[..., Flags]) -> None:
        on_original = mask(cells.key, cells.target)
        same = cells.target_syn is cells.target and cells.key_syn is cells.key
        rules.append(
            Rule(
                reason, on_original, on_original if same else mask(cells.key_syn, cells.target_syn)
            )
        )

    for level in plan.not_targetlev:
        codes = codes_named(target, level, compat)
        rule("excluded target", lambda q, t, codes=codes: np.isin(t, codes))
    if not plan.use_target_missing and target.missing_code is not None:
        in_original = bool(((cells.target == target.missing_code) & (cells.n_orig > 0)).any())
        if not compat.follow_r("D8", not in_original):
            rule("missing target", lambda q, t: t == target.missing_code)
    for i, use in enumerate(plan.use_key_missing):
        if not use:
            rule(KEY_REASON, lambda q, t, i=i: keys.is_missing(q, i))
    for pair in plan.exclusions:
        i = plan.keys.index(pair.key)
        codes = codes_named(target, pair.target_level, compat)
        rule(
            "set to exclude",
            lambda q, t, i=i, pair=pair, codes=codes: (
                np.isin(t, codes) & keys.has_level(q, i, pair.key_level, compat)
            ),
        )
    return rules


def key_side(cells: Cells, encoded: Encoded, table: int) -> KeySide:
    """The key combinations of the original and one synthesis: found out with the first target,
    unless R's D1 puts the keys of this one elsewhere.
    """
    moved = cells.key_syn is not cells.key
    if not moved and table in encoded.by_table:
        known: KeySide = encoded.by_table[table]
        return known
    side = KeySide(
        encoded.keys,
        cells.key[cells.starts],
        Combinations(cells.by_key(cells.n_orig), cells.by_key(cells.n_syn)),
    )
    if not moved:
        encoded.by_table[table] = side
    return side


def judge(
    cells: Cells, rows: Integers, encoded: Encoded, table: int, plan: Plan, compat: Reading
) -> SetOutcome:
    """Measures and checks of one synthesis."""
    side = key_side(cells, encoded, table)
    everybody = sum_up(cells, cells.n_orig, cells.n_syn, side.records)
    rules = exclusion_rules(cells, encoded, plan, compat)
    kept = exclude(cells, everybody, rules, plan.denom_lim)
    remaining = everybody if kept.d is everybody.d else sum_up(cells, kept.d, kept.s)
    counted = _who_is_counted(cells, everybody, remaining, kept, rules, compat)
    in_syn = everybody.of.in_syn if cells.named_in_syn is None else cells.named_in_syn
    tally = Tally(
        Nd=encoded.n[0],
        Ns=encoded.n[table],
        d_t=cells.d_t,
        kept=kept,
        counted=counted.of,
        named_in_syn=in_syn,
        remaining=remaining,
    )
    shares = as_r_computes(all_shares(tally), tally, compat)
    disclosed = disclosed_cells(cells, everybody, kept)
    level = check_level(disclosed, cells, kept.d, encoded.target, rows, plan.thresh_1way, compat)
    pairs = check_pairs(
        disclosed, cells, side, encoded.target, plan.thresh_2way, plan.collation, compat
    )
    largest, mean = denominators(kept.correct)
    figures = SetFigures(
        shares=shares,
        max_denom=largest,
        mean_denom=mean,
        ledger=kept.ledger,
        level=level,
        pairs=tuple(pairs),
    )
    return SetOutcome(figures, kept, cells, everybody, counted)


def _who_is_counted(
    cells: Cells, everybody: Sums, remaining: Sums, kept: Kept, rules: list[Rule], compat: Reading
) -> Sums:
    """Counts behind the identity measures: only missing keys are left out, but R leaves out all
    that is excluded (D17).
    """
    if remaining is everybody:
        return everybody
    other_reasons = [i for i, reason in enumerate(REASONS) if reason != KEY_REASON]
    more_removed = bool(kept.ledger[:2, other_reasons].any())
    if not more_removed or compat.follow_r("D17"):
        return remaining
    right = exclude(cells, everybody, [r for r in rules if r.reason == KEY_REASON], None)
    return sum_up(cells, right.d, right.s)
