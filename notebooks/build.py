"""Makes the notebooks: runs every source of notebooks/src in a fresh kernel and keeps what it gave.

    python notebooks/build.py            write notebooks/*.ipynb
    python notebooks/build.py --check    run in this process, fail where a committed one differs

A source is Markdown. What it may contain besides, each notebook with one namespace, top to bottom:

    ```python                a code cell
    ```python solution       a code cell that JupyterLab shows closed
    {{ expression }}         in prose: replaced by its value when the notebook is made

Two runs must say the same: one in this process, which fills in prose and is quick enough for the
tests, and one in a kernel (nbformat, nbclient, ipykernel: group `notebooks` of pyproject.toml),
whose outputs are kept. A warning, an error or anything on standard error stops both. Nothing that
depends on time or machine is kept: no version, no path, no time, no software named in a picture.
"""

from __future__ import annotations

import ast
import base64
import contextlib
import io
import json
import os
import re
import struct
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
SOURCE = HERE / "src"
sys.path.insert(0, str(ROOT))  # run as a script, Python looks only in notebooks

import matplotlib  # noqa: E402
import matplotlib.pyplot as plt  # noqa: E402
import pandas as pd  # noqa: E402

FENCE = re.compile(r"^```(python|python solution)\n(.*?)^```$", flags=re.M | re.S)
HEADING = re.compile(r"^(?=## )", flags=re.M)
INLINE = re.compile(r"\{\{(.+?)\}\}")
PNG_START = b"\x89PNG\r\n\x1a\n"
PNG_TEXTS = (b"tEXt", b"iTXt", b"zTXt", b"tIME")
# what a browser needs to know; versions of the machine that made it do not belong here
METADATA = {
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}


class BuildError(Exception):
    """A source that cannot be made into a notebook."""


class Cell(NamedTuple):
    """A part of a source: prose, or code that is shown open or closed."""

    kind: str  # "markdown", "python" or "python solution"
    text: str


class Output(NamedTuple):
    """What a code cell gave, as far as two machines agree on it."""

    printed: str
    value: str
    pictures: int


class Ran(NamedTuple):
    """A cell after it ran; prose has its values filled in and no output."""

    cell: Cell
    output: Output | None


# ---- sources -------------------------------------------------------------------------


def names() -> list[str]:
    return sorted(path.stem for path in SOURCE.glob("*.md"))


def cells(text: str) -> list[Cell]:
    """The cells of a source. A second-level heading begins a cell, as a fence does."""
    found: list[Cell] = []
    end = 0
    for fence in FENCE.finditer(text):
        found += _prose(text[end : fence.start()])
        found.append(Cell(kind=fence[1], text=fence[2].strip("\n")))
        end = fence.end()
    return found + _prose(text[end:])


def _prose(text: str) -> list[Cell]:
    parts = [part.strip() for part in HEADING.split(text)]
    return [Cell(kind="markdown", text=part) for part in parts if part]


# ---- in this process -----------------------------------------------------------------


def run(name: str) -> list[Ran]:
    """The cells of a notebook with what they give, run in this process."""
    text = (SOURCE / f"{name}.md").read_text(encoding="utf-8")
    with _as_in_a_notebook():
        return list(_run_each(name, cells(text)))


def _run_each(name: str, parts: list[Cell]) -> Iterator[Ran]:
    names_so_far: dict[str, Any] = {"__name__": "__main__"}
    for number, cell in enumerate(parts, start=1):
        try:
            yield _run_one(cell, names_so_far)
        except Exception as error:
            where = f"notebooks/src/{name}.md, cell {number}, {cell.text[:60]!r}"
            raise BuildError(f"{where}: {type(error).__name__}: {error}") from error


def _run_one(cell: Cell, names_so_far: dict[str, Any]) -> Ran:
    if cell.kind != "markdown":
        return Ran(cell=cell, output=_executed(cell.text, names_so_far))
    filled = INLINE.sub(lambda found: str(eval(found[1].strip(), names_so_far)), cell.text)
    return Ran(cell=cell._replace(text=filled), output=None)


def _executed(code: str, names_so_far: dict[str, Any]) -> Output:
    """Run one cell as a kernel does: what the last line gives is shown."""
    tree = ast.parse(code)
    last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
    printed = io.StringIO()
    value = None
    with contextlib.redirect_stdout(printed):
        exec(compile(tree, "<cell>", "exec"), names_so_far)
        if last is not None:
            value = eval(compile(ast.Expression(last.value), "<cell>", "eval"), names_so_far)
    text = "" if value is None else repr(value)
    pictures = len(plt.get_fignums())
    plt.close("all")
    return Output(printed=printed.getvalue(), value=text, pictures=pictures)


@contextlib.contextmanager
def _as_in_a_notebook() -> Iterator[None]:
    """No window for pictures, as many columns as a notebook shows, every warning an error."""
    backend = matplotlib.get_backend()
    plt.switch_backend("agg")
    plt.close("all")
    try:
        with warnings.catch_warnings(), pd.option_context("display.max_columns", 20):
            warnings.simplefilter("error")
            yield
    finally:
        plt.close("all")
        plt.switch_backend(backend)


# ---- in a kernel ---------------------------------------------------------------------


def executed(name: str) -> dict[str, Any]:
    """A notebook with the outputs of a fresh kernel, and nothing in it that time would change."""
    import nbformat
    from nbclient import NotebookClient

    notebook = nbformat.from_dict(unexecuted(run(name)))
    client = NotebookClient(notebook, kernel_name="python3", timeout=300, record_timing=False)
    # a socket of the file system: nobody else on the machine can listen
    client.create_kernel_manager().transport = "ipc"
    client.execute(env=_environment())
    return cleaned(json.loads(nbformat.writes(notebook)))


def _environment() -> dict[str, str]:
    """The kernel imports this checkout, whatever is installed beside it, and draws as always."""
    kept = {key: value for key, value in os.environ.items() if key != "MPLBACKEND"}
    path = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))
    return {**kept, "PYTHONPATH": path}


def unexecuted(ran: list[Ran]) -> dict[str, Any]:
    """A notebook without outputs."""
    made = [_as_json(number, part.cell) for number, part in enumerate(ran, start=1)]
    return {"cells": made, "metadata": METADATA, "nbformat": 4, "nbformat_minor": 5}


def _as_json(number: int, cell: Cell) -> dict[str, Any]:
    common = {"id": f"cell-{number:02d}", "metadata": {}, "source": cell.text}
    if cell.kind == "markdown":
        return {"cell_type": "markdown", **common}
    if cell.kind == "python solution":
        common["metadata"] = {"tags": ["solution"], "jupyter": {"source_hidden": True}}
    return {"cell_type": "code", "execution_count": None, "outputs": [], **common}


def cleaned(notebook: dict[str, Any]) -> dict[str, Any]:
    """Outputs without what only this run has."""
    notebook["metadata"] = METADATA
    for cell in notebook["cells"]:
        for output in cell.get("outputs", []):
            if output.get("name") == "stderr":
                raise BuildError(f"{cell['id']} wrote to standard error: {output['text']}")
            data = output.get("data", {})
            if "image/png" in data:
                data["image/png"] = _plain_picture(data["image/png"])
    return notebook


def _plain_picture(encoded: str) -> str:
    """A picture without the texts in which software names itself."""
    data = base64.b64decode(encoded)
    kept, at = [PNG_START], len(PNG_START)
    while at < len(data):
        (length,) = struct.unpack(">I", data[at : at + 4])
        chunk = data[at : at + length + 12]  # length, kind, content, checksum
        if chunk[4:8] not in PNG_TEXTS:
            kept.append(chunk)
        at += length + 12
    return base64.b64encode(b"".join(kept)).decode()


# ---- comparison ----------------------------------------------------------------------


def output_of(cell: dict[str, Any]) -> Output | None:
    """What a cell of a notebook gave, in the words of a run in this process."""
    if cell["cell_type"] == "markdown":
        return None
    outputs = cell["outputs"]
    printed = [_joined(o["text"]) for o in outputs if o["output_type"] == "stream"]
    values = [o["data"] for o in outputs if o["output_type"] == "execute_result"]
    pictures = [o for o in outputs if "image/png" in o.get("data", {})]
    return Output(
        printed="".join(printed),
        value="".join(_joined(value["text/plain"]) for value in values),
        pictures=len(pictures),
    )


def _joined(text: str | list[str]) -> str:
    return text if isinstance(text, str) else "".join(text)


def difference(notebook: dict[str, Any], ran: list[Ran]) -> str:
    """The first cell in which a notebook is not what its source makes; empty when there is none."""
    expected = unexecuted(ran)
    if len(notebook["cells"]) != len(ran):
        return f"{len(notebook['cells'])} cells, its source makes {len(ran)}"
    for cell, wanted, part in zip(notebook["cells"], expected["cells"], ran):
        if [_joined(cell["source"]), cell["id"]] != [wanted["source"], wanted["id"]]:
            return f"{wanted['id']} reads\n{_joined(cell['source'])}\nand not\n{wanted['source']}"
        if output_of(cell) != part.output:
            return f"{wanted['id']} gave\n{output_of(cell)}\nand not\n{part.output}"
    return ""


def committed(name: str) -> dict[str, Any]:
    notebook: dict[str, Any] = json.loads((HERE / f"{name}.ipynb").read_text(encoding="utf-8"))
    return notebook


# ---- all of them ---------------------------------------------------------------------


def write(name: str) -> None:
    notebook = executed(name)
    if found := difference(notebook, run(name)):
        raise BuildError(f"{name}: the kernel and this process differ: {found}")
    text = json.dumps(notebook, ensure_ascii=False, indent=1, sort_keys=True)
    (HERE / f"{name}.ipynb").write_text(text + "\n", encoding="utf-8")
    print(f"notebooks/{name}.ipynb")


def check(name: str) -> bool:
    found = difference(committed(name), run(name))
    print(f"notebooks/{name}.ipynb: {found or 'is what its source makes'}")
    return not found


def main(arguments: list[str]) -> int:
    """`--check` to compare instead of writing; names of sources for some notebooks only."""
    wanted = [a for a in arguments if a != "--check"] or names()
    unknown = [name for name in wanted if name not in names()]
    if unknown:
        print(f"{unknown[0]!r} is unknown; choices: --check, {', '.join(names())}")
        return 2
    if "--check" in arguments:
        outcomes = [check(name) for name in wanted]
        return int(not all(outcomes))
    for name in wanted:
        write(name)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
