"""What `report()` returns."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from ..disclosure.result import Disclosure
from ..show import Document
from ..summary.result import MultiDisclosure
from .contents import Audit
from .evidence import Evidence


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class Report:
    """A report, and what it was made from.

    Attributes
    ----------
    content : the file: bytes of HTML, Markdown, JSON or PDF.
    format : "html", "md", "json" or "pdf".
    path : where it was written; None where it was not.
    audit : what an attacker could work out from it (`audit.passed`, `audit.exposed`, how many
        counts are hidden and why).
    document : what it says, without hidden values.
    evidence : the results that it was made from, nothing hidden.
    """

    content: bytes
    format: str
    path: Path | None
    audit: Audit
    document: Document
    evidence: Evidence

    @property
    def text(self) -> str:
        """The file as text; for a PDF its page."""
        from ..show import text

        return text.render(self.document) if self.format == "pdf" else self.content.decode("utf-8")

    @property
    def html(self) -> str:
        """The page; other formats have none."""
        return self.text if self.format == "html" else ""

    @property
    def result(self) -> Disclosure | MultiDisclosure:
        """The correct figures behind it, exact."""
        return self.evidence.summary or self.evidence.first

    def _repr_html_(self) -> str:
        from ..show import html

        return html.fragment(self.document)

    def __repr__(self) -> str:
        where = "" if self.path is None else f" in {self.path.name}"
        hidden = self.audit.small + self.audit.for_others
        return (
            f"Report: {self.format}{where}, {len(self.content) / 1000:,.0f} kB,"
            f" {len(self.document.sections)} sections; {hidden} of {self.audit.counts} counts of"
            f" people hidden (min_cell={self.audit.min_cell})"
        )
