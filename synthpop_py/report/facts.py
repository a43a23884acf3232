"""What a report says, as plain values, a function for each section of the page. Every count of
people is a shown count, and the page, the Markdown and the JSON are made from nothing else.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
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
from .checks import TEXT, Facts, findings, is_uncompared, typed
from .study import Study, common_level

OF_IDENTITY = MEASURES[:3]
OF_TARGET = ("DiSCO", "DiS", "Dorig", "iS")
OF_REMEDY = ("DiSCO", "repU")
CLASSES_OF_KEY = 5  # that are tried as a remedy
MOST_RECORDS = 2_000_000  # beyond, remedies are named but not tried
MOST_SETS = 6  # of keys that are shown
MOST_WORDS = 100  # levels of a column in the model of utility
SURE = 0.95  # of an interval
Remedy = tuple[str, str, str, Callable[..., Any]]  # in words, in Python, in a shell; its result


def in_words(names: Sequence[str]) -> str:
    """Such as "sex, age and region"."""
    *others, last = names
    return f"{', '.join(others)} and {last}" if others else last


def count(n: float, whole: float, to: int) -> Facts:
    """A shown count of shown people, in numbers and in words; a mean as whole people."""
    number = rounding.people(round(n), whole, to)
    share = rounding.percent(n, whole, to)
    text = number if share == number else f"{number} ({share})"
    decimals = 1 if whole >= rounding.MANY else 0
    percent = round(100 * n / whole, decimals)
    return dict(people=round(n), percent=percent, number=number, share=share, text=text)


def check_limits(limits: Any) -> dict[str, float]:
    """Limits in per cent by measure, such as ``{"DiSCO": 5}``."""
    if not isinstance(limits or {}, Mapping):
        raise InputError(f'limits: {limits!r} cannot be used; give them as in {{"DiSCO": 5}}')
    checked = dict(limits or {})
    for measure, highest in checked.items():
        check_choice("limits", measure, MEASURES)
        check_number(f"limits[{measure!r}]", highest, 0, 100)
    return checked


def facts(study: Study, limits: Mapping[str, float], *, brief: bool = False) -> Facts:
    """The whole content of a report; in brief what is known of each target."""
    steps = 2 if brief else 6 + (study.holdout is not None)
    with Progress(steps, show=True) as progress:
        progress.step("columns")
        study.choose_columns()
        progress.step("risk of each target")
        study.answer()
        found = _answer(study, limits)
        if brief or found["no_figures"]:
            return found
        reasons: dict[str, str] = {}
        with untold():  # the calls above have given the warnings about the data
            progress.step("sets of keys")
            searched = _tried(reasons, "key_search", study.search_around)
            by_effect = _keys_by_effect(study, searched)
            found["key_search"] = _key_search(study, searched, by_effect)
            progress.step("remedies")
            found["remedies"] = [_tried_remedy(study, one) for one in _remedies(study, by_effect)]
            progress.step("utility")
            found["utility"] = list(_utility(study, reasons))
            found["membership"] = None
            if study.holdout is not None:
                progress.step("membership")
                found["membership"] = _tried(reasons, "membership", partial(_membership, study))
    return found | {"reasons": reasons}


def _tried(reasons: dict[str, str], part: str, compute: Callable[[], Any]) -> Any:
    """A part of the report; None where it cannot be computed, with the reason."""
    try:
        return compute()
    except SynthpopError as error:
        reasons[part] = redacted(f"Not computed: {error}.")
        return None


def _answer(study: Study, limits: Mapping[str, float]) -> Facts:
    first, to = study.first, study.to
    found: Facts = {"people": None, "limits": []}
    found["synthetic_records"] = list(first.Nsyn)
    found["certainty"] = first.certainty
    found["keys"] = [study.labels[name] for name in study.keys]
    found["keys_searched"] = study.everywhere is not None
    found["decision"] = "cannot be judged" if limits else None
    found["no_figures"] = too_few(first.Norig, to)
    if found["no_figures"]:
        return found
    n, order = means(first, to), study.order
    whole = n["N"]
    found["people"] = round(whole)
    found["checks"] = findings(study)
    found["headline"] = order.index(study.headline)
    found["targets"] = [_target(study, name) for name in order]
    found["identity"] = {name: count(n[name], whole, to) for name in OF_IDENTITY}
    found["non_members"] = _non_members(study)
    found["limits"] = [_limit(study, *limit) for limit in limits.items()]
    are_compared = all(one["compared"] for one in found["targets"])
    are_met = all(one["met"] for one in found["limits"])
    for one in found["limits"]:
        one["compared"] = are_compared
    if limits and are_compared:
        found["decision"] = "met" if are_met else "not met"
    return found


def _target(study: Study, name: Hashable) -> Facts:
    result, exact, to = study.results[name], study.exact.get(name), study.to
    each = counts(result, to)
    n = each.mean()
    whole, disco = n["N"], each["DiSCO"]
    told: Facts = {"name": str(name), "label": study.labels[name]}
    for measure in OF_TARGET:
        told[measure] = count(n[measure], whole, to)
    told["lowest"] = count(disco.min(), whole, to)
    told["highest"] = count(disco.max(), whole, to)
    told["precision"] = rounding.precision(n, to)
    told["classes"] = study.classes.get(name)
    told["exact"] = None
    if exact is not None:
        of_exact = means(exact, to)
        told["exact"] = count(of_exact["DiSCO"], whole, to)
    told["common"] = _common(result, exact, to)
    told["compared"] = not is_uncompared(study.notes_on(name))
    left_out = int(result.tidy()["left_out"].max())
    remaining = shown(result.Norig - left_out, result.Norig, to=to)
    told["left_out"] = count(whole - remaining, whole, to) if left_out else None
    return told


def _common(result: Any, exact: Any, to: int) -> Facts | None:
    """The level that makes it so; a class is not named, as it may end at one person's value."""
    common = common_level(result)
    if common is None:
        return None
    revealed, everybody = over(common["PctLevelDis"]), over(common["PctLevelAll"])
    told = {"level": None, "revealed": revealed, "everybody": everybody}
    value = common if exact is None else common_level(exact)
    if value is not None:
        having = value["PctLevelAll"] * value["All"] / 100
        told["level"] = str(value["Level"]) if having >= to else None
    return told


def _limit(study: Study, measure: str, limit: float) -> Facts:
    """With the largest figure; met where the largest count that is shown so is within the limit."""
    of_identity, to = measure in OF_IDENTITY, study.to
    results = [study.first] if of_identity else study.results.values()
    everybody = float(means(study.first, to)["N"])
    # 7 % may be 7.000000000000001 % as doubles divide them
    allowed = (limit + 1e-10) * everybody / 100
    highest = pd.Series({one.target: counts(one, to)[measure].max() for one in results})
    up_to = (rounding.at_most(0, to) + highest).clip(upper=everybody)
    worst, missing = highest.idxmax(), up_to.index[up_to > allowed]
    told: Facts = {"measure": measure, "limit": limit, "target": None, "missed_by": []}
    told["figure"] = count(highest[worst], everybody, to)
    told["up_to"] = round(up_to[worst])
    told["met"] = missing.empty
    if not of_identity:
        told["target"] = study.labels[worst]
        told["missed_by"] = [study.labels[name] for name in missing]
    return told


def _non_members(study: Study) -> list[Facts] | None:
    """Members beside non-members, a sample: Wilson's interval for all targets, of shown counts."""
    if study.summary.baseline is None:
        return None
    from scipy.stats import binomtest

    to, level, rows = study.to, 1 - (1 - SURE) / len(study.order), []
    baseline = study.summary.baseline.astype({"target": str})
    baseline = baseline[baseline["measure"] == "DiSCO"].set_index("target")
    for target in study.order:
        row, n = baseline.loc[str(target)], means(study.results[target], to)
        outside = int(row["n_non_members"])
        if too_few(outside, to):
            continue
        sample = int(shown(outside, outside, to=to))
        found = int(shown(round(row["numerator_non_members"]), outside, to=to))
        test = binomtest(found, sample)
        sure = test.proportion_ci(level, method="wilson")
        share = n["DiSCO"] / n["N"]
        difference = share - pd.Series([test.statistic, sure.high, sure.low])
        told: Facts = {"label": study.labels[target], "of": sample}
        told["members"] = count(n["DiSCO"], n["N"], to)
        told["non_members"] = count(found, sample, to)
        told["difference"] = (100 * difference).round(1).tolist()
        told["may_be_chance"] = bool(sure.low <= share <= sure.high)
        rows.append(told)
    return rows


def _keys_by_effect(study: Study, searched: Any) -> dict[Hashable, Any]:
    """The figures without each key, fewest people at risk first; None where they were not tried."""
    rows: dict[Hashable, Any] = dict.fromkeys(study.keys)
    tried = searched is not None and 1 < len(rows) <= searched.max_keys
    if not tried or not set(rows) <= set(searched.candidates):
        return rows
    for key in rows:
        rows[key] = searched.of([name for name in rows if name != key])
    measure = searched.table.columns[-1]  # DiSCO of the target, otherwise repU
    figures = pd.DataFrame(rows).T.sort_values([measure, "UiO"], kind="stable")
    return {key: rows[key] for key in figures.index}


def _key_search(study: Study, searched: Any, by_effect: Mapping[Any, Any]) -> Facts | None:
    if searched is None:
        return None
    wide, target = study.everywhere or searched, study.headline
    without = []
    if all(row is not None for row in by_effect.values()):
        without.append({"key": None, **_of_set(study, searched.of(study.keys))})
        for key, row in by_effect.items():
            without.append({"key": study.labels[key], **_of_set(study, row)})
    found: Facts = {"largest": wide.max_keys, "without": without, "target": None}
    found["sets"] = len(wide.table)
    found["candidates"] = [study.labels[name] for name in wide.candidates]
    if f"DiSCO {target}" in searched.table:
        found["target"] = study.labels[target]
    riskiest = wide.table.head(MOST_SETS)
    found["riskiest"] = [_of_set(study, row) for _, row in riskiest.iterrows()]
    return found


def _of_set(study: Study, row: pd.Series) -> Facts:
    """Its figures; those of the answer for its keys: a mean of shown counts is no shown mean."""
    target, to, everybody = study.headline, study.to, study.first.Norig
    of_report = means(study.results[target], to)
    is_report = to > 1 and set(row["keys"]) == set(study.keys)
    told: Facts = {"keys": in_words([study.labels[name] for name in row["keys"]])}
    for name, column in (("UiO", "UiO"), ("DiSCO", f"DiSCO {target}")):
        if column not in row:
            continue
        n = round(row[column] * everybody / 100, 6)
        if to > 1:
            n = shown(round(n), everybody, to=to)
        if is_report:
            n = of_report[name]
        told[name] = count(n, of_report["N"], to)
    return told


def _remedies(study: Study, keys: Mapping[Any, Any]) -> Iterator[Remedy]:
    """A coarser key, one key less, no replicated uniques: three, where there are as many."""
    coarser = [one for one in (_coarser(study, key) for key in keys) if one is not None]
    yield from coarser[:1]
    most = 2 - len(coarser[:1]) if len(keys) > 1 else 0
    for key in list(keys)[:most]:
        rest = [name for name in study.keys if name != key]
        option, after = f"keys={list(map(str, rest))}", partial(study.risk, rest)
        what = f"Leave {study.labels[key]} out of the release"
        yield what, option, typed("--drop", key), after
    names = list(map(str, study.keys))
    option = f"sdc(synthetic, original, {names}, rm_replicated_uniques=True)"
    yield "Remove the replicated uniques", option, "", partial(_in_safer_data, study)


def _coarser(study: Study, key: Hashable) -> Remedy | None:
    """An amount in classes; None for any other key."""
    is_amount = study.tables.has_many_numbers(key) and not study.tables.is_identifier(key)
    if not is_amount or study.values("ngroups_keys", [key])[0]:
        return None
    what = f"Release {study.labels[key]} in about {CLASSES_OF_KEY} classes"
    classes = {**(study.options.get("ngroups_keys") or {}), key: CLASSES_OF_KEY}
    by_name = {str(name): n for name, n in classes.items()}
    command = typed("--ngroups-keys", f"{key}={CLASSES_OF_KEY}")
    values = [classes.get(name, 0) for name in study.keys]
    after = partial(study.risk, study.keys, ngroups_keys=values)
    return what, f"ngroups_keys={by_name}", command, after


def _in_safer_data(study: Study, targets: Any) -> Any:
    from .. import sdc

    how: Any = {"rm_replicated_uniques": True, "compat": "corrected", "print_flag": False}
    safer = sdc(study.synthetic, study.original, study.keys, **how)
    return study.risk(study.keys, targets, (safer, study.original))


def _tried_remedy(study: Study, remedy: Remedy) -> Facts:
    """With the risk before and after; `after` is None where it was not tried."""
    what, option, command, compute = remedy
    told: Facts = {"what": what, "option": option, "command": command, "after": None}
    target, after = study.headline, None
    if study.first.Norig <= MOST_RECORDS:
        # not of records in a database, which sdc() does not take
        after = _tried({}, "remedies", partial(compute, targets=[target]))
    for when, result in (("before", study.results), ("after", after)):
        if result is not None:
            n = means(result[target], study.to)
            whole = n["N"]
            told[when] = {name: count(n[name], whole, study.to) for name in OF_REMEDY}
    return told


def _membership(study: Study) -> Facts:
    """Attacks by the keys and targets; shares of members are those of shown counts."""
    from .. import membership

    if "counts" in study.options:
        raise InputError("counts: attacks need single records")
    how: Any = {"variables": [*study.keys, *study.targets], "seed": 0}
    result, to = membership(study.synthetic, study.original, study.holdout, **how), study.to
    no_figures = too_few(min(result.members, result.non_members), to)
    if no_figures:
        return {"no_figures": no_figures}
    whole, rows = shown(result.members, result.members, to=to), []
    for attack, row in shown_attacks(result, to).iterrows():
        told: Facts = {"attack": attack}
        for name, value in row.items():
            told[name] = value if name.startswith("auc") else count(value, whole, to)
        rows.append(told)
    about = {"strongest": result.strongest, "notes": list(result.notes)}
    return {"no_figures": "", "attacks": rows, **about}


def _utility(study: Study, reasons: dict[str, str]) -> Iterator[Facts]:
    """Distances with two significant digits; a model has no room for very many words."""
    from .. import propensity_utility, table_utility

    both, few = (study.synthetic, study.original), []
    columns = [name for name in study.tables.common if not study.tables.is_identifier(name)]
    for name in columns:
        n = study.tables.levels(name)
        if n.name not in TEXT or len(n) <= MOST_WORDS:
            few.append(name)
    ask: Any = partial(table_utility, *both, columns, **study.reading)
    tables = _tried(reasons, "tables", ask)
    for order, of_order in () if tables is None else tables.table.groupby("order"):
        way = "one" if order == 1 else "two"
        mean = of_order[["tvd", "by_chance"]].mean()
        value, chance = float(f"{mean['tvd']:.2g}"), float(f"{mean['by_chance']:.2g}")
        name = f"mean distance of {len(of_order):,} {way}-way tables (TVD)"
        yield {"measure": name, "value": value, "chance": chance}
    if "counts" in study.reading:
        reasons["propensity"] = "Not computed: propensity scores need single records."
        return
    ask = partial(propensity_utility, *both, few, **study.reading)
    scores = _tried(reasons, "propensity", ask)
    if scores is None:
        return
    yield {"measure": "S_pMSE", "value": float(f"{scores.S_pMSE:.2g}"), "chance": 1.0}
    if len(few) < len(columns):
        less = f"S_pMSE is measured without text columns of more than {MOST_WORDS} values."
        reasons["propensity"] = less
