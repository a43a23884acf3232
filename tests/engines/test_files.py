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
PLAIN = PEOPLE.assign(size=PEOPLE["size"].astype(str))
LEVELS = {"size": ["s", "m", "l", "xl"]}
KEYS = ["sex", "age", "size"]
READERS = ("duckdb", "pandas")
TWO = pd.DataFrame({"k": [1, 2], "t": ["u", "v"]})


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


def figures(*args, **kwargs) -> list[str]:
    """As text, because NaN is not equal to itself; 12 digits, because an engine gives its groups in
    any order, and a sum of shares depends on it in the last one.
    """
    made = sp.disclosure(*args, compat="corrected", print_flag=False, **kwargs)
    numbers = [frame.to_csv(float_format="%.12g") for frame in (made.ident, made.attrib)]
    return [*numbers, str(made.check1), str(made.check2)]


WANTED = figures(FAKE, PEOPLE, KEYS, "job")


def column_of(path, name):
    return sp.open_table(path).count_by([name]).columns[name]


# ---- Parquet -------------------------------------------------------------------------


def test_parquet_gives_the_same_figures(reader):
    PEOPLE.to_parquet("people.parquet")
    FAKE.to_parquet("fake.parquet")
    assert sp.open_table("people.parquet").origin.reader == reader
    assert figures("fake.parquet", "people.parquet", KEYS, "job") == WANTED
    assert figures(FAKE, "people.parquet", KEYS, "job") == WANTED
    assert figures(sp.open_table("fake.parquet"), PEOPLE, KEYS, "job") == WANTED


def test_categories_keep_their_order_and_those_that_do_not_occur(reader):
    """Categories of numbers come as numbers, which have an order of their own; those of several
    files are put together, and text where a file holds text.
    """
    number = pd.Categorical([100000, 20, 20, None], [100000, 20, 7])
    PEOPLE.head(4).assign(number=number).to_parquet("people.parquet", row_group_size=2)
    size = column_of("people.parquet", "size")
    assert size.kind == "factor" and size.labels == ("s", "m", "l", "xl")
    number = column_of("people.parquet", "number")
    assert number.kind == "integer" and set(number.present().tolist()) == {20, 100000}
    for name, levels in (("a", ["z", "y"]), ("b", ["x", "z"])):
        column = pd.Categorical(levels, levels)
        pd.DataFrame({"k": column, "t": [1, 2]}).to_parquet(f"{name}.parquet")
    assert column_of("[ab].parquet", "k").labels == ("z", "y", "x")
    Path("both").mkdir()
    TWO.to_parquet("both/1.parquet")
    TWO.assign(t=pd.Categorical(["v", "w"])).to_parquet("both/2.parquet")
    assert column_of("both", "t").kind == "character"


def test_whole_numbers_with_gaps_stay_whole(reader):
    frame = pd.DataFrame({"k": pd.array([100000, None, 7], dtype="Int64"), "t": ["a", "b", "c"]})
    frame.to_parquet("gaps.parquet")
    column = column_of("gaps.parquet", "k")
    assert column.kind == "integer" and sorted(column.present().tolist()) == [7, 100000]


@pytest.mark.parametrize("path", ["parts", "parts/", "parts/*.parquet", "par?s/part-*.parquet"])
def test_folders_and_patterns_are_one_table(reader, path):
    Path("parts/deeper").mkdir(parents=True)
    Path("parts/_temporary").mkdir()
    PEOPLE[:100].to_parquet("parts/part-0.parquet")
    PEOPLE[100:].to_parquet("parts/part-1.parquet")
    PEOPLE.to_parquet("parts/_temporary/part-2.parquet")  # what a writer left half done
    Path("parts/_SUCCESS").touch()
    assert figures(FAKE, path, KEYS, "job") == WANTED


def test_names_that_look_like_patterns_and_row_labels_that_are_no_column(reader):
    PEOPLE.sample(N, random_state=1).to_parquet("people [1] of 'all'.parquet")
    PEOPLE.iloc[:3].to_parquet("people 1 of 'all'.parquet")
    assert figures(FAKE, "people [1] of 'all'.parquet", KEYS, "job") == WANTED
    assert sp.open_table("people [1] of 'all'.parquet").columns == list(PEOPLE)


def test_damaged_parquet_is_refused_without_its_values(reader):
    """Also one of which only the pages are damaged, not the frame."""
    PEOPLE.to_parquet("inside.parquet", compression="snappy")
    content = bytearray(Path("inside.parquet").read_bytes())
    Path("cut.parquet").write_bytes(content[: len(content) // 2])
    Path("other.parquet").write_bytes(b"SECRET" * 100)
    content[8:400] = b"\xff" * 392
    Path("inside.parquet").write_bytes(content)
    for name in ("cut", "other", "inside"):
        with pytest.raises(InputError) as error:
            figures(FAKE, f"{name}.parquet", KEYS, "job")
        assert str(error.value).startswith("data") and f"{name}.parquet" in str(error.value)
        assert name == "inside" or "cannot be read as Parquet" in str(error.value)
        assert "SECRET" not in str(error.value)


@pytest.mark.parametrize(
    "other",
    [
        {"k": [1.25, 2.25]},
        {"k": np.array([1, 2], dtype="int8")},
        {"k": [True, False]},
        {"k": ["1", "2"]},
        {"more": 1},
    ],
    ids=["double", "int8", "flag", "text", "a column"],
)
def test_files_with_other_columns_are_not_one_table(reader, other):
    TWO.to_parquet("1.parquet")
    TWO.assign(**other).to_parquet("2.parquet")
    says = rf"'2.parquet' and '1.parquet' do not have the same columns .* \({next(iter(other))}\)"
    with pytest.raises(InputError, match=says):
        sp.open_table("?.parquet")


def test_names_that_differ_in_case_only(reader):
    TWO.assign(K=[3, 4]).to_parquet("people.parquet")
    with pytest.raises(InputError, match="has columns whose names differ only in case"):
        sp.open_table("people.parquet")


def test_parquet_that_changed_is_counted_again():
    whole = pd.DataFrame({"k": [1, 2, 3, 4] * 5, "t": list("uvwx") * 5})
    whole.to_parquet("people.parquet")
    table = sp.open_table("people.parquet")
    before = figures(table, table, ["k"], "t")
    changed = whole.assign(k=np.arange(20) / 4)
    changed.to_parquet("people.parquet")
    assert before != figures(table, table, ["k"], "t") == figures(changed, changed, ["k"], "t")


# ---- CSV -----------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["people.csv", "people.csv.gz"])
def test_a_csv_gives_the_figures_of_its_frame(name):
    """Under compat="r" the order of levels matters, too (D1)."""
    PLAIN.to_csv(name, index=False)
    assert sp.open_table(name).origin.reader == "pandas"
    assert figures(FAKE, name, KEYS, "job") == figures(FAKE, PLAIN, KEYS, "job")
    assert figures(FAKE, sp.open_table(name, levels=LEVELS), KEYS, "job") == WANTED
    as_r = [
        sp.disclosure(FAKE, data, ["sex", "age"], "job", print_flag=False) for data in (name, PLAIN)
    ]
    assert as_r[0].attrib.equals(as_r[1].attrib) and as_r[0].ident.equals(as_r[1].ident)


def test_several_csv_files_and_files_that_are_cut_off():
    frame = PEOPLE.drop(columns="size")
    frame[:100].to_csv("p-1.csv", index=False)
    frame[100:].to_csv("p-2.csv", index=False)
    assert figures(FAKE, "p-*.csv", KEYS[:2], "job") == figures(FAKE, PEOPLE, KEYS[:2], "job")
    text = Path("p-2.csv").read_text()
    Path("p-2.csv").write_text(text[: text.rindex(",")])
    Path("p.csv.gz").write_bytes(gzip.compress(text.encode())[:-40])
    for name in ("p-*.csv", "p.csv.gz"):
        with pytest.raises(InputError, match=r"cannot be read as CSV; fields must be separated"):
            sp.open_table(name).count_by(["sex"])


def test_columns_with_any_name_and_frequency_tables(reader):
    names = ['my "best" column', "it's", "a b", "Größe", "SELECT"]
    frame = PEOPLE.iloc[:, [0, 1, 3, 0, 3]].set_axis(names, axis=1)
    frame.to_csv("names.csv", index=False)
    frame.to_parquet("names.parquet")
    wanted = figures(frame, frame, names[:2], names[2])
    for name in ("names.csv", "names.parquet"):
        assert figures(name, frame, names[:2], names[2]) == wanted
    counted = FAKE.value_counts().rename("n").reset_index()
    counted.to_parquet("fake.parquet")
    counted.assign(size=counted["size"].astype(str)).to_csv("fake.csv", index=False)
    for table in ("fake.parquet", sp.open_table("fake.csv", levels=LEVELS)):
        assert figures(table, PEOPLE.assign(n=1), KEYS, "job", counts="n") == WANTED


# ---- databases -----------------------------------------------------------------------


def duckdb_file(name: str = "census.duckdb") -> str:
    import duckdb

    with duckdb.connect(name) as connection:
        connection.register("frame", PLAIN)
        connection.execute("CREATE TABLE people AS SELECT * FROM frame")
        connection.execute('CREATE SCHEMA old; CREATE VIEW old."my view" AS SELECT 1 AS a')
    return name


def sqlite_file(name: str = "census.sqlite", *, log: bool = False) -> str:
    connection = sqlite3.connect(name)
    if log:
        connection.execute("PRAGMA journal_mode = wal")
    PLAIN.to_sql("people", connection, index=False)
    connection.execute("CREATE TABLE places (town TEXT)")
    connection.commit()
    connection.close()
    return name


IBIS = pytest.mark.needs("ibis")
DATABASES = {
    "duckdb": duckdb_file,
    "sqlite": pytest.param(sqlite_file, marks=IBIS),
    "sqlite with a log": pytest.param(lambda: sqlite_file(log=True), marks=IBIS),
    "sqlite by another ending": pytest.param(lambda: sqlite_file("census.db"), marks=IBIS),
    "duckdb by another ending": lambda: duckdb_file("census.db"),
}


@pytest.mark.parametrize("make", DATABASES.values(), ids=DATABASES)
def test_a_table_in_a_database_is_read_and_the_file_stays_as_it_is(make, folder):
    path = Path(make())
    before = path.read_bytes()
    path.chmod(0o444)
    with sp.open_table(path, "people", levels=LEVELS) as table:
        assert figures(FAKE, table, KEYS, "job") == WANTED
        reader = f"read by {table.origin.reader}"
        shown = f"<table {path.name}, table people, {reader}; 4 columns: sex, age, size, job>"
        assert repr(table) == shown
    assert path.read_bytes() == before
    assert [file.name for file in folder.iterdir()] == [path.name]
    table = sp.open_table(path, "people")
    table.close()
    with pytest.raises(InputError, match="check that the connection is open"):
        table.count_by(["sex", "job"])
    for call, says in [
        (lambda: sp.open_table(path), rf"^source: '{path}' is a database; name one .*people"),
        (lambda: figures(path, PEOPLE, KEYS, "job"), rf"^object: '{path}' is a .*people"),
        (lambda: sp.open_table(path, "poeple"), rf"^table: .*'{path}'; did you mean 'people'"),
        (lambda: sp.open_table(path, "zzz"), r"^table: 'zzz' .*; choices: .*people"),
    ]:
        with pytest.raises(InputError, match=says):
            call()


def test_views_schemas_and_a_database_that_is_open_elsewhere():
    import duckdb

    path = duckdb_file()
    assert sp.open_table(path, "old.my view").columns == ["a"]
    gc.collect()
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
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    with subprocess.Popen([sys.executable, "-c", READS], **pipes) as other:
        assert other.stdout.readline() == "open\n"
        with sp.open_table(path, "people") as table:
            assert table.records == N
        other.communicate("")


def test_a_database_without_tables_and_damaged_ones(folder):
    import duckdb

    duckdb.connect("bare.duckdb").close()
    Path("bad.duckdb").write_bytes(Path("bare.duckdb").read_bytes()[:64])
    Path("bad.sqlite").write_bytes(files.SQLITE + b"\xff" * 200)
    for name, says in [
        ("bare.duckdb", "'bare.duckdb' is a database without tables"),
        ("bad.duckdb", "DuckDB cannot open 'bad.duckdb'"),
        ("bad.sqlite", "SQLite cannot open 'bad.sqlite'"),
    ]:
        with pytest.raises(InputError, match=says) as error:
            sp.open_table(name, "people")
        assert str(folder) not in str(error.value)


@pytest.mark.parametrize(
    "make, hidden, extra",
    [
        (duckdb_file, "duckdb", "duckdb"),
        (sqlite_file, "ibis", "sql"),
        (duckdb_file, "narwhals", "frames"),
    ],
)
def test_what_is_not_installed_is_named_and_parquet_needs_no_engine(
    monkeypatch, make, hidden, extra
):
    path = make()
    monkeypatch.setattr(protocol, "is_installed", lambda package: package != hidden)
    with pytest.raises(SynthpopError, match=rf"need {hidden}, which is not installed; inst") as e:
        sp.open_table(path, "people")
    assert f"pip install 'synthpop-disclosure[{extra}]'" in str(e.value)
    PEOPLE.to_parquet("people.parquet")
    known = ("pyarrow", "narwhals")
    monkeypatch.setattr(protocol, "is_installed", lambda package: package in known)
    assert sp.open_table("people.parquet").origin.reader == "pandas"


# ---- relations, handles --------------------------------------------------------------


def test_levels_for_a_relation_and_a_lazy_frame():
    import duckdb
    import polars

    with duckdb.connect() as connection:
        connection.register("frame", PLAIN)
        relation = connection.sql("SELECT * FROM frame")
        for source in (relation, polars.from_pandas(PLAIN).lazy(), polars.from_pandas(PLAIN)):
            assert figures(FAKE, sp.open_table(source, levels=LEVELS), KEYS, "job") == WANTED
    shown = repr(sp.open_table(polars.LazyFrame({"a": [1]})))
    assert shown == "<table LazyFrame of polars, read by polars; 1 column: a>"


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
