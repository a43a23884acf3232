"""What the parser of rdata gives, R's objects as they stand in the file, as Python. Rdata's own
conversion to pandas loses ordered flags.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt
import pandas as pd

from ..errors import InputError
from ..synds import SynDS
from .parsing import UnknownParser, parsed, unpacked

RObject: TypeAlias = Any  # the class of this name in rdata.parser
Numbers: TypeAlias = npt.NDArray[np.float64]
Texts: TypeAlias = list[str | None]

WORKSPACES = (b"RDX2\n", b"RDX3\n", b"RDA2\n", b"RDA3\n", b"RDB2\n", b"RDB3\n")
# codecs of Python that are no encodings of R, of which some take long for long texts
NOT_OF_R = ("idna", "punycode", "unicode_escape", "raw_unicode_escape", "utf_7", "undefined")
S4_FLAG, LATIN1_FLAG, UTF8_FLAG = 1 << 4, 1 << 2, 1 << 3
VECTOR_KINDS = {"LGL": "logical", "INT": "integer", "REAL": "double", "STR": "character"}
FOREIGN = ("difftime", "POSIXlt", "integer64")  # classes without a counterpart, whatever they hold
CLASSES = {
    **VECTOR_KINDS,
    "REAL": "numeric",
    "CPLX": "complex",
    "RAW": "raw",
    "VEC": "list",
    "EXPR": "expression",
    "LIST": "pairlist",
    "LANG": "call",
    "SYM": "name",
    **dict.fromkeys(("CLO", "SPECIAL", "BUILTIN"), "function"),
    **dict.fromkeys(("ENV", "GLOBALENV", "BASEENV", "EMPTYENV", "NAMESPACE"), "environment"),
    "EXTPTR": "externalptr",
}
PROMISE = "promise, which is code; force it in R before you save it"  # R would run it for a value
FACTORS = ("factor", "ordered")
SECONDS_OF_A_DAY = 86_400
NANOSECOND_DAYS = 106_000  # either way from 1970; what nanoseconds in 64 bits can hold
# from 1970; the years 1 to 9999, which Python's dates have
FIRST_DAY, LAST_DAY = -719_162, 2_932_896
SYNTHESIS, FRAME, LIST, NULL = "a synthesis", "a data frame", "a list", "NULL"
GONE = object()


# ---- vectors -------------------------------------------------------------------------


class NoCounterpart(Exception):
    """An R object without a counterpart in Python; the text is the reason."""


def array_of(kind: str, numbers: Numbers, texts: Texts) -> Any:
    """A NumPy array where one can hold the values, otherwise an array of pandas.

    Parameters
    ----------
    kind : "factor", "ordered", "character", "logical", "integer", "double", "Date" or "POSIXct".
    numbers : the values, NaN where missing. Of a factor the places of its levels, counted from 1;
        of a Date days, of a POSIXct seconds since 1970.
    texts : the levels of a factor, None for an explicit NA level; the values of a text.
    """
    if kind in FACTORS:
        return _categorical(texts, numbers, ordered=kind == "ordered")
    if kind == "character":
        return objects(texts)
    if kind == "logical":
        return _whole(numbers, "bool", "boolean")
    if kind == "integer":
        return _whole(numbers, "int64", "Int64")
    if kind == "Date":
        return _days(numbers)
    return _times(numbers) if kind == "POSIXct" else numbers


def objects(values: Sequence[Any]) -> Any:
    array = np.empty(len(values), dtype=object)
    array[:] = values
    return array


def series(array: Any, index: pd.Index | None = None) -> pd.Series:
    """Texts stay objects, as everywhere in the package; pandas 3 would make them ``str``."""
    return pd.Series(array, index, dtype=object if array.dtype == object else None)


def _categorical(levels: Texts, places: Numbers, *, ordered: bool) -> Any:
    """Pandas has no missing category: R's explicit NA level becomes an ordinary missing value."""
    names = [level for level in levels if level is not None]
    if len(set(names)) < len(names):
        raise NoCounterpart("a factor has the same level twice")
    present = places[~np.isnan(places)]
    if len(present) and not 1 <= present.min() <= present.max() <= len(levels):
        raise NoCounterpart("a factor has values beyond its levels")
    code_of = {level: code for code, level in enumerate(names)}
    # R counts positions from 1, so 0 is free for missing values
    codes = np.array([-1, *(-1 if level is None else code_of[level] for level in levels)])
    filled = np.nan_to_num(places, nan=0).astype(np.int64)
    categories = pd.Index(names, dtype=object)
    return pd.Categorical.from_codes(codes[filled], categories, ordered=ordered)


def _whole(values: Numbers, plain: str, nullable: str) -> Any:
    """Whole numbers or truth values; of a type that can be missing only where some are."""
    missing = np.isnan(values)
    filled = np.where(missing, 0, values).astype(plain)
    if not missing.any():
        return filled
    array = pd.array(filled, dtype=nullable)
    array[missing] = pd.NA
    return array


def _days(days: Numbers) -> Any:
    missing = ~np.isfinite(days)
    # R's dates are doubles, and show the day in which they lie
    known = np.where(missing, 0, np.floor(days))
    if ((known < FIRST_DAY) | (known > LAST_DAY)).any():
        raise NoCounterpart("dates lie outside the years 1 to 9999")
    dates = known.astype(np.int64).astype("datetime64[D]")
    if (np.abs(known) > NANOSECOND_DAYS).any():
        return objects([None if gap else day for day, gap in zip(dates.tolist(), missing)])
    return np.where(missing, np.datetime64("NaT", "D"), dates).astype("datetime64[ns]")


def _times(seconds: Numbers) -> Any:
    """In UTC, so that a column of midnights is not mistaken for dates. Microseconds, which is what
    a double holds.
    """
    missing = ~np.isfinite(seconds)
    known = np.where(missing, 0, seconds)
    if (np.abs(known) > NANOSECOND_DAYS * SECONDS_OF_A_DAY).any():
        raise NoCounterpart("times lie outside the years 1678 to 2261")
    moments = np.round(known * 1e6).astype(np.int64).astype("datetime64[us]")
    with_gaps = np.where(missing, np.datetime64("NaT", "us"), moments)
    return pd.Series(with_gaps.astype("datetime64[ns]")).dt.tz_localize("UTC").array


# ---- objects -------------------------------------------------------------------------


class Seen(NamedTuple):
    """What an object of R is: a word for it (its class, where it has no counterpart), its
    attributes, its classes, and the kind of a vector.
    """

    noun: str
    about: dict[str, RObject]
    classes: Texts
    kind: str = ""


class RdataContents:
    """What rdata parses: R's objects by name. `encoding` is that of unmarked texts; `left_out` has
    the parts of lists that have no counterpart, as "where (why)".
    """

    def __init__(self, file: Path, most: int) -> None:
        import rdata

        self.file = file
        self.left_out: list[str] = []
        try:
            content = unpacked(file, most)
            self.is_workspace = content.startswith(WORKSPACES)
            start = len(WORKSPACES[0]) if self.is_workspace else 0
            whole = parsed(rdata, content[start:], most)
            self.encoding = _encoding(whole.extra.encoding)
            self.objects: dict[str, RObject] = {file.stem: whole.object}
            if self.is_workspace:
                self.objects = dict(self._pairs(whole.object))
            self.seen = {name: self._seen(thing) for name, thing in self.objects.items()}
        except (MemoryError, UnknownParser):  # not the file's fault: its claims are limited
            raise
        except Exception as error:  # a damaged file can make the parser raise anything
            raise self._cannot_read(error) from None

    def value(self, name: str) -> Any:
        """An object as Python; NoCounterpart where it has none."""
        try:
            return self._value(self.objects[name], name)
        except (NoCounterpart, MemoryError):
            raise
        except Exception as error:  # what is damaged may show only now
            raise self._cannot_read(error) from None

    def noun(self, name: str) -> str:
        """A word for an object."""
        return self.seen[name].noun

    def can_be_synthesis(self, name: str) -> bool:
        if self.noun(name) != LIST:
            return self.noun(name) in (SYNTHESIS, FRAME)
        parts = _referred(self.objects[name]).value
        return bool(parts) and all(self._seen(part).noun == FRAME for part in parts)

    def _cannot_read(self, error: Exception) -> InputError:
        why = "it is damaged, or not an R file"
        if isinstance(error, InputError):
            why = str(error)
        elif isinstance(error, RecursionError):
            why = "its lists are nested too deeply, or it holds more than some hundred objects"
        elif isinstance(error, (NotImplementedError, LookupError)) or "RObjectType" in str(error):
            why = "it is damaged, or holds something unknown to rdata, such as a promise"
        elif isinstance(error, OSError) and error.strerror:
            why = error.strerror
        return InputError(f"path: rdata cannot read {self.file.name}: {why}")

    def _seen(self, thing: RObject) -> Seen:
        thing = _referred(thing)
        name = thing.info.type.name
        if name in ("NIL", "NILVALUE"):
            return Seen(NULL, {}, [])
        if name == "PROM":
            return Seen(PROMISE, {}, [])
        about = self._attributes(thing)
        classes = self._texts_of(about, "class") or []
        # objects of S4 can look like lists, but their parts mean something else
        foreign = bool(set(classes) & set(FOREIGN)) or bool(thing.info.gp & S4_FLAG)
        if name == "VEC" and not thing.info.gp & S4_FLAG:
            if "synds" in classes:
                return Seen(SYNTHESIS, about, classes)
            if "data.frame" in classes:
                return Seen(FRAME, about, classes)
            if "dim" not in about and not foreign:
                return Seen(LIST, about, classes)
        if name in VECTOR_KINDS and not foreign:
            kind = VECTOR_KINDS[name]
            if "factor" in classes:
                kind = "ordered" if "ordered" in classes else "factor"
            elif "Date" in classes or "POSIXct" in classes:
                kind = "Date" if "Date" in classes else "POSIXct"
            return Seen(f"a {'matrix' if 'dim' in about else 'vector'} ({kind})", about, [], kind)
        return Seen(str(classes[0]) if classes else _class_of(thing, about), about, classes)

    def _value(self, thing: RObject, where: str) -> Any:
        thing = _referred(thing)
        seen = self._seen(thing)
        if seen.noun == NULL:
            return None
        if seen.noun == SYNTHESIS:
            return self._synthesis(thing, seen)
        if seen.noun == FRAME:
            return self._frame(thing, seen)
        if seen.noun == LIST:
            return self._list(thing, seen, where)
        if seen.kind:
            return self._vector(thing, seen)
        raise NoCounterpart(seen.noun)

    def _list(self, thing: RObject, seen: Seen, where: str) -> Any:
        """A dict if every element has a different name, otherwise a list: a dict would lose
        elements without a name, or with one that comes twice. An element without a counterpart is
        left out of the dict; in the list it is None, which keeps the places of the others.
        """
        names = [name for name in self._texts_of(seen.about, "names") or [] if name]
        is_dict = len(set(names)) >= len(thing.value)
        values = []
        for number, part in enumerate(thing.value):
            place = f"{where}${names[number]}" if is_dict else f"{where}[[{number + 1}]]"
            try:
                values.append(self._value(part, place))
            except NoCounterpart as error:
                self.left_out.append(f"{place} ({error})")
                values.append(GONE)
        if not is_dict:
            return [None if value is GONE else value for value in values]
        return {name: value for name, value in zip(names, values) if value is not GONE}

    def _vector(self, thing: RObject, seen: Seen) -> Any:
        """An array; a Series where the elements have names; an array of several dimensions."""
        names, about = self._texts_of(seen.about, "names"), seen.about
        dim = [int(size) for size in _numbers(about["dim"])] if "dim" in about else None
        if dim is not None and len(dim) != 1:
            return self._grid(thing, seen, dim)
        if dim is not None and "dimnames" in about:
            # the names of the only dimension, which R takes for those of the elements
            parts = about["dimnames"].value
            if parts and parts[0].info.type.name == "STR":
                names = self._texts(parts[0])
        array = self._array(thing, seen)
        if names is None:
            return array
        if len(names) != len(array):
            raise NoCounterpart(f"{len(array)} values with {len(names)} names")
        return series(array, pd.Index([name or "" for name in names], dtype=object))

    def _array(self, thing: RObject, seen: Seen) -> Any:
        """The elements of a vector."""
        if seen.kind == "character":
            return array_of(seen.kind, np.empty(0), self._texts(thing))
        levels = self._texts(seen.about["levels"]) if seen.kind in FACTORS else []
        return array_of(seen.kind, _numbers(thing), levels)

    def _grid(self, thing: RObject, seen: Seen, dim: list[int]) -> Any:
        """Missing whole numbers are NaN here and missing truth values None: no array of several
        dimensions has anything better.
        """
        if seen.kind not in VECTOR_KINDS.values():
            raise NoCounterpart(f"a matrix of type {seen.kind}")
        array = self._array(thing, seen)
        cells = np.prod(dim, dtype=np.float64)  # whole numbers could overflow
        if min(dim, default=0) < 0 or cells != len(array):
            raise NoCounterpart(f"{len(array)} values for the dimensions {dim}")
        if not isinstance(array, np.ndarray):
            is_whole = seen.kind == "integer"
            array = _numbers(thing) if is_whole else array.to_numpy(object, na_value=None)
        return array.reshape(dim, order="F")

    def _frame(self, thing: RObject, seen: Seen) -> pd.DataFrame:
        names = self._texts_of(seen.about, "names") or []
        if len(names) != len(thing.value):
            raise ValueError(f"a data frame has {len(thing.value)} columns, {len(names)} names")
        rows = _rows(seen.about["row.names"])
        columns: dict[str, pd.Series] = {}
        for given, part in zip(names, thing.value):
            name = "NA" if given is None else given
            if name in columns:
                raise NoCounterpart(f"two columns are called {name!r}; rename one in R")
            columns[name] = self._column(name, _referred(part), rows)
        return pd.DataFrame(columns, index=pd.RangeIndex(rows))

    def _column(self, name: str, thing: RObject, rows: int) -> pd.Series:
        seen = self._seen(thing)
        is_matrix = "dim" in seen.about and len(seen.about["dim"].value) > 1
        if is_matrix or seen.noun == FRAME or not seen.kind:
            foreign = [one for one in seen.classes if one in FOREIGN]
            what = foreign[0] if foreign else _class_of(thing, seen.about)
            what = "matrix" if is_matrix or seen.noun == FRAME else what
            raise NoCounterpart(f"column {name!r} is of type {what}; convert it in R")
        try:
            array = self._array(thing, seen)
        except NoCounterpart as error:
            raise NoCounterpart(f"column {name!r}: {error}") from None
        if len(array) != rows:
            raise NoCounterpart(f"column {name!r} has {len(array)} values for {rows} rows")
        return series(array)

    def _synthesis(self, thing: RObject, seen: Seen) -> SynDS:
        """A synthesis with the special values and fields that R keeps in it."""
        parts = self._named(thing, seen)
        sets: list[RObject] = []
        if "syn" in parts:
            what = self._seen(parts["syn"]).noun
            # R keeps a single set without a list
            sets = [parts["syn"]] if what == FRAME else parts["syn"].value if what == LIST else []
        if not sets:
            raise NoCounterpart(
                "a synthesis without synthetic data (m = 0); synthesise with m of at least 1"
            )
        if any(self._seen(one).noun != FRAME for one in sets):
            raise NoCounterpart("a synthesis whose sets are not data frames")
        frames = [self._value(one, "") for one in sets]
        meta = {}
        for field in ("n", "k"):
            values = self._plain_numbers(parts[field]) if field in parts else []
            if len(values) == 1 and np.isfinite(values[0]):
                meta[field] = values[0]
        special = {}
        for name, part in self._special(parts.get("cont.na")).items():
            values = self._plain_numbers(part)
            if values and name in frames[0].columns:
                special[name] = list(dict.fromkeys(values))
        try:
            return SynDS(frames, special, meta)
        except InputError as error:  # sets with different columns
            raise NoCounterpart(str(error)) from None

    def _special(self, thing: RObject | None) -> dict[str, RObject]:
        """Special values by column. Of a stratified synthesis, which has a matrix with a row per
        stratum, the first row's: R's ``disclosure()`` goes by it.
        """
        if thing is None or thing.info.type.name != "VEC":
            return {}
        seen = self._seen(thing)
        if "dim" not in seen.about:
            return self._named(thing, seen)
        rows = int(seen.about["dim"].value[0])
        names = self._texts(seen.about["dimnames"].value[1])
        return {str(name): _referred(part) for name, part in zip(names, thing.value[::rows])}

    def _plain_numbers(self, thing: RObject) -> list[int | float]:
        """The numbers in a vector without NA, whole ones as such: R's seed 2011 is a double. R's
        lone NA is a truth value.
        """
        if self._seen(thing).kind not in ("integer", "double"):
            return []
        values = _numbers(thing)
        plain = values[~np.isnan(values)].tolist()
        return [int(one) if one.is_integer() and abs(one) < 2**53 else one for one in plain]

    def _named(self, thing: RObject, seen: Seen) -> dict[str, RObject]:
        """The elements of a list that have names."""
        names = self._texts_of(seen.about, "names") or []
        return {name: _referred(part) for name, part in zip(names, thing.value) if name}

    def _attributes(self, thing: RObject) -> dict[str, RObject]:
        if thing.attributes is None:
            return {}
        return {name: _referred(part) for name, part in self._pairs(thing.attributes)}

    def _pairs(self, node: RObject) -> list[tuple[str, RObject]]:
        """The elements of a pairlist with their names."""
        elements = []
        while node.info.type.name in ("LIST", "LANG"):
            name = self._text(_referred(_referred(node.tag).value))
            element, node = node.value
            elements.append((str(name), element))
        return elements

    def _texts_of(self, about: dict[str, RObject], attribute: str) -> Texts | None:
        return self._texts(about[attribute]) if attribute in about else None

    def _texts(self, thing: RObject) -> Texts:
        if thing.info.type.name != "STR":
            raise ValueError("something other than text where text belongs")
        return [self._text(part) for part in thing.value]

    def _text(self, thing: RObject) -> str | None:
        """A text, None for NA."""
        if thing.value is None:
            return None
        content: bytes = thing.value
        if thing.info.gp & UTF8_FLAG:
            return content.decode("utf-8")
        if not thing.info.gp & LATIN1_FLAG:
            return content.decode(self.encoding)
        try:
            return content.decode("cp1252")  # what R takes for latin1
        except UnicodeDecodeError:
            return content.decode("latin-1")


def _encoding(name: str | None) -> str:
    """The encoding of unmarked texts, by the name that R wrote down."""
    if name is None:
        return "utf-8"
    if name.lower().replace("-", "_") in NOT_OF_R:
        raise InputError(f"it claims the encoding {name!r:.40}, which R does not use")
    return name


def _referred(thing: RObject) -> RObject:
    """The object itself where the file refers to one it had before."""
    while thing.info.type.name == "REF":
        thing = thing.referenced_object
    return thing


def _class_of(thing: RObject, about: dict[str, RObject]) -> str:
    """What R's ``class()`` says of an object without the attribute of this name."""
    if "dim" in about:
        return "matrix" if len(about["dim"].value) == 2 else "array"
    name: str = thing.info.type.name
    return CLASSES.get(name, name)


def _numbers(thing: RObject) -> Numbers:
    if thing.info.type.name not in ("LGL", "INT", "REAL"):
        raise ValueError("something other than numbers where numbers belong")
    with_gaps = np.ma.asarray(thing.value).astype(np.float64)
    values = np.asarray(np.ma.filled(with_gaps, np.nan), dtype=np.float64)
    values[np.isnan(values)] = np.nan  # R's NA is a NaN that makes NumPy warn
    return values


def _rows(row_names: RObject) -> int:
    """R keeps plain row numbers as NA and their count, with a minus where they are its own."""
    if row_names.info.type.name == "STR":
        return len(row_names.value)
    values = _numbers(row_names)
    if len(values) == 2 and np.isnan(values[0]):
        return abs(int(values[1]))
    return len(values)
