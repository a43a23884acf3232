"""Options from a TOML file: the same checks as what is typed, which wins."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from synthpop_py.cli import main

from .cli_files import process, write_people

WHOLE = """
synthetic = ["synthetic.csv", "synthetic-2.csv"]
original = "original.csv"
keys = ["sex", "age"]

[command.risk]
targets = "job"
min_cell = 0
json = true

[command.keys]
max-keys = 2
"""


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write_people()
    Path("options.toml").write_text(WHOLE)


def content(capsys, *words):
    assert main(["risk", "--config", "options.toml", *words]) == 0
    return json.loads(capsys.readouterr().out)


def test_options_come_from_the_file(capsys):
    found = content(capsys)
    assert found["keys"] == ["sex", "age"] and found["targets"] == ["job"]
    assert found["records"]["synthetic"] == [300, 300] and found["min_cell"] == 0


def test_what_is_typed_wins(capsys):
    found = content(capsys, "--synthetic", "synthetic.csv", "--targets=town", "--min-cell", "10")
    assert found["records"]["synthetic"] == [300]
    assert found["targets"] == ["town"] and found["min_cell"] == 10


def test_one_file_serves_several_commands(capsys):
    assert main(["keys", "--config=options.toml", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["arguments"]["max_keys"] == 2


def test_limits_as_a_table(capsys):
    Path("options.toml").write_text(WHOLE + '\n[command.risk.fail-over]\nDiSCO = 0\n"repU" = 100\n')
    assert main(["risk", "--config", "options.toml"]) == 1
    told = capsys.readouterr()
    assert [one["kept"] for one in json.loads(told.out)["limits"]] == [False, True]


def test_in_a_process_of_its_own():
    done = process("risk", "--config", "options.toml", "--fail-over", "DiSCO=100")
    assert done.returncode == 0 and json.loads(done.stdout)["targets"] == ["job"]


BAD = {
    "unknown": ("kyes = 1", "options.toml: 'kyes' is not an option; did you mean 'keys'?"),
    "unknown in a table": (
        "[command.risk]\nmincell = 3",
        "[command.risk] 'mincell' is not an option; did you",
    ),
    "of another command": (
        "[command.risk]\nmax_keys = 3",
        "[command.risk] 'max_keys' is not an option",
    ),
    "no flag": ("[command.risk]\njson = 3", "json is true or false, not 3"),
    "no number": ('[command.risk]\nmin-cell = "few"', "--min-cell: invalid int value: 'few'"),
    "a date": ("[command.risk]\nkeys = 2020-01-01", "is neither text nor number"),
    "unknown command": ("[command.risks]\nkeys = 1", "[command] 'risks' is not an option; did you"),
    "no TOML": ("keys = ", "options.toml is not TOML"),
}


@pytest.mark.parametrize("text, says", BAD.values(), ids=BAD)
def test_what_cannot_be_used_is_one_sentence(capsys, text, says):
    Path("options.toml").write_text(text)
    words = ["--synthetic", "synthetic.csv", "--original", "original.csv"]
    if "keys" not in text:
        words += ["--keys", "sex"]
    assert main(["risk", "--config", "options.toml", *words]) == 2
    told = capsys.readouterr()
    assert says in told.err and told.err.count("\n") == 1 and told.out == ""


def test_a_file_that_is_not_there(capsys):
    assert main(["risk", "--config", "option.toml"]) == 2
    assert "option.toml cannot be read: No such file" in capsys.readouterr().err


def test_false_leaves_a_flag_out(capsys):
    Path("options.toml").write_text(WHOLE.replace("json = true", "json = false"))
    assert main(["risk", "--config", "options.toml"]) == 0
    assert capsys.readouterr().out.startswith("Disclosure risk of 300 people")


def test_names_with_commas(capsys):
    Path("options.toml").write_text(WHOLE.replace('"age"]', '"age, in years"]'))
    assert main(["risk", "--config", "options.toml"]) == 2
    assert "'age, in years' is not a column" in capsys.readouterr().err
