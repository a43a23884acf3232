"""The document model and its renderers, by literal views of one example."""

from __future__ import annotations

import json
import math

import numpy as np
import pandas as pd
import pytest

import synthpop_py
from synthpop_py import InputError
from synthpop_py.show import (
    Cell,
    Column,
    Document,
    Note,
    Section,
    Table,
    fill,
    html,
    markdown,
    text,
)
from synthpop_py.show.plain import (
    arguments_content,
    frame_content,
    plain,
    text_content,
    value_of,
)
from tests.unit.show_example import Example

TEXT = """\
People by town:
              people     %
Adorf             40 66.67  large
<b>B|dorf</b>      4  6.67  a sentence that goes on and on, a sentence that goes on and on, a
                            sentence that goes on and on, a sentence that goes on and on,
C_dorf            16 26.67

WARNING
  it is so: a sentence that goes on and on, a sentence that goes on and on, a sentence that goes on
    and on, a sentence that goes on and on,
    and so

A heading
In all 60 people.
 at say
0.5   x
1.0   y

Figure: towns & people (towns.png)
Figure: more (result.plot())"""

FRAGMENT = (
    '<div class="synthpop-py"><section><div class="wide"><table><caption>People by town</caption>'
    '<thead><tr><td></td><th scope="col" class="number">people</th><th scope="col"'
    ' class="number">%</th><th scope="col">meaning</th></tr></thead><tbody><tr><th'
    ' scope="row">Adorf</th><td class="number">40</td><td class="number">66.67</td><td>large</td>'
    '</tr><tr><th scope="row">&lt;b&gt;B|dorf&lt;/b&gt;</th><td class="number">4</td><td'
    ' class="number">6.67</td><td>a sentence that goes on and on, a sentence that goes on and on,'
    " a sentence that goes on and on, a sentence that goes on and on, </td></tr><tr><th"
    ' scope="row">C_dorf</th><td class="number">16</td><td class="number">26.67</td><td></td></tr>'
    "</tbody></table></div></section>\n<section><p><strong>WARNING</strong></p><ul><li>it is so: a"
    " sentence that goes on and on, a sentence that goes on and on, a sentence that goes on and"
    " on, a sentence that goes on and on, </li><li>and so</li></ul></section>\n<section><h2>A"
    ' heading</h2><p>In all 60 people.</p><div class="wide"><table><caption>Untitled</caption>'
    '<thead><tr><th scope="col" class="number">at</th><th scope="col">say</th></tr></thead><tbody>'
    '<tr><th scope="row" class="number">0.5</th><td>x</td></tr><tr><th scope="row"'
    ' class="number">1.0</th><td>y</td></tr></tbody></table></div></section>\n<section><figure><img'
    ' src="towns.png" alt="towns &amp; people"><figcaption>towns &amp; people</figcaption></figure>'
    "<p>Figure: more (result.plot())</p></section></div>"
)

MARKDOWN = """\
# People &lt;by&gt; town

The smallest town has *hidden* people.

**People by town**

|  | people | % | meaning |
| --- | ---: | ---: | --- |
| Adorf | 40 | 66.67 | large |
| &lt;b&gt;B\\|dorf&lt;/b&gt; | *hidden* | *hidden* | a sentence that goes on and on, a sentence \
that goes on and on, a sentence that goes on and on, a sentence that goes on and on,  |
| C_dorf | *hidden* | *hidden* |  |

**WARNING**

- it is so: a sentence that goes on and on, a sentence that goes on and on, a sentence that goes \
on and on, a sentence that goes on and on,END
- and so

## A heading

In all 60 people.

**Untitled**

| at | say |
| ---: | --- |
| 0.5 | x |
| 1.0 | y |

![towns &amp; people](towns.png)

Figure: more (result.plot())

hidden: counts of people from 1 to 9, and figures that would reveal them (min_cell=10).

---

Made by synthpop_py VERSION.
"""


def test_text():
    assert repr(Example()) == str(Example()) == TEXT


def test_html_fragment():
    assert Example()._repr_html_() == FRAGMENT


def test_html_page():
    page = Example().to_html(min_cell=0)
    assert page.startswith('<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n')
    assert FRAGMENT.removeprefix('<div class="synthpop-py">').removesuffix("</div>") in page
    assert "<title>People &lt;by&gt; town</title>" in page
    assert '<p class="headline">The smallest town has 4 people.</p>' in page
    assert 'name="viewport"' in page and "color-scheme: light dark" in page
    assert "<script" not in page


def test_html_page_hides_small_cells_unless_told_otherwise():
    page = Example().to_html()
    assert '<td class="number"><em>hidden</em></td>' in page
    assert "The smallest town has <em>hidden</em> people." in page
    assert "6.67</td>" not in page.replace("66.67</td>", "") and "(min_cell=10)" in page


def test_markdown():
    version = synthpop_py.__version__
    expected = MARKDOWN.replace("VERSION", version).replace("END", " ")
    assert Example().to_markdown() == expected


def test_summary():
    assert Example().summary() == "The smallest town has 4 people."
    assert Example().summary(min_cell=5) == "The smallest town has hidden people."


def test_a_dictionary_says_what_it_is_and_keeps_secrets():
    assert Example().to_dict() == {
        "what": "synthpop_py.Example",
        "version": synthpop_py.__version__,
        "fingerprint": None,
        "arguments": {"town": "all"},
        "records": {"original": 60},
        "people": {"A": 40, "B": 4},
    }


def test_hidden_values_are_null_with_a_flag():
    content = json.loads(Example().to_json(min_cell=10))
    assert content["people"] == {"A": 40, "B": None}
    assert content["hidden"] == ["/people/B"] and content["min_cell"] == 10


@pytest.mark.parametrize("wrong", [-1, 2.5, "ten", None])
@pytest.mark.parametrize("method", ["to_html", "to_markdown", "to_dict", "to_json", "summary"])
def test_min_cell_is_a_whole_number(method, wrong):
    with pytest.raises(InputError, match="min_cell"):
        getattr(Example(), method)(min_cell=wrong)


# ---- text ----------------------------------------------------------------------------


def shown(*blocks) -> str:
    return text.render(Document("title", (Section(blocks),)))


def test_a_wide_table_is_broken_into_blocks_of_columns():
    frame = pd.DataFrame({f"column {i}": [1.5, 10] for i in range(12)}, index=["a", "bb"])
    lines = shown(fill.table_of(frame, "wide")).split("\n")
    assert lines[0] == "wide:" and max(map(len, lines)) <= 100
    assert lines[1].split("  ")[0] == "" and lines[1].count("column") == 10
    assert [line.split()[0] for line in lines[2:4]] == ["a", "bb"]
    assert lines[4].count("column") == 2 and [line[:2] for line in lines[5:]] == ["a ", "bb"]


def test_long_labels_and_cells_are_wrapped():
    frame = pd.DataFrame({"x": ["y " * 90], "n": [3]}, index=["label " * 30])
    lines = shown(fill.table_of(frame, "wide")).split("\n")
    assert max(map(len, lines)) <= 100
    assert " ".join(" ".join(lines).split()).count("label") == 60  # once in each block
    assert "".join(lines).count("y") == 90


def test_a_word_without_blanks_is_broken():
    assert max(map(len, shown(fill.note("x" * 250)).split("\n"))) == 100


def test_a_line_break_in_a_label_does_not_break_the_line():
    frame = pd.DataFrame({"x\ny": ["a\nb"]}, index=["c\r\nd"])
    assert shown(fill.table_of(frame, "t")) == "t:\n       x\\ny\nc\\r\\nd a\\nb"


def test_hidden_cells_do_not_show_in_the_decimals_of_others():
    column = Column("x", (Cell(1.0), Cell(None, hidden=True), Cell(2.0)))
    assert shown(Table(("t",), (column,), ("a", "b", "c"))) == (
        "t:\n       x\na      1\nb hidden\nc      2"
    )


def test_numbers_are_written_as_r_writes_them():
    frame = pd.DataFrame({"x": [1 / 3, 100.0, math.nan], "s": ["a", None, True]})
    assert shown(fill.table_of(frame, "t", digits=2)) == (
        "t:\n       x    s\n0   0.33    a\n1 100.00     \n2    NaN True".replace("     \n", "\n")
    )


# ---- Markdown and HTML ---------------------------------------------------------------


@pytest.mark.parametrize(
    "given, expected",
    [
        ("a_b", "a_b"),
        ("_a_", "\\_a\\_"),
        ("*x* `y` [z](w)", "\\*x\\* \\`y\\` \\[z\\](w)"),
        ("<script>", "&lt;script&gt;"),
        ("a|b\\c", "a\\|b\\\\c"),
        ("a\nb", r"a\\nb"),
    ],
)
def test_markdown_is_escaped(given, expected):
    assert markdown.escaped(given) == expected


@pytest.mark.parametrize("beginning", ["# no heading", "- no point", "1. no number", "> no quote"])
def test_a_note_does_not_begin_a_block_of_markdown(beginning):
    made = markdown.render(Document("t", (Section((Note((beginning,)),)),)), "f")
    assert made.split("\n\n")[1].startswith(("\\", "&gt;"))


def test_html_is_escaped_everywhere():
    evil = "<script>alert(1)</script>"
    frame = pd.DataFrame({evil: [evil]}, index=[evil])
    parts = (fill.table_of(frame, evil), fill.note(evil, Cell(evil)), fill.note(evil, indent=2))
    document = Document(evil, (Section(parts, heading=evil),), headline=(fill.note(evil),))
    for made in (html.page(document, evil), html.fragment(document)):
        assert "<script" not in made and "&lt;script&gt;" in made


# ---- plain values --------------------------------------------------------------------


@pytest.mark.parametrize(
    "value, expected",
    [
        (math.nan, "NaN"),
        (math.inf, "Inf"),
        (-math.inf, "-Inf"),
        (np.float64(1.5), 1.5),
        (np.int64(3), 3),
        (np.bool_(True), True),
        (None, None),
        (pd.NA, None),
        (("a", 1), ["a", 1]),
        (np.array([1, 2]), [1, 2]),
        ({("a", 1): math.nan}, {"('a', 1)": "NaN"}),
        (pd.Timestamp("2020-01-01"), "2020-01-01 00:00:00"),
        (Cell(4), 4),
    ],
)
def test_plain_values(value, expected):
    made = plain(value)
    assert made == expected and type(made) is type(expected)


def test_a_frame_as_plain_values():
    frame = pd.DataFrame({"a": [1, 2], ("b", 1): [0.5, math.nan]}, index=["x", "y"])
    expected = {"index": ["x", "y"], "columns": ["a", "('b', 1)"], "values": [[1, 2], [0.5, "NaN"]]}
    assert plain(frame) == plain(frame_content(frame)) == expected


def test_the_way_back():
    assert math.isnan(value_of("NaN")) and value_of("-Inf") == -math.inf
    assert (value_of("x"), value_of(3)) == ("x", 3)


def test_a_text_gives_away_what_its_cells_do():
    cell = text_content(("of ", fill.people("a", 3), " people"))
    assert cell.value == "of 3 people" and [c.name for c in cell.people] == ["a"]


def test_secrets_are_no_arguments():
    given = {"seed": 1, "Seed_2": 1, "password": "x", "file_path": "y", "keys": ["a"]}
    assert arguments_content(given) == {"keys": ["a"]}


def test_a_number_of_people_may_be_a_mean():
    assert fill.people("a", 2.5).value == 2.5 and fill.people("a", 2.0).value == 2
    assert fill.known(fill.count("a", math.nan), fill.count("b", 1)) == (fill.count("b", 1),)
