"""What can go wrong between an engine's values and ours, one test each. The yardstick: figures are
those of the pandas frame with the same values, or a sentence says why there are none.
"""

from __future__ import annotations

import sqlite3
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import pytest

from synthpop_py import DataWarning, InputError, RDefectWarning, disclosure
from synthpop_py.tables.engine import EngineTable
from synthpop_py.tables.opening import open_table
from tests.unit.test_counted_tables import same

# Ibis and Spark tell of their own future, also when a test makes a table
pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning")

ORIGINAL = [0, 1, 2, 3, 0, 1, 2, 3, 0, 2]  # which of the four values each record has
SYNTHETIC = [0, 1, 1, 3, 3, 2, 2, 0]


def records(values: list[Any], places: list[int], dtype: Any = None) -> pd.DataFrame:
    """People with a key, a column that holds these values, and a target."""
    column = pd.Series([values[place] for place in places], dtype=dtype)
    keys = [("a", "b")[number % 2] for number in range(len(places))]
    targets = [("x", "y", "x", "z")[number % 4] for number in range(len(places))]
    return pd.DataFrame({"k": keys, "c": column, "t": targets})


def figures(synthetic: Any, original: Any, compat: str = "corrected", **how: Any) -> list[dict]:
    """Everything two calls say: one with the column among the keys, one with it as target."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RDefectWarning)
        return [
            disclosure(
                synthetic, original, keys, target, compat=compat, print_flag=False, **how
            ).to_dict()
            for keys, target in ((["k", "c"], "t"), (["k"], "c"))
        ]


@dataclass(frozen=True)
class Hazard:
    """Four values, as pandas has them and as SQL writes them.

    Attributes
    ----------
    values : in pandas.
    sql : the same in SQL.
    types : by engine the type of the column; an engine without one is not tried.
    dtype : of the pandas column.
    """

    values: list[Any]
    sql: list[str]
    types: dict[str, str] = field(default_factory=dict)
    dtype: Any = None


def everywhere(kind: str) -> dict[str, str]:
    return dict.fromkeys(("duckdb", "sqlite", "postgres", "spark"), kind)


MOMENTS = ["2020-01-01 01:00:00", "2020-01-01 23:30:00", "2020-07-01 01:00:00", None]
HAZARDS = {
    "NULL and NaN": Hazard(
        [1.5, None, np.nan, 2.5],
        ["1.5", "NULL", "CAST('NaN' AS <type>)", "2.5"],
        {"duckdb": "DOUBLE", "postgres": "DOUBLE PRECISION", "spark": "DOUBLE"},
        float,
    ),
    "NULL in text": Hazard(
        ["p", None, "", "NA"], ["'p'", "NULL", "''", "'NA'"], everywhere("VARCHAR(9)")
    ),
    "minus zero": Hazard(
        [0.0, -0.0, 1.0, 2.0],
        ["0.0", "CAST('-0' AS <type>)", "1.0", "2.0"],
        {"duckdb": "DOUBLE", "sqlite": "REAL", "postgres": "DOUBLE PRECISION", "spark": "DOUBLE"},
        float,
    ),
    "decimals": Hazard(
        [Decimal("1.50"), Decimal("2.00"), None, Decimal("100000.00")],
        ["1.50", "2.00", "NULL", "100000.00"],
        everywhere("DECIMAL(20, 2)"),
        object,
    ),
    "decimals without a size": Hazard(
        [Decimal("1.5"), Decimal("2"), None, Decimal("0.000000001")],
        ["1.5", "2", "NULL", "0.000000001"],
        {"postgres": "NUMERIC"},
        object,
    ),
    "short reals": Hazard(
        [0.1, 0.7, 3.0, None],
        ["0.1", "0.7", "3", "NULL"],
        {"duckdb": "FLOAT", "postgres": "REAL", "spark": "FLOAT"},
        float,
    ),
    "long reals": Hazard(
        [0.1, 1 / 3, 1e300, 1e-7],
        ["0.1", "0.3333333333333333", "1e300", "1e-7"],
        {"duckdb": "DOUBLE", "sqlite": "REAL", "postgres": "DOUBLE PRECISION", "spark": "DOUBLE"},
        float,
    ),
    "dates": Hazard(
        [pd.Timestamp("2020-01-01"), pd.Timestamp("2020-02-29"), None, pd.Timestamp("1066-10-14")],
        ["'2020-01-01'", "'2020-02-29'", "NULL", "'1066-10-14'"],
        everywhere("DATE"),
        "datetime64[s]",
    ),
    "times": Hazard(
        MOMENTS,
        ["NULL" if moment is None else f"'{moment}'" for moment in MOMENTS],
        {**everywhere("TIMESTAMP"), "spark": "TIMESTAMP_NTZ"},
        "datetime64[us]",
    ),
    "times with a zone": Hazard(
        [moment and pd.Timestamp(moment, tz="Europe/Oslo") for moment in MOMENTS],
        [
            "'2020-01-01 00:00:00+00'",
            "'2020-01-01 22:30:00+00'",
            "'2020-06-30 23:00:00+00'",
            "NULL",
        ],
        {"duckdb": "TIMESTAMPTZ", "postgres": "TIMESTAMPTZ", "spark": "TIMESTAMP"},
        "datetime64[us, Europe/Oslo]",
    ),
    "midnights with a zone": Hazard(
        pd.to_datetime(["2020-01-01", "2020-01-02", "2020-01-03", None], utc=True).tolist(),
        [
            "'2020-01-01 00:00:00+00'",
            "'2020-01-02 02:00:00+02'",
            "'2020-01-03 00:00:00+00'",
            "NULL",
        ],
        {"duckdb": "TIMESTAMPTZ", "postgres": "TIMESTAMPTZ", "spark": "TIMESTAMP"},
        "datetime64[us, UTC]",
    ),
    "unsigned": Hazard(
        [0, 255, 2**63 - 1, 7],
        ["0", "255", str(2**63 - 1), "7"],
        {"duckdb": "UBIGINT"},
        np.uint64,
    ),
    "128 bits": Hazard(
        [2**53, 2**53 + 1, -5, 2**63 - 1],
        [str(2**53), str(2**53 + 1), "-5", str(2**63 - 1)],
        {"duckdb": "HUGEINT", "postgres": "NUMERIC(20, 0)", "spark": "DECIMAL(38, 0)"},
        np.int64,
    ),
    "long whole numbers with gaps": Hazard(
        [2**53, 2**53 + 1, None, -5],
        [str(2**53), str(2**53 + 1), "NULL", "-5"],
        {"duckdb": "BIGINT", "postgres": "BIGINT", "spark": "BIGINT"},
        "Int64",
    ),
    "True and False": Hazard(
        [True, False, None, True], ["TRUE", "FALSE", "NULL", "TRUE"], everywhere("BOOLEAN"), object
    ),
    "letters of all kinds": Hazard(
        ["Ærø", "'", '"', "日本"], ["'Ærø'", "''''", "'\"'", "'日本'"], everywhere("VARCHAR(9)")
    ),
    "texts of numbers": Hazard(
        ["1", "1.0", "01", "1e0"], ["'1'", "'1.0'", "'01'", "'1e0'"], everywhere("VARCHAR(9)")
    ),
    "UUID": Hazard(
        [f"00000000-0000-0000-0000-00000000000{number}" for number in range(4)],
        [f"'00000000-0000-0000-0000-00000000000{number}'" for number in range(4)],
        {"duckdb": "UUID", "postgres": "UUID"},
    ),
    "JSON": Hazard(
        ['{"a":1}', '{"a": 1}', "[]", None],
        ["'{\"a\":1}'", "'{\"a\": 1}'", "'[]'", "NULL"],
        {"duckdb": "JSON", "postgres": "JSON", "sqlite": "JSON"},
    ),
    "bits and addresses": Hazard(
        ["101", "111", None, "000"],
        ["'101'", "'111'", "NULL", "'000'"],
        {"duckdb": "BIT", "postgres": "BIT(3)"},
    ),
}


def cases(engine: str) -> list[str]:
    return [name for name, hazard in HAZARDS.items() if engine in hazard.types]


def rows_in_sql(hazard: Hazard, places: list[int], kind: str, write: str = "CAST({0} AS {1})"):
    """What follows VALUES: the records as SQL."""
    frame = records(hazard.sql, places)
    rows = []
    for key, text, target in frame.itertuples(index=False):
        value = write.format(text.replace("<type>", kind), kind)
        rows.append(f"('{key}', {value}, '{target}')")
    return ", ".join(rows)


def assert_like_pandas(hazard: Hazard, tables: list[Any]) -> None:
    """Both tables in the engine, and one there and one here, give what two frames give."""
    original = records(hazard.values, ORIGINAL, hazard.dtype)
    synthetic = records(hazard.values, SYNTHETIC, hazard.dtype)
    for compat in ("corrected", "r"):
        expected = figures(synthetic, original, compat)
        assert same(figures(tables[1], tables[0], compat), expected)
    assert same(figures(synthetic, tables[0]), figures(synthetic, original))


# ---- the same values -----------------------------------------------------------------


@pytest.fixture
def duck() -> Iterator[Any]:
    import duckdb

    with duckdb.connect() as connection:
        connection.execute("SET TimeZone = 'America/New_York'")
        yield connection


@pytest.mark.needs("duckdb", "pyarrow")
@pytest.mark.parametrize("name", cases("duckdb"))
def test_duckdb(duck, name):
    hazard = HAZARDS[name]
    kind = hazard.types["duckdb"]
    tables = []
    for number, places in enumerate((ORIGINAL, SYNTHETIC)):
        duck.execute(f"CREATE TABLE people{number} (k VARCHAR, c {kind}, t VARCHAR)")
        values = rows_in_sql(hazard, places, kind)
        duck.execute(f"INSERT INTO people{number} VALUES {values}")
        tables.append(duck.table(f"people{number}"))
    assert_like_pandas(hazard, tables)


@pytest.fixture
def in_sqlite(tmp_path) -> Iterator[Callable[..., Any]]:
    """Runs statements on a database of SQLite, and gives back a table as Ibis sees it."""
    import ibis

    path = tmp_path / "people.db"
    opened = []

    def make(table: str, *statements: str) -> Any:
        database = sqlite3.connect(path)
        for statement in statements:
            database.execute(statement)
        database.commit()
        database.close()
        opened.append(ibis.sqlite.connect(path))
        return opened[-1].table(table)

    yield make
    for connection in opened:
        connection.disconnect()


@pytest.mark.needs("ibis", "pyarrow")
@pytest.mark.parametrize("name", cases("sqlite"))
def test_sqlite(in_sqlite, name):
    hazard = HAZARDS[name]
    kind = hazard.types["sqlite"]
    tables = []
    for number, places in enumerate((ORIGINAL, SYNTHETIC)):
        # a cast would make numbers of texts, SQLite has types for storage only
        values = rows_in_sql(hazard, places, kind, write="{0}")
        table = in_sqlite(
            f"people{number}",
            f"CREATE TABLE people{number} (k TEXT, c {kind}, t TEXT)",
            f"INSERT INTO people{number} VALUES {values}",
        )
        tables.append(table)
    assert_like_pandas(hazard, tables)


@pytest.fixture
def database(postgres) -> Iterator[Any]:
    """PostgreSQL as Ibis sees it."""
    import ibis

    connection = ibis.postgres.connect(
        host=postgres["host"], user=postgres["user"], database=postgres["dbname"]
    )
    yield connection
    connection.disconnect()


@pytest.mark.needs("engines", "ibis", "postgres")
@pytest.mark.parametrize("name", cases("postgres"))
def test_postgres(database, name):
    hazard = HAZARDS[name]
    kind = hazard.types["postgres"]
    tables = []
    for number, places in enumerate((ORIGINAL, SYNTHETIC)):
        values = rows_in_sql(hazard, places, kind)
        database.raw_sql(
            f"DROP TABLE IF EXISTS hazard{number};"
            f" CREATE TABLE hazard{number} (k TEXT, c {kind}, t TEXT);"
            f" INSERT INTO hazard{number} VALUES {values}"
        ).close()
        tables.append(database.table(f"hazard{number}"))
    assert_like_pandas(hazard, tables)


@pytest.mark.needs("engines", "pyspark")
@pytest.mark.parametrize("name", cases("spark"))
def test_spark(spark, name):
    hazard = HAZARDS[name]
    kind = hazard.types["spark"]
    tables = []
    for places in (ORIGINAL, SYNTHETIC):
        values = rows_in_sql(hazard, places, kind).replace("''''", '"\'"')
        tables.append(spark.sql(f"SELECT * FROM VALUES {values} AS people(k, c, t)"))
    assert_like_pandas(hazard, tables)


# ---- categories ----------------------------------------------------------------------

LEVELS = ["z", "q", "never", "a", "b"]
FACTOR = Hazard(["z", "a", None, "q"], ["'z'", "'a'", "NULL", "'q'"])


def factors(compat: str) -> list[dict]:
    dtype = pd.CategoricalDtype(LEVELS)
    frames = [records(FACTOR.values, places, dtype) for places in (SYNTHETIC, ORIGINAL)]
    return figures(*frames, compat)


@pytest.mark.needs("duckdb", "pyarrow")
@pytest.mark.parametrize("compat", ["r", "corrected"])
def test_an_enum_of_duckdb_is_a_factor_with_its_levels(duck, compat):
    listed = ", ".join(f"'{level}'" for level in LEVELS)
    kind = f"ENUM({listed})"
    tables = []
    for places in (SYNTHETIC, ORIGINAL):
        values = rows_in_sql(FACTOR, places, kind)
        tables.append(duck.sql(f"SELECT * FROM (VALUES {values}) people(k, c, t)"))
    column = EngineTable(tables[0], "data").count_by(["c"]).columns["c"]
    assert column.kind == "factor" and column.labels == tuple(LEVELS)
    assert same(figures(*tables, compat), factors(compat))


@pytest.mark.needs("polars", "pyarrow")
@pytest.mark.parametrize("compat", ["r", "corrected"])
@pytest.mark.parametrize("lazy", [False, True])
def test_an_enum_of_polars_is_a_factor_with_its_levels(compat, lazy):
    import polars

    tables = []
    for places in (SYNTHETIC, ORIGINAL):
        frame = polars.DataFrame(records(FACTOR.values, places, object).to_dict("list"))
        frame = frame.with_columns(polars.col("c").cast(polars.Enum(LEVELS)))
        tables.append(frame.lazy() if lazy else frame)
    column = open_table(tables[0], "data").count_by(["c"]).columns["c"]
    assert column.kind == "factor" and column.labels == tuple(LEVELS)
    assert same(figures(*tables, compat), factors(compat))


@pytest.mark.needs("polars", "pyarrow")
@pytest.mark.parametrize("compat", ["r", "corrected"])
def test_a_categorical_of_polars_is_text(compat):
    """Its order is that in which values arrived, in this session or another column."""
    import polars

    frames = [records(FACTOR.values, places, object) for places in (SYNTHETIC, ORIGINAL)]
    tables = []
    for frame in frames:
        table = polars.DataFrame(frame.to_dict("list"))
        tables.append(table.with_columns(polars.col("c").cast(polars.Categorical)))
    assert open_table(tables[0], "data").count_by(["c"]).columns["c"].kind == "character"
    assert same(figures(*tables, compat), figures(*frames, compat))


@pytest.mark.needs("pyarrow")
@pytest.mark.parametrize("compat", ["r", "corrected"])
@pytest.mark.parametrize("text", ["string", "large_string"])
def test_a_dictionary_of_arrow_is_a_factor_with_its_levels(compat, text):
    import pyarrow as pa

    tables = []
    for places in (SYNTHETIC, ORIGINAL):
        frame = records(FACTOR.values, places)
        codes = [None if pd.isna(value) else LEVELS.index(value) for value in frame["c"]]
        levels = pa.array(LEVELS, getattr(pa, text)())
        column = pa.DictionaryArray.from_arrays(pa.array(codes, pa.int8()), levels)
        table = pa.table({"k": frame["k"], "c": column, "t": frame["t"]})
        tables.append(table)
    assert same(figures(*tables, compat), factors(compat))


@pytest.mark.needs("engines", "ibis", "postgres")
def test_an_enum_of_postgres_is_text(database):
    database.raw_sql("DROP TYPE IF EXISTS size CASCADE; CREATE TYPE size AS ENUM ('q', 'a', 'z')")
    values = rows_in_sql(FACTOR, ORIGINAL, "size")
    database.raw_sql(
        "DROP TABLE IF EXISTS sized; CREATE TABLE sized (k TEXT, c size, t TEXT);"
        f" INSERT INTO sized VALUES {values}"
    ).close()
    original = records(FACTOR.values, ORIGINAL)
    synthetic = records(FACTOR.values, SYNTHETIC)
    assert same(figures(synthetic, database.table("sized")), figures(synthetic, original))


# ---- blanks, flags, zones ------------------------------------------------------------


@pytest.mark.needs("engines", "ibis", "postgres")
def test_blanks_that_char_adds_are_told_where_only_one_side_has_them(database):
    frame = records(["p", "q", "r", "s"], ORIGINAL)
    padded = records(["p   ", "q   ", "r   ", "s   "], ORIGINAL)
    values = ", ".join(map(str, frame.itertuples(index=False, name=None)))
    database.raw_sql(
        "DROP TABLE IF EXISTS padded; CREATE TABLE padded (k TEXT, c CHAR(4), t TEXT);"
        f" INSERT INTO padded VALUES {values}"
    ).close()
    table = database.table("padded")
    assert same(figures(table, table), figures(padded, padded))
    with pytest.warns(DataWarning, match="blanks"):
        disclosure(frame, table, ["k", "c"], "t", print_flag=False)


@pytest.mark.needs("ibis", "pyarrow")
def test_flags_that_are_whole_numbers_are_not_compared_with_true_and_false(in_sqlite):
    """SQLite has no type for flags: 0 and 1 are numbers unless the column is declared BOOLEAN."""
    flags = pd.DataFrame({"k": [True, False, True], "t": list("xyx")})
    statements = "INSERT INTO {0} VALUES (1, 'x'), (0, 'y'), (1, 'x')"
    numbers = in_sqlite(
        "numbers", "CREATE TABLE numbers (k INTEGER, t TEXT)", statements.format("numbers")
    )
    with pytest.raises(InputError, match="'k': holds numbers, the original data hold True and"):
        disclosure(numbers, flags, ["k"], "t", print_flag=False)
    declared = in_sqlite(
        "flags", "CREATE TABLE flags (k BOOLEAN, t TEXT)", statements.format("flags")
    )
    expected = disclosure(flags, flags, ["k"], "t", print_flag=False).to_dict()
    assert disclosure(declared, flags, ["k"], "t", print_flag=False).to_dict() == expected


# ---- values that are refused ---------------------------------------------------------

REFUSED = {
    "INTEGER[]": "[1]",
    "INTEGER[1]": "[1]",
    "STRUCT(x INTEGER)": "{'x': 1}",
    "BLOB": "'p'",
    "INTERVAL": "INTERVAL 1 MONTH",
    "TIME": "'01:00:00'",
}


@pytest.mark.needs("duckdb", "pyarrow")
@pytest.mark.parametrize("kind", REFUSED)
def test_types_that_cannot_be_compared(duck, kind):
    table = duck.sql(f"SELECT CAST({REFUSED[kind]} AS {kind}) AS c, 'x' AS t")
    with pytest.raises(InputError, match=r"^data, column 'c': columns of type .* cannot be compar"):
        disclosure(table, table, ["c"], "t", print_flag=False)
    # what nobody asks about may be of any type
    assert EngineTable(table, "data").count_by(["t"]).n.tolist() == [1]
    text = table.project("CAST(c AS VARCHAR) AS c, t")
    assert EngineTable(text, "data").count_by(["c"]).columns["c"].kind == "character"


@pytest.mark.needs("duckdb", "pyarrow")
@pytest.mark.parametrize(
    "kind, value, says",
    [
        ("HUGEINT", "170141183460469231731687303715884105727", "beyond 64 bits"),
        ("UBIGINT", "18446744073709551615", "beyond 64 bits"),
        ("DATE", "'infinity'", "that pandas cannot hold"),
        ("TIMESTAMP", "'1066-10-14 09:00:00'", "outside the years 1678 to 2261"),
    ],
)
def test_values_without_a_place(duck, kind, value, says):
    table = duck.sql(f"SELECT CAST({value} AS {kind}) AS c, 'x' AS t")
    with pytest.raises(InputError, match=f"^data, column 'c': .*{says}"):
        EngineTable(table, "data").count_by(["c"])


@pytest.mark.needs("polars", "pyarrow")
def test_types_of_polars_that_cannot_be_compared():
    import polars

    for dtype, value in ((polars.Int128, 1), (polars.List(polars.Int8), [1]), (polars.Time, None)):
        frame = polars.DataFrame({"c": polars.Series([value], dtype=dtype)})
        with pytest.raises(InputError, match=r"^data, column 'c': columns of type"):
            open_table(frame, "data").count_by(["c"])


@pytest.mark.needs("engines", "ibis", "postgres")
def test_values_of_postgres_that_arrow_has_no_type_for(database):
    database.raw_sql(
        "DROP TABLE IF EXISTS odd; CREATE TABLE odd (a NUMERIC, b NUMERIC, c DATE, d INTERVAL);"
        " INSERT INTO odd VALUES ('NaN', 1e-30, '0044-03-15 BC', '1.5 s')"
    ).close()
    opened = EngineTable(database.table("odd"), "data")
    for name in "abc":
        with pytest.raises(InputError, match=r"outside Arrow's types, such as"):
            opened.count_by([name])
    with pytest.raises(InputError, match="column 'd': columns of type Duration"):
        opened.count_by(["d"])


SQLITE_VALUES = {
    "a fraction among whole numbers": ("INTEGER", "1.5"),
    "a text among whole numbers": ("INTEGER", "'p'"),
    "a long number among short ones": ("SMALLINT", "100000"),
    "a third flag": ("BOOLEAN", "2"),
    "a text among reals": ("REAL", "'p'"),
    "more decimals than declared": ("DECIMAL(10, 2)", "1.005"),
    "a time among dates": ("DATE", "'2020-01-01 10:00:00'"),
    "a number among dates": ("DATE", "18262"),
    "no time": ("TIMESTAMP", "'p'"),
    "bytes among texts": ("TEXT", "x'61'"),
}


@pytest.mark.needs("ibis", "pyarrow")
@pytest.mark.parametrize("name", SQLITE_VALUES)
def test_values_that_are_not_of_the_declared_type(in_sqlite, name):
    """SQLite stores them; Ibis would cut 1.5 to 1, and two levels would be one."""
    kind, value = SQLITE_VALUES[name]
    table = in_sqlite(
        "odd", f"CREATE TABLE odd (c {kind}, t TEXT)", f"INSERT INTO odd VALUES ({value}, 'x')"
    )
    with pytest.raises(InputError, match=r"^data, column 'c': holds values that are not of its d"):
        EngineTable(table, "data").count_by(["c", "t"])
    assert EngineTable(table, "data").count_by(["t"]).n.tolist() == [1]


@pytest.mark.needs("ibis", "pyarrow")
def test_long_whole_numbers_in_a_numeric_column(in_sqlite):
    long = 2**53 + 1
    table = in_sqlite(
        "long", "CREATE TABLE long (c NUMERIC)", f"INSERT INTO long VALUES ({long}), ({long - 1})"
    )
    column = EngineTable(table, "data").count_by(["c"]).columns["c"]
    assert sorted(column.values.tolist()) == [long - 1, long]


@pytest.mark.needs("ibis", "pyarrow")
def test_long_whole_numbers_beside_missing_ones_keep_their_digits(in_sqlite):
    table = in_sqlite(
        "gaps",
        "CREATE TABLE gaps (a BIGINT, b BIGINT, c TEXT)",
        f"INSERT INTO gaps VALUES ({2**53}, {2**53}, 'x'), ({2**53 + 1}, {-(2**63)}, 'x')",
    )
    for more in ("(NULL, 7, 'x')", "(NULL, NULL, 'x')"):
        found = EngineTable(table, "data").count_by(["a", "b"]).columns
        assert sorted(found["a"].present().tolist()) == [2**53, 2**53 + 1]
        assert {2**53, -(2**63)} <= set(found["b"].present().tolist())
        in_sqlite("gaps", f"INSERT INTO gaps VALUES {more}")


# ---- names ---------------------------------------------------------------------------

NAMES = ['say "hi"', "a.b", "two words", "select", "größe", "it's", "back`tick", "100%", "{x}"]


@pytest.mark.needs("duckdb", "pyarrow")
def test_names_in_duckdb(duck):
    frame = named_frame()
    assert_names(frame, duck.sql("SELECT * FROM frame"))


@pytest.mark.needs("polars", "pyarrow")
def test_names_in_polars():
    import polars

    frame = named_frame()
    assert_names(frame, polars.DataFrame(frame.to_dict("list")).lazy())


@pytest.mark.needs("ibis", "pyarrow")
def test_names_in_sqlite(in_sqlite):
    frame = named_frame()
    quoted = ", ".join('"' + name.replace('"', '""') + '" TEXT' for name in frame)
    values = ", ".join(map(str, frame.itertuples(index=False, name=None)))
    table = in_sqlite(
        "named", f"CREATE TABLE named ({quoted})", f"INSERT INTO named VALUES {values}"
    )
    assert_names(frame, table)


def named_frame() -> pd.DataFrame:
    rng = np.random.default_rng(3)
    return pd.DataFrame({name: rng.choice(["p", "q"], 12) for name in NAMES})


def assert_names(frame: pd.DataFrame, table: Any) -> None:
    """Each name as a key, and as a target."""
    for key, target in zip(NAMES, [*NAMES[1:], NAMES[0]]):
        found = disclosure(table, table, [key], target, print_flag=False, compat="corrected")
        expected = disclosure(frame, frame, [key], target, print_flag=False, compat="corrected")
        assert same(found.to_dict(), expected.to_dict())


# ---- tables --------------------------------------------------------------------------


@pytest.mark.needs("duckdb", "pyarrow")
def test_an_empty_table_is_refused_as_an_empty_frame_is(duck):
    frame = records(["p", "q", "r", "s"], ORIGINAL)
    empty = duck.sql("SELECT * FROM frame WHERE k = 'nobody'")
    with pytest.raises(InputError, match=r"^object: has no rows"):
        disclosure(empty, frame, ["k"], "t")
    with pytest.raises(InputError, match=r"^data: has no rows"):
        disclosure(frame, empty, ["k"], "t")


@pytest.mark.needs("duckdb", "pyarrow")
@pytest.mark.parametrize("compat", ["r", "corrected"])
def test_groups_may_come_in_any_order(duck, compat, monkeypatch):
    """What engines give in threads they give in any order: shuffled answers, the same figures."""
    frame = records(["p", "q", "r", "s"], ORIGINAL)
    synthetic = records(["p", "q", "r", "s"], SYNTHETIC)
    expected = figures(synthetic, frame, compat)
    grouped, rng, shuffled = EngineTable._grouped, np.random.default_rng(0), []

    def in_another_order(table: EngineTable, fields: Any) -> Any:
        rows = grouped(table, fields).collect(backend="pyarrow")
        shuffled.append(rows.sample(fraction=1.0, seed=int(rng.integers(1000))))
        return shuffled[-1]

    monkeypatch.setattr(EngineTable, "_grouped", in_another_order)
    tables = [duck.sql("SELECT * FROM synthetic"), duck.sql("SELECT * FROM frame")]
    for _ in range(5):
        assert same(figures(*tables, compat), expected)
    assert len(shuffled) >= 20


@pytest.mark.needs("duckdb", "pyarrow")
def test_a_table_that_changes_between_two_queries(duck):
    duck.execute("CREATE TABLE people AS SELECT 'a' AS k, 'x' AS t")
    opened = EngineTable(duck.table("people"), "data")
    assert opened.records == 1
    duck.execute("INSERT INTO people VALUES ('b', 'y')")
    with pytest.raises(InputError, match="records changed while they were counted, from 1 to 2;"):
        opened.count_by(["k"])


@pytest.mark.needs("duckdb", "pyarrow")
def test_a_table_that_vanishes_and_a_connection_that_is_closed(duck):
    frame = records(["p", "q", "r", "s"], ORIGINAL)
    duck.execute("CREATE TABLE people AS SELECT * FROM frame")
    table = duck.table("people")
    duck.execute("DROP TABLE people")
    says = "^data: duckdb could not count its records .* check that the connection is open"
    with pytest.raises(InputError, match=says):
        disclosure(frame, table, ["k"], "t")
    duck.execute("CREATE TABLE people AS SELECT * FROM frame")
    table = duck.table("people")
    duck.close()
    with pytest.raises(
        InputError, match=r"^data: duckdb could not count .* check that the connection is open"
    ):
        disclosure(frame, table, ["k"], "t")


@pytest.mark.needs("ibis", "pyarrow")
def test_the_same_for_a_database_through_ibis(in_sqlite):
    frame = records(["p", "q", "r", "s"], ORIGINAL)
    table = in_sqlite("people", "CREATE TABLE people (k TEXT, t TEXT)")
    table.get_backend().disconnect()
    with pytest.raises(
        InputError, match=r"^data: ibis could not count .* check that the connection is open"
    ):
        disclosure(frame, table, ["k"], "t")


@pytest.mark.needs("engines", "pyspark")
def test_a_type_that_spark_cannot_group_by_becomes_text(spark):
    table = spark.sql("SELECT parse_json('{\"a\":1}') AS c")
    assert EngineTable(table, "data").count_by(["c"]).columns["c"].labels == ('{"a":1}',)
