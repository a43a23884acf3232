"""The package's own plots as SVG inside a page: small, the same at every run, in the colours of the
page, with names that no other picture of the page has.
"""

from __future__ import annotations

import re
import threading
from html import escape
from io import StringIO
from typing import Any

from ..plots.canvas import close, matplotlib
from .targets import Drawing

# Not quite white: white words stay white where the paper is dark.
PAPER = "#fffffe"
STYLE = {
    "axes.facecolor": PAPER,
    "figure.facecolor": PAPER,
    "savefig.facecolor": "auto",
    "svg.fonttype": "none",  # words stay text: they can be read aloud, searched and enlarged
    "svg.hashsalt": "synthpop_py",
}
FONT = "DejaVu Sans, Verdana, system-ui, sans-serif"
# matplotlib has one set of parameters for the whole process
_drawing = threading.Lock()

METADATA = re.compile(r"<metadata>.*?</metadata>\s*", flags=re.S)
GLOBAL_STYLE = re.compile(r"<defs>\s*<style type=\"text/css\">.*?</style>\s*</defs>\s*", flags=re.S)
ROOT = re.compile(r"<svg\b[^>]*>", flags=re.S)
VIEW_BOX = re.compile(r'viewBox="0 0 ([\d.]+) ([\d.]+)"')
COLOUR = re.compile(r"\b(fill|stroke): (#[0-9a-f]{6})\b")
ATTRIBUTE = re.compile(r'\b(fill|stroke)="(#[0-9a-f]{6})"')
# matplotlib writes a square inch of dots one by one, 200 kB of them
DOTS = re.compile(
    r'(<pattern id="[^"]*" patternUnits="userSpaceOnUse")[^>]*>\s*<rect[^>]*?( fill="[^"]*")/>'
    r"\s*<path d=\"[^\"]{20000,}\".*?</pattern>",
    flags=re.S,
)
ONE_DOT = (
    r'\1 width="3" height="3"><rect width="3" height="3"\2/>'
    r'<circle cx="1.5" cy="1.5" r="0.45" fill="currentColor"/></pattern>'
)
FONTS = re.compile(r"'DejaVu Sans'(?:, (?:'[^']*'|[\w-]+))*")
IDS = re.compile(r'(\bid="|url\(#|href="#)')
LONG_NUMBER = re.compile(r"(\d+\.\d{3})\d+")
COMMENT = re.compile(r"<!--.*?-->\s*", flags=re.S)


def svg(draw: Drawing, key: str, *, title: str, text: str, **look: Any) -> str:
    """A picture as an element of a page.

    Parameters
    ----------
    key : what its names begin with; no other picture of the page may have it.
    title, text : what screen readers read aloud.
    """
    return _for_page(_drawn(draw, look), key, title, text)


def _drawn(draw: Drawing, look: dict[str, Any]) -> str:
    library = matplotlib()
    written = StringIO()
    with _drawing, library.rc_context():
        library.rcdefaults()
        library.rcParams.update(STYLE)
        figure = draw(**look).figure.figure
        try:
            figure.savefig(written, format="svg", transparent=True, metadata={"Date": None})
        finally:
            close(figure)
    return written.getvalue()


def _for_page(drawn: str, key: str, title: str, text: str) -> str:
    body = drawn[ROOT.search(drawn).end() :]  # type: ignore[union-attr]
    for unwanted in (METADATA, GLOBAL_STYLE, COMMENT):
        body = unwanted.sub("", body)
    body = DOTS.sub(ONE_DOT, body)
    body = ATTRIBUTE.sub(lambda found: f'style="{_of_the_page(found)}"', body)
    body = COLOUR.sub(_of_the_page, body)
    body = FONTS.sub(FONT, body)
    body = LONG_NUMBER.sub(r"\1", body)
    body = IDS.sub(rf"\g<1>{key}-", body)
    width, height = VIEW_BOX.search(drawn).groups()  # type: ignore[union-attr]
    inches = float(width) / 72
    return (
        f'<svg viewBox="0 0 {width} {height}" role="img" aria-labelledby="{key}-title {key}-text"'
        f' style="--inches: {inches:.2f}in" fill="currentColor" stroke-linejoin="round"'
        ' xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink">'
        f'<title id="{key}-title">{escape(title)}</title>'
        f'<desc id="{key}-text">{escape(text)}</desc>{body}'
    )


def _of_the_page(found: re.Match[str]) -> str:
    """A colour of the picture in those of the page: greys are mixtures of paper and ink, all other
    colours stay.
    """
    what, colour = found.groups()
    red, green, blue = (int(colour[at : at + 2], 16) for at in (1, 3, 5))
    if colour == PAPER:
        return f"{what}: var(--paper)"
    if colour == "#000000":
        return f"{what}: currentColor"
    is_grey = red == green and abs(green - blue) <= 1 and colour != "#ffffff"
    if not is_grey:
        return f"{what}: {colour}"
    return f"{what}: currentColor; {what}-opacity: {1 - red / 255:.2f}"
