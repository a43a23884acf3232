"""What a report says, as plain values: every count of people in it is a shown count.

The page, the Markdown and the JSON are made from these values and from nothing else.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from math import sqrt
from statistics import NormalDist
from typing import Any

from ..arguments import check_choice, check_number
from ..errors import InputError
from ..results import Disclosure
from ..rounding import (
    MANY,
    at_most,
    counts,
    means,
    over,
    people,
    percent,
    precision,
    shown,
    too_few,
)
from .gather import Evidence, common_level, keys_by_effect

OF_IDENTITY = ("UiO", "repU", "iS")
MEASURES = (*OF_IDENTITY, "Dorig", "DiS", "DiSCO")
MOST_SETS = 6
SURE = 0.95
# notes on a target whose figures mean nothing
UNCOMPARED = ("in common with the original", "every value is missing", "no synthetic record is in")
DECISIONS = ("met", "not met", "cannot be judged")
Facts = dict[str, Any]


class Labels:
    """What columns are called; by themselves where nothing else was given."""

    def __init__(self, given: Mapping[Hashable, str] | None = None) -> None:
        self.given = {str(name): str(label) for name, label in (given or {}).items()}

    def of(self, name: Hashable) -> str:
        return self.given.get(str(name), str(name))

    def all(self, names: Sequence[Hashable]) -> str:
        """Such as "sex, age and region"."""
        *others, last = map(self.of, names)
        return f"{', '.join(others)} and {last}" if others else last


def count(n: float, whole: float, to: int) -> Facts:
    """A shown count of shown people, in numbers and in words."""
    number, share = people(n, whole, to), percent(n, whole, to)
    figure = round(100 * n / whole, 1 if whole >= MANY else 0)
    text = number if share == number else f"{number} ({share})"
    return {"people": round(n), "percent": figure, "number": number, "share": share, "text": text}


def facts(evidence: Evidence, labels: Labels, limits: Mapping[str, float], to: int) -> Facts:
    """The whole content of a report."""
    first = evidence.first
    found: Facts = {
        "people": None,
        "synthetic_records": list(first.Nsyn),
        "certainty": first.certainty,
        "keys": list(map(labels.of, evidence.keys)),
        "keys_searched": evidence.everywhere is not None,
        "no_figures": too_few(first.Norig, to),
        "checks": evidence.findings,
        "decision": DECISIONS[2] if limits else None,
        "limits": [],
    }
    if found["no_figures"]:
        return found
    target = evidence.headline(to)
    order = evidence.worst_first(to)
    n = means(first, to)
    targets = [_target(evidence, name, labels, to) for name in order]
    before = evidence.results[target]
    judged = [_limit(*limit, evidence, labels, to) for limit in limits.items()]
    if limits and all(one["compared"] for one in targets):
        found["decision"] = DECISIONS[any(not one["met"] for one in judged)]
    return found | {
        "people": round(n["N"]),
        "headline": order.index(target),
        "targets": targets,
        "identity": {name: count(n[name], n["N"], to) for name in OF_IDENTITY},
        "limits": judged,
        "remedies": [_remedy(one, before, labels, to) for one in evidence.remedies],
        "key_search": _key_search(evidence, target, labels, to),
        "non_members": _non_members(evidence, order, labels, to),
        "utility": list(_utility(evidence.utility)),
        "reasons": dict(evidence.reasons),
    }


# ---- targets and limits --------------------------------------------------------------


def _target(evidence: Evidence, name: Hashable, labels: Labels, to: int) -> Facts:
    result = evidence.results[name]
    each = counts(result, to)
    n = each.mean()
    exact = evidence.exact.get(name)
    notes = [*result.notes, *(note for note in evidence.summary.notes if repr(name) in note)]
    common = common_level(result)
    told = None
    if common is not None:
        # a class is not named: it may end at one person's value
        value = common if exact is None else common_level(exact)
        if value is not None and value["PctLevelAll"] * value["All"] < 100 * to:
            value = None  # few people have it
        told = {
            "level": None if value is None else str(value["Level"]),
            "revealed": over(common["PctLevelDis"]),
            "everybody": over(common["PctLevelAll"]),
        }
    return {
        "name": str(name),
        "label": labels.of(name),
        **{measure: count(n[measure], n["N"], to) for measure in ("DiSCO", "DiS", "Dorig")},
        "lowest": count(each["DiSCO"].min(), n["N"], to),
        "highest": count(each["DiSCO"].max(), n["N"], to),
        "iS": count(n["iS"], n["N"], to),
        "precision": precision(n, to),
        "classes": evidence.classes.get(name),
        "exact": exact and count(means(exact, to)["DiSCO"], n["N"], to),
        "common": told,
        "compared": not any(sign in note for note in notes for sign in UNCOMPARED),
    }


def check_limits(limits: Any) -> dict[str, float]:
    """Limits in per cent by measure, such as ``{"DiSCO": 5}``."""
    if not isinstance(limits or {}, Mapping):
        raise InputError(f'limits: {limits!r} cannot be used; give them as in {{"DiSCO": 5}}')
    checked = {}
    for measure, highest in (limits or {}).items():
        name = check_choice("limits", measure, MEASURES)
        checked[name] = check_number(f"limits[{measure!r}]", highest, 0, 100)
    return checked


def _limit(measure: str, limit: float, evidence: Evidence, labels: Labels, to: int) -> Facts:
    """A limit with the largest figure over targets and syntheses. It is met where the largest count
    that is shown as this figure is within it.
    """
    of_identity = measure in OF_IDENTITY
    results = [evidence.first] if of_identity else list(evidence.results.values())
    everybody = float(means(evidence.first, to)["N"])

    def highest(result: Disclosure) -> float:
        return float(counts(result, to)[measure].max())

    def is_met(n: float) -> bool:
        # 7 % may be 7.000000000000001 % as doubles divide them
        return 100 * at_most(n, to) / everybody <= limit + 1e-10

    worst = max(results, key=highest)
    n = highest(worst)
    missed = [labels.of(one.target) for one in results if not is_met(highest(one))]
    return {
        "measure": measure,
        "limit": limit,
        "figure": count(n, everybody, to),
        "target": None if of_identity else labels.of(worst.target),
        "met": not missed,
        "missed_by": [] if of_identity else missed,
        "rounding_decides": bool(missed) and 100 * n / everybody <= limit,
    }


# ---- what lowers the risk ------------------------------------------------------------


def _remedy(remedy: Mapping[str, Any], before: Disclosure, labels: Labels, to: int) -> Facts:
    def both(result: Disclosure | None) -> Facts | None:
        n = None if result is None else means(result, to)
        return n if n is None else {name: count(n[name], n["N"], to) for name in ("DiSCO", "repU")}

    return {
        "what": remedy["what"].replace("{}", labels.of(remedy["key"])),
        "option": remedy["option"],
        "command": remedy["command"],
        "before": both(before),
        "after": both(remedy["after"]),
    }


def _key_search(evidence: Evidence, target: Hashable, labels: Labels, to: int) -> Facts | None:
    searched, keys = evidence.searched, evidence.keys
    if searched is None:
        return None
    of_report = means(evidence.results[target], to)

    def shown_row(row: Any) -> Facts:
        found: Facts = {"keys": labels.all(row["keys"])}
        for name, column in (("UiO", "UiO"), ("DiSCO", f"DiSCO {target}")):
            if column not in row:
                continue
            exact = round(row[column] * searched.Norig / 100, 6)
            n = exact if to == 1 else shown(round(exact), searched.Norig, to=to)
            # a shown mean may differ from the mean of shown counts; one page has one figure
            if set(row["keys"]) == set(keys) and abs(n - of_report[name]) < to > 1:
                n = of_report[name]
            found[name] = count(n, of_report["N"], to)
        return found

    inside = set(keys) <= set(searched.candidates) and 1 < len(keys) <= searched.max_keys
    without = [{"key": None, **shown_row(searched.of(keys))}] if inside else []
    for key in keys_by_effect(searched, keys) if inside else ():
        rest = searched.of([name for name in keys if name != key])
        without.append({"key": labels.of(key), **shown_row(rest)})
    wide = evidence.everywhere or searched
    riskiest = [shown_row(row) for _, row in wide.table.head(MOST_SETS).iterrows()]
    return {
        "sets": len(wide.table),
        "candidates": list(map(labels.of, wide.candidates)),
        "largest": wide.max_keys,
        "target": labels.of(target) if "DiSCO" in shown_row(searched.table.iloc[0]) else None,
        "without": without,
        "riskiest": riskiest,
    }


# ---- people who were not in the data, and utility ------------------------------------


def _non_members(
    evidence: Evidence, order: Sequence[Hashable], labels: Labels, to: int
) -> list[Facts] | None:
    """Members beside non-members. All members are counted; non-members are a sample, and Wilson's
    interval (for all targets together) is computed from shown counts.
    """
    if evidence.baseline is None:
        return None
    z = NormalDist().inv_cdf(1 - (1 - SURE) / 2 / len(order))
    of_measure = evidence.baseline[evidence.baseline["measure"] == "DiSCO"]
    by_target = {str(row["target"]): row for _, row in of_measure.iterrows()}
    rows = []
    for target in order:
        row = by_target[str(target)]
        outside = int(row["n_non_members"])
        if too_few(outside, to):
            continue
        n = means(evidence.results[target], to)
        sample = shown(outside, outside, to=to)
        found = shown(round(row["numerator_non_members"]), outside, to=to)
        share, p = n["DiSCO"] / n["N"], found / sample
        centre = (p + z * z / (2 * sample)) / (1 + z * z / sample)
        half = z / (1 + z * z / sample) * sqrt(p * (1 - p) / sample + (z / sample) ** 2 / 4)
        low, high = share - centre - half, share - centre + half
        rows.append(
            {
                "label": labels.of(target),
                "members": count(n["DiSCO"], n["N"], to),
                "non_members": count(found, sample, to),
                "of": sample,
                "difference": [round(100 * one, 1) for one in (share - p, low, high)],
                "may_be_chance": bool(low <= 0 <= high),
            }
        )
    return rows


def _utility(results: Sequence[Any]) -> Iterator[Facts]:
    """Distances with two significant digits."""
    for result in results:
        if hasattr(result, "S_pMSE"):
            yield {"measure": "S_pMSE", "value": float(f"{result.S_pMSE:.2g}"), "chance": 1.0}
            continue
        for order, tables in result.table.groupby("order"):
            name = "one-way" if order == 1 else "two-way" if order == 2 else f"{order}-way"
            yield {
                "measure": f"mean distance of {len(tables):,} {name} tables (TVD)",
                "value": float(f"{tables['tvd'].mean():.2g}"),
                "chance": float(f"{tables['by_chance'].mean():.2g}"),
            }
