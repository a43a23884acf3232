"""What `report()` returns."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from .facts import Facts
from .pictures import of_targets
from .render import as_json, html, markdown, printed
from .writing import check_free, format_and_path, write


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class Report:
    """A report. Every count of people in it, in every format, is rounded to `round_to`.

    Attributes
    ----------
    format : "html", "md", "json" or "pdf".
    path : where it was written; None where it was not.
    limits : the limits given, each with its figure and whether it is met.
    decision : "met", "not met", "cannot be judged", or None where no limit was given.
    exit_code : for pipelines: 0 where nothing speaks against it, 1 for "not met", 2 for "cannot be
        judged".
    round_to : what counts are rounded to; 1 where they are exact.
    result : the results of `multi_disclosure` behind it by target, exact.
    """

    format: str
    path: Path | None
    round_to: int
    result: dict[Any, Any]
    _facts: Facts = field(repr=False)
    _page: Facts = field(repr=False)
    _drawing: Any = field(repr=False)

    @property
    def limits(self) -> list[Facts]:
        return list(self._facts.get("limits", []))

    @property
    def decision(self) -> str | None:
        decision: str | None = self._facts["decision"]
        return decision

    @property
    def exit_code(self) -> int:
        return {"not met": 1, "cannot be judged": 2}.get(self.decision or "", 0)

    def to_html(self) -> str:
        """The page in one file, with its pictures."""
        pictures = list(of_targets(*self._drawing))
        return html(self._page | {"sections": _with_pictures(self._page["sections"], pictures)})

    def to_markdown(self) -> str:
        return markdown(self._page)

    def to_json(self) -> str:
        """The figures of the page."""
        return as_json(self._facts)

    def to_pdf(self) -> bytes:
        """The page on A4, printed by Chromium."""
        return printed(self.to_html())

    def save(self, path: str | os.PathLike[str], *, force: bool = False) -> Path:
        """Write it to a file that ends in .html, .md, .json or .pdf."""
        chosen, file = format_and_path(path, None)
        assert file is not None, "a path was given"
        check_free(file, force=force)
        write(file, self.content_as(chosen))
        return file

    def content_as(self, chosen: str) -> bytes:
        if chosen == "pdf":
            return self.to_pdf()
        made = {"html": self.to_html, "md": self.to_markdown, "json": self.to_json}
        return made[chosen]().encode()

    @property
    def text(self) -> str:
        """The report as text in its format; of a PDF the Markdown."""
        return self.content_as("md" if self.format == "pdf" else self.format).decode()

    def _repr_html_(self) -> str:
        """For notebooks: a frame of its own, so that its styles stay inside."""
        from html import escape

        page = escape(self.to_html(), quote=True)
        return f'<iframe srcdoc="{page}" style="width: 100%; height: 40rem; border: 0"></iframe>'

    def __repr__(self) -> str:
        where = "" if self.path is None else f" in {self.path.name}"
        rounded = f"counts rounded to {self.round_to}" if self.round_to > 1 else "exact figures"
        decision = "no limit given" if self.decision is None else f"limits {self.decision}"
        if self.decision == "cannot be judged":
            decision = "limits cannot be judged"
        return f"Report: {self.format}{where}, {len(self.result)} targets, {rounded}; {decision}"


def _with_pictures(sections: list[Facts], pictures: list[Facts]) -> list[Facts]:
    """The sections with the pictures in the place that waits for them."""
    filled = []
    for section in sections:
        blocks: list[Facts] = []
        for block in section["blocks"]:
            blocks += pictures if block["kind"] == "pictures" else [block]
        filled.append({**section, "blocks": blocks})
    return filled
