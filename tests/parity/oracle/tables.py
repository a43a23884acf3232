"""The eight tables of counts behind every measure, and what exclusions remove from them.

A table is a dictionary (t, q) -> count with the positive counts only; q is the tuple of the keys'
levels.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from fractions import Fraction

from .levels import Level, Variable

Key = tuple[Level, ...]
Table = dict[tuple[Level, Key], int]
Rule = tuple[str, Callable[[Level, Key, int], bool]]

REASONS = (
    "excluded target",
    "missing target",
    "missing in  keys",
    "set to exclude",
    "over denom_lim",
)


def cross_tabulate(target: list[Level], keys: list[list[Level]]) -> Table:
    """d[t, q], or s[t, q], from one list of levels for the target and one for each key."""
    return dict(Counter(zip(target, zip(*keys, strict=True), strict=True)))


def by_key(table: Table) -> Counter[Key]:
    """Column sums: d.q"""
    sums: Counter[Key] = Counter()
    for (_, q), n in table.items():
        sums[q] += n
    return sums


def by_target(table: Table) -> Counter[Level]:
    """Row sums: d.t"""
    sums: Counter[Level] = Counter()
    for (t, _), n in table.items():
        sums[t] += n
    return sums


def proportions(table: Table) -> dict[tuple[Level, Key], Fraction]:
    """p[t, q] = d[t, q] / d.q; cells that are absent have p = 0."""
    totals = by_key(table)
    return {(t, q): Fraction(n, totals[q]) for (t, q), n in table.items()}


def certain_cells(table: Table, least: Fraction = Fraction(1)) -> set[tuple[Level, Key]]:
    """Cells with p[t, q] = 1: all records with these keys share one target; or p[t, q] >= least,
    where less than all of them must.
    """
    return {cell for cell, p in proportions(table).items() if p >= least}


def classify(d: Table, s: Table, least: Fraction = Fraction(1)) -> dict[str, Table]:
    """The eight tables, by R's row names: which counts are at stake under each notion."""
    certain_d, certain_s, s_q = certain_cells(d, least), certain_cells(s, least), by_key(s)
    certain_keys = {q for _, q in certain_s}
    return {
        "original": dict(d),
        "synthetic": dict(s),
        "Dorig": _where(d, lambda t, q: (t, q) in certain_d),
        "Dsyn": _where(s, lambda t, q: (t, q) in certain_s),
        "iS": _where(d, lambda t, q: s_q[q] > 0),
        "DiS": _where(d, lambda t, q: q in certain_keys),
        "DiSCO": _where(d, lambda t, q: (t, q) in certain_s),
        "DiSDiO": _where(d, lambda t, q: (t, q) in certain_s and (t, q) in certain_d),
    }


def _where(table: Table, keep: Callable[[Level, Key], bool]) -> Table:
    return {(t, q): n for (t, q), n in table.items() if keep(t, q)}


def exclude(table: Table, rules: Iterable[Rule]) -> tuple[Table, dict[str, int]]:
    """Remove cells; each removed count is booked under the first rule that applies."""
    rules = list(rules)
    kept: Table = {}
    booked = dict.fromkeys(REASONS, 0)
    for (t, q), n in table.items():
        reason = next((name for name, applies in rules if applies(t, q, n)), None)
        if reason is None:
            kept[t, q] = n
        else:
            booked[reason] += n
    return kept, booked | {"remaining": sum(kept.values())}


def missing_key_rule(use_missing: list[bool]) -> Rule:
    """Cells with a missing value in a key whose missing values are not to be used."""
    return "missing in  keys", lambda t, q, n: any(
        level is None and not use for level, use in zip(q, use_missing)
    )


def exclusion_rules(
    target: Variable,
    keys: list[Variable],
    *,
    not_targetlev: list,
    use_target_missing: bool,
    use_keys_missing: list[bool],
    pairs: list[tuple[str, object, object]],
    denom_lim: int | None,
) -> list[Rule]:
    """All exclusions in R's order. ``pairs`` holds (key, key level, target level)."""
    position = {key.name: i for i, key in enumerate(keys)}

    def is_unwanted_pair(t: Level, q: Key, n: int) -> bool:
        return any(
            target.is_named(t, target_name)
            and keys[position[key]].is_named(q[position[key]], key_name)
            for key, key_name, target_name in pairs
        )

    return [
        (
            "excluded target",
            lambda t, q, n: any(target.is_named(t, name) for name in not_targetlev),
        ),
        ("missing target", lambda t, q, n: t is None and not use_target_missing),
        missing_key_rule(use_keys_missing),
        ("set to exclude", is_unwanted_pair),
        ("over denom_lim", lambda t, q, n: denom_lim is not None and n > denom_lim),
    ]
