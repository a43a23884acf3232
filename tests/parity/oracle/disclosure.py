"""The whole judgement for one target: levels, tables, exclusions, measures, checks."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction

from .checks import check_1way, check_2way
from .grouping import grouped_variable
from .levels import NUMERIC, Variable, as_list, column, column_names, read_variable
from .measures import attribute_measures, cap_measures, identity_measures
from .tables import (
    Rule,
    Table,
    by_key,
    classify,
    cross_tabulate,
    exclude,
    exclusion_rules,
    missing_key_rule,
)


@dataclass
class OracleResult:
    """One entry per synthesis in every list; ``keys`` in the original's column order.

    ``measures``: name -> value (None is NA). ``exclusions``: R's row name -> column name ->
    records. ``check_1way``: None or a dictionary. ``check_2way``: a list of pairs, in no particular
    order. ``tables``: d, s and what exclusions left of d.
    """

    keys: list[str]
    target: str
    measures: list[dict] = field(default_factory=list)
    exclusions: list[dict] = field(default_factory=list)
    check_1way: list[dict | None] = field(default_factory=list)
    check_2way: list[list[dict]] = field(default_factory=list)
    tables: list[tuple[Table, Table, Table]] = field(default_factory=list)


def oracle_disclosure(
    synthetic: list[dict],
    original: dict,
    *,
    keys,
    target: str,
    denom_lim: int = 5,
    exclude_ov_denom_lim: bool = False,
    not_targetlev=None,
    usetargetNA: bool = True,
    usekeysNA=True,
    exclude_keys=None,
    exclude_keylevs=None,
    exclude_targetlevs=None,
    ngroups_target=None,
    ngroups_keys=None,
    thresh_1way=(50, 90),
    thresh_2way=(4, 80),
    cont_na: dict | None = None,
    style: str = "quantile",
    convention: str = "r",
    certainty: Fraction = Fraction(1),
) -> OracleResult:
    """Disclosure measures of each synthesis against the original; see the package's docstring for
    ``convention``.
    """
    if convention not in ("r", "corrected"):
        raise ValueError(f"convention {convention!r} is neither 'r' nor 'corrected'")
    keys = as_list(keys)
    use_missing = _per_key(keys, usekeysNA)
    n_groups = _per_key(keys, ngroups_keys) | {target: ngroups_target}
    ordered = [name for name in column_names(original) if name in keys]

    def variable(name: str) -> Variable:
        special = (cont_na or {}).get(name)
        return _variable(name, original, synthetic, n_groups[name], special, style, convention)

    target_variable, key_variables = variable(target), [variable(name) for name in ordered]
    key_rule = missing_key_rule([use_missing[name] for name in ordered])
    rules = exclusion_rules(
        target_variable,
        key_variables,
        not_targetlev=[level for level in as_list(not_targetlev) if level != ""],
        use_target_missing=usetargetNA,
        use_keys_missing=[use_missing[name] for name in ordered],
        pairs=_pairs(ordered, exclude_keys, exclude_keylevs, exclude_targetlevs),
        denom_lim=denom_lim if exclude_ov_denom_lim else None,
    )
    d = cross_tabulate(target_variable.original, [key.original for key in key_variables])
    result = OracleResult(ordered, target)
    for j in range(len(synthetic)):
        s = cross_tabulate(
            target_variable.synthetic[j], [key.synthetic[j] for key in key_variables]
        )
        kept, booked = _exclude_everywhere(classify(d, s, certainty), rules)
        result.measures.append(_measures(d, s, kept, key_rule, convention, certainty))
        result.exclusions.append(booked)
        result.tables.append((d, s, kept["original"]))
        result.check_1way.append(check_1way(kept, target_variable, thresh_1way))
        result.check_2way.append(
            check_2way(kept["DiSCO"], target_variable, key_variables, thresh_2way)
        )
    return result


def _exclude_everywhere(
    tables: dict[str, Table], rules: list[Rule]
) -> tuple[dict[str, Table], dict[str, dict[str, int]]]:
    """Each of the eight tables filtered on its own, with what was removed from it."""
    filtered = {name: exclude(table, rules) for name, table in tables.items()}
    return {name: f[0] for name, f in filtered.items()}, {
        name: f[1] for name, f in filtered.items()
    }


def _measures(
    d: Table,
    s: Table,
    kept: dict[str, Table],
    key_rule: Rule,
    convention: str,
    certainty: Fraction,
) -> dict:
    """All measures of one synthesis; N counts every record, excluded or not."""
    Nd, Ns = sum(d.values()), sum(s.values())
    if convention == "corrected":
        d_ident, s_ident = exclude(d, [key_rule])[0], exclude(s, [key_rule])[0]
    else:
        d_ident, s_ident = kept["original"], kept["synthetic"]
    return {
        **identity_measures(d_ident, s_ident, set(by_key(s)), Nd, Ns),
        **attribute_measures(kept, Nd, Ns),
        **cap_measures(d, kept, Nd, Ns, convention, certainty),
    }


def _variable(
    name: str, original: dict, synthetic: list[dict], n, special, style: str, convention: str
) -> Variable:
    """Grouped if asked for and numeric in the original, else as it is."""
    if n == 1:
        raise ValueError(f"{name!r} cannot be put into a single group")
    if n and n > 0 and column(original, name)["type"] in NUMERIC:
        return grouped_variable(name, original, synthetic, n, special, style, convention)
    return read_variable(name, original, synthetic)


def _per_key(keys: list[str], value) -> dict:
    """A per-key argument by key name; one value serves all keys."""
    values = list(value) if isinstance(value, (list, tuple)) else [value]
    if len(values) not in (1, len(keys)):
        raise ValueError(f"{len(values)} values for {len(keys)} keys")
    return dict(zip(keys, values * len(keys) if len(values) == 1 else values))


def _pairs(keys: list[str], exclude_keys, key_levels, target_levels) -> list[tuple]:
    """The three parallel exclude_* arguments as (key, key level, target level)."""
    if exclude_keys is None:
        return []
    lists = [as_list(v) for v in (exclude_keys, key_levels, target_levels)]
    if len({len(values) for values in lists}) != 1:
        raise ValueError("exclude_keys, exclude_keylevs and exclude_targetlevs differ in length")
    if unknown := [name for name in lists[0] if name not in keys]:
        raise ValueError(f"exclude_keys: {unknown} not among the keys {keys}")
    return list(zip(*lists))
