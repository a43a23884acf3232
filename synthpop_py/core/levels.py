"""One variable in several tables, coded alike: equal values get equal codes, whatever their type in
each table.

Codes are small whole numbers. Where the values themselves are whole numbers in a narrow range they
*are* the codes, apart from a shift, so that nothing is copied; otherwise distinct values are looked
up. The texts of the levels are made only when somebody asks.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, timedelta

import numpy as np

from ..r.text import double_text, double_texts, integer_text
from .arrays import Flags, Floats, Integers, Values
from .columns import Column, Kind

MISSING_LABEL = "Missing"
EPOCH = date(1970, 1, 1)
DAY = 86_400_000_000_000  # nanoseconds
WHOLE_DOUBLES = 1e15  # below, doubles that are whole numbers have a text of their own

Namer = Callable[[np.ndarray], list[str]]
Coder = Callable[[Column], np.ndarray]
UNKNOWN = -1  # what a coder gives to a value that the first table did not have


@dataclass(frozen=True, slots=True)
class Variable:
    """A coded variable.

    Attributes
    ----------
    size : number of codes, 0 to size - 1.
    codes : one array per table, shape (n_table,); the code of a record is ``codes[table][record] -
        shift``.
    missing_code : the code that stands for missing, None when nothing is missing anywhere.
    declared : for each table the codes in the order its type gives them (declared levels, or
        ascending values that may occur); None where the levels have no order but the alphabet's.
    keeps_unused : for each table whether levels that do not occur are still levels (factors) or not
        (numbers, texts).
    has_missing : for each table whether some of its values are missing.
    name_codes : texts of given codes.
    numeric : the levels are numbers. whole : they are whole numbers, and the code is the number
        minus `shift`.
    unnamed_code : the code of a level that R has without a text (its NA) and sorts after all
        others, None when there is none.
    gaps_with_text : the missing values of the first table, bool, where they share their code with
        the genuine text "NA"; None elsewhere.
    recode : codes, from 0 on, of a column of the same kind as that of the first table; -1 for a
        value it did not have. It holds levels only, so that it can be kept without the records.
    """

    name: str
    size: int
    codes: tuple[Integers, ...]
    shift: int
    missing_code: int | None
    declared: tuple[Integers | None, ...]
    keeps_unused: tuple[bool, ...]
    has_missing: tuple[bool, ...]
    name_codes: Namer = field(repr=False)
    numeric: bool = False
    whole: bool = False
    unnamed_code: int | None = None
    gaps_with_text: np.ndarray | None = None
    recode: Coder = field(default=lambda column: np.full(len(column), UNKNOWN), repr=False)

    def texts(self, codes: Integers | None = None) -> list[str]:
        """The texts of codes (of all of them by default)."""
        return self.name_codes(np.arange(self.size) if codes is None else np.asarray(codes))

    def text(self, code: int) -> str:
        return self.texts(np.array([code]))[0]

    def own_codes(self, table: int) -> Integers:
        """Codes of one table from 0 on, as new 64-bit numbers."""
        return self.codes[table].astype(np.int64) - self.shift

    def find(self, text: str) -> list[int]:
        """Codes that go by this text."""
        if not self.whole:
            return [code for code, t in enumerate(self.texts()) if t == text]
        places = [self.missing_code] if self.missing_code is not None else []
        try:
            number = float(text)
        except ValueError:
            number = np.nan
        if number.is_integer() and 0 <= number - self.shift < self.size:
            places.append(int(number) - self.shift)
        return [code for code in places if self.text(code) == text]


@dataclass(frozen=True, slots=True)
class LevelRules:
    """How values of different tables are matched. The defaults are right; R's defects set the
    others.

    Attributes
    ----------
    missing_is_text : missing values and the genuine text "Missing" are one level (D9).
    numbers_by_text : whole and real numbers are matched by their texts, which differ from 100000 on
        (D15).
    na_as_text : missing values are the ordinary text "NA" (D6).
    na_apart : they are an ordinary level, but not one with the genuine text, and after all others
        in the alphabet.
    exact_numbers : doubles are one level only where they are equal; without it also where R writes
        them alike, with 15 digits.
    """

    missing_is_text: bool = False
    numbers_by_text: bool = False
    na_as_text: bool = False
    na_apart: bool = False
    exact_numbers: bool = False


RIGHT = LevelRules()


def encode(name: str, columns: Sequence[Column], rules: LevelRules = RIGHT) -> Variable:
    """Code a variable over all tables.

    Examples
    --------
    >>> import numpy as np
    >>> original, synthetic = (Column("integer", np.array(v)) for v in ([5, 7, 5], [7, 9, 9]))
    >>> variable = encode("x", [original, synthetic])
    >>> [(codes - variable.shift).tolist() for codes in variable.codes], variable.texts()
    ([[0, 2, 0], [2, 4, 4]], ['5', '6', '7', '8', '9'])
    """
    kinds = {c.kind for c in columns}
    if kinds == {"date", "time"}:
        return _one_clock(name, columns, rules)
    if kinds == {"factor"} and len({c.labels for c in columns}) == 1:
        return _same_factor(name, columns, rules)
    if not rules.numbers_by_text or len(kinds) == 1:
        narrow = _narrow_range(columns, kinds)
        if narrow is not None:
            return _shifted(name, columns, *narrow, rules)
        if kinds <= {"integer", "double"} or (len(kinds) == 1 and not columns[0].is_text):
            return _looked_up_numbers(name, columns, rules)
    return _by_text(name, columns, rules)


def _one_clock(name: str, columns: Sequence[Column], rules: LevelRules) -> Variable:
    """Dates beside times are times at midnight."""
    variable = encode(name, [_as_times(c) for c in columns], rules)
    recode = variable.recode
    return replace(variable, recode=lambda column: recode(_as_times(column)))


def _as_times(column: Column) -> Column:
    if column.kind == "time":
        return column
    return replace(column, kind="time", values=column.values * DAY)


def _with_gaps(
    codes: np.ndarray, missing: np.ndarray | None, missing_code: int | None
) -> np.ndarray:
    """Codes of a coder with those of missing values put in."""
    if missing is None:
        return codes
    return np.where(missing, UNKNOWN if missing_code is None else missing_code, codes)


# ---- whole numbers in a narrow range, used as they are -------------------------------


def _narrow_range(columns: Sequence[Column], kinds: set[Kind]) -> tuple[int, int] | None:
    """Lowest and highest value when all values are whole numbers and the range is no longer than
    the data.
    """
    if not (kinds <= {"integer", "double"} or kinds in ({"logical"}, {"date"})):
        return None
    low, high = np.inf, -np.inf
    for column in columns:
        values = column.present()
        if not len(values):
            continue
        bottom, top = values.min(), values.max()
        if column.kind == "double" and not (
            abs(bottom) < WHOLE_DOUBLES
            and abs(top) < WHOLE_DOUBLES
            and (np.trunc(values) == values).all()
        ):
            return None
        low, high = min(low, int(bottom)), max(high, int(top))
    if low > high:
        return 0, 0
    room = max(1024, 4 * sum(len(c) for c in columns))
    return (int(low), int(high)) if high - low < room else None


def _shifted(
    name: str, columns: Sequence[Column], low: int, high: int, rules: LevelRules
) -> Variable:
    size = high - low + 1
    missing_code = size if any(c.has_missing for c in columns) else None
    codes = tuple(_fill(_whole(c), c.missing, size + low) for c in columns)
    kind = columns[0].kind
    declared = tuple(np.arange(size) for _ in columns)

    def recode(column: Column) -> np.ndarray:
        own = _whole(column).astype(np.int64) - low
        known = (own >= 0) & (own < size)
        if column.kind == "double":
            known &= np.where(known, own + low, 0) == column.values
        return _with_gaps(np.where(known, own, UNKNOWN), column.missing, missing_code)

    return Variable(
        name,
        size + (missing_code is not None),
        codes,
        low,
        missing_code,
        declared,
        (False,) * len(columns),
        tuple(c.has_missing for c in columns),
        _whole_number_namer(kind, low, missing_code, _missing_label(rules)),
        kind in ("integer", "double"),
        kind in ("integer", "double"),
        recode=recode,
    )


def _whole(column: Column) -> Integers:
    if column.kind != "double":
        return column.values
    values = column.values if column.missing is None else np.where(column.missing, 0, column.values)
    return values.astype(np.int64)


def _fill(values: Integers, missing: Flags | None, code: int) -> Integers:
    """The values with missing ones replaced by a code."""
    return values if missing is None else np.where(missing, np.int64(code), values)


def _missing_label(rules: LevelRules) -> str:
    return "NA" if rules.na_as_text else MISSING_LABEL


def _whole_number_namer(
    kind: Kind, low: int, missing_code: int | None, missing_label: str
) -> Namer:
    name_one = {
        "integer": integer_text,
        "double": lambda v: double_text(float(v)),
        "logical": lambda v: "TRUE" if v else "FALSE",
        "date": _day,
    }[kind]

    def name_codes(codes: Integers) -> list[str]:
        return [
            missing_label if code == missing_code else name_one(int(code) + low) for code in codes
        ]

    return name_codes


# ---- numbers looked up among the distinct ones ---------------------------------------


def _as_r_sees_them(values: Floats) -> Floats:
    """Doubles cut to 15 significant digits: two that R writes alike are one level. -0 is 0."""
    whole = np.trunc(values) == values
    cut = values + 0.0
    rest = np.flatnonzero(~whole | (np.abs(values) >= 1e15))
    cut[rest] = [float(f"{v:.15g}") for v in values[rest]]
    return cut


def _looked_up_numbers(name: str, columns: Sequence[Column], rules: LevelRules) -> Variable:
    real = any(c.kind == "double" for c in columns)
    values = [c.values.astype(np.float64) if real else c.values for c in columns]
    distinct = [
        np.unique(v if c.missing is None else v[~c.missing]) for v, c in zip(values, columns)
    ]
    # a value and its 15-digit form share a code, so look the value up first and its form second
    raw = np.unique(np.concatenate(distinct))
    forms = raw if not real else raw + 0.0 if rules.exact_numbers else _as_r_sees_them(raw)
    levels = np.unique(forms)
    code_of_raw = np.searchsorted(levels, forms)
    size = len(levels)
    missing_code = size if any(c.has_missing for c in columns) else None
    codes = tuple(
        _fill(
            (
                code_of_raw[np.minimum(np.searchsorted(raw, v), max(len(raw) - 1, 0))]
                if len(raw)
                else np.zeros(len(v), np.int64)
            ),
            c.missing,
            size,
        )
        for v, c in zip(values, columns)
    )

    def recode(column: Column) -> np.ndarray:
        values = column.values.astype(np.float64) if real else column.values
        place = np.searchsorted(raw, values)
        place[place == len(raw)] = 0
        known = raw[place] == values if len(raw) else np.zeros(len(values), dtype=bool)
        own = np.where(known, code_of_raw[place] if len(raw) else 0, UNKNOWN)
        return _with_gaps(own, column.missing, missing_code)

    texts = _number_texts(columns[0].kind, levels)
    if real and rules.exact_numbers:
        texts = _told_apart(texts, levels)
    return Variable(
        name,
        size + (missing_code is not None),
        codes,
        0,
        missing_code,
        tuple(np.arange(size) for _ in columns),
        (False,) * len(columns),
        tuple(c.has_missing for c in columns),
        _list_namer(texts, missing_code, _missing_label(rules)),
        columns[0].is_number,
        recode=recode,
    )


def _number_texts(kind: Kind, values: Values) -> Callable[[], list[str]]:
    if kind == "double":
        return lambda: double_texts(values)
    if kind == "time":
        return lambda: time_texts(values)
    if kind == "date":
        return lambda: [_day(v) for v in values.tolist()]
    if kind == "duration":
        return lambda: [f"{double_text(v / 1e9)} secs" for v in values.tolist()]
    return lambda: [integer_text(int(v)) for v in values.tolist()]


def _told_apart(texts: Callable[[], list[str]], values: Floats) -> Callable[[], list[str]]:
    """Texts of doubles; those that R writes alike with all their digits."""

    def told_apart() -> list[str]:
        short = texts()
        often = Counter(short)
        return [
            repr(value) if often[text] > 1 else text for text, value in zip(short, values.tolist())
        ]

    return told_apart


def _day(number: int) -> str:
    return (EPOCH + timedelta(days=int(number))).isoformat()


def time_texts(nanoseconds: Integers) -> list[str]:
    """Times as R writes them: to the day where all are midnights, else to the second or the
    fraction that is there.
    """
    parts = [str(t).replace("T", " ").split(".") for t in nanoseconds.astype("datetime64[ns]")]
    cut = 19 if (nanoseconds % DAY).any() else 10
    return [
        whole[:cut] + (f".{fraction.rstrip('0')}" if fraction.strip("0") else "")
        for whole, fraction in parts
    ]


def _list_namer(
    texts: Callable[[], list[str]], missing_code: int | None, missing_label: str
) -> Namer:
    made: list[str] = []

    def name_codes(codes: Integers) -> list[str]:
        if not made:
            made.extend(texts())
        return [missing_label if code == missing_code else made[code] for code in codes]

    return name_codes


# ---- factors and texts ---------------------------------------------------------------


def _same_factor(name: str, columns: Sequence[Column], rules: LevelRules) -> Variable:
    labels = columns[0].labels
    return _from_labels(
        name,
        columns,
        codes=[c.values for c in columns],
        declared=[np.arange(len(labels))] * len(columns),
        labels=list(labels),
        rules=rules,
        own=_by_label(dict(zip(labels, range(len(labels))))),
    )


def _by_label(code_of: dict[str, int]) -> Coder:
    """Codes of a column by the texts of its levels."""

    def recode(column: Column) -> np.ndarray:
        positions, texts = _own_levels(column)
        own = np.array([code_of.get(text, UNKNOWN) for text in texts], dtype=np.int64)
        if not len(own):
            return np.full(len(column), UNKNOWN)
        return own[np.clip(positions, 0, None)]

    return recode


def _by_text(name: str, columns: Sequence[Column], rules: LevelRules) -> Variable:
    """Levels matched by their text; the original's come first."""
    has_numbers = any(c.is_number or c.number_labels for c in columns)
    has_texts = any(c.is_text for c in columns)
    numbers_too = has_numbers and has_texts and not rules.numbers_by_text
    code_of: dict[str, int] = {}
    labels: list[str] = []
    codes: list[Integers] = []
    declared: list[Integers | None] = []
    of_first: dict[str, int] = {}
    for column in columns:
        positions, texts = _own_levels(column)
        taken: set[int] = set()
        registered = [_register(text, code_of, labels, numbers_too, taken) for text in texts]
        own = np.array(registered, dtype=np.int64)
        if not codes:
            of_first = dict(zip(texts, registered))
        none = np.zeros(len(column), np.int64)
        codes.append(own[np.clip(positions, 0, None)] if len(own) else none)
        declared.append(None if column.kind == "character" else own)
    return _from_labels(
        name,
        columns,
        codes=codes,
        declared=declared,
        labels=labels,
        rules=rules,
        own=_by_label(of_first),
    )


def _register(
    text: str, code_of: dict[str, int], labels: list[str], numbers_too: bool, taken: set[int]
) -> int:
    """The code of a text; with `numbers_too`, 1e+05 and 100000 are two ways to write one number,
    unless one column has both (`taken` are the codes it has used).
    """
    known = code_of.get(text)
    if known is None and numbers_too:
        known = code_of.get(_number_key(text))
    if known in taken:
        known = None
    if known is None:
        known = len(labels)
        labels.append(text)
        if numbers_too:
            code_of.setdefault(_number_key(text), known)
    code_of[text] = known
    taken.add(known)
    return known


def written_in_two_ways(columns: Sequence[Column]) -> bool:
    """Whether some number is among the labels of factors in two ways."""
    texts = {label for c in columns if c.is_text for label in c.labels}
    return len({_number_key(text) for text in texts}) < len(texts)


def _number_key(text: str) -> str:
    """The same for all ways in which R writes a number; the text itself for everything else."""
    try:
        value = float(text)
    except ValueError:
        return text
    ways = {double_text(value)} | (
        {str(int(value))} if np.isfinite(value) and value == int(value) else set()
    )
    return f"number {value!r}" if text in ways else text


def _own_levels(column: Column) -> tuple[Integers, list[str]]:
    """Positions of a column's values among its own levels, and the texts of those, in the order of
    its type.
    """
    if column.is_text:
        return column.values, list(column.labels)
    values = column.present()
    distinct = np.unique(values)
    texts: dict[str, Callable[[], list[str]]] = {
        "logical": lambda: ["TRUE" if v else "FALSE" for v in distinct],
        "date": lambda: [_day(v) for v in distinct],
    }
    names = texts[column.kind]() if column.kind in texts else _number_texts(column.kind, distinct)()
    merged: dict[str, int] = {}
    position = np.array([merged.setdefault(t, len(merged)) for t in names], dtype=np.int64)
    found = np.minimum(np.searchsorted(distinct, column.values), max(len(distinct) - 1, 0))
    return (position[found] if len(distinct) else np.zeros(len(column), np.int64)), list(merged)


def _from_labels(
    name: str,
    columns: Sequence[Column],
    *,
    codes: Sequence[np.ndarray],
    declared: Sequence[np.ndarray | None],
    labels: list[str],
    rules: LevelRules,
    own: Coder,
) -> Variable:
    """A variable of levels with texts; `own` gives codes to columns like the first, gaps apart."""
    missing_somewhere = any(c.has_missing for c in columns)
    label = _missing_label(rules)
    gap_code, size = None, len(labels)
    if label in labels and (not rules.na_apart if rules.na_as_text else rules.missing_is_text):
        gap_code = labels.index(label)
    elif missing_somewhere:
        gap_code, size = size, size + 1
    filled = tuple(_fill(code, c.missing, gap_code or 0) for code, c in zip(codes, columns))
    missing_code, unnamed_code, gaps_with_text = gap_code, None, None
    if rules.na_as_text:  # a missing value is a level like any other
        declared = [_with_code(d, gap_code) for d in declared]
        unnamed_code = gap_code if rules.na_apart else None
        if label in labels and unnamed_code is None:
            gaps_with_text = columns[0].missing
        genuine = rules.missing_is_text and MISSING_LABEL in labels
        missing_code = labels.index(MISSING_LABEL) if genuine else None
    return Variable(
        name,
        max(size, 1),
        filled,
        0,
        missing_code,
        tuple(declared),
        tuple(c.kind == "factor" for c in columns),
        tuple(c.has_missing and not rules.na_as_text for c in columns),
        _list_namer(lambda: [*labels, label], None, label),
        unnamed_code=unnamed_code,
        gaps_with_text=gaps_with_text,
        recode=lambda column: _with_gaps(own(column), column.missing, gap_code),
    )


def _with_code(declared: np.ndarray | None, code: int | None) -> np.ndarray | None:
    if declared is None or code is None or code in declared:
        return declared
    return np.append(declared, code)


def encode_classes(
    name: str,
    codes: Sequence[np.ndarray],
    labels: Sequence[str],
    class_of: Coder,
    rules: LevelRules = RIGHT,
) -> Variable:
    """A variable already put into classes: code -1 is missing. `class_of` puts other columns into
    the same classes.
    """
    columns = [_classes_column(c, labels) for c in codes]
    variable = _same_factor(name, columns, rules)
    # a value outside of all classes counts as missing, like a gap
    gap = UNKNOWN if variable.missing_code is None else variable.missing_code

    def recode(column: Column) -> np.ndarray:
        classes = class_of(column)
        return np.where(classes < 0, gap, classes)

    return replace(variable, recode=recode)


def _classes_column(codes: np.ndarray, labels: Sequence[str]) -> Column:
    gaps = codes < 0
    return Column("factor", codes, gaps if gaps.any() else None, tuple(labels))
