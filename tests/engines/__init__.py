"""Tests that start engines: Spark, PostgreSQL, DuckDB, SQLite through Ibis (`make engines`)."""
