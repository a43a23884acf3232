"""Tables read from files and written to them.

What is written appears under its name only when it is complete.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import InputError, SynthpopError

if TYPE_CHECKING:
    import pandas as pd

    from ..synds import SynDS

__all__ = ["READABLE", "WRITABLE", "check_free", "read_table", "set_paths", "write_sets"]

OF_R = (".rds", ".rda", ".rdata")
READABLE = (".csv", ".csv.gz", ".parquet", *OF_R)
WRITABLE = (".csv", ".csv.gz", ".parquet", ".rds")


def ending(path: Path) -> str:
    """The ending that says what a file is, in small letters.

    >>> ending(Path("people.CSV.gz")), ending(Path("a.b/people.parquet"))
    ('.csv.gz', '.parquet')
    """
    name = path.name.lower()
    return ".csv.gz" if name.endswith(".csv.gz") else Path(name).suffix


# ---- reading -------------------------------------------------------------------------


def read_table(path: Path) -> pd.DataFrame:
    """The table in a file."""
    kind = ending(path)
    if kind not in READABLE:
        raise InputError(f"{path}: cannot be read; choices: {', '.join(READABLE)}")
    if not path.is_file():
        raise InputError(f"{path}: there is no such file")
    if kind in OF_R:
        return _table_of_r(path)
    import pandas as pd

    if kind == ".parquet":
        _need_parquet()
        return _parsed(pd.read_parquet, path)
    return _parsed(pd.read_csv, path)


def _parsed(read: Callable[..., Any], path: Path) -> pd.DataFrame:
    try:
        table: pd.DataFrame = read(path)
    except (ValueError, OSError) as error:  # what pandas and pyarrow raise for a damaged file
        # their texts may quote what the file holds
        raise InputError(f"{path}: cannot be read as {ending(path)[1:]}") from error
    return table


def _table_of_r(path: Path) -> pd.DataFrame:
    import pandas as pd

    from ..r_files import read_r

    objects = read_r(path)
    tables = {name: thing for name, thing in objects.items() if isinstance(thing, pd.DataFrame)}
    if len(tables) != 1:
        raise InputError(
            f"{path}: holds {len(tables)} data frames, and one is needed; save it by itself with"
            " saveRDS()"
        )
    return next(iter(tables.values()))


def _need_parquet() -> None:
    if find_spec("pyarrow") is None and find_spec("fastparquet") is None:
        raise SynthpopError(
            "files that end in .parquet need pyarrow, which is not installed: pip install pyarrow;"
            " or use .csv"
        )


# ---- writing -------------------------------------------------------------------------


def set_paths(output: Path, sets: int, like: Path) -> list[Path]:
    """Where each set goes: the file named, numbered files beside it, or files in a folder. R's
    format takes all sets in one file.
    """
    if output.is_dir():
        kind = ending(like) if ending(like) in WRITABLE else ".csv"
        output = output / f"synthetic{kind}"
    kind = ending(output)
    if kind not in WRITABLE:
        raise InputError(
            f"--output: {output} cannot be written; choices: {', '.join(WRITABLE)}, or a folder"
        )
    if sets == 1 or kind == ".rds":
        return [output]
    stem = output.name[: -len(kind)]
    return [output.with_name(f"{stem}-{number}{kind}") for number in range(1, sets + 1)]


def check_free(paths: Sequence[Path], original: Path, *, force: bool) -> None:
    """An error where something would be overwritten; the original never is."""
    for path in paths:
        if not path.absolute().parent.is_dir():
            raise InputError(f"--output: the folder of {path} does not exist")
        if path.exists() and path.samefile(original):
            raise InputError(f"--output: {path} is the original; give another name")
        if path.exists() and not force:
            raise InputError(f"--output: {path} exists; give another name, or --force")
    if ending(paths[0]) == ".parquet":
        _need_parquet()


def write_sets(synthesis: SynDS, paths: Sequence[Path]) -> None:
    """Write all sets, or none."""
    from ..r_files.replacing import replacement

    with ExitStack() as written:
        parts = [written.enter_context(replacement(path)) for path in paths]
        if ending(paths[0]) == ".rds":
            from ..r_files import write_synds

            write_synds(synthesis, parts[0])
            return
        for frame, part in zip(synthesis.syn, parts, strict=True):
            _write(frame, part)


def _write(frame: pd.DataFrame, path: Path) -> None:
    if ending(path) == ".parquet":
        frame.to_parquet(path, index=False)
    else:
        _whole_numbers_as_such(frame).to_csv(path, index=False)


def _whole_numbers_as_such(frame: pd.DataFrame) -> pd.DataFrame:
    """Numbers without decimals are written without: `syn()` gives 42.0 for a whole number, as R
    does, and R writes 42.
    """
    whole = {}
    for name in frame.columns:
        column = frame[name]
        if column.dtype.kind == "f" and (column.dropna() % 1 == 0).all():
            whole[name] = "Int64"
    return frame.astype(whole)
