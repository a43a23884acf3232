"""Parquet files: their columns and categories, from what the files say of themselves."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import pandas as pd

from ..core.columns import Column
from ..errors import InputError, missing_package
from ..names import some
from ..tables.reading import read_column
from .locations import Location, check_case

if TYPE_CHECKING:
    import pyarrow as pa

Files: TypeAlias = tuple[str, str]
# row labels that pandas writes as a column; for other readers they are not records
ROW_LABELS = re.compile(r"__index_level_\d+__")


def parquet_schema(location: Location) -> pa.Schema:
    """Names and types of the columns, those of the first file; the others must have the same
    names.
    """
    first, *others = location.files
    schema = _schema(first, location)
    check_case(schema.names, location)
    for file in others:
        other = _schema(file, location)
        differing = set(schema.names) ^ set(other.names)
        if differing:
            raise InputError(
                f"{location.argument}: {file.name!r} and {first.name!r} do not have the same"
                f" columns ({some(sorted(differing))}), so they are not one table"
            )
        _check_types(schema, other, (first.name, file.name), location)
    return schema


def _check_types(schema: pa.Schema, other: pa.Schema, files: Files, location: Location) -> None:
    """Raise an error if a column has two types: an engine would convert the values of one file, and
    may merge some.
    """
    for name in record_columns(schema):
        types = (_type_of(schema, name), _type_of(other, name))
        if types[0] != types[1]:
            raise InputError(
                f"{location.argument}: column {name!r} has type {types[0]} in {files[0]!r} and"
                f" {types[1]} in {files[1]!r}; write the files with one type"
            )


def _type_of(schema: pa.Schema, name: str) -> str:
    """The type of a column: of categories that of their values, of text one for all its forms."""
    import pyarrow as pa

    found = schema.field(name).type
    if pa.types.is_dictionary(found):
        found = found.value_type
    is_text = pa.types.is_string(found) or pa.types.is_large_string(found)
    return "string" if is_text else str(found)


def _schema(file: Path, location: Location) -> pa.Schema:
    parquet = import_parquet()
    try:
        schema = parquet.read_schema(file)
    except (ValueError, OSError):  # Arrow's errors are among them, and may quote the file
        raise damaged(location, file) from None
    twice = sorted({name for name in schema.names if schema.names.count(name) > 1})
    if twice:
        raise InputError(
            f"{location.argument}: {file.name!r} has columns of the same name ({some(twice)});"
            " rename them"
        )
    return schema


def damaged(location: Location, file: Path | None = None) -> InputError:
    """The error for a file that is not Parquet, or not complete."""
    name = location.name if file is None else file.name
    return InputError(
        f"{location.argument}: {name!r} cannot be read as Parquet; it is damaged, incomplete "
        "or another kind of file. Write it again"
    )


def import_parquet() -> Any:
    """Arrow's module for Parquet."""
    try:
        import pyarrow.parquet as parquet
    except ImportError:
        raise missing_package("files that end in .parquet", "pyarrow", "frames") from None
    return parquet


def record_columns(schema: pa.Schema) -> list[str]:
    """The columns without the row labels of pandas."""
    return [name for name in schema.names if not ROW_LABELS.fullmatch(name)]


def category_columns(schema: pa.Schema) -> list[str]:
    """The columns that are categories, although engines may read them as text."""
    import pyarrow as pa

    return [field.name for field in schema if pa.types.is_dictionary(field.type)]


class Categories:
    """Reads columns of Parquet files that an engine scans. DuckDB and polars lose the order of
    categories, and those that do not occur; the files still have them.
    """

    def __init__(self, files: tuple[Path, ...], names: list[str]) -> None:
        self._files = files
        self._names = names
        self._known: dict[str, list[Any]] = {}

    def __call__(self, name: str, series: pd.Series, where: str) -> Column:
        if name not in self._names:
            return read_column(series, where)
        values = series.array.__arrow_array__().to_pandas()
        categories = pd.Categorical(values, categories=self._of(name))
        return read_column(pd.Series(categories), where)

    def _of(self, name: str) -> list[Any]:
        """The categories of a column, in the order of the files."""
        if name not in self._known:
            found: dict[Any, None] = {}
            for file in self._files:
                found |= _categories(file, name)
            self._known[name] = list(found)
        return self._known[name]


def _categories(file: Path, name: str) -> dict[Any, None]:
    """The categories in one file. Every group of rows has its own list, nearly always the same; the
    groups are read one at a time to save memory.
    """
    found: dict[Any, None] = {}
    with import_parquet().ParquetFile(file) as opened:
        for group in range(opened.num_row_groups):
            values = opened.read_row_group(group, columns=[name]).column(0)
            for chunk in values.chunks:
                found |= dict.fromkeys(chunk.dictionary.to_pandas())
    return found


def read_parquet(location: Location) -> pd.DataFrame:
    """All files of a location, in memory."""
    parquet = import_parquet()
    import pyarrow as pa

    schema = parquet_schema(location)
    names = record_columns(schema)
    try:
        tables = [
            parquet.ParquetFile(file, memory_map=False).read(columns=names)
            for file in location.files
        ]
        table = pa.concat_tables([part.select(names) for part in tables])
    except (ValueError, OSError):
        raise damaged(location) from None
    frame: pd.DataFrame = table.unify_dictionaries().to_pandas(ignore_metadata=True)
    for name in names:
        values = table.column(name)
        # pandas would turn integers into floats where some are missing
        if pa.types.is_integer(values.type) and values.null_count:
            frame[name] = pd.array(values.to_pylist(), dtype="Int64")
    return frame
