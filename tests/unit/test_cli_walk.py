"""The walk of a data steward without Python: two messy CSV files, a decision with two commands."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from synthpop_py.cli import main

PEOPLE = 20_000
FILES = ["--synthetic", "release.csv", "--original", "register.csv"]
ASK = [*FILES, "--keys", "sex,born,postcode", "--targets", "illness,income", "--drop", "id"]
ASK += ["--missing", "income=-9", "--text", "postcode"]


def register() -> pd.DataFrame:
    rng = np.random.default_rng(32)
    born = pd.Timestamp("1940-01-01") + pd.to_timedelta(rng.integers(0, 25_000, PEOPLE), "D")
    income = np.exp(rng.normal(7.6, 0.5, PEOPLE)).round(2)
    return pd.DataFrame(
        {
            "id": [f"P{number:05}" for number in range(PEOPLE)],
            "sex": rng.choice(["f", "m"], PEOPLE),
            "born": born,
            "postcode": rng.choice(["01067", "01069", "04103", "10115", "80331"], PEOPLE),
            "illness": rng.choice(["keine", "Grippe", "Ménière"], PEOPLE, p=[0.7, 0.2, 0.1]),
            "income": np.where(rng.random(PEOPLE) < 0.05, -9, income),
        }
    )


def write(frame: pd.DataFrame, name: str, dates: str) -> None:
    """As an office program exports it in Germany."""
    frame = frame.assign(born=frame["born"].dt.strftime(dates))
    frame.to_csv(name, index=False, sep=";", decimal=",", encoding="latin-1")


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def harmless() -> None:
    """Every column drawn on its own."""
    frame = register()
    rng = np.random.default_rng(33)
    drawn = {name: rng.permutation(frame[name].to_numpy()) for name in frame.columns[1:]}
    write(frame, "register.csv", "%Y-%m-%d")
    write(frame.assign(**drawn), "release.csv", "%d.%m.%Y")


def test_what_was_guessed_is_told_in_one_line_for_each_file(capsys):
    harmless()
    assert main(["risk", *ASK, "--json"]) == 0
    told = capsys.readouterr()
    content = json.loads(told.out)
    (line,) = [line for line in told.err.splitlines() if line.startswith("note: release.csv: ")]
    for guess in ("decimal comma", "Latin-1", "dd.mm.yyyy"):
        assert guess in line
    assert "';'" in line or "semicolons" in line
    assert "note: register.csv: " in told.err
    # read as numbers, and with the codes of Ménière's disease in one way in both files
    assert content["checks"] == [] and content["targets"] == ["illness", "income"]
    by_income = [row for row in content["figures"] if row["target"] == "income"]
    assert {row["matched"] for row in by_income} == {"classes", "values"}


@pytest.mark.needs("jinja2", "matplotlib")
def test_two_commands_lead_to_a_decision(capsys):
    harmless()
    limits = ["--limit", "DiSCO=25", "--limit", "repU=20"]
    assert main(["risk", *FILES, "--keys", "sex,born,postcode", *limits]) == 0
    told = capsys.readouterr()
    assert "An intruder may know: sex, born, postcode" in told.out
    assert "Look at id: differs for nearly everybody" in told.out and "(--drop id)" in told.out
    assert "have -9, far from the rest: missing codes? (--missing income=-9)" in told.out
    assert told.err.count("; within the limit of") == 2
    assert main(["report", *ASK, *limits, "-o", "report.html"]) == 0
    page = Path("report.html").read_text(encoding="utf-8").replace("\N{NO-BREAK SPACE}", " ")
    assert "Within the limits: DiSCO " in page and "Yes: keys and targets have the same" in page
    assert str(Path.cwd()) not in page


@pytest.mark.needs("jinja2")
def test_a_release_that_reveals_too_much_comes_with_what_to_do(capsys):
    """The register itself, of which every tenth record is left out."""
    frame = register()
    write(frame, "register.csv", "%Y-%m-%d")
    write(frame[frame.index % 10 > 0], "release.csv", "%d.%m.%Y")
    assert main(["report", *ASK, "--limit", "DiSCO=5", "-o", "report.json"]) == 1
    content = json.loads(Path("report.json").read_text(encoding="utf-8"))
    assert content["decision"] == "not met" and content["checks"] == []
    (without_day,) = [one for one in content["remedies"] if one["command"] == "--drop born"]
    assert without_day["after"]["repU"]["people"] < without_day["before"]["repU"]["people"] / 10
    for one in content["remedies"]:
        assert one["after"]["DiSCO"]["people"] < one["before"]["DiSCO"]["people"]
    without_born = [*ASK[:5], "sex,postcode", *ASK[6:], "--drop", "id,born"]
    assert main(["risk", *without_born, "--limit", "DiSCO=5"]) == 0


@pytest.mark.needs("jinja2")
def test_what_a_page_says_to_type_can_be_typed(capsys):
    """A name of a column runs nothing in a shell, and comes back as one name."""
    names = {"postcode": "town; rm -rf ~", "income": "income, $(id)"}
    frame = register().head(2000).drop(columns=["id", "born"]).rename(columns=names)
    for name in ("register.csv", "release.csv"):
        frame.to_csv(name, index=False)
    words = [*FILES, "--keys", 'sex,town; rm -rf ~,"income, $(id)"', "--targets", "illness"]
    assert main(["report", *words, "-o", "report.json"]) == 0
    content = json.loads(Path("report.json").read_text(encoding="utf-8"))
    said = [one["command"] for one in (*content["remedies"], *content["checks"]) if one["command"]]
    for command in said:
        option, value = shlex.split(command)
        assert option in ("--drop", "--ngroups-keys", "--missing") and "\n" not in value
        name = value.strip('"').partition("=")[0]
        assert name in frame.columns
    assert len(said) >= 3 and main(["risk", *words, *shlex.split(said[-1])]) == 0


def test_a_copy_with_other_dates_does_not_pass_as_harmless(capsys):
    """B1: every value of the original, with dates written in another way."""
    frame = register()
    write(frame, "register.csv", "%Y-%m-%d")
    write(frame, "release.csv", "%d.%m.%Y")
    assert main(["risk", *ASK, "--limit", "DiSCO=1"]) == 1
    assert "above the limit of 1 %" in capsys.readouterr().err
    assert main(["risk", *ASK, "--limit", "DiSCO=1", "--dates", "text"]) == 2
    told = capsys.readouterr().err
    assert "'born': no value in common" in told and "99.99.9999" in told
    assert main(["report", *ASK, "--limit", "DiSCO=1", "--dates", "text"]) == 2
    assert not Path("report.html").exists()


def test_a_wrong_guess_can_be_overruled(capsys):
    """Fields between bars, of which one file has only a few."""
    Path("register.csv").write_text("sex|when\n" + "f|1;5\nm|2;5\n" * 30)
    Path("release.csv").write_text("sex|when\n" + "f|1;5\nm|2;5\n" * 30)
    words = [*FILES, "--keys", "sex", "--targets", "when", "--json", "--round-to", "1"]
    assert main(["risk", *words, "--sep", "|"]) == 0
    figures = json.loads(capsys.readouterr().out)["figures"]
    assert [row["people"] for row in figures if row["measure"] == "DiSCO"] == [60]
    assert main(["risk", *words, "--sep", ";"]) == 2


def test_postcodes_keep_their_zeros(capsys):
    """As numbers 01067 and 1067 are one; here they are two places."""
    for name in ("register.csv", "release.csv"):
        Path(name).write_text("postcode;ill\n" + "01067;a\n" * 20 + "1067;b\n" * 20)
    words = [*FILES, "--keys", "postcode", "--targets", "ill", "--json", "--round-to", "1"]
    assert main(["risk", *words, "--text", "postcode"]) == 0
    figures = json.loads(capsys.readouterr().out)["figures"]
    assert [row["people"] for row in figures if row["measure"] == "DiSCO"] == [40]


@pytest.mark.needs("jinja2")
def test_a_key_is_dropped_as_the_report_says(capsys):
    """Typed behind the same call, --drop takes a column out of the keys; a second one adds."""
    write(register(), "register.csv", "%Y-%m-%d")
    write(register(), "release.csv", "%Y-%m-%d")
    assert main(["risk", *ASK, "--drop", "born"]) == 0
    told = capsys.readouterr()
    assert "An intruder may know: sex, postcode" in told.out and "Look at id" not in told.out
    assert "--drop: left out of --keys: born" in told.err
    assert main(["report", *ASK, "--drop", "born", "-o", "report.md"]) == 0
    page = Path("report.md").read_text(encoding="utf-8")
    assert "This report holds for a release without them." in page and "id and born" in page
    capsys.readouterr()
    assert main(["risk", *ASK, "--drop", "sex,born,postcode"]) == 2
    assert "--drop: names every column of --keys" in capsys.readouterr().err


@pytest.mark.needs("jinja2")
def test_a_copy_whose_dates_are_mostly_written_otherwise_is_not_judged(capsys):
    """Two ways in one file are text, and the few dates that match would look safe."""
    frame = register().head(2000)
    write(frame, "register.csv", "%Y-%m-%d")
    days = frame["born"].dt
    mixed = days.strftime("%d.%m.%Y").where(frame.index % 20 > 0, days.strftime("%Y-%m-%d"))
    frame.assign(born=mixed).to_csv(
        "release.csv", index=False, sep=";", decimal=",", encoding="latin-1"
    )
    assert main(["report", *ASK, "--limit", "DiSCO=20", "-o", "report.md"]) == 2
    told = capsys.readouterr().err
    assert "the limit of 20 % cannot be judged" in told and "pandas" not in told
    page = Path("report.md").read_text(encoding="utf-8")
    assert "The limits cannot be judged" in page and "| met |" not in page


@pytest.mark.parametrize(
    "words, says",
    [
        (["--limit", "DiSCO=5", "--limit", "DiSCO=90"], "--limit: 'DiSCO' is given twice"),
        (["--json", "--csv"], "--json: --csv is given, too"),
    ],
)
def test_options_that_contradict_each_other(words, says, capsys):
    assert main(["risk", *ASK, *words]) == 2
    assert says in capsys.readouterr().err


def test_a_label_of_no_column_is_refused(capsys):
    write(register().head(100), "register.csv", "%Y-%m-%d")
    write(register().head(100), "release.csv", "%Y-%m-%d")
    assert main(["report", *ASK, "--label", "bron=day of birth"]) == 2
    assert "--label: 'bron' is not a column of --original" in capsys.readouterr().err
