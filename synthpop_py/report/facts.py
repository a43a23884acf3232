"""What a report says, as plain values, a function for each section of the page. Every count of
people is a shown count, and the page, the Markdown and the JSON are made from nothing else.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import Any

import pandas as pd

from .. import rounding
from ..arguments import check_choice, check_number
from ..errors import InputError, SynthpopError, untold
from ..membership import shown_attacks
from ..progress import Progress
from ..redaction import redacted
from ..rounding import MEASURES, counts, means, over, shown, too_few
from .checks import TEXT, as_list, findings, is_uncompared, typed
from .study import Study, common_level

OF_IDENTITY = MEASURES[:3]
OF_TARGET = ("DiSCO", "DiS", "Dorig", "iS")
CLASSES_OF_KEY = 5  # that are tried as a remedy
MOST_RECORDS = 2_000_000  # beyond, remedies are named but not tried
MOST_SETS = 6  # of keys that are shown
MOST_WORDS = 100  # levels of a column in the model of utility
SURE = 0.95
MET, NOT_MET, CANNOT_BE_JUDGED = "met", "not met", "cannot be judged"
DAY = re.compile(r"\d{4}-\d\d-\d\d")
Facts = dict[str, Any]
Labels = Mapping[Hashable, str]


def in_words(names: Sequence[str]) -> str:
    """Such as "sex, age and region"."""
    *others, last = names
    return f"{', '.join(others)} and {last}" if others else last


def count(n: float, whole: float, to: int) -> Facts:
    """A shown count of shown people, in numbers and in words; a mean as whole people."""
    number, share = rounding.people(round(n), whole, to), rounding.percent(n, whole, to)
    text = number if share == number else f"{number} ({share})"
    per_cent = round(100 * n / whole, 1 if whole >= rounding.MANY else 0)
    return {
        "people": round(n),
        "percent": per_cent,
        "number": number,
        "share": share,
        "text": text,
    }


def check_limits(limits: Any) -> dict[str, float]:
    """Limits in per cent by measure, such as ``{"DiSCO": 5}``."""
    if not isinstance(limits or {}, Mapping):
        raise InputError(f'limits: {limits!r} cannot be used; give them as in {{"DiSCO": 5}}')
    for measure, highest in (limits or {}).items():
        check_choice("limits", measure, MEASURES)
        check_number(f"limits[{measure!r}]", highest, 0, 100)
    return dict(limits or {})


def facts(
    study: Study,
    limits: Mapping[str, float],
    called: Mapping[Any, str] | None = None,
    *,
    brief: bool = False,
) -> Facts:
    """The whole content of a report; in brief what is known of each target."""
    to = study.to
    with Progress(2 if brief else 6 + (study.holdout is not None), show=True) as progress:
        progress.step("columns")
        study.choose_columns()
        progress.step("risk of each target")
        study.answer()
        first, no_figures = study.first, too_few(study.first.Norig, to)
        given = {str(name): str(label) for name, label in (called or {}).items()}
        columns = study.tables.tables[0].columns
        labels = {name: given.get(str(name), str(name)) for name in columns}
        found: Facts = {
            "people": None,
            "synthetic_records": list(first.Nsyn),
            "certainty": first.certainty,
            "keys": [labels[name] for name in study.keys],
            "keys_searched": study.everywhere is not None,
            "no_figures": no_figures,
            "decision": CANNOT_BE_JUDGED if limits else None,
            "limits": [],
        }
        if no_figures:
            return found
        order, n = study.worst_first(), means(first, to)
        found["people"] = round(n["N"])
        found["checks"] = [one | {"label": labels[one["column"]]} for one in findings(study)]
        found["targets"] = [_target(study, name, labels) for name in order]
        found["identity"] = {name: count(n[name], n["N"], to) for name in OF_IDENTITY}
        found["non_members"] = _non_members(study, order, labels)
        found["limits"] = [_limit(study, *limit, labels) for limit in limits.items()]
        if limits and all(one["compared"] for one in found["targets"]):
            found["decision"] = MET if all(one["met"] for one in found["limits"]) else NOT_MET
        if brief:
            return found
        reasons: dict[str, str] = {}
        found |= {"headline": order.index(study.headline()), "reasons": reasons}
        with untold():  # the calls above have given the warnings about the data
            progress.step("sets of keys")
            searched = _tried(reasons, "key_search", partial(_search, study))
            by_effect = _keys_by_effect(study, searched)
            found["key_search"] = _key_search(study, searched, by_effect, labels)
            progress.step("remedies")
            found["remedies"] = list(_remedies(study, list(by_effect), labels))
            progress.step("utility")
            found["utility"] = list(_utility(study, reasons))
            found["membership"] = None
            if study.holdout is not None:
                progress.step("membership")
                found["membership"] = _tried(reasons, "membership", partial(_membership, study))
    return found


def _tried(reasons: dict[str, str], part: str, compute: Any) -> Any:
    """A part of the report; None where it cannot be computed, with the reason."""
    try:
        return compute()
    except SynthpopError as error:
        reasons[part] = redacted(f"Not computed: {error}.")
        return None


# ---- targets and limits --------------------------------------------------------------


def _target(study: Study, name: Hashable, labels: Labels) -> Facts:
    result, exact, to = study.results[name], study.exact.get(name), study.to
    each = counts(result, to)
    n, whole = each.mean(), each["N"].iloc[0]
    left_out = int(result.tidy()["left_out"].max())
    remaining = shown(result.Norig - left_out, result.Norig, to=to)
    return {
        "name": str(name),
        "label": labels[name],
        **{measure: count(n[measure], whole, to) for measure in OF_TARGET},
        "lowest": count(each["DiSCO"].min(), whole, to),
        "highest": count(each["DiSCO"].max(), whole, to),
        "precision": rounding.precision(n, to),
        "classes": study.classes.get(name),
        "exact": exact and count(means(exact, to)["DiSCO"], whole, to),
        "common": _common(result, exact, to),
        "compared": not is_uncompared(study.notes_on(name)),
        "left_out": count(whole - remaining, whole, to) if left_out else None,
    }


def _common(result: Any, exact: Any, to: int) -> Facts | None:
    """The level that makes a figure common knowledge, and how many have it. A class is not named:
    it may end at one person's value.
    """
    common = common_level(result)
    if common is None:
        return None
    value, level = common if exact is None else common_level(exact), None
    if value is not None and value["PctLevelAll"] * value["All"] >= 100 * to:
        level = str(value["Level"])
    revealed, everybody = over(common["PctLevelDis"]), over(common["PctLevelAll"])
    return {"level": level, "revealed": revealed, "everybody": everybody}


def _limit(study: Study, measure: str, limit: float, labels: Labels) -> Facts:
    """A limit with the largest figure over targets and syntheses. It is met where the largest count
    that is shown as this figure is within it.
    """
    of_identity, to = measure in OF_IDENTITY, study.to
    results = [study.first] if of_identity else list(study.results.values())
    everybody = float(means(study.first, to)["N"])
    # 7 % may be 7.000000000000001 % as doubles divide them
    allowed = (limit + 1e-10) * everybody / 100
    highest = {one.target: float(counts(one, to)[measure].max()) for one in results}
    up_to = {name: min(rounding.at_most(n, to), everybody) for name, n in highest.items()}
    worst = max(highest, key=lambda target: highest[target])
    missed = [labels[name] for name, n in up_to.items() if n > allowed]
    return {
        "measure": measure,
        "limit": limit,
        "figure": count(highest[worst], everybody, to),
        "up_to": round(up_to[worst]),
        "target": None if of_identity else labels[worst],
        "met": not missed,
        "missed_by": [] if of_identity else missed,
    }


# ---- keys ----------------------------------------------------------------------------


def _search(study: Study) -> Any:
    names = study.candidates or study.keys
    return study.search_some(names, [study.headline()], len(names))


def _keys_by_effect(study: Study, searched: Any) -> dict[Hashable, Any]:
    """The keys, the one first without which fewest people are at risk, with the figures of the set
    without it; None for each where these sets were not tried.
    """
    rows: dict[Hashable, Any] = dict.fromkeys(study.keys)
    if searched is None or not 1 < len(rows) <= searched.max_keys:
        return rows
    if not set(rows) <= set(searched.candidates):
        return rows
    measure = searched.table.columns[-1]  # DiSCO of the target, otherwise repU
    for key in rows:
        rows[key] = searched.of([name for name in rows if name != key])
    by_effect = sorted(rows, key=lambda key: (rows[key][measure], rows[key]["UiO"]))
    return {key: rows[key] for key in by_effect}


def _key_search(
    study: Study, searched: Any, by_effect: Mapping[Hashable, Any], labels: Labels
) -> Facts | None:
    if searched is None:
        return None
    wide, target = study.everywhere or searched, study.headline()
    without = {labels[key]: row for key, row in by_effect.items() if row is not None}
    if without:
        without = {None: searched.of(study.keys), **without}
    riskiest = wide.table.head(MOST_SETS)
    return {
        "sets": len(wide.table),
        "candidates": [labels[name] for name in wide.candidates],
        "largest": wide.max_keys,
        "target": labels[target] if f"DiSCO {target}" in searched.table else None,
        "without": [{"key": key, **_of_set(study, row, labels)} for key, row in without.items()],
        "riskiest": [_of_set(study, row, labels) for _, row in riskiest.iterrows()],
    }


def _of_set(study: Study, row: pd.Series, labels: Labels) -> Facts:
    """The figures of a set of keys; those of the report where it is that of the report, because the
    mean of shown counts may not be the shown mean.
    """
    target, to, everybody = study.headline(), study.to, study.first.Norig
    of_report = means(study.results[target], to)
    is_report = to > 1 and set(row["keys"]) == set(study.keys)
    told: Facts = {"keys": in_words([labels[name] for name in row["keys"]])}
    for name, column in (("UiO", "UiO"), ("DiSCO", f"DiSCO {target}")):
        if column in row:
            n = round(row[column] * everybody / 100, 6)
            n = n if to == 1 else shown(round(n), everybody, to=to)
            told[name] = count(of_report[name] if is_report else n, of_report["N"], to)
    return told


# ---- remedies ------------------------------------------------------------------------


def _remedies(study: Study, keys: list[Hashable], labels: Labels) -> Iterator[Facts]:
    """A coarser key, one key less, no replicated uniques: in words, how to try it in Python
    (`option`) and on the command line (`command`), and the risk before and after, if it was tried.
    """
    target, to = study.headline(), study.to
    before = means(study.results[target], to)
    coarser = [one for key in keys if (one := _coarser(study, key, labels[key]))][:1]
    left_out = [_without(study, key, labels[key]) for key in keys if len(keys) > 1]
    remedies = [*coarser, *left_out[: 2 - len(coarser)], _without_uniques(study)]
    for what, option, command, compute in remedies:
        told: Facts = {"what": what, "option": option, "command": command, "after": None}
        told["before"] = {name: count(before[name], before["N"], to) for name in ("DiSCO", "repU")}
        # not of records in a database, which sdc() does not take
        with suppress(SynthpopError):
            if study.first.Norig <= MOST_RECORDS:
                n = means(compute(targets=[target])[target], to)
                told["after"] = {name: count(n[name], n["N"], to) for name in ("DiSCO", "repU")}
        yield told


def _coarser(study: Study, key: Hashable, label: str) -> tuple[str, str, str, Any] | None:
    """Of a day the year, of an amount a class; None for any other key."""
    frames = [*as_list(study.data[0]), study.data[1]]
    if all(isinstance(frame, pd.DataFrame) and _has_days(frame[key]) for frame in frames):
        how = "write years, not days, in every table"
        return f"Release only the year of {label}", how, "", partial(_in_years, study, frames, key)
    classes, at = study.values("ngroups_keys", study.keys), study.keys.index(key)
    is_amount = study.tables.has_many_numbers(key) and not study.tables.is_identifier(key)
    if not is_amount or classes[at]:
        return None
    classes[at] = CLASSES_OF_KEY
    what, option = f"Release {label} in about {CLASSES_OF_KEY} classes", f"ngroups_keys={classes}"
    command = typed("--ngroups-keys", f"{key}={CLASSES_OF_KEY}")
    return what, option, command, partial(study.risk, study.keys, ngroups_keys=classes)


def _has_days(values: pd.Series) -> bool:
    """Whether a column holds days, or only texts such as 2001-05-17."""
    texts = values.dropna().drop_duplicates().astype(str)
    is_text = len(texts) > 0 and bool(texts.str.fullmatch(DAY).all())
    return values.dtype.kind == "M" or is_text


def _in_years(study: Study, frames: Sequence[Any], key: Hashable, targets: Any) -> Any:
    changed = [frame.copy() for frame in frames]
    for frame in changed:
        frame[key] = pd.to_datetime(frame[key]).dt.year
    return study.risk(study.keys, targets, (changed[:-1], changed[-1]))


def _without(study: Study, key: Hashable, label: str) -> tuple[str, str, str, Any]:
    rest = [name for name in study.keys if name != key]
    what, option = f"Leave {label} out of the release", f"keys={list(map(str, rest))}"
    return what, option, typed("--drop", key), partial(study.risk, rest)


def _without_uniques(study: Study) -> tuple[str, str, str, Any]:
    names = list(map(str, study.keys))
    option = f"sdc(synthetic, original, {names}, rm_replicated_uniques=True)"
    return "Remove the replicated uniques", option, "", partial(_in_safer_data, study)


def _in_safer_data(study: Study, targets: Any) -> Any:
    from .. import sdc

    asked: dict[str, Any] = {"compat": "corrected", "print_flag": False}
    safer = sdc(*study.data, study.keys, rm_replicated_uniques=True, **asked)
    return study.risk(study.keys, targets, (safer, study.data[1]))


# ---- non-members, utility ------------------------------------------------------------


def _non_members(study: Study, order: Sequence[Hashable], labels: Labels) -> list[Facts] | None:
    """Members beside non-members. All members are counted; non-members are a sample, and Wilson's
    interval (for all targets together) is computed from shown counts.
    """
    if study.summary.baseline is None:
        return None
    from scipy.stats import binomtest

    baseline, to, rows = study.summary.baseline.astype({"target": str}), study.to, []
    baseline = baseline.set_index(["measure", "target"]).sort_index()
    for target in order:
        row = baseline.loc[("DiSCO", str(target))]
        outside = int(row["n_non_members"])
        if too_few(outside, to):
            continue
        sample = int(shown(outside, outside, to=to))
        found = int(shown(round(row["numerator_non_members"]), outside, to=to))
        test = binomtest(found, sample)
        sure = test.proportion_ci(1 - (1 - SURE) / len(order), method="wilson")
        n = means(study.results[target], to)
        share = n["DiSCO"] / n["N"]
        others = (test.statistic, sure.high, sure.low)
        one = {"label": labels[target], "members": count(n["DiSCO"], n["N"], to)}
        one |= {"non_members": count(found, sample, to), "of": sample}
        one["difference"] = [round(100 * float(share - other), 1) for other in others]
        rows.append(one | {"may_be_chance": bool(sure.low <= share <= sure.high)})
    return rows


def _membership(study: Study) -> Facts:
    """Attacks by the keys and targets; shares of members are those of shown counts."""
    from .. import membership

    if "counts" in study.options:
        raise InputError("counts: attacks need single records")
    names = [*study.keys, *study.targets]
    result = membership(*study.data, study.holdout, variables=names, seed=0)
    no_figures = too_few(min(result.members, result.non_members), study.to)
    if no_figures:
        return {"no_figures": no_figures}
    whole, rows = shown(result.members, result.members, to=study.to), []
    for attack, row in shown_attacks(result, study.to).iterrows():
        told: Facts = {"attack": attack}
        for name, value in row.items():
            told[name] = value if name.startswith("auc") else count(value, whole, study.to)
        rows.append(told)
    about = {"strongest": result.strongest, "notes": list(result.notes)}
    return {"no_figures": "", "attacks": rows, **about}


def _utility(study: Study, reasons: dict[str, str]) -> Iterator[Facts]:
    """Distances with two significant digits, of all columns but identifiers; a model has no room
    for words of which there are many.
    """
    from .. import propensity_utility, table_utility

    columns = [name for name in study.tables.common if not study.tables.is_identifier(name)]
    levels = {name: study.tables.levels(name) for name in columns}
    few = [c for c, (kind, n) in levels.items() if kind not in TEXT or len(n) <= MOST_WORDS]
    ask_tables = partial(table_utility, *study.data, columns, **study.reading)
    tables = _tried(reasons, "tables", ask_tables)
    for order, of_order in () if tables is None else tables.table.groupby("order"):
        name = f"mean distance of {len(of_order):,} {('one', 'two')[order - 1]}-way tables (TVD)"
        value, chance = of_order["tvd"].mean(), of_order["by_chance"].mean()
        yield {"measure": name, "value": float(f"{value:.2g}"), "chance": float(f"{chance:.2g}")}
    if "counts" in study.reading:
        reasons["propensity"] = "Not computed: propensity scores need single records."
        return
    ask_scores = partial(propensity_utility, *study.data, few, **study.reading)
    scores = _tried(reasons, "propensity", ask_scores)
    if scores is not None:
        yield {"measure": "S_pMSE", "value": float(f"{scores.S_pMSE:.2g}"), "chance": 1.0}
        if len(few) < len(columns):
            less = f"S_pMSE is measured without text columns of more than {MOST_WORDS} values."
            reasons["propensity"] = less
