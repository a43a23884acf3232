"""``synthpop-disclosure keys``: which columns are dangerous together."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from ..errors import InputError
from .command import DONE, Command
from .inputs import Tables, add_tables, add_what, input_files, tables_read
from .looks import common_columns, look_at
from .messages import working
from .options import listed_words
from .outputs import Views, add_output, check_writable, deliver, json_text
from .risk import PAIRS, add_classes, classes
from .wording import terminal_text

if TYPE_CHECKING:
    from ..key_search.result import KeyRisk

__all__ = ["COMMAND"]

MAX_KEYS = 3
# arguments of `multi_disclosure()` under their names in `key_risk()`
OF_SEARCH = {
    "ngroups_targets": "ngroups_target",
    "usetargetsNA": "usetargetNA",
    "not_targetslev": "not_targetlev",
}


def add_options(parser: ArgumentParser) -> None:
    add_tables(parser)
    parser.add_argument(
        "--candidates",
        metavar="COLUMNS",
        help="columns an intruder might know, between commas (every column that all tables have "
        "and that is not a target)",
    )
    parser.add_argument("--targets", metavar="COLUMNS", help="columns the intruder could learn")
    parser.add_argument(
        "--max-keys",
        type=int,
        default=MAX_KEYS,
        metavar="N",
        help=f"the most columns that they may know at once ({MAX_KEYS})",
    )
    parser.add_argument(
        "--share",
        type=float,
        default=0.5,
        help="a set is dangerous if it makes this share of the people unique (0.5)",
    )
    add_classes(parser)
    add_what(parser)
    add_output(parser)


def run(chosen: Namespace) -> int:
    check_writable(chosen.output, input_files(chosen), force=chosen.force)
    from ..key_search.api import key_risk

    with tables_read(chosen) as tables:
        asked = _asked(chosen, tables)
        named = {"--candidates": asked["candidates"], "--targets": asked["target"] or []}
        look_at(tables, named, every=chosen.candidates is None)
        with working() as watched:
            result = key_risk(list(tables.synthetic), tables.original, **asked, print_flag=watched)
        deliver(_views(result, chosen.min_cell), chosen)
    return DONE


def _asked(chosen: Namespace, tables: Tables) -> dict[str, Any]:
    """The options as arguments of `key_risk()`."""
    targets = listed_words(chosen.targets)
    candidates = listed_words(chosen.candidates)
    if candidates is None:
        candidates = [name for name in common_columns(tables) if name not in (targets or ())]
    if not targets and (chosen.ngroups_targets or chosen.exclude_ov_denom_lim):
        option = "--ngroups-targets" if chosen.ngroups_targets else "--exclude-ov-denom-lim"
        raise InputError(f"{option}: is about targets; name them by --targets, or leave it out")
    by_target = classes(chosen, candidates, targets or [])
    asked = {OF_SEARCH.get(name, name): value for name, value in by_target.items()}
    for name in PAIRS:
        if name in asked:
            asked[name] = dict(zip(targets or [], asked[name]))
    return asked | {
        "candidates": candidates,
        "target": targets,
        "max_keys": min(chosen.max_keys, len(candidates)),
        "share": chosen.share,
        "cont_na": tables.cont_na,
        "counts": chosen.counts,
    }


def _views(result: KeyRisk, min_cell: int) -> Views:
    return Views(
        table=lambda: terminal_text(result._limited(min_cell)),
        json=lambda: json_text(result.to_dict(min_cell=min_cell)),
        csv=lambda: _csv(result, min_cell),
    )


def _csv(result: KeyRisk, min_cell: int) -> str:
    import pandas as pd

    from ..show.csv import csv_text

    content = result.to_dict(min_cell=min_cell)
    return csv_text(pd.DataFrame(_rows(content)).astype(object))


def _rows(content: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """One row for each set of keys and measure."""
    for rank, subset in enumerate(content["subsets"], start=1):
        for measure, value in subset["percent"].items():
            name, _, target = measure.partition(" ")
            yield {
                "rank": rank,
                "keys": ", ".join(map(str, subset["keys"])),
                "size": len(subset["keys"]),
                "measure": name,
                "target": target,
                "value": value,
                "hidden": value is None,
                "unit": content["unit"],
            }


COMMAND = Command(
    name="keys",
    says="Search for dangerous keys: try every set of columns an intruder might know.",
    example="keys --synthetic synthetic.csv --original original.csv --targets income --max-keys 3",
    add_options=add_options,
    run=run,
)
