"""Text, HTML, Markdown and plain values, by literal views of one example."""

from __future__ import annotations

import json
import math

import numpy as np
import pandas as pd
import pytest

import synthpop_py
from synthpop_py import InputError
from synthpop_py.show import pages, printing
from synthpop_py.show.printing import Table
from synthpop_py.show.values import arguments_content, plain
from tests.unit.show_example import TOWNS, Example

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

In all 60 people.
 at say
0.5   x
1.0   y"""

FRAGMENT = (
    '<div class="synthpop-py"><section><div class="wide"><table><caption>People by town</caption>'
    '<thead><tr><td></td><th scope="col" class="number">people</th><th scope="col"'
    ' class="number">%</th><th scope="col">meaning</th></tr></thead><tbody><tr><th'
    ' scope="row">Adorf</th><td class="number">40</td><td class="number">66.67</td><td>large</td>'
    '</tr><tr><th scope="row">&lt;b&gt;B|dorf&lt;/b&gt;</th><td class="number">4</td><td'
    ' class="number">6.67</td><td>a sentence that goes on and on, a sentence that goes on and on,'
    " a sentence that goes on and on, a sentence that goes on and on, </td></tr><tr><th"
    ' scope="row">C_dorf</th><td class="number">16</td><td class="number">26.67</td><td></td></tr>'
    "</tbody></table></div></section>\n<section><p>WARNING</p><ul><li>it is so: a"
    " sentence that goes on and on, a sentence that goes on and on, a sentence that goes on and"
    " on, a sentence that goes on and on, </li><li>and so</li></ul></section>\n<section>"
    '<p>In all 60 people.</p><div class="wide"><table><caption>Untitled</caption>'
    '<thead><tr><th scope="col" class="number">at</th><th scope="col">say</th></tr></thead><tbody>'
    '<tr><th scope="row" class="number">0.5</th><td>x</td></tr><tr><th scope="row"'
    ' class="number">1.0</th><td>y</td></tr></tbody></table></div></section></div>'
)

ROUNDED = """\
# People &lt;by&gt; town

The smallest town has fewer than 5 people.

**People by town**

|  | people | of all |
| --- | ---: | ---: |
| Adorf | 40 | 67 % |
| &lt;b&gt;B\\|dorf&lt;/b&gt; | fewer than 5 | under 9 % |
| C_dorf | 20 | 33 % |

---

Made by synthpop_py VERSION.
"""


def test_text():
    assert repr(Example()) == str(Example()) == TEXT


def test_html_fragment():
    assert Example()._repr_html_() == FRAGMENT


def test_an_exact_page_is_marked():
    page = Example().to_html(round_to=1)
    assert page.startswith('<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n')
    assert FRAGMENT.removeprefix('<div class="synthpop-py">').removesuffix("</div>") in page
    assert "<title>People &lt;by&gt; town</title>" in page
    assert '<p class="headline">round_to=1: exact figures, not for release.</p>' in page
    assert '<p class="headline">The smallest town has 4 people.</p>' in page
    assert 'name="viewport"' in page and "color-scheme: light dark" in page
    assert "<script" not in page
    exact = Example().to_markdown(round_to=1)
    assert "not for release" in exact and "| C_dorf | 16 | 26.67 |" in exact
    assert "- it is so: a sentence" in exact and "\n- and so\n" in exact


def test_a_page_for_others_is_rounded():
    assert Example().to_markdown() == ROUNDED.replace("VERSION", synthpop_py.__version__)
    page = Example().to_html()
    assert '<td class="number">fewer than 5</td>' in page and "not for release" not in page
    assert "26.67" not in page and ">16<" not in page


def test_few_people_have_a_sentence_instead_of_figures():
    page = Example().to_markdown(round_to=31)
    assert "rounded to 31, those of fewer than 62 people would say nothing" in page
    assert "Adorf" not in page and "|" not in page


@pytest.mark.parametrize("wrong", [-1, 0, 5, 2.5, "ten", None])
@pytest.mark.parametrize("method", ["to_html", "to_markdown"])
def test_round_to_is_1_or_10_and_more(method, wrong):
    with pytest.raises(InputError, match="round_to"):
        getattr(Example(), method)(round_to=wrong)


def test_summary(capsys):
    assert Example().summary() == "The smallest town has 4 people."
    Example().print()
    assert capsys.readouterr().out == f"{Example()}\n"


def test_a_dictionary_says_what_it_is_and_keeps_secrets():
    assert Example().to_dict() == {
        "what": "synthpop_py.Example",
        "version": synthpop_py.__version__,
        "arguments": {"town": "all"},
        "records": {"original": 60},
        "people": TOWNS,
    }
    assert json.loads(Example().to_json()) == Example().to_dict()


# ---- text ----------------------------------------------------------------------------


def shown(*blocks) -> str:
    return printing.text([blocks])


def test_a_wide_table_is_broken_into_blocks_of_columns():
    frame = pd.DataFrame({f"column {i}": [1.5, 10] for i in range(12)}, index=["a", "bb"])
    lines = shown(Table(frame, "wide")).split("\n")
    assert lines[0] == "wide:" and max(map(len, lines)) <= 100
    assert lines[1].split("  ")[0] == "" and lines[1].count("column") == 10
    assert [line.split()[0] for line in lines[2:4]] == ["a", "bb"]
    assert lines[4].count("column") == 2 and [line[:2] for line in lines[5:]] == ["a ", "bb"]


def test_long_labels_and_cells_are_wrapped():
    frame = pd.DataFrame({"x": ["y " * 90], "n": [3]}, index=["label " * 30])
    lines = shown(Table(frame, "wide")).split("\n")
    assert max(map(len, lines)) <= 100
    assert " ".join(" ".join(lines).split()).count("label") == 60  # once in each block
    assert "".join(lines).count("y") == 90


def test_a_word_without_blanks_is_broken():
    assert max(map(len, shown("x" * 250).split("\n"))) == 100


def test_a_line_break_in_a_label_does_not_break_the_line():
    frame = pd.DataFrame({"x\ny": ["a\nb"]}, index=["c\r\nd"])
    assert shown(Table(frame, "t\nu")) == "t\\nu:\n       x\\ny\nc\\r\\nd a\\nb"
    assert shown("  a\nb") == "  a\\nb"


def test_columns_of_the_same_name_are_all_shown():
    frame = pd.DataFrame([[1, 2]], columns=["x", "x"])
    assert shown(Table(frame, "t", titled=False)) == "  x x\n0 1 2"


def test_columns_as_wide_as_the_widest():
    frame = pd.DataFrame({"a": ["x"], "long name": ["y"]})
    table = Table(frame, "t", labelled=False, titled=False, even=True)
    assert shown(table) == "        a long name\n        x         y"


def test_numbers_are_written_as_r_writes_them():
    frame = pd.DataFrame({"x": [1 / 3, 100.0, math.nan], "s": ["a", None, True]})
    assert shown(Table(frame, "t", digits=2)) == (
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
    assert pages.escaped(given) == expected


@pytest.mark.parametrize("beginning", ["# no heading", "- no point", "1. no number", "> no quote"])
def test_a_note_does_not_begin_a_block_of_markdown(beginning):
    made = pages.markdown("t", [], [[beginning]], "f")
    assert made.split("\n\n")[1].startswith(("\\", "&gt;"))


def test_html_is_escaped_everywhere():
    evil = "<script>alert(1)</script>"
    frame = pd.DataFrame({evil: [evil]}, index=[evil])
    sections = [[Table(frame, evil), evil, f"  {evil}"], [Table(frame, evil, labelled=False)]]
    for made in (pages.html_page(evil, [evil], sections, evil), pages.html_fragment(sections)):
        assert "<script" not in made and "&lt;script&gt;" in made


def test_columns_of_figures_are_on_the_right():
    frame = pd.DataFrame({"n": ["1,230", "fewer than 5"], "t": ["12 %", "a text"]})
    html = pages.html_fragment([[Table(frame, "t")]])
    assert '<td class="number">fewer than 5</td>' in html and "<td>12 %</td>" in html


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
    ],
)
def test_plain_values(value, expected):
    made = plain(value)
    assert made == expected and type(made) is type(expected)


def test_a_frame_as_plain_values():
    frame = pd.DataFrame({"a": [1, 2], ("b", 1): [0.5, math.nan]}, index=["x", "y"])
    expected = {"index": ["x", "y"], "columns": ["a", "('b', 1)"], "values": [[1, 2], [0.5, "NaN"]]}
    assert plain(frame) == expected


def test_secrets_are_no_arguments():
    given = {"seed": 1, "Seed_2": 1, "password": "x", "file_path": "y", "keys": ["a"]}
    assert arguments_content(given) == {"keys": ["a"]}
