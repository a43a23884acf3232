"""Files that an engine scans or pandas reads, and tables in database files: the same figures
whoever reads them, and nothing changed on disk.
"""

from __future__ import annotations

import gc
import gzip
import os
import sqlite3
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import synthpop_py as sp
from synthpop_py import InputError, SynthpopError
from synthpop_py.tables import files, protocol

pytestmark = [
    pytest.mark.needs("duckdb", "pyarrow", "polars"),
    # what Ibis tells of its own future
    pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning"),
]

RNG = np.random.default_rng(3)
N = 300
PEOPLE = pd.DataFrame(
    {
        "sex": RNG.choice(["f", "m"], N),
        "age": RNG.integers(18, 30, N),
        "size": pd.Categorical(RNG.choice(["s", "m", "l"], N), ["s", "m", "l", "xl"]),
        "job": RNG.choice(["x", "y", "ä"], N),
    }
)
FAKE = PEOPLE.sample(N, replace=True, random_state=1).reset_index(drop=True)
FAKE["job"] = RNG.permutation(FAKE["job"])
KEYS = ["sex", "age", "size"]
READERS = ("duckdb", "pandas")


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture(params=READERS)
def reader(request, monkeypatch) -> str:
    """Who reads files: engines before it in order seem not to be installed."""
    hidden = READERS[: READERS.index(request.param)]
    monkeypatch.setattr(protocol, "is_installed", lambda package: package not in hidden)
    return request.param


def result(*args, **kwargs):
    return sp.disclosure(*args, compat="corrected", print_flag=False, **kwargs)


def figures(*args, **kwargs) -> list[str]:
    """As text, because NaN is not equal to itself; 12 digits, because an engine gives its groups in
    any order, and a sum of shares depends on it in the last one.
    """
    made = result(*args, **kwargs)
    numbers = [frame.to_csv(float_format="%.12g") for frame in (made.ident, made.attrib)]
    return [*numbers, str(made.check1), str(made.check2)]


WANTED = figures(FAKE, PEOPLE, KEYS, "job")


# ---- Parquet -------------------------------------------------------------------------


def test_parquet_gives_the_same_figures(reader):
    PEOPLE.to_parquet("people.parquet")
    FAKE.to_parquet("fake.parquet")
    assert sp.open_table("people.parquet").origin.reader == reader
    assert figures("fake.parquet", "people.parquet", KEYS, "job") == WANTED
    assert figures(FAKE, "people.parquet", KEYS, "job") == WANTED
    assert figures(sp.open_table("fake.parquet"), PEOPLE, KEYS, "job") == WANTED


def test_parquet_keeps_categories_in_order_and_those_that_do_not_occur(reader):
    """Categories of numbers come as numbers, which have an order of their own."""
    numbers = pd.Categorical([100000, 20, 20, None], [100000, 20, 7])
    PEOPLE.head(4).assign(number=numbers).to_parquet("people.parquet", row_group_size=2)
    table = sp.open_table("people.parquet")
    size = table.count_by(["size"]).columns["size"]
    assert size.kind == "factor" and size.labels == ("s", "m", "l", "xl")
    number = table.count_by(["number"]).columns["number"]
    assert number.kind == "integer" and set(number.present().tolist()) == {20, 100000}


def test_categories_of_several_files_are_put_together(reader):
    for name, levels in (("a", ["z", "y"]), ("b", ["x", "z"])):
        column = pd.Categorical(levels, levels)
        pd.DataFrame({"k": column, "t": [1, 2]}).to_parquet(f"{name}.parquet")
    column = sp.open_table("[ab].parquet").count_by(["k"]).columns["k"]
    assert column.labels == ("z", "y", "x")


@pytest.mark.parametrize("path", ["parts", "parts/", "parts/*.parquet", "par?s/part-*.parquet"])
def test_folders_and_patterns_are_one_table(reader, path):
    Path("parts/deeper").mkdir(parents=True)
    Path("parts/_temporary").mkdir()
    PEOPLE[:100].to_parquet("parts/part-0.parquet")
    PEOPLE[100:].to_parquet("parts/part-1.parquet")
    PEOPLE.to_parquet("parts/_temporary/part-2.parquet")  # what a writer left half done
    Path("parts/_SUCCESS").touch()
    assert figures(FAKE, path, KEYS, "job") == WANTED


def test_names_of_files_that_look_like_patterns(reader):
    PEOPLE.to_parquet("people [1] of 'all'.parquet")
    PEOPLE.iloc[:3].to_parquet("people 1 of 'all'.parquet")
    assert figures(FAKE, "people [1] of 'all'.parquet", KEYS, "job") == WANTED


def test_row_labels_of_pandas_are_no_column(reader):
    PEOPLE.sample(N, random_state=1).to_parquet("people.parquet")
    assert sp.open_table("people.parquet").columns == list(PEOPLE)


def test_whole_numbers_with_gaps_stay_whole(reader):
    frame = pd.DataFrame({"k": pd.array([100000, None, 7], dtype="Int64"), "t": ["a", "b", "c"]})
    frame.to_parquet("gaps.parquet")
    column = sp.open_table("gaps.parquet").count_by(["k"]).columns["k"]
    assert column.kind == "integer" and sorted(column.present().tolist()) == [7, 100000]


def test_damaged_parquet(reader):
    PEOPLE.to_parquet("people.parquet")
    whole = Path("people.parquet").read_bytes()
    Path("cut.parquet").write_bytes(whole[: len(whole) // 2])
    Path("other.parquet").write_bytes(b"SECRET" * 100)
    for name in ("cut", "other"):
        with pytest.raises(InputError, match=f"^data: '{name}.parquet' cannot be read as Parquet"):
            figures(FAKE, f"{name}.parquet", KEYS, "job")


def test_parquet_that_is_damaged_inside_is_refused_without_its_values(reader):
    """The frame of the file is whole, its pages are not."""
    PEOPLE.to_parquet("people.parquet", compression="snappy")
    content = bytearray(Path("people.parquet").read_bytes())
    content[8:400] = b"\xff" * 392
    Path("people.parquet").write_bytes(content)
    with pytest.raises(InputError) as error:
        figures(FAKE, "people.parquet", KEYS, "job")
    assert str(error.value).startswith("data") and "people.parquet" in str(error.value)


def test_files_with_other_columns_are_not_one_table(reader):
    PEOPLE.to_parquet("p1.parquet")
    PEOPLE.drop(columns="job").to_parquet("p2.parquet")
    with pytest.raises(InputError, match=r"'p2.parquet' and 'p1.parquet' do not .* \(job\)"):
        sp.open_table("p*.parquet")


# ---- CSV -----------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["people.csv", "people.csv.gz"])
def test_a_csv_gives_the_figures_of_its_frame(name):
    plain = PEOPLE.assign(size=PEOPLE["size"].astype(str))
    plain.to_csv(name, index=False)
    wanted = figures(FAKE, plain, KEYS, "job")
    assert sp.open_table(name).origin.reader == "pandas"
    assert figures(FAKE, name, KEYS, "job") == wanted
    levels = {"size": ["s", "m", "l", "xl"]}
    assert figures(FAKE, sp.open_table(name, levels=levels), KEYS, "job") == WANTED


def test_a_csv_and_r_s_figures():
    """Under compat="r" the order of levels matters, too (D1)."""
    original = PEOPLE.assign(size=PEOPLE["size"].astype(str))
    original.to_csv("people.csv", index=False)
    made = [
        sp.disclosure(FAKE, data, ["sex", "age"], "job", print_flag=False)
        for data in ("people.csv", original)
    ]
    assert made[0].attrib.equals(made[1].attrib) and made[0].ident.equals(made[1].ident)


def test_several_csv_files_and_one_that_is_cut_off():
    frame = PEOPLE.drop(columns="size")
    frame[:100].to_csv("p-1.csv", index=False)
    frame[100:].to_csv("p-2.csv", index=False)
    assert figures(FAKE, "p-*.csv", KEYS[:2], "job") == figures(FAKE, PEOPLE, KEYS[:2], "job")
    text = Path("p-2.csv").read_text()
    Path("p-2.csv").write_text(text[: text.rindex(",")])
    with pytest.raises(
        InputError, match=r"cannot be read as CSV; fields must be separated by commas"
    ):
        sp.open_table("p-*.csv").count_by(["sex"])


def test_a_compressed_file_that_is_cut_off():
    with gzip.open("people.csv.gz", "wt") as file:
        PEOPLE.to_csv(file, index=False)
    whole = Path("people.csv.gz").read_bytes()
    Path("people.csv.gz").write_bytes(whole[:-40])
    with pytest.raises(InputError, match=r"'people.csv.gz' cannot be read as CSV"):
        sp.open_table("people.csv.gz").count_by(["sex"])


def test_columns_with_any_name(reader):
    names = ['my "best" column', "it's", "a b", "Größe", "SELECT"]
    frame = PEOPLE.iloc[:, [0, 1, 3, 0, 3]].set_axis(names, axis=1)
    frame.to_csv("names.csv", index=False)
    frame.to_parquet("names.parquet")
    wanted = figures(frame, frame, names[:2], names[2])
    for name in ("names.csv", "names.parquet"):
        assert figures(name, frame, names[:2], names[2]) == wanted


def test_a_frequency_table_in_a_file(reader):
    counted = FAKE.value_counts().rename("n").reset_index()
    counted.to_parquet("fake.parquet")
    counted.assign(size=counted["size"].astype(str)).to_csv("fake.csv", index=False)
    original = PEOPLE.assign(n=1)
    assert figures("fake.parquet", original, KEYS, "job", counts="n") == WANTED
    table = sp.open_table("fake.csv", levels={"size": ["s", "m", "l", "xl"]})
    assert figures(table, original, KEYS, "job", counts="n") == WANTED


# ---- databases -----------------------------------------------------------------------


def duckdb_file(name: str = "census.duckdb") -> str:
    import duckdb

    plain = PEOPLE.assign(size=PEOPLE["size"].astype(str))
    with duckdb.connect(name) as connection:
        connection.register("frame", plain)
        connection.execute("CREATE TABLE people AS SELECT * FROM frame")
        connection.execute('CREATE SCHEMA old; CREATE VIEW old."my view" AS SELECT 1 AS a')
    return name


def sqlite_file(name: str = "census.sqlite", *, log: bool = False) -> str:
    plain = PEOPLE.assign(size=PEOPLE["size"].astype(str))
    connection = sqlite3.connect(name)
    if log:
        connection.execute("PRAGMA journal_mode = wal")
    connection.execute("CREATE TABLE people (sex TEXT, age INTEGER, size TEXT, job TEXT)")
    rows = [tuple(row) for row in plain.astype(object).to_numpy().tolist()]
    connection.executemany("INSERT INTO people VALUES (?, ?, ?, ?)", rows)
    connection.execute("CREATE TABLE places (town TEXT)")
    connection.commit()
    connection.close()
    return name


DATABASES = {
    "duckdb": duckdb_file,
    "sqlite": pytest.param(sqlite_file, marks=pytest.mark.needs("ibis")),
    "sqlite with a log": pytest.param(
        lambda: sqlite_file(log=True), marks=pytest.mark.needs("ibis")
    ),
    "sqlite by another ending": pytest.param(
        lambda: sqlite_file("census.db"), marks=pytest.mark.needs("ibis")
    ),
    "duckdb by another ending": lambda: duckdb_file("census.db"),
}


@pytest.mark.parametrize("make", DATABASES.values(), ids=DATABASES)
def test_a_table_in_a_database_is_read_and_the_file_stays_as_it_is(make, folder):
    path = Path(make())
    before = path.read_bytes()
    path.chmod(0o444)
    with sp.open_table(path, "people", levels={"size": ["s", "m", "l", "xl"]}) as table:
        assert figures(FAKE, table, KEYS, "job") == WANTED
        assert repr(table) == (
            f"<table {path.name}, table people, read by {table.origin.reader}; 4 columns: sex, age,"
            " size, job>"
        )
    assert path.read_bytes() == before
    assert [file.name for file in folder.iterdir()] == [path.name]
    table = sp.open_table(path, "people")
    table.close()
    with pytest.raises(InputError, match="check that the connection is open"):
        table.count_by(["sex", "job"])


@pytest.mark.parametrize("make", DATABASES.values(), ids=DATABASES)
def test_which_table(make):
    path = make()
    with pytest.raises(InputError, match=rf"^source: '{path}' is a database; name one .*people"):
        sp.open_table(path)
    with pytest.raises(InputError, match=rf"^object: '{path}' is a database; name one .*people"):
        figures(path, PEOPLE, KEYS, "job")
    with pytest.raises(InputError, match=rf"^table: 'poeple' .* '{path}'; did you mean 'people'"):
        sp.open_table(path, table="poeple")
    with pytest.raises(InputError, match=r"^table: 'zzz' .*; choices: .*people"):
        sp.open_table(path, table="zzz")


def test_views_and_schemas():
    assert sp.open_table(duckdb_file(), "old.my view").columns == ["a"]


def test_a_database_that_is_open_elsewhere_is_a_sentence():
    import duckdb

    path = duckdb_file()
    connection = duckdb.connect(path)
    with pytest.raises(InputError, match=r"DuckDB cannot open 'census.duckdb' .*close it, or give"):
        sp.open_table(path, "people")
    connection.close()


READS = """
import duckdb, sys
connection = duckdb.connect("census.duckdb", read_only=True)
print("open", flush=True)
sys.stdin.read()
"""


def test_a_database_that_another_program_reads_can_be_read():
    """Whoever may write locks everybody else out: only a reader gets in."""
    path = duckdb_file()
    other = subprocess.Popen(
        [sys.executable, "-c", READS], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    try:
        assert other.stdout.readline() == "open\n"
        with sp.open_table(path, "people") as table:
            assert table.records == N
    finally:
        other.communicate("")


def test_a_database_without_tables_and_a_damaged_one(folder):
    import duckdb

    duckdb.connect("bare.duckdb").close()
    with pytest.raises(InputError, match=r"'bare.duckdb' is a database without tables"):
        sp.open_table("bare.duckdb", "people")
    Path("bad.duckdb").write_bytes(Path("bare.duckdb").read_bytes()[:64])
    with pytest.raises(InputError, match=r"DuckDB cannot open 'bad.duckdb'") as error:
        sp.open_table("bad.duckdb", "people")
    assert str(folder) not in str(error.value)
    Path("bad.sqlite").write_bytes(files.SQLITE + b"\xff" * 200)
    with pytest.raises(InputError, match=r"SQLite cannot open 'bad.sqlite'"):
        sp.open_table("bad.sqlite", "people")


# ---- extras --------------------------------------------------------------------------


@pytest.mark.parametrize(
    "make, hidden, extra",
    [(duckdb_file, "duckdb", "duckdb"), (sqlite_file, "ibis", "sql")],
)
def test_an_engine_that_is_not_installed_is_named(monkeypatch, make, hidden, extra):
    path = make()
    monkeypatch.setattr(protocol, "is_installed", lambda package: package != hidden)
    with pytest.raises(
        SynthpopError, match=rf"need {hidden}, which is not installed; install"
    ) as e:
        sp.open_table(path, "people")
    assert f"pip install 'synthpop-disclosure[{extra}]'" in str(e.value)


def test_a_database_without_narwhals_names_its_extra(monkeypatch):
    path = duckdb_file()
    known = protocol.is_installed
    monkeypatch.setattr(
        protocol, "is_installed", lambda package: package != "narwhals" and known(package)
    )
    with pytest.raises(SynthpopError, match=r"need narwhals.*'synthpop-disclosure\[frames\]'"):
        sp.open_table(path, "people")


def test_files_need_no_engine(monkeypatch):
    PEOPLE.to_parquet("people.parquet")
    monkeypatch.setattr(
        protocol, "is_installed", lambda package: package in ("pyarrow", "narwhals")
    )
    assert sp.open_table("people.parquet").origin.reader == "pandas"


# ---- relations, handles --------------------------------------------------------------


def test_levels_for_a_relation_and_a_lazy_frame():
    import duckdb
    import polars

    plain = PEOPLE.assign(size=PEOPLE["size"].astype(str))
    levels = {"size": ["s", "m", "l", "xl"]}
    with duckdb.connect() as connection:
        connection.register("frame", plain)
        relation = connection.sql("SELECT * FROM frame")
        for source in (relation, polars.from_pandas(plain).lazy(), polars.from_pandas(plain)):
            assert figures(FAKE, sp.open_table(source, levels=levels), KEYS, "job") == WANTED
    assert repr(sp.open_table(polars.LazyFrame({"a": [1]}))) == (
        "<table LazyFrame of polars, read by polars; 1 column: a>"
    )


def open_files(folder: Path) -> list[str]:
    held = []
    for number in os.listdir("/proc/self/fd"):
        try:
            held.append(os.readlink(f"/proc/self/fd/{number}"))
        except FileNotFoundError:
            continue  # the listing's own
    return [path for path in held if path.startswith(str(folder))]


@pytest.mark.parametrize("close", [True, False])
def test_nothing_is_held_open_afterwards(reader, close, folder):
    PEOPLE.to_parquet("people.parquet")
    PEOPLE.to_csv("people.csv", index=False)
    sources = [("people.parquet",), ("people.csv",)]
    if reader == "duckdb":
        sources.append((duckdb_file(), "people"))
    for source in sources:
        table = sp.open_table(*source)
        table.count_by(["sex", "job"])
        if close:
            table.close()
        del table
        gc.collect()
    figures("people.parquet", "people.csv", ["sex"], "job")
    gc.collect()
    assert open_files(folder) == []


def test_where_duckdb_puts_what_it_has_no_memory_for(folder):
    connection = files.connected()
    (row,) = connection.execute("SELECT current_setting('temp_directory')").fetchall()
    spill = Path(row[0]).resolve()
    assert not spill.is_relative_to(folder) and not spill.exists()
    connection.close()
