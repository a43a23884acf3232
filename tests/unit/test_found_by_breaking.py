"""Faults that an attempt to break the package found: files, pictures, infinite numbers."""

from __future__ import annotations

import gc
import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from synthpop_py import RDefectWarning, SynDS, disclosure, ru_map
from synthpop_py.cli import main

CALL = {"keys": ["k"], "target": "t", "compat": "corrected", "print_flag": False}
PEOPLE = pd.DataFrame({"k": ["a", "b"] * 20, "t": ["x", "y", "z", "x"] * 10})


@pytest.mark.needs("duckdb")
def test_two_tables_of_one_duckdb_file(tmp_path):
    import duckdb

    file = tmp_path / "people.duckdb"
    with duckdb.connect(str(file)) as database:
        database.register("people", PEOPLE)
        database.execute("CREATE TABLE o AS FROM people")
        database.execute("CREATE TABLE s AS FROM people LIMIT 30")
    from_file = disclosure(f"{file}::s", f"{file}::o", **CALL)
    assert from_file.attrib.equals(disclosure(PEOPLE.head(30), PEOPLE, **CALL).attrib)
    assert list(tmp_path.iterdir()) == [file]


@pytest.mark.needs("matplotlib")
def test_a_picture_that_was_saved_is_gone(tmp_path):
    from matplotlib.figure import Figure

    def living() -> int:
        gc.collect()
        return sum(isinstance(one, Figure) for one in gc.get_objects())

    before = living()
    result = disclosure(PEOPLE, PEOPLE, **CALL)
    releases = {f"release {number}": PEOPLE.head(20 + number) for number in range(15)}
    compared = ru_map(releases, PEOPLE, keys=["k"])  # so many names have a key beside the axes
    for number in range(10):
        result.save_plot(tmp_path / f"{number}.png")
        compared.save_plot(tmp_path / f"map {number}.png")
    assert living() <= before


@pytest.mark.parametrize("texts", [("inf", "-inf"), ("Inf", "-Inf"), ("Infinity", "-INF")])
@pytest.mark.parametrize("numbers_released", [True, False])
def test_infinite_numbers_meet_their_texts(texts, numbers_released):
    numbers = pd.DataFrame({"k": np.repeat([np.inf, -np.inf, 1], 4), "t": list("xy") * 6})
    written = numbers.assign(k=np.repeat([*texts, "1"], 4))
    tables = (numbers, written) if numbers_released else (written, numbers)
    assert disclosure(*tables, **CALL).attrib["iS"].tolist() == [100]


@pytest.mark.parametrize("text, repu", [(["--text", "k"], 4), ([], 2)])
def test_na_is_a_value_of_a_column_that_is_text(text, repu, tmp_path, monkeypatch, capsys):
    """Four people: Namibia, Poland, Sweden, and one of whom nothing is known."""
    monkeypatch.chdir(tmp_path)
    Path("people.csv").write_text("k,t\nNA,x\nPL,x\nSE,y\n,y\n")
    words = ["risk", "--synthetic", "people.csv", "--original", "people.csv", "--keys", "k", *text]
    assert main([*words, "--round-to", "1", "--json"]) == 0
    figures = json.loads(capsys.readouterr().out)["figures"]
    assert [one["people"] for one in figures if one["measure"] == "repU"] == [repu]


@pytest.mark.parametrize("least", [20, 100])
def test_d11_is_named_where_r_shows_a_row_of_na(least):
    """R looks for a level "a" of the key, which has none, whatever the share of the pair is."""
    data = pd.DataFrame({"k": ["a|b"] * 9 + ["c"] * 3, "t": ["x"] * 9 + ["y"] * 3})
    data = data.astype("category")
    with pytest.warns(RDefectWarning, match=r"\bD11, "):
        result = disclosure(data, data, ["k"], "t", thresh_2way=[0, least], print_flag=False)
    assert [finding.id for finding in result.defects] == ["D11"]


@pytest.mark.parametrize("column", ["k", "t"])
def test_d11_is_not_named_where_r_stops(column):
    """A target of texts, or one whose piece is no level: there is no figure of R's."""
    data = pd.DataFrame({"k": ["a"] * 9 + ["c"] * 3, "t": ["x"] * 9 + ["y"] * 3})
    data[column] = data[column] + "|b"
    if column == "t":
        data = data.astype("category")
    call = {"keys": ["k"], "target": "t", "thresh_2way": [0, 20], "print_flag": False}
    assert not disclosure(SynDS(data), data, **call).defects
