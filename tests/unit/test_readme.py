"""What the README shows is what the code gives, word for word: printed text, figures, tables."""

from __future__ import annotations

import re
import warnings

import pytest

from docs import readme
from docs.build import BuildError
from synthpop_py import RDefectWarning, __all__, datasets, disclosure

README = readme.README.read_text(encoding="utf-8")


def test_what_the_code_prints_is_shown_word_for_word():
    assert readme.refreshed(README) == README, "run: python docs/readme.py"


def test_a_word_that_is_not_printed_is_noticed():
    text = "```python\nprint(1 + 1)\n```\n\n```text\n3\n```\n"
    assert readme.refreshed(text) == text.replace("3", "2")


def test_what_is_printed_must_be_shown():
    with pytest.raises(BuildError, match="a block prints, no text follows"):
        readme.refreshed("```python\nprint(1)\n```\n")


def test_the_picture_is_the_one_that_the_code_saves(tmp_path):
    code = "```python\nfrom pathlib import Path\nPath('risk.png').write_bytes(b'drawn')\n```\n"
    readme.refreshed(code, tmp_path / "picture.png")
    assert (tmp_path / "picture.png").read_bytes() == b"drawn"
    assert f"]({readme.PICTURE.relative_to(readme.ROOT).as_posix()})" in README


def test_the_first_screen_says_what_it_is_how_to_install_what_it_prints_and_how_to_report():
    first = README.splitlines()[:46]
    for words in ("pip install", "print(result", "DiSCO", "![", "synthpop-disclosure report"):
        assert any(words in line for line in first), words


def test_the_figures_of_the_defect_are_computed():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RDefectWarning)
        result = disclosure(
            datasets.load_synthesis("Adult_boot"),
            datasets.load("Adult"),
            ["age", "occupation", "race", "sex"],
            "hours.per.week",
            print_flag=False,
        )
    r, correct = result.attrib.DiSCO[1], result.corrected.attrib.DiSCO[1]
    assert f"is {correct:.2f} % by the definition and {r:.2f} % in R" in README


def test_functions_named_are_public():
    named = set(re.findall(r"`(?:synthpop_py\.)?([a-z_]+)\(\)`", README))
    of_r = {"compare"}
    assert named - of_r <= {*__all__, "tidy", "records"}
