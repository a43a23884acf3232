"""A notebook as a page of the site: text as text, code and what it printed as blocks, pictures as
files. Nothing is run; the outputs are those that the notebook holds.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

FENCE = "````"  # longer than any inside a cell
CLOSED = '<details markdown="1"><summary>Code of the solution</summary>\n\n{}\n\n</details>'


class NotebookPage(NamedTuple):
    """The text of a page, and its pictures by name."""

    text: str
    pictures: dict[str, bytes]


def notebook_page(file: Path, relinked: Callable[[str], str]) -> NotebookPage:
    """A notebook as a page; `relinked` gives a text its links as they are on the site."""
    pictures: dict[str, bytes] = {}
    parts: list[str] = []
    for cell in json.loads(file.read_text(encoding="utf-8"))["cells"]:
        source = _text(cell["source"])
        if cell["cell_type"] == "markdown":
            # what is inside HTML is Markdown too, as it is in a notebook
            parts.append(relinked(source).replace("<details>", '<details markdown="1">'))
        else:
            parts.append(_code(source, closed="solution" in cell["metadata"].get("tags", ())))
            parts += _outputs(cell["outputs"], file.stem, pictures)
    title, _, rest = "\n\n".join(parts).partition("\n")
    download = f"[Download this notebook]({file.name}) to run it and to change it."
    return NotebookPage(text=f"{title}\n\n{download}\n{rest}\n", pictures=pictures)


def _code(source: str, *, closed: bool) -> str:
    block = _block("python", source)
    return CLOSED.format(block) if closed else block


def _outputs(outputs: list[dict[str, Any]], name: str, pictures: dict[str, bytes]) -> Iterator[str]:
    """What a cell printed and drew; its pictures are added to `pictures`."""
    for output in outputs:
        data = output.get("data", {"text/plain": output.get("text", "")})
        if "image/png" in data:
            picture = f"{name}-{len(pictures) + 1}.png"
            pictures[picture] = base64.b64decode(_text(data["image/png"]))
            yield f"![Drawn by the code above]({picture})"
        else:
            yield _block("text", _text(data["text/plain"]))


def _block(language: str, text: str) -> str:
    return f"{FENCE}{language}\n{text.rstrip()}\n{FENCE}"


def _text(lines: str | list[str]) -> str:
    """Notebooks hold a text as one or line by line."""
    return "".join(lines)
