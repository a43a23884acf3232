"""What each command reads, asks and shows. Everything comes from public functions and from the
facts of a report; counts of people are rounded by `synthpop_py.rounding`.
"""

from __future__ import annotations

import json
import math
import os
import re
import sys
import warnings
from argparse import Namespace
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, redirect_stdout, suppress
from pathlib import Path
from typing import Any

import pandas as pd

from .. import __version__, datasets, identification_risk, membership, report, ru_map, syn
from ..errors import InputError, SynthpopError, unknown_choice, unknown_name
from ..matching import Relative
from ..membership import shown_attacks
from ..progress import Progress
from ..r_files import read_synds, write_synds
from ..r_files.replacing import replacement
from ..report.api import DEFAULT_PATH, EXIT_CODES, TITLE, check_free
from ..report.checks import Facts
from ..report.facts import check_limits
from ..report.facts import facts as facts_of
from ..report.study import Study
from ..rounding import MEASURES, check_round_to, counts, mark, shown, too_few
from ..show import printing
from ..synds import SynDS
from ..tables.api import Both, read_both

WRITABLE = (".csv", ".csv.gz", ".parquet", ".rds")
PICTURES = (".png", ".svg", ".pdf")
IN_PYTHON = re.compile(r"`|\w\(|\B\.[a-z]{4,}")
# what a spreadsheet runs, perhaps after a blank that it ignores, or after a break
RUN_BY_SPREADSHEETS = ("=", "+", "-", "@", "\uff1d", "\uff0b", "\uff0d", "\uff20")
BLANKS, BREAKS = " \u00a0\ufeff", ("\t", "\r", "\n")
MEANINGS = {
    "DiSCO": "people whose value the synthetic data reveal correctly to who knows the keys",
    "of DiS": "correct among those for whom the synthetic data are certain",
    "Dorig": "as DiSCO, from the original data",
    "exact": "the same number to the last digit, not one of about ten classes",
    "non-members": "as DiSCO, of the people of --holdout",
}
OF_IDENTIFY = ("perceived", "expected", "true", "false", "unique_matches")
Row = dict[str, Any]


def given(chosen: Namespace, names: str) -> Row:
    """Options that are arguments of the same name; None where a command does not have one."""
    return {name: getattr(chosen, name, None) for name in names.split()}


def tell(text: str) -> None:
    """A note. It waits until the work is done: a refused call prints only one sentence."""
    warnings.warn(text, UserWarning, stacklevel=2)


@contextmanager
def tables_read(chosen: Namespace, what: str = "") -> Iterator[tuple[Both, Row | None]]:
    """The tables, and special values of columns; `what` a terminal shows where functions do not."""
    check_first(chosen)
    _leave_out_dropped(chosen)
    asked, typed = reading(chosen)
    synthetic: list[Any] = []
    special: Row = {}
    for text in chosen.synthetic:
        sets, of_sets = held_in(text, "--synthetic")
        synthetic += sets
        special |= of_sets
    (original,), _ = held_in(chosen.original, "--original", single=True)
    holdout = getattr(chosen, "holdout", None)
    if holdout is not None:
        (holdout,), _ = held_in(holdout, "--holdout", single=True)
    with read_both(synthetic, original, holdout=holdout, **asked) as both:
        here = set(both.original.columns)
        strange = set().union(*(here ^ set(table.columns) for table in both.synthetic))
        if strange and getattr(chosen, "targets", None) is None:
            only = _listed(sorted(map(str, strange)))
            both.notes.append(f"not looked at, because only some files have it: {only}")
        for note in both.notes:
            tell(note)
        # what functions print is no result
        with redirect_stdout(sys.stderr), Progress(int(bool(what)), show=True) as progress:
            progress.step(what)
            yield both, special | typed or None


def _leave_out_dropped(chosen: Namespace) -> None:
    """A dropped column is no key and no target either: a report advises to add --drop to a call."""
    for name in ("keys", "targets", "candidates"):
        named = getattr(chosen, name, None) or []
        rest = [column for column in named if column not in chosen.drop]
        if named and not rest:
            raise InputError(f"--drop: names every column of --{name}; leave one")
        if len(rest) < len(named):
            gone = _listed([column for column in named if column in chosen.drop])
            tell(f"--drop: left out of --{name}: {gone}")
            setattr(chosen, name, rest)


def reading(chosen: Namespace) -> tuple[Row, Row]:
    """The options that say how CSV files are written, as arguments; special values of columns."""
    asked = given(chosen, "sep decimal encoding dates text drop")
    if asked["sep"] in ("tab", r"\t"):
        asked["sep"] = "\t"
    words: list[str] = []
    special: Row = {}
    for name, values in chosen.missing:
        if name:
            special.setdefault(name, []).extend(values)
        else:
            words += values
    return asked | {"missing": words}, special


def held_in(text: str, option: str, single: bool = False) -> tuple[list[Any], dict[Any, Any]]:
    """Data frames (of a file its name) and their special values; `single`: there must be one."""
    made, name = None, text.removeprefix("data:")
    if name == text:
        is_of_r = text.lower().endswith((".rds", ".rda", ".rdata")) and Path(text).is_file()
        with suppress(SynthpopError):  # a data frame, or damaged: whoever opens it says so
            made = read_synds(text) if is_of_r else None
    elif name in datasets.names("data"):
        return [datasets.load(name)], {}
    elif name in datasets.names("synthesis"):
        made = datasets.load_synthesis(name)
    else:
        raise unknown_choice(option, name, datasets.names(), "the data sets of the package")
    if made is None:
        return [text], {}
    if single and made.m != 1:
        raise InputError(f"{option}: {text!r} holds {made.m} tables, and one is needed")
    return list(made.syn), dict(made.cont_na)


def question(chosen: Namespace, tables: Both, special: Row | None) -> tuple[Row, Row]:
    """Columns, and options by column, as `report()` takes them."""
    columns = given(chosen, "keys targets candidates") | {"holdout": tables.holdout}
    asked = given(chosen, "counts certainty") | {"cont_na": special}
    asked["not_targetslev"] = dict(chosen.not_targetslev) or None
    for name in ("ngroups_keys", "ngroups_targets"):
        asked[name] = _one_or_by_name(name, getattr(chosen, name))
    if chosen.leave_out_missing:
        lacking = dict.fromkeys(chosen.leave_out_missing, False)
        asked |= {"usekeysNA": lacking, "usetargetsNA": lacking}
    return columns, {name: value for name, value in asked.items() if value is not None}


def _one_or_by_name(argument: str, typed: Sequence[tuple[str | None, Any]]) -> Any:
    """One value for all columns, or values by column; None where nothing was typed."""
    by_name = dict(typed)
    if None in by_name and len(typed) > 1:
        raise InputError(f"{argument}: give one value for all columns, or COLUMN=VALUE each time")
    return by_name.get(None, by_name or None)


def check_first(chosen: Namespace, path: Path | None = None) -> None:
    """Refuse, before any work is done, a rounding that reveals too much, a file in the way, and
    options that contradict each other.
    """
    if getattr(chosen, "json", False) and chosen.csv:
        raise InputError("--json: --csv is given, too; choose one")
    for name in ("limit", "label"):
        named = [one for one, _ in getattr(chosen, name, ())]
        for one in named:
            if named.count(one) > 1:
                raise InputError(f"--{name}: {one!r} is given twice; choose one")
    if hasattr(chosen, "round_to"):
        check_round_to(chosen.round_to)
    path = chosen.output if path is None else path
    sources = [getattr(chosen, name, None) for name in ("original", "holdout", "data")]
    sources += getattr(chosen, "synthetic", [])
    for source in filter(None, sources):
        # duckdb:FILE::TABLE
        name, _, _ = re.sub("^(duckdb|sqlite):", "", source).partition("::")
        file = Path(name)
        if path is not None and path.is_file() and file.is_file() and path.samefile(file):
            raise InputError(f"--output: {path} is one of the files to read; give another name")
    check_free(path, force=chosen.force, argument="--output")


def deliver(chosen: Namespace, lines: Iterable[str], rows: Sequence[Row], **about: Any) -> None:
    """The result in the form and at the place that was asked for."""
    to = chosen.round_to
    ending = "" if chosen.output is None else chosen.output.suffix.lower()
    if chosen.json or (ending == ".json" and not chosen.csv):
        head = {"what": f"synthpop-disclosure {chosen.command}", "version": __version__}
        content = head | {"rounded_to": to} | about | {"figures": rows}
        text = json.dumps(content, ensure_ascii=False, allow_nan=False, indent=2, default=str)
    elif chosen.csv or ending == ".csv":
        text = csv_text(rows)
    else:
        text = "\n".join([*lines, "", mark(to)])
    text = text.rstrip("\n") + "\n"
    if chosen.output is None:
        show(text)
        return
    with replacement(chosen.output) as part:
        part.write_text(text, encoding="utf-8")
    show(f"{chosen.output}: written\n")


def show(text: str) -> None:
    """Print to standard output. If the reader stops early (``| head``), the exit code stays."""
    if sys.stdout is None:  # closed by the parent program
        return
    encoding = sys.stdout.encoding or "utf-8"
    try:
        sys.stdout.write(text.encode(encoding, "backslashreplace").decode(encoding))
        sys.stdout.flush()
    except BrokenPipeError:
        # Python writes once more when it ends; a stream may have no file behind it
        with suppress(OSError, ValueError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def page_lines(result: Any, to: int) -> list[str]:
    """What a result shows to other people, without advice on what to type in Python."""
    title, headline, sections, _ = result._page(to)
    parts: list[list[Any]] = [[title], list(headline)]
    for section in sections:
        kept = [one for one in section if not isinstance(one, str) or not IN_PYTHON.search(one)]
        if kept:
            parts.append(kept)
    return printing.text(parts).split("\n")


def csv_text(rows: Sequence[Row]) -> str:
    """Rows as CSV; a text that begins like a formula, which a spreadsheet would run, gets a mark.

    >>> csv_text([{"target": "=1+1", "people": -10}])
    "target,people\\n'=1+1,-10\\n"
    """
    table = pd.DataFrame(list(rows), dtype=object).rename(columns=_cell).map(_cell)
    # csv quotes what holds any part of its line end
    return str(table.to_csv(index=False, lineterminator="\r\n")).replace("\r\n", "\n")


def _cell(value: Any) -> Any:
    if not isinstance(value, str):
        return value
    runs = value.lstrip(BLANKS).startswith(RUN_BY_SPREADSHEETS) or value.startswith(BREAKS)
    return f"'{value}" if runs else value


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


def do_risk(chosen: Namespace) -> int:
    """Disclosure risk of synthetic data: a table, JSON or CSV.

    --synthetic synthetic.csv --original original.csv --keys sex,age,region
    --targets income,marital --limit DiSCO=5
    """
    to, limits = chosen.round_to, check_limits(dict(chosen.limit))
    with tables_read(chosen) as (tables, special):
        columns, options = question(chosen, tables, special)
        study = Study(tables.synthetic, tables.original, columns, options, to)
        facts = facts_of(study, limits, brief=True)
    everybody(study.first.Norig, to)
    tell_limits(facts["limits"], to)
    names = "keys certainty synthetic_records checks identity non_members limits decision"
    about = {name: facts[name] for name in names.split()}
    targets = list(map(str, study.results))
    deliver(chosen, _risk_text(facts), list(_risk_rows(study, facts)), targets=targets, **about)
    return EXIT_CODES[facts["decision"]]


def tell_limits(limits: Sequence[Facts], to: int) -> None:
    for one in limits:
        where = f" of {one['target']}" if one["target"] else ""
        before = f", up to {one['up_to']:,} before rounding" if to > 1 else ""
        verdict = f"{'within' if one['met'] else 'above'} the limit of {one['limit']:g} %"
        if not one["compared"]:
            verdict = f"the limit of {one['limit']:g} % cannot be judged"
        tell(f"--limit: {one['measure']}{where}: {one['figure']['text']}{before}; {verdict}")


def _risk_rows(study: Study, facts: Facts) -> Iterator[Row]:
    """A row for each target, synthesis and measure, the riskiest target first."""
    compared = {one["name"] for one in facts["targets"] if one["compared"]}
    for name in study.order:
        if str(name) not in compared:
            continue
        exact = study.exact.get(name)
        readings: list[Any] = [(study.results[name], MEASURES, "classes" if exact else "values")]
        if exact:
            readings.append((exact, ("DiSCO",), "values"))
        for result, measures, how in readings:
            for number, n in counts(result, study.to).iterrows():
                about = {"target": str(name), "synthesis": number}
                for measure in measures:
                    yield about | figure(measure, n[measure], n["N"]) | {"matched": how}


def _risk_text(facts: Facts) -> Iterator[str]:
    """Who can be told apart, and what is revealed of them, riskiest target first."""
    m = len(facts["synthetic_records"])
    syntheses = "1 synthesis" if m == 1 else f"{m} syntheses"
    yield f"Disclosure risk of {facts['people']:,} people in {syntheses} (higher: riskier)"
    yield f"An intruder may know: {_listed(facts['keys'])}"
    for one in facts["checks"]:
        repair = one["command"] or one["option"]
        yield f"Look at {one['column']}: {one['text']} ({repair})"
    yield ""
    for measure, where in (("UiO", "in the original"), ("repU", "in the synthetic data, too")):
        yield f"Unique on these {where} ({measure}): {facts['identity'][measure]['text']}"
    yield ""
    yield "What else they reveal, riskiest target first"
    rows = pd.DataFrame([_risk_of_target(one) for one in facts["targets"]], dtype=object)
    for one in facts["non_members"] or ():
        rows.loc[rows["target"] == one["label"], "non-members"] = one["non_members"]["share"]
    rows = rows.dropna(axis="columns", how="all").fillna("").set_index("target").rename_axis(None)
    yield from rows.to_string().split("\n")
    yield ""
    yield from (f"{name}: {says}" for name, says in MEANINGS.items() if name in rows)
    for one in facts["targets"]:
        common, left_out = one["common"], one["left_out"]
        if common:
            value, share = common["level"] or "one class", common["everybody"]
            of_them = f"{common['revealed']} of those revealed"
            yield f"Common knowledge: {one['label']}. {value}: {of_them}, {share} of all people"
        if left_out:
            yield f"Left out for {one['label']}: {left_out['number']} people"


def _risk_of_target(target: Facts) -> Row:
    row = {"target": target["label"], "DiSCO": "not compared"}
    if not target["compared"]:
        return row
    row["DiSCO"] = target["DiSCO"]["text"]
    if target["lowest"] != target["highest"]:
        row |= {name: target[name]["share"] for name in ("lowest", "highest")}
    row["of DiS"] = target["precision"] or "too few"
    row["Dorig"] = target["Dorig"]["share"]
    row["exact"] = target["exact"] and target["exact"]["share"]
    return row


def do_report(chosen: Namespace) -> int:
    """A report in one file: what synthetic data reveal, and what to do next.

    --synthetic synthetic.csv --original original.csv --keys sex,age,region
    --targets income,marital -o report.html
    """
    asked = given(chosen, "round_to force")
    asked |= {"labels": dict(chosen.label), "limits": dict(chosen.limit)}
    asked["files"] = {"synthetic": chosen.synthetic, "original": chosen.original}
    asked["dropped"] = chosen.drop
    if chosen.holdout is not None:
        asked["files"]["holdout"] = chosen.holdout
    asked |= {"title": chosen.title or TITLE, "path": chosen.output or DEFAULT_PATH}
    with tables_read(chosen) as (tables, special):
        for name in asked["labels"]:
            if name not in tables.original.columns:
                raise unknown_name("--label", name, list(tables.original.columns), "--original")
        columns, options = question(chosen, tables, special)
        made = report(tables.synthetic, tables.original, **asked, **columns, **options)
    tell_limits(made.limits, chosen.round_to)
    show(f"{made.path}: written\n")
    code: int = made.exit_code
    return code


def do_keys(chosen: Namespace) -> int:
    """Search for dangerous keys: try every set of columns an intruder might know.

    --synthetic synthetic.csv --original original.csv --targets income --max-keys 3
    """
    if (chosen.ngroups_targets or chosen.not_targetslev) and not chosen.targets:
        raise InputError("targets: none is given, but options for them are; name some")
    to = chosen.round_to
    with tables_read(chosen) as (tables, special):
        asked = question(chosen, tables, special)
        study = Study(tables.synthetic, tables.original, *asked, to)
        study.choose_classes()
        candidates = study.possible_keys()
        for identifier in study.identifiers:
            tell(f"{identifier}: not tried as a key, because it differs for nearly everybody")
        how = {"max_keys": min(chosen.max_keys, len(candidates)), "print_flag": sys.stderr.isatty()}
        result = study.search(candidates, study.targets, **how)
    rows = list(_keys_rows(result, to))
    deliver(chosen, page_lines(result, to), rows, candidates=candidates)
    return 0


def _keys_rows(result: Any, to: int) -> Iterator[Row]:
    """Each set of keys, the riskiest first."""
    everyone, records = everybody(result.Norig, to), result.tidy().to_dict("records")
    # anyone who has the release can count these, so they are a ceiling of repU
    of_release = {one["keys"]: int(one["numerator"]) for one in records if one["measure"] == "UiS"}
    for one in records:
        names, measure = one["keys"], one["measure"]
        if measure in MEASURES:
            known = [of_release[names]] if measure == "repU" else []
            n = shown(one["numerator"], result.Norig, *known, to=to)
            about = {"rank": one["rank"], "keys": _listed(names), "target": one["target"] or ""}
            yield about | figure(measure, n, everyone)


def _listed(names: Iterable[Any]) -> str:
    return ", ".join(map(str, names))


def do_identify(chosen: Namespace) -> int:
    """Identification risk of partially synthetic data (Reiter and Mitra).

    --synthetic partial-1.csv partial-2.csv --original original.csv --known sex,region
    --synthesised age,income --interval age=2
    """
    intervals = {}
    for name, radius, is_share in chosen.interval:
        intervals[name] = Relative(radius / 100) if is_share else radius
    with tables_read(chosen, "matches of every person") as (tables, _):
        asked = given(chosen, "known synthesised attack weights seed")
        asked["intervals"] = intervals or None
        result = identification_risk(tables.synthetic, tables.original, **asked)
    to, whole = chosen.round_to, everybody(result.n, chosen.round_to)
    counted = {name: shown(getattr(result, name), result.n, to=to) for name in OF_IDENTIFY}
    rows = [figure(name, n, whole) for name, n in counted.items()]
    about = {"sets": result.sets} | given(chosen, "known synthesised attack")
    deliver(chosen, page_lines(result, to), rows, **about)
    return 0


def do_membership(chosen: Namespace) -> int:
    """Was a person in the data? Attacks on members and on people the synthesis never saw.

    --synthetic synthetic.csv --original original.csv --holdout others.csv
    """
    with tables_read(chosen, "attacks on every person") as (tables, _):
        asked = given(chosen, "variables seed")
        result = membership(tables.synthetic, tables.original, tables.holdout, **asked)
    to = chosen.round_to
    everybody(min(result.members, result.non_members), to)
    about = {"strongest": result.strongest, "strongest_was_chosen": len(result.scores) > 1}
    about["notes"] = list(result.notes)
    deliver(chosen, page_lines(result, to), _attack_rows(result, to), **about)
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


def do_map(chosen: Namespace) -> int:
    """Risk and utility of several releases of the same data.

    --synthetic cart=cart.csv swapped=swapped.csv --original original.csv --keys sex,age
    --target income -o map.svg
    """
    to, names = chosen.round_to, _take_names(chosen)
    with tables_read(chosen, "risk and utility of every release") as (tables, special):
        releases: dict[str, list[Any]] = {}
        for name, table in zip(names, tables.synthetic, strict=True):
            releases.setdefault(name, []).append(table)
        asked = given(chosen, "keys target risk utility variables bootstrap seed")
        result = ru_map(releases, tables.original, cont_na=special, **asked)
    everybody(result.Norig, to)
    if chosen.output is not None and chosen.output.suffix.lower() in PICTURES:
        with replacement(chosen.output) as part:
            result.save_plot(part, round_to=to)
        show(f"{chosen.output}: written\n")
        return 0
    rows = [_map_row(one, to) for one in result.figures]
    deliver(chosen, page_lines(result, to), rows, **given(chosen, "keys target"))
    return 0


def _take_names(chosen: Namespace) -> list[str]:
    """The name of the release that each set belongs to; `chosen` keeps sources without names."""
    names, sources = [], []
    for text in chosen.synthetic:
        name, _, source = text.rpartition("=")
        if not name or Path(text).exists():
            name, source = re.sub(r".*[/:]|\..*", "", text), text
        names += [name] * len(held_in(source, "--synthetic")[0])
        sources.append(source)
    chosen.synthetic = sources
    return names


def _map_row(one: Any, to: int) -> Row:
    """A share of people from shown counts, without its interval; others with two digits."""
    ends = {name: getattr(one, name) for name in ("value", "low", "high")}
    if to > 1 and math.isfinite(one.denominator) and math.isfinite(one.value):
        whole = int(one.denominator)
        n = shown(round(one.value * whole / 100, 6), whole, to=to)
        share = round(100 * n / everybody(whole, to), 1)
        ends = {"value": share, "low": math.nan, "high": math.nan}
    elif to > 1:
        ends = {name: float(f"{value:.2g}") for name, value in ends.items()}
    row = {"candidate": one.candidate, "measure": one.measure, "role": one.role}
    row |= {name: None if math.isnan(value) else value for name, value in ends.items()}
    return row | {"reason": one.reason}


def do_synthesise(chosen: Namespace) -> int:
    """Make synthetic data from a file, as R's syn() does.

    people.csv -o synthetic.csv
    """
    if chosen.m < 1:
        raise InputError(f"--m: {chosen.m} sets means nothing to write; give 1 or more")
    paths = _set_paths(chosen.output, chosen.m)
    for path in paths:
        check_first(chosen, path)
    (table,), _ = held_in(chosen.data, "data", single=True)
    asked, special = reading(chosen)
    with read_both([], table, arguments=("", "data", ""), **asked) as both:
        for note in both.notes:
            tell(note)
        with warnings.catch_warnings(), redirect_stdout(sys.stderr):
            if not chosen.keep_unsynthesised:  # they are left out below, and told
                warnings.filterwarnings("ignore", message=".*: not synthesised")
            made = syn(
                both.original,
                method=_one_or_by_name("method", chosen.method) or "cart",
                cont_na=special or None,
                print_flag=sys.stderr.isatty(),
                **given(chosen, "visit_sequence maxfaclevels m seed reproducible"),
            )
    made = made if chosen.keep_unsynthesised else _without_originals(made)
    with ExitStack() as written:  # all sets, or none
        for frame, path in zip(made.syn, paths):  # R's format takes all sets in one file
            part = written.enter_context(replacement(path))
            if path.suffix.lower() == ".rds":
                write_synds(made, part)
            else:
                _write_frame(frame, part)
    records, columns = made.syn[0].shape
    for path in paths:
        show(f"{path}: {records} records, {columns} columns\n")
    return 0


def _set_paths(output: Path, sets: int) -> list[Path]:
    """Where each set goes: the file named, or numbered files beside it."""
    kind = next((kind for kind in WRITABLE if output.name.lower().endswith(kind)), None)
    if kind is None:
        raise InputError(f"--output: {output} cannot be written; choices: {', '.join(WRITABLE)}")
    if sets == 1 or kind == ".rds":
        return [output]
    stem = output.name[: -len(kind)]
    return [output.with_name(f"{stem}-{number}{kind}") for number in range(1, sets + 1)]


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


def _write_frame(frame: pd.DataFrame, path: Path) -> None:
    if path.suffix.lower() == ".parquet":
        frame.to_parquet(path, index=False)
        return
    # `syn()` gives 42.0 for a whole number, as R does, and R writes 42
    amounts = frame.select_dtypes("floating")
    whole = [name for name in amounts if (amounts[name].dropna() % 1 == 0).all()]
    frame.astype(dict.fromkeys(whole, "Int64")).to_csv(path, index=False)
