"""A report as HTML and Markdown by templates: `words.j2` has the words of both, the others say how
they look. A page is printed to PDF by Chromium.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import Any

from ..errors import SynthpopError, missing_package
from ..rounding import EXACT, PROMISE
from .checks import Facts
from .facts import in_words

PROGRAMS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "msedge")
QUIET = ["--headless", "--disable-gpu", "--no-first-run", "--disable-extensions"]
QUIET += ["--disable-background-networking", "--no-pdf-header-footer"]
LONGEST = 120  # seconds
# characters that mean something in Markdown; a bar ends the cell of a table
SPECIAL = re.compile(r"([\\`*_\[\]<>|#~])")


def rendered(form: str, facts: Facts) -> str:
    """The report as "html", one file that needs nothing else, or as "md"."""
    try:
        import jinja2
    except ImportError:
        raise missing_package("reports as pages", "Jinja2", "report") from None
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("synthpop_py.report"),
        autoescape=form == "html",
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
    )
    filters: dict[str, Any] = {
        "plain": _plain,
        "thousands": "{:,}".format,
        "slug": lambda heading: re.sub(r"[^a-z0-9]+", "-", heading.lower()).strip("-"),
        "in_words": in_words,
    }
    environment.filters.update(filters)
    template = environment.get_template(f"report.{form}.j2")
    page = template.render(facts, EXACT=EXACT.capitalize(), PROMISE=PROMISE)
    if form == "html":
        return page.replace(" %", "\N{NO-BREAK SPACE}%")
    return re.sub(r"\n{3,}", "\n\n", page).strip() + "\n"


def _plain(words: object) -> str:
    """Words that stay as they are in Markdown, on one line."""
    return SPECIAL.sub(r"\\\1", " ".join(str(words).split()))


def find_browser() -> str | None:
    """The program that prints, or None."""
    return next((path for path in map(shutil.which, PROGRAMS) if path is not None), None)


def browser() -> str:
    program = find_browser()
    if program is None:
        raise SynthpopError(
            "format: 'pdf' needs Chromium or Chrome to print the page, and neither is on the "
            "path; install one, or use format='html' and print it from a browser"
        )
    return program


def sandbox_options() -> list[str]:
    """Chromium refuses to run as root with its sandbox; the page is our own and has no scripts."""
    is_root = hasattr(os, "geteuid") and os.geteuid() == 0
    return ["--no-sandbox"] if is_root else []


def printed(page: str) -> bytes:
    """The page as PDF."""
    program = browser()
    with tempfile.TemporaryDirectory(prefix="synthpop_py-", ignore_cleanup_errors=True) as folder:
        source, goal = Path(folder, "page.html"), Path(folder, "page.pdf")
        source.write_text(page, encoding="utf-8")
        command = [program, *QUIET, *sandbox_options(), f"--user-data-dir={folder}/profile"]
        command += [f"--print-to-pdf={goal}", source.as_uri()]
        with suppress(OSError, subprocess.TimeoutExpired):  # then there is no file
            subprocess.run(command, capture_output=True, check=False, timeout=LONGEST)
        if not goal.exists():
            raise SynthpopError(
                f"format: 'pdf' failed: {Path(program).name} printed nothing; use "
                "format='html' and print it from a browser"
            )
        return goal.read_bytes()
