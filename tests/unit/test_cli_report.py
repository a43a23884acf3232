"""``report``: what the command hands to `synthpop_py.report()`, and what it refuses before."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pandas as pd
import pytest

from synthpop_py.cli import main
from synthpop_py.report import api

from .cli_files import ASK, TABLES, write_people


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write_people()


@pytest.fixture
def handed(monkeypatch):
    """What the function is called with; it writes one line."""
    calls = []

    def stand_in(synthetic, original, **given):
        calls.append(SimpleNamespace(synthetic=synthetic, original=original, **given))
        Path(given["path"]).write_text("report")

    monkeypatch.setattr(api, "report", stand_in)
    return calls


def test_options_are_arguments_of_report(handed, capsys):
    words = ["--holdout", "synthetic-2.csv", "-o", "r.md", "--title", "For the board"]
    words += ["--min-cell", "5", "--ngroups-keys", "age=4", "--cont-na", "age=20"]
    assert main(["report", *ASK, *words]) == 0
    (call,) = handed
    pd.testing.assert_frame_equal(call.original, pd.read_csv("original.csv"))
    pd.testing.assert_frame_equal(call.synthetic[0], pd.read_csv("synthetic.csv"))
    pd.testing.assert_frame_equal(call.holdout, pd.read_csv("synthetic-2.csv"))
    assert (call.keys, call.targets) == (["sex", "age"], ["job"])
    assert (call.path, call.format, call.title) == (Path("r.md"), "md", "For the board")
    assert (call.min_cell, call.force) == (5, False)
    assert call.ngroups_keys == [0, 4] and call.cont_na == {"age": [20.0]}
    assert capsys.readouterr().out == "r.md: written\n"


def test_without_keys_it_looks_for_them(handed):
    assert main(["report", *TABLES, "--targets", "job"]) == 0
    (call,) = handed
    assert call.keys is None and call.targets == ["job"] and call.holdout is None
    assert (call.path, call.format) == (Path("report.html"), "html")


def test_a_limit_that_is_exceeded_leaves_the_report(handed, capsys):
    assert main(["report", *ASK, "--fail-over", "DiSCO=0"]) == 1
    assert Path("report.html").read_text() == "report"
    told = "note: --fail-over: DiSCO of job (synthesis 1): about 13.3 %; above the limit of 0 %"
    assert told in capsys.readouterr().err
    assert main(["report", *ASK, "--fail-over", "DiSCO=100", "--force"]) == 0


@pytest.mark.parametrize(
    "words, says",
    [
        (["-o", "report.doc"], "report.doc does not say what to write; choices: .html"),
        (["-o", "there.html"], "there.html exists; give another name, or --force"),
        (["--keys", "sex,agee"], "'agee' is not a column"),
        (["--fail-over", "Disco=1"], "did you mean 'DiSCO'?"),
        (["--holdout", "none.csv"], "--holdout: there is no file 'none.csv'"),
        (["--format", "doc"], "invalid choice: 'doc'"),
    ],
)
def test_what_cannot_be_reported(capsys, words, says):
    Path("there.html").write_text("mine")
    assert main(["report", *ASK, *words]) == 2
    told = capsys.readouterr()
    assert says in told.err and told.err.count("\n") == 1 and told.out == ""
    assert not Path("report.html").exists() and Path("there.html").read_text() == "mine"


def test_limits_need_keys(capsys):
    assert main(["report", *TABLES, "--fail-over", "DiSCO=1"]) == 2
    assert "--fail-over: needs --keys" in capsys.readouterr().err


def test_a_name_that_nobody_typed_takes_the_ending_of_the_form(handed, capsys):
    assert main(["report", *ASK, "--format", "md"]) == 0
    assert handed[0].path == Path("report.md")
    assert capsys.readouterr().out == "report.md: written\n"
    assert main(["report", *ASK, "--format", "md"]) == 2
    assert "report.md exists; give another name, or --force" in capsys.readouterr().err
    assert len(handed) == 1


def test_a_name_that_says_another_form_is_refused(handed, capsys):
    assert main(["report", *ASK, "--format", "md", "-o", "r.html"]) == 2
    assert "r.html does not fit --format md; end it in .md" in capsys.readouterr().err
    assert not handed


def test_what_c_prints_is_no_result():
    """A library in C that prints, as a solver does: standard output has the results alone."""
    program = (
        "import os, sys\n"
        "from synthpop_py.cli import main, outputs\n"
        "with outputs.results_alone():\n"
        "    os.write(1, b'remark of a solver')\n"
        "    outputs.show('result ')\n"
        "print('after')\n"
    )
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert (ran.stdout, ran.stderr) == ("result after\n", "")


def test_a_closed_standard_output_is_no_traceback():
    program = f"exec {sys.executable} -m synthpop_py data list >&-"
    ran = subprocess.run(["sh", "-c", program], capture_output=True, text=True)
    assert (ran.returncode, ran.stderr) == (0, "")
