"""What a coded variable is: one variable of several tables, with equal codes for equal values, and
the rules by which values count as equal.

Codes are small whole numbers. The texts of the levels, written as R writes values of each type, are
made only on demand.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta

import numpy as np

from ..r.text import double_text, integer_text
from .arrays import Flags, Floats, Integers, Values
from .columns import NUMERIC, Column, Kind
from .numerals import exact_number, exact_text, whole_number

# synthpop's own word for the level of missing values
MISSING_LABEL = "Missing"

Namer = Callable[[np.ndarray], list[str]]
Coder = Callable[[Column], np.ndarray]
UNKNOWN = -1  # the code of a value that the first table does not have

EPOCH = date(1970, 1, 1)
DAY = 86_400_000_000_000  # nanoseconds
TO_THE_DAY, TO_THE_SECOND = len("1970-01-01"), len("1970-01-01 00:00:00")


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
        value it did not have. It holds levels only and can be kept without the records.
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
        if codes is None:
            codes = np.arange(self.size)
        return self.name_codes(np.asarray(codes))

    def text(self, code: int) -> str:
        texts = self.texts(np.array([code]))
        return texts[0]

    def own_codes(self, table: int) -> Integers:
        """Codes of one table from 0 on, as new 64-bit numbers."""
        # narrow types would overflow where several codes are packed into one number
        return self.codes[table].astype(np.int64) - self.shift

    def find(self, text: str) -> list[int]:
        """Codes that go by this text."""
        if not self.whole:
            return [code for code, level in enumerate(self.texts()) if level == text]
        # among whole numbers there may be very many levels: name only those that can be meant
        candidates = self._codes_a_text_can_mean(text)
        return [code for code in candidates if self.text(code) == text]

    def _codes_a_text_can_mean(self, text: str) -> list[int]:
        """Of whole numbers: the code of missing, and that of the number the text spells."""
        codes = []
        if self.missing_code is not None:
            codes.append(self.missing_code)
        number = whole_number(text)  # not as a double, which would lose digits
        if number is not None and 0 <= number - self.shift < self.size:
            codes.append(number - self.shift)
        return codes


@dataclass(frozen=True, slots=True)
class LevelRules:
    """How values of different tables are matched. The defaults are correct; R's defects set the
    others.

    Attributes
    ----------
    missing_is_text : missing values and the genuine text "Missing" are one level (D9).
    numbers_by_text : whole and real numbers are matched by their texts, which differ from 100000 on
        (D15).
    na_as_text : missing values are the ordinary text "NA" (D6).
    na_apart : missing values are an ordinary level, distinct from the genuine text, sorted after
        all others.
    long_numbers_cut : whole numbers of more than 15 digits are one level where R writes them alike,
        1e17 and 1e17 + 16 (D48).
    exact_numbers : doubles are one level only where they are equal; without it fractions also where
        they are written alike with 15 digits.
    """

    missing_is_text: bool = False
    numbers_by_text: bool = False
    na_as_text: bool = False
    na_apart: bool = False
    long_numbers_cut: bool = False
    exact_numbers: bool = False

    @property
    def missing_label(self) -> str:
        """The text of the level that missing values have."""
        return "NA" if self.na_as_text else MISSING_LABEL

    @property
    def missing_joins_text(self) -> bool:
        """Whether missing values share a level with the genuine text that reads like them."""
        if self.na_as_text:
            return not self.na_apart
        return self.missing_is_text


CORRECT = LevelRules()


def missing_flags(columns: Sequence[Column]) -> tuple[bool, ...]:
    """For each table whether some of its values are missing."""
    return tuple(column.has_missing for column in columns)


def fill_gaps(codes: Integers, missing: Flags | None, missing_code: int | None) -> Integers:
    """The codes with those of missing values filled in; unknown where missing has no code."""
    if missing is None:
        return codes
    if missing_code is None:
        missing_code = UNKNOWN
    return np.where(missing, np.int64(missing_code), codes)


def level_texts(kind: Kind, values: Values) -> list[str]:
    """The texts of values stored as numbers: every kind except factors and texts.

    >>> import numpy as np
    >>> level_texts("date", np.array([0, 31])), level_texts("double", np.array([0.5, 1e5]))
    (['1970-01-01', '1970-02-01'], ['0.5', '1e+05'])
    """
    if kind == "time":  # all in one format, to the day or to the second, so written together
        return time_texts(values)
    text_of = TEXT_OF[kind]
    return [text_of(value) for value in values.tolist()]


def exact_level_texts(kind: Kind, values: Values) -> list[str]:
    """The same with all digits of numbers that R cuts.

    >>> import numpy as np
    >>> exact_level_texts("double", np.array([0.5, 1e17 + 16]))
    ['0.5', '100000000000000016']
    """
    texts = level_texts(kind, values)
    if kind not in NUMERIC:
        return texts
    numbers = map(exact_number, values.tolist())
    return [exact_text(text, number) for text, number in zip(texts, numbers)]


def time_texts(nanoseconds: Integers) -> list[str]:
    """Times as R writes them: to the day if all are midnights, else to the second or its fraction.

    >>> import numpy as np
    >>> time_texts(np.array([0, DAY])), time_texts(np.array([0, 1_500_000_000]))
    (['1970-01-01', '1970-01-02'], ['1970-01-01 00:00:00', '1970-01-01 00:00:01.5'])
    """
    only_midnights = not (nanoseconds % DAY).any()
    length = TO_THE_DAY if only_midnights else TO_THE_SECOND
    # NumPy's own text always has nine decimals, which R does not write
    moments = nanoseconds.astype("datetime64[ns]")
    return [_time_text(str(moment), length) for moment in moments]


def _time_text(iso: str, length: int) -> str:
    """A time in ISO format cut to a length, then its fraction of a second if it has one."""
    seconds, fraction = iso.replace("T", " ").split(".")
    digits = fraction.rstrip("0")
    if not digits:
        return seconds[:length]
    return f"{seconds[:length]}.{digits}"


def _day_text(days: int) -> str:
    day = EPOCH + timedelta(days=int(days))
    return day.isoformat()


def _logical_text(value: int) -> str:
    return "TRUE" if value else "FALSE"


def _duration_text(nanoseconds: int) -> str:
    seconds = double_text(nanoseconds / 1e9)
    return f"{seconds} secs"


TEXT_OF: dict[Kind, Callable[..., str]] = {
    "integer": integer_text,
    "double": double_text,
    "logical": _logical_text,
    "date": _day_text,
    "duration": _duration_text,
}


def told_apart(texts: list[str], values: Floats) -> list[str]:
    """Texts of doubles; those that R writes alike get all their digits."""
    times = Counter(texts)
    return [repr(value) if times[text] > 1 else text for text, value in zip(texts, values.tolist())]


def list_namer(make_texts: Callable[[], list[str]]) -> Namer:
    """Names codes from a list, which is made when the first text is needed."""
    texts: list[str] = []

    def name_codes(codes: Integers) -> list[str]:
        if not texts:
            texts.extend(make_texts())
        return [texts[code] for code in np.asarray(codes).tolist()]

    return name_codes
