"""What each command asks, and how the answer is shown. Everything comes from public functions and
public fields of their results; counts of people are rounded by `synthpop_py.rounding`.
"""

from __future__ import annotations

import math
import warnings
from argparse import Namespace
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from .. import SynDS, identification_risk, key_risk, multi_disclosure, open_table, ru_map, syn
from .. import report as make_report
from ..errors import InputError, unknown_choice, unknown_name
from ..matching import Relative
from ..r_files.replacing import replacement
from ..rounding import MEASURES, at_most, counts, people, percent, precision, shown, too_few
from ..tables.api import read_both
from . import files
from .files import Tables, grid, show, tell, working
from .options import CLASSES

DONE, OVER = 0, 1
TINY = 1e-10  # per cent: far below what one person of a billion adds
MANY_NUMBERS = 20  # a target with more different numbers is put into classes
FEWEST = 20  # records; with fewer it is normal that no two share a value
MOST_SETS = 20  # of keys on a screen
PICTURES = (".png", ".svg", ".pdf")
PAIRS = ("exclude_keys", "exclude_keylevs", "exclude_targetlevs")
Row = dict[str, Any]


# ---- the question of risk, report and keys -------------------------------------------


def question(chosen: Namespace, tables: Tables, keys: list[str], targets: list[str]) -> Row:
    """Classes, and who is left out, as arguments of `multi_disclosure()`."""
    asked = given(chosen, "counts denom_lim exclude_ov_denom_lim")
    asked["cont_na"] = tables.cont_na
    asked["ngroups_keys"] = _by_column("ngroups_keys", chosen.ngroups_keys, keys)
    asked["ngroups_targets"] = _by_column("ngroups_targets", chosen.ngroups_targets, targets)
    asked["not_targetslev"] = dict(chosen.not_targetslev) or None
    lacking = chosen.leave_out_missing
    for name in lacking:
        if name not in (*keys, *targets):
            choices = [*keys, *targets]
            raise unknown_choice("leave_out_missing", name, choices, "the keys and targets")
    if lacking:
        asked["usekeysNA"] = [name not in lacking for name in keys]
        asked["usetargetsNA"] = [name not in lacking for name in targets]
    for (key, key_level), (target, level) in chosen.exclude:
        if target not in targets:
            raise unknown_choice("exclude", target, targets, "the targets")
        for argument, value in zip(PAIRS, (key, key_level, level)):
            of_targets = asked.setdefault(argument, [[] for _ in targets])
            of_targets[targets.index(target)].append(value)
    return asked


def given(chosen: Namespace, names: str) -> Row:
    """Options that are arguments of the same name."""
    return {name: getattr(chosen, name) for name in names.split()}


def _by_column(argument: str, typed: Sequence[tuple[str | None, int]], columns: list[str]) -> Any:
    """Numbers of classes: one for all, or one for each of the columns, 0 for those not named."""
    by_name = dict(typed)
    if not typed or set(by_name) == {None}:
        return by_name.get(None)
    for name in by_name:
        if name not in columns:
            raise unknown_choice(argument, name, columns, "the columns given")
    return [by_name.get(name, 0) for name in columns]


def default_classes(tables: Tables, targets: list[str]) -> list[int]:
    """About ten classes for targets with many numbers: two people rarely have the same income to
    the last unit, so without classes every near miss would look safe.
    """
    original: Any = open_table(tables.original)
    wanted = []
    for name in targets:
        is_number, different = _different(original, name)
        wanted.append(CLASSES if is_number and different > MANY_NUMBERS else 0)
    return wanted


def _different(table: Any, name: str) -> tuple[bool, int]:
    """Whether a column holds numbers, and how many different values, missing ones left out."""
    column = table.count_by([name]).columns[name]
    known = column.values if column.missing is None else column.values[~column.missing]
    return column.kind in ("integer", "double"), len(np.unique(known))


def look(tables: Tables, **asked: Sequence[str] | None) -> None:
    """Refuse columns that a file does not have. Tell of identifiers and, where all columns are
    asked for, of those that not every file has.
    """
    here = list(tables.original.columns)
    named = [(option, name) for option, names in asked.items() for name in names or ()]
    for place, table in tables.by_place().items():
        there = list(table.columns)
        if not set(here) & set(there):
            says = "has no column in common with --original; check that these are the correct files"
            raise InputError(f"{place}: {says}")
        for option, name in named:
            if name not in there:
                raise unknown_name(option, name, there, place)
        strange = sorted(set(here) ^ set(there))
        if strange and None in asked.values():
            tell(f"{place}: not looked at, because only one file has it: {', '.join(strange)}")
    original: Any = open_table(tables.original)
    for option, name in named:
        is_number, different = _different(original, name)
        is_classed = is_number and option == "targets"
        if different == original.records >= FEWEST and not is_classed:
            tell(
                f"{name!r} has a different value for every original record: it may be an"
                " identifier (--drop), or a number to be put into classes. Nobody is found by a"
                " value that the release does not have, so risks look low"
            )


def all_targets(chosen: Namespace, tables: Tables) -> list[str]:
    """The targets; if none are named, every other column that all files have."""
    if chosen.targets:
        return list(chosen.targets)
    left = [name for name in tables.in_all() if name not in (*chosen.keys, chosen.counts)]
    if not left:
        raise InputError("--targets: no column besides --keys is in every file")
    return left


# ---- shown counts --------------------------------------------------------------------


def figure(measure: str, n: float, of: float) -> Row:
    """A shown count as plain numbers: 0 stands for fewer than five people, all for nearly all."""
    whole = int(n) if float(n).is_integer() else round(float(n), 2)  # a mean or an expectation
    return {"measure": measure, "people": whole, "of": int(of), "percent": round(100 * n / of, 2)}


def amount(n: float, of: float, to: int) -> str:
    """``120 people (2.4 %)``, or ``nearly all people``."""
    many, share = people(n, of, to), percent(n, of, to)
    return f"{many} people" if share == many else f"{many} people ({share})"


def number_of_sets(m: int) -> str:
    return "1 synthesis" if m == 1 else f"{m} syntheses"


def everybody(n: int, to: int) -> int:
    """A shown number of records, or an error where these are too few."""
    why = too_few(n, to)
    if why:
        raise InputError(why)
    return int(shown(n, n, to=to))


# ---- risk ----------------------------------------------------------------------------


MEANINGS = (
    "DiSCO: people whose value the synthetic data reveal correctly to somebody who knows the keys",
    "Dorig: the same from the original data",
    "of DiS: correct among those for whom the synthetic data are certain",
    f"exact: the same number to the last digit, not one of about {CLASSES} classes",
)


def risk(chosen: Namespace) -> int:
    files.check_first(chosen)
    with files.tables_read(chosen) as tables:
        look(tables, keys=chosen.keys, targets=chosen.targets)
        targets = all_targets(chosen, tables)
        asked = question(chosen, tables, chosen.keys, targets)
        if asked["ngroups_targets"] is None:
            asked["ngroups_targets"] = default_classes(tables, targets)
        asked |= {"certainty": chosen.certainty, "compat": "corrected"}
        ask = partial(multi_disclosure, tables.synthetic, tables.original, chosen.keys, targets)
        with working() as watched:
            result = ask(**asked, holdout=tables.holdout, print_flag=watched)
        exact: Any = {}
        if any(one.groupings for one in result.output_list.values()):
            with warnings.catch_warnings(), working():
                warnings.simplefilter("ignore")  # the call above has given them
                exact = ask(**asked | {"ngroups_targets": None}, print_flag=False)
    to = chosen.round_to
    figures: dict[str, pd.DataFrame] = {}
    beside: dict[str, pd.Series] = {}
    not_compared: dict[str, str] = {}
    for target in targets:
        one = result[target]
        why = uncompared(result, target)
        if why:
            not_compared[target] = why
            continue
        figures[target] = counts(one, to)
        if target in one.groupings:
            beside[target] = counts(exact[target], to)["DiSCO"]
    judged = judge(chosen.limits, figures, not_compared, to)
    figures = dict(sorted(figures.items(), key=lambda one: -one[1]["DiSCO"].mean()))
    files.deliver(
        chosen,
        [*_identity(result, to), *_attributes(result, figures, beside, not_compared, to)],
        _risk_rows(figures, beside),
        keys=list(result.keys),
        targets=targets,
        certainty=chosen.certainty,
        synthetic_records=list(next(iter(result.output_list.values())).Nsyn),
        not_compared=not_compared,
        non_members=_non_members(result.baseline, to),
        limits=judged,
    )
    return DONE if all(one["met"] for one in judged) else OVER


def uncompared(result: Any, target: str) -> str:
    """Why the figures of a target mean nothing; empty where they mean something."""
    signs = ("in common with the original", "every value is missing", "no synthetic record is in")
    columns = [f"column {name!r}" for name in (*result.keys, target)]
    for note in (*result[target].notes, *result.notes):
        if any(sign in note for sign in signs) and any(name in note for name in columns):
            return str(note)
    return ""


def is_common(result: Any) -> bool:
    """Whether R's 1-way check flags a level that most people have anyway."""
    flagged = [one for one in result.check_1way if one is not None and len(one)]
    return any(one["PctLevelAll"].iloc[0] > 80 for one in flagged)


def judge(
    limits: Sequence[tuple[str, float]],
    figures: Mapping[str, pd.DataFrame],
    not_compared: Mapping[str, str],
    to: int,
) -> list[Row]:
    """Each limit with the largest figure over targets and syntheses, which is told. It is met if
    every count that is shown as this one is within it.
    """
    for target, why in not_compared.items() if limits else ():
        raise InputError(f"--limit: no limit can be judged for {target!r}; {why}")
    judged = []
    for measure, limit in limits:
        target = max(figures, key=lambda name: figures[name][measure].max())
        worst = figures[target].sort_values(measure, kind="stable").iloc[-1]
        n, of = int(worst[measure]), int(worst["N"])
        before = min(at_most(n, to), of)
        met = 100 * before / of <= limit + TINY
        whose = "" if measure in ("UiO", "repU") else f" of {target}"
        hidden = f", up to {before:,.0f} before rounding" if to > 1 else ""
        tell(
            f"--limit: {measure}{whose} (synthesis {worst.name}): {amount(n, of, to)}{hidden};"
            f" {'within' if met else 'above'} the limit of {limit:g} %"
        )
        about = {"target": target, "synthesis": int(worst.name)}
        judged.append(about | figure(measure, n, of) | {"limit": limit, "met": met})
    return judged


def _risk_rows(figures: Mapping[str, pd.DataFrame], beside: Mapping[str, Any]) -> list[Row]:
    """A row for each target, synthesis and measure."""
    rows = []
    for target, table in figures.items():
        for number, shown_counts in zip(table.index, table.to_dict("records")):
            of = shown_counts["N"]
            about = {"target": target, "synthesis": int(number)}
            kind = "classes" if target in beside else "values"
            for measure in MEASURES:
                found = figure(measure, shown_counts[measure], of)
                rows.append(about | found | {"matched": kind})
            if target in beside:
                found = figure("DiSCO", int(beside[target][number]), of)
                rows.append(about | found | {"matched": "values"})
    return rows


def _identity(result: Any, to: int) -> list[str]:
    """Who can be told apart."""
    table = counts(next(iter(result.output_list.values())), to)
    N, m = table["N"].iloc[0], len(table)
    lines = [
        f"Disclosure risk of {people(N, None, to)} people in {number_of_sets(m)} (higher: riskier)",
        f"An intruder may know: {', '.join(map(str, result.keys))}",
        "",
        f"{amount(table['UiO'].iloc[0], N, to)} are unique on these in the original (UiO)",
    ]
    for number, n in table["repU"].items():
        where = "the synthetic data" if m == 1 else f"synthesis {number}"
        lines.append(f"{amount(n, N, to)} are so in {where}, too (repU)")
    return lines


def _attributes(
    result: Any,
    figures: Mapping[str, pd.DataFrame],
    beside: Mapping[str, Any],
    not_compared: Mapping[str, str],
    to: int,
) -> list[str]:
    """What is revealed of them, riskiest target first."""
    grown = {}
    for target, table in figures.items():
        grown[target] = _target_row(table, beside.get(target), to)
    grown |= {target: {"people": "not compared"} for target in not_compared}
    lines = ["", "What else they reveal, riskiest target first", *grid(grown), ""]
    columns = {name for row in grown.values() for name in row}
    lines += [text for text in MEANINGS if text.partition(":")[0] in columns]
    common = [str(target) for target in figures if is_common(result[target])]
    if common:
        lines.append(
            f"Common knowledge: {', '.join(common)}. Nearly all who are revealed have a value"
            " that over 80 % of all people have."
        )
    N = everybody(result.Norig, to)
    for target, left in result.attrib_table["left_out"].items():
        if left:
            gone = N - shown(result.Norig - left, result.Norig, to=to)
            lines.append(f"Left out for {target}: {people(gone, None, to)} people")
    compared = _non_members(result.baseline, to)
    if compared:
        lines += ["", "DiSCO of these people, and of those of --holdout, who were not synthesised"]
        lines += grid({row["target"]: _beside(row, to) for row in compared})
    return lines


def _target_row(table: pd.DataFrame, exactly: Any, to: int) -> dict[str, str]:
    share = partial(percent, whole=table["N"].iloc[0], to=to)
    found = table["DiSCO"]
    row = {"people": people(found.mean(), table["N"].iloc[0], to), "DiSCO": share(found.mean())}
    if len(table) == 1:
        row["of DiS"] = precision(table.iloc[0], to) or "too few"
    else:
        row |= {"lowest": share(found.min()), "highest": share(found.max())}
    row["Dorig"] = share(table["Dorig"].mean())
    return row if exactly is None else row | {"exact": share(exactly.mean())}


def _non_members(baseline: pd.DataFrame | None, to: int) -> list[Row]:
    """DiSCO of the original beside that of a holdout."""
    rows = []
    for row in [] if baseline is None else baseline.to_dict("records"):
        if row["measure"] == "DiSCO":
            compared: Row = {"target": row["target"]}
            for who in ("members", "non_members"):
                of = row[f"n_{who}"]
                compared[who] = shown(row[f"numerator_{who}"], of, to=to)
                compared[f"of_{who}"] = everybody(of, to)
            more = row["p_value"] < 0.05 and row["difference"] > 0
            rows.append(compared | {"more_than_by_chance": bool(more)})
    return rows


def _beside(row: Row, to: int) -> dict[str, str]:
    return {
        "members": percent(row["members"], row["of_members"], to),
        "non-members": percent(row["non_members"], row["of_non_members"], to),
        "": "more than by chance" if row["more_than_by_chance"] else "not more than by chance",
    }


# ---- report --------------------------------------------------------------------------


def report(chosen: Namespace) -> int:
    files.check_first(chosen)
    if chosen.limits and chosen.keys is None:
        raise InputError("--limit: needs --keys; without them there are no figures to judge")
    with files.tables_read(chosen) as tables:
        look(tables, keys=chosen.keys, targets=chosen.targets, candidates=chosen.candidates or ())
        targets = all_targets(chosen, tables) if chosen.keys else chosen.targets
        asked = question(chosen, tables, chosen.keys or [], targets or [])
        asked |= given(chosen, "certainty candidates title round_to format force")
        asked |= {"labels": dict(chosen.labels), "path": chosen.output}
        asked |= {"holdout": tables.holdout, "limits": dict(chosen.limits)}
        asked["files"] = {"synthetic": chosen.synthetic, "original": chosen.original}
        asked = {name: value for name, value in asked.items() if value is not None}
        with working():
            made = make_report(
                tables.synthetic, tables.original, keys=chosen.keys, targets=targets, **asked
            )
    for one in made.limits:
        where = f" of {one['target']}" if one["target"] else ""
        tell(
            f"--limit: {one['measure']}{where}: {one['figure']['text']};"
            f" {'within' if one['met'] else 'above'} the limit of {one['limit']:g} %"
        )
    show(f"{made.path}: written\n")
    code: int = made.exit_code
    return code


# ---- keys ----------------------------------------------------------------------------

# arguments of `multi_disclosure()` under their names in `key_risk()`
OF_SEARCH = {
    "ngroups_targets": "ngroups_target",
    "usetargetsNA": "usetargetNA",
    "not_targetslev": "not_targetlev",
}


def keys(chosen: Namespace) -> int:
    files.check_first(chosen)
    targets = chosen.targets or []
    if not targets and (chosen.ngroups_targets or chosen.exclude_ov_denom_lim):
        option = "--ngroups-targets" if chosen.ngroups_targets else "--exclude-ov-denom-lim"
        raise InputError(f"{option}: is about targets; name them by --targets, or leave it out")
    with files.tables_read(chosen) as tables:
        look(tables, candidates=chosen.candidates, targets=targets)
        others = (*targets, chosen.counts)
        left = [name for name in tables.in_all() if name not in others]
        candidates = chosen.candidates or left
        asked = question(chosen, tables, candidates, targets)
        if targets and asked["ngroups_targets"] is None:
            asked["ngroups_targets"] = default_classes(tables, targets)
        for name in set(PAIRS) & set(asked):
            asked[name] = dict(zip(targets, asked[name]))
        with working() as watched:
            result = key_risk(
                tables.synthetic,
                tables.original,
                candidates,
                targets or None,
                max_keys=min(chosen.max_keys, len(candidates)),
                print_flag=watched,
                **{OF_SEARCH.get(name, name): value for name, value in asked.items()},
            )
    files.deliver(chosen, *_keys_shown(result, chosen.round_to), candidates=candidates)
    return DONE


def _keys_shown(result: Any, to: int) -> tuple[list[str], list[Row]]:
    """Lines and rows: each set of keys, the riskiest first."""
    N = everybody(result.Norig, to)
    records = result.tidy().to_dict("records")
    # anyone who has the release can count these, so they are a ceiling of repU
    of_release = {one["keys"]: int(one["numerator"]) for one in records if one["measure"] == "UiS"}
    table: dict[str, dict[str, str]] = {}
    unique = {}
    rows = []
    for one in records:
        names, measure, target = one["keys"], one["measure"], one["target"] or ""
        if measure not in MEASURES:
            continue
        is_known = measure == "repU" and names in of_release
        known = (result.Norig, of_release[names]) if is_known else (result.Norig,)
        n = shown(one["numerator"], *known, to=to)
        label = ", ".join(map(str, names))
        about = {"rank": one["rank"], "keys": label, "target": target}
        rows.append(about | figure(measure, n, N))
        if label in table or len(table) < MOST_SETS:
            table.setdefault(label, {})[f"{measure} {target}".strip()] = percent(n, N, to)
        if measure == "UiO":
            unique[frozenset(names)] = n
    effects = {}
    for name in result.candidates:
        held = [(n, names - {name}) for names, n in unique.items() if name in names]
        effects[name] = sum(n - unique.get(others, 0) for n, others in held) / len(held)
    most = max(effects, key=lambda name: effects[name])
    lines = [
        f"Risk of {len(unique)} sets of up to {result.max_keys} from {len(effects)} keys;"
        f" {people(N, None, to)} people, {number_of_sets(result.m)}",
        "",
        "Sets of keys, riskiest first, in % of these people",
        *grid(table),
        f"{max(0, len(unique) - MOST_SETS)} more; --csv has all",
        "",
        f"{most} adds most: when it joins a set, {percent(effects[most], N, to)} more people are"
        " unique on average.",
    ]
    return [line for line in lines if not line.startswith("0 more")], rows


# ---- identify ------------------------------------------------------------------------

OF_IDENTIFY = {
    "perceived": "the highest match probability is above the threshold",
    "expected": "correct guesses among the likeliest records, at random where several tie",
    "true": "the one likeliest record is the correct one",
    "false": "the one likeliest record is a wrong one",
    "unique_matches": "there is one likeliest record",
}


def identify(chosen: Namespace) -> int:
    files.check_first(chosen)
    intervals = {}
    for name, radius, is_share in chosen.interval:
        intervals[name] = Relative(radius / 100) if is_share else radius
    with files.tables_read(chosen) as tables:
        look(tables, known=chosen.known, synthesised=chosen.synthesised)
        with working():
            asked = given(chosen, "known synthesised attack threshold weights seed")
            frames = tables.synthetic, tables.original
            result = identification_risk(*frames, intervals=intervals or None, **asked)
    to = chosen.round_to
    N = everybody(result.n, to)
    table, rows = {}, []
    for name, says in OF_IDENTIFY.items():
        n = shown(getattr(result, name), result.n, to=to)
        table[name] = {"people": people(n, N, to), "of all": percent(n, N, to), "": f"  {says}"}
        rows.append(figure(name, n, N))
    lines = [
        f"Identification risk of {people(N, None, to)} people in {result.sets} synthetic sets",
        f"Keys released unchanged: {', '.join(chosen.known) or 'none'}",
        f"Synthesised: {', '.join(chosen.synthesised)}",
        "",
        *grid(table),
    ]
    asked = given(chosen, "known synthesised attack threshold")
    files.deliver(chosen, lines, rows, sets=result.sets, **asked)
    return DONE


# ---- map -----------------------------------------------------------------------------


def map_releases(chosen: Namespace) -> int:
    files.check_first(chosen)
    if chosen.picture is not None:
        if chosen.picture.suffix.lower() not in PICTURES:
            raise InputError(
                f"--picture: {chosen.picture} cannot be drawn; choices: {', '.join(PICTURES)}"
            )
        files.check_first(chosen, chosen.picture, "--picture")
    names = _take_names(chosen)
    to = chosen.round_to
    with files.tables_read(chosen) as tables:
        look(tables, keys=chosen.keys, target=[chosen.target] if chosen.target else [])
        releases: dict[str, list[Any]] = {}
        for name, table in zip(names, tables.synthetic):
            releases.setdefault(name, []).append(table)
        with working():
            asked = given(chosen, "keys target risk utility variables bootstrap seed")
            sets = {name: found if len(found) > 1 else found[0] for name, found in releases.items()}
            result = ru_map(sets, tables.original, cont_na=tables.cont_na, **asked)
    everybody(result.Norig, to)
    if chosen.picture is not None:
        with replacement(chosen.picture) as part:
            result.save_plot(part, round_to=to)
        if chosen.output is not None:
            show(f"{chosen.picture}: drawn\n")
    rows = [_map_row(one, to) for one in result.figures]
    files.deliver(chosen, _map_text(result, rows), rows, keys=chosen.keys, target=chosen.target)
    return DONE


def _take_names(chosen: Namespace) -> list[str]:
    """The name of the release that each set belongs to; sources of one name are the syntheses of
    one release. `chosen` keeps the sources without the names.
    """
    names, sources = [], []
    for text in chosen.synthetic:
        name, sign, source = text.partition("=")
        if not sign or not name or "/" in name or Path(text).exists():
            stem = Path(text.removeprefix("data:")).name.partition(".")[0]
            name, source = text.partition("::")[2] or stem, text
        sets, _ = files.held_in(source, "--synthetic")
        names += [name] * len(sets)
        sources.append(source)
    chosen.synthetic = sources
    return names


def _map_row(one: Any, to: int) -> Row:
    """A figure and the ends of its interval: shares of people from shown counts, anything else with
    two significant digits.
    """
    of = one.denominator
    row = {"candidate": one.candidate, "measure": one.measure, "role": one.role}
    for name in ("value", "low", "high"):
        value = getattr(one, name)
        if math.isnan(value):
            row[name] = None
        elif to == 1:
            row[name] = value
        elif math.isnan(of):
            row[name] = float(f"{value:.2g}")
        else:
            n = shown(round(value * of / 100, 6), of, to=to)
            row[name] = round(100 * n / everybody(int(of), to), 1)
    return row | {"reason": one.reason}


def _map_text(result: Any, rows: Sequence[Row]) -> list[str]:
    lines = [f"Risk and utility of {len(result.candidates)} releases", ""]
    for role, about in result.measures:
        lines.append(f"{role} {about.label}: {about.unit}; {about.better} is better")
    table: dict[str, dict[str, str]] = {name: {} for name in result.candidates}
    for row in rows:
        text = "none" if row["value"] is None else f"{row['value']:g}"
        if row["low"] is not None:
            text += f" ({row['low']:g} to {row['high']:g})"
        table[row["candidate"]][row["measure"]] = text
    lines += ["", *grid(table)]
    for row in rows:
        if row["reason"]:
            lines.append(f"{row['candidate']}, {row['measure']}: {row['reason']}")
    return [*lines, *map(str, result.remarks)]


# ---- synthesise ----------------------------------------------------------------------


def synthesise(chosen: Namespace) -> int:
    if chosen.m < 1:
        raise InputError(f"--m: {chosen.m} sets means nothing to write; give 1 or more")
    paths = files.set_paths(chosen.output, chosen.m)
    for path in paths:
        files.check_first(chosen, path)
    table, special = files.one_table(chosen.data, "data")
    with read_both([], table, arguments=("", "data", ""), **files.reading(chosen)) as both:
        for note in both.notes:
            tell(note)
        with warnings.catch_warnings(), working():
            if not chosen.keep_unsynthesised:  # they are left out below, and told
                warnings.filterwarnings("ignore", message=".*: not synthesised")
            asked = given(chosen, "visit_sequence maxfaclevels m k proper seed reproducible")
            made = syn(
                both.original,
                method=_one_or_by_name("method", chosen.method) or "cart",
                smoothing=_one_or_by_name("smoothing", chosen.smoothing),
                predictor_matrix=_predictors(chosen.not_predictor, list(both.original.columns)),
                cont_na=special | files.special_values(chosen) or None,
                print_flag=chosen.print_flag,
                **asked,
            )
    if not chosen.keep_unsynthesised:
        made = _without_original_values(made)
    files.write_sets(made, paths)
    for path in paths:
        show(f"{path}: {len(made.syn[0])} records, {len(made.syn[0].columns)} columns\n")
    return DONE


def _one_or_by_name(argument: str, typed: Sequence[tuple[str | None, str]]) -> Any:
    """One value for all columns, or values by column; None where nothing was typed."""
    by_name = dict(typed)
    if None in by_name and len(typed) > 1:
        raise InputError(f"{argument}: give one value for all columns, or COLUMN=VALUE each time")
    return by_name.get(None) or by_name or None


def _without_original_values(made: SynDS) -> SynDS:
    """The synthesis without columns that hold original values, record by record."""
    left_out = made.meta["as_observed"]
    if not left_out:
        return made
    names = ", ".join(map(repr, left_out))
    if len(left_out) == len(made.syn[0].columns):
        raise InputError(f"visit_sequence: no column is synthesised; {names} would be left out")
    tell(
        f"left out, because their values are the original ones, record by record: {names};"
        " name such a column in --visit-sequence to synthesise it, or give --keep-unsynthesised"
    )
    special = {name: values for name, values in made.cont_na.items() if name not in left_out}
    return SynDS([one.drop(columns=left_out) for one in made.syn], special, made.meta)


def _predictors(left_out: Sequence[str], names: list[str]) -> pd.DataFrame | None:
    """Which column predicts which; None for every one visited earlier, as R does."""
    if not left_out:
        return None
    for name in left_out:
        if name not in names:
            raise unknown_name("not_predictor", name, names, "the data")
    matrix = pd.DataFrame(1, index=names, columns=names)
    matrix[list(left_out)] = 0
    return matrix


# ---- the list ------------------------------------------------------------------------


class Command(NamedTuple):
    """A command.

    Attributes
    ----------
    name : the word to type.
    run : does the work and returns the exit code.
    says : one sentence for the list of commands.
    example : what a user may type after the name.
    options : their names, "!" after one that is needed.
    """

    name: str
    run: Callable[[Namespace], int]
    says: str
    example: str
    options: str


READING = "--sep --decimal --encoding --dates --missing --text --drop --cont-na"
RELEASED = f"--synthetic! --original! {READING}"
CLASSED = (
    "--targets --counts --ngroups-keys --ngroups-targets --not-targetslev --leave-out-missing"
    " --exclude --denom-lim --exclude-ov-denom-lim"
)
PRINTED = "--round-to --json --csv --output --force"
FILES = "--synthetic synthetic.csv --original original.csv"

COMMANDS = (
    Command(
        "risk",
        risk,
        "Disclosure risk of synthetic data: a table, JSON or CSV.",
        f"{FILES} --keys sex,age,region --targets income,marital --limit DiSCO=5",
        f"{RELEASED} --holdout --keys! {CLASSED} --certainty --limit {PRINTED}",
    ),
    Command(
        "report",
        report,
        "A report in one file: what synthetic data reveal, and what to do next.",
        f"{FILES} --keys sex,age,region --targets income,marital -o report.html",
        f"{RELEASED} --holdout --keys --candidates {CLASSED} --certainty --limit --title --label"
        " --round-to --output --format --force",
    ),
    Command(
        "keys",
        keys,
        "Search for dangerous keys: try every set of columns an intruder might know.",
        f"{FILES} --targets income --max-keys 3",
        f"{RELEASED} --candidates {CLASSED} --max-keys {PRINTED}",
    ),
    Command(
        "identify",
        identify,
        "Identification risk of partially synthetic data (Reiter and Mitra).",
        "--synthetic partial-1.csv --synthetic partial-2.csv --original original.csv --known"
        " sex,region --synthesised age,income --interval age=2",
        f"{RELEASED} --known --synthesised! --interval --attack --threshold --weights --seed"
        f" {PRINTED}",
    ),
    Command(
        "map",
        map_releases,
        "Risk and utility of several releases of the same data.",
        "--synthetic cart=cart.csv --synthetic swapped=swapped.csv --original original.csv"
        " --keys sex,age --target income --picture map.svg",
        f"{RELEASED} --keys! --target --risk --utility --variables --bootstrap --seed --picture"
        f" {PRINTED}",
    ),
    Command(
        "synthesise",
        synthesise,
        "Make synthetic data from a file, as R's syn() does.",
        "people.csv -o synthetic.csv",
        f"--output! --force --seed --reproducible --m --k --method --visit-sequence"
        f" --keep-unsynthesised --not-predictor --maxfaclevels --smoothing --proper --print-flag"
        f" {READING}",
    ),
)
