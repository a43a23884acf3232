"""Bad input: one sentence on standard error, exit code 2, nothing half-written."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pandas as pd
import pytest

from synthpop_py.cli import commands, main

from .cli_files import ASK, ROOT, TABLES, people, write_people

BAD = {
    "missing": (
        ["--synthetic", "synthetc.csv"],
        "--synthetic: there is no file 'synthetc.csv'; did you mean 'synthetic.csv'?",
    ),
    "no folder": (["--original", "no/o.csv"], "--original: there is no file 'o.csv'"),
    "empty": (
        ["--synthetic", "empty.csv"],
        "'empty.csv' is empty; it does not even have column names",
    ),
    "only names": (["--synthetic", "names.csv"], "--synthetic, element 2: has no rows; nothing"),
    "other columns": (
        ["--synthetic", "other.csv"],
        "--keys: 'sex' is not a column of --synthetic, element 2",
    ),
    "key not there": (
        ["--keys", "sex,agee"],
        "--keys: 'agee' is not a column of --original; did you mean 'age'?",
    ),
    "key only there": (
        ["--synthetic", "less.csv"],
        "--keys: 'age' is not a column of --synthetic, element 2; choices: sex, town, job",
    ),
    "target not there": (["--targets", "jobb"], "'jobb'"),
    "bundled": (["--original", "data:SD2012"], "'SD2012' is not one of the data sets"),
    "address": (["--original", "https://me:secret@x.org/o.csv"], "an address (https://...)"),
    "folder": (["-o", "folder"], "--output: folder is a folder; give the name of a file"),
    "exists": (["-o", "there.csv"], "--output: there.csv exists; give another name, or --force"),
    "an input": (["-o", "original.csv", "--force"], "original.csv is one of the files to read"),
    "no place": (["-o", "no/x.csv"], "--output: the folder of no/x.csv does not exist"),
    "rounding": (["--round-to", "5"], "--round-to: 5 would leave counts fewer than five"),
    "label": (["--limit", "Disco=5"], "'DiSCO'; did you mean 'DiSCO'?"),
    "no limit": (["--limit", "DiSCO"], "'DiSCO' is not written as NAME=VALUE"),
    "word as limit": (["--limit", "DiSCO=much"], "invalid limit value: 'DiSCO=much'"),
    "high limit": (
        ["--limit", "DiSCO=500"],
        "500.0 is not a number of at least 0 and of at most 100",
    ),
    "NaN limit": (["--limit", "DiSCO=nan"], "--limit['DiSCO']: nan is not a number"),
    "certainty": (["--certainty", "0.4"], "--certainty: 0.4"),
    "text": (["--text", "agee"], "--text: 'agee' is not a column of the CSV files; did you"),
    "lacking": (["--leave-out-missing", "ag"], "--leave-out-missing: 'ag' is not one of the keys"),
    "no effect": (["--ngroups-targets", "job=4"], "--ngroups-targets: not numeric: job"),
    "no special": (["--cont-na", "age=-9"], "--cont-na: -9 does not occur"),
    "level": (["--not-targetslev", "job=q"], "--not-targetslev: 'q' is not a level of 'job'\n"),
    "counts": (["--counts", "n"], "--counts: 'n' is not a column of --"),
    "no keys": (["--keys="], "--keys: none given; name at least one column"),
    "groups": (
        ["--ngroups-keys", "town=4"],
        "--ngroups-keys: 'town' is not one of the keys; choices: sex, age",
    ),
}


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write_people()
    frame = people(2)
    Path("folder").mkdir()
    Path("there.csv").write_text("mine")
    Path("empty.csv").write_text("")
    Path("names.csv").write_text("sex,age,town,job\n")
    frame.add_prefix("v_").to_csv("other.csv", index=False)
    frame.drop(columns="age").to_csv("less.csv", index=False)


@pytest.mark.parametrize("words, says", BAD.values(), ids=BAD)
def test_one_sentence_exit_code_2_and_nothing_written(capsys, words, says):
    before = sorted(path.name for path in Path().iterdir())
    assert main(["risk", *ASK, *words]) == 2
    told = capsys.readouterr()
    assert says in told.err and told.err.startswith("synthpop-disclosure")
    assert told.err.count("\n") == 1 and told.out == ""
    assert "secret" not in told.err
    assert sorted(path.name for path in Path().iterdir()) == before
    assert Path("there.csv").read_text() == "mine"


def test_a_folder_that_may_not_be_written_to(capsys, monkeypatch):
    """It is found out before the tables are read."""

    def refuses(**given):
        raise PermissionError(13, "Permission denied", str(given["dir"]))

    monkeypatch.setattr(tempfile, "TemporaryFile", refuses)
    monkeypatch.setattr(commands, "read_both", None)
    assert main(["risk", *ASK, "-o", "x.csv"]) == 2
    says = "--output: x.csv cannot be written: its folder refuses new files (Permission denied)"
    assert says in capsys.readouterr().err
    assert not Path("x.csv").exists()


@pytest.mark.parametrize(
    "words, says",
    [
        ([], "the following arguments are required: --keys, --synthetic, --original"),
        ([*ASK, "--limt", "DiSCO=5"], "unrecognized arguments: --limt DiSCO=5"),
        (["original.csv"], "required"),
    ],
)
def test_a_call_that_cannot_be_read_is_one_line(capsys, words, says):
    assert main(["risk", *words]) == 2
    told = capsys.readouterr()
    assert says in told.err and told.err.count("\n") == 1


# ---- what is told, and not refused ---------------------------------------------------


def test_a_key_that_is_unique_for_everyone_is_told_of(capsys):
    for number, name in enumerate(("original.csv", "synthetic.csv")):
        frame = pd.read_csv(name)
        frame.assign(id=frame.index + 150 * number).to_csv(name, index=False)
    assert main(["risk", *ASK[:4], "--keys", "id,sex", "--targets", "job"]) == 0
    told = capsys.readouterr()
    assert "Look at id: differs for nearly everybody: an identifier" in told.out
    assert "(--drop id)" in told.out and "Look at sex" not in told.out
    assert main(["risk", *TABLES, "--keys", "sex,age", "--targets", "id"]) == 0  # in classes
    assert capsys.readouterr().err == ""


def test_columns_that_only_one_table_has_are_told_of_where_all_are_asked_for(capsys):
    frame = pd.read_csv("synthetic.csv")
    frame.drop(columns="town").assign(more=1).to_csv("synthetic.csv", index=False)
    assert main(["risk", *TABLES, "--keys", "sex,age"]) == 0
    told = capsys.readouterr()
    said = "note: not looked at, because only some files have it: more, town"
    assert said in told.err
    assert main(["risk", *ASK]) == 0
    assert capsys.readouterr().err == ""


def test_warnings_are_notes_each_in_one_line(capsys):
    pd.read_csv("synthetic.csv").assign(job="d").to_csv("synthetic.csv", index=False)
    assert main(["risk", *ASK]) == 0
    lines = capsys.readouterr().err.splitlines()
    assert lines and all(line.startswith("note: ") for line in lines)
    assert len(set(lines)) == len(lines)


# ---- ends that nobody planned --------------------------------------------------------


def command_line(*words):
    return [sys.executable, "-m", "synthpop_py", *words]


ENVIRONMENT = {**os.environ, "PYTHONPATH": str(ROOT)}


def test_a_reader_who_stops_ends_it_quietly():
    """``... --csv | head -1``: neither a traceback nor another verdict."""
    program = " ".join(f"'{word}'" for word in command_line("risk", *ASK, "--csv"))
    script = f"set -o pipefail; {program} | head -1; echo codes ${{PIPESTATUS[*]}}"
    done = subprocess.run(
        ["bash", "-c", script], capture_output=True, text=True, env=ENVIRONMENT, check=False
    )
    first, codes = done.stdout.splitlines()
    assert first.startswith("target,synthesis") and codes == "codes 0 0"
    assert done.stderr == ""


SLOW = """
import sys, time
from pathlib import Path
from synthpop_py.cli import main
write = Path.write_text
def slowly(path, text, **given):
    write(path, text[:5])
    print("half", flush=True)
    time.sleep(60)
Path.write_text = slowly
sys.exit(main(sys.argv[1:]))
"""


def test_ctrl_c_leaves_nothing_half_written():
    Path("there.csv").write_text("old")
    words = ["risk", *ASK, "-o", "there.csv", "--force"]
    with subprocess.Popen(
        [sys.executable, "-c", SLOW, *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=ENVIRONMENT,
    ) as running:
        assert running.stdout.readline() == "half\n"
        running.send_signal(signal.SIGINT)
        _, told = running.communicate(timeout=30)
    assert running.returncode == 130
    assert told == "synthpop-disclosure: stopped\n"
    assert Path("there.csv").read_text() == "old"
    assert not [path for path in Path().iterdir() if path.name.startswith(".synthpop")]


def test_progress_is_for_terminals_only():
    """On a terminal a line moves; it goes to standard error, results to standard output."""
    import pty

    frame = people(5)
    for number in range(3):
        frame[f"v{number}"] = frame["age"] % (number + 2)
    frame.to_csv("wide.csv", index=False)
    words = ["risk", "--synthetic", "wide.csv", "--original", "wide.csv", "--keys", "sex,age"]
    seen, terminal = pty.openpty()
    with subprocess.Popen(
        command_line(*words, "--json"), stdout=subprocess.PIPE, stderr=terminal, env=ENVIRONMENT
    ) as running:
        shown = running.stdout.read()
        os.close(terminal)
        time.sleep(0.1)
        told = os.read(seen, 1_000_000)
    os.close(seen)
    assert running.returncode == 0
    assert b"] 1 of 2: " in told and b"[###" in told
    assert shown.startswith(b"{") and b"] 1 of" not in shown
