"""How much space words take: measured as they will be drawn, wrapped if a line is too long,
shortened with "…" if there is no further line.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import Any

__all__ = ["ELLIPSIS", "Ruler", "line_height", "lines_of"]

ELLIPSIS = "…"
# dots per inch: letters of coarse pictures are wider, and a figure may be saved coarser than shown
COARSE = 60
SPACING = 1.32  # height of a line over the size of its letters


def lines_of(text: str) -> int:
    return text.count("\n") + 1


def line_height(size: float) -> float:
    """Inches of a line of letters of this size (points)."""
    return SPACING * size / 72


class Ruler:
    """Measures words for a figure of so many dots per inch."""

    def __init__(self, dpi: float) -> None:
        self._dpis = {float(dpi), COARSE}

    def inches(self, text: str, size: float, *, bold: bool = False) -> float:
        """Width of the longest line."""
        fonts = _fonts()
        widest = 0.0
        for line in text.split("\n"):
            for dpi in self._dpis:
                widest = max(widest, _line_inches(line, size, bold, dpi, fonts))
        return widest

    def widest(self, texts: Iterable[str], size: float) -> float:
        """Width of the widest text; 0 where there is none."""
        return max((self.inches(text, size) for text in texts), default=0.0)

    def wrapped(
        self,
        text: str,
        inches: float,
        size: float,
        *,
        bold: bool = False,
        most: int | None = None,
    ) -> str:
        """The text in lines that are no wider; its own lines stay apart. Of more than `most` lines
        the last one that is left ends with "…".
        """
        lines: list[str] = []
        for paragraph in text.split("\n"):
            lines += self._lines(paragraph, inches, size, bold)
        if most is None or len(lines) <= most:
            return "\n".join(lines)
        rest = " ".join(lines[most - 1 :])
        return "\n".join([*lines[: most - 1], self.shortened(rest, inches, size, bold=bold)])

    def shortened(self, text: str, inches: float, size: float, *, bold: bool = False) -> str:
        """As much of a line as fits, and "…" if that is not all."""
        if self.inches(text, size, bold=bold) <= inches:
            return text
        room = inches - self.inches(ELLIPSIS, size, bold=bold)
        letters = max(self._letters(text, room, size, bold), 1)
        return text[:letters].rstrip(" ,;:(") + ELLIPSIS

    def _lines(self, paragraph: str, inches: float, size: float, bold: bool) -> list[str]:
        lines: list[str] = []
        line = ""
        for word in paragraph.split(" "):
            # a line is measured as a whole: its words one by one may be narrower
            longer = f"{line} {word}".lstrip()
            if self.inches(longer, size, bold=bold) <= inches:
                line = longer
            elif line and self.inches(word, size, bold=bold) <= inches:
                lines.append(line)
                line = word
            else:
                # the word fits no line: it starts here and continues on the next one
                *full, line = self._broken(longer, inches, size, bold)
                lines += full
        return [*lines, line]

    def _broken(self, line: str, inches: float, size: float, bold: bool) -> list[str]:
        """A line without enough spaces in parts that are no wider."""
        parts = []
        while self.inches(line, size, bold=bold) > inches and len(line) > 1:
            letters = _break(line, max(self._letters(line, inches, size, bold), 1))
            parts.append(line[:letters].rstrip(" "))
            line = line[letters:].lstrip(" ")
        return [*parts, line]

    def _letters(self, text: str, inches: float, size: float, bold: bool) -> int:
        """How many of the first letters are no wider."""
        fewest, most = 0, len(text)
        while fewest < most:
            middle = (fewest + most + 1) // 2
            if self.inches(text[:middle], size, bold=bold) <= inches:
                fewest = middle
            else:
                most = middle - 1
        return fewest


def _fonts() -> tuple[Any, ...]:
    """The fonts that words are set in now."""
    from matplotlib import rcParams

    return (*rcParams["font.family"], *rcParams["font.sans-serif"], rcParams["text.hinting"])


@lru_cache(maxsize=20_000)
def _line_inches(line: str, size: float, bold: bool, dpi: float, fonts: tuple[Any, ...]) -> float:
    """The width of one line; `fonts` tell apart what is remembered."""
    from matplotlib.backends.backend_agg import RendererAgg
    from matplotlib.font_manager import FontProperties

    font = FontProperties(size=size, weight="bold" if bold else "normal")
    renderer: Any = RendererAgg
    pixels, _, _ = renderer(1, 1, dpi).get_text_width_height_descent(line, font, ismath=False)
    return float(pixels / dpi)


def _break(text: str, most: int) -> int:
    """After how many letters a line that is too long is broken: behind the last sign in its second
    half, where there is one.
    """
    for letters in range(most, most // 2, -1):
        if text[letters - 1] in "_.-/ ":
            return letters
    return most
