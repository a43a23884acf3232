"""``synthpop-disclosure data``: the data sets of the package, as files to try things on."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from typing import TYPE_CHECKING, Any

from ..errors import InputError
from .command import DONE, Command
from .files import WRITABLE, check_free, set_paths, write_sets
from .outputs import add_file, json_text, show

if TYPE_CHECKING:
    from ..synds import SynDS

__all__ = ["COMMAND"]

ACTIONS = ("list", "show", "write")
SHOWN = ("kind", "rows", "columns", "m", "source", "version", "licence", "call")


def add_options(parser: ArgumentParser) -> None:
    parser.add_argument(
        "action", nargs="?", choices=ACTIONS, default="list", help="list them, show or write one"
    )
    parser.add_argument("name", nargs="?", help="which one to show or write, such as SD2011")
    add_file(parser, f"where to write it: {', '.join(WRITABLE)}; several sets are numbered")
    parser.add_argument("--json", action="store_true", help="JSON instead of text to read")


def run(chosen: Namespace) -> int:
    if chosen.action == "list":
        _list(chosen)
    elif chosen.name is None:
        raise InputError(f"data {chosen.action}: name a data set; see: synthpop-disclosure data")
    elif chosen.action == "show":
        _show(chosen)
    else:
        _write(chosen)
    return DONE


def _list(chosen: Namespace) -> None:
    from .. import datasets

    entries = {name: datasets.info(name) for name in datasets.names()}
    if chosen.json:
        keys = ("kind", "rows", "columns")
        content = [
            {"name": name} | {key: entry[key] for key in keys} for name, entry in entries.items()
        ]
        show(json_text(content) + "\n")
        return
    width = max(map(len, entries))
    lines = []
    for name, entry in entries.items():
        lines.append(f"{name.ljust(width)}  {_about(entry)}\n")
    show("".join(lines))


def _about(entry: dict[str, Any]) -> str:
    if entry["kind"] == "data":
        return f"{entry['rows']} records, {entry['columns']} columns; {entry['source']}"
    sets = "1 synthesis" if entry["m"] == 1 else f"{entry['m']} syntheses"
    return f"{sets}, {entry['rows']} records, {entry['columns']} columns"


def _show(chosen: Namespace) -> None:
    from .. import datasets

    entry = datasets.info(chosen.name)
    if chosen.json:
        show(json_text({"name": chosen.name} | entry) + "\n")
        return
    lines = [f"{key}: {entry[key]}\n" for key in SHOWN if key in entry]
    names = ", ".join(map(str, _sets(chosen.name).syn[0].columns))
    show("".join([f"{chosen.name}\n", *lines, f"names: {names}\n"]))


def _sets(name: str) -> SynDS:
    """The data set as a synthesis of one, or the synthesis."""
    from .. import datasets
    from ..synds import SynDS

    if name in datasets.names("data"):
        return SynDS([datasets.load(name)])
    return datasets.load_synthesis(name)


def _write(chosen: Namespace) -> None:
    if chosen.output is None:
        raise InputError("data write: name the file to write, as in -o people.csv")
    from .. import datasets

    m = datasets.info(chosen.name).get("m", 1)
    paths = set_paths(chosen.output, m, None)
    check_free(paths, (), force=chosen.force)
    sets = _sets(chosen.name)
    write_sets(sets, paths)
    for path in paths:
        show(f"{path}: {len(sets.syn[0])} records, {len(sets.syn[0].columns)} columns\n")


COMMAND = Command(
    name="data",
    says="List, show or write the data sets of the package.",
    example="data write SD2011 -o sd2011.csv",
    add_options=add_options,
    run=run,
)
