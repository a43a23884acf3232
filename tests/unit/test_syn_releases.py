"""`syn()` says which columns it gives back with their original values, and the command
`synthesise` leaves these out of its file.
"""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from synthpop_py import DataWarning, InputError, syn
from synthpop_py.cli import main

PEOPLE = pd.DataFrame(
    {
        "sex": pd.Categorical(["f", "m"] * 150),
        "age": [20 + number % 50 for number in range(300)],
        "born": pd.Categorical([f"day {number}" for number in range(300)]),
    }
)
QUIET = {"seed": 1, "reproducible": True, "print_flag": False}
VISITS = ["sex", "age"]
ONLY_PREDICTS = {"sex": "", "born": "sample"}


@pytest.mark.parametrize(
    "arguments, unchanged",
    [
        ({"visit_sequence": VISITS}, "'born'"),
        ({"visit_sequence": ["age"], "k": 40}, "'sex', 'born'"),
        ({"method": ONLY_PREDICTS}, "'sex'"),
    ],
)
def test_columns_with_original_values_are_named(arguments, unchanged):
    with pytest.warns(DataWarning) as given:
        made = syn(PEOPLE, **arguments, **QUIET)
    assert [str(one.message) for one in given] == [
        f"visit_sequence: {unchanged}: not synthesised, so the synthetic data hold the original"
        " values record by record; drop such a column before syn(), or add it to visit_sequence"
        " (with a method other than '')"
    ]
    assert made.notes == (f"original values, record by record: {unchanged}",)
    assert made.notes[0] in str(made)


@pytest.mark.parametrize(
    "arguments",
    [
        {"visit_sequence": VISITS, "drop_not_used": True},
        {"method": ONLY_PREDICTS, "drop_pred_only": True},
        {"visit_sequence": VISITS, "m": 0},
        {"method": {"born": "sample"}},
    ],
)
def test_nothing_is_said_where_none_comes_back(arguments):
    """Warnings are errors here."""
    assert syn(PEOPLE, **arguments, **QUIET).notes == ()


def test_a_column_that_only_counts_as_constant_is_noted_too():
    data = PEOPLE[VISITS].assign(died=np.where(np.arange(300) == 7, 2011.0, np.nan), land="PL")
    with pytest.warns(UserWarning, match="'died' counts as constant"):
        made = syn(data, minnumlevels=0, **QUIET)
    assert made.notes == ("original values, record by record: 'died'",)


def test_nobody_is_advised_to_leave_a_column_with_many_levels_out_of_the_order():
    with pytest.raises(InputError, match="drop the column, group its levels, convert it") as raised:
        syn(PEOPLE, **QUIET)
    assert "visit_sequence" not in str(raised.value)


@pytest.fixture
def synthesise(tmp_path, monkeypatch, capsys):
    """The columns that the command writes, and what it says on standard error."""
    monkeypatch.chdir(tmp_path)
    PEOPLE.to_csv("people.csv", index=False)

    def run(*words: str) -> tuple[list[str], str]:
        code = main(["synthesise", "people.csv", "-o", "out.csv", "--seed", "1", *words])
        columns = list(pd.read_csv("out.csv")) if code == 0 else []
        return columns, capsys.readouterr().err

    return run


def test_the_command_leaves_original_values_out_of_its_file(synthesise):
    columns, told = synthesise("--visit-sequence", "sex,age")
    assert columns == VISITS
    assert told == (
        "note: left out, because their values are the original ones, record by record: 'born';"
        " name such a column in --visit-sequence to synthesise it, or give --keep-unsynthesised\n"
    )


def test_the_command_keeps_them_if_asked(synthesise):
    columns, told = synthesise("--visit-sequence", "sex,age", "--keep-unsynthesised")
    assert columns == ["sex", "age", "born"]
    assert told.startswith("note: --visit-sequence: 'born': not synthesised")


def test_the_command_refuses_to_write_nothing(synthesise):
    methods = [f"--method={name}=" for name in PEOPLE]
    columns, told = synthesise(*methods)
    assert columns == [] and "no column is synthesised" in told
