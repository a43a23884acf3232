"""What the architecture page shows, read from the code while the page is built: the way of a call
through the files, the reading order of every room, who imports whom.

Nothing here knows the names of modules: rooms are the folders of the package, and a step is looked
for among the functions that a call really entered.
"""

from __future__ import annotations

import ast
import itertools
import re
import sys
import textwrap
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

import synthpop_py

PACKAGE = Path(synthpop_py.__file__).parent
ORDER = re.compile(r"Reading\s+order[\s:,]*(.+)", flags=re.S)
NAME = re.compile(r"`([\w.]+)`")
BESIDE = "beside the rooms"
GONE = "no longer there"


# ---- rooms ---------------------------------------------------------------------------


@cache
def modules() -> dict[str, Path]:
    """Every module by its dotted name inside the package: `core.levels`, `errors`; the package
    itself and the `__init__` of a room by the name of the folder.
    """
    named = {}
    for path in sorted(PACKAGE.rglob("*.py")):
        parts = path.relative_to(PACKAGE).with_suffix("").parts
        if parts[-1] == "__init__":
            parts = parts[:-1]
        named[".".join(parts)] = path
    return named


@cache
def rooms() -> list[str]:
    """The folders of the package."""
    return sorted(path.parent.name for path in PACKAGE.glob("*/__init__.py"))


def room_of(module: str) -> str:
    """The folder of a module; single modules beside the folders have a room in common."""
    first = module.partition(".")[0]
    return first if first in rooms() else BESIDE


@dataclass(frozen=True, slots=True)
class Room:
    """A folder as its `__init__` describes it: what it is for, and in which order to read it.

    Attributes
    ----------
    order : all that follows the words "Reading order".
    modules : what is in the folder.
    """

    name: str
    purpose: str
    order: str
    modules: tuple[str, ...]

    @property
    def left_out(self) -> list[str]:
        """Modules that the reading order does not name, private ones aside."""
        public = {module for module in self.modules if not module.startswith("_")}
        return sorted(public - set(NAME.findall(self.order)))

    @property
    def gone(self) -> list[str]:
        """Names in the reading order that are neither modules (of this room, or with their full
        name) nor functions, classes or their fields.
        """
        outside = {module.rpartition(".")[2] for module in modules() if f".{module}`" in self.order}
        last_parts = {name.rpartition(".")[2] for name in NAME.findall(self.order)} - outside
        return sorted(last_parts - {*self.modules, *rooms()} - _names_defined())


def room(name: str) -> Room:
    text = ast.get_docstring(_tree(PACKAGE / name / "__init__.py")) or ""
    order = ORDER.search(text)
    inside = [m.partition(".")[2] for m in modules() if m.startswith(f"{name}.")]
    return Room(
        name=name,
        purpose=_one_line(text.split("\n\n")[0]),
        order=_one_line(order.group(1).replace("\n- ", "\n")) if order else "",
        modules=tuple(inside),
    )


@cache
def _names_defined() -> set[str]:
    names = set()
    for path in modules().values():
        for node in ast.walk(_tree(path)):
            if isinstance(node, ast.FunctionDef | ast.ClassDef):
                names.add(node.name)
            elif isinstance(node, ast.AnnAssign):
                names.add(ast.unparse(node.target))
    return names


def _one_line(text: str) -> str:
    return " ".join(text.replace("``", "`").split())


@cache
def _tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


# ---- registries and results ----------------------------------------------------------


def registry(name: str) -> tuple[str, Sequence[Any]]:
    """The module that holds a registry, and its entries; nothing where no module has the name."""
    for module, path in modules().items():
        for statement in _tree(path).body:
            if isinstance(statement, ast.AnnAssign) and ast.unparse(statement.target) == name:
                loaded = import_module(f"{PACKAGE.name}.{module}")
                return path.relative_to(PACKAGE).as_posix(), getattr(loaded, name)
    return "", ()


def where(name: str, room: str = "") -> str:
    """The file that defines a name at its top level, as Markdown; `room` tells two of one name
    apart. Says so where no file does.
    """
    for module, path in modules().items():
        if module.startswith(room) and name in _defined(path):
            return f"`{path.relative_to(PACKAGE.parent).as_posix()}`"
    return f"({GONE}: {name})"


def _defined(path: Path) -> set[str]:
    names = set()
    for statement in _tree(path).body:
        if isinstance(statement, ast.FunctionDef | ast.ClassDef):
            names.add(statement.name)
        if isinstance(statement, ast.Assign):
            names |= {ast.unparse(target) for target in statement.targets}
        if isinstance(statement, ast.AnnAssign):
            names.add(ast.unparse(statement.target))
    return names


def shown_results() -> list[str]:
    """The classes that have everything that can be shown, and say only what."""
    names = []
    for path in modules().values():
        for node in ast.walk(_tree(path)):
            if not isinstance(node, ast.ClassDef) or node.name == "Drawn":
                continue
            if not {"Shown", "Drawn"}.isdisjoint(map(ast.unparse, node.bases)):
                names.append(node.name)
    return sorted(names)


# ---- imports -------------------------------------------------------------------------


@cache
def imports(*, when_loaded: bool = True) -> dict[str, set[str]]:
    """For each module the modules of the package that it imports: while it is loaded, or also later
    (inside functions). What only type checkers read does not count.
    """
    named = modules()
    return {module: _imported(module, path, when_loaded) for module, path in named.items()}


def _imported(module: str, path: Path, when_loaded: bool) -> set[str]:
    found: set[str] = set()
    for statement in _import_statements(_tree(path), when_loaded):
        found |= _goals(statement, module, path)
    return found - {module}


def _import_statements(node: ast.AST, when_loaded: bool) -> Iterator[ast.stmt]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Import | ast.ImportFrom):
            yield child
        if isinstance(child, ast.If) and "TYPE_CHECKING" in ast.unparse(child.test):
            continue
        if when_loaded and isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            continue
        yield from _import_statements(child, when_loaded)


def _goals(statement: ast.stmt, module: str, path: Path) -> set[str]:
    """The modules of the package behind one import statement."""
    named = modules()
    if not isinstance(statement, ast.ImportFrom):
        return set()
    base = _base(statement, module, path)
    if base is None:
        return set()
    goals = set()
    for alias in statement.names:
        inner = ".".join([*base, alias.name])
        goals.add(inner if inner in named else ".".join(base))
    return goals & named.keys()


def _base(statement: ast.ImportFrom, module: str, path: Path) -> list[str] | None:
    """Where an import looks, inside the package; None where it looks elsewhere."""
    inside = statement.module.split(".") if statement.module else []
    if not statement.level:
        return inside[1:] if inside[0] == PACKAGE.name else None
    package = [part for part in module.split(".") if part]
    if path.name != "__init__.py":
        package.pop()
    return package[: len(package) - statement.level + 1] + inside


def outside_imports(module: str) -> set[str]:
    """The packages of others that a module imports, also inside functions."""
    packages = set()
    for statement in _import_statements(_tree(modules()[module]), when_loaded=False):
        if isinstance(statement, ast.Import):
            packages |= {alias.name.partition(".")[0] for alias in statement.names}
        elif not statement.level:
            packages.add(statement.module.partition(".")[0])
    return packages


def cycle(graph: dict[str, set[str]]) -> list[str]:
    """Modules that import each other in a ring; empty where there is none."""
    done: set[str] = set()

    def ring(module: str, way: list[str]) -> list[str]:
        if module in way:
            return [*way[way.index(module) :], module]
        if module in done:
            return []
        for other in sorted(graph[module]):
            if closed := ring(other, [*way, module]):
                return closed
        done.add(module)
        return []

    for module in sorted(graph):
        if closed := ring(module, []):
            return closed
    return []


def imports_between_rooms(graph: dict[str, set[str]]) -> dict[str, dict[str, int]]:
    """How many pairs of modules connect two rooms: first who imports, then who is imported."""
    table: dict[str, dict[str, int]] = {}
    for module, others in graph.items():
        for other in others:
            pair = room_of(module), room_of(other)
            if module and other and pair[0] != pair[1]:
                row = table.setdefault(pair[0], {})
                row[pair[1]] = row.get(pair[1], 0) + 1
    return table


# ---- the way of a call ---------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Visit:
    """A function that a call entered, and its file."""

    file: str
    function: str


def trace(call: Callable[[], Any]) -> list[Visit]:
    """The functions of the package that a call enters, in order. The call is made twice, because
    the first one also loads modules.
    """
    call()
    visits: list[Visit] = []

    def note(frame: FrameType, event: str, _: Any) -> None:
        if event == "call" and _is_ours(frame.f_code):
            visits.append(_visit(frame.f_code))

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        call()
    finally:
        sys.setprofile(before)
    return visits


def first_visits(visits: Sequence[Visit]) -> list[Visit]:
    """Each function once, where it was entered first."""
    once: dict[tuple[str, str], Visit] = {}
    for visit in visits:
        once.setdefault((visit.file, visit.function), visit)
    return list(once.values())


def file_switches(visits: Sequence[Visit]) -> int:
    """How often a reader who follows the call in order turns to another file."""
    once = first_visits(visits)
    return sum(a.file != b.file for a, b in itertools.pairwise(once))


def _is_ours(code: CodeType) -> bool:
    return code.co_filename.startswith(f"{PACKAGE}/") and not code.co_name.startswith("<")


def _visit(code: CodeType) -> Visit:
    file = Path(code.co_filename).relative_to(PACKAGE).as_posix()
    return Visit(file, code.co_name)


# ---- steps ---------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Step:
    """One step of a call as an idea: what goes in, what comes out, why its code would change.
    `functions` says under which names the code may have it, the best first.
    """

    name: str
    takes: str
    gives: str
    changes_with: str
    functions: tuple[str, ...]


STEPS = (
    Step("read", "what a user holds", "tables that count", "a kind of table", ("read_source",)),
    Step("plan", "arguments", "checked options", "the signature", ("make_plan", r"plan\w*")),
    Step("encode", "columns", "codes and levels", "rules on levels", (r"encode_\w+", "encode")),
    Step("tabulate", "codes", "counts by cell", "how we count", (r"tabulate\w*",)),
    Step("pair", "two tables", "cells of both", "what meets what", (r"pair_\w+",)),
    Step(
        "classify",
        "cells",
        "who is certain",
        "a definition of certainty",
        (r"classify\w*", r"certainty\w*", r"\w*certain", "sum_up"),
    ),
    Step("exclude", "cells, rules", "cells kept, and why", "an exclusion", ("exclude",)),
    Step("measure", "what was kept", "percentages", "a formula", ("all_shares", r"measures?")),
    Step(
        "check", "what was kept", "flagged values", "a threshold", (r"check_pairs?", r"check_\w+")
    ),
    Step("result", "all figures", "one frozen object", "what users read", (r"build\w*",)),
    Step("show", "a result", "text, HTML, JSON", "appearance", ("__str__", "document")),
)


@dataclass(frozen=True, slots=True)
class Stretch:
    """A step as a call took it: the function that does it, and what was entered until the next step
    begins.
    """

    step: Step
    does: Visit
    visits: tuple[Visit, ...]

    @property
    def files(self) -> list[str]:
        return list(dict.fromkeys(visit.file for visit in self.visits))


def function_of(step: Step, visits: Sequence[Visit]) -> Visit | None:
    """The function that does a step; None where the code has it under no known name."""
    for pattern in step.functions:
        for visit in visits:
            if re.fullmatch(pattern, visit.function):
                return visit
    return None


def stretches(visits: Sequence[Visit]) -> list[Stretch]:
    """The steps of a call, in the order in which it took them."""
    begins = {}
    for step in STEPS:
        visit = function_of(step, visits)
        if visit is not None:
            begins[step] = visits.index(visit)
    order = sorted(begins, key=begins.__getitem__)
    ends = [*(begins[step] for step in order[1:]), len(visits)]
    made = []
    for step, end in zip(order, ends):
        begin = 0 if step is order[0] else begins[step]
        made.append(Stretch(step, visits[begins[step]], tuple(visits[begin:end])))
    return made


# ---- the picture ---------------------------------------------------------------------

WIDTH, BOX, GAP, LINE = 4.3, 0.46, 0.26, 0.155  # inches; legible on a telephone
CHARACTERS = 56
MARKS = {"count_by": "the seam: count_by()", "follow_r": "as R does it?"}
BLACK = {"color": "#111111", "va": "center", "parse_math": False}
GREY = BLACK | {"color": "#444444"}
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#666666")


def draw(parts: Sequence[Stretch]) -> Any:
    """The steps from top to bottom: who does each, in which file, which rooms it enters, and what
    it hands on. On a white ground, so that it can be read in dark mode too.
    """
    from matplotlib.figure import Figure

    entered = [_entered(part) for part in parts]
    heights = [BOX + LINE * len(lines) for lines in entered]
    total = sum(heights) + GAP * (len(parts) - 1) + 0.1
    figure = Figure(figsize=(WIDTH, total), facecolor="white")
    axes = figure.add_axes((0, 0, 1, 1), xlim=(0, WIDTH), ylim=(total, 0))
    axes.axis("off")
    colours = _colours(parts)
    top = 0.05
    for part, lines, height in zip(parts, entered, heights):
        _box(axes, part, top, height, colours[_folder(part.does.file) or BESIDE])
        for number, (folder, text) in enumerate(lines):
            _line(axes, top + BOX + LINE * (number + 0.3), text, colours.get(folder))
        if part is not parts[-1]:
            _arrow(axes, top + height, part.step.gives)
        top += height + GAP
    return figure


def _folder(file: str) -> str:
    return file.rpartition("/")[0]


def _entered(part: Stretch) -> list[tuple[str, str]]:
    """The other files of a stretch, room by room, as lines of text."""
    by_folder: dict[str, list[str]] = {}
    for file in part.files:
        if file != part.does.file:
            names = by_folder.setdefault(_folder(file) or BESIDE, [])
            names.append(Path(file).stem)
    lines = []
    for folder, names in by_folder.items():
        text = f"{folder}: {', '.join(names)}"
        first, *more = textwrap.wrap(text, CHARACTERS)
        lines += [(folder, first), *(("", line) for line in more)]
    return lines


def _colours(parts: Sequence[Stretch]) -> dict[str, str]:
    folders = {_folder(file) or BESIDE for part in parts for file in part.files}
    return {folder: COLOURS[i % len(COLOURS)] for i, folder in enumerate(sorted(folders))}


def _box(axes: Any, part: Stretch, top: float, height: float, colour: str) -> None:
    from matplotlib.patches import Rectangle

    ground = {"facecolor": "#f6f6f6", "edgecolor": colour}
    axes.add_patch(Rectangle((0.06, top), WIDTH - 0.12, height, **ground))
    axes.add_patch(Rectangle((0.06, top), 0.09, height, facecolor=colour, edgecolor=colour))
    does = f"{part.does.function}()  in  {part.does.file}"
    marks = " · ".join(marks_of(part))
    axes.text(0.24, top + 0.14, part.step.name, fontsize=10, fontweight="bold", **BLACK)
    axes.text(0.24, top + 0.33, does, fontsize=8.5, **BLACK)
    axes.text(WIDTH - 0.12, top + 0.14, marks, fontsize=8, ha="right", **BLACK)


def _line(axes: Any, height: float, text: str, colour: str | None) -> None:
    if colour is not None:  # not where a line goes on
        axes.plot(0.28, height, marker="s", markersize=4.5, color=colour)
    axes.text(0.37, height, text, fontsize=7.5, **GREY)


def marks_of(part: Stretch) -> list[str]:
    entered = {visit.function for visit in part.visits}
    return [mark for function, mark in MARKS.items() if function in entered]


def _arrow(axes: Any, begin: float, hands_on: str) -> None:
    style = {"arrowstyle": "-|>", "color": "#444444", "linewidth": 1.2}
    axes.annotate("", xy=(0.6, begin + GAP), xytext=(0.6, begin), arrowprops=style)
    axes.text(0.72, begin + GAP / 2, hands_on, fontsize=8, style="italic", **GREY)
