"""The call to Postgres that the page on databases shows, run against a server."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from synthpop_py import datasets, disclosure
from tests.unit.test_counted_tables import same

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning")

PAGE = Path(__file__).resolve().parents[2] / "docs" / "src" / "how-to" / "from-a-database.md"
COLUMNS = ["sex", "age", "region", "placesize", "depress"]


@pytest.mark.needs("engines", "ibis", "postgres")
def test_the_page_on_databases_says_how_postgres_is_asked(postgres, monkeypatch):
    import ibis
    import psycopg

    page = PAGE.read_text(encoding="utf-8")
    blocks = re.findall(r"```python[^\n]*\n(.+?)```", page, flags=re.S)
    (block,) = [text for text in blocks if "ibis.postgres.connect" in text]
    frames = {
        "original": datasets.load("SD2011")[COLUMNS],
        "synthetic": datasets.load_synthesis("SD2011_s1").syn[0][COLUMNS],
    }
    with psycopg.connect(**postgres) as connection:
        for name, frame in frames.items():
            fields = "sex TEXT, age INTEGER, region TEXT, placesize TEXT, depress INTEGER"
            connection.execute(f"DROP TABLE IF EXISTS {name}; CREATE TABLE {name} ({fields})")
            rows = frame.astype(object).where(frame.notna(), None)
            connection.cursor().executemany(
                f"INSERT INTO {name} VALUES (%s, %s, %s, %s, %s)",
                list(rows.itertuples(index=False, name=None)),
            )
    database = ibis.postgres.connect(
        host=postgres["host"], user=postgres["user"], database=postgres["dbname"]
    )
    monkeypatch.setattr(ibis.postgres, "connect", lambda **_: database)
    names: dict = {}
    exec(block, names)
    expected = disclosure(
        frames["synthetic"],
        frames["original"],
        COLUMNS[:-1],
        "depress",
        compat="corrected",
        print_flag=False,
    )
    assert same(names["result"].tidy()["value"].tolist(), expected.tidy()["value"].tolist())
    database.disconnect()
