"""What every table has besides its answers: it can be printed, and closed."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Self

from ..files.origin import Origin, described
from ..redaction import redacted


class Opened:
    """A table that may hold a file or a connection open until it is closed, or forgotten.

    Attributes
    ----------
    origin : the file, database or frame that a user opened; None for other tables.
    place : what messages call it.
    columns : names of its columns.
    """

    origin: Origin | None
    place: str
    columns: list[Hashable]

    def __repr__(self) -> str:
        if self.origin is None:
            return described(redacted(self.place), "a frame", self.columns)
        return described(self.origin.name, self.origin.reader, self.columns)

    def close(self) -> None:
        """Release the file or the database."""
        if self.origin is not None:
            self.origin.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *reason: object) -> None:
        self.close()
