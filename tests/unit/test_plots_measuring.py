"""How much room words take: widths in inches, lines, and what is shortened."""

from __future__ import annotations

import matplotlib
import pytest

from synthpop_py.plots.measuring import Ruler, line_height


@pytest.fixture(autouse=True)
def fixed_settings():
    with matplotlib.rc_context():
        matplotlib.rcdefaults()
        yield


@pytest.fixture
def ruler():
    return Ruler(100)


def test_a_width_is_that_of_the_longest_line(ruler):
    assert ruler.inches("mm\nmmmm\nm", 9) == ruler.inches("mmmm", 9)
    assert ruler.inches("mmmm", 9) > ruler.inches("iiii", 9)
    assert ruler.inches("mmmm", 9, bold=True) > ruler.inches("mmmm", 9)
    assert ruler.inches("mmmm", 18) == pytest.approx(2 * ruler.inches("mmmm", 9), rel=0.1)
    assert ruler.widest([], 9) == 0 and ruler.widest(["i", "mm"], 9) == ruler.inches("mm", 9)


def test_a_width_is_what_is_drawn_or_a_little_more(ruler):
    figure = matplotlib.figure.Figure(dpi=100)
    words = "From the original to the synthetic data, mean of 5 syntheses"
    drawn = figure.text(0, 0, words, fontsize=9).get_window_extent().width / 100
    assert drawn <= ruler.inches(words, 9) <= 1.1 * drawn


def test_lines_are_no_wider_and_have_all_words(ruler):
    text = "of 5,000 people; 4,870 left out, percentages are of the others"
    wrapped = ruler.wrapped(text, 1.5, 9)
    assert wrapped.replace("\n", " ") == text and wrapped.count("\n") > 1
    assert ruler.inches(wrapped, 9) <= 1.5
    assert ruler.wrapped("a\nb", 9, 9) == "a\nb"


def test_a_name_that_no_line_holds_is_broken_behind_a_sign(ruler):
    name = "a_name_that_goes_on_and_on"
    lines = ruler.wrapped(name, 1.0, 9).split("\n")
    assert "".join(lines) == name and len(lines) > 1
    assert all(line.endswith("_") for line in lines[:-1])
    assert ruler.wrapped("mmmmmmmm", 0.3, 9).replace("\n", "") == "mmmmmmmm"


def test_what_has_no_room_ends_with_dots(ruler):
    short = ruler.shortened("the riskiest sets of keys", 1.0, 9)
    assert short.endswith("…") and "the riskiest sets of keys".startswith(short[:-1])
    assert ruler.inches(short, 9) <= 1.0
    assert ruler.shortened("keys", 1.0, 9) == "keys"
    first, second = ruler.wrapped("one two three four five six seven", 0.7, 9, most=2).split("\n")
    assert first == "one two" and second.startswith("three") and second.endswith("…")
    # never nothing at all
    assert ruler.shortened("keys", 0.01, 9) == "k…"


def test_another_font_is_measured_anew(ruler):
    before = ruler.inches("mmmm", 9)
    matplotlib.rcParams["font.family"] = "monospace"
    assert ruler.inches("mmmm", 9) != before


def test_lines_are_higher_than_their_letters():
    assert line_height(9) > 9 / 72
