"""What a report says, as plain values: every count of people in it is a shown count.

The page, the Markdown and the JSON are made from these values and from nothing else.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from math import sqrt
from statistics import NormalDist
from typing import Any

from ..arguments import check_choice, check_number
from ..disclosure.result import Disclosure
from ..errors import InputError
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

MEASURES = ("UiO", "repU", "iS", "Dorig", "DiS", "DiSCO")
OF_IDENTITY = ("UiO", "repU", "iS")
MOST_SETS = 6
MOST_PAIRS = 6
PAIRS_OF_TARGET = 3
UNCOMPARED = "no value in common"
SURE = 0.95
Facts = dict[str, Any]


class Labels:
    """What columns are called; by themselves where nothing else was given."""

    def __init__(self, given: Mapping[Hashable, str] | None = None) -> None:
        self.given = {name: str(label) for name, label in (given or {}).items()}

    def of(self, name: Hashable) -> str:
        return self.given.get(name, str(name))

    def all(self, names: Sequence[Hashable]) -> str:
        """Such as "sex, age and region"."""
        texts = [self.of(name) for name in names]
        return " and ".join([", ".join(texts[:-1]), texts[-1]] if len(texts) > 1 else texts)


def count(n: float, whole: float, to: int) -> Facts:
    """A shown count of shown people."""
    figure = None if not whole else round(100 * n / whole, 1 if whole >= MANY else 0)
    number, share = people(n, whole, to), percent(n, whole, to)
    text = number if share in (number, "") else f"{number} ({share})"
    return {"people": round(n), "percent": figure, "text": text, "number": number, "share": share}


# ---- everything ----------------------------------------------------------------------


def facts(
    evidence: Evidence, labels: Labels, limits: Mapping[str, float] | None, to: int
) -> Facts:
    """The whole content of a report."""
    first = evidence.first
    known: Facts = {
        "people": shown(first.Norig, first.Norig, to=to),
        "synthetic_records": list(first.Nsyn),
        "syntheses": first.m,
        "certainty": first.certainty,
        "keys": [{"name": str(key), "label": labels.of(key)} for key in evidence.keys],
        "keys_text": labels.all(evidence.keys),
        "keys_searched": evidence.keys_searched,
        "why_no_figures": too_few(first.Norig, to),
        "checks": _checks(evidence, labels),
    }
    if known["why_no_figures"]:
        # how few there are is not said
        known |= {"people": None, "decision": "cannot be judged" if limits else None}
        return known
    target = evidence.headline(to)
    order = evidence.worst_first(to)
    n = means(first, to)
    return known | {
        "headline": str(target),
        "targets": [_target(evidence, name, labels, to) for name in order],
        "identity": {name: count(n[name], n["N"], to) for name in OF_IDENTITY},
        **_judged(limits or {}, evidence, labels, to),
        "remedies": [_remedy(one, evidence.results[target], to) for one in evidence.remedies],
        "key_search": _key_search(evidence, target, labels, to),
        "pairs": list(_pairs(evidence, order, labels, to)),
        "non_members": _non_members(evidence, order, labels, to),
        "utility": list(_utility(evidence.utility)),
        "reasons": dict(evidence.reasons),
    }


def _checks(evidence: Evidence, labels: Labels) -> list[Facts] | None:
    if evidence.findings is None:
        return None
    return [
        {
            "column": str(one.column),
            "label": labels.of(one.column),
            "text": one.text,
            "option": one.python,
            "command": one.command,
            "fatal": one.is_fatal,
        }
        for one in evidence.findings
    ]


# ---- targets -------------------------------------------------------------------------


def _target(evidence: Evidence, name: Hashable, labels: Labels, to: int) -> Facts:
    result = evidence.results[name]
    each = counts(result, to)
    n = each.mean()
    exact = evidence.exact.get(name)
    return {
        "name": str(name),
        "label": labels.of(name),
        **{measure: count(n[measure], n["N"], to) for measure in ("DiSCO", "DiS", "Dorig")},
        "lowest": count(each["DiSCO"].min(), n["N"], to),
        "highest": count(each["DiSCO"].max(), n["N"], to),
        "precision": precision(n, to),
        "classes": evidence.classes.get(name),
        "exact": None if exact is None else count(means(exact, to)["DiSCO"], n["N"], to),
        "common": _common(evidence, name, to),
        "compared": not _uncompared(result),
    }


def _uncompared(result: Disclosure) -> bool:
    return any(UNCOMPARED in note and str(result.target) in note for note in result.notes)


def _common(evidence: Evidence, name: Hashable, to: int) -> Facts | None:
    """The value that nearly all have; named if enough people have it. A class is not: it may end
    at one person's value.
    """
    row = common_level(evidence.results[name])
    if row is None:
        return None
    has_it = row["PctLevelAll"] * row["All"] / 100
    named = name not in evidence.classes and has_it >= to
    return {
        "level": str(row["Level"]) if named else None,
        "revealed": over(row["PctLevelDis"]),
        "everybody": over(row["PctLevelAll"]),
    }


def _pairs(
    evidence: Evidence, order: Sequence[Hashable], labels: Labels, to: int
) -> Iterator[Facts]:
    """Values of a key that tell a value of a target, where these are not everybody's."""
    found = 0
    for target in order:
        flagged = next((one for one in evidence.results[target].check_2way if one is not None), None)
        if flagged is None or target in evidence.classes or evidence.tables is None:
            continue
        levels = evidence.tables.levels(target)
        base = {str(level): 100 * n / levels.records for level, n in levels.n.items()}
        of_target = 0
        for row in flagged.sort_values("npairs", ascending=False).to_dict("records"):
            level, of_key = _split(str(row["target_key_levs"]), base)
            usual = over(base.get(level, 100))
            here = over(row["PctTargetKeyLevel"])
            is_numeric = evidence.tables.levels(row["key"]).kind == "numbers"
            enough = row["key_target_total"] >= to and of_target < PAIRS_OF_TARGET
            if here == usual or here == "over 50 %" or is_numeric or not enough:
                continue
            of_target += 1
            found += 1
            if found > MOST_PAIRS:
                return
            yield {
                "who": f"{labels.of(row['key'])}: {of_key}",
                "value": f"{labels.of(target)}: {level}",
                "share": here,
                "everybody": usual,
            }


def _split(pair: str, levels: Mapping[str, float]) -> tuple[str, str]:
    """The levels of a pair such as "NO|RURAL AREAS"; a level may hold a bar itself."""
    for level in sorted(levels, key=len, reverse=True):
        if pair.startswith(f"{level}|"):
            return level, pair[len(level) + 1 :]
    level, _, of_key = pair.partition("|")
    return level, of_key


# ---- limits --------------------------------------------------------------------------


def check_limits(limits: Any) -> dict[str, float]:
    """Limits in per cent by measure, such as ``{"DiSCO": 5}``."""
    if limits is None:
        return {}
    if not isinstance(limits, Mapping):
        raise InputError(f'limits: {limits!r} cannot be used; give them as in {{"DiSCO": 5}}')
    for measure, highest in limits.items():
        check_choice("limits", measure, MEASURES)
        check_number(f"limits[{measure!r}]", highest, 0, 100)
    return {str(measure): float(highest) for measure, highest in limits.items()}


def _judged(limits: Mapping[str, float], evidence: Evidence, labels: Labels, to: int) -> Facts:
    """Each limit with the largest figure over targets and syntheses. It is met if the largest count
    that is shown as this figure is within it.
    """
    judged = [_one_limit(*limit, evidence, labels, to) for limit in limits.items()]
    decision = "met" if judged else None
    if any(not one["met"] for one in judged):
        decision = "not met"
    if judged and any(_uncompared(result) for result in evidence.results.values()):
        decision = "cannot be judged"
    return {"limits": judged, "decision": decision}


def _one_limit(
    measure: str, highest: float, evidence: Evidence, labels: Labels, to: int
) -> Facts:
    of_identity = measure in OF_IDENTITY
    results = [evidence.first] if of_identity else list(evidence.results.values())
    worst: tuple[float, Disclosure] = max(
        ((float(counts(result, to)[measure].max()), result) for result in results),
        key=lambda one: one[0],
    )
    n, result = worst
    everybody = counts(result, to)["N"].iloc[0]
    may_be = 100 * at_most(n, to) / everybody
    return {
        "measure": measure,
        "limit": highest,
        "figure": count(n, everybody, to),
        "target": None if of_identity else labels.of(result.target),
        "met": may_be <= highest + 1e-10,  # 7 % may be 7.000000000000001 % as doubles divide
        "rounding_decides": 100 * n / everybody <= highest < may_be,
    }


# ---- what lowers the risk ------------------------------------------------------------


def _remedy(remedy: Any, before: Disclosure, to: int) -> Facts:
    def both(result: Disclosure) -> Facts:
        n = means(result, to)
        return {name: count(n[name], n["N"], to) for name in ("DiSCO", "repU")}

    return {
        "what": remedy.what,
        "option": remedy.python,
        "command": remedy.command,
        "before": both(before),
        "after": None if remedy.after is None else both(remedy.after),
    }


def _key_search(evidence: Evidence, target: Hashable, labels: Labels, to: int) -> Facts | None:
    searched = evidence.searched
    if searched is None:
        return None
    everybody = shown(searched.Norig, searched.Norig, to=to)
    column = f"DiSCO {target}"
    of_target = column in searched.table.columns

    def one(row: Any) -> Facts:
        is_report = set(row["keys"]) == set(evidence.keys) and of_target
        n = means(evidence.results[target], to) if is_report else {}
        figures = {"UiO": row["UiO"], "DiSCO": row[column] if of_target else None}
        found: Facts = {"keys": labels.all(row["keys"])}
        for name, value in figures.items():
            if value is None:
                continue
            exact = round(value * searched.Norig / 100)
            x = n[name] if is_report else shown(exact, searched.Norig, to=to)
            found[name] = count(x, everybody, to)
        return found

    keys = evidence.keys
    inside = set(keys) <= set(searched.candidates) and 1 < len(keys) <= searched.max_keys
    without = []
    for key in keys_by_effect(searched, keys) if inside else []:
        rest = searched.of([name for name in keys if name != key])
        without.append({**one(rest), "key": labels.of(key)})
    rows = [one(row) for _, row in searched.table.head(MOST_SETS).iterrows()]
    return {
        "sets": len(searched.table),
        "candidates": [labels.of(name) for name in searched.candidates],
        "largest": searched.max_keys,
        "target": labels.of(target) if of_target else None,
        "without": without,
        "riskiest": rows,
    }


# ---- people who were not in the data -------------------------------------------------


def _non_members(
    evidence: Evidence, order: Sequence[Hashable], labels: Labels, to: int
) -> list[Facts] | None:
    """Members beside non-members. All members are counted; non-members are a sample, and the
    interval (Wilson's, for all targets together) is computed from shown counts.
    """
    frame = evidence.baseline
    if frame is None:
        return None
    z = NormalDist().inv_cdf(1 - (1 - SURE) / 2 / len(order))
    rows = []
    for target in order:
        of_target = frame[(frame["measure"] == "DiSCO") & (frame["target"] == str(target))]
        if not len(of_target) and "target" in frame:
            of_target = frame[(frame["measure"] == "DiSCO") & (frame["target"] == target)]
        if not len(of_target):
            continue
        row = of_target.iloc[0]
        outside = int(row["n_non_members"])
        if too_few(outside, to):
            continue
        n = means(evidence.results[target], to)
        sample = shown(outside, outside, to=to)
        found = shown(round(row["numerator_non_members"]), outside, to=to)
        low, high = _wilson(found / sample, sample, z)
        share = n["DiSCO"] / n["N"]
        rows.append(
            {
                "label": labels.of(target),
                "members": count(n["DiSCO"], n["N"], to),
                "non_members": count(found, sample, to),
                "of": sample,
                "difference": round(100 * (share - found / sample), 1),
                "from": round(100 * (share - high), 1),
                "to": round(100 * (share - low), 1),
                "chance": share - high <= 0 <= share - low,
            }
        )
    return rows


def _wilson(share: float, n: int, z: float) -> tuple[float, float]:
    centre = (share + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    return centre - half, centre + half


# ---- utility -------------------------------------------------------------------------


def _utility(results: Sequence[Any]) -> Iterator[Facts]:
    """Distances with two significant digits, which tell nobody's record."""
    for result in results:
        if hasattr(result, "S_pMSE"):
            yield {"measure": "S_pMSE", "value": _two_digits(result.S_pMSE), "chance": 1.0}
            continue
        for order, name in ((1, "one column"), (2, "two columns")):
            of_order = result.table[result.table["order"] == order]
            if len(of_order):
                yield {
                    "measure": f"distance of tables of {name} (TVD), mean of {len(of_order):,}",
                    "value": _two_digits(of_order["tvd"].mean()),
                    "chance": _two_digits(of_order["by_chance"].mean()),
                }


def _two_digits(value: float) -> float:
    return float(f"{value:.2g}")
