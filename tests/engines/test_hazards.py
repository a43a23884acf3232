"""What can go wrong between an engine's values and ours, one test each. The yardstick: figures are
those of the pandas frame with the same values, or a sentence says why there are none.
"""

from __future__ import annotations

import warnings
from decimal import Decimal
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import pytest

from synthpop_py import DataWarning, InputError, RDefectWarning, disclosure
from synthpop_py.tables.engine import EngineTable
from synthpop_py.tables.opening import open_table
from tests.engines.conftest import NEEDS_OF_SQL
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


class Hazard(NamedTuple):
    """Four values in pandas and in SQL, the column's type by engine and in pandas."""

    values: list[Any]
    sql: list[str]
    types: dict[str, str]
    dtype: Any = None


def types(duckdb: str = "", sqlite: str = "", postgres: str = "", spark: str = "") -> dict:
    given = {"duckdb": duckdb, "sqlite": sqlite, "postgres": postgres, "spark": spark}
    return {engine: kind for engine, kind in given.items() if kind}


def quoted(texts: list[str | None]) -> list[str]:
    return ["NULL" if text is None else f"'{text}'" for text in texts]


TEXT, DAY = types(*["VARCHAR(9)"] * 4), types(*["DATE"] * 4)
REAL = types("DOUBLE", "REAL", "DOUBLE PRECISION", "DOUBLE")
ZONED = types("TIMESTAMPTZ", "", "TIMESTAMPTZ", "TIMESTAMP")
MOMENTS = ["2020-01-01 01:00:00", "2020-01-01 23:30:00", "2020-07-01 01:00:00", None]
IN_UTC = ["2020-01-01 00:00:00+00", "2020-01-01 22:30:00+00", "2020-06-30 23:00:00+00", None]
MIDNIGHTS = ["2020-01-01 00:00:00+00", "2020-01-02 02:00:00+02", "2020-01-03 00:00:00+00", None]
DAYS = ["2020-01-01", "2020-02-29", None, "1066-10-14"]
IDS = [f"00000000-0000-0000-0000-00000000000{number}" for number in range(4)]
LONG = [2**53, 2**53 + 1, -5, 2**63 - 1]
HAZARDS = {
    "NULL and NaN": Hazard(
        [1.5, None, np.nan, 2.5],
        ["1.5", "NULL", "CAST('NaN' AS <type>)", "2.5"],
        {engine: kind for engine, kind in REAL.items() if engine != "sqlite"},
        float,
    ),
    "NULL in text": Hazard(["p", None, "", "NA"], quoted(["p", None, "", "NA"]), TEXT),
    "minus zero": Hazard(
        [0.0, -0.0, 1.0, 2.0], ["0.0", "CAST('-0' AS <type>)", "1.0", "2.0"], REAL, float
    ),
    "decimals": Hazard(
        [Decimal("1.50"), Decimal("2.00"), None, Decimal("100000.00")],
        ["1.50", "2.00", "NULL", "100000.00"],
        types(*["DECIMAL(20, 2)"] * 4),
        object,
    ),
    "decimals without a size": Hazard(
        [Decimal("1.5"), Decimal("2"), None, Decimal("0.000000001")],
        ["1.5", "2", "NULL", "0.000000001"],
        types(postgres="NUMERIC"),
        object,
    ),
    "short reals": Hazard(
        [0.1, 0.7, 3.0, None],
        ["0.1", "0.7", "3", "NULL"],
        types("FLOAT", "", "REAL", "FLOAT"),
        float,
    ),
    "long reals": Hazard(
        [0.1, 1 / 3, 1e300, 1e-7], ["0.1", "0.3333333333333333", "1e300", "1e-7"], REAL, float
    ),
    "dates": Hazard([day and pd.Timestamp(day) for day in DAYS], quoted(DAYS), DAY, "M8[s]"),
    "times": Hazard(
        MOMENTS, quoted(MOMENTS), types(*["TIMESTAMP"] * 3, "TIMESTAMP_NTZ"), "datetime64[us]"
    ),
    "times with a zone": Hazard(
        [moment and pd.Timestamp(moment, tz="Europe/Oslo") for moment in MOMENTS],
        quoted(IN_UTC),
        ZONED,
        "datetime64[us, Europe/Oslo]",
    ),
    "midnights with a zone": Hazard(
        pd.to_datetime(["2020-01-01", "2020-01-02", "2020-01-03", None], utc=True).tolist(),
        quoted(MIDNIGHTS),
        ZONED,
        "datetime64[us, UTC]",
    ),
    "unsigned": Hazard(
        [0, 255, 2**63 - 1, 7], ["0", "255", str(2**63 - 1), "7"], types("UBIGINT"), np.uint64
    ),
    "128 bits": Hazard(
        LONG,
        list(map(str, LONG)),
        types("HUGEINT", "", "NUMERIC(20, 0)", "DECIMAL(38, 0)"),
        np.int64,
    ),
    "long whole numbers with gaps": Hazard(
        [2**53, 2**53 + 1, None, -5],
        [str(2**53), str(2**53 + 1), "NULL", "-5"],
        types(*["BIGINT"] * 4),
        "Int64",
    ),
    "True and False": Hazard(
        [True, False, None, True],
        ["TRUE", "FALSE", "NULL", "TRUE"],
        types(*["BOOLEAN"] * 4),
        object,
    ),
    "letters of all kinds": Hazard(
        ["Ærø", "'", '"', "日本"], ["'Ærø'", "''''", "'\"'", "'日本'"], TEXT
    ),
    "texts of numbers": Hazard(["1", "1.0", "01", "1e0"], quoted(["1", "1.0", "01", "1e0"]), TEXT),
    "UUID": Hazard(IDS, quoted(IDS), types("UUID", "", "UUID")),
    "JSON": Hazard(
        ['{"a":1}', '{"a": 1}', "[]", None],
        quoted(['{"a":1}', '{"a": 1}', "[]", None]),
        types(*["JSON"] * 3),
    ),
    "bits and addresses": Hazard(
        ["101", "111", None, "000"], quoted(["101", "111", None, "000"]), types("BIT", "", "BIT(3)")
    ),
}


def in_engines() -> list[Any]:
    found = []
    for name, hazard in HAZARDS.items():
        for engine in hazard.types:
            mark = pytest.mark.needs(*NEEDS_OF_SQL[engine])
            found.append(pytest.param(engine, name, marks=mark, id=f"{engine}-{name}"))
    return found


def rows_in_sql(hazard: Hazard, places: list[int], kind: str, write: str = "CAST({0} AS {1})"):
    """What follows VALUES: the records as SQL."""
    rows = []
    for key, text, target in records(hazard.sql, places).itertuples(index=False):
        value = write.format(text.replace("<type>", kind), kind)
        rows.append(f"('{key}', {value}, '{target}')")
    return ", ".join(rows)


@pytest.mark.parametrize("engine, name", in_engines())
def test_the_same_values_give_the_same_figures(put, engine, name):
    """Both tables in the engine, and one there and one here, give what two frames give."""
    hazard = HAZARDS[name]
    kind = hazard.types[engine]
    # a cast would make numbers of texts, SQLite has types for storage only
    write = "{0}" if engine == "sqlite" else "CAST({0} AS {1})"
    columns = {"k": "VARCHAR(9)", "c": kind, "t": "VARCHAR(9)"}
    tables = []
    for number, places in enumerate((ORIGINAL, SYNTHETIC)):
        rows = rows_in_sql(hazard, places, kind, write)
        if engine == "spark":
            rows = rows.replace("''''", '"\'"')
        tables.append(put(engine, f"hazard{number}", columns, rows))
    original = records(hazard.values, ORIGINAL, hazard.dtype)
    synthetic = records(hazard.values, SYNTHETIC, hazard.dtype)
    for compat in ("corrected", "r"):
        expected = figures(synthetic, original, compat)
        assert same(figures(tables[1], tables[0], compat), expected)
    assert same(figures(synthetic, tables[0]), figures(synthetic, original))


# ---- categories ----------------------------------------------------------------------

LEVELS = ["z", "q", "never", "a", "b"]
FACTOR = Hazard(["z", "a", None, "q"], ["'z'", "'a'", "NULL", "'q'"], {})


def enums_of_duckdb(places: list[int]) -> Any:
    import duckdb

    kind = f"ENUM({', '.join(quoted(LEVELS))})"
    rows = rows_in_sql(FACTOR, places, kind)
    return duckdb.sql(f"SELECT * FROM (VALUES {rows}) people(k, c, t)")


def enums_of_polars(places: list[int]) -> Any:
    import polars

    frame = polars.DataFrame(records(FACTOR.values, places, object).to_dict("list"))
    return frame.with_columns(polars.col("c").cast(polars.Enum(LEVELS)))


def dictionaries_of_arrow(places: list[int], text: str = "string") -> Any:
    import pyarrow as pa

    frame = records(FACTOR.values, places)
    codes = [None if pd.isna(value) else LEVELS.index(value) for value in frame["c"]]
    levels = pa.array(LEVELS, getattr(pa, text)())
    column = pa.DictionaryArray.from_arrays(pa.array(codes, pa.int8()), levels)
    return pa.table({"k": frame["k"], "c": column, "t": frame["t"]})


WITH_LEVELS = {
    "an enum of DuckDB": enums_of_duckdb,
    "an enum of polars": enums_of_polars,
    "a lazy one": lambda places: enums_of_polars(places).lazy(),
    "a dictionary of Arrow": dictionaries_of_arrow,
    "a large one": lambda places: dictionaries_of_arrow(places, "large_string"),
}


@pytest.mark.needs("duckdb", "polars", "pyarrow")
@pytest.mark.parametrize("compat", ["r", "corrected"])
@pytest.mark.parametrize("kind", WITH_LEVELS)
def test_categories_are_factors_with_their_levels(kind, compat):
    tables = [WITH_LEVELS[kind](places) for places in (SYNTHETIC, ORIGINAL)]
    column = open_table(tables[0], "data").count_by(["c"]).columns["c"]
    assert column.kind == "factor" and column.labels == tuple(LEVELS)
    dtype = pd.CategoricalDtype(LEVELS)
    frames = [records(FACTOR.values, places, dtype) for places in (SYNTHETIC, ORIGINAL)]
    assert same(figures(*tables, compat), figures(*frames, compat))


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


@pytest.mark.needs("engines", "ibis", "postgres")
def test_an_enum_of_postgres_is_text(database, put):
    database.raw_sql("DROP TYPE IF EXISTS size CASCADE; CREATE TYPE size AS ENUM ('q', 'a', 'z')")
    columns = {"k": "TEXT", "c": "size", "t": "TEXT"}
    table = put("postgres", "sized", columns, rows_in_sql(FACTOR, ORIGINAL, "size"))
    original = records(FACTOR.values, ORIGINAL)
    synthetic = records(FACTOR.values, SYNTHETIC)
    assert same(figures(synthetic, table), figures(synthetic, original))


# ---- blanks, flags -------------------------------------------------------------------


@pytest.mark.needs("engines", "ibis", "postgres")
def test_blanks_that_char_adds_are_told_where_only_one_side_has_them(put):
    frame = records(["p", "q", "r", "s"], ORIGINAL)
    padded = records(["p   ", "q   ", "r   ", "s   "], ORIGINAL)
    rows = ", ".join(map(str, frame.itertuples(index=False, name=None)))
    table = put("postgres", "padded", {"k": "TEXT", "c": "CHAR(4)", "t": "TEXT"}, rows)
    assert same(figures(table, table), figures(padded, padded))
    with pytest.warns(DataWarning, match="blanks"):
        disclosure(frame, table, ["k", "c"], "t", print_flag=False)


@pytest.mark.needs("ibis", "pyarrow")
def test_flags_that_are_whole_numbers_are_not_compared_with_true_and_false(put):
    """SQLite has no type for flags: 0 and 1 are numbers unless the column is declared BOOLEAN."""
    flags = pd.DataFrame({"k": [True, False, True], "t": list("xyx")})
    rows = "(1, 'x'), (0, 'y'), (1, 'x')"
    numbers = put("sqlite", "numbers", {"k": "INTEGER", "t": "TEXT"}, rows)
    with pytest.raises(InputError, match="'k': holds numbers, the original data hold True and"):
        disclosure(numbers, flags, ["k"], "t", print_flag=False)
    declared = put("sqlite", "flags", {"k": "BOOLEAN", "t": "TEXT"}, rows)
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
def test_values_that_are_not_of_the_declared_type(put, name):
    """SQLite stores them; Ibis would cut 1.5 to 1, and two levels would be one."""
    kind, value = SQLITE_VALUES[name]
    table = put("sqlite", "odd", {"c": kind, "t": "TEXT"}, f"({value}, 'x')")
    with pytest.raises(InputError, match=r"^data, column 'c': holds values that are not of its d"):
        EngineTable(table, "data").count_by(["c", "t"])
    assert EngineTable(table, "data").count_by(["t"]).n.tolist() == [1]


@pytest.mark.needs("ibis", "pyarrow")
@pytest.mark.parametrize("kind", ["NUMERIC", "BIGINT"])
def test_long_whole_numbers_keep_their_digits(put, kind):
    """Ibis makes doubles of them where one is missing."""
    table = put("sqlite", "long", {"c": kind}, f"({2**53}), ({2**53 + 1}), ({-(2**62)}), (NULL)")
    column = EngineTable(table, "data").count_by(["c"]).columns["c"]
    assert sorted(column.present().tolist()) == [-(2**62), 2**53, 2**53 + 1]


# ---- names ---------------------------------------------------------------------------

NAMES = ['say "hi"', "a.b", "two words", "select", "größe", "it's", "back`tick", "100%", "{x}"]


@pytest.mark.needs("duckdb", "polars", "ibis", "pyarrow")
@pytest.mark.parametrize("engine", ["duckdb", "polars", "sqlite"])
def test_names(put, engine):
    """Each name as a key, and as a target."""
    import polars

    rng = np.random.default_rng(3)
    frame = pd.DataFrame({name: rng.choice(["p", "q"], 12) for name in NAMES})
    if engine == "polars":
        table = polars.DataFrame(frame.to_dict("list")).lazy()
    else:
        columns = dict.fromkeys(['"' + name.replace('"', '""') + '"' for name in NAMES], "TEXT")
        rows = ", ".join(map(str, frame.itertuples(index=False, name=None)))
        table = put(engine, "named", columns, rows)
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


@pytest.mark.needs("duckdb", "ibis", "pyarrow")
def test_a_table_that_vanishes_and_a_connection_that_is_closed(duck, in_sqlite):
    frame = records(["p", "q", "r", "s"], ORIGINAL)
    duck.execute("CREATE TABLE gone AS SELECT * FROM frame")
    duck.execute("CREATE TABLE people AS SELECT * FROM frame")
    gone, closed = duck.table("gone"), duck.table("people")
    duck.execute("DROP TABLE gone")
    stored = in_sqlite("people", "CREATE TABLE people (k TEXT, t TEXT)")
    stored.get_backend().disconnect()
    for table, engine in ((gone, "duckdb"), (closed, "duckdb"), (stored, "ibis")):
        says = f"^data: {engine} could not count its records .* check that the connection is open"
        with pytest.raises(InputError, match=says):
            disclosure(frame, table, ["k"], "t")
        duck.close()


@pytest.mark.needs("engines", "pyspark")
def test_a_type_that_spark_cannot_group_by_becomes_text(spark):
    table = spark.sql("SELECT parse_json('{\"a\":1}') AS c")
    assert EngineTable(table, "data").count_by(["c"]).columns["c"].labels == ('{"a":1}',)
