"""What a synthesis made by `syn()` prints. The layouts are those of R's own print and summary,
written down from R for the same data.
"""

from __future__ import annotations

import pickle

import numpy as np
import pandas as pd
import pytest

from synthpop_py import InputError, SynDS, disclosure, sdc, syn, write_synds
from tests.parity.syn_side import CALLS, frame, recorded

QUIET = {"print_flag": False}
SEED = 987654321


def made(name: str, **more: object) -> SynDS:
    return syn(frame(recorded(name)["input"]), **{**CALLS[name], **QUIET, **more})


def people() -> pd.DataFrame:
    rng = np.random.default_rng(1)
    return pd.DataFrame(
        {
            "sex": pd.Categorical(rng.choice(["f", "m"], 80)),
            "age": rng.integers(18, 80, 80),
            "job": rng.choice(["baker", "clerk"], 80),
        }
    )


IRIS = """\
Call: syn(data)

1 synthetic data set of 150 rows and 5 columns.

First records (syn):
  Sepal.Length Sepal.Width Petal.Length Petal.Width    Species
1          5.0         3.4          1.5         0.2     setosa
2          6.9         3.0          4.8         1.5 versicolor
3          5.0         3.5          1.4         0.2     setosa
4          4.9         3.1          1.5         0.2     setosa
5          7.7         2.6          6.1         2.0  virginica
6          5.1         3.8          1.6         0.2     setosa

Methods (method):
Sepal.Length  Sepal.Width Petal.Length  Petal.Width      Species
    "sample"       "cart"       "cart"       "cart"       "cart"

Order of synthesis (visit_sequence):
Sepal.Length  Sepal.Width Petal.Length  Petal.Width      Species
           1            2            3            4            5

Predictors (predictor_matrix; 1 where the column predicts the row):
             Sepal.Length Sepal.Width Petal.Length Petal.Width Species
Sepal.Length            0           0            0           0       0
Sepal.Width             1           0            0           0       0
Petal.Length            1           1            0           0       0
Petal.Width             1           1            1           0       0
Species                 1           1            1           1       0"""


def test_print_has_r_s_tables():
    assert str(made("iris_3")) == IRIS
    assert repr(made("iris_3")) == IRIS


def test_missing_values_as_r_prints_them():
    lines = str(made("airquality_m2_4")).splitlines()
    at = lines.index("First records of the first set (syn):")
    assert lines[at + 1 : at + 4] == [
        "  Ozone Solar.R Wind Temp Month Day",
        "1    NA     150  8.6   77     6  22",
        "2    18     131 13.8   59     5   8",
    ]
    assert lines[0] == "Call: syn(data, m=2)"


IRIS_SUMMARY = """\
1 synthetic data set of 150 rows and 5 columns.

Methods (method):
Sepal.Length  Sepal.Width Petal.Length  Petal.Width      Species
    "sample"       "cart"       "cart"       "cart"       "cart"

Columns of numbers:
             count     mean       std min 25%  50% 75% max
Sepal.Length   150 5.839333 0.8676820 4.3 5.1 5.80 6.4 7.9
Sepal.Width    150 3.124667 0.4727382 2.0 2.8 3.00 3.5 4.4
Petal.Length   150 3.644000 1.8487972 1.0 1.5 4.35 5.1 6.9
Petal.Width    150 1.154667 0.7999653 0.1 0.2 1.35 1.8 2.5

Other columns:

Species  setosa 58, virginica 51, versicolor 41"""


def test_summary_has_r_s_figures():
    assert made("iris_3").summary() == IRIS_SUMMARY


def test_summary_of_several_sets_has_means_over_them():
    lines = made("airquality_m2_4").summary().splitlines()
    ozone = lines[lines.index("Columns of numbers, means over 2 sets:") + 2].split()
    figures = [round(float(figure), 2) for figure in ozone[1:]]
    # R's mean and quartiles; of 153 records 39 are missing
    assert figures == [114, 41.11, 30.84, 2.5, 18.25, 30.5, 60.62, 145]


@pytest.mark.filterwarnings("ignore::synthpop_py.DataWarning")
def test_the_other_kinds_of_column_in_a_summary():
    data = people().assign(
        works=pd.Series([True, False, None, True] * 20, dtype="boolean"),
        town=pd.Categorical([f"t{number % 9}" for number in range(80)]),
    )
    text = syn(data, method="", visit_sequence=["sex"], seed=1, **QUIET).summary()
    assert "True 40, False 20, NA 20" in text and "t5 9, 3 other levels 26" in text


def test_a_synthesis_made_otherwise_keeps_its_short_line():
    plain = SynDS(people())
    assert repr(plain) == "SynDS(m=1, 80 rows, 3 columns)"
    assert plain.summary() == "1 synthetic data set of 80 rows and 3 columns."
    assert (plain.call, plain.notes, plain.method) == ("", (), {})
    assert plain.visit_sequence == [] and plain.predictor_matrix.empty


def test_a_synthesis_made_otherwise_prints_its_call_and_first_records_as_r_does():
    made = SynDS(people(), meta={"call": "syn(ods, seed = 4711, m = 1)"})
    first, call, table, *rows = [line for line in str(made).splitlines() if line]
    assert first == "SynDS(m=1, 80 rows, 3 columns)"
    assert call == "Call: syn(ods, seed = ..., m = 1)"
    assert table.startswith("First records (syn)")
    assert [line.split()[0] for line in rows[1:]] == ["1", "2", "3", "4", "5", "6"]
    # what is written for others has neither: which columns are people's own is not known
    assert "First records" not in made.to_html() and "syn(ods" not in made.to_html()


@pytest.mark.filterwarnings("ignore::synthpop_py.DataWarning")
def test_what_syn_keeps():
    data = people().assign(months=lambda d: 12 * d["age"], land="PL", spare=range(80))
    visits = ["job", "sex", "age", "months", "land"]
    result = syn(data, visit_sequence=visits, seed=SEED, m=2, **QUIET)
    assert result.call == f"syn(data, visit_sequence={visits}, m=2)"
    assert result.visit_sequence == visits
    assert result.method == {
        "sex": "cart",
        "age": "cart",
        "job": "sample",
        "months": "collinear",
        "land": "constant",
        "spare": "",
    }
    matrix = result.predictor_matrix
    predictors = {name: list(matrix.columns[matrix.loc[name] == 1]) for name in matrix.index}
    assert predictors == {
        "sex": ["job"],
        "age": ["sex", "job"],
        "job": [],
        "months": ["age"],
        "land": [],
        "spare": [],
    }
    assert result.notes == ("original values, record by record: 'spare'",)
    with pytest.warns(UserWarning, match="R mixes up the types"):
        dropped = syn(data, visit_sequence=visits, seed=1, drop_not_used=True, **QUIET)
    assert "spare" not in dropped.method and "spare" not in dropped.predictor_matrix


@pytest.mark.parametrize("number", [SEED, -SEED])
def test_a_seed_is_written_nowhere(number):
    result = syn(people(), seed=number, **QUIET)
    views = [str(result), repr(result), result.to_html(), result.to_json(), result.summary()]
    views += [result.to_markdown(), repr(result.meta)]
    assert not any(str(abs(number)) in view for view in views)
    assert str(abs(number)).encode() not in pickle.dumps(result)


def test_no_line_is_too_long():
    wide = pd.concat([people().add_prefix(f"quite_a_long_name_{n}_") for n in range(6)], axis=1)
    result = syn(wide, method="sample", **QUIET)
    for view in (str(result), result.summary()):
        assert max(map(len, view.splitlines())) <= 100


@pytest.mark.filterwarnings("ignore::synthpop_py.DataWarning")
def test_what_was_not_synthesised_is_hidden_in_what_is_handed_on():
    """A column left as it is holds values of people."""
    data = people().assign(name=[f"person {number}" for number in range(80)])
    result = syn(data, visit_sequence=["sex", "age"], seed=1, **QUIET)
    assert "person 0" in str(result)
    assert "person 0" not in result.to_html() + result.to_markdown() + result.to_json()
    assert "person 0" in result.to_html(round_to=1)


def test_notes_are_printed_and_kept():
    data = people().rename(columns={"age": "y"})
    with pytest.warns(UserWarning, match="'y'"):
        result = syn(data, seed=1, **QUIET)
    assert len(result.notes) == 1 and "'y'" in result.notes[0]
    assert result.notes[0][:40] in str(result)


# ---- m = 0 -------------------------------------------------------------------------------


def test_without_sets_there_is_the_set_up_to_change_and_hand_on():
    data = people().assign(months=lambda d: 12 * d["age"])
    set_up = syn(data, m=0, **QUIET)
    assert set_up.m == 0 and set_up.syn == []
    assert "No synthetic data set" in str(set_up) and "No synthetic" in set_up.summary()
    # R looks for collinear columns only where it synthesises
    assert set_up.method["months"] == "cart"
    matrix = set_up.predictor_matrix
    matrix.loc["job", "age"] = 0
    assert set_up.predictor_matrix.loc["job", "age"] == 1  # a copy was changed
    result = syn(data, set_up.method, predictor_matrix=matrix, seed=1, models=True, **QUIET)
    assert [p.name for p in result.meta["models"]["job"].predictors] == ["sex"]
    assert set_up.to_dict()["columns"] == list(data)


@pytest.mark.parametrize(
    "use",
    [
        lambda s, d: disclosure(s, d, ["sex"], "job"),
        lambda s, d: sdc(s, d, label="x"),
        lambda s, d: write_synds(s, "never.rds"),
    ],
    ids=["disclosure", "sdc", "write_synds"],
)
def test_a_set_up_is_no_synthetic_data(use):
    data = people()
    with pytest.raises(InputError, match="m=0; call it with m=1 or more"):
        use(syn(data, m=0, **QUIET), data)


def test_an_empty_list_is_still_refused():
    with pytest.raises(InputError, match="a non-empty list"):
        SynDS([])
