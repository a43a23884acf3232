"""``synthpop-disclosure identify``: which people can be found in partially synthetic data."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from typing import TYPE_CHECKING, Any

from ..errors import InputError
from .command import DONE, Command
from .inputs import add_tables, input_files, tables_read
from .looks import look_at
from .messages import working
from .options import listed_words, pairs
from .outputs import Views, add_output, check_writable, deliver, json_text
from .wording import terminal_text

if TYPE_CHECKING:
    from ..matching.result import IdentificationRisk

__all__ = ["COMMAND"]

FIGURES = ("perceived", "expected", "true", "false", "unique_matches", "true_rate", "false_rate")


def add_options(parser: ArgumentParser) -> None:
    add_tables(parser)
    parser.add_argument(
        "--known", metavar="COLUMNS", help="keys that were released unchanged, between commas"
    )
    parser.add_argument(
        "--synthesised",
        required=True,
        metavar="COLUMNS",
        help="keys whose values were replaced, between commas",
    )
    parser.add_argument(
        "--interval",
        action="append",
        default=[],
        metavar="COLUMN=RADIUS",
        help="a numeric key that need only be near: age=2, or income=10%% of the value",
    )
    parser.add_argument(
        "--attack",
        choices=("probability", "mode"),
        default="probability",
        help="how the intruder uses several syntheses (probability)",
    )
    parser.add_argument(
        "--threshold",
        type=float,
        default=0.2,
        help="a match is perceived if its probability is above this (0.2)",
    )
    parser.add_argument(
        "--weights", metavar="COLUMN", help="survey weights: a person may not be in the file at all"
    )
    parser.add_argument("--seed", type=int, help="for ties of the attack by mode")
    add_output(parser)


def run(chosen: Namespace) -> int:
    check_writable(chosen.output, input_files(chosen), force=chosen.force)
    asked = _asked(chosen)
    from ..matching import identification_risk

    with tables_read(chosen, in_memory=True) as tables:
        look_at(tables, {"--known": asked["known"], "--synthesised": asked["synthesised"]})
        with working():
            result = identification_risk(list(tables.synthetic), tables.original, **asked)
    deliver(_views(result, chosen.min_cell), chosen)
    return DONE


def _asked(chosen: Namespace) -> dict[str, Any]:
    """The options as arguments of `identification_risk()`."""
    near = pairs("--interval", chosen.interval)
    return {
        "known": listed_words(chosen.known) or [],
        "synthesised": listed_words(chosen.synthesised),
        "intervals": {name: _interval(text) for name, text in near.items()} or None,
        "attack": chosen.attack,
        "threshold": chosen.threshold,
        "weights": chosen.weights,
        "seed": chosen.seed,
    }


def _interval(text: str) -> Any:
    from ..matching import Relative

    try:
        if text.endswith("%"):
            return Relative(float(text.removesuffix("%")) / 100)
        return float(text)
    except ValueError as error:
        if isinstance(error, InputError):
            raise
        raise InputError(
            f"--interval: {text!r} is neither a number nor a percentage; write it as in age=2 or"
            " income=10%"
        ) from None


def _views(result: IdentificationRisk, min_cell: int) -> Views:
    return Views(
        table=lambda: terminal_text(result._limited(min_cell)),
        json=lambda: json_text(result.to_dict(min_cell=min_cell)),
        csv=lambda: _csv(result, min_cell),
    )


def _csv(result: IdentificationRisk, min_cell: int) -> str:
    import pandas as pd

    from ..show.csv import csv_text

    content = result.to_dict(min_cell=min_cell)
    hidden = content.get("hidden", ())
    rows = []
    for name in FIGURES:
        row = {"measure": name, "value": content[name], "records": content["n"]}
        rows.append(row | {"hidden": f"/{name}" in hidden})
    return csv_text(pd.DataFrame(rows).astype(object))


COMMAND = Command(
    name="identify",
    says="Identification risk of partially synthetic data (Reiter and Mitra).",
    example="identify --synthetic partial-1.csv --synthetic partial-2.csv --original original.csv"
    " --known sex,region --synthesised age,income --interval age=2",
    add_options=add_options,
    run=run,
)
