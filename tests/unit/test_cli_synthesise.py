"""``synthesise``: what it reads and writes, and what it refuses."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from synthpop_py import syn
from synthpop_py.cli import commands, main

ROOT = Path(__file__).resolve().parents[2]
SEED = 987654321


@pytest.fixture
def people(tmp_path, monkeypatch) -> pd.DataFrame:
    """A table in people.csv, in the folder that the command is run in."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(1)
    frame = pd.DataFrame(
        {
            "sex": rng.choice(["f", "m"], 80),
            "age": rng.integers(18, 80, 80),
            "income": np.where(rng.random(80) < 0.3, -8, rng.integers(500, 900, 80)),
        }
    )
    frame.to_csv("people.csv", index=False)
    return pd.read_csv("people.csv")


def run(*words: str) -> int:
    return main(["synthesise", *words])


def test_the_data_are_those_of_syn(people, capsys):
    assert run("people.csv", "--seed", "7", "-o", "out.csv", "--cont-na", "income=-8") == 0
    wanted = syn(people, seed=7, cont_na={"income": -8}, print_flag=False).syn[0]
    made = pd.read_csv("out.csv")
    pd.testing.assert_frame_equal(made, wanted, check_dtype=False)
    assert capsys.readouterr().out == "out.csv: 80 records, 3 columns\n"
    assert "." not in Path("out.csv").read_text()  # whole numbers are written as such


@pytest.mark.filterwarnings("ignore::synthpop_py.DataWarning")
def test_every_option_arrives(people):
    words = ["--m", "2", "--reproducible", "--visit-sequence", "age, sex"]
    words += ["--keep-unsynthesised"]
    words += ["--method", "age=sample", "--method", "sex=sample"]
    assert run("people.csv", "--seed", "-7", "-o", "out.csv", *words) == 0
    wanted = syn(
        people,
        {"age": "sample", "sex": "sample"},
        ["age", "sex"],
        m=2,
        seed=-7,
        reproducible=True,
        print_flag=False,
    )
    for number, frame in enumerate(wanted.syn, start=1):
        made = pd.read_csv(f"out-{number}.csv")
        pd.testing.assert_frame_equal(made, frame, check_dtype=False)
    assert not Path("out.csv").exists()


def test_without_a_seed_every_run_differs_and_no_seed_is_written(people):
    run("people.csv", "-o", "one.csv")
    run("people.csv", "-o", "two.csv")
    assert Path("one.csv").read_text() != Path("two.csv").read_text()


@pytest.mark.parametrize(
    "name", ["out.csv", "out.csv.gz", pytest.param("out.rds", marks=pytest.mark.needs("rdata"))]
)
def test_the_seed_is_in_no_file(people, name, capsys):
    assert run("people.csv", "--seed", str(SEED), "-o", name) == 0
    said = capsys.readouterr()
    assert str(SEED) not in said.out + said.err
    assert str(SEED).encode() not in Path(name).read_bytes()
    assert sorted(path.name for path in Path().iterdir()) == sorted(["people.csv", name])


@pytest.mark.needs("pyarrow")
def test_parquet_in_and_out(people):
    people.to_parquet("people.parquet", index=False)
    assert run("people.parquet", "--seed", "7", "-o", "out.parquet") == 0
    wanted = syn(people, seed=7, print_flag=False).syn[0]
    pd.testing.assert_frame_equal(pd.read_parquet("out.parquet"), wanted)


@pytest.mark.needs("rdata")
def test_r_s_files_in_and_out(people, capsys):
    from synthpop_py import read_synds

    assert run("people.csv", "--seed", "7", "--m", "2", "-o", "out.rds") == 0
    assert read_synds("out.rds").m == 2
    file = str(ROOT / "fixtures" / "r_files" / "ods.rds")
    assert run(file, "-o", "of_r.csv", "--visit-sequence", "region,grade") == 0
    assert len(pd.read_csv("of_r.csv")) == 6
    capsys.readouterr()
    assert run("out.rds", "-o", "x.csv") == 2
    assert "'out.rds' holds 2 tables, and one is needed" in capsys.readouterr().err


# ---- refusals ----------------------------------------------------------------------------

BAD = {
    "no file": (["none.csv", "-o", "x.csv"], "data: there is no file 'none.csv'"),
    "misspelt file": (["poeple.csv", "-o", "x.csv"], "did you mean 'people.csv'?"),
    "unknown kind": (["x.xlsx", "-o", "x.csv"], "data: 'x.xlsx' cannot be read: its"),
    "a database": (["people.duckdb", "-o", "x.csv"], "did you mean 'people.csv'?"),
    "unknown output": (["people.csv", "-o", "x.doc"], "x.doc cannot be written; choices: .csv"),
    "no folder": (["people.csv", "-o", "no/x.csv"], "the folder of no/x.csv does not exist"),
    "the original": (
        ["people.csv", "-o", "people.csv", "--force"],
        "people.csv is one of the files to read",
    ),
    "exists": (
        ["people.csv", "-o", "there.csv"],
        "there.csv exists; give another name, or --force",
    ),
    "unknown method": (["people.csv", "-o", "x.csv", "--method", "crt"], "did you mean 'cart'"),
    "mixed methods": (
        ["people.csv", "-o", "x.csv", "--method", "cart", "--method", "sex=sample"],
        "--method: give one value for all columns, or COLUMN=VALUE each time",
    ),
    "no pair": (
        ["people.csv", "-o", "x.csv", "--method", "=x"],
        "'=x' is not written as NAME=VALUE",
    ),
    "no number": (["people.csv", "-o", "x.csv", "--cont-na", "income=a"], "value: 'income=a'"),
    "unknown column": (["people.csv", "-o", "x.csv", "--cont-na", "incme=-8"], "'income'"),
    "text": (["people.csv", "-o", "x.csv", "--text", "sx"], "--text: 'sx' is not a column of the"),
    "no sets": (["people.csv", "-o", "x.csv", "--m", "0"], "--m: 0 sets means nothing to write"),
    "damaged": (["damaged.csv", "-o", "x.csv"], "'damaged.csv' cannot be read as CSV"),
    "empty": (["empty.csv", "-o", "x.csv"], "'empty.csv' is empty"),
}


@pytest.mark.parametrize("words, says", BAD.values(), ids=BAD)
def test_bad_input_is_one_sentence_and_code_2(people, capsys, words, says):
    Path("there.csv").write_text("mine")
    Path("damaged.csv").write_bytes(b"a,b\n1,2,3\n1\xff,2\n4,5,6,7\n")
    Path("empty.csv").write_text("")
    assert run(*words) == 2
    told = capsys.readouterr()
    assert says in told.err and told.err.startswith("synthpop-disclosure")
    assert told.err.count("\n") == 1 and told.out == ""
    assert Path("there.csv").read_text() == "mine"
    assert sorted(path.name for path in Path().iterdir()) == [
        "damaged.csv",
        "empty.csv",
        "people.csv",
        "there.csv",
    ]


def test_nothing_is_left_of_what_could_not_be_written(people, monkeypatch):
    """The second set fails: neither file appears, and the old one stays."""
    Path("out-1.csv").write_text("old")
    written = []

    def fails(frame, path):
        if written:
            raise OSError(28, "No space left on device", str(path))
        written.append(path)
        path.write_text("new")

    monkeypatch.setattr(commands, "_write_frame", fails)
    assert run("people.csv", "--m", "2", "-o", "out.csv", "--force") == 2
    assert Path("out-1.csv").read_text() == "old"
    assert sorted(path.name for path in Path().iterdir()) == ["out-1.csv", "people.csv"]


# ---- factors with many levels --------------------------------------------------------------


def write_codes(levels: int) -> None:
    """A factor with many levels before one with three classes, which it would predict."""
    codes = [f"code {number}" for number in range(levels)] * 3
    town = ["a", "b", "c"] * levels
    pd.DataFrame({"code": codes, "town": town}).to_csv("codes.csv", index=False)


def test_a_factor_with_many_levels_is_refused_with_the_option_that_helps(people, capsys):
    write_codes(33)
    assert run("codes.csv", "-o", "out.csv") == 2
    told = capsys.readouterr().err
    assert told.startswith("synthpop-disclosure: --visit-sequence: 'code' has 33 levels")
    assert "tries 2^32 subsets; put it last in --visit-sequence" in told
    assert "predictor_matrix" not in told
    assert run("codes.csv", "-o", "out.csv", "--visit-sequence", "town,code") == 0


def test_the_most_levels_of_a_factor_can_be_raised(people, capsys):
    write_codes(61)
    words = ["codes.csv", "-o", "out.csv", "--visit-sequence", "town,code"]
    assert run(*words) == 2
    told = capsys.readouterr().err
    assert "has 61 levels, more than --maxfaclevels 60; drop the column, group its" in told
    assert "--visit-sequence" not in told
    assert run(*words, "--maxfaclevels", "61") == 0


def test_a_seed_that_can_be_undone_is_a_note(people, capsys):
    """Sampled columns can be put back by whoever has the seed (decision 0013)."""
    words = ["people.csv", "--seed", "1", "--method", "sample", "-o", "out.csv", "--force"]
    assert run(*words) == 0
    assert capsys.readouterr().err.startswith("note: --seed: can be guessed")
    assert run(*words, "--reproducible") == 0
    assert capsys.readouterr().err == ""
