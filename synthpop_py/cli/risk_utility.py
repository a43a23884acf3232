"""``synthpop-disclosure map``: several releases on one map of risk and utility."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import InputError
from .command import DONE, Command
from .inputs import SYNTHETIC, add_tables, add_what, input_files, tables_read
from .looks import look_at
from .messages import working
from .options import listed_words
from .outputs import Views, add_output, check_writable, deliver, json_text, show
from .wording import terminal_text

if TYPE_CHECKING:
    from ..ru_map.result import RUMap

__all__ = ["COMMAND"]

PICTURES = (".png", ".svg", ".pdf")


def add_options(parser: ArgumentParser) -> None:
    add_tables(parser)
    parser.add_argument(
        "--keys", required=True, metavar="COLUMNS", help="what an intruder may know"
    )
    parser.add_argument("--target", metavar="COLUMN", help="what the intruder could learn")
    parser.add_argument(
        "--risk", metavar="MEASURES", help="repU, DiSCO, repU_any, DiSCO_any, expected_match_rate"
    )
    parser.add_argument(
        "--utility", default="tvd", metavar="MEASURES", help="tvd, tvd1, tvd2, S_pMSE (tvd)"
    )
    parser.add_argument(
        "--variables", metavar="COLUMNS", help="columns that utility is measured on (all)"
    )
    parser.add_argument(
        "--bootstrap", type=int, default=0, metavar="N", help="resamples for intervals (0)"
    )
    parser.add_argument("--seed", type=int, help="for the bootstrap")
    parser.add_argument(
        "--picture",
        type=Path,
        metavar="FILE",
        help=f"also draw the map: {', '.join(PICTURES)} (needs matplotlib)",
    )
    add_what(parser)
    add_output(parser)


def run(chosen: Namespace) -> int:
    names = _take_names(chosen)
    files = input_files(chosen)
    check_writable(chosen.output, files, force=chosen.force)
    _check_picture(chosen, files)
    from ..ru_map import ru_map

    if chosen.counts is not None:
        raise InputError("--counts: a map needs one record per row; leave it out")
    with tables_read(chosen, in_memory=True) as tables:
        keys = listed_words(chosen.keys) or []
        look_at(tables, {"--keys": keys, "--target": [chosen.target] if chosen.target else []})
        releases = _releases(names, tables.synthetic)
        with working():
            result = ru_map(
                releases, tables.original, keys=keys, cont_na=tables.cont_na, **_asked(chosen)
            )
    _draw(result, chosen)
    deliver(_views(result, chosen.min_cell), chosen)
    return DONE


def _asked(chosen: Namespace) -> dict[str, Any]:
    return {
        "target": chosen.target,
        "risk": listed_words(chosen.risk),
        "utility": listed_words(chosen.utility),
        "variables": listed_words(chosen.variables),
        "bootstrap": chosen.bootstrap,
        "seed": chosen.seed,
    }


# ---- names of releases ---------------------------------------------------------------


def _take_names(chosen: Namespace) -> list[str]:
    """The name of the release that each source belongs to; sources of one name are the syntheses
    of one release. `chosen` keeps the sources without the names.
    """
    names, sources = [], []
    for text in chosen.synthetic:
        name, sign, rest = text.partition("=")
        is_named = bool(sign) and name and not Path(text).exists() and "/" not in name
        names.append(name if is_named else _stem(text))
        sources.append(rest if is_named else text)
    chosen.synthetic = sources
    return names


def _stem(text: str) -> str:
    from ..tables.paths import source_of

    source = source_of(text)
    stem = Path(source.path).name.partition(".")[0] or source.path
    return stem.removeprefix("data:") if source.table is None else source.table


def _releases(names: Sequence[str], tables: Sequence[Any]) -> dict[str, Any]:
    if len(names) != len(tables):
        return _of_bundles(names, tables)
    releases: dict[str, list[Any]] = {}
    for name, table in zip(names, tables):
        releases.setdefault(name, []).append(table)
    return {name: sets[0] if len(sets) == 1 else sets for name, sets in releases.items()}


def _of_bundles(names: Sequence[str], tables: Sequence[Any]) -> dict[str, Any]:
    """If a source holds several sets, it must be the only source of its release."""
    if len(set(names)) == 1:
        return {names[0]: list(tables)}
    raise InputError(
        f"{SYNTHETIC}: a source holds several syntheses beside others; name the sets one by one, as"
        " in NAME=FILE"
    )


# ---- what is shown -------------------------------------------------------------------


def _check_picture(chosen: Namespace, files: Sequence[Path]) -> None:
    if chosen.picture is None:
        return
    if chosen.picture.suffix.lower() not in PICTURES:
        raise InputError(
            f"--picture: {chosen.picture} cannot be drawn; choices: {', '.join(PICTURES)}"
        )
    check_writable(chosen.picture, files, force=chosen.force)


def _draw(result: RUMap, chosen: Namespace) -> None:
    if chosen.picture is None:
        return
    from ..r_files.replacing import replacement

    with replacement(chosen.picture) as part:
        result.save_plot(part, min_cell=chosen.min_cell)
    if chosen.output is not None:
        show(f"{chosen.picture}: drawn\n")


def _views(result: RUMap, min_cell: int) -> Views:
    return Views(
        table=lambda: terminal_text(result._limited(min_cell)),
        json=lambda: json_text(result.to_dict(min_cell=min_cell)),
        csv=lambda: _csv(result, min_cell),
    )


def _csv(result: RUMap, min_cell: int) -> str:
    import pandas as pd

    from ..show.csv import csv_text

    content = result.to_dict(min_cell=min_cell)
    hidden = [place.split("/") for place in content.get("hidden", ())]
    at_hidden = {int(parts[2]) for parts in hidden if parts[1] == "figures"}
    rows = []
    for at, figure in enumerate(content["figures"]):
        rows.append(figure | {"hidden": at in at_hidden})
    return csv_text(pd.DataFrame(rows).astype(object))


COMMAND = Command(
    name="map",
    says="Risk and utility of several releases of the same data.",
    example="map --synthetic cart=cart.csv --synthetic swapped=swapped.csv --original original.csv"
    " --keys sex,age --target income --picture map.svg",
    add_options=add_options,
    run=run,
)
