"""Paths in place of data frames: which files they mean, what a column of a CSV is, and what is
refused. Nothing here needs an engine; `tests/engines/test_files.py` has those.
"""

from __future__ import annotations

import gzip
import os
import stat
import struct
import sys
import traceback
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import synthpop_py as sp
from synthpop_py import InputError, SynthpopError
from synthpop_py.tables import protocol
from synthpop_py.tables.opening import check_frame

PEOPLE = pd.DataFrame(
    {"sex": ["f", "m", "m", "f"], "age": [41, 50, 41, 33], "job": ["x", "y", "x", "y"]}
)
FAKE = pd.DataFrame(
    {"sex": ["f", "m", "m", "m"], "age": [41, 50, 50, 33], "job": ["x", "x", "x", "y"]}
)
KEYS = ["sex", "age"]


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch) -> Path:
    """A folder to write to, which Python runs in."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def no_engines(monkeypatch) -> None:
    """As if neither DuckDB nor polars were installed."""
    monkeypatch.setattr(protocol, "is_installed", lambda package: False)


def csv(text: str, name: str = "t.csv") -> pd.DataFrame:
    Path(name).write_text(text, encoding="utf-8")
    return check_frame(name, "data")


# ---- what a column of a CSV is -------------------------------------------------------


@pytest.mark.parametrize(
    "texts, kind",
    [
        (["1", "2"], "integer"),
        (["01", "2"], "integer"),
        (["1", ""], "integer"),
        (["1", " 2", "  "], "integer"),
        (["+5", "-5"], "integer"),
        (["3000000000"], "integer"),
        (["1e5", "2"], "double"),
        (["5.", ".5"], "double"),
        (["Inf", "NaN", "1"], "double"),
        (["TRUE", "FALSE"], "logical"),
        (["True", "false", ""], "logical"),
        (["a", ""], "character"),
        (["2020-01-01"], "character"),
        (["1L", "2"], "character"),
        (["1_000", "2"], "character"),
        (["None", "2"], "character"),
        (["TRUE", "1"], "character"),
        (["", "NA"], "character"),
        ([], "character"),
        # here R reads otherwise
        (["T", "F"], "character"),
        (["0x1F", "1"], "character"),
        (["9223372036854775808"], "character"),
        (["9007199254740993", "0.5"], "character"),
        (["9" * 5000], "character"),
        (["01", "1"], "character"),
        (["+7", "7", "0.5"], "character"),
        ([" 7", "7", "012"], "integer"),
        (["1", "1.0"], "character"),
        (["1.1", "1.10"], "character"),
        (["1e5", "100000"], "character"),
    ],
)
@pytest.mark.filterwarnings("ignore::synthpop_py.DataWarning")
def test_all_texts_of_a_column_say_what_it_is(texts, kind, no_engines):
    csv("\n".join(["a,b", *(f"{text},1" for text in texts)]) + "\n")
    assert sp.open_table("t.csv").count_by(["a"]).columns["a"].kind == kind


def test_a_csv_in_memory_has_these_types():
    frame = csv('id,whole,real,flag,text,gap\n1,,1.5,TRUE,"a, ""b""",\n2,7,NaN,,NA,NA\n')
    assert frame["id"].tolist() == [1, 2] and frame["id"].dtype == np.int64
    assert frame["whole"].isna().tolist() == [True, False] and frame["whole"][1] == 7
    assert frame["whole"].dtype == "Int64"
    assert frame["real"].isna().tolist() == [False, True] and frame["real"].dtype == np.float64
    assert frame["flag"].isna().tolist() == [False, True] and frame["flag"].dtype == "boolean"
    assert frame["text"][0] == 'a, "b"' and frame["text"].isna().tolist() == [False, True]
    assert frame["gap"].isna().all()


def test_row_names_of_r_empty_lines_and_line_ends():
    frame = csv('\ufeff"","a"\r\n"1","x"\r\n\r\n"2","y\nz"\r\n')
    assert frame.to_dict("list") == {"X": [1, 2], "a": ["x", "y\nz"]}


def test_compressed_and_several_files_are_one_table():
    for number in (2, 1):
        with gzip.open(f"part-{number}.csv.gz", "wt") as file:
            file.write(f"a,b\n{number},x\n")
    frame = check_frame("part-*.csv.gz", "data")
    assert frame.to_dict("list") == {"a": [1, 2], "b": ["x", "x"]}


# ---- the same figures ----------------------------------------------------------------


def figures(*args, **kwargs) -> tuple[list, list]:
    result = sp.disclosure(*args, compat="corrected", print_flag=False, **kwargs)
    return result.ident.to_numpy().tolist(), result.attrib.to_numpy().tolist()


WANTED = figures(FAKE, PEOPLE, KEYS, "job")


def test_a_path_stands_for_its_table(no_engines):
    PEOPLE.to_csv("people.csv", index=False)
    FAKE.to_csv("fake.csv", index=False)
    assert figures("fake.csv", "people.csv", KEYS, "job") == WANTED
    assert figures(Path("fake.csv"), PEOPLE, KEYS, "job") == WANTED
    assert figures(sp.open_table("fake.csv"), sp.open_table(PEOPLE), KEYS, "job") == WANTED


def test_several_paths_are_several_syntheses(no_engines):
    FAKE.to_csv("fake.csv", index=False)
    two = figures([FAKE, PEOPLE], PEOPLE, KEYS, "job")
    PEOPLE.to_csv("people.csv", index=False)
    assert figures(["fake.csv", Path("people.csv")], PEOPLE, KEYS, "job") == two
    assert figures({"one": "fake.csv", "two": PEOPLE}, "people.csv", KEYS, "job") == two


def test_functions_of_single_records_read_the_file():
    PEOPLE.to_csv("people.csv", index=False)
    made = sp.syn("people.csv", seed=1, reproducible=True, print_flag=False)
    wanted = sp.syn(PEOPLE, seed=1, reproducible=True, print_flag=False)
    assert made.syn[0].equals(wanted.syn[0])
    with sp.open_table("people.csv", levels={"job": ["y", "x"]}) as table:
        made = sp.syn(table, seed=1, reproducible=True, print_flag=False)
    assert made.syn[0]["job"].cat.categories.tolist() == ["y", "x"]


SEED = 2**120 + 17  # long, so that no release warns of it
# partially synthetic: one row per person
SWAPPED = PEOPLE.assign(job=["x", "x", "y", "y"])
CALLS = {
    "replicated_uniques": lambda fake, people: sp.replicated_uniques(fake, people, KEYS).res_tab[0],
    "sdc": lambda fake, people: sp.sdc(fake, people, KEYS, print_flag=False).syn[0],
    "synorig_compare": lambda fake, people: sp.synorig_compare(fake, people, print_flag=False).syn,
    "numtocat_syn": lambda fake, people: sp.numtocat_syn(people, "age", print_flag=False).data,
    "identification_risk": lambda fake, people: sp.identification_risk(
        fake, people, known=KEYS, synthesised="job"
    ).tidy(),
    "ifpr": lambda fake, people: sp.ifpr(people, ["sex"], xi=0.7, seed=SEED).data,
    "add_noise": lambda fake, people: sp.add_noise(people, "age", sd=3.0, seed=SEED),
    "swap": lambda fake, people: sp.swap(people, "sex", "age", 0.5, seed=SEED),
    "matrix_mask": lambda fake, people: sp.matrix_mask(people, C=1, columns="age"),
    "table_utility": lambda fake, people: sp.table_utility(fake, people).tidy(),
    "propensity_utility": lambda fake, people: sp.propensity_utility(fake, people, "age").tidy(),
    "ru_map": lambda fake, people: sp.ru_map({"a": fake}, people, keys=KEYS, target="job").table,
    "SynDS": lambda fake, people: (
        sp.disclosure(sp.SynDS([fake, fake]), people, KEYS, "job", print_flag=False).attrib
    ),
}


@pytest.mark.parametrize("name", CALLS)
def test_every_function_takes_paths_and_tables(name, no_engines):
    PEOPLE.to_csv("people.csv", index=False)
    SWAPPED.to_csv("fake.csv", index=False)
    wanted = CALLS[name](SWAPPED, PEOPLE)
    by_path = CALLS[name]("fake.csv", Path("people.csv"))
    by_table = CALLS[name](sp.open_table("fake.csv"), sp.open_table("people.csv"))
    pd.testing.assert_frame_equal(by_path, wanted, check_dtype=False)
    pd.testing.assert_frame_equal(by_table, wanted, check_dtype=False)


SPELLED_TWICE = "code,ill\n007,a\n007,a\n7,b\n7,b\n"  # two codes, each with one illness


def test_codes_that_one_file_writes_in_two_ways_stay_two():
    """As one number they had two illnesses, so that nothing seemed to be revealed."""
    Path("x.csv").write_text(SPELLED_TWICE)
    with pytest.warns(sp.DataWarning, match="column 'code' of 'x.csv' writes .* two ways"):
        by_path = figures("x.csv", "x.csv", ["code"], "ill")
    frame = pd.read_csv("x.csv", dtype=str)
    assert by_path == figures(frame, frame, ["code"], "ill")
    assert sp.disclosure(frame, frame, "code", "ill", print_flag=False).DiSCO == 100


def test_declared_levels_say_that_a_column_of_a_csv_is_text():
    Path("x.csv").write_text(SPELLED_TWICE)
    table = sp.open_table("x.csv", levels={"code": ["7", "007"]})
    assert table.count_by(["code"]).columns["code"].labels == ("7", "007")


def test_a_frequency_table_in_a_file(no_engines):
    FAKE.assign(n=1).to_csv("fake.csv", index=False)
    counted = PEOPLE.assign(n=1)
    table = sp.open_table("fake.csv")
    assert figures("fake.csv", counted, KEYS, "job", counts="n") == WANTED
    assert figures(table, counted, KEYS, "job", counts="n") == WANTED


# ---- levels --------------------------------------------------------------------------


def test_levels_that_a_user_declares():
    table = sp.open_table(PEOPLE, levels={"job": ["z", "y", "x"]})
    column = table.count_by(["job"]).columns["job"]
    assert column.kind == "factor" and column.labels == ("z", "y", "x")
    assert column.values.tolist() == [2, 1, 2, 1]
    assert "category" not in map(str, PEOPLE.dtypes)  # the user's frame stays as it is
    again = sp.open_table(table, levels={"job": ["x", "y"]})
    assert again.count_by(["job"]).columns["job"].labels == ("x", "y")


def test_later_changes_of_a_frame_do_not_show():
    frame = PEOPLE.copy()
    table = sp.open_table(frame)
    frame.loc[0, "job"] = "changed"
    assert table.count_by(["job"]).columns["job"].labels == ("x", "y")


@pytest.mark.parametrize(
    "levels, says",
    [
        (["x", "y"], "levels: list given; give levels by column"),
        ({"jub": ["x"]}, "levels: 'jub' is not a column of .*; did you mean 'job'"),
        ({"job": "xy"}, "levels: those of 'job' are not a list of different texts"),
        ({"job": ["x", 1]}, "levels: those of 'job' are not a list of different texts"),
        ({"job": ["x", "y", "x"]}, "levels: those of 'job' are not a list of different texts"),
        ({"job": ["x"]}, "has 1 level.s. that are not listed"),
        ({"age": ["41"]}, "holds no text"),
    ],
)
def test_levels_that_cannot_be(levels, says):
    with pytest.raises(InputError, match=says):
        sp.open_table(PEOPLE, levels=levels)


# ---- how it prints -------------------------------------------------------------------


def test_a_table_prints_without_folders_and_values(no_engines):
    Path("my data").mkdir()
    PEOPLE.to_csv("my data/people.csv", index=False)
    table = sp.open_table("my data/people.csv")
    assert repr(table) == "<table people.csv, read by pandas; 3 columns: sex, age, job>"
    assert repr(sp.open_table(PEOPLE[["sex"]])) == (
        "<table DataFrame of pandas, read by pandas; 1 column: sex>"
    )
    wide = pd.DataFrame([range(12)], columns=[f"v{i}" for i in range(12)])
    assert repr(sp.open_table(wide)).endswith(
        "12 columns: v0, v1, v2, v3, v4, v5, v6, v7 and 4 more>"
    )


# ---- other programs' files -----------------------------------------------------------


def test_stata_keeps_its_labels_and_blanks_are_missing():
    frame = PEOPLE.assign(
        size=pd.Categorical(["s", "l", "s", "l"], ["s", "l"]), sex=["f", "", "m", ""]
    )
    frame.to_stata("people.dta", write_index=False)
    table = sp.open_table("people.dta")
    size = table.count_by(["size"]).columns["size"]
    assert size.labels == ("s", "l") and size.values.tolist() == [0, 1, 0, 1]
    assert table.count_by(["sex"]).columns["sex"].missing.tolist() == [False, True, False, True]
    assert figures(FAKE, sp.open_table("people.dta"), ["age"], "job") == figures(
        FAKE, PEOPLE, ["age"], "job"
    )


def transport_file(ages: list[float], names: list[str]) -> bytes:
    """A SAS transport file of two columns, by its published layout: records of 80 bytes, numbers as
    IBM's mainframes have them.
    """

    def ibm(value: float) -> bytes:
        if value == 0:
            return bytes(8)
        exponent = 64
        while value >= 1:
            value /= 16
            exponent += 1
        return bytes([exponent]) + int(value * 2**56).to_bytes(7, "big")

    def record(text: str) -> bytes:
        return text.ljust(80).encode()

    def variable(kind: int, length: int, number: int, name: str, start: int) -> bytes:
        head = struct.pack(
            ">hhhh8s40s8shhh2s8shhl",
            kind,
            0,
            length,
            number,
            name.ljust(8).encode(),
            b" " * 40,
            b" " * 8,
            0,
            0,
            0,
            b"  ",
            b" " * 8,
            0,
            0,
            start,
        )
        return head + bytes(140 - len(head))

    zeros = "0" * 30
    made = "01JAN20:00:00:00"
    data = record("HEADER RECORD*******LIBRARY HEADER RECORD!!!!!!!" + zeros)
    data += record("SAS     SAS     SASLIB  9.1     Linux".ljust(64) + made) + record(made)
    data += record(f"HEADER RECORD*******MEMBER  HEADER RECORD!!!!!!!{'0' * 17}1600000000140")
    data += record("HEADER RECORD*******DSCRPTR HEADER RECORD!!!!!!!" + zeros)
    data += record("SAS     PEOPLE  SASDATA 9.1     Linux".ljust(64) + made) + record(made)
    data += record("HEADER RECORD*******NAMESTR HEADER RECORD!!!!!!!000000000200000000000000000000")
    block = variable(1, 8, 1, "AGE", 0) + variable(2, 8, 2, "NAME", 8)
    data += block.ljust(-(-len(block) // 80) * 80)
    data += record("HEADER RECORD*******OBS     HEADER RECORD!!!!!!!" + zeros)
    rows = b"".join(ibm(age) + name.ljust(8).encode("latin-1") for age, name in zip(ages, names))
    return data + rows.ljust(-(-len(rows) // 80) * 80)


def test_sas_transport_files():
    # ten rows fill the last record, so that its padding is not taken for rows
    names = ["Bo", "", "Ö", "Di", "Al", "Cy", "Ed", "Fay", "Gus", "Hal"]
    Path("people.xpt").write_bytes(transport_file([41, 50, 33, 1, 2, 3, 4, 5, 6, 7], names))
    counted = sp.open_table("people.xpt").count_by(["AGE", "NAME"]).columns
    assert counted["AGE"].values.tolist() == [41, 50, 33, 1, 2, 3, 4, 5, 6, 7]
    assert counted["NAME"].labels == tuple(name for name in names if name)
    assert counted["NAME"].missing.tolist() == [False, True] + [False] * 8


def test_sas_files_are_read_with_the_encoding_that_they_state(monkeypatch):
    """SAS alone writes them: how pandas is asked must do."""
    asked = {}

    def read_sas(path, **how):
        asked.update(how, name=path.name)
        return PEOPLE.copy()

    monkeypatch.setattr(pd, "read_sas", read_sas)
    Path("people.sas7bdat").write_bytes(b"x")
    assert sp.open_table("people.sas7bdat").columns == list(PEOPLE)
    assert asked == {"format": "sas7bdat", "encoding": "infer", "name": "people.sas7bdat"}


def test_spss_needs_a_package_that_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "pyreadstat", None)
    Path("people.sav").write_bytes(b"$FL2")
    with pytest.raises(SynthpopError, match=r"\.sav need pyreadstat, .*: pip install pyreadstat"):
        sp.open_table("people.sav")


@pytest.mark.parametrize("name", ["x.dta", "x.xpt", "x.sas7bdat"])
def test_damaged_files_of_other_programs(name):
    Path(name).write_bytes(b"SECRET" * 50)
    with pytest.raises(
        InputError, match=f"^source: '{name}' cannot be read as {name[1:]}"
    ) as error:
        sp.open_table(name)
    assert "SECRET" not in str(error.value)


# ---- bad input -----------------------------------------------------------------------


def bad_paths() -> dict[str, tuple[str, str]]:
    """A path, and what is said about it as `data`."""
    return {
        "misspelt": (
            "poeple.csv",
            "data: there is no file 'poeple.csv'; did you mean 'people.csv'?",
        ),
        "nothing like it": (
            "zzz.csv",
            "data: there is no file 'zzz.csv'; no file with a similar name is in its folder",
        ),
        "no folder": (
            "SECRET/x.csv",
            "data: there is no file 'x.csv'; no file with a similar name",
        ),
        "ending": (
            "people.xlsx",
            "data: 'people.xlsx' cannot be read: its ending is unknown; did you"
            " mean 'people.csv'? choices: .csv, .csv.gz, .parquet, ",
        ),
        "no ending": ("people", "data: 'people' cannot be read: its ending is unknown"),
        "blank": (" ", "data: an empty text is not a path"),
        "empty folder": (
            "SECRET folder/bare",
            "data: the folder 'bare/' holds no file that ends in",
        ),
        "no match": ("part-*.csv", "data: there is no file 'part-*.csv'"),
        "two kinds": (
            "pe*.*",
            "data: 'pe*.*' matches files that end in .csv, .dta; a pattern must",
        ),
        "empty file": (
            "empty.csv",
            "data: 'empty.csv' is empty; it does not even have column names",
        ),
        "twice": ("twice.csv", "data: 'twice.csv' has columns of the same name (sex); rename them"),
        "semicolons": ("semi.csv", "data: 'semi.csv' seems to have ';' between its fields"),
        "short row": (
            "short.csv",
            "data: 'short.csv' cannot be read as CSV; fields must be separated by commas",
        ),
        "long row": (
            "long.csv",
            "data: 'long.csv' cannot be read as CSV; fields must be separated by commas",
        ),
        "text after a quote": (
            "after.csv",
            "data: 'after.csv' cannot be read as CSV; fields must be separated by commas",
        ),
        "open quote": (
            "quote.csv",
            "data: 'quote.csv' cannot be read as CSV; fields must be separated by commas",
        ),
        "not UTF-8": ("latin.csv", "data: 'latin.csv' cannot be read as CSV; it is not UTF-8"),
        "not gzip": ("plain.csv.gz", "data: 'plain.csv.gz' cannot be read as CSV"),
        "other columns": ("x[12].csv", "data: 'x2.csv' and 'x1.csv' do not have the same columns"),
        "web": (
            "https://me:SECRET@host/x.csv",
            "data: an address (https://...) is not a path; give that of a file on this",
        ),
        "server": (
            "postgresql://me:SECRET@db/x",
            "data: an address (postgresql://...) is not a path; give that of a file on this",
        ),
        "local": (
            "sqlite:////SECRET/x.db",
            "data: an address (sqlite://...) is not a path; give that of a file on this",
        ),
        "database": ("base.db", "data: 'base.db' is not a database of DuckDB or SQLite"),
    }


def write_bad_files() -> None:
    PEOPLE.to_csv("people.csv", index=False)
    PEOPLE.to_stata("people.dta", write_index=False)
    Path("SECRET folder/bare").mkdir(parents=True)
    Path("empty.csv").write_text("")
    Path("twice.csv").write_text("sex,age,sex\nf,1,m\n")
    Path("semi.csv").write_text("sex;age\nf;1\n")
    Path("short.csv").write_text("a,b\n1,2\nSECRET\n")
    Path("long.csv").write_text("a,b\n1,2\nSECRET,4,5\n")
    Path("quote.csv").write_text('a,b\n"SECRET,2\n3,4\n')
    Path("after.csv").write_text('a,b\n"1"SECRET,2\n3,4\n')
    Path("latin.csv").write_bytes("a,b\nSECRETé,2\n".encode("latin-1"))
    Path("plain.csv.gz").write_text("a,b\nSECRET,2\n")
    Path("x1.csv").write_text("a,b\n1,2\n")
    Path("x2.csv").write_text("a,c\n1,2\n")
    Path("base.db").write_text("SECRET")


ENGINES = {
    "in memory": lambda package: False,
    "scanned": pytest.param(None, marks=pytest.mark.needs("duckdb", "pyarrow")),
}


@pytest.mark.parametrize("installed", ENGINES.values(), ids=ENGINES)
@pytest.mark.parametrize("name", bad_paths())
def test_a_path_that_cannot_be_used_is_one_sentence(name, installed, monkeypatch, folder):
    if installed is not None:
        monkeypatch.setattr(protocol, "is_installed", installed)
    write_bad_files()
    before = sorted(folder.rglob("*"))
    path, says = bad_paths()[name]
    with pytest.raises(InputError) as error:
        sp.disclosure(FAKE, path, KEYS, "job")
    assert str(error.value).startswith(says)
    assert "SECRET" not in str(error.value) and str(folder) not in str(error.value)
    assert "SECRET" not in "".join(traceback.format_exception(error.value))
    assert sorted(folder.rglob("*")) == before


def test_the_argument_is_named():
    for call, argument in [
        (lambda: sp.open_table("none.csv"), "source"),
        (lambda: sp.disclosure("none.csv", PEOPLE, KEYS, "job"), "object"),
        (lambda: sp.disclosure([FAKE, "none.csv"], PEOPLE, KEYS, "job"), "object, element 2"),
        (lambda: sp.syn("none.csv"), "data"),
    ]:
        with pytest.raises(InputError, match=f"^{argument}: there is no file 'none.csv'"):
            call()


def test_a_list_of_files_is_no_original():
    with pytest.raises(InputError, match=r"^data: list cannot be the original data"):
        sp.disclosure(FAKE, ["one.csv", "two.csv"], KEYS, "job")


def test_a_table_of_a_file_that_has_none():
    PEOPLE.to_csv("people.csv", index=False)
    with pytest.raises(InputError, match=r"^table: 'people\.csv' holds one table"):
        sp.open_table("people.csv", table="people")
    with pytest.raises(InputError, match=r"^table: is for the path of a database file"):
        sp.open_table(PEOPLE, table="people")


@pytest.mark.parametrize("source", [[PEOPLE, PEOPLE], None, 7, {"a": PEOPLE}])
def test_what_is_no_table(source):
    with pytest.raises(InputError, match=f"^source: {type(source).__name__} is not a table"):
        sp.open_table(source)


def test_a_column_that_one_side_lacks():
    PEOPLE.to_csv("people.csv", index=False)
    FAKE.drop(columns="age").to_csv("fake.csv", index=False)
    with pytest.raises(InputError, match="keys: 'age' is not a column of the synthetic data"):
        sp.disclosure("fake.csv", "people.csv", KEYS, "job")


def test_a_file_that_must_not_be_read(monkeypatch):
    def refused(path, *mode):
        raise PermissionError(13, "Permission denied", str(path))

    Path("people.csv").write_text("a\n")
    monkeypatch.setattr(Path, "open", refused)
    with pytest.raises(InputError, match=r"^source: 'people\.csv' cannot be opened \(Permission"):
        sp.open_table("people.csv")


def test_parquet_without_arrow_names_the_extra(monkeypatch):
    Path("people.parquet").write_bytes(b"PAR1")
    monkeypatch.setitem(sys.modules, "pyarrow.parquet", None)
    with pytest.raises(SynthpopError, match=r"need pyarrow.*'synthpop-disclosure\[frames\]'"):
        sp.open_table("people.parquet")


def test_files_are_closed_and_left_as_they_are(folder, no_engines):
    PEOPLE.to_csv("people.csv", index=False)
    os.chmod("people.csv", stat.S_IRUSR)
    os.utime("people.csv", ns=(1, 1))
    sp.open_table("people.csv").count_by(["sex"])
    assert os.stat("people.csv").st_mtime_ns == 1
    assert [path.name for path in folder.iterdir()] == ["people.csv"]
    held = [os.path.realpath(f"/proc/self/fd/{fd}") for fd in os.listdir("/proc/self/fd")]
    assert str(folder / "people.csv") not in held
