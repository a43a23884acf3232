"""Messages beside the results, on standard error: notes, and the sentence of a refusal."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stdout

__all__ = ["PROGRAM", "is_watched", "notes_told", "refuse", "sentence", "tell", "working"]

PROGRAM = "synthpop-disclosure"


class Note(UserWarning):
    """What a reader of the results should know."""


def tell(text: str) -> None:
    """A note. It waits until the work is done: a refused call prints only one sentence."""
    warnings.warn(text, Note, stacklevel=2)


def refuse(text: str) -> None:
    """Why nothing was done."""
    print(f"{PROGRAM}: {_one_line(text)}", file=sys.stderr)


def sentence(error: Exception) -> str:
    """An error in one line, without the details, which may quote data."""
    if isinstance(error, OSError) and error.filename is not None:
        return f"{error.filename}: {error.strerror}"
    return _one_line(str(error) or type(error).__name__)


def _one_line(text: str) -> str:
    return " ".join(text.split())


@contextmanager
def notes_told(reword: Callable[[str], str] = str) -> Iterator[None]:
    """Prints notes, and warnings as notes, each once, when the work is done."""
    with warnings.catch_warnings(record=True) as given:
        warnings.simplefilter("ignore")
        warnings.simplefilter("always", UserWarning)
        yield
    for text in dict.fromkeys(str(warning.message) for warning in given):
        print(f"note: {_one_line(reword(text))}", file=sys.stderr)


def is_watched() -> bool:
    """Whether a progress line would be seen."""
    return sys.stderr.isatty()


@contextmanager
def working() -> Iterator[bool]:
    """While functions work: their printed text is not a result, so it goes to standard error.
    Yields whether they should print at all.
    """
    with redirect_stdout(sys.stderr):
        yield is_watched()
