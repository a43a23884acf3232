"""Words around axes that fit into their figure, however large it is.

Words are measured and wrapped to the space that the layout leaves. If the axes would become too
small for their data, or words would overlap, a denser setting is tried: smaller letters, fewer
lines, short names. Shortened text ends with "…". The people a figure is about come first in its
subtitle, so that they stay. All our axes of one figure have the same setting.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, NamedTuple
from weakref import WeakSet

from .frame import whole_figure
from .measuring import Ruler, line_height, lines_of

__all__ = [
    "Panel",
    "Setting",
    "Wording",
    "fit",
    "fit_with_key",
    "is_made_for",
    "lay_out",
    "made_for",
    "set_legend",
    "setting_of",
    "whole_figure",
]

MOST_FOR_NAMES = 3.2  # inches, left of the axes
EDGE = 0.12  # inches kept free between words and the edge
LEGEND_MARK = 0.45  # inches of the mark of an entry of the legend
BELOW_TITLE = 4  # points between title and subtitle
ABOVE_AXES = 7  # points between subtitle and axes
TICKS = 18  # points of marks and gaps around the numbers and the label of an axis
LEAST_WIDTH, LEAST_HEIGHT = 0.27, 0.3  # of their part of the figure, for the axes themselves
LETTERS_TOUCH = 1.5  # pixels that boxes of letters may share: letters are smaller than their boxes
BETWEEN_NUMBERS = 3  # points kept free
FEWER_NUMBERS = (5, 4, 3, 2)  # parts of an axis
NOT_ALL_NAMED = "; not every row is named"


@dataclass(frozen=True, slots=True)
class Wording:
    """What is written around a panel. The subtitle says what is needed to read the figure, first
    the people it is about; its lines stay separate.
    """

    title: str
    subtitle: str
    xlabel: str
    ylabel: str = ""


class Setting(NamedTuple):
    """How densely words are set: sizes in points, and the most lines of each kind.

    Attributes
    ----------
    brief : names of rows without their explanation.
    labels : share of the width that names of rows may take.
    """

    text: float
    title: float
    subtitle: int | None
    entry: int | None
    axis: int
    brief: bool
    labels: float


SETTINGS = (
    Setting(text=9, title=11, subtitle=None, entry=None, axis=3, brief=False, labels=0.45),
    Setting(text=8, title=10, subtitle=4, entry=2, axis=2, brief=False, labels=0.4),
    Setting(text=7, title=9, subtitle=3, entry=1, axis=2, brief=True, labels=0.35),
    Setting(text=7, title=8.5, subtitle=2, entry=1, axis=1, brief=True, labels=0.3),
    Setting(text=7, title=8, subtitle=1, entry=1, axis=1, brief=True, labels=0.25),
)


@dataclass(slots=True)
class Panel:
    """What is needed to set the words around some axes again. The axes keep it, and so it goes when
    they go; a stored figure is without it.

    Attributes
    ----------
    rows, brief : names of rows, and what is left of them where there is little room; none where the
        axis has numbers.
    places : of the rows.
    columns : of the legend, where they fit.
    title, subtitle : their artists.
    key : what is written beside the axes, for a setting and a width and height in inches;
        `beside` is its artist.
    """

    words: Wording
    rows: Sequence[str] = ()
    brief: Sequence[str] = ()
    places: Sequence[float] = ()
    columns: int = 1
    subtitle: Any = None
    setting: Setting = SETTINGS[0]
    title: Any = None
    key: Callable[[Setting, Place, Ruler], str] | None = None
    beside: Any = None

    def __reduce__(self) -> Any:
        return type(None), ()


class Place(NamedTuple):
    """The size of a part of a figure, in inches."""

    width: float
    height: float


class Room(NamedTuple):
    """Where words around axes may be, in inches from the left edge of the figure."""

    left: float
    right: float


_own: WeakSet[Any] = WeakSet()  # axes whose figure has the size they need


def made_for(ax: Any) -> None:
    """Remember that a figure was made for these axes."""
    _own.add(ax)


def is_made_for(ax: Any) -> bool:
    return ax in _own


def _panel_of(ax: Any) -> Panel | None:
    return getattr(ax, "_synthpop_panel", None)


def setting_of(ax: Any) -> Setting:
    """How densely the words of these axes are set."""
    panel = _panel_of(ax)
    return SETTINGS[0] if panel is None else panel.setting


def fit_with_key(ax: Any, key: Callable[[Setting, Place, Ruler], str], beside: Any) -> None:
    """Set the words again, with a key at the right of the axes."""
    panel = _panel_of(ax)
    assert panel is not None
    panel.key, panel.beside = key, beside
    fit(ax, panel)


def fit(ax: Any, panel: Panel) -> None:
    """Fit the words around these axes, and around all our other axes in the figure."""
    ax._synthpop_panel = panel
    figure = whole_figure(ax)
    panels = {other: kept for other in figure.axes if (kept := _panel_of(other)) is not None}
    ruler = Ruler(figure.dpi)
    for setting in SETTINGS[_first(panels) :]:
        laid_out = _set_all(figure, panels, setting, ruler)
        if ax in _own or (laid_out and all(_is_readable(*item) for item in panels.items())):
            return
    for crowded, of_axes in panels.items():
        _name_some_rows(crowded, of_axes)


def _first(panels: Mapping[Any, Panel]) -> int:
    """The first setting worth trying: large letters do not fit small axes, and a panel needs at
    least the setting that it needed before others were added.
    """
    sizes = [_part_of_figure(ax) for ax in panels if ax not in _own]
    width = min((size.width for size in sizes), default=math.inf)
    height = min((size.height for size in sizes), default=math.inf)
    before = max(SETTINGS.index(panel.setting) for panel in panels.values())
    return max(before, 2 * (width < 4.5 or height < 3.3))


def _set_all(figure: Any, panels: dict[Any, Panel], setting: Setting, ruler: Ruler) -> bool:
    """Set all words; whether the layout found room for them.

    Names of rows decide how wide the axes are, that decides how words above and below are wrapped,
    and these how high the axes are: each is set when the one before is known.
    """
    for ax, panel in panels.items():
        panel.setting = setting
        _clear(ax, panel)
        _set_rows(ax, panel, ruler)
    lay_out(figure)
    for ax, panel in panels.items():
        _set_above_and_below(ax, panel, ruler)
    has_room = lay_out(figure)
    for ax in panels:
        _keep_numbers_apart(ax)
    upright = [item for item in panels.items() if item[1].words.ylabel]
    for ax, panel in upright:
        _set_upright(ax, panel, ruler)
    return lay_out(figure) if upright else has_room


def lay_out(figure: Any) -> bool:
    """Lay out the figure; returns whether everything fitted. matplotlib warns if not."""
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        engine = figure.get_layout_engine()
        if engine is not None:
            # only the layout: drawing everything unseen takes twice as long
            engine.execute(figure)
    return not any("layout not applied" in str(warning.message) for warning in said)


def _clear(ax: Any, panel: Panel) -> None:
    """Remove what will be set again, and set the size of the rest."""
    size = panel.setting.text
    legend = ax.get_legend()
    if legend is not None:
        legend.remove()
    if panel.subtitle is not None:
        panel.subtitle.set_text("")
    ax.set_title("", loc="left")
    ax.set_xlabel("")
    ax.set_ylabel("")
    for text in ax.texts:
        text.set_fontsize(size)
    for axes in (ax, *ax.child_axes):
        axes.tick_params(labelsize=size)
    for child in ax.child_axes:
        child.yaxis.label.set_fontsize(size)


def _set_rows(ax: Any, panel: Panel, ruler: Ruler) -> None:
    """What stands at the left and at the right of the axes."""
    setting = panel.setting
    if panel.key is not None:
        panel.beside.set_text(panel.key(setting, _part_of_figure(ax), ruler))
    if not panel.rows:
        return
    names = panel.brief if setting.brief and panel.brief else panel.rows
    most = min(setting.labels * _part_of_figure(ax).width, MOST_FOR_NAMES)
    labels = [_row_name(name, most, setting, ruler) for name in names]
    ax.set_yticks(list(panel.places), labels=labels, fontsize=setting.text, parse_math=False)


def _row_name(name: str, inches: float, setting: Setting, ruler: Ruler) -> str:
    """The name of a row in a limited number of lines. If it is shortened, the text below the name,
    such as the number left out, keeps a line.
    """
    first, *below = name.split("\n")
    most = setting.axis + 1
    below = below[: most - 1]
    complete = ruler.wrapped(name, inches, setting.text)
    if lines_of(complete) <= most or not below:
        return ruler.wrapped(name, inches, setting.text, most=most)
    begin = ruler.wrapped(first, inches, setting.text, most=most - len(below))
    return "\n".join([begin, *(ruler.shortened(line, inches, setting.text) for line in below)])


def _set_above_and_below(ax: Any, panel: Panel, ruler: Ruler) -> None:
    words, setting = panel.words, panel.setting
    room = _room(ax)
    left, right = _sides(ax)
    subtitle = _subtitle(words.subtitle, room.right - left, setting, ruler)
    panel.subtitle.set_text(subtitle)
    panel.title = ax.set_title(
        ruler.wrapped(words.title, room.right - left, setting.title, bold=True, most=3),
        loc="left",
        fontsize=setting.title,
        fontweight="bold",
        pad=ABOVE_AXES + BELOW_TITLE + 72 * line_height(setting.text) * lines_of(subtitle),
        parse_math=False,
    )
    middle = (left + right) / 2
    across = 2 * min(middle - room.left, room.right - middle)
    xlabel = ruler.wrapped(words.xlabel, across, setting.text, most=setting.axis)
    ax.set_xlabel(xlabel, fontsize=setting.text, parse_math=False)
    end = room.right if panel.key is None else right  # not below a long key
    set_legend(ax, panel, end - left, ruler)


def _subtitle(text: str, inches: float, setting: Setting, ruler: Ruler) -> str:
    """The subtitle in a limited number of lines. If it is shortened, the last paragraph, which says
    what is not drawn, keeps a line.
    """
    first, *rest = text.split("\n")
    complete = ruler.wrapped(text, inches, setting.text)
    most = setting.subtitle
    if most is None or lines_of(complete) <= most or not rest or most == 1:
        return ruler.wrapped(text, inches, setting.text, most=most)
    begin = ruler.wrapped(first, inches, setting.text, most=most - 1)
    return f"{begin}\n{ruler.shortened(rest[-1], inches, setting.text)}"


def set_legend(ax: Any, panel: Panel, inches: float, ruler: Ruler) -> None:
    """A legend below the label of the axis, where there is anything to explain."""
    handles, names = ax.get_legend_handles_labels()
    if not handles:
        return
    setting = panel.setting
    size = setting.text
    room = inches - LEGEND_MARK
    labels = [ruler.wrapped(name, room, size, most=setting.entry) for name in names]
    columns = panel.columns
    if columns * (ruler.widest(labels, size) + LEGEND_MARK + EDGE) > inches:
        columns = 1
    lines = lines_of(ax.get_xlabel()) + 1  # and that of the numbers
    legend = ax.legend(
        handles,
        labels,
        loc="upper left",
        bbox_to_anchor=(0, 0),
        bbox_transform=_lowered(ax, TICKS + 72 * line_height(size) * lines),
        ncol=columns,
        fontsize=size,
        frameon=False,
        borderaxespad=0,
        borderpad=0,
    )
    for text in legend.get_texts():
        text.set_parse_math(False)


def _lowered(ax: Any, points: float) -> Any:
    """The coordinates of the axes, so many points further down."""
    from matplotlib.transforms import ScaledTranslation

    return ax.transAxes + ScaledTranslation(0, -points / 72, ax.figure.dpi_scale_trans)


def _set_upright(ax: Any, panel: Panel, ruler: Ruler) -> None:
    """Labels of upright axes, as long as the axes are high."""
    setting = panel.setting
    height = ax.get_window_extent().height / ax.figure.dpi
    ylabel = ruler.wrapped(panel.words.ylabel, height, setting.text, most=setting.axis)
    ax.set_ylabel(ylabel, fontsize=setting.text, parse_math=False)


# ---- room ----------------------------------------------------------------------------


def _part_of_figure(ax: Any) -> Place:
    """Width and height of what the axes and their words may use, about, in inches."""
    frame, dpi = ax.figure.bbox, ax.figure.dpi
    spec = ax.get_subplotspec()
    if spec is None:
        own = ax.get_window_extent()
        return Place(own.width / dpi, own.height / dpi)
    rows, columns = spec.get_gridspec().get_geometry()
    width = frame.width * len(spec.colspan) / columns
    height = frame.height * len(spec.rowspan) / rows
    return Place(width / dpi, height / dpi)


def _sides(ax: Any) -> tuple[float, float]:
    """The left and the right edge of the axes, in inches."""
    own = ax.get_window_extent()
    return own.x0 / ax.figure.dpi, own.x1 / ax.figure.dpi


def _room(ax: Any) -> Room:
    """From the words of the axes at the left to those of the axes at the right."""
    frame = ax.figure.bbox
    own = ax.get_window_extent()
    left, right = frame.x0, frame.x1
    for other in ax.figure.axes:
        theirs = other.get_window_extent()
        if other is ax or theirs.y0 >= own.y1 or theirs.y1 <= own.y0:
            continue
        with_words = other.get_tightbbox(for_layout_only=True)
        if with_words is None:
            continue
        if theirs.x0 >= own.x1:
            right = min(right, with_words.x0)
        elif theirs.x1 <= own.x0:
            left = max(left, with_words.x1)
    return Room(left / ax.figure.dpi + EDGE, right / ax.figure.dpi - EDGE)


# ---- whether it can be read ----------------------------------------------------------


def _is_readable(ax: Any, panel: Panel) -> bool:
    """Whether the axes have their part of the room, and all words lie inside and apart."""
    width, height = _part_of_figure(ax)
    own = ax.get_window_extent()
    dpi = ax.figure.dpi
    if own.width < LEAST_WIDTH * width * dpi or own.height < LEAST_HEIGHT * height * dpi:
        return False
    page = whole_figure(ax).bbox
    boxes = list(_boxes(ax, panel))
    if any(_is_outside(box, page) for box in boxes):
        return False
    return not any(_overlap(box, other) for i, box in enumerate(boxes) for other in boxes[:i])


def _boxes(ax: Any, panel: Panel) -> Iterator[Any]:
    """What is covered by words that belong to rows or stand around the axes, and by the legend."""
    labels = [ax.xaxis.label, ax.yaxis.label, *_numbers(ax.xaxis), *_numbers(ax.yaxis)]
    for text in (panel.title, *labels, *ax.texts):
        if text.get_text().strip() and text.get_visible():
            yield text.get_window_extent()
    legend = ax.get_legend()
    if legend is not None:
        # as a whole: its entries get their places only when it is drawn
        yield legend.get_window_extent()


def _numbers(axis: Any) -> Iterator[Any]:
    """Labels of an axis that are seen: there may be others beyond its ends."""
    labels = axis.get_ticklabels()
    low, high = sorted(axis.get_view_interval())
    for place, label in zip(axis.get_ticklocs(), labels):
        if low <= place <= high:
            yield label


def _keep_numbers_apart(ax: Any) -> None:
    """Fewer numbers below axes where they would touch."""
    from matplotlib.ticker import MaxNLocator

    for fewer in FEWER_NUMBERS:
        locator = ax.xaxis.get_major_locator()
        boxes = [label.get_window_extent() for label in _numbers(ax.xaxis)]
        boxes.sort(key=lambda box: box.x0)
        gap = BETWEEN_NUMBERS * ax.figure.dpi / 72
        apart = all(box.x1 + gap <= after.x0 for box, after in pairwise(boxes))
        if apart or not isinstance(locator, MaxNLocator):
            return
        locator.set_params(nbins=fewer)


def _is_outside(box: Any, page: Any) -> bool:
    apart = box.x0 < -1 or box.y0 < -1
    return bool(apart or box.x1 > page.x1 + 1 or box.y1 > page.y1 + 1)


def _overlap(box: Any, other: Any) -> bool:
    width = min(box.x1, other.x1) - max(box.x0, other.x0)
    height = min(box.y1, other.y1) - max(box.y0, other.y0)
    return bool(width > LETTERS_TOUCH and height > LETTERS_TOUCH)


def _name_some_rows(ax: Any, panel: Panel) -> None:
    """The last resort: every second row, or third, is named, and the label of the axis says so."""
    if not panel.rows:
        return
    beside = [text for text in ax.texts if text.xy[0] == 1 and text is not panel.subtitle]
    labels = ax.get_yticklabels()
    highest = max(text.get_window_extent().height for text in (*labels, *beside))
    pitch = ax.get_window_extent().height / max(len(panel.rows), 1)
    every = math.ceil(highest / max(pitch, 1.0))
    if every <= 1:
        return
    from_top = sorted(panel.places, reverse=True)
    named = set(from_top[::every])
    kept = [
        label.get_text() if place in named else "" for place, label in zip(panel.places, labels)
    ]
    ax.set_yticks(list(panel.places), labels=kept, fontsize=panel.setting.text, parse_math=False)
    for text in beside:
        text.set_visible(text.xy[1] in named)
    unit, *_ = panel.words.xlabel.split(";")
    ax.set_xlabel(unit + NOT_ALL_NAMED)
