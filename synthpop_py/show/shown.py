"""The methods that every result has."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from ..arguments import check_choice, check_flag, is_number, listed
from ..core.fingerprint import Fingerprints
from ..errors import InputError
from . import html, markdown, small_cells, text
from .document import Document, Relation, only_blocks
from .plain import arguments_content, cells_within, hidden_places, plain, without_hidden
from .small_cells import MIN_CELL, check_min_cell

PARTS = ("all", "short", "summary", "notes", "tables")


class Shown:
    """A result that can be shown. It fills a document and a dictionary once; all views are made
    from these.
    """

    __slots__ = ()

    # ---- what a result says ----------------------------------------------------------

    def _document(self) -> Document:
        """All that `print` and the exports show."""
        raise NotImplementedError

    def _short_document(self) -> Document:
        """What `repr` and a notebook show."""
        return self._document()

    def _details(self) -> Document | None:
        """What `summary` shows after its sentences; None for nothing."""
        return None

    def _content(self) -> Mapping[str, Any]:
        """All figures by name: plain values, and cells where they are about people."""
        raise NotImplementedError

    def _arguments(self) -> Mapping[str, Any]:
        """The arguments of the call behind the result."""
        return {}

    def _records(self) -> Mapping[str, Any]:
        """How many records the tables behind it have."""
        return {}

    def _relations(self) -> tuple[Relation, ...]:
        """What ties the counts of `_document` and `_content` together."""
        return ()

    def _fingerprints(self, *, original: bool) -> Fingerprints | None:
        """Fingerprints of the synthetic data behind it and, on request, of the original; None if it
        keeps nothing to make them from.
        """
        return None

    # ---- views -----------------------------------------------------------------------

    def __repr__(self) -> str:
        return text.render(self._short_document())

    def __str__(self) -> str:
        return text.render(self._document())

    def _repr_html_(self) -> str:
        return html.fragment(self._short_document())

    def summary(self, *, min_cell: int = 0) -> str:
        """One or two sentences with the main figures; exact unless `min_cell` is given. For a
        synthesis by `syn()` also methods, and each column in a few figures.
        """
        document = self._limited(min_cell)
        lines = []
        for sentence in document.headline:
            lines += text.note_lines(sentence)
        details = self._details()
        if details is not None:
            limited = small_cells.apply(details, min_cell) if min_cell else details
            lines += ["", text.render(limited)]
        return "\n".join(lines)

    def print(self, to_print: str | Sequence[str] | None = None) -> Any:
        """Print the result, or parts of it.

        Parameters
        ----------
        to_print : one or more of "summary" (sentences), "notes" (all but tables), "tables", "short"
            (what a notebook shows), "all" (also where nothing is given). R's ``print(x, to.print =
            ...)``; Python's own ``print()`` takes no such argument.
        """
        self._print_parts(self._document(), to_print)

    def _print_parts(
        self,
        document: Document,
        to_print: str | Sequence[str] | None,
        own: Sequence[str] = (),
        of_own: Callable[[list[str]], Document] | None = None,
    ) -> None:
        """Print the parts that are asked for: those of this kind of result together, from the
        document that `of_own` makes of them, then those that every result has.
        """
        names = part_names("all" if to_print is None else to_print, own)
        texts = []
        together = [name for name in names if name in own]
        if together and of_own is not None:
            texts.append(text.render(of_own(together)))
        for name in names:
            if name not in own:
                texts.append(self._part(document, name))
        print("\n\n".join(filter(None, texts)))

    def _part(self, document: Document, name: str) -> str:
        if name == "summary":
            return self.summary()
        if name == "short":
            document = self._short_document()
        if name in ("tables", "notes"):
            document = only_blocks(document, tables=name == "tables")
        return text.render(document)

    def to_html(self, *, min_cell: int = MIN_CELL) -> str:
        """A complete HTML page. Counts of people below `min_cell`, and figures that reveal them,
        are hidden; 0 shows all.
        """
        document = self._limited(min_cell)
        return html.page(document, footer=_footer())

    def to_markdown(self, *, min_cell: int = MIN_CELL) -> str:
        """Markdown. Counts of people below `min_cell`, and figures that reveal them, are hidden; 0
        shows all.
        """
        document = self._limited(min_cell)
        return markdown.render(document, footer=_footer())

    def to_dict(self, *, min_cell: int = 0, original_fingerprint: bool = False) -> dict[str, Any]:
        """Plain Python values that JSON can hold: figures, arguments, row counts, the version of
        the package, and fingerprints of the synthetic data.

        Parameters
        ----------
        min_cell : the figures are exact unless it is given: then hidden values are None, and
            "hidden" lists where (JSON pointers).
        original_fingerprint : also that of the original. Anyone who has it can confirm a guess at a
            small table, so it must not go where small counts are hidden.
        """
        least = check_min_cell(min_cell)
        of_original = check_flag("original_fingerprint", original_fingerprint)
        if of_original and least > 1:
            raise InputError(
                f"original_fingerprint: cannot be used with min_cell={least}; it would "
                "confirm a guess at the hidden counts; give min_cell=0, or leave it out"
            )
        content = self._header(of_original) | dict(self._content())
        hidden: frozenset[str] = frozenset()
        if least:
            hidden = small_cells.hidden_names(cells_within(content), self._relations(), least)
        values: dict[str, Any] = plain(without_hidden(content, hidden))
        if least > 1:
            values |= {"min_cell": least, "hidden": hidden_places(content, hidden)}
        return values

    def to_json(self, *, min_cell: int = 0, original_fingerprint: bool = False) -> str:
        """`to_dict` as JSON (NaN and infinities as texts, which every reader accepts)."""
        values = self.to_dict(min_cell=min_cell, original_fingerprint=original_fingerprint)
        return json.dumps(values, ensure_ascii=False, allow_nan=False)

    def _limited(self, min_cell: object) -> Document:
        """The document after the rule on small cells."""
        least = check_min_cell(min_cell)
        if not least:
            return self._document()
        return small_cells.apply(replace(self._document(), relations=self._relations()), least)

    def _header(self, original_fingerprint: bool = False) -> dict[str, Any]:
        return {
            "what": f"synthpop_py.{type(self).__name__}",
            "version": _version(),
            "fingerprint": self._fingerprint_content(original_fingerprint),
            "arguments": arguments_content(self._arguments()),
            "records": self._records(),
        }

    def _fingerprint_content(self, original: bool) -> dict[str, Any] | None:
        fingerprints = self._fingerprints(original=original)
        if original and (fingerprints is None or fingerprints.original is None):
            raise InputError("original_fingerprint: this result keeps nothing to make it from")
        if fingerprints is None:
            return None
        content: dict[str, Any] = {
            "columns": fingerprints.columns,
            "synthetic": fingerprints.synthetic,
        }
        if original:
            content["original"] = fingerprints.original
        return content


def part_names(to_print: Any, own: Sequence[str] = ()) -> list[str]:
    """The parts to print, by the names that every result knows, or that are `own` of its kind."""
    choices = list(dict.fromkeys((*own, *PARTS)))
    names = listed(to_print)
    if not names:
        raise InputError(f"to_print: is empty; choices: {', '.join(choices)}")
    for name in names:
        if is_number(name):
            raise InputError(
                f"to_print: {name!r} is not a part of a result; choices: {', '.join(choices)}."
                f" Give decimals by name, digits={name!r}, if the result takes them"
            )
        check_choice("to_print", name, choices)
    return names


def _version() -> str:
    from .. import __version__

    return __version__


def _footer() -> str:
    return f"Made by synthpop_py {_version()}."
