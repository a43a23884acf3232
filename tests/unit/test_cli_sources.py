"""What the command line reads: every kind of file, several syntheses, codes that look like
numbers.
"""

from __future__ import annotations

import json
from pathlib import Path

import pandas as pd
import pytest

from synthpop_py import syn, write_synds
from synthpop_py.cli import main

from .cli_files import people, write_people

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write_people()


def figures(capsys, original, *synthetic):
    words = ["--original", original, "--keys", "sex,age", "--targets", "job", "--json"]
    assert main(["risk", "--synthetic", *synthetic, *words, "--round-to", "1"]) == 0
    rows = json.loads(capsys.readouterr().out)["figures"]
    return {(row["synthesis"], row["measure"]): row["people"] for row in rows}


def write_duckdb():
    import duckdb

    with duckdb.connect("census.db") as connection:
        connection.execute("CREATE TABLE people AS FROM read_csv('original.csv')")
        connection.execute("CREATE TABLE other AS FROM read_csv('synthetic.csv')")


def write_parquet():
    frame = pd.read_csv("original.csv")
    Path("parts").mkdir()
    frame[:100].to_parquet("parts/1.parquet", index=False)
    frame[100:].to_parquet("parts/2.parquet", index=False)


NEEDED = ["duckdb", "narwhals", "pyarrow"]
SOURCES = {
    "folder of Parquet": (write_parquet, "parts", ["pyarrow"]),
    "pattern": (write_parquet, "parts/*.parquet", ["pyarrow"]),
    "DuckDB": (write_duckdb, "duckdb:census.db::people", NEEDED),
}


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=[pytest.mark.needs(*needs)] if needs else [])
        for name, (_, _, needs) in SOURCES.items()
    ],
)
def test_every_kind_of_source_gives_the_same_figures(capsys, name):
    write, source, _ = SOURCES[name]
    wanted = figures(capsys, "original.csv", "synthetic.csv")
    write()
    assert figures(capsys, source, "synthetic.csv") == wanted


@pytest.mark.needs("rdata")
def test_a_synthesis_of_r_has_all_its_sets(capsys):
    made = syn(people(1), m=2, seed=1, print_flag=False)
    write_synds(made, "made.rds")
    for number, frame in enumerate(made.syn):
        frame.astype({"age": int}).to_csv(f"made-{number}.csv", index=False)
    wanted = figures(capsys, "original.csv", "made-0.csv", "made-1.csv")
    assert figures(capsys, "original.csv", "made.rds") == wanted
    assert {synthesis for synthesis, _ in wanted} == {1, 2}


@pytest.mark.needs("rdata")
def test_a_table_of_a_workspace_of_r_by_its_name(capsys):
    file = ROOT / "fixtures" / "r_files"
    names = sorted(path.name for path in file.glob("*.rda"))
    assert names, "a workspace to read"
    words = ["--synthetic", "synthetic.csv", "--keys", "sex"]
    assert main(["risk", "--original", f"{file / names[0]}::nobody", *words]) == 2
    assert "'nobody' is not one of the tables of" in capsys.readouterr().err


def test_data_sets_of_the_package(capsys):
    words = ["--synthetic", "data:SD2011_s1", "--original", "data:SD2011", "--targets", "workab"]
    assert main(["risk", *words, "--keys", "sex,age,region,placesize"]) == 0
    told = capsys.readouterr().out
    assert "Disclosure risk of 5,000 people in 1 synthesis" in told
    common = "Common knowledge: workab. NO: over 90 % of those revealed, over 80 % of all people"
    assert common in told


def test_text_columns_can_be_named(capsys):
    """Only 007 and 7 tell the ill from the well."""
    asked = ["--synthetic", "synthetic.csv", "--original", "original.csv", "--keys", "code"]
    asked += ["--targets", "ill", "--json", "--round-to", "1"]
    for name in ("original", "synthetic"):
        Path(f"{name}.csv").write_text("code,ill\n" + "007,a\n" * 20 + "7,b\n" * 20)
    for words, told in (
        ([], "note: --synthetic: column 'code' of 'synth"),
        (["--text", "code"], ""),
    ):
        assert main(["risk", *asked, *words]) == 0
        out, err = capsys.readouterr()
        (found,) = [row for row in json.loads(out)["figures"] if row["measure"] == "DiSCO"]
        assert found["people"] == 40 and err.startswith(told) and bool(err) is bool(told)
