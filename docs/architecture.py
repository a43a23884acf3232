"""Where the code has a name: pages for contributors ask while they are built, so that a name or a
file that is gone stops the build.
"""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path

import synthpop_py

PACKAGE = Path(synthpop_py.__file__).parent


def where(name: str) -> str:
    """The files that define a name at their top level, as Markdown."""
    files = [file for file, names in _defined().items() if name in names]
    if not files:
        raise LookupError(f"no file of {PACKAGE.name} defines {name!r}")
    return ", ".join(f"`{file}`" for file in files)


def there(*names: str) -> str:
    """Files and folders of the package, as Markdown; an error where one is gone."""
    for name in names:
        if not (PACKAGE / name).exists():
            raise LookupError(f"{PACKAGE.name} has no {name}")
    return ", ".join(f"`{name}/`" if (PACKAGE / name).is_dir() else f"`{name}`" for name in names)


@cache
def _defined() -> dict[str, set[str]]:
    """The names at the top level of each file."""
    found = {}
    for path in sorted(PACKAGE.rglob("*.py")):
        names: set[str] = set()
        for statement in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(statement, ast.FunctionDef | ast.ClassDef):
                names.add(statement.name)
            elif isinstance(statement, ast.Assign):
                names |= {ast.unparse(target) for target in statement.targets}
            elif isinstance(statement, ast.AnnAssign):
                names.add(ast.unparse(statement.target))
        found[path.relative_to(PACKAGE.parent).as_posix()] = names
    return found
