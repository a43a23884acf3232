"""``synthpop-disclosure risk``: what synthetic data reveal, target by target."""

from __future__ import annotations

import warnings
from argparse import ArgumentParser, Namespace
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, TypeAlias

from ..errors import InputError, SynthpopError
from ..names import unknown_choice
from ..r.layouts import LAYOUTS
from .command import DONE, OVER, Command
from .inputs import Tables, add_tables, add_what, input_files, tables_read
from .limits import Judged, add_limits, are_kept, judged, limits_asked
from .looks import common_columns, look_at
from .messages import tell, working
from .options import by_column, listed_words, pairs
from .outputs import Views, add_output, check_writable, deliver, json_text
from .wording import in_options, terminal_text

if TYPE_CHECKING:
    from ..show import Cell, Document
    from .risk_figures import Figure, Readings

__all__ = ["COMMAND", "PAIRS", "add_classes", "add_question", "classes", "question"]

Conceal: TypeAlias = "Callable[[Cell], Cell]"
CORRECT = "corrected"
PAIRS = ("exclude_keys", "exclude_keylevs", "exclude_targetlevs")
READINGS = (CORRECT, "r", *(f"r-{version}" for version in LAYOUTS))


def add_options(parser: ArgumentParser) -> None:
    add_tables(parser, holdout=True)
    add_question(parser)
    parser.add_argument(
        "--compat",
        choices=READINGS,
        default=CORRECT,
        help="which figures come first: those of the published definitions, or R's. Where they "
        "differ both are shown (corrected)",
    )
    add_limits(parser)
    add_output(parser)


def add_question(parser: ArgumentParser, *, keys_needed: bool = True) -> None:
    """Options that say what an intruder knows and what they want to learn."""
    parser.add_argument(
        "--keys",
        required=keys_needed,
        metavar="COLUMNS",
        help="what an intruder may know about a person: names of columns between commas",
    )
    parser.add_argument(
        "--targets",
        metavar="COLUMNS",
        help="what the intruder could learn (every other column that all tables have)",
    )
    add_what(parser)
    parser.add_argument(
        "--certainty",
        type=float,
        default=1.0,
        metavar="SHARE",
        help="above 0.5, up to 1: a value counts as revealed if at least this share of records "
        "with the same keys have it; R has only 1 (1)",
    )
    add_classes(parser)


def add_classes(parser: ArgumentParser) -> None:
    """Options that put values into classes, or leave some out."""
    parser.add_argument(
        "--ngroups-keys",
        action="append",
        default=[],
        metavar="N",
        help="put numeric keys into about N classes, or COLUMN=N; repeat for each column",
    )
    parser.add_argument(
        "--ngroups-targets", action="append", default=[], metavar="N", help="the same for targets"
    )
    parser.add_argument(
        "--not-targetslev",
        action="append",
        default=[],
        metavar="COLUMN=LEVEL",
        help="leave out a level of a target that everyone would guess, such as workab=NO",
    )
    parser.add_argument(
        "--leave-out-missing",
        metavar="COLUMNS",
        help="leave out people whose value of these keys or targets is missing (R's usekeysNA and "
        "usetargetNA)",
    )
    parser.add_argument(
        "--exclude",
        action="append",
        default=[],
        metavar="KEY=LEVEL,TARGET=LEVEL",
        help="leave out people with this level of a key and this level of a target, such as "
        "age=16,marital=SINGLE; repeat for each pair",
    )
    parser.add_argument(
        "--denom-lim", type=int, default=5, metavar="N", help="R's denom.lim, for its checks (5)"
    )
    parser.add_argument(
        "--exclude-ov-denom-lim", action="store_true", help="leave out cells above that limit"
    )


def question(chosen: Namespace, tables: Tables) -> dict[str, Any]:
    """The options as arguments of `multi_disclosure()`."""
    keys = listed_words(chosen.keys) or []
    targets = listed_words(chosen.targets)
    if targets is None:
        targets = [name for name in common_columns(tables) if name not in keys]
    asked: dict[str, Any] = {
        "keys": keys,
        "targets": targets,
        "cont_na": tables.cont_na,
        "counts": chosen.counts,
        "certainty": chosen.certainty,
        **classes(chosen, keys, targets),
    }
    return asked


def classes(chosen: Namespace, keys: list[Any], targets: list[Any]) -> dict[str, Any]:
    """Classes, and what is left out, as arguments of `multi_disclosure()`."""
    columns = [*keys, *targets]
    lacking = listed_words(chosen.leave_out_missing) or []
    for name in lacking:
        if name not in columns:
            raise unknown_choice("--leave-out-missing", name, columns, "the keys and targets")
    asked: dict[str, Any] = {
        "ngroups_keys": by_column("--ngroups-keys", chosen.ngroups_keys, keys),
        "ngroups_targets": by_column("--ngroups-targets", chosen.ngroups_targets, targets),
        "not_targetslev": pairs("--not-targetslev", chosen.not_targetslev) or None,
        "denom_lim": chosen.denom_lim,
        "exclude_ov_denom_lim": chosen.exclude_ov_denom_lim,
    }
    if lacking:
        asked["usekeysNA"] = [name not in lacking for name in keys]
        asked["usetargetsNA"] = [name not in lacking for name in targets]
    for text in chosen.exclude:
        words = pairs("--exclude", listed_words(text) or [])
        if len(words) != 2:
            raise InputError(f"--exclude: {text!r} is not KEY=LEVEL,TARGET=LEVEL")
        (key, key_level), (target, level) = words.items()
        if target not in targets:
            raise unknown_choice("--exclude", target, targets, "the targets")
        for argument, value in zip(PAIRS, (key, key_level, level)):
            of_targets = asked.setdefault(argument, [[] for _ in targets])
            of_targets[targets.index(target)].append(value)
    return asked


def run(chosen: Namespace) -> int:
    limits = limits_asked(chosen)
    _check_certainty(chosen)
    check_writable(chosen.output, input_files(chosen), force=chosen.force)
    with tables_read(chosen) as tables:
        asked = question(chosen, tables)
        named = {"--keys": asked["keys"], "--targets": asked["targets"]}
        look_at(tables, named, every=chosen.targets is None)
        readings = _readings(chosen, tables, asked)
        verdicts = judged(limits, readings.correct)
        deliver(_views(chosen, readings, verdicts), chosen)
    return DONE if are_kept(verdicts, chosen.min_cell) else OVER


def _check_certainty(chosen: Namespace) -> None:
    if chosen.certainty < 1 and chosen.compat != CORRECT:
        raise InputError(
            f"--certainty: {chosen.certainty:g} cannot be used with --compat {chosen.compat}, "
            "because R counts only what is certain; leave one of them out"
        )


# ---- the figures ---------------------------------------------------------------------


def _readings(chosen: Namespace, tables: Tables, asked: dict[str, Any]) -> Readings:
    from ..summary.api import multi_disclosure
    from .risk_figures import Readings

    ask = partial(multi_disclosure, list(tables.synthetic), tables.original, **asked)
    with working() as watched:
        holdout = {} if tables.holdout is None else {"holdout": tables.holdout}
        correct = ask(compat=CORRECT, print_flag=watched, **holdout)
        as_r = None
        if chosen.certainty == 1:
            as_r = _as_r(ask, "r" if chosen.compat == CORRECT else chosen.compat)
    shown = correct if chosen.compat == CORRECT or as_r is None else as_r
    return Readings(correct=correct, as_r=as_r, shown=shown)


def _as_r(ask: Any, compat: str) -> Any:
    """R's figures, without the warnings that the correct ones gave already."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ask(compat=compat, print_flag=False)
    except SynthpopError:
        tell("R refuses this call, so R's figures are not shown")
        return None


# ---- what is shown -------------------------------------------------------------------


def _views(chosen: Namespace, readings: Readings, verdicts: list[Judged]) -> Views:
    from ..show.document import cells_of
    from ..show.small_cells import check_min_cell, concealed, hidden_names
    from .risk_baseline import baseline_cells
    from .risk_document import document
    from .risk_figures import figures_of

    figures = figures_of(readings)
    drawn = document(readings, figures)
    baseline = baseline_cells(readings.correct)
    min_cell = check_min_cell(chosen.min_cell)
    # one rule for all views: none shows what another hides
    cells = [cell for figure in figures for cell in figure.cells().values()]
    cells += [cell for row in baseline for cell in row.values()]
    hidden = hidden_names([*cells, *cells_of(drawn)], readings.relations(), min_cell)
    conceal = partial(concealed, hidden=hidden)
    rows = [_row(figure, conceal) for figure in figures]
    beside = [_plain_row(row, conceal) for row in baseline]
    return Views(
        table=lambda: _table(drawn, conceal, min_cell),
        json=lambda: json_text(
            _content(readings, conceal, rows, beside, verdicts) | {"min_cell": min_cell}
        ),
        csv=lambda: _csv(rows, beside),
    )


def _table(drawn: Document, conceal: Conceal, min_cell: int) -> str:
    from ..show.document import cells_of, with_cells
    from .risk_document import hidden_note

    shown = with_cells(drawn, conceal)
    if any(cell.hidden for cell in cells_of(shown)):
        shown = replace(shown, sections=(*shown.sections, hidden_note(min_cell)))
    return terminal_text(shown)


def _row(figure: Figure, conceal: Conceal) -> dict[str, Any]:
    from ..show.plain import column_name

    about = {
        "target": column_name(figure.target),
        "synthesis": figure.synthesis,
        "measure": figure.measure,
    }
    values = _plain_row(figure.cells(), conceal)
    hidden = values.pop("hidden")
    return about | values | {"differs": figure.differs, "hidden": hidden} | figure.about


def _plain_row(cells: dict[str, Cell], conceal: Conceal) -> dict[str, Any]:
    """Values that JSON can hold, None for those that are hidden, and whether any is."""
    from ..show.plain import plain_scalar

    shown = {name: conceal(cell) for name, cell in cells.items()}
    values = {name: plain_scalar(cell.value) for name, cell in shown.items()}
    return values | {"hidden": any(cell.hidden for cell in shown.values())}


def _content(
    readings: Readings,
    conceal: Conceal,
    rows: list[dict[str, Any]],
    baseline: list[dict[str, Any]],
    verdicts: list[Judged],
) -> dict[str, Any]:
    from .. import __version__
    from ..disclosure.people import everybody
    from ..show import Cell

    shown = readings.shown
    first = next(iter(shown.output_list.values()))
    original = conceal(Cell(shown.Norig, (everybody(shown.Norig),)))
    content: dict[str, Any] = {
        "what": "synthpop-disclosure risk",
        "version": __version__,
        "compat": shown.compat,
        "keys": list(map(str, shown.keys)),
        "targets": list(map(str, shown.targets)),
        "certainty": first.certainty,
        "records": {"original": original.value, "synthetic": list(first.Nsyn)},
        "figures": rows,
        "limits": [_verdict(one) for one in verdicts],
        "notes": list(map(in_options, shown.notes)),
    }
    return content | ({"baseline": baseline} if baseline else {})


def _verdict(one: Judged) -> dict[str, Any]:
    return {
        "measure": one.limit.measure,
        "limit": one.limit.highest,
        "target": one.target,
        "synthesis": one.synthesis,
        "kept": one.is_kept,
    }


def _csv(rows: list[dict[str, Any]], baseline: list[dict[str, Any]]) -> str:
    """With a holdout, the measures that have a baseline (means over syntheses) have it beside
    them.
    """
    import pandas as pd

    from ..show.csv import csv_text
    from .risk_baseline import COLUMNS

    beside = {(row["target"], row["measure"]): row for row in baseline}
    written = []
    for row in rows:
        other = beside.get((str(row["target"]), row["measure"]), {})
        more = {name: other.get(name) for name in COLUMNS} if baseline else {}
        hidden = row["hidden"] or other.get("hidden", False)
        written.append(row | more | {"hidden": hidden})
    return csv_text(pd.DataFrame(written).astype(object))


COMMAND = Command(
    name="risk",
    says="Disclosure risk of synthetic data: a table, JSON or CSV.",
    example="risk --synthetic synthetic.csv --original original.csv --keys sex,age,region"
    " --targets income,marital --fail-over DiSCO=5",
    add_options=add_options,
    run=run,
)
