"""A page printed to PDF by Chromium, if installed."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from contextlib import suppress
from pathlib import Path

from ..errors import SynthpopError

PROGRAMS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "msedge")
QUIET = (
    "--headless",
    "--disable-gpu",
    "--no-first-run",
    "--disable-extensions",
    "--disable-background-networking",
    "--no-pdf-header-footer",
)
LONGEST = 120  # seconds


def find_browser() -> str | None:
    """The program that prints, or None."""
    for program in PROGRAMS:
        path = shutil.which(program)
        if path is not None:
            return path
    return None


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
    with tempfile.TemporaryDirectory(prefix="synthpop_py-") as folder:
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
