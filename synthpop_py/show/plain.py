"""Results as plain Python values that JSON can hold."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import pandas as pd

from .document import Cell, Count, Words
from .fill import People, cells_with
from .text import words_text

SPECIAL = {"NaN": math.nan, "Inf": math.inf, "-Inf": -math.inf}
HANDED_ON = "_options"  # how an argument ends that holds arguments of another function
SECRET = ("seed", "password", "token", "credential", "path", "file", "generator", "rng")


def plain(value: Any) -> Any:
    """A value that JSON can hold: NaN and the infinities as texts."""
    if isinstance(value, Cell):
        return plain(value.value)
    if isinstance(value, Mapping):
        return {str(key): plain(part) for key, part in value.items()}
    if isinstance(value, (list, tuple, np.ndarray, pd.Index)):
        return [plain(part) for part in value]
    if isinstance(value, pd.DataFrame):
        return plain(frame_content(value))
    return plain_scalar(value)


def plain_scalar(value: Any) -> Any:
    if value is None or value is pd.NA or value is pd.NaT:
        return None
    number = value.item() if isinstance(value, np.generic) else value
    if isinstance(number, float) and not math.isfinite(number):
        if math.isnan(number):
            return "NaN"
        return "Inf" if number > 0 else "-Inf"
    return number if isinstance(number, (str, bool, int, float)) else str(number)


def column_name(name: Any) -> Any:
    """A column name that JSON can hold; others as text."""
    return name if isinstance(name, (str, int, float)) else str(name)


def value_of(text: Any) -> Any:
    """The way back: texts for NaN and the infinities as numbers."""
    return SPECIAL.get(text, text) if isinstance(text, str) else text


def frame_content(frame: pd.DataFrame, people: People | None = None) -> dict[str, Any]:
    """A data frame by index, columns and values (one list for each column)."""
    values = []
    for position, name in enumerate(frame.columns):
        cells = cells_with(frame.iloc[:, position].tolist(), str(name), people)
        values.append(list(cells))
    return {
        "index": list(frame.index),
        "columns": [column_name(name) for name in frame.columns],
        "values": values,
    }


def text_content(words: Words) -> Cell:
    """Words as one value; the whole text reveals what its cells reveal."""
    people: list[Count] = []
    for word in words:
        if isinstance(word, Cell):
            people += word.people
    return Cell(words_text(words), tuple(people))


def arguments_content(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Arguments of a call, and those that it passes on, without secrets."""
    kept = {}
    for name, value in arguments.items():
        if any(secret in name.lower() for secret in SECRET):
            continue
        # other mappings are by names of columns, and one may be called "path"
        kept[name] = arguments_content(value) if name.endswith(HANDED_ON) else value
    return kept


# ---- the rule on small cells ---------------------------------------------------------


def cells_within(content: Any) -> Iterator[Cell]:
    """Every cell of nested lists and dictionaries."""
    if isinstance(content, Cell):
        yield content
    elif isinstance(content, Mapping):
        for part in content.values():
            yield from cells_within(part)
    elif isinstance(content, (list, tuple)):
        for part in content:
            yield from cells_within(part)


def hidden_places(content: Any, hidden: frozenset[str], place: str = "") -> list[str]:
    """Where hidden cells are, as JSON pointers (RFC 6901)."""
    if isinstance(content, Cell):
        return [place] if any(c.name in hidden for c in content.people) else []
    parts: list[tuple[Any, Any]] = []
    if isinstance(content, Mapping):
        parts = list(content.items())
    elif isinstance(content, (list, tuple)):
        parts = list(enumerate(content))
    places = []
    for key, part in parts:
        step = str(key).replace("~", "~0").replace("/", "~1")
        places += hidden_places(part, hidden, f"{place}/{step}")
    return places


def without_hidden(content: Any, hidden: frozenset[str]) -> Any:
    """The content with None for every hidden cell."""
    if isinstance(content, Cell):
        return None if any(c.name in hidden for c in content.people) else content
    if isinstance(content, Mapping):
        return {key: without_hidden(part, hidden) for key, part in content.items()}
    if isinstance(content, (list, tuple)):
        return [without_hidden(part, hidden) for part in content]
    return content
