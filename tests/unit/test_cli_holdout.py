"""``--holdout``, and ``report`` as it is written."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pandas as pd
import pytest

from synthpop_py import multi_disclosure
from synthpop_py.cli import main

from .cli_files import ASK, TABLES, people, process, write_people

HOLDOUT = [*ASK, "--holdout", "holdout.csv"]
BESIDE = ("non_members", "difference", "lower", "upper", "p_value")


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write_people()
    people(1)[:250].sample(300, replace=True, random_state=1).to_csv("synthetic.csv", index=False)
    people(9, records=200).to_csv("holdout.csv", index=False)


def baseline():
    read = pd.read_csv
    return multi_disclosure(
        read("synthetic.csv"),
        read("original.csv"),
        ["sex", "age"],
        ["job"],
        holdout=read("holdout.csv"),
        compat="corrected",
        print_flag=False,
    ).baseline


def test_members_stand_beside_non_members_in_every_form(capsys):
    wanted = baseline().set_index("measure").loc["DiSCO"]
    assert main(["risk", *HOLDOUT]) == 0
    told = capsys.readouterr().out
    assert "Members of the original beside 200 non-members" in told
    assert ".baseline" not in told and f"{wanted['non_members']:.2f}" in told
    assert main(["risk", *HOLDOUT, "--json", "--min-cell", "0"]) == 0
    rows = json.loads(capsys.readouterr().out)["baseline"]
    (row,) = (row for row in rows if row["measure"] == "DiSCO")
    assert row["target"] == "job" and row["hidden"] is False
    for name in BESIDE:
        assert row[name] == pytest.approx(wanted[name])
    assert main(["risk", *HOLDOUT, "--csv", "--min-cell", "0"]) == 0
    by_measure = {
        row["measure"]: row for row in csv.DictReader(io.StringIO(capsys.readouterr().out))
    }
    for name in BESIDE:
        assert float(by_measure["DiSCO"][name]) == pytest.approx(wanted[name])
        assert by_measure["repU"][name] == ""  # which has no baseline


def test_small_counts_of_non_members_are_hidden(capsys):
    """Three of 200 people of the holdout have a job that nobody else has."""
    few = pd.read_csv("holdout.csv")[:3]
    few.to_csv("holdout.csv", index=False)
    assert main(["risk", *HOLDOUT, "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)["baseline"]
    assert all(row["hidden"] and row["non_members"] is None for row in rows)


def test_a_holdout_that_lacks_a_column_is_one_sentence(capsys):
    pd.read_csv("holdout.csv").drop(columns="age").to_csv("holdout.csv", index=False)
    assert main(["risk", *HOLDOUT]) == 2
    told = capsys.readouterr().err
    assert "--keys: 'age' is not a column of --holdout" in told and told.count("\n") == 1


@pytest.mark.parametrize("command", ["risk", "report"])
def test_a_holdout_without_any_target_is_named(capsys, command):
    pd.read_csv("holdout.csv")[["sex", "age"]].to_csv("holdout.csv", index=False)
    words = ["--keys", "sex,age", "--holdout", "holdout.csv"]
    assert main([command, *TABLES, *words]) == 2
    told = capsys.readouterr().err
    assert "--holdout: has none of the columns of --original that could be targets" in told
    assert "(town, job)" in told and told.count("\n") == 1


def test_keys_that_leave_no_target(capsys):
    assert main(["risk", *TABLES, "--keys", "sex,age,town,job"]) == 2
    assert "--targets: no column is left; every column of --original is among --keys" in (
        capsys.readouterr().err
    )
    pd.read_csv("synthetic.csv").drop(columns="town").to_csv("synthetic.csv", index=False)
    pd.read_csv("holdout.csv").drop(columns="job").to_csv("holdout.csv", index=False)
    assert main(["risk", *TABLES, "--keys", "sex,age", "--holdout", "holdout.csv"]) == 2
    assert "no column besides --keys is in every table" in capsys.readouterr().err


@pytest.mark.needs("matplotlib", "jinja2")
def test_a_report_in_a_process_of_its_own():
    done = process("report", *HOLDOUT, "-o", "report.html", "--fail-over", "DiSCO=0")
    assert (done.returncode, done.stdout) == (1, "report.html: written\n")
    text = Path("report.html").read_text()
    assert text.startswith("<!DOCTYPE html>") and str(Path.cwd()) not in text
    again = process("report", *HOLDOUT, "-o", "report.html")
    assert again.returncode == 2 and "report.html exists" in again.stderr
    assert Path("report.html").read_text() == text


@pytest.mark.needs("jinja2")
def test_other_forms_of_a_report(capsys):
    assert main(["report", *ASK, "-o", "report.md"]) == 0
    assert Path("report.md").read_text().startswith("# ")
    assert main(["report", *ASK[:4], "--targets", "job", "-o", "report.json"]) == 0
    assert json.loads(Path("report.json").read_text())
