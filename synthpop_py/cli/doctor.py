"""``synthpop-disclosure doctor``: what is installed, and what is missing for what."""

from __future__ import annotations

import platform
import shutil
import subprocess
import sys
from argparse import ArgumentParser, Namespace
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from typing import NamedTuple

from .command import BAD_INPUT, DONE, Command
from .messages import refuse
from .outputs import json_text, show

__all__ = ["COMMAND"]

SECONDS = 20  # seconds that a program may take to print its version
NEEDED = ("numpy", "pandas", "scipy")
# a package, and what it is for
OPTIONAL = {
    "narwhals": "frames of other libraries (extra frames)",
    "pyarrow": "Parquet files (extra frames)",
    "polars": "frames of polars; scans Parquet (extra frames)",
    "duckdb": "scans CSV and Parquet, databases of DuckDB (extra duckdb)",
    "ibis-framework": "databases: SQLite, PostgreSQL (extra sql)",
    "pyspark": "tables of Spark (extra spark)",
    "matplotlib": "pictures (extra plot)",
    "jinja2": "reports (extra report)",
    "rdata": "files of R (extra rdata)",
    "pyreadr": "files of R (extra pyreadr)",
    "pyreadstat": "files of SPSS",
    "rpy2": "comparison with R itself (extra r)",
}
R = ("Rscript",)
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "chrome")
JAVA = ("java",)


class Found(NamedTuple):
    """A part and its version; None if it is not installed, or does not work."""

    name: str
    version: str | None
    purpose: str


def add_options(parser: ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="JSON instead of text to read")


def run(chosen: Namespace) -> int:
    needed = [_working(name) for name in NEEDED]
    others = [_installed(name, purpose) for name, purpose in OPTIONAL.items()]
    programs = [
        _program(R, "R", "files of R that you trust; comparison with R itself (not needed)"),
        _program(BROWSERS, "Chromium", "reports as PDF (not needed for anything else)"),
        _program(JAVA, "Java", "Spark"),
    ]
    if chosen.json:
        _show_json({"needed": needed, "optional": others, "programs": programs})
    else:
        _show_text(needed, others, programs)
    broken = [part.name for part in needed if part.version is None]
    if broken:
        refuse(f"{', '.join(broken)} cannot be imported; install the package again")
        return BAD_INPUT
    return DONE


# ---- what is there -------------------------------------------------------------------


def _working(name: str) -> Found:
    """Imported, because an installed package may still be broken."""
    purpose = "needed by everything"
    try:
        import_module(name)
    except Exception:  # a broken package raises nearly anything
        return Found(name, None, purpose)
    return _installed(name, purpose)


def _installed(name: str, purpose: str) -> Found:
    try:
        return Found(name, version(name), purpose)
    except PackageNotFoundError:
        return Found(name, None, purpose)


def _program(names: tuple[str, ...], title: str, purpose: str) -> Found:
    path = next(filter(None, map(shutil.which, names)), None)
    if path is None:
        return Found(title, None, purpose)
    option = "-version" if names == JAVA else "--version"
    try:
        done = subprocess.run(
            [path, option], capture_output=True, text=True, timeout=SECONDS, check=False
        )
    except (OSError, subprocess.SubprocessError):
        return Found(title, None, purpose)
    lines = (done.stdout + done.stderr).strip().splitlines()
    return Found(title, lines[0].strip() if lines else "version unknown", purpose)


# ---- what is shown -------------------------------------------------------------------


def _show_json(parts: dict[str, list[Found]]) -> None:
    content: dict[str, object] = {
        "synthpop_py": _own_version(),
        "python": platform.python_version(),
    }
    for kind, found in parts.items():
        content[kind] = {part.name: part.version for part in found}
    show(json_text(content) + "\n")


def _show_text(*groups: list[Found]) -> None:
    lines = [
        f"synthpop_py {_own_version()}",
        f"Python {platform.python_version()} on {sys.platform}",
    ]
    for group in groups:
        lines.append("")
        width = max(len(part.name) for part in group)
        for part in group:
            state = part.version or "not found"
            lines.append(f"{part.name.ljust(width)}  {state}: {part.purpose}")
    show("\n".join(lines) + "\n")


def _own_version() -> str:
    from .. import __version__

    return __version__


COMMAND = Command(
    name="doctor",
    says="Which versions, engines and programs are installed, and what is missing.",
    example="doctor",
    add_options=add_options,
    run=run,
)
