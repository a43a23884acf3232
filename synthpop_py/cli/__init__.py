"""The command line: ``synthpop-disclosure``, or ``python -m synthpop_py``.

Reading order: `main` (the parser, and the list of commands) · `command` (what a command is) ·
`config` (options from a TOML file) · `options` (values such as ``income=-8``) · `inputs` (the
tables that a command is about, read together) · `looks` (checks of their columns) · `outputs`
(results to the screen or a file) · `wording` (their words on a terminal) · `messages` (all other
messages) · `limits` (``--fail-over``). The commands: `risk`, with `risk_figures` (every figure and
the people behind it), `risk_baseline` (people who were not in the data) and `risk_document` (what a
terminal shows) · `report` · `keys` · `identify` · `risk_utility` (a map of several releases) ·
`synthesise` and `data`, with `files` (tables out) · `doctor` · `completion`.

A new command is a module with a `Command`, and an entry in `COMMANDS`. Nothing here imports NumPy
or pandas before a command runs, so ``--help`` is quick and works without them.
"""

from .main import COMMANDS, main

__all__ = ["COMMANDS", "main"]
