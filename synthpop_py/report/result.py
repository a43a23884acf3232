"""What `report()` returns, and where it goes: a file is checked before anything is computed, and
written completely or not at all.
"""

from __future__ import annotations

import json
import tempfile
from dataclasses import dataclass
from html import escape
from os import PathLike
from pathlib import Path
from typing import Any

from ..arguments import check_choice
from ..errors import InputError
from ..r_files.replacing import replacement
from ..rounding import EXACT
from .facts import Facts
from .render import printed, rendered

DEFAULT_PATH = "report.html"
ENDINGS = {".html": "html", ".htm": "html", ".md": "md", ".json": "json", ".pdf": "pdf"}
FORMATS = ("html", "md", "json", "pdf")
EXIT_CODES = {None: 0, "met": 0, "not met": 1, "cannot be judged": 2}


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class Report:
    """A report. Every count of people in it, in every format, is rounded to `round_to`.

    Attributes
    ----------
    format : "html", "md", "json" or "pdf".
    path : where it was written; None where it was not.
    result : the corrected result behind it, exact.
    content : what the JSON holds.
    """

    format: str
    path: Path | None
    result: Any
    content: Facts

    @property
    def limits(self) -> list[Facts]:
        """The limits given, each with its figure and whether it is met."""
        return list(self.content["limits"])

    @property
    def decision(self) -> str | None:
        """ "met", "not met", "cannot be judged"; None where no limit was given."""
        decision: str | None = self.content["decision"]
        return decision

    @property
    def exit_code(self) -> int:
        """For pipelines: 1 where a limit is not met, 2 where it cannot be judged, otherwise 0."""
        return EXIT_CODES[self.decision]

    def to_html(self) -> str:
        """The page in one file."""
        return rendered("html", self.content)

    def to_markdown(self) -> str:
        """The words and tables of the page."""
        return rendered("md", self.content)

    def to_json(self) -> str:
        """The figures of the page, the same at every run."""
        return json.dumps(self.content, ensure_ascii=False, allow_nan=False, indent=1) + "\n"

    def to_pdf(self) -> bytes:
        """The page on A4, printed by Chromium."""
        return printed(self.to_html())

    def save(self, path: str | PathLike[str], *, force: bool = False) -> Path:
        """Write it to a file that ends in .html, .md, .json or .pdf."""
        form, file = format_and_path(path, None)
        assert file is not None, "a path was given"
        check_free(file, force=force)
        self._write(form, file)
        return file

    def _write(self, form: str, file: Path) -> None:
        content = self._as(form)
        with replacement(file) as part:
            part.write_bytes(content)

    def _as(self, form: str) -> bytes:
        make = {"html": self.to_html, "md": self.to_markdown, "json": self.to_json}
        return self.to_pdf() if form == "pdf" else make[form]().encode()

    @property
    def text(self) -> str:
        """The report in its format; of a PDF the Markdown."""
        return self._as("md" if self.format == "pdf" else self.format).decode()

    def _repr_html_(self) -> str:
        """For notebooks, in a frame that keeps its styles to itself."""
        page = escape(self.to_html(), quote=True)
        return f'<iframe srcdoc="{page}" style="width: 100%; height: 40rem; border: 0"></iframe>'

    def __repr__(self) -> str:
        where = "" if self.path is None else f" in {self.path.name}"
        to, n = self.content["round_to"], len(self.content.get("targets", ()))
        rounded = f"counts rounded to {to}" if to > 1 else EXACT
        decision = "no limit given" if self.decision is None else f"limits: {self.decision}"
        size = "1 target" if n == 1 else f"{n} targets"
        return f"Report: {self.format}{where}, {size}, {rounded}; {decision}"


def format_and_path(path: str | PathLike[str] | None, wanted: object) -> tuple[str, Path | None]:
    """The format, and the file. A name says its format by its ending."""
    chosen = None if wanted is None else check_choice("format", wanted, FORMATS)
    if path is None:
        return chosen or "html", None
    file = Path(path)
    if chosen is not None and str(path) == DEFAULT_PATH:
        return chosen, file.with_suffix(f".{chosen}")
    by_name = ENDINGS.get(file.suffix.lower())
    if chosen is None and by_name is None:
        endings = ", ".join(f".{name}" for name in FORMATS)
        raise InputError(f"path: {str(path)!r} does not say what to write; end it in {endings}")
    if chosen not in (None, by_name or chosen):
        says = f"does not fit format={chosen!r}; end it in .{chosen}, or leave out format"
        raise InputError(f"path: {str(path)!r} {says}")
    return str(by_name or chosen), file


def check_free(path: Path | None, *, force: bool, argument: str = "path") -> None:
    """Raise an error if a file would be overwritten, or could not be written."""
    if path is None:
        return
    folder = path.absolute().parent
    if not folder.is_dir():
        raise InputError(f"{argument}: the folder of {path} does not exist")
    if path.is_dir():
        raise InputError(f"{argument}: {path} is a folder; give the name of a file")
    if path.exists() and not force:
        raise InputError(f"{argument}: {path} exists; give another name, or force=True")
    try:  # permissions say little (for root, on some file systems), so a file is made and removed
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        why = error.strerror or type(error).__name__
        raise InputError(
            f"{argument}: {path} cannot be written: its folder refuses new files ({why})"
        ) from None
