"""The tables of a command: read together, so a value means the same in each."""

from __future__ import annotations

import glob
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from ..errors import InputError
from ..names import unknown_name
from ..tables.paths import Location
from .config import CONFIG
from .messages import tell
from .options import listed_words, special_numbers

if TYPE_CHECKING:
    from ..tables.csv_files import AsText

__all__ = [
    "Tables",
    "add_cont_na",
    "add_tables",
    "add_text",
    "add_what",
    "input_files",
    "tables_read",
    "text_columns",
]

BUNDLED = "data:"  # data:SD2011, a data set of the package
SMALL = 32_000_000  # bytes of files that are read into memory; engines scan larger ones
SYNTHETIC, ORIGINAL, HOLDOUT = "--synthetic", "--original", "--holdout"
TEXT = "--text"
FORMS = (
    "a file (.csv, .csv.gz, .parquet, .rds, .rda, .sas7bdat, .xpt, .sav, .dta), a folder of Parquet"
    " files, a pattern, FILE::TABLE of a DuckDB or SQLite database or of a file of R,"
    " duckdb:FILE::TABLE, sqlite:FILE::TABLE, or data:NAME for a data set of the package"
)


def add_tables(parser: ArgumentParser, *, holdout: bool = False) -> None:
    """Options that name the tables. Each has a name, so users do not swap them."""
    parser.add_argument(
        SYNTHETIC,
        action="extend",
        nargs="+",
        required=True,
        metavar="SOURCE",
        help=f"the synthetic data, one source for each synthesis: {FORMS}",
    )
    parser.add_argument(
        ORIGINAL, required=True, metavar="SOURCE", help="the original data, named in the same ways"
    )
    if holdout:
        parser.add_argument(
            HOLDOUT,
            metavar="SOURCE",
            help="people of the same population whom the synthesis never saw: what it reveals "
            "about them, anyone could have guessed",
        )
    add_text(parser)
    parser.add_argument(
        CONFIG,
        metavar="FILE",
        help="options from a TOML file, named as here; what is typed wins",
    )


def add_what(parser: ArgumentParser) -> None:
    """Options that say how columns are read."""
    add_cont_na(parser)
    parser.add_argument(
        "--counts", metavar="COLUMN", help="the column that says how many records a row stands for"
    )


def add_text(parser: ArgumentParser) -> None:
    """Columns of a CSV that only look like numbers."""
    parser.add_argument(
        TEXT,
        metavar="COLUMNS",
        help="columns of the CSV files that are codes, not numbers, between commas: 007 and 7 stay"
        " two values, in every file, and NA is one, too",
    )


def add_cont_na(parser: ArgumentParser) -> None:
    """Special values of numeric columns."""
    parser.add_argument(
        "--cont-na",
        action="append",
        default=[],
        metavar="COLUMN=VALUE",
        help="special values of a numeric column (codes, not amounts), such as income=-8",
    )


@dataclass(frozen=True, slots=True)
class Tables:
    """The tables that the options name.

    Attributes
    ----------
    synthetic : the syntheses, in order.
    original, holdout : tables; None where there is no holdout.
    cont_na : special values, by column, that were typed or came with a synthesis; None for none.
    """

    synthetic: tuple[Any, ...]
    original: Any
    holdout: Any
    cont_na: dict[str, Any] | None


class _Named(NamedTuple):
    """A source, and the option that it was given by."""

    text: str
    option: str


@contextmanager
def tables_read(chosen: Namespace, *, in_memory: bool = False) -> Iterator[Tables]:
    """The tables, until the work with them is done."""
    sources = [_Named(text, SYNTHETIC) for text in chosen.synthetic]
    sources.append(_Named(chosen.original, ORIGINAL))
    holdout = getattr(chosen, "holdout", None)
    if holdout is not None:
        sources.append(_Named(holdout, HOLDOUT))
    _tell_of_copies(sources)
    with ExitStack() as opened:
        sets = _read(sources, chosen, in_memory=in_memory, opened=opened)
        released = [part for group in sets[: len(chosen.synthetic)] for part in group.frames]
        original, *rest = [_only(group) for group in sets[len(chosen.synthetic) :]]
        yield Tables(
            synthetic=tuple(released),
            original=original,
            holdout=rest[0] if rest else None,
            cont_na=_special(chosen, sets),
        )


def _tell_of_copies(sources: Sequence[_Named]) -> None:
    """A note if the original is given as a synthesis: a mistake, or a copy that must not be
    released.
    """
    original = next(source for source in sources if source.option == ORIGINAL)
    for source in sources:
        if source.option == SYNTHETIC and _is_same(source.text, original.text):
            tell(
                f"{SYNTHETIC}: {source.text!r} is also the file of {ORIGINAL}; these figures "
                "are the risk of releasing the original data themselves"
            )


def _is_same(text: str, other: str) -> bool:
    """Whether two texts name one table, by paths alone: equal copies are not looked for."""
    from ..tables.paths import source_of

    one, two = source_of(text), source_of(other)
    if one.table != two.table:
        return False
    try:
        return text == other or Path(one.path).expanduser().samefile(Path(two.path).expanduser())
    except (OSError, ValueError, RuntimeError):  # a pattern, a data set of the package
        return False


def _tell_of_patterns(sources: Sequence[_Named]) -> None:
    """A note that a quoted pattern with several files is one table, not several syntheses."""
    for source, location in zip(sources, _locations(sources)):
        if source.option == SYNTHETIC and len(location.files) > 1 and _has_magic(source.text):
            tell(
                f"{SYNTHETIC}: {source.text!r} names {len(location.files)} files, which are read as"
                " one table; for several syntheses write the pattern without quotes"
            )


def _locations(sources: Sequence[_Named]) -> list[Location]:
    from ..tables.paths import source_of

    return [source_of(source.text).located(source.option) for source in sources]


def _has_magic(text: str) -> bool:
    return glob.has_magic(text) and not Path(text).exists()


def input_files(chosen: Namespace) -> list[Path]:
    """The files that must not be overwritten."""
    from ..tables.paths import source_of

    texts = [*chosen.synthetic, chosen.original, getattr(chosen, "holdout", None)]
    return [Path(source_of(text).path) for text in texts if text is not None]


# ---- one source ----------------------------------------------------------------------


class _Sets(NamedTuple):
    """What one source holds: a table, or the sets of a synthesis."""

    source: _Named
    frames: tuple[Any, ...]
    cont_na: dict[Any, Any]


def _read(
    sources: Sequence[_Named], chosen: Namespace, *, in_memory: bool, opened: ExitStack
) -> list[_Sets]:
    """What each source holds; files are opened together."""

    held = [_held(source) for source in sources]
    files = [source for source, sets in zip(sources, held) if sets is None]
    _tell_of_patterns(files)
    scan = not in_memory and _size(files) > SMALL
    as_text = text_columns(chosen, _locations(files))
    origins = iter(_together(files, as_text, scan))
    read = []
    for source, sets in zip(sources, held):
        if sets is None:
            origin = next(origins)
            opened.callback(origin.close)
            sets = _Sets(source, (_table(origin, source, in_memory=in_memory),), {})
        read.append(sets)
    return read


def _together(files: Sequence[_Named], as_text: AsText, scan: bool) -> list[Any]:
    from ..tables.csv_files import csv_together
    from ..tables.files import origin_of
    from ..tables.paths import OF_TEXT, source_of

    locations = _locations(files)
    of_text = [at for at, one in enumerate(locations) if one.kind in OF_TEXT]
    texts = csv_together([locations[at] for at in of_text], as_text, scan=scan)
    origins = dict(zip(of_text, texts))
    for at, one in enumerate(locations):
        if at not in origins:
            origins[at] = origin_of(one, source_of(files[at].text).table, scan=scan)
    return [origins[at] for at in range(len(locations))]


def text_columns(chosen: Namespace, locations: Sequence[Location]) -> AsText:
    """The columns that --text names, or an error: in files other than CSV, columns have types."""
    names = listed_words(chosen.text) or []
    if not names:
        return {}
    from ..tables.csv_files import USUAL, csv_names
    from ..tables.paths import OF_TEXT

    of_text = [location for location in locations if location.kind in OF_TEXT]
    if not of_text:
        raise InputError(f"{TEXT}: is for CSV files, and none is read; leave it out")
    known = list(dict.fromkeys(name for location in of_text for name in csv_names(location, USUAL)))
    for name in names:
        if name not in known:
            raise unknown_name(TEXT, name, known, "the CSV files")
    return dict.fromkeys(names, "text")


def _held(source: _Named) -> _Sets | None:
    """A data set of the package, or a synthesis in a file of R; None for any other file."""
    if source.text.startswith(BUNDLED):
        return _bundled(source)
    from ..tables.paths import OF_R, ending

    if ending(Path(source.text)) not in OF_R or source.option != SYNTHETIC:
        return None
    from ..r_files import read_r
    from ..synds import SynDS
    from ..tables.paths import source_of

    location = source_of(source.text).located(source.option)
    syntheses = [part for part in read_r(location.files[0]).values() if isinstance(part, SynDS)]
    if len(syntheses) != 1:
        return None
    return _Sets(source, tuple(syntheses[0].syn), dict(syntheses[0].cont_na))


def _bundled(source: _Named) -> _Sets:
    from .. import datasets
    from ..names import unknown_choice

    name = source.text.removeprefix(BUNDLED)
    if name not in datasets.names():
        raise unknown_choice(source.option, name, datasets.names(), "the data sets of the package")
    if name in datasets.names("data"):
        return _Sets(source, (datasets.load(name),), {})
    synthesis = datasets.load_synthesis(name)
    return _Sets(source, tuple(synthesis.syn), dict(synthesis.cont_na))


def _table(origin: Any, source: _Named, *, in_memory: bool) -> Any:
    from ..tables.opening import check_frame, table_of

    place = f"{source.option} ({origin.name})"
    table = table_of(origin, place)
    if in_memory or origin.reader == "pandas":
        return check_frame(table, place)
    return table


def _size(sources: Sequence[_Named]) -> int:
    """Bytes of all files; missing files are reported later."""
    from ..tables.paths import source_of

    sizes = 0
    for source in sources:
        path = Path(source_of(source.text).path).expanduser()
        try:
            folder = path if path.is_dir() else None
            files = folder.rglob("*.parquet") if folder else path.parent.glob(path.name)
            sizes += sum(file.stat().st_size for file in files)
        except (OSError, ValueError, NotImplementedError):
            continue
    return sizes


def _only(sets: _Sets) -> Any:
    if len(sets.frames) > 1:
        raise InputError(
            f"{sets.source.option}: {sets.source.text!r} holds {len(sets.frames)} tables, and one"
            " is needed"
        )
    return sets.frames[0]


def _special(chosen: Namespace, sets: Sequence[_Sets]) -> dict[str, Any] | None:
    typed = special_numbers("--cont-na", getattr(chosen, "cont_na", None) or [])
    special: dict[str, Any] = {}
    for group in sets:
        special |= group.cont_na
    return special | typed or None
