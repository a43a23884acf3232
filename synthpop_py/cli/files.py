"""Tables written to files, each complete or not at all. `synthpop_py.files` reads them."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

from ..errors import InputError
from ..tables.paths import Location, ending
from .outputs import check_writable

if TYPE_CHECKING:
    import pandas as pd

    from ..synds import SynDS

__all__ = ["WRITABLE", "check_free", "set_paths", "write_sets"]

WRITABLE = (".csv", ".csv.gz", ".parquet", ".rds")


def set_paths(output: Path, sets: int, like: Location | None) -> list[Path]:
    """Where each set goes: the file named, numbered files beside it, or files in a folder. R's
    format takes all sets in one file.
    """
    if output.is_dir():
        kind = like.kind if like is not None and like.kind in WRITABLE else ".csv"
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


def check_free(paths: Sequence[Path], original: Sequence[Path], *, force: bool) -> None:
    """Raise an error if something would be overwritten; the original never is."""
    for path in paths:
        check_writable(path, original, force=force)
    if ending(paths[0]) == ".parquet":
        from ..tables.protocol import needed

        needed("files that end in .parquet", "pyarrow", "frames")


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
