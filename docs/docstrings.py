"""Reference entries made from docstrings, for pages whose names are many: one place says what a
parameter means, the docstring.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Sequence
from typing import Any

HEADING = re.compile(r"^(Parameters|Attributes|Returns|Notes|Raises|Examples)$")
TYPES = re.compile(r"^[A-Z]\w*(,? (or |of |list |sequence |[A-Z]\w*)*[A-Z]\w*)*$")
LAST_OF_TYPES = ("of these", "of lists")
FULL_LINE = 78  # a shorter line was not broken for want of room
WIDEST_CALL = 88
ENTRY = re.compile(r"^(\*{0,2}\w[\w, *]*) :\s*(.*)$")


def describe(name: str, obj: Any, *, called: bool = True) -> str:
    """One name as Markdown: heading, how it is called (unless it is only ever returned), what it
    does, parameters, attributes, methods, notes.
    """
    parts = sections(obj)
    text = [f"### `{name}`", ""]
    if called:
        text += [f"```text\n{_call(name, inspect.signature(obj))}\n```", ""]
    text.append(_prose(parts[""]))
    for heading in ("Parameters", "Attributes"):
        if heading in parts:
            text += ["", *_rows(parts[heading], heading[:-1].lower())]
    if inspect.isclass(obj):
        text += _members(obj)
    for heading in ("Returns", "Notes"):
        if heading in parts:
            text += ["", f"*{heading}:* {_one_line(parts[heading])}"]
    return "\n".join(text)


def examples(obj: Any) -> str:
    """The examples of a docstring as they would be typed; empty where there are none."""
    lines = sections(obj).get("Examples", [])
    if not lines:
        text = inspect.getdoc(obj) or ""
        lines = text[text.index(">>>") :].split("\n") if ">>>" in text else []
    return "\n".join(lines).strip()


def sections(obj: Any) -> dict[str, list[str]]:
    """The parts of a docstring as lists of lines; the text before the first heading under ''."""
    lines, found, name = inspect.getdoc(obj).split("\n"), {"": []}, ""
    for i, line in enumerate(lines):
        if HEADING.match(line) and i + 1 < len(lines) and set(lines[i + 1]) == {"-"}:
            name = line
            found[name] = []
        elif set(line) != {"-"} or not line:
            found[name].append(line)
    return found


def _call(name: str, signature: inspect.Signature) -> str:
    """Names and defaults, without types; one argument per line where they do not fit into one."""
    given = signature.parameters.values()
    plain = signature.replace(
        parameters=[parameter.replace(annotation=parameter.empty) for parameter in given],
        return_annotation=signature.empty,
    )
    in_one_line = f"{name}{plain}"
    if len(in_one_line) <= WIDEST_CALL:
        return in_one_line
    arguments = [f"    {argument}," for argument in _arguments(plain)]
    return "\n".join([f"{name}(", *arguments, ")"])


def _arguments(signature: inspect.Signature) -> list[str]:
    """Each argument as it is written, the star before those that go by name."""
    shown = []
    for parameter in signature.parameters.values():
        by_name = parameter.kind is parameter.KEYWORD_ONLY
        if by_name and "*" not in shown and not any(one.startswith("*") for one in shown):
            shown.append("*")
        shown.append(str(parameter))
    return shown


def _prose(lines: Sequence[str]) -> str:
    """Text before any example."""
    return "\n".join(lines).split(">>>")[0].replace("::", ":").replace("``", "`").strip()


def _one_line(lines: Sequence[str]) -> str:
    told = ""
    for line in filter(None, map(str.strip, lines)):
        told = _joined(told, line)
    return told.replace("``", "`")


def _joined(before: str, line: str) -> str:
    """Two lines as one; types alone on their line end with a full stop."""
    types_only = len(before) < FULL_LINE and before[-1:].isalpha() and line[:1].isupper()
    types_only = types_only or (before.endswith(LAST_OF_TYPES) and line[:1].isupper())
    return f"{before}{'.' if types_only or TYPES.match(before) else ''} {line}".strip()


def _rows(lines: Sequence[str], heading: str) -> list[str]:
    """'name : meaning', with the lines that belong to it, as rows of a table."""
    found: list[list[str]] = []
    for line in lines:
        head = ENTRY.match(line)
        if head:
            found.append([head.group(1), head.group(2)])
        elif line.strip() and found:
            found[-1][1] = _joined(found[-1][1], re.sub(r"^- ", "· ", line.strip()))
    rows = [
        f"| {', '.join(f'`{n.strip()}`' for n in names.split(','))} | {_in_a_cell(meaning)} |"
        for names, meaning in found
    ]
    return [f"| {heading} | meaning |", "|---|---|", *rows]


def _members(obj: type) -> list[str]:
    """Methods and properties with the first paragraph of what they say."""
    own = [
        name
        for name, member in vars(obj).items()
        if not name.startswith("_") and (inspect.isfunction(member) or isinstance(member, property))
    ]
    rows = []
    for name in own:
        says = inspect.getdoc(getattr(obj, name))
        if says:
            rows.append(
                f"| `{name}{'' if isinstance(vars(obj)[name], property) else '()'}` |"
                f" {_in_a_cell(says.split(chr(10) + chr(10))[0])} |"
            )
    return ["", "| method or property | what it gives |", "|---|---|", *rows] if rows else []


def _in_a_cell(text: str) -> str:
    return " ".join(text.split()).replace("``", "`").replace("|", "\\|")
