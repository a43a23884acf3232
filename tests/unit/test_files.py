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

import pandas as pd
import pytest

import synthpop_py as sp
from synthpop_py import InputError, SynthpopError
from synthpop_py.tables import protocol
from synthpop_py.tables.opening import check_frame

PEOPLE = pd.DataFrame(
    {"sex": ["f", "m", "m", "f"], "age": [41, 50, 41, 33], "job": ["x", "y", "x", "y"]}
)
FAKE = PEOPLE.assign(sex=["f", "m", "m", "m"], age=[41, 50, 50, 33], job=["x", "x", "x", "y"])
KEYS = ["sex", "age"]
SEED = 2**120 + 17  # long, so that no release warns of it


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch) -> Path:
    """A folder to write to, which Python runs in, with the people in it."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def no_engines(monkeypatch) -> None:
    """As if neither DuckDB nor polars were installed."""
    monkeypatch.setattr(protocol, "is_installed", lambda package: False)


def csv(text: str, name: str = "t.csv") -> pd.DataFrame:
    Path(name).write_text(text, encoding="utf-8")
    return check_frame(name, "data")


def figures(*args, **kwargs) -> tuple[list, list]:
    result = sp.disclosure(*args, compat="corrected", print_flag=False, **kwargs)
    return result.ident.to_numpy().tolist(), result.attrib.to_numpy().tolist()


WANTED = figures(FAKE, PEOPLE, KEYS, "job")

# ---- what a column of a CSV is -------------------------------------------------------

KINDS = {
    "integer": ["1|2", "01|2", "1|", "1| 2|  ", "+5|-5", "3000000000", " 7|7|012"],
    "double": ["1e5|2", "5.|.5", "Inf|NaN|1"],
    "logical": ["TRUE|FALSE", "True|false|"],
    "character": [
        *("a|", "2020-01-01", "1L|2", "1_000|2", "None|2", "TRUE|1", "|NA", "01|1", "+7|7|0.5"),
        *("1|1.0", "1.1|1.10", "1e5|100000"),
        # here R reads otherwise
        *("T|F", "0x1F|1", "9223372036854775808", "9007199254740993|0.5", "9" * 5000),
    ],
}


@pytest.mark.parametrize("texts, kind", [(one, kind) for kind in KINDS for one in KINDS[kind]])
@pytest.mark.filterwarnings("ignore::synthpop_py.DataWarning")
def test_all_texts_of_a_column_say_what_it_is(texts, kind):
    csv("a,b\n" + "".join(f"{text},1\n" for text in texts.split("|")))
    assert sp.open_table("t.csv").count_by(["a"]).columns["a"].kind == kind


def test_a_csv_in_memory_has_these_types():
    frame = csv('id,whole,real,flag,text,gap\n1,,1.5,TRUE,"a, ""b""",\n2,7,NaN,,NA,NA\n')
    kinds = {"id": "int64", "whole": "Int64", "real": "float64", "flag": "boolean"}
    assert {name: frame[name].dtype for name in kinds} == kinds
    assert frame["id"].tolist() == [1, 2] and frame["whole"][1] == 7
    gaps = {"whole": [1, 0], "real": [0, 1], "flag": [0, 1], "text": [0, 1], "gap": [1, 1]}
    assert {name: frame[name].isna().tolist() for name in gaps} == gaps
    assert frame["text"][0] == 'a, "b"'
    assert csv("a,b\n").dtypes.tolist() == [object, object]


def test_row_names_of_r_empty_lines_line_ends_and_several_packed_files():
    frame = csv('\ufeff"","a"\r\n"1","x"\r\n\r\n"2","y\nz"\r\n')
    assert frame.to_dict("list") == {"X": [1, 2], "a": ["x", "y\nz"]}
    for number in (2, 1):
        with gzip.open(f"part-{number}.csv.gz", "wt") as file:
            file.write(f"a,b\n{number},x\n")
    frame = check_frame("part-*.csv.gz", "data")
    assert frame.to_dict("list") == {"a": [1, 2], "b": ["x", "x"]}


SPELLED_TWICE = "code,ill\n007,a\n007,a\n7,b\n7,b\n"  # two codes, each with one illness


def test_codes_that_one_file_writes_in_two_ways_stay_two():
    """As one number they had two illnesses, so that nothing seemed to be revealed."""
    Path("x.csv").write_text(SPELLED_TWICE)
    with pytest.warns(sp.DataWarning, match="column 'code' of 'x.csv' writes .* two ways"):
        by_path = figures("x.csv", "x.csv", ["code"], "ill")
    frame = pd.read_csv("x.csv", dtype=str)
    assert by_path == figures(frame, frame, ["code"], "ill")
    assert sp.disclosure(frame, frame, "code", "ill", print_flag=False).DiSCO == 100
    table = sp.open_table("x.csv", levels={"code": ["7", "007"]})
    assert table.count_by(["code"]).columns["code"].labels == ("7", "007")


# ---- the same figures ----------------------------------------------------------------


def test_a_path_stands_for_its_table_and_several_for_several(no_engines):
    PEOPLE.to_csv("people.csv", index=False)
    FAKE.to_csv("fake.csv", index=False)
    assert figures("fake.csv", "people.csv", KEYS, "job") == WANTED
    assert figures(Path("fake.csv"), PEOPLE, KEYS, "job") == WANTED
    assert figures(sp.open_table("fake.csv"), sp.open_table(PEOPLE), KEYS, "job") == WANTED
    two = figures([FAKE, PEOPLE], PEOPLE, KEYS, "job")
    assert figures(["fake.csv", Path("people.csv")], PEOPLE, KEYS, "job") == two
    assert figures({"one": "fake.csv", "two": PEOPLE}, "people.csv", KEYS, "job") == two
    FAKE.assign(n=1).to_csv("counted.csv", index=False)
    for counted in ("counted.csv", sp.open_table("counted.csv")):
        assert figures(counted, PEOPLE.assign(n=1), KEYS, "job", counts="n") == WANTED


CALLS = {
    "syn": lambda fake, people: sp.syn(people, seed=1, reproducible=True, print_flag=False).syn[0],
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
    fake = PEOPLE.assign(job=["x", "x", "y", "y"])  # one row per person
    PEOPLE.to_csv("people.csv", index=False)
    fake.to_csv("fake.csv", index=False)
    wanted = CALLS[name](fake, PEOPLE)
    by_path = CALLS[name]("fake.csv", Path("people.csv"))
    by_table = CALLS[name](sp.open_table("fake.csv"), sp.open_table("people.csv"))
    pd.testing.assert_frame_equal(by_path, wanted, check_dtype=False)
    pd.testing.assert_frame_equal(by_table, wanted, check_dtype=False)


# ---- levels, and how a table prints --------------------------------------------------


def test_levels_that_a_user_declares():
    frame = PEOPLE.copy()
    table = sp.open_table(frame, levels={"job": ["z", "y", "x"]})
    frame.loc[0, "job"] = "changed"  # later changes do not show
    column = table.count_by(["job"]).columns["job"]
    assert column.kind == "factor" and column.labels == ("z", "y", "x")
    assert column.values.tolist() == [2, 1, 2, 1]
    assert "category" not in map(str, frame.dtypes)  # the user's frame stays as it is
    again = sp.open_table(table, levels={"job": ["x", "y"]})
    assert again.count_by(["job"]).columns["job"].labels == ("x", "y")
    made = sp.syn(table, seed=1, reproducible=True, print_flag=False)
    assert made.syn[0]["job"].cat.categories.tolist() == ["z", "y", "x"]


@pytest.mark.parametrize(
    "levels, says",
    [
        (["x", "y"], "levels: list given; give levels by column"),
        ({"jub": ["x"]}, "levels: 'jub' is not a column of .*; did you mean 'job'"),
        ({"job": "xy"}, "levels: those of 'job' are not a list of different texts"),
        ({"job": ["x", 1]}, "levels: those of 'job' are not a list of different texts"),
        ({"job": ["x", "y", "x"]}, "levels: those of 'job' are not a list of different texts"),
        ({"job": {"x": 1}}, "levels: those of 'job' are not a list of different texts"),
        ({"job": ["x"]}, "has 1 level.s. that are not listed"),
        ({"age": ["41"]}, "holds no text"),
    ],
)
def test_levels_that_cannot_be(levels, says):
    with pytest.raises(InputError, match=says):
        sp.open_table(PEOPLE, levels=levels)


def test_a_table_prints_without_folders_and_values():
    Path("my data").mkdir()
    PEOPLE.to_csv("my data/people.csv", index=False)
    table = sp.open_table("my data/people.csv")
    assert repr(table) == "<table people.csv, read by pandas; 3 columns: sex, age, job>"
    one = repr(sp.open_table(PEOPLE[["sex"]]))
    assert one == "<table DataFrame of pandas, read by pandas; 1 column: sex>"
    wide = repr(sp.open_table(pd.DataFrame([range(12)]).add_prefix("v")))
    assert wide.endswith("12 columns: v0, v1, v2, v3, v4, v5, v6, v7 and 4 more>")


# ---- other programs' files -----------------------------------------------------------


def test_stata_keeps_its_labels_and_blanks_are_missing():
    size = pd.Categorical(["s", "l", "s", "l"], ["s", "l"])
    PEOPLE.assign(size=size, sex=["f", "", "m", ""]).to_stata("people.dta", write_index=False)
    columns = sp.open_table("people.dta").count_by(["size", "sex"]).columns
    assert columns["size"].labels == ("s", "l") and columns["size"].values.tolist() == [0, 1, 0, 1]
    assert columns["sex"].missing.tolist() == [False, True, False, True]
    table = sp.open_table("people.dta")
    assert figures(FAKE, table, ["age"], "job") == figures(FAKE, PEOPLE, ["age"], "job")


def transport_file(ages: list[float], names: list[str]) -> bytes:
    """A SAS transport file of two columns, by its published layout: records of 80 bytes, numbers as
    IBM's mainframes have them.
    """

    def ibm(value: float) -> bytes:
        exponent = 64
        while value >= 1:
            value, exponent = value / 16, exponent + 1
        return bytes([exponent]) + int(value * 2**56).to_bytes(7, "big") if value else bytes(8)

    def variable(kind: int, number: int, name: str, start: int) -> bytes:
        about = (kind, 0, 8, number, name.ljust(8).encode(), b" " * 40, b" " * 8)
        more = (0, 0, 0, b"  ", b" " * 8, 0, 0, start)
        return struct.pack(">hhhh8s40s8shhh2s8shhl", *about, *more).ljust(140, b"\0")

    zeros, made = "0" * 30, "01JAN20:00:00:00"
    kind = "SAS     {0}SAS{1}  9.1     Linux"
    head = [
        "HEADER RECORD*******LIBRARY HEADER RECORD!!!!!!!" + zeros,
        kind.format("SAS     ", "LIB").ljust(64) + made,
        made,
        f"HEADER RECORD*******MEMBER  HEADER RECORD!!!!!!!{'0' * 17}1600000000140",
        "HEADER RECORD*******DSCRPTR HEADER RECORD!!!!!!!" + zeros,
        kind.format("PEOPLE  ", "DATA").ljust(64) + made,
        made,
        "HEADER RECORD*******NAMESTR HEADER RECORD!!!!!!!000000000200000000000000000000",
    ]
    block = variable(1, 1, "AGE", 0) + variable(2, 2, "NAME", 8)
    rows = b"".join(ibm(age) + name.ljust(8).encode("latin-1") for age, name in zip(ages, names))
    data = "".join(line.ljust(80) for line in head).encode() + block.ljust(320)
    data += ("HEADER RECORD*******OBS     HEADER RECORD!!!!!!!" + zeros).ljust(80).encode()
    return data + rows.ljust(-(-len(rows) // 80) * 80)


def test_sas_transport_files():
    # ten rows fill the last record, so that its padding is not taken for rows
    names = ["Bo", "", "Ö", "Di", "Al", "Cy", "Ed", "Fay", "Gus", "Hal"]
    ages = [41, 50, 33, 1, 2, 3, 4, 5, 6, 7]
    Path("people.xpt").write_bytes(transport_file(ages, names))
    counted = sp.open_table("people.xpt").count_by(["AGE", "NAME"]).columns
    assert counted["AGE"].values.tolist() == ages
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


@pytest.mark.parametrize(
    "name, module, says",
    [
        ("x.sav", "pyreadstat", r"\.sav need pyreadstat, .*: pip install pyreadstat"),
        ("x.parquet", "pyarrow.parquet", r"need pyarrow.*'synthpop-disclosure\[frames\]'"),
    ],
)
def test_a_package_that_is_not_there_is_named(name, module, says, monkeypatch):
    monkeypatch.setitem(sys.modules, module, None)
    Path(name).write_bytes(b"PAR1")
    with pytest.raises(SynthpopError, match=says):
        sp.open_table(name)


# ---- bad input -----------------------------------------------------------------------

AS_CSV = "'{0}' cannot be read as CSV; "
FIELDS = AS_CSV + "fields must be separated by commas"
ADDRESS = "an address ({0}://...) is not a path; give that of a file on this"
# a path, and what is said about it as `data`
BAD = {
    "poeple.csv": "there is no file 'poeple.csv'; did you mean 'people.csv'?",
    "zzz.csv": "there is no file 'zzz.csv'; no file with a similar name is in its folder",
    "SECRET/x.csv": "there is no file 'x.csv'",
    "people.xlsx": "'people.xlsx' cannot be read: its ending is unknown; did you mean 'people.csv'?"
    " choices: .csv, .csv.gz, .parquet, ",
    "people": "'people' cannot be read: its ending is unknown",
    " ": "an empty text is not a path",
    "SECRET folder/bare": "the folder 'bare/' holds no file that ends in",
    "part-*.csv": "there is no file 'part-*.csv'",
    "pe*.*": "'pe*.*' matches files that end in .csv, .dta; a pattern must",
    "empty.csv": "'empty.csv' is empty; it does not even have column names",
    "twice.csv": "'twice.csv' has columns of the same name (sex); rename them",
    "semi.csv": "'semi.csv' seems to have ';' between its fields",
    "short.csv": FIELDS.format("short.csv"),
    "long.csv": FIELDS.format("long.csv"),
    "after.csv": FIELDS.format("after.csv"),
    "quote.csv": FIELDS.format("quote.csv"),
    "latin.csv": AS_CSV.format("latin.csv") + "it is not UTF-8",
    "plain.csv.gz": AS_CSV.format("plain.csv.gz"),
    "x[12].csv": "'x2.csv' and 'x1.csv' do not have the same columns",
    "https://me:SECRET@host/x.csv": ADDRESS.format("https"),
    "postgresql://me:SECRET@db/x": ADDRESS.format("postgresql"),
    "sqlite:////SECRET/x.db": ADDRESS.format("sqlite"),
    "base.db": "'base.db' is not a database of DuckDB or SQLite",
    "x.dta": "'x.dta' cannot be read as .dta",
    "x.xpt": "'x.xpt' cannot be read as .xpt",
    "x.sas7bdat": "'x.sas7bdat' cannot be read as .sas7bdat",
}
CONTENTS = {
    "empty.csv": "",
    "twice.csv": "sex,age,sex\nf,1,m\n",
    "semi.csv": "sex;age\nf;1\n",
    "short.csv": "a,b\n1,2\nSECRET\n",
    "long.csv": "a,b\n1,2\nSECRET,4,5\n",
    "quote.csv": 'a,b\n"SECRET,2\n3,4\n',
    "after.csv": 'a,b\n"1"SECRET,2\n3,4\n',
    "latin.csv": "a,b\nSECRETé,2\n",
    "plain.csv.gz": "a,b\nSECRET,2\n",
    "x1.csv": "a,b\n1,2\n",
    "x2.csv": "a,c\n1,2\n",
    **dict.fromkeys(["base.db", "x.dta", "x.xpt", "x.sas7bdat"], "SECRET" * 50),
}
ENGINES = {
    "in memory": lambda package: False,
    "scanned": pytest.param(None, marks=pytest.mark.needs("duckdb", "pyarrow")),
}


@pytest.mark.parametrize("installed", ENGINES.values(), ids=ENGINES)
@pytest.mark.parametrize("path", BAD)
def test_a_path_that_cannot_be_used_is_one_sentence(path, installed, monkeypatch, folder):
    if installed is not None:
        monkeypatch.setattr(protocol, "is_installed", installed)
    PEOPLE.to_csv("people.csv", index=False)
    PEOPLE.to_stata("people.dta", write_index=False)
    Path("SECRET folder/bare").mkdir(parents=True)
    for name, content in CONTENTS.items():
        Path(name).write_bytes(content.encode("latin-1"))
    before = sorted(folder.rglob("*"))
    with pytest.raises(InputError) as error:
        sp.disclosure(FAKE, path, KEYS, "job")
    assert str(error.value).startswith(f"data: {BAD[path]}")
    assert "SECRET" not in str(error.value) and str(folder) not in str(error.value)
    assert "SECRET" not in "".join(traceback.format_exception(error.value))
    assert sorted(folder.rglob("*")) == before


NONE = "there is no file 'none.csv'"


@pytest.mark.parametrize(
    "says, call",
    [
        (f"source: {NONE}", lambda: sp.open_table("none.csv")),
        (f"object: {NONE}", lambda: sp.disclosure("none.csv", PEOPLE, KEYS, "job")),
        (
            f"object, element 2: {NONE}",
            lambda: sp.disclosure([FAKE, "none.csv"], FAKE, KEYS, "job"),
        ),
        (f"data: {NONE}", lambda: sp.syn("none.csv")),
        ("data: list cannot be the orig", lambda: sp.disclosure(FAKE, ["a.csv"], KEYS, "job")),
        ("table: 'people.csv' holds one table", lambda: sp.open_table("people.csv", table="x")),
        ("table: is for the path of a database", lambda: sp.open_table(PEOPLE, table="people")),
        ("source: list is not a table", lambda: sp.open_table([PEOPLE, PEOPLE])),
        ("source: NoneType is not a table", lambda: sp.open_table(None)),
        ("source: dict is not a table", lambda: sp.open_table({"a": PEOPLE})),
        (
            "keys: 'age' is not a column of the synthetic data",
            lambda: sp.disclosure("fake.csv", "people.csv", KEYS, "job"),
        ),
    ],
)
def test_the_argument_is_named(says, call):
    PEOPLE.to_csv("people.csv", index=False)
    FAKE.drop(columns="age").to_csv("fake.csv", index=False)
    with pytest.raises(InputError) as error:
        call()
    assert str(error.value).startswith(says)


def test_a_file_that_must_not_be_read(monkeypatch):
    def refused(path, *mode):
        raise PermissionError(13, "Permission denied", str(path))

    Path("people.csv").write_text("a\n")
    monkeypatch.setattr(Path, "open", refused)
    with pytest.raises(InputError, match=r"^source: 'people\.csv' cannot be opened \(Permission"):
        sp.open_table("people.csv")


def test_files_are_closed_and_left_as_they_are(folder, no_engines):
    PEOPLE.to_csv("people.csv", index=False)
    os.chmod("people.csv", stat.S_IRUSR)
    os.utime("people.csv", ns=(1, 1))
    sp.open_table("people.csv").count_by(["sex"])
    assert os.stat("people.csv").st_mtime_ns == 1
    assert [path.name for path in folder.iterdir()] == ["people.csv"]
    held = [os.path.realpath(f"/proc/self/fd/{fd}") for fd in os.listdir("/proc/self/fd")]
    assert str(folder / "people.csv") not in held
