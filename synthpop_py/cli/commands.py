"""What each command asks, and how the answer is shown. Everything comes from public functions and
from the facts of a report; counts of people are rounded by `synthpop_py.rounding`.
"""

from __future__ import annotations

import math
import re
import sys
import warnings
from argparse import Namespace
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd

from .. import SynDS, identification_risk, ru_map, syn
from .. import membership as attacked
from .. import report as make_report
from ..errors import InputError, unknown_choice, unknown_name
from ..matching import Relative
from ..membership import shown_attacks
from ..r_files.replacing import replacement
from ..report.api import of_evidence
from ..report.evidence import PAIRS, Call, Evidence
from ..rounding import MEASURES, counts, shown, too_few
from ..show import printing
from ..tables.api import Both, read_both
from . import files
from .files import check_first, deliver, grid, show, tables_read, tell, working

IN_PYTHON = re.compile(r"`|\w\(|\B\.[a-z]{4,}")
PICTURES = (".png", ".svg", ".pdf")
Row = dict[str, Any]


def question(chosen: Namespace, tables: Both, special: Row | None) -> tuple[Row, Row]:
    """Columns, and options by column, as `report()` takes them."""
    columns = given(chosen, "keys targets candidates") | {"holdout": tables.holdout}
    asked = given(chosen, "counts denom_lim exclude_ov_denom_lim certainty") | {"cont_na": special}
    asked["not_targetslev"] = dict(chosen.not_targetslev) or None
    for name in ("ngroups_keys", "ngroups_targets"):
        by_name = dict(getattr(chosen, name))
        asked[name] = by_name.get(None, by_name or None)
    if chosen.leave_out_missing:
        lacking = dict.fromkeys(chosen.leave_out_missing, False)
        asked |= {"usekeysNA": lacking, "usetargetsNA": lacking}
    for (key, key_level), (target, level) in chosen.exclude:
        for argument, value in zip(PAIRS, (key, key_level, level)):
            asked.setdefault(argument, {}).setdefault(target, []).append(value)
    return columns, {name: value for name, value in asked.items() if value is not None}


def given(chosen: Namespace, names: str) -> Row:
    """Options that are arguments of the same name; None where a command does not have one."""
    return {name: getattr(chosen, name, None) for name in names.split()}


def figure(measure: str, n: float, of: float) -> Row:
    """A shown count as plain numbers: 0 stands for fewer than five people, all for nearly all."""
    whole = int(n) if float(n).is_integer() else round(float(n), 2)  # a mean or an expectation
    return {"measure": measure, "people": whole, "of": int(of), "percent": round(100 * n / of, 2)}


def everybody(n: int, to: int) -> int:
    """A shown number of records, or an error where these are too few."""
    why = too_few(n, to)
    if why:
        raise InputError(why)
    return int(shown(n, n, to=to))


def page_lines(result: Any, to: int) -> list[str]:
    """What a result shows to other people, without advice on what to type in Python."""
    title, headline, sections, _ = result._page(to)
    kept = [
        [x for x in part if not (isinstance(x, str) and IN_PYTHON.search(x))] for part in sections
    ]
    return printing.text([[title], headline, *filter(None, kept)]).split("\n")


def tell_limits(limits: Sequence[Row], to: int) -> None:
    for one in limits:
        where = f" of {one['target']}" if one["target"] else ""
        before = f", up to {one['up_to']:,} before rounding" if to > 1 else ""
        verdict = f"{'within' if one['met'] else 'above'} the limit of {one['limit']:g} %"
        tell(f"--limit: {one['measure']}{where}: {one['figure']['text']}{before}; {verdict}")


def risk(chosen: Namespace) -> int:
    """Disclosure risk of synthetic data: a table, JSON or CSV."""
    check_first(chosen)
    to = chosen.round_to
    with tables_read(chosen) as (tables, special), working():
        data = tables.synthetic, tables.original
        evidence = Call(data, *question(chosen, tables, special), to).evidence(brief=True)
    made = of_evidence(evidence, dict(chosen.limits), to)
    facts = made.content
    everybody(evidence.first.Norig, to)
    tell_limits(made.limits, to)
    names = "keys certainty synthetic_records checks identity non_members limits decision"
    about = {"targets": list(map(str, evidence.results))}
    about |= {name: facts[name] for name in names.split()}
    deliver(chosen, _risk_text(facts), list(_risk_rows(evidence, facts, to)), **about)
    return made.exit_code


def _risk_rows(evidence: Evidence, facts: Row, to: int) -> Iterator[Row]:
    """A row for each target, synthesis and measure."""
    compared = {one["name"] for one in facts["targets"] if one["compared"]}
    for name in evidence.worst_first(to):
        exact = evidence.exact.get(name)
        readings: list[Any] = [(evidence.results[name], MEASURES, "classes" if exact else "values")]
        readings += [(exact, ("DiSCO",), "values")] if exact else []
        for result, measures, how in readings if str(name) in compared else ():
            for number, n in counts(result, to).iterrows():
                about = {"target": str(name), "synthesis": number}
                for measure in measures:
                    yield about | figure(measure, n[measure], n["N"]) | {"matched": how}


def _risk_text(facts: Row) -> Iterator[str]:
    """Who can be told apart, and what is revealed of them, riskiest target first."""
    m, known = len(facts["synthetic_records"]), _listed(facts["keys"])
    syntheses = "1 synthesis" if m == 1 else f"{m} syntheses"
    yield f"Disclosure risk of {facts['people']:,} people in {syntheses} (higher: riskier)"
    yield f"An intruder may know: {known}"
    for one in facts["checks"]:
        how = one["command"] or one["option"]
        yield f"Look at {one['column']}: {one['text']}{f' ({how})' if how else ''}"
    yield ""
    for measure, where in (("UiO", "in the original"), ("repU", "in the synthetic data, too")):
        n = facts["identity"][measure]
        share = f" ({n['share']})" if n["share"] != n["number"] else ""
        yield f"{n['number']} people{share} are unique on these {where} ({measure})"
    yield from ("", "What else they reveal, riskiest target first")
    rows = {}
    for one in facts["targets"]:
        row = {"people": one["DiSCO"]["number"], "DiSCO": one["DiSCO"]["share"]}
        if m == 1:
            row["of DiS"] = one["precision"] or "too few"
        else:
            row |= {name: one[name]["share"] for name in ("lowest", "highest")}
        row["Dorig"] = one["Dorig"]["share"]
        if one["exact"]:
            row["exact"] = one["exact"]["share"]
        rows[one["label"]] = row if one["compared"] else {"people": "not compared"}
    yield from (*grid(rows), "")
    columns = {name for row in rows.values() for name in row}
    yield from (f"{name}: {says}" for name, says in MEANINGS.items() if name in columns)
    for one in facts["targets"]:
        if one["common"]:
            value, everyone = one["common"]["level"] or "one class", one["common"]["everybody"]
            of_them = f"{one['common']['revealed']} of those revealed"
            yield f"Common knowledge: {one['label']}. {value}: {of_them}, {everyone} of all people"
        if one["left_out"]:
            yield f"Left out for {one['label']}: {one['left_out']['number']} people"
    beside = {}
    for one in facts["non_members"] or ():
        by_chance = "perhaps by chance" if one["may_be_chance"] else "not by chance"
        shares = {name: one[name]["share"] for name in ("members", "non_members")}
        beside[one["label"]] = shares | {"difference": by_chance}
    if beside:
        yield from ("", "DiSCO of these people, and of those of --holdout")
        yield from grid(beside)


MEANINGS = {
    "DiSCO": "people whose value the synthetic data reveal correctly to who knows the keys",
    "of DiS": "correct among those for whom the synthetic data are certain",
    "Dorig": "as DiSCO, from the original data",
    "exact": "the same number to the last digit, not one of about ten classes",
}


def report(chosen: Namespace) -> int:
    """A report in one file: what synthetic data reveal, and what to do next."""
    check_first(chosen)
    asked = given(chosen, "title round_to format force")
    asked |= {"labels": dict(chosen.labels), "limits": dict(chosen.limits)}
    asked["files"] = {"synthetic": chosen.synthetic, "original": chosen.original}
    asked |= {} if chosen.output is None else {"path": chosen.output}
    with tables_read(chosen) as (tables, special), working():
        columns, options = question(chosen, tables, special)
        made = make_report(tables.synthetic, tables.original, **asked, **columns, **options)
    tell_limits(made.limits, chosen.round_to)
    show(f"{made.path}: written\n")
    code: int = made.exit_code
    return code


def keys(chosen: Namespace) -> int:
    """Search for dangerous keys: try every set of columns an intruder might know."""
    check_first(chosen)
    for name in ("ngroups_targets", "exclude_ov_denom_lim", "not_targetslev", "exclude"):
        if getattr(chosen, name) and not chosen.targets:
            raise InputError(f"{name}: is given, but no target is; name some by --targets")
    with tables_read(chosen) as (tables, special), working():
        data = tables.synthetic, tables.original
        call = Call(data, *question(chosen, tables, special), chosen.round_to)
        if call.targets:
            call.choose_classes()
        candidates = call.possible_keys()
        for (key, _), _ in chosen.exclude:
            if key not in candidates:
                raise unknown_choice("exclude", key, candidates, "the keys")
        for identifier in call.identifiers:
            tell(f"{identifier}: not tried as a key, because it differs for nearly everybody")
        how = {"max_keys": min(chosen.max_keys, len(candidates)), "print_flag": sys.stderr.isatty()}
        result = call.search(candidates, call.targets, **how)
    rows = list(_keys_rows(result, chosen.round_to))
    lines = page_lines(result, chosen.round_to)
    deliver(chosen, [*lines, *_adds_most(result, rows)], rows, candidates=candidates)
    return 0


def _keys_rows(result: Any, to: int) -> Iterator[Row]:
    """Each set of keys, the riskiest first."""
    everyone, records = everybody(result.Norig, to), result.tidy().to_dict("records")
    # anyone who has the release can count these, so they are a ceiling of repU
    of_release = {one["keys"]: int(one["numerator"]) for one in records if one["measure"] == "UiS"}
    for one in records:
        names, measure = one["keys"], one["measure"]
        if measure in MEASURES:
            known = [of_release[names]] if measure == "repU" and names in of_release else []
            n = shown(one["numerator"], result.Norig, *known, to=to)
            about = {"rank": one["rank"], "keys": _listed(names), "target": one["target"] or ""}
            yield about | figure(measure, n, everyone)


def _adds_most(result: Any, rows: Sequence[Row]) -> Iterator[str]:
    """Which key makes most people unique when it joins others, by shown counts."""
    unique = {row["keys"]: row["people"] for row in rows if row["measure"] == "UiO"}
    added = dict.fromkeys(result.candidates, 0.0)
    for names in result.table["keys"]:
        for name in names:
            others = _listed([other for other in names if other != name])
            added[name] += unique[_listed(names)] - unique.get(others, 0)
    most = max(added, key=lambda name: added[name])
    if added[most] > 0:
        yield ""
        yield f"{most} adds most: no other key makes as many people unique when it joins a set."


def _listed(names: Iterable[Any]) -> str:
    return ", ".join(map(str, names))


OF_IDENTIFY = ("perceived", "expected", "true", "false", "unique_matches")


def identify(chosen: Namespace) -> int:
    """Identification risk of partially synthetic data (Reiter and Mitra)."""
    check_first(chosen)
    intervals = {}
    for name, radius, is_share in chosen.interval:
        intervals[name] = Relative(radius / 100) if is_share else radius
    with tables_read(chosen) as (tables, _), working("matches of every person"):
        asked = given(chosen, "known synthesised attack threshold weights seed")
        frames = tables.synthetic, tables.original
        result = identification_risk(*frames, intervals=intervals or None, **asked)
    to, whole = chosen.round_to, everybody(result.n, chosen.round_to)
    counted = {name: shown(getattr(result, name), result.n, to=to) for name in OF_IDENTIFY}
    rows = [figure(name, n, whole) for name, n in counted.items()]
    asked = given(chosen, "known synthesised attack threshold")
    deliver(chosen, page_lines(result, to), rows, sets=result.sets, **asked)
    return 0


def membership(chosen: Namespace) -> int:
    """Was a person in the data? Attacks on members and on people the synthesis never saw."""
    check_first(chosen)
    with tables_read(chosen) as (tables, _), working("attacks on every person"):
        asked = given(chosen, "variables attacks seed")
        result = attacked(tables.synthetic, tables.original, tables.holdout, **asked)
    to = chosen.round_to
    everybody(min(result.members, result.non_members), to)
    about = {"strongest": result.strongest, "strongest_was_chosen": len(result.scores) > 1}
    deliver(
        chosen, page_lines(result, to), _attack_rows(result, to), **about, notes=list(result.notes)
    )
    return 0


def _attack_rows(result: Any, to: int) -> list[Row]:
    """A row for each attack: shares of members are those of shown counts."""
    frame = result.table
    if to > 1:
        frame = shown_attacks(result, to)
        shares = [name for name in frame if not name.startswith("auc")]
        whole = shown(result.members, result.members, to=to)
        frame[shares] = (frame[shares] / whole).round(3)
    rows: list[Row] = frame.rename_axis("attack").reset_index().to_dict("records")
    return rows


def map_releases(chosen: Namespace) -> int:
    """Risk and utility of several releases of the same data."""
    check_first(chosen)
    picture = chosen.picture
    if picture is not None:
        if picture.suffix.lower() not in PICTURES:
            choices = ", ".join(PICTURES)
            raise InputError(f"--picture: {picture} cannot be drawn; choices: {choices}")
        check_first(chosen, picture, "--picture")
    names, to = _take_names(chosen), chosen.round_to
    with tables_read(chosen) as (tables, special), working("risk and utility of every release"):
        releases: dict[str, list[Any]] = {}
        for name, table in zip(names, tables.synthetic):
            releases.setdefault(name, []).append(table)
        sets = {name: found if len(found) > 1 else found[0] for name, found in releases.items()}
        asked = given(chosen, "keys target risk utility variables bootstrap seed")
        result = ru_map(sets, tables.original, cont_na=special, **asked)
    everybody(result.Norig, to)
    if picture is not None:
        with replacement(picture) as part:
            result.save_plot(part, round_to=to)
        if chosen.output is not None:
            show(f"{picture}: drawn\n")
    rows = [_map_row(one, to) for one in result.figures]
    asked = given(chosen, "keys target")
    deliver(chosen, page_lines(result, to), rows, **asked)
    return 0


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
        names += [name] * len(files.held_in(source, "--synthetic")[0])
        sources.append(source)
    chosen.synthetic = sources
    return names


def _map_row(one: Any, to: int) -> Row:
    """A figure and the ends of its interval: a share of people from shown counts, without an
    interval, which would say more; anything else with two significant digits.
    """
    ends = {name: getattr(one, name) for name in ("value", "low", "high")}
    if to > 1 and math.isfinite(one.denominator) and math.isfinite(one.value):
        whole = int(one.denominator)
        n = shown(round(one.value * whole / 100, 6), whole, to=to)
        ends = {
            "value": round(100 * n / everybody(whole, to), 1),
            "low": math.nan,
            "high": math.nan,
        }
    elif to > 1:
        ends = {name: float(f"{value:.2g}") for name, value in ends.items()}
    row = {"candidate": one.candidate, "measure": one.measure, "role": one.role}
    row |= {name: None if math.isnan(value) else value for name, value in ends.items()}
    return row | {"reason": one.reason}


def synthesise(chosen: Namespace) -> int:
    """Make synthetic data from a file, as R's syn() does."""
    if chosen.m < 1:
        raise InputError(f"--m: {chosen.m} sets means nothing to write; give 1 or more")
    paths = files.set_paths(chosen.output, chosen.m)
    for path in paths:
        check_first(chosen, path)
    table, special = files.one_table(chosen.data, "data")
    reading, typed = files.reading(chosen)
    with read_both([], table, arguments=("", "data", ""), **reading) as both:
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
                cont_na=special | typed or None,
                print_flag=chosen.print_flag or sys.stderr.isatty(),
                **asked,
            )
    made = made if chosen.keep_unsynthesised else _without_originals(made)
    files.write_sets(made, paths)
    for path in paths:
        show(f"{path}: {len(made.syn[0])} records, {len(made.syn[0].columns)} columns\n")
    return 0


def _one_or_by_name(argument: str, typed: Sequence[tuple[str | None, str]]) -> Any:
    """One value for all columns, or values by column; None where nothing was typed."""
    by_name = dict(typed)
    if None in by_name and len(typed) > 1:
        raise InputError(f"{argument}: give one value for all columns, or COLUMN=VALUE each time")
    return by_name.get(None) or by_name or None


def _without_originals(made: SynDS) -> SynDS:
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
    for name in left_out:
        if name not in names:
            raise unknown_name("not_predictor", name, names, "the data")
    matrix = pd.DataFrame(1, index=names, columns=names)
    matrix[list(left_out)] = 0
    return matrix if left_out else None


class Command(NamedTuple):
    """A word to type, what does the work and returns the exit code, an example of what is typed
    after the word, and the names of its options, "!" after one that is needed.
    """

    name: str
    run: Callable[[Namespace], int]
    example: str
    options: str

    @property
    def says(self) -> str:
        """One sentence for the list of commands."""
        return str(self.run.__doc__)


READING = "--sep --decimal --encoding --dates --missing --text --drop --cont-na"
RELEASED = f"--synthetic! --original! {READING}"
CLASSED = (
    "--targets --counts --ngroups-keys --ngroups-targets --not-targetslev --leave-out-missing"
    " --exclude --denom-lim --exclude-ov-denom-lim"
)
PRINTED = "--round-to --json --csv --output --force"
FILES = "--synthetic synthetic.csv --original original.csv"
ASKED = f"{FILES} --keys sex,age,region --targets income,marital"
PARTIAL = "--synthetic partial-1.csv --synthetic partial-2.csv --original original.csv"
OF_RISK = f"{RELEASED} --holdout {CLASSED} --certainty --limit"
OF_REPORT = f"{OF_RISK} --keys --candidates --title --label --round-to --output --format --force"
OF_ATTACK = "--known --synthesised! --interval --attack --threshold --weights --seed"
OF_MEMBERS = "--holdout! --variables --attacks --seed"
OF_MAP = "--keys! --target --risk --utility --variables --bootstrap --seed --picture"
OF_SYN = (
    "--output! --force --seed --reproducible --m --k --method --visit-sequence --not-predictor"
    " --keep-unsynthesised --maxfaclevels --smoothing --proper --print-flag"
)
MAPPED = "--synthetic cart=cart.csv --synthetic swapped=swapped.csv --original original.csv"

COMMANDS = (
    Command("risk", risk, f"{ASKED} --limit DiSCO=5", f"{OF_RISK} --keys! {PRINTED}"),
    Command("report", report, f"{ASKED} -o report.html", OF_REPORT),
    Command(
        "keys",
        keys,
        f"{FILES} --targets income --max-keys 3",
        f"{RELEASED} --candidates {CLASSED} --max-keys {PRINTED}",
    ),
    Command(
        "identify",
        identify,
        f"{PARTIAL} --known sex,region --synthesised age,income --interval age=2",
        f"{RELEASED} {OF_ATTACK} {PRINTED}",
    ),
    Command(
        "membership",
        membership,
        f"{FILES} --holdout others.csv",
        f"{RELEASED} {OF_MEMBERS} {PRINTED}",
    ),
    Command(
        "map",
        map_releases,
        f"{MAPPED} --keys sex,age --target income --picture map.svg",
        f"{RELEASED} {OF_MAP} {PRINTED}",
    ),
    Command("synthesise", synthesise, "people.csv -o synthetic.csv", f"{OF_SYN} {READING}"),
)
