"""``risk``: the figures of `multi_disclosure()` in three forms, small cells hidden in each, limits
for pipelines.
"""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pandas as pd
import pytest

from synthpop_py import multi_disclosure
from synthpop_py.cli import main

from .cli_files import ASK, TABLES, process, write_people

TWO = [*TABLES, "--synthetic", "synthetic-2.csv", "--keys", "sex,age", "--targets", "job,town"]


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write_people()


def correct(files=("synthetic.csv",), **given):
    sets = [pd.read_csv(file) for file in files]
    asked = {"keys": ["sex", "age"], "targets": ["job"], "print_flag": False} | given
    return multi_disclosure(sets, pd.read_csv("original.csv"), **asked, compat="corrected")


def as_json(capsys, *words):
    assert main(["risk", *words, "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def figure(content, measure, target="job", synthesis=1):
    (found,) = (
        row
        for row in content["figures"]
        if (row["measure"], row["target"], row["synthesis"]) == (measure, target, synthesis)
    )
    return found


def test_the_figures_are_those_of_multi_disclosure(capsys):
    content = as_json(capsys, *TWO, "--min-cell", "0")
    result = correct(("synthetic.csv", "synthetic-2.csv"), targets=["job", "town"])
    for row in result.tidy().query("measure not in ['max_denom', 'mean_denom']").itertuples():
        found = figure(content, row.measure, row.target, row.synthesis)
        assert found["value"] == found["corrected"] == pytest.approx(row.value)
        assert found["numerator"] == pytest.approx(row.numerator)
        assert found["unit"] == row.unit and found["hidden"] is False
    assert content["records"] == {"original": 300, "synthetic": [300, 300]}
    assert content["compat"] == "corrected" and content["keys"] == ["sex", "age"]


def test_every_form_in_a_process_of_its_own():
    """Results to standard output, notes to standard error, 0 where nothing is wrong."""
    done = process("risk", *ASK)
    assert (done.returncode, done.stderr) == (0, "")
    value = correct().DiSCO["job"]
    assert "An intruder may know: sex, age" in done.stdout and f"{value:.2f}" in done.stdout
    table = process("risk", *TABLES, "--keys", "sex,age", "--csv")
    rows = list(csv.DictReader(io.StringIO(table.stdout)))
    assert {row["target"] for row in rows} == {"town", "job"}
    shown = next(row for row in rows if (row["target"], row["measure"]) == ("job", "DiSCO"))
    assert float(shown["value"]) == pytest.approx(value) and shown["hidden"] == "False"


def test_several_syntheses_have_mean_and_range(capsys):
    assert main(["risk", *TWO]) == 0
    lines = capsys.readouterr().out.splitlines()
    head = next(line for line in lines if "lowest" in line)
    assert head.split() == ["DiSCO,", "mean", "lowest", "highest", "Dorig"]
    job = next(line for line in lines if line.startswith("job")).split()
    result = correct(("synthetic.csv", "synthetic-2.csv"))
    values = result["job"].attrib.DiSCO
    wanted = [values.mean(), values.min(), values.max(), result["job"].attrib.Dorig.iloc[0]]
    assert list(map(float, job[1:])) == pytest.approx(wanted, abs=0.01)


# ---- small cells ---------------------------------------------------------------------


def small(capsys, *words):
    """Eight people are alone with their town; the synthetic data have their town and job."""
    towns = ["A"] * 100 + [f"t{number}" for number in range(8)]
    jobs = ["x", "y"] * 54
    frame = pd.DataFrame({"town": towns, "job": jobs})
    frame.to_csv("few.csv", index=False)
    words = ["--synthetic", "few.csv", "--original", "few.csv", "--keys", "town", *words]
    code = main(["risk", *words, "--targets", "job"])
    return code, capsys.readouterr().out


def test_small_counts_are_hidden_in_every_form(capsys):
    _, text = small(capsys)
    assert "hidden people (hidden) are unique on these keys" in text and "min_cell=10" in text
    _, text = small(capsys, "--json")
    rows = json.loads(text)["figures"]
    disclosed = next(row for row in rows if row["measure"] == "DiSCO")
    assert disclosed["hidden"] is True
    assert (disclosed["value"], disclosed["numerator"], disclosed["corrected"]) == (None,) * 3
    _, text = small(capsys, "--csv")
    row = next(row for row in csv.DictReader(io.StringIO(text)) if row["measure"] == "DiSCO")
    assert (row["value"], row["numerator"], row["hidden"]) == ("", "", "True")


def test_min_cell_0_shows_all(capsys):
    _, text = small(capsys, "--min-cell", "0")
    assert "8 people (7.41 %) are unique on these keys" in text and "hidden" not in text


# ---- R's figures ---------------------------------------------------------------------


def written_otherwise():
    """R compares numbers by the way they are written, 1 and 1.0 (D15)."""
    original = pd.DataFrame({"key": ["1", "2"] * 20, "job": ["x", "y"] * 20})
    original.to_csv("o.csv", index=False)
    codes = original.assign(key=["1.0", "2.0"] * 20)
    codes.to_parquet("s.parquet", index=False)
    return ["--synthetic", "s.parquet", "--original", "o.csv", "--keys", "key", "--targets", "job"]


@pytest.mark.needs("pyarrow")
def test_where_r_differs_both_are_shown(capsys):
    words = written_otherwise()
    assert main(["risk", *words]) == 0
    told = capsys.readouterr()
    assert "DiSCO of job, synthesis 1" in told.out and "D15" in told.out
    found = figure(as_json(capsys, *words, "--min-cell", "0"), "DiSCO")
    assert (found["value"], found["corrected"], found["r"]) == (100, 100, 0)
    assert found["differs"] is True
    found = figure(as_json(capsys, *words, "--compat", "r", "--min-cell", "0"), "DiSCO")
    assert (found["value"], found["corrected"], found["r"]) == (0, 100, 0)


@pytest.mark.needs("pyarrow")
def test_limits_are_judged_by_the_correct_figure(capsys):
    words = written_otherwise()
    assert main(["risk", *words, "--compat", "r", "--fail-over", "DiSCO=99"]) == 1


# ---- limits --------------------------------------------------------------------------


def test_the_largest_value_over_targets_and_syntheses_counts(capsys):
    result = correct(("synthetic.csv", "synthetic-2.csv"), targets=["job", "town"])
    largest = max(result[target].attrib.DiSCO.max() for target in ("job", "town"))
    means = max(result.DiSCO)
    assert means < largest - 0.02
    assert main(["risk", *TWO, "--fail-over", f"DiSCO={largest + 0.01}"]) == 0
    capsys.readouterr()
    assert main(["risk", *TWO, "--fail-over", f"DiSCO={largest - 0.01}"]) == 1
    told = capsys.readouterr()
    assert "note: --fail-over: DiSCO of job (synthesis" in told.err
    assert "Attribute risk" in told.out  # the figures are shown all the same


def test_several_limits(capsys):
    words = ["--fail-over", "DiSCO=100", "--fail-over", "repU=0.1", "--json"]
    assert main(["risk", *ASK, *words]) == 1
    limits = json.loads(capsys.readouterr().out)["limits"]
    assert [(one["measure"], one["kept"]) for one in limits] == [("DiSCO", True), ("repU", False)]


def test_a_failed_limit_is_exit_code_1_of_the_process():
    done = process("risk", *ASK, "--fail-over", "DiSCO=0")
    assert done.returncode == 1 and done.stdout and done.stderr.count("\n") == 1


@pytest.mark.parametrize(
    "limit, says",
    [
        ("Disco=5", "--fail-over: 'Disco' is not one of the measures; did you mean 'DiSCO'?"),
        ("DiSCO", "--fail-over: 'DiSCO' is not MEASURE=NUMBER, such as DiSCO=5"),
        ("DiSCO=much", "--fail-over: 'much' is not a number; write it as in DiSCO=5"),
        ("DiSCO=500", "--fail-over: DiSCO=500 is not a percentage; give 0 to 100"),
        ("DiSCO=nan", "--fail-over: 'nan' is not a number"),
    ],
)
def test_a_limit_that_cannot_be_read(capsys, limit, says):
    assert main(["risk", *ASK, "--fail-over", limit]) == 2
    told = capsys.readouterr()
    assert says in told.err and told.err.count("\n") == 1 and told.out == ""


def test_a_limit_that_nothing_can_be_judged_by_is_no_success(capsys):
    """Nobody is found, so there is no share of those found; or nothing can be compared."""
    original = pd.read_csv("original.csv")
    oldest = original["age"].max()
    others = original[(original["sex"] == "m") | (original["age"] < oldest)]
    others.to_csv("original.csv", index=False)
    frame = pd.DataFrame({"sex": ["f"] * 30, "age": oldest, "job": ["x"] * 30})
    frame.to_csv("synthetic.csv", index=False)
    assert main(["risk", *ASK, "--fail-over", "TCAP_DiS=5"]) == 2
    assert "TCAP_DiS has no value for any target" in capsys.readouterr().err
    frame.assign(sex="d").to_csv("synthetic.csv", index=False)
    assert main(["risk", *ASK, "--fail-over", "DiSCO=5"]) == 2
    assert "column 'sex': no value in common" in capsys.readouterr().err
    frame.assign(job="d").to_csv("synthetic.csv", index=False)
    assert main(["risk", *ASK, "--fail-over", "DiSCO=5"]) == 2
    said = capsys.readouterr().err
    assert "no limit can be judged for 'job'; --synthetic, column 'job': no value" in said


# ---- options -------------------------------------------------------------------------


def test_options_are_arguments_of_multi_disclosure(capsys):
    words = ["--ngroups-keys", "age=4", "--not-targetslev", "job=x", "--denom-lim", "3"]
    content = as_json(capsys, *ASK, *words, "--exclude-ov-denom-lim", "--min-cell", "0")
    wanted = correct(
        ngroups_keys=[0, 4], not_targetslev={"job": "x"}, denom_lim=3, exclude_ov_denom_lim=True
    )
    for measure in ("DiSCO", "repU", "Dorig"):
        assert figure(content, measure)["value"] == pytest.approx(getattr(wanted, measure)["job"])


def test_nearly_sure(capsys):
    """Two keys in five towns: nobody is certain of 60 people each, many are nearly sure."""
    words = ["--keys", "sex,town", "--targets", "job", "--min-cell", "0", "--certainty", "0.55"]
    assert main(["risk", *TABLES, *words, "--json"]) == 0
    told = capsys.readouterr()
    content = json.loads(told.out)
    wanted = multi_disclosure(
        pd.read_csv("synthetic.csv"),
        pd.read_csv("original.csv"),
        ["sex", "town"],
        ["job"],
        certainty=0.55,
        compat="corrected",
        print_flag=False,
    )
    disco = figure(content, "DiSCO")
    assert (content["certainty"], disco["value"]) == (0.55, pytest.approx(wanted["job"].DiSCO))
    assert disco["value"] > 0 and disco["r"] is None and told.err == ""
    assert main(["risk", *TABLES, *words]) == 0
    assert "at least 55 % of the records" in " ".join(capsys.readouterr().out.split())


@pytest.mark.parametrize(
    "words, says",
    [
        (
            ["0.9", "--compat", "r"],
            "--certainty: 0.9 cannot be used with --compat r, because R counts",
        ),
        (["0.4"], "--certainty: 0.4"),
    ],
)
def test_a_certainty_that_cannot_be_used(capsys, words, says):
    assert main(["risk", *ASK, "--certainty", *words]) == 2
    assert says in capsys.readouterr().err


def test_special_values_and_counts(capsys):
    frame = pd.read_csv("original.csv").assign(n=2)
    frame.to_csv("original.csv", index=False)
    pd.read_csv("synthetic.csv").assign(n=1).to_csv("synthetic.csv", index=False)
    content = as_json(capsys, *ASK, "--counts", "n", "--cont-na", "age=20")
    assert content["records"] == {"original": 600, "synthetic": [300]}


def test_a_file_in_place_of_the_screen(capsys):
    assert main(["risk", *ASK, "-o", "figures.json"]) == 0
    assert capsys.readouterr().out == "figures.json: written\n"
    assert json.loads(Path("figures.json").read_text())["keys"] == ["sex", "age"]
    assert main(["risk", *ASK, "-o", "figures.json"]) == 2
    assert "figures.json exists; give another name, or --force" in capsys.readouterr().err
    assert main(["risk", *ASK, "-o", "figures.json", "--csv", "--force"]) == 0
    assert Path("figures.json").read_text().startswith("target,synthesis,measure,value")


def test_names_with_commas_are_quoted(capsys):
    for name in ("original.csv", "synthetic.csv"):
        pd.read_csv(name).rename(columns={"age": "age, in years"}).to_csv(name, index=False)
    content = as_json(capsys, *TABLES, "--keys", 'sex,"age, in years"', "--targets", "job")
    assert content["keys"] == ["sex", "age, in years"]


def test_a_limit_that_is_met_exactly_is_kept(capsys):
    """42 of 600 people are 7 %; 42 / 600 * 100 is 7.000000000000001."""
    known = ["a"] * 42 + ["b"] * 558
    value = ["x"] * 42 + ["y", "z"] * 279
    pd.DataFrame({"known": known, "value": value}).to_csv("seven.csv", index=False)
    words = ["--synthetic", "seven.csv", "--original", "seven.csv", "--keys", "known"]
    assert main(["risk", *words, "--fail-over", "DiSCO=7"]) == 0
    assert "above" not in capsys.readouterr().err
    assert main(["risk", *words, "--fail-over", "DiSCO=6.999"]) == 1


def test_a_refusal_names_options_as_they_are_typed(capsys):
    words = [*ASK, "--holdout", "synthetic-2.csv", "--exclude-ov-denom-lim"]
    assert main(["risk", *words]) == 2
    assert "--holdout: cannot be used with --exclude-ov-denom-lim;" in capsys.readouterr().err


def test_flags_name_a_level_or_a_level_beside_one_of_a_key(tmp_path, monkeypatch, capsys):
    """60 of the 62 people in whom something is revealed have one level."""
    monkeypatch.chdir(tmp_path)
    Path("people.csv").write_text("town,ill\n" + "a,no\n" * 60 + "b,yes\n" * 2)
    words = ["--synthetic", "people.csv", "--original", "people.csv"]
    assert main(["risk", *words, "--keys", "town", "--targets", "ill"]) == 0
    told = " ".join(capsys.readouterr().out.split())
    assert "one level is behind most of it (R's 1-way check), or a level nearly always" in told
