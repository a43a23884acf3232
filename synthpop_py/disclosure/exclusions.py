"""What the user leaves out, and the ledger of what was removed from each count and why."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from ..core.arrays import Flags, Integers
from ..core.levels import Variable
from ..r.reading import Reading
from .cells import VECTORS, Cells
from .certainty import Certainty, Sums, classify, correct_by_key, eight_totals
from .encoding import Encoded
from .level_names import codes_named, no_effect, unknown_level
from .options import Exclusion, Plan


@dataclass(frozen=True, slots=True)
class Reason:
    """Why records are left out: a column of the ledger.

    Attributes
    ----------
    name : of the column.
    told : its name in a sentence; empty: the same as `name`.
    about_keys : identity measures, which do not involve the target, leave these records out too.
    in_r : R has this exclusion, and leaves its records out of identity measures (D17).
    """

    name: str
    told: str = ""
    about_keys: bool = False
    in_r: bool = False


REASONS = (
    Reason("excluded target", told="target level in not_targetlev", in_r=True),
    Reason("missing target", told="target missing", in_r=True),
    Reason("missing in  keys", told="a key missing", in_r=True, about_keys=True),
    Reason("set to exclude", told="key and target level in exclude_*", in_r=True),
    Reason("over denom_lim", told="cell over denom_lim", in_r=True),
)
COLUMNS = (*(reason.name for reason in REASONS), "remaining")


@dataclass(frozen=True, slots=True)
class Rule:
    """Cells to remove for one reason: bool arrays of shape (c,), by the original's and by the
    synthetic table's names.
    """

    reason: str
    original: Flags
    synthetic: Flags


@dataclass(frozen=True, slots=True)
class Kept:
    """What exclusions left.

    Attributes
    ----------
    remaining : counts of cells and sums over key combinations.
    counted : the same for identity measures, over the records that they are about.
    correct : (g,) DiSCO by key combination.
    ledger : int64, shape (8, 6): records of each count that were removed, by reason, and what
        remained.
    totals : what remained of each of R's eight counts, by name.
    """

    remaining: Sums
    counted: Sums
    correct: Integers
    ledger: Integers
    totals: dict[str, int]


def exclude(certainty: Certainty, encoded: Encoded, plan: Plan, compat: Reading) -> Kept:
    """Remove cells; a removed count is booked under the first reason that applies.

    What is certain was decided before, on all records: here counts are only filtered.
    """
    cells, before = certainty.cells, certainty.before_exclusions
    rules = exclusion_rules(cells, encoded, plan, compat)
    if plan.denom_lim is not None:
        # the cell's own count: d or nothing for the six counts of original records, s or nothing
        # for the two of synthetic ones
        over = Rule("over denom_lim", before.d > plan.denom_lim, before.s > plan.denom_lim)
        rules.append(over)
    ledger = np.zeros((len(VECTORS), len(COLUMNS)), dtype=np.int64)
    d, s = before.d, before.s
    for rule in rules:
        removed = eight_totals(cells, before, d * rule.original, s * rule.synthetic)
        ledger[:, COLUMNS.index(rule.reason)] += removed
        d, s = d * ~rule.original, s * ~rule.synthetic
    ledger[:, -1] = before.totals
    remaining, counted, correct = before, before, before.correct
    if rules:
        # every count is a sum over records, so what remains need not be counted again
        ledger[:, -1] -= ledger[:, :-1].sum(axis=1)
        remaining = counted = classify(cells, d, s, least=plan.certainty)
        correct = correct_by_key(cells, before, d)
        of_identity = _reasons_of_identity(ledger, compat)
        if not of_identity.issuperset(_reasons_met(ledger)):
            about_keys = [rule for rule in rules if rule.reason in of_identity]
            counted = _sums_after(cells, before, about_keys)
    return Kept(
        remaining=remaining,
        counted=counted,
        correct=correct,
        ledger=ledger,
        totals=dict(zip(VECTORS, ledger[:, -1].tolist())),
    )


def _reasons_of_identity(ledger: Integers, compat: Reading) -> set[str]:
    """Why records are left out of identity measures: reasons about keys; in R every exclusion
    (D17).
    """
    met = _reasons_met(ledger)
    mistaken = [reason.name for reason in REASONS if reason.in_r and not reason.about_keys]
    as_in_r = compat.follow_r("D17", not met.isdisjoint(mistaken))
    about_keys = {reason.name for reason in REASONS if reason.about_keys}
    return about_keys.union(mistaken) if as_in_r else about_keys


def _reasons_met(ledger: Integers) -> set[str]:
    """The reasons for which a record was left out."""
    # the first two counts are all original and all synthetic records; the others are parts of them
    removed: Flags = ledger[:2, :-1].max(axis=0) > 0
    return {reason.name for reason, some in zip(REASONS, removed) if some}


def _sums_after(cells: Cells, before: Sums, rules: Sequence[Rule]) -> Sums:
    """Sums without the cells that the rules remove."""
    d, s = before.d, before.s
    for rule in rules:
        d, s = d * ~rule.original, s * ~rule.synthetic
    return classify(cells, d, s)


def exclusion_rules(cells: Cells, encoded: Encoded, plan: Plan, compat: Reading) -> list[Rule]:
    """The user's exclusions as masks over cells, in R's order."""
    target, keys = encoded.target, encoded.keys
    rules = []
    for level in plan.not_targetlev:
        codes = codes_named(target, level, plan, compat)
        rules.append(_target_rule("excluded target", cells, codes))
    if not plan.use_target_missing and target.missing_code is not None:
        missing = np.array([target.missing_code])
        # among all original records; the cells may be only a part of them
        occurs = bool(encoded.d_t[target.missing_code])
        # R keeps them if only the synthetic data have any
        if not compat.follow_r("D8", not occurs):
            rules.append(_target_rule("missing target", cells, missing))
    # one rule per key: a record that lacks several is counted once
    for i, use in enumerate(plan.use_key_missing):
        if not use:
            rules.append(_rule("missing in  keys", cells, lambda q, t, i=i: keys.is_missing(q, i)))
    for pair in plan.exclusions:
        rules.append(_pair_rule(pair, cells, encoded, plan, compat))
    return rules


def _target_rule(reason: str, cells: Cells, codes: Integers) -> Rule:
    """Cells whose target has one of the codes."""
    return _rule(reason, cells, lambda q, t: np.isin(t, codes))


def _pair_rule(
    pair: Exclusion, cells: Cells, encoded: Encoded, plan: Plan, compat: Reading
) -> Rule:
    """Cells with a level of a key and a level of the target."""
    i = plan.keys.index(pair.key)
    codes = codes_named(encoded.target, pair.target_level, plan, compat)

    def mask(key: Integers, target: Integers) -> Flags:
        with_level = encoded.keys.has_level(key, i, pair.key_level, plan, compat)
        return np.isin(target, codes) & with_level

    return _rule("set to exclude", cells, mask)


def _rule(reason: str, cells: Cells, mask: Callable[..., Flags]) -> Rule:
    """The rule of a mask over codes of keys and target, which the two tables may name
    differently.
    """
    original = mask(cells.key, cells.target)
    # the same arrays, unless R's D1 is reproduced
    if cells.target_syn is cells.target and cells.combinations_syn is cells.combinations:
        return Rule(reason, original, original)
    return Rule(reason, original, mask(cells.key_syn, cells.target_syn))


def check_exclusion(
    exclusion: Exclusion, target: Variable, key: Variable, plan: Plan, compat: Reading
) -> None:
    """Levels named in an exclusion must be levels of the original data."""
    named = (
        ("exclude_targetlevs", exclusion.target_level, target),
        ("exclude_keylevs", exclusion.key_level, key),
    )
    for argument, level, variable in named:
        occurring = np.unique(variable.own_codes(0))
        if not np.isin(codes_named(variable, level, plan, compat), occurring).any():
            raise unknown_level(argument, level, variable, plan)


def check_pairs_occur(exclusions: Sequence[Exclusion], plan: Plan) -> None:
    """Refuse the exclusions, of which `nobody_has` the levels; in R's modes, warn of them."""
    for exclusion in exclusions:
        no_effect(
            plan.asked_mode,
            f"exclude_keys: no record has {exclusion.key_level!r} for {str(exclusion.key)!r} and"
            f" {exclusion.target_level!r} for {str(plan.target)!r}",
            "leave the pair out",
        )


def nobody_has(
    exclusion: Exclusion, target: Variable, keys: Sequence[Variable], plan: Plan, compat: Reading
) -> bool:
    """Whether no record of any table has both levels; target and keys are columns of one table,
    or of one part of it.
    """
    key = keys[plan.keys.index(exclusion.key)]
    of_target = codes_named(target, exclusion.target_level, plan, compat)
    of_key = codes_named(key, exclusion.key_level, plan, compat)
    for table in range(len(target.codes)):
        has_target = np.isin(target.own_codes(table), of_target)
        if (has_target & np.isin(key.own_codes(table), of_key)).any():
            return False
    return True
