"""The package's own plots as SVG inside a page: small, the same at every run, in the colours of the
page, with names that no other picture of the page has.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator, Sequence
from html import escape
from io import StringIO
from typing import Any

from ..rounding import too_few
from .facts import Facts, Labels
from .gather import Evidence

MOST = 5  # targets with a picture
# not quite white: white words stay white where the paper is dark
PAPER = "#fffffe"
STYLE = {
    "axes.facecolor": PAPER,
    "figure.facecolor": PAPER,
    "savefig.facecolor": "auto",
    "svg.fonttype": "none",  # words stay text: they can be read aloud, searched and enlarged
    "svg.hashsalt": "synthpop_py",
}
# matplotlib has one set of parameters for the whole process
_drawing = threading.Lock()
UNWANTED = re.compile(
    r"<metadata>.*?</metadata>\s*|<!--.*?-->\s*"
    r"|<defs>\s*<style type=\"text/css\">.*?</style>\s*</defs>\s*",
    flags=re.S,
)
ROOT = re.compile(r"<svg\b[^>]*>", flags=re.S)
VIEW_BOX = re.compile(r'viewBox="0 0 ([\d.]+) ([\d.]+)"')
COLOUR = re.compile(r"\b(fill|stroke): (#[0-9a-f]{6})\b")
ATTRIBUTE = re.compile(r'\b(fill|stroke)="(#[0-9a-f]{6})"')
FONTS = re.compile(r"'DejaVu Sans'(?:, (?:'[^']*'|[\w-]+))*")
IDS = re.compile(r'(\bid="|url\(#|href="#)')
LONG_NUMBER = re.compile(r"(\d+\.\d{2})\d+")


def _plot(result: Any, to: int) -> Any:
    """The axes of a result's plot, with the rounding of the page."""
    return result.plot(min_cell=0 if to == 1 else to)


def of_targets(
    evidence: Evidence, order: Sequence[Any], labels: Labels, to: int
) -> Iterator[Facts]:
    """A picture of each of the riskiest targets."""
    if too_few(evidence.first.Norig, to):
        return
    for number, name in enumerate(order[:MOST], start=1):
        label = labels.of(name)
        caption = label[:1].upper() + label[1:]
        svg = _svg(evidence.results[name], f"target-{number}", caption, labels, to)
        yield {"kind": "figure", "svg": svg, "caption": caption}


def _svg(result: Any, key: str, title: str, labels: Labels, to: int) -> str:
    import matplotlib
    from matplotlib.figure import Figure
    from matplotlib.text import Text

    written = StringIO()
    with _drawing, matplotlib.rc_context():
        matplotlib.rcdefaults()
        matplotlib.rcParams.update(STYLE)
        figure: Figure = _plot(result, to).figure.figure
        for word in figure.findobj(Text):
            for name, label in labels.given.items():
                said = re.sub(rf"(?<![\w.]){re.escape(str(name))}(?![\w.])", lambda _: label, word.get_text())
                word.set_text(said)
        figure.savefig(written, format="svg", transparent=True, metadata={"Date": None})
        _forget(figure)
    return _for_page(written.getvalue(), key, title)


def _forget(figure: Any) -> None:
    """Close a figure that pyplot knows."""
    import sys

    pyplot = sys.modules.get("matplotlib.pyplot")
    if pyplot is not None:
        pyplot.close(figure)


def _for_page(drawn: str, key: str, title: str) -> str:
    root = ROOT.search(drawn)
    box = VIEW_BOX.search(drawn)
    assert root is not None and box is not None, "matplotlib writes both"
    body = UNWANTED.sub("", drawn[root.end() :])
    body = ATTRIBUTE.sub(lambda found: f'style="{_of_the_page(found)}"', body)
    body = COLOUR.sub(_of_the_page, body)
    body = FONTS.sub("system-ui, DejaVu Sans, sans-serif", body)
    body = LONG_NUMBER.sub(r"\1", body)
    body = IDS.sub(rf"\g<1>{key}-", body)
    width, height = box.groups()
    return (
        f'<svg viewBox="0 0 {width} {height}" role="img" aria-labelledby="{key}-title"'
        f' style="--inches: {float(width) / 72:.2f}in" fill="currentColor" stroke-linejoin="round"'
        ' xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink">'
        f'<title id="{key}-title">{escape(title)}</title>{body}'
    )


def _of_the_page(found: re.Match[str]) -> str:
    """A colour of the picture in those of the page: greys are mixtures of paper and ink, all other
    colours stay.
    """
    what, colour = found.groups()
    red, green, blue = (int(colour[at : at + 2], 16) for at in (1, 3, 5))
    if colour == PAPER:
        return f"{what}: var(--paper)"
    if red == green and abs(green - blue) <= 1 and colour != "#ffffff":
        return f"{what}: currentColor; {what}-opacity: {1 - red / 255:.2f}"
    return f"{what}: {colour}"
