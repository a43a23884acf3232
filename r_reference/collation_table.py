"""Write ``synthpop_py/r/icu_root.txt``: the order of characters in the ICU library that R sorts
with.

Run it with the ICU of the reference R (Debian's R 4.2.2 is linked with ICU 72)::

    python -m r_reference.collation_table

ICU gives each text a list of collation elements, each with a weight on three levels. The elements
of every character are asked for one by one, the weights replaced by their ranks, and every pair of
characters is tried, so that a pair with elements of its own (a contraction) cannot be overlooked.
``tests/parity/test_text_rules.py`` compares the outcome with R.
"""

from __future__ import annotations

import ctypes
import ctypes.util
import re
import unicodedata
from itertools import product
from pathlib import Path

TARGET = Path(__file__).resolve().parent.parent / "synthpop_py" / "r" / "icu_root.txt"

BLOCKS = {
    "ASCII and Latin-1 Supplement": (0x0001, 0x00FF),
    "Latin Extended-A": (0x0100, 0x017F),
    "Latin Extended-B": (0x0180, 0x024F),
    "Spacing Modifier Letters": (0x02B0, 0x02FF),
    "Combining Diacritical Marks": (0x0300, 0x036F),
    "Greek": (0x0370, 0x03FF),
    "Cyrillic, basic letters": (0x0400, 0x045F),
    "General Punctuation": (0x2000, 0x206F),
    "Currency Symbols": (0x20A0, 0x20BF),
    "Letterlike Symbols": (0x2100, 0x214F),
}
PER_LINE = 4

Element = tuple[int, int, int]

HEADER = """# Ranks of collation weights in the CLDR root collation, as in ICU {version}.
# Written by r_reference/collation_table.py.
#
# Each line starts with a code point; the entries are that character and its successors. An entry
# lists the character's collation elements joined by "+"; an element is primary.secondary.tertiary,
# where ".1" at the end is left out, and 0 means that the level ignores it. "-" is a character
# ignored on all levels, "?" one that is not covered. Lines that start with two code points are
# contractions: pairs whose elements are not those of their characters.
#
# The weights derive from the Unicode Common Locale Data Repository, copyright Unicode, Inc., under
# the Unicode License.
"""


class Icu:
    """ICU's root collation through its C interface."""

    def __init__(self) -> None:
        name = ctypes.util.find_library("icui18n")
        if name is None:
            raise SystemExit("the ICU library (libicui18n) is not installed")
        self.version = re.search(r"\d+", name.split(".so.")[-1]).group()
        self._library = ctypes.CDLL(name)
        self._status = ctypes.byref(ctypes.c_int(0))
        collator = self._function("ucol_open", ctypes.c_void_p)(b"root", self._status)
        open_elements = self._function("ucol_openElements", ctypes.c_void_p)
        self._iterator = ctypes.c_void_p(
            open_elements(ctypes.c_void_p(collator), b"a\0\0\0", 1, self._status)
        )
        self._set_text = self._function("ucol_setText", None)
        self._next = self._function("ucol_next", ctypes.c_int32)

    def _function(self, name: str, result: type | None):
        function = getattr(self._library, f"{name}_{self.version}")
        function.restype = result
        return function

    def elements(self, text: str) -> list[Element]:
        """Collation elements (primary, secondary, tertiary weight), without those ignored on all
        levels.
        """
        units = text.encode("utf-16-le")
        self._set_text(self._iterator, units + b"\0\0", len(units) // 2, self._status)
        found: list[Element] = []
        while (value := self._next(self._iterator, self._status)) != -1:
            primary, secondary, tertiary = value >> 16 & 0xFFFF, value >> 8 & 0xFF, value & 0xFF
            if tertiary & 0xC0 == 0xC0:  # the lower half of the weights before
                high = found.pop()
                found.append((high[0] | primary, high[1] | secondary, high[2] | tertiary & 0x3F))
            else:  # two bits of the tertiary byte mark the case and take no part in the order
                found.append((primary << 16, secondary << 8, (tertiary & 0x3F) << 8))
        return [element for element in found if any(element)]


def ranks(weights: set[int]) -> dict[int, int]:
    """0 stays 0; the others are numbered from 1 in increasing order."""
    return {weight: rank for rank, weight in enumerate(sorted(weights | {0}))}


def main() -> None:
    icu = Icu()
    characters = [chr(code) for first, last in BLOCKS.values() for code in range(first, last + 1)]
    covered = {c: icu.elements(c) for c in characters if unicodedata.category(c) != "Cn"}
    pairs = ("".join(pair) for pair in product(covered, repeat=2))
    contractions = {
        pair: elements
        for pair in pairs
        if (elements := icu.elements(pair)) != covered[pair[0]] + covered[pair[1]]
    }

    everything = [
        element for elements in [*covered.values(), *contractions.values()] for element in elements
    ]
    levels = [ranks({element[level] for element in everything}) for level in range(3)]

    def entry(elements: list[Element]) -> str:
        texts = (
            ".".join(str(rank[weight]) for rank, weight in zip(levels, element))
            for element in elements
        )
        return "+".join(re.sub(r"(\.1)+$", "", text) for text in texts) or "-"

    lines = []
    for first, last in BLOCKS.values():
        for start in range(first - first % PER_LINE, last + 1, PER_LINE):
            codes = range(max(start, first), min(start + PER_LINE, last + 1))
            lines.append(
                f"{codes[0]:04x} "
                + " ".join(entry(covered[chr(c)]) if chr(c) in covered else "?" for c in codes)
            )
    with TARGET.open("w", encoding="utf-8") as out:
        out.write(HEADER.format(version=icu.version))
        out.writelines(f"{line}\n" for line in lines)
        for pair, elements in contractions.items():
            out.write(f"{'_'.join(f'{ord(c):04x}' for c in pair)} {entry(elements)}\n")
    print(
        f"{len(covered)} characters, {len(contractions)} contractions,"
        f" {[len(level) - 1 for level in levels]} weights"
    )


if __name__ == "__main__":
    main()
