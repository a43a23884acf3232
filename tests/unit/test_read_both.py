"""The tables of a command: CSV files written in any way, typed together, and what was guessed."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

import synthpop_py as sp
from synthpop_py import DataWarning, InputError
from synthpop_py.tables.api import read_both
from synthpop_py.tables.opening import check_frame, open_table

PLAIN = "name,zip,income,born\nBjörn,0150,1200.5,2001-05-17\nAda,5003,800,1999-12-01\n"
EUROPEAN = "name;zip;income;born\nBjörn;150;1200,5;17.05.2001\nAda;5003;800;01.12.1999\n"


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def write(name: str, text: str, encoding: str = "utf-8") -> str:
    Path(name).write_bytes(text.encode(encoding))
    return name


def both(*given, **options):
    """The frames that were read, and what was told."""
    with read_both(*given, **options) as read:
        frames = [check_frame(one, "frame") for one in (*read.synthetic, read.original)]
    return frames, read.notes


def test_a_file_with_semicolons_and_one_with_commas_hold_the_same():
    write("o.csv", PLAIN)
    write("s.csv", EUROPEAN, "latin-1")
    (synthetic, original), notes = both("s.csv", "o.csv")
    pd.testing.assert_frame_equal(synthetic, original)
    assert original["zip"].tolist() == [150, 5003]
    assert original["income"].tolist() == [1200.5, 800]
    assert original["born"].tolist() == [pd.Timestamp("2001-05-17"), pd.Timestamp("1999-12-01")]
    assert notes == [
        "s.csv: read with semicolons between fields, decimal commas, Latin-1, dates as dd.mm.yyyy"
        " in born",
        "o.csv: read with dates as yyyy-mm-dd in born, numbers without leading zeros in zip"
        " (--text keeps them)",
    ]


def test_a_copy_with_other_dates_is_no_zero_risk():
    """Its only difference were the dates, which made every risk 0."""
    rows = [(f"{1 + day:02}", day % 3) for day in range(28)]
    write("o.csv", "born,ill\n" + "".join(f"2001-05-{day},{ill}\n" for day, ill in rows))
    write("s.csv", "born,ill\n" + "".join(f"{day}.05.2001,{ill}\n" for day, ill in rows))
    with read_both("s.csv", "o.csv") as read:
        result = sp.disclosure(
            read.synthetic[0], read.original, "born", "ill", compat="corrected", print_flag=False
        )
        assert result.DiSCO == result.repU == 100


def test_what_is_said_is_not_guessed():
    write("o.csv", "a;b\n1,5;01/02/2001\n2,5;03/04/2001\n")
    (one, _), notes = both("o.csv", "o.csv", sep=";", decimal=",", dates="mm/dd/yyyy")
    assert one["a"].tolist() == [1.5, 2.5] and notes == []
    assert one["b"].tolist() == [pd.Timestamp("2001-01-02"), pd.Timestamp("2001-03-04")]
    (one, _), _ = both("o.csv", "o.csv", decimal=".", dates="text")
    assert one["a"].tolist() == ["1,5", "2,5"] and one["b"][0] == "01/02/2001"


def test_the_days_of_one_file_tell_those_of_the_other():
    write("o.csv", "b,c\n01/02/2001,1\n03/04/2001,2\n")
    write("s.csv", "b,c\n01/31/2001,1\n03/04/2001,2\n")
    (synthetic, original), notes = both("s.csv", "o.csv")
    assert synthetic["b"][1] == original["b"][1] == pd.Timestamp("2001-03-04")
    assert notes[0] == "s.csv: read with dates as mm/dd/yyyy in b"


def test_thousands_between_commas_are_no_decimals():
    write("o.csv", 'a,b\n"1,200",x\n"3,400",y\n')
    (one, _), notes = both("o.csv", "o.csv")
    assert one["a"].tolist() == ["1,200", "3,400"] and notes == []


def test_missing_codes_and_dropped_columns():
    write("o.csv", "id;a;b;c\n1;-9;x;-9,00\n2;5;.;1,5\n")
    (one, _), _ = both("o.csv", "o.csv", missing=["-9", "."], drop=["id"])
    assert list(one) == ["a", "b", "c"] and one["c"].dtype == float
    gaps = {name: column.isna().tolist() for name, column in one.items()}
    assert gaps == {"a": [True, False], "b": [False, True], "c": [True, False]}
    with read_both("o.csv", "o.csv", missing=["-9", "."]) as read:
        counted = open_table(read.original, "data").count_by(["a", "c"])
    assert counted.columns["c"].present().tolist() == [1.5]
    assert counted.columns["a"].present().tolist() == [5]


def test_tab_and_bar_and_unicode_text_of_spreadsheets():
    write("t.csv", "a\tb\n1\tx\n")
    write("b.csv", "a|b\n1|x\n")
    write("u.csv", "a\tb\n1\tx\n", "utf-16")
    frames, notes = both(["t.csv", "b.csv", "u.csv"], pd.DataFrame({"a": [1], "b": ["x"]}))
    for frame in frames[:3]:
        assert frame.to_dict("list") == {"a": [1], "b": ["x"]}
    assert [note.partition(" ")[0] for note in notes] == ["t.csv:", "b.csv:", "u.csv:"]


def test_codes_are_named_with_the_option():
    write("o.csv", "code,b\n007,x\n7,y\n")
    with pytest.warns(DataWarning, match="if they are codes, give --text code$"):
        (one, _), _ = both("o.csv", "o.csv")
    assert one["code"].tolist() == ["007", "7"]
    write("s.csv", "code,b\n012,x\n")
    (two, one), _ = both("s.csv", "o.csv", text=["code"])
    assert two["code"].tolist() == ["012"] and one["code"].tolist() == ["007", "7"]


@pytest.mark.parametrize(
    "options, says",
    [
        ({"sep": ";;"}, "--sep: ';;' is not a single character"),
        ({"decimal": ";"}, "--decimal: ';' is not one of"),
        ({"encoding": "klingon"}, "--encoding: 'klingon' is no encoding"),
        ({"dates": "d.m.y"}, "--dates: 'd.m.y' is not one of"),
        ({"text": ["cod"]}, "--text: 'cod' is not a column of the CSV files; did you mean 'code'"),
        ({"drop": ["cod"]}, "--drop: 'cod' is not a column of --synthetic"),
    ],
)
def test_options_that_cannot_be(options, says):
    write("o.csv", "code,b\n7,x\n")
    with pytest.raises(InputError, match=f"^{says}"):
        both("o.csv", "o.csv", **options)


@pytest.mark.parametrize("name", ["sep", "decimal", "encoding", "dates", "missing", "text"])
def test_options_of_csv_files_without_one(name):
    frame = pd.DataFrame({"a": [1]})
    with pytest.raises(InputError, match=f"^--{name}: is for CSV files, and none is read"):
        both(frame, frame, **{name: ","})


def test_files_of_other_kinds_and_a_holdout():
    write("o.csv", PLAIN)
    pd.read_csv("o.csv").to_stata("s.dta", write_index=False)
    with read_both("s.dta", "o.csv", holdout="o.csv") as read:
        assert list(read.synthetic[0]) == list(read.holdout) == list(read.original)


# ---- paths given to functions --------------------------------------------------------


@pytest.mark.parametrize(
    "original, synthetic", [("007,x\n012,y\n", "7,x\n12,y\n"), ("A1,x\n007,y\n", "7,y\n8,x\n7,y\n")]
)
def test_paths_of_one_call_are_typed_together(original, synthetic):
    write("o.csv", "k,t\n" + original)
    write("s.csv", "k,t\n" + synthetic)
    result = sp.disclosure("s.csv", "o.csv", "k", "t", compat="corrected", print_flag=False)
    assert result.iS > 0


def test_a_holdout_is_typed_with_the_others():
    """By itself its codes were numbers, so nobody of it seemed to be in the original."""
    write("o.csv", "k,t\nA1,x\n007,y\n")
    write("h.csv", "k,t\n7,y\n7,x\n")
    result = sp.disclosure(
        "o.csv", "o.csv", "k", "t", compat="corrected", print_flag=False, holdout="h.csv"
    )
    assert result.baseline.set_index("measure").non_members["iS"] == 100


@pytest.mark.needs("duckdb", "narwhals", "pyarrow")
def test_more_different_rows_than_memory_holds_are_an_error(monkeypatch):
    import duckdb

    from synthpop_py.tables import engine

    monkeypatch.setattr(engine, "MOST_ROWS", 50)
    relation = duckdb.sql("SELECT i AS k, i % 2 AS t FROM range(60) AS r(i)")
    assert sp.open_table(relation).count_by(["t"]).rows == 2
    with pytest.raises(InputError, match=r"have 60 different rows, more than the 50 .* fewer keys"):
        sp.open_table(relation).count_by(["k", "t"])
