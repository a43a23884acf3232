"""Builds the documentation site: the pages of docs/pages and docs/decisions, notebooks, an entry
for every public name, search, a left-hand order; one folder that any web server can show.

    python docs/site.py                 write build/site
    python docs/site.py FOLDER          write it there

The pages must have been built before (`python docs/build.py`): the site renders them and computes
nothing. Zensical does the rendering (group `docs` of pyproject.toml); decision 0028 says why.
"""

from __future__ import annotations

import argparse
import inspect
import json
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

DOCS = Path(__file__).resolve().parent
ROOT = DOCS.parent
BUILD = ROOT / "build"
sys.path.insert(0, str(ROOT))

import synthpop_py  # noqa: E402
from docs.docstrings import describe, examples  # noqa: E402
from docs.notebook_pages import notebook_page  # noqa: E402

LINK = re.compile(r"(!?)\[([^\]]*)\]\(([^)\s]+)\)")
ENTRY = re.compile(r"^\* \[(.+?)\]\((.+?)\)")
ELSEWHERE = ("http://", "https://", "mailto:", "#")
CODE = re.compile(r"`([^`]+)`")
NOTEBOOKS = "notebooks"
ENTRIES = "api"
API = f"reference/{ENTRIES}"
NAMES = "reference/index.md"


class Page(NamedTuple):
    """A page in the left-hand order."""

    title: str
    path: str


# ---- what is on the site -------------------------------------------------------------


def places() -> dict[Path, str]:
    """Files of the repository and where they are on the site."""
    found = {ROOT / "README.md": "index.md", DOCS / "README.md": "contents.md"}
    found[ROOT / "CHANGELOG.md"] = "changelog.md"
    found[ROOT / "notebooks" / "README.md"] = f"{NOTEBOOKS}/index.md"
    for path in sorted((ROOT / "notebooks").glob("*.ipynb")):
        found[path] = f"{NOTEBOOKS}/{path.stem}.md"
    for path in sorted((ROOT / "examples").glob("*.html")):
        found[path] = f"examples/{path.name}"
    for folder in (DOCS / "pages", DOCS / "decisions"):
        start = DOCS / "pages" if folder.name == "pages" else DOCS
        for path in sorted(folder.rglob("*")):
            if path.is_file():
                found[path] = path.relative_to(start).as_posix()
    found[DOCS / "site.css"] = "site.css"
    return found


def sections() -> dict[str, list[Page]]:
    """The left-hand order, which is that of docs/README.md."""
    known = places()
    found: dict[str, list[Page]] = {}
    heading = ""
    for line in (DOCS / "README.md").read_text(encoding="utf-8").splitlines():
        entry = ENTRY.match(line)
        if line.startswith("## "):
            heading = line[3:]
            found[heading] = []
        elif entry and heading:
            place = known[(DOCS / entry[2]).resolve()]
            found[heading].append(Page(_plain(entry[1]), place))
    return found


def _plain(title: str) -> str:
    """A title without marks, for a menu."""
    return title.replace("`", "").replace("\\", "")


# ---- public names --------------------------------------------------------------------


def public_names() -> Iterator[tuple[str, Any]]:
    """Every public name with what it is: those of the package, then those of its modules."""
    for name in synthpop_py.__all__:
        thing = getattr(synthpop_py, name)
        if not inspect.ismodule(thing):
            yield name, thing
    for module_name, module in modules().items():
        for name in getattr(module, "__all__", ()):
            if name not in synthpop_py.__all__:
                yield f"{module_name}.{name}", getattr(module, name)


def modules() -> dict[str, ModuleType]:
    """The public modules by name."""
    things = {name: getattr(synthpop_py, name) for name in synthpop_py.__all__}
    return {name: thing for name, thing in things.items() if inspect.ismodule(thing)}


def api_page(name: str, thing: Any) -> str:
    """The entry of one name as a page."""
    if inspect.isfunction(thing) or inspect.isclass(thing):
        returned = inspect.isclass(thing) and not _is_called(thing)
        entry = describe(name, thing, called=not returned)
    else:
        entry = f"### `{name}`\n\n{_first_paragraph(thing)}"
    shown = examples(_documented(thing))
    code = f"\n\n## Example\n\n```pycon\n{shown}\n```\n" if shown else "\n"
    return entry.replace("### ", "# ", 1) + code


def _is_called(thing: type) -> bool:
    """Whether users make such an object themselves; errors and results they only meet."""
    return ">>> " in (inspect.getdoc(thing) or "") and not issubclass(thing, BaseException)


def api_index() -> str:
    """The page that leads to all of them."""
    rows: dict[str, list[str]] = {}
    for name, thing in public_names():
        module = name.rpartition(".")[0]
        row = f"| [`{name}`]({name}.md) | {_first_paragraph(thing)} |"
        rows.setdefault(module, []).append(row)
    text = ["# Every public name, one by one", ""]
    for module, its_rows in rows.items():
        heading = [f"## `{module}`", ""] if module else []
        text += [*heading, "| name | what it is |", "|---|---|", *its_rows, ""]
    return "\n".join(text)


def with_entries(text: str) -> str:
    """The table of public names with a link from each name to its entry."""
    entries = {name: f"{ENTRIES}/{name}.md" for name, _ in public_names()}
    entries |= {name: f"{ENTRIES}/index.md#{name}" for name in modules()}

    def linked(match: re.Match[str]) -> str:
        entry = entries.get(match[1])
        return f"[{match[0]}]({entry})" if entry else match[0]

    lines = []
    for line in text.split("\n"):
        if line.startswith("| `"):
            first, rest = line[2:].split(" |", 1)
            line = f"| {CODE.sub(linked, first)} |{rest}"
        lines.append(line)
    return "\n".join(lines)


def _documented(thing: Any) -> Any:
    """What has the docstring: of a value its type."""
    return thing if callable(thing) else type(thing)


def _first_paragraph(thing: Any) -> str:
    text = inspect.getdoc(_documented(thing)) or ""
    return " ".join(text.split("\n\n")[0].split()).replace("``", "`").replace("|", "\\|")


# ---- links ---------------------------------------------------------------------------


def relinked(text: str, origin: Path, place: str, known: dict[Path, str]) -> str:
    """A text with its links as they are on the site; what is not on the site becomes plain."""

    def replace(match: re.Match[str]) -> str:
        picture, label, target = match.groups()
        if target.startswith(ELSEWHERE):
            return match[0]
        path, _, anchor = target.partition("#")
        file = (origin.parent / path).resolve()
        if file.is_dir():
            file = file / "README.md"
        if file not in known:
            return label
        there = _between(place, known[file])
        return f"{picture}[{label}]({there}{'#' + anchor if anchor else ''})"

    return LINK.sub(replace, text)


def _between(here: str, there: str) -> str:
    """The way from one page to another."""
    up = "../" * here.count("/")
    return f"{up}{there}"


# ---- building ------------------------------------------------------------------------


def assemble(folder: Path) -> None:
    """Write what the site is rendered from."""
    known = places()
    for file, place in known.items():
        target = folder / "docs" / place
        target.parent.mkdir(parents=True, exist_ok=True)
        if file.suffix == ".ipynb":
            _add_notebook(file, target, partial(relinked, origin=file, place=place, known=known))
        elif file.suffix != ".md":
            shutil.copyfile(file, target)
        else:
            text = relinked(file.read_text(encoding="utf-8"), file, place, known)
            text = with_entries(text) if place == NAMES else text
            target.write_text(text, encoding="utf-8")
    _add_names(folder)
    (folder / "zensical.toml").write_text(settings(), encoding="utf-8")


def _add_notebook(file: Path, target: Path, relink: Callable[[str], str]) -> None:
    """A notebook as a page, and beside it the notebook itself and its pictures."""
    page = notebook_page(file, relink)
    target.write_text(page.text, encoding="utf-8")
    shutil.copyfile(file, target.with_name(file.name))
    for name, picture in page.pictures.items():
        target.with_name(name).write_bytes(picture)


def _add_names(folder: Path) -> None:
    names = folder / "docs" / API
    names.mkdir(parents=True, exist_ok=True)
    for name, thing in public_names():
        (names / f"{name}.md").write_text(api_page(name, thing), encoding="utf-8")
    (names / "index.md").write_text(api_index(), encoding="utf-8")


def settings() -> str:
    """The settings of the site with the left-hand order in them."""
    parts = [_entry("Start", "index.md")]
    for heading, pages in sections().items():
        entries = [_entry(page.title, page.path) for page in pages]
        if heading == "Reference":
            # a hundred names would bury the rest of the order; their own page has them
            entries.append(_entry("Every name, one by one", f"{API}/index.md"))
        parts.append(_section(heading, entries))
    parts.append(_entry("Changes", "changelog.md"))
    nav = ",\n".join(parts)
    head = f'docs_dir = "docs"\nsite_dir = "site"\nnav = [\n{nav}\n]\n'
    shared = (DOCS / "site.toml").read_text(encoding="utf-8")
    return shared.replace("[project]\n", f"[project]\n{head}", 1)


def _entry(title: str, path: str) -> str:
    # TOML writes texts as JSON does
    return f"{{ {json.dumps(title)} = {json.dumps(path)} }}"


def _section(title: str, entries: list[str]) -> str:
    return f"{{ {json.dumps(title)} = [\n  {', '.join(entries)}\n] }}"


def main() -> None:
    parser = argparse.ArgumentParser(description="Build the documentation site.")
    parser.add_argument("folder", nargs="?", type=Path, default=BUILD / "site")
    site = parser.parse_args().folder
    program = [sys.executable, "-m", "zensical", "build", "-f", "zensical.toml"]
    with tempfile.TemporaryDirectory() as name:
        assemble(Path(name))
        subprocess.run(program, cwd=name, check=True)
        shutil.rmtree(site, ignore_errors=True)
        shutil.move(Path(name) / "site", site)  # Zensical writes below its settings only


if __name__ == "__main__":
    main()
