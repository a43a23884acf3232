"""What a report says, as plain values: every count of people in it is a shown count. The page, the
Markdown and the JSON are made from these values and from nothing else.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from typing import Any

from ..arguments import check_choice, check_number
from ..errors import InputError
from ..membership import shown_attacks
from ..rounding import (
    MANY,
    MEASURES,
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
from .checks import is_uncompared
from .evidence import Evidence, common_level, is_searched, keys_by_effect

OF_IDENTITY = MEASURES[:3]
MOST_SETS = 6
SURE = 0.95
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
    """A shown count of shown people, in numbers and in words; a mean as whole people."""
    number, share = people(round(n), whole, to), percent(n, whole, to)
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
        "checks": evidence.findings
        and [one | {"label": labels.of(one["column"])} for one in evidence.findings],
        "decision": DECISIONS[2] if limits else None,
        "limits": [],
    }
    if found["no_figures"]:
        return found
    target, order, n = evidence.headline(to), evidence.worst_first(to), means(first, to)
    targets = [_target(evidence, name, labels, to) for name in order]
    judged = [_limit(*limit, evidence, labels, to) for limit in limits.items()]
    if limits and all(one["compared"] for one in targets):
        found["decision"] = DECISIONS[any(not one["met"] for one in judged)]
    return found | {
        "people": round(n["N"]),
        "headline": order.index(target),
        "targets": targets,
        "identity": {name: count(n[name], n["N"], to) for name in OF_IDENTITY},
        "limits": judged,
        "remedies": list(_remedies(evidence, target, labels, to)),
        "key_search": _key_search(evidence, target, labels, to),
        "non_members": _non_members(evidence, order, labels, to),
        "membership": _membership(evidence.membership, to),
        "utility": list(_utility(evidence.utility)),
        "reasons": dict(evidence.reasons),
    }


def _target(evidence: Evidence, name: Hashable, labels: Labels, to: int) -> Facts:
    result, exact = evidence.results[name], evidence.exact.get(name)
    each = counts(result, to)
    n = each.mean()
    notes = [*result.notes, *(note for note in evidence.summary.notes if repr(name) in note)]
    left_out = int(result.tidy()["left_out"].max())
    remaining = shown(result.Norig - left_out, result.Norig, to=to)
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
        **{measure: count(n[measure], n["N"], to) for measure in ("DiSCO", "DiS", "Dorig", "iS")},
        "lowest": count(each["DiSCO"].min(), n["N"], to),
        "highest": count(each["DiSCO"].max(), n["N"], to),
        "precision": precision(n, to),
        "classes": evidence.classes.get(name),
        "exact": exact and count(means(exact, to)["DiSCO"], n["N"], to),
        "common": told,
        "compared": not any(map(is_uncompared, notes)),
        "left_out": count(n["N"] - remaining, n["N"], to) if left_out else None,
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
    highest = {result.target: float(counts(result, to)[measure].max()) for result in results}
    worst = max(highest, key=lambda target: highest[target])
    # 7 % may be 7.000000000000001 % as doubles divide them
    allowed = (limit + 1e-10) * everybody / 100
    up_to = {target: min(at_most(n, to), everybody) for target, n in highest.items()}
    missed = [labels.of(target) for target, n in up_to.items() if n > allowed]
    return {
        "measure": measure,
        "limit": limit,
        "figure": count(highest[worst], everybody, to),
        "up_to": round(up_to[worst]),
        "target": None if of_identity else labels.of(worst),
        "met": not missed,
        "missed_by": [] if of_identity else missed,
        "rounding_decides": bool(missed) and highest[worst] <= allowed,
    }


def _remedies(evidence: Evidence, target: Hashable, labels: Labels, to: int) -> Iterator[Facts]:
    for one in evidence.remedies:
        told: Facts = {name: one[name] for name in ("option", "command")}
        told["what"] = one["what"].replace("{}", labels.of(one["key"]))
        for when, result in (("before", evidence.results[target]), ("after", one["after"])):
            n = result and means(result, to)
            told[when] = n if n is None else {x: count(n[x], n["N"], to) for x in ("DiSCO", "repU")}
        yield told


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

    without: list[Facts] = []
    if len(keys) > 1 and is_searched(searched, keys):
        without = [{"key": None, **shown_row(searched.of(keys))}]
        for key in keys_by_effect(searched, keys):
            rest = searched.of([name for name in keys if name != key])
            without.append({"key": labels.of(key), **shown_row(rest)})
    wide = evidence.everywhere or searched
    return {
        "sets": len(wide.table),
        "candidates": list(map(labels.of, wide.candidates)),
        "largest": wide.max_keys,
        "target": labels.of(target) if f"DiSCO {target}" in searched.table else None,
        "without": without,
        "riskiest": [shown_row(row) for _, row in wide.table.head(MOST_SETS).iterrows()],
    }


def _non_members(
    evidence: Evidence, order: Sequence[Hashable], labels: Labels, to: int
) -> list[Facts] | None:
    """Members beside non-members. All members are counted; non-members are a sample, and Wilson's
    interval (for all targets together) is computed from shown counts.
    """
    baseline = evidence.summary.baseline
    if baseline is None:
        return None
    from scipy.stats import binomtest

    of_disco = baseline[baseline["measure"] == "DiSCO"]
    rows = []
    for target in order:
        row = of_disco[[str(name) == str(target) for name in of_disco["target"]]].iloc[0]
        outside = int(row["n_non_members"])
        if too_few(outside, to):
            continue
        n, sample = means(evidence.results[target], to), shown(outside, outside, to=to)
        found = shown(round(row["numerator_non_members"]), outside, to=to)
        test = binomtest(int(found), int(sample))
        low, high = test.proportion_ci(1 - (1 - SURE) / len(order), method="wilson")
        share = n["DiSCO"] / n["N"]
        difference = [share - one for one in (test.statistic, high, low)]
        rows.append(
            {
                "label": labels.of(target),
                "members": count(n["DiSCO"], n["N"], to),
                "non_members": count(found, sample, to),
                "of": sample,
                "difference": [round(100 * float(one), 1) for one in difference],
                "may_be_chance": bool(difference[1] <= 0 <= difference[2]),
            }
        )
    return rows


def _membership(result: Any, to: int) -> Facts | None:
    """Attacks; shares of members are those of shown counts."""
    if result is None:
        return None
    few = too_few(min(result.members, result.non_members), to)
    if few:
        return {"no_figures": few}
    whole, rows = shown(result.members, result.members, to=to), []
    for attack, row in shown_attacks(result, to).iterrows():
        told: Facts = {"attack": attack}
        for name, value in row.items():
            told[name] = value if name.startswith("auc") else count(value, whole, to)
        rows.append(told)
    about = {"strongest": result.strongest, "notes": list(result.notes)}
    return {"no_figures": "", "attacks": rows, **about}


def _utility(results: Sequence[Any]) -> Iterator[Facts]:
    """Distances with two significant digits."""
    for result in results:
        if hasattr(result, "S_pMSE"):
            yield {"measure": "S_pMSE", "value": float(f"{result.S_pMSE:.2g}"), "chance": 1.0}
            continue
        for order, tables in result.table.groupby("order"):
            name = {1: "one-way", 2: "two-way"}.get(order, f"{order}-way")
            yield {
                "measure": f"mean distance of {len(tables):,} {name} tables (TVD)",
                "value": float(f"{tables['tvd'].mean():.2g}"),
                "chance": float(f"{tables['by_chance'].mean():.2g}"),
            }
