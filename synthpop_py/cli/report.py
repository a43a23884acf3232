"""``synthpop-disclosure report``: one file for the person who decides."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from pathlib import Path
from typing import Any

from ..errors import InputError
from .command import DONE, OVER, Command
from .inputs import Tables, add_tables, input_files, tables_read
from .limits import add_limits, are_kept, judged, limits_asked
from .looks import look_at
from .messages import working
from .options import listed_words
from .outputs import add_file, add_min_cell, check_writable, show
from .risk import CORRECT, add_question, classes, question

__all__ = ["COMMAND"]

FORMATS = {".html": "html", ".htm": "html", ".md": "md", ".json": "json", ".pdf": "pdf"}


def add_options(parser: ArgumentParser) -> None:
    add_tables(parser, holdout=True)
    add_question(parser, keys_needed=False)
    parser.add_argument(
        "--candidates",
        metavar="COLUMNS",
        help="columns that the search for dangerous keys tries (the keys; without --keys all that "
        "are not targets)",
    )
    add_file(
        parser,
        "the report; .html, .md, .json and .pdf say which form (report.html, or the ending of"
        " --format)",
    )
    parser.add_argument(
        "--format",
        choices=("html", "md", "json", "pdf"),
        help="the format, if the name of the file does not say it",
    )
    parser.add_argument("--title", help="the heading of the report")
    add_min_cell(parser)
    add_limits(parser)


def run(chosen: Namespace) -> int:
    limits = limits_asked(chosen)
    form, file = _form_and_file(chosen)
    if limits and chosen.keys is None:
        raise InputError("--fail-over: needs --keys; without them there are no figures to judge")
    check_writable(file, input_files(chosen), force=chosen.force)
    with tables_read(chosen, in_memory=True) as tables:
        asked = _asked(chosen, tables)
        named = {
            "--keys": asked["keys"] or [],
            "--targets": asked["targets"] or [],
            "--candidates": asked.get("candidates") or [],
        }
        look_at(tables, named, every=chosen.targets is None)
        # a limit that cannot be judged leaves no report behind
        verdicts = judged(limits, _correct(chosen, tables)) if limits else []
        _write(chosen, tables, asked, form, file)
    show(f"{file}: written\n")
    return DONE if are_kept(verdicts, chosen.min_cell) else OVER


def _form_and_file(chosen: Namespace) -> tuple[str, Path]:
    """The format and the name of the report. A default name takes the ending of the format."""
    if chosen.output is None:
        form = chosen.format or "html"
        return form, Path(f"report.{form}")
    by_name = FORMATS.get(chosen.output.suffix.lower())
    form = chosen.format or by_name
    if form is None:
        raise InputError(
            f"--output: {chosen.output} does not say what to write; choices: {', '.join(FORMATS)},"
            " or --format"
        )
    if by_name not in (None, form):
        raise InputError(
            f"--output: {chosen.output} does not fit --format {form}; end it in .{form}, or leave"
            " out --format"
        )
    return form, chosen.output


def _asked(chosen: Namespace, tables: Tables) -> dict[str, Any]:
    """What `report()` is asked: without keys it looks for dangerous ones."""
    if chosen.keys is None:
        targets = listed_words(chosen.targets)
        given = classes(chosen, [], targets or [])
        given = {name: value for name, value in given.items() if value != []}
        given |= {"cont_na": tables.cont_na, "counts": chosen.counts}
        given["certainty"] = chosen.certainty
    else:
        given = question(chosen, tables)
    asked = {name: value for name, value in given.items() if value is not None}
    if chosen.keys is None:
        asked |= {"keys": None, "targets": targets}
    if chosen.candidates is not None:
        asked["candidates"] = listed_words(chosen.candidates)
    return asked


def _write(chosen: Namespace, tables: Tables, asked: dict[str, Any], form: str, file: Path) -> None:
    from ..report.api import report

    with working():
        report(
            list(tables.synthetic),
            tables.original,
            **asked,
            holdout=tables.holdout,
            path=file,
            format=form,
            min_cell=chosen.min_cell,
            force=chosen.force,
            title=chosen.title,
        )


def _correct(chosen: Namespace, tables: Tables) -> Any:
    """The figures that limits are about."""
    import warnings

    from ..summary.api import multi_disclosure

    with warnings.catch_warnings(), working():
        warnings.simplefilter("ignore")  # the report gave them already
        return multi_disclosure(
            list(tables.synthetic),
            tables.original,
            **question(chosen, tables),
            compat=CORRECT,
            print_flag=False,
        )


COMMAND = Command(
    name="report",
    says="A report in one file: what synthetic data reveal, in sentences and tables.",
    example="report --synthetic synthetic.csv --original original.csv --keys sex,age,region"
    " --targets income,marital -o report.html",
    add_options=add_options,
    run=run,
)
