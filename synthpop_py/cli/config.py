"""Options from a TOML file. They become words before those that were typed: one parser checks both,
and what was typed wins.
"""

from __future__ import annotations

import csv
import io
import tomllib
from argparse import Action, ArgumentParser
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ..errors import InputError
from ..names import nearest

__all__ = ["CONFIG", "listed_text", "option_names", "with_config"]

CONFIG = "--config"
OF_COMMANDS = "command"  # [command.risk] holds options of risk alone
NOT_IN_A_FILE = ("help", "config")


def with_config(words: Sequence[str], by_command: Mapping[str, ArgumentParser]) -> list[str]:
    """What was typed, with what the file named by ``--config`` says before it."""
    at = next((at for at, word in enumerate(words) if word in by_command), None)
    if at is None:
        return list(words)
    name, typed = words[at], list(words[at + 1 :])
    parser = by_command[name]
    _check_spelling(typed, parser)
    file = _typed_value(typed, CONFIG)
    if file is None or CONFIG not in option_names(parser):
        return list(words)
    options = _options(_read(Path(file)), name, by_command, file)
    given = {action.dest for action in map(parser_option(parser), typed) if action is not None}
    before = []
    for action, value in options:
        if action.dest not in given:
            before += _words(action, value, file)
    return [*words[: at + 1], *before, *typed]


def option_names(parser: ArgumentParser) -> list[str]:
    """The options of a command as they are typed."""
    return [text for text in parser._option_string_actions if text.startswith("--")]


def parser_option(parser: ArgumentParser) -> Any:
    """The option that a word names; None for a value."""

    def option(word: str) -> Action | None:
        if word.startswith("--"):
            return parser._option_string_actions.get(word.partition("=")[0])
        return parser._option_string_actions.get(word[:2]) if word.startswith("-") else None

    return option


def _check_spelling(typed: Sequence[str], parser: ArgumentParser) -> None:
    names = option_names(parser)
    for word in typed:
        option = word.partition("=")[0]
        if word == "--":
            return
        if option.startswith("--") and option not in names:
            near = nearest(option, names)
            meant = f"; did you mean {near}?" if near else f"; see {parser.prog} --help"
            raise InputError(f"{option}: is not an option of {parser.prog}{meant}")


def _typed_value(typed: Sequence[str], option: str) -> str | None:
    for at, word in enumerate(typed):
        if word == option and at + 1 < len(typed):
            return typed[at + 1]
        if word.startswith(f"{option}="):
            return word.partition("=")[2]
    return None


# ---- the file ------------------------------------------------------------------------


def _read(file: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(file.read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise InputError(f"{CONFIG}: {file} cannot be read: {error.strerror}") from None
    except UnicodeError:
        raise InputError(f"{CONFIG}: {file} is not UTF-8; save it as UTF-8") from None
    except tomllib.TOMLDecodeError as error:
        raise InputError(f"{CONFIG}: {file} is not TOML: {error}") from None


def _options(
    content: Mapping[str, Any], name: str, by_command: Mapping[str, ArgumentParser], file: str
) -> list[tuple[Action, Any]]:
    """The options of a command, those of its own table last; unknown keys are errors."""
    known = {command: _by_key(parser) for command, parser in by_command.items()}
    anywhere = {key for actions in known.values() for key in actions}
    options = {}
    for key, value in content.items():
        if key == OF_COMMANDS:
            continue
        plain = _checked(key, sorted({*anywhere, OF_COMMANDS}), file, "")
        if plain in known[name]:  # a file may serve several commands
            options[plain] = value
    tables = content.get(OF_COMMANDS, {})
    if not isinstance(tables, Mapping):
        raise InputError(f"{CONFIG}: {file}: write [{OF_COMMANDS}.{name}] for options of {name}")
    for command, own in tables.items():
        _checked(command, sorted(known), file, f"[{OF_COMMANDS}] ")
        for key, value in own.items():
            plain = _checked(key, sorted(known[command]), file, f"[{OF_COMMANDS}.{command}] ")
            if command == name:
                options[plain] = value
    return [(known[name][key], value) for key, value in options.items()]


def _by_key(parser: ArgumentParser) -> dict[str, Action]:
    actions = {}
    for text, action in parser._option_string_actions.items():
        if text.startswith("--") and action.dest not in NOT_IN_A_FILE:
            actions[text.removeprefix("--")] = action
    return actions


def _checked(key: str, choices: Sequence[str], file: str, where: str) -> str:
    plain = key if key in choices else key.replace("_", "-")
    if plain in choices:
        return plain
    near = nearest(plain, choices)
    hint = f"did you mean {near!r}?" if near else f"choices: {', '.join(choices)}"
    raise InputError(f"{CONFIG}: {file}: {where}{key!r} is not an option; {hint}")


# ---- values as words -----------------------------------------------------------------


def _words(action: Action, value: Any, file: str) -> list[str]:
    """An option as it would be typed."""
    option = max(action.option_strings, key=len)
    if action.nargs == 0:
        if not isinstance(value, bool):
            raise InputError(f"{CONFIG}: {file}: {option[2:]} is true or false, not {value!r}")
        return [option] if value else []
    if isinstance(value, Mapping):
        value = [f"{key}={_text(part, option, file)}" for key, part in value.items()]
    is_list = isinstance(value, list)
    parts = [_text(part, option, file) for part in (value if is_list else [value])]
    if isinstance(action.default, list) or action.nargs == "+":  # given once for each value
        return [f"{option}={part}" for part in parts]
    return [f"{option}={listed_text(parts) if is_list else parts[0]}"]


def _text(value: Any, option: str, file: str) -> str:
    if isinstance(value, list):
        return listed_text([_text(part, option, file) for part in value])
    if isinstance(value, bool) or not isinstance(value, (str, int, float)):
        raise InputError(f"{CONFIG}: {file}: {option[2:]}: {value!r} is neither text nor number")
    return str(value)


def listed_text(parts: Sequence[str]) -> str:
    """Words between commas; those that hold a comma in quotes.

    >>> listed_text(["sex", "age, in years"])
    'sex,"age, in years"'
    """
    written = io.StringIO()
    csv.writer(written, lineterminator="").writerow(parts)
    return written.getvalue()
