"""The command line: ``synthpop-disclosure``, or ``python -m synthpop_py``.

Reading order: `main` (the parser, and the list of commands) · `command` (what a command is) ·
`synthesise` (the first of them) · `options` (values such as ``income=-8``) · `files` (tables in and
out).

A new command is a module with a `Command`, and an entry in `COMMANDS`. Nothing here imports NumPy
or pandas before a command runs, so that ``--help`` is quick and works without them.
"""

from .main import COMMANDS, main

__all__ = ["COMMANDS", "main"]
