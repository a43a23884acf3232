"""Every command in a process of its own; what it shows is what the function of the same question
says.
"""

from __future__ import annotations

import ast
import csv
import io
import json
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pandas as pd
import pytest

from synthpop_py import datasets, identification_risk, key_risk, ru_map
from synthpop_py.cli import COMMANDS, main
from synthpop_py.cli.main import parsers

from .cli_files import ROOT, TABLES, people, process, write_people


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write_people()


def read(name):
    return pd.read_csv(name)


def out(capsys, *words):
    assert main(list(words)) == 0
    return capsys.readouterr().out


# ---- keys ----------------------------------------------------------------------------


def test_keys_in_a_process_of_its_own():
    done = process("keys", *TABLES, "--targets", "job", "--max-keys", "2")
    assert (done.returncode, done.stderr) == (0, "")
    assert "Risk of 6 sets of up to 2 from 3 candidate keys" in done.stdout
    assert "disclosure(" not in done.stdout  # what to type in Python is not for a terminal


def test_keys_are_those_of_key_risk(capsys):
    words = ["--candidates", "sex,age,town", "--targets", "job", "--ngroups-keys", "age=4"]
    content = json.loads(out(capsys, "keys", *TABLES, *words, "--json", "--min-cell", "0"))
    result = key_risk(
        read("synthetic.csv"),
        read("original.csv"),
        ["sex", "age", "town"],
        "job",
        ngroups_keys=[0, 4, 0],
    )
    assert content["subsets"] == result.to_dict()["subsets"]


def test_keys_as_csv_have_a_flag_for_what_is_hidden(capsys):
    words = ["keys", *TABLES, "--candidates", "sex,age,town", "--csv"]
    rows = list(csv.DictReader(io.StringIO(out(capsys, *words))))
    hidden = [row for row in rows if row["hidden"] == "True"]
    assert hidden and {row["value"] for row in hidden} == {""}
    assert {row["measure"] for row in rows} == {"UiO", "repU"}
    everything = list(csv.DictReader(io.StringIO(out(capsys, *words, "--min-cell", "0"))))
    assert {row["hidden"] for row in everything} == {"False"}


# ---- identify ------------------------------------------------------------------------


@pytest.fixture
def partial():
    """The original with another age for everybody, twice."""
    frame = read("original.csv")
    for number in (1, 2):
        frame.assign(age=people(number + 5).age).to_csv(f"partial-{number}.csv", index=False)
    sets = ["--synthetic", "partial-1.csv", "--synthetic", "partial-2.csv"]
    return [*sets, "--original", "original.csv", "--known", "sex,town", "--synthesised", "age"]


def test_identify_in_a_process_of_its_own(partial):
    done = process("identify", *partial, "--interval", "age=2")
    assert (done.returncode, done.stderr) == (0, "")
    assert "Identification risk of 300 records in 2 synthetic sets" in done.stdout


def test_identify_is_identification_risk(partial, capsys):
    words = ["--interval", "age=10%", "--threshold", "0.1", "--json", "--min-cell", "0"]
    content = json.loads(out(capsys, "identify", *partial, *words))
    from synthpop_py.matching import Relative

    wanted = identification_risk(
        [read("partial-1.csv"), read("partial-2.csv")],
        read("original.csv"),
        known=["sex", "town"],
        synthesised=["age"],
        intervals={"age": Relative(0.1)},
        threshold=0.1,
    )
    for name in ("perceived", "expected", "true", "false"):
        assert content[name] == pytest.approx(getattr(wanted, name))
    rows = list(csv.DictReader(io.StringIO(out(capsys, "identify", *partial, "--csv"))))
    assert [row["measure"] for row in rows][:3] == ["perceived", "expected", "true"]
    for row in rows:
        assert (row["hidden"] == "True") == (row["value"] == "")


def test_an_interval_that_cannot_be_read(partial, capsys):
    assert main(["identify", *partial, "--interval", "age=near"]) == 2
    assert "'near' is neither a number nor a percentage" in capsys.readouterr().err
    assert main(["identify", *partial, "--known", "sex,age"]) == 2


# ---- map -----------------------------------------------------------------------------

MAP = ["--original", "original.csv", "--keys", "sex,age", "--target", "job"]


@pytest.mark.needs("matplotlib")
def test_map_in_a_process_of_its_own():
    releases = ["--synthetic", "one=synthetic.csv", "--synthetic", "synthetic-2.csv"]
    done = process("map", *releases, *MAP, "--picture", "map.svg")
    assert (done.returncode, done.stderr) == (0, "")
    assert "Risk-utility map of 2 releases; 300 original records" in done.stdout
    assert "synthetic-2" in done.stdout and "`Runs`" not in done.stdout
    assert Path("map.svg").read_text().startswith("<?xml")


def test_map_is_ru_map(capsys):
    """Two sources of one name are two syntheses of one release."""
    releases = ["--synthetic", "a=synthetic.csv", "--synthetic", "a=synthetic-2.csv"]
    releases += ["--synthetic", "same=original.csv"]
    content = json.loads(out(capsys, "map", *releases, *MAP, "--json", "--min-cell", "0"))
    given = {"a": [read("synthetic.csv"), read("synthetic-2.csv")], "same": read("original.csv")}
    wanted = ru_map(given, read("original.csv"), keys=["sex", "age"], target="job")
    assert content["figures"] == wanted.to_dict()["figures"]
    rows = list(csv.DictReader(io.StringIO(out(capsys, "map", *releases, *MAP, "--csv"))))
    assert {row["candidate"] for row in rows} == {"a", "same"}


@pytest.mark.parametrize(
    "words, says",
    [
        (["--picture", "map.doc"], "--picture: map.doc cannot be drawn; choices: .png"),
        (["--picture", "original.csv"], "--picture: original.csv cannot be drawn"),
        (["--counts", "n"], "--counts: a map needs one record per row"),
        (["--utility", "tdv"], "--utility: 'tdv' is unknown; choices: 'tvd', 'tvd1'"),
    ],
)
def test_a_map_that_cannot_be_drawn(capsys, words, says):
    assert main(["map", "--synthetic", "synthetic.csv", *MAP, *words]) == 2
    told = capsys.readouterr()
    assert says in told.err and told.err.count("\n") == 1


# ---- data ----------------------------------------------------------------------------


def test_data_in_a_process_of_its_own():
    listed = process("data")
    assert listed.returncode == 0
    assert [line.split()[0] for line in listed.stdout.splitlines()] == datasets.names()


def test_data_are_shown_and_written(capsys):
    shown = out(capsys, "data", "show", "SD2011")
    assert "rows: 5000" in shown and "licence: " in shown and "names: sex, age" in shown
    assert json.loads(out(capsys, "data", "show", "syc", "--json"))["rows"] == 2621
    listed = json.loads(out(capsys, "data", "list", "--json"))
    assert {entry["name"] for entry in listed} == set(datasets.names())
    written = out(capsys, "data", "write", "SD2011_s5", "-o", "s.csv")
    assert written.count("5000 records, 9 columns") == 5
    pd.testing.assert_frame_equal(
        read("s-2.csv")[["age"]],
        datasets.load_synthesis("SD2011_s5").syn[1][["age"]],
        check_dtype=False,
    )


@pytest.mark.parametrize(
    "words, says",
    [
        (["show"], "data show: name a data set"),
        (["show", "SD2012"], "did you mean 'SD2011'?"),
        (["write", "SD2011"], "data write: name the file to write, as in -o people.csv"),
        (["write", "SD2011", "-o", "original.csv"], "original.csv exists"),
        (["burn"], "invalid choice: 'burn'"),
    ],
)
def test_data_that_cannot_be_shown(capsys, words, says):
    assert main(["data", *words]) == 2
    told = capsys.readouterr()
    assert says in told.err and told.err.count("\n") == 1


# ---- doctor, completion --------------------------------------------------------------


def test_doctor_in_a_process_of_its_own():
    done = process("doctor")
    assert (done.returncode, done.stderr) == (0, "")
    for name in ("numpy", "duckdb", "jinja2", "R ", "Chromium"):
        assert f"\n{name}" in done.stdout
    assert f"pandas  {pd.__version__}: needed by everything" in done.stdout


def test_doctor_says_what_is_not_there(capsys, monkeypatch):
    from synthpop_py.cli import doctor

    monkeypatch.setattr(doctor.shutil, "which", lambda name: None)
    monkeypatch.setitem(doctor.OPTIONAL, "no-such-package", "nothing")
    content = json.loads(out(capsys, "doctor", "--json"))
    assert content["programs"] == {"R": None, "Chromium": None, "Java": None}
    assert content["optional"]["no-such-package"] is None
    monkeypatch.setitem(sys.modules, "scipy", None)
    assert main(["doctor"]) == 2
    told = capsys.readouterr()
    assert "scipy   not found: needed by everything" in told.out
    assert told.err == "synthpop-disclosure: scipy cannot be imported; install the package again\n"


COMPLETE = """
source script.sh
COMP_WORDS=({words}); COMP_CWORD={at}; _synthpop_disclosure
echo "${{COMPREPLY[@]}}"
"""


@pytest.mark.parametrize(
    "words, at, wanted",
    [
        (["synthpop-disclosure", "ri"], 1, "risk"),
        (["synthpop-disclosure", "risk", "--fail"], 2, "--fail-over"),
        (["synthpop-disclosure", "map", "--pict"], 2, "--picture"),
        (["synthpop-disclosure", "risk", "--original", "orig"], 3, "original.csv"),
    ],
)
def test_a_shell_completes(capsys, words, at, wanted):
    Path("script.sh").write_text(out(capsys, "completion", "bash"))
    program = COMPLETE.format(words=" ".join(words), at=at)
    done = subprocess.run(["bash", "-c", program], capture_output=True, text=True, check=False)
    assert done.stdout.strip() == wanted, done.stderr


def test_zsh_understands_the_script_of_bash(capsys):
    script = out(capsys, "completion", "zsh")
    assert "bashcompinit" in script and script.endswith(out(capsys, "completion", "bash"))


# ---- help ----------------------------------------------------------------------------

CHECK = """
import sys
from collections import Counter
from synthpop_py.cli import COMMANDS, main
for words in [["--help"], ["--version"], *([command.name, "--help"] for command in COMMANDS)]:
    assert main(words) == 0
heavy = {"numpy", "pandas", "scipy", "pyarrow", "duckdb", "matplotlib"} & set(sys.modules)
sys.exit(f"loaded: {heavy}" if heavy else 0)
"""


def test_help_of_every_command_loads_neither_numpy_nor_pandas():
    done = subprocess.run(
        [sys.executable, "-c", CHECK], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    for command in COMMANDS:
        assert f"synthpop-disclosure {command.example}" in done.stdout


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command.name)
def test_the_example_of_every_command_can_be_read(command):
    import shlex

    words = shlex.split(command.example.partition(" > ")[0])
    assert words[0] == command.name
    whole, _ = parsers()
    assert whole.parse_args(words).run is command.run


def test_an_option_of_several_commands_is_declared_once():
    """Two declarations drift apart: help of one that the other no longer keeps."""
    declared: Counter[str] = Counter()
    for file in (ROOT / "synthpop_py" / "cli").glob("*.py"):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and getattr(node.func, "attr", "") == "add_argument":
                words = [word.value for word in node.args if isinstance(word, ast.Constant)]
                declared.update(words)
    shared = ("-o", "--output", "--force", "--min-cell", "--cont-na", "--counts")
    assert {option: declared[option] for option in shared} == dict.fromkeys(shared, 1)
