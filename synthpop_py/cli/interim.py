"""Stands in for `tables.together.read_both` until that is there; then this file goes."""

from __future__ import annotations

import csv
import gzip
import os
import re
import tempfile
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from ..errors import InputError
from ..files.opening import Asked, opened_together
from ..files.sources import source_of
from ..names import unknown_name
from ..tables.opening import check_frame, table_of

SMALL = 32_000_000
DATES = {"dd.mm.yyyy": r"(\d\d?)\.(\d\d?)\.(\d{4})", "dd/mm/yyyy": r"(\d\d?)/(\d\d?)/(\d{4})"}


class Both:
    def __init__(self, synthetic, original, holdout, notes, stack):  # type: ignore[no-untyped-def]
        self.synthetic, self.original, self.holdout = synthetic, original, holdout
        self.notes, self.stack = notes, stack

    def __enter__(self):  # type: ignore[no-untyped-def]
        return self

    def __exit__(self, *given: Any) -> None:
        self.stack.close()


def _read_both(  # type: ignore[no-untyped-def]
    synthetic,
    original,
    stack,
    *,
    holdout=None,
    sep=None,
    decimal=None,
    encoding=None,
    dates=None,
    missing=(),
    text=(),
    drop=(),
    arguments=("--synthetic", "--original", "--holdout"),
) -> Both:
    notes = []
    several = len(synthetic) > 1
    given = [
        (one, f"{arguments[0]}, element {at}" if several else arguments[0])
        for at, one in enumerate(synthetic, 1)
    ]
    given.append((original, arguments[1]))
    if holdout is not None:
        given.append((holdout, arguments[2]))
    folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
    asked, size, csvs, known = [], 0, 0, []
    for at, (one, place) in enumerate(given):
        if isinstance(one, (str, os.PathLike)):
            location = source_of(one).located(place.partition(",")[0])
            size += sum(file.stat().st_size for file in location.files)
            if location.kind in (".csv", ".csv.gz"):
                csvs += 1
                new = folder / str(at)
                new.mkdir()
                one, form, names = rewritten(
                    one, location, new, sep, decimal, encoding, dates, missing
                )
                known += names
                if form:
                    notes.append(f"{location.name}: read with {form}")
            asked.append(Asked(one, place))
    for name in text:
        if not csvs:
            raise InputError("--text: is for CSV files, and none is read; leave it out")
        if name not in known:
            raise unknown_name("--text", name, known, "the CSV files")
    origins = iter(opened_together(asked, scan=size > SMALL, as_text=dict.fromkeys(text, "text")))
    tables = []
    for one, place in given:
        if isinstance(one, (str, os.PathLike)):
            origin = next(origins)
            stack.callback(origin.close)
            one = table_of(origin, place)
            if origin.reader == "pandas":
                one = check_frame(one, place)
        if drop:
            one = one.drop(columns=[name for name in drop if name in list(one.columns)])
        tables.append(one)
    last = tables.pop() if holdout is not None else None
    return Both(tables[: len(synthetic)], tables[-1], last, notes, stack)


def rewritten(one, location, folder, sep, decimal, encoding, dates, missing):  # type: ignore
    file = location.files[0]
    opener = gzip.open if location.kind == ".csv.gz" else open
    raw = opener(file, "rb").read()
    form = []
    if encoding is None:
        encoding = "utf-8-sig"
        try:
            raw.decode(encoding)
        except UnicodeError:
            encoding = "latin-1"
            form.append("Latin-1")
    content = raw.decode(encoding)
    header = content.partition("\n")[0]
    mark = sep or max(",;\t|", key=header.count)
    if mark != ",":
        form.append(f"{mark!r} between fields")
    rows = list(csv.reader(content.splitlines(), delimiter=mark))
    names = rows[0] if rows else []
    if len(location.files) > 1 or len({len(row) for row in rows if row}) != 1:
        return one, "", names
    rows = [row for row in rows if row]
    columns = [list(column) for column in zip(*rows[1:])]
    for at, column in enumerate(columns):
        filled = [text for text in column if text.strip() and text not in ("NA", *missing)]
        commas = [text for text in filled if re.fullmatch(r"-?\d+,\d+", text)]
        if commas and mark != "," and all(re.fullmatch(r"-?\d+(,\d+)?", text) for text in filled):
            column[:] = [text.replace(",", ".") for text in column]
            form += [] if "decimal comma" in form else ["decimal comma"]
        for name, pattern in DATES.items():
            if (
                dates in (None, name)
                and filled
                and all(re.fullmatch(pattern, text) for text in filled)
            ):
                column[:] = [
                    re.sub(pattern, lambda m: f"{m[3]}-{int(m[2]):02}-{int(m[1]):02}", text)
                    for text in column
                ]
                form.append(f"dates as {name} in {names[at]}")
        column[:] = ["" if text in missing else text for text in column]
    if not form and not missing:
        return one, "", names
    new = folder / file.name.removesuffix(".gz")
    with new.open("w", newline="", encoding="utf-8") as out:
        csv.writer(out).writerows([names, *zip(*columns)])
    return str(new), ", ".join(form), names


def read_both(*given, **options):  # type: ignore[no-untyped-def]
    stack = ExitStack()
    try:
        return _read_both(*given, stack, **options)
    except BaseException:
        stack.close()
        raise
