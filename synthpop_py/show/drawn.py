"""The methods of results that can be drawn."""

from __future__ import annotations

from os import PathLike
from typing import Any

from .shown import Shown


class Drawn(Shown):
    """A result that has a picture, or several."""

    __slots__ = ()

    def plot(self, *args: Any, **options: Any) -> Any:
        """Draw it; returns the axes."""
        raise NotImplementedError

    def save_plot(self, path: str | PathLike[str], *, dpi: float = 150, **options: Any) -> None:
        """Write the picture to a file; the ending of its name says how (.png, .pdf, .svg).

        Parameters
        ----------
        path : name of the file.
        dpi : dots per inch, where the picture is made of dots.
        **options : all that `plot` takes.
        """
        from ..plots.frame import close

        figure = self.plot(**options).figure.figure
        try:
            figure.savefig(path, dpi=dpi)
        finally:
            if options.get("ax") is None:
                close(figure)
