"""Builds the documentation: every number on a page comes from code that runs while the page is
made.

    python docs/build.py            write docs/pages from docs/src
    python docs/build.py --check    build in memory, fail where a committed page differs

A template is Markdown. What it may contain besides, each page with one namespace, top to bottom
(shown code sees what a reader sees: names that hidden blocks make are for these and for prose):

    ```python run            executed and shown, what it prints follows as a text block
    ```python run hidden     executed, not shown; it must not print
    ```python run printed    executed, not shown; what it prints is
    ```python run raises     as `run`, and must end in one of the package's errors, which is shown
    ```python skeleton       shown as Python, not executed: the page says so, and a test runs it
    {{ expression }}         outside of code blocks: replaced by its value, a data frame by a
                             Markdown table
    {{ pasted(source) }}     code that a module of ours holds, executed as if a reader had pasted
                             it, and shown
    {{ figure(axes, "name", "what it shows") }}
                             a picture, saved as docs/pages/figures/name.png when pages are written
                             (a check only wants it to be there)

A page is built in an empty folder of its own, as a reader would begin: shown code sees the files
that shown code made. Hidden code works on a copy of these, beside files of its own.
`RDefectWarning` is shown where it is raised. Any other warning or error stops the build and names
template and line, and so does a block of Python that is neither run nor called a skeleton.
"""

from __future__ import annotations

import contextlib
import difflib
import io
import re
import shutil
import sys
import tempfile
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

DOCS = Path(__file__).resolve().parent
SOURCE, PAGES = DOCS / "src", DOCS / "pages"
FIGURES = PAGES / "figures"
sys.path.insert(0, str(DOCS.parent))  # run as a script, Python looks only in docs

import pandas as pd  # noqa: E402

from synthpop_py import RDefectWarning, SynthpopError  # noqa: E402

FENCE = re.compile(r"^```(.*)$")
INLINE = re.compile(r"\{\{(.+?)\}\}")
ENGINES = ("ibis", "duckdb", "narwhals")
SHOWN, RAISES = "python run", "python run raises"
HIDDEN, PRINTED = "python run hidden", "python run printed"
KINDS = (SHOWN, RAISES, HIDDEN, PRINTED)
SKELETON = "python skeleton"


class BuildError(Exception):
    """A template that cannot be built."""


# ---- values as Markdown --------------------------------------------------------------


def cell(value: Any, digits: int = 2) -> str:
    """A value in a table: whole numbers plain, others with fixed decimals, bars escaped."""
    if value is None or (isinstance(value, float) and value != value):
        return "–"
    if isinstance(value, float) or (hasattr(value, "dtype") and value.dtype.kind == "f"):
        return f"{float(value):.{digits}f}"
    return str(value).replace("|", "\\|").replace("\n", " ")


def table(frame: pd.DataFrame, digits: int = 2, index: str | None = "") -> str:
    """A data frame as a Markdown table; `index` is the heading of the row labels, None leaves them
    out.
    """
    names = [cell(c) for c in frame.columns]
    numeric = [
        pd.api.types.is_numeric_dtype(t) and not pd.api.types.is_bool_dtype(t) for t in frame.dtypes
    ]
    rules = ["---:" if n else "---" for n in numeric]
    rows = [[cell(v, digits) for v in row] for row in frame.itertuples(index=False)]
    if index is not None:
        names, rules = [index, *names], ["---", *rules]
        rows = [[cell(label), *row] for label, row in zip(frame.index, rows)]
    return "\n".join("| " + " | ".join(r) + " |" for r in [names, rules, *rows])


def as_markdown(value: Any) -> str:
    return (
        table(value)
        if isinstance(value, pd.DataFrame)
        else cell(value)
        if isinstance(value, float)
        else str(value)
    )


# ---- one page ------------------------------------------------------------------------


class Hidden(dict[str, Any]):
    """Names of hidden blocks, in front of those that readers see."""

    def __init__(self, shown: dict[str, Any], names: dict[str, Any]) -> None:
        super().__init__(names)
        self.shown = shown

    def __missing__(self, name: str) -> Any:
        return self.shown[name]


class Page:
    """One template while it is being built."""

    def __init__(self, name: str, save_figures: bool = False) -> None:
        self.name = name
        self.save_figures = save_figures
        self.shown: dict[str, Any] = {"__name__": f"docs:{name}"}
        helpers = {"table": table, "figure": self.figure, "pasted": self.pasted}
        self.hidden = Hidden(self.shown, {"DOCS": DOCS, **helpers})

    def build(self, text: str) -> str:
        """The finished page."""
        with (
            tempfile.TemporaryDirectory() as readers,
            tempfile.TemporaryDirectory() as ours,
            contextlib.chdir(readers),
        ):
            self.readers, self.ours = Path(readers), Path(ours)
            return self.built(text)

    def built(self, text: str) -> str:
        parts = [
            f"<!-- Made by docs/build.py from docs/src/{self.name}. Change that file, not this"
            " one. -->"
        ]
        for line, kind, content in blocks(text, self.name):
            if kind is None and not content and not parts[-1]:
                continue  # a hidden block leaves no gap
            if kind is None:
                parts.append(
                    INLINE.sub(
                        lambda found, at=line: self.value(found.group(1).strip(), at), content
                    )
                )
            elif kind == SKELETON:
                parts.append(f"```python\n{content}\n```")
            elif kind.startswith("python"):
                parts += self.executed(line, kind, content)
            else:
                parts.append(f"```{kind}\n{content}\n```")
        return "\n".join(parts) + "\n"

    def value(self, expression: str, line: int) -> str:
        with self.as_here(line), self.behind_the_page(), shown_warnings():
            return as_markdown(eval(expression, self.hidden))

    def pasted(self, source: str) -> str:
        exec(source, self.shown)
        return f"```python\n{source}```"

    def figure(self, drawn: Any, name: str, shows: str) -> str:
        """A link to a picture of the axes or figure; pixels depend on fonts and versions, so a
        check does not compare them.
        """
        file = FIGURES / f"{name}.png"
        if self.save_figures:
            FIGURES.mkdir(parents=True, exist_ok=True)
            getattr(drawn, "figure", drawn).savefig(file, dpi=110, metadata={"Software": None})
        elif not file.is_file():
            raise BuildError(
                f"the picture {file.name} was never drawn; run: python docs/build.py {self.name}"
            )
        up = "../" * self.name.count("/")
        return f"![{shows}]({up}{FIGURES.name}/{file.name})"

    def executed(self, line: int, kind: str, code: str) -> list[str]:
        if kind not in KINDS:
            choices = ", ".join(map(repr, (*KINDS, SKELETON)))
            raise BuildError(f"{self.name}, line {line}: {kind!r} is unknown; choices: {choices}")
        printed = io.StringIO()
        unseen = kind in (HIDDEN, PRINTED)
        place = self.behind_the_page() if unseen else contextlib.nullcontext()
        with self.as_here(line), place, contextlib.redirect_stdout(printed), shown_warnings():
            # leading newlines make the line numbers of a traceback those of the template
            program = compile("\n" * line + code, f"docs/src/{self.name}", "exec")
            try:
                exec(program, self.hidden if unseen else self.shown)
            except SynthpopError as error:
                if kind != RAISES:
                    raise
                print(f"{type(error).__name__}: {error}")
            else:
                if kind == RAISES:
                    raise BuildError("an error was expected, none was raised")
        output = "\n".join(text.rstrip() for text in printed.getvalue().rstrip().split("\n"))
        if kind == HIDDEN:
            if output:
                raise BuildError(
                    f"{self.name}, line {line}: a hidden block printed {output[:80]!r}"
                )
            return []
        as_text = f"```text\n{output}\n```"
        if kind == PRINTED:
            return [as_text]
        return [f"```python\n{code}\n```", *([f"\n{as_text}"] if output else [])]

    @contextlib.contextmanager
    def behind_the_page(self) -> Iterator[None]:
        """In a copy of the reader's folder as it is by now; what is written here stays here."""
        shutil.copytree(self.readers, self.ours, dirs_exist_ok=True)
        with contextlib.chdir(self.ours):
            yield

    @contextlib.contextmanager
    def as_here(self, line: int) -> Iterator[None]:
        try:
            yield
        except Exception as error:
            raise BuildError(
                f"docs/src/{self.name}, block at line {line}: {type(error).__name__}: {error}"
            ) from error


@contextlib.contextmanager
def shown_warnings() -> Iterator[None]:
    """RDefectWarning as text in the output, each time; every other warning is an error."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        # what engines call that will go one day; Python shows users none of it
        for module in ENGINES:
            warnings.filterwarnings("ignore", category=DeprecationWarning, module=module)
        warnings.simplefilter("always", RDefectWarning)
        warnings.showwarning = lambda message, category, *rest, **more: print(
            f"{category.__name__}: {message}"
        )
        yield


def blocks(text: str, name: str) -> Iterator[tuple[int, str | None, str]]:
    """The parts of a template in order: (line, None, a line of prose) or (line, what follows the
    fence, its content).
    """
    lines = text.rstrip("\n").split("\n")
    at = 0
    while at < len(lines):
        fence = FENCE.match(lines[at])
        if not fence:
            yield at + 1, None, lines[at]
            at += 1
            continue
        end = next((i for i in range(at + 1, len(lines)) if lines[i].rstrip() == "```"), None)
        if end is None:
            raise BuildError(f"docs/src/{name}, line {at + 1}: the code block has no end")
        yield at + 1, fence.group(1).strip(), "\n".join(lines[at + 1 : end])
        at = end + 1


# ---- all pages -----------------------------------------------------------------------


def templates() -> list[str]:
    return sorted(path.relative_to(SOURCE).as_posix() for path in SOURCE.rglob("*.md"))


def build_page(name: str, save_figures: bool = False) -> str:
    text = (SOURCE / name).read_text(encoding="utf-8")
    return Page(name, save_figures).build(text)


def strays() -> list[str]:
    """Committed pages that no template makes."""
    return sorted(
        {path.relative_to(PAGES).as_posix() for path in PAGES.rglob("*.md")} - set(templates())
    )


def difference(name: str) -> str:
    """How the committed page differs from what its template makes now; empty when it does not."""
    path = PAGES / name
    committed = path.read_text(encoding="utf-8") if path.is_file() else ""
    lines = difflib.unified_diff(
        committed.splitlines(),
        build_page(name).splitlines(),
        "committed",
        "built now",
        lineterm="",
        n=1,
    )
    return "\n".join(lines)


def check(names: list[str]) -> int:
    out_of_date = [f"docs/pages/{name}: no template makes it" for name in strays()]
    for name in names:
        if changes := difference(name):
            out_of_date.append(
                f"docs/pages/{name} is out of date; run: python docs/build.py\n"
                + "\n".join(changes.split("\n")[:20])
            )
    print("\n\n".join(out_of_date) or f"{len(names)} pages are up to date")
    return bool(out_of_date)


def write(names: list[str]) -> int:
    for name in names:
        path = PAGES / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(build_page(name, save_figures=True), encoding="utf-8")
        print(f"docs/pages/{name}")
    for name in strays():
        print(f"docs/pages/{name}: no template makes it, delete it")
    return 0


def main(arguments: list[str]) -> int:
    """`--check` to compare instead of writing; names of templates for some pages only."""
    names = [a for a in arguments if not a.startswith("-")] or templates()
    unknown = [a for a in arguments if a.startswith("-") and a != "--check"] + [
        n for n in names if n not in templates()
    ]
    if unknown:
        print(f"{unknown[0]!r} is unknown; choices: --check, {', '.join(templates())}")
        return 2
    return check(names) if "--check" in arguments else write(names)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
