"""Refreshes README.md: what its code blocks print, and the picture that they save.

    python docs/readme.py            run the code, write what it prints and the picture
    python docs/readme.py --check    run the code, fail where the file differs

A code block that prints has a text block after it, which holds what was printed, word for word.
The table of speed is written by `make bench`.
"""

from __future__ import annotations

import contextlib
import shutil
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))  # run as a script, Python looks only in docs

from docs import build  # noqa: E402

README = ROOT / "README.md"
SAVED = "risk.png"  # what the shown code calls its picture
PICTURE = build.FIGURES / "readme-risk.png"


def refreshed(text: str, picture: Path | None = None) -> str:
    """The text with what its code prints now; the picture goes to `picture` if that is given."""
    # in a folder of its own, so that the code can save files by their plain names
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        made = _rerun(text)
        if picture is not None:
            shutil.copyfile(SAVED, picture)
    return made


def _rerun(text: str) -> str:
    page = build.Page("../../README.md")
    parts: list[str] = []
    printed = ""
    for line, kind, content in build.blocks(text, page.name):
        if kind is None:
            parts.append(content)
        elif kind == "python":
            _check_shown(printed, line)
            code, *output = page.executed(line, build.SHOWN, content)
            printed = "".join(output).strip()
            parts.append(code)
        elif kind == "text" and printed:
            parts.append(printed)
            printed = ""
        else:
            parts.append(f"```{kind}\n{content}\n```")
    _check_shown(printed, text.count("\n"))
    return "\n".join(parts) + "\n"


def _check_shown(printed: str, line: int) -> None:
    if printed:
        raise build.BuildError(f"README.md, before line {line}: a block prints, no text follows")


def main(arguments: list[str]) -> int:
    """`--check` to compare instead of writing."""
    text = README.read_text(encoding="utf-8")
    if "--check" in arguments:
        agrees = refreshed(text) == text
        print("README.md is up to date" if agrees else "run: python docs/readme.py")
        return not agrees
    README.write_text(refreshed(text, PICTURE), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
