"""What the command line reads: every kind of file, several syntheses, and CSV files whose columns
get their types together.
"""

from __future__ import annotations

import json
from pathlib import Path

import pandas as pd
import pytest

from synthpop_py import NearLevelsWarning, open_table, syn, write_synds
from synthpop_py.cli import main
from synthpop_py.tables.csv_files import can_scan, csv_together
from synthpop_py.tables.opening import table_of
from synthpop_py.tables.paths import located

from .cli_files import people, write_people

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write_people()


def figures(capsys, original, *synthetic, holdout=()):
    words = ["--original", original, "--keys", "sex,age", "--targets", "job", "--json"]
    for source in synthetic:
        words += ["--synthetic", source]
    assert main(["risk", *words, "--min-cell", "0", *holdout]) == 0
    content = json.loads(capsys.readouterr().out)
    found = {}
    for row in content["figures"]:
        value = row["value"]
        # engines sum in another order, which moves the last bit
        found[row["synthesis"], row["measure"]] = round(value, 10) if value != "NaN" else value
    return found


def write_duckdb():
    import duckdb

    with duckdb.connect("census.db") as connection:
        connection.execute("CREATE TABLE people AS FROM read_csv('original.csv')")
        connection.execute("CREATE TABLE other AS FROM read_csv('synthetic.csv')")


def write_sqlite():
    import sqlite3

    with sqlite3.connect("census.bin") as connection:
        pd.read_csv("original.csv").to_sql("people", connection, index=False)
    connection.close()


def write_parquet():
    frame = pd.read_csv("original.csv")
    Path("parts").mkdir()
    frame[:100].to_parquet("parts/1.parquet", index=False)
    frame[100:].to_parquet("parts/2.parquet", index=False)


def write_stata():
    pd.read_csv("original.csv").to_stata("original.dta", write_index=False)


SOURCES = {
    "data frame": (None, "original.csv", ()),
    "folder of Parquet": (write_parquet, "parts", ["pyarrow"]),
    "pattern": (write_parquet, "parts/*.parquet", ["pyarrow"]),
    "DuckDB": (write_duckdb, "duckdb:census.db::people", ["duckdb", "narwhals", "pyarrow"]),
    "DuckDB by its file": (write_duckdb, "census.db::people", ["duckdb", "narwhals", "pyarrow"]),
    "SQLite, whatever its ending": (
        write_sqlite,
        "sqlite:census.bin::people",
        ["ibis", "narwhals", "pyarrow"],
    ),
    "Stata": (write_stata, "original.dta", ()),
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
    if write is not None:
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
    words = ["--synthetic", "data:SD2011_s1", "--original", "data:SD2011", "--json"]
    assert main(["risk", *words, "--keys", "sex,age,region", "--targets", "depress"]) == 0
    content = json.loads(capsys.readouterr().out)
    assert content["records"]["original"] == 5000


@pytest.mark.needs("duckdb", "narwhals", "pyarrow")
def test_large_files_are_scanned_with_the_same_figures(capsys, monkeypatch):
    wanted = figures(capsys, "original.csv", "synthetic.csv", "synthetic-2.csv")
    monkeypatch.setattr("synthpop_py.cli.inputs.SMALL", 0)
    assert figures(capsys, "original.csv", "synthetic.csv", "synthetic-2.csv") == wanted


@pytest.mark.needs("duckdb", "narwhals", "pyarrow")
def test_functions_take_the_same_texts():
    write_duckdb()
    with open_table("duckdb:census.db::people") as table:
        assert table.columns == ["sex", "age", "town", "job"]


# ---- types that files have together --------------------------------------------------

TOGETHER = [
    pytest.param(False, id="in memory"),
    pytest.param(True, id="scanned", marks=pytest.mark.needs("duckdb", "narwhals", "pyarrow")),
]


def columns(scan, **texts):
    """The column `code` of several files that are opened together."""
    for name, values in texts.items():
        lines = [f'"{value}",1' for value in values]
        Path(f"{name}.csv").write_text("\n".join(["code,n", *lines]) + "\n")
    assert can_scan() or not scan
    opened = csv_together([located(f"{name}.csv", name) for name in texts], scan=scan)
    found = []
    for name, origin in zip(texts, opened):
        frame = origin.native if origin.load is None else origin.load()
        found.append(frame["code"].tolist())
        column = table_of(origin, name).count_by(["code"]).columns["code"]
        values = column.present().tolist()
        if column.is_text:
            values = [column.labels[code] for code in values]
        assert set(values) == set(frame["code"].dropna().tolist())
        origin.close()
    return found


@pytest.mark.parametrize("scan", TOGETHER)
@pytest.mark.parametrize(
    "original, synthetic, wanted",
    [
        # numbers in both files
        (["007", "12"], ["7", "12"], ([7, 12], [7, 12])),
        # one text makes the column text everywhere, and 007 is still 7
        (["007", "A1"], ["7", "12"], (["7", "A1"], ["7", "12"])),
        (["007", "12"], ["007", "A1"], (["7", "12"], ["7", "A1"])),
        (["+7", "-0"], ["x", "-07"], (["7", "0"], ["x", "-7"])),
        # both have texts: 007 and 7 may be two codes
        (["007", "A1"], ["7", "B1"], (["007", "A1"], ["7", "B1"])),
        # whole numbers beside decimals
        (["1", "2"], ["1.5", "2"], ([1.0, 2.0], [1.5, 2.0])),
        # TRUE is a text where the other file has another word
        (["TRUE", "FALSE"], ["TRUE", "maybe"], (["TRUE", "FALSE"], ["TRUE", "maybe"])),
    ],
)
def test_a_column_is_the_same_in_both_files(scan, original, synthetic, wanted):
    assert columns(scan, original=original, synthetic=synthetic) == list(wanted)


@pytest.mark.parametrize("scan", TOGETHER)
@pytest.mark.parametrize(
    "original, synthetic",
    [
        (["007", "7"], ["7", "12"]),
        (["7", "12"], ["+7", "7"]),
        (["007", "7", "0.5"], ["1"]),
        # text in one file, whole numbers in the other
        (["A1", "007", "7"], ["7", "12"]),
        # long ones
        (["9007199254740993", "09007199254740993"], ["1"]),
    ],
)
def test_a_number_in_two_spellings_of_one_file_is_text_in_every_file(scan, original, synthetic):
    with pytest.warns(NearLevelsWarning, match=r"column 'code' .* two ways.*dtype=\{'code': str\}"):
        found = columns(scan, original=original, synthetic=synthetic)
    assert found == [original, synthetic]


@pytest.mark.parametrize("scan", TOGETHER)
def test_the_second_spelling_may_come_late(scan):
    """An engine settles most columns by their first rows, but not this one."""
    late = ["A1", *["12"] * 10_000, "007", "7"]
    with pytest.warns(NearLevelsWarning):
        found = columns(scan, original=late, synthetic=["7"])
    assert found == [late, ["7"]]


def risk_of_codes(capsys, *words):
    """DiSCO where only 007 and 7 tell the ill from the well, and what is told."""
    for name in ("original", "synthetic"):
        Path(f"{name}.csv").write_text("code,ill\n" + "007,a\n" * 20 + "7,b\n" * 20)
    asked = ["--synthetic", "synthetic.csv", "--original", "original.csv", "--keys", "code"]
    asked += ["--targets", "ill", "--json", "--min-cell", "0"]
    assert main(["risk", *asked, *words]) == 0
    out, err = capsys.readouterr()
    (found,) = [row for row in json.loads(out)["figures"] if row["measure"] == "DiSCO"]
    return found["value"], err


def test_codes_in_two_spellings_are_told_with_the_option(capsys):
    value, told = risk_of_codes(capsys)
    assert value == 100
    assert told.startswith("note: --synthetic: column 'code' of 'synthetic.csv' writes")
    assert told.endswith("give --text code\n")


def test_text_columns_can_be_named(capsys):
    assert risk_of_codes(capsys, "--text", "code") == (100, "")
    Path("synthetic.csv").write_text("code,ill\n" + "007,a\n" * 20)
    Path("original.csv").write_text("code,ill\n" + "7,b\n" * 20 + "007,a\n" * 20)
    words = ["--synthetic", "synthetic.csv", "--original", "original.csv", "--keys", "code"]
    words += ["--targets", "ill", "--json", "--min-cell", "0"]
    assert main(["risk", *words, "--text", "code,ill"]) == 0
    found = json.loads(capsys.readouterr().out)["figures"]
    assert [row["value"] for row in found if row["measure"] == "DiSCO"] == [50]


def test_text_names_columns_of_csv_files(capsys):
    words = ["--keys", "sex", "--targets", "job", "--text", "agee"]
    files = ["--synthetic", "synthetic.csv", "--original", "original.csv"]
    assert main(["risk", *files, *words]) == 2
    assert "--text: 'agee' is not a column of the CSV files; did you mean 'age'?" in (
        capsys.readouterr().err
    )
    sets = ["--synthetic", "data:SD2011_s5", "--original", "data:SD2011"]
    assert main(["risk", *sets, *words]) == 2
    assert "--text: is for CSV files, and none is read" in capsys.readouterr().err


@pytest.mark.parametrize("scan", TOGETHER)
def test_a_third_file_has_a_say_as_well(scan):
    found = columns(scan, original=["007"], synthetic=["7"], holdout=["A1"])
    assert found == [["7"], ["7"], ["A1"]]


@pytest.mark.parametrize("scan", TOGETHER)
def test_a_column_of_gaps_takes_the_type_of_the_other_file(scan):
    _, values = columns(scan, original=["", "NA"], synthetic=["1", "2"])
    assert values == [1, 2]


def test_nobody_is_missed_because_of_leading_zeros(capsys):
    """Everybody of the original is in the synthetic data, whose writer dropped the zeros."""
    codes = [f"{number:03}" for number in range(40)]
    original = pd.DataFrame({"sex": "f", "age": [*codes, "A1"], "job": "x"})
    original.to_csv("original.csv", index=False)
    released = pd.DataFrame({"sex": "f", "age": range(40), "job": "x"})
    released.to_csv("synthetic.csv", index=False)
    found = figures(capsys, "original.csv", "synthetic.csv")
    assert found[1, "repU"] == pytest.approx(100 * 40 / 41)
    assert figures(capsys, "original.csv", "synthetic.csv") == found
