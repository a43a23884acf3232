"""The order in which R sorts text.

``"icu"`` is the CLDR root collation on three levels, R's ``icuSetCollate(locale = "root")``: all
letters are compared first, accents only between texts with the same letters, and case (lower before
upper) only between texts with the same accents. White space comes before punctuation, then symbols,
digits and letters. ``"C"`` is the order of code points, R's ``icuSetCollate(locale = "ASCII")``.
Texts that compare equal (they differ in ignored characters only) keep the order given, as in R's
``order()``.

``"icu"`` is exact for the characters in ``icu_root.txt`` (ASCII, Latin-1, Latin Extended-A
and -B, modifier letters, combining accents, Greek, basic Cyrillic, general punctuation, currency
and letterlike symbols) and for those composed of them, such as the letters of Vietnamese. Any other
character sorts after all of these, by code point, and differs from others on the first level.
"""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Sequence
from functools import cache, lru_cache
from pathlib import Path
from typing import Literal

import numpy as np

from ..core.arrays import Integers

__all__ = ["Collation", "order"]

Collation = Literal["icu", "C"]

# Larger than every rank: the first unit of the weight of a character that is not in the table.
_AFTER_ALL = "\uffff"


@cache
def _table() -> tuple[dict[int, str], dict[str, str]]:
    """The entries of characters by code point, and of contractions by their text."""
    entries: dict[int, str] = {}
    contractions: dict[str, str] = {}
    table = Path(__file__).with_name("icu_root.txt").read_text(encoding="utf-8")
    for line in table.splitlines():
        first, *others = line.split()
        if "_" in first:
            pair = "".join(chr(int(code, 16)) for code in first.split("_"))
            contractions[pair] = others[0]
        elif first != "#":
            entries |= dict(enumerate(others, int(first, 16)))
    return entries, contractions


@cache
def _stand_ins() -> dict[str, str]:
    """Code points that are no characters stand for the contractions while weights are looked up."""
    _, contractions = _table()
    return {pair: chr(0xFDD0 + index) for index, pair in enumerate(contractions)}


class _Weights(dict[int, str]):
    """For `str.translate`: the weights of each character on one level, as characters that compare
    like the weights.
    """

    def __init__(self, level: int) -> None:
        super().__init__()
        self._level = level
        entries, contractions = _table()
        for code, entry in entries.items():
            if entry != "?":
                self[code] = self._units(entry)
        for pair, entry in contractions.items():
            self[ord(_stand_ins()[pair])] = self._units(entry)

    def _units(self, entry: str) -> str:
        """The weights of an entry of the table; "-" is ignored in comparisons."""
        if entry == "-":
            return ""
        units = []
        for element in entry.split("+"):
            weights = [*element.split("."), "1", "1"]  # levels that are left out weigh 1
            rank = weights[self._level]
            if rank != "0":
                units.append(chr(int(rank)))
        return "".join(units)

    def __missing__(self, code: int) -> str:
        # a letter that the table lacks may be composed of some that it has
        parts = unicodedata.normalize("NFD", chr(code))
        if len(parts) > 1:
            return parts.translate(self)
        if self._level > 0:
            return "\x01"
        return _AFTER_ALL + chr(code)


@cache
def _weights(level: int) -> _Weights:
    return _Weights(level)


def _prepare(text: str) -> str:
    """The text with one character for each contraction."""
    # no contraction is of ASCII characters alone
    if not text.isascii():
        for pair, stand_in in _stand_ins().items():
            text = text.replace(pair, stand_in)
    return text


@lru_cache(maxsize=2**14)  # R sorts the levels of a column again and again
def _first_level(text: str) -> str:
    return _prepare(text).translate(_weights(0))


def _three_levels(text: str) -> str:
    """The weights of a text on all levels, one level after the other."""
    prepared = _prepare(text)
    return "\0".join(prepared.translate(_weights(level)) for level in range(3))


def order(texts: Sequence[str], collation: Collation) -> Integers:
    """Indices that sort the texts, as R's ``order()``.

    Returns
    -------
    int64 array, shape (len(texts),); texts that compare equal keep their order.

    Examples
    --------
    >>> order(["b", "B", "a"], "icu").tolist(), order(["b", "B", "a"], "C").tolist()
    ([2, 0, 1], [1, 2, 0])
    """
    keys = list(texts) if collation == "C" else _root_keys(texts)
    indices = sorted(range(len(keys)), key=keys.__getitem__)
    return np.array(indices, dtype=np.int64)


def _root_keys(texts: Sequence[str]) -> list[str]:
    """Keys that sort these texts; the lower levels matter only between texts alike on the first."""
    primary = [_first_level(text) for text in texts]
    # most labels differ in their letters, and translating three times is slow
    if len(set(primary)) == len(primary):
        return primary
    times = Counter(primary)
    return [key if times[key] == 1 else _three_levels(text) for key, text in zip(primary, texts)]
