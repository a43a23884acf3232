"""The methods that every result has: a result says what it shows in sections, and all views are
made from these.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from os import PathLike
from typing import Any

from ..rounding import EXACT, ROUND_TO, check_round_to, too_few
from . import pages, printing
from .printing import Sections
from .values import arguments_content, plain


class Shown:
    """A result that can be shown.

    It says what it is: `_title` of a page; `_headline`, one or two sentences with the main figures;
    `_sections`, all that `print` shows, exact; `_content`, all figures by name. It may say more:
    `_notes`, what to know of the data before a figure is trusted; `_short` for `repr` and a
    notebook; `_details`, what `summary` has after its sentences. If it is about people,
    `_everybody` is their number, and `_rounded` what other people may see. `_headline` and
    `_rounded` get the base of rounding, 1 for exact figures.
    """

    __slots__ = ()

    def _title(self) -> str:
        raise NotImplementedError

    def _headline(self, to: int = 1) -> Sequence[str]:
        raise NotImplementedError

    def _sections(self) -> Sections:
        raise NotImplementedError

    def _content(self) -> Mapping[str, Any]:
        raise NotImplementedError

    def _notes(self) -> Sequence[str]:
        return ()

    def _short(self) -> Sections:
        return self._sections()

    def _details(self) -> Sections:
        return []

    def _arguments(self) -> Mapping[str, Any]:
        return {}

    def _records(self) -> Mapping[str, Any]:
        return {}

    def _everybody(self) -> int | None:
        return None

    def _rounded(self, to: int) -> Sections:
        return self._sections()

    def __repr__(self) -> str:
        return printing.text(self._below_notes(self._short()))

    def __str__(self) -> str:
        return printing.text(self._below_notes(self._sections()))

    def _repr_html_(self) -> str:
        return pages.html_fragment(self._below_notes(self._short()))

    def _below_notes(self, sections: Sections) -> Sections:
        notes = self._notes()
        return [notes, *sections] if notes else sections

    def summary(self) -> str:
        """One or two sentences with the main figures. For a synthesis by `syn()` also methods, and
        each column in a few figures.
        """
        return printing.text(self._below_notes([self._headline(), *self._details()]))

    def print(self) -> Any:
        """Print the result, as R's ``print(x)``."""
        self._print(self._sections())

    def _print(self, sections: Sections) -> None:
        print(printing.text(self._below_notes(sections)))

    def to_dict(self) -> dict[str, Any]:
        """Plain Python values that JSON can hold: exact figures, arguments, row counts, the version
        of the package.
        """
        values = {
            "what": f"synthpop_py.{type(self).__name__}",
            "version": _version(),
            "arguments": arguments_content(self._arguments()),
            "records": self._records(),
            **self._content(),
        }
        return {name: plain(value) for name, value in values.items()}

    def to_json(self) -> str:
        """`to_dict` as JSON (NaN and infinities as texts, which every reader accepts)."""
        return json.dumps(self.to_dict(), ensure_ascii=False, allow_nan=False)

    def to_html(self, *, round_to: int = ROUND_TO) -> str:
        """A complete HTML page for other people: counts of people are rounded to a multiple of
        `round_to`, and percentages are computed from these. 1 shows exact figures, which are not
        for release.
        """
        return pages.html_page(*self._page(round_to))

    def to_markdown(self, *, round_to: int = ROUND_TO) -> str:
        """The same as Markdown."""
        return pages.markdown(*self._page(round_to))

    def _page(self, round_to: int) -> tuple[str, Sequence[str], Sections, str]:
        """Title, headline, sections, footer."""
        to, everybody = check_round_to(round_to), self._everybody()
        why = "" if everybody is None else too_few(everybody, to)
        footer = f"Made by synthpop_py {_version()}."
        if why:
            return self._title(), [*self._notes(), why], [], footer
        if everybody is not None and to == 1:
            headline, sections = [f"round_to=1: {EXACT}.", *self._headline()], self._sections()
        else:
            headline, sections = [*self._headline(to)], self._rounded(to)
        return self._title(), [*self._notes(), *headline], sections, footer


class Drawn(Shown):
    """A result that has a picture, or several."""

    __slots__ = ()

    def plot(self, *args: Any, **options: Any) -> Any:
        """Draw it; returns the axes."""
        raise NotImplementedError

    def save_plot(self, path: str | PathLike[str], *, dpi: float = 150, **options: Any) -> None:
        """Write the picture to a file, whose name ends in .png, .pdf or .svg; `dpi` is for .png,
        and other options are those of `plot`.
        """
        from ..plots.frame import close

        figure = self.plot(**options).figure.figure
        try:
            figure.savefig(path, dpi=dpi)
        finally:
            if options.get("ax") is None:
                close(figure)


def _version() -> str:
    from .. import __version__

    return __version__
