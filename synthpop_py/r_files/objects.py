"""What the parser of rdata gives, R's objects as they stand in the file, as Python. Rdata's own
conversion to pandas loses ordered flags.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import pandas as pd

from ..errors import InputError
from ..synds import SynDS
from .parsing import UnknownParser, parsed, unpacked

RObject: TypeAlias = Any  # the class of this name in rdata.parser
Numbers: TypeAlias = npt.NDArray[np.float64]
Texts: TypeAlias = list[str | None]
About: TypeAlias = dict[str, Any]  # attributes: texts as lists, numbers as arrays

WORKSPACES = (b"RDX2\n", b"RDX3\n", b"RDA2\n", b"RDA3\n", b"RDB2\n", b"RDB3\n")
# codecs of Python that are no encodings of R, of which some take long for long texts
NOT_OF_R = ("idna", "punycode", "unicode_escape", "raw_unicode_escape", "utf_7", "undefined")
S4_FLAG, LATIN1_FLAG, UTF8_FLAG = 1 << 4, 1 << 2, 1 << 3
VECTORS = {"LGL": "logical", "INT": "integer", "REAL": "double", "STR": "character"}
CLASSES = {
    **dict.fromkeys(("CLO", "SPECIAL", "BUILTIN"), "function"),
    **dict.fromkeys(("ENV", "GLOBALENV", "BASEENV", "EMPTYENV", "NAMESPACE"), "environment"),
    "LANG": "call",
    "SYM": "name",
    "EXPR": "expression",
    "CPLX": "complex",
    "PROM": "promise, which is code; force it in R before you save it",
}
FOREIGN = {"difftime", "POSIXlt", "integer64"}  # classes without a counterpart, whatever they hold
NANOSECOND_DAYS = 106_000  # either way from 1970; what nanoseconds in 64 bits can hold
SECONDS_OF_A_DAY = 86_400
FIRST_DAY, LAST_DAY = -719_162, 2_932_896  # from 1970: the years 1 to 9999, which Python has


class NoCounterpart(Exception):
    """An R object without a counterpart in Python; the text is the reason."""


def array_of(kind: str, numbers: Numbers, levels: Texts | None = None) -> Any:
    """A NumPy array where one can hold the values, otherwise an array of pandas. Numbers are NaN
    where missing: values, places of levels counted from 1, days or seconds since 1970. An explicit
    NA level is None.
    """
    missing = ~np.isfinite(numbers)
    known = np.where(missing, 0, numbers)
    if kind in ("factor", "ordered"):
        return _categorical(levels or [], known, missing, kind == "ordered")
    if kind in ("logical", "integer"):
        plain, nullable = ("bool", "boolean") if kind == "logical" else ("int64", "Int64")
        array = pd.Series(known.astype(plain))
        return array.astype(nullable).mask(missing).array if missing.any() else array.to_numpy()
    if kind == "Date":
        # R's dates are doubles, and show the day in which they lie
        return _days(np.floor(known), missing)
    return _times(known, missing) if kind == "POSIXct" else numbers


def objects(values: Sequence[Any]) -> Any:
    array = np.empty(len(values), dtype=object)
    array[:] = values
    return array


def series(array: Any, index: pd.Index | None = None) -> pd.Series:
    """Texts stay objects, as everywhere in the package; pandas 3 would make them ``str``."""
    return pd.Series(array, index, dtype=object if array.dtype == object else None)


def _categorical(levels: Texts, places: Numbers, missing: Any, ordered: bool) -> Any:
    """Pandas has no missing category: R's explicit NA level becomes an ordinary missing value."""
    names = [level for level in levels if level is not None]
    if len(set(names)) < len(names):
        raise NoCounterpart("a factor has the same level twice")
    if not np.isin(places[~missing], np.arange(1, len(levels) + 1)).all():
        raise NoCounterpart("a factor has values beyond its levels")
    code_of: dict[Any, int] = {level: code for code, level in enumerate(names)}
    # R counts positions from 1, so 0 is free for missing values
    codes = np.array([-1, *(code_of.get(level, -1) for level in levels)])
    categories = pd.Index(names, dtype=object)
    return pd.Categorical.from_codes(codes[places.astype(int)], categories, ordered=ordered)


def _days(days: Numbers, missing: Any) -> Any:
    if ((days < FIRST_DAY) | (days > LAST_DAY)).any():
        raise NoCounterpart("dates lie outside the years 1 to 9999")
    dates = days.astype(np.int64).astype("datetime64[D]")
    if (np.abs(days) > NANOSECOND_DAYS).any():
        return objects([None if gap else day for day, gap in zip(dates.tolist(), missing)])
    return np.where(missing, np.datetime64("NaT", "D"), dates).astype("datetime64[ns]")


def _times(seconds: Numbers, missing: Any) -> Any:
    """In UTC, so that a column of midnights is not mistaken for dates. Microseconds, which is what
    a double holds.
    """
    if (np.abs(seconds) > NANOSECOND_DAYS * SECONDS_OF_A_DAY).any():
        raise NoCounterpart("times lie outside the years 1678 to 2261")
    moments = np.round(seconds * 1e6).astype(np.int64).astype("datetime64[us]")
    moments = np.where(missing, np.datetime64("NaT", "us"), moments)
    return pd.Series(moments.astype("datetime64[ns]")).dt.tz_localize("UTC").array


class RdataFile:
    """What rdata parses: R's objects by name. `left_out` has what has no counterpart, as "where
    (why)".
    """

    def __init__(self, file: Path, most: int) -> None:
        import rdata

        self.file = file
        self.left_out: list[str] = []
        with self._errors():
            content = unpacked(file, most)
            self.is_workspace = content.startswith(WORKSPACES)
            start = len(WORKSPACES[0]) if self.is_workspace else 0
            whole = parsed(rdata, content[start:], most)
            self.encoding = whole.extra.encoding or "utf-8"
            if self.encoding.lower().replace("-", "_") in NOT_OF_R:
                claimed = f"{self.encoding!r:.40}"
                raise InputError(f"it claims the encoding {claimed}, which R does not use")
            self.objects = {file.stem: whole.object}
            if self.is_workspace:
                self.objects = self._pairs(whole.object)

    def value(self, name: str) -> Any:
        """An object as Python; NoCounterpart where it has none."""
        with self._errors():
            return self._value(self.objects[name], name)

    def refused(self, why: str) -> InputError:
        return InputError(f"path: {self.file.name} {why}")

    @contextmanager
    def _errors(self) -> Iterator[None]:
        """A damaged file can make the parser raise anything, and it may show only later."""
        why = "it is damaged, not an R file, or holds something unknown to rdata, such as a promise"
        try:
            yield
        except (NoCounterpart, MemoryError, UnknownParser):  # not the file's fault
            raise
        except RecursionError:
            why = "its lists are nested too deeply, or it holds more than some hundred objects"
        except InputError as error:
            why = str(error)
        except OSError as error:
            why = error.strerror or why
        except Exception:
            pass
        else:
            return
        raise InputError(f"path: rdata cannot read {self.file.name}: {why}")

    def _value(self, thing: RObject, where: str) -> Any:
        thing = _referred(thing)
        name = thing.info.type.name
        if name in ("NIL", "NILVALUE"):
            return None
        about = self._attributes(thing)
        classes = about.get("class", [])
        # objects of S4 can look like lists, but their parts mean something else
        is_foreign = thing.info.gp & S4_FLAG or FOREIGN & set(classes)
        if name == "VEC" and not is_foreign:
            if "synds" in classes:
                return self._synthesis(thing, about)
            if "data.frame" in classes:
                return self._frame(thing, about)
            if "dim" not in about:
                return self._list(thing, about, where)
        if name in VECTORS and not is_foreign:
            return self._vector(thing, about)
        default = "matrix" if "dim" in about else CLASSES.get(name, name.lower())
        raise NoCounterpart(classes[0] if classes else default)

    def _list(self, thing: RObject, about: About, where: str) -> Any:
        """A dict if every element has a different name, otherwise a list: a dict would lose
        elements without a name, or with one that comes twice. An element without a counterpart is
        left out of the dict; in the list it is None, which keeps the places of the others.
        """
        names = list(filter(None, about.get("names", [])))
        is_dict = len(set(names)) >= len(thing.value)
        values: dict[Any, Any] = {}
        for number, part in enumerate(thing.value):
            key: Any = names[number] if is_dict else number
            place = f"{where}${key}" if is_dict else f"{where}[[{number + 1}]]"
            try:
                values[key] = self._value(part, place)
            except NoCounterpart as error:
                self.left_out.append(f"{place} ({error})")
        return values if is_dict else [values.get(number) for number in range(len(thing.value))]

    def _vector(self, thing: RObject, about: About) -> Any:
        """An array; a Series where the elements have names; an array of several dimensions."""
        kind, dim = VECTORS[thing.info.type.name], about.get("dim", [])
        for special in ("POSIXct", "Date", "factor", "ordered"):
            kind = special if special in about.get("class", []) else kind
        array = objects(self._plain(thing)) if kind == "character" else None
        if array is None:
            array = array_of(kind, _numbers(thing), about.get("levels"))
        if len(dim) > 1:
            if kind not in VECTORS.values():
                raise NoCounterpart(f"a matrix of type {kind}")
            if not isinstance(array, np.ndarray):
                # no array of several dimensions has anything better for gaps than NaN and None
                has_nan = kind == "integer"
                array = _numbers(thing) if has_nan else array.to_numpy(object, na_value=None)
            return array.reshape([int(size) for size in dim], order="F")
        # the names of the only dimension, which R takes for those of the elements
        names = about["dimnames"][0] if len(dim) and "dimnames" in about else about.get("names")
        if names is None:
            return array
        return series(array, pd.Index([name or "" for name in names], dtype=object))

    def _frame(self, thing: RObject, about: About) -> pd.DataFrame:
        numbers = about["row.names"]
        # R keeps plain row numbers as NA and their count, with a minus where they are its own
        is_count = isinstance(numbers, np.ndarray) and len(numbers) == 2 and np.isnan(numbers[0])
        rows = abs(int(numbers[1])) if is_count else len(numbers)
        columns: dict[str, pd.Series] = {}
        for given, part in zip(about.get("names", []), thing.value, strict=True):
            name = "NA" if given is None else given
            if name in columns:
                raise NoCounterpart(f"two columns are called {name!r}; rename one in R")
            columns[name] = self._column(name, part, rows)
        return pd.DataFrame(columns, index=pd.RangeIndex(rows))

    def _column(self, name: str, part: RObject, rows: int) -> pd.Series:
        try:
            value = self._value(part, "")
            if isinstance(value, (list, dict, SynDS, type(None))):
                raise NoCounterpart("list")
            if value.ndim > 1:
                raise NoCounterpart("matrix")
        except NoCounterpart as error:
            raise NoCounterpart(f"column {name!r}: {error}; convert it in R") from None
        if len(value) != rows:
            raise NoCounterpart(f"column {name!r} has {len(value)} values for {rows} rows")
        return series(value.array if isinstance(value, pd.Series) else value)

    def _synthesis(self, thing: RObject, about: About) -> SynDS:
        """A synthesis with the special values and fields that R keeps in it."""
        parts = dict(zip(about.get("names", []), map(_referred, thing.value)))
        sets = [parts["syn"]] if "syn" in parts else []
        if sets and "class" not in self._attributes(sets[0]):
            sets = sets[0].value or []  # R keeps a single set without a list
        frames = [self._value(one, "syn") for one in sets]
        if not frames:
            missing = "a synthesis without synthetic data (m = 0)"
            raise NoCounterpart(f"{missing}; synthesise with m of at least 1")
        if not all(isinstance(one, pd.DataFrame) for one in frames):
            raise NoCounterpart("a synthesis whose sets are not data frames")
        meta, special = {}, {}
        for field in ("n", "k"):
            if field in parts and len(values := _plain_numbers(parts[field])) == 1:
                meta[field] = values[0]
        for name, part in self._special(parts.get("cont.na")).items():
            if name in frames[0].columns and (values := _plain_numbers(part)):
                special[name] = list(dict.fromkeys(values))
        try:
            return SynDS(frames, special, meta)
        except InputError as error:  # sets with different columns
            raise NoCounterpart(str(error)) from None

    def _special(self, thing: RObject | None) -> dict[Any, RObject]:
        """Special values by column. Of a stratified synthesis, which has a matrix with a row per
        stratum, the first row's: R's ``disclosure()`` goes by it.
        """
        if thing is None or thing.info.type.name != "VEC":
            return {}
        about = self._attributes(thing)
        if "dim" not in about:
            return dict(zip(about.get("names", []), thing.value))
        strata = int(about["dim"][0])
        return dict(zip(about["dimnames"][1], thing.value[::strata]))

    def _attributes(self, thing: RObject) -> About:
        """Texts and numbers among the attributes, as such."""
        if thing.attributes is None:
            return {}
        pairs = self._pairs(thing.attributes).items()
        about = {name: self._plain(part) for name, part in pairs}
        for name in ("names", "class", "levels"):
            if not isinstance(about.get(name, []), list):
                raise ValueError("something other than text where text belongs")
        return about

    def _pairs(self, node: RObject) -> dict[str, RObject]:
        """The elements of a pairlist by name."""
        elements = {}
        while node.info.type.name in ("LIST", "LANG"):
            name = self._text(_referred(_referred(node.tag).value))
            element, node = node.value
            elements[str(name)] = _referred(element)
        return elements

    def _plain(self, thing: RObject) -> Any:
        """Texts as a list, numbers as an array, a list of these as a list."""
        thing, name = _referred(thing), _referred(thing).info.type.name
        if name == "STR":
            return [self._text(part) for part in thing.value]
        if name == "VEC":
            return [self._plain(part) for part in thing.value]
        return _numbers(thing) if name in VECTORS else None

    def _text(self, thing: RObject) -> str | None:
        """A text, None for NA."""
        content, flags = thing.value, thing.info.gp
        if content is None:
            return None
        if flags & UTF8_FLAG or not flags & LATIN1_FLAG:
            return str(content, "utf-8" if flags & UTF8_FLAG else self.encoding)
        try:
            return str(content, "cp1252")  # what R takes for latin1
        except UnicodeDecodeError:
            return str(content, "latin-1")


def _referred(thing: RObject) -> RObject:
    """The object itself where the file refers to one it had before."""
    while thing.info.type.name == "REF":
        thing = thing.referenced_object
    return thing


def _numbers(thing: RObject) -> Numbers:
    with_gaps = np.ma.asarray(thing.value).astype(np.float64)
    values = np.asarray(np.ma.filled(with_gaps, np.nan), dtype=np.float64)
    values[np.isnan(values)] = np.nan  # R's NA is a NaN that makes NumPy warn
    return values


def _plain_numbers(thing: RObject) -> list[int | float]:
    """The numbers in a vector without NA, whole ones as such: R's seed 2011 is a double. R's lone
    NA is a truth value.
    """
    if _referred(thing).info.type.name not in ("INT", "REAL"):
        return []
    values = _numbers(_referred(thing))
    plain = values[np.isfinite(values)].tolist()
    return [int(one) if one.is_integer() and abs(one) < 2**53 else one for one in plain]
